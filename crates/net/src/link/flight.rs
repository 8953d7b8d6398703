//! Packets between the transmitter and the far end.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use westwood_cc::Instant;

use crate::link::reorder::Reorder;
use crate::link::wire::WireArrival;
use crate::link::{DropCause, Step};
use crate::packet::Packet;
use crate::stats::PacketCount;

/// Packets in the order of their arrivals.
#[derive(Debug)]
pub(crate) struct LinkFlight<P> {
    /// When the next packet arrives, kept here because it is asked much oftener than it changes.
    next: Instant,
    /// A long path holds thousands: an entry is kept small.
    flying: VecDeque<(Instant, P)>,
    /// The packets of `flying` that are lost, by their number among all packets sent.
    doomed: VecDeque<u64>,
    /// Packets that may overtake each other, instead of those in order.
    loose: Option<BinaryHeap<Numbered<P>>>,
    /// Delays some packets so that later ones overtake them.
    reorder: Option<Box<Reorder<P>>>,
    sent: u64,
    delivered: PacketCount,
    lost: PacketCount,
}

/// A packet in flight and its place among those sent, which decides between equal arrivals.
#[derive(Debug)]
struct Numbered<P> {
    landing: WireArrival,
    number: u64,
    packet: P,
}

impl<P> Numbered<P> {
    fn key(&self) -> (Instant, u64) {
        (self.landing.at, self.number)
    }
}

impl<P> Ord for Numbered<P> {
    /// The earliest is the greatest: the standard heap gives the greatest first.
    fn cmp(&self, o: &Self) -> Ordering {
        o.key().cmp(&self.key())
    }
}

impl<P> PartialOrd for Numbered<P> {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl<P> PartialEq for Numbered<P> {
    fn eq(&self, o: &Self) -> bool {
        self.key() == o.key()
    }
}

impl<P> Eq for Numbered<P> {}

impl<P: Packet> LinkFlight<P> {
    /// For packets that arrive in the order in which they left, or not.
    pub(crate) fn over(keeps_order: bool, reorder: Option<Reorder<P>>) -> Self {
        Self {
            next: Instant::FAR_FUTURE,
            flying: VecDeque::new(),
            doomed: VecDeque::new(),
            loose: (!keeps_order).then(BinaryHeap::new),
            reorder: reorder.map(Box::new),
            sent: 0,
            delivered: PacketCount::default(),
            lost: PacketCount::default(),
        }
    }

    /// Takes a packet until its arrival.
    #[inline]
    pub(crate) fn take(&mut self, landing: WireArrival, packet: P) {
        let Some(mut reorder) = self.reorder.take() else {
            return self.fly(landing, packet);
        };
        reorder.pass(landing, packet, &mut |landing, packet| self.fly(landing, packet));
        self.keep(reorder);
    }

    /// Releases the packets that were held back for the longest time allowed.
    fn expire(&mut self, now: Instant) {
        if let Some(mut reorder) = self.reorder.take() {
            reorder.expire(now, &mut |landing, packet| self.fly(landing, packet));
            self.keep(reorder);
        }
    }

    fn keep(&mut self, reorder: Box<Reorder<P>>) {
        self.next = self.first().min(reorder.next_event());
        self.reorder = Some(reorder);
    }

    /// The earliest arrival of a packet that is not held back.
    fn first(&self) -> Instant {
        match &self.loose {
            Some(loose) => loose.peek().map_or(Instant::FAR_FUTURE, |n| n.landing.at),
            None => self.flying.front().map_or(Instant::FAR_FUTURE, |f| f.0),
        }
    }

    #[inline]
    fn fly(&mut self, landing: WireArrival, packet: P) {
        self.sent += 1;
        self.next = self.next.min(landing.at);
        if let Some(loose) = &mut self.loose {
            loose.push(Numbered { landing, number: self.sent, packet });
            return;
        }
        if landing.lost {
            self.doomed.push_back(self.sent);
        }
        self.flying.push_back((landing.at, packet));
    }

    /// When the next packet arrives.
    #[inline]
    pub(crate) fn next_event(&self) -> Instant {
        self.next
    }

    /// The packet that has arrived by `now`, if one has.
    #[inline]
    pub(crate) fn step(&mut self, now: Instant) -> Step<P> {
        if self.next > now {
            return Step::Nothing;
        }
        if self.reorder.is_some() {
            self.expire(now);
        }
        let Some((packet, lost)) = self.land() else {
            return Step::Nothing;
        };
        if lost {
            self.lost.add(packet.size());
            Step::Lost(packet, DropCause::Random)
        } else {
            self.delivered.add(packet.size());
            Step::Delivered(packet)
        }
    }

    /// The next packet, and whether it was lost on the way.
    #[inline]
    fn land(&mut self) -> Option<(P, bool)> {
        let landed = if let Some(loose) = &mut self.loose {
            let landed = loose.pop()?;
            (landed.packet, landed.landing.lost)
        } else {
            let (_, packet) = self.flying.pop_front()?;
            (packet, !self.doomed.is_empty() && self.is_doomed())
        };
        self.next = self.first();
        if let Some(reorder) = &self.reorder {
            self.next = self.next.min(reorder.next_event());
        }
        Some(landed)
    }

    /// True if the packet that has just landed was lost on the way.
    fn is_doomed(&mut self) -> bool {
        let number = self.delivered.packets + self.lost.packets + 1;
        let doomed = self.doomed.front() == Some(&number);
        if doomed {
            self.doomed.pop_front();
        }
        doomed
    }

    /// Packets in flight. Counted when they are asked for, which is seldom, and not packet by packet.
    pub(crate) fn on_wire(&self) -> PacketCount {
        let loose = self.loose.iter().flatten().map(|n| &n.packet);
        let mut sum = PacketCount::default();
        let held = self.reorder.iter().flat_map(|reorder| reorder.held());
        for packet in self.flying.iter().map(|(_, packet)| packet).chain(loose).chain(held) {
            sum.add(packet.size());
        }
        sum
    }

    /// Packets that have reached the far end, and those that would have if they had not been lost.
    pub(crate) fn far_end(&self) -> FarEndCounts {
        FarEndCounts { delivered: self.delivered, lost: self.lost }
    }
}

/// The counters of the far end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FarEndCounts {
    pub(crate) delivered: PacketCount,
    pub(crate) lost: PacketCount,
}
