//! Segments sorted by connection and direction.

use std::collections::HashMap;

use crate::read::copies::{CopyCount, RecentSegments};
use crate::read::file::PacketTime;
use crate::read::packet::{Endpoint, Segment};
use crate::read::transfer::{Handshake, Transfer};

/// The connections seen so far.
#[derive(Debug, Default)]
pub struct Conversations {
    connections: Vec<CapturedConnection>,
    /// The present connection between two ends, the smaller end first.
    present: HashMap<(Endpoint, Endpoint), usize>,
    recent: RecentSegments,
}

/// Both directions of a connection.
#[derive(Debug)]
struct CapturedConnection {
    handshake: Handshake,
    copies: CopyCount,
    /// The transfer of the smaller end, and that of the other.
    transfers: [Transfer; 2],
}

impl Conversations {
    /// Takes in a segment that was seen at a time, not before those taken in already.
    pub fn add(&mut self, time: PacketTime, segment: &Segment) {
        let forward = segment.from <= segment.to;
        let ends = if forward { (segment.from, segment.to) } else { (segment.to, segment.from) };
        let opens = segment.syn && segment.ack.is_none();
        let known = self.present.get(&ends).copied();
        // The same ports again: a new connection, unless it is the first SYN repeated.
        let known = known.filter(|&i| !opens || !self.connections[i].has_data());
        let index = known.unwrap_or_else(|| {
            self.connections.push(CapturedConnection::new(ends));
            self.present.insert(ends, self.connections.len() - 1);
            self.connections.len() - 1
        });
        let repeats = self.recent.repeats(time.at, segment);
        let connection = &mut self.connections[index];
        if !connection.copies.is_copy(time.at, segment, repeats) {
            connection.add(time, segment, forward);
        }
    }

    /// The transfers with data, that with the most first; of equal ones the earlier.
    pub fn into_transfers(self) -> Vec<Transfer> {
        let connections = self.connections.into_iter();
        let mut transfers: Vec<Transfer> = connections
            .flat_map(CapturedConnection::into_transfers)
            .filter(Transfer::has_data)
            .collect();
        transfers.sort_by_key(|transfer| std::cmp::Reverse(transfer.bytes()));
        transfers
    }
}

impl CapturedConnection {
    fn new((small, large): (Endpoint, Endpoint)) -> Self {
        Self {
            handshake: Handshake::default(),
            copies: CopyCount::default(),
            transfers: [Transfer::new(small, large), Transfer::new(large, small)],
        }
    }

    fn has_data(&self) -> bool {
        self.transfers.iter().any(Transfer::has_data)
    }

    fn add(&mut self, time: PacketTime, segment: &Segment, forward: bool) {
        self.handshake.take(time.at, segment);
        let [small, large] = &mut self.transfers;
        let (own, other) = if forward { (small, large) } else { (large, small) };
        own.sent(time, segment);
        other.heard(time, segment);
    }

    fn into_transfers(self) -> [Transfer; 2] {
        self.transfers.map(|transfer| transfer.with(self.handshake, self.copies.copies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::{Duration, Instant};

    fn segment(from: &str, to: &str, seq: u32, payload: u32) -> Segment {
        Segment::without_options(from.parse().unwrap(), to.parse().unwrap(), seq, payload)
    }

    const A: &str = "10.0.0.1:5000";
    const B: &str = "10.0.0.2:80";

    fn transfers(segments: &[Segment]) -> Vec<(String, u64)> {
        let mut all = Conversations::default();
        for (i, segment) in (0..).zip(segments) {
            let at = Instant::from_nanos(i);
            all.add(PacketTime { at, set_back: Duration::ZERO }, segment);
        }
        let told = |t: &Transfer| (t.from.to_string(), t.bytes());
        all.into_transfers().iter().map(told).collect()
    }

    #[test]
    fn both_directions_of_a_connection_are_transfers_of_their_own() {
        let found =
            transfers(&[segment(A, B, 1, 300), segment(B, A, 1, 5000), segment(A, B, 301, 0)]);
        assert_eq!(found, [(B.to_owned(), 5000), (A.to_owned(), 300)]);
    }

    #[test]
    fn ports_that_are_used_again_begin_a_new_connection() {
        let opening = Segment { syn: true, ack: None, ..segment(A, B, 90_000, 0) };
        let found = transfers(&[
            segment(A, B, 1, 300),
            opening.clone(),
            opening,
            segment(A, B, 90_001, 200),
        ]);
        assert_eq!(found, [(A.to_owned(), 300), (A.to_owned(), 200)]);
    }

    #[test]
    fn ends_without_data_are_no_transfers() {
        assert!(transfers(&[segment(A, B, 1, 0), segment(B, A, 1, 0)]).is_empty());
    }
}
