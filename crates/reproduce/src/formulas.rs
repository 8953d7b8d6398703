//! The models that expressions may call, by name: the functions of `westwood-models`, with numbers for
//! quantities. What a model refuses is not a number.

use westwood_models::log_westwood::{GivenEstimate, OwnRate, printed};
use westwood_models::ode::Tolerance;
use westwood_models::units::{
    Aggressiveness, BitsPerSecond, Buffer, Kept, OutOfRange, SegmentSize,
};
use westwood_models::{
    LossRate, RoundTrip, Seconds, Segments, buffer, filter, floyd, moving, reno, westwood,
};

/// A model's function.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    /// The names of its arguments, in the order in which `of` takes them.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) of: fn(&[f64]) -> f64,
}

/// All of them; throughputs in segments a second, times in seconds, windows in segments, buffers in
/// bandwidth-delay products, sizes in bytes, capacities in bits a second.
pub(crate) const MODELS: &[Model] = &[
    Model { name: "reno", arguments: &["p", "rtt"], of: |a| or_nan(reno_rate(a)) },
    Model { name: "reno_moving", arguments: &["p", "rtt", "kept"], of: |a| or_nan(moves(a)) },
    Model { name: "reno_utilisation", arguments: &["buffer"], of: |a| or_nan(utilisation(a)) },
    Model { name: "westwood", arguments: &["p", "rtt", "tq"], of: |a| or_nan(westwood_rate(a)) },
    Model {
        name: "log_westwood_rest",
        arguments: &["p", "reduced", "target", "a", "rtt"],
        of: |a| or_nan(given(a).map(|model| model.fixed_point().value())),
    },
    Model {
        name: "log_westwood_rest_integrated",
        arguments: &["p", "reduced", "target", "a", "rtt"],
        of: |a| given(a).map_or(f64::NAN, |model| integrated_rest(&model)),
    },
    Model {
        name: "log_westwood_rest_printed",
        arguments: &["p", "reduced", "target", "a", "rtt"],
        of: |a| or_nan(given(a).map(|model| printed::fixed_point(&model).value())),
    },
    Model {
        name: "log_westwood_decay",
        arguments: &["p", "reduced", "target", "a", "rtt"],
        of: |a| or_nan(given(a).map(|model| model.decay().rate)),
    },
    Model {
        name: "log_westwood_decay_integrated",
        arguments: &["p", "reduced", "target", "a", "rtt"],
        of: |a| given(a).map_or(f64::NAN, |model| integrated_decay(&model)),
    },
    Model {
        name: "log_westwood",
        arguments: &["p", "target", "a", "rtt", "tq"],
        of: |a| or_nan(own_rate(a).map(|model| model.rate().value())),
    },
    Model { name: "fast_window", arguments: &["rate", "rtt", "size"], of: |a| or_nan(fast(a)) },
    Model {
        name: "fast_loss",
        arguments: &["window"],
        of: |a| or_nan(Segments::new(a[0]).and_then(floyd::loss_rate).map(LossRate::value)),
    },
    Model { name: "bit_errors", arguments: &["p", "size"], of: |a| or_nan(bit_errors(a)) },
    Model { name: "old_weight", arguments: &["step", "tau"], of: |a| or_nan(old_weight(a)) },
    Model {
        name: "null_sample",
        arguments: &["m"],
        // A null sample is an m-th of the time constant long.
        of: |a| or_nan(old_weight(&[1.0 / a[0], 1.0])),
    },
];

fn or_nan(value: Result<f64, OutOfRange>) -> f64 {
    value.unwrap_or(f64::NAN)
}

fn constant(rtt: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::constant(Seconds::new(rtt)?)
}

fn queueing(rtt: f64, tq: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::new(Seconds::new(rtt)?, Seconds::new(rtt - tq)?)
}

fn reno_rate(a: &[f64]) -> Result<f64, OutOfRange> {
    Ok(reno::rate(constant(a[1])?, LossRate::new(a[0])?).value())
}

fn moves(a: &[f64]) -> Result<f64, OutOfRange> {
    let (p, times, kept) = (LossRate::new(a[0])?, constant(a[1])?, Kept::new(a[2])?);
    Ok(moving::rate(times, p, kept, core::num::NonZeroU8::MIN).value())
}

fn utilisation(a: &[f64]) -> Result<f64, OutOfRange> {
    Ok(buffer::utilisation(Kept::new(0.5)?, Buffer::new(a[0])?))
}

fn westwood_rate(a: &[f64]) -> Result<f64, OutOfRange> {
    Ok(westwood::rate(queueing(a[1], a[2])?, LossRate::new(a[0])?).value())
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

/// Where the integrated equation comes to rest: forty time constants after a window of one segment.
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
    let fine = Tolerance { relative: 1e-13, absolute: 1e-13 };
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

fn fast(a: &[f64]) -> Result<f64, OutOfRange> {
    let (capacity, size) = (BitsPerSecond::new(a[0])?, SegmentSize::new(a[2])?);
    Ok(floyd::window(capacity, constant(a[1])?, size)?.value())
}

fn bit_errors(a: &[f64]) -> Result<f64, OutOfRange> {
    Ok(floyd::bit_error_rate(LossRate::new(a[0])?, SegmentSize::new(a[1])?))
}

fn old_weight(a: &[f64]) -> Result<f64, OutOfRange> {
    filter::old_weight(Seconds::new(a[0])?, Seconds::new(a[1])?)
}
