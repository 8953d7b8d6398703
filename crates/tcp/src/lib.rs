//! TCP as state machines: a sender, a receiver, and the recoveries between them. Sans I/O.
//!
//! Time is an argument, packets are values, and nothing here sends or waits. A [`Sender`] is fed
//! ACKs and the time, and asked for segments until it has none; a [`Receiver`] is fed segments and
//! answers ACKs.
//!
//! Two things stay apart. The congestion controller (crate `westwood-cc`) says how much may be in
//! flight. The recovery says which segments are lost and which leave next: during a repair it alone
//! decides what leaves, and the controller's target comes into force when it ends.
//!
//! # Map
//!
//! ```text
//! ACK --> Sender::on_ack --> Core::take_ack --> 1 absorb  2 measure  3 judge  4 grow  5 answer
//!                                               recovery  controller recovery core    recovery
//!
//! Sender::transmit --> recovery chooses (new segments or a copy) --> Core::send --> Burst
//! ```
//!
//! | rule | file |
//! |---|---|
//! | the order of an ACK's steps | `sender/core/ack.rs` |
//! | slow start, congestion avoidance, ssthresh, the loss window (RFC 5681 section 3.1) | `sender/core/congestion.rs` |
//! | fast retransmit, fast recovery (RFC 5681 section 3.2), limited transmit (RFC 3042) | `recovery/classic.rs` |
//! | NewReno's partial ACKs (RFC 6582) | `recovery/classic.rs` |
//! | idle restart (RFC 5681 section 4.1) | `sender/core/congestion.rs` |
//! | appropriate byte counting (RFC 3465) | `sender/core/congestion.rs`, `credit` |
//! | ECN: echo, once a window, CWR (RFC 3168 section 6.1) | `sender/core/congestion.rs`, `receiver/marks.rs` |
//! | pipe, `NextSeg()`, rescue (RFC 6675) | `recovery/sack.rs`, `recovery/scoreboard.rs` |
//! | SACK before RFC 6675 | `recovery/sack_1996.rs` |
//! | SACK blocks (RFC 2018), duplicates (RFC 2883) | `receiver/ack.rs`, `ranges.rs` |
//! | delayed ACKs (RFC 5681 section 4.2), Linux's quick ACKs | `receiver/ack.rs`, `receiver/quick_ack.rs` |
//! | round-trip time, timeout (RFC 6298 section 2) | `rtt.rs` |
//! | retransmission timer (RFC 6298 section 5), Karn's rule | `sender/core.rs`, `sender/core/sending.rs` |
//! | timestamps (RFC 7323) | `receiver/reassembly.rs`, `rtt.rs`; the receiver's clock: `receiver/clock.rs` |
//! | congestion window validation, by Linux's rule (after RFC 7661) | `sender/window_usage.rs` |
//! | delivery-rate samples | `sender/departures.rs` |
//! | pacing | `sender/pacer.rs`, `sender/host_queue.rs` |
//! | RACK-TLP (RFC 8985), PRR (RFC 9937), F-RTO (RFC 5682), Eifel (RFC 3522) | `recovery/linux/` |
//! | Vegas' fine-grained retransmission | `recovery/vegas.rs` |
//! | the receiver's window, right-sizing, `tcp_rmem` | `receiver/receive_buffer.rs`, `buffers.rs` |
//! | the send buffer, `tcp_wmem`; a closed window (RFC 9293 section 3.8.6.1) | `sender/write_queue.rs`, `sender/core/host.rs` |
//! | a proxy that splits a connection (RFC 3135 section 2.4) | `receiver/relay_buffer.rs` |
//! | receivers that divide ACKs, hurry ahead, spoof and withhold (RFC 9743 section 7.6) | `receiver/misbehaviour.rs` |
//! | explicit loss notification, fair shares | `sender/core/extensions.rs`, `receiver/extensions.rs` |

mod accurate_ecn;
mod buffers;
mod config;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod segment;
mod sender;

pub use accurate_ecn::{AccEcn, EcnBytes};
pub use buffers::{BufferSizes, Buffers, ReadMode};
pub use config::{AckPolicy, Config, Credit, LINUX_GROWTH, Pacing, Recovery, RtoConfig, Sizes};
pub use ranges::{RangeSet, SeqRange};
pub use receiver::{Receiver, ReceiverBehaviour, ReceiverClock, ReceiverCounts};
pub use rtt::RttEstimator;
pub use segment::{AckOptions, AckSegment, DataSegment, MAX_SACK_BLOCKS};
pub use sender::{Burst, Note, Sender, SenderCounts, Signal};
