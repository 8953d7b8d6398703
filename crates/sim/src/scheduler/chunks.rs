//! Packets in chunks: what is due in the same slot of the calendar lies together.
//!
//! A packet is written once, when its arrival time is known, and read once, when it arrives. Packets that
//! arrive one after the other are neighbours in memory, whichever links they come from: a slot is read from
//! its begin to its end, and nothing has to be looked up.

use westwood_cc::Instant;

use super::Rank;
use crate::packet::Packet;

/// Packets in a chunk. With few flows most slots have one packet, with many a hundred.
const SIZE: u32 = 16;

/// No chunk: the last place in it is [`PacketIndex::INVALID`].
const NONE: u32 = u32::MAX / SIZE;

/// A packet that arrives.
#[derive(Debug)]
pub(super) struct ScheduledPacket {
    pub(super) at: Instant,
    pub(super) packet: Packet,
    pub(super) source: Rank,
}

impl ScheduledPacket {
    const EMPTY: Self = Self { at: Instant::ZERO, packet: Packet::EMPTY, source: 0 };
}

/// Fifteen lines of the cache, which the processor fetches one after the other; from chunk to chunk it has to
/// wait until it knows where the next one is. The first packet shares a line with what must be known to
/// begin a chunk: with few flows most chunks hold one packet.
#[derive(Debug)]
#[repr(C, align(64))]
struct PacketChunk {
    /// The chunk filled before this one, or the next empty one.
    before: u32,
    arriving: [ScheduledPacket; SIZE as usize],
}

const _: () = assert!(size_of::<PacketChunk>() == 960, "a chunk has grown");

/// The chunks of one slot: the place of the packet put last.
///
/// The place of the next one stands here and not in the chunk: that is far away by now,
/// and writing to it need not wait for it, but reading would. All chunks are full but the one on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkStack {
    last: PacketIndex,
}

impl ChunkStack {
    /// The last place of a chunk that does not exist.
    pub(super) const NONE: Self = Self { last: PacketIndex::INVALID };

    const fn top_is_full(self) -> bool {
        self.last.0 % SIZE == SIZE - 1
    }

    /// The chunk on top, and how many packets are in it.
    const fn top(self) -> (u32, u32) {
        (self.last.0 / SIZE, self.last.0 % SIZE + 1)
    }
}

/// A packet's place in its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketIndex(u32);

impl PacketIndex {
    /// Not a packet's.
    pub(super) const INVALID: Self = Self::of(NONE, SIZE - 1);

    #[inline]
    const fn of(chunk: u32, i: u32) -> Self {
        Self(chunk * SIZE + i)
    }

    #[cfg(test)]
    pub(super) const fn numbered(number: u32) -> Self {
        Self(number)
    }

    const fn split(self) -> (usize, usize) {
        ((self.0 / SIZE) as usize, (self.0 % SIZE) as usize)
    }
}

/// All chunks.
#[derive(Debug)]
pub(super) struct ChunkPool {
    all: Vec<PacketChunk>,
    /// The chunk that was emptied last.
    empty: u32,
}

impl ChunkPool {
    pub(super) const fn new() -> Self {
        Self { all: Vec::new(), empty: NONE }
    }

    /// Puts a packet into a slot's chunks.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    pub(super) fn put(
        &mut self,
        chunks: &mut ChunkStack,
        arriving: ScheduledPacket,
    ) -> PacketIndex {
        chunks.last = if chunks.top_is_full() {
            self.add_chunk(*chunks)
        } else {
            PacketIndex(chunks.last.0 + 1)
        };
        let (chunk, i) = chunks.last.split();
        if let Some(chunk) = self.all.get_mut(chunk) {
            let empty = std::mem::replace(&mut chunk.arriving[i], arriving);
            // An empty place owns nothing. Dropping it would read it to find that out.
            std::mem::forget(empty);
        }
        chunks.last
    }

    /// Puts a chunk on top of a slot's others. Answers its first place.
    #[inline]
    fn add_chunk(&mut self, chunks: ChunkStack) -> PacketIndex {
        let (before, number) = (chunks.top().0, self.empty);
        if let Some(chunk) = self.all.get_mut(number as usize) {
            self.empty = std::mem::replace(&mut chunk.before, before);
            return PacketIndex::of(number, 0);
        }
        self.make_chunk(before)
    }

    #[cold]
    #[inline(never)]
    fn make_chunk(&mut self, before: u32) -> PacketIndex {
        if self.all.len() == self.all.capacity() {
            self.all.reserve(1 + self.all.len());
            // Packets are put wherever their time says, a hundred slots ahead.
            westwood_prefetch::large_pages(&self.all);
        }
        self.all.push(PacketChunk { arriving: [ScheduledPacket::EMPTY; SIZE as usize], before });
        // Two hundred million chunks would not fit the memory of any machine.
        PacketIndex::of(u32::try_from(self.all.len() - 1).unwrap_or(NONE), 0)
    }

    /// Calls `each` with the packets of a slot, the one put last first.
    pub(super) fn each<'a>(
        &'a self,
        chunks: ChunkStack,
        mut each: impl FnMut(PacketIndex, &'a ScheduledPacket),
    ) {
        let (mut number, mut len) = chunks.top();
        while let Some(chunk) = self.all.get(number as usize) {
            if let Some(before) = self.all.get(chunk.before as usize) {
                westwood_prefetch::lines(
                    before,
                    0..size_of::<PacketChunk>() / westwood_prefetch::LINE,
                );
            }
            let mut place = PacketIndex::of(number, len);
            for arriving in chunk.arriving.get(..len as usize).unwrap_or_default().iter().rev() {
                place.0 -= 1;
                each(place, arriving);
            }
            (number, len) = (chunk.before, SIZE);
        }
    }

    /// The packet of a slot that has only one.
    #[inline]
    pub(super) fn only(&self, chunks: ChunkStack) -> Option<(PacketIndex, &ScheduledPacket)> {
        let (chunk, i) = chunks.last.split();
        if i > 0 {
            return None;
        }
        let chunk = self.all.get(chunk)?;
        (chunk.before == NONE).then_some((chunks.last, &chunk.arriving[0]))
    }

    /// Hints that a packet will be read soon.
    #[inline]
    pub(super) fn prefetch(&self, place: PacketIndex) {
        let (chunk, i) = place.split();
        if let Some(chunk) = self.all.get(chunk) {
            westwood_prefetch::value(&chunk.arriving[i]);
        }
    }

    /// The packet at a place.
    pub(super) fn packet(&self, place: PacketIndex) -> Option<&Packet> {
        let (chunk, i) = place.split();
        Some(&self.all.get(chunk)?.arriving[i].packet)
    }

    /// Takes a packet out.
    #[inline]
    pub(super) fn take(&mut self, place: PacketIndex) -> Option<Packet> {
        let (chunk, i) = place.split();
        Some(self.all.get_mut(chunk)?.arriving[i].packet.take())
    }

    /// Nothing is left in a slot's chunks.
    #[inline]
    pub(super) fn empty(&mut self, chunks: ChunkStack) {
        let mut at = chunks.top().0;
        while let Some(chunk) = self.all.get_mut(at as usize) {
            let before = std::mem::replace(&mut chunk.before, self.empty);
            self.empty = at;
            at = before;
        }
    }
}
