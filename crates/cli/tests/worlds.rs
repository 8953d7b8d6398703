//! `--on linux`: the same experiment on the running kernel.

mod support;
#[cfg(feature = "kernel")]
#[path = "../../kernel/tests/common/turn.rs"]
mod turn;

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use support::{Folder, Run};

/// Whether paths can be emulated here. If not, a line says why; it is a failure where
/// `WESTWOOD_REQUIRE_KERNEL` is 1.
fn kernel_helps() -> bool {
    let run = Folder::new().run(&["emulate", "--quiet", "--bound", "10s", "--", "true"]);
    if run.code != Some(0) {
        not_judged("skipped", &run.stderr);
    }
    run.code == Some(0)
}

/// Says why nothing was judged; that is a failure where `WESTWOOD_REQUIRE_KERNEL` is 1.
fn not_judged(word: &str, why: &str) {
    let required = std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_some_and(|v| v == "1");
    assert!(!required, "WESTWOOD_REQUIRE_KERNEL=1, but {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "{word}: {}", why.trim_end());
}

/// Runs in real time, which would make each other late.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs it once more if the machine was too busy to be punctual, which it tries three times itself. None
/// if it never was: then nothing can be said of the run.
fn punctual(folder: &Folder, arguments: &[&str]) -> Option<Run> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut run = folder.run(arguments);
    if run.code == Some(5) {
        run = folder.run(arguments);
    }
    if run.code == Some(5) {
        not_judged("not judged", &run.stderr);
        return None;
    }
    Some(run)
}

/// The mean goodput of each controller, in the order of the results.
fn goodputs(folder: &Folder, file: &str) -> Vec<(String, f64)> {
    let json: serde_json::Value = serde_json::from_str(&folder.read(file)).unwrap();
    let runs = json["runs"].as_array().unwrap();
    let one = |run: &serde_json::Value| {
        (run["cc"].as_str().unwrap().to_owned(), run["goodput_bps"].as_f64().unwrap())
    };
    runs.iter().map(one).collect()
}

/// What a lossless point of ten seconds carries, simulated like Linux and on Linux; none if the machine
/// is too busy to tell.
fn both_worlds(cc: &str, path: &[&str]) -> Option<(f64, f64)> {
    let folder = Folder::new();
    let how = ["compare", "--like", "linux", "--loss", "none", "--time", "10s", "--warmup", "2s"];
    let out = ["--seeds", "1", "--quiet", "--on", "sim,linux", "--cc", cc, "--json", "out.json"];
    let run = punctual(&folder, &[&how[..], &out, path].concat())?;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let [(sim, simulated), (linux, real)] = &goodputs(&folder, "out.json")[..] else {
        panic!("one run in each world")
    };
    assert_eq!((sim.as_str(), linux.as_str()), (cc, format!("{cc}@linux").as_str()));
    Some((*simulated, *real))
}

/// Such a point agrees within 5 %. A stall within the bounds may cost a run one more reduction of its
/// window; what differs in the median of three differs.
fn agree(cc: &str, path: &[&str]) {
    if !kernel_helps() {
        return;
    }
    let mut real = Vec::new();
    for _ in 0..3 {
        let Some((simulated, carried)) = both_worlds(cc, path) else { return };
        real.push(carried);
        real.sort_by(f64::total_cmp);
        let median = real[real.len() / 2];
        // One alone, or the middle one of three.
        if real.len() != 2 && (median / simulated - 1.0).abs() < 0.05 {
            return;
        }
        assert!(real.len() < 3, "{cc}: {simulated} simulated, {real:?} on Linux");
    }
}

#[test]
fn reno_on_linux_carries_what_it_carries_when_simulated() {
    agree("reno-linux", &["--rate", "10Mbit/s", "--rtt", "50ms", "--buffer", "0.5bdp"]);
}

#[test]
fn two_cubic_flows_on_linux_carry_what_they_carry_when_simulated() {
    agree("cubic-linux", &["--rate", "5Mbit/s", "--rtt", "100ms", "--flows", "2"]);
}

/// Loaded for the run if it is not there: the same code as in the simulator, in the kernel.
#[cfg(feature = "kernel")]
#[test]
fn westwood_plus_on_linux_carries_what_it_carries_when_simulated() {
    let _turn = turn::turn();
    agree("westwood+", &["--rate", "10Mbit/s", "--rtt", "50ms", "--buffer", "0.5bdp"]);
}

