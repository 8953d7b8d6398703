//! Decimal numbers as people write them, exact.

use std::fmt;

use crate::error::{BadInput, quoted};

/// A non-negative decimal number: `digits * 10^exponent`. No rounding on the way in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Most significant digits that a number may have.
    const MOST_DIGITS: usize = 30;

    /// `digits * 10^exponent`, in its shortest form.
    pub const fn new(mut digits: u128, mut exponent: i32) -> Self {
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        if digits == 0 {
            exponent = 0;
        }
        Self { digits, exponent }
    }

    /// Reads `12`, `0.5`, `.5`, `1e-3`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let refused = || BadInput::new(format!("{} is not a number", quoted(text)));
        let text = text.strip_prefix('+').unwrap_or(text);
        if text.starts_with(['-', '−']) {
            return Err(BadInput::beyond(text, "is negative").hint("write 0 or more"));
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((m, e)) => (m, e.parse::<i32>().map_err(|_| refused())?),
            None => (text, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + part.len() == 0 || !all_digits(whole) || !all_digits(part) {
            return Err(refused());
        }
        let significant = format!("{whole}{part}");
        let significant = significant.trim_start_matches('0');
        if exponent.unsigned_abs() > 100 {
            let what = BadInput::beyond(text, "has too large an exponent");
            return Err(what.hint("write one from -100 to 100"));
        }
        if significant.len() > Self::MOST_DIGITS {
            let what = BadInput::new(format!("{} has too many digits", quoted(text)));
            return Err(what.hint(format!("write at most {}", Self::MOST_DIGITS)));
        }
        let digits = significant.parse().unwrap_or(0);
        let after_point = i32::try_from(part.len()).map_err(|_| refused())?;
        Ok(Self::new(digits, exponent - after_point))
    }

    /// True for zero.
    pub const fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Numerator and denominator of this number times a whole number, in lowest terms, so that no
    /// product overflows that need not; `None` if it does not fit. A denominator that does not fit
    /// is far larger than any numerator: it stands as the largest number.
    fn fraction(self, factor: u128) -> Option<(u128, u128)> {
        let power = 10_u128.checked_pow(self.exponent.unsigned_abs());
        if self.exponent >= 0 || self.digits == 0 {
            let digits = self.digits.checked_mul(factor)?;
            return Some((if digits == 0 { 0 } else { digits.checked_mul(power?)? }, 1));
        }
        let mut below = power.unwrap_or(u128::MAX);
        let common = gcd(factor, below);
        let factor = factor / common;
        below /= common;
        let common = gcd(self.digits, below);
        Some(((self.digits / common).checked_mul(factor)?, below / common))
    }

    /// This number times a whole number, rounded to the nearest whole number, half up; `None` if it
    /// does not fit.
    pub fn times(self, factor: u128) -> Option<u128> {
        let (above, below) = self.fraction(factor)?;
        Some(above / below + u128::from(above % below >= below.div_ceil(2)))
    }

    /// This number times a whole number, rounded down; `None` if it does not fit.
    pub fn times_floor(self, factor: u128) -> Option<u128> {
        let (above, below) = self.fraction(factor)?;
        Some(above / below)
    }

    /// This number times a whole number; `None` if that is not whole, or does not fit.
    pub fn times_exact(self, factor: u128) -> Option<u128> {
        let (above, below) = self.fraction(factor)?;
        above.is_multiple_of(below).then_some(above / below)
    }

    /// This number over 10 to the power of `places`.
    pub const fn shifted(self, places: i32) -> Self {
        Self::new(self.digits, self.exponent - places)
    }

    /// Reads a number as the nearest double.
    pub(crate) fn parse_f64(text: &str) -> Result<f64, BadInput> {
        Self::parse(text).map(Self::to_f64)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::INFINITY)
    }

    /// Numerator and denominator, if both fit a word of 32 bits.
    pub fn to_fraction(self) -> Option<(u32, u32)> {
        let power = 10_u128.checked_pow(self.exponent.unsigned_abs())?;
        let (mut num, mut den) = if self.exponent >= 0 {
            (self.digits.checked_mul(power)?, 1)
        } else {
            (self.digits, power)
        };
        let common = gcd(num, den);
        (num, den) = (num / common, den / common);
        Some((u32::try_from(num).ok()?, u32::try_from(den).ok()?))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl fmt::Display for Decimal {
    /// Plain digits, never an exponent: `0.00025`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits.to_string();
        let places = self.exponent.unsigned_abs() as usize;
        if self.exponent >= 0 {
            return write!(f, "{digits}{}", "0".repeat(places));
        }
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = padded.split_at(padded.len() - places);
        write!(f, "{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_exact_where_doubles_are_not() {
        assert_eq!(decimal("0.1").times(10_000_000), Some(1_000_000));
        assert_eq!(decimal("1.000000001").times(1_000_000_000), Some(1_000_000_001));
        assert_eq!(decimal("1e-3"), decimal("0.001"));
        assert_eq!(decimal("9007199254740993").times(1), Some(9_007_199_254_740_993));
    }

    #[test]
    fn products_round_to_the_nearest_or_down() {
        assert_eq!(decimal("2.5").times(1), Some(3));
        assert_eq!(decimal("2.4").times(1), Some(2));
        assert_eq!(decimal("12.4").times(1), Some(12));
        assert_eq!(decimal("2.9").times_floor(1), Some(2));
        assert_eq!(decimal("1e-99").times(1), Some(0));
    }

    #[test]
    fn what_does_not_fit_is_not_a_number() {
        assert_eq!(decimal("1e30").times(1_000_000_000_000), None);
        assert!(Decimal::parse("1e999").is_err());
        assert!(Decimal::parse(&"9".repeat(31)).is_err());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", ".", "e5", "1e", "0x10", "1.2.3", "1,5", "-1", "inf", "NaN", "1_000"] {
            assert!(Decimal::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn printing_and_parsing_are_inverse() {
        for text in ["0", "12", "0.5", "0.00025", "1200", "30.07"] {
            assert_eq!(decimal(text).to_string(), text);
        }
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(decimal("0.85").to_fraction(), Some((17, 20)));
        assert_eq!(decimal("1e-15").to_fraction(), None);
    }
}
