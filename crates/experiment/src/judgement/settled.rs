//! Whether flows have settled: both halves of the measured time carry the same. They differ where flows still
//! grow or shrink, and where a cycle of their windows takes as long as the measured time.

use westwood_cc::Instant;
use westwood_net::{Capacity, LossConfig};
use westwood_scenario::file::Built;
use westwood_scenario::sorting::{SortedMap, sort_by};
use westwood_sim::{FlowSpec, LinkSpec, Traffic, Workload};

use crate::run::GridReport;
use crate::stats::{CONFIDENCE, holm, mean, p_value};

/// Halves that differ by a tenth: 0.525 of the payload in one of them are 1.105 times 0.475.
const APART: f64 = 0.025;

/// Whether the path and its traffic are the same in both halves of the measured time, so that only the flows
/// under test could make these differ: they are greedy, no flow begins or ends in it, no link changes, and no
/// capacity was recorded.
pub(super) fn halves_are_alike(built: &Built) -> bool {
    let network = &built.network;
    let (begin, end) = (Instant::ZERO + network.warmup, Instant::ZERO + network.duration);
    let lasts =
        |flow: &FlowSpec| flow.start <= begin && flow.stop.is_none_or(|stopped| stopped >= end);
    let greedy = |flow: &FlowSpec| matches!(flow.traffic, Traffic::Tcp(_, Workload::Greedy));
    let steady = |link: &LinkSpec| {
        let changes =
            link.config.schedule.iter().any(|change| change.at > begin && change.at < end);
        let given = |loss: &LossConfig| matches!(loss, LossConfig::List(_));
        matches!(link.config.capacity, Capacity::Fixed(_))
            && !changes
            && !link.config.losses.iter().any(given)
    };
    let tested = network.flows.get(built.layout.tested_flows()).unwrap_or_default();
    !tested.is_empty()
        && tested.iter().all(greedy)
        && network.flows.iter().all(lasts)
        && network.links.iter().all(steady)
}

