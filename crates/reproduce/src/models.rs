//! Functions of models that expressions may call: `model.NAME(argument=value)`.

use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Location;

use crate::expr::{Expr, ExprError, ExprValue};
use crate::formulas::{MODELS, Model};

fn named(name: &str, place: Location) -> Result<&'static Model, ExprError> {
    let found = MODELS.iter().find(|model| model.name == name);
    found.ok_or_else(|| ExprError {
        place,
        error: BadInput::unknown("model", name, MODELS.iter().map(|model| model.name)),
    })
}

/// Refuses a model that there is not, and wrong arguments.
pub(crate) fn check(
    name: &str,
    place: Location,
    given: &[(String, Expr)],
) -> Result<(), ExprError> {
    let model = named(name, place)?;
    for (argument, expr) in given {
        if model.names().all(|name| name != argument) {
            let error = BadInput::unknown("argument", argument, model.names());
            return Err(ExprError { place: expr.place, error });
        }
    }
    let missing = model.names().find(|a| given.iter().all(|(name, _)| name != a));
    match missing {
        Some(argument) => {
            let what = format!("model.{name} lacks '{argument}'");
            let hint = format!("it takes {}", model.names().collect::<Vec<_>>().join(", "));
            Err(ExprError::new(place, what).hint(hint))
        }
        None => Ok(()),
    }
}

/// A model's value; none outside of its range.
fn value_of(model: &Model, arguments: &[f64]) -> f64 {
    model.value(arguments).unwrap_or(f64::NAN)
}

/// A model's value, point by point where arguments are curves.
pub(crate) fn call(
    name: &str,
    place: Location,
    given: &[(&str, ExprValue)],
) -> Result<ExprValue, ExprError> {
    let model = named(name, place)?;
    let value = |argument: &str| given.iter().find(|(n, _)| *n == argument).map(|(_, v)| v);
    let values: Vec<&ExprValue> = model.names().filter_map(value).collect();
    let curve =
        values.iter().find_map(|v| if let ExprValue::Curve(c) = v { Some(c) } else { None });
    let at = |i: usize| -> Vec<f64> {
        let of = |value: &&ExprValue| match value {
            ExprValue::Number(x) => *x,
            ExprValue::Curve(c) => c.y.get(i).copied().unwrap_or(f64::NAN),
        };
        values.iter().map(of).collect()
    };
    let Some(curve) = curve else {
        return Ok(ExprValue::Number(value_of(model, &at(0))));
    };
    let same = |v: &&ExprValue| !matches!(v, ExprValue::Curve(c) if c.x != curve.x);
    if !values.iter().all(same) {
        return Err(ExprError::new(place, "these curves do not have the same places x"));
    }
    let mut result = curve.clone();
    result.y = (0..curve.x.len()).map(|i| value_of(model, &at(i))).collect();
    Ok(ExprValue::Curve(result))
}
