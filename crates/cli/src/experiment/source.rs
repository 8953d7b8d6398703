//! The sources of an experiment: flags, a file, or a ready scenario.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use westwood_scenario::file::{Assignment, FlagValue, Scenario, SeriesKind};
use westwood_scenario::library::{self, LibraryScenario};

/// A scenario, and the texts that it was read from.
pub(crate) struct ScenarioSource {
    /// The file, as it was given.
    pub(super) file: String,
    pub(super) text: String,
    /// Settings of the command line, as `PATH=VALUE`.
    pub(super) settings: Vec<String>,
    /// The other files that it names.
    pub(super) files: Vec<(String, String)>,
    /// It was said in flags.
    pub(super) from_flags: bool,
    pub(crate) scenario: Scenario,
}

/// The reader of a file: from a path to its text, or why not.
pub type Reader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// The experiment that flags say.
///
/// `record` are the time series that are kept of it.
pub(crate) fn of_flags(
    words: &[FlagValue],
    record: &[SeriesKind],
    read: Reader<'_>,
) -> Result<ScenarioSource, String> {
    let files = RefCell::new(BTreeMap::new());
    let kept = |name: &Path| {
        let text = read(name)?;
        files.borrow_mut().insert(name.display().to_string(), text.clone());
        Ok(text)
    };
    let given = Scenario::of_flags("comparison", words, record, &kept);
    let (scenario, text) = given.map_err(|e| e.to_string())?;
    Ok(ScenarioSource {
        file: "comparison".to_owned(),
        text,
        settings: Vec::new(),
        files: files.into_inner().into_iter().collect(),
        from_flags: true,
        scenario,
    })
}

/// The scenario in a file, or the ready one of this name, with these settings.
pub(crate) fn of_file(path: &Path, set: &[Assignment]) -> Result<ScenarioSource, String> {
    let ready = ready(path)?;
    let file = ready.map_or_else(|| path.display().to_string(), |ready| ready.name.to_owned());
    let text = match ready {
        Some(ready) => ready.text.to_owned(),
        None => read_scenario(path).map_err(|e| format!("'{file}' cannot be read: {e}"))?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = RefCell::new(BTreeMap::new());
    let beside = |name: &Path| {
        let text = match ready {
            Some(_) => library::read(name)?,
            None => read(&folder.join(name))?,
        };
        files.borrow_mut().insert(name.display().to_string(), text.clone());
        Ok(text)
    };
    let scenario = Scenario::parse(&file, &text, set, &beside).map_err(|e| e.to_string())?;
    let files = files.into_inner().into_iter().collect();
    let settings = set.iter().map(|assignment| assignment.text().to_owned()).collect();
    Ok(ScenarioSource { file, text, settings, files, from_flags: false, scenario })
}

/// The ready scenario that a bare word names, if there is no file of that name.
fn ready(path: &Path) -> Result<Option<&'static LibraryScenario>, String> {
    let bare = path.components().count() == 1 && path.extension().is_none();
    if !bare || path.exists() {
        return Ok(None);
    }
    let found = library::ready(&path.display().to_string());
    found.map(Some).map_err(|e| format!("there is no file of this name: {e}"))
}

fn read_scenario(path: &Path) -> Result<String, String> {
    /// A file of a megabyte is not written by hand.
    const MOST_BYTES: u64 = 1 << 20;
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; at most {MOST_BYTES} are read"));
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n');
        format!("line {} is not UTF-8", line.count() + 1)
    })
}

/// Reads a file that the user names.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    /// A trace of a day at a gigabit a second is smaller.
    const MOST_BYTES: u64 = 1 << 30;
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; at most {MOST_BYTES} are read"));
    }
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}
