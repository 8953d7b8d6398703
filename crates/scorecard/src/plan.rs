//! The statements of a card, and the runs that they need.

use std::collections::BTreeMap;
use std::path::Path;

use westwood_experiment::run::RunTask;
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::{BadFile, Faults, Location};
use westwood_scenario::file::{Assignment, Built, COMPETING_GROUP, GridPoint, Scenario};
use westwood_scenario::spec::ControllerSpec;

use crate::criterion::{COMPETING, CardReference, CardTest, Examination, PLAIN};

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
    /// The names of the runs beside them, and their points; of several the one that allows the most sets the
    /// limit.
    pub beside: Vec<(String, CardPoint)>,
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
                let before = plan.statements.len();
                let clean = plan.add_test(test, (number, test_number), &mut faults);
                if clean && plan.statements.len() == before {
                    let what =
                        format!("{}: no point of '{}' is judged", criterion.section, test.scenario);
                    let hint = "look at 'variants' and 'beside_variant': 'plain' is the scenario as it stands";
                    faults.add(test.place, BadInput::new(what).hint(hint));
                }
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

    /// Adds the statements of a test; false if it has a fault.
    fn add_test(
        &mut self,
        test: &CardTest,
        (number, test_number): (usize, usize),
        faults: &mut Faults,
    ) -> bool {
        let controller = self.controller.clone();
        let Some(own) = self.grid(&test.scenario, &controller, test.place, faults) else {
            return false;
        };
        let points = self.grids[own].scenario.points().to_vec();
        let unknown = unknown_variants(test, &points);
        let is_clean = unknown.is_empty();
        for (place, error) in unknown {
            faults.add(place, error);
        }
        for point in points.iter().filter(|point| is_clean && is_wanted(test, point)) {
            let Some(references) = self.references(test, own, point, &points, faults) else {
                return false;
            };
            for beside in references {
                self.statements.push(CardStatement {
                    criterion: number,
                    test: test_number,
                    setting: setting_text(point),
                    point: CardPoint { grid: own, point: point.number() },
                    beside,
                    left_out: None,
                });
            }
        }
        is_clean
    }

    /// The runs beside which a test is judged at a point, for each of its statements there.
    fn references(
        &mut self,
        test: &CardTest,
        own: usize,
        point: &GridPoint,
        points: &[GridPoint],
        faults: &mut Faults,
    ) -> Option<Vec<Vec<(String, CardPoint)>>> {
        let mut names: Vec<Vec<String>> = match &test.beside {
            CardReference::Absent => return Some(vec![Vec::new()]),
            CardReference::Controllers(names) => names.iter().map(|n| vec![n.clone()]).collect(),
            CardReference::AnyOf(names) => {
                let name = |name: &String| match name.as_str() {
                    COMPETING => self.competing(test, own, point, faults),
                    _ => Some(name.clone()),
                };
                vec![names.iter().map(name).collect::<Option<_>>()?]
            }
            CardReference::Variant(variant) => {
                let is_same = |other: &&GridPoint| {
                    other.settings == point.settings && variant_of(other) == variant
                };
                let found = points.iter().find(is_same);
                let at = |other: &GridPoint| CardPoint { grid: own, point: other.number() };
                return Some(
                    found.map(|other| vec![(variant.clone(), at(other))]).into_iter().collect(),
                );
            }
        };
        // The competing controller may be named as well.
        for names in &mut names {
            names.sort();
            names.dedup();
        }
        // The grids differ in their controller alone: their points have the same numbers.
        let mut at = |name: String| {
            let grid = self.grid(&test.scenario, &name, test.beside_place, faults)?;
            Some((name, CardPoint { grid, point: point.number() }))
        };
        names.into_iter().map(|names| names.into_iter().map(&mut at).collect()).collect()
    }

    /// The controller of the flows that compete with those under test at a point.
    fn competing(
        &self,
        test: &CardTest,
        own: usize,
        point: &GridPoint,
        faults: &mut Faults,
    ) -> Option<String> {
        let built = match self.grids[own].scenario.build(point, FIRST_SEED) {
            Ok(built) => built,
            Err(error) => {
                faults.add(test.place, BadInput::new(error.lines().join("; ")));
                return None;
            }
        };
        let group = built.layout.groups.iter().find(|group| group.name == COMPETING_GROUP);
        let name = group.and_then(|group| group.cc.clone());
        if name.is_none() {
            let what = format!(
                "'{COMPETING}' is the controller of competing flows, and '{}' has none",
                test.scenario
            );
            let hint = "name controllers, or set dumbbell.against_cc in the scenario";
            faults.add(test.beside_place, BadInput::new(what).hint(hint));
        }
        name
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

/// The names of variants that a scenario with these points does not have, each with its place.
fn unknown_variants(test: &CardTest, points: &[GridPoint]) -> Vec<(Location, BadInput)> {
    let mut known: Vec<&str> = Vec::new();
    for name in points.iter().map(variant_of) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let beside = match &test.beside {
        CardReference::Variant(name) => Some((name, test.beside_place)),
        _ => None,
    };
    let named = test.variants.iter().zip(test.variant_places.iter().copied()).chain(beside);
    let unknown = named.filter(|(name, _)| !known.contains(&name.as_str()));
    let error = |name| BadInput::unknown("variant", name, known.iter().copied());
    unknown.map(|(name, place)| (place, error(name))).collect()
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
