//! The grounds of warnings: what a scenario and its runs have of them.

use serde::{Deserialize, Serialize};
use westwood_cc::Instant;
use westwood_net::{Capacity, FecConfig, Limit, LossConfig, QueueConfig};
use westwood_sim::{FlowSpec, Network, Traffic, Workload};
use westwood_tcp::{Credit, ReadMode};

use super::settled::{halves_are_alike, unsettled};
use super::warning::{HostLimit, Warning};
use crate::run::{GridReport, GroupRecord, LinkRecord, RunRecord, is_random};
use crate::stats::mean;
use westwood_scenario::dumbbell::{LinkCapacity, seconds};
use westwood_scenario::file::{Built, GridPoint, Scenario};
use westwood_scenario::sorting::{SortedMap, distinct, sort_by};

/// Below this many round-trip times a controller has not shown what it does.
const FEW_ROUND_TRIPS: f64 = 10.0;

/// From this share of the measured time on slow start takes part in its means.
const SLOW_START: f64 = 0.05;

/// From this loss on more than half of all windows of four segments lose one: loss is repaired by
/// timeouts, and no controller matters.
const HEAVY_LOSS: f64 = 0.2;

/// Binary fractions lose this much of a share on their way: 1 - (1 - 0.2) is less than 0.2.
const ROUNDING: f64 = 1e-9;

/// From this share of the measured time on the absence of all flows under test takes part in their means.
const ABSENT: f64 = 0.05;

/// With fewer places for waiting packets ties decide, as `crates/fidelity/reference/differences.md` measures.
const FEW_PLACES: u64 = 3;

/// A buffer is deep that keeps packets waiting for longer than this when it is full: RFC 6298, section 2.1,
/// begins with a timeout of a second, so that a handshake through it times out before it is answered. About
/// one host in a hundred meets such queues often (C. Chirichella and D. Rossi, "To the Moon and back: are
/// Internet bufferbloat delays really that large?", TMA 2013).
const DEEP_S: f64 = 1.0;

/// And for so many round-trip times of the path: one or two of a satellite's are no mistake.
const DEEP_ROUND_TRIPS: f64 = 10.0;

/// From this share of the time on the hosts' buffers take part in a result.
const HOSTS_LIMIT: f64 = 0.1;

/// From this share of refused transfers on the mean completion time is not that of the offered ones.
const REFUSED: f64 = 0.01;

/// From so many base round-trip times on the time that is spent elsewhere than in the measured queue is as
/// long as the path.
const ELSEWHERE: f64 = 1.0;

/// From this share of busy time on a link is full.
const FULL: f64 = 0.95;

/// The part of a scenario that warnings about its results need. It is kept with the runs of a part of a
/// grid, so that the parts, joined, have the warnings of the whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarningGrounds {
    /// The warnings that hold for any runs of the scenario.
    always: Vec<Warning>,
    /// The part of the hosts that may hold data back.
    host_limit: HostLimit,
    /// The longest warm-up, in seconds.
    warmup_s: f64,
    /// Whether flows that carry more in one half of the measured time than in the other have not settled, and
    /// no other warning says why.
    #[serde(default)]
    halves_tell: bool,
}

impl WarningGrounds {
    /// The grounds of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let Some(&seed) = scenario.seeds().first() else { return Self::default() };
        let each = scenario.points().iter().map(|point| (point, scenario.build(point, seed).ok()));
        let pairs: Vec<(&GridPoint, Built)> =
            each.filter_map(|(point, of)| Some((point, of?))).collect();
        let networks = Networks { pairs: &pairs, settings: settings(&pairs) };
        let mut always = networks.warnings_of_time();
        always.extend(networks.warnings_of_flows(scenario));
        always.extend(networks.warnings_of_queues(scenario));
        let built = || networks.built();
        let host_limit = if built().any(has_window) {
            HostLimit::Window
        } else if built().any(has_proxy_buffer) {
            HostLimit::ProxyBuffers
        } else {
            HostLimit::Buffers
        };
        let is_short = always.iter().any(Warning::is_of_short_time);
        let halves_tell = !is_short && built().all(halves_are_alike);
        Self {
            always,
            halves_tell,
            host_limit,
            warmup_s: built().map(|built| seconds(built.network.warmup)).fold(0.0, f64::max),
        }
    }

    /// The warnings about these runs of the scenario, in sentences.
    pub fn sentences(&self, report: &GridReport) -> Vec<String> {
        self.warnings(report).iter().map(ToString::to_string).collect()
    }

    /// The warnings about these runs of the scenario.
    fn warnings(&self, report: &GridReport) -> Vec<Warning> {
        let mut all = self.always.clone();
        let limited = limited_by_hosts(report);
        if !limited.is_empty() {
            all.push(Warning::HostsLimit(limited, self.host_limit));
        }
        let unsettled = if self.halves_tell { unsettled(report) } else { Vec::new() };
        if !unsettled.is_empty() {
            all.push(Warning::Unsettled(unsettled));
        }
        all.extend(waits_beyond_the_measured_link(self.warmup_s, report));
        all.extend(ended_early(self.warmup_s, report));
        all.extend(refused(report));
        all
    }
}

/// The networks of a scenario's points under its first seed.
struct Networks<'a> {
    pairs: &'a [(&'a GridPoint, Built)],
    /// The same by setting, whatever the controller under test.
    settings: Vec<Vec<&'a Built>>,
}

impl<'a> Networks<'a> {
    fn built(&self) -> impl Iterator<Item = &'a Built> + use<'a> {
        self.pairs.iter().map(|(_, built)| built)
    }

    /// The warning, which holds for the settings with such a network.
    fn at(&self, warning: Warning, holds: &dyn Fn(&Built) -> bool) -> Warning {
        let found = self.settings.iter().filter(|setting| setting.iter().any(|built| holds(built)));
        warning.at(found.count(), self.settings.len())
    }

