//! Windows over time, in braille: two dots wide and four dots high a character.

use westwood_cc::Instant;
use westwood_experiment::run::{Curves, RunSeries};

use crate::scale::tallest;
use crate::style::Style;
use crate::table::{shortened, wrapped};

const ROWS: usize = 4;
/// Room for the scale at the left: `12345┤`.
const AXIS: usize = 6;
const GAP: usize = 2;

/// The window of the first flow of each controller with the first seed, all to one scale, two beside
/// each other where the width allows it.
pub(crate) fn windows(curves: &[Curves], style: Style) -> Vec<String> {
    let first = curves.iter().map(|curves| curves.task.seed).min();
    let shown = |curves: &&Curves| {
        let drawn = Some(curves.task.seed) == first;
        drawn && curves.series.windows.iter().any(|window| window.flow == 0)
    };
    let curves: Vec<&Curves> = curves.iter().filter(shown).collect();
    let drawn: Vec<&RunSeries> = curves.iter().map(|curves| &curves.series).collect();
    let Some(first) = drawn.first() else {
        return Vec::new();
    };
    let most = |of: &dyn Fn(&Curves) -> f64| curves.iter().map(|c| of(c)).fold(0.0, f64::max);
    let across = if style.width >= 60 && drawn.len() > 1 { 2 } else { 1 };
    let panel_width = (style.width.min(160) + GAP) / across - GAP;
    let dots = 2 * panel_width.saturating_sub(AXIS).max(1);
    let end_s = most(&|curves| curves.sim_s);
    let bands: Vec<Vec<Option<WindowRange>>> =
        drawn.iter().map(|s| bands(s, dots, end_s)).collect();
    let top = highest(&bands, most(&|c| c.context.warmup_s) / end_s.max(1e-9));
    let several = curves.iter().any(|curves| curves.context.tested.len() > 1);
    let flow = if several { " of the first flow" } else { "" };
    let clipped = bands.iter().flatten().flatten().any(|b| b.high > top);
    let clip = if clipped { format!(", clipped at {top}") } else { String::new() };
    let title = format!("cwnd{flow} in packets over {end_s:.3} s, seed {}{clip}", first.seed);
    let mut lines = bold_lines(&title.replace(".000 s", " s"), style);
    let panels: Vec<Vec<String>> =
        drawn.iter().zip(&bands).map(|(s, bands)| panel(&s.cc, bands, top, panel_width)).collect();
    for pair in panels.chunks(across) {
        for row in 0..=ROWS {
            let line: Vec<String> = pair.iter().map(|panel| panel[row].clone()).collect();
            lines.push(line.join(&" ".repeat(GAP)).trim_end().to_owned());
        }
    }
    lines
}

/// A title in bold, wrapped to the width.
fn bold_lines(title: &str, style: Style) -> Vec<String> {
    wrapped(title, style.width).lines().map(|line| style.bold(line)).collect()
}

/// The top of the scale: the highest window once the start is over that counts (`tallest`), so that one
/// overshoot does not flatten everything else.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a column on a terminal, and windows below 2^53"
)]
fn highest(bands: &[Vec<Option<WindowRange>>], start: f64) -> u64 {
    let late = |bands: &Vec<Option<WindowRange>>| {
        let after = (bands.len() as f64 * start) as usize;
        bands.iter().skip(after).flatten().map(|band| band.high as f64).collect()
    };
    (tallest(bands.iter().map(late)) as u64).max(1)
}

/// The lowest and the highest window within a column of dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WindowRange {
    low: u64,
    high: u64,
}

/// The window of a run's first flow, for each column of dots.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a column on a terminal"
)]
fn bands(series: &RunSeries, dots: usize, end_s: f64) -> Vec<Option<WindowRange>> {
    let mut columns: Vec<Option<WindowRange>> = vec![None; dots];
    let place = |at: Instant| {
        let share = at.as_nanos() as f64 / 1e9 / end_s.max(1e-9);
        ((share * dots as f64) as usize).min(dots - 1)
    };
    let mut last: Option<(usize, u64)> = None;
    for point in series.windows.iter().filter(|p| p.flow == 0) {
        let (column, cwnd) = (place(point.at), point.cwnd.whole());
        if let Some((from, held)) = last {
            // The window holds its value until it changes.
            for between in &mut columns[from..=column] {
                include(between, held);
            }
        }
        include(&mut columns[column], cwnd);
        last = Some((column, cwnd));
    }
    if let Some((from, held)) = last {
        for rest in &mut columns[from..] {
            include(rest, held);
        }
    }
    columns
}

