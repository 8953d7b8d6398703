//! Small charts over time of one run of each controller, for pages that hold many of them.

use westwood_experiment::run::Curves;

use super::panels::queue;
use super::rates::{goodput, others};
use super::sheet::{RecordedRun, Sheet};
use crate::document::Panel;
use crate::figure::{Chart, ChartLine, ChartPoint};

/// Columns of time; each has two points.
const COLUMNS: usize = 60;

/// The goodput, that of the other flows where there are some, and the queue over time: a line for each run,
/// with its name. Nothing where nothing was recorded.
pub fn charts(runs: &[(String, &Curves)]) -> Vec<Chart> {
    let most = |of: fn(&Curves) -> f64| runs.iter().map(|(_, run)| of(run)).fold(0.0, f64::max);
    let sheet = Sheet {
        runs: runs.iter().map(|(_, curves)| Some(recorded(curves))).collect(),
        rate_bps: most(|run| run.context.rate_bps),
        end_s: most(|run| run.sim_s),
        columns: COLUMNS,
        joined: false,
    };
    let panels = [goodput(&sheet), others(&sheet), queue(&sheet)];
    let names: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
    panels.iter().flatten().map(|panel| chart(panel, &names, sheet.end_s)).collect()
}

fn recorded(curves: &Curves) -> RecordedRun<'_> {
    RecordedRun {
        series: &curves.series,
        context: &curves.context,
        sequence: curves.sequence.as_ref(),
        until_s: curves.sim_s,
    }
}

fn chart(panel: &Panel, names: &[&str], end_s: f64) -> Chart {
    #[expect(clippy::cast_precision_loss, reason = "a column of a drawing")]
    let time = |at: usize| (at as f64 + 0.5) * end_s / (2 * COLUMNS) as f64;
    let line = |line: &crate::document::CurveLine| ChartLine {
        name: names.get(line.variant).copied().unwrap_or_default().to_owned(),
        points: line
            .values
            .iter()
            .enumerate()
            .filter_map(|(at, value)| {
                Some(ChartPoint { x: time(at), y: (*value)?, interval: None })
            })
            .collect(),
    };
    let (heading, unit) = (panel.heading(), &panel.quantity.unit);
    let is_told = heading.to_ascii_lowercase().contains(unit.as_str());
    let title = if is_told { heading.to_owned() } else { format!("{heading} ({unit})") };
    Chart {
        title: format!("{title} over time"),
        x: "time (s)".to_owned(),
        y: title,
        x_range: Some((0.0, end_s)),
        lines: panel.lines.iter().map(line).collect(),
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use westwood_cc::{Duration, Instant};
    use westwood_experiment::run::{CurveContext, Detail, RunSeries, RunTask};

    use super::*;

    /// A run of ten seconds in which the flow under test and another one deliver a megabit a second each.
    fn run() -> Curves {
        let mut series = RunSeries::default();
        for second in 0..10 {
            let at = Instant::ZERO + Duration::from_millis(1_000 * second + 500);
            series.delivered.extend([0, 1].map(|flow| (at, flow, 125_000 * (second + 1))));
            series.queue.push((at, second));
        }
        let context = CurveContext {
            rate_bps: 2e6,
            rtt_ms: 500.0,
            tested: vec!["own".to_owned()],
            others: vec!["other".to_owned()],
            ..CurveContext::default()
        };
        let (task, detail) = (RunTask { point: 0, seed: 1 }, Detail::Thinned);
        Curves { task, detail, series, context, sequence: None, sim_s: 10.0 }
    }

    #[test]
    fn each_run_has_a_line_of_its_name_in_every_chart() {
        let (one, two) = (run(), run());
        let drawn = charts(&[("reno".to_owned(), &one), ("cubic".to_owned(), &two)]);
        let titles: Vec<&str> = drawn.iter().map(|chart| chart.y.as_str()).collect();
        assert_eq!(titles.len(), 3, "{titles:?}");
        assert!(titles[0].starts_with("Goodput") && titles[1].starts_with("Other flows' goodput"));
        assert!(titles[2].starts_with("Packets waiting"), "{titles:?}");
        for chart in &drawn {
            let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
            assert_eq!(names, ["reno", "cubic"]);
            assert!(chart.lines.iter().all(|line| line.points.len() <= 2 * COLUMNS));
        }
        let middle = drawn[0].lines[0].points.iter().find(|point| point.x > 5.0);
        assert!(middle.is_some_and(|point| (point.y - 1.0).abs() < 1e-9), "{middle:?}");
    }

    #[test]
    fn nothing_recorded_is_nothing_drawn() {
        assert_eq!(charts(&[]), []);
    }
}