    /// Runs that are too short, or measured too early.
    fn warnings_of_time(&self) -> Vec<Warning> {
        let mut always = Vec::new();
        let few = |trips: Option<f64>| trips.is_some_and(|n| n < FEW_ROUND_TRIPS);
        let least = |trips: fn(&Built) -> Option<f64>| {
            self.built().filter_map(trips).fold(f64::MAX, f64::min)
        };
        let (lasting, measured) = (least(round_trips), least(measured_round_trips));
        if lasting < FEW_ROUND_TRIPS {
            always.push(self.at(Warning::FewRoundTrips(lasting), &|built| few(round_trips(built))));
        } else if measured < FEW_ROUND_TRIPS {
            let warning = Warning::FewMeasuredRoundTrips(measured);
            always.push(self.at(warning, &|built| few(measured_round_trips(built))));
        }
        let starting = |built: &Built| measured_slow_start(built).filter(|of| of.1 >= SLOW_START);
        let most = self.built().filter_map(starting).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((s, share)) = most.filter(|_| lasting.min(measured) >= FEW_ROUND_TRIPS) {
            let warning = Warning::MeasuredSlowStart(s, share);
            always.push(self.at(warning, &|built| starting(built).is_some()));
        }
        always
    }

    /// Losses, limits and controllers of the flows under test.
    fn warnings_of_flows(&self, scenario: &Scenario) -> Vec<Warning> {
        let mut always = Vec::new();
        let loss = self.built().map(random_loss).fold(0.0, f64::max);
        let heavy = |loss: f64| loss >= HEAVY_LOSS - ROUNDING;
        if heavy(loss) {
            let plain = scenario.plain_losses().into_iter().find(|p| heavy(*p));
            if plain.is_some() || loss >= 1.0 || self.built().any(has_tcp) {
                let warning = Warning::HeavyLoss(loss, plain);
                always.push(self.at(warning, &|built| heavy(random_loss(built))));
            }
        }
        let random = |(point, built): &(&GridPoint, Built)| is_random(scenario, point, built);
        if scenario.seeds().len() == 1 && self.pairs.iter().any(random) {
            let ranked = |point: &GridPoint| (point.cc, point.variant.clone());
            let all: Vec<_> = scenario.points().iter().map(ranked).collect();
            always.push(Warning::OneSeed(all.windows(2).any(|two| two[0] != two[1])));
        }
        if let Some(warning) = self.built().find_map(access_links_limit) {
            always.push(self.at(warning, &|built| access_links_limit(built).is_some()));
        }
        if let Some(warning) = self.built().find_map(applications_limit) {
            always.push(self.at(warning, &|built| applications_limit(built).is_some()));
        }
        let is_absent = |share: f64| share >= ABSENT;
        let absent = self.built().filter_map(absent_share).fold(0.0, f64::max);
        if is_absent(absent) {
            let warning = Warning::AbsentFlows(absent);
            always.push(self.at(warning, &|built| absent_share(built).is_some_and(is_absent)));
        }
        let names_others = |(point, built): &(&GridPoint, Built)| {
            point.cc.is_some() && built.tested_controller().is_none()
        };
        if !self.pairs.is_empty() && self.pairs.iter().all(names_others) {
            always.push(Warning::WithoutController);
        }
        let counts_acks = |built: &Built| counts_acks_under_cubic(&built.network);
        if self.built().any(counts_acks) {
            always.push(self.at(Warning::CubicCountsAcks, &counts_acks));
        }
        let names: Vec<&str> = distinct(self.built().flat_map(without_marks));
        if !names.is_empty() {
            let warning = Warning::WithoutMarks(names.into_iter().map(str::to_owned).collect());
            always.push(self.at(warning, &|built| !without_marks(built).is_empty()));
        }
        always
    }

    /// Buffers, and the measuring of delays.
    fn warnings_of_queues(&self, scenario: &Scenario) -> Vec<Warning> {
        let mut always = Vec::new();
        if let Some(places) = self.built().filter_map(few_places).min() {
            always.push(self.at(Warning::FewPlaces(places), &|built| few_places(built).is_some()));
        }
        let deepest = self.built().filter_map(deep_buffer).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((packets, wait_s, rtts)) = deepest {
            let warning = Warning::DeepBuffer(packets, wait_s, rtts);
            always.push(self.at(warning, &|built| deep_buffer(built).is_some()));
        }
        let is_recorded = |built: &Built| {
            built
                .dumbbell
                .as_ref()
                .is_some_and(|path| matches!(path.down, LinkCapacity::Recorded(_)))
        };
        if self.built().any(is_recorded) && !scenario.writes("dumbbell.buffer") {
            always.push(self.at(Warning::TraceWithoutBuffer, &is_recorded));
        }
        if self.built().any(queues_apart) {
            always.push(self.at(Warning::QueuesApart, &queues_apart));
        }
        let without_delays = |built: &Built| built.network.probes.without_rtts;
        if self.built().any(without_delays) {
            always.push(self.at(Warning::WithoutDelays, &without_delays));
        }
        always
    }
}

/// Everything that makes the results of a scenario mean little, in sentences.
pub fn warnings(scenario: &Scenario, report: &GridReport) -> Vec<String> {
    WarningGrounds::of(scenario).sentences(report)
}

/// The networks of each setting of a sweep and variant, whatever the controller under test.
fn settings<'a>(pairs: &'a [(&GridPoint, Built)]) -> Vec<Vec<&'a Built>> {
    let mut all: SortedMap<(Vec<&str>, Option<&str>), Vec<&'a Built>> = SortedMap::default();
    for (point, built) in pairs {
        let fields = point.settings.iter().filter(|setting| setting.path != "cc");
        let values = fields.map(|setting| setting.value.as_str()).collect();
        all.or_insert_with((values, point.variant.as_deref()), Vec::new).push(built);
    }
    all.into_iter().map(|(_, built)| built).collect()
}

/// The length of a run in its longest base round-trip times, where flows do not end by themselves.
fn round_trips(built: &Built) -> Option<f64> {
    longest_rtt_s(built).map(|rtt| seconds(built.network.duration) / rtt)
}

/// The same of its measured part.
fn measured_round_trips(built: &Built) -> Option<f64> {
    let network = &built.network;
    longest_rtt_s(built).map(|rtt| seconds(network.duration - network.warmup) / rtt)
}

