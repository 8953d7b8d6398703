//! The runs of a paper as the source of an expression's metrics: each averaged over the seeds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use westwood_experiment::stats::jain;
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Location;

use crate::expr::{Context, Expr, ExprError, ExprValue, MetricSource, PaperCurve, Scope, evaluate};
use crate::metric::{MetricCall, MetricOutcome, PointSelection};
use crate::paper::Paper;
use crate::plan::{ExperimentGrid, GridPointId, ReproductionPlan, experiment_of};
use crate::resample::{Draw, interval};
use crate::run::RunResults;
use crate::store::StoredRun;

/// The runs of a paper.
pub(crate) struct PaperRuns<'a> {
    grids: Vec<IndexedGrid<'a>>,
    /// So many times the seeds of the file count.
    seed_factor: usize,
    selection: SeedSelection,
    /// The most seeds over which something was averaged.
    seeds: usize,
    /// The points asked for.
    used: BTreeSet<GridPointId>,
    bound: HashMap<MetricKey, Rc<BoundMetric>>,
}

/// The seeds that count where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeedSelection {
    /// All of them.
    All,
    /// Those of a draw.
    Drawn(Draw),
    /// One alone, by its place.
    One(usize),
}

/// A metric's place, and the defaults it stands under.
type MetricKey = (Location, Option<String>, Option<String>);

/// A grid and its runs, point by point, in the order of their seeds.
struct IndexedGrid<'a> {
    number: usize,
    grid: &'a ExperimentGrid,
    runs: BTreeMap<usize, Vec<&'a StoredRun>>,
}

/// A metric with its numbers looked up.
enum BoundMetric {
    Number(SeedValues),
    Along(Vec<(f64, SeedValues)>),
}

/// A metric at a point.
enum SeedValues {
    /// A number for each seed.
    Numbers(Vec<f64>),
    /// The goodput of each flow: for each seed.
    Flows(Vec<Vec<f64>>),
    /// The first seed's curve over time.
    Curve(PaperCurve),
}

impl<'a> PaperRuns<'a> {
    pub(crate) fn of(plan: &'a ReproductionPlan, done: &'a RunResults, paper: &Paper) -> Self {
        let grids = plan.grids.iter().zip(&done.lines).enumerate();
        let own = grids.filter(|(_, (grid, _))| grid.paper == paper.key);
        let grids = own.map(|(number, (grid, lines))| IndexedGrid::new(number, grid, lines));
        Self {
            grids: grids.collect(),
            seed_factor: 1,
            selection: SeedSelection::All,
            seeds: 0,
            used: BTreeSet::new(),
            bound: HashMap::new(),
        }
    }

    /// From now on so many times the file's seeds count.
    pub(crate) fn take_seeds(&mut self, factor: usize) {
        self.seed_factor = factor;
        self.bound.clear();
    }

    /// From now on these seeds count.
    pub(crate) fn select(&mut self, selection: SeedSelection) {
        self.selection = selection;
    }

    /// Forgets which points were asked for, and over how many seeds was averaged.
    pub(crate) fn forget(&mut self) {
        self.seeds = 0;
        self.used.clear();
    }

    /// The most seeds over which something was averaged since; 1 or none if nothing was random.
    pub(crate) fn seeds(&self) -> usize {
        self.seeds
    }

    /// The points asked for since.
    pub(crate) fn used(&self) -> &BTreeSet<GridPointId> {
        &self.used
    }

    /// The experiments of these points.
    pub(crate) fn experiments(&self) -> impl Iterator<Item = &str> {
        let is_used =
            move |grid: &&IndexedGrid<'_>| self.used.iter().any(|(n, _)| *n == grid.number);
        self.grids.iter().filter(is_used).map(|grid| grid.grid.name.as_str())
    }

    fn bound(
        &mut self,
        call: &MetricCall,
        context: &Context,
    ) -> Result<Rc<BoundMetric>, ExprError> {
        let key = (call.place, context.experiment.clone(), context.variant.clone());
        if let Some(known) = self.bound.get(&key) {
            return Ok(Rc::clone(known));
        }
        let name = experiment_of(call, context)?;
        let not_run = || ExprError { place: call.place, error: BadInput::new("not run") };
        let grid = self.grids.iter().find(|g| g.grid.name == name).ok_or_else(not_run)?;
        let variant = context.variant.as_deref();
        let picked = call.select.points(&grid.grid.scenario, variant, call.place)?;
        let mut values = |point: usize| {
            self.used.insert((grid.number, point));
            grid.values(point, call, self.seed_factor).ok_or_else(not_run)
        };
        let metric = match picked {
            PointSelection::One(point) => BoundMetric::Number(values(point)?),
            PointSelection::Along(points) => {
                let all = points.into_iter().map(|(x, point)| Ok((x, values(point)?)));
                BoundMetric::Along(all.collect::<Result<_, ExprError>>()?)
            }
        };
        let metric = Rc::new(metric);
        self.bound.insert(key, Rc::clone(&metric));
        Ok(metric)
    }

