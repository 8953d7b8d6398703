//! `westwood evaluate` with criteria of one short scenario.

mod support;

use serde_json::Value;
use support::{Folder, checked_links};

const CRITERIA: &str = r#"
title = "Small criteria"
source = "a test"
references = ["cubic", "reno"]

[[criterion]]
section = "1.1"
title = "Use"
requirement = "MUST"
says = "The link MUST be used."
asks = "Is the link used?"
[[criterion.test]]
scenario = "small"
measure = "utilization"
threshold = "half"
about = "At least half of the link is used."
[[criterion.test]]
scenario = "small"
measure = "goodput"
beside = ["cubic", "reno"]
threshold = "nearly"
about = "As much as CUBIC and Reno, nearly."

[[criterion]]
section = "1.2"
title = "Silence"
requirement = "SHOULD"
says = "Nothing SHOULD be sent."
asks = "Is nothing sent?"
[[criterion.test]]
scenario = "small"
measure = "sent_per_rtt"
threshold = "nothing"
about = "Nothing is sent."

[[criterion]]
section = "2"
title = "Words"
requirement = "should"
says = "It should be explained."
asks = "Is it explained?"
not_applicable = "this asks for words"
answered_by_text = true
"#;

const THRESHOLDS: &str = r#"
[half]
of = "value"
at_least = 0.5
why = "a test"
source = "a test"

[nearly]
of = "ratio"
at_least = 0.5
why = "a test"
source = "a test"

[nothing]
of = "value"
at_most = 0
why = "a test"
source = "a test"
"#;

const SCENARIO: &str = "cc = \"cubic\"\ntime = \"5 s\"\nwarmup = \"1 s\"\n\
                        dumbbell = { rate = \"4 Mbit/s\", rtt = \"40 ms\", flows = 2 }\n";

fn criteria() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    folder.write("own/criteria.toml", CRITERIA);
    folder.write("own/thresholds.toml", THRESHOLDS);
    folder.write("own/small.toml", SCENARIO);
    folder
}

const CARD: [&str; 8] =
    ["evaluate", "rfc9743", "--criteria", "own", "--cache", "kept", "--cc", "westwood+"];

#[test]
fn a_card_has_verdicts_numbers_seeds_scenario_and_command() {
    let folder = criteria();
    let outputs = ["--json", "card.json", "--html", "card.html", "--markdown", "card.md"];
    let run = folder.run(&[&CARD[..], &outputs].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("1.1    MUST   pass"), "{}", run.stdout);
    assert!(run.stdout.contains("1.2    SHOULD fail"), "{}", run.stdout);
    assert!(run.stdout.contains("3 criteria: 1 pass, 1 fail, 0 undecided, 1 not applicable."));
    // One seed of a random network decides nothing.
    let look = "undecided after 1 seed; 8 seeds are next";
    assert!(run.stderr.contains(look), "{}", run.stderr);
    let cards: Value = serde_json::from_str(&folder.read("card.json")).unwrap();
    // On stdout it is the same, and alone there.
    let alone = folder.run(&[&CARD[..], &["--json", "-"]].concat());
    assert_eq!((alone.code, &alone.stdout), (Some(0), &folder.read("card.json")));
    let card = &cards[0];
    assert_eq!(card["schema"], "westwood.card/1");
    let cells = &card["criteria"][0]["tests"][1]["cells"];
    let beside: Vec<&str> =
        cells.as_array().unwrap().iter().map(|cell| cell["beside"].as_str().unwrap()).collect();
    assert_eq!(beside, ["cubic", "reno"]);
    let seeds = cells[0]["seeds"].as_array().unwrap().len();
    assert!([8, 16, 32, 64].contains(&seeds), "{seeds}");
    assert_eq!(cells[0]["values"].as_array().unwrap().len(), seeds);
    assert_eq!(cells[0]["beside_values"].as_array().unwrap().len(), seeds);
    let page = folder.read("card.html");
    for said in ["westwood+", "4 Mbit/s", "westwood run DIR/small.toml", "<details", "Goodput"] {
        assert!(page.contains(said), "{said}");
    }
    // Every setting's link leads to its curves, its seeds and its command.
    for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
    }
    let command = cells[0]["command"].as_str().unwrap();
    assert!(command.contains("--set 'cc=westwood+,cubic'"), "{command}");
    let markdown = folder.read("card.md");
    assert!(markdown.contains("| 1.2 | Silence | SHOULD | fail |"), "{markdown}");
    let version = concat!("\n\nWestwood ", env!("CARGO_PKG_VERSION"), ".\n\n|");
    assert!(markdown.contains(version), "{markdown}");
    // A setting that the scenario does not name has the scenario's name.
    for text in [&markdown, &run.stdout, &page] {
        assert!(text.contains("small, as it stands: "), "{text}");
    }
}

