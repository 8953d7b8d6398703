//! Bandwidth estimates of the command's own connections.

#[cfg(feature = "kernel")]
use std::os::fd::AsFd;
#[cfg(feature = "kernel")]
use std::sync::{Mutex, PoisonError};

use westwood_cc::Rate;

/// Reads what the controllers of ours estimate.
#[cfg(feature = "kernel")]
#[derive(Debug)]
pub(crate) struct Estimates(Mutex<westwood_kernel::estimate::Estimates>);

#[cfg(feature = "kernel")]
impl Estimates {
    /// None where they cannot be read; that is no failure, since whatever else is measured stands.
    pub(crate) fn new() -> Option<Self> {
        let estimates = westwood_kernel::estimate::Estimates::new().ok()?;
        Some(Self(Mutex::new(estimates)))
    }

    /// That of a socket, if its controller is one of ours.
    pub(crate) fn of(&self, socket: impl AsFd) -> Option<Rate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).of(socket.as_fd())
    }
}

/// This build cannot read them: there are none.
#[cfg(not(feature = "kernel"))]
#[derive(Debug)]
pub(crate) enum Estimates {}

#[cfg(not(feature = "kernel"))]
impl Estimates {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn of<T>(&self, _: T) -> Option<Rate> {
        match *self {}
    }
}
