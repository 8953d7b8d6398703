//! How far ahead a packet may be followed.
//!
//! A link is *private* if only one flow's one direction uses it and its packets' fates are known on
//! offer. What happens on it depends on nothing but the packets that come to it, in their order, so
//! whoever sends them there may do so before their time. A receiver may be run ahead in the same way
//! if the first link of its way back is private: what it does depends on the packets of its flow
//! alone, and so do its ACKs on that link.
//!
//! Everything else happens in the present: at a link that others use too the order of arrivals
//! matters, a sender's answer depends on its timers and its application, and the connections of short
//! flows share receivers' accounts.

use super::line::Line;
use crate::network::{LinkId, Network, Traffic};
use crate::routes::{Cursor, Route, Routes};

/// The next link of a packet, and what comes behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) link: LinkId,
    /// What comes behind the link may be done at once.
    pub(super) onward: bool,
}

/// For each place on each way the next hop.
#[derive(Debug, Default)]
pub(super) struct Plan {
    hops: Vec<u32>,
}

const END: u32 = u32::MAX;
/// The bit of a hop behind which the packet waits for its time.
const WAITS: u32 = 1 << 31;

impl Plan {
    /// The next hop; none at the end of a way.
    #[inline]
    pub(super) fn hop(&self, at: Cursor) -> Option<Hop> {
        let hop = *self.hops.get(at.number() as usize)?;
        if hop == END {
            return None;
        }
        Some(Hop { link: (hop & !WAITS) as usize, onward: hop & WAITS == 0 })
    }

    /// The plan for a network with these links.
    pub(super) fn of(network: &Network, routes: &Routes, lines: &[Line]) -> Self {
        let uses = uses(network, routes);
        let private = |link: LinkId| uses[link] == 1 && lines[link].is_foreseen();
        let mut hops = vec![END; routes.places()];
        for (flow, spec) in network.flows.iter().enumerate() {
            let Route { there, back } = routes.flow(flow);
            let receiver_ahead = match spec.traffic {
                Traffic::Udp { .. } => true,
                Traffic::Tcp(..) => routes.link(back).is_some_and(private),
                Traffic::ShortFlows { .. } => false,
            };
            for (way, end_ahead) in [(there, receiver_ahead), (back, false)] {
                let links: Vec<LinkId> = routes.links(way).collect();
                for (i, &link) in links.iter().enumerate() {
                    let ahead = links.get(i + 1).map_or(end_ahead, |&next| private(next));
                    let onward = ahead && lines[link].is_foreseen();
                    let number = u32::try_from(link).unwrap_or(END) & !WAITS;
                    hops[way.number() as usize + i] = if onward { number } else { number | WAITS };
                }
            }
        }
        Self { hops }
    }
}

/// How many places on the ways of all flows each link has.
fn uses(network: &Network, routes: &Routes) -> Vec<usize> {
    let mut uses = vec![0; network.links.len()];
    for (flow, spec) in network.flows.iter().enumerate() {
        let Route { there, back } = routes.flow(flow);
        // Nothing answers a datagram.
        let answered = !matches!(spec.traffic, Traffic::Udp { .. });
        let back = answered.then(|| routes.links(back)).into_iter().flatten();
        for link in routes.links(there).chain(back) {
            uses[link] += 1;
        }
    }
    uses
}
