//! `westwood merge`: the parts of a grid become one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use westwood_experiment::judgement::summaries;
use westwood_experiment::plan::{ExperimentPlan, read};
use westwood_experiment::run::{GridReport, RunRecord};
use westwood_report::experiment::{self, ReportDetails};
use westwood_report::grid::{self, ReportContext};
use westwood_report::{figure, html};
use westwood_scenario::file::Assignment;
use westwood_scenario::{counted, library};

use super::files::{cannot_write, fresh, write_summaries};
use super::journal::RunJournal;
use super::manifest::{Identity, Manifest};
use super::{RunState, TABLES};
use crate::args::MergeArgs;
use crate::exit::{CommandExit, Stop};
use crate::output::{Output, OutputFolder, check_folder, print, tell};
use crate::terminal;

pub(crate) fn run(args: &MergeArgs, command: &str) -> Result<(), Stop> {
    let html = args.html.as_ref().map(|path| Output::prepare("--html", path)).transpose()?;
    let svg = args.svg.as_ref();
    let svg = svg.map(|path| OutputFolder::prepare("--svg", path, &experiment::FIGURES));
    let svg = svg.transpose()?;
    let parts = args.folders.iter().map(|f| part(f)).collect::<Result<Vec<_>, _>>()?;
    let Some((first, others)) = parts.split_first() else {
        return Err(Stop::bad_input("merge: names no folder"));
    };
    for other in others {
        if other.manifest.hash != first.manifest.hash {
            let what = format!(
                "merge: '{}' and '{}' are not of the same scenario, settings and version",
                first.path.display(),
                other.path.display()
            );
            return Err(Stop::bad_input(what));
        }
        if other.manifest.rules != first.manifest.rules {
            let what = format!(
                "merge: '{}' and '{}' were run with other --prefer or --practical; run one of them again \
                 with those of the other and --resume, which repeats no run",
                first.path.display(),
                other.path.display()
            );
            return Err(Stop::bad_input(what));
        }
    }
    let rules = first.manifest.rules;
    let records = joined(&parts)?;
    let mut report = first.manifest.grid.clone().with(records);
    report.summaries = summaries(&report, rules);
    report.warnings = first.manifest.warning_grounds.sentences(&report);
    complete(&report)?;
    let folder = write(&args.out, &parts, &first.manifest, &report)?;
    if html.is_some() || svg.is_some() {
        let about = details(&first.manifest, &report, command);
        let document = experiment::document(&report, about);
        html.map_or(Ok(()), |file| file.write(&html::render(&document), !args.quiet))?;
        svg.map_or(Ok(()), |folder| folder.write(&figure::files(&document), !args.quiet))?;
    }
    if !args.quiet {
        let words = first.manifest.path.as_ref();
        let shown =
            ReportContext { words, rules, warnings: &report.warnings, ..ReportContext::default() };
        print(&grid::render(&report, &shown, terminal::style()))?;
        tell(format_args!("merged into {}{TABLES}", folder.display()));
    }
    Ok(())
}

/// The details of a page beside the runs: network and settings are among them if the scenario still reads as
/// it did when it was run.
fn details(manifest: &Manifest, report: &GridReport, command: &str) -> ReportDetails {
    let known = plan(manifest).map(|plan| ReportDetails::of(&plan, report));
    ReportDetails {
        command: command.to_owned(),
        scenario: manifest.scenario.clone(),
        words: manifest.path.clone(),
        rules: manifest.rules,
        warnings: report.warnings.clone(),
        ..known.unwrap_or_default()
    }
}

/// The plan of the runs, if the files that it names are there and as they were.
fn plan(manifest: &Manifest) -> Option<ExperimentPlan> {
    let Manifest { scenario_file, scenario, settings, .. } = manifest;
    let set = settings.iter().map(|text| Assignment::parse(text).ok());
    let set = set.collect::<Option<Vec<Assignment>>>()?;
    let beside = |name: &Path| {
        let folder = Path::new(scenario_file).parent().unwrap_or(Path::new(""));
        read(&folder.join(name)).or_else(|error| library::read(name).map_err(|_| error))
    };
    let plan = ExperimentPlan::of_text(scenario_file, scenario, &set, &beside).ok()?;
    let is_same = |world| {
        let (text, settings, files) = (scenario.as_str(), settings.as_slice(), &*plan.files);
        Identity { text, settings, files, world }.hash() == manifest.hash
    };
    [None, Some("linux")].into_iter().any(is_same).then_some(plan)
}

