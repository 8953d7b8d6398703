//! A sheet of curves: the runs that share one axis of time.

use westwood_cc::Instant;
use westwood_experiment::run::{CurveContext, RunSeries, TimeSequence};
use westwood_scenario::dumbbell::millis;

use crate::document::{CurveLine, Role};
use crate::reduce::Envelope;

/// More flows than this are drawn as the least, the middle and the most of them.
pub(super) const FLOWS_DRAWN: usize = 8;
/// The series of one run.
#[derive(Clone, Copy)]
pub(crate) struct RecordedRun<'a> {
    pub(crate) series: &'a RunSeries,
    pub(crate) context: &'a CurveContext,
    /// The first flow around its first loss.
    pub(crate) sequence: Option<&'a TimeSequence>,
    /// The end of the run, in seconds.
    pub(crate) until_s: f64,
}

/// The data that all panels need.
pub(super) struct Sheet<'a> {
    /// For each variant its run.
    pub(super) runs: Vec<Option<RecordedRun<'a>>>,
    pub(super) rate_bps: f64,
    pub(super) end_s: f64,
    pub(super) columns: usize,
    /// It is to be joined with those of other seeds.
    pub(super) joined: bool,
}

impl RecordedRun<'_> {
    /// Flows over the measured link.
    pub(super) fn flows(&self) -> usize {
        self.context.tested.len() + self.context.others.len()
    }

    /// An equal part of the link for each flow, in bits a second, where that is a fair one.
    #[expect(clippy::cast_precision_loss, reason = "at most 10,000 flows")]
    pub(super) fn share(&self) -> Option<f64> {
        let fair = self.context.greedy && self.context.steady;
        fair.then(|| self.context.rate_bps / self.flows().max(1) as f64)
    }
}

impl RecordedRun<'_> {
    /// The round-trip times of the flows under test: seconds, milliseconds.
    pub(super) fn rtts(&self) -> impl Iterator<Item = (f64, f64)> {
        let tested = self.context.tested.len();
        let rtts = self.series.rtts.iter().filter(move |(_, flow, _)| *flow < tested);
        rtts.map(|(at, _, rtt)| (seconds(*at), millis(*rtt)))
    }
}

pub(super) fn seconds(at: Instant) -> f64 {
    millis(at.since(Instant::ZERO)) / 1e3
}

impl Sheet<'_> {
    pub(super) fn note(&self, seeds: &str, whose: &str, warmup_s: f64) -> String {
        let several = self.runs.iter().flatten().any(|run| run.context.tested.len() > 1);
        let of = if several { " Windows and estimates are the first flow's." } else { "" };
        let shade = if warmup_s > 0.0 { " What is shaded was not measured." } else { "" };
        format!("{seeds} of each {whose}.{of}{shade}")
    }

    /// A horizontal line, if it stands at one place for all runs.
    pub(super) fn reference(
        &self,
        of: impl Fn(&RecordedRun<'_>) -> Option<(&'static str, f64)>,
    ) -> Vec<(String, f64)> {
        let mut all = self.runs.iter().flatten().map(of);
        let Some(Some((name, value))) = all.next() else { return Vec::new() };
        #[expect(clippy::float_cmp, reason = "the same network gives the same bits")]
        let same = |other| matches!(other, Some((n, v)) if n == name && v == value);
        if all.all(same) { vec![(name.to_owned(), value)] } else { Vec::new() }
    }

    /// The link's rate, unless it changes.
    pub(super) fn link_rate(&self, by: f64) -> Vec<(String, f64)> {
        self.reference(|run| {
            run.context.steady.then(|| ("the link's rate", run.context.rate_bps / by))
        })
    }

    /// A line for each variant whose series `fill` puts something into.
    pub(super) fn lines(
        &self,
        role: Role,
        label: &str,
        sampled: bool,
        fill: impl Fn(&RecordedRun<'_>, &mut Envelope),
    ) -> Vec<CurveLine> {
        let mut lines = Vec::new();
        for (variant, run) in self.runs.iter().enumerate() {
            let Some(run) = run else { continue };
            let mut envelope = Envelope::new(self.end_s, self.columns);
            fill(run, &mut envelope);
            let values = if sampled { envelope.samples() } else { envelope.held(run.until_s) };
            if values.iter().any(Option::is_some) {
                lines.push(CurveLine {
                    variant,
                    label: label.to_owned(),
                    role,
                    values,
                    band: None,
                });
            }
        }
        lines
    }
}
