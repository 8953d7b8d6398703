//! The flows of a group: their hosts and access links, and when they send.

use westwood_cc::{Duration, Instant};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{FlowPaths, FlowSpec, LinkId, LinkSpec, NodeId, Traffic};

use super::super::location::Location;
use super::super::section::Located;
use super::super::tables::Group;
use super::Builder;
use super::flow::{FlowRoute, GroupTraffic};
use super::proxy::BeyondProxies;
use crate::error::BadInput;
use crate::spec::PerFlowTime;

impl Builder<'_> {
    /// Adds the flows of one leg, each as far as its first proxy. Answers what is beyond the proxies of
    /// each; none if their route does not lead over the proxies, which is noted.
    pub(super) fn add_flows(
        &mut self,
        group: &Group,
        leg: &FlowRoute,
        shared: &GroupTraffic,
    ) -> Option<Vec<BeyondProxies>> {
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
            return Some(Vec::new());
        }
        let mut beyond = Vec::new();
        let count = group.count.value;
        for i in 0..count {
            let name = format!("{} {}", leg.name, i + 1);
            let (access, largest) = self.access_of(group, (i, count), &name, between);
            let rtt =
                access.map_or(between, |delays| delays.iter().fold(between, |sum, d| sum + *d));
            let (from, to, ways) = self.hosts(leg, &name, access, shared);
            let ends = (from, to, ways);
            let parts = self.parted(&shared.proxies, ends, largest - rtt)?;
            let (near, far) = parts.split_first()?;
            let (traffic, handshake) = opened(&shared.traffic, near.rtt);
            for (start, jitter, stop, name) in self.periods(group, (i, count), &name, shared) {
                let start = Instant::ZERO + start;
                self.network.flows.push(FlowSpec {
                    path: Some(near.ways.there.clone()),
                    return_path: Some(near.ways.back.clone()),
                    start,
                    start_jitter: jitter,
                    stop,
                    handshake,
                    ..FlowSpec::between(name.clone(), near.from, near.to, traffic.clone())
                });
                self.largest_rtts.push(near.largest_rtt);
                beyond.push(BeyondProxies { name, start, parts: far.to_vec() });
            }
        }
        Some(beyond)
    }

    /// The time of flow `i` of `count`, which the seed may draw.
    fn time_of(&mut self, times: &PerFlowTime, (i, count): (u64, u64), name: &str) -> Duration {
        self.drawn |= matches!(times, PerFlowTime::Uniform(..));
        times.of(i, count, self.case.seed, name)
    }

    /// The delays of a flow's four access links, if it has any, and the largest round-trip time that
    /// another seed might give it.
    fn access_of(
        &mut self,
        group: &Group,
        (i, count): (u64, u64),
        name: &str,
        between: Duration,
    ) -> (Option<[Duration; 4]>, Duration) {
        if let Some(rtt) = &group.rtt {
            let time = self.time_of(&rtt.value, (i, count), &format!("rtt of {name}"));
            let rest = (time - between).as_nanos();
            let delays = [0, 1, 2, 3].map(|leg| Duration::from_nanos((rest + leg) / 4));
            let largest = match &rtt.value {
                PerFlowTime::Uniform(_, high) => *high,
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
        leg: &FlowRoute,
        name: &str,
        access: Option<[Duration; 4]>,
        shared: &GroupTraffic,
    ) -> (NodeId, NodeId, FlowPaths) {
        let Some(delays) = access else {
            return (leg.from, leg.to, leg.ways.clone());
        };
        let sender = self.network.nodes.len();
        let receiver = sender + 1;
        self.network
            .nodes
            .extend(["sender", "receiver"].map(|end| format!("{end} of {name}").into()));
        let first = self.network.links.len();
        let ends = [(sender, leg.from), (leg.to, receiver), (receiver, leg.to), (leg.from, sender)];
        for (number, ((from, to), delay)) in ends.into_iter().zip(delays).enumerate() {
            let config = LinkConfig::new(shared.access_rate, delay, Limit::Unlimited);
            let last = self.network.links.last().map(|link| &link.config);
            let config = westwood_sim::Shared::like(config, last);
            let name = format!("access {name}.{number}");
            self.network.links.push(LinkSpec { name: name.into(), from, to, config });
        }
        let way = |first: LinkId, between: &[LinkId]| [&[first], between, &[first + 1]].concat();
        let ways =
            FlowPaths { there: way(first, &leg.ways.there), back: way(first + 2, &leg.ways.back) };
        (sender, receiver, ways)
    }
}

/// A flow's traffic over a path of this round-trip time, and whether its connections open with a handshake.
fn opened(traffic: &Traffic, rtt: Duration) -> (Traffic, bool) {
    let mut traffic = traffic.clone();
    let (Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. }) = &mut traffic else {
        return (traffic, false);
    };
    let handshake = tcp.config.handshake_rtt.is_some();
    if handshake {
        tcp.config.handshake_rtt = Some(rtt);
    }
    (traffic, handshake)
}

/// The times of a flow: start, jitter of the start, stop; and its name.
type Period = (Duration, Duration, Option<Instant>, String);

impl Builder<'_> {
    /// The periods in which flow `i` of `count` sends, each a flow of its own.
    fn periods(
        &mut self,
        group: &Group,
        (i, count): (u64, u64),
        name: &str,
        shared: &GroupTraffic,
    ) -> Vec<Period> {
        let end = self.network.duration;
        if let Some(active) = &group.active {
            if let Some(given) = group.start.as_ref().or(group.stop.as_ref()) {
                let what = BadInput::new("active cannot be given together with start and stop");
                self.fault(given.place, what.hint("leave it out"));
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
        let (start, jitter) = match &group.start {
            None => (Duration::ZERO, shared.jitter),
            Some(Located { value: PerFlowTime::Uniform(low, high), .. }) => (*low, *high - *low),
            Some(given) => (self.time_of(&given.value, (i, count), name), Duration::ZERO),
        };
        if let Some(given) = &group.start
            && start + jitter >= end
        {
            self.too_late(given.place);
        }
        let stop = group.stop.as_ref().map(|given| {
            let time = self.time_of(&given.value, (i, count), &format!("stop of {name}"));
            (time, given.place)
        });
        if let Some((stop, place)) = stop
            && stop <= start
        {
            let what = if stop < start {
                format!("{name} stops at {stop}, before its start at {start}")
            } else {
                format!("{name} starts and stops at {start}, so that it never sends")
            };
            self.fault(place, BadInput::new(what).hint("raise stop or lower start"));
        }
        vec![(start, jitter, stop.map(|(at, _)| Instant::ZERO + at), name.to_owned())]
    }

    fn too_late(&mut self, place: Location) {
        let end = self.network.duration;
        let what =
            BadInput::new(format!("a flow does not start before the end of the run at {end}"));
        self.fault(place, what.hint("start it earlier, or raise time"));
    }
}
