//! Queues: which packets wait, which are dropped, which are marked.
//!
//! Every limit counts packets that wait; the one in the transmitter does not.

mod cake;
mod cobalt;
mod codel;
mod dualpi2;
mod fifo;
mod flow_queues;
mod fq_codel;
mod fq_pie;
mod peekable_queue;
mod pie;
mod proportional_integral;
mod red;
mod round_robin;
#[cfg(test)]
pub(crate) mod testing;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::packet::Packet;
use crate::random::Random;
use crate::stats::PacketCount;

use cake::Cake;
use cobalt::Cobalt;
use codel::CoDel;
use dualpi2::DualPi2;
use fifo::{Dequeued, PacketFifo};
use fq_codel::FqCoDel;
use fq_pie::FqPie;
use peekable_queue::PeekableQueue;
use pie::Pie;

pub(crate) use fifo::Queued;

pub use cake::CakeConfig;
pub use cobalt::CobaltConfig;
pub use codel::{CeThreshold, CoDelConfig, InverseRoot};
pub use dualpi2::{DualDelays, DualPi2Config};
pub use fq_codel::FqCoDelConfig;
pub use fq_pie::FqPieConfig;
pub use pie::PieConfig;
pub use red::{RedConfig, RedDraw, RedUnit};

/// A queueing discipline and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// First in, first out; a packet that finds the queue full is dropped.
    DropTail(Limit),
    /// Drop-tail that marks ECN packets beyond a threshold.
    Threshold(ThresholdConfig),
    /// Random early detection.
    Red(RedConfig),
    /// Controlled delay.
    CoDel(CoDelConfig),
    /// Controlled delay with a queue for each flow.
    FqCoDel(FqCoDelConfig),
    /// Proportional integral controller, enhanced.
    Pie(PieConfig),
    /// Proportional integral controller, enhanced, with a queue for each flow.
    FqPie(FqPieConfig),
    /// Two coupled queues, for scalable senders and for classic ones.
    DualPi2(DualPi2Config),
    /// CoDel and BLUE.
    Cobalt(CobaltConfig),
    /// CoDel and BLUE with a queue for each flow.
    Cake(CakeConfig),
}

impl QueueConfig {
    /// True if the discipline decides on arrival alone and takes packets in their order.
    pub(crate) fn on_arrival(&self) -> bool {
        match self {
            Self::Threshold(c) => matches!(c.mark_above, MarkAbove::Packets(_)),
            other => matches!(other, Self::DropTail(_) | Self::Red(_)),
        }
    }

    /// True if the discipline draws random numbers.
    pub fn draws(&self) -> bool {
        !matches!(self, Self::DropTail(_) | Self::Threshold(_) | Self::CoDel(_))
    }

    /// True if the discipline marks packets that can be marked, where it would else drop them.
    pub fn marks(&self) -> bool {
        match self {
            Self::DropTail(_) => false,
            Self::Threshold(_) | Self::DualPi2(_) => true,
            Self::Red(c) => c.ecn,
            Self::CoDel(c) => c.ecn || c.ce_threshold.is_some(),
            Self::FqCoDel(c) => c.ecn || c.ce_threshold.is_some(),
            Self::Pie(c) => c.ecn,
            Self::FqPie(c) => c.pie.ecn,
            Self::Cobalt(c) => c.ecn,
            Self::Cake(c) => c.ecn,
        }
    }

    /// How much may wait.
    pub fn limit(&self) -> Limit {
        match self {
            Self::DropTail(limit) => *limit,
            Self::Threshold(c) => c.limit,
            Self::Red(c) => c.limit,
            Self::CoDel(c) => c.limit,
            Self::FqCoDel(c) => c.limit,
            Self::Pie(c) => c.limit,
            Self::FqPie(c) => c.pie.limit,
            Self::DualPi2(c) => c.limit,
            Self::Cobalt(c) => c.limit,
            Self::Cake(c) => c.limit,
        }
    }
}

/// How much may wait, beside the packet in the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(Bytes),
    /// Any amount.
    Unlimited,
}

impl Limit {
    /// True if a packet of `size` fits beside those that wait.
    pub(crate) fn admits(self, waiting: PacketCount, size: Bytes) -> bool {
        match self {
            Self::Packets(n) => waiting.packets < n,
            Self::Bytes(n) => waiting.bytes + size <= n,
            Self::Unlimited => true,
        }
    }

    /// True if more waits than may.
    pub(crate) fn is_exceeded(self, waiting: PacketCount) -> bool {
        match self {
            Self::Packets(n) => waiting.packets > n,
            Self::Bytes(n) => waiting.bytes > n,
            Self::Unlimited => false,
        }
    }
}

