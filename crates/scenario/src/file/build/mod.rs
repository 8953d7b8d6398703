//! From a file's tables to a network.
//!
//! Nodes and links first, then flows, whose access links complete their round-trip times, then what
//! depends on all of them: buffers in bandwidth-delay products, and changes.

mod agents;
mod application;
mod change;
mod core;
mod dumbbell;
mod flow;
mod hosts;
mod pending;
mod proxy;
mod queue;
mod trace;
mod transport;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Instant, Rate};
use westwood_sim::{FlowSpec, LinkId, LinkSpec, Network, NodeId, Probes, Traffic, Workload};

use super::fault::Faults;
use super::location::Location;
use super::section::Located;
use super::tables::Top;
use crate::dumbbell::Dumbbell;
use crate::error::{BadInput, listed, quoted};
use crate::nearest::nearest;
use crate::spec::ControllerSpec;

pub(super) use queue::queue_capacity;
pub use trace::TraceReader;
pub(super) use trace::Traces;

/// A network with the file's names of its parts.
#[derive(Clone, Debug)]
pub struct Built {
    /// The simulated network.
    pub network: Network,
    /// The flows and links that the results are about.
    pub layout: Layout,
    /// The dumbbell, if the file has one.
    pub dumbbell: Option<Dumbbell>,
    /// True if it differs from that of another seed in more than its seed: a time is drawn, or the series
    /// that are recorded are those of one seed.
    pub(super) differs_by_seed: bool,
}

impl Built {
    /// True if some flow's route leads over this link, there or back.
    pub fn is_crossed(&self, link: LinkId) -> bool {
        let routes = self.network.flows.iter().flat_map(|f| f.path.iter().chain(&f.return_path));
        routes.flatten().any(|&crossed| crossed == link)
    }

    /// The controller of the flows under test; none if they are no TCP connections.
    pub fn tested_controller(&self) -> Option<Choice> {
        match &self.network.flows.get(self.layout.tested_flows().start)?.traffic {
            Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } => Some(tcp.controller),
            Traffic::Udp { .. } | Traffic::Media(_) => None,
        }
    }

    /// The controller of the flows that compete with those under test, if there are any.
    pub fn rival(&self) -> Option<&str> {
        let (place, group) = self
            .layout
            .groups
            .iter()
            .enumerate()
            .find(|(_, group)| group.name == COMPETING_GROUP)?;
        group.cc.as_deref().filter(|_| place != self.layout.tested)
    }

    /// The network of the same point with another seed, if it differs in its seed alone.
    pub fn with_seed(mut self, seed: u64) -> Option<Self> {
        self.network.seed = seed;
        (!self.differs_by_seed).then_some(self)
    }

    /// The same network in which the flows under test never begin.
    pub(super) fn without_tested(mut self) -> Self {
        let end = Instant::ZERO + self.network.duration;
        let tested = self.layout.tested_flows();
        for flow in self.network.flows.get_mut(tested).into_iter().flatten() {
            (flow.start, flow.start_jitter, flow.stop) = (end, Duration::ZERO, None);
        }
        self
    }

    /// The links that routes lead over, without access links, in the order of the network.
    pub fn crossed(&self) -> impl Iterator<Item = &str> {
        let crossed = self.layout.links.iter().filter(|&&link| self.is_crossed(link));
        crossed.map(|&link| self.network.links[link].name.as_str())
    }
}

/// The group of flows that compete with those under test.
pub const COMPETING_GROUP: &str = "rival";

/// The names that a file gives to the parts of its network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The groups of flows, in the order of the flows.
    pub groups: Vec<FlowGroup>,
    /// The group under test: its place in `groups`.
    pub tested: usize,
    /// The links that are not access links, in the order of the network.
    pub links: Vec<LinkId>,
    /// The link that is reported first.
    pub measured_link: LinkId,
}

/// A group of flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowGroup {
    /// Its name.
    pub name: String,
    /// Its controller's canonical name; none for datagrams.
    pub cc: Option<String>,
    /// Its loss recovery; none for datagrams.
    pub recovery: Option<String>,
    /// Its flows' places in the network.
    pub flows: Range<usize>,
    /// How many of these, one behind another, are the periods of one flow.
    pub periods: usize,
}

/// A point of the grid that is to be built.
#[derive(Clone, Copy)]
pub(super) struct PointSpec<'a> {
    pub(super) top: &'a Top,
    /// The controller under test.
    pub(super) cc: Option<&'a ControllerSpec>,
    pub(super) seed: u64,
    pub(super) traces: &'a Traces,
}

