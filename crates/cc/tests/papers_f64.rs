//! The papers' equations in f64, in the papers' own form, beside the integer controllers.
//!
//! Every model here is written from the papers and knows nothing of the integer forms: it keeps
//! cumulative ACK numbers, seconds and bits.

mod common;

use common::{Stream, bits_per_s, float, ms, seconds, segments};
use proptest::prelude::*;
use westwood_cc::controller::{Grant, Setup};
use westwood_cc::controllers::{Choice, log_westwood, westwood, westwood_plus};
use westwood_cc::decrease::WindowRtt;
use westwood_cc::estimate::{
    Constant, Counting, Estimator, OncePerRtt, PerAck, Resampled, Sampling, Start,
};
use westwood_cc::params::Value;
use westwood_cc::{Ack, Bytes, Cause, Controller, Duration, Instant, Segments, Window};

const TAU: f64 = 0.5;

/// westwood-2002 section 2.3, with cumulative ACK numbers.
#[derive(Default)]
struct Count {
    last_ack: u64,
    accounted: u64,
}

impl Count {
    fn acked(&mut self, ack: u64) -> u64 {
        let mut n = ack - self.last_ack;
        if n == 0 {
            self.accounted += 1;
            n = 1;
        }
        if n > 1 {
            if self.accounted >= n {
                self.accounted -= n;
                n = 1;
            } else {
                n -= self.accounted;
                self.accounted = 0;
            }
        }
        self.last_ack = ack;
        n
    }
}

/// westwood-2002 section 2.2: alpha and the mean of two samples.
#[derive(Default)]
struct LowPass {
    b_hat: f64,
    b: f64,
}

impl LowPass {
    fn feed(&mut self, b: f64, step: f64) {
        let alpha = (2.0 * TAU - step) / (2.0 * TAU + step);
        self.b_hat = alpha * self.b_hat + (1.0 - alpha) * f64::midpoint(b, self.b);
        self.b = b;
    }
}

/// westwood-2002: an ACK, a sample; in silence a sample of zero every tau/2.
struct Westwood {
    count: Count,
    filter: LowPass,
    sampled: f64,
    held: f64,
}

impl Westwood {
    const GRID: f64 = TAU / 2.0;

    fn new() -> Self {
        Self { count: Count::default(), filter: LowPass::default(), sampled: 0.0, held: 0.0 }
    }

    fn on_ack(&mut self, t: f64, ack: u64, bits: f64) {
        let d = float(self.count.acked(ack)) * bits + self.held;
        // Times are multiples of a microsecond here: half a nanosecond decides ties.
        while t - self.sampled > Self::GRID + 5e-10 {
            self.filter.feed(0.0, Self::GRID);
            self.sampled += Self::GRID;
        }
        let step = t - self.sampled;
        if step < 5e-10 {
            self.held = d;
        } else {
            self.filter.feed(d / step, step);
            self.sampled = t;
            self.held = 0.0;
        }
    }

    fn read(&mut self, t: f64) -> f64 {
        while t - self.sampled >= Self::GRID - 5e-10 {
            self.filter.feed(0.0, Self::GRID);
            self.sampled += Self::GRID;
        }
        self.filter.b_hat
    }
}

/// westwood-plus-2004 section 2.3 and ccr-2004 equation 1: a sample an RTT.
struct WestwoodPlus {
    count: Count,
    filter: LowPass,
    resampled: bool,
    begun: Option<f64>,
    first: bool,
    data: f64,
}

impl WestwoodPlus {
    fn new(resampled: bool) -> Self {
        Self {
            count: Count::default(),
            filter: LowPass::default(),
            resampled,
            begun: None,
            first: true,
            data: 0.0,
        }
    }

