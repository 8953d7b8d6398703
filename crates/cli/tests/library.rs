//! The scenarios that come with the program.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use support::{Folder, root};
use westwood_scenario::library::{LIBRARY, LibraryScenario, PAPERS, all, traces};

/// The time that each is shortened to here, in simulated time: at most a few ten thousand packets.
/// Events late in a run are checked before it begins.
const SHORT: [(&str, &str); 21] = [
    ("satellite-geo", "20 s"),
    ("satellite-meo", "3 s"),
    ("satellite-leo", "5 s"),
    ("lte-walk", "10 s"),
    ("wifi-bursts", "8 s"),
    ("transoceanic-10g", "2 s"),
    ("dsl-bufferbloat", "20 s"),
    ("data-center", "2 s"),
    ("tcpeval-data-center", "200 ms"),
    ("tcpeval-access-link", "4 s"),
    ("tcpeval-trans-oceanic", "2 s"),
    ("tcpeval-geo-satellite", "12 s"),
    ("tcpeval-wireless-lan", "40 s"),
    ("tcpeval-dial-up", "4000 s"),
    ("tcpeval-delay-throughput", "2 s"),
    ("tcpeval-ramp-up", "30 s"),
    ("tcpeval-transients", "80 s"),
    ("tcpeval-impact", "20 s"),
    ("tcpeval-fairness", "25 s"),
    ("tcpeval-rtt-fairness", "25 s"),
    ("tcpeval-parking-lot", "3 s"),
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"))
}

fn files(ending: &str) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
}

#[test]
fn the_library_is_the_folder() {
    let listed: BTreeSet<String> = LIBRARY.iter().map(|ready| ready.name.to_owned()).collect();
    assert_eq!(listed, files(".toml"));
    let made: BTreeSet<String> = traces().map(|(file, _)| file.replace(".trace", "")).collect();
    assert_eq!(made, files(".trace"));
}

#[test]
fn the_page_lists_every_scenario_with_what_its_file_says() {
    let page = include_str!("../../../docs/reference/ready-scenarios.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| [")).collect();
    let file = |name: &str, path: &str| {
        format!("[{name}](https://github.com/westwood-cc/westwood/blob/main/{path}.toml)")
    };
    let row = |ready: &LibraryScenario| {
        let name = ready.name;
        let file = file(name, &format!("scenarios/{name}"));
        format!("| {file} | {} | {} |", ready.about(), ready.takes())
    };
    let paper = |ready: &LibraryScenario| {
        let (paper, experiment) = ready.name.rsplit_once('-').unwrap();
        let file = file(ready.name, &format!("papers/{paper}/{experiment}"));
        format!("| {file} | {} |", ready.about())
    };
    let expected: Vec<_> = LIBRARY.iter().map(row).chain(PAPERS.iter().map(paper)).collect();
    assert_eq!(rows, expected, "\n{}", expected.join("\n"));
}

#[test]
fn a_scenario_that_is_shown_is_its_file_and_runs() {
    let folder = Folder::new();
    for ready in all() {
        let run = folder.run(&["show", ready.name]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ready.text), "{}", ready.name);
    }
    let run = folder.run(&["show", "lte-walk"]);
    folder.write("mine.toml", &run.stdout);
    assert!(run.stderr.contains("westwood show lte-walk.trace > lte-walk.trace"), "{}", run.stderr);
    for trace in ["lte-walk.trace", "lte-walk-up.trace"] {
        folder.write(trace, &folder.run(&["show", trace]).stdout);
    }
    let run = folder.run(&["run", "mine.toml", "--set", "time=10s", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.run(&["show", "satelite-geo"]);
    assert_eq!(run.code, Some(2));
    let said = "error: show: unknown ready scenario 'satelite-geo'; did you mean 'satellite-geo'?";
    assert!(run.stderr.starts_with(said), "{}", run.stderr);
}

#[test]
fn every_path_of_the_papers_is_listed_and_can_be_run_as_it_is() {
    let folder = Folder::new();
    let listed = folder.run(&["list", "scenarios"]).stdout;
    let papers = root().join("papers");
    for ready in PAPERS {
        assert!(listed.contains(&format!("  {} ", ready.name)), "{}", ready.name);
        assert!(ready.about().len() > 20, "{}", ready.name);
        let run = folder.run(&["run", ready.name, "--dry-run"]);
        assert_eq!(run.code, Some(0), "{}: {}", ready.name, run.stderr);
    }
    let folders = std::fs::read_dir(papers).unwrap().map(|entry| entry.unwrap());
    for paper in folders.filter(|entry| entry.file_type().unwrap().is_dir()) {
        let key = paper.file_name().into_string().unwrap();
        let begins = |ready: &LibraryScenario| ready.name.starts_with(&format!("{key}-"));
        assert!(PAPERS.iter().any(begins), "{key}");
    }
}

#[test]
fn every_file_says_what_it_is_how_much_it_takes_and_where_its_numbers_come_from() {
    let folder = Folder::new();
    for ready in LIBRARY {
        let name = ready.name;
        assert!(ready.about().len() > 20, "{name}");
        let estimate = folder.run(&["run", name, "--dry-run"]).stdout;
        let estimate = estimate.split_whitespace().collect::<Vec<&str>>().join(" ");
        let takes = ready.takes();
        let is_said = takes.ends_with(" packets") && estimate.contains(&format!(", {takes}, "));
        assert!(is_said, "{name} takes {takes}: {estimate}");
        let head: String = ready.text.lines().take_while(|l| l.starts_with('#')).collect();
        for part in ["# Numbers", "# Look at", "# Takes"] {
            assert!(head.contains(part), "{name}: {part}");
        }
        assert!(ready.text.lines().all(|l| l.chars().count() <= 110), "{name}: a long line");
    }
}

#[test]
fn every_scenario_stands_on_the_hosts_of_compare() {
    for ready in LIBRARY {
        assert!(ready.text.contains("\nlike = \"linux\"\n"), "{}", ready.name);
        assert!(!ready.text.contains("recovery"), "{}: the preset says it", ready.name);
    }
}

#[test]
fn the_traces_are_what_the_generator_makes() {
    for (file, text) in traces() {
        let written = std::fs::read_to_string(folder().join(file)).unwrap();
        assert!(
            written == text,
            "write {file} anew: cargo run -p westwood-scenario --example lte_trace"
        );
    }
}

#[test]
fn every_scenario_runs_by_its_name() {
    let folder = Folder::new();
    for (name, time) in SHORT {
        let (time, warmup) = (format!("time={time}"), "warmup=0 s");
        let short = ["--set", &time, "--set", warmup, "--seeds", "1", "--json", "-"];
        let run = folder.run(&[&["run", name], &short[..], &only(name)].concat());
        // In a shortened run transfers may be cut off.
        let cut_off = run.stderr.contains("not every transfer under test was finished");
        let expected = if cut_off { 5 } else { 0 };
        assert_eq!(run.code, Some(expected), "{name}: {}", run.stderr);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["name"], name);
        for run in report["runs"].as_array().unwrap() {
            sensible(name, run);
        }
    }
    assert_eq!(SHORT.map(|(name, _)| name).to_vec(), names());
}

