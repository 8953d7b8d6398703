//! Runs that pause give what runs give that do not, and an agent's orders are carried out.

use crate::support::{dumbbell, ms, ns2_tcp, tangle};
use westwood_cc::agent_controlled::{AgentControlled, StepCounts};
use westwood_cc::controllers::{AnyController, Choice};
use westwood_cc::own::{OwnChoice, OwnController, entry};
use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{Control, Engine, Network, Outcome, SimError, Stepped, TcpSpec, run, run_with};
use westwood_tcp::Recovery;

/// Runs a network in steps of this length that look and touch nothing.
fn looked_at(network: &Network, step: Duration, engine: Engine) -> Result<Outcome, SimError> {
    let control = Control { engine, ..Control::default() };
    let mut run = Stepped::new(network, control)?;
    let mut until = Instant::ZERO;
    while run.advance(until, control)? {
        until += step;
    }
    run.finish(control)
}

#[test]
fn a_run_that_pauses_gives_the_same_bits() {
    for case in 0..16 {
        let network = tangle::network(case);
        let step = Duration::from_nanos(network.duration.as_nanos() / (3 + case) + case);
        for engine in [Engine::Lookahead, Engine::Plain] {
            let plain = run_with(&network, Control { engine, ..Control::default() });
            let paused = looked_at(&network, step, engine);
            assert!(plain == paused, "case {case}, {engine:?}: outcomes differ");
        }
    }
}

#[test]
fn a_run_may_be_left_to_go_on_to_its_end_alone() {
    let network = tangle::network(7);
    let mut stepped = Stepped::new(&network, Control::default()).unwrap();
    let middle = Instant::ZERO + network.duration / 2;
    assert!(stepped.advance(middle, Control::default()).unwrap());
    assert!(stepped.finish(Control::default()) == run(&network));
}

/// 10 Mbit/s and 100 ms, a bandwidth-delay product of 83 segments; `waiting` packets may queue.
fn path(tcp: &TcpSpec, waiting: u64) -> Network {
    let (rate, access) = (Rate::from_bits_per_s(10_000_000), Rate::from_bits_per_s(100_000_000));
    dumbbell(rate, ms(100), waiting, access, *tcp, Duration::from_secs(20), Duration::ZERO)
}

fn agent() -> TcpSpec {
    let controller = Choice::Own(OwnChoice(entry::<AgentControlled>()));
    TcpSpec { controller, ..ns2_tcp("reno", Recovery::Sack) }
}

/// Lets an agent act at every step: it is given the counts and the window of the step that ends, and answers
/// the next window.
fn steer(
    network: &Network,
    step: Duration,
    engine: Engine,
    mut act: impl FnMut(StepCounts, Segments) -> Segments,
) -> Outcome {
    let control = Control { engine, ..Control::default() };
    let mut run = Stepped::new(network, control).unwrap();
    let mut until = Instant::ZERO + step;
    while run.advance(until, control).unwrap() {
        if let Some(AnyController::Own(own)) = run.controller(0) {
            let mut agent = AgentControlled::load(own.state());
            let counts = agent.take_step();
            agent.set_window(act(counts, agent.cwnd()), None);
            *own.state_mut() = agent.save();
        }
        until += step;
    }
    run.finish(control).unwrap()
}

#[test]
fn an_agents_window_fills_the_path_as_far_as_it_reaches() {
    let share = |window: u64| {
        let network = path(&agent(), 100);
        let outcome = steer(&network, ms(100), Engine::Lookahead, |_, _| Segments::new(window));
        outcome.flows[0].delivered_bytes * 8 / 20 / 100_000
    };
    // Percent of 10 Mbit/s, by the window over the product of 83 segments and its headers.
    assert!((44..=52).contains(&share(42)), "{}", share(42));
    assert!((90..=100).contains(&share(90)), "{}", share(90));
}

#[test]
fn steps_tell_what_was_delivered_and_how_long_it_took() {
    let network = path(&agent(), 100);
    let (mut delivered, mut last) = (0, StepCounts::default());
    let outcome = steer(&network, ms(100), Engine::Lookahead, |counts, _| {
        delivered += counts.delivered;
        last = counts;
        Segments::new(40)
    });
    let arrived = outcome.flows[0].data_packets;
    assert!(delivered <= arrived && arrived - delivered < 100, "{delivered} of {arrived}");
    assert_eq!(last.lost, 0);
    assert!(last.min_rtt >= ms(100) && last.min_rtt < ms(110), "{:?}", last.min_rtt);
    let mean = last.rtt_sum / last.rtts;
    assert!(mean >= last.min_rtt && mean < ms(120), "{mean:?}");
}

#[test]
fn a_window_beyond_path_and_queue_loses_and_the_agent_hears_of_it() {
    let network = path(&agent(), 20);
    let mut lost = 0;
    let outcome = steer(&network, ms(100), Engine::Lookahead, |counts, _| {
        lost += counts.lost;
        Segments::new(200)
    });
    assert!(lost > 100, "{lost}");
    assert!(outcome.flows[0].retransmitted > 100);
}

#[test]
fn an_agent_meets_the_same_run_on_both_engines() {
    let network = path(&agent(), 20);
    let run = |engine| {
        let mut seen = Vec::new();
        // The window goes up and down, beyond what path and queue hold.
        let outcome = steer(&network, ms(37), engine, |counts, cwnd| {
            seen.push(counts);
            if counts.lost > 0 { cwnd.half() } else { cwnd + Segments::new(7) }
        });
        (seen, Outcome { events: 0, ..outcome })
    };
    assert!(run(Engine::Plain) == run(Engine::Lookahead));
}

#[test]
fn an_agent_that_orders_nothing_leaves_the_run_alone() {
    let network = path(&agent(), 20);
    let paused = looked_at(&network, ms(100), Engine::Lookahead);
    assert!(paused == run(&network));
    assert!(paused.unwrap().flows[0].delivered_bytes > 0);
}

#[test]
fn a_stepped_run_can_be_cancelled_and_refuses_what_a_run_refuses() {
    let mut network = path(&ns2_tcp("reno", Recovery::Sack), 20);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control { cancel: Some(&stop), ..Control::default() };
    let mut run = Stepped::new(&network, control).unwrap();
    let end = Instant::ZERO + network.duration;
    assert_eq!(run.advance(end, control), Err(SimError::Cancelled));
    drop(run);
    network.warmup = network.duration;
    assert!(Stepped::new(&network, Control::default()).is_err());
}
