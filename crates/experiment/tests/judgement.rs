//! What is concluded from runs, and that it hangs on the runs alone.

use proptest::prelude::*;
use westwood_experiment::judgement::{
    Contest, Practical, Preference, Rules, Situation, Summary, sentence,
};
use westwood_experiment::results::{DelayMs, Drops, Flow, QueuePackets, Run};

fn run(cc: &str, seed: u64, goodput_bps: f64, wait_ms: f64, resent: f64, jain: f64) -> Run {
    Run {
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
        drops: Drops { overflow: 0, aqm: 0, random: 0 },
        flows: Vec::new(),
        under_test: 2,
        many_transfers: None,
        against_goodput_bps: None,
        harm: None,
        reverse_goodput_bps: None,
        data_packets: 0,
        events: 0,
        sim_s: 30.0,
        wall_s: 0.0,
        lateness_us: None,
    }
}

fn situation() -> Situation {
    Situation { several: true, rate_bps: 10e6, base_rtt_ms: 100.0, ..Situation::default() }
}

/// Four runs each of: fast with a long queue, slow with a short one, and worse than both.
fn three() -> Vec<Run> {
    let of = |cc: &'static str, goodput: f64, wait: f64, resent: f64| {
        (1..=4_u32).map(move |seed| {
            let jitter = f64::from(seed) / 1e3;
            let goodput = goodput * (1.0 + jitter);
            run(cc, seed.into(), goodput, wait * (1.0 + jitter), resent, 0.99)
        })
    };
    of("fast", 9e6, 80.0, 0.02)
        .chain(of("quick", 7e6, 5.0, 0.0))
        .chain(of("poor", 5e6, 90.0, 0.05))
        .collect()
}

fn says(runs: &[Run], rules: Rules) -> (String, Summary) {
    let situation = situation();
    let contest = Contest::new(runs, &situation, rules);
    (sentence(&contest), Summary::of(&contest))
}

#[test]
fn the_front_is_whom_nobody_dominates_and_the_lead_has_its_price() {
    let (text, summary) = says(&three(), Rules::default());
    assert_eq!(summary.front, ["fast", "quick"]);
    assert_eq!(summary.leader.as_deref(), Some("fast"));
    assert!(text.starts_with("fast carries 9.02 of 10 Mbit/s, the most"), "{text}");
    assert!(text.contains("80 ms") && text.contains("5.0 ms with quick"), "{text}");
    assert!(text.contains("resends 2.00 %, against 0.00 % with quick"), "{text}");
    assert!(!text.contains("poor is"), "{text}");
}

#[test]
fn a_preference_is_heeded_and_said() {
    let rules = Rules { preference: Preference::Delay, ..Rules::default() };
    let (text, summary) = says(&three(), rules);
    assert_eq!(summary.leader.as_deref(), Some("quick"));
    assert!(text.starts_with("Preferring a short queue: quick carries 7.02"), "{text}");
    assert!(!text.contains("the most"), "{text}");
}

#[test]
fn an_unfair_leader_is_not_without_its_unfairness() {
    let of = |cc: &'static str, goodput: f64, jain: f64| {
        (1..=4).map(move |seed| run(cc, seed, goodput, 10.0, 0.3, jain))
    };
    let runs: Vec<Run> = of("greedy", 9e6, 0.5).chain(of("even", 8e6, 0.99)).collect();
    let (text, summary) = says(&runs, Rules::default());
    assert_eq!(summary.front, ["even", "greedy"]);
    assert!(text.contains("Jain index of 0.50, against 0.99 with even"), "{text}");
}

#[test]
fn what_is_certain_and_small_does_not_count() {
    let of = |cc: &'static str, goodput: f64| {
        (1..=4).map(move |seed| run(cc, seed, goodput, 10.0, 0.0, 1.0))
    };
    let runs: Vec<Run> = of("a", 9.00e6).chain(of("b", 9.05e6)).collect();
    let (text, summary) = says(&runs, Rules::default());
    assert_eq!(summary.front, ["a", "b"]);
    assert!(text.contains("cannot be told apart"), "{text}");
    let strict = Rules { practical: Practical(0.0), ..Rules::default() };
    assert_eq!(says(&runs, strict).1.front, ["b"]);
}

#[test]
fn nobody_is_most_whose_mean_is_lower_than_anothers() {
    // b has the better mean of goodput, by chance; a has the shorter queue.
    let goodput = [[9.0e6, 9.4e6, 8.9e6, 9.3e6], [9.3e6, 9.1e6, 9.4e6, 9.0e6]];
    let runs: Vec<Run> = ["a", "b"]
        .iter()
        .zip(goodput)
        .zip([5.0, 50.0])
        .flat_map(|((cc, goodput), wait)| {
            (1..).zip(goodput).map(move |(seed, g)| run(cc, seed, g, wait, 0.0, 1.0))
        })
        .collect();
    let (text, summary) = says(&runs, Rules::default());
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
        let flow = Flow { cc: run.cc.clone(), goodput_bps: 1e6, base_rtt_ms: 10.0, fct_ms };
        (run.flows, run.under_test) = (vec![flow], 1);
    }
    let situation = Situation { transfers: true, ..situation() };
    let says = |runs: &[Run]| sentence(&Contest::new(runs, &situation, Rules::default()));
    assert!(says(&runs).starts_with("Not every transfer was finished"), "{}", says(&runs));
    runs[3].flows[0].fct_ms = Some(100.0);
    assert!(says(&runs).contains("cannot be told apart by completion time"), "{}", says(&runs));
}

#[test]
fn one_seed_says_that_it_says_nothing() {
    let runs = [run("a", 1, 9e6, 1.0, 0.0, 1.0), run("b", 1, 5e6, 1.0, 0.0, 1.0)];
    assert!(says(&runs, Rules::default()).0.contains("one seed cannot tell merit from chance"));
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let one = (0..4_usize, 1..5_u64, 1e6..9e6_f64, 0.0..90.0_f64, 0.0..0.1_f64, 0.5..1.0_f64);
    let one =
        one.prop_map(|(cc, seed, g, w, r, j)| run(["a", "b", "c", "d"][cc], seed, g, w, r, j));
    prop::collection::vec(one, 0..24).prop_map(|runs: Vec<Run>| {
        // A run that is said twice is the same run.
        let mut each: Vec<Run> = Vec::new();
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
        let rules = Rules { preference, ..Rules::default() };
        prop_assert_eq!(says(&runs, rules), says(&mixed, rules));
    }
}
