//! The points of a scenario: sweeps, variants, controllers, seeds.

use westwood_cc::Duration;
use westwood_sim::{FlowRange, Probes};

use super::axis::{GridAxis, Variant, axes, node_text, point_path, variants};
use super::bounds::{Bounds, check_counts};
use super::build::{Built, PointSpec, TraceReader, Traces, build};
use super::documents::place_of_field;
use super::effective::{Effective, settings, transport};
use super::estimate::CostEstimate;
use super::fault::{BadFile, Faults};
use super::flags::{FlagValue, tree};
use super::given::{GivenSettings, given};
use super::like;
use super::location::{Location, Sources};
use super::node::{Node, TableEntry, TomlTable, TomlValue, parse};
use super::point::{GridPoint, PointSetting};
use super::quantity::{RecordedSeries, SeriesKind, full_segment};
use super::set::Assignment;
use super::tables::Top;
use super::write::toml;
use crate::error::{BadInput, listed, quoted};
use crate::path::ComparisonPath;
use crate::spec::{self, ControllerSpec};

/// An experiment: a network and its traffic, over a grid of settings and over seeds.
///
/// Everything is checked when it is read: every point of the grid can be built.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    sources: Sources,
    /// The tables without sweep and variants, single settings of `--set` applied.
    base: TomlTable,
    top: Top,
    axes: Vec<GridAxis>,
    variants: Vec<Variant>,
    traces: Traces,
    points: Vec<GridPoint>,
    /// Numbered behind the points.
    baselines: Vec<GridPoint>,
}

impl Scenario {
    /// Reads a scenario. `name` is the file's, for messages; `set` are settings from elsewhere; `read`
    /// opens the files that the scenario names.
    pub fn parse(
        name: &str,
        text: &str,
        set: &[Assignment],
        read: TraceReader<'_>,
    ) -> Result<Self, BadFile> {
        let mut sources = Sources::default();
        let number = sources.add(name, text);
        let mut faults = Faults::of_fields(place_of_field);
        let base = parse(text, number, &mut faults);
        if !faults.is_empty() {
            // Text that the parser skipped would give false faults.
            return Err(faults.into_error(&sources));
        }
        match Self::assemble(name, base, &mut sources, set, read, &mut faults) {
            Some(scenario) if faults.is_empty() => Ok(Self { sources, ..scenario }),
            _ => Err(faults.into_error(&sources)),
        }
    }

    /// Reads an experiment that flags say; the second answer is the same as a file. `name` heads it, and
    /// `record` are the time series that are kept.
    pub fn of_flags(
        name: &str,
        words: &[FlagValue],
        record: &[SeriesKind],
        read: TraceReader<'_>,
    ) -> Result<(Self, String), BadFile> {
        let mut sources = Sources::default();
        sources.add("", "");
        let mut faults = Faults::of_fields(place_of_field);
        let mut base = tree(words, &mut sources, &mut faults);
        let text = toml(&base);
        if !record.is_empty() {
            base.entries.push(recording(record));
        }
        match Self::assemble(name, base, &mut sources, &[], read, &mut faults) {
            Some(scenario) if faults.is_empty() => Ok((Self { sources, ..scenario }, text)),
            _ => Err(faults.into_error(&sources)),
        }
    }

    fn assemble(
        name: &str,
        mut base: TomlTable,
        sources: &mut Sources,
        set: &[Assignment],
        read: TraceReader<'_>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let mut given: Vec<GridAxis> = Vec::new();
        for assignment in set {
            assignment.apply(&mut base, sources, faults, |path, place, values| {
                given.push(GridAxis { path, place, values });
            });
        }
        let filled = like::filled(base.clone());
        faults.know_packet(full_segment(filled.get("tcp")));
        let root = Node { value: TomlValue::Table(filled), place: Location::start() };
        let before = faults.noted();
        let top = Top::read(&root, faults)?;
        let top = faults.unless_since(before, top)?;
        let mut axes = top.sweep.as_ref().map_or(Vec::new(), |given| axes(&given.value, faults));
        axes.retain(|axis| given.iter().all(|other| other.path != axis.path));
        let swept = given.into_iter().filter(|axis| axis.values.len() > 1);
        axes.extend(
            swept.filter(|axis| faults.check(axis.place, point_path(&axis.path)).is_some()),
        );
        let variants =
            top.variant.as_ref().map_or(Vec::new(), |given| variants(&given.value, faults));
        let mut scenario = Self {
            name: top.name.as_ref().map_or_else(|| stem(name), |given| given.value.clone()),
            sources: Sources::default(),
            base,
            top,
            axes,
            variants,
            traces: Traces::default(),
            points: Vec::new(),
            baselines: Vec::new(),
        };
        scenario.find_points(read, faults)?;
        scenario.find_baselines();
        scenario.check_axes(faults);
        Some(scenario)
    }

