//! One ACK: `tcp_ack`.
//!
//! In Linux's order: SACK blocks, cumulative acknowledgment, round-trip time, the controller's measure,
//! RACK's window, the tail loss probe, the state machine, the timer, and the window last.

use westwood_cc::Instant;
use westwood_cc::Segments;
use westwood_cc::controller::{ControlScope, Grant};

use super::flags::{AckFlags, AckKind};
use super::prr::Delivery;
use super::{CaState, LinuxRecovery, rack};
use crate::ranges::SeqRange;
use crate::recovery::LossRecovery;
use crate::segment::AckSegment;
use crate::sender::{Core, Growth, LossVerdict, ProcessedAck};

impl LinuxRecovery {
    // --- Absorb.

    /// Takes in the segments that an ACK delivers, and its round-trip time. An ACK that others have
    /// overtaken may still carry SACK blocks.
    #[inline]
    pub(super) fn take_delivered(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<AckFlags>> {
        let prior_una = core.snd_una();
        let mut flags = AckFlags::new(now, ack.echo, prior_una, self.board.fack(prior_una));
        flags.prior_marked = self.board.marked;
        flags.high_seq = self.high_seq;
        flags.kind = AckKind::of(ack, core);
        if flags.kind == AckKind::Overtaken {
            if ack.options.has_no_block() {
                return None;
            }
            self.take_sack(core, ack, prior_una, &mut flags);
            return Some(ProcessedAck { newly: 0, rtt: None, measured: false, evidence: flags });
        }
        flags.advanced = ack.ack > prior_una;
        if flags.advanced {
            self.retransmits = 0;
        }
        self.take_sack(core, ack, ack.ack, &mut flags);
        if flags.kind == AckKind::Idle {
            return Some(ProcessedAck { newly: 0, rtt: None, measured: false, evidence: flags });
        }
        let newly = ack.ack - prior_una;
        self.board.acknowledge(core, newly, &mut flags, &mut self.rack);
        let sampled = self.take_rtt(core, &flags);
        self.rack.min_rtt = self.rtt.min();
        flags.set_timer = Self::wants_timer(core, &flags, sampled);
        if flags.late < flags.prior_fack {
            self.rack.note_reordering(flags.late, self.board.fack(ack.ack));
        }
        let rtt = flags.rtts().map(|(_, newest)| newest);
        Some(ProcessedAck { newly, rtt, measured: true, evidence: flags })
    }

    /// Takes in SACK blocks, the report of a duplicate first. The same ACK acknowledges all below `una`.
    #[inline]
    fn take_sack(&mut self, core: &mut Core, ack: &AckSegment, una: u64, flags: &mut AckFlags) {
        if !ack.options.has_no_block() {
            self.take_reports(core, ack, una, flags);
        }
    }

    #[inline(never)]
    fn take_reports(&mut self, core: &mut Core, ack: &AckSegment, una: u64, flags: &mut AckFlags) {
        if let Some(duplicate) = ack.options.duplicate() {
            self.take_duplicate(core, duplicate, una, flags);
        }
        self.board.sack(core, una, &ack.options, flags, &mut self.rack);
        if !self.is_loss() || self.undo.marker.is_some() {
            self.rack.note_reordering(flags.late, self.board.fack(una));
        }
        flags.late = u64::MAX;
    }

    /// `tcp_check_dsack`, `tcp_dsack_seen`.
    fn take_duplicate(&mut self, core: &mut Core, range: SeqRange, una: u64, flags: &mut AckFlags) {
        if !self.undo.report(range.len(), core.counts().retransmitted) {
            return;
        }
        flags.dsack = true;
        flags.dsack_of_probe = range.len() == 1 && self.probe.ends_at(range.end);
        if !flags.dsack_of_probe {
            self.rack.note_dsack();
        }
        // A needless copy has arrived.
        if flags.counts_reports() {
            (0..range.len()).for_each(|_| core.deliver_unknown(flags.now));
        }
        let marker = self.undo.marker;
        let needless = if range.end <= flags.prior_una {
            // Forgotten data.
            range.len() * u64::from(marker.is_some_and(|marker| range.end > marker))
        } else if range.start > una || range.end <= una && marker.is_some() {
            // `tcp_is_sackblock_valid`: what lies above `una` needs no undo to be looked at.
            self.board.duplicate(core, range, marker, flags)
        } else {
            0
        };
        self.undo.discount(needless);
    }

    /// Takes round-trip time samples. True if there was one (`tcp_ack_update_rtt`).
    #[inline]
    fn take_rtt(&mut self, core: &mut Core, flags: &AckFlags) -> bool {
        let Some((longest, newest)) = flags.rtts() else {
            return false;
        };
        self.rtt.sample_min(flags.now, newest);
        self.rtt.sample(longest, core.snd_una(), core.snd_max());
        core.set_rtt(self.rtt.srtt(), self.rtt.rto(), self.rtt.min());
        true
    }

    /// True if the timer starts anew: data is acknowledged, or a sacked segment left before the oldest
    /// segment did.
    #[inline]
    fn wants_timer(core: &Core, flags: &AckFlags, sampled: bool) -> bool {
        let head = || core.flight().sent_at(core.snd_una());
        flags.advanced
            || sampled
                && flags.sacked_at.is_some_and(|(first, _)| head().is_some_and(|at| first < at))
    }

    // --- Judge.

    /// Runs the state machine, and says how the window changes.
    #[inline]
    pub(super) fn take_judgement(
        &mut self,
        core: &mut Core,
        now: Instant,
        flags: &mut AckFlags,
    ) -> LossVerdict {
        flags.ece = flags.kind != AckKind::Overtaken && core.is_echo();
        match flags.kind {
            AckKind::Overtaken => self.fastretrans_alert(core, flags),
            AckKind::Idle => {
                if flags.dsack {
                    self.fastretrans_alert(core, flags);
                }
                self.on_probe_ack(core, flags);
            }
            AckKind::InFlight => {
                core.end_slow_start();
                let flight = core.flight();
                self.rack.update_window(flight.prior_delivered(), flight.delivered());
                self.on_probe_ack(core, flags);
                if self.is_dubious(flags) {
                    self.fastretrans_alert(core, flags);
                }
                if flags.set_timer {
                    self.restart_timer(core, now);
                }
                let newly_lost = self.board.marked - flags.prior_marked;
                return LossVerdict { newly_lost, growth: self.growth(core, flags, newly_lost) };
            }
        }
        LossVerdict { newly_lost: 0, growth: Growth::None }
    }

    /// `tcp_ack_is_dubious`.
    #[inline]
    fn is_dubious(&self, flags: &AckFlags) -> bool {
        !flags.advanced || flags.sacked || flags.dsack || flags.ece || self.state != CaState::Open
    }

    /// The last step of an ACK (`tcp_cong_control`): during a reduction PRR decides, else the window may
    /// grow. The core asks a controller that commands everything.
    #[inline]
    fn growth(&mut self, core: &Core, flags: &AckFlags, newly_lost: u64) -> Growth {
        let delivered = core.flight().acked_sacked();
        // `tcp_may_raise_cwnd`: out of order too, once reordering is usual.
        let may_raise = flags.advanced || flags.sacked && self.rack.reordering > rack::DUP_THRESH;
        if core.control_scope() == ControlScope::Everything {
            return Growth::None;
        }
        if self.in_reduction() {
            let progress = flags.advanced && newly_lost == 0;
            return self.reduced(core, delivered, progress).map_or(Growth::None, Growth::To);
        }
        if !may_raise {
            return Growth::None;
        }
        self.validation.stamp = flags.now;
        let cwnd_limited = self.is_cwnd_limited(core);
        if !cwnd_limited && !core.handles_cwnd_limited() {
            return Growth::None;
        }
        Growth::Granted(Grant {
            now: flags.now,
            credit: core.credit(delivered),
            in_flight: self.board.in_flight(core),
            newly_lost,
            cwnd_limited,
            phase: self.phase(),
        })
    }

    /// The window that PRR allows after `delivered` segments; none if it stays.
    #[inline(never)]
    pub(super) fn reduced(
        &mut self,
        core: &Core,
        delivered: u64,
        progress: bool,
    ) -> Option<Segments> {
        let delivery = Delivery {
            delivered,
            in_flight: self.board.in_flight(core),
            ssthresh: core.window().ssthresh.whole(),
            progress,
        };
        self.prr.window(&delivery).map(Segments::new)
    }
}
