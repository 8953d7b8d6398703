//! The format of `criteria/rfc9743`: `criteria.toml` lists the criteria and their tests, `thresholds.toml`
//! the limits with their sources, every other TOML file is a scenario, and `.trace` files are the recorded
//! capacity that scenarios name.

use std::cell::RefCell;
use std::fmt;
use std::path::Path;

use westwood_experiment::metric::{Metric, Unit};
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{
    BadFile, Faults, Fields, Location, Node, ReadContext, Sources, TableEntry, TomlValue, parse,
};
use westwood_scenario::spec::ControllerSpec;

/// A list of criteria with everything that they need.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The document's title.
    pub title: String,
    /// Where it is published.
    pub source: String,
    /// A remark on all of it, for readers.
    pub note: Option<String>,
    /// The controllers that run beside the one under examination.
    pub references: Vec<String>,
    /// The criteria, in the document's order.
    pub criteria: Vec<CardCriterion>,
    /// The criteria that [`only`](Self::only) leaves out: nothing is run for them, but verdicts are corrected
    /// for their statements, too.
    pub unexamined: Vec<CardCriterion>,
    /// The scenario files: name without its ending, and text.
    pub scenarios: Vec<(String, String)>,
    /// The files of recorded capacity: name and text.
    pub traces: Vec<(String, String)>,
    /// The texts, for messages about places.
    pub sources: Sources,
}

/// A criterion: a section of the document.
#[derive(Clone, Debug)]
pub struct CardCriterion {
    /// The section's number.
    pub section: String,
    /// The section's title.
    pub title: String,
    /// The word by which the document asks for it.
    pub requirement: Requirement,
    /// The document's sentence with that word.
    pub says: String,
    /// The question, in a sentence.
    pub asks: String,
    /// The part of the section that is not measured, or another remark.
    pub note: Option<String>,
    /// The reason why nothing is measured; none if tests measure it.
    pub not_applicable: Option<String>,
    /// True if the head of the controller's file answers it.
    pub answered_by_text: bool,
    /// Its tests.
    pub tests: Vec<CardTest>,
}

/// The word by which a document asks for something. In small letters it is guidance and no requirement
/// (RFC 8174).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// MUST.
    Must,
    /// SHOULD.
    Should,
    /// "should" in small letters.
    SmallShould,
    /// "ought to".
    Ought,
    /// "needs to".
    Needs,
    /// The section describes a case and asks for nothing.
    Described,
}

impl Requirement {
    /// All of them, by their names in `criteria.toml`.
    const WORDS: [(&'static str, Self); 6] = [
        ("MUST", Self::Must),
        ("SHOULD", Self::Should),
        ("should", Self::SmallShould),
        ("ought", Self::Ought),
        ("needs", Self::Needs),
        ("none", Self::Described),
    ];

    /// As the document writes it; a dash where it has no word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::SmallShould => "should",
            Self::Ought => "ought",
            Self::Needs => "needs",
            Self::Described => "-",
        }
    }
}

/// A test: a quantity of a scenario's runs, held against a threshold at every setting of the scenario.
#[derive(Clone, Debug)]
pub struct CardTest {
    /// The name of the scenario's file.
    pub scenario: String,
    /// The quantity.
    pub measure: Metric,
    /// The comparison, in a sentence.
    pub about: String,
    /// Beside which runs it is judged.
    pub beside: CardReference,
    /// The variants at which it is judged; all if empty. `plain` is the scenario as it stands.
    pub variants: Vec<String>,
    /// The places of these names.
    pub variant_places: Vec<Location>,
    /// The limit and its source.
    pub threshold: CardThreshold,
    /// The reason why the scenario cannot be emulated, or its quantity not be measured there; none if it can.
    pub not_on_linux: Option<String>,
    /// Its place.
    pub place: Location,
    /// The place of the name of the runs beside which it is judged.
    pub beside_place: Location,
}

/// The runs beside which a test is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardReference {
    /// None: the value itself is judged.
    Absent,
    /// Those of these controllers at the same setting, each for itself.
    Controllers(Vec<String>),
    /// Those of that one of these controllers at the same setting which allows the most; [`COMPETING`] stands
    /// for the controller of the competing flows.
    AnyOf(Vec<String>),
    /// Those of the same controller at this variant.
    Variant(String),
}

