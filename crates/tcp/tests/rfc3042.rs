//! RFC 3042, limited transmit.

use crate::support::{Script, config};
use westwood_tcp::{Config, Recovery};

const ALL: [Recovery; 4] = [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack];

#[test]
fn s2_each_of_the_first_two_duplicates_lets_a_new_segment_out() {
    for recovery in ALL {
        let mut s = Script::with_window(recovery, 4);
        assert_eq!(s.sack(0, &[(1, 2)]), [4], "{recovery}");
        assert_eq!(s.sack(0, &[(1, 3)]), [5], "{recovery}");
        assert_eq!(s.cwnd(), 4, "{recovery}: the window stays");
    }
}

#[test]
fn s2_they_make_the_third_duplicate_possible_in_a_small_window() {
    for recovery in ALL {
        let mut s = Script::with_window(recovery, 2);
        s.sack(0, &[(1, 2)]);
        s.sack(0, &[(1, 3)]);
        assert_eq!(s.sack(0, &[(1, 4)])[0], 0, "{recovery}");
        assert_eq!(s.sender.counts().fast_recoveries, 1, "{recovery}");
    }
}

#[test]
fn s2_not_beyond_the_receivers_window() {
    for recovery in ALL {
        let mut s = Script::new(&Config { receive_window: 4, ..config(recovery, 4) });
        assert_eq!(s.sack(0, &[(1, 2)]), [], "{recovery}");
    }
}

#[test]
fn without_it_duplicates_let_nothing_out() {
    for recovery in ALL {
        let mut s = Script::new(&Config { limited_transmit: false, ..config(recovery, 4) });
        assert_eq!(s.sack(0, &[(1, 2)]), [], "{recovery}");
        assert_eq!(s.sack(0, &[(1, 3)]), [], "{recovery}");
    }
}
