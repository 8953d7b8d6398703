//! Aligned columns.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use crate::style::Style;

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// The best of its column.
    pub(crate) best: bool,
    /// Its interval ends where the quantity ends, which a note below the table explains.
    pub(crate) cut: bool,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Two lines above it: what, and in which unit.
    pub(crate) head: [String; 2],
    pub(crate) cells: Vec<Cell>,
    /// A column is left out before those of a lower number, where the width does not suffice.
    pub(crate) rank: usize,
}

impl Column {
    /// The width of its cells and its head, and of the gap before them.
    pub(crate) fn taken(&self) -> usize {
        self.width() + GAP
    }

    fn width(&self) -> usize {
        let marked = self.cells.iter().any(|c| c.best);
        let tail = self.widest_tail();
        let cells = self.cells.iter().map(|c| c.text.width() + c.gap(tail)).max().unwrap_or(0);
        let head = self.head.iter().map(|h| h.width()).max().unwrap_or(0);
        (cells + usize::from(marked)).max(head)
    }

    /// The width of the widest interval with the space before it; 0 if no cell has one.
    fn widest_tail(&self) -> usize {
        let tails = self.cells.iter().filter_map(Cell::tail);
        tails.map(UnicodeWidthStr::width).max().unwrap_or(0)
    }
}

impl Cell {
    /// The interval behind the number, with the space before it.
    fn tail(&self) -> Option<&str> {
        let at = [" ±", " ≤", " ≥"].into_iter().find_map(|sign| self.text.find(sign))?;
        self.text.get(at..)
    }

    /// The empty place behind the text: a number without an interval leaves that of the others' intervals, so
    /// that means stand below each other.
    fn gap(&self, tail: usize) -> usize {
        let is_number = self.text.ends_with(|c: char| c.is_ascii_digit()) && self.tail().is_none();
        if is_number { tail } else { 0 }
    }
}

const GAP: usize = 2;

/// Writes a table: names under their heading to the left, columns to the right, as many as fit.
/// Answers the lines and the columns that fit, whose signs need their explanation.
pub(crate) fn render<'a>(
    heading: &str,
    names: &[String],
    columns: &'a [Column],
    style: Style,
) -> (Vec<String>, Vec<&'a Column>) {
    let name_width = width_of_names(heading, names, style);
    let shown = fitting(columns, style.width.saturating_sub(name_width));
    let mut lines = Vec::new();
    for row in 0..2 {
        let left = if row == 0 { heading } else { "" };
        let heads = shown.iter().map(|c| format!("{:>w$}", c.head[row], w = c.width() + GAP));
        let line = format!("{left:<name_width$}{}", heads.collect::<String>());
        lines.push(if row == 0 { style.bold(line.trim_end()) } else { style.dim(line.trim_end()) });
    }
    for (row, name) in names.iter().enumerate() {
        let mut line = padded_right(&shortened(name, name_width), name_width);
        for column in &shown {
            line.push_str(&cell(column, row, style));
        }
        lines.push(line.trim_end().to_owned());
    }
    (lines, shown)
}

/// The width of the names under their heading.
pub(crate) fn width_of_names(heading: &str, names: &[String], style: Style) -> usize {
    let widest = names.iter().map(|n| n.width()).max().unwrap_or(0).max(heading.width());
    let most_for_names = (style.width / 3).max(heading.width());
    let widths = [most_for_names, style.width / 2, style.width * 3 / 4];
    telling_apart(names, widths.map(|width| width.min(widest)))
}

/// The note on columns that do not fit, if there are any.
pub(crate) fn hidden_columns(hidden: usize, style: Style) -> Option<String> {
    let place = if style.width < Style::WIDEST { "a wider terminal" } else { "--html" };
    match hidden {
        0 => None,
        1 => Some(format!("One more column in {place}.")),
        n => Some(format!("{n} more columns in {place}.")),
    }
}

/// The first of these widths in which no two names look alike; the second if they do so in all.
fn telling_apart(names: &[String], widths: [usize; 3]) -> usize {
    // A name may have several rows.
    let all: BTreeSet<&String> = names.iter().collect();
    let distinct = |width: &usize| {
        let short: BTreeSet<String> = names.iter().map(|name| shortened(name, *width)).collect();
        short.len() == all.len()
    };
    widths.into_iter().find(distinct).unwrap_or(widths[1])
}

