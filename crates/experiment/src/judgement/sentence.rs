//! A judgement in sentences: the leader, the price of the lead, the rest of the front.

use westwood_cc::Rate;

use super::contest::{Losses, NoConclusion, Relation};
use super::fault::faults;
use super::rules::USUAL;
use super::{Contest, Criterion, Fault, Preference, Situation};
use crate::metric::Metric;
use crate::results::{RunSummary, without_world};
use crate::stats::mean;
use westwood_scenario::sorting::sort_places;
use westwood_scenario::{counted, listed};

/// The sentence on runs over one setting.
pub fn sentence(contest: &Contest<'_>) -> String {
    let names = contest.contestants.len();
    if contest.no_conclusion() == Some(NoConclusion::AllLost) {
        return ALL_LOST.to_owned();
    }
    if names > 0 && contest.is_cut_off() {
        return cut_off(contest);
    }
    let (Some(leader), Some(primary)) = (contest.leader(), contest.primary()) else {
        return match names {
            0 => "Nothing was run.".to_owned(),
            _ => "Nothing that can be judged was measured.".to_owned(),
        };
    };
    let words = VerdictSentence { contest, leader, primary };
    if contest.carries_nothing() {
        return NOTHING_CARRIED.to_owned();
    }
    let all = match names {
        1 => vec![words.fault_warning(&[leader]), vec![words.alone()]],
        _ if !contest.has_enough_seeds() => {
            let best = words.ordered((0..names).collect())[0];
            let words = VerdictSentence { leader: best, ..words };
            vec![words.fault_warning(&[best]), vec![words.by_chance()]]
        }
        _ => {
            let level = words.ordered(contest.level_with(leader, primary));
            let few = [words.too_few_seeds(), words.too_few()].concat();
            let lead = [vec![words.lead(&level)], words.undecided()].concat();
            let rest = [words.costs(), words.others(&level), few, words.cause()].concat();
            vec![words.fault_warning(&level), lead, rest]
        }
    };
    let all: Vec<String> = all.into_iter().flatten().chain(words.neighbours()).collect();
    once(&all.join(" "), P95)
}

/// The conclusion from runs in which the measured link delivered no packet.
const ALL_LOST: &str =
    "The measured link lost every packet, so nothing is concluded. Lower the loss.";

/// The conclusion from runs that carried nothing.
const NOTHING_CARRIED: &str = "No flow under test delivered anything while it was measured, so nothing is \
                               concluded. Raise the time, lower the loss, or let the flows start sooner.";

/// The explanation of a delay, where it first comes.
pub(super) const P95: &str = " (95th percentile of the queueing delay)";

/// From this many random losses of a flow in a run on, losses set its mean window and not its start.
const LOSSES_OF_A_CAUSE: f64 = 5.0;

/// A text in which a part comes once.
pub(super) fn once(text: &str, part: &str) -> String {
    match text.split_once(part) {
        Some((before, rest)) => format!("{before}{part}{}", rest.replace(part, "")),
        None => text.to_owned(),
    }
}

/// The contestants with unfinished transfers, and in how many runs.
fn cut_off(contest: &Contest<'_>) -> String {
    let cut = contest.contestants.iter().filter(|one| one.cut_off() > 0);
    let who = cut.map(|one| match (one.cut_off(), one.runs.len()) {
        (cut, runs) if cut == runs => one.name.to_owned(),
        (cut, runs) => format!("{} in {cut} of {}", one.name, counted(runs as u64, "run")),
    });
    let who: Vec<String> = who.collect();
    format!(
        "Not every transfer was finished, so nothing is concluded: transfers were left unfinished by {}. \
         Raise the time, or lower the size.",
        listed(who.iter().map(String::as_str))
    )
}

struct VerdictSentence<'a> {
    contest: &'a Contest<'a>,
    leader: usize,
    primary: Criterion,
}

