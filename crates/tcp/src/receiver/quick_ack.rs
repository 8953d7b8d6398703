//! Quick and delayed ACKs of a Linux 6.1 receiver: `tcp_event_data_recv`, `__tcp_ack_snd_check`.
//!
//! A connection begins with "quick" ACKs, one for each segment, because the sender is in slow start
//! and needs the clock. Quick ACKs go on while the receive window still grows. Later every second
//! segment is acknowledged, and a lone one after an estimate of the gap between arrivals (ATO),
//! of at least 40 ms. The wait is at most a round-trip time, or 40 ms if that is shorter, or 200 ms if it is
//! longer (`tcp_send_delayed_ack`). A delayed ACK that had to wait for its timer shows that the estimate is
//! too short for this sender. After a pause longer than the receiver's own timeout quick ACKs begin anew. A
//! receiver that sends no data knows both times from the handshake; without one both are 200 ms.
//!
//! There are at most 16 quick ACKs, and fewer with a window of less than 32 segments. Without a receive
//! buffer or the memory of a proxy the window counts as larger than that.
//!
//! Behind a gap the first three segments are acknowledged at once. Then SACKs are compressed: up to 44
//! reports are gathered for 5 % of the round-trip time, a millisecond at most, and for the timer's slack
//! (`tcp_comp_sack_*`). A receiver without a handshake waits for the whole millisecond.
//!
//! Simplified: a setting says for how many segments the window grows. `tcp_grow_window` adds two segments
//! for each that arrives, from where the window begins (`tcp_select_initial_window`) up to what the
//! buffer has room for (`window_clamp`):
//!
//! | kernel | begins at | ends at | segments |
//! |---|---|---|---|
//! | 6.1 | 64 KiB | half of the buffer | 2,880 for 16 MiB |
//! | from 6.10 on | half of the buffer | the buffer times the payload's share of a packet's memory | 1,449 for 32 MiB and 5/8 |
//!
//! With a [receive buffer](crate::BufferSizes) the window grows by the rules of its own, and the setting is
//! of no effect.

use westwood_cc::{Duration, Ecn, Instant};

use crate::rtt::linux_first_timeout;

/// `TCP_MAX_QUICKACKS`: quick ACKs to give at the start and after a disturbance, at most.
const MAX_QUICK: u32 = 16;
/// Quick ACKs from the first of a series of marks on, and of a window that has no room for two segments.
const LEAST_QUICK: u32 = 2;
/// `TCP_ATO_MIN`, `TCP_DELACK_MIN`: HZ / 25.
const MIN: Duration = Duration::from_millis(40);
/// `TCP_DELACK_MAX`: HZ / 5.
const MAX: Duration = Duration::from_millis(200);
/// `TCP_RTO_MIN`, HZ / 5: the least variation in a timeout (`tcp_rtt_estimator`, `__tcp_set_rto`).
const RTO_MIN: Duration = Duration::from_millis(200);
/// `TCP_FASTRETRANS_THRESH`: reports that are never gathered, for senders that count duplicates.
const PROMPT: u32 = 3;
/// `tcp_comp_sack_nr`: reports gathered at most.
const MAX_GATHERED: u32 = 44;
/// `tcp_comp_sack_delay_ns`: for how long at most.
const GATHER: Duration = Duration::from_millis(1);
/// `tcp_comp_sack_slack_ns`: what the timer may be late, and is: only a timer of the same kind would wake it
/// before.
const SLACK: Duration = Duration::from_micros(100);
/// The share of the round-trip time for which reports may wait: 5 % (`__tcp_ack_snd_check`).
const GATHER_OF_RTT: u64 = 20;

/// Quick ACKs that a receiver grants whose last ACK told of a window of so many segments: one for each two
/// of them, since a sender in slow start has no more in flight than the window (`tcp_incr_quickack`).
pub(crate) fn quickack_budget(window: u64) -> u32 {
    let budget = u32::try_from(window / 2).unwrap_or(u32::MAX);
    if budget == 0 { LEAST_QUICK } else { budget.min(MAX_QUICK) }
}

/// The state of Linux's policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickAck {
    /// Quick ACKs still to give.
    quick: u32,
    /// Segments by which the window has yet to grow.
    growth: u32,
    /// The estimate of the gap between arrivals.
    ato: Duration,
    /// The longest wait of a delayed ACK.
    longest: Duration,
    /// The receiver's own retransmission timeout, to which the estimate may grow.
    rto: Duration,
    last_arrival: Option<Instant>,
    /// An ECN-capable segment has arrived (`TCP_ECN_SEEN`).
    seen_ect: bool,
    /// Reports sent at once for the present gap, which begins at this segment.
    prompt: u32,
    gap: u64,
    /// Reports that wait.
    gathered: u32,
    /// For how long they may.
    gather: Duration,
}

