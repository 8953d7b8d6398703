//! The report of a grid, made from its runs; harm is found beside runs of the competing kind.

use westwood_scenario::file::{COMPETING_GROUP, GridPoint, Scenario};
use westwood_scenario::sorting::{SortedMap, sort_by};

use super::record::{Baseline, GridReport, GroupRecord, PointRecord, RunRecord, SCHEMA};
use crate::results::{SoloHarm, without_world};
use crate::world::World;

impl GridReport {
    /// The report of these runs, in the order of points and seeds. The points of the second world stand
    /// behind those of the first.
    pub fn new(
        scenario: &Scenario,
        version: &str,
        worlds: &[&dyn World],
        runs: Vec<RunRecord>,
    ) -> Self {
        let points = |world: &&dyn World| -> Vec<PointRecord> {
            scenario.points().iter().map(|point| point_record(*world, point)).collect()
        };
        let baselines = |world: &&dyn World| -> Vec<Baseline> {
            let all = scenario.baselines().iter().map(|point| point_record(*world, point));
            all.map(Baseline::of).collect()
        };
        let grid = Self {
            points: worlds.iter().flat_map(points).collect(),
            baselines: worlds.iter().flat_map(baselines).collect(),
            ..Self::empty(scenario, version)
        };
        grid.with(runs)
    }

    /// The report of a part of the grid in one world: of these runs' points alone, so that it takes as long
    /// as the part is large. A part contains everything that its runs are compared with. In the report the
    /// points are numbered from 0 on; the second answer has their numbers in the grid.
    pub fn of_part(
        scenario: &Scenario,
        version: &str,
        world: &dyn World,
        mut runs: Vec<RunRecord>,
    ) -> (Self, Vec<usize>) {
        let mut numbers: Vec<usize> = runs.iter().map(|run| run.point).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for run in &mut runs {
            run.point = numbers.partition_point(|number| *number < run.point);
        }
        // Baselines are numbered behind all points, in the grid and here.
        let points = numbers.partition_point(|number| *number < scenario.points().len());
        let record = |number: &usize| Some(point_record(world, scenario.point(*number)?));
        let grid = Self {
            points: numbers[..points].iter().filter_map(record).collect(),
            baselines: numbers[points..].iter().filter_map(record).map(Baseline::of).collect(),
            ..Self::empty(scenario, version)
        };
        (grid.with(runs), numbers)
    }

    /// No points and no runs.
    fn empty(scenario: &Scenario, version: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: version.to_owned(),
            name: scenario.name().to_owned(),
            about: scenario.about().map(str::to_owned),
            axes: scenario.axes().map(str::to_owned).collect(),
            given: Some(scenario.given_settings()),
            seeds: scenario.seeds(),
            points: Vec::new(),
            runs: Vec::new(),
            summaries: Vec::new(),
            warnings: Vec::new(),
            baselines: Vec::new(),
        }
    }

    /// The report of these runs of the same grid, those of baselines among them.
    pub fn with(mut self, mut runs: Vec<RunRecord>) -> Self {
        sort_by(&mut runs, |a, b| (a.point, a.seed).cmp(&(b.point, b.seed)));
        let first = runs.partition_point(|run| run.point < self.points.len());
        for run in runs.split_off(first) {
            if let Some(baseline) = self.baselines.get_mut(run.point - self.points.len()) {
                baseline.runs.push(run);
            }
        }
        self.runs = runs;
        self.find_harm();
        self.find_solo_harm();
        self
    }

    /// The share that each run under test takes from the competing flows: seed by seed beside the
    /// run of the same setting whose flows under test are of their own kind.
    fn find_harm(&mut self) {
        let rival = |run: &RunRecord| -> Option<String> {
            run.groups.iter().find(|group| group.name == COMPETING_GROUP)?.cc.clone()
        };
        let kept = |run: &RunRecord| run.summary.as_ref()?.against_goodput_bps;
        let mut among_themselves = Vec::new();
        for run in self.all_runs() {
            let (Some(rival), Some(point)) = (rival(run), self.point(run.point)) else {
                continue;
            };
            let own_kind =
                !point.solo && point.cc.as_ref().is_some_and(|cc| without_world(cc) == rival);
            if let Some(goodput) = kept(run).filter(|_| own_kind) {
                among_themselves.push(((self.setting(point), run.seed), goodput));
            }
        }
        let among_themselves: SortedMap<_, f64> = among_themselves.into_iter().collect();
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

    /// The harm that each run under test does to the competing flows beside what these have alone, seed by
    /// seed.
    fn find_solo_harm(&mut self) {
        let competing = |run: &RunRecord| {
            run.groups.iter().find(|group| group.name == COMPETING_GROUP && !group.tested).cloned()
        };
        let mut alone = Vec::new();
        for baseline in self.baselines.iter().filter(|baseline| baseline.point.solo) {
            let setting = self.setting(&baseline.point);
            let runs = baseline.runs.iter().filter_map(|run| Some((run.seed, competing(run)?)));
            alone.extend(runs.map(|(seed, group)| ((setting.clone(), seed), group)));
        }
        let alone: SortedMap<_, GroupRecord> = alone.into_iter().collect();
        let harm = |run: &RunRecord| {
            let setting = self.setting(self.points.get(run.point)?);
            let alone = alone.get(&(setting, run.seed))?;
            Some(solo_harm(alone, &competing(run)?))
        };
        let all: Vec<Option<SoloHarm>> = self.runs.iter().map(harm).collect();
        for (run, harm) in self.runs.iter_mut().zip(all) {
            if let Some(summary) = &mut run.summary {
                summary.conduct.solo_harm = harm;
            }
        }
    }
}

/// A point as results have it.
fn point_record(world: &dyn World, point: &GridPoint) -> PointRecord {
    PointRecord {
        name: name_in(world, point),
        settings: point.settings.iter().map(|setting| setting.value.clone()).collect(),
        variant: point.variant.clone(),
        cc: point.cc.map(|cc| world.name_of(&cc.to_string())),
        solo: point.is_solo(),
    }
}

/// The harm to a group of flows: its part of what it has alone that it loses beside others.
fn solo_harm(alone: &GroupRecord, with: &GroupRecord) -> SoloHarm {
    let rtt = |group: &GroupRecord| group.rtt_ms.as_ref().map(|rtt| rtt.mean);
    let fct = |group: &GroupRecord| group.transfers.as_ref()?.fct_mean_ms;
    let less =
        |of: &dyn Fn(&GroupRecord) -> Option<f64>| Some(SoloHarm::of_less(of(alone)?, of(with)?));
    SoloHarm {
        rate: SoloHarm::of_more(alone.goodput_bps, with.goodput_bps),
        delay: less(&rtt),
        loss: Some(SoloHarm::of_less(alone.retransmission_ratio, with.retransmission_ratio)),
        fct: less(&fct),
    }
}

impl GridReport {
    /// The place of a point in the grid, without its controller: settings, variant, world.
    pub fn setting(&self, point: &PointRecord) -> Setting {
        let fields = self.axes.iter().zip(&point.settings).filter(|(axis, _)| *axis != "cc");
        let world = point.cc.as_ref().and_then(|cc| cc.split_once('@')).map(|(_, w)| w.to_owned());
        (fields.map(|(_, value)| value.clone()).collect(), point.variant.clone(), world)
    }
}

/// Settings of the sweep, variant, world.
pub type Setting = (Vec<String>, Option<String>, Option<String>);

/// The name of a point in a world.
pub(super) fn name_in(world: &dyn World, point: &GridPoint) -> String {
    point.name_of(point.cc.map(|cc| world.name_of(&cc.to_string())))
}
