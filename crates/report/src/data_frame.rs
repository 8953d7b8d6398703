//! A table of results: typed columns with units in their names, as CSV and, with the feature
//! `parquet`, as Parquet.

use std::fmt::Write as _;

/// Appends a line of values, quoted where they need it.
fn row(text: &mut String, fields: &[String]) {
    for (i, field) in fields.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = if field.contains([',', '"', '\n', '\r']) {
            write!(text, "{comma}\"{}\"", field.replace('"', "\"\""))
        } else {
            write!(text, "{comma}{field}")
        };
    }
    text.push('\n');
}

/// The type of a column. Any value may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text; UTF-8 in Parquet.
    Text,
    /// A number; a double in Parquet.
    Float,
    /// A whole number; a 64-bit integer in Parquet, signed so that differences of two are right.
    Count,
    /// A seed; an unsigned 64-bit integer in Parquet.
    Seed,
    /// True or false.
    Switch,
}

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameValue {
    /// Text.
    Text(String),
    /// A number.
    Float(f64),
    /// A whole number.
    Count(u64),
    /// True or false.
    Switch(bool),
    /// Nothing.
    Absent,
}

/// A table: columns and rows, each row as long as there are columns.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFrame {
    /// The name of its files, without an ending.
    pub name: &'static str,
    /// Names and kinds of the columns.
    pub columns: Vec<(String, ColumnType)>,
    /// The rows.
    pub rows: Vec<Vec<FrameValue>>,
}

impl From<&str> for FrameValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for FrameValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<f64> for FrameValue {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<u64> for FrameValue {
    fn from(number: u64) -> Self {
        Self::Count(number)
    }
}

impl From<bool> for FrameValue {
    fn from(on: bool) -> Self {
        Self::Switch(on)
    }
}

impl<T: Into<FrameValue>> From<Option<T>> for FrameValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl FrameValue {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Float(number) => number.to_string(),
            Self::Count(number) => number.to_string(),
            Self::Switch(on) => on.to_string(),
            Self::Absent => String::new(),
        }
    }
}

impl DataFrame {
    /// As comma-separated values (RFC 4180); an absent value is empty.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        row(&mut text, &names);
        for values in &self.rows {
            let fields: Vec<String> = values.iter().map(FrameValue::text).collect();
            row(&mut text, &fields);
        }
        text
    }
}

/// A column: name, type and meaning.
pub(crate) type DocumentedColumn = (&'static str, ColumnType, &'static str);

/// The columns of a table.
pub(crate) type Columns = &'static [DocumentedColumn];

/// A table of a page: its columns with their meaning.
pub(crate) fn documented<'a>(
    text: &mut String,
    name: &str,
    about: &str,
    columns: impl Iterator<Item = &'a DocumentedColumn>,
) {
    let _ = write!(text, "### {name}\n\n{about}\n\n| column | type | meaning |\n|---|---|---|\n");
    for (name, kind, meaning) in columns {
        let kind = match kind {
            ColumnType::Text => "text",
            ColumnType::Float => "number",
            ColumnType::Count | ColumnType::Seed => "whole number",
            ColumnType::Switch => "true or false",
        };
        let _ = writeln!(text, "| `{name}` | {kind} | {meaning} |");
    }
    text.push('\n');
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A table with a value and an absent one in every kind of column.
    pub(crate) fn frame() -> DataFrame {
        let columns = [
            ("name", ColumnType::Text),
            ("goodput_bps", ColumnType::Float),
            ("seed", ColumnType::Seed),
            ("tested", ColumnType::Switch),
        ];
        DataFrame {
            name: "runs",
            columns: columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
            rows: vec![
                vec!["a, \"b\"".into(), 1.5.into(), u64::MAX.into(), true.into()],
                vec![FrameValue::Absent; 4],
            ],
        }
    }

    #[test]
    fn absent_values_are_empty_in_csv() {
        let text = frame().csv();
        let expected =
            "name,goodput_bps,seed,tested\n\"a, \"\"b\"\"\",1.5,18446744073709551615,true\n,,,\n";
        assert_eq!(text, expected);
    }
}
