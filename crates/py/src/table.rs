//! Tables for Python, handed over by Arrow's C stream interface without a copy.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use westwood_report::data_frame::{ColumnType, DataFrame, FrameValue};

/// A table of typed columns.
#[pyclass(frozen, name = "Table", module = "westwood._native")]
pub(crate) struct ArrowTable {
    name: &'static str,
    batch: RecordBatch,
}

impl ArrowTable {
    /// The columns of a frame, each in one array.
    pub(crate) fn of(frame: &DataFrame) -> PyResult<Self> {
        let batch = batch(frame).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok(Self { name: frame.name, batch })
    }
}

#[pymethods]
impl ArrowTable {
    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column as a list; `None` where one is absent.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column_by_name(name);
        let column = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        if let Some(texts) = column.as_string_opt::<i32>() {
            PyList::new(py, texts)
        } else if let Some(counts) = column.as_primitive_opt::<Int64Type>() {
            PyList::new(py, counts)
        } else if let Some(seeds) = column.as_primitive_opt::<UInt64Type>() {
            PyList::new(py, seeds)
        } else if let Some(switches) = column.as_boolean_opt() {
            PyList::new(py, switches)
        } else {
            PyList::new(py, column.as_primitive::<Float64Type>())
        }
    }

    /// The schema as an `arrow_schema` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows as an `arrow_array_stream` capsule. A schema that is asked for is not followed, which the
    /// protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let rows = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(rows));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

fn batch(frame: &DataFrame) -> Result<RecordBatch, ArrowError> {
    let field = |(name, kind): &(String, ColumnType)| Field::new(name, data_type(*kind), true);
    let fields: Vec<Field> = frame.columns.iter().map(field).collect();
    let columns = frame.columns.iter().enumerate();
    let columns = columns.map(|(at, (_, kind))| column(frame, at, *kind)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Float => DataType::Float64,
        ColumnType::Count => DataType::Int64,
        ColumnType::Seed => DataType::UInt64,
        ColumnType::Switch => DataType::Boolean,
    }
}

/// A column; values of another kind than the column's are absent.
fn column(frame: &DataFrame, at: usize, kind: ColumnType) -> ArrayRef {
    let values = frame.rows.iter().map(|row| row.get(at).unwrap_or(&FrameValue::Absent));
    macro_rules! built {
        ($builder:expr, $variant:ident, $of:expr) => {{
            let mut builder = $builder;
            for value in values {
                match value {
                    FrameValue::$variant(value) => builder.append_value($of(value)),
                    _ => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }};
    }
    match kind {
        ColumnType::Text => built!(StringBuilder::new(), Text, String::as_str),
        ColumnType::Float => built!(Float64Builder::new(), Float, f64::clone),
        // No count comes near the largest signed number.
        ColumnType::Count => built!(Int64Builder::new(), Count, |count: &u64| count.cast_signed()),
        ColumnType::Seed => built!(UInt64Builder::new(), Count, u64::clone),
        ColumnType::Switch => built!(BooleanBuilder::new(), Switch, bool::clone),
    }
}
