//! A small paper from its files to its verdicts, its pages and its scoreboard.

use westwood_experiment::store::RunStore;
use westwood_reproduce::results::ReproductionReport;
use westwood_reproduce::run::{RunResults, prepare, remaining, run};
use westwood_reproduce::{
    ClaimVerdict, Extent, PaperPart, Platform, ReproductionPlan, judge, page, paper, scoreboard,
};

const SCENARIO: &str = r#"
cc = ["reno", "westwood+"]
time = "20 s"
warmup = "0 s"
seeds = 3
dumbbell = { rate = "4 Mbit/s", rtt = "40 ms", loss = "1 %" }

[sweep]
"dumbbell.loss" = ["0.5 %", "2 %"]

[variant.slow]
"dumbbell.rtt" = "80 ms"
"#;

const PAPER: &str = r#"
title = "On small things"
authors = "Nobody"
year = 2000

[[experiment]]
name = "one"
about = "Losses"
[experiment.quick]
seeds = 1

[[figure]]
id = "1"
title = "Goodput against loss"
experiment = "one"
x = "loss"
y = "goodput (Mbit/s)"
[[figure.line]]
name = "Reno"
value = 'goodput(cc="reno") / 1e6'
"#;

/// A claim about the experiment; `rest` says what is measured.
fn claim(id: &str, kind: &str, rest: &str) -> String {
    format!(
        "[[claim]]\nid = \"{id}\"\nfigure = \"1\"\nexperiment = \"one\"\nstatement = \"it does\"\n\
         confidence = \"soft\"\nkind = \"{kind}\"\nwhy = \"a test\"\n{rest}\n"
    )
}

fn plan(claims: &str, mode: Extent) -> Result<ReproductionPlan, String> {
    plan_of(PAPER, claims, mode)
}

fn plan_of(paper: &str, claims: &str, mode: Extent) -> Result<ReproductionPlan, String> {
    plan_over(SCENARIO, paper, claims, mode)
}

/// The plan of a paper whose experiment is this scenario.
fn plan_over(
    scenario: &str,
    paper: &str,
    claims: &str,
    mode: Extent,
) -> Result<ReproductionPlan, String> {
    let files = [
        ("small/paper.toml", paper),
        ("small/claims.toml", claims),
        ("small/one.toml", scenario),
        ("no-paper/notes.md", "text"),
    ];
    let (papers, sources) = paper::papers(&files).map_err(|e| e.to_string())?;
    ReproductionPlan::new(papers, &sources, mode).map_err(|e| e.to_string())
}

fn reproduced(claims: &str, mode: Extent) -> (ReproductionPlan, RunResults, ReproductionReport) {
    reproduced_of(PAPER, claims, mode)
}

fn reproduced_of(
    paper: &str,
    claims: &str,
    mode: Extent,
) -> (ReproductionPlan, RunResults, ReproductionReport) {
    let plan = plan_of(paper, claims, mode).unwrap_or_else(|e| panic!("{e}"));
    let (done, watch) = prepare(&plan, None);
    let done = run(&plan, done, &watch, None, 2).expect("it runs");
    let (report, _) = judge(&plan, &done);
    (plan, done, report)
}

fn verdict(kind: &str, rest: &str) -> ClaimVerdict {
    reproduced(&claim("A-1", kind, rest), Extent::Quick).2.claims[0].verdict
}

fn wrong(rest: &str) -> String {
    plan(&claim("A-1", "value", rest), Extent::Full).expect_err("it is wrong")
}

#[test]
fn a_number_within_its_tolerance_holds_and_one_outside_does_not() {
    let measure = "measure = 'goodput(cc=\"reno\", loss=\"0.5 %\") / 4e6'\nexpected = 0.5\n";
    let with = |tolerance: &str| verdict("value", &format!("{measure}tolerance = {tolerance}"));
    assert_eq!(with("{ abs = 0.5 }"), ClaimVerdict::Holds);
    assert_eq!(with("{ low = 2 }"), ClaimVerdict::Differs);
    let shape = "{ low = 2 }\nshape = 'it > 0 and it <= 1'";
    assert_eq!(with(shape), ClaimVerdict::InShape);
}

