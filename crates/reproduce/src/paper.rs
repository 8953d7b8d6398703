//! A paper: experiments, figures, tables and claims, all of it data.

use std::cell::RefCell;
use std::path::Path;
use std::{fs, io};

use westwood_experiment::link;
use westwood_experiment::plan::ExperimentPlan;
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{
    BadFile, Faults, Fields, Location, Node, ReadContext, Sources, TableEntry, TomlTable,
    TomlValue, parse,
};
use westwood_scenario::file::{Assignment, Scenario};

use crate::ablation::{Ablation, ablation};
use crate::claim::{Claim, claim, on_linux};
use crate::expr::Expr;
use crate::extent::Platform;
use crate::fields::ExpressionFields as _;

/// A paper.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The name of its folder.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its authors.
    pub authors: String,
    /// The year of publication.
    pub year: String,
    /// The place of publication.
    pub source: Option<String>,
    /// The unstated choices, and the differences: its README.md.
    pub notes: String,
    /// Names for all its expressions.
    pub lets: Vec<(String, Expr)>,
    /// Its experiments.
    pub experiments: Vec<Experiment>,
    /// Its figures.
    pub figures: Vec<PaperFigure>,
    /// Its tables.
    pub tables: Vec<PaperTable>,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Other coherent readings of it.
    pub readings: Vec<PaperReading>,
    /// Experiments that decide why its claims hold or not.
    pub ablations: Vec<Ablation>,
}

/// A reading of a paper where it leaves something open: choices that are made for all claims at once.
#[derive(Clone, Debug)]
pub struct PaperReading {
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub about: String,
    /// The names of the choices; of a claim that has several of them the first one counts.
    pub choices: Vec<String>,
}

/// An experiment: a scenario file, and how it is shortened.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Its subject, in a line.
    pub about: String,
    /// The name of its file: its own, or that of the experiment whose scenario it repeats.
    pub file: String,
    /// The file's text.
    pub text: String,
    /// Settings that replace those of the file.
    pub set: Vec<Assignment>,
    /// Its platform.
    pub on: Platform,
    /// Settings of the quick mode; none if it is left out there.
    pub quick: Option<Vec<Assignment>>,
    /// Its place.
    pub place: Location,
}

/// A figure of a paper.
#[derive(Clone, Debug)]
pub struct PaperFigure {
    /// Its number.
    pub id: String,
    /// Its contents.
    pub title: String,
    /// The experiment whose runs its metrics mean.
    pub experiment: Option<String>,
    /// The horizontal axis, with its unit.
    pub x: String,
    /// The vertical axis, with its unit.
    pub y: String,
    /// True for a logarithmic horizontal axis.
    pub x_log: bool,
    /// True for a logarithmic vertical axis.
    pub y_log: bool,
    /// One unit of the horizontal axis in the unit of the data: 10^6 for Mbit/s.
    pub x_unit: f64,
    /// The ends of the horizontal axis.
    pub x_range: Option<(f64, f64)>,
    /// The ends of the vertical axis.
    pub y_range: Option<(f64, f64)>,
    /// The names of the places of `points(...)`; numbers stand there if it is empty.
    pub x_names: Vec<String>,
    /// The paper's remark on it.
    pub said: Option<String>,
    /// Its lines: a name and an expression each.
    pub lines: Vec<(String, Expr)>,
    /// The claims' numbers that are drawn in.
    pub bands: Vec<FigureBand>,
    /// Its place.
    pub place: Location,
}

/// A claim's number in a figure: the accepted values, the paper's and that of each seed.
#[derive(Clone, Debug)]
pub struct FigureBand {
    /// The claim.
    pub claim: String,
    /// The name of the number, of a claim with several; the first one if absent.
    pub part: Option<String>,
    /// Its part of the horizontal axis, in the axis' unit; both ends are alike for a single place.
    pub x: (f64, f64),
    /// One unit of the number in that of the vertical axis.
    pub scale: f64,
}