#[test]
fn a_part_is_corrected_for_the_whole_examination() {
    let folder = criteria();
    let card = |flags: &[&str]| -> Value {
        let run = folder.run(&[&CARD[..], &["-q", "--json", "card.json"], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        serde_json::from_str::<Value>(&folder.read("card.json")).unwrap()[0].clone()
    };
    let (whole, part) = (card(&[]), card(&["--only", "1.1"]));
    assert_eq!(part["statements"], whole["statements"]);
    assert_eq!(part["criteria"].as_array().unwrap().len(), 1);
    assert_eq!(part["criteria"][0], whole["criteria"][0]);
}

/// The first link of a page into a playground at this address.
fn first_link(page: &str, address: &str) -> String {
    let (_, rest) = page.split_once(&format!("href=\"{address}#")).expect("a link");
    format!("{address}#{}", rest.split('"').next().unwrap())
}

#[test]
fn a_card_opens_its_settings_in_the_playground_that_is_written_with_it() {
    let folder = criteria();
    let run = folder.run(&[&CARD[..], &["--html", "card.html", "--quiet"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!folder.read("card.html").contains("playground"), "there is none");
    std::fs::create_dir(folder.path().join("to class")).unwrap();
    let outputs = ["--html", "card.html", "--play", "to class/p.html", "--json", "card.json"];
    let run = folder.run(&[&CARD[..], &outputs].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.read("to class/p.html").contains("id=\"engine\">H4sI"));
    let page = folder.read("card.html");
    let link = first_link(&page, "to%20class/p.html");
    let cards: Value = serde_json::from_str(&folder.read("card.json")).unwrap();
    let cells = &cards[0]["criteria"][0]["tests"][1]["cells"];
    let seeds = cells[0]["seeds"].as_array().unwrap().len();
    let about =
        format!(">Open in the playground</a>: westwood+, cubic, reno under {seeds} seeds.<");
    assert!(page.contains(&about), "{about}");
    // The command of the link gives what the card has.
    let linked = folder.run(&["run", &link, "--json", "-", "--quiet"]);
    let linked: Value = serde_json::from_str(&linked.stdout).unwrap();
    let runs = linked["runs"].as_array().unwrap();
    let value = |run: &Value| run["summary"]["goodput_bps"].as_f64().unwrap();
    let of = |point: usize| -> Vec<f64> {
        runs.iter().filter(|run| run["point"] == point).map(value).collect()
    };
    let known = |cell: &Value, name: &str| -> Vec<f64> {
        cell[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    assert_eq!(of(0), known(&cells[0], "values"));
    assert_eq!(of(1), known(&cells[0], "beside_values"));
}

#[test]
fn cards_in_a_folder_have_the_playground_beside_them() {
    let folder = criteria();
    let flags =
        ["evaluate", "rfc9743", "--criteria", "own", "--cache", "kept", "--cc", "reno,vegas"];
    let run = folder.run(&[&flags[..], &["--html", "cards", "--quiet"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.read("cards/playground.html").contains("id=\"engine\">H4sI"));
    for name in ["reno", "vegas"] {
        first_link(&folder.read(&format!("cards/{name}.html")), "playground.html");
    }
    let links = checked_links(&folder.path().join("cards"));
    assert_eq!((links.code, links.stderr.as_str()), (Some(0), ""), "{links:?}");
    let refused = folder.run(&[&CARD[..], &["--play", "p.html"]].concat());
    assert!(refused.code == Some(2) && refused.stderr.contains("--html"), "{}", refused.stderr);
    let linux = ["--html", "c.html", "--play", "p.html", "--on", "linux"];
    let refused = folder.run(&[&CARD[..], &linux].concat());
    assert!(refused.code == Some(2) && refused.stderr.contains("--play"), "{}", refused.stderr);
}

#[test]
fn a_card_goes_on_where_it_was_and_is_the_same() {
    let folder = criteria();
    let json = |flags: &[&str]| {
        let run = folder.run(&[&CARD[..], &["--quiet", "--json", "card.json"], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        folder.read("card.json")
    };
    let first = json(&[]);
    let kept = std::fs::read_dir(folder.path().join("kept")).unwrap();
    for entry in kept {
        // An interruption leaves some runs, the last one cut off.
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    }
    assert_eq!(json(&[]), first);
    assert_eq!(json(&["--jobs", "1"]), first);
}

#[test]
fn a_damaged_cache_is_mended_and_one_that_cannot_be_written_is_refused_at_once() {
    let folder = criteria();
    let card = |cache: &str| {
        let line = [&CARD[..4], &["--cache", cache, "--cc", "westwood+", "--quiet"]].concat();
        folder.run(&[&line[..], &["--json", "-"]].concat())
    };
    let first = card("kept");
    let kept = || std::fs::read_dir(folder.path().join("kept")).unwrap().map(|e| e.unwrap().path());
    for path in kept() {
        let mut bytes = std::fs::read(&path).unwrap();
        // A line that is no text, and a last one that was cut off.
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[first / 2] = 0xff;
        bytes.truncate(bytes.len() - 9);
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(card("kept"), first);
    // Added lines are read again: no run is done a second time.
    let sizes = || kept().map(|path| path.metadata().unwrap().len()).collect::<Vec<_>>();
    let before = sizes();
    assert_eq!((card("kept"), sizes()), (first, before));
    folder.write("a-file", "");
    let mut refused = vec![("a-file", 2, "--cache: 'a-file' is a file; name a folder")];
    if cfg!(target_os = "linux") {
        refused.push(("/proc/self", 4, "--cache: '/proc/self' cannot be written"));
    }
    for (cache, code, part) in refused {
        let run = card(cache);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(part) && run.stderr.lines().count() == 1, "{run:?}");
    }
}

#[test]
fn verdicts_decide_the_exit_code_where_they_are_asked_for() {
    let folder = criteria();
    let code = |flags: &[&str]| folder.run(&[&CARD[..], &["-q"], flags].concat());
    assert_eq!(code(&["--fail-if", "fail"]).code, Some(3));
    assert!(code(&["--fail-if", "fail"]).stderr.contains("westwood+ in 1.2"));
    assert_eq!(code(&["--fail-if", "1.1: fail"]).code, Some(0));
    assert_eq!(code(&["--only", "1.1", "--fail-if", "fail"]).code, Some(0));
    let unknown = code(&["--only", "1.1", "--fail-if", "1.2: fail"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("1.2 is not examined"));
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let folder = criteria();
    for (flags, said) in [
        (&["evaluate", "rfc9742", "--cc", "reno"][..], "unknown document 'rfc9742'"),
        (&["evaluate", "rfc9743"], "--cc"),
        (&["evaluate", "rfc9743", "--cc", "tachyon"], "unknown controller 'tachyon'"),
        (&["evaluate", "rfc9743", "--cc", "reno", "--only", "9.9"], "unknown section '9.9'"),
        (&["evaluate", "rfc9743", "--cc", "reno", "--criteria", "nowhere"], "cannot be read"),
        (&["evaluate", "rfc9743", "--cc", "reno", "--fail-if", "bad"], "unknown verdict 'bad'"),
        (
            &["evaluate", "rfc9743", "--cc", "reno", "--on", "linux", "--cost"],
            "leave out --on linux",
        ),
    ] {
        let run = folder.run(flags);
        assert_eq!(run.code, Some(2), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{said} in {}", run.stderr);
    }
    folder.write("own/small.toml", &SCENARIO.replace("40 ms", "40 miles"));
    let run = folder.run(&CARD);
    assert!(run.code == Some(2) && run.stderr.contains("small.toml:4"), "{}", run.stderr);
}

#[test]
fn an_acks_cost_is_measured_where_it_is_asked_for_and_judges_nothing() {
    let folder = criteria();
    let card = |flags: &[&str]| -> (Value, String) {
        let run = folder.run(&[&CARD[..], &["--json", "card.json"], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let cards: Value = serde_json::from_str(&folder.read("card.json")).unwrap();
        (cards[0].clone(), run.stdout)
    };
    let (without, _) = card(&[]);
    let (mut with, printed) = card(&["--cost"]);
    let cost = with.as_object_mut().unwrap().remove("cost").expect("it was asked for");
    assert_eq!(with, without);
    let of: Vec<&str> =
        cost.as_array().unwrap().iter().map(|c| c["controller"].as_str().unwrap()).collect();
    assert_eq!(of, ["westwood+", "cubic", "reno"]);
    let has_cycles = westwood_experiment::ack_cost::counts_cycles();
    assert!(cost.as_array().unwrap().iter().all(|c| c["cycles"].is_number() == has_cycles));
    assert!(printed.contains("An ACK's cost on this machine now"), "{printed}");
}

#[test]
fn a_limit_of_the_wrong_type_is_shown_at_its_place() {
    let folder = criteria();
    folder.write(
        "own/thresholds.toml",
        &THRESHOLDS.replacen("at_least = 0.5", "at_least = \"half\"", 1),
    );
    let run = folder.run(&CARD);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("thresholds.toml:4:12"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
}

#[test]
fn nothing_printed_is_wider_than_a_terminal() {
    let folder = Folder::new();
    let card = ["evaluate", "rfc9743", "--cc", "reno", "--only", "5.3,7.10", "--fresh"];
    let run = folder.run(&card);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
}

#[test]
fn the_criteria_are_written_and_read_back() {
    let folder = Folder::new();
    let run = folder.run(&["evaluate", "rfc9743", "--write", "all", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.read("all/thresholds.toml").contains("[harm]"));
    let run = folder.run(&[
        "evaluate",
        "rfc9743",
        "--criteria",
        "all",
        "--cc",
        "reno",
        "--only",
        "5.3",
        "--fresh",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("5.3.1  MUST   not applicable"), "{}", run.stdout);
}

#[test]
fn edited_criteria_are_not_overwritten() {
    let folder = Folder::new();
    let write = ["evaluate", "rfc9743", "--write", "mine", "-q"];
    assert_eq!(folder.run(&write).code, Some(0));
    assert_eq!(folder.run(&write).code, Some(0), "the same files may be written again");
    folder.write("mine/thresholds.toml", "# edited\n");
    let run = folder.run(&write);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("thresholds.toml' is there and differs"), "{run:?}");
    assert_eq!(folder.read("mine/thresholds.toml"), "# edited\n");
}

#[test]
fn the_page_of_the_criteria_is_what_the_program_says() {
    let run = Folder::new().run(&["schema", "--criteria"]);
    let page = include_str!("../../../docs/reference/criteria.md");
    assert!(
        run.stdout == page,
        "write it anew: westwood schema --criteria > docs/reference/criteria.md"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn each_test_that_says_so_cannot_be_emulated_and_the_others_can() {
    use westwood_emu::{EmuError, EmulatedPath, linux::check};
    use westwood_scenario::spec::ControllerSpec;
    use westwood_scorecard::{CardPlan, rfc9743};
    use westwood_sim::Network;

    let controller = ControllerSpec::parse("cubic").unwrap();
    let plan = |linux| CardPlan::new(rfc9743().unwrap(), controller, linux).unwrap();
    // This machine may lack a controller; that is no matter of the network.
    let refused = |network: &Network| match check(network) {
        Err(EmuError::Unsupported { what, .. }) => Some(what),
        _ => None,
    };
    let mut emulated = plan(true);
    emulated.leave_out(|built| refused(&built.network)).unwrap();
    let left_out = emulated.statements.iter().filter(|s| s.left_out.is_some());
    let left_out: Vec<&str> = left_out.map(|s| s.setting.as_str()).collect();
    assert!(left_out.iter().all(|setting| *setting == "flows=100"), "{left_out:?}");
    for built in emulated.networks().unwrap() {
        assert_eq!(refused(&built.network), None);
        assert!(EmulatedPath::new(&built.network).is_ok());
    }
    let everything = plan(false);
    for (name, wanted) in [("5.2.2-video-call", "media"), ("7.6-hostile-receivers", "misbehaves")] {
        let grid = everything.grids.iter().find(|grid| grid.name == name).unwrap();
        let points = grid.scenario.points().iter();
        let built = points.map(|point| grid.scenario.build(point, 1).unwrap());
        let why: Vec<String> = built.filter_map(|built| refused(&built.network)).collect();
        assert!(why.iter().any(|why| why.contains(wanted)), "{name}: {why:?}");
    }
}
