//! Controllers that a scenario defines run by their names, as those of the catalog do.

use std::path::Path;

use westwood_scenario::file::Scenario;
use westwood_script::{VerbName, watched};
use westwood_sim::{Control, Engine, Outcome, Point, run_with};

/// Reno by RFC 5681, with the credit of an ACK split at ssthresh as the catalog's does.
const RENO: &str = r#"
[controllers.mine]
about = "Reno by the book"
grow = """
let slow = cwnd >= ssthresh ? 0 : credit <= 1 ? credit : min(credit, ssthresh - cwnd);
let w = cwnd + slow;
credit > slow ? w + (credit - slow) / w : w
"""
reduce = "cwnd / 2"
"#;

fn scenario(text: &str) -> Result<Scenario, String> {
    let none = |_: &Path| Err("there are no files".to_owned());
    Scenario::parse("f.toml", text, &[], &none).map_err(|error| error.to_string())
}

fn outcome(scenario: &Scenario, point: usize, engine: Engine) -> Outcome {
    let seed = scenario.seeds()[0];
    let built = scenario.build(&scenario.points()[point], seed).unwrap();
    let control = Control { engine, ..Control::default() };
    let (outcome, fault) =
        watched(|stop| run_with(&built.network, Control { stop: Some(stop), ..control }));
    assert_eq!(fault, None);
    outcome.unwrap()
}

/// All of an outcome but for what an engine needs.
fn apart_from_events(outcome: Outcome) -> Outcome {
    Outcome { events: 0, ..outcome }
}

#[test]
fn reno_by_definition_is_reno_to_the_packet() {
    for (tcp, dumbbell) in [
        ("", "{ rate = \"10 Mbit/s\", rtt = \"40 ms\" }"),
        ("", "{ rate = \"20 Mbit/s\", rtt = \"100 ms\", loss = \"0.5 %\" }"),
        ("", "{ rate = \"10 Mbit/s\", rtt = \"20 ms to 80 ms\", flows = 5, buffer = \"0.5 bdp\" }"),
        ("recovery = \"newreno\"", "{ rate = \"5 Mbit/s\", rtt = \"60 ms\", loss = \"1 %\" }"),
        ("recovery = \"linux\"", "{ rate = \"5 Mbit/s\", rtt = \"60 ms\", loss_both = \"2 %\" }"),
        ("ecn = true", "{ rate = \"10 Mbit/s\", rtt = \"60 ms\", aqm = \"codel\", flows = 3 }"),
        ("credit = \"ack\"", "{ rate = \"10 Mbit/s\", rtt = \"60 ms\", reverse_flows = 2 }"),
        ("", "{ rate = \"10 Mbit/s\", rtt = \"60 ms\", against_cc = \"mine\", against_flows = 2 }"),
    ] {
        let text = format!(
            "cc = [\"reno\", \"mine\"]\ntime = \"20 s\"\nseeds = 1\ndumbbell = {dumbbell}\n[tcp]\n{tcp}\n{RENO}"
        );
        let scenario = scenario(&text).unwrap_or_else(|error| panic!("{error}"));
        let reno = apart_from_events(outcome(&scenario, 0, Engine::Lookahead));
        let mine = apart_from_events(outcome(&scenario, 1, Engine::Lookahead));
        assert!(reno == mine, "{tcp} {dumbbell}");
        let plain = apart_from_events(outcome(&scenario, 1, Engine::Plain));
        assert!(mine == plain, "the engines differ: {tcp} {dumbbell}");
    }
}

/// A scenario of one controller with this table, on a path with losses.
fn of_one(cc: &str, table: &str) -> Result<Scenario, String> {
    scenario(&format!(
        "cc = {cc}\ntime = \"20 s\"\nseeds = 1\ndumbbell = {{ rate = \"10 Mbit/s\", loss = \"0.5 %\" }}\n\
         [controllers.mine]\n{table}"
    ))
}

/// The error of such a scenario.
fn refused(table: &str) -> String {
    of_one("\"mine\"", table).expect_err(table)
}

