//! How a link is described.

use std::sync::Arc;

use westwood_cc::{Bytes, Duration, Rate};

use crate::error::LinkError;
use crate::jitter::Jitter;
use crate::link::ack_filter::AckFilterConfig;
use crate::link::arq::ArqConfig;
use crate::link::ecn_path::EcnPath;
use crate::link::fec::FecConfig;
use crate::link::policer::PolicerConfig;
use crate::link::reorder::ReorderConfig;
use crate::link::server::BurstConfig;
use crate::loss::LossConfig;
use crate::queue::{Limit, QueueConfig};
use crate::schedule::{Change, LinkChange};
use crate::trace::Trace;

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// The transmitter's rate or recorded capacity.
    pub capacity: Capacity,
    /// The time from the transmitter to the far end; none counts as 1 ns.
    pub delay: Duration,
    /// A policer before the queue, if there is one.
    pub policer: Option<PolicerConfig>,
    /// The queue before the transmitter.
    pub queue: QueueConfig,
    /// The next packet is taken out of the queue when the one before begins to leave, as a token bucket of
    /// Linux does with queues that have no other way to show a packet: CoDel, FQ-CoDel, PIE and
    /// FQ-PIE judge it by a shorter wait. So does `sch_dualpi2`, which is not modelled: DualPI2
    /// judges when a packet begins to leave, as do CAKE, which is a shaper of its own, COBALT, and a
    /// threshold in time. All others judge arrivals, which peeking does not change.
    pub peeks: bool,
    /// How long an idle transmitter takes until it begins to send, at most 1 ms: a timer or an interrupt of
    /// a real one is late. While it is busy nothing is: the next packet follows in time. It takes none for a
    /// packet at the origin of time, with recorded capacity, and with bursts, whose overhead has it.
    pub wake_up: Duration,
    /// Which ACKs are left out before the transmitter; none if every packet counts.
    pub ack_filter: Option<AckFilterConfig>,
    /// Losses after the transmitter.
    pub losses: Vec<LossConfig>,
    /// Repair of losses by the link itself; none if they are final.
    pub arq: Option<ArqConfig>,
    /// Repair of losses by packets sent ahead; none if there are none. Not with `arq`.
    pub fec: Option<FecConfig>,
    /// Packets leave in bursts; none if each leaves alone. Not with recorded capacity.
    pub bursts: Option<BurstConfig>,
    /// Delay that varies from packet to packet.
    pub jitter: Option<Jitter>,
    /// Packets that others overtake; none if all keep their order. Not with jitter that reorders.
    pub reorder: Option<ReorderConfig>,
    /// The change of the ECN field of packets that leave the link; none if it is left alone.
    pub ecn_path: Option<EcnPath>,
    /// Changes at given times, in any order.
    pub schedule: Vec<Change>,
}

/// The capacity of a transmitter.
#[derive(Clone, Debug, PartialEq)]
pub enum Capacity {
    /// A fixed rate: above zero, at most 2^46 byte/s.
    Fixed(Rate),
    /// Recorded opportunities. Each carries up to 1500 bytes of what waits at its instant: several
    /// small packets, or a part of a large one, whose rest goes with the next. Capacity that an
    /// opportunity does not use is lost. So does Mahimahi's link.
    Recorded(Arc<Trace>),
}

impl LinkConfig {
    /// The rate of a link that decides everything on arrival: when a packet departs, whether it is marked or
    /// dropped. None if the queue acts when packets leave, if capacity or delay change, or if the link does
    /// more to packets than lose and delay them.
    pub fn predictable_rate(&self) -> Option<Rate> {
        match &self.capacity {
            Capacity::Fixed(rate) if self.queue.on_arrival() && !self.works_by_events() => {
                Some(*rate)
            }
            _ => None,
        }
    }

