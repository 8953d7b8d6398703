//! Rows of ns-2's tables as cases.

use westwood_cc::{Bytes, Duration, Rate};
use westwood_sim::{Network, Outcome, TcpSpec};

use super::Agent;
use super::paths::{self, Ns2Dumbbell};
use crate::case::{Case, Measure, ReferenceMetric, ReferenceSource};
use crate::judge::{LEAST_RUNS, RowClass};
use crate::measure::goodput;
use crate::params::{Params, Unreadable, rounded};
use crate::stats::jain;
use crate::table::{self, ReferenceRow};

/// The held agents on the paths of the reference measurements.
pub fn cases() -> Result<Vec<Case>, Unreadable> {
    group(ReferenceSource::Ns2, &table::ns2()?)
}

/// The held agents on other paths.
pub fn other_cases() -> Result<Vec<Case>, Unreadable> {
    group(ReferenceSource::Ns2Other, &table::ns2_other()?)
}

/// Rows of the same run together.
fn group(source: ReferenceSource, rows: &[ReferenceRow]) -> Result<Vec<Case>, Unreadable> {
    let mut cases: Vec<Case> = Vec::new();
    for row in rows.iter().filter(|row| Agent::named(&row.who).is_ok()) {
        let key =
            |c: &Case| c.scenario == row.scenario && c.who == row.who && c.params == row.params;
        let at = if let Some(at) = cases.iter().position(key) {
            at
        } else {
            cases.push(case(source, row)?);
            cases.len() - 1
        };
        let metric = metric(row)?;
        if !matches!(metric.class, RowClass::Exact | RowClass::Information) {
            let theirs = u64::try_from(metric.theirs.len()).unwrap_or(u64::MAX);
            cases[at].seeds = theirs.max(LEAST_RUNS as u64);
        }
        cases[at].metrics.push(metric);
    }
    Ok(cases)
}

fn case(source: ReferenceSource, row: &ReferenceRow) -> Result<Case, Unreadable> {
    Ok(Case {
        source,
        scenario: row.scenario.clone(),
        who: row.who.clone(),
        params: row.params.clone(),
        seeds: 1,
        network: network(row)?,
        metrics: Vec::new(),
    })
}

type Build = Box<dyn Fn(u64) -> Network + Send + Sync>;

/// The network that a row's scenario and parameters mean.
fn network(row: &ReferenceRow) -> Result<Build, Unreadable> {
    let agent = Agent::named(&row.who)?;
    let mut params = Params::parse(&row.params)?;
    let build: Build = match row.scenario.as_str() {
        "S1" => {
            let spread = params.text("revrtt").as_deref() == Some("spread");
            Box::new(move |seed| paths::s1(agent, spread, seed))
        }
        "S2" | "S3" | "S4" => {
            let path = dumbbell(&row.scenario, &mut params)?;
            Box::new(move |seed| path.network(agent, seed))
        }
        "D" => {
            let tcp = sender(agent, &mut params)?;
            let path = plain(tcp.config.sizes.payload.get(), &mut params)?;
            Box::new(move |seed| path.opened(agent, &tcp, seed))
        }
        "S5" => {
            let m = needed(params.count("m")?, "m")?;
            Box::new(move |seed| paths::s5(agent, m, seed))
        }
        "S6" => {
            let cross = Agent::named(&params.text("cross").unwrap_or_default())?;
            let hops = needed(params.count("nhop")?, "nhop")?;
            Box::new(move |seed| paths::s6(agent, cross, hops, seed))
        }
        "S7" => {
            wire(&mut params, 400)?;
            let loss = params.number("per")?.unwrap_or(0.0);
            Box::new(move |seed| paths::s7(agent, loss, seed))
        }
        "S8" => {
            wire(&mut params, 400)?;
            Box::new(move |seed| paths::s8(agent, seed))
        }
        "S9" => {
            let bad = seconds(needed(params.number("bad")?, "bad")?);
            let delayed = params.number("dack")?.is_none_or(|n| n > 0.0);
            Box::new(move |seed| paths::s9(agent, bad, delayed, seed))
        }
        "S10" => {
            let rate = Rate::from_bits_per_s(needed(params.count("bw")?, "bw")?);
            Box::new(move |_| paths::s10(agent, rate))
        }
        other => return Err(Unreadable(format!("no scenario '{other}'"))),
    };
    params.nothing_left()?;
    Ok(build)
}

