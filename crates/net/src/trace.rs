//! Recorded capacity: the opportunities that a real link had to send.
//!
//! The format is Mahimahi's (R. Netravali and others, "Mahimahi: Accurate Record-and-Replay for
//! HTTP", USENIX ATC 2015, section 4): a line is a time in whole milliseconds from the trace's start
//! and stands for one opportunity to send 1500 bytes. A repeated line is another opportunity in the
//! same millisecond. At the end the trace starts again, its last time being the new zero.

use std::fmt;

use westwood_cc::{Bytes, Duration, Instant, Rate};

/// The capacity of one opportunity.
pub const OPPORTUNITY: Bytes = Bytes::new(1500);

const NS_PER_MS: u64 = 1_000_000;

/// A parsed capacity trace: at least one opportunity, and a period that is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Milliseconds, in order.
    times: Vec<u64>,
    period: u64,
}

/// Why a text is not a capacity trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// There is no line.
    Empty,
    /// A line is not a whole number of milliseconds, or one beyond a century.
    NotATime {
        /// The line, from 1.
        line: usize,
    },
    /// A line is earlier than the one before it.
    Backwards {
        /// The line, from 1.
        line: usize,
    },
    /// Every line is zero, so that the trace lasts no time.
    NoDuration,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the trace has no line"),
            Self::NotATime { line } => {
                write!(f, "line {line} is not a whole number of milliseconds")
            }
            Self::Backwards { line } => write!(f, "line {line} is earlier than the line before it"),
            Self::NoDuration => f.write_str("the trace lasts no time: its last line is 0"),
        }
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads a trace from its text.
    ///
    /// ```
    /// use westwood_net::{Trace, TraceError};
    /// assert!(Trace::parse("0\n5\n5\n12\n").is_ok());
    /// assert_eq!(Trace::parse("0\nfive\n"), Err(TraceError::NotATime { line: 2 }));
    /// ```
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        const CENTURY_MS: u64 = 100 * 366 * 86_400_000;
        let mut times: Vec<u64> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let digits = text.trim_end();
            let time = digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| digits.parse().ok())
                .flatten()
                .filter(|&t| t <= CENTURY_MS)
                .ok_or(TraceError::NotATime { line })?;
            if times.last().is_some_and(|&last| time < last) {
                return Err(TraceError::Backwards { line });
            }
            times.push(time);
        }
        match times.last() {
            None => Err(TraceError::Empty),
            Some(0) => Err(TraceError::NoDuration),
            Some(&period) => Ok(Self { times, period }),
        }
    }

    /// Opportunities in one round of the trace.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// False: a trace has at least one opportunity.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The length of one round.
    pub fn period(&self) -> Duration {
        Duration::from_millis(self.period)
    }

    /// The mean rate of the trace, rounded down to 2^-16 byte/s.
    pub fn mean_rate(&self) -> Rate {
        // `Bytes::per` loses low bits of what lasts more than 17 s.
        let bytes = self.times.len() as u128 * u128::from(OPPORTUNITY.get());
        let raw = (bytes << 16).saturating_mul(1_000) / u128::from(self.period);
        Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX))
    }

    /// How many opportunities there are up to `now`, those at `now` included.
    pub fn until(&self, now: Instant) -> u64 {
        // A time equal to the period is both this round's last and the next one's zero.
        let ms = now.as_nanos() / NS_PER_MS;
        let round = ms / self.period;
        let within = self.times.partition_point(|&t| t <= ms % self.period);
        round.saturating_mul(self.times.len() as u64).saturating_add(within as u64)
    }

    /// The time of the `n`-th opportunity, from 0.
    pub fn time(&self, n: u64) -> Instant {
        let len = self.times.len() as u64;
        let within = usize::try_from(n % len).map_or(0, |i| self.times[i]);
        let ms = (n / len).saturating_mul(self.period).saturating_add(within);
        Instant::from_nanos(ms.saturating_mul(NS_PER_MS))
    }
}
