//! The estimate of Linux's Westwood+ (net/ipv4/tcp_westwood.c as of 6.1), in its integer units:
//! jiffies and bytes a jiffy.

use super::{AckedCount, Counting, Estimator};
use crate::controller::Ack;
use crate::linux::{from_jiffies, jiffies, jiffies_in, micros};
use crate::product::saturating;
use crate::units::{Duration, Instant, Rate};

/// The kernel's bandwidth and RTT estimate.
///
/// * Time is counted in jiffies of `1/HZ`; RTT samples are rounded up to them.
/// * An interval ends when **more** than `max(rtt, HZ/20)` jiffies have passed. `HZ/20` is an
///   integer: 48 ms and not 50 at 250 Hz.
/// * An ACK is judged with its own RTT sample: 6.1.192 calls `pkts_acked` before `in_ack_event`.
///   (6.1 began with the other order, and a sample one ACK old.)
/// * The sample is whole bytes a jiffy. It passes two filters `(7 a + b) / 8` in cascade; the first
///   sample sets both.
/// * The first ACK's data is not counted.
/// * On the fast path an ACK counts the bytes that it covers and leaves alone what duplicates have
///   claimed; on the slow path it counts as [`AckedCount`] says. The path is fast for an ACK that is
///   [`predicted`](Ack::predicted). If the receiver tells no window, it is fast with `fast_path` unless
///   the receiver reports data above a hole, and slow without.
/// * `rtt_min` is the smallest RTT in jiffies. It begins at 20 s, is set by the first ACK, and is
///   learnt anew from the first ACK after [`forget_min_rtt`](Self::forget_min_rtt).
///
/// Deviation: the kernel's 32-bit products wrap (`bw_est * rtt_min` at a pipe of 4 GB); here they do
/// not.
#[derive(Clone, Copy, Debug)]
pub struct LinuxEstimate {
    hz: u64,
    fast_path: bool,
    count: AckedCount,
    /// bw_ns_est and bw_est: after one filter and after both, bytes a jiffy.
    once_filtered: u64,
    twice_filtered: u64,
    /// rtt_win_sx, in jiffies; none before the first ACK.
    began: Option<u64>,
    /// bk, in bytes.
    data: u64,
    /// rtt and rtt_min, in jiffies.
    rtt: u64,
    min_rtt: u64,
    min_rtt_forgotten: bool,
}

impl LinuxEstimate {
    /// An estimate at the beginning of a connection. `hz` is the kernel's tick rate, brought into
    /// 20 to 1000 a second; `fast_path` says whether the kernel has one (see above).
    pub fn new(hz: u64, fast_path: bool) -> Self {
        let hz = hz.clamp(20, 1000);
        Self {
            hz,
            fast_path,
            count: AckedCount::new(Counting::Printed),
            once_filtered: 0,
            twice_filtered: 0,
            began: None,
            data: 0,
            rtt: 20 * hz,
            min_rtt: 20 * hz,
            min_rtt_forgotten: true,
        }
    }

    /// The smallest RTT, a whole number of jiffies.
    pub fn min_rtt(&self) -> Duration {
        from_jiffies(self.min_rtt, self.hz)
    }

    /// The next ACK sets the smallest RTT.
    pub fn forget_min_rtt(&mut self) {
        self.min_rtt_forgotten = true;
    }

    /// `bw_est * rtt_min` in bytes: what the path holds.
    pub fn pipe_bytes(&self) -> u64 {
        saturating(self.twice_filtered, self.min_rtt)
    }

    /// westwood_update_window: closes the interval if it is over.
    fn update_window(&mut self, now: u64, began: u64) {
        let span = now.saturating_sub(began);
        if self.rtt > 0 && span > self.rtt.max(self.hz / 20) {
            self.filter(self.data / span);
            self.data = 0;
            self.began = Some(now);
        }
    }

    /// westwood_filter.
    fn filter(&mut self, sample: u64) {
        if self.once_filtered == 0 && self.twice_filtered == 0 {
            self.once_filtered = sample;
            self.twice_filtered = sample;
        } else {
            self.once_filtered = seven_eighths(self.once_filtered, sample);
            self.twice_filtered = seven_eighths(self.twice_filtered, self.once_filtered);
        }
    }

    fn update_min_rtt(&mut self) {
        self.min_rtt = if core::mem::take(&mut self.min_rtt_forgotten) {
            self.rtt
        } else {
            self.min_rtt.min(self.rtt)
        };
    }

    /// pkts_acked: microseconds, rounded up to jiffies.
    fn note_rtt(&mut self, rtt: Duration) {
        let us = micros(rtt);
        if us > 0 {
            self.rtt = jiffies_in(us, self.hz);
        }
    }
}

/// westwood_do_filter, within a word.
fn seven_eighths(old: u64, sample: u64) -> u64 {
    saturating(old, 7).saturating_add(sample) / 8
}

impl Estimator for LinuxEstimate {
    fn on_ack(&mut self, ack: &Ack) {
        let now = jiffies(ack.now, self.hz);
        // The first ACK sets the kernel's snd_una, so it seems to cover nothing.
        let newly = if self.began.is_none() { 0 } else { ack.newly };
        let began = self.began.unwrap_or_else(|| {
            // The kernel's first interval begins with the connection.
            jiffies(ack.now - ack.rtt.unwrap_or_default(), self.hz)
        });
        self.began = Some(began);
        if let Some(rtt) = ack.rtt {
            self.note_rtt(rtt);
        }
        self.update_window(now, began);
        let usual = self.fast_path && ack.delivered <= ack.snd_una;
        let is_fast = !ack.is_duplicate() && ack.predicted.unwrap_or(usual);
        let segments = if is_fast { newly } else { self.count.count(newly) };
        self.data = self.data.saturating_add(saturating(ack.smss.get(), segments));
        self.update_min_rtt();
    }

    fn read(&mut self, _: Instant) -> Rate {
        self.rate()
    }

    fn rate(&self) -> Rate {
        Rate::from_bytes_per_s(self.twice_filtered.saturating_mul(self.hz))
    }
}
