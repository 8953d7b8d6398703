//! Defined controllers, each compiled once.

use std::sync::{Mutex, PoisonError};

use westwood_cc::Rate;
use westwood_cc::controller::{Ack, ControlScope, LostSegment, Setup};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnChoice, OwnParameters, STATE_WORDS, StateWords};
use westwood_cc::params::{Param, ParamError, ParamKind, Value};

use crate::compile::{compiled, is_reserved};
use crate::definition::{DefinedParameter, Definition, MOST_STATE};
use crate::error::{ScriptError, ScriptErrorKind, ScriptPart};
use crate::event::{
    CongestionDetected, EstimateRequested, GrowthRequested, PacingRequested, RecoveryEnded,
    ReductionUndone, SendingRestarted, Start, VerbEvent, VerbName,
};
use crate::float_verbs::{FloatController, FloatVerbs, WindowAnswer};
use crate::program::Program;
use crate::units::{count, rate};

/// The word of a connection's state that has its payload of a segment; the others are the controller's.
const SMSS: usize = STATE_WORDS - 1;

/// A defined controller.
#[derive(Debug)]
struct Script {
    info: &'static Info,
    definition: Definition,
    version: u64,
    /// The one with the usual values of its parameters; none if these are the usual ones.
    usual: Option<OwnChoice>,
    parameters: &'static [Param],
    programs: [Option<Program>; VerbName::ALL.len()],
}

/// Every controller that has been defined. A connection refers to its controller as long as it lives, and
/// few are ever written: they are kept until the process ends.
static DEFINED: Mutex<Vec<&'static FloatController<Script>>> = Mutex::new(Vec::new());

/// The controller of this definition. The same definition again is the same controller.
///
/// # Errors
/// If something in it cannot be read.
pub fn define(definition: Definition) -> Result<OwnChoice, ScriptError> {
    define_beside(definition, None)
}

/// The controller of this definition, whose usual values are those of another one.
fn define_beside(
    definition: Definition,
    usual: Option<OwnChoice>,
) -> Result<OwnChoice, ScriptError> {
    let mut all = DEFINED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.iter().find(|known| known.0.definition == definition) {
        return Ok(OwnChoice(*known));
    }
    check_names(&definition)?;
    let programs = programs(&definition)?;
    check_scope(&definition, &programs)?;
    let summary = if definition.about.is_empty() {
        "defined by the scenario".to_owned()
    } else {
        definition.about.clone()
    };
    let info = Info {
        name: definition.name.clone().leak(),
        aliases: &[],
        summary: summary.leak(),
        source: "the scenario",
    };
    let parameter = |parameter: &DefinedParameter| Param {
        name: parameter.name.clone().leak(),
        doc: &["A number of the controller's own."],
        kind: ParamKind::Ratio,
        bounds: None,
    };
    let parameters: Vec<Param> = definition.parameters.iter().map(parameter).collect();
    let script = Script {
        info: Box::leak(Box::new(info)),
        version: all.len() as u64,
        usual,
        parameters: parameters.leak(),
        programs,
        definition,
    };
    let entry: &'static FloatController<Script> = Box::leak(Box::new(FloatController(script)));
    all.push(entry);
    Ok(OwnChoice(entry))
}

fn said(part: ScriptPart, message: String, hint: &str) -> ScriptError {
    let kind = ScriptErrorKind::Said { message, hint: Some(hint.to_owned()) };
    ScriptError { part, place: 0..0, kind }
}

