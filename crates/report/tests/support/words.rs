//! Experiments in words, run and made a document as the command does it.

use westwood_experiment::run::{
    CompletedRun, Detail, GridProgress, GridReport, RunBatch, drawn, run, tasks,
};
use westwood_experiment::world::Simulator;
use westwood_report::document::Document;
use westwood_report::experiment::{self, ReportDetails};
use westwood_scenario::file::{FlagValue, Scenario};

/// The document of an experiment whose flags are `name=value`.
pub(crate) fn document(flags: &[&str], command: &str) -> Document {
    let word = |flag: &&str| {
        let (flag, value) = flag.split_once('=').expect("name=value");
        FlagValue { flag: flag.to_owned(), value: value.to_owned() }
    };
    let words: Vec<FlagValue> = flags.iter().map(word).collect();
    let read = |_: &std::path::Path| Err("no files".to_owned());
    let (scenario, text) = Scenario::of_flags("comparison", &words, &[], &read).unwrap();
    let all = tasks(&scenario);
    let (mut records, mut curves) = (Vec::new(), Vec::new());
    let take = |mut done: CompletedRun| {
        curves.extend(done.curves.take());
        records.push(done.record());
        Ok::<(), ()>(())
    };
    let drawn = drawn(&scenario, Detail::Curves);
    let runs = RunBatch { drawn: &drawn, ..RunBatch::simulated(&scenario, &all, 2) };
    assert_eq!(run(runs, &GridProgress::new(&scenario, all.len()), take), Ok(true));
    curves.sort_by_key(|one| one.task);
    let report = GridReport::new(&scenario, "1.2.3", &[&Simulator], records);
    let first = scenario.build(&scenario.points()[0], 1).unwrap();
    let about = ReportDetails {
        command: command.to_owned(),
        scenario: text,
        words: scenario.path(),
        path: experiment::sketch(&first.outline()),
        settings: scenario.settings(),
        curves,
        ..ReportDetails::default()
    };
    experiment::document(&report, about)
}
