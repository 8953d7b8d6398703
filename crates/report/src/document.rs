//! The contents of a report, apart from their form: the data model of the page and of the figures.
//!
//! The runs of a scenario are turned into a [`Document`] by [`crate::experiment::document`].
//! Results of any kind fill one; every part but the title may be absent. Values are in the unit
//! that is named beside them. Texts may hold anything; they are escaped where they are written.
//!
//! Those compared (controllers, or whatever a sweep compares) are the document's *variants*. They
//! are meant by their place in [`Document::variants`], which also gives them their colour, dashes
//! and mark.

use westwood_experiment::judgement::Practical;
use westwood_experiment::metric::Better;

use crate::scale::{round_above, tallest};

/// A whole report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The title of the page.
    pub title: String,
    /// The experiment, in a line.
    pub subtitle: String,
    /// The conclusion, in a sentence.
    pub verdict: String,
    /// The warnings that a reader must know before believing the numbers: runs that failed, and the
    /// like.
    pub warnings: Vec<String>,
    /// The kind of the contestants, in a word: `controller`.
    pub kind: String,
    /// Their names.
    pub variants: Vec<String>,
    /// The network.
    pub path: Option<NetworkSketch>,
    /// The numbers.
    pub table: Option<DocumentTable>,
    /// One quantity against another.
    pub tradeoff: Option<Tradeoff>,
    /// Quantities over the seeds.
    pub spreads: Vec<SeedSpread>,
    /// Quantities over time; of a sweep at several of its settings. Those of one setting follow each
    /// other: seed by seed, then all seeds together.
    pub timelines: Vec<Timeline>,
    /// Quantities over one or two parameters.
    pub sweep: Option<Sweep>,
    /// The changes that variants of a scenario make.
    pub changes: Option<Changes>,
    /// The way to repeat it.
    pub origin: Origin,
}

/// The name and the unit of a quantity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantity {
    /// A short name for files and links: letters, digits and `_`.
    pub id: &'static str,
    /// As it stands at an axis: `goodput`.
    pub name: String,
    /// Its unit: `Mbit/s`; empty for a plain number.
    pub unit: String,
}

impl Quantity {
    pub(crate) fn new(id: &'static str, name: &str, unit: &str) -> Self {
        Self { id, name: name.to_owned(), unit: unit.to_owned() }
    }

    /// Name and unit, as an axis has them.
    pub fn label(&self) -> String {
        if self.unit.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, self.unit)
        }
    }
}

/// A network of a few nodes, drawn from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSketch {
    /// The nodes. Those without a link into them, backward ones left out, stand at the left.
    pub nodes: Vec<SketchNode>,
    /// The links.
    pub links: Vec<SketchLink>,
}

/// A host, a group of hosts, or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchNode {
    /// Its name; may be empty for a router.
    pub label: String,
    /// True if flows begin or end here.
    pub host: bool,
}

/// A link, or a pair of links for both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchLink {
    /// The node that data comes from: a place in [`NetworkSketch::nodes`].
    pub from: usize,
    /// The node that data goes to.
    pub to: usize,
    /// The text above it: rate and delay.
    pub above: Vec<String>,
    /// The text below it: queue and losses.
    pub below: Vec<String>,
    /// True for the link that everything depends on.
    pub bottleneck: bool,
}

/// The changes that variants of a scenario make against the scenario as it stands, seed by seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The changed points: the name, and whose colour it has.
    pub rows: Vec<(String, usize)>,
    /// The mean changes, a row for each of them.
    pub table: DocumentTable,
    /// The differences under each seed, a list for each row.
    pub spreads: Vec<SeedSpread>,
}

/// A table with a row for each variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentTable {
    /// The columns, from left to right.
    pub columns: Vec<TableColumn>,
    /// The meaning of its signs, in sentences.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableColumn {
    /// The quantity.
    pub head: String,
    /// The unit.
    pub unit: String,
    /// For each variant its value, as it is written, and whether it is better than all others
    /// beyond chance.
    pub cells: Vec<(String, bool)>,
}

/// One quantity against another, a point for each seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tradeoff {
    /// The quantity that is good if low: a delay.
    pub x: Quantity,
    /// The quantity that is good if high: a goodput.
    pub y: Quantity,
    /// For each variant a pair for each seed.
    pub points: Vec<Vec<(f64, f64)>>,
}

