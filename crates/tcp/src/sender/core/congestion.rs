//! The window: growth, reductions, the end of a recovery, idle time.

use westwood_cc::controller::{ControlScope, Grant, Phase, Reduction};
use westwood_cc::{Cause, Controller, Duration, Ecn, Instant, Segments, Window};

use super::Core;
use crate::config::{Credit, Recovery};
use crate::segment::AckSegment;
use crate::sender::note::{Note, Signal};

impl Core {
    // --- Growth.

    /// Lets the window grow after an ACK of `acked` segments, with `prior_in_flight` in flight
    /// before it, if it limited the sender (RFC 7661).
    #[inline]
    pub(super) fn grow(&mut self, now: Instant, acked: u64, prior_in_flight: u64) {
        let unused_window = self.config.cwnd_validation && !self.window_usage.limited(self.window);
        if self.control_scope == ControlScope::Everything || unused_window {
            return;
        }
        let grant = Grant {
            in_flight: prior_in_flight.saturating_sub(acked),
            ..Grant::open(now, self.credit(acked))
        };
        self.grow_by(&grant);
    }

    /// Lets the controller, which commands the window alone, grow it by this grant.
    #[inline]
    pub(super) fn grow_by(&mut self, grant: &Grant) {
        if self.has_extensions() && self.window.in_slow_start() {
            let grant = self.apply_slow_start_modifier(grant);
            self.window = self.controller.grow(self.window, &grant);
        } else {
            self.window = self.controller.grow(self.window, grant);
        }
    }

    /// Lets the controller end slow start by what it has read from the ACK at hand, as it may in Linux before
    /// anything is judged (`pkts_acked`).
    pub(crate) fn end_slow_start(&mut self) {
        if self.window.in_slow_start() {
            self.window = self.controller.end_slow_start(self.window);
        }
    }

    /// How many segments an ACK of `acked` counts for.
    #[inline]
    pub(crate) fn credit(&self, acked: u64) -> Segments {
        match self.config.credit {
            Credit::PerAck => Segments::ONE,
            // RFC 3465 sections 2.2 and 2.3: L = 2 in slow start, 1 after a timeout.
            Credit::Limited if self.window.in_slow_start() => {
                Segments::new(acked.min(if self.restarting { 1 } else { 2 }))
            }
            Credit::PerSegment | Credit::Limited => Segments::new(acked),
        }
    }

    // --- Reductions.

    /// Asks the controller for its reduction. Afterwards the window is the one at which recovery
    /// ends; one segment after a timeout (RFC 5681 section 3.1).
    pub(super) fn reduce(&mut self, now: Instant, signal: Signal) {
        self.report_losses(now);
        let window = self.window_to_reduce();
        let asked = self.controller.reduce(window, self.controller_cause(signal), now);
        let path = (self.rtt.min(), self.config.sizes.payload);
        let cause = signal.cause();
        let other = self.extensions.as_mut().and_then(|e| e.reduction(path, window, cause, now));
        let mut reduction = other.unwrap_or(asked);
        if self.config.has_ns2_habits() {
            reduction = halve_as_ns2(reduction, window.cwnd, signal);
        }
        self.post_recovery_cwnd = reduction.resume;
        self.window.ssthresh = reduction.ssthresh;
        if signal == Signal::Timeout {
            self.window.cwnd = Segments::ONE;
        } else if self.control_scope == ControlScope::Window {
            self.window.cwnd = reduction.resume;
        }
        self.restarting = signal == Signal::Timeout;
        if self.restarting {
            self.controller.timed_out(now);
        }
        self.queue_cwr();
        self.reduced_at_snd_max = Some(self.snd_max());
        self.last_signal = Some(signal);
        self.note(Note::Reduced { signal, reason: reduction.reason, ssthresh: reduction.ssthresh });
    }

    /// The window that a reduction begins from. The part of cwnd beyond the receiver's window was never in
    /// flight: RFC 5681 section 3.1 warns of halving it, and ns-2 does not (`TcpAgent::windowd`).
    fn window_to_reduce(&self) -> Window {
        let most = match self.config.recovery {
            Recovery::Linux => return self.window,
            _ => Segments::new(self.config.receive_window),
        };
        Window { cwnd: self.window.cwnd.min(most), ..self.window }
    }

