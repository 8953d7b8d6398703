//! Worlds in which networks run: the simulator, or any other system that gives the same kind of
//! outcome.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant as Clock;

use westwood_cc::{Duration, Instant};
use westwood_script::watched;
use westwood_sim::{Control, FlowOutcome, Network, Outcome, SimError, run_with};

use crate::results::LatenessUs;
use crate::run::RunTask;
use westwood_scenario::dumbbell::seconds;
use westwood_scenario::file::{Built, is_transfers};

/// A world in which networks run.
pub trait World: Sync {
    /// Runs the network of a task. If some flows are transfers, the run ends with the last of them.
    fn run(
        &self,
        task: RunTask,
        network: &mut Network,
        transfers: Option<Range<usize>>,
        control: Control<'_>,
    ) -> Result<WorldOutcome, WorldError>;

    /// The number of runs at a time, of so many that are asked for.
    fn at_a_time(&self, jobs: usize) -> usize;

    /// Whether a run that is done once more gives the same, to the bit.
    fn repeats(&self) -> bool;

    /// Whether the controllers of `westwood-cc` run in it, and not those of a kernel.
    fn has_own_controllers(&self) -> bool;

    /// The name of a controller's runs in this world.
    fn name_of(&self, controller: &str) -> String;

    /// The recovery that repairs losses in this world, if it is not the one asked for.
    fn recovery(&self) -> Option<&str>;
}

/// The outcome of a network, and its cost.
#[derive(Clone, Debug)]
pub struct WorldOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// Time of the network, in seconds.
    pub sim_s: f64,
    /// Time on this machine, in seconds.
    pub wall_s: f64,
    /// The lateness of its packets, if they were real ones.
    pub lateness_us: Option<LatenessUs>,
}

/// The reason why a network did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// The user ended it.
    Cancelled,
    /// It cannot run, or something broke.
    Failed(String),
    /// The machine lacks something.
    Lacks(String),
    /// It ran, and its numbers cannot be believed.
    Invalid(String),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("interrupted"),
            Self::Failed(why) | Self::Lacks(why) | Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for WorldError {}

impl From<SimError> for WorldError {
    fn from(error: SimError) -> Self {
        match error {
            SimError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// The simulator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl World for Simulator {
    fn run(
        &self,
        _: RunTask,
        network: &mut Network,
        transfers: Option<Range<usize>>,
        control: Control<'_>,
    ) -> Result<WorldOutcome, WorldError> {
        simulate(network, transfers, control)
    }

    fn at_a_time(&self, jobs: usize) -> usize {
        jobs
    }

    fn repeats(&self) -> bool {
        true
    }

    fn has_own_controllers(&self) -> bool {
        true
    }

    fn name_of(&self, controller: &str) -> String {
        controller.to_owned()
    }

    fn recovery(&self) -> Option<&str> {
        None
    }
}

/// Simulates a network. If some flows are transfers, the run ends with the last of them.
pub(crate) fn simulate(
    network: &mut Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
) -> Result<WorldOutcome, WorldError> {
    with_script_faults(|stop| clocked(network, transfers, Control { stop: Some(stop), ..control }))
}

/// Does a run, or a part of one, that ends with an error where a controller of the scenario computes a value
/// that is none; it sets the run's switch.
pub(crate) fn with_script_faults<T>(
    run: impl FnOnce(&AtomicBool) -> Result<T, SimError>,
) -> Result<T, WorldError> {
    match watched(run) {
        (_, Some(fault)) => Err(WorldError::Failed(fault.to_string())),
        (result, None) => Ok(result?),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "wall_s says what a run took, and no result depends on it"
)]
fn clocked(
    network: &mut Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
) -> Result<WorldOutcome, SimError> {
    let begin = Clock::now();
    let mut outcome = run_with(network, control)?;
    let mut wall_s = begin.elapsed().as_secs_f64();
    // Transfers are measured until the last one is done; later events cannot change earlier ones,
    // so the shorter run is the beginning of the longer one.
    if let Some(end) = shortened(network, transfers, &outcome) {
        network.duration = end;
        let begin = Clock::now();
        outcome = run_with(network, control)?;
        wall_s = begin.elapsed().as_secs_f64();
    }
    Ok(WorldOutcome { outcome, sim_s: seconds(network.duration), wall_s, lateness_us: None })
}

/// The time at which the last of these transfers ended, where the run is measured to there and no further.
pub(crate) fn shortened(
    network: &Network,
    transfers: Option<Range<usize>>,
    outcome: &Outcome,
) -> Option<Duration> {
    let done = transfers.and_then(|flows| last_completion(outcome.flows.get(flows)?));
    done.filter(|end| *end > network.warmup)
}

/// The flows under test, if they are transfers.
pub(crate) fn transfers(built: &Built) -> Option<Range<usize>> {
    let tested = built.layout.tested_flows();
    is_transfers(&built.network.flows[tested.clone()]).then_some(tested)
}

/// Simulates a network; where the flows under test are transfers, until the last one is done.
pub(crate) fn measured(
    built: &mut Built,
    control: Control<'_>,
) -> Result<WorldOutcome, WorldError> {
    let transfers = transfers(built);
    simulate(&mut built.network, transfers, control)
}

/// The time at which the last of these transfers ended, if all did.
fn last_completion(flows: &[FlowOutcome]) -> Option<Duration> {
    let ends = flows.iter().map(|flow| {
        let end = flow.completions.first()?;
        Some((end.start + end.took).since(Instant::ZERO))
    });
    ends.collect::<Option<Vec<_>>>()?.into_iter().max()
}
