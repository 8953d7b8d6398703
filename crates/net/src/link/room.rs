//! Who waits before a transmitter that serves first come, first served.

use westwood_cc::{Bytes, Instant};

use crate::stats::{Levels, Traffic, Waiting};

/// The packets whose service has not begun. When it will is known when they come.
///
/// Those who come are only written down. What follows, how many waited for how long, is worked out
/// when somebody asks or the log is full: many at a time, which takes a fraction of the work.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Room {
    /// A place that may not be written before it is seen who still waits.
    bound: usize,
    /// The places of the next to come, and of the first that may still wait.
    next: usize,
    log: Vec<Entry>,
    /// The bytes of all that came so far.
    bytes: u64,
    first: usize,
    /// All before are among those that the levels count.
    counted: usize,
    levels: Levels,
    /// The most that may wait.
    limit: usize,
}

/// Somebody who comes and waits.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// When its service begins.
    begins: Instant,
    came: Instant,
    /// The bytes that came before it.
    before: u64,
}

/// So many fit at first: most links never hold more.
const SMALL: usize = 4;

impl Room {
    /// For at most `limit` packets.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            bound: 0,
            next: 0,
            log: Vec::new(),
            bytes: 0,
            first: 0,
            counted: 0,
            levels: Levels::default(),
            limit,
        }
    }

    /// True if nobody fits beside those who waited when it was last [settled](Self::settle).
    pub(crate) fn is_full(&self) -> bool {
        self.next - self.first >= self.limit
    }

    /// Who waited when it was last settled.
    pub(crate) fn waiting(&self) -> Traffic {
        let waiting = self.log.get(self.first..self.next).unwrap_or_default();
        let before = waiting.first().map_or(self.bytes, |entry| entry.before);
        Traffic {
            packets: waiting.len() as u64,
            bytes: Bytes::new(self.bytes.wrapping_sub(before)),
        }
    }

    /// Somebody comes at `now` and waits until `begins`, which is later. False, and nothing has
    /// happened, if there is no room.
    #[inline]
    pub(crate) fn enter(&mut self, now: Instant, begins: Instant, size: Bytes) -> bool {
        if self.next >= self.bound && !self.make_room(now) {
            return false;
        }
        if let Some(entry) = self.log.get_mut(self.next) {
            *entry = Entry { begins, came: now, before: self.bytes };
        }
        self.next += 1;
        self.bytes = self.bytes.wrapping_add(size.get());
        true
    }

    /// Finds a place for somebody who comes at `now`. False if all are taken.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, now: Instant) -> bool {
        self.settle(now);
        if self.is_full() {
            return false;
        }
        if self.next == self.log.len() {
            self.log.copy_within(self.first.., 0);
            self.next -= self.first;
            (self.first, self.counted) = (0, self.next);
            // At least half of the log is free, so that this is seldom done.
            if self.next >= self.log.len() / 2 {
                self.log.resize((2 * self.log.len()).max(SMALL), Entry::default());
            }
        }
        self.bound = self.log.len().min(self.first.saturating_add(self.limit));
        true
    }

    /// Lets those begin whose time has come.
    #[inline]
    pub(crate) fn settle(&mut self, now: Instant) {
        // Nobody waits who has not begun, and nobody has come since: so it mostly is where ACKs go.
        if self.first < self.next {
            self.settle_each(now);
        }
    }

    #[inline(never)]
    fn settle_each(&mut self, now: Instant) {
        let log = self.log.get(..self.next).unwrap_or_default();
        let levels = &mut self.levels;
        let (mut first, mut counted) = (self.first, self.counted);
        let mut opens = begins(log, first);
        for came in log.get(counted..).unwrap_or_default().iter().map(|entry| entry.came) {
            // Nobody begins as soon as he comes, so who has not been counted does not begin here.
            while opens <= came && first < counted {
                first += 1;
                levels.fall_to(counted - first, opens);
                opens = begins(log, first);
            }
            levels.rise_above(counted - first, came);
            counted += 1;
        }
        while opens <= now && first < counted {
            first += 1;
            levels.fall_to(counted - first, opens);
            opens = begins(log, first);
        }
        (self.first, self.counted) = (first, counted);
    }

    /// For each number of packets the time that so many waited, up to `now`.
    pub(crate) fn times(&mut self, now: Instant) -> Waiting {
        self.settle(now);
        self.levels.read(now, self.next - self.first)
    }
}

/// When the service of who has this place in the log begins; never, if nobody has it.
#[inline]
fn begins(log: &[Entry], place: usize) -> Instant {
    log.get(place).map_or(Instant::FAR_FUTURE, |entry| entry.begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_leaves_in_order_however_full_the_room_has_been() {
        let at = Instant::from_nanos;
        let mut room = Room::new(usize::MAX);
        // Three come for each that leaves, then nobody comes.
        for n in 0..300 {
            assert!(room.enter(at(n), at(10 * n + 300), Bytes::new(n)));
            room.settle(at(n));
        }
        assert_eq!(room.waiting().packets, 300);
        for n in 0..300 {
            room.settle(at(10 * n + 300));
            let left: u64 = (n + 1..300).sum();
            let expected = Traffic { packets: 299 - n, bytes: Bytes::new(left) };
            assert_eq!(room.waiting(), expected);
        }
    }

    #[test]
    fn a_room_that_turns_over_many_times_stays_small() {
        let at = Instant::from_nanos;
        let mut room = Room::new(usize::MAX);
        for n in 0..1_000 {
            room.settle(at(n));
            assert!(room.enter(at(n), at(n + 3), Bytes::new(1)));
        }
        assert_eq!(room.waiting().packets, 3);
        assert!(room.log.len() <= 4 * SMALL, "{}", room.log.len());
    }

    #[test]
    fn a_full_room_takes_nobody_until_somebody_begins() {
        let at = Instant::from_nanos;
        let mut room = Room::new(3);
        // Of those who came before, two still wait each time: the room must see that by itself.
        for n in 0..1_000 {
            assert!(room.enter(at(10 * n), at(10 * n + 25), Bytes::new(1)));
            assert!(n < 2 || !room.enter(at(10 * n), at(10 * n + 25), Bytes::new(1)));
        }
    }

    #[test]
    fn times_do_not_depend_on_when_the_room_was_settled() {
        let at = Instant::from_nanos;
        let (mut often, mut seldom) = (Room::new(usize::MAX), Room::new(usize::MAX));
        for n in 0..500 {
            // Bunches that overlap, and silences.
            let came = at(7 * n + 100 * (n / 9));
            let begins = at(7 * n + 100 * (n / 9) + 13 + n % 9);
            often.settle(came);
            assert!(
                often.enter(came, begins, Bytes::new(1))
                    && seldom.enter(came, begins, Bytes::new(1))
            );
        }
        assert_eq!(often.times(at(20_000)), seldom.times(at(20_000)));
    }
}
