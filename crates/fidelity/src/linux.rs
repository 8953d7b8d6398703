//! The TCP stack of Linux 6.1 with its own controllers, and the paths on which it was measured.
//!
//! Rates count IP bytes: 1500 a packet, MSS 1448. The whole round-trip time is on the ACK side without
//! a bottleneck there (L4: half each way, and a bottleneck each way). Random losses fall behind the
//! bottleneck. Connections open with a handshake, whose SYN leaves at the start.

mod links;
mod one_flow;
mod queues;
mod recorded;
mod several_flows;

use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Segments};
use westwood_net::Limit;
use westwood_sim::{Network, NodeId, TcpSpec};
use westwood_tcp::{
    AckPolicy, BufferSizes, Buffers, Config, Credit, Pacing, ReadMode, Recovery, RtoConfig,
};

use self::links::{FAST, NO_DELAY, PACKET, mbit, ms, sizes};
use self::one_flow::{LinuxPath, independent, other_path};
use self::several_flows::{SharedPath, SharedRow, shared_row};
use crate::case::{Case, Measure, ReferenceMetric, ReferenceSource};
use crate::judge::{LEAST_RUNS, RowClass};
use crate::measure::{at, goodput};
use crate::params::Unreadable;
use crate::table::{self, LinuxRow};
use crate::topology::{SendingPeriod, Topology, link};

/// Of ours where losses are random, for each of the kernel's: they cost little, and make the interval that of
/// the kernel's runs.
const OURS_FOR_EACH: u64 = 10;
/// The same, at least.
const OUR_LEAST: u64 = 600;

/// Every row of the kernel's table.
pub fn cases() -> Result<Vec<Case>, Unreadable> {
    let rows = table::linux()?;
    let mut cases: Vec<(String, Vec<&LinuxRow>)> = Vec::new();
    for row in &rows {
        let key = format!("{},{},{},{}", row.group, row.scenario, row.cc, params(row));
        match cases.iter_mut().find(|(k, _)| *k == key) {
            Some((_, members)) => members.push(row),
            None => cases.push((key, vec![row])),
        }
    }
    cases.iter().map(|(_, members)| case(members)).collect()
}

/// True if each row of the group spells out its path, with one flow whose goodput is measured.
fn is_spelt_out(group: &str) -> bool {
    matches!(group, "L7" | "L9" | "L10" | "L12" | "L13" | "L14" | "L15" | "L16" | "L17")
}

/// The setting that tells runs of a group apart. In L6 the varied start is chance by other means:
/// one case.
fn params(row: &LinuxRow) -> String {
    let x = match row.group.as_str() {
        "L2" => format!("loss={}", row.x),
        "L3" => format!("bufbdp={}", row.x),
        "L5" => format!("per={}", row.x),
        "L8" | "L11" | "L18" => row.x.clone(),
        group if is_spelt_out(group) => row.x.clone(),
        _ => String::new(),
    };
    match (x.as_str(), row.variant.as_str()) {
        (_, "") => x,
        ("", variant) => format!("variant={variant}"),
        (x, variant) => format!("{x};variant={variant}"),
    }
}

fn case(rows: &[&LinuxRow]) -> Result<Case, Unreadable> {
    let first = rows[0];
    let runs = rows.iter().filter(|r| same_span(r, first)).count();
    let class = class(first)?;
    Ok(Case {
        source: ReferenceSource::Linux,
        scenario: first.group.clone(),
        who: first.cc.clone(),
        params: params(first),
        seeds: match class {
            RowClass::Exact => 1,
            RowClass::Total => runs as u64,
            RowClass::Chance => OUR_LEAST.max(OURS_FOR_EACH * runs as u64),
            _ => (runs.max(LEAST_RUNS) as u64).max(200),
        },
        network: network(rows)?,
        metrics: metrics(rows, class),
    })
}

fn same_span(a: &LinuxRow, b: &LinuxRow) -> bool {
    a.flow == b.flow && bits(a) == bits(b)
}

fn bits(row: &LinuxRow) -> (u64, u64) {
    (row.from.to_bits(), row.to.to_bits())
}

/// The bound, fixed by the group.
fn class(row: &LinuxRow) -> Result<RowClass, Unreadable> {
    Ok(match row.group.as_str() {
        "L1" | "L3" => RowClass::Exact,
        "L4" | "L6" | "L8" | "L11" | "L18" => RowClass::Total,
        "L2" => RowClass::Chance,
        "L5" if loss(row)? == 0.0 => RowClass::Exact,
        "L5" => RowClass::HeavyTailed,
        // It draws lots.
        "L9" if row.cc == "cdg" => RowClass::Chance,
        group if is_spelt_out(group) => other_path(row, 0.0)?.class(),
        other => return Err(Unreadable(format!("no group '{other}'"))),
    })
}

fn loss(row: &LinuxRow) -> Result<f64, Unreadable> {
    row.x.parse().map_err(|_| Unreadable(format!("'{}' is no loss", row.x)))
}

