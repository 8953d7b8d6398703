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
    /// The series that the scenario asks for.
    probes: Probes,
    motion: SteppedNetwork,
}

/// The network of a run that has ended, for another run of its point. In a browser code that runs often is
/// compiled again, and the code that builds networks is large.
#[derive(Debug)]
pub struct PointNetwork {
    point: usize,
    built: Built,
}

impl std::fmt::Debug for SteppedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteppedRun").field("task", &self.task).finish_non_exhaustive()
    }
}

impl SteppedRun {
    /// A run at its beginning. These series are recorded beside those that the scenario asks for. The network
    /// of a run before it in the same scenario is used again where only the seed differs.
    pub fn begin(
        scenario: &Scenario,
        task: RunTask,
        record: Probes,
        before: Option<PointNetwork>,
    ) -> Result<Self, WorldError> {
        let before = before.filter(|network| network.point == task.point);
        let mut built = match before.and_then(|one| one.built.with_seed(task.seed)) {
            Some(built) => built,
            None => super::built(scenario, task)?.1,
        };
        let probes = built.network.probes;
        built.network.probes = probes.and(record);
        let length = built.network.duration;
        let motion = SteppedNetwork::try_new(built, |built| {
            let run = with_script_faults(|_| Stepped::new(&built.network, Control::default()))?;
            Ok::<_, WorldError>(ActiveRun(Some(run)))
        })?;
        Ok(Self { task, length, probes, motion })
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

    /// Goes on to the end: the results of the run, which was begun in the same scenario, and its network.
    pub fn finish(mut self, scenario: &Scenario) -> Result<(RunResult, PointNetwork), WorldError> {
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
        let result = super::results(&Simulator, scenario, (point, self.task), &built, ran);
        (built.network.probes, built.network.duration) = (self.probes, self.length);
        Ok((result, PointNetwork { point: self.task.point, built }))
    }
}
