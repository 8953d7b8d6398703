//! Conditions of failure: `goodput<5Mbit/s`, `rtt_p95>200ms`.

use std::fmt;

use crate::metric::{Metric, Unit};
use crate::results::RunSummary;
use westwood_scenario::Decimal;
use westwood_scenario::file::Scenario;
use westwood_scenario::spec::ControllerSpec;
use westwood_scenario::units::{duration, rate, share};
use westwood_scenario::{BadInput, quoted};

/// A condition under which a comparison counts as failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The quantity: its mean over the seeds, for each controller.
    pub metric: Metric,
    /// The only controller that is looked at, as it was typed; every one if absent.
    controller: Option<String>,
    comparison: Comparison,
    /// In the metric's own unit.
    bound: f64,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Condition {
    /// Reads `metric<bound`, with `<`, `<=`, `>` or `>=`, or `controller: metric<bound`.
    ///
    /// ```
    /// use westwood_experiment::Condition;
    /// assert!(Condition::parse("goodput < 5Mbit/s").is_ok());
    /// assert!(Condition::parse("westwood+(tau=0.3s): goodput < 5Mbit/s").is_ok());
    /// assert!(Condition::parse("goodput < 5").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let example = "write goodput<5Mbit/s or rtt_p95>200ms";
        let Some(at) = text.find(['<', '>']) else {
            let what = format!("{} has neither '<' nor '>'", quoted(text));
            return Err(BadInput::new(what).hint(example));
        };
        let (name, rest) = (text[..at].trim(), &text[at + 1..]);
        let (controller, name) = match name.rsplit_once(':') {
            Some((cc, name)) => (Some(cc.trim().to_owned()), name.trim()),
            None => (None, name),
        };
        let equal = rest.starts_with('=');
        let comparison = match (&text[at..=at], equal) {
            ("<", false) => Comparison::Below,
            ("<", true) => Comparison::AtMost,
            (_, false) => Comparison::Above,
            (_, true) => Comparison::AtLeast,
        };
        let metric = Metric::named(name)?;
        let bound = bound(rest[usize::from(equal)..].trim(), metric.unit())
            .map_err(|e| e.at(metric.name()))?;
        Ok(Self { metric, controller, comparison, bound, text: text.trim().to_owned() })
    }

    /// The only controller of a scenario that is looked at; every one if absent.
    pub fn controller_of(&self, scenario: &Scenario) -> Result<Option<ControllerSpec>, BadInput> {
        self.controller.as_deref().map(|text| scenario.controller(text)).transpose()
    }

    /// The judgement on the runs of a controller.
    ///
    /// The time until something happens has no value in a run where it does not happen. That is more than
    /// any bound.
    pub fn judged<'a>(&self, runs: impl Iterator<Item = &'a RunSummary>) -> ConditionResult {
        let values: Vec<Option<f64>> = runs.map(|run| self.metric.of(run)).collect();
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let never = values.len() - known.len();
        if never > 0 && self.metric.is_awaited() {
            let above = matches!(self.comparison, Comparison::Above | Comparison::AtLeast);
            let of = values.len();
            return if above {
                ConditionResult::Never { never, of }
            } else {
                ConditionResult::Unmet
            };
        }
        let Some(mean) = crate::stats::mean(&known) else { return ConditionResult::Unknown };
        let holds = match self.comparison {
            Comparison::Below => mean < self.bound,
            Comparison::AtMost => mean <= self.bound,
            Comparison::Above => mean > self.bound,
            Comparison::AtLeast => mean >= self.bound,
        };
        if holds { ConditionResult::Met(mean) } else { ConditionResult::Unmet }
    }
}

/// The judgement on the runs of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConditionResult {
    /// The condition is met, by this mean.
    Met(f64),
    /// It is met: what is awaited did not come in so many of the runs.
    Never {
        /// In how many.
        never: usize,
        /// Of how many.
        of: usize,
    },
    /// It is not met.
    Unmet,
    /// No run has such a value.
    Unknown,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[expect(clippy::cast_precision_loss, reason = "bounds are not exact to 2^-53")]
fn bound(text: &str, unit: Unit) -> Result<f64, BadInput> {
    match unit {
        Unit::BitsPerS => rate(text).map(|r| r.bits_per_s() as f64),
        Unit::Share => share(text),
        Unit::Millis => duration(text).map(|d| d.as_nanos() as f64 / 1e6),
        Unit::Nanos => duration(text).map(|d| d.as_nanos() as f64),
        Unit::Plain | Unit::Packets | Unit::Cycles => Decimal::parse(text).map(Decimal::to_f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_needs_a_metric_a_comparison_and_a_bound() {
        let text = |t| Condition::parse(t).unwrap_err().to_string();
        assert!(text("jain").contains("neither"));
        assert!(text("jian<0.9").contains("did you mean 'jain'?"));
        assert!(text("wait_p95>1s").contains("the table's column 'wait p95' is queue_delay_p95"));
        assert!(text("rtt_p95>200").contains("has no unit"));
        assert!(text("jain<").contains("not a number"));
        assert!(text("utilization<5").contains("write 5%"));
    }

    #[test]
    fn every_metric_can_be_a_criterion() {
        for metric in Metric::ALL {
            let bound = match metric.unit() {
                Unit::BitsPerS => "1Mbit/s",
                Unit::Share => "1%",
                Unit::Millis => "1ms",
                Unit::Nanos => "1ns",
                Unit::Plain | Unit::Packets | Unit::Cycles => "1",
            };
            assert!(Condition::parse(&format!("{}>={bound}", metric.name())).is_ok());
        }
    }
}
