//! The end of a run: at its time, when its transfers are done, or when it is cancelled.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration as Span, Instant as Clock};

use westwood_cc::{Duration, Instant};

/// The clock of a run, and its end, for all of its threads.
#[derive(Debug)]
pub(super) struct RunClock {
    origin: Clock,
    warmup: Instant,
    end: Instant,
    /// Transfers whose end is the run's, and that have not ended.
    open: AtomicUsize,
    stopped: AtomicBool,
    /// The end of the last transfer.
    done: Mutex<Option<Instant>>,
}

impl RunClock {
    /// `transfers` is how many transfers there are whose end is the run's, if any.
    pub(super) fn new(origin: Clock, warmup: Duration, length: Duration, transfers: usize) -> Self {
        Self {
            origin,
            warmup: Instant::ZERO + warmup,
            end: Instant::ZERO + length,
            open: AtomicUsize::new(transfers),
            stopped: AtomicBool::new(false),
            done: Mutex::new(None),
        }
    }

    /// Time since the run began.
    pub(super) fn now(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// The beginning of measuring.
    pub(super) fn warmup(&self) -> Instant {
        self.warmup
    }

    /// The end of the run, or the latest one.
    pub(super) fn end(&self) -> Instant {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.end)
    }

    /// The rest of the run.
    pub(super) fn left(&self) -> Span {
        Span::from_nanos(self.end.since(self.now()).as_nanos())
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.now() >= self.end
    }

    /// One of the transfers that the run waits for has ended.
    pub(super) fn transfer_done(&self) {
        // The measuring interval begins after the warm-up.
        if self.open.fetch_sub(1, Ordering::Relaxed) == 1 && self.now() > self.warmup {
            *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.now());
            self.stop();
        }
    }

    /// Sleeps until then, or until the run is over; in short pieces, so as to notice that.
    pub(super) fn sleep_until(&self, then: Instant) {
        const PIECE: Span = Span::from_millis(20);
        while !self.is_over() {
            let left = then.since(self.now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(PIECE.min(Span::from_nanos(left.as_nanos())));
        }
    }
}
