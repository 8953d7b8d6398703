//! The error for a text that a user wrote.

use std::fmt;

use crate::nearest::{nearest, nearest_few};

/// A fault of a text that a user wrote, in one line: `place: message; hint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadInput {
    place: Option<String>,
    message: String,
    hint: Option<Hint>,
    /// The fault is a number below or above all that its kind of quantity holds.
    is_beyond: bool,
}

/// The text to write instead of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Hint {
    /// Words.
    Words(String),
    /// Values, each of which may be written.
    Values(Box<[String]>),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Values(values) => match values.split_last() {
                None => Ok(()),
                Some((only, [])) => write!(f, "write {only}"),
                Some((last, rest)) => write!(f, "write {} or {last}", rest.join(", ")),
            },
        }
    }
}

impl BadInput {
    /// A message in words that begin in lower case.
    pub fn new(message: impl Into<String>) -> Self {
        Self { place: None, message: message.into(), hint: None, is_beyond: false }
    }

    /// The text to write instead.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(Hint::Words(hint.into()));
        self
    }

    /// Values to write instead. A field that takes fewer than all of the notation leaves out those that it
    /// refuses by [`accepted_by`](Self::accepted_by).
    pub(crate) fn propose(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.hint = Some(Hint::Values(values.into_iter().collect()));
        self
    }

    /// The same error with those proposals alone that a field accepts. Where it accepts none, the number is
    /// beyond the field's range whatever its unit.
    pub(crate) fn accepted_by(mut self, accepts: impl Fn(&str) -> bool) -> Self {
        let Some(Hint::Values(values)) = self.hint else { return self };
        let left: Box<[String]> = values.into_iter().filter(|value| accepts(value)).collect();
        self.is_beyond |= left.is_empty();
        self.hint = Some(Hint::Values(left)).filter(|_| !self.is_beyond);
        self
    }

    /// The same error, with this hint in place of proposals: those of a part, in a field of several parts.
    pub(crate) fn proposing(self, hint: &str) -> Self {
        if matches!(self.hint, Some(Hint::Values(_))) { self.hint(hint) } else { self }
    }

    /// The place: the flag, or the part of a specification. Places nest from the outside in.
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(match self.place {
            Some(inner) => format!("{place}: {inner}"),
            None => place.to_string(),
        });
        self
    }

    /// The message with its place, and the hint, for a caller who prints them apart.
    pub fn into_parts(self) -> (String, Option<String>) {
        let message = match self.place {
            Some(place) => format!("{place}: {}", self.message),
            None => self.message,
        };
        (message, self.hint.map(|hint| hint.to_string()))
    }

    /// The same error without its place, for a caller who knows a better one.
    pub(crate) fn without_place(mut self) -> Self {
        self.place = None;
        self
    }

    /// `given` is none of the names of this kind of thing: the nearest one, or all of them.
    pub fn unknown<'a>(
        kind: &str,
        given: &str,
        names: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        Self::unknown_of(kind, given, names, |names| listed(names.iter().copied()))
    }

    /// The same of very many names, which a command lists: the nearest one, or the nearest few and the
    /// command.
    pub fn unknown_among<'a>(
        kind: &str,
        given: &str,
        names: impl IntoIterator<Item = &'a str> + Clone,
        command: &str,
    ) -> Self {
        let some = |names: &[&str]| some_of(given, names.iter().copied(), command);
        Self::unknown_of(kind, given, names, some)
    }

    fn unknown_of<'a>(
        kind: &str,
        given: &str,
        names: impl IntoIterator<Item = &'a str> + Clone,
        listed: impl Fn(&[&str]) -> String,
    ) -> Self {
        let error = Self::new(format!("unknown {kind} {}", quoted(given)));
        if let Some(name) = nearest(given, names.clone()) {
            return error.hint(format!("did you mean '{name}'?"));
        }
        let names: Vec<&str> = names.into_iter().collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        error.hint(format!("there {verb} {}", listed(&names)))
    }

    /// `given` lies outside what is allowed: both ends, in the user's notation.
    pub fn out_of_range(given: &str, low: impl fmt::Display, high: impl fmt::Display) -> Self {
        Self::beyond(given, "is out of range").within(low, high)
    }

    /// `given` is a number that its kind of quantity cannot hold, such as `is negative`. The reader
    /// knows no range; the field that it is for does, and says so by [`within`](Self::within).
    pub(crate) fn beyond(given: &str, fault: &str) -> Self {
        Self { is_beyond: true, ..Self::new(format!("{} {fault}", quoted(given))) }
    }

    /// Whether the fault is a number too small or too large.
    pub(crate) fn is_beyond(&self) -> bool {
        self.is_beyond
    }

    /// The same error of a value that has a range: if the number is beyond it, the hint names both ends.
    #[must_use]
    pub fn within(self, low: impl fmt::Display, high: impl fmt::Display) -> Self {
        self.if_beyond(format!("write a value from {low} to {high}"))
    }

    /// The same error, with this hint if the fault is a number too small or too large.
    #[must_use]
    pub fn if_beyond(self, hint: impl Into<String>) -> Self {
        if self.is_beyond { self.hint(hint) } else { self }
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for BadInput {}

/// A user's text within quotes: on one line, and not longer than a line.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("'{}'", shown.replace("\\'", "'").replace("\\\"", "\""))
}

