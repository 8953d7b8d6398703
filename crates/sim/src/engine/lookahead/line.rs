//! A link of the lookahead engine.

use std::collections::VecDeque;

use westwood_cc::Instant;
use westwood_net::{Foreseen, Link, LinkError, LinkStats, Packet as _, Traffic as Moving};

use crate::engine::measure::Measure;
use crate::engine::moment::Moment;
use crate::engine::run::rank;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::Packet;

/// A link that tells fates on offer, or one that works by events.
#[derive(Debug)]
pub(super) enum Line {
    Foreseen(Ahead),
    Eventful(Box<Eventful>),
}

/// A link whose packets' fates are known on offer.
#[derive(Debug)]
pub(super) struct Ahead {
    pub(super) link: Foreseen,
    /// Packets that wait for the time of their arrival, because what comes behind the link may not
    /// be done before.
    due: VecDeque<(Instant, Packet)>,
    /// What probes need to know.
    watch: Option<Box<Watch>>,
}

/// For probes: what is still to happen at a link.
#[derive(Debug, Default)]
struct Watch {
    /// The numbers of packets that wait.
    due: VecDeque<u64>,
    /// Arrivals at which the queue has not yet been looked at.
    unseen: VecDeque<Moment>,
}

/// A link that works by events.
#[derive(Debug)]
pub(super) struct Eventful {
    pub(super) link: Link<Packet>,
    /// What it had done when the measuring interval began.
    pub(super) before: LinkStats,
}

impl Line {
    pub(super) fn new(spec: &LinkSpec, network: &Network) -> Result<Self, LinkError> {
        let (begin, end) = (Instant::ZERO + network.warmup, Instant::ZERO + network.duration);
        let (config, seed, name) = (&spec.config, network.seed, spec.name.as_str());
        Ok(match Foreseen::new(config, seed, name, begin, end)? {
            Some(link) => {
                let probes = network.probes;
                let watched = probes.queues || probes.drops || probes.delivered;
                let watch = watched.then(Box::default);
                Self::Foreseen(Ahead { link, due: VecDeque::new(), watch })
            }
            None => {
                let link = Link::new(config, seed, name)?;
                Self::Eventful(Box::new(Eventful { link, before: LinkStats::default() }))
            }
        })
    }

    pub(super) fn is_foreseen(&self) -> bool {
        matches!(self, Self::Foreseen(_))
    }
}

impl Ahead {
    /// The arrival of the packet that was offered last to this link.
    #[inline]
    pub(super) fn arrival(&self, id: LinkId, at: Instant) -> Moment {
        Moment::arrival(at, rank(id), self.link.offered())
    }

    /// Keeps a packet, the one offered last, until it arrives. True if no other is due before.
    #[inline]
    pub(super) fn keep(&mut self, arrival: Instant, packet: Packet) -> bool {
        if let Some(watch) = &mut self.watch {
            watch.due.push_back(self.link.offered());
        }
        self.due.push_back((arrival, packet));
        self.due.len() == 1
    }

    /// The packet that is due, its number if anybody watches, and when the next one is due.
    #[inline]
    pub(super) fn release(&mut self) -> Option<(Packet, u64, Instant)> {
        let (_, packet) = self.due.pop_front()?;
        let number = self.watch.as_mut().and_then(|w| w.due.pop_front()).unwrap_or(0);
        let next = self.due.front().map_or(Instant::FAR_FUTURE, |d| d.0);
        Some((packet, number, next))
    }

    /// What waits for its time.
    pub(super) fn inside(&self) -> Moving {
        let mut sum = Moving::default();
        for (_, packet) in &self.due {
            sum += Moving { packets: 1, bytes: packet.size() };
        }
        sum
    }

    /// Remembers to look at the queue when the packet offered last arrives.
    pub(super) fn look_at(&mut self, arrival: Moment) {
        if let Some(watch) = &mut self.watch {
            watch.unseen.push_back(arrival.end());
        }
    }

    /// Looks at the queue at the arrivals before a moment.
    pub(super) fn look_until(&mut self, moment: Moment, id: LinkId, measure: &mut Measure) {
        let Some(watch) = &mut self.watch else { return };
        while let Some(&arrival) = watch.unseen.front()
            && arrival < moment
        {
            watch.unseen.pop_front();
            measure.record_queue(arrival, id, self.link.waiting(arrival.at).packets);
        }
    }
}
