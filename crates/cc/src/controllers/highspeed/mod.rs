//! # HighSpeed TCP: increase and decrease by a table of windows
//!
//! S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003.
//!
//! The larger the window, the more it grows in a round-trip time and the less a loss takes, such that
//! 83,000 segments need a loss rate of no more than 10^-7. Up to 38 segments it is Reno.
//!
//! | RFC 3649 | here | value |
//! |---|---|---|
//! | w | cwnd | segments |
//! | a(w) | `ResponseRow::increase` | 1 to 73 segments a round-trip time |
//! | b(w) | 1 - `ResponseRow::decrease_factor` | 0.5 to 0.09 |
//! | Low_Window | first row | 38 segments |
//!
//! * Section 5: `w += a(w) / w` for each ACK; `w = (1 - b(w)) w` on loss.
//! * Appendix B: `b(w) = (0.1 - 0.5) (log w - log 38) / (log 83000 - log 38) + 0.5` and
//!   `a(w) = 2 w^2 p(w) b(w) / (2 - b(w))` with `p(w) = 0.078 / w^1.2`, as a table of 73 rows.
//!
//! Deviations:
//! * Between two rows the lower one holds, where the formula is smooth; Linux takes the upper one.
//! * Above the last row (94,717 segments) that row holds.
//! * Limited slow start (RFC 3742) is a separate proposal and not part of this.
//!
//! ECN: an echoed mark is answered like a loss seen by duplicate ACKs.
//!
//! Rounding: `a(w) / w` is rounded down to 2^-32 segments below 64 segments, else within 2^-20.

mod table;

use crate::controller::{Ack, Cause, Reason, Reduction, Setup, Window};
use crate::controllers::Info;
use crate::decrease::Decrease;
use crate::increase::{Increase, memoryless};
use crate::units::{Instant, Rate, Segments};
use crate::windowed::Windowed;
use table::ResponseRow;
pub(super) use table::rows_below;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "highspeed",
    aliases: &["hstcp"],
    summary: "the larger the window, the faster it grows and the less a loss takes",
    source: "RFC 3649",
};

crate::parameters! {
    /// HighSpeed TCP has no parameters but its table.
    pub struct Params {}
}

/// `cwnd += a(cwnd) / cwnd` for each ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableIncrease;

impl Increase for TableIncrease {
    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        cwnd + credit.times_q32(ResponseRow::at(cwnd).increase()).over(cwnd)
    }

    memoryless!();
}

/// Keeps `1 - b(cwnd)` of the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableDecrease;

impl Decrease for TableDecrease {
    fn measure(&mut self, _: &Ack) {}

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let share = ResponseRow::at(w.cwnd).decrease_factor();
        let ssthresh = w.cwnd.times(share).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}

/// HighSpeed TCP.
pub type HighSpeed = Windowed<TableIncrease, TableDecrease>;

/// A HighSpeed TCP.
pub fn new(_: &Params, _: &Setup) -> HighSpeed {
    Windowed { up: TableIncrease, down: TableDecrease }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Controller, Grant};
    use crate::testing::{avoidance, setup};

    #[test]
    fn a_loss_at_ten_thousand_segments_takes_a_fifth() {
        let mut c = new(&Params::default(), &setup());
        let w = avoidance(Segments::new(10_000));
        // b(9991) = 0.21
        let r = c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.resume.whole(), 7_900);
    }

    #[test]
    fn a_round_at_a_thousand_segments_adds_seven() {
        let mut c = new(&Params::default(), &setup());
        let mut w = avoidance(Segments::new(1_000));
        for _ in 0..1_000 {
            w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        }
        assert_eq!(w.cwnd.whole(), 1_006);
        assert_eq!((w.cwnd + Segments::ONE).whole(), 1_007);
    }

    #[test]
    fn up_to_thirty_eight_segments_it_is_reno() {
        let mut c = new(&Params::default(), &setup());
        let w = avoidance(Segments::new(38));
        let r = c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.resume, Segments::new(19));
        let grown = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!(grown.cwnd - w.cwnd, Segments::ONE.over(w.cwnd));
    }
}
