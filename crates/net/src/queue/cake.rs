//! CAKE: flows kept apart, each with its own CoDel and BLUE.
//!
//! T. Hoeiland-Joergensen, D. Taht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution
//! for Home Gateways", IEEE LANMAN 2018, and Linux 6.1's `sch_cake`, which this follows. It is the queue of
//! one class (`besteffort`); CAKE's shaper is the link: a packet begins to leave when the one before has had
//! its time.
//!
//! * A flow has its queue alone as long as one of the eight in its set is free (section 3.2); then it shares.
//! * Deficit round robin serves the queues, those that have just begun first. A queue's turn is the bytes
//!   that the link sends in a 4096th of a second, within 300 and 1514.
//! * A queue that has become empty stays known until its COBALT has come to rest; before each departure one
//!   of these is looked at.
//! * A packet too many costs the longest queue the packet at its head, and raises its BLUE's probability.
//!
//! Left out: classes, a filter of ACKs (links have [`ack_filter`](crate::LinkConfig::ack_filter)), and
//! fairness among hosts: each flow counts as a host of its own.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::Limit;
use crate::queue::cobalt::{Cobalt, CobaltConfig};
use crate::queue::fifo::{Dequeued, PacketFifo, Queued};
use crate::queue::round_robin::RoundRobin;
use crate::random::{Random, split_mix};
use crate::stats::PacketCount;

/// CAKE's parameters. By default target, interval and marks are its own; the limit is a number of packets, as
/// [`FqCoDelConfig`](super::FqCoDelConfig)'s, where CAKE counts the memory that packets take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CakeConfig {
    /// How much may wait in all queues together.
    pub limit: Limit,
    /// COBALT's acceptable wait.
    pub target: Duration,
    /// COBALT's interval: the round-trip time that CAKE is told.
    pub interval: Duration,
    /// The largest packet.
    pub mtu: Bytes,
    /// Mark packets that understand ECN where CoDel drops others.
    pub ecn: bool,
}

impl Default for CakeConfig {
    fn default() -> Self {
        let CobaltConfig { limit, target, interval, mtu, .. } = CobaltConfig::default();
        Self { limit, target, interval, mtu, ecn: true }
    }
}

/// `CAKE_QUEUES`, in sets of [`WAYS`].
const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// The bounds of a queue's turn, in bytes.
const LEAST_TURN: u64 = 300;
const LARGEST_TURN: u64 = 1514;

/// Where a queue stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rotation {
    /// Nowhere: it is free.
    None,
    /// Among the new or the old ones.
    Served,
    /// Empty, with a COBALT that has not come to rest.
    Decaying,
}

#[derive(Clone, Debug)]
struct CakeFlow<P> {
    line: PacketFifo<P>,
    cobalt: Cobalt,
    /// The hash of the flow that had it last.
    tag: u64,
    rotation: Rotation,
}

/// CAKE at work.
#[derive(Clone, Debug)]
pub(crate) struct Cake<P> {
    flows: Vec<CakeFlow<P>>,
    order: RoundRobin,
    decaying: VecDeque<usize>,
    waiting: PacketCount,
    limit: Limit,
    /// Moves flows to other queues from run to run.
    perturbation: u64,
}

impl<P: Packet> Cake<P> {
    pub(crate) fn new(config: &CakeConfig, mut random: Random) -> Result<Self, LinkError> {
        let CakeConfig { limit, target, interval, mtu, ecn } = *config;
        let (perturbation, seed) = (random.next_u64(), random.next_u64());
        let cobalt = Cobalt::new(&CobaltConfig { limit, target, interval, mtu, ecn }, random)?;
        let flow = |number: u64| CakeFlow {
            line: PacketFifo::new(),
            cobalt: cobalt.with_draws(Random::new(seed ^ number, "cake")),
            tag: 0,
            rotation: Rotation::None,
        };
        Ok(Self {
            flows: (0..QUEUES as u64).map(flow).collect(),
            order: RoundRobin::new(QUEUES, Bytes::new(LARGEST_TURN)),
            decaying: VecDeque::new(),
            waiting: PacketCount::default(),
            limit,
            perturbation,
        })
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        self.waiting
    }

