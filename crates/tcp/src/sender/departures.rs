//! When each segment in flight left, and the delivery-rate samples that follow from it.
//!
//! The samples follow draft-cheng-iccrg-delivery-rate-estimation-02: the rate over an interval
//! that is the longer of the time to send and the time to acknowledge the same segments, so that
//! neither a burst nor ACK compression inflates it.
//!
//! Most connections keep no departures, so these functions are not inlined into their path.

use std::collections::VecDeque;

use westwood_cc::controller::LostSegment;
use westwood_cc::{DeliverySample, Duration, Instant};

/// The state of the connection when a segment left.
#[derive(Clone, Copy, Debug)]
struct Departure {
    /// When it was last sent.
    at: Instant,
    /// Segments delivered by then.
    delivered: u64,
    /// When that count had been reached.
    delivered_at: Instant,
    /// When the newest segment delivered by then had been sent.
    first_sent_at: Instant,
    /// Segments in flight, itself included.
    in_flight: u64,
    /// Segments judged lost by then.
    lost: u64,
    /// The sender had nothing more to send.
    app_limited: bool,
}

/// The departures of all segments in flight, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    sent: VecDeque<Departure>,
    delivered_at: Instant,
    first_sent_at: Instant,
    /// The connection is application-limited until more than this many are delivered, if there is one.
    app_limited_until: Option<u64>,
    /// The sample under construction: the newest segment that the ACK at hand delivers.
    newest: Option<Departure>,
    in_flight_before: u64,
    /// Segments judged lost since the start, and those of which the controller has not been told.
    lost: u64,
    unreported_losses: Vec<UnreportedLoss>,
}

/// A segment judged lost.
#[derive(Clone, Copy, Debug)]
struct UnreportedLoss {
    seq: u64,
    departure: Departure,
    /// Segments judged lost by then, itself included.
    lost: u64,
}

impl Departures {
    /// When a segment was last sent.
    pub(super) fn at(&self, index: usize) -> Option<Instant> {
        self.sent.get(index).map(|d| d.at)
    }

