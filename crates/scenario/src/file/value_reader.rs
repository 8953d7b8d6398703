//! Readers of a field's value, which also describe its form: one [`ValueReader`] for each kind of
//! value.

use super::declaration::ValueShape;
use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TomlValue};
use crate::error::BadInput;
use crate::spec::list_parts;

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

/// A list of texts, or a single one, each of which is a list with commas that `read` understands from left to
/// right. A fault stands at the entry that is wrong.
pub(super) fn each_list<T>(
    node: &Node,
    faults: &mut Faults,
    example: &str,
    read: impl Fn(&str) -> Result<Vec<T>, BadInput>,
) -> Option<Vec<Vec<T>>> {
    let lists = each_text(node, faults, example, |node, text, faults| match read(text) {
        Ok(list) => Some(list),
        Err(error) => {
            let parts = list_parts(text).unwrap_or_default();
            // With the first entry that is wrong every list up to there or further is.
            let wrong = parts.partition_point(|part| read(&text[..part.end]).is_ok());
            match parts.get(wrong).filter(|_| parts.len() > 1) {
                Some(part) => faults.add_within(node.place, part.clone(), error),
                None => faults.add(node.place, error),
            }
            None
        }
    })?;
    lists.into_iter().collect()
}

/// A list of texts, or a single one, each read by `read`.
pub(super) fn each<T>(
    node: &Node,
    faults: &mut Faults,
    example: &str,
    read: impl Fn(&str) -> Result<T, BadInput>,
) -> Option<Vec<T>> {
    let all = each_text(node, faults, example, |node, text, faults| {
        faults.check(node.place, read(text))
    })?;
    all.into_iter().collect()
}

/// The answers of `read` to each text of a list, or to a single one; none to an empty list.
fn each_text<T>(
    node: &Node,
    faults: &mut Faults,
    example: &str,
    read: impl Fn(&Node, &str, &mut Faults) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let nodes = node.each();
    if nodes.is_empty() {
        faults.add(node.place, BadInput::new("the list is empty").hint(format!("write {example}")));
        return None;
    }
    let one = |node: &Node| {
        let text = node.text(faults, example)?;
        read(node, text, faults)
    };
    Some(nodes.iter().map(one).collect())
}