    /// Goes through the grid, the last axis fastest, and within a point of it through variants and
    /// controllers. Every point is built once.
    fn find_points(&mut self, read: TraceReader<'_>, faults: &mut Faults) -> Option<()> {
        /// A file with so many different faults has one cause.
        const ENOUGH: usize = 100;
        let bounds = Bounds::of(&self.top.limits.value);
        let (seed, seeds) = (self.top.seed, self.top.seeds.value);
        if seed.value.checked_add(seeds - 1).is_none() {
            let what = format!("{seeds} seeds from {} on exceed {}", seed.value, u64::MAX);
            faults.add(seed.place, BadInput::new(what).hint("lower seed"));
            return None;
        }
        let combinations =
            self.axes.iter().try_fold(1_usize, |n, axis| n.checked_mul(axis.values.len()));
        let known = combinations.and_then(|n| n.checked_mul(self.variants.len() + 1));
        bounds.check_runs(known, self.top.seeds.value, self.runs_place(), faults)?;
        for combination in 0..combinations? {
            for variant_number in 0..=self.variants.len() {
                let Some(top) = self.settled(combination, variant_number, faults) else {
                    continue;
                };
                self.traces.load(&top, read);
                let ccs = top
                    .cc
                    .as_ref()
                    .map_or(vec![None], |given| given.value.iter().copied().map(Some).collect());
                for cc in ccs {
                    let point =
                        self.built_point(&top, cc, (combination, variant_number), &bounds, faults);
                    self.points.extend(point);
                }
                if faults.count() > ENOUGH {
                    return None;
                }
            }
        }
        bounds.check_runs(
            Some(self.points.len()),
            self.top.seeds.value,
            self.runs_place(),
            faults,
        )?;
        self.check_measured_link(faults);
        bounds.check_work(&self.points, self.top.seeds.value, self.top.time.place, faults)
    }

    /// The baselines of competing flows: where their own controller is not under test a point at which it
    /// is, and a point at which they have the path alone. Beside these the loss of the competing flows is
    /// seen. A fault of one leaves the points as they are.
    fn find_baselines(&mut self) {
        let mut settings: Vec<(usize, usize)> = Vec::new();
        for point in self.points.iter().filter(|point| point.cc.is_some()) {
            let setting = (point.combination, point.variant_number);
            // Points of one setting stand together.
            if settings.last() != Some(&setting) {
                settings.push(setting);
            }
        }
        let own_kind = settings.iter().filter_map(|setting| self.baseline(*setting));
        let alone = settings.iter().filter_map(|setting| self.alone(*setting));
        let found: Vec<GridPoint> = own_kind.chain(alone).collect();
        let before = self.points.len();
        let numbered = found.into_iter().enumerate();
        self.baselines =
            numbered.map(|(i, point)| GridPoint { number: before + i, ..point }).collect();
    }

    /// The baseline of a setting, if it needs one.
    fn baseline(&self, (combination, variant_number): (usize, usize)) -> Option<GridPoint> {
        let here = |point: &&GridPoint| {
            (point.combination, point.variant_number) == (combination, variant_number)
        };
        let mut points = self.points.iter().filter(here);
        let first = points.clone().next()?;
        let competing_flows = self.build(first, self.top.seed.value).ok()?.rival()?.to_owned();
        let compared =
            |point: &GridPoint| point.cc.is_some_and(|cc| cc.to_string() == competing_flows);
        if points.any(compared) {
            return None;
        }
        let cc = Some(self.controller(&competing_flows).ok()?);
        let (number, ack_cost) = (self.points.len(), None);
        let point = GridPoint { cc, ack_cost, number, ..first.clone() };
        let built = self.build(&point, self.top.seed.value).ok()?;
        // Flows that name their own controller are not changed by the list's.
        let tested = built.layout.groups.get(built.layout.tested)?;
        let own_kind = tested.cc.as_deref() == Some(competing_flows.as_str());
        own_kind.then(|| GridPoint { estimate: CostEstimate::of(&built), ..point })
    }

