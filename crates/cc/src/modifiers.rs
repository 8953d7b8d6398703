//! Modifiers of a controller: how its first slow start ends, and the share that a mark leaves.
//!
//! Both are parameters of every controller that commands the [`Window`](ControlScope::Window) alone:
//! `reno(slow_start=hystart++)`, `cubic(beta_ecn=0.85)`. The transport asks them beside the controller. A
//! controller that commands [`Everything`](ControlScope::Everything) takes none: bbr, bbr3, copa, pcc-vivace
//! and prague, which has an answer to marks of its own.
//!
//! Limits: `hystart++` compares rounds of eight round-trip time samples, and so ends nothing where a round
//! has one, as without timestamps. `beta_ecn` sets ssthresh; westwood-linux replaces it by its own estimate
//! when the reduction is over, as the kernel's module does.

use crate::controller::{Cause, ControlScope, Reduction, Window};
use crate::decrease::{Decrease, Multiplicative};
use crate::slow_start::FirstSlowStart;
use crate::units::{Instant, Ratio};

crate::parameters! {
    /// The modifiers of a controller.
    pub struct Modifiers {
        /// End of the first slow start: by a loss or as the controller itself decides, by a rise
        /// of the round-trip time (RFC 9406), where deliveries flatten
        /// (draft-chung-ccwg-search), or at the bandwidth of the first three ACKs (Hoe).
        pub slow_start: FirstSlowStart = FirstSlowStart::Standard;
        /// Share of the window that an ECN mark leaves in congestion avoidance: alternative
        /// backoff (RFC 8511: 0.8 for Reno, 0.85 for CUBIC); 0: the controller's own answer.
        pub beta_ecn: Ratio = Ratio::new(0, 1), in Ratio::new(0, 1), Ratio::new(1, 1);
    }
}

impl Modifiers {
    /// True if they mean something for a controller of this command.
    pub fn fit(command: ControlScope) -> bool {
        command == ControlScope::Window
    }

    /// The answer to a mark in place of the controller's, if there is one (RFC 8511 section 3:
    /// `ssthresh = max(cwnd beta_ecn, 2 SMSS)` in congestion avoidance).
    ///
    /// ```
    /// use westwood_cc::controller::Cause;
    /// use westwood_cc::modifiers::Modifiers;
    /// use westwood_cc::{Instant, Ratio, Segments, Window};
    ///
    /// let abe = Modifiers { beta_ecn: Ratio::new(4, 5), ..Modifiers::default() };
    /// let w = Window { cwnd: Segments::new(100), ssthresh: Segments::new(50) };
    /// let answer = abe.reduction(w, Cause::Ecn, Instant::ZERO).unwrap();
    /// assert_eq!(answer.ssthresh, Segments::new(80));
    /// assert!(abe.reduction(w, Cause::FastRetransmit, Instant::ZERO).is_none());
    /// ```
    pub fn reduction(&self, w: Window, cause: Cause, now: Instant) -> Option<Reduction> {
        if cause != Cause::Ecn || self.beta_ecn.num() == 0 || w.in_slow_start() {
            return None;
        }
        let share = self.beta_ecn;
        Some(Multiplicative { share }.reduce(w, cause, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{avoidance, slow_start};
    use crate::units::Segments;

    const ABE: Modifiers =
        Modifiers { slow_start: FirstSlowStart::Standard, beta_ecn: Ratio::new(4, 5) };

    #[test]
    fn a_mark_in_slow_start_is_left_to_the_controller() {
        assert_eq!(ABE.reduction(slow_start(100), Cause::Ecn, Instant::ZERO), None);
    }

    #[test]
    fn a_mark_leaves_two_segments_at_least() {
        let answer = ABE.reduction(avoidance(Segments::TWO), Cause::Ecn, Instant::ZERO);
        assert_eq!(answer.map(|r| r.ssthresh), Some(Segments::TWO));
    }

    #[test]
    fn without_a_share_every_answer_is_the_controllers() {
        let none = Modifiers::default();
        assert_eq!(none.reduction(avoidance(Segments::new(9)), Cause::Ecn, Instant::ZERO), None);
    }
}
