//! Functions of models that expressions may call: `model.NAME(argument=value)`.

use std::num::{NonZeroU8, NonZeroU32};

use westwood_models::climb::Path;
use westwood_models::units::{
    Aggressiveness, BitsPerSecond, Buffer, Kept, LossRate, OutOfRange, RoundTrip, Seconds,
    SegmentSize, Segments,
};
use westwood_models::{buffer, filter, floyd, reno, westwood};
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Place;

use crate::expr::{Expr, Value, Wrong};

/// A model's function.
struct Model {
    name: &'static str,
    /// The names of its arguments, in the order in which `of` takes them.
    arguments: &'static [&'static str],
    of: Of,
}

/// What a model makes of its arguments; nothing where one of them is out of its range.
type Of = fn(&[f64]) -> Result<f64, OutOfRange>;

/// All of them. Rates are in bit/s, throughputs in segments a second, times in seconds, windows in
/// segments, sizes in bytes, buffers in bandwidth-delay products.
const MODELS: &[Model] = &[
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

const fn model(name: &'static str, arguments: &'static [&'static str], of: Of) -> Model {
    Model { name, arguments, of }
}

fn constant(rtt: f64) -> Result<RoundTrip, OutOfRange> {
    RoundTrip::constant(Seconds::new(rtt)?)
}

/// The path of the arguments `rate`, `rtt` and `size`.
fn path(v: &[f64]) -> Result<Path, OutOfRange> {
    Ok(Path::new(BitsPerSecond::new(v[0])?, SegmentSize::new(v[2])?, constant(v[1])?))
}

fn named(name: &str, place: Place) -> Result<&'static Model, Wrong> {
    let found = MODELS.iter().find(|model| model.name == name);
    found.ok_or_else(|| Wrong {
        place,
        error: BadInput::unknown("model", name, MODELS.iter().map(|model| model.name)),
    })
}

/// Refuses a model that there is not, and wrong arguments.
pub(crate) fn check(name: &str, place: Place, given: &[(String, Expr)]) -> Result<(), Wrong> {
    let model = named(name, place)?;
    for (argument, expr) in given {
        if !model.arguments.contains(&argument.as_str()) {
            let error = BadInput::unknown("argument", argument, model.arguments.iter().copied());
            return Err(Wrong { place: expr.place, error });
        }
    }
    let missing = model.arguments.iter().find(|a| given.iter().all(|(name, _)| name != *a));
    match missing {
        Some(argument) => {
            let what = format!("model.{name} lacks '{argument}'");
            let hint = format!("it takes {}", model.arguments.join(", "));
            Err(Wrong::new(place, what).hint(hint))
        }
        None => Ok(()),
    }
}

/// A model's value; none outside of its range.
fn value_of(model: &Model, arguments: &[f64]) -> f64 {
    (model.of)(arguments).unwrap_or(f64::NAN)
}

/// A model's value, point by point where arguments are curves.
pub(crate) fn call(name: &str, place: Place, given: &[(&str, Value)]) -> Result<Value, Wrong> {
    let model = named(name, place)?;
    let value = |argument: &&str| given.iter().find(|(n, _)| n == argument).map(|(_, v)| v);
    let values: Vec<&Value> = model.arguments.iter().filter_map(value).collect();
    let curve = values.iter().find_map(|v| if let Value::Curve(c) = v { Some(c) } else { None });
    let at = |i: usize| -> Vec<f64> {
        let of = |value: &&Value| match value {
            Value::Number(x) => *x,
            Value::Curve(c) => c.y.get(i).copied().unwrap_or(f64::NAN),
        };
        values.iter().map(of).collect()
    };
    let Some(curve) = curve else {
        return Ok(Value::Number(value_of(model, &at(0))));
    };
    let same = |v: &&Value| !matches!(v, Value::Curve(c) if c.x != curve.x);
    if !values.iter().all(same) {
        return Err(Wrong::new(place, "these curves do not have the same places x"));
    }
    let mut result = curve.clone();
    result.y = (0..curve.x.len()).map(|i| value_of(model, &at(i))).collect();
    Ok(Value::Curve(result))
}