    /// The point of a setting at which the competing flows have the path alone; none if none compete.
    fn alone(&self, (combination, variant_number): (usize, usize)) -> Option<GridPoint> {
        let here = |point: &&GridPoint| {
            (point.combination, point.variant_number) == (combination, variant_number)
        };
        let first = self.points.iter().find(here)?;
        let (number, ack_cost) = (self.points.len(), None);
        let point = GridPoint { ack_cost, solo: true, number, ..first.clone() };
        let built = self.build(&point, self.top.seed.value).ok()?;
        built.rival()?;
        Some(GridPoint { estimate: CostEstimate::of(&built), ..point })
    }

    /// Refuses two values of an axis that mean the same, and two axes that set the same field: their runs
    /// would count twice.
    fn check_axes(&self, faults: &mut Faults) {
        for (i, axis) in self.axes.iter().enumerate() {
            let mut known: Vec<(Top, &Node)> = Vec::new();
            for node in &axis.values {
                let Some(read) = self.read_with(&[(axis, node)]) else {
                    continue;
                };
                match known.iter().find(|(other, _)| *other == read) {
                    Some((_, first)) => {
                        let what = match (node_text(node), node_text(first)) {
                            (again, first) if again == first => {
                                format!("{} is given twice", quoted(&again))
                            }
                            (again, first) => format!("{again} is the same as {first}"),
                        };
                        let hint = "leave one of them out: a value counts once";
                        faults.add(node.place, BadInput::new(what).hint(hint));
                    }
                    None => known.push((read, node)),
                }
            }
            let &[(_, first), (_, second), ..] = known.as_slice() else {
                continue;
            };
            for later in &self.axes[i + 1..] {
                let Some(node) = later.values.first() else {
                    continue;
                };
                let read = |value: &Node| self.read_with(&[(axis, value), (later, node)]);
                if read(first).is_some_and(|read_first| read(second) == Some(read_first)) {
                    let (path, other) = (quoted(&later.path), quoted(&axis.path));
                    let what = format!("{path} sets again what {other} sets");
                    let hint = "sweep a field once, with all of its values in one list";
                    faults.add(later.place, BadInput::new(what).hint(hint));
                }
            }
        }
    }

    /// The tables as they are read when these values of axes are set one after another; none if a value is
    /// wrong.
    fn read_with(&self, settings: &[(&GridAxis, &Node)]) -> Option<Top> {
        let mut tree = self.base.clone();
        let mut aside = Faults::default();
        for &(axis, node) in settings {
            put(&mut tree, &axis.path, axis.place, node.clone(), &mut aside);
        }
        let root = Node { value: TomlValue::Table(like::filled(tree)), place: Location::start() };
        let top = Top::read(&root, &mut aside)?;
        aside.is_empty().then_some(top)
    }

    /// Refuses a link to be measured that is on no flow's route at any point. A sweep may move routes
    /// away from it: where only some points do not use it, their results say so.
    fn check_measured_link(&self, faults: &mut Faults) {
        let (Some(given), Some(first)) = (&self.top.measure.value.link, self.points.first()) else {
            return;
        };
        if !self.points.iter().all(|point| point.idle) {
            return;
        }
        let what = BadInput::new(format!("no flow's route leads over {}", quoted(&given.value)));
        let crossed = self.build(first, self.top.seed.value).ok();
        let crossed: Vec<&str> = crossed.iter().flat_map(Built::crossed).take(20).collect();
        let hint = format!(
            "routes have the least total delay: flows cross {}; give a flow a path to lead it elsewhere",
            listed(crossed)
        );
        faults.add(given.place, what.hint(hint));
    }

    /// The place of the setting that makes too many runs.
    fn runs_place(&self) -> Location {
        self.axes.first().map_or(self.top.seeds.place, |axis| axis.place)
    }

