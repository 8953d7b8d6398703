//! Segments that BBR itself keeps few, while it looks at the empty path.

/// Deliveries between which everything sent counts as limited by the application: BBR's own small
/// window while it probes for the round-trip time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limited(Option<(u64, u64)>);

impl Limited {
    /// Marks the segments sent from now on, until those in flight now are delivered.
    pub(crate) fn mark(&mut self, delivered: u64, in_flight: u64) {
        let from = match self.0 {
            Some((from, until)) if delivered <= until => from,
            _ => delivered,
        };
        self.0 = Some((from, delivered.saturating_add(in_flight).max(1)));
    }

    /// True for a segment sent when this much had been delivered.
    pub(crate) fn covers(&self, prior_delivered: u64) -> bool {
        self.0.is_some_and(|(from, until)| (from..=until).contains(&prior_delivered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_while_the_window_is_small_is_limited() {
        let mut limited = Limited::default();
        assert!(!limited.covers(0));
        limited.mark(100, 4);
        limited.mark(102, 4);
        assert!(!limited.covers(99));
        assert!(limited.covers(100) && limited.covers(106));
        assert!(!limited.covers(107));
        limited.mark(500, 4);
        assert!(!limited.covers(300));
    }
}