    /// The cause that the controller is told. A tail loss that a probe has repaired is a mark to one that
    /// answers losses apart: `tcp_process_tlp_ack` asks for ssthresh and enters CWR, and `dctcp_state` takes
    /// the state Recovery alone for a loss.
    fn controller_cause(&self, signal: Signal) -> Cause {
        if signal == Signal::ProbeRepaired && self.controller.reduces_for_loss_after_ecn() {
            return Cause::Ecn;
        }
        signal.cause()
    }

    /// A fast recovery begins: reduce, unless a congestion mark in the same window of data has done
    /// it (RFC 3168 section 6.1.2: once for "a series of dropped and/or CE packets"). DCTCP and scalable
    /// controllers answer few marks by little, and every loss as others do (RFC 8257 section 3.5, RFC 9331
    /// section 4.3).
    ///
    /// ns-2 stops to time a segment here and at a timeout alone, not with each copy
    /// (`TcpAgent::reset_rtx_timer`): what is sent in the recovery is measured with the repair that delays
    /// its ACK.
    pub(crate) fn begin_recovery(&mut self, now: Instant, signal: Signal) {
        self.count_recovery();
        let reduced = if self.config.has_ns2_habits() {
            self.timed = None;
            let last = self.last_signal.replace(signal);
            self.mark_point(last).is_some()
        } else {
            self.ecn_reduced_at.is_some_and(|point| self.snd_una() < point)
        };
        if reduced && !self.reduces_for_loss_after_ecn() {
            self.post_recovery_cwnd = self.window.cwnd;
        } else if !self.spares_window() {
            self.reduce(now, signal);
        }
    }

    /// The point at which ns-2 ends a recovery that begins within the window of data of a mark, if the mark
    /// was the last signal: that of the mark (`dupack_action` of its agents leaves `recover_` as it is).
    pub(crate) fn recovery_of_mark(&self) -> Option<u64> {
        self.mark_point(self.last_signal.filter(|_| self.config.has_ns2_habits()))
    }

    /// `snd_max` at the last mark's reduction, if that was the `last` signal and its window is out still.
    fn mark_point(&self, last: Option<Signal>) -> Option<u64> {
        let marked = last == Some(Signal::EcnEcho);
        self.ecn_reduced_at.filter(|&point| marked && self.snd_una() <= point)
    }

    /// ns-2's SACK agent forgets the window of data of its last reduction when a recovery is over
    /// (`recover_`): the next mark is answered.
    pub(crate) fn forget_reduction(&mut self) {
        if self.config.has_ns2_habits() {
            self.reduced_at_snd_max = None;
        }
    }

    /// True if a loss counts though a mark has reduced the window already: that of DCTCP, and of scalable
    /// controllers, whose segments carry ECT(1).
    pub(crate) fn reduces_for_loss_after_ecn(&self) -> bool {
        let scalable = self.config.ecn && self.config.ect == Ecn::Ect1;
        scalable || self.controller.reduces_for_loss_after_ecn()
    }

    /// True if the controller is to be asked to grow where the window does not limit the sender, too.
    pub(crate) fn handles_cwnd_limited(&self) -> bool {
        self.controller.handles_cwnd_limited()
    }

    /// Counts a fast recovery whose reduction [`reduce_ssthresh`](Self::reduce_ssthresh) asks for.
    pub(crate) fn count_recovery(&mut self) {
        self.counts.fast_recoveries += 1;
    }

    /// The retransmission timer fired. A segment that it has sent before does not lower ssthresh
    /// once more (RFC 5681 section 3.1), unless each timeout shall.
    pub(crate) fn reduce_for_timeout(&mut self, now: Instant) {
        if self.config.has_ns2_habits() && self.last_signal == Some(Signal::EcnEcho) {
            self.lose_window_after_mark(now);
        } else if self.timed_out == Some(self.snd_una()) && !self.config.reduce_each_timeout {
            self.lose_window(Segments::ONE);
        } else {
            self.reduce(now, Signal::Timeout);
        }
        self.timed_out = Some(self.snd_una());
    }

    /// A timeout after a mark, which has lowered ssthresh (`TcpAgent::timeout`).
    fn lose_window_after_mark(&mut self, now: Instant) {
        self.lose_window(Segments::ONE);
        self.restarting = true;
        self.controller.timed_out(now);
        self.queue_cwr();
        self.reduced_at_snd_max = Some(self.snd_max());
        self.last_signal = Some(Signal::Timeout);
    }