/// The network of a point; none if anything is wrong, which is noted.
pub(super) fn build(case: PointSpec<'_>, probes: Probes, faults: &mut Faults) -> Option<Built> {
    let mut builder = Builder::new(case, probes, faults);
    builder.dumbbell()?;
    builder.links()?;
    builder.flows();
    builder.changes();
    // Without all flows the flows that cross a link are not known.
    if builder.unbuilt.is_empty() {
        builder.buffers();
        builder.agents();
    }
    builder.finish()
}

/// A network in the making.
struct Builder<'a> {
    case: PointSpec<'a>,
    faults: &'a mut Faults,
    /// The number of faults noted before.
    noted: usize,
    network: Network,
    groups: Vec<FlowGroup>,
    /// Groups whose flows cannot be built, for a reason that is noted. References to them are no
    /// faults of their own.
    unbuilt: BTreeSet<&'a str>,
    nodes: BTreeMap<String, NodeId>,
    /// The links by their names in the file: each hop there, and back if there is a way back.
    links: BTreeMap<String, Vec<(LinkId, Option<LinkId>)>>,
    /// The names of all hops: of chains those of each hop, and of ways back.
    hop_names: BTreeSet<String>,
    /// The links that are not access links.
    core: Vec<LinkId>,
    /// Buffers that depend on the flows.
    pending: Vec<pending::Pending<'a>>,
    /// The largest round-trip time that each flow may have, whatever the seed draws.
    largest_rtts: Vec<Duration>,
    dumbbell: Option<Dumbbell>,
    /// True if the seed has drawn a time.
    drawn: bool,
}

impl<'a> Builder<'a> {
    fn new(case: PointSpec<'a>, probes: Probes, faults: &'a mut Faults) -> Self {
        let network = Network {
            agents: Vec::new(),
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            seed: case.seed,
            duration: case.top.time.value,
            warmup: Duration::ZERO,
            probes,
        };
        Self {
            case,
            noted: faults.noted(),
            faults,
            network,
            groups: Vec::new(),
            unbuilt: BTreeSet::new(),
            nodes: BTreeMap::new(),
            links: BTreeMap::new(),
            hop_names: BTreeSet::new(),
            core: Vec::new(),
            pending: Vec::new(),
            largest_rtts: Vec::new(),
            dumbbell: None,
            drawn: false,
        }
    }

    fn fault(&mut self, place: Location, error: BadInput) {
        self.faults.add(place, error);
    }

    /// A node by its name, made if the file does not list its nodes.
    fn node(&mut self, given: &Located<String>, make: bool) -> Option<NodeId> {
        if let Some(&node) = self.nodes.get(&given.value) {
            return Some(node);
        }
        if make && self.case.top.nodes.is_none() {
            self.nodes.insert(given.value.clone(), self.network.nodes.len());
            self.network.nodes.push(given.value.clone().into());
            return Some(self.network.nodes.len() - 1);
        }
        let error = self.no_such("node", &given.value, self.nodes.keys().map(String::as_str));
        self.fault(given.place, error);
        None
    }

    /// The refusal of a name that nothing bears. The names that it might mean are sought as long as few
    /// faults are found: no more are printed.
    fn no_such<'n>(
        &self,
        kind: &str,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> BadInput {
        const FEW: usize = 100;
        if self.faults.count() < FEW {
            no_such(kind, name, &names.collect::<Vec<_>>())
        } else {
            BadInput::new(format!("there is no {kind} {}", quoted(name)))
        }
    }

    /// Something that is referred to by name.
    fn unknown_link(&mut self, given: &Located<String>) {
        let error = self.no_such("link", &given.value, self.links.keys().map(String::as_str));
        self.fault(given.place, error);
    }

    fn finish(mut self) -> Option<Built> {
        self.network.warmup = self.warmup();
        if self.groups.is_empty() && self.unbuilt.is_empty() {
            let what = BadInput::new("there are no flows");
            self.fault(Location::start(), what.hint("write [dumbbell], or [[link]] and [[flow]]"));
        }
        let tested = self.tested();
        let measured_link = self.measured_link();
        self.check_warmup();
        self.faults.unless_since(self.noted, ())?;
        let layout = Layout {
            groups: self.groups,
            tested: tested?,
            links: self.core,
            measured_link: measured_link?,
        };
        let probes = &mut self.network.probes;
        probes.without_rtts = !self.case.top.measure.value.delays.value;
        if !probes.without_rtts {
            probes.delays = Some(layout.measured_link);
            probes.one_way = layout.tested_flows().into();
            if progress_tells(&self.network, &layout) {
                self.network.probes.progress = layout.tested_flows().into();
            }
        }
        let warmup = self.network.warmup;
        let dumbbell = self.dumbbell.map(|path| Dumbbell { warmup, ..path });
        Some(Built { network: self.network, layout, dumbbell, differs_by_seed: self.drawn })
    }

