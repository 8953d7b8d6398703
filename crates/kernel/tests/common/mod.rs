//! Helpers that several tests share.

/// A stream of pseudo-random words (SplitMix64), the same on every machine.
pub(crate) struct Words(pub(crate) u64);

impl Words {
    /// The next word.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    /// A number below `n` that fits 32 bits.
    pub(crate) fn small(&mut self, n: u32) -> u32 {
        u32::try_from(self.below(u64::from(n))).unwrap()
    }

    /// A number of any size up to `bits` bits, small ones as often as large ones.
    pub(crate) fn any(&mut self, bits: u64) -> u64 {
        let bits = self.below(bits + 1);
        if bits == 0 { 0 } else { self.word() >> (64 - bits) }
    }

    /// The same, up to 32 bits.
    pub(crate) fn any32(&mut self, bits: u64) -> u32 {
        u32::try_from(self.any(bits)).unwrap()
    }

    /// True once in `n`.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
