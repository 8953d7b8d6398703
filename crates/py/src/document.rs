//! Scenarios as text that can be changed: fields by path, comments and order as they were.

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};
use westwood_experiment::plan::BadPlan;
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{Faults, Location, Sources, parse};

use crate::error::bad_scenario;

/// The text of a scenario.
#[pyclass(name = "Document", module = "westwood._native")]
pub(crate) struct ScenarioDocument {
    document: DocumentMut,
}

#[pymethods]
impl ScenarioDocument {
    /// The document of a TOML text; `BadScenario` if it is none, with the places in the file of this name.
    #[new]
    fn new(py: Python<'_>, name: &str, text: &str) -> PyResult<Self> {
        let mut sources = Sources::default();
        let number = sources.add(name, text);
        let mut faults = Faults::default();
        // Plans and documents have the faults of one parser.
        parse(text, number, &mut faults);
        let read = text.parse::<DocumentMut>().map_err(|error| {
            if faults.is_empty() {
                let place = Location::new(number, &error.span().unwrap_or_default());
                faults.add(place, BadInput::new(error.message().replace('\n', ", ")));
            }
        });
        match read {
            Ok(document) if faults.is_empty() => Ok(Self { document }),
            _ => Err(bad_scenario(py, &BadPlan::Scenario(faults.into_error(&sources)))),
        }
    }

    fn text(&self) -> String {
        self.document.to_string()
    }

    /// All fields, as dictionaries and lists.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table_to_python(py, self.document.as_table())
    }

    /// Sets a field; tables that are missing on the way are made. A part of the path behind a list of
    /// tables is the `name` of one of them.
    fn set(&mut self, path: &str, new: &Bound<'_, PyAny>) -> PyResult<()> {
        let new = of_python(new)?;
        let (table, key) = self.place(path, true)?;
        match table.get_mut(key) {
            // The new value has the old one's place and comment.
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            _ => {
                table.insert(key, value(new));
            }
        }
        Ok(())
    }

    /// Removes a field.
    fn remove(&mut self, path: &str) -> PyResult<()> {
        let (table, key) = self.place(path, false)?;
        let missing = || PyKeyError::new_err(path.to_owned());
        table.remove(key).map(drop).ok_or_else(missing)
    }
}

impl ScenarioDocument {
    /// The table in which a path ends, and the last part of the path. Missing tables are made if asked for.
    fn place<'p>(&mut self, path: &'p str, make: bool) -> PyResult<(&mut dyn TableLike, &'p str)> {
        let missing = || PyKeyError::new_err(path.to_owned());
        let (tables, key) = path.rsplit_once('.').unwrap_or(("", path));
        let mut at: &mut dyn TableLike = self.document.as_table_mut();
        let mut parts = tables.split('.').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            if make && !at.contains_key(part) {
                at.insert(part, Item::Table(Table::new()));
            }
            at = match at.get_mut(part).ok_or_else(missing)? {
                Item::ArrayOfTables(list) => {
                    let name = parts.next().ok_or_else(missing)?;
                    let mut tables = list.iter_mut();
                    tables.find(|table| is_named(*table, name)).ok_or_else(missing)?
                }
                // The same, written in one line, or of lists of Python.
                Item::Value(Value::Array(list)) => {
                    let name = parts.next().ok_or_else(missing)?;
                    let mut tables = list.iter_mut().filter_map(Value::as_inline_table_mut);
                    tables.find(|table| is_named(*table, name)).ok_or_else(missing)?
                }
                item => item.as_table_like_mut().ok_or_else(missing)?,
            };
        }
        Ok((at, key))
    }
}

fn is_named(table: &dyn TableLike, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

fn to_python<'py>(py: Python<'py>, item: &Item) -> PyResult<Bound<'py, PyAny>> {
    match item {
        Item::None => Ok(py.None().into_bound(py)),
        Item::Value(value) => value_to_python(py, value),
        Item::Table(table) => table_to_python(py, table),
        Item::ArrayOfTables(tables) => {
            let each = tables.iter().map(|table| table_to_python(py, table));
            PyList::new(py, each.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
        }
    }
}

fn table_to_python<'py>(py: Python<'py>, table: &dyn TableLike) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    for (key, item) in table.iter() {
        fields.set_item(key, to_python(py, item)?)?;
    }
    fields.into_bound_py_any(py)
}

fn value_to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::String(text) => text.value().into_bound_py_any(py),
        Value::Integer(number) => number.value().into_bound_py_any(py),
        Value::Float(number) => number.value().into_bound_py_any(py),
        Value::Boolean(switch) => switch.value().into_bound_py_any(py),
        Value::Datetime(time) => time.value().to_string().into_bound_py_any(py),
        Value::InlineTable(table) => table_to_python(py, table),
        Value::Array(values) => {
            let each = values.iter().map(|value| value_to_python(py, value));
            PyList::new(py, each.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
        }
    }
}

/// A value of TOML; `TypeError` if it is none.
fn of_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(switch) = value.cast::<PyBool>() {
        Ok(switch.is_true().into())
    } else if value.is_instance_of::<PyInt>() {
        Ok(value.extract::<i64>()?.into())
    } else if value.is_instance_of::<PyFloat>() {
        Ok(value.extract::<f64>()?.into())
    } else if let Ok(text) = value.cast::<PyString>() {
        Ok(text.to_str()?.into())
    } else if let Ok(fields) = value.cast::<PyDict>() {
        let mut table = InlineTable::new();
        for (key, field) in fields {
            table.insert(key.extract::<String>()?, of_python(&field)?);
        }
        Ok(table.into())
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let mut array = Array::new();
        for one in value.try_iter()? {
            array.push(of_python(&one?)?);
        }
        Ok(array.into())
    } else {
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("a {kind} is no value of a scenario")))
    }
}
