//! A campaign as a page.

use westwood_experiment::stats::Estimate;
use westwood_measure::{CampaignRun, TcpSample};

use super::text::{about, verdict, written};
use super::{CampaignReport, CampaignSummary};
use crate::figure::{Chart, ChartLine, ChartPoint};
use crate::number::Range;
use crate::pages::{Block, Page, PageCell, PageSection, PageTable, render};

/// A page with the table, the goodput of every round, and how the first round went over time.
pub fn page(campaign: &CampaignReport<'_>, command: &str) -> String {
    let mut result = vec![Block::Table(grid(campaign))];
    result.push(Block::Note(
        "Means with intervals of 95 % confidence (Student's t). Differences are those of runs of the \
         same round. An interval that would reach beyond zero is given by its other end: ≤. A mean of \
         values that are all alike has none: they say nothing of what further runs may meet."
            .to_owned(),
    ));
    result.extend(campaign.warnings().into_iter().map(Block::Note));
    result.push(Block::Chart(rounds(campaign)));
    let page = Page {
        kicker: "Westwood measurement".to_owned(),
        playground: None,
        title: about(campaign.settings),
        verdict: verdict(campaign),
        subtitle: String::new(),
        parts: vec![part("Result", result), part("Over time", over_time(campaign))],
        footer: format!("westwood {}: {command}", env!("CARGO_PKG_VERSION")),
        with_filters: false,
    };
    render(&page)
}

fn part(title: &str, blocks: Vec<Block>) -> PageSection {
    PageSection { title: title.to_owned(), id: None, blocks }
}

fn grid(campaign: &CampaignReport<'_>) -> PageTable {
    // Between the flows of a run there is no fairness if there is one.
    let several = campaign.settings.flows > 1;
    let mut head = vec![
        "controller",
        "runs",
        "goodput, Mbit/s",
        "against the first, %",
        "resent, %",
        "mean RTT, ms",
        "took, s",
    ];
    head.extend(several.then_some("Jain"));
    let of = |estimate: Option<Estimate>, by: f64, digits: usize, range: Range| {
        let text = estimate.map(|e| written(e, by, digits, range).0);
        PageCell::from(text.unwrap_or_else(|| "-".to_owned()))
    };
    let number = |estimate: Option<Estimate>, by: f64, digits: usize| {
        of(estimate, by, digits, Range::POSITIVE)
    };
    let row = |s: &CampaignSummary| {
        let mut cells: Vec<PageCell> = vec![
            s.cc.as_str().into(),
            s.runs.to_string().into(),
            number(s.goodput_bps, 1e-6, 3),
            of(s.against_first, 100.0, 1, Range::ANY),
            number(s.retransmission_ratio, 100.0, 3),
            number(s.srtt_ms, 1.0, 1),
            number(s.duration_s, 1.0, 2),
        ];
        cells.extend(several.then(|| number(s.jain, 1.0, 3)));
        cells
    };
    PageTable {
        head: head.into_iter().map(str::to_owned).collect(),
        rows: campaign.summaries().iter().map(row).collect(),
        prose: false,
    }
}

/// The goodput of each round, a line for each controller.
fn rounds(campaign: &CampaignReport<'_>) -> Chart {
    #[expect(clippy::cast_precision_loss, reason = "a number of rounds")]
    let point = |run: &CampaignRun| ChartPoint {
        x: run.round as f64,
        y: run.measured.goodput_bps / 1e6,
        interval: None,
    };
    let line =
        |cc: &String| ChartLine { name: cc.clone(), points: campaign.of(cc).map(point).collect() };
    Chart {
        title: "Goodput of every round".to_owned(),
        x: "round".to_owned(),
        y: "goodput (Mbit/s)".to_owned(),
        lines: campaign.settings.controllers.iter().map(line).collect(),
        ..Chart::default()
    }
}

/// The first flow of each controller's first run over time.
fn over_time(campaign: &CampaignReport<'_>) -> Vec<Block> {
    type Pick = fn(&TcpSample) -> Option<f64>;
    let quantities: [(&str, &str, Pick); 5] = [
        ("Congestion window", "cwnd (packets)", |s| Some(s.cwnd_packets.into())),
        ("Slow-start threshold", "ssthresh (packets)", |s| s.ssthresh_packets.map(f64::from)),
        ("Bandwidth estimate", "bwe (Mbit/s)", |s| s.bwe_bps.map(megabits)),
        ("Round-trip time", "srtt (ms)", |s| Some(s.srtt_ms).filter(|ms| *ms > 0.0)),
        ("Segments sent again", "sent again (packets)", |s| Some(s.retransmitted_packets.into())),
    ];
    let note = "The first flow of each controller's first run.".to_owned();
    let firsts = || campaign.settings.controllers.iter().filter_map(|cc| campaign.of(cc).next());
    let ends = firsts().filter_map(|run| Some(run.measured.samples.last()?.time_s));
    let end = ends.fold(0.0, f64::max);
    let chart = |(title, y, pick): (&str, &str, Pick)| {
        let line = |cc: &String| {
            let samples = campaign.of(cc).next().map(|run| run.measured.samples.as_slice());
            let of_first = samples.unwrap_or_default().iter().filter(|s| s.flow == 1);
            let point =
                |s: &TcpSample| pick(s).map(|y| ChartPoint { x: s.time_s, y, interval: None });
            ChartLine { name: cc.clone(), points: of_first.filter_map(point).collect() }
        };
        let lines = campaign.settings.controllers.iter().map(line);
        Chart {
            title: title.to_owned(),
            x: "time (s)".to_owned(),
            y: y.to_owned(),
            x_range: (end > 0.0).then_some((0.0, end)),
            lines: lines.filter(|line| !line.points.is_empty()).collect(),
            ..Chart::default()
        }
    };
    // Only controllers of ours tell an estimate.
    let charts = quantities.map(chart).into_iter().filter(|chart| !chart.lines.is_empty());
    std::iter::once(Block::Note(note)).chain(charts.map(Block::Chart)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "rates below 2^53 bit/s")]
fn megabits(bps: u64) -> f64 {
    bps as f64 / 1e6
}
