//! Runs of a scenario's grid.

use std::convert::Infallible;
use std::path::Path;

use westwood_experiment::judgement::{JudgementRules, Situation, summaries};
use westwood_experiment::metric::Metric;
use westwood_experiment::run::{
    CompletedRun, Detail, GridProgress, GridReport, PointNetwork, RunBatch, RunRecord, RunResult,
    RunTask, SteppedRun, baseline_tasks, curves, drawn, is_exact, run, tasks,
};
use westwood_experiment::world::Simulator;
use westwood_scenario::file::Scenario;

const GRID: &str = r#"
    cc = ["reno", "cubic"]
    time = "2 s"
    seeds = 2
    dumbbell = { rate = "2 Mbit/s", rtt = "40 ms", loss = "1 %" }

    [variant.codel]
    "dumbbell.aqm" = "codel"

    [[flow]]
    name = "web"
    from = "left"
    to = "right"
    short_flows = { every = "exponential(200 ms)", size = "exponential(10 kB)" }
"#;

fn scenario(text: &str) -> Scenario {
    let read = |_: &Path| Err("no file is needed".to_owned());
    Scenario::parse("f.toml", text, &[], &read).unwrap_or_else(|e| panic!("{e}"))
}

fn all(scenario: &Scenario, tasks: &[RunTask]) -> Vec<CompletedRun> {
    let watch = GridProgress::new(scenario, tasks.len());
    let mut done = Vec::new();
    let finished = run(RunBatch::simulated(scenario, tasks, 2), &watch, |one| {
        done.push(one);
        Ok::<(), Infallible>(())
    });
    assert_eq!(finished, Ok(true));
    done
}

#[test]
fn fq_codel_and_cake_mark_connections_with_ecn_and_drop_the_packets_of_others() {
    let of = |aqm: &str, ecn: bool| {
        let text = format!(
            "cc = \"cubic-linux\"\ntime = \"5 s\"\n[dumbbell]\nflows = 20\nrate = \"10 Mbit/s\"\n\
             rtt = \"100 ms\"\nbuffer = \"4 MiB\"\naqm = \"{aqm}\"\n[tcp]\necn = {ecn}\n"
        );
        let scenario = scenario(&text);
        let run = all(&scenario, &tasks(&scenario))[0].record().summary.unwrap();
        (run.marked > 0, run.drops.aqm > 0)
    };
    for aqm in ["fq_codel", "cake"] {
        assert_eq!(of(aqm, true), (true, false), "{aqm}");
        assert_eq!(of(aqm, false), (false, true), "{aqm}");
        assert_eq!(of(&format!("{aqm}(ecn=off)"), true), (false, true), "{aqm}");
    }
}

#[test]
fn a_run_that_fails_is_recorded_and_does_not_stop_the_others() {
    let scenario = scenario(GRID);
    let mut wanted = tasks(&scenario);
    wanted.insert(1, RunTask { point: 99, seed: 1 });
    let done = all(&scenario, &wanted);
    assert_eq!(done.len(), 9);
    let failed: Vec<&CompletedRun> = done.iter().filter(|one| one.result.is_err()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].record().error.as_deref(), Some("there is no point 99"));
}

/// A run step by step, in the network of the one before it if there is one.
fn stepped(
    scenario: &Scenario,
    task: RunTask,
    before: Option<PointNetwork>,
) -> (RunResult, PointNetwork) {
    let run = SteppedRun::begin(scenario, task, westwood_sim::Probes::default(), before).unwrap();
    run.finish(scenario).unwrap()
}

#[test]
fn a_run_in_the_network_of_the_run_before_it_has_the_results_of_one_that_is_built() {
    let drawn = GRID.replace(
        "short_flows = {",
        "count = 3\nrtt = \"uniform(50 ms, 90 ms)\"\nstop = \"uniform(1 s, 2 s)\"\nshort_flows = {",
    );
    let recorded = format!("{GRID}\n[record]\nseries = [\"windows\"]\n");
    // Measured to their end and no further, by a second simulation.
    let transfers = GRID
        .replace("time = \"2 s\"", "time = \"9 s\"\nwarmup = \"0 s\"")
        .replace("loss = \"1 %\"", "loss = \"1 %\", size = \"20 kB\"");
    for text in [GRID, &drawn, &recorded, &transfers] {
        let scenario = scenario(&text.replace("seeds = 2", "seeds = 3"));
        let mut before = None;
        for task in tasks(&scenario) {
            let (found, network) = stepped(&scenario, task, before);
            let (built, _) = stepped(&scenario, task, None);
            assert_eq!(found.record, built.record, "{task:?}");
            assert_eq!(found.series, built.series, "{task:?}");
            before = Some(network);
        }
    }
}

