//! Everything that a sender and a receiver promise to their users.
//!
//! The files are one program: what is generic is compiled once for all of them.

mod delivery;
mod every_byte_once;
mod extensions;
mod linux;
mod linux_buffers;
mod misbehaviour;
mod ns2;
mod one_way_delay;
mod pacing;
mod rfc2018;
mod rfc3042;
mod rfc3168;
mod rfc3465;
mod rfc5681;
mod rfc6298;
mod rfc6582;
mod rfc6675;
mod rfc7323;
mod rfc8257;
mod rfc9293;
mod rfc9331;
mod rfc9768;
mod sack_1996;
mod support;
mod vegas;
