//! A sender's segment size, told from the packets that it sends.

use std::collections::BTreeMap;

/// Sizes below this do not count as those of full segments unless there are no others: RFC 879's
/// least that every host takes is 536.
const LEAST_FULL: u32 = 100;

/// The bytes that came in packets of each size.
#[derive(Clone, Debug, Default)]
pub(crate) struct PayloadSizes(BTreeMap<u32, u64>);

impl PayloadSizes {
    pub(crate) fn add(&mut self, payload: u32) {
        *self.0.entry(payload).or_default() += u64::from(payload);
    }

    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    pub(crate) fn largest(&self) -> u32 {
        self.0.keys().next_back().copied().unwrap_or(0)
    }

    /// The largest size such that at least half of all bytes came in packets of it or of multiples of
    /// it; and if it is itself a multiple of a size that was seen, the smallest such size.
    ///
    /// Where the network card cuts segments, a capture at the sender shows packets of many of them.
    pub(crate) fn usual(&self) -> u32 {
        let all: u64 = self.0.values().sum();
        let candidates = || self.0.keys().rev().copied().filter(|size| *size >= LEAST_FULL);
        let of_half = candidates().find(|size| 2 * self.in_multiples_of(*size) >= all);
        let Some(size) = of_half else { return self.largest() };
        let parts = self.0.keys().copied().filter(|part| *part >= LEAST_FULL);
        parts.into_iter().find(|part| size % part == 0).unwrap_or(size)
    }

    fn in_multiples_of(&self, size: u32) -> u64 {
        self.0.range(size..).filter(|(other, _)| *other % size == 0).map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual(packets: &[(u32, usize)]) -> u32 {
        let mut sizes = PayloadSizes::default();
        for &(payload, times) in packets {
            (0..times).for_each(|_| sizes.add(payload));
        }
        sizes.usual()
    }

    #[test]
    fn most_packets_are_full_and_the_last_of_a_file_is_not() {
        assert_eq!(usual(&[(1_448, 50), (300, 1)]), 1_448);
    }

    #[test]
    fn packets_of_many_segments_tell_the_size_of_one() {
        assert_eq!(usual(&[(65_160, 90), (1_448, 1), (2_896, 5), (777, 3)]), 1_448);
    }

    #[test]
    fn small_writes_beside_full_segments_do_not_hide_them() {
        assert_eq!(usual(&[(1_448, 50), (1, 5_000), (90, 100)]), 1_448);
    }

    #[test]
    fn only_small_writes_are_what_they_are() {
        assert_eq!(usual(&[(48, 10), (20, 3)]), 48);
    }
}
