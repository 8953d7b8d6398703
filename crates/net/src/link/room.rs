//! Who waits before a transmitter that serves first come, first served.

use westwood_cc::{Bytes, Instant};

use crate::stats::{Level, Traffic, Waiting};

/// The packets whose service has not begun. When it will is known when they come.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// When each begins, and the bytes that came before it, at its number modulo the length, which is
    /// a power of two.
    ring: Box<[(Instant, u64)]>,
    level: Level,
    /// The bytes of all that came so far.
    bytes: u64,
    /// The numbers of the next to come and of the first.
    next: u32,
    first: u32,
}

/// When the first begins if nobody waits.
pub(crate) const NOBODY: Instant = Instant::FAR_FUTURE;

/// So many fit at first: most links never hold more.
const SMALL: usize = 2;

impl Room {
    /// How many wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.next.wrapping_sub(self.first) as usize
    }

    /// Who waits.
    pub(crate) fn waiting(&self) -> Traffic {
        let before = match self.len() {
            0 => self.bytes,
            _ => self.entry(self.first).map_or(self.bytes, |entry| entry.1),
        };
        Traffic { packets: self.len() as u64, bytes: Bytes::new(self.bytes.wrapping_sub(before)) }
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        number as usize & self.ring.len().wrapping_sub(1)
    }

    #[inline]
    fn entry(&self, number: u32) -> Option<&(Instant, u64)> {
        self.ring.get(self.place(number))
    }

    /// Somebody comes at `now` and waits until `start`.
    #[inline]
    pub(crate) fn enter(&mut self, now: Instant, start: Instant, size: Bytes) {
        let waiting = self.len();
        self.level.until(now, waiting);
        if waiting == self.ring.len() {
            self.grow();
        }
        let place = self.place(self.next);
        if let Some(entry) = self.ring.get_mut(place) {
            *entry = (start, self.bytes);
        }
        self.next = self.next.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(size.get());
    }

    /// Lets those begin whose time has come, the first at `opens`. Answers when the next begins.
    #[inline]
    pub(crate) fn begin_services(&mut self, mut opens: Instant, now: Instant) -> Instant {
        while opens <= now && self.first != self.next {
            self.level.until(opens, self.len());
            self.first = self.first.wrapping_add(1);
            opens = match self.entry(self.first) {
                Some(entry) if self.first != self.next => entry.0,
                _ => NOBODY,
            };
        }
        opens
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let (places, first) = (self.ring.len(), self.place(self.first));
        let mut ring = std::mem::take(&mut self.ring).into_vec();
        ring.rotate_left(first.min(places));
        (self.first, self.next) = (0, self.next.wrapping_sub(self.first));
        ring.resize((2 * places).max(SMALL), (Instant::ZERO, 0));
        self.ring = ring.into_boxed_slice();
    }

    /// For each number of packets the time that so many waited, up to `now`, up to which all services
    /// have begun.
    pub(crate) fn times(&mut self, now: Instant) -> Waiting {
        self.level.read(now, self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_leaves_in_order_however_full_the_room_has_been() {
        let at = Instant::from_nanos;
        let (mut room, mut opens) = (Room::default(), at(300));
        // Three come for each that leaves, then nobody comes.
        for n in 0..300 {
            room.enter(at(n), at(10 * n + 300), Bytes::new(n));
            opens = room.begin_services(opens, at(n));
        }
        assert_eq!(room.len(), 300);
        for n in 0..300 {
            opens = room.begin_services(opens, at(10 * n + 300));
            let left: u64 = (n + 1..300).sum();
            let expected = Traffic { packets: 299 - n, bytes: Bytes::new(left) };
            assert_eq!(room.waiting(), expected);
        }
        assert_eq!(opens, NOBODY);
    }

    #[test]
    fn a_room_that_turns_over_many_times_stays_small() {
        let at = Instant::from_nanos;
        let (mut room, mut opens) = (Room::default(), at(3));
        for n in 0..1_000 {
            opens = room.begin_services(opens, at(n));
            room.enter(at(n), at(n + 3), Bytes::new(1));
        }
        assert_eq!((room.len(), room.ring.len()), (3, 4));
    }
}
