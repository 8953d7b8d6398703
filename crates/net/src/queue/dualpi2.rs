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
//! L queue:         p_L = max(k p', p'_L)
//!                  p'_L = (wait - minTh) / range        within 0 to 1; a step for a range of nothing
//! ```
//!
//! | RFC 9332 | here | unit |
//! |---|---|---|
//! | target, Tupdate | [`DualPi2Config::target`], [`DualPi2Config::update`] | time |
//! | alpha, beta | [`DualPi2Config::alpha`], [`DualPi2Config::beta`] | 1/s |
//! | k | [`DualPi2Config::coupling`] | - |
//! | minTh, range | [`DualPi2Config::step`], [`DualPi2Config::ramp`] | time |
//! | tshift | [`DualPi2Config::shift`] | time |
//! | p' | `base` | - |
//!
//! Where the appendix leaves a choice this follows its authors' `sch_dualpi2` of Linux 6.17:
//! * The scheduler is a weighted round robin by bytes: while both queues wait, a credit decides whose
//!   turn it is. The L queue's packets add the C queue's share of their size, the C queue's packets take
//!   off the L queue's. At the start the L queue goes first. With a time shift the packet that has waited
//!   longest goes first, those of the L queue counting as `tshift` older: the appendix's time-shifted FIFO.
//! * Random numbers decide, two for a square, where the appendix's recur() counts.
//! * The native L queue AQM is a step by default; the appendix has a ramp from 0.8 ms to 1.2 ms, and none for
//!   a queue of one packet, which here a ramp or step may mark.
//! * A queue of less than two packets behind the one that leaves drops and marks nothing, but for the step.
//! * Overload (k p' above 1, section 4.2): the C queue drops ECN packets too, and the L queue drops with
//!   the classic probability and marks the rest.
//! * One buffer holds both queues; an arrival that finds it full is dropped.
//! * A packet is judged when it begins to leave, as in the appendix's `dequeue`. Linux judges it earlier
//!   where a token bucket above (`sch_tbf`, `sch_htb`) looks at the next packet: a deviation that
//!   [`LinkConfig::peeks`](crate::LinkConfig::peeks) does not lift.
//!
//! Updates are made up for when the next packet comes or goes: in between only the queues' ages change.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::packet::Packet;
use crate::queue::fifo::{Dequeued, PacketFifo, Queued};
use crate::queue::proportional_integral::{Gains, Updates};
use crate::queue::{Limit, seconds};
use crate::random::Random;
use crate::stats::PacketCount;

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
    /// A packet of the L queue that waited longer than this is marked, with a ramp by chance.
    pub step: Duration,
    /// The chance to be marked climbs to 1 over this time beyond the step; zero for a step.
    pub ramp: Duration,
    /// The packet that has waited longest leaves, those of the L queue counting as so much older, in place of
    /// the shares of a rate; at most 100 s.
    pub shift: Option<Duration>,
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
            ramp: Duration::ZERO,
            shift: None,
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
        let most = Duration::from_secs(100);
        LinkError::unless(self.step <= most, "queue.step", "at most 100 s")?;
        LinkError::unless(self.ramp <= most, "queue.ramp", "at most 100 s")?;
        let shift = self.shift.unwrap_or(Duration::ZERO);
        LinkError::unless(shift <= most, "queue.shift", "at most 100 s")?;
        LinkError::unless_probability(self.classic_share, "queue.classic_share")
    }

    fn gains(&self) -> Gains {
        Gains { target: self.target, alpha: self.alpha, beta: self.beta }
    }
}

/// How long packets waited in either queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DualDelays {
    /// Of the L queue, those of scalable senders.
    pub low_latency: Histogram,
    /// Of the C queue.
    pub classic: Histogram,
}

/// Weights are in so many parts.
const PARTS: u32 = 1000;

/// DualPI2 at work.
#[derive(Clone, Debug)]
pub(crate) struct DualPi2<P> {
    classic: PacketFifo<P>,
    low_latency: PacketFifo<P>,
    control: BaseProbability,
    turns: WrrCredit,
    random: Random,
    two_packets: Bytes,
    /// Recorded waits, and the time from which they count.
    delays: Option<(Instant, DualDelays)>,
}

