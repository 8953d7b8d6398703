//! Expressions: how a number of a claim or a line of a figure comes from the runs.
//!
//! ```text
//! text --read--> Expr --evaluate--> Value
//! ```
//!
//! A value is a number or a curve, y over x. Metrics of runs come from a [`MetricSource`]: the
//! planner, which only notes the queries, or the runs that are done.
//! The grammar and the operators are those of `westwood-expr`, which controllers of scenarios are written in
//! too.

mod error;
mod evaluate;
mod functions;
mod language;
mod value;

use westwood_expr::ExprKind;
use westwood_scenario::file::reading::Location;

use crate::metric::MetricCall;

pub use error::ExprError;
pub use evaluate::{Context, MetricSource, Scope, evaluate};
pub(crate) use functions::slope as slope_of;
pub use language::parse;
pub use value::{ExprValue, PaperCurve};
pub use westwood_expr::is_true;

/// An expression that was read.
pub type Expr = westwood_expr::Expr<PaperCall, Location>;

/// The calls of an expression.
#[derive(Clone, Debug)]
pub enum PaperCall {
    /// A metric of runs.
    Metric(Box<MetricCall>),
    /// A function of values.
    Function(String, Vec<Expr>),
    /// A model's function, by its name, with named arguments.
    Model(String, Vec<(String, Expr)>),
}

/// True if a metric of runs stands in an expression.
pub(crate) fn needs_runs(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => false,
        ExprKind::Call(PaperCall::Metric(_)) => true,
        ExprKind::Call(PaperCall::Function(_, arguments)) => arguments.iter().any(needs_runs),
        ExprKind::Call(PaperCall::Model(_, arguments)) => {
            arguments.iter().any(|(_, argument)| needs_runs(argument))
        }
        ExprKind::Unary(_, inner) => needs_runs(inner),
        ExprKind::Binary(_, left, right) => needs_runs(left) || needs_runs(right),
        ExprKind::Choice(parts) => parts.iter().any(needs_runs),
    }
}
