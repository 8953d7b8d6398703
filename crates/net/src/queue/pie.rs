//! Proportional integral controller, enhanced.
//!
//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE): A
//! Lightweight Control Scheme to Address the Bufferbloat Problem", RFC 8033, 2017. A probability moves at
//! regular times by how far the queueing delay is from its target and by how fast it grows; arrivals are
//! dropped or marked with it.
//!
//! | RFC 8033 | here | unit |
//! |---|---|---|
//! | QDELAY_REF | [`PieConfig::target`] | time |
//! | T_UPDATE | [`PieConfig::update`] | time |
//! | alpha, beta | [`PieConfig::alpha`], [`PieConfig::beta`] | 1/s |
//! | MAX_BURST | [`PieConfig::burst`] | time |
//! | mark_ecnth | [`PieConfig::ecn_limit`] | - |
//! | PIE->drop_prob_, PIE->accu_prob_ | `probability`, `accumulated` | - |
//! | current_qdelay, PIE->qdelay_old_ | `delay`, `delay_before` | time |
//!
//! Where the RFC leaves a choice, or Linux 6.1's `sch_pie` does otherwise, this follows Linux:
//! * The delay is that of the last packet that left (the timestamps of section 4.3), zero if it left
//!   nothing behind. Linux's default; the RFC's pseudocode estimates the departure rate. There is no
//!   mode that does.
//! * The burst allowance lasts for as long as packets leave, and is not counted by updates (section 4.4
//!   has both). It is full again when the probability is zero and two delays are below half of the target.
//! * PIE is always active, where appendix A turns it on at a third of the buffer.
//! * With no delay for two updates and nothing waiting the probability falls by a 64th, not by 2 % (section
//!   4.2).
//! * A delay above 250 ms adds 2 % at each update.
//!
//! Two rules of Linux are left out: the first update comes after one period, not after half a second; and
//! the probability is bounded by 1, as the RFC says, where Linux's word may hold more.
//!
//! Updates are made up for when the next packet comes or goes: in between nothing changes that they read.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::queue::fifo::{Dequeued, PacketFifo};
use crate::queue::proportional_integral::{Gains, Updates};
use crate::queue::{Arrival, Limit, Verdict, fits};
use crate::random::Random;

/// PIE's parameters; the defaults are RFC 8033's (section 4 and appendix A) and Linux's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// How much may wait.
    pub limit: Limit,
    /// The queueing delay that is aimed at; at most 100 s.
    pub target: Duration,
    /// The time between updates; 1 us to 100 s.
    pub update: Duration,
    /// The integral gain: a delay of a second above the target adds it in an update, in 1/s; 0 to 1000.
    pub alpha: f64,
    /// The proportional gain: a delay grown by a second adds it in an update, in 1/s; 0 to 1000.
    pub beta: f64,
    /// A burst of so long passes undropped; at most 100 s.
    pub burst: Duration,
    /// Mark packets that understand ECN where others are dropped.
    pub ecn: bool,
    /// With a higher probability than this they are dropped too; 0 to 1.
    pub ecn_limit: f64,
    /// The largest packet: a queue shorter than two of them is left alone.
    pub mtu: Bytes,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            limit: Limit::Packets(1000),
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Duration::from_millis(150),
            ecn: false,
            ecn_limit: 0.1,
            mtu: Bytes::new(1500),
        }
    }
}

/// Above this delay the probability rises by [`STEP`] more at each update.
const LONG: Duration = Duration::from_millis(250);
/// The largest rise of a probability that is 10 % already (section 5.5).
const STEP: f64 = 0.02;

/// PIE at work.
#[derive(Clone, Debug)]
pub(crate) struct Pie {
    config: PieConfig,
    gains: Gains,
    random: Random,
    state: State,
    updates: Updates,
}

/// The state that updates read and change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    probability: f64,
    /// The sum of the probabilities since the last drop.
    accumulated: f64,
    delay: Duration,
    delay_before: Duration,
    burst: Duration,
    departed: Option<Instant>,
}

