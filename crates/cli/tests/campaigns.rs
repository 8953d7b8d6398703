//! `westwood measure` against Debian's iperf3 over emulated paths shaped like those of the papers'
//! campaigns. Nothing outlives them: `westwood emulate` makes hosts that have no names and end with it.

mod support;

use std::io::Write as _;
use std::process::Command;

use serde_json::Value;
use support::{Folder, Run};

/// Whether paths can be emulated and measured here. If not, a line says why; it is a failure where
/// `WESTWOOD_REQUIRE_KERNEL` is 1.
fn kernel_helps() -> bool {
    let run = Folder::new().run(&["emulate", "--quiet", "--bound", "10s", "--", "true"]);
    let iperf3 = Command::new("iperf3").arg("--version").output();
    let why = match (run.code, iperf3) {
        (Some(0), Ok(_)) => return true,
        (Some(0), Err(_)) => {
            "no iperf3 to measure against: install the package iperf3\n".to_owned()
        }
        (..) => run.stderr,
    };
    let required = std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_some_and(|v| v == "1");
    assert!(!required, "WESTWOOD_REQUIRE_KERNEL=1, but {why}");
    // Past the test harness, which would keep it to itself.
    let _ = write!(std::io::stderr(), "skipped: {why}");
    false
}

/// A second server, for traffic beside what is measured.
const SERVERS: &str = "iperf3 --server --port 5202 >/dev/null & exec iperf3 --server >/dev/null";

/// What `westwood measure` with these flags finds behind a path; `before` is started first. A machine
/// that is busy with other tests is late: that changes no assertion here.
fn measured(path: &[&str], before: &str, flags: &str) -> Value {
    let folder = Folder::new();
    let westwood = env!("CARGO_BIN_EXE_westwood");
    let command = format!(
        "{before} '{westwood}' measure --server $WESTWOOD_SERVER --repeat 1 --pause 200ms --json - {flags}"
    );
    let always = ["emulate", "--quiet", "--bound", "10s", "--server", SERVERS];
    let run: Run = folder.run(&[&always[..], path, &["--", "sh", "-c", &command]].concat());
    assert_eq!(run.code, Some(0), "{path:?} {flags}: {}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// A number of the run of a controller.
fn number(document: &Value, cc: &str, field: &str) -> f64 {
    let runs = document["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["cc"] == cc).unwrap();
    run[field].as_f64().unwrap_or_else(|| panic!("{field} of {run}"))
}

#[test]
fn uploads_over_190_70_and_50_ms_fill_the_path_and_never_seem_shorter_than_it() {
    if !kernel_helps() {
        return;
    }
    std::thread::scope(|scope| {
        for rtt in [190.0, 70.0, 50.0] {
            scope.spawn(move || {
                let rtt_flag = format!("{rtt}ms");
                let path = ["--rate", "1Mbit/s", "--rtt", &rtt_flag, "--loss", "none"];
                let document = measured(&path, "", "--cc reno,cubic --time 3s");
                for cc in ["reno", "cubic"] {
                    let goodput = number(&document, cc, "goodput_bps");
                    // 1448 of every 1500 bytes are payload; the start takes its time.
                    assert!((0.4e6..0.97e6).contains(&goodput), "{cc}, {rtt} ms: {goodput}");
                    let srtt = number(&document, cc, "srtt_mean_ms");
                    assert!(srtt >= rtt, "{cc}, {rtt} ms: {srtt} ms");
                }
            });
        }
    });
}

#[test]
fn datagrams_on_and_off_over_eighteen_hops_take_their_share_from_an_upload() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "hops.toml",
        "cc = \"reno\"\n[[link]]\nname = \"hop\"\nfrom = \"entry\"\nto = \"exit\"\nhops = 18\n\
         rate = \"4 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"30 packets\"\n\
         [[flow]]\nname = \"upload\"\nfrom = \"entry\"\nto = \"exit\"\n",
    );
    let file = folder.path().join("hops.toml");
    let path = [file.to_str().unwrap()];
    let alone = measured(&path, "", "--cc reno --time 4s");
    let beside = "--cc reno --time 4s --background 'cbr:3Mbit/s,1s on,1s off'";
    let beside = measured(&path, "", beside);
    let goodput = |document: &Value| number(document, "reno", "goodput_bps");
    assert!(goodput(&alone) < 3.9e6, "{}", goodput(&alone));
    assert!(goodput(&beside) < 0.85 * goodput(&alone), "{} alone", goodput(&alone));
    // Eighteen hops of 5 ms there and back.
    assert!(number(&alone, "reno", "srtt_mean_ms") >= 180.0, "{alone}");
}

#[test]
fn reverse_traffic_over_500_kbit_s_and_100_ms_delays_the_acks_of_an_upload() {
    if !kernel_helps() {
        return;
    }
    let path = ["--rate", "500kbit/s", "--rtt", "100ms", "--loss", "none", "--buffer", "20pkt"];
    let flags = "--cc reno --time 4s";
    let alone = measured(&path, "", flags);
    let download =
        "iperf3 --client $WESTWOOD_SERVER --port 5202 --reverse --time 8 >/dev/null & sleep 1;";
    let both = measured(&path, download, flags);
    for document in [&alone, &both] {
        assert!(number(document, "reno", "goodput_bps") < 0.49e6, "{document}");
    }
    let shortest = |document: &Value| number(document, "reno", "rtt_min_ms");
    // ACKs wait behind the other transfer's segments of 24 ms each, the first one already.
    assert!(shortest(&both) > shortest(&alone) + 24.0, "{both}");
}
