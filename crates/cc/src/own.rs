//! Controllers from outside this crate: the trait, and a running one without allocation.
//!
//! A program that is built on these crates describes its controller once, as a static [`OwnEntry`], and gives
//! it to `westwood_scenario::spec::register`; then its name stands wherever a controller's does.
//! `examples/own-controller` is a template.
//!
//! A connection keeps the controller's state as words of plain data, so that a connection can be copied and
//! nothing is allocated, as in a kernel.

use core::fmt;

use crate::controller::{
    Ack, Cause, Command, Controller, Grant, LostSegment, Reduction, Setup, Window,
};
use crate::controllers::Info;
use crate::units::{Duration, Instant, Rate};

/// The words of a controller's state: 128 bytes.
pub const STATE_WORDS: usize = 16;

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

/// The verbs of a controller from outside.
pub struct OwnEntry {
    info: &'static Info,
    build: fn(&Setup) -> StateWords,
    measure: fn(&mut StateWords, &Ack),
    grow: fn(&mut StateWords, Window, &Grant) -> Window,
    reduce: fn(&mut StateWords, Window, Cause, Instant) -> Reduction,
    lost: fn(&mut StateWords, &LostSegment),
    recovered: fn(&mut StateWords, Window, Instant) -> Window,
    undone: fn(&mut StateWords, Window, Window, Instant) -> Window,
    restarted: fn(&mut StateWords, Window, Duration, Instant) -> Window,
    command: fn(&StateWords) -> Command,
    pacing_rate: fn(&StateWords) -> Option<Rate>,
    bwe: fn(&StateWords) -> Option<Rate>,
}

/// Lets a controller with this state act, and keeps its state.
fn act<C: OwnController, R>(state: &mut StateWords, verb: impl FnOnce(&mut C) -> R) -> R {
    let mut controller = C::load(state);
    let answer = verb(&mut controller);
    *state = controller.save();
    answer
}

impl OwnEntry {
    /// The entry of a controller.
    pub const fn of<C: OwnController>() -> Self {
        Self {
            info: &C::INFO,
            build: |setup| C::new(setup).save(),
            measure: |state, ack| act::<C, _>(state, |c| c.measure(ack)),
            grow: |state, w, grant| act::<C, _>(state, |c| c.grow(w, grant)),
            reduce: |state, w, cause, now| act::<C, _>(state, |c| c.reduce(w, cause, now)),
            lost: |state, segment| act::<C, _>(state, |c| c.lost(segment)),
            recovered: |state, w, now| act::<C, _>(state, |c| c.recovered(w, now)),
            undone: |state, w, before, now| act::<C, _>(state, |c| c.undone(w, before, now)),
            restarted: |state, w, idle, now| act::<C, _>(state, |c| c.restarted(w, idle, now)),
            command: |state| C::load(state).command(),
            pacing_rate: |state| C::load(state).pacing_rate(),
            bwe: |state| C::load(state).bwe(),
        }
    }

    /// Its names.
    pub const fn info(&self) -> &'static Info {
        self.info
    }
}

impl fmt::Debug for OwnEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnEntry").field(&self.info.name).finish()
    }
}

/// The choice of a controller from outside. Two of one name are the same.
#[derive(Clone, Copy, Debug)]
pub struct OwnChoice(pub &'static OwnEntry);

impl PartialEq for OwnChoice {
    fn eq(&self, other: &Self) -> bool {
        self.0.info.name == other.0.info.name
    }
}

impl Eq for OwnChoice {}

impl OwnChoice {
    /// The controller for a new connection.
    pub fn build(self, setup: &Setup) -> OwnRunning {
        OwnRunning { entry: self.0, state: (self.0.build)(setup) }
    }
}

/// A controller from outside in a connection.
#[derive(Clone, Copy, Debug)]
pub struct OwnRunning {
    entry: &'static OwnEntry,
    state: StateWords,
}

impl Controller for OwnRunning {
    fn measure(&mut self, ack: &Ack) {
        (self.entry.measure)(&mut self.state, ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        (self.entry.grow)(&mut self.state, w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        (self.entry.reduce)(&mut self.state, w, cause, now)
    }

    fn lost(&mut self, segment: &LostSegment) {
        (self.entry.lost)(&mut self.state, segment);
    }

    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        (self.entry.recovered)(&mut self.state, w, now)
    }

    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window {
        (self.entry.undone)(&mut self.state, now_w, before, now)
    }

    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        (self.entry.restarted)(&mut self.state, w, idle, now)
    }

    fn command(&self) -> Command {
        (self.entry.command)(&self.state)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        (self.entry.pacing_rate)(&self.state)
    }

    fn bwe(&self) -> Option<Rate> {
        (self.entry.bwe)(&self.state)
    }
}
