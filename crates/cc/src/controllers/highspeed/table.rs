//! The response of RFC 3649, appendix B: what a round-trip time adds and a loss takes, by window.

use crate::units::{Ratio, Segments};

/// One row: from this window on, `a(w)` in segments and `b(w)` in hundredths.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResponseRow {
    from: u32,
    a: u8,
    b: u8,
}

const fn row(from: u32, a: u8, b: u8) -> ResponseRow {
    ResponseRow { from, a, b }
}

impl ResponseRow {
    /// The row for a window: the last that begins at or below it, the first for any smaller one.
    pub(super) fn at(cwnd: Segments) -> Self {
        let above = TABLE.partition_point(|r| u64::from(r.from) <= cwnd.whole());
        TABLE[above.saturating_sub(1)]
    }

    /// `a(w)`, what a round-trip time adds.
    pub(super) fn increase(self) -> Segments {
        Segments::new(u64::from(self.a))
    }

    /// `1 - b(w)`, what a loss leaves.
    pub(super) fn decrease_factor(self) -> Ratio {
        Ratio::new(u32::from(self.b), 100).complement()
    }
}

/// Rows that begin below a window.
pub(in crate::controllers) fn rows_below(cwnd: Segments) -> usize {
    TABLE.partition_point(|r| u64::from(r.from) < cwnd.whole())
}

/// w, a(w), 100 b(w).
#[rustfmt::skip]
const TABLE: [ResponseRow; 73] = [
    row(38, 1, 50), row(118, 2, 44), row(221, 3, 41), row(347, 4, 38),
    row(495, 5, 37), row(663, 6, 35), row(851, 7, 34), row(1058, 8, 33),
    row(1284, 9, 32), row(1529, 10, 31), row(1793, 11, 30), row(2076, 12, 29),
    row(2378, 13, 28), row(2699, 14, 28), row(3039, 15, 27), row(3399, 16, 27),
    row(3778, 17, 26), row(4177, 18, 26), row(4596, 19, 25), row(5036, 20, 25),
    row(5497, 21, 24), row(5979, 22, 24), row(6483, 23, 23), row(7009, 24, 23),
    row(7558, 25, 22), row(8130, 26, 22), row(8726, 27, 22), row(9346, 28, 21),
    row(9991, 29, 21), row(10661, 30, 21), row(11358, 31, 20), row(12082, 32, 20),
    row(12834, 33, 20), row(13614, 34, 19), row(14424, 35, 19), row(15265, 36, 19),
    row(16137, 37, 19), row(17042, 38, 18), row(17981, 39, 18), row(18955, 40, 18),
    row(19965, 41, 17), row(21013, 42, 17), row(22101, 43, 17), row(23230, 44, 17),
    row(24402, 45, 16), row(25618, 46, 16), row(26881, 47, 16), row(28193, 48, 16),
    row(29557, 49, 15), row(30975, 50, 15), row(32450, 51, 15), row(33986, 52, 15),
    row(35586, 53, 14), row(37253, 54, 14), row(38992, 55, 14), row(40808, 56, 14),
    row(42707, 57, 13), row(44694, 58, 13), row(46776, 59, 13), row(48961, 60, 13),
    row(51258, 61, 13), row(53677, 62, 12), row(56230, 63, 12), row(58932, 64, 12),
    row(61799, 65, 12), row(64851, 66, 11), row(68113, 67, 11), row(71617, 68, 11),
    row(75401, 69, 10), row(79517, 70, 10), row(84035, 71, 10), row(89053, 72, 10),
    row(94717, 73, 9),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 5, with the constants of its table: the point (38, 10^-3) and the point
    /// (83000, 10^-7) joined by a line in log scale, and b from 1/2 down to 1/10 likewise.
    fn response(w: f64) -> (f64, f64) {
        let share = (w / 38.0).ln() / (83_000.0_f64 / 38.0).ln();
        let b = 0.5 - 0.4 * share;
        let p = 0.078 / w.powf(1.2);
        (w * w * p * 2.0 * b / (2.0 - b), b)
    }

    #[test]
    fn every_row_follows_from_the_response_function() {
        for r in TABLE {
            let (a, b) = response(f64::from(r.from));
            assert!((a - f64::from(r.a)).abs() < 0.03 * f64::from(r.a) + 0.1, "{r:?} {a}");
            assert!((b - f64::from(r.b) / 100.0).abs() < 0.0051, "{r:?} {b}");
        }
    }

    #[test]
    fn the_ends_of_the_table_are_the_rfcs() {
        assert_eq!((TABLE[0].from, TABLE[0].a, TABLE[0].b), (38, 1, 50));
        assert_eq!((TABLE[1].from, TABLE[1].a, TABLE[1].b), (118, 2, 44));
        assert_eq!((TABLE[72].from, TABLE[72].a, TABLE[72].b), (94_717, 73, 9));
    }

    #[test]
    fn a_window_between_two_rows_uses_the_lower_one() {
        assert_eq!(ResponseRow::at(Segments::ONE).a, 1);
        assert_eq!(ResponseRow::at(Segments::new(117)).a, 1);
        assert_eq!(ResponseRow::at(Segments::new(118)).a, 2);
        assert_eq!(ResponseRow::at(Segments::MAX).a, 73);
    }
}
