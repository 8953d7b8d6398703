//! The state that every sender has, whatever its recovery: window, flight, timer, counters.
//!
//! Its fields are private. A recovery reads them through the questions below and changes them
//! through verbs:
//!
//! | module | verbs | rules |
//! |---|---|---|
//! | [`ack`] | `take_ack`: the steps of one ACK, in order | RFC 5681 section 3.2 |
//! | [`congestion`] | `begin_recovery`, `recovered`, `undo_reduction`, ... | RFC 5681, 3465, 3168 |
//! | [`extensions`] | explicit loss notification, fair shares, what goes beside a controller, shadow estimators | |
//! | [`host`] | the receiver's window, the send buffer, a closed window | RFC 9293 section 3.8.6.1 |
//! | [`marking`] | `lose`, `mark_lost`, `mark_retrans_out`, ...: a scoreboard's judgements of segments | RFC 6675, 8985 |
//! | [`sending`] | `send`: segments, their pace, counters | RFC 9293, Karn's rule |
//! | here | round-trip time samples and the retransmission timer | RFC 6298 |

mod ack;
mod congestion;
mod extensions;
mod host;
mod marking;
mod sending;

pub(crate) use self::ack::{Growth, LossVerdict, ProcessedAck};
use self::extensions::Extensions;

use std::sync::Arc;

use westwood_cc::controller::ControlScope;
use westwood_cc::controllers::AnyController;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::{Ack, Bytes, Controller, Duration, Instant, Rate, Segments, Window};

use super::flight::Flight;
use super::note::{Note, Signal};
use super::pacer::Pacer;
use super::send_buffer::SendBuffer;
use super::window_usage::WindowUsage;
use crate::accurate_ecn::decoding::MarkDecoder;
use crate::config::{Config, Pacing, Recovery};
use crate::ranges::SeqRange;
use crate::rtt::{RttEstimator, linux_first_timeout};
use crate::segment::AckSegment;

/// Counters of a sender, from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Data segments sent, copies included.
    pub sent: u64,
    /// Copies sent.
    pub retransmitted: u64,
    /// Probes of a closed window, which are among those sent and carry no data (Linux's `TCPWinProbe`).
    pub window_probes: u64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions found spurious and undone.
    pub undone: u64,
    /// Bytes sent, headers included.
    pub sent_bytes: u64,
    /// The time in which a buffer of a host, and neither the window nor the application, kept data back, up
    /// to the latest event: Linux's `tcpi_rwnd_limited` and `tcpi_sndbuf_limited`.
    pub host_limited: Duration,
}

/// When segments may leave, and how many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepartureMode {
    /// The windows alone decide, and no segment's departure is kept: the short way of sending.
    WindowAlone,
    /// Several at once, but departures are kept, or a buffer of a host may limit.
    Bursts,
    /// One at a time: pacing spreads them.
    Paced,
}