/// The longest propagation round-trip time of the flows under test, where they do not end by themselves.
fn longest_rtt_s(built: &Built) -> Option<f64> {
    longest_rtt_of_any_s(built).filter(|_| !built.has_transfers())
}

/// The longest propagation round-trip time of the flows under test.
fn longest_rtt_of_any_s(built: &Built) -> Option<f64> {
    let network = &built.network;
    let tested = network.flows.get(built.layout.tested_flows())?;
    let rtt = |flow: &FlowSpec| -> f64 {
        let ways = flow.path.iter().chain(&flow.return_path).flatten();
        ways.filter_map(|&link| network.links.get(link)).map(|l| seconds(l.config.delay)).sum()
    };
    let longest = tested.iter().map(rtt).fold(0.0, f64::max);
    (longest > 0.0).then_some(longest)
}

/// The seconds in which slow start fills the path, and the share of the measured time that they take: a round
/// trip for each doubling from the initial window to the flow's part of the
/// bandwidth-delay product. A controller that leaves slow start sooner takes longer.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
fn measured_slow_start(built: &Built) -> Option<(f64, f64)> {
    let network = &built.network;
    let rtt = longest_rtt_s(built)?;
    let Capacity::Fixed(rate) = network.links.get(built.layout.measured_link)?.config.capacity
    else {
        return None;
    };
    let greedy = |flow: &&FlowSpec| matches!(flow.traffic, Traffic::Tcp(_, Workload::Greedy));
    let tested = network.flows.get(built.layout.tested_flows())?;
    let first = tested.iter().find(greedy)?;
    let config = &first.traffic.tcp()?.config;
    let packet = (config.sizes.payload + config.sizes.header).get().max(1) as f64;
    let pipe = rate.bits_per_s() as f64 / 8.0 * rtt / packet;
    let flows = network.flows.iter().filter(greedy).count() as f64;
    let growth = pipe / flows / config.initial_window.whole().max(1) as f64;
    let takes = rtt * libm::log2(growth.max(1.0));
    let opens = if first.handshake { rtt } else { 0.0 };
    let filled = seconds(first.start.since(Instant::ZERO)) + opens + takes;
    let (warmup, end) = (seconds(network.warmup), seconds(network.duration));
    (end > warmup).then_some((takes, (filled.min(end) - warmup) / (end - warmup)))
}

fn has_tcp(built: &Built) -> bool {
    built.network.flows.iter().any(|flow| flow.traffic.tcp().is_some())
}

/// The largest share of packets that a link loses at random, memory and what it repairs itself left out.
fn random_loss(built: &Built) -> f64 {
    let share = |loss: &LossConfig| match loss {
        LossConfig::Bernoulli { p } => *p,
        _ => 0.0,
    };
    let link = |link: &westwood_sim::LinkSpec| -> f64 {
        let once = 1.0 - link.config.losses.iter().map(|loss| 1.0 - share(loss)).product::<f64>();
        match (link.config.arq, link.config.fec) {
            (Some(arq), _) => (0..arq.tries).fold(once, |lost, _| lost * once),
            (_, Some(fec)) => lost_in_blocks(once, fec),
            _ => once,
        }
    };
    built.network.links.iter().map(link).fold(0.0, f64::max)
}

/// The share of packets lost for good of those that are lost with this probability: a packet is, if as many
/// others of its block are lost as there are repair packets.
fn lost_in_blocks(loss: f64, FecConfig { k, n, .. }: FecConfig) -> f64 {
    if loss <= 0.0 || loss >= 1.0 {
        return loss;
    }
    let (others, repairs) = (n - 1, n - k);
    // Logarithms, for no packet of a large block being lost is less probable than any number.
    let mut probability = f64::from(others) * libm::log(1.0 - loss);
    let mut repaired = 0.0;
    for lost in 0..repairs {
        repaired += libm::exp(probability);
        let next = f64::from(others - lost) / f64::from(lost + 1) * loss / (1.0 - loss);
        probability += libm::log(next);
    }
    loss * (1.0 - repaired).max(0.0)
}

/// Access links that cannot fill the measured link.
fn access_links_limit(built: &Built) -> Option<Warning> {
    let path = built.dumbbell.as_ref()?;
    let (access, rate) = (path.access_rate.bits_per_s(), path.rate().bits_per_s());
    let flows = path.flows.saturating_add(path.competing_flows());
    (flows.saturating_mul(access) < rate).then_some(Warning::AccessLinksLimit(access, rate))
}

/// Applications that write at a rate, of all flows that cross the measured link, and cannot fill it.
fn applications_limit(built: &Built) -> Option<Warning> {
    let (network, measured) = (&built.network, built.layout.measured_link);
    let Capacity::Fixed(rate) = network.links.get(measured)?.config.capacity else { return None };
    let crosses = |flow: &&FlowSpec| flow.path.iter().flatten().any(|&link| link == measured);
    let written = |flow: &FlowSpec| match flow.traffic {
        Traffic::Tcp(_, Workload::Limited(rate)) => Some(rate.bits_per_s()),
        _ => None,
    };
    let all: Option<Vec<u64>> = network.flows.iter().filter(crosses).map(written).collect();
    let written = all?.into_iter().fold(0, u64::saturating_add);
    let rate = rate.bits_per_s();
    (0 < written && written < rate).then_some(Warning::ApplicationsLimit(written, rate))
}

/// The share of the measured time in which no flow under test runs, where they do not end by themselves.
fn absent_share(built: &Built) -> Option<f64> {
    let network = &built.network;
    if built.has_transfers() {
        return None;
    }
    let at = |instant: Instant| seconds(instant.since(Instant::ZERO));
    let (warmup, end) = (seconds(network.warmup), seconds(network.duration));
    let tested = network.flows.get(built.layout.tested_flows())?;
    let mut running: Vec<(f64, f64)> =
        tested.iter().map(|flow| (at(flow.start), flow.stop.map_or(end, at).min(end))).collect();
    sort_by(&mut running, |a, b| a.0.total_cmp(&b.0));
    let (mut covered, mut until) = (0.0, warmup);
    for (from, to) in running {
        covered += (to - from.max(until)).max(0.0);
        until = until.max(to);
    }
    (end > warmup).then(|| 1.0 - covered / (end - warmup))
}

