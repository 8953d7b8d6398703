//! Runs of a scenario: every point of its grid with every seed, in parallel.

mod curves;
mod randomness;
mod record;
mod series;
mod summary;
mod watched;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use westwood_cc::Duration;
use westwood_sim::{Control, SimError};

use crate::world::{Ran, Simulator, World, WorldError, simulate};
pub(crate) use randomness::is_random;
use summary::summarize;
use westwood_scenario::file::{Built, Point, RIVALS, Scenario, is_transfers};

pub use curves::{Curves, Scene, curves, drawn};
pub use record::{
    Baseline, Finished, Group, GroupFlow, LinkRecord, PointRecord, Report, RunRecord, SCHEMA,
    Transfers,
};
pub use series::{Detail, Series, WindowPoint};
pub use watched::{Watched, watched};
pub use westwood_sim::{Notes, Point as SeriesValue};

/// A run to be done: a point of the grid and a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The place of the point in the grid, from 0; baselines stand behind all points.
    pub point: usize,
    /// The seed.
    pub seed: u64,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Which run.
    pub task: Task,
    /// Its results, or why there are none.
    pub result: Result<Finished, WorldError>,
    /// What a drawing shows of it, if it was to be drawn as it ran.
    pub curves: Option<Curves>,
}

impl Done {
    /// The same as a run of a world whose points stand behind so many of others.
    pub fn behind(mut self, points: usize) -> Self {
        self.task.point += points;
        if let Ok(finished) = &mut self.result {
            finished.record.point += points;
        }
        if let Some(curves) = &mut self.curves {
            curves.task.point += points;
        }
        self
    }

    /// The run's summaries; what a failed run has is its error.
    pub fn record(&self) -> RunRecord {
        match &self.result {
            Ok(finished) => finished.record.clone(),
            Err(error) => RunRecord {
                point: self.task.point,
                seed: self.task.seed,
                error: Some(error.to_string()),
                summary: None,
                groups: Vec::new(),
                links: Vec::new(),
            },
        }
    }
}

impl Report {
    /// The report of these runs, in the order of points and seeds. The points of the second world stand
    /// behind those of the first.
    pub fn new(
        scenario: &Scenario,
        version: &str,
        worlds: &[&dyn World],
        runs: Vec<RunRecord>,
    ) -> Self {
        let record = |world: &dyn World, point: &Point| PointRecord {
            name: name_in(world, point),
            settings: point.settings.iter().map(|setting| setting.value.clone()).collect(),
            variant: point.variant.clone(),
            cc: point.cc.map(|cc| world.name_of(&cc.to_string())),
        };
        let points = |world: &&dyn World| -> Vec<PointRecord> {
            scenario.points().iter().map(|point| record(*world, point)).collect()
        };
        let baselines = |world: &&dyn World| -> Vec<Baseline> {
            let all = scenario.baselines().iter().map(|point| record(*world, point));
            all.map(|point| Baseline { point, runs: Vec::new() }).collect()
        };
        let grid = Self {
            schema: SCHEMA.to_owned(),
            version: version.to_owned(),
            name: scenario.name().to_owned(),
            about: scenario.about().map(str::to_owned),
            axes: scenario.axes().map(str::to_owned).collect(),
            seeds: scenario.seeds(),
            points: worlds.iter().flat_map(points).collect(),
            runs: Vec::new(),
            summaries: Vec::new(),
            baselines: worlds.iter().flat_map(baselines).collect(),
        };
        grid.with(runs)
    }

    /// The report of these runs of the same grid, those of baselines among them.
    pub fn with(mut self, mut runs: Vec<RunRecord>) -> Self {
        runs.sort_by_key(|run| (run.point, run.seed));
        let first = runs.partition_point(|run| run.point < self.points.len());
        for run in runs.split_off(first) {
            if let Some(baseline) = self.baselines.get_mut(run.point - self.points.len()) {
                baseline.runs.push(run);
            }
        }
        self.runs = runs;
        self.find_harm();
        self
    }

    /// What each run under test takes from the competing flows: seed by seed beside the run of the same
    /// setting whose flows under test are of their own kind.
    fn find_harm(&mut self) {
        let rival = |run: &RunRecord| -> Option<String> {
            run.groups.iter().find(|group| group.name == RIVALS)?.cc.clone()
        };
        let kept = |run: &RunRecord| run.summary.as_ref()?.against_goodput_bps;
        let mut among_themselves = BTreeMap::new();
        for run in self.all_runs() {
            let (Some(rival), Some(point)) = (rival(run), self.point(run.point)) else {
                continue;
            };
            let own_kind = point.cc.as_ref().is_some_and(|cc| kind(cc) == rival);
            if let Some(goodput) = kept(run).filter(|_| own_kind) {
                among_themselves.insert((self.setting(point), run.seed), goodput);
            }
        }
        let harm = |run: &RunRecord| {
            let point = self.points.get(run.point)?;
            let alone = *among_themselves.get(&(self.setting(point), run.seed))?;
            (alone > 0.0).then_some(1.0 - kept(run)? / alone)
        };
        let all: Vec<Option<f64>> = self.runs.iter().map(harm).collect();
        for (run, harm) in self.runs.iter_mut().zip(all) {
            if let Some(summary) = &mut run.summary {
                summary.harm = harm;
            }
        }
    }
}

