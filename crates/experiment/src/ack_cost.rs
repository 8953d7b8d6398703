//! The cost of an ACK to controllers, by the clock of this machine and by its processor's counter: the one
//! measure that does not repeat.

use std::time::Instant;

use westwood_cc::ack_stream::AckStream;
use westwood_cc::controllers::Choice;
use westwood_cycles::CycleCounter;
use westwood_scenario::file::Scenario;

use crate::run::{RunRecord, RunTask};

/// ACKs of a round: about a millisecond, shorter than a turn of the scheduler.
const ACKS: u32 = 10_000;
const ROUNDS: usize = 200;
/// No round of a controller begins after so many seconds: one in an interpreter has fewer rounds.
const LONGEST_S: f64 = 1.0;

/// The cost of an ACK to a controller, in congestion avoidance without loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckTiming {
    /// Nanoseconds.
    pub ns: f64,
    /// Reference cycles of the processor, as [`CycleCounter`] counts them; none where it has no such counter.
    pub cycles: Option<f64>,
}

/// True if the processor of this machine has a counter of cycles.
pub fn counts_cycles() -> bool {
    CycleCounter::of_this_machine().is_some()
}

/// The cost of an ACK to each of these controllers: the least of the rounds, which other work on the machine
/// disturbs least. The rounds take turns, so that it meets all of them alike.
pub fn measure(controllers: &[Choice]) -> Vec<AckTiming> {
    let counter = CycleCounter::of_this_machine();
    let mut streams: Vec<TimedStream> =
        controllers.iter().map(|cc| TimedStream::new(cc, counter)).collect();
    for _ in 0..ROUNDS {
        streams.iter_mut().filter(|timed| timed.all < LONGEST_S).for_each(TimedStream::round);
    }
    streams.iter().map(TimedStream::of_an_ack).collect()
}

/// A controller's ACKs, the seconds that the shortest round and all rounds took, and the fewest cycles.
struct TimedStream {
    stream: AckStream,
    counter: Option<CycleCounter>,
    least: f64,
    all: f64,
    fewest: u64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time of an ACK on this machine is measured, and said not to repeat"
)]
impl TimedStream {
    fn new(cc: &Choice, counter: Option<CycleCounter>) -> Self {
        let stream = AckStream::new(cc);
        Self { stream, counter, least: f64::INFINITY, all: 0.0, fewest: u64::MAX }
    }

    fn round(&mut self) {
        let cycles = |counter: CycleCounter| counter.now();
        let begin = (Instant::now(), self.counter.map(cycles));
        self.stream.run(ACKS.into());
        if let (Some(end), Some(begin)) = (self.counter.map(cycles), begin.1) {
            self.fewest = self.fewest.min(end.wrapping_sub(begin));
        }
        let took = begin.0.elapsed().as_secs_f64();
        self.least = self.least.min(took);
        self.all += took;
    }

    #[expect(clippy::cast_precision_loss, reason = "cycles of a round are far below 2^53")]
    fn of_an_ack(&self) -> AckTiming {
        let acks = f64::from(ACKS);
        let cycles = self.counter.map(|_| self.fewest as f64 / acks);
        AckTiming { ns: self.least * 1e9 / acks, cycles }
    }
}

/// The cost of an ACK in each controller that a scenario asks about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AckCosts(Vec<(Choice, AckTiming)>);

impl AckCosts {
    /// Measures those that these runs need: nothing, where the scenario does not ask for it.
    pub fn measured(scenario: &Scenario, tasks: &[RunTask]) -> Self {
        let mut controllers: Vec<Choice> = Vec::new();
        for point in tasks.iter().filter_map(|task| scenario.points().get(task.point)) {
            controllers.extend(point.ack_cost.filter(|cc| !controllers.contains(cc)));
        }
        let costs = measure(&controllers);
        Self(controllers.into_iter().zip(costs).collect())
    }

    /// Puts the cost into the results of a run of this scenario.
    pub fn add_to(&self, scenario: &Scenario, record: &mut RunRecord) {
        let asked = scenario.points().get(record.point).and_then(|point| point.ack_cost);
        let found = self.0.iter().find(|(cc, _)| Some(*cc) == asked);
        if let (Some(summary), Some((_, cost))) = (&mut record.summary, found) {
            summary.ack_cost_ns = Some(cost.ns);
            summary.ack_cost_cycles = cost.cycles;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_controller_has_its_cost_in_the_order_asked_for() {
        let controllers = ["bbr", "reno"].map(|name| Choice::named(name).unwrap());
        let found = measure(&controllers);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|cost| cost.ns.is_finite() && cost.ns > 0.0), "{found:?}");
    }

    #[test]
    fn cycles_are_counted_where_the_processor_has_a_counter_of_a_constant_rate() {
        let controllers = ["bbr", "reno"].map(|name| Choice::named(name).unwrap());
        let has = counts_cycles();
        for cost in measure(&controllers) {
            assert_eq!(cost.cycles.is_some(), has);
            assert!(
                cost.cycles.is_none_or(|cycles| cycles.is_finite() && cycles > 0.0),
                "{cost:?}"
            );
        }
    }

    #[test]
    fn only_the_runs_that_ask_for_it_have_a_cost() {
        let text = "cc = [\"reno\", \"cubic\"]\ntime = \"1 s\"\nseeds = 1\n[dumbbell]\n\
                    [variant.measured]\n\"measure.ack_cost\" = true\n";
        let none = |_: &std::path::Path| Err("no files".to_owned());
        let scenario = Scenario::parse("costs", text, &[], &none).unwrap();
        let tasks = crate::run::tasks(&scenario);
        let costs = AckCosts::measured(&scenario, &tasks);
        let controllers: Vec<Choice> = costs.0.iter().map(|(cc, _)| *cc).collect();
        assert_eq!(controllers, ["reno", "cubic"].map(|name| Choice::named(name).unwrap()));
        let has = |point: usize| {
            let runs = crate::run::RunBatch::simulated(&scenario, &tasks[point..=point], 1);
            let watch = crate::run::GridProgress::new(&scenario, 1);
            let mut found = None;
            crate::run::run::<()>(runs, &watch, |done| {
                let mut record = done.record();
                costs.add_to(&scenario, &mut record);
                let summary = record.summary.unwrap();
                found = summary.ack_cost_ns.or(summary.ack_cost_cycles);
                Ok(())
            })
            .unwrap();
            found.is_some()
        };
        assert_eq!([0, 1, 2, 3].map(has), [false, false, true, true]);
    }
}
