//! Curves over several seeds: their median, and pale the least and the most.

use super::SPANS;
use crate::document::{ALL_SEEDS, Band, Line, Panel, Role, Timeline};

/// One timeline for the same setting under several seeds: of each curve the mean of each span of time,
/// of these the median over the seeds, within the least and the most of them. None of fewer than two.
///
/// The timelines have one axis of time and as many columns. Curves that only accompany others, and
/// those of single flows, are left out.
pub(crate) fn over_seeds(seeds: &[&Timeline], whose: &str) -> Option<Timeline> {
    let (&first, [_, ..]) = seeds.split_first()? else { return None };
    let panels = first.panels.iter().filter(|panel| !panel.apart);
    let panels: Vec<Panel> = panels.filter_map(|panel| over(panel, seeds)).collect();
    let shade = if first.warmup_s > 0.0 { " What is shaded was not measured." } else { "" };
    (!panels.is_empty()).then(|| Timeline {
        title: first.title.clone(),
        seed: ALL_SEEDS.to_owned(),
        note: format!(
            "The {} seeds that are drawn, of each {whose}: the median of the means over a \
             {SPANS}th of the time, and pale the least and the most of them.{shade}",
            seeds.len()
        ),
        end_s: first.end_s,
        warmup_s: first.warmup_s,
        columns: first.columns,
        panels,
        distributions: Vec::new(),
        events: Vec::new(),
    })
}

/// A panel over all seeds.
fn over(panel: &Panel, seeds: &[&Timeline]) -> Option<Panel> {
    let same = |timeline: &&Timeline| -> Option<Panel> {
        timeline.panels.iter().find(|p| p.quantity == panel.quantity && !p.apart).cloned()
    };
    let panels: Vec<Panel> = seeds.iter().filter_map(same).collect();
    let columns = seeds.first()?.columns;
    let mut lines: Vec<Line> = Vec::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        if line.role == Role::Main && !lines.iter().any(|known| known.variant == line.variant) {
            lines.push(median(line, &panels, columns));
        }
    }
    lines.sort_by_key(|line| line.variant);
    (!lines.is_empty()).then(|| Panel {
        quantity: panel.quantity.clone(),
        title: String::new(),
        lines,
        references: panel.references.clone(),
        ..Panel::default()
    })
}

/// The line of a variant over all seeds that have one.
fn median(of: &Line, panels: &[Panel], columns: usize) -> Line {
    let same = |line: &&Line| line.variant == of.variant && line.role == Role::Main;
    let lines: Vec<&Line> = panels.iter().filter_map(|p| p.lines.iter().find(same)).collect();
    let spans = SPANS.min(columns.max(1));
    let edges = |span: usize| 2 * (span * columns).div_ceil(spans);
    let mut of_spans = Vec::with_capacity(spans);
    for span in 0..spans {
        let within = edges(span)..edges(span + 1);
        let values = lines.iter().filter_map(|line| mean(line.values.get(within.clone())?));
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        of_spans.push(values);
    }
    let spread = |pick: &dyn Fn(&[f64]) -> Option<f64>| -> Vec<Option<f64>> {
        let of_span: Vec<Option<f64>> = of_spans.iter().map(|values| pick(values)).collect();
        let values = (0..columns).map(|column| of_span[column * spans / columns]);
        values.flat_map(|value| [value; 2]).collect()
    };
    let (low, high) = (spread(&|v| v.first().copied()), spread(&|v| v.last().copied()));
    Line {
        variant: of.variant,
        label: of.label.clone(),
        role: Role::Main,
        values: spread(&middle),
        band: Some(Band { low, high }),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of columns")]
fn mean(values: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

/// The median of sorted values.
fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    if sorted.len() % 2 == 1 { Some(upper) } else { Some(f64::midpoint(sorted[half - 1], upper)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(level: f64) -> Timeline {
        let line = Line {
            variant: 0,
            label: String::new(),
            role: Role::Main,
            values: vec![Some(level - 1.0), Some(level + 1.0), None, None],
            band: None,
        };
        let companion = Line { role: Role::Companion, ..line.clone() };
        let panel = Panel { lines: vec![companion, line], ..Panel::default() };
        Timeline { end_s: 2.0, columns: 2, panels: vec![panel], ..Timeline::default() }
    }

    #[test]
    fn the_median_of_the_seeds_lies_within_the_least_and_the_most() {
        let [a, b, c] = [10.0, 40.0, 20.0].map(timeline);
        let all = over_seeds(&[&a, &b, &c], "controller").unwrap();
        let [line] = &all.panels[0].lines[..] else { panic!("one line: {:?}", all.panels) };
        let band = line.band.as_ref().unwrap();
        assert_eq!(line.values, [Some(20.0), Some(20.0), None, None]);
        assert_eq!((band.low[0], band.high[0]), (Some(10.0), Some(40.0)));
        assert_eq!((band.low[2], band.high[2]), (None, None));
    }

    #[test]
    fn one_seed_has_no_spread() {
        assert_eq!(over_seeds(&[&timeline(1.0)], "controller"), None);
    }
}
