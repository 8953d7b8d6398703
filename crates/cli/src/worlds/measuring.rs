//! The kernel for experiments whose numbers are held against claims.

use std::ops::Range;

use westwood_scenario::world::{Ran, World, WorldError};
use westwood_sim::{Control, Network};

use super::{Linux, Prepared, prepare};
use crate::exit::Stop;

/// The kernel is ready to run networks, and what its controllers estimate can be read.
#[must_use = "controllers that were loaded go with this value"]
pub(crate) struct Measuring {
    _prepared: Prepared,
}

/// As [`prepare`]; where estimates cannot be read that is a failure, since claims ask for them.
pub(crate) fn measuring(networks: &[Network]) -> Result<Measuring, Stop> {
    if cfg!(not(feature = "kernel")) {
        return Err(westwood_kernel::KernelError::NotBuilt.into());
    }
    let prepared = prepare(networks)?;
    #[cfg(feature = "kernel")]
    westwood_kernel::estimate::Estimates::new()?;
    Ok(Measuring { _prepared: prepared })
}

impl World for Measuring {
    fn run(
        &self,
        network: &mut Network,
        transfers: Option<Range<usize>>,
        control: Control<'_>,
    ) -> Result<Ran, WorldError> {
        Linux.run(network, transfers, control)
    }

    fn at_a_time(&self, jobs: usize) -> usize {
        Linux.at_a_time(jobs)
    }

    fn repeats(&self) -> bool {
        Linux.repeats()
    }

    fn name_of(&self, controller: &str) -> String {
        Linux.name_of(controller)
    }

    fn recovery(&self) -> Option<&str> {
        Linux.recovery()
    }
}
