//! `westwood measure` against Debian's iperf3 over emulated paths shaped like those of the papers'
//! campaigns. Nothing outlives them: `westwood emulate` makes hosts that have no names and end with it.

#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;

use std::process::Command;

use judged::{Calm, judged, kernel_has, skipped, within};
use serde_json::Value;
use support::{Folder, paths_can_be_emulated};

/// Whether paths can be emulated and measured here.
fn kernel_helps() -> bool {
    if Command::new("iperf3").arg("--version").output().is_err() {
        skipped("no iperf3 to measure against: install the package iperf3");
        return false;
    }
    paths_can_be_emulated(|why| skipped(why))
}

/// Two servers, the second one for traffic beside what is measured, and a file that tells that both
/// listen.
const SERVERS: &str = "
iperf3 --server >/dev/null &
iperf3 --server --port 5202 >/dev/null &
for port in 1451 1452; do
    until grep -q \":$port .* 0A \" /proc/net/tcp /proc/net/tcp6; do sleep 0.05; done
done
touch servers-listen
wait
";

/// The results of `westwood measure` with these flags behind a path, and whether the machine was
/// punctual. `before` is run first.
fn measured(path: &[&str], before: &str, flags: &str) -> (Value, Result<(), String>) {
    let folder = Folder::new();
    let westwood = env!("CARGO_BIN_EXE_westwood");
    let command = format!(
        "until [ -e servers-listen ]; do sleep 0.05; done
         {before}
         '{westwood}' measure --server $WESTWOOD_SERVER --repeat 1 --pause 200ms --json - {flags}"
    );
    let calm = Calm::begin();
    let always = ["emulate", "--quiet", "--server", SERVERS];
    let run = folder.run(&[&always[..], path, &["--", "sh", "-ec", &command]].concat());
    let punctual = match run.code {
        Some(0) => calm.end(),
        Some(5) => Err(run.stderr),
        code => panic!("{path:?} {flags}: {code:?}: {}", run.stderr),
    };
    (serde_json::from_str(&run.stdout).unwrap(), punctual)
}

/// A number of the run of a controller.
fn number(document: &Value, cc: &str, field: &str) -> f64 {
    let runs = document["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["cc"] == cc).unwrap();
    run[field].as_f64().unwrap_or_else(|| panic!("{field} of {run}"))
}

#[test]
fn uploads_over_190_70_and_50_ms_fill_the_path_and_never_seem_shorter_than_it() {
    if !kernel_has("cubic") || !kernel_helps() {
        return;
    }
    std::thread::scope(|scope| {
        for rtt in [190.0, 70.0, 50.0] {
            scope.spawn(move || upload(rtt));
        }
    });
}

fn upload(rtt: f64) {
    let rtt_flag = format!("{rtt}ms");
    let path = ["--rate", "1Mbit/s", "--rtt", &rtt_flag, "--loss", "none"];
    let uploads = || {
        let (document, punctual) = measured(&path, "", "--cc reno,cubic --time 3s");
        for cc in ["reno", "cubic"] {
            assert!(number(&document, cc, "goodput_bps") > 0.0, "{cc}, {rtt} ms: {document}");
            let srtt = number(&document, cc, "srtt_mean_ms");
            assert!(srtt >= rtt, "{cc}, {rtt} ms: {srtt} ms");
        }
        punctual.map(|()| document)
    };
    judged(uploads, |document| {
        ["reno", "cubic"].iter().try_for_each(|cc| {
            // 1448 of every 1500 bytes are payload; the start takes its time.
            within(cc, number(document, cc, "goodput_bps"), 0.4e6..0.97e6)
        })
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
    let goodput = |flags: &str| {
        let (document, punctual) = measured(&path, "", flags);
        // Eighteen hops of 5 ms there and back.
        assert!(number(&document, "reno", "srtt_mean_ms") >= 180.0, "{document}");
        let goodput = number(&document, "reno", "goodput_bps");
        assert!(goodput > 0.0, "{document}");
        punctual.map(|()| goodput)
    };
    let both = || {
        let alone = goodput("--cc reno --time 4s")?;
        let beside = goodput("--cc reno --time 4s --background 'cbr:3Mbit/s,1s on,1s off'")?;
        Ok((alone, beside))
    };
    judged(both, |(alone, beside)| {
        within("alone", *alone, ..3.9e6)?;
        within("the share left beside the datagrams", beside / alone, ..0.85)
    });
}

#[test]
fn reverse_traffic_over_500_kbit_s_and_100_ms_delays_the_acks_of_an_upload() {
    if !kernel_helps() {
        return;
    }
    let path = ["--rate", "500kbit/s", "--rtt", "100ms", "--loss", "none", "--buffer", "20pkt"];
    let shortest = |before: &str| {
        let (document, punctual) = measured(&path, before, "--cc reno --time 4s");
        assert!(number(&document, "reno", "goodput_bps") > 0.0, "{document}");
        let shortest = number(&document, "reno", "rtt_min_ms");
        assert!(shortest >= 100.0, "{document}");
        punctual.map(|()| (shortest, number(&document, "reno", "goodput_bps")))
    };
    // It ends with the path; what it says of its first second tells that it goes on.
    let download = "
        iperf3 --client $WESTWOOD_SERVER --port 5202 --reverse --time 600 --forceflush >download &
        until grep -q bits/sec download; do sleep 0.05; done";
    let both = || Ok((shortest("")?, shortest(download)?));
    judged(both, |((alone, upload), (both, beside))| {
        within("goodput", upload.max(*beside), ..0.49e6)?;
        // ACKs wait behind the other transfer's segments of 24 ms each, the first one already.
        within("what the shortest round trip is longer", both - alone, 24.0..)
    });
}
