//! SEARCH: slow start ends where deliveries no longer keep up with what was sent.
//!
//! J. Chung, M. Kachooei, F. Li, M. Claypool, "SEARCH -- a New Slow Start Algorithm for TCP and QUIC",
//! draft-chung-ccwg-search-09, 2026.
//!
//! As long as the path has room, what is delivered in a window of time is what was sent a round-trip
//! time before. On a full path it is less: the queue keeps the rest. The delay itself is not judged,
//! so that links whose delay wavers (wireless, low orbit) do not end slow start early.
//!
//! ```text
//! bin = 3.5 initial_rtt / W                                                    W = 10 bins a window
//! curr_delv = acked[curr] - acked[curr - W]
//! prev_sent = sent[prev] - sent[prev - W],   prev = curr - rtt / bin, interpolated
//! (prev_sent - curr_delv) / prev_sent >= 0.26  ends slow start:  ssthresh = cwnd
//! ```
//!
//! | draft | here | unit |
//! |---|---|---|
//! | acked_bin, sent_bin | `acked`, `sent`: totals at the end of each bin | segments |
//! | curr_idx | `current` | - |
//! | bin_end, bin_duration | `bin_end`, `bin` | ns |
//! | EXTRA_BINS | `EXTRA_BINS`: how far the round-trip time may grow and still be looked back over | bins |
//!
//! Rounding: the fraction of a bin has 2^-16, and both sides of the comparison are exact.
//!
//! Deviations and choices:
//!
//! * The interpolation takes the bin before `prev`, as Firefox's implementation does. The draft takes the
//!   one behind it; its authors are said to call that a slip of the pen.
//! * After more than W bins without an ACK everything begins anew (an option of the draft).
//! * The window stays what it is when slow start ends. The draft may lower it to what the path held
//!   before the queue grew.

use super::Led;
use crate::controller::{Ack, Window};
use crate::math::scale;
use crate::units::{Duration, Instant, Segments};

/// W: bins in a window of time.
const W: u64 = 10;
/// Bins beyond a window, to look back by a round-trip time.
const EXTRA_BINS: u64 = 15;
/// One more than a window has, so that both its ends are there.
const ACKED: usize = 11;
const SENT: usize = 26;
const _: () = assert!(ACKED as u64 == W + 1 && SENT as u64 == W + 1 + EXTRA_BINS);
/// THRESH, in hundredths.
const THRESH: u64 = 26;
/// The fraction of a bin is counted in these.
const ONE: u64 = 1 << 16;

/// The state of SEARCH.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    acked: [u64; ACKED],
    sent: [u64; SENT],
    /// The bin in work; none before the first round-trip time sample.
    current: Option<u64>,
    bin: Duration,
    bin_end: Instant,
    /// The path is full.
    is_full: bool,
}

impl Search {
    /// At the beginning of a connection.
    pub const fn new() -> Self {
        Self {
            acked: [0; ACKED],
            sent: [0; SENT],
            current: None,
            bin: Duration::ZERO,
            bin_end: Instant::ZERO,
            is_full: false,
        }
    }

    pub(super) fn measure(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let Some(current) = self.current else { return self.begin(rtt, ack) };
        if ack.now <= self.bin_end {
            return;
        }
        let passed = ack.now.since(self.bin_end).as_nanos() / self.bin.as_nanos().max(1) + 1;
        if passed > W {
            return self.begin(rtt, ack);
        }
        let current = self.pass(current, passed, ack);
        self.is_full |= self.is_short_of(current, rtt);
    }

    /// The first bin, or the first after a long silence.
    fn begin(&mut self, rtt: Duration, ack: &Ack) {
        self.bin = Duration::from_nanos((scale(rtt.as_nanos(), 7, 2) / W).max(1));
        self.bin_end = ack.now + self.bin;
        self.current = Some(0);
        (self.acked[0], self.sent[0]) = (ack.delivered, ack.snd_nxt);
    }

