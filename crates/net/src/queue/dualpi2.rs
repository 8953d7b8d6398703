//! Two queues coupled: low latency for scalable senders beside classic ones.
//!
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low
//! Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix A: DualPI2. Packets with
//! ECT(1) or CE wait in the L queue, all others in the C queue. One proportional integral controller moves
//! a base probability p' by the longer of the two queueing delays; the C queue drops or marks with its
//! square, and the L queue marks with k times it, so that a classic and a scalable flow get like rates.
//!
//! ```text
//! every T_update:  p' += alpha (delay - target) + beta (delay - delay before)       within 0 to 1
//! C queue:         p_C = p'^2
//! L queue:         p_L = max(k p', 1 if the packet waited longer than the step)
//! ```
//!
//! | RFC 9332 | here | unit |
//! |---|---|---|
//! | target, Tupdate | [`DualPi2Config::target`], [`DualPi2Config::update`] | time |
//! | alpha, beta | [`DualPi2Config::alpha`], [`DualPi2Config::beta`] | 1/s |
//! | k | [`DualPi2Config::coupling`] | - |
//! | minTh, with a ramp of no width | [`DualPi2Config::step`] | time |
//! | p' | `base` | - |
//!
//! Where the appendix leaves a choice this follows its authors' `sch_dualpi2` of Linux 6.17:
//! * The scheduler is a weighted round robin by bytes: while both queues wait, a credit decides whose
//!   turn it is. The L queue's packets add the C queue's share of their size, the C queue's packets take
//!   off the L queue's. At the start the L queue goes first. A time-shifted FIFO there is not.
//! * Random numbers decide, two for a square, where the appendix's recur() counts.
//! * The native L queue AQM is a step, not a ramp.
//! * A queue of less than two packets behind the one that leaves drops and marks nothing, but for the step.
//! * Overload (k p' above 1, section 4.2): the C queue drops ECN packets too, and the L queue drops with
//!   the classic probability and marks the rest.
//! * One buffer holds both queues; an arrival that finds it full is dropped.
//!
//! Updates are made up for when the next packet comes or goes: in between only the queues' ages change.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::line::{Line, Queued, Taken};
use crate::queue::proportional_integral::{Gains, Updates};
use crate::queue::{Limit, mark};
use crate::random::Random;
use crate::stats::Traffic;

/// DualPI2's parameters; the defaults are those of RFC 9332 appendix A.1 as Linux has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// How much may wait in both queues together.
    pub limit: Limit,
    /// The queueing delay that is aimed at; at most 100 s.
    pub target: Duration,
    /// The time between updates; 1 us to 100 s.
    pub update: Duration,
    /// The integral gain: a delay of a second above the target adds it in an update, in 1/s; 0 to 1000.
    pub alpha: f64,
    /// The proportional gain: a delay grown by a second adds it in an update, in 1/s; 0 to 1000.
    pub beta: f64,
    /// How many times the base probability the L queue marks with; 1 to 255.
    pub coupling: f64,
    /// A packet of the L queue that waited longer than this is marked.
    pub step: Duration,
    /// The part of the rate that the C queue is sure of while both wait; 0 to 1, taken in thousandths.
    pub classic_share: f64,
    /// The largest packet: a queue shorter than two of them is left alone.
    pub mtu: Bytes,
}

impl Default for DualPi2Config {
    fn default() -> Self {
        Self {
            limit: Limit::Packets(10_000),
            target: Duration::from_millis(15),
            update: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            step: Duration::from_millis(1),
            classic_share: 0.1,
            mtu: Bytes::new(1500),
        }
    }
}

impl DualPi2Config {
    fn validate(&self) -> Result<(), LinkError> {
        self.gains().validate()?;
        let coupled = (1.0..=255.0).contains(&self.coupling);
        LinkError::unless(coupled, "queue.coupling", "from 1 to 255")?;
        LinkError::unless(self.step <= Duration::from_secs(100), "queue.step", "at most 100 s")?;
        LinkError::unless_probability(self.classic_share, "queue.classic_share")
    }

    fn gains(&self) -> Gains {
        Gains { target: self.target, alpha: self.alpha, beta: self.beta }
    }
}

