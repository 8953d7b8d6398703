//! What has been sent and not yet cumulatively acknowledged, segment by segment, and the
//! delivery-rate samples that follow from it.

use std::collections::VecDeque;

use westwood_cc::{DeliverySample, Duration, Instant};

/// What is remembered of a segment in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When it was last sent.
    pub(crate) at: Instant,
    /// [`Flight::delivered`] at that time.
    delivered: u64,
    /// When that count had been reached.
    delivered_at: Instant,
    /// When the newest segment delivered by then had been sent.
    first_sent_at: Instant,
    /// The sender had nothing more to send.
    app_limited: bool,
    /// It is a copy.
    pub(crate) retransmitted: bool,
    /// It has been selectively acknowledged.
    pub(crate) sacked: bool,
    /// It is judged lost.
    pub(crate) lost: bool,
    /// A copy of it counts as in flight: sent, and not judged lost since. Kept by the scoreboard.
    pub(crate) repaired: bool,
    /// RACK has yet to judge it. Kept by Linux's scoreboard.
    pub(crate) queued: bool,
}

/// Segments from `snd_una` on, and the count of what was delivered.
///
/// The samples follow draft-cheng-iccrg-delivery-rate-estimation-02: the rate over an interval
/// that is the longer of the time to send and the time to acknowledge the same segments, so that
/// neither a burst nor ACK compression inflates it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    sent: VecDeque<Sent>,
    /// Sequence number of the first.
    first: u64,
    /// Segments delivered since the start, each counted once.
    pub(crate) delivered: u64,
    delivered_at: Instant,
    first_sent_at: Instant,
    /// The connection is application-limited until this many are delivered.
    app_limited_until: u64,
    /// The sample under construction.
    newest: Option<Sent>,
    acked_sacked: u64,
    in_flight_before: u64,
}

impl Flight {
    /// The record of a segment in flight.
    pub(crate) fn get(&self, seq: u64) -> Option<&Sent> {
        self.sent.get(usize::try_from(seq.checked_sub(self.first)?).ok()?)
    }

    /// The record of a segment in flight, to change.
    pub(crate) fn get_mut(&mut self, seq: u64) -> Option<&mut Sent> {
        #[cfg(test)]
        touched::count();
        self.sent.get_mut(usize::try_from(seq.checked_sub(self.first)?).ok()?)
    }

    /// Every record, in order of sequence numbers.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Sent> {
        self.sent.iter_mut()
    }

    /// A segment leaves: the next one, or a copy; `alone` if nothing else is outstanding.
    pub(crate) fn record(&mut self, seq: u64, now: Instant, alone: bool) {
        if alone {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        let mut entry = Sent {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited_until > 0,
            retransmitted: false,
            sacked: false,
            lost: false,
            repaired: false,
            queued: false,
        };
        if let Some(old) = self.get_mut(seq) {
            entry.retransmitted = true;
            entry.repaired = old.repaired;
            entry.lost = old.lost;
            entry.sacked = old.sacked;
            *old = entry;
        } else {
            self.sent.push_back(entry);
        }
    }

    /// An ACK begins: `in_flight` is counted before it.
    pub(crate) fn begin_sample(&mut self, in_flight: u64) {
        self.newest = None;
        self.acked_sacked = 0;
        self.in_flight_before = in_flight;
    }

    /// A segment was delivered: acknowledged, or selectively acknowledged, for the first time.
    pub(crate) fn deliver(&mut self, entry: Sent, now: Instant) {
        self.delivered += 1;
        self.delivered_at = now;
        self.acked_sacked += 1;
        if self.newest.is_none_or(|n| entry.at >= n.at) {
            self.newest = Some(entry);
            self.first_sent_at = entry.at;
        }
    }

    /// Removes the oldest record: it is cumulatively acknowledged.
    pub(crate) fn pop(&mut self) -> Option<Sent> {
        #[cfg(test)]
        touched::count();
        let entry = self.sent.pop_front()?;
        self.first += 1;
        Some(entry)
    }

    /// A duplicate ACK, without SACK, says that some segment was delivered.
    pub(crate) fn deliver_unknown(&mut self, now: Instant) {
        self.delivered += 1;
        self.delivered_at = now;
        self.acked_sacked += 1;
    }

    /// Segments delivered by the ACK at hand.
    pub(crate) fn acked_sacked(&self) -> u64 {
        self.acked_sacked
    }

    /// What had been delivered when the newest segment of the ACK at hand left.
    pub(crate) fn prior_delivered(&self) -> u64 {
        self.newest.map_or(0, |n| n.delivered)
    }

    /// The sender has no more data and room in its window.
    pub(crate) fn mark_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
    }

    /// The sample of the ACK at hand. Intervals shorter than the smallest round-trip time are no
    /// evidence: the segments were in flight twice.
    pub(crate) fn sample(&mut self, min_rtt: Option<Duration>) -> Option<DeliverySample> {
        if self.app_limited_until > 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let newest = self.newest?;
        let send = newest.at.since(newest.first_sent_at);
        let acked = self.delivered_at.since(newest.delivered_at);
        let interval = send.max(acked);
        if min_rtt.is_some_and(|m| interval < m) {
            return None;
        }
        Some(DeliverySample {
            delivered: self.delivered - newest.delivered,
            interval,
            prior_delivered: newest.delivered,
            prior_in_flight: self.in_flight_before,
            acked_sacked: self.acked_sacked,
            app_limited: newest.app_limited,
        })
    }
}

/// How many records were looked at, for tests of cost.
#[cfg(test)]
pub(crate) mod touched {
    use std::cell::Cell;

    thread_local!(static TOUCHED: Cell<u64> = const { Cell::new(0) });

    pub(super) fn count() {
        TOUCHED.with(|t| t.set(t.get() + 1));
    }

    /// Records touched since this was last asked.
    pub(crate) fn take() -> u64 {
        TOUCHED.with(Cell::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// Sends `n` segments a millisecond apart.
    fn flight(n: u64) -> Flight {
        let mut f = Flight::default();
        (0..n).for_each(|seq| f.record(seq, at(1_000 + seq), seq == 0));
        f
    }

    fn ack(f: &mut Flight, ms: u64) -> Option<DeliverySample> {
        f.begin_sample(0);
        let entry = f.pop().expect("in flight");
        f.deliver(entry, at(ms));
        f.sample(None)
    }

    #[test]
    fn the_first_sample_counts_from_when_sending_began_and_not_from_the_origin_of_time() {
        let mut f = flight(4);
        let sample = ack(&mut f, 1_100).expect("a sample");
        assert_eq!((sample.delivered, sample.interval), (1, Duration::from_millis(100)));
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
        let entry = f.pop().expect("in flight");
        f.deliver(entry, at(1_050));
        assert!(f.sample(Some(Duration::from_millis(100))).is_none());
    }

    #[test]
    fn samples_are_app_limited_until_what_was_in_flight_then_is_delivered() {
        let mut f = flight(2);
        f.mark_app_limited(2);
        f.record(2, at(1_010), false);
        f.record(3, at(1_011), false);
        let limited: Vec<bool> =
            (0..3).filter_map(|i| ack(&mut f, 1_100 + i)).map(|s| s.app_limited).collect();
        assert_eq!(limited, [false, false, true]);
        f.record(4, at(1_200), false);
        ack(&mut f, 1_201);
        assert_eq!(ack(&mut f, 1_300).map(|s| s.app_limited), Some(false));
    }
}
