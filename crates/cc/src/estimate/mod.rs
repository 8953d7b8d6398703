//! Bandwidth estimators, usable without a connection on any recorded stream of ACKs.
//!
//! | estimator | one sample | smoothed by |
//! |---|---|---|
//! | [`PerAck`] | an ACK | [`Tustin`], with virtual samples of zero in silence |
//! | [`OncePerRtt`] | a round-trip time | [`Resampled`] (filter A) or [`Constant`] (filter B) |
//! | [`LinuxEstimate`] | a round-trip time, at least 50 ms | two filters of 7/8 in cascade |
//! | [`Smoothed`] | an ACK | [`Constant`], as the round-trip time is: an ablation |
//! | [`PacketPair`] | two ACKs of a burst | nothing |
//! | [`Hoe`] | three ACKs of a round trip | nothing |
//!
//! All but the last two count segments by [`AckedCount`]. [`ShadowEstimator`] is any of them, run on the ACKs
//! of a connection that has a controller of its own.

mod acked;
mod filter;
mod linux;
mod once_per_rtt;
mod packet_pair;
mod per_ack;
mod shadow;
mod smoothed;

pub use acked::{AckedCount, Counting};
pub use filter::{Constant, EitherFilter, Filter, Resampled, Tustin};
pub use linux::LinuxEstimate;
pub use once_per_rtt::{IntervalRtt, OncePerRtt, Sampling, Start};
pub use packet_pair::{Hoe, PacketPair};
pub use per_ack::PerAck;
pub use shadow::{EstimatorKind, EstimatorKinds, ShadowEstimator};
pub use smoothed::Smoothed;

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