fn counts_acks_under_cubic(network: &Network) -> bool {
    network
        .flows
        .iter()
        .filter_map(|flow| flow.traffic.tcp())
        .any(|tcp| tcp.controller.info().name == "cubic" && tcp.config.credit == Credit::PerAck)
}

/// The controllers made for marks whose packets none of a network's links can mark.
fn without_marks(built: &Built) -> Vec<&'static str> {
    const MADE_FOR_MARKS: [&str; 2] = ["dctcp", "prague"];
    let marks =
        |link: &westwood_sim::LinkSpec| link.config.queue.marks() || link.config.ecn_path.is_some();
    let is_marked = built.network.links.iter().any(marks);
    let flows = built.network.flows.iter().filter_map(|flow| flow.traffic.tcp());
    let unmarked = flows.filter(|tcp| !(is_marked && tcp.config.ecn));
    let names = unmarked.map(|tcp| tcp.controller.info().name);
    names.filter(|name| MADE_FOR_MARKS.contains(name)).collect()
}

/// The places of the smallest drop-tail queue of flows under test, if they are few, and nothing parts packets
/// that meet there within an instant.
fn few_places(built: &Built) -> Option<u64> {
    let network = &built.network;
    let links = || network.links.iter().map(|link| &link.config);
    if links().any(|link| link.jitter.is_some()) {
        return None;
    }
    let tested = network.flows.get(built.layout.tested_flows())?;
    let places = |flow: &FlowSpec| {
        let sizes = &flow.traffic.tcp()?.config.sizes;
        let packet = (sizes.payload + sizes.header).get().max(1);
        let queues = flow.path.iter().flatten().filter_map(|&link| network.links.get(link));
        let places = queues.filter_map(|link| match link.config.queue {
            QueueConfig::DropTail(Limit::Packets(packets)) => Some(packets),
            QueueConfig::DropTail(Limit::Bytes(bytes)) => Some(bytes.get() / packet),
            _ => None,
        });
        places.min()
    };
    tested.iter().filter_map(places).min().filter(|places| *places < FEW_PLACES)
}

/// The packets that the measured drop-tail queue holds, the seconds for which a full one keeps them waiting,
/// and these in round-trip times of the path, if it is deep. Recorded capacity has no one rate.
#[expect(clippy::cast_precision_loss, reason = "sizes of buffers are far below 2^53 bytes")]
fn deep_buffer(built: &Built) -> Option<(u64, f64, f64)> {
    let network = &built.network;
    let link = &network.links.get(built.layout.measured_link)?.config;
    let (Capacity::Fixed(rate), QueueConfig::DropTail(limit)) = (&link.capacity, &link.queue)
    else {
        return None;
    };
    let tested = network.flows.get(built.layout.tested_flows())?;
    let sizes = &tested.iter().find_map(|flow| flow.traffic.tcp())?.config.sizes;
    let packet = (sizes.payload + sizes.header).get().max(1);
    let packets = match limit {
        Limit::Packets(packets) => *packets,
        Limit::Bytes(bytes) => bytes.get() / packet,
        Limit::Unlimited => return None,
    };
    let wait_s = packets as f64 * packet as f64 * 8.0 / rate.bits_per_s() as f64;
    let rtts = wait_s / longest_rtt_of_any_s(built)?;
    let is_deep = wait_s.is_finite() && wait_s > DEEP_S && rtts > DEEP_ROUND_TRIPS;
    is_deep.then_some((packets, wait_s, rtts))
}

/// Whether the measured link has queues of their own for flows, and others than those under test cross it.
fn queues_apart(built: &Built) -> bool {
    let (network, measured) = (&built.network, built.layout.measured_link);
    let queue = network.links.get(measured).map(|link| link.config.queue);
    let (tested, flows) = (built.layout.tested_flows(), network.flows.iter().enumerate());
    let mut others = flows.filter(|(i, _)| !tested.contains(i)).map(|(_, flow)| flow);
    matches!(
        queue,
        Some(
            QueueConfig::FqCoDel(_)
                | QueueConfig::FqPie(_)
                | QueueConfig::DualPi2(_)
                | QueueConfig::Cake(_)
        )
    ) && others.any(|flow| flow.path.iter().flatten().any(|&link| link == measured))
}

/// Whether a receiver has a window of a given size.
fn has_window(built: &Built) -> bool {
    let flows = built.network.flows.iter().filter_map(|flow| flow.traffic.tcp());
    let usual = westwood_tcp::Config::default().receive_window;
    flows.into_iter().any(|tcp| tcp.config.receive_window != usual)
}

/// Whether a flow under test ends at a proxy with a buffer.
fn has_proxy_buffer(built: &Built) -> bool {
    let tested = built.network.flows.get(built.layout.tested_flows()).unwrap_or_default();
    tested
        .iter()
        .filter_map(|flow| flow.traffic.tcp())
        .any(|tcp| matches!(tcp.config.buffers.reading, ReadMode::Relayed { memory: Some(_) }))
}

/// The controllers under test that the hosts' buffers limited, and for how large a share of the time.
fn limited_by_hosts(report: &GridReport) -> Vec<(String, f64)> {
    largest(report, HOSTS_LIMIT, |_, group| Some(group.host_limited))
}

