//! Controllers that a scenario defines: `[controllers.NAME]`.

use westwood_cc::Ratio;
use westwood_cc::controllers::Choice;
use westwood_cc::own::OwnChoice;
use westwood_script::{Definition, ScriptError, ScriptErrorKind, ScriptPart, VerbName, define};

use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TableEntry, TomlValue};
use super::quantity::{SWITCH, TEXT};
use super::section::{Located, TableReader, sections};
use super::value_reader::ValueReader;
use crate::decimal::Decimal;
use crate::error::{BadInput, quoted};
use crate::spec;

/// All controllers of a scenario. Once they are read, their names may stand wherever a controller's does.
pub(super) const OWN_CONTROLLERS: ValueReader<Vec<OwnChoice>> =
    ValueReader::node(ValueShape::Named(&OwnController::SECTION), read_all);

/// A verb's text; the example may stand there.
const fn code(example: &'static str) -> ValueReader<String> {
    ValueReader::text(ValueShape::Text("code", example), |text| Ok(text.to_owned()))
}
const PARAMETERS: ValueReader<Vec<NamedNumber<Ratio>>> =
    ValueReader::node(ValueShape::Numbers("{ alpha = 0.31, beta = 0.875 }"), |node, faults| {
        numbers(node, faults, spec::ratio)
    });
const STATE: ValueReader<Vec<NamedNumber<f64>>> =
    ValueReader::node(ValueShape::Numbers("{ best = 0 }"), |node, faults| {
        numbers(node, faults, signed)
    });

sections! {
    /// A controller, in expressions of the numbers that a verb is told: windows in segments, times in
    /// seconds, rates in segments a second. A verb that has no text does as Reno does.
    /// `docs/how-to/write-a-controller.md` has the language and the arguments of each verb.
    OwnController as "[controllers.NAME]" {
        /// Its rule, in a sentence.
        about: optional String = TEXT, "nothing";
        /// Command the window at every ACK, in recovery too, and lead no recovery of the transport's.
        everything: default bool = SWITCH, "false";
        /// Its parameters with their usual values, from 0 on: `NAME(alpha=0.5)` gives another one.
        parameters: optional Vec<NamedNumber<Ratio>> = PARAMETERS, "none";
        /// The numbers that each connection keeps, with their first values.
        state: optional Vec<NamedNumber<f64>> = STATE, "none";
        /// When a connection begins: `smss`, `initial_window`, `seed`. Statements.
        start: optional String = code("\"best = initial_window\""), "nothing";
        /// At every ACK, before losses are judged: `now`, `rtt`, `srtt`, `newly`, `in_flight`, `delivered`,
        /// `delivered_ce`, `snd_una`, `snd_nxt`, `delivery_rate`, `app_limited`, `one_way_delay`. Statements.
        measure: optional String = code("\"best = max(best, newly)\""), "nothing";
        /// At each segment judged lost, of a controller with `everything`: `now`, `seq`, `in_flight`,
        /// `lost_since`, `app_limited`. Statements.
        lost: optional String = code("\"best = 0.9 * best\""), "nothing";
        /// The next window: `cwnd`, `ssthresh`, `credit`, `now`, `in_flight`, `newly_lost`,
        /// `cwnd_limited`, `phase`.
        grow: optional String = code("\"cwnd + credit / cwnd\""), "Reno's";
        /// The slow-start threshold after a sign of congestion: `cwnd`, `ssthresh`, `cause`, `now`.
        reduce: optional String = code("\"0.7 * cwnd\""), "Reno's: half of the window";
        /// The window when a recovery ends: `cwnd`, `ssthresh`, `now`.
        recovered: optional String = code("\"ssthresh\""), "the window that there is";
        /// The window when a reduction was spurious: `cwnd`, `ssthresh`, `cwnd_before`, `ssthresh_before`,
        /// `now`.
        undone: optional String = code("\"cwnd_before\""), "the larger one";
        /// The window when sending begins again: `cwnd`, `ssthresh`, `idle`, `now`.
        restarted: optional String = code("\"min(cwnd, 10)\""), "the window that there is";
        /// The pacing rate in segments a second; none unless it is above 0. It counts with `everything`, or
        /// where `NAME(pacing=on)` stands in `cc`.
        pacing_rate: optional String = code("\"1.2 * best\""), "the transport's";
        /// The bandwidth estimate in segments a second, for results; none unless it is above 0.
        bwe: optional String = code("\"best\""), "none";
    }
}

/// A number with a name. The same ones are equal, wherever they stand.
#[derive(Clone, Debug)]
pub(super) struct NamedNumber<T> {
    name: String,
    /// The place of the name.
    place: Location,
    value: T,
}

impl<T: PartialEq> PartialEq for NamedNumber<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}

/// The most controllers of a scenario.
const MOST: usize = 64;

