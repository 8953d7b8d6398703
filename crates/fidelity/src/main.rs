//! `make fidelity`: runs cases, lists them, and writes the results and docs/evidence/fidelity.md.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use westwood_fidelity::results::Results;
use westwood_fidelity::{Case, cases, figure, measure, page, rows, table};

/// Run every number of ns-2 and of Linux on the same paths, and write results/fidelity.csv,
/// docs/evidence/fidelity.md and its figure; or list what is there.
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
    /// Run nothing: print ours, theirs, difference and verdict of every row of these cases; of ns-3,
    /// which no bound holds, what it measured.
    #[arg(long, conflicts_with_all = ["missing", "document"])]
    rows: bool,
}

/// The reason why there is no new page.
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
                write!(f, "no case has '{words}' in its name; --rows prints them all")
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
    let file = root().join("results/fidelity.csv");
    let mut results = kept(&file, &cases)?;
    if asked.rows {
        return list(&cases, &results, &asked.words);
    }
    if !asked.document {
        let chosen: Vec<&Case> = cases.iter().filter(|case| is_meant(case, &asked.words)).collect();
        if chosen.is_empty() {
            return Err(Failure::NoCase(asked.words.clone()));
        }
        for case in chosen {
            if !(asked.missing && is_complete(case, &results)) {
                measured(case, &mut results)?;
                // Finished cases stay finished if the run is stopped.
                write(&file, &results.render())?;
            }
        }
    }
    let rows = rows::rows(&cases, &results)?;
    write(&root().join("docs/pictures/fidelity.svg"), &figure::figure(&rows))?;
    let page = page::render(&rows, rows::drop_counts(&cases, &results)?)?;
    Ok(write(&root().join("docs/evidence/fidelity.md"), &page)?)
}

/// Prints the rows of the cases that are meant.
fn list(cases: &[Case], results: &Results, words: &[String]) -> Result<(), Failure> {
    let mut rows = rows::rows(cases, results)?;
    rows.retain(|row| is_meant(row.case, words));
    let of_ns3 = table::ns3().map_err(|e| e.to_string())?;
    let of_ns3 = of_ns3.iter().map(table::Ns3Row::line);
    let of_ns3 = of_ns3.filter(|line| words.iter().all(|word| line.contains(word.as_str())));
    let of_ns3: String = of_ns3.map(|line| line + "\n").collect();
    if rows.is_empty() && of_ns3.is_empty() {
        return Err(Failure::NoCase(words.to_vec()));
    }
    let text = rows::listing(&rows) + &of_ns3;
    // A reader such as `head` may have seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// True if a case has all of these words in its name.
fn is_meant(case: &Case, words: &[String]) -> bool {
    words.iter().all(|word| case.name().contains(word.as_str()))
}

/// Runs a case, and reports its rows.
#[expect(
    clippy::disallowed_methods,
    reason = "what a case took is printed, and no result depends on it"
)]
fn measured(case: &Case, results: &mut Results) -> Result<(), String> {
    let begin = Instant::now();
    results.insert(measure::measure(case, case.seeds)?);
    let took = begin.elapsed().as_secs_f64();
    eprintln!("{took:7.2} s  {} x {}", case.name(), case.seeds);
    for metric in &case.metrics {
        if let Some(ours) = results.of(&case.name(), &metric.name) {
            eprintln!("           {}", rows::line(metric, ours));
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