    fn built_point(
        &self,
        top: &Top,
        cc: Option<ControllerSpec>,
        (combination, variant_number): (usize, usize),
        bounds: &Bounds,
        faults: &mut Faults,
    ) -> Option<GridPoint> {
        check_counts(top, bounds, faults)?;
        let case = PointSpec { top, cc: cc.as_ref(), seed: top.seed.value, traces: &self.traces };
        let built = build(case, probes(top, true), faults)?;
        let estimate = CostEstimate::of(&built);
        bounds.check_memory(&estimate, top, faults)?;
        let settings = self
            .chosen(combination)
            .map(|(axis, node)| PointSetting { path: axis.path.clone(), value: node_text(node) });
        Some(GridPoint {
            settings: settings.collect(),
            variant: variant_number.checked_sub(1).map(|i| self.variants[i].name.clone()),
            cc,
            estimate,
            ack_cost: built.tested_controller().filter(|_| top.measure.value.ack_cost.value),
            solo: false,
            idle: !built.is_crossed(built.layout.measured_link),
            number: self.points.len(),
            combination,
            variant_number,
        })
    }

    /// Each axis with its value in a combination.
    fn chosen(&self, combination: usize) -> impl Iterator<Item = (&GridAxis, &Node)> {
        let mut rest = combination;
        let mut places: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let at = rest % axis.values.len();
                rest /= axis.values.len();
                at
            })
            .collect();
        places.reverse();
        self.axes.iter().zip(places).map(|(axis, at)| (axis, &axis.values[at]))
    }

    /// The tables of a combination and a variant.
    fn settled(&self, combination: usize, variant: usize, faults: &mut Faults) -> Option<Top> {
        let mut tree = self.base.clone();
        let mut ok = true;
        for (axis, node) in self.chosen(combination) {
            ok &= put(&mut tree, &axis.path, axis.place, node.clone(), faults);
        }
        self.varied(tree, variant, faults).filter(|_| ok)
    }

    /// Tables with the settings of a variant.
    fn varied(&self, mut tree: TomlTable, variant: usize, faults: &mut Faults) -> Option<Top> {
        let mut ok = true;
        for entry in variant.checked_sub(1).iter().flat_map(|&i| &self.variants[i].settings) {
            ok &= put(&mut tree, &entry.key, entry.place, entry.node.clone(), faults);
        }
        let root = Node { value: TomlValue::Table(like::filled(tree)), place: Location::start() };
        let before = faults.noted();
        let top = Top::read(&root, faults)?;
        faults.unless_since(before, top).filter(|_| ok)
    }

    /// The same with these time series recorded, of the first seed or of all. Results stay the same, but for
    /// the number of events.
    pub fn recording(&self, series: &[SeriesKind], seeds: RecordedSeries) -> Self {
        let mut recording = self.clone();
        let place = Location::start();
        let text = |name: &str| Node { value: TomlValue::Text(name.to_owned()), place };
        let names = series.iter().map(|one| text(one.name())).collect();
        let names = Node { value: TomlValue::List(names), place };
        let seeds = match seeds {
            RecordedSeries::First => "first",
            RecordedSeries::All => "all",
        };
        for (key, node) in [("series", names), ("seeds", text(seeds))] {
            // The fields exist, and the table was read as one: nothing can be wrong.
            let _ = recording.base.set(&["record", key], place, node);
        }
        recording
    }

    /// The controller of this name and these parameters, of the catalog or of the file.
    pub fn controller(&self, text: &str) -> Result<ControllerSpec, BadInput> {
        let own = self.top.controllers.as_ref().map_or(&[][..], |given| &given.value);
        ControllerSpec::parse_among(text, own)
    }

    /// The experiment's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its subject.
    pub fn about(&self) -> Option<&str> {
        self.top.about.as_ref().map(|given| given.value.as_str())
    }

    /// The preset that it begins with, if it names one.
    pub fn like(&self) -> Option<&'static str> {
        self.top.like.as_ref().map(|given| given.value.name)
    }

    /// The fields that the sweep sets, in their order.
    pub fn axes(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|axis| axis.path.as_str())
    }

    /// The points of the grid, in order.
    pub fn points(&self) -> &[GridPoint] {
        &self.points
    }

    /// The baselines, which are no contestants: the flows under test have the controller of those
    /// that compete with them, one for each setting of the sweep and variant in which that
    /// controller is not compared; then those in which the flows under test do not begin, one for each
    /// setting. They are numbered behind the points.
    pub fn baselines(&self) -> &[GridPoint] {
        &self.baselines
    }

    /// The point or the baseline of this number.
    pub fn point(&self, number: usize) -> Option<&GridPoint> {
        let behind = number.checked_sub(self.points.len());
        self.points.get(number).or_else(|| self.baselines.get(behind?))
    }

    /// Simulated time of the scenario as it stands.
    pub fn time(&self) -> Duration {
        self.top.time.value
    }

    /// The number of runs that fit into the allowed memory at the same time.
    pub fn at_a_time(&self) -> usize {
        let largest = self.points.iter().map(|point| point.estimate.memory).max().unwrap_or(0);
        let allowed = u128::from(self.top.limits.value.memory.value.get());
        usize::try_from(allowed / largest.max(1)).unwrap_or(usize::MAX).max(1)
    }

    /// The seeds.
    pub fn seeds(&self) -> Vec<u64> {
        let first = self.top.seed.value;
        (0..self.top.seeds.value).map(|i| first.saturating_add(i)).collect()
    }

    /// The whole as one file, what `--set` said in it.
    pub fn text(&self) -> String {
        written(self.base.clone(), self.axes.clone())
    }

    /// The setting of a point as a scenario file, one of whose points it is: the sweep's values at the point
    /// stand in their fields, and variants, seeds and controllers stay. A field without effect at this point,
    /// such as the controller of no reverse flows, stays in the sweep with one value.
    pub fn setting_text(&self, point: &GridPoint) -> String {
        let mut alone = self.base.clone();
        alone.entries.retain(|entry| entry.key != "sweep");
        // Every point has been built: nothing can be wrong.
        let mut faults = Faults::default();
        let mut chosen = Vec::new();
        for (axis, node) in self.chosen(point.combination) {
            if axis.path == "cc" {
                chosen.push(axis.clone());
            } else {
                put(&mut alone, &axis.path, axis.place, node.clone(), &mut faults);
                chosen.push(GridAxis { values: vec![node.clone()], ..axis.clone() });
            }
        }
        if self.stands_alone(&alone) {
            chosen.retain(|axis| axis.path == "cc");
            written(alone, chosen)
        } else {
            written(self.base.clone(), chosen)
        }
    }

    /// True if tables without a sweep are a scenario with each variant.
    fn stands_alone(&self, tables: &TomlTable) -> bool {
        let is_one = |variant| {
            let mut faults = Faults::default();
            let top = self.varied(tables.clone(), variant, &mut faults)?;
            let cc = top.cc.as_ref().and_then(|given| given.value.first());
            let case = PointSpec { top: &top, cc, seed: top.seed.value, traces: &self.traces };
            build(case, Probes::default(), &mut faults)
        };
        (0..=self.variants.len()).all(|variant| is_one(variant).is_some())
    }

    /// The settings that it gives, by the paths of their fields.
    pub fn given_settings(&self) -> GivenSettings {
        let swept: Vec<&str> = self.axes.iter().map(|axis| axis.path.as_str()).collect();
        given(&self.base, &self.variants, &swept, &self.traces)
    }

    /// Every setting in force that flags have too.
    pub fn settings(&self) -> Vec<Effective> {
        settings(&self.base)
    }

    /// True if the setting of this path, as `dumbbell.buffer`, is written: by the scenario, by an axis of its
    /// sweep or by a variant.
    pub fn writes(&self, path: &str) -> bool {
        let swept = self.axes.iter().any(|axis| axis.path == path);
        let mut varied = self.variants.iter().flat_map(|variant| &variant.settings);
        swept || varied.any(|entry| entry.key == path) || self.base.has(path)
    }

    /// Losses that were written as plain numbers, without a percent sign: `0.5` for a half.
    pub fn plain_losses(&self) -> Vec<f64> {
        let swept = self.axes.iter().filter(|axis| is_loss(&axis.path)).flat_map(|a| &a.values);
        let varied = self.variants.iter().flat_map(|variant| &variant.settings);
        let varied = varied.filter(|entry| is_loss(&entry.key)).map(|entry| &entry.node);
        let mut written: Vec<String> =
            swept.chain(varied).flat_map(Node::each).map(node_text).collect();
        collect_losses(&self.base, &mut written);
        written.iter().flat_map(|text| spec::plain_losses(text)).collect()
    }

    /// The settings of a dumbbell as the schema `westwood.compare/1` has them; none if there is no
    /// dumbbell.
    pub fn path(&self) -> Option<ComparisonPath> {
        let built = self.build(self.points.first()?, *self.seeds().first()?).ok()?;
        let mut controllers: Vec<ControllerSpec> = Vec::new();
        for cc in self.points.iter().filter_map(|point| point.cc) {
            if !controllers.contains(&cc) {
                controllers.push(cc);
            }
        }
        let transport = transport(&self.base);
        Some(built.dumbbell?.describe(&controllers, &self.seeds(), transport))
    }

    /// The network of a point with a seed.
    pub fn build(&self, point: &GridPoint, seed: u64) -> Result<Built, BadFile> {
        let mut faults = Faults::default();
        let built =
            self.settled(point.combination, point.variant_number, &mut faults).and_then(|top| {
                let case =
                    PointSpec { top: &top, cc: point.cc.as_ref(), seed, traces: &self.traces };
                let is_baseline = point.number >= self.points.len();
                let [first, others] = [true, false]
                    .map(|first| if is_baseline { Probes::default() } else { probes(&top, first) });
                let of_seed = if seed == top.seed.value { first } else { others };
                let mut built = build(case, of_seed, &mut faults)?;
                built.differs_by_seed |= first != others;
                Some(if point.solo { built.without_tested() } else { built })
            });
        built.ok_or_else(|| faults.into_error(&self.sources))
    }
}

