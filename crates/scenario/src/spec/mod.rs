//! Specifications: a name, and parameters in parentheses.
//!
//! ```text
//! westwood+(tau=0.3s,filter=b)    markov(good=8s,bad=4s,p=5%)    ber(1e-6)    droptail
//! ```
//!
//! In a list, commas inside parentheses do not separate.

mod ack_filter;
mod arq;
mod bursts;
mod call;
mod controller;
mod ecn_path;
mod fec;
mod host;
mod loss;
mod own;
mod per_flow_time;
mod policer;
mod queue;
mod receiver_clock;
mod reorder;
mod spread;

pub use ack_filter::AckFilterSpec;
pub use arq::ArqSpec;
pub use bursts::BurstSpec;
pub(crate) use call::list_parts;
pub use call::split_list;
pub use controller::{ControllerSpec, controllers, pacing_text, parameter_text};
pub(crate) use controller::{controllers_among, ratio};
pub use ecn_path::EcnPathSpec;
pub use fec::FecSpec;
pub use host::{ReceiverSpec, buffer_sizes, reading, size_or_none};
pub use loss::{LOSSES, loss_text, losses, losses_text, plain_losses};
pub(crate) use own::registered_named;
pub use own::{head_of_own, register, register_anew, registered};
pub use per_flow_time::PerFlowTime;
pub use policer::PolicerSpec;
pub use queue::{Aqm, QUEUES, QueueEcn};
pub use receiver_clock::receiver_clock;
pub use reorder::ReorderSpec;
pub use spread::{SPREADS, jitter, random_size, random_span};

/// A loss process or a queue, as it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecForm {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// An example that is valid as it stands.
    pub example: &'static str,
    /// Its effect, in a line.
    pub summary: &'static str,
    /// Parameters: name, default (empty if it must be given) and meaning.
    pub parameters: &'static [(&'static str, &'static str, &'static str)],
}
