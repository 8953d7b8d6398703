//! Connections of the running kernel over the emulated path.

mod support;

use std::ops::Range;

use support::judged::{judged, within};
use support::kernel_helps;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_emu::linux::{check, run};
use westwood_emu::path::shortest_buffer;
use westwood_emu::{EmuError, LinuxRun};
use westwood_net::{Limit, LinkConfig, QueueConfig};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Phases, Probes, TcpSpec, Traffic, ValueDistribution,
    Workload,
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
        path: Some(vec![0]),
        return_path: Some(vec![1]),
        ..FlowSpec::between(format!("flow {i}"), 0, 1, Traffic::Tcp(tcp.into(), workload))
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

/// One run.
fn once(network: &Network, transfers: Option<&Range<usize>>) -> LinuxRun {
    run(network, transfers.cloned(), Control::default()).unwrap()
}

/// The run, if the machine was punctual.
fn punctual(run: LinuxRun) -> Result<LinuxRun, String> {
    /// A hundredth of the round trip, and half of the buffer.
    const BOUNDS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(20));
    let stalled = || run.emulation.stall(BOUNDS.1);
    run.emulation.fault(BOUNDS.0).or_else(stalled).map_or(Ok(run), Err)
}

#[expect(clippy::cast_precision_loss, reason = "some megabytes")]
fn share(part: u64, of: f64) -> f64 {
    part as f64 / of
}

#[test]
fn a_greedy_flow_fills_its_link_and_is_accounted_for() {
    if !kernel_helps() {
        return;
    }
    let network = network("reno", &[Workload::Greedy]);
    let accounted = || {
        let run = once(&network, None);
        let (flow, link) = (&run.outcome.flows[0], &run.outcome.links[0]);
        assert!(flow.delivered_bytes > 0 && flow.data_packets > 0, "{flow:?}");
        assert!(link.utilization > 0.0 && link.utilization <= 1.0, "{}", link.utilization);
        assert!(link.queue_max <= 66, "{}", link.queue_max);
        // However late the machine is, no packet takes less than the path does.
        assert!(flow.rtts.summary().unwrap().min >= Duration::from_millis(39), "{flow:?}");
        assert_eq!(run.ran, Duration::from_secs(5));
        punctual(run)
    };
    judged(accounted, |run| {
        let (flow, link) = (&run.outcome.flows[0], &run.outcome.links[0]);
        // A full link carries 1448 of each 1500 bytes as payload.
        let full = 20e6 * 3.0 / 8.0 * 1448.0 / 1500.0;
        within("the share of a full link", share(flow.delivered_bytes, full), 0.80..1.02)?;
        within("utilization", link.utilization, 0.80..=1.0)?;
        // Slow start has overflowed the buffer before, and Reno recovered from it.
        within("segments sent", share(flow.sent, 1.0), 3_000.0..)?;
        within("all segments over those", share(flow.data_packets, share(flow.sent, 1.0)), 1.0..)?;
        let p99 = flow.rtts.summary().map_or(0, |rtts| rtts.p99.as_nanos());
        within("the 99th percentile of the RTT in ms", share(p99, 1e6), ..200.0)?;
        within("records", share(run.outcome.records.len() as u64, 1.0), 100.0..)
    });
}