/// Tables as a file that has these axes.
fn written(mut base: TomlTable, axes: Vec<GridAxis>) -> String {
    base.entries.retain(|entry| entry.key != "sweep");
    let entry = |GridAxis { path, place, values }: GridAxis| TableEntry {
        key: path,
        place,
        node: Node { value: TomlValue::List(values), place },
    };
    let entries: Vec<TableEntry> = axes.into_iter().map(entry).collect();
    if !entries.is_empty() {
        let place = Location::start();
        let node = Node { value: TomlValue::Table(TomlTable { entries }), place };
        base.entries.push(TableEntry { key: "sweep".to_owned(), place, node });
    }
    toml(&base)
}

/// The probes of a run.
fn probes(top: &Top, first_seed: bool) -> Probes {
    let record = &top.record.value;
    if record.seeds.value == RecordedSeries::First && !first_seed {
        return Probes::default();
    }
    let has = |one| record.series.as_ref().is_some_and(|series| series.value.contains(&one));
    let estimates = record.estimates.iter().flat_map(|given| &given.value).copied().collect();
    Probes {
        windows: has(SeriesKind::Windows),
        rtts: has(SeriesKind::Rtts),
        queues: has(SeriesKind::Queues),
        delivered: has(SeriesKind::Delivered),
        drops: has(SeriesKind::Drops),
        estimates,
        interval: record.interval.as_ref().map_or(top.time.value / 5_000, |given| given.value),
        extremes: false,
        delays: None,
        one_way: FlowRange::default(),
        without_rtts: false,
        progress: FlowRange::default(),
    }
}

