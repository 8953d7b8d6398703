//! Conclusions follow from the runs alone.

use proptest::prelude::*;
use westwood_experiment::judgement::{
    Contest, Criterion, Fault, JudgementRules, JudgementSummary, Practical, Preference,
    SavedResult, Situation, SweepPlace, count_sentence, diff, sentence, sweep_sentence,
};
use westwood_experiment::metric::Metric;
use westwood_experiment::results::{
    Conduct, DelayMs, Drops, FlowResult, QueuePackets, RunSummary, TransferTimes,
};
use westwood_experiment::run::{PointRecord, RunRecord};
use westwood_experiment::{Condition, ConditionResult};

fn run(cc: &str, seed: u64, goodput_bps: f64, wait_ms: f64, resent: f64, jain: f64) -> RunSummary {
    RunSummary {
        cc: cc.to_owned(),
        recovery: "linux".to_owned(),
        seed,
        goodput_bps,
        throughput_bps: goodput_bps,
        utilization: goodput_bps / 10e6,
        retransmission_ratio: resent,
        fast_recoveries: 0,
        timeouts: 0,
        jain,
        rtt_ms: None,
        queue_delay_ms: Some(DelayMs { mean: wait_ms, p50: wait_ms, p95: wait_ms, p99: wait_ms }),
        one_way_delay_ms: None,
        queue_packets: QueuePackets { mean: 0.0, p95: 0, max: 0 },
        drops: Drops { overflow: 0, aqm: 0, policer: 0, random: 0 },
        drops_elsewhere: Drops::default(),
        marked: 0,
        flows: Vec::new(),
        under_test: 2,
        many_transfers: None,
        against_goodput_bps: None,
        harm: None,
        conduct: Conduct::default(),
        reverse_goodput_bps: None,
        data_packets: 0,
        events: 0,
        sim_s: 30.0,
        ack_cost_ns: None,
        ack_cost_cycles: None,
        wall_s: 0.0,
        lateness_us: None,
        unfinished: None,
        exact: false,
    }
}

/// The same, as another seed of a random network would give it: values that are exactly alike under
/// every seed are not beyond chance.
fn varied(run: RunSummary) -> RunSummary {
    let by = 1.0 + [0.3, -0.4, 0.1, 0.2, -0.2][usize::try_from(run.seed % 5).unwrap()] / 1e3;
    let wait = run.queue_delay_ms.unwrap().p95 * by;
    RunSummary {
        goodput_bps: run.goodput_bps * by,
        retransmission_ratio: run.retransmission_ratio * by,
        jain: run.jain * by,
        queue_delay_ms: Some(DelayMs { mean: wait, p50: wait, p95: wait, p99: wait }),
        ..run
    }
}

fn situation() -> Situation {
    Situation { several: true, rate_bps: 10e6, base_rtt_ms: 100.0, ..Situation::default() }
}

/// Four runs each of: fast with a long queue, slow with a short one, and worse than both.
fn three() -> Vec<RunSummary> {
    let of = |cc: &'static str, goodput: f64, wait: f64, resent: f64| {
        (1..=4).map(move |seed| varied(run(cc, seed, goodput, wait, resent, 0.99)))
    };
    of("fast", 9e6, 80.0, 0.02)
        .chain(of("quick", 7e6, 5.0, 0.0))
        .chain(of("poor", 5e6, 90.0, 0.05))
        .collect()
}

fn says(runs: &[RunSummary], rules: JudgementRules) -> (String, JudgementSummary) {
    let situation = situation();
    let contest = Contest::new(runs, &situation, rules);
    (sentence(&contest), JudgementSummary::of(&contest))
}

#[test]
fn the_front_is_whom_nobody_dominates_and_the_lead_has_its_price() {
    let (text, summary) = says(&three(), JudgementRules::default());
    assert_eq!(summary.front, ["fast", "quick"]);
    assert_eq!(summary.leader.as_deref(), Some("fast"));
    assert!(text.starts_with("fast carries 9 of 10 Mbit/s, the most"), "{text}");
    assert!(text.contains("80 ms") && text.contains("5.0 ms with quick"), "{text}");
    assert!(text.contains("resends 2.0 %, against 0.00 % with quick"), "{text}");
    assert!(!text.contains("poor is"), "{text}");
}

#[test]
fn the_rest_is_beaten_only_if_one_of_the_front_beats_each_of_it() {
    let of = |cc: &'static str, goodput: f64, wait: f64, resent: f64| {
        (1..=4).map(move |seed| varied(run(cc, seed, goodput, wait, resent, 0.99)))
    };
    let said = |resent: f64| {
        let runs = of("fast", 9e6, 200.0, 0.05)
            .chain(of("calm", 5e6, 10.0, 0.0100))
            .chain(of("mid", 5e6, 30.0, 0.0092))
            .chain(of("long", 5e6, 60.0, resent));
        let (text, summary) = says(&runs.collect::<Vec<_>>(), JudgementRules::default());
        assert_eq!(summary.front, ["calm", "fast"], "{text}");
        text
    };
    let beaten = "On the front as well: calm (5 Mbit/s). Each of the rest is clearly worse than one of these \
                  in something, and better in nothing.";
    assert!(said(0.0092).contains(beaten), "{}", said(0.0092));
    // mid beats long, and calm beats mid; but calm resends clearly more than long.
    assert!(!said(0.0084).contains("Each of the rest"), "{}", said(0.0084));
}

#[test]
fn a_preference_is_heeded_and_said() {
    let rules = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let (text, summary) = says(&three(), rules);
    assert_eq!(summary.leader.as_deref(), Some("quick"));
    let why =
        "keeps packets waiting 5.0 ms (95th percentile of the queueing delay) and carries 7 of";
    assert!(text.starts_with(&format!("Preferring a short queue: quick {why}")), "{text}");
    assert!(!text.contains("the most"), "{text}");
}

#[test]
fn an_unfair_leader_is_not_without_its_unfairness() {
    let of = |cc: &'static str, goodput: f64, jain: f64| {
        (1..=4).map(move |seed| varied(run(cc, seed, goodput, 10.0, 0.3, jain)))
    };
    let runs: Vec<RunSummary> = of("greedy", 9e6, 0.5).chain(of("even", 8e6, 0.99)).collect();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.front, ["even", "greedy"]);
    assert!(text.contains("Jain index of 0.50, against 0.99 with even"), "{text}");
}

#[test]
fn what_is_certain_and_small_does_not_count() {
    let of = |cc: &'static str, goodput: f64| {
        (1..=4).map(move |seed| varied(run(cc, seed, goodput, 10.0, 0.0, 1.0)))
    };
    let runs: Vec<RunSummary> = of("a", 9.00e6).chain(of("b", 9.05e6)).collect();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.front, ["a", "b"]);
    assert!(text.contains("cannot be told apart"), "{text}");
    let strict = JudgementRules { practical: Practical(0.0), ..JudgementRules::default() };
    assert_eq!(says(&runs, strict).1.front, ["b"]);
}

#[test]
fn nobody_is_most_whose_mean_is_lower_than_anothers() {
    // b has the better mean of goodput, by chance; a has the shorter queue.
    let goodput = [[9.0e6, 9.4e6, 8.9e6, 9.3e6], [9.3e6, 9.1e6, 9.4e6, 9.0e6]];
    let runs: Vec<RunSummary> = ["a", "b"]
        .iter()
        .zip(goodput)
        .zip([5.0, 50.0])
        .flat_map(|((cc, goodput), wait)| {
            (1..).zip(goodput).map(move |(seed, g)| RunSummary {
                goodput_bps: g,
                ..varied(run(cc, seed, g, wait, 0.0, 1.0))
            })
        })
        .collect();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.leader.as_deref(), Some("a"));
    assert!(!text.contains("a carries 9.15 of 10 Mbit/s, the most"), "{text}");
}

#[test]
fn transfers_that_were_cut_off_are_not_judged() {
    let runs = [run("a", 1, 9e6, 1.0, 0.0, 1.0), run("a", 2, 9e6, 1.0, 0.0, 1.0)];
    let mut runs = runs.to_vec();
    runs.extend([run("b", 1, 5e6, 9.0, 0.0, 1.0), run("b", 2, 5e6, 9.0, 0.0, 1.0)]);
    for (i, run) in runs.iter_mut().enumerate() {
        let fct_ms = (i != 3).then_some(100.0);
        let flow = FlowResult { cc: run.cc.clone(), goodput_bps: 1e6, base_rtt_ms: 10.0, fct_ms };
        (run.flows, run.under_test) = (vec![flow], 1);
    }
    let situation = Situation { transfers: true, ..situation() };
    let says =
        |runs: &[RunSummary]| sentence(&Contest::new(runs, &situation, JudgementRules::default()));
    assert!(says(&runs).starts_with("Not every transfer was finished"), "{}", says(&runs));
    let lost = Situation { lost_every_packet: true, ..situation.clone() };
    let text = sentence(&Contest::new(&runs, &lost, JudgementRules::default()));
    assert!(text.starts_with("The measured link lost every packet"), "{text}");
    runs[3].flows[0].fct_ms = Some(100.0);
    assert!(says(&runs).contains("cannot be told apart by completion time"), "{}", says(&runs));
}

#[test]
fn one_seed_says_that_it_says_nothing() {
    let runs = [run("a", 1, 9e6, 1.0, 0.0, 1.0), run("b", 1, 5e6, 1.0, 0.0, 1.0)];
    assert!(
        says(&runs, JudgementRules::default()).0.contains("one seed cannot tell merit from chance")
    );
}

/// Seeds of a contestant with these goodputs in Mbit/s.
fn seeds(cc: &'static str, goodputs: &[f64]) -> Vec<RunSummary> {
    (1..).zip(goodputs).map(|(seed, g)| run(cc, seed, g * 1e6, 10.0, 0.0, 1.0)).collect()
}

#[test]
fn a_conclusion_is_corrected_over_all_criteria_and_not_over_one() {
    // Beyond chance for one pair in one criterion: t of 3 degrees is 3.67, for which p is 0.035.
    let of = |b: [f64; 4]| [seeds("a", &[9.0; 4]), seeds("b", &b)].concat();
    let alone = of([8.9, 8.7, 8.5, 8.7]);
    assert_eq!(says(&alone, JudgementRules::default()).1.front, ["a"]);
    // With noise in four more criteria goodput has one half of the error, 0.025.
    let (comparisons, front) = with_noise_in_four_criteria(alone);
    assert_eq!((comparisons, front), (5, vec!["a".to_owned(), "b".to_owned()]));
    // With t of 5.1 p is 0.014: below that half, though not below one of five equal parts.
    let clear = of([8.78, 8.58, 8.38, 8.58]);
    assert_eq!(with_noise_in_four_criteria(clear), (5, vec!["a".to_owned()]));
}

