//! A campaign on a terminal.

use westwood_experiment::judgement::Practical;
use westwood_experiment::ranking::Ranking;
use westwood_experiment::stats::Estimate;
use westwood_measure::{Amount, Settings};
use westwood_scenario::{counted, listed};

use super::{CampaignReport, CampaignSummary};
use crate::number::{CUT, Range, interval};
use crate::style::Style;
use crate::table::{Cell, Column, render, wrapped};

/// The campaign in a line, a table, and a sentence.
pub fn terminal(campaign: &CampaignReport<'_>, style: Style) -> String {
    let summaries = campaign.summaries();
    let names: Vec<String> = summaries.iter().map(|summary| summary.cc.clone()).collect();
    let mut lines = vec![style.bold(&about(campaign.settings)), String::new()];
    let columns = columns(campaign, &summaries);
    let (table, shown) = render("controller", &names, &columns, style);
    lines.extend(table);
    if shown.iter().any(|c| c.cells.iter().any(|cell| cell.cut)) {
        lines.extend(wrapped(CUT, style.width).lines().map(|line| style.dim(line)));
    }
    lines.extend([String::new(), wrapped(&verdict(campaign), style.width)]);
    for warning in campaign.warnings() {
        lines.push(wrapped(&format!("note: {warning}"), style.width));
    }
    lines.join("\n") + "\n"
}

/// The campaign in a line.
pub(super) fn about(settings: &Settings) -> String {
    let amount = match settings.amount {
        Amount::SizeBytes(size) => format!("{} MB", millionths(size)),
        Amount::TimeMs(time) => format!("{} s", thousandths(time)),
    };
    let flows = if settings.flows > 1 {
        format!(" by each of {} flows", settings.flows)
    } else {
        String::new()
    };
    let background = settings.background.map(|b| {
        format!(
            ", beside {} Mbit/s for {} s in every {} s",
            millionths(b.rate_bps),
            thousandths(b.on_ms),
            thousandths(b.on_ms + b.off_ms)
        )
    });
    format!(
        "{amount}{flows} to {} port {}, {} times{}",
        settings.server.host,
        settings.server.port,
        settings.repeat,
        background.unwrap_or_default()
    )
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
fn millionths(n: u64) -> f64 {
    n as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
fn thousandths(n: u64) -> f64 {
    n as f64 / 1e3
}

fn columns(campaign: &CampaignReport<'_>, summaries: &[CampaignSummary]) -> Vec<Column> {
    let best = match campaign.standing() {
        Ranking::Best(best) => Some(best),
        Ranking::Tied { .. } | Ranking::Unknown => None,
    };
    let mut columns = Vec::new();
    let mut add = |head: [&str; 2],
                   by: f64,
                   digits: usize,
                   pick: fn(&CampaignSummary) -> Option<Estimate>| {
        // The second column is a difference, which may lie on either side of zero.
        let range = if columns.len() == 1 { Range::ANY } else { Range::POSITIVE };
        let cell = |(i, summary): (usize, &CampaignSummary)| {
            let written = pick(summary).map(|e| written(e, by, digits, range));
            let (text, cut) = written.unwrap_or_default();
            Cell { text, best: columns.is_empty() && best == Some(i), cut }
        };
        let cells = summaries.iter().enumerate().map(cell).collect();
        columns.push(Column { head: head.map(str::to_owned), cells, rank: columns.len() });
    };
    add(["goodput", "Mbit/s"], 1e-6, 3, |s| s.goodput_bps);
    let first = campaign.settings.controllers.first().map_or("", String::as_str);
    add(["against", first], 100.0, 1, |s| s.against_first);
    add(["resent", "%"], 100.0, 2, |s| s.retransmission_ratio);
    add(["RTT mean", "ms"], 1.0, 1, |s| s.srtt_ms);
    if matches!(campaign.settings.amount, Amount::SizeBytes(_)) {
        add(["took", "s"], 1.0, 2, |s| s.duration_s);
    }
    if campaign.settings.flows > 1 {
        add(["Jain", ""], 1.0, 3, |s| s.jain);
    }
    // A difference has a sign and a unit of its own.
    for (cell, summary) in columns[1].cells.iter_mut().zip(summaries) {
        if summary.against_first.is_some_and(|e| e.mean >= 0.0) {
            cell.text.insert(0, '+');
        }
        if !cell.text.is_empty() {
            cell.text.push_str(" %");
        }
    }
    columns
}

/// `9.412 ±0.031`, and whether the range of the quantity cuts the interval.
pub(super) fn written(estimate: Estimate, by: f64, digits: usize, range: Range) -> (String, bool) {
    let scaled = |x: f64| x * by;
    let estimate =
        Estimate { mean: scaled(estimate.mean), half_width: estimate.half_width.map(scaled) };
    interval(estimate, range, |x| format!("{x:.digits$}"))
}

/// The controller that carries the most, if chance allows one to name it.
pub(super) fn verdict(campaign: &CampaignReport<'_>) -> String {
    let controllers = &campaign.settings.controllers;
    let name = |i: usize| controllers[i].as_str();
    let names = |all: &[usize]| listed(all.iter().map(|i| name(*i)));
    let rounds = campaign.finished_rounds();
    match campaign.standing() {
        Ranking::Best(best) => {
            let Practical(bound) = Practical::default();
            format!(
                "{} carries more than every other, beyond chance and by more than {:.0} %, compared round by \
                 round.",
                name(best),
                bound * 100.0
            )
        }
        Ranking::Tied { level, parted } => {
            let behind: Vec<usize> =
                (0..controllers.len()).filter(|i| !level.contains(i)).collect();
            let rest = match behind.as_slice() {
                [] => String::new(),
                behind => {
                    format!(" {} clearly carries more than {}.", name(level[0]), names(behind))
                }
            };
            match parted {
                None => {
                    format!(
                        "{} cannot be told apart over {}.{rest}",
                        names(&level),
                        counted(rounds as u64, "round")
                    )
                }
                Some((best, worse)) => format!(
                    "{} carries the most on the mean; {} cannot be told from it over {}, though \
                     {} is clearly ahead of {}.{rest}",
                    name(level[0]),
                    names(&level[1..]),
                    counted(rounds as u64, "round"),
                    name(best),
                    names(&worse)
                ),
            }
        }
        Ranking::Unknown if controllers.len() < 2 => {
            "One controller alone: name several with --cc to compare them.".to_owned()
        }
        Ranking::Unknown if campaign.settings.repeat < 3 => {
            let rounds = match campaign.settings.repeat {
                0 | 1 => "One round".to_owned(),
                rounds => format!("{rounds} rounds"),
            };
            format!("{rounds} cannot tell merit from chance: raise --repeat.")
        }
        Ranking::Unknown => {
            "Too few rounds are finished to tell merit from chance: go on with --resume.".to_owned()
        }
    }
}