    fn on_ack(&mut self, t: f64, ack: u64, bits: f64, rtt: f64) {
        let begun = *self.begun.get_or_insert(t);
        let span = t - begun;
        if span >= rtt - 5e-10 && span > 5e-10 {
            self.sample(self.data / span, span);
            self.begun = Some(t);
            self.data = 0.0;
        }
        self.data += float(self.count.acked(ack)) * bits;
    }

    fn sample(&mut self, b: f64, span: f64) {
        if std::mem::take(&mut self.first) {
            self.filter = LowPass { b_hat: b, b };
        } else if self.resampled {
            let mut rest = span;
            while rest >= TAU / 4.0 - 5e-10 {
                self.filter.feed(b, TAU / 4.0);
                rest -= TAU / 4.0;
            }
            if rest > 5e-10 {
                self.filter.feed(b, rest);
            }
        } else {
            let alpha = 1.0 - 6554.0 / 65536.0;
            self.filter.b_hat = alpha * self.filter.b_hat + (1.0 - alpha) * b;
        }
    }
}

/// An ACK: the time since the last one in us, the segments it covers.
fn acks() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let gap = prop_oneof![
        4 => 1..50_u64,
        8 => 50..20_000_u64,
        2 => 20_000..250_000_u64,
        1 => 250_000..3_000_000_u64,
        1 => Just(0_u64),
    ];
    let newly = prop_oneof![2 => Just(0_u64), 6 => 1..3_u64, 1 => 3..60_u64];
    proptest::collection::vec((gap, newly), 20..400)
}

/// The stream begins 100 ms after the first segment left, with a round-trip time of 100 ms.
fn stream() -> Stream {
    let mut stream = Stream::new(ms(100));
    stream.now = Instant::ZERO + ms(100);
    stream
}

fn time(ack: &Ack) -> f64 {
    seconds(ack.now.since(Instant::ZERO))
}

fn bits(smss: Bytes) -> f64 {
    8.0 * float(smss.get())
}

/// The two agree within a millionth, and where an estimate has all but decayed, within the rounding
/// of 64 steps.
fn agrees(integer: f64, paper: f64) -> bool {
    (integer - paper).abs() <= paper * 1e-6 + 1e-2
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn westwoods_estimate_is_the_papers(acks in acks()) {
        let mut integer = PerAck::new(ms(500), 2, Counting::Printed).begun_at(Instant::ZERO);
        let (mut paper, mut stream) = (Westwood::new(), stream());
        for (gap, newly) in acks {
            let ack = stream.ack(Duration::from_micros(gap), newly);
            integer.on_ack(&ack);
            paper.on_ack(time(&ack), ack.snd_una, bits(ack.smss));
            let (i, p) = (bits_per_s(integer.rate()), paper.filter.b_hat);
            prop_assert!(agrees(i, p), "{i} is not {p} at {:?}", ack.now);
        }
        let later = stream.now + ms(777);
        let (i, p) = (bits_per_s(integer.read(later)), paper.read(seconds(later.since(Instant::ZERO))));
        prop_assert!(agrees(i, p), "{i} is not {p} in silence");
    }

    #[test]
    fn westwood_plus_estimates_are_the_papers(acks in acks()) {
        let sampling = Sampling { start: Start::FirstSample, ..Sampling::default() };
        let mut a = OncePerRtt::new(Resampled::new(ms(500)), sampling);
        let mut b = OncePerRtt::new(Constant::new(Constant::GAIN), sampling);
        let (mut paper_a, mut paper_b) = (WestwoodPlus::new(true), WestwoodPlus::new(false));
        let mut stream = stream();
        // The RTT is known from the start in the model; the integer form learns it from an ACK.
        for (gap, newly) in std::iter::once((0, 1)).chain(acks) {
            let ack = stream.ack(Duration::from_micros(gap), newly);
            a.on_ack(&ack);
            b.on_ack(&ack);
            let (t, bits) = (time(&ack), bits(ack.smss));
            paper_a.on_ack(t, ack.snd_una, bits, 0.1);
            paper_b.on_ack(t, ack.snd_una, bits, 0.1);
            let (i, p) = (bits_per_s(a.rate()), paper_a.filter.b_hat);
            prop_assert!(agrees(i, p), "filter A: {i} is not {p}");
            let (i, p) = (bits_per_s(b.rate()), paper_b.filter.b_hat);
            prop_assert!(agrees(i, p), "filter B: {i} is not {p}");
        }
    }
}

