//! Deficit round robin over the queues of flows, those that have just begun first (RFC 8290 section 4.2).

use std::collections::VecDeque;

use westwood_cc::Bytes;

/// The order in which queues are served.
///
/// A queue that [joins](Self::join) is new and has a quantum of bytes. The first new queue is served, or the
/// first old one. A packet may overdraw the bytes of its queue; the queue then goes behind the old ones with
/// another quantum.
#[derive(Clone, Debug)]
pub(crate) struct RoundRobin {
    /// Bytes that each queue may still send in its turn.
    credits: Vec<i64>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    quantum: i64,
}

impl RoundRobin {
    /// An order of `queues` queues, none of which has joined.
    pub(crate) fn new(queues: usize, quantum: Bytes) -> Self {
        let mut order = Self {
            credits: vec![0; queues],
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: 0,
        };
        order.set_quantum(quantum);
        order
    }

    /// Bytes of a turn, for turns that begin later.
    pub(crate) fn set_quantum(&mut self, quantum: Bytes) {
        self.quantum = signed(quantum);
    }

    /// A queue that has not joined becomes the last of the new ones.
    pub(crate) fn join(&mut self, queue: usize) {
        self.credits[queue] = self.quantum;
        self.new.push_back(queue);
    }

    /// The queue whose turn it is; none if none has joined. The quantum is above zero.
    pub(crate) fn turn(&mut self) -> Option<usize> {
        loop {
            let queue = *self.new.front().or(self.old.front())?;
            if self.credits[queue] > 0 {
                return Some(queue);
            }
            self.credits[queue] += self.quantum;
            self.send_back();
        }
    }

    /// The queue has sent a packet of this size.
    pub(crate) fn sent(&mut self, queue: usize, size: Bytes) {
        self.credits[queue] -= signed(size);
    }

    /// The queue whose turn it is goes behind the old ones.
    pub(crate) fn send_back(&mut self) {
        if let Some(queue) = self.leave() {
            self.old.push_back(queue);
        }
    }

    /// The queue whose turn it is has been found empty; true if it leaves. A new one goes behind the old ones
    /// once, or a flow could stay new for ever by being empty for an instant (section 4.2).
    pub(crate) fn pass(&mut self) -> bool {
        let stays = !self.new.is_empty() && !self.old.is_empty();
        if stays {
            self.send_back();
        } else {
            self.leave();
        }
        !stays
    }

    /// The queue whose turn it is leaves.
    pub(crate) fn leave(&mut self) -> Option<usize> {
        self.new.pop_front().or_else(|| self.old.pop_front())
    }
}

/// Sizes and quanta are far below 2^63.
fn signed(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves so many packets of 1000 bytes. Answers their queues.
    fn served(order: &mut RoundRobin, packets: usize) -> Vec<usize> {
        let one = |_| {
            let queue = order.turn().expect("a queue has joined");
            order.sent(queue, Bytes::new(1000));
            queue
        };
        (0..packets).map(one).collect()
    }

    #[test]
    fn rfc8290_4_2_a_quantum_bounds_a_turn_and_new_queues_go_first() {
        let mut order = RoundRobin::new(3, Bytes::new(2000));
        order.join(0);
        order.join(1);
        assert_eq!(served(&mut order, 6), [0, 0, 1, 1, 0, 0]);
        order.join(2);
        assert_eq!(served(&mut order, 4), [2, 2, 1, 1]);
    }

    #[test]
    fn rfc8290_4_2_an_overdraft_is_paid_in_the_turns_that_follow() {
        let mut order = RoundRobin::new(2, Bytes::new(500));
        order.join(0);
        order.join(1);
        // A packet of 1000 bytes takes two turns of 500.
        assert_eq!(served(&mut order, 4), [0, 1, 0, 1]);
        assert_eq!((order.turn(), order.leave()), (Some(0), Some(0)));
        assert_eq!(served(&mut order, 2), [1, 1]);
        assert_eq!((order.turn(), order.leave()), (Some(1), Some(1)));
        assert_eq!(order.turn(), None);
    }
}
