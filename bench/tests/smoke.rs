//! Every row runs, with next to nothing to simulate. How fast is not asked here.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_westwood-bench"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

#[test]
fn every_row_of_the_simulators_runs_and_delivers_packets() {
    let folder = tempfile::tempdir().expect("a folder of this test");
    let page = folder.path().join("bench.md");
    let path = page.to_string_lossy();
    let rows = ["P1", "P1-reno", "hosts", "P2", "P3", "P4", "P5", "probes"];
    let arguments = ["whole", "--tiny", "--rounds", "1", "--output", &path];
    let output = bench(&[&arguments[..], &rows].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(&page).expect("the page was written");
    for row in rows {
        assert!(text.contains(&format!("\n## {row}\n")), "{row} is missing in\n{text}");
    }
    let delivered = text.lines().filter(|l| l.ends_with(" packets/s |"));
    let delivered: Vec<_> = delivered.map(|l| l.split(" | ").nth(5)).collect();
    assert!(delivered.len() >= 10, "lines are missing in\n{text}");
    assert!(!delivered.contains(&Some("0")), "something delivered nothing:\n{text}");
}

#[test]
fn a_row_that_does_not_exist_is_refused_with_those_that_do() {
    let output = bench(&["whole", "P9"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`P9`") && said.contains("P1, P1-reno"), "{said}");
}

#[test]
fn every_part_runs() {
    for part in westwood_bench::parts::all() {
        part.build()();
    }
}
