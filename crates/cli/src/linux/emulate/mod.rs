//! `westwood emulate`: a command behind an emulated path.

mod hosts;

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use westwood_capture::write::CapturePoint;
use westwood_emu::emulation::EmulationOutcome;
use westwood_emu::path::round_trip;
use westwood_emu::stale_processes::{EmulatorMark, end_all};
use westwood_emu::{
    CarrierHandle, CarrierProbes, Counters, Emulation, Lateness, Observer, privileges,
};
use westwood_experiment::plan::{ExperimentPlan, read};
use westwood_measure::controllers;
use westwood_report::table::wrapped;
use westwood_scenario::counted;
use westwood_scenario::file::{Built, FlagValue};
use westwood_sim::{LinkId, Network};

use super::capture::PreparedCapture;
use super::stop;
use crate::args::EmulateArgs;
use crate::capture::{Draft, slug};
use crate::exit::{CommandExit, Stop};
use crate::kernel::check_parameters;
use crate::output::{MadeFolder, tell};
use crate::terminal::style;

/// The interval at which the command is looked after.
const TICK: Duration = Duration::from_millis(10);
/// The time that an interrupted command has to end by itself.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time that the server has to finish its output when the command has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The path of one flow, and the links of it that are of interest.
struct EmulatedNetwork {
    network: Network,
    links: Vec<LinkId>,
}

pub(crate) fn run(args: &EmulateArgs) -> Result<(), Stop> {
    let emulated = emulated(args)?;
    let bound =
        args.bound.unwrap_or_else(|| Lateness::usual_bound(round_trip(&emulated.network, 0)));
    let captures = captures(args, &emulated)?;
    // In a namespace the programs of the machine cannot be told any more. A missing one is refused there.
    let offered = controllers::available().unwrap_or_default();
    if args.cc.iter().all(|cc| offered.contains(&cc.kernel)) {
        check_parameters(args.cc.as_slice())?;
    }
    // The mark first: in a user namespace the user's folders cannot be told any more.
    let (mark, ended) = EmulatorMark::leave().map_err(|e| {
        Stop::new(
            CommandExit::Environment,
            format!("no state folder can be made: {e}; see docs/how-to/emulate.md"),
        )
    })?;
    if ended > 0 && !args.quiet {
        tell(format_args!("ended {ended} processes that an emulator before had left"));
    }
    privileges::obtain().map_err(stop)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|e| Stop::new(CommandExit::Environment, format!("no signal handler: {e}")))?;
    let hosts = hosts::make(args).map_err(stop)?;
    let (place, watching, writing) = captures.map_or((None, None, None), |(place, captures)| {
        let (watching, writing) = captures.begin();
        (Some(place), Some(Box::new(watching) as Box<dyn Observer + Send>), Some(writing))
    });
    let emulation = Emulation::start(
        &emulated.network,
        hosts,
        vec![(0, 1)],
        CarrierProbes::default(),
        watching,
    )
    .map_err(stop)?;
    let live = args.live.then(|| StatusLine::follow(emulation.shared()));
    let outcome = both_ends(args, &emulation, &mark, &interrupted);
    drop(live);
    let namespaces: Vec<_> = emulation.hosts().iter().map(|host| &host.namespace).collect();
    end_all(&namespaces);
    let (finished, observer) = emulation.finish().map_err(stop)?;
    drop(observer);
    if let Some(writing) = writing {
        if let Err(stop) = outcome {
            // The command did not run: nobody needs captures of it.
            writing.discard();
            return Err(stop);
        }
        let failed = |e| format!("--pcap: a capture cannot be written: {e}");
        writing.finish().map_err(|e| Stop::new(CommandExit::Environment, failed(e)))?;
    }
    drop(place);
    let status = outcome?;
    if !args.quiet {
        let carried = &finished.carried;
        let totals = totals(&carried.counters, &carried.lateness, bound, style().width);
        tell(format_args!("{totals}"));
    }
    conclude(&finished, bound, status, interrupted.load(Ordering::Relaxed))
}