#[test]
fn an_order_that_is_kept_by_less_than_its_margin_holds_in_shape() {
    let order = "measure = 'min(goodput(cc=\"westwood+\") / goodput(cc=\"reno\"))'\n\
                 expected = \"westwood+ > reno\"\n";
    let with =
        |margin: &str| verdict("ordering", &format!("{order}tolerance = {{ margin = {margin} }}"));
    assert_eq!(with("0"), ClaimVerdict::Holds);
    assert_eq!(with("50"), ClaimVerdict::InShape);
}

#[test]
fn what_cannot_be_tested_says_so_whatever_its_stand_in_measures() {
    let rest = "expected = 1\ntolerance = { abs = 1 }\nuntestable = \"it needs hosts\"";
    assert_eq!(verdict("value", rest), ClaimVerdict::NotTestable);
    let stand_in = format!("measure = '1'\n{rest}");
    assert_eq!(verdict("value", &stand_in), ClaimVerdict::NotTestable);
}

#[test]
fn several_seeds_give_an_interval_and_one_gives_none() {
    let rest =
        "measure = 'goodput(cc=\"reno\", loss=\"2 %\")'\nexpected = 1\ntolerance = { rel = 1 }";
    let claims = claim("A-1", "value", rest);
    let interval = |mode| reproduced(&claims, mode).2.claims[0].measured[0].interval;
    assert!(interval(Extent::Full).is_some_and(|(low, high)| low < high));
    assert_eq!(interval(Extent::Quick), None);
}

/// Reno's goodput at 2 % loss as a share of the link: a claim that holds if it is at least `bound`.
fn at_least(bound: f64) -> String {
    let rest = format!(
        "measure = 'goodput(cc=\"reno\", loss=\"2 %\") / 4e6'\nexpected = {bound}\nop = \">=\"\n\
         tolerance = {{ abs = 0 }}"
    );
    claim("A-1", "bound", &rest)
}

/// That share.
fn mean_share() -> f64 {
    reproduced(&at_least(0.0), Extent::Full).2.claims[0].measured[0].value
}

/// The report of each look at the claims, with the seeds that the one before asked for.
fn looks(claims: &str) -> Vec<ReproductionReport> {
    let mut plan = plan(claims, Extent::Full).unwrap();
    let (mut done, first) = prepare(&plan, None);
    let (mut watch, mut looks) = (first, Vec::new());
    loop {
        done = run(&plan, done, &watch, None, 2).expect("it runs");
        let (report, more) = judge(&plan, &done);
        looks.push(report);
        if more.is_empty() {
            return looks;
        }
        plan.add_seeds(&more);
        watch = remaining(&plan, &done, std::sync::Arc::default());
    }
}

#[test]
fn what_other_seeds_might_turn_is_undecided_until_more_of_them_tell() {
    let reports = looks(&at_least(mean_share() * 0.999));
    let of = |report: &ReproductionReport| {
        (report.claims[0].verdict, report.claims[0].leaning, report.claims[0].seeds)
    };
    let looks: Vec<_> = reports.iter().map(of).collect();
    assert_eq!(looks[0], (ClaimVerdict::Undecided, ClaimVerdict::Holds, 3));
    assert!(looks.len() > 1 && looks[1].2 == 6, "{looks:?}");
    assert!(looks.last().unwrap().2 <= 24, "eight times the seeds at most: {looks:?}");
}

#[test]
fn a_choice_gets_more_seeds_of_its_own_where_the_claim_needs_none() {
    let choice = "\n[[claim.choice]]\nname = \"slow\"\nabout = \"unsaid\"\nvariant = \"slow\"\n";
    let easy = reproduced(&(at_least(0.01) + choice), Extent::Full).2;
    let slow_share = easy.claims[0].choices[0].measured[0].value;
    let of = |report: &ReproductionReport| {
        let (claim, choice) = (&report.claims[0], &report.claims[0].choices[0]);
        ((claim.verdict, claim.seeds), (choice.verdict, choice.leaning, choice.seeds))
    };
    let looks: Vec<_> = looks(&(at_least(slow_share * 0.999) + choice)).iter().map(of).collect();
    assert!(looks.iter().all(|look| look.0 == (ClaimVerdict::Holds, 3)), "{looks:?}");
    assert_eq!(looks[0].1, (ClaimVerdict::Undecided, ClaimVerdict::Holds, 3));
    assert!(looks.len() > 1 && looks[1].1.2 == 6, "{looks:?}");
    assert!(looks.last().unwrap().1.2 <= 24, "eight times the seeds at most: {looks:?}");
}

