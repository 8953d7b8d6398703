//! Controlled delay.
//!
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management",
//! RFC 8289, 2018, whose pseudocode (section 5) this follows. When packets have waited longer than
//! a target for a whole interval, the packet at the head is dropped, then another and another, each
//! a little sooner than the last, until the wait is short again.
//!
//! Linux computes the root of the control law by [`InverseRoot::Newton`], which is off for small counts.
//!
//! A mark stands for a drop; the marked packet is sent. As in Linux, a mark then ends the search
//! for this departure, where a drop looks at the next packet.
//!
//! With a [`CeThreshold`] every packet that waited longer is marked as well, whatever the target: a step for
//! scalable senders, as `ce_threshold` of Linux's `sch_codel.c` and `sch_fq_codel.c` (with
//! `ce_threshold_selector` 1 and mask 3 for ECT(1) alone).

use westwood_cc::{Bytes, Duration, Ecn, Instant};

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::fifo::{Dequeued, PacketFifo, Queued};
use crate::queue::{Limit, takes_mark};

/// CoDel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelConfig {
    /// How much may wait.
    pub limit: Limit,
    /// The wait that is acceptable (RFC 8289 section 4.4: 5 ms).
    pub target: Duration,
    /// How long it may be exceeded: about a round-trip time (RFC 8289 section 4.3: 100 ms).
    pub interval: Duration,
    /// A queue of no more bytes than this is left alone: the largest packet.
    pub mtu: Bytes,
    /// Mark packets that understand ECN where others are dropped.
    pub ecn: bool,
    /// Mark what waited longer than this, too.
    pub ce_threshold: Option<CeThreshold>,
    /// How the control law computes its root.
    pub root: InverseRoot,
}

/// How the control law computes `1 / sqrt(count)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InverseRoot {
    /// Exactly, as RFC 8289 has it: the time to the next signal is rounded down to nanoseconds.
    #[default]
    Exact,
    /// One step of Newton's method from the last root whenever the count changes, in 16 bits
    /// (`codel_Newton_step` of Linux's `include/net/codel_impl.h`). The step from 1 to 2 gives 0.5 in place
    /// of 0.71, so that the third signal comes 50 ms after the second, and not 71 ms. Linux's clock has
    /// units of 1.024 us, and this one nanoseconds.
    Newton,
}

/// A step beside CoDel's own law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CeThreshold {
    /// A packet that waited longer is marked; at most 100 s.
    pub wait: Duration,
    /// Only packets with ECT(1) are, which scalable senders send.
    pub ect1_only: bool,
}

impl CeThreshold {
    /// True if a packet of this codepoint that waited so long is to be marked.
    fn selects(self, ecn: Ecn, waited: Duration) -> bool {
        waited > self.wait && (!self.ect1_only || ecn == Ecn::Ect1)
    }
}

impl Default for CoDelConfig {
    fn default() -> Self {
        Self {
            limit: Limit::Packets(1000),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: Bytes::new(1500),
            ecn: false,
            ce_threshold: None,
            root: InverseRoot::Exact,
        }
    }
}

/// CoDel's state for one line of packets.
#[derive(Clone, Debug)]
pub(crate) struct CoDel {
    target: Duration,
    interval: Duration,
    mtu: Bytes,
    ecn: bool,
    ce_threshold: Option<CeThreshold>,
    /// When the wait will have been too long for an interval, if it is too long now.
    first_above: Option<Instant>,
    dropping: bool,
    drop_next: Instant,
    count: u64,
    last_count: u64,
    root: InverseRoot,
    /// Newton's approximation of 1 / sqrt(count), in 2^-16.
    newton: u16,
}

impl CoDel {
    pub(crate) fn new(config: &CoDelConfig) -> Result<Self, LinkError> {
        let bounded = !config.interval.is_zero() && config.interval <= Duration::from_secs(100);
        LinkError::unless(bounded, "queue.interval", "more than zero and at most 100 s")?;
        let bounded = !config.target.is_zero() && config.target <= config.interval;
        LinkError::unless(bounded, "queue.target", "more than zero and at most the interval")?;
        let wait = config.ce_threshold.map_or(Duration::ZERO, |threshold| threshold.wait);
        let bounded = wait <= Duration::from_secs(100);
        LinkError::unless(bounded, "queue.ce_threshold", "at most 100 s")?;
        Ok(Self {
            target: config.target,
            interval: config.interval,
            mtu: config.mtu,
            ecn: config.ecn,
            ce_threshold: config.ce_threshold,
            first_above: None,
            dropping: false,
            drop_next: Instant::ZERO,
            count: 0,
            last_count: 0,
            root: config.root,
            newton: u16::MAX,
        })
    }

    /// So many packets went because the queue was full. As in Linux's `sch_fq_codel`, they raise the count by
    /// which the control law speeds up; RFC 8290 does not say so.
    pub(crate) fn overflows(&mut self, packets: u64) {
        self.count += packets;
    }

