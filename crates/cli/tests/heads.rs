//! The heads of the ready scenarios say no number that their runs do not print.
//!
//! `results/ready-scenarios.md` has the tables and sentences of the runs below. Quick runs are repeated here
//! and compared. `make ready-scenarios` writes all anew, and says which changed; then the heads are mended by
//! hand. `WESTWOOD_WRITE=1` writes the quick ones alone, and `WESTWOOD_WRITE=NAME` those of one scenario.
//!
//! A number with a unit, or with decimal places, in the part `# Look at` of a head must be one of these, and
//! may have fewer decimal places or another prefix of its unit (0.11 s for 111 ms):
//!
//! * a mean in a column of that unit, or in a sentence, of a run of the scenario;
//! * a setting of the scenario's file;
//! * one of `WORKED`, with what it follows from.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::numbers::{UNITS, is_rounded, numbers, unit};
use support::root;
use westwood_scenario::library::{LIBRARY, LibraryScenario};

/// Runs that take three seconds of processor time at most.
const QUICK: [&str; 8] = [
    "data-center",
    "data-center --set link.port.buffer=10000pkt",
    "dsl-bufferbloat",
    "satellite-geo",
    "satellite-geo --set dumbbell.size=2MB --set warmup=0s",
    "transoceanic-10g",
    "wifi-bursts",
    "wifi-bursts --set link.air.jitter='uniform(1 us)' --set cc=westwood",
];

/// Runs that are repeated when somebody asks for it.
const LONG: [&str; 20] = [
    "lte-walk",
    "satellite-leo",
    "satellite-leo --set link.sky.loss=0%",
    "satellite-meo",
    "satellite-meo --set change.1.delay=28ms",
    "tcpeval-access-link",
    "tcpeval-data-center",
    "tcpeval-delay-throughput",
    "tcpeval-dial-up",
    "tcpeval-fairness",
    "tcpeval-geo-satellite",
    "tcpeval-impact",
    "tcpeval-parking-lot",
    "tcpeval-parking-lot --set measure.group=rival",
    "tcpeval-ramp-up",
    "tcpeval-rtt-fairness",
    "tcpeval-trans-oceanic",
    "tcpeval-transients",
    "tcpeval-wireless-lan",
    "transoceanic-10g --set time=20min --set cc=reno-linux",
];

/// Numbers of heads that no run prints, and what they follow from.
const WORKED: [(&str, &str, &str); 15] = [
    ("data-center", "400 packets", "40 first windows of 10"),
    ("satellite-meo", "16 ms", "8 ms one way"),
    ("transoceanic-10g", "1,700 packets", "4.7 % of 36,800"),
    ("tcpeval-data-center", "200 ms", "Linux's least RTO"),
    ("tcpeval-dial-up", "100 %", "a load that is the link's rate"),
    ("tcpeval-dial-up", "12.5 s", "100 kB over 64 kbit/s"),
    ("tcpeval-dial-up", "88,000 s", "draft-irtf-iccrg-tcpeval-01"),
    ("tcpeval-fairness", "0.5 ", "Jain's index of two where one has all"),
    ("tcpeval-geo-satellite", "100 %", "a load that is the link's rate"),
    ("tcpeval-ramp-up", "1.2 s", "1.5 MB over 10 Mbit/s"),
    ("tcpeval-ramp-up", "2.4 s", "1.5 MB over half of it"),
    ("tcpeval-ramp-up", "4.8 s", "1.5 MB over a quarter of it"),
    ("tcpeval-transients", "96.5 Mbit/s", "1448 bytes of payload in a packet of 1500"),
    ("tcpeval-transients", "50 s", "thirty steps, one a second, from 20 s on"),
    ("tcpeval-wireless-lan", "100 %", "a load that is the link's rate"),
];

/// Joins numbers that have one unit: 2 to 4 s.
const JOINS: [&str; 7] = [" to ", " and ", " or ", " against ", " of ", ", ", "/"];

fn file() -> PathBuf {
    root().join("results/ready-scenarios.md")
}

fn scenario(run: &str) -> &str {
    run.split(' ').next().unwrap()
}

/// All runs, in the order of the library.
fn runs() -> Vec<&'static str> {
    let of = |ready: &LibraryScenario| {
        let name = ready.name;
        QUICK.iter().chain(&LONG).copied().filter(move |run| scenario(run) == name)
    };
    LIBRARY.iter().flat_map(of).collect()
}

/// The table and the sentences that a run prints.
fn printed(run: &str) -> String {
    let westwood = Path::new(env!("CARGO_BIN_EXE_westwood")).parent().unwrap();
    let path = format!("{}:{}", westwood.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("westwood run {run}")])
        .env("PATH", path)
        .env("COLUMNS", "200")
        .output()
        .unwrap();
    assert!(output.status.success(), "{run}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let blocks: Vec<&str> = text.trim().split("\n\n").filter(|block| is_kept(block)).collect();
    blocks.join("\n\n")
}

