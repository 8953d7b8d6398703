//! The velocity (section 2.1, step 4): it doubles while the window keeps its direction.
//!
//! By the paper's text v changes at the end of a round alone. A window that is moved fast then turns with the
//! same v, for up to a round-trip time in the other direction: beyond a large v it swings for ever. mvfst
//! resets v with the first ACK in the other direction.

use crate::units::Segments;

crate::choices! {
    /// When a change of direction resets the velocity.
    pub enum Reversal {
        /// With the first ACK in the other direction, as in mvfst.
        Ack = "ack",
        /// At the end of the round-trip time, as the paper says.
        Round = "round",
    }
}

/// Rounds in the direction of the one before after which v doubles. In steady state a direction lasts 2.5
/// round-trip times.
const STEADY_ROUNDS: u32 = 3;

/// How the window has changed over a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowTrend {
    Up,
    Down,
}

/// The velocity and the window by which its direction is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Velocity {
    v: u64,
    direction: Option<WindowTrend>,
    /// Rounds whose direction was that of the one before.
    same: u32,
    /// The window when the round began.
    began_with: Segments,
}

impl Default for Velocity {
    fn default() -> Self {
        Self::from(Segments::ZERO)
    }
}

impl Velocity {
    /// A velocity of 1, from this window on.
    pub(super) const fn from(cwnd: Segments) -> Self {
        Self { v: 1, direction: None, same: 0, began_with: cwnd }
    }

    pub(super) const fn get(&self) -> u64 {
        self.v
    }

    /// A round ends with this window.
    pub(super) fn end_round(&mut self, cwnd: Segments) {
        let direction = match cwnd.cmp(&self.began_with) {
            core::cmp::Ordering::Greater => Some(WindowTrend::Up),
            core::cmp::Ordering::Less => Some(WindowTrend::Down),
            core::cmp::Ordering::Equal => None,
        };
        if direction.is_some() && direction == self.direction {
            self.same = self.same.saturating_add(1);
            if self.same >= STEADY_ROUNDS {
                self.v = self.v.saturating_mul(2);
            }
        } else {
            (self.v, self.same) = (1, 0);
        }
        self.direction = direction;
        self.began_with = cwnd;
    }

    /// An ACK moves the window this way: another way than before, faster than at first, begins anew.
    pub(super) fn on_direction_change(&mut self, direction: WindowTrend, cwnd: Segments) {
        if self.v > 1 && self.direction != Some(direction) {
            *self = Self { direction: Some(direction), ..Self::from(cwnd) };
        }
    }

    /// `v / delta`, the change of a round-trip time, is at most the window, as long as v is more than 1.
    pub(super) fn bound(&mut self, cwnd: Segments, per_delta: Segments) {
        let most = cwnd.raw() / per_delta.raw().max(1);
        self.v = self.v.min(most.max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(windows: &[u64]) -> Vec<u64> {
        let mut velocity = Velocity::from(Segments::new(100));
        let mut end = |&cwnd: &u64| {
            velocity.end_round(Segments::new(cwnd));
            velocity.get()
        };
        windows.iter().map(&mut end).collect()
    }

    use std::vec::Vec;

    #[test]
    fn s2_1_it_doubles_once_the_direction_has_been_the_same_for_three_rounds() {
        assert_eq!(after(&[102, 104, 106, 108, 112, 120]), [1, 1, 1, 2, 4, 8]);
        assert_eq!(after(&[98, 96, 94, 92, 88, 80]), [1, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn s2_1_another_direction_resets_it_to_one() {
        assert_eq!(after(&[102, 104, 106, 108, 112, 111, 112]), [1, 1, 1, 2, 4, 1, 1]);
        assert_eq!(after(&[102, 104, 106, 108, 108]), [1, 1, 1, 2, 1]);
    }

    #[test]
    fn an_ack_in_the_other_direction_begins_anew_where_v_is_more_than_one() {
        let mut velocity = Velocity::from(Segments::new(100));
        for cwnd in 101..105 {
            velocity.end_round(Segments::new(cwnd));
        }
        assert_eq!(velocity.get(), 2);
        velocity.on_direction_change(WindowTrend::Up, Segments::new(105));
        assert_eq!(velocity.get(), 2);
        velocity.on_direction_change(WindowTrend::Down, Segments::new(105));
        assert_eq!(velocity.get(), 1);
    }

    #[test]
    fn a_round_trip_time_changes_the_window_by_itself_at_most() {
        let mut velocity = Velocity { v: 64, ..Velocity::default() };
        velocity.bound(Segments::new(100), Segments::TWO);
        assert_eq!(velocity.get(), 50);
        velocity.bound(Segments::ONE, Segments::TWO);
        assert_eq!(velocity.get(), 1);
    }
}
