//! Proxies of a file as networks: routes that are cut in two, and the connections over each part.

use std::path::Path;

use westwood_cc::{Bytes, Duration};
use westwood_net::Limit;
use westwood_scenario::file::{Built, Scenario};
use westwood_sim::{FlowSpec, Network, TcpSpec, Traffic, Workload};
use westwood_tcp::{BufferSizes, ReadMode};

const PATH: &str = r#"
cc = "reno"
[[link]]
name = "net"
from = "server"
to = "gateway"
rate = "100 Mbit/s"
delay = "20 ms"
[[link]]
name = "satellite"
from = "gateway"
to = "terminal"
rate = "12 Mbit/s"
delay = "300 ms"
return_delay = "250 ms"
[[link]]
name = "lan"
from = "terminal"
to = "host"
rate = "100 Mbit/s"
delay = "1 ms"
[[flow]]
name = "web"
from = "server"
to = "host"
"#;

fn built(rest: &str) -> Built {
    let read = |_: &Path| Err("no file is needed".to_owned());
    let text = format!("{PATH}{rest}");
    let scenario = Scenario::parse("f.toml", &text, &[], &read).unwrap_or_else(|e| panic!("{e}"));
    scenario.build(&scenario.points()[0], 1).expect("it was checked")
}

fn tcp(flow: &FlowSpec) -> TcpSpec {
    *flow.traffic.tcp().expect("a connection")
}

fn ends(network: &Network, flow: usize) -> (&str, &str) {
    let flow = &network.flows[flow];
    (network.nodes[flow.from].as_str(), network.nodes[flow.to].as_str())
}

fn links(network: &Network, given: Option<&Vec<usize>>) -> Vec<String> {
    let name = |&link: &usize| network.links[link].name.to_string();
    given.into_iter().flatten().map(name).collect()
}

#[test]
fn a_proxy_cuts_the_routes_of_its_flows_and_has_a_group_of_its_own() {
    let built =
        built("count = 2\nrtt = \"700 ms\"\nproxy = { at = \"gateway\", cc = \"cubic\" }\n");
    let network = &built.network;
    let names: Vec<&str> = network.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["web 1", "web 2", "web 1.gateway", "web 2.gateway"]);
    let groups = &built.layout.groups;
    let groups: Vec<_> = groups.iter().map(|g| (&g.name[..], g.cc.as_deref(), &g.flows)).collect();
    let expected = [("web", Some("reno"), &(0..2)), ("web.gateway", Some("cubic"), &(2..4))];
    assert_eq!(groups, expected);
    for (flow, before) in [(2, 0), (3, 1)] {
        assert_eq!(network.relayed_from(flow), Some(before));
        assert_eq!(ends(network, before).1, "gateway");
        assert_eq!(ends(network, flow).0, "gateway");
    }
    let second = &network.flows[2];
    assert_eq!(
        links(network, second.path.as_ref()),
        ["satellite", "lan", "access web 1.1"],
        "the hosts of `rtt` are beyond the ends"
    );
    assert_eq!(
        links(network, second.return_path.as_ref()),
        ["access web 1.2", "lan return", "satellite return"]
    );
}

#[test]
fn buffers_of_links_follow_from_the_round_trip_time_of_each_connection() {
    let queue = |rest: &str, name: &str| {
        let network = built(rest).network;
        let link = network.links.iter().find(|link| link.name == *name).expect("there");
        link.config.queue.limit()
    };
    // 592 ms and 552 ms of 12 Mbit/s, 40 ms of 100 Mbit/s; packets of 1500 bytes.
    assert_eq!(queue("", "satellite"), Limit::Packets(592));
    let proxy = "proxy = { at = \"gateway\" }\n";
    assert_eq!(queue(proxy, "satellite"), Limit::Packets(552));
    assert_eq!(queue(proxy, "net"), Limit::Packets(333));
}

#[test]
fn the_second_connection_has_the_flows_transport_but_for_its_own() {
    let rest = "proxy = { at = \"gateway\", tcp = { initial_window = 40 } }\n\
                tcp = { packet = 1000, recovery = \"newreno\" }\n";
    let network = built(rest).network;
    let (first, second) = (tcp(&network.flows[0]).config, tcp(&network.flows[1]).config);
    assert_eq!((first.initial_window.whole(), second.initial_window.whole()), (10, 40));
    for config in [first, second] {
        assert_eq!(config.sizes.payload, Bytes::new(1_000));
        assert_eq!(config.recovery.name(), "newreno");
    }
    assert_eq!(first.buffers.reading, ReadMode::Relayed { memory: None });
    assert_eq!(second.buffers.reading, ReadMode::AtOnce);
}

#[test]
fn a_stated_buffer_stands_in_place_of_those_of_the_sockets_at_the_proxy() {
    let sizes = Some(BufferSizes::of(4_096, 65_536, 1_048_576));
    let limits = "tcp = { tcp_rmem = \"4 KiB 64 KiB 1 MiB\", tcp_wmem = \"4 KiB 64 KiB 1 MiB\", \
                  write_size = \"16 KiB\" }\n";
    for (buffer, memory, at_proxy) in
        [("", None, sizes), (", buffer = \"2 MB\"", Some(2_000_000), None)]
    {
        let network = built(&format!("proxy = {{ at = \"gateway\"{buffer} }}\n{limits}")).network;
        let [first, second] = [0, 1].map(|flow| tcp(&network.flows[flow]).config.buffers);
        assert_eq!(first.reading, ReadMode::Relayed { memory });
        assert_eq!((first.send, first.receive), (sizes, at_proxy));
        assert_eq!((second.send, second.receive), (at_proxy, sizes));
        assert_eq!(first.write_size, Some(16_384));
    }
}

#[test]
fn each_connection_of_a_flow_with_proxies_has_a_handshake_of_its_own() {
    let rest =
        "proxy = [{ at = \"gateway\" }, { at = \"terminal\" }]\ntcp = { handshake = true }\n";
    let network = built(rest).network;
    let ms = Duration::from_millis;
    let each = |flow: &FlowSpec| {
        let begins = match flow.traffic {
            Traffic::Tcp(_, Workload::RelayedFrom { begins, .. }) => begins,
            _ => Duration::ZERO,
        };
        (flow.name.to_string(), flow.handshake, tcp(flow).config.handshake_rtt, begins)
    };
    // From end to end a handshake would take 592 ms, and the first one takes 40 ms of them.
    let expected = [
        ("web 1".to_owned(), true, Some(ms(40)), ms(0)),
        ("web 1.gateway".to_owned(), true, Some(ms(550)), ms(552)),
        ("web 1.terminal".to_owned(), true, Some(ms(2)), ms(552)),
    ];
    assert_eq!(network.flows.iter().map(each).collect::<Vec<_>>(), expected);
}

#[test]
fn the_settings_of_a_proxy_can_be_swept() {
    let rest =
        "proxy = { at = \"gateway\" }\n[sweep]\n\"flow.web.proxy.buffer\" = [\"1 MB\", \"4 MB\"]\n";
    let read = |_: &Path| Err("no file is needed".to_owned());
    let text = format!("{PATH}{rest}");
    let scenario = Scenario::parse("f.toml", &text, &[], &read).unwrap_or_else(|e| panic!("{e}"));
    let memory = scenario.points().iter().map(|point| {
        let network = scenario.build(point, 1).expect("it was checked").network;
        tcp(&network.flows[0]).config.buffers.reading
    });
    let expected = [1_000_000, 4_000_000].map(|n| ReadMode::Relayed { memory: Some(n) });
    assert_eq!(memory.collect::<Vec<_>>(), expected);
}