#[test]
fn the_state_of_a_connection_is_its_own_and_its_estimate_is_seen() {
    // Westwood+ in short: bandwidth by ACKs of half a second, and bwe x min_rtt at a loss.
    let table = "state = { min_rtt = 1e9, rate = 0, since = 0, acked = 0 }\n\
        measure = '''\n\
        min_rtt = has(rtt) ? min(min_rtt, rtt) : min_rtt;\n\
        let long = now - since;\n\
        let ends = long >= 0.5;\n\
        let sample = (delivered - acked) / max(long, 0.001);\n\
        rate = not ends ? rate : rate == 0 ? sample : 0.9 * rate + 0.1 * sample;\n\
        acked = ends ? delivered : acked;\n\
        since = ends ? now : since'''\n\
        reduce = \"max(2, min(cwnd, rate * min_rtt))\"\n\
        bwe = \"rate\"\n";
    let text = format!(
        "cc = \"mine\"\ntime = \"60 s\"\nseeds = 1\nrecord = {{ series = [\"windows\"] }}\n\
         dumbbell = {{ rate = \"8 Mbit/s\", rtt = \"50 ms\", flows = 2, loss = \"0.1 %\" }}\n[controllers.mine]\n{table}"
    );
    let scenario = scenario(&text).unwrap_or_else(|error| panic!("{error}"));
    let outcome = outcome(&scenario, 0, Engine::Lookahead);
    for flow in &outcome.flows {
        // Each of two has about half of the path, and an estimate of its own of it.
        assert!(flow.delivered_bytes > 15_000_000, "{}", flow.delivered_bytes);
    }
    assert!(outcome.flows[0].delivered_bytes != outcome.flows[1].delivered_bytes);
    let written = format!("{:?}", outcome.records);
    assert!(written.contains("bwe: Some"), "no estimate is recorded");
}

/// The last estimate `bwe` of a controller that keeps the least and the last one-way delay, in ms. None if no
/// ACK had a delay.
fn of_one_way_delays(tcp: &str, bwe: &str, engine: Engine) -> Option<u64> {
    let text = format!(
        "cc = \"mine\"\ntime = \"20 s\"\nseeds = 1\nrecord = {{ series = [\"windows\"] }}\n\
         dumbbell = {{ rate = \"10 Mbit/s\", rtt = \"40 ms\" }}\ntcp = {{ {tcp} }}\n[controllers.mine]\n\
         state = {{ told = 0, least = 0, last = 0 }}\n\
         measure = '''\n\
         last = has(one_way_delay) ? one_way_delay * 1000 : last;\n\
         least = not has(one_way_delay) ? least : told == 0 ? last : min(least, last);\n\
         told = told + has(one_way_delay)'''\n\
         bwe = \"told == 0 ? 0 : {bwe}\"\n"
    );
    let scenario = scenario(&text).unwrap_or_else(|error| panic!("{error}"));
    let outcome = outcome(&scenario, 0, engine);
    let mut estimates = outcome.records.iter().filter_map(|record| match record.what {
        Point::Window { bwe, .. } => Some(bwe),
        _ => None,
    });
    // Segments have 1500 bytes.
    estimates.next_back().expect("windows").map(|rate| rate.bits_per_s() / 12_000)
}

#[test]
fn an_ack_with_the_receivers_clock_tells_the_one_way_delay() {
    let least = |tcp| of_one_way_delays(tcp, "least", Engine::Lookahead);
    // Half of the round trip, and 1.2 ms in the link's transmitter.
    assert_eq!(least("receiver_clock = \"on\""), Some(21));
    assert_eq!(least("receiver_clock = \"on(offset=1s)\""), Some(1021));
    assert_eq!(least(""), None, "no clock is told");
    assert_eq!(least("receiver_clock = \"off\", timestamps = false"), None);
}

#[test]
fn a_one_way_delay_between_two_clocks_may_be_negative() {
    // The clock has lost 200 ms by the end. A delay is 21 ms at least, and 100 ms more in a full queue of one
    // BDP whose ACK is delayed.
    let behind = |engine| {
        of_one_way_delays("receiver_clock = \"on(drift=-10000)\"", "-last", engine).unwrap_or(0)
    };
    assert!((30..=179).contains(&behind(Engine::Lookahead)), "{}", behind(Engine::Lookahead));
    assert_eq!(behind(Engine::Plain), behind(Engine::Lookahead), "the engines differ");
}

