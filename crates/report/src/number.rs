//! Means with their intervals as text, in a unit that suits them.

use westwood_experiment::metric::{Metric, Unit};
use westwood_experiment::stats::Estimate;

/// The unit in which a quantity is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitScale {
    pub(crate) by: f64,
    pub(crate) unit: &'static str,
}

/// The unit of times of which the largest has this size in milliseconds, to either side of zero.
pub(crate) fn time_scale(largest_ms: f64) -> UnitScale {
    match largest_ms.abs() {
        ms if ms >= 10_000.0 => UnitScale { by: 1e3, unit: "s" },
        ms if ms > 0.0 && ms < 1.0 => UnitScale { by: 1e-3, unit: "us" },
        _ => UnitScale { by: 1.0, unit: "ms" },
    }
}

/// The same of times of which the least above zero has that size: some milliseconds would be nothing in
/// seconds, so that two digits must be left of them there.
pub(crate) fn time_scale_of(least_ms: f64, largest_ms: f64) -> UnitScale {
    let scale = time_scale(largest_ms);
    let shown = |decimals: usize| (0..decimals).fold(10.0, |digits, _| digits / 10.0);
    if scale.by > 1.0 && least_ms / scale.by < shown(decimals_for(largest_ms / scale.by)) {
        return UnitScale { by: 1.0, unit: "ms" };
    }
    scale
}

/// The unit in which rates are printed, beside a link of this rate.
pub(crate) fn rate_scale(rate_bps: f64) -> UnitScale {
    match rate_bps.abs() {
        rate if rate >= 1e9 => UnitScale { by: 1e9, unit: "Gbit/s" },
        rate if rate >= 1e6 => UnitScale { by: 1e6, unit: "Mbit/s" },
        _ => UnitScale { by: 1e3, unit: "kbit/s" },
    }
}

/// The decimal places that leave three digits of the largest number, and no more than two places.
pub(crate) fn decimals_for(largest: f64) -> usize {
    match largest.abs() {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        _ => 2,
    }
}

/// The values that a quantity can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Range {
    /// Any value: that of a difference.
    pub(crate) const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Zero and more.
    pub(crate) const POSITIVE: Self = Self { low: 0.0, high: f64::INFINITY };

    /// The range of a quantity in its own unit: a share is at most one, and none is below zero but
    /// harm, where the competing flows gain.
    pub(crate) fn of(metric: Metric) -> Self {
        let is_harm = matches!(
            metric,
            Metric::Harm
                | Metric::SoloHarmRate
                | Metric::SoloHarmDelay
                | Metric::SoloHarmLoss
                | Metric::SoloHarmFct
        );
        if is_harm {
            return Self { high: 1.0, ..Self::ANY };
        }
        let whole =
            metric.unit() == Unit::Share || matches!(metric, Metric::Jain | Metric::LeastShare);
        if whole { Self { high: 1.0, ..Self::POSITIVE } } else { Self::POSITIVE }
    }

    /// That of a quantity whose least and largest value are these.
    pub(crate) const fn within((low, high): (f64, f64)) -> Self {
        Self { low, high }
    }

    /// The same in another unit.
    pub(crate) fn scaled(self, by: f64) -> Self {
        Self { low: self.low / by, high: self.high / by }
    }
}

/// The note below a table in which an interval was cut.
pub(crate) const CUT: &str = "≤ and ≥ give the end of an interval whose other end is where the quantity ends: at zero, \
     or at the whole of a share.";

/// A mean and its interval, both as `number` writes them: `9.4 ±0.3`.
///
/// An interval that is cut by what the quantity can be has no half-width: `0.1 ≤0.4` for 0 to 0.4,
/// `0.98 ≥0.91` for 0.91 to 1, and `0.5 0…1` where both ends are cut. The second value says whether
/// that was so.
pub(crate) fn interval(
    e: Estimate,
    range: Range,
    number: impl Fn(f64) -> String,
) -> (String, bool) {
    let mean = number(e.mean);
    let Some(half) = e.half_width else {
        return (mean, false);
    };
    let (low, high) = (e.mean - half, e.mean + half);
    match (low < range.low, high > range.high) {
        (false, false) => (format!("{mean} ±{}", number(half)), false),
        (true, false) => (format!("{mean} ≤{}", number(high)), true),
        (false, true) => (format!("{mean} ≥{}", number(low)), true),
        (true, true) => (format!("{mean} {}…{}", number(range.low), number(range.high)), true),
    }
}

