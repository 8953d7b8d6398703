//! The largest and the smallest value within a sliding window, from three samples.
//!
//! K. Nichols' estimator as `lib/minmax.c` of Linux has it: beside the best sample it keeps the best
//! of the later quarters, so that an extreme that grows old has a successor. A sample is forgotten
//! after a window's length; which of two equal ones is kept does not matter.
//!
//! ```
//! use westwood_cc::windowed_extreme::{WindowedMax, WindowedMin};
//! // Over ten rounds, whatever a round is.
//! let (mut most, mut least) = (WindowedMax::new(10), WindowedMin::new(10));
//! for (round, high, low) in [(0, 9, 1), (3, 6, 4), (6, 8, 2)] {
//!     most.update(round, high);
//!     least.update(round, low);
//! }
//! assert_eq!((most.get(), least.get()), (9, Some(1)));
//! // In round 12 those of round 0 are forgotten.
//! most.update(12, 5);
//! least.update(12, 5);
//! assert_eq!((most.get(), least.get()), (8, Some(2)));
//! ```

/// A value and when it was seen, in any unit of time.
#[derive(Clone, Copy, Debug, Default)]
struct TimedValue {
    time: u64,
    value: u64,
}

/// A windowed maximum.
#[derive(Clone, Copy, Debug)]
pub struct WindowedMax {
    window: u64,
    /// The best, the best after it and the best after that.
    best: [TimedValue; 3],
}

/// A windowed minimum.
#[derive(Clone, Copy, Debug)]
pub struct WindowedMin {
    /// The maximum of the complements: 0 before the first value.
    complement: WindowedMax,
}

impl WindowedMin {
    /// A minimum over this much time.
    pub const fn new(window: u64) -> Self {
        Self { complement: WindowedMax::new(window) }
    }

    /// The smallest value of the window; none before the first.
    pub fn get(&self) -> Option<u64> {
        Some(self.complement.get()).filter(|&value| value > 0).map(|value| u64::MAX - value)
    }

    /// From now on the minimum is over this much time.
    pub fn set_window(&mut self, window: u64) {
        self.complement.set_window(window);
    }

    /// Takes in a value below `u64::MAX`; times never decrease.
    pub fn update(&mut self, time: u64, value: u64) {
        self.complement.update(time, u64::MAX - value);
    }
}

impl WindowedMax {
    /// A maximum over this much time.
    pub const fn new(window: u64) -> Self {
        Self { window, best: [TimedValue { time: 0, value: 0 }; 3] }
    }

    /// The largest value of the window; 0 before the first.
    pub fn get(&self) -> u64 {
        self.best[0].value
    }

    /// From now on the maximum is over this much time.
    pub fn set_window(&mut self, window: u64) {
        self.window = window;
    }

    /// Takes in a value; times never decrease.
    pub fn update(&mut self, time: u64, value: u64) {
        let new = TimedValue { time, value };
        if value >= self.best[0].value || self.is_old(self.best[2], time) {
            self.best = [new; 3];
        } else if value >= self.best[1].value {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        self.age(new);
    }

    fn is_old(&self, sample: TimedValue, time: u64) -> bool {
        time - sample.time > self.window
    }

    /// Lets successors move up, and takes the new sample as a successor once a quarter or half of the
    /// window has passed without one.
    fn age(&mut self, new: TimedValue) {
        let elapsed = new.time - self.best[0].time;
        if elapsed > self.window {
            self.promote(new);
            if self.is_old(self.best[0], new.time) {
                self.promote(new);
            }
        } else if self.best[1].time == self.best[0].time && elapsed > self.window / 4 {
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].time == self.best[1].time && elapsed > self.window / 2 {
            self.best[2] = new;
        }
    }

    fn promote(&mut self, new: TimedValue) {
        self.best = [self.best[1], self.best[2], new];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_value_counts_at_once_and_a_smaller_one_only_when_the_largest_is_old() {
        let mut f = WindowedMax::new(10);
        f.update(0, 5);
        f.update(1, 9);
        assert_eq!(f.get(), 9);
        for t in 2..=11 {
            f.update(t, 4);
            assert_eq!(f.get(), 9, "at {t}");
        }
        f.update(12, 4);
        assert_eq!(f.get(), 4);
    }

    #[test]
    fn the_successor_of_an_old_maximum_is_the_best_of_what_came_after() {
        let mut f = WindowedMax::new(10);
        for (t, v) in [(0, 100), (3, 60), (6, 80), (9, 50), (11, 40)] {
            f.update(t, v);
        }
        assert_eq!(f.get(), 80);
    }

    #[test]
    fn after_a_silence_longer_than_the_window_only_the_new_value_counts() {
        let mut f = WindowedMax::new(10);
        f.update(0, 100);
        f.update(50, 1);
        assert_eq!(f.get(), 1);
    }

    #[test]
    fn it_is_never_below_the_newest_and_never_above_the_true_maximum() {
        // Against a plain maximum over the window, on a saw-tooth.
        let mut f = WindowedMax::new(10);
        let value = |t: u64| (t * 37) % 101;
        for t in 0..1_000 {
            f.update(t, value(t));
            let truth = (t.saturating_sub(10)..=t).map(value).max();
            assert!(f.get() >= value(t) && Some(f.get()) <= truth, "at {t}");
        }
    }
}
