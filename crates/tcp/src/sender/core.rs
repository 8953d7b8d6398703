//! What every sender has, whatever its recovery: numbers, window, timers, counters.

use westwood_cc::controller::{Command, Grant, Phase};
use westwood_cc::controllers::AnyController;
use westwood_cc::{Ack, Controller, Duration, Instant, Segments, Window};

use super::flight::Flight;
use super::note::{Note, Sign};
use super::pacer::Pacer;
use super::stream::Stream;
use super::usage::Usage;
use crate::config::{Config, Credit, Pacing};
use crate::rtt::RttEstimator;
use crate::segment::{AckSegment, DataSegment};

/// What a sender did since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Data segments sent, copies included.
    pub sent: u64,
    /// Copies sent.
    pub retransmitted: u64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions found spurious and undone.
    pub undone: u64,
    /// Bytes sent, headers included.
    pub sent_bytes: u64,
}

/// Connection state shared by all recoveries.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    /// The window in force, without any inflation.
    pub(crate) window: Window,
    /// The oldest segment not acknowledged.
    pub(crate) snd_una: u64,
    /// The next segment to send: below `snd_max` while going back.
    pub(crate) snd_nxt: u64,
    /// The next segment to be sent for the first time.
    pub(crate) snd_max: u64,
    /// What the application has supplied.
    pub(crate) stream: Stream,
    /// When the retransmission timer fires.
    pub(crate) rto_deadline: Instant,
    pub(crate) controller: AnyController,
    pub(crate) flight: Flight,
    pub(crate) rtt: RttEstimator,
    pub(crate) counts: SenderCounts,
    pub(crate) config: Config,
    pub(crate) pacer: Pacer,
    /// The window at which the present recovery ends.
    resume: Segments,
    /// The window before the last reduction, for undo.
    pub(crate) before: Window,
    /// The one timed segment and when it left (RFC 6298 section 3), without timestamps.
    timed: Option<(u64, Instant)>,
    usage: Usage,
    /// The segment that the retransmission timer sent last.
    timed_out: Option<u64>,
    /// The slow start under way follows a timeout.
    restarting: bool,
    /// What was sent when the window was last reduced. A congestion mark on it is answered.
    answered: Option<u64>,
    /// The same, if it was an ECN echo that reduced it. A loss among it is answered.
    answered_echo: Option<u64>,
    /// Say so in the next new segment.
    cwr: bool,
    last_sent_at: Instant,
    last_rtt: Option<Duration>,
    notes: Vec<Note>,
    watched: bool,
}

impl Core {
    pub(crate) fn new(config: &Config, controller: AnyController) -> Self {
        // A controller that commands everything commands the rate as well.
        let paced = config.pacing == Pacing::On || controller.command() == Command::Everything;
        Self {
            window: Window {
                cwnd: config.initial_window,
                ssthresh: config.initial_ssthresh,
            },
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            stream: Stream::new(config.sizes.payload),
            rto_deadline: Instant::FAR_FUTURE,
            controller,
            flight: Flight::default(),
            rtt: RttEstimator::new(config.rto),
            counts: SenderCounts::default(),
            config: *config,
            pacer: Pacer::new(paced),
            resume: config.initial_window,
            before: Window {
                cwnd: config.initial_window,
                ssthresh: config.initial_ssthresh,
            },
            timed: None,
            usage: Usage::default(),
            timed_out: None,
            restarting: false,
            answered: None,
            answered_echo: None,
            cwr: false,
            last_sent_at: Instant::ZERO,
            last_rtt: None,
            notes: Vec::new(),
            watched: false,
        }
    }

    // --- The window.