/// The controllers under test whose round trips take longer than the path and the measured queue account for,
/// by at least as much as the path takes; and the busiest of the other links in their runs, if it is full.
#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn waits_beyond_the_measured_link(warmup_s: f64, report: &GridReport) -> Option<Warning> {
    let base_ms = |group: &GroupRecord| {
        mean(&group.flows.iter().map(|flow| flow.base_rtt_ms).collect::<Vec<f64>>())
    };
    // Little's law: the packets that wait, on the mean, over those that cross in a millisecond.
    let others_ms = |run: &RunRecord| {
        let measured_ms = (run.summary.as_ref()?.sim_s - warmup_s).max(0.0) * 1e3;
        let wait = |link: &LinkRecord| {
            link.queue_packets.mean * measured_ms / link.delivered_packets.max(1) as f64
        };
        Some(run.links.iter().skip(1).map(wait).sum::<f64>())
    };
    let elsewhere_ms = |run: &RunRecord, group: &GroupRecord| {
        // The measured link stands first.
        let queue = run.links.first()?.queue_delay_ms.as_ref()?.mean;
        let by_samples = group.rtt_ms.as_ref()?.mean - base_ms(group)? - queue;
        // Round-trip times are samples of ACKs, and waits those of packets: in recovery each packet has an
        // ACK, and the queue is full. No more can wait elsewhere than does before and behind that queue.
        let data = run.summary.as_ref().and_then(|of| of.one_way_delay_ms);
        let by_packets = data.and_then(|data| Some(data.mean - queue + others_ms(run)?));
        Some(by_packets.map_or(by_samples, |most| by_samples.min(most)))
    };
    let base_rtts = |run: &RunRecord, group: &GroupRecord| {
        Some(elsewhere_ms(run, group)? / base_ms(group)?).filter(|n| n.is_finite())
    };
    let long = largest(report, ELSEWHERE, base_rtts);
    let all = largest(report, 0.0, elsewhere_ms);
    let all: Vec<(String, f64)> =
        all.into_iter().filter(|(name, _)| long.iter().any(|(other, _)| other == name)).collect();
    let of = |link: &LinkRecord| (link.utilization, link.name.clone());
    let others = report.runs.iter().flat_map(|run| run.links.iter().skip(1)).map(of);
    let busiest = others.max_by(|a, b| a.0.total_cmp(&b.0));
    let full = busiest.filter(|(utilization, _)| *utilization >= FULL).map(|(_, name)| name);
    (!all.is_empty()).then_some(Warning::WaitsElsewhere(all, full))
}

