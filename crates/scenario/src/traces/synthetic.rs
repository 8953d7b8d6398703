//! Made-up capacity: satellites in low orbit, cellular networks, Wi-Fi.
//!
//! * `leo`. Measured: links are assigned anew every 15 s, at once for all, and latency and throughput change
//!   with it ("A Multifaceted Look at Starlink Performance", WWW 2024); a round trip takes 30 to 50 ms longer
//!   then, and rates are 10 to 370 Mbit/s (G. Huston, "A transport protocol's view of Starlink",
//!   APNIC, 2024); between, rates stay or switch mainly to neighbouring ones ("Modeling and
//!   predicting Starlink throughput with fine-grained burst characterization", Computer Communications 234,
//!   2025).
//!   Derived: ten rates in equal steps up to 370 Mbit/s, and 50 ms without capacity at each assignment,
//!   which lengthen a round trip by as much. Assumed: an assignment takes any of the ten with the same
//!   chance; within it a step up or down with a chance of 1/4 each a second.
//! * `lte`. The model of [`Cellular`], after Sprout (NSDI 2013), whose highest rate is the usual one.
//!   Assumed: its constants hold in proportion to the highest rate.
//! * `wifi`. Standard: the ratios of the rates of 802.11n, 20 MHz, one stream, long guard interval: 6.5 to
//!   65 Mbit/s (MCS 0 to 7). Measured: at 2.4 GHz most access points find their channel in use for a fifth
//!   of the time or more, and one in ten for more than half of it (S. Biswas et al., "Large-scale
//!   Measurements of Wireless Network Behavior", SIGCOMM 2015). Derived: other stations take a fifth of the
//!   air. Assumed: they halve the capacity for exponential times of mean 400 ms, and leave it alone for such
//!   of mean 600 ms; a step up or down with a chance of 1/10 each per 100 ms.
//!
//! An assumption is ours, not a measurement: say so where a result depends on it, and vary it. Delay and
//! losses are not part of a trace. The same seed gives the same trace on every machine.

use westwood_cc::{Duration, Rate};
use westwood_net::Random;

use super::{MOST_LINES, RateSpan, UnfitLength, opportunity_lines};
use crate::error::BadInput;
use crate::library::Cellular;

/// A kind of made-up capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntheticTrace {
    /// A satellite link in low orbit.
    Leo,
    /// A cellular link.
    Lte,
    /// A wireless local network.
    Wifi,
}

impl SyntheticTrace {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Leo, Self::Lte, Self::Wifi];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leo => "leo",
            Self::Lte => "lte",
            Self::Wifi => "wifi",
        }
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| BadInput::unknown("kind of trace", text, Self::ALL.map(Self::name)))
    }

    /// The highest rate if none is given: Starlink's highest measured, Sprout's, and that of 802.11n.
    pub fn usual_most(self) -> Rate {
        Rate::from_bits_per_s(match self {
            Self::Leo => 370_000_000,
            Self::Lte => 12_000_000,
            Self::Wifi => 65_000_000,
        })
    }

    /// A trace of this length, whose rate never exceeds `most`.
    ///
    /// # Errors
    /// If it would have no opportunity, or too many.
    ///
    /// ```
    /// use westwood_cc::Duration;
    /// use westwood_scenario::traces::SyntheticTrace;
    /// let most = SyntheticTrace::Wifi.usual_most();
    /// let minute = |seed| SyntheticTrace::Wifi.trace(seed, Duration::from_secs(60), most);
    /// assert_eq!(minute(1), minute(1));
    /// assert_ne!(minute(1), minute(2));
    /// ```
    pub fn trace(self, seed: u64, length: Duration, most: Rate) -> Result<String, BadInput> {
        let random = Random::new(seed, self.name());
        let made = match self {
            Self::Leo => opportunity_lines(leo(random, length, most)),
            Self::Wifi => opportunity_lines(wifi(random, length, most)),
            Self::Lte => lte(seed, length, most),
        };
        made.map_err(|unfit| match unfit {
            UnfitLength::TooLong => unfit.error("lower --time or --most"),
            UnfitLength::Empty => unfit.error("raise --time or --most"),
        })
    }
}

/// Opportunities of 1500 bytes a second at a rate.
#[expect(clippy::cast_precision_loss, reason = "a rate has fewer than 53 bits")]
fn packets_a_second(rate: Rate) -> f64 {
    rate.bits_per_s() as f64 / 12_000.0
}

fn lte(seed: u64, length: Duration, most: Rate) -> Result<String, UnfitLength> {
    let most_pps = packets_a_second(most);
    let length_ms = length.as_nanos() / 1_000_000;
    let usual = Cellular::DOWN;
    let wander_pps = usual.wander_pps * (most_pps / usual.most_pps);
    let cellular = Cellular { most_pps, wander_pps, length_ms, ..usual };
    let text = cellular.trace_within(seed, "lte", MOST_LINES).ok_or(UnfitLength::TooLong)?;
    if text.lines().all(|line| line == "0") {
        return Err(UnfitLength::Empty);
    }
    Ok(text)
}

/// So many steps of a ladder of `of`, as a rate.
fn steps(most: Rate, steps: u64, of: u64) -> Rate {
    Rate::from_raw(most.raw() / of * steps)
}

/// One step up or down with a chance each, within `low` and `high`.
fn wandered(step: u64, low: u64, high: u64, chance: f64, random: &mut Random) -> u64 {
    let draw = random.uniform();
    if draw < chance {
        step.saturating_sub(1).max(low)
    } else if draw < 2.0 * chance {
        (step + 1).min(high)
    } else {
        step
    }
}

