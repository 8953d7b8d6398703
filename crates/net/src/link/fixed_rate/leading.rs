//! Links behind a slower one.
//!
//! Packets of one size leave a transmitter spaced by its service time. A link with the same or a shorter
//! service time has sent one packet when the next comes: each finds the transmitter at rest, and crosses in
//! a constant time. So the slower link leads: it computes the arrival behind all that follow it, and their
//! statistics are worked out when they are asked for.

use westwood_cc::{Duration, Instant};

use super::FixedRate;

/// The state of a link that leads others.
#[derive(Debug)]
pub(crate) struct Lead {
    /// Packets that had still to pass when it began to lead.
    left: u64,
    /// How long a packet takes from its far end over all that follow.
    beyond: Duration,
}

impl FixedRate {
    /// True if others follow.
    #[inline]
    pub(crate) fn leads(&self) -> bool {
        self.leads
    }

    /// How long a packet of the last size takes to the far end if the transmitter rests.
    pub(crate) fn crossing(&self) -> Option<Duration> {
        let nanos = self.serializer.least_time().as_nanos().checked_add(self.delay.as_nanos())?;
        Some(Duration::from_nanos(nanos))
    }

    /// From the transmitter to the far end, without losses and jitter.
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    /// True if packets of `leader`'s last size always find this transmitter idle, `later` after leaving
    /// `leader`, and take the same time here. One that has to wake up for each follows nobody.
    pub(crate) fn can_follow(&self, leader: &Self, later: Duration) -> bool {
        let (time, apart) = (self.serializer.least_time(), leader.serializer.least_time());
        let ahead = apart.as_nanos().checked_add(later.as_nanos()).map(Duration::from_nanos);
        let Some(next) = ahead.and_then(|ahead| leader.busy_until.checked_add(ahead)) else {
            return false;
        };
        // A packet may come at the instant when the one before leaves, if no remainder is carried over.
        let comes_in_time = if self.serializer.never_carries() {
            time <= apart && self.busy_until <= next
        } else {
            time < apart && self.busy_until < next
        };
        let is_awake = self.serializer.wake_up().is_zero();
        let is_simple = !self.is_judged && !self.is_impaired() && !self.leads && is_awake;
        is_simple && comes_in_time && self.serializer.divides_like(&leader.serializer)
    }

    /// Leads others, which a packet crosses in `beyond`.
    pub(crate) fn lead(&mut self, beyond: Duration) {
        let left = self.left;
        self.cold().lead = Some(Lead { left, beyond });
        self.delay += beyond;
        self.leads = true;
    }

    /// Stops leading. Answers how many packets have passed meanwhile, and when the last of them arrived at
    /// the far end.
    pub(crate) fn part(&mut self) -> (u64, Instant) {
        self.leads = false;
        if let Some(Lead { left, beyond }) = self.cold().lead.take() {
            self.delay = self.delay - beyond;
            return (left.wrapping_sub(self.left), self.busy_until + self.delay);
        }
        (0, self.busy_until + self.delay)
    }

    /// Catches up on the `packets` that passed while another link led, the last of which came at `last`.
    /// Answers when that one arrives at the far end.
    pub(crate) fn catch_up(&mut self, packets: u64, last: Instant) -> Instant {
        let time = self.serializer.least_time();
        if packets > 0 {
            self.busy_until = last + time;
            self.serializer.rest_before_last();
            self.left = self.left.wrapping_sub(packets);
        }
        last + time + self.delay
    }
}
