//! Runs that pause: simulated time goes on only as far as it is asked to.
//!
//! The clock that pauses a run is one more source of events, ranked behind all others, so that a pause comes
//! after everything else of its instant. It touches nothing: a run that is paused gives the same bits as one
//! that is not.

use westwood_cc::Instant;
use westwood_cc::controllers::AnyController;

use super::carrier::Carrier;
use super::lookahead::Lookahead;
use super::plain::Plain;
use super::run::Run;
use super::{Control, Engine};
use crate::error::SimError;
use crate::network::{Network, Traffic};
use crate::outcome::{Outcome, Record};

/// A run that goes on step by step.
///
/// ```
/// # fn watch(network: &westwood_sim::Network) -> Result<(), westwood_sim::SimError> {
/// use westwood_cc::{Duration, Instant};
/// use westwood_sim::{Control, Stepped};
///
/// let mut run = Stepped::new(network, Control::default())?;
/// let mut until = Instant::ZERO;
/// while run.advance(until, Control::default())? {
///     let _controller_of_the_first_flow = run.controller(0);
///     until += Duration::from_millis(100);
/// }
/// let _outcome = run.finish(Control::default())?;
/// # Ok(())
/// # }
/// ```
pub struct Stepped<'a> {
    run: Box<dyn SteppableRun + Send + 'a>,
    ended: bool,
}

impl std::fmt::Debug for Stepped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepped").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// A network in motion, whatever carries its packets.
trait SteppableRun {
    fn advance(&mut self, until: Instant, control: Control<'_>) -> Result<bool, SimError>;
    fn controller(&mut self, flow: usize) -> Option<&mut AnyController>;
    fn recorded(&self) -> &[Record];
    fn finish(self: Box<Self>, control: Control<'_>) -> Result<Outcome, SimError>;
}

impl<C: Carrier> SteppableRun for Run<'_, C> {
    fn advance(&mut self, until: Instant, control: Control<'_>) -> Result<bool, SimError> {
        self.pause_at(until);
        self.run_until_pause(control)
    }

    fn controller(&mut self, flow: usize) -> Option<&mut AnyController> {
        let Traffic::Tcp(..) = self.network.flows.get(flow)?.traffic else { return None };
        let slot = self.flow_slots[flow].first();
        Some(self.slots[slot].as_deref_mut()?.sender.controller_mut())
    }

    fn recorded(&self) -> &[Record] {
        self.measure.records.sorted()
    }

    fn finish(self: Box<Self>, control: Control<'_>) -> Result<Outcome, SimError> {
        self.run(control)
    }
}

impl<'a> Stepped<'a> {
    /// A run of this network, at its beginning.
    pub fn new(network: &'a Network, control: Control<'_>) -> Result<Self, SimError> {
        let run: Box<dyn SteppableRun + Send + 'a> = match control.engine.fit_for(network) {
            Engine::Lookahead => Box::new(Run::<Lookahead>::stepped(network)?),
            Engine::Plain => Box::new(Run::<Plain<'_>>::stepped(network)?),
        };
        Ok(Self { run, ended: false })
    }

    /// Goes on until everything has happened that happens at `until` or before it. False once the run is at
    /// its end, or if it was cancelled: what it was about to do then is not done.
    pub fn advance(&mut self, until: Instant, control: Control<'_>) -> Result<bool, SimError> {
        if self.ended {
            return Ok(false);
        }
        let goes_on = self.run.advance(until, control);
        self.ended = !matches!(goes_on, Ok(true));
        goes_on
    }

    /// The controller of a flow's connection, if that is one TCP connection and is open. Senders of
    /// controllers [from outside](westwood_cc::own) have acted up to the pause and no further; others may be
    /// ahead of it.
    pub fn controller(&mut self, flow: usize) -> Option<&mut AnyController> {
        self.run.controller(flow)
    }

    /// The records so far, the beginning of [`Outcome::records`]. The last hundreds of samples may be
    /// missing.
    pub fn recorded(&self) -> &[Record] {
        self.run.recorded()
    }

    /// Goes on to the end.
    pub fn finish(self, control: Control<'_>) -> Result<Outcome, SimError> {
        self.run.finish(control)
    }
}