const SETUP: Setup = Setup {
    smss: common::SMSS,
    initial_window: Segments::new(10),
    seed: 0,
    handshake_rtt: None,
    paced: false,
};

/// A controller that has seen 5 Mbit/s and a smallest RTT of 60 ms.
fn at_five_megabits(mut controller: impl Controller) -> impl Controller {
    let mut stream = Stream::new(ms(60));
    stream.now = Instant::ZERO + ms(60);
    for k in 0..10_000_u64 {
        // 3000 bytes in 4.8 ms.
        stream.rtt = if k == 0 { ms(60) } else { ms(90) };
        controller.measure(&stream.ack(Duration::from_micros(4_800), 2));
    }
    controller
}

fn window(cwnd: u64) -> Window {
    Window { cwnd: Segments::new(cwnd), ssthresh: Segments::MAX }
}

/// When the stream of [`at_five_megabits`] ends.
const END: Instant = Instant::from_nanos(48_060_000_000);

#[test]
fn a_loss_sets_ssthresh_to_the_estimate_times_the_smallest_rtt() {
    // 5e6 bit/s * 0.06 s / 12,000 bit = 25 segments.
    let mut plus = at_five_megabits(westwood_plus::new(&westwood_plus::Params::default(), &SETUP));
    for cause in [Cause::FastRetransmit, Cause::Ecn, Cause::Timeout] {
        let reduction = plus.reduce(window(40), cause, END);
        common::assert_close(segments(reduction.ssthresh), 25.0, 1e-5);
        assert_eq!(reduction.resume, reduction.ssthresh);
    }
    let text = std::format!("{}", plus.reduce(window(40), Cause::Ecn, END).reason);
    assert_eq!(text, "bwe 5 Mbit/s x min_rtt 60 ms");
}

#[test]
fn westwoods_guard_keeps_a_window_below_the_estimate_and_westwood_plus_raises_it() {
    let params = westwood::Params::default();
    let mut guarded = at_five_megabits(westwood::new(&params, &SETUP));
    let mut plus = at_five_megabits(westwood_plus::new(&westwood_plus::Params::default(), &SETUP));
    let low = window(10);
    let kept = guarded.reduce(low, Cause::FastRetransmit, END);
    assert_eq!(kept.resume, low.cwnd);
    assert!(kept.ssthresh > Segments::new(20));
    let raised = plus.reduce(low, Cause::FastRetransmit, END);
    assert!(raised.resume > Segments::new(20));
}

#[test]
fn a_timeout_reads_westwoods_decayed_estimate() {
    let mut controller = at_five_megabits(westwood::new(&westwood::Params::default(), &SETUP));
    let now = controller.reduce(window(40), Cause::Timeout, END).ssthresh;
    let later = controller.reduce(window(40), Cause::Timeout, END + ms(1000)).ssthresh;
    // 0.8 of it, then three times 0.6: the trace of the last sample and the decay behind it.
    common::assert_close(segments(later) / segments(now), 0.1728, 2e-3);
}

#[test]
fn the_ablation_keeps_the_rate_with_the_queue_in_it() {
    let params =
        westwood_plus::Params { window: WindowRtt::Rtt, ..westwood_plus::Params::default() };
    let mut controller = at_five_megabits(westwood_plus::new(&params, &SETUP));
    // 5e6 * 0.09 / 12,000.
    let reduction = controller.reduce(window(40), Cause::FastRetransmit, END);
    common::assert_close(segments(reduction.ssthresh), 37.5, 1e-5);
}

