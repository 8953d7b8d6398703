//! The kernel with a view into its controllers, for experiments about what they estimate.

use std::ops::Range;

use westwood_scenario::world::{Ran, World, WorldError};
use westwood_sim::{Control, Network};

use super::{Linux, Prepared, prepare};
use crate::exit::Stop;

/// So often a run that was too late is done again.
const TRIES: usize = 3;

/// The kernel is ready to run networks, and what its controllers estimate is recorded.
pub(crate) struct Watching {
    #[cfg(feature = "kernel")]
    eyes: eyes::Eyes,
    _prepared: Prepared,
}

/// As [`prepare`], with a view into the controllers.
pub(crate) fn watching(networks: &[Network]) -> Result<Watching, Stop> {
    #[cfg(not(feature = "kernel"))]
    return Err(westwood_kernel::KernelError::NotBuilt.into());
    #[cfg(feature = "kernel")]
    Ok(Watching { _prepared: prepare(networks)?, eyes: eyes::Eyes::open()? })
}

impl World for Watching {
    /// A run that was too late is done again: that says nothing about its flows.
    fn run(
        &self,
        network: &mut Network,
        transfers: Option<Range<usize>>,
        control: Control<'_>,
    ) -> Result<Ran, WorldError> {
        #[cfg(feature = "kernel")]
        let estimates = Some(&self.eyes as &dyn westwood_emu::linux::Estimates);
        #[cfg(not(feature = "kernel"))]
        let estimates = None;
        let mut tries = 1;
        loop {
            match super::run(network, transfers.clone(), control, estimates) {
                Err(WorldError::Invalid(_)) if tries < TRIES => tries += 1,
                result => return result,
            }
        }
    }

    fn at_a_time(&self, jobs: usize) -> usize {
        Linux.at_a_time(jobs)
    }

    fn name_of(&self, controller: &str) -> String {
        Linux.name_of(controller)
    }

    fn recovery(&self) -> Option<&str> {
        Linux.recovery()
    }
}

#[cfg(feature = "kernel")]
mod eyes {
    use std::io;
    use std::net::SocketAddr;
    use std::sync::{Mutex, PoisonError};

    use westwood_cc::Rate;
    use westwood_emu::linux::Estimates;
    use westwood_kernel::watch::Watcher;
    use westwood_kernel::{CONTROLLERS, KernelError};

    /// Reads what controllers of ours keep in the kernel.
    pub(super) struct Eyes(Mutex<Watcher>);

    impl Eyes {
        pub(super) fn open() -> Result<Self, KernelError> {
            Watcher::new().map(|watcher| Self(Mutex::new(watcher)))
        }
    }

    impl Estimates for Eyes {
        fn knows(&self, controller: &str) -> bool {
            CONTROLLERS.iter().any(|ours| ours.name == controller)
        }

        fn of(&self, local: SocketAddr) -> io::Result<Option<Rate>> {
            let watcher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let all = watcher.connections().map_err(io::Error::other)?;
            Ok(all.iter().find(|connection| connection.local == local).and_then(|c| c.bwe))
        }
    }
}
