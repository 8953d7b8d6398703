//! RACK: a segment is lost when one sent later has been delivered and the reordering window is over.
//!
//! RFC 8985 sections 3.3 and 6; Linux's `tcp_recovery.c`. Time decides, not the number of
//! duplicates, so a lost copy is found like a lost original, and reordering within a quarter of the
//! smallest round-trip time does no harm. The walk over the segments in order of sending stops at
//! the first that is not older than the newest delivered, so an ACK costs as much as its news.

use westwood_cc::{Duration, Instant};

use super::scoreboard::{LinuxScoreboard, is_current};
use crate::sender::Core;

/// `TCP_RACK_RECOVERY_THRESH`: recoveries for which a widened window lasts.
const REO_WND_PERSIST: u32 = 16;
/// `sysctl_tcp_reordering`: the duplicate threshold to begin with.
pub(super) const DUP_THRESH: u64 = 3;
/// `sysctl_tcp_max_reordering`.
const MAX_REORDERING: u64 = 300;

/// RACK's state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rack {
    /// The latest send time among the segments delivered, and the segment's end (`RACK.xmit_ts`,
    /// `RACK.end_seq`).
    newest: (Instant, u64),
    /// The round-trip time of the segment delivered last (`RACK.rtt`).
    rtt: Duration,
    /// A segment has been delivered since the last judgement.
    advanced: bool,
    /// A duplicate was reported that reordering explains.
    dsack_seen: bool,
    /// The smallest round-trip time: without the ACK at hand while that is taken in, with it from where
    /// losses are judged on.
    pub(super) min_rtt: Option<Duration>,
    /// The window in quarters of the smallest round-trip time (`RACK.reo_wnd_mult`).
    steps: u64,
    /// Recoveries until the window is a quarter again.
    persist: u32,
    /// `delivered` when the window was last widened.
    widened_at: u64,
    /// Reordering has been seen on this connection.
    pub(super) reordering_seen: bool,
    /// The largest reordering in segments, at least the duplicate threshold.
    pub(super) reordering: u64,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            newest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            advanced: false,
            dsack_seen: false,
            min_rtt: None,
            steps: 1,
            persist: 0,
            widened_at: 0,
            reordering_seen: false,
            reordering: DUP_THRESH,
        }
    }
}

impl Rack {
    /// A segment was delivered that left `at`, perhaps as a copy (section 6.2 step 2;
    /// `tcp_rack_advance`).
    ///
    /// A copy acknowledged sooner than the smallest round-trip time means that the original arrived.
    pub(super) fn advance(&mut self, now: Instant, at: Instant, is_retransmission: bool, seq: u64) {
        let rtt = now.since(at);
        if is_retransmission && self.min_rtt.is_some_and(|m| rtt < m) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        self.newest = self.newest.max((at, seq + 1));
    }

    /// The round-trip time in force.
    pub(super) fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Lets the next [`judge`](Self::judge) look at the list even without a delivery.
    pub(super) fn force_detection(&mut self) {
        self.advanced = true;
    }

    /// The reordering window (section 6.2 step 4; `tcp_rack_reo_wnd`): zero while repairing, or
    /// with three segments sacked, on a connection that has never seen reordering; else quarters of
    /// the smallest round-trip time, up to the smoothed one.
    fn window(&self, sacked: u64, repairing: bool, srtt: Duration) -> Duration {
        if !self.reordering_seen && (repairing || sacked >= self.reordering) {
            return Duration::ZERO;
        }
        self.min_rtt.map_or(srtt, |m| (m / 4 * self.steps).min(srtt))
    }

    /// Judges losses on an ACK (step 5; `tcp_rack_mark_lost`). Answers how long to wait for the
    /// rest, if there is one.
    pub(super) fn judge(
        &mut self,
        board: &mut LinuxScoreboard,
        core: &mut Core,
        now: Instant,
        repairing: bool,
    ) -> Option<Duration> {
        if !core::mem::take(&mut self.advanced) {
            return None;
        }
        self.detect(board, core, now, repairing)
    }

