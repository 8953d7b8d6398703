//! Packets that wait at the far ends of all lanes.
//!
//! Ten thousand flows have forty thousand lanes. Each has had its burst, but hardly any has one at
//! present: rings of their own would stay as long as the longest burst. Here a place that becomes
//! free serves the next packet of any lane, and is still in the cache when it does.

use westwood_cc::Instant;
use westwood_net::{Packet as _, Traffic as Moving};

use super::lane::NEVER;
use crate::packet::Packet;

/// The end of a line.
const NONE: u32 = u32::MAX;

/// The packets that wait at one lane, first come, first served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    first: u32,
    last: u32,
}

impl Default for Line {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

/// A place in a line, and one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct Place {
    packet: Packet,
    /// The next in the line, or the next free place.
    next: u32,
    /// When the next in the line is due: to know it, that one need not be looked at.
    next_due: Instant,
}

const _: () = assert!(size_of::<Place>() == 64, "a place has grown");

/// All places.
#[derive(Debug)]
pub(super) struct Pool {
    places: Vec<Place>,
    /// The place that has become free last.
    free: u32,
}

impl Pool {
    pub(super) const fn new() -> Self {
        Self { places: Vec::new(), free: NONE }
    }

    /// Puts a packet at the end of a line. True if no other is due before.
    #[inline]
    pub(super) fn keep(&mut self, line: &mut Line, due: Instant, packet: Packet) -> bool {
        let at = self.take_place(packet);
        let last = std::mem::replace(&mut line.last, at);
        if let Some(last) = self.places.get_mut(last as usize) {
            (last.next, last.next_due) = (at, due);
            return false;
        }
        line.first = at;
        true
    }

    /// Takes the first packet out of a line, and tells when the next one is due.
    #[inline]
    pub(super) fn release(&mut self, line: &mut Line) -> Option<(Packet, Instant)> {
        let at = line.first;
        let place = self.places.get_mut(at as usize)?;
        let next_due = place.next_due;
        line.first = std::mem::replace(&mut place.next, self.free);
        if line.first == NONE {
            line.last = NONE;
        }
        self.free = at;
        Some((place.packet.take(), next_due))
    }

    #[inline]
    fn take_place(&mut self, packet: Packet) -> u32 {
        let at = self.free;
        if let Some(place) = self.places.get_mut(at as usize) {
            self.free = place.next;
            *place = Place { packet, next: NONE, next_due: NEVER };
            return at;
        }
        self.add_place(packet)
    }

    #[cold]
    #[inline(never)]
    fn add_place(&mut self, packet: Packet) -> u32 {
        // Four thousand million packets would not fit the memory of any machine.
        let at = u32::try_from(self.places.len()).unwrap_or(NONE);
        self.places.push(Place { packet, next: NONE, next_due: NEVER });
        at
    }

    /// What waits in a line.
    pub(super) fn inside(&self, line: &Line) -> Moving {
        let (mut sum, mut at) = (Moving::default(), line.first);
        while let Some(place) = self.places.get(at as usize) {
            sum += Moving { packets: 1, bytes: place.packet.size() };
            at = place.next;
        }
        sum
    }
}
