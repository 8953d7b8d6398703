//! Everything that the simulator promises to its users but the fingerprints of results.
//!
//! The files are one program: what is generic is compiled once for all of them.

mod agents;
mod bbr3;
mod copa;
mod delays;
mod ecn;
mod engines;
mod golden;
mod handshakes;
mod hosts;
mod l4s;
mod laws;
mod ledbat;
mod mathematics;
mod media;
mod modifiers;
mod networks;
mod one_way_delay;
mod proxies;
mod random_networks;
mod stepped;
mod support;
mod tracer;
mod vivace;
