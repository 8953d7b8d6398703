//! The fields of a table of a file that comes with scenarios, each with its place.

use std::cell::RefCell;

use super::fault::Faults;
use super::location::{Location, Sources};
use super::node::{Node, TomlTable, TomlValue};
use crate::error::BadInput;

/// Reads the fields of one table; [`finish`](Self::finish) refuses unknown fields.
pub struct Fields<'a> {
    title: &'static str,
    table: &'a TomlTable,
    /// The table's place.
    pub place: Location,
    asked: RefCell<Vec<&'static str>>,
    context: &'a ReadContext<'a>,
}

/// The context of reading: the texts, and the list of faults.
pub struct ReadContext<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// The faults found.
    pub faults: RefCell<&'a mut Faults>,
}

impl ReadContext<'_> {
    /// Notes a fault at a place.
    pub fn fault(&self, place: Location, error: BadInput) {
        self.faults.borrow_mut().add(place, error);
    }
}

impl<'a> Fields<'a> {
    /// The fields of a table; none of anything else.
    pub fn of(node: &'a Node, title: &'static str, context: &'a ReadContext<'a>) -> Option<Self> {
        let TomlValue::Table(table) = &node.value else {
            let what = format!("{} stands where a table is due", node.value.kind());
            context.fault(node.place, BadInput::new(what).hint(format!("write {title}")));
            return None;
        };
        Some(Self { title, table, place: node.place, asked: RefCell::default(), context })
    }

    fn get(&self, name: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().push(name);
        self.table.get(name).map(|entry| &entry.node)
    }

    /// Notes that another kind of value is due.
    pub fn wrong(&self, node: &Node, due: &str) {
        let what = format!("{} stands where {due} is due", node.value.kind());
        self.context.fault(node.place, BadInput::new(what));
    }

    /// A text, if it is there.
    pub fn text(&self, name: &'static str) -> Option<String> {
        let node = self.get(name)?;
        match &node.value {
            TomlValue::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => {
                self.wrong(node, "a text");
                None
            }
        }
    }

    /// A text that must be there.
    pub fn required(&self, name: &'static str) -> Option<String> {
        if self.table.get(name).is_none() {
            self.lacks(name);
        }
        self.text(name)
    }

    /// Notes that a field is missing.
    pub fn lacks(&self, name: &str) {
        let what = format!("{} lacks '{name}'", self.title);
        self.context.fault(self.place, BadInput::new(what));
    }

    /// One of several words; the first if it is absent and `optional`.
    pub fn word<T: Copy>(&self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let text = self.required(name)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let place = self.get(name).map_or(self.place, |node| node.place);
            self.context.fault(place, BadInput::unknown(name, &text, all));
        }
        found.map(|(_, value)| *value)
    }

    /// A switch; false if it is absent.
    pub fn switch(&self, name: &'static str, absent: bool) -> bool {
        match self.get(name) {
            None => absent,
            Some(Node { value: TomlValue::Switch(on), .. }) => *on,
            Some(node) => {
                self.wrong(node, "true or false");
                absent
            }
        }
    }

    /// A number, if it is there.
    pub fn number(&self, name: &'static str) -> Option<f64> {
        let node = self.get(name)?;
        let number = number(node);
        match &node.value {
            _ if number.is_some() => {}
            // TOML has nan and inf.
            TomlValue::Number(text) => {
                let what = format!("'{text}' stands where a finite number is due");
                self.context.fault(node.place, BadInput::new(what));
            }
            _ => self.wrong(node, "a number"),
        }
        number
    }

    /// Two numbers, if they are there.
    pub fn pair(&self, name: &'static str) -> Option<(f64, f64)> {
        let node = self.get(name)?;
        let numbers: Option<Vec<f64>> = node.each().iter().map(number).collect();
        match numbers.as_deref() {
            Some([low, high]) if low < high => Some((*low, *high)),
            _ => {
                self.wrong(node, "a list of two rising numbers");
                None
            }
        }
    }

    /// A value that may be a list; the value itself as the only element otherwise.
    pub fn each(&self, name: &'static str) -> &'a [Node] {
        self.get(name).map_or(&[], Node::each)
    }

    /// The texts of a list.
    pub fn texts(&self, name: &'static str) -> Vec<String> {
        let text = |node: &Node| match &node.value {
            TomlValue::Text(text) | TomlValue::Number(text) => Some(text.clone()),
            _ => {
                self.wrong(node, "a text");
                None
            }
        };
        self.each(name).iter().filter_map(text).collect()
    }

    /// The tables of a list, each read by `read`.
    pub fn tables<T>(
        &self,
        name: &'static str,
        title: &'static str,
        read: impl Fn(&Fields<'a>) -> Option<T>,
    ) -> Vec<T> {
        let one = |node: &'a Node| {
            let fields = Fields::of(node, title, self.context)?;
            let value = read(&fields);
            fields.finish();
            value
        };
        self.each(name).iter().filter_map(one).collect()
    }

    /// A node as it stands.
    pub fn node(&self, name: &'static str) -> Option<&'a Node> {
        self.get(name)
    }

    /// The texts that are read.
    pub fn sources(&self) -> &'a Sources {
        self.context.sources
    }

    /// Notes a fault at a place.
    pub fn fault(&self, place: Location, error: BadInput) {
        self.context.fault(place, error);
    }

    /// The place of a field, or of the table if it is absent.
    pub fn place_of(&self, name: &str) -> Location {
        self.table.get(name).map_or(self.place, |entry| entry.node.place)
    }

    /// Refuses unknown fields.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        for entry in &self.table.entries {
            if !asked.contains(&entry.key.as_str()) {
                let what = BadInput::unknown("field", &entry.key, asked.iter().copied());
                self.fault(entry.place, what.at(self.title));
            }
        }
    }
}

/// A number, if the node is one.
pub fn number(node: &Node) -> Option<f64> {
    match &node.value {
        TomlValue::Number(text) => {
            text.replace('_', "").parse().ok().filter(|x: &f64| x.is_finite())
        }
        _ => None,
    }
}
