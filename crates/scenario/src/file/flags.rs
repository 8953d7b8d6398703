//! Settings as flags of the command: an experiment on one dumbbell in words.
//!
//! The flags are the fields of the tables that are declared so, by their names with dashes, and a
//! few shorthands that stand for two fields. Flags become the tree that a file would have been read
//! to, so that everything behind it is the same for both.

use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::fault::Faults;
use super::like;
use super::location::{Location, Sources};
use super::node::{Node, TableEntry, TomlTable, TomlValue};
use super::settings::{Measure, Tcp};
use super::tables::{Dumbbell, Top};
use crate::error::{BadInput, quoted};
use crate::limits;
use crate::presets;
use crate::spec::PerFlowTime;

/// The losses of an experiment in words that names none.
const USUAL_LOSS: &str = "0.5%";
/// The preset of one that names none: what hosts run today.
const USUAL_PRESET: &str = "linux";
/// The controllers of one that names none, where its preset has none either.
const USUAL_CONTROLLERS: &str = "reno,cubic,bbr,westwood,westwood+,log-westwood+";

/// A flag of the command.
#[derive(Clone, Debug)]
pub struct Flag {
    /// Its name without dashes in front: `return-rate`.
    pub name: String,
    /// Under which heading of the help it stands.
    pub heading: &'static str,
    /// Its meaning, in sentences.
    pub about: String,
    /// The placeholder of its value: `RATE`.
    pub value: String,
    /// Its default.
    pub absent: String,
    means: FlagTarget,
}

#[derive(Clone, Copy, Debug)]
enum FlagTarget {
    /// A field of the table of this name; of the top if there is none.
    Field(Option<&'static str>, &'static str),
    /// The fields of `[dumbbell]` that a shorthand sets.
    Dumbbell(fn(&str) -> Result<FieldValues, BadInput>),
}

type FieldValues = Vec<(&'static str, String)>;

/// A flag with its value, as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagValue {
    /// The flag's name without dashes in front.
    pub flag: String,
    /// The value.
    pub value: String,
}

/// All flags that say an experiment, in the order of the help.
pub fn flags() -> Vec<Flag> {
    let tables: [(Option<&'static str>, &'static Section); 4] = [
        (Some("dumbbell"), &Dumbbell::SECTION),
        (None, &Top::SECTION),
        (Some("measure"), &Measure::SECTION),
        (Some("tcp"), &Tcp::SECTION),
    ];
    let fields = tables.into_iter().flat_map(|(table, section)| {
        section.fields.iter().filter_map(move |field| of_field(table, section, field))
    });
    let mut flags: Vec<Flag> = fields.collect();
    for (before, shorthand) in shorthands() {
        let place = flags.iter().position(|flag| flag.name == before).unwrap_or(flags.len());
        flags.insert(place, shorthand);
    }
    flags
}

fn of_field(
    table: Option<&'static str>,
    section: &Section,
    field: &FieldDeclaration,
) -> Option<Flag> {
    let absent = match (usual(field.name), field.presence) {
        (Some(text), _) => text,
        (None, Presence::Default(text) | Presence::Optional(text)) => plain(text),
        (None, Presence::Required) => String::new(),
    };
    Some(Flag {
        name: field.name.replace('_', "-"),
        heading: section.heading_of(field)?,
        about: plain(&super::documents::joined(field.about)),
        value: placeholder(&field.shape),
        absent,
        means: FlagTarget::Field(table, field.name),
    })
}

/// The default of a field: the usual preset's, or a comparison's own.
fn usual(field: &str) -> Option<String> {
    let words = match field {
        "loss" => Some(USUAL_LOSS),
        "like" => Some(USUAL_PRESET),
        _ => None,
    };
    let flag = field.replace('_', "-");
    let preset = || presets::named(USUAL_PRESET).ok();
    let set = || preset()?.settings.iter().find(|setting| setting.name == flag).map(|s| s.value);
    words.or_else(set).map(str::to_owned)
}

/// Text of the tables as the command says it: fields are flags.
fn plain(text: &str) -> String {
    let is_field = |word: &str| {
        let sections = [&Dumbbell::SECTION, &Top::SECTION, &Measure::SECTION, &Tcp::SECTION];
        sections.iter().any(|s| {
            s.fields.iter().any(|field| field.name == word && s.heading_of(field).is_some())
        })
    };
    let word = |(i, part): (usize, &str)| match i % 2 {
        1 if is_field(part) => format!("--{}", part.replace('_', "-")),
        _ => part.to_owned(),
    };
    text.replace("\\|", "|").split('`').enumerate().map(word).collect()
}