/// The comparisons and the front of these runs with noise in four criteria more.
fn with_noise_in_four_criteria(mut mixed: Vec<RunSummary>) -> (usize, Vec<String>) {
    for (i, run) in mixed.iter_mut().enumerate() {
        let noise = [0.1, -0.1, 0.07, -0.07, 0.03, 0.02, -0.02, 0.05][i];
        let wait = 10.0 + 30.0 * noise;
        run.queue_delay_ms = Some(DelayMs { mean: wait, p50: wait, p95: wait, p99: wait });
        (run.retransmission_ratio, run.jain) = (0.05 + noise / 4.0, 0.9 + noise / 2.0);
        run.harm = Some(0.2 + noise);
    }
    let (_, summary) = says(&mixed, JudgementRules::default());
    (summary.comparisons, summary.front)
}

#[test]
fn two_seeds_with_the_same_number_of_timeouts_are_not_certain() {
    let of = |timeouts: u64, cc, n| {
        let all = (1..=n).map(|seed| RunSummary { timeouts, ..run(cc, seed, 9e6, 10.0, 0.0, 1.0) });
        all.collect::<Vec<_>>()
    };
    let front =
        |n| says(&[of(1, "a", n), of(0, "b", n)].concat(), JudgementRules::default()).1.front;
    assert_eq!(front(2), ["a", "b"], "a coin falls twice on one side in half of all cases");
    assert_eq!(front(5), ["a", "b"]);
    assert_eq!(front(6), ["b"], "six coins do so in 3 %");
}

#[test]
fn where_nothing_is_random_one_seed_is_the_truth() {
    let exact = |cc, goodput| RunSummary { exact: true, ..run(cc, 1, goodput, 10.0, 0.0, 1.0) };
    let (text, summary) = says(&[exact("a", 9e6), exact("b", 5e6)], JudgementRules::default());
    assert_eq!((summary.front, summary.comparisons), (vec!["a".to_owned()], 0));
    assert!(text.starts_with("a carries 9 of 10 Mbit/s, the most"), "{text}");
}

#[test]
fn one_contestant_with_a_single_run_does_not_silence_the_others() {
    let runs = [seeds("a", &[9.0, 9.1, 9.2, 9.1]), seeds("b", &[5.0, 5.1, 5.2, 5.0])].concat();
    let (text, _) = says(&[runs, seeds("late", &[9.9])].concat(), JudgementRules::default());
    assert!(text.starts_with("a carries 9.1 of 10 Mbit/s, 1.8 times what b carries"), "{text}");
    assert!(text.contains("late has too few runs to be judged."), "{text}");
}

#[test]
fn the_fault_of_a_leader_is_said_first_whoever_is_compared() {
    let of = |cc: &str, goodput: f64, jain: f64, resent: f64| -> Vec<RunSummary> {
        (1..=4).map(|seed| varied(run(cc, seed, goodput, 10.0, resent, jain))).collect()
    };
    let greedy = of("greedy", 9e6, 0.007, 0.31);
    let fault = "Beware: greedy shares unevenly (Jain index 0.01) and resends 31 %";
    let (alone, summary) = says(&greedy, JudgementRules::default());
    assert!(alone.starts_with(&format!("{fault}. greedy carries")), "{alone}");
    assert_eq!(summary.contestants[0].faults, [Fault::Uneven, Fault::Wasteful]);
    let (both, _) =
        says(&[greedy.clone(), of("worse", 5e6, 0.005, 0.32)].concat(), JudgementRules::default());
    assert!(both.starts_with(&format!("{fault}; none is without such a fault.")), "{both}");
    let (free, _) =
        says(&[greedy.clone(), of("even", 8e6, 0.99, 0.0)].concat(), JudgementRules::default());
    // With the values in which the leader has faults: one without a fault may still do harm.
    let even = "; even carries 8 of 10 Mbit/s, shares with a Jain index of 0.99 and resends 0.00 %. greedy \
                carries 9 of";
    assert!(free.starts_with(&format!("{fault}{even}")), "{free}");
    let (one, _) = says(&greedy[..1], JudgementRules::default());
    assert!(one.starts_with("Beware: greedy shares unevenly"), "{one}");
}

#[test]
fn a_value_just_below_the_bound_of_a_fault_is_no_merit() {
    let of = |cc: &str, goodput: f64, resent: [f64; 4]| -> Vec<RunSummary> {
        let run = |(seed, resent)| varied(run(cc, seed, goodput, 10.0, resent, 1.0));
        (1..).zip(resent).map(run).collect()
    };
    // The shares resent differ by chance.
    let above = of("above", 9e6, [0.15, 0.08, 0.14, 0.07]);
    let below = of("below", 5e6, [0.07, 0.14, 0.08, 0.09]);
    let (text, _) = says(&[above, below].concat(), JudgementRules::default());
    assert!(text.starts_with("Beware: above resends 11 %. above carries 9 of 10 Mbit/s"), "{text}");
}

#[test]
fn a_fault_begins_beyond_its_bound() {
    let faults = |resent: f64, jain: f64, harm: f64| {
        let run = RunSummary { harm: Some(harm), ..run("a", 1, 9e6, 10.0, resent, jain) };
        says(&[run], JudgementRules::default()).1.contestants[0].faults.clone()
    };
    assert_eq!(faults(0.099, 0.61, 0.49), []);
    assert_eq!(faults(0.101, 0.61, 0.49), [Fault::Wasteful]);
    assert_eq!(faults(0.099, 0.59, 0.49), [Fault::Uneven]);
    assert_eq!(faults(0.099, 0.61, 0.51), [Fault::Harmful]);
}

#[test]
fn harm_is_a_fault_and_what_random_loss_takes_is_none() {
    let harmful = RunSummary { harm: Some(0.9), ..run("a", 1, 9e6, 1.0, 0.0, 1.0) };
    let (text, _) = says(&[harmful], JudgementRules::default());
    let fault = "Beware: a takes 90 % of what the competing flows would have.";
    assert!(text.starts_with(fault), "{text}");
    let lossy = |random, overflow| RunSummary {
        drops: Drops { overflow, aqm: 0, policer: 0, random },
        ..run("a", 1, 9e6, 1.0, 0.25, 1.0)
    };
    assert!(!says(&[lossy(95, 5)], JudgementRules::default()).0.contains("Beware"));
    assert!(says(&[lossy(5, 95)], JudgementRules::default()).0.contains("Beware: a resends 25 %"));
    // Nor is what another link loses.
    let before = Drops { random: 95, ..Drops::default() };
    let elsewhere = RunSummary { drops_elsewhere: before, ..lossy(0, 5) };
    assert!(!says(&[elsewhere], JudgementRules::default()).0.contains("Beware"));
}

/// Four runs of two transfers each, with these completion times in milliseconds.
fn transfers(cc: &'static str, slowest: [f64; 4]) -> Vec<RunSummary> {
    let flow = |ms: f64| FlowResult {
        cc: cc.to_owned(),
        goodput_bps: 1e6,
        base_rtt_ms: 10.0,
        fct_ms: Some(ms),
    };
    let one = |(seed, slow): (u64, f64)| {
        // The mean of both is 500 ms, whatever the slower one takes.
        let flows = vec![flow(1_000.0 - slow), flow(slow)];
        RunSummary { flows, unfinished: Some(0), ..run(cc, seed, 1e6, 1.0, 0.0, 0.3) }
    };
    (1..).zip(slowest).map(one).collect()
}

#[test]
fn the_slowest_transfer_counts_beside_the_mean_and_the_share_of_goodput_does_not() {
    let steady = transfers("steady", [510.0, 512.0, 511.0, 513.0]);
    let runs = [steady, transfers("tail", [900.0, 905.0, 902.0, 901.0])].concat();
    let situation = Situation { transfers: true, ..situation() };
    let summary = JudgementSummary::of(&Contest::new(&runs, &situation, JudgementRules::default()));
    assert_eq!(summary.criteria[..2], [Criterion::Completion, Criterion::SlowestCompletion]);
    assert!(!summary.criteria.contains(&Criterion::Fairness));
    assert_eq!(summary.front, ["steady"]);
    let slowest = "takes 512 ms for the slowest transfer, 902 ms with tail";
    assert!(summary.sentence.contains(slowest), "{}", summary.sentence);
    assert!(!summary.sentence.contains("Beware"), "{}", summary.sentence);
}

/// A sweep of two values, at which both contestants have these runs.
fn sweep(places: &[(&str, Vec<RunSummary>)]) -> String {
    sweep_by(JudgementRules::default(), places)
}

fn sweep_by(rules: JudgementRules, places: &[(&str, Vec<RunSummary>)]) -> String {
    let situation = situation();
    let places = places.iter().map(|(label, runs)| SweepPlace {
        label: (*label).to_owned(),
        number: label.trim_end_matches(" %").parse().ok(),
        contest: Contest::new(runs, &situation, rules),
    });
    sweep_sentence("loss", &places.collect::<Vec<_>>())
}

/// The sentence about places of several axes.
fn count_by(rules: JudgementRules, places: &[Vec<RunSummary>]) -> String {
    let situation = situation();
    let contests = places.iter().map(|runs| Contest::new(runs, &situation, rules));
    count_sentence(&contests.collect::<Vec<_>>())
}

#[test]
fn values_without_an_order_are_named_one_by_one() {
    let both = |a: f64, b: f64| [seeds("a", &[a; 6]), seeds("b", &[b; 6])].concat();
    let text =
        sweep(&[("codel", both(9.0, 5.0)), ("red", both(7.0, 7.0)), ("pie", both(7.0, 7.0))]);
    assert!(text.starts_with("With loss codel a carries 1.8 times"), "{text}");
    assert!(text.contains("; with red and pie a and b cannot be told apart"), "{text}");
}

#[test]
fn a_place_with_one_seed_is_undecided_and_not_level() {
    let both = |seeds_of: &[f64], b: &[f64]| [seeds("a", seeds_of), seeds("b", b)].concat();
    let text = sweep(&[("0", both(&[9.0; 6], &[5.0; 6])), ("1 %", both(&[2.8], &[0.5]))]);
    assert!(text.contains("; at 1 % one seed cannot tell merit from chance"), "{text}");
}

