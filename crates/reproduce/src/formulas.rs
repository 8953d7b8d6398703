//! The models that expressions may call, by name: the functions of `westwood-models`, with numbers for
//! quantities.

use std::num::{NonZeroU8, NonZeroU32};

use westwood_models::climb::ClimbPath;
use westwood_models::log_westwood::{GivenEstimate, OwnRate, printed};
use westwood_models::ode::StepTolerance;
use westwood_models::units::{
    Aggressiveness, BitsPerSecond, Buffer, Kept, LossRate, OutOfRange, RoundTrip, Seconds,
    SegmentSize, Segments,
};
use westwood_models::{buffer, filter, floyd, moving, reno, westwood};

/// A model's function.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    /// The names of its arguments, in the order in which `of` takes them.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) of: ModelFunction,
}

/// The value of a model for its arguments; none where one of them is out of its range.
pub(crate) type ModelFunction = fn(&[f64]) -> Result<f64, OutOfRange>;

/// All of them. Rates are in bit/s, throughputs in segments a second, times in seconds, windows in
/// segments, sizes in bytes, buffers in bandwidth-delay products.
pub(crate) const MODELS: &[Model] = &[
    // S. Floyd's arithmetic of fast paths.
    model("floyd_window", &["rate", "rtt", "size"], |v| {
        Ok(floyd::window(BitsPerSecond::new(v[0])?, constant(v[1])?, SegmentSize::new(v[2])?)?
            .value())
    }),
    model("floyd_loss", &["window"], |v| Ok(floyd::loss_rate(Segments::new(v[0])?)?.value())),
    model("floyd_bit_errors", &["p", "size"], |v| {
        Ok(floyd::bit_error_rate(LossRate::new(v[0])?, SegmentSize::new(v[1])?))
    }),
    // From one window to another without losses.
    model("additive_climb", &["rate", "rtt", "size", "from", "to"], |v| {
        Ok(path(v)?.additive(Segments::new(v[3])?, Segments::new(v[4])?)?.value())
    }),
    model("multiplicative_climb", &["rate", "rtt", "size", "from", "to", "factor"], |v| {
        let (from, to) = (Segments::new(v[3])?, Segments::new(v[4])?);
        Ok(path(v)?.multiplicative(from, to, v[5])?.value())
    }),
    model("logarithmic_climb", &["rate", "rtt", "size", "from", "to", "target", "a"], |v| {
        let (from, to) = (Segments::new(v[3])?, Segments::new(v[4])?);
        let (target, a) = (Segments::new(v[5])?, Aggressiveness::new(v[6])?);
        Ok(path(v)?.logarithmic(from, to, target, a)?.value())
    }),
    // Throughput under a loss rate.
    model("reno", &["p", "rtt"], |v| Ok(reno::rate(constant(v[1])?, LossRate::new(v[0])?).value())),
    model("reno_with_timeouts", &["p", "rtt", "rto"], |v| {
        let (p, rtt, rto) = (LossRate::new(v[0])?, constant(v[1])?, Seconds::new(v[2])?);
        Ok(reno::rate_with_timeouts(rtt, rto, NonZeroU8::MIN, p).value())
    }),
    model("westwood_plus", &["p", "rtt", "queueing"], |v| {
        let (mean, least) = (Seconds::new(v[1])?, Seconds::new(v[1] - v[2])?);
        Ok(westwood::rate(RoundTrip::new(mean, least)?, LossRate::new(v[0])?).value())
    }),
    model("reno_utilisation", &["buffer"], |v| {
        Ok(buffer::utilisation(Kept::new(0.5)?, Buffer::new(v[0])?))
    }),
    model("reno_moving", &["p", "rtt", "kept"], |v| {
        let (p, times, kept) = (LossRate::new(v[0])?, constant(v[1])?, Kept::new(v[2])?);
        Ok(moving::rate(times, p, kept, NonZeroU8::MIN).value())
    }),
    // LogWestwood+, propositions 1 and 2.
    model("log_westwood_rest", GIVEN, |v| Ok(given(v)?.fixed_point().value())),
    model("log_westwood_rest_integrated", GIVEN, |v| Ok(integrated_rest(&given(v)?))),
    model("log_westwood_rest_printed", GIVEN, |v| Ok(printed::fixed_point(&given(v)?).value())),
    model("log_westwood_decay", GIVEN, |v| Ok(given(v)?.decay().rate)),
    model("log_westwood_decay_integrated", GIVEN, |v| Ok(integrated_decay(&given(v)?))),
    model("log_westwood", &["p", "target", "a", "rtt", "tq"], |v| Ok(own_rate(v)?.rate().value())),
    // Westwood's filter.
    model("filter_weight", &["step", "tau"], |v| {
        filter::old_weight(Seconds::new(v[0])?, Seconds::new(v[1])?)
    }),
    model("filter_decay", &["m"], |v| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
        let m = NonZeroU32::new(v[0].max(0.0) as u32);
        Ok(m.map_or(f64::NAN, filter::left_by_a_null_sample))
    }),
];

/// The arguments of Proposition 1's models.
const GIVEN: &[&str] = &["p", "reduced", "target", "a", "rtt"];

const fn model(name: &'static str, arguments: &'static [&'static str], of: ModelFunction) -> Model {
    Model { name, arguments, of }
}

fn constant(rtt: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::constant(Seconds::new(rtt)?)
}

/// The path of the arguments `rate`, `rtt` and `size`.
fn path(v: &[f64]) -> Result<ClimbPath, OutOfRange> {
    Ok(ClimbPath::new(BitsPerSecond::new(v[0])?, SegmentSize::new(v[2])?, constant(v[1])?))
}

fn queueing(rtt: f64, tq: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::new(Seconds::new(rtt)?, Seconds::new(rtt - tq)?)
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
        times: queueing(a[3], a[4])?,
    })
}
