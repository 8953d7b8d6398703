//! One ACK from its arrival to the next window: `tcp_ack`.
//!
//! In Linux's order: SACK blocks, cumulative acknowledgment, round-trip time, the controller's measure,
//! RACK's window, the tail loss probe, the state machine, the timer, and the window last.

use westwood_cc::controller::{Command, Grant, Phase};
use westwood_cc::{Instant, Segments};

use super::news::News;
use super::prr::Delivery;
use super::{Linux, State, rack};
use crate::ranges::Range;
use crate::segment::AckSegment;
use crate::sender::Core;

impl Linux {
    /// An ACK that is not older than the last.
    pub(super) fn take_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        let idle = core.outstanding() == 0;
        let marked = self.board.marked;
        core.flight.begin_sample(self.board.in_flight(core));
        let mut news = News::new(now, ack.echo, core.snd_una, self.board.fack(core));
        news.ece = ack.ece && core.config.ecn;
        news.advanced = ack.ack > core.snd_una;
        if news.advanced {
            self.retransmits = 0;
        }
        core.snd_una = ack.ack;
        core.snd_nxt = core.snd_max;
        self.rack.min_rtt = self.rtt.min();
        self.take_sack(core, ack, &mut news);
        if idle {
            if news.dsack {
                self.alert(core, &mut news);
            }
            self.on_probe_ack(core, &news);
            return;
        }
        self.board.advance(core, self.high_seq, &mut news, &mut self.rack);
        let sampled = self.take_rtt(core, &news);
        self.rack.min_rtt = self.rtt.min();
        news.set_timer = Self::wants_timer(core, &news, sampled);
        if news.late < news.prior_fack {
            let fack = self.board.fack(core);
            self.rack.note_reordering(news.late, fack);
        }
        let newest = news.rtts().map(|(_, newest)| newest);
        let in_flight = self.board.in_flight(core);
        core.note_rtt(newest);
        core.measure(now, core.snd_una - news.prior_una, newest, in_flight);
        self.rack.update_window(core.flight.prior_delivered(), core.flight.delivered);
        self.on_probe_ack(core, &news);
        if self.is_doubtful(&news) {
            self.alert(core, &mut news);
        }
        if news.set_timer {
            self.restart_timer(core, now);
        }
        self.control(core, &news, self.board.marked - marked);
    }

    /// SACK blocks, the report of a duplicate first.
    fn take_sack(&mut self, core: &mut Core, ack: &AckSegment, news: &mut News) {
        if let Some(duplicate) = ack.sack.duplicate() {
            self.take_duplicate(core, duplicate, news);
        }
        self.board.sack(core, &ack.sack, self.high_seq, news, &mut self.rack);
        if self.state != State::Loss || self.undo.marker.is_some() {
            let fack = self.board.fack(core);
            self.rack.note_reordering(news.late, fack);
        }
        news.late = u64::MAX;
    }

    /// `tcp_check_dsack`, `tcp_dsack_seen`.
    fn take_duplicate(&mut self, core: &mut Core, range: Range, news: &mut News) {
        if !self.undo.report(range.len(), core.counts.retransmitted) {
            return;
        }
        news.dsack = true;
        news.dsack_of_probe = self.probe.high == Some(range.end) && range.len() == 1;
        if !news.dsack_of_probe {
            self.rack.note_dsack();
        }
        // A needless copy has arrived.
        for _ in 0..range.len() {
            core.flight.deliver_unknown(news.now);
        }
        let Some(marker) = self.undo.marker else {
            return;
        };
        let copies = if range.end <= news.prior_una {
            range.len() * u64::from(range.end > marker)
        } else {
            self.board.duplicate(core, range, marker, news)
        };
        self.undo.discount(copies);
    }

    /// Takes round-trip time samples. True if there was one (`tcp_ack_update_rtt`).
    fn take_rtt(&mut self, core: &mut Core, news: &News) -> bool {
        let Some((longest, newest)) = news.rtts() else {
            return false;
        };
        self.rtt.sample_min(news.now, newest);
        self.rtt.sample(longest, core.snd_una, core.snd_max);
        core.rtt.adopt(self.rtt.srtt(), self.rtt.rto(), self.rtt.min());
        true
    }

    /// The timer starts anew when data is acknowledged, or when what was sacked left after the oldest
    /// segment did.
    fn wants_timer(core: &Core, news: &News, sampled: bool) -> bool {
        let head = core.flight.sent_at(core.snd_una);
        news.advanced
            || sampled && news.sacked_at.is_some_and(|(first, _)| head.is_some_and(|at| first < at))
    }

    /// `tcp_ack_is_dubious`.
    fn is_doubtful(&self, news: &News) -> bool {
        !news.advanced || news.sacked || news.ece || self.state != State::Open
    }

    /// The last step of an ACK (`tcp_cong_control`): a controller that commands everything is asked
    /// whatever happens; during a reduction PRR decides; else the window may grow.
    fn control(&mut self, core: &mut Core, news: &News, newly_lost: u64) {
        let in_flight = self.board.in_flight(core);
        let delivered = core.flight.acked_sacked();
        // `tcp_may_raise_cwnd`: out of order too, once reordering is usual.
        let may_raise = news.advanced || news.sacked && self.rack.reordering > rack::DUP_THRESH;
        let phase = match self.state {
            State::Open | State::Disorder | State::Reducing => Phase::Open,
            State::Recovery => Phase::Recovery,
            State::Loss => Phase::Loss,
        };
        if core.command == Command::Everything {
            core.steer(news.now, in_flight, newly_lost, phase);
        } else if self.in_reduction() {
            self.apply_prr(core, delivered, newly_lost == 0, news.advanced);
        } else if may_raise {
            if self.is_cwnd_limited(core) {
                core.grow_by(&Grant {
                    now: news.now,
                    credit: core.credit(delivered),
                    in_flight,
                    newly_lost,
                    phase,
                });
            }
            self.usage.stamp = news.now;
        }
    }

    pub(super) fn apply_prr(
        &mut self,
        core: &mut Core,
        delivered: u64,
        nothing_lost: bool,
        advanced: bool,
    ) {
        let delivery = Delivery {
            delivered,
            in_flight: self.board.in_flight(core),
            ssthresh: core.window.ssthresh.whole(),
            progress: advanced && nothing_lost,
        };
        if let Some(cwnd) = self.prr.window(&delivery) {
            core.window.cwnd = Segments::new(cwnd);
        }
    }

    /// An ACK that others have overtaken may still carry news.
    pub(super) fn take_old_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if ack.sack.is_empty() {
            return;
        }
        let mut news = News::new(now, ack.echo, core.snd_una, self.board.fack(core));
        core.flight.begin_sample(self.board.in_flight(core));
        self.take_sack(core, ack, &mut news);
        self.alert(core, &mut news);
    }
}
