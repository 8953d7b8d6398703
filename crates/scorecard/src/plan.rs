//! The statements of a card, and the runs that they need.

use std::collections::BTreeMap;
use std::path::Path;

use westwood_experiment::run::RunTask;
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{BadFile, Faults, Location};
use westwood_scenario::file::{Assignment, Built, GridPoint, Scenario};
use westwood_scenario::spec::ControllerSpec;

use crate::criterion::{CardCriterion, CardReference, CardTest, Examination, PLAIN};

/// The numbers of seeds at which statements are looked at while they are undecided. A setting in which
/// nothing is random has one seed.
pub const LOOKS: [usize; 4] = [8, 16, 32, 64];

/// The first seed.
pub(crate) const FIRST_SEED: u64 = 1;

/// A card that is to be filled in.
#[derive(Debug)]
pub struct CardPlan {
    /// The criteria.
    pub examination: Examination,
    /// The controller's canonical name.
    pub controller: String,
    /// True if the runs are those of the running kernel.
    pub linux: bool,
    /// The scenarios, each with one controller.
    pub grids: Vec<CardGrid>,
    /// The statements, in the order of their tests.
    pub statements: Vec<CardStatement>,
    /// The statements of the criteria that are not examined: they are not run, and share the error.
    pub unexamined: Vec<CardStatement>,
}

/// A scenario with one controller.
#[derive(Debug)]
pub struct CardGrid {
    /// The scenario's name.
    pub name: String,
    /// The inputs that decide its results.
    pub identity: String,
    /// Its runs.
    pub scenario: Scenario,
    /// How many seeds each point has that something is asked of.
    pub seeds: BTreeMap<usize, usize>,
}

/// A point of a scenario: the grid's number in the plan, and the point's in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CardPoint {
    /// The grid.
    pub grid: usize,
    /// The point.
    pub point: usize,
}

/// A statement: a test at one setting, beside the runs of one controller or variant.
#[derive(Clone, Debug)]
pub struct CardStatement {
    /// The criterion's number.
    pub criterion: usize,
    /// The test's number in the criterion.
    pub test: usize,
    /// The setting in words: variant and sweep.
    pub setting: String,
    /// The runs under examination.
    pub point: CardPoint,
    /// The name of the runs beside them, and their point.
    pub beside: Option<(String, CardPoint)>,
    /// The reason why it cannot run where the card is filled in.
    pub left_out: Option<String>,
}

impl CardPlan {
    /// Reads the scenarios with this controller and those beside it, and finds the statements. On Linux a
    /// test that cannot be emulated has none.
    ///
    /// # Errors
    /// If a scenario is wrong, or a test asks for points that it does not have.
    pub fn new(
        examination: Examination,
        controller: ControllerSpec,
        linux: bool,
    ) -> Result<Self, BadFile> {
        let mut plan = Self {
            controller: controller.to_string(),
            linux,
            grids: Vec::new(),
            statements: Vec::new(),
            unexamined: Vec::new(),
            examination,
        };
        let mut faults = Faults::default();
        let Examination { criteria, unexamined, .. } = plan.examination.clone();
        for (number, criterion) in criteria.iter().chain(&unexamined).enumerate() {
            for (test_number, test) in criterion.tests.iter().enumerate() {
                if linux && test.not_on_linux.is_some() {
                    continue;
                }
                let numbers = (number, test_number);
                plan.add_test(criterion, test, numbers, &mut faults);
            }
        }
        if !faults.is_empty() {
            return Err(faults.into_error(&plan.examination.sources));
        }
        let examined = plan.statements.iter().filter(|s| s.criterion < criteria.len()).count();
        plan.unexamined = plan.statements.split_off(examined);
        plan.ask_for(&(0..plan.statements.len()).collect::<Vec<_>>(), 1);
        Ok(plan)
    }

