//! Links that leave out ACKs: `replace`, `decimate(n=4,wait=10ms)`.

use std::fmt;

use westwood_cc::Duration;
use westwood_net::{AckFilterConfig, AckRule};

use super::call::Call;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text};

/// Which ACKs a link leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFilterSpec(AckFilterConfig);

impl AckFilterSpec {
    const MOST: u64 = 256;
    /// The wait of a driver of wireless chips (`sprdwl`).
    const USUAL_WAIT: Duration = Duration::from_millis(10);

    /// Reads `replace` or `decimate`, with `n` and `wait`, and `sack=drop` and `ecn=drop` for ACKs that
    /// are otherwise kept.
    ///
    /// ```
    /// use westwood_scenario::spec::AckFilterSpec;
    /// let filter = AckFilterSpec::parse("decimate(n=4)").unwrap();
    /// assert_eq!(filter.to_string(), "decimate(n=4,wait=10ms)");
    /// assert!(AckFilterSpec::parse("decimate(n=1)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        let rule = match call.name.to_ascii_lowercase().as_str() {
            "replace" => AckRule::Replace,
            "decimate" => {
                let n = call.need("n", "decimate(n=4)", |text| count(text, 2, Self::MOST))?;
                let wait = call.take("wait", |text| within(text, duration, "0s", "86400s"))?;
                let n = u32::try_from(n).unwrap_or(u32::MAX);
                AckRule::Decimate { n, wait: wait.unwrap_or(Self::USUAL_WAIT) }
            }
            name => return Err(BadInput::unknown("ACK filter", name, ["replace", "decimate"])),
        };
        let drop_sack = call.take("sack", kept_or_dropped)?.unwrap_or(false);
        let drop_ecn = call.take("ecn", kept_or_dropped)?.unwrap_or(false);
        call.finish()?;
        Ok(Self(AckFilterConfig { rule, drop_sack, drop_ecn }))
    }

    /// As a link takes it.
    pub fn config(self) -> AckFilterConfig {
        self.0
    }
}

fn kept_or_dropped(text: &str) -> Result<bool, BadInput> {
    match text {
        "keep" => Ok(false),
        "drop" => Ok(true),
        _ => Err(BadInput::unknown("choice", text, ["keep", "drop"])),
    }
}

impl fmt::Display for AckFilterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, mut parameters) = match self.0.rule {
            AckRule::Replace => ("replace", Vec::new()),
            AckRule::Decimate { n, wait } => {
                ("decimate", vec![format!("n={n}"), format!("wait={}", duration_text(wait))])
            }
        };
        parameters.extend(self.0.drop_sack.then(|| "sack=drop".to_owned()));
        parameters.extend(self.0.drop_ecn.then(|| "ecn=drop".to_owned()));
        f.write_str(name)?;
        if parameters.is_empty() {
            return Ok(());
        }
        write!(f, "({})", parameters.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        for text in ["replace", "replace(sack=drop)", "decimate(n=8,wait=2ms,sack=drop,ecn=drop)"] {
            assert_eq!(AckFilterSpec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_filter_is_refused_in_words() {
        for (text, says) in [
            ("cake", "unknown ACK filter 'cake'"),
            ("decimate", "'n' is missing"),
            ("decimate(n=257)", "n"),
            ("replace(n=2)", "has no parameter 'n'"),
            ("replace(sack=lose)", "unknown choice 'lose'"),
        ] {
            let error = AckFilterSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
