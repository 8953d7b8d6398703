//! `westwood reproduce` with a paper of one short experiment.

#[cfg(feature = "kernel")]
#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;
#[cfg(feature = "kernel")]
#[path = "../../kernel/tests/common/turn.rs"]
mod turn;

use serde_json::Value;
use support::{Folder, checked_links};

const PAPER: &str = r#"
title = "On small things"
authors = "Nobody"
year = 2000
[[experiment]]
name = "one"
about = "One flow"
[[figure]]
id = "1"
title = "cwnd"
experiment = "one"
x = "time (s)"
y = "segments"
[[figure.line]]
name = "reno"
value = 'cwnd()'
"#;

const CLAIMS: &str = r#"
[[claim]]
id = "S-1"
figure = "1"
experiment = "one"
statement = "One flow fills most of the link."
confidence = "firm"
kind = "bound"
measure = 'goodput() / 4e6'
expected = 0.5
op = ">="
why = "a test"
"#;

fn papers() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().join("papers/small")).unwrap();
    folder.write("papers/small/paper.toml", PAPER);
    folder.write("papers/small/claims.toml", CLAIMS);
    let scenario = "cc = \"reno\"\ntime = \"20 s\"\nwarmup = \"0 s\"\nseeds = 1\n\
                    dumbbell = { rate = \"4 Mbit/s\", rtt = \"40 ms\" }\n";
    folder.write("papers/small/one.toml", scenario);
    folder
}

