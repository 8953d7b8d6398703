//! Where the results of scenarios go besides the terminal and the results folder.
//!
//! Of one FILE each flag names its file or folder. Of several FILEs each names a folder, which holds
//! a file or a folder for each scenario, called by the scenario's name.

use std::path::{Path, PathBuf};

use westwood_report::experiment::{self, About};
use westwood_report::{figure, html, json};
use westwood_scenario::run::{Curves, Report};

use super::Job;
use crate::args::{CaptureArgs, JsonTarget, RunArgs};
use crate::capture::slug;
use crate::exit::{Exit, Stop};
use crate::output::{Folder, Output, Place, print};

/// The outputs of one scenario.
pub(super) struct Outputs {
    json: Option<Output>,
    html: Option<Output>,
    svg: Option<Folder>,
    /// What is captured of it.
    pub(super) captures: CaptureArgs,
}

/// The outputs of all scenarios, in their order.
pub(super) struct All {
    pub(super) each: Vec<Outputs>,
    /// The folders that hold them; after them, so that empty ones can be removed.
    pub(super) places: Vec<Place>,
}

impl All {
    /// Checks that everything can be written.
    pub(super) fn prepare(args: &RunArgs, jobs: &[Job]) -> Result<Self, Stop> {
        if let [_] = jobs {
            return Ok(Self { each: vec![Outputs::prepare(args, None)?], places: Vec::new() });
        }
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(path),
            Some(JsonTarget::Stdout) | None => None,
        };
        let folders = [
            ("--json", json),
            ("--html", args.html.as_ref()),
            ("--svg", args.svg.as_ref()),
            ("--pcap", args.captures.pcap.as_ref()),
        ];
        let mut places = Vec::new();
        for (flag, path) in folders {
            if let Some(path) = path {
                places.push(Place::prepare(flag, path).map_err(|stop| several(&stop))?);
            }
        }
        let names = if places.is_empty() { vec![None; jobs.len()] } else { names(jobs)? };
        let each = names.iter().map(|name| Outputs::prepare(args, name.as_deref()));
        Ok(Self { each: each.collect::<Result<_, _>>()?, places })
    }
}

/// Why a file that would do for one FILE is refused.
fn several(stop: &Stop) -> Stop {
    Stop::bad_input(format!(
        "{}\nhint: with several FILEs it holds a file or a folder for each scenario",
        stop.text()
    ))
}

/// A name for each scenario that no other has.
fn names(jobs: &[Job]) -> Result<Vec<Option<String>>, Stop> {
    let mut names: Vec<Option<String>> = Vec::new();
    for job in jobs {
        let name = Some(slug(job.scenario.name())).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "scenario".to_owned());
        if let Some(other) = names.iter().position(|n| n.as_ref() == Some(&name)) {
            let (a, b) = (jobs.get(other).map_or("", |job| &job.file), &job.file);
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

impl Outputs {
    fn prepare(args: &RunArgs, name: Option<&str>) -> Result<Self, Stop> {
        let file = |path: &Path, ending: &str| -> PathBuf {
            name.map_or_else(|| path.to_owned(), |name| path.join(format!("{name}.{ending}")))
        };
        let folder = |path: &Path| name.map_or_else(|| path.to_owned(), |name| path.join(name));
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", &file(path, "json"))?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let html = args.html.as_ref().map(|path| Output::prepare("--html", &file(path, "html")));
        let svg = args.svg.as_ref();
        let svg = svg.map(|path| Folder::prepare("--svg", &folder(path), &experiment::FIGURES));
        let mut captures = args.captures.clone();
        captures.pcap = captures.pcap.map(|path| folder(&path));
        Ok(Self { json, html: html.transpose()?, svg: svg.transpose()?, captures })
    }

    /// Writes them; runs that are drawn over time are done once more, unless their `curves` are known.
    pub(super) fn write(
        self,
        args: &RunArgs,
        job: &Job,
        (report, curves): (&Report, Vec<Curves>),
        command: &str,
    ) -> Result<(), Stop> {
        if args.json.is_some() {
            let text = json::render_run(report).map_err(|e| Stop::new(Exit::RunFailed, e))?;
            self.json.map_or_else(|| print(&text), |file| file.write(&text))?;
        }
        if self.html.is_none() && self.svg.is_none() {
            return Ok(());
        }
        let about = About {
            command: command.to_owned(),
            scenario: job.text.clone(),
            path: job.path(),
            curves: if args.on.repeats() { job.curves(args, report)? } else { curves },
        };
        let document = experiment::document(report, about);
        if let Some(html) = self.html {
            html.write(&html::render(&document))?;
        }
        self.svg.map_or(Ok(()), |folder| folder.write(&figure::files(&document)))
    }
}
