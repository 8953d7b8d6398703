//! Why a network cannot be simulated.

use std::fmt;

use westwood_net::LinkError;

/// Why a network cannot be simulated, or why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimError {
    /// A link's configuration is out of range.
    Link {
        /// The link's name.
        link: String,
        /// Which field, and what it must be.
        error: LinkError,
    },
    /// A link or flow refers to a node that does not exist.
    NoSuchNode {
        /// The link's or flow's name.
        of: String,
    },
    /// No links lead from one node to another.
    NoRoute {
        /// The flow's name.
        flow: String,
        /// Its sender's node.
        from: String,
        /// Its receiver's node.
        to: String,
    },
    /// A given path does not lead from the flow's sender to its receiver.
    BrokenPath {
        /// The flow's name.
        flow: String,
    },
    /// A flow's own numbers are out of range.
    Flow {
        /// The flow's name.
        flow: String,
        /// The fault.
        what: &'static str,
    },
    /// An agent beside a link cannot do its task.
    Agent {
        /// The link's name, or its number if there is no such link.
        link: String,
        /// The fault.
        what: &'static str,
    },
    /// The warm-up is not shorter than the run.
    WarmupTooLong,
    /// The run was told to stop.
    Cancelled,
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { link, error } => write!(f, "link '{link}': {error}"),
            Self::NoSuchNode { of } => write!(f, "'{of}' refers to a node that does not exist"),
            Self::NoRoute { flow, from, to } => {
                write!(f, "flow '{flow}': no links lead from '{from}' to '{to}' and back")
            }
            Self::BrokenPath { flow } => {
                write!(f, "flow '{flow}': the given path does not lead from end to end")
            }
            Self::Flow { flow, what } => write!(f, "flow '{flow}': {what}"),
            Self::Agent { link, what } => write!(f, "agent beside link '{link}': {what}"),
            Self::WarmupTooLong => f.write_str("the warm-up must be shorter than the run"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for SimError {}