/// The table that keeps these time series.
fn recording(record: &[SeriesKind]) -> TableEntry {
    let place = Location::start();
    let entry =
        |key: &str, value| TableEntry { key: key.to_owned(), place, node: Node { value, place } };
    let name = |one: &SeriesKind| Node { value: TomlValue::Text(one.name().to_owned()), place };
    let series = entry("series", TomlValue::List(record.iter().map(name).collect()));
    entry("record", TomlValue::Table(TomlTable { entries: vec![series] }))
}

/// Whether a field of this path is a loss.
fn is_loss(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("loss" | "loss_both" | "return_loss"))
}

/// The losses of a table and those in it, as they were written.
fn collect_losses(table: &TomlTable, written: &mut Vec<String>) {
    for entry in table.entries.iter().filter(|entry| !matches!(&*entry.key, "sweep" | "variant")) {
        for node in entry.node.each() {
            match &node.value {
                TomlValue::Table(inner) => collect_losses(inner, written),
                _ if is_loss(&entry.key) => written.push(node_text(node)),
                _ => {}
            }
        }
    }
}

fn put(tree: &mut TomlTable, path: &str, place: Location, node: Node, faults: &mut Faults) -> bool {
    let parts: Vec<&str> = path.split('.').map(str::trim).collect();
    faults.check(place, tree.set(&parts, place, node)).is_some()
}

/// The file's name without its folder and ending.
fn stem(name: &str) -> String {
    let path = std::path::Path::new(name);
    path.file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
