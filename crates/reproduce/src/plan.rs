//! The plan of a reproduction: the runs that are needed, and the queries of each.

use std::collections::{BTreeMap, BTreeSet};

use westwood_experiment::run::{RunTask, is_exact};
use westwood_scenario::BadInput;
use westwood_scenario::file::Scenario;
use westwood_scenario::file::reading::{BadFile, Faults, Location, Sources};

use crate::claim::{Choice, Claim};
use crate::expr::{Context, Expr, ExprError, ExprValue, MetricSource, PaperCurve, Scope, evaluate};
use crate::extent::{Extent, Platform};
use crate::metric::{MetricCall, PointSelection, Query};
use crate::needs::MeasuringNeeds;
use crate::paper::{Experiment, Paper, PaperFigure};

/// The papers with the grids of their experiments, ready to be run.
#[derive(Debug)]
pub struct ReproductionPlan {
    /// Full or quick.
    pub mode: Extent,
    /// The platform of the experiments.
    pub on: Platform,
    /// The papers.
    pub papers: Vec<Paper>,
    /// The experiments of all papers that are run.
    pub grids: Vec<ExperimentGrid>,
    /// The keys of papers that have nothing to run there.
    left_out: Vec<String>,
}

/// An experiment with the queries of its runs.
#[derive(Debug)]
pub struct ExperimentGrid {
    /// Its paper.
    pub paper: String,
    /// Its name.
    pub name: String,
    /// Its subject.
    pub about: String,
    /// The inputs that decide its results.
    pub identity: String,
    /// Its points and seeds.
    pub scenario: Scenario,
    /// The queries, each with the points of which it is asked.
    pub queries: Vec<PointQuery>,
    /// The points of the scenario that something is asked of.
    pub points: BTreeSet<usize>,
    /// Those that each claim's numbers and conditions are of, as the paper is read here.
    pub(crate) asked_by: BTreeMap<String, BTreeSet<usize>>,
    /// True if it is asked for.
    pub wanted: bool,
    /// Points at which nothing is random: one seed says what all would.
    pub exact: BTreeSet<usize>,
    /// Points that are run with so many times the file's seeds, to decide a claim.
    pub more: BTreeMap<usize, usize>,
    /// The scenario again for each set of needs, and the one of each point.
    measuring: Vec<Scenario>,
    measured_by: BTreeMap<usize, usize>,
}

/// A query with the points of which it is asked.
#[derive(Clone, Debug)]
pub struct PointQuery {
    /// The query.
    pub query: Query,
    /// The points.
    pub points: BTreeSet<usize>,
}

/// A point of an experiment: the grid's number in the plan, and the point's in the grid.
pub(crate) type GridPointId = (usize, usize);

/// Seeds that a claim still needs: these points, with so many times their file's seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoreSeeds {
    pub(crate) points: Vec<GridPointId>,
    pub(crate) factor: usize,
}

/// A part of the papers: all, one paper, or one experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperPart {
    /// The paper's key.
    pub paper: String,
    /// The experiment; all if absent.
    pub experiment: Option<String>,
}

impl PaperPart {
    /// Reads `PAPER` or `PAPER/EXPERIMENT`.
    pub fn parse(text: &str) -> Self {
        match text.trim_end_matches('/').split_once('/') {
            None => Self { paper: text.trim_end_matches('/').to_owned(), experiment: None },
            Some((paper, one)) => {
                Self { paper: paper.to_owned(), experiment: Some(one.to_owned()) }
            }
        }
    }

    fn has(&self, paper: &str, experiment: &str) -> bool {
        self.paper == paper && self.experiment.as_deref().is_none_or(|e| e == experiment)
    }
}

impl ReproductionPlan {
    /// Checks every expression of these papers about simulated runs, and collects the queries of
    /// the runs.
    pub fn new(papers: Vec<Paper>, sources: &Sources, mode: Extent) -> Result<Self, BadFile> {
        Self::on(Platform::Simulator, papers, sources, mode)
    }

