//! The models that expressions may call, by name: the functions of `westwood-models`, with numbers for
//! quantities.

use std::num::{NonZeroU8, NonZeroU32};

use westwood_models::climb::ClimbPath;
use westwood_models::log_westwood::{GivenEstimate, OwnRate, printed};
use westwood_models::ode::StepTolerance;
use westwood_models::units::{
    Aggressiveness, BitsPerSecond, Buffer, Kept, LossRate, RoundTrip, Seconds, SegmentSize,
    Segments,
};
use westwood_models::{buffer, filter, floyd, moving, reno, westwood};

mod argument;

use argument::{
    AGGRESSIVENESS, BUFFER, FACTOR, FROM, FROM_SOME, KEPT, LOSS, NULL_SAMPLES, QUEUEING, RATE,
    REDUCED, RTO, RTT, SIZE, STEP, TARGET, TAU, TO, TQ, WINDOW,
};
pub use argument::{ArgumentKind, ModelArgument};
pub use westwood_models::OutOfRange;

/// A model's function.
#[derive(Debug)]
pub struct Model {
    /// Its name in expressions.
    pub name: &'static str,
    /// Its arguments, in the order in which `of` takes them.
    pub arguments: &'static [ModelArgument],
    /// Its value, in a line, with the source.
    pub about: &'static str,
    /// The unit of its value; empty for a number.
    pub unit: &'static str,
    of: ModelFunction,
}

impl Model {
    /// Its value for the arguments, in their order.
    ///
    /// # Errors
    /// If one of them is out of its range, or if the value is no number; the error names the argument.
    ///
    /// ```
    /// use westwood_reproduce::formulas::MODELS;
    /// let window = MODELS.iter().find(|model| model.name == "floyd_window").unwrap();
    /// assert_eq!(window.value(&[10e9, 0.1, 1500.0]).unwrap().round(), 83_333.0);
    /// assert_eq!(window.value(&[10e9, 0.0, 1500.0]).unwrap_err().quantity, "rtt");
    /// ```
    pub fn value(&self, arguments: &[f64]) -> Result<f64, OutOfRange> {
        let mut given = self.arguments.iter().zip(arguments);
        given.try_for_each(|(argument, value)| argument.check(*value))?;
        let value = (self.of)(arguments)?;
        let result = OutOfRange { quantity: "the result", value, range: "a finite number" };
        if value.is_finite() { Ok(value) } else { Err(result) }
    }

    /// The names of its arguments.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.arguments.iter().map(|argument| argument.name)
    }
}

/// The value of a model for its arguments, each within its range.
type ModelFunction = fn(&[f64]) -> Result<f64, OutOfRange>;

