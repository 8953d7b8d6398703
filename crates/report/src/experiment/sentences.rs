//! Sentences about the runs of a scenario.

use westwood_experiment::judgement::{
    self, Contest, JudgementRules, Situation, SweepPlace, count_sentence, sweep_sentence,
};
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::{GridReport, RunRecord};
use westwood_scenario::sorting::SortedMap;
use westwood_scenario::uncapitalized;

use super::axes::SweptField;
use super::contestants::Contestants;
use crate::summary::Subject;

/// The conclusion from the runs of one setting, and that of each variant.
pub(super) fn verdict(subject: &Subject<'_>, report: &GridReport, rules: JudgementRules) -> String {
    let point = |name: &str| report.points.iter().find(|point| point.name == name);
    let of = |variant: Option<&str>| -> SettingRuns<'_> {
        let named = |run: &RunSummary| {
            let point = point(&run.cc).filter(|point| point.variant.as_deref() == variant)?;
            // A variant's controllers are told apart by their own names.
            let cc = variant.and(point.cc.as_ref()).unwrap_or(&run.cc);
            Some(RunSummary { cc: cc.clone(), ..run.clone() })
        };
        let here = |record: &&RunRecord| {
            report.points.get(record.point).is_some_and(|p| p.variant.as_deref() == variant)
        };
        SettingRuns {
            records: report.runs.iter().filter(here).collect(),
            summaries: subject.runs.iter().filter_map(named).collect(),
        }
    };
    let mut text = of(None).conclusion(rules);
    let mut variants: Vec<&str> = Vec::new();
    // Each comes once for every controller, wherever the grid has those.
    for variant in report.points.iter().filter_map(|point| point.variant.as_deref()) {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    for variant in variants {
        let runs = of(Some(variant));
        if runs.summaries.iter().all(|run| run.cc == runs.summaries[0].cc) {
            continue;
        }
        let said = runs.conclusion(rules);
        // The name of a controller keeps its letters.
        let is_name = runs.summaries.iter().any(|run| said.starts_with(&run.cc));
        let said = if is_name { said } else { uncapitalized(&said) };
        text.extend([" With ", variant, ", ", &said]);
    }
    text
}

/// The runs of a setting: as they were recorded, and their summaries by the names of those compared.
#[derive(Default)]
struct SettingRuns<'r> {
    records: Vec<&'r RunRecord>,
    summaries: Vec<RunSummary>,
}

impl SettingRuns<'_> {
    /// The conclusion, in the runs' own situation.
    fn conclusion(&self, rules: JudgementRules) -> String {
        let situation = Situation::of(&self.records);
        judgement::sentence(&Contest::new(&self.summaries, &situation, rules))
    }
}

/// The conclusion from a sweep: over one axis the ranges of values with one conclusion, else the
/// number of places that each contestant leads.
pub(super) fn sweep_text(
    report: &GridReport,
    axes: &[SweptField],
    who: &Contestants,
    rules: JudgementRules,
) -> String {
    let mut places: SortedMap<Vec<usize>, SettingRuns<'_>> = SortedMap::default();
    for record in &report.runs {
        let (Some(point), Some(summary)) = (report.points.get(record.point), &record.summary)
        else {
            continue;
        };
        let at: Option<Vec<usize>> = axes.iter().map(|axis| axis.place(point)).collect();
        // A contestant has one name everywhere in the sweep.
        let cc = who.names_in_sentences.get(who.place(point)).cloned().unwrap_or_default();
        if let Some(at) = at {
            let place = places.or_insert_with(at, SettingRuns::default);
            place.records.push(record);
            place.summaries.push(RunSummary { cc, ..summary.clone() });
        }
    }
    let situations: Vec<Situation> =
        places.values().map(|runs| Situation::of(&runs.records)).collect();
    let contests = places
        .iter()
        .zip(&situations)
        .map(|((at, runs), situation)| (at, Contest::new(&runs.summaries, situation, rules)));
    match axes {
        [only] => {
            let places = contests.map(|(at, contest)| {
                let value = only.axis.values.get(at[0]);
                SweepPlace {
                    label: value.map_or_else(String::new, |v| v.label.clone()),
                    number: value.and_then(|v| v.number),
                    contest,
                }
            });
            sweep_sentence(&only.axis.name, &places.collect::<Vec<_>>())
        }
        _ => count_sentence(&contests.map(|(_, contest)| contest).collect::<Vec<_>>()),
    }
}
