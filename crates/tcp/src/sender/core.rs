//! What every sender has, whatever its recovery: numbers, window, timers, counters.

mod congestion;
mod sending;

use westwood_cc::controller::Command;
use westwood_cc::controllers::AnyController;
use westwood_cc::{Ack, Bytes, Controller, Duration, Instant, Segments, Window};

use super::aside::Aside;
use super::flight::Flight;
use super::note::Note;
use super::pacer::Pacer;
use super::stream::Stream;
use super::usage::Usage;
use crate::config::{Config, Pacing, Recovery};
use crate::rtt::RttEstimator;
use crate::segment::AckSegment;

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
///
/// The order is that of use: with thousands of connections each ACK finds its own cold, and what an
/// ACK without news touches should be few lines of the cache. So the last fields are those of
/// losses, and of people.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Core {
    /// The window in force, without any inflation.
    pub(crate) window: Window,
    /// The oldest segment not acknowledged.
    pub(crate) snd_una: u64,
    /// The next segment to send: below `snd_max` while going back.
    pub(crate) snd_nxt: u64,
    /// The next segment to be sent for the first time.
    pub(crate) snd_max: u64,
    /// When the retransmission timer fires.
    pub(crate) rto_deadline: Instant,
    pub(crate) flight: Flight,
    pub(crate) rtt: RttEstimator,
    last_rtt: Option<Duration>,
    pub(super) usage: Usage,
    last_sent_at: Instant,
    pub(crate) pacer: Pacer,
    /// What the application has supplied.
    pub(crate) stream: Stream,
    /// How far the controller's command reaches.
    pub(crate) command: Command,
    /// What few connections have.
    pub(crate) aside: Option<Box<Aside>>,
    /// Say so in the next new segment that the window was reduced.
    pub(super) cwr: bool,
    /// The last reduction was a timeout's: a slow start now is the one that follows it.
    restarting: bool,
    /// Somebody wants the notes.
    watched: bool,
    /// Segments leave when the window lets them, and nothing is kept of each.
    pub(super) is_even: bool,
    /// The one timed segment and when it left (RFC 6298 section 3), without timestamps.
    pub(super) timed: Option<(u64, Instant)>,
    pub(crate) config: Config,
    pub(crate) controller: AnyController,
    /// What was done since the start, without what [`Self::counts`] works out.
    pub(crate) counts: SenderCounts,
    /// Payload sent again.
    copied: Bytes,
    /// The window at which the present recovery ends.
    pub(crate) resume: Segments,
    /// The window before the last reduction, for undo.
    pub(crate) before: Window,
    /// The segment that the retransmission timer sent last.
    timed_out: Option<u64>,
    /// What was sent when the window was last reduced. A congestion mark on it is answered.
    answered: Option<u64>,
    /// The same, if it was an ECN echo that reduced it. A loss among it is answered.
    answered_echo: Option<u64>,
    notes: Vec<Note>,
}

impl Core {
    #[expect(clippy::large_types_passed_by_value, reason = "once a connection, and kept")]
    pub(crate) fn new(config: &Config, controller: AnyController) -> Self {
        // A controller that commands everything commands the rate as well.
        let mut rtt = RttEstimator::new(config.rto);
        if let Some(sample) = config.handshake_rtt.filter(|_| config.timestamps) {
            rtt.sample(sample);
        }
        let command = controller.command();
        let everything = command == Command::Everything;
        let timed = everything || config.recovery == Recovery::Linux;
        let paced = config.pacing != Pacing::Off || everything;
        Self {
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            stream: Stream::new(config.sizes.payload),
            rto_deadline: Instant::FAR_FUTURE,
            command,
            controller,
            flight: Flight::new(timed),
            rtt,
            counts: SenderCounts::default(),
            copied: Bytes::ZERO,
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
            aside: Aside::of(config),
            cwr: false,
            last_sent_at: Instant::ZERO,
            last_rtt: None,
            notes: Vec::new(),
            watched: false,
            is_even: !timed && !paced,
        }
    }

    // --- The window.

    /// Segments sent for the first time that are not acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// True if there is new data and the receiver's window has room for it.
    pub(crate) fn has_new(&self) -> bool {
        self.snd_max < self.stream.available()
            && self.outstanding() < self.config.receive_window.max(1)
    }

    // --- Measuring.

    /// The round-trip time sample of an ACK that covers new data, if it gives one.
    #[inline]
    pub(crate) fn take_rtt(&mut self, now: Instant, ack: &AckSegment) -> Option<Duration> {
        if ack.ack <= self.snd_una {
            return None;
        }
        let rtt = match ack.echo {
            Some(echo) => {
                let rtt = now.since(echo);
                self.rtt.sample(rtt);
                rtt
            }
            None => self.take_timed(now, ack.ack)?,
        };
        self.rtt.end_backoff();
        self.last_rtt = Some(rtt);
        Some(rtt)
    }

    /// The sample of the one timed segment, if this ACK covers it.
    #[inline(never)]
    fn take_timed(&mut self, now: Instant, ack: u64) -> Option<Duration> {
        let (_, sent_at) = self.timed.take_if(|&mut (seq, _)| ack > seq)?;
        self.rtt.sample_timed(sent_at, now);
        Some(now.since(sent_at))
    }

    /// A round-trip time sample that the recovery took itself.
    pub(crate) fn note_rtt(&mut self, rtt: Option<Duration>) {
        self.last_rtt = rtt.or(self.last_rtt);
    }

    /// Lets the controller take in an ACK, before anything is judged lost.
    #[inline]
    pub(crate) fn measure(
        &mut self,
        now: Instant,
        newly: u64,
        rtt: Option<Duration>,
        in_flight: u64,
    ) {
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
            sample: None,
        };
        if let Some(aside) = &mut self.aside {
            aside.measure(&ack, self.window.cwnd);
        }
        // No other controller reads the sample.
        if self.command == Command::Everything {
            self.measure_with_sample(&ack);
        } else {
            self.controller.measure(&ack);
        }
    }

    #[inline(never)]
    fn measure_with_sample(&mut self, ack: &Ack) {
        let sample = self.flight.sample(self.rtt.min());
        self.controller.measure(&Ack { sample, ..*ack });
    }

    // --- Timers.

    /// Starts the retransmission timer anew, or stops it when nothing is outstanding (RFC 6298,
    /// 5.2 and 5.3).
    #[inline]
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

    #[inline]
    pub(crate) fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        core::mem::take(&mut self.notes)
    }

    #[inline]
    pub(crate) fn last_rtt(&mut self) -> Option<Duration> {
        self.last_rtt.take()
    }
}
