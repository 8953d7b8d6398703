//! The cost of an ACK to controllers, by the clock of this machine.

use std::time::Instant;

use westwood_cc::ack_stream::AckStream;
use westwood_scenario::spec::ControllerSpec;
use westwood_scorecard::card::AckCost;

/// ACKs of a round: about a millisecond, shorter than a turn of the scheduler.
const ACKS: u32 = 10_000;
const ROUNDS: usize = 200;

/// The cost of an ACK to each of these controllers, round by round in turn, so that other work on the machine
/// meets all of them alike.
pub(crate) fn measure(controllers: &[ControllerSpec]) -> Vec<AckCost> {
    let mut streams: Vec<(AckStream, f64)> =
        controllers.iter().map(|cc| (AckStream::new(&cc.choice), f64::INFINITY)).collect();
    for _ in 0..ROUNDS {
        for (stream, least) in &mut streams {
            *least = least.min(round(stream));
        }
    }
    let cost = |(cc, (_, ns)): (&ControllerSpec, (AckStream, f64))| AckCost {
        controller: cc.to_string(),
        ns,
    };
    controllers.iter().zip(streams).map(cost).collect()
}

/// Nanoseconds an ACK.
fn round(stream: &mut AckStream) -> f64 {
    let begin = Instant::now();
    stream.run(ACKS.into());
    begin.elapsed().as_secs_f64() * 1e9 / f64::from(ACKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_controller_has_its_cost_in_the_order_asked_for() {
        let names = ["westwood+", "reno"];
        let controllers = names.map(|name| ControllerSpec::parse(name).unwrap());
        let found = measure(&controllers);
        assert_eq!(found.iter().map(|cost| cost.controller.as_str()).collect::<Vec<_>>(), names);
        assert!(found.iter().all(|cost| cost.ns.is_finite() && cost.ns > 0.0));
    }
}
