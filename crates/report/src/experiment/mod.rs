//! From the runs of a scenario to a document.

mod axes;
mod contestants;
mod names;
mod network;
mod over_time;
mod quantities;
mod sentences;
mod sweep;

use serde_json::{Value, json};
use westwood_experiment::judgement::{JudgementRules, Practical};
use westwood_experiment::metric::Metric;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::results::{ComparisonPath, RunSummary};
use westwood_experiment::run::{Curves, GridReport, PointRecord};
use westwood_scenario::file::Effective;

use crate::changes::{VariantChanges as Measured, changes, column, star_note};
use crate::document::{
    Changes, Document, DocumentTable, NetworkSketch, Origin, PlaygroundLink, Quantity, SeedSpread,
    SettingGroup, SettingRow, Sweep,
};
use crate::heading;
use crate::html;
use crate::number::Range;
use crate::overview::{PART, failures, size, subject, unfinished, unused};
use crate::summary::{Subject, for_page, whole_table};
use westwood_experiment::ranking::groups;

use contestants::{Contestants, kind, points_with_results};
use names::name_of;
pub use network::sketch;
use quantities::{spreads, tradeoff};

/// The files of all figures that the runs of a scenario can have: each document has some of them.
pub const FIGURES: [&str; 101] = [
    "path.svg",
    "tradeoff.svg",
    "goodput.svg",
    "utilization.svg",
    "retransmission_ratio.svg",
    "timeouts.svg",
    "jain.svg",
    "rtt_p50.svg",
    "rtt_p95.svg",
    "queue_mean.svg",
    "queue_delay_p50.svg",
    "queue_delay_p95.svg",
    "harm.svg",
    "frame_delay_p95.svg",
    "solo_harm_rate.svg",
    "least_share.svg",
    "self_inflicted_loss.svg",
    "recovery.svg",
    "convergence.svg",
    "ack_cost.svg",
    "ack_cycles.svg",
    "against_goodput.svg",
    "reverse_goodput.svg",
    "fct_mean.svg",
    "fct_max.svg",
    "sweep_goodput.svg",
    "sweep_utilization.svg",
    "sweep_retransmission_ratio.svg",
    "sweep_timeouts.svg",
    "sweep_jain.svg",
    "sweep_rtt_p50.svg",
    "sweep_rtt_p95.svg",
    "sweep_queue_mean.svg",
    "sweep_queue_delay_p50.svg",
    "sweep_queue_delay_p95.svg",
    "sweep_harm.svg",
    "sweep_frame_delay_p95.svg",
    "sweep_solo_harm_rate.svg",
    "sweep_least_share.svg",
    "sweep_self_inflicted_loss.svg",
    "sweep_recovery.svg",
    "sweep_convergence.svg",
    "sweep_ack_cost.svg",
    "sweep_ack_cycles.svg",
    "sweep_against_goodput.svg",
    "sweep_reverse_goodput.svg",
    "sweep_fct_mean.svg",
    "sweep_fct_max.svg",
    "change_fct_mean.svg",
    "change_goodput.svg",
    "change_utilization.svg",
    "change_rtt_p95.svg",
    "change_queue_mean.svg",
    "cwnd_over_time.svg",
    "bwe_over_time.svg",
    "rtt_over_time.svg",
    "queue_over_time.svg",
    "goodput_over_time.svg",
    "flows_over_time.svg",
    "rtt_distribution.svg",
    "wait_distribution.svg",
    "cwnd_over_time_2.svg",
    "bwe_over_time_2.svg",
    "rtt_over_time_2.svg",
    "queue_over_time_2.svg",
    "goodput_over_time_2.svg",
    "flows_over_time_2.svg",
    "rtt_distribution_2.svg",
    "wait_distribution_2.svg",
    "cwnd_over_time_3.svg",
    "bwe_over_time_3.svg",
    "rtt_over_time_3.svg",
    "queue_over_time_3.svg",
    "goodput_over_time_3.svg",
    "flows_over_time_3.svg",
    "rtt_distribution_3.svg",
    "wait_distribution_3.svg",
    "cwnd_over_time_all_seeds.svg",
    "bwe_over_time_all_seeds.svg",
    "rtt_over_time_all_seeds.svg",
    "queue_over_time_all_seeds.svg",
    "goodput_over_time_all_seeds.svg",
    "flows_over_time_all_seeds.svg",
    "rtt_distribution_all_seeds.svg",
    "wait_distribution_all_seeds.svg",
    "cwnd_over_time_2_all_seeds.svg",
    "bwe_over_time_2_all_seeds.svg",
    "rtt_over_time_2_all_seeds.svg",
    "queue_over_time_2_all_seeds.svg",
    "goodput_over_time_2_all_seeds.svg",
    "flows_over_time_2_all_seeds.svg",
    "rtt_distribution_2_all_seeds.svg",
    "wait_distribution_2_all_seeds.svg",
    "cwnd_over_time_3_all_seeds.svg",
    "bwe_over_time_3_all_seeds.svg",
    "rtt_over_time_3_all_seeds.svg",
    "queue_over_time_3_all_seeds.svg",
    "goodput_over_time_3_all_seeds.svg",
    "flows_over_time_3_all_seeds.svg",
    "rtt_distribution_3_all_seeds.svg",
    "wait_distribution_3_all_seeds.svg",
];

