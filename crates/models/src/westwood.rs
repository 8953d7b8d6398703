//! The rate of Westwood and Westwood+ under independent losses.
//!
//! Both grow as Reno and leave B RTTmin at a loss, so one model serves both as long as the estimate
//! B is what was delivered, W/RTT (ACK compression breaks that for Westwood). A loss then takes
//! W - W RTTmin/RTT = W Tq/RTT away:
//!
//! ```text
//! dW/dt = W/RTT [ (1-p)/W - p W Tq/RTT ]
//! ```
//!
//! The model knows no capacity: with an empty queue a loss costs nothing, and the rate is infinite.

use crate::units::{LossRate, RoundTrip, SegmentsPerSecond};

/// The rate sqrt((1-p) / (p RTT Tq)), ccr-2004 equation 3. Infinite where nothing queues.
pub fn rate(times: RoundTrip, p: LossRate) -> SegmentsPerSecond {
    let p = p.value();
    let square = (1.0 - p) / p / (times.mean() * times.queueing());
    SegmentsPerSecond::from_model(square.sqrt())
}

/// westwood-plus-2004 equation 2 as its text has it, 1 / (sqrt(p) RTT Tq): the root over RTT Tq is
/// missing (erratum E12), and with it the unit. A proportion, so only its slopes mean anything: they
/// would be -1 in RTT, where the paper's own sentence says -1/2. Infinite where nothing queues.
pub fn proportion_printed(times: RoundTrip, p: LossRate) -> f64 {
    1.0 / (p.value().sqrt() * times.mean() * times.queueing())
}

/// The ratio to Reno's rate: sqrt(RTT / (2 Tq)), for any p. One where the queue takes half of the
/// round-trip time, that is where it holds one bandwidth-delay product; infinite where nothing
/// queues.
pub fn over_reno(times: RoundTrip) -> f64 {
    (times.mean() / (2.0 * times.queueing())).sqrt()
}
