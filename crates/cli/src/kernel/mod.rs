//! `westwood kernel`.

pub(crate) mod estimates;
#[cfg(feature = "kernel")]
mod listen;
#[cfg(feature = "kernel")]
pub(crate) mod loaded;
#[cfg(feature = "kernel")]
mod manage;
mod verify;
#[cfg(feature = "kernel")]
mod watch;

use westwood_kernel::{ChosenController, KernelError, KernelName};
use westwood_scenario::listed;

use crate::args::{KernelArgs, KernelCommand};
use crate::exit::{CommandExit, Stop};
use crate::output::tell;

impl From<KernelError> for Stop {
    fn from(error: KernelError) -> Self {
        let exit =
            if error.is_bad_input() { CommandExit::BadInput } else { CommandExit::Environment };
        Self::new(exit, error)
    }
}

pub(crate) fn run(args: &KernelArgs) -> Result<(), Stop> {
    match &args.command {
        KernelCommand::Verify(args) if !args.live => verify::file(args),
        #[cfg(feature = "kernel")]
        KernelCommand::Verify(args) => listen::verify(args),
        #[cfg(feature = "kernel")]
        KernelCommand::Record(args) => listen::record(args),
        #[cfg(feature = "kernel")]
        KernelCommand::List => manage::list(),
        #[cfg(feature = "kernel")]
        KernelCommand::Status => manage::status(),
        #[cfg(feature = "kernel")]
        KernelCommand::Load(args) => manage::load(args),
        #[cfg(feature = "kernel")]
        KernelCommand::Unload(args) => manage::unload(args),
        #[cfg(feature = "kernel")]
        KernelCommand::Watch(args) => watch::run(args),
        #[cfg(not(feature = "kernel"))]
        _ => Err(KernelError::NotBuilt.into()),
    }
}

/// Whether the programs that are loaded are the controllers that were asked for. Root alone can tell.
pub(crate) fn check_parameters(chosen: &[ChosenController]) -> Result<(), Stop> {
    let ours = || chosen.iter().filter(|one| KernelName::ours(&one.kernel).is_some());
    if ours().next().is_none() {
        return Ok(());
    }
    let programs = match loaded_programs() {
        Ok(programs) => programs,
        Err(error) => {
            let why = error.to_string();
            let why = why.split([';', '\n']).next().unwrap_or_default();
            let names: Vec<&str> = ours().map(|one| one.name.as_str()).collect();
            tell(format_args!(
                "warning: the parameters of the loaded {} are not known: {why}",
                listed(names)
            ));
            return Ok(());
        }
    };
    ours().try_for_each(|one| {
        let pairs = programs.iter().map(|(name, spec)| (*name, spec.as_str()));
        one.check_loaded(pairs).map_err(|error| Stop::bad_input(format!("--cc: {error}")))
    })
}

/// The kernel's name of each program of ours that is registered, and the controller that it is.
#[cfg(feature = "kernel")]
fn loaded_programs() -> Result<Vec<(&'static str, String)>, KernelError> {
    let registered = westwood_kernel::load::loaded()?.into_iter().filter(|one| one.registered);
    Ok(registered.map(|one| (one.controller.name, one.spec)).collect())
}

#[cfg(not(feature = "kernel"))]
fn loaded_programs() -> Result<Vec<(&'static str, String)>, KernelError> {
    Err(KernelError::NotBuilt)
}
