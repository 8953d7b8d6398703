//! A controller in the language of a scenario, as its parts were written.

use westwood_cc::Ratio;
use westwood_cc::own::STATE_WORDS;

use crate::event::VerbName;

/// The most numbers that a connection of a defined controller can keep.
pub const MOST_STATE: usize = STATE_WORDS - 1;

/// A controller as it is written: names, numbers and the text of each verb. Two that say the same are the
/// same controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) everything: bool,
    pub(crate) parameters: Vec<DefinedParameter>,
    pub(crate) state: Vec<(String, f64)>,
    pub(crate) verbs: [Option<String>; VerbName::ALL.len()],
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DefinedParameter {
    pub(crate) name: String,
    pub(crate) usual: Ratio,
    pub(crate) value: Ratio,
}

impl Definition {
    /// A controller of this name without a verb of its own.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            everything: false,
            parameters: Vec::new(),
            state: Vec::new(),
            verbs: [const { None }; VerbName::ALL.len()],
        }
    }

    /// Says its rule in a sentence.
    pub fn about(&mut self, about: impl Into<String>) {
        self.about = about.into();
    }

    /// Lets it command the window in recovery too, at every ACK.
    pub fn commands_everything(&mut self, everything: bool) {
        self.everything = everything;
    }

    /// Adds a parameter with its usual value.
    pub fn parameter(&mut self, name: impl Into<String>, usual: Ratio) {
        self.parameters.push(DefinedParameter { name: name.into(), usual, value: usual });
    }

    /// Adds a number that each connection keeps, with its first value.
    pub fn state(&mut self, name: impl Into<String>, first: f64) {
        self.state.push((name.into(), first));
    }

    /// Gives a verb its text.
    pub fn verb(&mut self, verb: VerbName, text: impl Into<String>) {
        self.verbs[verb as usize] = Some(text.into());
    }
}