#[test]
fn variants_and_controllers_meet_the_same_random_numbers() {
    let scenario = scenario(GRID);
    let names: Vec<String> =
        scenario.points().iter().map(westwood_scenario::file::GridPoint::name).collect();
    assert_eq!(names, ["reno", "cubic", "reno, codel", "cubic, codel"]);
    let starts = |point: usize| {
        let built = scenario.build(&scenario.points()[point], 1).unwrap();
        let begin = |f: &westwood_sim::FlowSpec| (f.name.clone(), f.start, f.start_jitter);
        built.network.flows.iter().map(begin).collect::<Vec<_>>()
    };
    assert!((1..4).all(|point| starts(point) == starts(0)));
}

#[test]
fn every_group_and_every_link_has_its_results() {
    let scenario = scenario(GRID);
    let report = GridReport::simulated(&scenario, "1", 2);
    let order: Vec<(usize, u64)> = report.runs.iter().map(|r| (r.point, r.seed)).collect();
    assert_eq!(order[..3], [(0, 1), (0, 2), (1, 1)], "in the order of the grid");
    for run in &report.runs {
        let groups: Vec<&str> = run.groups.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(groups, ["flow", "web"]);
        let links: Vec<&str> = run.links.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(links, ["bottleneck", "bottleneck return"]);
        let web = run.groups[1].transfers.expect("they are transfers");
        assert!(web.finished > 0 && web.fct_p50_ms <= web.fct_max_ms);
        let summary = run.summary.as_ref().expect("it did not fail");
        assert_eq!(summary.goodput_bps.to_bits(), run.groups[0].goodput_bps.to_bits());
        assert!(run.links[0].utilization > 0.0);
    }
}

#[test]
fn the_part_that_is_carried_is_one_of_the_capacity_while_it_is_measured() {
    let said = |change: &str| {
        let scenario = scenario(&format!(
            "cc = \"reno\"\ntime = \"10 s\"\nwarmup = \"4 s\"\nseeds = 1\n\
             dumbbell = {{ rate = \"8 Mbit/s\", rtt = \"40 ms\" }}\n{change}"
        ));
        let report = GridReport::simulated(&scenario, "1", 2);
        let capacity = report.runs[0].links[0].mean_capacity_bps;
        (capacity, summaries(&report, JudgementRules::default())[0].summary.sentence.clone())
    };
    let (capacity, sentence) = said("");
    assert_eq!(capacity, None, "a rate that never changes says it");
    assert!(sentence.contains(" of 8 Mbit/s; the link"), "{sentence}");
    // Of the six seconds that are measured four have 2 Mbit/s and two have 8.
    let change = "[[change]]\nlink = \"bottleneck\"\nat = \"0 s\"\nrate = \"2 Mbit/s\"\n\
                  [[change]]\nlink = \"bottleneck\"\nat = \"8 s\"\nrate = \"8 Mbit/s\"\n";
    let (capacity, sentence) = said(change);
    assert_eq!(capacity, Some(4e6));
    assert!(sentence.contains(" of 4 Mbit/s mean capacity; the link"), "{sentence}");
}

#[test]
fn the_part_that_a_recorded_link_carries_is_not_one_of_its_whole_recording() {
    // A second with ten opportunities of 1500 bytes, and one with a single opportunity, by turns.
    let trace = |_: &Path| {
        let times = (1..=10).map(|n| n * 100).chain([2_000]);
        Ok(times.map(|ms| ms.to_string()).collect::<Vec<String>>().join("\n"))
    };
    let text = "cc = \"reno\"\ntime = \"3 s\"\nwarmup = \"2 s\"\nseeds = 1\n\
                dumbbell = { trace = \"f.trace\", rtt = \"40 ms\" }\n";
    let scenario = Scenario::parse("f.toml", text, &[], &trace).unwrap_or_else(|e| panic!("{e}"));
    let report = GridReport::simulated(&scenario, "1", 2);
    let link = &report.runs[0].links[0];
    assert_eq!(link.mean_capacity_bps, Some(120e3));
    assert!((link.rate_bps - 66e3).abs() < 1.0, "{}", link.rate_bps);
}

