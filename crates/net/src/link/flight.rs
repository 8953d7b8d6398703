//! Packets between the transmitter and the far end.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use westwood_cc::Instant;

use crate::link::wire::Landing;
use crate::link::{DropCause, Step};
use crate::packet::Packet;
use crate::stats::Traffic;

/// Packets in the order of their arrivals.
#[derive(Debug)]
pub(crate) struct Flight<P> {
    /// When the next packet arrives, kept here because it is asked much oftener than it changes.
    next: Instant,
    /// A long path holds thousands: an entry is kept small.
    flying: VecDeque<(Instant, P)>,
    /// Of those that fly in order the ones that are lost, by their place among all that were sent.
    doomed: VecDeque<u64>,
    /// Packets that may overtake each other, instead of those in order.
    loose: Option<BinaryHeap<Numbered<P>>>,
    sent: u64,
    delivered: Traffic,
    lost: Traffic,
}

/// A packet in flight and its place among those sent, which decides between equal arrivals.
#[derive(Debug)]
struct Numbered<P> {
    landing: Landing,
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

impl<P: Packet> Flight<P> {
    /// For packets that arrive in the order in which they left, or not.
    pub(crate) fn over(keeps_order: bool) -> Self {
        Self {
            next: Instant::FAR_FUTURE,
            flying: VecDeque::new(),
            doomed: VecDeque::new(),
            loose: (!keeps_order).then(BinaryHeap::new),
            sent: 0,
            delivered: Traffic::default(),
            lost: Traffic::default(),
        }
    }

    /// Takes a packet until its arrival.
    #[inline]
    pub(crate) fn take(&mut self, landing: Landing, packet: P) {
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
        if let Some(loose) = &mut self.loose {
            let landed = loose.pop()?;
            self.next = loose.peek().map_or(Instant::FAR_FUTURE, |n| n.landing.at);
            return Some((landed.packet, landed.landing.lost));
        }
        let (_, packet) = self.flying.pop_front()?;
        self.next = self.flying.front().map_or(Instant::FAR_FUTURE, |f| f.0);
        let doomed = !self.doomed.is_empty() && self.is_doomed();
        Some((packet, doomed))
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

    /// What flies. Counted when it is asked for, which is seldom, and not packet by packet.
    pub(crate) fn on_wire(&self) -> Traffic {
        let loose = self.loose.iter().flatten().map(|n| &n.packet);
        let mut sum = Traffic::default();
        for packet in self.flying.iter().map(|(_, packet)| packet).chain(loose) {
            sum.add(packet.size());
        }
        sum
    }

    /// What has reached the far end, and what would have if it had not been lost.
    pub(crate) fn far_end(&self) -> Exit {
        Exit { delivered: self.delivered, lost: self.lost }
    }
}

/// What the far end counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exit {
    pub(crate) delivered: Traffic,
    pub(crate) lost: Traffic,
}
