//! Pending events of many sources: a calendar queue.
//!
//! R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the simulation event
//! set problem", Communications of the ACM 31(10), 1988. Time is cut into slots, and what is due in
//! a slot is put in order only when its slot comes: the work for an event does not grow with the
//! number of those pending, as a heap's does.
//!
//! How long a slot is changes the speed alone. A long slot is filled sequentially and sorted by a few
//! passes over all of it; but an event that is due in the slot being drained must be inserted in order.
//! So slots are as long as the network allows without that ([`Calendar::set_slot`]).
//!
//! ```text
//! current   the present slot and what is due before it, in order
//! slots     the next SLOTS - 1 slots, each a list of sources and chunks of packets, without order
//! far       all later ones: of sources a heap, timers mostly, which seldom fire; of packets chunks
//!           for each round of the calendar
//! ```
//!
//! A list's links are kept with its sources, so that a slot takes four bytes and no entry is ever
//! allocated.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use westwood_cc::{Bytes, Duration, Instant, Rate};

use super::Rank;
use super::chunks::{ChunkPool, ChunkStack, PacketIndex, ScheduledPacket};
use super::current_slot::{CurrentSlot, DueEntry};
use crate::packet::Packet;

/// A slot is 2^15 ns = 33 us long at least, and 2^21 ns = 2 ms at most: a few events to put in order at a
/// time cost less than a turn for each. The calendar reaches a quarter of a second ahead, or 17 seconds.
const LEAST_WIDTH: u32 = 15;
const MOST_WIDTH: u32 = 21;
const SLOTS: u64 = 1 << 13;

/// A slot that receives this many bytes is worth sorting: with ACKs and timers, some five events.
const MANY: Bytes = Bytes::new(2 * 1500);
const WORDS: usize = (SLOTS / 64) as usize;

/// The end of a list.
const NONE: Rank = Rank::MAX;
/// In no list.
const UNLINKED: Rank = Rank::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct CalendarSource {
    /// When it is due; [`Instant::FAR_FUTURE`] if it is not.
    at: Instant,
    /// Its neighbours in the list of its slot.
    next: Rank,
    before: Rank,
}

/// The entries due in a slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first source of its list.
    source: Rank,
    chunks: ChunkStack,
}

const EMPTY: Slot = Slot { source: NONE, chunks: ChunkStack::NONE };

/// Pending events: at most one for each source, and packets.
#[derive(Debug)]
pub(crate) struct Calendar {
    sources: Vec<CalendarSource>,
    /// A slot is so many bits of a time long.
    width: u32,
    /// The present slot's number, counted from the origin of time.
    present: u64,
    /// The packets due in it, those that have come included.
    present_chunks: ChunkStack,
    /// The entries due in it in order, but for a packet that was alone in it. Entries that disagree with
    /// their source are stale.
    current: CurrentSlot,
    /// At the slot's number modulo their number.
    slots: Box<[Slot]>,
    /// A bit for each slot that holds something.
    occupied: Box<[u64; WORDS]>,
    store: ChunkPool,
    /// The place of the packet whose event came last.
    arrived: PacketIndex,
    /// Packets beyond the calendar, by the number of their round.
    rounds: BTreeMap<u64, ChunkStack>,
    /// The number of slots behind the present one that take packets at once: none while packets wait for a
    /// round.
    reach: u64,
    /// Entries that disagree with their source, or whose source is in a list, are stale.
    far: BinaryHeap<Reverse<(Instant, Rank)>>,
    /// The slot from which on the calendar reaches the first of them.
    far_from: u64,
}

impl Calendar {
    pub(crate) fn new(sources: usize) -> Self {
        let source = CalendarSource { at: Instant::FAR_FUTURE, next: NONE, before: UNLINKED };
        Self {
            sources: vec![source; sources],
            width: LEAST_WIDTH,
            present: 0,
            present_chunks: ChunkStack::NONE,
            current: CurrentSlot::default(),
            slots: (0..SLOTS).map(|_| EMPTY).collect(),
            occupied: Box::new([0; WORDS]),
            store: ChunkPool::new(),
            arrived: PacketIndex::INVALID,
            rounds: BTreeMap::new(),
            reach: SLOTS - 1,
            far: BinaryHeap::new(),
            far_from: u64::MAX,
        }
    }

