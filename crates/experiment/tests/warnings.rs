//! Warnings about an experiment.

use std::path::Path;

use westwood_experiment::judgement::warnings;
use westwood_experiment::run::GridReport;
use westwood_scenario::file::Scenario;

/// The warnings about a scenario whose dumbbell has these settings, before anything ran.
fn warned(cc: &str, dumbbell: &str) -> Vec<String> {
    let path = "rate = \"10 Mbit/s\"\nrtt = \"40 ms\"";
    let text = format!("cc = [{cc}]\ntime = \"20 s\"\nseeds = 2\n[dumbbell]\n{path}\n{dumbbell}");
    let read = |_: &Path| Err("no file is needed".to_owned());
    let scenario =
        Scenario::parse("f.toml", &text, &[], &read).unwrap_or_else(|error| panic!("{error}"));
    let empty = serde_json::json!({
        "schema": "westwood.run/1", "version": "", "name": "", "about": null, "axes": [], "seeds": [],
        "runs": [], "points": [],
    });
    let report: GridReport = serde_json::from_value(empty).unwrap();
    warnings(&scenario, &report)
}

#[test]
fn a_loss_of_exactly_a_fifth_is_heavy() {
    let of = |loss: &str| warned("\"reno\"", &format!("loss = {loss}")).join(" ");
    assert!(of("0.2").contains("was 0.2 % meant?"), "{}", of("0.2"));
    let text = of("\"20 %\"");
    assert!(text.contains("20 % of the packets are lost at random: TCP lives"), "{text}");
    assert_eq!(of("\"19.9 %\""), "");
}

#[test]
fn an_aqm_that_drops_is_no_queue_that_marks() {
    let of = |aqm: &str| warned("\"dctcp\", \"reno\"", &format!("aqm = \"{aqm}\"")).join(" ");
    for name in ["red", "codel", "fq_codel", "cobalt", "cake", "pie", "fq_pie"] {
        let text = of(name);
        assert!(
            text.contains("dctcp slows down by ECN marks, and no packet here is marked"),
            "{name}: {text}"
        );
        assert_eq!(of(&format!("{name}(ecn=on)")), "", "{name}");
    }
    assert_eq!(of("threshold(mark=20)"), "");
    assert_eq!(of("dualpi2"), "");
    let with_ecn = |aqm: &str, ecn: bool| {
        warned("\"dctcp\"", &format!("aqm = \"{aqm}\"\n[tcp]\necn = {ecn}")).join(" ")
    };
    assert_eq!(with_ecn("fq_codel", true), "");
    for (aqm, ecn) in [("fq_codel(ecn=off)", true), ("droptail", true), ("codel(ecn=on)", false)] {
        assert!(with_ecn(aqm, ecn).contains("no packet here is marked"), "{aqm}");
    }
}

#[test]
fn losses_that_a_link_repairs_are_not_heavy() {
    let of = |repair: &str| warned("\"reno\"", &format!("loss = \"30 %\"\n{repair}")).join(" ");
    assert!(of("").contains("TCP lives on its timeouts there"), "{}", of(""));
    assert_eq!(of("arq = \"in-order(tries=6,delay=8ms)\""), "");
    assert_eq!(of("fec = \"in-order(k=10,n=20)\""), "");
    // Of 23 others 4 are lost in 95 % of all blocks, and then the packet is.
    let few = of("fec = \"in-order(k=20,n=24)\"");
    assert!(few.contains("28 % of the packets are lost at random"), "{few}");
    // Seven of ten are lost, and seven of ten of their repeats.
    let text =
        warned("\"reno\"", "loss = \"70 %\"\narq = \"in-order(tries=1,delay=8ms)\"").join(" ");
    assert!(text.contains("49 % of the packets are lost at random"), "{text}");
}

#[test]
fn waiting_times_of_queues_that_keep_flows_apart_are_not_those_under_test_alone() {
    let of = |aqm: &str, more: &str| {
        warned("\"reno\"", &format!("aqm = \"{aqm}\"\n{more}"))
            .join(" ")
            .contains("keeps flows apart")
    };
    let rival = "against_flows = 1\nagainst_cc = \"cubic\"\n";
    for aqm in ["fq_codel", "fq_pie", "cake", "dualpi2"] {
        assert!(of(aqm, rival), "{aqm}");
        assert!(!of(aqm, ""), "{aqm} without others");
    }
    assert!(!of("codel", rival) && !of("droptail", rival));
}
