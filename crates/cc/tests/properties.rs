//! Properties of every controller of the catalog under any stream of events.
//!
//! The driver keeps the transport's side of the contract: time never goes back, the window grows
//! outside recovery only, `reduce` is asked once a loss window (and again by a timeout), a timeout
//! leaves one segment, and `recovered` gets the window that `reduce` answered. A controller that
//! commands everything is asked at every ACK.

mod common;

use proptest::prelude::*;
use westwood_cc::controller::{ControlScope, Grant, Phase, Reduction, Setup};
use westwood_cc::controllers::{AnyController, Choice};
use westwood_cc::params::{ParamKind, Value};
use westwood_cc::{
    Ack, Bytes, Cause, Controller, DeliverySample, Duration, Instant, Rate, Segments, Window,
};

/// One thing that happens to a connection.
#[derive(Clone, Debug)]
enum Event {
    /// A cumulative ACK, `gap` ns after the last event.
    Ack { gap: u64, newly: u64, rtt: u64 },
    /// A duplicate ACK.
    Duplicate { gap: u64 },
    /// A loss, a mark or a timeout.
    Congestion { gap: u64, cause: Cause },
    /// The last reduction was spurious.
    Undo,
    /// Nothing in flight for a while.
    Idle { gap: u64 },
}

/// The size of things: from a modem to 400 Gbit/s, from one segment to 2^24.
#[derive(Clone, Debug)]
struct Scale {
    smss: u64,
    /// Time between ACKs, ns.
    gap: u64,
    rtt: u64,
    initial_window: u64,
    ssthresh: u64,
    per_segment: bool,
}

fn scales() -> impl Strategy<Value = Scale> {
    let log = |bits: std::ops::RangeInclusive<u32>| {
        (bits, any::<u64>()).prop_map(|(n, x)| (1_u64 << n) + x % (1 << n))
    };
    (
        prop_oneof![Just(536_u64), Just(1_460), Just(9_000)],
        log(0..=26),
        log(10..=33),
        log(0..=24),
        log(1..=24),
        any::<bool>(),
    )
        .prop_map(|(smss, gap, rtt, initial_window, ssthresh, per_segment)| Scale {
            smss,
            gap,
            rtt,
            initial_window,
            ssthresh,
            per_segment,
        })
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let gap = || prop_oneof![8 => 0..4_u64, 1 => 0..100_000_u64, 1 => Just(1 << 36)];
    let rtt = prop_oneof![1 => Just(0_u64), 1 => 1..2_000_u64, 10 => 900..3_000_u64];
    let cause = prop_oneof![
        4 => Just(Cause::FastRetransmit),
        1 => Just(Cause::Timeout),
        1 => Just(Cause::Ecn),
    ];
    let event = prop_oneof![
        40 => (gap(), 1..65_u64, rtt).prop_map(|(gap, newly, rtt)| Event::Ack { gap, newly, rtt }),
        8 => gap().prop_map(|gap| Event::Duplicate { gap }),
        3 => (gap(), cause).prop_map(|(gap, cause)| Event::Congestion { gap, cause }),
        1 => Just(Event::Undo),
        1 => gap().prop_map(|gap| Event::Idle { gap }),
    ];
    proptest::collection::vec(event, 1..300)
}

/// A transport that owns the window and checks every answer.
struct Driver {
    scale: Scale,
    controller: AnyController,
    /// Delivery-rate samples are taken.
    samples: bool,
    window: Window,
    before: Window,
    resume: Segments,
    phase: Phase,
    recover: u64,
    now: Instant,
    srtt: Duration,
    una: u64,
    nxt: u64,
    sacked: u64,
    delivered: u64,
}

impl Driver {
    fn new(choice: &Choice, scale: &Scale) -> Self {
        let setup = Setup {
            smss: Bytes::new(scale.smss),
            initial_window: Segments::new(scale.initial_window),
            seed: 7,
            handshake_rtt: None,
            paced: false,
        };
        let window = Window { cwnd: setup.initial_window, ssthresh: Segments::new(scale.ssthresh) };
        Self {
            scale: scale.clone(),
            controller: choice.build(&setup),
            samples: true,
            window,
            before: window,
            resume: window.cwnd,
            phase: Phase::Open,
            recover: 0,
            now: Instant::from_nanos(1 << 34),
            srtt: Duration::ZERO,
            una: 0,
            nxt: scale.initial_window.max(1),
            sacked: 0,
            delivered: 0,
        }
    }

