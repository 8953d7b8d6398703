//! Replies: a head in JSON, and columns behind it.
//!
//! ```text
//! 0   u32, little-endian: length of the head
//! 4   the head, spaces up to a multiple of 8
//! n   the parts, each from a multiple of 8 on
//! ```
//!
//! The head holds `ok` or `error` or `faults`, and of each part its place from `n` on. A column of numbers is
//! of 64-bit floats, one of names of 32-bit numbers, both little-endian; a text is UTF-8.

use serde::Serialize;
use serde_json::{Value, json};
use westwood_cc::Instant;
use westwood_scenario::dumbbell::seconds;

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum TypedColumn {
    /// Numbers; NaN where one is absent.
    Numbers(Vec<f64>),
    /// Places in a list of names; its length where one is absent.
    Names(Vec<u32>, Vec<String>),
}

/// A table of columns of the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnTable {
    /// Its name.
    pub name: &'static str,
    /// The columns, with their names.
    pub columns: Vec<(&'static str, TypedColumn)>,
}

impl ColumnTable {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| match column {
            TypedColumn::Numbers(values) => values.len(),
            TypedColumn::Names(values, _) => values.len(),
        })
    }
}

/// A time as a value of a column.
pub(crate) fn time_s(at: Instant) -> f64 {
    seconds(at.since(Instant::ZERO))
}

/// A count as a value of a column.
#[expect(clippy::cast_precision_loss, reason = "a drawing needs no more than 53 bits")]
pub(crate) fn count(value: u64) -> f64 {
    value as f64
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    head: serde_json::Map<String, Value>,
    parts: Vec<u8>,
}

/// One thing that is wrong with an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplyFault {
    /// The fault.
    pub message: String,
    /// The line of the scenario's text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The place in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The text to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Reply {
    /// A value.
    pub fn of(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::default().with("ok", value),
            Err(error) => Self::error(&error),
        }
    }

    /// The request cannot be carried out.
    pub fn error(why: &impl ToString) -> Self {
        Self::default().with("error", json!(why.to_string()))
    }

    /// The experiment is wrong.
    pub fn faults(faults: &[ReplyFault]) -> Self {
        Self::default().with("faults", json!(faults))
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        self.head.insert(key.to_owned(), value);
        self
    }

    /// The same with a text as a part.
    #[must_use]
    pub fn and_text(self, name: &str, text: &str) -> Self {
        self.and_part("texts", json!({ "name": name, "bytes": text.len() }), text.as_bytes())
    }

    /// The same with a table.
    #[must_use]
    pub fn and_table(mut self, table: &ColumnTable) -> Self {
        let mut columns = Vec::new();
        for (name, column) in &table.columns {
            let (kind, names) = match column {
                TypedColumn::Numbers(_) => ("number", None),
                TypedColumn::Names(_, names) => ("name", Some(names)),
            };
            let at = self.parts.len();
            columns.push(json!({ "name": name, "type": kind, "names": names, "at": at }));
            match column {
                TypedColumn::Numbers(values) => {
                    self.parts.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                }
                TypedColumn::Names(values, _) => {
                    self.parts.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                }
            }
            self.align();
        }
        let table = json!({ "name": table.name, "rows": table.rows(), "columns": columns });
        self.listed("tables", table);
        self
    }

    fn and_part(mut self, list: &str, mut about: Value, bytes: &[u8]) -> Self {
        about["at"] = json!(self.parts.len());
        self.parts.extend_from_slice(bytes);
        self.align();
        self.listed(list, about);
        self
    }

    fn listed(&mut self, list: &str, about: Value) {
        let entry = self.head.entry(list).or_insert_with(|| json!([]));
        if let Some(all) = entry.as_array_mut() {
            all.push(about);
        }
    }

    fn align(&mut self) {
        self.parts.resize(self.parts.len().next_multiple_of(8), 0);
    }

    /// The head.
    pub fn head(&self) -> &serde_json::Map<String, Value> {
        &self.head
    }

    /// The text of this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let texts = self.head.get("texts")?.as_array()?;
        let about = texts.iter().find(|text| text["name"] == name)?;
        let [at, bytes] = [&about["at"], &about["bytes"]].map(Value::as_u64);
        let at = usize::try_from(at?).ok()?;
        let end = at.checked_add(usize::try_from(bytes?).ok()?)?;
        std::str::from_utf8(self.parts.get(at..end)?).ok()
    }

    /// The names in a column of a table; empty where there is no such column.
    pub fn names(&self, table: &str, column: &str) -> Vec<String> {
        let found = || -> Option<Vec<String>> {
            let (column, bytes) = self.column(table, column, 4)?;
            let names = column["names"].as_array()?;
            let name = |place: &[u8; 4]| {
                let name = names.get(u32::from_le_bytes(*place) as usize);
                name.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let (places, _) = bytes.as_chunks::<4>();
            Some(places.iter().map(name).collect())
        };
        found().unwrap_or_default()
    }

    /// The numbers in a column of a table; empty where there is no such column.
    pub fn numbers(&self, table: &str, column: &str) -> Vec<f64> {
        let found = || -> Option<Vec<f64>> {
            let (column, bytes) = self.column(table, column, 8)?;
            let (values, _) = bytes.as_chunks::<8>();
            let number = |value: &[u8; 8]| f64::from_le_bytes(*value);
            (column["type"] == "number").then(|| values.iter().map(number).collect())
        };
        found().unwrap_or_default()
    }

    /// A column as the head describes it, and its bytes, so many for each row.
    fn column(&self, table: &str, column: &str, each: usize) -> Option<(&Value, &[u8])> {
        let tables = self.head.get("tables")?.as_array()?;
        let table = tables.iter().find(|one| one["name"] == table)?;
        let columns = table["columns"].as_array()?;
        let column = columns.iter().find(|one| one["name"] == column)?;
        let [at, rows] = [&column["at"], &table["rows"]].map(Value::as_u64);
        let at = usize::try_from(at?).ok()?;
        let end = at.checked_add(each.checked_mul(usize::try_from(rows?).ok()?)?)?;
        Some((column, self.parts.get(at..end)?))
    }

    /// The bytes that a host reads.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut head = Value::Object(self.head).to_string();
        let padded = (head.len() + 4).next_multiple_of(8) - 4;
        head.extend(std::iter::repeat_n(' ', padded - head.len()));
        // A head of 4 GiB does not fit the memory of a module.
        let length = u32::try_from(padded).unwrap_or(u32::MAX);
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.reserve_exact(head.len() + self.parts.len());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&self.parts);
        bytes
    }
}
