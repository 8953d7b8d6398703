//! RFC 9293 section 3.8.6: the receiver's window. A window that closes, its probes, and its right edge.

use crate::support;
use crate::support::{Host, Script, config, ms};
use westwood_cc::{Bytes, Instant};
use westwood_tcp::{
    AckOptions, AckSegment, BufferSizes, Buffers, Config, DataSegment, ReadMode, Recovery, Sizes,
};

/// A buffer of 40 kB, of which half is a window: 13 segments of 1500 bytes at the start, then 12, because
/// one is kept in reserve.
fn small() -> Buffers {
    Buffers { receive: Some(BufferSizes::of(4_096, 40_000, 40_000)), ..Buffers::default() }
}

fn limited(recovery: Recovery, window: u64) -> Config {
    Config { buffers: small(), ..config(recovery, window) }
}

/// The application reads nothing from 1 s, when everything begins, until 60 s.
fn paused(recovery: Recovery) -> Config {
    let at = |s: u64| Instant::ZERO + ms(1_000 * s);
    let reading = ReadMode::Paused { from: at(1), until: at(60) };
    let mut config = limited(recovery, 10);
    config.buffers.reading = reading;
    config
}

fn ack(ack: u64, window: u64) -> AckSegment {
    let mut options = AckOptions::NONE;
    options.set_window(window, &mut AckOptions::default());
    AckSegment { ack, options, echo: None, ece: false, eln: false }
}

impl Script {
    fn offered(&mut self, number: u64, window: u64) -> Vec<u64> {
        let now = self.present();
        self.sender.on_ack(now, &ack(number, window));
        self.sends()
    }
}

#[test]
fn no_more_is_outstanding_than_the_receiver_offers() {
    for recovery in Recovery::ALL {
        let mut s = Script::new(&limited(recovery, 100));
        assert_eq!(s.log.len(), 13, "{recovery}");
        assert_eq!(s.offered(2, 11), Vec::<u64>::new(), "{recovery}");
        assert_eq!(s.offered(3, 12), [13, 14], "{recovery}");
    }
}

#[test]
fn a_window_update_lets_segments_leave_and_is_no_duplicate_ack() {
    for recovery in Recovery::ALL {
        let mut s = Script::new(&limited(recovery, 100));
        assert_eq!(s.offered(0, 14), [13], "{recovery}");
        assert_eq!(s.offered(0, 15), [14], "{recovery}");
        assert_eq!(s.offered(0, 16), [15], "{recovery}");
        assert_eq!(s.offered(0, 17), [16], "{recovery}");
        assert_eq!(s.sender.counts().fast_recoveries, 0, "{recovery}");
    }
}

#[test]
fn a_right_edge_that_moves_back_is_not_believed() {
    let mut s = Script::new(&limited(Recovery::Sack, 100));
    s.offered(4, 13);
    let sent = s.sender.snd_max();
    assert_eq!(s.offered(5, 2), Vec::<u64>::new());
    assert_eq!(s.offered(6, 12), [sent]);
}

#[test]
fn a_closed_window_is_probed_ever_more_rarely_and_no_timeout_is_counted() {
    for recovery in Recovery::ALL {
        let mut s = Script::new(&limited(recovery, 13));
        assert_eq!(s.offered(13, 0), Vec::<u64>::new(), "{recovery}");
        let mut gap = s.sender.rto();
        for _ in 0..9 {
            // Linux's timers are late by up to an eighth of the wait and two ticks (`calc_index`).
            let late = if recovery == Recovery::Linux { gap / 8 + ms(8) } else { ms(0) };
            assert!(s.due() >= gap && s.due() <= gap + late, "{recovery}: {} of {gap}", s.due());
            assert_eq!(s.wait(s.due()), [12], "{recovery}: below the window");
            gap = (gap * 2).min(ms(60_000));
        }
        let counts = s.sender.counts();
        assert_eq!((counts.timeouts, counts.retransmitted), (0, 0), "{recovery}");
        assert_eq!((counts.window_probes, counts.sent), (9, 22), "{recovery}");
        // A probe is a header.
        let Sizes { payload, header, .. } = limited(recovery, 13).sizes;
        let bytes = 13 * payload.get() + 22 * header.get();
        assert_eq!(counts.sent_bytes, bytes, "{recovery}");
        let cwnd = s.cwnd();
        // The answer says that nothing has changed; then the window opens.
        assert_eq!(s.offered(13, 0), Vec::<u64>::new(), "{recovery}");
        let longest = if recovery == Recovery::Linux { ms(68_000) } else { ms(60_000) };
        assert!(s.due() <= longest, "{recovery}: the timer runs on");
        assert_eq!(s.offered(13, 3), [13, 14, 15], "{recovery}");
        assert_eq!((s.cwnd(), s.sender.counts().timeouts), (cwnd, 0), "{recovery}");
    }
}

