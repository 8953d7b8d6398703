//! A network's flows as connections of the running kernel, over the emulated path.
//!
//! The result has the form of a simulation's outcome. Each flow's client is a host of its own, so
//! that the kernel's counters of a host are those of a flow; all servers are one host. Two numbers
//! differ from a simulation's: round-trip times are the kernel's smoothed ones, sampled every 2 ms;
//! a greedy flow's deliveries are those that its sender knows of, half a round trip later.
//!
//! In both worlds a connection is asked for at its flow's start or at a transfer's arrival, its SYN crosses
//! the path, and it begins when it has opened: a transfer's time and an application's phases leave the
//! handshake out. The kernel makes a handshake for flows without one as well.

mod datagrams;
mod estimates;
mod feeding;
mod receiver;
mod run_clock;
mod sender;
mod settings;
mod tcp_info;
mod transfers;

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration as Span;

use westwood_cc::{Duration, Instant};
use westwood_net::{Histogram, Limit};
use westwood_sim::{
    Application, Control, FlowOutcome, LinkId, LinkOutcome, LinkSpec, Network, Outcome, Point,
    Record,
};

use crate::addresses::FlowEnd;
use crate::carrier::CarrierProbes;
use crate::emulation::{Emulation, EmulationOutcome};
use crate::error::EmuError;
use crate::host::{Host, check_controller};
use crate::path::Observer;
use receiver::{ReceiverTotals, receive};
use run_clock::RunClock;
use sender::{SendPattern, SenderTask, SenderTotals};
use settings::{KernelFlow, KernelTraffic};
use transfers::Ledger;

pub use estimates::SocketEstimates;
pub use settings::kernel_name;

/// The port of every receiver: iperf's.
const PORT: u16 = 5001;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct LinuxRun {
    /// The same as of a simulation.
    pub outcome: Outcome,
    /// The time that it ran: less than was asked for if all transfers were done before.
    pub ran: Duration,
    /// The outcome of the emulation.
    pub emulation: EmulationOutcome,
}

/// One run at a time: two would disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Refuses what cannot run on this kernel, before anything runs.
pub fn check(network: &Network) -> Result<(), EmuError> {
    let flows = settings::flows(network)?;
    flows.iter().filter_map(|flow| flow.kind.controller()).try_for_each(check_controller)
}

/// Lets the kernel carry a network's flows in real time. If some are `transfers`, it ends with the last
/// of them.
pub fn run(
    network: &Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
) -> Result<LinuxRun, EmuError> {
    run_with(network, transfers, control, RunInstruments::default())
}

/// The instruments of a run.
#[derive(Default)]
pub struct RunInstruments<'a> {
    /// Estimates are recorded beside the windows.
    pub estimates: Option<SocketEstimates<'a>>,
    /// It sees every packet.
    pub observer: Option<Box<dyn Observer + Send>>,
}

impl fmt::Debug for RunInstruments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunInstruments").finish_non_exhaustive()
    }
}

/// The same, watched.
pub fn run_with(
    network: &Network,
    transfers: Option<Range<usize>>,
    control: Control<'_>,
    instruments: RunInstruments<'_>,
) -> Result<LinuxRun, EmuError> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    check(network)?;
    let flows = settings::flows(network)?;
    let mut hosts = Vec::new();
    for flow in 0..flows.len() {
        hosts.push(Host::new(&settings::host(network, FlowEnd::Client, flow..flow + 1)?)?);
    }
    hosts.push(Host::new(&settings::host(network, FlowEnd::Server, 0..flows.len())?)?);
    let ends = (0..flows.len()).map(|flow| (flow, flows.len())).collect();
    let notes = CarrierProbes {
        marks: vec![Instant::ZERO + network.warmup, Instant::ZERO + network.duration],
        queues: if network.probes.queues { limited(network) } else { Vec::new() },
        queue_interval: network.probes.interval,
    };
    let emulation = Emulation::start(network, hosts, ends, notes, instruments.observer)?;
    let awaited = transfers.unwrap_or(0..0);
    let ending = RunClock::new(emulation.origin(), network.warmup, network.duration, awaited.len());
    let scene = FlowContext {
        network,
        emulation: &emulation,
        ending: &ending,
        awaited: &awaited,
        estimates: instruments.estimates,
        delivered: flows.iter().map(|_| AtomicU64::new(0)).collect(),
        opened: flows.iter().map(|_| OnceLock::new()).collect(),
        ledgers: flows.iter().map(|_| Ledger::default()).collect(),
    };
    let connected = carry(&scene, &flows, control);
    let ran = ending.end().since(Instant::ZERO);
    let (finished, _) = emulation.finish()?;
    let each = connected?;
    if control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
        return Err(EmuError::Cancelled);
    }
    let outcome = outcome(network, each, &finished, ran)?;
    Ok(LinuxRun { outcome, ran, emulation: finished })
}