#[test]
fn what_never_comes_is_later_than_any_bound() {
    let of = |times: &[Option<f64>]| -> Vec<RunSummary> {
        let one = |(seed, time): (u64, &Option<f64>)| RunSummary {
            conduct: Conduct { convergence_ms: *time, ..Conduct::default() },
            ..run("a", seed, 1e6, 1.0, 0.0, 1.0)
        };
        (1..).zip(times).map(one).collect()
    };
    let judged = |text: &str, times: &[Option<f64>]| {
        Condition::parse(text).unwrap().judged(of(times).iter())
    };
    let some = [None, Some(5_000.0), None];
    let never = ConditionResult::Never { never: 2, of: 3 };
    assert_eq!(judged("convergence>10s", &some), never);
    assert_eq!(judged("convergence<10s", &some), ConditionResult::Unmet);
    assert_eq!(judged("convergence>4s", &[Some(5_000.0)]), ConditionResult::Met(5_000.0));
    assert_eq!(
        judged("rtt_p95>1s", &some),
        ConditionResult::Unknown,
        "no run has round-trip times"
    );
}

#[test]
fn results_of_different_experiments_are_told_apart() {
    let longer = |run: RunSummary| RunSummary { sim_s: 60.0, ..run };
    let old = seeds("a", &[9.0, 9.1, 9.2]);
    let new: Vec<RunSummary> = old.iter().cloned().map(longer).collect();
    let settings =
        |new: &[RunSummary]| diff(&saved(&old), &saved(new), Practical::default()).settings;
    assert_eq!(settings(&new), ["simulated time (s) 60, was 30"]);
    assert!(settings(&old).is_empty());
}

#[test]
fn where_nothing_was_carried_nothing_is_concluded() {
    let (text, _) =
        says(&[seeds("a", &[0.0; 3]), seeds("b", &[0.0; 3])].concat(), JudgementRules::default());
    assert!(text.starts_with("No flow under test delivered anything"), "{text}");
}

#[test]
fn where_the_link_loses_every_packet_more_time_is_no_mend() {
    let runs = [seeds("a", &[0.0; 3]), seeds("b", &[0.0; 3])].concat();
    let lost = "The measured link lost every packet, so nothing is concluded. Lower the loss.";
    let situation = Situation { lost_every_packet: true, ..situation() };
    assert_eq!(sentence(&Contest::new(&runs, &situation, JudgementRules::default())), lost);
    let place = |label: &str, situation| SweepPlace {
        label: label.to_owned(),
        number: None,
        contest: Contest::new(&runs, situation, JudgementRules::default()),
    };
    let text =
        sweep_sentence("loss", &[place("1%", &self::situation()), place("100%", &situation)]);
    assert!(
        text.starts_with("Nothing is concluded at 100%, where the measured link lost every"),
        "{text}"
    );
    assert!(text.contains("Nothing is concluded at 1%, where no flow under test"), "{text}");
}

#[test]
fn a_link_that_delivered_in_one_of_the_runs_has_not_lost_every_packet() {
    let link = |delivered: u64| {
        let drops = serde_json::json!({ "overflow": 0, "aqm": 0, "random": 9 });
        serde_json::from_value(serde_json::json!({
            "name": "l", "rate_bps": 1e6, "utilization": 0.5, "delivered_packets": delivered,
            "delivered_bytes": 0, "marked_packets": 0, "drops": drops,
            "queue_packets": { "mean": 0.0, "p95": 0, "max": 0 },
        }))
        .unwrap()
    };
    let of = |delivered: &[u64]| {
        let run = |n: &u64| RunRecord { links: vec![link(*n)], ..record(1, None) };
        let runs: Vec<RunRecord> = delivered.iter().map(run).collect();
        Situation::of(&runs.iter().collect::<Vec<_>>()).lost_every_packet
    };
    assert_eq!([of(&[0, 0]), of(&[0, 1]), of(&[1, 0]), of(&[])], [true, false, false, false]);
}

#[test]
fn a_few_random_losses_are_no_cause_of_an_idle_link() {
    let lossy = |random| {
        let of = |cc: &str, goodput: f64, busy: f64| -> Vec<RunSummary> {
            let one = |seed| RunSummary {
                drops: Drops { random, ..Drops::default() },
                utilization: busy,
                ..varied(run(cc, seed, goodput, 10.0, 0.0, 1.0))
            };
            (1..=6).map(one).collect()
        };
        says(&[of("reno", 2e6, 0.2), of("bbr", 9e6, 0.95)].concat(), JudgementRules::default()).0
    };
    assert!(lossy(2 * 5).contains("which it takes for congestion"), "{}", lossy(10));
    assert!(!lossy(2 * 5 - 1).contains("which it takes for congestion"), "{}", lossy(9));
}

#[test]
fn a_link_of_which_a_tenth_is_idle_needs_no_reason() {
    let of = |cc: &str, goodput: f64, busy: f64| -> Vec<RunSummary> {
        let one = |seed| RunSummary {
            drops: Drops { random: 90, ..Drops::default() },
            utilization: busy,
            ..varied(run(cc, seed, goodput, 10.0, 0.0, 1.0))
        };
        (1..=6).map(one).collect()
    };
    let busy = |share: f64| {
        let runs = [of("reno", 2e6, share), of("bbr", 9e6, 0.99)].concat();
        says(&runs, JudgementRules::default()).0
    };
    let told = "reno leaves 11 % of the link idle: all of its drops are random loss";
    assert!(busy(0.89).contains(told), "{}", busy(0.89));
    assert!(!busy(0.91).contains("of the link idle"), "{}", busy(0.91));
}

#[test]
fn a_goodput_above_the_links_rate_stands_alone() {
    let says = |goodput: f64| says(&seeds("a", &[goodput; 3]), JudgementRules::default()).0;
    assert!(says(10.0).starts_with("a carries 10 of 10 Mbit/s;"), "{}", says(10.0));
    assert!(says(10.2).starts_with("a carries 10.2 Mbit/s;"), "{}", says(10.2));
}

#[test]
fn a_sweep_tells_whichever_criterion_is_the_price() {
    let of = |cc: &str, goodput: f64, wait: f64, resent: f64, jain: f64| -> Vec<RunSummary> {
        (1..=5).map(|seed| varied(run(cc, seed, goodput, wait, resent, jain))).collect()
    };
    let at = |wait, resent, jain| {
        let cubic = of("cubic", 4e6, 5.0, 0.01, 0.99);
        [cubic, of("greedy", 8e6, wait, resent, jain)].concat()
    };
    let says = sweep(&[("0.1 %", at(5.0, 0.05, 0.99)), ("1 %", at(5.0, 0.08, 0.99))]);
    let lead = "Over all values of loss greedy carries 2.0 times as much as cubic";
    let price = ", but resends 4.0 to 7.0 percentage points more.";
    assert_eq!(says, format!("{lead}{price}"));
    let says = sweep(&[("0.1 %", at(5.0, 0.01, 0.8)), ("1 %", at(2.0, 0.01, 0.7))]);
    let gain = ", keeps up to 3.0 ms less in the queue, but shares less evenly (Jain index by 0.19 to 0.29).";
    assert_eq!(says, format!("{lead}{gain}"));
    // A gain in one criterion and a price in another are told apart.
    let says = sweep(&[("0.1 %", at(2.0, 0.01, 0.99)), ("1 %", at(9.0, 0.01, 0.99))]);
    let here = "At loss 0.1 % greedy carries 2.0 times as much as cubic and keeps 3.0 ms less in the queue";
    assert!(says.starts_with(here), "{says}");
    assert!(
        says.ends_with("2.0 times as much as cubic, but keeps 4.0 ms more in the queue."),
        "{says}"
    );
    let says = sweep(&[("0.1 %", at(5.0, 0.3, 0.99)), ("1 %", at(5.0, 0.01, 0.99))]);
    let beware = "Beware: greedy, which leads, resends more than a tenth at 1 of 2 values. ";
    assert!(says.starts_with(beware), "{says}");
}

#[test]
fn a_sweep_over_one_seed_says_that_it_says_nothing() {
    let runs = || vec![run("a", 1, 9e6, 1.0, 0.0, 1.0), run("b", 1, 5e6, 1.0, 0.0, 1.0)];
    let says = sweep(&[("1", runs()), ("2", runs())]);
    assert_eq!(says, "One seed cannot tell merit from chance: raise seeds.");
    let three = || {
        let ahead = [seeds("a", &[9.0, 9.3, 9.1, 9.2]), seeds("b", &[9.2, 9.1, 9.3, 9.0])].concat();
        [ahead, seeds("cubic", &[3.0, 3.1, 3.2, 3.0])].concat()
    };
    let says = sweep(&[("1", three()), ("2", three())]);
    let lead =
        "a and b lead and cannot be told apart by goodput (a carries 3.0 times as much as cubic)";
    assert_eq!(says, format!("Over all values of loss {lead}."));
}

#[test]
fn those_in_a_circle_of_domination_stand_together_and_the_beaten_do_not() {
    // By queueing delay a beats b, b beats c and c beats a in the seeds that they share; all beat d. Twelve
    // coins fall on one side in 0.05 %, which is below the part of each of six comparisons.
    let wait = |cc, seed, wait| run(cc, seed, 9e6, wait, 0.0, 1.0);
    let mut runs = Vec::new();
    for (names, first) in [(["a", "b"], 0), (["b", "c"], 20), (["c", "a"], 40)] {
        for seed in first..first + 12 {
            runs.push(wait(names[0], seed, 10.0));
            runs.push(wait(names[1], seed, 50.0));
        }
    }
    for seed in 0..60 {
        runs.push(wait("d", seed, 90.0));
    }
    assert_eq!(says(&runs, JudgementRules::default()).1.front, ["a", "b", "c"]);
}

fn saved(runs: &[RunSummary]) -> SavedResult {
    let report = westwood_experiment::run::GridReport {
        given: None,
        schema: westwood_experiment::run::SCHEMA.to_owned(),
        version: String::new(),
        name: String::new(),
        about: None,
        axes: Vec::new(),
        seeds: Vec::new(),
        points: vec![PointRecord {
            name: "a".to_owned(),
            settings: Vec::new(),
            variant: None,
            cc: Some("a".to_owned()),
            solo: false,
        }],
        runs: runs.iter().map(|run| record(run.seed, Some(run.clone()))).collect(),
        summaries: Vec::new(),
        warnings: Vec::new(),
        baselines: Vec::new(),
    };
    SavedResult::of_report(&report)
}

