//! Rules of ns-2.35's agents that no RFC has, by the functions of its `tcp/*.cc`.

use westwood_cc::{Duration, Ecn, Instant, Segments};
use westwood_tcp::{AckPolicy, Config, Recovery, RtoConfig};

use crate::support::{Host, Script, config, ms};

/// `TcpAgent::newtimer` starts the timer at each new ACK, also when nothing is outstanding, and
/// `TcpAgent::timeout` then calls `slowdown(CLOSE_CWND_ONE|NO_OUTSTANDING_DATA)`.
#[test]
fn a_timer_that_fires_after_the_last_ack_leaves_one_segment_and_ssthresh_as_it_is() {
    for pause in [999, 1_000] {
        let mut s = Script::idle(&Config { idle_timeout: true, ..config(Recovery::NewReno, 4) });
        s.sender.supply_segments(12);
        s.sends();
        s.wait(ms(100));
        (1..=12).for_each(|n| drop(s.ack(n)));
        let (cwnd, ssthresh) = (s.cwnd(), s.ssthresh());
        assert!(cwnd > 4, "{cwnd}");
        // The timeout is one second after the last ACK.
        s.wait(ms(pause));
        s.sender.supply_forever();
        let left = if pause < 1_000 { cwnd } else { 1 };
        assert_eq!((s.sends().len() as u64, s.ssthresh()), (left, ssthresh), "{pause} ms");
    }
}

/// A connection with ns-2's habits or without.
fn with_habits(ns2_habits: bool, recovery: Recovery, window: u64) -> Config {
    Config { ns2_habits, ..config(recovery, window) }
}

/// `TcpAgent::send_one` asks for the next segment whatever it is, and after a timeout it is an old one. RFC
/// 3042, section 2, speaks of "previously unsent data".
#[test]
fn the_first_two_duplicates_in_a_timeouts_repair_let_an_old_segment_out_each() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut s = Script::new(&with_habits(true, recovery, 8));
        assert_eq!(s.timeout(), [0]);
        assert_eq!([s.ack(0), s.ack(0), s.ack(0)], [vec![1], vec![2], vec![]], "{recovery:?}");
        let mut s = Script::new(&with_habits(false, recovery, 8));
        assert_eq!(s.timeout(), [0]);
        assert_eq!([s.ack(0), s.ack(0)], [vec![], vec![]], "{recovery:?}");
    }
}

/// `TcpAgent::timeout` leaves `dupacks_` as it is, and `RenoTcpAgent::timeout` clears it.
#[test]
fn tahoe_counts_duplicates_on_beyond_a_timeout_and_reno_anew() {
    for (recovery, more) in [(Recovery::Tahoe, vec![]), (Recovery::Reno, vec![2])] {
        let mut s = Script::new(&with_habits(true, recovery, 8));
        s.ack(0);
        assert_eq!(s.timeout(), [0]);
        assert_eq!(s.ack(0), [1], "{recovery:?}");
        assert_eq!(s.ack(0), more, "{recovery:?}");
    }
}

/// `Sack1TcpAgent::recv` counts duplicates again once an ACK of new data has come, if they report news.
#[test]
fn duplicates_with_news_let_an_old_segment_out_once_a_timeouts_repair_moves() {
    for (habits, first, second) in [(true, vec![3], vec![4]), (false, vec![], vec![])] {
        let mut s = Script::new(&with_habits(habits, Recovery::Sack1996, 8));
        assert_eq!(s.timeout(), [0]);
        assert_eq!(s.sack(0, &[(5, 6)]), [] as [u64; 0]);
        assert_eq!(s.ack(1), [1, 2]);
        assert_eq!(s.sack(1, &[(5, 6)]), first);
        assert_eq!(s.sack(1, &[(5, 6)]), [] as [u64; 0]);
        assert_eq!(s.sack(1, &[(5, 7)]), second);
        assert_eq!(s.sack(1, &[(5, 8)]), [] as [u64; 0]);
    }
}

