//! A quantity has one name in every file that is written: JSON, CSV and the tables of a results folder.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use support::Folder;
use westwood_measure::{Amount, CampaignRun, ServerAddress, Settings, TcpSample, TransferResult};
use westwood_report::campaign::CampaignReport;

/// Every quantity that is written, by its one name, which ends in its unit. Of a distribution the
/// statistic is left out: `rtt_mean_ms` is that of `rtt_ms`, like `mean` within `rtt_ms`.
const QUANTITIES: &[(&str, &str)] = &[
    ("convergence_ms", "delta-fair convergence time"),
    ("least_share", "the least share of a flow, of a fair one"),
    ("later_share", "the part of what a group carries that its second half of the time has"),
    ("least_competing_share", "the least share of a competing flow, of a fair one"),
    ("recovery_ms", "the time from a change to the rate that follows it"),
    ("access_rate_bps", "rate of every access link"),
    ("ack_bytes", "a pure ACK"),
    ("ack_cost_cycles", "the same in reference cycles of its processor"),
    ("ack_cost_ns", "what an ACK costs a controller on this machine"),
    ("ack_delay_ms", "how long a segment may wait for its ACK"),
    ("acked_bytes", "payload acknowledged since the start of the connection"),
    ("against_first_share", "goodput over that of the first controller, less one"),
    ("against_goodput_bps", "goodput of the competing flows"),
    ("base_rtt_ms", "propagation and transmission over empty queues"),
    ("begin_s", "when a transfer began, from the first one on"),
    ("began_unix_s", "when a run began, by the calendar"),
    ("bottleneck_delay_ms", "propagation delay of the bottleneck"),
    ("buffer_bytes", "what may wait, in bytes"),
    ("buffer_packets", "what may wait, in packets"),
    ("bwe_bps", "a bandwidth estimate"),
    ("cwnd_packets", "congestion window"),
    ("data_packets", "data segments delivered, of all flows"),
    ("delivered_bps", "what arrived, a second, over a window"),
    ("delivered_bytes", "what arrived since the start of the run"),
    ("delivered_packets", "packets that reached the far end of a link"),
    ("delivery_rate_bps", "the kernel's latest sample of the rate of delivery"),
    ("drops_aqm_packets", "dropped by queue management"),
    ("drops_policer_packets", "dropped by a policer"),
    ("frame_delay_ms", "from a frame's capture until its last datagram arrived"),
    ("drops_overflow_packets", "dropped by a full buffer"),
    ("drops_random_packets", "lost on a link"),
    ("duration_s", "from the first byte of a transfer to its last ACK"),
    ("fct_ms", "completion time of a transfer"),
    ("filtered_packets", "ACKs that a link left out"),
    ("flow_goodputs_bps", "goodput of each flow, in a list"),
    ("goodput_bps", "payload that arrived for the first time, a second"),
    ("header_bytes", "header of a segment"),
    ("fair_share", "whether senders heed the share that a router tells"),
    ("initial_rto_ms", "retransmission timeout before the first sample"),
    ("initial_window_packets", "initial window"),
    ("initial_ssthresh_packets", "slow-start threshold at the start"),
    ("interval_ms", "time between two samples"),
    ("classic_delay_ms", "time that a packet waits in the classic one of two queues"),
    ("low_latency_delay_ms", "time that a packet waits in the low-latency one of two queues"),
    ("lateness_us", "how much later than due packets were handed over"),
    ("limited_by_buffer_share", "share of the time in which the sender's buffer was in the way"),
    ("limited_by_receiver_share", "share of the time in which the receiver's window was"),
    ("marked_packets", "packets marked by ECN"),
    ("mean_capacity_bps", "what a link could have transmitted, on the mean"),
    ("max_rto_ms", "largest retransmission timeout"),
    ("wake_up_ms", "time until an idle transmitter begins to send"),
    ("min_rto_ms", "least retransmission timeout"),
    ("off_median_share", "error of an estimate, median"),
    ("one_way_delay_ms", "delay of data from sender to receiver"),
    ("proxy_held_max_bytes", "the most that a proxy held for one flow"),
    ("over_ratio", "estimate over what was delivered"),
    ("packet_bytes", "payload of a segment"),
    ("pause_ms", "time between two runs"),
    ("queue_delay_ms", "time that a packet waits"),
    ("queue_packets", "packets waiting"),
    ("repaired_packets", "packets lost on a link and delivered all the same"),
    ("repairs_packets", "repeats, or packets of a code, that a link sent"),
    ("rate_bps", "rate of a link"),
    ("receive_growth_packets", "for how long a receiver's window grows"),
    ("receive_window_packets", "the receiver's window"),
    ("tcp_notsent_lowat_bytes", "what a sender's application may leave unsent"),
    ("write_size_bytes", "how much a sender's application writes at a time"),
    ("received_bytes", "payload that arrived"),
    ("retransmission_ratio", "what is sent again over all that is sent"),
    ("retransmitted_packets", "segments sent again"),
    ("return_buffer_bytes", "what may wait in the other direction"),
    ("return_buffer_packets", "what may wait in the other direction"),
    ("return_rate_bps", "rate of the other direction"),
    ("reverse_goodput_bps", "goodput of the flows in the other direction"),
    ("rto_tick_ms", "granularity of timers"),
    ("rtt_ms", "round-trip time, of each sample"),
    ("sack_block_bytes", "a SACK block in an ACK"),
    ("sent_bytes", "payload sent, each byte once"),
    ("sent_packets", "data segments sent"),
    ("sim_s", "simulated time"),
    ("size_bytes", "payload of a transfer"),
    ("srtt_ms", "smoothed round-trip time"),
    ("ssthresh_packets", "slow-start threshold"),
    ("start_jitter_s", "span within which flows start"),
    ("throughput_bps", "what senders put on the wire, a second"),
    ("time_s", "a moment; as a setting, when the run ends"),
    ("wall_s", "what a run took on the machine"),
    ("warmup_s", "when measuring begins"),
    ("window_s", "what deliveries are averaged over"),
];