#[test]
fn a_parameter_is_given_in_parentheses_and_the_name_says_what_differs() {
    let table = "parameters = { beta = 0.5, alpha = 1 }\n\
                 grow = \"cwnd < ssthresh ? cwnd + credit : cwnd + alpha * credit / cwnd\"\n\
                 reduce = \"beta * cwnd\"\n";
    let cc = "[\"mine\", \"mine(beta=0.9)\", \"mine(beta=0.50)\"]";
    assert!(of_one(cc, table).unwrap_err().contains("'mine' is given twice"));
    let scenario =
        of_one("[\"mine\", \"mine(beta=90%,pacing=on)\", \"Mine(alpha=2)\"]", table).unwrap();
    let names: Vec<String> = scenario.points().iter().map(|p| p.cc.unwrap().to_string()).collect();
    assert_eq!(names, ["mine", "mine(beta=0.9,pacing=on)", "mine(alpha=2)"]);
    let delivered = |point| outcome(&scenario, point, Engine::Lookahead).flows[0].delivered_bytes;
    assert!(delivered(1) > delivered(0), "nine tenths of the window are kept, and not a half");
    let error = of_one("\"mine(gamma=1)\"", table).unwrap_err();
    assert!(error.contains("mine: has no parameter 'gamma'"), "{error}");
    let error = of_one("\"mine(beta=-1)\"", table).unwrap_err();
    assert!(error.contains("beta"), "{error}");
}

#[test]
fn two_scenarios_may_give_one_name_to_different_controllers() {
    let share = |keep: &str| of_one("\"mine\"", &format!("reduce = \"{keep} * cwnd\"\n")).unwrap();
    let (half, most) = (share("0.5"), share("0.9"));
    let delivered = |s: &Scenario| outcome(s, 0, Engine::Lookahead).flows[0].delivered_bytes;
    let before = (delivered(&half), delivered(&most));
    assert!(before.0 < before.1);
    assert_eq!((delivered(&half), delivered(&most)), before, "each keeps its own");
    assert_ne!(half.points()[0].cc, most.points()[0].cc);
    assert_eq!(half.points()[0].cc, share("0.5").points()[0].cc);
}

#[test]
fn a_value_that_is_none_ends_the_run_with_its_place_and_time() {
    for (table, says) in [
        (
            "reduce = \"cwnd / (ssthresh - ssthresh)\"",
            "controller 'mine': reduce, column 1: 'cwnd / (ssthresh - ssthresh)' is infinite at ",
        ),
        (
            "state = { best = 0 }\nmeasure = \"best = 1; best = max(best, rtt)\"",
            "controller 'mine': measure, column 11: 'best = max(best, rtt)' is no number at ",
        ),
        ("state = { x = 0 }\nstart = \"x = 0 / 0\"", "start, column 1: 'x = 0 / 0' is no number"),
        ("state = { x = 0 }\nbwe = \"1 / x\"", "bwe, column 1: '1 / x' is infinite"),
    ] {
        let scenario = of_one("\"mine\"", table).unwrap();
        let mut built = scenario.build(&scenario.points()[0], 1).unwrap();
        built.network.probes.windows = true;
        let (_, fault) = watched(|_| run_with(&built.network, Control::default()));
        let fault = fault.expect(table).to_string();
        assert!(fault.starts_with(says) || fault.contains(says), "{fault}");
    }
    let absent = "state = { best = 0 }\nmeasure = \"best = max(best, rtt)\"";
    let scenario = of_one("\"mine\"", absent).unwrap();
    let built = scenario.build(&scenario.points()[0], 1).unwrap();
    let (stopped, fault) = watched(|stop| {
        let _ = run_with(&built.network, Control::default());
        stop.load(std::sync::atomic::Ordering::Relaxed)
    });
    assert!(stopped, "the run is told to end");
    let fault = fault.unwrap().to_string();
    assert!(fault.ends_with("; 'rtt' has no value there: ask has(rtt) first"), "{fault}");
}

