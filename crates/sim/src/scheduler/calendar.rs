//! Pending events of many sources: a calendar queue.
//!
//! R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the simulation event
//! set problem", Communications of the ACM 31(10), 1988. Time is cut into slots, and what is due in
//! a slot is put in order only when its slot comes: the work for an event does not grow with the
//! number of those pending, as a heap's does.
//!
//! ```text
//! soon      the present slot and what is due before it, in order
//! slots     the next SLOTS - 1 slots, each a list without order
//! far       all later ones, in a heap: timers mostly, which seldom fire
//! ```
//!
//! A list's links are kept with its sources, so that a slot takes four bytes and no entry is ever
//! allocated.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use westwood_cc::Instant;

use super::Rank;

/// A slot is 2^15 ns = 33 us long, and the calendar a quarter of a second. With 100 flows as with
/// 10,000, half and double of it are about as fast.
const WIDTH: u32 = 15;
const SLOTS: u64 = 1 << 13;
const WORDS: usize = (SLOTS / 64) as usize;

/// The end of a list.
const NONE: Rank = Rank::MAX;
/// In no list.
const LOOSE: Rank = Rank::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Source {
    /// When it is due; [`Instant::FAR_FUTURE`] if it is not.
    at: Instant,
    /// Its neighbours in the list of its slot.
    next: Rank,
    before: Rank,
}

/// Pending events, at most one for each source.
#[derive(Debug)]
pub(crate) struct Calendar {
    sources: Vec<Source>,
    /// The present slot's number, counted from the origin of time.
    present: u64,
    /// The last is the next one due. Entries that disagree with their source are stale.
    soon: Vec<(Instant, Rank)>,
    /// The first source of each slot's list, at the slot's number modulo their number.
    slots: Box<[Rank]>,
    /// A bit for each slot whose list is not empty.
    occupied: Box<[u64; WORDS]>,
    /// Entries that disagree with their source, or whose source is in a list, are stale.
    far: BinaryHeap<Reverse<(Instant, Rank)>>,
    /// The slot from which on the calendar reaches the first of them.
    far_from: u64,
}

/// What the next slot holds.
enum Turned {
    /// One event alone.
    One(Instant, Rank),
    /// What is put in order now.
    Several,
}

impl Calendar {
    pub(crate) fn new(sources: usize) -> Self {
        let source = Source { at: Instant::FAR_FUTURE, next: NONE, before: LOOSE };
        Self {
            sources: vec![source; sources],
            present: 0,
            soon: Vec::new(),
            slots: (0..SLOTS).map(|_| NONE).collect(),
            occupied: Box::new([0; WORDS]),
            far: BinaryHeap::new(),
            far_from: u64::MAX,
        }
    }