    /// The same for what runs there. Papers that have nothing for it are left out.
    pub fn on(
        on: Platform,
        papers: Vec<Paper>,
        sources: &Sources,
        mode: Extent,
    ) -> Result<Self, BadFile> {
        let has_any = |paper: &Paper| on == Platform::Simulator || !paper.experiments.is_empty();
        let (papers, left_out): (Vec<Paper>, Vec<Paper>) =
            papers.into_iter().map(|paper| paper.on(on)).partition(has_any);
        let left_out = left_out.into_iter().map(|paper| paper.key).collect();
        let mut faults = Faults::default();
        let mut grids = Vec::new();
        for paper in &papers {
            let first = grids.len();
            for experiment in &paper.experiments {
                grids.extend(grid(paper, experiment, mode, &mut faults));
            }
            let mut planner = Planner {
                paper,
                grids: &mut grids[first..],
                mode,
                claim: None,
                faults: &mut faults,
            };
            planner.figures();
            planner.claims();
            planner.ablations();
        }
        if faults.is_empty() {
            for paper in &papers {
                for experiment in &paper.experiments {
                    let of =
                        |g: &&mut ExperimentGrid| g.paper == paper.key && g.name == experiment.name;
                    if let Some(grid) = grids.iter_mut().find(of) {
                        grid.measure_as_needed(experiment, mode, on, &mut faults);
                        grid.find_exact(on);
                    }
                }
            }
        }
        if faults.is_empty() {
            Ok(Self { mode, on, papers, grids, left_out })
        } else {
            Err(faults.into_error(sources))
        }
    }

    /// Has these points run with more seeds.
    pub fn add_seeds(&mut self, more: &[MoreSeeds]) {
        for MoreSeeds { points, factor } in more {
            for &(grid, point) in points {
                let known = self.grids[grid].more.entry(point).or_insert(1);
                *known = (*known).max(*factor);
            }
        }
    }

    /// Leaves only this part to be run.
    ///
    /// # Errors
    /// If there is no such paper or experiment.
    pub fn choose(&mut self, part: &PaperPart) -> Result<(), BadInput> {
        let keys: Vec<&str> = self.papers.iter().map(|p| p.key.as_str()).collect();
        let Some(paper) = self.papers.iter().find(|p| p.key == part.paper) else {
            if self.left_out.contains(&part.paper) {
                let what = format!("nothing of '{}' runs on Linux", part.paper);
                let mend = format!("leave out --on linux, or choose one of: {}", keys.join(", "));
                return Err(BadInput::new(what).hint(mend));
            }
            return Err(BadInput::unknown("paper", &part.paper, keys));
        };
        if let Some(experiment) = &part.experiment {
            let names = paper.experiments.iter().map(|e| e.name.as_str());
            let Some(found) = paper.experiments.iter().find(|e| e.name == *experiment) else {
                let names: Vec<&str> = names.collect();
                return Err(BadInput::unknown("experiment", experiment, names));
            };
            if self.mode == Extent::Quick && found.quick.is_none() {
                let what = format!("'{experiment}' is not part of the quick mode");
                return Err(BadInput::new(what).hint("leave out --quick"));
            }
        }
        for grid in &mut self.grids {
            grid.wanted = part.has(&grid.paper, &grid.name);
        }
        self.papers.retain(|p| p.key == part.paper);
        if let Some(experiment) = &part.experiment {
            for paper in &mut self.papers {
                let about = |name: &Option<String>| name.as_ref() == Some(experiment);
                paper.claims.retain(|claim| about(&claim.experiment));
                paper.figures.retain(|figure| about(&figure.experiment));
                paper.tables.retain(|table| about(&table.experiment));
                paper.ablations.retain(|ablation| about(&ablation.experiment));
            }
        }
        Ok(())
    }
}

fn grid(
    paper: &Paper,
    experiment: &Experiment,
    mode: Extent,
    faults: &mut Faults,
) -> Option<ExperimentGrid> {
    match experiment.scenario(&paper.key, mode, &[])? {
        Ok(scenario) => Some(ExperimentGrid {
            paper: paper.key.clone(),
            name: experiment.name.clone(),
            about: experiment.about.clone(),
            identity: experiment.identity(mode),
            scenario,
            queries: Vec::new(),
            points: BTreeSet::new(),
            asked_by: BTreeMap::new(),
            wanted: true,
            exact: BTreeSet::new(),
            more: BTreeMap::new(),
            measuring: Vec::new(),
            measured_by: BTreeMap::new(),
        }),
        Err(error) => {
            faults.add(experiment.place, BadInput::new(error.lines().join("; ")));
            None
        }
    }
}

