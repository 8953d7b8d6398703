//! The faults of a file: each with its line and a caret under the place.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use westwood_cc::Bytes;
use westwood_cc::own::OwnChoice;

use super::location::{Location, Position, Sources};
use crate::error::BadInput;
use crate::sorting::sort_by;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileFault {
    pub(super) place: Location,
    /// The bytes of the text at that place that it is about; none for all of it.
    part: Option<Range<usize>>,
    message: String,
    hint: Option<String>,
}

/// The faults found so far, and the controllers of the file, by whose names others are read.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    list: Vec<FileFault>,
    /// The same faults, to find one again among very many.
    known: HashSet<FileFault>,
    own_controllers: Vec<OwnChoice>,
    /// A full segment of the scenario's transport.
    packet: Bytes,
    /// Says which tables have a field, for those that look for it elsewhere.
    place_of_field: Option<fn(&str) -> Option<String>>,
    /// The number of faults noted, repeated ones included.
    noted: usize,
}

impl Faults {
    /// Notes a fault; the same one again is kept once.
    pub fn add(&mut self, place: Location, error: BadInput) {
        self.push(place, None, error);
    }

    /// The same of a part of the text in quotes at this place: its bytes, counted behind the quotes.
    pub(super) fn add_within(&mut self, place: Location, part: Range<usize>, error: BadInput) {
        self.push(place, Some(part), error);
    }

    /// None so far, of a file whose fields this function finds.
    pub(super) fn of_fields(place_of_field: fn(&str) -> Option<String>) -> Self {
        Self { place_of_field: Some(place_of_field), ..Self::default() }
    }

    /// The tables that have a field of this name, in words.
    pub(super) fn place_of_field(&self, key: &str) -> Option<String> {
        self.place_of_field.and_then(|find| find(key))
    }

    /// From here on these controllers may be named, and no others of a file.
    pub(super) fn know_controllers(&mut self, controllers: &[OwnChoice]) {
        self.own_controllers = controllers.to_vec();
    }

    /// From here on a full segment has this size.
    pub(super) fn know_packet(&mut self, packet: Bytes) {
        self.packet = packet;
    }

    /// The size of a full segment of the scenario's transport, as far as it is known before all is read.
    pub(super) fn packet(&self) -> Bytes {
        self.packet
    }

    /// The file's controllers.
    pub(super) fn own_controllers(&self) -> &[OwnChoice] {
        &self.own_controllers
    }

    fn push(&mut self, place: Location, part: Option<Range<usize>>, error: BadInput) {
        let (message, hint) = error.into_parts();
        let fault = FileFault { place, part, message, hint };
        self.noted += 1;
        if self.known.insert(fault.clone()) {
            self.list.push(fault);
        }
    }

    /// Notes an error, or answers the value.
    pub fn check<T>(&mut self, place: Location, result: Result<T, BadInput>) -> Option<T> {
        result.map_err(|error| self.add(place, error)).ok()
    }

    /// True if nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of different ones.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Answers nothing if a fault was noted since `before`, a number that
    /// [`noted`](Self::noted) gave.
    pub(super) fn unless_since<T>(&self, before: usize, value: T) -> Option<T> {
        (self.noted == before).then_some(value)
    }

    /// The number of faults noted.
    pub(super) fn noted(&self) -> usize {
        self.noted
    }

    /// All of them in the order of the file.
    pub fn into_error(mut self, sources: &Sources) -> BadFile {
        for fault in &mut self.list {
            if let Some(part) = fault.part.take() {
                fault.place = sources.within(fault.place, &part);
            }
        }
        sort_by(&mut self.list, |a, b| a.place.cmp(&b.place));
        BadFile { faults: self.list, sources: sources.clone() }
    }
}

/// A fault, for a caller who shows its parts apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultParts<'a> {
    /// Its place: `file:line:column`, or a flag as in `--rate`.
    pub place: Option<String>,
    /// The fault.
    pub message: &'a str,
    /// The text to write instead.
    pub hint: Option<&'a str>,
    /// The line of the text that has the place; none for a flag.
    pub line: Option<&'a str>,
}

/// Everything that is wrong with a scenario file, or with flags.
///
/// Prints one block a fault: place, message, the line, a caret below it and what to write instead; of a
/// flag one line. Blocks after the first begin with `error: `.
#[derive(Clone, Debug)]
pub struct BadFile {
    faults: Vec<FileFault>,
    sources: Sources,
}

impl BadFile {
    /// The number of faults printed; more would push the first one out of sight.
    const MOST: usize = 20;

    /// The number of faults.
    pub fn count(&self) -> usize {
        self.faults.len()
    }