    fn pass(&mut self, gap: u64) {
        // Durations of events are in units of the scale's gap; the longest are minutes.
        let ns = if gap == 1 << 36 { gap } else { gap.saturating_mul(self.scale.gap) };
        self.now += Duration::from_nanos(ns.min(1 << 38));
    }

    fn on(&mut self, event: &Event) {
        match *event {
            Event::Ack { gap, newly, rtt } => {
                self.pass(gap);
                let newly = newly.min(self.nxt - self.una);
                if newly > 0 {
                    self.on_ack(newly, Some(rtt));
                }
            }
            Event::Duplicate { gap } => {
                self.pass(gap);
                if self.nxt - self.una > self.sacked + 1 {
                    self.sacked += 1;
                    self.on_ack(0, None);
                }
            }
            Event::Congestion { gap, cause } => {
                self.pass(gap);
                self.reduce(cause);
            }
            Event::Undo => self.undo(),
            Event::Idle { gap } => {
                self.pass(gap);
                let idle = Duration::from_nanos(gap.saturating_mul(self.scale.gap));
                self.window = self.controller.restarted(self.window, idle, self.now);
            }
        }
        self.send();
        self.check();
    }

    /// Keeps a window in flight.
    fn send(&mut self) {
        self.nxt = self.nxt.max(self.una + self.window.cwnd.whole());
    }

    fn on_ack(&mut self, newly: u64, rtt: Option<u64>) {
        let prior = self.nxt - self.una;
        // Segments that duplicates reported lie behind a hole: the last segment in flight at most.
        let room = (prior - newly).saturating_sub(1);
        let claimed =
            self.sacked.min(newly.saturating_sub(1)).max(self.sacked.saturating_sub(room));
        let prior_delivered = self.delivered;
        self.una += newly;
        self.sacked -= claimed;
        self.delivered += if newly == 0 { 1 } else { newly - claimed };
        let rtt = rtt.map(|thousandths| Duration::from_nanos(self.scale.rtt / 1_000 * thousandths));
        if let Some(rtt) = rtt {
            let old = if self.srtt.is_zero() { rtt } else { self.srtt };
            self.srtt = Duration::from_nanos(old.as_nanos() / 8 * 7 + rtt.as_nanos() / 8);
        }
        self.controller.measure(&Ack {
            now: self.now,
            smss: Bytes::new(self.scale.smss),
            newly,
            rtt,
            srtt: self.srtt,
            in_flight: self.nxt - self.una - self.sacked,
            delivered: self.delivered,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una: self.una,
            snd_nxt: self.nxt,
            sample: rtt.filter(|_| self.samples).map(|interval| DeliverySample {
                delivered: self.delivered - prior_delivered,
                interval,
                prior_delivered,
                prior_lost: 0,
                in_flight_at_departure: prior,
                prior_in_flight: prior,
                acked_sacked: self.delivered - prior_delivered,
                app_limited: false,
            }),
        });
        if self.phase != Phase::Open && newly > 0 && self.una >= self.recover {
            self.recovered();
        }
        let everything = self.controller.control_scope() == ControlScope::Everything;
        if everything || (newly > 0 && self.phase != Phase::Recovery) {
            self.grow(newly);
        }
    }

    fn grow(&mut self, newly: u64) {
        let credit = if self.scale.per_segment { newly } else { 1 };
        let grant = Grant {
            now: self.now,
            credit: Segments::new(credit),
            in_flight: self.nxt - self.una - self.sacked,
            newly_lost: 0,
            cwnd_limited: true,
            phase: self.phase,
        };
        self.window = self.controller.grow(self.window, &grant);
    }

    fn reduce(&mut self, cause: Cause) {
        // Once a loss window, except that a timeout may strike within recovery.
        if self.phase != Phase::Open && cause != Cause::Timeout {
            return;
        }
        self.before = self.window;
        let Reduction { ssthresh, resume, .. } =
            self.controller.reduce(self.window, cause, self.now);
        assert!(ssthresh >= Segments::TWO, "ssthresh {ssthresh}");
        assert!(resume >= Segments::ONE, "resume {resume}");
        assert!(ssthresh <= Segments::MAX && resume <= Segments::MAX);
        self.resume = resume;
        self.recover = self.nxt;
        self.window.ssthresh = ssthresh;
        if cause == Cause::Timeout {
            self.controller.timed_out(self.now);
            self.window.cwnd = Segments::ONE;
            self.phase = Phase::Loss;
        } else {
            if self.controller.control_scope() == ControlScope::Window {
                self.window.cwnd = resume;
            }
            self.phase = Phase::Recovery;
        }
    }

