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
//! (prev_sent - curr_delv) / prev_sent >= 0.26  begins the drain phase
//! target = delivered within initial_rtt, at least the initial window
//! drain, each ACK:  cwnd = max(in_flight + 1 for every third segment delivered, target)
//! cwnd = target     ends slow start:  ssthresh = cwnd
//! ```
//!
//! When the path is found to be full, its queue holds what slow start has sent too much. The drain phase
//! (section 3.2) sends one segment for three that are delivered, until the window is what the path holds
//! with an empty queue: what arrives in the round-trip time of the beginning.
//!
//! A limit of the draft: a window that doubles while the queue takes everything lengthens the RTT as
//! fast as time passes. The window a round-trip time before then stays the same, and a round-trip time beyond
//! EXTRA_BINS ends the search.
//!
//! | draft | here | unit |
//! |---|---|---|
//! | acked_bin, sent_bin | `acked`, `sent`: totals at the end of each bin | segments |
//! | curr_idx | `current` | - |
//! | bin_end, bin_duration | `bin_end`, `bin` | ns |
//! | EXTRA_BINS | `EXTRA_BINS`: how far the round-trip time may grow and still be looked back over | bins |
//! | target cwnd | `Drain::target` | segments |
//!
//! Rounding: the fraction of a bin has 2^-16, and both sides of the comparison are exact.
//!
//! Deviations and choices:
//!
//! * The interpolation takes the bin before `prev`, as Firefox's implementation does. The draft takes the
//!   one behind it; its authors are said to call that a slip of the pen.
//! * After more than W bins without an ACK everything begins anew (an option of the draft).
//! * The drain phase follows the authors' module for Linux (SEARCH 4.0), which says how many segments leave
//!   and that `initial_rtt` is rounded up to whole bins: three. It never raises the window.

use super::SlowStartInput;
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
/// Bins of an initial round-trip time, of which 3.5 have W bins: rounded up.
const INITIAL_RTT_BINS: u64 = (2 * W).div_ceil(7);
/// `SEARCH_DRAIN_ACKEDSEG_THRESH`: segments delivered in the drain phase for each one sent.
const DRAIN_SHARE: u64 = 3;
/// The initial window (RFC 6928), below which the drain phase does not go.
const LEAST_TARGET: u64 = 10;

/// The state of SEARCH.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    acked: [u64; ACKED],
    sent: [u64; SENT],
    /// The bin in work; none before the first round-trip time sample.
    current: Option<u64>,
    bin: Duration,
    bin_end: Instant,
    /// The path is full, and its queue is being drained.
    drain: Option<Drain>,
}

/// The drain phase (section 3.2).
#[derive(Clone, Copy, Debug)]
struct Drain {
    /// The window at which it ends.
    target: u64,
    /// [`Ack::delivered`] of the ACK before.
    seen: u64,
    /// Segments delivered that have not yet let one leave.
    counted: u64,
    /// The window after the last ACK; none if no ACK has come since the phase began.
    next: Option<u64>,
}

impl Drain {
    const fn new(target: u64, ack: &Ack) -> Self {
        Self { target, seen: ack.delivered, counted: 0, next: None }
    }

    fn measure(&mut self, ack: &Ack) {
        self.counted += ack.delivered - self.seen;
        self.seen = ack.delivered;
        let leave = self.counted / DRAIN_SHARE;
        self.counted %= DRAIN_SHARE;
        self.next = Some((ack.in_flight + leave).max(self.target));
    }

