//! The papers that come with the program: they are whole, and the page of verdicts is true.

use std::collections::BTreeMap;

use westwood_reproduce::ablation::Ablation;
use westwood_reproduce::claim::Claim;
use westwood_reproduce::paper::Paper;
use westwood_reproduce::run::{prepare, run};
use westwood_reproduce::{
    ClaimVerdict, Extent, Platform, ReproductionPlan, judge, library, scoreboard,
};

const PAGE: &str = include_str!("../../../results/reproduction.md");
const LINUX_PAGE: &str = include_str!("../../../results/reproduction-linux.md");

fn papers() -> Vec<Paper> {
    library().unwrap_or_else(|e| panic!("{e}")).0
}

#[test]
fn every_expression_of_every_paper_is_right_in_both_modes() {
    for mode in [Extent::Full, Extent::Quick] {
        for on in [Platform::Simulator, Platform::Linux] {
            let (papers, sources) = library().unwrap_or_else(|e| panic!("{e}"));
            ReproductionPlan::on(on, papers, &sources, mode).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

#[test]
fn whatever_simulation_cannot_test_is_measured_on_linux_and_explained_if_it_differs() {
    let verdicts: BTreeMap<String, ClaimVerdict> =
        scoreboard::verdicts(LINUX_PAGE).into_iter().collect();
    let not_run = scoreboard::not_run(LINUX_PAGE);
    let papers = papers();
    let claims = || papers.iter().flat_map(|paper| &paper.claims);
    for claim in claims().filter(|claim| claim.untestable.is_some()) {
        let linux = claim.linux.as_ref().unwrap_or_else(|| panic!("{} is left out", claim.id));
        match verdicts.get(&claim.id) {
            Some(ClaimVerdict::Differs) => assert!(linux.analysis.is_some(), "{}", claim.id),
            Some(ClaimVerdict::NotTestable) => assert!(linux.untestable.is_some(), "{}", claim.id),
            Some(_) => {}
            None => assert!(not_run.contains(&claim.id), "{} is not on the page", claim.id),
        }
    }
    let on_linux = claims().filter(|claim| claim.linux.is_some()).count();
    assert_eq!(verdicts.len() + not_run.len(), on_linux);
}

#[test]
fn the_page_of_verdicts_has_every_claim_once() {
    let judged = scoreboard::verdicts(PAGE).into_iter().map(|(id, _)| id);
    let mut on_page: Vec<String> = judged.chain(scoreboard::not_run(PAGE)).collect();
    let mut claims: Vec<String> =
        papers().iter().flat_map(|paper| paper.claims.iter().map(|c| c.id.clone())).collect();
    on_page.sort();
    claims.sort();
    assert_eq!(on_page, claims);
}

#[test]
fn whatever_differs_or_cannot_be_tested_is_explained() {
    let verdicts: BTreeMap<String, ClaimVerdict> = scoreboard::verdicts(PAGE).into_iter().collect();
    for claim in papers().iter().flat_map(|paper| &paper.claims) {
        match verdicts.get(&claim.id) {
            Some(ClaimVerdict::Differs) => {
                assert!(claim.analysis.is_some(), "{} lacks an analysis", claim.id);
            }
            Some(ClaimVerdict::NotTestable) => assert!(claim.untestable.is_some(), "{}", claim.id),
            _ => {}
        }
    }
}

#[test]
fn every_paper_says_what_was_left_open() {
    for paper in papers() {
        assert!(paper.notes.len() > 500, "papers/{}/README.md says nothing", paper.key);
    }
}

#[test]
fn every_ablation_has_a_figure() {
    for paper in papers() {
        let figures: Vec<&String> = paper.figures.iter().map(|figure| &figure.id).collect();
        for ablation in &paper.ablations {
            let has_one = ablation.shown.iter().any(|id| figures.contains(&id));
            assert!(has_one, "papers/{}: '{}' has none", paper.key, ablation.name);
        }
    }
}

/// Minutes: `scripts/unchecked papers` runs it by itself, without checks.
#[test]
#[ignore = "takes minutes; scripts/unchecked papers runs it"]
fn the_quick_mode_comes_to_the_verdicts_of_the_page() {
    let (papers, sources) = library().unwrap_or_else(|e| panic!("{e}"));
    let plan =
        ReproductionPlan::new(papers, &sources, Extent::Quick).unwrap_or_else(|e| panic!("{e}"));
    let (done, watch) = prepare(&plan, None);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let done = run(&plan, done, &watch, None, threads).expect("it runs");
    assert_eq!(done.failures(&plan), Vec::<String>::new());
    let page: BTreeMap<String, ClaimVerdict> = scoreboard::verdicts(PAGE).into_iter().collect();
    // A few seeds cannot say what many leave open, and may leave open what many decide: their means are
    // held to the page.
    let decided = |verdict: &&ClaimVerdict| **verdict != ClaimVerdict::Undecided;
    let on_page = |id: &str| page.get(id).filter(decided).copied();
    let other: Vec<String> = judge(&plan, &done)
        .0
        .claims
        .iter()
        .filter(|claim| on_page(&claim.id).is_some_and(|verdict| verdict != claim.leaning))
        .map(|claim| format!("{}: {} in quick mode", claim.id, claim.leaning.name()))
        .collect();
    assert_eq!(other, Vec::<String>::new());
}

/// The numbers in a text, without those that end a name such as ns-2.
fn numbers_in(text: &str) -> Vec<String> {
    let joins = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | '-');
    let (mut found, mut rest, mut in_a_name) = (Vec::new(), text, false);
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !joins(c)).unwrap_or(rest.len());
        if c.is_ascii_digit() && !in_a_name {
            let number = rest[..end].trim_end_matches(|c: char| !c.is_ascii_digit());
            found.push(number.replace(',', ""));
            rest = &rest[end..];
            continue;
        }
        in_a_name = c.is_alphanumeric() || (in_a_name && matches!(c, '-' | '.'));
        rest = &rest[c.len_utf8()..];
    }
    found
}

