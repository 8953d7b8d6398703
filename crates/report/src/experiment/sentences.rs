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

/// The conclusion from the runs of one setting, and that of each variant.
pub(super) fn verdict(subject: &Subject<'_>, report: &GridReport, rules: JudgementRules) -> String {
    let situation = Situation::of(report);
    let point = |run: &RunSummary| report.points.iter().find(|point| point.name == run.cc);
    let of = |variant: Option<&str>| -> Vec<RunSummary> {
        let named = |run: &RunSummary| {
            let point = point(run).filter(|point| point.variant.as_deref() == variant)?;
            // A variant's controllers are told apart by their own names.
            let cc = variant.and(point.cc.as_ref()).unwrap_or(&run.cc);
            Some(RunSummary { cc: cc.clone(), ..run.clone() })
        };
        subject.runs.iter().filter_map(named).collect()
    };
    let mut text = judgement::sentence(&Contest::new(&of(None), &situation, rules));
    let mut variants: Vec<&str> =
        report.points.iter().filter_map(|point| point.variant.as_deref()).collect();
    variants.dedup();
    for variant in variants {
        let runs = of(Some(variant));
        if runs.iter().all(|run| run.cc == runs[0].cc) {
            continue;
        }
        let said = judgement::sentence(&Contest::new(&runs, &situation, rules));
        let begins = ["The ", "Beware", "Preferring"].iter().any(|word| said.starts_with(word));
        let said = if begins { said[..1].to_lowercase() + &said[1..] } else { said };
        text.extend([" With ", variant, ", ", &said]);
    }
    text
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