fn dumbbell(scenario: &str, params: &mut Params) -> Result<Ns2Dumbbell, Unreadable> {
    let loss = params.number("per")?.unwrap_or(0.0);
    let delayed = params.number("dack")?.is_none_or(|n| n > 0.0);
    Ok(match scenario {
        "S2" => Ns2Dumbbell::s2(loss, delayed),
        "S3" => Ns2Dumbbell::s3(needed(params.number("bufbdp")?, "bufbdp")?),
        _ => Ns2Dumbbell::s4(Rate::from_bits_per_s(needed(params.count("bw")?, "bw")?), loss),
    })
}

/// D's path for packets of so many bytes: its buffer is a limit in packets or a share of the
/// bandwidth-delay product.
fn plain(packet: u64, params: &mut Params) -> Result<Ns2Dumbbell, Unreadable> {
    let rate = Rate::from_bits_per_s(needed(params.count("bw")?, "bw")?);
    let rtt = seconds(needed(params.number("rtt")?, "rtt")?);
    let limit = if let Some(limit) = params.count("buf")? {
        limit
    } else {
        let share = needed(params.number("bufbdp")?, "bufbdp")?;
        paths::limit(rate, rtt, packet, share)
    };
    let loss = params.number("per")?.unwrap_or(0.0);
    let return_loss = params.number("lossrev")?.unwrap_or(0.0);
    Ok(Ns2Dumbbell { return_loss, ..Ns2Dumbbell::plain(rate, rtt, limit, loss) })
}

