//! Who waits before a transmitter that serves first come, first served.

use westwood_cc::{Bytes, Instant};

use crate::stats::{Level, Traffic, Waiting};

/// The packets whose service has not begun. When it will is known when they come.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// When each begins, and its size, at its number modulo the length, which is a power of two.
    ring: Vec<(Instant, Bytes)>,
    /// The numbers of the first and of the next to come.
    first: usize,
    next: usize,
    bytes: Bytes,
    level: Level,
}

/// So many fit at first: most links never hold more.
const SMALL: usize = 4;

impl Room {
    /// How many wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.next.wrapping_sub(self.first)
    }

    /// Who waits.
    pub(crate) fn waiting(&self) -> Traffic {
        Traffic { packets: self.len() as u64, bytes: self.bytes }
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number & self.ring.len().wrapping_sub(1)
    }

    /// Somebody comes at `now` and waits until `start`.
    #[inline]
    pub(crate) fn enter(&mut self, now: Instant, start: Instant, size: Bytes) {
        self.level.until(now, self.len());
        if self.len() == self.ring.len() {
            self.grow();
        }
        let place = self.place(self.next);
        if let Some(entry) = self.ring.get_mut(place) {
            *entry = (start, size);
        }
        self.next = self.next.wrapping_add(1);
        self.bytes += size;
    }

    /// Lets those begin whose time has come.
    #[inline]
    pub(crate) fn begin_services(&mut self, now: Instant) {
        while self.first != self.next
            && let Some(&(start, size)) = self.ring.get(self.place(self.first))
            && start <= now
        {
            self.level.until(start, self.len());
            self.first = self.first.wrapping_add(1);
            self.bytes -= size;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let (places, first) = (self.ring.len(), self.place(self.first));
        self.ring.rotate_left(first.min(places));
        (self.first, self.next) = (0, self.len());
        self.ring.resize((2 * places).max(SMALL), (Instant::ZERO, Bytes::ZERO));
    }

    /// For each number of packets the time that so many waited, up to `now`.
    pub(crate) fn times(&mut self, now: Instant) -> Waiting {
        self.begin_services(now);
        self.level.read(now, self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_leaves_in_order_however_full_the_room_has_been() {
        let at = Instant::from_nanos;
        let mut room = Room::default();
        // Three come for each that leaves, then nobody comes.
        for n in 0..300 {
            room.enter(at(n), at(10 * n + 300), Bytes::new(n));
            room.begin_services(at(n));
        }
        assert_eq!(room.len(), 300);
        for n in 0..300 {
            room.begin_services(at(10 * n + 300));
            let left: u64 = (n + 1..300).sum();
            let expected = Traffic { packets: 299 - n, bytes: Bytes::new(left) };
            assert_eq!(room.waiting(), expected);
        }
    }

    #[test]
    fn a_room_that_turns_over_many_times_stays_small() {
        let at = Instant::from_nanos;
        let mut room = Room::default();
        for n in 0..1_000 {
            room.begin_services(at(n));
            room.enter(at(n), at(n + 3), Bytes::new(1));
        }
        assert_eq!((room.len(), room.ring.len()), (3, SMALL));
    }
}
