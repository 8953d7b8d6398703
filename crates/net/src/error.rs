//! Why a link's configuration was refused.

use std::fmt;

/// One field of a configuration is out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The field's path within the configuration: `losses[1].p`.
    pub field: String,
    /// The values that the field may take: `within 0 to 1`.
    pub must: &'static str,
}

impl LinkError {
    /// An error unless `holds`.
    pub(crate) fn unless(
        holds: bool,
        field: impl Into<String>,
        must: &'static str,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { field: field.into(), must }) }
    }

    /// An error unless `p` is a probability.
    pub(crate) fn unless_probability(p: f64, field: impl Into<String>) -> Result<(), Self> {
        Self::unless((0.0..=1.0).contains(&p), field, "within 0 to 1")
    }

    /// The same error, one level further out: `p` becomes `losses[1].p`.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        self.field = format!("{outer}.{}", self.field);
        self
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}", self.field, self.must)
    }
}

impl std::error::Error for LinkError {}
