use std::collections::VecDeque;
use std::vec::Vec;

use super::*;
use crate::controller::Phase;
use crate::testing::{ack, setup, slow_start};

/// A path of 30 ms on which segments leave as the controller paces them, and some are lost.
struct VivacePath {
    vivace: Vivace,
    window: Window,
    now: u64,
    /// When the next segment may leave, in ns.
    next_at: u64,
    /// Numbers, departures in ns and rates in kbit/s.
    in_flight: VecDeque<(u64, u64, u64)>,
    sent: u64,
    delivered: u64,
    /// Rates at which intervals have been sent, in kbit/s.
    paces: Vec<u64>,
}

const RTT: u64 = 30_000_000;

impl VivacePath {
    fn new() -> Self {
        let mut path = Self {
            vivace: new(&Params::default(), &setup()),
            window: slow_start(10),
            now: 0,
            next_at: 0,
            in_flight: VecDeque::new(),
            sent: 0,
            delivered: 0,
            paces: Vec::new(),
        };
        (0..10).for_each(|_| path.send());
        path
    }

    fn send(&mut self) {
        self.in_flight.push_back((self.sent, self.now, self.pace()));
        self.sent += 1;
    }

    /// The rate in kbit/s at which segments leave.
    fn pace(&self) -> u64 {
        (self.vivace.pace.bits_per_s() + 500) / 1_000
    }

    /// Runs for so many ms. Segments for whose number and rate `is_lost` says so are lost.
    fn run(&mut self, ms: u64, is_lost: impl Fn(u64, u64) -> bool) {
        let end = self.now + ms * 1_000_000;
        while self.now < end {
            self.now += 10_000;
            while self.in_flight.front().is_some_and(|&(_, at, _)| at + RTT <= self.now) {
                let Some((seq, at, pace)) = self.in_flight.pop_front() else { break };
                if is_lost(seq, pace) {
                    let now = Instant::from_nanos(self.now);
                    let (in_flight, lost_since) = (1, 1);
                    self.vivace.lost(&LostSegment {
                        now,
                        seq,
                        in_flight,
                        lost_since,
                        app_limited: false,
                    });
                } else {
                    self.acknowledge(seq, at);
                }
            }
            if let Some(rate) = self.vivace.pacing_rate() {
                let gap = 1_500 * 1_000_000_000 / (rate.raw() >> 16).max(1);
                while self.next_at <= self.now {
                    self.send();
                    self.next_at = self.next_at.max(self.now - 10_000) + gap;
                }
            }
        }
    }

    fn acknowledge(&mut self, seq: u64, sent_at: u64) {
        self.delivered += 1;
        let now = Instant::from_nanos(self.now);
        let rtt = Duration::from_nanos(self.now - sent_at);
        self.vivace.measure(&Ack {
            now,
            rtt: Some(rtt),
            srtt: Duration::from_nanos(RTT),
            delivered: self.delivered,
            ..ack(0, 30, seq + 1, self.sent)
        });
        let grant = Grant { phase: Phase::Open, ..Grant::open(now, Segments::ONE) };
        self.window = self.vivace.grow(self.window, &grant);
        let pace = self.pace();
        if self.paces.last() != Some(&pace) {
            self.paces.push(pace);
        }
    }
}

fn nothing(_: u64, _: u64) -> bool {
    false
}

/// A path in the middle of a connection at 10 Mbit/s.
fn learning() -> VivacePath {
    let mut path = VivacePath::new();
    path.vivace.srtt = Duration::from_nanos(RTT);
    path.vivace.begin_pair(Instant::ZERO, Rate::from_bits_per_s(10_000_000), None);
    path.paces.push(path.pace());
    path
}

#[test]
fn s4_1_the_rate_doubles_each_interval_while_the_utility_rises() {
    let mut path = VivacePath::new();
    path.run(400, nothing);
    // Ten segments in 30 ms are 4 Mbit/s.
    assert_eq!(path.paces[..5], [4_000, 8_000, 16_000, 32_000, 64_000]);
    assert!(path.vivace.is_starting());
}

