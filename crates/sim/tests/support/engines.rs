//! The lookahead engine against the plain one.

use std::fmt::Debug;

use westwood_sim::{Control, Engine, Network, Outcome, SimError, run_with};

/// The results of a network under both engines: the events that each needed, and the first difference.
pub(crate) struct Comparison {
    pub(crate) plain_events: u64,
    pub(crate) ahead_events: u64,
    pub(crate) difference: Option<String>,
}

/// Runs a network on both engines.
pub(crate) fn compare(network: &Network) -> Comparison {
    let run = |engine| run_with(network, Control { engine, ..Control::default() });
    let (plain, ahead) = (run(Engine::Plain), run(Engine::Lookahead));
    let events = |o: &Result<Outcome, SimError>| o.as_ref().map_or(0, |o| o.events);
    Comparison {
        plain_events: events(&plain),
        ahead_events: events(&ahead),
        difference: difference(&plain, &ahead),
    }
}

fn difference(a: &Result<Outcome, SimError>, b: &Result<Outcome, SimError>) -> Option<String> {
    let (Ok(a), Ok(b)) = (a, b) else {
        return (a != b).then(|| format!("plain {:?}, lookahead {:?}", a.is_ok(), b.is_ok()));
    };
    first(&a.flows, &b.flows, "flow")
        .or_else(|| first(&a.links, &b.links, "link"))
        .or_else(|| first(&a.records, &b.records, "record"))
        .or_else(|| first(&[a.measured], &[b.measured], "interval"))
        .or_else(|| first(&[&a.queue_delays], &[&b.queue_delays], "delays of the link"))
        .or_else(|| first(&[&a.dual_delays], &[&b.dual_delays], "delays of two queues"))
        .or_else(|| first(&[&a.one_way_delays], &[&b.one_way_delays], "one-way delays"))
        // Fields that this function does not know yet. Only the number of events may differ.
        .or_else(|| {
            let same = *a == Outcome { events: a.events, ..b.clone() };
            (!same).then(|| "outcomes differ in a field that nobody compares".to_owned())
        })
}

/// The first element that differs.
fn first<T: PartialEq + Debug>(a: &[T], b: &[T], what: &str) -> Option<String> {
    let pairs = a.iter().map(Some).chain([None]).zip(b.iter().map(Some).chain([None]));
    let (i, (a, b)) = pairs.enumerate().find(|(_, (a, b))| a != b)?;
    Some(format!("{what} {i}:\n  plain     {a:?}\n  lookahead {b:?}"))
}
