//! Slow start: how the window opens while it is below ssthresh.

mod standard;

pub use standard::Standard;

use crate::controller::{Ack, Grant, Window};
use crate::units::Segments;

/// The first part of a window controller.
pub trait SlowStart {
    /// Takes in one ACK: a slow start that watches the round-trip time (HyStart) needs it.
    fn measure(&mut self, ack: &Ack);

    /// The next window after an ACK that arrives while `cwnd < ssthresh`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Grown;

    /// Slow start begins anew, after a timeout or an idle period.
    fn restarted(&mut self);
}

/// What slow start made of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The next window.
    pub window: Window,
    /// The credit that slow start had no use for; the increase takes it.
    pub left: Segments,
}
