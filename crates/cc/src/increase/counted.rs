//! Additive increase as Linux counts it (net/ipv4/tcp_cong.c, tcp_cong_avoid_ai).

use super::Increase;
use crate::controller::{Ack, Cause};
use crate::linux::Count;
use crate::units::{Duration, Instant, Segments};

/// A whole segment for every `cwnd` segments acknowledged, and nothing in between.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    acked: Count,
}

impl Increase for Counted {
    fn measure(&mut self, _: &Ack) {}

    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        let whole = cwnd.whole();
        cwnd + Segments::new(self.acked.spend(whole, whole, credit.whole()) - whole)
    }

    fn reduced(&mut self, _: Segments, _: Segments, _: Cause, _: Instant) {
        self.acked.clear();
    }

    /// The kernel does not bring the count back.
    fn undone(&mut self) {}

    fn restarted(&mut self, _: Duration) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_added_once_a_window_is_acknowledged() {
        let mut up = Counted::default();
        let mut cwnd = Segments::new(4);
        let mut seen = std::vec::Vec::new();
        for _ in 0..9 {
            cwnd = up.increase(cwnd, Segments::ONE, Instant::ZERO);
            seen.push(cwnd.whole());
        }
        assert_eq!(seen, [4, 4, 4, 5, 5, 5, 5, 5, 6]);
    }
}
