//! Decreases: what a sign of congestion makes of the window.

mod adaptive;
mod graded;
mod multiplicative;

pub use adaptive::{Adaptive, Rules, WindowRtt};
pub use graded::Graded;
pub use multiplicative::Multiplicative;

use crate::controller::{Ack, Cause, Reduction, Window};
use crate::units::{Instant, Rate};

/// The third part of a composed controller.
pub trait Decrease {
    /// Takes in one ACK: an adaptive decrease estimates the bandwidth from them.
    fn measure(&mut self, ack: &Ack);

    /// The threshold, and the window at which recovery ends.
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction;

    /// The bandwidth estimate, where there is one.
    fn bwe(&self) -> Option<Rate>;
}
