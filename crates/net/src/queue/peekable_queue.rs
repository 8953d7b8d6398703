//! A queue that gives its next packet early.
//!
//! A token bucket of Linux (`sch_tbf`, `sch_htb`) looks at the next packet of the queue inside it as soon as
//! the one before has left. Queues that decide at departures (CoDel, PIE, and both with a queue for each
//! flow) have no other way to show a packet than to take it out: it is judged by the time that it has waited
//! until then, and waits for its tokens apart. That packet counts as waiting, but a queue of a flow no longer
//! has it. `sch_dualpi2` shows packets so, too, which is not modelled.

use westwood_cc::Instant;

use crate::packet::Packet;
use crate::queue::Queue;
use crate::queue::fifo::{Dequeued, Queued};
use crate::stats::PacketCount;

/// A queue, and the packet that was taken out of it before the transmitter is free.
#[derive(Debug)]
pub(crate) struct PeekableQueue<P> {
    pub(super) queue: Queue<P>,
    next: Option<Dequeued<P>>,
}

impl<P: Packet> PeekableQueue<P> {
    pub(crate) fn new(queue: Queue<P>) -> Self {
        Self { queue, next: None }
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        let mut waiting = self.queue.waiting();
        if let Some(queued) = self.next.as_ref().and_then(|taken| taken.packet.as_ref()) {
            waiting.add(queued.size);
        }
        waiting
    }

    /// Takes a packet in. If no other waits for the transmitter, it is taken out at once.
    pub(crate) fn push(&mut self, queued: Queued<P>, free: bool, drop: &mut dyn FnMut(Queued<P>)) {
        let now = queued.arrived;
        self.queue.push(queued, free, drop);
        if self.next.is_none() {
            self.peek(now, drop);
        }
    }

    /// Takes the packet to be sent at `now`, and looks at the one behind it.
    pub(crate) fn take(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) -> Dequeued<P> {
        let taken = self.next.take().unwrap_or_else(|| self.queue.take(now, drop));
        self.peek(now, drop);
        taken
    }

    fn peek(&mut self, now: Instant, drop: &mut dyn FnMut(Queued<P>)) {
        self.next = Some(self.queue.take(now, drop)).filter(|taken| taken.packet.is_some());
    }
}