/// The links that have a limit: the others' queues are of no interest.
fn limited(network: &Network) -> Vec<LinkId> {
    let limit = |link: &LinkSpec| link.config.queue.limit() != Limit::Unlimited;
    let links = network.links.iter().enumerate().filter(|(_, link)| limit(link));
    links.map(|(id, _)| id).collect()
}

/// A flow's two ends, after the run.
struct FlowTotals {
    sent: SenderTotals,
    received: ReceiverTotals,
}

/// The socket at which a flow's receiver waits.
enum ListeningSocket {
    Connections(TcpListener),
    Datagrams(UdpSocket),
}

/// The context that every flow's threads share.
struct FlowContext<'a> {
    network: &'a Network,
    emulation: &'a Emulation<Option<Box<dyn Observer + Send>>>,
    ending: &'a RunClock,
    awaited: &'a Range<usize>,
    estimates: Option<SocketEstimates<'a>>,
    /// The bytes that each flow's receiver has got so far.
    delivered: Vec<AtomicU64>,
    /// When the connection of each flow that has one alone had opened.
    opened: Vec<OnceLock<Instant>>,
    ledgers: Vec<Ledger>,
}

type FlowThread<'scope, T> = ScopedJoinHandle<'scope, io::Result<T>>;

/// Runs all flows until the end.
fn carry(
    scene: &FlowContext<'_>,
    flows: &[KernelFlow],
    control: Control<'_>,
) -> Result<Vec<FlowTotals>, EmuError> {
    let Some((server, _)) = scene.emulation.hosts().split_last() else { return Ok(Vec::new()) };
    let listening_sockets = listening_sockets(server, flows)?;
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (i, (flow, listening_sockets)) in flows.iter().zip(&listening_sockets).enumerate() {
            threads.push((
                scope.spawn(move || scene.send(i, flow.kind)),
                scope.spawn(move || scene.receive(i, flow.kind, listening_sockets)),
            ));
        }
        oversee(scene.ending, control);
        threads.into_iter().zip(flows).map(|(threads, flow)| both(threads, flow)).collect()
    })
}

/// The results of a flow's threads.
fn both(
    threads: (FlowThread<'_, SenderTotals>, FlowThread<'_, ReceiverTotals>),
    flow: &KernelFlow,
) -> Result<FlowTotals, EmuError> {
    let failed = |error| EmuError::Flow { flow: flow.name.clone(), error };
    let (sent, received) = (joined_of(threads.0), joined_of(threads.1));
    Ok(FlowTotals { sent: sent.map_err(failed)?, received: received.map_err(failed)? })
}