fn record(seed: u64, summary: Option<RunSummary>) -> RunRecord {
    let error = summary.is_none().then(|| "broken".to_owned());
    RunRecord { point: 0, seed, error, summary, groups: Vec::new(), links: Vec::new() }
}

#[test]
fn a_change_over_one_seed_is_undecided_and_said_to_be() {
    let change = |n| {
        let (old, new) = (vec![9.0; n], vec![5.0; n]);
        let (old, new) = (saved(&seeds("a", &old)), saved(&seeds("a", &new)));
        diff(&old, &new, Practical::default())
    };
    let found = change(1);
    assert!(found.changes.is_empty() && found.undecided.len() == 1);
    let said = found.undecided_text().unwrap();
    assert!(said.starts_with("1 difference is undecided") && said.contains("(a)"), "{said}");
    assert!(said.contains("raise seeds"), "{said}");
    assert_eq!(change(6).undecided_text(), None);
    assert_eq!(change(6).changes.len(), 1);
    let same = diff(&saved(&seeds("a", &[9.0])), &saved(&seeds("a", &[9.0])), Practical::default());
    assert_eq!(same.undecided_text(), None);
}

#[test]
fn transfers_that_stop_finishing_and_runs_that_fail_are_changes() {
    let old = transfers("a", [510.0, 512.0, 511.0, 513.0]);
    let mut new = old.clone();
    new[1].flows[1].fct_ms = None;
    new[1].unfinished = Some(1);
    let found = diff(&saved(&old), &saved(&new), Practical::default());
    assert_eq!(found.worse(), ["a: 1 of 4 runs leave more transfers unfinished than before"]);
    let back = diff(&saved(&new), &saved(&old), Practical::default());
    assert!(back.worse().is_empty() && back.lost.len() == 1);
    // The run of a seed that fails.
    let report = westwood_experiment::run::GridReport {
        given: None,
        runs: vec![record(1, Some(old[0].clone())), record(2, None)],
        ..serde_json::from_value(serde_json::json!({
            "schema": "westwood.run/1", "version": "", "name": "", "about": null, "axes": [],
            "seeds": [], "runs": [],
            "points": [{"name": "a", "settings": [], "variant": null, "cc": "a"}],
        }))
        .unwrap()
    };
    let found = diff(&saved(&old[..2]), &SavedResult::of_report(&report), Practical::default());
    assert_eq!(found.worse(), ["a: 1 of 2 runs failed, and did not before"]);
    assert_eq!((found.paired, found.unpaired_runs), (1, 0));
}

fn runs() -> impl Strategy<Value = Vec<RunSummary>> {
    let one = (0..4_usize, 1..5_u64, 1e6..9e6_f64, 0.0..90.0_f64, 0.0..0.1_f64, 0.5..1.0_f64);
    let one =
        one.prop_map(|(cc, seed, g, w, r, j)| run(["a", "b", "c", "d"][cc], seed, g, w, r, j));
    prop::collection::vec(one, 0..24).prop_map(|runs: Vec<RunSummary>| {
        // A run that is said twice is the same run.
        let mut each: Vec<RunSummary> = Vec::new();
        for run in runs {
            if !each.iter().any(|known| (&known.cc, known.seed) == (&run.cc, run.seed)) {
                each.push(run);
            }
        }
        each
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn order_and_repetition_change_no_conclusion(
        (runs, mixed) in runs().prop_flat_map(|runs| {
            let twice = [runs.clone(), runs.clone()].concat();
            (Just(runs), Just(twice).prop_shuffle())
        }),
        preference in prop::sample::select(Preference::ALL.map(|(_, one)| one).to_vec()),
    ) {
        let rules = JudgementRules { preference, ..JudgementRules::default() };
        prop_assert_eq!(says(&runs, rules), says(&mixed, rules));
    }
}

/// Runs of this goodput in Mbit/s and wait in ms under each seed.
fn with_wait(cc: &str, goodput: &[f64], wait: f64) -> Vec<RunSummary> {
    let all = (1..).zip(goodput);
    all.map(|(seed, g)| varied(run(cc, seed, g * 1e6, wait, 0.0, 0.99))).collect()
}

#[test]
fn level_with_the_leader_is_not_level_with_one_another() {
    // Clearly ordered first and last, and a third between them that varies, with the shortest queue.
    let ends = [with_wait("first", &[9.6; 6], 300.0), with_wait("last", &[9.1; 6], 80.0)];
    let between = with_wait("between", &[9.9, 8.8, 9.7, 9.0, 9.6, 9.2], 40.0);
    let runs = [ends.concat(), between].concat();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.leader.as_deref(), Some("between"));
    assert!(!text.contains("cannot be told apart"), "{text}");
    assert!(
        text.contains("first (9.6 Mbit/s) and last (9.1 Mbit/s) cannot be told from it"),
        "{text}"
    );
    assert!(text.contains("though first is clearly ahead of last"), "{text}");
    let places = [("1", runs.clone()), ("2", runs)];
    let said = sweep(&places);
    assert!(said.contains("first and last cannot be told from between by goodput"), "{said}");
}

#[test]
fn a_sweep_does_not_say_less_and_more_of_the_same_two_in_one_breath() {
    let goodput = [9.0, 9.5, 9.1, 9.4, 9.2, 9.3];
    let at = |a: f64, b: f64| {
        [
            with_wait("a", &goodput, a),
            with_wait("b", &goodput, b),
            with_wait("cubic", &[5.0; 6], 10.0),
        ]
        .concat()
    };
    let said = sweep(&[("1", at(20.0, 60.0)), ("2", at(60.0, 20.0))]);
    assert!(said.starts_with("At loss 1 a and b lead"), "{said}");
    assert!(said.contains("; at 2 a and b lead"), "{said}");
    // Where nothing turns round, one sentence is said of both.
    let said = sweep(&[("1", at(20.0, 60.0)), ("2", at(30.0, 60.0))]);
    assert!(said.starts_with("Over all values of loss a and b lead"), "{said}");
}

/// Runs of these goodputs in Mbit/s and waits in ms, seed by seed, that resend such a share.
fn of_seeds(cc: &str, goodput: [f64; 4], wait: [f64; 4], resent: f64) -> Vec<RunSummary> {
    let all = (1..).zip(goodput.into_iter().zip(wait));
    all.map(|(seed, (g, wait))| varied(run(cc, seed, g * 1e6, wait, resent, 0.99))).collect()
}

#[test]
fn one_that_cannot_be_told_from_the_best_does_not_beat_it() {
    // mid varies, so that few seeds leave it level with best, which resends more; short beats mid.
    let best = of_seeds("best", [9.0; 4], [75.0; 4], 0.06);
    let mid = of_seeds("mid", [9.9, 4.5, 9.8, 5.8], [75.0; 4], 0.05);
    let short = of_seeds("short", [8.0; 4], [60.0; 4], 0.05);
    let runs = [best, mid, short].concat();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.leader.as_deref(), Some("best"), "{text}");
    assert_eq!(summary.front, ["best", "short"], "mid has a worse mean than short: {text}");
    assert!(text.starts_with("best carries 9 of 10 Mbit/s, 1.1 times what short"), "{text}");
    let said = sweep(&[("1", runs.clone()), ("2", runs)]);
    assert!(said.starts_with("Over all values of loss best and mid lead and cannot"), "{said}");
}

#[test]
fn a_leader_that_another_is_clearly_ahead_of_says_so_and_does_not_lead() {
    // Less than 1 % from one to the next, for a shorter queue each: last beats second, second beats
    // first.
    let steps = [
        of_seeds("first", [9.0; 4], [300.0; 4], 0.0),
        of_seeds("second", [8.95; 4], [100.0; 4], 0.0),
        of_seeds("third", [8.88; 4], [20.0; 4], 0.0),
    ];
    let runs = steps.concat();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(
        (summary.leader.as_deref(), summary.front),
        (Some("third"), vec!["third".to_owned()])
    );
    assert!(text.contains("But third carries 8.88 Mbit/s, against 9 Mbit/s with first."), "{text}");
    let said = sweep(&[("1", runs.clone()), ("2", runs.clone())]);
    assert!(!said.contains("lead"), "{said}");
    assert!(said.contains("second cannot be told from third by goodput"), "{said}");
    assert!(said.ends_with(", while first carries 120 kbit/s more than third."), "{said}");
    let said = count_by(JudgementRules::default(), &[runs.clone(), runs]);
    assert_eq!(said, "Of 2 places, clearly ahead by goodput: nobody at 2.");
}

#[test]
fn one_that_a_later_criterion_put_out_is_followed_by_one_that_is_clearly_better() {
    let of = |cc: &'static str, goodput: [f64; 6], wait: [f64; 6]| {
        let all = (1..).zip(goodput.into_iter().zip(wait));
        all.map(move |(seed, (g, wait))| varied(run(cc, seed, g * 1e6, wait, 0.0, 0.99)))
    };
    // No controller is clearly worse by delays, and best has the least mean. By goodput west is clearly
    // better than best, and worst is not: its goodput varies too much.
    let runs: Vec<RunSummary> = of("best", [7.54; 6], [10.0, 60.0, 15.0, 55.0, 20.0, 50.0])
        .chain(of("west", [7.67; 6], [70.0, 22.0, 68.0, 28.0, 62.0, 32.0]))
        .chain(of("worst", [3.0, 12.0, 4.0, 11.0, 5.0, 10.0], [30.0, 50.0, 20.0, 60.0, 25.0, 45.0]))
        .collect();
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let (text, summary) = says(&runs, delay);
    assert_eq!(summary.front, ["best", "west", "worst"], "{text}");
    assert_eq!(summary.leader.as_deref(), Some("west"), "{text}");
}

