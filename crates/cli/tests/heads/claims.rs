//! The numbers that a head claims, and the rows and the column that it claims them of.
//!
//! A head is read clause by clause. Commas, semicolons, colons, brackets and "and" end a clause, but where
//! they join things of one kind to a list. A clause names
//!
//! * controllers: by name, by "the others" (all but those that the sentence has named), by "every
//!   controller";
//! * points: by a variant in quotes, or behind "without" the rows without it; by a load or a swept value
//!   behind "at" or "of", and behind "up to" all up to it; by "every RTT" or "all cases";
//! * columns: in quotes, or by a word of [`VERBS`].
//!
//! A clause speaks of what it names. For what it does not name, it speaks of what the clause before it does;
//! a bracket changes nothing behind it. A head begins with every controller, and with the point without a
//! name. A sentence that has the settings of a run (`--set`) speaks of that run alone. Then
//!
//! * a number is the mean in each of these rows;
//! * "2 to 4 s" are the least and the greatest of them, "2 s or more" is the least, "2 s at most" the
//!   greatest;
//! * "2, 3 and 4 s" belong one by one to as many controllers, points or columns that the clause speaks of.
//!
//! A number behind "of" or "under" may be a setting of the file.

use std::collections::BTreeMap;

use super::table::{PrintedTable, Quantity, prefix, says};
use crate::support::numbers::{numbers, unit};

/// Names of controllers beside those of the tables.
const CALLED: [(&str, &str); 11] = [
    ("BBR 3", "bbr3"),
    ("its version 3", "bbr3"),
    ("BBR", "bbr"),
    ("CUBIC", "cubic-linux"),
    ("Illinois", "illinois"),
    ("Hybla", "hybla"),
    ("Vegas", "vegas-linux"),
    ("Westwood (2002)", "westwood"),
    ("Westwood", "westwood"),
    ("Westwood+", "westwood+"),
    ("westwood+ (2004)", "westwood+"),
];

/// Words that mean every controller.
const EVERY_CONTROLLER: [&str; 2] = ["every controller", "no controller"];

/// Words that mean every point.
const EVERY_POINT: [&str; 2] = ["every RTT", "all cases"];

/// Words that mean a column.
const VERBS: [(&str, &str); 7] = [
    ("carries", "goodput"),
    ("carry", "goodput"),
    ("resends", "resent"),
    ("resend", "resent"),
    ("busy", "link busy"),
    ("transfers", "transfer"),
    ("transfer", "transfer"),
];

/// Things of one kind are a list with one of these between them.
const LIST: [&str; 4] = [", ", ", and ", " and ", " or "];

/// A scenario of which a head speaks.
pub(crate) struct ToldScenario {
    /// The settings of each run, and what it printed. The run without settings is the first.
    pub(crate) runs: Vec<(Vec<String>, PrintedTable)>,
    /// The name in the head of the point without one.
    pub(crate) base: &'static str,
    /// The quantities of the file.
    pub(crate) settings: Vec<Quantity>,
    /// The names of its links and flows.
    pub(crate) names: Vec<String>,
}

/// How the numbers of a claim belong to rows.
#[derive(Clone, Copy, PartialEq)]
enum NumberShape {
    /// Each of them to all rows of its part of the list, which may be all there are.
    List,
    /// The least and the greatest.
    Range,
    Least,
    Greatest,
}

/// A piece of a sentence that matters.
enum HeadWord {
    Controllers(Vec<String>),
    Others,
    /// Each entry is a thing that was named, such as "up to 40 ms".
    Points(Vec<Vec<String>>),
    Column(String),
    Numbers(Vec<Quantity>, NumberShape),
    Unknown(String),
}

/// The rows and columns that a clause speaks of. Each entry is a thing that was named, such as "the others".
#[derive(Clone)]
struct Spoken {
    controllers: Vec<Vec<String>>,
    points: Vec<Vec<String>>,
    /// By the kind of their unit.
    columns: BTreeMap<&'static str, Vec<String>>,
}

/// A word, none if it says nothing of a table, and its length.
type PlacedWord = (Option<HeadWord>, usize);

/// Numbers that share a unit, and the text behind them.
struct NumberGroup<'a> {
    said: Vec<Quantity>,
    is_range: bool,
    rest: &'a str,
}

