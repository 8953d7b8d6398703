//! Packets that overtake each other: `true` by jitter, or `1 % by 3 within 50 ms` by number.

use std::fmt;

use westwood_cc::Duration;
use westwood_net::ReorderConfig;

use crate::error::{BadInput, quoted};
use crate::limits::within;
use crate::units::{count, duration, duration_text, share, share_text, switch};

/// Which packets of a link overtake others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReorderSpec {
    /// None.
    Never,
    /// Those that jitter delays less.
    ByJitter,
    /// So many of those behind a share of packets.
    ByNumber(ReorderConfig),
}

impl ReorderSpec {
    const MOST: u64 = 10_000;
    /// An assumption: longer than a path of today varies, shorter than a retransmission timeout.
    const USUAL_WITHIN: Duration = Duration::from_millis(50);

    /// Reads `true`, `false` or [a number](Self::parse_number).
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        match switch(text.trim()) {
            Ok(true) => Ok(Self::ByJitter),
            Ok(false) => Ok(Self::Never),
            Err(_) => Self::parse_number(text),
        }
    }

    /// Reads `1 % by 3`, with `within 50 ms` behind it if that is not the limit.
    ///
    /// ```
    /// use westwood_scenario::spec::ReorderSpec;
    /// let reorder = ReorderSpec::parse_number("1% by 3").unwrap();
    /// assert_eq!(reorder.to_string(), "1% by 3 within 50ms");
    /// assert!(ReorderSpec::parse_number("1% by 0").is_err());
    /// ```
    pub fn parse_number(text: &str) -> Result<Self, BadInput> {
        let wrong = || {
            let what = format!("{} is not a share and a number of packets", quoted(text.trim()));
            BadInput::new(what).hint("write \"1 % by 3\" or \"1 % by 3 within 50 ms\"")
        };
        let is_number =
            |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let (p, rest) = text.split_once(" by ").filter(|(p, _)| is_number(p)).ok_or_else(wrong)?;
        let (by, wait) = match rest.split_once(" within ") {
            Some((by, time)) => (by, within(time, duration, "0s", "86400s")?),
            None => (rest, Self::USUAL_WITHIN),
        };
        let by = u32::try_from(count(by.trim(), 1, Self::MOST)?).unwrap_or(u32::MAX);
        Ok(Self::ByNumber(ReorderConfig { p: share(p)?, by, within: wait }))
    }

    /// As a link takes it.
    pub fn config(self) -> Option<ReorderConfig> {
        match self {
            Self::ByNumber(config) => Some(config),
            Self::Never | Self::ByJitter => None,
        }
    }
}

impl fmt::Display for ReorderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("false"),
            Self::ByJitter => f.write_str("true"),
            Self::ByNumber(ReorderConfig { p, by, within }) => {
                write!(f, "{} by {by} within {}", share_text(*p), duration_text(*within))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        for text in ["true", "false", "1% by 3 within 50ms", "0.5% by 100 within 2s"] {
            assert_eq!(ReorderSpec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_reordering_is_refused_in_words() {
        for (text, says) in [
            ("often", "is not a share and a number of packets"),
            ("true by 3", "write \"1 % by 3\""),
            ("1 % by many", "many"),
            ("101 % by 3", "101"),
            ("1 % by 3 within 5", "unit"),
        ] {
            let error = ReorderSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
