//! A sweep in sentences: what holds over which values.

use std::fmt::Write as _;

use super::contest::{Contestant, NoConclusion, Relation};
use super::fault::faults;
use super::rules::USUAL;
use super::{Contest, Criterion, Fault, Preference};
use westwood_scenario::sorting::{SortedMap, distinct, sort_by, sort_places};
use westwood_scenario::{capitalized, counted, listed};

/// A place of a sweep: the value of its axis there, and the contestants.
#[derive(Clone, Debug)]
pub struct SweepPlace<'a> {
    /// The value as the user wrote it: `0.1 %`.
    pub label: String,
    /// The value as a number, if those of the axis are numbers: places then stand in their order.
    pub number: Option<f64>,
    /// The runs there.
    pub contest: Contest<'a>,
}

const NOTHING_MEASURED: &str = "Nothing that can be judged was measured.";

/// The sentences on places in the order of one axis of this name, numbers from the least up.
pub fn sentence(axis: &str, places: &[SweepPlace<'_>]) -> String {
    let mut stretches: Vec<SweepSpan<'_>> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let Some(conclusion) = Conclusion::of(&place.contest) else { continue };
        match stretches.last_mut() {
            Some(last) if last.same_as(&conclusion) => {
                last.places.push((place, conclusion));
                last.to = at;
            }
            _ => {
                stretches.push(SweepSpan { places: vec![(place, conclusion)], from: at, to: at });
            }
        }
    }
    let several =
        |place: &&SweepPlace<'_>| place.contest.contestants.len() > 1 && place.contest.is_judged();
    let mut compared = places.iter().filter(several).peekable();
    if compared.peek().is_some() && !compared.any(|place| place.contest.has_enough_seeds()) {
        let beware = fault_warning(&stretches);
        let silent = silent(places);
        return format!("{beware}One seed cannot tell merit from chance: raise seeds.{silent}");
    }
    let ordered = places.windows(2).all(|two| two[0].number <= two[1].number)
        && places.iter().all(|place| place.number.is_some());
    let words = stretches.iter().enumerate().map(|(i, stretch)| {
        // The axis is named once.
        let axis = if i == 0 { format!("{axis} ") } else { String::new() };
        format!("{} {}", stretch.range(&axis, places, ordered), stretch.says())
    });
    let mut text = words.collect::<Vec<_>>().join("; ");
    if text.is_empty() {
        let silent = silent(places);
        return match silent.trim_start() {
            "" => NOTHING_MEASURED.to_owned(),
            silent => silent.to_owned(),
        };
    }
    let chosen = stretches.iter().any(SweepSpan::is_chosen);
    let preference = places.first().filter(|_| chosen).map(|place| place.contest.rules.preference);
    let preferring = preference.map_or("", super::sentence::preferring);
    if preferring.is_empty() {
        text = capitalized(&text);
    }
    let open = places.iter().filter(|place| place.contest.too_few_to_lead().is_some());
    let open: Vec<&str> = open.map(|place| place.label.as_str()).collect();
    let at = if open.len() == places.len() { "any value".to_owned() } else { listed(open) };
    let few = too_few(places.iter().map(|place| &place.contest), &at);
    let text = super::sentence::once(&text, super::sentence::P95);
    format!("{}{preferring}{text}.{few}{}", fault_warning(&stretches), silent(places))
}