    /// cwnd is the loss window after a timeout: one segment (RFC 5681 section 3.1), or what the recovery's
    /// own rule says.
    pub(crate) fn lose_window(&mut self, loss_window: Segments) {
        self.window.cwnd = loss_window;
    }

    /// Asks the controller for its reduction as Linux does: windows are whole segments, ssthresh comes
    /// into force at once, and the recovery lowers cwnd by [`reduce_to`](Self::reduce_to).
    #[cold]
    pub(crate) fn reduce_ssthresh(&mut self, now: Instant, signal: Signal) {
        let cwnd = self.window.cwnd.floor();
        self.window.cwnd = cwnd;
        self.reduce(now, signal);
        self.window = Window { cwnd, ssthresh: self.window.ssthresh.floor() };
        self.post_recovery_cwnd = self.post_recovery_cwnd.floor();
    }

    /// A timeout in a window of data that has been answered: ssthresh stays. CWR is sent again, as
    /// `tcp_enter_loss` queues it at every timeout.
    pub(crate) fn on_repeated_timeout(&mut self, now: Instant) {
        self.controller.timed_out(now);
        self.queue_cwr();
    }

    /// The next new segment tells the receiver of a reduction (RFC 3168 section 6.1.2). With accurate ECN the
    /// flag is part of the ACE field (RFC 9768 section 3.1.5).
    fn queue_cwr(&mut self) {
        self.cwr = self.config.ecn && !self.counts_marks;
    }

    /// A loss within the reduction that a mark has begun (`dctcp_react_to_loss`): ssthresh is lowered once
    /// more. CWR tells of the mark, and is not sent again.
    pub(crate) fn reduce_ssthresh_again(&mut self, now: Instant) {
        let cwr = self.cwr;
        self.reduce_ssthresh(now, Signal::Rack);
        self.cwr = cwr;
    }

    /// Proportional rate reduction leads cwnd towards ssthresh (RFC 9937).
    #[inline]
    pub(crate) fn reduce_to(&mut self, cwnd: Segments) {
        self.window.cwnd = cwnd;
    }

    /// Each duplicate ACK has let a segment out: from now on cwnd counts these `segments`.
    pub(crate) fn add_to_cwnd(&mut self, segments: u64) {
        self.window.cwnd += Segments::new(segments);
    }

    /// A partial ACK covers so many segments more than duplicates have told of: ns-2 takes them off cwnd for
    /// good (`NewRenoTcpAgent::partialnewack`), where RFC 6582 section 3.2 step 3 ends at ssthresh.
    pub(crate) fn deflate_cwnd(&mut self, segments: u64) {
        self.window.cwnd = (self.window.cwnd - Segments::new(segments)).max(Segments::ONE);
        self.post_recovery_cwnd = self.post_recovery_cwnd.min(self.window.cwnd).max(Segments::ONE);
    }

    /// cwnd falls to that of `window`, if it is larger, and ssthresh is that of `window`.
    pub(crate) fn clamp_cwnd(&mut self, window: Window) {
        self.window = Window { cwnd: self.window.cwnd.min(window.cwnd), ..window };
    }

    // --- The end of a recovery.

    /// Recovery is over: the controller's window comes into force.
    pub(crate) fn recovered(&mut self, now: Instant) {
        let cwnd = match self.control_scope {
            ControlScope::Window => self.post_recovery_cwnd,
            ControlScope::Everything => self.window.cwnd,
        };
        self.recovered_at(now, cwnd);
    }

    /// Recovery is over with the window `cwnd`, which the controller may change.
    pub(crate) fn recovered_at(&mut self, now: Instant, cwnd: Segments) {
        let target = Window { cwnd, ..self.window };
        self.window = self.controller.recovered(target, now);
        self.note(Note::Recovered);
    }

    /// The last reduction was spurious: the controller goes back, to ssthresh of `before` at least. CWR that
    /// has not left tells of nothing any more (`tcp_ecn_withdraw_cwr`).
    pub(crate) fn undo_reduction(&mut self, now: Instant, before: Window) {
        self.cwr &= before.ssthresh <= self.window.ssthresh;
        self.window = self.controller.undone(self.window, before, now);
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        self.counts.undone += 1;
        self.note(Note::Undone);
    }

