//! RFC 6298, the retransmission timer, with Karn's rule; the estimator's arithmetic is tested in its
//! own file.

use crate::support::{Script, config, ms};
use westwood_cc::{Bytes, Instant};
use westwood_tcp::{Config, Recovery, RtoConfig};

const ALL: [Recovery; 4] = [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack];

/// A short minimum, so that the timeout follows the samples.
fn quick(recovery: Recovery, timestamps: bool) -> Config {
    Config {
        timestamps,
        rto: RtoConfig { min: ms(50), ..RtoConfig::default() },
        ..config(recovery, 4)
    }
}

#[test]
fn s5_1_the_timer_starts_with_the_first_segment_and_runs_on() {
    for recovery in ALL {
        let mut s = Script::idle(&config(recovery, 4));
        assert_eq!(s.sender.deadline(), Instant::FAR_FUTURE);
        s.sender.supply_segments(2);
        s.sends();
        assert_eq!(s.due(), ms(1_000), "{recovery}");
        s.wait(ms(300));
        s.sender.supply_segments(4);
        assert_eq!(s.sends(), [2, 3]);
        assert_eq!(s.due(), ms(700), "{recovery}: not started anew");
    }
}

#[test]
fn s5_2_the_timer_stops_when_everything_is_acknowledged() {
    for recovery in ALL {
        let mut s = Script::idle(&config(recovery, 4));
        s.sender.supply(Bytes::new(3_000));
        s.sends();
        s.wait(ms(100));
        s.ack(2);
        assert_eq!(s.sender.deadline(), Instant::FAR_FUTURE, "{recovery}");
    }
}

#[test]
fn s5_3_an_ack_of_new_data_starts_it_anew_and_a_duplicate_does_not() {
    for recovery in ALL {
        let mut s = Script::with_window(recovery, 4);
        assert_eq!(s.due(), ms(900));
        s.ack(1);
        assert_eq!(s.due(), ms(1_000), "{recovery}");
        s.wait(ms(200));
        s.ack(1);
        assert_eq!(s.due(), ms(800), "{recovery}");
    }
}

#[test]
fn s5_4_5_5_5_6_a_timeout_sends_the_first_segment_doubles_the_timer_and_starts_it() {
    for recovery in ALL {
        let mut s = Script::with_window(recovery, 4);
        for timeout in [2_000, 4_000, 8_000] {
            assert_eq!(s.timeout(), [0], "{recovery}");
            assert_eq!(s.due(), ms(timeout), "{recovery}");
        }
        assert_eq!(s.sender.counts().timeouts, 3);
    }
}

#[test]
fn s2_5_the_timer_has_a_largest_value() {
    let mut s = Script::with_window(Recovery::NewReno, 4);
    (0..10).for_each(|_| drop(s.timeout()));
    assert_eq!(s.due(), ms(60_000));
}

#[test]
fn s2_2_the_first_sample_sets_the_timer() {
    for timestamps in [true, false] {
        let mut s = Script::new(&quick(Recovery::NewReno, timestamps));
        s.ack(1);
        assert_eq!(s.sender.srtt(), ms(100));
        assert_eq!(s.sender.rto(), ms(300));
    }
}

#[test]
fn s3_without_timestamps_one_segment_a_round_trip_is_timed() {
    let mut s = Script::new(&quick(Recovery::NewReno, false));
    s.ack(1);
    // 4 is timed from here on; 1 to 3 left before and are not.
    s.wait(ms(60));
    s.ack(4);
    assert_eq!(s.sender.srtt(), ms(100));
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(100)), "the first one");
    s.wait(ms(40));
    s.ack(5);
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(100)));
}

#[test]
fn s3_karn_without_timestamps_an_ack_after_a_copy_is_no_sample() {
    for recovery in ALL {
        let mut s = Script::new(&quick(recovery, false));
        s.ack(1);
        let srtt = s.sender.srtt();
        assert_eq!(s.timeout(), [1], "{recovery}");
        s.wait(ms(500));
        s.sender.take_rtt_sample();
        s.ack(2);
        assert_eq!(s.sender.take_rtt_sample(), None, "{recovery}");
        assert_eq!(s.sender.srtt(), srtt, "{recovery}");
    }
}

