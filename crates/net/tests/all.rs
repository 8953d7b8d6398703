//! Everything that links and queues promise to their users.
//!
//! The files are one program: what is generic is compiled once for all of them.

mod ack_filter;
mod arq;
mod bursts;
mod common;
mod delays;
mod fec;
mod links;
mod policer;
mod queues;
mod reorder;
mod traces;
