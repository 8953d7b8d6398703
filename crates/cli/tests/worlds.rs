//! `--on linux`: the same experiment on the running kernel.

#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;
#[cfg(feature = "kernel")]
#[path = "../../kernel/tests/common/turn.rs"]
mod turn;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use judged::{judged, kernel_has, skipped, within};
use serde_json::Value;
use support::{Folder, Run, paths_can_be_emulated, punctual};

fn kernel_helps() -> bool {
    paths_can_be_emulated(|why| skipped(why))
}

/// Runs in real time, which would make each other late.
static ALONE: Mutex<()> = Mutex::new(());

/// A wide bound: the machine may do anything meanwhile.
fn alone(folder: &Folder, arguments: &[&str]) -> Run {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let run = folder.run(&[arguments, &["--bound", "10s", "--quiet"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

fn json(folder: &Folder, file: &str) -> Value {
    serde_json::from_str(&folder.read(file)).unwrap()
}

/// The goodput of a lossless point of ten seconds, simulated like Linux and on Linux.
fn both_worlds(cc: &str, path: &[&str]) -> Result<(f64, f64), String> {
    let folder = Folder::new();
    let how = ["compare", "--like", "linux", "--loss", "none", "--time", "10s", "--warmup", "2s"];
    let out = ["--seeds", "1", "--on", "sim,linux", "--cc", cc, "--json", "out.json"];
    alone(&folder, &[&how[..], &out, path].concat());
    let document = json(&folder, "out.json");
    let [simulated, real] = &document["runs"].as_array().unwrap()[..] else {
        panic!("one run in each world")
    };
    assert_eq!((&simulated["cc"], &real["cc"]), (&cc.into(), &format!("{cc}@linux").into()));
    let goodput = |run: &Value| run["goodput_bps"].as_f64().unwrap();
    assert!(goodput(real) > 0.0, "{real}");
    punctual(real, 400.0, 20_000.0)?;
    Ok((goodput(simulated), goodput(real)))
}

/// Such a point agrees within 5 %.
fn agree(cc: &str, path: &[&str]) {
    if !kernel_helps() {
        return;
    }
    judged(
        || both_worlds(cc, path),
        |(simulated, real)| within("real over simulated", real / simulated, 0.95..1.05),
    );
}

#[test]
fn reno_on_linux_carries_what_it_carries_when_simulated() {
    agree("reno-linux", &["--rate", "10Mbit/s", "--rtt", "50ms", "--buffer", "0.5bdp"]);
}

#[test]
fn two_cubic_flows_on_linux_carry_what_they_carry_when_simulated() {
    if !kernel_has("cubic") {
        return;
    }
    agree("cubic-linux", &["--rate", "5Mbit/s", "--rtt", "100ms", "--flows", "2"]);
}

#[test]
fn delays_are_left_out_on_linux_too() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    let path = ["compare", "--on", "linux", "--cc", "reno-linux", "--seeds", "1", "--time", "2s"];
    let of = |switch| {
        alone(&folder, &[&path[..], &["--delays", switch, "--json", "out.json"]].concat());
        let run = &json(&folder, "out.json")["runs"][0];
        [&run["rtt_ms"], &run["queue_delay_ms"]].map(Value::is_object)
    };
    assert_eq!([of("on"), of("off")], [[true; 2], [false; 2]]);
}

/// Whether our controllers can be loaded here, which needs more than paths do.
#[cfg(feature = "kernel")]
fn ours_can_be_loaded() -> bool {
    let ready = westwood_kernel::environment::ready();
    ready.inspect_err(|why| skipped(why)).is_ok()
}

/// Loaded for the run if it is not there: the same code as in the simulator, in the kernel.
#[cfg(feature = "kernel")]
#[test]
fn westwood_plus_on_linux_carries_what_it_carries_when_simulated() {
    let _turn = turn::turn();
    if !ours_can_be_loaded() {
        return;
    }
    agree("westwood+", &["--rate", "10Mbit/s", "--rtt", "50ms", "--buffer", "0.5bdp"]);
}

/// Its results would stand under the name of the controller with its usual parameters.
#[cfg(feature = "kernel")]
#[test]
fn a_controller_of_ours_that_is_loaded_with_other_parameters_is_refused() {
    let _turn = turn::turn();
    if !ours_can_be_loaded() {
        return;
    }
    let folder = Folder::new();
    let loaded = folder.run(&["kernel", "load", "westwood_plus", "--set", "start=settled"]);
    if loaded.code != Some(0) {
        return skipped(&loaded.stderr);
    }
    let how = ["compare", "--on", "linux", "--cc", "westwood+", "--seeds", "1", "--time", "1s"];
    let run = folder.run(&[&how[..], &["--bound", "10s", "--quiet"]].concat());
    let kept = folder.run(&["kernel", "status"]).stdout;
    let unloaded = folder.run(&["kernel", "unload", "westwood_plus"]);
    assert_eq!(unloaded.code, Some(0), "{}", unloaded.stderr);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let says = "--on linux: westwood_plus is loaded already, as westwood+(start=settled); \
                write westwood kernel unload westwood_plus first";
    assert!(run.stderr.contains(says) && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert!(kept.contains("westwood+(start=settled)"), "it stays: {kept}");
}

/// The parameters of a loaded controller are unknown to such a build.
#[cfg(not(feature = "kernel"))]
#[test]
fn a_build_without_the_kernel_refuses_controllers_of_ours_on_linux() {
    let how = ["compare", "--on", "linux", "--cc", "reno,westwood+", "--seeds", "1", "--quiet"];
    let run = Folder::new().run(&how);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("--features kernel"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

/// Of the kernel's programs, read from the sockets: as a simulation's, in the same column.
#[cfg(feature = "kernel")]
#[test]
fn what_westwood_plus_estimates_on_linux_is_recorded() {
    let _turn = turn::turn();
    if !ours_can_be_loaded() || !kernel_helps() {
        return;
    }
    let path = ["--rate", "10Mbit/s", "--rtt", "200ms", "--loss", "none", "--time", "4s"];
    let how = ["compare", "--like", "linux", "--on", "linux", "--cc", "westwood+,reno-linux"];
    let out = ["--warmup", "1s", "--seeds", "1", "--csv", "out", "--json", "out.json"];
    let estimates = || {
        let folder = Folder::new();
        alone(&folder, &[&how[..], &path, &out].concat());
        let text = folder.read("out/windows.csv");
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
        let of = |cc: &str| {
            let of = rows.iter().filter(|row| row[1].starts_with(cc) && !row[7].is_empty());
            of.map(|row| row[7].parse::<f64>().unwrap()).collect::<Vec<_>>()
        };
        let ours = of("westwood+");
        assert!(ours.iter().any(|bwe| *bwe > 0.0), "{ours:?}");
        assert!(of("reno").is_empty(), "reno estimates nothing");
        punctual(&json(&folder, "out.json")["runs"][0], 2_000.0, 20_000.0)?;
        Ok(ours)
    };
    judged(estimates, |ours: &Vec<f64>| {
        if ours.len() <= 100 {
            return Err(format!("{} estimates", ours.len()));
        }
        // A link of 10 Mbit/s delivers no faster but for ACKs that were held up together.
        within("the last estimate", *ours.last().unwrap(), 1e6..15e6)
    });
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
fn a_dry_run_tells_the_real_time_that_a_kernel_takes() {
    if !kernel_helps() {
        return;
    }
    let path = ["compare", "--cc", "reno-linux", "--seeds", "4", "--dry-run", "--on"];
    for (on, said) in [
        ("linux", "= 4 runs, one after the other in real time, about 4 min"),
        ("sim,linux", ", and as many on Linux, one after the other in real time, about 4 min"),
    ] {
        let run = Folder::new().run(&[&path[..], &[on]].concat());
        let words = run.stdout.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(words.contains(said), "{words} {}", run.stderr);
    }
}

#[test]
fn a_scenario_runs_on_linux_and_is_drawn_and_kept() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    let run = ["run", "s.toml", "--on", "linux", "--json", "out.json", "--out", "kept"];
    alone(&folder, &[&run[..], &["--html", "page.html"]].concat());
    let first = json(&folder, "out.json")["runs"][0].take();
    assert_eq!(first["groups"][0]["recovery"], "the kernel's");
    assert_eq!(first["summary"]["lateness_us"]["bound"], 10e6, "{first}");
    // Curves are those of the run itself, which cannot be repeated.
    let page = folder.read("page.html");
    assert!(page.contains("cwnd") && page.contains("reno-linux"), "windows are drawn");
    // Kept runs are not repeated: no real run equals another to the last digit.
    alone(&folder, &[&run[..], &["--resume"]].concat());
    assert_eq!(json(&folder, "out.json")["runs"][0], first);
    // The simulator's runs are kept elsewhere.
    let simulated = folder.run(&["run", "s.toml", "--quiet", "--out", "kept", "--resume"]);
    assert_eq!(simulated.code, Some(0), "{}", simulated.stderr);
    assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 2);
}

#[test]
fn datagrams_arrive_beside_a_connection() {
    if !kernel_helps() {
        return;
    }
    let goodputs = || {
        let folder = Folder::new();
        folder.write("s.toml", SCENARIO);
        alone(&folder, &["run", "s.toml", "--on", "linux", "--json", "out.json"]);
        let run = json(&folder, "out.json")["runs"][0].take();
        let goodput = |group: &Value| group["goodput_bps"].as_f64().unwrap();
        let (main, voice) = (goodput(&run["summary"]), goodput(&run["groups"][1]));
        assert!(main > 0.0 && voice > 0.0, "{run}");
        punctual(&run["summary"], 400.0, 20_000.0)?;
        Ok((main, voice))
    };
    judged(goodputs, |(main, voice)| {
        within("the connection's goodput", *main, 5e6..)?;
        within("the datagrams' goodput", *voice, 0.5e6..=1.05e6)
    });
}

/// The finished runs of a killed campaign are kept to the last digit, and the rest is run.
#[test]
fn a_campaign_that_was_killed_goes_on_with_what_is_missing() {
    if !kernel_helps() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    let run = ["run", "s.toml", "--on", "linux", "--bound", "10s", "--quiet", "--out", "kept"];
    let run = [&run[..], &["--seeds", "4", "--set", "time=1s", "--set", "warmup=0s"]].concat();
    let mut first = folder.command(&run).spawn().unwrap();
    let journal = || {
        let kept = std::fs::read_dir(folder.path().join("kept")).ok()?.next()?.unwrap();
        std::fs::read_to_string(kept.path().join("journal.jsonl")).ok()
    };
    let begun = Instant::now();
    let before = loop {
        let lines = journal().unwrap_or_default();
        if lines.ends_with('\n') {
            break lines;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no run ends");
        std::thread::sleep(Duration::from_millis(5));
    };
    first.kill().unwrap();
    first.wait().unwrap();
    let second = folder.run(&[&run[..], &["--resume", "--json", "out.json"]].concat());
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert!(journal().unwrap().starts_with(&before), "what was kept stays");
    let document = json(&folder, "out.json");
    let runs = document["runs"].as_array().unwrap();
    let finished = runs.iter().filter(|run| run["error"].is_null()).count();
    assert_eq!((runs.len(), finished), (4, 4));
    for line in before.lines() {
        let kept: Value = serde_json::from_str(line).unwrap();
        let seed = &kept["record"]["seed"];
        let again = runs.iter().find(|run| run["seed"] == *seed).unwrap();
        let goodput = |run: &Value| run["summary"]["goodput_bps"].as_f64();
        assert_eq!(goodput(again), goodput(&kept["record"]), "seed {seed}");
    }
}

/// The packets of a pcapng file, from their IP headers on.
fn packets(file: &std::path::Path) -> Vec<Vec<u8>> {
    const ENHANCED_PACKET: u32 = 6;
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut at, mut packets) = (0, Vec::new());
    while at < bytes.len() {
        let length = word(at + 4) as usize;
        if word(at) == ENHANCED_PACKET {
            let kept = word(at + 20) as usize;
            packets.push(bytes[at + 28..at + 28 + kept].to_vec());
        }
        at += length;
    }
    packets
}

#[test]
fn captures_of_a_real_run_are_named_as_the_simulators_and_agree_with_each_other() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    alone(&folder, &["run", "s.toml", "--on", "linux", "--pcap", "real"]);
    let simulated = folder.run(&["run", "s.toml", "--quiet", "--pcap", "simulated"]);
    let names = |of: &str| {
        let entries = std::fs::read_dir(folder.path().join(of)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(simulated.code, Some(0), "{}", simulated.stderr);
    let real =
        names("real").into_iter().map(|name| name.to_string_lossy().replacen("-linux", "", 1));
    let simulated = names("simulated").into_iter().map(|name| name.to_string_lossy().into_owned());
    assert_eq!(real.collect::<Vec<_>>(), simulated.collect::<Vec<_>>());
    let at = |place: &str| {
        packets(&folder.path().join(format!("real/1-reno-linux-linux-seed1-{place}.pcapng")))
    };
    // 198.19.0.0/16 has the receivers: what came off the bottleneck is what reached them.
    let to_receivers: Vec<_> = at("b").into_iter().filter(|ip| ip[16..18] == [198, 19]).collect();
    let off_the_link = at("bottleneck");
    assert!(off_the_link.len() > 3, "{} packets", off_the_link.len());
    assert_eq!(to_receivers, off_the_link);
    assert!(at("a").len() > off_the_link.len(), "and what was sent, and ACKs");
}

#[test]
fn a_bound_that_nobody_keeps_makes_a_run_invalid_and_says_which_it_was() {
    if !kernel_helps() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = ["--rate", "1Mbit/s", "--rtt", "40ms", "--loss", "none", "--time", "1s"];
    let how = ["compare", "--on", "linux", "--cc", "reno", "--seeds", "1", "--quiet"];
    let run = Folder::new().run(&[&how[..], &path, &["--bound", "1us"]].concat());
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("the bound is 1 us"), "{}", run.stderr);
    assert!(run.stderr.contains("allow more with --bound"), "{}", run.stderr);
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
        (&["compare", "--bound", "1s"], 2, "--bound: simulated packets are never late"),
        (&["run", "s.toml", "--bound", "1s"], 2, "add --on linux"),
        (&["reproduce", "--bound", "1s"], 2, "add --on linux"),
        (&["run", "s.toml", "--on", "linux", "--pcap", "c", "--pcap-points", "x"], 2, "'x'"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(folder.names(), ["s.toml"], "nothing was written");
}

const CARD_CRITERIA: &str = r#"
title = "Small criteria"
source = "a test"
references = ["reno"]

[[criterion]]
section = "1"
title = "Use"
requirement = "MUST"
says = "The link MUST be used."
asks = "Is the link used?"
[[criterion.test]]
scenario = "small"
measure = "utilization"
threshold = "third"
about = "At least a third of the link is used."

[[criterion]]
section = "2"
title = "Shares"
requirement = "MUST"
says = "The link MUST be shared."
asks = "Is the link shared?"
[[criterion.test]]
scenario = "small"
measure = "jain"
threshold = "third"
about = "It is shared."
not_on_linux = "nobody shares there"
"#;

/// Eight runs of 1.5 s, which is the first look at a card.
#[test]
fn a_card_of_linux_is_judged_and_says_what_cannot_be_emulated() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    folder.write("own/criteria.toml", CARD_CRITERIA);
    folder.write(
        "own/thresholds.toml",
        "[third]\nof = \"value\"\nat_least = 0.33\nwhy = \"a test\"\nsource = \"a test\"\n",
    );
    folder.write(
        "own/small.toml",
        "cc = \"reno\"\ntime = \"1.5 s\"\nwarmup = \"0.5 s\"\n\
         dumbbell = { rate = \"4 Mbit/s\", rtt = \"20 ms\" }\n",
    );
    let card = ["evaluate", "rfc9743", "--criteria", "own", "--cc", "reno", "--on", "linux"];
    let outputs = ["--fresh", "--json", "card.json", "--html", "card.html"];
    alone(&folder, &[&card[..], &outputs].concat());
    let card = &json(&folder, "card.json")[0];
    assert_eq!(card["on"], "linux");
    let [used, shared] = [&card["criteria"][0], &card["criteria"][1]];
    let cell = &used["tests"][0]["cells"][0];
    assert_eq!((&used["verdict"], &cell["exact"]), (&"pass".into(), &false.into()), "{cell}");
    assert!(cell["seeds"].as_array().unwrap().len() >= 8);
    assert!(cell["command"].as_str().unwrap().ends_with("--on linux"), "{cell}");
    assert_eq!(shared["verdict"], "not-applicable");
    assert_eq!(shared["reason"], "nobody shares there");
    assert!(folder.read("card.html").contains("nobody shares there"));
}
