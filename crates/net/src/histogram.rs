//! A distribution of durations in little memory.
//!
//! Buckets are 1/256 of a power of two wide, so a quantile is within 0.2 % of the sample it stands
//! for; smallest, largest and mean are exact.

use westwood_cc::Duration;

const SUB_BITS: u32 = 8;

/// Durations, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The low byte of each count, from bucket `first` on: most buckets of a flow hold few samples, where
    /// there are ten thousand flows.
    low: Vec<u8>,
    /// The rest of the counts that need more, by bucket, in multiples of 256.
    high: Vec<(usize, u64)>,
    first: usize,
    samples: u64,
    sum: u128,
    min: Duration,
    max: Duration,
}

/// The summary of a distribution of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationSummary {
    /// Number of samples.
    pub samples: u64,
    /// Smallest.
    pub min: Duration,
    /// Mean.
    pub mean: Duration,
    /// Median.
    pub p50: Duration,
    /// 95th percentile.
    pub p95: Duration,
    /// 99th percentile.
    pub p99: Duration,
}

/// So many buckets are added at a time: a few are too many, but never half of them.
const STEP: usize = 64;

impl Histogram {
    /// Counts a sample.
    #[expect(clippy::inline_always, reason = "as a call it is half as long again")]
    #[inline(always)]
    pub fn add(&mut self, d: Duration) {
        self.count(bucket(d), 1);
        if self.samples == 0 {
            (self.min, self.max) = (d, d);
        }
        self.samples += 1;
        self.sum += u128::from(d.as_nanos());
        self.min = self.min.min(d);
        self.max = self.max.max(d);
    }

    /// Hints that samples will be counted soon.
    pub fn prefetch(&self) {
        westwood_prefetch::lines(self, 0..2);
    }

    /// Hints that this sample will be counted soon.
    pub fn prefetch_bucket(&self, d: Duration) {
        if let Some(low) = self.low.get(bucket(d).wrapping_sub(self.first)) {
            westwood_prefetch::lines(low, 0..1);
        }
    }

    /// Counts the same sample so many times.
    pub fn add_many(&mut self, d: Duration, samples: u64) {
        if samples == 0 {
            return;
        }
        self.add(d);
        self.count(bucket(d), samples - 1);
        self.samples += samples - 1;
        self.sum += u128::from(d.as_nanos()) * u128::from(samples - 1);
    }

    /// How many samples were counted.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Counts all samples of another one too, as if they had been added here.
    pub fn merge(&mut self, other: &Self) {
        if other.samples == 0 {
            return;
        }
        for (bucket, count) in other.counts().filter(|&(_, count)| count > 0) {
            self.count(bucket, count);
        }
        if self.samples == 0 {
            (self.min, self.max) = (other.min, other.max);
        }
        self.samples += other.samples;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Counts so many samples in a bucket.
    #[expect(clippy::inline_always, reason = "as a call it is half as long again")]
    #[inline(always)]
    fn count(&mut self, bucket: usize, samples: u64) {
        if bucket.wrapping_sub(self.first) >= self.low.len() {
            self.reach(bucket);
        }
        let low = &mut self.low[bucket - self.first];
        let sum = u64::from(*low) + samples;
        *low = sum.to_le_bytes()[0];
        if sum > u64::from(u8::MAX) {
            self.carry(bucket, sum >> u8::BITS);
        }
    }

    /// Makes the buckets reach from the first that has a sample to this one, or back to it.
    #[cold]
    fn reach(&mut self, bucket: usize) {
        if self.low.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            let missing = self.first - bucket;
            self.low.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        } else {
            let buckets = bucket - self.first + 1;
            if buckets > self.low.capacity() {
                self.low.reserve_exact(buckets.next_multiple_of(STEP) - self.low.len());
            }
            self.low.resize(buckets, 0);
        }
    }

    #[cold]
    fn carry(&mut self, bucket: usize, count: u64) {
        match self.high.binary_search_by_key(&bucket, |&(b, _)| b) {
            Ok(i) => self.high[i].1 += count,
            Err(i) => self.high.insert(i, (bucket, count)),
        }
    }

