//! From pieces to an expression.

use std::ops::Range;

use crate::error::BadExpression;
use crate::expression::{Expr, ExprKind};
use crate::lex::{LocatedToken, Token, UnreadablePart, lex};
use crate::operator::{Binary, Unary};

/// A language whose values are written as expressions.
pub trait Dialect: Sized {
    /// Calls of functions.
    type Call;
    /// A place in the text, as errors and expressions have it.
    type Place: Clone;
    /// The error of a text.
    type Error: From<BadExpression<Self::Place>>;

    /// The place of these bytes.
    fn place(&self, bytes: Range<usize>) -> Self::Place;

    /// Reads a call behind its opening parenthesis; the name stands at `bytes`.
    fn call(
        parser: &mut Parser<'_, Self>,
        name: String,
        bytes: &Range<usize>,
    ) -> Result<Self::Call, Self::Error>;

    /// The hint for a text in quotes where a value is due.
    const TEXT_HINT: &'static str;
}

/// Reads a text that is one expression.
pub fn parse<D: Dialect>(text: &str, dialect: &D) -> Result<ExprOf<D>, D::Error> {
    let mut parser = Parser::new(text, dialect)?;
    let expr = parser.expression()?;
    parser.end()?;
    Ok(expr)
}

/// An expression of a dialect.
type ExprOf<D> = Expr<<D as Dialect>::Call, <D as Dialect>::Place>;

/// The kind of an expression of a dialect.
type KindOf<D> = ExprKind<<D as Dialect>::Call, <D as Dialect>::Place>;

/// An argument with its name.
pub struct NamedValue<P, T> {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub place: P,
    /// The value.
    pub value: T,
}

/// A text that is being read.
pub struct Parser<'a, D> {
    dialect: &'a D,
    tokens: Vec<LocatedToken>,
    next: usize,
    /// Bytes of the text.
    end: usize,
    depth: usize,
}

impl<'a, D: Dialect> Parser<'a, D> {
    /// No expression of a person nests deeper; more would exhaust the stack.
    const DEEPEST: usize = 64;
    /// Nor has one so many pieces: a chain of operators is a tree as deep as it is long.
    const LONGEST: usize = 1_000;

    /// Takes a text apart.
    pub fn new(text: &str, dialect: &'a D) -> Result<Self, D::Error> {
        let unreadable = |part: UnreadablePart| {
            let wrong = BadExpression::new(dialect.place(part.bytes), part.why);
            part.hint.into_iter().fold(wrong, BadExpression::hint)
        };
        let tokens = lex(text).map_err(unreadable)?;
        if let Some((_, bytes)) = tokens.get(Self::LONGEST) {
            let what = format!("this is longer than {} words and signs", Self::LONGEST);
            return Err(BadExpression::new(dialect.place(bytes.clone()), what).into());
        }
        Ok(Self { dialect, tokens, next: 0, end: text.len(), depth: 0 })
    }

