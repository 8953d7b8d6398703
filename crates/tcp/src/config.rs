//! The settings of a connection.

use core::fmt;

use westwood_cc::modifiers::Modifiers;
use westwood_cc::{Bytes, Duration, Ecn, EcnFeedback, Segments};

use crate::buffers::Buffers;
use crate::receiver::clock::ReceiverClock;
use crate::receiver::misbehaviour::ReceiverBehaviour;

/// Everything about a connection but its controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which segments are retransmitted, and when.
    pub recovery: Recovery,
    /// Sizes on the wire.
    pub sizes: Sizes,
    /// Initial window, at least one segment (RFC 6928: 10).
    pub initial_window: Segments,
    /// Initial slow-start threshold; [`Segments::MAX`] for none.
    pub initial_ssthresh: Segments,
    /// The receiver's window in segments, at least one: it never closes.
    pub receive_window: u64,
    /// How the receiver answers.
    pub receiver: ReceiverBehaviour,
    /// The buffers of the two hosts, where they may limit.
    pub buffers: Buffers,
    /// When the receiver acknowledges.
    pub acks: AckPolicy,
    /// Send one new segment on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// The round-trip time sample that the handshake gave, if there was one: a connection here begins
    /// with its data. Without timestamps a coarse clock counts its ticks up to the first segment.
    pub handshake_rtt: Option<Duration>,
    /// Measure the round-trip time by timestamps (RFC 7323), else one timed segment a window with
    /// Karn's rule (RFC 6298 section 3).
    pub timestamps: bool,
    /// The receiver's clock, which ACKs tell beside the time that they echo: then the controller has one-way
    /// delays. Needs timestamps. None: only the echo counts.
    pub receiver_clock: Option<ReceiverClock>,
    /// How much one ACK counts for the growth of the window.
    pub credit: Credit,
    /// Whether segments are spread over the round-trip time.
    pub pacing: Pacing,
    /// The modifiers beside the controller. Of no effect with one that commands everything.
    pub modifiers: Modifiers,
    /// Negotiate ECN (RFC 3168).
    pub ecn: bool,
    /// How the receiver tells the sender of marks, with ECN: as the controller needs it.
    pub ecn_feedback: EcnFeedback,
    /// The codepoint of new data, with ECN: the controller's.
    pub ect: Ecn,
    /// Negotiate explicit loss notification: the receiver reports segments that arrived damaged, and
    /// the sender repairs a window whose first hole was reported without reducing. Of no effect with
    /// the recoveries [`Tahoe`](Recovery::Tahoe) and [`Linux`](Recovery::Linux).
    pub eln: bool,
    /// Read the routers' fair shares: at a loss, ssthresh and the window at which recovery ends are the
    /// share times the smallest round-trip time, in place of the controller's.
    pub fair_share: bool,
    /// Tahoe and Reno too answer duplicate ACKs only beyond what the last reduction covered (RFC 6582
    /// section 3.2 step 2, "Careful"), else every third duplicate, in a timeout's repair as well, as
    /// they were before that rule. NewReno always has it.
    pub careful: bool,
    /// Each timeout computes ssthresh anew, though the segment is one that a timeout has sent again
    /// before, as the classical algorithm and ns-2 do, else only its first one (RFC 5681 section 3.1).
    /// Of no effect with the recovery [`Linux`](Recovery::Linux).
    pub reduce_each_timeout: bool,
    /// NewReno's retransmission timer is reset by the first partial ACK only, as RFC 6582 section 3.2
    /// step 3 says ("Impatient" in RFC 3782 section 4), else by every one ("Slow-but-Steady" there):
    /// then hundreds of losses are repaired at one a round-trip time.
    pub impatient: bool,
    /// The ACK that ends Reno's or NewReno's fast recovery also lets the window grow, as in ns-2,
    /// else it only restores the window (RFC 5681 section 3.2 (6)).
    pub last_ack_grows: bool,
    /// After an idle time of one RTO begin again with the initial window (RFC 5681 section 4.1).
    pub idle_restart: bool,
    /// The retransmission timer runs on after the last ACK. If it fires with nothing outstanding, the window
    /// is one segment: ns-2's `slow_start_restart_` (`TcpAgent::newtimer`, `TcpAgent::timeout`). In place of
    /// [`idle_restart`](Self::idle_restart), and of no effect with the recovery [`Linux`](Recovery::Linux).
    pub idle_timeout: bool,
    /// The window grows only when it limited the sender (RFC 7661; Linux's `tcp_is_cwnd_limited`).
    pub cwnd_validation: bool,
    /// Habits of ns-2.35's agents and receivers that no RFC asks for. Of no effect with the recoveries
    /// [`Vegas`](Recovery::Vegas), [`Sack`](Recovery::Sack) and [`Linux`](Recovery::Linux).
    ///
    /// * While a timeout's or Tahoe's repair goes on, the first two duplicate ACKs let an old segment out
    ///   each (`TcpAgent::send_one`).
    /// * The timer's back-off outlasts samples by timestamps until data sent after the timeout is
    ///   acknowledged (`TcpAgent::newack`), and the fourth doubling clears the mean round-trip time
    ///   (`TcpAgent::rtt_backoff`).
    /// * Partial ACKs give the timer no sample (`NewRenoTcpAgent::partialnewack`, `Sack1TcpAgent::recv`), and
    ///   without timestamps copies end no timing (`TcpAgent::output`).
    /// * ssthresh is cut to whole segments, and half of a window below four segments is less than two
    ///   (`TcpAgent::slowdown`). A partial ACK of more than duplicates have told of lowers NewReno's window
    ///   for good.
    /// * After a lost SYN ssthresh is two segments (`TcpAgent::timeout`).
    /// * With ECN a timeout after a mark leaves ssthresh as it is. A mark after a timeout is answered
    ///   at once, and a third duplicate after it begins a recovery in the timeout's repair too. A
    ///   recovery in the window of a mark ends at the mark's point (`TcpAgent::timeout`, `ecn`,
    ///   `dupack_action`). Copies are ECN-capable and tell of reductions, and ACKs of marks are
    ///   delayed.
    /// * A mark at a window of one segment leaves half of it, and the next segment waits for the timer, which
    ///   each further mark in a row doubles (`TcpAgent::ecn`, `slowdown`, `newtimer`; RFC 3168, section
    ///   6.1.2). A partial ACK opens the window again (`NewRenoTcpAgent::partialnewack`). The window does
    ///   not grow on the ACK that ends a recovery if it echoes a mark (`TcpAgent::recv_newack_helper`).
    /// * The receiver delays the ACK of a copy of the last segment in order (`DelAckSink::recv`), remembers
    ///   and reports three ranges (`maxSackBlocks_`), and echoes the timestamp of copies below the window
    ///   (`Acker::update_ts`). A delayed ACK that is due in the instant in which a segment arrives goes first
    ///   (`Scheduler`).
    pub ns2_habits: bool,
}