/// A quantity over the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedSpread {
    /// The quantity.
    pub quantity: Quantity,
    /// The good values; none if that cannot be said.
    pub better: Option<Better>,
    /// The least and the largest value that it can have, in its unit: no interval goes further.
    pub range: (f64, f64),
    /// For each variant a value for each seed that has one.
    pub values: Vec<Vec<f64>>,
    /// For each variant the seeds of its values.
    pub seeds: Vec<Vec<u64>>,
}

/// Curves over time with one axis of time for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Its setting of a sweep; empty if there is one setting.
    pub title: String,
    /// The place of that setting in [`Document::sweep`]: for each axis that of the value; empty without
    /// a sweep.
    pub at: Vec<usize>,
    /// The seed that was drawn; of several, curves are medians over their runs with what lies between
    /// the lowest and the highest as a band.
    pub seeds: Vec<u64>,
    /// Its runs were followed less closely than those of other settings: the page draws it, paper does not.
    pub brief: bool,
    /// The end of the axis, in seconds.
    pub end_s: f64,
    /// The beginning of measuring, in seconds.
    pub warmup_s: f64,
    /// The runs drawn, in a sentence: which seed, which flows.
    pub note: String,
    /// Columns of time: each line has two values for each of them, in their order of time. See
    /// [`Envelope`](crate::reduce::Envelope).
    pub columns: usize,
    /// The panels, from above.
    pub panels: Vec<Panel>,
    /// The distributions of quantities while they were measured.
    pub distributions: Vec<Distribution>,
    /// For each variant its changes with a cause, in order of time; empty if there are none.
    pub events: Vec<Vec<CurveEvent>>,
    /// For each variant the times of its flows' losses, in seconds; empty for several runs together.
    pub losses: Vec<Vec<f64>>,
    /// For each variant its first flow around its first loss.
    pub sequences: Vec<Option<SequenceDiagram>>,
}

/// The segments of a flow for a while, and the ACKs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SequenceDiagram {
    /// The beginning of the while, in seconds.
    pub from_s: f64,
    /// Its end, in seconds.
    pub until_s: f64,
    /// The segments that were sent, in order of time.
    pub sent: Vec<SequencePoint>,
    /// The ACKs that arrived: seconds, and the next segment that is expected.
    pub acks: Vec<(f64, u64)>,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequencePoint {
    /// When, in seconds.
    pub time_s: f64,
    /// Its number.
    pub number: u64,
    /// It was sent before.
    pub again: bool,
    /// It never arrived.
    pub lost: bool,
}

/// The distribution of a quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The quantity.
    pub quantity: Quantity,
    /// The whole of which the shares are parts: `samples`, `time`.
    pub of: &'static str,
    /// For each variant values from the least to the most, each with the share from 0 to 1 of the
    /// values that are not higher; empty for one that has none.
    pub curves: Vec<Vec<(f64, f64)>>,
}

impl Timeline {
    /// Where the vertical axis of a panel ends, if curves are higher before the warm-up is over: the
    /// highest value thereafter that counts (`tallest`), rounded up, so that one overshoot does not flatten
    /// everything else.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a column of a drawing"
    )]
    pub fn clip(&self, panel: &Panel) -> Option<f64> {
        let start = (self.warmup_s / self.end_s.max(1e-9)).clamp(0.0, 1.0);
        let skipped = 2 * (self.columns as f64 * start) as usize;
        let highest = |skipped: usize| {
            panel.lines.iter().map(|line| line.highest(skipped)).fold(0.0, f64::max)
        };
        let late = tallest(panel.lines.iter().map(|line| line.after(skipped).collect()));
        let references = panel.references.iter().map(|(_, value)| *value);
        let top = round_above(references.fold(late, f64::max));
        (late > 0.0 && highest(0) > top).then_some(top)
    }
}

/// Curves of one quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The quantity.
    pub quantity: Quantity,
    /// More than the quantity's name, if that needs saying.
    pub title: String,
    /// The curves.
    pub lines: Vec<CurveLine>,
    /// Horizontal lines with a name, such as a fair share.
    pub references: Vec<(String, f64)>,
    /// Whether each variant has a chart of its own even where curves otherwise lie over each other.
    pub apart: bool,
    /// Whether the causes of changes are shown below.
    pub with_causes: bool,
}

