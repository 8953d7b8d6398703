//! NADA: a rate from delays and losses.
//!
//! X. Zhu, R. Pan, M. Ramalho, S. Mena, "Network-Assisted Dynamic Adaptation (NADA): A Unified Congestion
//! Control Scheme for Real-Time Media", RFC 8698, 2020. The receiver makes one number of what it sees, the
//! delay that would be as bad as delay and losses together; the sender holds it near a share of its own:
//!
//! ```text
//! x_curr   = d_tilde + DLOSS (p_loss / PLRREF)^2                                       (2), without marks
//! d_tilde  = d_queue                                 while d_queue < QTH, or without recent losses
//!            QTH exp(-LAMBDA (d_queue - QTH) / QTH)  otherwise                                        (1)
//!
//! gradual:      x_offset = x_curr - PRIO XREF RMAX / r_ref                                            (5)
//!               x_diff   = x_curr - x_prev                                                            (6)
//!               r_ref   -= KAPPA (delta / TAU) (x_offset / TAU) r_ref + KAPPA ETA (x_diff / TAU) r_ref (7)
//! accelerated:  gamma    = min(GAMMA_MAX, QBOUND / (rtt + DELTA + DFILT))                             (3)
//!               r_ref    = max(r_ref, (1 + gamma) r_recv)                                             (4)
//! ```
//!
//! The rate grows by the accelerated rule while LOGWIN shows neither a loss nor a queueing delay of QEPS.
//!
//! | RFC 8698 | here | unit |
//! |---|---|---|
//! | x_curr, x_prev | [`Report::x_curr`], `x_prev` | ms |
//! | rmode | [`Report::is_accelerated`] | - |
//! | r_recv, r_ref | [`Report::r_recv`], `r_ref` | bytes/s |
//! | d_base, d_queue | `base`, the least of the last 15 arrivals | time |
//! | p_loss | `p_loss`, smoothed by ALPHA | - |
//! | loss_int | the average of [`LossIntervals`] | packets |
//!
//! Choices and deviations:
//! * Reports are RTCP's of section 5.3; r_recv is what came after the first arrival of the window, over the
//!   time since then, as in the authors' simulation module.
//! * Marks are not heard: datagrams are not ECN-capable.
//! * Sections 4.3's rate shaping buffer and the encoder's own bounds are left out.
//! * Without reports the rate stays: there is no circuit breaker (RFC 8083).
//! * A rate is rounded down to 2^-16 byte/s; functions are those of libm, the same on every machine.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant, Rate};

use super::loss_interval::LossIntervals;
use super::{MediaPacket, REPORT_INTERVAL};

/// The window of observation.
const LOGWIN: Duration = Duration::from_millis(500);
/// The taps of the minimum filter of delays.
const TAPS: usize = 15;
/// Reference congestion, in ms; PRIO is 1.
const XREF: f64 = 10.0;
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
/// In ms.
const TAU: f64 = 500.0;
const QEPS: Duration = Duration::from_millis(10);
const DFILT: Duration = Duration::from_millis(120);
const GAMMA_MAX: f64 = 0.5;
/// In ms.
const QBOUND: f64 = 50.0;
const MULTILOSS: f64 = 7.0;
/// In ms.
const QTH: f64 = 50.0;
const LAMBDA: f64 = 0.5;
const PLRREF: f64 = 0.01;
/// In ms.
const DLOSS: f64 = 10.0;
const ALPHA: f64 = 0.1;

/// The feedback of a receiver to its sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Report {
    x_curr: f64,
    r_recv: f64,
    is_accelerated: bool,
    /// When the newest datagram was sent, and how long ago it came: for the round-trip time.
    sent_at: Instant,
    held: Duration,
}

/// The receiver's part.
#[derive(Clone, Debug, Default)]
pub(super) struct NadaReceiver {
    base: Option<Duration>,
    /// Arrivals of the last LOGWIN.
    recent: VecDeque<MediaArrival>,
    losses: LossIntervals,
    p_loss: f64,
}

#[derive(Clone, Copy, Debug)]
struct MediaArrival {
    at: Instant,
    number: u64,
    size: u64,
    sent_at: Instant,
}

impl NadaReceiver {
    pub(super) fn on_packet(&mut self, at: Instant, packet: MediaPacket, sent_at: Instant) {
        let delay = at.since(sent_at);
        self.base = Some(self.base.map_or(delay, |base| base.min(delay)));
        self.losses.on_packet(packet.number);
        self.recent.push_back(MediaArrival {
            at,
            number: packet.number,
            size: packet.size.get(),
            sent_at,
        });
        self.forget(at);
    }