    /// The faults in the order of the file.
    pub fn faults(&self) -> impl Iterator<Item = FaultParts<'_>> {
        self.faults.iter().map(|fault| FaultParts {
            place: match (self.sources.position(fault.place), self.sources.flag(fault.place)) {
                (Some(p), _) => Some(format!("{}:{}:{}", p.name, p.line, p.column)),
                (None, Some(flag)) => Some(flag.to_owned()),
                (None, None) => None,
            },
            message: &fault.message,
            hint: fault.hint.as_deref(),
            line: self.sources.position(fault.place).map(|position| position.text),
        })
    }

    /// The places, `file:line:column`, and messages, in the order of the file.
    pub fn lines(&self) -> Vec<String> {
        self.faults().map(|fault| fault.headline()).collect()
    }
}

impl FaultParts<'_> {
    fn headline(&self) -> String {
        match &self.place {
            Some(place) => format!("{place}: {}", self.message),
            None => self.message.to_owned(),
        }
    }
}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (fault, parts)) in
            self.faults.iter().zip(self.faults()).take(Self::MOST).enumerate()
        {
            if i > 0 {
                f.write_str("\nerror: ")?;
            }
            f.write_str(&parts.headline())?;
            match self.sources.position(fault.place) {
                Some(position) => excerpt(f, &position, parts.hint)?,
                None => parts.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))?,
            }
        }
        match self.faults.len() {
            0 | 1 => Ok(()),
            _ if self.sources.file().is_empty() => Ok(()),
            n if n > Self::MOST => {
                write!(f, "\n{n} errors in {}, the first {}", self.sources.file(), Self::MOST)
            }
            n => write!(f, "\n{n} errors in {}", self.sources.file()),
        }
    }
}

impl std::error::Error for BadFile {}

/// The line, the caret and the hint.
fn excerpt(f: &mut fmt::Formatter<'_>, position: &Position<'_>, hint: Option<&str>) -> fmt::Result {
    let margin = position.line.to_string().len();
    let (before, marked, after) = window(position);
    let caret = "^".repeat(marked.chars().count().max(1));
    let indent = " ".repeat(before.chars().count());
    write!(f, "\n{:margin$} |", "")?;
    write!(f, "\n{} | {before}{marked}{after}", position.line)?;
    write!(f, "\n{:margin$} | {indent}{caret}", "")?;
    hint.map_or(Ok(()), |hint| write!(f, "\n{:margin$} = {hint}", ""))
}

/// The part of the line that is shown: the text before the place, at it and behind it.
fn window(p: &Position<'_>) -> (String, String, String) {
    const BEFORE: usize = 60;
    const LENGTH: usize = 60;
    const AFTER: usize = 40;
    let (before, rest) = p.text.split_at(p.before);
    let (marked, after) = rest.split_at(p.length);
    let skipped = before.chars().count().saturating_sub(BEFORE);
    let shown = |text: &str, skip: usize, most: usize| -> String {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        text.chars().skip(skip).take(most).map(plain).collect()
    };
    (shown(before, skipped, BEFORE), shown(marked, 0, LENGTH), shown(after, 0, AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, faults: &[(std::ops::Range<usize>, BadInput)]) -> BadFile {
        let mut sources = Sources::default();
        sources.add("f.toml", text);
        let mut found = Faults::default();
        for (span, error) in faults {
            found.add(Location::new(0, span), error.clone());
        }
        found.into_error(&sources)
    }

    #[test]
    fn a_fault_shows_its_place_its_line_a_caret_and_what_to_write() {
        let wrong = BadInput::new("'1' has no unit").hint("write 1ms");
        let text = error("x = 1\nrtt = \"1\"\n", &[(12..15, wrong)]).to_string();
        let expected =
            "f.toml:2:7: '1' has no unit\n  |\n2 | rtt = \"1\"\n  |       ^^^\n  = write 1ms";
        assert_eq!(text, expected);
    }

    #[test]
    fn faults_are_printed_once_each_in_the_order_of_the_file() {
        let (a, b) = (BadInput::new("a"), BadInput::new("b"));
        let error = error("x\ny\n", &[(2..3, b), (0..1, a.clone()), (0..1, a)]);
        assert_eq!(error.lines(), ["f.toml:1:1: a", "f.toml:2:1: b"]);
        assert!(error.to_string().ends_with("2 errors in f.toml"));
    }

    #[test]
    fn a_long_line_is_shown_in_part_and_without_control_characters() {
        let line = format!("{}\u{1b}[31m{}", "a".repeat(5000), "b".repeat(5000));
        let text = error(&line, &[(4999..5003, BadInput::new("no"))]).to_string();
        assert!(text.len() < 400, "{}", text.len());
        assert!(!text.contains('\u{1b}'));
    }
}
