//! The largest value within a sliding window, from three samples.
//!
//! K. Nichols' estimator as `lib/minmax.c` of Linux has it: beside the best sample it keeps the best
//! of the later quarters, so that a maximum that grows old has a successor. A sample is forgotten
//! after a window's length; which of two equal ones is kept does not matter.

/// A value and when it was seen, in any unit of time.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    time: u64,
    value: u64,
}

/// A windowed maximum.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaxFilter {
    window: u64,
    /// The best, the best after it and the best after that.
    best: [Sample; 3],
}

impl MaxFilter {
    pub(super) fn new(window: u64) -> Self {
        Self { window, best: [Sample::default(); 3] }
    }

    /// The largest value of the window; 0 before the first.
    pub(super) fn get(&self) -> u64 {
        self.best[0].value
    }

    /// Takes in a value; times never decrease.
    pub(super) fn update(&mut self, time: u64, value: u64) {
        let new = Sample { time, value };
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

    fn is_old(&self, sample: Sample, time: u64) -> bool {
        time - sample.time > self.window
    }

    /// Lets successors move up, and takes the new sample as a successor once a quarter or half of the
    /// window has passed without one.
    fn age(&mut self, new: Sample) {
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

    fn promote(&mut self, new: Sample) {
        self.best = [self.best[1], self.best[2], new];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_value_counts_at_once_and_a_smaller_one_only_when_the_largest_is_old() {
        let mut f = MaxFilter::new(10);
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
        let mut f = MaxFilter::new(10);
        for (t, v) in [(0, 100), (3, 60), (6, 80), (9, 50), (11, 40)] {
            f.update(t, v);
        }
        assert_eq!(f.get(), 80);
    }

    #[test]
    fn after_a_silence_longer_than_the_window_only_the_new_value_counts() {
        let mut f = MaxFilter::new(10);
        f.update(0, 100);
        f.update(50, 1);
        assert_eq!(f.get(), 1);
    }

    #[test]
    fn it_is_never_below_the_newest_and_never_above_the_true_maximum() {
        // Against a plain maximum over the window, on a saw-tooth.
        let mut f = MaxFilter::new(10);
        let value = |t: u64| (t * 37) % 101;
        for t in 0..1_000 {
            f.update(t, value(t));
            let truth = (t.saturating_sub(10)..=t).map(value).max();
            assert!(f.get() >= value(t) && Some(f.get()) <= truth, "at {t}");
        }
    }
}
