//! Hosts that limit a connection: windows, buffers, applications that pause; and receivers that misbehave.

use std::collections::BTreeSet;

use crate::support::{dumbbell, ms};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_sim::{
    Control, Engine, FlowOutcome, Network, Tap, TapContent, TapEvent, TapPoint, TcpSpec, Traffic,
    Workload, run_tapped, run_with,
};
use westwood_tcp::{
    AckPolicy, BufferSizes, Buffers, Config, Credit, Pacing, ReadMode, ReceiverBehaviour, Recovery,
    RtoConfig, Sizes,
};

fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

/// Reno over 10 Mbit/s and 100 ms with a buffer of `waiting` packets, 60 s.
fn network(config: Config, waiting: u64) -> Network {
    let controller = Choice::named("reno").expect("in the catalog");
    let tcp = TcpSpec { controller, config };
    let time = Duration::from_secs(60);
    dumbbell(mbit(10), ms(100), waiting, mbit(1_000), tcp, time, Duration::ZERO)
}

fn config(recovery: Recovery) -> Config {
    Config {
        recovery,
        rto: RtoConfig { min: ms(200), ..RtoConfig::default() },
        handshake_rtt: Some(ms(100)),
        initial_window: Segments::new(2),
        ..Config::default()
    }
}

/// The answer of both engines, which is the same.
fn flow(network: &Network) -> FlowOutcome {
    let [a, b] = [Engine::Lookahead, Engine::Plain].map(|engine| {
        let control = Control { engine, ..Control::default() };
        run_with(network, control).expect("a valid network").flows.remove(0)
    });
    assert_eq!(a, b);
    a
}

fn delivered(config: Config) -> u64 {
    flow(&network(config, 83)).delivered_bytes
}

fn fixed(bytes: u32) -> BufferSizes {
    BufferSizes::of(4_096, bytes, bytes)
}

#[test]
fn a_small_receive_window_carries_a_window_a_round_trip_time() {
    for recovery in Recovery::ALL {
        let buffers = Buffers { receive: Some(fixed(64_000)), ..Buffers::default() };
        let carried = delivered(Config { buffers, ..config(recovery) });
        // Half of the buffer less a segment in reserve: 20 segments of 1500 bytes in 100 ms and what a
        // segment takes on the links. ACKs of every second segment may wait.
        let rounds = 60_000.0 / 101.2;
        let most = rounds * 20.0 * 1_500.0;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let share = carried as f64 / most;
        assert!((0.97..1.01).contains(&share), "{recovery}: {share}");
    }
}

#[test]
fn the_time_that_a_buffer_limits_is_that_of_the_measuring_interval() {
    let buffers = Buffers { receive: Some(fixed(64_000)), ..Buffers::default() };
    let config = Config { buffers, ..config(Recovery::Linux) };
    // The ends of measuring fall within limits, which last up to a round trip.
    for warmup in [10_000, 30_030, 59_770, 59_930, 59_970].map(ms) {
        let mut network = network(config, 83);
        network.warmup = warmup;
        let measured = network.duration - warmup;
        let limited = flow(&network).host_limited;
        assert!(limited <= measured, "{limited:?} of {measured:?}");
        let most = measured.as_nanos() * 9 / 10;
        assert!(limited.as_nanos() >= most, "{limited:?} of {measured:?}");
    }
}

#[test]
fn a_buffer_limits_a_paced_flow_once_pacing_lets_the_next_segment_leave() {
    let buffers = Buffers { receive: Some(fixed(64_000)), ..Buffers::default() };
    let limited = |pacing: Pacing| {
        let config = Config { buffers, pacing, ..config(Recovery::Linux) };
        let network = network(config, 83);
        flow(&network).host_limited.as_nanos() * 100 / network.duration.as_nanos()
    };
    let (paced, at_once) = (limited(Pacing::On), limited(Pacing::Off));
    assert!((50..at_once).contains(&paced), "{paced} and {at_once} % of the time");
}

#[test]
fn a_small_send_buffer_carries_its_segments_a_round_trip_time() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Linux] {
        let buffers = Buffers { send: Some(fixed(64_000)), ..Buffers::default() };
        let carried = delivered(Config { buffers, ..config(recovery) });
        // 64,000 bytes are 23 packets of 2780 bytes of memory, and one that is written last. The application
        // waits until a third of them is acknowledged.
        let least = 15 * 1_500 * 60_000 / 110;
        let most = 24 * 1_500 * 60_000 / 100;
        assert!((least..most).contains(&carried), "{recovery}: {carried}");
    }
}

