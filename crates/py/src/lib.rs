//! The native half of the Python package `westwood`: plans, runs and tables.
//!
//! Everything here is private to the package: `python/westwood` is what a user sees, and `_native.pyi`
//! beside it has the types of this module. A call that simulates works in a thread of its own without the
//! interpreter's lock (`work`).

mod agent;
mod capture;
mod card;
mod compiled;
mod document;
mod error;
mod outcome;
mod plan;
mod registry;
mod saved;
mod scripted;
mod sweep;
mod table;
mod work;

use pyo3::prelude::*;

/// The module `westwood._native`.
#[pymodule(name = "_native", gil_used = false)]
mod native {
    #[pymodule_export]
    use crate::agent::NativeEpisode;
    #[pymodule_export]
    use crate::capture::estimate;
    #[pymodule_export]
    use crate::card::evaluate;
    #[pymodule_export]
    use crate::document::ScenarioDocument;
    #[pymodule_export]
    use crate::outcome::NativeOutcome;
    #[pymodule_export]
    use crate::plan::{NativePlan, read_scenario, settings};
    #[pymodule_export]
    use crate::registry::{register_class, register_compiled, register_policy};
    #[pymodule_export]
    use crate::saved::diff;
    #[pymodule_export]
    use crate::sweep::keep_part;
    #[pymodule_export]
    use crate::table::ArrowTable;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::registry::register_agent(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
