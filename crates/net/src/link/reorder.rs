//! Reordering by a number of packets: a share of them is held back until others have passed.
//!
//! ```text
//! 1 2 3 4 5 6  -->  1 3 4 5 2 6      packet 2 is held back by three
//! ```
//!
//! The reordering extent of RFC 4737 (section 4.2.1) of such a packet is `by`, so that a sender with the
//! classic threshold of three duplicate ACKs (RFC 5681 section 3.2) takes it for lost from `by` = 3 on.
//! A packet that nothing follows arrives `within` a time of when it would have. Packets that are held
//! back themselves, or lost, have not passed. Delay that varies ([`Jitter`](crate::Jitter)) reorders
//! by time instead, and a link does one or the other.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::link::wire::WireArrival;
use crate::random::Random;

/// Which packets are overtaken, and by how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReorderConfig {
    /// The share of packets that are held back, each by chance.
    pub p: f64,
    /// So many later packets pass first, 1 to 10,000.
    pub by: u32,
    /// How long a packet is held back at most: a day or less.
    pub within: Duration,
}

impl ReorderConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        LinkError::unless_probability(self.p, "reorder.p")?;
        LinkError::unless((1..=10_000).contains(&self.by), "reorder.by", "within 1 to 10000")?;
        let bounded = self.within <= Duration::from_secs(86_400);
        LinkError::unless(bounded, "reorder.within", "at most a day")
    }
}

/// A packet that is held back.
#[derive(Debug)]
struct OvertakenPacket<P> {
    until: Instant,
    left: u32,
    landing: WireArrival,
    packet: P,
}

/// Reordering at work.
#[derive(Debug)]
pub(crate) struct Reorder<P> {
    config: ReorderConfig,
    random: Random,
    /// In order of their landings, and so of their limits.
    held: VecDeque<OvertakenPacket<P>>,
}

impl<P> Reorder<P> {
    pub(crate) fn new(config: ReorderConfig, random: Random) -> Self {
        Self { config, random, held: VecDeque::new() }
    }

    /// Takes a packet that arrives at `landing`. Packets that arrive up to then go to `land`, in order.
    pub(crate) fn pass(
        &mut self,
        landing: WireArrival,
        packet: P,
        land: &mut impl FnMut(WireArrival, P),
    ) {
        self.expire(landing.at, land);
        // Drawn for lost packets as well, so that losses move no draw.
        let chosen = self.random.chance(self.config.p);
        if landing.lost {
            land(landing, packet);
        } else if chosen {
            let (until, left) = (landing.at + self.config.within, self.config.by);
            self.held.push_back(OvertakenPacket { until, left, landing, packet });
        } else {
            land(landing, packet);
            self.count(landing.at, land);
        }
    }

    /// A packet has passed at this time.
    fn count(&mut self, at: Instant, land: &mut impl FnMut(WireArrival, P)) {
        for held in &mut self.held {
            held.left -= 1;
        }
        // Those that are held back longest have been passed most often.
        while self.held.front().is_some_and(|held| held.left == 0)
            && let Some(held) = self.held.pop_front()
        {
            land(WireArrival { at: held.landing.at.max(at), ..held.landing }, held.packet);
        }
    }

    /// Lands what has been held back until `now` or earlier.
    pub(crate) fn expire(&mut self, now: Instant, land: &mut impl FnMut(WireArrival, P)) {
        while self.held.front().is_some_and(|held| held.until <= now)
            && let Some(held) = self.held.pop_front()
        {
            land(WireArrival { at: held.until, ..held.landing }, held.packet);
        }
    }

    /// When a packet has been held back long enough.
    pub(crate) fn next_event(&self) -> Instant {
        self.held.front().map_or(Instant::FAR_FUTURE, |held| held.until)
    }

    /// The packets that are held back.
    pub(crate) fn held(&self) -> impl Iterator<Item = &P> {
        self.held.iter().map(|held| &held.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_that_has_been_held_its_time_lands_before_one_that_arrives_later() {
        let at_ms = |ms: u64| Instant::from_nanos(1_000_000 * ms);
        let config = ReorderConfig { p: 1.0, by: 1, within: Duration::from_millis(5) };
        let mut reorder = Reorder::new(config, Random::new(1, "reorder"));
        let mut landed = Vec::new();
        let mut land = |landing: WireArrival, packet: u32| landed.push((landing.at, packet));
        reorder.pass(WireArrival { at: at_ms(10), lost: false }, 1, &mut land);
        reorder.config.p = 0.0;
        reorder.pass(WireArrival { at: at_ms(20), lost: false }, 2, &mut land);
        assert_eq!(landed, [(at_ms(15), 1), (at_ms(20), 2)]);
    }
}
