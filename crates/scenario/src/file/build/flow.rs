//! Groups of flows: `[[flow]]`.

use std::collections::BTreeSet;

use westwood_cc::{Bytes, Duration, Rate};
use westwood_sim::{FlowPaths, FlowSpec, LinkId, NodeId, Phases, SimError, Traffic};

use super::super::location::Location;
use super::super::section::Located;
use super::super::tables::Group;
use super::dumbbell::ten_times;
use super::proxy::ProxyHop;
use super::{Builder, FlowGroup};
use crate::error::BadInput;

/// A route of a group's flows: between two nodes, over these links.
pub(super) struct FlowRoute {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) ways: FlowPaths,
    /// The name of the flows: the group's, and the hop if there are several.
    pub(super) name: String,
}

/// The traffic that a group's flows share.
pub(super) struct GroupTraffic {
    pub(super) traffic: Traffic,
    pub(super) access_rate: Rate,
    /// All flows of the scenario start within this span, unless they say otherwise.
    pub(super) jitter: Duration,
    /// The proxies that split the connections, in the order of the route.
    pub(super) proxies: Vec<ProxyHop>,
}

impl Builder<'_> {
    /// Builds all groups.
    pub(super) fn flows(&mut self) {
        let groups = self.case.top.flow.iter().flat_map(|groups| &groups.value);
        let mut names = BTreeSet::new();
        names.extend(self.groups.iter().map(|g| g.name.clone()));
        let jitter = self.start_jitter();
        for group in groups {
            if !names.insert(group.name.value.clone()) {
                let what = BadInput::new(format!("another group is called '{}'", group.name.value));
                let hint = "names must differ: random numbers derive from them";
                self.fault(group.name.place, what.hint(hint));
                continue;
            }
            let first = self.network.flows.len();
            let (Some(legs), Some(mut traffic)) = (self.legs(group), self.traffic(group)) else {
                self.unbuilt.insert(group.name.value.as_str());
                continue;
            };
            let fastest = ten_times(self.fastest());
            let access_rate = group.access_rate.as_ref().map_or(fastest, |given| given.value);
            let Some(proxies) = self.proxies(group, &mut traffic) else {
                self.unbuilt.insert(group.name.value.as_str());
                continue;
            };
            let shared = GroupTraffic { traffic, access_rate, jitter, proxies };
            let mut beyond = Vec::new();
            for leg in &legs {
                let Some(more) = self.add_flows(group, leg, &shared) else {
                    self.unbuilt.insert(group.name.value.as_str());
                    break;
                };
                beyond.extend(more);
            }
            let tcp = shared.traffic.tcp();
            let own = group.cc.as_ref().map(|given| given.value);
            let cc = tcp.and_then(|_| own.or(self.case.cc.copied()));
            let recovery = tcp.map(|tcp| tcp.config.recovery.to_string());
            let periods = group.active.as_ref().map_or(1, |active| active.value.len());
            self.groups.push(FlowGroup {
                name: group.name.value.clone(),
                cc: cc.map(|cc| cc.to_string()),
                recovery,
                flows: first..self.network.flows.len(),
                periods,
            });
            self.add_beyond(shared.proxies, &beyond, (first, periods));
        }
        self.check_names();
    }

    /// Refuses two flows of one name, which would draw the same random numbers: `a 1` and its flow 1
    /// against flow 1 of hop 1 of `a`.
    fn check_names(&mut self) {
        let mut names = BTreeSet::new();
        let twice = self.network.flows.iter().position(|flow| !names.insert(flow.name.as_str()));
        if let Some(flow) = twice {
            let name = &self.network.flows[flow].name;
            let what = BadInput::new(format!("two flows are called '{name}'"));
            let group = self.groups.iter().find(|group| group.flows.contains(&flow));
            let groups = self.case.top.flow.iter().flat_map(|groups| &groups.value);
            let place = groups
                .filter(|table| group.is_some_and(|group| group.name == table.name.value))
                .map(|table| table.name.place)
                .next();
            let place = place.unwrap_or(Location::start());
            self.fault(place, what.hint("give the group another name"));
        }
    }

    /// Several flows do not start at once, or they would march in step.
    fn start_jitter(&self) -> Duration {
        let groups = self.case.top.flow.iter().flat_map(|groups| &groups.value);
        let more: u64 = groups.map(|group| group.count.value).sum();
        match self.network.flows.len() as u64 + more {
            0 | 1 => Duration::ZERO,
            _ => Duration::from_secs(1).min(self.network.duration / 10),
        }
    }

    /// The routes of the group's flows.
    fn legs(&mut self, group: &Group) -> Option<Vec<FlowRoute>> {
        let name = &group.name.value;
        let ends = match (&group.over, &group.from, &group.to) {
            (None, Some(from), Some(to)) => {
                let (from, to) = (self.node(from, false), self.node(to, false));
                vec![(from?, to?, name.clone())]
            }
            (Some(over), None, None) => self.hops(group, over)?,
            _ => {
                let what = BadInput::new(format!("it is not clear where '{name}' leads"));
                self.fault(group.name.place, what.hint("write from and to, or over"));
                return None;
            }
        };
        let mut legs = Vec::new();
        for (from, to, name) in ends {
            let (from, to) = if group.backward.value { (to, from) } else { (from, to) };
            let ways = self.ways(group, from, to)?;
            legs.push(FlowRoute { from, to, ways, name });
        }
        Some(legs)
    }

    /// The ends of each hop of a link.
    fn hops(
        &mut self,
        group: &Group,
        over: &Located<String>,
    ) -> Option<Vec<(NodeId, NodeId, String)>> {
        let Some(hops) = self.links.get(&over.value) else {
            self.unknown_link(over);
            return None;
        };
        let several = hops.len() > 1;
        let ends = |(hop, (link, _)): (usize, &(LinkId, Option<LinkId>))| {
            let link = &self.network.links[*link];
            let name = if several {
                format!("{} {}", group.name.value, hop + 1)
            } else {
                group.name.value.clone()
            };
            (link.from, link.to, name)
        };
        Some(hops.iter().enumerate().map(ends).collect())
    }

    /// The links there and back.
    fn ways(&mut self, group: &Group, from: NodeId, to: NodeId) -> Option<FlowPaths> {
        let path = match &group.path {
            Some(given) => Some(self.links_by_name(given)?),
            None => None,
        };
        let return_path = match &group.return_path {
            Some(given) => Some(self.links_by_name(given)?),
            None => None,
        };
        let place = group.from.as_ref().or(group.over.as_ref()).map_or(group.place, |s| s.place);
        let probe = FlowSpec {
            path,
            return_path,
            ..FlowSpec::between(
                group.name.value.as_str(),
                from,
                to,
                Traffic::Udp {
                    rate: Rate::from_bits_per_s(1),
                    size: Bytes::new(1),
                    phases: Phases::Always,
                    poisson: false,
                },
            )
        };
        let flows = std::mem::replace(&mut self.network.flows, vec![probe]);
        let ways = self.network.ways();
        self.network.flows = flows;
        match ways {
            Ok(mut ways) => ways.pop(),
            Err(error) => {
                self.no_route(group, place, &error);
                None
            }
        }
    }

    fn no_route(&mut self, group: &Group, place: Location, error: &SimError) {
        let given = |given: &Option<Located<Vec<String>>>| given.as_ref().map(|given| given.place);
        let given = given(&group.path).or(given(&group.return_path));
        let (place, hint) = match given {
            Some(given) => (given, "name links that follow one another, from end to end"),
            None => (place, "links lead both ways unless they have both_ways = false"),
        };
        let what = match error {
            SimError::NoRoute { from, to, .. } if from == to => {
                format!("the flows lead from '{from}' to itself")
            }
            SimError::NoRoute { from, to, .. } => {
                format!("no links lead from '{from}' to '{to}' and back")
            }
            SimError::BrokenPath { .. } => "the links do not lead from end to end".to_owned(),
            other => other.to_string(),
        };
        self.fault(place, BadInput::new(what).hint(hint));
    }

    /// Links by the names that they have in the network; a chain is all its hops.
    fn links_by_name(&mut self, given: &Located<Vec<String>>) -> Option<Vec<LinkId>> {
        let mut path = Vec::new();
        for name in &given.value {
            let exact = self.network.links.iter().position(|link| link.name == *name);
            match (exact, self.links.get(name)) {
                (Some(link), _) => path.push(link),
                (None, Some(hops)) => path.extend(hops.iter().map(|(there, _)| *there)),
                (None, None) => {
                    let names = self.links.keys().map(String::as_str);
                    let error = self.no_such("link", name, names);
                    self.fault(given.place, error);
                    return None;
                }
            }
        }
        Some(path)
    }
}