/// Connection state shared by all recoveries.
///
/// The order of the fields is that of use: with thousands of connections each ACK finds its own cold,
/// and an ACK in order should touch few lines of the cache. The last fields serve losses and
/// probes.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Core {
    /// The window in force, without any inflation.
    window: Window,
    /// When the retransmission timer fires.
    rto_deadline: Instant,
    /// When it would fire had it not stopped with nothing outstanding.
    idle_deadline: Instant,
    flight: Flight,
    rtt: RttEstimator,
    last_rtt: Option<Duration>,
    window_usage: WindowUsage,
    /// How many segments may be outstanding: the receiver's window, and what the application has written.
    most_outstanding: u64,
    /// The first segment from now on that may carry PSH.
    push_from: u64,
    last_sent_at: Instant,
    /// Settings, which many connections share.
    config: Arc<Config>,
    /// State of options that few connections negotiate.
    extensions: Option<Box<Extensions>>,
    /// Segments delivered by ACKs that echoed a congestion mark, or as many as accurate ECN counts.
    delivered_ce: u64,
    /// How far the controller's command reaches.
    control_scope: ControlScope,
    /// The controller reads delivery-rate samples.
    reads_samples: bool,
    /// Congestion window reduced: the next new segment tells the receiver (RFC 3168).
    cwr: bool,
    /// The last reduction was a timeout's: a slow start now is the one that follows it.
    restarting: bool,
    /// A probe wants the notes.
    watched: bool,
    departure: DepartureMode,
    /// The ACK at hand tells of a mark.
    echo: bool,
    /// Accurate ECN counts marks.
    counts_marks: bool,
    /// The application's data.
    send_buffer: SendBuffer,
    controller: AnyController,
    pacer: Pacer,
    /// The counters that [`Self::counts`] does not derive from others.
    counts: SenderCounts,
    /// The one timed segment and when it left (RFC 6298 section 3), without timestamps.
    timed: Option<(u64, Instant)>,
    /// `snd_max` at the last timeout: data from there on was sent after it.
    timed_out_at_snd_max: u64,
    /// Payload sent again.
    retransmitted_bytes: Bytes,
    /// The window at which the present recovery ends.
    post_recovery_cwnd: Segments,
    /// The segment that the retransmission timer sent last.
    timed_out: Option<u64>,
    /// `snd_max` when the window was last reduced. A congestion mark below it is answered.
    reduced_at_snd_max: Option<u64>,
    /// `snd_max` at that reduction, if an ECN echo caused it. A loss below it is answered.
    ecn_reduced_at: Option<u64>,
    /// The last signal that was answered, if only by a repair (ns-2's `last_cwnd_action_`).
    last_signal: Option<Signal>,
    /// With ns-2's habits: the last mark that was answered met a window of one segment at most, and no ACK
    /// without an echo has covered new data since (`ecn_backoff_`).
    marked_at_one: bool,
    /// Accurate ECN's counters, if they count marks.
    mark_decoder: Option<MarkDecoder>,
    notes: Vec<Note>,
}

/// The estimate with which data begins: that of the handshake, if one was timed. Without timestamps a coarse
/// clock times it when the first segment leaves.
fn first_estimate(config: &Config) -> RttEstimator {
    let mut rtt = RttEstimator::new(config.rto);
    match config.handshake_rtt {
        Some(sample) if config.recovery == Recovery::Linux => {
            rtt.set_from(sample, linux_first_timeout(sample, config.rto.min), Some(sample));
        }
        Some(sample) if config.timestamps => rtt.sample(sample),
        _ => {}
    }
    rtt
}

impl Core {
    #[expect(clippy::large_types_passed_by_value, reason = "once a connection, and kept")]
    pub(crate) fn new(config: &Arc<Config>, controller: AnyController) -> Self {
        let rtt = first_estimate(config);
        // A controller that commands everything commands the rate as well.
        let control_scope = controller.control_scope();
        let everything = control_scope == ControlScope::Everything;
        let modifiers =
            if Modifiers::fit(control_scope) { config.modifiers } else { Modifiers::default() };
        let reads_samples = controller.reads_samples();
        let timed = reads_samples || config.recovery == Recovery::Linux;
        let paced = config.pacing != Pacing::Off || everything;
        let counts_marks = config.ecn && config.ecn_feedback.counts_marks();
        Self {
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            rto_deadline: Instant::FAR_FUTURE,
            idle_deadline: Instant::FAR_FUTURE,
            flight: Flight::new(timed),
            rtt,
            last_rtt: None,
            window_usage: WindowUsage::default(),
            most_outstanding: config.receive_window.max(1),
            last_sent_at: Instant::ZERO,
            pacer: Pacer::new(paced),
            send_buffer: SendBuffer::new(config.sizes.payload),
            control_scope,
            reads_samples,
            extensions: Extensions::of(config, modifiers, everything),
            cwr: false,
            push_from: u64::MAX,
            restarting: false,
            watched: false,
            departure: if paced {
                DepartureMode::Paced
            } else if timed || config.buffers.limit() {
                DepartureMode::Bursts
            } else {
                DepartureMode::WindowAlone
            },
            timed: None,
            timed_out_at_snd_max: 0,
            config: Arc::clone(config),
            controller,
            counts: SenderCounts::default(),
            retransmitted_bytes: Bytes::ZERO,
            post_recovery_cwnd: config.initial_window,
            timed_out: None,
            reduced_at_snd_max: None,
            ecn_reduced_at: None,
            last_signal: None,
            marked_at_one: false,
            delivered_ce: 0,
            echo: false,
            counts_marks,
            mark_decoder: counts_marks.then(MarkDecoder::new),
            notes: Vec::new(),
        }
    }

