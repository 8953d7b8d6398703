//! The paper's value, and the values of ours that are accepted as the same.

use std::cmp::Ordering;

use westwood_scenario::BadInput;

/// A number or a range of a paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// A number.
    Number(f64),
    /// From one number to another.
    Range(f64, f64),
}

/// Numbers that are accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accept {
    /// The least.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// True if the ends do not count.
    pub open: bool,
}

/// The distance from the paper that a number may have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClaimTolerance {
    /// Relative to the number.
    pub rel: Option<f64>,
    /// In its own unit.
    pub abs: Option<f64>,
    /// As a factor.
    pub factor: Option<f64>,
    /// The least that is accepted.
    pub low: Option<f64>,
    /// The most that is accepted.
    pub high: Option<f64>,
    /// The relative distance that an order must keep.
    pub margin: Option<f64>,
}

/// The order of a bound and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundOrder {
    /// Below it.
    Less,
    /// Below or at it.
    AtMost,
    /// Above it.
    Greater,
    /// Above or at it.
    AtLeast,
}

impl Expected {
    /// The least and the largest number.
    pub(crate) const fn ends(self) -> (f64, f64) {
        match self {
            Self::Number(x) => (x, x),
            Self::Range(low, high) => (low, high),
        }
    }

    /// Reads `0.91 to 1.1`.
    pub(super) fn range(text: &str) -> Result<Self, BadInput> {
        let wrong = || {
            let what = format!("'{text}' is no number and no range");
            BadInput::new(what).hint("write 0.9 or \"0.9 to 1.1\"")
        };
        let (low, high) = text.split_once(" to ").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low < high => Ok(Self::Range(low, high)),
            _ => Err(wrong()),
        }
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Range(low, high) => write!(f, "{low} to {high}"),
        }
    }
}

impl ClaimTolerance {
    /// A number moved down and up by the tolerance.
    fn around(&self, low: f64, high: f64) -> (f64, f64) {
        if let Some(rel) = self.rel {
            return (low - low.abs() * rel, high + high.abs() * rel);
        }
        if let Some(abs) = self.abs {
            return (low - abs, high + abs);
        }
        if let Some(factor) = self.factor {
            return (low / factor, high * factor);
        }
        (low, high)
    }

    /// The values accepted as equal to a number or a range.
    pub(super) fn near(&self, expected: Option<Expected>) -> Option<Accept> {
        if self.low.is_some() || self.high.is_some() {
            let low = self.low.unwrap_or(f64::NEG_INFINITY);
            return Some(Accept { low, high: self.high.unwrap_or(f64::INFINITY), open: false });
        }
        let (low, high) = expected?.ends();
        let (low, high) = self.around(low, high);
        Some(Accept { low, high, open: false })
    }

    /// The values accepted as within a bound, the tolerance on the permissive side.
    pub(super) fn bound(&self, compared: BoundOrder, bound: f64) -> Accept {
        let (low, high) = self.around(bound, bound);
        let open = matches!(compared, BoundOrder::Less | BoundOrder::Greater);
        match compared {
            BoundOrder::Less | BoundOrder::AtMost => Accept { low: f64::NEG_INFINITY, high, open },
            BoundOrder::Greater | BoundOrder::AtLeast => Accept { low, high: f64::INFINITY, open },
        }
    }

    /// The ratios accepted as the larger one over the smaller one.
    pub(super) fn order(&self) -> Accept {
        let margin = self.margin.unwrap_or(0.0);
        Accept { low: 1.0 + margin, high: f64::INFINITY, open: margin == 0.0 }
    }
}

