//! Locations in the text of a file or in the flags.

use std::fmt;
use std::ops::Range;

/// A stretch of one of the texts that make a scenario: the file, a flag's value, or a `--set`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    source: u32,
    start: usize,
    end: usize,
}

impl Location {
    /// These bytes of a text; texts are numbered as [`Sources`] has them.
    pub fn new(source: u32, span: &Range<usize>) -> Self {
        Self { source, start: span.start, end: span.end.max(span.start) }
    }

    /// The beginning of the file.
    pub const fn start() -> Self {
        Self { source: 0, start: 0, end: 0 }
    }
}

/// Two values that mean the same are printed alike, wherever they stand.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("@")
    }
}

/// The texts that make a scenario.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<SourceText>,
}

#[derive(Clone, Debug)]
struct SourceText {
    name: String,
    text: String,
    /// The text is a flag's value: its name says where it stands.
    flag: bool,
}

/// A place as people count: lines and columns from 1, and the line itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position<'a> {
    /// The name of the text.
    pub(super) name: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) text: &'a str,
    /// Bytes of the line before the place, and how many the place has on this line.
    pub(super) before: usize,
    pub(super) length: usize,
}

impl Sources {
    /// Adds a text and answers its number.
    pub fn add(&mut self, name: &str, text: &str) -> u32 {
        self.push(name, text, false)
    }

    /// Adds the value of a flag, such as `--rate`, and answers where it stands.
    pub(super) fn add_flag(&mut self, name: &str, value: &str) -> Location {
        let source = self.push(name, value, true);
        Location::new(source, &(0..value.len()))
    }

    fn push(&mut self, name: &str, text: &str, flag: bool) -> u32 {
        self.texts.push(SourceText { name: name.to_owned(), text: text.to_owned(), flag });
        u32::try_from(self.texts.len() - 1).unwrap_or(u32::MAX)
    }

    /// The flag whose value stands at this place.
    pub(super) fn flag(&self, place: Location) -> Option<&str> {
        let source = self.texts.get(place.source as usize)?;
        source.flag.then_some(source.name.as_str())
    }

    /// A part of a text in quotes that stands at `place`: its bytes `part`, counted behind the
    /// quotes. Escapes before the part count as they are written.
    pub fn within(&self, place: Location, part: &Range<usize>) -> Location {
        let text = self.texts.get(place.source as usize).map_or("", |source| source.text.as_str());
        let rest = text.get(place.start..).unwrap_or_default();
        let quotes = match rest.get(..3) {
            Some("\"\"\"" | "'''") => 3 + usize::from(rest[3..].starts_with('\n')),
            _ => usize::from(rest.starts_with(['"', '\''])),
        };
        let at = |offset: usize| (place.start + quotes + offset).min(place.end);
        Location { start: at(part.start), end: at(part.end), ..place }
    }

    /// The file's name; empty if there is no file.
    pub(super) fn file(&self) -> &str {
        self.texts.first().map_or("", |source| &source.name)
    }

    /// The line and column of a place; none for one in a flag or in no text.
    pub(super) fn position(&self, place: Location) -> Option<Position<'_>> {
        let source = self.texts.get(place.source as usize)?;
        let SourceText { name, text, flag: false } = source else { return None };
        if name.is_empty() {
            return None;
        }
        let start = floor_boundary(text, place.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let end = floor_boundary(text, place.end).min(line_start + line.len()).max(start);
        Some(Position {
            name,
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            text: line,
            before: (start - line_start).min(line.len()),
            length: end - start,
        })
    }
}

/// The last boundary of a character at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let mut sources = Sources::default();
        sources.add("f", "a = 1\r\nµ = \"xy\"\n");
        let at = |span: Range<usize>| {
            let p = sources.position(Location::new(0, &span)).unwrap();
            (p.line, p.column, p.text, p.length)
        };
        assert_eq!(at(0..1), (1, 1, "a = 1", 1));
        assert_eq!(at(12..16), (2, 5, "µ = \"xy\"", 4));
        assert_eq!(at(4..14), (1, 5, "a = 1", 1));
        assert_eq!(at(900..901), (3, 1, "", 0));
    }
}
