//! # Scalable TCP: multiplicative increase, multiplicative decrease
//!
//! T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", ACM CCR 33(2),
//! 2003; compared with in westwood-10g-2005 section 3.1 and log-westwood-2008 section 2.
//!
//! Each ACK adds a hundredth of a segment and a loss takes an eighth, so the time to recover from a
//! loss is a fixed number of round-trip times, whatever the capacity. Small windows are Reno's.
//!
//! | paper | here | value |
//! |---|---|---|
//! | a | `gain` | 0.01 segments an ACK |
//! | b | 1 - `keep` | 1/8 |
//! | lwnd | `low_window` | 16 segments |
//!
//! * Section 3: `cwnd += a` for each ACK; `cwnd -= b cwnd` on loss.
//! * Section 3.2: up to the legacy window `lwnd`, Reno's increase and decrease.
//!
//! Recovery takes `log(1 - b) / log(1 / (1 + a))` round-trip times: 13.4.
//!
//! Deviation: none. With delayed ACKs and one credit an ACK the growth halves, as in the papers.
//!
//! ECN: an echoed mark is answered like a loss seen by duplicate ACKs.
//!
//! Rounding: the gain is rounded down to 2^-32 segments.

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::Graded;
use crate::increase;
use crate::units::{Ratio, Segments};
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "scalable",
    aliases: &["stcp"],
    summary: "add 0.01 segments an ACK, keep 7/8 on loss",
    source: "Kelly, Scalable TCP, CCR 2003",
};

crate::parameters! {
    /// Scalable's parameters.
    pub struct Params {
        /// The increase of one ACK above the low window, in segments.
        pub gain: Ratio = Ratio::new(1, 100), in Ratio::new(1, 10_000), Ratio::new(1, 2);
        /// Share of the window that a loss leaves.
        pub keep: Ratio = Ratio::new(7, 8), in Ratio::new(1, 10), Ratio::new(99, 100);
        /// Up to this window both increase and decrease are Reno's.
        pub low_window: Segments = Segments::new(16), in Segments::ZERO, Segments::MAX;
    }
}

/// Scalable TCP.
pub type Scalable = Windowed<increase::Scalable, Graded>;

/// A Scalable TCP with these parameters.
pub fn new(params: &Params, _: &Setup) -> Scalable {
    Windowed {
        up: increase::Scalable {
            gain: Segments::from_raw(params.gain.q32()),
            low_window: params.low_window,
        },
        down: Graded { share: params.keep, low_window: params.low_window },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Cause, Controller, Grant, Window};
    use crate::testing::{avoidance, setup};
    use crate::units::Instant;

    #[test]
    fn a_round_of_acks_adds_a_hundredth_of_the_window() {
        let mut c = new(&Params::default(), &setup());
        let mut w = avoidance(Segments::new(1_000));
        for _ in 0..1_000 {
            w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        }
        // 1000 + 1000 * 0.01
        assert!((w.cwnd + Segments::from_raw(1_000)).whole() == 1_010, "{}", w.cwnd);
    }

    #[test]
    fn a_loss_at_a_hundred_segments_leaves_eighty_seven_and_a_half() {
        let mut c = new(&Params::default(), &setup());
        let r = c.reduce(avoidance(Segments::new(100)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.resume.raw(), 87 * (1 << 32) + (1 << 31));
    }

    #[test]
    fn small_windows_are_renos() {
        let mut c = new(&Params::default(), &setup());
        let w = avoidance(Segments::new(10));
        let r = c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.resume, Segments::new(5));
        let grown = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(grown, Window { cwnd: Segments::new(10) + Segments::ONE.over(w.cwnd), ..w });
    }

    #[test]
    fn recovery_takes_the_same_number_of_rounds_at_any_size() {
        // The paper's claim: about 13.4 rounds of one ACK a segment, from 7/8 back to the start.
        for size in [200, 20_000] {
            let mut c = new(&Params::default(), &setup());
            let mut w = avoidance(Segments::new(size).times(Ratio::new(7, 8)));
            let mut rounds = 0;
            while w.cwnd < Segments::new(size) {
                for _ in 0..w.cwnd.whole() {
                    w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
                }
                rounds += 1;
            }
            assert_eq!(rounds, 14, "size {size}");
        }
    }
}
