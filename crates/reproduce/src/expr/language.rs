//! The language of claims: expressions whose calls are metrics, functions of curves and models.

use std::ops::Range;

use westwood_expr::{BadExpression, Dialect, NamedValue, Parser, Token};
use westwood_scenario::file::reading::Location;

use super::{Expr, ExprError, PaperCall, functions};
use crate::metric::{Argument, Literal, MetricCall};

/// Reads an expression; `place` says where its bytes stand.
pub fn parse(text: &str, place: &dyn Fn(Range<usize>) -> Location) -> Result<Expr, ExprError> {
    westwood_expr::parse(text, &ClaimLanguage { place })
}

struct ClaimLanguage<'a> {
    place: &'a dyn Fn(Range<usize>) -> Location,
}

impl From<BadExpression<Location>> for ExprError {
    fn from(wrong: BadExpression<Location>) -> Self {
        let error = Self::new(wrong.place, wrong.message);
        match wrong.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl Dialect for ClaimLanguage<'_> {
    type Call = PaperCall;
    type Place = Location;
    type Error = ExprError;

    const TEXT_HINT: &'static str = "texts choose the runs of a metric: goodput(cc=\"reno\")";

    fn place(&self, bytes: Range<usize>) -> Location {
        (self.place)(bytes)
    }

    fn call(
        parser: &mut Parser<'_, Self>,
        name: String,
        bytes: &Range<usize>,
    ) -> Result<PaperCall, ExprError> {
        let name_place = (parser.dialect().place)(bytes.clone());
        if MetricCall::is_metric(&name) {
            let arguments = parser.named(literal)?;
            let arguments = arguments.into_iter();
            let arguments: Vec<Argument> = arguments
                .map(|NamedValue { name, place, value }| Argument { name, value, place })
                .collect();
            let whole = parser.since(bytes.start);
            let call = MetricCall::read(&name, name_place, whole, &arguments)?;
            return Ok(PaperCall::Metric(Box::new(call)));
        }
        if let Some(model) = name.strip_prefix("model.") {
            let arguments = parser.named(Parser::expression)?;
            let arguments: Vec<(String, Expr)> =
                arguments.into_iter().map(|named| (named.name, named.value)).collect();
            crate::models::check(model, name_place, &arguments)?;
            return Ok(PaperCall::Model(model.to_owned(), arguments));
        }
        // The name first: it decides how arguments are read.
        functions::known(&name, name_place)?;
        let values = parser.values()?;
        functions::check(&name, name_place, values.len())?;
        Ok(PaperCall::Function(name, values))
    }
}

/// A number or a text.
fn literal(parser: &mut Parser<'_, ClaimLanguage<'_>>) -> Result<Literal, ExprError> {
    let minus = parser.take("-");
    let value = parser.take_token(|token| match token {
        Token::Number(value) => Some(Literal::Number(if minus { -value } else { *value })),
        Token::Text(text) if !minus => Some(Literal::Text(text.clone())),
        _ => None,
    });
    value.ok_or_else(|| parser.wrong_here("a number or a text in quotes is due here").into())
}
