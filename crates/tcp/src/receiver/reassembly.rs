//! Reassembly: segments in order, behind gaps, arriving again, too old, or without data.

use westwood_cc::{Bytes, Duration, Instant};

use super::misbehaviour::AckAnswer;
use super::{AckMode, PriorAck, Receiver};
use crate::segment::{AckSegment, DataSegment};

/// How often Linux answers segments without data that lie outside the window (`tcp_invalid_ratelimit`).
const PROBE_ANSWERS: Duration = Duration::from_millis(500);

/// The unit of timestamps in Linux (`TCP_TS_HZ`).
const TICK: Duration = Duration::from_millis(1);

impl Receiver {
    /// The next segment in order has arrived, and no range is held behind it.
    #[inline]
    pub(super) fn take_next(&mut self, segment: &DataSegment) {
        // The last ACK asked for this segment: no segment in order lies below that.
        if self.rcv_nxt == self.acked {
            self.echo = self.echo.max(segment.sent_at);
        }
        self.delivered_bytes += segment.payload.get();
        self.rcv_nxt += 1;
    }

    /// Takes the next segment by Linux's policy, with a buffer that may grow.
    #[inline(never)]
    pub(super) fn take_next_by_linux(
        &mut self,
        now: Instant,
        segment: &DataSegment,
    ) -> Option<AckSegment> {
        if let Some(extensions) = &mut self.extensions {
            if extensions.misbehaviour.is_some() {
                return self.reassemble(now, segment, false);
            }
            extensions.now = now;
        }
        self.take_next(segment);
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.note_codepoint(segment.ecn);
            let extensions = self.extensions.as_ref();
            quick.in_order(now, || {
                extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked))
            });
        }
        if self.extensions.is_some() {
            self.store(now, segment);
        }
        self.linux_ack(now, segment.push && self.reads(now))
    }

    /// True if the application reads what arrives at once (`__tcp_cleanup_rbuf` looks for PSH then).
    #[cold]
    pub(super) fn reads(&self, now: Instant) -> bool {
        self.extensions.as_ref().is_none_or(|extensions| {
            extensions.relay.is_none()
                && extensions.buffer.as_ref().is_none_or(|buffer| !buffer.is_paused(now))
        })
    }

    /// Takes in any segment: duplicates, gaps and marks too.
    #[inline(never)]
    pub(super) fn reassemble(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        ce: bool,
    ) -> Option<AckSegment> {
        self.note_time(now);
        let timed = self.is_timer_first(now).then(|| self.acknowledge(None));
        let mut ack = self.answer(now, segment, ce);
        if let Some(timed) = timed {
            ack = self.put_first(timed, ack);
        }
        let misbehaves = self.extensions.as_ref().is_some_and(|e| e.misbehaviour.is_some());
        if misbehaves { self.apply_misbehaviour(now, segment, ack) } else { ack }
    }

    /// True if the delayed ACK is due in the instant in which a segment arrives, and ns-2's scheduler takes
    /// its timer first, which was set before the segment left the last link.
    #[inline]
    pub(super) fn is_timer_first(&self, now: Instant) -> bool {
        self.is_ns2 && self.deadline <= now && self.is_any_waiting()
    }

    /// The answer where `first` goes before `ack` and what goes before that.
    #[cold]
    fn put_first(&mut self, first: AckSegment, ack: Option<AckSegment>) -> Option<AckSegment> {
        if ack.is_none() {
            return Some(first);
        }
        let next = self.prior.take();
        self.prior = Some(Box::new(PriorAck { ack: first, next }));
        ack
    }

    /// A receiver that misbehaves answers otherwise.
    #[cold]
    pub(super) fn apply_misbehaviour(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        ack: Option<AckSegment>,
    ) -> Option<AckSegment> {
        let Some(misbehaviour) = self.extensions.as_mut().and_then(|e| e.misbehaviour.as_mut())
        else {
            return ack;
        };
        match misbehaviour.answer(now, segment, ack) {
            AckAnswer::Acks(acks) => self.queue(acks),
            AckAnswer::Release => Some(self.acknowledge(None)),
            AckAnswer::Wait(until) => {
                self.deadline = until;
                None
            }
        }
    }

    /// The last of these ACKs; the others go before it, after those that are there already.
    pub(super) fn queue(&mut self, mut acks: Vec<AckSegment>) -> Option<AckSegment> {
        let last = acks.pop()?;
        let chain =
            acks.into_iter().rev().fold(None, |next, ack| Some(Box::new(PriorAck { ack, next })));
        let mut end = &mut self.prior;
        while let Some(prior) = end {
            end = &mut prior.next;
        }
        *end = chain;
        Some(last)
    }

    /// The honest answer to a segment.
    #[inline]
    pub(super) fn answer(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        ce: bool,
    ) -> Option<AckSegment> {
        if self.is_too_old(segment) {
            return Some(self.reject_paws(segment));
        }
        if segment.payload == Bytes::ZERO {
            return self.answer_probe(now);
        }
        let seq = segment.seq;
        let in_order = seq == self.rcv_nxt;
        let at_once = self.note_mark(segment, ce) || self.acks_cwr_immediately(segment);
        self.note_echo(segment);
        if seq < self.rcv_nxt {
            return self.on_duplicate_in_order(now, segment);
        }
        let had_gap = !self.out_of_order.is_empty();
        let mut gathered = None;
        if in_order {
            self.advance();
        } else if let Some(range) = self.out_of_order.insert_one(seq) {
            gathered = self.flush_gathered(seq);
            self.recent.report(seq, range, self.rcv_nxt);
        } else {
            return self.on_duplicate_behind_gap(now, segment);
        }
        self.delivered_bytes += segment.payload.get();
        if let AckMode::Linux(quick) = &mut self.mode {
            if in_order {
                let extensions = self.extensions.as_ref();
                quick.in_order(now, || {
                    extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked))
                });
            } else {
                quick.out_of_order();
            }
        }
        if self.extensions.is_some() {
            self.store(now, segment);
        }
        if matches!(self.mode, AckMode::Linux(_)) && !at_once {
            // The ACK of what was gathered is this segment's too (`inet_csk_ack_scheduled`).
            let pushed = segment.push && in_order && self.reads(now);
            let at_once = (had_gap || pushed) && self.out_of_order.is_empty();
            return gathered.or_else(|| self.linux_ack(now, at_once));
        }
        // RFC 5681 section 4.2: at once when out of order, or when a gap is filled.
        if !in_order || had_gap || at_once {
            return Some(self.acknowledge(None));
        }
        match self.mode {
            AckMode::Delayed { timer } if self.is_one_waiting() => self.delay(now, timer),
            _ => Some(self.acknowledge(None)),
        }
    }

    /// A receive buffer takes in the segment that has just been put where it belongs.
    pub(super) fn store(&mut self, now: Instant, segment: &DataSegment) {
        let place = (self.rcv_nxt, self.out_of_order.count());
        let Some(extensions) = &mut self.extensions else { return };
        if let Some(relay) = &mut extensions.relay {
            relay.store(segment, self.rcv_nxt);
        }
        let buffer = extensions.buffer.as_mut();
        let grows = buffer.is_some_and(|b| b.take(now, segment, place, self.sack));
        if let (true, AckMode::Linux(quick)) = (grows, &mut self.mode) {
            quick.announce();
        }
    }

    /// The application reads again after a pause. True if an ACK should tell of it.
    #[cold]
    pub(super) fn resume(&mut self, now: Instant) -> Option<bool> {
        let place = (self.rcv_nxt, self.out_of_order.count());
        let buffer = self.extensions.as_mut()?.buffer.as_mut()?;
        buffer.settle();
        if now < buffer.resumes_at() {
            return None;
        }
        buffer.read(now);
        Some(buffer.opens(place.0, place.1) || self.rcv_nxt > self.acked)
    }

    /// A duplicate arrives.
    pub(super) fn on_duplicate(&mut self, segment: &DataSegment) -> AckSegment {
        let seq = segment.seq;
        self.duplicates += 1;
        if let AckMode::Linux(quick) = &mut self.mode {
            let extensions = self.extensions.as_ref();
            quick.duplicate(extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked)));
        }
        self.acknowledge(Some(seq))
    }

    /// A segment arrives that is acknowledged, or waits to be. ns-2 delays the ACK of a copy of the last
    /// segment in order like that of a new one (`DelAckSink::recv`).
    fn on_duplicate_in_order(&mut self, now: Instant, segment: &DataSegment) -> Option<AckSegment> {
        match self.mode {
            AckMode::Delayed { timer }
                if self.is_ns2
                    && segment.seq + 1 == self.rcv_nxt
                    && self.out_of_order.is_empty()
                    && !self.is_any_waiting() =>
            {
                self.duplicates += 1;
                self.copy_waits = true;
                self.delay(now, timer)
            }
            _ => Some(self.on_duplicate(segment)),
        }
    }

    /// A segment arrives that is held. Linux gathers its report like that of a new one.
    pub(super) fn on_duplicate_behind_gap(
        &mut self,
        now: Instant,
        segment: &DataSegment,
    ) -> Option<AckSegment> {
        let seq = segment.seq;
        let gathers = matches!(self.mode, AckMode::Linux(_));
        let mut gathered = None;
        if gathers {
            self.duplicates += 1;
            self.duplicate = Some(seq);
            gathered = self.flush_gathered(seq);
        }
        if let Some(range) = self.out_of_order.find(seq) {
            self.recent.report(seq, range, self.rcv_nxt);
        }
        if gathers {
            gathered.or_else(|| self.linux_ack(now, false))
        } else {
            Some(self.on_duplicate(segment))
        }
    }

    /// Protection against wrapped sequence numbers (`tcp_paws_discard`): Linux takes no segment whose time
    /// is more than one tick of a millisecond before the time that it echoes. Nothing wraps here; but a copy
    /// that overtakes new data makes it look old, and the sender has to send it again.
    pub(super) fn is_too_old(&self, segment: &DataSegment) -> bool {
        let tick = |at: Instant| at.as_nanos() / TICK.as_nanos();
        self.is_linux
            && self.timestamps
            && segment.sent_at < self.echo
            && tick(segment.sent_at) + 1 < tick(self.echo)
    }

    /// Answers a segment that is too old at once (`tcp_send_dupack`).
    #[cold]
    pub(super) fn reject_paws(&mut self, segment: &DataSegment) -> AckSegment {
        if segment.seq < self.rcv_nxt {
            return self.on_duplicate(segment);
        }
        self.refused += 1;
        self.acknowledge(None)
    }

    /// A sender asks with a segment that has no data whether the window is still closed. It tells nothing of
    /// the path; Linux answers one in half a second (`tcp_oow_rate_limited`).
    #[cold]
    pub(super) fn answer_probe(&mut self, now: Instant) -> Option<AckSegment> {
        self.duplicates += 1;
        let extensions = self.extensions.as_mut()?;
        let answered = extensions.probe_answered.filter(|_| self.is_linux);
        if answered.is_some_and(|at| now.since(at) < PROBE_ANSWERS) {
            return None;
        }
        extensions.probe_answered = Some(now);
        Some(self.acknowledge(None))
    }

    /// RFC 7323 section 4.3 (2): the segment that the last ACK asked for sets the echo, so that a
    /// delayed ACK measures from the first segment it covers. A segment wholly below the window does not
    /// count (section 5.3, R2), but in ns-2 (`Acker::update_ts`).
    #[inline]
    pub(super) fn note_echo(&mut self, segment: &DataSegment) {
        let in_window = segment.seq + 1 >= self.acked;
        if segment.seq <= self.acked && (in_window || self.is_ns2) {
            self.echo = self.echo.max(segment.sent_at);
        }
    }

    /// The next segment in order has arrived: the cumulative acknowledgment covers it and the range behind
    /// it.
    pub(super) fn advance(&mut self) {
        self.rcv_nxt += 1;
        if self.out_of_order.is_empty() {
            return;
        }
        if let Some(r) = self.out_of_order.find(self.rcv_nxt) {
            self.rcv_nxt = r.end;
        }
        self.out_of_order.remove_below(self.rcv_nxt);
        self.recent.remove_below(self.rcv_nxt, !self.out_of_order.is_empty());
    }
}
