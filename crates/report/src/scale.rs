//! Axes: which numbers stand at them and how they are written.

/// An axis from a value to a value, drawn from a coordinate to a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Scale {
    /// An axis. One without extent is given some.
    pub(crate) fn new(low: f64, high: f64, from: f64, to: f64) -> Self {
        let (low, high) = if high > low { (low, high) } else { (low, low + 1.0) };
        Self { low, high, from, to }
    }

    /// The place of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let place = (value - self.low) / (self.high - self.low);
        self.from + place.clamp(-0.5, 1.5) * (self.to - self.from)
    }

    /// The numbers to stand at the axis, about `wanted` of them, each as it is written.
    #[expect(clippy::cast_possible_truncation, reason = "a few dozen ticks at most")]
    pub(crate) fn ticks(&self, wanted: f64) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / wanted.max(1.0));
        let places = decimals(step);
        let first = (self.low / step - 1e-6).ceil() as i64;
        let last = (self.high / step + 1e-6).floor() as i64;
        (first..=last.min(first.saturating_add(50)))
            .map(|i| {
                #[expect(clippy::cast_precision_loss, reason = "the number of a tick")]
                let value = i as f64 * step;
                (value, written(value, places))
            })
            .collect()
    }
}

/// The steps between the values of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Steps {
    /// Equal differences are equally long.
    Differences,
    /// Equal ratios are equally long.
    Ratios,
    /// Zero and decades (symlog): equal ratios from `least` on, to both sides of zero; from zero to
    /// `least` it is as far as a factor of ten.
    AroundZero {
        /// The smallest value that is not zero, without its sign.
        least: f64,
    },
}

impl Steps {
    /// The steps that suit these values. Over more than a factor of 20 equal differences would
    /// crowd the small ones.
    pub(crate) fn of(values: &[f64]) -> Self {
        const FAR: f64 = 20.0;
        let (least, most) = sizes(values);
        if most <= FAR * least { Self::Differences } else { Self::by_ratios(values) }
    }

    /// Ratios, around zero where one of these values has no logarithm.
    pub(crate) fn by_ratios(values: &[f64]) -> Self {
        let (least, most) = sizes(values);
        let whole = values.iter().all(|v| *v > 0.0 || !v.is_finite());
        if whole || most <= 0.0 { Self::Ratios } else { Self::AroundZero { least } }
    }

    /// The length from the axis' origin to a value, in decades where ratios count.
    pub(crate) fn place(self, value: f64) -> f64 {
        match self {
            Self::Differences => value,
            Self::Ratios => value.log10(),
            Self::AroundZero { least } if value.abs() <= least => value / least,
            Self::AroundZero { least } => value.signum() * (1.0 + (value.abs() / least).log10()),
        }
    }
}

/// The least and the largest of these values that are not zero, without their signs.
fn sizes(values: &[f64]) -> (f64, f64) {
    let sizes = || values.iter().map(|v| v.abs()).filter(|v| v.is_finite() && *v > 0.0);
    (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max))
}

/// The least round number at or above a value that leaves a little room.
pub(crate) fn round_above(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let step = round_step(value / 4.0);
    (value / step - 1e-9).ceil() * step
}

/// The highest value that counts for an axis of these curves; zero of none. The tallest of several is cut
/// where the next one ends, or at what it exceeds in a twentieth of its values, if that is higher: a burst
/// does not flatten the others. It is cut only where at least half of its height goes. A curve alone has
/// all its room.
pub(crate) fn tallest(curves: impl Iterator<Item = Vec<f64>>) -> f64 {
    let highest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let mut tops: Vec<(f64, Vec<f64>)> = curves.map(|values| (highest(&values), values)).collect();
    tops.sort_by(|a, b| b.0.total_cmp(&a.0));
    match &mut tops[..] {
        [] => 0.0,
        [(top, _)] => *top,
        [(top, values), (next, _), ..] => {
            values.sort_by(f64::total_cmp);
            let seldom = values.get(values.len() * 19 / 20).copied().unwrap_or(0.0);
            let enough = next.max(seldom);
            if *top > 2.0 * enough { enough } else { *top }
        }
    }
}

