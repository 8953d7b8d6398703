//! TCP as state machines: a sender, a receiver, and the recoveries between them. Sans I/O.

mod config;

pub use config::{AckPolicy, Config, Credit, Pacing, Recovery, RtoConfig, Sizes};
