//! The situation of a contest: properties that all its runs share.

/// The properties that all runs of a judgement share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// The flows under test are transfers.
    pub transfers: bool,
    /// There is more than one of them.
    pub several: bool,
    /// The rate of the measured link, in bits a second; the mean capacity while measured, where it varies.
    pub rate_bps: f64,
    /// The capacity of the measured link is recorded, or its rate changes.
    pub capacity_varies: bool,
    /// The longest base round-trip time, in milliseconds.
    pub base_rtt_ms: f64,
    /// The measured link lost every packet at random in each run.
    pub lost_every_packet: bool,
    /// A link left out ACKs.
    pub acks_left_out: bool,
    /// The controller of the competing flows, if there are any.
    pub rival: Option<String>,
    /// The number of the competing flows.
    pub rivals: usize,
}