/// 1, 2 or 5 times a power of ten, near a value above zero.
pub(crate) fn round_step(near: f64) -> f64 {
    let power = 10_f64.powf(near.log10().floor());
    match near / power {
        x if x < 1.5 => power,
        x if x < 3.5 => 2.0 * power,
        x if x < 7.5 => 5.0 * power,
        _ => 10.0 * power,
    }
}

/// Decimal places that a step needs.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
fn decimals(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize
}

/// A number with so many decimal places, its thousands set apart by a narrow space.
pub(crate) fn written(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("\u{2212}", rest),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

/// A number with three digits that mean something, as short as possible.
pub(crate) fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let size = value.abs().log10().floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
    let places = (2.0 - size).clamp(0.0, 9.0) as usize;
    let text = written(value, places);
    if places == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, wanted: f64) -> Vec<String> {
        Scale::new(low, high, 0.0, 1.0).ticks(wanted).into_iter().map(|(_, l)| l).collect()
    }

    #[test]
    fn ticks_are_round_and_written_alike() {
        assert_eq!(labels(0.0, 30.0, 6.0), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(labels(0.0, 1.0, 4.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.0, 0.003, 3.0), ["0.000", "0.001", "0.002", "0.003"]);
        assert_eq!(labels(0.0, 25_000.0, 3.0), ["0", "10\u{202f}000", "20\u{202f}000"]);
    }

    #[test]
    fn an_axis_without_extent_still_has_one() {
        assert!(Scale::new(3.0, 3.0, 0.0, 10.0).at(3.0).is_finite());
        assert!(!labels(0.0, 0.0, 4.0).is_empty());
    }

    #[test]
    fn zero_and_decades_stand_at_equal_distances_on_both_sides() {
        let values = [0.0, 0.01, 0.1, 1.0];
        let steps = Steps::of(&values);
        assert_eq!(steps, Steps::AroundZero { least: 0.01 });
        for (value, place) in values.into_iter().zip([0.0, 1.0, 2.0, 3.0]) {
            assert!((steps.place(value) - place).abs() < 1e-9, "{value}");
            assert!((steps.place(-value) + place).abs() < 1e-9, "{value}");
        }
        // Between zero and the least value it is a straight line, which meets the decades there.
        assert!((steps.place(0.005) - 0.5).abs() < 1e-9);
        assert!(steps.place(0.010_001) - steps.place(0.009_999) < 1e-3);
    }

    #[test]
    fn an_axis_goes_by_ratios_only_where_its_values_reach_far() {
        assert_eq!(Steps::of(&[0.0, 5.0, 10.0]), Steps::Differences);
        assert_eq!(Steps::of(&[0.0, 100.0]), Steps::Differences);
        assert_eq!(Steps::of(&[0.0, 0.0]), Steps::Differences);
        assert_eq!(Steps::of(&[1.0, 10.0, 100.0]), Steps::Ratios);
        assert_eq!(Steps::of(&[-1.0, 100.0]), Steps::AroundZero { least: 1.0 });
        assert_eq!(Steps::by_ratios(&[1.0, 2.0, f64::NAN]), Steps::Ratios);
        assert_eq!(Steps::by_ratios(&[0.0, 1.0, 2.0]), Steps::AroundZero { least: 1.0 });
        assert_eq!(Steps::by_ratios(&[0.0]), Steps::Ratios, "nothing has a place");
    }

    #[test]
    fn the_top_of_an_axis_is_round_and_not_below_the_data() {
        for (value, top) in [(9.7, 10.0), (10.0, 10.0), (83.0, 100.0), (0.0, 1.0), (105.0, 120.0)] {
            assert!((round_above(value) - top).abs() < 1e-9, "{value} {}", round_above(value));
        }
    }

    #[test]
    fn numbers_are_as_short_as_three_digits_allow() {
        for (value, text) in [(0.5, "0.5"), (12.0, "12"), (0.00125, "0.00125"), (1234.5, "1234")] {
            assert_eq!(plain(value), text);
        }
        assert_eq!(plain(-0.25), "\u{2212}0.25");
    }
}
