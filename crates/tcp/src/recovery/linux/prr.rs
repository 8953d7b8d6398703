//! Proportional rate reduction: `tcp_init_cwnd_reduction`, `tcp_cwnd_reduction`.
//!
//! RFC 9937 (before it RFC 6937 section 3): during recovery the window is the segments in
//! flight plus those that this ACK allows to be sent. While more than ssthresh is in flight, that is the
//! share ssthresh / cwnd of the segments delivered. Below, it is as many as were delivered (conservative
//! bound), and one more when the cumulative acknowledgment moves without a new loss (slow-start bound).

/// The state of a reduction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// The window when it began (`RecoverFS` in the RFC, which takes the flight size).
    prior_cwnd: u64,
    delivered: u64,
    /// Segments sent since it began.
    out: u64,
}

/// An ACK in recovery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// Segments delivered by it.
    pub(super) delivered: u64,
    /// Segments in flight after it.
    pub(super) in_flight: u64,
    pub(super) ssthresh: u64,
    /// The cumulative acknowledgment moved and nothing is newly lost.
    pub(super) progress: bool,
}

impl Prr {
    pub(super) fn new(prior_cwnd: u64) -> Self {
        Self { prior_cwnd: prior_cwnd.max(1), delivered: 0, out: 0 }
    }

    /// A segment has left.
    pub(super) fn sent(&mut self) {
        self.out += 1;
    }

    /// The next window; none if nothing was delivered.
    pub(super) fn window(&mut self, d: &Delivery) -> Option<u64> {
        if d.delivered == 0 {
            return None;
        }
        self.delivered += d.delivered;
        let mut send = if d.in_flight > d.ssthresh {
            (d.ssthresh * self.delivered).div_ceil(self.prior_cwnd).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(d.delivered);
            (bound + u64::from(d.progress)).min(d.ssthresh - d.in_flight)
        };
        // The first copy leaves at once.
        if self.out == 0 {
            send = send.max(1);
        }
        Some(d.in_flight + send)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(delivered: u64, in_flight: u64, progress: bool) -> Delivery {
        Delivery { delivered, in_flight, ssthresh: 10, progress }
    }

    #[test]
    fn rfc9937_the_first_copy_leaves_at_once_and_then_one_segment_for_two_delivered() {
        // cwnd 20, ssthresh 10: three sacked, one lost, sixteen in flight.
        let mut prr = Prr::new(20);
        let mut in_flight = 16;
        let mut sent = Vec::new();
        for _ in 0..6 {
            let window = prr.window(&ack(1, in_flight, false)).expect("delivered");
            sent.push(window - in_flight);
            for _ in in_flight..window {
                prr.sent();
            }
            in_flight = window - 1;
        }
        // ceil(10 n / 20) - sent, for n = 1, 2, ...
        assert_eq!(sent, [1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn rfc9937_below_ssthresh_as_much_is_sent_as_was_delivered() {
        let mut prr = Prr::new(20);
        assert_eq!(prr.window(&ack(1, 4, false)), Some(5));
        prr.sent();
        assert_eq!(prr.window(&ack(2, 4, false)), Some(6));
        // Four have left for five delivered: this ACK's two may be sent all the same.
        (0..3).for_each(|_| prr.sent());
        assert_eq!(prr.window(&ack(2, 4, false)), Some(6));
    }

    #[test]
    fn rfc9937_below_ssthresh_what_was_delivered_and_not_sent_for_is_made_up() {
        let mut prr = Prr::new(20);
        assert_eq!(prr.window(&ack(6, 12, false)), Some(15));
        prr.sent();
        // Seven delivered and one sent.
        assert_eq!(prr.window(&ack(1, 3, false)), Some(9));
    }

    #[test]
    fn rfc9937_progress_without_a_new_loss_adds_one_up_to_ssthresh() {
        let mut prr = Prr::new(20);
        assert_eq!(prr.window(&ack(1, 4, true)), Some(6));
        prr.sent();
        prr.sent();
        assert_eq!(prr.window(&ack(4, 9, true)), Some(10));
    }

    #[test]
    fn tcp_cwnd_reduction_an_ack_that_delivers_nothing_changes_nothing() {
        assert_eq!(Prr::new(20).window(&ack(0, 4, false)), None);
    }
}
