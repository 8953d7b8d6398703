//! One run of a network, as a process of its own.

use rayon::prelude::*;
use westwood_bench::networks::BenchNetwork;
use westwood_cc::Duration;
use westwood_sim::{Network, Outcome, Traffic, run};

use crate::error::BenchError;
use crate::meter::peak_kb;
use crate::say;

/// The counts over all seeds.
#[derive(Clone, Copy, Debug, Default)]
struct RunTotals {
    /// Packets delivered from left to right.
    there: u64,
    /// And from right to left.
    back: u64,
    events: u64,
}

/// Simulates a network with the seeds from 1 on and prints what came of all of them together.
pub(crate) fn once(name: BenchNetwork, duration: Duration, seeds: u64) -> Result<(), BenchError> {
    let one = |seed| {
        let network = name.network(duration, seed).map_err(BenchError::Network)?;
        Ok(RunTotals::of(&network, &run(&network)?))
    };
    // As many threads as RAYON_NUM_THREADS says, else all cores.
    let totals: Result<Vec<_>, BenchError> = if seeds == 1 {
        one(1).map(|t| vec![t])
    } else {
        (1..seeds + 1).into_par_iter().map(one).collect()
    };
    let sum = totals?.into_iter().fold(RunTotals::default(), RunTotals::plus);
    let RunTotals { there, back, events } = sum;
    say(&format!(
        "delivered {there}\ndelivered_back {back}\nevents {events}\npeak_kb {}\n",
        peak_kb()?
    ))
}

impl RunTotals {
    fn of(network: &Network, outcome: &Outcome) -> Self {
        let mut totals = Self { events: outcome.events, ..Self::default() };
        for (flow, result) in network.flows.iter().zip(&outcome.flows) {
            let Traffic::Tcp(tcp, _) = &flow.traffic else { continue };
            let packets = result.delivered_bytes / tcp.config.sizes.payload.get();
            if flow.from < flow.to {
                totals.there += packets;
            } else {
                totals.back += packets;
            }
        }
        totals
    }

    fn plus(self, other: Self) -> Self {
        Self {
            there: self.there + other.there,
            back: self.back + other.back,
            events: self.events + other.events,
        }
    }
}