#[test]
fn a_conclusion_knows_that_a_link_left_out_acks() {
    let left_out = |link: &str| {
        let scenario = scenario(&format!(
            "cc = \"reno\"\ntime = \"2 s\"\nseeds = 1\n[dumbbell]\nrate = \"8 Mbit/s\"\n{link}"
        ));
        let report = GridReport::simulated(&scenario, "1", 1);
        Situation::of(&report.runs.iter().collect::<Vec<_>>()).acks_left_out
    };
    assert!(left_out("ack_filter = \"decimate(n=4)\"\n"));
    assert!(!left_out(""));
}

#[test]
fn a_part_of_a_grid_has_the_numbers_of_the_whole_and_names_its_points_alone() {
    let scenario = scenario(
        r#"
        cc = ["reno", "cubic"]
        seeds = 1
        time = "5 s"
        dumbbell = { loss = "1 %", against_cc = "bbr" }
        [sweep]
        "dumbbell.rate" = ["2 Mbit/s", "4 Mbit/s", "8 Mbit/s"]
        "#,
    );
    let tasks = [tasks(&scenario), baseline_tasks(&scenario)].concat();
    let records = |of: &dyn Fn(usize) -> bool| -> Vec<_> {
        let runs = all(&scenario, &tasks).iter().map(CompletedRun::record).collect::<Vec<_>>();
        runs.into_iter().filter(|run| of(run.point)).collect()
    };
    let whole = GridReport::new(&scenario, "1", &[&Simulator], records(&|_| true));
    let middle =
        |point: usize| scenario.point(point).is_some_and(|point| point.setting() == (1, 0));
    let (part, numbers) = GridReport::of_part(&scenario, "1", &Simulator, records(&middle));
    assert_eq!(numbers, [2, 3, 7, 10]);
    assert_eq!(part.points, whole.points[2..4]);
    let summaries = |runs: &[RunRecord]| -> Vec<_> {
        runs.iter().map(|run| run.summary.clone().expect("it did not fail")).collect()
    };
    assert_eq!(summaries(&part.runs), summaries(&whole.runs[2..4]));
    let told = |run: &westwood_experiment::results::RunSummary| {
        run.harm.is_some() && run.conduct.solo_harm.is_some()
    };
    assert!(summaries(&part.runs).iter().all(told));
}

#[test]
fn completion_times_are_those_of_all_short_flows_and_not_of_the_first() {
    // Alone a transfer takes three round trips; from the fifth second on it shares the link with
    // datagrams that leave a fifth of it.
    let scenario = scenario(
        r#"
        cc = "reno"
        seeds = 1
        time = "20 s"
        measure = { group = "web" }
        link = [{ name = "l", from = "a", to = "b", rate = "1 Mbit/s", delay = "20 ms" }]

        [[flow]]
        name = "web"
        from = "a"
        to = "b"
        short_flows = { every = "1 s", size = "15 kB" }

        [[flow]]
        name = "datagrams"
        from = "a"
        to = "b"
        start = "5 s"
        udp = { rate = "800 kbit/s" }
        "#,
    );
    let record = all(&scenario, &tasks(&scenario))[0].record();
    let group = &record.groups[0];
    let (first, times) = (group.flows[0].fct_ms.unwrap(), group.transfers.unwrap());
    assert!(times.finished > 10);
    let summary = record.summary.as_ref().unwrap();
    let (mean, max) = (Metric::FctMean.of(summary), Metric::FctMax.of(summary));
    assert_eq!((mean, max), (times.fct_mean_ms, times.fct_max_ms));
    assert!(mean.unwrap() > 1.5 * first && max > mean, "{first} {mean:?} {max:?}");
    let text = serde_json::to_string(&record).unwrap();
    let read: westwood_experiment::run::RunRecord = serde_json::from_str(&text).unwrap();
    assert_eq!(Metric::FctMax.of(&read.restored().summary.unwrap()), max);
}

