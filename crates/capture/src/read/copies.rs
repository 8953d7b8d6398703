//! Packets that a capture shows more than once.
//!
//! The interface `any` of a bridge, or of a host of containers, shows a packet on each interface that it
//! passes, and so does a switch that mirrors two of its ports.

use std::collections::{HashMap, VecDeque};

use westwood_cc::{Duration, Instant};

use crate::read::packet::Segment;

/// A packet passes the interfaces of a host within a millisecond, of a busy one within a few. A sender of
/// 10 Gbit/s takes 80 ms until its 16 bits of IP identification come round.
pub(crate) const PASSAGE: Duration = Duration::from_millis(5);

/// The segments of the last moment.
#[derive(Debug, Default)]
pub(crate) struct RecentSegments {
    seen: HashMap<Segment, Instant>,
    pruned: Instant,
}

impl RecentSegments {
    /// Takes in a segment; true if one that equals it in every field was seen just before.
    pub(crate) fn repeats(&mut self, at: Instant, segment: &Segment) -> bool {
        if at.since(self.pruned) > PASSAGE {
            self.seen.retain(|_, seen| at.since(*seen) <= PASSAGE);
            self.pruned = at;
        }
        let before = self.seen.insert(segment.clone(), at);
        before.is_some_and(|before| at.since(before) <= PASSAGE)
    }
}

/// The copies of a connection's packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopyCount {
    /// The times of packets with data that may yet repeat.
    recent: VecDeque<Instant>,
    /// Packets with data that did not, and packets that repeat one.
    single: u64,
    repeated: u64,
    /// Copies found.
    pub(crate) copies: u64,
}

impl CopyCount {
    /// Takes in a segment, and whether it `repeats` one just seen; true if it is the same packet.
    ///
    /// IP numbers the packets of a sender. Without a number, as in IPv6, a duplicate ACK equals the ACK
    /// before it, and a retransmission within a short round trip its original: such a segment is a copy only
    /// where as many packets with data come twice as once, which no sender does.
    pub(crate) fn is_copy(&mut self, at: Instant, segment: &Segment, repeats: bool) -> bool {
        while self.recent.front().is_some_and(|seen| at.since(*seen) > PASSAGE) {
            self.recent.pop_front();
            self.single += 1;
        }
        match (segment.payload > 0, repeats) {
            (true, true) => {
                self.recent.pop_front();
                self.repeated += 1;
            }
            (true, false) => self.recent.push_back(at),
            (false, _) => {}
        }
        let twice = self.repeated > 0 && self.repeated >= self.single;
        let copy = repeats && (segment.id.is_some() || twice);
        self.copies += u64::from(copy);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(id: Option<u16>, payload: u32) -> Segment {
        let (from, to) = ("10.0.0.1:5000".parse().unwrap(), "10.0.0.2:80".parse().unwrap());
        Segment { id, ..Segment::without_options(from, to, 1, payload) }
    }

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn only_what_was_seen_just_before_is_repeated() {
        let mut recent = RecentSegments::default();
        let seen = [(0, 7), (1, 8), (2, 7), (6, 7), (30, 7)];
        let repeats = seen.map(|(at, id)| recent.repeats(ms(at), &segment(Some(id), 100)));
        assert_eq!(repeats, [false, false, true, true, false]);
        assert_eq!(recent.seen.len(), 1, "forgotten as time goes on");
    }

    #[test]
    fn without_an_identification_data_must_come_twice_before_an_ack_is_a_copy() {
        let (data, ack) = (segment(None, 1_000), segment(None, 0));
        let mut count = CopyCount::default();
        assert!(!count.is_copy(ms(0), &data, false));
        assert!(!count.is_copy(ms(1), &ack, true), "a duplicate ACK");
        assert!(count.is_copy(ms(1), &data, true) && count.is_copy(ms(2), &ack, true));
        // Two retransmissions of a hundred segments over a short path are none.
        let mut count = CopyCount::default();
        (0..100).for_each(|at| assert!(!count.is_copy(ms(at), &data, false)));
        assert!(!count.is_copy(ms(100), &data, true) && !count.is_copy(ms(101), &data, true));
        assert!(count.is_copy(ms(101), &segment(Some(7), 0), true));
        assert_eq!(count.copies, 1);
    }
}
