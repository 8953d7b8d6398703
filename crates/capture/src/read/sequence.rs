//! Sequence numbers without their wrap-around.

/// Makes offsets from a stream's first byte of 32-bit sequence numbers.
///
/// A number is taken to be within 2^31 of the largest one before it (RFC 9293 section 3.4).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SequenceUnwrapper {
    /// The largest number so far and its offset.
    known: Option<SequenceAnchor>,
}

#[derive(Clone, Copy, Debug)]
struct SequenceAnchor {
    number: u32,
    offset: i64,
}

impl SequenceUnwrapper {
    /// Says that the stream begins with this number. Without it, it begins with the first one seen.
    pub(crate) fn begin(&mut self, number: u32) {
        self.known = Some(SequenceAnchor { number, offset: 0 });
    }

    /// Bytes from the stream's first one to this one; negative for those before it.
    pub(crate) fn offset(&mut self, number: u32) -> i64 {
        let Some(known) = &mut self.known else {
            self.begin(number);
            return 0;
        };
        let step = i64::from(number.wrapping_sub(known.number).cast_signed());
        let offset = known.offset.saturating_add(step);
        if step > 0 {
            *known = SequenceAnchor { number, offset };
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_grow_across_the_wrap_around() {
        let mut numbers = SequenceUnwrapper::default();
        numbers.begin(u32::MAX - 9);
        let offsets = [u32::MAX - 9, u32::MAX, 0, 1_000_000].map(|n| numbers.offset(n));
        assert_eq!(offsets, [0, 9, 10, 1_000_010]);
        // Five times around.
        let mut last = 0;
        for step in 1..=20_u64 {
            last = numbers.offset(u32::try_from((step << 30) % (1 << 32)).unwrap());
        }
        assert_eq!(last, (20 << 30) + 10);
    }

    #[test]
    fn numbers_before_the_first_byte_have_negative_offsets() {
        let mut numbers = SequenceUnwrapper::default();
        let offsets = [5_000, 8_000, 6_000, 4_000].map(|n| numbers.offset(n));
        assert_eq!(offsets, [0, 3_000, 1_000, -1_000]);
    }
}
