//! Slow start: how the window opens while it is below ssthresh, and what ends the first one.
//!
//! Most controllers open by [`standard`] or by Linux's form of it. The first slow start of a connection
//! has no threshold and ends in a full queue, unless something watches it: a [`SlowStartWatcher`] slows
//! it down or ends it, beside any controller that commands the window alone.
//!
//! | name | sign that the path is full | source |
//! |---|---|---|
//! | [`HyStartPlusPlus`] | the round-trip time of a round rises | RFC 9406 |
//! | [`Search`] | less is delivered than was sent a round-trip time ago | draft-chung-ccwg-search-09 |
//! | [`FirstAcks`] | none: the first three ACKs tell the bandwidth | J. C. Hoe, SIGCOMM 1996 |

mod first_acks;
mod hystart_plus_plus;
mod search;

pub use first_acks::FirstAcks;
pub use hystart_plus_plus::HyStartPlusPlus;
pub use search::Search;

use crate::controller::{Ack, Window};
use crate::units::Segments;

/// The verdict of slow start on an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStartGrowth {
    /// The next window.
    pub window: Window,
    /// The credit that slow start had no use for; the increase takes it.
    pub left: Segments,
}

/// Standard slow start: RFC 5681 section 3.1, equation 2; the papers' "cwnd += 1".
///
/// The window grows by what the ACK counts, and stops at ssthresh when an ACK counts for more than
/// one segment. From ssthresh on it takes nothing.
///
/// With a credit of one segment an ACK (the papers, ns-2) the whole segment is taken even when that
/// carries a fractional window past ssthresh, as `if cwnd < ssthresh: cwnd += 1` does. A larger
/// credit is split at ssthresh, as Linux's `tcp_slow_start` does.
#[inline]
pub fn standard(w: Window, credit: Segments) -> SlowStartGrowth {
    if !w.in_slow_start() {
        return SlowStartGrowth { window: w, left: credit };
    }
    let used = if credit <= Segments::ONE { credit } else { credit.min(w.ssthresh - w.cwnd) };
    SlowStartGrowth { window: Window { cwnd: w.cwnd + used, ..w }, left: credit - used }
}

crate::choices! {
    /// How the first slow start of a connection ends.
    pub enum FirstSlowStart {
        /// By a loss or a mark, or by the controller's own judgement.
        Standard = "standard",
        /// By a rise of the round-trip time (RFC 9406).
        HyStartPlusPlus = "hystart++",
        /// By a flattening of deliveries (draft-chung-ccwg-search).
        Search = "search",
        /// At the bandwidth of the first three ACKs times the round-trip time (Hoe 1996).
        FirstAcks = "hoe",
    }
}

/// The controller's task for an ACK of the first slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStartInput {
    /// The window to grow from: with a lower ssthresh if slow start ends.
    pub window: Window,
    /// The credit to grow by.
    pub credit: Segments,
}

/// Watches the first slow start of a connection, whatever the controller.
///
/// ```
/// use westwood_cc::slow_start::{FirstSlowStart, SlowStartWatcher};
/// assert!(SlowStartWatcher::new(FirstSlowStart::Standard, false).is_none());
/// assert!(SlowStartWatcher::new(FirstSlowStart::Search, false).is_some());
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is no allocator to box the bins with")]
pub enum SlowStartWatcher {
    /// See [`HyStartPlusPlus`].
    HyStartPlusPlus(HyStartPlusPlus),
    /// See [`Search`].
    Search(Search),
    /// See [`FirstAcks`].
    FirstAcks(FirstAcks),
}

impl SlowStartWatcher {
    /// The watcher of this name; none for the standard slow start. A `paced` sender spreads its
    /// segments over the round-trip time.
    pub fn new(choice: FirstSlowStart, paced: bool) -> Option<Self> {
        match choice {
            FirstSlowStart::Standard => None,
            FirstSlowStart::HyStartPlusPlus => {
                Some(Self::HyStartPlusPlus(HyStartPlusPlus::new(paced)))
            }
            FirstSlowStart::Search => Some(Self::Search(Search::new())),
            FirstSlowStart::FirstAcks => Some(Self::FirstAcks(FirstAcks::default())),
        }
    }

    /// Takes in one ACK, before the window grows.
    pub fn measure(&mut self, ack: &Ack) {
        match self {
            Self::HyStartPlusPlus(it) => it.measure(ack),
            Self::Search(it) => it.measure(ack),
            Self::FirstAcks(it) => it.measure(ack),
        }
    }

    /// The effect of the ACK taken in last on the window, which is below ssthresh.
    pub fn apply(&mut self, window: Window, credit: Segments) -> SlowStartInput {
        match self {
            Self::HyStartPlusPlus(it) => it.apply(window, credit),
            Self::Search(it) => it.apply(window, credit),
            Self::FirstAcks(it) => it.apply(window, credit),
        }
    }
}

impl SlowStartInput {
    /// Slow start goes on.
    const fn on(window: Window, credit: Segments) -> Self {
        Self { window, credit }
    }

    /// Slow start ends at the present window.
    const fn end(window: Window, credit: Segments) -> Self {
        Self { window: Window { ssthresh: window.cwnd, ..window }, credit }
    }
}
