//! The ECN field of a packet.
//!
//! RFC 3168 section 5 defines the two bits; RFC 8311 section 4.1 frees ECT(1), which RFC 9331 section 4.1
//! gives to scalable (L4S) senders. The discriminants are the bits on the wire.

/// The codepoint of a packet's ECN field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// The transport takes no part: a queue drops, and does not mark.
    #[default]
    NotEct = 0b00,
    /// ECN-capable, and the sender is scalable (RFC 9331).
    Ect1 = 0b01,
    /// ECN-capable, and a mark counts as a loss does (RFC 3168).
    Ect0 = 0b10,
    /// Congestion was experienced: a queue marked it.
    Ce = 0b11,
}

impl Ecn {
    /// The codepoint of the field's two bits; higher bits are left aside.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// The field's two bits.
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// True if a queue may mark the packet, or has.
    #[inline]
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }

    /// True for ECT(1) and CE: what an L4S network element takes for L4S traffic (RFC 9331 section 5.1).
    #[inline]
    pub const fn is_l4s(self) -> bool {
        matches!(self, Self::Ect1 | Self::Ce)
    }
}

/// How a receiver tells its sender of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EcnFeedback {
    /// Every ACK echoes a mark until the sender has answered it (RFC 3168 section 6.1.3): one bit a
    /// round-trip time.
    #[default]
    UntilAnswered,
    /// An ACK echoes a mark if the segments that it covers are marked; where marks begin or end, it is not
    /// delayed (RFC 8257 section 3.2).
    EachSegment,
    /// Every ACK counts the marked segments, modulo 8, in its ACE field (RFC 9768 section 3.2.2).
    Ace,
    /// ACE counts them, and the AccECN option counts their bytes (RFC 9768 section 3.2.3), so the
    /// field's wraps are known.
    Accurate,
}

impl EcnFeedback {
    /// All of them, the oldest first.
    pub const ALL: [Self; 4] = [Self::UntilAnswered, Self::EachSegment, Self::Ace, Self::Accurate];

    /// The name in scenarios and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UntilAnswered => "classic",
            Self::EachSegment => "dctcp",
            Self::Ace => "ace",
            Self::Accurate => "accurate",
        }
    }

    /// True if it counts marks, as a sender of ECT(1) needs (RFC 9331 section 4.2).
    pub const fn counts_marks(self) -> bool {
        matches!(self, Self::Ace | Self::Accurate)
    }
}

#[cfg(test)]
mod tests {
    use super::Ecn;

    #[test]
    fn codepoints_are_the_bits_of_rfc_3168_section_5() {
        let field = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
        for (bits, ecn) in (0..4).zip(field) {
            assert_eq!((Ecn::from_bits(bits), ecn.bits()), (ecn, bits));
            assert_eq!(Ecn::from_bits(bits | 0b1011_1000), ecn);
        }
        assert_eq!(field.map(Ecn::is_capable), [false, true, true, true]);
        assert_eq!(field.map(Ecn::is_l4s), [false, true, false, true]);
    }
}
