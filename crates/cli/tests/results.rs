//! `westwood run`: the same results however they came about.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use support::Folder;

/// Four points, two seeds, a few tenths of a second.
const SWEEP: &str = r#"
    cc = ["reno", "westwood+"]
    time = "5 s"
    seeds = 2

    [dumbbell]
    rate = "5 Mbit/s"
    rtt = "60 ms"
    reverse_flows = 1

    [record]
    series = ["windows", "queues", "rtts", "delivered", "drops"]
    interval = "50 ms"

    [sweep]
    "dumbbell.loss" = ["0.1 %", "1 %"]
"#;

/// The only folder in `out`.
fn only(folder: &Folder, out: &str) -> PathBuf {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder.path().join(out)).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.remove(0)
}

/// Every file of a results folder that must not depend on how it came about.
fn contents(results: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in [results.to_owned(), results.join("series")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_file() && !["manifest.json", "journal.jsonl"].contains(&name.as_str()) {
                files.push((name, std::fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn manifest(results: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(results.join("manifest.json")).unwrap()).unwrap()
}

fn journal(results: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(results.join("journal.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tables_are_csv_and_parquet_or_the_command_says_that_they_are_csv_alone() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let run = folder.run(&["run", "f.toml", "--out", "out"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let results = only(&folder, "out");
    let begins = |file: &str, with: &[u8]| {
        std::fs::read(results.join(file)).is_ok_and(|bytes| bytes.starts_with(with))
    };
    assert!(begins("runs.csv", b"point,") && begins("series/1-1.queues.csv", b"time_s,"));
    let parquet = begins("runs.parquet", b"PAR1") && begins("series/1-1.queues.parquet", b"PAR1");
    assert_eq!(parquet, cfg!(feature = "parquet"));
    let said = run.stderr.contains("this build has no Parquet, build with --features parquet");
    assert_eq!(said, !parquet, "{}", run.stderr);
}

/// Point and seed of each line of a journal, sorted.
fn runs_in(results: &Path) -> Vec<(u64, u64)> {
    let key = |line: &Value| {
        let record = &line["record"];
        (record["point"].as_u64().unwrap(), record["seed"].as_u64().unwrap())
    };
    let mut runs: Vec<(u64, u64)> = journal(results).iter().map(key).collect();
    runs.sort_unstable();
    runs
}

const ALL: [(u64, u64); 8] = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)];

#[test]
fn a_comparison_written_as_a_scenario_gives_the_same_bits() {
    for flags in [
        &["--cc", "bbr,westwood+(tau=0.3s)", "--loss-both", "0.2%", "--reverse-flows", "1"][..],
        &["--like", "ns-2", "--cc", "reno", "--loss", "none", "--buffer", "20pkt"],
        &["--cc", "reno", "--size", "200kB", "--flows", "2", "--aqm", "fq_codel(ecn=on)"],
        &[
            "--cc",
            "cubic-linux",
            "--recovery",
            "linux",
            "--against",
            "reno:2",
            "--rtt-spread",
            "20ms-80ms",
        ],
    ] {
        let folder = Folder::new();
        let usual = ["compare", "--time", "6s", "--seeds", "2", "--quiet", "--json", "a.json"];
        let written = ["--write-scenario", "f.toml"];
        let run = folder.run(&[&usual[..], &written, flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let run = folder.run(&["run", "f.toml", "--quiet", "--json", "b.json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let [compared, repeated] = ["a.json", "b.json"]
            .map(|name| serde_json::from_str::<Value>(&folder.read(name)).unwrap());
        let mut compared = compared["runs"].as_array().unwrap().clone();
        for run in &mut compared {
            for cost in ["wall_s", "events"] {
                run.as_object_mut().unwrap().remove(cost);
            }
        }
        let repeated: Vec<&Value> =
            repeated["runs"].as_array().unwrap().iter().map(|run| &run["summary"]).collect();
        assert!(!compared.is_empty());
        assert_eq!(compared.iter().collect::<Vec<_>>(), repeated);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_jobs() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    for (jobs, out) in [("1", "one"), ("4", "four")] {
        let run = folder.run(&["run", "f.toml", "-q", "--jobs", jobs, "--out", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let (one, four) = (only(&folder, "one"), only(&folder, "four"));
    assert_eq!(contents(&one), contents(&four));
    assert!(contents(&one).len() > 40, "tables and series");
    let manifest = manifest(&one);
    assert_eq!(manifest["state"], "finished");
    assert_eq!((&manifest["exit"], &manifest["runs_finished"]), (&0.into(), &8.into()));
    assert_eq!(manifest["scenario"], SWEEP);
}

#[test]
fn a_killed_sweep_goes_on_and_repeats_no_finished_run() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let longer = ["--set", "time=40s", "--jobs", "1", "-q"];
    let killed = [&["run", "f.toml", "--out", "killed"], &longer[..]].concat();
    let mut child = folder.command(&killed).stdout(Stdio::null()).spawn().unwrap();
    let lines = || {
        let out = std::fs::read_dir(folder.path().join("killed"));
        let results = out.ok().and_then(|mut entries| entries.next()).map(|e| e.unwrap().path());
        let text = results.and_then(|r| std::fs::read_to_string(r.join("journal.jsonl")).ok());
        text.map_or(0, |text| text.matches('\n').count())
    };
    while lines() < 2 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let results = only(&folder, "killed");
    let before = journal(&results);
    assert!((2..8).contains(&before.len()), "killed in the middle: {}", before.len());
    // A line that was cut short is as if it had not been begun.
    let path = results.join("journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap() + "{\"wall_s\":0.1,\"rec";
    std::fs::write(&path, text).unwrap();

    let run = folder.run(&[&killed[..], &["--resume"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(only(&folder, "killed"), results, "no second folder");
    assert_eq!(journal(&results)[..before.len()], before, "what was finished is kept");
    assert_eq!(runs_in(&results), ALL);
    assert_eq!(manifest(&results)["resumed_utc"].as_array().map(Vec::len), Some(1));

    let run = folder.run(&[&["run", "f.toml", "--out", "whole"], &longer[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(contents(&results), contents(&only(&folder, "whole")));
}

/// True once the process has a handler for SIGINT.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 1) != 0
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_says_how_to_go_on() {
    let folder = Folder::new();
    folder.write("f.toml", "cc = \"reno\"\ntime = \"1 h\"\ndumbbell = { rate = \"20 Mbit/s\" }\n");
    let line = ["run", "f.toml", "--seeds", "20", "--out", "o", "-q"];
    let mut child = folder.command(&line).stderr(Stdio::piped()).spawn().unwrap();
    while !catches_interrupts(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(2));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    let go_on = "go on with: westwood run f.toml --seeds 20 --out o -q --resume";
    assert!(said.contains(go_on), "{said}");
}

#[test]
fn merged_parts_are_equal_to_a_single_run() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    for part in 1..=3 {
        let (shard, out) = (format!("{part}/3"), format!("part{part}"));
        let run = folder.run(&["run", "f.toml", "-q", "--shard", &shard, "--out", &out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let dry = ["run", "f.toml", "--dry-run", "--shard", "1/3", "--out", "shown"];
    let dry = folder.run(&dry).stdout;
    assert!(dry.lines().all(|line| line.len() <= 80), "{dry}");
    let dry = dry.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(dry.contains("4 points x 2 seeds = 8 runs, of which part 1/3 does 3, "), "{dry}");
    let part = folder.run(&["run", "f.toml", "--shard", "1/3", "--out", "shown"]);
    assert!(part.stdout.contains("so nothing is concluded"), "{}", part.stdout);
    let parts: Vec<String> = (1..=3)
        .map(|part| only(&folder, &format!("part{part}")).to_string_lossy().into_owned())
        .collect();
    let arguments = |parts: &[String]| {
        let mut all =
            vec!["merge".to_owned(), "-q".to_owned(), "--out".to_owned(), "whole".to_owned()];
        all.extend_from_slice(parts);
        all
    };
    let merge = |parts: &[String]| {
        let arguments = arguments(parts);
        folder.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let run = merge(&parts[..2]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("2 of 8 runs are missing"), "{}", run.stderr);
    let run = merge(&["part1".to_owned(), parts[1].clone()]);
    assert_eq!(run.code, Some(2));
    let said = run.stderr.contains("'part1' is not a results folder, but 'part1");
    assert!(said && run.stderr.contains("' in it is one"), "{}", run.stderr);
    assert_eq!(merge(&parts).code, Some(0));
    let run = folder.run(&["run", "f.toml", "-q", "--out", "single"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (whole, single) = (only(&folder, "whole"), only(&folder, "single"));
    assert_eq!(contents(&whole), contents(&single));
    assert_eq!(runs_in(&whole), ALL);
    assert_eq!(manifest(&whole)["hash"], manifest(&single)["hash"]);

    let run = folder.run(&["run", "f.toml", "-q", "--seeds", "1", "--out", "other"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let other = only(&folder, "other").to_string_lossy().into_owned();
    let run = merge(&[parts[0].clone(), other]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("not of the same scenario"), "{}", run.stderr);
}

#[test]
fn merged_parts_are_judged_by_the_rules_of_their_runs() {
    let folder = Folder::new();
    let compare = |out: &str, more: &[&str]| {
        let flags = ["compare", "-q", "--cc", "reno,westwood", "--time", "5s", "--seeds", "2"];
        let run = folder.run(&[&flags[..], &["--out", out], more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        only(&folder, out).to_string_lossy().into_owned()
    };
    let rules = ["--prefer", "delay", "--practical", "5%"];
    let single = compare("single", &rules);
    let one = compare("one", &[&rules[..], &["--shard", "1/2"]].concat());
    let two = compare("two", &["--shard", "2/2"]);
    let merge = || folder.run(&["merge", &one, &two, "--out", "whole"]);
    let refused = merge();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("were run with other --prefer or --practical"), "{refused:?}");
    compare("two", &[&rules[..], &["--shard", "2/2", "--resume"]].concat());
    let merged = merge();
    assert_eq!(merged.code, Some(0), "{merged:?}");
    assert!(merged.stdout.contains("Preferring a short queue"), "{}", merged.stdout);
    let results = |of: &Path| std::fs::read(of.join("results.json")).unwrap();
    assert_eq!(results(&only(&folder, "whole")), results(Path::new(&single)));
    // A criterion, which a part is refused, is held against the whole without a new run.
    let flags = ["compare", "-q", "--cc", "reno,westwood", "--time", "5s", "--seeds", "2"];
    let judged = ["--out", "whole", "--resume", "--fail-if", "goodput>1kbit/s"];
    let judged = folder.run(&[&flags[..], &rules, &judged].concat());
    assert_eq!(judged.code, Some(3), "{judged:?}");
    assert_eq!(results(&only(&folder, "whole")), results(Path::new(&single)));
}

/// The notes at the end of what is printed.
fn notes(run: &support::Run) -> Vec<String> {
    let paragraphs = run.stdout.split("\n\n").map(str::trim_end);
    paragraphs.filter(|text| text.starts_with("Note: ")).map(str::to_owned).collect()
}

#[test]
fn merged_parts_have_the_notes_of_a_single_run() {
    // Few round-trip times, which the scenario says, and a window that limits, which the runs say.
    let flags = ["--rtt", "500ms", "--receive-window", "8", "--time", "4s", "--seeds", "2"];
    let folder = Folder::new();
    let compare = |more: &[&str]| {
        let run = folder.run(&[&["compare", "--cc", "reno,bbr"], &flags[..], more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    };
    let single = compare(&["--out", "single"]);
    compare(&["-q", "--shard", "1/2", "--out", "one"]);
    compare(&["-q", "--shard", "2/2", "--out", "two"]);
    let parts = ["one", "two"].map(|out| only(&folder, out).to_string_lossy().into_owned());
    let merged = folder.run(&["merge", &parts[0], &parts[1], "--out", "whole"]);
    assert_eq!(merged.code, Some(0), "{merged:?}");
    assert_eq!(notes(&single).len(), 2, "{}", single.stdout);
    assert_eq!(notes(&merged), notes(&single));
    let head = |run: &support::Run| run.stdout.split("\n\n").next().map(str::to_owned);
    assert_eq!(head(&merged), head(&single), "the path");
}

#[test]
fn merged_parts_have_the_page_and_the_figures_of_a_single_run() {
    let folder = Folder::new();
    let compare = |more: &[&str]| {
        let flags = ["compare", "-q", "--cc", "reno,bbr", "--time", "3s", "--seeds", "2"];
        assert_eq!(folder.run(&[&flags[..], more].concat()).code, Some(0));
    };
    compare(&["--html", "single.html", "--svg", "single"]);
    compare(&["--shard", "1/2", "--out", "one"]);
    compare(&["--shard", "2/2", "--out", "two"]);
    let parts = ["one", "two"].map(|out| only(&folder, out).to_string_lossy().into_owned());
    let outputs = ["--html", "merged.html", "--svg", "merged"];
    let whole = ["merge", "-q", "--out", "whole", &parts[0], &parts[1]];
    assert_eq!(folder.run(&[&whole[..], &outputs].concat()).code, Some(0));
    for figure in ["path.svg", "tradeoff.svg", "goodput.svg"] {
        let of = |out: &str| folder.read(&format!("{out}/{figure}"));
        assert_eq!(of("merged"), of("single"), "{figure}");
    }
    let table = |page: &str| {
        let page = folder.read(page);
        let (from, to) = (page.find("<table").unwrap(), page.find("</table>").unwrap());
        page[from..to].to_owned()
    };
    assert_eq!(table("merged.html"), table("single.html"));
    let page = folder.read("merged.html");
    assert!(page.contains("<dt>initial window</dt>"), "the settings in force");
    // A name of a file where a folder stands is refused before anything is made.
    let refused = ["merge", "--out", "none", "--html", "one", &parts[0], &parts[1]];
    assert_eq!(folder.run(&refused).code, Some(2));
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_part_of_a_grid_concludes_nothing_anywhere() {
    // Random loss makes westwood carry clearly more than reno.
    let folder = Folder::new();
    let compare = |page: &str, json: &str, more: &[&str]| {
        let flags = ["compare", "--cc", "reno,westwood", "--like", "rfc", "--time", "10s"];
        let files = ["--seeds", "6", "--html", page, "--json", json];
        let run = folder.run(&[&flags[..], &files, more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        (run.stdout, folder.read(page), serde_json::from_str::<Value>(&folder.read(json)).unwrap())
    };
    let (stdout, page, json) = compare("whole.html", "whole.json", &[]);
    assert!(stdout.contains('*') && page.contains("westwood carries"), "{stdout}");
    assert!(page.contains("class=\"star\"") && json["summary"].is_object());
    let part = ["--shard", "1/3", "--out", "part"];
    let (stdout, page, json) = compare("part.html", "part.json", &part);
    assert!(!stdout.contains('*') && !stdout.contains("carries"), "{stdout}");
    assert!(stdout.contains("Means over up to 2 seeds"), "{stdout}");
    let said = page.split("class=\"verdict\">").nth(1).unwrap();
    assert!(said.starts_with("These runs are a part of the grid, so nothing is concluded"));
    assert!(!page.contains("westwood carries") && !page.contains("class=\"star\""));
    assert!(json.get("summary").is_none(), "{json}");
    let results: Value =
        serde_json::from_slice(&std::fs::read(only(&folder, "part").join("results.json")).unwrap())
            .unwrap();
    assert!(results.get("summaries").is_none(), "{results}");
    let (stdout, ..) = compare("all.html", "all.json", &["--shard", "1/1", "--out", "all"]);
    assert!(stdout.contains("westwood carries"), "one part of one is the whole: {stdout}");
}

#[test]
fn runs_that_are_all_alike_show_no_interval_and_the_share_of_others_that_may_differ() {
    // Of 138 segments 0.01 % are lost: none under these seeds.
    let folder = Folder::new();
    let compare = |more: &[&str]| {
        let flags = ["compare", "--cc", "reno,westwood", "--size", "200kB", "--json", "all.json"];
        let run = folder.run(&[&flags, more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let json: Value = serde_json::from_str(&folder.read("all.json")).unwrap();
        let goodput = json["summary"]["contestants"][0]["means"]["goodput"].clone();
        (run.stdout, goodput["half_width"].clone())
    };
    let (alike, half) = compare(&["--loss", "0.01%", "--seeds", "5"]);
    // 1 - 0.05^(1/4) is 52.71 %.
    let note = "No ±: alike under all seeds; up to 53 % of further runs may differ.";
    assert!(alike.contains(note) && !alike.contains("±0") && half.is_null(), "{alike}");
    let (varied, some) = compare(&["--loss", "3%", "--seeds", "5"]);
    assert!(varied.contains(" ±") && some.is_number(), "{varied}");
    let (exact, _) = compare(&["--loss", "none", "--seeds", "5"]);
    assert!(!exact.contains("may differ"), "{exact}");
}

#[test]
fn rows_for_which_nothing_is_random_are_named_beside_those_that_vary() {
    let folder = Folder::new();
    let compare = |cc: &str| {
        let flags = ["compare", "--loss", "none", "--size", "2MB", "--seeds", "3", "--cc", cc];
        let run = folder.run(&flags);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // BBR draws the phase in which ProbeBW begins.
    let mixed = compare("reno,cubic,bbr");
    assert!(
        mixed.contains("Nothing is random for reno and cubic: every seed gives the same."),
        "{mixed}"
    );
    let many = compare("reno,cubic,vegas,westwood,bbr");
    assert!(
        many.contains("Nothing is random in 4 of 5 rows: every seed gives the same."),
        "{many}"
    );
    let alone = compare("bbr");
    assert!(!alone.contains("Nothing is random"), "{alone}");
}

#[test]
fn a_folder_without_its_journal_is_not_resumed() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let run = ["run", "f.toml", "-q", "--seeds", "1", "--out", "o"];
    assert_eq!(folder.run(&run).code, Some(0));
    std::fs::remove_file(only(&folder, "o").join("journal.jsonl")).unwrap();
    let again = folder.run(&[&run[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("has lost its journal.jsonl"), "{}", again.stderr);
    assert!(again.stderr.contains("or leave out --resume"), "{}", again.stderr);
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_is_a_clear_error_and_keeps_what_is_finished() {
    let folder = Folder::new();
    folder.write("f.toml", &SWEEP.replace("[record]", "[limits]\n[record]"));
    // The limit on the size of a file stands for a full disk: the journal outgrows it at some run.
    let script = "trap '' XFSZ; ulimit -f 12; exec \"$0\" run f.toml -q --jobs 1 --out full --set record.interval=1s";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_westwood")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("cannot be written") && text.contains("--resume"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");

    let again = ["run", "f.toml", "-q", "--out", "full", "--set", "record.interval=1s", "--resume"];
    let run = folder.run(&again);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(runs_in(&only(&folder, "full")), ALL);
}

/// The stop is drawn by the seed, and with the last of these four it comes before the start.
const FAILING: &str = r#"
    cc = ["reno", "cubic"]
    time = "4 s"
    seeds = 4
    [[link]]
    name = "core"
    from = "a"
    to = "b"
    rate = "5 Mbit/s"
    delay = "10 ms"
    [[flow]]
    name = "main"
    from = "a"
    to = "b"
    start = "1 s"
    stop = "uniform(0.5 s, 3 s)"
"#;

#[test]
fn a_failed_run_is_recorded_and_does_not_stop_the_rest() {
    let folder = Folder::new();
    folder.write("f.toml", FAILING);
    let run = folder.run(&["run", "f.toml", "--out", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("error: f: 2 of 8 runs failed"), "{}", run.stderr);
    assert!(run.stdout.contains("cubic, seed 4: f.toml:"), "{}", run.stdout);
    let results = only(&folder, "out");
    assert_eq!(runs_in(&results).len(), 8);
    let failed: Vec<Value> = journal(&results)
        .iter()
        .map(|line| line["record"].clone())
        .filter(|record| !record["error"].is_null())
        .collect();
    assert_eq!(failed.len(), 2);
    for record in &failed {
        assert_eq!(record["seed"], 4);
        assert!(record["error"].as_str().unwrap().contains("before its start"), "{record}");
    }
    let manifest = manifest(&results);
    assert_eq!((&manifest["exit"], &manifest["runs_failed"]), (&1.into(), &2.into()));
    assert_eq!(manifest["state"], "finished");

    // A failed run counts as done: a failure repeats like any other result.
    let run = folder.run(&["run", "f.toml", "-q", "--out", "out", "--resume"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(runs_in(&results).len(), 8);
}

#[test]
fn transfers_that_are_cut_off_make_a_measurement_invalid_as_in_a_comparison() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "cc = \"reno\"\ntime = \"2 s\"\nseeds = 2\n[dumbbell]\nrate = \"1 Mbit/s\"\nsize = \"1 MB\"\n",
    );
    let run = folder.run(&["run", "f.toml", "--out", "out"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("f: in both runs not every transfer"), "{}", run.stderr);
    assert!(run.stdout.contains("In both runs not every transfer"), "{}", run.stdout);
    assert_eq!(manifest(&only(&folder, "out"))["exit"], 5);
    let flags =
        ["--cc", "reno", "--time", "2s", "--seeds", "2", "--rate", "1Mbit/s", "--size", "1MB"];
    let compared = folder.run(&[&["compare", "-q", "--loss", "none"], &flags[..]].concat());
    assert_eq!(compared.code, Some(5), "{}", compared.stderr);
}

#[test]
fn two_processes_do_not_work_in_one_folder() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let sweep = ["run", "f.toml", "-q", "--jobs", "1", "--out", "out", "--set", "time=5min"];
    let mut first = folder.command(&sweep).stdout(Stdio::null()).spawn().unwrap();
    let begun = || {
        let mut out = std::fs::read_dir(folder.path().join("out")).into_iter().flatten();
        out.any(|entry| entry.unwrap().path().join("manifest.json").exists())
    };
    while !begun() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = folder.run(&[&sweep[..], &["--resume"]].concat());
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(4), "{}", second.stderr);
    assert!(second.stderr.contains("--resume: another process works in 'out"), "{}", second.stderr);
    // With the process its claim ends.
    let results = only(&folder, "out");
    assert_eq!(manifest(&results)["state"], "running");
    let again = folder.run(&[&sweep[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(runs_in(&only(&folder, "out")), ALL);
}

#[test]
fn a_dry_run_prints_the_grid_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let run = folder.run(&["run", "f.toml", "--dry-run", "--out", "out"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("westwood+, loss=1 %"), "{}", run.stdout);
    assert!(run.stdout.contains("4 points x 2 seeds = 8 runs"), "{}", run.stdout);
    assert_eq!(folder.names(), ["f.toml"]);
}

#[test]
fn settings_of_the_command_line_replace_and_extend_the_grid() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let set = ["--set", "dumbbell.loss=0", "--set", "cc=bbr", "--set", "dumbbell.rtt=20ms,40ms"];
    let run = folder.run(&[&["run", "f.toml", "--dry-run", "--seeds", "3"], &set[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("2 points x 3 seeds"), "{}", run.stdout);
    assert!(run.stdout.contains("bbr, rtt=40ms"), "{}", run.stdout);
}

#[test]
fn flags_that_need_a_folder_say_so() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    for (flags, part) in [
        (&["--resume"][..], "--out"),
        (&["--shard", "1/2"], "--out"),
        (&["--shard", "3/2", "--out", "x"], "--shard: '3' is out of range"),
        (&["--shard", "half", "--out", "x"], "--shard: 'half' is not I/N"),
        (
            &["--shard", "1/2", "--out", "x", "--fail-if", "goodput<1Mbit/s"],
            "--fail-if: cannot be used together with --shard",
        ),
        (
            &["--shard", "1/2", "--out", "x", "--fail-if-worse-than", "none.json"],
            "--fail-if-worse-than: cannot be used together with --shard",
        ),
        (&["--out", "f.toml"], "'f.toml' is a file"),
        (&["f.toml", "--html", "pages"], "'f.toml' and 'f.toml' are both called 'f'"),
        (
            &["f.toml", "--json", "f.toml"],
            "with several FILEs it holds a file or a folder for each",
        ),
    ] {
        let run = folder.run(&[&["run", "f.toml", "-q"], flags].concat());
        assert_eq!(run.code, Some(2), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{flags:?}: {}", run.stderr);
        assert_eq!(folder.names(), ["f.toml"]);
    }
}

#[test]
fn of_several_files_each_has_a_name_of_its_own_in_the_folders() {
    let folder = Folder::new();
    let short = SWEEP.replace("[sweep]", "[elsewhere]");
    let short = short.split("[elsewhere]").next().unwrap();
    folder.write("a.toml", short);
    folder.write("b.toml", &format!("name = \"second\"\n{short}"));
    let flags = ["--seeds", "1", "-q", "--html", "out", "--json", "out", "--svg", "figures"];
    let run = folder.run(&[&["run", "a.toml", "b.toml"], &flags[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for name in ["a", "second"] {
        let page = folder.read(&format!("out/{name}.html"));
        assert!(page.contains(&format!("<title>{name}</title>")));
        let json = folder.read(&format!("out/{name}.json"));
        assert!(json.contains(&format!("\"name\": \"{name}\"")));
        assert!(folder.read(&format!("figures/{name}/cwnd_over_time.svg")).contains("<svg"));
    }
    // On stdout each has a line: the document that its file holds.
    let run = folder.run(&["run", "a.toml", "b.toml", "--seeds", "1", "-q", "--json", "-"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    for (line, name) in lines.iter().zip(["a", "second"]) {
        let document: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&document["schema"], &document["name"]),
            (&"westwood.run/1".into(), &name.into())
        );
    }
    assert_eq!((lines.len(), run.code), (2, Some(0)));
    // A fault of one of them leaves nothing of either.
    folder.write("c.toml", "nonsense = 1");
    let run = folder.run(&["run", "a.toml", "c.toml", "--html", "other"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(folder.names(), ["a.toml", "b.toml", "c.toml", "figures", "out"]);
}

#[test]
fn results_of_the_same_second_are_kept_apart() {
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let flags = ["--seeds", "1", "-q", "--out", "out"];
    let run = folder.run(&[&["run", "f.toml", "f.toml", "f.toml"], &flags[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let made: Vec<_> = std::fs::read_dir(folder.path().join("out")).unwrap().collect();
    assert_eq!(made.len(), 3);
}
