//! An axis whose steps may be ratios, with or without zero, and the labels below a horizontal one.

use super::frame::{
    Anchor, Area, TEXT, TextLabel, WIDTH, X_AXIS, fitting, hair, text_width, x_name,
};
use crate::markup::Markup;
use crate::scale::{Scale, Steps, plain};

/// An axis on which values stand by differences, by ratios, or by ratios around zero.
pub(super) struct Axis {
    scale: Scale,
    steps: Steps,
    low: f64,
    high: f64,
}

impl Axis {
    pub(super) fn new((low, high): (f64, f64), steps: Steps, from: f64, to: f64) -> Self {
        let scale = Scale::new(steps.place(low), steps.place(high), from, to);
        Self { scale, steps, low, high }
    }

    /// The place of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        self.scale.at(self.steps.place(value))
    }

    /// The place of a value that may lie beyond the axis: at its end.
    pub(super) fn within(&self, value: f64) -> f64 {
        let (a, b) = (self.scale.from.min(self.scale.to), self.scale.from.max(self.scale.to));
        self.at(value).clamp(a, b)
    }

    /// Whether a value has a place.
    pub(super) fn has(&self, value: f64) -> bool {
        value.is_finite() && (self.steps != Steps::Ratios || value > 0.0)
    }

    /// The axis' length in its own steps.
    pub(super) fn length(&self) -> f64 {
        self.scale.high - self.scale.low
    }

    /// The breaks between zero and the decades, which are not to their scale.
    pub(super) fn breaks(&self) -> Vec<f64> {
        let Steps::AroundZero { .. } = self.steps else { return Vec::new() };
        let (a, b) = (self.scale.from.min(self.scale.to), self.scale.from.max(self.scale.to));
        [-0.5, 0.5]
            .map(|place| self.scale.at(place))
            .into_iter()
            .filter(|x| (a..b).contains(x))
            .collect()
    }

    /// Numbers to stand at it. By ratios they are powers of ten, with 2 and 5 times them where there
    /// are few, and zero where it is on the axis.
    #[expect(clippy::cast_possible_truncation, reason = "exponents of what is measured")]
    pub(super) fn ticks(&self, wanted: f64) -> Vec<(f64, String)> {
        let (least, most) = match self.steps {
            Steps::Differences => return self.scale.ticks(wanted),
            Steps::Ratios => (self.low, self.high),
            Steps::AroundZero { least } => (least, self.low.abs().max(self.high.abs())),
        };
        let (from, to) = (least.log10().floor() as i32, most.log10().ceil() as i32);
        let fine = to - from <= 3 && self.steps == Steps::Ratios;
        let steps: &[f64] = if fine { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers: Vec<f64> =
            (from..=to).flat_map(|e| steps.iter().map(move |s| s * 10_f64.powi(e))).collect();
        let mirrored = powers.iter().rev().map(|x| -x);
        let all = mirrored.chain([0.0]).chain(powers.iter().copied());
        let near = 1e-9 * self.length();
        let within = |x: &f64| {
            let small = x.abs() < least * (1.0 - 1e-9) && *x != 0.0;
            let place = self.steps.place(*x);
            self.has(*x)
                && !small
                && (self.scale.low - near..=self.scale.high + near).contains(&place)
        };
        all.filter(within).map(|x| (x, number(x))).collect()
    }
}

/// A number as it stands at an axis of ratios.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) { plain(x) } else { format!("{x:.0e}") }
}

/// A number below an axis: where it belongs, and how it is written.
pub(super) type Mark = (f64, String);

/// A label below an axis: its place in the order of the marks, its row, and its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    mark: usize,
    row: usize,
    x: f64,
}

/// From row to row of labels.
const ROW: f64 = TEXT + 2.0;

/// Draws a horizontal axis on which every mark has its label, in further rows where one would touch
/// another; answers its height below the area.
pub(super) fn every(
    body: &mut Markup,
    area: Area,
    marks: &[Mark],
    breaks: &[f64],
    name: &str,
) -> f64 {
    hair(body, "axis", (area.left, area.bottom), (area.right, area.bottom));
    for x in breaks {
        for at in [x - 1.2, x + 1.2] {
            hair(body, "axis", (at - 1.0, area.bottom + 2.5), (at + 1.0, area.bottom - 2.5));
        }
    }
    let marks: Vec<Mark> =
        marks.iter().map(|(x, text)| (*x, fitting(text, WIDTH / 3.0, TEXT))).collect();
    let mut below = 0.0_f64;
    for label in labels(&marks) {
        let (x, text) = &marks[label.mark];
        #[expect(clippy::cast_precision_loss, reason = "a few rows")]
        let down = label.row as f64 * ROW;
        hair(body, "axis", (*x, area.bottom), (*x, area.bottom + 2.5 + down));
        let words = TextLabel::new(text).anchor(Anchor::Middle);
        words.at(body, label.x, area.bottom + 3.5 + TEXT + down);
        below = below.max(down);
    }
    x_name(body, f64::midpoint(area.left, area.right), area.bottom + below, name);
    below + X_AXIS
}

