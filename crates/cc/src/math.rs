//! The integer primitives that carry every formula.
//!
//! They have the same text in Rust and in the kernel's C. eBPF has no floating point, no 128-bit
//! arithmetic, no signed division and no count of leading zeros, so neither has this module.

use crate::product::saturating;

/// `floor(a * num / den)` without a wider product; exact while `num * den <= 2^64` and the result
/// fits a word.
///
/// Writing `a = q den + r` gives `a num / den = q num + r num / den`, and `r num < den num`.
/// `den` must not be zero: what a division by zero means is the caller's to decide.
///
/// ```
/// // 10 Mbit/s in byte/s for 3 ms in ns.
/// assert_eq!(westwood_cc::math::scale(1_250_000, 3_000_000, 1_000_000_000), 3_750);
/// ```
pub const fn scale(a: u64, num: u64, den: u64) -> u64 {
    saturating(a / den, num).saturating_add((a % den) * num / den)
}

/// `floor(x * f / 2^32)`: the product of two numbers with 32 fractional bits.
///
/// Exact while the result fits a word. Three partial products and not two, because a factor may
/// exceed 1 (the credit of a delayed ACK is 2 segments).
pub const fn mul_q32(x: u64, f: u64) -> u64 {
    let (high, low) = (x >> 32, x & 0xffff_ffff);
    saturating(high, f)
        .saturating_add(low * (f >> 32))
        .saturating_add((low * (f & 0xffff_ffff)) >> 32)
}

/// `x / w` with 32 fractional bits, for `w` of at least 1 and `x` below 2^24 segments.
///
/// A 64-bit word cannot hold `x << 32`, so three ranges trade bits of one for bits of the other:
///
/// | range | form | relative error |
/// |---|---|---|
/// | `x` < 64 segments | shift both by 6 | 2^-26 and one unit in the last place |
/// | `w` < 4096 segments | times the reciprocal | 2^-20 |
/// | both large | shift both by 24 | 2^-20 |
pub const fn over(x: u64, w: u64) -> u64 {
    if x >> 38 == 0 {
        (x << 26) / (w >> 6)
    } else if w >> 44 == 0 {
        mul_q32(x, u64::MAX / w)
    } else {
        (x << 8) / (w >> 24)
    }
}

/// The integer square root: the largest `r` with `r^2 <= n`.
///
/// Digit by digit, 32 steps for any input.
///
/// ```
/// assert_eq!(westwood_cc::math::square_root(24), 4);
/// assert_eq!(westwood_cc::math::square_root(25), 5);
/// ```
pub const fn square_root(n: u64) -> u64 {
    let (mut rest, mut root, mut digit) = (n, 0_u64, 1_u64 << 62);
    while digit > 0 {
        if rest >= root + digit {
            rest -= root + digit;
            root = (root >> 1) + digit;
        } else {
            root >>= 1;
        }
        digit >>= 2;
    }
    root
}

/// The integer cube root: the largest `r` with `r^3 <= n`.
///
/// Digit by digit, 22 steps for any input, so that the loop is bounded as the kernel's verifier
/// wants it.
///
/// ```
/// assert_eq!(westwood_cc::math::cube_root(26), 2);
/// assert_eq!(westwood_cc::math::cube_root(27), 3);
/// ```
pub const fn cube_root(n: u64) -> u64 {
    let (mut rest, mut root, mut shift) = (n, 0_u64, 63);
    loop {
        root *= 2;
        // (root + 1)^3 - root^3, in units of this digit.
        let step = 3 * root * (root + 1) + 1;
        if rest >> shift >= step {
            rest -= step << shift;
            root += 1;
        }
        if shift == 0 {
            return root;
        }
        shift -= 3;
    }
}
