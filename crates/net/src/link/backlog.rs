//! The packets that wait before a transmitter that serves first come, first served.

use westwood_cc::{Bytes, Duration, Instant};

use crate::histogram::Histogram;
use crate::stats::{PacketCount, QueueLengthSums, QueueLengthTimes};

/// The packets whose service has not begun. Their service times are known when they arrive.
///
/// An arrival is only logged. The time spent at each queue length is worked out when it is asked for or
/// the log is full: many packets at a time, which takes a fraction of the work. As long as no packet finds
/// another waiting, there is no log at all: each has waited alone.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PacketBacklog {
    /// The last arrival, if service of all others had begun by then. A service that begins at the origin of
    /// time stands for no packet; one that never begins says that the waiting packets are in the log.
    lone: Entry,
    /// The total waiting time of all lone packets, this one included.
    alone: u64,
    /// The bytes of all packets that have come so far.
    bytes: u64,
    /// The first place of the log that may hold a waiting packet: to be settled before it is written.
    bound: usize,
    /// The places of the next packet to come, and of the first that may still wait.
    next: usize,
    log: Vec<Entry>,
    first: usize,
    /// The levels count all packets before this place.
    counted: usize,
    levels: QueueLengthSums,
    /// The most that may wait.
    limit: usize,
    /// Waiting times, where they are recorded.
    delays: Option<Box<BacklogDelays>>,
}

/// The waiting times of packets whose service begins at a given time or later.
///
/// Packets that do not wait never come here: their number follows from the packets taken.
#[derive(Debug)]
struct BacklogDelays {
    from: Instant,
    waits: Histogram,
    /// Packets that came at that time or later and whose service has begun.
    came: u64,
    /// Packets that the link had taken before that time, as soon as it is known.
    taken_before: Option<u64>,
}

/// A packet that comes and waits.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// When its service begins.
    begins: Instant,
    came: Instant,
    /// The bytes that came before it.
    before: u64,
}

impl Entry {
    const NO_PACKET: Self = Self { begins: Instant::ZERO, came: Instant::ZERO, before: 0 };
    const IN_THE_LOG: Self = Self { begins: Instant::FAR_FUTURE, ..Self::NO_PACKET };

    /// Its waiting time, in nanoseconds.
    const fn time(&self) -> u64 {
        self.begins.as_nanos().wrapping_sub(self.came.as_nanos())
    }
}

/// The log's first size: most links never hold more.
const SMALL: usize = 4;

