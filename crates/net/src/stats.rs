//! The counters of a link.

use std::ops::{AddAssign, Sub};

use westwood_cc::{Bytes, Duration, Instant};

/// A number of packets and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketCount {
    /// Packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl PacketCount {
    /// One packet more.
    #[inline]
    pub(crate) fn add(&mut self, size: Bytes) {
        self.packets += 1;
        // 2^64 bytes are more than any run carries; saturation would cost every crossing.
        self.bytes = Bytes::new(self.bytes.get().wrapping_add(size.get()));
    }

    /// One packet less.
    pub(crate) fn remove(&mut self, size: Bytes) {
        self.packets = self.packets.saturating_sub(1);
        self.bytes -= size;
    }
}

impl AddAssign for PacketCount {
    fn add_assign(&mut self, o: Self) {
        self.packets += o.packets;
        self.bytes += o.bytes;
    }
}

impl Sub for PacketCount {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { packets: self.packets.saturating_sub(o.packets), bytes: self.bytes - o.bytes }
    }
}

/// The counters of a link up to an instant, events of that instant included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets that were offered to the link, dropped ones included.
    pub offered: PacketCount,
    /// Packets that reached the far end.
    pub delivered: PacketCount,
    /// Packets dropped because the queue was full.
    pub overflow: PacketCount,
    /// Packets dropped by the queue's active management.
    pub aqm: PacketCount,
    /// Packets dropped by a policer before the queue.
    pub policed: PacketCount,
    /// ACKs left out because a later one made them needless.
    pub filtered: PacketCount,
    /// Packets lost on the wire, counted when they would have arrived.
    pub random: PacketCount,
    /// Packets sent to repair losses: repeats, or packets of a code. They are not offered.
    pub repairs: PacketCount,
    /// Packets that were lost on the wire and delivered all the same, as the link repaired them.
    pub repaired: PacketCount,
    /// Packets marked "congestion experienced".
    pub marks: u64,
    /// Time the transmitter spent sending, waking up and the overhead of bursts included. For recorded
    /// capacity: time with something to send.
    pub busy: Duration,
    /// Bytes that the transmitter could have sent.
    pub capacity: Bytes,
    /// The time spent at each length of the queue.
    pub waiting: QueueLengthTimes,
}

impl LinkStats {
    /// Packets dropped or lost, whatever the cause.
    pub fn dropped(&self) -> PacketCount {
        let mut sum = self.overflow;
        sum += self.aqm;
        sum += self.policed;
        sum += self.random;
        sum
    }

    /// The counts since `earlier` was taken: the interval that a report measures.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            offered: self.offered - earlier.offered,
            delivered: self.delivered - earlier.delivered,
            overflow: self.overflow - earlier.overflow,
            aqm: self.aqm - earlier.aqm,
            policed: self.policed - earlier.policed,
            filtered: self.filtered - earlier.filtered,
            random: self.random - earlier.random,
            repairs: self.repairs - earlier.repairs,
            repaired: self.repaired - earlier.repaired,
            marks: self.marks.saturating_sub(earlier.marks),
            busy: self.busy - earlier.busy,
            capacity: self.capacity - earlier.capacity,
            waiting: self.waiting.since(&earlier.waiting),
        }
    }
}

/// An exact histogram of the queue length: the time for which each number of packets waited.
///
/// Packets whose transmission has begun do not wait. A level takes eight bytes, far less than the packets
/// that waited there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueLengthTimes {
    times: Vec<Duration>,
}

impl QueueLengthTimes {
    /// The time spent at each level, from no packet on.
    pub fn times(&self) -> &[Duration] {
        &self.times
    }

    /// The whole time.
    pub fn total(&self) -> Duration {
        self.times.iter().fold(Duration::ZERO, |sum, &t| sum + t)
    }

    /// The mean number of packets over time; 0 over no time.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    pub fn mean(&self) -> f64 {
        let weighted: u128 =
            (0..).zip(&self.times).map(|(n, t)| n * u128::from(t.as_nanos())).sum();
        match self.total().as_nanos() {
            0 => 0.0,
            total => weighted as f64 / total as f64,
        }
    }

    /// The smallest level that was not exceeded for the share `q` (0 to 1) of the time.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    pub fn quantile(&self, q: f64) -> u64 {
        let wanted = self.total().as_nanos() as f64 * q;
        let mut sum = Duration::ZERO;
        for (level, &time) in (0..).zip(&self.times) {
            sum += time;
            if sum.as_nanos() as f64 >= wanted && !sum.is_zero() {
                return level;
            }
        }
        self.max()
    }

    /// The highest level that lasted.
    pub fn max(&self) -> u64 {
        (0..).zip(&self.times).filter(|(_, t)| !t.is_zero()).map(|(n, _)| n).last().unwrap_or(0)
    }

    fn since(&self, earlier: &Self) -> Self {
        let before = earlier.times.iter().copied().chain(std::iter::repeat(Duration::ZERO));
        Self { times: self.times.iter().zip(before).map(|(&t, b)| t - b).collect() }
    }
}

