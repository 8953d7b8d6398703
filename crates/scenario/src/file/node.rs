//! A file as a tree of values that know where they stand.

use toml::de::{DeTable, DeValue};

use super::fault::Faults;
use super::location::Location;
use crate::error::{BadInput, quoted};
use crate::nearest::nearest;
use crate::sorting::sort_by;

/// A value and its place. The same value is equal, wherever it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: TomlValue,
    /// Its place.
    pub place: Location,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// The kinds of value that a file may have.
#[derive(Clone, Debug, PartialEq)]
pub enum TomlValue {
    /// A string, or a value of `--set` as it was typed.
    Text(String),
    /// A number, as it was typed.
    Number(String),
    /// `true` or `false`.
    Switch(bool),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(TomlTable),
    /// A date or time, which no field takes.
    Date,
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TomlTable {
    /// The entries.
    pub entries: Vec<TableEntry>,
}

/// A key and its value. The same ones are equal, wherever they stand.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// The key.
    pub key: String,
    /// The place of the key.
    pub place: Location,
    /// The value.
    pub node: Node,
}

impl PartialEq for TableEntry {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.node) == (&other.key, &other.node)
    }
}

impl TomlValue {
    /// Its kind, for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Switch(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Date => "a date",
        }
    }
}

impl Node {
    /// A single value as it was typed, whatever its type; a fault for anything else.
    pub fn text(&self, faults: &mut Faults, example: &str) -> Option<&str> {
        match &self.value {
            TomlValue::Text(text) | TomlValue::Number(text) => Some(text),
            TomlValue::Switch(on) => Some(if *on { "true" } else { "false" }),
            other => {
                let what = BadInput::new(format!("{} cannot stand here", other.kind()));
                faults.add(self.place, what.hint(format!("write {example}")));
                None
            }
        }
    }

    /// The list's elements, or the value itself as the only one.
    pub fn each(&self) -> &[Self] {
        match &self.value {
            TomlValue::List(nodes) => nodes,
            _ => std::slice::from_ref(self),
        }
    }
}

impl TomlTable {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&TableEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// True if there is a value at a path such as `dumbbell.buffer`.
    pub(super) fn has(&self, path: &str) -> bool {
        let (key, inner) =
            path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        match (self.get(key).map(|entry| &entry.node.value), inner) {
            (Some(TomlValue::Table(table)), Some(rest)) => table.has(rest),
            (found, inner) => found.is_some() && inner.is_none(),
        }
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut TableEntry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    /// Puts a value at a path such as `link.bottleneck.rate`; tables that the path needs and the
    /// file does not have are made. In a list of tables the next part of the path is the table's
    /// name, or its number from 1.
    pub(super) fn set(
        &mut self,
        path: &[&str],
        place: Location,
        node: Node,
    ) -> Result<(), BadInput> {
        let Some((&key, rest)) = path.split_first() else {
            return Err(BadInput::new("a path is missing").hint("write dumbbell.rate"));
        };
        if self.get(key).is_none() {
            // A table made here would have no name and lack most of its fields.
            if let ("link" | "flow" | "change", Some(name)) = (key, rest.first()) {
                let error = BadInput::new(format!("there is no {key} {}", quoted(name)));
                let has = format!("the file has no [[{key}]]; write one, or a field of dumbbell");
                return Err(error.hint(has));
            }
            let new = if rest.is_empty() {
                node.value.clone()
            } else {
                TomlValue::Table(Self::default())
            };
            let node = Node { value: new, place: node.place };
            self.entries.push(TableEntry { key: key.to_owned(), place, node });
        }
        let Some(entry) = self.get_mut(key) else {
            return Ok(());
        };
        if rest.is_empty() {
            *entry = TableEntry { key: key.to_owned(), place, node };
            return Ok(());
        }
        let (table, rest) = match &mut entry.node.value {
            TomlValue::List(nodes) => {
                let (name, rest) =
                    rest.split_first().map_or(("", rest), |(name, rest)| (*name, rest));
                (named(key, nodes, name)?, rest)
            }
            TomlValue::Table(table) => (table, rest),
            other => {
                return Err(BadInput::new(format!("'{key}' is {}, not a table", other.kind())));
            }
        };
        if rest.is_empty() {
            return Err(BadInput::new("the path ends before a field").hint("write link.NAME.rate"));
        }
        table.set(rest, place, node)
    }
}

/// The table of a list that has this name, or this number.
fn named<'a>(list: &str, nodes: &'a mut [Node], name: &str) -> Result<&'a mut TomlTable, BadInput> {
    let name_of = |node: &Node| match &node.value {
        TomlValue::Table(table) => table.get("name").and_then(|e| match &e.node.value {
            TomlValue::Text(text) | TomlValue::Number(text) => Some(text.clone()),
            _ => None,
        }),
        _ => None,
    };
    let names: Vec<Option<String>> = nodes.iter().map(name_of).collect();
    let by_name = names.iter().position(|n| n.as_deref() == Some(name));
    let by_number = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let found = by_name.or(by_number).and_then(|at| nodes.get_mut(at));
    if let Some(TomlValue::Table(table)) = found.map(|node| &mut node.value) {
        return Ok(table);
    }
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    let error = BadInput::new(format!("there is no {list} {}", quoted(name)));
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean '{list}.{near}'?")),
        None if known.is_empty() => error.hint(format!("number them: {list}.1, {list}.2")),
        None => error.hint(format!("there are {}", crate::error::listed(known))),
    })
}

