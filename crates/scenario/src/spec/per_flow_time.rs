//! A time for each flow of a group: `250 ms`, `20 ms to 250 ms`, `uniform(0 s, 10 s)`.

use westwood_cc::Duration;
use westwood_net::Random;

use super::call::Call;
use crate::error::BadInput;
use crate::limits;
use crate::units::{duration, duration_text};

/// A time for each of several flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PerFlowTime {
    /// The same for all.
    Same(Duration),
    /// Evenly spaced, both ends included; a single flow has the last.
    Even(Duration, Duration),
    /// Evenly spaced from one step above the first to the second: `first + span * i / n`.
    Above(Duration, Duration),
    /// Each drawn on its own.
    Uniform(Duration, Duration),
    /// One after the other.
    Each(Vec<Duration>),
}

impl PerFlowTime {
    /// Reads a time or a spread of times.
    ///
    /// ```
    /// use westwood_cc::Duration;
    /// use westwood_scenario::spec::PerFlowTime;
    /// let rtts = PerFlowTime::parse("above 20 ms to 250 ms").unwrap();
    /// assert_eq!(rtts.of(0, 10, 1, ""), Duration::from_millis(43));
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let text = text.trim();
        let ordered = |low: &str, high: &str| match (duration(low)?, duration(high)?) {
            (low, high) if low <= high => Ok((low, high)),
            (low, high) => {
                let what = BadInput::new(format!("{low} is more than {high}"));
                Err(what.hint("write the smaller one first"))
            }
        };
        if text.starts_with("uniform") {
            let mut call = Call::parse(text)?;
            let values = call.positional();
            let [low, high] = values.as_slice() else {
                let what = BadInput::new("takes two values").hint("write uniform(0 s, 10 s)");
                return Err(what.at("uniform"));
            };
            let (low, high) = ordered(low, high)?;
            call.finish()?;
            return Ok(Self::Uniform(low, high));
        }
        let (above, rest) = match text.strip_prefix("above ") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        match (above, rest.split_once(" to ")) {
            (false, None) => Ok(Self::Same(duration(rest)?)),
            (true, None) => {
                Err(BadInput::new("'above' needs an end").hint("write above 20 ms to 250 ms"))
            }
            (false, Some((low, high))) => ordered(low, high).map(|(l, h)| Self::Even(l, h)),
            (true, Some((low, high))) => ordered(low, high).map(|(l, h)| Self::Above(l, h)),
        }
    }

    /// Reads the same of times from `low` to `high`.
    pub fn within(text: &str, low: Duration, high: Duration) -> Result<Self, BadInput> {
        let ends = || (duration_text(low), duration_text(high));
        // The number without a unit may be one end of several times.
        let accepts = |text: &str| duration(text).is_ok_and(|time| (low..=high).contains(&time));
        let refused = |e: BadInput| e.accepted_by(accepts).within(ends().0, ends().1);
        let times = Self::parse(text).map_err(refused)?;
        limits::check_duration(times.least(), text, low, high)?;
        limits::check_duration(times.most(), text, low, high)?;
        Ok(times)
    }

    /// The time of flow `i` of `n`, from 0. The draw depends on the seed and the flow's name.
    pub fn of(&self, i: u64, n: u64, seed: u64, name: &str) -> Duration {
        let step = |low: Duration, high: Duration, part: u64, of: u64| {
            let span = u128::from((high - low).as_nanos());
            let share = span * u128::from(part) / u128::from(of.max(1));
            low + Duration::from_nanos(u64::try_from(share).unwrap_or(u64::MAX))
        };
        match self {
            Self::Same(time) => *time,
            Self::Even(_, high) if n <= 1 => *high,
            Self::Even(low, high) => step(*low, *high, i, n - 1),
            Self::Above(low, high) => step(*low, *high, i + 1, n),
            Self::Uniform(low, high) => {
                let span = (*high - *low).as_nanos();
                let drawn = match span {
                    0 => 0,
                    span => Random::new(seed, name).below(span),
                };
                *low + Duration::from_nanos(drawn)
            }
            Self::Each(times) => {
                let at = usize::try_from(i).unwrap_or(usize::MAX);
                times.get(at).or(times.last()).copied().unwrap_or(Duration::ZERO)
            }
        }
    }

    /// The smallest time that may come of it.
    pub fn least(&self) -> Duration {
        match self {
            Self::Same(time) => *time,
            Self::Even(low, _) | Self::Above(low, _) | Self::Uniform(low, _) => *low,
            Self::Each(times) => times.iter().min().copied().unwrap_or(Duration::ZERO),
        }
    }

    /// The largest time that may come of it.
    pub fn most(&self) -> Duration {
        match self {
            Self::Same(time) => *time,
            Self::Even(_, high) | Self::Above(_, high) | Self::Uniform(_, high) => *high,
            Self::Each(times) => times.iter().max().copied().unwrap_or(Duration::ZERO),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn all(text: &str, n: u64) -> Vec<Duration> {
        let times = PerFlowTime::parse(text).unwrap();
        (0..n).map(|i| times.of(i, n, 1, &format!("flow {i}"))).collect()
    }

    #[test]
    fn even_times_include_both_ends_or_only_the_last() {
        assert_eq!(all("50 ms to 200 ms", 3), [ms(50), ms(125), ms(200)]);
        assert_eq!(all("50ms to 200ms", 1), [ms(200)]);
        // ccr-2004 section 3.2: 20 + 230 i / M.
        assert_eq!(all("above 20 ms to 250 ms", 2), [ms(135), ms(250)]);
    }

    #[test]
    fn drawn_times_stay_within_their_bounds_and_depend_on_the_seed() {
        let times = PerFlowTime::parse("uniform(10 ms, 20 ms)").unwrap();
        let drawn: Vec<Duration> = (0..50).map(|seed| times.of(0, 1, seed, "a")).collect();
        assert!(drawn.iter().all(|t| (ms(10)..ms(20)).contains(t)));
        assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn wrong_times_are_refused() {
        for text in ["", "above 20 ms", "250 ms to 20 ms", "20 to 250 ms", "uniform(1s)"] {
            assert!(PerFlowTime::parse(text).is_err(), "{text}");
        }
    }
}
