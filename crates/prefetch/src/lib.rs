//! Hints to the processor and the kernel: memory that will be read soon, and lists that are read at random.
//!
//! A simulation of ten thousand flows touches memory that has left the cache since the last packet of the
//! same flow. A scheduler that knows the next events asks for their lines ahead, and the engine waits for
//! none of them. A hint changes no result. Where the processor is not an x86-64, hints do nothing.

use core::ops::Range;

/// Bytes in a line of the cache.
pub const LINE: usize = 64;

/// Bytes in a large page of most processors.
const LARGE_PAGE: usize = 1 << 21;

/// Bytes in the smallest page of any that the kernel gives.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

/// Hints that a list is read at random: the kernel may back its memory, spare room included, by large pages,
/// of which the processor remembers the addresses of more. Lists below 2 MiB are left alone, and all of them
/// where the system is not Linux.
#[cold]
pub fn large_pages<T>(list: &Vec<T>) {
    let bytes = list.capacity().saturating_mul(size_of::<T>());
    if bytes >= LARGE_PAGE {
        advise(list.as_ptr().cast(), bytes);
    }
}

#[cfg(target_os = "linux")]
fn advise(begin: *const u8, bytes: usize) {
    // Advice is given for whole pages: the first one that belongs to the list alone, and what follows.
    let skipped = begin.align_offset(PAGE);
    if skipped >= bytes {
        return;
    }
    let first = begin.wrapping_add(skipped).cast_mut().cast();
    #[expect(unsafe_code, reason = "the advice has no safe form")]
    // SAFETY: MADV_HUGEPAGE changes no content and unmaps nothing, for any range (madvise(2)); this range is
    // one allocation of the caller's. It may be refused, which changes nothing: the answer is not needed.
    unsafe {
        libc::madvise(first, bytes - skipped, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *const u8, _: usize) {}

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
        #[expect(unsafe_code, reason = "the hint has no safe form")]
        // SAFETY: PREFETCHT0 reads and writes no memory that a program can see, and faults at no address,
        // mapped or not (AMD64 Architecture Programmer's Manual, volume 3; Intel SDM, volume 2). It is part
        // of SSE, which every x86-64 has.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_list_keeps_its_contents_and_grows_whatever_is_hinted() {
        let mut list: Vec<u64> = Vec::with_capacity(1 << 20);
        super::large_pages(&list);
        list.extend(0..1 << 20);
        super::large_pages(&list);
        super::lines(&list, 0..1_000_000);
        list.push(1 << 20);
        assert!(list.iter().copied().eq(0..=1 << 20));
    }
}