    fn forget(&mut self, now: Instant) {
        while self.recent.front().is_some_and(|arrival| arrival.at + LOGWIN < now) {
            self.recent.pop_front();
        }
    }

    /// The report at `now`; none if nothing has arrived for long.
    pub(super) fn report(&mut self, now: Instant) -> Option<Report> {
        self.forget(now);
        let newest = *self.recent.back()?;
        let lost = self.update_loss();
        let base = self.base.unwrap_or(Duration::ZERO);
        let queueing = |arrival: &MediaArrival| arrival.at.since(arrival.sent_at) - base;
        let is_short = self.recent.iter().all(|arrival| queueing(arrival) < QEPS);
        let delay = self.recent.iter().rev().take(TAPS).map(queueing).min().unwrap_or_default();
        let price = self.p_loss / PLRREF;
        Some(Report {
            x_curr: self.warped_delay(millis(delay)) + DLOSS * price * price,
            r_recv: self.receive_rate(),
            is_accelerated: lost == 0 && is_short,
            sent_at: newest.sent_at,
            held: now.since(newest.at),
        })
    }

    /// Losses among the recent arrivals; their share goes into the smoothed one.
    #[expect(clippy::cast_precision_loss, reason = "packets of half a second")]
    fn update_loss(&mut self) -> u64 {
        let numbers = || self.recent.iter().map(|arrival| arrival.number);
        let span = match (numbers().min(), numbers().max()) {
            (Some(first), Some(last)) => last - first + 1,
            _ => return 0,
        };
        let lost = span.saturating_sub(self.recent.len() as u64);
        self.p_loss += ALPHA * (lost as f64 / span as f64 - self.p_loss);
        lost
    }

    /// d_tilde: a queue that stands because of others' losses counts for less the longer it is, so that
    /// the flow can compete.
    fn warped_delay(&self, delay: f64) -> f64 {
        let recent_loss = self.losses.get().is_some_and(|it| it.open < MULTILOSS * it.average);
        if delay < QTH || !recent_loss {
            return delay;
        }
        QTH * libm::exp(-LAMBDA * (delay - QTH) / QTH)
    }

    /// In bytes/s; zero with less than two arrivals.
    #[expect(clippy::cast_precision_loss, reason = "bytes of half a second")]
    fn receive_rate(&self) -> f64 {
        let (Some(first), Some(last)) = (self.recent.front(), self.recent.back()) else {
            return 0.0;
        };
        let bytes: u64 = self.recent.iter().skip(1).map(|arrival| arrival.size).sum();
        let time = millis(last.at.since(first.at));
        if time > 0.0 { bytes as f64 / time * 1000.0 } else { 0.0 }
    }
}

/// The sender's part.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceRate {
    /// In bytes/s, within the bounds.
    r_ref: f64,
    min: f64,
    max: f64,
    x_prev: f64,
    updated: Option<Instant>,
}

impl ReferenceRate {
    /// It begins at the least rate.
    pub(super) fn new(min: Rate, max: Rate) -> Self {
        let min = bytes_per_s(min);
        Self { r_ref: min, min, max: bytes_per_s(max), x_prev: 0.0, updated: None }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within two rates, which are positive"
    )]
    pub(super) fn get(&self) -> Rate {
        Rate::from_raw((self.r_ref * 65_536.0) as u64)
    }

    pub(super) fn on_report(&mut self, now: Instant, report: &Report) {
        let delta = self.updated.map_or(REPORT_INTERVAL, |updated| now.since(updated));
        self.updated = Some(now);
        self.r_ref = if report.is_accelerated {
            let rtt = now.since(report.sent_at) - report.held;
            self.r_ref.max((1.0 + gamma(rtt)) * report.r_recv)
        } else {
            self.gradual(millis(delta), report.x_curr)
        }
        .clamp(self.min, self.max);
        self.x_prev = report.x_curr;
    }

    /// Equations (5) to (7).
    fn gradual(&self, delta: f64, x_curr: f64) -> f64 {
        let offset = x_curr - XREF * self.max / self.r_ref;
        let diff = x_curr - self.x_prev;
        let change = KAPPA * (delta / TAU) * (offset / TAU) + KAPPA * ETA * (diff / TAU);
        self.r_ref * (1.0 - change)
    }
}

/// How much faster than what arrives the sender may become, so that no queue of QBOUND comes of it before
/// the next report does.
fn gamma(rtt: Duration) -> f64 {
    GAMMA_MAX.min(QBOUND / millis(rtt + REPORT_INTERVAL + DFILT))
}

