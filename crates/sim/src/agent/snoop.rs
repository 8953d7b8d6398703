//! Snoop: a base station that repairs what a wireless hop loses.
//!
//! H. Balakrishnan, S. Seshan, E. Amir, R. H. Katz, "Improving TCP/IP Performance over Wireless
//! Networks", MobiCom 1995, for data towards the mobile host. westwood-2002 section 1
//! describes it and leaves cache, timer and retries open.
//!
//! * New data is kept until it is acknowledged, if there is room, and goes on.
//! * The sender's own copy of a segment that is kept goes on and takes its place. A segment that was lost
//!   before the base station is not kept: its duplicate ACKs go on to the sender.
//! * Packets that the base station's own queue drops are not kept: that is congestion.
//! * A new ACK frees what it covers and gives a round-trip time of the hop, counted from the end of
//!   the transmission, unless the newest of it was sent twice. It goes on.
//! * The first duplicate for a segment that is kept sends it again, ahead of the queue, and goes no further.
//!   The segments that had followed it cause as many more duplicates, which go no further either. One more
//!   than these says that the copy is lost too.
//! * Without a new ACK for the local timeout the oldest segment kept is sent again, however often.
//!
//! Where the paper speaks of several local timers there is one here, for the oldest segment.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant};

use super::SnoopConfig;

/// The base station's knowledge of one connection.
#[derive(Debug)]
pub(crate) struct Snoop<P> {
    capacity: usize,
    min_timeout: Duration,
    /// In the order of their numbers.
    kept: VecDeque<CachedSegment<P>>,
    /// One beyond the highest segment that passed.
    highest: u64,
    /// Cumulative ACK: the next expected segment.
    acked: u64,
    /// So many duplicates are still to come for what has been sent again.
    expected: u64,
    /// `highest` when it was sent again, if it was.
    retransmitted_at: Option<u64>,
    /// The smoothed round-trip time of the hop.
    srtt: Option<Duration>,
    /// When something was acknowledged last.
    progress: Instant,
}

/// A segment that may have to be sent again.
#[derive(Debug)]
struct CachedSegment<P> {
    seq: u64,
    /// When its latest copy leaves the transmitter.
    departs: Instant,
    /// It was sent more than once.
    retransmitted: bool,
    /// The sender has sent it again itself, because it was lost before the base station.
    senders: bool,
    packet: P,
}

/// The fate of an ACK.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AckDecision<P> {
    /// It goes on to the sender.
    Pass,
    /// It goes no further.
    Hold,
    /// It goes no further, and this packet is sent once more.
    Repair(P),
}

impl<P: Clone> Snoop<P> {
    pub(crate) fn new(config: &SnoopConfig) -> Self {
        Self {
            capacity: usize::try_from(config.cache).unwrap_or(usize::MAX),
            min_timeout: config.min_timeout,
            kept: VecDeque::new(),
            highest: 0,
            acked: 0,
            expected: 0,
            retransmitted_at: None,
            srtt: None,
            progress: Instant::ZERO,
        }
    }

    /// Data on its way to the mobile host passes, and will have left the transmitter at `departs`.
    pub(crate) fn on_data(&mut self, departs: Instant, seq: u64, packet: &P) {
        if seq < self.acked {
            return;
        }
        let place = self.kept.partition_point(|k| k.seq < seq);
        if let Some(kept) = self.kept.get_mut(place).filter(|k| k.seq == seq) {
            (kept.departs, kept.retransmitted) = (departs, true);
            kept.packet = packet.clone();
            if seq == self.acked {
                (self.expected, self.retransmitted_at) = (0, None);
            }
        } else if self.kept.len() < self.capacity {
            let senders = seq < self.highest;
            let kept = CachedSegment {
                seq,
                departs,
                retransmitted: senders,
                senders,
                packet: packet.clone(),
            };
            self.kept.insert(place, kept);
        }
        self.highest = self.highest.max(seq + 1);
    }

    /// The base station's own queue drops data: that is congestion, and the sender shall see it.
    pub(crate) fn on_dropped(&mut self, seq: u64) {
        self.kept.retain(|k| k.seq != seq);
    }

    /// An ACK of the mobile host passes.
    pub(crate) fn on_ack(&mut self, now: Instant, ack: u64) -> AckDecision<P> {
        if ack < self.acked {
            return AckDecision::Hold;
        }
        if ack > self.acked {
            self.free(now, ack);
            return AckDecision::Pass;
        }
        self.on_duplicate(now)
    }

    fn free(&mut self, now: Instant, ack: u64) {
        let covered = self.kept.partition_point(|k| k.seq < ack);
        if let Some(newest) = self.kept.drain(..covered).last()
            && !newest.retransmitted
        {
            let sample = now.since(newest.departs);
            self.srtt = Some(self.srtt.map_or(sample, |srtt| (srtt * 7 + sample) / 8));
        }
        self.acked = ack;
        (self.expected, self.retransmitted_at) = (0, None);
        self.progress = now;
    }

    fn on_duplicate(&mut self, now: Instant) -> AckDecision<P> {
        let Self { highest, acked, retransmitted_at: copied_at, .. } = *self;
        let Some(first) = self.kept.front_mut().filter(|k| k.seq == acked && !k.senders) else {
            return AckDecision::Pass;
        };
        if self.expected > 0 {
            self.expected -= 1;
            return AckDecision::Hold;
        }
        // Each segment behind the one that is missing makes a duplicate. This was one of them.
        let since = copied_at.unwrap_or(acked + 1);
        self.expected = highest.saturating_sub(since).saturating_sub(1);
        self.retransmitted_at = Some(highest);
        (first.departs, first.retransmitted) = (now, true);
        AckDecision::Repair(first.packet.clone())
    }

