//! HyStart++: slow start that goes on slowly where the delay rises.
//!
//! P. Balasubramanian, Y. Huang, M. Olson, "HyStart++: Modified Slow Start for TCP", RFC 9406, 2023.
//!
//! The smallest round-trip time of a round is compared with that of the round before. Where it has
//! risen, a queue grows, or the path only wavered: Conservative Slow Start (CSS) goes on at a quarter
//! of the growth and finds out which. If the delay falls again, slow start resumes; after five rounds
//! it ends.
//!
//! ```text
//! RttThresh = max(4 ms, min(lastRoundMinRTT / 8, 16 ms))                            section 4.2
//! slow start:  cwnd += min(N, L SMSS);
//!              CSS if currentRoundMinRTT >= lastRoundMinRTT + RttThresh (8 samples)
//! CSS:         cwnd += min(N, L SMSS) / 4;
//!              slow start if currentRoundMinRTT < cssBaselineMinRtt (8 samples);
//!              after 5 rounds ssthresh = cwnd
//! ```
//!
//! | RFC 9406 | here | unit |
//! |---|---|---|
//! | N | the credit of the ACK | segments |
//! | L | `LIMIT`, none if the sender is paced | segments |
//! | windowEnd | `round_end` | sequence number in segments |
//! | lastRoundMinRTT, currentRoundMinRTT | `last`, `current` | ns |
//! | rttSampleCount | `samples` | - |
//! | cssBaselineMinRtt | `baseline` | ns |
//! | CSS_ROUNDS | `ROUNDS`; the round in which CSS begins counts | - |
//!
//! Rounding: a quarter of the credit is gathered until it makes whole segments, so that controllers
//! that count in segments grow as the others do. A loss or a mark ends the watch (section 4.2); RFC 9406
//! section 4.3 leaves later slow starts as they are.
//!
//! Deviations: none where the transport counts the segments that an ACK covers. Where it counts ACKs, N is
//! one segment, and not the bytes of section 4.2.

use super::SlowStartInput;
use crate::controller::{Ack, Window};
use crate::units::{Duration, Segments};

/// MIN_RTT_THRESH and MAX_RTT_THRESH (section 4.3).
const LEAST_RISE: Duration = Duration::from_millis(4);
const MOST_RISE: Duration = Duration::from_millis(16);
/// MIN_RTT_DIVISOR.
const RISE_DIVISOR: u64 = 8;
/// N_RTT_SAMPLE.
const SAMPLES: u32 = 8;
/// CSS_GROWTH_DIVISOR.
const CSS_DIVISOR: u64 = 4;
/// CSS_ROUNDS.
const ROUNDS: u32 = 5;
/// L for a sender that is not paced, in segments.
const LIMIT: Segments = Segments::new(8);

/// The state of RFC 9406.
#[derive(Clone, Copy, Debug)]
pub struct HyStartPlusPlus {
    paced: bool,
    /// The segment whose acknowledgment ends the round.
    round_end: u64,
    last: Option<Duration>,
    current: Option<Duration>,
    samples: u32,
    phase: HyStartPhase,
    /// Credit of CSS that does not yet make a segment's growth.
    gathered: Segments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HyStartPhase {
    SlowStart,
    Conservative {
        baseline: Duration,
        /// Rounds begun in this phase, the one in which it was entered included.
        rounds: u32,
    },
    Over,
}

impl HyStartPlusPlus {
    /// At the beginning of a connection.
    pub const fn new(paced: bool) -> Self {
        Self {
            paced,
            round_end: 0,
            last: None,
            current: None,
            samples: 0,
            phase: HyStartPhase::SlowStart,
            gathered: Segments::ZERO,
        }
    }

    pub(super) fn measure(&mut self, ack: &Ack) {
        if self.round_end == 0 {
            // The first ACK belongs to the round that began with the initial window.
            self.round_end = ack.snd_nxt;
        }
        if let Some(rtt) = ack.rtt {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        self.judge();
        if ack.snd_una >= self.round_end {
            self.begin_round(ack.snd_nxt);
        }
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= SAMPLES) else { return };
        match self.phase {
            HyStartPhase::SlowStart
                if self.last.is_some_and(|last| current >= last + rise(last)) =>
            {
                self.phase = HyStartPhase::Conservative { baseline: current, rounds: 1 };
            }
            HyStartPhase::Conservative { baseline, .. } if current < baseline => {
                self.phase = HyStartPhase::SlowStart;
            }
            _ => {}
        }
    }