/// A folder that is to be merged.
struct MergedFolder {
    path: PathBuf,
    manifest: Manifest,
    records: Vec<RunRecord>,
}

fn part(path: &Path) -> Result<MergedFolder, Stop> {
    let refused = |e: std::io::Error| {
        let what = format!("merge: '{}' is not a results folder", path.display());
        let inside = folder_inside(path);
        Stop::bad_input(inside.map_or_else(
            || format!("{what}: {e}"),
            |inside| format!("{what}, but '{}' in it is one", inside.display()),
        ))
    };
    let manifest = Manifest::read(path).map_err(refused)?;
    let records = RunJournal::read(path).map_err(refused)?;
    Ok(MergedFolder { path: path.to_owned(), manifest, records })
}

/// The first results folder in a folder: `--out` makes each in the one it names.
fn folder_inside(path: &Path) -> Option<PathBuf> {
    let inside = std::fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    inside.filter(|inside| Manifest::read(inside).is_ok()).min()
}

/// All runs in the order of the grid, each once.
fn joined(parts: &[MergedFolder]) -> Result<Vec<RunRecord>, Stop> {
    let mut all: BTreeMap<(usize, u64), &RunRecord> = BTreeMap::new();
    for part in parts {
        for record in &part.records {
            let key = (record.point, record.seed);
            let known = all.get(&key).copied();
            // A real run that failed may have been done anew.
            if known.is_some_and(|known| known.error.is_none()) && record.error.is_some() {
                continue;
            }
            all.insert(key, record);
            if known.is_some_and(|known| known.error.is_none() && known != record) {
                let what = format!(
                    "merge: '{}' has other results of point {} with seed {} than another folder",
                    part.path.display(),
                    record.point + 1,
                    record.seed
                );
                return Err(Stop::bad_input(what));
            }
        }
    }
    Ok(all.into_values().cloned().collect())
}

/// Refuses a grid with holes.
fn complete(report: &GridReport) -> Result<(), Stop> {
    let all = report.runs_in_all();
    let done = report.all_runs().count();
    if done == all {
        return Ok(());
    }
    let (missing, all) = (all - done, counted(all as u64, "run"));
    let are = if missing == 1 { "is" } else { "are" };
    let what = format!(
        "merge: {missing} of {all} {are} missing; name the folders of all parts, or finish them with --resume"
    );
    Err(Stop::bad_input(what))
}

fn write(
    out: &Path,
    parts: &[MergedFolder],
    first: &Manifest,
    report: &GridReport,
) -> Result<PathBuf, Stop> {
    let mut manifest = Manifest {
        shard: None,
        merged_from: parts.iter().map(|p| p.path.display().to_string()).collect(),
        ..first.clone()
    };
    check_folder("--out", out)?;
    let made = fs::create_dir_all(out).and_then(|()| fresh(out, &manifest.folder_name()));
    let path = made.map_err(|e| cannot_write(out, &e))?;
    let copied = fs::write(path.join("scenario.toml"), &manifest.scenario)
        .and_then(|()| parts.iter().try_for_each(|part| copy_series(&part.path, &path)))
        .and_then(|()| {
            let mut journal = RunJournal::create(&path)?;
            report.all_runs().try_for_each(|record| journal.append(record, 0.0))
        });
    copied.map_err(|e| cannot_write(&path, &e))?;
    write_summaries(&path, report)?;
    manifest.close(report, RunState::Finished, CommandExit::Done);
    manifest.write(&path).map_err(|e| cannot_write(&path, &e))?;
    Ok(path)
}

fn copy_series(from: &Path, to: &Path) -> std::io::Result<()> {
    let source = from.join("series");
    if !source.is_dir() {
        return Ok(());
    }
    let target = to.join("series");
    fs::create_dir_all(&target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            fs::copy(entry.path(), target.join(entry.file_name()))?;
        }
    }
    Ok(())
}
