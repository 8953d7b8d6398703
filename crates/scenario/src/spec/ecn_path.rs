//! Paths that change the ECN field, and tunnels: `bleach`, `tunnel-hide`.

use std::fmt;

use westwood_net::EcnPath;

use crate::error::BadInput;

/// A tunnel whose ends copy the field does to packets what a link without a tunnel does.
const NAMES: [(&str, Option<EcnPath>); 7] = [
    ("bleach", Some(EcnPath::Bleach)),
    ("clear-ce", Some(EcnPath::ClearCe)),
    ("remark", Some(EcnPath::Remark)),
    ("mark-all", Some(EcnPath::MarkAll)),
    ("tunnel-copy", None),
    ("tunnel-forget", Some(EcnPath::TunnelForget)),
    ("tunnel-hide", Some(EcnPath::TunnelHide)),
];

/// The treatment of the ECN field on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnPathSpec(Option<EcnPath>);

impl EcnPathSpec {
    /// The names that are understood.
    pub const NAMES: [&str; 7] =
        ["bleach", "clear-ce", "remark", "mark-all", "tunnel-copy", "tunnel-forget", "tunnel-hide"];

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

    /// As a link takes it; none if the field is left alone.
    pub fn config(self) -> Option<EcnPath> {
        self.0
    }
}

impl fmt::Display for EcnPathSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, path)| *path == self.0).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}