    /// Takes the packet to be sent at `now`; what is dropped on the way goes to `drop`. So much waits
    /// `beside` the line for the same transmitter.
    pub(crate) fn take<P: Packet>(
        &mut self,
        now: Instant,
        line: &mut PacketFifo<P>,
        beside: Bytes,
        drop: &mut dyn FnMut(Queued<P>),
    ) -> Dequeued<P> {
        let mut taken = self.take_by_law(now, line, beside, drop);
        if let (Some(threshold), Some(queued), false) =
            (self.ce_threshold, &taken.packet, taken.marked)
            && threshold.selects(queued.packet.ecn(), now.since(queued.arrived))
        {
            taken.marked = takes_mark(queued);
        }
        taken
    }

    /// The same by CoDel's own law.
    fn take_by_law<P: Packet>(
        &mut self,
        now: Instant,
        line: &mut PacketFifo<P>,
        beside: Bytes,
        drop: &mut dyn FnMut(Queued<P>),
    ) -> Dequeued<P> {
        let (mut head, mut too_long) = self.next(now, line, beside);
        if self.dropping {
            self.dropping = too_long;
            while self.dropping && now >= self.drop_next {
                self.set_count(self.count + 1);
                if self.marks(head.as_ref()) {
                    self.drop_next = self.after(self.drop_next);
                    return Dequeued { packet: head, marked: true };
                }
                head.into_iter().for_each(&mut *drop);
                (head, too_long) = self.next(now, line, beside);
                self.dropping = too_long;
                if too_long {
                    self.drop_next = self.after(self.drop_next);
                }
            }
            return Dequeued { packet: head, marked: false };
        }
        if !too_long {
            return Dequeued { packet: head, marked: false };
        }
        let marked = self.marks(head.as_ref());
        if !marked {
            head.into_iter().for_each(&mut *drop);
            (head, _) = self.next(now, line, beside);
        }
        self.enter(now);
        Dequeued { packet: head, marked }
    }

    /// The next packet, and whether packets have waited too long for an interval.
    fn next<P>(
        &mut self,
        now: Instant,
        line: &mut PacketFifo<P>,
        beside: Bytes,
    ) -> (Option<Queued<P>>, bool) {
        let head = line.pop();
        let is_little = line.waiting().bytes + beside <= self.mtu;
        let short = head.as_ref().is_none_or(|p| now.since(p.arrived) < self.target || is_little);
        if short {
            self.first_above = None;
            return (head, false);
        }
        let first_above = *self.first_above.get_or_insert(now + self.interval);
        (head, now >= first_above)
    }

    /// Begins to drop; where the last time left off, if that was recent.
    fn enter(&mut self, now: Instant) {
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.drop_next) < self.interval * 16;
        self.set_count(if delta > 1 && recent { delta } else { 1 });
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = self.after(now);
    }

    /// Sets the count, and takes a step towards its root.
    fn set_count(&mut self, count: u64) {
        self.count = count;
        self.newton = if count == 1 { u16::MAX } else { newton_step(self.newton, count) };
    }

    /// The control law: `t + interval / sqrt(count)`, rounded down to nanoseconds.
    fn after(&self, t: Instant) -> Instant {
        let interval = u128::from(self.interval.as_nanos());
        let step = match self.root {
            InverseRoot::Exact => (interval * interval / u128::from(self.count.max(1))).isqrt(),
            InverseRoot::Newton => (interval * u128::from(self.newton)) >> 16,
        };
        t + Duration::from_nanos(u64::try_from(step).unwrap_or(u64::MAX))
    }

    fn marks<P: Packet>(&self, head: Option<&Queued<P>>) -> bool {
        self.ecn && head.is_some_and(takes_mark)
    }
}

/// A better root of a count than this one: `root * (3 - count * root^2) / 2`, in the kernel's integers. It
/// wraps as they do where the last root is too large for the count.
fn newton_step(root: u16, count: u64) -> u16 {
    let root = u64::from(root) << 16;
    let square = (root * root) >> 32;
    // The kernel's count has 32 bits.
    let product = (count & u64::from(u32::MAX)).wrapping_mul(square);
    let rest = (3_u64 << 32).wrapping_sub(product) >> 2;
    let better = rest.wrapping_mul(root) >> 31;
    u16::try_from((better >> 16) & u64::from(u16::MAX)).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_is_half_at_two_and_near_the_root_soon_after() {
        let mut root = u16::MAX;
        let mut roots = Vec::new();
        for count in 2..=20 {
            root = newton_step(root, count);
            roots.push(f64::from(root) / 65_536.0);
        }
        // 1 * (3 - 2 * 1) / 2, and 0.5 * (3 - 3 / 4) / 2.
        assert!((roots[0] - 0.5).abs() < 1e-4, "{}", roots[0]);
        assert!((roots[1] - 0.5625).abs() < 1e-4, "{}", roots[1]);
        for (root, count) in roots.iter().zip(2_u32..).skip(8) {
            let exact = f64::from(count).sqrt().recip();
            assert!((root / exact - 1.0).abs() < 0.01, "{count}: {root}, {exact}");
        }
    }
}
