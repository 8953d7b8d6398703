//! An analysis or an answer: a text whose numbers come from the runs.
//!
//! `The windows settle at {early:0} and {late:0} packets.` takes `early` and `late` from the claim's
//! `[claim.numbers]` and shows them without decimals; `{early}` shows three or four digits. A text
//! thus cannot say of the runs another number than they do.

use std::fmt::Write as _;

use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{Fields, Location};

use crate::expr::Expr;
use crate::fields::ExpressionFields as _;
use crate::number::number;

/// The text of an analysis, and its numbers.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    pieces: Vec<AnalysisPiece>,
    /// The numbers, by name.
    pub numbers: Vec<(String, Expr)>,
}

#[derive(Clone, Debug, PartialEq)]
enum AnalysisPiece {
    Text(String),
    /// A number's place among the numbers, and its decimals.
    Number(usize, Option<usize>),
}

impl Analysis {
    /// Reads a text, and the table `numbers` beside it; none if there is no such text.
    pub(crate) fn read(fields: &Fields<'_>, name: &'static str) -> Option<Self> {
        let numbers = fields.lets("numbers");
        let place = fields.place_of(name);
        let Some(text) = fields.text(name) else {
            if !numbers.is_empty() {
                let what = BadInput::new("there is no text that shows these numbers");
                fields.fault(fields.place_of("numbers"), what.hint(format!("write '{name}'")));
            }
            return None;
        };
        let names: Vec<&str> = numbers.iter().map(|(name, _)| name.as_str()).collect();
        let pieces = pieces(&text, &names, |error| fields.fault(place, error));
        for (i, (name, expr)) in numbers.iter().enumerate() {
            if !pieces.iter().any(|p| matches!(p, AnalysisPiece::Number(at, _) if *at == i)) {
                unused(fields, name, expr.place);
            }
        }
        Some(Self { pieces, numbers })
    }

    /// The text with the numbers' values; a number without a value is said to be missing.
    pub(crate) fn text(&self, values: &[Option<f64>]) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                AnalysisPiece::Text(words) => text.push_str(words),
                AnalysisPiece::Number(at, decimals) => {
                    let value = values.get(*at).copied().flatten();
                    let _ = match (value, decimals) {
                        (None, _) => write!(text, "(not run)"),
                        (Some(x), None) => write!(text, "{}", number(x)),
                        (Some(x), Some(decimals)) => write!(text, "{x:.decimals$}"),
                    };
                }
            }
        }
        text
    }

    /// The text beside the numbers.
    pub fn words(&self) -> String {
        let words = self.pieces.iter().filter_map(|piece| match piece {
            AnalysisPiece::Text(words) => Some(words.as_str()),
            AnalysisPiece::Number(..) => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn unused(fields: &Fields<'_>, name: &str, place: Location) {
    let what = BadInput::new(format!("the text does not show '{name}'"));
    fields.fault(place, what.hint(format!("write {{{name}}} in it, or remove the number")));
}

fn pieces(text: &str, names: &[&str], mut fault: impl FnMut(BadInput)) -> Vec<AnalysisPiece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once('{') {
        pieces.push(AnalysisPiece::Text(words.to_owned()));
        let Some((inner, next)) = after.split_once('}') else {
            fault(BadInput::new("'{' is not closed").hint("write {NAME} or {NAME:DECIMALS}"));
            return pieces;
        };
        match numbered(inner, names) {
            Ok(piece) => pieces.push(piece),
            Err(error) => fault(error),
        }
        rest = next;
    }
    pieces.push(AnalysisPiece::Text(rest.to_owned()));
    pieces
}

fn numbered(inner: &str, names: &[&str]) -> Result<AnalysisPiece, BadInput> {
    let (name, decimals) = match inner.split_once(':') {
        None => (inner, None),
        Some((name, text)) => match text.parse::<usize>() {
            Ok(decimals) if decimals <= 9 => (name, Some(decimals)),
            _ => return Err(BadInput::new(format!("'{text}' is no number of decimals, 0 to 9"))),
        },
    };
    let at = names.iter().position(|known| *known == name);
    let at = at.ok_or_else(|| BadInput::unknown("number", name, names.to_vec()))?;
    Ok(AnalysisPiece::Number(at, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, values: &[Option<f64>]) -> String {
        let pieces = pieces(text, &["a", "b"], |e| panic!("{e}"));
        Analysis { pieces, numbers: Vec::new() }.text(values)
    }

    #[test]
    fn a_text_shows_its_numbers_with_the_decimals_that_it_asks_for() {
        let values = [Some(46.27), Some(0.5)];
        assert_eq!(shown("at {a:0} and {b} packets", &values), "at 46 and 0.5 packets");
        assert_eq!(shown("{a:1}{b:2}", &values), "46.30.50");
    }

    #[test]
    fn a_number_whose_runs_are_not_there_is_said_to_be_missing() {
        assert_eq!(shown("{a} of {b}", &[None, Some(2.0)]), "(not run) of 2");
    }

    #[test]
    fn a_slip_is_told_with_what_to_write() {
        let fault = |text: &str| {
            let mut faults = Vec::new();
            pieces(text, &["early"], |error| faults.push(error.to_string()));
            faults.concat()
        };
        assert!(fault("{erly}").contains("did you mean 'early'?"));
        assert!(fault("{early:x}").contains("no number of decimals"));
        assert!(fault("{early").contains("not closed"));
    }
}
