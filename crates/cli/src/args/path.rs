//! The flags that describe a path.

use clap::Args;
use westwood_cc::{Duration, Rate};
use westwood_scenario::spec::Aqm;
use westwood_scenario::units::{self, Buffer};

use super::values::{Losses, TraceFiles, access_rate, bottleneck_rate, rtt};

/// The path of a comparison or of an emulation.
#[derive(Clone, Debug, Args)]
pub struct PathArgs {
    /// Rate of the bottleneck.
    ///
    /// 10Mbit/s, 10Mbps, 10mbit and 10M mean the same; MB/s is megabytes a second.
    #[arg(long, value_parser = bottleneck_rate, default_value = "10Mbit/s", allow_hyphen_values = true,
        conflicts_with = "trace", help_heading = "Path")]
    pub rate: Rate,

    /// Rate of the bottleneck in the other direction [default: as --rate].
    #[arg(long, value_parser = bottleneck_rate, value_name = "RATE", allow_hyphen_values = true,
        help_heading = "Path")]
    pub return_rate: Option<Rate>,

    /// Round-trip time, propagation only.
    ///
    /// The bottleneck takes 10 ms one way, or a quarter of the RTT if that is less; the access links
    /// share the rest equally.
    #[arg(long, value_parser = rtt, default_value = "100ms", allow_hyphen_values = true, help_heading = "Path")]
    pub rtt: Duration,

    /// How much may wait before the bottleneck, in each direction.
    ///
    /// In packets (83pkt), bytes (125kB), time (100ms, of each direction's own rate) or
    /// bandwidth-delay products (1.5bdp: rate times the largest RTT, truncated to whole packets).
    /// The packet in service does not count.
    #[arg(long, value_parser = units::buffer, default_value = "1bdp", allow_hyphen_values = true,
        help_heading = "Path")]
    pub buffer: Buffer,

    /// Losses in the data direction [default: 0.5%].
    ///
    /// Losses fall after transmission, so a lost packet has used the link. 1%, ber(1e-6),
    /// markov(good=8s,bad=4s,p=5%), gilbert(good=1s,bad=10ms,p=10%), outage(every=4s,for=100ms),
    /// several of them with commas between, or none. See `westwood list losses`.
    #[arg(long, value_parser = Losses::parse, allow_hyphen_values = true, help_heading = "Path")]
    pub loss: Option<Losses>,

    /// Losses in both directions, on top of --loss; no other loss unless --loss is given too.
    #[arg(long, value_parser = Losses::parse, value_name = "LOSS", allow_hyphen_values = true,
        help_heading = "Path")]
    pub loss_both: Option<Losses>,

    /// Queue management at the bottleneck, in each direction.
    ///
    /// droptail, threshold(mark=20), red, codel, fq_codel, with parameters: red(gentle=on,ecn=on).
    /// Where it marks, connections negotiate ECN. See `westwood list queues`.
    #[arg(long, value_parser = Aqm::parse, default_value = "droptail", value_name = "QUEUE",
        allow_hyphen_values = true, help_heading = "Path")]
    pub aqm: Aqm,

    /// Rate of every access link [default: ten times the faster --rate].
    #[arg(long, value_parser = access_rate, value_name = "RATE", allow_hyphen_values = true,
        help_heading = "Path")]
    pub access_rate: Option<Rate>,

    /// Recorded capacity of the bottleneck instead of a rate.
    ///
    /// Each line of a file is a time in milliseconds and an opportunity to send 1500 bytes. Without
    /// UP the return has the mean rate of DOWN, or --return-rate.
    #[arg(long, value_parser = TraceFiles::parse, value_name = "DOWN[,UP]", help_heading = "Path")]
    pub trace: Option<TraceFiles>,
}
