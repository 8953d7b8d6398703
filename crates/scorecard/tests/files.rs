//! The files of the examination by RFC 9743: complete, consistent, and refused with a place where they are
//! not.

use std::collections::BTreeMap;
use std::path::Path;

use westwood_experiment::plan::ExperimentPlan;
use westwood_scenario::file::{GridPoint, Scenario};
use westwood_scenario::spec::ControllerSpec;
use westwood_scorecard::card::JudgedCriterion;
use westwood_scorecard::criterion::{COMPETING, CardReference, Requirement, examination};
use westwood_scorecard::plan::CardPoint;
use westwood_scorecard::playground::CardLinks;
use westwood_scorecard::run::CardRuns;
use westwood_scorecard::{CardPlan, CardVerdict, files, judge, rfc9743};

/// The sections 5 to 7 of the RFC that state a criterion.
const SECTIONS: [&str; 26] = [
    "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "5.2", "5.2.1", "5.2.2", "5.2.3", "5.3.1",
    "5.3.2", "6.1", "6.2", "6.3", "6.4", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8",
    "7.9", "7.10", "7.11",
];

#[test]
fn every_section_is_examined_or_said_not_to_apply() {
    let examination = rfc9743().expect("the files are right");
    let mut found: Vec<&str> = examination.criteria.iter().map(|c| c.section.as_str()).collect();
    // 5.2.1 has a criterion for each of its words.
    found.dedup();
    assert_eq!(found, SECTIONS);
}

#[test]
fn every_scenario_and_threshold_is_used() {
    let examination = rfc9743().expect("the files are right");
    let tests = || examination.criteria.iter().flat_map(|criterion| &criterion.tests);
    for (name, text) in &examination.scenarios {
        assert!(tests().any(|test| test.scenario == *name), "{name}");
        let section = name.split('-').next().unwrap();
        assert!(text.starts_with("# RFC 9743 section"), "{name} names its section");
        assert!(text.contains(section), "{name} names its own section");
    }
    let thresholds = files().iter().find(|(name, _)| *name == "thresholds.toml").unwrap().1;
    for line in thresholds.lines().filter(|line| line.starts_with('[')) {
        let name = line.trim_matches(['[', ']']);
        assert!(tests().any(|test| test.threshold.name == name), "{name}");
    }
}

#[test]
fn every_test_has_settings_for_any_controller() {
    for name in ["reno", "cubic", "bbr", "westwood+", "vegas", "dctcp", "prague", "ledbat"] {
        let controller = ControllerSpec::parse(name).unwrap();
        let plan = CardPlan::new(rfc9743().unwrap(), controller, false);
        let plan = plan.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (number, criterion) in plan.examination.criteria.iter().enumerate() {
            for test in 0..criterion.tests.len() {
                let own = |s: &&_| {
                    let s: &westwood_scorecard::plan::CardStatement = s;
                    (s.criterion, s.test) == (number, test)
                };
                assert!(plan.statements.iter().any(|s| own(&s)), "{} {test}", criterion.section);
            }
        }
    }
}

#[test]
fn every_setting_has_a_link_that_opens_the_networks_that_are_run() {
    let plan = CardPlan::new(rfc9743().unwrap(), ControllerSpec::parse("bbr").unwrap(), false);
    let plan = plan.unwrap();
    let (card, _) = judge(&plan, &CardRuns::kept(&plan, None));
    let links = CardLinks::of(&plan, &card, "playground.html");
    let mut opened: BTreeMap<String, Scenario> = BTreeMap::new();
    for statement in &plan.statements {
        let (test, setting) = (plan.test(statement), &statement.setting);
        let what = format!("{}, {setting}", test.scenario);
        let (address, about) = links.of_setting(&test.scenario, setting).expect(&what);
        let there = opened.entry(address).or_insert_with_key(|address| {
            let experiment = ExperimentPlan::of_file(Path::new(address), &[]);
            experiment.unwrap_or_else(|error| panic!("{what}: {error}")).scenario
        });
        let named = |(name, point): &(String, CardPoint)| (Some(name.clone()), *point);
        let beside = statement.beside.iter().map(named);
        for (name, at) in [(None, statement.point)].into_iter().chain(beside) {
            let here = &plan.grids[at.grid].scenario;
            let point = here.point(at.point).unwrap();
            let is_it =
                |other: &&GridPoint| (other.cc, &other.variant) == (point.cc, &point.variant);
            let same: Vec<&GridPoint> = there.points().iter().filter(is_it).collect();
            assert_eq!(same.len(), 1, "{what}: {}", point.name());
            let network = |scenario: &Scenario, point| format!("{:?}", scenario.build(point, 1));
            assert!(network(there, same[0]) == network(here, point), "{what}: {}", point.name());
            if !matches!(test.beside, CardReference::Variant(_)) {
                assert!(name.is_none_or(|name| about.contains(&name)), "{about}");
            }
        }
    }
    assert!(opened.len() > 30, "{}", opened.len());
}

