//! The flags of `westwood measure`.

use std::path::PathBuf;

use clap::Args;
use westwood_cc::{Bytes, Duration};
use westwood_kernel::{ChosenController, NoController};
use westwood_measure::{Amount, Background};
use westwood_scenario::spec::split_list;
use westwood_scenario::{BadInput, limits, quoted, units};

use super::values::{JsonTarget, folder, output, transfer};

pub(super) const EXAMPLES: &str = "\
Examples:
  iperf3 -s
      on the other host: a stock server
  westwood measure --server host.example --cc reno,cubic --size 32MB --repeat 50 --out campaign
      a file to it, fifty times under each controller by turns, as the papers did
  westwood measure --server host.example --cc reno,cubic --size 32MB --repeat 50 --out campaign --resume
      the same campaign goes on where it broke
  westwood measure --server host.example --cc cubic,westwood+ --time 60s --flows 4
      our own controllers, once they are loaded into the kernel
  westwood measure --server host.example --cc reno,bbr --background 'cbr:1Mbit/s,10s on,10s off'
      beside datagrams that come and go
";

/// The flags of `westwood measure`.
#[derive(Clone, Debug, Args)]
pub struct MeasureArgs {
    /// The host where an iperf3 server listens: a name or an address.
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub server: String,

    /// The server's port.
    #[arg(long, value_name = "N", value_parser = port, default_value = "5201",
        allow_hyphen_values = true)]
    pub port: u16,

    /// Controllers to compare, by turns.
    ///
    /// Names are those of westwood compare: reno, cubic and bbr are the kernel's. westwood, westwood+,
    /// westwood+probing and log-westwood+ are this project's, and must be loaded, with the same
    /// parameters: 'westwood+(tau=1s)'. The westwood that Linux ships is westwood-linux. Any other name
    /// is the kernel's own.
    #[arg(long, value_name = "LIST", value_parser = MeasuredControllers::parse, allow_hyphen_values = true)]
    pub cc: MeasuredControllers,

    /// Each flow transfers this much: 32MB. The run ends when all of it is acknowledged.
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "time",
        allow_hyphen_values = true)]
    pub size: Option<u64>,

    /// Each flow sends for this long [default: 10s, unless --size is given].
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    pub time: Option<Duration>,

    /// Runs of each controller.
    #[arg(long, value_name = "N", value_parser = repeat, default_value = "5",
        allow_hyphen_values = true)]
    pub repeat: u64,

    /// Flows of a run, all with the same controller.
    #[arg(long, value_name = "N", value_parser = flows, default_value = "1",
        allow_hyphen_values = true)]
    pub flows: usize,

    /// Datagrams to the server beside the runs, on and off in turns.
    ///
    /// cbr:1Mbit/s sends all the time, 'cbr:1Mbit/s,10s on,10s off' in turns. They go to the discard
    /// port (9), which needs no listener. The rate counts IP headers.
    #[arg(long, value_name = "TRAFFIC", value_parser = background, allow_hyphen_values = true)]
    pub background: Option<Background>,

    /// Between two samples of cwnd, ssthresh, srtt and retransmissions.
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "100ms",
        allow_hyphen_values = true)]
    pub interval: Duration,

    /// Between two runs, for queues to empty.
    #[arg(long, value_name = "TIME", value_parser = pause, default_value = "1s",
        allow_hyphen_values = true)]
    pub pause: Duration,

    /// Keep every finished run in DIR as it comes, and write tables, JSON and a page there at the end.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Go on with the campaign in --out: its finished runs are kept and not repeated.
    #[arg(long, requires = "out", help_heading = "Output")]
    pub resume: bool,

    /// Write everything as JSON (schema westwood.measure/1); - for stdout, and nothing else there.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-", help_heading = "Output")]
    pub json: Option<JsonTarget>,

    /// Write a report as one page that opens from disk.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Print neither progress nor results.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

impl MeasureArgs {
    /// The data that each flow sends.
    pub fn amount(&self) -> Amount {
        match (self.size, self.time) {
            (Some(size), _) => Amount::SizeBytes(size),
            (None, Some(time)) => Amount::TimeMs(millis(time)),
            (None, None) => Amount::TimeMs(10_000),
        }
    }
}

/// Controllers to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredControllers(pub Vec<ChosenController>);

impl MeasuredControllers {
    fn parse(text: &str) -> Result<Self, BadInput> {
        let mut chosen: Vec<ChosenController> = Vec::new();
        let hint = "write reno,cubic";
        let names = split_list(text).map_err(|e| e.hint(hint))?;
        if names.is_empty() {
            return Err(BadInput::new("no controller is given").hint(hint));
        }
        for name in names {
            let controller =
                ChosenController::with_parameters(name).map_err(|error| match error {
                    NoController::Call(error) => error,
                    _ => BadInput::new(error.to_string()).hint(hint),
                })?;
            if chosen.iter().any(|other| other.kernel == controller.kernel) {
                let what = format!("'{}' is named twice", controller.name);
                return Err(BadInput::new(what).hint("--repeat runs each of them several times"));
            }
            chosen.push(controller);
        }
        Ok(Self(chosen))
    }
}

