//! The arguments of the models: what they mean, the values that they take, and examples.

use westwood_models::units::OutOfRange;

/// The kinds of quantity, by which a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A rate, in bit/s.
    Rate,
    /// A time, in seconds.
    Time,
    /// A size, in bytes.
    Size,
    /// A share from 0 to 1.
    Share,
    /// A number.
    Number,
}

/// An argument of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelArgument {
    /// Its name in expressions.
    pub name: &'static str,
    /// Its kind.
    pub kind: ArgumentKind,
    /// A value that every model of the argument takes, as a user writes it.
    pub example: &'static str,
    /// The values that it takes, in words.
    range: &'static str,
    holds: fn(f64) -> bool,
}

impl ModelArgument {
    /// Refuses a value outside of the argument's range.
    pub(super) fn check(&self, value: f64) -> Result<(), OutOfRange> {
        if (self.holds)(value) { Ok(()) } else { Err(self.refused(value, self.range)) }
    }

    /// The error for a value that must be of this range beside the other arguments.
    pub(super) const fn refused(&self, value: f64, range: &'static str) -> OutOfRange {
        OutOfRange { quantity: self.name, value, range }
    }
}

/// The largest window, whose square and the square's time are numbers still.
const MOST_SEGMENTS: f64 = 1e100;

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn is_time(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

fn is_window(x: f64) -> bool {
    (0.0..=MOST_SEGMENTS).contains(&x)
}

macro_rules! arguments {
    ($($const:ident = $name:literal $kind:ident, $example:literal, $range:literal, $holds:expr;)*) => {$(
        pub(super) const $const: ModelArgument = ModelArgument {
            name: $name,
            kind: ArgumentKind::$kind,
            example: $example,
            range: $range,
            holds: $holds,
        };
    )*};
}

arguments! {
    RATE = "rate" Rate, "10Gbit/s", "above 0 bit/s, and finite", is_positive;
    SIZE = "size" Size, "1500B", "above 0 bytes, and finite", is_positive;
    RTT = "rtt" Time, "100ms", "above 0 s, and finite", is_positive;
    RTO = "rto" Time, "1s", "0 s or more, and finite", is_time;
    QUEUEING = "queueing" Time, "20ms", "above 0 s and below rtt", is_positive;
    TQ = "tq" Time, "20ms", "above 0 s and below rtt", is_positive;
    STEP = "step" Time, "50ms", "0 s or more, and finite", is_time;
    TAU = "tau" Time, "500ms", "above 0 s, and finite", is_positive;
    LOSS = "p" Share, "0.01%", "above 0% and below 100%", |x| x > 0.0 && x < 1.0;
    KEPT = "kept" Share, "50%", "0.1% to 99.9%", |x| (0.001..=0.999).contains(&x);
    // 1.5 / w^2 is a loss rate.
    WINDOW = "window" Number, "83333", "above 1.2247 segments, the window that loses all, to 1e100",
        |x| x * x > 1.5 && is_window(x);
    FROM = "from" Number, "100", "0 to 1e100 segments", is_window;
    // A factor leads nowhere from nothing.
    FROM_SOME = "from" Number, "100", "above 0 segments, to 1e100", |x| x > 0.0 && is_window(x);
    TO = "to" Number, "1000", "0 to 1e100 segments", is_window;
    TARGET = "target" Number, "1800", "above 0 segments, to 1e100", |x| x > 0.0 && is_window(x);
    REDUCED = "reduced" Number, "1500", "0 to 1e100 segments", is_window;
    AGGRESSIVENESS = "a" Number, "2", "above 0, and finite", is_positive;
    FACTOR = "factor" Number, "1.04", "above 1, and finite", |x| x > 1.0 && x.is_finite();
    BUFFER = "buffer" Number, "0.5", "0 bandwidth-delay products or more, and finite", is_time;
    NULL_SAMPLES = "m" Number, "2", "a whole number from 1 to 4294967295",
        |x| (1.0..=4_294_967_295.0).contains(&x) && x.fract() == 0.0;
}
