//! Which links a flow's packets take.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::Capacity;

use crate::error::SimError;
use crate::media::REPORT_SIZE;
use crate::network::{FlowSpec, LinkId, Network, NodeId, Traffic};

/// A packet's place on its way: that of its next link in [`Routes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor(u32);

impl Cursor {
    pub(crate) fn new(number: u32) -> Self {
        Self(number)
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    fn step(&mut self) {
        self.0 += 1;
    }

    /// Goes on over so many links.
    #[inline]
    pub(crate) fn advance(&mut self, links: u32) {
        self.0 += links;
    }

    /// Goes back over one.
    #[inline]
    pub(crate) fn step_back(&mut self) {
        self.0 -= 1;
    }
}

/// Where a flow's ways begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    pub(crate) forward: Cursor,
    pub(crate) reverse: Cursor,
}

/// The links of all ways, one after the other, each way with [`END`] behind it: a packet finds its next link
/// in one look, without a look at its flow.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    links: Vec<u32>,
    flows: Vec<Route>,
}

/// The end of a way. No network has so many links.
const END: u32 = u32::MAX;

impl Routes {
    /// For each flow the given paths, or those of least total propagation delay; of two equal ones
    /// the one with fewer links.
    pub(crate) fn of(network: &Network) -> Result<Self, SimError> {
        let mut routes = Self::default();
        let mut found = routes.find_paths(network).into_iter();
        routes.flows.reserve_exact(network.flows.len());
        for flow in &network.flows {
            let mut way = |given: &Option<Vec<LinkId>>, from, to| match given {
                Some(path) => checked(network, flow, path, from, to).map(|()| routes.add(path)),
                None => found.next().flatten().ok_or_else(|| SimError::NoRoute {
                    flow: flow.name.to_string(),
                    from: network.nodes[from].to_string(),
                    to: network.nodes[to].to_string(),
                }),
            };
            let forward = way(&flow.path, flow.from, flow.to)?;
            let reverse = way(&flow.return_path, flow.to, flow.from)?;
            routes.flows.push(Route { forward, reverse });
        }
        Ok(routes)
    }

    fn add(&mut self, path: &[LinkId]) -> Cursor {
        let start = self.links.len();
        let number = |&l: &LinkId| u32::try_from(l).unwrap_or(END);
        self.links.extend(path.iter().map(number));
        self.links.push(END);
        Cursor(u32::try_from(start).unwrap_or(END))
    }

    /// A flow's ways.
    pub(crate) fn flow(&self, flow: usize) -> Route {
        self.flows[flow]
    }

    /// The link at a place; none if the way has ended.
    #[inline]
    pub(crate) fn link(&self, at: Cursor) -> Option<LinkId> {
        self.links.get(at.0 as usize).filter(|&&l| l != END).map(|&l| l as usize)
    }

    /// The links from a place to the end of its way.
    pub(crate) fn links(&self, mut at: Cursor) -> impl Iterator<Item = LinkId> + '_ {
        std::iter::from_fn(move || {
            let link = self.link(at);
            at.step();
            link
        })
    }

    /// Places on all ways, their ends included.
    pub(crate) fn places(&self) -> usize {
        self.links.len()
    }

    /// The link that led to a place; none where a way begins.
    pub(crate) fn link_before(&self, at: Cursor) -> Option<LinkId> {
        self.link(Cursor(at.0.checked_sub(1)?))
    }

    /// The base round-trip time of a flow's full segments and ACKs, or of its datagrams alone.
    pub(crate) fn flow_base_rtt(&self, flow: usize, network: &Network) -> Duration {
        let (data, ack) = match &network.flows[flow].traffic {
            Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } => {
                let sizes = tcp.config.sizes;
                (sizes.payload + sizes.header, sizes.ack)
            }
            Traffic::Udp { size, .. } => (*size, Bytes::ZERO),
            Traffic::Media(media) => (media.packet, REPORT_SIZE),
        };
        self.base_rtt(flow, network, data, ack)
    }

    /// Propagation and transmission of a data packet forward and an ACK in reverse, over empty queues.
    /// Recorded capacity counts as transmitting at once.
    fn base_rtt(&self, flow: usize, network: &Network, data: Bytes, ack: Bytes) -> Duration {
        let cross = |way: Cursor, size: Bytes| {
            let mut sum = Duration::ZERO;
            for l in self.links(way) {
                let config = &network.links[l].config;
                let transmission = match &config.capacity {
                    Capacity::Fixed(rate) => transmission_time(size, *rate),
                    Capacity::Recorded(_) => Duration::ZERO,
                };
                sum = sum + config.delay + transmission;
            }
            sum
        };
        let route = self.flow(flow);
        cross(route.forward, data) + cross(route.reverse, ack)
    }
}