impl Pie {
    pub(crate) fn new(config: &PieConfig, random: Random) -> Result<Self, LinkError> {
        let PieConfig { target, alpha, beta, .. } = *config;
        let gains = Gains { target, alpha, beta };
        gains.validate()?;
        let updates = Updates::every(config.update)?;
        LinkError::unless(
            config.burst <= Duration::from_secs(100),
            "queue.burst",
            "at most 100 s",
        )?;
        LinkError::unless_probability(config.ecn_limit, "queue.ecn_limit")?;
        let state = State {
            probability: 0.0,
            accumulated: 0.0,
            delay: Duration::ZERO,
            delay_before: Duration::ZERO,
            burst: config.burst,
            departed: None,
        };
        Ok(Self { config: *config, gains, random, state, updates })
    }

    /// The same with other draws.
    pub(crate) fn with_draws(&self, random: Random) -> Self {
        Self { random, ..self.clone() }
    }

    /// The probability with which arrivals are dropped or marked.
    #[cfg(test)]
    pub(crate) fn probability(&self) -> f64 {
        self.state.probability
    }

    /// Judges an arriving packet (section 4.1).
    pub(crate) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        self.judge_with(arrival, fits(self.config.limit, arrival), arrival.waiting.bytes)
    }

    /// Judges an arriving packet that finds so much waiting in its queue; `room` says if it fits.
    pub(crate) fn judge_with(
        &mut self,
        arrival: &Arrival,
        room: Verdict,
        backlog: Bytes,
    ) -> Verdict {
        self.catch_up(arrival.now, backlog);
        if room == Verdict::Take {
            if !self.is_early(backlog) {
                return Verdict::Take;
            }
            let marks = self.config.ecn && arrival.ect;
            if marks && self.state.probability <= self.config.ecn_limit {
                return Verdict::Mark;
            }
        }
        self.state.accumulated = 0.0;
        if room == Verdict::Take { Verdict::Drop(DropCause::Aqm) } else { room }
    }

    /// True if the packet is to be dropped or marked. The sum of the probabilities spaces drops
    /// evenly (section 5.4).
    fn is_early(&mut self, backlog: Bytes) -> bool {
        let (it, config) = (&mut self.state, &self.config);
        let is_low = it.delay < config.target / 2 && it.probability < 0.2;
        if !it.burst.is_zero() || is_low || backlog < config.mtu + config.mtu {
            return false;
        }
        it.accumulated = if it.probability > 0.0 { it.accumulated + it.probability } else { 0.0 };
        if it.accumulated < 0.85 {
            return false;
        }
        if it.accumulated >= 8.5 {
            return true;
        }
        let hit = self.random.chance(it.probability);
        if hit {
            it.accumulated = 0.0;
        }
        hit
    }

    /// Takes the packet to be sent at `now`, and measures by it.
    pub(crate) fn take<P>(&mut self, now: Instant, line: &mut PacketFifo<P>) -> Dequeued<P> {
        self.catch_up(now, line.waiting().bytes);
        let packet = line.pop();
        if let Some(queued) = &packet {
            let is_last = line.waiting().bytes == Bytes::ZERO;
            self.state.departs(now, if is_last { now } else { queued.arrived });
        }
        Dequeued { packet, marked: false }
    }

    /// Makes up for the updates until `now`, while so much waited.
    fn catch_up(&mut self, now: Instant, backlog: Bytes) {
        while self.updates.due(now).is_some() {
            let before = self.state;
            self.state.update(&self.config, &self.gains, backlog);
            if self.state == before {
                // Nor will the others change anything.
                self.updates.skip(now);
            }
        }
    }
}

impl State {
    /// A packet leaves that came at `arrived`.
    fn departs(&mut self, now: Instant, arrived: Instant) {
        self.delay = now.since(arrived);
        let gap = self.departed.map_or(Duration::ZERO, |departed| now.since(departed));
        self.departed = Some(now);
        self.burst = self.burst - gap;
    }

    /// Moves the probability (section 4.2).
    fn update(&mut self, config: &PieConfig, gains: &Gains, backlog: Bytes) {
        let rise = self.rise(gains);
        self.probability = (self.probability + rise).clamp(0.0, 1.0);
        if self.delay.is_zero() && self.delay_before.is_zero() && backlog == Bytes::ZERO {
            self.probability -= self.probability / 64.0;
        }
        let is_short = |delay: Duration| delay < config.target / 2;
        if is_short(self.delay) && is_short(self.delay_before) && self.probability <= 0.0 {
            (self.burst, self.departed, self.accumulated) = (config.burst, None, 0.0);
        }
        self.delay_before = self.delay;
    }