/// `TcpAgent::newack` ends the back-off by the segment that it times, a new one, with timestamps too.
#[test]
fn a_back_off_outlasts_timestamps_until_data_sent_after_the_timeout_is_acknowledged() {
    for (habits, seconds) in [(true, 2), (false, 1)] {
        let mut s = Script::new(&with_habits(habits, Recovery::NewReno, 4));
        assert_eq!(s.timeout(), [0]);
        for (ack, due) in [(1, seconds), (3, seconds), (5, 1)] {
            s.wait(ms(100));
            s.ack(ack);
            assert_eq!(s.due(), ms(1_000 * due), "habits {habits}, ACK of {ack}");
        }
    }
}

/// `TcpAgent::rtt_backoff`: "if backed off this far, clobber the srtt value".
#[test]
fn the_fourth_doubling_clears_the_mean_round_trip_time() {
    // A sample of 100 ms and one of 300 ms: 300 + 4 * 150 ms alone, and by the formulas 125 + 4 * 87.5 ms.
    for (habits, timeouts, after) in [(true, 3, 475), (true, 4, 900), (false, 4, 475)] {
        let rto = RtoConfig { min: ms(1), ..config(Recovery::NewReno, 4).rto };
        let mut s = Script::new(&Config { rto, ..with_habits(habits, Recovery::NewReno, 4) });
        s.ack(1);
        (0..timeouts).for_each(|_| drop(s.timeout()));
        s.wait(ms(300));
        s.ack(2);
        let backed_off = if habits { 1 << timeouts } else { 1 };
        assert_eq!(s.due(), ms(after * backed_off), "habits {habits}, {timeouts} timeouts");
    }
}

/// `TcpAgent::slowdown`: `ssthresh_` is an `int`, and `cwnd_` is half of the window as it is.
#[test]
fn ssthresh_is_whole_segments_and_half_of_three_is_one_and_a_half() {
    let half = |n: u64| Segments::from_raw(Segments::new(n).raw() / 2);
    for (habits, ssthresh, cwnd) in [(true, half(4), half(3)), (false, half(5), half(4))] {
        let mut s = Script::new(&with_habits(habits, Recovery::NewReno, 5));
        s.timeout();
        assert_eq!(s.sender.window().ssthresh, ssthresh);

        let mut s = Script::new(&with_habits(habits, Recovery::Sack1996, 3));
        assert_eq!(s.sack(0, &[(1, 2)]), [3]);
        assert_eq!(s.sack(0, &[(1, 3)]), [4]);
        assert_eq!(s.sack(0, &[(1, 4)]), [0]);
        assert_eq!(s.sender.window().cwnd, cwnd);
    }
}

/// A receiver of ns-2's SACK agent, whose ACKs wait for 100 ms, or one by the RFCs.
fn receiver(ns2_habits: bool) -> Host {
    let config = with_habits(ns2_habits, Recovery::Sack1996, 8);
    let acks = AckPolicy::Delayed { timer: ms(100) };
    Host::new(&Config { acks, timestamps: false, ecn: true, ..config })
}

/// `DelAckSink::recv` starts its timer for whatever is the last segment in order. RFC 5681, section 4.2, says
/// that an out-of-order segment is acknowledged at once.
#[test]
fn the_ack_of_a_copy_of_the_last_segment_in_order_waits_as_that_of_a_new_one() {
    let mut r = receiver(true);
    assert!(r.data(0).is_none());
    assert_eq!(r.data(1).map(|ack| ack.ack), Some(2));
    assert_eq!(r.data(0).map(|ack| ack.ack), Some(2), "an older one");
    assert!(r.data(1).is_none(), "the last one");
    assert_eq!(r.receiver.deadline().since(r.now), ms(100));
    assert_eq!(r.data(2).map(|ack| ack.ack), Some(3), "the timer runs");
    assert!(r.data(2).is_none());
    assert_eq!(r.data(2).map(|ack| ack.ack), Some(3), "a second copy");

    let mut r = receiver(false);
    r.data(0);
    r.data(1);
    assert_eq!(r.data(1).map(|ack| ack.ack), Some(2));
    assert!(r.data(2).is_none());
}

