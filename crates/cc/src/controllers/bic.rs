//! # BIC: binary search increase, multiplicative decrease
//!
//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
//! Networks", IEEE INFOCOM 2004; compared with in log-westwood-2008 section 2.
//!
//! After a loss the window that was too large, `W_max`, is known, and so is one that was not. The
//! window searches between the two by halves, not faster than `S_max` a round-trip time, and probes
//! ever faster beyond `W_max` once it is reached.
//!
//! | paper | here | value |
//! |---|---|---|
//! | beta | 1 - `keep` | 1/8 |
//! | S_max | `s_max` | 32 segments a round-trip time |
//! | S_min | `s_min` | 0.01 segments a round-trip time |
//! | low_window | `low_window` | 14 segments |
//! | W_max | [`increase::Bic::w_max`] | segments |
//!
//! * Below `W_max`: `cwnd += clamp((W_max - cwnd) / 2, S_min, S_max) / cwnd` for each ACK.
//! * Beyond: `cwnd += clamp(cwnd - W_max, S_min, S_max) / cwnd`.
//! * Loss: `W_max = cwnd`, or `(1 - beta/2) cwnd` if `cwnd < W_max` (fast convergence);
//!   `cwnd = (1 - beta) cwnd`. At or below `low_window` the loss halves the window as Reno does.
//!
//! Deviations:
//! * The text of log-westwood-2008 sets the window to `S_max` when the search ends, a misprint for
//!   `W_max`; here the last steps are of `S_min`, which the search needs at most for the last
//!   0.02 segments.
//! * Beyond `W_max` the publication doubles its step once a round-trip time, from 1; with the step
//!   as the distance gained, growth is exponential all the same.
//!
//! ECN: an echoed mark is answered like a loss seen by duplicate ACKs.
//!
//! Rounding: the step over the window is rounded down to 2^-32 segments.

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::Graded;
use crate::increase;
use crate::units::{Ratio, Segments};
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "bic",
    aliases: &[],
    summary: "binary search for the window of the last loss, keep 7/8 on loss",
    source: "Xu et al., BIC, INFOCOM 2004",
};

crate::parameters! {
    /// BIC's parameters.
    pub struct Params {
        /// Share of the window that a loss leaves.
        pub keep: Ratio = Ratio::new(7, 8), in Ratio::new(1, 10), Ratio::new(99, 100);
        /// Largest increase in a round-trip time.
        pub s_max: Segments = Segments::new(32), in Segments::ONE, Segments::new(4_096);
        /// Smallest increase in a round-trip time.
        pub s_min: Segments = Segments::from_raw(Ratio::new(1, 100).q32()),
            in Segments::from_raw(1 << 16), Segments::ONE;
        /// Below this window the increase is Reno's, and at or below it the decrease.
        pub low_window: Segments = Segments::new(14), in Segments::ZERO, Segments::MAX;
        /// A loss below the last maximum aims lower, to make room for new flows.
        pub fast_convergence: bool = true;
    }
}

/// BIC.
pub type Bic = Windowed<increase::Bic, Graded>;

/// A BIC with these parameters.
pub fn new(params: &Params, _: &Setup) -> Bic {
    Windowed {
        up: increase::Bic::new(
            params.s_max,
            params.s_min,
            params.low_window,
            params.fast_convergence,
        ),
        down: Graded { share: params.keep, low_window: params.low_window },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Cause, Controller, Grant};
    use crate::testing::{avoidance, setup};
    use crate::units::Instant;
    use std::vec::Vec;

    fn lose(c: &mut Bic, cwnd: u64) -> Segments {
        c.reduce(avoidance(Segments::new(cwnd)), Cause::FastRetransmit, Instant::ZERO).resume
    }

    /// The windows after each of `rounds` rounds of one ACK a segment.
    fn rounds(c: &mut Bic, from: Segments, rounds: usize) -> Vec<f64> {
        let mut w = avoidance(from);
        (0..rounds)
            .map(|_| {
                for _ in 0..w.cwnd.whole() {
                    w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
                }
                crate::testing::float(w.cwnd)
            })
            .collect()
    }

    #[test]
    fn the_search_is_linear_far_from_the_maximum_and_halves_the_distance_near_it() {
        let mut c = new(&Params::default(), &setup());
        let from = lose(&mut c, 1_600);
        assert_eq!(from, Segments::new(1_400));
        let path = rounds(&mut c, from, 12);
        // 200 segments below W_max: the midpoint is 100 away, so 32 a round.
        assert!((path[0] - 1_432.0).abs() < 0.5, "{path:?}");
        assert!((path[3] - 1_528.0).abs() < 1.5, "{path:?}");
        // Within 64 segments the distance shrinks by e^(-1/2) a round, as d' = -d/2 does.
        let ratio = (1_600.0 - path[7]) / (1_600.0 - path[6]);
        assert!((ratio - (-0.5_f64).exp()).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn beyond_the_maximum_the_step_grows_until_it_reaches_s_max() {
        let mut c = new(&Params::default(), &setup());
        lose(&mut c, 1_000);
        let path = rounds(&mut c, Segments::new(1_001), 8);
        // The distance from W_max grows by e a round: 1, 2.7, 7.4, 20, then 32 a round.
        assert!((path[0] - 1_000.0 - std::f64::consts::E).abs() < 0.02, "{path:?}");
        assert!((path[1] - 1_000.0 - 7.39).abs() < 0.1, "{path:?}");
        assert!((path[7] - path[6] - 32.0).abs() < 0.5, "{path:?}");
    }

    #[test]
    fn a_loss_below_the_last_maximum_aims_at_fifteen_sixteenths() {
        let mut c = new(&Params::default(), &setup());
        lose(&mut c, 1_600);
        assert_eq!(c.up.w_max(), Segments::new(1_600));
        lose(&mut c, 1_504);
        assert_eq!(c.up.w_max(), Segments::new(1_410)); // 1504 * 15/16
        c.undone(avoidance(Segments::new(1_316)), avoidance(Segments::new(1_504)), Instant::ZERO);
        assert_eq!(c.up.w_max(), Segments::new(1_600));
    }

    #[test]
    fn the_increase_at_sixteen_million_segments_is_not_lost_to_rounding() {
        // S_min / W is 2.6 units of 2^-32 at 2^24 segments.
        let mut c = new(&Params::default(), &setup());
        let w = avoidance(Segments::new((1 << 24) - 10));
        c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        let grown = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(grown.cwnd.raw() - w.cwnd.raw(), 2);
    }
}