    /// The mean over the seeds that count.
    #[expect(clippy::cast_precision_loss, reason = "a few seeds")]
    fn mean(&mut self, numbers: &[f64]) -> f64 {
        let n = numbers.len();
        self.seeds = self.seeds.max(n);
        let sum: f64 = match self.selection {
            SeedSelection::Drawn(draw) if n > 1 => draw.of(n).map(|k| numbers[k]).sum(),
            SeedSelection::One(k) if n > 1 => return numbers.get(k).copied().unwrap_or(f64::NAN),
            _ => numbers.iter().sum(),
        };
        sum / n as f64
    }

    /// A value for the seeds that count; none of a curve over time.
    fn over_seeds(&mut self, values: &SeedValues) -> Option<f64> {
        match values {
            SeedValues::Numbers(numbers) => Some(self.mean(numbers)),
            SeedValues::Flows(flows) => {
                let means: Vec<f64> = flows.iter().map(|seeds| self.mean(seeds)).collect();
                Some(jain(&means))
            }
            SeedValues::Curve(_) => None,
        }
    }
}

impl<'a> IndexedGrid<'a> {
    fn new(number: usize, grid: &'a ExperimentGrid, lines: &'a [StoredRun]) -> Self {
        let mut runs: BTreeMap<usize, Vec<&StoredRun>> = BTreeMap::new();
        for line in lines {
            runs.entry(line.task().point).or_default().push(line);
        }
        // The order is that of the seeds, in whichever order the runs were done.
        for lines in runs.values_mut() {
            lines.sort_by_key(|line| line.task().seed);
        }
        Self { number, grid, runs }
    }

    /// The value of a query at a point; none if one of the seeds has not been run.
    fn values(&self, point: usize, call: &MetricCall, factor: usize) -> Option<SeedValues> {
        let seeds = self.grid.seeds(point, factor);
        let first = seeds.first().copied();
        let lines = self.runs.get(&point).map_or(&[][..], Vec::as_slice);
        let (mut numbers, mut flows, mut found) = (Vec::new(), Vec::new(), 0);
        for line in lines.iter().filter(|line| seeds.contains(&line.task().seed)) {
            found += 1;
            match line.value(&call.query.key) {
                Some(MetricOutcome::Number(x)) => numbers.push(x.unwrap_or(f64::NAN)),
                Some(MetricOutcome::Curve(points)) if Some(line.task().seed) == first => {
                    return Some(SeedValues::Curve(PaperCurve::new(points.clone())));
                }
                Some(MetricOutcome::Flows(goodputs)) => {
                    flows.resize_with(goodputs.len(), Vec::new);
                    flows.iter_mut().zip(goodputs).for_each(|(flow, x)| flow.push(*x));
                }
                _ => {}
            }
        }
        let values = if call.query.of_means {
            SeedValues::Flows(flows)
        } else {
            SeedValues::Numbers(numbers)
        };
        (found >= seeds.len()).then_some(values)
    }
}

impl MetricSource for PaperRuns<'_> {
    fn metric(&mut self, call: &MetricCall, context: &Context) -> Result<ExprValue, ExprError> {
        match &*self.bound(call, context)? {
            BoundMetric::Number(SeedValues::Curve(curve)) => Ok(ExprValue::Curve(curve.clone())),
            BoundMetric::Number(values) => {
                Ok(ExprValue::Number(self.over_seeds(values).unwrap_or(f64::NAN)))
            }
            BoundMetric::Along(points) => {
                let value = |(x, values): &(f64, SeedValues)| {
                    (*x, self.over_seeds(values).unwrap_or(f64::NAN))
                };
                Ok(ExprValue::Curve(PaperCurve::new(points.iter().map(value).collect())))
            }
        }
    }
}

/// A value with its interval, point by point.
pub(crate) struct ClaimEstimate {
    pub(crate) value: ExprValue,
    /// The 95 % interval of each number; none if nothing was random.
    pub(crate) intervals: Option<Vec<(f64, f64)>>,
}

/// An expression over the runs, and how sure it is; none if runs are missing.
pub(crate) fn estimate(
    expr: &Expr,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Option<ClaimEstimate> {
    runs.forget();
    let value = evaluate(expr, scope, runs).ok()?;
    let seeds = runs.seeds();
    if seeds < 2 {
        return Some(ClaimEstimate { value, intervals: None });
    }
    let mut drawn = vec![Vec::new(); numbers(value.clone()).len()];
    for draw in Draw::all() {
        runs.select(SeedSelection::Drawn(draw));
        let again = evaluate(expr, scope, runs).map(numbers).unwrap_or_default();
        for (i, column) in drawn.iter_mut().enumerate() {
            column.push(again.get(i).copied().unwrap_or(f64::NAN));
        }
    }
    runs.select(SeedSelection::All);
    let intervals = drawn.into_iter().map(|drawn| interval(drawn, seeds)).collect();
    Some(ClaimEstimate { value, intervals })
}

/// The values of named expressions over all seeds; none where runs are missing.
pub(crate) fn numbers_of(
    named: &[(String, Expr)],
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Vec<Option<f64>> {
    let value = |(_, expr): &(String, Expr)| match evaluate(expr, scope, runs) {
        Ok(ExprValue::Number(x)) => Some(x),
        _ => None,
    };
    named.iter().map(value).collect()
}

fn numbers(value: ExprValue) -> Vec<f64> {
    match value {
        ExprValue::Number(x) => vec![x],
        ExprValue::Curve(curve) => curve.y,
    }
}
