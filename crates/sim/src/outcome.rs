//! The results of a run.

use std::fmt;
use std::ops::Deref;

use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_net::{DualDelays, Histogram, LinkStats};
use westwood_tcp::Note;

use crate::media::FrameOutcome;

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One for each flow of the network, in its order.
    pub flows: Vec<FlowOutcome>,
    /// One for each link of the network, in its order.
    pub links: Vec<LinkOutcome>,
    /// Events that the engine handled.
    pub events: u64,
    /// From warm-up to the end.
    pub measured: Duration,
    /// The points that the probes recorded, in order of time.
    pub records: Vec<Record>,
    /// The waits of the packets whose transmission began in the measuring interval, at the link that
    /// [`Probes::delays`] names. Empty if none is named.
    ///
    /// [`Probes::delays`]: crate::Probes::delays
    pub queue_delays: Histogram,
    /// The waits of these packets in each of the link's queues, if it has two.
    pub dual_delays: Option<DualDelays>,
    /// The one-way delays of the data segments that arrived in the measuring interval, copies included, in
    /// the flows that [`Probes::one_way`] names. Empty if none is named.
    ///
    /// [`Probes::one_way`]: crate::Probes::one_way
    pub one_way_delays: Histogram,
    /// The length of an interval of [`FlowOutcome::progress`]: the longest base round-trip time of the flows
    /// that are counted, and more in a long run of many flows.
    pub progress_interval: Duration,
}

/// One flow's summary. Counts are over the measuring interval unless they say otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowOutcome {
    /// Payload bytes that arrived for the first time; beyond a proxy, those at the end of the last
    /// connection.
    pub delivered_bytes: u64,
    /// Those of them that arrived in the second half of the interval; none where they are not told apart.
    pub later_bytes: Option<u64>,
    /// Bytes on the wire that the sender put out, retransmissions and headers included.
    pub sent_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub sent: u64,
    /// Data segments retransmitted.
    pub retransmitted: u64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions found spurious and undone.
    pub undone: u64,
    /// The time in which a buffer of a host, and neither the window nor the application, kept data back.
    pub host_limited: Duration,
    /// The sender's round-trip time samples.
    pub rtts: Histogram,
    /// Propagation and transmission of one segment and its ACK over empty queues.
    pub base_rtt: Duration,
    /// Finished transfers over the whole run. The same of all flows that follow one another through proxies.
    pub completions: Vec<Completion>,
    /// Transfers that were begun and not finished by the end of the run.
    pub unfinished: u64,
    /// Short flows refused because too many were open.
    pub refused: u64,
    /// Data segments that arrived at the receiver over the whole run, copies included.
    pub data_packets: u64,
    /// The frames of a media flow; none of any other.
    pub frames: Option<Box<FrameOutcome>>,
    /// The proxy at the receiver, if there is one.
    pub proxy: Option<ProxyOutcome>,
    /// Payload bytes that arrived for the first time in each [`Outcome::progress_interval`] from the start
    /// of the run on; empty of a flow that [`Probes::progress`] does not name.
    ///
    /// [`Probes::progress`]: crate::Probes::progress
    pub progress: Vec<u64>,
}

/// The work of a proxy for a flow over the whole run. Bytes are payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProxyOutcome {
    /// Bytes that arrived for the first time.
    pub received_bytes: u64,
    /// Those of them that it held at the end of the run: the next receiver has not acknowledged them.
    pub held_bytes: u64,
    /// The most that it held at a time for one connection.
    pub most_held_bytes: u64,
}

/// A finished transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// When the transfer began.
    pub start: Instant,
    /// From its begin until the last byte arrived at the receiver, the last one beyond proxies.
    pub took: Duration,
    /// Payload.
    pub bytes: u64,
}

