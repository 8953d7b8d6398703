//! Runs that go on step by step, for a caller who has one thread and no clock.

use std::sync::atomic::AtomicBool;

use self_cell::self_cell;
use westwood_cc::{Duration, Instant};
use westwood_sim::{Control, Network, Probes, Record, Stepped, run_with};

use super::record::RunResult;
use super::task::RunTask;
use crate::world::{Simulator, WorldError, WorldOutcome, shortened, transfers, with_script_faults};
use westwood_scenario::dumbbell::seconds;
use westwood_scenario::file::{Built, Scenario};

/// The run of a network; none once it has ended.
struct ActiveRun<'a>(Option<Stepped<'a>>);

self_cell!(
    /// A network, and its run.
    struct SteppedNetwork {
        owner: Built,
        #[not_covariant]
        dependent: ActiveRun,
    }
);

/// The control of a run that a controller can end.
fn with_stop_flag(stop: &AtomicBool) -> Control<'_> {
    Control { stop: Some(stop), ..Control::default() }
}

/// A run in the simulator that goes on as far as it is asked to. Its results are those of [`run_one`], to the
/// bit, but that it takes no time: its caller has the clock.
///
/// [`run_one`]: super::run_one
pub struct SteppedRun {
    task: RunTask,
    length: Duration,
    motion: SteppedNetwork,
}

impl std::fmt::Debug for SteppedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteppedRun").field("task", &self.task).finish_non_exhaustive()
    }
}

impl SteppedRun {
    /// A run at its beginning. These series are recorded beside those that the scenario asks for.
    pub fn begin(scenario: &Scenario, task: RunTask, record: Probes) -> Result<Self, WorldError> {
        let (_, mut built) = super::built(scenario, task)?;
        built.network.probes = built.network.probes.and(record);
        let length = built.network.duration;
        let motion = SteppedNetwork::try_new(built, |built| {
            let run = with_script_faults(|_| Stepped::new(&built.network, Control::default()))?;
            Ok::<_, WorldError>(ActiveRun(Some(run)))
        })?;
        Ok(Self { task, length, motion })
    }

    /// The run.
    pub fn task(&self) -> RunTask {
        self.task
    }

    /// The time that it simulates, if no transfer ends it earlier.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// Goes on until everything has happened that happens at `until` or before it. False once the run is at
    /// its end.
    pub fn advance(&mut self, until: Instant) -> Result<bool, WorldError> {
        self.motion.with_dependent_mut(|_, motion| {
            motion.0.as_mut().map_or(Ok(false), |run| {
                with_script_faults(|stop| run.advance(until, with_stop_flag(stop)))
            })
        })
    }

    /// The network, and the series recorded so far: the beginning of what [`RunResult::series`] will hold.
    pub fn so_far<T>(&self, read: impl FnOnce(&Network, &[Record]) -> T) -> T {
        self.motion.with_dependent(|built, motion| {
            read(&built.network, motion.0.as_ref().map_or(&[], Stepped::recorded))
        })
    }

    /// Goes on to the end: the results of the run, which was begun in the same scenario.
    pub fn finish(mut self, scenario: &Scenario) -> Result<RunResult, WorldError> {
        let finished = self.motion.with_dependent_mut(|_, motion| {
            motion.0.take().map(|run| with_script_faults(|stop| run.finish(with_stop_flag(stop))))
        });
        let mut built = self.motion.into_owner();
        let again = || with_script_faults(|stop| run_with(&built.network, with_stop_flag(stop)));
        let mut outcome = finished.unwrap_or_else(again)?;
        if let Some(end) = shortened(&built.network, transfers(&built), &outcome) {
            built.network.duration = end;
            outcome = with_script_faults(|stop| run_with(&built.network, with_stop_flag(stop)))?;
        }
        let sim_s = seconds(built.network.duration);
        let ran = WorldOutcome { outcome, sim_s, wall_s: 0.0, lateness_us: None };
        let point = super::point(scenario, self.task)?;
        Ok(super::results(&Simulator, scenario, (point, self.task), &built, ran))
    }
}
