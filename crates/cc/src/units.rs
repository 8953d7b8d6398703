//! Time, data, rates and windows as types.
//!
//! Each type has only the operators that mean something: a rate times a duration is a number of
//! bytes, and bytes [per](Bytes::per) duration are a rate. Arithmetic saturates in every build profile; the
//! kernel's C does the same.
//!
//! | type | unit | range |
//! |---|---|---|
//! | [`Instant`], [`Duration`] | ns | 584 years |
//! | [`RelativeDelay`] | ns | 292 years either way |
//! | [`Bytes`] | byte | 2^64 - 1 |
//! | [`Rate`] | byte/s, 16 fractional bits | 2^48 byte/s |
//! | [`Segments`] | segment, 32 fractional bits | 0 to 2^24 segments |
//! | [`Ratio`] | - | u32 / u32 |

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use crate::math::{mul_q32, over, scale};
use crate::product::saturating;

/// Nanoseconds of a second.
pub(crate) const NS_PER_S: u64 = 1_000_000_000;

/// A point in time: nanoseconds since the run, or the connection, began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The origin.
    pub const ZERO: Self = Self(0);
    /// Later than any event.
    pub const FAR_FUTURE: Self = Self(u64::MAX);

    /// The instant `ns` nanoseconds after the origin.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// This instant and `d` more, if that is within the range.
    pub const fn checked_add(self, d: Duration) -> Option<Self> {
        match self.0.checked_add(d.0) {
            Some(ns) => Some(Self(ns)),
            None => None,
        }
    }

    /// The time since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, d: Duration) -> Self {
        Self(self.0.saturating_sub(d.0))
    }
}

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Duration {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(saturating(us, 1_000))
    }

    /// `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(saturating(ms, 1_000_000))
    }

    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(saturating(s, NS_PER_S))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// True for no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The smallest multiple of `tick` that is at least this span; the span itself if `tick` is 0.
    ///
    /// ```
    /// use westwood_cc::Duration;
    /// let tick = Duration::from_millis(10);
    /// assert_eq!(Duration::from_millis(11).ceil_to(tick), Duration::from_millis(20));
    /// ```
    pub const fn ceil_to(self, tick: Self) -> Self {
        if tick.0 == 0 { self } else { Self(saturating(self.0.div_ceil(tick.0), tick.0)) }
    }

    /// The largest multiple of `tick` within this span; the span itself if `tick` is 0.
    pub const fn floor_to(self, tick: Self) -> Self {
        match self.0.checked_rem(tick.0) {
            Some(rest) => Self(self.0 - rest),
            None => self,
        }
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0.saturating_add(o.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(saturating(self.0, n))
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    /// Rounds down. `n` must not be zero.
    fn div(self, n: u64) -> Self {
        Self(self.0 / n)
    }
}

impl fmt::Display for Duration {
    /// With up to three decimals in the unit that suits it, seconds from one on: `40 ms`, `250 us`, `12.5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            1..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "us"),
            0 | 1_000_000..NS_PER_S => (1_000_000, "ms"),
            NS_PER_S.. => (NS_PER_S, "s"),
        };
        decimal(f, scale(self.0, 1_000, unit), name)
    }
}

/// Writes a number of thousandths without trailing zeros, then the unit's name.
fn decimal(f: &mut fmt::Formatter<'_>, thousandths: u64, unit: &str) -> fmt::Result {
    let (whole, part) = (thousandths / 1_000, thousandths % 1_000);
    match part {
        0 => write!(f, "{whole} {unit}"),
        p if p % 100 == 0 => write!(f, "{whole}.{} {unit}", p / 100),
        p if p % 10 == 0 => write!(f, "{whole}.{:02} {unit}", p / 10),
        p => write!(f, "{whole}.{p:03} {unit}"),
    }
}

/// A delay between two clocks whose offset is unknown: it may be negative, and only differences mean
/// something.
///
/// ```
/// use westwood_cc::{Duration, RelativeDelay};
/// let (base, now) = (RelativeDelay::from_nanos(-5_000_000), RelativeDelay::from_nanos(2_000_000));
/// assert_eq!(now.above(base), Duration::from_millis(7));
/// assert_eq!(base.above(now), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativeDelay(i64);

impl RelativeDelay {
    /// `ns` nanoseconds.
    pub const fn from_nanos(ns: i64) -> Self {
        Self(ns)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// How much longer this one is than `base`; nothing if it is shorter.
    pub const fn above(self, base: Self) -> Duration {
        Duration(if self.0 > base.0 { self.0.abs_diff(base.0) } else { 0 })
    }
}

impl From<Duration> for RelativeDelay {
    /// A delay by one clock.
    fn from(d: Duration) -> Self {
        Self(i64::try_from(d.0).unwrap_or(i64::MAX))
    }
}

/// An amount of data in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// No data.
    pub const ZERO: Self = Self(0);