#[test]
fn without_any_rtt_sample_half_of_the_window_is_kept() {
    for name in ["westwood", "westwood+", "westwood+probing", "log-westwood+"] {
        let mut controller = Choice::named(name).unwrap().build(&SETUP);
        let reduction = controller.reduce(window(40), Cause::Timeout, Instant::ZERO);
        assert_eq!(reduction.ssthresh, Segments::new(20), "{name}");
    }
}

#[test]
fn linux_halves_at_first_and_takes_the_estimate_when_recovery_ends() {
    let mut linux = at_five_megabits(Choice::named("westwood-linux").unwrap().build(&SETUP));
    let reduction = linux.reduce(window(41), Cause::FastRetransmit, END);
    assert_eq!(reduction.ssthresh, Segments::new(20));
    let target = Window { cwnd: reduction.resume, ssthresh: reduction.ssthresh };
    let after = linux.recovered(target, END);
    // At 250 Hz: 60 ms are 15 jiffies, 5 Mbit/s 2500 bytes a jiffy at most; 25 segments.
    assert!((23..=25).contains(&after.cwnd.whole()), "{}", after.cwnd);
    assert_eq!(after.cwnd, after.ssthresh);
    let reduction = linux.reduce(window(41), Cause::Timeout, END);
    assert_eq!(reduction.ssthresh, after.cwnd);
}

/// log-westwood-2008 section 3.1 from the first loss at 1801 to the second at the same window:
/// the increment of each ACK, in f64.
#[test]
fn a_whole_climb_of_log_westwood_is_the_papers() {
    let mut controller = log_westwood::new(&log_westwood::Params::default(), &SETUP);
    controller.reduce(window(1801), Cause::FastRetransmit, Instant::ZERO);
    let mut w = Window { cwnd: Segments::new(1500), ssthresh: Segments::new(1500) };
    let (mut paper, w_max, a) = (1500.0_f64, 1801.0, 2.0);
    let mut acks = 0;
    while paper < 1800.0 {
        w = controller.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        paper += ((w_max - paper) / (a * paper)).max(1.0 / paper);
        acks += 1;
    }
    common::assert_close(segments(w.cwnd), paper, 1e-8);
    // At 100 Mbit/s an ACK comes every 0.12 ms: 2.31 s, and not Reno's 59.4 s. (A step once a
    // round-trip time, in place of one an ACK, would be there after 1.87 s.)
    common::assert_close(f64::from(acks) * 0.12e-3, 2.31, 2e-3);
}

#[test]
fn probing_from_35_to_250_megabytes_takes_13_seconds_and_not_2_hours() {
    let grow = |name: &str| {
        let mut controller = Choice::named(name).unwrap().build(&SETUP);
        let mut w = Window { cwnd: Segments::new(3_889), ssthresh: Segments::TWO };
        let mut rounds = 0.0;
        // 9000-byte segments; one ACK a segment, a window of them a round trip of 265 ms.
        while w.cwnd < Segments::new(27_778) && rounds < 60.0 {
            rounds += 1.0 / segments(w.cwnd);
            w = controller.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        }
        (rounds * 0.265, segments(w.cwnd))
    };
    let (time, reached) = grow("westwood+probing");
    assert!(reached >= 27_778.0);
    common::assert_close(time, 13.3, 0.03);
    let (_, reached) = grow("westwood+");
    assert!(reached < 3_889.0 + 61.0, "one segment a round trip");
}

#[test]
fn every_parameter_of_the_family_can_be_read_and_set() {
    for mut choice in Choice::all().filter(|c| c.info().name.contains("westwood")) {
        for param in choice.list() {
            let value = choice.get(param.name).unwrap();
            assert_eq!(choice.set(param.name, value), Ok(()), "{}", param.name);
            assert!(!param.doc.is_empty());
        }
        assert!(choice.set("no such thing", Value::Flag(true)).is_err());
    }
}