#[test]
fn an_analysis_counts_the_seeds_that_its_verdict_counts() {
    let claim = at_least(mean_share() * 0.999);
    let numbers = "[claim.numbers]\nshare = 'goodput(cc=\"reno\", loss=\"2 %\") / 4e6'\n";
    let reports = looks(&format!("{claim}analysis = \"{{share:9}}\"\n{numbers}"));
    for report in &reports {
        let claim = &report.claims[0];
        let measured = format!("{:.9}", claim.measured[0].value);
        assert_eq!(claim.analysis, Some(measured), "with {} seeds", claim.seeds);
    }
    let texts: Vec<_> = reports.iter().map(|report| &report.claims[0].analysis).collect();
    assert!(texts.first() != texts.last(), "more seeds change the number: {texts:?}");
}

#[test]
fn what_no_seed_can_turn_is_decided_at_once() {
    let (_, _, report) = reproduced(&at_least(0.01), Extent::Full);
    assert_eq!((report.claims[0].verdict, report.claims[0].seeds), (ClaimVerdict::Holds, 3));
}

#[test]
fn jains_index_is_that_of_the_flows_means_where_a_paper_averages_first() {
    let scenario = SCENARIO.replace("loss = \"1 %\"", "loss = \"1 %\", flows = 2");
    let lets = "[claim.let]\ng1 = 'goodput(cc=\"reno\", loss=\"2 %\", flow=1)'\n\
                g2 = 'goodput(cc=\"reno\", loss=\"2 %\", flow=2)'\n\
                means = 'jain(cc=\"reno\", loss=\"2 %\", of=\"means\")'\n\
                runs = 'jain(cc=\"reno\", loss=\"2 %\")'\n";
    let rest = "measure = ['means', '(g1 + g2) * (g1 + g2) / (2 * (g1 * g1 + g2 * g2))', 'runs']\n\
                parts = [\"means\", \"by hand\", \"runs\"]\nexpected = [1, 1, 1]\n\
                tolerance = { rel = 1 }\n";
    let claims = claim("A-1", "value", &format!("{rest}{lets}"));
    let plan = plan_over(&scenario, PAPER, &claims, Extent::Full).unwrap();
    let (done, watch) = prepare(&plan, None);
    let (report, _) = judge(&plan, &run(&plan, done, &watch, None, 2).expect("it runs"));
    let values: Vec<f64> = report.claims[0].measured.iter().map(|it| it.value).collect();
    let [means, by_hand, runs] = values.as_slice() else { panic!("{values:?}") };
    assert!((means - by_hand).abs() < 1e-12, "{values:?}");
    assert!(means > runs, "what seeds turn against one flow or the other evens out: {values:?}");
    let wrong = wrong(
        "measure = 'goodput(cc=\"reno\", of=\"means\")'\nexpected = 1\ntolerance = { rel = 1 }",
    );
    assert!(wrong.contains("'of' belongs to 'jain'"), "{wrong}");
}

#[test]
fn quick_runs_are_given_no_more_seeds() {
    let plan = plan(&at_least(mean_share()), Extent::Quick).unwrap();
    let (done, watch) = prepare(&plan, None);
    let done = run(&plan, done, &watch, None, 2).expect("it runs");
    assert_eq!(judge(&plan, &done).1, []);
}

#[test]
fn a_claim_without_runs_is_a_formula_unless_it_says_otherwise() {
    let basis = |measure: &str, more: &str| {
        let rest =
            format!("measure = '{measure}'\nexpected = 1\ntolerance = {{ rel = 9 }}\n{more}");
        reproduced(&claim("A-1", "value", &rest), Extent::Quick).2.claims[0].basis.name()
    };
    assert_eq!(basis("1 + 1", ""), "formula");
    assert_eq!(basis("goodput(cc=\"reno\", loss=\"2 %\") / 4e6", ""), "runs");
    assert_eq!(basis("1 + 1", "basis = \"given\""), "given");
}

