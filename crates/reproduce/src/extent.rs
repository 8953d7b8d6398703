//! The extent of a reproduction, and the platform of its experiments.

/// The extent of a reproduction.
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

/// The platform of experiments.
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
