//! Handshakes: a SYN and its answer cross the path as packets before there is a connection.

use crate::support::{dumbbell, engines, link, ms, ns2_tcp};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LossConfig};
use westwood_sim::{
    FlowOutcome, FlowSpec, Network, Outcome, Phases, Tap, TapContent, TapEvent, TapPoint, TcpSpec,
    Traffic, ValueDistribution, Workload, run, run_tapped,
};
use westwood_tcp::{AckPolicy, Config, Recovery, Sizes};

const RTT: Duration = ms(100);

fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

fn tcp(recovery: Recovery, timestamps: bool) -> TcpSpec {
    // Where an ACK has no size a handshake has none with any recovery.
    let sizes = Sizes { ack: Bytes::ZERO, ..Sizes::default() };
    let config = Config { recovery, timestamps, sizes, ..Config::default() };
    TcpSpec { controller: Choice::named("reno").expect("in the catalog"), config }
}

/// A flow with a handshake over 10 Mbit/s, 100 ms and 60 places: it starts after 10 ms.
fn network(tcp: &TcpSpec) -> Network {
    let time = Duration::from_secs(30);
    let mut network = dumbbell(mbit(10), RTT, 60, mbit(100), *tcp, time, Duration::ZERO);
    network.flows[0].handshake = true;
    network
}

/// The same for so many bytes.
fn transfer(bytes: u64) -> Network {
    let mut network = network(&tcp(Recovery::Linux, true));
    let Traffic::Tcp(_, workload) = &mut network.flows[0].traffic else { panic!("not TCP") };
    *workload = Workload::Transfer(Bytes::new(bytes));
    network
}

/// The packets that hosts send: when, and which.
#[derive(Default)]
struct Sent(Vec<(Instant, usize, TapContent)>);

impl Tap for Sent {
    fn sees(&mut self, sighting: &TapEvent) {
        if let TapPoint::Sent(_) = sighting.place {
            self.0.push((sighting.at, sighting.flow, sighting.carries.clone()));
        }
    }
}

/// The same as [`run`], which is the same in both engines, and when the SYNs, their answers and the data of
/// the last flow left.
fn seen(network: &Network) -> (Outcome, [Vec<Duration>; 3]) {
    assert_eq!(engines::compare(network).difference, None);
    let mut sent = Sent::default();
    let outcome = run_tapped(network, westwood_sim::Control::default(), &mut sent);
    let outcome = outcome.expect("a valid network");
    let start = network.flows.last().expect("a flow").start;
    let times = |which: fn(&TapContent) -> bool| {
        let of_last =
            |(_, flow, _): &&(Instant, usize, TapContent)| *flow + 1 == network.flows.len();
        let times = sent.0.iter().filter(of_last).filter(|(.., carries)| which(carries));
        times.map(|(at, ..)| at.since(start)).collect()
    };
    let all = [
        times(|carries| matches!(carries, TapContent::Syn { .. })),
        times(|carries| matches!(carries, TapContent::SynAck { .. })),
        times(|carries| matches!(carries, TapContent::Data(_))),
    ];
    (outcome, all)
}

/// Loses packets by number, from 1 on, on the way of data, or on that of ACKs.
fn losing(mut network: Network, link: usize, packets: &[u64]) -> Network {
    let mut config = (*network.links[link].config).clone();
    config.losses = vec![LossConfig::List(packets.to_vec())];
    network.links[link].config = config.into();
    network
}

const THERE: usize = 2;
const BACK: usize = 3;

fn first(outcome: &Outcome) -> &FlowOutcome {
    &outcome.flows[0]
}

#[test]
fn over_an_empty_path_a_handshake_takes_the_propagation_of_a_round_trip_and_changes_nothing_else() {
    for recovery in Recovery::ALL {
        let tcp = tcp(recovery, true);
        let (outcome, [syns, answers, data]) = seen(&network(&tcp));
        assert_eq!((&syns[..], &answers[..], data[0]), (&[ms(0)][..], &[ms(50)][..], RTT));
        // As if the connection had begun a round-trip time later, with a sample.
        let mut later =
            network(&TcpSpec { config: Config { handshake_rtt: Some(RTT), ..tcp.config }, ..tcp });
        later.flows[0].handshake = false;
        later.flows[0].start += RTT;
        assert_eq!(first(&outcome), first(&run(&later).expect("valid")), "{recovery}");
    }
}

