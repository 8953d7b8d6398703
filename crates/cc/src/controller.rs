//! The verbs by which a transport speaks to a congestion controller.
//!
//! The transport owns the window and lends it: a controller is a function from its state, the
//! window and an event to the next window. The transport may also write the window between two
//! events (proportional rate reduction, a timeout, an idle restart) without confusing anyone, and a
//! recorded event replays exactly.
//!
//! Eight verbs carry events, in the order of one ACK's life:
//!
//! | verb | when | in Linux |
//! |---|---|---|
//! | [`measure`](Controller::measure) | every ACK, before losses are judged | `pkts_acked` |
//! | [`lost`](Controller::lost) | each segment judged lost | `skb_marked_lost` of BBR's version 3 |
//! | [`reduce`](Controller::reduce) | once a loss window | `ssthresh` |
//! | [`timed_out`](Controller::timed_out) | every timeout, after `reduce` where that is due | `set_state` with `TCP_CA_Loss` |
//! | [`recovered`](Controller::recovered) | recovery ends | `CA_EVENT_COMPLETE_CWR` |
//! | [`undone`](Controller::undone) | the last reduction was spurious | `undo_cwnd` |
//! | [`grow`](Controller::grow) | the window may grow | `cong_avoid` |
//! | [`restarted`](Controller::restarted) | sending begins again after idle time | `CA_EVENT_TX_START` |
//!
//! Three answer questions: [`control_scope`](Controller::control_scope),
//! [`pacing_rate`](Controller::pacing_rate) and [`bwe`](Controller::bwe).

use core::fmt;

use crate::units::{Bytes, Duration, Instant, Rate, Ratio, RelativeDelay, Segments};

/// A congestion controller.
///
/// No verb but [`timed_out`](Controller::timed_out) has a default: a controller states every reaction.
pub trait Controller {
    /// Takes in one ACK, before the transport judges what is lost.
    fn measure(&mut self, ack: &Ack);

    /// The next window after an ACK that may open it.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window;

    /// The answer to a sign of congestion, asked once a loss window.
    ///
    /// A controller that is to run in the kernel may not let the numbers depend on `cause`: Linux
    /// tells it only afterwards.
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction;

    /// The retransmission timer has fired. Told at every timeout, behind [`reduce`](Controller::reduce) where
    /// the window of data has not been answered yet, as Linux sets the state `TCP_CA_Loss`. Most controllers
    /// have nothing to add.
    fn timed_out(&mut self, _now: Instant) {}

    /// A segment is judged lost. Told to a controller that commands [`Everything`](ControlScope::Everything),
    /// before it is asked to [`reduce`](Controller::reduce) or to [`grow`](Controller::grow).
    fn lost(&mut self, segment: &LostSegment);

    /// The window with which sending goes on when recovery from a fast retransmit ends.
    ///
    /// `w` holds the `resume` and `ssthresh` that [`reduce`](Controller::reduce) answered.
    fn recovered(&mut self, w: Window, now: Instant) -> Window;

    /// The last reduction was spurious. `now_w` is the window at present, `before` the one in force
    /// when the reduction was asked for. Answers the window to go on with.
    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window;

    /// Sending begins again after `idle` with nothing outstanding. Some of Linux's modules are told of copies
    /// that leave with nothing in flight, too: `AnyController::hears_empty_flight`.
    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window;

    /// How far the controller's command reaches; the same as long as a connection lasts.
    fn control_scope(&self) -> ControlScope;

    /// The rate at which the controller wants its segments spread out, if it has a wish. It counts where the
    /// transport paces: if the controller commands [`Everything`](ControlScope::Everything), or with
    /// `pacing=on`.
    fn pacing_rate(&self) -> Option<Rate>;

    /// The bandwidth estimate, if the controller keeps one. For probes; not used by the transport.
    fn bwe(&self) -> Option<Rate>;
}

/// How far a controller's command reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlScope {
    /// The window outside recovery. Recovery decides what may be sent until it ends.
    Window,
    /// The window at every ACK, recovery included, and the pacing rate: BBR. The transport then
    /// calls [`Controller::grow`] on every ACK and does not reduce the window of its own accord.
    Everything,
}

/// The congestion window and the slow-start threshold, without any inflation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: Segments,
    /// The slow-start threshold: slow start while `cwnd < ssthresh`.
    pub ssthresh: Segments,
}

