//! The language of experiments: from the user's text to networks.
//!
//! ```text
//! flags, files --file--> Scenario --build--> Network
//! ```
//!
//! Human text such as `10 Mbit/s`, `1.5bdp` or `westwood+(tau=0.3s)` is parsed here and nowhere
//! else. Each fault of it becomes one [`BadInput`]: a place, a message and a hint.
//!
//! * [`units`]: rates, durations, sizes, buffers, shares, counts.
//! * [`spec`]: controllers, losses and queues, with their parameters in parentheses.
//! * [`dumbbell`]: the path of `westwood compare` and the network it stands for.
//! * [`presets`]: bundles of settings under which our numbers are those of others.
//! * [`limits`]: what stops a mistyped value before it costs hours or the machine's memory.
//! * [`mod@file`]: scenario files: any network, sweeps, variants.
//! * [`library`]: the scenarios that come with the program.
//! * [`traces`]: recorded capacity from other formats, and made-up capacity.
//! * [`ComparisonPath`]: the path of a comparison, as results state it.
//! * [`sorting`]: sorts and maps whose code exists once, for programs that must be small.
//!
//! `westwood-experiment` runs the networks and judges the results.

mod decimal;
mod error;
mod nearest;
mod path;

pub mod dumbbell;
pub mod file;
pub mod library;
pub mod limits;
pub mod presets;
pub mod sorting;
pub mod spec;
pub mod traces;
pub mod units;

pub use decimal::Decimal;
pub use error::{BadInput, capitalized, counted, counted_of, listed, quoted, uncapitalized};
pub use nearest::nearest;
pub use path::ComparisonPath;