#[test]
fn s3_karn_an_ack_that_a_copy_below_the_timed_segment_set_free_is_no_sample() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let mut s = Script::new(&quick(recovery, false));
        // 4 is timed from here on. 1 is lost and repaired, so that 4 is acknowledged late.
        s.ack(1);
        s.sender.take_rtt_sample();
        s.wait(ms(100));
        (3..=6).for_each(|end| drop(s.sack(1, &[(2, end)])));
        s.wait(ms(150));
        s.ack(5);
        assert_eq!(s.sender.take_rtt_sample(), None, "{recovery}");
    }
}

#[test]
fn s5_karn_the_back_off_lasts_until_new_data_gives_a_sample() {
    let mut s = Script::new(&quick(Recovery::NewReno, false));
    s.ack(1);
    s.timeout();
    s.wait(ms(100));
    // Copies are acknowledged: the doubled timer stays.
    assert_eq!(s.ack(2), [2, 3]);
    assert_eq!(s.due(), ms(600));
    s.wait(ms(100));
    // New data leaves, is timed, and its sample ends the back-off.
    assert_eq!(s.ack(5), [5, 6, 7]);
    assert_eq!(s.due(), ms(600));
    s.wait(ms(100));
    s.ack(6);
    assert!(s.due() < ms(300), "{}", s.due());
}

#[test]
fn rfc7323_4_with_timestamps_a_copy_gives_a_sample_and_ends_the_back_off() {
    let mut s = Script::new(&quick(Recovery::NewReno, true));
    s.ack(1);
    s.timeout();
    s.wait(ms(100));
    s.sender.take_rtt_sample();
    s.ack(2);
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(100)));
    assert!(s.due() < ms(300));
}

#[test]
fn a_coarse_clock_makes_whole_ticks_of_samples_and_timeouts() {
    let mut s = Script::new(&Config {
        rto: RtoConfig { min: ms(50), granularity: ms(30), ..RtoConfig::default() },
        ..config(Recovery::NewReno, 4)
    });
    s.ack(1);
    // 100 ms are 3 ticks; 90 + 4 x 45 = 270 are 9.
    assert_eq!((s.sender.srtt(), s.sender.rto()), (ms(90), ms(270)));
}

#[test]
fn s2_2_a_sample_of_the_handshake_sets_the_first_timeout() {
    let mut s =
        Script::idle(&Config { handshake_rtt: Some(ms(400)), ..config(Recovery::NewReno, 4) });
    s.sender.supply_forever();
    s.sends();
    // 400 + 4 x 200.
    assert_eq!(s.due(), ms(1_200));
}

#[test]
fn the_handshakes_sample_counts_once_where_segments_are_timed() {
    let mut config = config(Recovery::NewReno, 1);
    config.timestamps = false;
    config.handshake_rtt = Some(ms(800));
    let mut s = Script::new(&config);
    s.ack(1);
    // 7/8 x 800 + 1/8 x 100, and no more of the handshake when another segment is timed.
    assert_eq!(s.sender.srtt().as_nanos(), 712_500_000);
}

#[test]
fn the_handshakes_sample_counts_the_ticks_of_a_coarse_clock_that_pass_meanwhile() {
    // 265 ms up to 1000 ms past the start of the clock are 27 ticks of 10 ms, up to 1004 ms only 26.
    for (start, ticks) in [(0, 27), (6, 26)] {
        let mut config = config(Recovery::NewReno, 2);
        config.timestamps = false;
        config.handshake_rtt = Some(ms(265));
        config.rto.granularity = ms(10);
        let mut s = Script::idle(&config);
        s.sender.supply_forever();
        s.wait(ms(start));
        s.sends();
        assert_eq!(s.sender.srtt(), ms(10) * ticks);
    }
}