impl FlowContext<'_> {
    /// The sending end of a flow, in the calling thread.
    fn send(&self, flow: usize, kind: KernelTraffic) -> io::Result<SenderTotals> {
        let spec = &self.network.flows[flow];
        let (namespace, to) = (&self.emulation.hosts()[flow].namespace, address(flow));
        let application = Application::new(spec, self.network.seed);
        let (controller, filling) = match kind {
            KernelTraffic::Datagrams { payload } => {
                let from = (FlowEnd::Client.ipv4(flow), 0).into();
                let source =
                    datagrams::DatagramSource { namespace, from, to, payload, application };
                return source.send(self.ending);
            }
            KernelTraffic::Transfers { controller, limit } => {
                let ledger = &self.ledgers[flow];
                let opener = transfers::ConnectionOpener {
                    namespace,
                    to,
                    controller,
                    limit,
                    application,
                    ledger,
                };
                return opener.send(self.ending);
            }
            KernelTraffic::Filled { controller, bytes } => (controller, SendPattern::Full(bytes)),
            KernelTraffic::Fed { controller, segment } => {
                (controller, SendPattern::Fed(spec, self.network.seed, segment))
            }
        };
        let task = SenderTask {
            flow,
            namespace,
            to,
            controller,
            begin: application.next(),
            opened: &self.opened[flow],
            filling,
            delivered: &self.delivered[flow],
            probes: self.network.probes,
            estimates: self.estimates,
        };
        task.send(self.ending)
    }

    /// The receiving end of a flow, in the calling thread.
    fn receive(
        &self,
        flow: usize,
        kind: KernelTraffic,
        listening_sockets: &ListeningSocket,
    ) -> io::Result<ReceiverTotals> {
        let (delivered, ending) = (&self.delivered[flow], self.ending);
        let what = (flow, self.network.probes);
        match (listening_sockets, kind) {
            (ListeningSocket::Datagrams(socket), _) => {
                datagrams::receive(socket, what, delivered, ending)
            }
            (ListeningSocket::Connections(listener), KernelTraffic::Transfers { .. }) => {
                transfers::receive(listener, what, delivered, (&self.ledgers[flow], ending))
            }
            (ListeningSocket::Connections(listener), kind) => {
                let bytes = match kind {
                    KernelTraffic::Filled { bytes, .. } => bytes,
                    _ => None,
                };
                let awaited = self.awaited.contains(&flow);
                receive(listener, (&self.opened[flow], bytes), delivered, ending, awaited)
            }
        }
    }
}

fn joined_of<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn address(flow: usize) -> SocketAddr {
    (FlowEnd::Server.ipv4(flow), PORT).into()
}

fn listening_sockets(
    server: &Host,
    flows: &[KernelFlow],
) -> Result<Vec<ListeningSocket>, EmuError> {
    let one = |(i, flow): (usize, &KernelFlow)| match flow.kind {
        KernelTraffic::Datagrams { .. } => {
            UdpSocket::bind(address(i)).map(ListeningSocket::Datagrams)
        }
        _ => TcpListener::bind(address(i)).map(ListeningSocket::Connections),
    };
    let all = || flows.iter().enumerate().map(one).collect();
    server.namespace.enter(all).map_err(EmuError::environment(
        "a receiver cannot listen",
        "raise the limit of open files (ulimit -n)",
    ))
}

/// Waits for the end, tells how far the run is, and ends it if it is cancelled.
fn oversee(ending: &RunClock, control: Control<'_>) {
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

/// The simulation's name for it.
fn outcome(
    network: &Network,
    each: Vec<FlowTotals>,
    finished: &EmulationOutcome,
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
    for (i, mut both) in each.into_iter().enumerate() {
        if network.probes.without_rtts {
            both.sent.rtts = Histogram::default();
        }
        let wire = |mark: Option<&Vec<u64>>| mark.and_then(|m| m.get(i)).copied().unwrap_or(0);
        let sent_bytes = wire(carried.sent_bytes.get(1)) - wire(carried.sent_bytes.first());
        records.extend(both.sent.records.iter().chain(&both.received.records).cloned());
        outcomes.push(flow_outcome(both, base_rtts[i], sent_bytes));
    }
    records.sort_by_key(|record| record.at);
    Ok(Outcome {
        flows: outcomes,
        links: links.collect(),
        events: 0,
        measured,
        records,
        queue_delays: carried.queue_delays.get(1).cloned().unwrap_or_default(),
        dual_delays: None,
        one_way_delays: Histogram::default(),
        progress_interval: Duration::ZERO,
    })
}

fn flow_outcome(both: FlowTotals, base_rtt: Duration, sent_bytes: u64) -> FlowOutcome {
    let FlowTotals { sent, received } = both;
    FlowOutcome {
        delivered_bytes: received.measured_bytes.unwrap_or(sent.delivered_bytes),
        later_bytes: None,
        sent_bytes,
        sent: sent.segments,
        retransmitted: sent.retransmitted,
        fast_recoveries: sent.counters.fast_recoveries,
        timeouts: sent.counters.timeouts,
        undone: sent.counters.undone,
        host_limited: sent.host_limited,
        rtts: sent.rtts,
        base_rtt,
        unfinished: sent.begun - received.completions.len() as u64,
        completions: received.completions,
        refused: sent.refused,
        data_packets: received.segments,
        proxy: None,
        frames: None,
        progress: Vec::new(),
    }
}
