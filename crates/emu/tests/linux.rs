//! Connections of the running kernel over the emulated path.

mod support;

use support::kernel_helps;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_emu::EmuError;
use westwood_emu::linux::{check, run};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Probes, Spread, TcpSpec, Traffic, Workload,
};
use westwood_tcp::{Config, Sizes};

/// Flows of a controller over a link of 20 Mbit/s and 40 ms both ways together, with a BDP of buffer.
fn network(cc: &str, workloads: &[Workload]) -> Network {
    let rate = Rate::from_bits_per_s(20_000_000);
    let link = || LinkConfig::new(rate, Duration::from_millis(20), Limit::Packets(66));
    let spec = |name: &str, from, to| LinkSpec { name: name.into(), from, to, config: link() };
    let sizes = Sizes { payload: Bytes::new(1448), header: Bytes::new(52), ..Sizes::default() };
    let tcp = TcpSpec {
        controller: Choice::named(cc).unwrap(),
        config: Config { sizes, ..Config::default() },
    };
    let flow = |(i, &workload): (usize, &Workload)| FlowSpec {
        name: format!("flow {i}"),
        from: 0,
        to: 1,
        path: Some(vec![0]),
        return_path: Some(vec![1]),
        start: Instant::ZERO,
        start_jitter: Duration::ZERO,
        stop: None,
        traffic: Traffic::Tcp(tcp, workload),
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

#[test]
fn a_greedy_flow_fills_its_link_and_is_accounted_for() {
    if !kernel_helps() {
        return;
    }
    let run = run(&network("reno", &[Workload::Greedy]), None, Control::default()).unwrap();
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
    let run = run(&network, Some(0..2), Control::default()).unwrap();
    for (flow, bytes) in run.outcome.flows.iter().zip([300_000, 600_000]) {
        assert_eq!((flow.delivered_bytes, flow.unfinished), (bytes, 0));
        // A handshake, and at least the round trips that slow start takes.
        assert!(flow.completions[0].took > Duration::from_millis(120), "{:?}", flow.completions);
    }
    assert!(run.ran < Duration::from_secs(4), "{:?}", run.ran);
}

#[test]
fn what_the_kernel_cannot_do_is_refused_before_anything_runs() {
    let limited = network("reno", &[Workload::Limited(Rate::from_bits_per_s(1_000_000))]);
    assert!(matches!(check(&limited), Err(EmuError::Unsupported { .. })));
    let mut datagrams = network("reno", &[Workload::Greedy]);
    datagrams.flows[0].traffic = Traffic::ShortFlows {
        tcp: TcpSpec { controller: Choice::named("reno").unwrap(), config: Config::default() },
        gap: Spread::Constant(1.0),
        size: Spread::Constant(1e4),
        limit: 10,
    };
    assert!(matches!(check(&datagrams), Err(EmuError::Unsupported { .. })));
    // No kernel has this one built in, and none of the tests loads it.
    let absent = network("highspeed", &[Workload::Greedy]);
    let available =
        std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    if !available.contains("highspeed") {
        let error = check(&absent).unwrap_err();
        assert!(error.to_string().contains("load it first"), "{error}");
    }
}