/// Drop-tail with a marking threshold on the instantaneous queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdConfig {
    /// How much may wait.
    pub limit: Limit,
    /// Beyond this an ECN packet is marked.
    pub mark_above: MarkAbove,
}

/// A marking threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkAbove {
    /// An arriving packet that finds more packets waiting than this is marked: K of M. Alizadeh and others,
    /// "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1.
    Packets(u64),
    /// A packet that has waited longer than this when its transmission begins is marked: the step of
    /// RFC 9332 section 2.4 and of `ce_threshold` in Linux's CoDel.
    Wait(Duration),
}

/// The queue as an arriving packet finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) now: Instant,
    /// Packets that wait.
    pub(crate) waiting: PacketCount,
    /// The transmitter takes the packet at once.
    pub(crate) free: bool,
    /// Since when there has been nothing to send; `None` if there is something.
    pub(crate) idle_since: Option<Instant>,
    pub(crate) size: Bytes,
    pub(crate) ect: bool,
}

/// The fate of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Take,
    Mark,
    Drop(DropCause),
}

/// The disciplines that decide on arrival alone. They need no event when a packet leaves.
#[derive(Clone, Debug)]
pub(crate) enum Admission {
    DropTail(Limit),
    Threshold(Limit, u64),
    Red(Box<red::Red>),
}

impl Admission {
    /// The discipline; [`QueueConfig::on_arrival`] holds for it.
    pub(crate) fn new(config: &QueueConfig, random: Random) -> Result<Self, LinkError> {
        Ok(match config {
            QueueConfig::Threshold(ThresholdConfig {
                limit,
                mark_above: MarkAbove::Packets(k),
            }) => Self::Threshold(*limit, *k),
            QueueConfig::Red(c) => Self::Red(Box::new(red::Red::new(c, random)?)),
            _ => Self::DropTail(config.limit()),
        })
    }

    /// Tells the rate at which packets leave.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        if let Self::Red(red) = self {
            red.set_rate(rate);
        }
    }

    /// Judges an arriving packet.
    #[inline]
    pub(crate) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        match self {
            Self::DropTail(limit) => fits(*limit, arrival),
            Self::Threshold(limit, k) => match fits(*limit, arrival) {
                Verdict::Take if arrival.ect && arrival.waiting.packets > *k => Verdict::Mark,
                verdict => verdict,
            },
            Self::Red(red) => red.judge(arrival),
        }
    }
}

/// Full or not. A packet that finds the transmitter free need not wait and always fits.
pub(crate) fn fits(limit: Limit, arrival: &Arrival) -> Verdict {
    if arrival.free || limit.admits(arrival.waiting, arrival.size) {
        Verdict::Take
    } else {
        Verdict::Drop(DropCause::Overflow)
    }
}

/// A queue that holds its packets until they are taken.
#[derive(Debug)]
pub(crate) enum Queue<P> {
    PacketFifo(PacketFifo<P>, Admission),
    CoDel(PacketFifo<P>, CoDel, Limit),
    FqCoDel(FqCoDel<P>),
    Pie(PacketFifo<P>, Pie),
    FqPie(Box<FqPie<P>>),
    DualPi2(Box<DualPi2<P>>),
    Cobalt(PacketFifo<P>, Cobalt),
    Cake(Box<Cake<P>>),
    /// Its next packet is taken out when the one before begins to leave.
    Peekable(Box<PeekableQueue<P>>),
    /// Marks what has waited longer than this.
    Step(PacketFifo<P>, Duration, Limit),
}

impl<P: Packet> Queue<P> {
    pub(crate) fn new(config: &QueueConfig, mut random: Random) -> Result<Self, LinkError> {
        Ok(match config {
            QueueConfig::CoDel(c) => Self::CoDel(PacketFifo::new(), CoDel::new(c)?, c.limit),
            QueueConfig::FqCoDel(c) => Self::FqCoDel(FqCoDel::new(c, random.next_u64())?),
            QueueConfig::Pie(c) => Self::Pie(PacketFifo::new(), Pie::new(c, random)?),
            QueueConfig::FqPie(c) => Self::FqPie(Box::new(FqPie::new(c, random)?)),
            QueueConfig::DualPi2(c) => Self::DualPi2(Box::new(DualPi2::new(c, random)?)),
            QueueConfig::Cobalt(c) => Self::Cobalt(PacketFifo::new(), Cobalt::new(c, random)?),
            QueueConfig::Cake(c) => Self::Cake(Box::new(Cake::new(c, random)?)),
            QueueConfig::Threshold(ThresholdConfig {
                limit,
                mark_above: MarkAbove::Wait(step),
            }) => Self::Step(PacketFifo::new(), *step, *limit),
            QueueConfig::DropTail(_) | QueueConfig::Threshold(_) | QueueConfig::Red(_) => {
                Self::PacketFifo(PacketFifo::new(), Admission::new(config, random)?)
            }
        })
    }

