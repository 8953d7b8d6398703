//! The mode (section 2.2): delta as it was set, or delta as a competitor makes it.

use super::{Params, RttExtremes};
use crate::units::{Instant, Segments};

crate::choices! {
    /// How Copa chooses its mode.
    pub enum Modes {
        /// By whether the queue is nearly empty now and then.
        Auto = "auto",
        /// Always the default mode: delta stays.
        Default = "default",
        /// Always the competitive mode: delta answers losses.
        Competitive = "competitive",
    }
}

/// Round-trip times over which `RTT_max` counts.
pub(super) const MAX_ROUNDS: u64 = 4;
/// Round-trip times without a nearly empty queue after which a competitor is there.
const EMPTY_ROUNDS: u64 = 5;
/// A queue is nearly empty below this part of the range of round-trip times.
const NEARLY: u64 = 10;

/// Delta, and how it came about.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeltaMode {
    modes: Modes,
    /// 1/delta of the default mode, the least of the competitive one.
    usual: Segments,
    per_delta: Segments,
    competitive: bool,
    /// When the queue was nearly empty last.
    empty_at: Option<Instant>,
    /// A loss has been answered in this round.
    has_lost: bool,
}

impl DeltaMode {
    pub(super) fn new(params: &Params) -> Self {
        let usual = Segments::from_raw(
            (Segments::ONE.raw() * u64::from(params.delta.den()))
                / u64::from(params.delta.num().max(1)),
        );
        Self {
            modes: params.mode,
            usual,
            per_delta: usual,
            competitive: params.mode == Modes::Competitive,
            empty_at: None,
            has_lost: false,
        }
    }

    pub(super) fn per_delta(&self) -> Segments {
        self.per_delta
    }

    pub(super) fn is_competitive(&self) -> bool {
        self.competitive
    }

    /// Takes in a sample of the round-trip time.
    pub(super) fn observe(&mut self, now: Instant, delays: &RttExtremes) {
        let empty_at = *self.empty_at.get_or_insert(now);
        if is_nearly_empty(delays) {
            self.empty_at = Some(now);
            self.choose(false);
        } else if now.since(empty_at) > delays.smoothed * EMPTY_ROUNDS {
            self.choose(true);
        }
    }

    /// A new mode begins with the delta of the default one.
    fn choose(&mut self, competitive: bool) {
        if self.modes == Modes::Auto && competitive != self.competitive {
            self.competitive = competitive;
            self.per_delta = self.usual;
        }
    }

    /// A round-trip time is over: without a loss 1/delta grows by one.
    pub(super) fn end_round(&mut self) {
        let had_lost = core::mem::take(&mut self.has_lost);
        if self.competitive && !had_lost {
            self.per_delta += Segments::ONE;
        }
    }

    /// A loss, told once a loss window, halves 1/delta.
    pub(super) fn on_loss(&mut self) {
        self.has_lost = true;
        if self.competitive {
            self.per_delta = self.per_delta.half().max(self.usual);
        }
    }

    /// Sending begins again: nothing is known of the queue.
    pub(super) fn restart(&mut self, now: Instant) {
        self.empty_at = Some(now);
    }
}

/// `d_q < 0.1 (RTT_max - RTT_min)`, or no queue at all.
fn is_nearly_empty(delays: &RttExtremes) -> bool {
    let waits = delays.queueing();
    waits.is_zero() || waits * NEARLY < delays.max - delays.min
}