#[test]
fn no_later_criterion_prefers_one_that_is_worse_in_the_preferred_one() {
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let judged = |parts: &[&Vec<RunSummary>]| {
        let runs: Vec<RunSummary> = parts.iter().copied().flatten().cloned().collect();
        let (text, summary) = says(&runs, delay);
        (summary.leader.unwrap(), text)
    };
    // Delays vary, so that nobody is clearly worse by them among nine comparisons; alone west would be.
    let best = of_seeds("best", [7.54; 4], [23.9, 24.8, 24.5, 24.9], 0.0);
    let west = of_seeds("west", [7.67; 4], [44.1, 41.1, 36.6, 68.0], 0.0);
    let worst = of_seeds("worst", [4.41, 4.58, 5.55, 6.14], [32.1, 41.1, 3.5, 63.6], 0.0);
    let (leader, text) = judged(&[&best, &west, &worst]);
    assert_eq!(leader, "best", "{text}");
    let near = "; worst (35 ms) cannot be told from it by queueing delay. Compared with best alone, west \
                (47 ms) would differ from it by queueing delay; among ";
    assert!(text.contains(near), "{text}");
    // Alone it would not be either, so that goodput puts best out, for west and not for worst.
    let west = of_seeds("west", [7.67; 4], [20.0, 76.0, 30.0, 62.0], 0.0);
    let (leader, text) = judged(&[&best, &west, &worst]);
    assert_eq!(leader, "west", "{text}");
    let near = "; best (25 ms) and worst (35 ms) cannot be told from it by queueing delay";
    assert!(text.contains(near), "{text}");
}

/// These and six others that carry less, by as many comparisons.
fn among_others(runs: &[RunSummary]) -> Vec<RunSummary> {
    let more = (0..6).flat_map(|i| {
        let mut noise = [4.0, 4.2, 4.1, 4.3, 4.0, 4.1];
        noise.rotate_left(i);
        with_wait(&format!("z{i}"), &noise, 80.0)
    });
    runs.iter().cloned().chain(more).collect()
}

#[test]
fn what_only_the_number_of_comparisons_hides_is_said() {
    let ahead = [9.0, 9.5, 9.1, 9.4, 9.2, 9.3];
    let behind = [8.9, 9.1, 9.0, 9.0, 9.1, 8.9];
    let pair = [with_wait("ahead", &ahead, 80.0), with_wait("behind", &behind, 80.0)].concat();
    let (alone, _) = says(&pair, JudgementRules::default());
    let (among, _) = says(&among_others(&pair), JudgementRules::default());
    assert!(!alone.contains("more seeds must decide"), "{alone}");
    let note = "Compared with ahead alone, behind (9 Mbit/s) would differ from it; among ";
    assert!(!among.contains("behind (9 Mbit/s) cannot be told"), "{among}");
    assert!(
        among.contains(note) && among.contains("comparisons more seeds must decide."),
        "{among}"
    );
    // The one comparison by goodput of two shares the probability of an error with other criteria.
    let closer = [8.55, 9.5, 8.8, 9.3, 8.95, 9.25];
    let with_resent = |runs: Vec<RunSummary>, resent: &[f64]| -> Vec<RunSummary> {
        let all = runs.into_iter().zip(resent);
        all.map(|(run, &resent)| RunSummary { retransmission_ratio: resent, ..run }).collect()
    };
    let two = [
        with_resent(with_wait("ahead", &ahead, 80.0), &[0.01, 0.02, 0.03, 0.01, 0.02, 0.03]),
        with_resent(with_wait("behind", &closer, 80.0), &[0.03, 0.01, 0.02, 0.02, 0.03, 0.01]),
    ];
    let (two, _) = says(&two.concat(), JudgementRules::default());
    let note = "behind (9.06 Mbit/s) would differ from it; with the other criteria judged as well more seeds \
                must decide.";
    assert!(two.contains(note), "{two}");
    // A sweep says so, and such a one does not lead.
    let level = [with_wait("ahead", &ahead, 80.0), with_wait("behind", &ahead, 80.0)].concat();
    let hidden = || among_others(&pair);
    let said = sweep(&[("1", hidden()), ("2", hidden()), ("3", among_others(&level))]);
    let lead = "Up to loss 2 ahead leads; compared with ahead alone, behind would differ from it by goodput, \
                and more seeds must decide; at 3 ahead and behind lead and cannot be told apart by goodput";
    assert!(said.starts_with(lead), "{said}");
}

#[test]
fn a_sweep_tells_the_faults_of_all_that_are_ahead() {
    let of = |cc: &str, goodput: f64, resent: f64| -> Vec<RunSummary> {
        (1..=5).map(|seed| varied(run(cc, seed, goodput, 10.0, resent, 0.99))).collect()
    };
    let at = |c: f64, resent: [f64; 3]| {
        [of("a", 9e6, resent[0]), of("b", 9e6, resent[1]), of("c", c, resent[2])].concat()
    };
    let fault_warning = |places: &[Vec<RunSummary>]| {
        let labels = ["1", "2", "3"].into_iter().zip(places.iter().cloned());
        let said = sweep(&labels.collect::<Vec<_>>());
        said.split_once("values")
            .map_or(said.clone(), |_| said[..said.find(". ").unwrap()].to_owned())
    };
    let (none, two, all) = ([0.0; 3], [0.3, 0.3, 0.0], [0.3; 3]);
    // Those that are level have their fault together, and none of them leads.
    let same = "Beware: a and b resend more than a tenth at 1 of 2 values";
    assert_eq!(fault_warning(&[at(5e6, two), at(5e6, none)]), same);
    assert_eq!(
        fault_warning(&[at(5e6, all), at(5e6, none)]),
        format!("{same}; none is without such a fault")
    );
    let all_level = "Beware: a, b and c resend more than a tenth at 2 of 2 values";
    assert_eq!(
        fault_warning(&[at(9e6, all), at(9e6, all)]),
        format!("{all_level}; none is without such a fault")
    );
    // One leads at one value alone, and the others have its fault there.
    let led = [of("a", 9e6, 0.3), of("b", 5e6, 0.3)].concat();
    let level = [of("a", 9e6, 0.3), of("b", 9e6, 0.0)].concat();
    let leads = "Beware: a, which leads, resends more than a tenth at 1 of 1 values; none is without such a \
                 fault";
    assert_eq!(fault_warning(std::slice::from_ref(&led)), leads);
    let once =
        "Beware: a resends more than a tenth at 2 of 2 values; none is without such a fault at 1";
    assert_eq!(fault_warning(&[led, level]), once);
    // One that is alone leads nobody.
    let alone = "Beware: a resends more than a tenth at 1 of 1 values";
    assert_eq!(fault_warning(&[of("a", 9e6, 0.3)]), alone);
}

#[test]
fn many_that_are_level_are_told_by_those_that_are_not() {
    let level = || (1..=9).flat_map(|i| with_wait(&format!("v{i}"), &[9.0; 4], 10.0));
    let all: Vec<RunSummary> = level().collect();
    let but_one: Vec<RunSummary> = level().chain(with_wait("slow", &[5.0; 4], 10.0)).collect();
    let said = sweep(&[("1", all.clone()), ("2", all)]);
    assert_eq!(said, "Over all values of loss the 9 compared cannot be told apart by goodput.");
    let said = sweep(&[("1", but_one.clone()), ("2", but_one)]);
    let lead = "Over all values of loss all but slow lead and cannot be told apart by goodput";
    assert!(said.starts_with(lead), "{said}");
}

#[test]
fn places_of_several_axes_are_counted_by_a_quantity_and_with_the_price() {
    let of = |wait: f64| {
        [with_wait("bbr", &[9.0; 4], wait), with_wait("cubic-linux", &[5.0; 4], 20.0)].concat()
    };
    let says = |places: &[Vec<RunSummary>]| count_by(JudgementRules::default(), places);
    let price = "bbr at 2 (but it keeps more in the queue than cubic-linux at 1).";
    assert_eq!(
        says(&[of(40.0), of(10.0)]),
        format!("Of 2 places, clearly ahead by goodput: {price}")
    );
}

#[test]
fn random_loss_is_the_reason_of_an_idle_link_only_if_another_fills_it() {
    let of = |cc: &str, goodput: f64| {
        let mut runs = with_wait(cc, &[goodput; 6], 10.0);
        for run in &mut runs {
            run.drops.random = 40;
        }
        runs
    };
    let reason = "random loss, which it takes for congestion";
    let (text, _) = says(&[of("cubic", 2.0), of("bbr", 9.0)].concat(), JudgementRules::default());
    assert!(text.contains(reason), "{text}");
    let (text, _) = says(&[of("cubic", 2.0), of("bbr", 2.4)].concat(), JudgementRules::default());
    assert!(!text.contains(reason), "{text}");
    // Where a link leaves out ACKs, losses are a part of the reason.
    let thinned = Situation { acks_left_out: true, ..situation() };
    let runs = [of("cubic", 2.0), of("bbr", 9.0)].concat();
    let text = sentence(&Contest::new(&runs, &thinned, JudgementRules::default()));
    let both = "for congestion; ACKs that the path leaves out may slow its growth as well.";
    assert!(text.contains(&format!("random loss, which it takes {both}")), "{text}");
}

#[test]
fn a_change_over_two_seeds_or_among_many_is_undecided() {
    let change = |old: &[f64], new: &[f64]| {
        diff(&saved(&seeds("a", old)), &saved(&seeds("a", new)), Practical::default())
    };
    let two = change(&[1.4, 1.6], &[0.46, 0.36]);
    assert!(two.changes.is_empty() && two.undecided.len() == 1, "{two:?}");
    let noise = change(&[9.0, 9.3, 9.1, 9.4], &[9.3, 9.0, 9.4, 9.2]);
    assert!(noise.changes.is_empty() && noise.undecided.is_empty(), "{noise:?}");
}

#[test]
fn a_preference_is_said_of_a_sweep_with_what_it_costs() {
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    // bbr carries five times as much as two that are level, of which vegas has the shorter queue.
    let slow = [9.0, 9.3, 9.1, 9.2].map(|g| g / 5.0);
    let of = |bbr: f64| {
        let slow = [with_wait("cubic", &slow, 20.0), with_wait("vegas", &slow, 2.0)].concat();
        [slow, with_wait("bbr", &[bbr; 4], 40.0)].concat()
    };
    let says = sweep_by(delay, &[("0.5 %", of(9.5)), ("1 %", of(9.0))]);
    let lead = "Preferring a short queue: over all values of loss vegas, which keeps packets waiting 2.0 ms \
                (95th percentile of the queueing delay), leads, and cubic cannot be told from it by \
                goodput; vegas keeps 18 ms less in the queue than cubic, while bbr carries 7.17 \
                to 7.67 Mbit/s more than vegas.";
    assert_eq!(says, lead);
    // By goodput bbr leads, and nothing is said of a preference.
    let says = sweep(&[("0.5 %", of(9.5)), ("1 %", of(9.0))]);
    assert!(says.starts_with("Over all values of loss bbr carries 4.9 to 5.2 times"), "{says}");
    let says = count_by(delay, &[of(9.5), of(9.0), of(8.5)]);
    assert_eq!(says, "Preferring a short queue: of 3 places, preferred: vegas at 3.");
    let says = count_by(JudgementRules::default(), &[of(9.5), of(9.0)]);
    assert_eq!(
        says,
        "Of 2 places, clearly ahead by goodput: bbr at 2 (but it keeps more in the queue than cubic)."
    );
}

