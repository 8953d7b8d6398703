//! The table of a comparison.

use westwood_experiment::judgement::{Contest, JudgementRules, Situation};
use westwood_experiment::metric::{Metric, Unit};
use westwood_experiment::ranking::{ControllerRuns, groups};
use westwood_experiment::results::RunSummary;
use westwood_experiment::stats::{CONFIDENCE, Estimate, unseen_share};
use westwood_scenario::listed;
use westwood_scenario::sorting::SortedMap;

use crate::document::{DocumentTable, TableColumn};
use crate::number::{CUT, Range, UnitScale, decimals_for, interval, rate_scale, time_scale_of};
use crate::style::Style;
use crate::table::{Cell, Column, hidden_columns, render, wrapped};

/// A note names so many rows at most, and counts more.
const NAMED_ROWS: usize = 3;

/// A column: what, how it is headed, and when it is left out.
pub(crate) struct MetricColumn {
    pub(crate) metric: Metric,
    pub(crate) head: &'static str,
    rank: usize,
}

/// The subject of a table.
pub(crate) struct Subject<'a> {
    /// All runs.
    pub(crate) runs: &'a [RunSummary],
    /// The kind of its rows: controllers.
    pub(crate) heading: &'a str,
    /// The number of successive rows that are alternatives, of which one may be the best.
    pub(crate) alternatives: usize,
    /// The number of seeds of each row.
    pub(crate) seeds: usize,
    /// The rate of the link, which gives rates their unit.
    pub(crate) rate_bps: f64,
    /// The flows under test are transfers.
    pub(crate) transfers: bool,
    /// There is more than one of them.
    pub(crate) several: bool,
    /// Other flows compete.
    pub(crate) rivals: bool,
    /// There are flows in the other direction.
    pub(crate) reverse: bool,
    /// The situation of each point's setting, by the name of the point.
    pub(crate) situations: SortedMap<String, Situation>,
    /// The rules by which they are judged.
    pub(crate) rules: JudgementRules,
    /// The runs are a part of the grid's, so that nothing is judged.
    pub(crate) is_part: bool,
}

/// The columns that are called for, from left to right.
pub(crate) fn columns_of(subject: &Subject<'_>) -> Vec<MetricColumn> {
    let mut columns = Vec::new();
    let mut add = |wanted: bool, metric: Metric, rank| {
        if let (true, Some(head)) = (wanted, metric.head()) {
            columns.push(MetricColumn { metric, head, rank });
        }
    };
    add(subject.transfers, Metric::FctMean, 0);
    add(subject.transfers, Metric::FctMax, 6);
    add(true, Metric::Goodput, 1);
    add(subject.rivals, Metric::AgainstGoodput, 2);
    add(subject.runs.iter().any(|run| run.harm.is_some()), Metric::Harm, 2);
    // Flows with a transfer each carry the same, however long each took.
    let is_one_each = |run: &RunSummary| run.many_transfers.is_none() && run.unfinished == Some(0);
    let shares = !(subject.transfers && subject.runs.iter().all(is_one_each));
    add(subject.several && shares, Metric::Jain, 3);
    add(subject.reverse, Metric::ReverseGoodput, 4);
    add(true, Metric::Utilization, 5);
    add(true, Metric::Retransmissions, 8);
    add(true, Metric::Timeouts, 9);
    let waits = subject.runs.iter().any(|run| run.queue_delay_ms.is_some());
    add(waits, Metric::QueueDelayP50, 10);
    add(waits, Metric::QueueDelayP95, 7);
    add(true, Metric::RttP50, 12);
    add(true, Metric::RttP95, if waits { 11 } else { 7 });
    add(true, Metric::QueueMean, 13);
    let any = |metric: Metric| subject.runs.iter().any(|run| metric.of(run).is_some());
    let random = subject.runs.iter().any(|run| run.drops.random > 0);
    add(any(Metric::FrameDelayP95), Metric::FrameDelayP95, 14);
    add(any(Metric::SoloHarmRate), Metric::SoloHarmRate, 15);
    add(shares && any(Metric::LeastShare), Metric::LeastShare, 16);
    add(random, Metric::SelfInflictedLoss, 17);
    add(any(Metric::Recovery), Metric::Recovery, 18);
    add(any(Metric::Convergence), Metric::Convergence, 19);
    add(any(Metric::AckCost), Metric::AckCost, 2);
    add(any(Metric::AckCycles), Metric::AckCycles, 20);
    columns
}

