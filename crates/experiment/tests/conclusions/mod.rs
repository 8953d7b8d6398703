//! Errors of conclusions, counted over thousands of comparisons that are drawn from pools of runs.
//!
//! The criteria, and why a pool is a population, are in `docs/explanation/decisions.md`.

pub(crate) mod cell;
pub(crate) mod chance;
pub(crate) mod path;
pub(crate) mod pool;
