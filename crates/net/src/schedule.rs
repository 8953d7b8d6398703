//! Links that change at given times.

use westwood_cc::{Duration, Instant, Rate};

use crate::loss::LossConfig;

/// A change of a link at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When. Holds from this instant on, events of the instant included.
    pub at: Instant,
    /// What.
    pub what: LinkChange,
}

/// A property that may change.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkChange {
    /// The rate of the bits sent from now on; a packet in the transmitter sends its remaining bits
    /// at the new rate. Zero stops the transmitter.
    Rate(Rate),
    /// The delay of packets that leave the transmitter from now on. None overtakes a packet ahead of
    /// it, unless the link's jitter reorders.
    Delay(Duration),
    /// The loss processes, which replace the present ones and count time and packets from now on.
    Losses(Vec<LossConfig>),
}