impl CardReference {
    /// Whether the runs are those of other controllers.
    pub(crate) const fn is_of_controllers(&self) -> bool {
        matches!(self, Self::Controllers(_) | Self::AnyOf(_))
    }
}

/// The word in `beside_any` for the controller of the competing flows, after the scenario's setting.
pub const COMPETING: &str = "against_cc";

/// The name of the scenario as it stands among its variants.
pub const PLAIN: &str = "plain";

/// A limit, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct CardThreshold {
    /// Its name in `thresholds.toml`.
    pub name: String,
    /// The number that is compared with the limit.
    pub of: Compared,
    /// The limit.
    pub limit: CardLimit,
    /// The reason for the number.
    pub why: String,
    /// Its source.
    pub source: String,
}

/// The number that is compared with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The value.
    Value,
    /// The value less that of the runs beside it.
    Difference,
    /// The value over that of the runs beside it.
    Ratio,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CardLimit {
    /// Nothing above it passes.
    AtMost(f64),
    /// Nothing below it passes.
    AtLeast(f64),
}

impl CardThreshold {
    /// The test in words, in the unit in which a card shows the measure: `difference at most 5 percentage
    /// points`.
    pub fn of_measure(&self, measure: Metric) -> String {
        self.words(|x| match (measure.unit(), self.of) {
            (Unit::Share, Compared::Value) => format!("{} %", percent(x)),
            (Unit::Share, Compared::Difference) if percent(x) == "1" => {
                "1 percentage point".to_owned()
            }
            (Unit::Share, Compared::Difference) => format!("{} percentage points", percent(x)),
            _ => x.to_string(),
        })
    }

    fn words(&self, limit: impl Fn(f64) -> String) -> String {
        let of = match self.of {
            Compared::Value => "value",
            Compared::Difference => "difference",
            Compared::Ratio => "ratio",
        };
        match self.limit {
            CardLimit::AtMost(x) => format!("{of} at most {}", limit(x)),
            CardLimit::AtLeast(x) => format!("{of} at least {}", limit(x)),
        }
    }
}

/// A share in percent, with as many digits as a file may have given.
fn percent(share: f64) -> String {
    let digits = format!("{:.6}", share * 100.0);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for CardThreshold {
    /// As the file has it: shares from 0 to 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(|x| x.to_string()))
    }
}

/// Reads an examination from its files: name and text. The faults of all files are reported at once.
pub fn examination(files: &[(&str, &str)]) -> Result<Examination, BadFile> {
    let mut sources = Sources::default();
    let mut faults = Faults::default();
    let found = read(files, &mut sources, &mut faults);
    match found {
        Some(found) if faults.is_empty() => Ok(Examination { sources, ..found }),
        _ => Err(faults.into_error(&sources)),
    }
}

fn read(files: &[(&str, &str)], sources: &mut Sources, faults: &mut Faults) -> Option<Examination> {
    let criteria = tree("criteria.toml", files, sources, faults)?;
    let limits = tree("thresholds.toml", files, sources, faults)?;
    if !faults.is_empty() {
        return None;
    }
    let context = ReadContext { sources, faults: RefCell::new(faults) };
    let thresholds = thresholds(&limits, &context);
    let fields = Fields::of(&criteria, "criteria.toml", &context)?;
    let scenarios: Vec<(String, String)> = files
        .iter()
        .filter(|(name, _)| !["criteria.toml", "thresholds.toml"].contains(name))
        .filter_map(|(name, text)| {
            Some((name.strip_suffix(".toml")?.to_owned(), (*text).to_owned()))
        })
        .collect();
    let traces = files.iter().filter(|(name, _)| name.strip_suffix(".toml").is_none());
    let traces = traces.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let declared = match &limits.value {
        TomlValue::Table(table) => table.entries.iter().map(|entry| entry.key.as_str()).collect(),
        _ => Vec::new(),
    };
    let known = KnownNames { thresholds: &thresholds, declared, scenarios: &scenarios };
    let found = Examination {
        title: fields.required("title")?,
        source: fields.required("source")?,
        note: fields.text("note"),
        references: fields.texts("references"),
        criteria: fields.tables("criterion", "[[criterion]]", |f| criterion(f, &known)),
        unexamined: Vec::new(),
        scenarios: scenarios.clone(),
        traces,
        sources: Sources::default(),
    };
    fields.finish();
    Some(found)
}

