//! From pieces to an expression.

use std::ops::Range;

use westwood_scenario::file::reading::Location;

use super::lex::{LocatedToken, Token, lex};
use super::{Binary, Expr, ExprError, ExprKind, Unary, functions};
use crate::metric::{Argument, Literal, MetricCall};

/// Reads an expression; `place` says where its bytes stand.
pub fn parse(text: &str, place: &dyn Fn(Range<usize>) -> Location) -> Result<Expr, ExprError> {
    let tokens = lex(text).map_err(|(bytes, why)| ExprError::new(place(bytes), why))?;
    let mut parser = Parser { tokens, next: 0, end: text.len(), place, depth: 0 };
    let expr = parser.expression(0)?;
    match parser.tokens.get(parser.next) {
        None => Ok(expr),
        Some((_, bytes)) => {
            let wrong = ExprError::new(place(bytes.clone()), "the expression should end here");
            Err(wrong.hint("an operator or a comma is missing before it"))
        }
    }
}

struct Parser<'a> {
    tokens: Vec<LocatedToken>,
    next: usize,
    /// Bytes of the text.
    end: usize,
    place: &'a dyn Fn(Range<usize>) -> Location,
    depth: usize,
}

impl Parser<'_> {
    /// No claim nests deeper; more would exhaust the stack.
    const DEEPEST: usize = 64;

    /// Operators that bind at least so closely.
    fn expression(&mut self, least: u8) -> Result<Expr, ExprError> {
        self.depth += 1;
        if self.depth > Self::DEEPEST {
            return Err(self.wrong_here("this is nested too deeply"));
        }
        let start = self.here().start;
        let mut left = self.operand()?;
        while let Some((operator, binding)) = self.operator().filter(|&(_, b)| b >= least) {
            self.next += 1;
            // A power binds to the right, as in 2^3^2.
            let right =
                self.expression(if operator == Binary::Power { binding } else { binding + 1 })?;
            left = Expr {
                kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                place: self.since(start),
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        match self.tokens.get(self.next) {
            Some((Token::Sign(sign), _)) => Binary::written(sign),
            Some((Token::Word(word), _)) => Binary::written(word),
            _ => None,
        }
    }

    fn operand(&mut self) -> Result<Expr, ExprError> {
        let Some((token, bytes)) = self.tokens.get(self.next).cloned() else {
            return Err(self.wrong_here("the expression ends too early"));
        };
        self.next += 1;
        let start = bytes.start;
        let kind = match token {
            Token::Number(value) => ExprKind::Number(value),
            Token::Sign("-") => ExprKind::Unary(Unary::Minus, Box::new(self.expression(7)?)),
            Token::Sign("(") => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Word(word) if word == "not" => {
                ExprKind::Unary(Unary::Not, Box::new(self.expression(3)?))
            }
            Token::Word(word) if self.take("(") => self.call(word, &bytes)?,
            Token::Word(word) => ExprKind::Name(word),
            Token::Text(_) => {
                let wrong =
                    ExprError::new((self.place)(bytes), "a text stands where a value is due");
                return Err(wrong.hint("texts choose the runs of a metric: goodput(cc=\"reno\")"));
            }
            Token::Sign(sign) => {
                let what = format!("'{sign}' stands where a value is due");
                return Err(ExprError::new((self.place)(bytes), what));
            }
        };
        Ok(Expr { kind, place: self.since(start) })
    }

    /// A call behind its opening parenthesis.
    fn call(&mut self, name: String, bytes: &Range<usize>) -> Result<ExprKind, ExprError> {
        let name_place = (self.place)(bytes.clone());
        if MetricCall::is_metric(&name) {
            let arguments = self.literals()?;
            let whole = self.since(bytes.start);
            return MetricCall::read(&name, name_place, whole, &arguments)
                .map(|c| ExprKind::Metric(Box::new(c)));
        }
        if let Some(model) = name.strip_prefix("model.") {
            let model = model.to_owned();
            let arguments = self.named()?;
            crate::models::check(&model, name_place, &arguments)?;
            return Ok(ExprKind::Model(model, arguments));
        }
        // The name first: it decides how arguments are read.
        functions::known(&name, name_place)?;
        let mut values = Vec::new();
        while !self.take(")") {
            if !values.is_empty() {
                self.expect(",")?;
            }
            values.push(self.expression(0)?);
        }
        functions::check(&name, name_place, values.len())?;
        Ok(ExprKind::Function(name, values))
    }

    /// `name=value, ...)`, values being expressions.
    fn named(&mut self) -> Result<Vec<(String, Expr)>, ExprError> {
        let mut arguments: Vec<(String, Expr)> = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let (name, _) = self.argument_name()?;
            arguments.push((name, self.expression(0)?));
        }
        Ok(arguments)
    }

    /// `name=value, ...)`, values being numbers or texts.
    fn literals(&mut self) -> Result<Vec<Argument>, ExprError> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let (name, place) = self.argument_name()?;
            let minus = self.take("-");
            let value = match self.tokens.get(self.next).map(|(token, _)| token.clone()) {
                Some(Token::Number(value)) => Literal::Number(if minus { -value } else { value }),
                Some(Token::Text(text)) if !minus => Literal::Text(text),
                _ => return Err(self.wrong_here("a number or a text in quotes is due here")),
            };
            self.next += 1;
            arguments.push(Argument { name, value, place });
        }
        Ok(arguments)
    }

    fn argument_name(&mut self) -> Result<(String, Location), ExprError> {
        let place = (self.place)(self.here());
        let Some((Token::Word(name), _)) = self.tokens.get(self.next).cloned() else {
            let wrong = self.wrong_here("an argument has no name");
            return Err(wrong.hint("write cc=\"reno\" or from=250"));
        };
        self.next += 1;
        self.expect("=")?;
        Ok((name, place))
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = matches!(self.tokens.get(self.next), Some((Token::Sign(s), _)) if *s == sign);
        self.next += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), ExprError> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.wrong_here(&format!("'{sign}' is missing here")))
        }
    }

    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |(_, bytes)| bytes.clone())
    }

    fn wrong_here(&self, what: &str) -> ExprError {
        ExprError::new((self.place)(self.here()), what)
    }

    /// From a byte to the end of what was read last.
    fn since(&self, start: usize) -> Location {
        let last = self.next.checked_sub(1).and_then(|i| self.tokens.get(i));
        (self.place)(start..last.map_or(self.end, |(_, bytes)| bytes.end))
    }
}
