//! A link that tells fates on offer, and what waits at its far end.

use std::collections::VecDeque;

use westwood_cc::Instant;
use westwood_net::{Foreseen, Packet as _, Traffic as Moving};

use crate::engine::measure::Measure;
use crate::engine::moment::Moment;
use crate::engine::run::rank;
use crate::network::LinkId;
use crate::packet::Packet;

/// A link whose packets' fates are known on offer.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Lane {
    pub(super) link: Foreseen,
    pub(super) id: LinkId,
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

impl Lane {
    pub(super) fn new(link: Foreseen, id: LinkId, watched: bool) -> Self {
        Self { link, id, due: VecDeque::new(), watch: watched.then(Box::default) }
    }

    /// The arrival of the packet that was offered last.
    #[inline]
    pub(super) fn arrival(&self, at: Instant) -> Moment {
        Moment::arrival(at, rank(self.id), self.link.offered())
    }

    /// Keeps a packet, the one offered last, until it arrives. True if no other is due before.
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    #[inline(always)]
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

    /// Looks at the queue after an offer at this moment, and will look again when the packet
    /// arrives, if it does.
    pub(super) fn look(&mut self, at: Moment, arrival: Option<Moment>, measure: &mut Measure) {
        measure.record_queue(at, self.id, self.link.waiting(at.at).packets);
        if let (Some(watch), Some(arrival)) = (&mut self.watch, arrival) {
            watch.unseen.push_back(arrival.end());
        }
    }

    /// Looks at the queue at the arrivals before a moment.
    pub(super) fn look_until(&mut self, moment: Moment, measure: &mut Measure) {
        let Some(watch) = &mut self.watch else { return };
        while let Some(&arrival) = watch.unseen.front()
            && arrival < moment
        {
            watch.unseen.pop_front();
            measure.record_queue(arrival, self.id, self.link.waiting(arrival.at).packets);
        }
    }
}
