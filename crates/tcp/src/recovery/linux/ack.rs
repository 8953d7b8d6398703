//! One ACK from its arrival to the next window: `tcp_ack`.
//!
//! In Linux's order: SACK blocks, cumulative acknowledgment, round-trip time, the controller's measure,
//! RACK's window, the tail loss probe, the state machine, the timer, and the window last.

use westwood_cc::Instant;
use westwood_cc::Segments;
use westwood_cc::controller::{Command, Grant};

use super::news::{AckOrder, News};
use super::prr::Delivery;
use super::{CaState, Linux, rack};
use crate::ranges::Range;
use crate::recovery::LossRecovery;
use crate::segment::AckSegment;
use crate::sender::{Absorbed, Core, Growth, Judgement};

impl Linux {
    // --- Absorb.

    /// Takes in the segments that an ACK delivers, and its round-trip time. An ACK that others have
    /// overtaken may still carry SACK blocks.
    pub(super) fn take_delivered(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<Absorbed<News>> {
        let prior_una = core.snd_una();
        let mut news = News::new(now, ack.echo, prior_una, self.board.fack(prior_una));
        news.prior_marked = self.board.marked;
        news.arrival = AckOrder::of(ack, core);
        if news.arrival == AckOrder::Overtaken {
            if ack.sack.is_empty() {
                return None;
            }
            self.take_sack(core, ack, prior_una, &mut news);
            return Some(Absorbed { newly: 0, rtt: None, measured: false, news });
        }
        news.ece = core.is_echo(ack);
        news.advanced = ack.ack > prior_una;
        if news.advanced {
            self.retransmits = 0;
        }
        self.rack.min_rtt = self.rtt.min();
        self.take_sack(core, ack, ack.ack, &mut news);
        if news.arrival == AckOrder::Idle {
            return Some(Absorbed { newly: 0, rtt: None, measured: false, news });
        }
        let newly = ack.ack - prior_una;
        self.board.acknowledge(core, newly, self.high_seq, &mut news, &mut self.rack);
        let sampled = self.take_rtt(core, &news);
        self.rack.min_rtt = self.rtt.min();
        news.set_timer = Self::wants_timer(core, &news, sampled);
        if news.late < news.prior_fack {
            self.rack.note_reordering(news.late, self.board.fack(ack.ack));
        }
        let rtt = news.rtts().map(|(_, newest)| newest);
        Some(Absorbed { newly, rtt, measured: true, news })
    }

    /// SACK blocks, the report of a duplicate first; `una` is acknowledged by the same ACK.
    fn take_sack(&mut self, core: &mut Core, ack: &AckSegment, una: u64, news: &mut News) {
        if let Some(duplicate) = ack.sack.duplicate() {
            self.take_duplicate(core, duplicate, news);
        }
        self.board.sack(core, una, &ack.sack, self.high_seq, news, &mut self.rack);
        if self.state != CaState::Loss || self.undo.marker.is_some() {
            self.rack.note_reordering(news.late, self.board.fack(una));
        }
        news.late = u64::MAX;
    }

    /// `tcp_check_dsack`, `tcp_dsack_seen`.
    fn take_duplicate(&mut self, core: &mut Core, range: Range, news: &mut News) {
        if !self.undo.report(range.len(), core.counts().retransmitted) {
            return;
        }
        news.dsack = true;
        news.dsack_of_probe = self.probe.high == Some(range.end) && range.len() == 1;
        if !news.dsack_of_probe {
            self.rack.note_dsack();
        }
        // A needless copy has arrived.
        for _ in 0..range.len() {
            core.deliver_unknown(news.now);
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
        self.rtt.sample(longest, core.snd_una(), core.snd_max());
        core.adopt_rtt(self.rtt.srtt(), self.rtt.rto(), self.rtt.min());
        true
    }

    /// The timer starts anew when data is acknowledged, or when a sacked segment left before the oldest
    /// segment did.
    fn wants_timer(core: &Core, news: &News, sampled: bool) -> bool {
        let head = core.flight().sent_at(core.snd_una());
        news.advanced
            || sampled && news.sacked_at.is_some_and(|(first, _)| head.is_some_and(|at| first < at))
    }

    // --- Judge.

    /// Runs the state machine, and says how the window changes.
    pub(super) fn take_judgement(
        &mut self,
        core: &mut Core,
        now: Instant,
        news: &mut News,
    ) -> Judgement {
        match news.arrival {
            AckOrder::Overtaken => self.alert(core, news),
            AckOrder::Idle => {
                if news.dsack {
                    self.alert(core, news);
                }
                self.on_probe_ack(core, news);
            }
            AckOrder::InFlight => {
                let flight = core.flight();
                self.rack.update_window(flight.prior_delivered(), flight.delivered());
                self.on_probe_ack(core, news);
                if self.is_doubtful(news) {
                    self.alert(core, news);
                }
                if news.set_timer {
                    self.restart_timer(core, now);
                }
                let newly_lost = self.board.marked - news.prior_marked;
                return Judgement { newly_lost, growth: self.growth(core, news, newly_lost) };
            }
        }
        Judgement { newly_lost: 0, growth: Growth::None }
    }

    /// `tcp_ack_is_dubious`.
    fn is_doubtful(&self, news: &News) -> bool {
        !news.advanced || news.sacked || news.ece || self.state != CaState::Open
    }

    /// The last step of an ACK (`tcp_cong_control`): during a reduction PRR decides, else the window may
    /// grow. The core asks a controller that commands everything.
    fn growth(&mut self, core: &Core, news: &News, newly_lost: u64) -> Growth {
        let delivered = core.flight().acked_sacked();
        // `tcp_may_raise_cwnd`: out of order too, once reordering is usual.
        let may_raise = news.advanced || news.sacked && self.rack.reordering > rack::DUP_THRESH;
        if core.command() == Command::Everything {
            return Growth::None;
        }
        if self.in_reduction() {
            let progress = news.advanced && newly_lost == 0;
            return self.reduced(core, delivered, progress).map_or(Growth::None, Growth::To);
        }
        if !may_raise {
            return Growth::None;
        }
        self.usage.stamp = news.now;
        if !self.is_cwnd_limited(core) {
            return Growth::None;
        }
        Growth::Granted(Grant {
            now: news.now,
            credit: core.credit(delivered),
            in_flight: self.board.in_flight(core),
            newly_lost,
            phase: self.phase(),
        })
    }

    /// The window that PRR allows after `delivered` segments; none if it stays.
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