/// The sentence on the places of several axes: at how many of them each contestant leads. Those that have no
/// others beside them have the range of their values.
pub fn count_sentence(contests: &[Contest<'_>]) -> String {
    if contests.iter().all(|contest| contest.contestants.len() < 2) {
        return range_sentence(contests);
    }
    let (mut leads, mut open) = (SortedMap::<&str, Vec<&Contest<'_>>>::default(), 0);
    for contest in contests.iter().filter(|contest| contest.is_judged()) {
        let ahead = contest.leader().is_some_and(|leader| !contest.is_behind(leader));
        match contest.sole_leader().filter(|_| ahead) {
            Some(name) => leads.or_insert_with(name, Vec::new).push(contest),
            None => open += 1,
        }
    }
    let mut order: Vec<(&str, Vec<&Contest<'_>>)> = leads.into_iter().collect();
    sort_by(&mut order, |(a, led), (b, other)| other.len().cmp(&led.len()).then_with(|| a.cmp(b)));
    let mut parts: Vec<String> = order
        .iter()
        .map(|(name, led)| format!("{name} at {}{}", led.len(), prices(name, led)))
        .collect();
    parts.extend((open > 0).then(|| format!("nobody at {open}")));
    let preference = contests.first().map(|contest| contest.rules.preference).unwrap_or_default();
    // Whom a preference names need not carry the most.
    let (of, ahead) = match preference {
        Preference::Goodput => ("Of", format!("clearly ahead by {}", quantities(contests))),
        _ => ("of", "preferred".to_owned()),
    };
    let preferring = super::sentence::preferring(preference);
    let all = counted(contests.len() as u64, "place");
    let silent = not_concluded(|why| {
        let n = contests.iter().filter(|contest| contest.no_conclusion() == Some(why)).count();
        let of = if parts.is_empty() { format!("{n} of {all}") } else { n.to_string() };
        (n > 0).then_some(of)
    });
    let few = contests.iter().filter(|contest| contest.too_few_to_lead().is_some()).count();
    let few = too_few(contests.iter(), &few.to_string());
    match (parts.is_empty(), silent.is_empty()) {
        (false, _) => {
            format!("{preferring}{of} {all}, {ahead}: {}.{few}{silent}", parts.join(", "))
        }
        (true, false) => silent.trim_start().to_owned(),
        (true, true) => NOTHING_MEASURED.to_owned(),
    }
}

/// The sentence on places with one contestant each: the range of its values.
fn range_sentence(contests: &[Contest<'_>]) -> String {
    let mut found: SortedMap<&str, Vec<&Contest<'_>>> = SortedMap::default();
    for contest in contests.iter().filter(|contest| contest.is_judged()) {
        for one in &contest.contestants {
            found.or_insert_with(one.name, Vec::new).push(contest);
        }
    }
    let all = contests.len();
    let places = |n: usize| match n {
        n if n == all => format!("all {}", counted(all as u64, "place")),
        n => format!("{n} of {}", counted(all as u64, "place")),
    };
    let range = |(name, own): &(&str, Vec<&Contest<'_>>)| {
        format!("over {} {name} {}", places(own.len()), reached(own.iter().copied()))
    };
    let ranges: Vec<String> = found.iter().map(range).collect();
    let silent = not_concluded(|why| {
        let n = contests.iter().filter(|contest| contest.no_conclusion() == Some(why)).count();
        (n > 0).then(|| if ranges.is_empty() { places(n) } else { n.to_string() })
    });
    match (ranges.is_empty(), silent.is_empty()) {
        (false, _) => {
            format!("{}.{silent}", capitalized(&ranges.join("; ")))
        }
        (true, false) => silent.trim_start().to_owned(),
        (true, true) => NOTHING_MEASURED.to_owned(),
    }
}

/// The range of the first contestant's values, in words that follow its name.
fn reached<'c>(contests: impl Iterator<Item = &'c Contest<'c>>) -> String {
    let means = contests.filter_map(|contest| {
        let criterion = contest.primary()?;
        Some((criterion, contest.contestants.first()?.mean(criterion)))
    });
    let means: Vec<(Criterion, f64)> = means.collect();
    let ends = extremes(means.iter().map(|(_, x)| *x));
    match means.first() {
        Some((criterion, _)) => {
            let ends = [ends.0, ends.1].map(|x| super::sentence::amount(*criterion, x));
            format!("reaches {}", range(&ends[0], &ends[1]))
        }
        None => "was not measured".to_owned(),
    }
}

/// The first criteria of these, each once.
fn quantities(contests: &[Contest<'_>]) -> String {
    let judged = contests.iter().filter(|contest| contest.is_judged());
    distinct(judged.filter_map(Contest::primary).map(super::sentence::noun)).join(" or ")
}

/// The criteria in which a leader is clearly worse than the usual controller of its places, each with
/// the number of places where it is.
fn prices(leader: &str, led: &[&Contest<'_>]) -> String {
    let Some(other) = led.first().and_then(|contest| usual(contest, leader)) else {
        return String::new();
    };
    let worse = |contest: &Contest<'_>, criterion: Criterion| {
        let find = |n: &str| contest.contestants.iter().position(|one| one.name == n);
        let pair = find(leader).zip(find(other));
        pair.is_some_and(|(a, b)| contest.relation(a, b, criterion) == Relation::Worse)
    };
    let mut prices: Vec<String> = Vec::new();
    for criterion in Criterion::ALL {
        let places = led.iter().filter(|contest| worse(contest, criterion)).count();
        if places > 0 {
            let than = if prices.is_empty() { format!(" than {other}") } else { String::new() };
            let at = if places < led.len() { format!(" at {places}") } else { String::new() };
            prices.push(format!("{}{than}{at}", disadvantage_text(criterion)));
        }
    }
    if prices.is_empty() {
        return String::new();
    }
    format!(" (but it {})", listed(prices.iter().map(String::as_str)))
}

/// The leader at a place.
struct Conclusion {
    leader: String,
    /// The contestants that cannot be told from the leader in the first criterion, the leader
    /// included, by name.
    level: Vec<String>,
    /// Others that would differ from the leader there if nothing else were compared.
    apart: Vec<String>,
    /// All contestants are level.
    all: bool,
    /// Any contestant is clearly ahead of one that is level.
    parted: bool,
    /// The leader, where a preference and not the first criterion sets it apart from those level with it.
    preferred: Option<String>,
    /// There is one seed: chance has not been seen at work.
    untold: bool,
    /// The clear differences among those that the sentence compares: the leader, those level with it, and the
    /// usual contestant beside which it is described.
    clear: Vec<ClearDifference>,
}

/// Two contestants, in the order of the alphabet, the first of them clearly better or worse than the second.
struct ClearDifference {
    names: [String; 2],
    criterion: Criterion,
    relation: Relation,
}

impl Conclusion {
    fn of(contest: &Contest<'_>) -> Option<Self> {
        if !contest.is_judged() {
            return None;
        }
        let (leader, primary) = (contest.leader()?, contest.primary()?);
        let has_seeds = contest.has_enough_seeds() || contest.contestants.len() < 2;
        let everyone = 0..contest.contestants.len();
        let near: Vec<usize> = if has_seeds {
            contest.level_with(leader, primary)
        } else {
            everyone.clone().collect()
        };
        let differs = |i: &usize| contest.significant_uncorrected(leader, *i, primary);
        let (apart, level): (Vec<usize>, Vec<usize>) = near.into_iter().partition(differs);
        let ahead = |i: usize, j: usize| contest.relation(i, j, primary) == Relation::Better;
        let parted = level.iter().any(|&j| everyone.clone().any(|i| ahead(i, j)));
        let name = |i: usize| contest.contestants[i].name.to_owned();
        let names = |all: Vec<usize>| all.into_iter().map(name).collect::<Vec<String>>();
        let all = level.len() == contest.contestants.len();
        let usual = usual(contest, contest.contestants[leader].name);
        let is_told = |i: &usize| {
            *i == leader
                || level.contains(i)
                || apart.contains(i)
                || usual == Some(contest.contestants[*i].name)
        };
        let told: Vec<usize> = everyone.filter(is_told).collect();
        let pairs = told.iter().flat_map(|&a| told.iter().map(move |&b| (a, b)));
        let clear_in = |(a, b): (usize, usize), criterion| {
            let relation = contest.relation(a, b, criterion);
            let names = [a, b].map(|i| contest.contestants[i].name.to_owned());
            matches!(relation, Relation::Better | Relation::Worse).then_some(ClearDifference {
                names,
                criterion,
                relation,
            })
        };
        let each = pairs.filter(|(a, b)| a < b);
        let clear = each.flat_map(|pair| {
            Criterion::ALL.into_iter().filter_map(move |criterion| clear_in(pair, criterion))
        });
        let clear: Vec<ClearDifference> = clear.collect();
        let (leader, level, apart) = (name(leader), names(level), names(apart));
        let preferred = (!all && has_preference(contest)).then(|| leader.clone());
        Some(Self { leader, level, apart, all, parted, preferred, untold: !has_seeds, clear })
    }

    /// Whether one contestant is said to lead by itself.
    fn is_led(&self) -> bool {
        !self.untold
            && !self.all
            && (self.preferred.is_some() || self.level.len() == 1 && !self.parted)
    }

    /// Those that are ahead: with one seed the best mean alone is known.
    fn ahead(&self) -> Vec<&str> {
        if self.untold {
            return vec![&self.leader];
        }
        self.level.iter().chain(&self.apart).map(String::as_str).collect()
    }

    /// Whether a criterion is the price in one of them and the gain in the other, of a leader of one of them.
    fn contradicts(&self, other: &Self) -> bool {
        let leaders = [&self.leader, &other.leader];
        let against = |one: &ClearDifference| {
            let ClearDifference { names, criterion, relation } = one;
            let same = |it: &&ClearDifference| it.names == *names && it.criterion == *criterion;
            names.iter().any(|name| leaders.contains(&name))
                && other.clear.iter().find(same).is_some_and(|it| it.relation != *relation)
        };
        self.clear.iter().any(against)
    }
}

/// More names than these are told by those that are not among them.
const MOST_NAMED: usize = 8;

/// Contestants by name; many by the fewer others.
fn names_of(some: &[String], contest: &Contest<'_>) -> String {
    let all = contest.contestants.iter().map(|one| one.name);
    let others: Vec<&str> = all.filter(|name| !some.iter().any(|one| one == name)).collect();
    match others.len() {
        n if some.len() <= MOST_NAMED || n >= some.len() => listed(some.iter().map(String::as_str)),
        0 => format!("the {} compared", some.len()),
        _ => format!("all but {}", listed(others)),
    }
}

/// Whether something else than the first criterion is preferred.
fn has_preference(contest: &Contest<'_>) -> bool {
    contest.rules.preference != Preference::Goodput
}

/// The usual controller beside which a leader is described.
fn usual<'a>(contest: &Contest<'a>, leader: &str) -> Option<&'a str> {
    let others = || contest.contestants.iter().map(|one| one.name);
    let known = |n: &&str| *n != leader && others().any(|name| name == *n);
    let found = USUAL.into_iter().find(known);
    others().find(|name| found.map_or(*name != leader, |found| *name == found))
}

/// Adjacent places with one conclusion. Places between them at which nothing is concluded are left out.
struct SweepSpan<'a> {
    places: Vec<(&'a SweepPlace<'a>, Conclusion)>,
    /// The numbers of the first and the last of them among all places.
    from: usize,
    to: usize,
}

impl SweepSpan<'_> {
    fn same_as(&self, other: &Conclusion) -> bool {
        let alike = |first: &Conclusion| {
            // A sentence about the leader alone is true of one leader.
            let of_leader = first.parted || other.parted || !first.apart.is_empty();
            let same = first.level == other.level
                && first.apart == other.apart
                && first.preferred == other.preferred
                && (first.leader == other.leader || !of_leader);
            first.untold == other.untold && (first.untold || same)
        };
        self.places.first().is_some_and(|(_, first)| alike(first))
            && !self.places.iter().any(|(_, here)| here.contradicts(other))
    }

    /// Whether one of several is named, so that a preference matters.
    fn is_chosen(&self) -> bool {
        let chosen = |(place, conclusion): &(&SweepPlace<'_>, Conclusion)| {
            !conclusion.untold && place.contest.contestants.len() > 1
        };
        self.places.iter().any(chosen)
    }

    /// Its range: `up to loss 0.1 %`, `from 0.3 % on`; or its values, where they have no order or nothing is
    /// concluded between them: `with droptail and red`.
    fn range(&self, axis: &str, all: &[SweepPlace<'_>], ordered: bool) -> String {
        let without_gap = self.to - self.from + 1 == self.places.len();
        if self.places.len() == all.len() {
            return format!("over all values of {}", axis.trim_end());
        }
        if !ordered || !without_gap && self.from < self.to {
            let labels = listed(self.places.iter().map(|(place, _)| place.label.as_str()));
            return format!("{} {axis}{labels}", if ordered { "at" } else { "with" });
        }
        let (first, last) = (self.from == 0, self.to + 1 == all.len());
        let [from, to] = [self.from, self.to].map(|at| &all[at].label);
        match (first, last) {
            _ if self.from == self.to => format!("at {axis}{from}"),
            (true, _) => format!("up to {axis}{to}"),
            (false, true) => format!("from {axis}{from} on"),
            (false, false) => format!("from {axis}{from} to {to}"),
        }
    }

    fn says(&self) -> String {
        let Some((place, conclusion)) = self.places.first() else { return String::new() };
        if conclusion.untold {
            return "one seed cannot tell merit from chance".to_owned();
        }
        let names = names_of(&conclusion.level, &place.contest);
        match conclusion.level.len() {
            1 if conclusion.all => {
                return format!(
                    "{names} {}",
                    reached(self.places.iter().map(|(place, _)| &place.contest))
                );
            }
            1 if conclusion.apart.is_empty() => return self.leads(&conclusion.leader),
            _ => {}
        }
        let leader = &self.places.last().map_or(conclusion, |(_, last)| last).leader;
        let quantity = place.contest.primary().map_or("", super::sentence::noun);
        let near: Vec<&str> = conclusion.ahead();
        let but_leader = |all: &[&str]| listed(all.iter().copied().filter(|n| n != leader));
        let level: Vec<&str> = conclusion.level.iter().map(String::as_str).collect();
        let parted = self.places.iter().any(|(_, here)| here.parted);
        let why = self.why(leader);
        let lead = match (conclusion.preferred.is_some(), level.len()) {
            (true, 2..) => {
                let others = but_leader(&level);
                format!("{leader}{why} leads, and {others} cannot be told from it by {quantity}")
            }
            (false, _) if parted => {
                format!("{} cannot be told from {leader} by {quantity}", but_leader(&near))
            }
            (_, 1) => format!("{leader}{why} leads"),
            _ => {
                let lead = if conclusion.all { "" } else { "lead and " };
                format!("{names} {lead}cannot be told apart by {quantity}")
            }
        };
        let behind = self.usual(leader).filter(|other| !near.contains(other));
        let ahead = behind
            .map_or_else(String::new, |other| format!(" ({leader} {})", self.ahead(leader, other)));
        let apart = match conclusion.apart.as_slice() {
            [] => String::new(),
            apart => format!(
                "; compared with {leader} alone, {} would differ from it by {quantity}, and more seeds \
                 must decide",
                listed(apart.iter().map(String::as_str))
            ),
        };
        format!("{lead}{ahead}{apart}{}{}", self.extras(leader), self.rival(leader, &near))
    }

    /// The sentence on one leader: the others, the lead, and its price.
    fn leads(&self, leader: &str) -> String {
        let why = self.why(leader);
        let Some(other) = self.usual(leader) else { return format!("{leader}{why} leads") };
        let mut text = format!("{leader}{why} {}", self.ahead(leader, other));
        let primary = self.primary();
        let differences = |better: bool| -> Vec<String> {
            let all = Criterion::ALL.into_iter().filter(|c| Some(*c) != primary);
            all.filter_map(|c| self.differs(leader, other, c, better)).collect()
        };
        let (price, gain) = (differences(false), differences(true));
        if !gain.is_empty() {
            let join = if gain.len() == 1 && price.is_empty() { " and" } else { "," };
            let gain = listed(gain.iter().map(String::as_str));
            let _ = write!(text, "{join} {gain}");
        }
        if !price.is_empty() {
            let _ = write!(text, ", but {}", listed(price.iter().map(String::as_str)));
        }
        text + &self.rival(leader, &[other])
    }

    /// The advantage of the best that is not named yet: of those that are clearly ahead of the leader
    /// in the first criterion, else of those on the front.
    fn rival(&self, leader: &str, named: &[&str]) -> String {
        let Some((SweepPlace { contest, .. }, _)) = self.places.last() else {
            return String::new();
        };
        let Some(primary) = contest.primary() else { return String::new() };
        let front = contest.front();
        let name = |i: usize| contest.contestants[i].name;
        let is_ahead = |i: usize| self.differs(name(i), leader, primary, true).is_some();
        let mut rivals: Vec<usize> = (0..contest.contestants.len())
            .filter(|&i| name(i) != leader && !named.contains(&name(i)))
            .filter(|&i| front.contains(&i) || is_ahead(i))
            .collect();
        let score = |i: usize| contest.contestants[i].mean(primary) * primary.sign();
        sort_places(&mut rivals, &mut |a, b| score(b).total_cmp(&score(a)));
        sort_places(&mut rivals, &mut |a, b| is_ahead(b).cmp(&is_ahead(a)));
        let gain = |i: usize| {
            let mut all = Criterion::ALL.into_iter();
            let gain = all.find_map(|c| self.differs(name(i), leader, c, true));
            gain.map(|gain| format!(", while {} {gain} than {leader}", name(i)))
        };
        rivals.into_iter().find_map(gain).unwrap_or_default()
    }

    /// The leader's values of the criterion by which a preference names it, in a clause that follows its
    /// name; none where the first criterion does.
    fn why(&self, leader: &str) -> String {
        let preferred = |contest: &Contest<'_>| {
            contest
                .naming()
                .last()
                .filter(|_| has_preference(contest) && contest.contestants.len() > 1)
        };
        let contests = || self.places.iter().map(|(place, _)| &place.contest);
        let Some(criterion) = contests().find_map(preferred).filter(|c| Some(*c) != self.primary())
        else {
            return String::new();
        };
        let of = |contest: &Contest<'_>| {
            let one = contest.contestants.iter().find(|one| one.name == leader)?;
            Some(one.mean(criterion))
        };
        let (low, high) = extremes(contests().filter_map(of));
        let [least, most] = [low, high].map(|value| super::sentence::amount(criterion, value));
        format!(", which {},", super::sentence::has(criterion, &range(&least, &most)))
    }

    /// The lead of one over another in the first criterion, in words that follow its name.
    fn ahead(&self, leader: &str, other: &str) -> String {
        let mut factors: Vec<f64> = Vec::new();
        let completion = self.primary() == Some(Criterion::Completion);
        for (place, _) in &self.places {
            let find = |n: &str| place.contest.contestants.iter().find(|one| one.name == n);
            let (Some(ours), Some(theirs), Some(criterion)) =
                (find(leader), find(other), place.contest.primary())
            else {
                continue;
            };
            let (a, b) = (ours.mean(criterion), theirs.mean(criterion));
            factors.push(if completion { b / a } else { a / b });
        }
        let (low, high) = extremes(factors.iter().copied());
        if !high.is_finite() || low > high {
            return format!("is ahead of {other}");
        }
        let percent = |factor: f64| format!("{:.1} %", (factor - 1.0).abs() * 100.0);
        let near = low > 0.905 && high < 1.095;
        if near && (low >= 1.0 || high <= 1.0) {
            let ends = if low >= 1.0 { [low, high] } else { [high, low] }.map(percent);
            let by = range(&ends[0], &ends[1]);
            return match (completion, low >= 1.0) {
                (true, true) => format!("is {by} faster than {other}"),
                (true, false) => format!("is {by} slower than {other}"),
                (false, true) => format!("carries {by} more than {other}"),
                (false, false) => format!("carries {by} less than {other}"),
            };
        }
        // One digit would make a little less than as much of it as much, and a little nothing.
        let digits = if low < 0.095 || (0.95..1.0).contains(&high) { 2 } else { 1 };
        let times = range(&format!("{low:.digits$}"), &format!("{high:.digits$}"));
        let verb = if completion { "is" } else { "carries" };
        let what = if completion { "as fast as" } else { "as much as" };
        format!("{verb} {times} times {what} {other}")
    }

    /// Among level contestants: the criteria in which the leader is clearly better or worse than
    /// one of them.
    fn extras(&self, leader: &str) -> String {
        let Some((_, conclusion)) = self.places.last() else { return String::new() };
        let others: Vec<&str> =
            conclusion.ahead().into_iter().filter(|name| *name != leader).collect();
        let told = |better: bool| {
            let of = |c: Criterion, name: &str| {
                let (text, most) = self.measured(leader, name, c, better)?;
                Some((most, format!("{text} than {name}")))
            };
            // One of the others for each criterion: the one that differs most.
            let all = Criterion::ALL.into_iter().filter(|c| Some(*c) != self.primary());
            let all = all.filter_map(|c| {
                let each = others.iter().filter_map(|name| of(c, name));
                each.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, text)| text)
            });
            all.collect::<Vec<String>>()
        };
        let (gain, price) = (told(true), told(false));
        let said = |all: &[String]| listed(all.iter().map(String::as_str));
        match (gain.is_empty(), price.is_empty()) {
            (true, true) => String::new(),
            (false, true) => format!("; {leader} {}", said(&gain)),
            (true, false) => format!("; {leader} {}", said(&price)),
            (false, false) => format!("; {leader} {}, but {}", said(&gain), said(&price)),
        }
    }

    fn primary(&self) -> Option<Criterion> {
        self.places.first().and_then(|(place, _)| place.contest.primary())
    }

    fn usual(&self, leader: &str) -> Option<&str> {
        usual(&self.places.first()?.0.contest, leader)
    }

    fn differs(&self, a: &str, b: &str, criterion: Criterion, better: bool) -> Option<String> {
        self.measured(a, b, criterion, better).map(|(text, _)| text)
    }

    /// The clear difference of `a` to `b` in a criterion, in words that follow a name, and as a
    /// number; none where there is none.
    fn measured(
        &self,
        a: &str,
        b: &str,
        criterion: Criterion,
        better: bool,
    ) -> Option<(String, f64)> {
        let wanted = if better { Relation::Better } else { Relation::Worse };
        let mut clear: Vec<f64> = Vec::new();
        for (place, _) in &self.places {
            let contest = &place.contest;
            let find = |n: &str| contest.contestants.iter().position(|one| one.name == n);
            let (Some(a), Some(b)) = (find(a), find(b)) else { continue };
            if contest.relation(a, b, criterion) == wanted {
                let mean = |i: usize| contest.contestants[i].mean(criterion);
                clear.push((mean(a) - mean(b)).abs());
            }
        }
        let (low, high) = extremes(clear.iter().copied());
        let amount = |x: f64| super::sentence::amount(criterion, x);
        let by = match clear.len() {
            0 => return None,
            n if n == self.places.len() => range(&amount(low), &amount(high)),
            _ => format!("up to {}", amount(high)),
        };
        Some((advantage_text(criterion, &by, better), high))
    }
}