impl ExperimentGrid {
    /// So many times the file's seeds: those of the file, and the numbers after the largest. One seed
    /// alone is that of a run without chance, and stays alone; so is the first one where nothing is random.
    pub(crate) fn seeds(&self, point: usize, factor: usize) -> Vec<u64> {
        let mut seeds = self.scenario.seeds().clone();
        if self.exact.contains(&point) {
            seeds.truncate(1);
        }
        if seeds.len() > 1 {
            let last = seeds.iter().copied().max().unwrap_or(0);
            seeds.extend((last + 1..).take(self.scenario.seeds().len() * (factor - 1)));
        }
        seeds
    }

    /// The runs that are needed.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = RunTask> + '_ {
        self.points.iter().flat_map(|&point| {
            let factor = self.more.get(&point).copied().unwrap_or(1);
            self.seeds(point, factor).into_iter().map(move |seed| RunTask { point, seed })
        })
    }

    /// Finds the points at which nothing is random. On a real kernel there are none.
    fn find_exact(&mut self, on: Platform) {
        if on == Platform::Simulator && self.scenario.seeds().len() > 1 {
            let is_exact = |&point: &usize| {
                self.scenario.points().get(point).is_some_and(|it| is_exact(&self.scenario, it))
            };
            self.exact = self.points.iter().copied().filter(is_exact).collect();
        }
    }

    /// The queries that are asked of a point.
    pub(crate) fn queries_of(&self, point: usize) -> impl Iterator<Item = &Query> {
        let asked = self.queries.iter().filter(move |asked| asked.points.contains(&point));
        asked.map(|asked| &asked.query)
    }

    /// The scenario of a point's runs: they measure what is asked of the point, and no more.
    pub(crate) fn measuring(&self, point: usize) -> &Scenario {
        let own = self.measured_by.get(&point).and_then(|&i| self.measuring.get(i));
        own.unwrap_or(&self.scenario)
    }

    /// Reads the scenario again for each set of needs that its points have.
    fn measure_as_needed(
        &mut self,
        experiment: &Experiment,
        mode: Extent,
        on: Platform,
        faults: &mut Faults,
    ) {
        let mut points: BTreeMap<MeasuringNeeds, Vec<usize>> = BTreeMap::new();
        for &point in &self.points {
            points.entry(MeasuringNeeds::of(self.queries_of(point), on)).or_default().push(point);
        }
        for (needs, points) in points {
            match needs.settings().map(|set| experiment.scenario(&self.paper, mode, &set)) {
                Ok(Some(Ok(scenario))) => {
                    let number = self.measuring.len();
                    self.measuring.push(scenario);
                    self.measured_by.extend(points.into_iter().map(|point| (point, number)));
                }
                Ok(Some(Err(error))) => {
                    faults.add(experiment.place, BadInput::new(error.lines().join("; ")));
                }
                Ok(None) => {}
                Err(error) => faults.add(experiment.place, error),
            }
        }
    }
}

/// Evaluates everything with made-up numbers, which collects the queries and finds the faults.
struct Planner<'a> {
    paper: &'a Paper,
    grids: &'a mut [ExperimentGrid],
    mode: Extent,
    /// The claim whose own numbers are asked for.
    claim: Option<&'a str>,
    faults: &'a mut Faults,
}