    fn tested(&mut self) -> Option<usize> {
        let Some(given) = &self.case.top.measure.value.group else {
            return Some(0);
        };
        let found = self.groups.iter().position(|group| group.name == given.value);
        if found.is_none() && !self.unbuilt.contains(given.value.as_str()) {
            let built = self.groups.iter().map(|g| g.name.as_str());
            let names: Vec<&str> = built.chain(self.unbuilt.iter().copied()).collect();
            let error = no_such("group of flows", &given.value, &names);
            self.fault(given.place, error);
        }
        found
    }

    fn measured_link(&mut self) -> Option<LinkId> {
        let Some(given) = &self.case.top.measure.value.link else {
            return self.core.first().copied();
        };
        let there = self.network.links.iter().position(|link| link.name == given.value);
        let hops = self.links.get(&given.value).and_then(|hops| hops.first()).map(|(l, _)| *l);
        let found = hops.or(there);
        if found.is_none() {
            self.unknown_link(given);
        }
        found
    }

    /// The given warm-up, or 15 s, a quarter of a short run, none where transfers are under test.
    fn warmup(&self) -> Duration {
        let top = self.case.top;
        match &top.warmup {
            Some(given) => given.value,
            None if self.transfers_only() => Duration::ZERO,
            None => Duration::from_secs(15).min(top.time.value / 4),
        }
    }

    fn transfers_only(&self) -> bool {
        let named = &self.case.top.measure.value.group;
        let tested = match named {
            Some(given) => self.groups.iter().find(|group| group.name == given.value),
            None => self.groups.first(),
        };
        tested.is_some_and(|group| is_transfers(&self.network.flows[group.flows.clone()]))
    }

    fn check_warmup(&mut self) {
        let top = self.case.top;
        if let Some(given) = &top.warmup
            && given.value >= top.time.value
        {
            let what = format!(
                "the warm-up of {} is not shorter than the time of {}",
                given.value, top.time.value
            );
            self.fault(given.place, BadInput::new(what).hint("raise time or lower warmup"));
        }
    }

    /// The fastest link that is not an access link.
    fn fastest(&self) -> Rate {
        let rate = |&l: &LinkId| rate_of(&self.network.links[l]);
        self.core.iter().map(rate).max().unwrap_or(Rate::ZERO)
    }
}

impl Built {
    /// True if the flows under test are transfers: each ends, or is one connection after another.
    pub fn has_transfers(&self) -> bool {
        let flows = self.network.flows.get(self.layout.tested_flows()).unwrap_or(&[]);
        is_transfers(flows) || flows.iter().any(|f| matches!(f.traffic, Traffic::ShortFlows { .. }))
    }
}

impl Layout {
    /// The flows under test.
    pub fn tested_flows(&self) -> Range<usize> {
        self.groups.get(self.tested).map_or(0..0, |group| group.flows.clone())
    }
}

/// True if the progress of the flows under test is worth recording over time: several share the path, or the
/// path changes. Transfers have completion times instead.
fn progress_tells(network: &Network, layout: &Layout) -> bool {
    let tested = network.flows.get(layout.tested_flows()).unwrap_or(&[]);
    let lasts = |flow: &FlowSpec| match &flow.traffic {
        Traffic::Tcp(_, workload) => !matches!(workload, Workload::Transfer(_)),
        _ => false,
    };
    let changes = || network.links.iter().any(|link| !link.config.schedule.is_empty());
    tested.iter().all(lasts) && (tested.len() > 1 || changes())
}

/// True if each of these flows is a transfer that ends.
pub fn is_transfers(flows: &[FlowSpec]) -> bool {
    !flows.is_empty()
        && flows.iter().all(|f| matches!(f.traffic, Traffic::Tcp(_, Workload::Transfer(_))))
}

/// A link's rate, or its mean.
pub fn rate_of(link: &LinkSpec) -> Rate {
    match &link.config.capacity {
        westwood_net::Capacity::Fixed(rate) => *rate,
        westwood_net::Capacity::Recorded(trace) => trace.mean_rate(),
    }
}

/// The error for a name that nothing has.
fn no_such(kind: &str, name: &str, names: &[&str]) -> BadInput {
    let error = BadInput::new(format!("there is no {kind} {}", quoted(name)));
    match nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None if names.is_empty() => error.hint(format!("there is no {kind} at all")),
        None => {
            const MOST: usize = 20;
            let shown = names.iter().take(MOST).copied();
            error.hint(format!("there are {}", listed(shown)))
        }
    }
}
