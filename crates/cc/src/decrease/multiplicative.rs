//! Multiplicative decrease: keep a fixed share of the window (RFC 5681 section 3.1, equation 4).

use super::Decrease;
use crate::controller::{Ack, Cause, Reason, Reduction, Window};
use crate::units::{Instant, Rate, Ratio, Segments};

/// Keeps `share` of the window, at least two segments.
///
/// The window and not the flight size is reduced, as in the papers, in ns-2 and in Linux; the
/// transport's congestion window validation keeps the two close.
#[derive(Clone, Copy, Debug)]
pub struct Multiplicative {
    /// The share that is kept: 1/2 for Reno, 7/8 for Scalable and BIC.
    pub share: Ratio,
}

impl Multiplicative {
    /// Reno's.
    pub const fn half() -> Self {
        Self { share: Ratio::new(1, 2) }
    }
}

impl Decrease for Multiplicative {
    fn measure(&mut self, _: &Ack) {}

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let ssthresh = w.cwnd.times(self.share).max(Segments::TWO);
        Reduction {
            ssthresh,
            // The floor is ssthresh's: a sign of congestion never opens a window of one segment.
            resume: ssthresh.min(w.cwnd.max(Segments::ONE)),
            reason: Reason::Share(self.share),
        }
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}
