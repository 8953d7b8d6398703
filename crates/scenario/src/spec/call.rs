//! `name(key=value, ...)`, taken apart.

use std::ops::Range;

use crate::error::{BadInput, listed, quoted};
use crate::nearest::nearest;

/// A specification's name and its parameters, each used once.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    arguments: Vec<(Option<&'a str>, &'a str)>,
    known: Vec<&'static str>,
}

impl<'a> Call<'a> {
    /// Takes `text` apart. Each parameter may be given once.
    pub(super) fn parse(text: &'a str) -> Result<Self, BadInput> {
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            None if text.contains(')') => {
                return Err(BadInput::new(format!("{} lacks '('", quoted(text))));
            }
            None => (text, ""),
            Some((name, rest)) => (name.trim_end(), closed(text, rest)?),
        };
        if name.is_empty() {
            return Err(BadInput::new("a name is missing").hint("write name or name(key=value)"));
        }
        let mut arguments: Vec<(Option<&str>, &str)> = Vec::new();
        for argument in split_list(inside)? {
            let (key, value) = match argument.split_once('=') {
                Some((key, value)) => (Some(key.trim()), value.trim()),
                None => (None, argument),
            };
            if value.is_empty() || key == Some("") {
                let what = format!("{} is not key=value", quoted(argument));
                return Err(BadInput::new(what).at(name));
            }
            if key.is_some() && arguments.iter().any(|(k, _)| *k == key) {
                return Err(BadInput::new("is given twice").at(key.unwrap_or_default()).at(name));
            }
            arguments.push((key, value));
        }
        Ok(Self { name, arguments, known: Vec::new() })
    }

    /// The value of a parameter, read by `parse`.
    pub(super) fn take<T>(
        &mut self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, BadInput>,
    ) -> Result<Option<T>, BadInput> {
        self.known.push(key);
        let Some(place) = self.arguments.iter().position(|(k, _)| *k == Some(key)) else {
            return Ok(None);
        };
        let (_, value) = self.arguments.remove(place);
        parse(value).map(Some).map_err(|e| e.at(key).at(self.name))
    }

    /// The value of a parameter that must be given.
    pub(super) fn need<T>(
        &mut self,
        key: &'static str,
        example: &str,
        parse: impl FnOnce(&str) -> Result<T, BadInput>,
    ) -> Result<T, BadInput> {
        let missing = BadInput::new(format!("'{key}' is missing"))
            .hint(format!("write {example}"))
            .at(self.name);
        self.take(key, parse)?.ok_or(missing)
    }

    /// The values without a key.
    pub(super) fn positional(&mut self) -> Vec<&'a str> {
        let (without, with) = self.arguments.drain(..).partition(|(key, _)| key.is_none());
        self.arguments = with;
        let without: Vec<(Option<&str>, &str)> = without;
        without.into_iter().map(|(_, value)| value).collect()
    }

    /// All `key=value` that have not been taken.
    pub(super) fn pairs(self) -> Result<Vec<(&'a str, &'a str)>, BadInput> {
        let name = self.name;
        self.arguments
            .into_iter()
            .map(|(key, value)| {
                let unnamed = || BadInput::new(format!("{} is not key=value", quoted(value)));
                key.map(|k| (k, value)).ok_or_else(|| unnamed().at(name))
            })
            .collect()
    }

    /// Refuses parameters that have not been taken.
    pub(super) fn finish(self) -> Result<(), BadInput> {
        let Some((key, value)) = self.arguments.first() else {
            return Ok(());
        };
        Err(no_parameter(self.name, key.unwrap_or(value), &self.known))
    }
}

/// The error for a parameter that does not exist.
pub(super) fn no_parameter(name: &str, key: &str, known: &[&str]) -> BadInput {
    let error = BadInput::new(format!("has no parameter {}", quoted(key))).at(name);
    match nearest(key, known.iter().copied()) {
        _ if known.is_empty() => error.hint("it has none"),
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => error.hint(format!("it has {}", listed(known.iter().copied()))),
    }
}

/// The text before the parenthesis that closes it.
fn closed<'a>(text: &str, rest: &'a str) -> Result<&'a str, BadInput> {
    let inside = rest
        .trim_end()
        .strip_suffix(')')
        .ok_or_else(|| BadInput::new(format!("{} does not end with ')'", quoted(text))))?;
    if inside.contains(['(', ')']) {
        let what = format!("{} has parentheses within parentheses", quoted(text));
        return Err(BadInput::new(what));
    }
    Ok(inside)
}

/// The parts of a list. Commas inside parentheses do not separate; an empty text has no parts.
///
/// ```
/// use westwood_scenario::spec::split_list;
/// assert_eq!(split_list("reno, westwood+(tau=0.3s,filter=b)").unwrap(),
///            ["reno", "westwood+(tau=0.3s,filter=b)"]);
/// ```
pub fn split_list(text: &str) -> Result<Vec<&str>, BadInput> {
    Ok(list_parts(text)?.into_iter().map(|part| &text[part]).collect())
}

/// The bytes of each entry of a list, blanks around them left out.
pub(crate) fn list_parts(text: &str) -> Result<Vec<Range<usize>>, BadInput> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    let trimmed = |part: Range<usize>| {
        let within = &text[part.clone()];
        let start = part.start + within.len() - within.trim_start().len();
        start..start + within.trim().len()
    };
    let parts: Vec<Range<usize>> = parts.into_iter().map(trimmed).collect();
    if parts.iter().any(Range::is_empty) {
        return Err(BadInput::new(format!("{} has an empty entry", quoted(text))));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gives_each_parameter_once() {
        let mut call = Call::parse("f( a = 1, b=x )").unwrap();
        assert_eq!(call.name, "f");
        assert_eq!(call.take("a", |v| Ok(v.to_owned())).unwrap().as_deref(), Some("1"));
        assert_eq!(call.take("c", |v| Ok(v.to_owned())).unwrap(), None);
        let left = call.finish().unwrap_err().to_string();
        assert_eq!(left, "f: has no parameter 'b'; it has a and c");
    }

    #[test]
    fn malformed_calls_are_refused() {
        for text in [
            "",
            "(a=1)",
            "f(",
            "f(a=1",
            "f)",
            "f(a=1))",
            "f((a=1))",
            "f(a=)",
            "f(=1)",
            "f(a=1,a=2)",
            "f(a=1,,b=2)",
            "f(a=1)x",
        ] {
            assert!(Call::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_refuse_empty_entries() {
        assert!(split_list("a,,b").is_err());
        assert!(split_list("a,").is_err());
        assert_eq!(split_list(" ").unwrap(), Vec::<&str>::new());
    }
}
