//! # Westwood: additive increase, adaptive decrease from an estimate at every ACK
//!
//! C. Casetti, M. Gerla, S. Mascolo, M. Y. Sanadidi, R. Wang, "TCP Westwood: End-to-End Congestion
//! Control for Wired/Wireless Networks", Wireless Networks 8, 467-479, 2002.
//!
//! The sender estimates the bandwidth that it achieves from the spacing and the contents of its
//! ACKs. After a loss it does not halve the window, but sets ssthresh to what the estimate fills
//! when there is no queue: estimate times smallest round-trip time. A random loss on a wireless link
//! then costs little, because it does not change the estimate.
//!
//! Equations (sections 2.2, 2.3, 3.1 and 3.2):
//!
//! ```text
//! b_k = d_k / (t_k - t_(k-1))                          every ACK, duplicates included
//! alpha_k = (2 tau - D_k) / (2 tau + D_k),  D_k = t_k - t_(k-1)
//! B_k = alpha_k B_(k-1) + (1 - alpha_k) (b_k + b_(k-1)) / 2
//! b = 0 every tau/m without an ACK,  m >= 2            unless decay = off
//!
//! 3 duplicate ACKs:  ssthresh = B RTTmin / seg_size;  if cwin > ssthresh: cwin = ssthresh
//! timeout:           ssthresh = max(2, B RTTmin / seg_size);  cwin = 1
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | b-hat, BWE | `B`: [`PerAck::rate`] | byte/s |
//! | d_k | [`AckedCount`] times `smss` | byte |
//! | tau, m | [`Params::tau`], [`Params::m`] | s, - |
//! | RTTmin | smallest sample in [`Adaptive`] | ns |
//! | seg_size | `smss` | byte |
//! | cwin, ssthresh | [`Window`] | segments |
//!
//! Rounding: the filter moves towards its input by a magnitude rounded down to 2^-16 byte/s, the
//! window is rounded down to 2^-16 segments.
//!
//! Deviations:
//!
//! * A floor of two segments for the fast retransmit too; the paper prints none there, and a cold
//!   estimate would stall the flow.
//! * Section 3.2's prose sets ssthresh to "BWE"; its pseudo-code, with RTTmin, is meant.
//! * With [`Params::count`] `corrected`, cumulative ACKs are not over-counted by one segment.
//! * With [`Params::decay`] off no `b = 0` is fed, an ablation: silence leaves `B` as it was, and the
//!   ACK that ends it is one sample with `D_k` since the last ACK. `D_k` beyond `2 tau` counts as
//!   `2 tau` in `alpha_k`, which would turn negative.
//! * Choices where the paper is silent (`t_0`, ACKs of one instant, an ACK on the grid) are stated at
//!   [`PerAck`].
//!
//! ECN, which the paper does not treat: a mark is answered like a loss. An undone reduction brings
//! the window back; the estimate has seen nothing of it.
//!
//! [`AckedCount`]: crate::estimate::AckedCount
//! [`PerAck::rate`]: crate::estimate::Estimator::rate
//! [`Window`]: crate::Window

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::{Adaptive, Rules, WindowRtt};
use crate::estimate::{Counting, PerAck, Tustin};
use crate::increase::Additive;
use crate::units::{Duration, Rate};
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "westwood",
    aliases: &["westwood-2002"],
    summary: "additive increase, on loss the window that the bandwidth estimate fills",
    source: "Casetti et al., Wireless Networks 8, 2002",
};

crate::parameters! {
    /// Westwood's parameters.
    pub struct Params {
        /// Time constant of the bandwidth filter.
        pub tau: Duration = Duration::from_millis(500), in Tustin::MIN_TAU, Tustin::MAX_TAU;
        /// Virtual samples of zero in a time constant of silence.
        pub m: u64 = 2, in 2, 8;
        /// Silence lowers the estimate by these virtual samples; off, it stays as it was.
        pub decay: bool = true;
        /// How cumulative ACKs are counted: as printed, or without over-counting.
        pub count: Counting = Counting::Printed;
        /// A loss only ever lowers the window.
        pub guard: bool = true;
        /// Round-trip time that turns the estimate into a window.
        pub window: WindowRtt = WindowRtt::MinRtt;
        /// A rate in place of the estimate, an ablation; zero for none.
        pub bwe: Rate = Rate::ZERO, in Rate::ZERO, Rules::MOST;
    }
}

/// Westwood.
pub type Westwood = Windowed<Additive, Adaptive<PerAck>>;

/// A Westwood with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Westwood {
    let rules = Rules { guard: params.guard, window: params.window, given: params.bwe };
    let estimate = PerAck::new(params.tau, params.m, params.count).decaying(params.decay);
    Windowed { up: Additive, down: Adaptive::new(estimate, rules, setup.smss) }
}
