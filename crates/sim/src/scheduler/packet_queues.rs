//! Packets of few sources, each source's in a line of its own.

use std::collections::VecDeque;

use westwood_cc::Instant;

use super::Rank;
use crate::packet::Packet;

/// For each source its packets, first come, first served.
#[derive(Debug, Default)]
pub(super) struct PacketQueues {
    lines: Vec<VecDeque<(Instant, Packet)>>,
}

impl PacketQueues {
    /// Puts a packet at the end of a source's line. True if no other is due before.
    #[inline]
    pub(super) fn keep(&mut self, source: Rank, due: Instant, packet: Packet) -> bool {
        let source = source as usize;
        if source >= self.lines.len() {
            self.lines.resize_with(source + 1, VecDeque::new);
        }
        let line = &mut self.lines[source];
        debug_assert!(
            line.back().is_none_or(|last| last.0 <= due),
            "a source posts in order of time"
        );
        line.push_back((due, packet));
        line.len() == 1
    }

    /// Takes the first packet out of a source's line, and tells when the next one is due.
    #[inline]
    pub(super) fn release(&mut self, source: Rank) -> Option<(Packet, Instant)> {
        let line = self.lines.get_mut(source as usize)?;
        let (_, packet) = line.pop_front()?;
        let Some((due, next)) = line.front() else { return Some((packet, Instant::FAR_FUTURE)) };
        // Where every ACK tells a window, its options have left the cache by the time it arrives.
        next.prefetch_options();
        Some((packet, *due))
    }

    /// All packets.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.lines.iter().flatten().map(|(_, packet)| packet)
    }
}