/// A controller's name without the world in which it ran.
fn kind(cc: &str) -> &str {
    cc.split_once('@').map_or(cc, |(kind, _)| kind)
}

impl Report {
    /// Where in the grid a point is, whatever its controller: settings, variant, world.
    pub fn setting(&self, point: &PointRecord) -> Setting {
        let fields = self.axes.iter().zip(&point.settings).filter(|(axis, _)| *axis != "cc");
        let world = point.cc.as_ref().and_then(|cc| cc.split_once('@')).map(|(_, w)| w.to_owned());
        (fields.map(|(_, value)| value.clone()).collect(), point.variant.clone(), world)
    }
}

/// Settings of the sweep, variant, world.
pub type Setting = (Vec<String>, Option<String>, Option<String>);

/// What a point is called in a world.
fn name_in(world: &dyn World, point: &Point) -> String {
    point.name_of(point.cc.map(|cc| world.name_of(&cc.to_string())))
}

/// All runs of a scenario, point by point and within a point seed by seed.
pub fn tasks(scenario: &Scenario) -> Vec<Task> {
    let seeds = scenario.seeds();
    let points = 0..scenario.points().len();
    points.flat_map(|point| seeds.iter().map(move |&seed| Task { point, seed })).collect()
}

/// The runs of a scenario's baselines.
pub fn baseline_tasks(scenario: &Scenario) -> Vec<Task> {
    let seeds = scenario.seeds();
    let numbers = scenario.baselines().iter().map(Point::number);
    numbers.flat_map(|point| seeds.iter().map(move |&seed| Task { point, seed })).collect()
}

/// Where a grid stands, seen from another thread, and the way to end it.
#[derive(Debug)]
pub struct Watch {
    /// Set it to end the runs: those in flight are given up, no more are begun.
    pub cancel: AtomicBool,
    /// Simulated nanoseconds of each run.
    done: Vec<AtomicU64>,
    total_ns: u64,
}

impl Watch {
    /// Nothing done yet of so many runs.
    pub fn new(scenario: &Scenario, runs: usize) -> Self {
        let total = scenario.time().as_nanos().saturating_mul(runs as u64);
        Self {
            cancel: AtomicBool::new(false),
            done: (0..runs).map(|_| AtomicU64::new(0)).collect(),
            total_ns: total.max(1),
        }
    }

    /// Simulated time of all runs together.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.done.iter().map(|ns| ns.load(Ordering::Relaxed)).sum())
    }

    /// What will have been simulated in the end.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.total_ns)
    }
}

/// Runs of a scenario that are to be done.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Where they run.
    pub world: &'a dyn World,
    /// Which ones.
    pub tasks: &'a [Task],
    /// Those of them whose [`Curves`] are recorded as they run.
    pub drawn: &'a [Task],
    /// How closely; other seeds than the first one are thinned.
    pub detail: Detail,
    /// How many at a time.
    pub jobs: usize,
}

impl<'a> Runs<'a> {
    /// These runs in the simulator, one for each processor that `jobs` names, none of them drawn.
    pub fn simulated(scenario: &'a Scenario, tasks: &'a [Task], jobs: usize) -> Self {
        let detail = Detail::default();
        Self { scenario, world: &Simulator, tasks, drawn: &[], detail, jobs }
    }
}

/// Does these runs. Each is handed to `take` once it and all runs before it are done, so that what is
/// written has one order, however many threads there are; an error from `take` ends everything. A run
/// that fails is handed on like any other. Where somebody cancels, what is done is handed on, too.
///
/// True if all were done, false if somebody cancelled.
pub fn run<E: Send>(
    runs: Runs<'_>,
    watch: &Watch,
    mut take: impl FnMut(Done) -> Result<(), E> + Send,
) -> Result<bool, E> {
    let waiting = Mutex::new(Waiting { first: 0, done: BTreeMap::new(), take: &mut take });
    let all = each(runs.tasks, runs.world.at_a_time(runs.jobs), |i, &task| {
        if watch.cancel.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let detail = || curves::closely(runs.scenario, task, runs.detail);
        let draw = runs.drawn.contains(&task).then(detail);
        let at = (task, draw);
        let (cancel, progress) = (&watch.cancel, &watch.done[i]);
        let Some(done) = run_one(runs.world, runs.scenario, at, cancel, progress) else {
            return Ok(false);
        };
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.done.insert(i, done);
        waiting.hand_on().map(|()| true)
    })?;
    let waiting = waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
    waiting.done.into_values().try_for_each(take)?;
    Ok(all)
}