/// The files that `--pcap` asks for, and their folder.
fn captures(
    args: &EmulateArgs,
    emulated: &EmulatedNetwork,
) -> Result<Option<(MadeFolder, PreparedCapture)>, Stop> {
    let Some(folder) = &args.pcap else { return Ok(None) };
    let place = MadeFolder::prepare("--pcap", folder)?;
    Draft::remove_abandoned(folder);
    let draft = |&link: &LinkId| {
        let name = format!("{}.pcapng", slug(&emulated.network.links[link].name));
        (CapturePoint::Link(link), Draft::new(folder, &name))
    };
    let files = emulated.links.iter().map(draft).collect();
    let captures =
        PreparedCapture::new(&emulated.network, files, u32::from(u16::MAX)).map_err(|e| {
            Stop::new(CommandExit::Environment, format!("--pcap: '{}': {e}", folder.display()))
        })?;
    Ok(Some((place, captures)))
}

/// Runs the server and the command; how the command ended.
fn both_ends(
    args: &EmulateArgs,
    emulation: &Emulation<impl Observer + Send + 'static>,
    mark: &EmulatorMark,
    interrupted: &AtomicBool,
) -> Result<ExitStatus, Stop> {
    let [client, server_host] = emulation.hosts() else {
        return Err(Stop::new(CommandExit::RunFailed, "an emulation has two hosts"));
    };
    let mut server = hosts::serve(args, server_host, mark)?;
    let mut command = hosts::spawn(args, client, mark)?;
    let status = await_end(&mut command, interrupted)?;
    if let Some(server) = &mut server {
        await_server(server);
    }
    Ok(status)
}

/// Waits for the command. Ctrl-C reaches it by itself; if it does not heed that, it is ended.
fn await_end(command: &mut Child, interrupted: &AtomicBool) -> Result<ExitStatus, Stop> {
    let failed =
        |e| Stop::new(CommandExit::RunFailed, format!("the command cannot be waited for: {e}"));
    let mut since: Option<Instant> = None;
    loop {
        if let Some(status) = command.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if interrupted.load(Ordering::Relaxed)
            && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE
        {
            // It may have ended in this moment.
            let _ = command.kill();
            return command.wait().map_err(failed);
        }
        std::thread::sleep(TICK);
    }
}

fn await_server(server: &mut Child) {
    let begun = Instant::now();
    while begun.elapsed() < LAST_WORDS && matches!(server.try_wait(), Ok(None)) {
        std::thread::sleep(TICK);
    }
}

/// The path that is asked for, reduced to its first flow.
fn emulated(args: &EmulateArgs) -> Result<EmulatedNetwork, Stop> {
    let mut emulated = match &args.scenario {
        Some(path) => of_scenario(path, args)?,
        None => path_of_flags(args)?,
    };
    if args.download {
        for flow in &mut emulated.network.flows {
            std::mem::swap(&mut flow.path, &mut flow.return_path);
            std::mem::swap(&mut flow.from, &mut flow.to);
        }
    }
    Ok(emulated)
}

fn path_of_flags(args: &EmulateArgs) -> Result<EmulatedNetwork, Stop> {
    // The kernel controls the window; the network does not depend on the controller.
    let others = [
        ("like", "rfc".to_owned()),
        ("cc", "reno".to_owned()),
        ("packet", args.mtu.get().to_string()),
        ("header", "0".to_owned()),
        ("seed", args.seed.to_string()),
    ];
    let others = others.map(|(flag, value)| FlagValue { flag: flag.to_owned(), value });
    let words = [args.path.0.clone(), others.to_vec()].concat();
    let scenario = ExperimentPlan::of_flags(&words, &[], &read).map_err(Stop::bad_input)?.scenario;
    let built = scenario.points().first().map(|point| scenario.build(point, args.seed));
    let built = built.ok_or_else(|| Stop::bad_input("there is no path"))?;
    let Built { network, layout, .. } = built.map_err(Stop::bad_input)?;
    Ok(EmulatedNetwork { network, links: layout.links })
}

