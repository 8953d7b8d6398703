//! Recoveries: which segments are lost, and which leave next.
//!
//! [`Core::take_ack`] takes an ACK in, step by step, and asks the recovery for its part: absorb the
//! delivered segments, detect losses, enter a recovery. The recovery's own rule says how much may be in
//! flight during a repair:
//!
//! | module | recovery | rule | from |
//! |---|---|---|---|
//! | [`classic`] | Tahoe, Reno, NewReno | inflation of the window | RFC 5681, 6582, 3042 |
//! | [`vegas`] | Vegas | a timeout without ticks | Brakmo and Peterson, 1995 |
//! | [`sack_1996`] | SACK before RFC 6675 | pipe counts ACKs | Fall and Floyd, 1996 |
//! | [`sack`] | SACK | pipe | RFC 6675 |
//! | [`linux`] | Linux 6.1 | proportional rate reduction | RFC 8985, 9937, 5682 |
//!
//! [`scoreboard`] keeps the SACK information of `sack` and `sack_1996`.

mod classic;
mod linux;
mod sack;
mod sack_1996;
mod scoreboard;
mod vegas;

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use crate::config::{Config, Recovery};
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, LossVerdict, NextSend, ProcessedAck};
use classic::Classic;
use linux::LinuxRecovery;
pub(crate) use linux::wheel_fires;
use sack::Sack;
use sack_1996::Sack1996;
use vegas::VegasRecovery;

/// Duplicate ACKs, or segments selectively acknowledged, that show a loss (RFC 5681 section 3.2).
pub(crate) const DUP_THRESH: u32 = 3;

/// A loss recovery.
///
/// The core calls `absorb`, `detect_losses` and `enter_recovery_if_needed` for each ACK, in this order.
pub(crate) trait LossRecovery {
    /// Evidence that a recovery reads from an ACK when it absorbs it, for its next steps.
    type Evidence;

    /// Counts the segments that an ACK delivers, advances `snd_una` and samples the round-trip time.
    /// Answers none if the ACK is to be ignored.
    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<Self::Evidence>>;

    /// Marks losses, ends a recovery that is complete, and says how the window may grow.
    fn detect_losses(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &mut ProcessedAck<Self::Evidence>,
    ) -> LossVerdict;

    /// Begins a recovery, if a loss asks for one. Answers how many losses that shows beyond those of
    /// [`detect_losses`](Self::detect_losses).
    fn enter_recovery_if_needed(
        &mut self,
        _: &mut Core,
        _: Instant,
        _: &ProcessedAck<Self::Evidence>,
    ) -> u64 {
        0
    }

    /// True if an ACK that only advances `snd_una` has nothing to be judged: no recovery is under way and no
    /// duplicate ACK is counted. The core asks it only while no segment in flight was reported or sent again.
    fn is_open_without_dupacks(&self) -> bool {
        false
    }

    /// True if the core answers an ECN echo now. An echo during a repair is of a mark from before it.
    fn core_handles_ece(&self) -> bool {
        self.phase() == Phase::Open
    }

    /// The phase for controllers.
    fn phase(&self) -> Phase;

    /// True while losses are being repaired.
    #[inline]
    fn in_recovery(&self) -> bool {
        self.phase() != Phase::Open
    }

    /// Segments in flight: those that left, have not arrived, as far as ACKs tell, and are not judged
    /// lost.
    fn in_flight(&self, core: &Core) -> u64;

    /// The retransmission timer has fired.
    fn on_rto(&mut self, core: &mut Core, now: Instant);

    /// The recovery's own timer has fired.
    fn on_deadline(&mut self, _: &mut Core, _: Instant) {}

    /// When the recovery's own timer fires.
    fn deadline(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    /// How many new segments the window lets leave, if no loss is being repaired. If it does not say,
    /// the core asks [`next`](Self::next).
    fn sendable_now(&self, _: &Core) -> Option<u64> {
        None
    }

    /// Chooses the segments that leave now. They will.
    fn next(&mut self, core: &mut Core, now: Instant) -> Option<NextSend>;

    /// True if [`next`](Self::next) would choose some.
    fn has_next(&self, core: &Core) -> bool;

    /// These segments have left.
    fn sent(&mut self, _: &mut Core, _: Instant, _: &Burst) {}

    /// Pacing, or a full queue of the host, holds back until then what would leave now.
    fn on_deferred(&mut self, _: &Core, _: Instant) {}

    /// True if no segment follows `burst` until the next ACK or timer, even if the application writes; false
    /// if that is not known, or if pacing may let more leave.
    fn is_last(&self, core: &Core, burst: &Burst) -> bool {
        core.sends_by_window_alone() && burst.is_last
    }

    /// The application is about to write. Linux looks then, and not when data runs out, whether it is the
    /// application that limits the rate.
    fn note_write(&mut self, _: &mut Core) {}

    /// No segment may leave, for want of data or of room.
    #[inline]
    fn on_nothing_to_send(&mut self, core: &mut Core, in_flight: u64) {
        core.note_app_limit(in_flight);
    }

    /// Data may be sent after an idle time.
    fn restart_after_idle(&mut self, core: &mut Core, now: Instant) {
        core.restart_after_idle(now);
    }

    /// The next segments, by the recovery's choice. Each recovery has this for itself: together they
    /// would share one frame, as large as the largest.
    #[inline(never)]
    fn transmit_next(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        self.restart_after_idle(core, now);
        let in_flight = self.in_flight(core);
        let Some(next) = self.next(core, now) else {
            self.on_nothing_to_send(core, in_flight);
            return None;
        };
        if in_flight == 0 && core.outstanding() > 0 {
            core.on_empty_flight(now);
        }
        let mut burst = core.send(now, next, in_flight);
        self.sent(core, now, &burst);
        burst.is_last = self.is_last(core, &burst);
        Some(burst)
    }
}

/// Any of the recoveries.
///
/// The tag is a field of its own. Hidden in a pointer it would cost a subtraction at every call.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum AnyRecovery {
    Classic(Classic),
    Vegas(Box<VegasRecovery>),
    Sack1996(Sack1996),
    Sack(Sack),
    Linux(Box<LinuxRecovery>),
}

