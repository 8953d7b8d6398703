//! Pacing: segments spread over the round-trip time.

use crate::support::{Script, config, ms};
use westwood_cc::{Duration, Segments};
use westwood_tcp::{Config, Pacing, Recovery};

const ALL: [Recovery; 4] = [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack];

fn paced(recovery: Recovery, window: u64) -> Script {
    Script::new(&Config { pacing: Pacing::On, ..config(recovery, window) })
}

#[test]
fn the_first_window_leaves_at_once_because_no_round_trip_time_is_known() {
    for recovery in ALL {
        assert_eq!(paced(recovery, 10).log.len(), 10, "{recovery}");
    }
}

#[test]
fn an_ack_of_the_whole_window_does_not_cause_a_burst() {
    for recovery in ALL {
        let mut s = paced(recovery, 12);
        assert_eq!(s.ack(12), [12], "{recovery}");
        // 1.2 times 12 segments in 100 ms: one each 6.94 ms, half of that behind one long due.
        assert_eq!(s.wait(Duration::from_micros(3_470)), [], "{recovery}");
        assert_eq!(s.wait(Duration::from_micros(10)), [13], "{recovery}");
        assert_eq!(s.wait(Duration::from_micros(6_920)), [], "{recovery}");
        assert_eq!(s.wait(Duration::from_micros(30)), [14], "{recovery}");
        assert_eq!(s.wait(ms(70)).len(), 9, "{recovery}");
        assert_eq!(s.wait(ms(30)), [], "{recovery}: the window is out");
    }
}

#[test]
fn in_slow_start_the_pace_is_twice_the_window_in_a_round_trip() {
    let mut s = Script::new(&Config {
        pacing: Pacing::On,
        initial_ssthresh: Segments::MAX,
        ..config(Recovery::NewReno, 10)
    });
    s.ack(10);
    // A window of 11 at twice its rate: one each 4.55 ms.
    assert_eq!(s.wait(ms(46)).len(), 10);
}

#[test]
fn a_paced_sender_wakes_when_the_next_segment_may_leave_and_sleeps_when_none_can() {
    for recovery in ALL {
        let mut s = paced(recovery, 4);
        s.ack(4);
        while s.due() < ms(500) {
            assert!(s.due() > Duration::ZERO, "{recovery}");
            assert_eq!(s.wait(s.due()).len(), 1, "{recovery}: a wake-up sends");
        }
        assert_eq!(s.sender.snd_max(), 8, "{recovery}");
    }
}

#[test]
fn copies_are_paced_as_well_and_none_is_forgotten() {
    for recovery in ALL {
        let mut s = paced(recovery, 10);
        s.ack(1);
        s.wait(ms(50));
        (3..=6).for_each(|end| drop(s.sack(1, &[(2, end)])));
        let sent = s.wait(ms(200));
        let copies = s.log.iter().filter(|d| d.retransmission).count();
        assert_eq!(copies, 1, "{recovery} {sent:?}");
    }
}

#[test]
fn a_paced_window_grows_though_no_ack_finds_it_full() {
    for recovery in ALL {
        let mut s = paced(recovery, 10);
        for _ in 0..30 {
            let (from, to) = (s.sender.snd_una(), s.sender.snd_max());
            for n in from..to {
                s.ack(n + 1);
                s.wait(ms(100) / (to - from));
            }
        }
        assert!(s.cwnd() >= 30, "{recovery}: {}", s.cwnd());
    }
}

#[test]
fn fq_holds_two_segments_whose_departures_were_set_when_they_were_chosen() {
    let mut s = Script::new(&Config { pacing: Pacing::Fq, ..config(Recovery::Linux, 12) });
    s.ack(4);
    // The first departure after a pause halves its gap: at 1.2 times 12 segments in 100 ms.
    let before = s.log.len();
    assert_eq!(s.sender.snd_max(), before as u64 + 2, "two wait");
    let due = s.due();
    s.ack(12);
    assert_eq!(s.due(), due, "a faster rate does not move what waits");
    s.wait(due);
    assert_eq!(s.log.len(), before + 1);
}

#[test]
fn tcp_tsq_write_copies_that_are_held_back_leave_though_an_overtaken_ack_has_come() {
    for pacing in [Pacing::On, Pacing::Fq] {
        let mut s = Script::new(&Config { pacing, ..config(Recovery::Linux, 20) });
        // 2 to 7 are lost.
        assert_eq!(s.sack(2, &[(8, 20)]), [2], "{pacing:?}");
        // An ACK that allows no copy: `rexmit` of `tcp_ack` stays `REXMIT_NONE`.
        assert_eq!(s.ack(1), [], "{pacing:?}");
        assert_eq!(s.wait(ms(40))[..5], [3, 4, 5, 6, 7], "{pacing:?}");
    }
}