#[test]
fn a_claim_runs_what_it_needs_and_is_shown_in_full() {
    let folder = papers();
    let run = folder.run(&[
        "reproduce",
        "s-1",
        "--papers",
        "papers",
        "--fresh",
        "--quiet",
        "--json",
        "c.json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(json["claims"].as_array().unwrap().len(), 1);
    let run = folder.run(&["reproduce", "S-1", "--papers", "papers", "--fresh"]);
    assert!(run.stdout.starts_with("S-1: holds\n"), "{}", run.stdout);
    for said in ["One flow fills most of the link.", "at least 0.5", "goodput() / 4e6", "a test"] {
        assert!(run.stdout.contains(said), "{said} in {}", run.stdout);
    }
    let run = folder.run(&["reproduce", "S-2", "--papers", "papers", "--fresh"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("unknown claim 'S-2'; did you mean 'S-1'?"), "{}", run.stderr);
}

#[test]
fn claims_are_listed_by_paper_and_as_json() {
    let folder = Folder::new();
    let run = folder.run(&["list", "claims", "westwood-plus-2004"]);
    assert!(run.stdout.contains("WP04-F15-1") && !run.stdout.contains("W02-"), "{}", run.stdout);
    let run = folder.run(&["list", "claims", "--json"]);
    let all: Value = serde_json::from_str(&run.stdout).unwrap();
    let formula = |claim: &&Value| claim["basis"] == "formula";
    assert!(all.as_array().unwrap().iter().filter(formula).count() >= 10);
    let run = folder.run(&["list", "claims", "westwood-2003"]);
    assert!(
        run.code == Some(2) && run.stderr.contains("did you mean 'westwood-2002'?"),
        "{}",
        run.stderr
    );
    let run = folder.run(&["list", "losses", "westwood-2002"]);
    assert!(
        run.code == Some(2) && run.stderr.contains("list claims westwood-2002"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_paper_gives_verdicts_pages_a_scoreboard_and_json() {
    let folder = papers();
    let run = folder.run(&[
        "reproduce",
        "--papers",
        "papers",
        "--cache",
        "kept",
        "--html",
        "pages",
        "--json",
        "v.json",
        "--markdown",
        "page.md",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("S-1          holds"), "{}", run.stdout);
    let json: Value = serde_json::from_str(&folder.read("v.json")).unwrap();
    assert_eq!(json["schema"], "westwood.reproduce/1");
    assert_eq!(json["claims"][0]["verdict"], "holds");
    assert!(folder.read("page.md").contains("| S-1 | 1 | One flow fills"));
    assert!(folder.read("pages/small.html").contains("<svg"));
    assert!(folder.read("pages/figures/small-1.svg").contains("cwnd"));
    assert!(folder.read("pages/index.html").contains("small.html"));
    let playground = folder.read("pages/playground.html");
    assert!(playground.contains("id=\"engine\">H4sI") && !playground.contains("id=\"experiment\""));
    let links = checked_links(&folder.path().join("pages"));
    assert_eq!((links.code, links.stderr.as_str()), (Some(0), ""), "{links:?}");
    let page = folder.read("pages/claims/S-1.html");
    let (_, rest) = page.split_once("class=\"press\" href=\"../").unwrap();
    let link = rest.split('"').next().unwrap();
    let run = |which| folder.run(&["run", which, "--json", "-", "--quiet"]);
    let (file, linked) = (run("papers/small/one.toml"), run(link));
    let renamed = file.stdout.replacen("\"name\": \"one\"", "\"name\": \"experiment\"", 1);
    assert!(linked.code == Some(0) && renamed == linked.stdout, "{:.300}", linked.stdout);
}

#[test]
fn kept_runs_give_the_same_verdicts_without_being_run_again() {
    let folder = papers();
    let line = ["reproduce", "small/one", "--papers", "papers", "--cache", "kept", "--json", "-"];
    let first = folder.run(&line);
    let kept = std::fs::read_dir(folder.path().join("kept")).unwrap().next().unwrap().unwrap();
    let lines = || std::fs::read_to_string(kept.path()).unwrap().lines().count();
    assert_eq!((first.code, lines()), (Some(0), 1));
    let second = folder.run(&line);
    assert_eq!((second.code, lines()), (Some(0), 1), "nothing is added");
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn what_cannot_be_is_said_in_a_line_with_exit_code_2() {
    let folder = papers();
    folder.write("page", "a file");
    std::fs::create_dir_all(folder.path().join("empty/small")).unwrap();
    folder.write("empty/small/paper.toml", PAPER);
    folder.write("empty/small/claims.toml", "");
    folder.write("empty/small/one.toml", &folder.read("papers/small/one.toml"));
    for (arguments, text) in [
        (
            &["reproduce", "--papers", "empty"][..],
            "the folder of papers has no claim; write one into claims.toml",
        ),
        (&["reproduce", "nothing"], "unknown paper 'nothing'"),
        (&["reproduce", "smal", "--papers", "papers"], "did you mean 'small'?"),
        (&["reproduce", "small/two", "--papers", "papers"], "unknown experiment 'two'"),
        (
            &["reproduce", "westwood-10g-2005", "--on", "linux"],
            "nothing of 'westwood-10g-2005' runs on Linux; leave out --on linux",
        ),
        (&["reproduce", "--papers", "nowhere"], "--papers: 'nowhere' cannot be read"),
        (&["reproduce", "--papers", "papers", "--html", "page"], "--html: 'page' is a file"),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?} {}", run.stderr);
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
}

const ON_LINUX: &str = r#"
[[experiment]]
name = "real"
about = "Hosts"
on = "linux"
"#;

/// The small paper with a claim about an estimate that only the kernel's program knows.
fn papers_on_linux() -> Folder {
    let folder = papers();
    folder.write(
        "papers/small/paper.toml",
        &PAPER.replace("\n[[figure]]", &format!("{ON_LINUX}\n[[figure]]")),
    );
    let linux = "untestable = \"hosts\"\n[claim.linux]\nexperiment = \"real\"\n\
                 measure = 'bwe(cc=\"westwood+\", from=2, stat=\"mean\") / 4e6'\n";
    folder.write("papers/small/claims.toml", &format!("{CLAIMS}{linux}"));
    let scenario = "cc = [\"westwood+\", \"reno\"]\ntime = \"4 s\"\nwarmup = \"0 s\"\nseeds = 1\n\
                    dumbbell = { rate = \"4 Mbit/s\", rtt = \"40 ms\" }\n";
    folder.write("papers/small/real.toml", scenario);
    folder
}

#[cfg(feature = "kernel")]
#[test]
fn on_linux_the_kernels_own_estimate_is_measured_and_kept_with_its_kernel() {
    let _turn = turn::turn();
    let flags =
        ["reproduce", "--on", "linux", "--papers", "papers", "--cache", "kept", "--json", "-"];
    let share = || {
        let folder = papers_on_linux();
        let run = folder.run(&[&flags[..], &["--bound", "10s"]].concat());
        if run.code == Some(4) {
            judged::skipped(&run.stderr);
            return Ok(None);
        }
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let json: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&json["on"], json["claims"].as_array().unwrap().len()), (&"linux".into(), 1));
        let share = json["claims"][0]["measured"].as_f64().unwrap();
        assert!(share > 0.0, "{share}");
        let on = json["measured_on"][0].as_str().unwrap();
        assert!(on.starts_with("Linux ") && on.ends_with(", --bound 10 s"), "{on}");
        // Kept runs need no kernel, and are not taken for runs under the usual bound.
        let kept = folder.run(&[&flags[..], &["--bound", "10s", "--kept"]].concat());
        assert_eq!((kept.code, kept.stdout), (Some(0), run.stdout));
        let usual = folder.run(&[&flags[..], &["--kept"]].concat());
        let usual: Value = serde_json::from_str(&usual.stdout).unwrap();
        assert_eq!(usual["claims"].as_array().unwrap().len(), 0, "{usual}");
        let file = std::fs::read_dir(folder.path().join("kept")).unwrap().next().unwrap().unwrap();
        for line in std::fs::read_to_string(file.path()).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            support::punctual(&line["record"]["summary"], 400.0, 20_000.0)?;
        }
        Ok(Some(share))
    };
    judged::judged(share, |share| match share {
        Some(share) => judged::within("of 4 Mbit/s", *share, 0.7..1.05),
        None => Ok(()),
    });
}

#[cfg(not(feature = "kernel"))]
#[test]
fn on_linux_a_build_that_cannot_speak_to_the_kernel_says_so() {
    let run =
        papers_on_linux().run(&["reproduce", "--on", "linux", "--papers", "papers", "--fresh"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("--features kernel"), "{}", run.stderr);
    assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
}
