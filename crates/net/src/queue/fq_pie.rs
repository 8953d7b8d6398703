//! PIE with a queue for each flow.
//!
//! The source is Linux 6.1's `sch_fq_pie` (M. Tahiliani and others, 2020); no RFC describes it. Flows are
//! hashed to queues, and deficit round robin serves these, those that have just begun first, as in FQ-CoDel
//! (RFC 8290); each queue has a PIE of its own (RFC 8033), which reads the backlog and the delay of that
//! queue alone.
//!
//! * All queues share one limit. A packet that finds it reached is dropped itself, and not the head of the
//!   fattest queue.
//! * A queue's probability is updated whether or not it holds packets: a flow that comes back finds what the
//!   time without it has left.
//!
//! Left out: the limit of memory, which the kernel counts and does not enforce, and the rounds of 2048 queues
//! in which its timer updates more of them.

use westwood_cc::{Bytes, Instant};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::fifo::{Dequeued, Queued};
use crate::queue::flow_queues::FlowQueues;
use crate::queue::pie::{Pie, PieConfig};
use crate::queue::{Arrival, Limit, Verdict, fits};
use crate::random::Random;
use crate::stats::PacketCount;

/// FQ-PIE's parameters; the defaults are Linux's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqPieConfig {
    /// The PIE of each queue; its limit is that of all queues together.
    pub pie: PieConfig,
    /// How many queues; 1 to 65,536.
    pub flows: u32,
    /// Bytes that a queue may send in its turn; 1 to 2^20.
    pub quantum: Bytes,
}

impl Default for FqPieConfig {
    fn default() -> Self {
        Self {
            pie: PieConfig { limit: Limit::Packets(10_240), ..PieConfig::default() },
            flows: 1024,
            quantum: Bytes::new(1514),
        }
    }
}

/// FQ-PIE at work.
#[derive(Clone, Debug)]
pub(crate) struct FqPie<P> {
    queues: FlowQueues<P, Pie>,
    limit: Limit,
}

impl<P: Packet> FqPie<P> {
    pub(crate) fn new(config: &FqPieConfig, mut random: Random) -> Result<Self, LinkError> {
        let (perturbation, seed) = (random.next_u64(), random.next_u64());
        let pie = Pie::new(&config.pie, random)?;
        let draws = |number| Random::new(seed ^ u64::from(number), "fq_pie");
        let size = (config.flows, config.quantum);
        let queues = FlowQueues::new(size, perturbation, |n| pie.with_draws(draws(n)))?;
        Ok(Self { queues, limit: config.pie.limit })
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        self.queues.waiting()
    }

    /// Judges an arriving packet of this flow.
    pub(crate) fn judge(&mut self, arrival: &Arrival, flow: u32) -> Verdict {
        let room = fits(self.limit, arrival);
        let flow = self.queues.of(flow);
        flow.aqm.judge_with(arrival, room, flow.line.waiting().bytes)
    }

    /// Takes in a packet that was not dropped.
    pub(crate) fn push(&mut self, queued: Queued<P>) {
        self.queues.push(queued);
    }

