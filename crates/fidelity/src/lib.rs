//! Is it true? Every number that others measured on a path, beside ours on the same path.
//!
//! ```text
//! reference/*.csv --cases--> Case --measure--> results/fidelity.csv --rows--> page, figure
//! ```
//!
//! * [`table`] reads the numbers of others: `reference/`, whose README says where they come from.
//! * [`cases`] lists the cases of comparison. Every row of a table is a case: none can be left out
//!   by taste.
//! * [`ns2`] and [`linux`] are the paths and the settings under which the others measured.
//! * [`measure`] runs cases on all cores; [`results`] keeps the results.
//! * [`judge`] holds both sides together: one bound for each class of rows, fixed beforehand; [`stats`] and
//!   [`resample`] have what chance allows.
//! * [`rows`] puts verdicts on them and lists them; [`page`] and [`figure`] are docs/evidence/fidelity.md.
//!   `make fidelity` does all of it.

pub mod case;
pub mod cases;
pub mod figure;
pub mod judge;
pub mod linux;
pub mod measure;
pub mod ns2;
pub mod page;
pub mod params;
pub mod reasons;
pub mod resample;
pub mod results;
pub mod rows;
pub mod stats;
pub mod table;
pub mod topology;

pub use case::{Case, ReferenceMetric, ReferenceSource};
pub use judge::{RowClass, RowVerdict};