#[test]
fn s4_1_the_first_fall_of_the_utility_ends_the_start_at_the_rate_before() {
    let mut path = VivacePath::new();
    // Every second segment beyond 20 Mbit/s is lost.
    path.run(400, |seq, pace| pace > 20_000 && seq % 2 == 0);
    assert!(!path.vivace.is_starting());
    let rate = path.vivace.rate().expect("it has begun").bits_per_s();
    assert!((10_000_000..20_000_000).contains(&rate), "{rate}");
}

#[test]
fn s4_2_trials_are_five_percent_above_and_below_the_rate() {
    let mut path = learning();
    path.run(75, nothing);
    let mut trials: Vec<u64> = path.paces.iter().copied().take(2).collect();
    trials.sort_unstable();
    assert_eq!(trials, [9_500, 10_500]);
    // Until the result is known, the rate itself.
    assert_eq!(path.paces.get(2), Some(&10_000));
}

#[test]
fn s4_2_on_a_path_with_room_the_rate_rises() {
    let mut path = learning();
    path.run(3_000, nothing);
    let rate = path.vivace.rate().expect("it has begun").bits_per_s();
    assert!(rate > 20_000_000, "{rate}");
}

/// A trial at so many Mbit/s of which so many in a thousand are lost.
fn trial(mbit: u64, lost: u64) -> RateTrial {
    let rate = Rate::from_bits_per_s(mbit * 1_000_000);
    RateTrial { rate, sent: 1_000, lost, rtt_gradient: 0 }
}

#[test]
fn s4_3_a_pair_whose_higher_rate_loses_less_is_tried_again() {
    let mut vivace = new(&Params::default(), &setup());
    let rate = Rate::from_bits_per_s(100_000_000);
    let pair = TrialPair { high_first: true, begun: 2, first: None, doubted: None };
    vivace.decide(Instant::ZERO, rate, &pair, (trial(105, 10), trial(95, 20)));
    assert_eq!(vivace.rate(), Some(rate), "nothing is decided");
    let VivaceStage::Learning(TrialPair { doubted: Some(doubted), .. }) = vivace.stage else {
        panic!("the pair is not repeated")
    };
    // The mean of both, if it is so again; the second alone, if not.
    let again = TrialPair { doubted: Some(doubted), ..pair };
    let mut other = vivace;
    vivace.decide(Instant::ZERO, rate, &again, (trial(105, 10), trial(95, 11)));
    other.decide(Instant::ZERO, rate, &again, (trial(105, 60), trial(95, 40)));
    assert!(vivace.rate() > Some(rate) && other.rate() < Some(rate));
}

#[test]
fn s4_3_a_timeout_halves_the_rate() {
    let mut path = learning();
    path.vivace.reduce(slow_start(10), Cause::Timeout, Instant::ZERO);
    assert_eq!(path.vivace.rate(), Some(Rate::from_bits_per_s(5_000_000)));
    // A loss that is repaired changes nothing.
    path.vivace.reduce(slow_start(10), Cause::FastRetransmit, Instant::ZERO);
    assert_eq!(path.vivace.rate(), Some(Rate::from_bits_per_s(5_000_000)));
}

#[test]
fn the_window_that_the_transport_leaves_stays_for_it_follows_from_the_rate() {
    let mut vivace = learning().vivace;
    let (left, before) = (slow_start(7), slow_start(20));
    let now = Instant::ZERO;
    assert_eq!(vivace.undone(left, before, now), left);
    assert_eq!(vivace.recovered(left, now), left);
    assert_eq!(vivace.restarted(left, Duration::from_secs(1), now), left);
    assert_eq!(vivace.rate(), Some(Rate::from_bits_per_s(10_000_000)));
}