#[test]
fn a_reading_makes_a_choice_for_all_claims_and_says_what_it_turns() {
    // Over twice the round-trip time Reno carries about half.
    let choice = "\n[[claim.choice]]\nname = \"slow\"\nabout = \"unsaid\"\nvariant = \"slow\"\n";
    let one = at_least(mean_share() * 0.75) + choice;
    let other = "measure = '1'\nexpected = 1\ntolerance = { rel = 1 }";
    let claims = one + &claim("A-2", "value", other);
    let paper = PAPER.to_owned() + "\n[[reading]]\nname = \"slow\"\nabout = \"the longer path\"\n";
    let (plan, _, report) = reproduced_of(&paper, &claims, Extent::Full);
    let [usual, slow] = report.readings.as_slice() else { panic!("{:?}", report.readings) };
    assert_eq!((usual.counts, usual.about_claims), ([2, 0, 0, 0, 0], 0));
    assert_eq!((slow.about_claims, slow.broken.as_slice()), (1, ["A-1".to_owned()].as_slice()));
    let page = scoreboard::markdown(&plan, &report);
    assert!(page.contains("### Readings of small"));
    let turns = "decides 1 of 2 claims anew, mends nothing, breaks A-1, leaves nothing undecided";
    assert!(page.contains(turns), "{page}");
}

#[test]
fn a_reading_of_a_choice_that_no_claim_has_is_refused() {
    let paper = PAPER.to_owned() + "\n[[reading]]\nname = \"slov\"\nabout = \"a slip\"\n";
    let choice = "\n[[claim.choice]]\nname = \"slow\"\nabout = \"unsaid\"\nvariant = \"slow\"\n";
    let claims = at_least(0.3) + choice;
    let error = plan_of(&paper, &claims, Extent::Full).expect_err("there is no such choice");
    assert!(error.contains("did you mean 'slow'?"), "{error}");
}

#[test]
fn a_choice_is_judged_beside_the_claim_in_full_mode() {
    let rest = "measure = 'goodput(cc=\"reno\", loss=\"2 %\") / 4e6'\nexpected = 0.5\n\
                tolerance = { abs = 1 }\n\
                [[claim.choice]]\nname = \"slow\"\nabout = \"unsaid\"\nvariant = \"slow\"";
    let report = reproduced(&claim("A-1", "value", rest), Extent::Full).2;
    let [choice] = report.claims[0].choices.as_slice() else { panic!("one choice") };
    assert_eq!(choice.verdict, ClaimVerdict::Holds);
    assert!(
        choice.measured[0].value < report.claims[0].measured[0].value,
        "a longer path is slower"
    );
}

#[test]
fn only_runs_that_something_asks_for_are_made() {
    let rest =
        "measure = 'goodput(cc=\"reno\", loss=\"2 %\")'\nexpected = 1\ntolerance = { rel = 1 }";
    let plan = plan(&claim("A-1", "value", rest), Extent::Quick).unwrap();
    // The figure asks for both losses of one controller; no figure asks for the other one or the
    // variant.
    assert_eq!(prepare(&plan, None).1.runs(), (0, 2));
}

#[test]
fn one_seed_is_run_where_nothing_is_random() {
    let scenario = SCENARIO.replace("0.5 %", "0");
    let rest = "measure = 'min(goodput(cc=\"reno\"))'\nexpected = 1\ntolerance = { rel = 1 }";
    let claims = claim("A-1", "value", rest);
    let plan = plan_over(&scenario, PAPER, &claims, Extent::Full).unwrap();
    let (done, watch) = prepare(&plan, None);
    assert_eq!(watch.runs(), (0, 1 + 3), "one without losses, three with them");
    let done = run(&plan, done, &watch, None, 2).expect("it runs");
    assert_eq!(judge(&plan, &done).0.claims[0].seeds, 3);
}

#[test]
fn an_order_is_kept_by_what_never_comes() {
    // Reno loses on either path; the level is never reached.
    let measure = "first_x(goodput(cc=\"reno\") > 1e9, inf) / first_x(goodput(cc=\"reno\") > 1)";
    let rest = |measure: &str| {
        format!("measure = '{measure}'\nexpected = \"a > b\"\ntolerance = {{ margin = 0 }}")
    };
    assert_eq!(verdict("ordering", &rest(measure)), ClaimVerdict::Holds);
    let without = measure.replace(", inf", "");
    assert_eq!(verdict("ordering", &rest(&without)), ClaimVerdict::Differs);
}