/// Reads a text as TOML. Faults are noted, and the readable rest is answered.
pub fn parse(text: &str, source: u32, faults: &mut Faults) -> TomlTable {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let place = error.span().map_or(Location::start(), |span| Location::new(source, &span));
        faults.add(place, BadInput::new(error.message().replace('\n', ", ")));
    }
    from_table(table.get_ref(), source)
}

fn from_table(table: &DeTable<'_>, source: u32) -> TomlTable {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
        TableEntry {
            key: key.get_ref().clone().into_owned(),
            place: Location::new(source, &key.span()),
            node: from_value(value, source),
        }
    };
    let mut entries: Vec<TableEntry> = table.iter().map(entry).collect();
    sort_by(&mut entries, |a, b| a.place.cmp(&b.place));
    TomlTable { entries }
}

fn from_value(value: &toml::Spanned<DeValue<'_>>, source: u32) -> Node {
    let place = Location::new(source, &value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => TomlValue::Text(text.clone().into_owned()),
        DeValue::Integer(n) if n.radix() == 10 => TomlValue::Number(n.as_str().to_owned()),
        DeValue::Integer(n) => {
            let decimal = u64::from_str_radix(n.as_str(), n.radix());
            TomlValue::Number(decimal.map_or_else(|_| n.to_string(), |n| n.to_string()))
        }
        DeValue::Float(x) => TomlValue::Number(x.as_str().to_owned()),
        DeValue::Boolean(on) => TomlValue::Switch(*on),
        DeValue::Array(nodes) => {
            TomlValue::List(nodes.iter().map(|node| from_value(node, source)).collect())
        }
        DeValue::Table(table) => TomlValue::Table(from_table(table, source)),
        DeValue::Datetime(_) => TomlValue::Date,
    };
    Node { value, place }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> TomlTable {
        let mut faults = Faults::default();
        let table = parse(text, 0, &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        table
    }

    fn number(text: &str) -> Node {
        Node { value: TomlValue::Number(text.to_owned()), place: Location::start() }
    }

    #[test]
    fn keys_keep_the_order_of_the_file() {
        let keys: Vec<String> =
            table("b = 1\na = 2\n").entries.into_iter().map(|e| e.key).collect();
        assert_eq!(keys, ["b", "a"]);
    }

    #[test]
    fn a_path_reaches_tables_by_name_and_by_number() {
        let mut t = table("[[link]]\nname = \"x\"\nrate = 1\n[[link]]\nrate = 2\n");
        for (path, value) in [(["link", "x", "rate"], "3"), (["link", "2", "rate"], "4")] {
            t.set(&path, Location::start(), number(value)).unwrap();
        }
        let TomlValue::List(links) = &t.get("link").unwrap().node.value else { panic!() };
        let rates: Vec<_> = links
            .iter()
            .map(|l| match &l.value {
                TomlValue::Table(t) => {
                    t.get("rate").unwrap().node.text(&mut Faults::default(), "").map(str::to_owned)
                }
                _ => None,
            })
            .collect();
        assert_eq!(rates, [Some("3".to_owned()), Some("4".to_owned())]);
    }

    #[test]
    fn a_path_makes_the_tables_that_it_needs() {
        let mut t = table("");
        t.set(&["tcp", "packet"], Location::start(), number("9000")).unwrap();
        assert!(matches!(t.get("tcp").unwrap().node.value, TomlValue::Table(_)));
    }

    #[test]
    fn a_path_to_nothing_is_refused_with_the_nearest_name() {
        let mut t = table("x = 1\n[[flow]]\nname = \"cross\"\n");
        let mut text =
            |path: &[&str]| t.set(path, Location::start(), number("1")).unwrap_err().to_string();
        assert_eq!(
            text(&["flow", "corss", "count"]),
            "there is no flow 'corss'; did you mean 'flow.cross'?"
        );
        assert_eq!(
            text(&["link", "bottleneck", "rate"]),
            "there is no link 'bottleneck'; the file has no [[link]]; write one, or a field of dumbbell"
        );
        assert!(text(&["x", "y"]).contains("not a table"));
        assert!(text(&["flow", "cross"]).contains("ends before a field"));
    }
}
