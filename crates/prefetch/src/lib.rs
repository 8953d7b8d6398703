//! Hints to the processor: memory that will be read soon.
//!
//! A simulation of ten thousand flows touches memory that has left the cache since the last packet of the
//! same flow. Whoever knows what comes next asks for its lines some events ahead, and waits for none of
//! them. A hint changes no result. Where the processor is not an x86-64, hints are nothing.

use core::ops::Range;

/// Bytes in a line of the cache.
pub const LINE: usize = 64;

/// Hints that these lines of a value will be read, counted from its first byte.
///
/// ```
/// let samples = [1_u64; 24];
/// westwood_prefetch::lines(&samples, 0..3);
/// assert_eq!(samples.iter().sum::<u64>(), 24);
/// ```
#[expect(clippy::inline_always, reason = "as a call it costs more than it gains")]
#[inline(always)]
pub fn lines<T>(value: &T, lines: Range<usize>) {
    for line in lines {
        byte(value, line * LINE);
    }
}

/// Hints that a value will be read that is no longer than a line: it lies in one or in two of them.
#[expect(clippy::inline_always, reason = "as a call it costs more than it gains")]
#[inline(always)]
pub fn value<T>(value: &T) {
    byte(value, 0);
    byte(value, size_of::<T>().saturating_sub(1));
}

#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no hint is given"))]
fn byte<T>(value: &T, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = core::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
        // SAFETY: PREFETCHT0 reads and writes no memory that a program can see, and faults at no address,
        // mapped or not (AMD64 Architecture Programmer's Manual, volume 3; Intel SDM, volume 2). It is part
        // of SSE, which every x86-64 has.
        #[expect(unsafe_code, reason = "the hint has no safe form")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
}