/// The text of a claim besides its analysis, and the file of its experiment.
fn given(paper: &Paper, claim: &Claim) -> String {
    let experiment = paper.experiments.iter().find(|e| Some(&e.name) == claim.experiment.as_ref());
    let others =
        claim.others.iter().map(|other| format!("{} {} {}", other.by, other.says, other.how));
    let choices = claim.choices.iter().map(|choice| format!("{} {}", choice.name, choice.about));
    let expected = claim.parts.iter().filter_map(|part| part.expected.map(|e| e.to_string()));
    let own = [&claim.statement, &claim.why, &claim.figure];
    let optional = [&claim.said, &claim.cut, &claim.untestable, &claim.written.test];
    let texts = own.into_iter().chain(optional.into_iter().flatten()).chain(&claim.written.measure);
    let texts = texts.chain(experiment.map(|e| &e.text)).cloned();
    texts.chain(others).chain(choices).chain(expected).collect::<Vec<_>>().join(" ")
}

/// The text of an ablation besides its answer: what it shows, its claims, and the file of its experiment.
fn given_to(paper: &Paper, ablation: &Ablation) -> String {
    let mut text = ablation.question.clone();
    let mut add = |more: &str| {
        text.push(' ');
        text.push_str(more);
    };
    for experiment in
        paper.experiments.iter().filter(|e| Some(&e.name) == ablation.experiment.as_ref())
    {
        add(&experiment.text);
    }
    for claim in paper.claims.iter().filter(|claim| ablation.claims.contains(&claim.id)) {
        add(&given(paper, claim));
    }
    for figure in paper.figures.iter().filter(|figure| ablation.shown.contains(&figure.id)) {
        add(&format!("{} {} {}", figure.title, figure.x, figure.y));
        figure.lines.iter().for_each(|(name, _)| add(name));
        figure.x_names.iter().chain(&figure.said).for_each(|said| add(said));
    }
    for table in paper.tables.iter().filter(|table| ablation.shown.contains(&table.id)) {
        add(&table.title);
        table.columns.iter().for_each(|column| add(column));
        for row in &table.rows {
            add(&row.name);
            row.said.iter().for_each(|said| add(said));
        }
    }
    text
}

#[test]
fn numbers_are_found_in_texts() {
    assert_eq!(numbers_in("from 1,370 to 2.5e-8, ns-2 in 40 ms."), ["1370", "2.5e-8", "40"]);
}

#[test]
fn an_analysis_has_no_number_that_neither_its_runs_nor_the_paper_give() {
    let mut unfilled = Vec::new();
    for paper in papers() {
        let on_linux = paper.claims.iter().filter_map(|claim| claim.linux.as_deref());
        for claim in paper.claims.iter().chain(on_linux) {
            let Some(analysis) = &claim.analysis else { continue };
            let known = numbers_in(&given(&paper, claim));
            if numbers_in(&analysis.words()).iter().any(|number| !known.contains(number)) {
                unfilled.push(claim.id.clone());
            }
        }
    }
    assert_eq!(unfilled, Vec::<String>::new(), "fill in by [claim.numbers]");
}

#[test]
fn an_ablation_answers_with_no_number_that_neither_its_runs_nor_the_paper_give() {
    let mut unfilled = Vec::new();
    for paper in papers() {
        for ablation in &paper.ablations {
            let known = numbers_in(&given_to(&paper, ablation));
            let said = numbers_in(&ablation.answer.words()).into_iter();
            let unknown = said.filter(|number| !known.contains(number));
            unfilled
                .extend(unknown.map(|n| format!("papers/{}, {}: {n}", paper.key, ablation.name)));
        }
    }
    assert_eq!(unfilled, Vec::<String>::new(), "fill in by [ablation.numbers]");
}