#[test]
fn a_controller_without_others_beside_it_has_a_range_and_no_lead() {
    let of = |bps: f64| seeds("reno", &[bps; 4]);
    let says = count_by(JudgementRules::default(), &[of(9.5), of(2.0), of(8.5)]);
    assert_eq!(says, "Over all 3 places reno reaches 2 to 9.5 Mbit/s.");
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    assert_eq!(count_by(delay, &[of(9.5), of(2.0), of(8.5)]), says, "nothing is preferred to it");
    let says = count_by(JudgementRules::default(), &[of(9.5), of(0.0)]);
    assert!(says.starts_with("Over 1 of 2 places reno reaches 9.5 Mbit/s."), "{says}");
    assert!(says.contains(" Nothing is concluded at 1, where no flow under test"), "{says}");
    // A place at which the others are missing has no leader either.
    let both = [seeds("a", &[9.0; 7]), seeds("b", &[5.0; 7])].concat();
    let says = count_by(JudgementRules::default(), &[both, seeds("a", &[9.0; 7])]);
    assert_eq!(says, "Of 2 places, clearly ahead by goodput: a at 1, nobody at 1.");
}

#[test]
fn a_preferred_leader_that_carries_a_little_less_is_not_said_to_carry_as_much() {
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let of = |bbr: f64| {
        [with_wait("bbr", &[bbr; 4], 5.0), with_wait("cubic-linux", &[9.65; 4], 90.0)].concat()
    };
    let says = sweep_by(delay, &[("0.5 %", of(9.42)), ("1 %", of(9.0))]);
    let less = "loss bbr, which keeps packets waiting 5.0 ms (95th percentile of the queueing delay), \
                carries 2.4 to 6.7 % less than cubic-linux and keeps 85 ms less in the queue.";
    assert_eq!(says, format!("Preferring a short queue: over all values of {less}"));
    let says = sweep_by(delay, &[("0.5 %", of(9.42)), ("1 %", of(0.5))]);
    let times = "delay), carries 0.05 to 0.98 times as much as cubic-linux";
    assert!(says.contains(times), "{says}");
    let says = sweep_by(delay, &[("0.5 %", of(9.42)), ("1 %", of(4.8))]);
    assert!(says.contains("carries 0.50 to 0.98 times as much as cubic-linux"), "{says}");
}

#[test]
fn a_lead_is_in_percent_up_to_a_tenth_and_beyond_in_times() {
    let says = |leads: [f64; 2]| {
        let at = |lead: f64| {
            [with_wait("cubic", &[4.0; 4], 10.0), with_wait("lead", &[4.0 * lead; 4], 10.0)]
                .concat()
        };
        sweep(&[("0.5 %", at(leads[0])), ("1 %", at(leads[1]))])
    };
    let whole = "Over all values of loss lead carries ";
    assert_eq!(says([1.05, 1.08]), format!("{whole}5.0 to 8.0 % more than cubic."));
    assert_eq!(says([1.08, 1.12]), format!("{whole}1.1 times as much as cubic."));
}

#[test]
fn among_those_that_are_level_the_largest_advantage_is_told() {
    let runs = [
        of_seeds("lead", [9.9, 4.5, 9.8, 5.8], [10.0; 4], 0.0),
        of_seeds("near", [9.0, 5.5, 9.0, 6.0], [20.0; 4], 0.0),
        of_seeds("very", [9.1, 5.2, 9.3, 5.9], [50.0; 4], 0.0),
    ];
    let says = sweep(&[("0.5 %", runs.concat()), ("1 %", runs.concat())]);
    assert!(says.contains("; lead keeps 40 ms less in the queue than very"), "{says}");
}

#[test]
fn a_sweep_by_preference_says_the_value_that_decides_also_where_it_differs() {
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let of = |wait: f64| {
        [with_wait("bbr", &[9.4; 4], wait), with_wait("cubic-linux", &[9.65; 4], 90.0)].concat()
    };
    let says = sweep_by(delay, &[("0.5 %", of(5.0)), ("1 %", of(12.0))]);
    let value =
        "bbr, which keeps packets waiting 5.0 to 12 ms (95th percentile of the queueing delay), ";
    assert!(says.contains(value), "{says}");
    let says = sweep(&[("0.5 %", of(5.0)), ("1 %", of(12.0))]);
    assert!(!says.contains("which keeps"), "{says}");
}

#[test]
fn a_preferred_leader_is_alone_if_its_queue_is_clearly_shorter() {
    let delay = JudgementRules { preference: Preference::Delay, ..JudgementRules::default() };
    let of =
        |wait: f64| [with_wait("a", &[9.0; 4], wait), with_wait("b", &[9.0; 4], 20.0)].concat();
    let says = count_by(delay, &[of(5.0), of(20.0)]);
    assert_eq!(says, "Preferring a short queue: of 2 places, preferred: a at 1, nobody at 1.");
    let says = count_by(JudgementRules::default(), &[of(5.0), of(20.0)]);
    assert_eq!(says, "Of 2 places, clearly ahead by goodput: nobody at 2.");
}

#[test]
fn random_loss_is_no_reason_of_an_idle_link_where_congestion_is() {
    let says = |drops: Drops, drops_elsewhere: Drops, marked: u64| {
        let of = |cc: &str, goodput: f64| {
            let runs = with_wait(cc, &[goodput; 6], 10.0);
            let lost = |run| RunSummary { drops, drops_elsewhere, marked, ..run };
            runs.into_iter().map(lost).collect::<Vec<_>>()
        };
        says(&[of("reno", 2.0), of("bbr", 9.0)].concat(), JudgementRules::default()).0
    };
    let random = |random| Drops { random, ..Drops::default() };
    let overflow = |overflow| Drops { overflow, ..Drops::default() };
    let reason = "of its drops are random loss, which it takes for congestion";
    let none = Drops::default();
    let text = says(random(40), none, 0);
    assert!(text.contains(&format!("all {reason}")), "{text}");
    // Another link may be the one whose queue drops, or the one that loses ACKs.
    let text = says(random(26), overflow(77), 0);
    assert!(!text.contains(reason), "{text}");
    let text = says(random(30), overflow(10), 0);
    assert!(text.contains(&format!("75 % {reason}")), "{text}");
    let text = says(overflow(10), random(30), 0);
    assert!(!text.contains(reason), "{text}");
    let text = says(Drops { overflow: 10, ..random(30) }, random(1), 0);
    assert!(text.contains(&format!("most {reason}")), "{text}");
    // Marks tell of congestion as drops do.
    let text = says(random(40), none, 200);
    assert!(!text.contains(reason), "{text}");
}

#[test]
fn an_advantage_is_told_against_one_that_is_clearly_worse() {
    // b resends the most on the mean, by chance; c resends clearly more than a.
    let of = |cc: &'static str, resent: [f64; 4]| -> Vec<RunSummary> {
        let goodput = [9.0, 9.1, 9.2, 8.9];
        let all = seeds(cc, &goodput).into_iter().zip(resent);
        all.map(|(run, retransmission_ratio)| RunSummary { retransmission_ratio, ..run }).collect()
    };
    let a = of("a", [0.02, 0.021, 0.019, 0.02]);
    let b = of("b", [0.01, 0.3, 0.02, 0.25]);
    let c = of("c", [0.05, 0.052, 0.049, 0.051]);
    let (text, summary) = says(&[a, b, c].concat(), JudgementRules::default());
    assert_eq!(summary.leader.as_deref(), Some("a"), "{text}");
    assert!(text.contains("a resends 2.0 %, 5.1 % with c"), "{text}");
}

#[test]
fn a_sweep_concludes_nothing_where_nothing_was_carried() {
    let both = |a: f64, b: f64| [seeds("a", &[a; 6]), seeds("b", &[b; 6])].concat();
    let (none, ahead) = (|| both(0.0, 0.0), || both(9.0, 5.0));
    let lead = "a carries 1.8 times as much as b";
    let empty = "where no flow under test delivered anything while it was measured: raise the time, lower \
                 the loss, or let the flows start sooner.";
    let says = sweep(&[("0.5 %", ahead()), ("100 %", none())]);
    assert_eq!(says, format!("At loss 0.5 % {lead}. Nothing is concluded at 100 %, {empty}"));
    let says = sweep(&[("0.5 %", ahead()), ("1 %", ahead()), ("100 %", none())]);
    assert!(says.starts_with(&format!("Up to loss 1 % {lead}. Nothing")), "{says}");
    let says = sweep(&[("0 %", none()), ("1 %", ahead()), ("2 %", ahead())]);
    assert!(says.starts_with(&format!("From loss 1 % on {lead}. Nothing")), "{says}");
    let says = sweep(&[("0 %", none()), ("1 %", ahead()), ("2 %", both(5.0, 5.0))]);
    assert!(says.starts_with(&format!("At loss 1 % {lead}; at 2 % a and b cannot")), "{says}");
    // A range has no place at which nothing is concluded.
    let says = sweep(&[("0 %", ahead()), ("1 %", none()), ("2 %", ahead())]);
    assert!(says.starts_with(&format!("At loss 0 % and 2 % {lead}. Nothing")), "{says}");
    let says = sweep(&[("red", ahead()), ("pie", none())]);
    assert!(says.starts_with(&format!("With loss red {lead}. Nothing")), "{says}");
    let says = sweep(&[("1 %", none()), ("2 %", none())]);
    assert_eq!(says, format!("Nothing is concluded at 1 % and 2 %, {empty}"));
    let says = sweep(&[(
        "1 %",
        [run("a", 1, 9e6, 1.0, 0.0, 1.0), run("b", 1, 9e6, 1.0, 0.0, 1.0)].into(),
    )]);
    assert!(says.starts_with("One seed cannot tell merit from chance"), "{says}");

    let rules = JudgementRules::default();
    let says = count_by(rules, &[ahead(), none(), none(), both(5.0, 5.0)]);
    let count =
        "Of 4 places, clearly ahead by goodput: a at 1, nobody at 1. Nothing is concluded at 2, ";
    assert_eq!(says, format!("{count}{empty}"));
    let says = count_by(rules, &[none(), none()]);
    assert_eq!(says, format!("Nothing is concluded at 2 of 2 places, {empty}"));
}

