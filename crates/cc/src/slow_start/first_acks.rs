//! Hoe's threshold: slow start ends at the bandwidth of its first ACKs times the round-trip time.
//!
//! J. C. Hoe, "Improving the Start-up Behavior of a Congestion Control Scheme for TCP", SIGCOMM 1996;
//! described in ccr-2004 section 2.2 and westwood-plus-2004 section 1.
//!
//! ```text
//! rate = sum (t - mean t)(y - mean y) / sum (t - mean t)^2     the first three ACKs
//! ssthresh = rate RTT / S
//! ```
//!
//! On an idle path the three ACKs are as far apart as the bottleneck made the segments, and ssthresh is the
//! path's bandwidth-delay product. ACKs that came closer together on their way make it too large, which
//! is no worse than none; other traffic among them makes it small, and the window then grows linearly
//! from there.
//!
//! Rounding: [`Hoe`]'s, and [`Rate::pipe`](crate::Rate::pipe)'s, down to 2^-16 segments. At least two
//! segments.

use super::SlowStartInput;
use crate::controller::{Ack, Window};
use crate::estimate::{Estimator, Hoe};
use crate::units::{Duration, Rate, Segments};

/// Waits for three ACKs, and then knows the threshold.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstAcks {
    estimate: Hoe,
    min_rtt: Option<Duration>,
    threshold: Option<Segments>,
}

impl FirstAcks {
    pub(super) fn measure(&mut self, ack: &Ack) {
        if self.threshold.is_some() {
            return;
        }
        self.min_rtt =
            ack.rtt.map(|rtt| self.min_rtt.map_or(rtt, |min| min.min(rtt))).or(self.min_rtt);
        self.estimate.on_ack(ack);
        let rate = self.estimate.rate();
        if rate > Rate::ZERO {
            self.threshold = self.min_rtt.map(|rtt| rate.pipe(rtt, ack.smss).max(Segments::TWO));
        }
    }

    pub(super) fn apply(&self, window: Window, credit: Segments) -> SlowStartInput {
        let ssthresh = self.threshold.map_or(window.ssthresh, |at| at.min(window.ssthresh));
        SlowStartInput { window: Window { ssthresh, ..window }, credit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, slow_start};

    #[test]
    fn on_an_idle_path_the_threshold_is_the_bandwidth_delay_product() {
        // ACKs 12 ms apart of 1500 bytes: 1 Mbit/s, which is 8.33 segments in 100 ms.
        let mut watch = FirstAcks::default();
        for (una, ms) in [(1, 100), (2, 112), (3, 124)] {
            assert_eq!(watch.apply(slow_start(4), Segments::ONE).window, slow_start(4));
            watch.measure(&ack(ms, 100, una, una + 3));
        }
        let ssthresh = watch.apply(slow_start(4), Segments::ONE).window.ssthresh;
        assert_eq!(ssthresh.whole(), 8);
    }

    #[test]
    fn a_lower_threshold_that_was_given_stays() {
        let mut watch = FirstAcks::default();
        for (una, ms) in [(1, 100), (2, 101), (3, 102)] {
            watch.measure(&ack(ms, 100, una, una + 3));
        }
        let given = Window { ssthresh: Segments::new(20), ..slow_start(4) };
        assert_eq!(watch.apply(given, Segments::ONE).window, given);
    }
}