/// More changed points than these are in the table alone.
const MOST_CHANGES_DRAWN: usize = 16;

/// The details of a scenario that a document shows beside its results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportDetails {
    /// The command that repeats it.
    pub command: String,
    /// The scenario's text.
    pub scenario: String,
    /// The path, of an experiment in words: it heads the page.
    pub words: Option<ComparisonPath>,
    /// The network, drawn.
    pub path: Option<NetworkSketch>,
    /// Every setting in force.
    pub settings: Vec<Effective>,
    /// The rules by which the runs are judged.
    pub rules: JudgementRules,
    /// The warnings about the results, in sentences.
    pub warnings: Vec<String>,
    /// The runs are a part of the grid's (`--shard`), from which nothing is concluded.
    pub is_part: bool,
    /// Runs over time: see [`westwood_experiment::run::curves`].
    pub curves: Vec<Curves>,
    /// The way into the playground.
    pub playground: Option<PlaygroundLink>,
    /// The setting of each point as a scenario of its own; empty without a sweep, or if a link cannot hold
    /// them.
    pub setting_texts: Vec<String>,
}

impl ReportDetails {
    /// The details that a plan and its results have by themselves; command, rules and curves are for the
    /// caller to add.
    pub fn of(plan: &ExperimentPlan, report: &GridReport) -> Self {
        let scenario = &plan.scenario;
        let first = scenario.points().first().zip(scenario.seeds().first().copied());
        let built = first.and_then(|(point, seed)| scenario.build(point, seed).ok());
        Self {
            scenario: plan.text.clone(),
            words: plan.words(report),
            path: built.and_then(|built| sketch(&built.outline())),
            settings: scenario.settings(),
            warnings: report.warnings.clone(),
            playground: plan.one_text().ok().map(|text| PlaygroundLink { text, page: None }),
            setting_texts: plan.setting_texts(),
            ..Self::default()
        }
    }
}

/// Settings under their headings, in the order in which these first come.
fn grouped(settings: Vec<Effective>) -> Vec<SettingGroup> {
    let mut groups: Vec<SettingGroup> = Vec::new();
    for Effective { heading, name, value, given } in settings {
        let setting = SettingRow { name, value, given };
        if let Some(group) = groups.iter_mut().find(|group| group.heading == heading) {
            group.settings.push(setting);
        } else {
            let heading = heading.to_owned();
            groups.push(SettingGroup { heading, settings: vec![setting] });
        }
    }
    groups
}

/// The document of a scenario's runs.
pub fn document(report: &GridReport, about: ReportDetails) -> Document {
    let runs: Vec<RunSummary> = report.runs.iter().filter_map(|run| run.summary.clone()).collect();
    let subject = subject(report, &runs, about.rules, about.is_part);
    let who = Contestants::of(report);
    let (title, subtitle) = match &about.words {
        Some(path) => (heading::title(&who.names), heading::path_line(path)),
        None => (report.name.clone(), subtitle(report)),
    };
    let alone = Document {
        title,
        subtitle,
        warnings: [about.warnings, warnings(report)].concat(),
        path: about.path,
        timelines: over_time::timelines(report, &about.curves, &who),
        changes: changes(report, about.rules.practical)
            .filter(|_| !about.is_part)
            .map(|measured| shown(&measured, report, &who, about.rules.practical)),
        origin: Origin {
            version: report.version.clone(),
            command: about.command,
            scenario: Some(about.scenario),
            settings: grouped(about.settings),
            playground: about.playground,
        },
        ..Document::default()
    };
    let document = match axes::axes(report) {
        axes if axes.is_empty() => {
            let verdict = sentences::verdict(&subject, report, about.rules);
            let drawn = of_one_setting(alone, &subject, report);
            Document { verdict, table: Some(whole_table(&subject)), ..drawn }
        }
        axes => {
            let verdict = sentences::sweep_text(report, &axes, &who, about.rules);
            let mut drawn = over_axes(alone, &subject, report, &axes, who);
            if let Some(sweep) = &mut drawn.sweep {
                sweep.texts = sweep::texts(report, &axes, about.setting_texts);
            }
            Document { verdict, ..drawn }
        }
    };
    if about.is_part { Document { verdict: PART.to_owned(), ..document } } else { document }
}

/// A sweep with the names of those compared in it; none without a sweep.
pub(crate) fn swept(report: &GridReport, subject: &Subject<'_>) -> Option<(Sweep, Vec<String>)> {
    let axes = axes::axes(report);
    let who = Contestants::of(report);
    (!axes.is_empty()).then(|| (sweep::sweep(report, &axes, &who, subject), who.names))
}

