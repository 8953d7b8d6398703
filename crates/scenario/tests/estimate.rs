//! The estimate of a run's packets.

use std::path::Path;

use westwood_cc::Duration;
use westwood_scenario::file::{CostEstimate, Scenario};

/// Packets of 1,000 bytes that the estimate counts, over 8 s.
fn packets(rest: &str) -> u128 {
    let text = format!(
        "cc = \"reno\"\ntime = \"8 s\"\nwarmup = \"0 s\"\n[tcp]\npacket = \"1 kB\"\n{rest}"
    );
    let none = |file: &Path| Err(format!("no file {}", file.display()));
    let scenario =
        Scenario::parse("test.toml", &text, &[], &none).unwrap_or_else(|e| panic!("{e}"));
    scenario.points()[0].estimate.packets
}

/// A link from one node to another.
fn link(from: &str, to: &str, rate: &str) -> String {
    format!(
        "[[link]]\nname = \"{from}{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"5 ms\"\n\
         buffer = \"100 packets\"\n"
    )
}

fn flow(from: &str, to: &str) -> String {
    format!("[[flow]]\nname = \"{from} to {to}\"\nfrom = \"{from}\"\nto = \"{to}\"\n")
}

#[test]
fn a_link_carries_what_the_narrowest_link_of_its_flows_lets_through() {
    let path = link("a", "b", "100 Mbit/s") + &link("b", "c", "1 Mbit/s");
    assert_eq!(packets(&(path + &flow("a", "c"))), 1_000 + 1_000);
}

#[test]
fn flows_with_links_of_their_own_fill_the_common_one() {
    let path = link("a", "b", "3 Mbit/s")
        + &link("b", "c", "1 Mbit/s")
        + &link("b", "d", "1 Mbit/s")
        + &link("b", "e", "10 Mbit/s");
    let flows = flow("a", "c") + &flow("a", "d");
    assert_eq!(packets(&(path.clone() + &flows)), 2_000 + 1_000 + 1_000);
    // Each flow counts as if it were alone on the common link.
    assert_eq!(packets(&(path + &flows + &flow("a", "e"))), 3_000 + 1_000 + 1_000 + 3_000);
}

#[test]
fn what_applications_begin_counts_where_it_is_more_than_links_carry() {
    let begun = |application: &str| {
        packets(&(link("a", "b", "1 Mbit/s") + &flow("a", "b") + application + "\n"))
    };
    // 80 Mbit/s of datagrams of 1,000 bytes, all but 1,000 of which the queue drops.
    assert_eq!(begun("udp = { rate = \"80 Mbit/s\" }"), 80_000);
    assert_eq!(begun("udp = { rate = \"500 kbit/s\" }"), 500);
    assert_eq!(begun("short_flows = { every = \"exponential(1 ms)\", size = \"1 kB\" }"), 8_000);
    assert_eq!(begun("short_flows = { every = \"1 s\", size = \"1 kB\" }"), 1_000);
    assert_eq!(begun("on_off = { on = \"1 ms\", off = \"uniform(0.5 ms, 1.5 ms)\" }"), 8_000);
}

#[test]
fn flows_count_from_their_start_to_their_stop() {
    let begun = |active: &str| {
        let phases = "on_off = { on = \"1 ms\", off = \"1 ms\" }\n";
        packets(&(link("a", "b", "1 Mbit/s") + &flow("a", "b") + phases + active))
    };
    assert_eq!(begun(""), 8_000);
    assert_eq!(begun("start = \"6 s\"\n"), 2_000);
    assert_eq!(begun("active = [\"1 s to 2 s\", \"6 s to 7 s\"]\n"), 2_000);
    let plain = |active: &str| packets(&(link("a", "b", "1 Mbit/s") + &flow("a", "b") + active));
    assert_eq!(plain("start = \"6 s\"\n"), 250);
}

#[test]
fn the_packets_of_a_beginning_are_those_of_the_flows_that_have_started() {
    let text = format!(
        "cc = \"reno\"\ntime = \"8 s\"\nseeds = 1\n{}{}start = \"4 s\"\n\
         on_off = {{ on = \"1 us\", off = \"1 us\" }}\n",
        link("a", "b", "1 Mbit/s"),
        flow("a", "b")
    );
    let none = |file: &Path| Err(format!("no file {}", file.display()));
    let scenario = Scenario::parse("test.toml", &text, &[], &none).unwrap();
    let point = &scenario.points()[0];
    let built = scenario.build(point, 1).unwrap();
    let until = |s: u64| CostEstimate::packets_until(&built, Duration::from_secs(s));
    assert_eq!([until(0), until(4), until(5)], [0, 0, 1_000_000]);
    assert_eq!(until(8), point.estimate.packets);
}
