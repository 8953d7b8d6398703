//! Every controller over every seed, in parallel.

mod summary;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant as Clock;

use rayon::prelude::*;
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{Control, Network, Outcome, Point, Probes, SimError, run_with};

use crate::dumbbell::{BOTTLENECK, Dumbbell, seconds};
use crate::results::Run;
use crate::spec::ControllerSpec;
use summary::{summarize, under_test};

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
        .network(cc, seed, probes(recording, plan.path.time))
        .map_err(|e| failed(e.to_string()))?;
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
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
        Recording::Windows => Probes { windows: true, interval: time / 1_000, ..Probes::default() },
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

fn series(cc: &ControllerSpec, seed: u64, outcome: &mut Outcome) -> Series {
    let mut series = Series { cc: cc.to_string(), seed, ..Series::default() };
    for record in std::mem::take(&mut outcome.records) {
        let at = record.at;
        match record.what {
            Point::Window { flow, cwnd, ssthresh, bwe, cause } => {
                series.windows.push(WindowPoint { at, flow, cwnd, ssthresh, bwe, cause });
            }
            Point::Queue { link: BOTTLENECK, packets } => series.queue.push((at, packets)),
            Point::Rtt { flow, rtt } => series.rtts.push((at, flow, rtt)),
            Point::Queue { .. } | Point::Delivered { .. } | Point::Drop { .. } => {}
        }
    }
    series
}
