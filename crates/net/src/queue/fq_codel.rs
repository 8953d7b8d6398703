//! Controlled delay with a queue for each flow.
//!
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue CoDel Packet
//! Scheduler and Active Queue Management Algorithm", RFC 8290, 2018. Flows are hashed to queues;
//! deficit round robin serves them, those that have just begun first; each queue has its own CoDel.
//! A packet that finds no room costs the fattest queue packets at its head (section 4.1).
//!
//! Two rules are those of Linux's `sch_fq_codel`, where the RFC has none. CoDel leaves the last packet
//! alone, and the last one is that of all queues together: a flow that has one packet waiting may lose it
//! while others wait. And packets that an overflow costs a flow count for the control law of its CoDel.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::Limit;
use crate::queue::codel::{CeThreshold, CoDel, CoDelConfig, InverseRoot};
use crate::queue::fifo::{Dequeued, Queued};
use crate::queue::flow_queues::FlowQueues;
use crate::stats::PacketCount;

/// FQ-CoDel's parameters; the defaults are RFC 8290's (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelConfig {
    /// How much may wait in all queues together.
    pub limit: Limit,
    /// CoDel's acceptable wait.
    pub target: Duration,
    /// CoDel's interval.
    pub interval: Duration,
    /// How many queues; 1 to 65,536.
    pub flows: u32,
    /// Bytes that a queue may send in its turn; 1 to 2^20.
    pub quantum: Bytes,
    /// Mark packets that understand ECN where others are dropped.
    pub ecn: bool,
    /// Mark what waited longer than this, too.
    pub ce_threshold: Option<CeThreshold>,
    /// How the control law computes its root.
    pub root: InverseRoot,
    /// The largest packet: a queue that holds no more than one of them is left alone (RFC 8289 section 5.8).
    pub mtu: Bytes,
}

impl Default for FqCoDelConfig {
    fn default() -> Self {
        Self {
            limit: Limit::Packets(10_240),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            flows: 1024,
            quantum: Bytes::new(1514),
            ecn: true,
            ce_threshold: None,
            root: InverseRoot::Exact,
            mtu: Bytes::new(1500),
        }
    }
}

/// At most so many packets are dropped at once (RFC 8290 section 4.1).
const DROP_BATCH: u64 = 64;

/// FQ-CoDel at work.
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel<P> {
    queues: FlowQueues<P, CoDel>,
    limit: Limit,
}

impl<P: Packet> FqCoDel<P> {
    pub(crate) fn new(config: &FqCoDelConfig, perturbation: u64) -> Result<Self, LinkError> {
        let codel = CoDel::new(&CoDelConfig {
            limit: config.limit,
            target: config.target,
            interval: config.interval,
            mtu: config.mtu,
            ecn: config.ecn,
            ce_threshold: config.ce_threshold,
            root: config.root,
        })?;
        let size = (config.flows, config.quantum);
        let queues = FlowQueues::new(size, perturbation, |_| codel.clone())?;
        Ok(Self { queues, limit: config.limit })
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        self.queues.waiting()
    }

    /// Takes a packet in; what must go instead goes to `drop`. Nothing must if the transmitter is
    /// free to take the packet at once.
    pub(crate) fn push(&mut self, queued: Queued<P>, free: bool, drop: &mut dyn FnMut(Queued<P>)) {
        self.queues.push(queued);
        while !free && self.limit.is_exceeded(self.queues.waiting()) {
            self.shed(drop);
        }
    }

    /// Drops half of the fattest queue from its head, at most a batch.
    fn shed(&mut self, drop: &mut dyn FnMut(Queued<P>)) {
        let Some((flow, waiting)) = self.queues.fattest() else { return };
        let half = Bytes::new(flow.line.waiting().bytes.get() / 2);
        let mut gone = PacketCount::default();
        while let Some(queued) = flow.line.pop() {
            gone.add(queued.size);
            waiting.remove(queued.size);
            drop(queued);
            if gone.packets >= DROP_BATCH || gone.bytes >= half {
                break;
            }
        }
        flow.aqm.overflows(gone.packets);
    }

    /// Takes the packet to be sent at `now`; what CoDel drops on the way goes to `drop`.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) -> Dequeued<P> {
        self.queues.serve(|flow, waiting| {
            let beside = waiting.bytes - flow.line.waiting().bytes;
            flow.aqm.take(now, &mut flow.line, beside, &mut |queued: Queued<P>| {
                waiting.remove(queued.size);
                drop(queued);
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{TestPacket, at_ms};
    use westwood_cc::Ecn;

    /// How many packets are dropped of a queue in which each waits 20 ms and one more waits behind it.
    fn dropped_with_one_behind(quantum: u64) -> usize {
        let config = FqCoDelConfig { quantum: Bytes::new(quantum), ..FqCoDelConfig::default() };
        let mut queue = FqCoDel::new(&config, 1).expect("valid");
        let mut gone = 0;
        for ms in (0..1_000).step_by(20) {
            let packet = TestPacket { flow: 1, ecn: Ecn::NotEct }.queued(at_ms(ms));
            queue.push(packet, false, &mut |_| gone += 1);
            if ms > 0 {
                queue.take(at_ms(ms), &mut |_| gone += 1);
            }
        }
        gone
    }

    #[test]
    fn rfc8289_5_8_a_packet_is_not_dropped_before_the_last_whatever_the_quantum() {
        for quantum in [300, 1_514, 6_000] {
            assert_eq!(dropped_with_one_behind(quantum), 0, "{quantum}");
        }
    }
}
