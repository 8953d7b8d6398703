//! A controller examined by every criterion of a document such as RFC 9743.
//!
//! ```text
//! criteria/rfc9743/*.toml --> Examination --plan--> runs --judge--> Scorecard --> page, JSON, text
//! ```
//!
//! * [`criterion`]: the format of `criteria/rfc9743`: criteria, thresholds, scenarios.
//! * [`plan`]: the statements of a card, a setting of a scenario each, and the runs that they need.
//! * [`run`]: each run once, several at a time, kept for the next time.
//! * [`mod@judge`]: pass, fail or undecided, and the seeds that undecided statements still need; [`examine`]
//!   looks again with these.
//! * [`card`]: the results, and the schema `westwood.card/1`; [`page`] and [`text`] write them, the page with
//!   the curves of [`curves`] and the links of [`playground`].
//!
//! Nothing here knows a criterion: the files say what is run, what is measured and what is enough.

pub mod card;
pub mod criterion;
pub mod curves;
mod examine;
pub mod judge;
pub mod page;
pub mod plan;
pub mod playground;
pub mod run;
pub mod text;

use westwood_scenario::file::reading::BadFile;
use westwood_scenario::spec::head_of_own;

pub use card::{CardVerdict, Scorecard};
pub use criterion::Examination;
pub use examine::examine;
pub use judge::judge;
pub use plan::CardPlan;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of the examination by RFC 9743 that come with the program: name and text.
pub fn files() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// The examination by RFC 9743 that comes with the program.
///
/// # Errors
/// If one of its files is wrong.
pub fn rfc9743() -> Result<Examination, BadFile> {
    criterion::examination(FILES)
}

/// The text that opens a controller's file, by its canonical name: paper, equations, deviations.
pub fn head_of(controller: &str) -> Option<String> {
    let name = controller.split('(').next().unwrap_or(controller);
    let own = CONTROLLER_HEADS.iter().find(|(known, _)| *known == name);
    own.map(|(_, text)| (*text).to_owned()).or_else(|| head_of_own(name))
}
