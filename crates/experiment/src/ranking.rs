//! Who is best, where chance allows one to say so.
//!
//! Controllers meet the same random network under the same seed, so they are compared by the
//! differences seed by seed: what a hard seed costs both cancels out. The leader is best if its
//! difference to each other controller is above zero with 95 % confidence for all of them together
//! (Student's t with Bonferroni's correction), and above the practical bound, a share of the larger
//! mean. Intervals of the means may overlap all the same.

use crate::judgement::Practical;
use crate::metric::{Better, Metric};
use crate::results::Run;
use crate::stats::{Estimate, mean};

/// Confidence of every statement.
pub const CONFIDENCE: f64 = 0.95;

/// All runs of one controller, in the order of the seeds.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The controller's canonical name.
    pub cc: &'a str,
    /// Its runs.
    pub runs: Vec<&'a Run>,
}

impl Group<'_> {
    /// A metric over the seeds; none if no run has it.
    pub fn estimate(&self, metric: Metric) -> Option<Estimate> {
        let values: Vec<f64> = self.runs.iter().filter_map(|run| metric.of(run)).collect();
        Estimate::of(&values, CONFIDENCE)
    }

    /// A metric's mean; 0 if no run has it.
    pub fn mean(&self, metric: Metric) -> f64 {
        self.estimate(metric).map_or(0.0, |e| e.mean)
    }
}

/// The runs by controller, in their order.
pub fn groups(runs: &[Run]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for run in runs {
        // Runs of a controller mostly stand together: the last group is looked at first.
        match groups.iter_mut().rev().find(|g| g.cc == run.cc) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { cc: &run.cc, runs: vec![run] }),
        }
    }
    groups
}

/// Who leads in a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Better than every other one.
    Best(usize),
    /// These cannot be told apart, the leader first; better than those left out, if any.
    Tied(Vec<usize>),
    /// There is too little to compare.
    Unknown,
}

/// Who leads in a metric: places in `groups`.
pub fn standing(groups: &[Group<'_>], metric: Metric, practical: Practical) -> Standing {
    let samples: Vec<Samples> = groups
        .iter()
        .map(|group| group.runs.iter().map(|run| (run.seed, metric.of(run))).collect())
        .collect();
    standing_of(&samples, metric.better(), practical)
}

/// What one contestant has reached under each seed; none where it has no such value.
pub type Samples = Vec<(u64, Option<f64>)>;

/// Who leads, by the values themselves: places in `contestants`.
pub fn standing_of(contestants: &[Samples], better: Better, practical: Practical) -> Standing {
    let sign = match better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    };
    let average = |samples: &Samples| {
        let values: Vec<f64> = samples.iter().filter_map(|(_, value)| *value).collect();
        mean(&values)
    };
    let score = |i: &usize| average(&contestants[*i]).unwrap_or(0.0) * sign;
    let comparable = |samples: &Samples| samples.len() >= 2 && average(samples).is_some();
    let leader = (0..contestants.len()).reduce(|a, b| if score(&b) > score(&a) { b } else { a });
    let enough = contestants.len() >= 2 && contestants.iter().all(comparable);
    let Some(leader) = leader.filter(|_| enough) else {
        return Standing::Unknown;
    };
    #[expect(clippy::cast_precision_loss, reason = "a list of controllers is short")]
    let confidence = 1.0 - (1.0 - CONFIDENCE) / (contestants.len() - 1) as f64;
    let mut level: Vec<usize> = (0..contestants.len())
        .filter(|&i| {
            let means = [leader, i].map(|one| average(&contestants[one]).unwrap_or(0.0).abs());
            let least = practical.0 * means[0].max(means[1]);
            let (ours, theirs) = (&contestants[leader], &contestants[i]);
            i != leader && !is_better(ours, theirs, sign, (confidence, least))
        })
        .collect();
    if level.is_empty() {
        return Standing::Best(leader);
    }
    level.sort_by(|a, b| score(b).total_cmp(&score(a)));
    level.insert(0, leader);
    Standing::Tied(level)
}

/// True if `a` is better than `b` beyond chance, and by more than `least`.
fn is_better(a: &Samples, b: &Samples, sign: f64, (confidence, least): (f64, f64)) -> bool {
    let differences: Vec<f64> = a
        .iter()
        .filter_map(|(seed, value)| {
            let (_, other) = b.iter().find(|(other, _)| other == seed)?;
            Some(((*value)? - (*other)?) * sign)
        })
        .collect();
    Estimate::of(&differences, confidence)
        .is_some_and(|e| e.half_width.is_some_and(|half| e.mean > half && e.mean > least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Drops, QueuePackets};

    fn run(cc: &str, seed: u64, goodput_bps: f64) -> Run {
        Run {
            cc: cc.to_owned(),
            recovery: "sack".to_owned(),
            seed,
            goodput_bps,
            throughput_bps: goodput_bps,
            utilization: 0.5,
            retransmission_ratio: 0.0,
            fast_recoveries: 0,
            timeouts: 0,
            jain: 1.0,
            rtt_ms: None,
            queue_delay_ms: None,
            one_way_delay_ms: None,
            queue_packets: QueuePackets { mean: 0.0, p95: 0, max: 0 },
            drops: Drops { overflow: 0, aqm: 0, random: 0 },
            flows: Vec::new(),
            under_test: 0,
            many_transfers: None,
            against_goodput_bps: None,
            harm: None,
            reverse_goodput_bps: None,
            data_packets: 0,
            events: 0,
            sim_s: 1.0,
            wall_s: 0.0,
            lateness_us: None,
        }
    }

    fn standing_of(values: &[(&str, &[f64])]) -> Standing {
        let runs: Vec<Run> = values
            .iter()
            .flat_map(|(cc, xs)| xs.iter().zip(1..).map(|(x, seed)| run(cc, seed, *x)))
            .collect();
        standing(&groups(&runs), Metric::Goodput, Practical::default())
    }

    #[test]
    fn a_steady_lead_counts_even_where_the_seeds_differ_more_than_the_controllers() {
        let (a, b) = ([10.0, 20.0, 30.0, 40.0], [9.0, 19.2, 28.9, 38.8]);
        assert_eq!(standing_of(&[("a", &a), ("b", &b)]), Standing::Best(0));
    }

    #[test]
    fn a_lead_that_does_not_matter_is_a_tie() {
        let (a, b) = ([10.05, 20.05, 30.05], [10.0, 20.0, 30.0]);
        assert_eq!(standing_of(&[("a", &a), ("b", &b)]), Standing::Tied(vec![0, 1]));
    }

    #[test]
    fn a_lead_by_chance_is_a_tie() {
        let (a, b) = ([10.0, 12.0, 8.0, 11.0], [11.0, 9.0, 10.0, 10.5]);
        assert_eq!(standing_of(&[("b", &b), ("a", &a)]), Standing::Tied(vec![1, 0]));
    }

    #[test]
    fn those_far_behind_are_not_part_of_a_tie() {
        let (a, b, c) = ([10.0, 12.0, 8.0], [11.0, 9.0, 9.5], [1.0, 1.1, 0.9]);
        assert_eq!(standing_of(&[("a", &a), ("c", &c), ("b", &b)]), Standing::Tied(vec![0, 2]));
    }

    #[test]
    fn one_seed_or_one_controller_says_nothing() {
        assert_eq!(standing_of(&[("a", &[1.0]), ("b", &[2.0])]), Standing::Unknown);
        assert_eq!(standing_of(&[("a", &[1.0, 2.0])]), Standing::Unknown);
    }
}