/// Goodputs for each span and flow, totals where there are several flows, and what lies behind.
fn metrics(rows: &[&LinuxRow], class: RowClass) -> Vec<ReferenceMetric> {
    let several = rows.iter().any(|r| r.flow > 0);
    let mut metrics: Vec<ReferenceMetric> = Vec::new();
    for row in rows {
        let name = if several {
            format!("goodput_{}_{}_flow_{}", row.from, row.to, row.flow + 1)
        } else {
            format!("goodput_{}_{}", row.from, row.to)
        };
        if let Some(metric) = metrics.iter_mut().find(|m| m.name == name) {
            metric.theirs.push(row.goodput_mbps * 1e6);
            continue;
        }
        let (flow, from, to) = (row.flow, row.from, row.to);
        let of: Measure = Box::new(move |o| goodput(o, flow, from, to));
        let held = if several { RowClass::Information } else { class };
        metrics.push(ReferenceMetric {
            name,
            class: held,
            theirs: vec![row.goodput_mbps * 1e6],
            of,
        });
    }
    if several {
        metrics.extend(totals(rows, class));
    }
    let whole = rows.iter().filter(|r| r.from == 0.0 && r.flow == 0);
    let drops: Vec<f64> = whole.map(|r| r.drops).filter(|d| d.is_finite()).collect();
    if !several && rows[0].group != "L4" && !drops.is_empty() {
        let of: Measure =
            Box::new(|o| as_f64(o.links[0].dropped_overflow + o.links[0].dropped_aqm));
        metrics.push(ReferenceMetric {
            name: "drops".to_owned(),
            class: RowClass::Information,
            theirs: drops,
            of,
        });
    }
    metrics
}

/// All flows of a run together.
fn totals(rows: &[&LinuxRow], class: RowClass) -> Vec<ReferenceMetric> {
    let firsts: Vec<&&LinuxRow> = rows.iter().filter(|r| r.flow == 0).collect();
    let mut metrics: Vec<ReferenceMetric> = Vec::new();
    for first in firsts {
        let of_run = rows.iter().filter(|r| r.seed == first.seed && bits(r) == bits(first));
        let total = of_run.map(|r| r.goodput_mbps * 1e6).sum();
        let name = format!("goodput_{}_{}_total", first.from, first.to);
        if let Some(metric) = metrics.iter_mut().find(|m| m.name == name) {
            metric.theirs.push(total);
            continue;
        }
        let (from, to) = (first.from, first.to);
        let of: Measure =
            Box::new(move |o| (0..o.flows.len()).map(|i| goodput(o, i, from, to)).sum());
        metrics.push(ReferenceMetric { name, class, theirs: vec![total], of });
    }
    metrics
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn as_f64(n: u64) -> f64 {
    n as f64
}

type Build = Box<dyn Fn(u64) -> Network + Send + Sync>;

/// The network of a group.
fn network(rows: &[&LinuxRow]) -> Result<Build, Unreadable> {
    let row = rows[0];
    let tcp = hosts(row, &row.cc)?;
    let number =
        |text: &str| text.parse::<f64>().map_err(|_| Unreadable(format!("'{text}' is no number")));
    let end = rows.iter().map(|r| r.to).fold(0.0, f64::max);
    let single = |path: LinuxPath| -> Build { Box::new(move |seed| path.network(&tcp, seed)) };
    Ok(match row.group.as_str() {
        "L1" => single(LinuxPath::plain(mbit(10), 100, 83, end)),
        "L2" => {
            let loss = independent(number(&row.x)?);
            single(LinuxPath::plain(mbit(10), 100, 83, end).losing(loss))
        }
        "L3" => {
            let buffer = packets(number(&row.x)? * 10e6 * 0.25 / 8.0 / 1_500.0);
            single(LinuxPath::plain(mbit(10), 250, buffer, end))
        }
        "L4" => {
            let reverse = tcp_of("reno-linux")?;
            Box::new(move |seed| l4(&tcp, &reverse, seed))
        }
        "L5" => {
            let loss = independent(number(&row.x)?);
            single(LinuxPath::plain(mbit(100), 180, 300, end).losing(loss))
        }
        group if is_spelt_out(group) => single(other_path(row, end)?),
        "L6" => {
            let mut starts: Vec<(u64, f64)> = Vec::new();
            for r in rows.iter().filter(|r| r.flow == 1) {
                starts.push((r.seed, number(&r.x)?));
            }
            Box::new(move |seed| {
                let start = starts.iter().find(|s| s.0 == seed).map_or(0.0, |s| s.1);
                let flows = vec![(50, 0.0), (200, start)];
                SharedPath { rate: mbit(10), buffer: 125, queue: None, flows, end }
                    .network(&[tcp], seed)
            })
        }
        "L8" | "L11" | "L18" => {
            let SharedRow { path, gap, beside } = shared_row(row, end)?;
            let mut tcps = vec![tcp];
            if let Some(other) = beside {
                tcps.push(hosts(row, &other)?);
            }
            Box::new(move |seed| path.started(gap, seed).network(&tcps, seed))
        }
        other => return Err(Unreadable(format!("no group '{other}'"))),
    })
}

/// The hosts of a flow of this controller, in a row's variant.
fn hosts(row: &LinuxRow, cc: &str) -> Result<TcpSpec, Unreadable> {
    let mut tcp = tcp(controller(cc)?, row.variant == "fq")?;
    match row.variant.as_str() {
        "stock" => {
            tcp.config.buffers.send = Some(BufferSizes::LINUX_SEND);
            tcp.config.buffers.receive = Some(BufferSizes::LINUX_RECEIVE);
        }
        "rmem" => tcp.config.buffers.receive = Some(FIXED_128_KIB),
        _ => {}
    }
    if row.variant == "sndbuf" || has_large_send_buffers(&row.group) {
        tcp.config.buffers.send = Some(LARGE);
    }
    if cc == "dctcp" {
        tcp.config.ecn = true;
        tcp.config.ecn_feedback = tcp.controller.ecn_feedback();
    }
    Ok(tcp)
}

/// True if the send buffers of a group never limit, from the start.
fn has_large_send_buffers(group: &str) -> bool {
    group == "L18" || is_spelt_out(group) && group != "L7"
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a buffer of some packets, rounded as the reference does"
)]
fn packets(n: f64) -> u64 {
    n.round() as u64
}

