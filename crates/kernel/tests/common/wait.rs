//! Tests wait for events, not for times.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Waits until something is so. A condition that does not hold within a minute never will.
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: waited in vain");
        sleep(Duration::from_millis(20));
    }
}