/// Former and mistaken names of quantities, which must not occur.
const SYNONYMS: &[&str] = &[
    "resent_share",
    "retransmitted_share",
    "resent_packets",
    "retransmitted_segments",
    "cwnd_segments",
    "ssthresh_segments",
    "segment_bytes",
    "rate_bits_per_s",
    "bwe_bits_per_s",
    "min_rtt_us",
    "srtt_us",
    "bytes_acked",
    "t",
    "rate",
    "rtt",
    "limited_by_receiver",
    "limited_by_buffer",
];

const UNITS: [&str; 9] =
    ["_bps", "_s", "_ms", "_us", "_ns", "_bytes", "_packets", "_share", "_ratio"];
const STATISTICS: [&str; 8] = ["min", "mean", "p50", "p95", "p99", "max", "median", "bound"];

/// All keys of a document. Names of things are no keys of quantities, but for those with a unit.
fn keys(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                all.insert(key.clone());
                keys(value, all);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, all)),
        _ => {}
    }
}

/// The columns of every CSV file below a folder.
fn columns(below: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            columns(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "csv") {
            let text = std::fs::read_to_string(&path).unwrap();
            all.extend(text.lines().next().unwrap_or("").split(',').map(str::to_owned));
        } else if path.extension().is_some_and(|ending| ending == "json") {
            let text = std::fs::read_to_string(&path).unwrap();
            keys(&serde_json::from_str(&text).unwrap(), all);
        }
    }
}

/// A campaign without a server: what `westwood measure` writes of a run.
fn campaign(all: &mut BTreeSet<String>) {
    let sample = TcpSample {
        time_s: 0.1,
        flow: 1,
        cwnd_packets: 10,
        ssthresh_packets: Some(5),
        srtt_ms: 1.0,
        delivery_rate_bps: 1.0,
        bwe_bps: Some(1),
        acked_bytes: 1,
        retransmitted_packets: 0,
    };
    let measured = TransferResult {
        goodput_bps: 1.0,
        flow_goodputs_bps: vec![1.0],
        duration_s: 1.0,
        received_bytes: 1,
        retransmission_ratio: 0.0,
        srtt_mean_ms: Some(1.0),
        rtt_min_ms: 1.0,
        limited_by_receiver_share: 0.0,
        limited_by_buffer_share: 0.0,
        samples: vec![sample],
    };
    let settings = Settings {
        server: ServerAddress { host: "host".to_owned(), port: 5201 },
        controllers: vec!["reno".to_owned()],
        kernel_names: vec!["reno".to_owned()],
        amount: Amount::SizeBytes(1),
        repeat: 1,
        flows: 1,
        background: None,
        interval_ms: 100,
        pause_ms: 0,
    };
    let runs = [CampaignRun { round: 1, cc: "reno".to_owned(), began_unix_s: 0.0, measured }];
    let campaign = CampaignReport { settings: &settings, runs: &runs };
    keys(&serde_json::from_str(&campaign.json().unwrap()).unwrap(), all);
    for frame in [campaign.run_frame(), campaign.sample_frame()] {
        all.extend(frame.columns.into_iter().map(|(name, _)| name));
    }
}