    /// `n` bytes.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The rate that moves these bytes in `d`, rounded down to 2^-16 byte/s; `None` if `d` is zero.
    ///
    /// Spans above 2^34 ns (17 s) lose their low 8 bits, and the data likewise, so that no product
    /// overflows. The result saturates at [`Rate::MAX_SAMPLE`].
    pub const fn per(self, d: Duration) -> Option<Rate> {
        let (mut data, mut ns) = (self.0, d.0);
        while ns >= 1 << 34 {
            data >>= 8;
            ns >>= 8;
        }
        if ns == 0 {
            return None;
        }
        // Whole bytes a second first, so that the test for saturation itself cannot overflow.
        if data / ns > (Rate::MAX_SAMPLE.0 >> 16) / NS_PER_S {
            return Some(Rate::MAX_SAMPLE);
        }
        let product = (data % ns) * NS_PER_S; // < 2^34 * 2^30 = 2^64
        let whole = data / ns * NS_PER_S + product / ns;
        let fraction = ((product % ns) << 16) / ns;
        Some(Rate((whole << 16) + fraction).min(Rate::MAX_SAMPLE))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0.saturating_add(o.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(saturating(self.0, n))
    }
}

/// A rate in bytes per second, with 16 fractional bits.
///
/// Without the fraction Westwood+ settles up to 0.75 % low on slow paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Nothing moves.
    pub const ZERO: Self = Self(0);
    /// The highest rate.
    pub const MAX: Self = Self(u64::MAX);
    /// Where bandwidth samples saturate: 2^46 byte/s, 563 Tbit/s, so that twice the sum of two
    /// samples still fits a word.
    pub const MAX_SAMPLE: Self = Self(1 << 62);

    /// A rate from its raw form: bytes per second times 2^16.
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The raw form: bytes per second times 2^16.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// `n` bytes per second.
    pub const fn from_bytes_per_s(n: u64) -> Self {
        Self(saturating(n, 1 << 16))
    }

    /// `n` bits per second, exact.
    pub const fn from_bits_per_s(n: u64) -> Self {
        Self(saturating(n, 1 << 13))
    }

    /// Bits per second, rounded down.
    pub const fn bits_per_s(self) -> u64 {
        self.0 >> 13
    }

    /// The smaller of two rates.
    pub const fn min(self, o: Self) -> Self {
        if self.0 < o.0 { self } else { o }
    }

    /// True for a rate of zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This rate times a fraction, rounded down; the largest rate if the product is larger.
    pub const fn times(self, r: Ratio) -> Self {
        Self(scale(self.0, r.num as u64, r.den as u64))
    }

    /// The segments of `smss` that this rate moves in `d`: the papers' `pipe(B) = B * Rmin / S`,
    /// rounded down to 2^-16 segments and at most [`Segments::MAX`].
    ///
    /// ```
    /// use westwood_cc::{Bytes, Duration, Rate, Segments};
    /// let pipe = Rate::from_bits_per_s(10_000_000).pipe(Duration::from_millis(100), Bytes::new(1500));
    /// assert_eq!(pipe.whole(), 83);
    /// ```
    pub const fn pipe(self, d: Duration, smss: Bytes) -> Segments {
        // 2^37 byte/s (1.1 Tbit/s) and 2^34 ns keep every product within a word.
        let rate = if self.0 > 1 << 53 { 1 << 53 } else { self.0 };
        let ns = if d.0 > 1 << 34 { 1 << 34 } else { d.0 };
        if smss.0 == 0 {
            return Segments::MAX;
        }
        // Q16 bytes, at most 2^53 * 17.2 < 2^58.
        let data = scale(rate, ns, NS_PER_S);
        if (data >> 16) / smss.0 >= 1 << 24 {
            return Segments::MAX;
        }
        Segments((scale(data, 1 << 8, smss.0)) << 8)
    }
}

impl Add for Rate {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0.saturating_add(o.0))
    }
}

impl Sub for Rate {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}

impl Mul<Duration> for Rate {
    type Output = Bytes;
    /// Whole bytes, rounded down; spans count up to 17 s.
    fn mul(self, d: Duration) -> Bytes {
        let ns = if d.0 > 1 << 34 { 1 << 34 } else { d.0 };
        Bytes(scale(self.0 >> 16, ns, NS_PER_S))
    }
}

impl fmt::Display for Rate {
    /// In the largest unit that leaves a number of at least one: `3.1 Mbit/s`, `250 kbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits_per_s();
        let (unit, name) = match bits {
            0..1_000 => (1, "bit/s"),
            1_000..1_000_000 => (1_000, "kbit/s"),
            1_000_000..NS_PER_S => (1_000_000, "Mbit/s"),
            _ => (NS_PER_S, "Gbit/s"),
        };
        decimal(f, scale(bits, 1_000, unit), name)
    }
}

