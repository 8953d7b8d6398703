//! The curves of a comparison: of each controller's run with the first seed.

use westwood_cc::{Instant, Segments};
use westwood_scenario::compare::Series;
use westwood_scenario::dumbbell::{bps, millis};
use westwood_scenario::ranking::Group;
use westwood_scenario::results::Report;
use westwood_tcp::Note;

use super::quantity;
use super::rates::{goodput, shares};
use crate::document::{Event, Line, Panel, Role, Timeline};
use crate::reduce::Envelope;
use crate::summary::rate_scale;

/// More flows than this are drawn as the least, the middle and the most of them.
pub(super) const FLOWS_DRAWN: usize = 8;
/// Changes of one window with their causes; beyond that a reader is lost anyway.
const MOST_EVENTS: usize = 4_000;

/// What all panels need.
pub(super) struct Sheet<'a> {
    pub(super) report: &'a Report,
    /// For each variant its series and the end of its run, in seconds.
    pub(super) runs: Vec<Option<(&'a Series, f64)>>,
    pub(super) end_s: f64,
    pub(super) columns: usize,
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
pub(super) fn flows(report: &Report) -> usize {
    let flows = report.path.flows.saturating_add(report.path.against_flows);
    usize::try_from(flows).unwrap_or(usize::MAX)
}

fn note(sheet: &Sheet<'_>, seed: u64) -> String {
    let path = &sheet.report.path;
    let of = if path.flows > 1 { " Windows and estimates are the first flow's." } else { "" };
    let shade = if path.warmup_s > 0.0 { " What is shaded was not measured." } else { "" };
    format!("Seed {seed} of each controller.{of}{shade}")
}

pub(super) fn seconds(at: Instant) -> f64 {
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
    let scale = rate_scale(sheet.report.path.rate_bps);
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
    fn the_more_lines_the_fewer_columns() {
        assert_eq!(columns(6, 1), 2_000);
        assert!(columns(20, 1) < 2_000 && columns(1_000, 8) == 150);
    }
}
