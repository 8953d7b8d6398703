//! The plan of an experiment: what a user said, by settings, text or file, and what it means.
//!
//! The command, the Python package and whatever else takes a user's words make their plans here.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

use westwood_scenario::file::{
    Assignment, BadFile, FlagValue, GridPoint, Scenario, SeriesKind, TraceReader,
};
use westwood_scenario::library::{self, LibraryScenario};
use westwood_scenario::sorting::SortedMap;
use westwood_scenario::{BadInput, ComparisonPath};

use crate::run::{GridReport, RunTask, baseline_tasks, tasks};
use crate::{input, link};

/// A scenario, and the texts that it was read from.
#[derive(Clone, Debug)]
pub struct ExperimentPlan {
    /// The file or name, as it was given.
    pub file: String,
    /// The scenario as a file.
    pub text: String,
    /// Settings beside the text, as `PATH=VALUE`.
    pub settings: Vec<String>,
    /// The other files that it names, with their texts.
    pub files: Vec<(String, String)>,
    /// It was said in settings: a comparison over one path.
    pub from_flags: bool,
    /// Its meaning.
    pub scenario: Scenario,
}

/// The text of a scenario, and its place.
#[derive(Clone, Debug)]
pub struct ScenarioSource {
    /// The file or name, for messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// The folder of the files that it names; none where they come with the program.
    pub folder: Option<PathBuf>,
}

impl ScenarioSource {
    /// The text in a file, in a link, or of the ready scenario of this name. A link that holds two is
    /// refused: [`paths`] has a path for each.
    ///
    /// # Errors
    /// If there is no such file or name, or the file cannot be read.
    pub fn at(path: &Path) -> Result<Self, BadInput> {
        if let Some(link) = link_at(path) {
            if link::pair(link).is_some() {
                let two = BadInput::new("this link holds two experiments, and one is asked for");
                let hint = "leave out its part from ? up to #, and the first experiment stays";
                return Err(two.hint(hint));
            }
            return Ok(Self {
                name: link::NAME.to_owned(),
                text: link::text_of(link)?,
                folder: None,
            });
        }
        if let Some(ready) = ready(path)? {
            let (name, text) = (ready.name.to_owned(), ready.text.to_owned());
            return Ok(Self { name, text, folder: None });
        }
        let name = path.display().to_string();
        let text = read_scenario(path)
            .map_err(|e| BadInput::new(format!("'{name}' cannot be read: {e}")))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { name, text, folder: Some(folder) })
    }
}

/// The reason why there is no plan.
#[derive(Clone, Debug)]
pub enum BadPlan {
    /// The settings or the text are wrong.
    Scenario(BadFile),
    /// The file cannot be read, or there is no ready scenario of this name.
    File(BadInput),
}

impl fmt::Display for BadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BadPlan {}

impl From<BadFile> for BadPlan {
    fn from(error: BadFile) -> Self {
        Self::Scenario(error)
    }
}

impl ExperimentPlan {
    /// The experiment that settings say; `record` are the time series that are kept of it, and `read` opens
    /// the files that they name.
    pub fn of_flags(
        words: &[FlagValue],
        record: &[SeriesKind],
        read: TraceReader<'_>,
    ) -> Result<Self, BadPlan> {
        let files = ReadFiles::default();
        let kept = |name: &Path| Ok(files.keep(name, read(name)?));
        let (scenario, text) = Scenario::of_flags("comparison", words, record, &kept)?;
        Ok(Self {
            file: "comparison".to_owned(),
            text,
            settings: Vec::new(),
            files: files.into_list(),
            from_flags: true,
            scenario,
        })
    }

    /// The experiment that a scenario's text says, with these settings. `file` is its name in messages.
    pub fn of_text(
        file: &str,
        text: &str,
        set: &[Assignment],
        read: TraceReader<'_>,
    ) -> Result<Self, BadPlan> {
        let files = ReadFiles::default();
        let kept = |name: &Path| Ok(files.keep(name, read(name)?));
        let scenario = Scenario::parse(file, text, set, &kept)?;
        Ok(Self {
            file: file.to_owned(),
            text: text.to_owned(),
            settings: set.iter().map(|assignment| assignment.text().to_owned()).collect(),
            files: files.into_list(),
            from_flags: false,
            scenario,
        })
    }

