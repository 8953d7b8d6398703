//! # HighSpeed TCP as Linux 6.1 ships it
//!
//! S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003. Linux 6.1,
//! `net/ipv4/tcp_highspeed.c`.
//!
//! The larger the window, the more it grows in a round-trip time and the less a loss takes:
//!
//! ```text
//! avoidance:  w += a(w) / w     for each ACK
//! loss:       w = (1 - b(w)) w
//!
//! b(w) = (0.1 - 0.5) (log w - log 38) / (log 83000 - log 38) + 0.5     section 5
//! a(w) = the number of the row of appendix B, from 1
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `ai` | `row` | rows of the table, from 0 |
//! | `hstcp_aimd_vals` | `TAKEN`, and the windows of [`highspeed`] | 1/256 of the window |
//! | `snd_cwnd_cnt` | `count` | segments |
//!
//! Beside [`highspeed`], the row is the one whose window is the first not below cwnd. It is
//! looked up while the window grows in avoidance, so that a loss in the first slow start finds the first
//! row, and takes half. The kernel's table ends a row before the RFC's, with 89,053 segments.
//!
//! Rounding: `b(w)` down to 1/256, windows down. An ACK adds `a(w)` to the count whatever it acknowledges:
//! delayed ACKs halve the growth. A segment is added at most for an ACK, and what exceeds the window
//! stays in the count.
//!
//! Deviation: none. ECN: like a loss (`tcp_enter_cwr`).

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::{Info, highspeed};
use crate::linux::{self, Count};
use crate::units::{Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "highspeed-linux",
    aliases: &[],
    summary: "HighSpeed TCP in whole segments, with the upper row of the table",
    source: "Linux 6.1 tcp_highspeed.c",
};

crate::parameters! {
    /// The module has no parameters.
    pub struct Params {}
}

/// `b(w)` of each row, in 1/256.
#[rustfmt::skip]
const TAKEN: [u8; 72] = [
    128, 112, 104, 98, 93, 89, 86, 83, 81, 78, 76, 74, 72, 71, 69, 68, 66, 65, 64, 62, 61, 60, 59, 58,
    57, 56, 55, 54, 53, 52, 52, 51, 50, 49, 48, 48, 47, 46, 45, 45, 44, 43, 43, 42, 41, 41, 40, 39,
    39, 38, 38, 37, 36, 36, 35, 35, 34, 33, 33, 32, 32, 31, 30, 30, 29, 28, 28, 27, 26, 26, 25, 24,
];

/// Linux's HighSpeed TCP.
#[derive(Clone, Copy, Debug, Default)]
pub struct HighSpeedLinux {
    count: Count,
    row: u8,
}

/// A HighSpeed TCP of Linux's.
pub fn new(_: &Params, _: &Setup) -> HighSpeedLinux {
    HighSpeedLinux::default()
}

/// The first row whose window is not below this one, or the last.
fn row(cwnd: u64) -> u8 {
    let row = highspeed::rows_below(Segments::new(cwnd)).min(TAKEN.len() - 1);
    u8::try_from(row).unwrap_or(u8::MAX)
}

impl HighSpeedLinux {
    /// The share that a loss takes, in 1/256.
    fn taken(&self) -> u8 {
        TAKEN.get(usize::from(self.row)).copied().unwrap_or(TAKEN[0])
    }
}

impl Controller for HighSpeedLinux {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let w = linux::whole(w);
        if w.in_slow_start() {
            return linux::slow_start(w, grant.credit.whole()).0;
        }
        let cwnd = w.cwnd.whole();
        self.row = row(cwnd);
        self.count.add(u64::from(self.row) + 1);
        linux::with_cwnd(w, cwnd + u64::from(self.count.take(cwnd)))
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        let (cwnd, taken) = (w.cwnd.whole(), self.taken());
        let ssthresh = Segments::new(cwnd - cwnd * u64::from(taken) / 256).max(Segments::TWO);
        let reason = Reason::Share(Ratio::new(256 - u32::from(taken), 256));
        Reduction { ssthresh, resume: ssthresh, reason }
    }

    window_only_without_memory!(linux::undone);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::avoidance;

    /// A window after so many ACKs of two segments.
    fn after(cwnd: u64, acks: u64) -> (HighSpeedLinux, u64) {
        let mut c = HighSpeedLinux::default();
        let mut w = avoidance(Segments::new(cwnd));
        for _ in 0..acks {
            w = c.grow(w, &Grant::open(Instant::ZERO, Segments::TWO));
        }
        (c, w.cwnd.whole())
    }

    #[test]
    fn a_window_of_38_grows_like_renos_and_one_more_has_the_second_row() {
        assert_eq!((after(38, 37).1, after(38, 38).1), (38, 39));
        assert_eq!((after(39, 19).1, after(39, 20).1), (39, 40));
        // 1,000 segments: row 8 of up to 1,058, so 125 ACKs.
        assert_eq!((after(1_000, 124).1, after(1_000, 125).1), (1_000, 1_001));
    }

    #[test]
    fn a_loss_takes_what_the_row_says_and_half_before_any_growth() {
        let lose = |mut c: HighSpeedLinux| {
            let w = avoidance(Segments::new(1_000));
            c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole()
        };
        assert_eq!(lose(HighSpeedLinux::default()), 500);
        // 83/256 = 0.324.
        assert_eq!(lose(after(1_000, 1).0), 676);
    }

    #[test]
    fn every_row_takes_b_of_its_window_rounded_down() {
        let span = (83_000.0_f64 / 38.0).ln();
        for cwnd in 38_u32..89_053 {
            let of = row(u64::from(cwnd));
            if row(u64::from(cwnd) + 1) > of {
                // The last window of a row is the RFC's.
                let b = 0.5 - 0.4 * (f64::from(cwnd) / 38.0).ln() / span;
                let off = b * 256.0 - f64::from(TAKEN[usize::from(of)]);
                assert!((0.0..1.0).contains(&off), "{cwnd} {b}");
            }
        }
        assert_eq!(row(89_053), 71);
        assert_eq!(row(1 << 20), 71);
    }

    #[test]
    fn tcp_init_cwnd_reduction_a_loss_begins_the_count_of_acks_anew() {
        let (mut c, cwnd) = after(20, 19);
        assert_eq!(cwnd, 20);
        c.reduce(avoidance(Segments::new(20)), Cause::FastRetransmit, Instant::ZERO);
        let ack = Grant::open(Instant::ZERO, Segments::ONE);
        let mut grown = || c.grow(avoidance(Segments::new(10)), &ack).cwnd.whole();
        assert!((0..9).all(|_| grown() == 10));
        assert_eq!(grown(), 11);
    }
}
