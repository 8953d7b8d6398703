//! Every controller over every seed, in parallel.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant as Clock;

use rayon::prelude::*;
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{
    Control, FlowOutcome, Network, Outcome, Point, Probes, RttSummary, SimError, run_with,
};

use crate::dumbbell::{BOTTLENECK, Dumbbell, millis, seconds};
use crate::results::{Drops, Flow, QueuePackets, RttMs, Run};
use crate::spec::ControllerSpec;
use crate::stats::jain;

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The path and the traffic.
    pub path: Dumbbell,
    /// The controllers under test.
    pub controllers: Vec<ControllerSpec>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Runs at the same time, at least one.
    pub jobs: usize,
    /// What is recorded over time.
    pub recording: Recording,
}

/// What is recorded over time: of each controller's run with the first seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// Nothing.
    #[default]
    Nothing,
    /// Windows, thinned for a plot.
    Windows,
    /// Windows, queue and round-trip times.
    Everything,
}

/// Where a comparison stands, seen from another thread, and the way to end it.
#[derive(Debug)]
pub struct Progress {
    /// Set it to end the comparison with [`Failure::Cancelled`].
    pub cancel: AtomicBool,
    /// Simulated nanoseconds of each run.
    done: Vec<AtomicU64>,
    total_ns: u64,
}

impl Progress {
    /// Nothing done yet.
    pub fn new(plan: &Plan) -> Self {
        let runs = plan.controllers.len() * plan.seeds.len();
        let total = plan.path.time.as_nanos().saturating_mul(runs as u64);
        Self {
            cancel: AtomicBool::new(false),
            done: (0..runs).map(|_| AtomicU64::new(0)).collect(),
            total_ns: total.max(1),
        }
    }

    /// Simulated time of all runs together, out of [`total`](Self::total).
    pub fn simulated(&self) -> Duration {
        let sum = self.done.iter().map(|ns| ns.load(Ordering::Relaxed)).sum();
        Duration::from_nanos(sum)
    }

    /// What will have been simulated in the end.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.total_ns)
    }
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Somebody ended it.
    Cancelled,
    /// A run could not be simulated.
    Run {
        /// The controller.
        cc: String,
        /// The seed.
        seed: u64,
        /// Why.
        error: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("interrupted"),
            Self::Run { cc, seed, error } => write!(f, "{cc} with seed {seed}: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What a comparison yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One for each controller and seed, in that order.
    pub runs: Vec<Run>,
    /// One for each controller, if anything was recorded.
    pub series: Vec<Series>,
}

/// What was recorded of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The controller's canonical name.
    pub cc: String,
    /// The seed.
    pub seed: u64,
    /// Windows of all flows, in order of time.
    pub windows: Vec<WindowPoint>,
    /// Packets waiting at the bottleneck.
    pub queue: Vec<(Instant, u64)>,
    /// Round-trip time samples: time, flow, sample.
    pub rtts: Vec<(Instant, usize, Duration)>,
}

/// A window after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowPoint {
    /// When.
    pub at: Instant,
    /// The flow: those under test first, then competing ones, then reverse ones.
    pub flow: usize,
    /// The congestion window.
    pub cwnd: Segments,
    /// The slow-start threshold.
    pub ssthresh: Segments,
    /// The bandwidth estimate.
    pub bwe: Option<Rate>,
    /// Why, in words; absent for ordinary growth.
    pub cause: Option<String>,
}

/// Runs every controller over every seed. The order of the results is that of the plan, whatever
/// the number of jobs.
pub fn compare(plan: &Plan, progress: &Progress) -> Result<Comparison, Failure> {
    let grid: Vec<(&ControllerSpec, u64)> = plan
        .controllers
        .iter()
        .flat_map(|cc| plan.seeds.iter().map(move |seed| (cc, *seed)))
        .collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(plan.jobs.max(1))
        .build();
    let one = |(i, (cc, seed)): (usize, &(&ControllerSpec, u64))| {
        let first = plan.seeds.first() == Some(seed);
        let recording = if first {
            plan.recording
        } else {
            Recording::Nothing
        };
        run_one(
            plan,
            cc,
            *seed,
            recording,
            &progress.cancel,
            &progress.done[i],
        )
    };
    let parallel = || -> Result<Vec<_>, Failure> { grid.par_iter().enumerate().map(one).collect() };
    let done = match pool {
        Ok(pool) => pool.install(parallel),
        // Without threads of its own the comparison is slow, not impossible.
        Err(_) => grid.iter().enumerate().map(one).collect(),
    };
    let (runs, series): (Vec<Run>, Vec<Option<Series>>) = done?.into_iter().unzip();
    Ok(Comparison {
        runs,
        series: series.into_iter().flatten().collect(),
    })
}