    /// A core with these settings and Reno as its controller.
    #[cfg(test)]
    pub(crate) fn with_reno(config: Config) -> Self {
        let setup = westwood_cc::controller::Setup {
            smss: config.sizes.payload,
            initial_window: config.initial_window,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        let reno = westwood_cc::controllers::Choice::named("reno").expect("in the catalog");
        Self::new(&config.into(), reno.build(&setup))
    }

    /// Keeps the departure of every segment, as for a controller that wants delivery-rate samples.
    #[cfg(test)]
    pub(crate) fn keep_departures(&mut self) {
        self.flight = Flight::new(true);
        self.departure = DepartureMode::Paced;
    }

    // --- Questions.

    #[inline]
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The window in force, without any inflation.
    #[inline]
    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// cwnd in whole segments, [`least_cwnd`](Self::least_cwnd) at least: how many may be in flight.
    #[inline]
    pub(crate) fn cwnd(&self) -> u64 {
        self.window.cwnd.whole().max(self.least_cwnd())
    }

    /// The window at which the present recovery ends.
    pub(crate) fn post_recovery_cwnd(&self) -> Segments {
        self.post_recovery_cwnd
    }

    /// How far the controller's command reaches.
    pub(crate) fn control_scope(&self) -> ControlScope {
        self.control_scope
    }

    /// The oldest segment not acknowledged.
    #[inline]
    pub(crate) fn snd_una(&self) -> u64 {
        self.flight.snd_una()
    }

    /// The next segment to be sent for the first time.
    #[inline]
    pub(crate) fn snd_max(&self) -> u64 {
        self.flight.snd_max()
    }

    /// Segments sent for the first time that are not acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u64 {
        self.flight.outstanding()
    }

    /// True if there is new data and the receiver's window has room for it.
    #[inline]
    pub(crate) fn has_new(&self) -> bool {
        self.snd_max() < self.send_buffer.available() && self.outstanding() < self.most_outstanding
    }