/// The units that keep to their numbers on a page.
const UNITS: [&str; 19] = [
    "%", "s", "ms", "us", "ns", "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B", "kB", "MB", "KiB",
    "MiB", "bytes", "packet", "packets", "segment", "segments",
];

/// Prose whose numbers are not parted from their units at the end of a line.
pub(crate) fn unbroken(text: &str) -> String {
    let is_unit = |word: &str| {
        UNITS.contains(&word.trim_end_matches(|c: char| c != '%' && !c.is_alphanumeric()))
    };
    let mut whole = String::with_capacity(text.len() + 16);
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 {
            let number = whole.ends_with(|c: char| c.is_ascii_digit());
            whole.push(if number && is_unit(word) { '\u{a0}' } else { ' ' });
        }
        whole.push_str(word);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_to_its_unit_and_to_no_other_word() {
        let text = "At 3 % bbr carries 9.4 Mbit/s, 12 % more; 5 seeds, 20 s (\u{b1}0.3 ms). s 4";
        let whole = "At 3\u{a0}% bbr carries 9.4\u{a0}Mbit/s, 12\u{a0}% more; 5 seeds, \
                     20\u{a0}s (\u{b1}0.3\u{a0}ms). s 4";
        assert_eq!(unbroken(text), whole);
        assert_eq!(unbroken("4  s 5 sent"), "4  s 5 sent");
    }

    fn text(mean: f64, half: Option<f64>, range: Range) -> String {
        interval(Estimate { mean, half_width: half }, range, |x| format!("{x:.1}")).0
    }

    #[test]
    fn a_quantity_ends_at_zero_and_a_share_at_its_whole() {
        let ends = |metric: Metric| {
            let Range { low, high } = Range::of(metric);
            [low, high].map(|end| end.is_finite().then_some(end))
        };
        for metric in [Metric::Utilization, Metric::Jain, Metric::LeastShare] {
            assert_eq!(ends(metric), [Some(0.0), Some(1.0)], "{metric:?}");
        }
        // A competing flow may have more than the mean of all.
        for metric in [Metric::Goodput, Metric::LeastCompetingShare] {
            assert_eq!(ends(metric), [Some(0.0), None], "{metric:?}");
        }
        for metric in [Metric::Harm, Metric::SoloHarmFct] {
            assert_eq!(ends(metric), [None, Some(1.0)], "{metric:?}");
        }
    }

    #[test]
    fn harm_may_be_below_zero() {
        let e = Estimate { mean: -0.2, half_width: Some(0.1) };
        let (text, cut) = interval(e, Range::of(Metric::Harm), |x| format!("{x:.1}"));
        assert_eq!((text.as_str(), cut), ("-0.2 ±0.1", false));
    }

    #[test]
    fn an_interval_never_reaches_beyond_what_there_can_be() {
        let share = Range::of(Metric::Utilization).scaled(0.01);
        assert_eq!(text(0.1, Some(0.1), Range::POSITIVE), "0.1 ±0.1");
        assert_eq!(text(0.1, Some(0.3), Range::POSITIVE), "0.1 ≤0.4");
        assert_eq!(text(98.0, Some(3.0), share), "98.0 ≥95.0");
        assert_eq!(text(50.0, Some(80.0), share), "50.0 0.0…100.0");
        assert_eq!(text(-2.0, Some(3.0), Range::ANY), "-2.0 ±3.0");
        assert_eq!(text(0.1, None, Range::POSITIVE), "0.1");
    }

    #[test]
    fn times_that_would_be_nothing_in_seconds_are_printed_in_milliseconds() {
        for (least, largest, unit) in [
            (45.0, 12_300.0, "ms"),
            (999.0, 12_300.0, "ms"),
            (1_000.0, 12_300.0, "s"),
            // No decimal is left.
            (1_000.0, 123_000.0, "ms"),
            (10_000.0, 123_000.0, "s"),
            (f64::MAX, 0.0, "ms"),
            (0.3, 0.5, "us"),
            (0.3, 9_999.0, "ms"),
        ] {
            assert_eq!(time_scale_of(least, largest).unit, unit, "{least} to {largest}");
        }
    }

    #[test]
    fn times_have_a_unit_that_suits_them_on_both_sides_of_zero() {
        for (ms, unit) in [
            (-67_803.0, "s"),
            (67_803.0, "s"),
            (9_999.0, "ms"),
            (-1.0, "ms"),
            (-0.5, "us"),
            (0.0, "ms"),
        ] {
            assert_eq!(time_scale(ms).unit, unit, "{ms}");
        }
    }
}
