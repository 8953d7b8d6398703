//! `tcp_wmem` and `tcp_rmem`: the numbers that `SO_MEMINFO` and `TCP_INFO` show on a Linux 6.1.

use crate::support;
use crate::support::{Host, Script, ms};
use westwood_cc::controller::Setup;
use westwood_cc::controllers::bbr::Mode;
use westwood_cc::controllers::{AnyController, Choice};
use westwood_cc::{Bytes, Duration, Instant, Segments};
use westwood_tcp::{
    AckOptions, AckPolicy, AckSegment, BufferSizes, Buffers, Config, Credit, DataSegment, Pacing,
    ReadMode, Receiver, Recovery, Sender, Sizes,
};

fn linux(buffers: Buffers) -> Config {
    Config {
        recovery: Recovery::Linux,
        sizes: Sizes { payload: Bytes::new(1_448), ..Sizes::default() },
        credit: Credit::PerSegment,
        acks: AckPolicy::LINUX,
        initial_window: Segments::new(10),
        handshake_rtt: Some(ms(316)),
        buffers,
        ..Config::default()
    }
}

fn sending(sizes: BufferSizes) -> Buffers {
    Buffers { send: Some(sizes), ..Buffers::default() }
}

fn receiving(sizes: BufferSizes) -> Config {
    linux(Buffers { receive: Some(sizes), ..Buffers::default() })
}

fn data(seq: u64, sent_at: Instant) -> DataSegment {
    DataSegment { payload: Bytes::new(1_448), ..support::segment(seq, sent_at) }
}

#[test]
fn what_was_written_bounds_what_is_sent() {
    // 46,080 bytes of memory are 17 packets of 2,728, the last of which is not quite full.
    let stock = sending(BufferSizes::LINUX_SEND);
    let mut s = Script::new(&Config { initial_window: Segments::new(100), ..linux(stock) });
    assert_eq!(s.log.len(), 17);
    // The window was not full, so that the buffer grows to twice its memory, and the window limits again.
    s.ack(1);
    assert_eq!(s.log.len(), 101);
}

#[test]
fn a_buffer_that_may_not_grow_gives_its_size_a_round_trip() {
    let fixed = sending(BufferSizes::of(4_096, 46_080, 46_080));
    let mut s = Script::new(&linux(fixed));
    let mut next = 0;
    for _ in 0..20 {
        next = s.log.len() as u64;
        s.ack(next);
        s.wait(ms(1));
    }
    assert_eq!(s.log.len() as u64 - next, 17);
}

#[test]
fn a_full_window_does_not_let_the_buffer_grow() {
    let mut s = Script::new(&linux(sending(BufferSizes::LINUX_SEND)));
    // Each ACK lets a window leave that is full again: 17 segments are enough until it is 18.
    for n in 1..=7 {
        s.ack(n);
        assert_eq!(s.sender.snd_max() - n, s.cwnd().min(17), "{n}");
    }
}