#[test]
fn in_linux_a_syn_and_its_answer_have_the_kernels_sizes() {
    for (timestamps, ack, size) in [(true, 52, 60), (false, 40, 52)] {
        let sizes = Sizes { ack: Bytes::new(ack), ..Sizes::default() };
        let with = |recovery| {
            let tcp = tcp(recovery, timestamps);
            TcpSpec { config: Config { sizes, ..tcp.config }, ..tcp }
        };
        let (_, [.., data]) = seen(&network(&with(Recovery::Linux)));
        // Each way over the bottleneck, of 10 Mbit/s, and two links of 100.
        let bytes_over_ten = Duration::from_nanos(size * 800 * 12 / 10);
        assert_eq!(data[0], RTT + bytes_over_ten * 2, "{size} bytes");
        let (_, [.., data]) = seen(&network(&with(Recovery::Sack)));
        assert_eq!(data[0], RTT);
    }
}

#[test]
fn a_syn_waits_in_the_queue_and_its_sample_says_so() {
    let mut tcp = tcp(Recovery::Sack, true);
    tcp.config.rto.min = ms(200);
    let mut network = network(&tcp);
    // In 60 ms 100 datagrams come, of which half have left by then: the others wait before the SYN.
    let (rate, size, poisson) = (mbit(20), Bytes::new(1_500), false);
    let phases = Phases::Alternating {
        on: ValueDistribution::Constant(0.060),
        off: ValueDistribution::Constant(100.0),
    };
    let burst = FlowSpec::between("burst", 0, 3, Traffic::Udp { rate, size, phases, poisson });
    network.flows.insert(0, burst);
    network.flows[1].start = Instant::ZERO + ms(60);
    // All data is lost, so that the first timeout tells the sample.
    let network = losing(network, THERE, &(102..10_000).collect::<Vec<_>>());
    let (_, [syns, answers, data]) = seen(&network);
    let sample = data[0];
    assert!(sample > RTT + ms(50) && sample < RTT + ms(70), "{sample}");
    assert_eq!((syns.len(), &answers[..]), (1, &[sample - ms(50)][..]));
    // RFC 6298 section 2.2: R + 4 R/2.
    let again = data.iter().find(|&&at| at > sample);
    assert_eq!(again.map(|&at| at - sample), Some(sample * 3));
}

#[test]
fn a_lost_syn_is_sent_again_after_one_three_and_seven_seconds() {
    let network = losing(transfer(10_000), THERE, &[1, 2, 3]);
    let (outcome, [syns, answers, data]) = seen(&network);
    assert_eq!(syns, [0, 1_000, 3_000, 7_000].map(ms));
    assert_eq!((&answers[..], data[0]), (&[ms(7_050)][..], ms(7_100)));
    assert_eq!((first(&outcome).retransmitted, first(&outcome).timeouts), (0, 0));
    assert_eq!(outcome.links[THERE].dropped_random, 3, "they are counted at the link");
}

#[test]
fn a_lost_answer_is_sent_again_when_the_next_syn_comes() {
    let network = losing(network(&tcp(Recovery::Linux, true)), BACK, &[1]);
    let (_, [syns, answers, data]) = seen(&network);
    assert_eq!((syns, answers), ([0, 1_000].map(ms).to_vec(), [50, 1_050].map(ms).to_vec()));
    assert_eq!(data[0], ms(1_100));
}

#[test]
fn the_timeout_of_a_syn_is_that_of_a_connection_without_a_sample() {
    let mut tcp = ns2_tcp("reno", Recovery::Reno);
    tcp.config.rto.max = ms(8_000);
    let network = losing(network(&tcp), THERE, &[1, 2, 3]);
    let (_, [syns, ..]) = seen(&network);
    assert_eq!(syns, [0, 3_000, 9_000, 17_000].map(ms));
}

/// When the first segment is sent again if no data ever arrives, after its first copy: the first timeout.
fn first_timeout(tcp: &TcpSpec, lost_syns: u64) -> Duration {
    let lost: Vec<u64> = (1..=lost_syns).chain(lost_syns + 2..10_000).collect();
    let (_, [.., data]) = seen(&losing(network(tcp), THERE, &lost));
    let later = data.iter().find(|&&at| at > data[0]).expect("sent again");
    *later - data[0]
}

#[test]
fn rfc6298_5_7_without_timestamps_a_syn_sent_again_gives_no_sample_and_a_timeout_of_three_seconds()
{
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        // The sample of 100 ms would make 300 ms, and the least timeout is a second.
        assert_eq!(first_timeout(&tcp(recovery, false), 0), ms(1_000), "{recovery}");
        assert_eq!(first_timeout(&tcp(recovery, true), 1), ms(1_000), "{recovery}");
        assert_eq!(first_timeout(&tcp(recovery, false), 1), ms(3_000), "{recovery}");
    }
}