/// `Scheduler` takes events of one instant in the order in which they were set.
#[test]
fn a_delayed_ack_that_is_due_when_a_segment_arrives_goes_first() {
    for (habits, first) in [(true, 1), (false, 2)] {
        let mut r = receiver(habits);
        assert!(r.data(0).is_none());
        r.now += ms(100);
        assert_eq!(r.data(1).map(|ack| ack.ack), Some(first), "habits {habits}");
    }
    // The segment that came waits in turn; and one behind a gap is answered after the ACK that was due.
    let mut r = receiver(true);
    assert!(r.data(0).is_none());
    r.now += ms(100);
    r.data(1);
    assert_eq!(r.receiver.deadline().since(r.now), ms(100));
    r.now += ms(100);
    assert_eq!(r.blocks(3), [(3, 4)]);
    assert_eq!(
        r.receiver.take_prior().map(|ack| (ack.ack, ack.options.block_count())),
        Some((2, 0))
    );
}

/// `Acker::update_ts` takes the time of each segment up to the next one. By RFC 7323, section 5.3, a segment
/// below the window is rejected (R2) before its time is recorded (R3).
#[test]
fn a_copy_below_the_window_sets_the_echo() {
    for (habits, echo) in [(true, 400), (false, 0)] {
        let mut r = Host::new(&with_habits(habits, Recovery::NewReno, 8));
        let first = r.now;
        (0..3).for_each(|seq| drop(r.data(seq)));
        r.now += ms(400);
        let told = r.data(0).and_then(|ack| ack.echo).map(|at| at.since(first));
        assert_eq!(told, Some(ms(echo)), "habits {habits}");
    }
}

/// `maxSackBlocks_` is 3, and `SackStack` keeps as many.
#[test]
fn three_ranges_are_remembered_and_reported() {
    for (habits, blocks) in
        [(true, vec![(8, 9), (6, 7), (4, 5)]), (false, vec![(8, 9), (6, 7), (4, 5), (2, 3)])]
    {
        let mut r = receiver(habits);
        r.data(0);
        (1..4).for_each(|n| drop(r.data(2 * n)));
        assert_eq!(r.blocks(8), blocks, "habits {habits}");
    }
    let mut r = receiver(true);
    r.data(0);
    (1..5).for_each(|n| drop(r.data(2 * n)));
    assert_eq!(r.blocks(7), [(6, 9), (4, 5)], "the fourth is forgotten");
}

/// `NewRenoTcpAgent::partialnewack` and `Sack1TcpAgent::recv` take no round-trip time.
#[test]
fn a_partial_ack_gives_the_timer_no_sample() {
    for (habits, due) in [(true, 300_000), (false, 293_750)] {
        for recovery in [Recovery::NewReno, Recovery::Sack1996] {
            let rto = RtoConfig { min: ms(1), ..config(recovery, 8).rto };
            let mut s = Script::new(&Config { rto, ..with_habits(habits, recovery, 8) });
            // A sample of 100 ms, and the copy's of 50 ms.
            s.ack(1);
            (4..7).for_each(|end| drop(s.sack(1, &[(3, end)])));
            assert_eq!(s.sender.counts().fast_recoveries, 1);
            s.wait(ms(50));
            s.sack(2, &[(3, 6)]);
            assert_eq!(s.due(), Duration::from_micros(due), "{recovery:?}, habits {habits}");
        }
    }
}

