//! The panels of a sheet: window, estimate, round-trip time and queue.

use westwood_cc::Segments;
use westwood_scenario::dumbbell::bps;

use super::rates::{goodput, shares};
use super::sheet::{RecordedRun, Sheet, seconds};
use crate::document::{Band, CurveLine, Panel, Quantity, Role};
use crate::number::rate_scale;
use crate::reduce::{Envelope, Spans};

/// Spans of time, over each of which a median is drawn.
const SPANS: usize = 150;

impl Sheet<'_> {
    pub(super) fn panels(&self) -> Vec<Panel> {
        let all =
            [windows(self), estimates(self), rtts(self), queue(self), goodput(self), shares(self)];
        all.into_iter().flatten().collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a window of at most 2^24 segments, for a drawing")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / (1_u64 << 32) as f64
}

fn windows(sheet: &Sheet<'_>) -> Option<Panel> {
    let first =
        |run: &RecordedRun<'_>, envelope: &mut Envelope, of: fn(Segments, Segments) -> f64| {
            for point in run.series.windows.iter().filter(|p| p.flow == 0) {
                envelope.add(seconds(point.at), of(point.cwnd, point.ssthresh));
            }
        };
    let cwnd = sheet.lines(Role::Main, "cwnd", false, |s, e| first(s, e, |cwnd, _| packets(cwnd)));
    // A threshold without bound is none yet.
    let bound = |_, ssthresh| if ssthresh < Segments::MAX { packets(ssthresh) } else { f64::NAN };
    let ssthresh = sheet.lines(Role::Companion, "ssthresh", false, |s, e| first(s, e, bound));
    let mut lines: Vec<CurveLine> = cwnd.into_iter().chain(ssthresh).collect();
    lines.sort_by_key(|line| line.variant);
    let title = if sheet.joined {
        "Congestion window, and dotted its ssthresh"
    } else {
        "Congestion window, marked where reduced, and dotted its ssthresh"
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("cwnd", "cwnd", "packets"),
        title: title.to_owned(),
        lines,
        with_causes: !sheet.joined,
        ..Panel::default()
    })
}

fn estimates(sheet: &Sheet<'_>) -> Option<Panel> {
    let scale = rate_scale(sheet.rate_bps);
    let lines = sheet.lines(Role::Main, "", false, |run, envelope| {
        for point in run.series.windows.iter().filter(|p| p.flow == 0) {
            if let Some(bwe) = point.bwe {
                envelope.add(seconds(point.at), bps(bwe) / scale.by);
            }
        }
    });
    let share = |run: &RecordedRun<'_>| match run.flows() {
        0 | 1 => run.context.steady.then_some(("the link's rate", run.context.rate_bps / scale.by)),
        _ => run.share().map(|bps| ("fair share", bps / scale.by)),
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("bwe", "bwe", scale.unit),
        title: "Bandwidth estimate of those that have one".to_owned(),
        lines,
        references: sheet.reference(share),
        ..Panel::default()
    })
}

/// The round-trip times: every one of a single run; of several, which would cover each other,
/// medians.
fn rtts(sheet: &Sheet<'_>) -> Option<Panel> {
    let several = sheet.joined || sheet.runs.iter().flatten().count() > 1;
    let lines = if several { sheet.typical_rtts() } else { sheet.all_rtts() };
    let title = match (sheet.joined, several) {
        (true, _) => {
            "Round-trip time: medians, and pale the lowest 5th to the highest 95th percentile"
        }
        (_, true) => "Round-trip time: medians, and pale the 5th to 95th percentile",
        _ => "Round-trip time",
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("rtt", "RTT", "ms"),
        title: title.to_owned(),
        lines,
        references: sheet.reference(|run| Some((run.context.rtt_name?, run.context.rtt_ms))),
        ..Panel::default()
    })
}

impl Sheet<'_> {
    fn all_rtts(&self) -> Vec<CurveLine> {
        self.lines(Role::Main, "", true, |run, envelope| {
            run.rtts().for_each(|(time_s, rtt)| envelope.add(time_s, rtt));
        })
    }

    /// Medians within spans of time, with their spread.
    fn typical_rtts(&self) -> Vec<CurveLine> {
        let mut lines = Vec::new();
        for (variant, run) in self.runs.iter().enumerate() {
            let Some(run) = run else { continue };
            let mut spans = Spans::new(self.end_s, SPANS);
            run.rtts().for_each(|(time_s, rtt)| spans.add(time_s, rtt));
            let mut quantile = |share| spans.quantile(share, self.columns);
            let [low, values, high] = [0.05, 0.5, 0.95].map(&mut quantile);
            if values.iter().any(Option::is_some) {
                let (label, band) = (String::new(), Some(Band { low, high }));
                lines.push(CurveLine { variant, label, role: Role::Main, values, band });
            }
        }
        lines
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 2^24 packets wait")]
pub(super) fn queue(sheet: &Sheet<'_>) -> Option<Panel> {
    let lines = sheet.lines(Role::Main, "", false, |run, envelope| {
        // Before its first packet the queue is empty.
        envelope.add(0.0, 0.0);
        for (at, waiting) in &run.series.queue {
            envelope.add(seconds(*at), *waiting as f64);
        }
    });
    let buffer = |run: &RecordedRun<'_>| {
        let packets = run.context.buffer_packets.filter(|_| run.context.steady)?;
        Some(("buffer", packets as f64))
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: Quantity::new("queue", "queue", "packets"),
        title: "Packets waiting at the bottleneck".to_owned(),
        lines,
        references: sheet.reference(buffer),
        ..Panel::default()
    })
}