    /// The buckets in their order, each with its count.
    fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut high = self.high.iter().copied().peekable();
        self.low.iter().zip(self.first..).map(move |(&low, bucket)| {
            let high = high.next_if(|&(b, _)| b == bucket).map_or(0, |(_, count)| count);
            (bucket, u64::from(low) + (high << u8::BITS))
        })
    }

    /// Smallest, mean and quantiles; none if nothing was counted.
    pub fn summary(&self) -> Option<DurationSummary> {
        let mean = self.sum.checked_div(u128::from(self.samples))?;
        Some(DurationSummary {
            samples: self.samples,
            min: self.min,
            mean: Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)),
            p50: self.quantile(50),
            p95: self.quantile(95),
            p99: self.quantile(99),
        })
    }

    /// The smallest bucket's middle below or at which `percent` of the samples lie.
    fn quantile(&self, percent: u64) -> Duration {
        let wanted = (u128::from(self.samples) * u128::from(percent)).div_ceil(100);
        let mut seen = 0_u128;
        for (bucket, count) in self.counts() {
            seen += u128::from(count);
            if seen >= wanted {
                return middle(bucket).max(self.min).min(self.max);
            }
        }
        self.max
    }
}

/// The bucket of a duration: values below 256 ns each have their own.
#[inline]
fn bucket(d: Duration) -> usize {
    let ns = d.as_nanos();
    let shift = (ns | 1).ilog2().saturating_sub(SUB_BITS);
    ((shift as usize) << SUB_BITS) + usize::try_from(ns >> shift).unwrap_or(0)
}

/// The middle of a bucket: the inverse of [`bucket`], within half a bucket's width.
fn middle(bucket: usize) -> Duration {
    let (shift, sub) = match bucket >> SUB_BITS {
        0 => (0, bucket),
        // A power of two spans the buckets from 256 to 511 at its shift.
        high => (high - 1, bucket - ((high - 1) << SUB_BITS)),
    };
    let low = (sub as u64) << shift;
    Duration::from_nanos(low + (1_u64 << shift) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_lies_within_a_fifth_of_a_percent_of_its_buckets_middle() {
        for ns in (0..5_000_000_u64).step_by(997).chain([1, 255, 256, 511, 512, 1 << 40]) {
            let there = middle(bucket(Duration::from_nanos(ns))).as_nanos();
            assert!(there.abs_diff(ns) * 500 <= ns, "{ns} became {there}");
        }
    }

    #[test]
    fn quantiles_count_samples_and_mean_is_exact() {
        let mut h = Histogram::default();
        for ms in (1..=100).rev() {
            h.add(Duration::from_millis(ms));
        }
        let s = h.summary().expect("there are samples");
        assert_eq!(
            (s.samples, s.min, s.mean),
            (100, Duration::from_millis(1), Duration::from_micros(50_500))
        );
        for (quantile, ms) in [(s.p50, 50), (s.p95, 95), (s.p99, 99)] {
            assert!(quantile.as_nanos().abs_diff(ms * 1_000_000) * 500 <= ms * 1_000_000);
        }
    }

    #[test]
    fn a_bucket_counts_beyond_a_byte() {
        let mut h = Histogram::default();
        for _ in 0..1_000 {
            h.add(Duration::from_millis(3));
        }
        for _ in 0..999 {
            h.add(Duration::from_millis(2));
        }
        let counts: Vec<u64> = h.counts().map(|(_, count)| count).filter(|&n| n > 0).collect();
        assert_eq!(counts, [999, 1_000]);
        let median = h.summary().expect("there are samples").p50;
        assert!(median.as_nanos().abs_diff(3_000_000) * 500 <= 3_000_000);
        let mut twice = h.clone();
        twice.merge(&h);
        assert_eq!(twice.counts().map(|(_, count)| count).sum::<u64>(), 3_998);
    }

    #[test]
    fn many_samples_at_once_are_the_same_as_one_by_one() {
        let (mut at_once, mut one_by_one) = <(Histogram, Histogram)>::default();
        for (ms, samples) in [(0, 700), (3, 0), (2, 1), (0, 256), (5, 255)] {
            at_once.add_many(Duration::from_millis(ms), samples);
            (0..samples).for_each(|_| one_by_one.add(Duration::from_millis(ms)));
        }
        assert_eq!(at_once, one_by_one);
        assert_eq!(at_once.samples(), 1_212);
    }

    #[test]
    fn merging_is_the_same_as_counting_together() {
        let (mut a, mut b, mut both) = <(Histogram, Histogram, Histogram)>::default();
        for n in 0..50_u64 {
            let d = Duration::from_nanos(1_000_000 + n * n * 30_001);
            if n % 3 == 0 {
                a.add(d);
            } else {
                b.add(d);
            }
            both.add(d);
        }
        let mut ba = b.clone();
        ba.merge(&a);
        a.merge(&b);
        assert_eq!((a, ba), (both.clone(), both.clone()));
        let mut empty = Histogram::default();
        empty.merge(&both);
        assert_eq!(empty, both);
        empty.merge(&Histogram::default());
        assert_eq!(empty, both);
    }
}
