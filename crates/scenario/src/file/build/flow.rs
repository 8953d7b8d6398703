//! Groups of flows: `[[flow]]`.

use std::collections::BTreeSet;

use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{FlowSpec, LinkId, LinkSpec, NodeId, Phases, SimError, Traffic, Ways, Workload};

use super::super::place::Place;
use super::super::section::Said;
use super::super::tables::Group;
use super::dumbbell::ten_times;
use super::{Builder, FlowGroup, no_such};
use crate::dumbbell::Dumbbell;
use crate::error::BadInput;
use crate::spec::Times;

/// Where flows of a group lead: between two nodes, over these links.
struct Leg {
    from: NodeId,
    to: NodeId,
    ways: Ways,
    /// What the flows are called: the group's name, and the hop if there are several.
    name: String,
}

/// What a group's flows have in common.
struct Shared {
    traffic: Traffic,
    access_rate: Rate,
    /// All flows of the scenario start within this span, unless they say otherwise.
    jitter: Duration,
}

impl Builder<'_> {
    /// Builds all groups.
    pub(super) fn flows(&mut self) {
        let groups = self.case.top.flow.iter().flat_map(|groups| &groups.value);
        let mut names: BTreeSet<String> = self.groups.iter().map(|g| g.name.clone()).collect();
        let jitter = self.start_jitter();
        for group in groups {
            if !names.insert(group.name.value.clone()) {
                let what = BadInput::new(format!("another group is called '{}'", group.name.value));
                let hint = "names must differ: random numbers derive from them";
                self.fault(group.name.place, what.hint(hint));
                continue;
            }
            let first = self.network.flows.len();
            let (Some(legs), Some(traffic)) = (self.legs(group), self.traffic(group)) else {
                continue;
            };
            let fastest = ten_times(self.fastest());
            let access_rate = group.access_rate.as_ref().map_or(fastest, |said| said.value);
            let shared = Shared { traffic, access_rate, jitter };
            for leg in &legs {
                self.add_flows(group, leg, &shared);
            }
            let (cc, recovery) = match &shared.traffic {
                Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } => (
                    group.cc.as_ref().map(|said| said.value).or(self.case.cc.copied()),
                    Some(tcp.config.recovery.to_string()),
                ),
                Traffic::Udp { .. } => (None, None),
            };
            self.groups.push(FlowGroup {
                name: group.name.value.clone(),
                cc: cc.map(|cc| cc.to_string()),
                recovery,
                flows: first..self.network.flows.len(),
            });
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

    /// Where the group's flows lead.
    fn legs(&mut self, group: &Group) -> Option<Vec<Leg>> {
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
            legs.push(Leg { from, to, ways, name });
        }
        Some(legs)
    }

    /// The ends of each hop of a link.
    fn hops(
        &mut self,
        group: &Group,
        over: &Said<String>,
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
    fn ways(&mut self, group: &Group, from: NodeId, to: NodeId) -> Option<Ways> {
        let path = match &group.path {
            Some(said) => Some(self.links_by_name(said)?),
            None => None,
        };
        let return_path = match &group.return_path {
            Some(said) => Some(self.links_by_name(said)?),
            None => None,
        };
        let place = group.from.as_ref().or(group.over.as_ref()).map_or(group.place, |s| s.place);
        let probe = FlowSpec {
            name: group.name.value.clone(),
            from,
            to,
            path,
            return_path,
            start: Instant::ZERO,
            start_jitter: Duration::ZERO,
            stop: None,
            traffic: Traffic::Udp {
                rate: Rate::from_bits_per_s(1),
                size: Bytes::new(1),
                phases: Phases::Always,
                poisson: false,
            },
        };
        let flows = std::mem::replace(&mut self.network.flows, vec![probe]);
        let ways = self.network.ways();
        self.network.flows = flows;
        match ways {
            Ok(mut ways) => ways.pop(),
            Err(error) => {
                self.no_way(group, place, &error);
                None
            }
        }
    }

    fn no_way(&mut self, group: &Group, place: Place, error: &SimError) {
        let said = |said: &Option<Said<Vec<String>>>| said.as_ref().map(|said| said.place);
        let given = said(&group.path).or(said(&group.return_path));
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
    fn links_by_name(&mut self, said: &Said<Vec<String>>) -> Option<Vec<LinkId>> {
        let mut path = Vec::new();
        for name in &said.value {
            let exact = self.network.links.iter().position(|link| link.name == *name);
            match (exact, self.links.get(name)) {
                (Some(link), _) => path.push(link),
                (None, Some(hops)) => path.extend(hops.iter().map(|(there, _)| *there)),
                (None, None) => {
                    let names: Vec<&str> = self.links.keys().map(String::as_str).collect();
                    let error = no_such("link", name, &names);
                    self.fault(said.place, error);
                    return None;
                }
            }
        }
        Some(path)
    }

    fn add_flows(&mut self, group: &Group, leg: &Leg, shared: &Shared) {
        let over = |ways: &[LinkId]| {
            let delay = |&l: &LinkId| self.network.links[l].config.delay;
            ways.iter().map(delay).fold(Duration::ZERO, |sum, d| sum + d)
        };
        let between = over(&leg.ways.there) + over(&leg.ways.back);
        if let Some(rtt) = &group.rtt
            && rtt.value.least() < between
        {
            let least = rtt.value.least();
            let what = format!("{least} is less than the {between} of the links between");
            self.fault(rtt.place, BadInput::new(what).hint("raise rtt, or lower their delay"));
            return;
        }
        let count = group.count.value;
        for i in 0..count {
            let name = format!("{} {}", leg.name, i + 1);
            let (access, largest) = self.access_of(group, (i, count), &name, between);
            let (from, to, ways) = self.hosts(leg, &name, access, shared);
            for (start, jitter, stop, name) in self.periods(group, (i, count), &name, shared) {
                self.network.flows.push(FlowSpec {
                    name,
                    from,
                    to,
                    path: Some(ways.there.clone()),
                    return_path: Some(ways.back.clone()),
                    start: Instant::ZERO + start,
                    start_jitter: jitter,
                    stop,
                    traffic: shared.traffic.clone(),
                });
                self.largest_rtts.push(largest);
            }
        }
    }

    /// The delays of a flow's four access links, if it has any, and the largest round-trip time that
    /// another seed might give it.
    fn access_of(
        &self,
        group: &Group,
        (i, count): (u64, u64),
        name: &str,
        between: Duration,
    ) -> (Option<[Duration; 4]>, Duration) {
        if let Some(rtt) = &group.rtt {
            let time = rtt.value.of(i, count, self.case.seed, &format!("rtt of {name}"));
            let rest = (time - between).as_nanos();
            let delays = [0, 1, 2, 3].map(|leg| Duration::from_nanos((rest + leg) / 4));
            let largest = match &rtt.value {
                Times::Uniform(_, high) => *high,
                _ => time,
            };
            (Some(delays), largest)
        } else if let Some(delay) = &group.access_delay {
            (Some([delay.value; 4]), between + delay.value * 4)
        } else {
            (None, between)
        }
    }

    /// A flow's hosts and whole ways: its own with access links, or the nodes themselves.
    fn hosts(
        &mut self,
        leg: &Leg,
        name: &str,
        access: Option<[Duration; 4]>,
        shared: &Shared,
    ) -> (NodeId, NodeId, Ways) {
        let Some(delays) = access else {
            return (leg.from, leg.to, leg.ways.clone());
        };
        let sender = self.network.nodes.len();
        let receiver = sender + 1;
        self.network.nodes.extend([format!("sender of {name}"), format!("receiver of {name}")]);
        let first = self.network.links.len();
        let ends = [(sender, leg.from), (leg.to, receiver), (receiver, leg.to), (leg.from, sender)];
        for (number, ((from, to), delay)) in ends.into_iter().zip(delays).enumerate() {
            let config = LinkConfig::new(shared.access_rate, delay, Limit::Unlimited);
            let name = format!("access {name}.{number}");
            self.network.links.push(LinkSpec { name, from, to, config });
        }
        let way = |first: LinkId, between: &[LinkId]| [&[first], between, &[first + 1]].concat();
        let ways =
            Ways { there: way(first, &leg.ways.there), back: way(first + 2, &leg.ways.back) };
        (sender, receiver, ways)
    }
}

/// When a flow sends: start, jitter of the start, stop, and what it is called.
type Period = (Duration, Duration, Option<Instant>, String);

impl Builder<'_> {
    /// The periods in which flow `i` of `count` sends, each a flow of its own.
    fn periods(
        &mut self,
        group: &Group,
        (i, count): (u64, u64),
        name: &str,
        shared: &Shared,
    ) -> Vec<Period> {
        let end = self.network.duration;
        if let Some(active) = &group.active {
            if let Some(said) = group.start.as_ref().or(group.stop.as_ref()) {
                let what = BadInput::new("active cannot be given together with start and stop");
                self.fault(said.place, what.hint("leave it out"));
            }
            let named = |(k, &(from, to)): (usize, &(Duration, Duration))| {
                let name = match active.value.len() {
                    1 => name.to_owned(),
                    _ => format!("{name} period {}", k + 1),
                };
                (from, Duration::ZERO, Some(Instant::ZERO + to), name)
            };
            let periods: Vec<Period> = active.value.iter().enumerate().map(named).collect();
            if periods.iter().any(|(from, ..)| *from >= end) {
                self.too_late(active.place);
            }
            return periods;
        }
        let seed = self.case.seed;
        let (start, jitter) = match &group.start {
            None => (Duration::ZERO, shared.jitter),
            Some(Said { value: Times::Uniform(low, high), .. }) => (*low, *high - *low),
            Some(said) => (said.value.of(i, count, seed, name), Duration::ZERO),
        };
        if let Some(said) = &group.start
            && start + jitter >= end
        {
            self.too_late(said.place);
        }
        let stop = group
            .stop
            .as_ref()
            .map(|said| (said.value.of(i, count, seed, &format!("stop of {name}")), said.place));
        if let Some((stop, place)) = stop
            && stop <= start
        {
            let what = format!("{name} stops at {stop}, before its start at {start}");
            self.fault(place, BadInput::new(what).hint("raise stop or lower start"));
        }
        vec![(start, jitter, stop.map(|(at, _)| Instant::ZERO + at), name.to_owned())]
    }

    fn too_late(&mut self, place: Place) {
        let end = self.network.duration;
        let what = BadInput::new(format!("a flow starts after the end of the run at {end}"));
        self.fault(place, what.hint("start it earlier, or raise time"));
    }

    /// What the group's flows carry.
    fn traffic(&mut self, group: &Group) -> Option<Traffic> {
        let places = [
            group.size.as_ref().map(|said| said.place),
            group.on_off.as_ref().map(|said| said.place),
            group.write_rate.as_ref().map(|said| said.place),
            group.short_flows.as_ref().map(|said| said.place),
            group.udp.as_ref().map(|said| said.place),
        ];
        if let Some(second) = places.iter().flatten().nth(1) {
            let what = BadInput::new("a group of flows has one application");
            let hint = "leave all but one of size, on_off, write_rate, short_flows and udp out";
            self.fault(*second, what.hint(hint));
            return None;
        }
        if let Some(udp) = &group.udp {
            return self.datagrams(group, &udp.value);
        }
        let Some(cc) = group.cc.as_ref().map(|said| &said.value).or(self.case.cc) else {
            let what = format!("'{}' has no controller", group.name.value);
            let hint = "write cc = \"reno\" here, or at the top of the file";
            self.fault(group.name.place, BadInput::new(what).hint(hint));
            return None;
        };
        let tcp = self.tcp(&Dumbbell::default(), group.tcp.as_ref().map(|said| &said.value), cc);
        Some(if let Some(short) = &group.short_flows {
            let short = &short.value;
            Traffic::ShortFlows {
                tcp,
                gap: short.every.value,
                size: short.size.value,
                limit: u32::try_from(short.at_a_time.value).unwrap_or(u32::MAX),
            }
        } else if let Some(phases) = &group.on_off {
            let (on, off) = (phases.value.on.value, phases.value.off.value);
            Traffic::Tcp(tcp, Workload::OnOff(Phases::Alternating { on, off }))
        } else if let Some(rate) = &group.write_rate {
            Traffic::Tcp(tcp, Workload::Limited(rate.value))
        } else if let Some(size) = &group.size {
            Traffic::Tcp(tcp, Workload::Transfer(size.value))
        } else {
            Traffic::Tcp(tcp, Workload::Greedy)
        })
    }

    fn datagrams(&mut self, group: &Group, udp: &super::super::tables::Udp) -> Option<Traffic> {
        let misplaced = group.cc.as_ref().map(|s| s.place).or(group.tcp.as_ref().map(|s| s.place));
        if let Some(place) = misplaced {
            self.fault(place, BadInput::new("udp has neither a controller nor a transport"));
            return None;
        }
        let phases = match (&udp.on, &udp.off) {
            (None, None) => Phases::Always,
            (Some(on), Some(off)) => Phases::Alternating { on: on.value, off: off.value },
            _ => {
                let what = BadInput::new("one of on and off is missing");
                self.fault(udp.place, what.hint("write on = \"10 s\", off = \"10 s\""));
                return None;
            }
        };
        Some(Traffic::Udp {
            rate: udp.rate.value,
            size: udp.packet.as_ref().map_or(self.usual_packet(), |said| said.value),
            phases,
            poisson: udp.poisson.value,
        })
    }
}
