//! What every sender has, whatever its recovery: numbers, window, timers, counters.

mod congestion;

use westwood_cc::controller::Command;
use westwood_cc::controllers::AnyController;
use westwood_cc::{Ack, Controller, Duration, Instant, Segments, Window};

use super::flight::Flight;
use super::note::Note;
use super::pacer::Pacer;
use super::stream::Stream;
use super::usage::Usage;
use crate::config::{Config, Pacing};
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
    pub(crate) resume: Segments,
    /// The window before the last reduction, for undo.
    pub(crate) before: Window,
    /// The one timed segment and when it left (RFC 6298 section 3), without timestamps.
    timed: Option<(u64, Instant)>,
    usage: Usage,
    /// The segment that the retransmission timer sent last.
    timed_out: Option<u64>,
    /// The last reduction was a timeout's: a slow start now is the one that follows it.
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
    #[expect(clippy::large_types_passed_by_value, reason = "once a connection, and kept")]
    pub(crate) fn new(config: &Config, controller: AnyController) -> Self {
        // A controller that commands everything commands the rate as well.
        let mut rtt = RttEstimator::new(config.rto);
        if let Some(sample) = config.handshake_rtt.filter(|_| config.timestamps) {
            rtt.sample(sample);
        }
        let paced = config.pacing != Pacing::Off || controller.command() == Command::Everything;
        Self {
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            stream: Stream::new(config.sizes.payload),
            rto_deadline: Instant::FAR_FUTURE,
            controller,
            flight: Flight::default(),
            rtt,
            counts: SenderCounts::default(),
            config: *config,
            pacer: Pacer::new(paced),
            resume: config.initial_window,
            before: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
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
        if ack.echo.is_some() {
            self.rtt.sample(rtt);
        } else {
            self.rtt.sample_timed(sent_at, now);
        }
        self.rtt.end_backoff();
        self.last_rtt = Some(rtt);
        Some(rtt)
    }

    /// A round-trip time sample that the recovery took itself.
    pub(crate) fn note_rtt(&mut self, rtt: Option<Duration>) {
        self.last_rtt = rtt.or(self.last_rtt);
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
        self.rto_deadline =
            if self.outstanding() > 0 { now + self.rtt.rto() } else { Instant::FAR_FUTURE };
    }

    /// The timer has fired: double it, and time nothing that may be sent twice (RFC 6298, 5.5).
    pub(crate) fn back_off(&mut self, now: Instant) {
        self.counts.timeouts += 1;
        self.rtt.back_off();
        self.timed = None;
        self.restart_rto(now);
    }

    // --- Sending.

    /// Puts segment `seq` on the wire: either `snd_nxt` or a copy. `in_flight` is counted before. It
    /// leaves now, or when pacing lets it.
    pub(crate) fn send(&mut self, now: Instant, seq: u64, in_flight: u64) -> DataSegment {
        if self.counts.sent == 0
            && let Some(sample) = self.config.handshake_rtt.filter(|_| !self.config.timestamps)
        {
            self.rtt.sample_handshake(sample, now);
        }
        let retransmission = seq < self.snd_max;
        let leaves = now.max(self.pacer.next());
        self.flight.record(seq, leaves, self.outstanding() == 0);
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
        self.usage.sent(in_flight + 1, self.window, self.snd_una, self.snd_max);
        let wire = payload + self.config.sizes.header;
        self.counts.sent += 1;
        self.counts.sent_bytes += wire.get();
        self.last_sent_at = now;
        // RFC 6298, 5.1.
        if self.rto_deadline == Instant::FAR_FUTURE {
            self.rto_deadline = now + self.rtt.rto();
        }
        self.pacer.sent(now, payload, self.pacing_rate(), self.counts.sent);
        let cwr = self.cwr && !retransmission;
        self.cwr &= !cwr;
        DataSegment {
            seq,
            payload,
            sent_at: leaves,
            retransmission,
            ect: self.config.ecn && !retransmission,
            cwr,
        }
    }

    pub(crate) fn pacing_rate(&self) -> Option<westwood_cc::Rate> {
        self.controller.pacing_rate().or_else(|| self.pacer.rate())
    }

    /// The pace until the next ACK, for a controller that has no wish.
    pub(crate) fn update_pace(&mut self) {
        if self.pacer.is_on() {
            let (srtt, smss) = (self.rtt.srtt(), self.config.sizes.payload);
            let rate = Pacer::window_rate(self.window, self.outstanding(), srtt, smss);
            self.pacer.set_rate(rate);
        }
    }

    pub(crate) fn last_sent_at(&self) -> Instant {
        self.last_sent_at
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
