//! The physics of a link: rate, delay, queue, loss.
//!
//! A [`Link`] is a state machine without a clock: [`offer`](Link::offer) hands it a packet,
//! [`next_event`](Link::next_event) says when it wants to be woken, [`step`](Link::step) answers what
//! has happened by then. Simulated and emulated networks drive the same one; a [`PredictedLink`] is
//! the same for a user who can look ahead, and tells on offer when a packet will arrive. Nothing here
//! knows of TCP, and nothing reads a file: a capacity trace is parsed from text.
//!
//! * [`packet`]: what a link must know of a packet.
//! * [`link`]: the link itself and its configuration.
//! * [`queue`]: drop-tail, threshold marking, RED, CoDel, FQ-CoDel, PIE, FQ-PIE, DualPI2, COBALT, CAKE.
//! * [`loss`]: random, bursty and scripted losses.
//! * [`jitter`], [`schedule`], [`trace`]: delay that varies, links that change, recorded capacity.
//! * [`random`]: the project's one generator, with a stream for each component.
//! * [`stats`]: what a link counts.
//! * [`histogram`]: a distribution of durations, of delays for one.

pub mod error;
pub mod histogram;
pub mod jitter;
pub mod link;
pub mod loss;
pub mod packet;
pub mod queue;
pub mod random;
pub mod schedule;
pub mod stats;
pub mod trace;

pub use error::LinkError;
pub use histogram::{DurationSummary, Histogram};
pub use jitter::{Jitter, JitterDistribution};
pub use link::{
    AckFilterConfig, AckRule, ArqConfig, BurstConfig, Capacity, DropCause, EcnPath, FecConfig,
    InTransit, Interval, Link, LinkConfig, Offer, PacketFate, PolicerConfig, PredictedLink,
    ReorderConfig, Step,
};
pub use loss::{LossConfig, Sojourns};
pub use packet::{Packet, PureAck};
pub use queue::{
    CakeConfig, CeThreshold, CoDelConfig, CobaltConfig, DualDelays, DualPi2Config, FqCoDelConfig,
    FqPieConfig, Limit, MarkAbove, PieConfig, QueueConfig, RedConfig, ThresholdConfig,
};
pub use random::Random;
pub use schedule::{Change, LinkChange};
pub use stats::{LinkStats, PacketCount, QueueLengthTimes};
pub use trace::{Trace, TraceError};
