//! Expressions: how a number of a claim or a line of a figure comes from the runs.
//!
//! ```text
//! text --lex--> tokens --parse--> Expr --evaluate--> Value
//! ```
//!
//! A value is a number or a curve, y over x. Metrics of runs come from a [`MetricSource`]: the
//! planner, which only notes the queries, or the runs that are done.

mod error;
mod evaluate;
mod functions;
mod lex;
mod parse;
mod value;

use westwood_scenario::file::reading::Location;

use crate::metric::MetricCall;

pub use error::ExprError;
pub use evaluate::{Context, MetricSource, Scope, evaluate};
pub(crate) use functions::slope as slope_of;
pub use parse::parse;
pub use value::{ExprValue, PaperCurve};

/// An expression that was read.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its place.
    pub place: Location,
}

impl Expr {
    /// True if a metric of runs stands in it.
    pub(crate) fn needs_runs(&self) -> bool {
        match &self.kind {
            ExprKind::Metric(_) => true,
            ExprKind::Number(_) | ExprKind::Name(_) => false,
            ExprKind::Function(_, arguments) => arguments.iter().any(Self::needs_runs),
            ExprKind::Model(_, arguments) => arguments.iter().any(|(_, a)| a.needs_runs()),
            ExprKind::Unary(_, inner) => inner.needs_runs(),
            ExprKind::Binary(_, left, right) => left.needs_runs() || right.needs_runs(),
        }
    }
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(f64),
    /// A name of `let`, or `it`.
    Name(String),
    /// A metric of runs.
    Metric(Box<MetricCall>),
    /// A function of values.
    Function(String, Vec<Expr>),
    /// A model's function, by its name, with named arguments.
    Model(String, Vec<(String, Expr)>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `or`
    Or,
    /// `and`
    And,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `^`
    Power,
}

impl Binary {
    /// Every operator as it is written, and how closely it binds.
    const ALL: [(&'static str, Self, u8); 11] = [
        ("or", Self::Or, 1),
        ("and", Self::And, 2),
        ("<", Self::Less, 4),
        ("<=", Self::AtMost, 4),
        (">", Self::Greater, 4),
        (">=", Self::AtLeast, 4),
        ("+", Self::Plus, 5),
        ("-", Self::Minus, 5),
        ("*", Self::Times, 6),
        ("/", Self::Over, 6),
        ("^", Self::Power, 8),
    ];

    /// The operator that is written so, and how closely it binds.
    fn written(text: &str) -> Option<(Self, u8)> {
        Self::ALL
            .iter()
            .find(|(t, ..)| *t == text)
            .map(|&(_, operator, binding)| (operator, binding))
    }

    /// The result for two numbers. Conditions are 1 or 0; a missing value satisfies none.
    pub fn of(self, a: f64, b: f64) -> f64 {
        let condition = |holds: bool| f64::from(u8::from(holds));
        let (yes_a, yes_b) = (is_true(a), is_true(b));
        match self {
            Self::Or => condition(yes_a || yes_b),
            Self::And => condition(yes_a && yes_b),
            Self::Less => condition(a < b),
            Self::AtMost => condition(a <= b),
            Self::Greater => condition(a > b),
            Self::AtLeast => condition(a >= b),
            Self::Plus => a + b,
            Self::Minus => a - b,
            Self::Times => a * b,
            Self::Over => a / b,
            Self::Power => a.powf(b),
        }
    }
}

/// True of every number but zero and a missing value.
pub fn is_true(x: f64) -> bool {
    x != 0.0 && !x.is_nan()
}