    /// By how much the probability moves in an update.
    fn rise(&self, gains: &Gains) -> f64 {
        let scaled = gains.change(self.delay, self.delay_before) * tuning(self.probability);
        let capped = if self.probability >= 0.1 { scaled.min(STEP) } else { scaled };
        capped + if self.delay > LONG { STEP } else { 0.0 }
    }
}

/// The share of alpha and beta that applies at a low probability (section 4.2): it follows the square root
/// of the probability, in steps.
fn tuning(probability: f64) -> f64 {
    match probability {
        p if p < 1e-6 => 1.0 / 2048.0,
        p if p < 1e-5 => 1.0 / 512.0,
        p if p < 1e-4 => 1.0 / 128.0,
        p if p < 1e-3 => 1.0 / 32.0,
        p if p < 1e-2 => 1.0 / 8.0,
        p if p < 1e-1 => 1.0 / 2.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{TestPacket, finds};
    use westwood_cc::Ecn;

    fn pie(probability: f64, delay: u64, before: u64) -> Pie {
        let mut pie = Pie::new(&PieConfig::default(), Random::new(1, "pie")).expect("valid");
        let (delay, delay_before) = (Duration::from_millis(delay), Duration::from_millis(before));
        let burst = Duration::ZERO;
        pie.state = State { probability, delay, delay_before, burst, ..pie.state };
        pie
    }

    /// The probability after an update with these delays in ms, while packets wait.
    fn updated(probability: f64, delay: u64, before: u64) -> f64 {
        let mut pie = pie(probability, delay, before);
        pie.state.update(&pie.config, &pie.gains, Bytes::new(15_000));
        pie.state.probability
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn the_probability_moves_by_the_distance_from_the_target_and_by_the_growth() {
        // 0.125 x 10 ms + 1.25 x 10 ms
        assert!(close(updated(0.5, 25, 15), 0.5 + 0.01375));
        // -0.125 x 5 ms - 1.25 x 10 ms
        assert!(close(updated(0.5, 10, 20), 0.5 - 0.013_125));
        assert!(close(updated(0.5, 15, 15), 0.5));
    }

    #[test]
    fn low_probabilities_move_by_the_parts_of_section_4_2() {
        let parts = [
            (0.0, 2048.0),
            (0.000_005, 512.0),
            (0.000_05, 128.0),
            (0.000_5, 32.0),
            (0.005, 8.0),
            (0.05, 2.0),
            (0.1, 1.0),
        ];
        for (p, part) in parts {
            assert!(close(updated(p, 25, 15) - p, 0.01375 / part), "{p}");
        }
    }

    #[test]
    fn a_rise_is_at_most_two_percent_from_ten_percent_on_and_two_more_beyond_250_ms() {
        // 0.125 x 60 ms + 1.25 x 60 ms = 8.25 %
        assert!(close(updated(0.1, 75, 15), 0.12));
        assert!(close(updated(0.09, 75, 15), 0.09 + 0.04125));
        assert!(close(updated(0.1, 251, 15), 0.14));
        assert!(close(updated(0.999, 251, 15), 1.0));
    }

    #[test]
    fn an_empty_queue_lets_the_probability_decay() {
        let mut pie = pie(0.5, 0, 0);
        pie.state.update(&pie.config, &pie.gains, Bytes::ZERO);
        // 0.125 x 15 ms off, and a 64th of the rest.
        assert!(close(pie.state.probability, (0.5 - 0.001_875) * 63.0 / 64.0));
        assert!(close(updated(0.5, 0, 0), 0.5 - 0.001_875), "something waits");
    }

    #[test]
    fn nothing_is_dropped_early_in_a_burst_below_half_the_target_or_before_a_short_queue() {
        let drops = |pie: &mut Pie, waiting| {
            (0..1_000).filter(|_| pie.judge(&finds(waiting)) != Verdict::Take).count()
        };
        let mut bursts = pie(0.19, 20, 20);
        bursts.state.burst = Duration::from_nanos(1);
        assert_eq!(drops(&mut bursts, 50), 0);
        assert_eq!(drops(&mut pie(0.19, 7, 7), 50), 0);
        assert_eq!(drops(&mut pie(0.19, 20, 20), 1), 0);
        // From 20 % on a short delay is no excuse.
        assert!(drops(&mut pie(0.2, 7, 7), 50) > 100);
        assert!(drops(&mut pie(0.19, 20, 20), 2) > 100);
    }

    #[test]
    fn drops_come_neither_in_clumps_nor_too_late() {
        // At 10 % the sum reaches 0.85 with the ninth packet, and 8.5 with the 85th or 86th.
        let (mut pie, mut gap, mut gaps) = (pie(0.1, 20, 20), 0, Vec::new());
        for _ in 0..200_000 {
            gap += 1;
            if pie.judge(&finds(50)) != Verdict::Take {
                gaps.push(gap);
                gap = 0;
            }
        }
        let (least, most) = (gaps.iter().min().copied(), gaps.iter().max().copied());
        assert_eq!(least, Some(9));
        assert!(most.is_some_and(|most| (60..=86).contains(&most)), "{most:?}");
    }

    #[test]
    fn packets_with_ecn_are_marked_up_to_ten_percent_and_dropped_beyond() {
        let verdict = |probability| {
            let mut pie = pie(probability, 20, 20);
            pie.config.ecn = true;
            let ect = Arrival { ect: true, ..finds(50) };
            (0..1_000).map(|_| pie.judge(&ect)).find(|&verdict| verdict != Verdict::Take)
        };
        assert_eq!(verdict(0.1), Some(Verdict::Mark));
        assert_eq!(verdict(0.11), Some(Verdict::Drop(DropCause::Aqm)));
    }

    #[test]
    fn updates_that_are_made_up_for_are_those_that_a_timer_would_have_made() {
        let later = Instant::from_nanos(400_000_000);
        let mut timely = pie(0.02, 20, 15);
        for ns in (15_000_000..=400_000_000).step_by(5_000_000) {
            timely.catch_up(Instant::from_nanos(ns), Bytes::new(15_000));
        }
        let mut late = pie(0.02, 20, 15);
        late.catch_up(later, Bytes::new(15_000));
        assert_eq!((late.state, late.updates), (timely.state, timely.updates));
        let mut idle = pie(0.0, 0, 0);
        idle.catch_up(later, Bytes::ZERO);
        assert_eq!(idle.updates, late.updates, "whether or not updates change anything");
        // 15 ms x 27.
        assert_eq!(late.updates.due(Instant::FAR_FUTURE), Some(Instant::from_nanos(405_000_000)));
    }

    #[test]
    fn a_burst_is_allowed_anew_once_nothing_is_dropped_and_two_delays_are_below_half_the_target() {
        // RFC 8033 section 4.4; half of the target is 7.5 ms.
        let allowance = |probability, delay_us, before_us| {
            let mut pie = pie(probability, 0, 0);
            pie.state.delay = Duration::from_micros(delay_us);
            pie.state.delay_before = Duration::from_micros(before_us);
            pie.state.update(&pie.config, &pie.gains, Bytes::new(15_000));
            pie.state.burst
        };
        assert_eq!(allowance(0.0, 7_499, 7_499), Duration::from_millis(150));
        for (probability, delay, before) in
            [(0.0, 7_500, 7_000), (0.0, 7_000, 7_500), (0.5, 7_000, 7_000)]
        {
            assert!(
                allowance(probability, delay, before).is_zero(),
                "{probability} {delay} {before}"
            );
        }
    }

    #[test]
    fn a_departure_changes_the_delay_of_later_updates_alone() {
        let (mut pie, mut line) = (pie(0.5, 20, 20), PacketFifo::new());
        for _ in 0..2 {
            line.push(TestPacket { flow: 0, ecn: Ecn::NotEct }.queued(Instant::ZERO));
        }
        // The update at 15 ms knows of the delay of 20 ms, and not of the 29 ms of this packet.
        pie.take(Instant::from_nanos(29_000_000), &mut line);
        assert!(close(pie.probability(), updated(0.5, 20, 20)), "{}", pie.probability());
        assert_eq!(pie.state.delay, Duration::from_millis(29));
    }
}
