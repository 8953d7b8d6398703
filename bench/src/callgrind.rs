//! Reads what `valgrind --tool=callgrind` writes: instructions by source file.
//!
//! The format is described in the manual of Valgrind, "Callgrind Format Specification". Of it only
//! what callgrind itself writes with its default options is read: one position (the line), one event
//! (instructions).

use std::collections::BTreeMap;

/// Instructions by component.
pub(crate) type Counts = BTreeMap<&'static str, u64>;

/// The components, by the beginning of a path below `crates/`; the first that fits counts.
const COMPONENTS: &[(&str, &str)] = &[
    ("net/src/loss", "losses, random numbers"),
    ("net/src/random", "losses, random numbers"),
    ("net/src/stats", "links and queues"),
    ("net/src", "links and queues"),
    ("sim/src/scheduler", "scheduler"),
    ("net/src/histogram", "measuring"),
    ("sim/src/engine/measure", "measuring"),
    ("sim/src", "engine"),
    ("tcp/src/receiver", "receiver"),
    ("tcp/src", "sender and recovery"),
    ("cc/src", "controller"),
];

/// Instructions neither ours nor called from there: start-up, the allocator, copies of memory.
pub(crate) const OTHERS: &str = "allocator, C library";

/// Adds up a profile. Code of libraries and of unit types has been inlined everywhere; it counts to
/// the component whose code stands before it.
pub(crate) fn count(profile: &str) -> Counts {
    let mut names = BTreeMap::new();
    let mut counts = Counts::new();
    let mut component = OTHERS;
    let mut call = false;
    for line in profile.lines() {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "ob" => component = OTHERS,
                "fl" => component = of(name(&mut names, value)).unwrap_or(OTHERS),
                "fi" | "fe" => component = of(name(&mut names, value)).unwrap_or(component),
                // The callee's file may be named here for the first time.
                "cfi" | "cfl" => drop(name(&mut names, value)),
                "calls" => call = true,
                _ => {}
            }
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            // The line after `calls` has what the callee cost, which stands there, too.
            if !std::mem::take(&mut call) {
                *counts.entry(component).or_default() += cost(line);
            }
        }
    }
    counts
}

/// `(7) path` names 7, and `(7)` means it from then on.
fn name<'a>(names: &mut BTreeMap<&'a str, &'a str>, value: &'a str) -> &'a str {
    match value.split_once(' ') {
        Some((id, path)) => {
            names.insert(id, path);
            path
        }
        None => names.get(value).copied().unwrap_or(value),
    }
}

/// The component of a source file, if it has one of its own.
fn of(path: &str) -> Option<&'static str> {
    let (_, below) = path.rsplit_once("crates/")?;
    let fits = |(prefix, _): &&(&str, &str)| below.starts_with(prefix);
    let own = below != "cc/src/units.rs";
    COMPONENTS.iter().find(fits).filter(|_| own).map(|(_, component)| *component)
}

fn cost(line: &str) -> u64 {
    line.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_not_counted_twice_and_library_code_counts_to_whoever_it_was_inlined_into() {
        let profile = "\
events: Ir
ob=(1) program
fl=(1) /home/crates/sim/src/engine/mod.rs
fn=(1) run
10 5
fi=(2) /rust/library/vec_deque.rs
20 7
fi=(3) /home/crates/net/src/link/fifo.rs
+2 11
fi=(2)
* 13
fi=(4) /home/crates/cc/src/units.rs
-4 1
fe=(1)
cfi=(5) /home/crates/tcp/src/receiver/mod.rs
cfn=(2) on_data
calls=3 44
50 1000

fl=(5)
fn=(2)
44 17
ob=(2) libc.so
fl=(6) ???
fn=(3) malloc
0 19
";
        let expected = [
            ("allocator, C library", 19),
            ("engine", 12),
            ("links and queues", 25),
            ("receiver", 17),
        ];
        assert_eq!(count(profile), Counts::from(expected));
    }
}
