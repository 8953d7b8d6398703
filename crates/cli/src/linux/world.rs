//! `--on linux`: networks as connections of the running kernel over the emulated path.

use std::ops::Range;
use std::time::Instant;

use westwood_cc::Duration;
use westwood_emu::emulation::EmulationOutcome;
use westwood_emu::linux::RunInstruments;
use westwood_emu::path::{round_trip, shortest_buffer};
use westwood_emu::{EmuError, Lateness, Observer, linux, privileges};
use westwood_experiment::results::LatenessUs;
use westwood_experiment::run::RunTask;
use westwood_experiment::world::{World, WorldError, WorldOutcome};
use westwood_kernel::names::OURS;
use westwood_scenario::dumbbell::seconds;
use westwood_scenario::spec::ControllerSpec;
use westwood_sim::{Control, Network};

use super::capture::{self, CaptureWriter, PacketCapture};
use super::stop;
use crate::capture::CapturePlan;
use crate::exit::Stop;
use crate::kernel::estimates::KernelEstimates;
#[cfg(feature = "kernel")]
use crate::kernel::loaded::LoadedControllers;

/// The kernel is ready to run networks for as long as this value lives.
#[must_use = "controllers that were loaded go with this value"]
pub(crate) struct Prepared {
    #[cfg(feature = "kernel")]
    _lent: LoadedControllers,
}

/// Sees that the kernel can run these networks, and loads the controllers of ours that it lacks. Threads
/// come after it, or after [`enter`].
pub(crate) fn prepare(networks: &[Network]) -> Result<Prepared, Stop> {
    // The parameters of one that is loaded are unknown to a build without the kernel.
    if cfg!(not(feature = "kernel")) && networks.iter().flat_map(controllers).any(is_ours) {
        return Err(westwood_kernel::KernelError::NotBuilt.into());
    }
    let prepared = Prepared {
        #[cfg(feature = "kernel")]
        _lent: LoadedControllers::all(networks.iter().flat_map(controllers))?,
    };
    for network in networks {
        linux::check(network).map_err(stop)?;
    }
    enter()?;
    Ok(prepared)
}

/// Gets what the kernel allows for networks of their own, once and for all. To be called before there are
/// threads.
pub(crate) fn enter() -> Result<(), Stop> {
    privileges::obtain().map_err(stop)
}

/// Refuses controllers that no connection of a kernel can have.
pub(crate) fn check_controllers(controllers: &[ControllerSpec]) -> Result<(), Stop> {
    let known = |cc: &ControllerSpec| linux::kernel_name(&cc.choice).map(|_| ()).map_err(stop);
    controllers.iter().try_for_each(known)
}

/// The reason why no kernel can carry this network, if none can.
pub(crate) fn unsupported(network: &Network) -> Option<String> {
    match linux::check(network) {
        Err(EmuError::Unsupported { what, .. }) => Some(what),
        _ => None,
    }
}

/// As [`prepare`]; where estimates cannot be read that is a failure, since claims ask for them.
pub(crate) fn prepare_for_claims(networks: &[Network]) -> Result<Prepared, Stop> {
    if cfg!(not(feature = "kernel")) {
        return Err(westwood_kernel::KernelError::NotBuilt.into());
    }
    let prepared = prepare(networks)?;
    #[cfg(feature = "kernel")]
    westwood_kernel::estimate::Estimates::new()?;
    Ok(prepared)
}

/// The names of the controllers of a network's flows.
fn controllers(network: &Network) -> impl Iterator<Item = &'static str> {
    network.flows.iter().filter_map(|flow| Some(flow.traffic.tcp()?.controller.info().name))
}

/// True if a controller is one of this project's, which run as its programs.
fn is_ours(name: &str) -> bool {
    OURS.iter().any(|c| c.name == name)
}

/// Connections of the running kernel over the emulated path; packets may be as late as `bound` says, and
/// runs are captured.
pub(crate) fn world<'a>(
    bound: Option<Duration>,
    captures: Option<&'a CapturePlan<'a>>,
) -> Box<dyn World + 'a> {
    Box::new(Linux { bound, captures })
}

struct Linux<'a> {
    /// The bound on lateness; the usual one if absent.
    bound: Option<Duration>,
    captures: Option<&'a CapturePlan<'a>>,
}

