//! The time that packets take at a rate, exact in the long run.

use westwood_cc::{Bytes, Duration, Rate};

/// One byte in units of work. A rate's raw form (2^-16 byte/s) times nanoseconds gives such units,
/// so that no division is needed to say how much is left.
const BYTE: u64 = 1_000_000_000 << 16;

/// The time of whole packets at one rate, with the remainder carried from each to the next.
#[derive(Clone, Debug)]
pub(crate) struct Serializer {
    rate: u64,
    /// Work left over below one nanosecond, less than `rate`.
    carry: u64,
    /// The last size, its time in ns and the remainder: most packets have the size of the last.
    size: Bytes,
    time: u64,
    rest: u64,
    /// The size before that, where data and ACKs share a link.
    other: Box<Division>,
}

/// What is left over below one nanosecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry(u64);

/// A size, its time in ns and the remainder.
#[derive(Clone, Copy, Debug, Default)]
struct Division {
    size: Bytes,
    time: u64,
    rest: u64,
}

impl Serializer {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate: rate.raw().max(1),
            carry: 0,
            size: Bytes::ZERO,
            time: 0,
            rest: 0,
            other: Box::default(),
        }
    }

    /// The time that a packet takes, rounded down with what was carried; the rest is carried on.
    #[inline]
    pub(crate) fn time(&mut self, size: Bytes) -> Duration {
        let (time, carry) = self.foresee(size);
        self.carry(carry);
        time
    }

    /// The same after the link has had nothing to do, which drops what was carried.
    #[inline]
    pub(crate) fn time_after_rest(&mut self, size: Bytes) -> Duration {
        let (time, carry) = self.foresee_after_rest(size);
        self.carry(carry);
        time
    }

    /// What [`time`](Self::time) would answer, and what it would carry, without carrying it yet.
    #[inline]
    pub(crate) fn foresee(&mut self, size: Bytes) -> (Duration, Carry) {
        if size != self.size {
            self.divide(size);
        }
        // Both are below the rate, which is at most 2^62.
        let carry = self.carry + self.rest;
        match carry.checked_sub(self.rate) {
            Some(carry) => (Duration::from_nanos(self.time + 1), Carry(carry)),
            None => (Duration::from_nanos(self.time), Carry(carry)),
        }
    }

    /// What [`time_after_rest`](Self::time_after_rest) would answer and carry.
    #[inline]
    pub(crate) fn foresee_after_rest(&mut self, size: Bytes) -> (Duration, Carry) {
        if size != self.size {
            self.divide(size);
        }
        (Duration::from_nanos(self.time), Carry(self.rest))
    }

    /// Carries what was foreseen.
    #[inline]
    pub(crate) fn carry(&mut self, foreseen: Carry) {
        self.carry = foreseen.0;
    }

    #[cold]
    #[inline(never)]
    fn divide(&mut self, size: Bytes) {
        let last = Division { size: self.size, time: self.time, rest: self.rest };
        let other = std::mem::replace(&mut *self.other, last);
        (self.size, self.time, self.rest) = if other.size == size {
            (size, other.time, other.rest)
        } else {
            let (time, rest) = divide(work(size), self.rate);
            // A time beyond the range stands for never; one more must fit.
            (size, time.min(u64::MAX - 1), rest)
        };
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

/// What a rate carries in a time, rounded down.
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