impl VerdictSentence<'_> {
    fn name(&self, i: usize) -> &str {
        self.contest.contestants[i].name
    }

    fn mean(&self, i: usize, criterion: Criterion) -> f64 {
        self.contest.contestants[i].mean(criterion)
    }

    /// These, the best in the first criterion first.
    fn ordered(&self, mut all: Vec<usize>) -> Vec<usize> {
        let score = |i: usize| self.mean(i, self.primary) * self.primary.sign();
        sort_places(&mut all, &mut |a, b| score(b).total_cmp(&score(a)));
        all
    }

    fn listed(&self, all: &[usize]) -> String {
        listed(all.iter().map(|&i| self.name(i)))
    }

    /// A contestant's value, in words that follow a name.
    fn reaches(&self, i: usize) -> String {
        let mean = self.mean(i, self.primary);
        match self.primary {
            Criterion::Completion => format!("completes a transfer in {}", span(mean)),
            _ => format!("carries {}", out_of(mean, self.contest.situation)),
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
        known.then(|| match self.mean(i, Criterion::QueueDelay) {
            0.0 => "19 of 20 packets do not wait at the bottleneck".to_owned(),
            // Below half a microsecond no time is left of it.
            ms if ms < 0.000_5 => {
                "19 of 20 packets wait less than 1 us at the bottleneck".to_owned()
            }
            ms => format!("19 of 20 packets wait at most {} at the bottleneck", span(ms)),
        })
    }

    fn by_chance(&self) -> String {
        let one = self.contest.contestants.iter().all(|one| one.runs.len() < 2);
        let why = if one {
            "one seed cannot tell merit from chance"
        } else {
            "no two have three seeds in common, without which merit cannot be told from chance"
        };
        format!("{} {}, but {why}: raise seeds.", self.name(self.leader), self.reaches(self.leader))
    }

    /// The faults of those that are ahead, the leader first.
    fn fault_warning(&self, level: &[usize]) -> Vec<String> {
        let contest = self.contest;
        let of = |i: usize| faults(&contest.contestants[i], contest.situation);
        let others = level.iter().copied().filter(|&i| i != self.leader);
        let ahead = level.iter().copied().filter(|&i| i == self.leader).chain(others);
        let told: Vec<String> = ahead
            .map(|i| (i, of(i)))
            .filter(|(_, found)| !found.is_empty())
            .map(|(i, found)| {
                let all: Vec<String> =
                    found.into_iter().map(|fault| self.fault(i, fault)).collect();
                format!("{} {}", self.name(i), listed(all.iter().map(String::as_str)))
            })
            .collect();
        if told.is_empty() {
            return Vec::new();
        }
        let beware = format!("Beware: {}", told.join("; "));
        let ahead = of(self.leader).is_empty() || contest.contestants.len() == 1;
        let front = contest.front();
        let rest = (0..contest.contestants.len()).filter(|i| !front.contains(i));
        let all = [self.ordered(front.clone()), self.ordered(rest.collect())].concat();
        // A value just below the bound of a fault, which chance may have put there, is no merit.
        let clear = |i: usize| {
            let mut criteria = of(self.leader).into_iter().filter_map(Fault::criterion);
            criteria.all(|c| contest.relation(i, self.leader, c) == Relation::Better)
        };
        let free: Vec<usize> = all.into_iter().filter(|&i| of(i).is_empty()).collect();
        let better = free.iter().copied().find(|&i| clear(i));
        vec![match better {
            _ if ahead => format!("{beware}."),
            None if !free.is_empty() => format!("{beware}."),
            Some(other) => {
                let values = of(self.leader)
                    .into_iter()
                    .filter_map(Fault::criterion)
                    .map(|c| has(c, &amount(c, self.mean(other, c))));
                let all: Vec<String> = [self.reaches(other)].into_iter().chain(values).collect();
                let all = listed(all.iter().map(String::as_str));
                format!("{beware}; {} {all}.", self.name(other))
            }
            None => format!("{beware}; none is without such a fault."),
        }]
    }

    /// A fault in words that follow a name.
    fn fault(&self, i: usize, fault: Fault) -> String {
        let amount = |criterion: Criterion| amount(criterion, self.mean(i, criterion));
        match fault {
            Fault::Unfinished => "leaves transfers unfinished".to_owned(),
            Fault::Uneven => {
                format!("shares unevenly (Jain index {})", amount(Criterion::Fairness))
            }
            Fault::Wasteful => format!("resends {}", amount(Criterion::Resent)),
            Fault::Harmful => {
                format!("takes {} of what the competing flows would have", amount(Criterion::Harm))
            }
        }
    }

    /// The leader, its lead, and the contestants that cannot be told from it.
    fn lead(&self, level: &[usize]) -> String {
        let preferring = preferring(self.contest.rules.preference);
        let quantity = noun(self.primary);
        let rest = self.better_than_all(level).map_or_else(String::new, |what| format!("; {what}"));
        let alone = level.len() == 1 && self.contest.has_best_mean(self.leader, self.primary);
        let level = self.without_open(level, self.primary);
        if level.len() == self.contest.contestants.len() && self.parted(&level).is_none() {
            let (first, last) = (level[0], level[level.len() - 1]);
            let range = match self.primary {
                Criterion::Completion => {
                    let ends = [first, last].map(|i| span(self.mean(i, self.primary)));
                    if ends[0] == ends[1] { ends[0].clone() } else { ends.join(" to ") }
                }
                _ => format!("{} at best", self.reaches(first).trim_start_matches("carries ")),
            };
            let the = if preferring.is_empty() { "The" } else { "the" };
            return format!(
                "{preferring}{the} controllers cannot be told apart by {quantity} ({range}){rest}."
            );
        }
        let most = match self.primary {
            _ if !alone => "",
            Criterion::Completion => " and is the quickest",
            _ => ", the most",
        };
        let others = level.iter().filter(|&&i| i != self.leader);
        let others: Vec<String> = others.map(|&i| self.with_amount(i)).collect();
        let told = self.parted(&level).map_or_else(String::new, |(best, worse)| {
            format!(", though {} is clearly ahead of {}", self.name(best), self.listed(&worse))
        });
        let level = if others.is_empty() {
            String::new()
        } else {
            let others = listed(others.iter().map(String::as_str));
            format!("; {others} cannot be told from it by {quantity}{told}")
        };
        // The preference is the reason of the lead.
        let preferred = self.contest.rules.preference.criteria().iter().copied();
        let preferred = preferred.into_iter().find(|c| self.contest.criteria.contains(c));
        let preferred = preferred.filter(|c| *c != self.primary);
        let why = preferred.map_or_else(String::new, |c| {
            format!("{} and ", has(c, &amount(c, self.mean(self.leader, c))))
        });
        let near = preferred.map_or_else(String::new, |c| self.near_by(c));
        format!(
            "{preferring}{} {why}{}{most}{}{near}{level}{rest}.",
            self.name(self.leader),
            self.reaches(self.leader),
            self.behind()
        )
    }

    /// These without those of which more seeds may show that they differ from the leader in a criterion:
    /// other sentences tell of them.
    fn without_open(&self, level: &[usize], criterion: Criterion) -> Vec<usize> {
        let contest = self.contest;
        let is_open = |&i: &usize| {
            contest.significant_uncorrected(self.leader, i, criterion)
                || contest.too_few(self.leader, i, criterion).is_some()
        };
        level.iter().copied().filter(|i| !is_open(i)).collect()
    }

    /// The contestants that cannot be told from the leader in a criterion, with their values.
    fn near_by(&self, criterion: Criterion) -> String {
        let near = self.contest.level_with(self.leader, criterion);
        let mut near = self.without_open(&near, criterion);
        near.retain(|&i| i != self.leader);
        let named = |i: usize| self.with_amount_of(i, criterion);
        let named: Vec<String> = self.ordered(near).into_iter().map(named).collect();
        if named.is_empty() {
            return String::new();
        }
        let named = listed(named.iter().map(String::as_str));
        format!("; {named} cannot be told from it by {}", noun(criterion))
    }

    /// Among contestants that are level with the leader the best of those that are clearly ahead of
    /// others, and these.
    fn parted(&self, level: &[usize]) -> Option<(usize, Vec<usize>)> {
        let behind = |i: usize| -> Vec<usize> {
            let worse = |&j: &usize| self.contest.relation(i, j, self.primary) == Relation::Better;
            level.iter().copied().filter(worse).collect()
        };
        let all = self.ordered(level.to_vec()).into_iter().map(|i| (i, behind(i)));
        all.into_iter().find(|(_, worse)| !worse.is_empty())
    }

    /// The contestants that are level with the leader by the number of comparisons alone, in the criteria
    /// that name it.
    fn undecided(&self) -> Vec<String> {
        let contest = self.contest;
        let apart = |&criterion: &Criterion| {
            let differs = |&i: &usize| contest.significant_uncorrected(self.leader, i, criterion);
            let apart = self.ordered((0..contest.contestants.len()).filter(differs).collect());
            let named: Vec<String> =
                apart.into_iter().map(|i| self.with_amount_of(i, criterion)).collect();
            (!named.is_empty()).then(|| (criterion, listed(named.iter().map(String::as_str))))
        };
        let mut naming: Vec<Criterion> = contest.naming().collect();
        naming.dedup();
        let several = naming.len() > 1;
        let apart: Vec<(Criterion, String)> = naming.iter().rev().filter_map(apart).collect();
        let told = apart.into_iter().map(|(criterion, named)| {
            let by = if several { format!(" by {}", noun(criterion)) } else { String::new() };
            format!("{named} would differ from it{by}")
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() {
            return Vec::new();
        }
        let (leader, told) = (self.name(self.leader), told.join(", and "));
        // One comparison that names the leader shares the probability of an error with other criteria.
        let among = match contest.naming_comparisons {
            1 => "with the other criteria judged as well".to_owned(),
            comparisons => format!("among {comparisons} comparisons"),
        };
        vec![format!("Compared with {leader} alone, {told}; {among} more seeds must decide.")]
    }

    /// A name with its value.
    fn with_amount(&self, i: usize) -> String {
        self.with_amount_of(i, self.primary)
    }

    fn with_amount_of(&self, i: usize, criterion: Criterion) -> String {
        format!("{} ({})", self.name(i), amount(criterion, self.mean(i, criterion)))
    }

    /// The contestants that differ from the leader under every seed, where the seeds are too few to tell. One
    /// that is behind stays behind, however much more the leader is better in.
    fn too_few_seeds(&self) -> Vec<String> {
        let contest = self.contest;
        let settled = |i: usize, c: Criterion| {
            contest.relation(self.leader, i, self.primary) == Relation::Better
                && contest.difference(self.leader, i, c).is_some_and(|d| d.mean > 0.0)
        };
        let open =
            |i: usize, c: Criterion| contest.too_few(self.leader, i, c).filter(|_| !settled(i, c));
        let all = || 0..contest.contestants.len();
        let others = all().filter(|&i| contest.criteria.iter().any(|&c| open(i, c).is_some()));
        let others = self.ordered(others.collect());
        let criteria = contest.criteria.iter().filter(|&&c| all().any(|i| open(i, c).is_some()));
        let criteria: Vec<&str> = criteria.map(|&c| noun(c)).collect();
        let seeds = all().flat_map(|i| contest.criteria.iter().filter_map(move |&c| open(i, c)));
        let Some(seeds) = seeds.max() else { return Vec::new() };
        vec![format!(
            "{seeds} seeds are too few to tell {} from {} by {}: raise seeds.",
            self.listed(&others),
            self.name(self.leader),
            listed(criteria)
        )]
    }

    /// The contestants that share too few seeds with any other.
    fn too_few(&self) -> Vec<String> {
        let few: Vec<usize> = (0..self.contest.contestants.len())
            .filter(|&i| i != self.leader)
            .filter(|&i| self.contest.relation(self.leader, i, self.primary) == Relation::Unknown)
            .collect();
        match few.len() {
            0 => Vec::new(),
            1 => vec![format!("{} has too few runs to be judged.", self.listed(&few))],
            _ => vec![format!("{} have too few runs to be judged.", self.listed(&few))],
        }
    }

    /// The first criterion in which the leader is clearly better than another that is level with it.
    fn better_than_all(&self, level: &[usize]) -> Option<String> {
        let others: Vec<usize> = level.iter().copied().filter(|&i| i != self.leader).collect();
        let criteria = self.contest.criteria.iter().copied().filter(|&c| c != self.primary);
        // Of those that are clearly worse the worst: a mean that is worse yet may be chance.
        let worst_by = |criterion: Criterion| {
            let beaten =
                |&i: &usize| self.contest.relation(self.leader, i, criterion) == Relation::Better;
            let bad = |i: usize| -self.mean(i, criterion) * criterion.sign();
            let worst =
                others.iter().copied().filter(beaten).max_by(|&a, &b| bad(a).total_cmp(&bad(b)))?;
            Some((criterion, worst))
        };
        let (criterion, worst) = criteria.into_iter().find_map(worst_by)?;
        Some(format!("{} {}", self.name(self.leader), self.beside(worst, criterion, "")))
    }

    /// The leader's value of a criterion and that of another, which stands behind a word.
    fn beside(&self, other: usize, criterion: Criterion, word: &str) -> String {
        let values = [self.leader, other].map(|i| self.mean(i, criterion));
        let [ours, theirs] = amounts(criterion, values[0], values[1]);
        let other = self.name(other);
        format!("{}, {word}{theirs} with {other}", has(criterion, &ours))
    }

    /// The distance of the rest, measured by the usual controller among them.
    fn behind(&self) -> String {
        let worse =
            |&i: &usize| self.contest.relation(self.leader, i, self.primary) == Relation::Better;
        let rest = self.ordered((0..self.contest.contestants.len()).filter(worse).collect());
        let usual = USUAL.iter().find_map(|n| rest.iter().find(|&&i| self.name(i) == *n));
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

    /// The criteria in which another contestant is clearly better than the leader, beside the one of
    /// them that is next by the first criterion; those on the front come before others.
    fn costs(&self) -> Vec<String> {
        let front = self.contest.front();
        let cost = |&criterion: &Criterion| {
            let better =
                |&i: &usize| self.contest.relation(i, self.leader, criterion) == Relation::Better;
            let score = |i: usize| self.mean(i, self.primary) * self.primary.sign();
            let next = |a: usize, b: usize| {
                let on_front = [a, b].map(|i| front.contains(&i));
                on_front[0].cmp(&on_front[1]).then(score(a).total_cmp(&score(b)))
            };
            let others = (0..self.contest.contestants.len()).filter(better);
            Some(self.beside(others.max_by(|&a, &b| next(a, b))?, criterion, "against "))
        };
        let all: Vec<String> = self.contest.criteria.iter().filter_map(cost).collect();
        if all.is_empty() {
            return Vec::new();
        }
        vec![format!("But {} {}.", self.name(self.leader), all.join("; it "))]
    }

    /// The rest of the front, and its meaning for the others.
    fn others(&self, level: &[usize]) -> Vec<String> {
        let contest = self.contest;
        let all = 0..contest.contestants.len();
        if level.len() == all.len() {
            return Vec::new();
        }
        let front = contest.front();
        let told = |i: &usize| *i == self.leader || level.contains(i) || !contest.is_comparable(*i);
        let others = self.ordered(front.iter().copied().filter(|i| !told(i)).collect());
        let named: Vec<String> = others.iter().map(|&i| self.with_amount(i)).collect();
        if named.is_empty() {
            let better =
                |i: usize, &c: &Criterion| contest.relation(i, self.leader, c) == Relation::Better;
            let nobody = all.clone().all(|i| !contest.criteria.iter().any(|c| better(i, c)));
            let text = "No other controller is clearly better in anything judged.";
            // More seeds may show that one is.
            let nobody = nobody && self.too_few_seeds().is_empty();
            return nobody.then(|| text.to_owned()).into_iter().collect();
        }
        let mut said =
            vec![format!("On the front as well: {}.", listed(named.iter().map(String::as_str)))];
        let mut rest = all.filter(|i| !told(i) && !others.contains(i)).peekable();
        let beaten = |i: usize| front.iter().any(|&one| contest.dominates(one, i));
        if rest.peek().is_some() && rest.all(beaten) {
            said.push(
                "Each of the rest is clearly worse than one of these in something, and better in nothing."
                    .to_owned(),
            );
        }
        said
    }

    /// The drops as a reason for an idle link.
    fn cause(&self) -> Vec<String> {
        let idle = |&i: &usize| 1.0 - self.contest.contestants[i].mean_of(Metric::Utilization);
        let all = || 0..self.contest.contestants.len();
        let found = USUAL.iter().find_map(|n| all().find(|&i| self.name(i) == *n));
        let Some(i) = found.filter(|&i| i != self.leader && idle(&i) > 0.1) else {
            return Vec::new();
        };
        // Another must show that the path can be used, losses and all. Transfers end before slow start does.
        let used = all().any(|other| 2.0 * idle(&other) < idle(&i));
        if self.contest.situation.transfers || !used {
            return Vec::new();
        }
        let one = &self.contest.contestants[i];
        let Losses { random, random_elsewhere, congestion, marked } = one.losses();
        // A few losses do not hold a window down: what slow start left does. Marks are signs of congestion,
        // too.
        if random <= congestion + marked || random < LOSSES_OF_A_CAUSE * one.flows() {
            return Vec::new();
        }
        let share = match random / (random + congestion) {
            share if share >= 0.995 => "all".to_owned(),
            // Those of other links may be ACKs, so that the share is not known.
            _ if random_elsewhere > 0.0 => "most".to_owned(),
            share => percent(share),
        };
        // Where a controller counts ACKs, and where it waits for one that is held, it grows more slowly.
        let acks = if self.contest.situation.acks_left_out {
            "; ACKs that the path leaves out may slow its growth as well"
        } else {
            ""
        };
        vec![format!(
            "{} leaves {} of the link idle: {share} of its drops are random loss, which it takes for \
             congestion{acks}.",
            one.name,
            percent(idle(&i))
        )]
    }

    /// The goodput that the competing flows keep.
    fn neighbours(&self) -> Option<String> {
        let Situation { rival, rivals, .. } = self.contest.situation;
        let rival = rival.as_ref()?;
        let kept = |i: &usize| self.contest.contestants[*i].mean_of(Metric::AgainstGoodput);
        let all: Vec<usize> = (0..self.contest.contestants.len()).collect();
        let kind = all.iter().copied().max_by(|a, b| kept(a).total_cmp(&kept(b)))?;
        let harsh = all.iter().copied().min_by(|a, b| kept(a).total_cmp(&kept(b)))?;
        let kept = match all.len() {
            1 => rate(kept(&kind)),
            _ => format!(
                "{} beside {} and {} beside {}",
                rate(kept(&kind)),
                self.name(kind),
                rate(kept(&harsh)),
                self.name(harsh)
            ),
        };
        // The comparison with it has said so already.
        let compared = |i: &usize| without_world(self.name(*i)) == rival.as_str();
        let own = self.goodput_among_own_kind().filter(|_| ![kind, harsh].iter().any(compared));
        let own =
            own.map_or_else(String::new, |own| format!(", {} beside its own kind", rate(own)));
        Some(match rivals {
            2.. => format!("The {rivals} competing flows of {rival} keep {kept}{own}."),
            _ => format!("The competing {rival} keeps {kept}{own}."),
        })
    }

    /// The goodput of the competing flows beside flows of their own kind: harm is the share that
    /// they lose of it.
    fn goodput_among_own_kind(&self) -> Option<f64> {
        let one = self.contest.contestants.iter().max_by_key(|one| one.runs.len())?;
        let own = |run: &&RunSummary| Some(run.against_goodput_bps? / (1.0 - run.harm?));
        let all: Vec<f64> = one.runs.iter().filter_map(own).filter(|x| x.is_finite()).collect();
        mean(&all)
    }
}

/// The preference, in words before a conclusion that it changes.
pub(super) fn preferring(preference: Preference) -> &'static str {
    match preference {
        Preference::Goodput => "",
        Preference::Delay => "Preferring a short queue: ",
        Preference::Fairness => "Preferring fairness: ",
        Preference::Sparing => "Preferring few copies and timeouts: ",
    }
}

/// The amount of a criterion that a contestant has, in words that follow its name.
pub(super) fn has(criterion: Criterion, amount: &str) -> String {
    match criterion {
        Criterion::Completion => format!("takes {amount} for a transfer"),
        Criterion::SlowestCompletion => format!("takes {amount} for the slowest transfer"),
        Criterion::Goodput => format!("carries {amount}"),
        Criterion::QueueDelay => {
            format!("keeps packets waiting {amount}{P95}")
        }
        Criterion::Resent => format!("resends {amount}"),
        Criterion::Fairness => format!("shares with a Jain index of {amount}"),
        Criterion::Harm => format!("takes {amount} of what the competing flows would have"),
        Criterion::Timeouts => format!("times out {amount} times a run"),
    }
}

/// The noun of a criterion in a sentence.
pub(super) fn noun(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Completion => "completion time",
        Criterion::SlowestCompletion => "slowest transfer",
        Criterion::Goodput => "goodput",
        Criterion::QueueDelay => "queueing delay",
        Criterion::Resent => "share resent",
        Criterion::Fairness => "Jain's index",
        Criterion::Harm => "harm",
        Criterion::Timeouts => "timeouts",
    }
}

/// A value of a criterion with its unit.
pub(super) fn amount(criterion: Criterion, value: f64) -> String {
    amount_to(criterion, value, 0)
}

/// Two values of a criterion that are said to differ, with as many digits more as that takes.
pub(super) fn amounts(criterion: Criterion, a: f64, b: f64) -> [String; 2] {
    let texts = |more| [a, b].map(|value| amount_to(criterion, value, more));
    let apart = (0..=MORE_DIGITS).map(texts).find(|[a, b]| a != b);
    apart.unwrap_or_else(|| texts(0))
}

/// The digits that a value may have beyond its usual ones.
const MORE_DIGITS: usize = 3;

/// A value of a criterion with its unit, with so many digits more than usual.
fn amount_to(criterion: Criterion, value: f64, more: usize) -> String {
    match criterion {
        Criterion::Completion | Criterion::SlowestCompletion | Criterion::QueueDelay => {
            span_to(value, more)
        }
        Criterion::Goodput => rate_to(value, more),
        Criterion::Resent => {
            let percent = value * 100.0;
            let digits = more
                + match percent {
                    percent if percent >= 9.95 => 0,
                    percent if percent >= 0.995 => 1,
                    _ => 2,
                };
            format!("{percent:.digits$} %")
        }
        Criterion::Harm => format!("{:.more$} %", value.max(0.0) * 100.0),
        Criterion::Fairness => format!("{value:.0$}", 2 + more),
        Criterion::Timeouts => format!("{value:.0$}", 1 + more),
    }
}

/// `9.7 of 10 Mbit/s`, or with both units if they differ. A part that is larger stands alone: packets that
/// waited when measuring began cross within it, and results of older versions have a recording's mean.
fn out_of(part: f64, situation: &Situation) -> String {
    let whole = situation.rate_bps;
    if part > whole * 1.0005 {
        return rate(part);
    }
    let (part, whole) = (rate(part), rate(whole));
    let mean = if situation.capacity_varies { " mean capacity" } else { "" };
    match (part.split_once(' '), whole.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => {
            format!("{number} of {whole}{mean}")
        }
        _ => format!("{part} of {whole}{mean}"),
    }
}

pub(super) fn rate(bps: f64) -> String {
    rate_to(bps, 0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
fn rate_to(bps: f64, more: usize) -> String {
    // Three digits: a mean over seeds has no more to say.
    let behind = (0..more).fold(2.0, |digits, _| digits + 1.0);
    let digits = if bps > 0.0 { libm::pow(10.0, libm::log10(bps).floor() - behind) } else { 1.0 };
    Rate::from_bits_per_s(((bps / digits).round() * digits).round() as u64).to_string()
}

/// A share in whole percent: something is not nothing.
fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent < 0.5 => "less than 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

pub(super) fn span(ms: f64) -> String {
    span_to(ms, 0)
}

fn span_to(ms: f64, more: usize) -> String {
    match ms {
        0.0 => "0 ms".to_owned(),
        ms if ms >= 1_000.0 => format!("{:.1$} s", ms / 1_000.0, 2 + more),
        ms if ms >= 10.0 => format!("{ms:.more$} ms"),
        ms if ms >= 1.0 => format!("{ms:.0$} ms", 1 + more),
        ms => format!("{:.more$} us", ms * 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_carried_a_packet_is_not_busy_for_none_of_the_time() {
        let texts = [0.0, 0.000_3, 0.006, 0.994, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "less than 1 %", "1 %", "99 %", "100 %"]);
    }
}
