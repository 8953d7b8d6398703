//! The clock that a receiver's timestamps show: `on(tick=1ms,drift=-50,offset=3s)`.

use westwood_cc::Duration;
use westwood_tcp::ReceiverClock;

use super::call::Call;
use crate::error::{BadInput, quoted};
use crate::limits;

/// RFC 7323 section 5.4: a tick of 1 s at most.
const MOST_TICK: Duration = Duration::from_secs(1);
const MOST_OFFSET: Duration = Duration::from_secs(86_400);
/// In ppm: no clock of a computer is worse.
const MOST_DRIFT: i32 = 10_000;

/// Reads `off`, or `on` with the clock's `tick`, `drift` in ppm and `offset`: usually none of them.
///
/// ```
/// use westwood_cc::Duration;
/// use westwood_scenario::spec::receiver_clock;
/// assert_eq!(receiver_clock("off"), Ok(None));
/// let clock = receiver_clock("on(tick=1ms,drift=-50)").unwrap().unwrap();
/// assert_eq!((clock.granularity, clock.drift_ppm), (Duration::from_millis(1), -50));
/// assert!(receiver_clock("on(drift=fast)").is_err());
/// ```
pub fn receiver_clock(text: &str) -> Result<Option<ReceiverClock>, BadInput> {
    let mut call = Call::parse(text)?;
    let on = match call.name.to_ascii_lowercase().as_str() {
        "on" => true,
        "off" => false,
        name => return Err(BadInput::unknown("clock", name, ["on", "off"])),
    };
    if !on {
        return call.finish().map(|()| None);
    }
    let granularity = call.take("tick", |text| at_most(text, MOST_TICK))?.unwrap_or_default();
    let drift_ppm = call.take("drift", drift)?.unwrap_or_default();
    let offset = call.take("offset", |text| at_most(text, MOST_OFFSET))?.unwrap_or_default();
    call.finish()?;
    Ok(Some(ReceiverClock { granularity, drift_ppm, offset }))
}

fn at_most(text: &str, most: Duration) -> Result<Duration, BadInput> {
    limits::duration_within(text, Duration::ZERO, most)
}

/// Reads `-50` or `50 ppm`.
fn drift(text: &str) -> Result<i32, BadInput> {
    let number = text.trim().strip_suffix("ppm").unwrap_or(text).trim();
    let Ok(ppm) = number.parse::<i32>() else {
        return Err(BadInput::new(format!("{} is no drift", quoted(text))).hint("write 50 or -50"));
    };
    if ppm.unsigned_abs() > MOST_DRIFT.unsigned_abs() {
        return Err(BadInput::out_of_range(text, "-10000", "10000"));
    }
    Ok(ppm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_clock_may_be_left_out() {
        assert_eq!(receiver_clock("on"), Ok(Some(ReceiverClock::default())));
        let clock = receiver_clock("on(drift=+200 ppm, offset=3s)").unwrap().unwrap();
        assert_eq!((clock.drift_ppm, clock.offset), (200, Duration::from_secs(3)));
    }

    #[test]
    fn a_text_that_is_no_clock_is_refused_in_words() {
        for (text, says) in [
            ("perfect", "unknown clock 'perfect'"),
            ("on(tick=2s)", "tick"),
            ("on(drift=20000)", "drift"),
            ("on(drift=1 s)", "is no drift"),
            ("off(drift=1)", "drift"),
            ("on(skew=1)", "skew"),
        ] {
            let error = receiver_clock(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
