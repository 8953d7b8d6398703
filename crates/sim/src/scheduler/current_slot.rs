//! The events of one slot of the calendar, in order.

use westwood_cc::Instant;

use super::Rank;
use super::chunks::PacketIndex;

/// Something due in the present slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct DueEntry {
    pub(super) at: Instant,
    pub(super) rank: Rank,
    /// Where the packet is, if it is one's event.
    pub(super) place: PacketIndex,
}

const _: () = assert!(size_of::<DueEntry>() == 16, "an entry has grown");

impl DueEntry {
    const EMPTY: Self = Self { at: Instant::ZERO, rank: 0, place: PacketIndex::INVALID };

    /// True if it is due after another one.
    #[inline]
    fn is_after(&self, other: &Self) -> bool {
        // Ties are rare: as a comparison of pairs it is twice as long.
        self.at > other.at || (self.at == other.at && self.rank > other.rank)
    }
}

/// Up to so many entries are sorted by insertion alone.
const FEW: usize = 24;

/// At most so many pieces of a slot: their counts fit the first cache.
const MOST_PIECES: u32 = 11;

/// The events of the present slot.
#[derive(Debug, Default)]
pub(super) struct CurrentSlot {
    /// The last is the next one due.
    entries: Vec<DueEntry>,
    /// Where entries are spread to.
    spread: Vec<DueEntry>,
    /// Per piece: first its entry count, then its next write position.
    places: Vec<u32>,
    is_long: bool,
}

impl CurrentSlot {
    /// Takes the next entry out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<DueEntry> {
        self.entries.pop()
    }

    /// Takes the next entry out, if it is a packet's.
    #[inline]
    pub(super) fn pop_packet(&mut self) -> Option<DueEntry> {
        self.entries.pop_if(|entry| entry.place != PacketIndex::INVALID)
    }

    /// True if the slot held more entries than [`FEW`] when they were put in order.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.is_long
    }

    /// The entry `after` places behind the next.
    #[inline]
    pub(super) fn ahead(&self, after: usize) -> Option<&DueEntry> {
        self.entries.get(self.entries.len().wrapping_sub(after + 1))
    }

    /// Adds an entry, out of order.
    #[inline]
    pub(super) fn push(&mut self, entry: DueEntry) {
        self.entries.push(entry);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &DueEntry> {
        self.entries.iter()
    }

    /// Adds an entry in order, behind what is due at the same time.
    pub(super) fn insert(&mut self, entry: DueEntry) {
        // Most are due before the others of the slot: near the end.
        let after = self.entries.iter().rposition(|other| other.is_after(&entry));
        self.entries.insert(after.map_or(0, |i| i + 1), entry);
    }

    /// Puts the entries in order. All are of one slot, 2^`width` ns long. Ties keep reverse insertion order.
    #[inline]
    pub(super) fn put_in_order(&mut self, width: u32) {
        self.is_long = self.entries.len() > FEW;
        if self.is_long {
            self.spread_out(width);
        }
        self.sort_neighbours();
    }

    /// Sorts by insertion, which is fast where entries are few or near their places.
    #[inline]
    fn sort_neighbours(&mut self) {
        let entries = self.entries.as_mut_slice();
        for i in 1..entries.len() {
            if entries[i].is_after(&entries[i - 1]) {
                insert_last(&mut entries[..=i]);
            }
        }
    }

    /// Cuts the slot into about as many pieces as there are entries, and puts those of later pieces before
    /// those of earlier ones: one pass counts them, one finds each piece's place, one moves them.
    #[inline(never)]
    fn spread_out(&mut self, width: u32) {
        let bits = self.entries.len().ilog2().min(MOST_PIECES).min(width);
        let last_piece = (1_usize << bits) - 1;
        // From the latest piece on.
        let piece = |entry: &DueEntry| {
            last_piece - (low(entry.at.as_nanos() >> (width - bits)) & last_piece)
        };
        self.places.clear();
        self.places.resize(last_piece + 1, 0);
        for entry in &self.entries {
            self.places[piece(entry)] += 1;
        }
        let mut next = 0;
        for place in &mut self.places {
            next += std::mem::replace(place, next);
        }
        self.spread.resize(self.entries.len(), DueEntry::EMPTY);
        for entry in &self.entries {
            let place = &mut self.places[piece(entry)];
            self.spread[*place as usize] = *entry;
            *place += 1;
        }
        std::mem::swap(&mut self.entries, &mut self.spread);
    }
}

/// The low bits of a number.
#[expect(clippy::cast_possible_truncation, reason = "few of them count")]
const fn low(number: u64) -> usize {
    number as usize
}

/// Inserts the last entry among the others, which are in order.
#[inline]
fn insert_last(entries: &mut [DueEntry]) {
    let Some((&mut last, _)) = entries.split_last_mut() else { return };
    let mut place = entries.len() - 1;
    while place > 0 && last.is_after(&entries[place - 1]) {
        entries[place] = entries[place - 1];
        place -= 1;
    }
    entries[place] = last;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_come_by_time_and_rank_and_of_equal_ones_the_last_remains_the_first(
            // Few ranks and times make ties, and many entries more than are sorted by insertion.
            entries in prop::collection::vec((0_u64..1 << 15, 0_u32..3), 0..200),
            coarse in prop::bool::ANY,
        ) {
            let base = 5 << 15;
            let at = |ns| Instant::from_nanos(base + if coarse { ns & !0x3ff } else { ns });
            let mut slot = CurrentSlot::default();
            let mut expected = Vec::new();
            for (number, &(ns, rank)) in (0..).zip(&entries) {
                slot.push(DueEntry { at: at(ns), rank, place: PacketIndex::numbered(number) });
                expected.push((at(ns), rank, std::cmp::Reverse(number)));
            }
            expected.sort();
            slot.put_in_order(15);
            for (at, rank, std::cmp::Reverse(number)) in expected {
                let entry = slot.pop().map(|s| (s.at, s.rank, s.place));
                prop_assert_eq!(entry, Some((at, rank, PacketIndex::numbered(number))));
            }
            prop_assert!(slot.pop().is_none());
        }
    }
}