    /// When the local timer fires; never while nothing is kept, or no round-trip time known.
    pub(crate) fn deadline(&self) -> Instant {
        match (self.kept.front(), self.srtt) {
            (Some(first), Some(srtt)) => {
                first.departs.max(self.progress) + (srtt * 2).max(self.min_timeout)
            }
            _ => Instant::FAR_FUTURE,
        }
    }

    /// The packet to be sent once more, if the local timer has fired.
    pub(crate) fn on_timer(&mut self, now: Instant) -> Option<P> {
        if self.deadline() > now {
            return None;
        }
        let first = self.kept.front_mut()?;
        (first.departs, first.retransmitted) = (now, true);
        Some(first.packet.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AckDecision::{Hold, Pass, Repair};

    const fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// A base station that has passed on segments 0 to 9, one a millisecond; a packet is its number.
    fn station(cache: u64) -> Snoop<u64> {
        let min_timeout = Duration::from_millis(10);
        let mut snoop = Snoop::new(&SnoopConfig { back: 1, cache, min_timeout });
        for seq in 0..10 {
            snoop.on_data(at(seq), seq, &seq);
        }
        snoop
    }

    #[test]
    fn new_acks_pass_and_free_what_they_cover() {
        let mut s = station(100);
        assert_eq!((s.on_ack(at(3), 2), s.on_ack(at(5), 4)), (Pass, Pass));
        assert_eq!(s.kept.len(), 6);
        // An older one has overtaken nothing that matters.
        assert_eq!(s.on_ack(at(6), 3), Hold);
    }

    #[test]
    fn one_loss_is_repaired_once_and_no_duplicate_gets_through() {
        let mut s = station(100);
        s.on_ack(at(5), 4);
        // 4 is lost; 5 to 9 make five duplicates.
        let answers: Vec<_> = (6..11).map(|ms| s.on_ack(at(ms), 4)).collect();
        assert_eq!(answers, [Repair(4), Hold, Hold, Hold, Hold]);
        assert_eq!(s.on_ack(at(12), 10), Pass);
        assert_eq!(s.deadline(), Instant::FAR_FUTURE);
    }

    #[test]
    fn a_lost_copy_is_seen_by_the_duplicate_that_nobody_expected() {
        let mut s = station(100);
        s.on_ack(at(5), 4);
        for ms in 6..11 {
            s.on_ack(at(ms), 4);
        }
        s.on_data(at(12), 10, &10);
        s.on_data(at(13), 11, &11);
        // 10 says that the copy is lost too, and 11 says nothing that is not known.
        assert_eq!((s.on_ack(at(14), 4), s.on_ack(at(15), 4)), (Repair(4), Hold));
    }

    #[test]
    fn silence_is_repaired_by_the_local_timer_as_often_as_it_takes() {
        let mut s = station(100);
        assert_eq!(s.deadline(), Instant::FAR_FUTURE);
        // Segment 3 left at 3 ms: the hop takes 4 ms, twice that is less than the least timeout.
        s.on_ack(at(7), 4);
        assert_eq!(s.deadline(), at(17));
        assert_eq!((s.on_timer(at(16)), s.on_timer(at(17))), (None, Some(4)));
        assert_eq!((s.on_timer(at(26)), s.on_timer(at(27))), (None, Some(4)));
        s.on_ack(at(30), 10);
        assert_eq!((s.on_timer(at(99)), s.deadline()), (None, Instant::FAR_FUTURE));
    }

    #[test]
    fn a_slow_hop_has_a_longer_timeout() {
        let mut s = station(100);
        // Segment 9 left at 9 ms and takes 40.
        s.on_ack(at(49), 10);
        s.on_data(at(60), 10, &10);
        assert_eq!(s.deadline(), at(60 + 80));
    }

    #[test]
    fn what_was_lost_before_the_base_station_is_the_senders_affair() {
        let mut s = station(100);
        s.on_ack(at(10), 10);
        // 10 never comes by; 11 to 13 do.
        for seq in 11..14 {
            s.on_data(at(seq), seq, &seq);
        }
        assert!((14..17).all(|ms| s.on_ack(at(ms), 10) == Pass));
        // The sender's copy may still be followed by duplicates that are meant for it.
        s.on_data(at(20), 10, &10);
        assert_eq!(s.on_ack(at(21), 10), Pass);
        assert_eq!(s.on_ack(at(22), 14), Pass);
    }

    #[test]
    fn what_the_base_station_drops_itself_is_the_senders_affair() {
        let mut s = station(100);
        s.on_dropped(4);
        s.on_ack(at(5), 4);
        assert!((6..11).all(|ms| s.on_ack(at(ms), 4) == Pass));
    }

    #[test]
    fn what_found_no_room_is_the_senders_affair_too() {
        let mut s = station(4);
        s.on_ack(at(5), 4);
        assert!((6..11).all(|ms| s.on_ack(at(ms), 4) == Pass));
    }

    #[test]
    fn the_senders_copy_of_what_is_kept_begins_the_repair_anew() {
        let mut s = station(100);
        s.on_ack(at(5), 4);
        for ms in 6..11 {
            s.on_ack(at(ms), 4);
        }
        s.on_data(at(1_000), 4, &4);
        assert_eq!(s.on_ack(at(1_001), 4), Repair(4));
    }
}
