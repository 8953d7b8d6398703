//! Capacity over time, made up from a seed by Westwood's own generator: no recording of others is needed to
//! run a row anew, and the kernel had the same opportunities.

use std::sync::Arc;

use westwood_cc::{Duration, Rate};
use westwood_net::{Capacity, Trace};
use westwood_scenario::traces::SyntheticTrace;

use crate::params::{Params, Unreadable};

/// The capacity that `westwood trace generate` makes of `trace=lte;seed=7;length=60;most=9`: kind, seed,
/// seconds and the highest rate in Mbit/s. None without `trace`.
pub(super) fn trace(given: &mut Params) -> Result<Option<Capacity>, Unreadable> {
    let Some(kind) = given.text("trace") else { return Ok(None) };
    let missing = |name: &str| Unreadable(format!("trace={kind} without {name}"));
    let seed = given.count("seed")?.ok_or_else(|| missing("seed"))?;
    let length = given.count("length")?.ok_or_else(|| missing("length"))?;
    let most = given.count("most")?.ok_or_else(|| missing("most"))?;
    let most = Rate::from_bits_per_s(most.saturating_mul(1_000_000));
    let text = SyntheticTrace::parse(&kind)
        .and_then(|kind| kind.trace(seed, Duration::from_secs(length), most))
        .map_err(|error| Unreadable(error.to_string()))?;
    let trace = Trace::parse(&text).map_err(|error| Unreadable(error.to_string()))?;
    Ok(Some(Capacity::Recorded(Arc::new(trace))))
}
