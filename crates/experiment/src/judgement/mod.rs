//! The conclusions that runs allow: the front, the leader, and the price of the lead.
//!
//! The criteria are all that matters for what was asked: goodput, or mean completion time and the
//! slowest transfer where the flows under test are transfers; queueing delay; the share resent; Jain's
//! index of several flows that are no transfers; harm to competing flows; timeouts. A criterion counts
//! only where every contestant has it.
//!
//! A difference between two contestants counts if it is beyond chance and beyond what matters:
//!
//! * Beyond chance: runs under one seed meet the same random network, so they are compared seed by
//!   seed, by Student's t. A conclusion rests on all criteria and all pairs of contestants at once,
//!   so all of them are one family: with 95 % confidence none of its statements is wrong (Holm's
//!   correction; intervals have Bonferroni's). The question is above all who leads, so that one half of
//!   the probability of an error belongs to the first criterion and the one preferred, and the other
//!   half to all others, in which many more pairs share it (Holm's weights). A quantity that is the
//!   same for both under every seed is no member of the family. Each setting of a sweep is a family of
//!   its own.
//! * Counts of timeouts are not normal, and where every seed gives the same difference its spread is
//!   zero and says nothing. Both are held to the sign test as well: n seeds are never less probable
//!   by chance than n coins that fall on one side, `2^(1 - n)`, so that less than six seeds cannot
//!   show it.
//! * Two seeds of a random network tell nothing apart. Student's t of two differences rests on how near
//!   they are to each other, and shares of packets are lumpy: two are often nearly the same.
//! * Where nothing is random, all seeds give the same and one is the truth: every difference is
//!   beyond chance, and takes no part in the correction.
//! * Two that share less than two seeds of a random network are not compared at all; the others are.
//! * Beyond what matters: more than the practical bound, 1 % unless said otherwise, of the larger of
//!   the two means, and more than a floor that is fixed by the bound:
//!
//! | criterion | floor at a bound of 1 % |
//! |---|---|
//! | queueing delay | 1 % of the longest base round-trip time |
//! | share resent | 0.1 percentage points |
//! | Jain's index | 0.01 |
//! | harm | 0.01 |
//! | timeouts | 0.1 a run |
//!
//! Harm below zero is none: competing flows that carry more than beside their own kind gain by shares that
//! are not used. No difference below zero counts, and no preference rests on one.
//!
//! One contestant dominates another if it is clearly better in a criterion and clearly worse in
//! none, and its means of the first criterion and of the one preferred are not worse by more than
//! what matters: few seeds leave contestants level that are not alike. The contestants that no
//! other dominates are on the front; those in a circle of domination stand there together. The
//! leader is the one on the front that the preference names. In the first criterion whoever is
//! clearly worse than another there is out, and whoever would be if nothing else were compared;
//! then whoever is clearly worse in the next, and so on. Between the rest the best mean of the
//! first criterion decides, among those that are clearly better than each that a later criterion
//! put out, if any is. The first criteria are those that the preference asks for. A fault is said
//! before anything else, independent of the other contestants: see [`Fault`]. Where a transfer was
//! cut off or nothing was carried nothing is concluded. Nothing here depends on the order in which
//! runs are given, and a run that is given twice counts once.

pub(crate) mod chance;
mod contest;
mod criterion;
mod diff;
mod difference;
mod fault;
mod grounds;
mod practical;
mod rules;
mod sentence;
mod setting;
mod settled;
mod situation;
mod summary;
mod sweep;
mod warning;

pub use chance::beyond_chance;
pub use contest::{Contest, PairComparison};
pub use criterion::Criterion;
pub use diff::{Diff, LostRuns, MetricChange, MissingResult, SavedResult, Undecided, diff};
pub use difference::PairedDifference;
pub use fault::Fault;
pub use grounds::{WarningGrounds, warnings};
pub use practical::Practical;
pub use rules::{JudgementRules, Preference};
pub use sentence::sentence;
pub use setting::summaries;
pub use situation::Situation;
pub use summary::{ConfidenceInterval, ContestantSummary, JudgementSummary, SettingSummary};
pub use sweep::{SweepPlace, count_sentence, sentence as sweep_sentence};
pub use warning::Warning;