/// The links that a flow's packets take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPaths {
    /// From the sender to the receiver.
    pub there: Vec<LinkId>,
    /// From the receiver to the sender.
    pub back: Vec<LinkId>,
}

impl Network {
    /// The links that each flow's packets will take: the paths that are given, or those of least
    /// total propagation delay.
    pub fn ways(&self) -> Result<Vec<FlowPaths>, SimError> {
        self.check()?;
        let routes = Routes::of(self)?;
        let ways = |route: &Route| FlowPaths {
            there: routes.links(route.forward).collect(),
            back: routes.links(route.reverse).collect(),
        };
        Ok(routes.flows.iter().map(ways).collect())
    }

    /// For each flow, propagation and transmission of one segment and its ACK over empty queues.
    pub fn base_rtts(&self) -> Result<Vec<Duration>, SimError> {
        self.check()?;
        let routes = Routes::of(self)?;
        Ok((0..self.flows.len()).map(|flow| routes.flow_base_rtt(flow, self)).collect())
    }
}

/// The whole nanoseconds that `size` takes at `rate`, and the remainder of the division, which is the
/// next one's `rest`; none at a rate of zero.
pub(crate) fn transmission_nanos(size: Bytes, rate: Rate, rest: u64) -> Option<(u64, u64)> {
    let work = ((u128::from(size.get()) * 1_000_000_000) << 16) + u128::from(rest);
    let rate = u128::from(rate.raw());
    let (ns, rest) = (work.checked_div(rate)?, work.checked_rem(rate)?);
    Some((u64::try_from(ns).unwrap_or(u64::MAX), u64::try_from(rest).unwrap_or(0)))
}

/// The time of a transmitter of this rate for so many bytes; none where it sends nothing.
pub(crate) fn transmission_time(size: Bytes, rate: Rate) -> Duration {
    Duration::from_nanos(transmission_nanos(size, rate, 0).map_or(0, |(ns, _)| ns))
}

fn checked(
    network: &Network,
    flow: &FlowSpec,
    path: &[LinkId],
    from: NodeId,
    to: NodeId,
) -> Result<(), SimError> {
    let broken = || SimError::BrokenPath { flow: flow.name.to_string() };
    let mut at = from;
    for &l in path {
        let link = network.links.get(l).filter(|link| link.from == at).ok_or_else(broken)?;
        at = link.to;
    }
    if at == to && !path.is_empty() { Ok(()) } else { Err(broken()) }
}

