//! Products that saturate.
//!
//! WebAssembly has no product of two words with its upper half: where a product may overflow, the compiler
//! calls a function that multiplies by halves, which took one thirtieth of a comparison's time in a browser.

/// `a * b`, or the largest word.
///
/// ```
/// use westwood_cc::product::saturating;
///
/// assert_eq!(saturating(3, 1 << 40), 3 << 40);
/// assert_eq!(saturating(1 << 32, 1 << 32), u64::MAX);
/// ```
#[inline]
pub const fn saturating(a: u64, b: u64) -> u64 {
    if cfg!(target_family = "wasm") && fits(a, b) { a.wrapping_mul(b) } else { a.saturating_mul(b) }
}

/// Factors of `m` and `n` bits have a product of `m + n` bits at most.
const fn fits(a: u64, b: u64) -> bool {
    a.leading_zeros() + b.leading_zeros() >= u64::BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_that_is_said_to_fit_does_not_overflow() {
        let near = |bits: u32| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1];
        for a in (0..64).flat_map(near) {
            for b in (0..64).flat_map(near) {
                assert!(!fits(a, b) || a.checked_mul(b).is_some(), "{a} {b}");
            }
        }
        assert!(fits((1 << 32) - 1, (1 << 32) - 1) && fits(u64::MAX, 0));
        assert!(!fits(1 << 32, 1 << 31));
    }
}
