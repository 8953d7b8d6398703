//! `westwood measure`: real transfers to an iperf3 server, one controller after another.

use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use westwood_kernel::{ChosenController, KernelName};
use westwood_measure::controllers;
use westwood_measure::{
    Campaign, CampaignJournal, CampaignRun, Client, JournalError, MeasureError, ServerAddress,
    Settings,
};
use westwood_report::campaign::{CampaignReport, page, terminal};
use westwood_scenario::counted;

use crate::args::{JsonTarget, MeasureArgs};
use crate::exit::{CommandExit, Stop};
use crate::kernel::check_parameters;
use crate::kernel::estimates::KernelEstimates;
use crate::output::{Output, print, tell};
use crate::progress::{Bar, Progress, stop_on_interrupt};
use crate::terminal::style;

pub(crate) fn run(args: &MeasureArgs, command: &str) -> Result<(), Stop> {
    let settings = settings(args);
    check(&args.cc.0)?;
    check_parameters(&args.cc.0)?;
    if controllers::remembers_ssthresh() {
        tell(format_args!(
            "warning: a connection begins with the slow-start threshold of the one before it, whatever \
             its controller; sysctl -w net.ipv4.tcp_no_ssthresh_metrics_save=1 makes runs independent"
        ));
    }
    let outputs = CampaignOutputs::prepare(args)?;
    let mut journal = journal(args, &settings)?;
    let mut runs = journal.as_ref().map(|journal| journal.done.clone()).unwrap_or_default();
    let ended = measure(args, &settings, journal.as_mut(), &mut runs);
    if runs.is_empty() {
        // A campaign without a run leaves no folder that would refuse the next one.
        journal.into_iter().for_each(CampaignJournal::discard);
        return ended;
    }
    // Finished runs are shown even if the campaign was cut short.
    let order: Vec<_> =
        settings.turns().map(|t| (t.round, settings.controllers[t.controller].clone())).collect();
    runs.sort_by_key(|run| {
        order.iter().position(|(round, cc)| *round == run.round && *cc == run.cc)
    });
    let shown = CampaignReport { settings: &settings, runs: &runs };
    outputs.write(&shown, command, !args.quiet)?;
    if args.json == Some(JsonTarget::Stdout) {
        print(&json(&shown)?)?;
    } else if !args.quiet {
        print(&terminal(&shown, style()))?;
    }
    ended
}

fn settings(args: &MeasureArgs) -> Settings {
    Settings {
        server: ServerAddress { host: args.server.clone(), port: args.port },
        controllers: args.cc.0.iter().map(|c| c.name.clone()).collect(),
        kernel_names: args.cc.0.iter().map(|c| c.kernel.clone()).collect(),
        amount: args.amount(),
        repeat: args.repeat,
        flows: args.flows,
        background: args.background,
        interval_ms: args.interval.as_nanos() / 1_000_000,
        pause_ms: args.pause.as_nanos() / 1_000_000,
    }
}

/// Whether the kernel offers all these controllers.
fn check(chosen: &[ChosenController]) -> Result<(), Stop> {
    let offered = controllers::available().map_err(|e| {
        let what = format!(
            "the kernel does not say which controllers it offers: {e}; westwood measure needs Linux"
        );
        Stop::new(CommandExit::Environment, what)
    })?;
    let missing: Vec<&ChosenController> =
        chosen.iter().filter(|c| !offered.contains(&c.kernel)).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let names: Vec<&str> = missing.iter().map(|c| c.name.as_str()).collect();
    let what = format!(
        "--cc: this kernel does not offer {}, but {}; {}",
        names.join(", "),
        offered.join(", "),
        first.how_to_load()
    );
    Err(Stop::new(CommandExit::Environment, what))
}

fn journal(args: &MeasureArgs, settings: &Settings) -> Result<Option<CampaignJournal>, Stop> {
    let Some(folder) = &args.out else { return Ok(None) };
    let opened = CampaignJournal::open(folder, settings, args.resume);
    opened.map(Some).map_err(|error| {
        let exit = match error {
            JournalError::InUse(_) | JournalError::Io(..) => CommandExit::Environment,
            _ => CommandExit::BadInput,
        };
        Stop::new(exit, format!("--out: {error}"))
    })
}

/// The progress of a campaign.
struct CampaignProgress {
    done: AtomicU64,
    all: u64,
    cancel: AtomicBool,
}

