//! The controllers of a thread's runs, and the exception that ended them.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::default());
}

/// The state of runs whose controllers are Python objects. They run in one thread, which holds the
/// interpreter's lock throughout: a verb costs no change of hands.
#[derive(Default)]
pub(crate) struct Session {
    controllers: Vec<Py<PyAny>>,
    error: Option<PyErr>,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// Does some work with controllers in Python, in this thread. An exception of one of them sets `stop`.
    ///
    /// # Errors
    ///
    /// That exception.
    pub(crate) fn with<T>(stop: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> PyResult<T> {
        let fresh = Self { stop: Arc::clone(stop), ..Self::default() };
        // A controller may itself run experiments.
        let outer = RestoredSession(SESSION.replace(fresh));
        let result = work();
        let error = SESSION.with_borrow_mut(|session| session.error.take());
        drop(outer);
        error.map_or(Ok(result), Err)
    }

    /// Keeps the controller of a new connection; its number.
    pub(crate) fn keep(controller: Py<PyAny>) -> u64 {
        SESSION.with_borrow_mut(|session| {
            session.controllers.push(controller);
            session.controllers.len() as u64
        })
    }

    /// The controller with this number; none once an exception has been raised.
    pub(crate) fn controller(py: Python<'_>, number: u64) -> Option<Bound<'_, PyAny>> {
        SESSION.with_borrow(|session| {
            let place = usize::try_from(number).ok()?.checked_sub(1)?;
            let controller = session.controllers.get(place).filter(|_| session.error.is_none())?;
            Some(controller.bind(py).clone())
        })
    }

    /// Ends the runs with an exception.
    pub(crate) fn fail(error: PyErr) {
        SESSION.with_borrow_mut(|session| {
            session.stop.store(true, Ordering::Relaxed);
            session.error.get_or_insert(error);
        });
    }
}

/// Puts a session back in its place, even after a panic.
struct RestoredSession(Session);

impl Drop for RestoredSession {
    fn drop(&mut self) {
        SESSION.set(std::mem::take(&mut self.0));
    }
}
