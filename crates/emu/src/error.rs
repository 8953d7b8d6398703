//! The errors of an emulation.

use std::fmt;
use std::io;

use westwood_kernel::KernelName;
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
                // To `westwood kernel load` the kernel's `westwood` is the name of another controller.
                if KernelName::ours(name).is_some() {
                    write!(f, "load it first, as root: westwood kernel load {name}")
                } else {
                    write!(f, "load its module first, as root: modprobe tcp_{name}")
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_controller_is_loaded_by_the_command_that_has_it() {
        let mend = |name: &str| {
            let available = "reno, cubic".to_owned();
            let error = EmuError::NoController { name: name.to_owned(), available }.to_string();
            error.rsplit_once(": ").map(|(_, command)| command.to_owned())
        };
        assert_eq!(mend("westwood_plus").as_deref(), Some("westwood kernel load westwood_plus"));
        for stock in ["westwood", "illinois"] {
            assert_eq!(mend(stock), Some(format!("modprobe tcp_{stock}")));
        }
    }
}
