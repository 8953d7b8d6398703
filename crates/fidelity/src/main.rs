//! `make fidelity`: runs cases and writes the results and docs/evidence/fidelity.md. `--help` says which.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use westwood_fidelity::results::Results;
use westwood_fidelity::{Case, cases, document, measure};

/// Run every number of ns-2 and of Linux on the same paths, and write crates/fidelity/results.csv and
/// docs/evidence/fidelity.md.
#[derive(Debug, Parser)]
#[command(name = "westwood-fidelity")]
struct Fidelity {
    /// Only cases whose names have every WORD in them [default: all cases].
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Only cases that have no result yet.
    #[arg(long)]
    missing: bool,
    /// Run nothing: write the page from the results that are there.
    #[arg(long, conflicts_with_all = ["words", "missing"])]
    document: bool,
}

/// Why there is no new page.
#[derive(Debug)]
enum Failure {
    /// No case has these words in its name.
    NoCase(Vec<String>),
    /// A run, or a file.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCase(words) => {
                let words = words.join("' and '");
                write!(
                    f,
                    "no case has '{words}' in its name; docs/evidence/fidelity.md names them all"
                )
            }
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Self {
        Self::Other(what)
    }
}

fn main() -> ExitCode {
    match run(&Fidelity::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, Failure::NoCase(_)) { 2 } else { 1 })
        }
    }
}

fn run(asked: &Fidelity) -> Result<(), Failure> {
    let cases = cases::all().map_err(|e| e.to_string())?;
    let file = root().join("crates/fidelity/results.csv");
    let mut results = kept(&file, &cases)?;
    if !asked.document {
        let chosen: Vec<&Case> = cases.iter().filter(|case| is_meant(case, &asked.words)).collect();
        if chosen.is_empty() {
            return Err(Failure::NoCase(asked.words.clone()));
        }
        for case in chosen {
            if !(asked.missing && is_complete(case, &results)) {
                measured(case, &mut results)?;
                // So that what was done stays done if the run is stopped.
                write(&file, &results.render())?;
            }
        }
    }
    let page = document::render(&cases, &results)?;
    Ok(write(&root().join("docs/evidence/fidelity.md"), &page)?)
}

/// True if a case has all of these words in its name.
fn is_meant(case: &Case, words: &[String]) -> bool {
    words.iter().all(|word| case.name().contains(word.as_str()))
}

/// Runs a case, and says what came of it.
fn measured(case: &Case, results: &mut Results) -> Result<(), String> {
    let begin = Instant::now();
    results.insert(measure::measure(case, case.seeds)?);
    let took = begin.elapsed().as_secs_f64();
    eprintln!("{took:7.2} s  {} x {}", case.name(), case.seeds);
    for metric in &case.metrics {
        if let Some(ours) = results.of(&case.name(), &metric.name) {
            eprintln!("           {}", document::line(metric, ours));
        }
    }
    Ok(())
}

/// True if each metric has a value for each seed.
fn is_complete(case: &Case, results: &Results) -> bool {
    let runs = |metric: &str| results.of(&case.name(), metric).map_or(0, <[f64]>::len) as u64;
    case.metrics.iter().all(|metric| runs(&metric.name) == case.seeds)
}

/// The results that are there, without those of rows that are no more.
fn kept(file: &Path, cases: &[Case]) -> Result<Results, String> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(Results::default()) };
    let mut results = Results::parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    results.retain(|name, metric| {
        cases.iter().any(|c| c.name() == name && c.metrics.iter().any(|m| m.name == metric))
    });
    Ok(results)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

/// The repository's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
