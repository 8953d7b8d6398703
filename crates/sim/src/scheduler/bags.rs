//! Packets in bags: what is due in the same slot of the calendar lies together.
//!
//! A packet is written once, when it is known when it arrives, and read once, when it does. Packets
//! that arrive one after the other are neighbours in memory, whichever links they come from: a slot is
//! read from its begin to its end, and nothing has to be looked up.

use westwood_cc::Instant;

use super::Rank;
use crate::packet::Packet;

/// Packets in a bag. With few flows most slots have one packet, with many a hundred.
const SIZE: usize = 4;

/// No bag.
const NONE: u32 = u32::MAX;

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

#[derive(Debug)]
struct Bag {
    arriving: [Arriving; SIZE],
    len: u32,
    /// The bag filled before this one, or the next empty one.
    before: u32,
}

/// The bags of one slot: the one that was filled last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bags(u32);

impl Bags {
    pub(super) const NONE: Self = Self(NONE);
}

/// A packet's place in its bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    /// Not a packet's.
    pub(super) const NOWHERE: Self = Self(NONE);
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
    #[inline]
    pub(super) fn put(&mut self, bags: &mut Bags, arriving: Arriving) -> Place {
        let has_room = self.all.get(bags.0 as usize).is_some_and(|bag| (bag.len as usize) < SIZE);
        if !has_room {
            self.add_bag(bags);
        }
        let Some(bag) = self.all.get_mut(bags.0 as usize) else { return Place::NOWHERE };
        let place = bag.len;
        bag.arriving[place as usize % SIZE] = arriving;
        bag.len += 1;
        Place(bags.0 * SIZE as u32 + place)
    }

    /// Puts a bag on top of a slot's others.
    fn add_bag(&mut self, bags: &mut Bags) {
        let before = bags.0;
        if let Some(bag) = self.all.get_mut(self.empty as usize) {
            bags.0 = std::mem::replace(&mut self.empty, bag.before);
            (bag.len, bag.before) = (0, before);
        } else {
            // Four thousand million packets would not fit the memory of any machine.
            bags.0 = u32::try_from(self.all.len()).unwrap_or(NONE);
            self.all.push(Bag { arriving: [Arriving::NOTHING; SIZE], len: 0, before });
        }
    }

    /// The packets of a slot, the one put last first.
    pub(super) fn of(&self, bags: Bags) -> impl Iterator<Item = (Place, &Arriving)> {
        let bag = |number: u32| Some(number).zip(self.all.get(number as usize));
        std::iter::successors(bag(bags.0), move |(_, it)| bag(it.before)).flat_map(|(number, it)| {
            (0..it.len).rev().map(move |i| {
                (Place(number * SIZE as u32 + i), &it.arriving[i as usize % SIZE])
            })
        })
    }

    /// The packet at a place.
    pub(super) fn packet(&self, place: Place) -> Option<&Packet> {
        let (bag, i) = (place.0 as usize / SIZE, place.0 as usize % SIZE);
        Some(&self.all.get(bag)?.arriving[i].packet)
    }

    /// Takes a packet out.
    #[inline]
    pub(super) fn take(&mut self, place: Place) -> Option<Packet> {
        let (bag, i) = (place.0 as usize / SIZE, place.0 as usize % SIZE);
        Some(self.all.get_mut(bag)?.arriving[i].packet.take())
    }

    /// Nothing is left in a slot's bags.
    pub(super) fn empty(&mut self, bags: Bags) {
        let mut at = bags.0;
        while let Some(bag) = self.all.get_mut(at as usize) {
            let before = std::mem::replace(&mut bag.before, self.empty);
            bag.len = 0;
            self.empty = at;
            at = before;
        }
    }
}
