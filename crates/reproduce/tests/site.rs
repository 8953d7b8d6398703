//! The site in a real browser: an index with filters, and a page for each claim.

#[path = "../../report/tests/support/mod.rs"]
mod support;

use std::path::PathBuf;

use serde_json::json;
use support::{Browser, chromium};
use tempfile::TempDir;
use westwood_reproduce::run::{prepare, run};
use westwood_reproduce::{Extent, ReproductionPlan, judge, page, paper};

const PAPER: &str = r#"
title = "On <small> things"
authors = "Nobody"
year = 2000

[[experiment]]
name = "one"
about = "Losses"

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

const SCENARIO: &str = r#"
cc = ["reno"]
time = "20 s"
warmup = "0 s"
seeds = 4
dumbbell = { rate = "4 Mbit/s", rtt = "40 ms" }
[sweep]
"dumbbell.loss" = ["0.5 %", "2 %"]
[variant.slow]
"dumbbell.rtt" = "80 ms"
"#;

const CLAIMS: &str = r#"
[[claim]]
id = "S-1"
figure = "1"
experiment = "one"
statement = "Reno carries something."
confidence = "firm"
kind = "bound"
decisive = true
measure = 'goodput(cc="reno", loss="2 %") / 4e6'
expected = 0.1
op = ">="
tolerance = { abs = 0 }
why = "a test"
[[claim.choice]]
name = "slow"
about = "unsaid"
variant = "slow"

[[claim]]
id = "S-2"
figure = "sec. 2"
statement = "One and one are three."
confidence = "soft"
kind = "value"
measure = '1 + 1'
expected = 3
tolerance = { rel = 0.01 }
why = "a test"
analysis = "They are {sum:0}."
numbers = { sum = '1 + 1' }
"#;

const PLAYGROUND: &str = "<!doctype html><title>The playground</title>";

/// The site in a folder: the paths of its own pages.
fn site(folder: &TempDir) -> Vec<PathBuf> {
    let files =
        [("small/paper.toml", PAPER), ("small/claims.toml", CLAIMS), ("small/one.toml", SCENARIO)];
    let (papers, sources) = paper::papers(&files).unwrap_or_else(|e| panic!("{e}"));
    let plan =
        ReproductionPlan::new(papers, &sources, Extent::Full).unwrap_or_else(|e| panic!("{e}"));
    let (done, watch) = prepare(&plan, None);
    let done = run(&plan, done, &watch, None, 2).expect("it runs");
    let (report, _) = judge(&plan, &done);
    let write = |(name, text): (String, String)| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<PathBuf> =
        page::pages(&plan, &report, PLAYGROUND).into_iter().map(write).collect();
    let is_own = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "html") && !path.ends_with("playground.html")
    };
    paths.into_iter().filter(is_own).collect()
}

#[test]
fn every_page_opens_without_a_complaint_and_fits_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = chromium() else { return };
    let pages = site(&folder);
    assert_eq!(pages.len(), 4, "an index, a paper, two claims: {pages:?}");
    let mut browser = Browser::start(&program);
    for page in pages {
        for (width, scheme) in [(390, "dark"), (1280, "light")] {
            browser.screen(width, 844, scheme);
            browser.open(&page);
            let complaints = browser.complaints();
            assert!(complaints.is_empty(), "{}: {complaints:#?}", page.display());
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= u64::from(width), "{}: {wide} at {width}", page.display());
        }
    }
}

#[test]
fn filters_leave_the_claims_that_fit() {
    const SEEN: &str = "[...document.querySelectorAll('#claims tbody tr')]
        .filter(row => row.offsetParent !== null).map(row => row.cells[0].textContent)";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = chromium() else { return };
    site(&folder);
    let mut browser = Browser::start(&program);
    browser.screen(1280, 900, "light");
    browser.open(&folder.path().join("index.html"));
    assert_eq!(browser.eval(SEEN), json!(["S-1", "S-2"]));
    let choose = |name: &str, value: &str| {
        format!(
            "(() => {{ const label = [...document.querySelectorAll('.filters label')]
                 .find(label => label.textContent.startsWith('{name} '));
               label.lastChild.value = '{value}';
               label.lastChild.dispatchEvent(new Event(label.lastChild.type === 'search' ?
                 'input' : 'change')); return true; }})()"
        )
    };
    browser.eval(&choose("verdict", "differs"));
    assert_eq!(browser.eval(SEEN), json!(["S-2"]));
    browser.eval(&choose("verdict", ""));
    browser.eval(&choose("with the words", "carries"));
    assert_eq!(browser.eval(SEEN), json!(["S-1"]));
    let said = browser.eval("document.querySelector('.filters [role=status]').textContent");
    assert_eq!(said, "1 of 2 claims");
}

#[test]
fn a_claims_page_has_a_dot_for_each_seed_its_choices_and_the_command() {
    let folder = tempfile::tempdir().unwrap();
    site(&folder);
    let text = std::fs::read_to_string(folder.path().join("claims/S-1.html")).unwrap();
    assert_eq!(text.matches("r=\"1.3\"").count(), 4);
    for said in ["at least 0.1", "Under other readings", "slow", "westwood reproduce S-1"] {
        assert!(text.contains(said), "{said}");
    }
    let other = std::fs::read_to_string(folder.path().join("claims/S-2.html")).unwrap();
    assert!(other.contains("They are 2."), "the analysis with its number");
}

#[test]
fn a_claim_with_runs_opens_its_experiment_and_each_of_its_settings_in_the_playground_beside() {
    let folder = tempfile::tempdir().unwrap();
    site(&folder);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("playground.html"), PLAYGROUND);
    let page = read("claims/S-1.html");
    let opened = |before: &str| {
        let (_, rest) = page.split_once(&format!("{before}\"../playground.html#")).unwrap();
        let code = rest.split('"').next().unwrap();
        westwood_experiment::link::text_of(&format!("#{code}")).unwrap()
    };
    assert_eq!(opened("class=\"press\" href="), SCENARIO);
    assert!(page.contains(">one</a>: Losses. 4 seeds.<"), "the experiment in words");
    // The claim is about one place of the sweep, under two variants.
    assert_eq!(page.matches("../playground.html#").count(), 3);
    let alone = opened("<div id=\"settings-one\"><p class=\"notes\"><a href=");
    assert!(alone.contains("loss = \"2 %\"") && !alone.contains("[sweep]"), "{alone}");
    assert!(page.contains(">dumbbell.loss = 2 %</a>"));
    let formula = read("claims/S-2.html");
    assert!(!formula.to_lowercase().contains("playground"), "it has no runs");
}

#[test]
fn a_site_of_claims_without_runs_has_no_playground() {
    let claims = CLAIMS.split_once("[[claim]]\nid = \"S-2\"").unwrap().1;
    let claims = format!("[[claim]]\nid = \"S-2\"{claims}");
    let paper = PAPER.split_once("[[experiment]]").unwrap().0;
    let files = [("small/paper.toml", paper), ("small/claims.toml", &claims)];
    let (papers, sources) = paper::papers(&files).unwrap_or_else(|e| panic!("{e}"));
    let plan = ReproductionPlan::new(papers, &sources, Extent::Full).unwrap();
    let (done, _) = prepare(&plan, None);
    let (report, _) = judge(&plan, &done);
    let pages = page::pages(&plan, &report, PLAYGROUND);
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["index.html", "small.html", "claims/S-2.html"]);
}
