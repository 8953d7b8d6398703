//! What leaves: new segments, copies, and what is counted of them.

use westwood_cc::{Bytes, Controller, Instant, Rate};

use super::{Core, SenderCounts};
use crate::segment::DataSegment;
use crate::sender::pacer::Pacer;

impl Core {
    /// Puts segment `seq` on the wire: either `snd_max` or a copy. `in_flight` is counted before. It
    /// leaves now, or when pacing lets it.
    #[expect(clippy::inline_always, reason = "a third of what sending costs was this call")]
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Instant, seq: u64, in_flight: u64) -> DataSegment {
        let copy = seq < self.snd_max;
        // Without pacing the next departure lies in the past.
        let leaves = now.max(self.pacer.next());
        let payload =
            if copy { self.record_copy(leaves, seq) } else { self.record_new(now, leaves, seq) };
        self.note_sent(now, in_flight, payload);
        let cwr = self.cwr && !copy;
        // Only new data carries the news.
        self.cwr &= copy;
        let ect = self.config.ecn && !copy;
        DataSegment { seq, payload, sent_at: leaves, retransmission: copy, ect, cwr }
    }

    /// `snd_max` leaves; answers its payload.
    #[inline]
    fn record_new(&mut self, now: Instant, leaves: Instant, seq: u64) -> Bytes {
        if seq == 0 {
            self.sample_handshake(now);
        }
        self.flight.record(leaves, self.outstanding() == 0);
        self.snd_max = seq + 1;
        if !self.config.timestamps && self.timed.is_none() {
            self.timed = Some((seq, now));
        }
        self.stream.first(seq, self.snd_una)
    }

    /// Without timestamps a sample counts ticks of the sender's clock, and the handshake ended when
    /// the first segment left.
    #[cold]
    fn sample_handshake(&mut self, now: Instant) {
        if let Some(sample) = self.config.handshake_rtt.filter(|_| !self.config.timestamps) {
            self.rtt.sample_handshake(sample, now);
        }
    }

    /// A copy leaves; answers its payload.
    #[cold]
    fn record_copy(&mut self, leaves: Instant, seq: u64) -> Bytes {
        self.flight.record_again(seq, leaves, self.outstanding() == 0);
        // Karn's rule: an ACK of the timed segment may answer the copy.
        self.timed = self.timed.filter(|&(timed, _)| timed < seq);
        let payload = self.stream.again(seq);
        self.counts.retransmitted += 1;
        self.copied += payload;
        payload
    }

    /// A segment has left.
    #[inline]
    fn note_sent(&mut self, now: Instant, in_flight: u64, payload: Bytes) {
        self.usage.sent(in_flight + 1, self.window, self.snd_una, self.snd_max);
        self.note_departure(now);
        if self.pacer.is_on() {
            self.pace(now, payload);
        }
    }

    /// Something has left: the timer runs (RFC 6298, 5.1).
    #[inline]
    pub(crate) fn note_departure(&mut self, now: Instant) {
        self.last_sent_at = now;
        if self.rto_deadline == Instant::FAR_FUTURE {
            self.rto_deadline = now + self.rtt.rto();
        }
    }

    /// Spreads the segments over the round-trip time.
    #[inline(never)]
    fn pace(&mut self, now: Instant, payload: Bytes) {
        self.pacer.sent(now, payload, self.pacing_rate(), self.sent());
    }

    /// A silent end of data is a limit of the application's, not of the path's.
    #[inline]
    pub(crate) fn note_app_limit(&mut self, in_flight: u64) {
        if self.flight.is_timed()
            && self.snd_max >= self.stream.available()
            && in_flight < self.window.cwnd.whole()
        {
            self.flight.mark_app_limited(in_flight);
        }
    }

    pub(crate) fn pacing_rate(&self) -> Option<Rate> {
        self.controller.pacing_rate().or_else(|| self.pacer.rate())
    }

    /// The pace until the next ACK, for a controller that has no wish.
    #[inline]
    pub(crate) fn update_pace(&mut self) {
        if self.pacer.is_on() {
            let (srtt, smss) = (self.rtt.srtt(), self.config.sizes.payload);
            let rate = Pacer::window_rate(self.window, self.outstanding(), srtt, smss);
            self.pacer.set_rate(rate);
        }
    }

    /// Segments sent since the start: every one below `snd_max` once, and copies are counted.
    fn sent(&self) -> u64 {
        self.snd_max + self.counts.retransmitted
    }

    /// What was done since the start.
    pub(crate) fn counts(&self) -> SenderCounts {
        let sent = self.sent();
        let payload = self.stream.sent(self.snd_max) + self.copied;
        let headers = self.config.sizes.header * sent;
        SenderCounts { sent, sent_bytes: (payload + headers).get(), ..self.counts }
    }
}
