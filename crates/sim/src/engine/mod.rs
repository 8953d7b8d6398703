//! Two engines for one loop.
//!
//! Links hold or foresee packets, senders and receivers have their timers; the scheduler knows when
//! each wants to be woken and wakes them in the order of (time, rank). The [`plain`] engine makes an
//! event of each hop and is the reference. The [`lookahead`] engine makes events only where packets
//! of different sources meet, or where a decision depends on something not yet known; it may not
//! change one bit of a result.
//!
//! ```text
//! run         the loop            feeding     applications and their connections
//! hosts       senders, receivers  carrier     what the engines differ in
//! measure     what is counted     records     what probes record
//! media       media flows             relays      proxies between two connections
//! stepped     runs that pause         handshake   SYNs and their answers
//! tapped      packets shown to a tap
//! ```

mod agents;
mod application;
mod carrier;
mod connection;
mod feeding;
mod handshake;
mod hosts;
mod lookahead;
mod measure;
mod media;
mod plain;
mod progress;
mod records;
mod relays;
mod run;
mod slots;
mod stepped;
mod tapped;

use std::sync::atomic::{AtomicBool, AtomicU64};

pub use application::{Action, Application, Supply};
pub use stepped::Stepped;

use crate::error::SimError;
use crate::network::{Network, Observation, Traffic, Workload};
use crate::outcome::Outcome;
use crate::tap::Tap;
use lookahead::Lookahead;
use plain::Plain;
use run::Run;

/// A caller's control over a run from another thread, and how it is carried out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control<'a> {
    /// Set it to end the run with [`SimError::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// A part of the run, such as a controller that cannot go on, sets it to end the run likewise.
    pub stop: Option<&'a AtomicBool>,
    /// Simulated nanoseconds so far.
    pub progress: Option<&'a AtomicU64>,
    /// Which engine does the work.
    pub engine: Engine,
}

/// How a run is carried out. Results are the same, bit for bit, but for the number of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Packets are taken as far ahead as nothing else can change their way. Where every change of a
    /// queue is recorded, or media flows or proxies take part, the plain engine does the work.
    #[default]
    Lookahead,
    /// Every hop is an event: the reference.
    Plain,
}

/// Simulates a network.
pub fn run(network: &Network) -> Result<Outcome, SimError> {
    run_with(network, Control::default())
}

/// Simulates a network, and heeds the caller's control.
pub fn run_with(network: &Network, control: Control<'_>) -> Result<Outcome, SimError> {
    match control.engine.fit_for(network) {
        Engine::Lookahead => Run::<Lookahead>::new(network)?.run(control),
        Engine::Plain => Run::<Plain<'_>>::new(network)?.run(control),
    }
}

impl Engine {
    /// This engine, or the plain one where only that can simulate the network.
    fn fit_for(self, network: &Network) -> Self {
        let takes_events = network.probes.observation() == Observation::EveryChange
            || network.flows.iter().any(|flow| {
                matches!(
                    flow.traffic,
                    Traffic::Media(_) | Traffic::Tcp(_, Workload::RelayedFrom { .. })
                )
            });
        if takes_events { Self::Plain } else { self }
    }
}

/// Simulates a network and shows every packet on its way, in the order of time. The engine is the
/// plain one, whatever `control` says.
pub fn run_tapped(
    network: &Network,
    control: Control<'_>,
    tap: &mut (dyn Tap + Send),
) -> Result<Outcome, SimError> {
    let mut run = Run::<Plain<'_>>::new(network)?;
    run.carrier.tap = Some(tap);
    run.run(control)
}