/// Passes a call on to whichever recovery it is.
macro_rules! each {
    ($machine:expr, $r:ident => $call:expr) => {
        match $machine {
            AnyRecovery::Classic($r) => $call,
            AnyRecovery::Vegas($r) => $call,
            AnyRecovery::Sack1996($r) => $call,
            AnyRecovery::Sack($r) => $call,
            AnyRecovery::Linux($r) => $call,
        }
    };
}

impl AnyRecovery {
    pub(crate) fn new(config: &Config) -> Self {
        match config.recovery {
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => {
                Self::Classic(Classic::new(config.recovery))
            }
            Recovery::Vegas => Self::Vegas(Box::default()),
            Recovery::Sack1996 => Self::Sack1996(Sack1996::default()),
            Recovery::Sack => Self::Sack(Sack::default()),
            Recovery::Linux => Self::Linux(Box::new(LinuxRecovery::new(config))),
        }
    }

    /// True if an ACK that only advances `snd_una` has nothing to be judged.
    #[inline]
    pub(crate) fn is_open_without_dupacks(&self) -> bool {
        each!(self, r => r.is_open_without_dupacks())
    }

    /// Runs the steps of an ACK.
    pub(crate) fn run_steps(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        match self {
            Self::Classic(r) => core.run_steps(r, now, ack),
            Self::Vegas(r) => core.run_steps(&mut **r, now, ack),
            Self::Sack1996(r) => core.run_steps(r, now, ack),
            Self::Sack(r) => core.run_steps(r, now, ack),
            Self::Linux(r) => core.run_steps(&mut **r, now, ack),
        }
    }

    pub(crate) fn on_rto(&mut self, core: &mut Core, now: Instant) {
        each!(self, r => r.on_rto(core, now));
    }

    pub(crate) fn on_deadline(&mut self, core: &mut Core, now: Instant) {
        each!(self, r => r.on_deadline(core, now));
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        each!(self, r => r.deadline())
    }

    /// How many new segments the window lets leave, if no loss is being repaired, and how many are in
    /// flight.
    #[inline]
    fn sendable_now(&self, core: &Core) -> Option<(u64, u64)> {
        match self {
            Self::Classic(r) => Some((r.sendable_now(core)?, r.in_flight(core))),
            Self::Sack(r) => Some((r.sendable_now(core)?, r.in_flight(core))),
            Self::Vegas(_) | Self::Sack1996(_) | Self::Linux(_) => None,
        }
    }

    /// The next segments, if any may leave now, where several may leave at once.
    ///
    /// Without losses, segments that are alike leave without further questions.
    /// [`transmit_next`](Self::transmit_next) would send the same.
    #[expect(clippy::inline_always, reason = "inlined, its answer stays in registers")]
    #[inline(always)]
    pub(crate) fn transmit(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        if core.outstanding() > 0
            && let Some((room, in_flight)) = self.sendable_now(core)
        {
            let sendable = core.sendable(room);
            if sendable == 0 {
                return None;
            }
            let count = core.burst_size(sendable);
            if count > 0 {
                return Some(core.send_burst(now, count, in_flight, count == sendable));
            }
        }
        self.transmit_next(core, now)
    }

    #[inline(never)]
    pub(crate) fn note_write(&mut self, core: &mut Core) {
        each!(self, r => r.note_write(core));
    }

    #[inline]
    pub(crate) fn transmit_next(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        each!(self, r => r.transmit_next(core, now))
    }

    #[inline]
    pub(crate) fn has_next(&self, core: &Core) -> bool {
        each!(self, r => r.has_next(core))
    }

    pub(crate) fn on_deferred(&mut self, core: &Core, until: Instant) {
        each!(self, r => r.on_deferred(core, until));
    }

    #[inline]
    pub(crate) fn in_flight(&self, core: &Core) -> u64 {
        each!(self, r => r.in_flight(core))
    }

    /// True while losses are being repaired.
    #[inline]
    pub(crate) fn in_recovery(&self) -> bool {
        each!(self, r => r.in_recovery())
    }
}