/// Weights are in so many parts.
const PARTS: u32 = 1000;

/// DualPI2 at work.
#[derive(Clone, Debug)]
pub(crate) struct DualPi2<P> {
    classic: Line<P>,
    low_latency: Line<P>,
    control: BaseProbability,
    limit: Limit,
    turns: Turns,
    random: Random,
    step: Duration,
    two_packets: Bytes,
}

/// The base probability and its updates.
#[derive(Clone, Debug)]
struct BaseProbability {
    gains: Gains,
    coupling: f64,
    base: f64,
    delay_before: Duration,
    updates: Updates,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Above zero it is the C queue's turn. Bytes times parts.
    credit: i64,
    start: i64,
    /// The queues' shares of [`PARTS`].
    classic: i64,
    low_latency: i64,
}

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Classic,
    LowLatency,
}

/// The fate of a packet that is about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Send,
    Mark,
    Drop,
}

impl<P: Packet> DualPi2<P> {
    pub(crate) fn new(config: &DualPi2Config, random: Random) -> Result<Self, LinkError> {
        config.validate()?;
        Ok(Self {
            classic: Line::new(),
            low_latency: Line::new(),
            control: BaseProbability {
                gains: config.gains(),
                coupling: config.coupling,
                base: 0.0,
                delay_before: Duration::ZERO,
                updates: Updates::every(config.update)?,
            },
            limit: config.limit,
            turns: Turns::new(config),
            random,
            step: config.step,
            two_packets: config.mtu + config.mtu,
        })
    }

    pub(crate) fn waiting(&self) -> Traffic {
        let mut waiting = self.classic.waiting();
        waiting += self.low_latency.waiting();
        waiting
    }

    pub(crate) fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes a packet in.
    pub(crate) fn push(&mut self, queued: Queued<P>) {
        self.catch_up(queued.arrived);
        let is_l4s = queued.packet.ecn().is_l4s();
        if is_l4s { &mut self.low_latency } else { &mut self.classic }.push(queued);
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut impl FnMut(Queued<P>)) -> Taken<P> {
        self.catch_up(now);
        loop {
            let low = self.low_latency.waiting().packets > 0;
            let classic = self.classic.waiting().packets > 0;
            let side = self.turns.next(low, classic);
            let line = match side {
                Side::LowLatency => &mut self.low_latency,
                Side::Classic => &mut self.classic,
            };
            let Some(mut queued) = line.pop() else {
                self.turns.credit = self.turns.start;
                return Taken { packet: None, marked: false };
            };
            let is_capable = queued.packet.ecn().is_capable();
            let mut treatment = self.treatment(side, is_capable);
            if treatment == Treatment::Send && side == Side::LowLatency {
                treatment = stepped(now.since(queued.arrived), self.step);
            }
            if treatment == Treatment::Drop {
                drop(queued);
                continue;
            }
            if low && classic {
                self.turns.sent(side, queued.size);
            }
            let marked = treatment == Treatment::Mark && mark(&mut queued.packet);
            return Taken { packet: Some(queued), marked };
        }
    }

    /// Draws the fate of a packet that is about to leave, by the coupled probabilities.
    fn treatment(&mut self, side: Side, is_capable: bool) -> Treatment {
        if self.waiting().bytes < self.two_packets {
            return Treatment::Send;
        }
        let (base, coupled) = (self.control.base, self.control.coupled());
        let overload = coupled > 1.0;
        match side {
            Side::Classic if !self.squared(base) => Treatment::Send,
            Side::Classic if overload || !is_capable => Treatment::Drop,
            Side::LowLatency if overload && self.squared(base) => Treatment::Drop,
            Side::LowLatency if !overload && !self.random.chance(coupled) => Treatment::Send,
            _ => Treatment::Mark,
        }
    }

    /// True with the square of a probability.
    fn squared(&mut self, probability: f64) -> bool {
        self.random.chance(probability) && self.random.chance(probability)
    }