    // --- Explicit congestion notification (RFC 3168).

    /// Reduces for an ECN echo, once a window (section 6.1.2).
    ///
    /// Echoes go on until the segment that carries CWR arrives, which is the first one sent after the
    /// reduction: only an ACK beyond it can echo another mark. ns-2 answers the first echo after a timeout as
    /// well (`TcpAgent::ecn`).
    pub(super) fn on_ecn_echo(&mut self, now: Instant) {
        if !self.answers_echo(self.snd_una()) {
            return;
        }
        let at_one = self.marks_at_one();
        if at_one && self.marked_at_one {
            self.double_rto();
        }
        self.marked_at_one = at_one;
        self.reduce(now, Signal::EcnEcho);
        self.ecn_reduced_at = self.reduced_at_snd_max;
        // There is nothing to retransmit, so the recovery ends at once.
        self.recovered(now);
    }

    /// True if an echo on an ACK of all below `snd_una` is of a mark that no reduction has answered.
    fn answers_echo(&self, snd_una: u64) -> bool {
        let after_timeout =
            self.config.has_ns2_habits() && self.last_signal == Some(Signal::Timeout);
        after_timeout || self.reduced_at_snd_max.is_none_or(|point| snd_una > point)
    }

    // --- Marks at a window of one segment, in ns-2 (RFC 3168 section 6.1.2).

    /// True if a mark that is answered now meets a window of one segment at most: from the second one in a
    /// row on each doubles the timer (`TcpAgent::ecn`).
    fn marks_at_one(&self) -> bool {
        self.answers_marks_as_ns2() && self.window.cwnd <= Segments::ONE
    }

    /// The back-off ends, but not by an echo of a mark at a window of one segment (`TcpAgent::newack`).
    pub(super) fn end_backoff_unless_marked(&mut self, ack: &AckSegment) {
        let at_one =
            if self.answers_echo(ack.ack) { self.marks_at_one() } else { self.marked_at_one };
        if !(ack.ece && at_one) {
            self.rtt.end_backoff();
        }
    }

    fn answers_marks_as_ns2(&self) -> bool {
        self.config.ecn && self.config.has_ns2_habits()
    }

    /// True if a mark has left less than one segment of window: no new segment leaves.
    #[inline]
    pub(crate) fn is_closed_by_mark(&self) -> bool {
        self.window.cwnd < Segments::ONE && self.answers_marks_as_ns2()
    }

    /// How many segments may be in flight however small cwnd is.
    #[inline]
    pub(crate) fn least_cwnd(&self) -> u64 {
        u64::from(!self.is_closed_by_mark())
    }

    /// New data waits for a window that a mark has closed, and nothing is outstanding: the timer that began
    /// with the last ACK lets one segment out, without a back-off (`TcpAgent::newtimer`, `timeout`).
    #[inline]
    pub(crate) fn open_after_mark(&mut self, now: Instant) {
        if self.is_closed_by_mark() && self.outstanding() == 0 && self.has_new() {
            self.open_at_idle_deadline(now);
        }
    }

    #[cold]
    fn open_at_idle_deadline(&mut self, now: Instant) {
        if now < self.idle_deadline {
            self.rto_deadline = self.idle_deadline;
            return;
        }
        self.rto_deadline = Instant::FAR_FUTURE;
        self.window.cwnd = Segments::ONE;
        self.reduced_at_snd_max = Some(self.snd_max());
        self.last_signal = Some(Signal::Timeout);
    }

    /// True if an echo is answered though everything is being sent again after a timeout, as in ns-2.
    pub(super) fn answers_echo_in_loss(&self, phase: Phase) -> bool {
        phase == Phase::Loss && self.config.has_ns2_habits()
    }

    /// Takes in what an ACK tells of marks, once it is known what it delivers. One that others have
    /// overtaken tells of marks that they have told of; accurate ECN also ignores one that is not `measured`.
    #[inline]
    pub(super) fn note_marks(&mut self, ack: &AckSegment, measured: bool) {
        let is_newest = ack.ack >= self.snd_una();
        if self.counts_marks {
            self.count_marks(ack, measured && is_newest);
        } else {
            self.echo = ack.ece && is_newest && self.config.ecn;
            if self.echo {
                self.delivered_ce += self.flight.acked_sacked();
            }
        }
    }