fn placeholder(shape: &ValueShape) -> String {
    match shape {
        ValueShape::Text(name, _) | ValueShape::Some(name, _) | ValueShape::Texts(name, _) => {
            name.to_ascii_uppercase().replace(' ', "-")
        }
        ValueShape::Words(words) => words.join("|"),
        ValueShape::Count(..) => "N".to_owned(),
        ValueShape::Switch => "on|off".to_owned(),
        ValueShape::Table(_)
        | ValueShape::Tables(_)
        | ValueShape::OneOrMore(_)
        | ValueShape::Named(_)
        | ValueShape::Numbers(_)
        | ValueShape::Settings(_)
        | ValueShape::NamedSettings(_) => String::new(),
    }
}

/// The shorthands, each with the flag before which it stands.
fn shorthands() -> [(&'static str, Flag); 3] {
    let flag = |name: &str, heading, value: &str, about: &str, absent: &str, means| Flag {
        name: name.to_owned(),
        heading,
        about: about.to_owned(),
        value: value.to_owned(),
        absent: absent.to_owned(),
        means: FlagTarget::Dumbbell(means),
    };
    [
        (
            "buffer",
            flag(
                "rtt-spread",
                "Path",
                "MIN-MAX",
                "Round-trip times of the flows, evenly spaced from MIN to MAX.",
                "all flows have that of --rtt",
                spread,
            ),
        ),
        (
            "access-rate",
            flag(
                "trace",
                "Path",
                "DOWN[,UP]",
                "Recorded capacity of the bottleneck instead of a rate. Each line of a file is a time in \
                 milliseconds and an opportunity to send 1500 bytes. Without UP the return has the mean \
                 rate of DOWN, or --return-rate.",
                "a fixed rate",
                traces,
            ),
        ),
        (
            "reverse-flows",
            flag(
                "against",
                "Flows",
                "CC:N",
                "N competing flows of another controller over the same bottleneck: whom does it harm?",
                "there are none",
                competing_flows,
            ),
        ),
    ]
}

fn spread(text: &str) -> Result<FieldValues, BadInput> {
    // A minus behind a letter e belongs to a number.
    let separates = |&(i, c): &(usize, char)| c == '-' && i > 0 && !text[..i].ends_with(['e', 'E']);
    let Some((at, _)) = text.char_indices().find(separates) else {
        let what = BadInput::new(format!("{} is not MIN-MAX", quoted(text)));
        return Err(what.hint("write 20ms-250ms"));
    };
    let (min, max) = (&text[..at], &text[at + 1..]);
    let times = format!("{min} to {max}");
    PerFlowTime::within(&times, limits::MIN_RTT, limits::MAX_RTT)?;
    Ok(vec![("rtt", times)])
}

fn traces(text: &str) -> Result<FieldValues, BadInput> {
    let files: Vec<&str> = text.split(',').map(str::trim).collect();
    match files.as_slice() {
        [down] if !down.is_empty() => Ok(vec![("trace", (*down).to_owned())]),
        [down, up] if !down.is_empty() && !up.is_empty() => {
            Ok(vec![("trace", (*down).to_owned()), ("return_trace", (*up).to_owned())])
        }
        _ => Err(BadInput::new(format!("{} is not DOWN[,UP]", quoted(text)))
            .hint("name one file, or two with a comma between")),
    }
}

fn competing_flows(text: &str) -> Result<FieldValues, BadInput> {
    let Some((cc, flows)) = text.rsplit_once(':') else {
        return Err(BadInput::new(format!("{} is not CC:N", quoted(text))).hint("write reno:1"));
    };
    crate::units::count(flows, 1, limits::MAX_FLOWS)?;
    Ok(vec![("against_cc", cc.to_owned()), ("against_flows", flows.to_owned())])
}

/// The tables that words fill.
#[derive(Default)]
struct Tables {
    top: TomlTable,
    dumbbell: TomlTable,
    measure: TomlTable,
    tcp: TomlTable,
}

impl Tables {
    fn named(&mut self, name: Option<&str>) -> &mut TomlTable {
        match name {
            Some("dumbbell") => &mut self.dumbbell,
            Some("measure") => &mut self.measure,
            Some("tcp") => &mut self.tcp,
            _ => &mut self.top,
        }
    }

    /// Sets the defaults of flags that were not given.
    fn fill(&mut self) {
        let usual = |key: &str, value: &str| entry(key, value, Location::start());
        if self.top.get("like").is_none() {
            self.top.entries.insert(0, usual("like", USUAL_PRESET));
        }
        if self.dumbbell.get("loss").is_none() && self.dumbbell.get("loss_both").is_none() {
            self.dumbbell.entries.push(usual("loss", USUAL_LOSS));
        }
        if like::filled(self.top.clone()).get("cc").is_none() {
            self.top.entries.push(usual("cc", USUAL_CONTROLLERS));
        }
    }

    fn into_tree(self) -> TomlTable {
        let mut tree = self.top;
        let inner = [("dumbbell", self.dumbbell), ("measure", self.measure), ("tcp", self.tcp)];
        for (key, table) in inner {
            if key == "dumbbell" || !table.entries.is_empty() {
                let node = Node { value: TomlValue::Table(table), place: Location::start() };
                tree.entries.push(TableEntry {
                    key: key.to_owned(),
                    place: Location::start(),
                    node,
                });
            }
        }
        tree
    }
}

fn entry(key: &str, value: &str, place: Location) -> TableEntry {
    let node = Node { value: TomlValue::Text(value.to_owned()), place };
    TableEntry { key: key.to_owned(), place, node }
}

/// The tree that these flags mean, with defaults for the others.
pub(super) fn tree(words: &[FlagValue], sources: &mut Sources, faults: &mut Faults) -> TomlTable {
    let all = flags();
    let mut tables = Tables::default();
    let mut given: Vec<(Option<&str>, &str, &str)> = Vec::new();
    for word in words {
        let place = sources.add_flag(&format!("--{}", word.flag), &word.value);
        let Some(flag) = all.iter().find(|flag| flag.name == word.flag) else {
            let names: Vec<&str> = all.iter().map(|flag| flag.name.as_str()).collect();
            faults.add(place, BadInput::unknown("flag", &word.flag, names));
            continue;
        };
        for (table, field, value) in pairs(flag, &word.value, place, faults) {
            let same = |s: &&(Option<&str>, &str, &str)| {
                s.0 == table && capacity_of(s.1) == capacity_of(field)
            };
            if let Some((_, _, prior)) = given.iter().find(same) {
                let what = match *prior {
                    prior if prior == word.flag => "is given twice".to_owned(),
                    prior => format!("cannot be used together with --{prior}"),
                };
                faults.add(place, BadInput::new(what));
                continue;
            }
            given.push((table, field, &word.flag));
            tables.named(table).entries.push(entry(field, &value, place));
        }
    }
    tables.fill();
    tables.into_tree()
}

/// The field, or the rate that a trace stands for: of a direction only one of them may be given.
fn capacity_of(field: &str) -> &str {
    match field {
        "trace" => "rate",
        "return_trace" => "return_rate",
        other => other,
    }
}

/// The fields that a flag sets: table, field, value.
fn pairs(
    flag: &Flag,
    value: &str,
    place: Location,
    faults: &mut Faults,
) -> Vec<(Option<&'static str>, &'static str, String)> {
    match flag.means {
        FlagTarget::Field(table, field) => vec![(table, field, value.to_owned())],
        FlagTarget::Dumbbell(expand) => {
            let pairs = faults.check(place, expand(value)).unwrap_or_default();
            pairs.into_iter().map(|(field, value)| (Some("dumbbell"), field, value)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(name: &str) -> Flag {
        flags().into_iter().find(|flag| flag.name == name).unwrap()
    }

    #[test]
    fn a_flag_is_its_field_with_dashes_and_its_words() {
        let flag = flag("return-rate");
        assert_eq!((flag.heading, flag.value.as_str()), ("Path", "RATE"));
        assert_eq!(flag.about, "Rate in the other direction.");
        assert_eq!(flag.absent, "as --rate");
    }

    #[test]
    fn what_holds_without_a_flag_is_what_the_usual_preset_says() {
        assert_eq!(flag("packet").absent, "1448");
        assert_eq!(flag("loss").absent, "0.5%");
        assert_eq!(flag("buffer").absent, "1 bdp");
    }

    #[test]
    fn no_two_flags_have_one_name() {
        let mut names: Vec<String> = flags().into_iter().map(|flag| flag.name).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn a_spread_may_have_exponents() {
        assert_eq!(spread("2e-2s-250ms").unwrap(), [("rtt", "2e-2s to 250ms".to_owned())]);
    }

    #[test]
    fn competing_flows_may_have_parameters() {
        let pairs = competing_flows("reno(keep=0.7):3").unwrap();
        assert_eq!(pairs[0].1, "reno(keep=0.7)");
        assert_eq!(pairs[1].1, "3");
    }
}