impl World for Linux<'_> {
    fn run(
        &self,
        task: RunTask,
        network: &mut Network,
        transfers: Option<Range<usize>>,
        control: Control<'_>,
    ) -> Result<WorldOutcome, WorldError> {
        let bound = self.bound.unwrap_or_else(|| usual_bound(network));
        let mut fault = String::new();
        for _ in 0..ATTEMPTS {
            let begin = Instant::now();
            let (watching, writing) = self.capture(task)?.unzip();
            let run = with_estimates(network, |estimates| {
                let observer = watching.map(|w| Box::new(w) as Box<dyn Observer + Send>);
                let beside = RunInstruments { estimates, observer };
                linux::run_with(network, transfers.clone(), control, beside)
            });
            let run = match run {
                Ok(run) => run,
                Err(error) => {
                    writing.into_iter().for_each(CaptureWriter::discard);
                    return Err(world_error(&error));
                }
            };
            match self::fault(&run.emulation, network, bound) {
                None => {
                    let wall_s = begin.elapsed().as_secs_f64();
                    let lateness_us = Some(lateness_us(&run.emulation.carried.lateness, bound));
                    let sim_s = seconds(run.ran);
                    self.keep(writing)?;
                    return Ok(WorldOutcome { outcome: run.outcome, sim_s, wall_s, lateness_us });
                }
                Some(found) => {
                    writing.into_iter().for_each(CaptureWriter::discard);
                    fault = found;
                }
            }
        }
        let what = format!(
            "the emulation is invalid, {ATTEMPTS} times in a row: {fault}; try again on a quieter \
             machine, or allow more with --bound"
        );
        Err(WorldError::Invalid(what))
    }

    /// Two would make each other late.
    fn at_a_time(&self, _jobs: usize) -> usize {
        1
    }

    fn repeats(&self) -> bool {
        false
    }

    fn has_own_controllers(&self) -> bool {
        false
    }

    fn name_of(&self, controller: &str) -> String {
        format!("{controller}@linux")
    }

    fn recovery(&self) -> Option<&str> {
        Some("the kernel's")
    }
}

impl Linux<'_> {
    /// The capture of a run, if it is to be captured.
    fn capture(&self, task: RunTask) -> Result<Option<(PacketCapture, CaptureWriter)>, WorldError> {
        let begun = self.captures.map_or(Ok(None), |captures| capture::begin(captures, task));
        begun.map_err(WorldError::Lacks)
    }

    fn keep(&self, writing: Option<CaptureWriter>) -> Result<(), WorldError> {
        let Some((captures, writing)) = self.captures.zip(writing) else { return Ok(()) };
        capture::keep(captures, writing).map_err(WorldError::Lacks)
    }
}

/// Calls `run` with what tells the estimates of controllers of ours, if any is to be recorded and can be
/// read.
fn with_estimates<T>(
    network: &Network,
    run: impl FnOnce(Option<linux::SocketEstimates<'_>>) -> T,
) -> T {
    let wanted = network.probes.windows && controllers(network).any(is_ours);
    let Some(estimates) = wanted.then(KernelEstimates::new).flatten() else { return run(None) };
    run(Some(&|socket| estimates.of(socket)))
}

/// A run that was too late says nothing about its network, whatever it carried, and is done anew so
/// many times at most.
const ATTEMPTS: usize = 3;

/// The bound of a network's shortest path.
fn usual_bound(network: &Network) -> Duration {
    let rtts = (0..network.flows.len()).map(|flow| round_trip(network, flow));
    Lateness::usual_bound(rtts.min().unwrap_or(Duration::ZERO))
}

/// The reason why an emulation of this network cannot be believed: too late, or a stall that is
/// longer than the bound and than its shortest buffer.
fn fault(emulation: &EmulationOutcome, network: &Network, bound: Duration) -> Option<String> {
    let stalled = || emulation.stall(shortest_buffer(network)?.max(bound));
    emulation.fault(bound).or_else(stalled)
}

fn lateness_us(lateness: &Lateness, bound: Duration) -> LatenessUs {
    let us = |d: Duration| seconds(d) * 1e6;
    LatenessUs {
        p50: us(lateness.median()),
        p99: us(lateness.p99()),
        max: us(lateness.worst()),
        bound: Some(us(bound)),
    }
}

fn world_error(error: &EmuError) -> WorldError {
    match error {
        EmuError::Cancelled => WorldError::Cancelled,
        EmuError::Environment { .. } | EmuError::NoController { .. } => {
            WorldError::Lacks(error.to_string())
        }
        EmuError::Path(_) | EmuError::Unsupported { .. } | EmuError::Flow { .. } => {
            WorldError::Failed(error.to_string())
        }
    }
}