/// The segments that leave when the connection opens.
fn first_window(tcp: &TcpSpec, link: usize, lost: &[u64]) -> usize {
    let (_, [.., data]) = seen(&losing(network(tcp), link, lost));
    data.iter().filter(|&&at| at == data[0]).count()
}

#[test]
fn rfc5681_3_1_after_a_lost_syn_data_begins_with_one_segment_and_in_linux_after_two() {
    for (recovery, windows) in [(Recovery::Sack, [10, 1, 1]), (Recovery::Linux, [10, 10, 1])] {
        for (lost, window) in [&[][..], &[1], &[1, 2]].into_iter().zip(windows) {
            assert_eq!(first_window(&tcp(recovery, true), THERE, lost), window, "{recovery}");
        }
    }
    // The echo of the first SYN tells that none was lost on its way (`tcp_try_undo_spurious_syn`).
    assert_eq!(first_window(&tcp(Recovery::Linux, true), BACK, &[1, 2]), 10);
    assert_eq!(first_window(&tcp(Recovery::Linux, false), BACK, &[1, 2]), 1);
}

#[test]
fn after_a_lost_syn_a_flow_with_the_habits_of_ns_2_has_no_slow_start() {
    let sent = |ns2_habits| {
        let mut tcp = tcp(Recovery::NewReno, true);
        tcp.config = Config { ns2_habits, acks: AckPolicy::Each, ..tcp.config };
        let (_, [.., data]) = seen(&losing(network(&tcp), THERE, &[1]));
        data.iter().filter(|&&at| at - data[0] < ms(600)).count()
    };
    // Six round trips: windows that double, and windows that grow by one from two on.
    assert_eq!(sent(false), 1 + 2 + 4 + 8 + 16 + 32);
    assert!(sent(true) <= 1 + 2 + 3 + 4 + 5 + 6, "{}", sent(true));
}

#[test]
fn short_flows_leave_their_handshakes_out_of_their_times() {
    let traffic = |size| Traffic::ShortFlows {
        tcp: tcp(Recovery::Linux, true).into(),
        gap: ValueDistribution::Constant(2.0),
        size: ValueDistribution::Constant(size),
        limit: 100,
    };
    let mut network = network(&tcp(Recovery::Linux, true));
    network.flows[0].traffic = traffic(1_500.0);
    let network = losing(network, THERE, &[1]);
    let (outcome, [syns, ..]) = seen(&network);
    assert_eq!(syns[..3], [0, 1_000, 2_000].map(ms), "the first of them is lost");
    let times = &first(&outcome).completions;
    let opened = |n: usize| times[n].start.since(network.flows[0].start);
    assert_eq!((opened(0), opened(1)), (ms(1_100), ms(2_100)));
    assert!(times.iter().all(|c| c.took == times[0].took), "{times:?}");
    assert_eq!((first(&outcome).refused, first(&outcome).unfinished), (0, 0));
}

#[test]
fn a_transfer_whose_handshake_never_ends_is_unfinished() {
    let network = losing(transfer(10_000), THERE, &(1..100).collect::<Vec<_>>());
    let (outcome, [syns, _, data]) = seen(&network);
    assert_eq!((syns.len(), data.len(), first(&outcome).unfinished), (5, 0, 1));
}

#[test]
fn an_application_that_stops_before_its_connection_opens_sends_no_more() {
    let mut network = losing(network(&tcp(Recovery::Linux, true)), THERE, &[1]);
    network.flows[0].stop = Some(Instant::ZERO + ms(500));
    let (outcome, [syns, ..]) = seen(&network);
    assert_eq!((syns.len(), first(&outcome).sent), (1, 0));
}

#[test]
fn a_syn_that_is_sent_again_in_vain_changes_nothing() {
    // Over two seconds of propagation each handshake sends its SYN again before the answer comes.
    let mut network = network(&tcp(Recovery::Linux, true));
    for place in [THERE, BACK] {
        let config = link(mbit(10), Duration::from_secs(1), Limit::Packets(60));
        network.links[place].config = config.into();
    }
    let (_, [syns, answers, data]) = seen(&network);
    assert_eq!((syns, answers.len()), ([0, 1_000].map(ms).to_vec(), 2));
    assert_eq!(data[0], ms(2_080));
    // The first answer echoes the first SYN.
    assert_eq!(data.iter().filter(|&&at| at == data[0]).count(), 10);
}