#[test]
fn the_periods_of_one_flow_share_nothing_with_each_other() {
    let of = |count: u64, active: &str| {
        let text = format!(
            "cc = \"reno\"\ntime = \"5 s\"\nwarmup = \"0 s\"\nseeds = 1\n[[link]]\nname = \"l\"\n\
             from = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n[[flow]]\n\
             name = \"x\"\nover = \"l\"\ncount = {count}\nactive = [{active}]\n"
        );
        let scenario = scenario(&text);
        let record = all(&scenario, &tasks(&scenario))[0].record();
        let summary = record.summary.unwrap();
        assert_eq!(record.groups[0].jain.to_bits(), summary.jain.to_bits());
        (record.groups[0].flows.len(), summary.jain, summary.conduct.least_share)
    };
    let periods = "\"0 s to 4 s\", \"4.1 s to 4.2 s\"";
    assert_eq!(of(1, periods), (2, 1.0, None));
    let (flows, jain, least) = of(2, periods);
    assert_eq!(flows, 4);
    // As much as two flows over four seconds part from each other, and not from their own last tenth.
    assert!(jain > 0.8 && least > Some(0.5), "{jain} {least:?}");
}

#[test]
fn a_file_that_names_no_random_thing_gives_the_same_for_every_seed() {
    let scenario = scenario("cc = \"reno\"\nseeds = 2\ntime = \"3 s\"\ndumbbell = {}");
    let done = all(&scenario, &tasks(&scenario));
    let bits = |one: &CompletedRun| one.record().summary.map(|run| run.goodput_bps.to_bits());
    assert_eq!(bits(&done[0]), bits(&done[1]));
}

#[test]
fn a_run_that_is_drawn_is_the_run_that_is_reported() {
    let scenario = scenario(GRID);
    let chosen = drawn(&scenario, Detail::Curves);
    let of: Vec<RunTask> = chosen.iter().map(|one| one.task).collect();
    let runs = all(&scenario, &of).into_iter().zip(&chosen);
    let runs: Vec<(RunRecord, Detail)> =
        runs.map(|(run, one)| (run.record(), one.detail)).collect();
    let watch = GridProgress::new(&scenario, runs.len());
    let found = curves(&scenario, &runs, 2, &watch).unwrap().expect("nobody cancelled");
    let order: Vec<RunTask> = found.iter().map(|one| one.task).collect();
    assert_eq!(order, tasks(&scenario), "variants and controllers, both seeds of each");
    for one in &found {
        assert!(!one.series.windows.is_empty() && !one.series.delivered.is_empty());
        assert!(one.context.rtt_ms > 0.0 && one.context.rate_bps > 0.0);
    }
    let mut other = runs;
    other[1].0.groups[0].fast_recoveries += 1;
    let refused = curves(&scenario, &other, 2, &watch).unwrap_err();
    assert!(refused.contains("differs from the run itself"), "{refused}");
}

#[test]
fn recording_every_seed_changes_no_run_and_follows_the_first_seed_most_closely() {
    let scenario =
        scenario(&GRID.replace("\"2 Mbit/s\"", "\"40 Mbit/s\"").replace("1 %", "0.01 %"));
    let all_tasks = tasks(&scenario);
    let mut plain: Vec<RunRecord> =
        all(&scenario, &all_tasks).iter().map(CompletedRun::record).collect();
    plain.sort_by_key(|run| (run.point, run.seed));
    let chosen = drawn(&scenario, Detail::Curves);
    let runs = RunBatch { drawn: &chosen, ..RunBatch::simulated(&scenario, &all_tasks, 2) };
    let (mut records, mut curves) = (Vec::new(), Vec::new());
    let take = |mut done: CompletedRun| {
        curves.extend(done.curves.take());
        records.push(done.record());
        Ok::<(), ()>(())
    };
    assert_eq!(run(runs, &GridProgress::new(&scenario, all_tasks.len()), take), Ok(true));
    records.sort_by_key(|run| (run.point, run.seed));
    for (drawn, plain) in records.iter().zip(&plain) {
        let (a, b) = (format!("{drawn:#?}"), format!("{plain:#?}"));
        let differ = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        assert!(drawn == plain, "{}, {}: {differ:?}", plain.point, plain.seed);
    }
    curves.sort_by_key(|one| one.task);
    assert_eq!(curves.len(), 8);
    for pair in curves.chunks(2) {
        let [first, second] = pair else { panic!("two seeds") };
        // Every round-trip time of both, but not every change of the queue.
        let changes = |of: &westwood_experiment::run::Curves| of.series.queue.len();
        assert!(2 * changes(second) < changes(first), "{} {}", changes(first), changes(second));
        assert!(changes(second) <= 2_001, "{}", changes(second));
        assert!(!second.series.rtts.is_empty() && !second.series.windows.is_empty());
    }
}

