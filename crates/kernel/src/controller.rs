//! The controllers that exist for the kernel.

use std::fmt;

use westwood_scenario::spec::ControllerSpec;

use crate::names::{KernelName, OURS};

/// A controller for the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelController {
    /// The name under which sockets choose it.
    pub name: &'static str,
    /// The name of the same controller in the simulator.
    pub simulated: &'static str,
    /// The compiled programs.
    pub object: &'static [u8],
}

/// Every controller for the kernel.
pub const CONTROLLERS: [KernelController; 4] = {
    let [westwood_2002, westwood_plus, westwood_probe, log_westwood] = OURS;
    [
        compiled(westwood_2002, include_bytes!("../objects/westwood_2002.bpf.o")),
        compiled(westwood_plus, include_bytes!("../objects/westwood_plus.bpf.o")),
        compiled(westwood_probe, include_bytes!("../objects/westwood_probe.bpf.o")),
        compiled(log_westwood, include_bytes!("../objects/log_westwood.bpf.o")),
    ]
};

const fn compiled(names: KernelName, object: &'static [u8]) -> KernelController {
    KernelController { name: names.kernel, simulated: names.name, object }
}

/// There is no such controller for the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownController(pub String);

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = CONTROLLERS.iter().map(|c| c.name).collect();
        write!(f, "no controller for the kernel is called '{}': ", self.0)?;
        write!(f, "there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownController {}

impl KernelController {
    /// The controller of this name, in the kernel or in the simulator.
    ///
    /// ```
    /// use westwood_kernel::KernelController;
    /// assert_eq!(KernelController::named("westwood_plus").unwrap().simulated, "westwood+");
    /// assert_eq!(KernelController::named("log-westwood").unwrap().name, "log_westwood");
    /// ```
    pub fn named(name: &str) -> Result<Self, UnknownController> {
        if let Some(found) = CONTROLLERS.into_iter().find(|c| c.name == name) {
            return Ok(found);
        }
        let simulated = ControllerSpec::parse(name).ok().map(|spec| spec.choice.info().name);
        CONTROLLERS
            .into_iter()
            .find(|c| Some(c.simulated) == simulated)
            .ok_or_else(|| UnknownController(name.to_owned()))
    }

    /// The kernel's version of what a specification describes.
    pub fn of(spec: &ControllerSpec) -> Result<Self, UnknownController> {
        Self::named(spec.choice.info().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_registers_the_name_of_its_controller() {
        for controller in CONTROLLERS {
            let mut name = [0; 16];
            name[..controller.name.len()].copy_from_slice(controller.name.as_bytes());
            // The first field of `struct tcp_congestion_ops`, which is filled up with zeros.
            let found = controller.object.windows(name.len()).any(|bytes| bytes == name);
            assert!(found, "{}", controller.name);
        }
    }
}