#[test]
fn a_run_of_transfers_ends_with_the_last_of_them() {
    if !kernel_helps() {
        return;
    }
    let transfers = [300_000, 600_000].map(|n| Workload::Transfer(Bytes::new(n)));
    let (warmup, duration) = (Duration::ZERO, Duration::from_secs(60));
    let network = Network { warmup, duration, ..network("reno", &transfers) };
    let run = once(&network, Some(&(0..2)));
    for (flow, bytes) in run.outcome.flows.iter().zip([300_000, 600_000]) {
        assert_eq!((flow.delivered_bytes, flow.unfinished), (bytes, 0));
        // At least the round trips that slow start takes.
        assert!(flow.completions[0].took > Duration::from_millis(120), "{:?}", flow.completions);
    }
    let last = run.outcome.flows.iter().map(|flow| flow.completions[0].took).max().unwrap();
    assert!(last <= run.ran && run.ran < Duration::from_secs(60), "{last:?} of {:?}", run.ran);
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
    let phase = |mean| ValueDistribution::Exponential(mean);
    let network = with(Traffic::Udp {
        rate: Rate::from_bits_per_s(2_000_000),
        size: Bytes::new(600),
        phases: Phases::Alternating { on: phase(0.5), off: phase(0.2) },
        poisson: true,
    });
    let simulated = westwood_sim::run(&network).unwrap().flows.remove(0);
    assert!(simulated.sent > 200, "{simulated:?}");
    let sent = || {
        let run = once(&network, None);
        let flow = &run.outcome.flows[0];
        assert!(flow.delivered_bytes > 0 && flow.delivered_bytes.is_multiple_of(600), "{flow:?}");
        punctual(run)
    };
    judged(sent, |run| {
        let real = &run.outcome.flows[0];
        // One that is due at the very end may be late for it.
        let missing = share(simulated.sent, 1.0) - share(real.sent, 1.0);
        within("datagrams that were not sent", missing, 0.0..=1.0)?;
        // 22 ms of datagrams are under way when the warm-up ends, and when the run does.
        let difference = real.delivered_bytes.abs_diff(simulated.delivered_bytes);
        within("bytes between both", share(difference, 1.0), ..=30.0 * 600.0)
    });
}

#[test]
fn a_flow_that_writes_at_a_rate_carries_that_rate() {
    if !kernel_helps() {
        return;
    }
    let network = network("reno", &[Workload::Limited(Rate::from_bits_per_s(3_000_000))]);
    let limited = || {
        let run = once(&network, None);
        assert!(run.outcome.flows[0].delivered_bytes > 0);
        punctual(run)
    };
    judged(limited, |run| {
        let rate = share(run.outcome.flows[0].delivered_bytes * 8, 3.0);
        within("bit/s", rate, 2.8e6..3.2e6)
    });
}

#[test]
fn a_flow_is_silent_in_its_pauses() {
    if !kernel_helps() {
        return;
    }
    let length = ValueDistribution::Constant(1.0);
    // On from 0 to 1, 2 to 3 and 4 to 5 s; measured from 2 s on.
    let phases = Phases::Alternating { on: length, off: length };
    let network = network("reno", &[Workload::OnOff(phases)]);
    let run = || punctual(once(&network, None));
    judged(run, |run| within("the link is busy for", run.outcome.links[0].utilization, 0.3..0.72));
}

#[test]
fn short_flows_are_connections_of_their_own() {
    if !kernel_helps() {
        return;
    }
    let tcp = match network("reno", &[Workload::Greedy]).flows.remove(0).traffic {
        Traffic::Tcp(tcp, _) => tcp,
        other => panic!("{other:?} is not a connection"),
    };
    // At 0.0, 0.3, ... 4.8 s; the ones before the last have time to end.
    let (gap, size) = (ValueDistribution::Constant(0.3), ValueDistribution::Constant(30_000.0));
    let network = with(Traffic::ShortFlows { tcp, gap, size, limit: 10 });
    let begun_and_done = || {
        let run = once(&network, None);
        for one in &run.outcome.flows[0].completions {
            // 21 segments are two flights: a round trip, and a way.
            assert!(one.bytes == 30_000 && one.took >= Duration::from_millis(60), "{one:?}");
        }
        punctual(run)
    };
    judged(begun_and_done, |run| {
        let flow = &run.outcome.flows[0];
        let (done, begun) = (flow.completions.len() as u64, flow.unfinished);
        // With its handshake each would take another round trip.
        let quick = flow.completions.iter().filter(|one| one.took < Duration::from_millis(90));
        let found = (done + begun, flow.refused, done >= 15, 2 * quick.count() as u64 > done);
        if found == (17, 0, true, true) { Ok(()) } else { Err(format!("{flow:?}")) }
    });
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
        assert!(error.to_string().contains("modprobe tcp_highspeed"), "{error}");
    }
}
