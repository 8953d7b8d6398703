//! The machine that the command runs on.

use std::fs;

use serde::{Deserialize, Serialize};

/// The processors that this command may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A machine, as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Its name, if it says one.
    pub(crate) name: Option<String>,
    /// Operating system.
    pub(crate) os: String,
    /// Processor architecture.
    pub(crate) arch: String,
    /// Processors.
    pub(crate) processors: usize,
}

impl Machine {
    pub(crate) fn this() -> Self {
        let read = fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let name = read.or_else(|| std::env::var("HOSTNAME").ok());
        Self {
            name: name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            processors: processors(),
        }
    }
}
