//! Goodputs over time: of all flows under test together, and of each.

use westwood_experiment::run::RunSeries;

use super::sheet::{FLOWS_DRAWN, RecordedRun, Sheet, seconds};
use crate::document::{CurveLine, Panel, Quantity, Role};
use crate::number::rate_scale;
use crate::reduce::Envelope;

/// Spans over which a goodput is averaged.
const BINS: f64 = 200.0;

/// The length of the spans over which goodputs are averaged: whole round-trip times, two at least,
/// so that a window sent in one go does not show as a wave.
fn span_s(sheet: &Sheet<'_>) -> f64 {
    let each = sheet.runs.iter().flatten().map(|run| run.context.rtt_ms / 1e3);
    let rtt_s = each.fold(1e-6, f64::max);
    let whole = (sheet.end_s / BINS / rtt_s).ceil().max(2.0);
    (whole * rtt_s).min(sheet.end_s / 4.0).max(1e-6)
}

/// The goodput of some flows together over each span, in bits a second.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few hundred spans, for a drawing"
)]
fn rates(series: &RunSeries, flows: std::ops::Range<usize>, span_s: f64, end_s: f64) -> Vec<f64> {
    let count = (end_s / span_s).floor().max(1.0) as usize;
    // The bytes delivered by the end of each span.
    let mut delivered = vec![0_u64; count];
    let mut last = vec![0_u64; flows.len()];
    for (at, flow, bytes) in &series.delivered {
        let Some(place) = flow.checked_sub(flows.start).filter(|i| *i < last.len()) else {
            continue;
        };
        let new = bytes.saturating_sub(last[place]);
        last[place] = *bytes;
        if let Some(span) = delivered.get_mut((seconds(*at) / span_s) as usize) {
            *span += new;
        }
    }
    delivered.into_iter().map(|bytes| bytes as f64 * 8.0 / span_s).collect()
}

/// Rates as steps.
#[expect(clippy::cast_precision_loss, reason = "a few hundred spans")]
fn steps(sheet: &Sheet<'_>, rates: &[f64], span_s: f64, until_s: f64) -> Vec<Option<f64>> {
    let mut envelope = Envelope::new(sheet.end_s, sheet.columns);
    for (i, rate) in rates.iter().enumerate() {
        envelope.add((i as f64 + 1e-6) * span_s, *rate);
    }
    envelope.held(until_s)
}

/// The goodput of the flows under test together.
pub(super) fn goodput(sheet: &Sheet<'_>) -> Option<Panel> {
    together(sheet, "Goodput", |run| 0..run.context.tested.len())
}

/// The goodput of the other flows together.
pub(super) fn others(sheet: &Sheet<'_>) -> Option<Panel> {
    together(sheet, "Other flows' goodput", |run| run.context.tested.len()..run.flows())
}

/// The goodput of some flows of each run together.
fn together(
    sheet: &Sheet<'_>,
    title: &str,
    flows: impl Fn(&RecordedRun<'_>) -> std::ops::Range<usize>,
) -> Option<Panel> {
    let scale = rate_scale(sheet.rate_bps);
    let span = span_s(sheet);
    let line = |(variant, run): (usize, &Option<RecordedRun<'_>>)| {
        let run = run.filter(|r| !r.series.delivered.is_empty() && !flows(r).is_empty())?;
        let rates: Vec<f64> = rates(run.series, flows(&run), span, run.until_s)
            .into_iter()
            .map(|bps| bps / scale.by)
            .collect();
        let values = steps(sheet, &rates, span, run.until_s);
        Some(CurveLine { variant, label: String::new(), role: Role::Main, values, band: None })
    };
    let lines: Vec<CurveLine> = sheet.runs.iter().enumerate().filter_map(line).collect();
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("goodput", "goodput", scale.unit),
        title: format!("{title}, averaged over {}", span_text(span)),
        lines,
        references: sheet.link_rate(scale.by),
        ..Panel::default()
    })
}