    fn add_test(
        &mut self,
        criterion: &CardCriterion,
        test: &CardTest,
        (number, test_number): (usize, usize),
        faults: &mut Faults,
    ) {
        let controller = self.controller.clone();
        let Some(own) = self.grid(&test.scenario, &controller, test.place, faults) else { return };
        let mut beside_grids = Vec::new();
        if let CardReference::Controllers(names) = &test.beside {
            for name in names {
                let grid = self.grid(&test.scenario, name, test.place, faults);
                beside_grids.extend(grid.map(|grid| (name.clone(), grid)));
            }
        }
        let before = self.statements.len();
        let points = self.grids[own].scenario.points().to_vec();
        for point in points.iter().filter(|point| is_wanted(test, point)) {
            let mut add = |beside: Option<(String, CardPoint)>| {
                self.statements.push(CardStatement {
                    criterion: number,
                    test: test_number,
                    setting: setting_text(point),
                    point: CardPoint { grid: own, point: point.number() },
                    beside,
                    left_out: None,
                });
            };
            match &test.beside {
                CardReference::Absent => add(None),
                // The grids differ in their controller alone: their points have the same numbers.
                CardReference::Controllers(_) => {
                    for (name, grid) in &beside_grids {
                        let at = CardPoint { grid: *grid, point: point.number() };
                        add(Some((name.clone(), at)));
                    }
                }
                CardReference::Variant(variant) => {
                    let same = |other: &&GridPoint| {
                        other.settings == point.settings && variant_of(other) == variant
                    };
                    if let Some(other) = points.iter().find(same) {
                        let at = CardPoint { grid: own, point: other.number() };
                        add(Some((variant.clone(), at)));
                    }
                }
            }
        }
        if self.statements.len() == before {
            let what = format!("{}: no point of '{}' is judged", criterion.section, test.scenario);
            let hint =
                "look at 'variants' and 'beside_variant': 'plain' is the scenario as it stands";
            faults.add(test.place, BadInput::new(what).hint(hint));
        }
    }

    /// The grid of a scenario with a controller, which is read if need be.
    fn grid(
        &mut self,
        name: &str,
        controller: &str,
        place: Location,
        faults: &mut Faults,
    ) -> Option<usize> {
        let set = [format!("cc={controller}"), "seeds=1".to_owned(), "seed=1".to_owned()];
        let set: Result<Vec<Assignment>, BadInput> =
            set.iter().map(|text| Assignment::parse(text)).collect();
        let set = set.map_err(|error| faults.add(place, error)).ok()?;
        let text = self.examination.scenarios.iter().find(|(known, _)| known == name);
        let (_, text) = text?;
        let traces = &self.examination.traces;
        let mut identity = format!("{text}\u{0}cc={controller}");
        for (_, recorded) in traces.iter().filter(|(file, _)| text.contains(file.as_str())) {
            identity.push('\u{0}');
            identity.push_str(recorded);
        }
        let known = |grid: &CardGrid| grid.name == name && grid.identity == identity;
        if let Some(found) = self.grids.iter().position(known) {
            return Some(found);
        }
        let recorded = |file: &Path| self.examination.recorded(file);
        match Scenario::parse(&format!("{name}.toml"), text, &set, &recorded) {
            Ok(scenario) => {
                let name = name.to_owned();
                self.grids.push(CardGrid { name, identity, scenario, seeds: BTreeMap::new() });
                Some(self.grids.len() - 1)
            }
            Err(error) => {
                faults.add(place, BadInput::new(error.lines().join("; ")));
                None
            }
        }
    }

    /// Leaves out the statements that need a network which is refused, with the reason.
    ///
    /// # Errors
    /// If a network cannot be built.
    pub fn leave_out(&mut self, refused: impl Fn(&Built) -> Option<String>) -> Result<(), BadFile> {
        let mut reasons: BTreeMap<CardPoint, Option<String>> = BTreeMap::new();
        let mut reason_of = |statement: &CardStatement| -> Result<Option<String>, BadFile> {
            let mut left_out = None;
            for at in self.points(statement) {
                let reason = match reasons.get(&at) {
                    Some(known) => known.clone(),
                    None => match self.built(at)? {
                        Some(built) => refused(&built),
                        None => None,
                    },
                };
                reasons.insert(at, reason.clone());
                left_out = left_out.or(reason);
            }
            Ok(left_out)
        };
        let all = self.statements.iter().chain(&self.unexamined);
        let left_out: Vec<_> = all.map(&mut reason_of).collect::<Result<_, _>>()?;
        let all = self.statements.iter_mut().chain(&mut self.unexamined);
        all.zip(left_out).for_each(|(statement, reason)| statement.left_out = reason);
        self.grids.iter_mut().for_each(|grid| grid.seeds.clear());
        self.ask_for(&(0..self.statements.len()).collect::<Vec<_>>(), 1);
        Ok(())
    }

