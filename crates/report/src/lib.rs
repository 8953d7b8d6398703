//! What a user sees: pure functions from results to text.
//!
//! * [`terminal`]: the path, a table, a plot of the windows and a sentence.
//! * [`json`]: the schema `westwood.compare/1`.
//! * [`csv`]: one table for each kind of row, with units in the column names.
//! * [`catalog`]: what there is to choose from.
//! * [`comparison`] turns a comparison into a [`document`], [`html`] a document into one page, and
//!   [`figure`] into figures for a publication; [`reduce`] makes curves small and keeps their peaks.
//!
//! Nothing here prints, reads the environment or asks for the time.

pub mod catalog;
pub mod comparison;
pub mod csv;
pub mod document;
pub mod figure;
pub mod html;
pub mod json;
mod markup;
mod palette;
mod plot;
pub mod reduce;
mod scale;
mod style;
mod summary;
mod table;
pub mod terminal;

pub use style::Style;