/// At how many places a contestant that is ahead has a fault, and whether it leads at each of them.
struct FaultCount {
    places: usize,
    led: bool,
}

/// The faults of those that are ahead.
fn fault_warning(stretches: &[SweepSpan<'_>]) -> String {
    let mut found: SortedMap<(&str, Fault), FaultCount> = SortedMap::default();
    let (mut all, mut faulty, mut hopeless) = (0, 0, 0);
    for (SweepPlace { contest, .. }, conclusion) in stretches.iter().flat_map(|s| &s.places) {
        let of = |one: &Contestant<'_>| faults(one, contest.situation);
        let ahead = conclusion.ahead();
        let named = contest.contestants.iter().filter(|one| ahead.contains(&one.name));
        let told: Vec<(&str, Vec<Fault>)> = named.map(|one| (one.name, of(one))).collect();
        all += 1;
        if told.iter().any(|(_, faults)| !faults.is_empty()) {
            faulty += 1;
            let several = contest.contestants.len() > 1;
            let none_free = contest.contestants.iter().all(|one| !of(one).is_empty());
            hopeless += usize::from(several && none_free);
        }
        for (name, faults) in told {
            let led = conclusion.is_led() && conclusion.leader == name;
            for fault in faults {
                let empty = || FaultCount { places: 0, led: true };
                let count = found.or_insert_with((name, fault), empty);
                (count.places, count.led) = (count.places + 1, count.led && led);
            }
        }
    }
    // Faults that contestants have equally often are told together.
    let mut grouped: SortedMap<(&str, bool, usize), Vec<Fault>> = SortedMap::default();
    for ((name, fault), FaultCount { places, led }) in found {
        grouped.or_insert_with((name, led, places), Vec::new).push(fault);
    }
    let mut told: Vec<(bool, usize, Vec<Fault>, Vec<&str>)> = Vec::new();
    for ((name, led, places), faults) in grouped {
        let same =
            told.iter_mut().find(|(l, n, f, _)| !led && (l, n, f) == (&led, &places, &faults));
        match same {
            Some((.., names)) => names.push(name),
            None => told.push((led, places, faults, vec![name])),
        }
    }
    let mut told: Vec<String> = told
        .into_iter()
        .map(|(led, places, faults, names)| {
            let leads = if led { ", which leads," } else { "" };
            let words: Vec<&str> =
                faults.into_iter().map(|fault| fault_text(fault, names.len() > 1)).collect();
            format!("{}{leads} {} at {places} of {all} values", listed(names), listed(words))
        })
        .collect();
    if told.is_empty() {
        return String::new();
    }
    match hopeless {
        0 => {}
        n if n == faulty => told.push("none is without such a fault".to_owned()),
        n => told.push(format!("none is without such a fault at {n}")),
    }
    format!("Beware: {}. ", told.join("; "))
}

/// A fault, in words that follow one name or several.
fn fault_text(fault: Fault, several: bool) -> &'static str {
    match (fault, several) {
        (Fault::Unfinished, false) => "leaves transfers unfinished",
        (Fault::Unfinished, true) => "leave transfers unfinished",
        (Fault::Uneven, false) => "shares unevenly (Jain index below 0.6)",
        (Fault::Uneven, true) => "share unevenly (Jain index below 0.6)",
        (Fault::Wasteful, false) => "resends more than a tenth",
        (Fault::Wasteful, true) => "resend more than a tenth",
        (Fault::Harmful, false) => "takes more than half of what the competing flows would have",
        (Fault::Harmful, true) => "take more than half of what the competing flows would have",
    }
}

