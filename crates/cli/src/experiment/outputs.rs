//! The outputs besides the terminal and the results folder.
//!
//! Of one experiment each flag names its file or folder. Of several each names a folder, which holds a
//! file or a folder for each scenario, called by the scenario's name; two of one link have their letters
//! behind it.

use std::path::{Path, PathBuf};

use westwood_report::document::PlaygroundLink;
use westwood_report::experiment::{self, ReportDetails};
use westwood_report::{figure, html, json, tables};

use super::job::{ExperimentJob, JobOutcome};
use crate::args::{CaptureArgs, ExperimentOptions, JsonTarget};
use crate::capture::slug;
use crate::exit::{CommandExit, Stop};
use crate::output::{MadeFolder, Output, OutputFolder, print};
use crate::playground::PlaygroundOutput;

/// The tables of `--csv`.
const TABLES: [&str; 10] = [
    "runs.csv",
    "groups.csv",
    "flows.csv",
    "links.csv",
    "windows.csv",
    "estimates.csv",
    "rtts.csv",
    "queues.csv",
    "delivered.csv",
    "drops.csv",
];

/// The outputs of one scenario.
pub(super) struct JobOutputs {
    json: Option<Output>,
    /// Whether its document shares stdout with those of other experiments: a line for each.
    json_lines: bool,
    csv: Option<OutputFolder>,
    html: Option<Output>,
    svg: Option<OutputFolder>,
    playground: Option<PlaygroundOutput>,
    /// Its captures.
    pub(super) captures: CaptureArgs,
}

/// The outputs of all scenarios, in their order.
pub(super) struct AllOutputs {
    pub(super) each: Vec<JobOutputs>,
    /// The folders that hold them; after them, so that empty ones can be removed.
    pub(super) places: Vec<MadeFolder>,
}

impl AllOutputs {
    /// Checks that everything can be written.
    pub(super) fn prepare(
        options: &ExperimentOptions,
        jobs: &[ExperimentJob],
    ) -> Result<Self, Stop> {
        if let [job] = jobs {
            return Ok(Self {
                each: vec![JobOutputs::prepare(options, job, None, false)?],
                places: Vec::new(),
            });
        }
        let json = match &options.json {
            Some(JsonTarget::File(path)) => Some(path),
            Some(JsonTarget::Stdout) | None => None,
        };
        let folders = [
            ("--json", json),
            ("--csv", options.csv.as_ref()),
            ("--html", options.html.as_ref()),
            ("--svg", options.svg.as_ref()),
            ("--play", options.play.as_ref()),
            ("--pcap", options.captures.pcap.as_ref()),
        ];
        let mut places = Vec::new();
        for (flag, path) in folders {
            if let Some(path) = path {
                places.push(MadeFolder::prepare(flag, path).map_err(|stop| several(&stop))?);
            }
        }
        let names = if places.is_empty() { vec![None; jobs.len()] } else { names(jobs)? };
        let each = jobs.iter().zip(&names);
        let each = each
            .map(|(job, name)| JobOutputs::prepare(options, job, name.as_deref(), json.is_none()));
        Ok(Self { each: each.collect::<Result<_, _>>()?, places })
    }
}

/// The refusal of a file where several FILEs need a folder.
fn several(stop: &Stop) -> Stop {
    Stop::bad_input(format!(
        "{}\nhint: with several FILEs it holds a file or a folder for each scenario",
        stop.text()
    ))
}

/// A name for each scenario that no other has.
fn names(jobs: &[ExperimentJob]) -> Result<Vec<Option<String>>, Stop> {
    let mut names: Vec<Option<String>> = Vec::new();
    for job in jobs {
        let name = Some(slug(job.scenario().name())).filter(|name| !name.is_empty());
        let letter = job.letter.map(|letter| format!("-{}", letter.to_ascii_lowercase()));
        let name = name.unwrap_or_else(|| "scenario".to_owned()) + &letter.unwrap_or_default();
        if let Some(other) = names.iter().position(|n| n.as_ref() == Some(&name)) {
            let (a, b) = (jobs.get(other).map_or("", |job| &job.plan.file), &job.plan.file);
            let what = format!(
                "'{a}' and '{b}' are both called '{name}', and their results would have one name\n\
                 hint: write name = \"...\" at the top of one of them, or run them one by one"
            );
            return Err(Stop::bad_input(what));
        }
        names.push(Some(name));
    }
    Ok(names)
}

impl JobOutputs {
    fn prepare(
        options: &ExperimentOptions,
        job: &ExperimentJob,
        name: Option<&str>,
        json_lines: bool,
    ) -> Result<Self, Stop> {
        let file = |path: &Path, ending: &str| -> PathBuf {
            name.map_or_else(|| path.to_owned(), |name| path.join(format!("{name}.{ending}")))
        };
        let folder = |path: &Path| name.map_or_else(|| path.to_owned(), |name| path.join(name));
        let json = match &options.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", &file(path, "json"))?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let several = |flag, path: &Option<PathBuf>, names: &[&'static str]| {
            path.as_ref().map(|path| OutputFolder::prepare(flag, &folder(path), names)).transpose()
        };
        let csv = several("--csv", &options.csv, &TABLES)?;
        let html = options.html.as_ref().map(|path| file(path, "html"));
        let playground = options.play.as_ref().map(|path| file(path, "html"));
        let playground =
            playground.map(|path| PlaygroundOutput::prepare(&path, &job.plan, html.as_deref()));
        let html = html.map(|path| Output::prepare("--html", &path));
        let svg = several("--svg", &options.svg, &experiment::FIGURES)?;
        let mut captures = options.captures.clone();
        captures.pcap = captures.pcap.map(|path| folder(&path));
        let (html, playground) = (html.transpose()?, playground.transpose()?);
        Ok(Self { json, json_lines, csv, html, svg, playground, captures })
    }

    /// Writes them, and names the files written.
    pub(super) fn write(
        self,
        options: &ExperimentOptions,
        job: &ExperimentJob,
        outcome: JobOutcome,
        command: &str,
    ) -> Result<(), Stop> {
        let say = !options.quiet;
        if options.json.is_some() {
            let text = if self.json_lines {
                json::experiment_line(&job.plan, &outcome.runs)
            } else {
                json::experiment(&job.plan, &outcome.runs)
            };
            let text = text.map_err(|e| Stop::new(CommandExit::RunFailed, e))?;
            self.json.map_or_else(|| print(&text), |file| file.write(&text, say))?;
        }
        if let Some(folder) = self.csv {
            let mut frames = tables::summaries(&outcome.runs.report).to_vec();
            frames.extend(tables::joined(&outcome.runs.report, &outcome.series));
            let files = frames.iter().map(|frame| (format!("{}.csv", frame.name), frame.csv()));
            folder.write(&files.collect::<Vec<_>>(), say)?;
        }
        let page = self.playground.as_ref().and_then(PlaygroundOutput::address);
        if let Some(playground) = self.playground {
            playground.write(say)?;
        }
        if self.html.is_none() && self.svg.is_none() {
            return Ok(());
        }
        let report = &outcome.runs.report;
        let details = ReportDetails::of(&job.plan, report);
        let about = ReportDetails {
            playground: details.playground.clone().map(|way| PlaygroundLink { page, ..way }),
            command: command.to_owned(),
            rules: options.rules(),
            is_part: options.is_part(),
            curves: outcome.runs.curves,
            ..details
        };
        let document = experiment::document(report, about);
        if let Some(html) = self.html {
            html.write(&html::render(&document), say)?;
        }
        self.svg.map_or(Ok(()), |folder| folder.write(&figure::files(&document), say))
    }
}