/// The conclusion from the runs, in a sentence or two.
pub fn verdict(report: &GridReport, rules: JudgementRules) -> String {
    let runs: Vec<RunSummary> = report.runs.iter().filter_map(|run| run.summary.clone()).collect();
    let subject = subject(report, &runs, rules, false);
    match axes::axes(report) {
        axes if axes.is_empty() => sentences::verdict(&subject, report, rules),
        axes => sentences::sweep_text(report, &axes, &Contestants::of(report), rules),
    }
}

/// The figures that a page draws of an experiment's results, as its report has them, with the place of
/// each point in the sweep and the mean of each quantity with half of its interval: the types are in
/// `web/src/figures/data.ts`.
pub fn figures(report: &GridReport, rules: JudgementRules) -> Value {
    let axes = axes::axes(report);
    let place = |point| axes.iter().map(|axis| axis.place(point)).collect::<Option<Vec<usize>>>();
    let runs: Vec<RunSummary> = report.runs.iter().filter_map(|run| run.summary.clone()).collect();
    let groups = groups(&runs);
    let mean = |point: &PointRecord| -> serde_json::Map<String, Value> {
        let own = groups.iter().find(|group| group.cc == point.name);
        let mean = |metric: Metric| {
            let of = own?.estimate(metric)?;
            Some((metric.name().to_owned(), json!([of.mean, of.half_width])))
        };
        let mut means = serde_json::Map::new();
        for (name, mean) in Metric::ALL.into_iter().filter_map(mean) {
            means.insert(name, mean);
        }
        means
    };
    let subject = subject(report, &runs, rules, false);
    // Of a document no more than what is drawn: a module for browsers is as large as what it can do.
    let drawn = if axes.is_empty() {
        of_one_setting(Document::default(), &subject, report)
    } else {
        over_axes(Document::default(), &subject, report, &axes, Contestants::of(report))
    };
    let mut figures = html::figures(&drawn);
    figures["places"] = report.points.iter().map(|point| json!(place(point))).collect();
    figures["means"] = report.points.iter().map(|point| Value::Object(mean(point))).collect();
    figures["ranges"] = json!({});
    for metric in Metric::ALL {
        let Range { low, high } = Range::of(metric);
        // An end that is not there is `null`.
        figures["ranges"][metric.name()] = json!([low, high]);
    }
    figures
}

/// The figures without a sweep, in a document: every point is a row of the table, and a colour.
fn of_one_setting(alone: Document, subject: &Subject<'_>, report: &GridReport) -> Document {
    let groups = groups(subject.runs);
    Document {
        variants: groups.iter().map(|group| group.cc.to_owned()).collect(),
        kind: kind(report).to_owned(),
        tradeoff: tradeoff(&groups, subject.rate_bps),
        spreads: spreads(&groups, subject),
        ..alone
    }
}

/// The figures of a sweep, in a document: those compared at each place are a colour.
fn over_axes(
    alone: Document,
    subject: &Subject<'_>,
    report: &GridReport,
    axes: &[axes::SweptField],
    who: Contestants,
) -> Document {
    Document {
        sweep: Some(sweep::sweep(report, axes, &who, subject)),
        kind: who.kind(report).to_owned(),
        variants: who.names,
        ..alone
    }
}

/// The scenario's subject, and its size.
fn subtitle(report: &GridReport) -> String {
    let size = size(report);
    report.about.as_ref().map_or_else(|| size.clone(), |about| format!("{about} ({size})"))
}

fn warnings(report: &GridReport) -> Vec<String> {
    unused(report).into_iter().chain(unfinished(report)).chain(failures(report)).collect()
}

/// Changes as a page shows them.
fn shown(
    measured: &Measured,
    report: &GridReport,
    who: &Contestants,
    practical: Practical,
) -> Changes {
    let swept = !axes::axes(report).is_empty();
    // Rows have the colours of the points that they are about.
    let order = points_with_results(report);
    let colour = |point: usize| {
        if swept {
            who.place(&report.points[point])
        } else {
            order.iter().position(|p| *p == point).unwrap_or(0)
        }
    };
    let row = |&(_, with): &(usize, usize)| (report.points[with].name.clone(), colour(with));
    let columns =
        measured.columns.iter().enumerate().map(|(i, change)| column(i, change)).collect();
    let drawn = if measured.pairs.len() > MOST_CHANGES_DRAWN { &[] } else { &*measured.columns };
    let spread = |change: &crate::changes::VariantChange| SeedSpread {
        quantity: Quantity::new(
            change.metric.name(),
            &format!("change of {}", name_of(change.metric)),
            change.unit,
        ),
        better: Some(change.metric.better()),
        range: (f64::NEG_INFINITY, f64::INFINITY),
        values: change.differences.clone(),
        seeds: change.seeds.clone(),
    };
    Changes {
        rows: measured.pairs.iter().map(row).collect(),
        table: DocumentTable {
            columns: for_page(columns),
            notes: vec![format!(
                "Mean changes ± 95 % confidence; without ± alike under all seeds. * {}",
                star_note(practical)
            )],
        },
        spreads: drawn.iter().map(spread).collect(),
    }
}