impl<'a> NumberGroup<'a> {
    /// Reads those at the beginning of a text: "2 s", "2 to 4 s", "2, 3 and 4 s".
    fn at(text: &'a str) -> Self {
        let (mut found, mut rest, mut is_range) = (Vec::new(), text, false);
        let common = loop {
            let (number, behind) = numbers(rest).into_iter().next().expect("a number");
            found.push(number);
            rest = behind;
            if let Some(unit) = unit(behind) {
                rest = &behind[behind.find(unit).expect("it stands there") + unit.len()..];
                break unit;
            }
            let joined = |join: &str| {
                let next = rest.strip_prefix(join)?;
                next.starts_with(|c: char| c.is_ascii_digit()).then_some(next)
            };
            let end = joined(" to ").filter(|_| found.len() == 1);
            let item = LIST.into_iter().find_map(joined).filter(|_| !is_range);
            let Some(next) = end.or(item) else { break "" };
            is_range = end.is_some();
            rest = next;
        };
        let said = found.into_iter().map(|number| (number, common)).collect();
        Self { said, is_range, rest }
    }

    /// True if it counts something: no unit, and no decimal places.
    fn is_count(&self) -> bool {
        self.said.iter().all(|(number, unit)| unit.is_empty() && !number.contains('.'))
    }

    fn shape(&self) -> NumberShape {
        let ends = |ends: &[&str]| ends.iter().any(|end| self.rest.starts_with(end));
        if self.is_range {
            NumberShape::Range
        } else if ends(&[" or more", " or longer"]) {
            NumberShape::Least
        } else if ends(&[" at most"]) {
            NumberShape::Greatest
        } else {
            NumberShape::List
        }
    }
}

/// True if a text ends with one of these words and a space.
fn ends_with(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| {
        let rest = text.strip_suffix(' ').and_then(|rest| rest.strip_suffix(word));
        rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    })
}

impl ToldScenario {
    fn table(&self) -> &PrintedTable {
        &self.runs[0].1
    }

    fn point_called(&self, name: &str) -> Option<usize> {
        let is_called = |point: &String| {
            let value = point.split_once('=').map_or(point.as_str(), |(_, value)| value);
            if point.is_empty() { name == self.base } else { name == value }
        };
        self.table().points().iter().position(is_called)
    }

    /// The kind of a column's unit.
    fn kind(&self, column: &str) -> Option<&'static str> {
        self.runs.iter().find_map(|(_, table)| table.unit(column)).map(|unit| prefix(unit).0)
    }

    /// The controller that stands at the beginning of a text, and how long its name is.
    fn controller_at(&self, text: &str) -> Option<(String, usize)> {
        let names = self.table().controllers().into_iter().map(|name| (name.clone(), name));
        let called = CALLED.iter().map(|(called, name)| ((*called).to_owned(), (*name).to_owned()));
        let is_word = |c: char| c.is_alphanumeric() || c == '+' || c == '-';
        let found = names.chain(called).filter(|(called, _)| {
            text.strip_prefix(called.as_str()).is_some_and(|rest| !rest.starts_with(is_word))
        });
        found.max_by_key(|(called, _)| called.len()).map(|(called, name)| (name, called.len()))
    }

    /// The column or the point in quotes at the beginning of a text.
    fn quoted_at(&self, before: &str, text: &str) -> Option<PlacedWord> {
        let name = text.strip_prefix('"')?.split('"').next()?;
        let points = self.table().points();
        let word = if self.kind(name).is_some() {
            HeadWord::Column(name.to_owned())
        } else if self.names.iter().any(|known| known == name) {
            return None;
        } else if !points.iter().any(|point| point == name) {
            HeadWord::Unknown(name.to_owned())
        } else if ends_with(before, &["without"]) {
            HeadWord::Points(vec![vec![String::new()]])
        } else {
            HeadWord::Points(vec![vec![name.to_owned()]])
        };
        Some((Some(word), name.len() + 2))
    }

    /// The points that numbers are. None if one of them is no point.
    fn points_of(&self, group: &NumberGroup<'_>, is_up_to: bool) -> Option<Vec<Vec<String>>> {
        let name = |(number, unit): &Quantity| self.point_called(&format!("{number} {unit}"));
        let at: Vec<usize> = group.said.iter().map(name).collect::<Option<_>>()?;
        let points = self.table().points();
        Some(match (is_up_to, group.is_range) {
            (true, _) => vec![points[..=at[0]].to_vec()],
            (_, true) => vec![points[at[0].min(at[1])..=at[1]].to_vec()],
            _ => at.into_iter().map(|i| vec![points[i].clone()]).collect(),
        })
    }

    /// The numbers at the beginning of a text, or the points that they are.
    fn numbers_at(&self, before: &str, text: &str) -> PlacedWord {
        let group = NumberGroup::at(text);
        let length = text.len() - group.rest.len();
        let is_up_to = ends_with(before, &["up to"]);
        if (is_up_to || ends_with(before, &["at", "of"]))
            && let Some(points) = self.points_of(&group, is_up_to)
        {
            return (Some(HeadWord::Points(points)), length);
        }
        let is_set =
            |one: &Quantity| self.settings.iter().any(|set| says(one, set) && says(set, one));
        let is_setting = ends_with(before, &["of", "under"]) && group.said.iter().all(is_set);
        if is_setting || group.is_count() {
            return (None, length);
        }
        let shape = group.shape();
        (Some(HeadWord::Numbers(group.said, shape)), length)
    }

    /// The word at the beginning of a text.
    fn word_at(&self, before: &str, text: &str) -> Option<PlacedWord> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(self.numbers_at(before, text));
        }
        if let Some(quoted) = self.quoted_at(before, text) {
            return Some(quoted);
        }
        if let Some((name, length)) = self.controller_at(text) {
            return Some((Some(HeadWord::Controllers(vec![name])), length));
        }
        let lower = text.to_lowercase();
        let starts = |word: &str| {
            let rest = lower.strip_prefix(&word.to_lowercase());
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let one_of = |words: &[&'static str]| words.iter().copied().find(|word| starts(word));
        if let Some(word) = one_of(&["the others"]) {
            return Some((Some(HeadWord::Others), word.len()));
        }
        if let Some(word) = one_of(&EVERY_CONTROLLER) {
            let all = self.table().controllers();
            return Some((Some(HeadWord::Controllers(all)), word.len()));
        }
        if let Some(word) = one_of(&EVERY_POINT) {
            return Some((Some(HeadWord::Points(vec![self.table().points()])), word.len()));
        }
        if let Some(word) = one_of(&[self.base]).filter(|word| !word.is_empty()) {
            return Some((Some(HeadWord::Points(vec![vec![String::new()]])), word.len()));
        }
        let (verb, column) = VERBS.iter().find(|(verb, _)| starts(verb))?;
        self.kind(column)?;
        Some((Some(HeadWord::Column((*column).to_owned())), verb.len()))
    }
}

