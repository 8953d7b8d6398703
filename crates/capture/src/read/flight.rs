//! The data in flight, and its ACKs: round-trip times and deliveries.

use std::collections::VecDeque;

use westwood_cc::Duration;

use crate::read::file::PacketTime;

/// Data that left together.
#[derive(Clone, Debug)]
struct SentRange {
    start: u64,
    end: u64,
    first: SentCopy,
    /// The times at which it left again.
    again: Vec<SentCopy>,
}

/// One transmission.
#[derive(Clone, Copy, Debug)]
struct SentCopy {
    time: PacketTime,
    value: Option<u32>,
}

/// The data that was sent and not yet acknowledged, in the order of the stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnackedData {
    sent: VecDeque<SentRange>,
    /// The byte after the last one sent, and after the last one acknowledged.
    pub(crate) snd_max: u64,
    pub(crate) snd_una: u64,
    /// Bytes beyond `snd_una` that were selectively acknowledged: ranges in order, apart.
    sacked: Vec<(u64, u64)>,
}

impl UnackedData {
    /// Data leaves.
    pub(crate) fn send(&mut self, time: PacketTime, start: u64, end: u64, value: Option<u32>) {
        let copy = SentCopy { time, value };
        if start < self.snd_max {
            let first = self.sent.partition_point(|sent| sent.end <= start);
            for sent in self.sent.range_mut(first..).take_while(|sent| sent.start < end) {
                sent.again.push(copy);
            }
        }
        let start = start.max(self.snd_max);
        if end > start {
            self.sent.push_back(SentRange { start, end, first: copy, again: Vec::new() });
            self.snd_max = end;
        }
    }

    /// An ACK arrives; the round-trip time that it measures, if any.
    pub(crate) fn acknowledge(
        &mut self,
        time: PacketTime,
        ack: u64,
        echo: Option<u32>,
        sack: &[(u64, u64)],
    ) -> Option<Duration> {
        let left = if ack > self.snd_una { self.left_at(ack, echo) } else { None };
        // Data that the capture missed was sent all the same.
        self.snd_max = self.snd_max.max(ack);
        self.snd_una = self.snd_una.max(ack);
        while self.sent.front().is_some_and(|sent| sent.end <= self.snd_una) {
            self.sent.pop_front();
        }
        for &(start, end) in sack {
            self.absorb(start, end);
        }
        self.sacked.retain_mut(|(start, end)| {
            *start = self.snd_una.max(*start);
            start < end
        });
        // Time between two settings of the clock is not known.
        left.filter(|left| left.set_back == time.set_back).map(|left| time.at.since(left.at))
    }

    /// The time at which the data that an ACK answers had left.
    ///
    /// With timestamps it is the echo that says which transmission is meant (RFC 7323 section 4.3: of
    /// several segments the first). Without them it is the last segment covered, unless one of those
    /// covered was sent twice (P. Karn, C. Partridge, 1987) or had been reported before.
    fn left_at(&self, ack: u64, echo: Option<u32>) -> Option<PacketTime> {
        let covered = || self.sent.iter().take_while(|sent| sent.start < ack);
        if echo.is_some() {
            return covered()
                .flat_map(|sent| std::iter::once(&sent.first).chain(&sent.again))
                .find(|copy| copy.value == echo)
                .map(|copy| copy.time);
        }
        if covered().any(|sent| !sent.again.is_empty()) || self.sacked.iter().any(|b| b.0 < ack) {
            return None;
        }
        covered().last().map(|sent| sent.first.time)
    }

    /// Adds a block to those that were selectively acknowledged.
    fn absorb(&mut self, start: u64, end: u64) {
        let (mut start, mut end) = (start.max(self.snd_una), end.min(self.snd_max));
        if start >= end {
            return;
        }
        let from = self.sacked.partition_point(|block| block.1 < start);
        let to = self.sacked.partition_point(|block| block.0 <= end);
        if let Some(touched) = self.sacked.get(from..to).filter(|touched| !touched.is_empty()) {
            start = start.min(touched[0].0);
            end = end.max(touched[touched.len() - 1].1);
        }
        self.sacked.splice(from..to, [(start, end)]);
    }

    /// Bytes delivered: acknowledged, or selectively acknowledged, once.
    pub(crate) fn delivered(&self) -> u64 {
        self.snd_una + self.sacked.iter().map(|(start, end)| end - start).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Instant;

    fn ms(ms: u64) -> PacketTime {
        PacketTime { at: Instant::ZERO + Duration::from_millis(ms), set_back: Duration::ZERO }
    }

    fn rtt(found: Option<Duration>) -> Option<u64> {
        found.map(|d| d.as_nanos() / 1_000_000)
    }

    #[test]
    fn the_echo_tells_a_retransmission_from_the_first_copy() {
        let sent = || {
            let mut flight = UnackedData::default();
            flight.send(ms(0), 0, 1_000, Some(1));
            flight.send(ms(50), 0, 1_000, Some(2));
            flight
        };
        assert_eq!(rtt(sent().acknowledge(ms(60), 1_000, Some(2), &[])), Some(10));
        assert_eq!(rtt(sent().acknowledge(ms(60), 1_000, Some(1), &[])), Some(60));
        assert_eq!(rtt(sent().acknowledge(ms(60), 1_000, Some(9), &[])), None);
        assert_eq!(rtt(sent().acknowledge(ms(60), 1_000, None, &[])), None);
    }

    #[test]
    fn a_clock_that_was_set_in_between_measures_nothing() {
        let mut flight = UnackedData::default();
        flight.send(ms(0), 0, 1_000, None);
        let set = PacketTime { set_back: Duration::from_secs(1), ..ms(60) };
        flight.send(set, 1_000, 2_000, None);
        assert_eq!(rtt(flight.acknowledge(set, 1_000, None, &[])), None);
        let heard = PacketTime { set_back: set.set_back, ..ms(90) };
        assert_eq!(rtt(flight.acknowledge(heard, 2_000, None, &[])), Some(30));
    }

    #[test]
    fn a_delayed_ack_measures_the_first_segment_by_its_echo_and_the_last_without() {
        let sent = |value: fn(u32) -> Option<u32>| {
            let mut flight = UnackedData::default();
            flight.send(ms(0), 0, 1_000, value(1));
            flight.send(ms(4), 1_000, 2_000, value(2));
            flight
        };
        assert_eq!(rtt(sent(Some).acknowledge(ms(20), 2_000, Some(1), &[])), Some(20));
        assert_eq!(rtt(sent(|_| None).acknowledge(ms(20), 2_000, None, &[])), Some(16));
    }

    #[test]
    fn each_byte_is_delivered_once_however_often_it_is_reported() {
        let mut flight = UnackedData::default();
        flight.send(ms(0), 0, 10_000, None);
        let mut delivered = |ack, blocks: &[(u64, u64)]| {
            flight.acknowledge(ms(1), ack, None, blocks);
            flight.delivered()
        };
        assert_eq!(delivered(0, &[(5_000, 6_000)]), 1_000);
        assert_eq!(delivered(0, &[(7_000, 8_000), (5_000, 6_000)]), 2_000);
        assert_eq!(delivered(0, &[(5_500, 7_500)]), 3_000);
        // A block below the ACK is a report of a duplicate (RFC 2883).
        assert_eq!(delivered(1_000, &[(0, 1_000)]), 4_000);
        assert_eq!(delivered(6_500, &[]), 8_000);
        assert_eq!(delivered(10_000, &[]), 10_000);
        // Data that was never sent is not delivered.
        assert_eq!(delivered(10_000, &[(20_000, 30_000)]), 10_000);
    }
}