impl Routes {
    /// Adds the paths of least delay that flows want, and answers where they begin in the order in which
    /// they are wanted: forward, then reverse; none where there is no path.
    ///
    /// One search answers everything that is asked from one node, and a host on a single link asks from
    /// where its link leads: 10,000 pairs of hosts around two routers are two searches and not 20,000.
    /// One search is held at a time, because its answer is as large as the network.
    fn find_paths(&mut self, network: &Network) -> Vec<Option<Cursor>> {
        let leaving = ByNode::outgoing_links(network);
        let ends = network.flows.iter().flat_map(|flow| {
            let there = flow.path.is_none().then_some((flow.from, flow.to));
            let back = flow.return_path.is_none().then_some((flow.to, flow.from));
            there.into_iter().chain(back)
        });
        let wanted: Vec<UnresolvedRoute> =
            ends.map(|(from, to)| UnresolvedRoute { from, to }).collect();
        let branches: Vec<NodeId> =
            wanted.iter().map(|way| leaving.first_branch(network, way.from).0).collect();
        let wanted_from = ByNode::of(network.nodes.len(), &branches);
        let mut begins = vec![None; wanted.len()];
        for branch in 0..network.nodes.len() {
            let group = wanted_from.node(branch);
            if group.is_empty() {
                continue;
            }
            let last_links = least_delays(network, &leaving, branch);
            for &number in group {
                let way = &wanted[number];
                let path = way.path(network, leaving.first_branch(network, way.from), &last_links);
                begins[number] = path.map(|path| self.add(&path));
            }
        }
        begins
    }
}

/// Numbers, such as those of links, grouped by nodes and ascending in each group.
struct ByNode {
    numbers: Vec<usize>,
    /// The index of each node's first number in `numbers`, and the end of the last node's.
    begins: Vec<usize>,
}

impl ByNode {
    /// Groups the places in a list by the nodes that stand there.
    fn of(nodes: usize, list: &[NodeId]) -> Self {
        let mut begins = vec![0; nodes + 1];
        for node in list {
            begins[node + 1] += 1;
        }
        for node in 0..nodes {
            begins[node + 1] += begins[node];
        }
        let mut next = begins.clone();
        let mut numbers = vec![0; list.len()];
        for (number, &node) in list.iter().enumerate() {
            numbers[next[node]] = number;
            next[node] += 1;
        }
        Self { numbers, begins }
    }

    /// The links that leave each node.
    fn outgoing_links(network: &Network) -> Self {
        let from: Vec<NodeId> = network.links.iter().map(|link| link.from).collect();
        Self::of(network.nodes.len(), &from)
    }

    fn node(&self, node: NodeId) -> &[usize] {
        &self.numbers[self.begins[node]..self.begins[node + 1]]
    }

    /// The first node with a choice of links, and the only link that leads there if this node has one link.
    fn first_branch(&self, network: &Network, from: NodeId) -> (NodeId, Option<LinkId>) {
        match self.node(from) {
            [only] => (network.links[*only].to, Some(*only)),
            _ => (from, None),
        }
    }
}

/// A way that is not given and has to be found.
struct UnresolvedRoute {
    from: NodeId,
    to: NodeId,
}

impl UnresolvedRoute {
    /// Follows the links back from the end.
    fn path(
        &self,
        network: &Network,
        (branch, first): (NodeId, Option<LinkId>),
        last_links: &[Option<LinkId>],
    ) -> Option<Vec<LinkId>> {
        if self.from == self.to {
            return None;
        }
        let mut path = Vec::new();
        let mut node = self.to;
        while node != branch {
            let link = last_links[node]?;
            path.push(link);
            node = network.links[link].from;
        }
        path.extend(first);
        path.reverse();
        Some(path)
    }
}

