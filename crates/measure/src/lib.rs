//! Real transfers, measured as the papers measured them.
//!
//! A [`Campaign`] sends data to a stock iperf3 server, again and again, with one congestion
//! controller after another, so that each state of the path meets them all. It samples the kernel's
//! account of each connection, and keeps every finished run in a journal, so that a campaign that
//! broke can go on.
//!
//! * [`controllers`]: those that this kernel offers.
//! * [`Client`]: one test of the iperf3 protocol.
//! * [`TcpInfo`]: the kernel's account of a connection.
//! * [`background`]: traffic beside the transfers.
//!
//! Only Linux can measure: the controller of a socket, and `TCP_INFO`, are its own. Elsewhere campaigns can
//! be read and shown.

mod amount;
pub mod background;
mod campaign;
mod client;
pub mod controllers;
mod error;
mod journal;
mod protocol;
mod results;
mod stream;
// The part that needs Linux, and its substitute elsewhere.
mod connection_log;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod system;
mod tcp_info;

pub use amount::Amount;
pub use background::Background;
pub use campaign::{Campaign, CampaignRun, CampaignSlot, Settings};
pub use client::{Client, EstimateReader, ServerAddress};
pub use connection_log::{TcpSample, TransferResult};
pub use error::MeasureError;
pub use journal::{CampaignJournal, JournalError};
pub use tcp_info::TcpInfo;
