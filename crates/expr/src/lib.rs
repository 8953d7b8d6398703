//! Expressions of numbers: `cwnd < ssthresh ? cwnd + credit : cwnd + credit / cwnd`.
//!
//! ```text
//! text --words and signs--> tokens --precedence--> Expr
//! ```
//!
//! Two languages are built on it: the claims of papers, whose values come from runs, and controllers that a
//! scenario defines. A [`Dialect`] says what its calls are and what else its words mean. Values are
//! computed alike in both, and to the same bits on every machine: [`Binary::of`], [`NumberFunction::of`].
//!
//! | binds | operators |
//! |---|---|
//! | closest | `^`, to the right |
//! | | `-` before a value |
//! | | `*` `/` |
//! | | `+` `-` |
//! | | `<` `<=` `>` `>=` `==` `!=` |
//! | | `not` |
//! | | `and` |
//! | | `or` |
//! | loosest | `condition ? yes : no`, to the right |

mod error;
mod expression;
mod function;
mod lex;
mod operator;
mod parse;

pub use error::BadExpression;
pub use expression::{Expr, ExprKind};
pub use function::{NumberFunction, wrong_count};
pub use lex::Token;
pub use operator::{Binary, Unary, is_true};
pub use parse::{Dialect, NamedValue, Parser, parse};
