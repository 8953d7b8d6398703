//! Tables of time and rate.
//!
//! Fields are separated by the first of comma, semicolon and tab that the first line has; quotes around
//! a field are taken off, and separators within quotes are not understood. No line has more fields than
//! the first one. Times are from any zero and increase. A rate holds from its time to that of the next
//! row, the last as long as the one before. Empty lines and lines that begin with `#` are passed over.

use westwood_cc::{Duration, Rate};

use super::{RateSpan, TraceFault};
use crate::error::{BadInput, counted, quoted};
use crate::units;

/// Which columns of a table are time and rate, and in which units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvForm {
    /// The column of the time: its name in the first line, or its number from 1.
    pub time: String,
    /// The column of the rate.
    pub rate: String,
    /// The unit of times without one: `s`.
    pub time_unit: String,
    /// The unit of rates without one: `Mbit/s`.
    pub rate_unit: String,
}

/// A field and where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct CsvField<'a> {
    pub(super) text: &'a str,
    column: usize,
}

/// A row and its line.
#[derive(Clone, Debug)]
pub(super) struct CsvRow<'a> {
    line: usize,
    pub(super) fields: Vec<CsvField<'a>>,
}

impl CsvRow<'_> {
    /// A fault of a field, or of the end of the row if it lacks that.
    pub(super) fn fault(&self, field: usize, what: BadInput) -> TraceFault {
        let last = self.fields.last().map_or(1, |last| last.column + last.text.chars().count());
        let column = self.fields.get(field).map_or(last, |field| field.column);
        TraceFault::new(self.line, column, what)
    }

    /// Refuses a row with more in it than another: a decimal comma would make two numbers of one.
    fn is_no_longer_than(&self, first: &Self) -> Result<(), TraceFault> {
        let most = first.fields.len();
        let is_longer = self.fields.iter().skip(most).any(|field| !field.text.is_empty());
        if !is_longer {
            return Ok(());
        }
        let fields = counted(self.fields.len() as u64, "field");
        let what = BadInput::new(format!("the line has {fields}, and the first one {most}"));
        let hint = "numbers have decimal points, and no field has the separator in it";
        Err(self.fault(most, what.hint(hint)))
    }

    /// A field's text.
    pub(super) fn text(&self, field: usize) -> Result<&str, TraceFault> {
        let missing = || {
            let fields = counted(self.fields.len() as u64, "field");
            let what = format!("the line has {fields}, not {}", field + 1);
            self.fault(field, BadInput::new(what))
        };
        self.fields.get(field).map(|field| field.text).ok_or_else(missing)
    }
}

/// The rows of a table.
pub(super) fn rows(text: &str) -> Result<Vec<CsvRow<'_>>, TraceFault> {
    let is_row = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let Some(first) = text.lines().find(is_row) else {
        return Err(TraceFault::new(1, 1, BadInput::new("the table is empty")));
    };
    let separator = [',', ';', '\t'].into_iter().find(|c| first.contains(*c)).unwrap_or(',');
    let numbered = (1..).zip(text.lines()).filter(|(_, line)| is_row(line));
    Ok(numbered.map(|(line, text)| CsvRow { line, fields: fields(text, separator) }).collect())
}

fn fields(line: &str, separator: char) -> Vec<CsvField<'_>> {
    let mut column = 1;
    let field = |part: &str| -> (usize, usize) {
        let lead = part.chars().take_while(|c| c.is_whitespace()).count();
        (lead, part.chars().count())
    };
    line.split(separator)
        .map(|part| {
            let (lead, length) = field(part);
            let begin = column + lead;
            column += length + 1;
            CsvField { text: part.trim().trim_matches('"'), column: begin }
        })
        .collect()
}

/// The place of a column, by name or number.
pub(super) fn column(head: &CsvRow<'_>, wanted: &str) -> Result<usize, TraceFault> {
    if let Some(number) = wanted.parse::<usize>().ok().filter(|number| *number > 0) {
        return Ok(number - 1);
    }
    let names: Vec<&str> = head.fields.iter().map(|field| field.text).collect();
    let found = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    found.ok_or_else(|| head.fault(0, BadInput::unknown("column", wanted, names)))
}

