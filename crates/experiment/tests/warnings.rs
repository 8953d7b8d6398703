//! Warnings about an experiment.

use std::path::Path;

use westwood_experiment::judgement::warnings;
use westwood_experiment::run::GridReport;
use westwood_scenario::file::Scenario;

/// The warnings about a scenario whose dumbbell has these settings, before anything ran.
fn warned(cc: &str, dumbbell: &str) -> Vec<String> {
    let text = format!(
        "cc = [{cc}]\ntime = \"20 s\"\nseeds = 2\n[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"40 ms\"\n{dumbbell}"
    );
    let read = |_: &Path| Err("no file is needed".to_owned());
    let scenario =
        Scenario::parse("f.toml", &text, &[], &read).unwrap_or_else(|error| panic!("{error}"));
    let empty = serde_json::json!({
        "schema": "westwood.run/1", "version": "", "name": "", "about": null, "axes": [], "seeds": [],
        "runs": [], "points": [],
    });
    let report: GridReport = serde_json::from_value(empty).unwrap();
    warnings(&scenario, &report).iter().map(ToString::to_string).collect()
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
            text.contains("dctcp slows down by ECN marks, and no queue here marks"),
            "{name}: {text}"
        );
        assert_eq!(of(&format!("{name}(ecn=on)")), "", "{name}");
    }
    assert_eq!(of("threshold(mark=20)"), "");
    assert_eq!(of("dualpi2"), "");
}
