//! The curves of a comparison: of each controller's run with the first seed.

use westwood_cc::{Instant, Segments};
use westwood_scenario::compare::Series;
use westwood_scenario::dumbbell::{bps, millis};
use westwood_scenario::ranking::Group;
use westwood_scenario::results::Report;
use westwood_tcp::Note;

use super::quantity;
use crate::document::{Event, Line, Panel, Role, Timeline};
use crate::reduce::Envelope;
use crate::summary::rate_scale;

/// More flows than this are drawn as the least, the middle and the most of them.
const FLOWS_DRAWN: usize = 8;
/// Changes of one window with their causes; beyond that a reader is lost anyway.
const MOST_EVENTS: usize = 4_000;
/// Spans over which a goodput is averaged.
const BINS: f64 = 200.0;

/// What all panels need.
struct Sheet<'a> {
    report: &'a Report,
    /// For each variant its series and the end of its run, in seconds.
    runs: Vec<Option<(&'a Series, f64)>>,
    end_s: f64,
    columns: usize,
}

/// The curves; none if nothing was recorded.
pub(super) fn timeline(
    report: &Report,
    series: &[Series],
    groups: &[Group<'_>],
) -> Option<Timeline> {
    let of = |group: &Group<'_>| {
        let series = series.iter().find(|s| s.cc == group.cc)?;
        let run = group.runs.iter().find(|run| run.seed == series.seed)?;
        Some((series, run.sim_s))
    };
    let runs: Vec<Option<(&Series, f64)>> = groups.iter().map(of).collect();
    let end_s = runs.iter().flatten().map(|(_, end)| *end).fold(0.0, f64::max);
    let seed = runs.iter().flatten().next()?.0.seed;
    let columns = columns(runs.len(), flows(report));
    let sheet = Sheet { report, runs, end_s, columns };
    let panels: Vec<Panel> =
        [windows(&sheet), estimates(&sheet), rtts(&sheet), queue(&sheet), goodput(&sheet)]
            .into_iter()
            .chain([shares(&sheet)])
            .flatten()
            .collect();
    Some(Timeline {
        end_s,
        warmup_s: report.path.warmup_s,
        note: note(&sheet, seed),
        columns,
        panels,
        events: sheet.runs.iter().map(|run| run.map_or_else(Vec::new, |r| events(r.0))).collect(),
    })
}

/// As many columns as keep the page below two megabytes, and no more than a large screen shows.
fn columns(variants: usize, flows: usize) -> usize {
    const VALUES: usize = 320_000;
    let lines = variants * (6 + if flows > 1 { flows.min(FLOWS_DRAWN) } else { 0 });
    (VALUES / (2 * lines.max(1))).clamp(150, 2_000)
}

/// Flows in the data direction.
fn flows(report: &Report) -> usize {
    let flows = report.path.flows.saturating_add(report.path.against_flows);
    usize::try_from(flows).unwrap_or(usize::MAX)
}

fn note(sheet: &Sheet<'_>, seed: u64) -> String {
    let path = &sheet.report.path;
    let of = if path.flows > 1 { " Windows and estimates are the first flow's." } else { "" };
    let shade = if path.warmup_s > 0.0 { " What is shaded was not measured." } else { "" };
    format!("Seed {seed} of each controller.{of}{shade}")
}

fn seconds(at: Instant) -> f64 {
    millis(at.since(Instant::ZERO)) / 1e3
}

#[expect(clippy::cast_precision_loss, reason = "a window of at most 2^24 segments, for a drawing")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / (1_u64 << 32) as f64
}

impl Sheet<'_> {
    /// A line for each variant whose series `fill` puts something into.
    fn lines(
        &self,
        role: Role,
        label: &str,
        sampled: bool,
        fill: impl Fn(&Series, &mut Envelope),
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        for (variant, run) in self.runs.iter().enumerate() {
            let Some((series, until_s)) = run else { continue };
            let mut envelope = Envelope::new(self.end_s, self.columns);
            fill(series, &mut envelope);
            let values = if sampled { envelope.samples() } else { envelope.held(*until_s) };
            if values.iter().any(Option::is_some) {
                lines.push(Line { variant, label: label.to_owned(), role, values });
            }
        }
        lines
    }
}