/// The base probability and its updates.
#[derive(Clone, Debug)]
struct BaseProbability {
    config: DualPi2Config,
    base: f64,
    delay_before: Duration,
    updates: Updates,
}

/// The turns of the two queues.
#[derive(Clone, Copy, Debug)]
struct WrrCredit {
    /// Above zero it is the C queue's turn. Bytes times parts.
    credit: i64,
    start: i64,
    /// The queues' shares of [`PARTS`].
    classic: i64,
    low_latency: i64,
}

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DualQueueSide {
    Classic,
    LowLatency,
}

/// The fate of a packet that is about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DequeueAction {
    Send,
    Mark,
    Drop,
}

impl<P: Packet> DualPi2<P> {
    pub(crate) fn new(config: &DualPi2Config, random: Random) -> Result<Self, LinkError> {
        config.validate()?;
        Ok(Self {
            classic: PacketFifo::new(),
            low_latency: PacketFifo::new(),
            control: BaseProbability {
                config: *config,
                base: 0.0,
                delay_before: Duration::ZERO,
                updates: Updates::every(config.update)?,
            },
            turns: WrrCredit::new(config),
            random,
            two_packets: config.mtu + config.mtu,
            delays: None,
        })
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        let mut waiting = self.classic.waiting();
        waiting += self.low_latency.waiting();
        waiting
    }

    pub(crate) fn limit(&self) -> Limit {
        self.control.config.limit
    }

    /// Records how long each packet waits that leaves at `from` or later.
    pub(crate) fn record_delays(&mut self, from: Instant) {
        self.delays = Some((from, DualDelays::default()));
    }

    /// The recorded waits.
    pub(crate) fn delays(&self) -> Option<&DualDelays> {
        self.delays.as_ref().map(|(_, delays)| delays)
    }

    /// Takes a packet in.
    pub(crate) fn push(&mut self, queued: Queued<P>) {
        self.catch_up(queued.arrived);
        let is_l4s = queued.packet.ecn().is_l4s();
        if is_l4s { &mut self.low_latency } else { &mut self.classic }.push(queued);
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) -> Dequeued<P> {
        self.catch_up(now);
        loop {
            let low = self.low_latency.waiting().packets > 0;
            let classic = self.classic.waiting().packets > 0;
            let side = self.next_side(low, classic);
            let line = match side {
                DualQueueSide::LowLatency => &mut self.low_latency,
                DualQueueSide::Classic => &mut self.classic,
            };
            let Some(queued) = line.pop() else {
                self.turns.credit = self.turns.start;
                return Dequeued { packet: None, marked: false };
            };
            let is_capable = queued.packet.ecn().is_capable();
            let treatment = self.treatment(side, is_capable, now.since(queued.arrived));
            if treatment == DequeueAction::Drop {
                drop(queued);
                continue;
            }
            if low && classic {
                self.turns.sent(side, queued.size);
            }
            if let Some((_, delays)) = self.delays.as_mut().filter(|(from, _)| now >= *from) {
                delays.of(side).add(now.since(queued.arrived));
            }
            let marked = treatment == DequeueAction::Mark && is_capable;
            return Dequeued { packet: Some(queued), marked };
        }
    }

    /// The queue whose packet leaves next; the C queue if there is none.
    fn next_side(&self, low: bool, classic: bool) -> DualQueueSide {
        let heads = (self.low_latency.head(), self.classic.head());
        match (self.control.config.shift, heads) {
            (Some(shift), (Some(low), Some(classic))) => {
                let is_older = low.arrived <= classic.arrived + shift;
                if is_older { DualQueueSide::LowLatency } else { DualQueueSide::Classic }
            }
            _ => self.turns.next(low, classic),
        }
    }

