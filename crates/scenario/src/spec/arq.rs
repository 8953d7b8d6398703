//! Links that repair their own losses: `in-order(tries=3,delay=8ms)`.

use std::fmt;

use westwood_cc::Duration;
use westwood_net::ArqConfig;

use super::call::Call;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text};

/// An automatic repeat request whose delay may follow from the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArqSpec {
    /// Repeats of a packet at most.
    tries: u32,
    /// From a failure until the transmitter knows of it; none: a round trip of the link.
    delay: Option<Duration>,
    in_order: bool,
}

impl ArqSpec {
    const MOST_TRIES: u64 = 64;
    const USUAL_TRIES: u64 = 3;

    /// Reads `in-order` or `unordered`, with `tries` and `delay` if they are not the usual ones.
    ///
    /// ```
    /// use westwood_scenario::spec::ArqSpec;
    /// let arq = ArqSpec::parse("in-order(delay=8ms)").unwrap();
    /// assert_eq!(arq.to_string(), "in-order(tries=3,delay=8ms)");
    /// assert!(ArqSpec::parse("in-order(tries=0)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        let in_order = match call.name.to_ascii_lowercase().as_str() {
            "in-order" => true,
            "unordered" => false,
            name => return Err(BadInput::unknown("repair", name, ["in-order", "unordered"])),
        };
        let tries = call.take("tries", |text| count(text, 1, Self::MOST_TRIES))?;
        let delay = call.take("delay", |text| within(text, duration, "0s", "86400s"))?;
        call.finish()?;
        let tries = u32::try_from(tries.unwrap_or(Self::USUAL_TRIES)).unwrap_or(u32::MAX);
        Ok(Self { tries, delay, in_order })
    }

    /// For a link of this delay.
    pub fn over(self, delay: Duration) -> ArqConfig {
        let delay = self.delay.unwrap_or(delay * 2);
        ArqConfig { tries: self.tries, delay, in_order: self.in_order }
    }
}

impl fmt::Display for ArqSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.in_order { "in-order" } else { "unordered" };
        write!(f, "{order}(tries={}", self.tries)?;
        if let Some(delay) = self.delay {
            write!(f, ",delay={}", duration_text(delay))?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_delay_a_failure_is_known_after_a_round_trip_of_the_link() {
        let arq = ArqSpec::parse("unordered").unwrap().over(Duration::from_millis(5));
        assert_eq!(arq.delay, Duration::from_millis(10));
        assert_eq!((arq.tries, arq.in_order), (3, false));
    }

    #[test]
    fn what_is_no_repair_is_refused_in_words() {
        for (text, says) in [
            ("fec", "unknown repair 'fec'"),
            ("in-order(tries=65)", "tries"),
            ("in-order(window=3)", "window"),
            ("unordered(delay=soon)", "delay"),
        ] {
            let error = ArqSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