/// The sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ").map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// A sentence without the settings that it tells to make.
pub(crate) fn without_settings(text: &str) -> String {
    let mut pieces = text.split("--set ");
    let mut left = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let mut is_quoted = false;
        let end = piece.find(|c: char| {
            is_quoted ^= c == '\'';
            c == ' ' && !is_quoted
        });
        left.push_str(&piece[end.unwrap_or(piece.len())..]);
    }
    left
}

/// Reads a head, and collects what its tables do not say.
struct HeadReader<'a> {
    told: &'a ToldScenario,
    /// The tables of the sentence.
    table: Option<&'a PrintedTable>,
    spoken: Spoken,
    /// The state before each open bracket.
    outside: Vec<Spoken>,
    /// The controllers that the sentence has named.
    named: Vec<String>,
    faults: Vec<String>,
}

/// The numbers of a head that its tables do not have where the head says, and the reason for each.
pub(crate) fn false_claims(look: &str, told: &ToldScenario) -> Vec<String> {
    let points = told.table().points();
    let is_base = |point: &String| point.is_empty();
    let begin =
        points.iter().find(|point| is_base(point)).map_or(points.clone(), |p| vec![p.clone()]);
    let spoken = Spoken {
        controllers: vec![told.table().controllers()],
        points: vec![begin],
        columns: BTreeMap::new(),
    };
    let (outside, named, faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader = HeadReader { told, table: Some(told.table()), spoken, outside, named, faults };
    for sentence in sentences(look) {
        let before = reader.faults.len();
        reader.read(sentence);
        for fault in &mut reader.faults[before..] {
            *fault = format!("{fault}: {sentence}");
        }
    }
    reader.faults
}

impl HeadReader<'_> {
    fn read(&mut self, sentence: &str) {
        let is_told = |(settings, _): &&(Vec<String>, PrintedTable)| {
            let told = |setting: &String| sentence.contains(&format!("--set {setting}"));
            !settings.is_empty() && settings.iter().all(told)
        };
        let run = self.told.runs.iter().find(is_told).map(|(_, table)| table);
        let plain = (!sentence.contains("--set ")).then(|| self.told.table());
        self.table = run.or(plain);
        self.named.clear();
        let text = without_settings(sentence);
        let (mut clause, mut last, mut end, mut at) = (Vec::new(), None, 0, 0);
        while at < text.len() {
            let begins = !text[..at].ends_with(char::is_alphanumeric);
            let found = begins.then(|| self.told.word_at(&text[..at], &text[at..])).flatten();
            let Some((word, length)) = found else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let kind = word.as_ref().map(std::mem::discriminant);
            let gap = &text[end..at];
            if kind.is_none() || kind != last || !LIST.contains(&gap) {
                self.cross(gap, &mut clause);
            }
            clause.extend(word);
            (last, at) = (kind, at + length);
            end = at;
        }
        self.cross(&text[end..], &mut clause);
        self.speak(&mut clause);
    }

    /// Ends clauses by what stands between two words.
    fn cross(&mut self, gap: &str, clause: &mut Vec<HeadWord>) {
        for mark in gap.replace(" and ", ",").chars() {
            if [',', ';', ':', '(', ')'].contains(&mark) {
                self.speak(clause);
            }
            if mark == '(' {
                self.outside.push(self.spoken.clone());
            } else if mark == ')'
                && let Some(outside) = self.outside.pop()
            {
                self.spoken = outside;
            }
        }
    }

    /// Takes a clause for what it names, and compares its numbers.
    fn speak(&mut self, clause: &mut Vec<HeadWord>) {
        let (mut controllers, mut points) = (Vec::new(), Vec::new());
        let mut columns: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut numbers = Vec::new();
        for word in clause.drain(..) {
            match word {
                HeadWord::Controllers(names) => {
                    self.named.extend(names.iter().cloned());
                    controllers.push(names);
                }
                HeadWord::Others if self.named.is_empty() => {
                    self.faults.push("the others: no controller is named before them".to_owned());
                }
                HeadWord::Others => {
                    let all = self.told.table().controllers().into_iter();
                    controllers.push(all.filter(|name| !self.named.contains(name)).collect());
                }
                HeadWord::Points(some) => points.extend(some),
                HeadWord::Column(name) => {
                    columns.entry(self.told.kind(&name).unwrap_or("")).or_default().push(name);
                }
                HeadWord::Numbers(said, shape) => numbers.push((said, shape)),
                HeadWord::Unknown(name) => {
                    self.faults.push(format!("\"{name}\" is no column and no variant"));
                }
            }
        }
        let flat: Vec<String> = controllers.concat();
        let again = |(i, name): &(usize, &String)| flat[..*i].contains(name);
        if let Some((_, name)) = flat.iter().enumerate().find(again) {
            self.faults.push(format!("{name}: a clause names it twice"));
        }
        if !controllers.is_empty() {
            self.spoken.controllers = controllers;
        }
        if !points.is_empty() {
            self.spoken.points = points;
        }
        self.spoken.columns.extend(columns);
        for (said, shape) in numbers {
            if let Err(fault) = self.compare(&said, shape) {
                let numbers: Vec<&str> = said.iter().map(|(number, _)| number.as_str()).collect();
                self.faults.push(format!("{} {}: {fault}", numbers.join(", "), said[0].1));
            }
        }
    }

    /// An error if the tables do not have the numbers where the clause says.
    fn compare(&self, said: &[Quantity], shape: NumberShape) -> Result<(), String> {
        let table = self.table.ok_or("no run with these settings is kept")?;
        let kind = prefix(said[0].1).0;
        if shape != NumberShape::List || said.len() == 1 {
            return self.spoken.has(table, kind, said, shape);
        }
        for (i, one) in said.iter().enumerate() {
            let nth = self.spoken.nth(kind, i, said.len()).ok_or("as many are not named")?;
            nth.has(table, kind, std::slice::from_ref(one), shape)?;
        }
        Ok(())
    }
}

