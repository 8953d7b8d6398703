//! The engine as a host sees it, without WebAssembly: what it answers is what the command's own code gives.

use serde_json::{Value, json};
use westwood_experiment::execution::Execution;
use westwood_experiment::judgement::JudgementRules;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::run::GridProgress;
use westwood_experiment::world::Simulator;
use westwood_web::{Reply, WebEngine};

const SWEEP: &str = r#"
name = "sweep"
time = "6s"
warmup = "1s"
seeds = 2
cc = ["reno", "westwood"]
[dumbbell]
rate = "5Mbit/s"
rtt = "60ms"
loss = "0.5%"
against_cc = "cubic"
against_flows = 1
[sweep]
"dumbbell.buffer" = ["10pkt", "1bdp"]
"#;

const TRANSFERS: &str = r#"
name = "transfers"
time = "30s"
warmup = "0s"
seeds = 2
cc = ["reno", "bbr"]
[dumbbell]
rate = "5Mbit/s"
rtt = "60ms"
size = "500kB"
"#;

/// With a controller of its own.
const DEFINED: &str = r#"
name = "defined"
cc = ["reno", "mine", "mine(beta=0.8)"]
time = "6 s"
seeds = 2

[dumbbell]
rate = "5 Mbit/s"
rtt = "40 ms"
loss = "0.5 %"

[controllers.mine]
parameters = { beta = 0.5 }
state = { least = 1e9 }
measure = "least = has(rtt) ? min(least, rtt) : least"
reduce = "beta * cwnd / (1 + ln(1 + least))"
"#;

fn ask(engine: &mut WebEngine, request: &Value) -> Reply {
    engine.answer(request.to_string().as_bytes())
}

fn plan(engine: &mut WebEngine, toml: &str) -> usize {
    let reply = ask(engine, &json!({ "do": "plan", "toml": toml }));
    reply.head()["ok"]["tasks"].as_array().unwrap().len()
}

/// All runs in steps of this length: the outcome.
fn outcome_in_steps(toml: &str, step_s: f64) -> Reply {
    let mut engine = WebEngine::default();
    let mut records = Vec::new();
    for task in 0..plan(&mut engine, toml) {
        ask(&mut engine, &json!({ "do": "begin", "task": task }));
        let mut until = 0.0;
        loop {
            until += step_s;
            let reply = ask(&mut engine, &json!({ "do": "advance", "until_s": until }));
            if reply.head()["ok"]["over"].as_bool().unwrap() {
                break;
            }
        }
        let reply = ask(&mut engine, &json!({ "do": "finish" }));
        records.push(reply.text("record").unwrap().to_owned());
    }
    ask(&mut engine, &json!({ "do": "outcome", "records": records }))
}

/// The document of it.
fn in_steps(toml: &str, step_s: f64) -> String {
    outcome_in_steps(toml, step_s).text("json").unwrap().to_owned()
}

/// The same as the command does them.
fn at_once(toml: &str) -> String {
    let none = |_: &std::path::Path| Err("no file".to_owned());
    let plan = ExperimentPlan::of_text("test", toml, &[], &none).unwrap();
    let watch = GridProgress::new(&plan.scenario, plan.runs().len());
    let mut execution = Execution::new(&plan, &[&Simulator], (2, None), Vec::new());
    execution.run_in::<()>(0, plan.runs(), &watch, |_| Ok(())).unwrap();
    let outcome = execution.outcome(JudgementRules::default());
    westwood_report::json::experiment(&plan, &outcome).unwrap()
}

#[test]
fn runs_in_steps_give_the_document_of_runs_at_once_baselines_and_transfers_included() {
    for toml in [SWEEP, TRANSFERS, DEFINED] {
        for step_s in [0.37, 100.0] {
            assert!(in_steps(toml, step_s) == at_once(toml), "{step_s} s a step: {toml}");
        }
    }
}

#[test]
fn an_outcome_has_the_figures_of_its_sweep_and_the_means_that_the_document_has() {
    let reply = outcome_in_steps(SWEEP, 100.0);
    let figures = &reply.head()["ok"]["figures"];
    assert_eq!(figures["variants"], json!(["reno", "westwood"]));
    assert_eq!(figures["sweep"]["axes"][0]["labels"], json!(["10pkt", "1bdp"]));
    let mut places: Vec<&Value> = figures["places"].as_array().unwrap().iter().collect();
    places.sort_by_key(|place| place[0].as_u64());
    assert_eq!(places, [&json!([0]), &json!([0]), &json!([1]), &json!([1])]);
    assert_eq!(figures["ranges"]["utilization"], json!([0.0, 1.0]));
    assert_eq!(figures["ranges"]["goodput"], json!([0.0, null]));
    let document: Value = serde_json::from_str(reply.text("json").unwrap()).unwrap();
    let mut means: Vec<Value> = Vec::new();
    for summary in document["summaries"].as_array().unwrap() {
        for one in summary["contestants"].as_array().unwrap() {
            let of = &one["means"]["goodput"];
            means.push(json!([of["mean"], of["half_width"]]));
        }
    }
    let shown: Vec<Value> =
        figures["means"].as_array().unwrap().iter().map(|point| point["goodput"].clone()).collect();
    assert_eq!(shown.len(), means.len());
    assert!(means.iter().all(|mean| shown.contains(mean)), "{shown:?} {means:?}");
}

