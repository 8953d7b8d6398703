//! A judgement in sentences: who leads, what the lead costs, who else is on the front.

use westwood_cc::Rate;

use super::contest::Relation;
use super::{Contest, Criterion, Preference};
use crate::metric::Metric;
use westwood_scenario::listed;

/// What to read from runs over one setting.
pub fn sentence(contest: &Contest<'_>) -> String {
    let names = contest.contestants.len();
    let (Some(leader), Some(primary)) = (contest.leader(), contest.primary()) else {
        return match names {
            0 => "Nothing was run.".to_owned(),
            _ => "Nothing that can be judged was measured.".to_owned(),
        };
    };
    if contest.is_cut_off() {
        return "Not every transfer was finished, so nothing is concluded: raise the time, or lower the \
                size."
            .to_owned();
    }
    let words = Words { contest, leader, primary };
    let mut all = match names {
        1 => vec![words.alone()],
        _ if !contest.tells_chance() => vec![words.by_chance()],
        _ => {
            let lead = vec![words.lead()];
            [lead, words.costs(), words.others(), words.cause()].concat()
        }
    };
    all.extend(words.neighbours());
    all.join(" ")
}

struct Words<'a> {
    contest: &'a Contest<'a>,
    leader: usize,
    primary: Criterion,
}

