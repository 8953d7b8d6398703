//! # Veno as Linux 6.1 ships it: a fifth for a loss without a queue
//!
//! C. P. Fu, S. C. Liew, "TCP Veno: TCP Enhancement for Transmission Over Wireless Access Networks", IEEE
//! JSAC 21(2), 2003. Linux 6.1, `net/ipv4/tcp_veno.c`.
//!
//! Vegas' count of segments in the queue tells losses apart. A loss while fewer than three wait is likely
//! the radio's, and takes a fifth; any other takes half. Beyond three the window grows every other
//! round-trip time.
//!
//! ```text
//! N = (cwnd / BaseRTT - cwnd / RTT) BaseRTT        segments in the queue
//! avoidance:  cwnd += 1 / cwnd for each ACK        N < beta
//!             cwnd += 1 / cwnd for every other ACK N >= beta
//! loss:       ssthresh = 4/5 cwnd                  N < beta
//!             ssthresh = 1/2 cwnd                  N >= beta
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `basertt`, `minrtt` | `base_us`, `rtt_us` | us, plus 1 |
//! | `cntrtt` | `samples` | - |
//! | `diff` | `queued` | segments, 1 fractional bit |
//! | `inc` | `is_turn` | - |
//! | `doing_veno_now` | `is_on` | - |
//!
//! The kernel's paces: N counts anew with the samples since the last growth, mostly one; `every other`
//! is the count of segments filling the window twice. A growth without a sample counts as the longest
//! queue. While a segment is missing the growth is Reno's and N stays.
//!
//! Rounding: N down to halves of a segment, windows down.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviation, under recoveries other than `linux`: a timeout leaves nothing in flight, so that the copy after
//! it forgets the smallest round-trip time. The kernel leaves young segments in flight, and keeps it then.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, micros};
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "veno",
    aliases: &[],
    summary: "a loss takes a fifth while the queue is short: for wireless links",
    source: "Linux 6.1 tcp_veno.c; Fu and Liew, 2003",
};

crate::parameters! {
    /// The module has no parameters.
    pub struct Params {}
}

/// Three segments in the queue, in halves.
const BETA: u64 = 3 << 1;
/// No sample: the kernel's largest round-trip time.
const NONE_US: u64 = 0x7fff_ffff;

/// Linux's Veno.
#[derive(Clone, Copy, Debug)]
pub struct Veno {
    count: Count,
    state: CongestionState,
    is_on: bool,
    base_us: u64,
    rtt_us: u64,
    samples: u64,
    queued: u64,
    /// In the congestive state the window grows the next time the count is full.
    is_turn: bool,
}

/// A Veno of Linux's.
pub fn new(_: &Params, _: &Setup) -> Veno {
    Veno {
        count: Count::default(),
        state: CongestionState::Open,
        is_on: true,
        base_us: NONE_US,
        rtt_us: NONE_US,
        samples: 0,
        queued: 0,
        is_turn: true,
    }
}

/// N, in halves of a segment.
fn queued(cwnd: u64, rtt_us: u64, base_us: u64) -> u64 {
    (2 * cwnd).saturating_sub(2 * cwnd * base_us / rtt_us)
}

impl Veno {
    /// `veno_enable`.
    fn enable(&mut self) {
        self.is_on = true;
        self.rtt_us = NONE_US;
    }

    /// `tcp_veno_init`: nothing is known of the path.
    fn begin(&mut self) {
        self.base_us = NONE_US;
        self.is_turn = true;
        self.enable();
    }

    /// One segment for twice the window.
    fn every_other(&mut self, w: Window, acked: u64) -> Window {
        let cwnd = w.cwnd.whole();
        if self.count.get() < cwnd {
            self.count.add(acked);
            return w;
        }
        self.count.clear();
        let grown = u64::from(self.is_turn);
        self.is_turn = !self.is_turn;
        linux::with_cwnd(w, cwnd + grown)
    }

