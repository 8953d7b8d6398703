//! Controllers on links that mark.

use crate::support::{dumbbell, ms, ns2_tcp};
use westwood_cc::Rate;
use westwood_cc::controllers::Choice;
use westwood_net::{EcnPath, Limit, LinkConfig, MarkAbove, QueueConfig, ThresholdConfig};
use westwood_sim::{LinkOutcome, TcpSpec, run};
use westwood_tcp::{Config, Recovery};

const MBIT: u64 = 1_000_000;

/// 100 Mbit/s and 12 ms, 100 packets of bandwidth-delay product, with marks above so many waiting, once
/// every controller has climbed for ten seconds.
fn bottleneck(name: &str, above: u64) -> LinkOutcome {
    changing(name, above, None)
}

/// The same of a link that does so to the ECN field.
fn changing(name: &str, above: u64, ecn_path: Option<EcnPath>) -> LinkOutcome {
    let controller = Choice::named(name).expect("in the catalog");
    let plain = ns2_tcp("reno", Recovery::Sack);
    let (ecn_feedback, ect) = (controller.ecn_feedback(), controller.ect());
    let config = Config { ecn: true, ecn_feedback, ect, ..plain.config };
    let tcp = TcpSpec { controller, config };
    let (rate, access) = (Rate::from_bits_per_s(100 * MBIT), Rate::from_bits_per_s(1_000 * MBIT));
    let mut network = dumbbell(rate, ms(12), 400, access, tcp, ms(20_000), ms(10_000));
    let place = network.links.iter().position(|link| &*link.name == "1-2").expect("a bottleneck");
    let config = &mut network.links[place].config;
    let limit = Limit::Packets(400);
    let marking = ThresholdConfig { limit, mark_above: MarkAbove::Packets(above) };
    let queue = QueueConfig::Threshold(marking);
    *config = LinkConfig { queue, ecn_path, ..(**config).clone() }.into();
    run(&network).expect("a network").links.swap_remove(place)
}

#[test]
fn dctcp_fills_a_link_that_marks_above_a_sixth_of_its_pipe_and_reno_does_not() {
    let (dctcp, reno) = (bottleneck("dctcp", 17), bottleneck("reno", 17));
    assert!(dctcp.utilization > 0.99, "{dctcp:?}");
    assert!(reno.utilization < 0.95, "{reno:?}");
    assert_eq!(dctcp.dropped_overflow, 0);
}

#[test]
fn a_mark_on_every_packet_holds_a_sender_at_its_least_window() {
    // Two of 100 packets, and what grows within a round-trip time.
    let marked = changing("reno", 17, Some(EcnPath::MarkAll));
    assert!(marked.utilization < 0.1, "{marked:?}");
    assert_eq!((marked.dropped_overflow, marked.marked), (0, 0), "the queue has no part in it");
}

#[test]
fn a_sender_hears_of_a_queue_within_a_tunnel_by_marks_or_by_its_overflow() {
    let copied = changing("reno", 17, None);
    assert!(copied.marked > 0 && copied.dropped_overflow == 0, "{copied:?}");
    let forgotten = changing("reno", 17, Some(EcnPath::TunnelForget));
    assert!(forgotten.marked > 0 && forgotten.dropped_overflow > 0, "{forgotten:?}");
    let hidden = changing("reno", 17, Some(EcnPath::TunnelHide));
    assert!(hidden.marked == 0 && hidden.dropped_overflow > 0, "{hidden:?}");
}