    /// Closes the present bin and those that were passed over; they hold what it held.
    fn pass(&mut self, current: u64, passed: u64, ack: &Ack) -> u64 {
        let (acked, sent) = (self.acked[place(current, ACKED)], self.sent[place(current, SENT)]);
        for bin in current + 1..current + passed {
            self.acked[place(bin, ACKED)] = acked;
            self.sent[place(bin, SENT)] = sent;
        }
        let next = current + passed;
        self.acked[place(next, ACKED)] = ack.delivered;
        self.sent[place(next, SENT)] = ack.snd_nxt;
        self.bin_end += self.bin * passed;
        self.current = Some(next);
        next
    }

    /// True if the window up to the bin `current` delivered much less than what was sent in the window a
    /// round-trip time before. Without enough bins nothing is said.
    fn is_short_of(&self, current: u64, rtt: Duration) -> bool {
        let (rtt, bin) = (rtt.as_nanos(), self.bin.as_nanos());
        let back = rtt / bin;
        let Some(previous) = current.checked_sub(back).filter(|&p| p > W && back < EXTRA_BINS)
        else {
            return false;
        };
        let delivered = self.acked[place(current, ACKED)] - self.acked[place(current - W, ACKED)];
        let fraction = scale(rtt % bin, ONE, bin);
        let later = self.sent_in_window(previous) * (ONE - fraction);
        let sent = later + self.sent_in_window(previous - 1) * fraction;
        let short = sent.saturating_sub(delivered * ONE);
        sent > 0 && u128::from(short) * 100 >= u128::from(sent) * u128::from(THRESH)
    }

    /// The bytes sent in the window that ends with this bin.
    fn sent_in_window(&self, bin: u64) -> u64 {
        self.sent[place(bin, SENT)] - self.sent[place(bin - W, SENT)]
    }

    pub(super) fn lead(&self, window: Window, credit: Segments) -> Led {
        if self.is_full { Led::end(window, credit) } else { Led::on(window, credit) }
    }
}

impl Default for Search {
    fn default() -> Self {
        Self::new()
    }
}

/// A bin's place in a ring.
#[expect(clippy::cast_possible_truncation, reason = "below the ring's length")]
const fn place(bin: u64, ring: usize) -> usize {
    (bin % ring as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, slow_start};

    /// A path of 100 ms that carries `rate` segments a millisecond, and a sender that doubles every
    /// 100 ms from one segment a millisecond on. Answers the time at which slow start ends, in ms.
    fn ends_at(rate: u64) -> Option<u64> {
        let mut watch = Search::new();
        let (mut delivered, mut sent) = (0, 0);
        for ms in 100..2_000 {
            let sending = |ms: u64| 1 << (ms / 100).min(40);
            sent += sending(ms);
            delivered += sending(ms - 100).min(rate);
            watch.measure(&ack(ms, 100, delivered, sent.max(delivered)));
            let led = watch.lead(slow_start(10), Segments::ONE);
            if led.window.ssthresh == Segments::new(10) {
                return Some(ms);
            }
        }
        None
    }

    #[test]
    fn a_path_with_room_never_ends_slow_start() {
        assert_eq!(ends_at(u64::MAX), None);
    }

    #[test]
    fn slow_start_ends_within_two_round_trips_of_the_full_path() {
        // 64 segments a millisecond are sent from 600 ms on, and arrive a round trip later.
        let end = ends_at(64).expect("the path fills");
        assert!((800..=1_000).contains(&end), "{end}");
    }

    #[test]
    fn a_window_of_time_is_three_and_a_half_round_trips_in_ten_bins() {
        let mut watch = Search::new();
        watch.measure(&ack(100, 100, 1, 20));
        assert_eq!(watch.bin, Duration::from_millis(35));
    }

    #[test]
    fn a_long_silence_begins_the_search_anew() {
        let mut watch = Search::new();
        watch.measure(&ack(100, 100, 1, 20));
        watch.measure(&ack(200, 100, 5, 20));
        assert_eq!(watch.current, Some(2));
        watch.measure(&ack(10_000, 100, 6, 20));
        assert_eq!(watch.current, Some(0));
    }
}
