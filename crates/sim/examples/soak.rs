//! Holds the lookahead engine to the plain one over many random networks.
//!
//! ```text
//! cargo run --profile test -p westwood-sim --example soak [CASES] [MINUTES] [FIRST]
//! ```
//!
//! Ends with exit code 1 at the first difference, and prints its case and what differs. To look at a
//! case alone, make it the FIRST of one.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use support::{engines, tangle};

/// The progress so far, of all threads.
#[derive(Default)]
struct Tally {
    next: AtomicU64,
    done: AtomicU64,
    plain_events: AtomicU64,
    ahead_events: AtomicU64,
    failed: AtomicBool,
}

#[expect(clippy::disallowed_methods, reason = "the search for differences ends after some minutes")]
fn work(tally: &Tally, first: u64, cases: u64, until: Instant) {
    while Instant::now() < until && !tally.failed.load(Ordering::Relaxed) {
        let n = tally.next.fetch_add(1, Ordering::Relaxed);
        if n >= cases {
            return;
        }
        let case = first + n;
        let comparison = engines::compare(&tangle::network(case));
        if let Some(difference) = comparison.difference {
            tally.failed.store(true, Ordering::Relaxed);
            println!("case {case} differs, {difference}");
            return;
        }
        tally.done.fetch_add(1, Ordering::Relaxed);
        tally.plain_events.fetch_add(comparison.plain_events, Ordering::Relaxed);
        tally.ahead_events.fetch_add(comparison.ahead_events, Ordering::Relaxed);
    }
}

#[expect(clippy::disallowed_methods, reason = "the search for differences ends after some minutes")]
fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let cases = arguments.next().unwrap_or(10_000);
    let minutes = arguments.next().unwrap_or(20);
    let first = arguments.next().unwrap_or(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (tally, begin) = (Tally::default(), Instant::now());
    let until = begin + Duration::from_secs(60 * minutes);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&tally, first, cases, until));
        }
    });
    let failed = tally.failed.into_inner();
    println!("cases      {} from {first} on", tally.done.into_inner());
    println!("result     {}", if failed { "a difference" } else { "all equal, bit for bit" });
    println!("events     {} plain", tally.plain_events.into_inner());
    println!("           {} lookahead", tally.ahead_events.into_inner());
    println!("seconds    {:.0} on {threads} threads", begin.elapsed().as_secs_f64());
    if failed {
        std::process::exit(1);
    }
}