#[test]
fn up_to_five_seeds_are_drawn_and_fewer_where_runs_are_many() {
    let seeds_of = |cc: &str, sweep: &str, detail: Detail| {
        let text = format!("cc = [{cc}]\nseeds = 9\ntime = \"2 s\"\ndumbbell = {{}}\n{sweep}");
        let chosen = drawn(&scenario(&text), detail);
        let seeds: std::collections::BTreeSet<u64> =
            chosen.iter().map(|one| one.task.seed).collect();
        assert_eq!(seeds.first(), Some(&1));
        seeds.len()
    };
    let three = "[sweep]\n\"dumbbell.rtt\" = [\"10 ms\", \"20 ms\", \"30 ms\"]\n";
    let four = "\"reno\", \"cubic\", \"bbr\", \"vegas\"";
    assert_eq!(seeds_of("\"reno\"", "", Detail::Curves), 5);
    assert_eq!(seeds_of(four, three, Detail::Curves), 3);
    assert_eq!(seeds_of(four, three, Detail::Windows), 1, "a terminal shows one");
}

#[test]
fn settings_between_the_first_the_middle_and_the_last_are_drawn_thinned_as_many_as_have_72_runs() {
    let of = |settings: usize, cc: &str, detail: Detail| {
        let rtts: Vec<String> = (1..=settings).map(|i| format!("\"{i}0 ms\"")).collect();
        let sweep = format!("[sweep]\n\"dumbbell.rtt\" = [{}]\n", rtts.join(", "));
        let text = format!("cc = [{cc}]\nseeds = 2\ntime = \"2 s\"\ndumbbell = {{}}\n{sweep}");
        let chosen = drawn(&scenario(&text), detail);
        let of = |detail: Detail| {
            let runs = chosen.iter().filter(move |one| one.detail == detail);
            runs.map(|one| (one.task.point, one.task.seed)).collect::<Vec<_>>()
        };
        (of(detail), of(Detail::Thinned))
    };
    // Five settings of one controller: three with both seeds, two with the first.
    let (close, thinned) = of(5, "\"reno\"", Detail::Curves);
    assert_eq!(close, [(0, 1), (2, 1), (4, 1)]);
    assert_eq!(thinned, [(0, 2), (2, 2), (4, 2), (1, 1), (3, 1)]);
    // Of 97 others eighteen have 72 runs.
    let (close, thinned) = of(100, "\"reno\", \"bbr\", \"cubic\", \"vegas\"", Detail::Curves);
    assert_eq!(close.len(), 3 * 4);
    let others: Vec<usize> = thinned.iter().filter(|run| run.1 == 1).map(|run| run.0).collect();
    assert_eq!(others.len(), 72);
    let gaps: Vec<usize> = others.chunks(4).map(|four| four[0] / 4).collect();
    let gaps: Vec<usize> = gaps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (5..=7).contains(gap)), "{gaps:?}");
    let (close, thinned) = of(5, "\"reno\"", Detail::Windows);
    assert_eq!((close.len(), thinned.len()), (3, 0), "a terminal shows three");
}

#[test]
fn delays_are_those_of_the_measured_link_and_of_the_flows_under_test() {
    let scenario = scenario(
        "cc = \"reno\"\ntime = \"20 s\"\n\
         dumbbell = { rate = \"10 Mbit/s\", rtt = \"40 ms\", buffer = \"50 packets\" }",
    );
    let record = all(&scenario, &tasks(&scenario))[0].record();
    let run = record.summary.expect("a result");
    let (queue, way) = (run.queue_delay_ms.expect("packets"), run.one_way_delay_ms.expect("data"));
    // A full buffer of 50 packets and the one that is being sent take 1.2 ms each.
    assert!(queue.p95 > 30.0 && queue.p99 <= 51.0 * 1.2, "{queue:?}");
    // Half the round-trip time and the wait at the bottleneck; nothing else is more than a few packets.
    let beside = way.mean - queue.mean;
    assert!((20.0..25.0).contains(&beside), "{beside}");
    let links: Vec<_> = record.links.iter().map(|link| link.queue_delay_ms).collect();
    assert_eq!(links, [Some(queue), None]);
}

