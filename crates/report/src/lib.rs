//! What a user sees: pure functions from results to text.
//!
//! * [`terminal`]: the path, a table, a plot of the windows and a sentence.
//! * [`grid`]: the runs of a scenario file: a table, and what its variants change.
//! * [`json`]: the schemas `westwood.compare/1` and `westwood.run/1`.
//! * [`csv`]: one table for each kind of row, with units in the column names.
//! * [`tables`]: the results of a scenario as tables; [`columns`] says what is in them, [`frame`] writes
//!   them as CSV and Parquet.
//! * [`catalog`]: what there is to choose from.
//! * [`campaign`]: real transfers under several controllers, compared round by round.
//! * [`comparison`] turns a comparison into a [`document`], [`experiment`] the runs of a scenario, [`html`] a document into one page, and
//!   [`figure`] into figures for a publication; [`reduce`] makes curves small and keeps their peaks.
//! * [`estimates`]: what bandwidth estimators make of a capture.
//! * [`pages`]: pages of text, charts and tables; [`figure::Chart`] is a chart of any lines.
//!
//! Nothing here prints, reads the environment or asks for the time.

pub mod campaign;
pub mod catalog;
mod changes;
pub mod columns;
pub mod comparison;
pub mod csv;
mod curves;
pub mod document;
pub mod estimates;
pub mod experiment;
pub mod figure;
pub mod frame;
pub mod grid;
pub mod html;
pub mod json;
mod markup;
mod number;
pub mod pages;
mod palette;
mod plot;
pub mod reduce;
mod scale;
mod style;
mod summary;
mod table;
pub mod tables;
pub mod terminal;

pub use style::Style;