impl CsvForm {
    /// The rates of a table.
    ///
    /// # Errors
    /// If a line lacks a field or has too many, a field is no time or rate, or times do not increase.
    ///
    /// ```
    /// use westwood_scenario::traces::{CsvForm, opportunities};
    /// let word = str::to_owned;
    /// let form = CsvForm {
    ///     time: word("t"), rate: word("down"), time_unit: word("ms"), rate_unit: word("Mbit/s"),
    /// };
    /// let spans = form.read("t,down\n0,12\n2,6\n4,0\n").unwrap();
    /// assert_eq!(opportunities(spans).unwrap(), "1\n2\n4\n");
    /// let fault = form.read("t,down\n0,12\n2,fast\n").unwrap_err();
    /// assert_eq!((fault.line, fault.column), (3, 3));
    /// ```
    pub fn read(&self, text: &str) -> Result<Vec<RateSpan>, TraceFault> {
        let rows = rows(text)?;
        let (time, rate) = (column(&rows[0], &self.time)?, column(&rows[0], &self.rate)?);
        // Names stand in the first line, and so does what cannot be a number.
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.');
        let has_head = !rows[0].text(time)?.starts_with(is_number);
        let mut points: Vec<(Duration, Rate)> = Vec::new();
        for row in rows.iter().skip(usize::from(has_head)) {
            row.is_no_longer_than(&rows[0])?;
            let at = quantity(row, time, &self.time_unit, units::duration)?;
            if points.last().is_some_and(|(last, _)| at <= *last) {
                let what = BadInput::new(format!("{} is not later", quoted(row.text(time)?)));
                return Err(row.fault(time, what.hint("times must increase from line to line")));
            }
            points.push((at, quantity(row, rate, &self.rate_unit, units::rate)?));
        }
        spans(&points).ok_or_else(|| {
            let what = BadInput::new("the table has fewer than two rows of numbers");
            rows[rows.len() - 1].fault(0, what.hint("a rate holds until the time of the next row"))
        })
    }
}

/// A number with its own unit, or with the table's.
fn quantity<T>(
    row: &CsvRow<'_>,
    field: usize,
    unit: &str,
    read: fn(&str) -> Result<T, BadInput>,
) -> Result<T, TraceFault> {
    let text = row.text(field)?;
    let is_bare = text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    let given = if is_bare { format!("{text} {unit}") } else { text.to_owned() };
    read(&given).map_err(|what| row.fault(field, what))
}

/// Each rate until the next; none of a single one.
fn spans(points: &[(Duration, Rate)]) -> Option<Vec<RateSpan>> {
    let lasting = |pair: &[(Duration, Rate)]| pair[1].0 - pair[0].0;
    let last = lasting(points.get(points.len().checked_sub(2)?..)?);
    let until = points.windows(2).map(lasting).chain([last]);
    Some(
        points
            .iter()
            .zip(until)
            .map(|((_, rate), lasts)| RateSpan { lasts, rate: *rate })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> CsvForm {
        let word = str::to_owned;
        let (time, rate) = (word("1"), word("2"));
        CsvForm { time, rate, time_unit: word("s"), rate_unit: word("Mbit/s") }
    }

    #[test]
    fn tables_with_and_without_names_with_any_separator_and_zero_are_the_same() {
        let plain = form().read("0,10\n1,20\n").unwrap();
        assert_eq!(plain[1].lasts, Duration::from_secs(1));
        assert_eq!(plain[1].rate, Rate::from_bits_per_s(20_000_000));
        for text in [
            "time;rate\n0;10\n1;20\n",
            "# made, by hand\n\n\"0\"\t\"10\"\n\n1\t20\r\n",
            "100, 10\n101, 20\n",
            "0ms,10000 kbit/s\n1000ms,20Mbps\n",
        ] {
            assert_eq!(form().read(text).unwrap(), plain, "{text}");
        }
    }

    #[test]
    fn a_fault_is_told_with_line_and_column() {
        for (text, says) in [
            ("", "f:1:1: the table is empty"),
            ("0,10\n", "f:1:1: the table has fewer than two rows of numbers"),
            ("0,10\n1\n", "f:2:2: the line has 1 field, not 2"),
            ("t,down\n0,40,3\n1,2,5\n", "f:2:6: the line has 3 fields, and the first one 2"),
            ("t,down\n0,\"40,3\"\n1,2\n", "f:2:7: the line has 3 fields, and the first one 2"),
            ("0,10\n  1, fast\n", "f:2:6: 'fast'"),
            ("0,10\n0,10\n", "f:2:1: '0' is not later"),
            ("0,10\n1,-5\n", "f:2:3: '-5"),
        ] {
            let said = form().read(text).unwrap_err().within("f").to_string();
            assert!(said.starts_with(says), "{said}");
        }
        let named = CsvForm { rate: "down".to_owned(), ..form() };
        let said = named.read("time,up\n0,1\n1,2\n").unwrap_err().within("f").to_string();
        assert!(said.starts_with("f:1:1: unknown column 'down'"), "{said}");
    }
}
