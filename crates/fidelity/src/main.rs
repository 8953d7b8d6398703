//! `make fidelity`: runs every case and writes the results and docs/fidelity.md.
//!
//! `westwood-fidelity [WORD...]` runs the cases whose names have every WORD in them, and writes both
//! files; with `--missing` only those that have no result yet. `westwood-fidelity --document` writes the page from the results that are there.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use westwood_fidelity::results::Results;
use westwood_fidelity::{Case, cases, document, measure};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("westwood-fidelity: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let cases = cases::all().map_err(|e| e.to_string())?;
    let file = root().join("crates/fidelity/results.csv");
    let mut results = kept(&file, &cases)?;
    let only_document = words.iter().any(|word| word == "--document");
    let only_missing = words.iter().any(|word| word == "--missing");
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let chosen = |case: &&Case| words.iter().all(|word| case.name().contains(word.as_str()));
    if !only_document {
        for case in cases.iter().filter(chosen) {
            if only_missing && is_complete(case, &results) {
                continue;
            }
            let begin = Instant::now();
            results.insert(measure::measure(case, case.seeds)?);
            // So that what was done stays done if the run is stopped.
            write(&file, &results.render())?;
            let took = begin.elapsed().as_secs_f64();
            eprintln!("{took:7.2} s  {} x {}", case.name(), case.seeds);
            for metric in &case.metrics {
                if let Some(ours) = results.of(&case.name(), &metric.name) {
                    eprintln!("           {}", document::line(metric, ours));
                }
            }
        }
    }
    let page = document::render(&cases, &results)?;
    write(&root().join("docs/fidelity.md"), &page)
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
