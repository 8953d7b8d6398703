//! `--shard`: a part of a grid.

use std::fmt;

use serde::{Deserialize, Serialize};
use westwood_scenario::{BadInput, units};

/// A part of a grid: every `of`-th run, beginning with number `part`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub part: u64,
    /// The number of parts.
    pub of: u64,
}

impl Shard {
    /// Reads `I/N`.
    pub(crate) fn parse(text: &str) -> Result<Self, BadInput> {
        const MOST: u64 = 1_000_000;
        let Some((part, of)) = text.split_once('/') else {
            let what = BadInput::new(format!("'{}' is not I/N", text.escape_debug()));
            return Err(what.hint("write 1/4 for the first of four parts"));
        };
        let of = units::count(of, 1, MOST)?;
        Ok(Self { part: units::count(part, 1, of)?, of })
    }

    /// True if the run of this number, from 0, belongs to the part.
    pub(crate) fn has(self, number: usize) -> bool {
        number as u64 % self.of == self.part - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_grid_are_disjoint_and_whole() {
        let shards: Vec<Shard> =
            (1..=3).map(|i| Shard::parse(&format!("{i}/3")).unwrap()).collect();
        for number in 0..20 {
            assert_eq!(shards.iter().filter(|s| s.has(number)).count(), 1);
        }
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }
}