/// The names that a test may use.
struct KnownNames<'a> {
    thresholds: &'a [CardThreshold],
    /// The names of thresholds, those with a fault among them.
    declared: Vec<&'a str>,
    scenarios: &'a [(String, String)],
}

fn tree(
    name: &str,
    files: &[(&str, &str)],
    sources: &mut Sources,
    faults: &mut Faults,
) -> Option<Node> {
    let text = files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    let number = sources.add(name, text.unwrap_or_default());
    let place = Location::new(number, &(0..0));
    if text.is_none() {
        let what = BadInput::new("this file is missing");
        faults.add(place, what.hint("westwood evaluate rfc9743 --write DIR writes one to edit"));
    }
    Some(Node { value: TomlValue::Table(parse(text?, number, faults)), place })
}

/// The tables of `thresholds.toml`, each named by its key.
fn thresholds<'a>(node: &'a Node, context: &'a ReadContext<'a>) -> Vec<CardThreshold> {
    const COMPARED: [(&str, Compared); 3] = [
        ("value", Compared::Value),
        ("difference", Compared::Difference),
        ("ratio", Compared::Ratio),
    ];
    let TomlValue::Table(table) = &node.value else { return Vec::new() };
    let one = |entry: &'a TableEntry| {
        let fields = Fields::of(&entry.node, "a threshold", context)?;
        let (most, least) = (fields.number("at_most"), fields.number("at_least"));
        let given = ["at_most", "at_least"].map(|name| fields.node(name).is_some());
        let limit = match (most, least) {
            (Some(x), None) if !given[1] => Some(CardLimit::AtMost(x)),
            (None, Some(x)) if !given[0] => Some(CardLimit::AtLeast(x)),
            // One that is no number has its fault already.
            _ if given[0] != given[1] => None,
            _ => {
                let what = BadInput::new("a threshold has either 'at_most' or 'at_least'");
                fields.fault(fields.place, what);
                None
            }
        };
        let found = CardThreshold {
            name: entry.key.clone(),
            of: fields.word("of", &COMPARED)?,
            limit: limit?,
            why: fields.required("why")?,
            source: fields.required("source")?,
        };
        fields.finish();
        Some(found)
    };
    table.entries.iter().filter_map(one).collect()
}

fn criterion(fields: &Fields<'_>, known: &KnownNames<'_>) -> Option<CardCriterion> {
    let (section, title) = (fields.required("section"), fields.required("title"));
    let requirement = fields.word("requirement", &Requirement::WORDS);
    let (says, asks) = (fields.required("says"), fields.required("asks"));
    let note = fields.text("note");
    let not_applicable = fields.text("not_applicable");
    let answered_by_text = fields.switch("answered_by_text", false);
    let tests = fields.tables("test", "[[criterion.test]]", |f| test(f, known));
    let found = CardCriterion {
        section: section?,
        title: title?,
        requirement: requirement?,
        says: says?,
        asks: asks?,
        note,
        not_applicable,
        answered_by_text,
        tests,
    };
    // A test with a fault is one, too.
    if fields.node("test").is_some() == found.not_applicable.is_some() {
        let what = BadInput::new("a criterion has either tests or the reason 'not_applicable'");
        fields.fault(fields.place, what);
    }
    Some(found)
}

