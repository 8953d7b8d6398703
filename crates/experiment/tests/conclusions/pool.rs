//! A pool of runs, which counts as the whole population of its path.

use westwood_experiment::judgement::{Criterion, Situation};
use westwood_experiment::metric::Better;
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::GridReport;
use westwood_experiment::stats::mean;
use westwood_net::Random;
use westwood_scenario::file::Scenario;
use westwood_scenario::library;

use super::path::PooledPath;

/// The runs of a path: those of each controller, seed by seed.
pub(crate) struct RunPool {
    pub(crate) path: PooledPath,
    pub(crate) situation: Situation,
    pub(crate) controllers: Vec<Vec<RunSummary>>,
}

impl RunPool {
    /// The runs of a path under so many seeds, `jobs` at a time.
    pub(crate) fn simulated(path: PooledPath, seeds: usize, jobs: usize) -> Self {
        let head = format!(
            "like = \"linux\"\nseeds = {seeds}\ncc = {}\n",
            path.controllers.split_whitespace().collect::<String>()
        );
        let text = head + path.text;
        let scenario = Scenario::parse(path.name, &text, &[], &library::read)
            .unwrap_or_else(|error| panic!("{error}"));
        // The report finds the harm.
        let report = GridReport::simulated(&scenario, "", jobs);
        let situation = Situation::of(&report.runs.iter().collect::<Vec<_>>());
        let mut controllers = vec![Vec::new(); report.points.len()];
        for record in report.runs {
            let failed = || panic!("{}: {:?}", path.name, record.error);
            controllers[record.point].push(record.summary.clone().unwrap_or_else(failed));
        }
        Self { path, situation, controllers }
    }

    /// A controller's name.
    pub(crate) fn name(&self, controller: usize) -> &str {
        &self.controllers[controller][0].cc
    }

    /// Whether chance has a part in the runs of a controller.
    pub(crate) fn is_random(&self, controller: usize) -> bool {
        !self.controllers[controller][0].exact
    }

    /// Places of so many seeds, each drawn from all.
    pub(crate) fn seeds(&self, n: usize, random: &mut Random) -> Vec<usize> {
        let all = self.controllers[0].len() as u64;
        let place = |_| usize::try_from(random.below(all)).expect("a place in a list");
        (0..n).map(place).collect()
    }

    /// The runs of a contestant at these places, under the seeds from 1 on.
    pub(crate) fn runs(&self, controller: usize, name: &str, places: &[usize]) -> Vec<RunSummary> {
        let of = &self.controllers[controller];
        let renamed = |(seed, &place): (u64, &usize)| RunSummary {
            cc: name.to_owned(),
            seed,
            ..of[place].clone()
        };
        (1..).zip(places).map(renamed).collect()
    }

    /// The difference of two controllers' means over the whole pool, as they are judged; more is better.
    pub(crate) fn difference(&self, a: usize, b: usize, criterion: Criterion) -> Option<f64> {
        let sign = if criterion.metric().better() == Better::Higher { 1.0 } else { -1.0 };
        let judged = |controller| self.mean(controller, criterion).map(|it| criterion.judged(it));
        Some(sign * (judged(a)? - judged(b)?))
    }

    /// The mean of a controller over the whole pool.
    pub(crate) fn mean(&self, controller: usize, criterion: Criterion) -> Option<f64> {
        let runs = self.controllers[controller].iter();
        mean(&runs.filter_map(|run| criterion.metric().of(run)).collect::<Vec<f64>>())
    }
}
