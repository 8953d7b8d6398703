//! Runs once more, with a tap that sees their packets.

use std::sync::atomic::Ordering;

use westwood_sim::{Control, Outcome, SimError, Tap, run_tapped};

use super::parallel::each;
use super::progress::GridProgress;
use super::task::RunTask;
use crate::world::{WorldError, measured};
use westwood_scenario::file::{Built, Scenario};

/// Makes the taps of runs.
pub trait TapFactory: Sync {
    /// The observer of one run.
    type Tap: Tap + Send;
    /// The reason for an early end.
    type Error: Send;

    /// Begins to watch a run of this network.
    fn begin(&self, task: RunTask, built: &Built) -> Result<Self::Tap, Self::Error>;

    /// A run is over: its tap, or why it failed.
    fn end(&self, task: RunTask, result: Result<Self::Tap, String>) -> Result<(), Self::Error>;
}

/// Simulates these runs once more, `jobs` at a time, with every packet shown to a tap. A watched
/// run is the same as the run itself, to the bit, but for the number of events; one that is not
/// counts as failed.
///
/// True if all were done, false if the work was cancelled.
pub fn tapped<W: TapFactory>(
    scenario: &Scenario,
    tasks: &[RunTask],
    jobs: usize,
    watch: &GridProgress,
    by: &W,
) -> Result<bool, W::Error> {
    each(tasks, jobs, |i, &task| {
        if watch.cancel.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let control = Control {
            cancel: Some(&watch.cancel),
            progress: Some(&watch.done[i]),
            ..Control::default()
        };
        let one = one(scenario, task, control, by)?;
        watch.done[i].store(scenario.time().as_nanos(), Ordering::Relaxed);
        one.map_or(Ok(false), |result| by.end(task, result).map(|()| true))
    })
}

/// The observer of one run, or why the run failed; `None` if it was cancelled.
fn one<W: TapFactory>(
    scenario: &Scenario,
    task: RunTask,
    control: Control<'_>,
    by: &W,
) -> Result<Option<Result<W::Tap, String>>, W::Error> {
    let Some(point) = scenario.points().get(task.point) else {
        return Ok(Some(Err(format!("there is no point {}", task.point))));
    };
    let mut built = match scenario.build(point, task.seed) {
        Ok(built) => built,
        Err(error) => return Ok(Some(Err(error.lines().join("; ")))),
    };
    // The run itself gives the length and the results of the tapped one.
    let alone = match measured(&mut built, control) {
        Ok(simulated) => simulated.outcome,
        Err(WorldError::Cancelled) => return Ok(None),
        Err(error) => return Ok(Some(Err(error.to_string()))),
    };
    let mut tap = by.begin(task, &built)?;
    let seen = match run_tapped(&built.network, control, &mut tap) {
        Ok(seen) => seen,
        Err(SimError::Cancelled) => return Ok(None),
        Err(error) => return Ok(Some(Err(error.to_string()))),
    };
    let same = Outcome { events: alone.events, ..seen } == alone;
    let differs = || "the watched run differs from the run itself".to_owned();
    Ok(Some(if same { Ok(tap) } else { Err(differs()) }))
}