    /// True if chance decides what becomes of packets: another seed may lose, hold or reorder others.
    pub fn draws(&self) -> bool {
        // Every field is named, so that none that draws is forgotten.
        let Self {
            capacity: _,
            delay: _,
            policer: _,
            queue,
            peeks: _,
            wake_up: _,
            ack_filter: _,
            losses,
            arq: _,
            fec: _,
            bursts: _,
            jitter,
            reorder,
            ecn_path: _,
            schedule,
        } = self;
        let lost = |losses: &[LossConfig]| losses.iter().any(LossConfig::draws);
        let changed = |change: &Change| match &change.what {
            LinkChange::Losses(losses) => lost(losses),
            LinkChange::Rate(_) | LinkChange::Delay(_) => false,
        };
        queue.draws()
            || lost(losses)
            || jitter.is_some_and(|jitter| jitter.spread.draws())
            || reorder.is_some()
            || schedule.iter().any(changed)
    }

    /// True if the capacity is not the same at all times: it is recorded, or the rate changes.
    pub fn capacity_varies(&self) -> bool {
        let is_rate = |change: &Change| matches!(change.what, LinkChange::Rate(_));
        matches!(self.capacity, Capacity::Recorded(_)) || self.schedule.iter().any(is_rate)
    }

    /// True if something beside queue and capacity is told by events alone.
    fn works_by_events(&self) -> bool {
        self.schedule.iter().any(|change| !matches!(change.what, LinkChange::Losses(_)))
            || self.arq.is_some()
            || self.fec.is_some()
            || self.bursts.is_some()
            || self.ack_filter.is_some()
            || self.reorder.is_some()
            || self.ecn_path.is_some()
            || self.policer.is_some()
    }

    /// A drop-tail link of fixed rate and delay without losses.
    pub fn new(rate: Rate, delay: Duration, limit: Limit) -> Self {
        Self {
            capacity: Capacity::Fixed(rate),
            delay,
            policer: None,
            queue: QueueConfig::DropTail(limit),
            peeks: false,
            wake_up: Duration::ZERO,
            ack_filter: None,
            losses: Vec::new(),
            arq: None,
            fec: None,
            bursts: None,
            jitter: None,
            reorder: None,
            ecn_path: None,
            schedule: Vec::new(),
        }
    }

    /// The faults that show before the parts are built.
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        let is_short = self.wake_up <= Duration::from_millis(1);
        LinkError::unless(is_short, "wake_up", "at most 1 ms")?;
        self.arq.as_ref().map_or(Ok(()), ArqConfig::validate)?;
        self.policer.as_ref().map_or(Ok(()), PolicerConfig::validate)?;
        self.ack_filter.as_ref().map_or(Ok(()), AckFilterConfig::validate)?;
        self.fec.as_ref().map_or(Ok(()), FecConfig::validate)?;
        let both = self.arq.is_some() && self.fec.is_some();
        LinkError::unless(!both, "fec", "without arq")?;
        self.bursts.as_ref().map_or(Ok(()), BurstConfig::validate)?;
        self.reorder.as_ref().map_or(Ok(()), ReorderConfig::validate)?;
        let twice = self.reorder.is_some() && self.jitter.is_some_and(|jitter| jitter.reorder);
        LinkError::unless(!twice, "reorder", "without jitter that reorders")?;
        match &self.capacity {
            Capacity::Fixed(rate) => {
                let bounded = !rate.is_zero() && *rate <= Rate::MAX_SAMPLE;
                LinkError::unless(bounded, "rate", "above zero and at most 2^46 byte/s")
            }
            Capacity::Recorded(_) => self.validate_recorded(),
        }
    }

    fn validate_recorded(&self) -> Result<(), LinkError> {
        let limit = self.queue.limit();
        // Every packet waits for its opportunity, so that without room none would pass.
        let room = limit != Limit::Packets(0) && limit != Limit::Bytes(Bytes::ZERO);
        LinkError::unless(room, "queue.limit", "above zero with recorded capacity")?;
        LinkError::unless(self.bursts.is_none(), "bursts", "without recorded capacity")?;
        let rates = self.schedule.iter().any(|c| matches!(c.what, LinkChange::Rate(_)));
        LinkError::unless(!rates, "schedule", "without rates when capacity is recorded")
    }
}