#[test]
fn buffers_that_grow_as_linux_lets_them_carry_what_unlimited_ones_do() {
    let stock = Buffers {
        send: Some(BufferSizes::LINUX_SEND),
        receive: Some(BufferSizes::LINUX_RECEIVE),
        ..Buffers::default()
    };
    let linux =
        Config { acks: AckPolicy::LINUX, credit: Credit::PerSegment, ..config(Recovery::Linux) };
    let [limited, unlimited] =
        [stock, Buffers::default()].map(|buffers| delivered(Config { buffers, ..linux }));
    let difference = limited.abs_diff(unlimited);
    assert!(difference * 100 < unlimited, "{limited} of {unlimited}");
}

#[test]
fn an_application_that_pauses_closes_the_window_and_the_rest_arrives_after_it() {
    let at = |s: u64| Instant::ZERO + Duration::from_secs(s);
    let size = Bytes::new(30_000_000);
    for recovery in Recovery::ALL {
        let reading = ReadMode::Paused { from: at(10), until: at(30) };
        let buffers = Buffers { receive: Some(fixed(400_000)), reading, ..Buffers::default() };
        let mut paused = network(Config { buffers, ..config(recovery) }, 83);
        let mut open = paused.clone();
        for (network, reading) in [(&mut paused, reading), (&mut open, ReadMode::AtOnce)] {
            let Traffic::Tcp(tcp, workload) = &mut network.flows[0].traffic else { panic!() };
            tcp.config.buffers.reading = reading;
            *workload = Workload::Transfer(size);
        }
        let [paused, open] = [&paused, &open].map(flow);
        assert_eq!(paused.delivered_bytes, 30_000_000, "{recovery}");
        let took = |flow: &FlowOutcome| flow.completions[0].took;
        // Data arrives for a while after the application has stopped reading, and before it goes on.
        let longer = took(&paused).as_nanos() - took(&open).as_nanos();
        assert!(longer > 18_000_000_000 && longer < 22_000_000_000, "{recovery}: {longer}");
        // A pause is not a loss.
        assert_eq!(paused.timeouts, open.timeouts, "{recovery}");
    }
}

/// A reader goes on between the timer of an ACK and the next segment, which a receiver that is run ahead
/// takes before either.
#[test]
fn a_reader_that_goes_on_before_the_next_segment_acknowledges_what_it_has_read() {
    for until in (1_000..1_400).step_by(7) {
        let reading =
            ReadMode::Paused { from: Instant::ZERO + ms(500), until: Instant::ZERO + ms(until) };
        let buffers = Buffers { receive: Some(fixed(400_000)), reading, ..Buffers::default() };
        let acks = AckPolicy::Delayed { timer: ms(100) };
        let mut slow = network(Config { buffers, acks, ..config(Recovery::Sack) }, 83);
        let Traffic::Tcp(_, workload) = &mut slow.flows[0].traffic else { panic!() };
        // A segment in 130 ms.
        *workload = Workload::Limited(Rate::from_bits_per_s(1_460 * 8 * 1_000 / 130));
        slow.duration = Duration::from_secs(3);
        assert!(flow(&slow).delivered_bytes > 0);
    }
}

#[test]
fn a_closed_window_is_probed_until_an_update_that_was_lost_is_heard() {
    let at = |s: u64| Instant::ZERO + Duration::from_secs(s);
    let reading = ReadMode::Paused { from: at(5), until: at(20) };
    let buffers = Buffers { receive: Some(fixed(100_000)), reading, ..Buffers::default() };
    let initial_window = Segments::new(10);
    let mut lossy = network(Config { buffers, initial_window, ..config(Recovery::Sack) }, 83);
    // A fifth of all ACKs is lost.
    let back = lossy.links.iter().position(|link| link.from == 2 && link.to == 1).expect("there");
    let mut link = (*lossy.links[back].config).clone();
    link.losses.push(westwood_net::LossConfig::Bernoulli { p: 0.2 });
    lossy.links[back].config = link.into();
    let flow = flow(&lossy);
    // A window of 32 segments in 100 ms is 480 kB/s: 2.4 MB until the pause. It goes on after the pause,
    // whichever ACKs were lost.
    assert!(flow.delivered_bytes > 10_000_000, "{}", flow.delivered_bytes);
    // Probes are sent and are no copies.
    assert_eq!(flow.retransmitted, 0);
    let delivered = flow.delivered_bytes / config(Recovery::Sack).sizes.payload.get();
    assert!(flow.sent > delivered + 2, "{} sent, {delivered} delivered", flow.sent);
}

/// The goodput of a receiver over that of an honest one, in percent, over 1 Gbit/s in the first 900 ms:
/// growth decides.
fn gain(behaviour: ReceiverBehaviour, config: Config) -> u64 {
    let [misbehaving, honest] = [behaviour, ReceiverBehaviour::Honest].map(|receiver| {
        let mut network = network(Config { receiver, ..config }, 1_000);
        network.links.iter_mut().for_each(|link| {
            let mut config = (*link.config).clone();
            config.capacity = westwood_net::Capacity::Fixed(mbit(1_000));
            link.config = config.into();
        });
        network.duration = ms(900);
        flow(&network).delivered_bytes
    });
    100 * misbehaving / honest
}