#[test]
fn runs_are_handed_on_in_their_order_however_long_each_takes() {
    // The first point takes a hundred times as long as the others.
    let scenario = scenario(
        r#"
        cc = "reno"
        seeds = 1
        time = "20 s"
        dumbbell = { rtt = "40 ms" }
        [sweep]
        "dumbbell.rate" = ["100 Mbit/s", "1 Mbit/s", "2 Mbit/s", "3 Mbit/s"]
        "#,
    );
    let tasks = tasks(&scenario);
    let watch = GridProgress::new(&scenario, tasks.len());
    let mut order = Vec::new();
    let finished = run(RunBatch::simulated(&scenario, &tasks, 4), &watch, |one| {
        order.push(one.task);
        Ok::<(), Infallible>(())
    });
    assert_eq!(finished, Ok(true));
    assert_eq!(order, tasks);
}

#[test]
fn what_a_flow_delivers_through_a_proxy_is_counted_at_the_end_and_all_else_of_each_connection() {
    let text = r#"
        cc = "reno"
        time = "20 s"
        seeds = 1
        link = [
            { name = "far", from = "a", to = "p", rate = "10 Mbit/s", delay = "100 ms", buffer = "2 MB" },
            { name = "near", from = "p", to = "b", rate = "4 Mbit/s", delay = "5 ms", loss = "1 %" },
        ]
        flow = [
            { name = "bulk", from = "a", to = "b", proxy = { at = "p", cc = "cubic", buffer = "900 kB" } },
            { name = "file", from = "a", to = "b", size = "100 kB", proxy = { at = "p", buffer = "1 MB" } },
        ]
    "#;
    let scenario = scenario(text);
    let done = all(&scenario, &tasks(&scenario));
    let run = done[0].record();
    let group = |name: &str| run.groups.iter().find(|group| group.name == name).expect(name);
    let (bulk, beyond) = (group("bulk"), group("bulk.p"));
    assert_eq!(run.groups.len(), 4);
    assert_eq!((bulk.tested, beyond.tested), (true, false));
    assert_eq!((bulk.cc.as_deref(), beyond.cc.as_deref()), (Some("reno"), Some("cubic")));
    assert!(bulk.goodput_bps > 1e6);
    assert!((bulk.goodput_bps - beyond.goodput_bps).abs() < 1e-6);
    // Losses are those of the hop near the receiver: the far one has room for both proxies' memories.
    assert!(bulk.retransmission_ratio <= 0.0);
    assert!(beyond.retransmission_ratio > 0.005);
    let rtt = |name| group(name).rtt_ms.as_ref().expect("samples").mean;
    assert!(rtt("bulk") > 200.0 && rtt("bulk.p") > 10.0 && rtt("bulk.p") < 500.0);
    assert!(bulk.proxy_held_max_bytes.expect("a proxy") <= 900_000);
    assert_eq!(beyond.proxy_held_max_bytes, None);
    assert_eq!(group("file").transfers, group("file.p").transfers);
    assert_eq!(group("file").transfers.expect("it ends").finished, 1);
    assert_eq!(beyond.flows[0].name, "bulk 1.p");
}

#[test]
fn a_proxy_helps_where_it_parts_a_lossy_hop_from_a_long_one_as_the_page_on_paths_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/paths.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let printed = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next());
    let printed = printed.expect("a scenario").replace("seeds = 8", "seeds = 3");
    let lossy = "loss = \"1 %\"\n";
    let satellite = "delay = \"280 ms\"\n";
    assert!(printed.contains(lossy) && printed.contains(satellite));
    // Mbit/s without a proxy, with one at the gateway, with one at the terminal.
    let goodputs = |text: &str| {
        let scenario = scenario(text);
        let mut goodputs = [0.0; 3];
        for one in all(&scenario, &tasks(&scenario)) {
            let run = one.record();
            goodputs[run.point] += run.summary.as_ref().expect("it ran").goodput_bps / 3e6;
        }
        goodputs
    };
    let [without, gateway, terminal] = goodputs(&printed);
    assert!(terminal > 10.0 * without, "{without}, {terminal}");
    assert!((0.7..1.4).contains(&(gateway / without)), "{without}, {gateway}");
    let clean = printed.replace(lossy, "");
    let on_satellite = clean.replace(satellite, "delay = \"280 ms\"\nloss = \"0.1 %\"\n");
    for text in [clean, on_satellite] {
        let [without, gateway, terminal] = goodputs(&text);
        for other in [gateway, terminal] {
            assert!((0.7..1.4).contains(&(other / without)), "{without}, {other}");
        }
    }
}

