//! Every controller over every seed, in parallel.

mod summary;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{Control, LinkId, Outcome, Point, Probes, Record};

use crate::dumbbell::{BOTTLENECK, Dumbbell};
use crate::limits;
use crate::results::Run;
use crate::run::Task;
use crate::spec::ControllerSpec;
use crate::world::{Simulator, World, WorldError};
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
    /// The machine lacks something.
    Lacks(String),
    /// The numbers of a run cannot be believed.
    Invalid {
        /// The controller.
        cc: String,
        /// The seed.
        seed: u64,
        /// Why.
        error: String,
    },
}

impl Failure {
    fn of(error: WorldError, cc: &str, seed: u64) -> Self {
        let cc = cc.to_owned();
        match error {
            WorldError::Cancelled => Self::Cancelled,
            WorldError::Failed(error) => Self::Run { cc, seed, error },
            WorldError::Lacks(what) => Self::Lacks(what),
            WorldError::Invalid(error) => Self::Invalid { cc, seed, error },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("interrupted"),
            Self::Run { cc, seed, error } | Self::Invalid { cc, seed, error } => {
                write!(f, "{cc} with seed {seed}: {error}")
            }
            Self::Lacks(what) => f.write_str(what),
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

/// Simulates every controller over every seed. The order of the results is that of the plan, whatever
/// the number of jobs.
pub fn compare(plan: &Plan, progress: &Progress) -> Result<Comparison, Failure> {
    compare_in(&Simulator, plan, progress)
}

/// The same in any world.
pub fn compare_in(
    world: &dyn World,
    plan: &Plan,
    progress: &Progress,
) -> Result<Comparison, Failure> {
    let tasks = |point| plan.seeds.iter().map(move |&seed| Task { point, seed });
    let controllers = plan.controllers.iter().enumerate();
    let grid: Vec<(&ControllerSpec, Task)> =
        controllers.flat_map(|(point, cc)| tasks(point).map(move |task| (cc, task))).collect();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(world.at_a_time(plan.jobs.max(1))).build();
    let one = |(i, &(cc, task)): (usize, &(&ControllerSpec, Task))| {
        let first = plan.seeds.first() == Some(&task.seed);
        let recording = if first { plan.recording } else { Recording::Nothing };
        run_one(world, plan, (cc, task), recording, &progress.cancel, &progress.done[i])
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
    world: &dyn World,
    plan: &Plan,
    (cc, task): (&ControllerSpec, Task),
    recording: Recording,
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Result<(Run, Option<Series>), Failure> {
    let (name, seed) = (world.name_of(&cc.to_string()), task.seed);
    let failed = |error: WorldError| Failure::of(error, &name, seed);
    let mut network = plan
        .path
        .network(cc, seed, probes(recording, &plan.path))
        .map_err(|e| failed(WorldError::Failed(e.to_string())))?;
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
    let transfers = plan.path.size.map(|_| 0..usize::try_from(plan.path.flows).unwrap_or(0));
    let mut ran = world.run(task, &mut network, transfers, control).map_err(failed)?;
    done.store(plan.path.time.as_nanos(), Ordering::Relaxed);
    let series = (recording != Recording::Nothing).then(|| series(&name, seed, &mut ran.outcome));
    let run = summarize(plan, cc, seed, &ran);
    let recovery = world.recovery().map_or(run.recovery, str::to_owned);
    Ok((Run { cc: name, recovery, ..run }, series))
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
    /// Of more, so many points of a curve, of all flows together: five for each column of a drawing.
    const POINTS: u64 = 10_000;
    Probes {
        windows: true,
        rtts: true,
        queues: true,
        delivered: true,
        interval: if packets <= FEW_PACKETS {
            Duration::ZERO
        } else {
            time / (POINTS / flows.max(1)).max(500)
        },
        sampled: packets > FEW_PACKETS,
        ..Probes::default()
    }
}

fn series(cc: &str, seed: u64, outcome: &mut Outcome) -> Series {
    let records = std::mem::take(&mut outcome.records);
    Series { cc: cc.to_owned(), seed, ..series_of(records, BOTTLENECK, &Some) }
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
                let cause = cause.map(String::from);
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