    /// Takes in what an ACK tells of marks by accurate ECN.
    #[inline(never)]
    fn count_marks(&mut self, ack: &AckSegment, measured: bool) {
        self.echo = false;
        let delivered = self.flight.acked_sacked();
        if let (Some(decoder), Some(told), true) =
            (&mut self.mark_decoder, ack.options.accurate(), measured)
        {
            let payload = self.config.sizes.payload.get();
            let marked = decoder.newly_marked(told, delivered, payload);
            self.echo = marked > 0;
            self.delivered_ce += marked;
        }
    }

    /// True if this ACK tells of a mark: it does not let the window grow (section 6.1.2).
    pub(crate) fn is_echo(&self) -> bool {
        self.echo
    }

    /// True if the window does not grow on this ACK in ns-2, where the last echo of a recovery counts too
    /// (`TcpAgent::recv_newack_helper`).
    pub(super) fn is_echo_in_ns2(&self) -> bool {
        self.echo && self.config.has_ns2_habits()
    }

    // --- Idle time.

    /// RFC 5681 section 4.1: after an idle time of one RTO the ACK clock has stopped, and the window
    /// is no larger than the initial one; or than one segment, one RTO after the last ACK.
    #[inline]
    pub(crate) fn restart_after_idle(&mut self, now: Instant) {
        if self.outstanding() > 0 {
            return;
        }
        self.open_after_mark(now);
        if !self.is_closed_by_mark() {
            self.restart_window(now);
        }
    }

    #[cold]
    fn restart_window(&mut self, now: Instant) {
        let Some(idle) = self.idle_time(now) else { return };
        let Some(most) = self.window_after(idle, now) else { return };
        let cwnd = self.window.cwnd.min(most);
        self.restarting = false;
        self.window_restarts();
        self.note(Note::Restarted);
        self.restart_at(now, idle, Window { cwnd, ..self.window });
    }

    /// The largest window after this idle time, if it was long enough to shrink the window.
    fn window_after(&self, idle: Duration, now: Instant) -> Option<Segments> {
        if self.config.idle_timeout {
            return (now >= self.idle_deadline).then_some(Segments::ONE);
        }
        (self.config.idle_restart && idle > self.rtt.rto()).then_some(self.config.initial_window)
    }

    /// The idle time, if sending is about to begin again with nothing outstanding.
    pub(crate) fn idle_time(&self, now: Instant) -> Option<Duration> {
        let again = self.outstanding() == 0 && self.snd_max() > 0 && self.has_new();
        again.then(|| now.since(self.last_sent_at))
    }

    /// The controller is told that idle time is about to shrink the window.
    pub(crate) fn window_restarts(&mut self) {
        self.controller.window_restarts(self.window);
    }

    /// A segment leaves while everything outstanding is lost or selectively acknowledged
    /// (`tcp_event_data_sent`).
    #[cold]
    pub(crate) fn on_empty_flight(&mut self, now: Instant) {
        if self.controller.hears_empty_flight() {
            self.controller.note_snd_nxt(self.snd_max());
            self.restart_at(now, now.since(self.last_sent_at), self.window);
        }
    }

    /// Sending begins again after `idle` with this window, which the controller may change.
    pub(crate) fn restart_at(&mut self, now: Instant, idle: Duration, window: Window) {
        let heeded = self.controller.wants_restart_event(self.flight.is_app_limited());
        self.window = if heeded { self.controller.restarted(window, idle, now) } else { window };
    }
}

/// A reduction of `cwnd` as ns-2 counts it (`TcpAgent::slowdown`): ssthresh is an `int`, and only it is at
/// least two segments. RFC 5681, equation (4), has whole bytes for both. A loss leaves one segment at least
/// here, and a mark may leave less.
fn halve_as_ns2(reduction: Reduction, cwnd: Segments, signal: Signal) -> Reduction {
    let few = reduction.resume <= Segments::TWO && cwnd < Segments::new(4);
    let least = if signal == Signal::EcnEcho { Segments::ZERO } else { Segments::ONE };
    let resume = if few { cwnd.half().max(least) } else { reduction.resume };
    Reduction { ssthresh: reduction.ssthresh.floor().max(Segments::TWO), resume, ..reduction }
}
