//! Controllers on links that mark.

use crate::support::{dumbbell, ms, ns2_tcp};
use westwood_cc::Rate;
use westwood_cc::controllers::Choice;
use westwood_net::{Limit, LinkConfig, MarkAbove, QueueConfig, ThresholdConfig};
use westwood_sim::{LinkOutcome, TcpSpec, run};
use westwood_tcp::{Config, Recovery};

const MBIT: u64 = 1_000_000;

/// 100 Mbit/s and 12 ms, 100 packets of bandwidth-delay product, with marks above so many waiting, once
/// every controller has climbed for ten seconds.
fn bottleneck(name: &str, above: u64) -> LinkOutcome {
    let controller = Choice::named(name).expect("in the catalog");
    let plain = ns2_tcp("reno", Recovery::Sack);
    let (ecn_feedback, ect) = (controller.ecn_feedback(), controller.ect());
    let config = Config { ecn: true, ecn_feedback, ect, ..plain.config };
    let tcp = TcpSpec { controller, config };
    let (rate, access) = (Rate::from_bits_per_s(100 * MBIT), Rate::from_bits_per_s(1_000 * MBIT));
    let mut network = dumbbell(rate, ms(12), 400, access, tcp, ms(20_000), ms(10_000));
    for link in &mut network.links {
        if &*link.name == "1-2" {
            let marking = ThresholdConfig {
                limit: Limit::Packets(400),
                mark_above: MarkAbove::Packets(above),
            };
            let queue = QueueConfig::Threshold(marking);
            link.config = LinkConfig { queue, ..(*link.config).clone() }.into();
        }
    }
    let outcome = run(&network).expect("a network");
    outcome.links.into_iter().max_by_key(|link| link.marked).expect("links")
}

#[test]
fn dctcp_fills_a_link_that_marks_above_a_sixth_of_its_pipe_and_reno_does_not() {
    let (dctcp, reno) = (bottleneck("dctcp", 17), bottleneck("reno", 17));
    assert!(dctcp.utilization > 0.99, "{dctcp:?}");
    assert!(reno.utilization < 0.95, "{reno:?}");
    assert_eq!(dctcp.dropped_overflow, 0);
}
