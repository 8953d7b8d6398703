//! Captures of simulated transfers, read by Wireshark's own dissector: its view of a transfer is
//! ours. Without `tshark` they skip, unless `WESTWOOD_NEEDS_TSHARK` is set.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use westwood_capture::write::{Capture, CapturePoint};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig, QueueConfig};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Outcome, Probes, Tap, TapContent, TapEvent, TapPoint,
    TcpSpec, Traffic, Workload, run, run_tapped,
};
use westwood_tcp::{AckPolicy, Config, Recovery};

const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// A transfer of 2 MB over 10 Mbit/s, 50 ms each way.
fn network(recovery: Recovery, loss: f64) -> Network {
    let mut there = LinkConfig::new(
        Rate::from_bits_per_s(10_000_000),
        Duration::from_millis(50),
        Limit::Packets(60),
    );
    let back = there.clone();
    if loss > 0.0 {
        there.losses.push(LossConfig::Bernoulli { p: loss });
    }
    let link = |name: &str, from, to, config| LinkSpec { name: name.into(), from, to, config };
    let config = Config { recovery, acks: AckPolicy::Each, ..Config::default() };
    let tcp = TcpSpec { controller: Choice::named("westwood+").unwrap(), config };
    let flow = FlowSpec::between(
        "upload",
        SENDER,
        RECEIVER,
        Traffic::Tcp(tcp.into(), Workload::Transfer(Bytes::new(2_000_100))),
    );
    Network {
        agents: Vec::new(),
        nodes: vec!["ship".into(), "shore".into()],
        links: vec![
            link("up", SENDER, RECEIVER, there.into()),
            link("down", RECEIVER, SENDER, back.into()),
        ],
        flows: vec![flow],
        seed: 1,
        duration: Duration::from_secs(60),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

/// True if there is a dissector to ask.
fn tshark() -> bool {
    let found = Command::new("tshark").arg("--version").output().is_ok();
    assert!(
        found || std::env::var_os("WESTWOOD_NEEDS_TSHARK").is_none(),
        "tshark is missing: install the package tshark"
    );
    if !found {
        // Past the test harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: no tshark to read the capture with");
    }
    found
}

/// The packets that the tap saw at the sender.
#[derive(Default)]
struct Seen {
    data: u64,
    retransmitted: u64,
    duplicate_acks: u64,
    last_ack: Option<u64>,
}

impl Tap for Seen {
    fn sees(&mut self, sighting: &TapEvent) {
        match (sighting.place, &sighting.carries) {
            (TapPoint::Sent(SENDER), TapContent::Data(segment)) => {
                self.data += 1;
                self.retransmitted += u64::from(segment.retransmission);
            }
            (TapPoint::Received(SENDER), TapContent::Ack(ack)) => {
                self.duplicate_acks += u64::from(self.last_ack == Some(ack.ack));
                self.last_ack = Some(ack.ack);
            }
            _ => {}
        }
    }
}

/// A capture file in the folder for this test's files.
struct File(PathBuf);

impl File {
    fn of(network: &Network, point: CapturePoint, name: &str) -> (Self, Outcome) {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcapng"));
        let to = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
        let mut capture = Capture::new(to, network, point, u32::MAX).unwrap();
        let outcome = run_tapped(network, Control::default(), &mut capture).unwrap();
        capture.finish().unwrap();
        (Self(path), outcome)
    }

    /// One field of the packets that a display filter lets through.
    fn field(&self, filter: &str, field: &str) -> Vec<String> {
        let output = Command::new("tshark")
            .arg("-r")
            .arg(&self.0)
            .args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"])
            .args(["-Y", filter, "-T", "fields", "-e", field])
            .output()
            .expect("tshark reads the capture: install the package tshark");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    fn count(&self, filter: &str) -> u64 {
        self.field(filter, "frame.number").len() as u64
    }
}

#[test]
fn every_packet_is_whole_and_every_checksum_is_right() {
    if !tshark() {
        return;
    }
    let (file, outcome) =
        File::of(&network(Recovery::Sack, 0.01), CapturePoint::Host(SENDER), "checksums");
    assert!(file.count("tcp") > outcome.flows[0].sent);
    assert_eq!(file.count("_ws.malformed or _ws.unreassembled"), 0);
    assert_eq!(file.count("not ip.checksum.status == \"Good\""), 0);
    assert_eq!(file.count("not tcp.checksum.status == \"Good\""), 0);
    assert!(file.count("tcp.options.sack_le") > 10, "losses are reported by SACK");
}

#[test]
fn retransmissions_and_duplicate_acks_are_those_of_the_sender() {
    if !tshark() {
        return;
    }
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Linux] {
        let network = network(recovery, 0.01);
        let (file, outcome) = File::of(&network, CapturePoint::Host(SENDER), recovery.name());
        let mut seen = Seen::default();
        run_tapped(&network, Control::default(), &mut seen).unwrap();
        let flow = &outcome.flows[0];
        assert!(flow.retransmitted > 5, "{recovery}: a run without losses shows nothing");
        assert_eq!((seen.data, seen.retransmitted), (flow.sent, flow.retransmitted));
        assert_eq!(file.count("tcp.len > 0"), flow.sent, "{recovery}");
        // A repair that leaves just after new data looks to Wireshark as if it were out of order.
        let again = "tcp.analysis.retransmission or tcp.analysis.out_of_order";
        assert_eq!(file.count(again), flow.retransmitted, "{recovery}");
        assert_eq!(file.count("tcp.analysis.duplicate_ack"), seen.duplicate_acks, "{recovery}");
    }
}

#[test]
fn round_trip_times_are_those_of_the_sender() {
    if !tshark() {
        return;
    }
    let mut network = network(Recovery::Sack, 0.0);
    network.links[0].config.queue = QueueConfig::DropTail(Limit::Unlimited);
    let (file, outcome) = File::of(&network, CapturePoint::Host(SENDER), "rtt");
    // Seconds with nine decimals.
    let rtts: Vec<u64> = file
        .field("tcp.analysis.ack_rtt", "tcp.analysis.ack_rtt")
        .iter()
        .map(|s| s.replace('.', "").parse().unwrap())
        .collect();
    let ours = &outcome.flows[0].rtts.summary().unwrap();
    assert_eq!(rtts.len() as u64, ours.samples, "every segment is acknowledged by itself");
    assert_eq!(rtts.iter().min(), Some(&ours.min.as_nanos()));
    assert_eq!(rtts.iter().sum::<u64>() / ours.samples, ours.mean.as_nanos());
}

#[test]
fn a_handshake_tells_wireshark_the_first_round_trip_time_and_the_scale_of_windows() {
    if !tshark() {
        return;
    }
    let mut network = network(Recovery::Linux, 0.0);
    network.flows[0].handshake = true;
    let (file, _) = File::of(&network, CapturePoint::Host(SENDER), "handshake");
    assert_eq!(file.count("tcp.flags.syn == 1"), 2);
    assert_eq!(file.count("_ws.malformed"), 0);
    let first = file.field("frame.number == 2", "tcp.analysis.ack_rtt");
    // A SYN and its answer are 8 bytes longer than an ACK of 40: 38.4 us each at 10 Mbit/s.
    assert_eq!(first, ["0.100076800"]);
    assert_eq!(file.field("frame.number == 3", "tcp.window_size_scalefactor"), ["16384"]);
    assert_eq!(file.field("frame.number == 1", "tcp.options.mss_val").len(), 1);
}

#[test]
fn the_stream_ends_where_the_transfer_ends() {
    if !tshark() {
        return;
    }
    let (file, _) = File::of(&network(Recovery::Sack, 0.02), CapturePoint::Host(RECEIVER), "end");
    let last = file.field("tcp.srcport == 5001", "tcp.ack_raw").pop().unwrap();
    assert_eq!(last, "2000101");
    let nodes = file.field("frame.number == 1", "ip.src_host").pop().unwrap();
    assert_eq!(nodes, "10.0.0.1");
}

#[test]
fn a_link_shows_what_comes_off_it() {
    if !tshark() {
        return;
    }
    let network = network(Recovery::Sack, 0.02);
    let (file, outcome) = File::of(&network, CapturePoint::Link(0), "link");
    assert_eq!(file.count("tcp"), outcome.links[0].delivered);
    assert!(outcome.links[0].dropped_random > 0);
}

#[test]
fn watching_changes_nothing() {
    let network = network(Recovery::Linux, 0.01);
    let watched = run_tapped(&network, Control::default(), &mut Seen::default()).unwrap();
    let alone = run(&network).unwrap();
    assert_eq!(Outcome { events: 0, ..watched }, Outcome { events: 0, ..alone });
}