#[test]
fn a_fault_of_a_text_is_told_with_its_line_its_column_and_its_mend() {
    for (table, place, says) in [
        (
            "grow = \"cwnd + credits\"",
            "f.toml:6:16",
            "unknown name 'credits'; did you mean 'credit'?",
        ),
        ("grow = \"cwnd +\"", "f.toml:6:15", "the expression ends too early"),
        ("grow = \"cwnd + 1 cwnd\"", "f.toml:6:18", "';' is missing here"),
        ("grow = \"cvnd\"", "f.toml:6:9", "did you mean 'cwnd'?"),
        ("grow = \"x = 1; cwnd\"", "f.toml:6:9", "there is no state 'x' to keep it in"),
        ("state = { y = 0 }\ngrow = \"x = 1; cwnd\"", "f.toml:7:9", "unknown state 'x'"),
        ("state = { y = 0 }\ngrow = \"y = 1;\"", "f.toml:7:9", "ends without a window"),
        ("grow = \"cwnd; cwnd\"", "f.toml:6:15", "this stands behind the answer"),
        (
            "grow = \"cwnd, ssthresh, 1\"",
            "f.toml:6:23",
            "a verb answers two windows at most; leave the rest out",
        ),
        ("bwe = \"1, 2\"", "f.toml:6:9", "a verb answers one rate at most; leave the rest out"),
        ("grow = \"cwnd = 1; cwnd\"", "f.toml:6:9", "'cwnd' cannot be set; or end with it"),
        (
            "reduce = \"cause = loss ? 2 : 3\"",
            "f.toml:6:11",
            "'cause' cannot be set; to compare write cause == ...",
        ),
        (
            "parameters = { a = 1 }\nmeasure = \"a = 2\"",
            "f.toml:7:12",
            "'a' cannot be set; give the value another name",
        ),
        ("grow = \"not (cwnd < 2 && cwnd < 3)\"", "f.toml:6:23", "means nothing here; write and"),
        ("grow = \"cwnd < 2 || cwnd < 3\"", "f.toml:6:18", "means nothing here; write or"),
        ("grow = \"!cwnd\"", "f.toml:6:9", "means nothing here; write not"),
        ("grow = \"cwnd % 2\"", "f.toml:6:14", "means nothing here; x - y * floor(x / y)"),
        ("grow = \"if cwnd < 2 { 3 }\"", "f.toml:6:21", "means nothing here; condition ? a : b"),
        ("grow = \"cwnd ** 2\"", "f.toml:6:15", "stands where a value is due; a power is x ^ y"),
        (
            "state = { n = 0 }\nlost = \"n = n + 1\"",
            "f.toml:7:9",
            "everything = true alone; write everything = true, or leave the verb out",
        ),
        (
            "state = { n = 0 }\nmeasure = \"n = has(delivery_rate) ? delivery_rate : n\"",
            "f.toml:7:12",
            "alone has 'delivery_rate'; write everything = true, or take 'delivered' and 'now'",
        ),
        ("parameters = { cwnd = 1 }", "f.toml:6:16", "'cwnd' names something else already"),
        ("measure = \"rtt\"", "f.toml:6:12", "nobody is told this value"),
        ("measure = \"\"", "f.toml:6:12", "this does nothing"),
        ("bwe = \"\"", "f.toml:6:8", "ends without a rate"),
        ("grow = \"sin(cwnd)\"", "f.toml:6:9", "unknown function 'sin'"),
        ("grow = \"min(cwnd)\"", "f.toml:6:9", "'min' has 1 value; it takes 2 to 8"),
        ("grow = \"let cwnd = 1; cwnd\"", "f.toml:6:13", "'cwnd' names something else already"),
        ("grow = \"cause == timeout ? 1 : 2\"", "f.toml:6:9", "unknown name 'cause'"),
        ("reduce = \"cause == 'x'\"", "f.toml:6:20", "means nothing here"),
        ("state = { cwnd = 0 }", "f.toml:6:11", "'cwnd' names something else already"),
        ("parameters = { a = 1 }\nstate = { a = 0 }", "f.toml:7:11", "'a' names something else"),
        ("parameters = { a = -1 }", "f.toml:6:20", "-1"),
        ("parameters = { a = \"x\" }", "f.toml:6:20", "x"),
        ("state = { a = [1] }", "f.toml:6:15", "a list cannot stand here"),
        ("growth = \"cwnd\"", "f.toml:6:1", "did you mean 'grow'?"),
    ] {
        let error = refused(table);
        assert!(error.starts_with(place), "{table}: {error}");
        assert!(
            error.replace('\n', " ").contains(says.split(';').next().unwrap()),
            "{table}: {error}"
        );
        let mend = says.split("; ").nth(1).unwrap_or_default();
        assert!(error.contains(mend), "{table}: {error}");
        assert!(!error.contains("errors in"), "one fault is told once: {error}");
    }
}

