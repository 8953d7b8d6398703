//! BBR's own units: segments per microsecond and gains, with the kernel's fractional bits.

use crate::controller::Setup;
use crate::linux::micros;
use crate::math::scale;
use crate::product::saturating;
use crate::units::Rate;

/// Fractional bits of a bandwidth.
const BW_SCALE: u32 = 24;
/// A gain of one. Gains have 8 fractional bits.
pub(crate) const UNIT: u64 = 256;
/// The average sending rate stays this much below the estimate, in percent.
const PACING_MARGIN_PERCENT: u64 = 1;

/// A bandwidth in segments per microsecond with 24 fractional bits: 1 is about 715 bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bw(u64);

impl Bw {
    pub(crate) const ZERO: Self = Self(0);

    /// Segments over microseconds, rounded down, at most 2^32 - 1 units (256 segments a microsecond).
    pub(crate) fn new(segments: u64, us: u64) -> Self {
        let segments = segments.min(1 << 39);
        let bw = (segments << BW_SCALE).checked_div(us).unwrap_or(u64::MAX);
        Self(bw.min((1 << 32) - 1))
    }

    /// The first window over the handshake's round-trip time, or over a millisecond where it has no sample
    /// (`bbr_init_pacing_rate_from_rtt`; `InitPacingRate()` of the drafts).
    pub(crate) fn of_first_window(setup: &Setup) -> Self {
        let rtt_us = setup.handshake_rtt.map_or(1_000, |rtt| micros(rtt).max(1));
        Self::new(setup.initial_window.whole().max(1), rtt_us)
    }

    pub(crate) fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    pub(crate) fn raw(self) -> u64 {
        self.0
    }

    pub(crate) fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The mean of two, rounded down.
    pub(crate) fn mean(self, o: Self) -> Self {
        Self(u64::midpoint(self.0, o.0))
    }

    pub(crate) fn abs_diff(self, o: Self) -> Self {
        Self(self.0.abs_diff(o.0))
    }

    /// This bandwidth times a gain, rounded down.
    pub(crate) fn gain(self, gain: u64) -> Self {
        Self(self.0 * gain / UNIT)
    }

    /// Whole segments that this bandwidth moves in so many microseconds.
    pub(crate) fn segments_in(self, us: u64) -> u64 {
        saturating(self.0, us) >> BW_SCALE
    }

    /// `bw * rtt * gain` in segments, rounded up so that it never feeds back on itself downwards.
    pub(crate) fn bdp(self, rtt_us: u64, gain: u64) -> u64 {
        scale(saturating(self.0, rtt_us), gain, UNIT).div_ceil(1 << BW_SCALE)
    }

    /// The bandwidth in bytes a second times a gain, less the margin: what to pace at.
    pub(crate) fn pacing(self, smss: u64, gain: u64) -> u64 {
        self.percent(smss, gain, 100 - PACING_MARGIN_PERCENT)
    }

    /// The bandwidth in bytes a second times a gain.
    pub(crate) fn bytes_per_s(self, smss: u64, gain: u64) -> u64 {
        self.percent(smss, gain, 100)
    }

    fn percent(self, smss: u64, gain: u64, percent: u64) -> u64 {
        let bytes = scale(saturating(self.0, smss), gain, UNIT);
        scale(bytes, 10_000 * percent, 1 << BW_SCALE)
    }

    /// The bandwidth as a rate, exact to 2^-16 byte/s.
    pub(crate) fn rate(self, smss: u64) -> Rate {
        Rate::from_raw(scale(saturating(self.0, smss), 1_000_000, 1 << (BW_SCALE - 16)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_megabits_of_fifteen_hundred_bytes_are_one_segment_in_twelve_hundred_microseconds() {
        let bw = Bw::new(1, 1_200);
        assert_eq!(bw.raw(), 13_981); // 2^24 / 1200
        assert!((bw.rate(1_500).bits_per_s() - 9_999_000) < 1_000);
        // 99 % of it.
        assert_eq!(bw.pacing(1_500, UNIT) / 1_000, 1_237);
        assert_eq!(bw.segments_in(120_000), 99);
        assert_eq!(bw.bdp(120_000, UNIT), 100);
        assert_eq!(bw.bdp(120_000, 2 * UNIT), 200);
    }

    #[test]
    fn extremes_saturate() {
        assert_eq!(Bw::new(u64::MAX, 0).raw(), u64::from(u32::MAX));
        assert_eq!(Bw::new(0, 0), Bw::from_raw(u64::from(u32::MAX)));
        assert!(Bw::new(1 << 39, 1).pacing(9_000, 739) > 1 << 40);
    }
}
