//! Connections of the running kernel over the emulated path.

mod support;

use std::ops::Range;

use support::{kernel_helps, not_judged};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_emu::linux::{check, run};
use westwood_emu::path::shortest_buffer;
use westwood_emu::{EmuError, LinuxRun};
use westwood_net::{Limit, LinkConfig, QueueConfig};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Phases, Probes, Spread, TcpSpec, Traffic, Workload,
};
use westwood_tcp::{Config, Sizes};

/// Flows of a controller over a link of 20 Mbit/s and 40 ms both ways together, with a BDP of buffer.
fn network(cc: &str, workloads: &[Workload]) -> Network {
    let rate = Rate::from_bits_per_s(20_000_000);
    let link = || LinkConfig::new(rate, Duration::from_millis(20), Limit::Packets(66));
    let spec =
        |name: &str, from, to| LinkSpec { name: name.into(), from, to, config: link().into() };
    let sizes = Sizes { payload: Bytes::new(1448), header: Bytes::new(52), ..Sizes::default() };
    let tcp = TcpSpec {
        controller: Choice::named(cc).unwrap(),
        config: Config { sizes, ..Config::default() },
    };
    let flow = |(i, &workload): (usize, &Workload)| FlowSpec {
        name: format!("flow {i}").into(),
        from: 0,
        to: 1,
        path: Some(vec![0]),
        return_path: Some(vec![1]),
        start: Instant::ZERO,
        start_jitter: Duration::ZERO,
        stop: None,
        traffic: Traffic::Tcp(tcp.into(), workload),
    };
    Network {
        nodes: vec!["left".into(), "right".into()],
        links: vec![spec("there", 0, 1), spec("back", 1, 0)],
        flows: workloads.iter().enumerate().map(flow).collect(),
        agents: Vec::new(),
        seed: 1,
        duration: Duration::from_secs(5),
        warmup: Duration::from_secs(2),
        probes: Probes { windows: true, queues: true, ..Probes::default() },
    }
}

/// Runs it until the machine was punctual, a few times. If it never is, nothing can be said of the run.
fn punctual(network: &Network, transfers: Option<&Range<usize>>) -> Option<LinuxRun> {
    /// A hundredth of the round trip, and half of what the buffer holds.
    const BOUNDS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(20));
    let mut fault = String::new();
    for _ in 0..5 {
        let run = run(network, transfers.cloned(), Control::default()).unwrap();
        let stalled = || run.emulation.stall(BOUNDS.1);
        let Some(found) = run.emulation.fault(BOUNDS.0).or_else(stalled) else { return Some(run) };
        fault = found;
    }
    not_judged("not judged", &fault);
    None
}

#[test]
fn a_greedy_flow_fills_its_link_and_is_accounted_for() {
    if !kernel_helps() {
        return;
    }
    let Some(run) = punctual(&network("reno", &[Workload::Greedy]), None) else { return };
    let (flow, link) = (&run.outcome.flows[0], &run.outcome.links[0]);
    // A full link carries 1448 of each 1500 bytes as payload.
    let full = 20e6 * 3.0 / 8.0 * 1448.0 / 1500.0;
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    let share = flow.delivered_bytes as f64 / full;
    assert!((0.80..1.02).contains(&share), "{share} of a full link");
    assert!(link.utilization > 0.80 && link.utilization <= 1.0, "{}", link.utilization);
    // Slow start has overflowed the buffer before, and Reno recovered from it.
    assert!(flow.sent > 3_000 && flow.data_packets > flow.sent, "{flow:?}");
    let rtt = flow.rtts.summary().unwrap();
    assert!(
        rtt.min >= Duration::from_millis(39) && rtt.p99 < Duration::from_millis(200),
        "{rtt:?}"
    );
    assert!(link.queue_max <= 66, "{}", link.queue_max);
    assert!(run.outcome.records.len() > 100, "windows and queues are recorded");
    assert_eq!(run.ran, Duration::from_secs(5));
}

#[test]
fn a_run_of_transfers_ends_with_the_last_of_them() {
    if !kernel_helps() {
        return;
    }
    let transfers = [300_000, 600_000].map(|n| Workload::Transfer(Bytes::new(n)));
    let network = Network { warmup: Duration::ZERO, ..network("cubic", &transfers) };
    let Some(run) = punctual(&network, Some(&(0..2))) else { return };
    for (flow, bytes) in run.outcome.flows.iter().zip([300_000, 600_000]) {
        assert_eq!((flow.delivered_bytes, flow.unfinished), (bytes, 0));
        // A handshake, and at least the round trips that slow start takes.
        assert!(flow.completions[0].took > Duration::from_millis(120), "{:?}", flow.completions);
    }
    assert!(run.ran < Duration::from_secs(4), "{:?}", run.ran);
}

/// The same path with one flow of this kind.
fn with(traffic: Traffic) -> Network {
    let mut network = network("reno", &[Workload::Greedy]);
    network.flows[0].traffic = traffic;
    network
}

