//! Who waits before a transmitter that serves first come, first served.

use westwood_cc::{Bytes, Instant};

use crate::stats::{Levels, Traffic, Waiting};

/// The packets whose service has not begun. When it will is known when they come.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Room {
    /// When each begins, and the bytes that came before it, at its number modulo the length, which is
    /// a power of two.
    ring: Vec<(Instant, u64)>,
    levels: Levels,
    /// The bytes of all that came so far.
    bytes: u64,
    /// The numbers of the next to come and of the first.
    next: usize,
    first: usize,
    /// When the first of them begins; never, if nobody waits. Last, beside what a packet that need
    /// not wait touches.
    opens: Instant,
}

/// So many fit at first: most links never hold more.
const SMALL: usize = 4;

impl Room {
    pub(crate) fn new() -> Self {
        Self {
            opens: Instant::FAR_FUTURE,
            ring: Vec::new(),
            first: 0,
            next: 0,
            bytes: 0,
            levels: Levels::default(),
        }
    }

    /// How many wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.next.wrapping_sub(self.first)
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
    fn place(&self, number: usize) -> usize {
        number & self.ring.len().wrapping_sub(1)
    }

    #[inline]
    fn entry(&self, number: usize) -> Option<&(Instant, u64)> {
        self.ring.get(self.place(number))
    }

    /// Somebody comes at `now` and waits until `start`.
    #[inline]
    pub(crate) fn enter(&mut self, now: Instant, start: Instant, size: Bytes) {
        let waiting = self.len();
        self.levels.rise_above(waiting, now);
        if waiting == self.ring.len() {
            self.grow();
        }
        if waiting == 0 {
            self.opens = start;
        }
        let place = self.place(self.next);
        if let Some(entry) = self.ring.get_mut(place) {
            *entry = (start, self.bytes);
        }
        self.next = self.next.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(size.get());
    }

    /// When the first of those who wait begins; never, if nobody waits.
    #[inline]
    pub(crate) fn opens(&self) -> Instant {
        self.opens
    }

    /// Lets all begin who wait: their time has come.
    #[inline(never)]
    pub(crate) fn begin_all_services(&mut self) {
        while self.first != self.next {
            let still = self.len() - 1;
            let begins = self.entry(self.first).map_or(self.opens, |entry| entry.0);
            self.levels.fall_to(still, begins);
            self.first = self.first.wrapping_add(1);
        }
        self.opens = Instant::FAR_FUTURE;
    }

    /// Lets those begin whose time has come.
    #[inline]
    pub(crate) fn begin_services(&mut self, now: Instant) {
        while self.opens <= now && self.first != self.next {
            let still = self.len() - 1;
            self.levels.fall_to(still, self.opens);
            self.first = self.first.wrapping_add(1);
            self.opens = match self.entry(self.first) {
                Some(entry) if still > 0 => entry.0,
                _ => Instant::FAR_FUTURE,
            };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let (places, first) = (self.ring.len(), self.place(self.first));
        self.ring.rotate_left(first.min(places));
        (self.first, self.next) = (0, self.len());
        self.ring.resize((2 * places).max(SMALL), (Instant::ZERO, 0));
    }

    /// For each number of packets the time that so many waited, up to `now`.
    pub(crate) fn times(&mut self, now: Instant) -> Waiting {
        self.begin_services(now);
        self.levels.read(now, self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_leaves_in_order_however_full_the_room_has_been() {
        let at = Instant::from_nanos;
        let mut room = Room::new();
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
        let mut room = Room::new();
        for n in 0..1_000 {
            room.begin_services(at(n));
            room.enter(at(n), at(n + 3), Bytes::new(1));
        }
        assert_eq!((room.len(), room.ring.len()), (3, SMALL));
    }
}
