//! Segments: data and acknowledgments.
//!
//! Sequence numbers count segments from the start of the connection, so that nothing depends on
//! the payload; every segment but the last of a transfer is full.

use std::num::{NonZeroU16, NonZeroU32};

use westwood_cc::{Bytes, Ecn, Instant, Rate, RelativeDelay};

use crate::accurate_ecn::AccEcn;
use crate::ranges::SeqRange;

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Its sequence number.
    pub seq: u64,
    /// Payload: what goodput counts.
    pub payload: Bytes,
    /// When it was sent: the timestamp option.
    pub sent_at: Instant,
    /// A copy of an earlier segment. For statistics; a receiver does not look at it.
    pub retransmission: bool,
    /// The ECN codepoint with which it is sent; a mark on the way is told beside the segment. A
    /// retransmission is not ECN-capable (RFC 3168 section 6.1.5), but under dctcp.
    pub ecn: Ecn,
    /// CWR: the sender reduced its window after an echoed mark (RFC 3168 section 6.1.2).
    pub cwr: bool,
    /// PSH: a Linux receiver whose application reads at once acknowledges it at once. Only senders to small
    /// receive buffers set it.
    pub push: bool,
}

/// Most SACK blocks that an ACK holds (RFC 2018 section 3: four without timestamps, three with).
pub const MAX_SACK_BLOCKS: usize = 4;

/// An acknowledgment.
///
/// It stays small: most have no block, and a long path holds thousands of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckSegment {
    /// The next sequence number that the receiver expects.
    pub ack: u64,
    /// SACK blocks, the latest first, a router's fair share, counts of marks, the receiver's clock.
    pub options: AckOptions,
    /// The echoed timestamp (RFC 7323 section 4), if timestamps are on.
    pub echo: Option<Instant>,
    /// A congestion mark arrived (RFC 3168 section 6.1.3). False where the options count marks.
    pub ece: bool,
    /// Explicit loss notification: the segment that is asked for arrived damaged.
    pub eln: bool,
}

impl AckSegment {
    /// The time from the sending of the segment that this ACK echoes to that of the ACK, by the clocks of
    /// both, if it has both.
    pub fn one_way_delay(&self) -> Option<RelativeDelay> {
        let (clock, echo) = (self.options.clock()?, self.echo?);
        let sent = i64::try_from(echo.as_nanos()).unwrap_or(i64::MAX);
        Some(RelativeDelay::from_nanos(clock.saturating_sub(sent)))
    }
}

/// The options that few ACKs have: SACK blocks, which are ranges that the receiver holds, the share of a
/// link's rate that a router offers, accurate ECN's counts of marks, the reading of the receiver's clock,
/// and the window of a receiver that limits.
///
/// ```
/// use westwood_tcp::{AckOptions, SeqRange};
/// let mut options = AckOptions::NONE;
/// options.push_block(SeqRange { start: 7, end: 9 });
/// assert_eq!(options.blocks().map(SeqRange::len).sum::<u64>(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AckOptions {
    /// Absent without options: then an ACK owns no memory.
    fields: Option<Box<OptionFields>>,
}

/// One block at least, a share, counts of marks, a clock, a window, or a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OptionFields {
    ranges: [SeqRange; MAX_SACK_BLOCKS],
    len: u8,
    /// The first block reports a segment that arrived twice (RFC 2883).
    duplicate: bool,
    /// Segments from the acknowledged one on that the receiver has room for, and one.
    window: Option<NonZeroU32>,
    /// The window as the header says it.
    header_window: Option<NonZeroU16>,
    /// Most connections have none. Apart, they make neither SACK blocks nor ACKs longer.
    others: Option<Box<OtherOptions>>,
}

// The window takes the room that alignment leaves.
const _: () = assert!(size_of::<OptionFields>() == 80, "an ACK's options have grown");

/// Options beside SACK blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OtherOptions {
    share: Option<Rate>,
    accurate: Option<AccEcn>,
    /// In ns.
    clock: Option<i64>,
    /// So many parts of the next segment have come too, by a receiver that divides its ACKs.
    part: Option<u32>,
}

impl AckOptions {
    /// No option.
    pub const NONE: Self = Self { fields: None };

    /// The first `len` of `ranges` as blocks; `duplicate` if the first of them reports a segment that
    /// arrived twice. They take the memory of `spare`, if it has some.
    #[inline]
    pub(crate) fn of(
        ranges: [SeqRange; MAX_SACK_BLOCKS],
        len: usize,
        duplicate: bool,
        spare: &mut Self,
    ) -> Self {
        if len == 0 {
            return Self::NONE;
        }
        let mut fields = spare.fields.take().unwrap_or_default();
        let len = u8::try_from(len).unwrap_or_default();
        *fields = OptionFields { ranges, len, duplicate, ..OptionFields::default() };
        Self { fields: Some(fields) }
    }