/// The table, and below it what its signs mean.
pub(crate) fn table(subject: &Subject<'_>, style: Style) -> Vec<String> {
    let groups = groups(subject.runs);
    let names: Vec<String> = groups.iter().map(|g| g.cc.to_owned()).collect();
    let best = best(&groups, subject);
    let columns: Vec<Column> =
        columns_of(subject).iter().map(|shown| column(shown, &groups, subject, &best)).collect();
    let (mut lines, shown) = render(subject.heading, &names, &columns, style);
    let hidden = hidden_columns(columns.len() - shown.len(), style);
    for note in notes(subject, &shown, hidden) {
        lines.extend(wrapped(&note, style.width).lines().map(|line| style.dim(line)));
    }
    lines
}

/// The same for a page: all columns.
pub(crate) fn whole_table(subject: &Subject<'_>) -> DocumentTable {
    let groups = groups(subject.runs);
    let best = best(&groups, subject);
    let columns: Vec<Column> =
        columns_of(subject).iter().map(|shown| column(shown, &groups, subject, &best)).collect();
    let notes = notes(subject, &columns.iter().collect::<Vec<_>>(), None);
    DocumentTable { columns: for_page(columns), notes }
}

/// Columns of the terminal as a page has them.
pub(crate) fn for_page(columns: Vec<Column>) -> Vec<TableColumn> {
    let column = |column: Column| {
        let [head, unit] = column.head;
        let cells = column.cells.into_iter().map(|cell| (cell.text, cell.best)).collect();
        TableColumn { head, unit, cells }
    };
    columns.into_iter().map(column).collect()
}

/// The meaning of the signs in the columns that are shown, and the note on those that are hidden.
fn notes(subject: &Subject<'_>, columns: &[&Column], hidden: Option<String>) -> Vec<String> {
    let mut notes = Vec::new();
    // A part of a grid has not every seed of a row.
    let most = groups(subject.runs).iter().map(|group| group.runs.len()).max().unwrap_or(0);
    let seeds = if subject.is_part { most } else { subject.seeds };
    if seeds > 1 && subject.runs.iter().all(|run| run.exact) {
        notes.push("Nothing on this path is random: every seed gives the same.".to_owned());
    } else if seeds > 1 {
        let over = if subject.is_part { "up to " } else { "" };
        let mut note = format!("Means over {over}{seeds} seeds ± 95 % confidence.");
        if columns.iter().any(|c| c.cells.iter().any(|cell| cell.best)) {
            note.push_str(if groups(subject.runs).len() > subject.alternatives {
                " * clearly better than the other controllers of its point."
            } else {
                " * clearly better than all others."
            });
        }
        notes.push(note);
        notes.extend(alike(subject, columns));
        notes.extend(exact(subject));
    }
    notes.extend(awaited(subject, columns));
    if columns.iter().any(|c| c.cells.iter().any(|cell| cell.cut)) {
        notes.push(CUT.to_owned());
    }
    notes.extend(hidden);
    notes
}