impl QuickAck {
    /// The start of a connection whose window begins with `window` segments and grows for `growth`.
    pub(crate) fn new(window: u64, growth: u32, handshake_rtt: Option<Duration>) -> Self {
        Self {
            quick: quickack_budget(window),
            growth,
            ato: MIN,
            longest: handshake_rtt.map_or(MAX, |rtt| rtt.max(MIN).min(MAX)),
            rto: handshake_rtt.map_or(MAX, |rtt| linux_first_timeout(rtt, RTO_MIN)),
            last_arrival: None,
            seen_ect: false,
            prompt: 0,
            gap: 0,
            gathered: 0,
            gather: handshake_rtt.map_or(GATHER, |rtt| GATHER.min(rtt / GATHER_OF_RTT)) + SLACK,
        }
    }

    /// A segment arrived in order (`tcp_event_data_recv`); the last ACK told of a window of so many segments.
    pub(crate) fn in_order(&mut self, now: Instant, window: impl FnOnce() -> u64) {
        if let Some(last) = self.last_arrival {
            let gap = now.since(last);
            if gap <= MIN / 2 {
                self.ato = self.ato / 2 + MIN / 2;
            } else if gap < self.ato {
                self.ato = (self.ato / 2 + gap).min(self.rto);
            } else if gap > self.rto {
                // The sender paused: it may be in slow start again.
                self.quick = self.quick.max(quickack_budget(window()));
            }
        }
        self.last_arrival = Some(now);
        self.grow();
    }

    /// A segment arrived beyond a gap.
    pub(crate) fn out_of_order(&mut self) {
        self.grow();
    }

    /// A duplicate arrived: the sender needs ACKs (`tcp_enter_quickack_mode`). The last one told of a window
    /// of so many segments.
    pub(crate) fn duplicate(&mut self, window: u64) {
        self.quick = self.quick.max(quickack_budget(window));
        self.ato = MIN;
    }

    /// A mark begins a series (`__tcp_ecn_check_ce`): the sender's window may become small.
    pub(crate) fn marked(&mut self) {
        self.quick = self.quick.max(LEAST_QUICK);
        self.ato = MIN;
    }

    /// A new segment carries this codepoint. Among segments that are ECN-capable one that is not is a copy,
    /// and its sender may have lost its ACK clock (`__tcp_ecn_check_ce`).
    pub(crate) fn note_codepoint(&mut self, ecn: Ecn) {
        if ecn != Ecn::NotEct {
            self.seen_ect = true;
        } else if self.seen_ect {
            self.marked();
        }
    }

    /// The window grows (`tcp_grow_window`), and the next ACK announces it.
    fn grow(&mut self) {
        if self.growth > 0 {
            self.growth -= 1;
            self.quick |= 1;
        }
    }

    /// The window has grown by the rules of a receive buffer, and the next ACK announces it.
    pub(crate) fn announce(&mut self) {
        self.quick |= 1;
    }

    /// Little room is left: ACKs need not hurry (`__tcp_select_window`).
    pub(crate) fn cancel_quickacks(&mut self) {
        self.quick = 0;
    }

    /// How long the ACK of new data may wait; none if it must not (`__tcp_ack_snd_check`). `waiting`
    /// segments in order are not acknowledged, and a gap begins at `gap`; behind it the second segment's ACK
    /// is a report like others unless the window `advances`.
    pub(crate) fn wait(
        &mut self,
        waiting: u64,
        gap: Option<u64>,
        advances: impl FnOnce() -> bool,
    ) -> Option<Duration> {
        if self.quick > 0 || waiting >= 2 && (gap.is_none() || advances()) {
            return None;
        }
        match gap {
            Some(rcv_nxt) => self.compress_sack(rcv_nxt),
            None => Some(self.ato.min(self.longest)),
        }
    }

    /// A segment arrived behind a gap that begins at `rcv_nxt`. Answers how long its report may wait; none
    /// if it must not.
    fn compress_sack(&mut self, rcv_nxt: u64) -> Option<Duration> {
        if self.gathered >= MAX_GATHERED {
            return None;
        }
        if self.gap != rcv_nxt {
            self.gap = rcv_nxt;
            self.prompt = 0;
        }
        if self.prompt < PROMPT {
            self.prompt += 1;
            return None;
        }
        self.gathered += 1;
        Some(self.gather)
    }

