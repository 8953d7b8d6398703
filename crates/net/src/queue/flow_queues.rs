//! Queues to which flows are hashed, each with a management of its own, and deficit round robin between them
//! (RFC 8290 section 4.1).

use westwood_cc::Bytes;

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::fifo::{Dequeued, PacketFifo, Queued};
use crate::queue::round_robin::RoundRobin;
use crate::random::split_mix;
use crate::stats::PacketCount;

/// The queue of the flows that are hashed to it.
#[derive(Clone, Debug)]
pub(crate) struct FlowQueue<P, M> {
    pub(crate) line: PacketFifo<P>,
    /// Its management.
    pub(crate) aqm: M,
    /// It has joined the round robin.
    listed: bool,
}

/// The queues.
#[derive(Clone, Debug)]
pub(crate) struct FlowQueues<P, M> {
    queues: Vec<FlowQueue<P, M>>,
    order: RoundRobin,
    /// Packets of all queues together.
    waiting: PacketCount,
    /// Moves flows to other queues from run to run.
    perturbation: u64,
}

impl<P: Packet, M> FlowQueues<P, M> {
    /// So many empty queues, 1 to 65,536, each with the management of its number. A turn is a quantum of 1 to
    /// 2^20 bytes.
    pub(crate) fn new(
        (count, quantum): (u32, Bytes),
        perturbation: u64,
        aqm: impl Fn(u32) -> M,
    ) -> Result<Self, LinkError> {
        LinkError::unless((1..=65_536).contains(&count), "queue.flows", "from 1 to 65536")?;
        let bounded = (1..=1 << 20).contains(&quantum.get());
        LinkError::unless(bounded, "queue.quantum", "from 1 to 1048576 bytes")?;
        let queue = |number| FlowQueue { line: PacketFifo::new(), aqm: aqm(number), listed: false };
        Ok(Self {
            queues: (0..count).map(queue).collect(),
            order: RoundRobin::new(count as usize, quantum),
            waiting: PacketCount::default(),
            perturbation,
        })
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        self.waiting
    }

    /// The number of a flow's queue: a hash, so that two flows may share one.
    fn number_of(&self, flow: u32) -> usize {
        let mut state = self.perturbation ^ u64::from(flow);
        let hash = split_mix(&mut state) >> 32;
        // The high half of hash times count is below the count, and so an index.
        usize::try_from((hash * self.queues.len() as u64) >> 32).unwrap_or(0)
    }

    /// The queue of a flow.
    pub(crate) fn of(&mut self, flow: u32) -> &mut FlowQueue<P, M> {
        let number = self.number_of(flow);
        &mut self.queues[number]
    }

    /// Takes in a packet, behind those of its queue.
    pub(crate) fn push(&mut self, queued: Queued<P>) {
        let number = self.number_of(queued.packet.flow());
        self.waiting.add(queued.size);
        let queue = &mut self.queues[number];
        queue.line.push(queued);
        if !queue.listed {
            queue.listed = true;
            self.order.join(number);
        }
    }

    /// The queue with the most bytes, and the count of all that waits, from which a drop must be subtracted.
    /// The first of equal queues is the fattest. Packets decide between queues of empty packets, which would
    /// otherwise never get shorter.
    pub(crate) fn fattest(&mut self) -> Option<(&mut FlowQueue<P, M>, &mut PacketCount)> {
        let fat = |queue: &&mut FlowQueue<P, M>| {
            let waiting = queue.line.waiting();
            (waiting.bytes, waiting.packets)
        };
        let fattest = self.queues.iter_mut().rev().max_by_key(fat)?;
        Some((fattest, &mut self.waiting))
    }

    /// Takes the packet to be sent: `take` takes one out of the queue in turn, and subtracts its drops from
    /// the count of all that waits.
    pub(crate) fn serve(
        &mut self,
        mut take: impl FnMut(&mut FlowQueue<P, M>, &mut PacketCount) -> Dequeued<P>,
    ) -> Dequeued<P> {
        while let Some(number) = self.order.turn() {
            let queue = &mut self.queues[number];
            let taken = take(queue, &mut self.waiting);
            if let Some(queued) = &taken.packet {
                self.waiting.remove(queued.size);
                self.order.sent(number, queued.size);
                return taken;
            }
            queue.listed = !self.order.pass();
        }
        Dequeued { packet: None, marked: false }
    }
}