/// The places at which nothing is concluded, and why.
fn silent(places: &[SweepPlace<'_>]) -> String {
    not_concluded(|why| {
        let found = places.iter().filter(|place| place.contest.no_conclusion() == Some(why));
        let labels: Vec<&str> = found.map(|place| place.label.as_str()).collect();
        (!labels.is_empty()).then(|| listed(labels))
    })
}

/// Where seeds are too few to tell a leader from those that are level with it, though it is on the same side
/// under each.
fn too_few<'c>(contests: impl Iterator<Item = &'c Contest<'c>>, at: &str) -> String {
    let seeds = contests.filter_map(Contest::too_few_to_lead).max();
    seeds.map_or_else(String::new, |n| {
        format!(" {n} seeds are too few to tell all that are level apart at {at}: raise seeds.")
    })
}

/// Where nothing is concluded, each reason by itself.
fn not_concluded(at: impl Fn(NoConclusion) -> Option<String>) -> String {
    let told = |why: NoConclusion| {
        let reason = match why {
            NoConclusion::AllLost => "the measured link lost every packet: lower the loss",
            NoConclusion::CutOff => {
                "not every transfer was finished: raise the time, or lower the size"
            }
            NoConclusion::NothingCarried => {
                "no flow under test delivered anything while it was measured: raise the time, lower the \
                 loss, or let the flows start sooner"
            }
        };
        Some(format!(" Nothing is concluded at {}, where {reason}.", at(why)?))
    };
    let reasons = [NoConclusion::AllLost, NoConclusion::CutOff, NoConclusion::NothingCarried];
    reasons.into_iter().filter_map(told).collect()
}

