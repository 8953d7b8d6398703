//! A paper under one coherent reading: the same choice made for all of its claims at once.

use std::cmp::Ordering;

use crate::paper::{Paper, PaperReading};
use crate::results::{ClaimVerdict, Judged, JudgedReading};

/// The readings of a paper; none if it has but one.
pub(crate) fn judged(paper: &Paper, claims: &[Judged]) -> Vec<JudgedReading> {
    if paper.readings.is_empty() {
        return Vec::new();
    }
    let own: Vec<&Judged> = claims.iter().filter(|claim| claim.paper == paper.key).collect();
    let usual = PaperReading {
        name: "as read here".to_owned(),
        about: "the choices that the verdicts of this page stand on".to_owned(),
        choices: Vec::new(),
    };
    std::iter::once(&usual).chain(&paper.readings).map(|reading| one(reading, &own)).collect()
}

fn one(reading: &PaperReading, claims: &[&Judged]) -> JudgedReading {
    let mut judged = JudgedReading {
        paper: claims.first().map(|claim| claim.paper.clone()).unwrap_or_default(),
        name: reading.name.clone(),
        about: reading.about.clone(),
        counts: [0; ClaimVerdict::ALL.len()],
        about_claims: 0,
        mended: Vec::new(),
        broken: Vec::new(),
    };
    for claim in claims {
        let verdict = under(reading, claim);
        judged.about_claims += usize::from(verdict.is_some());
        let verdict = verdict.unwrap_or(claim.verdict);
        judged.counts[verdict.place()] += 1;
        if let (Some(before), Some(now)) = (claim.verdict.nearness(), verdict.nearness()) {
            match now.cmp(&before) {
                Ordering::Greater => judged.mended.push(claim.id.clone()),
                Ordering::Less => judged.broken.push(claim.id.clone()),
                Ordering::Equal => {}
            }
        }
    }
    judged
}

/// The verdict under a reading; none if the claim does not depend on it.
fn under(reading: &PaperReading, claim: &Judged) -> Option<ClaimVerdict> {
    if claim.verdict == ClaimVerdict::NotTestable {
        return None;
    }
    let chosen = |name: &String| claim.choices.iter().find(|choice| choice.name == *name);
    reading.choices.iter().find_map(chosen).map(|choice| choice.verdict)
}