/// The meaning of a mean without an interval, where a column has one.
fn alike(subject: &Subject<'_>, columns: &[&Column]) -> Option<String> {
    let is_shown = |of: &&MetricColumn| columns.iter().any(|column| column.head[0] == of.head);
    let shown = columns_of(subject);
    let random: Vec<ControllerRuns<'_>> = groups(subject.runs)
        .into_iter()
        .filter(|group| group.runs.iter().any(|run| !run.exact))
        .collect();
    let seeds = shown.iter().filter(is_shown).flat_map(|of| {
        // The harm of the competing flows' own kind is zero by its definition.
        let is_alike = |group: &&ControllerRuns<'_>| {
            group.estimate(of.metric).is_some_and(|e| {
                e.half_width.is_none() && !(of.metric == Metric::Harm && e.mean == 0.0)
            })
        };
        let seen = |group: &ControllerRuns<'_>| {
            group.runs.iter().filter(|run| of.metric.of(run).is_some()).count()
        };
        random.iter().filter(is_alike).map(seen).collect::<Vec<usize>>()
    });
    let fewest = seeds.filter(|&n| n > 1).min()?;
    // Of two runs it is 95 % but for the last bits.
    let others = (100.0 * unseen_share(CONFIDENCE, fewest) - 1e-9).ceil();
    Some(format!("No ±: alike under all seeds; up to {others} % of further runs may differ."))
}

/// The rows of a table of means for which nothing is random, where others are: they have no interval either.
fn exact(subject: &Subject<'_>) -> Option<String> {
    let groups = groups(subject.runs);
    let exact: Vec<&str> = groups
        .iter()
        .filter(|group| group.runs.iter().all(|run| run.exact))
        .map(|group| group.cc)
        .collect();
    let rows = if groups.len() > subject.alternatives || exact.len() > NAMED_ROWS {
        format!("in {} of {} rows", exact.len(), groups.len())
    } else {
        format!("for {}", listed(exact.iter().copied()))
    };
    (!exact.is_empty()).then(|| format!("Nothing is random {rows}: every seed gives the same."))
}

