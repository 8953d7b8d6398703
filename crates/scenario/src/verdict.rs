//! One sentence that says what to read from a comparison.

use westwood_cc::Rate;

use crate::metric::Metric;
use crate::ranking::{Group, Standing, groups, standing};
use crate::results::{Report, Run};

/// One sentence that says what to read from a comparison: who leads, by how much, why, at what
/// price.
pub fn verdict(report: &Report) -> String {
    verdict_of(&report.runs, &Situation::of(report))
}

/// What runs have in common that a sentence about them needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// The flows under test are transfers.
    pub transfers: bool,
    /// How many seeds there are.
    pub seeds: usize,
    /// The rate of the link, in bits a second.
    pub rate_bps: f64,
    /// The controller of the competing flows, if there are any.
    pub rival: Option<String>,
}

impl Situation {
    fn of(report: &Report) -> Self {
        Self {
            transfers: report.path.size_bytes.is_some(),
            seeds: report.path.seeds.len(),
            rate_bps: report.path.rate_bps,
            rival: report.path.against_cc.clone(),
        }
    }
}

/// The same for runs that come from elsewhere than a comparison.
pub fn verdict_of(runs: &[Run], about: &Situation) -> String {
    let groups = groups(runs);
    let Some(first) = groups.first() else {
        return "Nothing was run.".to_owned();
    };
    let metric = if about.transfers { Metric::FctMean } else { Metric::Goodput };
    let sentence = match standing(&groups, metric) {
        _ if groups.len() == 1 => alone(first, about, metric),
        Standing::Best(i) => leader(&groups, i, about, metric),
        Standing::Tied(level) if level.len() == groups.len() => level_field(&groups, about, metric),
        Standing::Tied(level) => tied(&groups, &level, about, metric),
        Standing::Unknown => unknown(&groups, about, metric),
    };
    format!("{sentence}{}.", neighbours(&groups, about))
}

/// One controller alone.
fn alone(group: &Group<'_>, about: &Situation, metric: Metric) -> String {
    format!(
        "{} {}; the link is busy {} of the time{}",
        group.cc,
        amount(group, about, metric),
        percent(group.mean(Metric::Utilization)),
        cause(group),
    )
}

