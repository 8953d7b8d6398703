//! A network's flows as connections of the running kernel, over the emulated path.
//!
//! What comes of it has the form of a simulation's outcome. Each flow's client is a host of its own, so
//! that the kernel's counters of a host are those of a flow; all servers are one host. What differs from
//! a simulation's numbers: round-trip times are the kernel's smoothed ones, looked at every 2 ms; what a
//! greedy flow has delivered is what its sender knows to have arrived, half a round trip later.

mod ending;
mod receiver;
mod sender;
mod settings;
mod tcp_info;

use std::net::{SocketAddr, TcpListener};
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration as Span;

use westwood_cc::{Duration, Instant, Rate};
use westwood_net::Limit;
use westwood_sim::{
    Completion, Control, FlowOutcome, LinkId, LinkOutcome, LinkSpec, Network, Outcome, Point,
    Record,
};

use crate::addresses::End;
use crate::carrier::Notes;
use crate::emulation::{Emulation, Finished};
use crate::error::EmuError;
use crate::host::{Host, check_controller};
use ending::Ending;
use receiver::{Received, receive};
use sender::{Sent, Task};
use settings::KernelFlow;

pub use settings::kernel_name;

/// The port of every receiver: iperf's.
const PORT: u16 = 5001;

/// What came of a run.
#[derive(Clone, Debug)]
pub struct LinuxRun {
    /// The same as of a simulation.
    pub outcome: Outcome,
    /// How long it ran: less than was asked for if all transfers were done before.
    pub ran: Duration,
    /// How the emulation went.
    pub emulation: Finished,
}

/// Tells the bandwidth estimate of a socket's controller, if it has one and lets itself be asked: the
/// kernel's own way of asking ([`TCP_CC_INFO`]) is closed to controllers that are programs.
///
/// [`TCP_CC_INFO`]: https://man7.org/linux/man-pages/man7/tcp.7.html
pub type Estimates<'a> = &'a (dyn Fn(BorrowedFd<'_>) -> Option<Rate> + Sync);

/// One run at a time: two would disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Refuses what cannot run on this kernel, before anything runs.
pub fn check(network: &Network) -> Result<(), EmuError> {
    for flow in settings::flows(network)? {
        check_controller(flow.controller)?;
    }
    Ok(())
}

/// Lets the kernel carry a network's flows in real time. If some are `transfers`, it ends with the last
/// of them.
pub fn run(
    network: &Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
) -> Result<LinuxRun, EmuError> {
    run_with_estimates(network, transfers, control, None)
}

/// The same; the estimates are recorded beside the windows.
pub fn run_with_estimates(
    network: &Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
    estimates: Option<Estimates<'_>>,
) -> Result<LinuxRun, EmuError> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    check(network)?;
    let flows = settings::flows(network)?;
    let mut hosts = Vec::new();
    for flow in 0..flows.len() {
        hosts.push(Host::new(&settings::host(network, End::Client, flow..flow + 1)?)?);
    }
    hosts.push(Host::new(&settings::host(network, End::Server, 0..flows.len())?)?);
    let ends = (0..flows.len()).map(|flow| (flow, flows.len())).collect();
    let notes = Notes {
        marks: vec![Instant::ZERO + network.warmup, Instant::ZERO + network.duration],
        queues: if network.probes.queues { limited(network) } else { Vec::new() },
        queue_interval: network.probes.interval,
    };
    let emulation = Emulation::start(network, hosts, ends, notes, ())?;
    let awaited = transfers.unwrap_or(0..0);
    let ending = Ending::new(emulation.origin(), network.warmup, network.duration, awaited.len());
    let asked = Asked { control, estimates };
    let connected = connections(network, &flows, &emulation, &ending, &awaited, asked);
    let ran = ending.end().since(Instant::ZERO);
    let (finished, ()) = emulation.finish()?;
    let each = connected?;
    if control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
        return Err(EmuError::Cancelled);
    }
    let outcome = outcome(network, &flows, each, &finished, ran)?;
    Ok(LinuxRun { outcome, ran, emulation: finished })
}

/// The links that have a limit: the others' queues are of no interest.
fn limited(network: &Network) -> Vec<LinkId> {
    let limit = |link: &LinkSpec| link.config.queue.limit() != Limit::Unlimited;
    let links = network.links.iter().enumerate().filter(|(_, link)| limit(link));
    links.map(|(id, _)| id).collect()
}

/// What the caller wants to know and to say while it runs.
#[derive(Clone, Copy)]
struct Asked<'a> {
    control: Control<'a>,
    estimates: Option<Estimates<'a>>,
}

/// A flow's two ends, after the run.
struct Both {
    begin: Instant,
    sent: Sent,
    received: Received,
}

