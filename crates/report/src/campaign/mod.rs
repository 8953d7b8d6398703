//! Real transfers under several controllers: means with intervals, and a comparison in pairs.
//!
//! The runs of a round meet nearly the same path, as runs under one seed do in a simulation. So
//! controllers are compared by their differences round by round.

mod page;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;
use westwood_experiment::judgement::Practical;
use westwood_experiment::metric::Better;
use westwood_experiment::ranking::{Ranking, Samples, standing_of};
use westwood_experiment::stats::{CONFIDENCE, Estimate, jain};
use westwood_measure::{CampaignRun, Settings};
use westwood_scenario::counted;

use crate::data_frame::{ColumnType, DataFrame, FrameValue};

pub use page::page;
pub use text::terminal;

/// A campaign as far as it went.
#[derive(Clone, Copy, Debug)]
pub struct CampaignReport<'a> {
    /// The settings of the campaign.
    pub settings: &'a Settings,
    /// The finished runs, in the order of their turns.
    pub runs: &'a [CampaignRun],
}

/// The results of a controller.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignSummary {
    /// The controller.
    pub cc: String,
    /// Its finished runs.
    pub runs: usize,
    /// Goodput of a run's flows together, in bits a second.
    pub goodput_bps: Option<Estimate>,
    /// Its goodput over that of the first controller in the same round, less one; none for the first.
    pub against_first: Option<Estimate>,
    /// Payload bytes sent again, over all payload bytes sent.
    pub retransmission_ratio: Option<Estimate>,
    /// The mean of the smoothed round-trip times.
    pub srtt_ms: Option<Estimate>,
    /// The duration of a run, in seconds.
    pub duration_s: Option<Estimate>,
    /// Jain's index of the goodputs of a run's flows.
    pub jain: Option<Estimate>,
}

