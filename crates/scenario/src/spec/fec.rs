//! Links that code their packets: `in-order(k=20,n=24,wait=40ms)`.

use std::fmt;

use westwood_cc::Duration;
use westwood_net::FecConfig;

use super::call::Call;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text};

/// Forward error correction whose wait may follow from the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FecSpec {
    k: u32,
    n: u32,
    /// From a block's first packet until it is closed; none: a round trip of the link.
    wait: Option<Duration>,
    in_order: bool,
}

impl FecSpec {
    /// Reads `in-order` or `unordered`, with `k` and `n`, and `wait` if it is not the usual one.
    ///
    /// ```
    /// use westwood_scenario::spec::FecSpec;
    /// let fec = FecSpec::parse("in-order(k=20, n=24)").unwrap();
    /// assert_eq!(fec.to_string(), "in-order(k=20,n=24)");
    /// assert!(FecSpec::parse("in-order(k=20,n=20)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        const EXAMPLE: &str = "in-order(k=20,n=24)";
        let mut call = Call::parse(text)?;
        let in_order = match call.name.to_ascii_lowercase().as_str() {
            "in-order" => true,
            "unordered" => false,
            name => return Err(BadInput::unknown("code", name, ["in-order", "unordered"])),
        };
        let k = call.need("k", EXAMPLE, |text| count(text, 1, 1_000))?;
        let n = call.need("n", EXAMPLE, |text| count(text, k + 1, 2_000))?;
        let wait = call.take("wait", |text| within(text, duration, "0s", "86400s"))?;
        call.finish()?;
        let small = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Self { k: small(k), n: small(n), wait, in_order })
    }

    /// For a link of this delay.
    pub fn over(self, delay: Duration) -> FecConfig {
        let wait = self.wait.unwrap_or(delay * 2);
        FecConfig { k: self.k, n: self.n, wait, in_order: self.in_order }
    }
}

impl fmt::Display for FecSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.in_order { "in-order" } else { "unordered" };
        write!(f, "{order}(k={},n={}", self.k, self.n)?;
        if let Some(wait) = self.wait {
            write!(f, ",wait={}", duration_text(wait))?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_wait_a_block_is_closed_after_a_round_trip_of_the_link() {
        let fec = FecSpec::parse("unordered(k=1,n=2)").unwrap().over(Duration::from_millis(5));
        assert_eq!((fec.wait, fec.in_order), (Duration::from_millis(10), false));
    }

    #[test]
    fn what_is_no_code_is_refused_in_words() {
        for (text, says) in [
            ("arq", "unknown code 'arq'"),
            ("in-order", "'k' is missing"),
            ("in-order(k=20)", "'n' is missing"),
            ("in-order(k=20,n=20)", "n"),
            ("in-order(k=20,n=24,wait=soon)", "wait"),
        ] {
            let error = FecSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