#[test]
fn a_sweep_says_over_all_values_only_if_transfers_ended_at_each() {
    let at = |cut: bool| {
        let ahead = transfers("a", [510.0, 512.0, 511.0, 513.0]);
        let mut runs = [ahead, transfers("b", [900.0, 905.0, 902.0, 901.0])].concat();
        if cut {
            runs[0].flows[0].fct_ms = None;
        }
        runs
    };
    let situation = Situation { transfers: true, ..situation() };
    let (whole, cut) = (at(false), at(true));
    let place = |label: &str, runs| SweepPlace {
        label: label.to_owned(),
        number: None,
        contest: Contest::new(runs, &situation, JudgementRules::default()),
    };
    let says = sweep_sentence("size", &[place("100kB", &whole), place("50MB", &cut)]);
    let words = "With size 100kB a and b cannot be told apart by completion time";
    assert!(says.starts_with(words), "{says}");
    let silent = "Nothing is concluded at 50MB, where not every transfer was finished";
    assert!(says.contains(silent), "{says}");
    let contest = |runs| Contest::new(runs, &situation, JudgementRules::default());
    let says = count_sentence(&[contest(&whole), contest(&cut), contest(&cut)]);
    let count = "Of 3 places, clearly ahead by completion time: nobody at 1. Nothing is concluded at 2, \
                 where not every";
    assert!(says.starts_with(count), "{says}");
}

#[test]
fn seeds_too_few_to_tell_what_each_of_them_gives_are_said_to_be() {
    let of = |n: usize| {
        let b = seeds("b", &vec![5.0; n]).into_iter().map(|run| RunSummary { timeouts: 3, ..run });
        let runs: Vec<RunSummary> = seeds("a", &vec![9.0; n]).into_iter().chain(b).collect();
        says(&runs, JudgementRules::default()).0
    };
    for n in [2, 5] {
        let few =
            format!("{n} seeds are too few to tell b from a by goodput and timeouts: raise seeds.");
        let text = of(n);
        // Two that more seeds may tell apart are not level.
        assert!(text.starts_with("a carries 9 of 10 Mbit/s. ") && text.contains(&few), "{text}");
        assert!(!text.contains("cannot be told"), "{text}");
    }
    assert!(!of(7).contains("too few"), "{}", of(7));
    // One that is clearly behind may be behind in more, which is nothing new; ahead in something would be.
    let goodputs = [[9.0, 9.2, 9.1], [5.0, 5.2, 5.3]];
    let behind = |timeouts: [u64; 2]| {
        let of = |(cc, goodputs, timeouts): (&'static str, &[f64; 3], u64)| {
            let runs = seeds(cc, goodputs).into_iter();
            runs.map(|run| RunSummary { timeouts, ..run }).collect::<Vec<_>>()
        };
        let [a, b] = [("a", &goodputs[0], timeouts[0]), ("b", &goodputs[1], timeouts[1])].map(of);
        says(&[a, b].concat(), JudgementRules::default()).0
    };
    assert!(!behind([0, 3]).contains("too few"), "{}", behind([0, 3]));
    let few = "3 seeds are too few to tell b from a by timeouts: raise seeds.";
    assert!(behind([3, 0]).contains(few), "{}", behind([3, 0]));
    // A sentence that no other controller is better needs differences that are known.
    let more = [
        seeds("a", &[9.0, 9.2, 9.1]),
        seeds("b", &[5.0, 5.2, 5.3])
            .into_iter()
            .map(|run| RunSummary { timeouts: 3, ..run })
            .collect(),
        seeds("c", &[9.1, 9.0, 9.1])
            .into_iter()
            .map(|run| RunSummary { timeouts: 1, ..run })
            .collect(),
    ];
    let (text, _) = says(&more.concat(), JudgementRules::default());
    assert!(text.contains("3 seeds are too few to tell"), "{text}");
    assert!(!text.contains("No other controller is clearly better in anything"), "{text}");
    // So it is in sweeps.
    let both = |n| [seeds("a", &vec![9.0; n]), seeds("b", &vec![5.0; n])].concat();
    let text = sweep(&[("1 %", both(6)), ("2 %", both(5)), ("3 %", both(4))]);
    let few = "5 seeds are too few to tell all that are level apart at 2 % and 3 %: raise seeds.";
    assert!(text.ends_with(few), "{text}");
    let text = sweep(&[("1 %", both(5)), ("2 %", both(5))]);
    assert!(text.ends_with("apart at any value: raise seeds."), "{text}");
    let text = count_by(JudgementRules::default(), &[both(6), both(5), both(4)]);
    let few = "5 seeds are too few to tell all that are level apart at 2: raise seeds.";
    assert_eq!(text, format!("Of 3 places, clearly ahead by goodput: a at 1, nobody at 2. {few}"));
    // A difference to both sides is chance as far as one knows.
    let mixed = [seeds("a", &[9.0, 5.0]), seeds("b", &[6.0, 7.0])].concat();
    let (text, _) = says(&mixed, JudgementRules::default());
    assert!(!text.contains("too few"), "{text}");
}

#[test]
fn values_that_are_said_to_differ_are_not_written_alike() {
    let says = |waits: [f64; 2], resent: [f64; 2]| {
        let of = |cc, goodput, wait, resent| {
            let one = |seed| varied(run(cc, seed, goodput, wait, resent, 1.0));
            (1..=4).map(one).collect::<Vec<_>>()
        };
        let [a, b] = [of("a", 9e6, waits[0], resent[0]), of("b", 5e6, waits[1], resent[1])];
        let strict = JudgementRules { practical: Practical(0.0), ..JudgementRules::default() };
        says(&[a, b].concat(), strict).0
    };
    let text = says([19.4, 18.6], [0.112, 0.108]);
    assert!(text.contains("waiting 19.4 ms") && text.contains("against 18.6 ms with b"), "{text}");
    assert!(text.contains("resends 11.2 %, against 10.8 % with b"), "{text}");
    let text = says([0.0014, 0.0009], [0.0, 0.0]);
    assert!(text.contains("waiting 1.4 us") && text.contains("against 0.9 us with b"), "{text}");
    let text = says([80.0, 40.0], [0.0, 0.0]);
    assert!(text.contains("waiting 80 ms") && text.contains("against 40 ms with b"), "{text}");
    let waited = |wait: f64| saved(&with_wait("a", &[9.0; 4], wait));
    let change = diff(&waited(19.4), &waited(18.6), Practical::default());
    assert_eq!(change.changes[0].text(), "a: queue_delay_p95 18.6 ms, was 19.4 ms (better)");
    // The ends of a range that read alike are one value.
    let transfers = [transfers("a", [510.0, 512.0, 511.0, 513.0]), transfers("b", [510.0; 4])];
    let situation = Situation { transfers: true, ..situation() };
    let runs = transfers.concat();
    let text = sentence(&Contest::new(&runs, &situation, JudgementRules::default()));
    assert!(text.contains("cannot be told apart by completion time (500 ms)"), "{text}");
}

#[test]
fn nothing_waits_less_than_no_time() {
    let says = |wait: f64| says(&[run("a", 1, 9e6, wait, 0.0, 1.0)], JudgementRules::default()).0;
    let at_all = "; 19 of 20 packets do not wait at the bottleneck.";
    assert!(says(0.0).ends_with(at_all), "{}", says(0.0));
    assert!(
        says(12.0).ends_with("packets wait at most 12 ms at the bottleneck."),
        "{}",
        says(12.0)
    );
    assert!(says(0.000_2).ends_with("packets wait less than 1 us at the bottleneck."));
}

#[test]
fn harm_below_zero_is_none_and_decides_nothing() {
    let of = |cc: &'static str, goodput: f64, harm: f64| {
        let side = if cc == "a" { 1.0 } else { -1.0 };
        let harmed = move |(seed, by)| RunSummary {
            harm: Some(harm + side * by),
            ..varied(run(cc, seed, goodput, 10.0, 0.0, 1.0))
        };
        (1..).zip([0.001, -0.002, 0.0, 0.001]).map(harmed).collect::<Vec<_>>()
    };
    let all = |a: f64, b: f64| [of("a", 9e6, a), of("b", 5e6, b)].concat();
    let said = |a: f64, b: f64| says(&all(a, b), JudgementRules::default());
    // A harm beside none is a price, whatever the competing flows gain beside the other.
    for gain in [-0.003, -0.04, -0.46] {
        let (text, summary) = said(0.33, gain);
        let harm = "But a takes 33 % of what the competing flows would have, against 0 % with b.";
        assert!(text.contains(harm), "{text}");
        let behind = &summary.contestants[1].behind_leader["harm"];
        assert!(behind.clear && (behind.mean + 0.33).abs() < 1e-9, "{behind:?}");
    }
    assert!(said(0.33, 0.04).0.contains("would have, against 4 % with b."));
    // Of two gains neither is better than the other: no star, no price, no place on the front.
    let (text, summary) = said(-0.01, -0.46);
    assert!(!text.contains("competing") && !text.contains("But"), "{text}");
    assert_eq!(summary.front, ["a"]);
    let behind = &summary.contestants[1].behind_leader["harm"];
    assert!(!behind.clear && behind.mean.abs() < 1e-12, "{behind:?}");
    let best = |a: f64, b: f64| {
        let runs = all(a, b);
        let situation = situation();
        Contest::new(&runs, &situation, JudgementRules::default())
            .best_in(Metric::Harm)
            .map(str::to_owned)
    };
    assert_eq!(best(-0.01, -0.46), None);
    assert_eq!(best(0.33, -0.46).as_deref(), Some("b"));
    // The mean of what is measured is shown as it is.
    assert!((summary.contestants[1].means["harm"].mean + 0.46).abs() < 1e-3);
}