fn of_scenario(path: &Path, args: &EmulateArgs) -> Result<EmulatedNetwork, Stop> {
    let scenario = ExperimentPlan::of_file(path, &args.set).map_err(Stop::bad_input)?.scenario;
    let [point, others @ ..] = scenario.points() else {
        return Err(Stop::bad_input("the scenario has no points"));
    };
    let axes = |p: &westwood_scenario::file::GridPoint| {
        let fields = p.settings.iter().filter(|s| s.path != "cc").cloned();
        (fields.collect::<Vec<_>>(), p.variant.clone())
    };
    if others.iter().any(|other| axes(other) != axes(point)) {
        let what = format!(
            "the scenario has {} points with different paths; choose one with --set, as in --set {}",
            others.len() + 1,
            point.settings.first().map_or_else(
                || "FIELD=VALUE".to_owned(),
                |setting| format!("{}={}", setting.path, setting.value)
            )
        );
        return Err(Stop::bad_input(what));
    }
    let built = scenario.build(point, args.seed);
    let mut built = built.map_err(|e| Stop::bad_input(e.lines().join("\nerror: ")))?;
    let first = built.layout.tested_flows().start;
    let others = built.network.flows.len().saturating_sub(1);
    if others > 0 && !args.quiet {
        tell(format_args!(
            "only the path of flow '{}' is emulated, without the traffic of {others} others",
            built.network.flows[first].name
        ));
    }
    built.network.flows = vec![built.network.flows.swap_remove(first)];
    Ok(EmulatedNetwork { network: built.network, links: built.layout.links })
}

/// The totals, in lines of at most this width.
fn totals(
    counters: &Counters,
    lateness: &Lateness,
    bound: westwood_cc::Duration,
    width: usize,
) -> String {
    let seconds =
        westwood_scenario::dumbbell::seconds(counters.at.since(westwood_cc::Instant::ZERO));
    let line = format!(
        "emulated {seconds:.1} s: {} in, {} out, {} dropped or lost, {} to nowhere; late by {lateness}; \
         the bound is {bound}",
        counted(counters.entered, "packet"),
        counters.arrived,
        counters.dropped(),
        counters.astray,
    );
    wrapped(&line, width)
}

/// The exit of `westwood` itself.
fn conclude(
    finished: &EmulationOutcome,
    bound: westwood_cc::Duration,
    status: ExitStatus,
    interrupted: bool,
) -> Result<(), Stop> {
    if interrupted {
        return Err(Stop::new(CommandExit::Interrupted, "interrupted"));
    }
    if let Some(fault) = finished.fault(bound) {
        return Err(Stop::new(
            CommandExit::InvalidMeasurement,
            format!("the emulation is invalid: {fault}"),
        ));
    }
    match hosts::code(status) {
        0 => Ok(()),
        code => Err(Stop::passing_on(code)),
    }
}

/// A line every second, until it is dropped.
struct StatusLine {
    stop: Arc<AtomicBool>,
}

impl StatusLine {
    fn follow(shared: Arc<CarrierHandle>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        std::thread::spawn(move || {
            let begun = Instant::now();
            for second in 1.. {
                while begun.elapsed() < Duration::from_secs(second) {
                    if stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    std::thread::sleep(TICK * 5);
                }
                let now = shared.counters();
                tell(format_args!(
                    "{second:>5} s  in {}, {}; out {}, {}; inside {}; dropped or lost {}",
                    counted(now.entered, "packet"),
                    counted(now.entered_bytes, "byte"),
                    now.arrived,
                    now.arrived_bytes,
                    now.inside,
                    now.dropped()
                ));
            }
        });
        Self { stop }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_fit_a_terminal() {
        let counters = Counters { entered: 1_234_567, arrived: 1_234_000, ..Counters::default() };
        let bound = westwood_cc::Duration::from_millis(10);
        let text = totals(&counters, &Lateness::default(), bound, 80);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(text.starts_with("emulated 0.0 s: 1234567 packets in"), "{text}");
        assert!(text.ends_with("the bound is 10 ms"), "{text}");
    }
}