impl PacketBacklog {
    /// For at most `limit` packets.
    #[inline(never)]
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            // A limit of zero holds for a lone packet, too.
            lone: if limit > 0 { Entry::NO_PACKET } else { Entry::IN_THE_LOG },
            alone: 0,
            bytes: 0,
            bound: 0,
            next: 0,
            log: Vec::new(),
            first: 0,
            counted: 0,
            levels: QueueLengthSums::default(),
            limit,
            delays: None,
        }
    }

    /// Records the waiting time of each packet whose service begins at `from` or later. To be called before
    /// the first packet comes.
    pub(crate) fn record_delays(&mut self, from: Instant) {
        let waits = Histogram::default();
        self.delays = Some(Box::new(BacklogDelays { from, waits, came: 0, taken_before: None }));
        // Every packet goes through the log.
        self.lone = Entry::IN_THE_LOG;
    }

    /// True if delays are recorded from `now` or earlier, and the packets taken [before](Self::begin_delays)
    /// are not known yet.
    pub(crate) fn delays_begin(&self, now: Instant) -> bool {
        self.delays.as_ref().is_some_and(|d| d.taken_before.is_none() && now >= d.from)
    }

    /// The link has taken so many packets before delays are recorded.
    pub(crate) fn begin_delays(&mut self, taken_before: u64) {
        if let Some(delays) = &mut self.delays {
            delays.taken_before = Some(taken_before);
        }
    }

    /// The waiting times of all packets whose service has begun by `now`; `taken` is the packets that the
    /// link has taken so far.
    pub(crate) fn delays(&mut self, now: Instant, taken: u64) -> Option<Histogram> {
        self.settle(now);
        let delays = self.delays.as_deref()?;
        let still_wait = self.log.get(self.first..self.next).unwrap_or_default();
        let still_wait = still_wait.iter().filter(|entry| entry.came >= delays.from).count();
        let waited = delays.came + still_wait as u64;
        let taken = taken - delays.taken_before.unwrap_or(taken);
        let mut all = delays.waits.clone();
        all.add_many(Duration::ZERO, taken.saturating_sub(waited));
        Some(all)
    }

    /// True if the last packet is not in the log, and its service has not begun.
    fn is_one_alone(&self) -> bool {
        !matches!(self.lone.begins, Instant::ZERO | Instant::FAR_FUTURE)
    }

    /// The packets that waited when the backlog was last settled.
    fn count(&self) -> usize {
        self.next - self.first + usize::from(self.is_one_alone())
    }

    /// True if no packet fits beside those that waited when it was last [settled](Self::settle).
    pub(crate) fn is_full(&self) -> bool {
        self.count() >= self.limit
    }

    /// Traffic that waited when the backlog was last settled.
    pub(crate) fn waiting(&self) -> PacketCount {
        let waiting = self.log.get(self.first..self.next).unwrap_or_default();
        let lone = Some(&self.lone).filter(|_| self.is_one_alone());
        let before = lone.or(waiting.first()).map_or(self.bytes, |entry| entry.before);
        PacketCount {
            packets: self.count() as u64,
            bytes: Bytes::new(self.bytes.wrapping_sub(before)),
        }
    }

    /// A packet comes at `now` and waits until `begins`, which is later. False, and nothing has happened, if
    /// the queue is full.
    #[inline]
    pub(crate) fn enter(&mut self, now: Instant, begins: Instant, size: Bytes) -> bool {
        if self.lone.begins <= now {
            self.enter_alone(now, begins, size);
        } else if self.next < self.bound {
            self.enter_log(now, begins, size);
        } else {
            return self.settle_and_enter(now, begins, size);
        }
        true
    }

    /// No other packet waits.
    #[inline]
    fn enter_alone(&mut self, now: Instant, begins: Instant, size: Bytes) {
        self.lone = Entry { begins, came: now, before: self.bytes };
        self.alone = self.alone.wrapping_add(self.lone.time());
        self.bytes = self.bytes.wrapping_add(size.get());
    }

    /// The log has a place, and packets may wait there already.
    #[inline]
    fn enter_log(&mut self, now: Instant, begins: Instant, size: Bytes) {
        if let Some(entry) = self.log.get_mut(self.next) {
            *entry = Entry { begins, came: now, before: self.bytes };
        }
        self.next += 1;
        self.bytes = self.bytes.wrapping_add(size.get());
    }

    /// The slow path of [`enter`](Self::enter): waiting packets are settled first.
    #[cold]
    #[inline(never)]
    fn settle_and_enter(&mut self, now: Instant, begins: Instant, size: Bytes) -> bool {
        self.join();
        self.settle(now);
        if self.is_full() {
            return false;
        }
        if self.first == self.next && self.delays.is_none() {
            (self.lone, self.bound) = (Entry::NO_PACKET, 0);
            self.enter_alone(now, begins, size);
        } else {
            self.make_room();
            self.enter_log(now, begins, size);
        }
        true
    }

    /// The lone packet joins the log, where others can follow.
    fn join(&mut self) {
        if !self.is_one_alone() {
            return;
        }
        let lone = std::mem::replace(&mut self.lone, Entry::IN_THE_LOG);
        self.alone = self.alone.wrapping_sub(lone.time());
        // No other packet waits: all places are free.
        (self.first, self.counted, self.next) = (0, 0, 1);
        if self.log.is_empty() {
            self.log.resize(SMALL, Entry::default());
        }
        self.log[0] = lone;
    }

    /// Makes a place in the log, where packets wait.
    fn make_room(&mut self) {
        if self.next == self.log.len() {
            self.log.copy_within(self.first.., 0);
            self.next -= self.first;
            (self.first, self.counted) = (0, self.next);
            // Half of the log at least stays free, so that copies are rare.
            if self.next >= self.log.len() / 2 {
                let places = (2 * self.log.len()).max(SMALL);
                self.log.reserve_exact(places - self.log.len());
                westwood_prefetch::large_pages(&self.log);
                self.log.resize(places, Entry::default());
            }
        }
        self.bound = self.log.len().min(self.first.saturating_add(self.limit));
    }

    /// Begins the service of packets whose time has come.
    #[inline]
    pub(crate) fn settle(&mut self, now: Instant) {
        if self.lone.begins <= now {
            self.lone = Entry::NO_PACKET;
        }
        // Mostly the log is empty where ACKs go.
        if self.first < self.next {
            self.settle_each(now);
        }
    }

    #[inline(never)]
    fn settle_each(&mut self, now: Instant) {
        let log = self.log.get(..self.next).unwrap_or_default();
        let levels = &mut self.levels;
        // Packets that the levels count and whose service has not begun.
        let (mut first, mut waiting) = (self.first, self.counted - self.first);
        let mut opens = begins(log, first);
        for came in log.get(self.counted..).unwrap_or_default().iter().map(|entry| entry.came) {
            // Service never begins on arrival, so that packets not counted yet do not begin here.
            while opens <= came && waiting > 0 {
                waiting -= 1;
                levels.fall_to(waiting, opens);
                first += 1;
                opens = begins(log, first);
            }
            levels.rise_above(waiting, came);
            waiting += 1;
        }
        while opens <= now && waiting > 0 {
            waiting -= 1;
            levels.fall_to(waiting, opens);
            first += 1;
            opens = begins(log, first);
        }
        if let Some(delays) = &mut self.delays {
            for entry in log.get(self.first..first).unwrap_or_default() {
                delays.add(entry);
            }
        }
        (self.first, self.counted) = (first, self.next);
    }

    /// The time spent at each queue length, up to `now`.
    pub(crate) fn times(&mut self, now: Instant) -> QueueLengthTimes {
        self.settle(now);
        self.join();
        self.settle(now);
        self.levels.add_alone(std::mem::take(&mut self.alone));
        self.levels.read(now, self.count())
    }
}

