//! Capture files: simulated packets written for Wireshark, and captured TCP traffic read.
//!
//! * [`write`](mod@write) is a tap on a simulation that writes pcapng.
//! * [`read`](mod@read) finds transfers in a pcap or pcapng file and runs bandwidth estimators on their
//!   ACKs.
//!
//! A capture of a simulated transfer gives the estimates that ran beside it, to the bit
//! (`tests/simulation.rs`), so that each half is held by the other.

pub mod read;
pub mod write;