/// False for curves, for what a variant changes seed by seed, and for notes: no head speaks of them.
fn is_kept(block: &str) -> bool {
    let marks = ["┤", ", a full bar is ", ", seed by seed:"];
    !block.starts_with("Note: ") && !marks.iter().any(|mark| block.contains(mark))
}

const BEGIN: &str = "```console\n$ COLUMNS=200 westwood run ";

/// The runs that the file has, and what each printed.
fn kept() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file()).unwrap_or_default();
    let blocks = text.split(BEGIN).skip(1).map(|block| {
        let (run, rest) = block.split_once('\n').unwrap();
        (run.to_owned(), rest.split("\n```").next().unwrap().to_owned())
    });
    blocks.collect()
}

fn write(kept: &BTreeMap<String, String>) {
    let mut text = "# Runs of the ready scenarios\n\n\
        Means and conclusions of `westwood run NAME`, for the numbers that the heads of the files in\n\
        [scenarios](../scenarios) say. Curves, differences of variants and notes are left out.\n\
        `make ready-scenarios` writes this file; `crates/cli/tests/heads.rs` compares heads and quick runs\n\
        with it.\n"
        .to_owned();
    for ready in LIBRARY {
        let _ = write!(text, "\n## {}\n", ready.name);
        for run in runs().into_iter().filter(|run| scenario(run) == ready.name) {
            if let Some(printed) = kept.get(run) {
                let _ = write!(text, "\n{BEGIN}{run}\n{printed}\n```\n");
            }
        }
    }
    std::fs::write(file(), text).unwrap();
}

#[test]
fn what_is_kept_is_printed() {
    let mut kept = kept();
    let wanted = std::env::var("WESTWOOD_WRITE").ok();
    if let Some(name) = wanted.as_deref().filter(|name| !["all", "1"].contains(name)) {
        assert!(
            LIBRARY.iter().any(|ready| ready.name == name),
            "WESTWOOD_WRITE={name}: no scenario"
        );
    }
    let is_quick = |run: &str| QUICK.contains(&run);
    let repeated = |run: &str| match wanted.as_deref() {
        Some("all") => true,
        Some("1") | None => is_quick(run),
        Some(name) => scenario(run) == name,
    };
    let mut changed = Vec::new();
    for run in runs().into_iter().filter(|run| repeated(run)) {
        let now = printed(run);
        if kept.get(run) != Some(&now) {
            changed.push(format!("westwood run {run} now prints\n{now}"));
            kept.insert(run.to_owned(), now);
        }
    }
    if wanted.is_some() {
        kept.retain(|run, _| runs().contains(&run.as_str()));
        write(&kept);
        println!("{} runs changed\n{}", changed.len(), changed.join("\n\n"));
        return;
    }
    let mend = "`make ready-scenarios` writes results/ready-scenarios.md anew; then mend the heads";
    assert!(changed.is_empty(), "{}\n\n{mend}", changed.join("\n\n"));
    let (mut expected, there) = (runs(), kept.keys().collect::<Vec<_>>());
    expected.sort_unstable();
    assert_eq!(there, expected, "{mend}");
}

/// A number and its unit, which may be empty.
type Quantity = (String, &'static str);

/// Numbers with their units. Those that are joined share the unit of the last.
fn quantities(text: &str) -> Vec<Quantity> {
    let found = numbers(text);
    let is_joined = |rest: &str| {
        let next = JOINS.iter().find_map(|join| rest.strip_prefix(join));
        next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
    };
    let shared = |at: usize| {
        let joined = found[at..].iter().take_while(|(_, rest)| is_joined(rest)).count();
        (at..=at + joined).find_map(|i| unit(found.get(i)?.1)).unwrap_or("")
    };
    found.iter().enumerate().map(|(at, (number, _))| (number.clone(), shared(at))).collect()
}

/// The cells of a table's line: two spaces separate them.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The means of a run's table, and the numbers of its sentences.
fn results(printed: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    for block in printed.split("\n\n") {
        let lines: Vec<&str> = block.lines().collect();
        let is_head = |line: &&str| line.starts_with("point  ") || line.starts_with("controller  ");
        let Some(head) = lines.iter().position(is_head) else {
            found.extend(quantities(&lines.join(" ")));
            continue;
        };
        let (columns, units) = (cells(lines[head]).len(), cells(lines[head + 1]));
        assert_eq!(columns, units.len() + 1, "{block}");
        let rows = lines[head + 2..].iter().map(|line| cells(line));
        for row in rows.take_while(|row| row.len() == columns) {
            for (cell, name) in row[1..].iter().zip(&units) {
                let unit = UNITS.into_iter().find(|unit| unit == name).unwrap_or("");
                found.extend(numbers(cell).into_iter().next().map(|(number, _)| (number, unit)));
            }
        }
    }
    found
}

/// A unit's kind, and its power of ten.
fn prefix(unit: &str) -> (&str, i32) {
    match unit {
        "ns" => ("s", -9),
        "us" => ("s", -6),
        "ms" => ("s", -3),
        "seconds" => ("s", 0),
        "kbit/s" => ("bit/s", 3),
        "Mbit/s" => ("bit/s", 6),
        "Gbit/s" => ("bit/s", 9),
        "kB" => ("bytes", 3),
        "MB" => ("bytes", 6),
        "segments" => ("packets", 0),
        _ => (unit, 0),
    }
}

/// True if a quantity is another one, or that one rounded. One without a unit may have any.
fn says(head: &Quantity, known: &Quantity) -> bool {
    let ((kind, power), (known_kind, known_power)) = (prefix(head.1), prefix(known.1));
    if kind.is_empty() {
        return is_rounded(&head.0, &known.0);
    }
    let moved = known_power - power;
    let decimals = known.0.split_once('.').map_or(0, |(_, behind)| behind.len());
    let places = usize::try_from(i32::try_from(decimals).unwrap() - moved).unwrap_or(0);
    // A section such as 4.4.6 is none.
    let Ok(value) = known.0.parse::<f64>() else { return false };
    kind == known_kind && is_rounded(&head.0, &format!("{:.places$}", value * 10_f64.powi(moved)))
}

/// The part `# Look at` of a head, and the rest of the file.
fn parts(text: &str) -> (String, String) {
    let (before, rest) = text.split_once("# Look at\n").unwrap();
    let (look, behind) = rest.split_once("# Takes").unwrap();
    (flowing(look), flowing(&format!("{before}{behind}")))
}

/// A text on one line, without the marks of comments.
fn flowing(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches('#').trim()).collect();
    lines.join(" ")
}