#[test]
fn a_path_without_chance_gives_every_seed_the_same_unless_a_controller_draws_lots() {
    let of = |cc: &str| {
        let text = format!(
            "cc = \"{cc}\"\ntime = \"2 s\"\nlike = \"linux\"\ndumbbell = {{ rate = \"2 Mbit/s\" }}\n"
        );
        let scenario = scenario(&text);
        is_exact(&scenario, &scenario.points()[0])
    };
    assert!(of("reno") && of("cubic-linux"));
    assert!(!of("cdg") && !of("bbr3"));
}

/// A path is exact if two seeds give the same, and only then: for each part of a link that could draw.
#[test]
fn what_is_called_exact_is_the_same_under_every_seed() {
    let change = |what: &str| format!("[[change]]\nat = \"1 s\"\nlink = \"core\"\n{what}\n");
    let parts = [
        ("", String::new()),
        ("loss = \"1 %\"", String::new()),
        ("loss = \"0 %\"", String::new()),
        ("loss = \"outage(every=2s,for=100ms)\"", String::new()),
        ("loss = \"list(7,50,60)\"", String::new()),
        ("loss = \"1 %\", arq = \"in-order\"", String::new()),
        ("loss = \"1 %\", fec = \"in-order(k=20,n=24)\"", String::new()),
        ("jitter = \"uniform(5 ms)\"", String::new()),
        ("jitter = \"bunches(10 ms)\"", String::new()),
        ("reorder = \"5 % by 3\"", String::new()),
        ("bursts = \"a-mpdu\"", String::new()),
        ("ack_filter = \"decimate(n=4)\"", String::new()),
        ("policer = \"1.5Mbit/s burst 30KiB\"", String::new()),
        ("aqm = \"codel\"", String::new()),
        ("aqm = \"pie\"", String::new()),
        ("", change("loss = \"3 %\"")),
        ("", change("loss = \"0 %\"")),
        ("", change("rate = \"1 Mbit/s\"")),
        ("", change("outage = \"200 ms\"")),
    ];
    for (link, after) in parts {
        let text = format!(
            "cc = [\"reno\"]\ntime = \"10 s\"\nseeds = 3\nlike = \"linux\"\n\
             [[link]]\nname = \"core\"\nfrom = \"a\"\nto = \"b\"\nrate = \"2 Mbit/s\"\n\
             delay = \"20 ms\"\nbuffer = \"20 packets\"\n{}\n\
             [[flow]]\nname = \"bulk\"\nfrom = \"a\"\nto = \"b\"\n{after}",
            link.replace(", ", "\n")
        );
        let scenario = scenario(&text);
        let said = is_exact(&scenario, &scenario.points()[0]);
        let results: Vec<_> = all(&scenario, &tasks(&scenario))
            .iter()
            .map(|one| one.record().summary.map(|run| (run.goodput_bps, run.rtt_ms, run.drops)))
            .collect();
        let alike = results.windows(2).all(|two| two[0] == two[1]);
        assert_eq!(said, alike, "{link} {after} {results:?}");
    }
}

/// A train of ACKs that a pace has stretched says nothing of the path (`hystart_update`, `sk_pacing_status`).
#[test]
fn hystart_knows_that_its_connection_is_paced() {
    let text = "cc = [\"cubic-linux(pacing=fq)\", \"cubic-linux(pacing=fq,paced=on)\"]\ntime = \"5 s\"\n\
                seeds = 1\nlike = \"linux\"\ndumbbell = { rate = \"100 Mbit/s\", rtt = \"50 ms\" }\n";
    let scenario = scenario(text);
    let goodputs: Vec<f64> = all(&scenario, &tasks(&scenario))
        .iter()
        .map(|one| one.record().summary.expect("it runs").goodput_bps)
        .collect();
    assert!((goodputs[0] - goodputs[1]).abs() < 1.0, "{goodputs:?}");
    // A train of half a round-trip time would end slow start early, at 84 Mbit/s over these five seconds.
    assert!(goodputs[0] > 90e6, "{goodputs:?}");
}