impl Config {
    /// True if ns-2's habits have an effect: its agents' recoveries have them.
    pub fn has_ns2_habits(&self) -> bool {
        use Recovery::{NewReno, Reno, Sack1996, Tahoe};
        self.ns2_habits && matches!(self.recovery, Tahoe | Reno | NewReno | Sack1996)
    }

    /// The size of a SYN and of its answer. Linux's have, beside an ACK's timestamps, the options of the
    /// largest segment and of the window's scale, and that of SACK, for which the timestamps' padding has
    /// room (`tcp_syn_options`). With the other recoveries they have no size, nor where an ACK has none.
    pub fn syn_size(&self) -> Bytes {
        if self.recovery != Recovery::Linux || self.sizes.ack == Bytes::ZERO {
            return Bytes::ZERO;
        }
        self.sizes.ack + Bytes::new(if self.timestamps { 8 } else { 12 })
    }
}

impl Default for Config {
    /// RFC behaviour with SACK, packet sizes as the papers count.
    fn default() -> Self {
        Self {
            recovery: Recovery::Sack,
            sizes: Sizes::default(),
            initial_window: Segments::new(10),
            initial_ssthresh: Segments::MAX,
            receive_window: 1 << 24,
            receiver: ReceiverBehaviour::Honest,
            buffers: Buffers::default(),
            acks: AckPolicy::default(),
            limited_transmit: true,
            rto: RtoConfig::default(),
            handshake_rtt: None,
            timestamps: true,
            receiver_clock: None,
            credit: Credit::PerAck,
            pacing: Pacing::Off,
            modifiers: Modifiers::default(),
            ecn: false,
            ecn_feedback: EcnFeedback::default(),
            ect: Ecn::Ect0,
            eln: false,
            fair_share: false,
            careful: true,
            reduce_each_timeout: false,
            ns2_habits: false,
            impatient: true,
            last_ack_grows: false,
            idle_restart: true,
            idle_timeout: false,
            cwnd_validation: true,
        }
    }
}

/// A loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// Every loss: back to the first unacknowledged segment in slow start.
    Tahoe,
    /// Fast retransmit and fast recovery, ended by the first new ACK (RFC 2581).
    Reno,
    /// A partial ACK retransmits the next hole (RFC 6582).
    NewReno,
    /// Fine-grained retransmission: L. S. Brakmo, L. L. Peterson, "TCP Vegas", IEEE JSAC 13(8), 1995,
    /// section 3.1, as in ns-2's agent.
    Vegas,
    /// Selective acknowledgments as in K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe, Reno,
    /// and SACK TCP", CCR 26(3), 1996, and in ns-2's `Sack1` agent: pipe counts ACKs.
    Sack1996,
    /// Selective acknowledgments (RFC 2018) with the pipe algorithm (RFC 6675).
    Sack,
    /// Linux 6.1: RACK-TLP, PRR, F-RTO, undo.
    Linux,
}

