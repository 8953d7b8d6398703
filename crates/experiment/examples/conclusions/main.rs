//! Counts how often the conclusions of `westwood compare` are wrong.
//!
//! ```text
//! cargo run --release -p westwood-experiment --example conclusions [RUNS] [DRAWS] [PATH]
//! ```
//!
//! Simulates RUNS of each controller on each path, or on the PATH alone, draws DRAWS comparisons for each
//! cell, and prints the tables of `results/conclusions.md`. Cells that fail go to stderr. The criteria are in
//! `docs/explanation/decisions.md`.

#[path = "../../tests/conclusions/mod.rs"]
mod conclusions;
mod power;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use conclusions::cell::{CellContestants, ComparisonCell, ErrorCounts, Question};
use conclusions::chance::ErrorCount;
use conclusions::path::{PATHS, PooledPath};
use conclusions::pool::RunPool;
use power::detectable;
use westwood_experiment::judgement::Criterion;
use westwood_experiment::run::each;

/// The numbers of seeds of a comparison; eight are the default.
const SEEDS: [usize; 6] = [2, 3, 5, 8, 16, 30];

/// The share of errors that the criteria accept.
const ACCEPTED: f64 = 0.05;

/// The criteria that are judged by their largest share.
const CRITERIA: [(Question, &str); 7] = [
    (Question::CopiesDiffer, "1. Copies of one controller: a difference is concluded"),
    (Question::CopyLeads, "2. Copies of one controller: one of them leads"),
    (Question::WrongSign, "3. A concluded difference has the wrong sign"),
    (Question::WrongLeader, "4. The leader has not the best mean"),
    (Question::DifferenceMissed, "5. One of the intervals of differences misses"),
    (Question::MeanMissed, "6. The 95 % interval of a mean misses"),
    (Question::MoreDiffer, "8. Runs are alike, and more of the pool differs than is said"),
];

/// The pools, and the cells with their counts.
struct ConclusionCounts {
    pools: Vec<RunPool>,
    cells: Vec<CountedCell>,
}

/// A cell, the number of its pool, and what it counts.
struct CountedCell {
    pool: usize,
    cell: ComparisonCell,
    counts: ErrorCounts,
}

/// A count with its cell.
type CellCount<'c> = (&'c CountedCell, ErrorCount);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: usize| arguments.next().map_or(Some(usual), |a| a.parse().ok());
    let (Some(runs), Some(draws)) = (number(400), number(2_000)) else {
        eprintln!("conclusions: RUNS and DRAWS are whole numbers");
        return ExitCode::from(2);
    };
    let only = arguments.next();
    let is_asked = |path: &&PooledPath| only.as_deref().is_none_or(|name| name == path.name);
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let simulated = |path: &PooledPath| {
        eprintln!("simulating {}", path.name);
        RunPool::simulated(*path, runs, jobs)
    };
    let pools: Vec<RunPool> = PATHS.iter().filter(is_asked).map(simulated).collect();
    let of = |(number, pool)| {
        ComparisonCell::all(pool, &SEEDS).into_iter().map(move |cell| (number, cell))
    };
    let cells: Vec<(usize, ComparisonCell)> = pools.iter().enumerate().flat_map(of).collect();
    eprintln!("judging {} cells", cells.len());
    let counts = all(&cells, jobs, |(pool, cell)| cell.counted(&pools[*pool], draws));
    let judged = |((pool, cell), counts)| CountedCell { pool, cell, counts };
    let cells = cells.into_iter().zip(counts).map(judged).collect();
    let counted = ConclusionCounts { pools, cells };
    println!("runs       {runs} of each controller on each path");
    println!("draws      {draws} comparisons a cell");
    print_paths(&counted);
    for criterion in &CRITERIA {
        counted.print_criterion(criterion);
    }
    counted.print_too_few();
    counted.print_reported();
    counted.print_detectable(draws / 4, jobs);
    ExitCode::SUCCESS
}

