//! How many segments an ACK stands for (westwood-2002 section 2.3; westwood-plus-2004 section 2.2;
//! ccr-2004 section 2.2).
//!
//! A duplicate ACK says that one segment has arrived, without saying which. The cumulative ACK that
//! follows covers those segments again. The count remembers what duplicates have already claimed,
//! so that each segment is counted about once.

crate::choices! {
    /// The rule for the remembered segments when duplicates have claimed at least as many as a
    /// cumulative ACK covers.
    pub enum Counting {
        /// All `n` are taken off although the ACK itself counts 1: one segment too many each time,
        /// as the papers print it.
        Printed = "printed",
        /// `n - 1` are taken off, so that the sum is exact.
        Corrected = "corrected",
    }
}

/// Turns the stream of ACKs into numbers of delivered segments.
///
/// The count is exact when one segment of a window is lost, when adjacent ones are lost, when
/// segments are reordered and when ACKs are lost. As printed it counts one segment too many at each
/// partial ACK that leaves claims behind. A duplicate for a segment that was sent twice without need
/// counts as delivered data in both variants.
///
/// ```
/// use westwood_cc::estimate::{AckedCount, Counting};
///
/// let mut count = AckedCount::new(Counting::Printed);
/// // Segment 3 is lost: two duplicates, then an ACK for it and the two behind it.
/// let counts = [2, 0, 0, 3].map(|newly| count.count(newly));
/// assert_eq!(counts, [2, 1, 1, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckedCount {
    counting: Counting,
    accounted: u64,
}

impl AckedCount {
    /// A count at the beginning of a connection.
    pub const fn new(counting: Counting) -> Self {
        Self { counting, accounted: 0 }
    }

    /// The segments that an ACK stands for, which newly covers `newly` (0 for a duplicate).
    #[inline]
    pub fn count(&mut self, newly: u64) -> u64 {
        match newly {
            0 => {
                self.accounted = self.accounted.saturating_add(1);
                1
            }
            1 => 1,
            n if n <= self.accounted => {
                self.accounted -= match self.counting {
                    Counting::Printed => n,
                    Counting::Corrected => n - 1,
                };
                1
            }
            n => n - core::mem::take(&mut self.accounted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn counts(counting: Counting, acks: &[u64]) -> Vec<u64> {
        let mut count = AckedCount::new(counting);
        let mut last = 0;
        acks.iter().map(|ack| count.count(ack - core::mem::replace(&mut last, *ack))).collect()
    }

    #[test]
    fn every_reference_vector_of_the_count_is_met() {
        let vectors: [(&str, &[u64], &[u64]); 9] = [
            ("in order", &[1, 2, 3], &[1, 1, 1]),
            ("delayed ACK", &[2, 4, 6], &[2, 2, 2]),
            ("4 lost", &[1, 2, 3, 3, 3, 3, 3, 8], &[1; 8]),
            ("4, 5 lost", &[3, 3, 3, 3, 4, 8], &[3, 1, 1, 1, 1, 1]),
            ("5 before 4", &[3, 3, 5], &[3, 1, 1]),
            ("ACKs lost", &[3, 9], &[3, 6]),
            ("4, 7 lost", &[3, 3, 3, 3, 3, 3, 6, 10], &[3, 1, 1, 1, 1, 1, 1, 2]),
            (
                "4, 8, 12 lost",
                &[3, 3, 3, 3, 3, 3, 3, 3, 7, 11, 13],
                &[3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2],
            ),
            ("needless copies", &[8, 8, 8, 10], &[8, 1, 1, 1]),
        ];
        for (name, acks, expected) in vectors {
            assert_eq!(counts(Counting::Printed, acks), expected, "{name}");
        }
    }

    #[test]
    fn the_corrected_count_is_exact_where_several_segments_are_lost() {
        for acks in [&[3, 3, 3, 3, 3, 3, 6, 10][..], &[3, 3, 3, 3, 3, 3, 3, 3, 7, 11, 13]] {
            let delivered = *acks.last().unwrap();
            assert_eq!(counts(Counting::Corrected, acks).iter().sum::<u64>(), delivered);
        }
    }
}
