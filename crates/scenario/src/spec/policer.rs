//! Policers: `8Mbit/s burst 64KiB`.

use std::fmt;

use westwood_cc::{Bytes, Rate};
use westwood_net::PolicerConfig;

use crate::error::{BadInput, quoted};
use crate::limits::within;
use crate::units::{rate, rate_text, size_with_unit};

/// A token-bucket policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerSpec {
    rate: Rate,
    burst: Bytes,
}

impl PolicerSpec {
    const EXAMPLE: &str = "8Mbit/s burst 64KiB";

    /// Reads a rate and a burst.
    ///
    /// ```
    /// use westwood_scenario::spec::PolicerSpec;
    /// let policer = PolicerSpec::parse("8 Mbit/s burst 64 KiB").unwrap();
    /// assert_eq!(policer.to_string(), "8Mbit/s burst 65536B");
    /// assert!(PolicerSpec::parse("8 Mbit/s").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let Some((before, after)) = text.split_once("burst") else {
            let what = format!("{} says no burst", quoted(text.trim()));
            return Err(BadInput::new(what).hint(format!("write {}", Self::EXAMPLE)));
        };
        let rate = within(before, rate, "1bit/s", "562Tbit/s")?;
        let burst = within(after, size_with_unit, "1B", "1024GiB")?;
        Ok(Self { rate, burst })
    }

    /// The policer of a link with packets of up to this size.
    pub fn config(self, packet: Bytes) -> Result<PolicerConfig, BadInput> {
        if self.burst < packet {
            let what = format!("a burst of {} bytes holds no packet", self.burst.get());
            return Err(BadInput::new(what).hint(format!("packets have {} bytes", packet.get())));
        }
        Ok(PolicerConfig { rate: self.rate, burst: self.burst })
    }
}

impl fmt::Display for PolicerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} burst {}B", rate_text(self.rate), self.burst.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policer_prints_what_reads_the_same() {
        for text in [PolicerSpec::EXAMPLE, "1.5 Mbps burst 3kB", "100bit/s burst 1B"] {
            let policer = PolicerSpec::parse(text).unwrap();
            assert_eq!(PolicerSpec::parse(&policer.to_string()), Ok(policer), "{text}");
        }
    }

    #[test]
    fn what_is_no_policer_is_refused_in_words() {
        for (text, says) in [
            ("8Mbit/s", "write 8Mbit/s burst 64KiB"),
            ("8 burst 64KiB", "has no unit"),
            ("0bit/s burst 64KiB", "from 1bit/s"),
            ("8Mbit/s burst 64", "has no unit"),
            ("8Mbit/s burst 0B", "from 1B to 1024GiB"),
        ] {
            let error = PolicerSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        let small = PolicerSpec::parse("8Mbit/s burst 1kB").unwrap();
        let error = small.config(Bytes::new(1500)).unwrap_err().to_string();
        assert!(error.contains("packets have 1500 bytes"), "{error}");
    }
}