impl CampaignReport<'_> {
    fn of<'r>(&'r self, cc: &'r str) -> impl Iterator<Item = &'r CampaignRun> {
        self.runs.iter().filter(move |run| run.cc == cc)
    }

    /// The results of each controller, in their order.
    pub fn summaries(&self) -> Vec<CampaignSummary> {
        self.settings.controllers.iter().map(|cc| self.summary(cc)).collect()
    }

    fn summary(&self, cc: &str) -> CampaignSummary {
        let estimate = |pick: &dyn Fn(&CampaignRun) -> Option<f64>| {
            Estimate::of(&self.of(cc).filter_map(pick).collect::<Vec<_>>(), CONFIDENCE)
        };
        CampaignSummary {
            cc: cc.to_owned(),
            runs: self.of(cc).count(),
            goodput_bps: estimate(&|run| Some(run.measured.goodput_bps)),
            against_first: Estimate::of(&self.against_first(cc), CONFIDENCE),
            retransmission_ratio: estimate(&|run| Some(run.measured.retransmission_ratio)),
            srtt_ms: estimate(&|run| run.measured.srtt_mean_ms),
            duration_s: estimate(&|run| Some(run.measured.duration_s)),
            jain: estimate(&|run| Some(jain(&run.measured.flow_goodputs_bps))),
        }
    }

    /// For each round that both have finished, how much more a controller carried than the first.
    fn against_first(&self, cc: &str) -> Vec<f64> {
        let Some(first) = self.settings.controllers.first().filter(|first| *first != cc) else {
            return Vec::new();
        };
        let pair = |run: &CampaignRun| {
            let other = self.of(first).find(|other| other.round == run.round)?;
            let goodput = other.measured.goodput_bps;
            (goodput > 0.0).then(|| run.measured.goodput_bps / goodput - 1.0)
        };
        self.of(cc).filter_map(pair).collect()
    }

    /// The controllers that carry more than every other beyond chance and what matters: places among them.
    pub fn standing(&self) -> Ranking {
        let samples = |cc: &String| -> Samples {
            self.of(cc).map(|run| (run.round, Some(run.measured.goodput_bps))).collect()
        };
        let all: Vec<Samples> = self.settings.controllers.iter().map(samples).collect();
        standing_of(&all, Better::Higher, Practical::default(), false)
    }

    /// The number of rounds that every controller has finished.
    pub(crate) fn finished_rounds(&self) -> usize {
        let all = &self.settings.controllers;
        let finished =
            |round: &u64| all.iter().all(|cc| self.of(cc).any(|run| run.round == *round));
        let rounds: BTreeSet<u64> = self.runs.iter().map(|run| run.round).collect();
        rounds.iter().filter(|round| finished(round)).count()
    }

    /// The warnings about the numbers.
    pub fn warnings(&self) -> Vec<String> {
        /// More of the time than this is worth a word.
        const WORTH_SAYING: f64 = 0.1;
        let mut warnings = Vec::new();
        for (who, share) in [
            ("the receiver's window", self.worst(|run| run.measured.limited_by_receiver_share)),
            ("the sender's own buffer", self.worst(|run| run.measured.limited_by_buffer_share)),
        ] {
            if share > WORTH_SAYING {
                warnings.push(format!(
                    "{who} and not the controller stood in the way for up to {:.0} % of a run: raise \
                     {} to compare controllers",
                    share * 100.0,
                    if who.starts_with("the receiver") {
                        "net.ipv4.tcp_rmem on the server"
                    } else {
                        "net.ipv4.tcp_wmem here"
                    }
                ));
            }
        }
        let left = self.settings.left(self.runs).len();
        if left > 0 {
            let are = if left == 1 { "is" } else { "are" };
            let runs = counted(left as u64, "run");
            warnings.push(format!("{runs} of the campaign {are} not done"));
        }
        warnings
    }

    fn worst(&self, share: fn(&CampaignRun) -> f64) -> f64 {
        self.runs.iter().map(share).fold(0.0, f64::max)
    }

    /// A row for each run.
    pub fn run_frame(&self) -> DataFrame {
        let columns = [
            ("round", ColumnType::Count),
            ("cc", ColumnType::Text),
            ("began_unix_s", ColumnType::Float),
            ("goodput_bps", ColumnType::Float),
            ("duration_s", ColumnType::Float),
            ("received_bytes", ColumnType::Count),
            ("retransmission_ratio", ColumnType::Float),
            ("srtt_mean_ms", ColumnType::Float),
            ("rtt_min_ms", ColumnType::Float),
            ("jain", ColumnType::Float),
            ("limited_by_receiver_share", ColumnType::Float),
            ("limited_by_buffer_share", ColumnType::Float),
        ];
        let row = |run: &CampaignRun| {
            let m = &run.measured;
            vec![
                run.round.into(),
                (&run.cc).into(),
                run.began_unix_s.into(),
                m.goodput_bps.into(),
                m.duration_s.into(),
                m.received_bytes.into(),
                m.retransmission_ratio.into(),
                m.srtt_mean_ms.into(),
                m.rtt_min_ms.into(),
                jain(&m.flow_goodputs_bps).into(),
                m.limited_by_receiver_share.into(),
                m.limited_by_buffer_share.into(),
            ]
        };
        frame("runs", &columns, self.runs.iter().map(row).collect())
    }

    /// A row for each sample of each flow.
    pub fn sample_frame(&self) -> DataFrame {
        let columns = [
            ("round", ColumnType::Count),
            ("cc", ColumnType::Text),
            ("flow", ColumnType::Count),
            ("time_s", ColumnType::Float),
            ("cwnd_packets", ColumnType::Count),
            ("ssthresh_packets", ColumnType::Count),
            ("srtt_ms", ColumnType::Float),
            ("delivery_rate_bps", ColumnType::Float),
            ("bwe_bps", ColumnType::Count),
            ("acked_bytes", ColumnType::Count),
            ("retransmitted_packets", ColumnType::Count),
        ];
        let rows = self.runs.iter().flat_map(|run| {
            run.measured.samples.iter().map(|s| {
                vec![
                    run.round.into(),
                    (&run.cc).into(),
                    FrameValue::Count(s.flow as u64),
                    s.time_s.into(),
                    u64::from(s.cwnd_packets).into(),
                    s.ssthresh_packets.map(u64::from).into(),
                    s.srtt_ms.into(),
                    s.delivery_rate_bps.into(),
                    s.bwe_bps.into(),
                    s.acked_bytes.into(),
                    u64::from(s.retransmitted_packets).into(),
                ]
            })
        });
        frame("samples", &columns, rows.collect())
    }

    /// Everything as JSON, schema `westwood.measure/1`.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let document = CampaignDocument {
            schema: "westwood.measure/1",
            version: env!("CARGO_PKG_VERSION"),
            settings: self.settings,
            warnings: self.warnings(),
            controllers: self.summaries().iter().map(SummaryJson::of).collect(),
            runs: self.runs,
        };
        serde_json::to_string_pretty(&document).map(|text| text + "\n")
    }
}

