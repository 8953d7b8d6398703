//! Segments that leave at the same instant.
//!
//! An ACK mostly lets two segments out, and then the window is full. One answer tells of both, and
//! that nothing follows.

use crate::segment::DataSegment;

/// Segments that leave at once: new ones, or a single one of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// The first.
    pub segment: DataSegment,
    /// How many there are, one at least: each like the one before but for its sequence number, which
    /// is one higher.
    pub count: u64,
    /// Nothing more leaves now, so there is no need to ask.
    pub is_last: bool,
}

impl Burst {
    /// A burst of one segment, which more may follow.
    pub(crate) const fn of_one(segment: DataSegment) -> Self {
        Self { segment, count: 1, is_last: false }
    }

    /// Each of them.
    #[inline]
    pub fn segments(&self) -> impl Iterator<Item = DataSegment> + use<> {
        let first = self.segment;
        (0..self.count).map(move |n| DataSegment { seq: first.seq + n, ..first })
    }
}

/// The recovery's choice of what leaves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextSend {
    /// New segments, up to so many. There is one to send.
    New(u64),
    /// A copy of this segment.
    Retransmission(u64),
}
