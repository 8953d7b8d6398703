//! The truth check: a capture of a simulated transfer gives the very estimates that ran beside the
//! simulated connection, to the bit, after every ACK.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeMap;

use westwood_capture::read::{Conversations, EstimatorReplay, KINDS, Segment, Transfer, packets};
use westwood_capture::write::{Capture, CapturePoint};
use westwood_cc::controllers::Choice;
use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::Point as Recorded;
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Outcome, Probes, TcpSpec, Traffic, Workload, run_tapped,
};
use westwood_tcp::{AckPolicy, Config, Recovery};

const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// A transfer over 5 Mbit/s and 60 ms, with this much loss; and one in the other direction, whose data
/// compresses its ACKs.
fn network(recovery: Recovery, acks: AckPolicy, loss: f64) -> Network {
    let mut there = LinkConfig::new(
        Rate::from_bits_per_s(5_000_000),
        Duration::from_millis(30),
        Limit::Packets(25),
    );
    let back = there.clone();
    if loss > 0.0 {
        there.losses.push(LossConfig::Bernoulli { p: loss });
    }
    let link = |name: &str, from, to, config| LinkSpec { name: name.into(), from, to, config };
    let config = Config { recovery, acks, ..Config::default() };
    let flow = |name: &str, from, to, workload| {
        FlowSpec::between(
            name,
            from,
            to,
            Traffic::Tcp(
                TcpSpec { controller: Choice::named("westwood+").unwrap(), config }.into(),
                workload,
            ),
        )
    };
    Network {
        agents: Vec::new(),
        nodes: vec!["ship".into(), "shore".into()],
        links: vec![
            link("up", SENDER, RECEIVER, there.into()),
            link("down", RECEIVER, SENDER, back.into()),
        ],
        flows: vec![
            flow("upload", SENDER, RECEIVER, Workload::Transfer(Bytes::new(2_000_700))),
            flow("download", RECEIVER, SENDER, Workload::Greedy),
        ],
        seed: 3,
        duration: Duration::from_secs(80),
        warmup: Duration::ZERO,
        probes: Probes {
            estimates: EstimatorKind::ALL.into_iter().collect(),
            interval: Duration::ZERO,
            ..Probes::default()
        },
    }
}

/// The run and what `tcpdump` at the sender would have kept of it.
fn captured(network: &Network, snaplen: u32) -> (Outcome, Vec<u8>) {
    let mut file = Vec::new();
    let mut capture =
        Capture::new(&mut file, network, CapturePoint::Host(SENDER), snaplen).unwrap();
    let outcome = run_tapped(network, Control::default(), &mut capture).unwrap();
    capture.finish().unwrap();
    (outcome, file)
}

fn upload(file: &[u8]) -> Transfer {
    let contents = westwood_capture::read::contents(file).unwrap();
    assert_eq!((contents.damage, contents.others), (None, 0));
    assert_eq!(contents.transfers.len(), 2, "an upload and a download");
    let mut transfers = contents.transfers.into_iter();
    transfers.find(|transfer| transfer.from.ip().to_string() == "10.0.0.1").unwrap()
}

/// The last estimate at each instant.
type Series = BTreeMap<Instant, Rate>;

fn simulated(outcome: &Outcome, kind: EstimatorKind) -> Series {
    let of = |record: &westwood_sim::Record| match record.what {
        Recorded::Estimate { flow: 0, kind: k, bwe } if k == kind => Some((record.at, bwe)),
        _ => None,
    };
    outcome.records.iter().filter_map(of).collect()
}

fn replayed(replay: &EstimatorReplay, kind: EstimatorKind) -> Series {
    let place = KINDS.iter().position(|k| *k == kind).unwrap();
    replay.samples.iter().map(|sample| (sample.at, sample.rates[place])).collect()
}