#[test]
fn the_shortest_buffer_is_that_of_the_full_queue_that_empties_first() {
    let mut network = network("reno", &[Workload::Greedy]);
    // 66 packets of 1500 bytes at 20 Mbit/s.
    let nanos = |network: &Network| shortest_buffer(network).map(Duration::as_nanos);
    assert_eq!(nanos(&network), Some(39_600_000));
    network.links[1].config.queue = QueueConfig::DropTail(Limit::Bytes(Bytes::new(5_000)));
    assert_eq!(nanos(&network), Some(2_000_000));
    for link in &mut network.links {
        link.config.queue = QueueConfig::DropTail(Limit::Unlimited);
    }
    assert_eq!(nanos(&network), None);
}

#[test]
fn datagrams_leave_at_the_times_that_the_simulator_draws() {
    if !kernel_helps() {
        return;
    }
    let phase = |mean| Spread::Exponential(mean);
    let network = with(Traffic::Udp {
        rate: Rate::from_bits_per_s(2_000_000),
        size: Bytes::new(600),
        phases: Phases::Alternating { on: phase(0.5), off: phase(0.2) },
        poisson: true,
    });
    let simulated = westwood_sim::run(&network).unwrap().flows.remove(0);
    let Some(mut run) = punctual(&network, None) else { return };
    let real = run.outcome.flows.remove(0);
    assert!(simulated.sent > 200, "{simulated:?}");
    // One that is due at the very end may be late for it.
    assert!(simulated.sent - real.sent <= 1, "{} simulated, {} sent", simulated.sent, real.sent);
    // 22 ms of datagrams are under way when the warm-up ends, and when the run does.
    let near = |a: u64, b: u64| a.abs_diff(b) <= 30 * 600;
    assert!(near(real.delivered_bytes, simulated.delivered_bytes), "{real:?} and {simulated:?}");
}

#[test]
fn a_flow_that_writes_at_a_rate_carries_that_rate() {
    if !kernel_helps() {
        return;
    }
    let network = network("reno", &[Workload::Limited(Rate::from_bits_per_s(3_000_000))]);
    let Some(mut run) = punctual(&network, None) else { return };
    let flow = run.outcome.flows.remove(0);
    #[expect(clippy::cast_precision_loss, reason = "about a megabyte")]
    let rate = flow.delivered_bytes as f64 * 8.0 / 3.0;
    assert!((2.8e6..3.2e6).contains(&rate), "{rate} bit/s");
}

#[test]
fn a_flow_is_silent_in_its_pauses() {
    if !kernel_helps() {
        return;
    }
    let length = Spread::Constant(1.0);
    // On from 0 to 1, 2 to 3 and 4 to 5 s; measured from 2 s on.
    let phases = Phases::Alternating { on: length, off: length };
    let network = network("reno", &[Workload::OnOff(phases)]);
    let Some(run) = punctual(&network, None) else { return };
    let busy = run.outcome.links[0].utilization;
    assert!((0.3..0.72).contains(&busy), "the link is busy for {busy} of the time");
}

#[test]
fn short_flows_are_connections_of_their_own() {
    if !kernel_helps() {
        return;
    }
    let tcp = match network("cubic", &[Workload::Greedy]).flows.remove(0).traffic {
        Traffic::Tcp(tcp, _) => tcp,
        other => panic!("{other:?} is not a connection"),
    };
    // At 0.0, 0.3, ... 4.8 s; the ones before the last have time to end.
    let (gap, size) = (Spread::Constant(0.3), Spread::Constant(30_000.0));
    let network = with(Traffic::ShortFlows { tcp, gap, size, limit: 10 });
    let Some(mut run) = punctual(&network, None) else { return };
    let flow = run.outcome.flows.remove(0);
    let (done, begun) = (flow.completions.len() as u64, flow.unfinished);
    assert_eq!((done + begun, flow.refused), (17, 0), "{flow:?}");
    assert!(done >= 15, "{done} transfers ended");
    for one in &flow.completions {
        // A handshake and two flights of 21 segments.
        let took = Duration::from_millis(80)..Duration::from_secs(1);
        assert!(one.bytes == 30_000 && took.contains(&one.took), "{one:?}");
    }
}

#[test]
fn what_the_kernel_cannot_do_is_refused_before_anything_runs() {
    let mut stopped = network("reno", &[Workload::Transfer(Bytes::new(1_000_000))]);
    stopped.flows[0].stop = Some(Instant::ZERO + Duration::from_secs(1));
    assert!(matches!(check(&stopped), Err(EmuError::Unsupported { .. })));
    let tiny = with(Traffic::Udp {
        rate: Rate::from_bits_per_s(1_000),
        size: Bytes::new(20),
        phases: Phases::Always,
        poisson: false,
    });
    assert!(matches!(check(&tiny), Err(EmuError::Unsupported { .. })));
    // No kernel has this one built in, and none of the tests loads it.
    let absent = network("highspeed", &[Workload::Greedy]);
    let available =
        std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    if !available.contains("highspeed") {
        let error = check(&absent).unwrap_err();
        assert!(error.to_string().contains("load it first"), "{error}");
    }
}