#[test]
fn what_is_kept_is_not_run_again_and_gives_the_same_numbers() {
    let rest = "measure = 'cwnd(cc=\"reno\", loss=\"2 %\", stat=\"mean\")'\nexpected = 1\n\
                tolerance = { rel = 1 }";
    let claims = claim("A-1", "value", rest);
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::open(folder.path(), None).unwrap();
    let plan = plan(&claims, Extent::Quick).unwrap();
    let (done, watch) = prepare(&plan, Some(&store));
    let (first, _) = judge(&plan, &run(&plan, done, &watch, Some(&store), 1).expect("it runs"));
    let (done, watch) = prepare(&plan, Some(&store));
    assert_eq!(watch.runs().1, 0, "everything is there");
    let (again, _) =
        judge(&plan, &run(&plan, done, &watch, Some(&store), 1).expect("nothing to do"));
    assert_eq!(first.json().unwrap(), again.json().unwrap());
    let others = RunStore::open(folder.path(), Some("another condition")).unwrap();
    assert_ne!(prepare(&plan, Some(&others)).1.runs().1, 0, "made under another condition");
}

#[test]
fn a_run_measures_what_is_asked_of_its_point_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::open(folder.path(), None).unwrap();
    // Runs of both losses are needed for the figure; the claim asks of one of them.
    let left = |measure: &str| {
        let rest = format!("measure = '{measure}'\nexpected = 1\ntolerance = {{ rel = 1 }}");
        let plan = plan(&claim("A-1", "value", &rest), Extent::Quick).unwrap();
        let (done, watch) = prepare(&plan, Some(&store));
        let left = watch.runs().1;
        let done = run(&plan, done, &watch, Some(&store), 1).expect("it runs");
        assert!(judge(&plan, &done).0.claims[0].measured[0].value.is_finite(), "{measure}");
        left
    };
    assert_eq!(left("goodput(cc=\"reno\", loss=\"2 %\")"), 2);
    assert_eq!(left("cwnd(cc=\"reno\", loss=\"2 %\", stat=\"mean\")"), 1, "windows of one run");
    assert_eq!(left("cwnd(cc=\"reno\", loss=\"0.5 %\", stat=\"mean\")"), 1, "of the other one");
    assert_eq!(left("rtt(cc=\"reno\", loss=\"2 %\", stat=\"p95\")"), 1, "delays of one run");
    assert_eq!(left("cwnd(cc=\"reno\", loss=\"0.5 %\", stat=\"max\")"), 1, "another statistic");
    assert_eq!(left("timeouts(cc=\"reno\", loss=\"2 %\")"), 0, "every run counts them");
}

#[test]
fn claims_without_their_runs_are_named_and_not_judged() {
    let rest =
        "measure = 'goodput(cc=\"reno\", loss=\"2 %\")'\nexpected = 1\ntolerance = { rel = 1 }";
    let plan = plan(&claim("A-1", "value", rest), Extent::Quick).unwrap();
    let (report, _) = judge(&plan, &prepare(&plan, None).0);
    assert!(report.claims.is_empty());
    assert_eq!(report.not_run, ["A-1"]);
    assert_eq!(scoreboard::not_run(&scoreboard::markdown(&plan, &report)), ["A-1"]);
}

#[test]
fn mistakes_are_shown_where_they_stand_with_what_to_write() {
    let text = wrong(
        "measure = 'goodput(cc=\"reno\", los=\"2 %\")'\nexpected = 1\ntolerance = { rel = 1 }",
    );
    assert!(text.contains("papers/small/claims.toml:9:31: unknown argument or axis"), "{text}");
    let text = wrong("measure = 'godput(cc=\"reno\")'\nexpected = 1\ntolerance = { rel = 1 }");
    assert!(text.contains("did you mean 'goodput'?"), "{text}");
    let text = wrong("measure = 'goodput(cc=\"reno\")'\nexpected = 1\ntolerance = { rel = 1 }");
    assert!(text.contains("a curve where a number is due"), "{text}");
    let text =
        wrong("measure = 'goodput(cc=\"reno\", loss=\"3 %\")'\nexpected = 1\ntolerance = {}");
    assert!(text.contains("there is no run with dumbbell.loss = 3 %"), "{text}");
    let text = wrong("measure = 'timeouts(cc=\"reno\", from=5)'\nexpected = 1\ntolerance = {}");
    assert!(text.contains("counts over the measuring interval"), "{text}");
    let text = wrong("measure = '1 +'\nexpected = 1\ntolerance = { rel = 1 }");
    assert!(text.contains("ends too early"), "{text}");
    let text = wrong("measure = '1'\nexpected = 1\ntolerence = { rel = 1 }");
    assert!(text.contains("did you mean 'tolerance'?"), "{text}");
}