fn windows(sheet: &Sheet<'_>) -> Option<Panel> {
    let first = |series: &Series, envelope: &mut Envelope, of: fn(Segments, Segments) -> f64| {
        for point in series.windows.iter().filter(|p| p.flow == 0) {
            envelope.add(seconds(point.at), of(point.cwnd, point.ssthresh));
        }
    };
    let cwnd = sheet.lines(Role::Main, "cwnd", false, |s, e| first(s, e, |cwnd, _| packets(cwnd)));
    // A threshold without bound is none yet.
    let bound = |_, ssthresh| if ssthresh < Segments::MAX { packets(ssthresh) } else { f64::NAN };
    let ssthresh = sheet.lines(Role::Companion, "ssthresh", false, |s, e| first(s, e, bound));
    let mut lines: Vec<Line> = cwnd.into_iter().chain(ssthresh).collect();
    lines.sort_by_key(|line| line.variant);
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("cwnd", "cwnd", "packets"),
        title: "Congestion window, and dotted its ssthresh".to_owned(),
        lines,
        with_causes: true,
        ..Panel::default()
    })
}

fn estimates(sheet: &Sheet<'_>) -> Option<Panel> {
    let scale = rate_scale(sheet.report);
    let lines = sheet.lines(Role::Main, "", false, |series, envelope| {
        for point in series.windows.iter().filter(|p| p.flow == 0) {
            if let Some(bwe) = point.bwe {
                envelope.add(seconds(point.at), bps(bwe) / scale.by);
            }
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "at most 10,000 flows")]
    let share = sheet.report.path.rate_bps / scale.by / flows(sheet.report).max(1) as f64;
    let name = if flows(sheet.report) > 1 { "fair share" } else { "the link's rate" };
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("bwe", "bwe", scale.unit),
        title: "Bandwidth estimate of those that have one".to_owned(),
        lines,
        references: vec![(name.to_owned(), share)],
        ..Panel::default()
    })
}

fn rtts(sheet: &Sheet<'_>) -> Option<Panel> {
    let path = &sheet.report.path;
    let under_test = usize::try_from(path.flows).unwrap_or(usize::MAX);
    let lines = sheet.lines(Role::Main, "", true, |series, envelope| {
        for (at, flow, rtt) in &series.rtts {
            if *flow < under_test {
                envelope.add(seconds(*at), millis(*rtt));
            }
        }
    });
    let same = (path.rtt_max_ms - path.rtt_min_ms).abs() < 1e-6;
    let propagation = ("propagation".to_owned(), path.rtt_max_ms);
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("rtt", "RTT", "ms"),
        title: "Round-trip time".to_owned(),
        lines,
        references: if same { vec![propagation] } else { Vec::new() },
        ..Panel::default()
    })
}

#[expect(clippy::cast_precision_loss, reason = "at most 2^24 packets wait")]
fn queue(sheet: &Sheet<'_>) -> Option<Panel> {
    let lines = sheet.lines(Role::Main, "", false, |series, envelope| {
        // Before its first packet the queue is empty.
        envelope.add(0.0, 0.0);
        for (at, waiting) in &series.queue {
            envelope.add(seconds(*at), *waiting as f64);
        }
    });
    let buffer = sheet.report.path.buffer_packets.map(|n| ("buffer".to_owned(), n as f64));
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("queue", "queue", "packets"),
        title: "Packets waiting at the bottleneck".to_owned(),
        lines,
        references: buffer.into_iter().collect(),
        ..Panel::default()
    })
}