impl Words<'_> {
    fn name(&self, i: usize) -> &str {
        self.contest.contestants[i].name
    }

    fn mean(&self, i: usize, criterion: Criterion) -> f64 {
        self.contest.contestants[i].mean(criterion)
    }

    /// These, the best in the first criterion first.
    fn ordered(&self, mut all: Vec<usize>) -> Vec<usize> {
        let score = |i: usize| self.mean(i, self.primary) * self.primary.sign();
        all.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        all
    }

    fn listed(&self, all: &[usize]) -> String {
        listed(all.iter().map(|&i| self.name(i)))
    }

    /// How much one reaches, in words that follow a name.
    fn reaches(&self, i: usize) -> String {
        let mean = self.mean(i, self.primary);
        match self.primary {
            Criterion::Completion => format!("completes a transfer in {}", span(mean)),
            _ => format!("carries {}", out_of(mean, self.contest.situation.rate_bps)),
        }
    }

    fn alone(&self) -> String {
        let one = &self.contest.contestants[self.leader];
        let busy = percent(one.mean_of(Metric::Utilization));
        let wait = self.waits(self.leader);
        let wait = wait.map_or_else(String::new, |wait| format!("; {wait}"));
        format!(
            "{} {}; the link is busy {busy} of the time{wait}.",
            one.name,
            self.reaches(self.leader)
        )
    }

    fn waits(&self, i: usize) -> Option<String> {
        let known = self.contest.criteria.contains(&Criterion::QueueDelay);
        known.then(|| {
            let wait = span(self.mean(i, Criterion::QueueDelay));
            format!("19 of 20 packets wait less than {wait} at the bottleneck")
        })
    }

    fn by_chance(&self) -> String {
        let best = self.ordered((0..self.contest.contestants.len()).collect())[0];
        format!(
            "{} {}, but one seed cannot tell merit from chance: raise seeds.",
            self.name(best),
            self.reaches(best)
        )
    }

    /// Who leads, beside whom, and how far ahead.
    fn lead(&self) -> String {
        let all = self.contest.contestants.len();
        let level = self.ordered(self.contest.level_with(self.leader, self.primary));
        let preferring = match self.contest.rules.preference {
            Preference::Goodput => "",
            Preference::Delay => "Preferring a short queue: ",
            Preference::Fairness => "Preferring fairness: ",
            Preference::Sparing => "Preferring few copies and timeouts: ",
        };
        let quantity = match self.primary {
            Criterion::Completion => "completion time",
            _ => "goodput",
        };
        if level.len() == all {
            let (first, last) = (level[0], level[level.len() - 1]);
            let range = match self.primary {
                Criterion::Completion => {
                    let ends = (self.mean(first, self.primary), self.mean(last, self.primary));
                    format!("{} to {}", span(ends.0), span(ends.1))
                }
                _ => format!("{} at best", self.reaches(first).trim_start_matches("carries ")),
            };
            let rest = match self.better_than_all(&level) {
                Some(what) => format!("; {what}"),
                None => String::new(),
            };
            return format!(
                "{preferring}the controllers cannot be told apart by {quantity} ({range}){rest}."
            )
            .replacen(
                "the controllers",
                if preferring.is_empty() { "The controllers" } else { "the controllers" },
                1,
            );
        }
        let behind = self.behind(&level);
        let best = self.contest.has_best_mean(level[0], self.primary);
        let most = match (self.primary, best) {
            (Criterion::Completion, true) => "first",
            (_, true) => "most",
            _ => "",
        };
        if level.len() == 1 {
            let lead = match most {
                "" => String::new(),
                "first" => " and is the quickest".to_owned(),
                _ => ", the most".to_owned(),
            };
            return format!(
                "{preferring}{} {}{lead}{behind}.",
                self.name(self.leader),
                self.reaches(self.leader)
            );
        }
        let verb = match most {
            "first" => "finish first",
            "most" => "carry the most",
            _ => "are level",
        };
        let rest =
            self.better_than_all(&level).map_or_else(String::new, |what| format!("; {what}"));
        format!(
            "{preferring}{} {verb} and cannot be told apart by {quantity} ({} {}{behind}){rest}.",
            self.listed(&level),
            self.name(level[0]),
            self.reaches(level[0]),
        )
    }

    /// Where the leader is clearly better than others that are level with it.
    fn better_than_all(&self, level: &[usize]) -> Option<String> {
        let others: Vec<usize> = level.iter().copied().filter(|&i| i != self.leader).collect();
        let criteria = self.contest.criteria.iter().copied().filter(|&c| c != self.primary);
        let better = |criterion: &Criterion| {
            others.iter().any(|&other| {
                self.contest.relation(self.leader, other, *criterion) == Relation::Better
            })
        };
        let criterion = criteria.into_iter().find(better)?;
        let worst = others.iter().copied().max_by(|&a, &b| {
            let bad = |i: usize| -self.mean(i, criterion) * criterion.sign();
            bad(a).total_cmp(&bad(b))
        })?;
        let ours = self.mean(self.leader, criterion);
        let theirs = self.mean(worst, criterion);
        Some(format!(
            "{} {}, {} with {}",
            self.name(self.leader),
            has(criterion, ours),
            amount(criterion, theirs),
            self.name(worst)
        ))
    }

    /// How far the rest is behind, measured by the usual controller among them.
    fn behind(&self, level: &[usize]) -> String {
        let worse = |&i: &usize| {
            !level.contains(&i)
                && self.contest.relation(self.leader, i, self.primary) == Relation::Better
        };
        let rest = self.ordered((0..self.contest.contestants.len()).filter(worse).collect());
        let usual = ["reno", "reno-linux", "cubic-linux", "cubic"];
        let usual = usual.iter().find_map(|n| rest.iter().find(|&&i| self.name(i) == *n));
        let Some(&other) = usual.or(rest.last()) else { return String::new() };
        let (ours, theirs) = (self.mean(self.leader, self.primary), self.mean(other, self.primary));
        let factor =
            if self.primary == Criterion::Completion { theirs / ours } else { ours / theirs };
        match (self.primary, factor) {
            (_, f) if !f.is_finite() => {
                format!(", where {} gets nothing through", self.name(other))
            }
            (_, f) if f < 1.095 => {
                format!(", {:.1} % ahead of {}", (f - 1.0) * 100.0, self.name(other))
            }
            (Criterion::Completion, f) => format!(", {f:.1} times as fast as {}", self.name(other)),
            (_, f) => format!(", {f:.1} times what {} carries", self.name(other)),
        }
    }

    /// Wherever somebody on the front is clearly better than the leader, beside the one of them that is
    /// next by the first criterion.
    fn costs(&self) -> Vec<String> {
        let front = self.contest.front();
        let cost = |&criterion: &Criterion| {
            let better =
                |&&i: &&usize| self.contest.relation(i, self.leader, criterion) == Relation::Better;
            let score = |i: usize| self.mean(i, self.primary) * self.primary.sign();
            let other = front.iter().filter(better).copied();
            let other = other.max_by(|&a, &b| score(a).total_cmp(&score(b)))?;
            let (ours, theirs) = (self.mean(self.leader, criterion), self.mean(other, criterion));
            Some(format!(
                "{}, against {} with {}",
                has(criterion, ours),
                amount(criterion, theirs),
                self.name(other)
            ))
        };
        let all: Vec<String> = self.contest.criteria.iter().filter_map(cost).collect();
        if all.is_empty() {
            return Vec::new();
        }
        vec![format!("But {} {}.", self.name(self.leader), all.join("; it "))]
    }

    /// Who else is on the front.
    fn others(&self) -> Vec<String> {
        let front = self.contest.front();
        let level = self.contest.level_with(self.leader, self.primary);
        let named = |i: &usize| *i == self.leader || level.contains(i);
        let others: Vec<usize> = front.into_iter().filter(|i| !named(i)).collect();
        let others = self.ordered(others);
        let all = self.contest.contestants.len();
        if level.len() == all {
            return Vec::new();
        }
        let reaches = |&i: &usize| {
            format!("{} ({})", self.name(i), amount(self.primary, self.mean(i, self.primary)))
        };
        let named: Vec<String> = others.iter().map(reaches).collect();
        let also = match named.len() {
            0 => String::new(),
            _ => format!("On the front as well: {}.", listed(named.iter().map(String::as_str))),
        };
        let beaten = all > others.len() + level.len();
        match (also.is_empty(), beaten) {
            (true, _) => vec!["No other controller is clearly better in anything.".to_owned()],
            (false, true) => {
                vec![also, "The others are clearly better in nothing.".to_owned()]
            }
            (false, false) => vec![also],
        }
    }

    /// What drops say about why somebody leaves the link idle.
    fn cause(&self) -> Vec<String> {
        let idle = |&i: &usize| 1.0 - self.contest.contestants[i].mean_of(Metric::Utilization);
        let usual = ["reno", "reno-linux", "cubic-linux", "cubic"];
        let all = || 0..self.contest.contestants.len();
        let found = usual.iter().find_map(|n| all().find(|&i| self.name(i) == *n));
        let Some(i) = found.filter(|&i| i != self.leader && idle(&i) > 0.1) else {
            return Vec::new();
        };
        let one = &self.contest.contestants[i];
        let random = one.mean_of(Metric::DropsRandom);
        let congestion = one.mean_of(Metric::DropsOverflow) + one.mean_of(Metric::DropsAqm);
        if random <= congestion || random <= 0.0 {
            return Vec::new();
        }
        let share = match random / (random + congestion) {
            share if share >= 0.995 => "all".to_owned(),
            share => percent(share),
        };
        vec![format!(
            "{} leaves {} of the link idle: {share} of its drops are random loss, which it takes for \
             congestion.",
            one.name,
            percent(idle(&i))
        )]
    }

    /// What the competing flows keep.
    fn neighbours(&self) -> Option<String> {
        let rival = self.contest.situation.rival.as_ref()?;
        let kept = |i: &usize| self.contest.contestants[*i].mean_of(Metric::AgainstGoodput);
        let all: Vec<usize> = (0..self.contest.contestants.len()).collect();
        let kind = all.iter().copied().max_by(|a, b| kept(a).total_cmp(&kept(b)))?;
        let harsh = all.iter().copied().min_by(|a, b| kept(a).total_cmp(&kept(b)))?;
        Some(match all.len() {
            1 => format!("The competing {rival} keeps {}.", rate(kept(&kind))),
            _ => format!(
                "The competing {rival} keeps {} beside {} and {} beside {}.",
                rate(kept(&kind)),
                self.name(kind),
                rate(kept(&harsh)),
                self.name(harsh)
            ),
        })
    }
}

