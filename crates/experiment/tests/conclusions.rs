//! Conclusions are wrong no more often than they say.
//!
//! Small pools of two paths stand here for the ten paths and larger pools of `make conclusions`.

#[path = "conclusions/mod.rs"]
mod conclusions;

use conclusions::cell::{ComparisonCell, ErrorCounts, Question};
use conclusions::chance::ErrorCount;
use conclusions::path::{PATHS, PooledPath};
use conclusions::pool::RunPool;
use westwood_experiment::judgement::Criterion;

/// The share of errors that the criteria accept.
const ACCEPTED: f64 = 0.05;

fn path(name: &str) -> PooledPath {
    *PATHS.iter().find(|path| path.name == name).expect("a path of this name")
}

/// The cells of a pool, each with what 300 comparisons give.
fn counted(pool: &RunPool, seeds: &[usize]) -> Vec<(String, ErrorCounts)> {
    let counted = |cell: &ComparisonCell| {
        let about = pool.path.about;
        let name = format!("{about}, {:?} under {} seeds", cell.contestants, cell.seeds);
        (name, cell.counted(pool, 300))
    };
    ComparisonCell::all(pool, seeds).iter().map(counted).collect()
}

/// Fails if a cell exceeds what is accepted, in all criteria together or in any by itself.
fn hold(cells: &[(String, ErrorCounts)], question: Question) {
    let criteria = std::iter::once(None).chain(Criterion::ALL.map(Some));
    let places = criteria.flat_map(|criterion| cells.iter().map(move |cell| (criterion, cell)));
    let of = |(criterion, (name, counts)): (Option<Criterion>, &'_ (String, ErrorCounts))| {
        Some((format!("{name}, {criterion:?}"), counts.of(question, criterion)?))
    };
    let all: Vec<(String, ErrorCount)> = places.filter_map(of).collect();
    assert!(!all.is_empty(), "{question:?}");
    for (name, count) in &all {
        assert!(!count.exceeds(ACCEPTED, all.len()), "{question:?}, {name}: {}", count.share());
    }
}

#[test]
fn copies_of_a_controller_differ_no_more_often_than_chance_may() {
    // Shares resent are lumpy here: two seeds often give nearly the same difference.
    let cells = counted(&RunPool::simulated(path("transfer"), 100, 2), &[2, 3, 8]);
    hold(&cells, Question::CopiesDiffer);
    hold(&cells, Question::CopyLeads);
}

#[test]
fn a_difference_and_a_leader_are_rarely_the_wrong_ones() {
    let cells = counted(&RunPool::simulated(path("page"), 100, 2), &[2, 3, 8]);
    hold(&cells, Question::WrongSign);
    hold(&cells, Question::WrongLeader);
    hold(&cells, Question::MoreDiffer);
    let found = |n: usize| {
        let of = cells.iter().filter(|(name, _)| name.ends_with(&format!("{n} seeds")));
        of.filter_map(|(_, counts)| counts.of(Question::Found, None)).map(|c| c.errors).sum::<u32>()
    };
    assert!(found(2) == 0 && found(8) > found(3), "{} {} {}", found(2), found(3), found(8));
}