impl Window {
    /// True in slow start (RFC 5681 section 3.1).
    pub fn in_slow_start(self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The larger of both windows and of both thresholds: a reduction taken back takes nothing from the
    /// growth since.
    pub(crate) fn or_larger(self, other: Self) -> Self {
        Self { cwnd: self.cwnd.max(other.cwnd), ssthresh: self.ssthresh.max(other.ssthresh) }
    }
}

/// The information of one ACK.
///
/// Counts of segments are whole; sequence numbers count segments from the connection's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Arrival time.
    pub now: Instant,
    /// The sender's maximum segment size: the payload that goodput counts.
    pub smss: Bytes,
    /// Segments newly covered by the cumulative acknowledgment; 0 for a duplicate.
    pub newly: u64,
    /// The round-trip time sample that this ACK gave, if any.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time with this sample in it (RFC 6298); zero before the first.
    pub srtt: Duration,
    /// Segments in flight after this ACK, as recovery counts them.
    pub in_flight: u64,
    /// Segments delivered since the start: acknowledged, or selectively acknowledged, once.
    pub delivered: u64,
    /// Those of them that ACKs with an echo of a congestion mark delivered.
    pub delivered_ce: u64,
    /// The time that a segment took to the receiver, and that its ACK waited there, by the clocks of both:
    /// where the ACK has the receiver's. A queue on the ACK's way has no part in it.
    pub one_way_delay: Option<RelativeDelay>,
    /// Whether it is the ACK that Linux's header prediction expects, with neither SACK blocks nor a mark's
    /// echo and with the window of the last one; none if the receiver tells no window.
    pub predicted: Option<bool>,
    /// The oldest segment not acknowledged, this ACK included.
    pub snd_una: u64,
    /// The next segment to be sent for the first time.
    pub snd_nxt: u64,
    /// The delivery-rate sample, where the transport takes one, as it must for a controller that
    /// commands [`Everything`](ControlScope::Everything), and for `nv`. No other reads it.
    pub sample: Option<DeliverySample>,
}

impl Ack {
    /// True if the ACK covers nothing new.
    pub fn is_duplicate(&self) -> bool {
        self.newly == 0
    }
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation; Linux's `rate_sample`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliverySample {
    /// Segments delivered over the interval.
    pub delivered: u64,
    /// The interval: the longer of its send and its ACK phase.
    pub interval: Duration,
    /// [`Ack::delivered`] when the newest acknowledged segment was sent.
    pub prior_delivered: u64,
    /// Segments judged lost by then, each counted once for each time it was sent.
    pub prior_lost: u64,
    /// Segments in flight when it was sent, itself included.
    pub in_flight_at_departure: u64,
    /// Segments in flight before this ACK.
    pub prior_in_flight: u64,
    /// Segments acknowledged or selectively acknowledged by this ACK.
    pub acked_sacked: u64,
    /// The sender had nothing to send for part of the interval.
    pub app_limited: bool,
}

/// A segment that is judged lost, and how things stood when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Time.
    pub now: Instant,
    /// Its number, counted from the connection's start.
    pub seq: u64,
    /// Segments in flight when it was sent, itself included.
    pub in_flight: u64,
    /// Segments judged lost since then, itself included.
    pub lost_since: u64,
    /// The sender had nothing more to send then.
    pub app_limited: bool,
}

/// The growth that an ACK allows, and the connection's state once losses are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Time.
    pub now: Instant,
    /// How much this ACK counts: 1 in the papers, the segments it acknowledges with byte counting
    /// (RFC 3465) and in Linux.
    pub credit: Segments,
    /// Segments in flight, those judged lost left out.
    pub in_flight: u64,
    /// Segments judged lost on this ACK.
    pub newly_lost: u64,
    /// The window was full at some time of this round or of the one before.
    pub cwnd_limited: bool,
    /// The transport's phase.
    pub phase: Phase,
}

impl Grant {
    /// One ACK outside recovery that counts `credit`: enough for a controller that owns only its
    /// increase.
    pub fn open(now: Instant, credit: Segments) -> Self {
        Self { now, credit, in_flight: 0, newly_lost: 0, cwnd_limited: true, phase: Phase::Open }
    }
}

/// The phase of the transport while the window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// Fast recovery. A reduction after an ECN mark is reported as [`Open`](Self::Open).
    Recovery,
    /// Recovery after a retransmission timeout.
    Loss,
}

/// Why the window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A loss seen by duplicate ACKs or by selective acknowledgments.
    FastRetransmit,
    /// The retransmission timer expired.
    Timeout,
    /// An ECN mark echoed by the receiver.
    Ecn,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FastRetransmit => "fast retransmit",
            Self::Timeout => "timeout",
            Self::Ecn => "ECN mark",
        })
    }
}

