//! How a field's value is written, read and described: one [`Sort`] for each kind of value.

use super::fault::Faults;
use super::location::Location;
use super::node::{Node, Value};
use super::section::Section;
use crate::error::BadInput;

/// How a value of type `T` is written and read.
pub(super) struct Sort<T> {
    /// What an editor and the documents are told.
    pub(super) shape: Shape,
    how: How<T>,
}

enum How<T> {
    /// A single value, whatever its TOML type.
    Text(fn(&str) -> Result<T, BadInput>),
    Node(fn(&Node, &mut Faults) -> Option<T>),
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A quantity or specification: what it is called, and an example.
    Text(&'static str, &'static str),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// `true` or `false`, also `"on"` or `"off"`.
    Switch,
    /// One value, or a list of them.
    Some(&'static str, &'static str),
    /// A list of texts.
    Texts(&'static str, &'static str),
    /// A table with these fields.
    Table(&'static Section),
    /// A list of tables with these fields.
    Tables(&'static Section),
    /// Paths of fields, each with the value or values that it takes.
    Settings(&'static str),
    /// Named tables of such paths.
    NamedSettings(&'static str),
}

impl<T> Sort<T> {
    /// A single value that `read` understands.
    pub(super) const fn text(shape: Shape, read: fn(&str) -> Result<T, BadInput>) -> Self {
        Self { shape, how: How::Text(read) }
    }

    /// Anything else.
    pub(super) const fn node(shape: Shape, read: fn(&Node, &mut Faults) -> Option<T>) -> Self {
        Self { shape, how: How::Node(read) }
    }

    /// Reads a value; what is wrong with it is noted.
    pub(super) fn read(&self, node: &Node, faults: &mut Faults) -> Option<T> {
        match self.how {
            How::Text(read) => {
                let text = node.text(faults, self.shape.example())?;
                faults.check(node.place, read(text))
            }
            How::Node(read) => read(node, faults),
        }
    }

    /// Reads a default.
    pub(super) fn read_default(&self, text: &str) -> Option<T> {
        let node = Node { value: Value::Text(text.to_owned()), place: Location::start() };
        self.read(&node, &mut Faults::default())
    }
}

impl Shape {
    /// An example, as a file would have it.
    pub(super) const fn example(&self) -> &'static str {
        match self {
            Self::Text(_, example)
            | Self::Some(_, example)
            | Self::Texts(_, example)
            | Self::Settings(example)
            | Self::NamedSettings(example) => example,
            Self::Words(words) => words[0],
            Self::Count(..) => "1",
            Self::Switch => "true",
            Self::Table(section) | Self::Tables(section) => section.title,
        }
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