fn run_one(
    plan: &Plan,
    cc: &ControllerSpec,
    seed: u64,
    recording: Recording,
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Result<(Run, Option<Series>), Failure> {
    let failed = |error: String| Failure::Run {
        cc: cc.to_string(),
        seed,
        error,
    };
    let mut network = plan
        .path
        .network(cc, seed, probes(recording, plan.path.time))
        .map_err(|e| failed(e.to_string()))?;
    let control = Control {
        cancel: Some(cancel),
        progress: Some(done),
    };
    let simulate = |network: &Network| {
        let begin = Clock::now();
        match run_with(network, control) {
            Ok(outcome) => Ok((outcome, begin.elapsed().as_secs_f64())),
            Err(SimError::Cancelled) => Err(Failure::Cancelled),
            Err(error) => Err(failed(error.to_string())),
        }
    };
    let (mut outcome, mut wall_s) = simulate(&network)?;
    // Transfers are measured until the last one is done; what happens then cannot change what was
    // before, so the shorter run is the beginning of the longer one.
    if let Some(end) = all_done(plan, &outcome).filter(|end| *end > network.warmup) {
        network.duration = end;
        (outcome, wall_s) = simulate(&network)?;
    }
    done.store(plan.path.time.as_nanos(), Ordering::Relaxed);
    let series = (recording != Recording::Nothing).then(|| series(cc, seed, &mut outcome));
    let sim_s = seconds(network.duration);
    Ok((summarize(plan, cc, seed, &outcome, sim_s, wall_s), series))
}

fn probes(recording: Recording, time: Duration) -> Probes {
    match recording {
        Recording::Nothing => Probes::default(),
        Recording::Windows => Probes {
            windows: true,
            interval: time / 1_000,
            ..Probes::default()
        },
        Recording::Everything => Probes {
            windows: true,
            rtts: true,
            queues: true,
            interval: time / 5_000,
            ..Probes::default()
        },
    }
}

/// When the last transfer under test ended, if all did.
fn all_done(plan: &Plan, outcome: &Outcome) -> Option<Duration> {
    plan.path.size?;
    let ends = under_test(plan, outcome).iter().map(|flow| {
        let end = flow.completions.first()?;
        Some((end.start + end.took).since(Instant::ZERO))
    });
    ends.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn under_test<'a>(plan: &Plan, outcome: &'a Outcome) -> &'a [FlowOutcome] {
    let flows = usize::try_from(plan.path.flows).unwrap_or(0);
    &outcome.flows[..flows.min(outcome.flows.len())]
}

fn series(cc: &ControllerSpec, seed: u64, outcome: &mut Outcome) -> Series {
    let mut series = Series {
        cc: cc.to_string(),
        seed,
        ..Series::default()
    };
    for record in std::mem::take(&mut outcome.records) {
        let at = record.at;
        match record.what {
            Point::Window {
                flow,
                cwnd,
                ssthresh,
                bwe,
                cause,
            } => {
                series.windows.push(WindowPoint {
                    at,
                    flow,
                    cwnd,
                    ssthresh,
                    bwe,
                    cause,
                });
            }
            Point::Queue {
                link: BOTTLENECK,
                packets,
            } => series.queue.push((at, packets)),
            Point::Rtt { flow, rtt } => series.rtts.push((at, flow, rtt)),
            Point::Queue { .. } | Point::Delivered { .. } | Point::Drop { .. } => {}
        }
    }
    series
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of one run are far below 2^53"
)]
fn summarize(
    plan: &Plan,
    cc: &ControllerSpec,
    seed: u64,
    outcome: &Outcome,
    sim_s: f64,
    wall_s: f64,
) -> Run {
    let tested = under_test(plan, outcome);
    let rivals = usize::try_from(plan.path.rivals()).unwrap_or(0);
    let (competing, reverse) = outcome.flows[tested.len()..].split_at(rivals);
    let measured_s = seconds(outcome.measured);
    let rate = |bytes: u64| {
        if measured_s > 0.0 {
            bytes as f64 * 8.0 / measured_s
        } else {
            0.0
        }
    };
    let total = |flows: &[FlowOutcome], count: fn(&FlowOutcome) -> u64| -> u64 {
        flows.iter().map(count).sum()
    };
    let goodput = |flows: &[FlowOutcome]| rate(total(flows, |f| f.delivered_bytes));
    let flow = |cc: &ControllerSpec, f: &FlowOutcome| Flow {
        cc: cc.to_string(),
        goodput_bps: rate(f.delivered_bytes),
        base_rtt_ms: millis(f.base_rtt),
        fct_ms: f.completions.first().map(|c| millis(c.took)),
    };
    let rival_cc = plan.path.against.map_or(*cc, |rivals| rivals.controller);
    let link = outcome.links.get(BOTTLENECK).copied().unwrap_or_default();
    let each: Vec<f64> = tested.iter().map(|f| f.delivered_bytes as f64).collect();
    let sent = total(tested, |f| f.sent);
    Run {
        cc: cc.to_string(),
        recovery: plan.path.recovery.to_string(),
        seed,
        goodput_bps: goodput(tested),
        throughput_bps: rate(total(tested, |f| f.sent_bytes)),
        utilization: link.utilization,
        retransmission_ratio: total(tested, |f| f.retransmitted) as f64 / sent.max(1) as f64,
        fast_recoveries: total(tested, |f| f.fast_recoveries),
        timeouts: total(tested, |f| f.timeouts),
        jain: jain(&each),
        rtt_ms: pooled_rtt(tested),
        queue_packets: QueuePackets {
            mean: link.queue_mean,
            p95: link.queue_p95,
            max: link.queue_max,
        },
        drops: Drops {
            overflow: link.dropped_overflow,
            aqm: link.dropped_aqm,
            random: link.dropped_random,
        },
        flows: tested
            .iter()
            .map(|f| flow(cc, f))
            .chain(competing.iter().map(|f| flow(&rival_cc, f)))
            .collect(),
        under_test: tested.len(),
        against_goodput_bps: (!competing.is_empty()).then(|| goodput(competing)),
        reverse_goodput_bps: (!reverse.is_empty()).then(|| goodput(reverse)),
        data_packets: total(&outcome.flows, |f| f.data_packets),
        events: outcome.events,
        sim_s,
        wall_s,
    }
}