    /// Draws the fate of a packet that is about to leave and has waited so long.
    fn treatment(
        &mut self,
        side: DualQueueSide,
        is_capable: bool,
        waited: Duration,
    ) -> DequeueAction {
        let native = match side {
            DualQueueSide::LowLatency => self.control.native(waited),
            DualQueueSide::Classic => 0.0,
        };
        let coupled = self.coupled_treatment(side, is_capable, native);
        match coupled {
            DequeueAction::Send if native >= 1.0 => DequeueAction::Mark,
            _ => coupled,
        }
    }

    /// Draws a packet's fate by the coupled probability, or by a ramp's if that is larger.
    fn coupled_treatment(
        &mut self,
        side: DualQueueSide,
        is_capable: bool,
        native: f64,
    ) -> DequeueAction {
        let on_ramp = native > 0.0 && native < 1.0;
        if self.waiting().bytes < self.two_packets {
            let marks = on_ramp && self.random.chance(native);
            return if marks { DequeueAction::Mark } else { DequeueAction::Send };
        }
        let (base, coupled) = (self.control.base, self.control.coupled());
        let overload = coupled > 1.0;
        let low_latency = if on_ramp { coupled.max(native) } else { coupled };
        match side {
            DualQueueSide::Classic if !self.squared(base) => DequeueAction::Send,
            DualQueueSide::Classic if overload || !is_capable => DequeueAction::Drop,
            DualQueueSide::LowLatency if overload && self.squared(base) => DequeueAction::Drop,
            DualQueueSide::LowLatency if !overload && !self.random.chance(low_latency) => {
                DequeueAction::Send
            }
            _ => DequeueAction::Mark,
        }
    }

    /// True with the square of a probability.
    fn squared(&mut self, probability: f64) -> bool {
        self.random.chance(probability) && self.random.chance(probability)
    }

    fn catch_up(&mut self, now: Instant) {
        let head = |line: &PacketFifo<P>| line.head().map(|queued| queued.arrived);
        let oldest = match (head(&self.classic), head(&self.low_latency)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.control.catch_up(now, oldest);
    }
}

impl DualDelays {
    fn of(&mut self, side: DualQueueSide) -> &mut Histogram {
        match side {
            DualQueueSide::Classic => &mut self.classic,
            DualQueueSide::LowLatency => &mut self.low_latency,
        }
    }
}

impl BaseProbability {
    /// The probability with which the L queue marks, not bounded.
    fn coupled(&self) -> f64 {
        self.config.coupling * self.base
    }

    /// The probability of the L queue's own AQM for a packet that waited so long: 1 beyond a step.
    fn native(&self, waited: Duration) -> f64 {
        let (step, ramp) = (self.config.step, self.config.ramp);
        if waited <= step {
            0.0
        } else if waited - step >= ramp {
            1.0
        } else {
            seconds(waited - step) / seconds(ramp)
        }
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
        let change = self.config.gains().change(delay, self.delay_before);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.delay_before = delay;
    }
}

impl WrrCredit {
    #[expect(clippy::cast_possible_truncation, reason = "at most a thousand parts")]
    fn new(config: &DualPi2Config) -> Self {
        let classic = libm::round(config.classic_share * f64::from(PARTS)) as i64;
        let low_latency = i64::from(PARTS) - classic;
        let start = signed(config.mtu) * (classic - low_latency);
        Self { credit: start, start, classic, low_latency }
    }

    /// The queue whose packet leaves next; the C queue if neither has one.
    fn next(self, low: bool, classic: bool) -> DualQueueSide {
        if low && (!classic || self.credit <= 0) {
            DualQueueSide::LowLatency
        } else {
            DualQueueSide::Classic
        }
    }

    /// A packet leaves while both queues wait.
    fn sent(&mut self, from: DualQueueSide, size: Bytes) {
        self.credit += match from {
            DualQueueSide::LowLatency => self.classic * signed(size),
            DualQueueSide::Classic => -self.low_latency * signed(size),
        };
    }
}

/// A packet's size as a step of the credit.
fn signed(size: Bytes) -> i64 {
    i64::try_from(size.get().min(1 << 32)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