    fn begin_round(&mut self, end: u64) {
        self.round_end = end;
        self.last = self.current.take();
        self.samples = 0;
        if let HyStartPhase::Conservative { rounds, .. } = &mut self.phase {
            *rounds += 1;
            if *rounds > ROUNDS {
                self.phase = HyStartPhase::Over;
            }
        }
    }

    pub(super) fn apply(&mut self, window: Window, credit: Segments) -> SlowStartInput {
        let credit = if self.paced { credit } else { credit.min(LIMIT) };
        match self.phase {
            HyStartPhase::SlowStart => SlowStartInput::on(window, credit),
            HyStartPhase::Conservative { .. } => {
                self.gathered += credit;
                let grown = Segments::new(self.gathered.whole() / CSS_DIVISOR);
                self.gathered -= Segments::new(grown.whole() * CSS_DIVISOR);
                SlowStartInput::on(window, grown)
            }
            HyStartPhase::Over => SlowStartInput::end(window, credit),
        }
    }
}

/// `RttThresh`.
fn rise(last: Duration) -> Duration {
    Duration::from_nanos(last.as_nanos() / RISE_DIVISOR).clamp(LEAST_RISE, MOST_RISE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, slow_start};
    use std::vec::Vec;

    /// A connection that sends a window when the last one is acknowledged.
    struct TestConnection {
        watch: HyStartPlusPlus,
        una: u64,
        window: u64,
    }

    impl TestConnection {
        fn new(window: u64) -> Self {
            Self { watch: HyStartPlusPlus::new(false), una: 0, window }
        }

        /// A round in which every ACK took `rtt_ms`. Answers how much the window grew.
        fn round(&mut self, rtt_ms: u64) -> u64 {
            let mut grown = 0;
            for _ in 0..self.window {
                self.una += 1;
                let sent = (self.una / self.window + 1) * self.window;
                self.watch.measure(&ack(self.una, rtt_ms, self.una, sent));
                grown += self.watch.apply(slow_start(100), Segments::ONE).credit.whole();
            }
            grown
        }

        fn is_over(&mut self) -> bool {
            let led = self.watch.apply(slow_start(100), Segments::ONE);
            led.window.ssthresh == Segments::new(100)
        }
    }

    #[test]
    fn a_rise_of_an_eighth_slows_growth_to_a_quarter() {
        let mut c = TestConnection::new(100);
        assert_eq!((c.round(100), c.round(100)), (100, 100));
        // Seven ACKs more at full growth: the eighth sample decides. Of the 93 others a quarter.
        assert_eq!(c.round(113), 7 + 23);
        assert!(!c.is_over());
    }

    #[test]
    fn a_rise_below_the_threshold_changes_nothing() {
        let mut c = TestConnection::new(100);
        c.round(100);
        assert_eq!(c.round(112), 100);
    }

    #[test]
    fn the_threshold_is_at_least_four_and_at_most_sixteen_milliseconds() {
        let ms = Duration::from_millis;
        assert_eq!([10, 80, 1_000].map(|last| rise(ms(last))), [ms(4), ms(10), ms(16)]);
    }

    #[test]
    fn five_rounds_after_the_rise_slow_start_ends() {
        let mut c = TestConnection::new(100);
        c.round(100);
        // The round of the rise is the first.
        let ended: Vec<bool> = (0..5)
            .map(|_| {
                c.round(130);
                c.is_over()
            })
            .collect();
        assert_eq!(ended, [false, false, false, false, true]);
    }

    #[test]
    fn a_delay_that_falls_again_resumes_slow_start() {
        let mut c = TestConnection::new(100);
        c.round(100);
        c.round(130);
        c.round(100);
        assert_eq!(c.round(100), 100);
    }

    #[test]
    fn fewer_than_eight_samples_decide_nothing() {
        let mut c = TestConnection::new(7);
        c.round(100);
        assert_eq!(c.round(200), 7);
    }

    #[test]
    fn an_ack_of_a_hundred_segments_counts_for_eight_unless_the_sender_is_paced() {
        let lead = |paced| HyStartPlusPlus::new(paced).apply(slow_start(10), Segments::new(100));
        assert_eq!(lead(false).credit, Segments::new(8));
        assert_eq!(lead(true).credit, Segments::new(100));
    }
}
