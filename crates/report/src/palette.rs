//! Colours, dashes and marks: whoever is compared differs from the others in all three.
//!
//! The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008), without their
//! yellow, which white paper swallows, and with an olive in its place. `report.css` has the same
//! colours for light paper and lighter ones for dark paper.

use crate::markup::coordinate;

/// Colours on light paper.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#999933"];

/// Dash patterns; their number shares no factor with that of the colours, so that pairs repeat late.
const DASHES: [&str; 7] =
    ["", "6 2", "2 1.6", "7 2 1.6 2", "3.5 1.6", "10 2", "7 1.6 1.6 1.6 1.6 1.6"];

/// The class that gives the `i`th of those compared its colour.
pub(crate) fn class(i: usize) -> String {
    format!("c{} k{i}", i % COLOURS.len())
}

/// The `i`th one's colour on light paper.
pub(crate) fn colour(i: usize) -> &'static str {
    COLOURS[i % COLOURS.len()]
}

/// The `i`th one's dashes, as SVG has them; empty for a whole line.
pub(crate) fn dash(i: usize) -> &'static str {
    DASHES[i % DASHES.len()]
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Cross,
}

/// The `i`th one's mark.
pub(crate) fn mark(i: usize) -> Mark {
    const MARKS: [Mark; 6] =
        [Mark::Circle, Mark::Square, Mark::Up, Mark::Diamond, Mark::Down, Mark::Cross];
    MARKS[i % MARKS.len()]
}

impl Mark {
    /// Its outline around a point, as the data of an SVG path; `size` is the radius of the circle
    /// with about the same area.
    pub(crate) fn outline(self, x: f64, y: f64, size: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let mut path = String::new();
            for (i, (dx, dy)) in corners.iter().enumerate() {
                path.push(if i == 0 { 'M' } else { 'L' });
                path.push_str(&coordinate(x + dx * size));
                path.push(' ');
                path.push_str(&coordinate(y + dy * size));
            }
            path + "Z"
        };
        match self {
            Self::Circle => {
                let (radius, across) = (coordinate(size), coordinate(2.0 * size));
                let arc = format!("a{radius} {radius} 0 1 0");
                let place = format!("M{} {}", coordinate(x), coordinate(y));
                format!("{place}m-{radius} 0{arc} {across} 0{arc} -{across} 0Z")
            }
            Self::Square => polygon(&[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)]),
            Self::Up => polygon(&[(0.0, -1.3), (1.2, 0.8), (-1.2, 0.8)]),
            Self::Diamond => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
            Self::Down => polygon(&[(0.0, 1.3), (1.2, -0.8), (-1.2, -0.8)]),
            Self::Cross => polygon(&[
                (-0.35, -1.2),
                (0.35, -1.2),
                (0.35, -0.35),
                (1.2, -0.35),
                (1.2, 0.35),
                (0.35, 0.35),
                (0.35, 1.2),
                (-0.35, 1.2),
                (-0.35, 0.35),
                (-1.2, 0.35),
                (-1.2, -0.35),
                (-0.35, -0.35),
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_twenty_four_share_colour_and_dash_or_colour_and_mark() {
        for i in 0..24 {
            for j in 0..i {
                assert_ne!((colour(i), dash(i)), (colour(j), dash(j)), "{i} {j}");
                assert_ne!((colour(i), mark(i)), (colour(j), mark(j)), "{i} {j}");
            }
        }
    }

    #[test]
    fn the_style_sheet_has_the_same_colours() {
        let sheet = include_str!("../assets/report.css");
        for (i, colour) in COLOURS.iter().enumerate() {
            assert!(sheet.contains(&format!("--c{i}: {colour}")), "--c{i}: {colour}");
        }
    }
}
