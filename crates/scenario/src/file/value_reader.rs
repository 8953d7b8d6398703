//! Readers of a field's value, which also describe its form: one [`ValueReader`] for each kind of
//! value.

use super::declaration::ValueShape;
use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TomlValue};
use crate::error::BadInput;

/// The reader and the form of a value of type `T`.
pub(super) struct ValueReader<T> {
    /// The form of the value, for an editor and the documents.
    pub(super) shape: ValueShape,
    how: ReadFunction<T>,
}

enum ReadFunction<T> {
    /// A single value, whatever its TOML type.
    Text(fn(&str) -> Result<T, BadInput>),
    Node(fn(&Node, &mut Faults) -> Option<T>),
}

impl<T> ValueReader<T> {
    /// A single value that `read` understands.
    pub(super) const fn text(shape: ValueShape, read: fn(&str) -> Result<T, BadInput>) -> Self {
        Self { shape, how: ReadFunction::Text(read) }
    }

    /// Anything else.
    pub(super) const fn node(shape: ValueShape, read: fn(&Node, &mut Faults) -> Option<T>) -> Self {
        Self { shape, how: ReadFunction::Node(read) }
    }

    /// Reads a value; its faults are noted.
    pub(super) fn read(&self, node: &Node, faults: &mut Faults) -> Option<T> {
        match self.how {
            ReadFunction::Text(read) => {
                let text = node.text(faults, self.shape.example())?;
                faults.check(node.place, read(text))
            }
            ReadFunction::Node(read) => read(node, faults),
        }
    }

    /// Reads a default.
    pub(super) fn read_default(&self, text: &str) -> Option<T> {
        let node = Node { value: TomlValue::Text(text.to_owned()), place: Location::start() };
        self.read(&node, &mut Faults::default())
    }
}

/// A list of texts, or a single one, each read by `read`.
pub(super) fn each<T>(
    node: &Node,
    faults: &mut Faults,
    example: &str,
    read: impl Fn(&str) -> Result<T, BadInput>,
) -> Option<Vec<T>> {
    let nodes = node.each();
    if nodes.is_empty() {
        faults.add(node.place, BadInput::new("the list is empty").hint(format!("write {example}")));
        return None;
    }
    let read: Vec<Option<T>> = nodes
        .iter()
        .map(|node| {
            let text = node.text(faults, example)?.to_owned();
            faults.check(node.place, read(&text))
        })
        .collect();
    read.into_iter().collect()
}
