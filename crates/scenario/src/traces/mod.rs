//! Recorded capacity from the formats in which others publish it, and made-up capacity.
//!
//! A link reads opportunities ([`westwood_net::Trace`]): a line for each 1500 bytes, its time in whole
//! milliseconds, as Mahimahi writes them. Rates over time become such lines here: the n-th opportunity
//! is in the millisecond in which the rate has carried n times 1500 bytes, rounded up, so that no
//! opportunity comes before the rate allows it.
//!
//! ```text
//! n-th line = ceil(t),  where the sum of rate x time up to t is n x 1500 bytes
//! ```
//!
//! Sums are exact integers (2^-16 byte/s times nanoseconds). A link begins anew after the last line, so that
//! silence behind the last opportunity is lost.

mod csv;
mod errant;
mod synthetic;

use std::fmt::Write as _;

use westwood_cc::{Duration, Rate};
use westwood_net::{Trace, TraceError};

use crate::error::BadInput;

pub use csv::CsvForm;
pub use errant::ErrantProfile;
pub use synthetic::SyntheticTrace;

/// A fault in a file of capacity, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFault {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What.
    pub what: BadInput,
}

impl TraceFault {
    fn new(line: usize, column: usize, what: BadInput) -> Self {
        Self { line, column, what }
    }

    /// The fault in a file of this name.
    pub fn within(self, file: &str) -> BadInput {
        self.what.at(format!("{file}:{}:{}", self.line, self.column))
    }
}

/// A rate that holds for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSpan {
    /// How long.
    pub lasts: Duration,
    /// The rate.
    pub rate: Rate,
}

/// An opportunity, in units of a rate (2^-16 byte/s) times nanoseconds.
const OPPORTUNITY: u128 = (1_500 * 1_000_000_000) << 16;
const NS_PER_MS: u128 = 1_000_000;
/// Most lines of a trace that is made: what 24 Gbit/s carry in ten seconds, in a file of some 100 MB.
const MOST_LINES: u128 = 20_000_000;

/// The opportunities of a rate over time, a line each.
///
/// ```
/// use westwood_cc::{Duration, Rate};
/// use westwood_scenario::traces::{RateSpan, opportunities};
/// let rate = Rate::from_bits_per_s(12_000_000);
/// let span = RateSpan { lasts: Duration::from_millis(3), rate };
/// assert_eq!(opportunities([span]).unwrap(), "1\n2\n3\n");
/// ```
///
/// # Errors
/// If there is no opportunity, or more than 20 million.
pub fn opportunities(spans: impl IntoIterator<Item = RateSpan>) -> Result<String, BadInput> {
    opportunity_lines(spans).map_err(|unfit| match unfit {
        UnfitLength::TooLong => unfit.error("take less of it"),
        UnfitLength::Empty => unfit.error("check the unit of the rates, or take more of it"),
    })
}

/// The reason why a rate over time makes no trace.
enum UnfitLength {
    /// It has more than [`MOST_LINES`] opportunities.
    TooLong,
    /// It has none.
    Empty,
}

impl UnfitLength {
    fn error(&self, hint: &str) -> BadInput {
        let what = match self {
            Self::TooLong => format!("the trace would have more than {MOST_LINES} opportunities"),
            Self::Empty => "the trace carries no packet of 1500 bytes".to_owned(),
        };
        BadInput::new(what).hint(hint)
    }
}

