//! HyStart, the hybrid slow start, as Linux 6.1 has it.
//!
//! S. Ha, I. Rhee, "Taming the Elephants: New TCP Slow Start", Computer Networks 55(9), 2011; Linux
//! 6.1 `hystart_update`, with the fix of round starts of 6.1.129.
//!
//! Slow start ends where one of two signs says that the window fills the path: the ACKs of a round
//! arrive as a train longer than half the smallest round-trip time, or all of them, nine at least, took
//! longer than the smallest by more than an eighth of it.

/// Samples of a round before its smallest delay is compared: with the next one.
const MIN_SAMPLES: u8 = 8;
/// Bounds of the tolerated rise in delay, in us.
const DELAY_MIN_US: u64 = 4_000;
const DELAY_MAX_US: u64 = 16_000;

/// The settings of HyStart.
#[derive(Clone, Copy, Debug)]
pub(super) struct HystartRules {
    /// Watch the length of ACK trains.
    pub(super) train: bool,
    /// Watch the rise of the delay.
    pub(super) delay: bool,
    /// Nothing is decided below this window, in segments.
    pub(super) low_window: u64,
    /// ACKs closer than this belong to one train, in us.
    pub(super) spacing_us: u64,
    /// The sender spreads its segments out, which stretches every train to a whole round.
    pub(super) paced: bool,
}

/// One ACK in slow start.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowStartAck {
    /// Arrival time in us.
    pub(super) now_us: u64,
    /// Its round-trip time in us.
    pub(super) delay_us: u64,
    /// The smallest round-trip time so far, this one included, in us.
    pub(super) delay_min_us: u64,
    /// How much longer offloading may make a train, in us.
    pub(super) hystart_ack_delay_us: u64,
    /// The oldest segment not acknowledged.
    pub(super) snd_una: u64,
    /// The next segment to be sent.
    pub(super) snd_nxt: u64,
    /// The window in segments.
    pub(super) cwnd: u64,
}

/// The state of one round, and whether the end of slow start has been found.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStart {
    rules: HystartRules,
    found: bool,
    round_start_us: u64,
    last_ack_us: u64,
    end_seq: u64,
    round_delay_us: u64,
    samples: u8,
}

impl HyStart {
    pub(super) fn new(rules: HystartRules) -> Self {
        Self {
            rules,
            found: false,
            round_start_us: 0,
            last_ack_us: 0,
            end_seq: 0,
            round_delay_us: u64::MAX,
            samples: 0,
        }
    }

    /// The search begins anew, after a timeout.
    pub(super) fn restart(&mut self, now_us: u64, snd_nxt: u64) {
        self.found = false;
        self.begin_round(now_us, snd_nxt);
    }

    fn begin_round(&mut self, now_us: u64, snd_nxt: u64) {
        self.round_start_us = now_us;
        self.last_ack_us = now_us;
        self.end_seq = snd_nxt;
        self.round_delay_us = u64::MAX;
        self.samples = 0;
    }

    /// True once: when this ACK shows that slow start should end.
    pub(super) fn ends(&mut self, input: &SlowStartAck) -> bool {
        if self.found {
            return false;
        }
        if input.snd_una > self.end_seq {
            self.begin_round(input.now_us, input.snd_nxt);
        }
        if input.cwnd < self.rules.low_window {
            return false;
        }
        let train = self.rules.train && self.train_is_long(input);
        let delay = self.rules.delay && self.delay_has_risen(input);
        self.found = train || delay;
        self.found
    }

    /// The train from the round's start to this ACK, without a gap, lasts more than half the smallest
    /// round-trip time (the whole of it if the sender paces).
    fn train_is_long(&mut self, input: &SlowStartAck) -> bool {
        if input.now_us.saturating_sub(self.last_ack_us) > self.rules.spacing_us {
            return false;
        }
        self.last_ack_us = input.now_us;
        let whole = input.delay_min_us + input.hystart_ack_delay_us;
        let limit = if self.rules.paced { whole } else { whole / 2 };
        input.now_us.saturating_sub(self.round_start_us) > limit
    }

    /// After eight samples of the round and with this one, the smallest is still above the path's smallest by
    /// more than an eighth of that, 4 to 16 ms.
    fn delay_has_risen(&mut self, input: &SlowStartAck) -> bool {
        self.round_delay_us = self.round_delay_us.min(input.delay_us);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let tolerated = (input.delay_min_us / 8).clamp(DELAY_MIN_US, DELAY_MAX_US);
        self.round_delay_us > input.delay_min_us + tolerated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: HystartRules =
        HystartRules { train: true, delay: true, low_window: 16, spacing_us: 2_000, paced: false };

    /// The `n`th ACK of a round of 100 segments that began at 1 s.
    fn input(n: u64, spacing_us: u64, delay_us: u64) -> SlowStartAck {
        SlowStartAck {
            now_us: 1_000_000 + n * spacing_us,
            delay_us,
            delay_min_us: 100_000,
            hystart_ack_delay_us: 0,
            snd_una: 201 + n,
            snd_nxt: 300 + n,
            cwnd: 100,
        }
    }

    fn ends_after(rules: HystartRules, spacing_us: u64, delay_us: u64) -> Option<u64> {
        let mut h = HyStart::new(rules);
        h.restart(0, 200);
        (0..100).find(|&n| h.ends(&input(n, spacing_us, delay_us)))
    }

    #[test]
    fn a_train_of_half_the_round_trip_time_ends_slow_start() {
        // 1 ms apart: the ACK 51 ms after the first is beyond 100/2 ms.
        assert_eq!(ends_after(RULES, 1_000, 100_000), Some(51));
    }

    #[test]
    fn a_paced_sender_needs_a_train_of_a_whole_round_trip_time() {
        let paced = HystartRules { paced: true, ..RULES };
        assert_eq!(ends_after(paced, 1_200, 100_000), Some(84));
    }

    #[test]
    fn acks_more_than_two_milliseconds_apart_are_no_train() {
        assert_eq!(ends_after(RULES, 2_001, 100_000), None);
    }

    #[test]
    fn a_rise_of_an_eighth_in_all_of_nine_samples_ends_slow_start() {
        assert_eq!(ends_after(RULES, 10, 112_501), Some(8));
        assert_eq!(ends_after(RULES, 10, 112_500), None);
    }

    #[test]
    fn one_short_sample_among_the_first_keeps_slow_start_going() {
        let mut h = HyStart::new(RULES);
        h.restart(0, 200);
        let ended = (0..100).any(|n| h.ends(&input(n, 10, if n == 3 { 101_000 } else { 130_000 })));
        assert!(!ended);
    }

    #[test]
    fn nothing_is_decided_below_sixteen_segments() {
        let mut h = HyStart::new(RULES);
        h.restart(0, 200);
        assert!(!(0..100).any(|n| h.ends(&SlowStartAck { cwnd: 15, ..input(n, 1_000, 200_000) })));
    }

    #[test]
    fn it_is_found_once_and_again_only_after_a_restart() {
        let mut h = HyStart::new(RULES);
        h.restart(0, 200);
        assert_eq!((0..100).filter(|&n| h.ends(&input(n, 1_000, 100_000))).count(), 1);
        h.restart(0, 200);
        assert!((0..100).any(|n| h.ends(&input(n, 1_000, 100_000))));
    }
}