fn host(text: &str) -> Result<String, BadInput> {
    let text = text.trim();
    if text.is_empty() {
        return Err(BadInput::new("names no host").hint("write a name or an address"));
    }
    // The host of a URL, behind a user and in front of a path.
    let behind_scheme = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = behind_scheme.split('/').next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    // An address of IPv6 has more colons than one, and brackets where a port follows.
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').unwrap_or_default()),
        None => match place.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, port),
            _ => (place, ""),
        },
    };
    if host == text {
        return Ok(text.to_owned());
    }
    let what = BadInput::new(format!("{} is more than a host", quoted(text)));
    Err(what.hint(match (host, port) {
        ("", _) => "write a name or an address".to_owned(),
        (host, "") => format!("write --server {host}"),
        (host, port) => format!("write --server {host} --port {port}"),
    }))
}

fn port(text: &str) -> Result<u16, BadInput> {
    units::count(text, 1, u16::MAX.into()).map(|n| u16::try_from(n).unwrap_or(u16::MAX))
}

fn size(text: &str) -> Result<u64, BadInput> {
    transfer(text).map(Bytes::get)
}

fn time(text: &str) -> Result<Duration, BadInput> {
    within(text, Duration::from_millis(100), Duration::from_secs(86_400))
}

fn repeat(text: &str) -> Result<u64, BadInput> {
    units::count(text, 1, 100_000)
}

/// As many streams as iperf3 allows.
fn flows(text: &str) -> Result<usize, BadInput> {
    units::count(text, 1, 128).map(|n| usize::try_from(n).unwrap_or(1))
}

fn interval(text: &str) -> Result<Duration, BadInput> {
    within(text, Duration::from_millis(1), Duration::from_secs(3_600))
}

fn pause(text: &str) -> Result<Duration, BadInput> {
    within(text, Duration::ZERO, Duration::from_secs(3_600))
}

fn within(text: &str, low: Duration, high: Duration) -> Result<Duration, BadInput> {
    limits::duration_within(text, low, high)
}

/// Whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    time.as_nanos() / 1_000_000
}

fn background(text: &str) -> Result<Background, BadInput> {
    let wrong = || {
        BadInput::new(format!("'{}' is no background traffic", text.escape_debug()))
            .hint("write cbr:1Mbit/s or 'cbr:1Mbit/s,10s on,10s off'")
    };
    let parts: Vec<&str> = text.trim().strip_prefix("cbr:").ok_or_else(wrong)?.split(',').collect();
    let span = |part: &str, word: &str| {
        let span = part.trim().strip_suffix(word).ok_or_else(wrong)?;
        within(span.trim(), Duration::from_millis(1), Duration::from_secs(86_400)).map(millis)
    };
    let (rate, on_ms, off_ms) = match parts[..] {
        [rate] => (rate, 1_000, 0),
        [rate, on, off] => (rate, span(on, "on")?, span(off, "off")?),
        _ => return Err(wrong()),
    };
    let rate = limits::rate_within(rate, limits::MAX_BOTTLENECK)?;
    Ok(Background { rate_bps: rate.bits_per_s(), on_ms, off_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_host_alone() {
        for text in ["host.example", "192.0.2.1", "2001:db8::1", "fe80::1%eth0"] {
            assert_eq!(host(text).unwrap(), text);
        }
        for (text, hint) in [
            ("host.example:5201", "write --server host.example --port 5201"),
            ("host.example:", "write --server host.example"),
            ("[2001:db8::1]", "write --server 2001:db8::1"),
            ("[2001:db8::1]:5201", "write --server 2001:db8::1 --port 5201"),
            ("http://host.example/", "write --server host.example"),
            ("https://me@host.example:5201/x", "write --server host.example --port 5201"),
            ("http://", "write a name or an address"),
        ] {
            let (what, said) = host(text).unwrap_err().into_parts();
            assert!(what.contains("is more than a host"), "{what}");
            assert_eq!(said.as_deref(), Some(hint), "{text}");
        }
    }

    #[test]
    fn background_traffic_is_on_always_or_in_turns() {
        let always = background("cbr:1Mbit/s").unwrap();
        assert_eq!((always.rate_bps, always.off_ms), (1_000_000, 0));
        let turns = background("cbr:500kbit/s, 10s on, 5s off").unwrap();
        assert_eq!((turns.rate_bps, turns.on_ms, turns.off_ms), (500_000, 10_000, 5_000));
        for wrong in [
            "1Mbit/s",
            "cbr:",
            "cbr:1Mbit/s,10s",
            "cbr:1Mbit/s,10s off,10s on",
            "cbr:1Mbit/s,0s on,1s off",
        ] {
            assert!(background(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn controllers_are_named_once() {
        let names = |text| MeasuredControllers::parse(text).map(|c| c.0.len());
        assert_eq!(names("reno, cubic,westwood+").unwrap(), 3);
        assert!(names("westwood+,westwood_plus").is_err());
        assert_eq!(names("westwood,westwood-linux").unwrap(), 2);
        assert!(names("reno,").is_err() && names(" ").is_err());
        // A connection chooses by the kernel's name, which one program at a time has.
        assert_eq!(names("westwood+(tau=1s,filter=b),reno").unwrap(), 2);
        assert!(names("westwood+(tau=1s),westwood+").is_err());
        let refused = names("reno,westwood+(tau=0s)").unwrap_err().to_string();
        assert_eq!(refused, "westwood+: tau: '0s' is out of range; write a value from 1ms to 3.8s");
    }
}
