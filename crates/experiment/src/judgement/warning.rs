//! Warnings in words: properties of an experiment that make its result mean little.

use std::fmt;

use serde::{Deserialize, Serialize};
use westwood_cc::Rate;
use westwood_scenario::{capitalized, counted, counted_of, listed, uncapitalized};

/// A property that makes a result mean little.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Transfers ended before measuring began: so many runs of so many.
    EndedBeforeWarmup(usize, usize),
    /// So large a share of the transfers under test was refused, because too many were open.
    Refused(f64),
    /// A run lasts less than ten round-trip times: how many.
    FewRoundTrips(f64),
    /// A run lasts longer and is measured for less than ten round-trip times: how many.
    FewMeasuredRoundTrips(f64),
    /// Slow start takes so many seconds at least to fill the path, so large a share of the measured time.
    MeasuredSlowStart(f64, f64),
    /// So large a share of the packets is lost at random; a loss that was written as a plain number,
    /// where a percent sign may have been forgotten.
    HeavyLoss(f64, Option<f64>),
    /// One seed where something is random, and whether several controllers or variants are ranked by it.
    OneSeed(bool),
    /// The access links of the flows carry less together than the measured link: the rate of each, and that
    /// of the measured link, in bits a second.
    AccessLinksLimit(u64, u64),
    /// The applications of all flows write less than the measured link carries: both in bits a second.
    ApplicationsLimit(u64, u64),
    /// No flow under test runs for so large a share of the measured time.
    AbsentFlows(f64),
    /// The flows under test are datagrams, so that the controllers that are compared are those of others.
    WithoutController,
    /// Buffers of the hosts kept data back for so large a share of the time, of these controllers or points.
    HostsLimit(Vec<(String, f64)>, HostLimit),
    /// One half of the measured time carries more than the other: these controllers or points, each with the
    /// share of its payload that the second half carries.
    Unsettled(Vec<(String, f64)>),
    /// Round trips take so many milliseconds longer than the path and the queue of the measured link account
    /// for, with these controllers or at these points; and the busiest other link, if it is a full one.
    WaitsElsewhere(Vec<(String, f64)>, Option<String>),
    /// The queue of the measured link keeps the flows under test apart from others, whose packets count, too.
    QueuesApart,
    /// CUBIC on a stack on which each ACK counts one segment.
    CubicCountsAcks,
    /// These controllers slow down by marks, and none of their packets can be marked.
    WithoutMarks(Vec<String>),
    /// A drop-tail link keeps only so many packets beside the one in service.
    FewPlaces(u64),
    /// The measured drop-tail queue holds so many packets: a full one keeps them waiting for so many seconds,
    /// so many times the round-trip time of the path.
    DeepBuffer(u64, f64, f64),
    /// The capacity of the path is recorded, and its buffer is the default.
    TraceWithoutBuffer,
    /// Delays were not measured.
    WithoutDelays,
    /// A warning that holds at so many of so many settings of a sweep or variants, and not at all of them.
    AtSome(Box<Warning>, usize, usize),
}

impl Warning {
    /// The warning, if it holds at so many of all settings.
    pub(super) fn at(self, settings: usize, all: usize) -> Self {
        if settings < all { Self::AtSome(Box::new(self), settings, all) } else { self }
    }

    /// Whether it says that a run is too short, or measured too early.
    pub(super) fn is_of_short_time(&self) -> bool {
        match self {
            Self::FewRoundTrips(_)
            | Self::FewMeasuredRoundTrips(_)
            | Self::MeasuredSlowStart(..) => true,
            Self::AtSome(warning, ..) => warning.is_of_short_time(),
            _ => false,
        }
    }
}

