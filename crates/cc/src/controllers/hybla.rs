//! # Hybla as Linux 6.1 ships it: the rate of a path of 25 ms, whatever the round-trip time
//!
//! C. Caini, R. Firrincieli, "TCP Hybla: A TCP Enhancement for Heterogeneous Networks", International
//! Journal of Satellite Communications and Networking 22(5), 2004. Linux 6.1, `net/ipv4/tcp_hybla.c`.
//!
//! Reno's window grows by round-trip times, so a satellite's flow is slow twice: each step takes longer,
//! and each segment of the window is worth less. Hybla grows as a flow over a reference path does, and
//! its window is larger by the ratio of the round-trip times.
//!
//! ```text
//! rho = RTT / RTT_0, at least 1
//! slow start:  W += 2^rho - 1     for each ACK
//! avoidance:   W += rho^2 / W     for each ACK
//! loss:        W  = W / 2
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `rtt0` | [`Params::rtt0`] | ms |
//! | `rho_3ls` | `rho` | -, 3 fractional bits |
//! | `minrtt_us` | `least_srtt` | ns |
//! | `snd_cwnd_cents` | `parts` | segments, 7 fractional bits |
//! | `hybla_en` | `state` | - |
//!
//! rho follows the smallest smoothed round-trip time. While a segment is missing the growth is Reno's. No
//! window grows beyond 65,535 segments.
//!
//! Rounding: rho down to eighths, `2^rho` and `rho^2 / W` down to 2^-7 segments; what is below that counts
//! as nothing, and a window that would stand still grows by one segment for as many ACKs as it has
//! segments. An ACK counts once whatever it acknowledges: delayed ACKs halve the growth.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations: the kernel's first flight is rho segments, of the handshake's round-trip time; the first
//! window here is the transport's, and rho comes with the first ACK.

use crate::controller::{Ack, Cause, Controller, Grant, Reduction, Setup, Window, window_only};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count};
use crate::math::{scale, square_root};
use crate::units::{Duration, Instant};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "hybla",
    aliases: &[],
    summary: "grows as if the round-trip time were 25 ms: for satellites",
    source: "Linux 6.1 tcp_hybla.c; Caini and Firrincieli, 2004",
};

crate::parameters! {
    /// The module's parameter.
    pub struct Params {
        /// Reference round-trip time.
        pub rtt0: Duration = Duration::from_millis(25),
            in Duration::from_millis(1), Duration::from_secs(10);
    }
}

/// One segment of growth.
const ONE: u64 = 1 << 7;
/// The largest exponent of slow start.
const MOST_DOUBLINGS: u64 = 16;
/// `snd_cwnd_clamp`.
const LARGEST: u64 = 65_535;

/// Linux's Hybla.
#[derive(Clone, Copy, Debug)]
pub struct Hybla {
    rtt0: Duration,
    count: Count,
    state: CongestionState,
    rho: u64,
    least_srtt: Duration,
    parts: u64,
}

/// A Hybla of Linux's with these parameters.
pub fn new(params: &Params, _: &Setup) -> Hybla {
    Hybla {
        rtt0: params.rtt0,
        count: Count::default(),
        state: CongestionState::Open,
        rho: 8,
        least_srtt: Duration::MAX,
        parts: 0,
    }
}

/// `RTT / RTT_0` in eighths, at least 1.
fn rho(srtt: Duration, rtt0: Duration) -> u64 {
    scale(srtt.as_nanos(), 8, rtt0.as_nanos().max(1)).clamp(8, 1 << 24)
}

/// `2^(eighths / 8)` with 7 fractional bits: roots of roots of 2.
fn power_of_two(eighths: u64) -> u64 {
    let mut power = 1 << 60;
    // 2^(1/2), 2^(1/4) and 2^(1/8), with 30 fractional bits.
    let mut root = 1 << 31;
    for bit in [4, 2, 1] {
        root = square_root(root << 30);
        if eighths & bit != 0 {
            power = (power >> 30) * root;
        }
    }
    power >> 53
}

impl Hybla {
    /// `2^rho - 1`.
    fn of_slow_start(&self) -> u64 {
        (power_of_two(self.rho % 8) << (self.rho / 8).min(MOST_DOUBLINGS)) - ONE
    }

    /// `rho^2 / W`.
    fn of_avoidance(&self, cwnd: u64) -> u64 {
        // 64ths, and one bit more.
        2 * self.rho * self.rho / cwnd
    }

