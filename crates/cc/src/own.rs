//! Controllers from outside this crate: the traits, and a running one without allocation.
//!
//! A program that is built on these crates writes its controller as an [`OwnController`] and gives its
//! [`entry`] to `westwood_scenario::spec::register`; then its name stands wherever a controller's does.
//! `examples/own-controller` is a template. A host of another language, which knows its controllers only
//! when it runs, implements [`OwnVerbs`] itself.
//!
//! A connection keeps the controller's state as words of plain data, so that a connection can be copied and
//! nothing is allocated, as in a kernel.

use core::fmt;
use core::marker::PhantomData;

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reduction, Setup, Window,
};
use crate::controllers::Info;
use crate::params::{Param, ParamError, Value};
use crate::units::{Duration, Instant, Rate};

/// The words of a controller's state: 160 bytes.
pub const STATE_WORDS: usize = 20;

/// A controller's state as plain data.
pub type StateWords = [u64; STATE_WORDS];

/// A controller from outside, whose state is words of plain data.
pub trait OwnController: Controller {
    /// Its names.
    const INFO: Info;

    /// The controller of a new connection.
    fn new(setup: &Setup) -> Self;

    /// The controller with this state, which [`save`](Self::save) has given.
    fn load(state: &StateWords) -> Self;

    /// Its state.
    fn save(&self) -> StateWords;
}

/// The verbs of a controller from outside, each on the state of one connection. Their meaning is
/// [`Controller`]'s.
pub trait OwnVerbs: Sync {
    /// Its names.
    fn info(&self) -> &'static Info;

    /// Its parameters, if it has some.
    fn parameters(&self) -> Option<&dyn OwnParameters>;

    /// How far its command reaches, whatever the connection.
    fn control_scope(&self) -> ControlScope;

    /// True if another [seed](Setup::seed) may give another controller.
    fn uses_randomness(&self) -> bool;

    /// The state in a new connection.
    fn build(&self, setup: &Setup) -> StateWords;

    /// See [`Controller::measure`].
    fn measure(&self, state: &mut StateWords, ack: &Ack);

    /// See [`Controller::grow`].
    fn grow(&self, state: &mut StateWords, w: Window, grant: &Grant) -> Window;

    /// See [`Controller::reduce`].
    fn reduce(&self, state: &mut StateWords, w: Window, cause: Cause, now: Instant) -> Reduction;

    /// See [`Controller::timed_out`].
    fn timed_out(&self, _state: &mut StateWords, _now: Instant) {}

    /// See [`Controller::lost`].
    fn lost(&self, state: &mut StateWords, segment: &LostSegment);

    /// See [`Controller::recovered`].
    fn recovered(&self, state: &mut StateWords, w: Window, now: Instant) -> Window;

    /// See [`Controller::undone`].
    fn undone(&self, state: &mut StateWords, now_w: Window, before: Window, now: Instant)
    -> Window;

    /// See [`Controller::restarted`].
    fn restarted(&self, state: &mut StateWords, w: Window, idle: Duration, now: Instant) -> Window;

    /// See [`Controller::pacing_rate`].
    fn pacing_rate(&self, state: &StateWords) -> Option<Rate>;

    /// See [`Controller::bwe`].
    fn bwe(&self, state: &StateWords) -> Option<Rate>;
}

/// The parameters of a controller from outside, which is one of several that differ in their values alone.
pub trait OwnParameters {
    /// The number of this controller: one of the same name and another number is another one.
    fn version(&self) -> u64;

    /// All parameters.
    fn list(&self) -> &'static [Param];

    /// The value of a parameter, if there is one of this name.
    fn get(&self, name: &str) -> Option<Value<'static>>;

    /// The controller that has another value of this parameter, or why there is none.
    fn with(&self, name: &str, value: Value<'_>) -> Result<OwnChoice, ParamError>;

    /// The controller with the usual values; none if these are the usual ones.
    fn usual(&self) -> Option<OwnChoice>;
}

/// The verbs of a controller that is a type.
struct VerbsOf<C>(PhantomData<fn() -> C>);

/// The entry of a controller that is a type.
pub const fn entry<C: OwnController + 'static>() -> &'static dyn OwnVerbs {
    &VerbsOf::<C>(PhantomData)
}

/// Lets a controller with this state act, and keeps its state.
fn act<C: OwnController, R>(state: &mut StateWords, verb: impl FnOnce(&mut C) -> R) -> R {
    let mut controller = C::load(state);
    let answer = verb(&mut controller);
    *state = controller.save();
    answer
}

impl<C: OwnController> OwnVerbs for VerbsOf<C> {
    fn info(&self) -> &'static Info {
        &C::INFO
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        None
    }

