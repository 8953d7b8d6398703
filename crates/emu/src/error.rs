//! The errors of an emulation.

use std::fmt;
use std::io;

use westwood_kernel::names::how_to_load;
use westwood_sim::SimError;

/// The reason why there is no emulation.
#[derive(Debug)]
pub enum EmuError {
    /// The path itself is refused.
    Path(SimError),
    /// The path or its traffic has something that real packets cannot have.
    Unsupported {
        /// The unsupported setting.
        what: String,
        /// The remedy.
        mend: &'static str,
    },
    /// The machine lacks something, or does not allow it.
    Environment {
        /// The missing ability.
        what: &'static str,
        /// The reason.
        error: io::Error,
        /// The remedy.
        mend: &'static str,
    },
    /// The kernel has no congestion controller of this name.
    NoController {
        /// The name.
        name: String,
        /// Those that it has.
        available: String,
    },
    /// A flow's connection broke.
    Flow {
        /// The flow's name.
        flow: String,
        /// The reason.
        error: io::Error,
    },
    /// The user ended it.
    Cancelled,
}

impl EmuError {
    pub(crate) fn environment(
        what: &'static str,
        mend: &'static str,
    ) -> impl Fn(io::Error) -> Self {
        move |error| Self::Environment { what, error, mend }
    }
}

impl fmt::Display for EmuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(error) => error.fmt(f),
            Self::Unsupported { what, mend } => write!(f, "{what}; {mend}"),
            Self::Environment { what, error, mend } => write!(f, "{what}: {error}; {mend}"),
            Self::NoController { name, available } => {
                write!(f, "this kernel has no congestion controller '{name}', only {available}; ")?;
                f.write_str(&how_to_load(name))
            }
            Self::Flow { flow, error } => write!(f, "flow '{flow}': {error}"),
            Self::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for EmuError {}

impl From<SimError> for EmuError {
    fn from(error: SimError) -> Self {
        Self::Path(error)
    }
}