/// Dijkstra's algorithm: the last link of the best way from `from` to each node.
fn least_delays(network: &Network, leaving: &ByNode, from: NodeId) -> Vec<Option<LinkId>> {
    let mut best = vec![(Duration::MAX, usize::MAX); network.nodes.len()];
    let mut last_links = vec![None; network.nodes.len()];
    best[from] = (Duration::ZERO, 0);
    let mut heap = BinaryHeap::from([Reverse((Duration::ZERO, 0, from))]);
    while let Some(Reverse((delay, hops, node))) = heap.pop() {
        if best[node] < (delay, hops) {
            continue;
        }
        for &l in leaving.node(node) {
            let link = &network.links[l];
            let reached = (delay + link.config.delay, hops + 1);
            if reached < best[link.to] {
                best[link.to] = reached;
                last_links[link.to] = Some(l);
                heap.push(Reverse((reached.0, reached.1, link.to)));
            }
        }
    }
    last_links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{LinkSpec, Phases, Probes};
    use westwood_cc::Rate;
    use westwood_net::{Limit, LinkConfig, Random};

    /// A network of so many nodes with links (from, to, delay in ms), and a flow between each pair.
    fn network(nodes: usize, links: &[(usize, usize, u64)]) -> Network {
        let rate = Rate::from_bits_per_s(1_000_000);
        let link = |&(from, to, ms): &(usize, usize, u64)| LinkSpec {
            name: format!("{from}-{to}").into(),
            from,
            to,
            config: LinkConfig::new(rate, Duration::from_millis(ms), Limit::Unlimited).into(),
        };
        let pairs = (0..nodes).flat_map(|a| (0..a).map(move |b| (a, b)));
        let flow = |(from, to)| {
            FlowSpec::between(
                format!("{from} to {to}"),
                from,
                to,
                Traffic::Udp {
                    rate,
                    size: Bytes::new(100),
                    phases: Phases::Always,
                    poisson: false,
                },
            )
        };
        Network {
            nodes: (0..nodes).map(|n| format!("n{n}").into()).collect(),
            links: links.iter().map(link).collect(),
            flows: pairs.map(flow).collect(),
            agents: Vec::new(),
            seed: 1,
            duration: Duration::from_secs(1),
            warmup: Duration::ZERO,
            probes: Probes::default(),
        }
    }

    #[test]
    fn a_way_leads_along_the_least_delay_and_then_the_fewest_links() {
        // From 1 to 0: 30 ms at once, 20 ms by 2, and 20 ms by 2 and 3.
        let n = network(4, &[(1, 0, 30), (1, 2, 10), (2, 0, 10), (2, 3, 0), (3, 0, 10)]);
        let back = [(0, 1, 1)];
        let mut n = Network { flows: n.flows[..1].to_vec(), ..n };
        let (from, to, ms) = back[0];
        n.links.push(LinkSpec { from, to, ..n.links[0].clone() });
        n.links[5].config.delay = Duration::from_millis(ms);
        let ways = n.ways().expect("connected");
        assert_eq!((&ways[0].there[..], &ways[0].back[..]), (&[1, 2][..], &[5][..]));
    }

    #[test]
    fn no_way_is_worse_than_one_found_by_trying_them_all() {
        for case in 0..40 {
            let mut r = Random::new(case, "routes");
            let mut pick = |n: u64| usize::try_from(r.below(n)).expect("small");
            // A ring, so that everything can be reached, and chords. Some delays are equal.
            let mut edges: Vec<_> = (0..6).map(|i| (i, (i + 1) % 6, 3)).collect();
            edges.extend((0..pick(8)).map(|_| (pick(6), pick(6), pick(4) as u64)));
            let n = network(6, &edges);
            let ways = n.ways().expect("connected");
            for (way, flow) in ways.iter().map(|w| &w.there).zip(&n.flows) {
                checked(&n, flow, way, flow.from, flow.to).expect("leads from end to end");
                let ms: u64 = way.iter().map(|&l| edges[l].2).sum();
                let best = try_all(&edges, flow.from, flow.to, 6);
                assert_eq!((ms, way.len()), best.expect("connected"), "case {case}");
            }
        }
    }

    /// The least delay and fewest links over every walk of at most `most` links.
    fn try_all(
        edges: &[(usize, usize, u64)],
        from: usize,
        to: usize,
        most: usize,
    ) -> Option<(u64, usize)> {
        if from == to {
            return Some((0, 0));
        }
        let most = most.checked_sub(1)?;
        edges
            .iter()
            .filter(|e| e.0 == from)
            .filter_map(|e| try_all(edges, e.1, to, most).map(|(ms, n)| (ms + e.2, n + 1)))
            .min()
    }

    #[test]
    fn a_flow_whose_ends_are_not_connected_both_ways_is_refused() {
        let n = network(2, &[(1, 0, 1)]);
        let refused = Routes::of(&n).expect_err("no way back");
        assert!(matches!(refused, SimError::NoRoute { .. }), "{refused}");
    }
}