/// A controller's answer to congestion.
///
/// The two windows differ where the 2002 Westwood keeps a window that is already below its
/// estimate, and for the Linux controllers that raise the window when recovery ends. After a
/// timeout the transport sets cwnd itself (RFC 5681: one segment).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The new slow-start threshold, at least two segments.
    pub ssthresh: Segments,
    /// The window at which recovery ends, at least one segment.
    pub resume: Segments,
    /// How the threshold came about, for people.
    pub reason: Reason,
}

/// How a threshold came about, in words through `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A fixed share of the window.
    Share(Ratio),
    /// The bandwidth estimate times the smallest round-trip time.
    Estimate {
        /// The estimate.
        bwe: Rate,
        /// The smallest round-trip time.
        min_rtt: Duration,
    },
    /// A router's fair share of its link times the smallest round-trip time. No controller's own
    /// answer: the transport puts it in its place.
    RouterShare {
        /// The share.
        share: Rate,
        /// The smallest round-trip time.
        min_rtt: Duration,
    },
    /// The controller leaves the window to its model of the path.
    Model,
    /// A rule that a user has written, or an agent.
    Own,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(r) => write!(f, "{}/{} of the window", r.num(), r.den()),
            Self::Estimate { bwe, min_rtt } => write!(f, "bwe {bwe} x min_rtt {min_rtt}"),
            Self::RouterShare { share, min_rtt } => write!(f, "share {share} x min_rtt {min_rtt}"),
            Self::Model => f.write_str("model of the path"),
            Self::Own => f.write_str("the controller's own rule"),
        }
    }
}

/// The tail of a controller that commands the window alone and leaves pacing to the transport: its
/// [`lost`](Controller::lost), [`control_scope`](Controller::control_scope),
/// [`pacing_rate`](Controller::pacing_rate) and [`bwe`](Controller::bwe). A controller with a bandwidth
/// estimate says how it is read.
macro_rules! window_only {
    () => {
        $crate::controller::window_only!(|_| None);
    };
    ($bwe:expr) => {
        fn lost(&mut self, _: &$crate::controller::LostSegment) {}

        fn control_scope(&self) -> $crate::controller::ControlScope {
            $crate::controller::ControlScope::Window
        }

        fn pacing_rate(&self) -> Option<$crate::units::Rate> {
            None
        }

        fn bwe(&self) -> Option<$crate::units::Rate> {
            let read: fn(&Self) -> Option<$crate::units::Rate> = $bwe;
            read(self)
        }
    };
}
pub(crate) use window_only;

/// [`window_only!`] for a controller that remembers nothing from a reduction to its end, with
/// [`recovered`](Controller::recovered), [`undone`](Controller::undone) and
/// [`restarted`](Controller::restarted): the window stays, and a reduction taken back restores the larger
/// one, or what this function makes of the window at present and that before.
macro_rules! window_only_without_memory {
    () => {
        $crate::controller::window_only_without_memory!($crate::controller::Window::or_larger);
    };
    ($undone:path) => {
        fn recovered(
            &mut self,
            w: $crate::controller::Window,
            _: $crate::units::Instant,
        ) -> $crate::controller::Window {
            w
        }

        fn undone(
            &mut self,
            now_w: $crate::controller::Window,
            before: $crate::controller::Window,
            _: $crate::units::Instant,
        ) -> $crate::controller::Window {
            $undone(now_w, before)
        }

        fn restarted(
            &mut self,
            w: $crate::controller::Window,
            _: $crate::units::Duration,
            _: $crate::units::Instant,
        ) -> $crate::controller::Window {
            w
        }

        $crate::controller::window_only!();
    };
}
pub(crate) use window_only_without_memory;

/// The facts that a controller is told when a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The sender's maximum segment size.
    pub smss: Bytes,
    /// The initial window.
    pub initial_window: Segments,
    /// The round-trip time sample of the handshake, if there was one.
    pub handshake_rtt: Option<Duration>,
    /// Segments leave at a pace: no ACK train tells of the path's rate.
    pub paced: bool,
    /// For controllers that draw lots (BBR's first probing phase): the same seed, the same draws.
    pub seed: u64,
}

impl Setup {
    /// Any connection: for questions whose answer is the same in all of them.
    pub(crate) const fn example(seed: u64) -> Self {
        let (smss, initial_window) = (Bytes::new(1_500), Segments::new(10));
        Self { smss, initial_window, handshake_rtt: None, seed, paced: false }
    }
}
