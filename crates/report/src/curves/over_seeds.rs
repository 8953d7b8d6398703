//! Curves over the seeds: on one grid of time the median of the runs, and a band around all of them.

use std::fmt::Write as _;

use super::distributions;
use super::sheet::Sheet;
use crate::document::{Band, CurveLine, Panel, Role, Timeline};

/// The curves of several seeds, whose sheets have the same columns, as one timeline.
pub(super) fn timeline(
    sheets: &[Sheet<'_>],
    seeds: Vec<u64>,
    whose: &str,
    warmup_s: f64,
) -> Timeline {
    let Some(first) = sheets.first() else { return Timeline::default() };
    let mut note = first.note(&format!("Medians over {}", seeds_text(&seeds)), whose, warmup_s);
    let _ = write!(
        note,
        " Pale is what lies between the lowest and the highest of them in each of {} spans of time.",
        first.columns
    );
    let ends =
        || sheets.iter().flat_map(|sheet| sheet.runs.iter().flatten()).map(|run| run.until_s);
    if ends().any(|end| end < first.end_s * (1.0 - 1e-9)) {
        note.push_str(" A curve ends where fewer than half of its runs still last.");
    }
    let all: Vec<Vec<Panel>> = sheets.iter().map(Sheet::panels).collect();
    Timeline {
        end_s: first.end_s,
        warmup_s,
        columns: first.columns,
        panels: joined(all),
        distributions: distributions::all(sheets),
        events: vec![Vec::new(); first.runs.len()],
        note,
        seeds,
        ..Timeline::default()
    }
}

/// Seeds as a sentence has them: `seeds 1 to 5`, `seeds 3, 7 and 9`.
fn seeds_text(seeds: &[u64]) -> String {
    let in_a_row = seeds.windows(2).all(|pair| pair[1].checked_sub(1) == Some(pair[0]));
    match (seeds.first(), seeds.last()) {
        (Some(first), Some(last)) if in_a_row && seeds.len() > 2 => {
            format!("seeds {first} to {last}")
        }
        _ => {
            let words: Vec<String> = seeds.iter().map(u64::to_string).collect();
            format!("seeds {}", westwood_scenario::listed(words.iter().map(String::as_str)))
        }
    }
}

/// The panels of each seed as one panel each, in the order in which they first come.
fn joined(all: Vec<Vec<Panel>>) -> Vec<Panel> {
    let count = all.len();
    let mut groups: Vec<Vec<Panel>> = Vec::new();
    for panel in all.into_iter().flatten() {
        match groups.iter_mut().find(|group| group[0].quantity.id == panel.quantity.id) {
            Some(group) => group.push(panel),
            None => groups.push(vec![panel]),
        }
    }
    groups.into_iter().filter_map(|group| panel(group, count)).collect()
}

/// One panel of those of so many seeds. Horizontal lines that do not stand at one place are left out.
fn panel(group: Vec<Panel>, seeds: usize) -> Option<Panel> {
    let same = group.iter().all(|panel| panel.references == group[0].references);
    let mut lines: Vec<Vec<CurveLine>> = Vec::new();
    let mut group = group.into_iter();
    let mut first = group.next()?;
    let rest = group.flat_map(|panel| panel.lines);
    for line in std::mem::take(&mut first.lines).into_iter().chain(rest) {
        let own = |of: &&mut Vec<CurveLine>| {
            of[0].variant == line.variant && of[0].role == line.role && of[0].label == line.label
        };
        match lines.iter_mut().find(own) {
            Some(of) => of.push(line),
            None => lines.push(vec![line]),
        }
    }
    if !same {
        first.references.clear();
    }
    let lines = lines.iter().map(|of| over_seeds(of, seeds)).collect();
    Some(Panel { lines, ..first })
}

/// A curve of the medians of these, which are the same of so many seeds. A curve's companion has no
/// band.
fn over_seeds(lines: &[CurveLine], seeds: usize) -> CurveLine {
    let (mut values, mut band) = (Vec::new(), Band::default());
    let columns = lines.iter().map(|line| line.values.len()).max().unwrap_or(0) / 2;
    for column in 0..columns {
        let mut middles: Vec<f64> = lines.iter().filter_map(|line| middle(line, column)).collect();
        let lasts = 2 * middles.len() >= seeds;
        let lasting = || lines.iter().filter(|_| lasts).map(|line| extent_of(line, column));
        let low = lasting().filter_map(|(low, _)| low).reduce(f64::min);
        let high = lasting().filter_map(|(_, high)| high).reduce(f64::max);
        let median = median(&mut middles).filter(|_| lasts);
        values.extend([median; 2]);
        band.low.extend([low; 2]);
        band.high.extend([high; 2]);
    }
    let first = &lines[0];
    let band = (first.role == Role::Main).then_some(band);
    CurveLine { variant: first.variant, label: first.label.clone(), role: first.role, values, band }
}

/// The lower and the upper end of a curve with its band within a column.
fn extent_of(line: &CurveLine, column: usize) -> (Option<f64>, Option<f64>) {
    let [low, high] = match &line.band {
        Some(band) => [&band.low, &band.high],
        None => [&line.values, &line.values],
    };
    let pair =
        |of: &[Option<f64>]| [2 * column, 2 * column + 1].map(|i| of.get(i).copied().flatten());
    let ([a, b], [c, d]) = (pair(low), pair(high));
    (a.into_iter().chain(b).reduce(f64::min), c.into_iter().chain(d).reduce(f64::max))
}

/// The middle of a column's two values.
fn middle(line: &CurveLine, column: usize) -> Option<f64> {
    let at = |i: usize| line.values.get(i).copied().flatten();
    match (at(2 * column), at(2 * column + 1)) {
        (Some(a), Some(b)) => Some(f64::midpoint(a, b)),
        (a, b) => a.or(b),
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some(f64::midpoint(values[last / 2], values[last.div_ceil(2)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(role: Role, values: &[f64]) -> CurveLine {
        let values = values.iter().map(|v| Some(*v).filter(|v| v.is_finite())).collect();
        CurveLine { variant: 0, label: String::new(), role, values, band: None }
    }

    #[test]
    fn a_curve_is_the_median_and_its_band_holds_every_run() {
        let lines = [
            line(Role::Main, &[10.0, 20.0, 7.0, 7.0]),
            line(Role::Main, &[40.0, 40.0, 1.0, 3.0]),
            line(Role::Main, &[90.0, 10.0, 9.0, 9.0]),
        ];
        let joined = over_seeds(&lines, 3);
        assert_eq!(joined.values, [Some(40.0), Some(40.0), Some(7.0), Some(7.0)]);
        let band = joined.band.unwrap();
        assert_eq!(band.low, [Some(10.0), Some(10.0), Some(1.0), Some(1.0)]);
        assert_eq!(band.high, [Some(90.0), Some(90.0), Some(9.0), Some(9.0)]);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0]), Some(2.5));
        assert_eq!(median(&mut [9.0, 4.0, 1.0, 2.0]), Some(3.0));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn a_curve_ends_where_fewer_than_half_of_its_runs_last() {
        let none = f64::NAN;
        let lines = [
            line(Role::Main, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            line(Role::Main, &[3.0, 3.0, 3.0, 3.0, none, none]),
            line(Role::Main, &[5.0, 5.0, none, none, none, none]),
        ];
        let joined = over_seeds(&lines, 3);
        let [three, two] = [Some(3.0), Some(2.0)];
        assert_eq!(joined.values, [three, three, two, two, None, None]);
        assert_eq!(joined.band.unwrap().high[4..], [None, None]);
    }

    #[test]
    fn what_belongs_to_a_curve_has_no_band_and_lines_of_one_name_are_joined() {
        let both = |value: f64| {
            let lines = vec![line(Role::Main, &[value; 2]), line(Role::Companion, &[value; 2])];
            vec![Panel {
                lines,
                references: vec![("fair share".to_owned(), 5.0)],
                ..Panel::default()
            }]
        };
        let mut other = both(4.0);
        let [panel] = &joined(vec![both(2.0), other.clone()])[..] else { panic!("one") };
        assert_eq!(panel.references.len(), 1);
        let shown: Vec<_> =
            panel.lines.iter().map(|l| (l.role, l.values[0], l.band.is_some())).collect();
        assert_eq!(shown, [(Role::Main, Some(3.0), true), (Role::Companion, Some(3.0), false)]);
        other[0].references[0].1 = 6.0;
        assert!(joined(vec![both(2.0), other])[0].references.is_empty());
    }

    #[test]
    fn seeds_are_said_as_a_row_or_one_by_one() {
        assert_eq!(seeds_text(&[1, 2, 3]), "seeds 1 to 3");
        assert_eq!(seeds_text(&[1, 2]), "seeds 1 and 2");
        assert_eq!(seeds_text(&[u64::MAX, 0, 7]), format!("seeds {}, 0 and 7", u64::MAX));
    }
}
