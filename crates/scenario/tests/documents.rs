//! The documents on scenario files are true.

use std::path::Path;

use westwood_scenario::file::{Scenario, documents};

#[test]
fn the_page_is_what_the_program_says_of_itself() {
    let page = include_str!("../../../docs/reference/scenarios.md");
    assert!(
        page == documents(),
        "write it anew: westwood schema --markdown > docs/reference/scenarios.md"
    );
}

#[test]
fn every_example_of_the_page_is_a_scenario() {
    let page = documents();
    let examples: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|s| s.split("```").next()).collect();
    assert!(examples.len() >= 5);
    for text in examples {
        let read = |_: &Path| Err("no file is needed".to_owned());
        let scenario = Scenario::parse("example", text, &[], &read);
        assert!(scenario.is_ok_and(|s| !s.points().is_empty()), "{text}");
    }
}
