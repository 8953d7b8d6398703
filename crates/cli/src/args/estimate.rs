//! The flags of `westwood estimate`.

use std::path::PathBuf;

use clap::Args;
use westwood_cc::{Bytes, Duration};
use westwood_report::estimates::EstimateRules;

use super::values::{JsonTarget, file, folder, output};

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpdump -i eth0 -s 128 -w mine.pcap tcp and host server.example
      a capture, taken at the sender; 128 bytes of each packet are enough
  westwood estimate mine.pcap
      what each estimator says of it, beside what was delivered
  westwood estimate mine.pcap --html estimates.html --csv estimates.csv
      curves over time as one page, and the numbers behind them
  westwood compare --cc reno --pcap caps && westwood estimate caps/1-reno-seed1-sender-of-flow-1.pcapng
      a simulated transfer
";

/// The flags of `westwood estimate`.
#[derive(Clone, Debug, Args)]
pub struct EstimateArgs {
    /// A pcap or pcapng file, taken at the sender of the data.
    #[arg(value_name = "CAPTURE", value_parser = file)]
    pub capture: PathBuf,

    /// How many transfers are shown, those with the most data first.
    ///
    /// The data that one end of a connection sends is a transfer.
    #[arg(long, value_parser = EstimateRules::transfers, default_value = "10", value_name = "N",
        allow_hyphen_values = true)]
    pub transfers: usize,

    /// Deliveries are averaged over this much time, half of it before and half behind.
    #[arg(long, value_parser = EstimateRules::window, default_value = "1s", value_name = "TIME",
        allow_hyphen_values = true)]
    pub window: Duration,

    /// Estimates are kept at most this often; 0s keeps one for every ACK.
    #[arg(long, value_parser = EstimateRules::interval, default_value = "10ms", value_name = "TIME",
        allow_hyphen_values = true)]
    pub interval: Duration,

    /// Payload of the sender's full segments [default: what the handshake, or else the packets, say].
    #[arg(long, value_parser = EstimateRules::segment, value_name = "BYTES", allow_hyphen_values = true)]
    pub segment: Option<Bytes>,

    /// Write everything but the curves as JSON (schema westwood.estimate/1); - for stdout, and nothing
    /// else there.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-", help_heading = "Output")]
    pub json: Option<JsonTarget>,

    /// Write the estimates over time as a table, with what was delivered.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Write a report as one page that opens from disk.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Write each figure to DIR as SVG, 3.5 inches wide, its text as text.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Print no results.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}