    fn catch_up(&mut self, now: Instant) {
        let head = |line: &Line<P>| line.head().map(|queued| queued.arrived);
        let oldest = match (head(&self.classic), head(&self.low_latency)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.control.catch_up(now, oldest);
    }
}

impl BaseProbability {
    /// The probability with which the L queue marks, not bounded.
    fn coupled(&self) -> f64 {
        self.coupling * self.base
    }

    /// Makes up for the updates until `now`, while the oldest packet was that which came at `oldest`.
    fn catch_up(&mut self, now: Instant, oldest: Option<Instant>) {
        while let Some(at) = self.updates.due(now) {
            self.update(oldest.map_or(Duration::ZERO, |oldest| at.since(oldest)));
            if oldest.is_none() && self.base <= 0.0 {
                // Nor will the others change anything.
                self.updates.skip(now);
            }
        }
    }

    fn update(&mut self, delay: Duration) {
        let change = self.gains.change(delay, self.delay_before);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.delay_before = delay;
    }
}

impl Turns {
    #[expect(clippy::cast_possible_truncation, reason = "at most a thousand parts")]
    fn new(config: &DualPi2Config) -> Self {
        let classic = libm::round(config.classic_share * f64::from(PARTS)) as i64;
        let low_latency = i64::from(PARTS) - classic;
        let start = signed(config.mtu) * (classic - low_latency);
        Self { credit: start, start, classic, low_latency }
    }

    /// Whose packet leaves next; the C queue's if there is none.
    fn next(self, low: bool, classic: bool) -> Side {
        if low && (!classic || self.credit <= 0) { Side::LowLatency } else { Side::Classic }
    }

