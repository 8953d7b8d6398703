//! Which links a flow's packets take.

use westwood_cc::{Bytes, Duration};
use westwood_net::Capacity;

use crate::error::SimError;
use crate::network::{FlowSpec, LinkId, Network, NodeId};

/// The links of the way there and of the way back.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) there: Box<[LinkId]>,
    pub(crate) back: Box<[LinkId]>,
}

impl Route {
    /// The given paths, or those of least total propagation delay; of two equal ones the one with
    /// fewer links.
    pub(crate) fn of(network: &Network, flow: &FlowSpec) -> Result<Self, SimError> {
        let way = |given: &Option<Vec<LinkId>>, from, to| match given {
            Some(path) => checked(network, flow, path, from, to),
            None => least_delay(network, from, to).ok_or_else(|| SimError::NoRoute {
                flow: flow.name.clone(),
                from: network.nodes[from].clone(),
                to: network.nodes[to].clone(),
            }),
        };
        Ok(Self {
            there: way(&flow.path, flow.from, flow.to)?,
            back: way(&flow.return_path, flow.to, flow.from)?,
        })
    }

    /// Propagation and transmission of a data packet there and an ACK back, over empty queues.
    /// Recorded capacity counts as transmitting at once.
    pub(crate) fn base_rtt(&self, network: &Network, data: Bytes, ack: Bytes) -> Duration {
        let cross = |links: &[LinkId], size: Bytes| {
            links.iter().fold(Duration::ZERO, |sum, &l| {
                let config = &network.links[l].config;
                let transmission = match &config.capacity {
                    Capacity::Fixed(rate) => nanos_to_send(size, rate.raw()),
                    Capacity::Recorded(_) => Duration::ZERO,
                };
                sum + config.delay + transmission
            })
        };
        cross(&self.there, data) + cross(&self.back, ack)
    }
}

fn nanos_to_send(size: Bytes, raw_rate: u64) -> Duration {
    let scaled = (u128::from(size.get()) * 1_000_000_000) << 16;
    Duration::from_nanos(
        scaled
            .checked_div(u128::from(raw_rate))
            .map_or(0, |ns| u64::try_from(ns).unwrap_or(0)),
    )
}

fn checked(
    network: &Network,
    flow: &FlowSpec,
    path: &[LinkId],
    from: NodeId,
    to: NodeId,
) -> Result<Box<[LinkId]>, SimError> {
    let broken = || SimError::BrokenPath {
        flow: flow.name.clone(),
    };
    let mut at = from;
    for &l in path {
        let link = network
            .links
            .get(l)
            .filter(|link| link.from == at)
            .ok_or_else(broken)?;
        at = link.to;
    }
    if at == to && !path.is_empty() {
        Ok(path.into())
    } else {
        Err(broken())
    }
}

/// Dijkstra's algorithm, plainly: networks here have few nodes, or many that hang on one.
fn least_delay(network: &Network, from: NodeId, to: NodeId) -> Option<Box<[LinkId]>> {
    if from == to {
        return None;
    }
    let mut leaving = vec![Vec::new(); network.nodes.len()];
    for (id, link) in network.links.iter().enumerate() {
        leaving[link.from].push(id);
    }
    let mut best: Vec<Option<(Duration, usize, LinkId)>> = vec![None; network.nodes.len()];
    let mut heap = std::collections::BinaryHeap::new();
    heap.push(std::cmp::Reverse((Duration::ZERO, 0, from)));
    while let Some(std::cmp::Reverse((delay, hops, node))) = heap.pop() {
        if node == to {
            break;
        }
        if best[node].is_some_and(|(d, h, _)| (d, h) < (delay, hops)) {
            continue;
        }
        for &l in &leaving[node] {
            let link = &network.links[l];
            let reached = (delay + link.config.delay, hops + 1);
            let better = best[link.to].is_none_or(|(d, h, _)| reached < (d, h));
            if better && link.to != from {
                best[link.to] = Some((reached.0, reached.1, l));
                heap.push(std::cmp::Reverse((reached.0, reached.1, link.to)));
            }
        }
    }
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let (_, _, l) = best[node]?;
        path.push(l);
        node = network.links[l].from;
    }
    path.reverse();
    Some(path.into())
}