/// The columns that fit, in their order. Of two with the same rank the right one is left out first.
fn fitting(columns: &[Column], width: usize) -> Vec<&Column> {
    let mut by_rank: Vec<usize> = (0..columns.len()).collect();
    by_rank.sort_by_key(|place| columns[*place].rank);
    let mut left = width;
    let mut fits = vec![false; columns.len()];
    for place in by_rank {
        let needed = columns[place].taken();
        if needed > left {
            break;
        }
        left -= needed;
        fits[place] = true;
    }
    columns.iter().zip(fits).filter_map(|(column, fits)| fits.then_some(column)).collect()
}

/// A cell to the right of its column. The mark stands behind the number, so that digits align.
fn cell(column: &Column, row: usize, style: Style) -> String {
    let marked = column.cells.iter().any(|c| c.best);
    let cell = column.cells.get(row).cloned().unwrap_or_default();
    let mark = match (marked, cell.best) {
        (false, _) => "",
        (true, false) => " ",
        (true, true) => "*",
    };
    let gap = " ".repeat(cell.gap(column.widest_tail()));
    let text = format!("{}{mark}{gap}", cell.text);
    let padding = " ".repeat((column.width() + GAP).saturating_sub(text.width()));
    format!("{padding}{}", if cell.best { style.good(&text) } else { text })
}

fn padded_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Text within a width, its middle left out if need be: a name begins with its controller and ends
/// with the setting that tells it from its neighbours. The part behind the last comma is kept whole
/// where it takes less than two thirds.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let last = text.rsplit_once(", ").map_or(0, |(_, last)| last.width() + 1);
    let tail = if last * 3 <= width * 2 { last.max(room / 3) } else { room / 2 };
    let head = leading(text.chars(), room - tail.min(room));
    let tail = leading(text.chars().rev(), tail.min(room));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// The first of these characters, as many as a width holds.
fn leading(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut text = String::new();
    for c in characters {
        if format!("{text}{c}").width() > width {
            break;
        }
        text.push(c);
    }
    text
}

/// Words that stay on the line of the number before them.
const UNITS: &[&str] =
    &["s", "ms", "us", "min", "h", "%", "kbit/s", "Mbit/s", "Gbit/s", "kB", "MB"];

/// Lines of at most this width, broken at spaces, but not between a number and its unit.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mut word = word.to_owned();
        if let Some(unit) =
            words.next_if(|next| word.ends_with(|c: char| c.is_ascii_digit()) && is_unit(next))
        {
            word = format!("{word} {unit}");
        }
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.join("\n")
}