/// All of them. Rates are in bit/s, throughputs in segments a second, times in seconds, windows in
/// segments, sizes in bytes, buffers in bandwidth-delay products.
pub const MODELS: &[Model] = &[
    // S. Floyd's arithmetic of fast paths.
    model(
        "floyd_window",
        &[RATE, RTT, SIZE],
        ("mean window that fills a path (RFC 3649, section 2)", "segments"),
        |v| {
            Ok(floyd::window(BitsPerSecond::new(v[0])?, constant(v[1])?, SegmentSize::new(v[2])?)?
                .value())
        },
    ),
    model(
        "floyd_loss",
        &[WINDOW],
        ("loss rate at which Reno's mean window is this: 1.5 / w^2 (RFC 3649, section 2)", ""),
        |v| Ok(floyd::loss_rate(Segments::new(v[0])?)?.value()),
    ),
    model(
        "floyd_bit_errors",
        &[LOSS, SIZE],
        ("bit-error rate that loses so many segments (westwood-10g-2005, section 1)", ""),
        |v| Ok(floyd::bit_error_rate(LossRate::new(v[0])?, SegmentSize::new(v[1])?)),
    ),
    model(
        "floyd_packets",
        &[LOSS],
        ("segments from one loss to the next (RFC 3649, section 2)", "segments"),
        |v| Ok(floyd::segments_between_losses(LossRate::new(v[0])?)),
    ),
    model(
        "floyd_time",
        &[LOSS, RATE, SIZE],
        ("time from one loss to the next (RFC 3649, section 2)", "s"),
        |v| {
            let rate = BitsPerSecond::new(v[1])?.in_segments(SegmentSize::new(v[2])?);
            Ok(floyd::time_between_losses(LossRate::new(v[0])?, rate)?.value())
        },
    ),
    // From one window to another without losses.
    model(
        "additive_climb",
        &[RATE, RTT, SIZE, FROM, TO],
        ("time from one window to another at a segment a round trip", "s"),
        |v| {
            let (from, to) = windows(v)?;
            Ok(path(v)?.additive(from, to)?.value())
        },
    ),
    model(
        "multiplicative_climb",
        &[RATE, RTT, SIZE, FROM_SOME, TO, FACTOR],
        ("time from one window to another by a factor a round trip (westwood-10g-2005)", "s"),
        |v| {
            let (from, to) = windows(v)?;
            Ok(path(v)?.multiplicative(from, to, v[5])?.value())
        },
    ),
    model(
        "logarithmic_climb",
        &[RATE, RTT, SIZE, FROM, TO, TARGET, AGGRESSIVENESS],
        ("time from one window to another by LogWestwood+'s increase (log-westwood-2008)", "s"),
        |v| {
            let (from, to) = windows(v)?;
            let (target, a) = (Segments::new(v[5])?, Aggressiveness::new(v[6])?);
            Ok(path(v)?.logarithmic(from, to, target, a)?.value())
        },
    ),
    // Throughput under a loss rate.
    model(
        "reno",
        &[LOSS, RTT],
        ("Reno's rate: sqrt(2 (1-p) / p) / RTT (ccr-2004, equation 2)", "segments/s"),
        |v| Ok(reno::rate(constant(v[1])?, LossRate::new(v[0])?).value()),
    ),
    model(
        "reno_with_timeouts",
        &[LOSS, RTT, RTO],
        (
            "Reno's rate with timeouts, an ACK a segment (RFC 5348, section 3.1, after Padhye)",
            "segments/s",
        ),
        |v| {
            let (p, rtt, rto) = (LossRate::new(v[0])?, constant(v[1])?, Seconds::new(v[2])?);
            Ok(reno::rate_with_timeouts(rtt, rto, NonZeroU8::MIN, p).value())
        },
    ),
    model(
        "westwood_plus",
        &[LOSS, RTT, QUEUEING],
        ("Westwood+'s rate: sqrt((1-p) / (p RTT Tq)) (ccr-2004, equation 3)", "segments/s"),
        |v| Ok(westwood::rate(queueing(v[1], v[2], QUEUEING)?, LossRate::new(v[0])?).value()),
    ),
    model(
        "reno_utilisation",
        &[BUFFER],
        ("share of a link that one Reno flow uses, by its buffer in bandwidth-delay products", ""),
        |v| Ok(buffer::utilisation(Kept::new(0.5)?, Buffer::new(v[0])?)),
    ),
    model(
        "reno_moving",
        &[LOSS, RTT, KEPT],
        (
            "for rare losses: rate of a window that keeps a share at a loss and grows by a segment",
            "segments/s",
        ),
        |v| {
            let (p, times, kept) = (LossRate::new(v[0])?, constant(v[1])?, Kept::new(v[2])?);
            let rate = moving::rate(times, p, kept, NonZeroU8::MIN);
            let too_many = "rarer: that many losses leave less than this model says, see reno";
            Ok(rate.map_err(|_| LOSS.refused(v[0], too_many))?.value())
        },
    ),
    // LogWestwood+, propositions 1 and 2.
    model(
        "log_westwood_rest",
        GIVEN,
        ("window at which LogWestwood+ rests (log-westwood-2008, proposition 1)", "segments"),
        |v| Ok(given(v)?.fixed_point().value()),
    ),
    model(
        "log_westwood_rest_integrated",
        GIVEN,
        ("the same from the integrated equation", "segments"),
        |v| Ok(integrated_rest(&given(v)?)),
    ),
    model(
        "log_westwood_rest_printed",
        GIVEN,
        ("the same as printed, with its misprint", "segments"),
        |v| Ok(printed::fixed_point(&given(v)?).value()),
    ),
    model(
        "log_westwood_decay",
        GIVEN,
        ("rate at which windows approach that rest (proposition 1)", "1/s"),
        |v| Ok(given(v)?.decay().rate),
    ),
    model(
        "log_westwood_decay_integrated",
        GIVEN,
        ("the same from the integrated equation", "1/s"),
        |v| Ok(integrated_decay(&given(v)?)),
    ),
    model(
        "log_westwood",
        &[LOSS, TARGET, AGGRESSIVENESS, RTT, TQ],
        ("LogWestwood+'s rate (log-westwood-2008, equation 15)", "segments/s"),
        |v| Ok(own_rate(v)?.rate().value()),
    ),
    // Westwood's filter.
    model(
        "filter_weight",
        &[STEP, TAU],
        ("weight of the old estimate in Westwood's filter (westwood-2002, section 2.2)", ""),
        |v| filter::old_weight(Seconds::new(v[0])?, Seconds::new(v[1])?),
    ),
    model(
        "filter_decay",
        &[NULL_SAMPLES],
        ("what a null sample leaves of the estimate (westwood-2002, section 2.2)", ""),
        |v| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            let m = NonZeroU32::new(v[0] as u32).unwrap_or(NonZeroU32::MIN);
            Ok(filter::left_by_a_null_sample(m))
        },
    ),
];

