//! The flags and stamps of one ACK, which `tcp_ack` passes along.

use westwood_cc::{Duration, Instant};

use crate::segment::AckSegment;
use crate::sender::Core;

/// The clock of the timestamp option: whole milliseconds (`tcp_time_stamp`, `TCP_TS_HZ`). A round-trip
/// time from an echo is no finer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(u64);

impl Stamp {
    pub(super) fn of(at: Instant) -> Self {
        Self(at.as_nanos() / 1_000_000)
    }

    /// Since then, one millisecond at least.
    fn elapsed(self, now: Instant) -> Duration {
        Duration::from_millis(Self::of(now).0.saturating_sub(self.0).max(1))
    }
}

/// The state in which an ACK finds the flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckKind {
    /// A later ACK has overtaken it.
    Overtaken,
    /// Nothing is outstanding.
    Idle,
    /// Segments are in flight.
    InFlight,
}

impl AckKind {
    pub(super) fn of(ack: &AckSegment, core: &Core) -> Self {
        if ack.ack < core.snd_una() {
            Self::Overtaken
        } else if core.outstanding() == 0 {
            Self::Idle
        } else {
            Self::InFlight
        }
    }
}

/// The flags and stamps of one ACK. The names in parentheses are Linux's `FLAG_*`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckFlags {
    pub(super) kind: AckKind,
    /// When it arrived.
    pub(super) now: Instant,
    /// The echoed timestamp, if it says something about the data (RFC 7323).
    echo: Option<Instant>,
    /// The cumulative acknowledgment before it.
    pub(super) prior_una: u64,
    /// The end of what was selectively acknowledged before it.
    pub(super) prior_fack: u64,
    /// Segments judged lost since the start, before it.
    pub(super) prior_marked: u64,
    /// `snd_max` when the state in which it arrives was entered.
    pub(super) high_seq: u64,
    /// The cumulative acknowledgment moved (`SND_UNA_ADVANCED`, `DATA_ACKED`).
    pub(super) advanced: bool,
    /// A segment was selectively acknowledged for the first time (`DATA_SACKED`).
    pub(super) sacked: bool,
    /// A segment that had been sent again was cumulatively acknowledged (`RETRANS_DATA_ACKED`).
    pub(super) retransmission_acked: bool,
    /// A segment sent once, below `high_seq`, was delivered (`ORIG_SACK_ACKED`).
    pub(super) original_delivered: bool,
    /// It reports a duplicate (`DSACKING_ACK`).
    pub(super) dsack: bool,
    /// The duplicate is the tail loss probe (`DSACK_TLP`).
    pub(super) dsack_of_probe: bool,
    /// A congestion mark is echoed (`ECE`).
    pub(super) ece: bool,
    /// It shows that a copy was lost (`LOST_RETRANS`).
    pub(super) retransmission_lost: bool,
    /// The timer is to be set anew (`SET_XMIT_TIMER`).
    pub(super) set_timer: bool,
    /// When the first and the last segment left that it acknowledges cumulatively, of those sent once.
    pub(super) acked_at: Option<(Instant, Instant)>,
    /// When the first and the last segment left that it acknowledges selectively, of those sent once.
    pub(super) sacked_at: Option<(Instant, Instant)>,
    /// The lowest segment, sent once, that was delivered late.
    pub(super) late: u64,
}

impl AckFlags {
    pub(super) fn new(
        now: Instant,
        echo: Option<Instant>,
        prior_una: u64,
        prior_fack: u64,
    ) -> Self {
        Self {
            kind: AckKind::InFlight,
            now,
            echo,
            prior_una,
            prior_fack,
            prior_marked: 0,
            high_seq: 0,
            advanced: false,
            sacked: false,
            retransmission_acked: false,
            original_delivered: false,
            dsack: false,
            dsack_of_probe: false,
            ece: false,
            retransmission_lost: false,
            set_timer: false,
            acked_at: None,
            sacked_at: None,
            late: u64::MAX,
        }
    }

    /// The echoed timestamp, if it says something about the data.
    pub(super) fn echo(&self) -> Option<Stamp> {
        self.echo.map(Stamp::of)
    }

    /// True if what SACK blocks report counts as delivered. `tcp_ack` adds it (`sack_delivered`) after it has
    /// sent overtaken ACKs to `old_ack`: their reports never count.
    pub(super) fn counts_reports(&self) -> bool {
        self.kind != AckKind::Overtaken
    }

    /// True for a duplicate ACK: it neither advances nor reports a duplicate segment.
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
        let acked = self.acked_at.filter(|_| !self.retransmission_acked);
        let ages =
            |(first, last): (Instant, Instant)| (self.now.since(first), self.now.since(last));
        match (acked.map(ages), self.sacked_at.map(ages)) {
            (Some((longest, _)), Some((_, newest))) => Some((longest, newest)),
            (Some(pair), None) | (None, Some(pair)) => Some(pair),
            // Where Karn's rule forbids the others a timestamp measures, for new data (RFC 7323 section 4.1).
            (None, None) => {
                let rtt = self.echo().filter(|_| self.advanced)?.elapsed(self.now);
                Some((rtt, rtt))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(us: u64) -> Instant {
        Instant::from_nanos(us * 1_000)
    }

    #[test]
    fn tcp_ack_update_rtt_an_echo_measures_in_whole_milliseconds() {
        let rtt = |now, echo| {
            let mut flags = AckFlags::new(at(now), Some(at(echo)), 0, 0);
            flags.advanced = true;
            flags.rtts().map(|(longest, _)| longest)
        };
        // 20.4 ms are 20 or 21 ticks, wherever they begin.
        assert_eq!(rtt(70_400, 50_000), Some(Duration::from_millis(20)));
        assert_eq!(rtt(71_100, 50_700), Some(Duration::from_millis(21)));
        assert_eq!(rtt(50_900, 50_500), Some(Duration::from_millis(1)));
    }

    #[test]
    fn tcp_ack_update_rtt_a_segment_sent_once_measures_exactly() {
        let mut flags = AckFlags::new(at(70_400), Some(at(50_000)), 0, 0);
        flags.advanced = true;
        AckFlags::widen(&mut flags.acked_at, at(50_000));
        let exact = Duration::from_micros(20_400);
        assert_eq!(flags.rtts(), Some((exact, exact)));
    }
}