#[expect(clippy::cast_precision_loss, reason = "delays are far below 2^53 ns")]
fn millis(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
fn bytes_per_s(rate: Rate) -> f64 {
    rate.raw() as f64 / 65_536.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Bytes;

    fn at_ms(ms: u64) -> Instant {
        Instant::from_nanos(1_000_000 * ms)
    }

    /// Packets of 1000 bytes every 10 ms, with these numbers and delays in ms. Answers the report a ms
    /// after the last.
    fn observed(packets: impl IntoIterator<Item = (u64, u64)>) -> Report {
        let mut observer = NadaReceiver::default();
        let mut last = Instant::ZERO;
        for (number, delay) in packets {
            let (sent_at, packet) =
                (at_ms(10 * number), MediaPacket { number, size: Bytes::new(1000) });
            last = sent_at + Duration::from_millis(delay);
            observer.on_packet(last, packet, sent_at);
        }
        observer.report(last + Duration::from_millis(1)).expect("arrivals")
    }

    fn rate(r_ref: f64, x_prev: f64) -> ReferenceRate {
        let updated = Some(Instant::ZERO);
        ReferenceRate { r_ref, min: 18_750.0, max: 187_500.0, x_prev, updated }
    }

    fn report(x_curr: f64) -> Report {
        let sent_at = Instant::ZERO;
        Report { x_curr, r_recv: 100_000.0, is_accelerated: false, sent_at, held: Duration::ZERO }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * b.abs().max(1.0)
    }

    #[test]
    fn without_queue_or_loss_the_rate_is_to_grow_fast() {
        let report = observed((0..100).map(|n| (n, 40)));
        assert!(report.is_accelerated && report.x_curr.abs() < 1e-9);
        assert!(close(report.r_recv, 100_000.0), "{}", report.r_recv);
    }

    #[test]
    fn the_delay_is_that_of_the_luckiest_of_fifteen_above_the_base() {
        let report = observed(
            (0..100)
                .map(|n| (n, if n % 15 == 3 && n > 3 { 65 } else { 40 + 60 * u64::from(n > 0) })),
        );
        assert!(!report.is_accelerated);
        assert!(close(report.x_curr, 25.0), "{}", report.x_curr);
    }

    #[test]
    fn a_long_queue_counts_for_less_with_losses() {
        let delay = |n: u64| if n < 10 { 40 } else { 140 };
        let without = observed((0..100).map(|n| (n, delay(n))));
        assert!(close(without.x_curr, 100.0), "{}", without.x_curr);
        let with = observed((0..100).filter(|&n| n != 80).map(|n| (n, delay(n))));
        // A loss among the 50 of half a second, smoothed once.
        let p_loss = 0.1 / 50.0;
        let expected = 50.0 * libm::exp(-0.5) + 10.0 * (p_loss / 0.01_f64).powi(2);
        assert!(close(with.x_curr, expected), "{} {expected}", with.x_curr);
    }

    #[test]
    fn the_gradual_rule_follows_equations_5_to_7() {
        let mut rate = rate(75_000.0, 20.0);
        rate.on_report(at_ms(100), &report(30.0));
        // x_offset = 30 - 10 x 2.5 = 5, x_diff = 10
        let change = 0.5 * 0.2 * (5.0 / 500.0) + 0.5 * 2.0 * (10.0 / 500.0);
        assert!(close(rate.r_ref, 75_000.0 * (1.0 - change)), "{}", rate.r_ref);
    }

    #[test]
    fn a_rate_rests_where_its_share_of_delay_is_met() {
        let mut rate = rate(75_000.0, 25.0);
        rate.on_report(at_ms(100), &report(25.0));
        assert!(close(rate.r_ref, 75_000.0), "{}", rate.r_ref);
    }

    #[test]
    fn the_accelerated_rule_leaves_room_for_a_queue_of_50_ms() {
        let mut rate = rate(75_000.0, 0.0);
        let fast = Report { is_accelerated: true, ..report(0.0) };
        rate.on_report(at_ms(30), &fast);
        // 50 / (30 + 100 + 120)
        assert!(close(rate.r_ref, 120_000.0), "{}", rate.r_ref);
        assert!(close(gamma(Duration::ZERO), 50.0 / 220.0));
    }

    #[test]
    fn the_rate_stays_within_its_bounds() {
        let mut rate = rate(20_000.0, 0.0);
        rate.on_report(at_ms(100), &report(5_000.0));
        assert!(close(rate.r_ref, 18_750.0));
        rate.on_report(at_ms(200), &Report { is_accelerated: true, r_recv: 1e9, ..report(0.0) });
        assert!(close(rate.r_ref, 187_500.0));
    }
}