    fn grow_by_queue(&mut self, w: Window, acked: u64) -> Window {
        self.queued = queued(w.cwnd.whole(), self.rtt_us, self.base_us);
        let (w, left) = if w.in_slow_start() { linux::slow_start(w, acked) } else { (w, acked) };
        if left == 0 {
            w
        } else if self.queued < BETA {
            linux::reno(w, left, &mut self.count)
        } else {
            self.every_other(w, left)
        }
    }
}

impl Controller for Veno {
    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            let rtt_us = micros(rtt).saturating_add(1).min(NONE_US);
            self.base_us = self.base_us.min(rtt_us);
            self.rtt_us = self.rtt_us.min(rtt_us);
            self.samples += 1;
        }
        if self.state.measured(ack) {
            self.enable();
        } else if self.state == CongestionState::Disorder {
            self.is_on = false;
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        if self.state.granted(grant.phase) {
            self.enable();
        }
        let w = linux::whole(w);
        let acked = grant.credit.whole();
        if !self.is_on {
            return linux::reno(w, acked, &mut self.count);
        }
        let next = if self.samples <= 2 {
            linux::reno(w, acked, &mut self.count)
        } else {
            let next = self.grow_by_queue(w, acked);
            Window { cwnd: next.cwnd.max(Segments::TWO), ..next }
        };
        self.rtt_us = NONE_US;
        next
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let share = if self.queued < BETA { Ratio::new(4, 5) } else { Ratio::new(1, 2) };
        self.count.clear();
        self.state = CongestionState::Reduced;
        self.is_on = false;
        let cwnd = w.cwnd.whole();
        let left = cwnd * u64::from(share.num()) / u64::from(share.den());
        let ssthresh = Segments::new(left).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.enable();
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.enable();
        linux::undone(now_w, before)
    }

    /// `CA_EVENT_TX_START`.
    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        self.begin();
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup};

    /// A window of 40 and the smallest round-trip time 100 ms; `rtt_ms` after it.
    fn seen(rtt_ms: u64) -> (Veno, Window) {
        let mut c = new(&Params::default(), &setup());
        let w = avoidance(Segments::new(40));
        for (i, ms) in [(1, 100), (2, 100), (3, rtt_ms)] {
            c.measure(&ack(i, ms, i, i + 40));
            c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        }
        c.count.clear();
        (c, w)
    }

    fn acks_for_a_segment(rtt_ms: u64) -> u64 {
        let (mut c, mut w) = seen(rtt_ms);
        for i in 1..200 {
            c.measure(&ack(i, rtt_ms, i, i + 40));
            w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
            if w.cwnd.whole() == 42 {
                return i;
            }
        }
        0
    }

    #[test]
    fn a_loss_leaves_four_fifths_while_fewer_than_three_segments_wait_and_half_beyond() {
        // 40 segments: 105 ms are 1.9 in the queue, 110 ms are 3.6.
        for (rtt_ms, left) in [(105, 32), (110, 20)] {
            let (mut c, w) = seen(rtt_ms);
            let r = c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
            assert_eq!(r.ssthresh.whole(), left, "{rtt_ms} ms");
        }
    }

    #[test]
    fn with_a_queue_of_three_segments_the_window_grows_half_as_fast() {
        // Two segments: 40 and 41 ACKs without a queue; with one, 41 and 2 times 42 more, since a full
        // count spends an ACK.
        assert_eq!(acks_for_a_segment(100), 81);
        assert_eq!(acks_for_a_segment(120), 41 + 2 * 42);
    }

    #[test]
    fn while_a_segment_is_missing_the_count_of_the_queue_stays() {
        let (mut c, w) = seen(100);
        let mut hole = ack(9, 150, 3, 43);
        hole.in_flight -= 1;
        c.measure(&hole);
        c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 32);
    }

    #[test]
    fn the_ack_that_ends_a_recovery_counts_as_the_longest_queue() {
        let (mut c, w) = seen(100);
        c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        c.recovered(w, Instant::ZERO);
        c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(c.queued, 80);
    }

    #[test]
    fn a_silence_forgets_the_smallest_round_trip_time() {
        let (mut c, w) = seen(100);
        c.restarted(w, Duration::from_secs(1), Instant::ZERO);
        c.measure(&ack(9, 200, 9, 49));
        c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(c.queued, 0);
    }
}
