//! Quantities of the models: real numbers with a unit and a range that is checked once.
//!
//! The controllers count in integers (`westwood-cc`); a model is mathematics and uses `f64`.

use core::fmt;

/// A value that a model does not admit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    /// The quantity.
    pub quantity: &'static str,
    /// The value given.
    pub value: f64,
    /// The range allowed.
    pub range: &'static str,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantity, value, range } = self;
        // Neither three hundred digits nor three hundred zeros.
        if *value == 0.0 || (1e-6..1e16).contains(&value.abs()) {
            write!(f, "{quantity} of {value}: must be {range}")
        } else {
            write!(f, "{quantity} of {value:e}: must be {range}")
        }
    }
}

impl core::error::Error for OutOfRange {}

/// A real number with a unit: `new` refuses what lies outside its range, and so not-a-numbers.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $called:literal, $range:literal, |$x:ident| $holds:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("The quantity, which must be ", $range, ".")]
            pub const fn new($x: f64) -> Result<Self, OutOfRange> {
                if $holds {
                    Ok(Self($x))
                } else {
                    Err(OutOfRange { quantity: $called, value: $x, range: $range })
                }
            }

            /// The number, in the unit of its type.
            pub const fn value(self) -> f64 {
                self.0
            }
        }
    };
}

quantity! {
    /// A time in seconds.
    Seconds, "a time", "0 s or more, and finite", |x| x >= 0.0 && x.is_finite()
}
quantity! {
    /// The probability p that a segment is lost, independently of all others.
    LossRate, "a loss rate", "between 0 and 1, both excluded", |x| x > 0.0 && x < 1.0
}
quantity! {
    /// A window in segments.
    Segments, "a window", "0 segments or more, and finite", |x| x >= 0.0 && x.is_finite()
}
quantity! {
    /// The capacity of a link in bits a second.
    BitsPerSecond, "a capacity", "above 0 bit/s, and finite", |x| x > 0.0 && x.is_finite()
}
quantity! {
    /// The size of a segment in bytes, headers included where they count.
    SegmentSize, "a segment's size", "above 0 bytes, and finite", |x| x > 0.0 && x.is_finite()
}
quantity! {
    /// LogWestwood+'s parameter a (printed alpha): a round trip covers 1/a of what remains to W_max.
    /// The protocol never goes below 2.
    Aggressiveness, "LogWestwood+'s a", "above 0, and finite", |x| x > 0.0 && x.is_finite()
}
quantity! {
    /// The share of the window that a loss leaves: Reno's 1/2, BIC's 7/8.
    Kept, "the share of the window that a loss leaves", "0.001 to 0.999",
    |x| x >= 0.001 && x <= 0.999
}
quantity! {
    /// A buffer in bandwidth-delay products of its path.
    Buffer, "a buffer", "0 bandwidth-delay products or more, and finite",
    |x| x >= 0.0 && x.is_finite()
}

impl Segments {
    /// A window that a model gives. Callers say why it is not negative and finite.
    pub(crate) const fn from_model(window: f64) -> Self {
        Self(window)
    }
}

impl BitsPerSecond {
    /// The capacity in segments of a size.
    pub fn in_segments(self, size: SegmentSize) -> SegmentsPerSecond {
        SegmentsPerSecond(self.0 / size.bits())
    }
}

impl SegmentSize {
    /// The size in bits.
    pub fn bits(self) -> f64 {
        8.0 * self.0
    }
}

/// A rate in segments a second, as a model gives it: infinite where the model knows no limit.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct SegmentsPerSecond(f64);

impl SegmentsPerSecond {
    /// A window in each round trip. Callers know that `rtt` is above zero.
    pub(crate) fn of(window: f64, rtt: f64) -> Self {
        Self(window / rtt)
    }

    pub(crate) const fn from_model(rate: f64) -> Self {
        Self(rate)
    }

    /// Segments a second.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The rate in bits a second, for segments of a size.
    pub fn in_bits(self, size: SegmentSize) -> f64 {
        self.0 * size.bits()
    }
}

/// The round-trip times of a flow: their mean and the least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrip {
    mean: f64,
    least: f64,
}

impl RoundTrip {
    /// A mean (the papers' RTT) and a least round-trip time (their RTTmin), which must be above zero
    /// and at most the mean.
    pub const fn new(mean: Seconds, least: Seconds) -> Result<Self, OutOfRange> {
        if least.0 <= 0.0 {
            let range = "above 0 s";
            return Err(OutOfRange { quantity: "a round-trip time", value: least.0, range });
        }
        if least.0 > mean.0 {
            let range = "at most the mean";
            return Err(OutOfRange {
                quantity: "the least round-trip time",
                value: least.0,
                range,
            });
        }
        Ok(Self { mean: mean.0, least: least.0 })
    }

    /// A round-trip time that never changes: nothing queues.
    pub const fn constant(rtt: Seconds) -> Result<Self, OutOfRange> {
        Self::new(rtt, rtt)
    }

    /// The mean, in seconds.
    pub const fn mean(self) -> f64 {
        self.mean
    }

    /// The least, in seconds.
    pub const fn least(self) -> f64 {
        self.least
    }

    /// The mean time in queues, in seconds: the papers' Tq.
    pub const fn queueing(self) -> f64 {
        self.mean - self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_the_range_is_refused_with_its_name() {
        for p in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(LossRate::new(p).is_err(), "{p}");
        }
        let error = LossRate::new(1.0).expect_err("certain loss");
        assert_eq!(error.to_string(), "a loss rate of 1: must be between 0 and 1, both excluded");
        let error = Seconds::new(-1e300).expect_err("a negative time");
        assert!(error.to_string().starts_with("a time of -1e300: "), "{error}");
        assert!(Seconds::new(0.0).is_ok() && Seconds::new(-1e-9).is_err());
    }

    #[test]
    fn a_least_round_trip_time_above_the_mean_is_refused() {
        let seconds = |t| Seconds::new(t).expect("a time");
        assert!(RoundTrip::new(seconds(0.1), seconds(0.2)).is_err());
        assert!(RoundTrip::new(seconds(0.1), seconds(0.0)).is_err());
        let times = RoundTrip::new(seconds(0.5), seconds(0.25)).expect("two times");
        assert!((times.queueing() - 0.25).abs() < 1e-15);
    }
}