    /// Tells the rate at which packets leave.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.order.set_quantum(turn(rate));
        self.flows.iter_mut().for_each(|flow| flow.cobalt.set_rate(rate));
    }

    /// Takes a packet in; what must go instead goes to `drop`. Nothing must if the transmitter is free to
    /// take the packet at once.
    pub(crate) fn push(&mut self, queued: Queued<P>, free: bool, drop: &mut dyn FnMut(Queued<P>)) {
        let now = queued.arrived;
        let index = self.queue_of(queued.packet.flow());
        self.waiting.add(queued.size);
        let flow = &mut self.flows[index];
        flow.line.push(queued);
        if flow.rotation != Rotation::Served {
            if flow.rotation == Rotation::Decaying {
                self.decaying.retain(|&other| other != index);
            }
            flow.rotation = Rotation::Served;
            self.order.join(index);
        }
        while !free && self.limit.is_exceeded(self.waiting) {
            self.shed(now, drop);
        }
    }

    /// The queue of a flow: the one it had, a free one in its set, or its first one, which it shares then.
    fn queue_of(&mut self, flow: u32) -> usize {
        let mut state = self.perturbation ^ u64::from(flow);
        let tag = split_mix(&mut state);
        let first = usize::try_from(tag % QUEUES as u64).unwrap_or(0);
        let set = first - first % WAYS;
        let mut ways = (0..WAYS).map(|way| set + (first + way) % WAYS);
        let known = ways.clone().find(|&index| self.flows[index].tag == tag);
        let free = || ways.find(|&index| self.flows[index].rotation == Rotation::None);
        let index = known.or_else(free).unwrap_or(first);
        self.flows[index].tag = tag;
        index
    }

    /// Drops the packet at the head of the longest queue.
    fn shed(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) {
        // The first of the longest, for one answer among equals. Packets decide between queues of empty
        // packets.
        let length = |flow: &&mut CakeFlow<P>| {
            let waiting = flow.line.waiting();
            (waiting.bytes, waiting.packets)
        };
        let Some(flow) = self.flows.iter_mut().rev().max_by_key(length) else { return };
        flow.cobalt.overflows(now);
        if let Some(queued) = flow.line.pop() {
            self.waiting.remove(queued.size);
            drop(queued);
        }
    }

    /// Takes the packet to be sent at `now`; what COBALT drops on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) -> Dequeued<P> {
        if self.waiting.packets > 0
            && let Some(index) = self.decaying.pop_front()
        {
            self.flows[index].cobalt.is_empty(now);
            self.settle(now, index);
        }
        while self.waiting.packets > 0
            && let Some(index) = self.order.turn()
        {
            let flow = &mut self.flows[index];
            let waiting = &mut self.waiting;
            let taken = flow.cobalt.take(now, &mut flow.line, &mut |queued: Queued<P>| {
                waiting.remove(queued.size);
                drop(queued);
            });
            if let Some(queued) = &taken.packet {
                self.waiting.remove(queued.size);
                self.order.sent(index, queued.size);
                return taken;
            }
            self.order.leave();
            self.settle(now, index);
        }
        Dequeued { packet: None, marked: false }
    }

    /// A queue has been found empty: it stays until its COBALT is at rest.
    fn settle(&mut self, now: Instant, index: usize) {
        let flow = &mut self.flows[index];
        if flow.cobalt.is_at_rest(now) {
            flow.rotation = Rotation::None;
        } else {
            flow.rotation = Rotation::Decaying;
            self.decaying.push_back(index);
        }
    }
}

