//! Controllers of ours that are in the kernel for as long as a run needs them.

use westwood_kernel::{KernelController, environment, load};
use westwood_scenario::spec::ControllerSpec;

use crate::exit::Stop;

/// Controllers that were not in the kernel before; they are unloaded with this value. Connections that
/// use them keep them until they end.
#[must_use = "what is lent goes with this value"]
#[derive(Default)]
pub(crate) struct LoadedControllers(Vec<KernelController>);

impl LoadedControllers {
    /// Loads those of ours among these controllers that the kernel does not have yet.
    pub(crate) fn all<'a>(simulated: impl Iterator<Item = &'a str>) -> Result<Self, Stop> {
        let mut lent = Self::default();
        for controller in simulated.filter_map(|name| KernelController::named(name).ok()) {
            if environment::available()?.iter().any(|name| name == controller.name) {
                continue;
            }
            let spec = ControllerSpec::parse(controller.simulated).map_err(Stop::bad_input)?;
            load::load(&controller, &spec, false)?;
            lent.0.push(controller);
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
