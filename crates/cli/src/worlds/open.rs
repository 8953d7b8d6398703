//! Opens a world that a user has named.

use westwood_cc::Duration;
use westwood_experiment::world::{Simulator, World};

use super::Place;
use crate::capture::Captures;
use crate::linux;

/// The world at a place. On Linux packets may be as late as `bound` says, and runs are captured.
pub(crate) fn open<'a>(
    place: Place,
    bound: Option<Duration>,
    captures: Option<&'a Captures<'a>>,
) -> Box<dyn World + 'a> {
    match place {
        Place::Sim => Box::new(Simulator),
        Place::Linux => linux::world(bound, captures),
    }
}