/// A window in segments of the sender's maximum segment size, with 32 fractional bits.
///
/// The high word is Linux's `snd_cwnd`, the low word its `snd_cwnd_cnt`. With 16 fractional bits
/// `1/W` would be 39 % wrong at 40,000 segments and vanish above 65,536.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segments(u64);

impl Segments {
    /// No segment.
    pub const ZERO: Self = Self(0);
    /// One segment.
    pub const ONE: Self = Self(1 << 32);
    /// Two segments, the floor of ssthresh (RFC 5681 section 3.1, equation 4).
    pub const TWO: Self = Self(2 << 32);
    /// The largest window, 2^24 segments. Also "infinite" as an initial ssthresh.
    pub const MAX: Self = Self(1 << 56);

    /// `n` whole segments, at most 2^24.
    pub const fn new(n: u64) -> Self {
        if n >= 1 << 24 { Self::MAX } else { Self(n << 32) }
    }

    /// A window from its raw form: segments times 2^32, at most [`Segments::MAX`].
    pub const fn from_raw(raw: u64) -> Self {
        if raw > Self::MAX.0 { Self::MAX } else { Self(raw) }
    }

    /// The raw form: segments times 2^32.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Whole segments, rounded down: what may be sent.
    pub const fn whole(self) -> u64 {
        self.0 >> 32
    }

    /// The window without its fraction.
    pub const fn floor(self) -> Self {
        Self(self.0 >> 32 << 32)
    }

    /// This window times a fraction, rounded down to 2^-32 segments and at most [`Segments::MAX`].
    pub const fn times(self, r: Ratio) -> Self {
        Self::from_raw(scale(self.0, r.num as u64, r.den as u64))
    }

    /// This window times `part / whole`, the share that a time is of a longer one; none from 18 minutes
    /// on.
    ///
    /// Times of 4.3 s and more lose their low 8 bits, so that the product fits a word.
    ///
    /// ```
    /// use westwood_cc::{Duration, Segments};
    /// let (part, whole) = (Duration::from_millis(25), Duration::from_millis(100));
    /// assert_eq!(Segments::new(8).share_of_time(part, whole), Some(Segments::TWO));
    /// assert_eq!(Segments::TWO.share_of_time(Duration::ZERO, Duration::from_secs(1_200)), None);
    /// ```
    pub fn share_of_time(self, part: Duration, whole: Duration) -> Option<Self> {
        let shift = if whole.0 >> 32 == 0 { 0 } else { 8 };
        let (part, whole) = (part.0 >> shift, whole.0 >> shift);
        (whole >> 32 == 0).then(|| Self::from_raw(scale(self.0, part.min(whole), whole.max(1))))
    }

    /// The product of two numbers of segments, each with its fraction (a credit times a gain).
    pub const fn times_q32(self, f: Self) -> Self {
        Self::from_raw(mul_q32(self.0, f.0))
    }

    /// `self / w` with 32 fractional bits, for a window `w` of at least one segment.
    ///
    /// Within 2^-26 and one unit in the last place if `self` is below 64 segments, else within 2^-20 (see
    /// [`math::over`]).
    ///
    /// [`math::over`]: crate::math::over
    pub const fn over(self, w: Self) -> Self {
        Self(over(self.0, if w.0 < 1 << 32 { 1 << 32 } else { w.0 }))
    }

    /// Half of this window.
    pub const fn half(self) -> Self {
        Self(self.0 / 2)
    }

    /// The data in the whole segments of this window.
    pub const fn bytes(self, smss: Bytes) -> Bytes {
        Bytes(saturating(self.whole(), smss.0))
    }
}

impl Add for Segments {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::from_raw(self.0 + o.0)
    }
}

impl AddAssign for Segments {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Segments {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0.saturating_sub(o.0))
    }
}

impl SubAssign for Segments {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl fmt::Display for Segments {
    /// Segments with up to one decimal: `11`, `11.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = ((self.0 & 0xffff_ffff) * 10) >> 32;
        if tenths == 0 {
            write!(f, "{}", self.whole())
        } else {
            write!(f, "{}.{tenths}", self.whole())
        }
    }
}

/// An exact fraction: a gain, a probability, a share. The denominator is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    num: u32,
    den: u32,
}

impl Ratio {
    /// `num / den`; a zero denominator counts as one.
    pub const fn new(num: u32, den: u32) -> Self {
        Self { num, den: if den == 0 { 1 } else { den } }
    }

    /// The numerator.
    pub const fn num(self) -> u32 {
        self.num
    }

    /// The denominator, at least 1.
    pub const fn den(self) -> u32 {
        self.den
    }

    /// `1 - self`, zero if the ratio exceeds one.
    pub const fn complement(self) -> Self {
        Self { num: self.den.saturating_sub(self.num), den: self.den }
    }

    /// The ratio with 32 fractional bits, rounded down.
    pub const fn q32(self) -> u64 {
        ((self.num as u64) << 32) / self.den as u64
    }
}