/// A table of a paper.
#[derive(Clone, Debug)]
pub struct PaperTable {
    /// Its number.
    pub id: String,
    /// Its contents.
    pub title: String,
    /// The experiment whose runs its metrics mean.
    pub experiment: Option<String>,
    /// The heads of its columns; the first is that of the rows' names.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<PaperRow>,
    /// Its place.
    pub place: Location,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct PaperRow {
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub values: Vec<Expr>,
    /// The paper's entries.
    pub said: Vec<String>,
}

/// A file of a paper: its path from the folder of all papers, and its text.
pub type File<'a> = (&'a str, &'a str);

/// The files of the papers in a folder: path from there, and text.
pub fn files_in(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for paper in fs::read_dir(folder)? {
        let paper = paper?;
        if !paper.path().is_dir() {
            continue;
        }
        let key = paper.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(paper.path())? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "toml" || ending == "md") {
                files.push((format!("{key}/{name}"), fs::read_to_string(&path)?));
            }
        }
    }
    Ok(files)
}

/// Reads papers from their files. The faults of all files are reported at once.
pub fn papers(files: &[File<'_>]) -> Result<(Vec<Paper>, Sources), BadFile> {
    let mut sources = Sources::default();
    let mut faults = Faults::default();
    // A folder without paper.toml is none.
    let mut keys: Vec<&str> =
        files.iter().filter_map(|(path, _)| path.strip_suffix("/paper.toml")).collect();
    keys.sort_unstable();
    keys.dedup();
    let papers: Vec<Option<Paper>> =
        keys.iter().map(|key| paper(key, files, &mut sources, &mut faults)).collect();
    if !faults.is_empty() {
        return Err(faults.into_error(&sources));
    }
    Ok((papers.into_iter().flatten().collect(), sources))
}

fn paper(
    key: &str,
    files: &[File<'_>],
    sources: &mut Sources,
    faults: &mut Faults,
) -> Option<Paper> {
    let file = |name: &str| {
        let path = format!("{key}/{name}");
        files.iter().find(|(p, _)| *p == path).map(|(_, text)| *text)
    };
    let mut tree = |name: &str, faults: &mut Faults| {
        let path = format!("papers/{key}/{name}");
        let Some(text) = file(name) else {
            let number = sources.add(&path, "");
            faults.add(Location::new(number, &(0..0)), BadInput::new("this file is missing"));
            return None;
        };
        let number = sources.add(&path, text);
        let node = TomlValue::Table(parse(text, number, faults));
        Some(Node { value: node, place: Location::new(number, &(0..0)) })
    };
    let about = tree("paper.toml", faults)?;
    let claims = tree("claims.toml", faults)?;
    if !faults.is_empty() {
        return None;
    }
    let real = on_linux(&claims);
    let context = ReadContext { sources, faults: RefCell::new(faults) };
    let fields = Fields::of(&about, "paper.toml", &context)?;
    let claim_fields = Fields::of(&claims, "claims.toml", &context)?;
    let mut paper = Paper {
        key: key.to_owned(),
        title: fields.required("title")?,
        authors: fields.required("authors")?,
        year: fields.texts("year").concat(),
        source: fields.text("source"),
        notes: file("README.md").unwrap_or_default().to_owned(),
        lets: fields.lets("let"),
        experiments: fields.tables("experiment", "[[experiment]]", |f| experiment(f, &file)),
        figures: fields.tables("figure", "[[figure]]", figure),
        tables: fields.tables("table", "[[table]]", table),
        claims: claim_fields.tables("claim", "[[claim]]", claim),
        readings: fields.tables("reading", "[[reading]]", reading),
        ablations: fields.tables("ablation", "[[ablation]]", ablation),
    };
    check_bands(&fields, &paper);
    check_readings(&fields, &paper);
    check_ablations(&fields, &paper);
    fields.finish();
    claim_fields.finish();
    for node in &real {
        let fields = Fields::of(node, "[claim.linux]", &context)?;
        let decided = claim(&fields);
        fields.finish();
        let Some(decided) = decided else { continue };
        if let Some(own) = paper.claims.iter_mut().find(|own| own.id == decided.id) {
            own.linux = Some(Box::new(decided));
        }
    }
    Some(paper)
}

fn reading(fields: &Fields<'_>) -> Option<PaperReading> {
    let name = fields.required("name")?;
    let choices = match fields.texts("choices") {
        none if none.is_empty() => vec![name.clone()],
        named => named,
    };
    Some(PaperReading { name, about: fields.required("about")?, choices })
}

/// Refuses a band of a claim, or of a claim's number, that the paper does not have.
fn check_bands(fields: &Fields<'_>, paper: &Paper) {
    let place = fields.place_of("figure");
    for band in paper.figures.iter().flat_map(|figure| &figure.bands) {
        let Some(claim) = paper.claims.iter().find(|claim| claim.id == band.claim) else {
            let known: Vec<&str> = paper.claims.iter().map(|claim| claim.id.as_str()).collect();
            fields.fault(place, BadInput::unknown("claim", &band.claim, known));
            continue;
        };
        let names: Vec<&str> = claim.parts.iter().filter_map(|part| part.name.as_deref()).collect();
        if let Some(part) = band.part.as_deref().filter(|part| !names.contains(part)) {
            let error = if names.is_empty() {
                BadInput::new(format!("{} has one number", claim.id)).hint("leave out 'part'")
            } else {
                BadInput::unknown(&format!("part of {}", claim.id), part, names)
            };
            fields.fault(place, error);
        }
    }
}

/// Refuses a reading of a choice that no claim has.
fn check_readings(fields: &Fields<'_>, paper: &Paper) {
    let choices = || paper.claims.iter().flat_map(|claim| &claim.choices);
    for name in paper.readings.iter().flat_map(|reading| &reading.choices) {
        if !choices().any(|choice| choice.name == *name) {
            let mut known: Vec<&str> = choices().map(|choice| choice.name.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            fields.fault(fields.place_of("reading"), BadInput::unknown("choice", name, known));
        }
    }
}

/// Refuses an ablation of claims, figures or tables that the paper does not have.
fn check_ablations(fields: &Fields<'_>, paper: &Paper) {
    let place = fields.place_of("ablation");
    let claims = || paper.claims.iter().map(|claim| claim.id.as_str());
    let figures = paper.figures.iter().map(|figure| figure.id.as_str());
    let shown: Vec<&str> =
        figures.chain(paper.tables.iter().map(|table| table.id.as_str())).collect();
    for ablation in &paper.ablations {
        for id in ablation.claims.iter().filter(|id| !claims().any(|known| known == *id)) {
            let known: Vec<&str> = claims().collect();
            fields.fault(place, BadInput::unknown("claim", id, known));
        }
        for id in ablation.shown.iter().filter(|id| !shown.contains(&id.as_str())) {
            fields.fault(place, BadInput::unknown("figure or table", id, shown.clone()));
        }
    }
}

fn experiment<'t>(
    fields: &Fields<'_>,
    file: &dyn Fn(&str) -> Option<&'t str>,
) -> Option<Experiment> {
    let name = fields.required("name")?;
    let of = fields.text("of");
    let place = fields.place_of(if of.is_some() { "of" } else { "name" });
    let own = of.unwrap_or_else(|| name.clone());
    let Some(text) = file(&format!("{own}.toml")) else {
        let what = format!("there is no file {own}.toml beside this one");
        fields.fault(place, BadInput::new(what));
        return None;
    };
    let about = fields.required("about")?;
    let set = match fields.node("set") {
        None => Vec::new(),
        Some(Node { value: TomlValue::Table(table), .. }) => settings(table, fields),
        Some(node) => {
            fields.fault(node.place, BadInput::new("'set' is a table of settings"));
            Vec::new()
        }
    };
    let quick = match fields.node("quick") {
        None => Some(Vec::new()),
        Some(Node { value: TomlValue::Switch(false), .. }) => None,
        Some(Node { value: TomlValue::Table(table), .. }) => Some(settings(table, fields)),
        Some(node) => {
            let what = BadInput::new("'quick' is a table of settings, or false");
            fields.fault(node.place, what);
            None
        }
    };
    let on = match fields.node("on") {
        None => Platform::Simulator,
        Some(_) => {
            fields.word("on", &[("sim", Platform::Simulator), ("linux", Platform::Linux)])?
        }
    };
    let (text, place) = (text.to_owned(), fields.place);
    Some(Experiment { name, about, file: own, text, set, on, quick, place })
}

/// `PATH = value` as a command line has it.
fn settings(table: &TomlTable, fields: &Fields<'_>) -> Vec<Assignment> {
    let one = |entry: &TableEntry| {
        let text = format!("{}={}", entry.key, written(&entry.node));
        Assignment::parse(&text).map_err(|error| fields.fault(entry.place, error)).ok()
    };
    flattened(table, "").iter().filter_map(one).collect()
}

/// Settings by their whole paths, whether written as `"a.b" = 1` or as `a.b = 1`.
fn flattened(table: &TomlTable, before: &str) -> Vec<TableEntry> {
    let whole = |entry: &TableEntry| {
        let key = format!("{before}{}", entry.key);
        match &entry.node.value {
            TomlValue::Table(inner) => flattened(inner, &format!("{key}.")),
            _ => vec![TableEntry { key, ..entry.clone() }],
        }
    };
    table.entries.iter().flat_map(whole).collect()
}

/// A value as TOML.
fn written(node: &Node) -> String {
    match &node.value {
        TomlValue::Text(text) => format!("{text:?}"),
        TomlValue::Number(text) => format!("\"{text}\""),
        TomlValue::Switch(on) => format!("\"{on}\""),
        TomlValue::List(nodes) => {
            format!("[{}]", nodes.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        TomlValue::Table(_) | TomlValue::Date => String::new(),
    }
}

fn figure(fields: &Fields<'_>) -> Option<PaperFigure> {
    let line = |f: &Fields<'_>| {
        if f.node("value").is_none() {
            f.lacks("value");
        }
        Some((f.required("name")?, f.expression("value")?))
    };
    Some(PaperFigure {
        id: fields.required("id")?,
        title: fields.required("title")?,
        experiment: fields.text("experiment"),
        x: fields.required("x")?,
        y: fields.required("y")?,
        x_log: fields.switch("x_log", false),
        y_log: fields.switch("y_log", false),
        x_unit: fields.number("x_unit").unwrap_or(1.0),
        x_range: fields.pair("x_range"),
        y_range: fields.pair("y_range"),
        x_names: fields.texts("x_names"),
        said: fields.text("said"),
        lines: fields.tables("line", "[[figure.line]]", line),
        bands: fields.tables("band", "[[figure.band]]", band),
        place: fields.place,
    })
}

fn band(fields: &Fields<'_>) -> Option<FigureBand> {
    let claim = fields.required("claim");
    let part = fields.text("part");
    let scale = fields.number("scale").unwrap_or(1.0);
    if scale <= 0.0 {
        fields.fault(fields.place_of("scale"), BadInput::new("'scale' is above zero"));
    }
    let at = fields.number("at").map(|at| (at, at));
    let x = match (at, fields.pair("range")) {
        (Some(x), None) | (None, Some(x)) => x,
        (Some(_), Some(_)) => {
            let what = BadInput::new("'at' and 'range' exclude each other");
            fields.fault(fields.place_of("range"), what.hint("leave one of them out"));
            return None;
        }
        (None, None) => {
            // A value that is there and wrong has its own fault.
            if fields.node("at").is_none() && fields.node("range").is_none() {
                fields.lacks("at");
            }
            return None;
        }
    };
    Some(FigureBand { claim: claim?, part, x, scale })
}

fn table(fields: &Fields<'_>) -> Option<PaperTable> {
    let row = |f: &Fields<'_>| {
        Some(PaperRow {
            name: f.required("name")?,
            values: f.expressions("values"),
            said: f.texts("said"),
        })
    };
    Some(PaperTable {
        id: fields.required("id")?,
        title: fields.required("title")?,
        experiment: fields.text("experiment"),
        columns: fields.texts("columns"),
        rows: fields.tables("row", "[[table.row]]", row),
        place: fields.place,
    })
}

/// The papers cut down to one claim, so that nothing is run that it does not need; none if there is no
/// such claim. Case does not matter.
pub fn of_claim(papers: Vec<Paper>, id: &str) -> Option<Vec<Paper>> {
    let with_it = |mut paper: Paper| {
        paper.claims.retain(|claim| claim.id.eq_ignore_ascii_case(id));
        paper.figures.clear();
        paper.tables.clear();
        paper.ablations.clear();
        paper.readings.clear();
        (!paper.claims.is_empty()).then_some(paper)
    };
    let cut: Vec<Paper> = papers.into_iter().filter_map(with_it).collect();
    (!cut.is_empty()).then_some(cut)
}

impl Paper {
    /// The part of it that belongs to runs there: experiments, figures, tables, and the claims as
    /// they are decided there.
    pub(crate) fn on(mut self, on: Platform) -> Self {
        let is_linux = |experiment: &Option<String>| {
            let named = |e: &&Experiment| experiment.as_ref() == Some(&e.name);
            self.experiments.iter().find(named).is_some_and(|e| e.on == Platform::Linux)
        };
        let here = |experiment: &Option<String>| is_linux(experiment) == (on == Platform::Linux);
        self.figures.retain(|figure| here(&figure.experiment));
        self.tables.retain(|table| here(&table.experiment));
        self.ablations.retain(|ablation| here(&ablation.experiment));
        self.experiments.retain(|experiment| experiment.on == on);
        if on == Platform::Linux {
            let claims = std::mem::take(&mut self.claims).into_iter();
            self.claims = claims.filter_map(|claim| claim.linux).map(|claim| *claim).collect();
        }
        self
    }
}

impl Experiment {
    /// The scenario, shortened in quick mode; none if that leaves it out.
    pub(crate) fn scenario(
        &self,
        paper: &str,
        mode: crate::extent::Extent,
        besides: &[Assignment],
    ) -> Option<Result<Scenario, BadFile>> {
        let mut set = self.settings(mode)?;
        set.extend(besides.iter().cloned());
        let name = format!("papers/{paper}/{}.toml", self.file);
        let none =
            |file: &Path| Err(format!("'{}' is not among the papers' files", file.display()));
        Some(Scenario::parse(&name, &self.text, &set, &none))
    }

    /// The same as a link has it.
    pub(crate) fn linked(&self, mode: crate::extent::Extent) -> Option<ExperimentPlan> {
        let none = |file: &Path| Err(format!("'{}' is no file of a link", file.display()));
        ExperimentPlan::of_text(link::NAME, &self.text, &self.settings(mode)?, &none).ok()
    }

    /// The settings that replace those of the file, in quick mode too; none if that leaves it out.
    fn settings(&self, mode: crate::extent::Extent) -> Option<Vec<Assignment>> {
        let mut set = self.set.clone();
        if mode == crate::extent::Extent::Quick {
            set.extend(self.quick.clone()?);
        }
        Some(set)
    }

    /// The inputs that decide its results beside the program: its text and settings.
    pub(crate) fn identity(&self, mode: crate::extent::Extent) -> String {
        let quick = self.quick.iter().flatten().filter(|_| mode == crate::extent::Extent::Quick);
        let settings = self.set.iter().chain(quick).map(|a| format!("\u{0}{}", a.text()));
        self.text.clone() + &settings.collect::<String>()
    }
}