/// The part of the hosts that holds data back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostLimit {
    /// A receive window of a given size.
    Window,
    /// The buffers of sender and receiver.
    #[default]
    Buffers,
    /// These, or the buffer of a proxy.
    ProxyBuffers,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndedBeforeWarmup(runs, all) => write!(
                f,
                "In {} every transfer under test ended before measuring began: lower the warm-up.",
                counted_of(*runs as u64, *all as u64, "run")
            ),
            Self::Refused(share) => write!(
                f,
                "{:.0} % of the transfers under test were refused, because too many were open: no \
                 completion time counts them. Raise at_a_time, or let fewer start.",
                share * 100.0
            ),
            Self::FewRoundTrips(n) => write!(
                f,
                "A run lasts {} round-trip times: too short for a controller to show what it does. Raise \
                 the time.",
                few(*n)
            ),
            Self::FewMeasuredRoundTrips(n) => {
                let only = if *n < LEAST_SAID { "" } else { "only " };
                let few = capitalized(&format!("{only}{}", few(*n)));
                write!(
                    f,
                    "{few} round-trip times are measured: too few for a controller to show what it does. \
                     Raise the time, or lower the warm-up."
                )
            }
            Self::MeasuredSlowStart(s, share) => write!(
                f,
                "Slow start takes {} at least to fill this path, and ends {:.0} % into the measured time at \
                 the earliest. Raise the warm-up and the time.",
                super::sentence::span(s * 1e3),
                share * 100.0
            ),
            Self::HeavyLoss(share, plain) => heavy_loss(f, *share, *plain),
            Self::OneSeed(ranks) => {
                let differs = if *ranks { "rank them otherwise" } else { "give other numbers" };
                write!(f, "One seed of a random network: another one may {differs}.")
            }
            Self::AccessLinksLimit(access, rate) => {
                let [access, rate] = [access, rate].map(|bps| Rate::from_bits_per_s(*bps));
                write!(
                    f,
                    "The access links, and not the link of {rate}, are the bottleneck: each carries \
                     {access}. access-rate sets it."
                )
            }
            Self::ApplicationsLimit(written, rate) => {
                let [written, rate] = [written, rate].map(|bps| Rate::from_bits_per_s(*bps));
                write!(
                    f,
                    "The applications, and not the link of {rate}, limit these flows: together they write \
                     {written}."
                )
            }
            Self::AbsentFlows(share) => write!(
                f,
                "No flow under test runs for {:.0} % of the measured time, in which it counts as carrying \
                 nothing.",
                share * 100.0
            ),
            Self::WithoutController => f.write_str(
                "The flows under test are datagrams: conclusions name the controller of the flows beside \
                 them.",
            ),
            Self::HostsLimit(all, limit) => hosts_limit(f, all, *limit),
            Self::Unsettled(all) => not_settled(f, all),
            Self::WaitsElsewhere(all, full) => waits_elsewhere(f, all, full.as_deref()),
            Self::QueuesApart => f.write_str(
                "The queue keeps flows apart, and waiting times at it are those of all packets: other flows' \
                 packets may wait longer than those of the flows under test, or shorter.",
            ),
            Self::CubicCountsAcks => write!(
                f,
                "cubic runs on a stack on which each ACK counts one segment; RFC 9438 counts the segments \
                 that it acknowledges (credit), so that it grows more slowly here than on hosts today."
            ),
            Self::WithoutMarks(names) => without_marks(f, names),
            Self::FewPlaces(places) => few_places(f, *places),
            Self::DeepBuffer(packets, wait_s, rtts) => deep_buffer(f, *packets, *wait_s, *rtts),
            Self::TraceWithoutBuffer => f.write_str(
                "The recorded link has the default's buffer, one bandwidth-delay product of its mean rate. \
                 Cellular networks buffer for seconds and seldom drop, and who leads depends on it: buffer \
                 sets it, as 1000pkt.",
            ),
            Self::WithoutDelays => f.write_str(
                "Delays were not measured (measure.delays), so that no conclusion weighs them.",
            ),
            Self::AtSome(warning, settings, all) => {
                let of = counted_of(*settings as u64, *all as u64, "setting");
                write!(f, "At {of}: {}", uncapitalized(&warning.to_string()))
            }
        }
    }
}

/// Below this number nothing would be left of it in one digit.
const LEAST_SAID: f64 = 0.05;

/// A small number of round trips.
fn few(n: f64) -> String {
    if n < LEAST_SAID { "less than 0.1".to_owned() } else { format!("{n:.1}") }
}

/// Controllers that slow down by marks where there are none.
fn without_marks(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    let all = listed(names.iter().map(String::as_str));
    let slow = if names.len() == 1 { "slows" } else { "slow" };
    write!(
        f,
        "{all} {slow} down by ECN marks, and no packet here is marked, so that only losses tell of congestion: \
         tell an aqm to mark, as in codel(ecn=on), and leave tcp.ecn out."
    )
}

