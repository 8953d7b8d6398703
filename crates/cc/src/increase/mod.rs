//! Increases: how the window opens once it has reached ssthresh.

mod additive;
mod bic;
mod counted;
mod cubic;
mod logarithmic;
mod probing;
mod scalable;

pub use additive::Additive;
pub use bic::Bic;
pub use counted::Counted;
pub use cubic::{Cubic, Shape};
pub use logarithmic::Logarithmic;
pub use probing::Probing;
pub use scalable::Scalable;

use crate::controller::{Ack, Cause, Grant, Window};
use crate::slow_start::{SlowStartGrowth, standard};
use crate::units::{Duration, Instant, Segments};

/// The second part of a composed controller.
///
/// An increase is told the window before and after each reduction, and nothing else of the
/// decrease: BIC's and CUBIC's fast convergence is `W_max = (before + after) / 2`.
pub trait Increase {
    /// Takes in one ACK: CUBIC needs the round-trip time.
    fn measure(&mut self, ack: &Ack);

    /// The next window after an ACK that counts `credit` segments.
    fn increase(&mut self, cwnd: Segments, credit: Segments, now: Instant) -> Segments;

    /// The window was `before` when congestion was seen and will be `after`.
    fn reduced(&mut self, before: Segments, after: Segments, cause: Cause, now: Instant);

    /// The last reduction was spurious: forget it.
    fn undone(&mut self);

    /// Sending begins again after `idle`.
    fn restarted(&mut self, idle: Duration);
}

/// The next window by standard slow start, and by the increase for the credit that it leaves.
#[inline]
pub fn after_slow_start(up: &mut impl Increase, w: Window, grant: &Grant) -> Window {
    let SlowStartGrowth { window, left } = standard(w, grant.credit);
    if left == Segments::ZERO {
        return window;
    }
    Window { cwnd: up.increase(window.cwnd, left, grant.now), ..window }
}

/// States that an increase remembers nothing: its answer depends on the window alone.
macro_rules! memoryless {
    () => {
        fn measure(&mut self, _: &$crate::controller::Ack) {}
        fn reduced(
            &mut self,
            _: $crate::units::Segments,
            _: $crate::units::Segments,
            _: $crate::controller::Cause,
            _: $crate::units::Instant,
        ) {
        }
        fn undone(&mut self) {}
        fn restarted(&mut self, _: $crate::units::Duration) {}
    };
}
pub(crate) use memoryless;
