//! The values that only this command has, and the limits of the others.

use std::path::PathBuf;

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::LossConfig;
use westwood_report::catalog::Topic;
use westwood_scenario::spec::{self, ControllerSpec};
use westwood_scenario::{BadInput, limits, units};
use westwood_tcp::Recovery;

use super::tuning::Segments;

/// Round-trip times of several flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Smallest.
    pub min: Duration,
    /// Largest.
    pub max: Duration,
}

impl Spread {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        let hint = "write 20ms-250ms";
        // A minus behind a letter e belongs to a number.
        let separates =
            |&(i, c): &(usize, char)| c == '-' && i > 0 && !text[..i].ends_with(['e', 'E']);
        let Some((at, _)) = text.char_indices().find(separates) else {
            return Err(
                BadInput::new(format!("'{}' is not MIN-MAX", text.escape_debug())).hint(hint)
            );
        };
        let (min, max) = (rtt(&text[..at])?, rtt(&text[at + 1..])?);
        if min > max {
            let what = format!("{min} is more than {max}");
            return Err(BadInput::new(what).hint("write the smaller one first"));
        }
        Ok(Self { min, max })
    }
}

/// Loss processes that act together.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses(pub Vec<LossConfig>);

impl Losses {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        spec::losses(text).map(Self)
    }
}

/// Controllers under test.
#[derive(Clone, Debug, PartialEq)]
pub struct Controllers(pub Vec<ControllerSpec>);

impl Controllers {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        spec::controllers(text).map(Self)
    }
}

/// Competing flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    /// Their controller.
    pub controller: ControllerSpec,
    /// How many.
    pub flows: u64,
}

impl Against {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        let Some((cc, flows)) = text.rsplit_once(':') else {
            let what = format!("'{}' is not CC:N", text.escape_debug());
            return Err(BadInput::new(what).hint("write reno:1"));
        };
        let flows = units::count(flows, 1, limits::MAX_FLOWS)?;
        Ok(Self { controller: ControllerSpec::parse(cc)?, flows })
    }
}

/// Files of recorded capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFiles {
    /// The data direction.
    pub down: String,
    /// The other one.
    pub up: Option<String>,
}

impl TraceFiles {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        let mut files = text.split(',').map(|file| file.trim().to_owned());
        let (down, up, more) = (files.next(), files.next(), files.next());
        match (down, up, more) {
            (Some(down), up, None) if !down.is_empty() && up.as_deref() != Some("") => {
                Ok(Self { down, up })
            }
            _ => Err(BadInput::new(format!("'{}' is not DOWN[,UP]", text.escape_debug()))
                .hint("name one file, or two with a comma between")),
        }
    }
}

/// Where JSON goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonTarget {
    /// To stdout.
    Stdout,
    /// To a file.
    File(PathBuf),
}