/// A share of packets lost at random; a loss that was written as a plain number.
fn heavy_loss(f: &mut fmt::Formatter<'_>, share: f64, plain: Option<f64>) -> fmt::Result {
    // Almost all would be rounded to all.
    let percent = match share * 100.0 {
        percent if percent >= 99.5 && share < 1.0 => "More than 99 %".to_owned(),
        percent => format!("{percent:.0} %"),
    };
    write!(f, "{percent} of the packets are lost at random")?;
    match plain {
        Some(number) => write!(f, "; was {number} % meant?"),
        None if share >= 1.0 => f.write_str(": nothing crosses that link, ever."),
        None => f.write_str(": TCP lives on its timeouts there."),
    }
}

/// A buffer of so few packets beside the one in service.
fn few_places(f: &mut fmt::Formatter<'_>, places: u64) -> fmt::Result {
    write!(
        f,
        "A buffer holds {} beside the packet in service. With fewer than three places the order of packets \
         within an instant decides, and goodputs differ from those of real hosts: raise the buffer, or give \
         a link some jitter.",
        counted(places, "packet")
    )
}

/// A buffer of so many packets, the seconds for which a full one keeps them waiting, and these in
/// round-trip times.
fn deep_buffer(f: &mut fmt::Formatter<'_>, packets: u64, wait_s: f64, rtts: f64) -> fmt::Result {
    write!(
        f,
        "A buffer holds {}: a full one keeps packets waiting {}, {rtts:.0} times the round-trip time of the \
         path. If another unit was meant, buffer sets it: \"1bdp\" is the bandwidth-delay product.",
        counted(packets, "packet"),
        super::sentence::span(wait_s * 1e3)
    )
}

/// The hosts' buffers as the limit of these contestants, each with the share of its time.
fn hosts_limit(f: &mut fmt::Formatter<'_>, all: &[(String, f64)], limit: HostLimit) -> fmt::Result {
    const BUFFERS: &str = "tcp-rmem and tcp-wmem set them; \"none\" lifts them";
    let (what, set) = match limit {
        HostLimit::Window => ("receive window", "receive-window sets it; \"none\" lifts it"),
        HostLimit::Buffers | HostLimit::ProxyBuffers => ("buffers", BUFFERS),
    };
    let limits = if limit == HostLimit::Window { "limits" } else { "limit" };
    let all = named(all, |share| format!("{:.0} %", share * 100.0));
    write!(
        f,
        "The hosts' {what}, and not the controllers, {limits} flows on this path for this share of \
         the time: {all}. {set}."
    )?;
    match limit {
        HostLimit::ProxyBuffers => {
            f.write_str(" Of a flow with a proxy the proxy's buffer may be the one that limits.")
        }
        HostLimit::Window | HostLimit::Buffers => Ok(()),
    }
}

/// These contestants, each with the share of its payload that the second half of the time carries.
fn not_settled(f: &mut fmt::Formatter<'_>, all: &[(String, f64)]) -> fmt::Result {
    write!(
        f,
        "The measured time begins too early for these flows, or is too short: its second half carries so much \
         of their payload: {}. Raise the warm-up and the time.",
        named(all, |share| format!("{:.0} %", share * 100.0))
    )
}

/// The time of a round trip that no queue of the measured link explains.
fn waits_elsewhere(
    f: &mut fmt::Formatter<'_>,
    all: &[(String, f64)],
    full: Option<&str>,
) -> fmt::Result {
    let all = named(all, super::sentence::span);
    let full = full.map_or_else(String::new, |link| format!(" The link {link} is full."));
    write!(
        f,
        "Round trips take longer than the path and the measured queue account for, and no conclusion weighs \
         it: {all}.{full}"
    )
}

/// More points than these are counted.
const MOST_NAMED: usize = 8;

/// Contestants or points, each with its value; the last of many are counted.
fn named(all: &[(String, f64)], value: impl Fn(f64) -> String) -> String {
    let of = |(name, number): &(String, f64)| format!("{name} {}", value(*number));
    let mut parts: Vec<String> = all.iter().take(MOST_NAMED).map(of).collect();
    if let Some(more @ 1..) = all.len().checked_sub(MOST_NAMED) {
        parts.push(format!("and {}", counted(more as u64, "more point")));
    }
    // Names of points have commas of their own.
    let between = if all.iter().any(|(name, _)| name.contains(',')) { "; " } else { ", " };
    parts.join(between)
}
