//! Bandwidth estimates of the command's own connections.

#[cfg(not(feature = "kernel"))]
use std::convert::Infallible;
#[cfg(feature = "kernel")]
use std::os::fd::AsFd;
#[cfg(feature = "kernel")]
use std::sync::{Mutex, PoisonError};

use westwood_cc::Rate;
#[cfg(feature = "kernel")]
use westwood_kernel::KernelError;

#[cfg(feature = "kernel")]
use crate::output::tell;

/// The reader of what our controllers in the kernel estimate; a build without the kernel has none.
#[derive(Debug)]
pub(crate) struct KernelEstimates(
    #[cfg(feature = "kernel")] Mutex<westwood_kernel::estimate::Estimates>,
    #[cfg(not(feature = "kernel"))] Infallible,
);

#[cfg(feature = "kernel")]
impl KernelEstimates {
    /// The reader; none where estimates cannot be read. That is no failure: all other results stand, and a
    /// line says so.
    pub(crate) fn new() -> Option<Self> {
        let estimates = westwood_kernel::estimate::Estimates::new();
        let refused = |why: &KernelError| {
            let why = why.to_string();
            let why = why.split([';', '\n']).next().unwrap_or_default();
            tell(format_args!("warning: bandwidth estimates are not read: {why}"));
        };
        Some(Self(Mutex::new(estimates.inspect_err(refused).ok()?)))
    }

    /// The estimate of a socket's controller, if it is one of ours.
    pub(crate) fn of(&self, socket: impl AsFd) -> Option<Rate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).of(socket.as_fd())
    }
}

#[cfg(not(feature = "kernel"))]
impl KernelEstimates {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn of<T>(&self, _: T) -> Option<Rate> {
        match self.0 {}
    }
}