/// The length of the spans over which goodputs are averaged: whole round-trip times, two at least,
/// so that a window sent in one go does not show as a wave.
fn span_s(sheet: &Sheet<'_>) -> f64 {
    let rtt_s = sheet.report.path.rtt_max_ms / 1e3;
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
fn rates(series: &Series, flows: std::ops::Range<usize>, span_s: f64, end_s: f64) -> Vec<f64> {
    let count = (end_s / span_s).floor().max(1.0) as usize;
    // What had been delivered by the end of each span.
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

fn goodput(sheet: &Sheet<'_>) -> Option<Panel> {
    let scale = rate_scale(sheet.report);
    let span = span_s(sheet);
    let under_test = usize::try_from(sheet.report.path.flows).unwrap_or(usize::MAX);
    let line = |(variant, run): (usize, &Option<(&Series, f64)>)| {
        let (series, until_s) = run.filter(|(s, _)| !s.delivered.is_empty())?;
        let rates: Vec<f64> = rates(series, 0..under_test, span, until_s)
            .into_iter()
            .map(|bps| bps / scale.by)
            .collect();
        let values = steps(sheet, &rates, span, until_s);
        Some(Line { variant, label: String::new(), role: Role::Main, values })
    };
    let lines: Vec<Line> = sheet.runs.iter().enumerate().filter_map(line).collect();
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("goodput", "goodput", scale.unit),
        title: format!("Goodput, averaged over {}", span_text(span)),
        lines,
        references: vec![("the link's rate".to_owned(), sheet.report.path.rate_bps / scale.by)],
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
fn shares(sheet: &Sheet<'_>) -> Option<Panel> {
    let all = flows(sheet.report);
    if all < 2 {
        return None;
    }
    let scale = rate_scale(sheet.report);
    let span = span_s(sheet);
    let under_test = usize::try_from(sheet.report.path.flows).unwrap_or(all);
    let mut lines = Vec::new();
    for (variant, run) in sheet.runs.iter().enumerate() {
        let Some((series, until_s)) = run.filter(|(s, _)| !s.delivered.is_empty()) else {
            continue;
        };
        let of = |flow: usize| -> Vec<f64> {
            let rates = rates(series, flow..flow + 1, span, until_s);
            rates.into_iter().map(|bps| bps / scale.by).collect()
        };
        let mut add = |role: Role, label: String, rates: &[f64]| {
            let values = steps(sheet, rates, span, until_s);
            lines.push(Line { variant, label, role, values });
        };
        if all <= FLOWS_DRAWN {
            for flow in 0..under_test {
                add(Role::Main, format!("flow {}", flow + 1), &of(flow));
            }
            for flow in under_test..all {
                add(Role::Other, format!("competing flow {}", flow - under_test + 1), &of(flow));
            }
        } else {
            let flows: Vec<Vec<f64>> = (0..under_test).map(of).collect();
            let [least, middle, most] = quantiles(&flows);
            add(Role::Companion, "least".to_owned(), &least);
            add(Role::Main, "middle".to_owned(), &middle);
            add(Role::Companion, "most".to_owned(), &most);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 10,000 flows")]
    let fair = sheet.report.path.rate_bps / scale.by / all as f64;
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("flows", "goodput of each flow", scale.unit),
        title: "Goodput of each flow".to_owned(),
        lines,
        references: vec![("fair share".to_owned(), fair)],
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

/// The changes of the first flow's window that have a cause.
fn events(series: &Series) -> Vec<Event> {
    let over = Note::Recovered.to_string();
    let mut events: Vec<Event> = Vec::new();
    let mut begun: Option<(f64, &str)> = None;
    for point in series.windows.iter().filter(|p| p.flow == 0) {
        let (time_s, Some(cause)) = (seconds(point.at), point.cause.as_deref()) else {
            continue;
        };
        // What ends says little without what began.
        let text = match begun {
            Some((at, what)) if cause == over => format!("{over}; it began at {at:.3} s: {what}"),
            _ => cause.to_owned(),
        };
        if cause != over {
            begun = Some((time_s, cause));
        }
        events.push(Event { time_s, text });
        if events.len() == MOST_EVENTS {
            break;
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let series = Series { delivered, ..Series::default() };
        assert_eq!(rates(&series, 0..1, 1.0, 3.0), [24_000.0, 4_000.0, 8_000.0]);
        assert_eq!(rates(&series, 0..2, 1.0, 3.0), [96_000.0, 4_000.0, 8_000.0]);
    }

    #[test]
    fn of_many_flows_the_least_the_middle_and_the_most_remain() {
        let series = [vec![3.0, 1.0], vec![1.0, 1.0], vec![2.0, 9.0]];
        assert_eq!(quantiles(&series), [vec![1.0, 1.0], vec![2.0, 1.0], vec![3.0, 9.0]]);
    }

    #[test]
    fn the_more_lines_the_fewer_columns() {
        assert_eq!(columns(6, 1), 2_000);
        assert!(columns(20, 1) < 2_000 && columns(1_000, 8) == 150);
    }
}