/// Keeps [`QueueLengthTimes`] while the number of packets that wait moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueLengthTracker {
    waiting: QueueLengthTimes,
    since: Instant,
}

impl QueueLengthTracker {
    /// Adds the time since the last call, in which `packets` waited. Calls come in order of time.
    #[inline]
    pub(crate) fn until(&mut self, now: Instant, packets: usize) {
        let time = now.since(self.since);
        self.since = now;
        match self.waiting.times.get_mut(packets) {
            // The sum of all levels is `now` at most, so it does not overflow.
            Some(sum) => *sum = Duration::from_nanos(sum.as_nanos().wrapping_add(time.as_nanos())),
            None => self.first_time_at(packets, time),
        }
    }

    #[cold]
    #[inline(never)]
    fn first_time_at(&mut self, packets: usize, time: Duration) {
        self.waiting.times.resize(packets + 1, Duration::ZERO);
        self.waiting.times[packets] = time;
    }

    /// The histogram up to `now`, until which so many waited.
    pub(crate) fn read(&mut self, now: Instant, packets: usize) -> QueueLengthTimes {
        self.until(now, packets);
        self.waiting.clone()
    }
}

/// Keeps [`QueueLengthTimes`] by the instants at which a packet begins or ceases to wait.
///
/// Each level has the time in which more packets waited than its number says: an arrival subtracts its
/// instant, and a departure adds its own. A change costs one addition and needs nothing from the change
/// before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueLengthSums {
    /// Sums are modulo 2^64 ns. A level that is exceeded now lacks the current instant.
    above: Vec<u64>,
}

impl QueueLengthSums {
    /// The queue grows from `packets` to one more at `now`.
    #[inline]
    pub(crate) fn rise_above(&mut self, packets: usize, now: Instant) {
        match self.above.get_mut(packets) {
            Some(sum) => *sum = sum.wrapping_sub(now.as_nanos()),
            None => self.rise_for_the_first_time(now),
        }
    }

    /// Opens a new highest level. A queue grows by one packet at a time, so the new level is the next one.
    #[cold]
    #[inline(never)]
    fn rise_for_the_first_time(&mut self, now: Instant) {
        self.above.push(now.as_nanos().wrapping_neg());
    }

    /// The queue shrinks to `packets` at `now`.
    #[inline]
    pub(crate) fn fall_to(&mut self, packets: usize, now: Instant) {
        if let Some(sum) = self.above.get_mut(packets) {
            *sum = sum.wrapping_add(now.as_nanos());
        }
    }

    /// Adds the total time for which single packets waited that no call has reported.
    pub(crate) fn add_alone(&mut self, nanos: u64) {
        if nanos > 0 && self.above.is_empty() {
            self.above.push(0);
        }
        if let Some(sum) = self.above.first_mut() {
            *sum = sum.wrapping_add(nanos);
        }
    }

    /// The histogram up to `now`, when so many wait.
    pub(crate) fn read(&self, now: Instant, packets: usize) -> QueueLengthTimes {
        let present = |level| if level < packets { now.as_nanos() } else { 0 };
        let above = self.above.iter().enumerate().map(|(n, &sum)| sum.wrapping_add(present(n)));
        let mut at_least = now.as_nanos();
        let mut times = Vec::with_capacity(self.above.len() + 1);
        for more in above {
            times.push(Duration::from_nanos(at_least.wrapping_sub(more)));
            at_least = more;
        }
        times.push(Duration::from_nanos(at_least));
        QueueLengthTimes { times }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn levels_measure_what_a_count_kept_at_every_change_does(
            // Nanoseconds until the next change, and whether a packet comes.
            changes in prop::collection::vec((0_u64..1_000, any::<bool>()), 0..200),
        ) {
            let (mut levels, mut level) = (QueueLengthSums::default(), QueueLengthTracker::default());
            let (mut now, mut waiting) = (Instant::ZERO, 0);
            for (wait, comes) in changes {
                now += Duration::from_nanos(wait);
                if comes || waiting == 0 {
                    level.until(now, waiting);
                    levels.rise_above(waiting, now);
                    waiting += 1;
                } else {
                    level.until(now, waiting);
                    waiting -= 1;
                    levels.fall_to(waiting, now);
                }
            }
            now += Duration::from_nanos(7);
            prop_assert_eq!(levels.read(now, waiting), level.read(now, waiting));
        }
    }
}
