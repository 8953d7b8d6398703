//! How many marks an ACK tells of, RFC 9768 section 3.2.2.5.2 and appendix A.2.
//!
//! Three bits wrap after eight marks, and the ACKs between may be lost. The least number of new marks is
//!
//! ```text
//! d.cep = (ACE - s.cep) mod 8
//! ```
//!
//! Without the option the sender takes the safest case, the most marks of that remainder among the packets
//! that the ACK delivers:
//!
//! ```text
//! d.safer = delivered - ((delivered - d.cep) mod 8)        if more are delivered than d.cep
//! ```
//!
//! With the option it takes the fewest packets of that remainder that hold the marked bytes: since the
//! start so many bytes have arrived marked, no packet holds more than smss of them, and d.cep + 8 i new
//! marks, with those before, must hold them all. Appendix A.2.2 decides between d.cep and d.safer by
//! the size of the segments that either implies; as every segment here is full but the last of a transfer,
//! this is exact, and does not take d.safer where eight marks fewer explain the bytes.
//!
//! An ACK that delivers nothing, or whose bytes lie behind those that an earlier ACK told, has been
//! superseded: its counters are left aside, and the next ACK repeats them.

use super::{ACE, AccEcn, FIELD, INITIAL_CEP};

/// The sender's counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkDecoder {
    cep: u64,
    ceb: u64,
}

impl MarkDecoder {
    pub(crate) const fn new() -> Self {
        Self { cep: INITIAL_CEP, ceb: 0 }
    }

    /// The packets of which this ACK says for the first time that they arrived marked. It delivers so many
    /// segments of `smss` bytes.
    pub(crate) fn newly_marked(&mut self, told: AccEcn, delivered: u64, smss: u64) -> u64 {
        let least = (u64::from(told.ace) + ACE - self.cep % ACE) % ACE;
        if delivered == 0 {
            return 0;
        }
        let safest = delivered - delivered.saturating_sub(least) % ACE;
        let marked = match told.bytes {
            None => safest.max(least),
            Some(bytes) => {
                let more = (u64::from(bytes.ce) + FIELD - self.ceb % FIELD) % FIELD;
                if more >= FIELD / 2 {
                    return 0;
                }
                self.ceb += more;
                self.fewest(least, smss).min(safest.max(least))
            }
        };
        self.cep += marked;
        marked
    }

    /// The least number of new marks of this remainder that, with those before, hold all marked bytes.
    fn fewest(&self, least: u64, smss: u64) -> u64 {
        let held = (self.cep - INITIAL_CEP + least) * smss;
        let rounds = self.ceb.saturating_sub(held).div_ceil(ACE * smss.max(1));
        least + ACE * rounds
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::EcnBytes;
    use super::*;

    const SMSS: u64 = 1_000;

    fn ace(cep: u64) -> AccEcn {
        AccEcn { ace: u8::try_from(cep % 8).expect("three bits"), bytes: None }
    }

    fn with_bytes(cep: u64, ceb: u64) -> AccEcn {
        let ce = u32::try_from(ceb % (1 << 24)).expect("24 bits");
        AccEcn { bytes: Some(EcnBytes { ect0: 1, ce, ect1: 1 }), ..ace(cep) }
    }

    #[test]
    fn a_2_1_the_field_tells_the_least_increment_while_few_packets_are_acknowledged() {
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(ace(5), 2, SMSS), 0);
        assert_eq!(d.newly_marked(ace(7), 2, SMSS), 2);
        // From 7 to 9 the field wraps.
        assert_eq!(d.newly_marked(ace(9), 2, SMSS), 2);
        assert_eq!(d.newly_marked(ace(9), 7, SMSS), 0);
    }

    #[test]
    fn a_2_1_the_safest_case_is_taken_where_the_field_may_have_cycled() {
        let mut d = MarkDecoder::new();
        // Nine packets with one mark: nine marks are possible too.
        assert_eq!(d.newly_marked(ace(6), 9, SMSS), 9);
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(ace(6), 8, SMSS), 1);
        // Eight packets without a mark by the field: all eight may be marked.
        assert_eq!(d.newly_marked(ace(6), 8, SMSS), 8);
        assert_eq!(d.newly_marked(ace(6), 23, SMSS), 16);
    }

    #[test]
    fn s3_2_2_5_2_a_field_beyond_the_packets_acknowledged_is_taken_to_be_correct() {
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(ace(9), 2, SMSS), 4);
    }

    #[test]
    fn a_2_2_marked_bytes_tell_that_the_field_has_not_cycled() {
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(with_bytes(6, 1_000), 30, SMSS), 1);
        assert_eq!(d.newly_marked(with_bytes(6, 1_000), 30, SMSS), 0);
    }

    #[test]
    fn a_2_2_marked_bytes_tell_how_often_the_field_has_cycled() {
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(with_bytes(5 + 17, 17_000), 30, SMSS), 17);
    }

    #[test]
    fn s3_2_3_2_5_a_field_read_without_the_option_is_reconciled_with_the_next_option() {
        let mut d = MarkDecoder::new();
        // The safest case was too many by eight: they are not counted again.
        assert_eq!(d.newly_marked(ace(5 + 1), 9, SMSS), 9);
        assert_eq!(d.newly_marked(with_bytes(5 + 3, 3_000), 9, SMSS), 2);
    }

    #[test]
    fn s3_2_3_1_an_ack_that_a_later_one_has_overtaken_is_left_aside() {
        let mut d = MarkDecoder::new();
        assert_eq!(d.newly_marked(with_bytes(8, 3_000), 3, SMSS), 3);
        assert_eq!(d.newly_marked(with_bytes(7, 2_000), 1, SMSS), 0);
        assert_eq!(d.newly_marked(with_bytes(9, 4_000), 1, SMSS), 1);
        assert_eq!(d.newly_marked(ace(12), 0, SMSS), 0);
    }

    proptest! {
        #[test]
        fn bytes_count_every_mark_once_whatever_acks_are_lost(
            // Packets, those marked of them, and whether the ACK of them arrives.
            steps in prop::collection::vec((1_u64..40, 0_u64..40, prop::bool::weighted(0.4)), 1..200),
        ) {
            let mut d = MarkDecoder::new();
            let (mut marks, mut waiting, mut counted) = (0, 0, 0);
            for (packets, marked, arrives) in steps {
                marks += marked.min(packets);
                waiting += packets;
                if arrives {
                    counted += d.newly_marked(with_bytes(5 + marks, marks * SMSS), waiting, SMSS);
                    waiting = 0;
                    prop_assert_eq!(counted, marks);
                }
            }
        }

        #[test]
        fn the_field_alone_never_counts_too_few(
            steps in prop::collection::vec((1_u64..40, 0_u64..40, prop::bool::weighted(0.4)), 1..200),
        ) {
            let mut d = MarkDecoder::new();
            let (mut marks, mut before, mut waiting) = (0, 0, 0);
            for (packets, marked, arrives) in steps {
                marks += marked.min(packets);
                waiting += packets;
                if arrives {
                    let new = d.newly_marked(ace(5 + marks), waiting, SMSS);
                    prop_assert!((marks - before..=waiting).contains(&new));
                    // The surplus is a multiple of eight.
                    (before, waiting) = (marks, 0);
                }
            }
        }
    }
}
