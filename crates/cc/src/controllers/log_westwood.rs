//! # LogWestwood+: logarithmic increase, adaptive decrease
//!
//! D. Kliazovich, F. Granelli, D. Miorandi, "Logarithmic window increase for TCP Westwood+ for
//! improvement in high speed, long distance networks", Computer Networks 52, 2395-2410, 2008.
//!
//! The window at which the last loss was seen is a good guess of where the next one waits. The
//! window climbs towards it in large steps first and in ever smaller ones as it comes near, which is
//! fast, and gentle at the top. The reaction to loss is Westwood+'s.
//!
//! Equations (section 3.1):
//!
//! ```text
//! (1)  W += (Wmax - W) / (a W)
//! (2)  W += max{ (Wmax - W) / (a W), 1 / W }              each ACK, W < Wmax
//!      W += 1 / W                                         from Wmax on, and before the first loss
//! a = 2 at first and at least;  a = 2 a when a loss comes below Wmax;
//! a = a / 2 when a climb reaches Wmax without a loss
//! Wmax = W, then ssthresh = W = max(2, B RTTmin / seg_size)           3 duplicate ACKs
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | W | [`Window::cwnd`](crate::Window::cwnd) | segments |
//! | Wmax | [`Logarithmic::w_max`] | segments |
//! | alpha | `a`: [`Logarithmic::a`] | - |
//! | B, RTTmin | see [`westwood_plus`] | byte/s, ns |
//!
//! Rounding: increments are rounded down to 2^-32 segments.
//!
//! Deviations and choices:
//!
//! * Equations 1 and 2 are printed as assignments; additions are meant.
//! * `a` halves once a climb, not at each ACK beyond Wmax; it is judged before Wmax is replaced, and
//!   bounded by 2^20 against overflow.
//! * A timeout moves `a` and Wmax as a fast retransmit does, unless it strikes within the loss
//!   window of an earlier reduction. The paper's footnote has fast retransmits only.
//! * Far below Wmax an ACK adds more than slow start's segment; `cap=true` forbids that.
//!
//! ECN: a mark is answered like a loss. An undone reduction brings back the window, Wmax and `a`.
//!
//! [`westwood_plus`]: crate::controllers::westwood_plus

use crate::controller::Setup;
use crate::controllers::Info;
use crate::controllers::westwood_plus;
use crate::decrease::Adaptive;
use crate::estimate::{EitherFilter, OncePerRtt};
use crate::increase::Logarithmic;
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "log-westwood+",
    aliases: &["log-westwood", "log-westwood-plus"],
    summary: "westwood+ that climbs logarithmically to the window of the last loss",
    source: "Kliazovich et al., Computer Networks 52, 2008",
};

crate::parameters! {
    /// LogWestwood+'s parameters.
    pub struct Params {
        /// Aggressiveness at first, and its floor; larger is slower.
        pub a: u64 = 2, in 1, Logarithmic::MAX_A;
        /// The aggressiveness adapts to where losses come.
        pub adapt: bool = true;
        /// An ACK adds at most the segments that it counts.
        pub cap: bool = false;
        ..
        /// Those of Westwood+.
        pub plus: westwood_plus::Params;
    }
}

/// LogWestwood+.
pub type LogWestwood = Windowed<Logarithmic, Adaptive<OncePerRtt<EitherFilter>>>;

/// A LogWestwood+ with these parameters.
pub fn new(params: &Params, setup: &Setup) -> LogWestwood {
    Windowed {
        up: Logarithmic::new(params.a, params.adapt, params.cap),
        down: params.plus.decrease(setup),
    }
}
