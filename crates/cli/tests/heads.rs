//! The heads of the ready scenarios say no number that their runs do not print.
//!
//! `results/ready-scenarios.md` has the tables and sentences of the runs below. Quick runs are repeated here
//! and compared. `make ready-scenarios` writes all anew, and says which changed; then the heads are mended by
//! hand. `WESTWOOD_WRITE=1` writes the quick ones alone, and `WESTWOOD_WRITE=NAME` those of one scenario.
//!
//! A number with a unit, or with decimal places, in the part `# Look at` of a head must stand in the rows
//! and in the column that its clause speaks of ([`claims`] has the rule). It may have fewer decimal places
//! or another prefix of its unit (0.11 s for 111 ms). Else it is a setting of the scenario's file, or stands
//! in a phrase of `WORKED`, with what it follows from.

#[path = "heads/claims.rs"]
mod claims;
mod support;
#[path = "heads/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use claims::{ToldScenario, false_claims, without_settings};
use support::numbers::{numbers, unit};
use support::root;
use table::{PrintedTable, Quantity};
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

/// Phrases of heads with numbers that no run prints, and what those follow from.
const WORKED: [(&str, &str, &str); 11] = [
    ("data-center", "are 400 packets", "40 first windows of 10"),
    ("satellite-meo", "falls by 16 ms at 40 s", "8 ms one way"),
    ("transoceanic-10g", "a mean of 1,700 packets", "4.7 % of 36,800"),
    ("tcpeval-data-center", "The timer of 200 ms", "Linux's least RTO"),
    ("tcpeval-dial-up", "takes 12.5 s alone", "100 kB over 64 kbit/s"),
    ("tcpeval-dial-up", "runs 88,000 s", "draft-irtf-iccrg-tcpeval-01"),
    ("tcpeval-fairness", "0.5 for all to one", "Jain's index of two where one has all"),
    ("tcpeval-fairness", "0.9 is one to two", "2.25 / 2.5 with r = 1/2"),
    (
        "tcpeval-ramp-up",
        "1.5 MB need 1.2 s of the link alone, 2.4 s of what the background leaves, 4.8 s of a fair half",
        "1.5 MB over 10 Mbit/s, over half of it and over a quarter of it",
    ),
    (
        "tcpeval-transients",
        "leaves 96.5 Mbit/s of payload",
        "1448 bytes of payload in a packet of 1500",
    ),
    ("tcpeval-transients", "from 50 s on", "thirty steps, one a second, from 20 s on"),
];

/// The names that heads give to the point without a name.
const BASES: [(&str, &str); 10] = [
    ("tcpeval-access-link", "85 %"),
    ("tcpeval-data-center", "85 %"),
    ("tcpeval-dial-up", "85 %"),
    ("tcpeval-geo-satellite", "85 %"),
    ("tcpeval-impact", "100 %"),
    ("tcpeval-parking-lot", "80 %"),
    ("tcpeval-ramp-up", "equal RTTs"),
    ("tcpeval-trans-oceanic", "85 %"),
    ("tcpeval-transients", "as it stands"),
    ("tcpeval-wireless-lan", "85 %"),
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

/// The name in a scenario's head of the point without one.
fn base(name: &str) -> &'static str {
    BASES.iter().find(|(scenario, _)| *scenario == name).map_or("", |(_, base)| base)
}

/// A scenario with the runs that are kept of it, the one without settings first.
fn told(ready: &LibraryScenario, kept: &BTreeMap<String, String>) -> ToldScenario {
    let runs = kept.iter().filter(|(run, _)| scenario(run) == ready.name).map(|(run, printed)| {
        let settings = run.split("--set ").skip(1).map(|setting| setting.trim().to_owned());
        let settings = settings.filter(|setting| !setting.starts_with("cc=")).collect();
        (settings, PrintedTable::read(printed))
    });
    let settings = quantities(&parts(ready.text).1);
    let lines =
        ready.text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let names = lines.map(str::to_owned).collect();
    ToldScenario { runs: runs.collect(), base: base(ready.name), settings, names }
}

#[test]
fn heads_say_what_their_runs_print() {
    let kept = kept();
    let mut faults = Vec::new();
    for ready in LIBRARY {
        let (mut look, _) = parts(ready.text);
        let told = told(ready, &kept);
        for setting in told.runs.iter().flat_map(|(settings, _)| settings) {
            let setting = format!("--set {setting}");
            assert!(look.contains(&setting), "{}: the head has no {setting}", ready.name);
        }
        for (_, said, follows) in WORKED.iter().filter(|(name, ..)| *name == ready.name) {
            let is_said = look.contains(said);
            assert!(is_said, "{}: WORKED has {said} ({follows}) for nothing", ready.name);
            look = look.replace(said, "");
        }
        let found = false_claims(&look, &told).into_iter();
        faults.extend(found.map(|fault| format!("{}: {fault}", ready.name)));
    }
    let mend =
        "say what results/ready-scenarios.md has, or enter what a number follows from in WORKED";
    assert!(faults.is_empty(), "{}\n{mend}", faults.join("\n"));
}

