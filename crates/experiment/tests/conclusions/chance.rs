//! Counts of errors, and whether they are too many to be chance.

/// The probability with which one cell or more exceeds its limit where none is above it.
const ERROR: f64 = 0.01;

/// Errors among comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorCount {
    pub(crate) errors: u32,
    pub(crate) draws: u32,
}

impl ErrorCount {
    /// One more comparison.
    pub(crate) fn add(&mut self, is_error: bool) {
        self.draws += 1;
        self.errors += u32::from(is_error);
    }

    /// The share of errors; 0 of nothing.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.errors) / f64::from(self.draws.max(1))
    }

    /// Whether so many errors show a share above the limit, as one of so many cells (Bonferroni).
    pub(crate) fn exceeds(self, limit: f64, cells: usize) -> bool {
        let cells = f64::from(u32::try_from(cells.max(1)).unwrap_or(u32::MAX));
        self.share() > limit && at_least(self, limit) < ERROR / cells
    }
}

/// The probability of so many errors or more, where each comparison is one with probability `p`.
fn at_least(ErrorCount { errors, draws }: ErrorCount, p: f64) -> f64 {
    let n = f64::from(draws);
    let log = |k: u32| {
        let k = f64::from(k);
        let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
        ways + k * libm::log(p) + (n - k) * libm::log1p(-p)
    };
    if p <= 0.0 {
        return if errors == 0 { 1.0 } else { 0.0 };
    }
    (errors..=draws).map(|k| libm::exp(log(k))).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_tails_agree_with_those_worked_by_hand() {
        let of = |errors, draws| ErrorCount { errors, draws };
        assert!((at_least(of(3, 3), 0.5) - 0.125).abs() < 1e-12);
        assert!((at_least(of(1, 2), 0.1) - 0.19).abs() < 1e-12);
        assert!((at_least(of(0, 9), 0.3) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn more_cells_ask_for_more_errors() {
        // 70 of 1,000 have a probability of 0.3 % where 50 are expected.
        let count = ErrorCount { errors: 70, draws: 1_000 };
        assert!(count.exceeds(0.05, 1) && !count.exceeds(0.05, 100));
        assert!(!ErrorCount { errors: 40, draws: 1_000 }.exceeds(0.05, 1));
        // From six seeds on it must not happen at all.
        assert!(ErrorCount { errors: 1, draws: 1_000 }.exceeds(0.0, 100));
    }
}