impl Panel {
    /// Its title, or else the quantity's name.
    pub fn heading(&self) -> &str {
        if self.title.is_empty() { &self.quantity.name } else { &self.title }
    }
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// The variant.
    pub variant: usize,
    /// A label beside the variant's name; may be empty.
    pub label: String,
    /// Its role.
    pub role: Role,
    /// Two values for each column.
    pub values: Vec<Option<f64>>,
    /// The pale band around it.
    pub band: Option<Band>,
}

/// The spread around a curve, with two values for each column as the curve has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Its lower edge.
    pub low: Vec<Option<f64>>,
    /// Its upper edge.
    pub high: Vec<Option<f64>>,
}

impl CurveLine {
    /// The values of a curve and of its band's upper edge from the `skipped`th one on.
    pub(crate) fn after(&self, skipped: usize) -> impl Iterator<Item = f64> {
        let edge = self.band.as_ref().map_or(&[][..], |band| &band.high);
        let values = self.values.iter().skip(skipped).chain(edge.iter().skip(skipped));
        values.flatten().copied()
    }

    /// The highest of these; 0 if there is none.
    pub(crate) fn highest(&self, skipped: usize) -> f64 {
        self.after(skipped).fold(0.0, f64::max)
    }
}

/// The role of a curve among the others of its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The curve that one looks for.
    Main,
    /// A companion of it: dotted and thin.
    Companion,
    /// Another flow: thin and grey.
    Other,
}

/// A change with a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveEvent {
    /// The time, in seconds.
    pub time_s: f64,
    /// The event and its cause: `3 dupacks: half of 40 segments = 20 segments`.
    pub text: String,
    /// The window went down for congestion; such a change has a mark in drawings.
    pub reduction: bool,
}

/// Quantities over one or two parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// One or two axes; the first one is drawn from left to right.
    pub axes: Vec<SweepAxis>,
    /// The quantities, the most important first.
    pub metrics: Vec<SweepMetric>,
    /// The places that were measured, in any order; some may be missing.
    pub cells: Vec<SweepCell>,
    /// The bound that a difference must exceed for a clear lead.
    pub practical: Practical,
    /// The settings of places as scenarios of their own, for links to the playground; none if no link can
    /// hold them.
    pub texts: Vec<(Vec<usize>, String)>,
}

/// A parameter that is varied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepAxis {
    /// Its name: `loss`.
    pub name: String,
    /// Its values, in their order.
    pub values: Vec<AxisValue>,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisValue {
    /// As the user wrote it: `0.5%`.
    pub label: String,
    /// As a number, for a true scale; values without one stand at equal distances.
    pub number: Option<f64>,
}

/// A quantity of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepMetric {
    /// The quantity.
    pub quantity: Quantity,
    /// The good values.
    pub better: Better,
    /// The least and the largest value that it can have, in its unit: no interval goes further.
    pub range: (f64, f64),
}

/// The results of one variant at one place of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCell {
    /// For each axis the place of the value.
    pub at: Vec<usize>,
    /// The variant.
    pub variant: usize,
    /// For each metric the value under each seed; none where there is no such value. The seeds are
    /// the same and in the same order for every variant.
    pub samples: Vec<Vec<Option<f64>>>,
    /// For each metric whether it is clearly better than every other variant at this place.
    pub leads: Vec<bool>,
}

/// The origin of the report's contents, from which they can be repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The version of the program.
    pub version: String,
    /// The command.
    pub command: String,
    /// The scenario's text, if there is a file.
    pub scenario: Option<String>,
    /// Every setting in force, those of one heading together.
    pub settings: Vec<SettingGroup>,
    /// The way into the playground; none if a link cannot hold the experiment.
    pub playground: Option<PlaygroundLink>,
}

/// The way from a report into the playground.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaygroundLink {
    /// The experiment, as its link holds it.
    pub text: String,
    /// The address of a playground as seen from the report, if one has been written beside it.
    pub page: Option<String>,
}

/// Settings under one heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingGroup {
    /// Their subject: `Path`.
    pub heading: String,
    /// The settings.
    pub settings: Vec<SettingRow>,
}

