//! Packets in bags: what is due in the same slot of the calendar lies together.
//!
//! A packet is written once, when its arrival time is known, and read once, when it arrives. Packets that
//! arrive one after the other are neighbours in memory, whichever links they come from: a slot is read from
//! its begin to its end, and nothing has to be looked up.

use westwood_cc::Instant;

use super::Rank;
use crate::packet::Packet;

/// Packets in a bag. With few flows most slots have one packet, with many a hundred.
const SIZE: u32 = 16;

/// No bag: the last place in it is [`Place::NOWHERE`].
const NONE: u32 = u32::MAX / SIZE;

/// A packet that arrives.
#[derive(Debug)]
pub(super) struct Arriving {
    pub(super) at: Instant,
    pub(super) packet: Packet,
    pub(super) source: Rank,
}

impl Arriving {
    const NOTHING: Self = Self { at: Instant::ZERO, packet: Packet::NOTHING, source: 0 };
}

/// Fifteen lines of the cache, which the processor fetches one after the other; from bag to bag it has to
/// wait until it knows where the next one is. The first packet shares a line with what must be known to
/// begin a bag: with few flows most bags hold one packet.
#[derive(Debug)]
#[repr(C, align(64))]
struct Bag {
    /// The bag filled before this one, or the next empty one.
    before: u32,
    arriving: [Arriving; SIZE as usize],
}

const _: () = assert!(size_of::<Bag>() == 960, "a bag has grown");

/// The bags of one slot: the place of the packet put last.
///
/// The place of the next one stands here and not in the bag: that is far away by now,
/// and writing to it need not wait for it, but reading would. All bags are full but the one on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bags {
    last: Place,
}

impl Bags {
    /// The last place of a bag that does not exist.
    pub(super) const NONE: Self = Self { last: Place::NOWHERE };

    const fn top_is_full(self) -> bool {
        self.last.0 % SIZE == SIZE - 1
    }

    /// The bag on top, and how many packets are in it.
    const fn top(self) -> (u32, u32) {
        (self.last.0 / SIZE, self.last.0 % SIZE + 1)
    }
}

/// A packet's place in its bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    /// Not a packet's.
    pub(super) const NOWHERE: Self = Self::of(NONE, SIZE - 1);

    #[inline]
    const fn of(bag: u32, i: u32) -> Self {
        Self(bag * SIZE + i)
    }

    #[cfg(test)]
    pub(super) const fn numbered(number: u32) -> Self {
        Self(number)
    }

    const fn split(self) -> (usize, usize) {
        ((self.0 / SIZE) as usize, (self.0 % SIZE) as usize)
    }
}

/// All bags.
#[derive(Debug)]
pub(super) struct Store {
    all: Vec<Bag>,
    /// The bag that was emptied last.
    empty: u32,
}

impl Store {
    pub(super) const fn new() -> Self {
        Self { all: Vec::new(), empty: NONE }
    }

    /// Puts a packet into a slot's bags.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    pub(super) fn put(&mut self, bags: &mut Bags, arriving: Arriving) -> Place {
        bags.last = if bags.top_is_full() { self.add_bag(*bags) } else { Place(bags.last.0 + 1) };
        let (bag, i) = bags.last.split();
        if let Some(bag) = self.all.get_mut(bag) {
            let empty = std::mem::replace(&mut bag.arriving[i], arriving);
            // An empty place owns nothing. Dropping it would read it to find that out.
            std::mem::forget(empty);
        }
        bags.last
    }

    /// Puts a bag on top of a slot's others. Answers its first place.
    #[inline]
    fn add_bag(&mut self, bags: Bags) -> Place {
        let (before, number) = (bags.top().0, self.empty);
        if let Some(bag) = self.all.get_mut(number as usize) {
            self.empty = std::mem::replace(&mut bag.before, before);
            return Place::of(number, 0);
        }
        self.make_bag(before)
    }

    #[cold]
    #[inline(never)]
    fn make_bag(&mut self, before: u32) -> Place {
        if self.all.len() == self.all.capacity() {
            self.all.reserve(1 + self.all.len());
            // Packets are put wherever their time says, a hundred slots ahead.
            westwood_prefetch::large_pages(&self.all);
        }
        self.all.push(Bag { arriving: [Arriving::NOTHING; SIZE as usize], before });
        // Two hundred million bags would not fit the memory of any machine.
        Place::of(u32::try_from(self.all.len() - 1).unwrap_or(NONE), 0)
    }

    /// Calls `each` with the packets of a slot, the one put last first.
    pub(super) fn each<'a>(&'a self, bags: Bags, mut each: impl FnMut(Place, &'a Arriving)) {
        let (mut number, mut len) = bags.top();
        while let Some(bag) = self.all.get(number as usize) {
            if let Some(before) = self.all.get(bag.before as usize) {
                westwood_prefetch::lines(before, 0..size_of::<Bag>() / westwood_prefetch::LINE);
            }
            let mut place = Place::of(number, len);
            for arriving in bag.arriving.get(..len as usize).unwrap_or_default().iter().rev() {
                place.0 -= 1;
                each(place, arriving);
            }
            (number, len) = (bag.before, SIZE);
        }
    }

    /// The packet of a slot that has only one.
    #[inline]
    pub(super) fn only(&self, bags: Bags) -> Option<(Place, &Arriving)> {
        let (bag, i) = bags.last.split();
        if i > 0 {
            return None;
        }
        let bag = self.all.get(bag)?;
        (bag.before == NONE).then_some((bags.last, &bag.arriving[0]))
    }

    /// Hints that a packet will be read soon.
    #[inline]
    pub(super) fn prefetch(&self, place: Place) {
        let (bag, i) = place.split();
        if let Some(bag) = self.all.get(bag) {
            westwood_prefetch::value(&bag.arriving[i]);
        }
    }

    /// The packet at a place.
    pub(super) fn packet(&self, place: Place) -> Option<&Packet> {
        let (bag, i) = place.split();
        Some(&self.all.get(bag)?.arriving[i].packet)
    }

    /// Takes a packet out.
    #[inline]
    pub(super) fn take(&mut self, place: Place) -> Option<Packet> {
        let (bag, i) = place.split();
        Some(self.all.get_mut(bag)?.arriving[i].packet.take())
    }

    /// Nothing is left in a slot's bags.
    #[inline]
    pub(super) fn empty(&mut self, bags: Bags) {
        let mut at = bags.top().0;
        while let Some(bag) = self.all.get_mut(at as usize) {
            let before = std::mem::replace(&mut bag.before, self.empty);
            self.empty = at;
            at = before;
        }
    }
}