impl Planner<'_> {
    fn figures(&mut self) {
        let paper = self.paper;
        for figure in &paper.figures {
            if self.runs(figure.experiment.as_deref(), figure.place) {
                for (_, line) in &figure.lines {
                    match self.check(line, &scope(paper, figure.experiment.as_deref())) {
                        Some(ExprValue::Number(_)) => {
                            let what = BadInput::new("a line of a figure must be a curve");
                            let hint = "leave one axis of the sweep free, or write points(...)";
                            self.faults.add(line.place, what.hint(hint));
                        }
                        Some(ExprValue::Curve(curve)) => self.named_places(figure, line, &curve),
                        None => {}
                    }
                }
            }
        }
        for table in &paper.tables {
            if self.runs(table.experiment.as_deref(), table.place) {
                let scope = scope(paper, table.experiment.as_deref());
                for value in table.rows.iter().flat_map(|row| &row.values) {
                    self.number(value, &scope);
                }
            }
        }
    }

    /// Refuses a line that has another number of places than names stand below the figure.
    fn named_places(&mut self, figure: &PaperFigure, line: &Expr, curve: &PaperCurve) {
        let (names, places) = (figure.x_names.len(), curve.x.len());
        if names != 0 && names != places {
            let what = format!("the line has {places} places, and 'x_names' has {names} names");
            self.faults.add(line.place, BadInput::new(what));
        }
    }

    fn claims(&mut self) {
        let paper = self.paper;
        let mut ids: Vec<&str> = Vec::new();
        for claim in &paper.claims {
            if ids.contains(&claim.id.as_str()) {
                let what = format!("there are two claims {}", claim.id);
                self.faults.add(claim.place, BadInput::new(what));
            }
            ids.push(&claim.id);
            if !self.runs(claim.experiment.as_deref(), claim.place) || !evaluated(claim, self.mode)
            {
                continue;
            }
            let own = claim_scope(paper, claim, None);
            self.claim = Some(&claim.id);
            self.claim(claim, &own);
            self.claim = None;
            let full = self.mode == Extent::Full;
            // An analysis speaks of the claim's own scope, not of a choice's; and of the whole experiment,
            // of which quick runs may lack a part.
            let analysis = claim.analysis.iter().filter(|_| full);
            for (_, number) in analysis.flat_map(|analysis| &analysis.numbers) {
                self.number(number, &own);
            }
            for choice in claim.choices.iter().filter(|_| full) {
                if self.runs(choice.experiment.as_deref(), choice.place) {
                    self.claim(claim, &claim_scope(paper, claim, Some(choice)));
                }
            }
        }
    }

    fn ablations(&mut self) {
        let paper = self.paper;
        for ablation in &paper.ablations {
            let place = self.paper.experiments.first().map(|experiment| experiment.place);
            let Some(place) = place else { return };
            if self.runs(ablation.experiment.as_deref(), place) {
                let scope = scope(paper, ablation.experiment.as_deref());
                for (_, number) in &ablation.answer.numbers {
                    self.number(number, &scope);
                }
            }
        }
    }

    fn claim(&mut self, claim: &Claim, scope: &Scope) {
        for part in &claim.parts {
            self.number(&part.measure, scope);
        }
        let scope = with_it(scope, &vec![1.0; claim.parts.len()]);
        for condition in claim.test.iter().chain(&claim.shape) {
            self.number(condition, &scope);
        }
    }

    /// True if an experiment is run in this mode; none at all counts as one.
    fn runs(&mut self, experiment: Option<&str>, place: Location) -> bool {
        let Some(name) = experiment else { return true };
        if !self.paper.experiments.iter().any(|e| e.name == name) {
            let names = self.paper.experiments.iter().map(|e| e.name.as_str());
            let error = BadInput::unknown("experiment", name, names.collect::<Vec<_>>());
            self.faults.add(place, error);
            return false;
        }
        self.grids.iter().any(|grid| grid.name == name)
    }

    fn number(&mut self, expr: &Expr, scope: &Scope) {
        if let Some(ExprValue::Curve(_)) = self.check(expr, scope) {
            let what = BadInput::new("this is a curve where a number is due");
            self.faults.add(expr.place, what.hint("fix every axis, or take max(...) or at(...)"));
        }
    }

    fn check(&mut self, expr: &Expr, scope: &Scope) -> Option<ExprValue> {
        let Self { paper, claim, .. } = *self;
        let mut source = PlannedSource { paper, grids: self.grids, claim, left_out: false };
        let value = evaluate(expr, scope, &mut source);
        let left_out = source.left_out;
        value
            .map_err(|wrong| {
                if !left_out {
                    self.faults.add(wrong.place, wrong.error);
                }
            })
            .ok()
    }
}

/// Notes the queries of runs, and answers 1.
struct PlannedSource<'a> {
    paper: &'a Paper,
    grids: &'a mut [ExperimentGrid],
    /// The claim whose own numbers are asked for.
    claim: Option<&'a str>,
    /// True if an experiment was asked for that is not run in this mode.
    left_out: bool,
}