/// `TcpAgent::output` leaves `rtt_active_` as it is. BSD's `tcp_newreno_partial_ack` ends the timing.
#[test]
fn a_copy_ends_no_timing_of_a_segment_sent_since_the_recovery_began() {
    for (habits, due) in [(true, 362_500), (false, 300_000)] {
        let rto = RtoConfig { min: ms(1), ..config(Recovery::NewReno, 8).rto };
        let config = with_habits(habits, Recovery::NewReno, 8);
        let mut s = Script::new(&Config { rto, timestamps: false, ..config });
        assert_eq!(s.ack(1), [8]);
        assert_eq!([s.ack(1), s.ack(1), s.ack(1)], [[9], [10], [1]]);
        assert_eq!((0..4).flat_map(|_| s.ack(1)).collect::<Vec<_>>(), [11]);
        s.wait(ms(100));
        assert_eq!(s.ack(2), [2, 12]);
        s.wait(ms(100));
        // Segment 11 has taken 200 ms, after a first sample of 100: 112.5 + 4 * 62.5 ms.
        s.ack(12);
        assert_eq!(s.due(), Duration::from_micros(due), "habits {habits}");
    }
}

/// `NewRenoTcpAgent::partialnewack` with `partial_window_deflation_`, and no `exit_recovery_fix_`. RFC 6582,
/// section 3.2 step 3, ends at ssthresh.
#[test]
fn a_partial_ack_beyond_what_duplicates_told_of_takes_the_excess_off_the_window_for_good() {
    for (habits, cwnd) in [(true, 1), (false, 4)] {
        let mut s = Script::new(&with_habits(habits, Recovery::NewReno, 8));
        (0..3).for_each(|_| drop(s.ack(0)));
        s.ack(6);
        s.ack(10);
        assert_eq!((s.cwnd(), s.ssthresh()), (cwnd, 4), "habits {habits}");
    }
}

fn marking(ns2_habits: bool, recovery: Recovery) -> Script {
    Script::new(&Config { ecn: true, ..with_habits(ns2_habits, recovery, 10) })
}

/// `TcpAgent::timeout` where `last_cwnd_action_` is `CWND_ACTION_ECN`, and `TcpAgent::ecn` where it is
/// `CWND_ACTION_TIMEOUT`.
#[test]
fn a_timeout_after_a_mark_leaves_ssthresh_and_the_first_mark_after_it_is_answered() {
    for (habits, ssthresh, reductions) in [(true, 5, 2), (false, 2, 2)] {
        let mut s = marking(habits, Recovery::Reno);
        s.echo(1);
        assert_eq!((s.cwnd(), s.ssthresh()), (5, 5));
        s.timeout();
        assert_eq!((s.cwnd(), s.ssthresh()), (1, ssthresh), "habits {habits}");
        s.echo(2);
        s.echo(3);
        assert_eq!(s.reductions(), reductions, "habits {habits}");
    }
}

/// `dupack_action` where `last_cwnd_action_` is `CWND_ACTION_ECN` asks for no `recover_`: the duplicates then
/// inflate the window of a timeout's repair.
#[test]
fn after_a_mark_a_third_duplicate_begins_a_recovery_in_a_timeouts_repair_too() {
    for (habits, recoveries) in [(true, 1), (false, 0)] {
        let mut s = marking(habits, Recovery::NewReno);
        assert_eq!(s.timeout(), [0]);
        s.echo(0);
        s.ack(0);
        s.ack(0);
        assert_eq!(s.sender.counts().fast_recoveries, recoveries, "habits {habits}");
        let more = s.ack(0).len();
        assert_eq!(more > 0, habits);
    }
}

/// `dupack_action` of the agents leaves `recover_` as the mark has set it.
#[test]
fn a_recovery_in_the_window_of_a_mark_ends_with_what_was_out_when_the_mark_was_answered() {
    for habits in [true, false] {
        for recovery in [Recovery::NewReno, Recovery::Sack1996] {
            let mut s = marking(habits, recovery);
            s.echo(1);
            assert_eq!(s.ack(7), [10, 11], "{recovery:?}");
            let copies: Vec<u64> = (9..12).flat_map(|end| s.sack(7, &[(8, end)])).collect();
            assert_eq!(copies[..3], [12, 13, 7], "{recovery:?}");
            assert_eq!(s.ssthresh(), 5);
            s.ack(10);
            let at_the_mark = s.sender.window().cwnd;
            s.ack(11);
            assert_eq!(s.sender.window().cwnd > at_the_mark, habits, "{recovery:?}");
        }
    }
}

