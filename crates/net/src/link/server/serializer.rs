//! The time that packets take at a rate, exact in the long run.

use westwood_cc::{Bytes, Duration, Rate};

/// One byte in units of work. A rate's raw form (2^-16 byte/s) times nanoseconds gives such units,
/// so that no division is needed to say how much is left.
const BYTE: u64 = 1_000_000_000 << 16;

/// The time of whole packets at one rate, with the remainder carried from each to the next.
///
/// Most packets have the size of the one before, so that the last division stands here. The rate comes last:
/// after a rest it is not asked for.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Serializer {
    /// Work left over below one nanosecond, less than `rate`.
    carry: u64,
    /// The last size, in bytes. No packet is longer than 4 GiB.
    size: u32,
    /// The time by which a packet takes longer after a rest, in ns.
    wake_up: u32,
    /// The least time of a packet of that size, in ns, and the remainder.
    time: u64,
    rest: u64,
    rate: u64,
}

/// The rest below one nanosecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry(u64);

/// A size, its time in ns and the remainder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Division {
    size: u32,
    time: u64,
    rest: u64,
}

impl Serializer {
    /// So many bytes are touched by a packet of the last size after a rest.
    pub(crate) const AT_REST: usize = std::mem::offset_of!(Self, rate);

    /// At this rate; a packet takes so much longer after a rest.
    pub(crate) fn new(rate: Rate, wake_up: Duration) -> Self {
        let wake_up = u32::try_from(wake_up.as_nanos()).unwrap_or(u32::MAX);
        Self { carry: 0, size: 0, wake_up, time: 0, rest: 0, rate: rate.raw().max(1) }
    }

    /// The time by which a packet takes longer after a rest.
    #[inline]
    pub(crate) fn wake_up(&self) -> Duration {
        Duration::from_nanos(u64::from(self.wake_up))
    }

    /// True if this size has not been divided last.
    #[inline]
    pub(crate) fn is_other(&self, size: Bytes) -> bool {
        size.get() != u64::from(self.size)
    }

    /// The time that a packet takes, rounded down with what was carried; the rest is carried on. Its
    /// size has been divided.
    #[inline]
    pub(crate) fn time(&mut self) -> Duration {
        let (time, carry) = self.foresee();
        self.carry(carry);
        time
    }

    /// The same after the link has had nothing to do, which drops what was carried.
    #[inline]
    pub(crate) fn time_after_rest(&mut self) -> Duration {
        let (time, carry) = self.foresee_after_rest();
        self.carry(carry);
        time
    }

    /// The answer of [`time`](Self::time), and the rest it would carry, without carrying it yet.
    #[inline]
    pub(crate) fn foresee(&self) -> (Duration, Carry) {
        // Both are below the rate, which is at most 2^62.
        let carry = self.carry + self.rest;
        match carry.checked_sub(self.rate) {
            Some(carry) => (Duration::from_nanos(self.time + 1), Carry(carry)),
            None => (Duration::from_nanos(self.time), Carry(carry)),
        }
    }

    /// The answer and the rest of [`time_after_rest`](Self::time_after_rest).
    #[inline]
    pub(crate) fn foresee_after_rest(&self) -> (Duration, Carry) {
        let time = self.time.saturating_add(u64::from(self.wake_up));
        (Duration::from_nanos(time), Carry(self.rest))
    }

    /// The least time that a packet of the last size takes: what it takes after a rest, but for the
    /// [wake-up](Self::wake_up).
    pub(crate) fn least_time(&self) -> Duration {
        Duration::from_nanos(self.time)
    }

    /// The last size.
    pub(crate) fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// True if packets of the last size take whole nanoseconds, and nothing is carried so far.
    pub(crate) fn never_carries(&self) -> bool {
        self.rest == 0 && self.carry == 0
    }

    /// True if both have divided the same size last.
    pub(crate) fn divides_like(&self, other: &Self) -> bool {
        self.size == other.size && !self.is_new()
    }

    /// A packet of the last size has left after a rest.
    pub(crate) fn rest_before_last(&mut self) {
        self.carry = self.rest;
    }

    /// Carries what was foreseen.
    #[inline]
    pub(crate) fn carry(&mut self, foreseen: Carry) {
        self.carry = foreseen.0;
    }

    /// Divides a size, and remembers the one before in `other`: data and ACKs may share a link.
    pub(crate) fn divide(&mut self, size: Bytes, other: &mut Division) {
        let last = Division { size: self.size, time: self.time, rest: self.rest };
        let before = std::mem::replace(other, last);
        if size.get() == u64::from(before.size) {
            (self.time, self.rest) = (before.time, before.rest);
        } else {
            let (time, rest) = divide(work(size), self.rate);
            // A time beyond the range stands for never; one more must fit.
            (self.time, self.rest) = (time.min(u64::MAX - 1), rest);
        }
        self.size = u32::try_from(size.get()).unwrap_or(u32::MAX);
    }

    /// The rate, as it was given but at least the smallest there is.
    pub(crate) fn rate(&self) -> Rate {
        Rate::from_raw(self.rate)
    }

    /// True if no size has been divided yet.
    pub(crate) fn is_new(&self) -> bool {
        self.size == 0
    }
}

/// Quotient, at most `u64::MAX`, and remainder.
pub(super) fn divide(work: u128, rate: u64) -> (u64, u64) {
    if let Ok(work) = u64::try_from(work) {
        // Packets below 280 kB: much the faster division.
        return (work / rate, work % rate);
    }
    let rate = u128::from(rate);
    let whole = u64::try_from(work / rate).unwrap_or(u64::MAX);
    (whole, u64::try_from(work % rate).unwrap_or(0))
}

/// Bytes that a rate carries in a time, rounded down.
pub(crate) fn capacity(rate: Rate, time: Duration) -> Bytes {
    bytes(u128::from(rate.raw()) * u128::from(time.as_nanos()))
}

/// Whole bytes in an amount of work.
pub(super) fn bytes(work: u128) -> Bytes {
    Bytes::new(u64::try_from(work / u128::from(BYTE)).unwrap_or(u64::MAX))
}

/// A packet's work.
pub(super) fn work(size: Bytes) -> u128 {
    u128::from(size.get()) * u128::from(BYTE)
}
