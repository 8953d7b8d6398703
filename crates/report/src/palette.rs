//! Colours, dashes and marks: variants differ from one another in all three.
//!
//! The colours come from those of M. Okabe and K. Ito, "Color Universal Design" (2008), with an olive
//! in the place of their yellow, moved until any two of them are told apart without green cones and
//! every one of them has the contrast of 3 to 1 that WCAG 2.1 (1.4.11) asks of a graphic. `report.css`
//! has the same colours for light paper and others for dark paper.

use crate::markup::coordinate;

/// Colours on light paper.
const COLOURS: [&str; 8] =
    ["#0751a5", "#a32d00", "#026840", "#b85495", "#c97700", "#1b93c8", "#19201e", "#888d53"];

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
pub(crate) enum MarkShape {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Cross,
}

/// The `i`th one's mark.
pub(crate) fn mark(i: usize) -> MarkShape {
    const MARKS: [MarkShape; 6] = [
        MarkShape::Circle,
        MarkShape::Square,
        MarkShape::Up,
        MarkShape::Diamond,
        MarkShape::Down,
        MarkShape::Cross,
    ];
    MARKS[i % MARKS.len()]
}

impl MarkShape {
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

    /// Red, green and blue as light, from 0 to 1 (IEC 61966-2-1).
    type Light = [f64; 3];

    fn light(colour: &str) -> Light {
        [1, 3, 5].map(|at| {
            let part = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn mixed(rows: [[f64; 3]; 3], light: Light) -> [f64; 3] {
        rows.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum())
    }

    /// A colour as seen without green cones: G. Machado and others, "A Physiologically-based Model
    /// for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, deuteranomaly of severity
    /// 1.
    fn without_green_cones(light: Light) -> Light {
        let seen = mixed(
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
            light,
        );
        seen.map(|part| part.clamp(0.0, 1.0))
    }

    /// Lightness and the two opponent colours (CIE 1976, white D65).
    fn lab(light: Light) -> [f64; 3] {
        let xyz = mixed(
            [
                [0.412_456, 0.357_576, 0.180_438],
                [0.212_673, 0.715_152, 0.072_175],
                [0.019_334, 0.119_192, 0.950_304],
            ],
            light,
        );
        let root = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z] = [root(xyz[0] / 0.950_47), root(xyz[1]), root(xyz[2] / 1.088_83)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(a: Light, b: Light) -> f64 {
        let parts = lab(a).into_iter().zip(lab(b));
        parts.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// The ratio of WCAG 2.1.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let [r, g, b] = light(colour);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The values of a variable of the style sheet: on light paper, then on dark paper.
    fn variable(name: &str) -> Vec<String> {
        let sheet = include_str!("../assets/report.css");
        let name = format!("--{name}: ");
        sheet.split(&name).skip(1).map(|rest| rest[..7].to_owned()).collect()
    }

    /// The colours of a theme.
    fn colours(theme: usize) -> Vec<String> {
        (0..COLOURS.len()).map(|i| variable(&format!("c{i}"))[theme].clone()).collect()
    }

    #[test]
    fn the_dark_colours_are_the_same_by_choice_and_by_the_systems_wish() {
        for i in 0..COLOURS.len() {
            let all = variable(&format!("c{i}"));
            assert_eq!(all.len(), 3);
            assert_eq!(all[1], all[2]);
        }
    }

    #[test]
    fn every_two_colours_are_told_apart_with_and_without_green_cones() {
        // A difference of 2.3 is just noticed side by side; thin lines apart from each other need more.
        const APART: f64 = 20.0;
        const APART_WITH_ALL_CONES: f64 = 30.0;
        for theme in [0, 1] {
            let colours = colours(theme);
            for (i, a) in colours.iter().enumerate() {
                for b in &colours[..i] {
                    let (x, y) = (light(a), light(b));
                    let seen = distance(without_green_cones(x), without_green_cones(y));
                    assert!(seen >= APART, "{a} {b}: {seen}");
                    assert!(distance(x, y) >= APART_WITH_ALL_CONES, "{a} {b}: {}", distance(x, y));
                }
            }
        }
    }

    #[test]
    fn every_colour_has_a_contrast_of_three_to_one_against_every_background() {
        for theme in [0, 1] {
            for background in ["paper", "sheet", "veil"] {
                let background = &variable(background)[theme];
                for colour in colours(theme) {
                    let ratio = contrast(&colour, background);
                    assert!(ratio >= 3.0, "{colour} on {background}: {ratio}");
                }
            }
        }
    }

    #[test]
    fn distance_and_contrast_are_those_of_the_standards() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        assert!((distance(light("#000000"), light("#ffffff")) - 100.0).abs() < 0.1);
        // Red and green of equal lightness are far apart for those who have green cones.
        let (red, green) = (light("#c05000"), light("#6f7f00"));
        let seen = distance(without_green_cones(red), without_green_cones(green));
        assert!(seen < 15.0 && distance(red, green) > 50.0, "{seen} {}", distance(red, green));
    }

    #[test]
    fn charts_of_the_page_have_the_same_dashes_and_marks() {
        let charts = include_str!("../../../web/src/charts/palette.ts");
        let dashes = DASHES.map(|dash| format!("\"{dash}\"")).join(", ");
        assert!(charts.contains(&format!("[{dashes}]")), "{dashes}");
        let marks = charts.split_once("const MARKS").unwrap().1;
        let marks = marks.split_once("= [").unwrap().1.split_once("];").unwrap().0;
        let numbers = marks.split(|c: char| !(c.is_ascii_digit() || "-.".contains(c)));
        let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
        let mut corners = numbers.chunks(2);
        for i in 1..6 {
            let outline = mark(i).outline(0.0, 0.0, 1.0);
            for corner in outline.trim_matches(['M', 'Z']).split('L') {
                let [x, y] = corners.next().unwrap() else { panic!("a corner has two numbers") };
                assert_eq!(format!("{} {}", coordinate(*x), coordinate(*y)), corner, "mark {i}");
            }
        }
        assert!(corners.next().is_none());
    }
}