const WITH_HABITS: [Recovery; 4] =
    [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack1996];

/// A sender with a window of one segment, which is out.
fn marking_at_one(habits: bool, recovery: Recovery, timestamps: bool) -> Script {
    Script::new(&Config { ecn: true, timestamps, ..with_habits(habits, recovery, 1) })
}

/// `TcpAgent::ecn`, `slowdown` and `newtimer`. RFC 3168, section 6.1.2, says so too; without the habits one
/// segment leaves.
#[test]
fn a_mark_at_a_window_of_one_leaves_nothing_to_send_until_the_timer() {
    for recovery in WITH_HABITS {
        for timestamps in [true, false] {
            let mut s = marking_at_one(true, recovery, timestamps);
            assert_eq!(s.echo(1), [] as [u64; 0], "{recovery:?}");
            assert_eq!(s.sender.window().cwnd, Segments::ONE.half(), "{recovery:?}");
            assert_eq!(s.wait(ms(999)), [] as [u64; 0], "{recovery:?}");
            assert_eq!(s.wait(ms(1)), [1], "{recovery:?}");
            assert_eq!((s.cwnd(), s.sender.counts().timeouts), (1, 0), "{recovery:?}");
            s.wait(ms(100));
            assert_eq!(s.ack(2), [2, 3], "{recovery:?}");

            let mut s = marking_at_one(false, recovery, timestamps);
            assert_eq!((s.echo(1), s.cwnd()), (vec![1], 1), "{recovery:?}");
        }
    }
}

/// `ecn_backoff_` and `rtt_backoff`.
#[test]
fn each_mark_in_a_row_at_a_window_of_one_doubles_the_timer_once_more() {
    for recovery in WITH_HABITS {
        for timestamps in [true, false] {
            let mut s = marking_at_one(true, recovery, timestamps);
            for (mark, seconds) in [(1, 1), (2, 2), (3, 4)] {
                assert_eq!(s.echo(mark), [] as [u64; 0], "{recovery:?}");
                assert_eq!(s.wait(ms(1_000 * seconds - 1)), [] as [u64; 0], "{recovery:?}");
                assert_eq!(s.wait(ms(1)), [mark], "{recovery:?}");
                s.wait(ms(100));
            }
            // An ACK without a mark ends the row, and the back-off.
            s.ack(4);
            assert_eq!(s.due(), ms(1_000), "{recovery:?}");
            let mut s = marking_at_one(false, recovery, timestamps);
            for mark in 1..4 {
                assert_eq!((s.echo(mark), s.due()), (vec![mark], ms(1_000)), "{recovery:?}");
                s.wait(ms(100));
            }
        }
    }
}

/// `newtimer` starts the timer with the last ACK, whether the application has more data then or later.
#[test]
fn data_that_comes_after_a_mark_at_a_window_of_one_waits_for_the_timer_of_the_last_ack() {
    for recovery in WITH_HABITS {
        for (pause, left) in [(999, 1), (1_500, 0)] {
            let ecn = Config { ecn: true, ..with_habits(true, recovery, 1) };
            let mut s = Script::idle(&ecn);
            s.sender.supply_segments(1);
            assert_eq!(s.sends(), [0]);
            s.wait(ms(100));
            s.echo(1);
            assert!(s.sender.is_done() && s.sender.deadline() == Instant::FAR_FUTURE);
            s.wait(ms(pause));
            s.sender.supply_forever();
            let sent = s.sends();
            assert_eq!(sent.is_empty(), left > 0, "{recovery:?}");
            let later = s.wait(ms(left));
            assert_eq!([sent, later].concat(), [1], "{recovery:?}");
        }
    }
}