/// `a, b and c`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// The names, or of more than a dozen the few nearest to `given`, and the command that lists all.
pub(crate) fn some_of<'a>(
    given: &str,
    names: impl IntoIterator<Item = &'a str>,
    command: &str,
) -> String {
    const MOST: usize = 12;
    const FEW: usize = 5;
    let names: Vec<&str> = names.into_iter().collect();
    if names.len() <= MOST {
        return listed(names);
    }
    let few = nearest_few(given, &names, FEW).join(", ");
    format!("{few} and {} more; {command} lists all", names.len() - FEW)
}

/// A count with its noun: `1 seed`, `2 seeds`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// So many of all, in words that a sentence can go on with: `2 of 8 runs`, `both runs`, `all 8 runs`, and
/// `the run` where there is one.
///
/// ```
/// use westwood_scenario::counted_of;
/// assert_eq!(counted_of(2, 8, "run"), "2 of 8 runs");
/// assert_eq!(counted_of(8, 8, "run"), "all 8 runs");
/// assert_eq!(counted_of(1, 1, "run"), "the run");
/// ```
pub fn counted_of(n: u64, all: u64, noun: &str) -> String {
    match (n, all) {
        (1, 1) => format!("the {noun}"),
        (2, 2) => format!("both {noun}s"),
        (n, all) if n == all && n > 0 => format!("all {}", counted(all, noun)),
        _ => format!("{n} of {}", counted(all, noun)),
    }
}

/// A text that begins a sentence: its first letter, if of ASCII, is a capital.
pub fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).map(str::make_ascii_uppercase);
    text
}

/// A sentence to stand within another: its first letter, if of ASCII, is a small one.
pub fn uncapitalized(sentence: &str) -> String {
    let mut sentence = sentence.to_owned();
    sentence.get_mut(..1).map(str::make_ascii_lowercase);
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_the_user_wrote() {
        let error = BadInput::unknown("queue", "a\nb\u{1b}[31m", ["red"]).at("--aqm");
        let text = error.to_string();
        assert_eq!(text.lines().count(), 1);
        assert!(!text.contains('\u{1b}'));
        assert!(quoted(&"x".repeat(1000)).chars().count() < 70);
    }

    #[test]
    fn an_error_names_the_nearest_name_or_all_of_them() {
        let text = |given| BadInput::unknown("queue", given, ["red", "codel"]).to_string();
        assert_eq!(text("codle"), "unknown queue 'codle'; did you mean 'codel'?");
        assert_eq!(text("zzzzzz"), "unknown queue 'zzzzzz'; there are red and codel");
    }

    #[test]
    fn places_nest() {
        let error = BadInput::new("no").at("tau").at("--cc");
        assert_eq!(error.to_string(), "--cc: tau: no");
    }
}