/// The round-trip times of several flows together. Minimum and mean are exact; quantiles are those
/// of the mixture of the flows' distributions, each taken as linear between its own quantiles.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of samples are far below 2^53"
)]
fn pooled_rtt(flows: &[FlowOutcome]) -> Option<RttMs> {
    let all: Vec<RttSummary> = flows.iter().filter_map(|f| f.rtt).collect();
    let [first, rest @ ..] = all.as_slice() else {
        return None;
    };
    if rest.is_empty() {
        return Some(RttMs {
            min: millis(first.min),
            mean: millis(first.mean),
            p50: millis(first.p50),
            p95: millis(first.p95),
            p99: millis(first.p99),
        });
    }
    let samples: f64 = all.iter().map(|r| r.samples as f64).sum();
    let mixed = |share: &dyn Fn(&RttSummary) -> f64| {
        all.iter().map(|r| share(r) * r.samples as f64).sum::<f64>() / samples
    };
    let quantile = |q: f64| {
        let ends = all.iter().flat_map(|r| [millis(r.min), millis(r.p99)]);
        let (mut low, mut high) = ends.fold((f64::MAX, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if mixed(&|r| share_below(r, middle)) < q {
                low = middle
            } else {
                high = middle
            }
        }
        high
    };
    Some(RttMs {
        min: all.iter().map(|r| millis(r.min)).fold(f64::MAX, f64::min),
        mean: mixed(&|r| millis(r.mean)),
        p50: quantile(0.5),
        p95: quantile(0.95),
        p99: quantile(0.99),
    })
}

/// The share of a flow's samples of at most `ms`, linear between the quantiles that are known.
fn share_below(r: &RttSummary, ms: f64) -> f64 {
    let known = [(r.min, 0.0), (r.p50, 0.5), (r.p95, 0.95), (r.p99, 0.99)];
    let mut below = (0.0, 0.0);
    for (at, share) in known.map(|(d, share)| (millis(d), share)) {
        if ms < at {
            let (from, base) = below;
            return base + (share - base) * (ms - from) / (at - from).max(f64::MIN_POSITIVE);
        }
        below = (at, share);
    }
    if ms >= below.0 { 1.0 } else { below.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(samples: u64, ms: [u64; 4]) -> FlowOutcome {
        let [min, p50, p95, p99] = ms.map(Duration::from_millis);
        let rtt = Some(RttSummary {
            samples,
            min,
            mean: p50,
            p50,
            p95,
            p99,
        });
        FlowOutcome {
            rtt,
            ..FlowOutcome::default()
        }
    }

    #[test]
    fn the_round_trip_times_of_one_flow_are_its_own() {
        let rtt = pooled_rtt(&[flow(10, [1, 2, 3, 4])]).unwrap();
        assert_eq!((rtt.min, rtt.p50, rtt.p95, rtt.p99), (1.0, 2.0, 3.0, 4.0));
        assert_eq!(pooled_rtt(&[FlowOutcome::default()]), None);
    }

    #[test]
    fn equal_flows_pool_to_the_same_distribution() {
        let one = flow(100, [100, 120, 180, 200]);
        let rtt = pooled_rtt(&[one.clone(), one]).unwrap();
        for (got, want) in [
            (rtt.min, 100.0),
            (rtt.p50, 120.0),
            (rtt.p95, 180.0),
            (rtt.p99, 200.0),
        ] {
            assert!((got - want).abs() < 1e-6, "{got} for {want}");
        }
    }

    #[test]
    fn a_pool_lies_between_its_flows() {
        let rtt =
            pooled_rtt(&[flow(100, [10, 20, 30, 40]), flow(300, [100, 120, 130, 140])]).unwrap();
        assert!(rtt.min < 10.1 && rtt.p50 > 30.0 && rtt.p50 < 120.0 && rtt.p99 <= 140.0);
        assert!((rtt.mean - 95.0).abs() < 1e-9);
    }
}