    /// Chooses the length of a slot, before any event is entered. An event due in the present slot must be
    /// inserted, so a slot is no longer than `least`, the shortest delay to a new event, or 33 us if that is
    /// less. Packets come at `rate`: where a long slot would hold few events, a short one mostly holds one.
    pub(crate) fn set_slot(&mut self, least: Duration, rate: Rate) {
        let width = least.as_nanos().max(1).ilog2().clamp(LEAST_WIDTH, MOST_WIDTH);
        let many = rate * Duration::from_nanos(1 << width) >= MANY;
        self.width = if many { width } else { LEAST_WIDTH };
    }

    /// The number of the slot of a time.
    #[inline]
    fn slot(&self, at: Instant) -> u64 {
        at.as_nanos() >> self.width
    }

    #[inline]
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        // Most calls change nothing: a link in use has an earlier entry.
        if self.sources.get(rank as usize).is_some_and(|s| at < s.at) {
            self.enter(rank, at);
        }
    }

    #[inline(never)]
    fn enter(&mut self, rank: Rank, at: Instant) {
        if self.sources[rank as usize].before != UNLINKED {
            self.unlink(rank);
        }
        self.sources[rank as usize].at = at;
        self.place(rank, at);
    }

    /// The next event.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        // Mostly it is a packet of the present slot.
        if let Some(DueEntry { at, rank, place }) = self.current.pop_packet() {
            self.arrived = place;
            return Some((at, rank));
        }
        self.next_of_any_kind()
    }

    #[inline(never)]
    fn next_of_any_kind(&mut self) -> Option<(Instant, Rank)> {
        loop {
            if let Some(found) = self.next_in_slot() {
                return Some(found);
            }
            if let Some(alone) = self.advance_to_single_entry() {
                return Some(alone);
            }
            self.advance_slot()?;
        }
    }

    /// The next event of the present slot.
    #[inline]
    fn next_in_slot(&mut self) -> Option<(Instant, Rank)> {
        while let Some(DueEntry { at, rank, place }) = self.current.pop() {
            self.arrived = place;
            if place != PacketIndex::INVALID {
                return Some((at, rank));
            }
            let source = &mut self.sources[rank as usize];
            if source.at == at {
                source.at = Instant::FAR_FUTURE;
                return Some((at, rank));
            }
        }
        None
    }

    /// Turns to the next slot if it holds a single packet or source, as most short slots do: a single entry
    /// needs no order. Otherwise it changes nothing.
    #[inline]
    fn advance_to_single_entry(&mut self) -> Option<(Instant, Rank)> {
        let next = self.next_occupied()?;
        if next >= self.far_from || self.reach == 0 {
            return None;
        }
        let (number, word, bit) = position(next);
        let slot = &mut self.slots[number];
        let found = if slot.source == NONE {
            let (place, it) = self.store.only(slot.chunks)?;
            self.arrived = place;
            (it.at, it.source)
        } else {
            let source = self.sources.get_mut(slot.source as usize)?;
            if source.next != NONE || slot.chunks != ChunkStack::NONE {
                return None;
            }
            self.arrived = PacketIndex::INVALID;
            source.before = UNLINKED;
            let at = std::mem::replace(&mut source.at, Instant::FAR_FUTURE);
            (at, std::mem::replace(&mut slot.source, NONE))
        };
        self.present = next;
        self.occupied[word] &= !bit;
        let chunks = std::mem::replace(&mut slot.chunks, ChunkStack::NONE);
        self.store.empty(std::mem::replace(&mut self.present_chunks, chunks));
        Some(found)
    }

    /// The packet whose event came last.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Packet> {
        self.store.take(std::mem::replace(&mut self.arrived, PacketIndex::INVALID))
    }

    /// True if there are many events to come whose order is known.
    #[inline]
    pub(crate) fn knows_many(&self) -> bool {
        self.current.is_long()
    }

    /// Hints that the packet `after` events behind the next will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, after: usize) {
        if let Some(entry) = self.current.ahead(after) {
            self.store.prefetch(entry.place);
        }
    }

    /// The packet `after` events behind the next, as far as their order is known.
    #[inline]
    pub(crate) fn ahead(&self, after: usize) -> Option<&Packet> {
        self.store.packet(self.current.ahead(after)?.place)
    }

    /// Puts a packet where its time says.
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    #[inline(always)]
    pub(crate) fn post(&mut self, source: Rank, at: Instant, packet: Packet) {
        let slot = self.slot(at);
        let arriving = ScheduledPacket { at, packet, source };
        if slot.wrapping_sub(self.present).wrapping_sub(1) < self.reach {
            let (number, word, bit) = position(slot);
            self.store.put(&mut self.slots[number].chunks, arriving);
            self.occupied[word] |= bit;
        } else {
            self.arrange(arriving);
        }
    }

    #[inline(never)]
    fn arrange(&mut self, arriving: ScheduledPacket) {
        let (at, rank, slot) = (arriving.at, arriving.source, self.slot(arriving.at));
        let ahead = slot.saturating_sub(self.present);
        if ahead >= SLOTS || (self.reach == 0 && self.waits_for_round(slot)) {
            let chunks = self.rounds.entry(slot / SLOTS).or_insert(ChunkStack::NONE);
            self.store.put(chunks, arriving);
            self.reach = 0;
        } else if ahead == 0 {
            let place = self.store.put(&mut self.present_chunks, arriving);
            self.current.insert(DueEntry { at, rank, place });
        } else {
            let (number, word, bit) = position(slot);
            self.store.put(&mut self.slots[number].chunks, arriving);
            self.occupied[word] |= bit;
        }
    }

    /// True if packets of that time are waiting for its round to begin: later ones come behind them.
    fn waits_for_round(&self, slot: u64) -> bool {
        let round = slot / SLOTS;
        round > self.present / SLOTS && self.rounds.contains_key(&round)
    }

    /// Calls `each` with every packet.
    pub(crate) fn packets<'a>(&'a self, mut each: impl FnMut(&'a Packet)) {
        let places = self.current.iter().map(|entry| entry.place).chain([self.arrived]);
        places.filter_map(|place| self.store.packet(place)).for_each(&mut each);
        let slots = self.slots.iter().map(|slot| slot.chunks);
        for chunks in slots.chain(self.rounds.values().copied()) {
            self.store.each(chunks, |_, it| each(&it.packet));
        }
    }

    /// Puts an entry where its time says.
    #[inline]
    fn place(&mut self, rank: Rank, at: Instant) {
        let slot = self.slot(at);
        if slot <= self.present {
            self.current.insert(DueEntry { at, rank, place: PacketIndex::INVALID });
        } else if slot - self.present < SLOTS {
            self.link(rank, slot);
        } else {
            self.far.push(Reverse((at, rank)));
            self.far_from = self.far_from.min(slot - (SLOTS - 1));
        }
    }

    #[inline]
    fn link(&mut self, rank: Rank, slot: u64) {
        let (slot, word, bit) = self.slot_mut(slot);
        let next = std::mem::replace(&mut slot.source, rank);
        *word |= bit;
        if let Some(next) = self.sources.get_mut(next as usize) {
            next.before = rank;
        }
        let source = &mut self.sources[rank as usize];
        (source.next, source.before) = (next, NONE);
    }

    fn unlink(&mut self, rank: Rank) {
        let CalendarSource { at, next, before } = self.sources[rank as usize];
        if let Some(next) = self.sources.get_mut(next as usize) {
            next.before = before;
        }
        if let Some(before) = self.sources.get_mut(before as usize) {
            before.next = next;
        } else {
            let (slot, word, bit) = self.slot_mut(self.slot(at));
            slot.source = next;
            if next == NONE && slot.chunks == ChunkStack::NONE {
                *word &= !bit;
            }
        }
        self.sources[rank as usize].before = UNLINKED;
    }

    /// A slot, and where it is marked.
    #[inline]
    fn slot_mut(&mut self, slot: u64) -> (&mut Slot, &mut u64, u64) {
        let (place, word, bit) = position(slot);
        (&mut self.slots[place], &mut self.occupied[word], bit)
    }

    /// Turns to the next slot that holds something, far ones included.
    fn advance_slot(&mut self) -> Option<()> {
        self.store.empty(std::mem::replace(&mut self.present_chunks, ChunkStack::NONE));
        if self.reach == 0 {
            return self.advance_slot_with_rounds();
        }
        self.present = self.next_near()?;
        if self.present >= self.far_from {
            self.pull_far_entries();
        }
        self.sort_slot();
        Some(())
    }

    /// Turns to the next slot while packets wait for a round to begin.
    #[inline(never)]
    fn advance_slot_with_rounds(&mut self) -> Option<()> {
        let round = self.rounds.first_key_value().map(|(&round, _)| round);
        let begins = round.map(|round| round * SLOTS);
        self.present = self.next_near().into_iter().chain(begins).min()?;
        if self.present >= self.far_from {
            self.pull_far_entries();
        }
        self.sort_slot();
        if let Some(round) = round.filter(|_| begins == Some(self.present)) {
            self.begin_round(round);
        }
        Some(())
    }

    /// The next slot that holds something, or in which the first of the far sources is due.
    #[inline]
    fn next_near(&self) -> Option<u64> {
        self.next_occupied().or_else(|| Some(self.slot(self.far.peek()?.0.0)))
    }

    /// Puts what the present slot holds in order.
    fn sort_slot(&mut self) {
        let (slot, word, bit) = self.slot_mut(self.present);
        let Slot { source: mut rank, chunks } = std::mem::replace(slot, EMPTY);
        *word &= !bit;
        self.present_chunks = chunks;
        while let Some(source) = self.sources.get_mut(rank as usize) {
            source.before = UNLINKED;
            self.current.push(DueEntry { at: source.at, rank, place: PacketIndex::INVALID });
            rank = source.next;
        }
        let current = &mut self.current;
        self.store
            .each(chunks, |place, it| current.push(DueEntry { at: it.at, rank: it.source, place }));
        self.current.put_in_order(self.width);
    }

    /// Takes over the packets of a round that begins.
    fn begin_round(&mut self, round: u64) {
        let Some(chunks) = self.rounds.remove(&round) else { return };
        if self.rounds.is_empty() {
            self.reach = SLOTS - 1;
        }
        let mut all = Vec::new();
        self.store.each(chunks, |place, it| all.push((place, it.at, it.source)));
        while let Some((place, at, source)) = all.pop() {
            if let Some(packet) = self.store.take(place) {
                self.arrange(ScheduledPacket { at, packet, source });
            }
        }
        self.store.empty(chunks);
    }

    /// The first slot after the present one that holds something.
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

    /// The next occupied slot if the rest of the word where it begins is empty.
    #[inline(never)]
    fn next_occupied_beyond(&self, from: u64, word: usize) -> Option<u64> {
        // The words behind it all around, and the beginning of its own.
        let mut around = (1..=WORDS).map(|i| (i, self.occupied[(word + i) % WORDS]));
        let (steps, bits) = around.find(|&(_, bits)| bits != 0)?;
        Some(from - from % 64 + steps as u64 * 64 + u64::from(bits.trailing_zeros()))
    }

    /// Takes over far entries that the calendar has reached.
    #[inline(never)]
    fn pull_far_entries(&mut self) {
        self.far_from = u64::MAX;
        while let Some(&Reverse((at, rank))) = self.far.peek() {
            let slot = self.slot(at);
            if slot.saturating_sub(self.present) >= SLOTS {
                self.far_from = slot - (SLOTS - 1);
                return;
            }
            self.far.pop();
            let source = self.sources[rank as usize];
            if source.at == at && source.before == UNLINKED {
                self.place(rank, at);
            }
        }
    }
}

/// Where a slot's list is, the word that marks it, and its bit there.
const fn position(slot: u64) -> (usize, usize, u64) {
    let place = slot % SLOTS;
    (place as usize, (place / 64) as usize, 1 << (place % 64))
}
