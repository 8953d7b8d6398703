//! A packet, and a way to drive one link through a list of offers.

use westwood_cc::{Bytes, Duration, Ecn, Instant, Rate};
use westwood_net::{DropCause, Limit, Link, LinkConfig, Offer, Packet, PureAck, Step};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pkt {
    pub(crate) id: u64,
    pub(crate) size: u64,
    pub(crate) flow: u32,
    pub(crate) ecn: Ecn,
    pub(crate) ce: bool,
    pub(crate) ack: Option<PureAck>,
}

pub(crate) fn pkt(id: u64, size: u64) -> Pkt {
    Pkt { id, size, flow: 0, ecn: Ecn::NotEct, ce: false, ack: None }
}

impl Packet for Pkt {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn flow(&self) -> u32 {
        self.flow
    }
    fn ecn(&self) -> Ecn {
        if self.ce { Ecn::Ce } else { self.ecn }
    }
    fn mark_ce(&mut self) {
        self.ce = true;
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        (self.ecn, self.ce) = (ecn, false);
    }
    fn pure_ack(&self) -> Option<PureAck> {
        self.ack
    }
}

pub(crate) fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn at_ms(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

/// A link of 1500 byte/ms and 10 ms: a full packet takes 1 ms.
pub(crate) fn link_12_mbit(limit: Limit) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_s(12_000_000), ms(10), limit)
}

pub(crate) fn build(config: &LinkConfig) -> Link<Pkt> {
    Link::new(config, 1, "link").expect("a valid configuration")
}

/// The fate of a packet, and its instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PacketFate {
    Delivered,
    Lost(DropCause),
}

pub(crate) type Log = Vec<(Instant, u64, PacketFate)>;

/// Offers packets at their times, in between and afterwards lets happen what is due up to `end`.
pub(crate) fn drive(link: &mut Link<Pkt>, offers: &[(Instant, Pkt)], end: Instant) -> Log {
    let mut log = Vec::new();
    for &(time, packet) in offers {
        settle(link, time, &mut log);
        if let Offer::Dropped(p, cause) = link.offer(time, packet) {
            log.push((time, p.id, PacketFate::Lost(cause)));
        }
    }
    settle(link, end, &mut log);
    log
}

pub(crate) fn settle(link: &mut Link<Pkt>, end: Instant, log: &mut Log) {
    while link.next_event() <= end && link.next_event() < Instant::FAR_FUTURE {
        let now = link.next_event();
        match link.step(now) {
            Step::Delivered(p) => log.push((now, p.id, PacketFate::Delivered)),
            Step::Lost(p, cause) => log.push((now, p.id, PacketFate::Lost(cause))),
            Step::Nothing => {}
        }
    }
}

/// The arrival times of what was delivered.
pub(crate) fn arrivals(log: &Log) -> Vec<u64> {
    log.iter().filter(|e| e.2 == PacketFate::Delivered).map(|e| e.0.as_nanos()).collect()
}

/// Steps until a packet comes out, and says when.
pub(crate) fn next_out(link: &mut Link<Pkt>) -> Instant {
    let mut log = Vec::new();
    while log.is_empty() {
        let next = link.next_event();
        settle(link, next, &mut log);
    }
    log[0].0
}
