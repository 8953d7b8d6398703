//! Proxies that split the connections of a group's flows: `proxy` of `[[flow]]`.

use westwood_cc::{Duration, Instant};
use westwood_sim::{FlowPaths, FlowSpec, LinkId, NodeId, TcpSpec, Traffic, Workload};
use westwood_tcp::{ReadMode, ReceiverBehaviour};

use super::super::location::Location;
use super::super::settings::Tcp;
use super::super::tables::{Group, ProxySite};
use super::{Builder, FlowGroup};
use crate::error::{BadInput, listed};
use crate::spec::ControllerSpec;

/// A proxy of a group's flows, and the connection that begins there.
pub(super) struct ProxyHop {
    node: NodeId,
    /// Where the file names it.
    pub(super) place: Location,
    /// The group of the connections that begin there.
    pub(super) group: String,
    /// The name of the node.
    at: String,
    cc: ControllerSpec,
    tcp: TcpSpec,
}

/// The part of a route that one connection covers.
#[derive(Clone)]
pub(super) struct RoutePart {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) ways: FlowPaths,
    /// Propagation there and back.
    pub(super) rtt: Duration,
    /// The largest that another seed might give.
    pub(super) largest_rtt: Duration,
}

/// A flow's connections beyond its first.
pub(super) struct BeyondProxies {
    /// The flow.
    pub(super) name: String,
    pub(super) start: Instant,
    /// The parts of these connections.
    pub(super) parts: Vec<RoutePart>,
}

