//! Whether another seed could give another result.

use westwood_sim::{Network, Traffic, Workload};

use westwood_scenario::file::{Built, GridPoint, Scenario};

/// Whether every seed gives the same result at this point of a scenario. False if it cannot be built.
pub fn is_exact(scenario: &Scenario, point: &GridPoint) -> bool {
    let built = scenario.build(point, scenario.seeds().first().copied().unwrap_or(1));
    built.is_ok_and(|built| !is_random(scenario, point, &built))
}

/// Whether another seed could give another result: the network draws while it runs, or was drawn.
pub(crate) fn is_random(scenario: &Scenario, point: &GridPoint, built: &Built) -> bool {
    draws(&built.network) || is_drawn(scenario, point, built)
}

/// True if a network draws random numbers while it runs. In doubt it is true, which asks for more seeds and
/// never for fewer.
fn draws(network: &Network) -> bool {
    let link = network.links.iter().any(|link| link.config.draws());
    let flow = network.flows.iter().any(|flow| {
        let random = match &flow.traffic {
            Traffic::ShortFlows { .. } => true,
            Traffic::Udp { poisson, phases, .. } => {
                *poisson || *phases != westwood_sim::Phases::Always
            }
            Traffic::Media(_) => false,
            Traffic::Tcp(tcp, workload) => {
                tcp.controller.uses_randomness() || matches!(workload, Workload::OnOff(_))
            }
        };
        random || !flow.start_jitter.is_zero()
    });
    link || flow
}

/// Whether the network of another seed has other round-trip times or other times of its flows.
fn is_drawn(scenario: &Scenario, point: &GridPoint, built: &Built) -> bool {
    let network = &built.network;
    let Ok(other) = scenario.build(point, network.seed.wrapping_add(1)) else { return true };
    let delays = |network: &Network| -> Vec<_> {
        network.links.iter().map(|link| link.config.delay).collect()
    };
    let times = |network: &Network| -> Vec<_> {
        network.flows.iter().map(|flow| (flow.start, flow.stop)).collect()
    };
    delays(network) != delays(&other.network) || times(network) != times(&other.network)
}
