//! A sweep in sentences: what holds over which values.

use std::fmt::Write as _;

use super::contest::Relation;
use super::{Contest, Criterion};
use westwood_scenario::listed;

/// A place of a sweep: what its axis says there, and who was compared.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The value as the user wrote it: `0.1 %`.
    pub label: String,
    /// The runs there.
    pub contest: Contest<'a>,
}

/// What to read from places in the order of one axis of this name.
pub fn sentence(axis: &str, places: &[Place<'_>]) -> String {
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    for place in places {
        let Some(conclusion) = Conclusion::of(&place.contest) else { continue };
        match stretches.last_mut() {
            Some(last) if last.same_as(&conclusion) => last.places.push((place, conclusion)),
            _ => stretches.push(Stretch { places: vec![(place, conclusion)] }),
        }
    }
    let count = stretches.len();
    let words = stretches.iter().enumerate().map(|(i, stretch)| {
        let range = stretch.range(axis, i == 0, i + 1 == count);
        format!("{range} {}", stretch.says())
    });
    let mut text = words.collect::<Vec<_>>().join("; ");
    if text.is_empty() {
        return "Nothing that can be judged was measured.".to_owned();
    }
    let first: String = text.chars().take(1).flat_map(char::to_uppercase).collect();
    text.replace_range(..text.chars().next().map_or(0, char::len_utf8), &first);
    text.push('.');
    text
}

/// Who leads at a place.
struct Conclusion {
    leader: String,
    /// Who cannot be told from the leader in the first criterion, by name.
    level: Vec<String>,
    all: bool,
}

impl Conclusion {
    fn of(contest: &Contest<'_>) -> Option<Self> {
        if contest.is_cut_off() {
            return None;
        }
        let (leader, primary) = (contest.leader()?, contest.primary()?);
        let level = contest.level_with(leader, primary);
        let name = |i: usize| contest.contestants[i].name.to_owned();
        let all = level.len() == contest.contestants.len();
        Some(Self { leader: name(leader), level: level.into_iter().map(name).collect(), all })
    }
}

/// Adjacent places with one conclusion.
struct Stretch<'a> {
    places: Vec<(&'a Place<'a>, Conclusion)>,
}

