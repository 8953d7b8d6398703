//! Controllers written in Python: classes whose methods are the verbs of a controller.
//!
//! A verb that a class does not have does as Reno does, and Python is not asked.

mod session;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use westwood_cc::Rate;
use westwood_cc::controller::{Ack, ControlScope, LostSegment, Setup};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnParameters, STATE_WORDS, StateWords};
use westwood_script::event::{
    ArgumentValue, CongestionDetected, EstimateRequested, GrowthRequested, Named, PacingRequested,
    RecoveryEnded, ReductionUndone, SendingRestarted, Start, VerbEvent,
};
use westwood_script::units::{count, rate};
use westwood_script::{FloatVerbs, WindowAnswer};

pub(crate) use session::Session;

/// A class of Python as a controller.
pub(crate) struct Scripted {
    info: &'static Info,
    class: Py<PyAny>,
    command: ControlScope,
    /// Its `start` asks for the seed.
    draws: bool,
    start: Option<Verb<Start>>,
    measure: Option<Verb<Ack>>,
    lost: Option<Verb<LostSegment>>,
    grow: Option<Verb<GrowthRequested>>,
    reduce: Option<Verb<CongestionDetected>>,
    recovered: Option<Verb<RecoveryEnded>>,
    undone: Option<Verb<ReductionUndone>>,
    restarted: Option<Verb<SendingRestarted>>,
    pacing_rate: Option<Verb<PacingRequested>>,
    bwe: Option<Verb<EstimateRequested>>,
}

/// The number of the controller's object in its [`Session`], and the payload of a segment.
const OBJECT: usize = 0;
const SMSS: usize = 1;

/// An argument's value as Python has it.
fn object(value: ArgumentValue, py: Python<'_>) -> Bound<'_, PyAny> {
    match value {
        ArgumentValue::Float(value) => PyFloat::new(py, value).into_any(),
        ArgumentValue::Seed(value) => PyInt::new(py, value).into_any(),
        ArgumentValue::Switch(value) => PyBool::new(py, value).to_owned().into_any(),
        ArgumentValue::Word(words, place) => match words.get(place) {
            Some(word) => PyString::intern(py, word).into_any(),
            None => py.None().into_bound(py),
        },
        ArgumentValue::Absent => py.None().into_bound(py),
    }
}

/// A verb that a class has: its function, and the arguments that it names.
struct Verb<E> {
    function: Py<PyAny>,
    arguments: Box<[Named<E>]>,
}

impl<E: VerbEvent> Verb<E> {
    /// The verb of a class, if it has it. `parameters` tells the names of a function's parameters.
    fn of(class: &Bound<'_, PyAny>, parameters: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Some(function) = class.getattr_opt(E::VERB.name())? else { return Ok(None) };
        let names: Vec<String> = parameters.call1((&function,))?.extract()?;
        let argument = |name: String| {
            let found = E::ARGUMENTS.iter().find(|(known, _)| *known == name);
            found.copied().ok_or_else(|| unknown::<E>(class, &name))
        };
        // The first is the controller itself.
        let arguments = names.into_iter().skip(1).map(argument).collect::<PyResult<_>>()?;
        Ok(Some(Self { function: function.unbind(), arguments }))
    }

    /// True if it names this argument.
    fn asks(&self, argument: &str) -> bool {
        self.arguments.iter().any(|(name, _)| *name == argument)
    }

    fn call<'py>(&self, controller: Bound<'py, PyAny>, event: &E) -> PyResult<Bound<'py, PyAny>> {
        let py = controller.py();
        let told = self.arguments.iter().map(|(_, tell)| object(tell(event), py));
        // A tuple is made with its length, which a chain of iterators does not tell.
        let (size, mut all) = (told.len() + 1, std::iter::once(controller).chain(told));
        let one = |_| all.next().unwrap_or_else(|| py.None().into_bound(py));
        self.function.bind(py).call1(PyTuple::new(py, (0..size).map(one))?)
    }
}

fn unknown<E: VerbEvent>(class: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let known: Vec<&str> = E::ARGUMENTS.iter().map(|(name, _)| *name).collect();
    let class = class.getattr("__name__").map_or_else(|_| String::new(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "{class}.{} has no argument {name:?} to be given; there are: {}",
        E::VERB.name(),
        if known.is_empty() { "none".to_owned() } else { known.join(", ") }
    ))
}

impl Scripted {
    /// A class as a controller.
    pub(crate) fn of(
        class: &Bound<'_, PyAny>,
        info: &'static Info,
        everything: bool,
    ) -> PyResult<Self> {
        let parameters = class.py().import("westwood.controllers")?.getattr("_parameters")?;
        let start = Verb::of(class, &parameters)?;
        Ok(Self {
            info,
            command: if everything { ControlScope::Everything } else { ControlScope::Window },
            draws: start.as_ref().is_some_and(|start| start.asks("seed")),
            start,
            measure: Verb::of(class, &parameters)?,
            lost: Verb::of(class, &parameters)?,
            grow: Verb::of(class, &parameters)?,
            reduce: Verb::of(class, &parameters)?,
            recovered: Verb::of(class, &parameters)?,
            undone: Verb::of(class, &parameters)?,
            restarted: Verb::of(class, &parameters)?,
            pacing_rate: Verb::of(class, &parameters)?,
            bwe: Verb::of(class, &parameters)?,
            class: class.clone().unbind(),
        })
    }

