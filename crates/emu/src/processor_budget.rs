//! The rest that a punctual thread has to take of its own accord.
//!
//! Linux gives real-time threads at most 950 ms of each second of a processor (`sched_rt_runtime_us`,
//! `sched_rt_period_us`), and keeps one that has had them from running until the second is over: for
//! up to 50 ms no packet would move. A loop that looks at the clock all the time is always at that
//! limit. One that sleeps now and then, for as long as it chooses and between two packets, never is.

use westwood_cc::{Duration, Instant};

/// The last stretch before an event is waited for by looking at the clock: a sleeping thread is woken
/// so much later than asked for.
const LAST_STRETCH: Duration = Duration::from_micros(60);
/// The interval at which the account is brought up to date. Asking for a thread's processor time is
/// a system call.
const ASKED_EVERY: Duration = Duration::from_millis(1);
/// The loop may use 17 of 20 parts of the time; the kernel's limit is 19, for all threads of a
/// processor that are as urgent.
const SHARE: (u64, u64) = (17, 20);
/// Unused time is kept as a credit no larger than this, so that a second has no more than its share
/// and a little.
const CREDIT: Duration = Duration::from_millis(20);
/// Beyond this debt the loop sleeps even if packets are due: late by a nap now, or by 50 ms soon.
const DEBT: Duration = Duration::from_millis(2);
/// So long it sleeps then, at a time.
const NAP: Duration = Duration::from_micros(100);

/// The way in which the loop waits for its next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitMode {
    /// Asleep for so long at most, awake again when a packet can be read. Zero only polls the
    /// devices.
    Listen(Duration),
    /// The loop sleeps for so long, whatever comes; it does not know afterwards which device has a
    /// packet.
    Nap(Duration),
}

/// An account of the processor time that a thread may use, and has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessorBudget {
    asked: Instant,
    used: Duration,
    credit: Duration,
    debt: Duration,
}

impl ProcessorBudget {
    /// The way to wait for an event that is due in `left`. `used` tells how much of a processor the
    /// thread has had since it began; it is asked now and then only.
    pub(crate) fn wait(
        &mut self,
        now: Instant,
        left: Duration,
        used: impl FnOnce() -> Duration,
    ) -> WaitMode {
        if now.since(self.asked) >= ASKED_EVERY {
            self.settle(now, used());
        }
        if self.debt > DEBT {
            WaitMode::Nap(NAP)
        } else if self.debt > Duration::ZERO {
            WaitMode::Listen(left)
        } else {
            WaitMode::Listen(left - LAST_STRETCH)
        }
    }

    fn settle(&mut self, now: Instant, used: Duration) {
        let earned = now.since(self.asked) * SHARE.0 / SHARE.1 + self.credit;
        let spent = used - self.used + self.debt;
        self.credit = (earned - spent).min(CREDIT);
        self.debt = spent - earned;
        (self.asked, self.used) = (now, used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop with `work` to do for each event, one every `every`, on a machine that does what it is
    /// asked: the percentage of time that it used, and how much later than due it came to an event at most.
    fn used(work: Duration, every: Duration) -> (u64, Duration) {
        let (mut rest, mut now, mut used) =
            (ProcessorBudget::default(), Instant::ZERO, Duration::ZERO);
        let (mut due, mut latest) = (Instant::ZERO + every, Duration::ZERO);
        while now < Instant::from_nanos(2_000_000_000) {
            match rest.wait(now, due.since(now), || used) {
                WaitMode::Nap(time) => now += time,
                WaitMode::Listen(time) if time > Duration::ZERO => now += time,
                WaitMode::Listen(_) => {
                    // It polls the clock until the event is due, and handles it.
                    let spent = due.since(now) + work;
                    latest = latest.max(now.since(due));
                    used += spent;
                    now += spent;
                    due += every;
                }
            }
        }
        (used.as_nanos() * 100 / now.as_nanos(), latest)
    }

    #[test]
    fn a_loop_that_would_always_look_at_the_clock_sleeps_a_seventh_of_the_time() {
        let (share, latest) = used(Duration::from_micros(5), Duration::from_micros(50));
        assert!((80..=87).contains(&share), "it used {share} %");
        assert!(latest <= Duration::from_micros(100), "{latest:?}");
    }

    #[test]
    fn a_loop_with_too_much_to_do_sleeps_as_well() {
        let (share, _) = used(Duration::from_micros(60), Duration::from_micros(50));
        assert!((80..=87).contains(&share), "it used {share} %");
    }

    #[test]
    fn a_loop_with_little_to_do_looks_at_the_clock_before_each_event() {
        let mut rest = ProcessorBudget::default();
        let wait = rest.wait(Instant::from_nanos(5_000_000), Duration::from_millis(3), || {
            Duration::from_millis(2)
        });
        assert_eq!(wait, WaitMode::Listen(Duration::from_micros(2_940)));
    }

    #[test]
    fn what_was_not_used_long_ago_is_no_credit_for_a_whole_second() {
        let mut rest = ProcessorBudget::default();
        let quiet = Instant::from_nanos(10_000_000_000);
        rest.wait(quiet, Duration::from_millis(1), || Duration::from_millis(1));
        let busy = Duration::from_millis(150);
        let wait = rest.wait(quiet + busy, Duration::ZERO, || Duration::from_millis(1) + busy);
        assert_eq!(wait, WaitMode::Nap(NAP));
    }
}
