//! Windows under independent losses: the law, and flows to hold to it.

use westwood_cc::Duration;
use westwood_cc::controllers::Choice;
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::Network;
use westwood_tcp::{AckPolicy, Pacing};

use super::sample::Sample;
use super::{GIGABIT, avoiding, ms, row, simulate};

/// A window that gains `1/(b W)` segments a segment and keeps `share` of itself at a loss.
///
/// The rate for small p, in segments a round trip times the square root of p, is exact: `Y = W^2/2`
/// grows by `1/b` a segment and falls to `share^2 Y` at losses `1/p` segments apart on average. So
/// `X = p b Y` has the moments `E X^s = s E X^(s-1) / (1 - share^(2s))`, which
/// `Gamma(1+s) prod_j (1 - share^(2(j+s)))/(1 - share^(2j))` solves, and the rate is `1/E[1/W]`, with
/// `s = -1/2`. For Reno it is 1.3098 (T. Ott, J. Kemperman, M. Mathis, "The stationary behavior of
/// ideal TCP congestion avoidance", 1996). The papers' sqrt(2) is the mean field, growth and loss
/// balanced at one window (ccr-2004, equation 2). On average they balance as `E[1/W] = p/2 E[W]`, and
/// `E[W] E[1/W]` is above 1 for a window that moves, so the rate is below `sqrt(2/p)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    pub(crate) share: f64,
    /// Segments an ACK covers.
    pub(crate) b: f64,
}

impl Law {
    pub(crate) fn limit(self) -> f64 {
        let power = |e: f64| self.share.powf(2.0 * e);
        let factor = |j: f64| (1.0 - power(j - 0.5)) / (1.0 - power(j));
        let product: f64 = (1..200).map(|j| factor(f64::from(j))).product();
        (2.0 / self.b).sqrt() / (std::f64::consts::PI.sqrt() * product)
    }

    /// The mean window at the end of a cycle, times the square root of p: a cycle of `1/p` segments
    /// takes `b (1 - share) W` round trips, one for each `1/b` segments that the window gains.
    fn peak(self) -> f64 {
        1.0 / (self.b * (1.0 - self.share) * self.limit())
    }

    /// Round trips in a cycle that the limit leaves out, whatever p.
    ///
    /// * The segments of a round trip are fewer than the window by three parts: the ACKs answer what was
    ///   sent in the round before, when the window was smaller by `1/b`; half a segment of the window
    ///   is a fraction that cannot be sent; and with delayed ACKs the last segment of a burst waits for
    ///   a second one, that is for the next burst, if the burst is odd, which is half of the time:
    ///   `(b-1)/2`. So growth from `V` to `W` takes `b ln(W/V)` round trips more for each segment
    ///   missing, on average `b ln(1/share)`.
    /// * In recovery the window stands still for one round trip.
    fn extra_rounds(self) -> f64 {
        let missing = 1.0 / self.b + 0.5 + (self.b - 1.0) / 2.0;
        self.b * missing * (1.0 / self.share).ln() + 1.0
    }

    /// Relative terms of the order of the square root of p. Up: of the `W` segments that leave between a
    /// loss and its detection none costs another reduction. Down: the extra round trips.
    pub(crate) fn terms(self) -> (f64, f64) {
        (self.peak(), self.limit() * self.extra_rounds())
    }

    /// How far terms of higher order may carry the rate: squares and products of those above; and a
    /// lost copy, one of `1/p`, costs a timeout of a second and the slow start after it, together less
    /// than fifteen round trips of 100 ms.
    pub(crate) fn bound(self, p: f64) -> f64 {
        let (up, down) = self.terms();
        (up + down).powi(2) * p + 15.0 * self.limit() * p.powf(1.5)
    }
}

/// One greedy flow for each of ten seeds.
pub(crate) struct Losses {
    pub(crate) p: f64,
    pub(crate) controller: Choice,
    pub(crate) acks: AckPolicy,
    pub(crate) pacing: Pacing,
    /// The window to begin with, times the square root of p.
    pub(crate) begin: f64,
    /// The way there, with its losses.
    pub(crate) there: LinkConfig,
    /// Segments, all seeds together.
    pub(crate) segments: f64,
}

/// The outcome of the runs.
pub(crate) struct Rates {
    /// Segments a round trip of 100 ms times the square root of the share lost. The share is counted,
    /// not what was asked for: most of what chance does to a rate it does by the number of losses. That
    /// biases the product by the order of 1 over the losses of a seed, of which there are forty at
    /// least: below the band.
    pub(crate) constant: Sample,
    pub(crate) timeouts_per_loss: f64,
}

impl Losses {
    /// Over 1 Gbit/s, where nothing queues, and 50 ms each way.
    pub(crate) fn new(
        p: f64,
        controller: Choice,
        acks: AckPolicy,
        begin: f64,
        segments: f64,
    ) -> Self {
        let mut there = LinkConfig::new(GIGABIT, ms(50), Limit::Unlimited);
        there.losses = vec![LossConfig::Bernoulli { p }];
        Self { p, controller, acks, pacing: Pacing::Off, begin, there, segments }
    }

    fn network(&self, seed: u64) -> Network {
        let window = self.begin / self.p.sqrt();
        let span = |n: f64| Duration::from_nanos((n / window * 1e8) as u64);
        // Five cycles on: what the window was at first is a quarter at each, and a quarter of that.
        let warmup = ms(2_000) + span(5.0 / self.p);
        let traffic = avoiding(self.controller, self.acks, self.pacing, window as u64);
        let links = [self.there.clone()];
        let mut network = row(&links, traffic, warmup + span(self.segments / 10.0));
        network.links[1].config.delay = ms(50);
        Network { seed, warmup, ..network }
    }

    pub(crate) fn rates(&self) -> Rates {
        let (mut timeouts, mut lost) = (0, 0);
        let constants: Vec<f64> = (1..=10)
            .map(|seed| {
                let outcome = simulate(&self.network(seed));
                let (flow, link) = (&outcome.flows[0], outcome.links[0]);
                timeouts += flow.timeouts;
                lost += link.dropped_random;
                let rounds = outcome.measured.as_nanos() as f64 / 1e8;
                let per_round = flow.delivered_bytes as f64 / 1_500.0 / rounds;
                let share =
                    link.dropped_random as f64 / (link.dropped_random + link.delivered) as f64;
                per_round * share.sqrt()
            })
            .collect();
        Rates { constant: Sample::of(&constants), timeouts_per_loss: timeouts as f64 / lost as f64 }
    }
}
