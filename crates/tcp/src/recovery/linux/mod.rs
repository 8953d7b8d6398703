//! Linux 6.1's recovery: RACK-TLP, PRR, F-RTO and undo, as `tcp_ack` puts them together.
//!
//! The model is `net/ipv4/tcp_input.c`, `tcp_recovery.c`, `tcp_output.c` and `tcp_timer.c`; no code is
//! taken from there.
//!
//! | module | subject | source |
//! |---|---|---|
//! | [`ack`] | one ACK in Linux's order | `tcp_ack`, `tcp_cong_control` |
//! | [`state`] | the states and how they change, undo | `tcp_fastretrans_alert` |
//! | [`scoreboard`] | marks on segments, order of sending | `tcp_sacktag_write_queue`, `tcp_clean_rtx_queue` |
//! | [`loss`] | timeouts, F-RTO | RFC 5682; `tcp_enter_loss`, `tcp_process_loss` |
//! | [`flags`] | flags and stamps of an ACK, round-trip time samples | `FLAG_*`, `tcp_ack_update_rtt` |
//! | [`prr`] | the window while it is being reduced | RFC 9937; `tcp_cwnd_reduction` |
//! | [`rack`] | losses | RFC 8985; `tcp_rack_detect_loss` |
//! | [`rtt`] | the timeout | RFC 6298; `tcp_rtt_estimator` |
//! | [`timer`] | one timer for three purposes | `tcp_rearm_rto`, `tcp_schedule_loss_probe` |
//! | [`tlp`] | tail loss probes | RFC 8985 section 7; `tcp_process_tlp_ack` |
//! | [`undo`] | the evidence of a needless reduction | RFC 3522, RFC 3708; `tcp_may_undo` |
//! | [`validation`] | windows that are not used | RFC 7661, RFC 2861; `tcp_cwnd_validate` |
//!
//! Where Linux 6.1, and so this module, differs from RFC 8985 (RACK-TLP):
//!
//! | section | RFC 8985 | Linux 6.1 |
//! |---|---|---|
//! | 6.2 step 1 | `min_RTT` is a windowed minimum (SHOULD), the window as the sender sees fit | 300 s; 1 ms ticks where only a timestamp measures |
//! | 6.2 step 2 | a copy acknowledged within `min_RTT`, or echoing an older timestamp, is ignored | the timestamp is looked at for cumulative ACKs only |
//! | 6.2 step 3 | reordering: delivered below `RACK.fack` and never sent again | the same, and a duplicate reported of a sacked copy, and a partial ACK that answers an original |
//! | 6.2 step 4 | the window is `min_RTT`/4 times the rounds that widened it, at most SRTT | the same; at most 255 times |
//! | 6.2 step 4 | no window in recovery, or with `DupThresh` segments sacked, until reordering is seen | the same; `DupThresh` grows with the reordering seen, up to 300 |
//! | 6.2 step 4 | a DSACK round widens the window by `min_RTT`/4 | only once reordering has been seen, and not for a probe's duplicate |
//! | 6.2 step 4 | a DSACK round ends when what was sent by then is acknowledged | when something sent after it is delivered |
//! | 6.2 step 4 | widening is forgotten after 16 recoveries | the same; each undone by duplicates counts back one |
//! | 6.2 step 5 | the reordering timer is the exact time left | 2 ms more, at most the timeout |
//! | 6.3 | on a timeout the first segment and all older than `RACK.rtt` + window are lost | older than `RACK.rtt`, without the window |
//! | 7.2 | PTO = 2 SRTT, plus `TLP.max_ack_delay` for a lone segment; at most the timeout | plus 2 ms, or 200 ms for a lone segment; at most the timeout |
//! | 7.2 | no probe in recovery, or while anything is sacked | the same, by state: in Open and CWR only |
//! | 7.3 | prefer new data; at most one probe in flight | the same |
//! | 7.4.2 | a repaired loss is answered by congestion control | the window is the controller's at once, no PRR |
//!
//! Where it differs from RFC 9937 (PRR):
//!
//! | section | RFC 9937 | Linux 6.1 |
//! |---|---|---|
//! | 6.1 | at the beginning of each response to congestion | the same: for losses (Recovery) and for marks (CWR) |
//! | 6.1 | `RecoverFS` is the data outstanding, what was sacked before this ACK left out | the window, `prior_cwnd` |
//! | 6.2 | `DeliveredData` is the data newly acknowledged; an ACK without any changes nothing | a reported duplicate counts too |
//! | 6.2 | `SafeACK`: the cumulative acknowledgment moves and nothing more is lost | the same |
//! | 6.2 | above ssthresh: delivered x ssthresh / `RecoverFS`, rounded up, less what was sent | the same |
//! | 6.2 | else max(delivered less sent, `DeliveredData`), one more if `SafeACK`, up to ssthresh | the same |
//! | 6.2 | as long as nothing was sent, one segment at least | the same |
//! | 6.3 | whatever is sent counts in `prr_out` | but for a tail loss probe that is a copy |
//! | 6.4 | at the end, cwnd = ssthresh | the same, then the controller may set it (`COMPLETE_CWR`) |
//!
//! Delivery-rate samples are those of draft-cheng-iccrg-delivery-rate-estimation-02. But the draft asks at
//! each write, ACK and timer whether the application limits the sender, and Linux at each write alone
//! (`tcp_rate_check_app_limited`): data that has run out leaves samples of the path until the next write.
//!
//! Left out: SACK reneging (receivers here keep what they report), segments larger than one packet,
//! small queues except under `Pacing::Fq`, path MTU probes, the handshake's segments (its sample is the
//! configuration's), and the rounding of the timeout itself to ticks before it is doubled.