/// A setting in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingRow {
    /// Its name in words: `return rate`.
    pub name: String,
    /// Its value as a person writes it: `2 Mbit/s`.
    pub value: String,
    /// It was said, and is not a default.
    pub given: bool,
}

impl Timeline {
    /// The runs that it shows, as a reader chooses among them: `3`, `all seeds`.
    pub fn chosen_as(&self) -> String {
        match self.seeds.as_slice() {
            [seed] => seed.to_string(),
            _ => "all seeds".to_owned(),
        }
    }
}

impl Document {
    /// The timelines of each setting.
    pub fn timelines_by_setting(&self) -> impl Iterator<Item = &[Timeline]> {
        self.timelines.chunk_by(|a, b| a.title == b.title)
    }

    /// Those for paper and for files: of a sweep the settings that were followed closely.
    pub fn timelines_for_paper(&self) -> impl Iterator<Item = &[Timeline]> {
        self.timelines_by_setting().filter(|of| !of[0].brief)
    }

    /// A row for each variant: its name, and whose colour it has.
    pub fn rows(&self) -> Vec<(String, usize)> {
        self.variants.iter().cloned().zip(0..).collect()
    }

    /// The name of a variant; empty for one that there is not.
    pub fn variant(&self, i: usize) -> &str {
        self.variants.get(i).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(values: &[f64], references: &[f64], warmup_s: f64) -> Option<f64> {
        clip_of(&[values], references, warmup_s)
    }

    /// The same of several curves.
    fn clip_of(curves: &[&[f64]], references: &[f64], warmup_s: f64) -> Option<f64> {
        let columns = curves.first().map_or(0, |values| values.len() / 2);
        let timeline = Timeline { end_s: 4.0, warmup_s, columns, ..Timeline::default() };
        let line = |values: &&[f64]| CurveLine {
            variant: 0,
            label: String::new(),
            role: Role::Main,
            values: values.iter().copied().map(Some).collect(),
            band: None,
        };
        let lines = curves.iter().map(line).collect();
        let references = references.iter().map(|value| (String::new(), *value)).collect();
        timeline.clip(&Panel { lines, references, ..Panel::default() })
    }

    /// A sawtooth of forty values up to 60, and one up to 80 that has a burst at its begin.
    fn sawtooth_and_burst(burst: f64) -> (Vec<f64>, Vec<f64>) {
        let tooth = |top: f64| (0..40_u8).map(|i| top - f64::from(i % 10)).collect::<Vec<f64>>();
        let (low, mut high) = (tooth(60.0), tooth(80.0));
        high[1] = burst;
        (low, high)
    }

    #[test]
    fn a_burst_of_a_moment_is_clipped_at_what_the_others_need() {
        let (low, high) = sawtooth_and_burst(900.0);
        assert_eq!(clip_of(&[&low, &high], &[], 0.0), Some(80.0), "the taller one's own teeth");
        assert_eq!(clip_of(&[&high], &[], 0.0), None, "alone it needs its room");
        let taller: Vec<f64> = low.iter().map(|x| 5.0 * x).collect();
        assert_eq!(clip_of(&[&taller, &high], &[], 0.0), Some(300.0), "as far as the next one");
        let (low, high) = sawtooth_and_burst(150.0);
        assert_eq!(clip_of(&[&low, &high], &[], 0.0), None, "a peak is no burst");
    }

    #[test]
    fn an_overshoot_before_the_warm_up_ends_is_clipped_at_what_comes_later() {
        let values = [1.0, 900.0, 40.0, 83.0, 40.0, 50.0, 60.0, 70.0];
        assert_eq!(clip(&values, &[], 1.0), Some(100.0));
        assert_eq!(clip(&values, &[], 2.0), Some(80.0));
        // A reference line is never cut away.
        assert_eq!(clip(&values, &[480.0], 1.0), Some(500.0));
    }

    #[test]
    fn what_is_not_higher_before_is_not_clipped() {
        assert_eq!(clip(&[1.0, 900.0, 40.0, 83.0], &[], 0.0), None);
        assert_eq!(clip(&[1.0, 99.0, 40.0, 83.0], &[], 2.0), None);
        assert_eq!(clip(&[1.0, 99.0, 0.0, 0.0], &[], 2.0), None, "nothing comes later");
    }
}