impl Stretch<'_> {
    fn same_as(&self, other: &Conclusion) -> bool {
        self.places.first().is_some_and(|(_, first)| first.level == other.level)
    }

    /// Where it is: `up to 0.1 % loss`, `from 0.3 % on`.
    fn range(&self, axis: &str, first: bool, last: bool) -> String {
        let label = |at: Option<&(&Place<'_>, Conclusion)>| {
            at.map_or_else(String::new, |(place, _)| place.label.clone())
        };
        let (from, to) = (label(self.places.first()), label(self.places.last()));
        match (first, last) {
            (true, true) => format!("over all values of {axis}"),
            (true, false) if from == to => format!("at {axis} {from}"),
            (true, false) => format!("up to {axis} {to}"),
            (false, _) if from == to => format!("at {from}"),
            (false, true) => format!("from {from} on"),
            (false, false) => format!("from {from} to {to}"),
        }
    }

    fn says(&self) -> String {
        let Some((place, conclusion)) = self.places.first() else { return String::new() };
        let quantity = match place.contest.primary() {
            Some(Criterion::Completion) => "completion time",
            _ => "goodput",
        };
        let names = listed(conclusion.level.iter().map(String::as_str));
        match conclusion.level.len() {
            1 if conclusion.all => format!("{names} {}", self.alone()),
            1 => self.leads(&conclusion.leader),
            _ if conclusion.all => {
                format!(
                    "{names} cannot be told apart by {quantity}{}",
                    self.extras(&conclusion.leader)
                )
            }
            _ => format!("{names} lead and cannot be told apart by {quantity}"),
        }
    }

    /// The range of what one contestant alone reaches.
    fn alone(&self) -> String {
        let means = self.places.iter().filter_map(|(place, _)| {
            let criterion = place.contest.primary()?;
            Some((criterion, place.contest.contestants.first()?.mean(criterion)))
        });
        let means: Vec<(Criterion, f64)> = means.collect();
        let ends = means.iter().fold((f64::MAX, f64::MIN), |(l, h), (_, x)| (l.min(*x), h.max(*x)));
        match means.first() {
            Some((criterion, _)) => format!(
                "reaches {} to {}",
                super::sentence::amount(*criterion, ends.0),
                super::sentence::amount(*criterion, ends.1)
            ),
            None => "was not measured".to_owned(),
        }
    }

    /// One is ahead: of whom, how far, and at what cost in the queue.
    fn leads(&self, leader: &str) -> String {
        let Some((place, _)) = self.places.first() else { return String::new() };
        let usual = ["cubic-linux", "cubic", "reno-linux", "reno"];
        let others = || place.contest.contestants.iter().map(|one| one.name);
        let other = usual.into_iter().find(|n| *n != leader && others().any(|name| name == *n));
        let Some(other) = other.or_else(|| others().find(|name| *name != leader)) else {
            return format!("{leader} leads");
        };
        let mut ratios: Vec<f64> = Vec::new();
        let mut completion = false;
        for (place, _) in &self.places {
            let find = |n: &str| place.contest.contestants.iter().find(|one| one.name == n);
            let (Some(ours), Some(theirs), Some(criterion)) =
                (find(leader), find(other), place.contest.primary())
            else {
                continue;
            };
            completion = criterion == Criterion::Completion;
            let (a, b) = (ours.mean(criterion), theirs.mean(criterion));
            ratios.push(if completion { b / a } else { a / b });
        }
        let ends = ratios.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        let factor = match ends {
            (low, high) if !high.is_finite() || low > high => "more".to_owned(),
            (low, high) if format!("{low:.1}") == format!("{high:.1}") => format!("{low:.1} times"),
            (low, high) => format!("{low:.1} to {high:.1} times"),
        };
        let mut text = if completion {
            format!("{leader} is {factor} as fast as {other}")
        } else {
            format!("{leader} carries {factor} as much as {other}")
        };
        text.push_str(&self.queue(leader, other));
        text
    }

    /// How much longer or shorter the queue is, where that is clear.
    fn queue(&self, leader: &str, other: &str) -> String {
        let mut clear: Vec<f64> = Vec::new();
        for (place, _) in &self.places {
            let contest = &place.contest;
            let find = |n: &str| contest.contestants.iter().position(|one| one.name == n);
            let (Some(a), Some(b)) = (find(leader), find(other)) else { continue };
            if !contest.criteria.contains(&Criterion::QueueDelay)
                || contest.relation(a, b, Criterion::QueueDelay) == Relation::Level
            {
                continue;
            }
            let mean = |i: usize| contest.contestants[i].mean(Criterion::QueueDelay);
            clear.push(mean(a) - mean(b));
        }
        let largest = clear.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mut text = String::new();
        if let Some(difference) = largest {
            let amount = super::sentence::span(difference.abs());
            let word = if difference > 0.0 { "more" } else { "less" };
            let _ = write!(text, " and keeps up to {amount} {word} in the queue");
        }
        text
    }

    /// Of those that are level: who has the shorter queue.
    fn extras(&self, leader: &str) -> String {
        let Some((place, conclusion)) = self.places.last() else { return String::new() };
        let worst = conclusion.level.iter().filter(|name| *name != leader).max_by(|a, b| {
            let wait = |n: &str| {
                let one = place.contest.contestants.iter().find(|one| one.name == n);
                one.map_or(0.0, |one| one.mean(Criterion::QueueDelay))
            };
            wait(a).total_cmp(&wait(b))
        });
        let difference = worst.map_or_else(String::new, |other| self.queue(leader, other));
        match (difference.is_empty(), worst) {
            (false, Some(other)) => {
                format!("; {leader}{} than {other}", difference.replacen(" and keeps", " keeps", 1))
            }
            _ => String::new(),
        }
    }
}