/// Two controllers are enough here; the others differ in nothing that a file can get wrong.
fn only(name: &str) -> Vec<&'static str> {
    match name {
        "tcpeval-transients" => {
            vec!["--set", "cc=reno-linux", "--set", "link.central.rate=1 Mbit/s"]
        }
        "satellite-meo" => vec!["--set", "cc=reno-linux,bbr", "--set", "change.1.at=1 s"],
        "satellite-leo" => {
            vec![
                "--set",
                "cc=reno-linux,bbr",
                "--set",
                "change.1.at=1 s",
                "--set",
                "change.2.at=2 s",
            ]
        }
        _ => vec!["--set", "cc=reno-linux,bbr"],
    }
}

fn names() -> Vec<&'static str> {
    LIBRARY.iter().map(|ready| ready.name).collect()
}

/// Every group got something through, no link carried more than it can, and no RTT is below the
/// path's.
fn sensible(name: &str, run: &serde_json::Value) {
    assert!(run["error"].is_null(), "{name}: {run}");
    for group in run["groups"].as_array().unwrap() {
        let goodput = group["goodput_bps"].as_f64().unwrap();
        assert!(goodput > 0.0, "{name}: nothing arrived for {}", group["name"]);
    }
    for link in run["links"].as_array().unwrap() {
        let used = link["utilization"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&used), "{name}: {} is busy for {used}", link["name"]);
    }
}

#[test]
fn the_list_has_names_summaries_and_packets() {
    let run = Folder::new().run(&["list", "scenarios"]);
    assert_eq!(run.code, Some(0));
    for ready in LIBRARY {
        assert!(run.stdout.contains(ready.name), "{}", ready.name);
    }
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains(&format!("({})", LIBRARY[0].takes())), "{}", run.stdout);
    let json = Folder::new().run(&["list", "scenarios", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &json["scenarios"][0];
    assert_eq!(first["name"], "satellite-geo");
    assert_eq!(first["takes"], LIBRARY[0].takes());
}

#[test]
fn a_file_goes_before_a_ready_scenario_of_the_same_name() {
    let folder = Folder::new();
    folder.write("satellite-geo", "this is no scenario");
    let run = folder.run(&["run", "satellite-geo", "--dry-run"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("satellite-geo:1:"), "{}", run.stderr);
}

#[test]
fn a_wrong_name_gets_the_nearest_and_a_wrong_path_none() {
    let folder = Folder::new();
    let wrong = |name: &str| {
        let run = folder.run(&["run", name]);
        assert_eq!(run.code, Some(2), "{name}");
        run.stderr
    };
    let text = wrong("satelite-geo");
    assert!(
        text.contains("there is no file of this name: unknown ready scenario 'satelite-geo'"),
        "{text}"
    );
    assert!(text.contains("did you mean 'satellite-geo'?"), "{text}");
    let text = wrong("moon");
    assert!(
        text.contains("there are") && text.contains("more; westwood list scenarios lists all"),
        "{text}"
    );
    for path in ["satelite-geo.toml", "./satellite-geo"] {
        let text = wrong(path);
        assert!(text.contains("cannot be read"), "{text}");
    }
}
