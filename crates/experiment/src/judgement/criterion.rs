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

    /// Whether it counts rare events, which are not normal.
    pub(super) fn is_discrete(self) -> bool {
        self == Self::Timeouts
    }

    /// The bound that a difference between two means has to exceed.
    pub(super) fn bound(self, (a, b): (f64, f64), practical: Practical, base_rtt_ms: f64) -> f64 {
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