    fn apply(&mut self, window: Window) -> SlowStartInput {
        let credit = Segments::ZERO;
        let Some(next) = self.next.take() else { return SlowStartInput::on(window, credit) };
        let cwnd = Segments::new(next).min(window.cwnd);
        let drained = Window { cwnd, ..window };
        if cwnd <= Segments::new(self.target) {
            SlowStartInput::end(drained, credit)
        } else {
            SlowStartInput::on(drained, credit)
        }
    }
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
            drain: None,
        }
    }

    pub(super) fn measure(&mut self, ack: &Ack) {
        if let Some(drain) = &mut self.drain {
            return drain.measure(ack);
        }
        let Some(rtt) = ack.rtt else { return };
        let Some(current) = self.current else { return self.begin(rtt, ack) };
        if ack.now <= self.bin_end {
            return;
        }
        let passed = ack.now.since(self.bin_end).as_nanos() / self.bin.as_nanos().max(1) + 1;
        if passed > W {
            return self.begin(rtt, ack);
        }
        let current = self.close_bins(current, passed, ack);
        if self.is_short_of(current, rtt) {
            self.drain = Some(Drain::new(self.target(current), ack));
        }
    }

    /// The segments that the path holds while its queue is empty.
    fn target(&self, current: u64) -> u64 {
        let then = self.acked[place(current - INITIAL_RTT_BINS, ACKED)];
        (self.acked[place(current, ACKED)] - then).max(LEAST_TARGET)
    }

    /// The first bin, or the first after a long silence.
    fn begin(&mut self, rtt: Duration, ack: &Ack) {
        self.bin = Duration::from_nanos((scale(rtt.as_nanos(), 7, 2) / W).max(1));
        self.bin_end = ack.now + self.bin;
        self.current = Some(0);
        (self.acked[0], self.sent[0]) = (ack.delivered, ack.snd_nxt);
    }

    /// Closes the present bin and those that were passed over; they hold what it held.
    fn close_bins(&mut self, current: u64, passed: u64, ack: &Ack) -> u64 {
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

    /// The segments sent in the window that ends with this bin.
    fn sent_in_window(&self, bin: u64) -> u64 {
        self.sent[place(bin, SENT)] - self.sent[place(bin - W, SENT)]
    }

    pub(super) fn apply(&mut self, window: Window, credit: Segments) -> SlowStartInput {
        match &mut self.drain {
            Some(drain) => drain.apply(window),
            None => SlowStartInput::on(window, credit),
        }
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
            let led = watch.apply(slow_start(10), Segments::ONE);
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

    /// The drain phase towards a window of 40 segments, from 100 in flight on.
    fn draining() -> Drain {
        Drain::new(40, &Ack { in_flight: 100, ..ack(0, 100, 1_000, 1_100) })
    }

    /// The window after an ACK of two segments of a window that is full.
    fn after_two(drain: &mut Drain, window: Window) -> SlowStartInput {
        let in_flight = window.cwnd.whole() - 2;
        drain.measure(&Ack { in_flight, ..ack(0, 100, drain.seen + 2, drain.seen + 2) });
        drain.apply(window)
    }

    #[test]
    fn s3_2_in_the_drain_phase_one_segment_leaves_for_three_that_are_delivered() {
        let mut drain = draining();
        let mut window = slow_start(100);
        // Twelve segments are delivered and four leave.
        for cwnd in [98, 97, 96, 94, 93, 92] {
            let led = after_two(&mut drain, window);
            assert_eq!(led.credit, Segments::ZERO);
            window = led.window;
            assert_eq!(window.cwnd, Segments::new(cwnd));
        }
        assert!(window.in_slow_start());
    }

    #[test]
    fn s3_2_the_drain_phase_ends_slow_start_at_its_target() {
        let mut drain = draining();
        let mut window = slow_start(100);
        for _ in 0..100 {
            window = after_two(&mut drain, window).window;
            if !window.in_slow_start() {
                break;
            }
        }
        let target = Segments::new(40);
        assert_eq!(window, Window { cwnd: target, ssthresh: target });
    }

    #[test]
    fn s3_2_the_ack_that_begins_the_drain_phase_does_not_change_the_window() {
        let mut drain = draining();
        let led = drain.apply(slow_start(100));
        assert_eq!(led, SlowStartInput::on(slow_start(100), Segments::ZERO));
    }

    #[test]
    fn s3_2_a_window_below_the_target_ends_slow_start_as_it_is() {
        let mut drain = draining();
        let led = after_two(&mut drain, slow_start(30));
        assert_eq!(led.window.cwnd, Segments::new(30));
        assert_eq!(led.window.ssthresh, Segments::new(30));
    }

    #[test]
    fn s3_2_the_target_is_what_arrives_in_the_first_round_trip_time_of_an_empty_queue() {
        // Eleven segments a bin of 35 ms: 33 in three bins, which are 105 ms.
        let mut watch = Search::new();
        for bin in 0..12 {
            watch.measure(&ack(100 + 36 * bin, 100, 11 * bin, 11 * bin));
        }
        let current = watch.current.expect("it has begun");
        assert_eq!(watch.target(current), 33);
        // RFC 6928: ten segments are the least.
        let mut slow = Search::new();
        for bin in 0..12 {
            slow.measure(&ack(100 + 36 * bin, 100, bin, bin));
        }
        assert_eq!(slow.target(slow.current.expect("it has begun")), 10);
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