impl Progress for CampaignProgress {
    fn position(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.all)
    }

    fn message(&self) -> String {
        format!("{} of {}", self.done.load(Ordering::Relaxed), counted(self.all, "run"))
    }

    fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
}

/// Makes the runs that are left, and adds them to those that are done.
fn measure(
    args: &MeasureArgs,
    settings: &Settings,
    mut journal: Option<&mut CampaignJournal>,
    runs: &mut Vec<CampaignRun>,
) -> Result<(), Stop> {
    let left = settings.left(runs);
    let watch = Arc::new(CampaignProgress {
        done: AtomicU64::new(runs.len() as u64),
        all: settings.turns().count() as u64,
        cancel: AtomicBool::new(false),
    });
    stop_on_interrupt(vec![Arc::<CampaignProgress>::clone(&watch)])?;
    let client =
        Client::new(&settings.server, &watch.cancel, Duration::from_millis(settings.interval_ms));
    let has_ours = settings.kernel_names.iter().any(|name| KernelName::ours(name).is_some());
    let estimates = has_ours.then(KernelEstimates::new).flatten();
    let bwe_of = |socket: &TcpStream| estimates.as_ref()?.of(socket);
    let client = client.with_estimates(westwood_measure::EstimateReader(&bwe_of));
    let campaign = Campaign::new(settings, client);
    let _bar = Bar::follow(&watch, args.quiet);
    let stopped = |error: MeasureError, turn: usize| stop(&error, turn, args.out.is_some());
    let _background = campaign.background().map_err(|e| stopped(e, runs.len() + 1))?;
    for (i, turn) in left.iter().enumerate() {
        if i > 0 {
            campaign.pause().map_err(|e| stopped(e, runs.len() + 1))?;
        }
        let run = campaign.run(*turn).map_err(|e| stopped(e, runs.len() + 1))?;
        if let Some(journal) = &mut journal {
            journal.keep(&run).map_err(|e| {
                Stop::new(CommandExit::Environment, format!("--out: a run cannot be kept: {e}"))
            })?;
        }
        runs.push(run);
        watch.done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn stop(error: &MeasureError, turn: usize, kept: bool) -> Stop {
    let exit = match error {
        MeasureError::Interrupted => return Stop::new(CommandExit::Interrupted, interrupted(kept)),
        MeasureError::Unreachable { .. }
        | MeasureError::NoAddress { .. }
        | MeasureError::Busy
        | MeasureError::Refused { .. } => CommandExit::Environment,
        MeasureError::Changed { .. } => CommandExit::InvalidMeasurement,
        MeasureError::Server(_) | MeasureError::Closed | MeasureError::Connection(_) => {
            CommandExit::RunFailed
        }
    };
    let resume = if kept && turn > 1 { "; --resume goes on from there" } else { "" };
    Stop::new(exit, format!("run {turn}: {error}{resume}"))
}

fn interrupted(kept: bool) -> &'static str {
    if kept { "interrupted; finished runs are kept, and --resume goes on" } else { "interrupted" }
}

/// The files that were asked for, all of which can be written.
struct CampaignOutputs {
    json: Option<Output>,
    html: Option<Output>,
    folder: Option<PathBuf>,
}

impl CampaignOutputs {
    fn prepare(args: &MeasureArgs) -> Result<Self, Stop> {
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let html = args.html.as_ref().map(|path| Output::prepare("--html", path)).transpose()?;
        Ok(Self { json, html, folder: args.out.clone() })
    }

    fn write(self, shown: &CampaignReport<'_>, command: &str, say: bool) -> Result<(), Stop> {
        if let Some(file) = self.json {
            file.write(&json(shown)?, say)?;
        }
        if let Some(file) = self.html {
            file.write(&page(shown, command), say)?;
        }
        let Some(folder) = self.folder else { return Ok(()) };
        for (name, text) in [
            ("runs.csv", shown.run_frame().csv()),
            ("samples.csv", shown.sample_frame().csv()),
            ("results.json", json(shown)?),
            ("report.html", page(shown, command)),
        ] {
            Output::prepare("--out", &folder.join(name))?.write(&text, say)?;
        }
        Ok(())
    }
}

fn json(shown: &CampaignReport<'_>) -> Result<String, Stop> {
    shown.json().map_err(|e| Stop::new(CommandExit::RunFailed, e))
}