#[test]
fn without_a_sweep_an_outcome_has_its_figures_over_the_seeds() {
    let reply = outcome_in_steps(TRANSFERS, 100.0);
    let figures = &reply.head()["ok"]["figures"];
    assert!(figures["sweep"].is_null() && figures["places"] == json!([[], []]), "{figures}");
    let rows = &figures["spreads"][0]["rows"];
    assert!(rows.as_array().unwrap().len() == 2 && rows[0]["seeds"] == json!(["1", "2"]), "{rows}");
}

#[test]
fn a_controller_that_computes_nothing_ends_its_run_in_words() {
    let mut engine = WebEngine::default();
    plan(&mut engine, &DEFINED.replace("beta * cwnd", "ln(-beta) * cwnd"));
    ask(&mut engine, &json!({ "do": "begin", "task": 2 }));
    let mut reply = ask(&mut engine, &json!({ "do": "advance", "until_s": 6.0 }));
    if reply.head()["error"].is_null() {
        reply = ask(&mut engine, &json!({ "do": "finish" }));
    }
    let error = reply.head()["error"].as_str().unwrap_or_default().to_owned();
    let says = "controller 'mine': reduce, column 1: 'ln(-beta) * cwnd / (1 + ln(1 + least))' is no number at ";
    assert!(error.starts_with(says), "{error}");
}

#[test]
fn seeds_are_texts_that_keep_all_of_their_digits() {
    let toml = format!("seed = 18446744073709551614\n{TRANSFERS}");
    let reply = ask(&mut WebEngine::default(), &json!({ "do": "plan", "toml": toml }));
    let [first, last] = ["18446744073709551614", "18446744073709551615"];
    assert_eq!(reply.head()["ok"]["seeds"], json!([first, last]));
    let tasks = json!([[0, first], [0, last], [1, first], [1, last]]);
    assert_eq!(reply.head()["ok"]["tasks"], tasks);
}

#[test]
fn a_plan_that_is_refused_leaves_none_behind() {
    let mut engine = WebEngine::default();
    plan(&mut engine, TRANSFERS);
    let refused = ask(&mut engine, &json!({ "do": "plan", "toml": "cc = 7" }));
    assert_eq!(refused.head()["faults"][0]["line"], 1);
    let begun = ask(&mut engine, &json!({ "do": "begin", "task": 0 }));
    assert_eq!(begun.head()["error"], "no experiment has been planned");
}

#[test]
fn a_measure_that_needs_a_clock_is_refused() {
    let toml = "cc = \"reno\"\n[dumbbell]\n[measure]\nack_cost = true\n";
    let refused = ask(&mut WebEngine::default(), &json!({ "do": "plan", "toml": toml }));
    assert_eq!(refused.head()["faults"][0]["place"], "measure.ack_cost");
}

#[test]
fn any_bytes_are_answered() {
    let mut engine = WebEngine::default();
    plan(&mut engine, TRANSFERS);
    let requests = [
        "",
        "\u{0}",
        "[]",
        "{\"do\":\"begin\",\"task\":-1}",
        "{\"do\":\"begin\",\"task\":0,\"interval_s\":1e300}",
        "{\"do\":\"begin\",\"task\":0,\"series\":[\"cwnd\"]}",
        "{\"do\":\"packets\",\"task\":0,\"from_s\":5,\"until_s\":1,\"most\":0}",
        "{\"do\":\"packets\",\"task\":0,\"from_s\":0,\"until_s\":0,\"most\":9}",
        "{\"do\":\"outcome\",\"records\":[]}",
    ];
    for request in requests {
        let head = engine.answer(request.as_bytes()).head().clone();
        assert!(head.contains_key("ok") || head.contains_key("error"), "{request}");
    }
    assert!(engine.answer(b"\xff").head().contains_key("error"));
}

#[test]
fn windows_tell_reductions_from_changes_that_reduce_nothing() {
    let mut engine = WebEngine::default();
    plan(&mut engine, SWEEP);
    ask(&mut engine, &json!({ "do": "begin", "task": 0, "series": ["windows"] }));
    let reply = ask(&mut engine, &json!({ "do": "finish" }));
    let reductions = reply.numbers("windows", "reduction");
    let causes = reply.names("windows", "cause");
    assert_eq!(reductions.len(), causes.len());
    // Words of a reduction end with the threshold that it set.
    let said = causes.iter().map(|cause| if cause.contains(" segments") { 1.0 } else { 0.0 });
    assert!(reductions.iter().copied().eq(said));
    assert!(reductions.iter().sum::<f64>() > 5.0);
    assert!(causes.iter().any(|cause| cause == "recovery ends"));
}

const CODEL: &str = "aqm = \"codel\"\nbuffer = \"100pkt\"";
const RED: &str = "aqm = \"red(min=5,max=15)\"\nbuffer = \"100pkt\"";
const POLICER: &str = "policer = \"2Mbit/s burst 20KiB\"";