/// A text without the settings that it tells to make.
fn without_settings(text: &str) -> String {
    let mut pieces = text.split("--set ");
    let mut left = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let mut is_quoted = false;
        let end = piece.find(|c: char| {
            is_quoted ^= c == '\'';
            c == ' ' && !is_quoted
        });
        left.push_str(&piece[end.unwrap_or(piece.len())..]);
    }
    left
}

/// Numbers of a text that none of the known ones is.
fn strangers(text: &str, known: &[Quantity]) -> Vec<Quantity> {
    let counts = |one: &Quantity| !one.1.is_empty() || one.0.contains('.');
    let is_known = |one: &Quantity| known.iter().any(|known| says(one, known));
    quantities(text).into_iter().filter(|one| counts(one) && !is_known(one)).collect()
}

#[test]
fn heads_say_what_their_runs_print() {
    let kept = kept();
    let mut faults = Vec::new();
    for ready in LIBRARY {
        let (look, rest) = parts(ready.text);
        let mut known = quantities(&rest);
        for (run, printed) in kept.iter().filter(|(run, _)| scenario(run) == ready.name) {
            known.extend(results(printed));
            let settings = run.split("--set ").skip(1).map(str::trim);
            for setting in settings.filter(|setting| !setting.starts_with("cc=")) {
                assert!(
                    look.contains(&format!("--set {setting}")),
                    "{run}: the head has no {setting}"
                );
            }
        }
        for (_, said, follows) in WORKED.iter().filter(|(name, ..)| *name == ready.name) {
            assert!(
                look.contains(said),
                "{}: WORKED has {said} ({follows}) for nothing",
                ready.name
            );
            known.extend(quantities(said));
        }
        let strange = strangers(&without_settings(&look), &known).into_iter();
        faults.extend(strange.map(|(number, unit)| format!("{}: {number} {unit}", ready.name)));
    }
    let mend =
        "say what results/ready-scenarios.md has, or enter what a number follows from in WORKED";
    assert!(faults.is_empty(), "{}\n{mend}", faults.join("\n"));
}

#[test]
fn a_number_of_another_unit_or_another_value_is_a_stranger() {
    let table = "lines\n\n\
        controller  goodput  wait p95  jain\n\
        \x20            Mbit/s        ms  1 = fair\n\
        bbr         17.2 ±0.1   111 ±4  0.978 ≥0.9\n\
        Means over 8 seeds ± 95 % confidence.\n\n\
        bbr leaves\n85 % of the link idle.";
    let known = results(table);
    for said in ["17 and 17.2 Mbit/s", "0.11 s", "0.111 s", "85 %", "an index of 0.98", "8 seeds"] {
        assert_eq!(strangers(said, &known), [], "{said}");
    }
    for said in ["17.3 Mbit/s", "17 ms", "0.12 s", "95 %", "4 ms", "111 and 17.2 Mbit/s", "0.97"] {
        assert_eq!(strangers(said, &known).len(), 1, "{said}");
    }
}

#[test]
fn settings_to_make_are_not_results() {
    let text = "1.3 % (--set link.air.jitter='uniform(1 us)'). Or --set a.loss=0%,1% and 2 s";
    assert_eq!(without_settings(text), "1.3 % ( Or  and 2 s");
}
