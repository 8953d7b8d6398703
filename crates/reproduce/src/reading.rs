//! A paper under one coherent reading: the same choice made for all of its claims at once.

use std::cmp::Ordering;

use crate::paper::{Paper, PaperReading};
use crate::results::{ClaimVerdict, JudgedClaim, JudgedReading};

/// The readings of a paper; none if it has but one.
pub(crate) fn judged(paper: &Paper, claims: &[JudgedClaim]) -> Vec<JudgedReading> {
    if paper.readings.is_empty() {
        return Vec::new();
    }
    let own: Vec<&JudgedClaim> = claims.iter().filter(|claim| claim.paper == paper.key).collect();
    let usual = PaperReading {
        name: "as read here".to_owned(),
        about: "the choices that the verdicts of this page stand on".to_owned(),
        choices: Vec::new(),
    };
    std::iter::once(&usual).chain(&paper.readings).map(|reading| one(reading, &own)).collect()
}

fn one(reading: &PaperReading, claims: &[&JudgedClaim]) -> JudgedReading {
    let mut judged = JudgedReading {
        paper: claims.first().map(|claim| claim.paper.clone()).unwrap_or_default(),
        name: reading.name.clone(),
        about: reading.about.clone(),
        counts: [0; ClaimVerdict::ALL.len()],
        about_claims: 0,
        mended: Vec::new(),
        broken: Vec::new(),
        unsettled: Vec::new(),
        settled: Vec::new(),
    };
    for claim in claims {
        let verdict = under(reading, claim);
        judged.about_claims += usize::from(verdict.is_some());
        let verdict = verdict.unwrap_or(claim.verdict);
        judged.counts[verdict.place()] += 1;
        let list = match (claim.verdict.nearness(), verdict.nearness()) {
            (Some(before), Some(now)) => match now.cmp(&before) {
                Ordering::Greater => &mut judged.mended,
                Ordering::Less => &mut judged.broken,
                Ordering::Equal => continue,
            },
            (Some(_), None) => &mut judged.unsettled,
            (None, Some(_)) => &mut judged.settled,
            (None, None) => continue,
        };
        list.push(claim.id.clone());
    }
    judged
}

/// The turns of a reading, in words: `decides 46 of 48 claims anew, mends A, B, breaks nothing, leaves C
/// undecided, and settles D`.
pub(crate) fn turns(reading: &JudgedReading) -> String {
    let list = |ids: &[String]| match ids {
        [] => "nothing".to_owned(),
        ids => ids.join(", "),
    };
    let untestable = reading.counts[ClaimVerdict::NotTestable.place()];
    let testable = reading.counts.iter().sum::<usize>() - untestable;
    format!(
        "decides {} of {testable} claims anew, mends {}, breaks {}, leaves {} undecided, and settles {}",
        reading.about_claims,
        list(&reading.mended),
        list(&reading.broken),
        list(&reading.unsettled),
        list(&reading.settled)
    )
}

/// The verdict under a reading; none if the claim does not depend on it.
fn under(reading: &PaperReading, claim: &JudgedClaim) -> Option<ClaimVerdict> {
    if claim.verdict == ClaimVerdict::NotTestable {
        return None;
    }
    let chosen = |name: &String| claim.choices.iter().find(|choice| choice.name == *name);
    reading.choices.iter().find_map(chosen).map(|choice| choice.verdict)
}