    fn control_scope(&self) -> ControlScope {
        C::new(&Setup::example(0)).control_scope()
    }

    fn uses_randomness(&self) -> bool {
        C::new(&Setup::example(0)).save() != C::new(&Setup::example(1)).save()
    }

    fn build(&self, setup: &Setup) -> StateWords {
        C::new(setup).save()
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        act::<C, _>(state, |c| c.measure(ack));
    }

    fn grow(&self, state: &mut StateWords, w: Window, grant: &Grant) -> Window {
        act::<C, _>(state, |c| c.grow(w, grant))
    }

    fn reduce(&self, state: &mut StateWords, w: Window, cause: Cause, now: Instant) -> Reduction {
        act::<C, _>(state, |c| c.reduce(w, cause, now))
    }

    fn timed_out(&self, state: &mut StateWords, now: Instant) {
        act::<C, _>(state, |c| c.timed_out(now));
    }

    fn lost(&self, state: &mut StateWords, segment: &LostSegment) {
        act::<C, _>(state, |c| c.lost(segment));
    }

    fn recovered(&self, state: &mut StateWords, w: Window, now: Instant) -> Window {
        act::<C, _>(state, |c| c.recovered(w, now))
    }

    fn undone(
        &self,
        state: &mut StateWords,
        now_w: Window,
        before: Window,
        now: Instant,
    ) -> Window {
        act::<C, _>(state, |c| c.undone(now_w, before, now))
    }

    fn restarted(&self, state: &mut StateWords, w: Window, idle: Duration, now: Instant) -> Window {
        act::<C, _>(state, |c| c.restarted(w, idle, now))
    }

    fn pacing_rate(&self, state: &StateWords) -> Option<Rate> {
        C::load(state).pacing_rate()
    }

    fn bwe(&self, state: &StateWords) -> Option<Rate> {
        C::load(state).bwe()
    }
}

/// The choice of a controller from outside. Two of one name and [version](OwnParameters::version) are the
/// same.
#[derive(Clone, Copy)]
pub struct OwnChoice(pub &'static dyn OwnVerbs);

impl fmt::Debug for OwnChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.0.parameters().map(OwnParameters::version);
        f.debug_tuple("OwnChoice").field(&self.0.info().name).field(&version).finish()
    }
}

impl PartialEq for OwnChoice {
    fn eq(&self, other: &Self) -> bool {
        let version = |own: &Self| own.0.parameters().map(OwnParameters::version);
        self.0.info().name == other.0.info().name && version(self) == version(other)
    }
}

impl Eq for OwnChoice {}

impl OwnChoice {
    /// The controller for a new connection.
    pub fn build(self, setup: &Setup) -> OwnRunning {
        OwnRunning { choice: self, state: self.0.build(setup) }
    }
}

/// A controller from outside in a connection.
#[derive(Clone, Copy, Debug)]
pub struct OwnRunning {
    choice: OwnChoice,
    state: StateWords,
}

impl OwnRunning {
    /// Its state.
    pub const fn state(&self) -> &StateWords {
        &self.state
    }

    /// Its state, for whoever steers it from outside between two verbs.
    pub const fn state_mut(&mut self) -> &mut StateWords {
        &mut self.state
    }
}

impl Controller for OwnRunning {
    fn measure(&mut self, ack: &Ack) {
        self.choice.0.measure(&mut self.state, ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        self.choice.0.grow(&mut self.state, w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        self.choice.0.reduce(&mut self.state, w, cause, now)
    }

    fn timed_out(&mut self, now: Instant) {
        self.choice.0.timed_out(&mut self.state, now);
    }

    fn lost(&mut self, segment: &LostSegment) {
        self.choice.0.lost(&mut self.state, segment);
    }

    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        self.choice.0.recovered(&mut self.state, w, now)
    }

    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window {
        self.choice.0.undone(&mut self.state, now_w, before, now)
    }

    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        self.choice.0.restarted(&mut self.state, w, idle, now)
    }

    fn control_scope(&self) -> ControlScope {
        self.choice.0.control_scope()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.choice.0.pacing_rate(&self.state)
    }

    fn bwe(&self) -> Option<Rate> {
        self.choice.0.bwe(&self.state)
    }
}