/// A place for each label: in the first row where it stands clear of the one before it.
fn labels(marks: &[Mark]) -> Vec<Label> {
    let mut order: Vec<usize> = (0..marks.len()).collect();
    order.sort_by(|a, b| marks[*a].0.total_cmp(&marks[*b].0));
    let mut ends: Vec<f64> = Vec::new();
    order
        .into_iter()
        .map(|mark| {
            let (x, text) = &marks[mark];
            let half = text_width(text, TEXT) / 2.0;
            let x = x.min(WIDTH - half).max(half);
            let free = ends.iter().position(|end| x - half >= *end);
            let row = free.unwrap_or(ends.len());
            ends.resize(ends.len().max(row + 1), 0.0);
            ends[row] = x + half + 3.0;
            Label { mark, row, x }
        })
        .collect()
}

/// Draws a horizontal axis with those of its marks that do not touch the one before; answers its
/// height below the area.
pub(super) fn some(body: &mut Markup, area: Area, marks: &[Mark], name: &str) -> f64 {
    hair(body, "axis", (area.left, area.bottom), (area.right, area.bottom));
    let mut taken = 0.0;
    for (at, text) in marks {
        hair(body, "axis", (*at, area.bottom), (*at, area.bottom + 2.5));
        let text = fitting(text, WIDTH / 3.0, TEXT);
        let half = text_width(&text, TEXT) / 2.0;
        let middle = at.min(WIDTH - half);
        if middle - half >= taken {
            TextLabel::new(&text).anchor(Anchor::Middle).at(body, middle, area.bottom + 3.5 + TEXT);
            taken = middle + half + 3.0;
        }
    }
    x_name(body, f64::midpoint(area.left, area.right), area.bottom, name);
    X_AXIS
}

/// Numbers of a horizontal axis, its line, and its name below.
pub(super) fn x_axis(body: &mut Markup, area: Area, scale: &Scale, ticks: f64, name: &str) {
    let ticks = scale.ticks(ticks).into_iter();
    let marks: Vec<Mark> = ticks.map(|(value, text)| (scale.at(value), text)).collect();
    some(body, area, &marks, name);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks(5.0).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn factors_are_evenly_spaced_and_what_has_no_logarithm_has_no_place() {
        let axis = Axis::new((1.0, 100.0), Steps::Ratios, 0.0, 100.0);
        assert!((axis.at(10.0) - 50.0).abs() < 1e-9);
        assert!(!axis.has(0.0) && !axis.has(f64::NAN));
        assert_eq!(texts(&axis), ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn zero_and_decades_have_numbers_and_the_axis_is_broken_between_them() {
        let axis = Axis::new((0.0, 1.0), Steps::AroundZero { least: 0.01 }, 0.0, 90.0);
        assert!(axis.has(0.0));
        for (value, x) in [(0.0, 0.0), (0.01, 30.0), (0.1, 60.0), (1.0, 90.0)] {
            assert!((axis.at(value) - x).abs() < 1e-9, "{value}: {}", axis.at(value));
        }
        assert_eq!(texts(&axis), ["0", "0.01", "0.1", "1"]);
        assert_eq!(axis.breaks(), [15.0]);
        let both = Axis::new((-10.0, 10.0), Steps::AroundZero { least: 0.1 }, 0.0, 60.0);
        assert_eq!(both.breaks().len(), 2);
        assert_eq!(texts(&both), ["−10", "−1", "−0.1", "0", "0.1", "1", "10"]);
    }

    #[test]
    fn numbers_that_would_touch_the_one_before_are_left_out() {
        let mut body = Markup::new();
        let area = Area { left: 0.0, right: WIDTH, top: 0.0, bottom: 10.0 };
        let marks = [(100.0, "8000"), (225.0, "10 000"), (250.0, "12 000")];
        let marks = marks.map(|(x, text)| (x, text.to_owned()));
        some(&mut body, area, &marks, "slowest (ms)");
        let text = body.into_text();
        assert!(text.contains(">8000<") && text.contains(">10 000<"), "{text}");
        assert!(!text.contains("12 000"), "{text}");
    }

    #[test]
    fn every_mark_has_a_label_that_touches_no_other() {
        let marks: Vec<Mark> = (0..15)
            .map(|i| (8.0 + 0.007 * f64::from(i * i * i), format!("{i}.001 Mbit/s")))
            .collect();
        let labels = labels(&marks);
        assert_eq!(labels.len(), marks.len());
        let half = |label: &Label| text_width(&marks[label.mark].1, TEXT) / 2.0;
        for (i, a) in labels.iter().enumerate() {
            assert!(a.x >= half(a) && a.x + half(a) <= WIDTH, "{a:?}");
            for b in labels.iter().skip(i + 1).filter(|b| b.row == a.row) {
                assert!((a.x - b.x).abs() >= half(a) + half(b), "{a:?} {b:?}");
            }
        }
    }
}
