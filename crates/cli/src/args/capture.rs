//! The flags that ask for captures of packets.

use std::path::PathBuf;

use clap::Args;
use westwood_capture::write::{CapturePoint, HEADERS_ONLY};
use westwood_scenario::file::Built;
use westwood_scenario::{BadInput, units};

use super::values::folder;

/// Which packets are kept as capture files.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Captures")]
pub struct CaptureArgs {
    /// Write the packets of runs to DIR as pcapng files, which Wireshark and tshark open.
    ///
    /// A file for each run and place: 1-reno-seed1-bottleneck.pcapng is what tcpdump at the far end of
    /// the bottleneck would have seen. Captured runs are simulated twice and change no number; with
    /// --on linux the kernel's packets are captured as they run.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub pcap: Option<PathBuf>,

    /// Where packets are captured: hosts, links (but access links), all, or names of hosts and links,
    /// several with commas between.
    #[arg(long, value_name = "PLACES", value_parser = CapturePlaces::parse, default_value = "hosts,links",
        requires = "pcap", allow_hyphen_values = true)]
    pub pcap_points: CapturePlaces,

    /// Runs with which seeds are captured: first or all.
    #[arg(long, value_name = "first|all", value_parser = Seeds::parse, default_value = "first",
        requires = "pcap", allow_hyphen_values = true)]
    pub pcap_seeds: Seeds,

    /// Bytes kept of each packet, from 40 to 65535; headers and options take at most 80. Payload is
    /// zeros.
    #[arg(long, value_name = "BYTES", value_parser = snaplen, default_value_t = HEADERS_ONLY,
        requires = "pcap", allow_hyphen_values = true)]
    pub pcap_snaplen: u32,
}

/// Places of a network, as a user names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturePlaces(Vec<String>);

/// Seeds of which runs are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// The first.
    First,
    /// Every one.
    All,
}

impl CapturePlaces {
    fn parse(text: &str) -> Result<Self, BadInput> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            let what = BadInput::new(format!("'{}' names no place", text.escape_debug()));
            return Err(what.hint("write hosts, links, all, or names with commas between"));
        }
        Ok(Self(names))
    }

    /// These places of a network, each once, hosts first.
    pub(crate) fn of(&self, built: &Built) -> Result<Vec<CapturePoint>, BadInput> {
        let network = &built.network;
        let mut ends: Vec<usize> = network.flows.iter().flat_map(|f| [f.from, f.to]).collect();
        ends.sort_unstable();
        ends.dedup();
        let hosts = || ends.iter().copied().map(CapturePoint::Host);
        let links = || (0..network.links.len()).map(CapturePoint::Link);
        let mut points = Vec::new();
        for name in &self.0 {
            match name.as_str() {
                "all" => points.extend(hosts().chain(links())),
                "hosts" => points.extend(hosts()),
                "links" => {
                    points.extend(built.layout.links.iter().copied().map(CapturePoint::Link));
                }
                name => {
                    let before = points.len();
                    points.extend(hosts().chain(links()).filter(|p| p.name(network) == name));
                    if points.len() == before {
                        let core = built.layout.links.iter().copied().map(CapturePoint::Link);
                        let known: Vec<&str> =
                            hosts().chain(core).take(20).map(|p| p.name(network)).collect();
                        return Err(BadInput::unknown("host or link", name, known));
                    }
                }
            }
        }
        points.sort_unstable();
        points.dedup();
        Ok(points)
    }
}

impl Seeds {
    fn parse(text: &str) -> Result<Self, BadInput> {
        match text {
            "first" => Ok(Self::First),
            "all" => Ok(Self::All),
            _ => Err(BadInput::unknown("choice of seeds", text, ["first", "all"])),
        }
    }
}

fn snaplen(text: &str) -> Result<u32, BadInput> {
    let bytes = units::count(text, 40, 65_535)?;
    Ok(u32::try_from(bytes).unwrap_or(HEADERS_ONLY))
}
