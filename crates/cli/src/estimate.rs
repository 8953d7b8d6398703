//! `westwood estimate`: bandwidth estimators on the ACKs of a capture.

use std::fs::File;
use std::path::Path;

use westwood_report::estimates::{EstimateRules, EstimatedCapture, chart_files, page, terminal};

use crate::args::{EstimateArgs, JsonTarget};
use crate::exit::{CommandExit, Stop};
use crate::output::{MadeFolder, Output, print};
use crate::terminal::style;

pub(crate) fn run(args: &EstimateArgs, command: &str) -> Result<(), Stop> {
    let outputs = EstimateOutputs::prepare(args)?;
    let rules = EstimateRules {
        transfers: args.transfers,
        window: args.window,
        interval: args.interval,
        segment: args.segment,
    };
    let estimated = read(&args.capture, rules)?;
    outputs.write(&estimated, command, !args.quiet)?;
    if args.json == Some(JsonTarget::Stdout) {
        return print(&json(&estimated)?);
    }
    if args.quiet { Ok(()) } else { print(&terminal(&estimated, style())) }
}

fn read(path: &Path, rules: EstimateRules) -> Result<EstimatedCapture, Stop> {
    let refused = |why: &str| Stop::bad_input(format!("'{}' {why}", path.display()));
    if path.is_dir() {
        return Err(refused("is a directory; name a pcap or pcapng file"));
    }
    let file = File::open(path).map_err(|e| refused(&format!("cannot be read: {e}")))?;
    EstimatedCapture::read(path, file, rules).map_err(Stop::bad_input)
}

/// The files that were asked for, all of which can be written.
struct EstimateOutputs {
    json: Option<Output>,
    csv: Option<Output>,
    html: Option<Output>,
    svg: Option<(std::path::PathBuf, MadeFolder)>,
}

impl EstimateOutputs {
    fn prepare(args: &EstimateArgs) -> Result<Self, Stop> {
        let file = |flag, path: &Option<std::path::PathBuf>| {
            path.as_ref().map(|path| Output::prepare(flag, path)).transpose()
        };
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let place = |path: &std::path::PathBuf| {
            MadeFolder::prepare("--svg", path).map(|place| (path.clone(), place))
        };
        Ok(Self {
            json,
            csv: file("--csv", &args.csv)?,
            html: file("--html", &args.html)?,
            svg: args.svg.as_ref().map(place).transpose()?,
        })
    }

    fn write(self, of: &EstimatedCapture, command: &str, say: bool) -> Result<(), Stop> {
        if let Some(file) = self.json {
            file.write(&json(of)?, say)?;
        }
        if let Some(file) = self.csv {
            file.write(&of.frame().csv(), say)?;
        }
        if let Some(file) = self.html {
            file.write(&page(of, command), say)?;
        }
        if let Some((folder, _place)) = self.svg {
            for (name, text) in chart_files(of) {
                Output::prepare("--svg", &folder.join(name))?.write(&text, say)?;
            }
        }
        Ok(())
    }
}

fn json(of: &EstimatedCapture) -> Result<String, Stop> {
    of.json().map_err(|e| Stop::new(CommandExit::RunFailed, e))
}
