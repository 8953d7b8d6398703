//! The native half of the Python package `westwood`: plans, runs and tables.
//!
//! Everything here is private to the package: `python/westwood` is what a user sees, and `_native.pyi`
//! beside it has the types of this module. A call that simulates works in a thread of its own without the
//! interpreter's lock ([`work`]).

mod capture;
mod card;
mod document;
mod error;
mod outcome;
mod plan;
mod saved;
mod sweep;
mod table;
mod work;

use pyo3::prelude::*;

/// The module `westwood._native`.
#[pymodule(name = "_native", gil_used = false)]
mod native {
    #[pymodule_export]
    use crate::capture::{NativeEstimates, estimate};
    #[pymodule_export]
    use crate::card::{NativeCards, evaluate};
    #[pymodule_export]
    use crate::document::ScenarioDocument;
    #[pymodule_export]
    use crate::outcome::NativeOutcome;
    #[pymodule_export]
    use crate::plan::{NativePlan, ready_scenario, settings};
    #[pymodule_export]
    use crate::saved::diff;
    #[pymodule_export]
    use crate::sweep::keep_part;
    #[pymodule_export]
    use crate::table::ArrowTable;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