/// The bytes that a link of this rate sends in a 4096th of a second, within bounds.
fn turn(rate: Rate) -> Bytes {
    Bytes::new((rate.bits_per_s() / 8 / 4096).clamp(LEAST_TURN, LARGEST_TURN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{TestPacket, at_ms};
    use westwood_cc::Ecn;

    fn cake(limit: u64) -> Cake<TestPacket> {
        let config = CakeConfig { limit: Limit::Packets(limit), ..CakeConfig::default() };
        let mut cake = Cake::new(&config, Random::new(1, "cake")).expect("valid");
        cake.set_rate(Rate::from_bits_per_s(12_000_000));
        cake
    }

    /// Offers a packet of a flow. Answers the flows whose packets must go.
    fn push(cake: &mut Cake<TestPacket>, ms: u64, flow: u32) -> Option<u32> {
        let queued = TestPacket { flow, ecn: Ecn::NotEct }.queued(at_ms(ms));
        let mut gone = None;
        cake.push(queued, false, &mut |queued| gone = Some(queued.packet.flow));
        gone
    }

    fn take(cake: &mut Cake<TestPacket>, ms: u64) -> Option<u32> {
        cake.take(at_ms(ms), &mut |_| ()).packet.map(|queued| queued.packet.flow)
    }

    #[test]
    fn a_turn_is_what_the_link_sends_in_a_4096th_of_a_second_within_bounds() {
        for (rate, bytes) in [(1_000_000, 300), (12_000_000, 366), (1_000_000_000, 1514)] {
            assert_eq!(turn(Rate::from_bits_per_s(rate)), Bytes::new(bytes));
        }
    }

    #[test]
    fn flows_take_turns_and_a_new_one_goes_first() {
        let mut cake = cake(100);
        for _ in 0..20 {
            push(&mut cake, 0, 1);
            push(&mut cake, 0, 2);
        }
        let first: Vec<_> = (0..8).filter_map(|_| take(&mut cake, 0)).collect();
        assert_eq!(first, [1, 2, 1, 2, 1, 2, 1, 2]);
        push(&mut cake, 0, 3);
        assert_eq!(take(&mut cake, 0), Some(3));
        assert_eq!(take(&mut cake, 0), Some(1));
    }

    #[test]
    fn a_full_buffer_costs_the_longest_queue_its_head() {
        let mut cake = cake(10);
        for _ in 0..9 {
            assert_eq!(push(&mut cake, 0, 1), None);
        }
        assert_eq!(push(&mut cake, 0, 2), None);
        assert_eq!(push(&mut cake, 0, 2), Some(1));
        assert_eq!(cake.waiting().packets, 10);
    }

    #[test]
    fn a_flow_that_finds_its_queue_taken_has_another_of_its_set() {
        let mut cake = cake(10_000);
        for flow in 0..400 {
            push(&mut cake, 0, flow);
            push(&mut cake, 0, flow);
        }
        // By their hashes alone some 70 of them would come to a queue that another has.
        let alone = cake.flows.iter().filter(|flow| flow.line.waiting().packets == 2).count();
        assert_eq!(alone, 400);
    }

    #[test]
    fn an_empty_queue_is_given_up_once_its_cobalt_is_at_rest() {
        let mut cake = cake(100);
        push(&mut cake, 0, 1);
        assert_eq!(take(&mut cake, 1), Some(1));
        // Flow 2 keeps the link busy. At 10 ms flow 1 still makes up for what it overdrew; from 40 ms on it
        // is found empty, and remembered until an interval has passed since its packet.
        let mut states = Vec::new();
        for ms in (10..200).step_by(30) {
            push(&mut cake, ms, 2);
            assert_eq!(take(&mut cake, ms), Some(2));
            states.push(cake.decaying.len());
        }
        assert_eq!(states, [0, 1, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn a_queue_that_fills_again_is_served_and_no_longer_decays() {
        // `cake_enqueue` takes the flow from the list of those that decay.
        let mut cake = cake(100);
        push(&mut cake, 0, 1);
        assert_eq!(take(&mut cake, 1), Some(1));
        for ms in [10, 40] {
            push(&mut cake, ms, 2);
            assert_eq!(take(&mut cake, ms), Some(2));
        }
        assert_eq!(cake.decaying.len(), 1);
        push(&mut cake, 41, 1);
        assert!(cake.decaying.is_empty());
        assert_eq!(take(&mut cake, 41), Some(1));
    }

    #[test]
    fn what_blue_has_learnt_fades_while_other_queues_keep_the_link_busy() {
        let mut cake = cake(2);
        for _ in 0..3 {
            push(&mut cake, 10, 1);
        }
        // An overflow raises BLUE by 16 of its steps down, of which there is one each 5 ms at most.
        while take(&mut cake, 10).is_some() {}
        let decaying: Vec<_> = (1..=60)
            .map(|i| {
                push(&mut cake, 10 + 6 * i, 2);
                assert_eq!(take(&mut cake, 10 + 6 * i), Some(2));
                cake.decaying.len()
            })
            .collect();
        assert_eq!((decaying[10], decaying[59]), (1, 0), "{decaying:?}");
    }

    #[test]
    fn the_links_rate_reaches_the_cobalt_of_each_queue() {
        let mut cake = cake(100);
        // A packet takes 120 ms, and the target is one and a half of that.
        cake.set_rate(Rate::from_bits_per_s(100_000));
        for _ in 0..10 {
            push(&mut cake, 0, 1);
        }
        let served = (170..180).filter(|&ms| take(&mut cake, ms) == Some(1)).count();
        assert_eq!(served, 10);
    }
}
