//! Words, numbers, texts and signs of an expression.

use std::ops::Range;

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A number.
    Number(f64),
    /// A name; it may have dots.
    Word(String),
    /// A text in double quotes.
    Text(String),
    /// An operator, a parenthesis or what separates.
    Sign(&'static str),
}

/// A piece and its bytes.
pub(crate) type LocatedToken = (Token, Range<usize>);

const SIGNS: [&str; 18] =
    ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ",", "=", "?", ":", ";"];

/// A part of a text that is no piece of an expression.
pub(crate) struct UnreadablePart {
    pub(crate) bytes: Range<usize>,
    pub(crate) why: &'static str,
    /// The text to write instead.
    pub(crate) hint: Option<&'static str>,
}

/// The sign or word of these expressions for a sign of other languages.
fn written_here(sign: char) -> Option<&'static str> {
    Some(match sign {
        '&' => "write and",
        '|' => "write or",
        '!' => "write not",
        '%' => "write x - y * floor(x / y)",
        '{' | '}' => "there are no blocks: write condition ? a : b",
        _ => return None,
    })
}

/// Takes a text apart; the first part that cannot be read, otherwise.
pub(crate) fn lex(text: &str) -> Result<Vec<LocatedToken>, UnreadablePart> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = if c.is_ascii_digit() || c == '.' {
            let why = "a number is badly formed";
            number(rest).ok_or(UnreadablePart { bytes: at..at + 1, why, hint: None })?
        } else if c.is_alphabetic() || c == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
            let word = &rest[..length.unwrap_or(rest.len())];
            (Token::Word(word.to_owned()), word.len())
        } else if c == '"' {
            let without =
                UnreadablePart { bytes: at..text.len(), why: "a text has no end", hint: None };
            let end = rest[1..].find('"').ok_or(without)?;
            (Token::Text(rest[1..=end].to_owned()), end + 2)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            let (bytes, why) = (at..at + c.len_utf8(), "a sign that means nothing here");
            return Err(UnreadablePart { bytes, why, hint: written_here(c) });
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// A number as `12`, `0.5` or `1e-3`, and how many bytes it takes.
fn number(text: &str) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    text[..end].parse().ok().map(|value| (Token::Number(value), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        lex(text).ok().unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn a_minus_behind_a_number_is_a_sign_unless_an_exponent_follows() {
        use Token::{Number, Sign};
        assert_eq!(tokens("1e-3-2"), [Number(0.001), Sign("-"), Number(2.0)]);
        assert_eq!(tokens("3>=2"), [Number(3.0), Sign(">="), Number(2.0)]);
    }

    #[test]
    fn a_number_may_have_a_fraction_and_an_exponent_with_digits() {
        use Token::{Number, Sign, Word};
        assert_eq!(tokens("0.5 .25 12. 2.5e3 1E+2"), [0.5, 0.25, 12.0, 2500.0, 100.0].map(Number));
        assert_eq!(tokens("1e"), [Number(1.0), Word("e".to_owned())]);
        assert_eq!(tokens("1e-"), [Number(1.0), Word("e".to_owned()), Sign("-")]);
    }

    #[test]
    fn words_may_have_dots_and_texts_anything_but_quotes() {
        let expected = [
            Token::Word("link.b.rate".to_owned()),
            Token::Sign("="),
            Token::Text("10 Mbit/s".to_owned()),
        ];
        assert_eq!(tokens("link.b.rate = \"10 Mbit/s\""), expected);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_bytes() {
        assert_eq!(lex("1 + $").err().unwrap().bytes, 4..5);
        assert_eq!(lex("\"a").err().unwrap().bytes, 0..2);
        assert_eq!(lex("1 + .").err().unwrap().bytes, 4..5);
    }
}