#[test]
fn settings_to_make_are_not_results() {
    let text = "1.3 % (--set link.air.jitter='uniform(1 us)'). Or --set a.loss=0%,1% and 2 s";
    assert_eq!(without_settings(text), "1.3 % ( Or  and 2 s");
}

/// A run of three controllers, and one without loss.
fn small() -> ToldScenario {
    let table = "small: A path (6 points, 8 seeds, recovery linux)\n\n\
        point                 goodput      jain    wait p95      resent\n\
        \x20                    Mbit/s  1 = fair          ms           %\n\
        cubic-linux          2.8 ±0.4     0.978       3 ±2  0.11 ±0.02\n\
        bbr                 17.1 ±0.1*    0.990     112 ±5  0.10 ±0.01\n\
        bbr3                17.0 ±0.1     0.990    450 ±26  1.45\n\
        cubic-linux, rtt=10 ms  5.0       0.965       4 ±2  0.20 ±0.02\n\
        bbr, rtt=10 ms      18.1 ±0.1     0.998     100 ±5  0.20 ±0.01\n\
        bbr3, rtt=10 ms     19.0 ±0.1     0.997    300 ±26  1.20\n\
        Means over 8 seeds ± 95 % confidence.";
    let lossless = "small: A path (1 point, 8 seeds, recovery linux)\n\n\
        controller   goodput\n\
        \x20            Mbit/s\n\
        cubic-linux     19.2\n";
    let runs = vec![
        (Vec::new(), PrintedTable::read(table)),
        (vec!["dumbbell.loss=0%".to_owned()], PrintedTable::read(lossless)),
    ];
    ToldScenario { runs, base: "20 ms", settings: quantities("20 Mbit/s"), names: Vec::new() }
}

#[test]
fn a_number_that_stands_where_the_head_says_is_true() {
    let told = small();
    for said in [
        "Of 20 Mbit/s BBR carries 17.1 Mbit/s, BBR 3 17.0 Mbit/s and CUBIC 2.8 Mbit/s.",
        "BBR and BBR 3 carry 17.1 and 17.0 Mbit/s. CUBIC's \"goodput\" is 2.8 Mbit/s.",
        "\"wait p95\" is 0.003 s with CUBIC, 0.11 s with BBR and 0.45 s with BBR 3.",
        "\"wait p95\": BBR keeps packets 112 ms, the others 3 to 450 ms.",
        "BBR carries 17.1 Mbit/s (CUBIC: 2.8 Mbit/s), and resends 0.10 %.",
        "With every controller \"jain\" is 0.978 or more. At every RTT it is 0.998 at most.",
        "BBR carries 18.1 Mbit/s at 10 ms and 17.1 Mbit/s at 20 ms.",
        "With --set dumbbell.loss=0% CUBIC carries 19.2 Mbit/s. BBR carries 17.1 Mbit/s.",
    ] {
        assert_eq!(false_claims(said, &told), [""; 0], "{said}");
    }
}

#[test]
fn a_number_of_another_row_or_column_is_a_fault() {
    let told = small();
    for (said, why) in [
        ("BBR carries 2.8 Mbit/s.", "goodput of bbr at [\"\"] is 17.1"),
        ("BBR carries 17.1 Mbit/s, CUBIC 17.0 Mbit/s.", "goodput of cubic-linux"),
        ("BBR and BBR 3 carry 17.0 and 17.1 Mbit/s.", "goodput of bbr at"),
        ("BBR and BBR 3 carry 17.1 Mbit/s.", "17.0, 17.1"),
        ("BBR carries 17.1 Mbit/s. It resends 1.45 %.", "resent of bbr at"),
        ("BBR carries 18.1 Mbit/s.", "goodput of bbr at [\"\"]"),
        ("At 10 ms BBR carries 17.1 Mbit/s.", "goodput of bbr at [\"rtt=10 ms\"]"),
        ("With the others \"wait p95\" is 3 ms.", "no controller is named before"),
        ("With every controller \"wait p95\" is 112 to 450 ms.", "3, 112, 450"),
        ("With every controller \"jain\" is 0.990 or more.", "0.978"),
        ("\"wait p95\" is 0 s with CUBIC.", "is 3 ms"),
        ("BBR 3, BBR and BBR carry 17.0 to 17.1 Mbit/s.", "bbr: a clause names it twice"),
        ("BBR has 17.1 Mbit/s.", "no column is named"),
        ("\"wait p95\" is 17.1 Mbit/s with BBR.", "no column is named"),
        ("BBR carries 20 Mbit/s.", "goodput of bbr"),
        ("BBR, BBR 3 and CUBIC carry 17.1 and 17.0 Mbit/s.", "as many are not named"),
        ("CUBIC carries 19.2 Mbit/s.", "is 2.8"),
        ("With --set dumbbell.loss=0% CUBIC carries 2.8 Mbit/s.", "is 19.2"),
        ("With --set dumbbell.loss=1% CUBIC carries 2.8 Mbit/s.", "no run with these settings"),
        ("\"wait\" of BBR.", "no column and no variant"),
    ] {
        let faults = false_claims(said, &told);
        let is_found = faults.iter().any(|fault| fault.contains(why));
        assert!(is_found, "{said}: {faults:?}");
    }
}
