//! The error of a text.

/// A part of a text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadExpression<P> {
    /// The part.
    pub place: P,
    /// The fault.
    pub message: String,
    /// The text to write instead.
    pub hint: Option<String>,
}

impl<P> BadExpression<P> {
    /// A message about a place.
    pub fn new(place: P, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), hint: None }
    }

    /// The text to write instead.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