/// D's sender and receiver: an agent with other settings than those of S4.
fn sender(agent: Agent, params: &mut Params) -> Result<TcpSpec, Unreadable> {
    let usual = agent.tcp(false);
    // Vegas has a parameter of its own, since its receiver does not delay by default.
    let delayed = match agent {
        Agent::Vegas => params.number("vdack")?.is_some_and(|n| n > 0.0),
        _ => params.number("dack")?.is_none_or(|n| n > 0.0),
    };
    let mut tcp = agent.tcp(params.number("ts")?.is_some_and(|n| n > 0.0));
    tcp.config.initial_window = match params.count("iw")? {
        Some(window) => agent.initial_window(window),
        None => usual.config.initial_window,
    };
    tcp.config.acks = Agent::acks(delayed);
    tcp.config.impatient = params.number("nr1")?.is_none_or(|n| n > 0.0);
    tcp.config.sizes.payload = Bytes::new(params.count("wire")?.unwrap_or(1_500));
    Ok(tcp)
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, Unreadable> {
    value.ok_or_else(|| Unreadable(format!("parameter {name} is missing")))
}

/// S7 and S8 were measured with small packets only.
fn wire(params: &mut Params, bytes: u64) -> Result<(), Unreadable> {
    match params.count("wire")? {
        Some(n) if n == bytes => Ok(()),
        other => Err(Unreadable(format!("packets of {other:?} bytes"))),
    }
}

fn seconds(s: f64) -> Duration {
    Duration::from_nanos(rounded(s * 1e9))
}

fn metric(row: &ReferenceRow) -> Result<ReferenceMetric, Unreadable> {
    let class = class(row)?;
    Ok(ReferenceMetric {
        name: row.metric.clone(),
        class,
        theirs: row.values.clone(),
        of: of(row)?,
    })
}

/// The bound of a row: fixed by the path and the metric, not by numbers.
fn class(row: &ReferenceRow) -> Result<RowClass, Unreadable> {
    let loss = Params::parse(&row.params)?.number("per")?.unwrap_or(0.0);
    let metric = row.metric.as_str();
    if matches!(metric, "rexmit" | "timeouts" | "packets" | "throughput_sent") {
        return Ok(RowClass::Information);
    }
    Ok(match row.scenario.as_str() {
        "S1" if metric == "goodput_0_250" => RowClass::Exact,
        "S1" | "S9" => RowClass::Chance,
        "S5" | "S8" => RowClass::Total,
        "S6" if metric == "goodput_total" => RowClass::Total,
        "S6" => RowClass::Information,
        _ if loss == 0.0 => RowClass::Exact,
        "S2" => RowClass::HeavyTailed,
        "D" if loss <= 1e-4 => RowClass::HeavyTailed,
        _ => RowClass::Chance,
    })
}

/// The measurement of a row's metric in a run.
fn of(row: &ReferenceRow) -> Result<Measure, Unreadable> {
    let flows = flows_of_interest(row)?;
    // S6 measures from the start of C1, the others from 50 s where they leave the begin out.
    let (end, from) = match row.scenario.as_str() {
        "S1" => (1_000.0, 0.0),
        "S6" => (300.0, 10.0),
        "S7" | "S8" | "S9" | "S10" | "D" => (300.0, 0.0),
        _ => (500.0, 0.0),
    };
    let sum = move |flows: Vec<usize>, from: f64| -> Measure {
        Box::new(move |o| flows.iter().map(|&i| goodput(o, i, from, end)).sum())
    };
    let fairness = move |flows: Vec<usize>, from: f64| -> Measure {
        Box::new(move |o| {
            jain(&flows.iter().map(|&i| goodput(o, i, from, end)).collect::<Vec<_>>())
        })
    };
    let metric = row.metric.as_str();
    Ok(match (row.scenario.as_str(), metric) {
        (_, "rexmit") => count(flows, |f| f.retransmitted),
        (_, "timeouts") => count(flows, |f| f.timeouts),
        (_, "packets") => count(flows, |f| f.sent),
        ("S1", _) => {
            let span = metric.strip_prefix("goodput_").and_then(|span| span.split_once('_'));
            let span = span.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let (a, b): (f64, f64) = span.ok_or_else(|| unknown(row))?;
            Box::new(move |o| goodput(o, 0, a, b))
        }
        // The scenarios name what leaves out the first 50 s, and what does not, in two ways.
        ("S5", "goodput_total_ss")
        | ("S7" | "S9", "goodput_ss")
        | ("S2" | "S3" | "S4" | "S10" | "D", "goodput") => sum(flows, 50.0),
        ("S5" | "S8", "goodput_total")
        | ("S7" | "S9", "goodput")
        | ("S2" | "S3" | "S4" | "S10" | "D", "goodput_full") => sum(flows, 0.0),
        ("S5" | "S8", "jain") => fairness(flows, 0.0),
        ("S5", "jain_ss") => fairness(flows, 50.0),
        ("S6", "goodput_c1") => sum(vec![0], from),
        ("S6", "goodput_cross_mean") => cross_mean(flows, from, end, 0.0),
        ("S6", "goodput_total") => cross_mean(flows, from, end, 1.0),
        ("S7", "throughput_sent") => {
            Box::new(|o| o.flows.first().map_or(0.0, |f| as_f64(f.sent) * 400.0 * 8.0 / 300.0))
        }
        _ => return Err(unknown(row)),
    })
}

fn unknown(row: &ReferenceRow) -> Unreadable {
    Unreadable(format!("{} has no metric '{}'", row.scenario, row.metric))
}

/// The mean goodput of the cross flows, with so many times C1's on top.
fn cross_mean(flows: Vec<usize>, from: f64, end: f64, c1: f64) -> Measure {
    Box::new(move |o| {
        let cross: f64 = flows[1..].iter().map(|&i| goodput(o, i, from, end)).sum();
        cross / as_f64(flows.len() as u64 - 1) + c1 * goodput(o, 0, from, end)
    })
}

/// A count over the flows of interest, over the whole run.
fn count(flows: Vec<usize>, of: fn(&westwood_sim::FlowOutcome) -> u64) -> Measure {
    Box::new(move |o: &Outcome| flows.iter().map(|&i| as_f64(of(&o.flows[i]))).sum())
}

/// The flows that the table counts: not the reverse ones.
fn flows_of_interest(row: &ReferenceRow) -> Result<Vec<usize>, Unreadable> {
    let mut params = Params::parse(&row.params)?;
    let small = |n: Option<u64>| usize::try_from(n.unwrap_or(0)).unwrap_or(0);
    Ok(match row.scenario.as_str() {
        "S5" => (0..small(params.count("m")?)).collect(),
        "S6" => {
            (0..=small(params.count("nhop")?)).map(|i| if i == 0 { 0 } else { 2 * i - 1 }).collect()
        }
        "S8" => (0..20).collect(),
        _ => vec![0],
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn as_f64(n: u64) -> f64 {
    n as f64
}
