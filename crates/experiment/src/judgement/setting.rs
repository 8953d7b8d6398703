//! The settings of a report, each judged for itself.

use westwood_scenario::file::COMPETING_GROUP;

use super::{Contest, JudgementRules, JudgementSummary, SettingSummary, Situation};
use crate::results::RunSummary;
use crate::run::GridReport;

impl Situation {
    /// The situation that the runs of a report share.
    pub fn of(report: &GridReport) -> Self {
        let groups = || report.runs.iter().flat_map(|run| &run.groups);
        let tested = || groups().filter(|group| group.tested);
        let rival = groups().find(|group| group.name == COMPETING_GROUP);
        let links = report.runs.iter().filter_map(|run| run.links.first());
        let base_rtts = tested().flat_map(|group| &group.flows).map(|flow| flow.base_rtt_ms);
        Self {
            transfers: tested().any(|group| group.transfers.is_some()),
            several: tested().any(|group| group.flows.len() > 1),
            rate_bps: links.map(|link| link.rate_bps).fold(0.0, f64::max),
            base_rtt_ms: base_rtts.fold(0.0, f64::max),
            rival: rival.and_then(|group| group.cc.clone()),
        }
    }
}

/// The conclusions of every setting, in the order of the grid. The world is no setting: those compared
/// are told apart by their names.
pub fn summaries(report: &GridReport, rules: JudgementRules) -> Vec<SettingSummary> {
    let situation = Situation::of(report);
    let mut all: Vec<(Vec<String>, Option<String>, Vec<RunSummary>)> = Vec::new();
    for run in &report.runs {
        let (Some(point), Some(summary)) = (report.points.get(run.point), &run.summary) else {
            continue;
        };
        let (settings, variant, _) = report.setting(point);
        let cc = point.cc.clone().unwrap_or_else(|| summary.cc.clone());
        let run = RunSummary { cc, ..summary.clone() };
        match all.iter_mut().find(|one| (&one.0, &one.1) == (&settings, &variant)) {
            Some((_, _, runs)) => runs.push(run),
            None => all.push((settings, variant, vec![run])),
        }
    }
    let judged = |(settings, variant, runs): (Vec<String>, Option<String>, Vec<RunSummary>)| {
        let summary = JudgementSummary::of(&Contest::new(&runs, &situation, rules));
        SettingSummary { settings, variant, summary }
    };
    all.into_iter().map(judged).collect()
}