impl Accept {
    /// True if a number is accepted. An end that is infinite is none: an infinite number counts.
    pub fn holds(&self, x: f64) -> bool {
        let excludes = |end: f64| {
            self.open && end.is_finite() && x.partial_cmp(&end).is_some_and(Ordering::is_eq)
        };
        (self.low..=self.high).contains(&x) && !excludes(self.low) && !excludes(self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_widens_both_ends_of_a_range_and_one_side_of_a_bound() {
        let abs = ClaimTolerance { abs: Some(0.1), ..ClaimTolerance::default() };
        let range = abs.near(Expected::range("1.1 to 1.5").ok()).unwrap();
        assert!(range.holds(1.0) && range.holds(1.6) && !range.holds(1.61));
        let bound = abs.bound(BoundOrder::Less, 0.2);
        assert!(bound.holds(-5.0) && bound.holds(0.29) && !bound.holds(0.31));
        let factor = ClaimTolerance { factor: Some(5.0), ..ClaimTolerance::default() };
        assert!(factor.bound(BoundOrder::AtLeast, 20.0).holds(4.0));
        assert!(!factor.bound(BoundOrder::AtLeast, 20.0).holds(3.9));
    }

    fn ends(accept: Accept) -> (f64, f64, bool) {
        (accept.low, accept.high, accept.open)
    }

    #[test]
    fn a_tolerance_is_relative_absolute_or_a_factor() {
        let of =
            |tolerance: ClaimTolerance, x| ends(tolerance.near(Some(Expected::Number(x))).unwrap());
        let rel = ClaimTolerance { rel: Some(0.25), ..ClaimTolerance::default() };
        assert_eq!([of(rel, 8.0), of(rel, -8.0)], [(6.0, 10.0, false), (-10.0, -6.0, false)]);
        let abs = ClaimTolerance { abs: Some(0.25), ..ClaimTolerance::default() };
        assert_eq!([of(abs, 8.0), of(abs, -8.0)], [(7.75, 8.25, false), (-8.25, -7.75, false)]);
        let factor = ClaimTolerance { factor: Some(4.0), ..ClaimTolerance::default() };
        assert_eq!(of(factor, 8.0), (2.0, 32.0, false));
        assert_eq!(of(ClaimTolerance::default(), 8.0), (8.0, 8.0, false));
    }

    #[test]
    fn ends_that_a_claim_names_take_the_place_of_its_number_and_count() {
        let of = |low, high| {
            let tolerance =
                ClaimTolerance { low, high, rel: Some(0.5), ..ClaimTolerance::default() };
            ends(tolerance.near(Some(Expected::Number(100.0))).unwrap())
        };
        assert_eq!(of(Some(1.0), Some(2.0)), (1.0, 2.0, false));
        assert_eq!(of(Some(1.0), None), (1.0, f64::INFINITY, false));
        assert_eq!(of(None, Some(2.0)), (f64::NEG_INFINITY, 2.0, false));
        assert_eq!(ClaimTolerance::default().near(None), None);
    }

    #[test]
    fn a_bound_itself_is_at_most_and_at_least_itself_and_neither_less_nor_greater() {
        let holds = |order| ClaimTolerance::default().bound(order, 2.0).holds(2.0);
        assert!(holds(BoundOrder::AtMost) && holds(BoundOrder::AtLeast));
        assert!(!holds(BoundOrder::Less) && !holds(BoundOrder::Greater));
    }

    #[test]
    fn a_range_has_two_finite_ends_the_lower_first() {
        let range = Expected::range("0.5 to 1.25").unwrap();
        assert_eq!((range.ends(), range.to_string()), ((0.5, 1.25), "0.5 to 1.25".to_owned()));
        for text in ["1 to 1", "2 to 1", "1 to inf", "-inf to 1", "NaN to 1", "1", "1 to", "a to b"]
        {
            assert!(Expected::range(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_order_without_a_margin_is_strict_and_one_with_a_negative_margin_allows_ties() {
        let order =
            |margin| ClaimTolerance { margin: Some(margin), ..ClaimTolerance::default() }.order();
        assert!(!order(0.0).holds(1.0) && order(0.0).holds(1.0 + 1e-9));
        assert!(order(0.0).holds(f64::INFINITY));
        assert_eq!(ends(ClaimTolerance::default().order()), ends(order(0.0)));
        assert!(order(-0.01).holds(0.995) && !order(0.3).holds(1.2));
    }

    #[test]
    fn what_is_no_number_is_never_accepted() {
        let all = Accept { low: f64::NEG_INFINITY, high: f64::INFINITY, open: false };
        assert!(!all.holds(f64::NAN));
    }
}