#[test]
fn a_burst_may_leave_while_duplicates_tell_of_more_than_is_outstanding() {
    let buffers = sending(BufferSizes::of(4_096, 1 << 20, 1 << 20));
    let mut s = Script::idle(&Config { buffers, ..support::config(Recovery::Reno, 4) });
    s.sender.supply_segments(4);
    assert_eq!(s.sends(), [0, 1, 2, 3]);
    // Nothing new is there for the window that these inflate: the repair alone leaves.
    for _ in 0..20 {
        s.ack(0);
    }
    assert_eq!(s.log.len(), 5);
    s.sender.supply_segments(12);
    assert_eq!(s.sends(), [4, 5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn little_is_unsent_where_a_low_water_mark_says_so() {
    let lowat = Some(131_072);
    let buffers = Buffers {
        notsent_lowat: lowat,
        write_size: Some(65_536),
        ..sending(BufferSizes::of(4_096, 1 << 20, 64 << 20))
    };
    // The first two writes are of 131,072 bytes: 90 full segments, and the rest waits for the third.
    let mut s = Script::new(&linux(buffers));
    assert_eq!(s.log.len(), 10);
    s.ack(10);
    assert_eq!(s.sender.snd_max(), 30);
    let mut s = Script::new(&Config { initial_window: Segments::new(1_000), ..linux(buffers) });
    // Nothing is unsent, so that the application writes until a third of the buffer is left.
    let memory = s.log.len() as u64 * (1_448 + 1_280);
    assert!(memory > (1 << 20) * 2 / 3 && memory <= 1 << 20, "{memory}");
    s.ack(1);
}

#[test]
fn a_transfer_that_ends_with_a_short_segment_is_sent_whole_through_a_small_buffer() {
    for pacing in [Pacing::Off, Pacing::On, Pacing::Fq] {
        let config = Config { pacing, ..linux(sending(BufferSizes::of(4_096, 4_096, 8_192))) };
        let mut s = Script::idle(&config);
        s.sender.supply(Bytes::new(100_000));
        s.sends();
        for _ in 0..10_000 {
            if s.sender.is_done() {
                break;
            }
            s.wait(ms(5));
            s.ack(s.log.iter().map(|segment| segment.seq + 1).max().unwrap_or_default());
        }
        assert!(s.sender.is_done(), "{pacing:?}");
        assert_eq!(s.log.iter().map(|segment| segment.payload.get()).sum::<u64>(), 100_000);
    }
}

/// An ACK of all below `ack` arrives with this window, and what may leave then does.
fn arrive(sender: &mut Sender, at: Duration, ack: u64, window: u64) {
    let now = Instant::ZERO + at;
    let mut options = AckOptions::NONE;
    options.set_window(window, &mut AckOptions::default());
    sender.on_ack(now, &AckSegment { ack, options, echo: None, ece: false, eln: false });
    while sender.transmit(now).is_some() {}
}

/// BBR's mode a round trip after twelve seconds in which nothing was in flight: because the receiver's window
/// was `closed`, or because there was nothing to send.
fn mode_after_silence(closed: bool) -> Mode {
    // The first window is ten segments.
    let buffers =
        Buffers { receive: Some(BufferSizes::of(1, 29_200, 1 << 20)), ..Buffers::default() };
    let config = linux(buffers);
    let setup = Setup {
        smss: config.sizes.payload,
        initial_window: config.initial_window,
        seed: 1,
        handshake_rtt: config.handshake_rtt,
        paced: true,
    };
    let bbr = Choice::named("bbr").expect("in the catalog");
    let mut sender = Sender::new(&config, bbr.build(&setup));
    sender.supply_segments(if closed { 1_000 } else { 10 });
    while sender.transmit(Instant::ZERO + ms(1_000)).is_some() {}
    arrive(&mut sender, ms(1_316), 10, if closed { 0 } else { 40 });
    assert_eq!((sender.snd_max(), sender.in_flight()), (10, 0));
    sender.supply_segments(1_000);
    arrive(&mut sender, ms(13_316), 10, 40);
    assert!(sender.snd_max() > 10);
    arrive(&mut sender, ms(13_632), 11, 40);
    let AnyController::Bbr(bbr) = sender.controller_mut() else { panic!("it is bbr") };
    bbr.mode()
}

#[test]
fn bbr_cwnd_event_a_closed_window_that_opens_is_no_restart_of_an_idle_application() {
    // The smallest round-trip time is older than ten seconds. An application that was idle has left the path
    // empty, and there is no need to look for it.
    assert_eq!(mode_after_silence(false), Mode::Startup);
    assert_eq!(mode_after_silence(true), Mode::ProbeRtt);
}

#[test]
fn the_window_grows_by_two_segments_for_each_up_to_half_of_the_buffer() {
    let mut host = Host::new(&receiving(BufferSizes::of(4_096, 16 << 20, 16 << 20)));
    let mut told = Vec::new();
    for seq in 0..3_000 {
        host.now += ms(1);
        let ack = host.segment(&data(seq, host.now), false);
        told.extend(ack.map(|ack| (seq, ack.options.window().expect("a window"))));
    }
    assert_eq!(told[..3], [(0, 47), (1, 49), (2, 51)]);
    // As long as it grows, each segment is acknowledged (`icsk_ack.quick`).
    assert!((0..2_800).all(|seq| told[seq].0 == seq as u64));
    assert!(told.len() < 3_000);
    assert_eq!(told.last().expect("an ACK").1, ((8 << 20) - 1_448) / 1_448);
}

#[test]
fn the_buffer_follows_what_is_read_in_a_round_trip_time() {
    let mut host = Host::new(&receiving(BufferSizes::LINUX_RECEIVE));
    let mut seq = 0;
    let mut windows = Vec::new();
    // A sender that doubles its window, 316 ms a round.
    for round in 0..6 {
        let mut window = 0;
        for _ in 0..10 << round {
            if let Some(ack) = host.segment(&data(seq, host.now), false) {
                window = ack.options.window().expect("a window");
            }
            seq += 1;
        }
        windows.push(window);
        host.now += ms(316);
    }
    // Each time there is room for the next round and more.
    for (round, window) in windows.iter().enumerate() {
        assert!(*window >= 20 << round, "{windows:?}");
    }
    assert!(windows[5] < 6 << 20, "{windows:?}");
}

#[test]
fn an_application_that_reads_no_more_than_before_does_not_let_the_buffer_grow() {
    let mut host = Host::new(&receiving(BufferSizes::LINUX_RECEIVE));
    let mut window = 0;
    for seq in 0..2_000 {
        // Ten segments in 316 ms, as many as at the start.
        if seq % 10 == 0 {
            host.now += ms(316);
        }
        if let Some(ack) = host.segment(&data(seq, host.now), false) {
            window = ack.options.window().expect("a window");
        }
    }
    assert_eq!(window, (65_536 - 1_448) / 1_448);
}

#[test]
fn a_read_of_many_segments_ends_a_round_at_its_first_and_the_rest_counts_for_the_next() {
    let mut host = Host::new(&receiving(BufferSizes::LINUX_RECEIVE));
    let mut told = 0;
    let mut arrive = |host: &mut Host, segments: std::ops::Range<u64>| {
        for seq in segments {
            let ack = host.segment(&data(seq, host.now), false);
            told = ack.map_or(told, |ack| ack.options.window().expect("a window"));
        }
        told
    };
    // A round of ten; in the next one thirty wait behind a hole, and are read at once when it is filled.
    arrive(&mut host, 0..10);
    host.now += ms(300);
    arrive(&mut host, 11..41);
    host.now += ms(16);
    arrive(&mut host, 10..11);
    host.now += ms(1);
    // Eleven have been read up to the first: half of the buffer, less a segment, is as much as before.
    let initial = (65_536 - 1_448) / 1_448;
    assert_eq!(arrive(&mut host, 41..61), initial);
    host.now += ms(316);
    assert!(arrive(&mut host, 61..81) > initial);
}

#[test]
fn rounds_are_counted_without_timestamps_too() {
    let config = receiving(BufferSizes::LINUX_RECEIVE);
    let mut host = Host::new(&Config { timestamps: false, handshake_rtt: None, ..config });
    let mut window = 0;
    for seq in 0..2_000 {
        host.now += Duration::from_millis(2);
        if let Some(ack) = host.segment(&data(seq, host.now), false) {
            window = ack.options.window().expect("a window");
        }
    }
    assert!(window > 44, "{window}");
}

#[test]
fn a_window_of_few_segments_grants_few_quick_acks() {
    // Windows of 5, 11 and 45 segments at first: two of their segments for each quick ACK, at most 16.
    for (buffer, quick) in [(16, 2), (32, 5), (128, 16)] {
        let mut receiver =
            Receiver::new(&receiving(BufferSizes::of(4 << 10, buffer << 10, buffer << 10)));
        let at_once = (0..40).take_while(|&seq| {
            let at = Instant::ZERO + ms(seq);
            receiver.on_data(at, &data(seq, at), false).is_some()
        });
        assert_eq!(at_once.count(), quick, "{buffer}");
    }
}

#[test]
fn a_sender_pushes_what_exceeds_half_of_a_small_window() {
    // Windows of 5, 11 and 45 segments. In the last one PSH is left out.
    for (buffer, pushed) in [(16, vec![2]), (32, vec![5]), (128, vec![])] {
        let config = receiving(BufferSizes::of(4 << 10, buffer << 10, buffer << 10));
        let s = Script::new(&config);
        let log = s.log.iter().filter(|segment| segment.push);
        assert_eq!(log.map(|segment| segment.seq).collect::<Vec<_>>(), pushed, "{buffer}");
    }
}

#[test]
fn a_copy_of_a_pushed_segment_is_pushed() {
    let mut s = Script::new(&receiving(BufferSizes::of(4 << 10, 16 << 10, 16 << 10)));
    s.wait(ms(300));
    s.sack(2, &[(3, 5)]);
    s.timeout();
    let copies = s.log.iter().filter(|segment| segment.retransmission);
    let copies: Vec<_> = copies.map(|copy| (copy.seq, copy.push)).collect();
    assert!(copies.contains(&(2, true)), "{copies:?}");
    assert!(copies.iter().all(|&(seq, push)| push == (seq == 2)), "{copies:?}");
}

#[test]
fn a_reader_acknowledges_a_pushed_segment_at_once_unless_it_pauses() {
    let sizes = BufferSizes::of(4 << 10, 16 << 10, 16 << 10);
    let pause = ReadMode::Paused { from: Instant::ZERO, until: Instant::ZERO + ms(500) };
    for (push, reading, at_once) in
        [(false, ReadMode::AtOnce, false), (true, ReadMode::AtOnce, true), (true, pause, false)]
    {
        let mut config = receiving(sizes);
        config.buffers.reading = reading;
        let mut receiver = Receiver::new(&config);
        // The quick ACKs of a window of five segments.
        for seq in 0..2 {
            assert!(receiver.on_data(Instant::ZERO, &data(seq, Instant::ZERO), false).is_some());
        }
        let third = DataSegment { push, ..data(2, Instant::ZERO) };
        assert_eq!(receiver.on_data(Instant::ZERO, &third, false).is_some(), at_once, "{push}");
    }
}

#[test]
fn tcp_cleanup_rbuf_a_reader_opens_a_window_of_two_segments_with_each_one() {
    // Quick ACKs are over after the first segments: a third of the window's room is nowhere near half of it.
    for (memory, at_once) in [(8_192, true), (12_000, false)] {
        let sizes = BufferSizes::of(4_096, memory, memory);
        let mut receiver = Receiver::new(&receiving(sizes));
        let mut now = Instant::ZERO;
        let mut answered = Vec::new();
        for seq in 0..40 {
            now += ms(5);
            answered.push(receiver.on_data(now, &data(seq, now), false).is_some());
        }
        let every_one = answered[20..].iter().all(|&answered| answered);
        assert_eq!(every_one, at_once, "{memory}: {answered:?}");
    }
}

#[test]
fn tcp_push_the_last_segment_of_each_write_carries_psh_and_so_does_its_copy() {
    let sizes = BufferSizes::of(4 << 10, 16 << 20, 64 << 20);
    let mut s = Script::idle(&receiving(sizes));
    for written in [1, 2, 5] {
        s.sender.supply_segments(written);
        s.sends();
    }
    // A segment that waits for the window when more is written ends a write all the same.
    s.sender.supply_segments(12);
    s.sender.supply_segments(14);
    s.sends();
    s.ack(5);
    let pushed = |s: &Script| {
        s.log.iter().filter(|segment| segment.push).map(|segment| segment.seq).collect::<Vec<_>>()
    };
    assert_eq!(pushed(&s), [0, 1, 4, 11, 13]);
    // The probe of a tail loss, and the timeout.
    s.ack(11);
    s.timeout();
    assert_eq!(pushed(&s)[5..], [13, 11], "copies");
    let mut s = Script::new(&receiving(sizes));
    s.ack(10);
    assert_eq!(pushed(&s), [], "an application that always has more");
}
