//! Multiplicative decrease that is Reno's for small windows.

use super::{Decrease, Multiplicative};
use crate::controller::{Ack, Cause, Reduction, Window};
use crate::units::{Instant, Rate, Ratio, Segments};

/// Keeps half of a window up to `low_window`, and `share` of a larger one.
///
/// Scalable and BIC take so little from a window that small flows beside them would starve; below a
/// few segments both are plain Reno.
#[derive(Clone, Copy, Debug)]
pub struct Graded {
    /// The share that is kept of a large window: 7/8 for Scalable and BIC.
    pub share: Ratio,
    /// The largest window that is halved.
    pub low_window: Segments,
}

impl Decrease for Graded {
    fn measure(&mut self, _: &Ack) {}

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let share = if w.cwnd <= self.low_window { Ratio::new(1, 2) } else { self.share };
        Multiplicative { share }.reduce(w, cause, now)
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}
