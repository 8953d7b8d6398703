//! Settings from elsewhere than the file: `--set PATH=VALUE[,VALUE...]`.

use super::declaration::ValueShape;
use super::fault::Faults;
use super::location::{Location, Sources};
use super::node::{Node, TomlTable, TomlValue, parse};
use super::tables::Top;
use crate::error::{BadInput, quoted};
use crate::nearest::nearest;
use crate::spec::split_list;

/// A field and the value or values that it is given.
///
/// ```
/// use westwood_scenario::file::Assignment;
/// assert!(Assignment::parse("dumbbell.loss=0.1%,1%").is_ok());
/// assert_eq!(Assignment::parse("dumbbell.loss").unwrap_err().to_string(),
///            "'dumbbell.loss' is not PATH=VALUE; write dumbbell.rate=10Mbit/s");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    path: String,
    value: String,
    /// As it was typed.
    text: String,
}

impl Assignment {
    /// Reads `PATH=VALUE`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let Some((path, value)) = text.split_once('=') else {
            let what = BadInput::new(format!("{} is not PATH=VALUE", quoted(text)));
            return Err(what.hint("write dumbbell.rate=10Mbit/s"));
        };
        let (path, value) = (path.trim(), value.trim());
        field_path(path)?;
        if value.is_empty() {
            return Err(BadInput::new(format!("{} has no value", quoted(path))));
        }
        Ok(Self { path: path.to_owned(), value: value.to_owned(), text: text.to_owned() })
    }

    /// The field's path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts a single value into the tables, and hands all values on for the axes of the sweep.
    pub(super) fn apply(
        &self,
        base: &mut TomlTable,
        sources: &mut Sources,
        faults: &mut Faults,
        axis: impl FnOnce(String, Location, Vec<Node>),
    ) {
        let source = sources.add("--set", &self.text);
        let from = self.text.find('=').map_or(0, |at| at + 1);
        let place = Location::new(source, &(0..from.saturating_sub(1)));
        let at = Location::new(source, &(from..self.text.len()));
        let Some(values) = faults.check(at, self.values(at)) else {
            return;
        };
        if let [only] = values.as_slice() {
            let parts: Vec<&str> = self.path.split('.').map(str::trim).collect();
            faults.check(place, base.set(&parts, place, only.clone()));
        }
        axis(self.path.clone(), place, values);
    }

    /// A TOML value or a list of them if it looks like one, else text with commas between.
    fn values(&self, place: Location) -> Result<Vec<Node>, BadInput> {
        if self.value.starts_with(['"', '\'', '[', '{']) {
            let mut faults = Faults::default();
            let table = parse(&format!("value = {}", self.value), 0, &mut faults);
            return match table.get("value") {
                Some(entry) if faults.is_empty() => {
                    let nodes = entry.node.each().iter();
                    Ok(nodes.map(|node| Node { place, ..node.clone() }).collect())
                }
                _ => Err(BadInput::new(format!("{} is not a TOML value", quoted(&self.value)))),
            };
        }
        let text = |part: &str| Node { value: TomlValue::Text(part.to_owned()), place };
        Ok(split_list(&self.value)?.into_iter().map(text).collect())
    }
}

/// Refuses paths that lead to nothing that could differ from run to run.
pub(super) fn field_path(path: &str) -> Result<(), BadInput> {
    const ROOTS: [&str; 13] = [
        "like", "cc", "time", "warmup", "seed", "seeds", "dumbbell", "link", "flow", "change",
        "tcp", "record", "limits",
    ];
    let example = "write dumbbell.rate, link.NAME.rate, flow.NAME.count or tcp.packet";
    let mut parts = path.split('.').map(str::trim);
    let root = parts.next().unwrap_or_default();
    if parts.any(str::is_empty) || root.is_empty() {
        return Err(BadInput::new(format!("{} is not a path", quoted(path))).hint(example));
    }
    if ROOTS.contains(&root) || root == "measure" {
        return Ok(());
    }
    let error = BadInput::new(format!("{} cannot be set", quoted(path)));
    Err(match nearest(root, ROOTS).and_then(|root| nearest_path(root, path)) {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => error.hint(example),
    })
}

/// The path of a field that begins with `root` and goes on as this one does, each part as the nearest
/// field's; none if a part is near none.
fn nearest_path(root: &str, path: &str) -> Option<String> {
    let mut parts = path.split('.').map(str::trim).skip(1);
    let mut near = vec![root];
    let mut field = Top::SECTION.fields.iter().find(|field| field.name == root)?;
    while let Some(part) = parts.next() {
        let (section, part) = match field.shape {
            ValueShape::Table(section) => (section, part),
            ValueShape::Tables(section) | ValueShape::OneOrMore(section) => {
                near.push(part);
                (section, parts.next()?)
            }
            _ => return None,
        };
        let name = nearest(part, section.fields.iter().map(|field| field.name))?;
        near.push(name);
        field = section.fields.iter().find(|field| field.name == name)?;
    }
    let is_table = matches!(
        field.shape,
        ValueShape::Table(_) | ValueShape::Tables(_) | ValueShape::OneOrMore(_)
    );
    (!is_table).then(|| near.join("."))
}
