//! Every controller over every seed, in parallel.

mod summary;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant as Clock;

use rayon::prelude::*;
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{
    Control, FlowOutcome, LinkId, Network, Outcome, Point, Probes, Record, SimError, run_with,
};

use crate::dumbbell::{BOTTLENECK, Dumbbell, seconds};
use crate::limits;
use crate::results::Run;
use crate::spec::ControllerSpec;
use summary::summarize;
pub(crate) use summary::{Parts, pooled_rtt};

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
    /// The same and what was delivered, finer: for curves that can be enlarged.
    Curves,
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
    /// Payload delivered since the start of the run: time, flow, bytes.
    pub delivered: Vec<(Instant, usize, u64)>,
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
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs.max(1)).build();
    let one = |(i, (cc, seed)): (usize, &(&ControllerSpec, u64))| {
        let first = plan.seeds.first() == Some(seed);
        let recording = if first { plan.recording } else { Recording::Nothing };
        run_one(plan, cc, *seed, recording, &progress.cancel, &progress.done[i])
    };
    let parallel = || -> Result<Vec<_>, Failure> { grid.par_iter().enumerate().map(one).collect() };
    let done = match pool {
        Ok(pool) => pool.install(parallel),
        // Without threads of its own the comparison is slow, not impossible.
        Err(_) => grid.iter().enumerate().map(one).collect(),
    };
    let (runs, series): (Vec<Run>, Vec<Option<Series>>) = done?.into_iter().unzip();
    Ok(Comparison { runs, series: series.into_iter().flatten().collect() })
}

fn run_one(
    plan: &Plan,
    cc: &ControllerSpec,
    seed: u64,
    recording: Recording,
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Result<(Run, Option<Series>), Failure> {
    let failed = |error: String| Failure::Run { cc: cc.to_string(), seed, error };
    let mut network = plan
        .path
        .network(cc, seed, probes(recording, &plan.path))
        .map_err(|e| failed(e.to_string()))?;
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
    let transfers = plan.path.size.map(|_| 0..usize::try_from(plan.path.flows).unwrap_or(0));
    let mut simulated =
        simulate(&mut network, transfers, control).map_err(|error| match error {
            SimError::Cancelled => Failure::Cancelled,
            error => failed(error.to_string()),
        })?;
    done.store(plan.path.time.as_nanos(), Ordering::Relaxed);
    let series =
        (recording != Recording::Nothing).then(|| series(cc, seed, &mut simulated.outcome));
    Ok((summarize(plan, cc, seed, &simulated), series))
}

/// What came of a network, and what it took.
pub(crate) struct Simulated {
    pub(crate) outcome: Outcome,
    /// Simulated time.
    pub(crate) sim_s: f64,
    /// Time on this machine.
    pub(crate) wall_s: f64,
}

/// Simulates a network. If some flows are transfers, the run ends with the last of them.
pub(crate) fn simulate(
    network: &mut Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
) -> Result<Simulated, SimError> {
    let begin = Clock::now();
    let mut outcome = run_with(network, control)?;
    let mut wall_s = begin.elapsed().as_secs_f64();
    // Transfers are measured until the last one is done; what happens then cannot change what was
    // before, so the shorter run is the beginning of the longer one.
    let done = transfers.and_then(|flows| all_done(outcome.flows.get(flows)?));
    if let Some(end) = done.filter(|end| *end > network.warmup) {
        network.duration = end;
        let begin = Clock::now();
        outcome = run_with(network, control)?;
        wall_s = begin.elapsed().as_secs_f64();
    }
    Ok(Simulated { outcome, sim_s: seconds(network.duration), wall_s })
}

fn probes(recording: Recording, path: &Dumbbell) -> Probes {
    let time = path.time;
    match recording {
        Recording::Nothing => Probes::default(),
        Recording::Windows => Probes { windows: true, interval: time / 1_000, ..Probes::default() },
        Recording::Everything => Probes {
            windows: true,
            rtts: true,
            queues: true,
            interval: time / 5_000,
            ..Probes::default()
        },
        Recording::Curves => {
            let packets = limits::packets_in(path.rate(), time, path.wire_packet());
            curve_probes(packets, time, path.flow_count())
        }
    }
}

/// What is recorded for curves that can be enlarged, of a run of so many packets.
pub(crate) fn curve_probes(packets: u128, time: Duration, flows: u64) -> Probes {
    /// Of so many packets every change is recorded.
    const FEW_PACKETS: u128 = 200_000;
    /// Of more, so many points of a curve, of all flows together.
    const POINTS: u64 = 200_000;
    /// Samples beyond this fill the memory, and a drawing shows no more of them.
    const MOST_SAMPLES: u128 = 2_000_000;
    Probes {
        windows: true,
        rtts: packets <= MOST_SAMPLES,
        queues: true,
        delivered: true,
        interval: if packets <= FEW_PACKETS {
            Duration::ZERO
        } else {
            time / (POINTS / flows.max(1)).max(500)
        },
        ..Probes::default()
    }
}

/// When the last of these transfers ended, if all did.
fn all_done(flows: &[FlowOutcome]) -> Option<Duration> {
    let ends = flows.iter().map(|flow| {
        let end = flow.completions.first()?;
        Some((end.start + end.took).since(Instant::ZERO))
    });
    ends.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn series(cc: &ControllerSpec, seed: u64, outcome: &mut Outcome) -> Series {
    let records = std::mem::take(&mut outcome.records);
    Series { cc: cc.to_string(), seed, ..series_of(records, BOTTLENECK, &Some) }
}

/// What was recorded of the flows that have a `place`, and of one link.
pub(crate) fn series_of(
    records: Vec<Record>,
    measured: LinkId,
    place: &dyn Fn(usize) -> Option<usize>,
) -> Series {
    let mut series = Series::default();
    for record in records {
        let at = record.at;
        match record.what {
            Point::Window { flow, cwnd, ssthresh, bwe, cause } => {
                let point = |flow| WindowPoint { at, flow, cwnd, ssthresh, bwe, cause };
                series.windows.extend(place(flow).map(point));
            }
            Point::Queue { link, packets } if link == measured => series.queue.push((at, packets)),
            Point::Rtt { flow, rtt } => series.rtts.extend(place(flow).map(|flow| (at, flow, rtt))),
            Point::Delivered { flow, bytes } => {
                series.delivered.extend(place(flow).map(|flow| (at, flow, bytes)));
            }
            Point::Queue { .. } | Point::Drop { .. } | Point::Estimate { .. } => {}
        }
    }
    series
}
