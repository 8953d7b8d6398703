//! The processor's counter of cycles, for measures of code.
//!
//! It is the time-stamp counter of an x86-64, and it counts **reference cycles**: it goes on at one rate,
//! near the processor's nominal frequency, however fast the core itself runs at that moment. A count of
//! it is time in units of the processor, not the cycles that the core spent, which only its performance
//! counters know.
//!
//! There is none where the processor does not say that the rate is constant, and none on other
//! processors: the counter of an ARM processor belongs to its timers, and its rate of some 25 MHz to 1
//! GHz is not the processor's.

/// The counter of a processor that has one.
///
/// ```
/// if let Some(counter) = westwood_cycles::CycleCounter::of_this_machine() {
///     let begin = counter.now();
///     assert!(counter.now() >= begin);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleCounter(());

impl CycleCounter {
    /// The counter of this machine; none if it has no counter of a constant rate.
    #[must_use]
    pub fn of_this_machine() -> Option<Self> {
        is_constant().then_some(Self(()))
    }

    /// Reference cycles since the processor was reset, or since any other moment that a host has chosen
    /// for its guest: only differences mean something. The processor may read it some instructions
    /// earlier or later, so that they are to span thousands of cycles.
    #[must_use]
    pub fn now(self) -> u64 {
        read()
    }
}

/// The processor says that the counter's rate is constant in all its states of power ("invariant TSC", CPUID
/// leaf `8000_0007h`, bit 8 of EDX: Intel SDM, volume 3, section 19.17.1; AMD64 Architecture Programmer's
/// Manual, volume 3, appendix E.4.7).
#[cfg(target_arch = "x86_64")]
fn is_constant() -> bool {
    use core::arch::x86_64::__cpuid;
    const EXTENDED: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    #[expect(unsafe_code, reason = "the instruction had no safe form before Rust 1.94")]
    #[allow(unused_unsafe, reason = "from then on it has one")]
    // SAFETY: every x86-64 has CPUID, and it changes nothing that a program can see but the registers of its
    // answer.
    let leaf = |number| unsafe { __cpuid(number) };
    leaf(EXTENDED).eax >= POWER && leaf(POWER).edx & 1 << 8 != 0
}

#[cfg(target_arch = "x86_64")]
fn read() -> u64 {
    #[expect(unsafe_code, reason = "the counter has no safe form")]
    // SAFETY: every x86-64 has RDTSC, which changes nothing but the registers of its answer. A system that
    // forbids it to programs (CR4.TSD; on Linux prctl's PR_TSC_SIGSEGV) ends the process by a signal, as a
    // failed assertion would: memory is not touched.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
const fn is_constant() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
const fn read() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::CycleCounter;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the counter itself is tested")]
    fn the_counter_goes_on_where_there_is_one() {
        let Some(counter) = CycleCounter::of_this_machine() else { return };
        let begin = counter.now();
        let mut sum = 0_u64;
        (0..100_000_u64).for_each(|n| sum = core::hint::black_box(sum ^ n));
        assert!(counter.now() > begin, "{sum}");
    }
}