    fn recovered(&mut self) {
        if self.phase == Phase::Recovery {
            let target = match self.controller.control_scope() {
                ControlScope::Window => Window { cwnd: self.resume, ..self.window },
                ControlScope::Everything => self.window,
            };
            self.window = self.controller.recovered(target, self.now);
        }
        self.phase = Phase::Open;
    }

    fn undo(&mut self) {
        if self.phase != Phase::Open {
            self.window = self.controller.undone(self.window, self.before, self.now);
            self.phase = Phase::Open;
        }
    }

    fn check(&self) {
        let Window { cwnd, ssthresh } = self.window;
        assert!(cwnd >= Segments::ONE, "cwnd {cwnd}");
        assert!(cwnd <= Segments::MAX, "cwnd {cwnd}");
        assert!(ssthresh >= Segments::TWO, "ssthresh {ssthresh}");
        if let Some(bwe) = self.controller.bwe() {
            assert!(bwe <= Rate::MAX_SAMPLE, "bwe {bwe}");
            if self.delivered == 0 {
                assert!(bwe.is_zero(), "bwe {bwe} from nothing");
            }
        }
    }
}

/// Every controller as it is by default, and with each parameter at its extremes.
fn variants() -> Vec<Choice> {
    let mut variants = Vec::new();
    for choice in Choice::all() {
        variants.push(choice);
        for param in choice.list() {
            let values = match (param.kind, param.bounds) {
                (_, Some((low, high))) => vec![low, high],
                (ParamKind::Flag, _) => vec![Value::Flag(false), Value::Flag(true)],
                (ParamKind::Choice(words), _) => words.iter().map(|w| Value::Choice(w)).collect(),
                _ => vec![],
            };
            for value in values {
                let mut variant = choice;
                assert_eq!(variant.set(param.name, value), Ok(()), "{}", param.name);
                variants.push(variant);
            }
        }
    }
    variants
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn windows_stay_within_their_bounds_and_nothing_overflows(
        scale in scales(), events in events(),
    ) {
        for choice in variants() {
            let mut driver = Driver::new(&choice, &scale);
            for event in &events {
                driver.on(event);
            }
        }
    }

    #[test]
    fn the_same_events_give_the_same_window(scale in scales(), events in events()) {
        for choice in Choice::all() {
            let mut pair = [Driver::new(&choice, &scale), Driver::new(&choice, &scale)];
            for event in &events {
                for driver in &mut pair {
                    driver.on(event);
                }
            }
            prop_assert_eq!(pair[0].window, pair[1].window, "{}", choice.info().name);
        }
    }

    #[test]
    fn an_undone_reduction_costs_no_controller_of_the_window_a_segment(
        scale in scales(), events in events(), timeout in any::<bool>(),
    ) {
        let cause = if timeout { Cause::Timeout } else { Cause::FastRetransmit };
        for choice in Choice::all() {
            let mut driver = Driver::new(&choice, &scale);
            for event in &events {
                driver.on(event);
            }
            let Driver { controller, window, now, .. } = &mut driver;
            if controller.control_scope() != ControlScope::Window {
                continue;
            }
            let (before, name) = (*window, choice.info().name);
            let after = controller.reduce(before, cause, *now);
            let reduced = Window { cwnd: after.resume, ssthresh: after.ssthresh };
            let back = controller.undone(reduced, before, *now);
            for w in [before, reduced] {
                prop_assert!(back.cwnd >= w.cwnd.floor() && back.ssthresh >= w.ssthresh, "{}", name);
            }
            // The transport has left this much of a window after an idle time.
            let idle = controller.restarted(back, Duration::from_secs(1), *now);
            prop_assert_eq!(idle, back, "{}", name);
        }
    }

    #[test]
    fn only_controllers_that_say_so_read_delivery_rate_samples(
        scale in scales(), events in events(),
    ) {
        for choice in variants() {
            let mut with = Driver::new(&choice, &scale);
            if with.controller.reads_samples() {
                continue;
            }
            let mut without = Driver { samples: false, ..Driver::new(&choice, &scale) };
            for event in &events {
                with.on(event);
                without.on(event);
                prop_assert_eq!(with.window, without.window, "{}", choice.info().name);
                prop_assert_eq!(with.controller.bwe(), without.controller.bwe());
            }
        }
    }

    #[test]
    fn an_ack_never_shrinks_the_window_where_delay_does_not_matter(
        scale in scales(), events in events(),
    ) {
        for choice in Choice::all() {
            let name = choice.info().name;
            // Compound's second window gives way to a queue; Prague's follows a cut by a segment an ACK.
            let of_delay =
                ["vegas", "bbr", "compound", "yeah", "cdg", "prague", "copa", "vivace", "ledbat", "nv"];
            if of_delay.iter().any(|of_delay| name.contains(of_delay)) {
                continue;
            }
            let mut driver = Driver::new(&choice, &scale);
            for event in &events {
                let (before, phase) = (driver.window.cwnd, driver.phase);
                driver.on(event);
                if matches!(event, Event::Ack { .. }) && phase == Phase::Open {
                    prop_assert!(driver.window.cwnd >= before, "{name}");
                }
            }
        }
    }
}