#[test]
fn divided_acks_open_the_window_of_a_sender_that_counts_acks_and_of_no_other() {
    let divide = ReceiverBehaviour::Divide { pieces: 4 };
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        for (credit, gains) in
            [(Credit::PerAck, true), (Credit::PerSegment, false), (Credit::Limited, false)]
        {
            let gained = gain(divide, Config { credit, ..config(recovery) });
            assert_eq!(gained > 300, gains, "{recovery} {credit:?}: {gained} %");
            assert!(gains || (95..=105).contains(&gained), "{recovery} {credit:?}: {gained} %");
        }
    }
    let linux =
        Config { acks: AckPolicy::LINUX, credit: Credit::PerSegment, ..config(Recovery::Linux) };
    assert_eq!(gain(divide, linux), 100);
}

#[test]
fn spoofed_duplicates_inflate_a_window_without_sack_and_none_with_it() {
    let spoof = ReceiverBehaviour::Spoof { extra: 20 };
    let careless = Config { careful: false, ..config(Recovery::Reno) };
    let reno = gain(spoof, careless);
    assert!(reno > 150, "{reno} %");
    for recovery in [Recovery::Sack, Recovery::Linux] {
        let gained = gain(spoof, config(recovery));
        assert!(gained <= 101, "{recovery}: {gained} %");
    }
}

#[test]
fn optimistic_acks_hide_losses_and_what_was_lost_is_not_delivered() {
    let optimistic = ReceiverBehaviour::Optimistic { lead: 20 };
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Linux] {
        let lossy = |receiver| {
            let mut network = network(Config { receiver, ..config(recovery) }, 200);
            let there = network.links.iter().position(|link| (link.from, link.to) == (1, 2));
            let there = there.expect("there");
            let mut link = (*network.links[there].config).clone();
            link.losses.push(westwood_net::LossConfig::Bernoulli { p: 0.01 });
            network.links[there].config = link.into();
            flow(&network)
        };
        let (greedy, honest) = (lossy(optimistic), lossy(ReceiverBehaviour::Honest));
        assert!(greedy.delivered_bytes > 3 * honest.delivered_bytes, "{recovery}");
        assert!(greedy.fast_recoveries <= honest.fast_recoveries / 10, "{recovery}");
        // A hundredth of what was sent is missing for good.
        let missing = greedy.sent * 1_500 - greedy.delivered_bytes;
        assert!(missing > greedy.sent * 1_500 / 200, "{recovery}: {missing}");
    }
}

#[test]
fn withheld_acks_slow_the_growth_of_a_sender_that_counts_acks() {
    let withhold = ReceiverBehaviour::Withhold { segments: 8, time: ms(200) };
    let [counting, bytes] = [Credit::PerAck, Credit::PerSegment].map(|credit| {
        let initial_window = Segments::new(16);
        gain(withhold, Config { credit, initial_window, ..config(Recovery::Sack) })
    });
    assert!(counting < 50, "{counting} %");
    assert!(bytes > 80 && bytes <= 100, "{bytes} %");
}

/// The numbers of blocks and the sizes of ACKs that a receiver sends.
#[derive(Default)]
struct Acks(BTreeSet<(u8, u64)>);

impl Tap for Acks {
    fn sees(&mut self, sighting: &TapEvent) {
        if let (TapPoint::Sent(_), TapContent::Ack(ack)) = (sighting.place, &sighting.carries) {
            self.0.insert((ack.options.block_count(), sighting.size.get()));
        }
    }
}

#[test]
fn rfc2018_3_in_linux_the_option_of_sack_blocks_takes_four_bytes_beside_them() {
    for (recovery, option) in [(Recovery::Linux, 4), (Recovery::Sack, 0)] {
        let sizes = Sizes { ack: Bytes::new(52), sack_block: Bytes::new(8), ..Sizes::default() };
        // 8 places: bursts leave gaps, and ACKs report one to three ranges and more.
        let network = network(Config { sizes, ..config(recovery) }, 8);
        let mut acks = Acks::default();
        run_tapped(&network, Control::default(), &mut acks).expect("a valid network");
        assert!(acks.0.len() > 2, "{recovery}: {:?}", acks.0);
        for (blocks, size) in acks.0 {
            let expected = if blocks > 0 { 52 + option + 8 * u64::from(blocks) } else { 52 };
            assert_eq!(size, expected, "{recovery}, {blocks} blocks");
        }
    }
}
