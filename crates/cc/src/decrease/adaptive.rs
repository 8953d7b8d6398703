//! Adaptive decrease: the window that the estimated bandwidth fills with no queue (westwood-2002
//! section 3; westwood-plus-2004 section 2.1).

use super::Decrease;
use crate::controller::{Ack, Cause, Reason, Reduction, Window};
use crate::estimate::Estimator;
use crate::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};

crate::choices! {
    /// Which round-trip time turns the estimate into a window.
    pub enum WindowRtt {
        /// The smallest of the connection: the queue drains.
        MinRtt = "min-rtt",
        /// The latest: the rate stays what it was, and the queue never drains. Only to see why the
        /// papers take the smallest (westwood-plus-2004 section 2.1).
        Rtt = "rtt",
    }
}

/// The use that an [`Adaptive`] decrease makes of its estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The window is only ever lowered (westwood-2002); else it becomes ssthresh, which may be
    /// higher than it was (westwood-plus-2004).
    pub guard: bool,
    /// Which round-trip time turns the estimate into a window.
    pub window: WindowRtt,
    /// A rate that stands in the estimate's place, to see what a better estimate would do; zero for
    /// none.
    pub given: Rate,
}

impl Rules {
    /// The largest rate that may be given.
    pub const MOST: Rate = Rate::from_bytes_per_s(12_500_000_000);
}

/// `ssthresh = max(2, B * Rmin / S)`.
///
/// * The estimate `B` is read at the moment of the reduction, so that Westwood's has decayed when a
///   timeout expires.
/// * With the guard, recovery ends at `min(cwnd, ssthresh)`: below ssthresh slow start goes on.
/// * Before any RTT sample there is no `Rmin`: half of the window is kept, at least two segments.
/// * With an RTT sample but a cold estimate the floor of two segments stands, as in the papers'
///   pseudo-code.
///
/// The 2002 paper prints no floor for the fast retransmit; it is used for both causes. The numbers
/// do not depend on the cause. Rounding: [`Rate::pipe`], down to 2^-16 segments.
#[derive(Clone, Copy, Debug)]
pub struct Adaptive<E> {
    /// The estimate of `B`.
    pub estimate: E,
    rules: Rules,
    min_rtt: Option<Duration>,
    last_rtt: Option<Duration>,
    smss: Bytes,
}

impl<E: Estimator> Adaptive<E> {
    /// A decrease before the first ACK of a connection with segments of `smss`.
    pub fn new(estimate: E, rules: Rules, smss: Bytes) -> Self {
        Self { estimate, rules, min_rtt: None, last_rtt: None, smss }
    }

    fn threshold(&mut self, cwnd: Segments, now: Instant) -> (Segments, Reason) {
        let rtt = match self.rules.window {
            WindowRtt::MinRtt => self.min_rtt,
            WindowRtt::Rtt => self.last_rtt,
        };
        let Some(rtt) = rtt else {
            return (cwnd.half(), Reason::Share(Ratio::new(1, 2)));
        };
        let estimated = self.estimate.read(now);
        let bwe = if self.rules.given == Rate::ZERO { estimated } else { self.rules.given };
        let reason = Reason::Estimate { bwe, min_rtt: rtt };
        (bwe.pipe(rtt, self.smss), reason)
    }
}

impl<E: Estimator> Decrease for Adaptive<E> {
    #[inline]
    fn measure(&mut self, ack: &Ack) {
        self.smss = ack.smss;
        if let Some(rtt) = ack.rtt {
            self.last_rtt = Some(rtt);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        self.estimate.on_ack(ack);
    }

    fn reduce(&mut self, w: Window, _: Cause, now: Instant) -> Reduction {
        let (threshold, reason) = self.threshold(w.cwnd, now);
        let ssthresh = threshold.max(Segments::TWO);
        let resume =
            if self.rules.guard { ssthresh.min(w.cwnd).max(Segments::ONE) } else { ssthresh };
        Reduction { ssthresh, resume, reason }
    }

    fn bwe(&self) -> Option<Rate> {
        Some(self.estimate.rate())
    }
}
