//! The criteria of a judgement.

use serde::{Deserialize, Serialize};

use super::Practical;
use crate::metric::{Better, Metric};

/// A criterion of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Mean completion time of transfers.
    Completion,
    /// Completion time of the slowest transfer.
    SlowestCompletion,
    /// Goodput of the flows under test together.
    Goodput,
    /// 95th percentile of the time that packets wait at the bottleneck.
    QueueDelay,
    /// Data segments retransmitted over data segments sent.
    Resent,
    /// Jain's index of the flows under test.
    Fairness,
    /// Share of its goodput that competing traffic loses.
    Harm,
    /// Retransmission timeouts.
    Timeouts,
}

impl Criterion {
    /// All of them, the most important first.
    pub const ALL: [Self; 8] = [
        Self::Completion,
        Self::SlowestCompletion,
        Self::Goodput,
        Self::QueueDelay,
        Self::Resent,
        Self::Fairness,
        Self::Harm,
        Self::Timeouts,
    ];

    /// The quantity of a run that it looks at.
    pub const fn metric(self) -> Metric {
        match self {
            Self::Completion => Metric::FctMean,
            Self::SlowestCompletion => Metric::FctMax,
            Self::Goodput => Metric::Goodput,
            Self::QueueDelay => Metric::QueueDelayP95,
            Self::Resent => Metric::Retransmissions,
            Self::Fairness => Metric::Jain,
            Self::Harm => Metric::Harm,
            Self::Timeouts => Metric::Timeouts,
        }
    }

    /// 1 where more is better, -1 where less is.
    pub(super) fn sign(self) -> f64 {
        match self.metric().better() {
            Better::Higher => 1.0,
            Better::Lower => -1.0,
        }
    }

    /// A mean as it is judged. Harm is from zero, which is none, to one (R. Ware and others, "Beyond Jain's
    /// Fairness Index", HotNets 2019, section 3.1): competing flows that carry more than beside their own
    /// kind gain by shares that are not used, and to leave shares idle is no merit.
    pub fn judged(self, mean: f64) -> f64 {
        if self == Self::Harm { mean.max(0.0) } else { mean }
    }

    /// The value of each run whose values have this mean, where the mean is judged to be another than it is:
    /// the one that is judged. The mean of the differences to others is then that of what is judged.
    pub(super) fn value_of_all(self, mean: f64) -> Option<f64> {
        let judged = self.judged(mean);
        (mean < judged).then_some(judged)
    }

    /// Whether it counts rare events, which are not normal.
    pub(super) fn is_discrete(self) -> bool {
        self == Self::Timeouts
    }

    /// The bound that a difference between two means has to exceed, in the unit of the metric.
    pub fn bound(self, (a, b): (f64, f64), practical: Practical, base_rtt_ms: f64) -> f64 {
        let Practical(share) = practical;
        let floor = match self {
            Self::Completion | Self::SlowestCompletion | Self::Goodput => 0.0,
            Self::QueueDelay => share * base_rtt_ms,
            Self::Resent => share / 10.0,
            Self::Fairness | Self::Harm => share,
            Self::Timeouts => share * 10.0,
        };
        floor.max(share * a.abs().max(b.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound of 1 % between two means, over a path of 50 ms.
    fn bound(criterion: Criterion, a: f64, b: f64) -> f64 {
        criterion.bound((a, b), Practical::default(), 50.0)
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_difference_counts_from_a_hundredth_of_the_larger_mean_on() {
        for criterion in Criterion::ALL {
            assert_near(bound(criterion, 300.0, 200.0), 3.0);
            assert_near(bound(criterion, 200.0, -300.0), 3.0);
            assert_near(bound(criterion, -300.0, 200.0), 3.0);
        }
    }

    #[test]
    fn near_zero_a_difference_has_a_floor_that_a_user_would_notice() {
        let floors = [
            (Criterion::Completion, 0.0),
            (Criterion::SlowestCompletion, 0.0),
            (Criterion::Goodput, 0.0),
            // A hundredth of the round-trip time.
            (Criterion::QueueDelay, 0.5),
            // One segment in a thousand.
            (Criterion::Resent, 0.001),
            (Criterion::Fairness, 0.01),
            (Criterion::Harm, 0.01),
            // One in ten runs.
            (Criterion::Timeouts, 0.1),
        ];
        assert_eq!(floors.map(|(criterion, _)| criterion), Criterion::ALL);
        for (criterion, floor) in floors {
            assert_near(bound(criterion, 0.0, 0.0), floor);
        }
    }

    #[test]
    fn harm_below_zero_is_none_and_nothing_else_is_changed() {
        for (mean, judged) in [(-0.46, 0.0), (0.0, 0.0), (0.2, 0.2)] {
            assert_near(Criterion::Harm.judged(mean), judged);
        }
        for criterion in Criterion::ALL.into_iter().filter(|c| *c != Criterion::Harm) {
            assert_near(criterion.judged(-0.46), -0.46);
        }
    }

    #[test]
    fn more_is_better_of_goodput_and_fairness_alone() {
        let higher: Vec<Criterion> =
            Criterion::ALL.into_iter().filter(|c| c.sign() > 0.0).collect();
        assert_eq!(higher, [Criterion::Goodput, Criterion::Fairness]);
        for criterion in Criterion::ALL {
            assert_near(criterion.sign().abs(), 1.0);
        }
        let counts: Vec<Criterion> =
            Criterion::ALL.into_iter().filter(|c| c.is_discrete()).collect();
        assert_eq!(counts, [Criterion::Timeouts]);
    }
}
