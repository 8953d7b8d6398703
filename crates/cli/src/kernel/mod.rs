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

use westwood_kernel::KernelError;

use crate::args::{KernelArgs, KernelCommand};
use crate::exit::{CommandExit, Stop};

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