#[test]
fn estimates_settle_at_the_rate_of_a_steady_stream_from_kilobits_to_400_gigabits() {
    // Size of a segment, segments an ACK covers, time between ACKs, round-trip time.
    let paths = [
        (536, 2, Duration::from_millis(100), Duration::from_millis(400)),
        (1_500, 2, Duration::from_micros(2_400), Duration::from_millis(100)),
        (1_500, 2, Duration::from_nanos(24_000), Duration::from_millis(20)),
        (9_000, 40, Duration::from_nanos(28_800), Duration::from_millis(100)),
        (9_000, 80, Duration::from_nanos(14_400), Duration::from_millis(10)),
    ];
    for (smss, newly, gap, rtt) in paths {
        let rate = Bytes::new(newly * smss).per(gap).unwrap();
        for choice in Choice::all() {
            let scale = Scale {
                smss,
                gap: gap.as_nanos(),
                rtt: rtt.as_nanos(),
                initial_window: 64,
                ssthresh: 2,
                per_segment: true,
            };
            let mut driver = Driver::new(&choice, &scale);
            if driver.controller.control_scope() == ControlScope::Everything {
                continue;
            }
            // A hundred of the slowest samples, and ten time constants.
            let end = driver.now + rtt.max(Duration::from_millis(60)) * 100;
            while driver.now < end {
                driver.pass(1);
                driver.nxt = driver.una + 1_000;
                driver.on_ack(newly, Some(1_000));
            }
            if let Some(bwe) = driver.controller.bwe() {
                let (shown, truth) = (common::bits_per_s(bwe), common::bits_per_s(rate));
                // Linux counts whole bytes a jiffy, and its two filters lose up to 7 each.
                let linux = choice.info().name.contains("linux");
                let slack = if linux { 15.0 * 250.0 * 8.0 } else { 0.0 };
                let off = (shown - truth).abs();
                let name = choice.info().name;
                assert!(off < 0.02 * truth + slack, "{name}: {bwe} at {rate}");
            }
        }
    }
}

#[test]
fn controllers_that_draw_lots_say_so_and_no_others() {
    for choice in Choice::all() {
        let of = |seed| {
            let (smss, initial_window) = (Bytes::new(1_500), Segments::new(10));
            let setup = Setup { smss, initial_window, seed, handshake_rtt: None, paced: false };
            format!("{:?}", choice.build(&setup))
        };
        assert_eq!(choice.uses_randomness(), of(1) != of(2), "{}", choice.info().name);
    }
}

#[test]
fn every_name_and_alias_finds_its_controller_and_no_other() {
    let mut seen = std::collections::BTreeSet::new();
    for choice in Choice::all() {
        let info = choice.info();
        for name in std::iter::once(&info.name).chain(info.aliases) {
            assert!(seen.insert(*name), "{name} is taken twice");
            assert_eq!(Choice::named(name).map(|c| c.info().name), Some(info.name));
        }
        assert!(!info.summary.is_empty() && !info.source.is_empty());
    }
}