#[test]
fn a_capture_gives_the_estimates_that_the_simulation_recorded() {
    for (recovery, acks, loss) in [
        (Recovery::Sack, AckPolicy::Each, 0.01),
        (Recovery::Sack, AckPolicy::default(), 0.01),
        (Recovery::Sack, AckPolicy::default(), 0.0),
        (Recovery::NewReno, AckPolicy::default(), 0.02),
        (Recovery::Reno, AckPolicy::Each, 0.02),
    ] {
        let network = network(recovery, acks, loss);
        let (outcome, file) = captured(&network, 128);
        let transfer = upload(&file);
        let replay = EstimatorReplay::of(&transfer, transfer.smss(), Duration::ZERO);
        assert!(replay.acks > 600, "{} ACKs", replay.acks);
        for kind in KINDS {
            let (truth, ours) = (simulated(&outcome, kind), replayed(&replay, kind));
            let differs = ours.iter().find(|(at, rate)| truth.get(at) != Some(rate));
            assert_eq!(differs, None, "{recovery:?} {acks:?} {loss}: {}", kind.name());
        }
        let (_, last) = replay.delivered.span().unwrap();
        assert_eq!(replay.delivered.by(last), 2_000_700);
    }
}

#[test]
fn a_handshake_that_is_captured_is_the_first_sample_of_an_estimator_as_in_the_simulation() {
    let mut network = network(Recovery::Sack, AckPolicy::default(), 0.01);
    network.flows.iter_mut().for_each(|flow| flow.handshake = true);
    let (outcome, file) = captured(&network, 128);
    let transfer = upload(&file);
    // Payload of 1500 bytes, of which the announced size counts the timestamps, too.
    assert_eq!(transfer.smss(), Bytes::new(1_500));
    let replay = EstimatorReplay::of(&transfer, transfer.smss(), Duration::ZERO);
    for kind in KINDS {
        let (truth, ours) = (simulated(&outcome, kind), replayed(&replay, kind));
        let differs = ours.iter().find(|(at, rate)| truth.get(at) != Some(rate));
        assert_eq!(differs, None, "{}", kind.name());
    }
}

#[test]
fn a_capture_of_headers_cut_short_says_the_same_where_nothing_is_selectively_acknowledged() {
    let network = network(Recovery::NewReno, AckPolicy::default(), 0.01);
    let replay = |snaplen| {
        let transfer = upload(&captured(&network, snaplen).1);
        EstimatorReplay::of(&transfer, transfer.smss(), Duration::ZERO).samples
    };
    // IPv4, TCP and its timestamps are 52 bytes.
    assert_eq!(replay(52), replay(2_000));
}

/// The upload in the packets of a capture from this time on.
fn upload_from(file: &[u8], from: Instant) -> Transfer {
    let mut conversations = Conversations::default();
    packets(file, |packet| {
        if let Some(segment) = Segment::of(packet).filter(|_| packet.time.at >= from) {
            conversations.add(packet.time, &segment);
        }
    })
    .unwrap();
    let mut transfers = conversations.into_transfers().into_iter();
    transfers.find(|transfer| transfer.from.ip().to_string() == "10.0.0.1").unwrap()
}

#[test]
fn a_capture_that_begins_within_a_connection_gives_the_estimates_of_the_whole_one() {
    let mut network = network(Recovery::Sack, AckPolicy::Each, 0.0);
    // Without the download, which compresses ACKs, the estimates settle.
    network.flows.truncate(1);
    let Traffic::Tcp(_, workload) = &mut network.flows[0].traffic else { unreachable!() };
    *workload = Workload::Transfer(Bytes::new(8_000_000));
    let file = captured(&network, 128).1;
    let replay = |from| {
        let transfer = upload_from(&file, from);
        assert_eq!(transfer.doubts(None), []);
        EstimatorReplay::of(&transfer, transfer.smss(), Duration::ZERO)
    };
    let whole = replay(Instant::ZERO);
    let begin = Instant::ZERO + Duration::from_millis(5_005);
    let part = replay(begin);
    // The filters have forgotten how they began after some of their constants.
    let settled = begin + Duration::from_secs(5);
    for kind in KINDS {
        let later = |replay: &EstimatorReplay| {
            let mut series = replayed(replay, kind);
            series.split_off(&settled)
        };
        let (truth, ours) = (later(&whole), later(&part));
        assert!(truth.len() > 100 && truth.keys().eq(ours.keys()), "{}", kind.name());
        for (truth, ours) in truth.values().zip(ours.values()) {
            let off = ours.bits_per_s().abs_diff(truth.bits_per_s());
            assert!(off * 100 <= truth.bits_per_s(), "{}: {ours} for {truth}", kind.name());
        }
    }
}