/// Refuses names that cannot be written, or mean something else.
fn check_names(definition: &Definition) -> Result<(), ScriptError> {
    let name = &definition.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+.".contains(c);
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        let what = format!("'{name}' cannot name a controller");
        return Err(said(ScriptPart::Name, what, "write small letters, digits, '-', '+' and '.'"));
    }
    let parameters = definition.parameters.iter().enumerate();
    let parameters = parameters.map(|(i, p)| (p.name.as_str(), ScriptPart::Parameter(i)));
    let state = definition.state.iter().enumerate();
    let state = state.map(|(i, (name, _))| (name.as_str(), ScriptPart::State(i)));
    let mut known: Vec<&str> = Vec::new();
    for (name, part) in parameters.chain(state) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
            let what = format!("'{name}' cannot be written in an expression");
            return Err(said(part, what, "write letters, digits and '_'"));
        }
        if known.contains(&name) || is_reserved(name) || is_told(name) || name == "pacing" {
            let what = format!("'{name}' names something else already");
            return Err(said(part, what, "give it another name"));
        }
        known.push(name);
    }
    if definition.state.len() > MOST_STATE {
        let what = format!("a connection keeps {MOST_STATE} numbers at most");
        return Err(said(ScriptPart::State(MOST_STATE), what, "leave one of them out"));
    }
    if let Some(i) = definition.state.iter().position(|(_, first)| !first.is_finite()) {
        let what = format!("'{}' begins without a finite value", definition.state[i].0);
        return Err(said(ScriptPart::State(i), what, "write a number, such as 0 or 1e9"));
    }
    Ok(())
}

/// True if a verb is told something of this name.
fn is_told(name: &str) -> bool {
    fn of<E: VerbEvent>(name: &str) -> bool {
        E::ARGUMENTS.iter().any(|(known, _)| *known == name) || E::WORDS.contains(&name)
    }
    [
        of::<Start>,
        of::<Ack>,
        of::<LostSegment>,
        of::<GrowthRequested>,
        of::<CongestionDetected>,
        of::<RecoveryEnded>,
        of::<ReductionUndone>,
        of::<SendingRestarted>,
    ]
    .iter()
    .any(|of| of(name))
}

/// Refuses a text for what only a controller that commands everything is told.
fn check_scope(
    definition: &Definition,
    programs: &[Option<Program>; VerbName::ALL.len()],
) -> Result<(), ScriptError> {
    if definition.everything {
        return Ok(());
    }
    let hint = |verb, what: &str, or: &str| {
        let hint = format!("write everything = true, or {or}");
        Err(said(ScriptPart::Verb(verb), what.to_owned(), &hint))
    };
    if programs[VerbName::Lost as usize].is_some() {
        let what = "lost segments are told to a controller with everything = true alone";
        return hint(VerbName::Lost, what, "leave the verb out");
    }
    let rate = Ack::ARGUMENTS.iter().position(|(name, _)| *name == "delivery_rate");
    let measure = programs[VerbName::Measure as usize].as_ref();
    if measure.zip(rate).is_some_and(|(program, rate)| program.reads(rate)) {
        let what = "a controller with everything = true alone has 'delivery_rate'";
        return hint(VerbName::Measure, what, "take 'delivered' and 'now'");
    }
    Ok(())
}

/// The operations of every verb that has a text.
fn programs(
    definition: &Definition,
) -> Result<[Option<Program>; VerbName::ALL.len()], ScriptError> {
    let mut programs = [const { None }; VerbName::ALL.len()];
    for (verb, text) in VerbName::ALL.into_iter().zip(&definition.verbs) {
        let Some(text) = text else { continue };
        let program = match verb {
            VerbName::Start => compiled::<Start>(definition, text),
            VerbName::Measure => compiled::<Ack>(definition, text),
            VerbName::Lost => compiled::<LostSegment>(definition, text),
            VerbName::Grow => compiled::<GrowthRequested>(definition, text),
            VerbName::Reduce => compiled::<CongestionDetected>(definition, text),
            VerbName::Recovered => compiled::<RecoveryEnded>(definition, text),
            VerbName::Undone => compiled::<ReductionUndone>(definition, text),
            VerbName::Restarted => compiled::<SendingRestarted>(definition, text),
            VerbName::PacingRate => compiled::<PacingRequested>(definition, text),
            VerbName::Bwe => compiled::<EstimateRequested>(definition, text),
        };
        let program = program.map_err(|fault| ScriptError {
            part: ScriptPart::Verb(verb),
            place: fault.place,
            kind: fault.kind,
        })?;
        programs[verb as usize] = Some(program);
    }
    Ok(programs)
}