/// Runs all connections until the end.
fn connections(
    network: &Network,
    flows: &[KernelFlow],
    emulation: &Emulation<()>,
    ending: &Ending,
    awaited: &Range<usize>,
    asked: Asked<'_>,
) -> Result<Vec<Both>, EmuError> {
    let Some((server, clients)) = emulation.hosts().split_last() else { return Ok(Vec::new()) };
    let delivered: Vec<AtomicU64> = flows.iter().map(|_| AtomicU64::new(0)).collect();
    let listeners = listeners(server, flows)?;
    let begins: Vec<Instant> =
        network.flows.iter().map(|flow| flow.drawn_start(network.seed)).collect();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (i, flow) in flows.iter().enumerate() {
            let (listener, delivered) = (&listeners[i], &delivered[i]);
            let task = Task {
                flow: i,
                namespace: &clients[i].namespace,
                to: address(i),
                controller: flow.controller,
                begin: begins[i],
                bytes: flow.bytes,
                delivered,
                probes: network.probes,
                estimates: asked.estimates,
            };
            let ends_run = awaited.contains(&i);
            let receiving =
                scope.spawn(move || receive(listener, flow.bytes, delivered, ending, ends_run));
            threads.push((scope.spawn(move || task.send(ending)), receiving));
        }
        oversee(ending, asked.control);
        let joined = threads.into_iter().zip(flows).zip(&begins);
        joined
            .map(|((threads, flow), &begin)| {
                let failed = |error| EmuError::Flow { flow: flow.name.clone(), error };
                let (sent, received) = (joined_of(threads.0), joined_of(threads.1));
                Ok(Both { begin, sent: sent.map_err(failed)?, received: received.map_err(failed)? })
            })
            .collect()
    })
}

fn joined_of<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn address(flow: usize) -> SocketAddr {
    (End::Server.ipv4(flow), PORT).into()
}

fn listeners(server: &Host, flows: &[KernelFlow]) -> Result<Vec<TcpListener>, EmuError> {
    let all = || (0..flows.len()).map(|flow| TcpListener::bind(address(flow))).collect();
    server.namespace.enter(all).map_err(EmuError::environment(
        "a receiver cannot listen",
        "raise the limit of open files (ulimit -n)",
    ))
}

/// Waits for the end, tells how far the run is, and ends it if somebody wants that.
fn oversee(ending: &Ending, control: Control<'_>) {
    while !ending.is_over() {
        if let Some(progress) = control.progress {
            progress.store(ending.now().as_nanos(), Ordering::Relaxed);
        }
        if control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            ending.stop();
        }
        std::thread::sleep(Span::from_millis(20));
    }
}

/// What a simulation would have called it.
fn outcome(
    network: &Network,
    flows: &[KernelFlow],
    each: Vec<Both>,
    finished: &Finished,
    ran: Duration,
) -> Result<Outcome, EmuError> {
    let (warmup, measured) = (Instant::ZERO + network.warmup, ran - network.warmup);
    let carried = &finished.carried;
    // At the end of the warm-up and of the run; a run that ended before its time has the time at
    // which the emulation ended, a moment later.
    let [warm, end, ..] = &carried.marks[..] else { return Err(EmuError::Cancelled) };
    let whole = carried.marks.len() > 2;
    let watched = if whole { measured } else { carried.counters.at.since(warmup) };
    let links = warm.iter().zip(end).map(|(warm, end)| LinkOutcome::of(&end.since(warm), watched));
    let base_rtts = network.base_rtts()?;
    let mut records: Vec<Record> = carried
        .queues
        .iter()
        .map(|&(at, link, packets)| Record { at, what: Point::Queue { link, packets } })
        .collect();
    let mut outcomes = Vec::new();
    for (i, (both, flow)) in each.into_iter().zip(flows).enumerate() {
        let wire = |mark: Option<&Vec<u64>>| mark.and_then(|m| m.get(i)).copied().unwrap_or(0);
        let sent_bytes = wire(carried.sent_bytes.get(1)) - wire(carried.sent_bytes.first());
        records.extend(both.sent.records.iter().cloned());
        outcomes.push(flow_outcome(both, flow, base_rtts[i], sent_bytes));
    }
    records.sort_by_key(|record| record.at);
    Ok(Outcome { flows: outcomes, links: links.collect(), events: 0, measured, records })
}

fn flow_outcome(both: Both, flow: &KernelFlow, base_rtt: Duration, sent_bytes: u64) -> FlowOutcome {
    let Both { begin, sent, received } = both;
    let completion = received.completed.zip(flow.bytes).map(|(at, bytes)| Completion {
        start: begin,
        took: at.since(begin),
        bytes,
    });
    FlowOutcome {
        delivered_bytes: sent.delivered_bytes,
        sent_bytes,
        sent: sent.segments,
        retransmitted: sent.retransmitted,
        fast_recoveries: sent.counters.fast_recoveries,
        timeouts: sent.counters.timeouts,
        undone: sent.counters.undone,
        rtts: sent.rtts,
        base_rtt,
        unfinished: u64::from(flow.bytes.is_some() && completion.is_none()),
        completions: completion.into_iter().collect(),
        refused: 0,
        data_packets: received.segments,
    }
}
