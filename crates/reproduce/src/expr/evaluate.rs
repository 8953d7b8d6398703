//! The value of an expression.

use westwood_expr::ExprKind;

use super::value::ExprValue;
use super::{Expr, ExprError, PaperCall, functions};
use crate::metric::MetricCall;

/// A source of metrics.
pub trait MetricSource {
    /// The value of a metric over the runs that it picks.
    fn metric(&mut self, call: &MetricCall, context: &Context) -> Result<ExprValue, ExprError>;
}

/// The defaults of a metric that leaves something out.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The experiment.
    pub experiment: Option<String>,
    /// The variant; none for the scenario as it stands.
    pub variant: Option<String>,
}

/// The names that an expression may use.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Expressions by name; a name may use those before it, and a later one of the same name wins.
    pub lets: Vec<(String, Expr)>,
    /// Values by name, such as `it`.
    pub values: Vec<(String, ExprValue)>,
    /// The source of metrics.
    pub context: Context,
}

/// The value of an expression.
pub fn evaluate(
    expr: &Expr,
    scope: &Scope,
    source: &mut dyn MetricSource,
) -> Result<ExprValue, ExprError> {
    in_scope(expr, scope, scope.lets.len(), source)
}

/// The value of an expression that may use so many of the names.
fn in_scope(
    expr: &Expr,
    scope: &Scope,
    lets: usize,
    source: &mut dyn MetricSource,
) -> Result<ExprValue, ExprError> {
    match &expr.kind {
        ExprKind::Number(x) => Ok(ExprValue::Number(*x)),
        ExprKind::Name(name) => named(expr, name, scope, lets, source),
        ExprKind::Unary(operator, inner) => {
            let value = in_scope(inner, scope, lets, source)?;
            Ok(value.map(|x| operator.of(x)))
        }
        ExprKind::Binary(operator, left, right) => {
            let left = in_scope(left, scope, lets, source)?;
            let right = in_scope(right, scope, lets, source)?;
            let both = left.both(&right, |a, b| operator.of(a, b));
            both.ok_or_else(|| functions::different(expr.place))
        }
        ExprKind::Choice(parts) => {
            let mut value = |part| in_scope(part, scope, lets, source);
            let [condition, yes, no] = &**parts;
            let (condition, yes, no) = (value(condition)?, value(yes)?, value(no)?);
            let chosen = functions::chosen(&condition, &yes, &no);
            chosen.ok_or_else(|| functions::different(expr.place))
        }
        ExprKind::Call(PaperCall::Metric(call)) => source.metric(call, &scope.context),
        ExprKind::Call(PaperCall::Function(name, arguments)) => {
            let values: Result<Vec<ExprValue>, ExprError> =
                arguments.iter().map(|a| in_scope(a, scope, lets, source)).collect();
            functions::call(name, expr.place, &values?)
        }
        ExprKind::Call(PaperCall::Model(name, arguments)) => {
            let values: Result<Vec<(&str, ExprValue)>, ExprError> = arguments
                .iter()
                .map(|(n, a)| in_scope(a, scope, lets, source).map(|value| (n.as_str(), value)))
                .collect();
            crate::models::call(name, expr.place, &values?)
        }
    }
}

fn named(
    expr: &Expr,
    name: &str,
    scope: &Scope,
    lets: usize,
    source: &mut dyn MetricSource,
) -> Result<ExprValue, ExprError> {
    if let Some((_, value)) = scope.values.iter().rev().find(|(n, _)| n == name) {
        return Ok(value.clone());
    }
    let known = scope.lets.get(..lets).unwrap_or_default();
    // A name may be defined anew by itself: only what stands before counts.
    if let Some(at) = known.iter().rposition(|(n, _)| n == name) {
        return in_scope(&known[at].1, scope, at, source);
    }
    if name == "inf" {
        return Ok(ExprValue::Number(f64::INFINITY));
    }
    let names = scope.values.iter().map(|(n, _)| n).chain(known.iter().map(|(n, _)| n));
    let names: Vec<&str> = names.map(String::as_str).collect();
    let error = westwood_scenario::BadInput::unknown("name", name, names);
    Err(ExprError { place: expr.place, error })
}
