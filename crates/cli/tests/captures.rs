//! `--pcap`: captures of the runs that are reported, as Wireshark reads them. Without `tshark` what
//! needs it is left out, unless `WESTWOOD_NEEDS_TSHARK` is set.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::Folder;

/// Two runs of each controller in which every segment is acknowledged by itself.
const PATH: [&str; 16] = [
    "compare",
    "--cc",
    "reno,westwood+",
    "--time",
    "8s",
    "--warmup",
    "0s",
    "--seeds",
    "2",
    "--delayed-ack",
    "off",
    "--loss",
    "1%",
    "--quiet",
    "--like",
    "rfc",
];

fn run(folder: &Folder, flags: &[&str]) -> support::Run {
    let run = folder.run(&[&PATH[..], flags].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

/// True if there is a dissector to ask.
fn tshark() -> bool {
    let mut command = Command::new("tshark");
    let found = command.arg("--version").stdout(Stdio::null()).status().is_ok();
    let needed = std::env::var_os("WESTWOOD_NEEDS_TSHARK").is_some();
    assert!(found || !needed, "tshark is missing: install the package tshark");
    if !found {
        // Past the test harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: no tshark to read the captures with");
    }
    found
}

/// One field of the packets that a display filter lets through.
fn field(folder: &Folder, file: &str, filter: &str, field: &str) -> Vec<String> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(folder.path().join(file))
        .args(["-o", "tcp.check_checksum:TRUE", "-Y", filter, "-T", "fields", "-e", field])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn count(folder: &Folder, file: &str, filter: &str) -> u64 {
    field(folder, file, filter, "frame.number").len() as u64
}

fn files(folder: &Folder, captures: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path().join(captures)).unwrap();
    let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name();
    let mut names: Vec<String> = entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn captures_show_the_run_that_is_reported() {
    let folder = Folder::new();
    // Whole packets, so that their checksums can be checked.
    let whole = ["--pcap", "caps", "--pcap-snaplen", "65535", "--write-scenario", "f.toml"];
    run(&folder, &whole);
    let again = folder.run(&["run", "f.toml", "-q", "--json", "b.json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    if !tshark() {
        return;
    }
    // The scenario of the comparison tells more of each flow.
    let report = json(&folder, "b.json");
    for (number, cc) in ["reno", "westwood+"].into_iter().enumerate() {
        let runs = report["runs"].as_array().unwrap();
        let of = |run: &&Value| run["point"] == number && run["seed"] == 1;
        let record = runs.iter().find(of).unwrap();
        let (run, flow) = (&record["summary"], &record["groups"][0]["flows"][0]);
        let file = |place: &str| format!("caps/{}-{cc}-seed1-{place}.pcapng", number + 1);
        let sender = file("sender-of-flow-1");
        let resent = flow["retransmitted_packets"].as_u64().unwrap();
        assert!(resent > 5, "a run without losses shows nothing");
        assert_eq!(count(&folder, &sender, "tcp.len > 0"), flow["sent_packets"].as_u64().unwrap());
        // A repair that leaves just after new data looks to Wireshark as if it were out of order.
        let again = "tcp.analysis.retransmission or tcp.analysis.out_of_order";
        assert_eq!(count(&folder, &sender, again), resent, "{cc}");
        assert_eq!(count(&folder, &sender, "not tcp.checksum.status == \"Good\""), 0);
        // Each loss is told by duplicate ACKs, three at least unless a timeout came first.
        let duplicates = count(&folder, &sender, "tcp.analysis.duplicate_ack");
        assert!(duplicates >= 3 * run["fast_recoveries"].as_u64().unwrap(), "{duplicates}");
        // The packets that leave the bottleneck are those that entered it, less its losses.
        let lost = run["drops"]["random"].as_u64().unwrap();
        let passed = count(&folder, &file("bottleneck"), "tcp.len > 0");
        let sent = flow["sent_packets"].as_u64().unwrap();
        assert!(
            lost > 0 && passed + lost <= sent && sent <= passed + lost + 200,
            "{passed} {lost}"
        );

        // Wireshark times a segment to its ACK. The sender's least sample is among them, exactly.
        let rtts = field(
            &folder,
            &sender,
            "tcp.analysis.ack_rtt and not tcp.analysis.duplicate_ack",
            "tcp.analysis.ack_rtt",
        );
        let least = rtts.iter().map(|s| s.parse::<f64>().unwrap()).fold(f64::MAX, f64::min);
        let ours = run["rtt_ms"]["min"].as_f64().unwrap();
        assert!((least * 1e3 - ours).abs() < 1e-6, "{least} s, {ours} ms");
    }
}

#[test]
fn a_capture_changes_no_number() {
    let folder = Folder::new();
    run(&folder, &["--json", "a.json"]);
    run(&folder, &["--json", "b.json", "--pcap", "caps"]);
    let numbers = ["a.json", "b.json"].map(|name| {
        let mut report = json(&folder, name);
        for run in report["runs"].as_array_mut().unwrap() {
            run.as_object_mut().unwrap().remove("wall_s");
        }
        report
    });
    assert_eq!(numbers[0], numbers[1]);
}

#[test]
fn files_are_named_by_run_controller_seed_and_place() {
    let folder = Folder::new();
    let said = folder.run(&[
        "compare",
        "--cc",
        "westwood+(tau=0.3s)",
        "--time",
        "1s",
        "--seeds",
        "2",
        "--pcap",
        "caps",
        "--pcap-points",
        "bottleneck,receiver of flow 1",
        "--pcap-seeds",
        "all",
    ]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("captures: 4 files in caps, at most about"), "{}", said.stderr);
    assert!(said.stderr.contains("free") && said.stderr.contains("captures in caps: 4 files"));
    assert_eq!(
        files(&folder, "caps"),
        [
            "1-westwood+-tau=300ms-seed1-bottleneck.pcapng",
            "1-westwood+-tau=300ms-seed1-receiver-of-flow-1.pcapng",
            "1-westwood+-tau=300ms-seed2-bottleneck.pcapng",
            "1-westwood+-tau=300ms-seed2-receiver-of-flow-1.pcapng",
        ]
    );
}

#[test]
fn a_scenario_is_captured_point_by_point() {
    const SWEEP: &str = r#"
        cc = "reno"
        time = "2 s"
        seeds = 2
        [dumbbell]
        rate = "2 Mbit/s"
        [sweep]
        "dumbbell.rtt" = ["20 ms", "40 ms"]
    "#;
    let folder = Folder::new();
    folder.write("f.toml", SWEEP);
    let points = ["--pcap", "caps", "--pcap-points", "links"];
    let dry = folder.run(&[&["run", "f.toml", "--dry-run"], &points[..]].concat());
    assert!(dry.stdout.contains("captures: 4 files in caps"), "{}", dry.stdout);
    assert_eq!(folder.names(), ["f.toml"]);
    let run = folder.run(&[&["run", "f.toml", "-q"], &points[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        files(&folder, "caps"),
        [
            "1-reno-rtt=20-ms-seed1-bottleneck-return.pcapng",
            "1-reno-rtt=20-ms-seed1-bottleneck.pcapng",
            "2-reno-rtt=40-ms-seed1-bottleneck-return.pcapng",
            "2-reno-rtt=40-ms-seed1-bottleneck.pcapng",
        ]
    );
}

#[test]
fn what_cannot_be_captured_is_said_before_anything_runs() {
    let folder = Folder::new();
    folder.write("file", "");
    for (flags, part) in [
        (&["--pcap-points", "hosts"][..], "--pcap"),
        (&["--pcap", "file"], "'file' is a file; name a folder"),
        (&["--pcap", "c", "--pcap-points", "botleneck"], "did you mean 'bottleneck'?"),
        (&["--pcap", "c", "--pcap-points", "hosts,,"], "names no place"),
        (&["--pcap", "c", "--pcap-snaplen", "20"], "--pcap-snaplen: '20' is out of range"),
        (&["--pcap", "c", "--pcap-seeds", "some"], "there are first and all"),
        (&["--pcap", "c", "--flows", "200"], "--pcap-points: at most 256 places"),
        (&["--pcap", "c", "--packet", "65500"], "--pcap: the packets of flow flow 1 are too large"),
        (
            &[
                "--pcap",
                "c",
                "--rate",
                "10Gbit/s",
                "--pcap-snaplen",
                "1600",
                "--cc",
                "reno",
                "--pcap-seeds",
                "all",
                "--seeds",
                "100",
            ],
            "the captures may take",
        ),
    ] {
        let time = if flags.contains(&"10Gbit/s") { "100s" } else { "1s" };
        let run = folder.run(&[&["compare", "-q", "--time", time], flags].concat());
        assert_eq!(run.code, Some(2), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{flags:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert_eq!(folder.names(), ["file"]);
    }
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_for_captures_is_a_clear_error_and_leaves_no_half_file() {
    let folder = Folder::new();
    // The limit on the size of a file stands for a full disk.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" compare -q --cc reno --time 10s --seeds 1 \
                  --pcap caps";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_westwood")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("--pcap: captures in 'caps' cannot be written"), "{text}");
    assert!(!folder.path().join("caps").exists(), "{:?}", files(&folder, "caps"));
}
