//! TCP as state machines: a sender, a receiver, and the recoveries between them. Sans I/O.
//!
//! Time is an argument, packets are values, and nothing here sends or waits. A [`Sender`] is fed
//! ACKs and the time, and asked for segments until it has none; a [`Receiver`] is fed segments and
//! answers ACKs.
//!
//! Two things stay apart. The congestion controller (crate `westwood-cc`) says how much may be in
//! flight. The recovery (module `recovery`) says what is lost and what to send: while it repairs a
//! window it alone decides what leaves, and the controller's target comes into force when it ends.

mod config;
mod quick_ack;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod segment;
mod sender;

pub use config::{AckPolicy, Config, Credit, LINUX_GROWTH, Pacing, Recovery, RtoConfig, Sizes};
pub use ranges::{Range, RangeSet};
pub use receiver::{Counts, Receiver};
pub use rtt::RttEstimator;
pub use segment::{AckSegment, DataSegment, MAX_SACK_BLOCKS, SackBlocks};
pub use sender::{Burst, Note, Sender, SenderCounts, Sign};
