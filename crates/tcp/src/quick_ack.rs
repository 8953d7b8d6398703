//! When a Linux receiver acknowledges at once: `tcp_input.c`, 6.1.
//!
//! A connection begins with "quick" ACKs, one for each segment, because the sender is in slow start
//! and needs the clock. Later ACKs are delayed by an estimate of the gap between arrivals (ATO),
//! between 40 and 200 ms. A delayed ACK that had to wait for its timer shows that the estimate is
//! too short for this sender.

use westwood_cc::{Duration, Instant};

/// `TCP_MAX_QUICKACKS`: quick ACKs to give at the start and after a disturbance.
const MAX_QUICK: u32 = 16;
/// `TCP_ATO_MIN`, `TCP_DELACK_MIN`: HZ / 25.
const MIN: Duration = Duration::from_millis(40);
/// `TCP_DELACK_MAX`: HZ / 5.
const MAX: Duration = Duration::from_millis(200);

/// The state behind a Linux receiver's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickAck {
    /// Quick ACKs still to give.
    quick: u32,
    /// The estimate of the gap between arrivals.
    ato: Duration,
    last_arrival: Option<Instant>,
}

impl Default for QuickAck {
    fn default() -> Self {
        Self {
            quick: MAX_QUICK,
            ato: MIN,
            last_arrival: None,
        }
    }
}

impl QuickAck {
    /// A segment arrived in order (`tcp_event_data_recv`).
    pub(crate) fn in_order(&mut self, now: Instant) {
        if let Some(last) = self.last_arrival {
            let gap = now.since(last);
            if gap <= MIN / 2 {
                self.ato = self.ato / 2 + MIN / 2;
            } else if gap < self.ato {
                self.ato = (self.ato / 2 + gap).min(MAX);
            } else if gap > MAX {
                // The sender paused: it may be in slow start again.
                self.quick = self.quick.max(MAX_QUICK);
            }
        }
        self.last_arrival = Some(now);
    }

    /// A segment arrived beyond a gap: the sender needs to know.
    pub(crate) fn out_of_order(&mut self) {
        self.quick = self.quick.max(MAX_QUICK);
    }

    /// True if the next segment is to be acknowledged at once.
    pub(crate) fn wants_ack(&self) -> bool {
        self.quick > 0
    }

    /// How long an ACK may wait.
    pub(crate) fn timeout(&self) -> Duration {
        self.ato.max(MIN).min(MAX)
    }

    /// An ACK leaves (`tcp_dec_quickack_mode`).
    pub(crate) fn acknowledged(&mut self) {
        self.quick = self.quick.saturating_sub(1);
    }

    /// The timer of a delayed ACK fired (`tcp_delack_timer_handler`).
    pub(crate) fn timer_fired(&mut self) {
        self.ato = (self.ato * 2).min(MAX);
    }
}