impl Spoken {
    /// The same with the one controller, point or column to which a number of a list belongs.
    fn nth(&self, kind: &'static str, i: usize, of: usize) -> Option<Self> {
        let mut nth = self.clone();
        if self.controllers.len() == of {
            nth.controllers = vec![self.controllers[i].clone()];
        } else if self.points.len() == of {
            nth.points = vec![self.points[i].clone()];
        } else {
            let columns = self.columns.get(kind).filter(|columns| columns.len() == of)?;
            nth.columns.insert(kind, vec![columns[i].clone()]);
        }
        Some(nth)
    }

    /// An error with the means if they are not as said.
    fn has(
        &self,
        table: &PrintedTable,
        kind: &str,
        said: &[Quantity],
        shape: NumberShape,
    ) -> Result<(), String> {
        let columns = self.columns.get(kind).ok_or("no column is named")?;
        let [column] = columns.as_slice() else {
            return Err(format!("it may be any of {}", columns.join(", ")));
        };
        let (controllers, points) = (self.controllers.concat(), self.points.concat());
        let means = table.means(column, &controllers, &points);
        let rows = format!("{column} of {} at {points:?}", controllers.join(", "));
        let (Some(least), Some(greatest)) = (means.first(), means.last()) else {
            return Err(format!("no row has {rows}"));
        };
        let holds = match shape {
            NumberShape::List => says(&said[0], least) && says(&said[0], greatest),
            NumberShape::Range => says(&said[0], least) && says(&said[1], greatest),
            NumberShape::Least => says(&said[0], least),
            NumberShape::Greatest => says(&said[0], greatest),
        };
        let printed: Vec<&str> = means.iter().map(|(mean, _)| mean.as_str()).collect();
        let fault = || format!("{rows} is {} {}", printed.join(", "), least.1);
        if holds { Ok(()) } else { Err(fault()) }
    }
}