fn test(fields: &Fields<'_>, known: &KnownNames<'_>) -> Option<CardTest> {
    let scenario = fields.required("scenario")?;
    if !known.scenarios.iter().any(|(name, _)| *name == scenario) {
        let names = known.scenarios.iter().map(|(name, _)| name.as_str());
        let error = BadInput::unknown("scenario", &scenario, names.collect::<Vec<_>>());
        fields.fault(fields.place_of("scenario"), error);
    }
    let measure = fields.required("measure")?;
    let repeats = |metric: Metric| match metric {
        Metric::AckCost | Metric::AckCycles => {
            let name = metric.name();
            let what = format!("a criterion is not judged by {name}, which does not repeat");
            Err(BadInput::new(what))
        }
        other => Ok(other),
    };
    let measure = Metric::named(&measure)
        .and_then(repeats)
        .map_err(|error| fields.fault(fields.place_of("measure"), error))
        .ok();
    let wanted = fields.required("threshold")?;
    let threshold = known.thresholds.iter().find(|threshold| threshold.name == wanted);
    if !known.declared.contains(&wanted.as_str()) {
        let error = BadInput::unknown("threshold", &wanted, known.declared.iter().copied());
        fields.fault(fields.place_of("threshold"), error);
    }
    let (beside, beside_place) = beside(fields);
    // Every field is read before a fault ends the reading: else it would count as unknown.
    let about = fields.required("about");
    let (variants, not_on_linux) = (fields.texts("variants"), fields.text("not_on_linux"));
    let variant_places = fields.each("variants").iter().map(|node| node.place).collect();
    let threshold = threshold?.clone();
    if (beside == CardReference::Absent) != (threshold.of == Compared::Value) {
        let what = "a value is judged by itself, a difference or ratio beside other runs";
        let hint = "name them: beside = \"cubic\", beside_any or beside_variant = \"plain\"";
        fields.fault(fields.place_of("threshold"), BadInput::new(what).hint(hint));
    }
    Some(CardTest {
        scenario,
        measure: measure?,
        about: about?,
        beside,
        variants,
        variant_places,
        threshold,
        not_on_linux,
        place: fields.place,
        beside_place,
    })
}

/// The runs beside which a test is judged, and the place of their name.
fn beside(fields: &Fields<'_>) -> (CardReference, Location) {
    const NAMES: [&str; 3] = ["beside", "beside_any", "beside_variant"];
    let (controllers, any) = (fields.texts(NAMES[0]), fields.texts(NAMES[1]));
    let variant = fields.text(NAMES[2]);
    let given: Vec<&str> =
        NAMES.into_iter().filter(|name| fields.place_of(name) != fields.place).collect();
    let place = given.last().map_or(fields.place, |name| fields.place_of(name));
    if let [first, second, ..] = given[..] {
        let what = format!("'{second}' stands beside '{first}'");
        let hint = format!("a test has one of {}", NAMES.join(", "));
        fields.fault(place, BadInput::new(what).hint(hint));
    }
    let found = match variant {
        Some(variant) => CardReference::Variant(variant),
        None if !any.is_empty() => CardReference::AnyOf(any),
        None if !controllers.is_empty() => CardReference::Controllers(controllers),
        None => CardReference::Absent,
    };
    (found, place)
}

impl Examination {
    /// A controller and the references that it is not.
    ///
    /// # Errors
    /// If a reference is no controller.
    pub fn beside(&self, controller: ControllerSpec) -> Result<Vec<ControllerSpec>, BadInput> {
        let mut all = vec![controller];
        for name in &self.references {
            let reference = ControllerSpec::parse(name).map_err(|e| e.at("references"))?;
            if !all.contains(&reference) {
                all.push(reference);
            }
        }
        Ok(all)
    }

    /// The recorded capacity in a file that a scenario names.
    ///
    /// # Errors
    /// If there is no such file.
    pub(crate) fn recorded(&self, file: &Path) -> Result<String, String> {
        let found = self.traces.iter().find(|(known, _)| Path::new(known) == file);
        let missing = || format!("'{}' is not among the files of the criteria", file.display());
        found.map(|(_, text)| text.clone()).ok_or_else(missing)
    }

    /// Leaves only the sections that begin with this number: `5.2` leaves 5.2, 5.2.1 and so on.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn only(&mut self, sections: &[String]) -> Result<(), BadInput> {
        for section in sections {
            if !self.criteria.iter().any(|criterion| is_within(&criterion.section, section)) {
                let known = self.criteria.iter().map(|criterion| criterion.section.as_str());
                let mut known: Vec<&str> = known.collect();
                // Criteria of one section follow one another.
                known.dedup();
                return Err(BadInput::unknown("section", section, known));
            }
        }
        let is_wanted =
            |c: &CardCriterion| sections.iter().any(|section| is_within(&c.section, section));
        let all = std::mem::take(&mut self.criteria);
        let (wanted, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_wanted);
        self.criteria = wanted;
        self.unexamined.extend(others);
        Ok(())
    }

    /// The criterion of a number: those that are examined come first.
    pub(crate) fn criterion(&self, number: usize) -> &CardCriterion {
        let behind = number.checked_sub(self.criteria.len());
        behind.map_or_else(|| &self.criteria[number], |at| &self.unexamined[at])
    }
}

/// Whether a section is another one or a part of it.
pub fn is_within(section: &str, whole: &str) -> bool {
    section.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
