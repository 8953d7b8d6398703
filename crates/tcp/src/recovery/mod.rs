//! Recoveries: what is lost, and what to send.
//!
//! A recovery reads ACKs, decides what is lost, asks the controller for one reduction a loss
//! window, and names the next segment that may leave. How much may be in flight meanwhile is its
//! own affair: inflation ([`classic`]), pipe ([`sack`]), proportional rate reduction (`linux`).

mod classic;
mod linux;
mod sack;
mod sack_1996;
mod scoreboard;
mod vegas;

use westwood_cc::Instant;

use crate::config::{Config, Recovery};
use crate::segment::{AckSegment, DataSegment};
use crate::sender::{Burst, Core, New};
use classic::Classic;
use linux::Linux;
use sack::Sack;
use sack_1996::Sack1996;
use vegas::Vegas;

/// Duplicate ACKs, or segments selectively acknowledged, that show a loss (RFC 5681 section 3.2).
pub(crate) const DUP_THRESH: u32 = 3;

/// A loss recovery.
pub(crate) trait LossRecovery {
    /// Takes in an ACK: measure, judge, and let the window grow or shrink.
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment);

    /// The retransmission timer has fired.
    fn on_rto(&mut self, core: &mut Core, now: Instant);

    /// The recovery's own timer has fired.
    fn on_deadline(&mut self, core: &mut Core, now: Instant);

    /// When the recovery's own timer fires.
    fn deadline(&self) -> Instant;

    /// The segment that may leave now. It will.
    fn next_segment(&mut self, core: &mut Core, now: Instant) -> Option<u64>;

    /// True if [`next_segment`](Self::next_segment) would name one.
    fn has_segment(&self, core: &Core) -> bool;

    /// Segment `seq` has left.
    fn sent(&mut self, core: &mut Core, seq: u64, now: Instant);

    /// Segments in flight: what left and neither arrived nor was judged lost, as far as ACKs tell.
    fn in_flight(&self, core: &Core) -> u64;

    /// True while losses are being repaired.
    fn in_recovery(&self) -> bool;

    /// The next segment, if one may leave now, on its way. Each recovery has this for itself: together
    /// they would share one frame, as large as the largest.
    #[inline(never)]
    fn transmit(&mut self, core: &mut Core, now: Instant) -> Option<DataSegment> {
        self.restart_after_idle(core, now);
        let in_flight = self.in_flight(core);
        let Some(seq) = self.next_segment(core, now) else {
            core.note_app_limit(in_flight);
            return None;
        };
        let segment = core.send(now, seq, in_flight);
        self.sent(core, seq, now);
        Some(segment)
    }

    /// Something may be sent, perhaps after an idle time.
    #[inline]
    fn restart_after_idle(&mut self, core: &mut Core, now: Instant) {
        core.restart_after_idle(now);
    }
}

/// Any of the recoveries.
///
/// A tag of its own: asked for at every call, and hidden in a pointer it would cost a sum each time.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Machine {
    Classic(Classic),
    Vegas(Box<Vegas>),
    Sack1996(Sack1996),
    Sack(Sack),
    Linux(Box<Linux>),
}

impl Machine {
    pub(crate) fn new(config: &Config) -> Self {
        match config.recovery {
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => {
                Self::Classic(Classic::new(config.recovery))
            }
            Recovery::Vegas => Self::Vegas(Box::default()),
            Recovery::Sack1996 => Self::Sack1996(Sack1996::default()),
            Recovery::Sack => Self::Sack(Sack::default()),
            Recovery::Linux => Self::Linux(Box::new(Linux::new(config))),
        }
    }

    /// What the next calls of [`transmit`](LossRecovery::transmit) send, if they all answer with new
    /// segments that are alike.
    #[expect(clippy::inline_always, reason = "to hand over its answer would be half of it")]
    #[inline(always)]
    pub(crate) fn send_new(&mut self, core: &mut Core, now: Instant) -> New {
        // The others choose each segment by itself.
        match self {
            Self::Classic(classic) => classic.send_new(core, now),
            Self::Sack(sack) => sack.send_new(core, now),
            Self::Vegas(_) | Self::Sack1996(_) | Self::Linux(_) => New::Ask,
        }
    }

    /// The next segment, if one may leave now, and no pace holds it back.
    #[inline]
    pub(crate) fn send_next(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        match self {
            Self::Sack(sack) => sack.send_next(core, now),
            other => other.transmit(core, now).map(Burst::of_one),
        }
    }
}

/// Passes a call on to whichever recovery it is.
macro_rules! each {
    ($machine:expr, $r:ident => $call:expr) => {
        match $machine {
            Machine::Classic($r) => $call,
            Machine::Vegas($r) => $call,
            Machine::Sack1996($r) => $call,
            Machine::Sack($r) => $call,
            Machine::Linux($r) => $call,
        }
    };
}

impl LossRecovery for Machine {
    #[inline]
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        each!(self, r => r.on_ack(core, now, ack));
    }
    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        each!(self, r => r.on_rto(core, now));
    }
    fn on_deadline(&mut self, core: &mut Core, now: Instant) {
        each!(self, r => r.on_deadline(core, now));
    }
    #[inline]
    fn deadline(&self) -> Instant {
        each!(self, r => r.deadline())
    }
    fn next_segment(&mut self, core: &mut Core, now: Instant) -> Option<u64> {
        each!(self, r => r.next_segment(core, now))
    }
    fn transmit(&mut self, core: &mut Core, now: Instant) -> Option<DataSegment> {
        each!(self, r => r.transmit(core, now))
    }
    fn has_segment(&self, core: &Core) -> bool {
        each!(self, r => r.has_segment(core))
    }
    fn sent(&mut self, core: &mut Core, seq: u64, now: Instant) {
        each!(self, r => r.sent(core, seq, now));
    }
    fn in_flight(&self, core: &Core) -> u64 {
        each!(self, r => r.in_flight(core))
    }
    fn in_recovery(&self) -> bool {
        each!(self, r => r.in_recovery())
    }
    fn restart_after_idle(&mut self, core: &mut Core, now: Instant) {
        each!(self, r => r.restart_after_idle(core, now));
    }
}