impl Script {
    /// Carries out the verb of an event, if there is one.
    #[inline]
    fn answer<E: VerbEvent>(&self, event: &E, state: &mut StateWords) -> Option<[f64; 2]> {
        let program = self.programs[E::VERB as usize].as_ref()?;
        let text = self.definition.verbs[E::VERB as usize].as_deref().unwrap_or_default();
        program.answer((self.info.name, text), event, state)
    }

    #[inline]
    fn windows<E: VerbEvent>(&self, event: &E, state: &mut StateWords) -> Option<WindowAnswer> {
        let [first, second] = self.answer(event, state)?;
        let both = self.programs[E::VERB as usize].as_ref().is_some_and(|p| p.answers == 2);
        Some(WindowAnswer { first, second: both.then_some(second) })
    }

    /// A rate; a negative one is none.
    fn rate<E: VerbEvent>(&self, event: &E, state: &StateWords) -> Option<Rate> {
        let [asked, _] = self.answer(event, &mut { *state })?;
        (asked > 0.0).then(|| rate(asked, count(state[SMSS])))
    }
}

impl FloatVerbs for Script {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        Some(self)
    }

    fn control_scope(&self) -> ControlScope {
        if self.definition.everything { ControlScope::Everything } else { ControlScope::Window }
    }

    fn draws(&self) -> bool {
        let seed = Start::ARGUMENTS.iter().position(|(name, _)| *name == "seed");
        let start = self.programs[VerbName::Start as usize].as_ref();
        start.zip(seed).is_some_and(|(program, seed)| program.reads(seed))
    }

    fn start(&self, setup: &Setup) -> StateWords {
        let mut state = [0; STATE_WORDS];
        for (word, (_, first)) in state.iter_mut().zip(&self.definition.state) {
            *word = first.to_bits();
        }
        state[SMSS] = setup.smss.get();
        self.answer(setup, &mut state);
        state
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        self.answer(ack, state);
    }

    fn lost(&self, state: &mut StateWords, segment: &LostSegment) {
        self.answer(segment, state);
    }

    fn grow(&self, state: &mut StateWords, growth: &GrowthRequested) -> Option<WindowAnswer> {
        self.windows(growth, state)
    }

    fn reduce(
        &self,
        state: &mut StateWords,
        congestion: &CongestionDetected,
    ) -> Option<WindowAnswer> {
        self.windows(congestion, state)
    }

    fn recovered(&self, state: &mut StateWords, end: &RecoveryEnded) -> Option<WindowAnswer> {
        self.windows(end, state)
    }

    fn undone(&self, state: &mut StateWords, undone: &ReductionUndone) -> Option<WindowAnswer> {
        self.windows(undone, state)
    }

    fn restarted(
        &self,
        state: &mut StateWords,
        restarted: &SendingRestarted,
    ) -> Option<WindowAnswer> {
        self.windows(restarted, state)
    }

    fn pacing_rate(&self, state: &StateWords) -> Option<Rate> {
        self.rate(&PacingRequested, state)
    }

    fn bwe(&self, state: &StateWords) -> Option<Rate> {
        self.rate(&EstimateRequested, state)
    }
}

impl OwnParameters for Script {
    fn version(&self) -> u64 {
        self.version
    }

    fn list(&self) -> &'static [Param] {
        self.parameters
    }

    fn get(&self, name: &str) -> Option<Value<'static>> {
        let parameter = self.definition.parameters.iter().find(|p| p.name == name)?;
        Some(Value::Ratio(parameter.value))
    }

    fn with(&self, name: &str, value: Value<'_>) -> Result<OwnChoice, ParamError> {
        let Value::Ratio(value) = value else { return Err(ParamError::Kind(ParamKind::Ratio)) };
        let mut definition = self.definition.clone();
        let parameter = definition.parameters.iter_mut().find(|p| p.name == name);
        parameter.ok_or(ParamError::Unknown)?.value = value;
        let usual = self.usual.or_else(|| define(self.definition.clone()).ok());
        // The texts have been read before, with another number in the same place.
        define_beside(definition, usual).map_err(|_| ParamError::Unknown)
    }

    fn usual(&self) -> Option<OwnChoice> {
        self.usual
    }
}
