//! The part of the command that needs Linux: real packets over emulated paths.

mod capture;
pub(crate) mod emulate;
mod world;

pub(crate) use world::{
    Prepared, check_controllers, enter, prepare, prepare_for_claims, unsupported, world,
};

use westwood_emu::EmuError;

use crate::exit::{CommandExit, Stop};

/// The emulator's errors as the command's.
fn stop(error: EmuError) -> Stop {
    let exit = match &error {
        EmuError::Path(_) | EmuError::Unsupported { .. } => CommandExit::BadInput,
        EmuError::Environment { .. } | EmuError::NoController { .. } => CommandExit::Environment,
        EmuError::Flow { .. } => CommandExit::RunFailed,
        EmuError::Cancelled => CommandExit::Interrupted,
    };
    Stop::new(exit, error)
}
