//! How the window answers: growth, reductions, the end of recovery, idle time.

use westwood_cc::controller::{Command, Grant, Phase};
use westwood_cc::{Controller, Instant, Segments, Window};

use super::Core;
use crate::config::Credit;
use crate::segment::AckSegment;
use crate::sender::note::{Note, Sign};

impl Core {
    /// Lets the window grow after an ACK of `acked` segments, `prior_in_flight` of them in flight
    /// before it.
    #[inline]
    pub(crate) fn grow(&mut self, now: Instant, acked: u64, prior_in_flight: u64) {
        let idle = self.config.cwnd_validation && !self.usage.limited(self.window);
        if self.command == Command::Everything || idle {
            return;
        }
        let grant = Grant {
            in_flight: prior_in_flight.saturating_sub(acked),
            ..Grant::open(now, self.credit(acked))
        };
        self.window = self.controller.grow(self.window, &grant);
    }

    /// Lets the window grow by a grant that the recovery has judged itself.
    pub(crate) fn grow_by(&mut self, grant: &Grant) {
        self.window = self.controller.grow(self.window, grant);
    }

    /// A controller that commands everything is asked on every ACK, whatever recovery does.
    pub(crate) fn steer(&mut self, now: Instant, in_flight: u64, newly_lost: u64, phase: Phase) {
        if self.command == Command::Everything {
            let credit = Segments::new(self.flight.acked_sacked());
            let grant = Grant { now, credit, in_flight, newly_lost, phase };
            self.window = self.controller.grow(self.window, &grant);
        }
    }

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

    /// Asks the controller for its reduction. Afterwards the window is the one at which recovery
    /// ends; one segment after a timeout (RFC 5681 section 3.1).
    pub(crate) fn reduce(&mut self, now: Instant, sign: Sign) {
        self.before = self.window;
        let reduction = self.controller.reduce(self.window, sign.cause(), now);
        let told = self
            .aside
            .as_ref()
            .and_then(|aside| aside.told(self.rtt.min(), self.config.sizes.payload));
        let reduction = told.unwrap_or(reduction);
        self.resume = reduction.resume;
        self.window.ssthresh = reduction.ssthresh;
        if sign == Sign::Timeout {
            self.window.cwnd = Segments::ONE;
        } else if self.command == Command::Window {
            self.window.cwnd = reduction.resume;
        }
        self.restarting = sign == Sign::Timeout;
        self.cwr = self.config.ecn;
        self.answered = Some(self.snd_max);
        self.note(Note::Reduced { sign, reason: reduction.reason, ssthresh: reduction.ssthresh });
    }

    /// A loss: reduce, unless a congestion mark in the same window of data has done it (RFC 3168
    /// section 6.1.2: once for "a series of dropped and/or CE packets").
    pub(crate) fn reduce_for_loss(&mut self, now: Instant, sign: Sign) {
        if self.answered_echo.is_some_and(|point| self.snd_una < point) {
            self.resume = self.window.cwnd;
        } else if !self.spares() {
            self.reduce(now, sign);
        }
    }

    /// The retransmission timer fired. A segment that it has sent before does not lower ssthresh
    /// once more (RFC 5681 section 3.1).
    pub(crate) fn reduce_for_timeout(&mut self, now: Instant) {
        if self.timed_out == Some(self.snd_una) {
            self.window.cwnd = Segments::ONE;
        } else {
            self.reduce(now, Sign::Timeout);
        }
        self.timed_out = Some(self.snd_una);
    }

    /// Recovery is over: the controller's window comes into force.
    pub(crate) fn recovered(&mut self, now: Instant) {
        let cwnd = match self.command {
            Command::Window => self.resume,
            Command::Everything => self.window.cwnd,
        };
        self.complete(now, cwnd);
    }

    /// Recovery is over with this window, which the controller may change.
    pub(crate) fn complete(&mut self, now: Instant, cwnd: Segments) {
        let target = Window { cwnd, ..self.window };
        self.window = self.controller.recovered(target, now);
        self.note(Note::Recovered);
    }

    /// An ECN echo: reduce once a window (RFC 3168 section 6.1.2). True if it did.
    ///
    /// Echoes go on until the segment that carries CWR arrives, which is the first one sent after
    /// the reduction: only an ACK beyond it can echo another mark.
    pub(crate) fn on_ecn_echo(&mut self, now: Instant) -> bool {
        if !self.config.ecn || self.answered.is_some_and(|point| self.snd_una <= point) {
            return false;
        }
        self.reduce(now, Sign::EcnEcho);
        self.answered_echo = self.answered;
        // No retransmission follows and none is waited for.
        self.recovered(now);
        true
    }

    /// True if this ACK echoes a mark: it does not let the window grow (RFC 3168 section 6.1.2).
    pub(crate) fn is_echo(&self, ack: &AckSegment) -> bool {
        self.config.ecn && ack.ece
    }

    /// RFC 5681 section 4.1: after an idle time of one RTO the ACK clock has stopped, and the window
    /// is no larger than the initial one.
    #[inline]
    pub(crate) fn restart_after_idle(&mut self, now: Instant) {
        if self.outstanding() == 0 {
            self.restart_after_silence(now);
        }
    }

    #[cold]
    fn restart_after_silence(&mut self, now: Instant) {
        if self.snd_max == 0 || !self.has_new() {
            return;
        }
        let idle = now.since(self.last_sent_at);
        if !self.config.idle_restart || idle <= self.rtt.rto() {
            return;
        }
        let w = Window {
            cwnd: self.window.cwnd.min(self.config.initial_window),
            ssthresh: self.window.ssthresh,
        };
        self.restarting = false;
        self.window = self.controller.restarted(w, idle, now);
        self.note(Note::Restarted);
    }
}