#[test]
fn a_claim_that_nothing_decides_is_refused() {
    assert!(wrong("measure = '1'\nexpected = 1").contains("nothing decides A-1"));
}

#[test]
fn a_part_is_a_paper_or_one_of_its_experiments() {
    let rest = "measure = '1'\nexpected = 1\ntolerance = { rel = 1 }";
    let with = |part: &str| {
        let mut plan = plan(&claim("A-1", "value", rest), Extent::Full).unwrap();
        plan.choose(&PaperPart::parse(part)).map_err(|e| e.to_string())
    };
    assert_eq!(with("small"), Ok(()));
    assert_eq!(with("small/one"), Ok(()));
    assert!(with("smal").unwrap_err().contains("did you mean 'small'?"));
    assert!(with("small/two").unwrap_err().contains("unknown experiment 'two'"));
}

#[test]
fn the_scoreboard_can_be_read_back() {
    let rest = "measure = '1 + 1'\nexpected = 2\ntolerance = { rel = 0.1 }\nunit = \"a | b\"";
    let two = claim("A-1", "value", rest) + &claim("A-2", "value", &rest.replace("= 2", "= 3"));
    let (plan, _, report) = reproduced(&two, Extent::Quick);
    let read = scoreboard::verdicts(&scoreboard::markdown(&plan, &report));
    let expected = [("A-1", ClaimVerdict::Holds), ("A-2", ClaimVerdict::Differs)];
    assert_eq!(read, expected.map(|(id, verdict)| (id.to_owned(), verdict)));
    let names: Vec<String> = page::pages(&plan, &report, "").into_iter().map(|f| f.0).collect();
    let expected =
        ["index.html", "figures/small-1.svg", "small.html", "claims/A-1.html", "claims/A-2.html"];
    assert_eq!(names, expected);
}

#[test]
fn the_json_has_a_number_for_one_part_and_a_list_for_several() {
    let one = "measure = '2'\nexpected = 2\ntolerance = { rel = 0.1 }";
    let two = "measure = ['2', '3']\nexpected = \"1 to 4\"\ntolerance = { rel = 0.1 }";
    let claims = claim("A-1", "value", one) + &claim("A-2", "value", two);
    let json = reproduced(&claims, Extent::Quick).2.json().unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&value["schema"], &value["mode"]),
        (&"westwood.reproduce/1".into(), &"quick".into())
    );
    let [first, second] = value["claims"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&first["measured"], &first["verdict"]), (&2.0.into(), &"holds".into()));
    assert_eq!(second["measured"], serde_json::json!([2.0, 3.0]));
    assert_eq!(second["expected"], serde_json::json!([[1.0, 4.0], [1.0, 4.0]]));
}

#[test]
fn the_json_has_the_curves_and_the_bands_that_the_page_draws() {
    let band = "[[figure.band]]\nclaim = \"A-1\"\nat = 0.02\nscale = 4\n";
    let paper = PAPER.to_owned() + band;
    let (plan, _, report) = reproduced_of(&paper, &at_least(0.01), Extent::Full);
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let (figure, claim) = (&json["figures"][0], &json["claims"][0]);
    assert_eq!((&figure["paper"], &figure["id"]), (&"small".into(), &"1".into()));
    assert_eq!(figure["x"], serde_json::json!({ "label": "loss", "logarithmic": false }));
    let line = &figure["lines"][0];
    let (x, y) = (numbers(&line["x"]), numbers(&line["y"]));
    assert!(x.len() == 2 && close(x[0], 0.005) && close(x[1], 0.02), "{x:?}");
    assert_eq!((&line["name"], line["interval"].as_array().unwrap().len()), (&"Reno".into(), 2));
    // The claim's number is a share of 4 Mbit/s.
    assert!(close(y[1], 4.0 * claim["measured"].as_f64().unwrap()), "{y:?}");
    let band = &figure["bands"][0];
    assert_eq!((&band["claim"], &band["x"]), (&"A-1".into(), &serde_json::json!([0.02, 0.02])));
    assert_eq!(band["accepted"], serde_json::json!([0.04, null]));
    assert_eq!(
        (&band["paper"], numbers(&band["by_seed"]).len()),
        (&serde_json::json!([0.04, 0.04]), 3)
    );
    assert_eq!(claim["criterion"]["band"], serde_json::json!([0.01, null]));
    let pages = page::pages(&plan, &report, "");
    let svg = &pages.iter().find(|(name, _)| name == "figures/small-1.svg").unwrap().1;
    assert!(svg.contains("<title>A-1</title>"), "{svg}");
}