    /// True if reports wait. A new range must not crowd them out of the ACK.
    pub(crate) fn has_gathered(&self) -> bool {
        self.gathered > 0
    }

    /// An ACK leaves (`tcp_dec_quickack_mode`).
    pub(crate) fn acknowledged(&mut self) {
        self.gathered = 0;
        if self.quick == 1 {
            self.ato = MIN;
        }
        self.quick = self.quick.saturating_sub(1);
    }

    /// The timer of a delayed ACK fired (`tcp_delack_timer_handler`).
    pub(crate) fn timer_fired(&mut self) {
        if self.gathered == 0 {
            self.ato = (self.ato * 2).min(self.rto);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A window that grants as many quick ACKs as any.
    const WIDE: u64 = 32;

    /// A receiver whose window does not grow, behind its first quick ACKs.
    fn calm(handshake_rtt: Option<Duration>) -> QuickAck {
        let mut quick = QuickAck::new(WIDE, 0, handshake_rtt);
        quick.quick = 0;
        quick
    }

    /// The wait of a lone segment that comes so long after the last one.
    fn wait_after(quick: &mut QuickAck, gap: Duration) -> Option<Duration> {
        let last = quick.last_arrival.get_or_insert(Instant::ZERO);
        let now = *last + gap;
        quick.in_order(now, || WIDE);
        quick.wait(1, None, || true)
    }

    #[test]
    fn a_delayed_ack_waits_no_longer_than_a_round_trip_or_40_ms() {
        for (rtt, longest) in [(10, 40), (57, 57), (120, 120), (400, 200)] {
            let mut quick = calm(Some(ms(rtt)));
            assert_eq!(wait_after(&mut quick, ms(1)), Some(ms(40)), "{rtt}");
            for _ in 0..5 {
                quick.timer_fired();
            }
            assert_eq!(quick.wait(1, None, || true), Some(ms(longest)), "{rtt}");
        }
    }

    #[test]
    fn the_estimate_grows_with_the_gaps_and_falls_with_fast_arrivals() {
        let mut quick = calm(Some(ms(300)));
        quick.timer_fired();
        assert_eq!(quick.wait(1, None, || true), Some(ms(80)));
        // 80 / 2 + 60, then 100 / 2 + 20.
        assert_eq!(wait_after(&mut quick, ms(60)), Some(ms(100)));
        assert_eq!(wait_after(&mut quick, ms(1)), Some(ms(70)));
    }

    #[test]
    fn quick_acks_begin_anew_after_a_pause_longer_than_the_timeout() {
        // The first sample makes it 3 round-trip times, and 200 ms beside one at least.
        for (rtt, rto) in [(57, 257), (300, 900)] {
            let mut quick = calm(Some(ms(rtt)));
            assert!(wait_after(&mut quick, ms(rto)).is_some(), "{rtt}");
            assert!(wait_after(&mut quick, ms(rto + 1)).is_none(), "{rtt}");
            assert_eq!(quick.quick, MAX_QUICK);
        }
    }

    #[test]
    fn a_window_grants_a_quick_ack_for_two_of_its_segments() {
        for (window, quick) in
            [(0, 2), (1, 2), (2, 1), (3, 1), (9, 4), (31, 15), (32, 16), (999, 16)]
        {
            assert_eq!(QuickAck::new(window, 0, None).quick, quick, "{window}");
            let mut receiver = calm(None);
            receiver.duplicate(window);
            assert_eq!(receiver.quick, quick, "{window}");
            let mut receiver = calm(None);
            receiver.in_order(Instant::ZERO, || window);
            receiver.in_order(Instant::ZERO + ms(201), || window);
            assert_eq!(receiver.quick, quick, "{window}");
        }
    }

    #[test]
    fn a_mark_makes_two_acks_quick() {
        let mut quick = calm(Some(ms(100)));
        quick.marked();
        for expected in [None, None, Some(ms(40))] {
            assert_eq!(wait_after(&mut quick, ms(1)), expected);
            quick.acknowledged();
        }
    }

    #[test]
    fn behind_a_gap_an_ack_of_two_segments_is_counted_if_the_window_does_not_advance() {
        for (advances, prompt) in [(true, 3), (false, 2)] {
            let mut quick = calm(Some(ms(100)));
            assert_eq!(quick.wait(2, Some(5), || advances), None);
            for _ in 0..prompt {
                assert_eq!(quick.wait(0, Some(5), || advances), None, "{advances}");
            }
            assert!(quick.wait(0, Some(5), || advances).is_some(), "{advances}");
        }
    }
}
