//! The distributions of round-trip times and of the wait at the bottleneck.

use super::sheet::{RecordedRun, Sheet, seconds};
use crate::document::{Distribution, Quantity};

/// Quantiles of a curve.
const POINTS: u32 = 200;

/// Of these sheets together, which have the same variants.
pub(super) fn all(sheets: &[Sheet<'_>]) -> Vec<Distribution> {
    let rtt = Distribution {
        quantity: Quantity::new("rtt_distribution", "RTT", "ms"),
        of: "samples",
        curves: curves(sheets, rtts),
    };
    let wait = Distribution {
        quantity: Quantity::new("wait_distribution", "wait at the bottleneck", "ms"),
        of: "time",
        curves: curves(sheets, waits),
    };
    let shown = |d: &Distribution| d.curves.iter().any(|curve| !curve.is_empty());
    [rtt, wait].into_iter().filter(shown).collect()
}

fn curves(
    sheets: &[Sheet<'_>],
    of: impl Fn(&RecordedRun<'_>) -> Vec<(f64, f64)>,
) -> Vec<Vec<(f64, f64)>> {
    let variants = sheets.iter().map(|sheet| sheet.runs.len()).max().unwrap_or(0);
    let runs = |variant: usize| sheets.iter().filter_map(move |s| s.runs.get(variant)?.as_ref());
    (0..variants).map(|variant| shares(runs(variant).flat_map(&of).collect())).collect()
}

/// The samples once the warm-up is over, each with the same weight.
fn rtts(run: &RecordedRun<'_>) -> Vec<(f64, f64)> {
    let late = run.rtts().filter(|(time_s, _)| *time_s >= run.context.warmup_s);
    late.map(|(_, rtt)| (rtt, 1.0)).collect()
}

/// For how long a packet that came would have waited, in milliseconds, and how long that held; none
/// where packets or the link's rate are not all the same.
#[expect(clippy::cast_precision_loss, reason = "at most 2^24 packets wait")]
fn waits(run: &RecordedRun<'_>) -> Vec<(f64, f64)> {
    let Some(bytes) = run.context.packet_bytes.filter(|_| run.context.steady) else {
        return Vec::new();
    };
    let packet_ms = bytes as f64 * 8e3 / run.context.rate_bps.max(1.0);
    let ends = run.series.queue.iter().skip(1).map(|(at, _)| seconds(*at)).chain([run.until_s]);
    let spans = run.series.queue.iter().zip(ends).map(|((at, waiting), end)| {
        (*waiting as f64 * packet_ms, end - seconds(*at).max(run.context.warmup_s))
    });
    spans.filter(|(_, span)| *span > 0.0).collect()
}

/// Of values with their weights, each quantile with its share.
fn shares(mut weighted: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    weighted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut points = Vec::new();
    let (mut below, mut rest) = (0.0, weighted.iter().peekable());
    for i in 0..=POINTS {
        let share = f64::from(i) / f64::from(POINTS);
        // Sums of weights are exact to their last digits only.
        while let Some((_, weight)) =
            rest.peek().filter(|(_, w)| below + w < share * whole * (1.0 - 1e-12))
        {
            below += weight;
            if rest.next().is_none() {
                break;
            }
        }
        let value = rest.peek().copied().or(weighted.last());
        points.extend(value.map(|(value, _)| (*value, share)));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_by_weight() {
        let points = shares(vec![(20.0, 1.0), (10.0, 3.0)]);
        assert_eq!(points.len(), 201);
        let below = points.iter().filter(|(value, _)| *value < 15.0).map(|(_, share)| *share);
        assert!((below.fold(0.0, f64::max) - 0.75).abs() < 1e-9, "{points:?}");
        assert_eq!(points.last(), Some(&(20.0, 1.0)));
        assert!(shares(Vec::new()).is_empty());
    }
}