#[test]
fn runs_of_the_kernel_and_of_files_that_links_cannot_hold_have_no_link() {
    let of = |examination, linux| {
        let controller = ControllerSpec::parse("bbr").unwrap();
        let plan = CardPlan::new(examination, controller, linux).unwrap();
        let (card, _) = judge(&plan, &CardRuns::kept(&plan, None));
        let links = CardLinks::of(&plan, &card, "playground.html");
        let has = |s: &westwood_scorecard::plan::CardStatement| {
            let scenario = plan.test(s).scenario.clone();
            (links.of_setting(&scenario, &s.setting).is_some(), scenario)
        };
        plan.statements.iter().map(has).collect::<Vec<_>>()
    };
    assert!(of(rfc9743().unwrap(), true).iter().all(|(has_link, _)| !has_link));
    let mut own = rfc9743().unwrap();
    // The trace of the same name is another one than the program's.
    own.traces.iter_mut().for_each(|(_, text)| text.push_str("100000\n"));
    for (has_link, scenario) in of(own, false) {
        assert_eq!(has_link, scenario != "6.4-cellular", "{scenario}");
    }
}

#[test]
fn a_test_that_cannot_be_emulated_has_its_reason_on_a_card_of_linux() {
    let of = |linux| {
        let plan = CardPlan::new(rfc9743().unwrap(), ControllerSpec::parse("bbr").unwrap(), linux);
        let plan = plan.unwrap();
        let (card, _) = judge(&plan, &CardRuns::kept(&plan, None));
        card.criteria
    };
    let is_left_out = |c: &&JudgedCriterion| c.tests.iter().any(|test| test.reason.is_some());
    let sections = |criteria: &[JudgedCriterion]| -> Vec<String> {
        criteria.iter().filter(is_left_out).map(|c| c.section.clone()).collect()
    };
    assert_eq!(sections(&of(false)), [""; 0]);
    let criteria = of(true);
    assert_eq!(sections(&criteria), ["5.2.2", "7.6", "7.11"]);
    for criterion in criteria.iter().filter(is_left_out) {
        assert_eq!(criterion.verdict, CardVerdict::NotApplicable);
        assert!(criterion.reason.is_some() && criterion.tests.iter().all(|t| t.cells.is_empty()));
    }
}

#[test]
fn each_sentence_of_the_document_has_the_word_of_its_criterion() {
    for criterion in rfc9743().unwrap().criteria {
        let says = criterion.says.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = says.collect();
        match criterion.requirement {
            Requirement::Described => {
                assert!(words.iter().all(|w| !["MUST", "SHOULD", "should", "ought"].contains(w)));
            }
            word => assert!(words.contains(&word.name()), "{}", criterion.section),
        }
    }
}

#[test]
fn references_stand_beside_the_controller() {
    let examination = rfc9743().unwrap();
    for test in examination.criteria.iter().flat_map(|criterion| &criterion.tests) {
        let is_known = |name: &String| name == COMPETING || examination.references.contains(name);
        if let CardReference::Controllers(names) | CardReference::AnyOf(names) = &test.beside {
            assert!(names.iter().all(is_known));
        }
    }
}

