//! A card from its first look to its last.

use crate::card::Scorecard;
use crate::judge::{judge, next_look};
use crate::plan::CardPlan;
use crate::run::CardRuns;

/// Does the runs that a card needs and judges it, with more seeds until every setting is decided or
/// has had its last look. `simulate` does the runs that remain; before each further look `told`
/// hears of the card, of how many of its settings are undecided, and of how many seeds each of them has had
/// and will have.
///
/// # Errors
/// That of `simulate`.
pub fn examine<E>(
    plan: &mut CardPlan,
    runs: &mut CardRuns,
    mut simulate: impl FnMut(&CardPlan, &mut CardRuns) -> Result<(), E>,
    mut told: impl FnMut(&Scorecard, usize, [usize; 2]),
) -> Result<Scorecard, E> {
    let mut seeds = 1;
    loop {
        simulate(plan, runs)?;
        let (card, open) = judge(plan, runs);
        // A real run may be late; a simulated one that fails is a fault of ours or of the file.
        let has_failed = !plan.linux && !runs.failures(plan).is_empty();
        let next = next_look(seeds).filter(|_| !open.is_empty() && !has_failed);
        let Some(next) = next else { return Ok(card) };
        told(&card, open.len(), [seeds, next]);
        plan.ask_for(&open, next);
        seeds = next;
    }
}