fn read_all(node: &Node, faults: &mut Faults) -> Option<Vec<OwnChoice>> {
    let TomlValue::Table(table) = &node.value else {
        let what = BadInput::new(format!("{} stands where tables are due", node.value.kind()));
        faults.add(node.place, what.hint("write [controllers.NAME]"));
        return None;
    };
    if let Some(entry) = table.entries.get(MOST) {
        let what = BadInput::new(format!("a scenario defines {MOST} controllers at most"));
        faults.add(entry.place, what.hint("leave some of them out"));
        return None;
    }
    let all: Vec<OwnChoice> = table.entries.iter().filter_map(|entry| one(entry, faults)).collect();
    faults.know_controllers(&all);
    Some(all)
}

/// A controller. One whose text is wrong is noted as a fault and stands for Reno under its name, so that
/// references to it are no further faults.
fn one(entry: &TableEntry, faults: &mut Faults) -> Option<OwnChoice> {
    let name = &entry.key;
    if Choice::named(name).is_some() || spec::registered_named(name).is_some() {
        let what = BadInput::new(format!("there is a controller {} already", quoted(name)));
        faults.add(entry.place, what.hint("give yours another name"));
        return None;
    }
    let table = OwnController::read(&entry.node, faults);
    let parameters = || table.iter().flat_map(OwnController::parameters);
    let placeholder = || {
        let mut definition = Definition::new(name);
        parameters().for_each(|p| definition.parameter(&p.name, p.value));
        define(definition).or_else(|_| define(Definition::new(name))).ok()
    };
    let Some(table) = &table else { return placeholder() };
    match define(table.definition(name)) {
        Ok(controller) => Some(controller),
        Err(error) => {
            table.note(&error, entry.place, faults);
            placeholder()
        }
    }
}

impl OwnController {
    fn parameters(&self) -> impl Iterator<Item = &NamedNumber<Ratio>> {
        self.parameters.iter().flat_map(|given| &given.value)
    }

    fn state(&self) -> impl Iterator<Item = &NamedNumber<f64>> {
        self.state.iter().flat_map(|given| &given.value)
    }

    fn verb(&self, verb: VerbName) -> Option<&Located<String>> {
        let text = match verb {
            VerbName::Start => &self.start,
            VerbName::Measure => &self.measure,
            VerbName::Lost => &self.lost,
            VerbName::Grow => &self.grow,
            VerbName::Reduce => &self.reduce,
            VerbName::Recovered => &self.recovered,
            VerbName::Undone => &self.undone,
            VerbName::Restarted => &self.restarted,
            VerbName::PacingRate => &self.pacing_rate,
            VerbName::Bwe => &self.bwe,
        };
        text.as_ref()
    }

    fn definition(&self, name: &str) -> Definition {
        let mut definition = Definition::new(name);
        if let Some(about) = &self.about {
            definition.about(&about.value);
        }
        definition.commands_everything(self.everything.value);
        self.parameters().for_each(|number| definition.parameter(&number.name, number.value));
        self.state().for_each(|number| definition.state(&number.name, number.value));
        for verb in VerbName::ALL {
            if let Some(text) = self.verb(verb) {
                definition.verb(verb, &text.value);
            }
        }
        definition
    }

    /// Notes a fault of it, whose name stands at `name`.
    fn note(&self, error: &ScriptError, name: Location, faults: &mut Faults) {
        let what = match &error.kind {
            ScriptErrorKind::Said { message, hint } => {
                let what = BadInput::new(message);
                hint.iter().fold(what, BadInput::hint)
            }
            ScriptErrorKind::Unknown { sort, name, known } => {
                BadInput::unknown(sort, name, known.iter().map(String::as_str))
            }
        };
        let place = match error.part {
            ScriptPart::Name => Some(name),
            ScriptPart::Parameter(i) => self.parameters().nth(i).map(|number| number.place),
            ScriptPart::State(i) => self.state().nth(i).map(|number| number.place),
            ScriptPart::Verb(verb) => {
                if let Some(text) = self.verb(verb) {
                    faults.add_within(text.place, error.place.clone(), what);
                    return;
                }
                None
            }
        };
        faults.add(place.unwrap_or(name), what);
    }
}

/// Names with their numbers.
fn numbers<T>(
    node: &Node,
    faults: &mut Faults,
    read: fn(&str) -> Result<T, BadInput>,
) -> Option<Vec<NamedNumber<T>>> {
    let TomlValue::Table(table) = &node.value else {
        let what = BadInput::new(format!("{} stands where numbers are due", node.value.kind()));
        faults.add(node.place, what.hint("write { alpha = 0.5 }"));
        return None;
    };
    let number = |entry: &TableEntry| {
        let text = entry.node.text(faults, "0.5")?.to_owned();
        let value = faults.check(entry.node.place, read(&text))?;
        Some(NamedNumber { name: entry.key.clone(), place: entry.place, value })
    };
    table.entries.iter().map(number).collect()
}

/// A number that may be negative.
fn signed(text: &str) -> Result<f64, BadInput> {
    match text.strip_prefix('-') {
        Some(positive) => Decimal::parse(positive).map(|number| -number.to_f64()),
        None => Decimal::parse(text.strip_prefix('+').unwrap_or(text)).map(Decimal::to_f64),
    }
}