/// Ours of the kernel's name.
fn controller(cc: &str) -> Result<&'static str, Unreadable> {
    Ok(match cc {
        "reno" => "reno-linux",
        "westwood" => "westwood-linux",
        "cubic" => "cubic-linux",
        "bic" => "bic-linux",
        "vegas" => "vegas-linux",
        "bbr" => "bbr",
        "illinois" => "illinois",
        "hybla" => "hybla",
        "yeah" => "yeah",
        "veno" => "veno",
        "htcp" => "htcp",
        "scalable" => "scalable-linux",
        "highspeed" => "highspeed-linux",
        "cdg" => "cdg",
        "nv" => "nv",
        "dctcp" => "dctcp",
        other => return Err(Unreadable(format!("no controller '{other}'"))),
    })
}

fn tcp_of(name: &'static str) -> Result<TcpSpec, Unreadable> {
    tcp(name, false)
}

/// The hosts' `tcp_wmem` and `tcp_rmem`, and the writer: 64 KiB at a time, whenever `poll` allows it, with a
/// `TCP_NOTSENT_LOWAT` of 128 KiB.
const BUFFERS: Buffers = Buffers {
    send: Some(BufferSizes::of(4_096, 1 << 20, 64 << 20)),
    notsent_lowat: Some(128 << 10),
    write_size: Some(64 << 10),
    receive: Some(BufferSizes::of(4_096, 16 << 20, 64 << 20)),
    reading: ReadMode::AtOnce,
};
/// A receive buffer that does not grow.
const FIXED_128_KIB: BufferSizes = BufferSizes::of(4_096, 128 << 10, 128 << 10);
/// A send buffer that never limits, from the start.
const LARGE: BufferSizes = BufferSizes::of(4_096, 32 << 20, 32 << 20);

/// A TCP with the kernel's settings.
fn tcp(name: &'static str, paced: bool) -> Result<TcpSpec, Unreadable> {
    let controller =
        Choice::named(name).ok_or_else(|| Unreadable(format!("'{name}' is not in the catalog")))?;
    Ok(TcpSpec {
        controller,
        config: Config {
            recovery: Recovery::Linux,
            sizes: sizes(PACKET, true),
            initial_window: Segments::new(10),
            acks: AckPolicy::LINUX,
            rto: RtoConfig {
                min: Duration::from_millis(200),
                max: Duration::from_secs(120),
                ..RtoConfig::default()
            },
            credit: Credit::PerSegment,
            // Nothing else paces in the stock stack but BBR, by its own timer.
            pacing: if paced { Pacing::Fq } else { Pacing::Off },
            buffers: BUFFERS,
            ..Config::default()
        },
    })
}

/// L4: 2 Mbit/s and buffers of 40 each way, 250 ms; ten reverse flows in [250, 500] and [750, 1000] s.
fn l4(tcp: &TcpSpec, reverse: &TcpSpec, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(1_000));
    let (r1, r2) = (net.node(), net.node());
    net.duplex(r1, r2, mbit(2), NO_DELAY, Limit::Packets(40));
    let pair = |net: &mut Topology| -> (NodeId, NodeId) {
        let (c, s) = (net.node(), net.node());
        net.simplex(c, r1, link(FAST, NO_DELAY, Limit::Unlimited));
        net.simplex(r1, c, link(FAST, ms(125), Limit::Unlimited));
        net.simplex(r2, s, link(FAST, ms(125), Limit::Unlimited));
        net.simplex(s, r2, link(FAST, NO_DELAY, Limit::Unlimited));
        (c, s)
    };
    let (forward, back) = (pair(&mut net), pair(&mut net));
    net.flow(forward, *tcp, SendingPeriod::opening(at(0.0)));
    for (from, to) in [(250.0, 500.0), (750.0, 1_000.0)] {
        for _ in 0..10 {
            let span = SendingPeriod { stop: Some(at(to)), ..SendingPeriod::opening(at(from)) };
            net.flow((back.1, back.0), *reverse, span);
        }
    }
    net.network()
}
