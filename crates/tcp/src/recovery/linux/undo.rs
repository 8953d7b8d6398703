//! Undo: a needless reduction is taken back.
//!
//! Evidence is either that every copy is reported as a duplicate (RFC 2883, RFC 3708; `undo_retrans` falls to
//! zero), or that the receiver echoes a timestamp older than the first copy (Eifel, RFC 3522), so that it
//! answered an original.

use westwood_cc::{Instant, Window};

use super::flags::Stamp;

/// The state to take a reduction back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// `snd_una` when the recovery began; none if there is nothing to undo.
    pub(super) marker: Option<u64>,
    /// Copies not yet reported as duplicates; none before the first copy.
    retransmissions: Option<u64>,
    /// The window to go back to; none if congestion is certain (ECN).
    pub(super) prior: Option<Window>,
    /// When the first copy of this recovery left (`retrans_stamp`).
    first_retransmission: Option<Stamp>,
    /// Duplicates reported since the start.
    reported: u64,
}

impl Undo {
    /// A recovery begins (`tcp_init_undo`) with `retransmissions` in flight.
    pub(super) fn begin(&mut self, snd_una: u64, retransmissions: u64) {
        self.marker = Some(snd_una);
        self.retransmissions = (retransmissions > 0).then_some(retransmissions);
    }

    /// A copy has left (`tcp_retransmit_skb`).
    pub(super) fn sent(&mut self, now: Instant) {
        self.first_retransmission.get_or_insert(Stamp::of(now));
        self.retransmissions = Some(self.retransmissions.unwrap_or(0) + 1);
    }

    /// No copy is in flight any more.
    pub(super) fn forget_first_retransmission(&mut self) {
        self.first_retransmission = None;
    }

    /// The ACK echoes a time before the first copy, or nothing was sent again (`tcp_packet_delayed`).
    pub(super) fn answers_original(&self, echo: Option<Stamp>) -> bool {
        self.first_retransmission.is_none_or(|first| echo.is_some_and(|e| e < first))
    }

    /// Every copy was reported as a duplicate.
    pub(super) fn all_duplicates(&self) -> bool {
        self.marker.is_some() && self.retransmissions == Some(0)
    }

    /// One or the other (`tcp_may_undo`).
    pub(super) fn may_undo(&self, echo: Option<Stamp>) -> bool {
        self.marker.is_some() && (self.retransmissions == Some(0) || self.answers_original(echo))
    }

    /// `n` duplicates are reported. False if they exceed the copies sent: then the network made them.
    pub(super) fn report(&mut self, n: u64, sent_again: u64) -> bool {
        self.reported += n;
        self.reported <= sent_again
    }

    /// `n` of the copies were duplicates.
    pub(super) fn discount(&mut self, n: u64) {
        if self.marker.is_some() {
            self.retransmissions = self.retransmissions.map(|c| c.saturating_sub(n));
        }
    }

    /// The reduction has been taken back.
    pub(super) fn done(&mut self) {
        self.marker = None;
    }
}