impl BacklogDelays {
    /// This packet's service has begun.
    fn add(&mut self, entry: &Entry) {
        if entry.begins >= self.from {
            self.waits.add(Duration::from_nanos(entry.time()));
            self.came += u64::from(entry.came >= self.from);
        }
    }
}

/// When the service of the packet at this place in the log begins; never, if there is none.
#[inline]
fn begins(log: &[Entry], place: usize) -> Instant {
    log.get(place).map_or(Instant::FAR_FUTURE, |entry| entry.begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use westwood_cc::Duration;

    /// How many of these waits include an instant. One that ends there does not.
    fn waiting_at(waits: &[(u64, u64)], at: u64) -> usize {
        waits.iter().filter(|&&(came, begins)| came <= at && at < begins).count()
    }

    proptest! {
        #[test]
        fn the_time_at_each_level_is_that_in_which_so_many_waits_overlap(
            // The gap to the last arrival, the gap to the last begin of service, and whether the backlog is
            // asked what waits.
            packets in prop::collection::vec((0_u64..40, 1_u64..20, prop::bool::weighted(0.2)), 1..60),
            rest in 0_u64..30,
            limit in 0_usize..6,
        ) {
            let at = Instant::from_nanos;
            let (mut backlog, mut waits) = (PacketBacklog::new(limit), Vec::<(u64, u64)>::new());
            let (mut now, mut free) = (0, 0);
            for (gap, service, asks) in packets {
                now += gap;
                let waiting = waiting_at(&waits, now);
                if asks {
                    backlog.settle(at(now));
                    prop_assert_eq!(backlog.waiting().packets, waiting as u64);
                    prop_assert_eq!(backlog.waiting().bytes, Bytes::new(100 * waiting as u64));
                    prop_assert_eq!(backlog.is_full(), waiting >= limit);
                }
                if free > now {
                    let enters = backlog.enter(at(now), at(free), Bytes::new(100));
                    prop_assert_eq!(enters, waiting < limit);
                    if enters {
                        waits.push((now, free));
                        free += service;
                    }
                } else {
                    free = now + service;
                }
            }
            let end = now + rest;
            let mut times = [Duration::ZERO; 7];
            for instant in 0..end {
                times[waiting_at(&waits, instant)] += Duration::from_nanos(1);
            }
            let measured = backlog.times(at(end));
            for (level, &time) in times.iter().enumerate() {
                let measured = measured.times().get(level).copied().unwrap_or_default();
                prop_assert_eq!(measured, time, "level {}", level);
            }
            prop_assert_eq!(backlog.waiting().packets, waiting_at(&waits, end) as u64);
        }
    }

    #[test]
    fn waiting_packets_leave_in_order_however_full_the_backlog_has_been() {
        let at = Instant::from_nanos;
        let mut backlog = PacketBacklog::new(usize::MAX);
        // Three packets come for each that leaves, then none.
        for n in 0..300 {
            assert!(backlog.enter(at(n), at(10 * n + 300), Bytes::new(n)));
            backlog.settle(at(n));
        }
        assert_eq!(backlog.waiting().packets, 300);
        for n in 0..300 {
            backlog.settle(at(10 * n + 300));
            let left: u64 = (n + 1..300).sum();
            let expected = PacketCount { packets: 299 - n, bytes: Bytes::new(left) };
            assert_eq!(backlog.waiting(), expected);
        }
    }

    #[test]
    fn a_backlog_that_turns_over_many_times_stays_small() {
        let at = Instant::from_nanos;
        let mut backlog = PacketBacklog::new(usize::MAX);
        for n in 0..1_000 {
            backlog.settle(at(n));
            assert!(backlog.enter(at(n), at(n + 3), Bytes::new(1)));
        }
        assert_eq!(backlog.waiting().packets, 3);
        assert!(backlog.log.len() <= 4 * SMALL, "{}", backlog.log.len());
    }

    #[test]
    fn a_full_backlog_takes_no_packet_until_one_begins_service() {
        let at = Instant::from_nanos;
        let mut backlog = PacketBacklog::new(3);
        // Two packets still wait each time: the backlog must see that by itself.
        for n in 0..1_000 {
            assert!(backlog.enter(at(10 * n), at(10 * n + 25), Bytes::new(1)));
            assert!(n < 2 || !backlog.enter(at(10 * n), at(10 * n + 25), Bytes::new(1)));
        }
    }

    #[test]
    fn times_do_not_depend_on_when_the_backlog_was_settled() {
        let at = Instant::from_nanos;
        let (mut often, mut once) =
            (PacketBacklog::new(usize::MAX), PacketBacklog::new(usize::MAX));
        for n in 0..500 {
            // Bunches that overlap, and silences.
            let came = at(7 * n + 100 * (n / 9));
            let begins = at(7 * n + 100 * (n / 9) + 13 + n % 9);
            often.settle(came);
            assert!(
                often.enter(came, begins, Bytes::new(1)) && once.enter(came, begins, Bytes::new(1))
            );
        }
        assert_eq!(often.times(at(20_000)), once.times(at(20_000)));
    }
}