/// Every key of every kind of file.
fn written() -> BTreeSet<String> {
    let folder = Folder::new();
    let compare = [
        "compare",
        "--cc",
        "westwood+",
        "--time",
        "2s",
        "--seeds",
        "1",
        "--json",
        "compare.json",
        "--csv",
        "csv",
        "--pcap",
        "caps",
        "--ack-cost",
        "on",
        "-q",
    ];
    let scenario = "cc = \"westwood+\"\ntime = \"2 s\"\nseeds = 1\n\
        dumbbell = { size = \"10 kB\", loss = \"1 %\" }\n\
        [record]\nseries = [\"windows\", \"rtts\", \"queues\", \"delivered\", \"drops\"]\n\
        estimates = [\"packet-pair\"]\n";
    folder.write("f.toml", scenario);
    let run = ["run", "f.toml", "--json", "run.json", "--out", "out", "-q"];
    let capture = "caps/1-westwood+-seed1-sender-of-flow-1.pcapng";
    let estimate = ["estimate", capture, "--json", "estimate.json", "--csv", "estimate.csv", "-q"];
    for line in [&compare[..], &run, &estimate] {
        let done = folder.run(line);
        assert_eq!(done.code, Some(0), "{line:?}: {}", done.stderr);
    }
    let mut all = BTreeSet::new();
    columns(folder.path(), &mut all);
    campaign(&mut all);
    all
}

/// The name without its statistic: `rtt_p95_ms` is `rtt_ms`.
fn plain(key: &str) -> String {
    let parts = key.split('_').filter(|part| !STATISTICS.contains(part));
    parts.collect::<Vec<_>>().join("_")
}

#[test]
fn every_quantity_has_one_name() {
    let all = written();
    assert!(all.len() > 100, "{all:?}");
    for synonym in SYNONYMS {
        assert!(!all.contains(*synonym), "'{synonym}' has another name: see QUANTITIES");
    }
    let known = |key: &str| QUANTITIES.iter().any(|(name, _)| *name == key || *name == plain(key));
    // A column for each estimator is named by it.
    let estimators = westwood_capture::read::KINDS.map(|kind| format!("{}_bps", kind.name()));
    let has_unit = |key: &&String| UNITS.iter().any(|unit| key.ends_with(unit));
    let strange: Vec<&String> = all
        .iter()
        .filter(has_unit)
        .filter(|key| !known(key) && !estimators.contains(key) && *key != "mean_bps")
        .collect();
    assert!(
        strange.is_empty(),
        "{strange:?}: a quantity that there is, or a new one for QUANTITIES?"
    );
}

#[test]
fn the_names_are_those_of_quantities_that_are_written() {
    let all: BTreeSet<String> =
        written().iter().flat_map(|key| [key.clone(), plain(key)]).collect();
    // Real runs alone have these.
    let real = ["lateness_us"];
    let missing: Vec<&str> = QUANTITIES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !all.contains(*name) && !real.contains(name))
        .collect();
    assert!(missing.is_empty(), "nothing writes {missing:?}");
}

#[test]
fn files_of_older_versions_are_still_read() {
    let sample = r#"{"time_s":0.1,"flow":1,"cwnd_segments":10,"ssthresh_segments":5,"srtt_ms":1.0,
        "delivery_rate_bps":1.0,"acked_bytes":1,"retransmitted_segments":2}"#;
    let read: TcpSample = serde_json::from_str(sample).unwrap();
    assert_eq!(
        (read.cwnd_packets, read.ssthresh_packets, read.retransmitted_packets),
        (10, Some(5), 2)
    );
    let measured = r#"{"goodput_bps":1.0,"flow_goodputs_bps":[1.0],"duration_s":1.0,"received_bytes":1,
        "retransmission_ratio":0.0,"srtt_mean_ms":null,"rtt_min_ms":1.0,"limited_by_receiver":0.25,
        "limited_by_buffer":0.5,"samples":[]}"#;
    let read: TransferResult = serde_json::from_str(measured).unwrap();
    assert_eq!((read.limited_by_receiver_share, read.limited_by_buffer_share), (0.25, 0.5));
}
