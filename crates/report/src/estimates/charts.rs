//! Estimates over time.

use westwood_capture::read::KINDS;
use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Duration, Instant};
use westwood_scenario::dumbbell::{bps, seconds};

use super::{EstimatedCapture, EstimatorResult};
use crate::figure::{Chart, ChartLine, ChartPoint, chart_file};
use crate::reduce::Envelope;

/// Columns of a chart: more than a figure of 3.5 inches shows.
const COLUMNS: usize = 400;
/// The vertical axis ends at this many times the highest rate of delivery: one compressed pair of ACKs
/// would flatten everything else.
const HEADROOM: f64 = 2.0;

/// The estimators that share a chart: those that smooth, and those that do not.
const CHARTS: [(&str, &str, &[EstimatorKind]); 2] = [
    (
        "westwood",
        "Westwood and Westwood+",
        &[
            EstimatorKind::Westwood,
            EstimatorKind::WestwoodPlusA,
            EstimatorKind::WestwoodPlusB,
            EstimatorKind::Linux,
        ],
    ),
    ("pairs", "Packet pair and Hoe", &[EstimatorKind::PacketPair, EstimatorKind::Hoe]),
];

/// The charts of a transfer: a short name for a file, and the chart.
pub fn charts(of: &EstimatorResult, window: Duration) -> Vec<(&'static str, Chart)> {
    let Some((first, last)) = of.replay.delivered.span() else { return Vec::new() };
    let end_s = seconds(last.since(first));
    let delivered = delivered(of, window, first);
    let highest = delivered.iter().map(|point| point.y).fold(0.0, f64::max);
    let chart = |(id, title, kinds): &(&'static str, &str, &[EstimatorKind])| {
        let mut lines = vec![ChartLine { name: "delivered".to_owned(), points: delivered.clone() }];
        lines.extend(kinds.iter().map(|kind| ChartLine {
            name: kind.name().to_owned(),
            points: estimate(of, *kind, first, end_s),
        }));
        let chart = Chart {
            title: format!("{title}: {}", of.name()),
            x: "time (s)".to_owned(),
            y: "Mbit/s".to_owned(),
            x_range: Some((0.0, end_s)),
            y_range: Some((0.0, (HEADROOM * highest).max(f64::MIN_POSITIVE))),
            lines,
            ..Chart::default()
        };
        (*id, chart)
    };
    CHARTS.iter().map(chart).collect()
}

/// The charts of all transfers as files: names and texts.
pub fn chart_files(of: &EstimatedCapture) -> Vec<(String, String)> {
    let file = |(number, one): (usize, &EstimatorResult)| {
        charts(one, of.window)
            .into_iter()
            .map(move |(id, chart)| (format!("{}_{id}.svg", number + 1), chart_file(&chart)))
            .collect::<Vec<_>>()
    };
    of.transfers.iter().enumerate().flat_map(file).collect()
}

fn delivered(of: &EstimatorResult, window: Duration, first: Instant) -> Vec<ChartPoint> {
    let lasts = of.lasts();
    let columns = COLUMNS as u64;
    let point = |i: u64| {
        let at = first + (lasts / columns) * i;
        let rate = of.replay.delivered.rate(at, window)?;
        Some(ChartPoint { x: seconds(at.since(first)), y: bps(rate) / 1e6, interval: None })
    };
    (0..=columns).filter_map(point).collect()
}

fn estimate(
    of: &EstimatorResult,
    kind: EstimatorKind,
    first: Instant,
    end_s: f64,
) -> Vec<ChartPoint> {
    let Some(place) = KINDS.iter().position(|k| *k == kind) else { return Vec::new() };
    let mut envelope = Envelope::new(end_s, COLUMNS);
    for sample in &of.replay.samples {
        envelope.add(seconds(sample.at.since(first)), bps(sample.rates[place]) / 1e6);
    }
    let half = end_s / f64::from(u32::try_from(2 * COLUMNS).unwrap_or(u32::MAX));
    let values = envelope.held(end_s).into_iter().zip(0_u32..);
    let point = |(value, i): (Option<f64>, u32)| {
        value.map(|y| ChartPoint { x: f64::from(i) * half, y, interval: None })
    };
    values.filter_map(point).collect()
}