/// The error of the files where a file has another text in one place.
fn error_of(file: &str, from: &str, to: &str) -> String {
    let right = files().iter().find(|(name, _)| *name == file).unwrap().1;
    let wrong = right.replacen(from, to, 1);
    assert_ne!(right, wrong, "{from}");
    let mut all: Vec<(&str, &str)> = files().to_vec();
    all.iter_mut().find(|(name, _)| *name == file).unwrap().1 = &wrong;
    let plan = |all| CardPlan::new(all, ControllerSpec::parse("reno").unwrap(), false);
    examination(&all).and_then(plan).expect_err("it is wrong").to_string()
}

#[test]
fn a_fault_names_its_line_and_the_mend() {
    let wrong = |from: &str, to: &str| error_of("criteria.toml", from, to);
    let error = wrong("\"5.1.2-bufferbloat\"", "\"5.1.2-bufferbloats\"");
    assert!(error.contains("criteria.toml:") && error.contains("5.1.2-bufferbloat"), "{error}");
    let line = files().iter().find(|(name, _)| *name == "criteria.toml").unwrap().1;
    let line = line.lines().position(|line| line == "measure = \"jain\"").unwrap() + 1;
    let error = wrong("measure = \"jain\"", "measure = \"jane\"");
    let place = format!("criteria.toml:{line}:11: unknown quantity 'jane'");
    assert!(error.contains(&place), "{error}");
    let error = wrong("threshold = \"harm\"", "threshold = \"harms\"");
    assert!(error.contains("threshold") && error.contains("harm"), "{error}");
    let error = wrong("requirement = \"MUST\"", "requirement = \"HOPES\"");
    assert!(error.contains("MUST, SHOULD"), "{error}");
    let error = wrong("asks = ", "question = ");
    assert!(error.contains("lacks 'asks'"), "{error}");
}

#[test]
fn what_a_test_names_is_there_and_is_named_once() {
    let wrong = |from: &str, to: &str| error_of("criteria.toml", from, to);
    let error = wrong("variants = [\"30 %\", \"100 %\"]", "variants = [\"30 %\", \"300 %\"]");
    assert!(error.contains(":21: unknown variant '300 %'"), "{error}");
    assert!(error.contains("did you mean '30 %'?"), "{error}");
    let error = wrong("beside_variant = \"plain\"", "beside_variant = \"flat\"");
    assert!(error.contains("unknown variant 'flat'"), "{error}");
    assert!(error.contains("there are plain and doubles"), "{error}");
    let error = wrong("beside = \"cubic\"", "beside = \"cubic\"\nbeside_variant = \"plain\"");
    assert!(error.contains("'beside_variant' stands beside 'beside'"), "{error}");
    assert!(error.contains("a test has one of beside, beside_any, beside_variant"), "{error}");
    let error = wrong("beside = \"cubic\"", "beside_any = [\"against_cc\"]");
    assert!(error.contains("'5.1.2-bufferbloat' has none"), "{error}");
    for error in [wrong("variants = [\"30 %\"", "variants = [\"31 %\""), error] {
        assert_eq!(error.matches("criteria.toml:").count(), 1, "{error}");
    }
}

#[test]
fn a_limit_is_a_finite_number() {
    for number in ["nan", "inf"] {
        let error = error_of("thresholds.toml", "at_most = 1.0", &format!("at_most = {number}"));
        let said = format!("'{number}' stands where a finite number is due");
        assert!(error.contains("thresholds.toml:8:11: ") && error.contains(&said), "{error}");
    }
}

#[test]
fn an_unknown_section_is_told_each_known_one_once() {
    let mut criteria = rfc9743().unwrap();
    let said = criteria.only(&["99".to_owned()]).unwrap_err().to_string();
    let known = said.split_once("there are ").unwrap().1.replace(" and ", ", ");
    let mut sections: Vec<&str> = known.split(", ").collect();
    let all = sections.len();
    sections.sort_unstable();
    sections.dedup();
    assert_eq!(sections.len(), all, "{said}");
}
