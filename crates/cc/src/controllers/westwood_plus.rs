//! # Westwood+: additive increase, adaptive decrease from an estimate once a round-trip time
//!
//! S. Mascolo, L. A. Grieco, R. Ferorelli, P. Camarda, G. Piscitelli, "Performance evaluation of
//! Westwood+ TCP congestion control", Performance Evaluation 55, 93-111, 2004
//! (westwood-plus-2004). L. A. Grieco, S. Mascolo, "Performance Evaluation and Comparison of
//! Westwood+, New Reno, and Vegas TCP Congestion Control", ACM Computer Communication Review 34(2),
//! 2004 (ccr-2004).
//!
//! Compressed ACKs make Westwood over-estimate the bandwidth, because samples of single ACKs hold
//! frequencies that its filter folds back. Westwood+ takes one sample a round-trip time: what was
//! acknowledged over that time. The reaction to loss is Westwood's, without its guard.
//!
//! Equations:
//!
//! ```text
//! b_k = D_k / Delta_k                                             once an RTT
//! filter A, westwood-plus-2004 (3), resampled so that Delta <= tau/4:
//!     B_k = (2 tau - Delta)/(2 tau + Delta) B_(k-1) + Delta/(2 tau + Delta) (b_k + b_(k-1))
//! filter B, ccr-2004 (1):
//!     B_k = alpha B_(k-1) + (1 - alpha) b_k,   alpha = 0.9
//!
//! 3 duplicate ACKs:  ssthresh = max(2, B RTTmin / seg_size);  cwnd = ssthresh
//! timeout:           ssthresh = max(2, B RTTmin / seg_size);  cwnd = 1
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | B, BWE | [`OncePerRtt`]'s rate | byte/s |
//! | D_k | sum of [`AckedCount`] times `smss` | byte |
//! | Delta_k | the interval in [`OncePerRtt`] | ns |
//! | tau | [`Params::tau`] (filter A) | s |
//! | 1 - alpha | [`Params::filter_gain`] (filter B) | - |
//! | RTTmin | smallest sample in [`Adaptive`] | ns |
//! | cwnd, ssthresh | [`Window`] | segments |
//!
//! Rounding: both filters move towards their input by a magnitude rounded down to 2^-16 byte/s;
//! 0.1 is 6554/65536; the window is rounded down to 2^-16 segments.
//!
//! Deviations and choices:
//!
//! * Filter B is the default: it is ccr-2004's and the one kernels can compute. westwood-plus-2004
//!   used filter A.
//! * The papers do not say how the estimate begins. The authors' own code begins at zero (their
//!   patches of Linux 2.4, and Linux up to 2.6.17) or with the first sample (Linux from 2.6.18 on,
//!   announced by Mascolo in July 2006). The first sample is the default. Either way the filter lags
//!   behind slow start, and the first loss cuts deep: that is Westwood+ as its authors published it.
//!   [`Start::Settled`] avoids it and is ours. docs/explanation/decisions.md has the
//!   sources, the criterion by which the default was chosen, and what each choice carries.
//! * Which interval the closing ACK belongs to, and what else is open, is stated at [`OncePerRtt`].
//! * Filter A's remainder is misprinted in the paper, see [`Resampled`].
//!
//! ECN, which the papers do not treat: a mark is answered like a loss. An undone reduction brings
//! the window back; the estimate has seen nothing of it.
//!
//! [`AckedCount`]: crate::estimate::AckedCount
//! [`Window`]: crate::Window

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::{Adaptive, Rules, WindowRtt};
use crate::estimate::{
    Constant, Counting, EitherFilter, IntervalRtt, OncePerRtt, Resampled, Sampling, Start, Tustin,
};
use crate::increase::Additive;
use crate::units::{Duration, Rate, Ratio};
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "westwood+",
    aliases: &["westwood-plus"],
    summary: "westwood with one bandwidth sample a round-trip time, robust to ACK compression",
    source: "Mascolo et al., Performance Evaluation 55, 2004; Grieco and Mascolo, CCR 34(2), 2004",
};

crate::choices! {
    /// Westwood+'s bandwidth filters.
    pub enum FilterChoice {
        /// Tustin's rule with time constant tau, resampled (westwood-plus-2004).
        A = "a",
        /// A constant coefficient (ccr-2004).
        B = "b",
    }
}

crate::parameters! {
    /// Westwood+'s parameters.
    pub struct Params {
        /// Bandwidth filter.
        pub filter: FilterChoice = FilterChoice::B;
        /// Time constant of filter a.
        pub tau: Duration = Duration::from_millis(500), in Tustin::MIN_TAU, Tustin::MAX_TAU;
        /// Weight of a new sample in filter b.
        pub filter_gain: Ratio = Constant::GAIN, in Ratio::new(1, 1_024), Ratio::new(1, 1);
        /// How the estimate begins: with its first sample (Linux since 2.6.18), at zero
        /// (Linux before it, ns-2), or as the largest sample until samples stop growing
        /// (ours).
        pub start: Start = Start::FirstSample;
        /// Round-trip time that a sample spans.
        pub rtt: IntervalRtt = IntervalRtt::Last;
        /// Shortest time that a sample spans (Linux: 50 ms).
        pub floor: Duration = Duration::ZERO, in Duration::ZERO, Duration::from_secs(1);
        /// How cumulative ACKs are counted: as printed, or without over-counting.
        pub count: Counting = Counting::Printed;
        /// A loss only ever lowers the window.
        pub guard: bool = false;
        /// Round-trip time that turns the estimate into a window.
        pub window: WindowRtt = WindowRtt::MinRtt;
        /// A rate in place of the estimate, an ablation; zero for none.
        pub bwe: Rate = Rate::ZERO, in Rate::ZERO, Rules::MOST;
    }
}

impl Params {
    /// The decrease that these parameters describe.
    pub fn decrease(&self, setup: &Setup) -> Adaptive<OncePerRtt<EitherFilter>> {
        let filter = match self.filter {
            FilterChoice::A => EitherFilter::A(Resampled::new(self.tau)),
            FilterChoice::B => EitherFilter::B(Constant::new(self.filter_gain)),
        };
        let sampling =
            Sampling { counting: self.count, start: self.start, rtt: self.rtt, floor: self.floor };
        let rules = Rules { guard: self.guard, window: self.window, given: self.bwe };
        Adaptive::new(OncePerRtt::new(filter, sampling), rules, setup.smss)
    }
}

/// Westwood+.
pub type WestwoodPlus = Windowed<Additive, Adaptive<OncePerRtt<EitherFilter>>>;

/// A Westwood+ with these parameters.
pub fn new(params: &Params, setup: &Setup) -> WestwoodPlus {
    Windowed { up: Additive, down: params.decrease(setup) }
}
