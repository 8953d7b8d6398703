//! The lookahead engine changes no bit of any result.

mod support;

use std::thread;

use support::{engines, tangle};

/// `make soak` runs many more.
const CASES: u64 = 300;
const THREADS: u64 = 2;

#[test]
fn lookahead_gives_what_the_plain_engine_gives() {
    let some = |first: u64| {
        let (mut plain, mut ahead) = (0, 0);
        for case in (first..CASES).step_by(usize::try_from(THREADS).expect("few")) {
            let comparison = engines::compare(&tangle::network(case));
            if let Some(difference) = comparison.difference {
                panic!("case {case}, {difference}");
            }
            plain += comparison.plain_events;
            ahead += comparison.ahead_events;
        }
        (plain, ahead)
    };
    let counts: Vec<(u64, u64)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|i| scope.spawn(move || some(i))).collect();
        threads.into_iter().map(|t| t.join().expect("equal")).collect()
    });
    let plain: u64 = counts.iter().map(|c| c.0).sum();
    let ahead: u64 = counts.iter().map(|c| c.1).sum();
    // Else nothing was looked at ahead, and the engines are equal because they are one.
    assert!(ahead * 10 < plain * 8, "{ahead} events instead of {plain}");
}