    fn built(&self, at: CardPoint) -> Result<Option<Built>, BadFile> {
        let scenario = &self.grids[at.grid].scenario;
        scenario.point(at.point).map(|point| scenario.build(point, FIRST_SEED)).transpose()
    }

    /// The test of a statement.
    pub fn test(&self, statement: &CardStatement) -> &CardTest {
        &self.examination.criterion(statement.criterion).tests[statement.test]
    }

    /// The settings with which the scenario's file makes a statement's runs with these controllers, as
    /// `--set` has them.
    pub(crate) fn set(&self, statement: &CardStatement, controllers: &[&str]) -> Vec<String> {
        let point = self.grids[statement.point.grid].scenario.points().get(statement.point.point);
        let settings = point.map_or(&[][..], |point| &point.settings);
        let swept = settings.iter().filter(|setting| setting.path != "cc");
        let swept = swept.map(|setting| format!("{}={}", setting.path, setting.value));
        std::iter::once(format!("cc={}", controllers.join(","))).chain(swept).collect()
    }

    /// The points whose runs a statement needs: its own, those beside it, and the competing flows alone where
    /// it is about harm.
    pub fn points(&self, statement: &CardStatement) -> Vec<CardPoint> {
        let is_about_harm = self.test(statement).measure.name().starts_with("solo_harm");
        let own = std::iter::once(statement.point);
        let asked: Vec<CardPoint> =
            own.chain(statement.beside.iter().map(|(_, point)| *point)).collect();
        let alone = |at: &CardPoint| {
            let scenario = &self.grids[at.grid].scenario;
            let point = scenario.points().get(at.point)?;
            let same = |other: &&GridPoint| {
                other.is_solo()
                    && other.settings == point.settings
                    && other.variant == point.variant
            };
            let found = scenario.baselines().iter().find(same)?;
            Some(CardPoint { grid: at.grid, point: found.number() })
        };
        let alone: Vec<CardPoint> =
            if is_about_harm { asked.iter().filter_map(alone).collect() } else { Vec::new() };
        asked.into_iter().chain(alone).collect()
    }

    /// Has the points of these statements run with so many seeds.
    pub fn ask_for(&mut self, statements: &[usize], seeds: usize) {
        let applies = |number: &&usize| self.statements[**number].left_out.is_none();
        let statements: Vec<usize> = statements.iter().filter(applies).copied().collect();
        for number in statements {
            for at in self.points(&self.statements[number]) {
                let known = self.grids[at.grid].seeds.entry(at.point).or_insert(seeds);
                *known = (*known).max(seeds);
            }
        }
    }

    /// All networks that something is asked of, with one seed each.
    ///
    /// # Errors
    /// If one cannot be built.
    pub fn networks(&self) -> Result<Vec<Built>, BadFile> {
        let mut built = Vec::new();
        for (number, grid) in self.grids.iter().enumerate() {
            for &point in grid.seeds.keys() {
                built.extend(self.built(CardPoint { grid: number, point })?);
            }
        }
        Ok(built)
    }
}

impl CardGrid {
    /// The runs that are asked for.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = RunTask> + '_ {
        let of = |&point: &usize| self.seeds_of(point).map(move |seed| RunTask { point, seed });
        self.seeds.keys().flat_map(of)
    }

    /// The seeds of a point that are asked for.
    pub(crate) fn seeds_of(&self, point: usize) -> impl Iterator<Item = u64> + use<> {
        (FIRST_SEED..).take(self.seeds.get(&point).copied().unwrap_or(0))
    }
}

/// The variant of a point, by name.
fn variant_of(point: &GridPoint) -> &str {
    point.variant.as_deref().unwrap_or(PLAIN)
}

/// Whether a test is about a point: its variant is asked for, and is not the one beside which it is judged.
fn is_wanted(test: &CardTest, point: &GridPoint) -> bool {
    let variant = variant_of(point);
    let is_other = !matches!(&test.beside, CardReference::Variant(beside) if beside == variant);
    is_other && (test.variants.is_empty() || test.variants.iter().any(|name| name == variant))
}

/// The setting of a point in words, without its controller.
fn setting_text(point: &GridPoint) -> String {
    let has_settings = point.settings.iter().any(|setting| setting.path != "cc");
    if point.variant.is_none() && !has_settings {
        return "as it stands".to_owned();
    }
    point.name_of(None)
}
