//! The simulator's links on real packets.
//!
//! ```text
//!  client's namespace                                server's namespace
//!  command -- kernel -- TUN --read--> Path --write--> TUN -- kernel -- command
//! ```
//!
//! * [`path`]: the links of `westwood-net` with whole packets in them; a state machine without a
//!   clock, which treats packets as the simulator does with the same links.
//! * [`carrier`]: the loop that carries packets between devices and the path, real or simulated.
//! * [`host`], [`namespace`]: hosts, each a network namespace without a name that vanishes with the
//!   process.
//! * [`emulation`]: all of it at work, in a thread of its own.
//! * [`lateness`]: how punctual it was, always measured.
//! * [`linux`]: a network's flows as connections of the kernel, with a simulation's kind of outcome.
//! * [`stale_processes`]: the processes that a killed emulator has left running, and their end.
//!
//! Linux only: elsewhere the crate is empty.

#![cfg(target_os = "linux")]

pub mod addresses;
pub mod carrier;
pub mod devices;
pub mod emulation;
pub mod error;
mod frame;
pub mod host;
pub mod lateness;
pub mod linux;
pub mod namespace;
pub mod path;
pub mod privileges;
mod processor_budget;
pub mod stale_processes;
mod tun;

pub use addresses::FlowEnd;
pub use carrier::{CarriedTotals, CarrierHandle, CarrierProbes, Counters, Devices, PathCarrier};
pub use emulation::Emulation;
pub use error::EmuError;
pub use host::{Host, HostConfig};
pub use lateness::Lateness;
pub use linux::LinuxRun;
pub use path::{DeliveredPacket, EmulatedPath, FlowDirection, Observer};
