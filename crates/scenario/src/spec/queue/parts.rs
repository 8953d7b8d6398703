//! Shared parts of queues' parameters.

use crate::error::BadInput;
use crate::spec::call::Call;
use crate::units::switch;

/// Marking instead of dropping.
pub(super) fn ecn(call: &mut Call<'_>) -> Result<bool, BadInput> {
    Ok(call.take("ecn", switch)?.unwrap_or(false))
}

/// True unless both were written alike.
pub(super) fn differ(a: f64, b: f64) -> bool {
    a.to_bits() != b.to_bits()
}
