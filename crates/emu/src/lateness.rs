//! The lateness of packets, which decides whether an emulation can be believed.

use std::fmt;

use westwood_cc::Duration;
use westwood_sim::Histogram;

/// The lateness with which packets were handed to their host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    packets: Histogram,
    worst: Duration,
}

impl Lateness {
    pub(crate) fn add(&mut self, late: Duration) {
        self.packets.add(late);
        self.worst = self.worst.max(late);
    }

    /// Packets that were measured.
    pub fn packets(&self) -> u64 {
        self.packets.summary().map_or(0, |s| s.samples)
    }

    /// So late was the middle one.
    pub fn median(&self) -> Duration {
        self.packets.summary().map_or(Duration::ZERO, |s| s.p50)
    }

    /// No more than one packet in a hundred was later.
    pub fn p99(&self) -> Duration {
        self.packets.summary().map_or(Duration::ZERO, |s| s.p99)
    }

    /// So late was the latest.
    pub fn worst(&self) -> Duration {
        self.worst
    }

    /// The default bound: a hundredth of the path's round-trip time, but not below 100 us, which no
    /// ordinary machine keeps.
    pub fn usual_bound(rtt: Duration) -> Duration {
        (rtt / 100).max(Duration::from_micros(100))
    }
}

impl fmt::Display for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |d: Duration| d.as_nanos() / 1_000;
        let (median, p99, worst) = (us(self.median()), us(self.p99()), us(self.worst));
        write!(f, "{median} us at the median, {p99} us at the 99th percentile, {worst} us at most")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_packet_in_a_hundred_may_be_later_than_the_99th_percentile() {
        let mut lateness = Lateness::default();
        for us in [vec![10; 99], vec![5_000]].concat() {
            lateness.add(Duration::from_micros(us));
        }
        assert!(lateness.p99() < Duration::from_micros(11));
        lateness.add(Duration::from_micros(5_000));
        assert!(lateness.p99() > Duration::from_micros(4_900));
        assert_eq!(lateness.worst(), Duration::from_micros(5_000));
    }

    #[test]
    fn a_short_path_has_a_bound_that_machines_can_keep() {
        assert_eq!(Lateness::usual_bound(Duration::from_millis(100)), Duration::from_millis(1));
        assert_eq!(Lateness::usual_bound(Duration::from_millis(1)), Duration::from_micros(100));
    }
}
