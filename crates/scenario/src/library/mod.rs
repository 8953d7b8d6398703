//! Ready scenarios, with the program: `westwood run satellite-geo`.
//!
//! They are the files of the folder `scenarios/`, and of the folder `papers/` one for each path of the
//! papers. The head of each says what path it is and where its numbers come from; those of `scenarios/`
//! also what to look for, and how long they take.

mod cellular;

pub use cellular::Cellular;

use std::path::Path;

use crate::error::BadInput;

/// A scenario that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryScenario {
    /// Its name: that of its file without `.toml`, behind its paper's if it has one.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

macro_rules! ready {
    ($($name:literal)*) => {
        &[$(LibraryScenario {
            name: $name,
            text: include_str!(concat!("../../../../scenarios/", $name, ".toml")),
        }),*]
    };
    ($($paper:literal / $file:literal)*) => {
        &[$(LibraryScenario {
            name: concat!($paper, "-", $file),
            text: include_str!(concat!("../../../../papers/", $paper, "/", $file, ".toml")),
        }),*]
    };
}

/// Those of the folder `scenarios/`: paths of today, and the Common TCP Evaluation Suite.
pub const LIBRARY: &[LibraryScenario] = ready! {
    "satellite-geo"
    "satellite-meo"
    "satellite-leo"
    "lte-walk"
    "wifi-bursts"
    "transoceanic-10g"
    "dsl-bufferbloat"
    "data-center"
    "tcpeval-data-center"
    "tcpeval-access-link"
    "tcpeval-trans-oceanic"
    "tcpeval-geo-satellite"
    "tcpeval-wireless-lan"
    "tcpeval-dial-up"
    "tcpeval-delay-throughput"
    "tcpeval-ramp-up"
    "tcpeval-transients"
    "tcpeval-impact"
    "tcpeval-fairness"
    "tcpeval-rtt-fairness"
    "tcpeval-parking-lot"
};

/// Those of the folder `papers/`: the paths of the five papers, each as the first of its experiments.
pub const PAPERS: &[LibraryScenario] = ready! {
    "westwood-2002" / "s43"
    "westwood-2002" / "f03"
    "westwood-2002" / "f04"
    "westwood-2002" / "f09"
    "westwood-2002" / "f15"
    "westwood-2002" / "f17"
    "westwood-2002" / "f18"
    "westwood-plus-2004" / "f04"
    "westwood-plus-2004" / "f15"
    "westwood-plus-2004" / "f19"
    "westwood-plus-2004" / "f23"
    "westwood-plus-2004" / "f24"
    "westwood-10g-2005" / "f02"
    "westwood-10g-2005" / "f11"
    "ccr-2004" / "t1"
    "ccr-2004" / "f12"
    "ccr-2004" / "f18"
    "ccr-2004" / "f27a"
    "ccr-2004" / "f30"
    "ccr-2004" / "f32"
    "log-westwood-2008" / "f04"
    "log-westwood-2008" / "f08"
    "log-westwood-2008" / "f10"
    "log-westwood-2008" / "f11"
};

/// All ready scenarios.
pub fn all() -> impl Iterator<Item = &'static LibraryScenario> + Clone {
    LIBRARY.iter().chain(PAPERS)
}

/// Capacity traces that they read. They are made when they are asked for, which takes milliseconds: their
/// text would be a tenth of the module of the pages. The files of `scenarios/` are the same.
const TRACES: [(&str, Cellular); 2] =
    [("lte-walk.trace", Cellular::DOWN), ("lte-walk-up.trace", Cellular::UP)];
/// The seed of both, the first that there is: the traces were not chosen.
const TRACE_SEED: u64 = 1;

impl LibraryScenario {
    /// Its subject, in a line: its field `about`.
    pub fn about(&self) -> &'static str {
        let line = self.text.lines().find_map(|line| line.strip_prefix("about = \""));
        line.and_then(|rest| rest.strip_suffix('"')).unwrap_or("")
    }

    /// The packets of all its runs, as `--dry-run` estimates them: the line `# Takes` of its head. Empty for
    /// a paper's.
    pub fn takes(&self) -> &'static str {
        let line = self.text.lines().find_map(|line| line.strip_prefix("# Takes "));
        line.and_then(|rest| rest.strip_suffix('.')).unwrap_or("")
    }
}

/// The ready scenario of this name; upper and lower case are the same.
///
/// # Errors
/// If there is none: with the nearest name, or the nearest few.
///
/// ```
/// use westwood_scenario::library::ready;
/// assert_eq!(ready("satellite-geo").unwrap().name, "satellite-geo");
/// let error = ready("satelite-geo").unwrap_err().to_string();
/// assert!(error.contains("did you mean 'satellite-geo'?"), "{error}");
/// ```
pub fn ready(name: &str) -> Result<&'static LibraryScenario, BadInput> {
    let found = all().find(|ready| ready.name.eq_ignore_ascii_case(name));
    let names = || all().map(|ready| ready.name);
    let unknown =
        || BadInput::unknown_among("ready scenario", name, names(), "westwood list scenarios");
    found.ok_or_else(unknown)
}

/// The text of a file that a ready scenario names.
///
/// # Errors
/// If there is no such file in the library.
pub fn read(file: &Path) -> Result<String, String> {
    let found = TRACES.iter().find(|(name, _)| Path::new(name) == file);
    let missing = || "is not among the files of the ready scenarios".to_owned();
    found.map(|(name, link)| link.trace(TRACE_SEED, name)).ok_or_else(missing)
}

/// The files of [`read`] that a ready scenario names.
pub fn files_of(ready: &LibraryScenario) -> impl Iterator<Item = &'static str> {
    let text = ready.text;
    let named = move |file: &&str| text.contains(&format!("= \"{file}\""));
    TRACES.iter().map(|(file, _)| *file).filter(named)
}

/// The capacity traces: each file's name and text.
pub fn traces() -> impl Iterator<Item = (&'static str, String)> {
    TRACES.iter().map(|(file, link)| (*file, link.trace(TRACE_SEED, file)))
}