mod ack;
mod flags;
mod loss;
mod prr;
mod rack;
mod rtt;
mod scoreboard;
mod state;
mod timer;
mod tlp;
mod undo;
mod validation;

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use self::flags::AckFlags;
use self::prr::Prr;
use self::rack::Rack;
use self::rtt::LinuxRtt;
use self::scoreboard::LinuxScoreboard;
use self::timer::Timer;
pub(crate) use self::timer::fires as wheel_fires;
use self::tlp::Probe;
use self::undo::Undo;
use self::validation::CwndValidation;
use super::LossRecovery;
use crate::config::Config;
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, LossVerdict, NextSend, ProcessedAck};

/// `TCP_CA_*`, in Linux's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CaState {
    Open,
    Disorder,
    /// `TCP_CA_CWR`.
    Cwr,
    Recovery,
    Loss {
        /// The timeout is being tested (RFC 5682).
        frto: bool,
    },
}

/// Retransmissions that the last event allows besides new data (`REXMIT_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rexmit {
    Nothing,
    /// The oldest segment after a timeout, whatever the window and the marks say (`tcp_retransmit_timer`).
    Oldest,
    /// Lost segments, before new data.
    Lost,
    /// New data first (F-RTO); lost segments only if there is none.
    AfterNew,
}

/// Linux 6.1's recovery.
#[derive(Clone, Debug)]
pub(crate) struct LinuxRecovery {
    state: CaState,
    /// `snd_max` when the state was entered.
    high_seq: u64,
    board: LinuxScoreboard,
    rack: Rack,
    rtt: LinuxRtt,
    prr: Prr,
    undo: Undo,
    probe: Probe,
    validation: CwndValidation,
    timer: Timer,
    /// Timeouts since the cumulative acknowledgment moved.
    retransmits: u32,
    rexmit: Rexmit,
    /// Something is held back until then (`pacing_timer`, `TSQ_THROTTLED`).
    held_until: Option<Instant>,
}

impl LinuxRecovery {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            state: CaState::Open,
            high_seq: 0,
            board: LinuxScoreboard::default(),
            rack: Rack::default(),
            rtt: LinuxRtt::new(config.rto.min, config.handshake_rtt),
            prr: Prr::default(),
            undo: Undo::default(),
            probe: Probe::default(),
            validation: CwndValidation::default(),
            timer: Timer::Timeout,
            retransmits: 0,
            rexmit: Rexmit::Nothing,
            held_until: None,
        }
    }

    /// `tcp_in_cwnd_reduction`.
    fn in_reduction(&self) -> bool {
        matches!(self.state, CaState::Cwr | CaState::Recovery)
    }

    /// How many new segments may leave at once: all for which the window has room, while no loss is
    /// suspected.
    fn burst_room(&self, core: &Core) -> u64 {
        let calm = self.state == CaState::Open && self.rexmit == Rexmit::Nothing;
        let room = core.window().cwnd.whole().saturating_sub(self.board.in_flight(core));
        if calm { room.max(1) } else { 1 }
    }

    /// True if a lost segment has no copy in flight.
    fn has_hole(&self) -> bool {
        self.board.lost() > self.board.retrans_out()
    }

    /// True if the window lets a segment leave.
    fn has_space(&self, core: &Core) -> bool {
        self.board.in_flight(core) < core.window().cwnd.whole()
    }
}

impl LossRecovery for LinuxRecovery {
    type Evidence = AckFlags;

    #[inline]
    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<AckFlags>> {
        self.rexmit = Rexmit::Nothing;
        // If nothing could leave then, the timer has fired in vain.
        self.held_until = self.held_until.filter(|&until| until >= now);
        self.take_delivered(core, now, ack)
    }

    #[inline]
    fn detect_losses(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &mut ProcessedAck<AckFlags>,
    ) -> LossVerdict {
        self.take_judgement(core, now, &mut absorbed.evidence)
    }

    /// The state machine answers an echo: `tcp_enter_cwr`.
    fn core_handles_ece(&self) -> bool {
        false
    }

    fn phase(&self) -> Phase {
        match self.state {
            CaState::Open | CaState::Disorder | CaState::Cwr => Phase::Open,
            CaState::Recovery => Phase::Recovery,
            CaState::Loss { .. } => Phase::Loss,
        }
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        self.state >= CaState::Cwr
    }

    #[inline]
    fn in_flight(&self, core: &Core) -> u64 {
        self.board.in_flight(core)
    }