    #[inline]
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        // Most wishes are no news: a link in use has an earlier entry.
        if self.sources.get(rank as usize).is_some_and(|s| at < s.at) {
            self.enter(rank, at);
        }
    }

    #[inline(never)]
    fn enter(&mut self, rank: Rank, at: Instant) {
        if self.sources[rank as usize].before != LOOSE {
            self.unlink(rank);
        }
        self.sources[rank as usize].at = at;
        let slot = slot(at);
        if slot > self.present && slot - self.present < SLOTS {
            self.link(rank, slot);
        } else {
            self.place_elsewhere(rank, at);
        }
    }

    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        loop {
            while let Some((at, rank)) = self.soon.pop() {
                let source = &mut self.sources[rank as usize];
                if source.at == at {
                    source.at = Instant::FAR_FUTURE;
                    return Some((at, rank));
                }
            }
            if let Turned::One(at, rank) = self.turn()? {
                return Some((at, rank));
            }
        }
    }

    /// Puts an entry where its time says, which is not in a list: it is due by the end of the present
    /// slot, or beyond the calendar.
    #[inline(never)]
    fn place_elsewhere(&mut self, rank: Rank, at: Instant) {
        let slot = slot(at);
        if slot <= self.present {
            // Most are due before the others of the slot: near the end.
            let after = self.soon.iter().rposition(|&other| other > (at, rank));
            self.soon.insert(after.map_or(0, |i| i + 1), (at, rank));
        } else {
            self.far.push(Reverse((at, rank)));
            self.far_from = self.far_from.min(slot - (SLOTS - 1));
        }
    }

    #[inline]
    fn link(&mut self, rank: Rank, slot: u64) {
        let (head, word, bit) = self.slot_mut(slot);
        let next = std::mem::replace(head, rank);
        *word |= bit;
        if let Some(next) = self.sources.get_mut(next as usize) {
            next.before = rank;
        }
        let source = &mut self.sources[rank as usize];
        (source.next, source.before) = (next, NONE);
    }

    fn unlink(&mut self, rank: Rank) {
        let Source { at, next, before } = self.sources[rank as usize];
        if let Some(next) = self.sources.get_mut(next as usize) {
            next.before = before;
        }
        if let Some(before) = self.sources.get_mut(before as usize) {
            before.next = next;
        } else {
            let (head, word, bit) = self.slot_mut(slot(at));
            *head = next;
            if next == NONE {
                *word &= !bit;
            }
        }
        self.sources[rank as usize].before = LOOSE;
    }

    /// A slot's list, and where it is marked.
    #[inline]
    fn slot_mut(&mut self, slot: u64) -> (&mut Rank, &mut u64, u64) {
        let (place, word, bit) = position(slot);
        (&mut self.slots[place], &mut self.occupied[word], bit)
    }

    /// Turns to the next slot that holds something, far ones included.
    #[inline]
    fn turn(&mut self) -> Option<Turned> {
        match self.next_occupied() {
            Some(slot) => self.present = slot,
            None => self.present = slot(self.far.peek()?.0.0),
        }
        if self.present >= self.far_from {
            self.draw_near();
        }
        let (head, word, bit) = self.slot_mut(self.present);
        let first = std::mem::replace(head, NONE);
        *word &= !bit;
        // With hundreds of sources most slots hold one.
        if self.soon.is_empty()
            && let Some(source) = self.sources.get_mut(first as usize)
            && source.next == NONE
        {
            source.before = LOOSE;
            let at = std::mem::replace(&mut source.at, Instant::FAR_FUTURE);
            return Some(Turned::One(at, first));
        }
        self.put_in_order(first);
        Some(Turned::Several)
    }

    /// Puts the present slot's list, which begins with `first`, in order.
    #[inline(never)]
    fn put_in_order(&mut self, first: Rank) {
        let mut rank = first;
        while let Some(source) = self.sources.get_mut(rank as usize) {
            source.before = LOOSE;
            self.soon.push((source.at, rank));
            rank = source.next;
        }
        self.soon.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The first slot after the present one with a list.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        let from = self.present + 1;
        let (_, word, bit) = position(from);
        let bits = self.occupied[word] & bit.wrapping_neg();
        if bits == 0 {
            return self.next_occupied_beyond(from, word);
        }
        Some(from - from % 64 + u64::from(bits.trailing_zeros()))
    }

    /// The same if the rest of the word where it begins is empty.
    #[inline(never)]
    fn next_occupied_beyond(&self, from: u64, word: usize) -> Option<u64> {
        // The words behind it all around, and the beginning of its own.
        let mut around = (1..=WORDS).map(|i| (i, self.occupied[(word + i) % WORDS]));
        let (steps, bits) = around.find(|&(_, bits)| bits != 0)?;
        Some(from - from % 64 + steps as u64 * 64 + u64::from(bits.trailing_zeros()))
    }

    /// Takes over far entries that the calendar has reached.
    #[inline(never)]
    fn draw_near(&mut self) {
        while let Some(&Reverse((at, rank))) = self.far.peek() {
            let slot = slot(at);
            if slot.saturating_sub(self.present) >= SLOTS {
                self.far_from = slot - (SLOTS - 1);
                return;
            }
            self.far.pop();
            let source = self.sources[rank as usize];
            if source.at == at && source.before == LOOSE {
                if slot > self.present {
                    self.link(rank, slot);
                } else {
                    self.place_elsewhere(rank, at);
                }
            }
        }
        self.far_from = u64::MAX;
    }
}

const fn slot(at: Instant) -> u64 {
    at.as_nanos() >> WIDTH
}

/// Where a slot's list is, the word that marks it, and its bit there.
const fn position(slot: u64) -> (usize, usize, u64) {
    let place = slot % SLOTS;
    (place as usize, (place / 64) as usize, 1 << (place % 64))
}
