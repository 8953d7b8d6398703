//! CoDel and BLUE together: the queue management of CAKE.
//!
//! T. Hoeiland-Joergensen, D. Taht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution
//! for Home Gateways", IEEE LANMAN 2018, section 3.3, and Linux's `sch_cake`, which this follows. The queue
//! `cobalt` is one of CAKE's alone; [`CakeConfig`](super::CakeConfig) has many of them.
//!
//! CoDel's part acts when packets leave. It needs no packet to enter: the interval is both the time for which
//! the target may be exceeded and the scale of the control law, and `count` falls back in the same steps in
//! which it rose. BLUE's part (W. Feng and others, "BLUE: A New Class of Active Queue Management Algorithms",
//! 1999) answers what does not answer CoDel: a probability rises at each overflow and falls when the queue is
//! found empty, each at most once a target. BLUE drops and never marks, whatever the transport understands.
//!
//! | `sch_cake` | here | unit |
//! |---|---|---|
//! | target, interval | [`CobaltConfig::target`], [`CobaltConfig::interval`] | time |
//! | p_inc, p_dec | 1/256, 1/4096 | - |
//! | mtu_time | `mtu_time` | time |
//! | count, drop_next, dropping, blue_timer | of the same names | - |
//! | p_drop | `blue` | 2^-32 |
//!
//! The control law is `t + interval / sqrt(count)`, rounded down to nanoseconds, where the kernel's
//! reciprocal root has 32 bits. A packet that finds the queue full costs the packet at the head. The last
//! packet that waits may be marked, and is not dropped.
//!
//! The kernel leaves the reciprocal root of a new queue at zero until its count first changes, so that its
//! very first signal comes with the second packet above the target, and not an interval later. This is
//! followed: it ends slow starts early, and costs one flow alone on a long path much of its goodput.
//!
//! On a slow link the target is at least one and a half packets' time, the interval grows by as much as the
//! target does, and is at least twice as long (`cake_set_rate`).

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::fifo::{Dequeued, PacketFifo, Queued};
use crate::queue::{Limit, takes_mark};
use crate::random::Random;

/// COBALT's parameters. By default target, interval and marks are CAKE's; the limit is a number of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CobaltConfig {
    /// How much may wait.
    pub limit: Limit,
    /// The wait that is acceptable; at least four packets' time on the link counts as such, too.
    pub target: Duration,
    /// How long it may be exceeded.
    pub interval: Duration,
    /// The largest packet.
    pub mtu: Bytes,
    /// Mark packets that understand ECN where CoDel drops others.
    pub ecn: bool,
}

impl Default for CobaltConfig {
    fn default() -> Self {
        Self {
            limit: Limit::Packets(10_240),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: Bytes::new(1500),
            ecn: true,
        }
    }
}

/// The step of BLUE's probability in 2^-32: an overflow adds it, an empty queue takes it off.
const RISE: u32 = 1 << 24;
const FALL: u32 = 1 << 20;

/// COBALT at work.
#[derive(Clone, Debug)]
pub(crate) struct Cobalt {
    config: CobaltConfig,
    random: Random,
    /// The target and the interval at the link's rate, and the time of the largest packet.
    target: Duration,
    interval: Duration,
    mtu_time: Duration,
    count: u64,
    dropping: bool,
    drop_next: Instant,
    /// The count has never changed: the kernel's root is zero.
    is_new: bool,
    blue: u32,
    blue_timer: Instant,
}

impl Cobalt {
    pub(crate) fn new(config: &CobaltConfig, random: Random) -> Result<Self, LinkError> {
        let bounded = !config.interval.is_zero() && config.interval <= Duration::from_secs(100);
        LinkError::unless(bounded, "queue.interval", "more than zero and at most 100 s")?;
        let bounded = !config.target.is_zero() && config.target <= config.interval;
        LinkError::unless(bounded, "queue.target", "more than zero and at most the interval")?;
        Ok(Self {
            config: *config,
            random,
            target: config.target,
            interval: config.interval,
            mtu_time: Duration::ZERO,
            count: 0,
            dropping: false,
            drop_next: Instant::ZERO,
            is_new: true,
            blue: 0,
            blue_timer: Instant::ZERO,
        })
    }

    /// The same, with random numbers of its own.
    pub(crate) fn with_draws(&self, random: Random) -> Self {
        Self { random, ..self.clone() }
    }