/// A figure of variants side by side, and what it decides.
const ABLATION: &str = r#"
[[figure]]
id = "ablation: path"
title = "Goodput by the length of the path"
experiment = "one"
x = "round-trip time"
y = "goodput (Mbit/s)"
x_names = ["40 ms", "80 ms"]
[[figure.line]]
name = "Reno"
value = 'points(goodput(cc="reno", loss="2 %"), goodput(cc="reno", loss="2 %", variant="slow")) / 1e6'

[[ablation]]
name = "path"
question = "Does the path decide?"
experiment = "one"
shown = ["ablation: path"]
claims = ["A-1"]
answer = "It carries {share:2}."
numbers = { share = 'goodput(cc="reno", loss="2 %", variant="slow") / 4e6' }
"#;

#[test]
fn an_ablation_stands_with_its_figure_on_the_page_of_each_claim_that_rests_on_it() {
    let paper = PAPER.to_owned() + ABLATION;
    let (plan, _, report) = reproduced_of(&paper, &at_least(0.01), Extent::Full);
    let pages = page::pages(&plan, &report, "");
    let page = &pages.iter().find(|(name, _)| name == "claims/A-1.html").unwrap().1;
    let of_figure = ["Goodput by the length of the path", ">40 ms<", ">80 ms<"];
    for said in
        of_figure.into_iter().chain(["Does the path decide?", "westwood reproduce small/one"])
    {
        assert!(page.contains(said), "{said}");
    }
    assert_eq!(page.matches(">80 ms<").count(), 1, "the figure is not drawn twice");
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    assert_eq!(json["ablations"][0]["shown"], serde_json::json!(["ablation: path"]));
    assert_eq!(json["figures"][1]["x"]["names"], serde_json::json!(["40 ms", "80 ms"]));
    assert_eq!(json["figures"][1]["lines"][0]["x"], serde_json::json!([1.0, 2.0]));
}

#[test]
fn the_command_of_an_ablation_runs_every_experiment_that_its_answer_needs() {
    let command = |paper: &str| {
        let (_, _, report) = reproduced_of(paper, &at_least(0.01), Extent::Quick);
        report.ablations[0].command.clone()
    };
    let alone = PAPER.to_owned() + ABLATION;
    assert_eq!(command(&alone), "westwood reproduce small/one");
    let again = "\n[[experiment]]\nname = \"two\"\nabout = \"the same\"\nof = \"one\"\n";
    let two =
        alone.replace("/ 4e6' }", "/ 4e6 + 0 * goodput(in=\"two\", cc=\"reno\", loss=\"2 %\")' }");
    assert_eq!(command(&(two + again)), "westwood reproduce small");
}

#[test]
fn mistakes_in_a_figure_are_shown() {
    let wrong = |more: &str| {
        let paper = PAPER.to_owned() + more;
        plan_of(&paper, &at_least(0.01), Extent::Full).expect_err("it is wrong")
    };
    let text = wrong("[[figure.band]]\nclaim = \"A-2\"\nat = 1\n");
    assert!(text.contains("unknown claim 'A-2'"), "{text}");
    let text = wrong("[[figure.band]]\nclaim = \"A-1\"\n");
    assert!(text.contains("lacks 'at'"), "{text}");
    let text = wrong("[[figure.band]]\nclaim = \"A-1\"\nat = 1\nrange = [1, 2]\n");
    assert!(text.contains("exclude each other"), "{text}");
    let text = wrong("[[figure.band]]\nclaim = \"A-1\"\nat = 1\npart = \"before\"\n");
    assert!(text.contains("A-1 has one number") && text.contains("leave out 'part'"), "{text}");
    let text = wrong("[[figure.band]]\nclaim = \"A-1\"\nat = 1\nscale = 0\n");
    assert!(text.contains("'scale' is above zero"), "{text}");
    let with = |value: &str| ABLATION.replace("points(goodput", value);
    let text = wrong(&with("points(1, goodput"));
    assert!(text.contains("the line has 3 places, and 'x_names' has 2 names"), "{text}");
    let text = wrong(&ABLATION.replacen(", loss=\"2 %\"", "", 1));
    assert!(text.contains("'points' takes numbers, no curve"), "{text}");
}