impl JsonTarget {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        match text {
            "" => Err(BadInput::new("names no file").hint("write FILE or -")),
            "-" => Ok(Self::Stdout),
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

pub(super) fn file(text: &str) -> Result<PathBuf, BadInput> {
    match text {
        "" => Err(BadInput::new("names no file").hint("write FILE")),
        "-" => Err(BadInput::new("'-' is no file").hint("write FILE, or --json - for stdout")),
        _ => Ok(PathBuf::from(text)),
    }
}

pub(super) fn folder(text: &str) -> Result<PathBuf, BadInput> {
    match text {
        "" => Err(BadInput::new("names no folder").hint("write DIR")),
        "-" => Err(BadInput::new("'-' is no folder").hint("write DIR, or --json - for stdout")),
        _ => Ok(PathBuf::from(text)),
    }
}

pub(super) fn bottleneck_rate(text: &str) -> Result<Rate, BadInput> {
    limits::rate_within(units::rate(text)?, text, limits::MAX_BOTTLENECK)
}

pub(super) fn access_rate(text: &str) -> Result<Rate, BadInput> {
    limits::rate_within(units::rate(text)?, text, limits::MAX_RATE)
}

pub(super) fn rtt(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(units::duration(text)?, text, limits::MIN_RTT, limits::MAX_RTT)
}

pub(super) fn min_rto(text: &str) -> Result<Duration, BadInput> {
    let span = units::duration(text)?;
    limits::duration_within(span, text, limits::MIN_MIN_RTO, limits::MAX_MIN_RTO)
}

/// A window is at most 2^24 segments, and so is a limit of it.
pub(super) fn segments_or_none(text: &str) -> Result<Segments, BadInput> {
    if text.trim().eq_ignore_ascii_case("none") {
        return Ok(Segments(None));
    }
    units::count(text, 1, limits::MAX_BUFFER_PACKETS).map(|n| Segments(Some(n)))
}

pub(super) fn growth(text: &str) -> Result<u32, BadInput> {
    let segments = units::count(text, 0, limits::MAX_GROWTH)?;
    Ok(u32::try_from(segments).unwrap_or(u32::MAX))
}

pub(super) fn initial_rto(text: &str) -> Result<Duration, BadInput> {
    min_rto(text)
}

pub(super) fn rto_tick(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(units::duration(text)?, text, Duration::ZERO, limits::MAX_RTO_TICK)
}

pub(super) fn sack_block(text: &str) -> Result<Bytes, BadInput> {
    header(text)
}

pub(super) fn time(text: &str) -> Result<Duration, BadInput> {
    let span = units::duration(text)?;
    limits::duration_within(span, text, Duration::from_millis(1), limits::MAX_TIME)
}

pub(super) fn warmup(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(units::duration(text)?, text, Duration::ZERO, limits::MAX_TIME)
}

fn bytes(text: &str, low: u64, high: u64) -> Result<Bytes, BadInput> {
    let size = units::size(text)?;
    if (low..=high).contains(&size.get()) {
        Ok(size)
    } else {
        Err(BadInput::out_of_range(text, low, high))
    }
}

pub(super) fn packet(text: &str) -> Result<Bytes, BadInput> {
    bytes(text, 1, limits::MAX_PACKET)
}

/// IPv4's smallest MTU (RFC 791), and what its length field can say.
pub(super) fn mtu(text: &str) -> Result<Bytes, BadInput> {
    bytes(text, 68, 65_535)
}

pub(super) fn header(text: &str) -> Result<Bytes, BadInput> {
    bytes(text, 0, limits::MAX_HEADER)
}

pub(super) fn ack(text: &str) -> Result<Bytes, BadInput> {
    bytes(text, 1, limits::MAX_HEADER)
}

pub(super) fn transfer(text: &str) -> Result<Bytes, BadInput> {
    let size = units::size_with_unit(text)?;
    if size == Bytes::ZERO || size > limits::MAX_SIZE {
        return Err(BadInput::out_of_range(text, "1B", "1125TB"));
    }
    Ok(size)
}

pub(super) fn flows(text: &str) -> Result<u64, BadInput> {
    units::count(text, 1, limits::MAX_FLOWS)
}

pub(super) fn reverse_flows(text: &str) -> Result<u64, BadInput> {
    units::count(text, 0, limits::MAX_FLOWS)
}

pub(super) fn initial_window(text: &str) -> Result<u64, BadInput> {
    units::count(text, 1, limits::MAX_INITIAL_WINDOW)
}

pub(super) fn seed(text: &str) -> Result<u64, BadInput> {
    units::count(text, 0, u64::MAX)
}

pub(super) fn seed_count(text: &str) -> Result<u64, BadInput> {
    units::count(text, 1, limits::MAX_SEEDS)
}

pub(super) fn jobs(text: &str) -> Result<usize, BadInput> {
    let n = units::count(text, 1, limits::MAX_JOBS)?;
    Ok(usize::try_from(n).unwrap_or(1))
}

pub(super) fn recovery(text: &str) -> Result<Recovery, BadInput> {
    let found = Recovery::ALL.into_iter().find(|r| r.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| BadInput::unknown("recovery", text, Recovery::ALL.map(Recovery::name)))
}

pub(super) fn topic(text: &str) -> Result<Topic, BadInput> {
    let found = Topic::ALL.into_iter().find(|t| t.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| BadInput::unknown("kind", text, Topic::ALL.map(Topic::name)))
}