fn frame(
    name: &'static str,
    columns: &[(&str, ColumnType)],
    rows: Vec<Vec<FrameValue>>,
) -> DataFrame {
    let columns = columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    DataFrame { name, columns, rows }
}

#[derive(Serialize)]
struct CampaignDocument<'a> {
    schema: &'static str,
    version: &'static str,
    settings: &'a Settings,
    warnings: Vec<String>,
    controllers: Vec<SummaryJson>,
    runs: &'a [CampaignRun],
}

/// A mean and half the width of its interval of 95 %.
#[derive(Serialize)]
struct EstimateJson {
    mean: f64,
    half_width: Option<f64>,
}

#[derive(Serialize)]
struct SummaryJson {
    cc: String,
    runs: usize,
    goodput_bps: Option<EstimateJson>,
    against_first_share: Option<EstimateJson>,
    retransmission_ratio: Option<EstimateJson>,
    srtt_mean_ms: Option<EstimateJson>,
    duration_s: Option<EstimateJson>,
    jain: Option<EstimateJson>,
}

impl SummaryJson {
    fn of(summary: &CampaignSummary) -> Self {
        let json = |estimate: Option<Estimate>| {
            estimate.map(|e| EstimateJson { mean: e.mean, half_width: e.half_width })
        };
        Self {
            cc: summary.cc.clone(),
            runs: summary.runs,
            goodput_bps: json(summary.goodput_bps),
            against_first_share: json(summary.against_first),
            retransmission_ratio: json(summary.retransmission_ratio),
            srtt_mean_ms: json(summary.srtt_ms),
            duration_s: json(summary.duration_s),
            jain: json(summary.jain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;
    use westwood_measure::{Amount, ServerAddress, TransferResult};

    fn settings(repeat: u64) -> Settings {
        let names = ["reno", "cubic"].map(str::to_owned).to_vec();
        Settings {
            server: ServerAddress { host: "<server>".to_owned(), port: 5201 },
            kernel_names: names.clone(),
            controllers: names,
            amount: Amount::TimeMs(1_000),
            repeat,
            flows: 1,
            background: None,
            interval_ms: 100,
            pause_ms: 0,
        }
    }

    fn run(round: u64, cc: &str, goodput_bps: f64) -> CampaignRun {
        let measured = TransferResult {
            goodput_bps,
            flow_goodputs_bps: vec![goodput_bps],
            duration_s: 1.0,
            received_bytes: 1,
            retransmission_ratio: 0.01,
            srtt_mean_ms: Some(50.0),
            rtt_min_ms: 40.0,
            limited_by_receiver_share: 0.0,
            limited_by_buffer_share: 0.0,
            samples: Vec::new(),
        };
        CampaignRun { round, cc: cc.to_owned(), began_unix_s: 0.0, measured }
    }

    /// The path is twice as fast in each round as in the one before; cubic carries a tenth more.
    fn uneven() -> Vec<CampaignRun> {
        let rounds = [(1, 1e6), (2, 2e6), (3, 4e6), (4, 8e6)];
        let both = |(round, rate): (u32, f64)| {
            let ahead = 1.1 + 1e-3 * f64::from(round);
            [run(round.into(), "reno", rate), run(round.into(), "cubic", rate * ahead)]
        };
        rounds.into_iter().flat_map(both).collect()
    }

    #[test]
    fn a_lead_in_every_round_counts_although_the_rounds_differ_more_than_the_controllers() {
        let (settings, runs) = (settings(4), uneven());
        let campaign = CampaignReport { settings: &settings, runs: &runs };
        let [reno, cubic] = &campaign.summaries()[..] else { panic!("two controllers") };
        let ahead = cubic.against_first.unwrap();
        assert!((ahead.mean - 0.1025).abs() < 1e-9 && ahead.half_width.unwrap() < 0.01);
        assert_eq!(reno.against_first, None);
        let goodput = reno.goodput_bps.unwrap();
        assert!(goodput.half_width.unwrap() > goodput.mean, "the rounds differ widely");
    }

    #[test]
    fn a_lead_that_does_not_matter_or_that_two_rounds_show_is_none() {
        let said = |rounds: u64, ahead: f64| {
            let both = |round: u64| {
                #[expect(clippy::cast_precision_loss, reason = "three rounds")]
                let noise = 1.0 + 1e-4 * (round % 3) as f64;
                [run(round, "reno", 1e6), run(round, "cubic", 1e6 * ahead * noise)]
            };
            let (settings, runs): (_, Vec<CampaignRun>) =
                (settings(rounds), (1..=rounds).flat_map(both).collect());
            text::verdict(&CampaignReport { settings: &settings, runs: &runs })
        };
        let lead = "cubic carries more than every other, beyond chance and by more than 1 %";
        assert!(said(4, 1.05).starts_with(lead), "{}", said(4, 1.05));
        let level = said(4, 1.005);
        assert!(level.ends_with("cannot be told apart over 4 rounds."), "{level}");
        let few = "2 rounds cannot tell merit from chance: raise --repeat.";
        assert_eq!(said(2, 1.05), few);
    }

    #[test]
    fn the_terminal_says_what_was_measured_and_what_is_missing() {
        let (settings, runs) = (settings(5), uneven());
        let text = terminal(&CampaignReport { settings: &settings, runs: &runs }, Style::PLAIN);
        for said in ["cubic", "+10", "2 runs of the campaign are not done"] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }

    #[test]
    fn a_receiver_in_the_way_is_told_of() {
        let settings = settings(1);
        let of = |share: f64| {
            let mut slow = run(1, "reno", 1e6);
            slow.measured.limited_by_receiver_share = share;
            let runs = [slow, run(1, "cubic", 1e6)];
            CampaignReport { settings: &settings, runs: &runs }.warnings()
        };
        let warnings = of(0.11);
        assert!(warnings.len() == 1 && warnings[0].contains("11 %"), "{warnings:?}");
        assert_eq!(of(0.1), Vec::<String>::new());
    }

    #[test]
    fn a_round_is_finished_that_every_controller_has_run() {
        let (settings, mut runs) = (settings(4), uneven());
        let finished =
            |runs: &[CampaignRun]| CampaignReport { settings: &settings, runs }.finished_rounds();
        assert_eq!(finished(&runs), 4);
        runs.remove(2);
        assert_eq!(finished(&runs), 3);
    }

    #[test]
    fn tables_have_a_value_for_each_column_and_the_page_escapes_names() {
        let (settings, runs) = (settings(4), uneven());
        let campaign = CampaignReport { settings: &settings, runs: &runs };
        for frame in [campaign.run_frame(), campaign.sample_frame()] {
            assert!(frame.rows.iter().all(|row| row.len() == frame.columns.len()));
        }
        let page = page(&campaign, "westwood measure --server '<server>'");
        assert!(page.contains("&lt;server&gt;") && !page.contains("<server>"));
        let json: serde_json::Value = serde_json::from_str(&campaign.json().unwrap()).unwrap();
        assert_eq!(json["runs"].as_array().unwrap().len(), 8);
    }
}
