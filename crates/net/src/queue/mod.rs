//! Queues: which packets wait, which are dropped, which are marked.
//!
//! Every limit counts packets that wait; the one in the transmitter does not.

mod codel;
mod fq_codel;
mod line;
mod red;

use westwood_cc::{Bytes, Instant, Rate};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::packet::Packet;
use crate::random::Random;
use crate::stats::Traffic;

use codel::CoDel;
use fq_codel::FqCoDel;
use line::{Line, Taken};

pub(crate) use line::Queued;

pub use codel::CoDelConfig;
pub use fq_codel::FqCoDelConfig;
pub use red::{RedConfig, RedUnit};

/// A queueing discipline and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// First in, first out; a packet that finds the queue full is dropped.
    DropTail(Limit),
    /// Drop-tail that marks ECN packets from a threshold on.
    Threshold(ThresholdConfig),
    /// Random early detection.
    Red(RedConfig),
    /// Controlled delay.
    CoDel(CoDelConfig),
    /// Controlled delay with a queue for each flow.
    FqCoDel(FqCoDelConfig),
}

impl QueueConfig {
    /// True if the discipline decides on arrival alone and takes packets in their order.
    pub(crate) fn on_arrival(&self) -> bool {
        !matches!(self, Self::CoDel(_) | Self::FqCoDel(_))
    }

    /// How much may wait.
    pub fn limit(&self) -> Limit {
        match self {
            Self::DropTail(limit) => *limit,
            Self::Threshold(c) => c.limit,
            Self::Red(c) => c.limit,
            Self::CoDel(c) => c.limit,
            Self::FqCoDel(c) => c.limit,
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
    pub(crate) fn admits(self, waiting: Traffic, size: Bytes) -> bool {
        match self {
            Self::Packets(n) => waiting.packets < n,
            Self::Bytes(n) => waiting.bytes + size <= n,
            Self::Unlimited => true,
        }
    }

    /// True if more waits than may.
    pub(crate) fn is_exceeded(self, waiting: Traffic) -> bool {
        match self {
            Self::Packets(n) => waiting.packets > n,
            Self::Bytes(n) => waiting.bytes > n,
            Self::Unlimited => false,
        }
    }
}

/// Drop-tail with a marking threshold on the instantaneous queue: M. Alizadeh and others, "Data
/// Center TCP (DCTCP)", SIGCOMM 2010, section 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdConfig {
    /// How much may wait.
    pub limit: Limit,
    /// DCTCP's K: an arriving ECN packet that finds more packets waiting than this is marked.
    pub mark_above: u64,
}

/// What an arriving packet finds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) now: Instant,
    /// Packets that wait.
    pub(crate) waiting: Traffic,
    /// The transmitter takes the packet at once.
    pub(crate) free: bool,
    /// Since when there has been nothing to send; `None` if there is something.
    pub(crate) idle_since: Option<Instant>,
    pub(crate) size: Bytes,
    pub(crate) ect: bool,
}

/// What becomes of an arriving packet.
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
    Threshold(ThresholdConfig),
    Red(Box<red::Red>),
}

impl Admission {
    /// The discipline; [`QueueConfig::on_arrival`] holds for it.
    pub(crate) fn new(config: &QueueConfig, random: Random) -> Result<Self, LinkError> {
        Ok(match config {
            QueueConfig::Threshold(c) => Self::Threshold(*c),
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
            Self::Threshold(c) => match fits(c.limit, arrival) {
                Verdict::Take if arrival.ect && arrival.waiting.packets > c.mark_above => {
                    Verdict::Mark
                }
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
    Line(Line<P>, Admission),
    CoDel(Line<P>, CoDel, Limit),
    FqCoDel(FqCoDel<P>),
}

impl<P: Packet> Queue<P> {
    pub(crate) fn new(config: &QueueConfig, mut random: Random) -> Result<Self, LinkError> {
        Ok(match config {
            QueueConfig::CoDel(c) => Self::CoDel(Line::new(), CoDel::new(c)?, c.limit),
            QueueConfig::FqCoDel(c) => Self::FqCoDel(FqCoDel::new(c, random.next_u64())?),
            QueueConfig::DropTail(_) | QueueConfig::Threshold(_) | QueueConfig::Red(_) => {
                Self::Line(Line::new(), Admission::new(config, random)?)
            }
        })
    }

    pub(crate) fn waiting(&self) -> Traffic {
        match self {
            Self::Line(line, _) | Self::CoDel(line, ..) => line.waiting(),
            Self::FqCoDel(fq) => fq.waiting(),
        }
    }

    /// Tells the rate at which packets leave.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        if let Self::Line(_, admission) = self {
            admission.set_rate(rate);
        }
    }

    /// Judges an arriving packet.
    pub(crate) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        match self {
            Self::Line(_, admission) => admission.judge(arrival),
            Self::CoDel(_, _, limit) => fits(*limit, arrival),
            Self::FqCoDel(_) => Verdict::Take,
        }
    }

    /// Takes in a packet that was not dropped; what must make room goes to `drop`.
    pub(crate) fn push(&mut self, queued: Queued<P>, free: bool, drop: &mut impl FnMut(Queued<P>)) {
        match self {
            Self::Line(line, _) | Self::CoDel(line, ..) => line.push(queued),
            Self::FqCoDel(fq) => fq.push(queued, free, drop),
        }
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut impl FnMut(Queued<P>)) -> Taken<P> {
        match self {
            Self::Line(line, _) => Taken { packet: line.pop(), marked: false },
            Self::CoDel(line, codel, _) => codel.take(now, line, drop),
            Self::FqCoDel(fq) => fq.take(now, drop),
        }
    }
}

/// Marks a packet if its transport understands.
pub(crate) fn mark<P: Packet>(packet: &mut P) -> bool {
    let is_capable = packet.ecn().is_capable();
    if is_capable {
        packet.mark_ce();
    }
    is_capable
}
