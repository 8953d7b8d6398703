//! The output for users: pure functions from results to text.
//!
//! * [`diff`]: what changed from one saved result to another.
//! * [`grid`]: the runs on a terminal: a table, the windows, what variants change, and a sentence;
//!   [`heading`] is the path of an experiment in words in a line.
//! * [`json`]: the schemas `westwood.compare/1` and `westwood.run/1`; with the feature `schema` the module of
//!   that name has their JSON Schemas.
//! * [`tables`]: the results of a scenario as tables; [`columns`] describes them, [`data_frame`]
//!   writes them as CSV and Parquet.
//! * [`catalog`]: what there is to choose from.
//! * [`campaign`]: real transfers under several controllers, compared round by round.
//! * [`experiment`] turns the runs of a scenario into a [`document`], [`html`] a document into one page,
//!   and [`figure`] into figures for a publication; [`reduce`] makes curves small and keeps their peaks.
//! * [`estimates`]: what bandwidth estimators make of a capture.
//! * [`pages`]: pages of text, charts and tables; [`figure::Chart`] is a chart of any lines, and
//!   [`curve_charts`] makes some of runs over time.
//!
//! Nothing here prints, reads the environment or asks for the time.

mod bars;
#[cfg(feature = "campaigns")]
pub mod campaign;
pub mod catalog;
mod changes;
pub mod columns;
mod curves;
pub mod data_frame;
pub mod diff;
pub mod document;
pub mod estimates;
pub mod experiment;
pub mod figure;
pub mod grid;
pub mod heading;
pub mod html;
pub mod json;
mod markup;
mod number;
mod overview;
pub mod pages;
mod palette;
#[cfg(feature = "parquet")]
mod parquet;
mod plot;
pub mod reduce;
mod scale;
#[cfg(feature = "schema")]
pub mod schema;
mod style;
mod summary;
pub mod table;
pub mod tables;

pub use curves::charts as curve_charts;
pub use style::Style;
