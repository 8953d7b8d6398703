//! One way of sending: a burst of new segments, or a burst of one copy.

use westwood_cc::{Bytes, Controller, Ecn, Instant, Rate};

use super::{Core, DepartureMode, SenderCounts};
use crate::config::Recovery;
use crate::segment::DataSegment;
use crate::sender::burst::{Burst, NextSend};
use crate::sender::pacer::Pacer;

impl Core {
    // --- Segments that may leave.

    /// How many new segments may leave, at most `room`: as far as the data and the receiver's window
    /// reach.
    #[inline]
    pub(crate) fn sendable(&self, room: u64) -> u64 {
        let window = self.most_outstanding.saturating_sub(self.outstanding());
        room.min(window).min(self.send_buffer.available() - self.snd_max())
    }

    /// How many of the next `sendable` segments are alike and leave as one burst. None if the next is
    /// unlike others: it is short, timed or paced, or it may carry CWR or PSH.
    #[expect(clippy::inline_always, reason = "asked for every burst")]
    #[inline(always)]
    pub(crate) fn burst_size(&self, sendable: u64) -> u64 {
        let timing = !self.config.timestamps && self.timed.is_none();
        if !self.in_bursts() || self.cwr || timing {
            return 0;
        }
        let snd_max = self.snd_max();
        sendable
            .min(self.send_buffer.full_beyond(snd_max))
            .min(self.push_from.saturating_sub(snd_max))
    }

    /// True if several segments may leave at once.
    #[inline]
    pub(crate) fn in_bursts(&self) -> bool {
        self.departure != DepartureMode::Paced
    }

    /// True if several segments may leave at once, no departure is kept, and no buffer limits.
    #[inline]
    pub(crate) fn sends_by_window_alone(&self) -> bool {
        self.departure == DepartureMode::WindowAlone
    }

    // --- Sending.

    /// Sends the recovery's choice, now or when pacing lets it; `in_flight` is counted before.
    #[inline]
    pub(crate) fn send(&mut self, now: Instant, next: NextSend, in_flight: u64) -> Burst {
        let room = match next {
            NextSend::Retransmission(seq) => {
                return Burst::of_one(self.retransmit(now, seq, in_flight));
            }
            NextSend::New(room) => room,
        };
        let sendable = self.sendable(room);
        match self.burst_size(sendable) {
            0 => Burst::of_one(self.send_new(now, in_flight)),
            count => self.send_burst(now, count, in_flight, count == sendable),
        }
    }

    /// Sends the next `count` segments, which are alike: [`burst_size`](Self::burst_size).
    #[expect(clippy::inline_always, reason = "inlined, its answer stays in registers")]
    #[inline(always)]
    pub(crate) fn send_burst(
        &mut self,
        now: Instant,
        count: u64,
        in_flight: u64,
        is_last: bool,
    ) -> Burst {
        let seq = self.snd_max();
        self.flight.record(count, now, in_flight);
        self.window_usage.sent(in_flight + count, self.window, self.snd_una(), seq + 1);
        self.note_departure(now);
        Burst { segment: self.segment(seq, self.send_buffer.full(), now), count, is_last }
    }

    /// A segment of new data that tells of no reduction. Every other segment differs from it in what its
    /// sender names.
    #[inline]
    pub(super) fn segment(&self, seq: u64, payload: Bytes, sent_at: Instant) -> DataSegment {
        let ecn = if self.config.ecn { self.config.ect } else { Ecn::NotEct };
        DataSegment { seq, payload, sent_at, retransmission: false, ecn, cwr: false, push: false }
    }

    /// Sends the next segment.
    #[inline(never)]
    fn send_new(&mut self, now: Instant, in_flight: u64) -> DataSegment {
        let seq = self.snd_max();
        // Without pacing the next departure lies in the past.
        let sent_at = now.max(self.pacer.next());
        if !self.config.timestamps {
            self.time(now, seq);
        }
        self.flight.record(1, sent_at, in_flight);
        let payload = self.send_buffer.first(seq, self.snd_una());
        self.note_sent(now, in_flight, payload);
        // Only new data tells of a reduction.
        let cwr = core::mem::take(&mut self.cwr);
        let push = seq >= self.push_from && self.push(seq);
        DataSegment { cwr, push, ..self.segment(seq, payload, sent_at) }
    }

