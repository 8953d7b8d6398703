//! The substitute for `linux/` on other systems: one error, with exit code 4.

use std::ops::Range;

use westwood_cc::Duration;
use westwood_experiment::run::RunTask;
use westwood_experiment::world::{World, WorldError, WorldOutcome};
use westwood_scenario::spec::ControllerSpec;
use westwood_sim::{Control, Network};

use crate::capture::CapturePlan;
use crate::exit::{CommandExit, Stop};

fn needs_linux(what: &str) -> String {
    format!("{what} needs Linux, whose kernel carries the packets; simulations run here")
}

pub(crate) mod emulate {
    use super::{CommandExit, Stop, needs_linux};
    use crate::args::EmulateArgs;

    pub(crate) fn run(_: &EmulateArgs) -> Result<(), Stop> {
        Err(Stop::new(CommandExit::Environment, needs_linux("westwood emulate")))
    }
}

/// There is no such kernel.
pub(crate) type Prepared = std::convert::Infallible;

pub(crate) fn prepare(_: &[Network]) -> Result<Prepared, Stop> {
    Err(Stop::new(CommandExit::Environment, needs_linux("--on linux")))
}

pub(crate) fn prepare_for_claims(networks: &[Network]) -> Result<Prepared, Stop> {
    prepare(networks)
}

pub(crate) fn check_controllers(_: &[ControllerSpec]) -> Result<(), Stop> {
    Err(Stop::new(CommandExit::Environment, needs_linux("--on linux")))
}

pub(crate) fn unsupported(_: &Network) -> Option<String> {
    Some(needs_linux("--on linux"))
}

pub(crate) fn world<'a>(
    _: Option<Duration>,
    _: Option<&'a CapturePlan<'a>>,
) -> Box<dyn World + 'a> {
    Box::new(UnavailableWorld)
}

struct UnavailableWorld;

impl World for UnavailableWorld {
    fn run(
        &self,
        _: RunTask,
        _: &mut Network,
        _: Option<Range<usize>>,
        _: Control<'_>,
    ) -> Result<WorldOutcome, WorldError> {
        Err(WorldError::Lacks(needs_linux("--on linux")))
    }

    fn at_a_time(&self, _: usize) -> usize {
        1
    }

    fn repeats(&self) -> bool {
        false
    }

    fn has_own_controllers(&self) -> bool {
        false
    }

    fn name_of(&self, controller: &str) -> String {
        controller.to_owned()
    }

    fn recovery(&self) -> Option<&str> {
        None
    }
}
