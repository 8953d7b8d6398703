//! Why the kernel cannot do what was asked, each with its mend.

use std::fmt;
use std::io;

/// Why the kernel cannot do what was asked.
#[derive(Debug)]
pub enum KernelError {
    /// The process may not load programs.
    NotRoot,
    /// The process is root's, but without root's capabilities.
    NotCapable,
    /// The kernel does not describe its own types.
    NoBtf,
    /// The kernel is older than 6.1.
    TooOld(String),
    /// Another controller, which is not ours, has the name.
    NameTaken(&'static str),
    /// It is loaded with other parameters.
    AlreadyLoaded {
        /// The name.
        name: &'static str,
        /// The controller that is loaded.
        spec: String,
    },
    /// It is loaded with other parameters than those that are asked for.
    OtherParameters {
        /// The name.
        name: &'static str,
        /// The controller that is loaded.
        loaded: String,
        /// The controller that is asked for.
        asked: String,
        /// The command that loads it.
        load: String,
    },
    /// It is not loaded.
    NotLoaded(&'static str),
    /// Nothing is loaded.
    NothingLoaded,
    /// Several controllers are loaded and none was named.
    Several(Vec<&'static str>),
    /// A file of the kernel cannot be read or written.
    File {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The kernel refused a step.
    Refused {
        /// The step.
        step: &'static str,
        /// Why, in libbpf's words.
        why: String,
        /// The end of what the kernel's verifier said, if it did.
        log: String,
    },
    /// Another recorder listens to it.
    Recorded(&'static str),
    /// This build cannot load programs.
    NotBuilt,
}

impl KernelError {
    /// True if the request is wrong, false if the environment lacks something.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::AlreadyLoaded { .. }
                | Self::OtherParameters { .. }
                | Self::NotLoaded(_)
                | Self::NothingLoaded
                | Self::Several(_)
        )
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRoot => f.write_str(
                "only root may load programs into the kernel; write sudo westwood kernel ...",
            ),
            Self::NotCapable => f.write_str(
                "root lacks CAP_NET_ADMIN or CAP_SYS_ADMIN here, as in most containers; \
                 write westwood kernel ... outside of the container, or start it with both",
            ),
            Self::NoBtf => f.write_str(
                "this kernel does not describe its types: there is no /sys/kernel/btf/vmlinux; \
                 boot a kernel built with CONFIG_DEBUG_INFO_BTF=y, as Debian's is",
            ),
            Self::TooOld(release) => {
                write!(f, "Linux {release} is too old; boot Linux 6.1 or later")
            }
            Self::NameTaken(name) => write!(
                f,
                "a controller called '{name}' exists that this command did not load; take it away \
                 first: bpftool struct_ops unregister name {name}, or rmmod its module"
            ),
            Self::AlreadyLoaded { name, spec } => write!(
                f,
                "{name} is loaded already, as {spec}; \
                 write westwood kernel unload {name} first, connections keep what they have"
            ),
            Self::OtherParameters { name, loaded, asked, load } => write!(
                f,
                "{name} is loaded as {loaded}, and {asked} is asked for; ask for '{loaded}', or write \
                 westwood kernel unload {name} and {load}"
            ),
            Self::NotLoaded(name) => {
                write!(f, "{name} is not loaded; write westwood kernel load {name}")
            }
            Self::NothingLoaded => {
                f.write_str("no controller is loaded; write westwood kernel load NAME")
            }
            Self::Several(names) => {
                write!(f, "several controllers are loaded; name one of {}", names.join(", "))
            }
            Self::File { path, error } => write!(f, "{path}: {error}"),
            Self::Refused { step, why, log } if log.is_empty() => {
                write!(f, "the kernel refused {step}: {why}")
            }
            Self::Refused { step, why, log } => write!(
                f,
                "the kernel refused {step}: {why}; boot a kernel on which they were tested, Debian's \
                 6.1 or 6.18, and report what this one says:\n{log}"
            ),
            Self::Recorded(name) => write!(
                f,
                "another recorder listens to {name}; end it, or wait for 3 s if it was killed"
            ),
            Self::NotBuilt => f.write_str(
                "this build of westwood cannot speak to the kernel; install libelf-dev and \
                 zlib1g-dev and write cargo install --path crates/cli --features kernel",
            ),
        }
    }
}

impl std::error::Error for KernelError {}