    /// Asks the class, if it has the verb, and reads its answer. None if it has not, and after an exception,
    /// with which the run ends.
    fn ask<E: VerbEvent, T>(
        &self,
        verb: Option<&Verb<E>>,
        state: &StateWords,
        event: &E,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let verb = verb?;
        Python::attach(|py| {
            let controller = Session::controller(py, state[OBJECT])?;
            let answer = verb.call(controller, event).and_then(|answer| {
                read(&answer).map_err(|error| self.misread(py, E::VERB.name(), &answer, &error))
            });
            answer.map_err(Session::fail).ok()
        })
    }

    /// An answer that is no answer to this verb.
    fn misread(&self, py: Python<'_>, verb: &str, answer: &Bound<'_, PyAny>, why: &PyErr) -> PyErr {
        let name = self.class.bind(py).getattr("__name__");
        let name = name.map_or_else(|_| self.info.name.to_owned(), |name| name.to_string());
        let answer = answer.repr().map_or_else(|_| "an answer".to_owned(), |text| text.to_string());
        let error =
            PyValueError::new_err(format!("{name}.{verb} returned {answer}: {}", why.value(py)));
        error.set_cause(py, Some(why.clone_ref(py)));
        error
    }
}

const NO_WINDOW: &str = "a window is a number of segments, or two: cwnd and ssthresh";

/// A finite number.
fn number(answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let number: f64 = answer.extract().map_err(|_| PyTypeError::new_err(NO_WINDOW))?;
    if number.is_finite() { Ok(number) } else { Err(PyValueError::new_err("it is not finite")) }
}

/// A window, or two.
fn windows(answer: &Bound<'_, PyAny>) -> PyResult<WindowAnswer> {
    match answer.cast::<PyTuple>() {
        Ok(both) if both.len() == 2 => {
            let (first, second) = (number(&both.get_item(0)?)?, number(&both.get_item(1)?)?);
            Ok(WindowAnswer { first, second: Some(second) })
        }
        Ok(_) => Err(PyTypeError::new_err(NO_WINDOW)),
        Err(_) => Ok(WindowAnswer { first: number(answer)?, second: None }),
    }
}

/// A rate of segments a second; none for `None`.
fn pace(answer: &Bound<'_, PyAny>, smss: f64) -> PyResult<Option<Rate>> {
    if answer.is_none() {
        return Ok(None);
    }
    let wrong = |_| PyTypeError::new_err("a rate is a number of segments a second, or None");
    let asked: f64 = answer.extract().map_err(wrong)?;
    if asked >= 0.0 && asked.is_finite() {
        Ok(Some(rate(asked, smss)))
    } else {
        Err(PyValueError::new_err("a rate is finite and not negative"))
    }
}

impl FloatVerbs for Scripted {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        None
    }

    fn control_scope(&self) -> ControlScope {
        self.command
    }

    fn draws(&self) -> bool {
        self.draws
    }

    fn start(&self, setup: &Setup) -> StateWords {
        let mut state = [0; STATE_WORDS];
        state[SMSS] = setup.smss.get();
        let made = Python::attach(|py| self.class.call0(py));
        match made {
            Ok(controller) => state[OBJECT] = Session::keep(controller),
            Err(error) => Session::fail(error),
        }
        self.ask(self.start.as_ref(), &state, setup, |_| Ok(()));
        state
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        self.ask(self.measure.as_ref(), state, ack, |_| Ok(()));
    }

    fn lost(&self, state: &mut StateWords, segment: &LostSegment) {
        self.ask(self.lost.as_ref(), state, segment, |_| Ok(()));
    }

    fn grow(&self, state: &mut StateWords, growth: &GrowthRequested) -> Option<WindowAnswer> {
        self.ask(self.grow.as_ref(), state, growth, windows)
    }

    fn reduce(
        &self,
        state: &mut StateWords,
        congestion: &CongestionDetected,
    ) -> Option<WindowAnswer> {
        self.ask(self.reduce.as_ref(), state, congestion, windows)
    }

    fn recovered(&self, state: &mut StateWords, end: &RecoveryEnded) -> Option<WindowAnswer> {
        self.ask(self.recovered.as_ref(), state, end, windows)
    }

    fn undone(&self, state: &mut StateWords, undone: &ReductionUndone) -> Option<WindowAnswer> {
        self.ask(self.undone.as_ref(), state, undone, windows)
    }

    fn restarted(
        &self,
        state: &mut StateWords,
        restarted: &SendingRestarted,
    ) -> Option<WindowAnswer> {
        self.ask(self.restarted.as_ref(), state, restarted, windows)
    }

    fn pacing_rate(&self, state: &StateWords) -> Option<Rate> {
        let smss = count(state[SMSS]);
        self.ask(self.pacing_rate.as_ref(), state, &PacingRequested, |answer| pace(answer, smss))?
    }

    fn bwe(&self, state: &StateWords) -> Option<Rate> {
        let smss = count(state[SMSS]);
        self.ask(self.bwe.as_ref(), state, &EstimateRequested, |answer| pace(answer, smss))?
    }
}