/// One is better than every other.
fn leader(groups: &[Group<'_>], best: usize, about: &Situation, metric: Metric) -> String {
    let winner = &groups[best];
    let Some(other) = reference(groups, &[best], metric) else {
        return alone(winner, about, metric);
    };
    format!(
        "{} {}, {}{}{}",
        winner.cc,
        amount(winner, about, metric),
        times(winner, other, metric),
        cause(other),
        price(winner, other)
    )
}

/// Some cannot be told apart, but are better than the rest.
fn tied(groups: &[Group<'_>], level: &[usize], about: &Situation, metric: Metric) -> String {
    let names: Vec<&str> = level.iter().map(|&i| groups[i].cc).collect();
    let winner = &groups[level[0]];
    let lead = match metric {
        Metric::FctMean => "finish first",
        _ => "carry the most",
    };
    let other = reference(groups, level, metric);
    let ahead = other.map(|o| format!(", {}", times(winner, o, metric))).unwrap_or_default();
    format!(
        "{} {lead} and cannot be told apart over {} seeds ({} {}{ahead}){}",
        joined(&names),
        about.seeds,
        winner.cc,
        amount(winner, about, metric),
        cause(other.unwrap_or(winner)),
    )
}

/// None can be told from the leader: what differs is the wait.
fn level_field(groups: &[Group<'_>], about: &Situation, metric: Metric) -> String {
    let busiest = groups.iter().map(|g| g.mean(Metric::Utilization)).fold(0.0, f64::max);
    let what = match metric {
        Metric::FctMean => "completion time",
        _ => "goodput",
    };
    let start = format!(
        "The controllers cannot be told apart by {what} over {} seeds (the link is busy {} of the time)",
        about.seeds,
        percent(busiest),
    );
    let wait = |g: &&Group<'_>| g.mean(Metric::RttP95);
    let quick = groups.iter().min_by(|a, b| wait(a).total_cmp(&wait(b)));
    let slow = groups.iter().max_by(|a, b| wait(a).total_cmp(&wait(b)));
    match (quick, slow) {
        (Some(quick), Some(slow)) if wait(&slow) > 1.1 * wait(&quick) && wait(&quick) > 0.0 => {
            format!(
                "{start}; they differ in the wait: 95 % of round trips stay below {:.0} ms with {} and \
             below {:.0} ms with {}",
                wait(&quick),
                quick.cc,
                wait(&slow),
                slow.cc
            )
        }
        _ => start,
    }
}

/// Too few seeds to tell chance from merit.
fn unknown(groups: &[Group<'_>], about: &Situation, metric: Metric) -> String {
    let mut order: Vec<&Group<'_>> = groups.iter().collect();
    let better = |g: &Group<'_>| match metric {
        Metric::FctMean => g.estimate(metric).map_or(f64::MIN, |e| -e.mean),
        _ => g.mean(metric),
    };
    order.sort_by(|a, b| better(b).total_cmp(&better(a)));
    let winner = order[0];
    let why = match about.seeds {
        1 => "one seed cannot tell merit from chance: raise --seeds",
        _ => "some runs have no such value",
    };
    format!("{} {} and leads here, but {why}", winner.cc, amount(winner, about, metric))
}

/// How much, in words that follow a name.
fn amount(group: &Group<'_>, about: &Situation, metric: Metric) -> String {
    match group.estimate(metric) {
        Some(e) if metric == Metric::FctMean => format!("completes a transfer in {}", span(e.mean)),
        Some(e) => format!("carries {}", out_of(&rate(e.mean), &rate(about.rate_bps))),
        None => "finishes no transfer".to_owned(),
    }
}

/// `9.7 of 10 Mbit/s`, or with both units if they differ.
fn out_of(part: &str, whole: &str) -> String {
    match (part.split_once(' '), whole.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {whole}"),
        _ => format!("{part} of {whole}"),
    }
}

/// How many times the reference.
fn times(winner: &Group<'_>, other: &Group<'_>, metric: Metric) -> String {
    let (a, b) = (winner.mean(metric), other.mean(metric));
    let factor = if metric == Metric::FctMean { b / a } else { a / b };
    match (metric, factor) {
        (_, f) if !f.is_finite() => format!("where {} gets nothing through", other.cc),
        (_, f) if f < 1.095 => format!("{:.1} % ahead of {}", (f - 1.0) * 100.0, other.cc),
        (Metric::FctMean, f) => format!("{f:.1} times as fast as {}", other.cc),
        (_, f) => format!("{f:.1} times what {} carries", other.cc),
    }
}

/// Whom to measure the leaders by: reno if it is not among them, else the last.
fn reference<'a, 'b>(
    groups: &'a [Group<'b>],
    leaders: &[usize],
    metric: Metric,
) -> Option<&'a Group<'b>> {
    let others = || (0..groups.len()).filter(|i| !leaders.contains(i)).map(|i| &groups[i]);
    let worst = |g: &&Group<'_>| match metric {
        Metric::FctMean => -g.mean(metric),
        _ => g.mean(metric),
    };
    others()
        .find(|g| g.cc == "reno")
        .or_else(|| others().min_by(|a, b| worst(a).total_cmp(&worst(b))))
}

/// What its drops say about why a controller is where it is.
fn cause(group: &Group<'_>) -> String {
    let random = group.mean(Metric::DropsRandom);
    let congestion = group.mean(Metric::DropsOverflow) + group.mean(Metric::DropsAqm);
    let idle = 1.0 - group.mean(Metric::Utilization);
    if random > congestion && idle > 0.1 {
        let share = match random / (random + congestion) {
            share if share >= 0.995 => "all".to_owned(),
            share => percent(share),
        };
        format!(
            ": {share} of the drops of {} are random loss, which it takes for congestion, and it leaves \
             {} of the link idle",
            group.cc,
            percent(idle)
        )
    } else if congestion > random {
        ": most drops are the queue's own, the price of probing for more".to_owned()
    } else {
        String::new()
    }
}

/// What the lead costs in waiting.
fn price(winner: &Group<'_>, other: &Group<'_>) -> String {
    let (a, b) = (winner.mean(Metric::RttP95), other.mean(Metric::RttP95));
    if b > 0.0 && a > 1.25 * b {
        format!("; it costs waiting, a 95th percentile RTT of {a:.0} ms against {b:.0} ms")
    } else {
        String::new()
    }
}

/// What the competing flows keep.
fn neighbours(groups: &[Group<'_>], about: &Situation) -> String {
    let Some(rival) = &about.rival else {
        return String::new();
    };
    let kept = |g: &&Group<'_>| g.mean(Metric::AgainstGoodput);
    let kind = groups.iter().max_by(|a, b| kept(a).total_cmp(&kept(b)));
    let harsh = groups.iter().min_by(|a, b| kept(a).total_cmp(&kept(b)));
    match (kind, harsh) {
        (Some(kind), Some(harsh)) if groups.len() > 1 => format!(
            "; the competing {rival} keeps {} beside {} and {} beside {}",
            rate(kept(&kind)),
            kind.cc,
            rate(kept(&harsh)),
            harsh.cc
        ),
        (Some(only), _) => format!("; the competing {rival} keeps {}", rate(kept(&only))),
        _ => String::new(),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
fn rate(bps: f64) -> String {
    // Three digits: a mean over seeds has no more to say.
    let digits = if bps > 0.0 { 10_f64.powf(bps.log10().floor() - 2.0) } else { 1.0 };
    Rate::from_bits_per_s(((bps / digits).round() * digits).round() as u64).to_string()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn span(ms: f64) -> String {
    match ms {
        ms if ms >= 1_000.0 => format!("{:.2} s", ms / 1_000.0),
        ms if ms > 0.0 && ms < 1.0 => format!("{:.0} us", ms * 1_000.0),
        ms => format!("{ms:.0} ms"),
    }
}

fn joined(names: &[&str]) -> String {
    crate::error::listed(names.iter().copied())
}
