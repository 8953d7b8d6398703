//! The error of an expression.

use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Location;

/// The error of an expression, and its place.
#[derive(Clone, Debug)]
pub struct ExprError {
    /// The part that it is about.
    pub place: Location,
    /// The fault.
    pub error: BadInput,
}

impl ExprError {
    /// A message about a place.
    pub fn new(place: Location, message: impl Into<String>) -> Self {
        Self { place, error: BadInput::new(message) }
    }

    /// The text to write instead.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { error: self.error.hint(hint), ..self }
    }
}