    /// Segments sent for the first time that are not acknowledged.
    pub(crate) fn outstanding(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// True if there is new data and the receiver's window has room for it.
    pub(crate) fn has_new(&self) -> bool {
        self.snd_max < self.stream.available()
            && self.outstanding() < self.config.receive_window.max(1)
    }

    pub(crate) fn command(&self) -> Command {
        self.controller.command()
    }

    /// Lets the window grow after an ACK of `acked` segments, `prior_in_flight` of them in flight
    /// before it.
    pub(crate) fn grow(&mut self, now: Instant, acked: u64, prior_in_flight: u64) {
        let idle = self.config.cwnd_validation && !self.usage.limited(self.window);
        if self.command() == Command::Everything || idle {
            return;
        }
        let grant = Grant {
            in_flight: prior_in_flight.saturating_sub(acked),
            ..Grant::open(now, self.credit(acked))
        };
        self.window = self.controller.grow(self.window, &grant);
    }

    /// A controller that commands everything is asked on every ACK, whatever recovery does.
    pub(crate) fn steer(&mut self, now: Instant, in_flight: u64, newly_lost: u64, phase: Phase) {
        if self.command() == Command::Everything {
            let credit = Segments::new(self.flight.acked_sacked());
            let grant = Grant {
                now,
                credit,
                in_flight,
                newly_lost,
                phase,
            };
            self.window = self.controller.grow(self.window, &grant);
        }
    }

    fn credit(&mut self, acked: u64) -> Segments {
        let in_slow_start = self.window.in_slow_start();
        self.restarting &= in_slow_start;
        match self.config.credit {
            Credit::PerAck => Segments::ONE,
            Credit::PerSegment => Segments::new(acked),
            // RFC 3465 section 2.2 and 2.3: L = 2 in slow start, 1 after a timeout.
            Credit::Limited if in_slow_start => {
                Segments::new(acked.min(if self.restarting { 1 } else { 2 }))
            }
            Credit::Limited => Segments::new(acked),
        }
    }

    // --- Congestion.

    /// Asks the controller for its reduction. Afterwards the window is the one at which recovery
    /// ends; one segment after a timeout (RFC 5681 section 3.1).
    pub(crate) fn reduce(&mut self, now: Instant, sign: Sign) {
        self.before = self.window;
        let reduction = self.controller.reduce(self.window, sign.cause(), now);
        self.resume = reduction.resume;
        self.window.ssthresh = reduction.ssthresh;
        if sign == Sign::Timeout {
            self.window.cwnd = Segments::ONE;
        } else if self.command() == Command::Window {
            self.window.cwnd = reduction.resume;
        }
        self.restarting |= sign == Sign::Timeout;
        self.cwr = self.config.ecn;
        self.answered = Some(self.snd_max);
        self.note(Note::Reduced {
            sign,
            reason: reduction.reason,
            ssthresh: reduction.ssthresh,
        });
    }

    /// A loss: reduce, unless a congestion mark in the same window of data has done it (RFC 3168
    /// section 6.1.2: once for "a series of dropped and/or CE packets").
    pub(crate) fn reduce_for_loss(&mut self, now: Instant, sign: Sign) {
        if self.answered_echo.is_some_and(|point| self.snd_una < point) {
            self.resume = self.window.cwnd;
        } else {
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
        let target = match self.command() {
            Command::Window => Window {
                cwnd: self.resume,
                ..self.window
            },
            Command::Everything => self.window,
        };
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

    // --- Measuring.

    /// The round-trip time sample of an ACK that covers new data, if it gives one.
    pub(crate) fn take_rtt(&mut self, now: Instant, ack: &AckSegment) -> Option<Duration> {
        if ack.ack <= self.snd_una {
            return None;
        }
        let sent_at = match (ack.echo, self.timed) {
            (Some(echo), _) => echo,
            (None, Some((seq, at))) if ack.ack > seq => {
                self.timed = None;
                at
            }
            _ => return None,
        };
        let rtt = now.since(sent_at);
        self.rtt.sample(rtt);
        self.rtt.end_backoff();
        self.last_rtt = Some(rtt);
        Some(rtt)
    }

    /// Lets the controller take in an ACK, before anything is judged lost.
    pub(crate) fn measure(
        &mut self,
        now: Instant,
        newly: u64,
        rtt: Option<Duration>,
        in_flight: u64,
    ) {
        let sample = self.flight.sample(self.rtt.min());
        let ack = Ack {
            now,
            smss: self.config.sizes.payload,
            newly,
            rtt,
            srtt: self.rtt.srtt(),
            in_flight,
            delivered: self.flight.delivered,
            snd_una: self.snd_una,
            snd_nxt: self.snd_max,
            sample,
        };
        self.controller.measure(&ack);
    }

    // --- Timers.

    /// Starts the retransmission timer anew, or stops it when nothing is outstanding (RFC 6298,
    /// 5.2 and 5.3).
    pub(crate) fn restart_rto(&mut self, now: Instant) {
        self.rto_deadline = if self.outstanding() > 0 {
            now + self.rtt.rto()
        } else {
            Instant::FAR_FUTURE
        };
    }

    /// The timer has fired: double it, and time nothing that may be sent twice (RFC 6298, 5.5).
    pub(crate) fn back_off(&mut self, now: Instant) {
        self.counts.timeouts += 1;
        self.rtt.back_off();
        self.timed = None;
        self.restart_rto(now);
    }

    // --- Sending.

    /// Puts segment `seq` on the wire: either `snd_nxt` or a copy. `in_flight` is counted before.
    pub(crate) fn send(&mut self, now: Instant, seq: u64, in_flight: u64) -> DataSegment {
        let retransmission = seq < self.snd_max;
        self.flight.record(seq, now, self.outstanding() == 0);
        let payload = if retransmission {
            self.counts.retransmitted += 1;
            // Karn's rule: an ACK of the timed segment may answer the copy.
            self.timed = self.timed.filter(|&(timed, _)| timed < seq);
            self.stream.again(seq)
        } else {
            self.snd_max = seq + 1;
            if self.timed.is_none() && !self.config.timestamps {
                self.timed = Some((seq, now));
            }
            self.stream.first(seq, self.snd_una)
        };
        self.usage
            .sent(in_flight + 1, self.window, self.snd_una, self.snd_max);
        let wire = payload + self.config.sizes.header;
        self.counts.sent += 1;
        self.counts.sent_bytes += wire.get();
        self.last_sent_at = now;
        // RFC 6298, 5.1.
        if self.rto_deadline == Instant::FAR_FUTURE {
            self.rto_deadline = now + self.rtt.rto();
        }
        self.pacer.sent(now, wire, self.pacing_rate());
        let cwr = self.cwr && !retransmission;
        self.cwr &= !cwr;
        DataSegment {
            seq,
            payload,
            sent_at: now,
            retransmission,
            ect: self.config.ecn && !retransmission,
            cwr,
        }
    }

    fn pacing_rate(&self) -> Option<westwood_cc::Rate> {
        if !self.pacer.is_on() {
            return None;
        }
        self.controller
            .pacing_rate()
            .or_else(|| Pacer::window_rate(self.window, self.rtt.srtt(), self.config.sizes.payload))
    }

    /// RFC 5681 section 4.1: after an idle time of one RTO the ACK clock has stopped, and the window
    /// is no larger than the initial one.
    pub(crate) fn restart_after_idle(&mut self, now: Instant) {
        if self.outstanding() > 0 || self.counts.sent == 0 || !self.has_new() {
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
        self.window = self.controller.restarted(w, idle, now);
        self.note(Note::Restarted);
    }

    // --- Notes for probes.

    pub(crate) fn watch(&mut self) {
        self.watched = true;
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.watched {
            self.notes.push(note);
        }
    }

    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        core::mem::take(&mut self.notes)
    }

    pub(crate) fn last_rtt(&mut self) -> Option<Duration> {
        self.last_rtt.take()
    }
}