/// A message of several lines, each of at most this width: an excerpt of a file stays as it is, what
/// stands behind its margin is wrapped there.
pub fn wrapped_message(text: &str, width: usize) -> String {
    text.split('\n').map(|line| wrapped_line(line, width)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    let inside = line.trim_start();
    let is_excerpt =
        inside.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|');
    if line.width() <= width || is_excerpt {
        return line.to_owned();
    }
    let indent = line.len() - inside.len();
    let hanging = if inside.starts_with("= ") { indent + 2 } else { indent };
    let first = wrapped(inside, width.saturating_sub(hanging).max(1));
    let margin = " ".repeat(hanging);
    format!("{}{}", &line[..indent], first.replace('\n', &format!("\n{margin}")))
}

/// Whether a word is a unit, punctuation behind it or not.
fn is_unit(word: &str) -> bool {
    UNITS.contains(&word.trim_end_matches([',', ';', ':', '.', ')']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(head: &str, cells: &[&str], best: usize, rank: usize) -> Column {
        let cell = |(i, text): (usize, &&str)| Cell {
            text: (*text).to_owned(),
            best: i == best,
            cut: false,
        };
        Column {
            head: [head.to_owned(), "unit".to_owned()],
            cells: cells.iter().enumerate().map(cell).collect(),
            rank,
        }
    }

    #[test]
    fn messages_are_wrapped_and_excerpts_are_not() {
        let text = "error: f.toml:2:1: a fault of many words\n  |\n2 | a line of a file   as it \
                    is\n  | ^^^^\n  = a hint of many words too";
        let expected = "error: f.toml:2:1: a\nfault of many words\n  |\n2 | a line of a file   as it \
                        is\n  | ^^^^\n  = a hint of many\n    words too";
        assert_eq!(wrapped_message(text, 20), expected);
        assert_eq!(wrapped_message(text, 200), text);
    }

    #[test]
    fn digits_align_whether_marked_or_not() {
        let names = ["reno".to_owned(), "cubic".to_owned()];
        let columns = [column("x", &["1 ± 2", "10 ± 20"], 1, 0)];
        let (lines, shown) = render("controller", &names, &columns, Style::PLAIN);
        assert_eq!(shown.len(), 1);
        assert_eq!(lines[2], "reno          1 ± 2");
        assert_eq!(lines[3], "cubic       10 ± 20*");
    }

    #[test]
    fn a_mean_without_an_interval_stands_below_those_with_one() {
        let names = ["reno".to_owned(), "cubic".to_owned(), "bbr".to_owned()];
        let columns = [column("x", &["1.2 ±0.34", "100", "-"], 1, 0)];
        let (lines, _) = render("controller", &names, &columns, Style::PLAIN);
        assert_eq!(lines[2], "reno        1.2 ±0.34");
        assert_eq!(lines[3], "cubic       100*");
        assert_eq!(lines[4], "bbr                 -");
        let alone = [column("x", &["1", "20"], 9, 0)];
        let (lines, _) = render("controller", &names[..2], &alone, Style::PLAIN);
        assert_eq!(lines[2], "reno           1");
    }

    #[test]
    fn what_does_not_fit_is_left_out_by_rank() {
        let wide = "x".repeat(40);
        let columns = [
            column("last", &[&wide], 9, 2),
            column("a", &[&wide], 9, 0),
            column("b", &["1"], 9, 1),
        ];
        let (lines, shown) = render("controller", &["reno".to_owned()], &columns, Style::PLAIN);
        assert_eq!(shown.len(), 2);
        assert!(lines[0].contains('a') && lines[0].contains('b') && !lines[0].contains("last"));
        assert!(lines.iter().all(|l| l.width() <= 80));
    }

    #[test]
    fn of_two_columns_with_the_same_rank_one_may_be_left_out() {
        let wide = "x".repeat(30);
        let columns = [column("rivals", &[&wide], 9, 2), column("harm", &[&wide], 9, 2)];
        let style = Style { width: 60, ..Style::PLAIN };
        let (lines, shown) = render("controller", &["reno".to_owned()], &columns, style);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].head[0], "rivals");
        assert!(lines.iter().all(|l| l.width() <= 60), "{lines:?}");
    }

    #[test]
    fn the_widest_table_sends_to_the_page_for_what_it_leaves_out() {
        let note = |width| hidden_columns(2, Style { width, ..Style::PLAIN }).unwrap();
        assert_eq!(note(80), "2 more columns in a wider terminal.");
        assert_eq!(note(Style::WIDEST), "2 more columns in --html.");
    }

    #[test]
    fn long_names_are_shortened_and_long_text_is_broken() {
        assert_eq!(shortened("westwood+(tau=1s)", 9), "westwo…s)");
        assert_eq!(shortened("westwood+(tau=1s), loss=1%", 18), "westwood+… loss=1%");
        assert_eq!(shortened("cubic", 1), "…");
        assert_eq!(wrapped("a bb ccc", 4), "a bb\nccc");
        assert_eq!(wrapped("for 25 s; or 25 more", 6), "for\n25 s;\nor 25\nmore");
    }

    #[test]
    fn names_that_would_look_alike_are_given_more_room() {
        let names =
            ["cubic, buffer=1bdp, rate=10M", "cubic, buffer=4bdp, rate=10M"].map(String::from);
        assert_eq!(telling_apart(&names, [20, 40, 60]), 40);
        assert_eq!(telling_apart(&names, [25, 40, 60]), 25);
        assert_eq!(telling_apart(&names, [10, 15, 60]), 60);
        assert_eq!(telling_apart(&names, [10, 15, 20]), 15);
    }
}