    /// Takes the packet to be sent at `now`; the PIE of its queue measures by it.
    pub(crate) fn take(&mut self, now: Instant) -> Dequeued<P> {
        self.queues.serve(|flow, _| match flow.line.head() {
            Some(_) => flow.aqm.take(now, &mut flow.line),
            None => Dequeued { packet: None, marked: false },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::DropCause;
    use crate::queue::testing::{TestPacket, at_ms, finds};
    use westwood_cc::Ecn;

    fn fq_pie(limit: u64) -> FqPie<TestPacket> {
        let pie = PieConfig { limit: Limit::Packets(limit), ..PieConfig::default() };
        let config = FqPieConfig { pie, ..FqPieConfig::default() };
        FqPie::new(&config, Random::new(1, "fq_pie")).expect("valid")
    }

    /// Offers a packet of this flow at this time, in ms; true if it is taken.
    fn offer(queue: &mut FqPie<TestPacket>, flow: u32, ms: u64) -> bool {
        let arrival = Arrival { now: at_ms(ms), waiting: queue.waiting(), ..finds(0) };
        let is_taken = queue.judge(&arrival, flow) == Verdict::Take;
        if is_taken {
            queue.push(TestPacket { flow, ecn: Ecn::NotEct }.queued(at_ms(ms)));
        }
        is_taken
    }

    /// The flow of the packet that leaves at this time, in ms.
    fn leaves(queue: &mut FqPie<TestPacket>, ms: u64) -> Option<u32> {
        queue.take(at_ms(ms)).packet.map(|queued| queued.packet.flow)
    }

    #[test]
    fn flows_take_turns_and_a_new_one_goes_first() {
        let mut queue = fq_pie(100);
        for flow in [1, 1, 1, 2, 2] {
            assert!(offer(&mut queue, flow, 0));
        }
        // A packet of 1500 bytes leaves 14 of the quantum, and the second overdraws it.
        assert_eq!([0, 1, 2, 3].map(|ms| leaves(&mut queue, ms)), [1, 1, 2, 2].map(Some));
        assert!(offer(&mut queue, 3, 4));
        assert_eq!([4, 5, 6].map(|ms| leaves(&mut queue, ms)), [Some(3), Some(1), None]);
    }

    #[test]
    fn the_limit_of_all_queues_costs_the_packet_that_comes() {
        let mut queue = fq_pie(4);
        for _ in 0..4 {
            assert!(offer(&mut queue, 1, 0));
        }
        let arrival = Arrival { waiting: queue.waiting(), ..finds(0) };
        assert_eq!(queue.judge(&arrival, 2), Verdict::Drop(DropCause::Overflow));
        assert_eq!(queue.waiting().packets, 4);
        // Nothing waits for a transmitter that is free.
        let free = Arrival { free: true, ..arrival };
        assert_eq!(queue.judge(&free, 2), Verdict::Take);
    }

    #[test]
    fn a_queue_that_stands_costs_its_own_flow_packets_and_no_other() {
        let mut queue = fq_pie(10_240);
        let (mut lost, mut lost_by_the_other) = (0, 0);
        // A link that sends a packet a millisecond; flow 1 offers two, and flow 2 one in ten milliseconds.
        for ms in 0..5_000 {
            lost += (0..2).filter(|_| !offer(&mut queue, 1, ms)).count();
            if ms % 10 == 5 {
                lost_by_the_other += usize::from(!offer(&mut queue, 2, ms));
            }
            leaves(&mut queue, ms);
        }
        assert!(lost > 1_000, "{lost}");
        assert_eq!(lost_by_the_other, 0);
    }

    #[test]
    fn an_empty_queue_forgets_its_probability_while_other_flows_send() {
        let mut queue = fq_pie(10_240);
        for ms in 0..5_000 {
            offer(&mut queue, 1, ms);
            offer(&mut queue, 1, ms);
            leaves(&mut queue, ms);
        }
        let before = queue.queues.of(1).aqm.probability();
        assert!(before > 0.1, "{before}");
        while leaves(&mut queue, 5_000).is_some() {}
        // Another flow's packets touch this queue no more than none at all would.
        for ms in 5_000..65_000 {
            assert!(offer(&mut queue, 2, ms));
            assert_eq!(leaves(&mut queue, ms), Some(2));
        }
        let arrival = Arrival { now: at_ms(65_000), waiting: queue.waiting(), ..finds(0) };
        assert_eq!(queue.judge(&arrival, 1), Verdict::Take);
        let after = queue.queues.of(1).aqm.probability();
        assert!(after <= 0.0, "{after}");
    }

    #[test]
    fn numbers_outside_their_ranges_are_refused() {
        let refused = |config: FqPieConfig| {
            FqPie::<TestPacket>::new(&config, Random::new(1, "fq_pie")).err().map(|e| e.to_string())
        };
        let usual = FqPieConfig::default();
        assert!(refused(FqPieConfig { flows: 0, ..usual }).is_some_and(|e| e.contains("flows")));
        let none = FqPieConfig { quantum: Bytes::ZERO, ..usual };
        assert!(refused(none).is_some_and(|e| e.contains("quantum")));
        let pie = PieConfig { ecn_limit: 2.0, ..usual.pie };
        assert!(refused(FqPieConfig { pie, ..usual }).is_some_and(|e| e.contains("ecn_limit")));
        assert_eq!(refused(usual), None);
    }
}