/// `TcpAgent::send_one` counts with the window as it is.
#[test]
fn a_duplicate_lets_one_segment_out_of_a_timeouts_repair_that_a_mark_has_closed() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut s = marking(true, recovery);
        assert_eq!(s.timeout(), [0]);
        assert_eq!(s.echo(1), [] as [u64; 0], "{recovery:?}");
        assert_eq!([s.ack(1), s.ack(1)], [[1], [2]], "{recovery:?}");
        // Without an answer the timer sends on, as after any loss.
        assert_eq!(s.timeout(), [1], "{recovery:?}");
    }
}

/// `NewRenoTcpAgent::partialnewack` ends with `if (cwnd_ < 1) cwnd_ = 1`.
#[test]
fn a_partial_ack_opens_a_window_that_a_mark_has_closed() {
    let mut s = marking(true, Recovery::NewReno);
    assert_eq!(s.timeout(), [0]);
    s.echo(0);
    (0..4).for_each(|_| drop(s.ack(0)));
    assert_eq!(s.sender.counts().fast_recoveries, 1);
    assert_eq!(s.sender.window().cwnd, Segments::ONE.half());
    s.ack(2);
    assert_eq!(s.sender.window().cwnd, Segments::ONE);
    s.echo(10);
    assert_eq!((s.sender.in_recovery(), s.sender.window().cwnd), (false, Segments::ONE));
}

/// `TcpAgent::recv_newack_helper` looks for the echo of each ACK.
#[test]
fn the_ack_that_ends_a_recovery_lets_the_window_grow_unless_it_echoes_a_mark() {
    for (habits, echo, grows) in [(true, true, false), (true, false, true), (false, true, true)] {
        let ecn = Config { ecn: true, ..with_habits(habits, Recovery::NewReno, 10) };
        let mut s = Script::new(&Config { last_ack_grows: true, ..ecn });
        (0..3).for_each(|_| drop(s.ack(0)));
        let end = s.sender.snd_max();
        drop(if echo { s.echo(end) } else { s.ack(end) });
        assert_eq!(s.sender.window().cwnd > Segments::new(5), grows, "{habits}, {echo}");
    }
}

/// `SetCWRonRetransmit_`, and `ect()` of every packet of an agent with `ecn_`. RFC 3168, section 6.1.5, says
/// that copies are not ECN-capable.
#[test]
fn copies_are_ecn_capable_and_tell_of_the_reduction() {
    for (habits, expected) in [(true, (Ecn::Ect0, true)), (false, (Ecn::NotEct, false))] {
        let mut s = marking(habits, Recovery::Reno);
        (0..3).for_each(|_| drop(s.ack(0)));
        let copy = s.log.iter().find(|segment| segment.retransmission).expect("a copy");
        assert_eq!((copy.ecn, copy.cwr), expected, "habits {habits}");
    }
}

/// `TcpSink::ack` reads marks when the ACK leaves.
#[test]
fn the_ack_of_a_mark_is_delayed_as_any_other() {
    assert!(receiver(false).marked(0).is_some_and(|ack| ack.ece));
    let mut r = receiver(true);
    assert!(r.marked(0).is_none());
    assert!(r.data(1).is_some_and(|ack| ack.ece));
}

/// Recoveries that ns-2 lacks take nothing of it.
#[test]
fn other_recoveries_have_no_habits_of_ns_2() {
    for recovery in [Recovery::Sack, Recovery::Linux] {
        let run = |habits| {
            let mut s = Script::new(&with_habits(habits, recovery, 5));
            let mut sent = vec![s.timeout(), s.ack(0), s.ack(0)];
            s.wait(ms(100));
            sent.push(s.ack(1));
            (sent, s.due(), s.sender.window())
        };
        assert_eq!(run(true), run(false), "{recovery:?}");
    }
}
