//! What crosses the network.
//!
//! Sequence numbers count segments from the start of the connection, so that nothing depends on
//! the payload; every segment but the last of a transfer is full.

use westwood_cc::{Bytes, Instant};

use crate::ranges::Range;

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Its sequence number.
    pub seq: u64,
    /// Payload: what goodput counts.
    pub payload: Bytes,
    /// When it was sent: the timestamp option, and what RACK echoes.
    pub sent_at: Instant,
    /// A copy of an earlier segment. For statistics; a receiver does not look at it.
    pub retransmission: bool,
    /// ECN-capable: a router may mark it. Only new data is (RFC 3168 section 6.1.5).
    pub ect: bool,
    /// The sender reduced its window after an echoed mark (RFC 3168 section 6.1.2).
    pub cwr: bool,
}

/// Most SACK blocks that an ACK holds (RFC 2018 section 3: four without timestamps, three with).
pub const MAX_SACK_BLOCKS: usize = 4;

/// An acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSegment {
    /// The next sequence number that the receiver expects.
    pub ack: u64,
    /// What it holds beyond that, the latest news first.
    pub sack: SackBlocks,
    /// The echoed timestamp (RFC 7323 section 4), if timestamps are on.
    pub echo: Option<Instant>,
    /// A congestion mark arrived (RFC 3168 section 6.1.3).
    pub ece: bool,
}

/// SACK blocks: ranges that the receiver holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// Each block as its distance from [`base`](Self::base) and its length: half the size of two
    /// sequence numbers, and packets are copied at every hop.
    blocks: [(u32, u32); MAX_SACK_BLOCKS],
    len: u8,
    /// The first block reports a segment that arrived twice (RFC 2883).
    duplicate: bool,
    base: u64,
}

impl SackBlocks {
    /// No block.
    pub const NONE: Self = Self {
        blocks: [(0, 0); MAX_SACK_BLOCKS],
        len: 0,
        duplicate: false,
        base: 0,
    };

    /// No block yet, for ranges at or above `base`.
    ///
    /// A duplicate may lie below the cumulative acknowledgment, so `base` is the smaller of the two.
    pub const fn above(base: u64) -> Self {
        Self { base, ..Self::NONE }
    }

    /// Adds a block, if there is room and it fits.
    pub fn push(&mut self, range: Range) {
        let (Ok(offset), Ok(len)) = (
            u32::try_from(range.start.wrapping_sub(self.base)),
            u32::try_from(range.len()),
        ) else {
            return;
        };
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (offset, len);
            self.len += 1;
        }
    }

    /// Adds the first block as the report of a duplicate (RFC 2883 section 4).
    pub fn push_duplicate(&mut self, range: Range) {
        self.push(range);
        self.duplicate = true;
    }

    /// The segment reported as a duplicate.
    pub fn duplicate(&self) -> Option<Range> {
        if self.duplicate {
            self.all().next()
        } else {
            None
        }
    }

    /// The blocks that report what is held, the duplicate left out.
    pub fn iter(&self) -> impl Iterator<Item = Range> + '_ {
        self.all().skip(usize::from(self.duplicate))
    }

    /// How many blocks there are, the duplicate included: each takes room in the ACK.
    pub const fn len(&self) -> u8 {
        self.len
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn all(&self) -> impl Iterator<Item = Range> + '_ {
        self.blocks[..usize::from(self.len)]
            .iter()
            .map(|&(offset, len)| {
                let start = self.base + u64::from(offset);
                Range {
                    start,
                    end: start + u64::from(len),
                }
            })
    }
}
