//! Sentences about the runs of a scenario.

use std::collections::BTreeMap;

use westwood_experiment::judgement::{
    self, Contest, JudgementRules, Situation, SweepPlace, sweep_sentence,
};
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::GridReport;

use super::axes::SweptField;
use super::contestants::Contestants;
use crate::summary::Subject;

/// The conclusion from the runs of one setting.
pub(super) fn verdict(subject: &Subject<'_>, report: &GridReport, rules: JudgementRules) -> String {
    // The changes of variants have a sentence of their own.
    let as_it_stands =
        |name: &str| report.points.iter().any(|p| p.name == name && p.variant.is_none());
    let runs: Vec<RunSummary> =
        subject.runs.iter().filter(|run| as_it_stands(&run.cc)).cloned().collect();
    judgement::sentence(&Contest::new(&runs, &Situation::of(report), rules))
}

/// The conclusion from a sweep: over one axis the ranges of values with one conclusion, else the
/// number of places that each contestant leads.
pub(super) fn sweep_text(
    report: &GridReport,
    axes: &[SweptField],
    who: &Contestants,
    rules: JudgementRules,
) -> String {
    let situation = Situation::of(report);
    let mut places: BTreeMap<Vec<usize>, Vec<RunSummary>> = BTreeMap::new();
    for run in &report.runs {
        let (Some(point), Some(summary)) = (report.points.get(run.point), &run.summary) else {
            continue;
        };
        let at: Option<Vec<usize>> = axes.iter().map(|axis| axis.place(point)).collect();
        // A contestant has one name everywhere in the sweep.
        let cc = who.names.get(who.place(point)).cloned().unwrap_or_default();
        if let Some(at) = at {
            places.entry(at).or_default().push(RunSummary { cc, ..summary.clone() });
        }
    }
    match axes {
        [only] => {
            let places = places.iter().map(|(at, runs)| SweepPlace {
                label: only.axis.values.get(at[0]).map_or_else(String::new, |v| v.label.clone()),
                contest: Contest::new(runs, &situation, rules),
            });
            sweep_sentence(&only.axis.name, &places.collect::<Vec<_>>())
        }
        _ => counted(places.values().map(|runs| Contest::new(runs, &situation, rules))),
    }
}

/// The number of places that each contestant leads.
fn counted<'a>(contests: impl Iterator<Item = Contest<'a>>) -> String {
    let (mut leads, mut open, mut all) = (BTreeMap::<String, usize>::new(), 0, 0);
    for contest in contests {
        all += 1;
        match contest.sole_leader() {
            Some(name) => *leads.entry(name.to_owned()).or_default() += 1,
            None => open += 1,
        }
    }
    let mut order: Vec<(String, usize)> = leads.into_iter().collect();
    order.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let mut parts: Vec<String> = order.iter().map(|(name, n)| format!("{name} at {n}")).collect();
    parts.extend((open > 0).then(|| format!("nobody at {open}")));
    format!("Of {all} places, clearly ahead: {}.", parts.join(", "))
}
