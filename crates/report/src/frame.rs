//! A table of results: typed columns with units in their names, as CSV and as Parquet.

use std::fmt::Write as _;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

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

/// What a column holds. Any value may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text; UTF-8 in Parquet.
    Text,
    /// A number; a double in Parquet.
    Float,
    /// A whole number; an unsigned 64-bit integer in Parquet.
    Count,
    /// True or false.
    Switch,
}

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
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
pub struct Frame {
    /// The name of its files, without an ending.
    pub name: &'static str,
    /// Names and kinds of the columns.
    pub columns: Vec<(String, Kind)>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Count(number)
    }
}

impl From<bool> for Value {
    fn from(on: bool) -> Self {
        Self::Switch(on)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl Value {
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

impl Frame {
    /// As comma-separated values (RFC 4180); what is absent is empty.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        row(&mut text, &names);
        for values in &self.rows {
            let fields: Vec<String> = values.iter().map(Value::text).collect();
            row(&mut text, &fields);
        }
        text
    }

    /// As a Parquet file; what is absent is null.
    pub fn parquet(&self) -> Result<Vec<u8>, ParquetError> {
        let properties = WriterProperties::builder()
            .set_created_by("westwood".to_owned())
            .set_compression(parquet::basic::Compression::SNAPPY)
            .build();
        let mut file = SerializedFileWriter::new(Vec::new(), self.schema()?, Arc::new(properties))?;
        let mut group = file.next_row_group()?;
        let mut at = 0;
        while let Some(mut column) = group.next_column()? {
            self.write_column(at, &mut column)?;
            column.close()?;
            at += 1;
        }
        group.close()?;
        file.into_inner()
    }

    fn schema(&self) -> Result<TypePtr, ParquetError> {
        let unsigned = LogicalType::integer(64, false);
        let field = |(name, kind): &(String, Kind)| {
            let (physical, logical) = match kind {
                Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Kind::Float => (Physical::DOUBLE, None),
                Kind::Count => (Physical::INT64, Some(unsigned.clone())),
                Kind::Switch => (Physical::BOOLEAN, None),
            };
            let builder = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical);
            builder.build().map(Arc::new)
        };
        let fields = self.columns.iter().map(field).collect::<Result<_, _>>()?;
        Type::group_type_builder(self.name).with_fields(fields).build().map(Arc::new)
    }

    fn write_column(
        &self,
        at: usize,
        column: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        let values: Vec<&Value> = self.rows.iter().filter_map(|row| row.get(at)).collect();
        let present: Vec<i16> = values.iter().map(|v| i16::from(**v != Value::Absent)).collect();
        let levels = Some(present.as_slice());
        match self.columns[at].1 {
            Kind::Text => {
                let bytes: Vec<ByteArray> = values
                    .iter()
                    .filter_map(|v| match v {
                        Value::Text(text) => Some(ByteArray::from(text.as_str())),
                        _ => None,
                    })
                    .collect();
                column.typed::<ByteArrayType>().write_batch(&bytes, levels, None)?;
            }
            Kind::Float => {
                let numbers: Vec<f64> = values
                    .iter()
                    .filter_map(|v| if let Value::Float(x) = v { Some(*x) } else { None })
                    .collect();
                column.typed::<DoubleType>().write_batch(&numbers, levels, None)?;
            }
            Kind::Count => {
                let numbers: Vec<i64> = values
                    .iter()
                    .filter_map(
                        |v| if let Value::Count(n) = v { Some(n.cast_signed()) } else { None },
                    )
                    .collect();
                column.typed::<Int64Type>().write_batch(&numbers, levels, None)?;
            }
            Kind::Switch => {
                let switches: Vec<bool> = values
                    .iter()
                    .filter_map(|v| if let Value::Switch(on) = v { Some(*on) } else { None })
                    .collect();
                column.typed::<BoolType>().write_batch(&switches, levels, None)?;
            }
        }
        Ok(())
    }
}

/// The columns of a table: name, kind and meaning.
pub(crate) type Columns = &'static [(&'static str, Kind, &'static str)];

/// A table of a page: its columns with their meaning.
pub(crate) fn documented(text: &mut String, name: &str, about: &str, columns: Columns) {
    let _ = write!(text, "### {name}\n\n{about}\n\n| column | type | meaning |\n|---|---|---|\n");
    for (name, kind, meaning) in columns {
        let kind = match kind {
            Kind::Text => "text",
            Kind::Float => "number",
            Kind::Count => "whole number",
            Kind::Switch => "true or false",
        };
        let _ = writeln!(text, "| `{name}` | {kind} | {meaning} |");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    use super::*;

    fn frame() -> Frame {
        let columns = [
            ("name", Kind::Text),
            ("goodput_bps", Kind::Float),
            ("seed", Kind::Count),
            ("tested", Kind::Switch),
        ];
        Frame {
            name: "runs",
            columns: columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
            rows: vec![
                vec!["a, \"b\"".into(), 1.5.into(), u64::MAX.into(), true.into()],
                vec![Value::Absent; 4],
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

    #[test]
    fn what_is_written_as_parquet_is_read_back() {
        let bytes = frame().parquet().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let rows: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(rows.len(), 2);
        assert!(rows[0].contains("18446744073709551615") && rows[0].contains("1.5"), "{}", rows[0]);
        assert!(rows[1].contains("goodput_bps: null"), "{}", rows[1]);
    }
}