/// A difference in a criterion, in words that follow a name.
fn advantage_text(criterion: Criterion, by: &str, better: bool) -> String {
    let pick = |good: &'static str, bad: &'static str| if better { good } else { bad };
    // Differences of shares are in percentage points.
    let points = by.replace(" %", " percentage points");
    match criterion {
        Criterion::Completion => format!("takes {by} {} a transfer", pick("less", "more")),
        Criterion::SlowestCompletion => {
            format!("takes {by} {} for the slowest transfer", pick("less", "more"))
        }
        Criterion::Goodput => format!("carries {by} {}", pick("more", "less")),
        Criterion::QueueDelay => format!("keeps {by} {} in the queue", pick("less", "more")),
        Criterion::Resent => format!("resends {points} {}", pick("less", "more")),
        Criterion::Fairness => {
            format!("shares {} evenly (Jain index by {by})", pick("more", "less"))
        }
        Criterion::Harm => {
            format!(
                "takes {points} {} of what the competing flows would have",
                pick("less", "more")
            )
        }
        Criterion::Timeouts => format!("times out {by} times {} a run", pick("less", "more")),
    }
}

/// A disadvantage in a criterion, in words that follow a name.
fn disadvantage_text(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Completion => "takes longer for a transfer",
        Criterion::SlowestCompletion => "takes longer for the slowest transfer",
        Criterion::Goodput => "carries less",
        Criterion::QueueDelay => "keeps more in the queue",
        Criterion::Resent => "resends more",
        Criterion::Fairness => "shares less evenly",
        Criterion::Harm => "takes more of what the competing flows would have",
        Criterion::Timeouts => "times out more often",
    }
}

/// The least and the largest.
fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
}

/// `40 to 80 ms`: both ends, the unit once.
fn range(low: &str, high: &str) -> String {
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => low.to_owned(),
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}
