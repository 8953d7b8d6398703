//! Controllers of ours that are in the kernel for as long as a run needs them.

use westwood_kernel::load::{self, LoadOutcome};
use westwood_kernel::{KernelController, KernelError};
use westwood_scenario::spec::ControllerSpec;

use crate::exit::{CommandExit, Stop};

/// Controllers that were not in the kernel before; they are unloaded with this value. Connections that
/// use them keep them until they end.
#[must_use = "what is lent goes with this value"]
#[derive(Default)]
pub(crate) struct LoadedControllers(Vec<KernelController>);

impl LoadedControllers {
    /// Loads those of ours among these controllers that are not loaded yet. One that is loaded with
    /// other parameters is another controller than the one that is asked for, and refused.
    pub(crate) fn all<'a>(simulated: impl Iterator<Item = &'a str>) -> Result<Self, Stop> {
        let mut lent = Self::default();
        for controller in simulated.filter_map(|name| KernelController::named(name).ok()) {
            let spec = ControllerSpec::parse(controller.simulated).map_err(Stop::bad_input)?;
            let lacks = |error: KernelError| {
                Stop::new(CommandExit::Environment, format!("--on linux: {error}"))
            };
            if load::load(&controller, &spec, false).map_err(lacks)? == LoadOutcome::New {
                lent.0.push(controller);
            }
        }
        Ok(lent)
    }
}

impl Drop for LoadedControllers {
    fn drop(&mut self) {
        for controller in &self.0 {
            if let Ok(loaded) = load::find(controller) {
                // `westwood kernel unload` names later the controllers that cannot be unloaded now.
                let _ = load::unload(&loaded);
            }
        }
    }
}
