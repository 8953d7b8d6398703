//! The experiments of the five papers can be said in a file, and mean what the papers say.

use std::path::Path;

use westwood_cc::{Duration, Instant};
use westwood_net::{Limit, QueueConfig};
use westwood_scenario::file::{Built, Scenario};
use westwood_sim::{LinkId, Network, Traffic, Workload};

fn scenario(text: &str) -> Scenario {
    let read = |_: &Path| Err("no file is needed".to_owned());
    Scenario::parse("f.toml", text, &[], &read).unwrap_or_else(|e| panic!("{e}"))
}

/// The networks of all points with the first seed.
fn built(text: &str) -> Vec<Built> {
    let scenario = scenario(text);
    let seed = scenario.seeds()[0];
    scenario.points().iter().map(|p| scenario.build(p, seed).expect("it was checked")).collect()
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Propagation there and back.
fn rtt(network: &Network, flow: usize) -> Duration {
    let flow = &network.flows[flow];
    let links = flow.path.iter().chain(&flow.return_path).flatten();
    links.fold(Duration::ZERO, |sum, &l| sum + network.links[l].config.delay)
}

fn link(network: &Network, name: &str) -> LinkId {
    let found = network.links.iter().position(|link| link.name == name);
    found.unwrap_or_else(|| panic!("there is no link '{name}'"))
}

fn limit(network: &Network, name: &str) -> Limit {
    match network.links[link(network, name)].config.queue {
        QueueConfig::DropTail(limit) => limit,
        other => panic!("not drop-tail: {other:?}"),
    }
}

fn flow_names(network: &Network) -> Vec<&str> {
    network.flows.iter().map(|flow| flow.name.as_str()).collect()
}

#[test]
fn westwood_2002_f09_a_wire_and_a_wireless_hop_with_losses_both_ways() {
    let points = built(
        r#"
        cc = ["westwood", "reno"]
        time = "1000 s"
        warmup = "0 s"
        seeds = 10
        tcp = { packet = "400 B", initial_window = 1, recovery = "reno", ack_delay = "200 ms", rto_tick = "100 ms" }

        [[link]]
        name = "wire"
        from = "source"
        to = "base station"
        rate = "10 Mbit/s"
        delay = "45 ms"
        buffer = "unlimited"

        [[link]]
        name = "wireless"
        from = "base station"
        to = "mobile"
        rate = "2 Mbit/s"
        delay = "0.01 ms"
        loss_both = "0 %"

        [[flow]]
        name = "data"
        from = "source"
        to = "mobile"

        [measure]
        link = "wireless"

        [sweep]
        "link.wireless.loss_both" = ["0 %", "0.01 %", "0.05 %", "1 %", "5 %"]
        "#,
    );
    assert_eq!(points.len(), 10);
    let network = &points[9].network;
    assert_eq!(rtt(network, 0), Duration::from_micros(90_020));
    assert_eq!(limit(network, "wireless"), Limit::Packets(56), "the paper's buffer");
    assert_eq!(network.links[link(network, "wireless return")].config.losses.len(), 1);
    assert_eq!(points[9].layout.measured_link, link(network, "wireless"));
}

#[test]
fn westwood_2002_f03_udp_sources_that_come_and_go() {
    let points = built(
        r#"
        cc = "westwood"
        time = "250 s"
        warmup = "0 s"
        tcp = { packet = "400 B" }
        dumbbell = { rate = "5 Mbit/s", rtt = "60 ms", access_rate = "100 Mbit/s" }

        [[flow]]
        name = "first"
        from = "left"
        to = "right"
        active = "25 s to 200 s"
        udp = { rate = "1 Mbit/s", packet = "400 B" }

        [[flow]]
        name = "second"
        from = "left"
        to = "right"
        active = ["50 s to 75 s", "125 s to 175 s"]
        udp = { rate = "1 Mbit/s", packet = "400 B" }
        "#,
    );
    let network = &points[0].network;
    assert_eq!(
        flow_names(network),
        ["flow 1", "first 1", "second 1 period 1", "second 1 period 2"]
    );
    let second = &network.flows[3];
    let at = |s| Instant::ZERO + Duration::from_secs(s);
    assert_eq!((second.start, second.stop), (at(125), Some(at(175))));
    assert_eq!(limit(network, "bottleneck"), Limit::Packets(93), "60 ms of 5 Mbit/s are 93.75");
}

#[test]
fn westwood_2002_f05_two_round_trip_times_and_red() {
    let points = built(
        r#"
        cc = ["westwood", "reno"]
        time = "300 s"
        tcp = { packet = "400 B" }

        [dumbbell]
        rate = "5 Mbit/s"
        rtt = "50 ms to 200 ms"
        flows = 2

        [variant.red]
        "dumbbell.aqm" = "red"
        "#,
    );
    assert_eq!(points.len(), 4);
    assert_eq!((rtt(&points[0].network, 0), rtt(&points[0].network, 1)), (ms(50), ms(200)));
    assert!(matches!(points[2].network.links[0].config.queue, QueueConfig::Red(_)));
}

#[test]
fn westwood_2002_f07_friendliness_of_k_and_five_minus_k() {
    let points = built(
        r#"
        cc = "westwood"
        time = "300 s"
        dumbbell = { rate = "5 Mbit/s", flows = 5, against_cc = "reno", against_flows = 0 }

        [variant.1]
        "dumbbell.flows" = 4
        "dumbbell.against_flows" = 1

        [variant.4]
        "dumbbell.flows" = 1
        "dumbbell.against_flows" = 4
        "#,
    );
    let groups = |p: &Built| p.layout.groups.iter().map(|g| g.flows.len()).collect::<Vec<_>>();
    assert_eq!(points.iter().map(groups).collect::<Vec<_>>(), [vec![5], vec![4, 1], vec![1, 4]]);
}

#[test]
fn westwood_2002_f15_to_f18_bursts_blackouts_and_handoffs() {
    for loss in [
        "markov(good=8s, bad=4s, p=5%, p_good=0.001%)",
        "markov(good=4s, bad=0.5s, p=100%, p_good=0.001%)",
        "0.1 %, outage(every=4s, for=100ms)",
    ] {
        let text = format!("cc = \"westwood\"\ndumbbell = {{ loss_both = \"{loss}\" }}");
        let network = &built(&text)[0].network;
        assert!(!network.links[1].config.losses.is_empty());
    }
}

#[test]
fn westwood_plus_2004_f16_capacities_with_a_buffer_of_ten_packets_at_least() {
    let points = built(
        r#"
        cc = ["westwood+(filter=a)", "reno"]
        time = "1000 s"
        warmup = "0 s"
        tcp = { recovery = "reno", initial_window = 2, delayed_ack = false }

        [[link]]
        name = "bottleneck"
        from = "left"
        to = "right"
        rate = "10 Mbit/s"
        delay = "10 ms"
        min_buffer = 10

        [[flow]]
        name = "data"
        from = "left"
        to = "right"
        rtt = "250 ms"

        [sweep]
        "link.bottleneck.rate" = ["0.1 Mbit/s", "1 Mbit/s", "10 Mbit/s", "100 Mbit/s"]
        "#,
    );
    let limits: Vec<Limit> =
        points.iter().step_by(2).map(|p| limit(&p.network, "bottleneck")).collect();
    assert_eq!(limits, [10, 20, 208, 2083].map(Limit::Packets));
    assert_eq!(rtt(&points[0].network, 0), ms(250));
}

#[test]
fn westwood_plus_2004_f19_round_trip_times_spread_above_ten_milliseconds() {
    let points = built(
        r#"
        cc = ["westwood+", "reno"]
        link = [{ name = "b", from = "l", to = "r", rate = "10 Mbit/s", delay = "5 ms" }]
        flow = [{ name = "data", from = "l", to = "r", rtt = "above 10 ms to 250 ms", count = 10 }]
        sweep = { "flow.data.count" = [10, 20] }
        "#,
    );
    // RTT_i = 10 + 240 i / N.
    let network = &points[0].network;
    assert_eq!((rtt(network, 0), rtt(network, 4), rtt(network, 9)), (ms(34), ms(130), ms(250)));
    assert_eq!(points[2].network.flows.len(), 20);
    assert_eq!(limit(network, "b"), Limit::Packets(208), "a BDP at the largest RTT");
}

/// westwood-plus-2004 figure 22, with N hops.
const MULTIHOP: &str = r#"
    cc = ["westwood+", "reno"]
    time = "1000 s"
    warmup = "0 s"

    [[link]]
    name = "hop"
    from = "entry"
    to = "exit"
    hops = 10
    rate = "10 Mbit/s"
    delay = "5 ms"
    buffer = "1 bdp"

    [[flow]]
    name = "c1"
    from = "entry"
    to = "exit"
    rtt = "250 ms"
    access_rate = "100 Mbit/s"

    [[flow]]
    name = "forward"
    over = "hop"
    rtt = "50 ms"
    start = "uniform(0 s, 500 s)"
    stop = "uniform(500 s, 1000 s)"

    [[flow]]
    name = "back"
    over = "hop"
    backward = true
    rtt = "50 ms"
    start = "uniform(0 s, 500 s)"
    stop = "uniform(500 s, 1000 s)"

    [sweep]
    "link.hop.hops" = [1, 2, 5, 10]
"#;

#[test]
fn westwood_plus_2004_f23_cross_traffic_over_each_of_n_hops() {
    let points = built(MULTIHOP);
    for (point, hops) in points.iter().step_by(2).zip([1, 2, 5, 10]) {
        let network = &point.network;
        assert_eq!(network.flows.len(), 1 + 2 * hops);
        assert_eq!(rtt(network, 0), ms(250), "whatever the number of hops");
        assert_eq!(rtt(network, hops), ms(50));
        assert_eq!(network.flows[0].path.as_ref().map(Vec::len), Some(hops + 2));
        for flow in &network.flows[1..] {
            assert_eq!(flow.start_jitter, Duration::from_secs(500));
            let stop = flow.stop.expect("it stops").since(Instant::ZERO);
            assert!(stop >= Duration::from_secs(500) && stop < Duration::from_secs(1000));
        }
    }
    let network = &points[6].network;
    assert_eq!(limit(network, "hop 10"), Limit::Packets(208), "250 ms, though others have 50");
}

#[test]
fn westwood_plus_2004_f24_ends_with_a_slow_lossy_hop() {
    let last = r#"
        [[link]]
        name = "last"
        from = "exit"
        to = "mobile"
        rate = "2 Mbit/s"
        delay = "5 ms"
        loss_both = "0.1 %"
    "#;
    let text = MULTIHOP
        .replace("[[flow]]\n    name = \"c1\"", &format!("{last}\n[[flow]]\nname = \"c1\""));
    let text = text.replace(
        "from = \"entry\"\n    to = \"exit\"\n    rtt",
        "from = \"entry\"\n    to = \"mobile\"\n    rtt",
    );
    let text = text.replace(
        "\"link.hop.hops\" = [1, 2, 5, 10]",
        "\"link.last.loss_both\" = [\"0.1 %\", \"1 %\"]",
    );
    let points = built(&text);
    assert_eq!(points[0].network.flows[0].path.as_ref().map(Vec::len), Some(13));
}

#[test]
fn westwood_10g_2005_f02_three_losses_at_a_given_time_and_a_limited_sender() {
    let points = built(
        r#"
        cc = ["reno", "westwood+"]
        time = "20 s"
        tcp = { packet = "9000 B", delayed_ack = false }

        [dumbbell]
        rate = "7.5 Gbit/s"
        rtt = "265 ms"
        buffer = "0.05 bdp"

        [[change]]
        link = "bottleneck"
        at = "18 s"
        loss = "list(1, 27000, 50000)"

        [[flow]]
        name = "udp"
        from = "left"
        to = "right"
        active = "10 s to 15 s"
        udp = { rate = "5 Gbit/s", packet = "9000 B" }
        "#,
    );
    assert_eq!(points[0].network.links[0].config.schedule.len(), 1);
}

#[test]
fn ccr_2004_t1_reverse_traffic_in_the_second_and_fourth_quarter() {
    let points = built(
        r#"
        cc = ["reno", "vegas", "westwood+"]
        time = "1000 s"
        warmup = "0 s"
        tcp = { recovery = "newreno", initial_window = 3 }
        dumbbell = { rate = "2 Mbit/s", rtt = "250 ms", buffer = "40 packets" }

        [[flow]]
        name = "reverse"
        from = "right"
        to = "left"
        count = 10
        cc = "reno"
        rtt = "250 ms"
        active = ["250 s to 500 s", "750 s to 1000 s"]
        "#,
    );
    let network = &points[0].network;
    assert_eq!(network.flows.len(), 1 + 20);
    assert_eq!(points[0].layout.groups[1].flows, 1..21);
    assert!(network.flows[1].path.as_ref().is_some_and(|path| path.contains(&1)));
}

#[test]
fn ccr_2004_f18_three_controllers_cross_a_parking_lot() {
    let points = built(
        r#"
        cc = ["reno", "vegas", "westwood+"]
        time = "1000 s"
        warmup = "0 s"
        tcp = { recovery = "newreno", initial_window = 3 }

        [[link]]
        name = "hop"
        from = "entry"
        to = "exit"
        hops = 1
        rate = "10 Mbit/s"
        delay = "10 ms"
        buffer = "125 packets"

        [[flow]]
        name = "c1"
        from = "entry"
        to = "exit"
        access_delay = "20 ms"
        access_rate = "100 Mbit/s"
        start = "10 s"

        [[flow]]
        name = "even"
        over = "hop"
        cc = "reno"
        access_delay = "20 ms"
        access_rate = "100 Mbit/s"

        [[flow]]
        name = "odd"
        over = "hop"
        backward = true
        cc = "reno"
        access_delay = "20 ms"
        access_rate = "100 Mbit/s"

        [sweep]
        "link.hop.hops" = [1, 5, 10]
        "#,
    );
    for (point, hops) in points.iter().step_by(3).zip([1, 5, 10]) {
        let network = &point.network;
        assert_eq!(rtt(network, 0), ms(80 + 20 * hops), "80 + 20 N ms");
        assert_eq!(rtt(network, 1), ms(100));
    }
}

#[test]
fn ccr_2004_f30_gilbert_losses_on_the_last_hop_and_traffic_on_the_wire_alone() {
    let points = built(
        r#"
        cc = ["westwood+", "reno"]
        time = "1000 s"
        tcp.recovery = "newreno"

        [[link]]
        name = "wire"
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "5 ms"
        buffer = "208 packets"

        [[link]]
        name = "wireless"
        from = "b"
        to = "mobile"
        rate = "2 Mbit/s"
        delay = "20 ms"
        buffer = "42 packets"
        loss_both = "gilbert(good=1s, bad=10ms, p=10%)"

        [[flow]]
        name = "data"
        from = "a"
        to = "mobile"
        rtt = "250 ms"

        [[flow]]
        name = "cross"
        from = "a"
        to = "b"
        count = 5
        cc = "reno"
        rtt = "66 ms to 250 ms"

        [[flow]]
        name = "reverse"
        from = "b"
        to = "a"
        count = 10
        cc = "reno"
        rtt = "46 ms to 250 ms"

        [sweep]
        "link.wireless.loss_both" = ["gilbert(good=1s, bad=0.1ms, p=10%)", "gilbert(good=1s, bad=100ms, p=10%)"]

        [variant.each]
        "tcp.delayed_ack" = false
        "#,
    );
    assert_eq!(points.len(), 8);
    assert_eq!(points[0].network.flows.len(), 16);
}

#[test]
fn ccr_2004_the_delayed_ack_of_one_group_can_be_switched_off() {
    let points = built(
        r#"
        link = [{ name = "b", from = "l", to = "r", rate = "10 Mbit/s" }]

        [[flow]]
        name = "vegas"
        from = "l"
        to = "r"
        rtt = "100 ms"
        cc = "vegas"
        tcp.delayed_ack = false

        [[flow]]
        name = "reno"
        from = "r"
        to = "l"
        rtt = "100 ms"
        cc = "reno"
        "#,
    );
    let acks = |flow: usize| match &points[0].network.flows[flow].traffic {
        Traffic::Tcp(tcp, Workload::Greedy) => tcp.config.acks,
        other => panic!("{other:?}"),
    };
    assert_eq!(acks(0), westwood_tcp::AckPolicy::Each);
    assert_ne!(acks(1), westwood_tcp::AckPolicy::Each);
}

#[test]
fn log_westwood_2008_f11_groups_by_short_and_long_links() {
    let points = built(
        r#"
        cc = ["log-westwood+", "westwood+", "bic", "reno"]
        time = "2000 s"
        warmup = "20 s"
        seeds = 10
        tcp = { initial_window = 1, delayed_ack = false }

        [[link]]
        name = "r1-r2"
        from = "r1"
        to = "r2"
        rate = "100 Mbit/s"
        delay = "10 ms"
        buffer = "300 packets"
        loss = "1e-7"

        [[flow]]
        name = "a"
        from = "r1"
        to = "r2"
        count = 4
        access_delay = "20 ms"
        access_rate = "1 Gbit/s"

        [[flow]]
        name = "b"
        from = "r1"
        to = "r2"
        count = 4
        access_delay = "80 ms"
        access_rate = "1 Gbit/s"

        [sweep]
        "link.r1-r2.rate" = ["20 Mbit/s", "50 Mbit/s", "100 Mbit/s", "200 Mbit/s", "500 Mbit/s"]

        [limits]
        packets = 10_000_000_000_000
        "#,
    );
    assert_eq!((rtt(&points[0].network, 0), rtt(&points[0].network, 4)), (ms(100), ms(340)));
    assert_eq!(points.len(), 20);
}

#[test]
fn log_westwood_2008_f14_an_on_off_source_beside_four_flows() {
    let points = built(
        r#"
        cc = ["westwood+", "log-westwood+"]
        dumbbell = { rate = "100 Mbit/s", rtt = "180 ms", loss = "1e-5", flows = 4 }

        [[flow]]
        name = "on-off"
        from = "left"
        to = "right"
        udp = { rate = "1 Mbit/s", on = "10 s", off = "10 s" }
        "#,
    );
    assert!(matches!(points[0].network.flows[4].traffic, Traffic::Udp { .. }));
}

#[test]
fn web_pages_writers_and_phases_are_applications() {
    let points = built(
        r#"
        cc = "cubic"
        dumbbell = { rate = "50 Mbit/s" }

        [[flow]]
        name = "web"
        from = "left"
        to = "right"
        rtt = "uniform(20 ms, 200 ms)"
        count = 3
        short_flows = { every = "exponential(100 ms)", size = "pareto(30 kB, shape=1.2)", at_a_time = 50 }

        [[flow]]
        name = "game"
        from = "left"
        to = "right"
        write_rate = "500 kbit/s"

        [[flow]]
        name = "video"
        from = "left"
        to = "right"
        on_off = { on = "2 s", off = "uniform(1 s, 3 s)" }

        [[flow]]
        name = "file"
        from = "left"
        to = "right"
        size = "2 MB"
        start = "5 s"
        "#,
    );
    let network = &points[0].network;
    assert_eq!(network.flows.len(), 7);
    assert!(matches!(network.flows[1].traffic, Traffic::ShortFlows { limit: 50, .. }));
    let rtts: Vec<Duration> = (1..4).map(|flow| rtt(network, flow)).collect();
    assert!(rtts.iter().all(|t| *t >= ms(20) && *t < ms(200)));
    assert_ne!(rtts[0], rtts[1]);
}

#[test]
fn each_flow_begins_its_handshake_at_its_start() {
    let points = built(
        r#"
        like = "ns-2"
        cc = "reno"
        link = [{ name = "b", from = "l", to = "r", rate = "10 Mbit/s", buffer = "50 packets" }]
        flow = [{ name = "f", from = "l", to = "r", count = 2, rtt = "100 ms to 250 ms", start = "1 s" }]
        "#,
    );
    let network = &points[0].network;
    for (flow, rtt) in network.flows.iter().zip([ms(100), ms(250)]) {
        let Traffic::Tcp(tcp, Workload::Greedy) = &flow.traffic else { panic!("not TCP") };
        assert_eq!(tcp.config.handshake_rtt, Some(rtt));
        assert_eq!((flow.start, flow.handshake), (Instant::ZERO + ms(1000), true));
    }
    assert_eq!(limit(network, "b"), Limit::Packets(49), "the packet in service counts");
}
