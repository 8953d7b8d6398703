//! The messages of tests in real time on a machine that lacks something, or was late.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fmt::Display;
use std::io::Write as _;
use std::ops::RangeBounds;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Says why a test does not run: the machine lacks something. That is a failure where
/// `WESTWOOD_REQUIRE_KERNEL` is 1.
pub(crate) fn skipped(why: impl Display) {
    let required = std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_some_and(|v| v == "1");
    assert!(!required, "WESTWOOD_REQUIRE_KERNEL=1, but {why}");
    say("skipped", why);
}

/// Whether connections of this user may have the controller, which not every kernel has built in, or
/// allows everybody. If not, a line says so.
pub(crate) fn kernel_has(controller: &str) -> bool {
    let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let list = if root { "available" } else { "allowed" };
    let names =
        std::fs::read_to_string(format!("/proc/sys/net/ipv4/tcp_{list}_congestion_control"));
    let has = names.is_ok_and(|names| names.split_whitespace().any(|name| name == controller));
    if !has {
        skipped(format!("{controller} is not among the kernel's {list} controllers"));
    }
    has
}

/// Judges statements that are true of punctual runs alone. `run` gives one, or says why nothing can
/// be said of it;
/// `truth` names the fault of one. A stall can pass unseen where no packet was due, so that what
/// differs once is run anew; what differs every time is a failure.
pub(crate) fn judged<T>(
    mut run: impl FnMut() -> Result<T, String>,
    truth: impl Fn(&T) -> Result<(), String>,
) {
    const RUNS: usize = 5;
    const DIFFERENT: usize = 3;
    let (mut late, mut different) = (String::new(), Vec::new());
    for _ in 0..RUNS {
        match run().map(|found| truth(&found)) {
            Ok(Ok(())) => return,
            Ok(Err(what)) => different.push(what),
            Err(why) => late = why,
        }
        assert!(different.len() < DIFFERENT, "in every punctual run: {different:#?}");
    }
    // No failure, whatever is required: nothing lacks, and another time it is judged.
    say("not judged", late);
}

/// Whether a number is within a range, else the number.
pub(crate) fn within(what: &str, number: f64, range: impl RangeBounds<f64>) -> Result<(), String> {
    if range.contains(&number) { Ok(()) } else { Err(format!("{what}: {number}")) }
}

/// Past the test harness, which would keep it to itself.
fn say(word: &str, why: impl Display) {
    let _ = writeln!(std::io::stderr(), "{word}: {}", why.to_string().trim_end());
}

/// Looks how long this machine lets ordinary threads wait.
pub(crate) struct Calm {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Duration>>,
}

impl Calm {
    /// As many threads as there are processors begin to look.
    pub(crate) fn begin() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let thread = |_| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || longest_wait(&over))
        };
        Self { threads: (0..processors).map(thread).collect(), over }
    }

    /// Whether none of them had to wait for long.
    pub(crate) fn end(self) -> Result<(), String> {
        const MOST: Duration = Duration::from_millis(30);
        self.over.store(true, Ordering::Relaxed);
        let waits = self.threads.into_iter().map(|thread| thread.join().unwrap());
        let longest = waits.max().unwrap_or_default();
        if longest <= MOST { Ok(()) } else { Err(format!("a thread had to wait for {longest:?}")) }
    }
}

/// The excess of the longest of many short sleeps.
fn longest_wait(over: &AtomicBool) -> Duration {
    const NAP: Duration = Duration::from_millis(2);
    let mut longest = Duration::ZERO;
    while !over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        std::thread::sleep(NAP);
        longest = longest.max(begun.elapsed().saturating_sub(NAP));
    }
    longest
}
