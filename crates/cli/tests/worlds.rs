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
    if run.code == Some(0) {
        return true;
    }
    let required = std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_some_and(|v| v == "1");
    assert!(!required, "WESTWOOD_REQUIRE_KERNEL=1, but {}", run.stderr);
    // Past the test harness, which would keep it to itself.
    let _ = write!(std::io::stderr(), "skipped: {}", run.stderr);
    false
}

/// Two emulations at a time would make each other late.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs it again if the machine was too busy to be punctual, a few times.
fn punctual(folder: &Folder, arguments: &[&str]) -> Run {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut run = folder.run(arguments);
    for _ in 0..4 {
        if run.code != Some(5) {
            break;
        }
        run = folder.run(arguments);
    }
    run
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

/// A lossless point of ten seconds, simulated like Linux and on Linux: within 5 %.
fn agree(cc: &str, path: &[&str]) {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    let how = ["compare", "--like", "linux", "--loss", "none", "--time", "10s", "--warmup", "2s"];
    let out = ["--seeds", "1", "--quiet", "--on", "sim,linux", "--cc", cc, "--json", "out.json"];
    let run = punctual(&folder, &[&how[..], &out, path].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let [(sim, simulated), (linux, real)] = &goodputs(&folder, "out.json")[..] else {
        panic!("one run in each world")
    };
    assert_eq!((sim.as_str(), linux.as_str()), (cc, format!("{cc}@linux").as_str()));
    assert!((real / simulated - 1.0).abs() < 0.05, "{cc}: {simulated} simulated, {real} on Linux");
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
    let run = punctual(&folder, &[&how[..], &path, &out].concat());
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

#[test]
fn a_scenario_runs_on_linux_and_says_so() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "cc = [\"reno-linux\"]\nlike = \"linux\"\ntime = \"3s\"\nwarmup = \"1s\"\nseeds = 1\n\
         [dumbbell]\nrate = \"10Mbit/s\"\nrtt = \"40ms\"\nloss = \"none\"\n",
    );
    let run = folder.run(&["run", "s.toml", "--on", "linux", "--quiet", "--json", "out.json"]);
    // On a busy machine the run is invalid, and says so in its place.
    let json: serde_json::Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let first = &json["runs"][0];
    if run.code != Some(0) {
        assert!(first["error"].as_str().unwrap().contains("the emulation is invalid"), "{first}");
        return;
    }
    assert_eq!(first["groups"][0]["recovery"], "the kernel's");
    assert!(first["summary"]["goodput_bps"].as_f64().unwrap() > 5e6, "{first}");
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
        (&["run", "s.toml", "--on", "linux", "--html", "page.html"], 2, "--html"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(folder.names(), ["s.toml"], "nothing was written");
}