#[test]
fn names_that_mean_something_else_are_refused() {
    for (name, says) in [
        ("reno", "there is a controller 'reno' already"),
        ("newreno", "there is a controller 'newreno' already"),
        ("\"a b\"", "'a b' cannot name a controller"),
        ("A", "'A' cannot name a controller"),
        ("a_b", "'a_b' cannot name a controller"),
    ] {
        let text = format!("cc = \"reno\"\ndumbbell = {{}}\n[controllers.{name}]\n");
        let error = scenario(&text).expect_err(name);
        assert!(error.contains(says), "{error}");
    }
    let error = scenario("cc = \"mini\"\ndumbbell = {}\n[controllers.mine]\n").unwrap_err();
    assert!(error.contains("did you mean 'mine'?"), "{error}");
    assert!(scenario("cc = \"mine\"\ndumbbell = {}\n").is_err(), "it was another scenario's");
}

#[test]
fn hostile_texts_are_refused_and_long_ones_take_no_stack() {
    let megabyte = "cwnd + ".repeat(150_000) + "1";
    assert!(refused(&format!("grow = \"{megabyte}\"")).contains("longer than 1000 words"));
    let deep = "(".repeat(400) + "cwnd" + &")".repeat(400);
    assert!(refused(&format!("grow = \"{deep}\"")).contains("nested too deeply"));
    let wide = "min(1, ".repeat(40) + "1" + &")".repeat(40);
    assert!(refused(&format!("grow = \"{wide}\"")).contains("at hand at once"));
    let names: Vec<String> = (0..30).map(|i| format!("let x{i} = 1;")).collect();
    let names = names.concat();
    assert!(refused(&format!("grow = \"{names}cwnd\"")).contains("8 names of 'let' at most"));
    let state: Vec<String> = (0..30).map(|i| format!("s{i} = 0")).collect();
    assert!(refused(&format!("state = {{ {} }}", state.join(", "))).contains("19 numbers at most"));
    let many: Vec<String> = (0..70).map(|i| format!("[controllers.c{i}]\n")).collect();
    let many = many.concat();
    let error = scenario(&format!("cc = \"reno\"\ndumbbell = {{}}\n{many}")).unwrap_err();
    assert!(error.contains("64 controllers at most"), "{error}");
    let control = "grow = \"cwnd \\u0000 \\u001b[31m\"";
    assert!(!refused(control).contains('\u{1b}'));
}

#[test]
fn the_example_of_each_verb_may_stand_there() {
    let schema = westwood_scenario::file::schema();
    let fields = &schema["definitions"]["controllers.NAME"]["properties"];
    for verb in VerbName::ALL.map(VerbName::name) {
        let example = fields[verb]["examples"][0].as_str().unwrap_or_else(|| panic!("{verb}"));
        let everything = if verb == "lost" { "everything = true" } else { "" };
        let text = format!(
            "cc = \"mine\"\ndumbbell = {{}}\n[controllers.mine]\nstate = {{ best = 0 }}\n\
             {everything}\n{verb} = \"{example}\"\n"
        );
        scenario(&text).unwrap_or_else(|error| panic!("{verb}: {error}"));
    }
}