impl Recovery {
    /// All of them, the oldest first.
    pub const ALL: [Self; 7] = [
        Self::Tahoe,
        Self::Reno,
        Self::NewReno,
        Self::Vegas,
        Self::Sack1996,
        Self::Sack,
        Self::Linux,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tahoe => "tahoe",
            Self::Reno => "reno",
            Self::NewReno => "newreno",
            Self::Vegas => "vegas",
            Self::Sack1996 => "sack-1996",
            Self::Sack => "sack",
            Self::Linux => "linux",
        }
    }

    /// A line about it.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Tahoe => "slow start from one segment after every loss",
            Self::Reno => "fast recovery, ended by the first new ACK (RFC 2581)",
            Self::NewReno => "fast recovery through partial ACKs (RFC 6582)",
            Self::Vegas => "a timeout without ticks, looked at on the first duplicate ACK",
            Self::Sack1996 => {
                "SACK as Fall and Floyd simulated it, and ns-2 does: pipe counts ACKs"
            }
            Self::Sack => "selective acknowledgments and pipe (RFC 6675)",
            Self::Linux => "Linux 6.1: RACK-TLP, PRR, F-RTO, undo",
        }
    }

    /// True if the receiver reports the segments it holds out of order.
    pub const fn uses_sack(self) -> bool {
        matches!(self, Self::Sack1996 | Self::Sack | Self::Linux)
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sizes on the wire.
///
/// The papers count a packet's stated size both on the link and as goodput: payload 1500, header 0.
/// A wire counts payload 1448 and header 52.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Payload of a full segment: smss. Goodput counts it.
    pub payload: Bytes,
    /// Header of a data segment.
    pub header: Bytes,
    /// A pure ACK.
    pub ack: Bytes,
    /// The size of each SACK block in an ACK.
    pub sack_block: Bytes,
}

impl Sizes {
    /// The bytes that the option of SACK blocks adds to an ACK beside its blocks. Where a block has a size,
    /// Linux's option has its kind and length (RFC 2018 section 3) and two bytes before them that align the
    /// blocks (`TCPOLEN_SACK_BASE_ALIGNED`). ns-2's agents count blocks alone (`sa_size_`).
    pub fn sack_option(&self, recovery: Recovery) -> Bytes {
        let is_counted = recovery == Recovery::Linux && self.sack_block > Bytes::ZERO;
        Bytes::new(if is_counted { 4 } else { 0 })
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            payload: Bytes::new(1500),
            header: Bytes::ZERO,
            ack: Bytes::new(40),
            sack_block: Bytes::ZERO,
        }
    }
}

/// When a receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// Every segment.
    Each,
    /// Every second segment, or when the timer expires, or at once while something is missing
    /// (RFC 5681 section 4.2).
    Delayed {
        /// How long one segment may wait.
        timer: Duration,
    },
    /// As Linux: each segment while the sender may be in slow start, then delayed by an estimate of
    /// the gap between arrivals.
    Linux {
        /// Segments by which the receiver's window grows at first: each is acknowledged at once.
        growth: u32,
    },
}

impl AckPolicy {
    /// Linux 6.1 with a receive buffer of 16 MiB.
    pub const LINUX: Self = Self::Linux { growth: LINUX_GROWTH };
}

/// Half of a receive buffer of 16 MiB beyond 64 KiB, two segments at a time (`tcp_grow_window`, 6.1).
pub const LINUX_GROWTH: u32 = 2_880;

impl Default for AckPolicy {
    fn default() -> Self {
        Self::Delayed { timer: Duration::from_millis(100) }
    }
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// Before the first sample (section 2.1: 1 s).
    pub initial: Duration,
    /// Smallest timeout (section 2.4: 1 s).
    pub min: Duration,
    /// Largest timeout (section 2.5: at least 60 s).
    pub max: Duration,
    /// Clock granularity G: samples and timeouts are whole ticks of it; zero for a perfect clock.
    pub granularity: Duration,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(1),
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            granularity: Duration::ZERO,
        }
    }
}

/// How much one ACK counts for the growth of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credit {
    /// One segment, as the papers and ns-2.
    PerAck,
    /// The segments that it acknowledges, as Linux: byte counting without a limit.
    PerSegment,
    /// Appropriate byte counting (RFC 3465): the segments that it acknowledges, but in slow start at
    /// most two, and one in the slow start after a timeout.
    Limited,
}

/// Whether segments are spread over the round-trip time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// A segment leaves as soon as the window allows it. A controller whose command covers the rate
    /// (BBR) is paced nevertheless.
    Off,
    /// At the controller's own rate, else at 2 cwnd / srtt while cwnd is below ssthresh / 2 and at 1.2
    /// cwnd / srtt above. The outstanding segments stand in for cwnd where they are more. Each segment
    /// is chosen when it leaves, as by Linux's own timer for BBR.
    On,
    /// At the same rates, but the next two segments, or a millisecond's worth, are chosen ahead and
    /// wait in the host with the time of their departure, as in Linux's fq queue.
    Fq,
}
