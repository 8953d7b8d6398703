//! Bandwidth estimators, usable without a connection on any recorded stream of ACKs.

use crate::controller::Ack;
use crate::units::{Instant, Rate};

/// Estimates the bandwidth that a connection uses from the stream of its ACKs.
pub trait Estimator {
    /// Takes in one ACK.
    fn on_ack(&mut self, ack: &Ack);

    /// The estimate at `now`, silence since the last ACK counted in where the estimator does so.
    fn read(&mut self, now: Instant) -> Rate;

    /// The estimate as it was left by the last event. For probes.
    fn rate(&self) -> Rate;
}
