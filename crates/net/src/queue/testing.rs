//! Shared parts of the tests of queues.

use westwood_cc::{Bytes, Instant};

use super::Arrival;
use crate::stats::Traffic;

/// An arrival that finds so many packets of 1500 bytes.
pub(super) fn finds(packets: u64) -> Arrival {
    Arrival {
        now: Instant::ZERO,
        waiting: Traffic { packets, bytes: Bytes::new(1500 * packets) },
        free: false,
        idle_since: None,
        size: Bytes::new(1500),
        ect: false,
    }
}
