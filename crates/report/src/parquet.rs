//! A table of results as a Parquet file.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::data_frame::{ColumnType, DataFrame, FrameValue};

impl DataFrame {
    /// As a Parquet file; an absent value is null.
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
        let field = |(name, kind): &(String, ColumnType)| {
            let (physical, logical) = match kind {
                ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                ColumnType::Float => (Physical::DOUBLE, None),
                ColumnType::Count => (Physical::INT64, Some(LogicalType::integer(64, true))),
                ColumnType::Seed => (Physical::INT64, Some(LogicalType::integer(64, false))),
                ColumnType::Switch => (Physical::BOOLEAN, None),
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
        let values: Vec<&FrameValue> = self.rows.iter().filter_map(|row| row.get(at)).collect();
        let present: Vec<i16> =
            values.iter().map(|v| i16::from(**v != FrameValue::Absent)).collect();
        let levels = Some(present.as_slice());
        match self.columns[at].1 {
            ColumnType::Text => {
                let bytes: Vec<ByteArray> = values
                    .iter()
                    .filter_map(|v| match v {
                        FrameValue::Text(text) => Some(ByteArray::from(text.as_str())),
                        _ => None,
                    })
                    .collect();
                column.typed::<ByteArrayType>().write_batch(&bytes, levels, None)?;
            }
            ColumnType::Float => {
                let numbers: Vec<f64> = values
                    .iter()
                    .filter_map(|v| if let FrameValue::Float(x) = v { Some(*x) } else { None })
                    .collect();
                column.typed::<DoubleType>().write_batch(&numbers, levels, None)?;
            }
            ColumnType::Count | ColumnType::Seed => {
                let numbers: Vec<i64> = values
                    .iter()
                    .filter_map(|v| {
                        if let FrameValue::Count(n) = v { Some(n.cast_signed()) } else { None }
                    })
                    .collect();
                column.typed::<Int64Type>().write_batch(&numbers, levels, None)?;
            }
            ColumnType::Switch => {
                let switches: Vec<bool> = values
                    .iter()
                    .filter_map(|v| if let FrameValue::Switch(on) = v { Some(*on) } else { None })
                    .collect();
                column.typed::<BoolType>().write_batch(&switches, levels, None)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    use crate::data_frame::tests::frame;

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
