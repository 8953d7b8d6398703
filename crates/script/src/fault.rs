//! Faults of controllers while a connection runs.
//!
//! A controller has no way to end the run that it is part of, and its caller is far away. A run is therefore
//! watched by its thread: a fault is kept there, and a switch tells the engine to end.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::event::VerbName;

/// A value that a controller computed and that is none.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFault {
    /// The controller.
    pub controller: &'static str,
    /// Its verb.
    pub verb: VerbName,
    /// The statement that computed it.
    pub statement: String,
    /// Where the statement begins in the verb's text: characters, from 1.
    pub column: usize,
    /// The value: infinite, or no number.
    pub value: f64,
    /// An argument of the statement that had no value.
    pub absent: Option<&'static str>,
    /// Simulated seconds, where the verb is told the time.
    pub time_s: Option<f64>,
}

impl fmt::Display for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { controller, verb, statement, column, .. } = self;
        let value = if self.value.is_nan() { "no number" } else { "infinite" };
        write!(
            f,
            "controller '{controller}': {}, column {column}: '{statement}' is {value}",
            verb.name()
        )?;
        if let Some(time) = self.time_s {
            write!(f, " at {time:.6} s")?;
        }
        match self.absent {
            Some(name) => write!(f, "; '{name}' has no value there: ask has({name}) first"),
            None => Ok(()),
        }
    }
}

/// A run that is being watched.
struct WatchedRun {
    stop: Arc<AtomicBool>,
    fault: Option<ScriptFault>,
}

thread_local! {
    static WATCHED: RefCell<Option<WatchedRun>> = const { RefCell::new(None) };
}

/// Does a run, or a part of one, in this thread, and tells the first fault of a controller in it. The run is
/// given a switch that a fault sets: it is to end then. From a fault on the verb is Reno's.
pub fn watched<T>(run: impl FnOnce(&AtomicBool) -> T) -> (T, Option<ScriptFault>) {
    let stop = Arc::<AtomicBool>::default();
    let fresh = WatchedRun { stop: Arc::clone(&stop), fault: None };
    let outer = RestoredRun(WATCHED.replace(Some(fresh)));
    let result = run(&stop);
    let fault = WATCHED.with_borrow_mut(|run| run.as_mut().and_then(|run| run.fault.take()));
    drop(outer);
    (result, fault)
}

/// Keeps a fault, if the run is watched and it is the first.
#[cold]
pub(crate) fn note(fault: ScriptFault) {
    WATCHED.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.stop.store(true, Ordering::Relaxed);
            run.fault.get_or_insert(fault);
        }
    });
}

/// Puts an outer run back in its place, even after a panic.
struct RestoredRun(Option<WatchedRun>);

impl Drop for RestoredRun {
    fn drop(&mut self) {
        WATCHED.set(self.0.take());
    }
}
