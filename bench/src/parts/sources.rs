//! The least that can be done at an event, from few sources and from many: what grows with their
//! number is the scheduler's part and the caches'.

use std::hint::black_box;

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{FlowSpec, LinkSpec, Network, Phases, Probes, Traffic, run};

use super::Part;

/// So many that building the network does not count.
const DATAGRAMS: u64 = 200_000;

pub(super) fn all() -> Vec<Part> {
    [5, 50, 5_000]
        .map(|senders| {
            let name = format!("sources/{senders}");
            Part::new(name, DATAGRAMS, move || {
                let network = network(senders);
                Box::new(move || {
                    black_box(run(&network).is_ok());
                })
            })
        })
        .into()
}

/// Poisson senders of datagrams that share a link.
fn network(senders: u64) -> Network {
    // 10,000 datagrams a second, for 20 s.
    let each = Rate::from_bits_per_s(10_000 * 1000 * 8 / senders);
    let link = LinkConfig::new(
        Rate::from_bits_per_s(100_000_000),
        Duration::from_millis(10),
        Limit::Packets(1000),
    );
    let flow = |i| FlowSpec {
        start_jitter: Duration::from_millis(100),
        ..FlowSpec::between(
            format!("sender {i}"),
            0,
            1,
            Traffic::Udp {
                rate: each,
                size: Bytes::new(1000),
                phases: Phases::Always,
                poisson: true,
            },
        )
    };
    Network {
        agents: Vec::new(),
        nodes: vec!["left".into(), "right".into()],
        links: [(0, 1), (1, 0)]
            .map(|(from, to)| LinkSpec {
                name: from.to_string().into(),
                from,
                to,
                config: link.clone().into(),
            })
            .into(),
        flows: (0..senders).map(flow).collect(),
        seed: 1,
        duration: Duration::from_secs(20),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}
