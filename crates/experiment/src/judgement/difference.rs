//! The difference between two contestants.

use serde::{Deserialize, Serialize};

/// A difference with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedDifference {
    /// The mean difference.
    pub mean: f64,
    /// Half the width of its interval; `null` for a single value, and where every seed of a random
    /// network gives the same, which says nothing of chance.
    pub half_width: Option<f64>,
    /// It is beyond chance and beyond what matters.
    pub clear: bool,
}
