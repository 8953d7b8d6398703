//! A connection's life line by line: what arrives, what is sent, and what becomes of the window.
//!
//! The sender, the receiver and the links are the crates' own. Only the loop that wakes them is
//! written again, since the engine's probes tell of windows and not of every ACK. So that a trace
//! is one of the engine's runs all the same, its windows are held to the engine's probes.

mod play;
mod run;
mod sheet;

pub(crate) use play::play;
pub(crate) use run::{Run, hundredths, kbit};