impl MetricSource for PlannedSource<'_> {
    fn metric(&mut self, call: &MetricCall, context: &Context) -> Result<ExprValue, ExprError> {
        let name = experiment_of(call, context)?;
        let Some(grid) = self.grids.iter_mut().find(|grid| grid.name == name) else {
            let names: Vec<&str> = self.paper.experiments.iter().map(|e| e.name.as_str()).collect();
            self.left_out = names.contains(&name.as_str());
            return Err(ExprError {
                place: call.place,
                error: BadInput::unknown("experiment", &name, names),
            });
        };
        let variant = context.variant.as_deref();
        let picked = call.select.points(&grid.scenario, variant, call.place)?;
        let points: BTreeSet<usize> = match &picked {
            PointSelection::One(point) => [*point].into(),
            PointSelection::Along(points) => points.iter().map(|(_, point)| *point).collect(),
        };
        grid.points.extend(&points);
        if let Some(claim) = self.claim {
            grid.asked_by.entry(claim.to_owned()).or_default().extend(&points);
        }
        match grid.queries.iter_mut().find(|asked| asked.query.key == call.query.key) {
            Some(asked) => asked.points.extend(points),
            None => grid.queries.push(PointQuery { query: call.query.clone(), points }),
        }
        match picked {
            PointSelection::One(_) if call.query.is_series() => {
                Ok(ExprValue::Curve(PaperCurve { x: vec![0.0, 1.0], y: vec![1.0, 1.0] }))
            }
            PointSelection::One(_) => Ok(ExprValue::Number(1.0)),
            PointSelection::Along(_) if call.query.is_series() => {
                let wrong = ExprError::new(call.place, "a curve over time along a sweep");
                Err(wrong.hint("fix the axis, or give a stat such as stat=\"mean\""))
            }
            PointSelection::Along(points) => Ok(ExprValue::Curve(PaperCurve::new(
                points.into_iter().map(|(x, _)| (x, 1.0)).collect(),
            ))),
        }
    }
}

/// The experiment that a metric means.
pub(crate) fn experiment_of(call: &MetricCall, context: &Context) -> Result<String, ExprError> {
    let said = call.select.experiment.as_ref().map(|(name, _)| name);
    said.or(context.experiment.as_ref()).cloned().ok_or_else(|| {
        ExprError::new(call.place, "no experiment is named")
            .hint("write in=\"...\", or 'experiment'")
    })
}

/// True if a claim is evaluated in this mode.
pub(crate) fn evaluated(claim: &Claim, mode: Extent) -> bool {
    mode == Extent::Full || claim.quick
}

/// The names of a figure or a table.
pub(crate) fn scope(paper: &Paper, experiment: Option<&str>) -> Scope {
    let context = Context { experiment: experiment.map(str::to_owned), variant: None };
    Scope { lets: paper.lets.clone(), values: Vec::new(), context }
}

/// The names of a claim under a choice.
pub(crate) fn claim_scope(paper: &Paper, claim: &Claim, choice: Option<&Choice>) -> Scope {
    let mut scope = scope(paper, claim.experiment.as_deref());
    scope.lets.extend(claim.lets.iter().cloned());
    let Some(choice) = choice else { return scope };
    if choice.experiment.is_some() {
        scope.context.experiment.clone_from(&choice.experiment);
    }
    scope.context.variant.clone_from(&choice.variant);
    for (name, expr) in &choice.lets {
        match scope.lets.iter_mut().rev().find(|(n, _)| n == name) {
            Some((_, old)) => *old = expr.clone(),
            None => scope.lets.push((name.clone(), expr.clone())),
        }
    }
    scope
}

/// The same names and the measured values: `it`, or `it1`, `it2` and so on.
pub(crate) fn with_it(scope: &Scope, measured: &[f64]) -> Scope {
    let mut scope = scope.clone();
    scope.values.extend(measured.first().map(|x| ("it".to_owned(), ExprValue::Number(*x))));
    let numbered = measured.iter().zip(1..).map(|(x, i)| (format!("it{i}"), ExprValue::Number(*x)));
    scope.values.extend(numbered);
    scope
}