    /// The flight, to read.
    #[inline]
    pub(crate) fn flight(&self) -> &Flight {
        &self.flight
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub(crate) fn srtt(&self) -> Duration {
        self.rtt.srtt()
    }

    /// The retransmission timeout, back-off included.
    pub(crate) fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    /// When the retransmission timer fires.
    pub(crate) fn rto_deadline(&self) -> Instant {
        self.rto_deadline
    }

    /// Segments delivered whose marks ACKs told of.
    pub(crate) fn delivered_ce(&self) -> u64 {
        self.delivered_ce
    }

    /// The controller.
    pub(crate) fn controller_mut(&mut self) -> &mut AnyController {
        &mut self.controller
    }

    /// The bandwidth estimate, if the controller keeps one.
    pub(crate) fn bwe(&self) -> Option<Rate> {
        self.controller.bwe()
    }

    // --- The application's data.

    /// There are `bytes` to send in all, counted from the start.
    pub(crate) fn supply(&mut self, bytes: Bytes) {
        self.send_buffer.supply(bytes, self.flight.snd_max());
        if self.has_extensions() {
            self.write_supplied();
        }
    }

    /// There are `segments` segments to send in all, counted from the start.
    pub(crate) fn supply_segments(&mut self, segments: u64) {
        self.send_buffer.supply_segments(segments, self.flight.snd_max());
        if self.has_extensions() {
            self.write_supplied();
        }
    }

    /// True once all that was supplied has been acknowledged.
    pub(crate) fn is_done(&self) -> bool {
        self.snd_una() >= self.send_buffer.available()
    }

    // --- Delivery, as a recovery reads it from an ACK.

    /// The `n` oldest segments were delivered, all for the first time.
    #[inline]
    pub(crate) fn deliver_oldest(&mut self, n: u64, now: Instant) {
        self.flight.deliver_oldest(n, now);
    }

    /// Segment `seq` was delivered, for the first time.
    pub(crate) fn deliver(&mut self, seq: u64, now: Instant) {
        self.flight.deliver(seq, now);
    }

    /// Segment `seq` was delivered, for the first time, and does not count.
    pub(crate) fn deliver_uncounted(&mut self, seq: u64) {
        self.flight.deliver_uncounted(seq);
    }

    /// A segment was delivered, and the ACK does not say which.
    pub(crate) fn deliver_unknown(&mut self, now: Instant) {
        self.flight.deliver_unknown(now);
    }

    /// Segments were selectively acknowledged, for the first time. Answers how many of them were
    /// judged lost, and of how many a copy counted as in flight.
    #[inline]
    pub(crate) fn sack(&mut self, range: SeqRange, now: Instant) -> (u64, u64) {
        self.flight.sack(range, now)
    }

    /// The cumulative acknowledgment covers the `newly` oldest segments.
    #[inline]
    pub(crate) fn advance(&mut self, newly: u64) {
        self.flight.advance(newly);
    }

    /// An ACK delivers and covers the `n` oldest segments, one at least, while no segment is marked. Answers
    /// when the first and the last of them left, where departures are kept.
    #[inline]
    pub(crate) fn acknowledge_in_order(
        &mut self,
        n: u64,
        now: Instant,
    ) -> Option<(Instant, Instant)> {
        self.flight.acknowledge_in_order(n, now)
    }

    // --- Round-trip time samples (RFC 6298).

    /// The round-trip time sample of an ACK that covers new data, if it gives one.
    #[inline]
    pub(crate) fn take_rtt(&mut self, now: Instant, ack: &AckSegment) -> Option<Duration> {
        if ack.ack <= self.snd_una() {
            return None;
        }
        self.marked_at_one &= ack.ece;
        let rtt = match ack.echo {
            Some(echo) => {
                let rtt = now.since(echo);
                self.rtt.sample(rtt);
                rtt
            }
            None => self.take_timed(now, ack.ack)?,
        };
        if ack.echo.is_none()
            || ack.ack > self.timed_out_at_snd_max
            || !self.config.has_ns2_habits()
        {
            self.end_backoff_unless_marked(ack);
        }
        Some(rtt)
    }

    /// The round-trip time of an ACK that covers new data while a fast recovery goes on. In ns-2 it gives the
    /// timer no sample, and ends a back-off (`NewRenoTcpAgent::partialnewack`, `Sack1TcpAgent::recv`).
    pub(crate) fn take_partial_rtt(&mut self, now: Instant, ack: &AckSegment) -> Option<Duration> {
        if !self.config.has_ns2_habits() || ack.ack <= self.snd_una() {
            return self.take_rtt(now, ack);
        }
        let timed = self.timed.take_if(|&mut (seq, _)| ack.ack > seq);
        if timed.is_some() || self.config.recovery == Recovery::Sack1996 {
            self.rtt.end_backoff();
        }
        Some(now.since(ack.echo?))
    }

    /// The sample of the one timed segment, if this ACK covers it.
    #[inline(never)]
    fn take_timed(&mut self, now: Instant, ack: u64) -> Option<Duration> {
        let (_, sent_at) = self.timed.take_if(|&mut (seq, _)| ack > seq)?;
        self.rtt.sample_timed(sent_at, now);
        Some(now.since(sent_at))
    }

    /// A sample for the timeout alone, which leaves a back-off in force.
    pub(crate) fn sample_rto(&mut self, rtt: Duration) {
        self.rtt.sample(rtt);
    }

    /// A segment that the recovery has timed is acknowledged: the back-off ends. It gives a sample,
    /// unless timestamps do.
    pub(crate) fn end_backoff(&mut self, sent_at: Option<Instant>, now: Instant) {
        self.rtt.end_backoff();
        if let Some(sent_at) = sent_at {
            self.rtt.sample_timed(sent_at, now);
        }
    }

    /// Takes over the results of a recovery's own estimator, and ends the back-off.
    pub(crate) fn set_rtt(&mut self, srtt: Duration, rto: Duration, min: Option<Duration>) {
        self.rtt.set_from(srtt, rto, min);
    }

    // --- The retransmission timer (RFC 6298 section 5).

    /// Starts the retransmission timer anew, or stops it when nothing is outstanding (5.2, 5.3).
    #[inline]
    pub(crate) fn restart_rto(&mut self, now: Instant) {
        let fires = now + self.rtt.rto();
        if self.outstanding() > 0 {
            self.rto_deadline = fires;
        } else {
            (self.rto_deadline, self.idle_deadline) = (Instant::FAR_FUTURE, fires);
        }
    }

    /// Sets the retransmission timer to fire at `at`, or [never](Instant::FAR_FUTURE).
    pub(crate) fn set_rto(&mut self, at: Instant) {
        self.rto_deadline = at;
    }

    /// The timer has fired: double it, and time no segment that may be sent twice (5.5).
    pub(crate) fn on_timeout(&mut self, now: Instant) {
        self.counts.timeouts += 1;
        self.timed = None;
        self.timed_out_at_snd_max = self.snd_max();
        self.back_off(now);
    }

    /// Doubles the timeout and starts the timer anew.
    pub(crate) fn back_off(&mut self, now: Instant) {
        self.double_rto();
        self.restart_rto(now);
    }

    /// Doubles the timeout. In ns-2 the fourth doubling clears the mean (`TcpAgent::rtt_backoff`).
    fn double_rto(&mut self) {
        self.rtt.back_off();
        if self.config.has_ns2_habits() && self.rtt.backoff() > 3 {
            self.rtt.clear_mean();
        }
    }

    // --- The controller's measurement.

    /// Lets the controller take in an ACK, before anything is judged lost.
    #[inline]
    fn measure(&mut self, now: Instant, newly: u64, rtt: Option<Duration>, in_flight: u64) {
        self.last_rtt = rtt.or(self.last_rtt);
        let mut ack = Ack {
            now,
            smss: self.config.sizes.payload,
            newly,
            rtt,
            srtt: self.rtt.srtt(),
            in_flight,
            delivered: self.flight.delivered(),
            delivered_ce: self.delivered_ce,
            one_way_delay: None,
            predicted: None,
            snd_una: self.snd_una(),
            snd_nxt: self.snd_max(),
            sample: None,
        };
        if let Some(extensions) = &mut self.extensions {
            ack.one_way_delay = extensions.take_one_way_delay();
            ack.predicted = extensions.limits.take_predicted();
            extensions.measure(&ack, self.window.cwnd);
        }
        if self.reads_samples {
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

    // --- Probes.

    pub(crate) fn watch(&mut self) {
        self.watched = true;
    }

    /// Notes why the window changed, if a probe wants to know.
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

    /// The round-trip time sample taken since this was last asked.
    #[inline]
    pub(crate) fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.last_rtt.take()
    }
}