    /// The language of the text.
    pub fn dialect(&self) -> &'a D {
        self.dialect
    }

    /// Reads an expression.
    pub fn expression(&mut self) -> Result<ExprOf<D>, D::Error> {
        self.deeper(Self::choice)
    }

    /// Refuses what stands behind the end.
    pub fn end(&self) -> Result<(), D::Error> {
        match self.tokens.get(self.next) {
            None => Ok(()),
            Some((_, bytes)) => {
                let place = self.dialect.place(bytes.clone());
                let wrong = BadExpression::new(place, "the expression should end here");
                Err(wrong.hint("an operator or a comma is missing before it").into())
            }
        }
    }

    /// True if everything has been read.
    pub fn is_at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// Reads something that may nest.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, D::Error>,
    ) -> Result<T, D::Error> {
        self.depth += 1;
        if self.depth > Self::DEEPEST {
            return Err(self.wrong_here("this is nested too deeply").into());
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// `condition ? yes : no`, or what binds closer.
    fn choice(&mut self) -> Result<ExprOf<D>, D::Error> {
        let start = self.here().start;
        let condition = self.operation(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        Ok(Expr {
            kind: ExprKind::Choice(Box::new([condition, yes, no])),
            place: self.since(start),
        })
    }

    /// Operators that bind at least so closely.
    fn operation(&mut self, least: u8) -> Result<ExprOf<D>, D::Error> {
        let start = self.here().start;
        let mut left = self.operand()?;
        while let Some((operator, binding)) = self.operator().filter(|&(_, b)| b >= least) {
            self.next += 1;
            // A power binds to the right, as in 2^3^2.
            let least = if operator == Binary::Power { binding } else { binding + 1 };
            let right = self.deeper(|parser| parser.operation(least))?;
            left = Expr {
                kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                place: self.since(start),
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        match self.tokens.get(self.next) {
            Some((Token::Sign(sign), _)) => Binary::written(sign),
            Some((Token::Word(word), _)) => Binary::written(word),
            _ => None,
        }
    }

    fn unary(&mut self, operator: Unary, least: u8) -> Result<KindOf<D>, D::Error> {
        let inner = self.deeper(|parser| parser.operation(least))?;
        Ok(ExprKind::Unary(operator, Box::new(inner)))
    }

    fn operand(&mut self) -> Result<ExprOf<D>, D::Error> {
        let Some((token, bytes)) = self.tokens.get(self.next).cloned() else {
            return Err(self.wrong_here("the expression ends too early").into());
        };
        self.next += 1;
        let start = bytes.start;
        let wrong = |what: &str| BadExpression::new(self.dialect.place(bytes.clone()), what);
        let kind = match token {
            Token::Number(value) => ExprKind::Number(value),
            Token::Sign("-") => self.unary(Unary::Minus, 7)?,
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Word(word) if word == "not" => self.unary(Unary::Not, 3)?,
            Token::Word(word) if self.take("(") => ExprKind::Call(D::call(self, word, &bytes)?),
            Token::Word(word) => ExprKind::Name(word),
            Token::Text(_) => {
                return Err(wrong("a text stands where a value is due").hint(D::TEXT_HINT).into());
            }
            Token::Sign(sign) => {
                let wrong = wrong(&format!("'{sign}' stands where a value is due"));
                let before = self.next.checked_sub(2).and_then(|i| self.tokens.get(i));
                let is_power = sign == "*" && matches!(before, Some((Token::Sign("*"), _)));
                return Err(if is_power { wrong.hint("a power is x ^ y") } else { wrong }.into());
            }
        };
        Ok(Expr { kind, place: self.since(start) })
    }

    /// The values of a call up to its closing parenthesis.
    pub fn values(&mut self) -> Result<Vec<ExprOf<D>>, D::Error> {
        let mut values = Vec::new();
        while !self.take(")") {
            if !values.is_empty() {
                self.expect(",")?;
            }
            values.push(self.expression()?);
        }
        Ok(values)
    }

    /// `name=value, ...)`: named arguments of a call, each value read by `read`, up to its closing
    /// parenthesis.
    pub fn named<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, D::Error>,
    ) -> Result<Vec<NamedValue<D::Place, T>>, D::Error> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let place = self.dialect.place(self.here());
            let Some(name) = self.take_word() else {
                let wrong = self.wrong_here("an argument has no name");
                return Err(wrong.hint("write cc=\"reno\" or from=250").into());
            };
            self.expect("=")?;
            arguments.push(NamedValue { name, place, value: read(self)? });
        }
        Ok(arguments)
    }

    /// Reads a piece that `read` wants, if the next one is such.
    pub fn take_token<T>(&mut self, read: impl FnOnce(&Token) -> Option<T>) -> Option<T> {
        let taken = self.tokens.get(self.next).and_then(|(token, _)| read(token));
        self.next += usize::from(taken.is_some());
        taken
    }

    /// Reads a word, if one is next.
    pub fn take_word(&mut self) -> Option<String> {
        self.take_token(|token| match token {
            Token::Word(word) => Some(word.clone()),
            _ => None,
        })
    }

    /// Reads this sign, if it is next.
    pub fn take(&mut self, sign: &str) -> bool {
        self.take_token(|token| matches!(token, Token::Sign(s) if *s == sign).then_some(()))
            .is_some()
    }

    /// True if this sign is next.
    pub fn is_before(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.next), Some((Token::Sign(s), _)) if *s == sign)
    }

    /// True if a word and behind it this sign are next.
    pub fn is_word_before(&self, sign: &str) -> bool {
        let mut next = self.tokens.iter().skip(self.next).map(|(token, _)| token);
        matches!(next.next(), Some(Token::Word(_)))
            && matches!(next.next(), Some(Token::Sign(s)) if *s == sign)
    }

    /// Reads this sign.
    pub fn expect(&mut self, sign: &str) -> Result<(), D::Error> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.wrong_here(&format!("'{sign}' is missing here")).into())
        }
    }

    /// The bytes of the next piece.
    pub fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |(_, bytes)| bytes.clone())
    }

    /// A fault of the next piece.
    pub fn wrong_here(&self, what: &str) -> BadExpression<D::Place> {
        BadExpression::new(self.dialect.place(self.here()), what)
    }

    /// From a byte to the end of what was read last.
    pub fn since(&self, start: usize) -> D::Place {
        let last = self.next.checked_sub(1).and_then(|i| self.tokens.get(i));
        self.dialect.place(start..last.map_or(self.end, |(_, bytes)| bytes.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A language of numbers and their sums, whose value is computed as it is read.
    struct Sums;

    impl Dialect for Sums {
        type Call = f64;
        type Place = Range<usize>;
        type Error = BadExpression<Range<usize>>;

        const TEXT_HINT: &'static str = "write 1";

        fn place(&self, bytes: Range<usize>) -> Range<usize> {
            bytes
        }

        fn call(
            parser: &mut Parser<'_, Self>,
            _: String,
            _: &Range<usize>,
        ) -> Result<f64, Self::Error> {
            Ok(parser.values()?.iter().map(value).sum())
        }
    }

    fn value(expr: &ExprOf<Sums>) -> f64 {
        match &expr.kind {
            ExprKind::Number(x) | ExprKind::Call(x) => *x,
            ExprKind::Name(_) => f64::NAN,
            ExprKind::Unary(operator, inner) => operator.of(value(inner)),
            ExprKind::Binary(operator, left, right) => operator.of(value(left), value(right)),
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                if crate::operator::is_true(value(condition)) { value(yes) } else { value(no) }
            }
        }
    }

    fn read(text: &str) -> Result<f64, BadExpression<Range<usize>>> {
        parse(text, &Sums).map(|expr| value(&expr))
    }

    #[test]
    fn operators_bind_as_the_table_says() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("7 - 2 - 1", 4.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("(1 + 2) * 3", 9.0),
            ("1 < 2 and 2 < 1 or 3 == 3", 1.0),
            ("not 1 == 2", 1.0),
            ("1 != 1 ? 5 : 2 > 1 ? 6 : 7", 6.0),
            ("1 + (0 ? 1 : 2)", 3.0),
            ("s(1, 2 + 3)", 6.0),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_expression_is_refused_at_its_place() {
        for (text, place, says) in [
            ("1 +", 3..3, "ends too early"),
            ("1 2", 2..3, "should end here"),
            ("(1", 2..2, "')' is missing"),
            ("1 ? 2", 5..5, "':' is missing"),
            ("1 $ 2", 2..3, "means nothing"),
            ("\"a\"", 0..3, "a text stands"),
            ("* 2", 0..1, "'*' stands where a value"),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(wrong.place == place && wrong.message.contains(says), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn texts_that_would_exhaust_the_stack_are_refused() {
        let deep = |sign: &str| sign.repeat(200_000) + "1";
        for text in [deep("("), deep("-"), deep("1 + "), deep("1 ? 1 : "), deep("2 ^ "), deep("s(")]
        {
            let wrong = read(&text).unwrap_err();
            assert!(wrong.message.contains("longer than 1000 words"), "{}", wrong.message);
        }
        for text in ["(", "-", "2 ^ ", "1 ? 1 : ", "not ", "s("] {
            let wrong = read(&(text.repeat(100) + "1")).unwrap_err();
            assert!(wrong.message.contains("nested too deeply"), "{text}: {}", wrong.message);
        }
        let long = "1 + ".repeat(450) + "1";
        assert_eq!(read(&long), Ok(451.0));
    }
}