/// A run of Reno over this bottleneck: how many packets its links dropped for each cause, and the passages.
fn counted(bottleneck: &str) -> (impl Fn(&str) -> u64, Reply) {
    let toml = format!(
        "cc = \"reno\"\ntime = \"6s\"\nwarmup = \"0s\"\nseeds = 1\n\
         [dumbbell]\nrate = \"5Mbit/s\"\nrtt = \"60ms\"\n{bottleneck}\n"
    );
    let mut engine = WebEngine::default();
    plan(&mut engine, &toml);
    ask(&mut engine, &json!({ "do": "begin", "task": 0 }));
    let reply = ask(&mut engine, &json!({ "do": "finish" }));
    let record: Value = serde_json::from_str(reply.text("record").unwrap()).unwrap();
    let count = move |cause: &str| {
        let links = record["links"].as_array().unwrap().iter();
        // A policer's drops are told where there is a policer.
        links.map(|link| link["drops"][cause].as_u64().unwrap_or(0)).sum::<u64>()
    };
    let whole = json!({ "do": "packets", "task": 0, "from_s": 0, "until_s": 6, "most": 1_000_000 });
    (count, ask(&mut engine, &whole))
}

/// A packet with its link, and the time at which it enters it.
type PassageRow = ((f64, String), f64);

#[test]
fn a_part_with_more_passages_than_asked_for_has_all_of_its_shorter_time() {
    let mut engine = WebEngine::default();
    plan(&mut engine, SWEEP);
    let mut part = |from_s: f64, most: usize| {
        let reply = ask(
            &mut engine,
            &json!({ "do": "packets", "task": 0, "from_s": from_s, "until_s": 6, "most": most }),
        );
        let [packet, enter] = ["packet", "enter_s"].map(|name| reply.numbers("passages", name));
        let links = reply.names("passages", "link");
        let rows: Vec<PassageRow> = packet.into_iter().zip(links).zip(enter).collect();
        (rows, reply.head()["ok"]["cut"].as_bool().unwrap())
    };
    for from_s in [0.0, 2.5] {
        let (whole, is_cut) = part(from_s, 1_000_000);
        assert!(!is_cut && whole.len() > 1_500, "{} passages", whole.len());
        for most in [200, 800] {
            let (some, is_cut) = part(from_s, most);
            assert!(is_cut && some.len() == most, "{} of {most} passages", some.len());
            let end = some.last().unwrap().1;
            assert!(end > from_s);
            // Of those that enter a link at the very end some may be behind it.
            let before = |rows: Vec<PassageRow>| -> Vec<PassageRow> {
                rows.into_iter().take_while(|&(_, enter)| enter < end).collect()
            };
            assert!(before(some) == before(whole.clone()), "{most} from {from_s} s on");
        }
    }
    // A pipe holds more than one packet.
    let (rows, is_cut) = part(2.5, 1);
    assert!(is_cut && rows.len() <= 1);
}

#[test]
fn every_drop_that_a_link_counts_is_a_passage_that_ends_there_with_its_cause() {
    const RUNS: [(&str, &[&str]); 4] = [
        ("loss = \"0.5%\"\nbuffer = \"10pkt\"", &["overflow", "random"]),
        (CODEL, &["aqm"]),
        (RED, &["aqm"]),
        (POLICER, &["policer"]),
    ];
    for (bottleneck, expected) in RUNS {
        let (count, reply) = counted(bottleneck);
        let causes = reply.names("passages", "cause");
        for cause in ["overflow", "aqm", "policer", "random"] {
            let passages = causes.iter().filter(|one| *one == cause).count() as u64;
            assert_eq!(passages, count(cause), "{bottleneck}: {cause}");
            assert!(passages > 0 || !expected.contains(&cause), "{bottleneck}: {cause}");
        }
        for (fate, cause) in reply.names("passages", "fate").iter().zip(&causes) {
            let named = match fate.as_str() {
                "dropped" => ["overflow", "aqm", "policer"].contains(&cause.as_str()),
                "lost" => cause == "random",
                _ => cause.is_empty(),
            };
            assert!(named, "{bottleneck}: {fate} {cause}");
        }
    }
}

#[test]
fn codel_drops_what_has_waited_and_red_and_policers_what_arrives() {
    for (bottleneck, waits) in [(CODEL, true), (RED, false), (POLICER, false)] {
        let (_, reply) = counted(bottleneck);
        let causes = reply.names("passages", "cause");
        let [enter, gone] = ["enter_s", "gone_s"].map(|column| reply.numbers("passages", column));
        let waited = |place: usize| gone[place] > enter[place];
        let dropped =
            (0..causes.len()).filter(|&i| ["aqm", "policer"].contains(&causes[i].as_str()));
        let (late, at_once): (Vec<usize>, Vec<usize>) = dropped.partition(|&place| waited(place));
        assert_eq!((late.is_empty(), at_once.is_empty()), (!waits, waits), "{bottleneck}");
    }
}
