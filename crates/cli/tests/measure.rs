//! `westwood measure` against a stock iperf3 server: on the loopback interface, and over a path of
//! veth and tbf in network namespaces. Without iperf3 or root these tests skip, unless
//! `WESTWOOD_REQUIRE_KERNEL` is set.

#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;
#[path = "../../kernel/tests/common/turn.rs"]
mod turn;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use judged::{Calm, judged, kernel_has, skipped, within};
use serde_json::Value;
use support::{Folder, Run, paths_can_be_emulated};

/// An iperf3 server that ends with the test.
struct Iperf3(Child);

impl Iperf3 {
    /// Started by this command, which the server's own arguments follow.
    fn start(mut command: Command, address: &str, port: u16) -> Option<Self> {
        command.args(["--server", "--forceflush", "--bind", address, "--port", &port.to_string()]);
        let Ok(mut child) = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            skipped("no iperf3 to measure against: install the package iperf3");
            return None;
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let listening = lines.by_ref().any(|line| line.unwrap().contains("listening"));
        assert!(listening, "iperf3 begins to listen");
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self(child))
    }
}

impl Drop for Iperf3 {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server on the loopback interface, and its port as text.
fn loopback() -> Option<(Iperf3, String)> {
    let port = free_port();
    let server = Iperf3::start(Command::new("iperf3"), "127.0.0.1", port)?;
    Some((server, port.to_string()))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn order(document: &Value) -> String {
    let runs = document["runs"].as_array().unwrap().iter();
    let turn = |run: &Value| format!("{}{}", run["cc"].as_str().unwrap(), run["round"]);
    runs.map(turn).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_campaign_alternates_its_controllers_and_writes_everything() {
    if !kernel_has("cubic") {
        return;
    }
    let Some((_server, port)) = loopback() else { return };
    let folder = Folder::new();
    let run = folder.run(&[
        "measure",
        "--server",
        "127.0.0.1",
        "--port",
        &port,
        "--cc",
        "reno,cubic",
        "--size",
        "2MB",
        "--repeat",
        "2",
        "--pause",
        "0s",
        "--flows",
        "2",
        "--out",
        "campaign",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for said in ["reno", "cubic", "goodput", "against", "by each of 2 flows"] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    let document = json(&folder.read("campaign/results.json"));
    assert_eq!(document["schema"], "westwood.measure/1");
    assert_eq!(order(&document), "reno1 cubic1 cubic2 reno2");
    for run in document["runs"].as_array().unwrap() {
        assert_eq!(run["received_bytes"], 4_000_000);
    }
    assert_eq!(folder.read("campaign/runs.csv").lines().count(), 5);
    assert!(folder.read("campaign/samples.csv").starts_with("round,cc,flow,time_s,cwnd_packets,"));
    assert!(folder.read("campaign/report.html").contains("Goodput of every round"));
}

#[test]
fn a_campaign_that_broke_goes_on_and_repeats_nothing() {
    if !kernel_has("cubic") {
        return;
    }
    let Some((server, port)) = loopback() else { return };
    let folder = Folder::new();
    let arguments = [
        "measure",
        "--server",
        "127.0.0.1",
        "--port",
        &port,
        "--cc",
        "reno,cubic",
        "--time",
        "300ms",
        "--repeat",
        "3",
        "--pause",
        "1s",
        "--out",
        "campaign",
    ];
    let mut first =
        folder.command(&arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("campaign/journal.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let began = Instant::now();
    // The settings and two of six runs, then the power goes.
    while lines() < 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "no run ends");
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let kept = std::fs::read_to_string(&journal).unwrap();
    let refused = folder.run(&arguments);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("write --resume to go on"), "{}", refused.stderr);
    let resumed = folder.run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(std::fs::read_to_string(&journal).unwrap().starts_with(&kept), "what was kept stays");
    let document = json(&folder.read("campaign/results.json"));
    assert_eq!(order(&document), "reno1 cubic1 cubic2 reno2 reno3 cubic3");
    // Nothing is left to do, so no server is needed for the report.
    drop(server);
    let again = folder.run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}

#[test]
fn what_cannot_be_measured_is_said_in_one_line() {
    let folder = Folder::new();
    let port = free_port().to_string();
    for (arguments, code, said) in [
        (&["--server", "127.0.0.1", "--cc", "reno,no_such"][..], 4, "modprobe tcp_no_such"),
        (
            &["--server", "127.0.0.1", "--port", &port, "--cc", "reno", "--out", "campaign"],
            4,
            "run iperf3 -s there",
        ),
        (&["--server", "no..such", "--cc", "reno"], 4, "the server 'no..such' has no address"),
        (&["--server", "127.0.0.1", "--cc", "re no"], 2, "--cc: 're no' is no name"),
        (&["--server", "h", "--cc", "linux:westwood"], 2, "--cc: 'linux:westwood' is no name"),
        (
            &["--server", "h", "--cc", "westwood-linux(mode=x)"],
            2,
            "--cc: westwood-linux: has no parameter 'mode'",
        ),
        (
            &["--server", "h", "--cc", "westwood+(tau=0s)"],
            2,
            "--cc: westwood+: tau: '0s' is out of range",
        ),
        (&["--server", "h", "--cc", "reno,reno-linux"], 2, "--cc: 'reno-linux' is named twice"),
        (&["--server", "127.0.0.1", "--cc", "reno,reno"], 2, "--cc: 'reno' is named twice"),
        (&["--cc", "reno"], 2, "--server is missing"),
        (&["--server", "h:5201", "--cc", "reno"], 2, "write --server h --port 5201"),
        (&["--server", "127.0.0.1"], 2, "--cc is missing"),
        (&["--server", "h", "--cc", "reno", "--background", "tcp"], 2, "--background: 'tcp'"),
        (&["--server", "h", "--cc", "reno", "--size", "1MB", "--time", "1s"], 2, "--time"),
        (&["--server", "h", "--cc", "reno", "--resume"], 2, "--out"),
    ] {
        let run = folder.run(&[&["measure"], arguments].concat());
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// Under `westwood` the kernel has its own controller, and this project the one of 2002.
#[test]
fn a_name_means_one_controller_everywhere_and_is_told_how_to_load() {
    // No other test loads ours meanwhile.
    let _turn = turn::turn();
    let offered = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let offered = offered.unwrap_or_default();
    let emulates = paths_can_be_emulated(|why| skipped(why));
    let folder = Folder::new();
    for (name, kernel, mend) in [
        ("westwood", "westwood_2002", "westwood kernel load westwood_2002"),
        ("westwood+", "westwood_plus", "westwood kernel load westwood_plus"),
        ("log-westwood", "log_westwood", "westwood kernel load log_westwood"),
        ("westwood-linux", "westwood", "modprobe tcp_westwood"),
        ("illinois", "illinois", "modprobe tcp_illinois"),
        ("compound", "compound", "no kernel of kernel.org has it"),
    ] {
        if offered.split_whitespace().any(|offered| offered == kernel) {
            // The statement is of controllers that are not there.
            let _ = writeln!(std::io::stderr(), "skipped: this kernel has {kernel}");
            continue;
        }
        let mut runs = vec![folder.run(&["measure", "--server", "127.0.0.1", "--cc", name])];
        runs.extend(emulates.then(|| folder.run(&["emulate", "--cc", name, "--", "true"])));
        for run in runs {
            assert_eq!(run.code, Some(4), "{name}: {}", run.stderr);
            assert!(run.stderr.contains(mend), "{name}: {}", run.stderr);
        }
    }
}

#[cfg(feature = "kernel")]
#[test]
fn what_our_controller_estimates_is_among_the_samples() {
    let _turn = turn::turn();
    let folder = Folder::new();
    let loaded = folder.run(&["kernel", "load", "westwood+"]);
    if loaded.code != Some(0) {
        return skipped(&loaded.stderr);
    }
    let measured = loopback().map(|(_server, port)| {
        let how = ["--cc", "westwood+,reno", "--time", "3s", "--repeat", "1", "--pause", "0s"];
        let to = ["measure", "--server", "127.0.0.1", "--port", &port, "--json", "-"];
        folder.run(&[&to[..], &how].concat())
    });
    let unloaded = folder.run(&["kernel", "unload", "westwood+"]);
    assert_eq!(unloaded.code, Some(0), "{}", unloaded.stderr);
    let Some(run) = measured else { return };
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for run in json(&run.stdout)["runs"].as_array().unwrap() {
        let estimates = run["samples"].as_array().unwrap().iter().map(|s| s["bwe_bps"].as_u64());
        assert_eq!(estimates.flatten().any(|bwe| bwe > 0), run["cc"] == "westwood+", "{run}");
    }
}

/// Two network namespaces with a link between them, whose data direction is slow; gone with the test.
struct Path {
    near: String,
    far: String,
}

impl Path {
    /// A path of this rate and queue, as tc writes them.
    fn new(name: &str, rate: &str, queue: &str) -> Option<Self> {
        let id = std::process::id();
        let path = Self { near: format!("wwm-{id}-{name}-a"), far: format!("wwm-{id}-{name}-b") };
        let Self { near, far } = &path;
        let namespace = Command::new("ip").args(["netns", "add", near]).output();
        if !namespace.is_ok_and(|made| made.status.success()) {
            skipped("no network namespaces: root and the package iproute2 are needed");
            return None;
        }
        ip(&["netns", "add", far]);
        ip(&["-n", near, "link", "add", "w0", "type", "veth", "peer", "name", "w0", "netns", far]);
        for (end, address) in [(near, "10.77.0.1/24"), (far, "10.77.0.2/24")] {
            ip(&["-n", end, "address", "add", address, "dev", "w0"]);
            ip(&["-n", end, "link", "set", "w0", "up"]);
            ip(&["-n", end, "link", "set", "lo", "up"]);
        }
        let tbf = [
            "qdisc", "add", "dev", "w0", "root", "tbf", "rate", rate, "burst", "3kb", "limit",
            queue,
        ];
        match Command::new("tc").args(["-n", near]).args(tbf).output() {
            Ok(shaped) if shaped.status.success() => return Some(path),
            Ok(shaped) => skipped(String::from_utf8_lossy(&shaped.stderr)),
            Err(error) => skipped(format!("tc: {error}")),
        }
        None
    }

    fn within(namespace: &str, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", namespace, program]);
        command
    }

    /// The server at the far end.
    fn server(&self) -> Option<Iperf3> {
        Iperf3::start(Self::within(&self.far, "iperf3"), "10.77.0.2", 5201)
    }

    /// The command at the near end.
    fn measure(&self, folder: &Folder, arguments: &[&str]) -> Run {
        let mut command = Self::within(&self.near, env!("CARGO_BIN_EXE_westwood"));
        command.args(["measure", "--server", "10.77.0.2"]).args(arguments);
        Run::from(command.current_dir(folder.path()).output().unwrap())
    }
}

impl Drop for Path {
    fn drop(&mut self) {
        for namespace in [&self.near, &self.far] {
            let _ = Command::new("ip").args(["netns", "delete", namespace]).status();
        }
    }
}

fn ip(arguments: &[&str]) {
    let output = Command::new("ip").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_slow_path_is_measured_as_slow_as_it_is_and_its_queue_is_seen() {
    if !kernel_has("cubic") {
        return;
    }
    let Some(path) = Path::new("slow", "4mbit", "60kb") else { return };
    let Some(_server) = path.server() else { return };
    let how = ["--cc", "reno,cubic", "--size", "1MB", "--repeat", "2", "--pause", "100ms"];
    let runs = || {
        let calm = Calm::begin();
        let run = path.measure(&Folder::new(), &[&how[..], &["--json", "-"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let runs = json(&run.stdout)["runs"].take().as_array().unwrap().clone();
        for run in &runs {
            // 1448 of every 1514 bytes are payload: 3.83 Mbit/s less the start, and never more.
            let goodput = run["goodput_bps"].as_f64().unwrap();
            assert!(goodput > 0.0 && goodput < 3.9e6, "{goodput}");
            assert_eq!(run["received_bytes"], 1_000_000);
        }
        calm.end().map(|()| runs)
    };
    judged(runs, |runs| {
        runs.iter().try_for_each(|run| {
            within("goodput", run["goodput_bps"].as_f64().unwrap(), 2.5e6..)?;
            // 60 kB wait for 120 ms.
            within("the mean RTT", run["srtt_mean_ms"].as_f64().unwrap(), 10.0..200.0)?;
            let samples = run["samples"].as_array().unwrap().iter();
            let largest = samples.map(|s| s["cwnd_packets"].as_f64().unwrap()).fold(0.0, f64::max);
            within("the window that grows to the queue", largest, 20.0..)
        })
    });
}

#[test]
fn background_traffic_takes_its_share_of_a_path() {
    let Some(path) = Path::new("shared", "4mbit", "60kb") else { return };
    let Some(_server) = path.server() else { return };
    let goodput = |background: &[&str]| {
        let plain = ["--cc", "reno", "--time", "2s", "--repeat", "1", "--json", "-"];
        let run = path.measure(&Folder::new(), &[&plain[..], background].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let goodput = json(&run.stdout)["runs"][0]["goodput_bps"].as_f64().unwrap();
        assert!(goodput > 0.0);
        goodput
    };
    let share = || {
        let calm = Calm::begin();
        let (alone, beside) = (goodput(&[]), goodput(&["--background", "cbr:2Mbit/s"]));
        calm.end().map(|()| beside / alone)
    };
    judged(share, |share| within("the share left beside 2 of 4 Mbit/s", *share, ..0.8));
}
