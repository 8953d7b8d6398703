//! Opens a world that a user has named.

use westwood_cc::Duration;
use westwood_experiment::world::{Simulator, World};

use super::WorldName;
use crate::capture::CapturePlan;
use crate::linux;

/// The world at a place. On Linux packets may be as late as `bound` says, and runs are captured.
pub(crate) fn open<'a>(
    place: WorldName,
    bound: Option<Duration>,
    captures: Option<&'a CapturePlan<'a>>,
) -> Box<dyn World + 'a> {
    match place {
        WorldName::Sim => Box::new(Simulator),
        WorldName::Linux => linux::world(bound, captures),
    }
}