fn span_text(span_s: f64) -> String {
    if span_s >= 1.0 {
        format!("{} s", crate::scale::plain(span_s))
    } else {
        format!("{} ms", crate::scale::plain(span_s * 1e3))
    }
}

/// The goodput of each flow, those of competitors grey; of many flows the least, the middle one and
/// the most under test.
pub(super) fn shares(sheet: &Sheet<'_>) -> Option<Panel> {
    if sheet.runs.iter().flatten().all(|run| run.flows() < 2) {
        return None;
    }
    let scale = rate_scale(sheet.rate_bps);
    let span = span_s(sheet);
    let mut lines = Vec::new();
    for (variant, run) in sheet.runs.iter().enumerate() {
        let Some(run) = run.filter(|run| !run.series.delivered.is_empty()) else { continue };
        let RecordedRun { series, context, until_s, .. } = run;
        let of = |flow: usize| -> Vec<f64> {
            let rates = rates(series, flow..flow + 1, span, until_s);
            rates.into_iter().map(|bps| bps / scale.by).collect()
        };
        let mut add = |role: Role, label: String, rates: &[f64]| {
            let values = steps(sheet, rates, span, until_s);
            lines.push(CurveLine { variant, label, role, values, band: None });
        };
        if run.flows() <= FLOWS_DRAWN {
            let roles = context.tested.iter().map(|_| Role::Main);
            let roles = roles.chain(context.others.iter().map(|_| Role::Other));
            let names = context.tested.iter().chain(&context.others);
            for (flow, (role, name)) in roles.zip(names).enumerate() {
                add(role, name.clone(), &of(flow));
            }
        } else {
            let flows: Vec<Vec<f64>> = (0..context.tested.len()).map(of).collect();
            let [least, middle, most] = quantiles(&flows);
            add(Role::Companion, "least".to_owned(), &least);
            add(Role::Main, "middle".to_owned(), &middle);
            add(Role::Companion, "most".to_owned(), &most);
        }
    }
    let fair = |run: &RecordedRun<'_>| run.share().map(|bps| ("fair share", bps / scale.by));
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("flows", "goodput of each flow", scale.unit),
        title: "Goodput of each flow".to_owned(),
        lines,
        references: sheet.reference(fair),
        apart: true,
        ..Panel::default()
    })
}

/// The least, the middle and the most of several series at each place.
fn quantiles(series: &[Vec<f64>]) -> [Vec<f64>; 3] {
    let length = series.iter().map(Vec::len).max().unwrap_or(0);
    let mut three = [const { Vec::new() }; 3];
    for place in 0..length {
        let mut values: Vec<f64> = series.iter().filter_map(|s| s.get(place)).copied().collect();
        values.sort_by(f64::total_cmp);
        let last = values.len().saturating_sub(1);
        for (of, at) in three.iter_mut().zip([0, last / 2, last]) {
            of.push(values.get(at).copied().unwrap_or(0.0));
        }
    }
    three
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Instant;

    #[test]
    fn rates_count_what_is_new_in_each_span() {
        let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
        let delivered = vec![
            (at(100), 0, 1_000),
            (at(200), 1, 9_000),
            (at(900), 0, 3_000),
            (at(1_100), 0, 3_500),
            (at(2_500), 0, 4_500),
        ];
        let series = RunSeries { delivered, ..RunSeries::default() };
        assert_eq!(rates(&series, 0..1, 1.0, 3.0), [24_000.0, 4_000.0, 8_000.0]);
        assert_eq!(rates(&series, 0..2, 1.0, 3.0), [96_000.0, 4_000.0, 8_000.0]);
    }

    #[test]
    fn of_many_flows_the_least_the_middle_and_the_most_remain() {
        let series = [vec![3.0, 1.0], vec![1.0, 1.0], vec![2.0, 9.0]];
        assert_eq!(quantiles(&series), [vec![1.0, 1.0], vec![2.0, 1.0], vec![3.0, 9.0]]);
    }
}
