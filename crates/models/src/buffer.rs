//! The utilisation of one additive-increase flow, against its buffer.
//!
//! The window grows by one segment a round trip from k(1+B) to 1+B bandwidth-delay products, where B
//! is the buffer in products and k what a loss leaves; then the buffer overflows once. Below one
//! product the link idles and a round trip takes the propagation time; above, the link is full and a
//! round trip takes as long as the window does.

use crate::units::{Buffer, Kept, OutOfRange};

/// The share of the capacity that is used, as a fluid without recovery, timeouts or start-up.
///
/// For Reno (k = 1/2) this is 3/4 without a buffer, 0.9 at 0.27 products and 1 from one product on;
/// in general 1 from 1/k - 1 products on. The paper's observations stand in westwood-plus-2004
/// figure 15 (erratum E19) and log-westwood-2008 figures 4 and 6; the model is ours.
pub fn utilisation(kept: Kept, buffer: Buffer) -> f64 {
    let beta = buffer.value();
    let lowest = kept.value() * (1.0 + beta);
    if lowest >= 1.0 {
        return 1.0;
    }
    let idling = 1.0 - lowest;
    let carried = idling * (1.0 + lowest) / 2.0;
    let full = beta * (1.0 + beta / 2.0);
    (carried + full) / (idling + full)
}

/// The smallest buffer that keeps the link busy throughout: 1/k - 1 products, one for Reno, 1/7 for a
/// decrease of 1/8.
pub fn needed(kept: Kept) -> Result<Buffer, OutOfRange> {
    Buffer::new(1.0 / kept.value() - 1.0)
}