/// The controllers under test, or the points where these differ in more than that, whose value is so large,
/// on the mean over the seeds. The largest first.
fn largest(
    report: &GridReport,
    least: f64,
    value: impl Fn(&RunRecord, &GroupRecord) -> Option<f64>,
) -> Vec<(String, f64)> {
    let varied = report.is_varied();
    let mut values: SortedMap<(&str, usize), Vec<f64>> = SortedMap::default();
    for run in &report.runs {
        for group in run.groups.iter().filter(|group| group.tested) {
            let (Some(cc), Some(value)) = (&group.cc, value(run, group)) else { continue };
            let point = report.points.get(run.point).filter(|_| varied);
            let name = point.map_or(cc, |point| &point.name);
            values.or_insert_with((name, run.point), Vec::new).push(value);
        }
    }
    let mut all: SortedMap<&str, f64> = SortedMap::default();
    for ((name, _), values) in &values {
        let value = mean(values).unwrap_or(0.0);
        let largest = all.or_insert_with(*name, || value);
        *largest = largest.max(value);
    }
    let mut all: Vec<(String, f64)> = all
        .into_iter()
        .filter(|of| of.1 >= least)
        .map(|(name, of)| (name.to_owned(), of))
        .collect();
    sort_by(&mut all, |a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}

/// Runs whose transfers were all over when measuring began.
fn ended_early(warmup: f64, report: &GridReport) -> Option<Warning> {
    let runs = report.runs.iter().filter(|run| run.ended_before_measuring()).count();
    (warmup > 0.0 && runs > 0).then_some(Warning::EndedBeforeWarmup(runs, report.runs.len()))
}

/// Transfers under test that never began.
#[expect(clippy::cast_precision_loss, reason = "counts of a grid are far below 2^53")]
fn refused(report: &GridReport) -> Option<Warning> {
    let groups = report.runs.iter().flat_map(|run| &run.groups).filter(|group| group.tested);
    let (mut refused, mut all) = (0, 0);
    for transfers in groups.filter_map(|group| group.transfers.as_ref()) {
        refused += transfers.refused;
        all += transfers.refused + transfers.finished + transfers.unfinished;
    }
    let share = refused as f64 / all.max(1) as f64;
    (share >= REFUSED).then_some(Warning::Refused(share))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The warnings about the runs of a scenario.
    fn simulated(text: &str) -> Vec<Warning> {
        let read = |_: &Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
        WarningGrounds::of(&scenario).warnings(&GridReport::simulated(&scenario, "1.2.3", 1))
    }

    #[test]
    fn transfers_that_are_refused_are_told_because_no_completion_time_counts_them() {
        let of = |at_a_time: u64| {
            let short = format!(
                "short_flows = {{ every = \"100 ms\", size = \"30 kB\", at_a_time = {at_a_time} }}\n"
            );
            let path = "[dumbbell]\nrate = \"1 Mbit/s\"\n";
            let web = "[[flow]]\nname = \"web\"\nover = \"bottleneck\"\n";
            let timed = "cc = \"reno\"\ntime = \"5 s\"\nseeds = 1\n";
            simulated(&format!("{timed}{path}{web}{short}[measure]\ngroup = \"web\"\n"))
        };
        let told = |said: &Vec<Warning>| said.iter().any(|it| matches!(it, Warning::Refused(_)));
        // Ten times 30 kB a second are more than twice what the link carries.
        let said = of(1);
        assert!(told(&said), "{said:?}");
        assert!(!told(&of(1000)));
    }

    #[test]
    fn a_proxy_that_limits_is_told_by_its_point_and_its_buffer() {
        let link = |name: &str, from: &str, to: &str, rate: &str| {
            let ends = format!("name = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
            format!("[[link]]\n{ends}rate = \"{rate}\"\ndelay = \"20 ms\"\n")
        };
        let links = link("far", "a", "b", "20 Mbit/s") + &link("slow", "b", "c", "2 Mbit/s");
        let flow = "[[flow]]\nname = \"down\"\nfrom = \"a\"\nto = \"c\"\n";
        let split = "[variant.split]\n\"flow.down.proxy\" = { at = \"b\", buffer = \"50 kB\" }\n";
        let timed = "cc = [\"cubic\"]\nlike = \"linux\"\ntime = \"5 s\"\nseeds = 1\n";
        let text = format!("{timed}{links}{flow}[measure]\nlink = \"far\"\n{split}");
        let said = simulated(&text);
        let limit = said.iter().find(|warning| matches!(warning, Warning::HostsLimit(..)));
        let limit = limit.map(ToString::to_string).unwrap_or_default();
        assert!(limit.contains("the time: cubic, split "), "{limit}");
        assert!(limit.contains("Of a flow with a proxy the proxy's buffer may be"), "{limit}");
    }

    #[test]
    fn waiting_that_the_measured_queue_does_not_explain_is_told_with_the_full_link() {
        let of = |cc: &str, path: &str| {
            let time = if path.contains("5000") { "30 s" } else { "6 s" };
            let timed = format!("cc = \"{cc}\"\nlike = \"linux\"\ntime = \"{time}\"\nseeds = 1\n");
            let rate = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
            let said = simulated(&format!("{timed}{rate}{path}"));
            let about = said.into_iter().filter(|it| matches!(it, Warning::WaitsElsewhere(..)));
            about.map(|it| it.to_string()).collect::<String>()
        };
        // An ACK of 52 bytes for every second packet is a fiftieth of the traffic.
        let acks = of("cubic-linux", "return_rate = \"100 kbit/s\"\nbuffer = \"60 packets\"\n");
        assert!(acks.contains("account for, and no conclusion weighs it: cubic-linux "), "{acks}");
        assert!(acks.ends_with("The link bottleneck return is full."), "{acks}");
        // The queue before a slow access link is none that is measured.
        let access = of("cubic-linux", "access_rate = \"5 Mbit/s\"\n");
        assert!(access.contains("cubic-linux ") && !access.contains("full"), "{access}");
        assert_eq!(of("cubic-linux", ""), "");
        // A queue that fills for seconds, and one ACK for each packet once it is full, wait at one place.
        assert_eq!(of("cubic-linux", "buffer = \"5000 packets\"\n"), "");
    }

    /// The notes on a run of two seconds after one of warm-up, whose record is changed before they are made.
    fn changed(change: impl Fn(&mut RunRecord)) -> String {
        let text = "cc = \"reno\"\ntime = \"3 s\"\nwarmup = \"1 s\"\nseeds = 1\n\
                    [dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
        let read = |_: &Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
        let mut report = GridReport::simulated(&scenario, "1.2.3", 1);
        report.runs.iter_mut().for_each(change);
        WarningGrounds::of(&scenario).sentences(&report).join("\n")
    }

    #[test]
    fn runs_that_ended_while_nothing_was_warmed_up_did_not_end_too_early() {
        let text = "cc = \"reno\"\ntime = \"1 s\"\nseeds = 1\n[dumbbell]\n";
        let read = |_: &Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
        let mut report = GridReport::simulated(&scenario, "1.2.3", 1);
        assert_eq!(ended_early(0.5, &report), None);
        report.runs[0].summary.as_mut().unwrap().goodput_bps = 0.0;
        report.runs[0].groups[0].flows[0].fct_ms = Some(5.0);
        assert_eq!(ended_early(0.5, &report), Some(Warning::EndedBeforeWarmup(1, 1)));
        assert_eq!(ended_early(0.0, &report), None);
    }

    #[test]
    fn halves_tell_nothing_where_a_run_is_too_short_at_any_setting() {
        let of = |rtts: &str| {
            let timed = "cc = \"reno\"\ntime = \"20 s\"\nwarmup = \"5 s\"\n[dumbbell]\n";
            let text = format!("{timed}[sweep]\n\"dumbbell.rtt\" = {rtts}\n");
            let read = |_: &Path| Err("no files".to_owned());
            WarningGrounds::of(&Scenario::parse("f.toml", &text, &[], &read).unwrap()).halves_tell
        };
        assert!(of("[\"20 ms\", \"30 ms\"]"));
        assert!(!of("[\"20 ms\", \"5 s\"]"));
    }

    #[test]
    fn hosts_limit_from_a_tenth_of_the_time_on() {
        let of = |share: f64| changed(|run| run.groups[0].host_limited = share);
        assert!(of(0.11).contains("for this share of the time: reno 11 %."), "{}", of(0.11));
        assert_eq!(of(0.09), "");
    }

    #[test]
    fn refused_transfers_are_told_from_one_of_a_hundred_on() {
        let of = |finished: u64| {
            let transfers = crate::run::Transfers {
                finished,
                unfinished: 0,
                refused: 1,
                fct_mean_ms: None,
                fct_p50_ms: None,
                fct_p95_ms: None,
                fct_max_ms: None,
            };
            changed(|run| run.groups[0].transfers = Some(transfers))
        };
        assert!(of(99).contains("1 % of the transfers under test were refused"), "{}", of(99));
        assert_eq!(of(100), "");
    }

    #[test]
    fn waits_elsewhere_are_told_from_the_time_of_the_path_on_and_a_link_is_full_from_19_of_20_on() {
        // Samples take so many base round trips more than path and queue, the other links' waits so many, and
        // they are busy for this share.
        let of = |samples: f64, others: f64, busy: f64| {
            changed(move |run| {
                let queue = run.links[0].queue_delay_ms.unwrap().mean;
                let base = run.groups[0].flows[0].base_rtt_ms;
                run.groups[0].rtt_ms.as_mut().unwrap().mean = base * (1.0 + samples) + queue;
                let delay = run.summary.as_mut().unwrap().one_way_delay_ms.as_mut().unwrap();
                delay.mean = queue;
                for link in run.links.iter_mut().skip(1) {
                    (link.queue_packets.mean, link.delivered_packets) = (0.0, 1);
                    link.utilization = 0.0;
                }
                // Waiting packets over those that cross in the two seconds that are measured.
                let link = &mut run.links[1];
                link.queue_packets.mean = others * base;
                (link.delivered_packets, link.utilization) = (2_000, busy);
            })
        };
        let told = of(1.1, 9.0, 0.96);
        assert!(
            told.contains("no conclusion weighs it: reno 2") && told.contains(" is full."),
            "{told}"
        );
        let told = of(9.0, 1.1, 0.94);
        assert!(
            told.contains("no conclusion weighs it: reno 2") && !told.contains("full"),
            "{told}"
        );
        assert_eq!([of(0.9, 9.0, 0.96), of(9.0, 0.9, 0.96)], ["", ""]);
    }

    /// The warnings about any runs of a scenario.
    fn grounds(text: &str) -> String {
        let read = |_: &Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
        let all = WarningGrounds::of(&scenario).always;
        all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn few_measured_round_trips_are_told_also_of_a_long_run() {
        let of = |warmup: &str| {
            let path = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
            grounds(&format!("cc = \"reno\"\ntime = \"5 s\"\nwarmup = \"{warmup}\"\n{path}"))
        };
        assert_eq!(of("4 s"), "");
        assert!(of("4.99 s").contains("Only 0.5 round-trip times are measured"));
        assert!(of("4.999999999 s").contains("Less than 0.1 round-trip times are measured"));
        let whole = |time: &str| {
            let path = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
            grounds(&format!("cc = \"reno\"\ntime = \"{time}\"\n{path}"))
        };
        assert!(whole("4 ms").contains("A run lasts 0.2 round-trip times"), "{}", whole("4 ms"));
        let least = whole("1 ms");
        assert!(least.contains("A run lasts ") && !least.contains(" 0.0 "), "{least}");
    }

    #[test]
    fn less_than_ten_round_trips_are_few() {
        let path = "[dumbbell]\nrate = \"1 Mbit/s\"\nrtt = \"20 ms\"\nbuffer = \"9 packets\"\n";
        let of = |time: &str, warmup: &str| {
            grounds(&format!("cc = \"reno\"\ntime = \"{time}\"\nwarmup = \"{warmup}\"\n{path}"))
        };
        assert!(of("198 ms", "0 s").contains("A run lasts 9.9 round-trip times"));
        assert!(of("5 s", "4802 ms").contains("Only 9.9 round-trip times are measured"));
        assert_eq!([of("200 ms", "0 s"), of("5 s", "4800 ms")], ["", ""]);
        let swept = format!("{path}[sweep]\n\"dumbbell.rtt\" = [\"400 ms\", \"1 s\"]\n");
        let said = grounds(&format!("cc = \"reno\"\ntime = \"6 s\"\nwarmup = \"0 s\"\n{swept}"));
        assert!(said.contains("At 1 of 2 settings: a run lasts 6.0 round-trip times"), "{said}");
    }

    #[test]
    fn slow_start_within_the_measured_time_is_told_of_flows_that_last() {
        let of = |rate: &str, warmup: &str, more: &str| {
            let path = format!("[dumbbell]\nrate = \"{rate}\"\nrtt = \"600 ms\"\n{more}");
            let timed = format!("time = \"12 s\"\nwarmup = \"{warmup}\"\n");
            grounds(&format!("cc = \"reno\"\nlike = \"linux\"\n{timed}{path}"))
        };
        // 5,000 packets in flight are nine doublings of ten, after the handshake.
        let said = of("100 Mbit/s", "2 s", "");
        assert!(
            said.contains("Slow start takes 5.38 s at least to fill this path, and ends 40 % into"),
            "{said}"
        );
        // It ends after 5.98 s: a twentieth of what is measured from 5.66 s on.
        let said = of("100 Mbit/s", "5.5 s", "");
        assert!(said.contains("ends 7 % into"), "{said}");
        for warmup in ["5.8 s", "6 s"] {
            assert_eq!(of("100 Mbit/s", warmup, ""), "");
        }
        // Each of four flows has two doublings less.
        let said = of("100 Mbit/s", "2 s", "flows = 4\n");
        assert!(said.contains("Slow start takes 4.18 s at least"), "{said}");
        // A window that is the initial one fills the path at once.
        assert_eq!(of("200 kbit/s", "1 s", ""), "");
        assert_eq!(of("100 Mbit/s", "0 s", "size = \"10 MB\"\n"), "");
    }

    #[test]
    fn flows_that_cannot_fill_their_time_or_their_link_are_told() {
        let link = "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\n\
                    delay = \"10 ms\"\nbuffer = \"30 packets\"\n";
        let of = |flow: &str| {
            let timed = "cc = \"reno\"\ntime = \"20 s\"\nwarmup = \"4 s\"\n";
            grounds(&format!("{timed}{link}[[flow]]\nname = \"f\"\nover = \"l\"\n{flow}"))
        };
        assert_eq!(of(""), "");
        let said = of("stop = \"8 s\"\n");
        assert!(said.contains("No flow under test runs for 75 % of the measured time"), "{said}");
        let said = of("start = \"12 s\"\n");
        assert!(said.contains("No flow under test runs for 50 % of the measured time"), "{said}");
        let said = of("stop = \"19.1 s\"\n");
        assert!(said.contains("No flow under test runs for 6 % of the measured time"), "{said}");
        for stop in ["19.3 s", "19.9 s"] {
            assert_eq!(of(&format!("stop = \"{stop}\"\n")), "");
        }
        let said = of("count = 3\nwrite_rate = \"2 Mbit/s\"\n");
        let limit =
            "and not the link of 10 Mbit/s, limit these flows: together they write 6 Mbit/s.";
        assert!(said.contains(limit), "{said}");
        assert_eq!(of("count = 5\nwrite_rate = \"2 Mbit/s\"\n"), "");
        let bulk = "[[flow]]\nname = \"bulk\"\nover = \"l\"\n[measure]\ngroup = \"f\"\n";
        let said = of(&format!("media = {{}}\n{bulk}"));
        assert!(said.contains("conclusions name the controller of the flows beside"), "{said}");
        assert_eq!(of(bulk), "");
    }

    #[test]
    fn few_places_are_told_unless_jitter_parts_what_meets_there() {
        let of = |buffer: &str, more: &str| {
            let link = "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\n\
                        delay = \"10 ms\"\n";
            let flow = "[[flow]]\nname = \"f\"\nover = \"l\"\n";
            grounds(&format!("cc = \"reno\"\n{link}buffer = \"{buffer}\"\n{more}{flow}"))
        };
        assert!(
            of("2 packets", "").contains("A buffer holds 2 packets beside the packet in service")
        );
        assert!(of("1 packet", "").contains("A buffer holds 1 packet beside"));
        assert!(of("4000 B", "").contains("A buffer holds 2 packets"));
        let without = [
            ("3 packets", ""),
            ("2 packets", "jitter = \"uniform(5 us)\"\n"),
            ("2 packets", "aqm = \"codel\"\n"),
        ];
        for (buffer, more) in without {
            assert_eq!(of(buffer, more), "", "{buffer} {more}");
        }
    }

    #[test]
    fn a_buffer_that_is_far_too_deep_is_told_with_what_it_does() {
        let of = |buffer: &str, rtt: &str, more: &str| {
            let path =
                format!("rate = \"10 Mbit/s\"\nrtt = \"{rtt}\"\nbuffer = \"{buffer}\"\n{more}");
            grounds(&format!("cc = \"reno\"\ntime = \"30 s\"\n[dumbbell]\n{path}"))
        };
        // 5,000 packets of 1,500 bytes take 6 s at 10 Mbit/s: 150 round-trip times of 40 ms.
        let said = of("5000 packets", "40 ms", "");
        let told = "A buffer holds 5000 packets: a full one keeps packets waiting 6.00 s, 150 times the \
                    round-trip time of the path.";
        assert!(said.contains(told), "{said}");
        assert!(said.contains("\"1bdp\" is the bandwidth-delay product"), "{said}");
        assert!(of("150 bdp", "40 ms", "").contains("150 times"));
        assert!(of("7500 kB", "40 ms", "size = \"1 MB\"\n").contains("6.00 s"));
        for (buffer, rtt) in [("1.1 s", "40 ms"), ("2 s", "190 ms")] {
            assert!(of(buffer, rtt, "").contains("A buffer holds"), "{buffer} {rtt}");
        }
        // A second is met on real paths, and a long path asks for a long queue.
        let usual = [("1 s", "40 ms"), ("2 bdp", "600 ms"), ("2 s", "210 ms"), ("200 bdp", "1 ms")];
        for (buffer, rtt) in usual {
            assert_eq!(of(buffer, rtt, ""), "", "{buffer} {rtt}");
        }
        // Active queue management does not let it fill.
        assert_eq!(of("5000 packets", "40 ms", "aqm = \"codel\"\n"), "");
    }

    #[test]
    fn heavy_loss_is_told_where_tcp_meets_it() {
        let link = "[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n\
                    buffer = \"10 packets\"\nloss = \"30 %\"\n";
        let flow = "[[flow]]\nname = \"f\"\nover = \"l\"\n";
        let timeouts = "TCP lives on its timeouts";
        assert!(grounds(&format!("cc = \"reno\"\n{link}{flow}")).contains(timeouts));
        assert!(!grounds(&format!("{link}{flow}media = {{}}\n")).contains(timeouts));
        // Where every packet is lost there is nothing to live on, for datagrams neither.
        let all = link.replace("30 %", "100 %");
        let media = format!("{all}{flow}media = {{}}\n");
        for text in [format!("cc = \"reno\"\n{all}{flow}"), media] {
            let said = grounds(&text);
            assert!(
                said.contains("100 % of the packets are lost at random: nothing crosses"),
                "{said}"
            );
        }
        // Of datagrams too, where a percent sign may have been forgotten.
        let plain = format!("{}{flow}media = {{}}\n", link.replace("\"30 %\"", "0.3"));
        assert!(grounds(&plain).contains("was 0.3 % meant?"), "{}", grounds(&plain));
        let almost = grounds(&format!("cc = \"reno\"\n{}{flow}", link.replace("30 %", "99.9 %")));
        assert!(almost.contains("More than 99 % of") && almost.contains(timeouts), "{almost}");
    }

    #[test]
    fn a_warning_of_some_settings_says_of_how_many() {
        let path = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n";
        let timed = "cc = [\"dctcp\", \"reno\"]\ntime = \"5 s\"\n";
        let marked = "[variant.marked]\n\"dumbbell.aqm\" = \"threshold(mark=20)\"\n";
        let said = grounds(&format!("{timed}{path}{marked}"));
        assert!(said.starts_with("At 1 of 2 settings: dctcp slows down by ECN marks"), "{said}");
        let of =
            |rtts: &str| grounds(&format!("{timed}{path}[sweep]\n\"dumbbell.rtt\" = {rtts}\n"));
        let said = of(r#"["20 ms", "1 s", "2 s"]"#);
        assert!(said.contains("At 2 of 3 settings: a run lasts 2.5 round-trip times"), "{said}");
        // One that holds at each is said as of a single path.
        let said = of(r#"["1 s", "2 s"]"#);
        assert!(said.contains("A run lasts 2.5 round-trip times"), "{said}");
        assert!(said.contains("\ndctcp slows down"), "{said}");
    }

    #[test]
    fn access_links_limit_where_those_of_all_flows_together_are_slower() {
        let of = |more: &str| {
            let path = "rate = \"10 Mbit/s\"\naccess_rate = \"6 Mbit/s\"\n";
            grounds(&format!("cc = \"reno\"\n[dumbbell]\n{path}{more}"))
        };
        assert!(of("").contains("each carries 6 Mbit/s"), "{}", of(""));
        for more in ["flows = 2\n", "against_cc = \"reno\"\nagainst_flows = 1\n"] {
            assert_eq!(of(more), "");
        }
    }

    #[test]
    fn cubic_is_told_to_count_acks_on_a_stack_that_does() {
        let of = |host: &str| grounds(&format!("cc = \"cubic\"\nlike = \"{host}\"\n[dumbbell]\n"));
        assert!(of("ns-2").contains("RFC 9438 counts the segments"), "{}", of("ns-2"));
        assert_eq!(of("linux"), "");
    }

    #[test]
    fn of_many_limited_points_the_largest_are_named_and_the_rest_counted() {
        let all = (0..10).map(|i| (format!("cubic, loss={i}"), 0.5)).collect();
        let text = Warning::HostsLimit(all, HostLimit::Buffers).to_string();
        assert!(text.contains("the time: cubic, loss=0 50 %; cubic, loss=1 50 %; "), "{text}");
        assert!(text.contains("cubic, loss=7 50 %; and 2 more points. tcp-rmem"), "{text}");
    }
}
