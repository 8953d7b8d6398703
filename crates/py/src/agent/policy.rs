//! A policy as a controller: it is asked within a run, by the first ACK after each step.

use std::cell::RefCell;

use pyo3::prelude::*;
use westwood_cc::agent_controlled::AgentControlled;
use westwood_cc::controller::{Ack, Cause, ControlScope, Grant, LostSegment, Reduction, Setup};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnController as _, OwnParameters, OwnVerbs, STATE_WORDS, StateWords};
use westwood_cc::{Controller as _, Duration, Instant, Rate, Window};

use super::view::{View, act, bytes, end_step};
use crate::scripted::Session;

/// A policy: it is shown an observation, and answers an action.
pub(crate) struct Policy {
    info: &'static Info,
    act: Py<PyAny>,
    interval: Duration,
}

/// The words that [`AgentControlled`] leaves: the end of the step, and the number of the connection's
/// object.
const STEP_ENDS: usize = STATE_WORDS - 2;
const OBJECT: usize = STATE_WORDS - 1;

/// The view of one connection's agent, kept in the session.
#[pyclass(name = "_View", module = "westwood._native", unsendable)]
struct AgentView {
    view: RefCell<View>,
}

impl Policy {
    /// A policy that acts at the whole multiples of an interval.
    pub(crate) fn of(policy: &Bound<'_, PyAny>, info: &'static Info, interval: Duration) -> Self {
        Self { info, act: policy.clone().unbind(), interval }
    }

    /// Ends the steps that have ended before `now`, and carries out what the policy answers.
    fn end_steps(&self, state: &mut StateWords, now: Instant) {
        if state[STEP_ENDS] == 0 {
            // The first event: an agent acts from the end of its step on.
            let since = now.since(Instant::ZERO).max(Duration::from_nanos(1));
            state[STEP_ENDS] = since.ceil_to(self.interval).as_nanos();
        }
        while Instant::from_nanos(state[STEP_ENDS]) < now {
            let begun = state[STEP_ENDS];
            let asked = Python::attach(|py| {
                let Some(sight) = Session::controller(py, state[OBJECT]) else { return Ok(None) };
                let sight = sight.cast::<AgentView>()?.borrow();
                let mut agent = AgentControlled::load(state);
                let (observed, _) = end_step(&mut agent, &mut sight.view.borrow_mut());
                let action: f64 = self.act.bind(py).call1((bytes(py, [observed]),))?.extract()?;
                act(&mut agent, action);
                Ok(Some(agent))
            });
            match asked {
                Ok(Some(agent)) => Self::keep(state, &agent),
                Ok(None) => return,
                Err(error) => return Session::fail(error),
            }
            state[STEP_ENDS] = begun.saturating_add(self.interval.as_nanos());
        }
    }

    /// Keeps the agent's state, and the words behind it.
    fn keep(state: &mut StateWords, agent: &AgentControlled) {
        let own = [state[STEP_ENDS], state[OBJECT]];
        *state = agent.save();
        [state[STEP_ENDS], state[OBJECT]] = own;
    }

    /// Lets the agent act.
    fn with<T>(state: &mut StateWords, verb: impl FnOnce(&mut AgentControlled) -> T) -> T {
        let mut agent = AgentControlled::load(state);
        let answer = verb(&mut agent);
        Self::keep(state, &agent);
        answer
    }
}

impl OwnVerbs for Policy {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        None
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn uses_randomness(&self) -> bool {
        true
    }

    fn build(&self, setup: &Setup) -> StateWords {
        let mut state = AgentControlled::new(setup).save();
        let sight = AgentView { view: RefCell::new(View::new(self.interval)) };
        match Python::attach(|py| Ok::<_, PyErr>(Bound::new(py, sight)?.into_any().unbind())) {
            Ok(sight) => state[OBJECT] = Session::keep(sight),
            Err(error) => Session::fail(error),
        }
        state
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        self.end_steps(state, ack.now);
        Self::with(state, |agent| agent.measure(ack));
    }

    fn grow(&self, state: &mut StateWords, w: Window, grant: &Grant) -> Window {
        Self::with(state, |agent| agent.grow(w, grant))
    }

    fn reduce(&self, state: &mut StateWords, w: Window, cause: Cause, now: Instant) -> Reduction {
        self.end_steps(state, now);
        Self::with(state, |agent| agent.reduce(w, cause, now))
    }

    fn lost(&self, state: &mut StateWords, segment: &LostSegment) {
        self.end_steps(state, segment.now);
        Self::with(state, |agent| agent.lost(segment));
    }

    fn recovered(&self, state: &mut StateWords, w: Window, now: Instant) -> Window {
        self.end_steps(state, now);
        Self::with(state, |agent| agent.recovered(w, now))
    }

    fn undone(
        &self,
        state: &mut StateWords,
        now_w: Window,
        before: Window,
        now: Instant,
    ) -> Window {
        self.end_steps(state, now);
        Self::with(state, |agent| agent.undone(now_w, before, now))
    }

    fn restarted(&self, state: &mut StateWords, w: Window, idle: Duration, now: Instant) -> Window {
        self.end_steps(state, now);
        Self::with(state, |agent| agent.restarted(w, idle, now))
    }

    fn pacing_rate(&self, state: &StateWords) -> Option<Rate> {
        AgentControlled::load(state).pacing_rate()
    }

    fn bwe(&self, _: &StateWords) -> Option<Rate> {
        None
    }
}