/// Cuts spans off at a length.
fn within(spans: Vec<RateSpan>, length: Duration) -> Vec<RateSpan> {
    let mut left = length;
    let cut = spans.into_iter().map(|span| {
        let lasts = span.lasts.min(left);
        left = left - lasts;
        RateSpan { lasts, ..span }
    });
    cut.collect()
}

fn leo(mut random: Random, length: Duration, most: Rate) -> Vec<RateSpan> {
    const ASSIGNMENT_S: u64 = 15;
    const SILENCE: Duration = Duration::from_millis(50);
    let second = Duration::from_secs(1);
    let mut spans = Vec::new();
    let mut step = 0;
    for s in 0..length.as_nanos().div_ceil(second.as_nanos()) {
        if s % ASSIGNMENT_S == 0 {
            step = 1 + random.below(10);
            spans.push(RateSpan { lasts: SILENCE, rate: Rate::ZERO });
            spans.push(RateSpan { lasts: second - SILENCE, rate: steps(most, step, 10) });
        } else {
            step = wandered(step, 1, 10, 0.25, &mut random);
            spans.push(RateSpan { lasts: second, rate: steps(most, step, 10) });
        }
    }
    within(spans, length)
}

fn wifi(mut random: Random, length: Duration, most: Rate) -> Vec<RateSpan> {
    /// MCS 0 to 7, in units of the lowest.
    const LADDER: [u64; 8] = [1, 2, 3, 4, 6, 8, 9, 10];
    const TICK: Duration = Duration::from_millis(100);
    const BUSY: Duration = Duration::from_millis(400);
    const QUIET: Duration = Duration::from_millis(600);
    let (mut spans, mut done) = (Vec::new(), Duration::ZERO);
    let (mut step, mut next_tick) = (LADDER.len() as u64 / 2, TICK);
    let (mut busy, mut next_turn) = (false, random.exponential_span(QUIET));
    while done < length {
        let index = usize::try_from(step).map_or(0, |step| step.min(LADDER.len() - 1));
        let shares = if busy { 20 } else { 10 };
        let until = next_tick.min(next_turn).min(length);
        spans.push(RateSpan { lasts: until - done, rate: steps(most, LADDER[index], shares) });
        done = until;
        if done == next_tick {
            next_tick += TICK;
            step = wandered(step, 0, LADDER.len() as u64 - 1, 0.1, &mut random);
        }
        if done == next_turn {
            busy = !busy;
            next_turn += random.exponential_span(if busy { BUSY } else { QUIET });
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(of: fn(Random, Duration, Rate) -> Vec<RateSpan>, s: u64) -> Vec<RateSpan> {
        of(Random::new(1, "test"), Duration::from_secs(s), Rate::from_bits_per_s(100_000_000))
    }

    fn total(spans: &[RateSpan]) -> Duration {
        spans.iter().fold(Duration::ZERO, |sum, span| sum + span.lasts)
    }

    #[test]
    fn a_satellite_link_is_silent_every_fifteen_seconds_and_moves_by_a_step_between() {
        let spans = spans(leo, 600);
        assert_eq!(total(&spans), Duration::from_secs(600));
        let mut at = Duration::ZERO;
        for pair in spans.windows(2) {
            let silent = pair[0].rate == Rate::ZERO;
            assert_eq!(silent, at.as_nanos().is_multiple_of(15_000_000_000), "{at}");
            let mbit = |span: &RateSpan| span.rate.bits_per_s().div_ceil(1_000_000);
            let next_silent = pair[1].rate == Rate::ZERO;
            assert!(silent || next_silent || mbit(&pair[0]).abs_diff(mbit(&pair[1])) <= 10);
            at += pair[0].lasts;
        }
    }

    #[test]
    fn wifi_has_the_rates_of_its_ladder_and_four_fifths_of_them_on_average() {
        let spans = spans(wifi, 3_600);
        assert_eq!(total(&spans), Duration::from_secs(3_600));
        // Twentieths of the highest rate: whole steps alone, half of them beside other stations.
        let twentieths = |span: &RateSpan| span.rate.bits_per_s().div_ceil(5_000_000);
        let known = [1, 2, 3, 4, 6, 8, 9, 10, 12, 16, 18, 20];
        assert!(spans.iter().all(|span| known.contains(&twentieths(span))));
        // The walk visits the eight rates alike, 53.75 Mbit/s on average; two fifths of the time
        // have half. It forgets a rate in some seconds, so that the mean of an hour is known to 1.4 Mbit/s.
        let carried = spans
            .iter()
            .map(|span| span.rate.bits_per_s() / 1_000 * (span.lasts.as_nanos() / 1_000));
        let mean = carried.sum::<u64>() / 3_600 / 1_000_000_000;
        assert!((38..=48).contains(&mean), "{mean}");
    }

    #[test]
    fn every_kind_makes_a_trace_that_a_link_reads_and_that_stays_below_its_highest_rate() {
        for kind in SyntheticTrace::ALL {
            let (length, most) = (Duration::from_secs(45), kind.usual_most());
            let text = kind.trace(1, length, most).unwrap();
            let trace = westwood_net::Trace::parse(&text).unwrap();
            assert!(trace.period() <= length && trace.mean_rate() < most, "{}", kind.name());
            assert!(trace.period() > length / 2, "{}", kind.name());
        }
        assert!(SyntheticTrace::parse("lteish").unwrap_err().to_string().contains("lte"));
    }
}