impl Builder<'_> {
    /// The proxies of a group's flows. The transport of the flows, given as that of end to end
    /// connections, becomes that of the first ones.
    pub(super) fn proxies(
        &mut self,
        group: &Group,
        traffic: &mut Traffic,
    ) -> Option<Vec<ProxyHop>> {
        let Some(given) = &group.proxy else { return Some(Vec::new()) };
        let Some(first) = traffic.tcp().copied() else {
            let what = BadInput::new("a proxy splits TCP connections, and these flows have none");
            self.fault(given.place, what.hint("leave out proxy, or udp and media"));
            return None;
        };
        let hops: Vec<_> = given.value.iter().map(|site| self.hop(group, site)).collect();
        let mut hops: Vec<ProxyHop> = hops.into_iter().collect::<Option<_>>()?;
        let all = [first].into_iter().chain(hops.iter().map(|hop| hop.tcp));
        if all.into_iter().any(|tcp| tcp.config.receiver != ReceiverBehaviour::Honest) {
            let what = "a proxy and a receiver that misbehaves cannot be given together";
            self.fault(given.place, BadInput::new(what).hint("leave out proxy, or tcp.receiver"));
            return None;
        }
        let mut all = vec![first];
        all.extend(hops.iter().map(|hop| hop.tcp));
        for (at, site) in given.value.iter().enumerate() {
            let memory = site.buffer.as_ref().map(|given| given.value.get());
            let segment = all[at].config.sizes.payload;
            if let Some(buffer) = site.buffer.as_ref().filter(|buffer| buffer.value < segment) {
                let what = format!("the buffer does not hold a segment of {} bytes", segment.get());
                let hint = "write a larger one, such as buffer = \"2 MB\"";
                self.fault(buffer.place, BadInput::new(what).hint(hint));
            }
            all[at].config.buffers.reading = ReadMode::Relayed { memory };
            if memory.is_some() {
                all[at].config.buffers.receive = None;
                all[at + 1].config.buffers.send = None;
            }
        }
        for (hop, tcp) in hops.iter_mut().zip(&all[1..]) {
            hop.tcp = *tcp;
        }
        if let Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } = traffic {
            *tcp = all[0].into();
        }
        Some(hops)
    }

    fn hop(&mut self, group: &Group, site: &ProxySite) -> Option<ProxyHop> {
        let node = self.node(&site.at, false)?;
        let own = site.cc.as_ref().or(group.cc.as_ref()).map(|given| given.value);
        let cc = own.or(self.case.cc.copied())?;
        let tables = [site.tcp.as_ref(), group.tcp.as_ref()];
        let own: Vec<&Tcp> = tables.into_iter().flatten().map(|given| &given.value).collect();
        let at = site.at.value.clone();
        Some(ProxyHop {
            node,
            place: site.at.place,
            group: format!("{}.{at}", group.name.value),
            at,
            cc,
            tcp: self.tcp(&own, &cc),
        })
    }

    /// The parts of a route between its ends and proxies. With another seed its round-trip time may be
    /// more by `spare`, which is that of the access links at its ends.
    pub(super) fn parted(
        &mut self,
        proxies: &[ProxyHop],
        (from, to, ways): (NodeId, NodeId, FlowPaths),
        spare: Duration,
    ) -> Option<Vec<RoutePart>> {
        let mut parts = Vec::new();
        let (mut at, mut there, mut back) = (from, &ways.there[..], &ways.back[..]);
        for hop in proxies {
            let reaches = |&link: &LinkId| self.network.links[link].to == hop.node;
            let cut_there = there.iter().position(reaches).filter(|cut| cut + 1 < there.len());
            let cut_back = back.iter().rposition(reaches).filter(|cut| cut + 1 < back.len());
            let (Some(cut_there), Some(cut_back)) = (cut_there, cut_back) else {
                self.off_route(hop, from, &ways, cut_there.is_some());
                return None;
            };
            let (near, far) = there.split_at(cut_there + 1);
            let (far_back, near_back) = back.split_at(cut_back + 1);
            parts.push(self.part(at, hop.node, near, near_back));
            (at, there, back) = (hop.node, far, far_back);
        }
        parts.push(self.part(at, to, there, back));
        let half = spare / 2;
        for (part, more) in [(0, spare - half), (parts.len() - 1, half)] {
            parts[part].largest_rtt += more;
        }
        Some(parts)
    }

    fn part(&self, from: NodeId, to: NodeId, there: &[LinkId], back: &[LinkId]) -> RoutePart {
        let delay = |links: &[LinkId]| {
            let delays = links.iter().map(|&link| self.network.links[link].config.delay);
            delays.fold(Duration::ZERO, |sum, delay| sum + delay)
        };
        let rtt = delay(there) + delay(back);
        let ways = FlowPaths { there: there.to_vec(), back: back.to_vec() };
        RoutePart { from, to, ways, rtt, largest_rtt: rtt }
    }

    /// A proxy is not where it is said to be; `there` if the way there leads over it.
    fn off_route(&mut self, hop: &ProxyHop, from: NodeId, ways: &FlowPaths, there: bool) {
        let inner = |links: &[LinkId]| -> Vec<NodeId> {
            let nodes = links.iter().map(|&link| self.network.links[link].to);
            nodes.take(links.len().saturating_sub(1)).collect()
        };
        let (over, back) = (inner(&ways.there), inner(&ways.back));
        let end = ways.there.last().map(|&link| self.network.links[link].to);
        let at = &hop.at;
        let (what, hint) = if over.contains(&hop.node) && back.contains(&hop.node) {
            let what = format!("'{at}' does not follow the other proxies on the route");
            (what, "name proxies in the order of the route, each once".to_owned())
        } else if there || over.contains(&hop.node) {
            let what = format!("the way back does not lead over '{at}'");
            (what, "give the flows a return_path over it".to_owned())
        } else {
            let what = if hop.node == from || Some(hop.node) == end {
                format!("'{at}' is an end of the route")
            } else {
                format!("the flows do not pass '{at}' on their way")
            };
            let node = |&node: &NodeId| self.network.nodes[node].as_str();
            let hint = match over.as_slice() {
                [] => "a proxy stands between the ends, and there is no node".to_owned(),
                nodes => {
                    format!("a proxy stands between the ends: {}", listed(nodes.iter().map(node)))
                }
            };
            (what, hint)
        };
        self.fault(hop.place, BadInput::new(what).hint(hint));
    }

    /// Adds the connections that begin at proxies, for each proxy a group. The flows are in the order of
    /// those from `first` on.
    pub(super) fn add_beyond(
        &mut self,
        hops: Vec<ProxyHop>,
        flows: &[BeyondProxies],
        (first, periods): (usize, usize),
    ) {
        let mut before = first;
        for (number, hop) in hops.into_iter().enumerate() {
            let begin = self.network.flows.len();
            for (place, flow) in flows.iter().enumerate() {
                let Some(part) = flow.parts.get(number) else { continue };
                let mut tcp = hop.tcp;
                tcp.config.handshake_rtt = tcp.config.handshake_rtt.map(|_| part.rtt);
                let handshake = tcp.config.handshake_rtt.is_some();
                let begins = self.rest_of_handshake(flow, first + place);
                let feeding = Workload::RelayedFrom { flow: before + place, begins };
                let traffic = Traffic::Tcp(tcp.into(), feeding);
                let name = format!("{}.{}", flow.name, hop.at);
                self.network.flows.push(FlowSpec {
                    path: Some(part.ways.there.clone()),
                    return_path: Some(part.ways.back.clone()),
                    start: flow.start,
                    handshake,
                    ..FlowSpec::between(name, part.from, part.to, traffic)
                });
                self.largest_rtts.push(part.largest_rtt);
            }
            self.groups.push(FlowGroup {
                name: hop.group,
                cc: Some(hop.cc.to_string()),
                recovery: Some(hop.tcp.config.recovery.to_string()),
                flows: begin..self.network.flows.len(),
                periods,
            });
            before = begin;
        }
    }

    /// How much longer a handshake from end to end would take, over an empty path, than the flow's own.
    fn rest_of_handshake(&self, flow: &BeyondProxies, first: usize) -> Duration {
        if !self.network.flows[first].handshake {
            return Duration::ZERO;
        }
        flow.parts.iter().fold(Duration::ZERO, |sum, part| sum + part.rtt)
    }
}