/// Where the time until something happens is a mean of the runs alone in which it did: in how many.
fn awaited(subject: &Subject<'_>, columns: &[&Column]) -> Option<String> {
    let shown = columns_of(subject).into_iter();
    let awaited = shown.filter(|of| of.metric.is_awaited());
    let of = awaited.filter(|of| columns.iter().any(|column| column.head[0] == of.head));
    let mut said = Vec::new();
    for MetricColumn { metric, head, .. } in of {
        let some: Vec<String> = groups(subject.runs)
            .iter()
            .filter_map(|group| {
                let known = group.runs.iter().filter(|run| metric.of(run).is_some()).count();
                let all = group.runs.len();
                (known > 0 && known < all).then(|| format!("{} in {known} of {all}", group.cc))
            })
            .collect();
        if !some.is_empty() {
            let some = listed(some.iter().map(String::as_str));
            said.push(format!("{head}: the mean of the runs in which that came, {some}."));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// The rows that are clearly better than all their alternatives in what is judged, by the judgement
/// itself: no star says what the sentence does not.
fn best(groups: &[ControllerRuns<'_>], subject: &Subject<'_>) -> Vec<(usize, Metric)> {
    let size = subject.alternatives.max(1);
    let mut all = Vec::new();
    if subject.is_part {
        return all;
    }
    for (block, alternatives) in groups.chunks(size).enumerate() {
        let runs: Vec<RunSummary> =
            alternatives.iter().flat_map(|group| &group.runs).map(|run| (*run).clone()).collect();
        let situation = alternatives.first().and_then(|group| subject.situations.get(group.cc));
        let Some(situation) = situation else { continue };
        let contest = Contest::new(&runs, situation, subject.rules);
        for metric in Metric::ALL {
            let place = contest
                .best_in(metric)
                .and_then(|best| alternatives.iter().position(|group| group.cc == best));
            all.extend(place.map(|place| (block * size + place, metric)));
        }
    }
    all
}

fn column(
    shown: &MetricColumn,
    groups: &[ControllerRuns<'_>],
    subject: &Subject<'_>,
    best: &[(usize, Metric)],
) -> Column {
    let scale = scale_of(shown.metric, groups, subject.rate_bps);
    let estimates: Vec<Option<Estimate>> =
        groups.iter().map(|g| g.estimate(shown.metric)).collect();
    let largest = estimates.iter().flatten().map(|e| (e.mean / scale.by).abs()).fold(0.0, f64::max);
    let decimals = if shown.metric == Metric::Jain { 3 } else { decimals_for(largest) };
    let range = Range::of(shown.metric).scaled(scale.by);
    let written = |e: Estimate| {
        let scaled = |x: f64| x / scale.by;
        let e = Estimate { mean: scaled(e.mean), half_width: e.half_width.map(scaled) };
        interval(e, range, |x| format!("{x:.decimals$}"))
    };
    let cell = |(i, e): (usize, &Option<Estimate>)| {
        let (text, cut) = e.map_or_else(|| ("-".to_owned(), false), written);
        Cell { text, best: best.contains(&(i, shown.metric)), cut }
    };
    Column {
        head: [shown.head.to_owned(), scale.unit.to_owned()],
        cells: estimates.iter().enumerate().map(cell).collect(),
        rank: shown.rank,
    }
}

/// The unit in which rates are printed whose largest is this one: that of the link, unless all are so
/// small beside it that two places would say little.
fn rate_scale_of(largest_bps: f64, link_bps: f64) -> UnitScale {
    let scale = rate_scale(link_bps);
    if largest_bps > 0.0 && largest_bps < scale.by / 10.0 { rate_scale(largest_bps) } else { scale }
}

/// The unit in which a quantity of these rows is printed.
pub(crate) fn scale_of(metric: Metric, groups: &[ControllerRuns<'_>], rate_bps: f64) -> UnitScale {
    let scale = |by, unit| UnitScale { by, unit };
    let means = || groups.iter().map(|g| g.mean(metric));
    let largest = || means().fold(0.0, f64::max);
    let least = || means().filter(|mean| *mean > 0.0).fold(f64::MAX, f64::min);
    match metric.unit() {
        Unit::BitsPerS => rate_scale_of(largest(), rate_bps),
        Unit::Share => scale(0.01, "%"),
        Unit::Millis => time_scale_of(least(), largest()),
        Unit::Nanos => scale(1.0, "ns"),
        Unit::Cycles => scale(1.0, "cycles"),
        Unit::Packets => scale(1.0, "packets"),
        Unit::Plain
            if matches!(
                metric,
                Metric::Jain | Metric::LeastShare | Metric::LeastCompetingShare
            ) =>
        {
            scale(1.0, "1 = fair")
        }
        Unit::Plain if metric == Metric::SentPerRtt => scale(1.0, "an RTT"),
        Unit::Plain => scale(1.0, "a run"),
    }
}

#[cfg(test)]
mod tests {
    use westwood_experiment::run::GridReport;
    use westwood_scenario::file::Scenario;

    use super::*;

    /// The runs of cubic and reno over a dumbbell with these settings.
    fn simulated(dumbbell: &str) -> Vec<RunSummary> {
        let text = format!(
            "cc = [\"cubic\", \"reno\"]\ntime = \"4 s\"\nseeds = 3\n[dumbbell]\n\
             rate = \"4 Mbit/s\"\nloss = \"1 %\"\n{dumbbell}"
        );
        let none = |_: &std::path::Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", &text, &[], &none).unwrap();
        let report = GridReport::simulated(&scenario, "1.2.3", 2);
        report.runs.into_iter().filter_map(|run| run.summary).collect()
    }

    /// These as the subject of a table.
    fn subject(runs: &[RunSummary]) -> Subject<'_> {
        Subject {
            runs,
            heading: "controller",
            alternatives: 2,
            seeds: 3,
            rate_bps: 4e6,
            transfers: runs.iter().any(|run| run.unfinished.is_some()),
            several: runs.iter().any(|run| run.under_test > 1),
            rivals: runs.iter().any(|run| run.against_goodput_bps.is_some()),
            reverse: false,
            situations: SortedMap::default(),
            rules: JudgementRules::default(),
            is_part: false,
        }
    }

    #[test]
    fn shares_of_flows_with_a_transfer_each_are_no_column() {
        let heads = |dumbbell: &str| -> Vec<&str> {
            let runs = simulated(&format!("flows = 2\n{dumbbell}"));
            columns_of(&subject(&runs)).iter().map(|of| of.head).collect()
        };
        let shares = |heads: Vec<&str>| ["jain", "least share"].map(|head| heads.contains(&head));
        assert_eq!(shares(heads("")), [true; 2]);
        let heads = heads("size = \"20 kB\"\n");
        assert!(heads.contains(&"transfer"));
        assert_eq!(shares(heads), [false; 2]);
    }

    #[test]
    fn a_harm_that_is_zero_by_its_definition_is_no_mean_that_further_runs_may_change() {
        let runs = simulated("against_cc = \"cubic\"\nagainst_flows = 1\n");
        let subject = subject(&runs);
        let groups = groups(&runs);
        let own = groups[0].estimate(Metric::Harm).unwrap();
        assert_eq!((groups[0].cc, own.mean, own.half_width), ("cubic", 0.0, None));
        let shown = columns_of(&subject);
        let harm = shown.iter().find(|of| of.metric == Metric::Harm).unwrap();
        let harm = column(harm, &groups, &subject, &[]);
        assert_eq!(alike(&subject, &[&harm]), None);
    }

    #[test]
    fn means_that_are_alike_say_what_the_row_of_the_fewest_runs_leaves_open() {
        let mut runs = simulated("");
        for run in &mut runs {
            run.timeouts = 0;
        }
        let said = |runs: &[RunSummary]| {
            let subject = subject(runs);
            let shown = columns_of(&subject);
            let timeouts = shown.iter().find(|of| of.metric == Metric::Timeouts).unwrap();
            let timeouts = column(timeouts, &groups(runs), &subject, &[]);
            alike(&subject, &[&timeouts]).unwrap_or_default()
        };
        assert!(said(&runs).contains("up to 78 % of further runs"), "{}", said(&runs));
        runs.pop();
        assert!(said(&runs).contains("up to 95 % of further runs"), "{}", said(&runs));
    }

    #[test]
    fn the_time_until_something_comes_is_told_of_the_runs_in_which_it_came() {
        let mut runs = simulated("flows = 2\n");
        for run in &mut runs {
            run.conduct.convergence_ms = Some(5.0);
        }
        let said = |runs: &[RunSummary]| {
            let subject = subject(runs);
            let shown = columns_of(&subject);
            let converged = shown.iter().find(|of| of.metric == Metric::Convergence).unwrap();
            let converged = column(converged, &groups(runs), &subject, &[]);
            awaited(&subject, &[&converged])
        };
        assert_eq!(said(&runs), None);
        runs[1].conduct.convergence_ms = None;
        let told = "converged: the mean of the runs in which that came, cubic in 2 of 3.";
        assert_eq!(said(&runs).as_deref(), Some(told));
        // In none of its runs: there is no mean.
        for run in &mut runs[..3] {
            run.conduct.convergence_ms = None;
        }
        assert_eq!(said(&runs), None);
    }

    #[test]
    fn rates_have_the_unit_of_the_link_unless_all_are_small_beside_it() {
        for (largest, link, unit) in [
            (9.4e9, 10e9, "Gbit/s"),
            (0.11e9, 10e9, "Gbit/s"),
            (15.5e6, 10e9, "Mbit/s"),
            (0.4e6, 1e6, "Mbit/s"),
            (40e3, 1e6, "kbit/s"),
            (0.0, 20e6, "Mbit/s"),
        ] {
            assert_eq!(rate_scale_of(largest, link).unit, unit, "{largest} of {link}");
        }
    }
}
