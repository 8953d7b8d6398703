//! Departures from a link's queue: packets to send, their waiting times, and drops.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Instant};

use crate::histogram::Histogram;
use crate::link::DropCause;
use crate::link::ack_filter::AckFilter;
use crate::packet::Packet;
use crate::queue::{Queue, Queued};
use crate::stats::PacketCount;

/// How long packets waited whose transmission began at a given time or later.
#[derive(Debug)]
pub(crate) struct Delays {
    pub(crate) from: Instant,
    pub(crate) waits: Histogram,
}

/// Packets dropped: counted at once, and those out of the queue reported one by one.
#[derive(Debug)]
pub(crate) struct Dropped<P> {
    pub(crate) unreported: VecDeque<(Instant, P, DropCause)>,
    pub(crate) overflow: PacketCount,
    pub(crate) aqm: PacketCount,
    pub(crate) policed: PacketCount,
}

impl<P> Dropped<P> {
    pub(crate) fn new() -> Self {
        let [overflow, aqm, policed] = [PacketCount::default(); 3];
        Self { unreported: VecDeque::new(), overflow, aqm, policed }
    }

    pub(crate) fn count(&mut self, size: Bytes, cause: DropCause) {
        match cause {
            DropCause::Overflow => self.overflow.add(size),
            DropCause::Policer => self.policed.add(size),
            // Losses on the wire are counted where packets would have arrived.
            DropCause::Aqm | DropCause::Random => self.aqm.add(size),
        }
    }

    pub(crate) fn report(&mut self, now: Instant, queued: Queued<P>, cause: DropCause) {
        self.count(queued.size, cause);
        self.unreported.push_back((now, queued.packet, cause));
    }
}

/// Takes the next packet out of the queue, and accounts for what happened to others on the way out: drops
/// and marks.
pub(crate) fn take<P: Packet>(
    queue: &mut Queue<P>,
    filter: &mut Option<AckFilter<P>>,
    now: Instant,
    dropped: &mut Dropped<P>,
    marks: &mut u64,
) -> Option<Queued<P>> {
    let taken = queue.take(now, &mut |q| dropped.report(now, leave(filter, q), DropCause::Aqm));
    *marks += u64::from(taken.marked);
    let mut queued = leave(filter, taken.packet?);
    if taken.marked && queued.packet.ecn().is_capable() {
        // The mark is for what leaves, if that is another ACK.
        queued.packet.mark_ce();
    }
    Some(queued)
}

/// A packet leaves the queue: itself, or a later ACK that has taken its place.
#[inline]
pub(crate) fn leave<P: Packet>(filter: &mut Option<AckFilter<P>>, queued: Queued<P>) -> Queued<P> {
    match filter {
        Some(filter) => filter.leave(queued),
        None => queued,
    }
}

/// Records how long the packet has waited whose first transmission begins at `now`.
#[inline]
pub(crate) fn record<P>(
    delays: &mut Option<Delays>,
    now: Instant,
    next: Option<Queued<P>>,
) -> Option<Queued<P>> {
    if let (Some(delays), Some(queued)) = (delays, &next)
        && now >= delays.from
        && !queued.is_repeat
    {
        delays.waits.add(now.since(queued.arrived));
    }
    next
}
