//! Rules of ns-2.35's agents that no RFC has, by the functions of its `tcp/*.cc`.

use westwood_tcp::{Config, Recovery};

use crate::support::{Script, config, ms};

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