    /// Judges losses (`tcp_rack_detect_loss`).
    pub(super) fn detect(
        &mut self,
        board: &mut LinuxScoreboard,
        core: &mut Core,
        now: Instant,
        repairing: bool,
    ) -> Option<Duration> {
        let wait = self.rtt + self.window(board.sacked(), repairing, core.srtt());
        let mut longest = None;
        let mut kept = Vec::new();
        while let Some(&(at, seq)) = board.order.front() {
            if self.newest <= (at, seq + 1) {
                break;
            }
            board.order.pop_front();
            if !is_current(core, at, seq) {
                continue;
            }
            let waits_for_retransmission =
                core.flight().get(seq).is_some_and(|e| e.lost && !e.retrans_out);
            let age = now.since(at);
            if !waits_for_retransmission && age >= wait {
                board.mark_lost(core, seq);
                core.mark_judged(seq);
                continue;
            }
            if !waits_for_retransmission {
                longest = longest.max(Some(wait - age));
                kept.push((at, seq));
            }
        }
        for entry in kept.into_iter().rev() {
            board.order.push_front(entry);
        }
        longest
    }

    /// Segment `low`, sent once, was delivered after segments sent later (`tcp_check_sack_reordering`).
    pub(super) fn note_reordering(&mut self, low: u64, fack: u64) {
        if low < fack {
            self.reordering = self.reordering.max(fack - low).min(MAX_REORDERING);
            self.reordering_seen = true;
        }
    }

    /// A duplicate was reported that is no tail loss probe: the window may have been too short.
    pub(super) fn note_dsack(&mut self) {
        self.dsack_seen |= self.reordering_seen;
    }

    /// Widens the window once a round trip with duplicates, and takes it back after sixteen recoveries
    /// without (section 6.2 step 4; `tcp_rack_update_reo_wnd`).
    pub(super) fn update_window(&mut self, prior_delivered: u64, delivered: u64) {
        if prior_delivered == 0 {
            return;
        }
        if prior_delivered < self.widened_at {
            self.dsack_seen = false;
        }
        if core::mem::take(&mut self.dsack_seen) {
            self.steps = (self.steps + 1).min(255);
            self.widened_at = delivered;
            self.persist = REO_WND_PERSIST;
        } else if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// A recovery has ended well.
    pub(super) fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
    }

    /// A recovery was undone by duplicates.
    pub(super) fn undone(&mut self) {
        self.persist = (self.persist + 1).min(REO_WND_PERSIST);
    }

    /// A timeout with that many segments sacked: reordering was overestimated.
    pub(super) fn timed_out(&mut self, sacked: u64) {
        if sacked >= DUP_THRESH {
            self.reordering = self.reordering.min(DUP_THRESH);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tcp_check_sack_reordering_the_degree_is_three_hundred_segments_at_most() {
        let mut rack = Rack::default();
        rack.note_reordering(10, 10);
        assert!(!rack.reordering_seen);
        rack.note_reordering(0, 299);
        assert_eq!((rack.reordering_seen, rack.reordering), (true, 299));
        rack.note_reordering(0, 1_000);
        rack.note_reordering(0, 5);
        assert_eq!(rack.reordering, 300);
    }

    #[test]
    fn tcp_enter_loss_three_segments_sacked_at_a_timeout_mean_that_reordering_was_overestimated() {
        for (sacked, left) in [(2, 20), (3, 3)] {
            let mut rack = Rack { reordering: 20, ..Rack::default() };
            rack.timed_out(sacked);
            assert_eq!(rack.reordering, left);
        }
    }

    #[test]
    fn tcp_rack_update_reo_wnd_the_window_grows_once_a_round_trip_and_lasts_sixteen_recoveries() {
        let mut rack = Rack::default();
        rack.note_dsack();
        rack.update_window(1, 100);
        assert_eq!(rack.steps, 1, "no reordering has been seen");
        rack.reordering_seen = true;
        rack.note_dsack();
        rack.update_window(1, 100);
        // A segment that left before 100 were delivered tells of the window as it was.
        rack.note_dsack();
        rack.update_window(99, 150);
        assert_eq!(rack.steps, 2);
        rack.update_window(100, 160);
        assert_eq!(rack.steps, 2, "the duplicate of that round trip is forgotten");
        for _ in 0..15 {
            rack.recovered();
        }
        rack.update_window(200, 300);
        assert_eq!(rack.steps, 2);
        rack.recovered();
        rack.update_window(200, 300);
        assert_eq!(rack.steps, 1);
    }
}