/// Runs that are done before others that come first.
struct Waiting<'a, E> {
    /// The first run that has not been handed on.
    first: usize,
    done: BTreeMap<usize, Done>,
    take: &'a mut (dyn FnMut(Done) -> Result<(), E> + Send),
}

impl<E> Waiting<'_, E> {
    fn hand_on(&mut self) -> Result<(), E> {
        while let Some(done) = self.done.remove(&self.first) {
            self.first += 1;
            (self.take)(done)?;
        }
        Ok(())
    }
}

/// Does something for each item, `jobs` at a time; true if it was done for all. Items are begun in
/// their order, so that interrupted work is done up to a point and the longest can be put first.
/// After the first `false` or error no more are begun.
pub fn each<T: Sync, E: Send>(
    items: &[T],
    jobs: usize,
    one: impl Fn(usize, &T) -> Result<bool, E> + Sync + Send,
) -> Result<bool, E> {
    // An error counts more than the end of other runs that it brings about.
    let error = Mutex::new(None);
    let one = |(i, item): (usize, &T)| match one(i, item) {
        Ok(true) => Some(()),
        Ok(false) => None,
        Err(e) => {
            error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            None
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    let all = match pool {
        Ok(pool) => pool.install(|| items.iter().enumerate().par_bridge().try_for_each(one)),
        // Without threads of its own the work is slow, not impossible.
        Err(_) => items.iter().enumerate().try_for_each(one),
    };
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(all.is_some()),
    }
}

/// Does one run, and draws it as closely as asked; none if somebody set `cancel` meanwhile. `done`
/// follows it in nanoseconds of the network's time.
pub fn run_one(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (Task, Option<Detail>),
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Option<Done> {
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
    let (result, curves) = match finished(world, scenario, (task, draw), control) {
        Err(WorldError::Cancelled) => return None,
        Err(error) => (Err(error), None),
        Ok((finished, curves)) => (Ok(finished), curves),
    };
    done.store(scenario.time().as_nanos(), Ordering::Relaxed);
    Some(Done { task, result, curves })
}

fn finished(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (Task, Option<Detail>),
    control: Control<'_>,
) -> Result<(Finished, Option<Curves>), WorldError> {
    let failed = WorldError::Failed;
    let point = scenario.point(task.point);
    let point = point.ok_or_else(|| failed(format!("there is no point {}", task.point)))?;
    let built = scenario.build(point, task.seed);
    let mut built = built.map_err(|error| failed(error.lines().join("; ")))?;
    let transfers = transfers(&built);
    let asked = built.network.probes;
    if let Some(detail) = draw {
        built.network.probes = asked.and(curves::probes(detail, point, &built));
    }
    let mut ran = world.run(task, &mut built.network, transfers, control)?;
    let name = name_in(world, point);
    let mut curves = draw.map(|_| curves::curves_of(point, task, &built, &ran));
    if let Some(curves) = &mut curves {
        curves.series.cc.clone_from(&name);
    }
    if draw.is_some() {
        ran.outcome.records.retain(|record| asked.records(&record.what));
    }
    let mut finished = summarize(point, task.seed, &built, ran);
    if let Some(summary) = &mut finished.record.summary {
        summary.cc = name;
        summary.exact = world.repeats() && !is_random(scenario, point, &built);
    }
    if let Some(recovery) = world.recovery() {
        finished.record.set_recovery(recovery);
    }
    Ok((finished, curves))
}

/// The flows under test, if they are transfers.
fn transfers(built: &Built) -> Option<std::ops::Range<usize>> {
    let tested = built.layout.tested_flows();
    is_transfers(&built.network.flows[tested.clone()]).then_some(tested)
}

/// Simulates a network; where the flows under test are transfers, until the last one is done.
fn measured(built: &mut Built, control: Control<'_>) -> Result<Ran, SimError> {
    let transfers = transfers(built);
    simulate(&mut built.network, transfers, control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_begun_in_their_order_and_none_after_the_end() {
        let begun = Mutex::new(Vec::new());
        let all = each::<_, ()>(&[0; 100], 1, |i, _| {
            begun.lock().unwrap().push(i);
            Ok(i != 50)
        });
        assert_eq!(all, Ok(false));
        assert_eq!(begun.into_inner().unwrap(), (0..=50).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_counts_more_than_the_end_that_it_brings_about() {
        let cancel = AtomicBool::new(false);
        let result = each(&[0; 8], 4, |i, _| {
            if i == 0 {
                cancel.store(true, Ordering::SeqCst);
                std::thread::yield_now();
                return Err("disk full");
            }
            Ok(!cancel.load(Ordering::SeqCst))
        });
        assert_eq!(result, Err("disk full"));
    }
}
