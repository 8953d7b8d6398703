//! # Westwood+ with multiplicative probing: multiplicative increase, adaptive decrease
//!
//! S. Mascolo, G. Racanelli, "Testing TCP Westwood+ over Transatlantic Links at 10 Gigabit/second
//! rate", Third International Workshop on Protocols for Fast Long-Distance Networks, 2005,
//! section 3.1.
//!
//! One segment a round-trip time takes hours to fill a path of thousands of segments. Above a
//! threshold each ACK therefore adds a fixed share of a segment, so that the window grows by a
//! constant factor a round-trip time. The reaction to loss is Westwood+'s.
//!
//! Equations:
//!
//! ```text
//! ACK:   if ssthresh <= cwnd < window_threshold:  cwnd = cwnd + 1/cwnd
//!        if cwnd > window_threshold:              cwnd = cwnd + 0.04
//! loss:  as Westwood+, see westwood_plus
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | window_threshold, 100 | [`Params::threshold`] | segments |
//! | 0.04 | [`Params::gain`] | segments an ACK |
//! | cwnd | [`Window::cwnd`](crate::Window::cwnd) | segments |
//!
//! Rounding: `1/cwnd` and 0.04 are rounded down to 2^-32 segments.
//!
//! The pseudo-code has no case for `cwnd = window_threshold`; the prose before it gives equality to the upper
//! branch ("reaches the window_threshold"). With delayed ACKs that count 1 the growth is 2 % and not 4 % a
//! round-trip time.
//!
//! Deviations: slow start comes first above `window_threshold` too, where the second line names no ssthresh.
//! The estimate is [`westwood_plus`]'s, whereas the paper's experiments ran Linux's.
//!
//! ECN: a mark is answered like a loss. An undone reduction brings the window back.
//!
//! [`westwood_plus`]: crate::controllers::westwood_plus

use crate::controller::Setup;
use crate::controllers::Info;
use crate::controllers::westwood_plus;
use crate::decrease::Adaptive;
use crate::estimate::{EitherFilter, OncePerRtt};
use crate::increase::Probing;
use crate::units::{Ratio, Segments};
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "westwood+probing",
    aliases: &["westwood-plus-probing", "westwood-probe"],
    summary: "westwood+ that grows by 4 % a round-trip time from 100 segments on",
    source: "Mascolo and Racanelli, PFLDnet 2005",
};

crate::parameters! {
    /// The parameters of Westwood+ with multiplicative probing.
    pub struct Params {
        /// Window from which growth is multiplicative.
        pub threshold: Segments = Segments::new(100), in Segments::ONE, Segments::MAX;
        /// Segments that each ACK adds from there on.
        pub gain: Ratio = Ratio::new(4, 100), in Ratio::new(0, 1), Ratio::new(1, 1);
        ..
        /// Those of Westwood+.
        pub plus: westwood_plus::Params;
    }
}

/// Westwood+ with multiplicative probing.
pub type WestwoodProbe = Windowed<Probing, Adaptive<OncePerRtt<EitherFilter>>>;

/// A Westwood+ with multiplicative probing, with these parameters.
pub fn new(params: &Params, setup: &Setup) -> WestwoodProbe {
    Windowed {
        up: Probing { threshold: params.threshold, gain: params.gain },
        down: params.plus.decrease(setup),
    }
}