/// A paper with a claim that is tested on Linux only, in an experiment of its own.
fn real(on: Platform, linux: &str) -> Result<ReproductionPlan, String> {
    let experiment = "\n[[experiment]]\nname = \"real\"\nabout = \"hosts\"\non = \"linux\"\n";
    let (head, figures) = PAPER.split_once("\n[[figure]]").unwrap();
    let paper = format!("{head}{experiment}\n[[figure]]{figures}");
    let rest =
        "measure = '1'\nexpected = 1\ntolerance = { abs = 0.1 }\nuntestable = \"it needs hosts\"";
    let claims = format!(
        "{}{}[claim.linux]\n{linux}\n",
        claim("A-1", "value", rest),
        claim("A-2", "value", rest)
    );
    let files = [
        ("small/paper.toml", paper.as_str()),
        ("small/claims.toml", &claims),
        ("small/one.toml", SCENARIO),
        ("small/real.toml", SCENARIO),
    ];
    let (papers, sources) = paper::papers(&files).map_err(|e| e.to_string())?;
    ReproductionPlan::on(on, papers, &sources, Extent::Quick).map_err(|e| e.to_string())
}

const REAL: &str = "experiment = \"real\"\nmeasure = 'goodput(cc=\"reno\", loss=\"2 %\") / 4e6'\n\
                    nearest = \"another path\"";

#[test]
fn what_runs_on_linux_and_what_is_simulated_are_two_plans_of_one_paper() {
    let names = |on| {
        let plan = real(on, REAL).unwrap();
        let grids: Vec<String> = plan.grids.iter().map(|grid| grid.name.clone()).collect();
        let claims: Vec<String> = plan.papers[0].claims.iter().map(|c| c.id.clone()).collect();
        (grids.join(" "), claims.join(" "), plan.papers[0].figures.len())
    };
    assert_eq!(names(Platform::Simulator), ("one".to_owned(), "A-1 A-2".to_owned(), 1));
    assert_eq!(names(Platform::Linux), ("real".to_owned(), "A-2".to_owned(), 0));
}

/// The simulator stands in for the kernel: what is judged there is the same.
#[test]
fn a_claim_on_linux_has_its_own_measure_the_tolerance_of_the_claim_and_says_what_path_it_is_on() {
    let plan = real(Platform::Linux, REAL).unwrap();
    let (done, watch) = prepare(&plan, None);
    let done = run(&plan, done, &watch, None, 2).expect("it runs");
    let (report, _) = judge(&plan, &done);
    let judged = &report.claims[0];
    // Reno does not fill the link at 2 % loss: the claim's number is 1 within a tenth.
    assert_eq!((judged.verdict, report.claims.len()), (ClaimVerdict::Differs, 1));
    assert!(judged.measured[0].value < 0.9, "{:?}", judged.measured);
    let page = scoreboard::markdown(&plan, &report);
    assert!(page.contains("| differs (nearest path) |"), "{page}");
    assert!(page.contains("**A-2** (differs). another path"), "{page}");
    assert_eq!(scoreboard::verdicts(&page), [("A-2".to_owned(), ClaimVerdict::Differs)]);
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    assert_eq!(json["on"], "linux");
    assert_eq!(json["claims"][0]["nearest_path"], "another path");
}

#[test]
fn mistakes_in_what_is_said_for_linux_are_shown() {
    let wrong = |linux: &str| real(Platform::Linux, linux).expect_err("it is wrong");
    assert!(wrong("experiment = \"real\"\nmeasure = '1'\nsomething = 1").contains("something"));
    assert!(wrong("experiment = \"real\"").contains("lacks 'measure'"));
    let simulated = wrong("experiment = \"one\"\nmeasure = '1'");
    assert!(simulated.contains("experiment") && simulated.contains("one"), "{simulated}");
}
