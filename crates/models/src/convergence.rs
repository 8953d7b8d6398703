//! The convergence of two Westwood flows (westwood-2002 section 3.3, figure 2).
//!
//! Both have the same propagation time R; the buffer holds b and the bottleneck carries C. At an
//! overflow a flow that achieves the rate r has a window of r (b/C + R), and its reaction leaves it
//! r R: both windows shrink by the same factor, so their ratio stays. Then both grow by the same
//! amount until the buffer is full again, so their difference stays, and in a cycle it has shrunk by
//! that factor.

use crate::units::{Buffer, Segments};

/// The window after the reaction to an overflow: W R / (R + b/C), the same factor 1/(1+B) for every
/// flow, with the buffer B in bandwidth-delay products.
pub fn after_overflow(window: Segments, buffer: Buffer) -> Segments {
    // Smaller than a value in range, and not negative.
    Segments::from_model(window.value() / (1.0 + buffer.value()))
}

/// The difference of the two windows at an overflow, `cycles` overflows after it was `first`:
/// first / (1+B)^cycles. With a buffer of one product it halves each time.
pub fn difference(first: Segments, buffer: Buffer, cycles: u32) -> Segments {
    // As above: the factor lies between 0 and 1.
    Segments::from_model(first.value() * libm::pow(1.0 + buffer.value(), -f64::from(cycles)))
}