#[test]
fn a_change_of_harm_below_zero_is_none() {
    let of = |harm: f64| -> Vec<RunSummary> {
        let by = [0.001, -0.002, 0.0, 0.001];
        let harmed = |(run, by): (RunSummary, f64)| RunSummary { harm: Some(harm + by), ..run };
        seeds("a", &[9.0, 9.1, 9.2, 9.0]).into_iter().zip(by).map(harmed).collect()
    };
    // Otherwise all values would differ alike, which so few seeds cannot tell from chance.
    let change = |old: f64, new: f64| {
        let new = of(new).into_iter().zip([0.0, 0.001, 0.0, 0.002]);
        let new = new.map(|(run, by)| RunSummary { harm: run.harm.map(|harm| harm + by), ..run });
        let found = diff(&saved(&of(old)), &saved(&new.collect::<Vec<_>>()), Practical::default());
        found.changes.iter().map(|change| (change.better, change.amounts())).collect::<Vec<_>>()
    };
    assert_eq!(change(-0.46, -0.1), []);
    assert_eq!(change(0.2, -0.46), [(true, ["20 %".to_owned(), "0 %".to_owned()])]);
    assert_eq!(change(-0.46, 0.2).len(), 1);
}

#[test]
fn a_preference_for_fairness_does_not_rest_on_harm_below_zero() {
    let of = |cc: &'static str, goodput: f64, harm: f64| {
        (1..=4).map(move |seed| RunSummary {
            harm: Some(harm),
            ..varied(run(cc, seed, goodput, 10.0, 0.0, 1.0))
        })
    };
    let fair = JudgementRules { preference: Preference::Fairness, ..JudgementRules::default() };
    let leader = |several: bool, a: f64, b: f64| {
        let runs: Vec<RunSummary> = of("a", 5e6, a).chain(of("b", 9e6, b)).collect();
        let situation = Situation { several, ..situation() };
        Contest::new(&runs, &situation, fair).sole_leader().map(str::to_owned)
    };
    // The one that leaves its share idle does not lead for it.
    for several in [true, false] {
        assert_eq!(leader(several, -0.46, -0.01).as_deref(), Some("b"), "{several}");
    }
}

#[test]
fn no_difference_has_no_sign_and_no_interval() {
    let ahead = [9.0, 9.1, 9.2, 9.0];
    let runs = [seeds("a", &ahead), seeds("b", &[5.0, 5.1, 5.0, 5.2])].concat();
    let (_, summary) = says(&runs, JudgementRules::default());
    let behind = &summary.contestants[1].behind_leader;
    for name in ["queue_delay_p95", "retransmission_ratio", "jain", "timeouts"] {
        let found = behind.get(name).unwrap_or_else(|| panic!("{name} in {behind:?}"));
        assert!(found.mean == 0.0 && found.mean.is_sign_positive(), "{name} {found:?}");
        assert_eq!(found.half_width, None, "{name}");
    }
}

/// Whether runs like these are judged by a quantity.
fn judges(runs: &[RunSummary], situation: &Situation, metric: Metric) -> bool {
    Contest::new(runs, situation, JudgementRules::default()).judges(metric)
}

#[test]
fn a_quantity_is_judged_if_each_contestant_has_it_in_some_run() {
    let mut runs = [seeds("a", &[9.0; 3]), seeds("b", &[5.0; 3])].concat();
    let situation = situation();
    assert!(!judges(&runs, &situation, Metric::Harm), "nobody competes");
    runs[0].queue_delay_ms = None;
    assert!(judges(&runs, &situation, Metric::QueueDelayP95));
    for run in &mut runs[..3] {
        run.queue_delay_ms = None;
    }
    assert!(!judges(&runs, &situation, Metric::QueueDelayP95), "a has none");
}

#[test]
fn the_slowest_transfer_is_judged_where_a_run_has_several() {
    let mut runs = transfers("a", [510.0, 512.0, 511.0, 513.0]);
    for run in &mut runs {
        run.flows.truncate(1);
    }
    let one = Situation { transfers: true, several: false, ..situation() };
    let several = Situation { several: true, ..one.clone() };
    let slowest = |runs: &[RunSummary], situation| judges(runs, situation, Metric::FctMax);
    assert!(!slowest(&runs, &one) && slowest(&runs, &several));
    // A flow may be a series of transfers.
    let many = TransferTimes { mean_ms: 500.0, max_ms: 900.0 };
    runs[0].many_transfers = Some(many);
    assert!(slowest(&runs, &one));
}

#[test]
fn the_best_in_a_quantity_is_clearly_better_than_each_other() {
    let best = |runs: &[RunSummary]| {
        let situation = situation();
        let contest = Contest::new(runs, &situation, JudgementRules::default());
        contest.best_in(Metric::Goodput).map(str::to_owned)
    };
    let of = |cc: &str, goodput: f64| with_wait(cc, &[goodput; 6], 10.0);
    let all = [of("a", 7.0), of("b", 9.0), of("c", 5.0)].concat();
    assert_eq!(best(&all).as_deref(), Some("b"));
    assert_eq!(best(&of("a", 7.0)), None, "a contestant alone is better than nobody");
}

#[test]
fn who_is_level_in_the_preferred_quantity_alone_does_not_share_the_lead() {
    let runs = [with_wait("a", &[9.0; 6], 20.0), with_wait("b", &[5.0; 6], 20.0)].concat();
    let (situation, preference) = (situation(), Preference::Delay);
    let rules = JudgementRules { preference, ..JudgementRules::default() };
    assert_eq!(Contest::new(&runs, &situation, rules).sole_leader(), Some("a"));
}

#[test]
fn many_seeds_that_vary_are_not_too_few() {
    // One side under each of twelve seeds, and one of them by far the most.
    let ahead: Vec<f64> = (0..12).map(|i| if i == 0 { 9.0 } else { 5.2 }).collect();
    let runs = [seeds("a", &ahead), seeds("b", &[5.0; 12])].concat();
    let situation = situation();
    let contest = Contest::new(&runs, &situation, JudgementRules::default());
    let goodput = contest.pairs().find(|pair| pair.criterion == Criterion::Goodput).unwrap();
    assert!(!goodput.difference.clear && !goodput.too_few, "{goodput:?}");
}

#[test]
fn a_pair_is_exact_only_if_both_are_under_each_seed() {
    let clear = |exact: [[bool; 2]; 2]| {
        let [a, b] = exact;
        let with = |runs: Vec<RunSummary>, exact: [bool; 2]| {
            let each = runs.into_iter().zip(exact);
            each.map(|(run, exact)| RunSummary { exact, ..run }).collect::<Vec<_>>()
        };
        let a = with(seeds("a", &[9.0, 8.0]), a);
        let runs = [a, with(seeds("b", &[5.0, 6.0]), b)].concat();
        let situation = situation();
        let contest = Contest::new(&runs, &situation, JudgementRules::default());
        contest.pairs().any(|pair| pair.difference.clear)
    };
    assert!(clear([[true; 2]; 2]));
    assert!(!clear([[true; 2], [false; 2]]));
    assert!(!clear([[true, false]; 2]));
}

#[test]
fn a_trickle_is_carried_all_the_same() {
    let of = |cc: &str, goodput: f64| with_wait(cc, &[goodput; 6], 10.0);
    let runs = [of("a", 0.02), of("b", 0.01)].concat();
    let (text, _) = says(&runs, JudgementRules::default());
    assert!(text.starts_with("a carries 20 kbit/s"), "{text}");
}

#[test]
fn who_leads_at_more_places_comes_first() {
    let of = |cc: &str, goodput: f64| with_wait(cc, &[goodput; 6], 10.0);
    let at = |a: f64, b: f64| [of("a", a), of("b", b)].concat();
    let says = count_by(JudgementRules::default(), &[at(9.0, 5.0), at(5.0, 9.0), at(5.0, 9.0)]);
    assert_eq!(says, "Of 3 places, clearly ahead by goodput: b at 2, a at 1.");
}

#[test]
fn a_leader_is_described_beside_what_hosts_use_today_in_every_sentence() {
    let of = |cc: &str, goodput: f64| with_wait(cc, &[goodput; 6], 10.0);
    let runs = [of("bbr", 9.0), of("cubic-linux", 3.0), of("reno-linux", 2.0)].concat();
    let (text, _) = says(&runs, JudgementRules::default());
    assert!(text.contains("3.0 times what cubic-linux carries"), "{text}");
    let said = sweep(&[("1", runs.clone()), ("2", runs)]);
    assert!(said.contains("3.0 times as much as cubic-linux"), "{said}");
}

#[test]
fn what_many_competing_flows_keep_is_said_of_all_of_them() {
    let of = |cc: &'static str, kept: f64| {
        (1..=4).map(move |seed| RunSummary {
            against_goodput_bps: Some(kept),
            harm: Some(1.0 - kept / 8e6),
            ..varied(run(cc, seed, 2e6, 10.0, 0.0, 1.0))
        })
    };
    let runs: Vec<RunSummary> = of("bbr", 4e6).chain(of("cubic", 8e6)).collect();
    let said = |rivals: usize| {
        let situation = Situation { rival: Some("cubic".to_owned()), rivals, ..situation() };
        sentence(&Contest::new(&runs, &situation, JudgementRules::default()))
    };
    let kept = "8 Mbit/s beside cubic and 4 Mbit/s beside bbr.";
    let (one, many) = (said(1), said(20));
    assert!(one.ends_with(&format!("The competing cubic keeps {kept}")), "{one}");
    assert!(many.ends_with(&format!("The 20 competing flows of cubic keep {kept}")), "{many}");
}

#[test]
fn drops_of_a_policer_are_congestion() {
    let of = |cc: &str, goodput: f64| {
        let drops = Drops { random: 30, policer: 40, ..Drops::default() };
        let runs = with_wait(cc, &[goodput; 6], 10.0);
        runs.into_iter().map(|run| RunSummary { drops, ..run }).collect::<Vec<_>>()
    };
    let (text, _) = says(&[of("reno", 2.0), of("bbr", 9.0)].concat(), JudgementRules::default());
    assert!(!text.contains("random loss, which it takes for congestion"), "{text}");
}

#[test]
fn a_difference_that_does_not_matter_needs_no_more_seeds() {
    let runs = [with_wait("a", &[9.0; 4], 10.0), with_wait("b", &[8.995; 4], 10.0)].concat();
    let (text, summary) = says(&runs, JudgementRules::default());
    assert_eq!(summary.front, ["a", "b"], "{text}");
    let place = |label| (label, runs.clone());
    for text in [text, sweep(&[place("1"), place("2")])] {
        assert!(text.contains("cannot be told apart") && !text.contains("seeds"), "{text}");
    }
}