/// The arguments of Proposition 1's models.
const GIVEN: &[ModelArgument] = &[LOSS, REDUCED, TARGET, AGGRESSIVENESS, RTT];

const fn model(
    name: &'static str,
    arguments: &'static [ModelArgument],
    (about, unit): (&'static str, &'static str),
    of: ModelFunction,
) -> Model {
    Model { name, arguments, about, unit, of }
}

fn constant(rtt: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::constant(Seconds::new(rtt)?)
}

/// The path of the arguments `rate`, `rtt` and `size`.
fn path(v: &[f64]) -> Result<ClimbPath, OutOfRange> {
    Ok(ClimbPath::new(BitsPerSecond::new(v[0])?, SegmentSize::new(v[2])?, constant(v[1])?))
}

/// The windows of the arguments `from` and `to`.
fn windows(v: &[f64]) -> Result<(Segments, Segments), OutOfRange> {
    if v[4] < v[3] {
        return Err(TO.refused(v[4], "from or more: a climb leads upwards"));
    }
    Ok((Segments::new(v[3])?, Segments::new(v[4])?))
}

/// Round-trip times of this mean and this time in queues, the argument `of`.
fn queueing(rtt: f64, time: f64, of: ModelArgument) -> Result<RoundTrip, OutOfRange> {
    if time >= rtt {
        return Err(of.refused(time, "below rtt, of which it is a part"));
    }
    RoundTrip::new(Seconds::new(rtt)?, Seconds::new(rtt - time)?)
}

fn given(a: &[f64]) -> Result<GivenEstimate, OutOfRange> {
    Ok(GivenEstimate {
        p: LossRate::new(a[0])?,
        reduced: Segments::new(a[1])?,
        target: Segments::new(a[2])?,
        a: Aggressiveness::new(a[3])?,
        times: constant(a[4])?,
    })
}

/// The window at which the integrated equation comes to rest: forty time constants after a window
/// of one segment.
fn integrated_rest(model: &GivenEstimate) -> f64 {
    window_after(model, 1.0, 40.0 / model.decay().rate)
}

/// The rate at which a window a thousandth above its rest comes back, from the integrated equation; over
/// about one time constant.
fn integrated_decay(model: &GivenEstimate) -> f64 {
    let rest = integrated_rest(model);
    let first = rest * 1.001;
    let time = 1.0 / model.decay().rate;
    let left = (window_after(model, first, time) - rest) / (first - rest);
    -left.ln() / time
}

fn window_after(model: &GivenEstimate, start: f64, time: f64) -> f64 {
    let fine = StepTolerance { relative: 1e-13, absolute: 1e-13 };
    let (Ok(start), Ok(time)) = (Segments::new(start), Seconds::new(time)) else {
        return f64::NAN;
    };
    let windows = model.over_time(start, &[time], fine);
    windows.ok().and_then(|w| w.last().copied()).map_or(f64::NAN, Segments::value)
}

fn own_rate(a: &[f64]) -> Result<OwnRate, OutOfRange> {
    Ok(OwnRate {
        p: LossRate::new(a[0])?,
        target: Segments::new(a[1])?,
        a: Aggressiveness::new(a[2])?,
        times: queueing(a[3], a[4], TQ)?,
    })
}