    /// Tells the rate at which packets leave.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        let nanos = (u128::from(self.config.mtu.get()) << 16) * 1_000_000_000
            / u128::from(rate.raw().max(1));
        self.mtu_time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        let CobaltConfig { target, interval, .. } = self.config;
        self.target = target.max(self.mtu_time * 3 / 2);
        self.interval = (interval + (self.target - target)).max(self.target * 2);
    }

    /// Takes a packet in; what must go instead goes to `drop`. Nothing must if the transmitter is free to
    /// take the packet at once.
    pub(crate) fn push<P: Packet>(
        &mut self,
        queued: Queued<P>,
        line: &mut PacketFifo<P>,
        free: bool,
        drop: &mut dyn FnMut(Queued<P>),
    ) {
        let now = queued.arrived;
        line.push(queued);
        while !free && self.config.limit.is_exceeded(line.waiting()) {
            self.overflows(now);
            line.pop().into_iter().for_each(&mut *drop);
        }
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`.
    pub(crate) fn take<P: Packet>(
        &mut self,
        now: Instant,
        line: &mut PacketFifo<P>,
        drop: &mut dyn FnMut(Queued<P>),
    ) -> Dequeued<P> {
        while let Some(queued) = line.pop() {
            let waited = now.since(queued.arrived);
            let (marks, late) = self.signals(now, waited);
            let marked = marks && self.config.ecn && takes_mark(&queued);
            let dropped = self.blue_takes() || (marks && !marked);
            self.keep_time(now, late && !dropped);
            if !dropped || line.waiting().packets == 0 {
                return Dequeued { packet: Some(queued), marked };
            }
            drop(queued);
        }
        self.is_empty(now);
        Dequeued { packet: None, marked: false }
    }

    /// True if nothing is left of earlier congestion.
    pub(crate) fn is_at_rest(&self, now: Instant) -> bool {
        self.blue == 0 && self.count == 0 && now >= self.drop_next
    }

    /// Whether CoDel's part marks or drops a packet that waited so long, and whether the schedule is late
    /// then. A schedule that begins here does not change whether it was late.
    fn signals(&mut self, now: Instant, waited: Duration) -> (bool, bool) {
        let (is_due, mut late) = (self.is_due(now), now > self.drop_next);
        if waited > self.target && waited > self.mtu_time * 4 {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.after(now);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if is_due && self.dropping {
            self.count += 1;
            self.is_new = false;
            self.drop_next = self.after(self.drop_next);
            return (true, now > self.drop_next);
        }
        // Due by the schedule as it was; the first step back is taken whatever it is now.
        let mut falls = is_due;
        while falls {
            self.falls_back();
            (falls, late) = (self.is_due(now), now > self.drop_next);
        }
        (false, late)
    }

    fn is_due(&self, now: Instant) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    fn falls_back(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.is_new = false;
        self.drop_next = self.after(self.drop_next);
    }

    /// Without a count the schedule is a timeout; otherwise a packet that `passes_late` moves it up to now.
    fn keep_time(&mut self, now: Instant, passes_late: bool) {
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if passes_late {
            self.drop_next = now;
        }
    }

    /// The control law, with 1 for no count.
    fn after(&self, t: Instant) -> Instant {
        if self.is_new {
            return t;
        }
        let interval = u128::from(self.interval.as_nanos());
        let step = (interval * interval / u128::from(self.count.max(1))).isqrt();
        t + Duration::from_nanos(u64::try_from(step).unwrap_or(u64::MAX))
    }

    fn blue_takes(&mut self) -> bool {
        self.blue > 0 && self.random.below(1 << 32) < u64::from(self.blue)
    }

    /// The queue is full: the packet at its head is dropped.
    pub(crate) fn overflows(&mut self, now: Instant) {
        if now.since(self.blue_timer) > self.target {
            self.blue = self.blue.saturating_add(RISE);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was to be served and is empty.
    pub(crate) fn is_empty(&mut self, now: Instant) {
        if self.blue > 0 && now.since(self.blue_timer) > self.target {
            self.blue = self.blue.saturating_sub(FALL);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.is_due(now) {
            self.falls_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::TestPacket;
    use westwood_cc::Ecn;

    fn at_ms(ms: u64) -> Instant {
        Instant::from_nanos(1_000_000 * ms)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn cobalt() -> Cobalt {
        let mut cobalt =
            Cobalt::new(&CobaltConfig::default(), Random::new(1, "cobalt")).expect("valid");
        cobalt.is_new = false;
        cobalt.set_rate(Rate::from_bits_per_s(12_000_000));
        cobalt
    }

    /// The milliseconds at which packets that all waited 20 ms are signalled, one leaving each millisecond.
    fn signals(cobalt: &mut Cobalt, from: u64, to: u64) -> Vec<u64> {
        let mut leaves = |&ms: &u64| {
            let (hit, late) = cobalt.signals(at_ms(ms), Duration::from_millis(20));
            cobalt.keep_time(at_ms(ms), late && !hit);
            hit
        };
        (from..to).filter(|ms| leaves(ms)).collect()
    }

    #[test]
    fn signals_come_after_an_interval_and_then_by_the_control_law() {
        // 1100 + 100/sqrt(2) = 1170.7, + 100/sqrt(3) = 1228.4, + 50 = 1278.4, + 44.7 = 1323.2: at the first
        // departure from then on.
        let mut cobalt = cobalt();
        cobalt.keep_time(at_ms(900), false);
        assert_eq!(signals(&mut cobalt, 1_000, 1_330), [1_100, 1_171, 1_229, 1_279, 1_324]);
    }

    #[test]
    fn the_first_signal_of_a_new_queue_comes_with_its_second_late_packet() {
        let mut cobalt = cobalt();
        cobalt.is_new = true;
        cobalt.keep_time(at_ms(900), false);
        // From 1001 ms on by the control law: 100/sqrt(2), 100/sqrt(3).
        assert_eq!(signals(&mut cobalt, 1_000, 1_150), [1_001, 1_071, 1_129]);
    }

    #[test]
    fn a_short_wait_ends_the_signals_and_the_count_falls_back_in_steps() {
        let mut cobalt = cobalt();
        cobalt.keep_time(at_ms(900), false);
        signals(&mut cobalt, 1_000, 1_330);
        assert_eq!(cobalt.count, 6);
        // Due at 1364 ms, and then after 100/sqrt(5), 50, 57.7 and 70.7 ms.
        let mut counts = Vec::new();
        for ms in [1_340, 1_364, 1_410, 1_460, 1_518, 1_589] {
            let (hit, late) = cobalt.signals(at_ms(ms), Duration::from_millis(5));
            assert!(!hit);
            cobalt.keep_time(at_ms(ms), late);
            counts.push(cobalt.count);
        }
        assert_eq!(counts, [6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn a_slow_link_raises_the_target_to_a_packet_and_a_half_and_the_interval_with_it() {
        let mut cobalt = cobalt();
        assert_eq!((cobalt.target, cobalt.interval), (ms(5), ms(100)));
        // A packet takes 12 ms, and 60 ms.
        cobalt.set_rate(Rate::from_bits_per_s(1_000_000));
        assert_eq!((cobalt.target, cobalt.interval), (ms(18), ms(113)));
        cobalt.set_rate(Rate::from_bits_per_s(100_000));
        assert_eq!((cobalt.target, cobalt.interval), (ms(180), ms(360)));
    }

    #[test]
    fn four_packets_on_a_slow_link_are_no_long_wait() {
        let mut cobalt = cobalt();
        // A packet takes 12 ms.
        cobalt.set_rate(Rate::from_bits_per_s(1_000_000));
        cobalt.signals(at_ms(1_000), Duration::from_millis(48));
        assert!(!cobalt.dropping);
        cobalt.signals(at_ms(1_000), Duration::from_millis(49));
        assert!(cobalt.dropping);
    }

    #[test]
    fn blue_rises_by_a_256th_at_overflows_and_falls_by_a_4096th_when_empty_once_a_target() {
        let mut cobalt = cobalt();
        for ms in [10, 12, 15, 16, 21, 22] {
            cobalt.overflows(at_ms(ms));
        }
        // At 10, 16 and 22 ms: more than 5 ms apart.
        assert_eq!(cobalt.blue, 3 << 24);
        for ms in [26, 28, 33, 34] {
            cobalt.is_empty(at_ms(ms));
        }
        assert_eq!(cobalt.blue, (3 << 24) - (2 << 20));
        let hits = (0..100_000).filter(|_| cobalt.blue_takes()).count();
        // 1.12 % of them; six deviations.
        assert!((920..=1_330).contains(&hits), "{hits}");
    }

    /// Packets dropped when so many wait that came 100 ms before and a signal is due, and whether the one
    /// that leaves is marked.
    fn signalled(ecn: Ecn, waiting: u64) -> (u32, bool) {
        let (mut cobalt, mut line, mut dropped) = (cobalt(), PacketFifo::new(), 0);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (1, true, at_ms(1_000));
        for _ in 0..waiting {
            line.push(TestPacket { flow: 0, ecn }.queued(at_ms(900)));
        }
        let taken = cobalt.take(at_ms(1_000), &mut line, &mut |_| dropped += 1);
        assert!(taken.packet.is_some());
        (dropped, taken.marked)
    }

    #[test]
    fn a_signal_marks_what_understands_and_drops_others_unless_the_queue_would_be_empty() {
        // `cobalt_should_drop`, and `cake_dequeue`'s last packet.
        assert_eq!(signalled(Ecn::Ect0, 3), (0, true));
        assert_eq!(signalled(Ecn::NotEct, 3), (1, false));
        assert_eq!(signalled(Ecn::NotEct, 1), (0, false));
    }

    #[test]
    fn blue_falls_when_the_transmitter_finds_the_queue_empty() {
        let mut cobalt = cobalt();
        cobalt.overflows(at_ms(10));
        let taken = cobalt.take(at_ms(20), &mut PacketFifo::<TestPacket>::new(), &mut |_| ());
        assert!(taken.packet.is_none());
        assert_eq!(cobalt.blue, RISE - FALL);
    }
}