    /// `n` segments leave for the first time, when `in_flight` others are in flight; `alone` if nothing else
    /// is outstanding.
    #[inline(never)]
    pub(super) fn record(
        &mut self,
        n: u64,
        now: Instant,
        (delivered, in_flight): (u64, u64),
        alone: bool,
    ) {
        if alone {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        let first = self.departure(now, (delivered, in_flight));
        for before in 0..n {
            self.sent.push_back(Departure { in_flight: first.in_flight + before, ..first });
        }
    }

    /// A copy of the segment with this index leaves.
    #[inline(never)]
    pub(super) fn record_copy(
        &mut self,
        index: usize,
        now: Instant,
        (delivered, in_flight): (u64, u64),
    ) {
        let departure = self.departure(now, (delivered, in_flight));
        if let Some(old) = self.sent.get_mut(index) {
            *old = departure;
        }
    }

    /// The state in which a segment leaves.
    #[inline]
    fn departure(&self, now: Instant, (delivered, in_flight): (u64, u64)) -> Departure {
        Departure {
            at: now,
            delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight: in_flight + 1,
            lost: self.lost,
            app_limited: self.is_app_limited(),
        }
    }

    /// An ACK begins: `in_flight` is counted before it.
    #[inline]
    pub(super) fn begin_sample(&mut self, in_flight: u64) {
        self.newest = None;
        self.in_flight_before = in_flight;
    }

    /// A segment was delivered.
    pub(super) fn deliver(&mut self, index: usize, now: Instant) {
        self.delivered_at = now;
        self.deliver_uncounted(index);
    }

    /// A segment was delivered that does not count.
    pub(super) fn deliver_uncounted(&mut self, index: usize) {
        if let Some(&departure) = self.sent.get(index) {
            self.note_delivery(departure);
        }
    }

    /// The `n` oldest segments were delivered. `in_order`: they left in the order of their numbers, so that
    /// the last one is the newest.
    pub(super) fn deliver_oldest(&mut self, n: u64, now: Instant, in_order: bool) {
        self.delivered_at = now;
        let end = usize::try_from(n).unwrap_or(usize::MAX).min(self.sent.len());
        let first = if in_order { end.saturating_sub(1) } else { 0 };
        for index in first..end {
            self.note_delivery(self.sent[index]);
        }
    }

    /// An ACK delivers and covers the `n` oldest segments, one at least, which left in the order of their
    /// numbers: [`deliver_oldest`](Self::deliver_oldest) and [`pop`](Self::pop) in one. Answers when the
    /// first and the last of them left.
    #[inline]
    pub(super) fn acknowledge_in_order(
        &mut self,
        n: u64,
        now: Instant,
    ) -> Option<(Instant, Instant)> {
        let first_at = self.at(0)?;
        let last = *self.sent.get(usize::try_from(n).ok()?.checked_sub(1)?)?;
        self.delivered_at = now;
        self.note_delivery(last);
        self.pop(n);
        Some((first_at, last.at))
    }

    #[inline]
    fn note_delivery(&mut self, departure: Departure) {
        if self.newest.is_none_or(|n| departure.at >= n.at) {
            self.newest = Some(departure);
            self.first_sent_at = departure.at;
        }
    }

    /// A segment was delivered, and the ACK does not say which.
    pub(super) fn deliver_unknown(&mut self, now: Instant) {
        self.delivered_at = now;
    }

    /// A segment is judged lost.
    pub(super) fn lose(&mut self, index: usize, seq: u64) {
        self.lost += 1;
        if let Some(&departure) = self.sent.get(index) {
            self.unreported_losses.push(UnreportedLoss { seq, departure, lost: self.lost });
        }
    }

    /// The segments judged lost since this was last asked.
    pub(super) fn take_losses(&mut self, now: Instant) -> impl Iterator<Item = LostSegment> {
        self.unreported_losses.drain(..).map(move |UnreportedLoss { seq, departure, lost }| {
            LostSegment {
                now,
                seq,
                in_flight: departure.in_flight,
                lost_since: lost - departure.lost,
                app_limited: departure.app_limited,
            }
        })
    }

    /// The `n` oldest segments are no longer in flight.
    pub(super) fn pop(&mut self, n: u64) {
        for _ in 0..n {
            self.sent.pop_front();
        }
    }

    /// `delivered` when the newest segment of the ACK at hand left.
    pub(super) fn prior_delivered(&self) -> u64 {
        self.newest.map_or(0, |n| n.delivered)
    }

    /// The sender has no more data and room in its window, until more than this many are delivered.
    pub(super) fn mark_app_limited(&mut self, until: u64) {
        self.app_limited_until = Some(until);
    }

    /// True if the application has limited what was sent, and not all of that is delivered.
    pub(super) fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// The sample of the ACK at hand, by which `acked_sacked` more are `delivered`. Intervals shorter
    /// than the smallest round-trip time are no evidence: the segments were in flight twice.
    #[inline(never)]
    pub(super) fn sample(
        &mut self,
        delivered: u64,
        acked_sacked: u64,
        min_rtt: Option<Duration>,
    ) -> Option<DeliverySample> {
        self.app_limited_until = self.app_limited_until.filter(|&until| delivered <= until);
        let newest = self.newest?;
        let send = newest.at.since(newest.first_sent_at);
        let acked = self.delivered_at.since(newest.delivered_at);
        let interval = send.max(acked);
        if min_rtt.is_some_and(|m| interval < m) {
            return None;
        }
        Some(DeliverySample {
            delivered: delivered - newest.delivered,
            interval,
            prior_delivered: newest.delivered,
            prior_lost: newest.lost,
            in_flight_at_departure: newest.in_flight,
            prior_in_flight: self.in_flight_before,
            acked_sacked,
            app_limited: newest.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::flight::Flight;

    const fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// Sends `n` segments a millisecond apart.
    fn flight(n: u64) -> Flight {
        let mut f = Flight::new(true);
        (0..n).for_each(|seq| f.record(1, at(1_000 + seq), seq));
        f
    }

    fn ack(f: &mut Flight, ms: u64) -> Option<DeliverySample> {
        f.begin_sample(0);
        f.deliver_oldest(1, at(ms));
        f.advance(1);
        f.sample(None)
    }

    #[test]
    fn the_first_sample_counts_from_when_sending_began_and_not_from_the_origin_of_time() {
        let mut f = flight(4);
        let sample = ack(&mut f, 1_100).expect("a sample");
        assert_eq!((sample.delivered, sample.interval), (1, Duration::from_millis(100)));
    }

    #[test]
    fn a_sample_counts_what_was_delivered_since_its_segment_left() {
        let mut f = flight(2);
        ack(&mut f, 1_100);
        f.record(1, at(1_100), 1);
        ack(&mut f, 1_101);
        // Segment 2 left when one was delivered.
        let sample = ack(&mut f, 1_200).expect("a sample");
        assert_eq!((sample.delivered, sample.prior_delivered), (2, 1));
    }

    #[test]
    fn a_burst_of_acks_does_not_look_faster_than_the_segments_were_sent() {
        let mut f = flight(11);
        for _ in 0..10 {
            ack(&mut f, 1_100);
        }
        // All ten were acknowledged at once, and had taken 10 ms to send; the whole round counts.
        let sample = ack(&mut f, 1_101).expect("a sample");
        assert_eq!((sample.delivered, sample.interval), (11, Duration::from_millis(101)));
    }

    #[test]
    fn an_interval_below_the_smallest_round_trip_time_is_no_sample() {
        let mut f = flight(1);
        f.begin_sample(1);
        f.deliver_oldest(1, at(1_050));
        f.advance(1);
        assert!(f.sample(Some(Duration::from_millis(100))).is_none());
    }

    #[test]
    fn a_loss_tells_what_was_in_flight_and_what_was_lost_since_it_was_sent() {
        let mut f = flight(10);
        f.lose(3);
        f.record_retransmission(3, at(1_100), 8);
        f.lose(5);
        f.lose(3);
        let losses: Vec<_> = f.take_losses(at(1_200)).collect();
        let told: Vec<_> = losses.iter().map(|l| (l.seq, l.in_flight, l.lost_since)).collect();
        // The copy of segment 3 had seen its first loss.
        assert_eq!(told, [(3, 4, 1), (5, 6, 2), (3, 9, 2)]);
        assert_eq!(f.take_losses(at(1_200)).count(), 0);
        // Segment 0 was sent before any loss, and alone.
        let sample = ack(&mut f, 1_300).expect("a sample");
        assert_eq!((sample.prior_lost, sample.in_flight_at_departure), (0, 1));
    }

    #[test]
    fn samples_are_app_limited_until_what_was_in_flight_then_is_delivered() {
        let mut f = flight(2);
        f.mark_app_limited(2);
        f.record(1, at(1_010), 2);
        f.record(1, at(1_011), 3);
        let limited: Vec<bool> =
            (0..3).filter_map(|i| ack(&mut f, 1_100 + i)).map(|s| s.app_limited).collect();
        assert_eq!(limited, [false, false, true]);
        f.record(1, at(1_200), 0);
        ack(&mut f, 1_201);
        assert_eq!(ack(&mut f, 1_300).map(|s| s.app_limited), Some(false));
    }
}