/// One link's summary over the measuring interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkOutcome {
    /// Share of the interval in which it transmitted.
    pub utilization: f64,
    /// Bytes that it could have transmitted.
    pub capacity_bytes: u64,
    /// Packets that reached the far end.
    pub delivered: u64,
    /// Bytes that reached the far end.
    pub delivered_bytes: u64,
    /// Packets dropped because the queue was full.
    pub dropped_overflow: u64,
    /// Packets dropped by active queue management.
    pub dropped_aqm: u64,
    /// Packets dropped by a policer.
    pub dropped_policer: u64,
    /// Packets lost after transmission.
    pub dropped_random: u64,
    /// ACKs left out because a later one made them needless.
    pub filtered: u64,
    /// Repeats, or packets of a code, that it sent to repair losses.
    pub repairs: u64,
    /// Packets that were lost and delivered all the same.
    pub repaired: u64,
    /// Packets marked by ECN.
    pub marked: u64,
    /// Time-weighted mean of the packets waiting.
    pub queue_mean: f64,
    /// Time-weighted 95th percentile of the packets waiting.
    pub queue_p95: u64,
    /// Most packets waiting.
    pub queue_max: u64,
}

impl LinkOutcome {
    /// The summary of a link's statistics over an interval of this length.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    pub fn of(stats: &LinkStats, measured: Duration) -> Self {
        Self {
            utilization: if measured.is_zero() {
                0.0
            } else {
                stats.busy.as_nanos() as f64 / measured.as_nanos() as f64
            },
            capacity_bytes: stats.capacity.get(),
            delivered: stats.delivered.packets,
            delivered_bytes: stats.delivered.bytes.get(),
            dropped_overflow: stats.overflow.packets,
            dropped_aqm: stats.aqm.packets,
            dropped_policer: stats.policed.packets,
            dropped_random: stats.random.packets,
            filtered: stats.filtered.packets,
            repairs: stats.repairs.packets,
            repaired: stats.repaired.packets,
            marked: stats.marks,
            queue_mean: stats.waiting.mean(),
            queue_p95: stats.waiting.quantile(0.95),
            queue_max: stats.waiting.max(),
        }
    }
}

/// One point of a time series.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// When.
    pub at: Instant,
    /// What.
    pub what: Point,
}

// A drawing takes thousands of each kind, and the system clears each page of memory before it gives it.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Record>() == 64, "a record has grown");

/// Why a window changed: one note or more. `Display` says them in a line.
///
/// ```
/// use westwood_sim::Notes;
/// use westwood_tcp::Note;
/// let cause = Notes::of(&[Note::Recovered, Note::TimedOut]).unwrap();
/// assert!(cause.is_reduction());
/// assert_eq!(cause.to_string(), "recovery ends; timeout");
/// assert_eq!(Notes::of(&[]), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes(Box<[Note]>);

impl Notes {
    /// These notes; none if there are none.
    pub fn of(notes: &[Note]) -> Option<Self> {
        (!notes.is_empty()).then(|| Self(notes.into()))
    }

    /// True if the window went down for congestion.
    pub fn is_reduction(&self) -> bool {
        self.iter().any(Note::is_reduction)
    }
}

impl Deref for Notes {
    type Target = [Note];

    fn deref(&self) -> &[Note] {
        &self.0
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, note) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            note.fmt(f)?;
        }
        Ok(())
    }
}

/// A point that a probe recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Point {
    /// A flow's window changed.
    Window {
        /// The flow's place in the network.
        flow: usize,
        /// The congestion window, uninflated.
        cwnd: Segments,
        /// The slow-start threshold.
        ssthresh: Segments,
        /// The bandwidth estimate, if the controller has one.
        bwe: Option<Rate>,
        /// Why; absent for ordinary growth.
        cause: Option<Notes>,
    },
    /// A round-trip time sample.
    Rtt {
        /// The flow's place in the network.
        flow: usize,
        /// The sample.
        rtt: Duration,
    },
    /// Packets waiting in a queue.
    Queue {
        /// The link's place in the network.
        link: usize,
        /// Packets waiting, the one in service left out.
        packets: u64,
    },
    /// Payload delivered since the start of the run.
    Delivered {
        /// The flow's place in the network.
        flow: usize,
        /// Bytes.
        bytes: u64,
    },
    /// The value of an estimator beside a flow's controller.
    Estimate {
        /// The flow's place in the network.
        flow: usize,
        /// Which estimator.
        kind: EstimatorKind,
        /// Its estimate.
        bwe: Rate,
    },
    /// A packet dropped.
    Drop {
        /// The link's place in the network.
        link: usize,
        /// The flow's place in the network.
        flow: usize,
    },
}
