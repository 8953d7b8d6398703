//! The simulator for a browser: a module without imports, whose exports any host of WebAssembly can call.
//!
//! A call is a request in and a reply out, both bytes in the module's memory:
//!
//! ```text
//! westwood_input(n)   room for a request of n bytes, which the host fills
//! westwood_call()     carries it out; the reply's length
//! westwood_output()   the reply's place
//! ```
//!
//! * [`request`]: requests, as JSON.
//! * [`reply`]: the layout of a reply: JSON, then columns of numbers that a host copies at once.
//! * [`engine`]: the plan and the run at hand. A run goes on step by step, so that a host which has one
//!   thread sees its progress.
//! * [`plan`], [`series`], [`passages`]: a network, its time series and its packets as a page shows them.
//!
//! A module belongs to one thread. Nothing here reads a clock.

pub mod engine;
mod exports;
pub mod passages;
pub mod plan;
pub mod reply;
pub mod request;
pub mod series;

pub use engine::WebEngine;
pub use reply::Reply;