    /// The window with this much more, in parts of a segment.
    fn added(&mut self, cwnd: u64, increment: u64) -> u64 {
        self.parts += increment % ONE;
        let mut cwnd = cwnd.saturating_add(increment / ONE);
        if self.parts >= ONE {
            self.parts -= ONE;
            cwnd += 1;
            self.count.clear();
        }
        cwnd
    }
}

impl Controller for Hybla {
    fn measure(&mut self, ack: &Ack) {
        if !ack.srtt.is_zero() && ack.srtt < self.least_srtt {
            self.least_srtt = ack.srtt;
            self.rho = rho(ack.srtt, self.rtt0);
        }
        self.state.measured(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        self.state.granted(grant.phase);
        let w = linux::whole(w);
        if self.state != CongestionState::Open {
            return linux::reno(w, grant.credit.whole(), &mut self.count);
        }
        let cwnd = w.cwnd.whole();
        let next = if w.in_slow_start() {
            self.added(cwnd, self.of_slow_start()).min(w.ssthresh.whole())
        } else {
            let increment = self.of_avoidance(cwnd);
            if increment < ONE {
                self.count.add(1);
            }
            let next = self.added(cwnd, increment);
            if increment == 0 && self.count.get() >= cwnd {
                self.count.clear();
                next + 1
            } else {
                next
            }
        };
        linux::with_cwnd(w, next.min(LARGEST).max(cwnd))
    }

    /// `tcp_reno_ssthresh`.
    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        self.state = CongestionState::Reduced;
        linux::halved(w)
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        linux::undone(now_w, before)
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};
    use crate::units::Segments;

    fn hybla(rtt_ms: u64) -> Hybla {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(rtt_ms, rtt_ms, 1, 11));
        c
    }

    fn one_ack(c: &mut Hybla, w: Window) -> u64 {
        c.grow(w, &Grant::open(Instant::ZERO, Segments::new(2))).cwnd.whole()
    }

    #[test]
    fn rho_of_100_ms_is_four_and_below_25_ms_it_is_one() {
        assert_eq!(hybla(100).rho, 4 * 8);
        assert_eq!(hybla(10).rho, 8);
    }

    #[test]
    fn an_ack_adds_rho_squared_over_the_window() {
        // 4^2 / 8 segments, and 16 ACKs of 1/16.
        assert_eq!(one_ack(&mut hybla(100), avoidance(Segments::new(8))), 10);
        let (mut c, w) = (hybla(100), avoidance(Segments::new(256)));
        let grown: std::vec::Vec<u64> = (0..16).map(|_| one_ack(&mut c, w)).collect();
        assert_eq!(grown[..15], [256; 15]);
        assert_eq!(grown[15], 257);
    }

    #[test]
    fn slow_start_adds_two_to_the_power_of_rho_less_one_for_each_ack() {
        assert_eq!(one_ack(&mut hybla(25), slow_start(10)), 11);
        assert_eq!(one_ack(&mut hybla(100), slow_start(10)), 25);
        // 2^4.5 - 1 = 21.6
        assert_eq!(one_ack(&mut hybla(113), slow_start(10)), 31);
    }

    #[test]
    fn the_fractions_are_powers_of_the_eighth_root_of_two() {
        let table: std::vec::Vec<u64> = (0..8).map(power_of_two).collect();
        assert_eq!(table, [128, 139, 152, 165, 181, 197, 215, 234]);
    }

    #[test]
    fn while_a_segment_is_missing_the_growth_is_renos() {
        let mut c = hybla(100);
        let w = avoidance(Segments::new(8));
        let mut hole = ack(200, 100, 1, 11);
        hole.in_flight -= 1;
        c.measure(&hole);
        assert_eq!(one_ack(&mut c, w), 8);
        c.measure(&ack(300, 100, 11, 21));
        assert_eq!(one_ack(&mut c, w), 10);
    }

    #[test]
    fn rho_follows_the_smallest_smoothed_round_trip_time() {
        let mut c = hybla(100);
        c.measure(&ack(200, 200, 2, 12));
        assert_eq!(c.rho, 32);
        c.measure(&ack(300, 50, 3, 13));
        assert_eq!(c.rho, 16);
    }

    #[test]
    fn a_window_too_large_for_parts_of_a_segment_still_grows() {
        let mut c = hybla(10);
        let w = avoidance(Segments::new(1_000));
        assert!((0..999).all(|_| one_ack(&mut c, w) == 1_000));
        assert_eq!(one_ack(&mut c, w), 1_001);
    }
}
