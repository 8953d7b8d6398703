//! Shared parts of queues' parameters.

use westwood_cc::{Bytes, Duration};
use westwood_net::CeThreshold;
use westwood_net::queue::InverseRoot;

use crate::error::BadInput;
use crate::limits;
use crate::spec::call::Call;
use crate::units::{count, duration_text, size, switch};

/// Marking instead of dropping.
pub(super) fn ecn(call: &mut Call<'_>) -> Result<bool, BadInput> {
    Ok(call.take("ecn", switch)?.unwrap_or(false))
}

/// Marking, of the queues that Linux ships with their marks turned on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueEcn {
    /// Packets of connections that negotiate ECN are marked. The queue has none negotiate it.
    #[default]
    IfNegotiated,
    /// Connections negotiate ECN, and their packets are marked.
    On,
    /// No packet is marked.
    Off,
}

impl QueueEcn {
    /// True if ECN-capable packets are marked where others are dropped.
    pub const fn marks(self) -> bool {
        !matches!(self, Self::Off)
    }
}

/// The name, default and meaning of [`ecn_if_negotiated`].
pub(super) const ECN_IF_NEGOTIATED: (&str, &str, &str) = (
    "ecn",
    "if negotiated",
    "mark instead of dropping, as Linux does unasked; on has connections negotiate ECN, off drops",
);

/// Marking instead of dropping where connections negotiate ECN, unless it is turned off.
pub(super) fn ecn_if_negotiated(call: &mut Call<'_>) -> Result<QueueEcn, BadInput> {
    Ok(match call.take("ecn", switch)? {
        None => QueueEcn::IfNegotiated,
        Some(true) => QueueEcn::On,
        Some(false) => QueueEcn::Off,
    })
}

/// A wait, which may be none.
pub(super) fn wait(text: &str) -> Result<Duration, BadInput> {
    at_least(text, Duration::ZERO)
}

/// A time from `least` to 100 s.
pub(super) fn at_least(text: &str, least: Duration) -> Result<Duration, BadInput> {
    limits::duration_within(text, least, Duration::from_secs(100))
}

/// A step beside CoDel's law: `ce_threshold=1ms,ce_selector=ect1`.
pub(super) fn ce_threshold(call: &mut Call<'_>) -> Result<Option<CeThreshold>, BadInput> {
    let wait = call.take("ce_threshold", or_none)?.flatten();
    let selector = call.take("ce_selector", |text| match text {
        "any" => Ok(false),
        "ect1" => Ok(true),
        _ => Err(BadInput::unknown("ECN codepoint", text, ["any", "ect1"])),
    })?;
    match (wait, selector) {
        (None, Some(true)) => {
            let what =
                BadInput::new("'ce_selector' says of which packets 'ce_threshold' marks some");
            Err(what.hint("write ce_threshold=1ms too").at(call.name))
        }
        (None, _) => Ok(None),
        (Some(wait), ect1_only) => {
            Ok(Some(CeThreshold { wait, ect1_only: ect1_only.unwrap_or(false) }))
        }
    }
}

/// How CoDel's law computes its root: `root=newton`.
pub(super) fn root(call: &mut Call<'_>) -> Result<InverseRoot, BadInput> {
    let root = call.take("root", |text| match text {
        "exact" => Ok(InverseRoot::Exact),
        "newton" => Ok(InverseRoot::Newton),
        _ => Err(BadInput::unknown("root", text, ["exact", "newton"])),
    })?;
    Ok(root.unwrap_or_default())
}

pub(super) fn write_root(root: InverseRoot, note: &mut impl FnMut(bool, String)) {
    note(root == InverseRoot::Newton, "root=newton".to_owned());
}

/// A wait, or `none`.
pub(super) fn or_none(text: &str) -> Result<Option<Duration>, BadInput> {
    if text == "none" { Ok(None) } else { wait(text).map(Some) }
}

pub(super) fn write_ce_threshold(
    threshold: Option<CeThreshold>,
    note: &mut impl FnMut(bool, String),
) {
    if let Some(threshold) = threshold {
        note(true, format!("ce_threshold={}", duration_text(threshold.wait)));
        note(threshold.ect1_only, "ce_selector=ect1".to_owned());
    }
}

/// The number of queues for flows, and the bytes of a turn.
pub(super) fn flow_queues(call: &mut Call<'_>) -> Result<(u32, Bytes), BadInput> {
    let flows = call.take("flows", |t| count(t, 1, 65_536))?.unwrap_or(1024);
    let quantum = call.take("quantum", quantum)?.unwrap_or(Bytes::new(1514));
    Ok((u32::try_from(flows).unwrap_or(1024), quantum))
}

fn quantum(text: &str) -> Result<Bytes, BadInput> {
    limits::within(text, size, "1B", "1MiB")
}

pub(super) fn write_flow_queues(flows: u32, quantum: Bytes, note: &mut impl FnMut(bool, String)) {
    note(flows != 1024, format!("flows={flows}"));
    note(quantum.get() != 1514, format!("quantum={}", quantum.get()));
}

/// True unless both were written alike.
pub(super) fn differ(a: f64, b: f64) -> bool {
    a.to_bits() != b.to_bits()
}