fn include(band: &mut Option<WindowRange>, value: u64) {
    *band = Some(match *band {
        None => WindowRange { low: value, high: value },
        Some(b) => WindowRange { low: b.low.min(value), high: b.high.max(value) },
    });
}

/// A name, and the rows of a plot below it.
fn panel(name: &str, bands: &[Option<WindowRange>], top: u64, width: usize) -> Vec<String> {
    let title = shortened(name, width.saturating_sub(AXIS));
    let mut lines = vec![format!("{:AXIS$}{title:<w$}", "", w = width.saturating_sub(AXIS))];
    let height = ROWS * 4;
    let dot = |value: u64| {
        let scaled = u128::from(value.min(top)) * (height as u128 - 1) / u128::from(top);
        usize::try_from(scaled).unwrap_or(height - 1)
    };
    for row in 0..ROWS {
        let label = match row {
            0 => format!("{:>w$}┤", compact(top), w = AXIS - 1),
            r if r == ROWS - 1 => format!("{:>w$}┤", 0, w = AXIS - 1),
            _ => format!("{:>w$}│", "", w = AXIS - 1),
        };
        let bottom = (ROWS - 1 - row) * 4;
        let cells = bands.chunks(2).map(|pair| braille(pair, bottom, &dot));
        lines.push(format!("{label}{}", cells.collect::<String>()));
    }
    lines
}

/// A number within five columns.
fn compact(n: u64) -> String {
    match n {
        0..100_000 => n.to_string(),
        100_000..10_000_000 => format!("{}k", n / 1_000),
        _ => format!("{}M", n / 1_000_000),
    }
}

/// Two columns of four dots each, the lowest of which is dot `bottom` of the plot.
fn braille(pair: &[Option<WindowRange>], bottom: usize, dot: &impl Fn(u64) -> usize) -> char {
    /// Bits of the dots from below, left column and right (Unicode 15, block 2800).
    const BITS: [[u32; 4]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];
    let mut bits = 0;
    for (column, band) in BITS.iter().zip(pair) {
        let Some(band) = band else { continue };
        for (i, bit) in column.iter().enumerate() {
            if (dot(band.low)..=dot(band.high)).contains(&(bottom + i)) {
                bits |= bit;
            }
        }
    }
    char::from_u32(0x2800 + bits).filter(|_| bits != 0).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Segments;
    use westwood_experiment::run::WindowPoint;

    fn series(points: &[(u64, u64)]) -> RunSeries {
        let point = |&(ms, cwnd): &(u64, u64)| WindowPoint {
            at: Instant::from_nanos(ms * 1_000_000),
            flow: 0,
            cwnd: Segments::new(cwnd),
            ssthresh: Segments::MAX,
            bwe: None,
            cause: None,
        };
        RunSeries { windows: points.iter().map(point).collect(), ..RunSeries::default() }
    }

    #[test]
    fn a_window_holds_until_it_changes() {
        let bands = bands(&series(&[(0, 10), (500, 20)]), 4, 1.0);
        let band = |low, high| Some(WindowRange { low, high });
        assert_eq!(bands, [band(10, 10), band(10, 10), band(10, 20), band(20, 20)]);
    }

    #[test]
    fn a_title_fits_a_narrow_terminal() {
        let title = "cwnd of the first flow in packets over 10 s, seed 1, clipped at 136";
        let style = Style { width: 40, colour: true };
        let lines = bold_lines(title, style);
        assert_eq!(lines[0], "\u{1b}[1mcwnd of the first flow in packets over\u{1b}[0m");
        assert_eq!(lines[1], "\u{1b}[1m10 s, seed 1, clipped at 136\u{1b}[0m");
    }

    #[test]
    fn the_highest_window_reaches_the_top_row_and_zero_the_bottom_row() {
        let lines = panel("x", &bands(&series(&[(0, 0), (500, 16)]), 8, 1.0), 16, 10);
        assert_eq!(lines.len(), ROWS + 1);
        assert!(lines[1].contains('┤') && lines[1].contains('⠉'), "{lines:?}");
        assert!(lines[ROWS].contains('⣀'), "{lines:?}");
    }
}
