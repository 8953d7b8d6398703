//! Long work in a thread of its own, while the calling one heeds Ctrl-C and tells the progress.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use westwood_experiment::run::GridProgress;
use westwood_scenario::file::Scenario;

use crate::registry;
use crate::scripted::Session;

/// The interval at which signals are heeded: Ctrl-C ends the work a few milliseconds later.
const TICK: Duration = Duration::from_millis(10);

/// Where runs are done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Workers {
    /// In so many threads, without the interpreter's lock.
    Threads(usize),
    /// One after the other in the calling thread, which keeps the lock: some controller is Python's.
    Caller,
}

impl Workers {
    /// For runs of a scenario, `jobs` at a time: one for each processor if none is asked for.
    pub(crate) fn of_grid(scenario: &Scenario, jobs: Option<usize>) -> Self {
        if registry::is_scripted(scenario) { Self::Caller } else { Self::threads(jobs) }
    }

    /// For runs of a controller, by its name, beside some of the catalog.
    pub(crate) fn of_controller(name: &str, jobs: Option<usize>) -> Self {
        if registry::is_scripted_name(name) { Self::Caller } else { Self::threads(jobs) }
    }

    fn threads(jobs: Option<usize>) -> Self {
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        Self::Threads(jobs.unwrap_or_else(all).max(1))
    }

    /// Runs at a time.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Threads(count) => count,
            Self::Caller => 1,
        }
    }
}

/// Work that is watched: the switch that ends it, and how far it is, as what is done and all of it.
pub(crate) struct Watch<'a> {
    /// Set to end the work.
    pub(crate) cancel: &'a AtomicBool,
    /// Done, and all.
    pub(crate) position: &'a (dyn Fn() -> (f64, f64) + Sync),
}

/// Does the runs of a grid like [`watched`]; the progress is in simulated seconds.
pub(crate) fn watched_grid<T: Send>(
    py: Python<'_>,
    workers: Workers,
    grid: &GridProgress,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let seconds = |time: westwood_cc::Duration| Duration::from_nanos(time.as_nanos()).as_secs_f64();
    let position = || (seconds(grid.simulated()), seconds(grid.total()));
    watched(py, workers, &Watch { cancel: &grid.cancel, position: &position }, progress, work)
}

/// Does some work, while `progress` is called with the position every [`TICK`].
///
/// # Errors
///
/// An exception of a signal handler, of `progress` or of a controller, after the work has been cancelled and
/// has ended.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    workers: Workers,
    watch: &Watch<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    match workers {
        Workers::Threads(_) => watched_from_outside(py, watch, progress, work),
        Workers::Caller => watched_from_within(py, watch, progress, work),
    }
}

/// Does some work in this thread. Python handles signals whenever a controller of its own acts. A thread
/// beside it calls `progress` whenever it is given the interpreter's lock.
fn watched_from_within<T>(
    py: Python<'_>,
    watch: &Watch<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T,
) -> PyResult<T> {
    let progress = progress.map(|progress| progress.clone().unbind());
    let tell = |py: Python<'_>| match &progress {
        Some(progress) => progress.call1(py, (watch.position)()).map(drop),
        None => Ok(()),
    };
    let (ended, failed) = (Ended::default(), Arc::<AtomicBool>::default());
    let (result, told) = thread::scope(|scope| {
        let ticker = scope.spawn(|| {
            let mut told = Ok(());
            while !ended.wait(TICK) {
                if progress.is_some() && told.is_ok() {
                    told = Python::attach(tell);
                }
                if told.is_err() || failed.load(Ordering::Relaxed) {
                    watch.cancel.store(true, Ordering::Relaxed);
                }
            }
            told
        });
        let result = {
            let _at_the_end = SetOnDrop(&ended);
            Session::with(&failed, work)
        };
        // It may be waiting for the lock.
        (result, py.detach(|| ticker.join()))
    });
    let result = result?;
    told.map_err(|_| PyRuntimeError::new_err("a thread panicked"))??;
    py.check_signals()?;
    tell(py)?;
    Ok(result)
}

/// Does some work without the interpreter's lock. Every [`TICK`] the calling thread takes the lock for a
/// moment, lets Python handle signals and calls `progress`.
fn watched_from_outside<T: Send>(
    py: Python<'_>,
    watch: &Watch<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let tell = || match progress {
        Some(progress) => progress.call1((watch.position)()).map(drop),
        None => Ok(()),
    };
    let ended = Ended::default();
    let mut stopped = None;
    let result = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _at_the_end = SetOnDrop(&ended);
            work()
        });
        while !py.detach(|| ended.wait(TICK)) {
            if stopped.is_none() {
                stopped = py.check_signals().and_then(|()| tell()).err();
                if stopped.is_some() {
                    watch.cancel.store(true, Ordering::Relaxed);
                }
            }
        }
        worker.join()
    });
    if let Some(error) = stopped {
        return Err(error);
    }
    tell()?;
    result.map_err(|_| PyRuntimeError::new_err("a thread of the simulator panicked"))
}

/// Whether the work has ended.
#[derive(Default)]
struct Ended {
    ended: Mutex<bool>,
    changed: Condvar,
}

impl Ended {
    /// Waits so long at most; true if the work has ended.
    fn wait(&self, most: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(ended, most, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the work has ended, even by a panic.
struct SetOnDrop<'a>(&'a Ended);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}
