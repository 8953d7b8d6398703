//! The extent of a reproduction, and the platform of its experiments.

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything as published.
    Full,
    /// Shorter, where the claims allow it.
    Quick,
}

impl Extent {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
        }
    }
}

/// Where experiments run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// In the simulator.
    Simulator,
    /// Over emulated paths, as connections of the running kernel.
    Linux,
}

impl Platform {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulator => "sim",
            Self::Linux => "linux",
        }
    }
}
