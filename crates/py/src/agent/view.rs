//! The sight of an agent, and its reward.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use westwood_cc::Duration;
use westwood_cc::agent_controlled::{AgentControlled, StepCounts};

use westwood_scenario::BadInput;
use westwood_scenario::units::duration;
use westwood_script::units::{count, seconds, segments, window};

use crate::error::checked;

/// Numbers in an observation.
pub(crate) const OBSERVED: usize = 8;

/// No number of an observation is larger.
const MOST: f64 = 100.0;

/// The windows that an agent may order, in segments.
const WINDOWS: (f64, f64) = (2.0, 1_048_576.0);

/// One step as a sender sees it: relative to the best that it has seen itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    interval: f64,
    best_rate: f64,
    min_rtt: f64,
}

/// One step in physical units.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepMeasures {
    /// Payload bits a second.
    pub(crate) goodput_bps: f64,
    /// Mean of the round-trip time samples in seconds; the smoothed one without a sample.
    pub(crate) rtt_s: f64,
    /// Share of the segments that were judged lost.
    pub(crate) loss: f64,
    /// Segments.
    pub(crate) cwnd: f64,
}

impl View {
    /// Nothing seen yet, in steps of this length.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval: seconds(interval), best_rate: 0.0, min_rtt: f64::INFINITY }
    }

    /// A step ends with this window: the observation, and the step in physical units.
    pub(crate) fn observe(
        &mut self,
        step: &StepCounts,
        cwnd: f64,
    ) -> ([f32; OBSERVED], StepMeasures) {
        let delivered = count(step.delivered);
        let bits = delivered * count(step.smss.get()) * 8.0;
        let goodput_bps = bits / self.interval;
        self.best_rate = self.best_rate.max(goodput_bps);
        if step.rtts > 0 {
            self.min_rtt = self.min_rtt.min(seconds(step.min_rtt));
        }
        let srtt = seconds(step.srtt);
        let rtt_s = if step.rtts > 0 { seconds(step.rtt_sum) / count(step.rtts) } else { srtt };
        let loss = share(count(step.lost), delivered + count(step.lost));
        // The product of the best rate and the least delay, in segments.
        let product = self.best_rate * self.min_rtt / 8.0 / count(step.smss.get().max(1));
        let observed = [
            share(goodput_bps, self.best_rate),
            share(rtt_s, self.min_rtt),
            share(seconds(step.min_rtt), self.min_rtt),
            share(srtt, self.min_rtt),
            loss,
            share(count(step.marked), delivered),
            share(cwnd, product),
            share(count(step.in_flight), cwnd),
        ];
        (observed.map(narrow), StepMeasures { goodput_bps, rtt_s, loss, cwnd })
    }
}

/// A share of nothing, and of what is not known yet, is none.
fn share(part: f64, whole: f64) -> f64 {
    let share = part / whole;
    if share.is_finite() { share } else { 0.0 }
}

#[expect(clippy::cast_possible_truncation, reason = "observations are single floats, and bounded")]
fn narrow(x: f64) -> f32 {
    x.clamp(0.0, MOST) as f32
}

/// The length of a step, as text with a unit.
pub(crate) fn step(py: Python<'_>, text: &str) -> PyResult<Duration> {
    let zero = || Err(BadInput::new("a step of no length").hint("write a time, as in 100ms"));
    let length = duration(text).and_then(|d| if d.is_zero() { zero() } else { Ok(d) });
    checked(py, length, "interval")
}

/// Observations as the bytes of single floats, which numpy reads without a copy.
pub(crate) fn bytes(
    py: Python<'_>,
    observed: impl IntoIterator<Item = [f32; OBSERVED]>,
) -> Bound<'_, PyByteArray> {
    let all: Vec<u8> = observed.into_iter().flatten().flat_map(f32::to_ne_bytes).collect();
    PyByteArray::new(py, &all)
}

/// Ends an agent's step.
pub(crate) fn end_step(
    agent: &mut AgentControlled,
    view: &mut View,
) -> ([f32; OBSERVED], StepMeasures) {
    let cwnd = segments(agent.cwnd());
    view.observe(&agent.take_step(), cwnd)
}

/// Carries an action out: the window is multiplied by 2 to its power, which is held between -1 and 1.
pub(crate) fn act(agent: &mut AgentControlled, action: f64) {
    let factor = action.clamp(-1.0, 1.0).exp2();
    let (least, most) = WINDOWS;
    agent.set_window(window((segments(agent.cwnd()) * factor).clamp(least, most)), None);
}

/// How a step is rewarded: by power, as a share of the best that the path allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reward {
    /// The goodput of a fair share of the measured link, payload bits a second.
    pub(crate) fair_bps: f64,
    /// The round-trip time without queues, seconds.
    pub(crate) base_rtt_s: f64,
}

impl Reward {
    /// `min(goodput / fair share, 1) x base RTT / mean RTT - lost share`: 1 at the most, -1 at the least.
    pub(crate) fn of(&self, step: &StepMeasures) -> f64 {
        let rate = share(step.goodput_bps, self.fair_bps).min(1.0);
        rate * share(self.base_rtt_s, step.rtt_s).min(1.0) - step.loss
    }
}
