//! Paths that change the ECN field: `bleach`, `clear-ce`, `remark`.

use std::fmt;

use westwood_net::EcnPath;

use crate::error::BadInput;

const NAMES: [(&str, EcnPath); 3] =
    [("bleach", EcnPath::Bleach), ("clear-ce", EcnPath::ClearCe), ("remark", EcnPath::Remark)];

/// A link's change of the ECN field of departing packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnPathSpec(EcnPath);

impl EcnPathSpec {
    /// The names that are understood.
    pub const NAMES: [&str; 3] = ["bleach", "clear-ce", "remark"];

    /// Reads a name.
    ///
    /// ```
    /// use westwood_scenario::spec::EcnPathSpec;
    /// for name in EcnPathSpec::NAMES {
    ///     assert_eq!(EcnPathSpec::parse(name).unwrap().to_string(), name);
    /// }
    /// assert!(EcnPathSpec::parse("bleech").unwrap_err().to_string().contains("bleach"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let found = NAMES.iter().find(|(name, _)| *name == text.trim());
        found
            .map(|(_, path)| Self(*path))
            .ok_or_else(|| BadInput::unknown("ECN path", text, Self::NAMES))
    }

    /// As a link takes it.
    pub fn config(self) -> EcnPath {
        self.0
    }
}

impl fmt::Display for EcnPathSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, path)| *path == self.0).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}
