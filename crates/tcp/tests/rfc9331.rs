//! RFC 9331: what a scalable sender does otherwise.

use crate::support::{Script, config};
use westwood_cc::{Ecn, EcnFeedback};
use westwood_tcp::{AccEcn, Config, EcnBytes, Recovery};

const ALL: [Recovery; 4] = [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Linux];

fn script(recovery: Recovery, ect: Ecn) -> Script {
    let ecn_feedback = EcnFeedback::Accurate;
    Script::new(&Config { ecn: true, ecn_feedback, ect, ..config(recovery, 20) })
}

/// An ACK of all below `ack` with the first mark.
fn mark(s: &mut Script, ack: u64) {
    let bytes = Some(EcnBytes { ect0: 1, ce: 1_500, ect1: 1 });
    s.accurate(ack, AccEcn { ace: 6, bytes });
}

#[test]
fn s4_1_new_data_carries_ect1_and_copies_are_not_ecn_capable() {
    for recovery in ALL {
        let mut s = script(recovery, Ecn::Ect1);
        (2..=5).for_each(|end| drop(s.sack(0, &[(1, end)])));
        s.timeout();
        let copies = s.log.iter().filter(|segment| segment.retransmission).count();
        assert!(copies > 0, "{recovery}");
        for segment in &s.log {
            let expected = if segment.retransmission { Ecn::NotEct } else { Ecn::Ect1 };
            assert_eq!(segment.ecn, expected, "{recovery}");
        }
    }
}

#[test]
fn s4_3_a_loss_in_the_round_of_a_mark_reduces_a_scalable_sender_again_and_no_other() {
    for recovery in ALL {
        for (ect, reductions) in [(Ecn::Ect1, 2), (Ecn::Ect0, 1)] {
            let mut s = script(recovery, ect);
            mark(&mut s, 2);
            (4..=9).for_each(|end| drop(s.sack(2, &[(3, end)])));
            assert_eq!(s.sender.counts().fast_recoveries, 1, "{recovery}");
            assert_eq!(s.reductions(), reductions, "{recovery} {ect:?}");
        }
    }
}
