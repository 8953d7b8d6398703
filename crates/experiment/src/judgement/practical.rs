//! The practical bound: the least difference that counts.

use serde::{Deserialize, Serialize};
use westwood_scenario::{BadInput, units};

/// Below which share of a value a difference does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Practical(pub f64);

impl Default for Practical {
    /// 1 %.
    fn default() -> Self {
        Self(0.01)
    }
}

impl Practical {
    /// Reads a share: `1%`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        match units::share(text) {
            Ok(share) if share < 1.0 => Ok(Self(share)),
            // It is a share that is too large, or it is none.
            Err(error) if !text.trim().ends_with('%') => Err(error),
            _ => Err(BadInput::out_of_range(text, "0%", "99%")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_a_share_below_the_whole() {
        assert_eq!(Practical::parse("1%"), Ok(Practical::default()));
        assert_eq!(Practical::parse("0"), Ok(Practical(0.0)));
        assert_eq!(Practical::parse("0.5"), Ok(Practical(0.5)));
        // The error says what is written wrong, or which shares there are.
        let refused = |text: &str| Practical::parse(text).unwrap_err().to_string();
        for whole in ["100%", "101%", "1"] {
            assert!(
                refused(whole).contains("0%") && refused(whole).contains("99%"),
                "{}",
                refused(whole)
            );
        }
        assert!(refused("5").contains("write 5% or 0.05"), "{}", refused("5"));
    }
}
