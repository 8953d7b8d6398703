//! Papers as data: their experiments are run, their figures drawn and their claims judged.
//!
//! ```text
//! papers/KEY/*.toml --papers--> Paper --Plan--> runs --judge--> Report
//! ```
//!
//! * [`paper`], [`claim`] and [`ablation`]: the format of `papers/KEY`, which `papers/README.md`
//!   describes.
//! * [`expr`] and [`metric`]: how a number comes from runs.
//! * [`plan`], [`run`]: each run once, several at a time, kept for the next time.
//! * [`formulas`]: the papers' formulas that expressions may call.
//! * [`results`]: verdicts and the schema `westwood.reproduce/1`; [`scoreboard`] writes all of them,
//!   [`in_full`] one of them for a terminal, [`page`] a site of them, and [`text`] their numbers.
//!
//! Nothing here knows a paper: its files say what it needs, also which of its experiments are run
//! on Linux instead of being simulated.

pub mod ablation;
mod answers;
pub mod claim;
mod drawn;
pub mod expr;
mod extent;
mod fields;
mod figures;
pub mod formulas;
pub mod in_full;
mod judge;
pub mod metric;
mod models;
mod needs;
mod number;
pub mod page;
pub mod paper;
pub mod plan;
mod reading;
mod resample;
pub mod results;
pub mod run;
mod runs;
pub mod scoreboard;
mod store;
pub mod text;

use westwood_scenario::file::reading::{BadFile, Sources};

pub use extent::{Extent, Platform};
pub use paper::Paper;
pub use plan::{MoreSeeds, PaperPart, ReproductionPlan};
pub use results::{ClaimVerdict, ReproductionReport};

include!(concat!(env!("OUT_DIR"), "/papers.rs"));

/// The papers that come with the program.
///
/// # Errors
/// If one of their files is wrong.
pub fn library() -> Result<(Vec<Paper>, Sources), BadFile> {
    paper::papers(FILES)
}

/// The verdicts on all claims whose runs are there, and the seeds that undecided ones still need.
pub fn judge(
    plan: &ReproductionPlan,
    done: &run::RunResults,
) -> (ReproductionReport, Vec<MoreSeeds>) {
    let mut report = ReproductionReport {
        version: env!("CARGO_PKG_VERSION"),
        mode: plan.mode,
        on: plan.on,
        measured: done.notes(),
        claims: Vec::new(),
        not_run: Vec::new(),
        readings: Vec::new(),
        ablations: Vec::new(),
        figures: Vec::new(),
        tables: Vec::new(),
    };
    let mut more = Vec::new();
    for paper in &plan.papers {
        for claim in judge::claims(plan, done, paper) {
            match claim.judged {
                Ok(judged) => report.claims.push(judged),
                Err(id) => report.not_run.push(id),
            }
            more.extend(claim.more);
        }
        // Quick runs have none of the choices.
        if plan.mode == Extent::Full {
            report.readings.extend(reading::judged(paper, &report.claims));
        }
        let mut runs = runs::PaperRuns::of(plan, done, paper);
        report.ablations.extend(answers::judged(paper, &mut runs));
        report.tables.extend(answers::tables(paper, &mut runs));
        report.figures.extend(figures::drawn(paper, &report.claims, &mut runs));
    }
    (report, more)
}
