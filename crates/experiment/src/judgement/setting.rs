//! The settings of a report, each judged for itself.

use westwood_scenario::file::COMPETING_GROUP;

use super::{Contest, JudgementRules, JudgementSummary, SettingSummary, Situation};
use crate::results::RunSummary;
use crate::run::{GridReport, RunRecord};

impl Situation {
    /// The situation that these runs share: those of one setting, or of all that one table has.
    pub fn of(runs: &[&RunRecord]) -> Self {
        let groups = || runs.iter().flat_map(|run| &run.groups);
        let tested = || groups().filter(|group| group.tested);
        let rival = groups().find(|group| group.name == COMPETING_GROUP);
        // The measured link stands first.
        let links = || runs.iter().filter_map(|run| run.links.first());
        // Results of older versions know the mean of a whole recording alone.
        let rates = links().map(|link| link.mean_capacity_bps.unwrap_or(link.rate_bps));
        let base_rtts = tested().flat_map(|group| &group.flows).map(|flow| flow.base_rtt_ms);
        Self {
            transfers: tested().any(|group| group.transfers.is_some()),
            several: tested().any(|group| group.flows.len() > 1),
            rate_bps: rates.fold(0.0, f64::max),
            capacity_varies: links().any(|link| link.mean_capacity_bps.is_some()),
            base_rtt_ms: base_rtts.fold(0.0, f64::max),
            lost_every_packet: !runs.is_empty() && runs.iter().all(|run| run.lost_every_packet()),
            acks_left_out: runs
                .iter()
                .flat_map(|run| &run.links)
                .any(|link| link.filtered_packets > 0),
            rival: rival.and_then(|group| group.cc.clone()),
            rivals: rival.map_or(0, |group| group.flows.len()),
        }
    }
}

/// The runs of a setting: as they were recorded, and their summaries by the names of those compared.
type SettingRuns<'r> = (Vec<&'r RunRecord>, Vec<RunSummary>);
/// The values of a sweep's axes and the variant.
type SettingName = (Vec<String>, Option<String>);

/// The conclusions of every setting, in the order of the grid. The world is no setting: those compared
/// are told apart by their names.
pub fn summaries(report: &GridReport, rules: JudgementRules) -> Vec<SettingSummary> {
    let mut all: Vec<(SettingName, SettingRuns<'_>)> = Vec::new();
    for record in &report.runs {
        let (Some(point), Some(summary)) = (report.points.get(record.point), &record.summary)
        else {
            continue;
        };
        let (settings, variant, _) = report.setting(point);
        let setting = (settings, variant);
        let cc = point.cc.clone().unwrap_or_else(|| summary.cc.clone());
        let place = all.iter().position(|one| one.0 == setting).unwrap_or_else(|| {
            all.push((setting, SettingRuns::default()));
            all.len() - 1
        });
        let (records, runs) = &mut all[place].1;
        records.push(record);
        runs.push(RunSummary { cc, ..summary.clone() });
    }
    let judged = |((settings, variant), (records, runs)): (_, SettingRuns<'_>)| {
        let situation = Situation::of(&records);
        let summary = JudgementSummary::of(&Contest::new(&runs, &situation, rules));
        SettingSummary { settings, variant, summary }
    };
    all.into_iter().map(judged).collect()
}
