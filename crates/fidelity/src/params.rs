//! The parameters of a row, as the tables write them: `bw=100e6;per=0.004`.

use std::collections::BTreeMap;
use std::fmt;

/// A row's parameters. Each is taken out once, so that none goes unread.
#[derive(Clone, Debug)]
pub struct Params(BTreeMap<String, String>);

/// A row that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// The nearest whole number to one that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a parameter is not negative, and a cast saturates"
)]
pub(crate) fn rounded(n: f64) -> u64 {
    n.round() as u64
}

impl Params {
    /// Reads `name=value;name=value`.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let mut map = BTreeMap::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| Unreadable(format!("'{part}' is not NAME=VALUE")))?;
            if map.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(Unreadable(format!("{name} is given twice in '{text}'")));
            }
        }
        Ok(Self(map))
    }

    /// Takes a parameter as text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    /// Takes a parameter as a finite number that is not negative.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, Unreadable> {
        let Some(text) = self.0.remove(name) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(n) if n.is_finite() && n >= 0.0 => Ok(Some(n)),
            _ => Err(Unreadable(format!("{name}={text} is not a number"))),
        }
    }

    /// Takes a parameter as a whole number.
    pub fn count(&mut self, name: &str) -> Result<Option<u64>, Unreadable> {
        let Some(n) = self.number(name)? else { return Ok(None) };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and checked to be whole and small"
        )]
        if n.fract() == 0.0 && n < 1e15 {
            Ok(Some(n as u64))
        } else {
            Err(Unreadable(format!("{name}={n} is not a whole number")))
        }
    }

    /// Refuses unknown parameters.
    pub fn nothing_left(&self) -> Result<(), Unreadable> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(Unreadable(format!("parameter {name} has no meaning here"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_nobody_reads_is_refused() {
        let mut params = Params::parse("bw=100e6;per=0.004").unwrap();
        assert_eq!(params.count("bw"), Ok(Some(100_000_000)));
        assert!(params.nothing_left().is_err());
        assert_eq!(params.number("per"), Ok(Some(0.004)));
        assert_eq!(params.nothing_left(), Ok(()));
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        assert!(Params::parse("bw").is_err());
        assert!(Params::parse("bw=1;bw=2").is_err());
        assert!(Params::parse("bw=x").unwrap().number("bw").is_err());
        assert!(Params::parse("m=1.5").unwrap().count("m").is_err());
    }
}
