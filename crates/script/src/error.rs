//! The faults of a controller's text.

use std::ops::Range;

use westwood_expr::BadExpression;

use crate::event::VerbName;

/// A fault of a definition, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The part of the definition.
    pub part: ScriptPart,
    /// The bytes of that part's text; empty if it is about the part as a whole.
    pub place: Range<usize>,
    /// The fault.
    pub kind: ScriptErrorKind,
}

/// A part of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptPart {
    /// Its name.
    Name,
    /// The parameter of this place.
    Parameter(usize),
    /// The state of this place.
    State(usize),
    /// The text of a verb.
    Verb(VerbName),
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptErrorKind {
    /// In words.
    Said {
        /// The fault.
        message: String,
        /// The text to write instead.
        hint: Option<String>,
    },
    /// A name that nothing has.
    Unknown {
        /// The kind of thing that it should name.
        sort: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
}

/// A fault of a verb's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFault {
    pub(crate) place: Range<usize>,
    pub(crate) kind: ScriptErrorKind,
}

impl TextFault {
    pub(crate) fn new(place: Range<usize>, message: impl Into<String>) -> Self {
        Self { place, kind: ScriptErrorKind::Said { message: message.into(), hint: None } }
    }

    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        if let ScriptErrorKind::Said { hint, .. } = &mut self.kind {
            *hint = Some(text.into());
        }
        self
    }
}

impl From<BadExpression<Range<usize>>> for TextFault {
    fn from(wrong: BadExpression<Range<usize>>) -> Self {
        let kind = ScriptErrorKind::Said { message: wrong.message, hint: wrong.hint };
        Self { place: wrong.place, kind }
    }
}
