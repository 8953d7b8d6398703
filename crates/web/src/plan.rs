//! Experiments as a page shows them: points, runs, and the network of each point.

use serde::Serialize;
use westwood_cc::Duration;
use westwood_experiment::plan::ExperimentPlan;
use westwood_net::{Limit, QueueConfig};
use westwood_scenario::dumbbell::{bps, seconds};
use westwood_scenario::file::{Built, GridPoint, rate_of};
use westwood_scenario::spec::{ControllerSpec, losses_text};
use westwood_sim::{FlowSpec, LinkSpec, SimError};

/// The meaning of an experiment.
#[derive(Debug, Serialize)]
pub struct PlanDescription {
    name: String,
    points: Vec<PointDescription>,
    /// As texts: a number of JavaScript keeps 53 bits.
    seeds: Vec<String>,
    time_s: f64,
    warmup_s: f64,
    networks: Vec<NetworkDescription>,
    /// Every run, baselines included: point and seed. Others than the contestants' stand last.
    tasks: Vec<(usize, String)>,
}

#[derive(Debug, Serialize)]
struct PointDescription {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    settings: serde_json::Map<String, serde_json::Value>,
    packets: u64,
}

#[derive(Debug, Serialize)]
struct NetworkDescription {
    nodes: Vec<String>,
    links: Vec<LinkDescription>,
    flows: Vec<FlowDescription>,
    measured_link: usize,
}

#[derive(Debug, Serialize)]
struct LinkDescription {
    name: String,
    from: usize,
    to: usize,
    rate_bps: f64,
    delay_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_packets: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_bytes: Option<u64>,
    queue: &'static str,
    loss: String,
}

#[derive(Debug, Serialize)]
struct FlowDescription {
    name: String,
    group: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cc: Option<String>,
    path: Vec<usize>,
    back: Vec<usize>,
}

/// A plan in full, or with its points and runs alone.
pub fn described(plan: &ExperimentPlan, brief: bool) -> Result<PlanDescription, String> {
    let scenario = &plan.scenario;
    let seeds = scenario.seeds();
    let first = seeds.first().copied().unwrap_or(1);
    let mut warmup = Duration::ZERO;
    let mut networks = Vec::new();
    for point in if brief { &[] } else { scenario.points() } {
        let built = scenario.build(point, first).map_err(|error| error.to_string())?;
        warmup = built.network.warmup;
        networks.push(network(&built).map_err(|error| error.to_string())?);
    }
    Ok(PlanDescription {
        name: scenario.name().to_owned(),
        points: scenario.points().iter().map(point).collect(),
        seeds: seeds.iter().map(ToString::to_string).collect(),
        time_s: seconds(scenario.time()),
        warmup_s: seconds(warmup),
        networks,
        tasks: plan.runs().iter().map(|task| (task.point, task.seed.to_string())).collect(),
    })
}

fn point(point: &GridPoint) -> PointDescription {
    let mut settings = serde_json::Map::new();
    for setting in &point.settings {
        settings.insert(setting.path.clone(), setting.value.clone().into());
    }
    PointDescription {
        name: point.name(),
        cc: point.cc.map(|cc| cc.to_string()),
        variant: point.variant.clone(),
        settings,
        packets: u64::try_from(point.estimate.packets).unwrap_or(u64::MAX),
    }
}

fn network(built: &Built) -> Result<NetworkDescription, SimError> {
    let network = &built.network;
    let ways = network.ways()?;
    let flow = |(place, (flow, ways)): (usize, (&FlowSpec, westwood_sim::FlowPaths))| {
        let mut groups = built.layout.groups.iter();
        let group = groups.find(|group| group.flows.contains(&place));
        FlowDescription {
            name: flow.name.to_string(),
            group: group.map_or_else(String::new, |group| group.name.clone()),
            cc: flow.traffic.tcp().map(|tcp| ControllerSpec::new(tcp.controller).to_string()),
            path: ways.there,
            back: ways.back,
        }
    };
    Ok(NetworkDescription {
        nodes: network.nodes.iter().map(ToString::to_string).collect(),
        links: network.links.iter().map(link).collect(),
        flows: network.flows.iter().zip(ways).enumerate().map(flow).collect(),
        measured_link: built.layout.measured_link,
    })
}

fn link(link: &LinkSpec) -> LinkDescription {
    let (packets, bytes) = match link.config.queue.limit() {
        Limit::Packets(packets) => (Some(packets), None),
        Limit::Bytes(bytes) => (None, Some(bytes.get())),
        Limit::Unlimited => (None, None),
    };
    LinkDescription {
        name: link.name.to_string(),
        from: link.from,
        to: link.to,
        rate_bps: bps(rate_of(link)),
        delay_s: seconds(link.config.delay),
        queue_packets: packets,
        queue_bytes: bytes,
        queue: discipline(&link.config.queue),
        loss: if link.config.losses.is_empty() {
            String::new()
        } else {
            losses_text(&link.config.losses)
        },
    }
}

/// The name by which scenarios ask for a queue management; empty for drop-tail.
fn discipline(queue: &QueueConfig) -> &'static str {
    match queue {
        QueueConfig::DropTail(_) => "",
        QueueConfig::Threshold(_) => "threshold",
        QueueConfig::Red(_) => "red",
        QueueConfig::CoDel(_) => "codel",
        QueueConfig::FqCoDel(_) => "fq_codel",
        QueueConfig::Pie(_) => "pie",
        QueueConfig::FqPie(_) => "fq_pie",
        QueueConfig::DualPi2(_) => "dualpi2",
        QueueConfig::Cobalt(_) => "cobalt",
        QueueConfig::Cake(_) => "cake",
    }
}
