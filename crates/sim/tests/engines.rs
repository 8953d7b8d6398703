//! The lookahead engine changes no bit of any result.

mod support;

use support::{engines, tangle};

/// `make soak` runs many more.
const CASES: u64 = 300;

#[test]
fn lookahead_gives_what_the_plain_engine_gives() {
    let (mut plain, mut ahead) = (0, 0);
    for case in 0..CASES {
        let comparison = engines::compare(&tangle::network(case));
        if let Some(difference) = comparison.difference {
            panic!("case {case}, {difference}");
        }
        plain += comparison.plain_events;
        ahead += comparison.ahead_events;
    }
    // Else nothing was looked at ahead, and the engines are equal because they are one.
    assert!(ahead * 10 < plain * 8, "{ahead} events instead of {plain}");
}