    /// The same queue, from which the next packet is taken when the one before begins to leave, if it
    /// is CoDel or PIE, or one of these for each flow.
    pub(crate) fn peeking(self) -> Self {
        match self {
            Self::CoDel(..) | Self::FqCoDel(_) | Self::Pie(..) | Self::FqPie(_) => {
                Self::Peekable(Box::new(PeekableQueue::new(self)))
            }
            other => other,
        }
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        match self {
            Self::PacketFifo(line, _)
            | Self::CoDel(line, ..)
            | Self::Pie(line, _)
            | Self::Cobalt(line, _)
            | Self::Step(line, ..) => line.waiting(),
            Self::FqCoDel(fq) => fq.waiting(),
            Self::FqPie(fq) => fq.waiting(),
            Self::DualPi2(dual) => dual.waiting(),
            Self::Cake(cake) => cake.waiting(),
            Self::Peekable(peeking) => peeking.waiting(),
        }
    }

    /// Records how long each packet waits in either of two queues, if there are two.
    pub(crate) fn record_delays(&mut self, from: Instant) {
        if let Self::DualPi2(dual) = self {
            dual.record_delays(from);
        }
    }

    /// The recorded waits of two queues.
    pub(crate) fn dual_delays(&self) -> Option<&DualDelays> {
        match self {
            Self::DualPi2(dual) => dual.delays(),
            _ => None,
        }
    }

    /// Tells the rate at which packets leave.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        match self {
            Self::PacketFifo(_, admission) => admission.set_rate(rate),
            Self::Cobalt(_, cobalt) => cobalt.set_rate(rate),
            Self::Cake(cake) => cake.set_rate(rate),
            _ => {}
        }
    }

    /// Judges an arriving packet of this flow.
    pub(crate) fn judge(&mut self, arrival: &Arrival, flow: u32) -> Verdict {
        match self {
            Self::PacketFifo(_, admission) => admission.judge(arrival),
            Self::CoDel(_, _, limit) | Self::Step(_, _, limit) => fits(*limit, arrival),
            Self::FqCoDel(_) | Self::Cobalt(..) | Self::Cake(_) => Verdict::Take,
            Self::Pie(_, pie) => pie.judge(arrival),
            Self::FqPie(fq) => fq.judge(arrival, flow),
            Self::Peekable(peeking) => peeking.queue.judge(arrival, flow),
            Self::DualPi2(dual) => fits(dual.limit(), arrival),
        }
    }

    /// Takes in a packet that was not dropped; what must make room goes to `drop`.
    pub(crate) fn push(&mut self, queued: Queued<P>, free: bool, drop: &mut dyn FnMut(Queued<P>)) {
        match self {
            Self::PacketFifo(line, _)
            | Self::CoDel(line, ..)
            | Self::Pie(line, _)
            | Self::Step(line, ..) => line.push(queued),
            Self::FqCoDel(fq) => fq.push(queued, free, drop),
            Self::FqPie(fq) => fq.push(queued),
            Self::DualPi2(dual) => dual.push(queued),
            Self::Cobalt(line, cobalt) => cobalt.push(queued, line, free, drop),
            Self::Cake(cake) => cake.push(queued, free, drop),
            Self::Peekable(peeking) => peeking.push(queued, free, drop),
        }
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) -> Dequeued<P> {
        match self {
            Self::PacketFifo(line, _) => Dequeued { packet: line.pop(), marked: false },
            Self::CoDel(line, codel, _) => codel.take(now, line, Bytes::ZERO, drop),
            Self::FqCoDel(fq) => fq.take(now, drop),
            Self::Pie(line, pie) => pie.take(now, line),
            Self::FqPie(fq) => fq.take(now),
            Self::DualPi2(dual) => dual.take(now, drop),
            Self::Cobalt(line, cobalt) => cobalt.take(now, line, drop),
            Self::Cake(cake) => cake.take(now, drop),
            Self::Peekable(peeking) => peeking.take(now, drop),
            Self::Step(line, step, _) => {
                let packet = line.pop();
                let marked =
                    packet.as_ref().is_some_and(|q| now.since(q.arrived) > *step && takes_mark(q));
                Dequeued { packet, marked }
            }
        }
    }
}

/// A duration for the controllers, whose gains are per second.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn seconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e9
}

/// True if a mark can stand for the drop of a packet. It is written to the packet as that leaves the link's
/// queue, where another ACK may have taken the place.
pub(crate) fn takes_mark<P: Packet>(queued: &Queued<P>) -> bool {
    queued.packet.ecn().is_capable()
}
