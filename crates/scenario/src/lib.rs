//! What a user says, made exact, and what an experiment yields.
//!
//! ```text
//! flags, files --file--> Scenario --build--> Network --run--> RunRecord, Curves --> Report
//! ```
//!
//! Human text such as `10 Mbit/s`, `1.5bdp` or `westwood+(tau=0.3s)` is parsed here and nowhere
//! else. Whatever is wrong with it becomes one [`BadInput`]: a place, a message and a hint.
//!
//! * [`units`]: rates, durations, sizes, buffers, shares, counts.
//! * [`spec`]: controllers, losses, queues and criteria, with their parameters in parentheses.
//! * [`dumbbell`]: the path of `westwood compare` and the network it stands for.
//! * [`presets`]: bundles of settings under which our numbers are those of others.
//! * [`limits`]: what stops a mistyped value before it costs hours or the machine's memory.
//! * [`mod@file`]: scenario files: any network, sweeps, variants; [`run`]: their runs.
//! * [`library`]: the scenarios that come with the program.
//! * [`world`]: where networks run.
//! * [`judgement`]: what the results allow one to conclude, and what makes them mean little.
//! * [`results`]: the data model of a comparison; [`metric`] names its quantities; [`stats`] and
//!   [`ranking`] say what the numbers allow one to say.

mod decimal;
mod error;
mod nearest;

pub mod dumbbell;
pub mod file;
pub mod judgement;
pub mod library;
pub mod limits;
pub mod metric;
pub mod presets;
pub mod ranking;
pub mod results;
pub mod run;
pub mod spec;
pub mod stats;
pub mod units;
pub mod world;

pub use decimal::Decimal;
pub use error::{BadInput, listed, quoted};
pub use nearest::nearest;
