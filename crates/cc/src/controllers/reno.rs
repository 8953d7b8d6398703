//! # Reno: additive increase, multiplicative decrease
//!
//! M. Allman, V. Paxson, E. Blanton, "TCP Congestion Control", RFC 5681, 2009; the algorithm is
//! V. Jacobson's, "Congestion Avoidance and Control", 1988.
//!
//! The window grows by one segment a round-trip time and is halved at congestion.
//!
//! | RFC 5681 | here | unit |
//! |---|---|---|
//! | cwnd | [`Window::cwnd`] | segments |
//! | ssthresh | [`Window::ssthresh`] | segments |
//!
//! * Slow start (equation 2): `cwnd += min(N, SMSS)`, one segment an ACK.
//! * Congestion avoidance (equation 3): `cwnd += SMSS * SMSS / cwnd` an ACK.
//! * Congestion (equation 4): `ssthresh = max(FlightSize / 2, 2 * SMSS)`.
//!
//! Deviation: the window stands for the flight size in equation 4, see
//! [`Multiplicative`]. ECN: an echoed mark halves the window like a loss (RFC 3168 section 6.1.2).
//!
//! Rounding: `1/cwnd` is rounded down to 2^-32 segments.
//!
//! [`Window::cwnd`]: crate::Window::cwnd
//! [`Window::ssthresh`]: crate::Window::ssthresh

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::Multiplicative;
use crate::increase::Additive;
use crate::units::Ratio;
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "reno",
    aliases: &["newreno"],
    summary: "additive increase, halve on loss",
    source: "RFC 5681",
};

crate::parameters! {
    /// Reno's parameters.
    pub struct Params {
        /// Share of the window that a loss leaves.
        pub keep: Ratio = Ratio::new(1, 2), in Ratio::new(1, 10), Ratio::new(99, 100);
    }
}

/// Reno.
pub type Reno = Windowed<Additive, Multiplicative>;

/// A Reno with these parameters.
pub fn new(params: &Params, _: &Setup) -> Reno {
    Windowed { up: Additive, down: Multiplicative { share: params.keep } }
}