    fn note_write(&mut self, core: &mut Core) {
        // Lost segments go first.
        if self.board.lost() <= self.board.retrans_out() {
            core.note_write(self.in_flight(core));
        }
    }

    #[inline]
    fn on_nothing_to_send(&mut self, core: &mut Core, in_flight: u64) {
        core.note_write_limit(in_flight);
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        if core.outstanding() == 0 {
            self.rearm_rto(core, now);
            return;
        }
        self.enter_loss(core, now);
        core.on_timeout(now);
        self.start_rto(core, now);
    }

    fn on_deadline(&mut self, core: &mut Core, now: Instant) {
        match self.timer {
            Timer::Probe(_) => self.send_probe(core, now),
            Timer::Reordering(_) => self.on_reordering_timer(core, now),
            Timer::Timeout => {}
        }
    }

    fn deadline(&self) -> Instant {
        match self.timer {
            Timer::Probe(at) | Timer::Reordering(at) => at,
            Timer::Timeout => Instant::FAR_FUTURE,
        }
    }

    /// `tcp_xmit_recovery` and `tcp_write_xmit`.
    #[inline]
    fn next(&mut self, core: &mut Core, now: Instant) -> Option<NextSend> {
        self.probe.due = self.probe.due.filter(|&seq| seq >= core.snd_una());
        if let Some(seq) = self.probe.due {
            return Some(if seq < core.snd_max() {
                NextSend::Retransmission(seq)
            } else {
                NextSend::New(1)
            });
        }
        if self.rexmit == Rexmit::Oldest {
            return Some(NextSend::Retransmission(core.snd_una()));
        }
        if self.held_until.take_if(|until| *until <= now).is_some() && self.has_hole() {
            // `tcp_tsq_write`: lost segments first, whatever ACKs have allowed since.
            self.rexmit = Rexmit::Lost;
        }
        let has_space = self.has_space(core);
        let new = core.has_new();
        if self.rexmit == Rexmit::AfterNew && !(has_space && new) {
            self.rexmit = if core.snd_max() > self.high_seq {
                Rexmit::Nothing
            } else {
                self.end_frto();
                Rexmit::Lost
            };
        }
        if !has_space {
            if new {
                self.validate(core, now);
            }
            return None;
        }
        if self.rexmit == Rexmit::Lost
            && let Some(seq) = self.board.next_hole(core)
        {
            return Some(NextSend::Retransmission(seq));
        }
        new.then(|| NextSend::New(self.burst_room(core)))
    }

    #[inline]
    fn has_next(&self, core: &Core) -> bool {
        let allowed = self.rexmit != Rexmit::Nothing || self.held_until.is_some();
        let lost = allowed && self.has_hole();
        let due = self.probe.due.is_some() || self.rexmit == Rexmit::Oldest;
        due || self.has_space(core) && (lost || core.has_new())
    }

    /// `tcp_pacing_check`, `tcp_small_queue_check`.
    fn on_deferred(&mut self, core: &Core, until: Instant) {
        if self.rexmit == Rexmit::AfterNew && core.snd_max() <= self.high_seq {
            // `tcp_xmit_recovery`: no new data has left.
            self.end_frto();
            self.rexmit = Rexmit::Lost;
        }
        if self.rexmit != Rexmit::Nothing || core.has_new() {
            self.held_until = Some(until);
        }
    }

    #[inline]
    fn sent(&mut self, core: &mut Core, now: Instant, burst: &Burst) {
        if self.timer != Timer::Timeout {
            // The core has started its timer, and only one timer runs at a time.
            core.set_rto(Instant::FAR_FUTURE);
        }
        let seq = burst.segment.seq;
        let probe = self.probe.due.take().is_some();
        let is_retransmission = burst.segment.retransmission;
        self.board.sent(core, burst, is_retransmission && !probe);
        if self.in_reduction() && !(probe && is_retransmission) {
            burst.segments().for_each(|_| self.prr.sent());
        }
        if probe {
            // The timer was set when it fell due.
        } else if is_retransmission {
            if self.rexmit == Rexmit::Oldest {
                self.rexmit = Rexmit::Lost;
            }
            self.undo.sent(now);
            if seq == core.snd_una() && !matches!(self.timer, Timer::Reordering(_)) {
                self.start_rto(core, now);
            }
        } else if !self.schedule_probe(core, now, false)
            && (core.outstanding() == 1 || matches!(self.timer, Timer::Probe(_)))
        {
            self.rearm_rto(core, now);
        }
        if !is_retransmission {
            self.validate(core, now);
        }
    }

    /// Outside a repair new data that fills the window is the last.
    #[inline]
    fn is_last(&self, core: &Core, burst: &Burst) -> bool {
        let is_new = self.rexmit == Rexmit::Nothing && !burst.segment.retransmission;
        core.in_bursts() && is_new && !self.has_space(core)
    }

    #[inline]
    fn restart_after_idle(&mut self, core: &mut Core, now: Instant) {
        if core.outstanding() == 0 {
            self.restart(core, now);
        }
    }
}