#[test]
fn tcp_ack_probe_the_wait_for_the_next_probe_begins_at_the_answer_to_the_last_one() {
    for (recovery, restarts) in [(Recovery::Sack, false), (Recovery::Linux, true)] {
        let mut s = Script::new(&limited(recovery, 13));
        s.offered(13, 0);
        s.wait(s.due());
        let due = s.due();
        // The answer comes after half of the wait.
        s.wait(due / 2);
        s.offered(13, 0);
        let rest = s.due();
        assert_eq!(rest > due - due / 2 + ms(100), restarts, "{recovery}: {due}, then {rest}");
        // An old ACK answers no probe.
        s.wait(ms(64));
        let rest = s.due();
        s.offered(12, 0);
        assert_eq!(s.due(), rest, "{recovery}");
    }
}

#[test]
fn a_sender_without_data_does_not_probe() {
    let mut s = Script::idle(&limited(Recovery::Sack, 13));
    s.sender.supply_segments(13);
    s.sends();
    s.offered(13, 0);
    assert_eq!(s.sender.deadline(), Instant::FAR_FUTURE);
}

#[test]
fn a_receiver_that_does_not_read_closes_its_window_and_tells_when_it_reads_again() {
    for recovery in [Recovery::NewReno, Recovery::Linux] {
        let mut host = Host::new(&paused(recovery));
        let mut edges = Vec::new();
        let mut seq = 0;
        loop {
            let told = host.data(seq).expect("an ACK").options.window().expect("a window");
            seq += 1;
            edges.push(seq + told);
            if told == 0 {
                break;
            }
        }
        assert!(edges.is_sorted(), "{recovery}: {edges:?}");
        assert_eq!((seq, host.receiver.rcv_nxt()), (14, 14), "{recovery}");
        // A probe is answered with a window that is closed still.
        let probe = DataSegment { payload: Bytes::ZERO, ..support::segment(13, host.now) };
        let answer = host.segment(&probe, false).expect("an answer");
        assert_eq!((answer.ack, answer.options.window()), (14, Some(0)), "{recovery}");
        assert!(answer.options.has_no_block(), "{recovery}");
        // Linux answers a second one in half a second (`tcp_oow_rate_limited`).
        for (wait, answered) in [(400, recovery != Recovery::Linux), (100, true)] {
            host.now += ms(wait);
            let probe = DataSegment { sent_at: host.now, ..probe };
            assert_eq!(host.segment(&probe, false).is_some(), answered, "{recovery}: {wait}");
        }
        // At 60 s everything is read.
        host.now = host.receiver.deadline();
        assert_eq!(host.now, Instant::ZERO + ms(60_000), "{recovery}");
        let update = host.receiver.on_timer(host.now).expect("a window update");
        assert_eq!((update.ack, update.options.window()), (14, Some(12)), "{recovery}");
        assert_eq!(host.receiver.deadline(), Instant::FAR_FUTURE, "{recovery}");
    }
}

#[test]
fn segments_behind_a_gap_take_room_and_do_not_move_the_edge_back() {
    let mut host = Host::new(&limited(Recovery::Sack, 10));
    let mut edge = 0;
    for seq in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 13] {
        let ack = host.data(seq).expect("an ACK");
        let now = ack.ack + ack.options.window().expect("a window");
        assert!(now >= edge, "{seq}");
        edge = now;
    }
    assert_eq!(edge, 14 + 12);
}

#[test]
fn without_a_buffer_no_ack_carries_a_window() {
    let mut host = Host::with_sack();
    assert_eq!(host.data(0).expect("an ACK").options.window(), None);
}