/// The flows under test, by controller, or by point where points differ in more than that, of which one half
/// of the measured time carries at least a tenth more than the other, beyond chance; and the share of the
/// second half, on the mean over the seeds. Those that are farthest from a half first.
pub(super) fn unsettled(report: &GridReport) -> Vec<(String, f64)> {
    let varied = report.is_varied();
    // Of each point: its name, whether another seed gives the same, and the shares under the seeds.
    let mut points: SortedMap<usize, (&str, bool, Vec<f64>)> = SortedMap::default();
    for run in &report.runs {
        let Some(group) = run.groups.iter().find(|group| group.tested) else { continue };
        let (Some(cc), Some(share)) = (&group.cc, group.later_share) else { continue };
        let point = report.points.get(run.point).filter(|_| varied);
        let name = point.map_or(cc.as_str(), |point| &point.name);
        let exact = run.summary.as_ref().is_some_and(|summary| summary.exact);
        points.or_insert_with(run.point, || (name, exact, Vec::new())).2.push(share);
    }
    let points: Vec<_> = points.values().collect();
    let chances = points.iter().map(|(_, exact, shares)| {
        let from_half: Vec<f64> = shares.iter().map(|share| share - 0.5).collect();
        if *exact { 0.0 } else { p_value(&from_half, false).unwrap_or(1.0) }
    });
    let beyond = holm(&chances.collect::<Vec<f64>>(), 1.0 - CONFIDENCE);
    let mut farthest: SortedMap<&str, f64> = SortedMap::default();
    for ((name, _, shares), _) in points.iter().zip(beyond).filter(|(_, beyond)| *beyond) {
        let share = mean(shares).unwrap_or(0.5);
        let so_far = farthest.or_insert_with(name, || share);
        if (share - 0.5).abs() > (*so_far - 0.5).abs() {
            *so_far = share;
        }
    }
    let apart = farthest.into_iter().filter(|(_, share)| (share - 0.5).abs() >= APART);
    let mut all: Vec<(String, f64)> = apart.map(|(name, share)| (name.to_owned(), share)).collect();
    let from_half = |of: &(String, f64)| (of.1 - 0.5).abs();
    sort_by(&mut all, |a, b| from_half(b).total_cmp(&from_half(a)).then_with(|| a.0.cmp(&b.0)));
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::grounds::warnings;
    use super::*;
    use westwood_scenario::file::Scenario;

    /// The note on flows that have not settled, of runs of this scenario; empty without one.
    fn said(text: &str) -> String {
        let read = |_: &Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &read).unwrap();
        let all = warnings(&scenario, &GridReport::simulated(&scenario, "1.2.3", 1));
        all.into_iter().find(|it| it.contains("second half carries")).unwrap_or_default()
    }

    /// A window that a loss has left small grows for longer than the measured time.
    #[test]
    fn flows_whose_second_half_carries_more_are_told_until_the_time_is_long_enough() {
        let of = |time: &str, warmup: &str, more: &str| {
            let timed = format!("cc = \"reno\"\nlike = \"linux\"\ntime = \"{time}\"\n");
            let timed = format!("{timed}warmup = \"{warmup}\"\nseeds = 1\n");
            let path =
                "[dumbbell]\nrate = \"50 Mbit/s\"\nrtt = \"200 ms\"\nbuffer = \"100 packets\"\n";
            said(&format!("{timed}{path}{more}"))
        };
        let note = of("40 s", "10 s", "");
        assert!(
            note.starts_with("The measured time begins too early for these flows, or is too short"),
            "{note}"
        );
        assert!(note.contains("payload: reno 55 %."), "{note}");
        assert_eq!(of("1000 s", "100 s", ""), "");
        // Where the path is another in the second half, the halves tell nothing of the flows.
        let change = "[[change]]\nlink = \"bottleneck\"\nat = \"20 s\"\nrate = \"40 Mbit/s\"\n";
        assert_eq!(of("40 s", "10 s", change), "");
    }

    #[test]
    fn halves_are_alike_where_nothing_but_the_flows_under_test_changes_in_the_measured_time() {
        let of = |link: &str, tested: &str, other: &str| {
            let timed = "cc = \"reno\"\ntime = \"20 s\"\nwarmup = \"4 s\"\nseeds = 1\n";
            let path = "name = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\n\
                        delay = \"10 ms\"\nbuffer = \"30 packets\"\n";
            let flow = |name: &str, more: &str| {
                format!("[[flow]]\nname = \"{name}\"\nover = \"l\"\n{more}")
            };
            let flows = flow("f", tested) + &flow("g", other);
            let text = format!("{timed}[[link]]\n{path}{link}{flows}[measure]\ngroup = \"f\"\n");
            let read = |_: &Path| Err("no files".to_owned());
            let scenario = Scenario::parse("f.toml", &text, &[], &read).unwrap();
            halves_are_alike(&scenario.build(&scenario.points()[0], 1).unwrap())
        };
        let limited = "write_rate = \"2 Mbit/s\"\n";
        for (link, tested, other) in [
            ("", "", ""),
            ("loss = \"1 %\"\n", "", limited),
            ("", "start = \"3.9 s\"\n", "stop = \"20 s\"\n"),
        ] {
            assert!(of(link, tested, other), "{link}{tested}{other}");
        }
        for (link, tested, other) in [
            ("loss = \"list(20,21)\"\n", "", ""),
            ("", limited, ""),
            ("", "start = \"4.1 s\"\n", ""),
            ("", "", "start = \"4.1 s\"\n"),
            ("", "", "stop = \"19.9 s\"\n"),
        ] {
            assert!(!of(link, tested, other), "{link}{tested}{other}");
        }
    }

    /// Under these four seeds the second half has 0.29 to 0.57 of the payload, 0.40 on the mean.
    #[test]
    fn halves_that_chance_parts_are_not_told() {
        let timed =
            "cc = \"reno\"\nlike = \"linux\"\ntime = \"3 s\"\nwarmup = \"1 s\"\nseeds = 4\n";
        let path = "[dumbbell]\nrate = \"10 Mbit/s\"\nrtt = \"50 ms\"\nloss = \"0.5 %\"\n";
        assert_eq!(said(&format!("{timed}{path}")), "");
    }
}