fn opportunity_lines(spans: impl IntoIterator<Item = RateSpan>) -> Result<String, UnfitLength> {
    let (mut text, mut lines) = (String::new(), 0_u128);
    // When the span begins, and what is carried towards the next opportunity.
    let (mut begin_ns, mut carried) = (0_u128, 0_u128);
    for RateSpan { lasts, rate } in spans {
        let (rate, lasts_ns) = (u128::from(rate.raw()), u128::from(lasts.as_nanos()));
        let sum = carried + rate * lasts_ns;
        lines += sum / OPPORTUNITY;
        if lines > MOST_LINES {
            return Err(UnfitLength::TooLong);
        }
        for n in 1..=sum / OPPORTUNITY {
            let within_ns = (n * OPPORTUNITY - carried).div_ceil(rate);
            let _ = writeln!(text, "{}", (begin_ns + within_ns).div_ceil(NS_PER_MS));
        }
        carried = sum % OPPORTUNITY;
        begin_ns += lasts_ns;
    }
    if text.is_empty() {
        return Err(UnfitLength::Empty);
    }
    Ok(text)
}

/// A trace of Mahimahi, as it is, with one end of line.
///
/// # Errors
/// If a link could not read it.
pub fn mahimahi(text: &str) -> Result<String, TraceFault> {
    if let Err(error) = Trace::parse(text) {
        let line = match error {
            TraceError::NotATime { line } | TraceError::Backwards { line } => line,
            TraceError::Empty | TraceError::NoDuration => text.lines().count().max(1),
        };
        return Err(TraceFault::new(line, 1, BadInput::new(error.to_string())));
    }
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        whole.push_str(line.trim_end());
        whole.push('\n');
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(ms: u64, mbit: u64) -> RateSpan {
        let rate = Rate::from_bits_per_s(mbit * 1_000_000);
        RateSpan { lasts: Duration::from_millis(ms), rate }
    }

    #[test]
    fn what_is_carried_goes_on_into_the_next_rate() {
        // 6 Mbit/s carry half an opportunity in 1 ms; 12 the other half in 0.5 ms, rounded up.
        assert_eq!(opportunities([span(1, 6), span(2, 12)]).unwrap(), "2\n3\n");
        assert_eq!(opportunities([span(1, 12), span(5, 0), span(1, 24)]).unwrap(), "1\n7\n7\n");
    }

    #[test]
    fn too_little_and_too_much_is_refused() {
        assert!(opportunities([span(1, 6)]).is_err());
        assert!(opportunities([]).is_err());
        assert!(opportunities([span(60_000, 100_000)]).is_err());
    }

    #[test]
    fn a_trace_that_no_link_reads_is_refused_with_its_line() {
        assert_eq!(mahimahi("0\r\n5\r\n").unwrap(), "0\n5\n");
        for (text, says) in [
            ("0\nfive\n", "t:2:1: line 2 is not a whole number of milliseconds"),
            ("5\n4\n", "t:2:1: line 2 is earlier than the line before it"),
            ("", "t:1:1: the trace has no line"),
        ] {
            assert_eq!(mahimahi(text).unwrap_err().within("t").to_string(), says);
        }
    }

    proptest! {
        #[test]
        fn a_trace_carries_what_its_rates_do_and_never_before_they_do(
            spans in prop::collection::vec((0_u64..50, 0_u64..200), 1..20),
        ) {
            let spans: Vec<_> = spans.into_iter().map(|(ms, mbit)| span(ms, mbit)).collect();
            // In units of a bit: megabits a second times milliseconds are thousands of bits.
            let bits = |end_ms: u64| {
                let (mut sum, mut begin) = (0, 0);
                for span in &spans {
                    let ms = span.lasts.as_nanos() / 1_000_000;
                    let within = end_ms.saturating_sub(begin).min(ms);
                    sum += within * span.rate.bits_per_s() / 1_000;
                    begin += ms;
                }
                sum
            };
            let text = opportunities(spans.clone()).unwrap_or_default();
            for (n, line) in (1..).zip(text.lines()) {
                let ms: u64 = line.parse().unwrap();
                prop_assert!(bits(ms) >= n * 12_000);
                prop_assert!(ms == 0 || bits(ms - 1) < n * 12_000);
            }
            prop_assert_eq!(text.lines().count() as u64, bits(u64::MAX) / 12_000);
        }
    }
}