    /// Sends a copy of `seq`.
    #[inline(never)]
    fn retransmit(&mut self, now: Instant, seq: u64, in_flight: u64) -> DataSegment {
        let sent_at = now.max(self.pacer.next());
        self.flight.record_retransmission(seq, sent_at, in_flight);
        // Karn's rule: an ACK of the timed segment may answer the copy.
        if !self.config.has_ns2_habits() {
            self.timed = self.timed.filter(|&(timed, _)| timed < seq);
        }
        let payload = self.send_buffer.again(seq);
        self.counts.retransmitted += 1;
        self.retransmitted_bytes += payload;
        self.note_sent(now, in_flight, payload);
        let retransmission =
            DataSegment { retransmission: true, ..self.segment(seq, payload, sent_at) };
        // Not ECN-capable by RFC 3168 section 6.1.5. In ns-2 copies are, and tell of reductions
        // (`SetCWRonRetransmit_`).
        let ns2 = self.config.has_ns2_habits();
        let capable = ns2 || self.controller.ect_on_retransmissions();
        let ecn = if capable { retransmission.ecn } else { Ecn::NotEct };
        let cwr = ns2 && core::mem::take(&mut self.cwr);
        DataSegment { ecn, cwr, push: self.has_pushed(seq), ..retransmission }
    }

    /// Without timestamps one segment a window is timed. A sample counts ticks of the sender's clock,
    /// and the handshake ended when the first segment left. Linux has no such clock.
    fn time(&mut self, now: Instant, seq: u64) {
        let first = seq == 0 && self.config.recovery != Recovery::Linux;
        if let Some(sample) = self.config.handshake_rtt.filter(|_| first) {
            self.rtt.sample_handshake(sample, now);
        }
        self.timed.get_or_insert((seq, now));
    }

    /// A segment has left.
    #[inline]
    fn note_sent(&mut self, now: Instant, in_flight: u64, payload: Bytes) {
        self.window_usage.sent(in_flight + 1, self.window, self.snd_una(), self.snd_max());
        self.note_departure(now);
        if self.pacer.is_on() {
            self.pace(now, payload);
        }
    }

    /// Data has left: the timer runs (RFC 6298, 5.1).
    #[inline]
    fn note_departure(&mut self, now: Instant) {
        self.last_sent_at = now;
        if self.rto_deadline == Instant::FAR_FUTURE {
            self.rto_deadline = now + self.rtt.rto();
        }
    }

    /// Notes that no segment may leave. Without data the application limits the rate, and not the path.
    #[inline]
    pub(crate) fn note_app_limit(&mut self, in_flight: u64) {
        if self.flight.is_timed()
            && (self.snd_max() >= self.send_buffer.available() || self.is_write_limited())
            && in_flight < self.window.cwnd.whole()
        {
            self.flight.mark_app_limited(in_flight);
        }
    }

    /// Notes the application's limit for a sender that asks only when its application writes: one with
    /// more to write than its buffer takes writes again as soon as there is room.
    #[inline]
    pub(crate) fn note_write_limit(&mut self, in_flight: u64) {
        if self.flight.is_timed()
            && self.snd_max() < self.send_buffer.available()
            && self.is_write_limited()
            && in_flight < self.window.cwnd.whole()
        {
            self.flight.mark_app_limited(in_flight);
        }
    }

    /// The application is about to write (`tcp_rate_check_app_limited`).
    pub(crate) fn note_write(&mut self, in_flight: u64) {
        let has_unsent = self.written_or_available() > self.snd_max();
        if self.flight.is_timed() && !has_unsent && in_flight < self.window.cwnd.whole() {
            self.flight.mark_written_late(in_flight);
        }
    }

    // --- Pacing.

    /// True if segments are paced.
    pub(crate) fn is_paced(&self) -> bool {
        self.pacer.is_on()
    }

    /// When pacing lets the next segment leave; in the past if it may leave now.
    pub(crate) fn next_departure(&self) -> Instant {
        self.pacer.next()
    }

    /// The rate at which segments are spread out.
    pub(crate) fn pacing_rate(&self) -> Option<Rate> {
        self.controller.pacing_rate().or_else(|| self.pacer.rate())
    }

    /// Sets the pace until the next ACK, for a controller without one of its own.
    #[inline]
    pub(crate) fn update_pace(&mut self) {
        // Where segments leave in bursts nothing paces them: one look less at another line.
        if !self.in_bursts() && self.pacer.is_on() {
            let (srtt, smss) = (self.rtt.srtt(), self.config.sizes.payload);
            let rate = Pacer::window_rate(self.window, self.outstanding(), srtt, smss);
            self.pacer.set_rate(rate);
        }
    }

    #[inline(never)]
    fn pace(&mut self, now: Instant, payload: Bytes) {
        self.pacer.sent(now, payload, self.pacing_rate(), self.sent());
    }

    // --- Counters.

    /// Segments sent since the start: every one below `snd_max` once, and copies and probes are counted.
    fn sent(&self) -> u64 {
        self.snd_max() + self.counts.retransmitted + self.counts.window_probes
    }

    /// The counters since the start.
    pub(crate) fn counts(&self) -> SenderCounts {
        let sent = self.sent();
        let payload = self.send_buffer.sent(self.snd_max()) + self.retransmitted_bytes;
        let headers = self.config.sizes.header * sent;
        SenderCounts { sent, sent_bytes: (payload + headers).get(), ..self.counts }
    }
}
