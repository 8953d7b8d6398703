//! Frames: which datagrams make each, and how long it takes.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant};
use westwood_net::Histogram;

/// A frame that has waited so long is not shown any more, and forgotten.
const FRAME_TIMEOUT: Duration = Duration::from_secs(10);

/// Frames on their way.
#[derive(Debug)]
pub(super) struct Frames {
    warmup: Instant,
    /// In the order of their datagrams.
    under_way: VecDeque<Frame>,
    outcome: FrameOutcome,
}

#[derive(Debug)]
struct Frame {
    captured: Instant,
    /// Its datagrams, and how many are still to come.
    first: u64,
    end: u64,
    missing: u64,
}

/// The fates of the frames that were captured in the measuring interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameOutcome {
    /// Frames captured.
    pub captured: u64,
    /// Frames of which every datagram arrived, within ten seconds.
    pub delivered: u64,
    /// From a frame's capture until its last datagram arrived.
    pub delays: Histogram,
}

impl Frames {
    /// Frames count that are captured at `warmup` or later.
    pub(super) fn new(warmup: Instant) -> Self {
        Self { warmup, under_way: VecDeque::new(), outcome: FrameOutcome::default() }
    }

    /// A frame of `count` datagrams from `first` on.
    pub(super) fn begin(&mut self, captured: Instant, first: u64, count: u64) {
        let is_old =
            |frame: &Frame| frame.missing == 0 || frame.captured + FRAME_TIMEOUT < captured;
        while self.under_way.front().is_some_and(is_old) {
            self.under_way.pop_front();
        }
        self.under_way.push_back(Frame { captured, first, end: first + count, missing: count });
        self.outcome.captured += u64::from(captured >= self.warmup);
    }

    /// A datagram arrives for the first time.
    pub(super) fn on_packet(&mut self, now: Instant, number: u64) {
        let place = self.under_way.partition_point(|frame| frame.end <= number);
        let Some(frame) = self.under_way.get_mut(place).filter(|frame| frame.first <= number)
        else {
            return;
        };
        frame.missing = frame.missing.saturating_sub(1);
        if frame.missing == 0 && frame.captured >= self.warmup {
            self.outcome.delivered += 1;
            self.outcome.delays.add(now.since(frame.captured));
        }
    }

    pub(super) fn outcome(self) -> FrameOutcome {
        self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_ms(ms: u64) -> Instant {
        Instant::from_nanos(1_000_000 * ms)
    }

    #[test]
    fn a_frame_is_delivered_with_its_last_datagram_in_whatever_order() {
        let mut frames = Frames::new(Instant::ZERO);
        frames.begin(at_ms(0), 0, 2);
        frames.begin(at_ms(40), 2, 1);
        frames.on_packet(at_ms(50), 1);
        frames.on_packet(at_ms(90), 2);
        frames.on_packet(at_ms(120), 0);
        let outcome = frames.outcome();
        assert_eq!((outcome.captured, outcome.delivered), (2, 2));
        let delays = outcome.delays.summary().expect("two");
        assert_eq!(
            (delays.min, delays.mean),
            (Duration::from_millis(50), Duration::from_millis(85))
        );
    }

    #[test]
    fn a_frame_that_misses_a_datagram_is_not_delivered() {
        let mut frames = Frames::new(Instant::ZERO);
        frames.begin(at_ms(0), 0, 3);
        frames.on_packet(at_ms(50), 0);
        frames.on_packet(at_ms(51), 2);
        let outcome = frames.outcome();
        assert_eq!((outcome.captured, outcome.delivered), (1, 0));
    }

    #[test]
    fn frames_before_the_warm_up_ends_do_not_count() {
        let mut frames = Frames::new(at_ms(100));
        frames.begin(at_ms(99), 0, 1);
        frames.begin(at_ms(100), 1, 1);
        frames.on_packet(at_ms(150), 0);
        frames.on_packet(at_ms(150), 1);
        let outcome = frames.outcome();
        assert_eq!((outcome.captured, outcome.delivered), (1, 1));
    }
}