/// Of the kernel's programs, read from the sockets: as a simulation's, in the same column.
#[cfg(feature = "kernel")]
#[test]
fn what_westwood_plus_estimates_on_linux_is_recorded() {
    let _turn = turn::turn();
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    let path = ["--rate", "10Mbit/s", "--rtt", "200ms", "--loss", "none", "--time", "4s"];
    let how = ["compare", "--like", "linux", "--on", "linux", "--cc", "westwood+,reno-linux"];
    let out = ["--warmup", "1s", "--seeds", "1", "--quiet", "--csv", "out"];
    let Some(run) = punctual(&folder, &[&how[..], &path, &out].concat()) else { return };
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = folder.read("out/cwnd.csv");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
    let estimates = |cc: &str| {
        let of = rows.iter().filter(|row| row[0].starts_with(cc) && !row[6].is_empty());
        of.map(|row| row[6].parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let ours = estimates("westwood+");
    assert!(ours.len() > 100, "{} estimates", ours.len());
    // A link of 10 Mbit/s delivers no faster but for ACKs that were held up together.
    let last = ours.last().unwrap();
    assert!((1e6..15e6).contains(last), "{last}");
    assert!(estimates("reno").is_empty(), "reno estimates nothing");
}

/// Three seconds of a connection with datagrams beside it.
const SCENARIO: &str = r#"
cc = ["reno-linux"]
like = "linux"
time = "3s"
warmup = "1s"
seeds = 1
[[link]]
name = "bottleneck"
from = "a"
to = "b"
rate = "10Mbit/s"
delay = "20ms"
buffer = "1bdp"
[[flow]]
name = "main"
from = "a"
to = "b"
[[flow]]
name = "voice"
from = "a"
to = "b"
udp = { rate = "1Mbit/s", packet = "200B" }
"#;

#[test]
fn a_scenario_runs_on_linux_and_is_drawn_and_kept() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    let run = ["run", "s.toml", "--on", "linux", "--quiet", "--json", "out.json", "--out", "kept"];
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let first = folder.run(&[&run[..], &["--html", "page.html"]].concat());
    drop(alone);
    let json: serde_json::Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let record = &json["runs"][0];
    let too_busy = |error: &&str| error.contains("the emulation is invalid");
    if let Some(error) = record["error"].as_str().filter(too_busy) {
        return not_judged("not judged", error);
    }
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert_eq!(record["groups"][0]["recovery"], "the kernel's");
    assert!(record["summary"]["goodput_bps"].as_f64().unwrap() > 5e6, "{record}");
    let voice = record["groups"][1]["goodput_bps"].as_f64().unwrap();
    assert!((0.5e6..=1.05e6).contains(&voice), "datagrams arrive at {voice} bit/s");
    // Curves are those of the run itself, which nobody can repeat.
    let page = folder.read("page.html");
    assert!(page.contains("cwnd") && page.contains("reno-linux"), "windows are drawn");
    // What is kept is not run once more; what the simulator gives is kept elsewhere.
    let begin = std::time::Instant::now();
    let again = folder.run(&[&run[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(begin.elapsed().as_secs() < 3, "a finished run was repeated");
    let same: serde_json::Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(&same["runs"][0]["summary"]["goodput_bps"], &record["summary"]["goodput_bps"]);
    let simulated = folder.run(&["run", "s.toml", "--quiet", "--out", "kept", "--resume"]);
    assert_eq!(simulated.code, Some(0), "{}", simulated.stderr);
    assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 2);
}

#[test]
fn what_cannot_be_done_on_linux_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("s.toml", "cc = [\"reno\"]\n[dumbbell]\nrate = \"10Mbit/s\"\nrtt = \"40ms\"\n");
    for (arguments, code, part) in [
        (&["compare", "--on", "mars"][..], 2, "--on"),
        (&["compare", "--on", "linux,linux"], 2, "twice"),
        (&["compare", "--on", "linux", "--cc", "compound"], 2, "Linux has no controller"),
        (&["compare", "--on", "linux", "--cc", "reno(keep=0.7)"], 2, "with parameters"),
        (&["compare", "--on", "linux", "--pcap", "caps"], 2, "--pcap"),
        (&["run", "s.toml", "--on", "linux", "--pcap", "caps"], 2, "--pcap"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(folder.names(), ["s.toml"], "nothing was written");
}