    /// Hints that they will be read soon.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(fields) = &self.fields {
            westwood_prefetch::lines(&**fields, 0..2);
        }
    }

    /// Adds a SACK block, if there is room.
    pub fn push_block(&mut self, range: SeqRange) {
        let fields = self.fields.get_or_insert_default();
        if let Some(slot) = fields.ranges.get_mut(usize::from(fields.len)) {
            *slot = range;
            fields.len += 1;
        }
    }

    /// Adds the first block as the report of a duplicate (RFC 2883 section 4).
    pub fn push_duplicate(&mut self, range: SeqRange) {
        self.push_block(range);
        if let Some(fields) = &mut self.fields {
            fields.duplicate = true;
        }
    }

    /// The segment reported as a duplicate.
    pub fn duplicate(&self) -> Option<SeqRange> {
        if self.has_duplicate() { self.all().first().copied() } else { None }
    }

    /// The SACK blocks, without a duplicate's.
    pub fn blocks(&self) -> impl Iterator<Item = SeqRange> + '_ {
        self.block_slice().iter().copied()
    }

    /// The [`blocks`](Self::blocks) as they lie in memory.
    #[inline]
    pub(crate) fn block_slice(&self) -> &[SeqRange] {
        let skipped = usize::from(self.has_duplicate());
        self.all().get(skipped..).unwrap_or_default()
    }

    /// The blocks in their order, unless the first reports a duplicate; the rest is empty.
    #[inline]
    pub(crate) fn ranges(&self) -> [SeqRange; MAX_SACK_BLOCKS] {
        match &self.fields {
            Some(fields) if !fields.duplicate => fields.ranges,
            _ => Default::default(),
        }
    }

    /// How many SACK blocks there are, the duplicate's included: each takes space in the ACK.
    pub fn block_count(&self) -> u8 {
        self.fields.as_ref().map_or(0, |fields| fields.len)
    }

    /// True if there is no SACK block.
    #[inline]
    pub fn has_no_block(&self) -> bool {
        self.fields.as_ref().is_none_or(|fields| fields.len == 0)
    }

    /// True if there is any option: it owns memory.
    #[inline]
    pub fn is_boxed(&self) -> bool {
        self.fields.is_some()
    }

    /// True if there is more than SACK blocks and a window.
    #[inline]
    pub(crate) fn has_others(&self) -> bool {
        self.others().is_some()
    }

    /// Accurate ECN's counts of marks.
    pub fn accurate(&self) -> Option<AccEcn> {
        self.others()?.accurate
    }

    /// The receiver counts marks so. They take the memory of `spare`, if there are no other options and it
    /// has some.
    pub fn set_accurate(&mut self, accurate: AccEcn, spare: &mut Self) {
        self.emptied(spare).others.get_or_insert_default().accurate = Some(accurate);
    }

    /// The options, in the memory of `spare` if there are none yet and it has some.
    fn emptied(&mut self, spare: &mut Self) -> &mut OptionFields {
        self.fields.get_or_insert_with(|| {
            let mut fields = spare.fields.take().unwrap_or_default();
            *fields = OptionFields { others: fields.others.take(), ..OptionFields::default() };
            if let Some(others) = &mut fields.others {
                **others = OtherOptions::default();
            }
            fields
        })
    }

    /// The least of the routers' shares.
    pub fn share(&self) -> Option<Rate> {
        self.others()?.share
    }

    /// A router offers this share of its link. The least one counts.
    pub fn set_share(&mut self, share: Rate) {
        let least = self.share().map_or(share, |told| told.min(share));
        self.others_mut().share = Some(least);
    }

    /// The receiver's clock when the ACK left, in ns.
    pub fn clock(&self) -> Option<i64> {
        self.others()?.clock
    }

    /// The ACK leaves when the receiver's clock reads this, in ns.
    pub fn set_clock(&mut self, reading: i64) {
        self.others_mut().clock = Some(reading);
    }

    /// The receiver's window in segments, if it is limited.
    pub fn window(&self) -> Option<u64> {
        Some(u64::from(self.fields.as_ref()?.window?.get() - 1))
    }

    /// The receiver offers a window of so many segments, 2^32 - 2 for any more. It takes the memory of
    /// `spare`, if there are no other options and that has some.
    pub fn set_window(&mut self, window: u64, spare: &mut Self) {
        let window = u32::try_from(window).unwrap_or(u32::MAX).saturating_add(1);
        self.emptied(spare).window = NonZeroU32::new(window);
    }

    /// The window as the header says it, in the connection's unit; none if it is closed, or not told so.
    pub(crate) fn header_window(&self) -> Option<NonZeroU16> {
        self.fields.as_ref()?.header_window
    }

    /// The header says this window, if there are options.
    pub fn set_header_window(&mut self, window: Option<NonZeroU16>) {
        if let Some(fields) = &mut self.fields {
            fields.header_window = window;
        }
    }

    /// How many parts of the next segment are acknowledged too, by a receiver that divides its ACKs.
    pub fn part(&self) -> Option<u32> {
        self.others()?.part
    }

    /// So many parts of the next segment are acknowledged too.
    pub fn set_part(&mut self, part: u32) {
        self.others_mut().part = Some(part);
    }

    fn others(&self) -> Option<&OtherOptions> {
        self.fields.as_ref()?.others.as_deref()
    }

    fn others_mut(&mut self) -> &mut OtherOptions {
        self.fields.get_or_insert_default().others.get_or_insert_default()
    }

    fn has_duplicate(&self) -> bool {
        self.fields.as_ref().is_some_and(|fields| fields.duplicate)
    }

    fn all(&self) -> &[SeqRange] {
        self.fields.as_ref().map_or(&[], |fields| &fields.ranges[..usize::from(fields.len)])
    }
}
