//! The differences that a comparison finds.

use westwood_experiment::judgement::{Contest, Criterion, JudgementRules};
use westwood_experiment::results::RunSummary;
use westwood_net::Random;

use crate::conclusions::chance::ErrorCount;
use crate::conclusions::pool::RunPool;

/// Shares by which a controller's mean of the first criterion in the pool is better than another's.
const STEPS: [f64; 14] =
    [0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0];

/// The least step that four of five comparisons of two controllers find; none if the largest is not found.
/// The runs of the second are scaled, so that the two still meet the same random numbers.
pub(crate) fn detectable(
    pool: &RunPool,
    [a, b]: [usize; 2],
    seeds: usize,
    draws: usize,
) -> Option<f64> {
    let is_found = |step: f64| {
        let scaled = scaled(pool, [a, b], 1.0 + step);
        let mut random = Random::new(2, &format!("{} {seeds}", pool.path.name));
        let mut count = ErrorCount::default();
        for _ in 0..draws {
            let places = pool.seeds(seeds, &mut random);
            let better = places.iter().map(|&place| scaled[place].clone());
            let better = (1..).zip(better).map(|(seed, run)| RunSummary { seed, ..run });
            let runs: Vec<RunSummary> =
                pool.runs(a, "a", &places).into_iter().chain(better).collect();
            let contest = Contest::new(&runs, &pool.situation, JudgementRules::default());
            let first = contest.pairs().next().expect("two are compared");
            count.add(first.difference.clear && first.difference.mean < 0.0);
        }
        count.share() >= 0.8
    };
    let found = STEPS.partition_point(|&step| !is_found(step));
    STEPS.get(found).copied()
}

/// The runs of the second controller by the name `b`, scaled in the first criterion so that its mean over the
/// pool is this factor better than that of the first controller.
fn scaled(pool: &RunPool, [a, b]: [usize; 2], factor: f64) -> Vec<RunSummary> {
    let transfers = pool.situation.transfers;
    let first = if transfers { Criterion::Completion } else { Criterion::Goodput };
    let [a_mean, b_mean] = [a, b].map(|i| pool.mean(i, first).expect("each run has it"));
    let by = if transfers { a_mean / factor / b_mean } else { a_mean * factor / b_mean };
    let scale = |run: &RunSummary| {
        let mut run = RunSummary { cc: "b".to_owned(), ..run.clone() };
        if transfers {
            run.flows.iter_mut().for_each(|flow| flow.fct_ms = flow.fct_ms.map(|t| t * by));
        } else {
            run.goodput_bps *= by;
        }
        run
    };
    pool.controllers[b].iter().map(scale).collect()
}
