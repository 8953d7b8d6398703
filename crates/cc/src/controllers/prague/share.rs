//! The share of marked segments: alpha (draft, section 2.3.2; `prague_update_alpha`).
//!
//! ```text
//! F = marked / delivered                  of the segments of a virtual round
//! 16 alpha = 16 alpha - alpha + F         the remainder of a sixteenth stays
//! ```

/// `PRAGUE_ALPHA_BITS`: alpha has so many fractional bits.
pub(super) const ALPHA_BITS: u32 = 24;
const MAX_ALPHA: u64 = 1 << ALPHA_BITS;
/// `PRAGUE_SHIFT_G`: g is 2 to the power of minus this.
const SHIFT_G: u32 = 4;

/// The share of marked segments, and the counts with which the present round began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Alpha times 16.
    upscaled: u64,
    updated_us: u64,
    delivered: u64,
    marked: u64,
}

impl Share {
    pub(super) fn new(from_one: bool) -> Self {
        let upscaled = if from_one { MAX_ALPHA << SHIFT_G } else { 0 };
        Self { upscaled, updated_us: 0, delivered: 0, marked: 0 }
    }

    /// Alpha.
    pub(super) fn alpha(&self) -> u64 {
        self.upscaled >> SHIFT_G
    }

    /// The time since the last update.
    pub(super) fn age(&self, now_us: u64) -> u64 {
        now_us.saturating_sub(self.updated_us)
    }

    /// A round ends with these counts; alpha is updated if a mark has ever come, at `updated_us`.
    pub(super) fn end_round(&mut self, delivered: u64, marked: u64, updated_us: Option<u64>) {
        if let Some(now_us) = updated_us {
            let all = delivered.saturating_sub(self.delivered).max(1);
            let share = (marked.saturating_sub(self.marked) << ALPHA_BITS) / all;
            let upscaled = self.upscaled - (self.upscaled >> SHIFT_G) + share;
            self.upscaled = upscaled.min(MAX_ALPHA << SHIFT_G);
            self.updated_us = now_us;
        }
        (self.delivered, self.marked) = (delivered, marked);
    }
}