    /// A packet leaves while both queues wait.
    fn sent(&mut self, from: Side, size: Bytes) {
        self.credit += match from {
            Side::LowLatency => self.classic * signed(size),
            Side::Classic => -self.low_latency * signed(size),
        };
    }
}

/// A packet's size as a step of the credit.
fn signed(size: Bytes) -> i64 {
    i64::try_from(size.get().min(1 << 32)).unwrap_or(0)
}

/// The mark of the L queue's own AQM for a packet that waited so long.
fn stepped(waited: Duration, step: Duration) -> Treatment {
    if waited > step { Treatment::Mark } else { Treatment::Send }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts of packets are small")]
mod tests {
    use super::*;
    use westwood_cc::Ecn;

    #[derive(Clone, Copy, Debug)]
    struct Marked(Ecn);

    impl Packet for Marked {
        fn size(&self) -> Bytes {
            Bytes::new(1500)
        }
        fn flow(&self) -> u32 {
            0
        }
        fn ecn(&self) -> Ecn {
            self.0
        }
        fn mark_ce(&mut self) {
            self.0 = Ecn::Ce;
        }
        fn set_ecn(&mut self, ecn: Ecn) {
            self.0 = ecn;
        }
        fn pure_ack(&self) -> Option<crate::PureAck> {
            None
        }
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::from_nanos(1_000_000 * ms)
    }

    fn dualpi2(config: &DualPi2Config) -> DualPi2<Marked> {
        DualPi2::new(config, Random::new(1, "dualpi2")).expect("valid parameters")
    }

    /// A base probability that no update moves.
    fn fixed(base: f64) -> DualPi2<Marked> {
        let mut queue =
            dualpi2(&DualPi2Config { alpha: 0.0, beta: 0.0, ..DualPi2Config::default() });
        queue.control.base = base;
        queue
    }

    fn push(queue: &mut DualPi2<Marked>, now: Instant, ecn: Ecn) {
        let number = queue.waiting().packets;
        let (packet, size) = (Marked(ecn), Bytes::new(1500));
        queue.push(Queued { packet, size, number, arrived: now, is_repeat: false });
    }

    /// The shares of packets dropped and marked, of 20,000 that wait no longer than the step.
    fn shares(base: f64, ecn: Ecn) -> [f64; 2] {
        let (mut queue, n) = (fixed(base), 20_000);
        for _ in 0..n + 2 {
            push(&mut queue, Instant::ZERO, ecn);
        }
        let (mut dropped, mut marked) = (0, 0);
        while queue.waiting().packets > 2 {
            marked += u32::from(queue.take(Instant::ZERO, &mut |_| dropped += 1).marked);
        }
        [dropped, marked].map(|count| f64::from(count) / f64::from(n))
    }

    fn close(a: [f64; 2], b: [f64; 2]) -> bool {
        // Six deviations of a share of a half.
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.022)
    }

    #[test]
    fn the_base_probability_moves_as_appendix_a_says() {
        let mut control = dualpi2(&DualPi2Config::default()).control;
        let mut updated = |base: f64, delay: u64, before: u64| {
            control.base = base;
            control.delay_before = Duration::from_millis(before);
            control.update(Duration::from_millis(delay));
            control.base
        };
        // 0.16 x 10 ms + 3.2 x 5 ms
        assert!((updated(0.1, 25, 20) - (0.1 + 0.0016 + 0.016)).abs() < 1e-12);
        assert!((updated(0.1, 15, 15) - 0.1).abs() < 1e-12);
        assert!(updated(0.001, 0, 20) <= 0.0);
        assert!(updated(0.999, 1_000, 0) >= 1.0);
    }

    #[test]
    fn classic_packets_suffer_the_square_and_scalable_ones_twice_the_base() {
        assert!(close(shares(0.3, Ecn::NotEct), [0.09, 0.0]));
        assert!(close(shares(0.3, Ecn::Ect0), [0.0, 0.09]));
        assert!(close(shares(0.3, Ecn::Ect1), [0.0, 0.6]));
        assert!(close(shares(0.3, Ecn::Ce), [0.0, 0.6]));
    }

    #[test]
    fn at_overload_all_are_dropped_with_the_classic_probability() {
        // k p' = 1.2
        assert!(close(shares(0.6, Ecn::NotEct), [0.36, 0.0]));
        assert!(close(shares(0.6, Ecn::Ect0), [0.36, 0.0]));
        assert!(close(shares(0.6, Ecn::Ect1), [0.36, 0.64]));
    }

    #[test]
    fn a_scalable_packet_that_waits_longer_than_the_step_is_marked_whatever_the_base() {
        for (waited, marked) in [(1_000_000, false), (1_000_001, true)] {
            for ecn in [Ecn::Ect1, Ecn::Ect0] {
                let mut queue = fixed(0.0);
                push(&mut queue, Instant::ZERO, ecn);
                let taken = queue.take(Instant::from_nanos(waited), &mut |_| ());
                assert_eq!(taken.marked, marked && ecn == Ecn::Ect1, "{ecn:?} {waited}");
            }
        }
    }

    #[test]
    fn the_low_latency_queue_goes_first_and_the_classic_one_has_a_tenth() {
        let mut queue = fixed(0.0);
        for _ in 0..1_000 {
            push(&mut queue, Instant::ZERO, Ecn::NotEct);
            push(&mut queue, Instant::ZERO, Ecn::Ect1);
        }
        let taken = (0..1_000).map(|_| queue.take(Instant::ZERO, &mut |_| ()).packet);
        let classic: Vec<_> =
            taken.map(|packet| packet.is_some_and(|it| it.packet.0 == Ecn::NotEct)).collect();
        // The credit begins at 1500 x (10 % - 90 %), and a packet adds 1500 x 10 %.
        assert_eq!(classic.iter().position(|&is_classic| is_classic), Some(9));
        let share = classic.iter().filter(|&&is_classic| is_classic).count() as f64 / 1_000.0;
        assert!((share - 0.1).abs() < 0.003, "{share}");
    }

    #[test]
    fn the_older_head_of_both_queues_is_the_delay() {
        let config = DualPi2Config { alpha: 1.0, beta: 0.0, ..DualPi2Config::default() };
        let mut queue = dualpi2(&config);
        push(&mut queue, at_ms(1), Ecn::NotEct);
        push(&mut queue, at_ms(7), Ecn::Ect1);
        // Updates at 16, 32 and 48 ms: 15, 31 and 47 ms old, 15 ms of which are the target.
        queue.catch_up(at_ms(48));
        assert!((queue.control.base - 0.048).abs() < 1e-12, "{}", queue.control.base);
    }
}