/// What somebody has, in words that follow a name.
fn has(criterion: Criterion, value: f64) -> String {
    let amount = amount(criterion, value);
    match criterion {
        Criterion::Completion => format!("takes {amount} for a transfer"),
        Criterion::Goodput => format!("carries {amount}"),
        Criterion::QueueDelay => {
            format!("keeps packets waiting {amount} (95th percentile of the queueing delay)")
        }
        Criterion::Resent => format!("resends {amount}"),
        Criterion::Fairness => format!("shares with a Jain index of {amount}"),
        Criterion::Harm => format!("takes {amount} of what the competing flows would have"),
        Criterion::Timeouts => format!("times out {amount} times a run"),
    }
}

/// A value of a criterion with its unit.
pub(super) fn amount(criterion: Criterion, value: f64) -> String {
    match criterion {
        Criterion::Completion | Criterion::QueueDelay => span(value),
        Criterion::Goodput => rate(value),
        Criterion::Resent => format!("{:.2} %", value * 100.0),
        Criterion::Harm => percent(value),
        Criterion::Fairness => format!("{value:.2}"),
        Criterion::Timeouts => format!("{value:.1}"),
    }
}

/// `9.7 of 10 Mbit/s`, or with both units if they differ.
fn out_of(part: f64, whole: f64) -> String {
    let (part, whole) = (rate(part), rate(whole));
    match (part.split_once(' '), whole.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {whole}"),
        _ => format!("{part} of {whole}"),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
pub(super) fn rate(bps: f64) -> String {
    // Three digits: a mean over seeds has no more to say.
    let digits = if bps > 0.0 { 10_f64.powf(bps.log10().floor() - 2.0) } else { 1.0 };
    Rate::from_bits_per_s(((bps / digits).round() * digits).round() as u64).to_string()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

pub(super) fn span(ms: f64) -> String {
    match ms {
        ms if ms >= 1_000.0 => format!("{:.2} s", ms / 1_000.0),
        ms if ms >= 10.0 => format!("{ms:.0} ms"),
        ms if ms >= 1.0 => format!("{ms:.1} ms"),
        ms => format!("{:.0} us", ms * 1_000.0),
    }
}
