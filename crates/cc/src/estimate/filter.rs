//! Low-pass filters for bandwidth samples.
//!
//! Each filter moves its output by a magnitude that is rounded down, so it rounds towards the old
//! value and never overshoots a constant input.

use crate::math::{mul_q32, scale};
use crate::units::{Duration, Rate, Ratio};

/// Smooths bandwidth samples that were taken over known spans.
pub trait Filter {
    /// Takes in a sample averaged over the `span` since the sample before.
    fn update(&mut self, sample: Rate, span: Duration);

    /// Sets the output as if `sample` had been fed for ever.
    fn reset_to(&mut self, sample: Rate);

    /// The output.
    fn rate(&self) -> Rate;
}

/// A first-order low-pass `1 / (1 + s tau)`, discretised by Tustin's rule with a varying step
/// (westwood-2002 section 2.2; westwood-plus-2004 equation 3):
///
/// ```text
/// B_k = (2 tau - D)/(2 tau + D) B_(k-1) + D/(2 tau + D) (b_k + b_(k-1))
///     = B_(k-1) + (b_k + b_(k-1) - 2 B_(k-1)) D/(2 tau + D)
/// ```
///
/// The integer form is the second line, its product rounded down. Over 20,000 samples its relative
/// error stays below 2e-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tustin {
    tau: Duration,
    output: Rate,
    last_sample: Rate,
}

impl Tustin {
    /// The shortest time constant.
    pub const MIN_TAU: Duration = Duration::from_millis(1);
    /// The longest time constant: `tau/2 (2 tau + tau/2)` ns^2 still fits a word.
    pub const MAX_TAU: Duration = Duration::from_millis(3_800);

    /// A filter at rest with time constant `tau`, brought into [`MIN_TAU`](Self::MIN_TAU) to
    /// [`MAX_TAU`](Self::MAX_TAU).
    pub fn new(tau: Duration) -> Self {
        Self {
            tau: tau.clamp(Self::MIN_TAU, Self::MAX_TAU),
            output: Rate::ZERO,
            last_sample: Rate::ZERO,
        }
    }

    /// The time constant.
    pub fn tau(&self) -> Duration {
        self.tau
    }
}

impl Filter for Tustin {
    /// A step beyond `2 tau`, where the weight of the old output would turn negative, counts as
    /// `2 tau`.
    fn update(&mut self, sample: Rate, step: Duration) {
        let sample = sample.min(Rate::MAX_SAMPLE);
        let step = step.min(self.tau * 2).as_nanos();
        let (num, den) = (step, self.tau.as_nanos() * 2 + step);
        // Up to tau/2 num * den fits a word as it is; beyond it, without decay, two bits less do.
        let shift = if step > self.tau.as_nanos() / 2 { 2 } else { 0 };
        let weighted = |distance| Rate::from_raw(scale(distance, num >> shift, den >> shift));
        // At most 2^62 each, so that no sum overflows.
        let inputs = sample.raw() + self.last_sample.raw();
        let twice = self.output.raw() * 2;
        self.output = if inputs >= twice {
            self.output + weighted(inputs - twice)
        } else {
            self.output - weighted(twice - inputs)
        };
        self.last_sample = sample;
    }

    fn reset_to(&mut self, sample: Rate) {
        self.output = sample.min(Rate::MAX_SAMPLE);
        self.last_sample = self.output;
    }

    fn rate(&self) -> Rate {
        self.output
    }
}

/// Filter A of Westwood+: Tustin's rule, long intervals resampled (westwood-plus-2004
/// section 2.3).
///
/// An interval above `tau/4` is fed as `N = floor(4 D / tau)` samples `tau/4` apart and one for the
/// rest, `D - N tau/4`, all of the interval's value. The paper prints the rest as `D - 4 N tau`,
/// which would be negative. Beyond 256 steps nothing of the old output is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampled(Tustin);

impl Resampled {
    const MAX_STEPS: u64 = 256;

    /// A filter at rest with time constant `tau`; see [`Tustin::new`].
    pub fn new(tau: Duration) -> Self {
        Self(Tustin::new(tau))
    }
}

impl Filter for Resampled {
    fn update(&mut self, sample: Rate, span: Duration) {
        let step = self.0.tau / 4;
        let whole = span.as_nanos() / step.as_nanos();
        if whole > Self::MAX_STEPS {
            return self.0.reset_to(sample);
        }
        for _ in 0..whole {
            self.0.update(sample, step);
        }
        let rest = span - step * whole;
        if !rest.is_zero() {
            self.0.update(sample, rest);
        }
    }

    fn reset_to(&mut self, sample: Rate) {
        self.0.reset_to(sample);
    }

    fn rate(&self) -> Rate {
        self.0.rate()
    }
}

/// Filter B of Westwood+: a constant coefficient, whatever the interval (ccr-2004 equation 1):
/// `B_k = 0.9 B_(k-1) + 0.1 b_k`.
///
/// The memory is counted in samples: from zero, 22 of them reach 90 % of a constant input. The
/// integer form is `B_k = B_(k-1) +/- |b_k - B_(k-1)| gain`, with 6554/65536 for 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    gain: u64,
    output: Rate,
}

impl Constant {
    /// The papers' weight of a new sample, 0.1, as it is in integers.
    pub const GAIN: Ratio = Ratio::new(6_554, 65_536);

    /// A filter at rest that gives a new sample the weight `gain`, at most 1.
    pub fn new(gain: Ratio) -> Self {
        Self { gain: gain.q32().min(1 << 32), output: Rate::ZERO }
    }
}

impl Filter for Constant {
    fn update(&mut self, sample: Rate, _: Duration) {
        let distance = sample.raw().abs_diff(self.output.raw());
        let step = Rate::from_raw(mul_q32(distance, self.gain));
        self.output = if sample >= self.output { self.output + step } else { self.output - step };
    }

    fn reset_to(&mut self, sample: Rate) {
        self.output = sample;
    }

    fn rate(&self) -> Rate {
        self.output
    }
}

/// Either filter of Westwood+, chosen by a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EitherFilter {
    /// Filter A.
    A(Resampled),
    /// Filter B.
    B(Constant),
}

impl Filter for EitherFilter {
    fn update(&mut self, sample: Rate, span: Duration) {
        match self {
            Self::A(f) => f.update(sample, span),
            Self::B(f) => f.update(sample, span),
        }
    }

    fn reset_to(&mut self, sample: Rate) {
        match self {
            Self::A(f) => f.reset_to(sample),
            Self::B(f) => f.reset_to(sample),
        }
    }

    fn rate(&self) -> Rate {
        match self {
            Self::A(f) => f.rate(),
            Self::B(f) => f.rate(),
        }
    }
}
