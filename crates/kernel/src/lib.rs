//! The Westwood family as eBPF congestion controllers of Linux, and the proof that they are those of
//! the simulator.
//!
//! * `bpf/`: the controllers in C, part by part as in `westwood-cc`, and the kernel's hooks.
//! * [`names`]: the names of the catalog's controllers in Linux.
//! * [`controller`]: which there are; [`parameters`]: how their programs read their parameters.
//! * [`event`]: one call of a controller, as it is recorded.
//! * [`replay`]: a recorded connection through `westwood-cc`.
//! * [`recording`], [`verify`]: the file of a recording, and the verdict on it.
//! * `load`, `prior`, `record`, `watch`, `estimate`, `environment` (with the feature `load`): the
//!   running kernel.

pub mod controller;
#[cfg(feature = "load")]
pub mod environment;
pub mod error;
#[cfg(feature = "load")]
pub mod estimate;
pub mod event;
#[cfg(feature = "load")]
pub mod load;
pub mod names;
pub mod parameters;
#[cfg(feature = "load")]
mod prior;
#[cfg(feature = "load")]
pub mod record;
pub mod recording;
pub mod replay;
#[cfg(feature = "load")]
mod status;
pub mod verify;
#[cfg(feature = "load")]
pub mod watch;

pub use controller::{CONTROLLERS, KernelController, UnknownController};
pub use error::KernelError;
pub use event::{CallKind, Event, KernelWindow};
pub use names::{ChosenController, KernelName, NoController};
pub use replay::{Replay, ReplayAnswer};
pub use verify::{ReplayVerdict, Verifier};
