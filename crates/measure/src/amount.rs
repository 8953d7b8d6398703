//! The amount that a run sends.

use serde::{Deserialize, Serialize};

/// The amount that each flow of a run sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// Each flow transfers this many bytes, and the run ends when all are acknowledged.
    SizeBytes(u64),
    /// Each flow sends for this long.
    TimeMs(u64),
}
