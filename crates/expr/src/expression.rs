//! Expressions as they were read.

use crate::operator::{Binary, Unary};

/// An expression that was read: `C` is a dialect's call, `P` a place in its text.
#[derive(Clone, Debug)]
pub struct Expr<C, P> {
    /// Its kind.
    pub kind: ExprKind<C, P>,
    /// Its place.
    pub place: P,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind<C, P> {
    /// A number.
    Number(f64),
    /// A name.
    Name(String),
    /// A call, as the dialect has it.
    Call(C),
    /// One operand.
    Unary(Unary, Box<Expr<C, P>>),
    /// Two operands.
    Binary(Binary, Box<Expr<C, P>>, Box<Expr<C, P>>),
    /// A condition, the value if it holds, and the value if it does not.
    Choice(Box<[Expr<C, P>; 3]>),
}
