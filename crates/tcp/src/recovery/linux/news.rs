//! What one ACK says: the flags and stamps that `tcp_ack` passes along.

use westwood_cc::{Duration, Instant};

/// What one ACK says. The names in parentheses are Linux's `FLAG_*`.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    /// When it arrived.
    pub(super) now: Instant,
    /// The echoed timestamp, if it says something about the data (RFC 7323).
    pub(super) echo: Option<Instant>,
    /// The cumulative acknowledgment before it.
    pub(super) prior_una: u64,
    /// The end of what was selectively acknowledged before it.
    pub(super) prior_fack: u64,
    /// The cumulative acknowledgment moved (`SND_UNA_ADVANCED`, `DATA_ACKED`).
    pub(super) advanced: bool,
    /// Something was selectively acknowledged for the first time (`DATA_SACKED`).
    pub(super) sacked: bool,
    /// A segment that had been sent again was cumulatively acknowledged (`RETRANS_DATA_ACKED`).
    pub(super) copy_acked: bool,
    /// A segment sent once, below `high_seq`, was delivered (`ORIG_SACK_ACKED`).
    pub(super) original_delivered: bool,
    /// It reports a duplicate (`DSACKING_ACK`).
    pub(super) dsack: bool,
    /// The duplicate is the tail loss probe (`DSACK_TLP`).
    pub(super) dsack_of_probe: bool,
    /// A congestion mark is echoed (`ECE`).
    pub(super) ece: bool,
    /// It shows that a copy was lost (`LOST_RETRANS`).
    pub(super) copy_lost: bool,
    /// The timer is to be set anew (`SET_XMIT_TIMER`).
    pub(super) set_timer: bool,
    /// When the first and the last segment left that it acknowledges cumulatively, those sent once
    /// alone.
    pub(super) acked_at: Option<(Instant, Instant)>,
    /// The same for selective acknowledgments.
    pub(super) sacked_at: Option<(Instant, Instant)>,
    /// The lowest segment, sent once, that was delivered late.
    pub(super) late: u64,
}

impl News {
    pub(super) fn new(
        now: Instant,
        echo: Option<Instant>,
        prior_una: u64,
        prior_fack: u64,
    ) -> Self {
        Self {
            now,
            echo,
            prior_una,
            prior_fack,
            advanced: false,
            sacked: false,
            copy_acked: false,
            original_delivered: false,
            dsack: false,
            dsack_of_probe: false,
            ece: false,
            copy_lost: false,
            set_timer: false,
            acked_at: None,
            sacked_at: None,
            late: u64::MAX,
        }
    }

    /// Nothing in it moves things forward, and it is no duplicate report: a duplicate ACK proper.
    pub(super) fn is_duplicate(&self) -> bool {
        !self.advanced && !self.dsack
    }

    /// Widens a pair of send times by one more, segments taken in order.
    pub(super) fn widen(pair: &mut Option<(Instant, Instant)>, at: Instant) {
        let first = pair.map_or(at, |(first, _)| first);
        *pair = Some((first, at));
    }

    /// The round-trip times of this ACK (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`): the longest,
    /// for the timer, and the newest, for the controller.
    pub(super) fn rtts(&self) -> Option<(Duration, Duration)> {
        let acked = self.acked_at.filter(|_| !self.copy_acked);
        let ages =
            |(first, last): (Instant, Instant)| (self.now.since(first), self.now.since(last));
        match (acked.map(ages), self.sacked_at.map(ages)) {
            (Some((longest, _)), Some((_, newest))) => Some((longest, newest)),
            (Some(pair), None) | (None, Some(pair)) => Some(pair),
            // Karn's rule leaves the timestamp option, for new data alone (RFC 7323 section 4.1).
            (None, None) => {
                let rtt = self.now.since(self.echo.filter(|_| self.advanced)?);
                Some((rtt, rtt))
            }
        }
    }
}