/// Something for each item, in their order.
fn all<T: Sync, R: Send>(items: &[T], jobs: usize, one: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    let found = Mutex::new(BTreeMap::new());
    let done = each(items, jobs, |i, item| {
        let result = one(item);
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(i, result);
        Ok::<bool, Infallible>(true)
    });
    assert_eq!(done, Ok(true));
    found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

fn print_paths(counted: &ConclusionCounts) {
    println!("\nPaths");
    for pool in &counted.pools {
        println!("{:<11}{}", pool.path.name, pool.path.about);
    }
}

/// A line of a table: its name and a value for each number of seeds.
fn print_row(name: &str, value: impl Fn(usize) -> String) {
    let values: Vec<String> = SEEDS.iter().map(|&n| format!("{:>8}", value(n))).collect();
    println!("{}", format!("{name:<20} {}", values.join(" ")).trim_end());
}

/// A step in percent, without the last bits of its product.
fn percents(step: f64) -> String {
    ((step * 1_000.0).round() / 10.0).to_string()
}

/// A share in percent; one that exceeds what is accepted has a mark.
fn percent(count: Option<ErrorCount>, fails: bool) -> String {
    let mark = if fails { "!" } else { " " };
    count.map_or_else(String::new, |count| format!("{:.1}{mark}", count.share() * 100.0))
}

/// The count with the largest share among those of so many seeds, of one pool or of all.
fn worst(counts: &[CellCount<'_>], seeds: usize, pool: Option<usize>) -> Option<ErrorCount> {
    let here = counts.iter().filter(|(cell, _)| {
        cell.cell.seeds == seeds && pool.is_none_or(|number| number == cell.pool)
    });
    here.map(|(_, count)| *count).max_by(|a, b| a.share().total_cmp(&b.share()))
}

impl ConclusionCounts {
    /// The counts of a question, of these criteria.
    fn counts(&self, question: Question, criteria: &[Option<Criterion>]) -> Vec<CellCount<'_>> {
        let of = |cell: &CountedCell| -> Vec<ErrorCount> {
            criteria.iter().filter_map(|one| cell.counts.of(question, *one)).collect()
        };
        let each = |cell| of(cell).into_iter().map(move |count| (cell, count));
        self.cells.iter().flat_map(each).collect()
    }

    /// A table of the largest shares, by path, and by quantity where each is one of its own.
    fn print_criterion(&self, &(question, title): &(Question, &str)) {
        let by_quantity: Vec<Option<Criterion>> = Criterion::ALL.map(Some).to_vec();
        let apart = matches!(question, Question::MeanMissed | Question::MoreDiffer);
        let judged = if apart { by_quantity.as_slice() } else { &[None] };
        let counts = self.counts(question, judged);
        let cells = counts.len();
        let fails = |count: ErrorCount| count.exceeds(ACCEPTED, cells);
        let failed = counts.iter().filter(|(_, count)| fails(*count)).count();
        let verdict = if failed == 0 { "holds" } else { "fails" };
        println!("\n{title}: {verdict}, {failed} of {cells} cells exceed 5 %");
        print_row("largest share, %", |n| format!("{n} seeds"));
        for (number, pool) in self.pools.iter().enumerate() {
            let value = |n| worst(&counts, n, Some(number));
            print_row(pool.path.name, |n| percent(value(n), value(n).is_some_and(fails)));
        }
        for criterion in Criterion::ALL {
            let counts = self.counts(question, &[Some(criterion)]);
            if !counts.is_empty() {
                let value = |n| worst(&counts, n, None);
                let name = format!("  {}", criterion.metric().name());
                print_row(&name, |n| percent(value(n), value(n).is_some_and(fails)));
            }
        }
        for (cell, count) in counts.iter().filter(|(_, count)| fails(*count)) {
            let who = self.who(cell);
            eprintln!("{title} | {who}: {:.2} %", count.share() * 100.0);
        }
    }

    /// The seventh criterion.
    fn print_too_few(&self) {
        let limit = |n: usize| match n {
            2 => 0.5,
            ..6 => 1.0,
            _ => 0.0,
        };
        let counts = self.counts(Question::TooFew, &[None]);
        let fails =
            |(cell, count): &&CellCount<'_>| count.exceeds(limit(cell.cell.seeds), counts.len());
        let failed = counts.iter().filter(fails).count();
        let verdict = if failed == 0 { "holds" } else { "fails" };
        println!("\n7. Two copies, too few seeds for the first criterion: {verdict}");
        print_row("share, %", |n| format!("{n} seeds"));
        self.print_sums(&counts);
    }

    /// The share of all cells of a path together.
    fn print_sums(&self, counts: &[CellCount<'_>]) {
        for (number, pool) in self.pools.iter().enumerate() {
            let sum = |n: usize| {
                let here = counts.iter().filter(|(c, _)| c.pool == number && c.cell.seeds == n);
                here.map(|(_, count)| *count).reduce(|a, b| ErrorCount {
                    errors: a.errors + b.errors,
                    draws: a.draws + b.draws,
                })
            };
            print_row(pool.path.name, |n| percent(sum(n), false));
        }
    }

    /// The questions without a criterion.
    fn print_reported(&self) {
        let questions = [
            (Question::DifferenceFarOff, "5a. One of them misses by more than the practical bound"),
            (Question::Immaterial, "A concluded difference is within the practical bound"),
            (Question::Found, "Differences in the first criterion that are found"),
        ];
        for (question, title) in questions {
            println!("\n{title}: no criterion");
            print_row("share, %", |n| format!("{n} seeds"));
            self.print_sums(&self.counts(question, &[None]));
        }
        let questions = [
            (
                Question::MeanFarOff,
                "6a. The interval of a mean misses by more than the practical bound",
            ),
            (Question::NoInterval, "8a. Runs are alike, and their mean has no interval"),
        ];
        for (question, title) in questions {
            println!("\n{title}: no criterion");
            print_row("largest share, %", |n| format!("{n} seeds"));
            for criterion in Criterion::ALL {
                let counts = self.counts(question, &[Some(criterion)]);
                if !counts.is_empty() {
                    let value = |n| percent(worst(&counts, n, None), false);
                    print_row(criterion.metric().name(), value);
                }
            }
        }
    }

    /// The power of a comparison of the usual controller with the last one.
    fn print_detectable(&self, draws: usize, jobs: usize) {
        println!("\nFound in four of five comparisons: better by so many percent");
        print_row("cubic-linux and", |n| format!("{n} seeds"));
        let places: Vec<(&RunPool, usize)> =
            self.pools.iter().flat_map(|pool| SEEDS.map(|n| (pool, n))).collect();
        let found = all(&places, jobs, |&(pool, n)| {
            detectable(pool, [0, pool.controllers.len() - 1], n, draws)
        });
        for (pool, found) in self.pools.iter().zip(found.chunks(SEEDS.len())) {
            let step = |n: usize| {
                let place = SEEDS.iter().position(|seeds| *seeds == n)?;
                found.get(place).copied().flatten()
            };
            let last = pool.name(pool.controllers.len() - 1);
            let name = format!("{last}, {}", pool.path.name);
            print_row(&name, |n| step(n).map_or("-".to_owned(), percents));
        }
    }

    /// A cell in words.
    fn who(&self, cell: &CountedCell) -> String {
        let pool = &self.pools[cell.pool];
        let names = match &cell.cell.contestants {
            CellContestants::Copies(i, n) => format!("{n} of {}", pool.name(*i)),
            CellContestants::Paired(all) => {
                all.iter().map(|&i| pool.name(i)).collect::<Vec<_>>().join(", ")
            }
            CellContestants::Alone(i) => pool.name(*i).to_owned(),
        };
        format!("{}, {} seeds, {names}", pool.path.name, cell.cell.seeds)
    }
}