    /// The experiment at a path, as [`ScenarioSource::at`] finds its text, with these settings.
    pub fn of_file(path: &Path, set: &[Assignment]) -> Result<Self, BadPlan> {
        let source = ScenarioSource::at(path).map_err(BadPlan::File)?;
        let beside = |name: &Path| match &source.folder {
            Some(folder) => read(&folder.join(name)),
            None => library::read(name),
        };
        Self::of_text(&source.name, &source.text, set, &beside)
    }

    /// The experiment as one text, with all of its settings, as a link holds it.
    ///
    /// # Errors
    ///
    /// The name of a file that it reads and that does not come with the program: a link cannot hold it.
    pub fn one_text(&self) -> Result<String, &str> {
        self.own_file().map_or_else(|| Ok(self.text_with_settings()), Err)
    }

    /// The setting of each point as one text, in the order of the points; none where [`Self::one_text`] has
    /// none, and none without a sweep.
    pub fn setting_texts(&self) -> Vec<String> {
        let scenario = &self.scenario;
        if self.own_file().is_some() || scenario.axes().all(|axis| axis == "cc") {
            return Vec::new();
        }
        // Points of one place in the sweep have one text.
        let mut texts: SortedMap<usize, String> = SortedMap::default();
        let mut text = |point: &GridPoint| {
            let (place, _) = point.setting();
            texts.or_insert_with(place, || scenario.setting_text(point)).clone()
        };
        scenario.points().iter().map(&mut text).collect()
    }

    fn text_with_settings(&self) -> String {
        if self.settings.is_empty() { self.text.clone() } else { self.scenario.text() }
    }

    /// A file that it names, and that does not come with the program.
    fn own_file(&self) -> Option<&str> {
        let ready =
            |name: &str, text: &str| library::read(Path::new(name)).is_ok_and(|t| t == text);
        let mut own = self.files.iter().filter(|(name, text)| !ready(name, text));
        own.next().map(|(name, _)| name.as_str())
    }

    /// All runs, those of baselines last.
    pub fn runs(&self) -> Vec<RunTask> {
        [tasks(&self.scenario), baseline_tasks(&self.scenario)].concat()
    }

    /// The path of a comparison in words, with the names that its controllers have in the results; none of
    /// other experiments.
    pub fn words(&self, report: &GridReport) -> Option<ComparisonPath> {
        let path = self.from_flags.then(|| self.scenario.path()).flatten()?;
        let cc = report.points.iter().filter_map(|point| point.cc.clone()).collect();
        Some(ComparisonPath { cc, ..path })
    }
}

/// The link that a path is, if there is no file of that name.
fn link_at(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| link::is_link(text) && !path.exists())
}

/// The experiments at a path, each with a path of its own: two where it is a link that holds two.
pub fn paths(path: &Path) -> Vec<PathBuf> {
    let pair = link_at(path).and_then(link::pair);
    pair.map_or_else(|| vec![path.to_owned()], |pair| pair.map(PathBuf::from).to_vec())
}

/// The files that a scenario has named, as they are read.
#[derive(Default)]
struct ReadFiles(RefCell<SortedMap<String, String>>);

impl ReadFiles {
    fn keep(&self, name: &Path, text: String) -> String {
        self.0.borrow_mut().insert(name.display().to_string(), text.clone());
        text
    }

    fn into_list(self) -> Vec<(String, String)> {
        self.0.into_inner().into_iter().collect()
    }
}

/// The ready scenario that a bare word names, if there is no file of that name.
fn ready(path: &Path) -> Result<Option<&'static LibraryScenario>, BadInput> {
    let bare = path.components().count() == 1 && path.extension().is_none();
    if !bare || path.exists() {
        return Ok(None);
    }
    let found = library::ready(&path.display().to_string());
    found.map(Some).map_err(|e| e.at("there is no file of this name"))
}

fn read_scenario(path: &Path) -> Result<String, String> {
    input::text(path, link::MOST_BYTES)
}

/// Reads a file that the user names.
///
/// # Errors
/// If it cannot be read, is no text or has more than a gibibyte.
pub fn read(path: &Path) -> Result<String, String> {
    /// A trace of a day at a gigabit a second is smaller.
    const MOST_BYTES: u64 = 1 << 30;
    input::text(path, MOST_BYTES)
}
