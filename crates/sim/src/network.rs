//! The network that is simulated: nodes, links, flows and how long.

use westwood_cc::controllers::Choice;
use westwood_cc::estimate::EstimatorKinds;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::LinkConfig;
use westwood_tcp::{Config, MAX_SACK_BLOCKS, ReadMode, ReceiverBehaviour};

use crate::agent::AgentSpec;
use crate::error::SimError;
use crate::media::MediaSpec;
use crate::name::Name;
use crate::outcome::Point;
use crate::shared::Shared;

/// A network and the traffic over it. A run is a pure function of this value, bit for bit.
#[derive(Clone, Debug)]
pub struct Network {
    /// The nodes' names; a node is referred to by its place in this list.
    pub nodes: Vec<Name>,
    /// One-way links.
    pub links: Vec<LinkSpec>,
    /// Flows and generators of flows.
    pub flows: Vec<FlowSpec>,
    /// Agents that read packets beside links, and act on them.
    pub agents: Vec<AgentSpec>,
    /// Where all randomness comes from.
    pub seed: u64,
    /// When the run ends.
    pub duration: Duration,
    /// When measuring begins.
    pub warmup: Duration,
    /// The series to record besides the summary.
    pub probes: Probes,
}

/// A node's place in [`Network::nodes`].
pub type NodeId = usize;
/// A link's place in [`Network::links`].
pub type LinkId = usize;

/// A one-way link between two nodes.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// Its name: random numbers derive from it, so that another link does not disturb this one, and two of
    /// one name draw the same.
    pub name: Name,
    /// Where packets enter.
    pub from: NodeId,
    /// Where they leave.
    pub to: NodeId,
    /// Rate, delay, queue, losses.
    pub config: Shared<LinkConfig>,
}

/// A flow between two nodes.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Its name: random numbers derive from it, so that two of one name draw the same.
    pub name: Name,
    /// The sender's node.
    pub from: NodeId,
    /// The receiver's node.
    pub to: NodeId,
    /// The links of the way there; least total delay if absent.
    pub path: Option<Vec<LinkId>>,
    /// The links of the way back; least total delay if absent.
    pub return_path: Option<Vec<LinkId>>,
    /// When it starts: its SYN leaves then if it has a [handshake](Self::handshake), else its data.
    pub start: Instant,
    /// A start time drawn uniformly from `[start, start + jitter)`.
    pub start_jitter: Duration,
    /// When it stops sending; the end of the run if absent.
    pub stop: Option<Instant>,
    /// Each TCP connection opens with a handshake: a SYN and its answer cross the path, and data leaves when
    /// the answer has come. The time that they take is the connection's first sample, in place of
    /// [`Config::handshake_rtt`].
    pub handshake: bool,
    /// The flow's traffic.
    pub traffic: Traffic,
}

impl FlowSpec {
    /// A flow from the beginning to the end of the run, by the ways of least delay.
    pub fn between(name: impl Into<Name>, from: NodeId, to: NodeId, traffic: Traffic) -> Self {
        Self {
            name: name.into(),
            from,
            to,
            path: None,
            return_path: None,
            start: Instant::ZERO,
            start_jitter: Duration::ZERO,
            stop: None,
            handshake: false,
            traffic,
        }
    }
}

/// The traffic of a flow.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// One TCP connection.
    Tcp(Shared<TcpSpec>, Workload),
    /// A TCP connection for each of many transfers.
    ShortFlows {
        /// Every connection's.
        tcp: Shared<TcpSpec>,
        /// Time from one start to the next, in seconds.
        gap: ValueDistribution,
        /// How much each one carries, in bytes.
        size: ValueDistribution,
        /// No more than this many at the same time; later arrivals are counted as refused.
        limit: u32,
    },
    /// Datagrams of `size` bytes at `rate`, without any control.
    Udp {
        /// Bytes on the wire a second, headers included, while on.
        rate: Rate,
        /// A datagram on the wire.
        size: Bytes,
        /// Constant or on and off.
        phases: Phases,
        /// Constant gaps, or exponential ones of the same mean (a Poisson process).
        poisson: bool,
    },
    /// Frames in datagrams, at a rate that adapts to the path. Such networks are the plain engine's.
    Media(MediaSpec),
}

/// A TCP connection's sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSpec {
    /// The controller with its parameters.
    pub controller: Choice,
    /// Everything else.
    pub config: Config,
}

impl TcpSpec {
    /// The first setting out of range, if any is.
    fn fault(&self) -> Option<&'static str> {
        let Config { sizes, initial_window, buffers, receiver, recovery, .. } = &self.config;
        let blocks = sizes.sack_block.get().saturating_mul(MAX_SACK_BLOCKS as u64);
        let most_sack = Bytes::new(blocks.saturating_add(sizes.sack_option(*recovery).get()));
        let relayed = matches!(buffers.reading, ReadMode::Relayed { .. });
        if sizes.payload == Bytes::ZERO {
            Some("a segment must carry at least one byte")
        } else if sizes.payload > LARGEST_SEGMENT {
            Some("a segment must carry at most 65536 bytes")
        } else if sizes.payload + sizes.header > LARGEST_PACKET
            || sizes.ack + most_sack > LARGEST_PACKET
            || self.config.syn_size() > LARGEST_PACKET
        {
            Some(TOO_LARGE)
        } else if *initial_window < Segments::ONE {
            Some("the initial window must be at least one segment")
        } else if relayed && *receiver != ReceiverBehaviour::Honest {
            Some("a proxy's receiver does not misbehave")
        } else {
            None
        }
    }
}

/// The bytes that an application gives its connection to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// Always something to send.
    Greedy,
    /// This much, then the connection ends.
    Transfer(Bytes),
    /// Greedy while on, silent while off.
    OnOff(Phases),
    /// Writes whole segments at this rate of payload.
    Limited(Rate),
    /// The data that arrives at a proxy over another flow. Each connection of that flow has a partner in this
    /// flow, which carries its data on and ends with it. The partner opens with it, or by a handshake of its
    /// own that begins when the first packet of the other connection reaches the proxy. Start and stop of
    /// this flow have no effect. Such networks are the plain engine's.
    RelayedFrom {
        /// The other flow's place, before that of this flow. Its receivers [read for a
        /// proxy](westwood_tcp::ReadMode::Relayed), at the node where this flow begins.
        flow: usize,
        /// The completion time of a transfer counts from this long after the first connection has opened.
        /// It opens after its handshake, so completion times leave that out; this is the rest of the time of
        /// a handshake from end to end.
        begins: Duration,
    },
}

/// Constant, or alternating between on and off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phases {
    /// On all the time.
    Always,
    /// On first.
    Alternating {
        /// Duration of each on phase, in seconds.
        on: ValueDistribution,
        /// Duration of each off phase, in seconds.
        off: ValueDistribution,
    },
}

/// A distribution of positive numbers; the unit is its user's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueDistribution {
    /// Always this value.
    Constant(f64),
    /// Exponential of this mean.
    Exponential(f64),
    /// Uniform between the two.
    Uniform(f64, f64),
    /// Pareto of this mean and this shape (above 1).
    Pareto {
        /// Mean.
        mean: f64,
        /// Shape.
        shape: f64,
    },
}

/// The largest packet: as long as an IPv6 jumbogram's length field can say (RFC 2675).
const LARGEST_PACKET: Bytes = Bytes::new(u32::MAX as u64);
/// The most that a segment carries: what pacing counts with.
const LARGEST_SEGMENT: Bytes = Bytes::new(1 << 16);
const TOO_LARGE: &str = "a packet must be smaller than 4 GiB";

/// The series to record besides the summary. They cost nothing when off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// cwnd, ssthresh, bwe and the cause of each window change, for every TCP flow.
    pub windows: bool,
    /// Every round-trip time sample.
    pub rtts: bool,
    /// Queue lengths of every link that has a limit.
    pub queues: bool,
    /// Payload delivered, for every flow.
    pub delivered: bool,
    /// Every dropped packet.
    pub drops: bool,
    /// Bandwidth estimators beside the controller of every TCP flow, fed with the same ACKs.
    pub estimates: EstimatorKinds,
    /// Zero records every change. Otherwise it is the least time between two points of a series, round-trip
    /// times excepted; queues are sampled at whole multiples of it.
    pub interval: Duration,
    /// With an interval, only the smallest and the largest round-trip time between two multiples of it are
    /// recorded, which is enough for a drawing.
    pub extremes: bool,
    /// The link at which the wait of each packet before its transmission is measured.
    pub delays: Option<LinkId>,
    /// The TCP flows whose data segments have their one-way delay measured.
    pub one_way: FlowRange,
    /// The flows whose delivered payload is counted round-trip time by round-trip time.
    pub progress: FlowRange,
    /// Round-trip times are not counted: [`FlowOutcome::rtts`] is empty.
    ///
    /// [`FlowOutcome::rtts`]: crate::FlowOutcome::rtts
    pub without_rtts: bool,
}

/// Flows that follow each other in [`Network::flows`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowRange {
    /// The first one's place.
    pub first: usize,
    /// The place behind the last one.
    pub end: usize,
}

impl FlowRange {
    /// True if there is none.
    pub fn is_empty(self) -> bool {
        self.first >= self.end
    }

    /// The number of them.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.first)
    }

    /// True if this flow is among them.
    #[inline]
    pub fn contains(self, flow: usize) -> bool {
        self.first <= flow && flow < self.end
    }
}

impl From<std::ops::Range<usize>> for FlowRange {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self { first: range.start, end: range.end }
    }
}

impl Probes {
    /// The union of two probes' series, at the shorter of their intervals. A network has only one `delays`,
    /// one `one_way` and one `progress`: `self` comes before `other`. Round-trip times are left out only if
    /// neither wants them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let interval = match (self.any(), other.any()) {
            (true, true) => self.interval.min(other.interval),
            (true, false) => self.interval,
            _ => other.interval,
        };
        Self {
            windows: self.windows || other.windows,
            rtts: self.rtts || other.rtts,
            queues: self.queues || other.queues,
            delivered: self.delivered || other.delivered,
            drops: self.drops || other.drops,
            estimates: self.estimates.iter().chain(other.estimates.iter()).collect(),
            interval,
            // Every change, if either asks for that.
            extremes: (self.extremes || !self.rtts) && (other.extremes || !other.rtts),
            delays: self.delays.or(other.delays),
            one_way: if self.one_way.is_empty() { other.one_way } else { self.one_way },
            progress: if self.progress.is_empty() { other.progress } else { self.progress },
            without_rtts: self.without_rtts && other.without_rtts,
        }
    }

    /// True if points of this kind are asked for.
    pub fn records(&self, point: &Point) -> bool {
        match point {
            Point::Window { .. } => self.windows,
            Point::Rtt { .. } => self.rtts,
            Point::Queue { .. } => self.queues,
            Point::Delivered { .. } => self.delivered,
            Point::Drop { .. } => self.drops,
            Point::Estimate { .. } => !self.estimates.is_empty(),
        }
    }

    /// True if anything is recorded.
    fn any(&self) -> bool {
        self.windows
            || self.rtts
            || self.queues
            || self.delivered
            || self.drops
            || !self.estimates.is_empty()
    }

    /// How closely a run with these probes is observed.
    pub fn observation(&self) -> Observation {
        if !self.any() {
            Observation::Nothing
        } else if self.queues && self.interval.is_zero() {
            Observation::EveryChange
        } else {
            Observation::Samples
        }
    }

    /// True if of round-trip times only extremes are recorded.
    pub(crate) fn records_extremes(&self) -> bool {
        self.rtts && self.extremes && !self.interval.is_zero()
    }

    /// The first multiple of the interval after a time.
    pub(crate) fn multiple_after(&self, at: Instant) -> Instant {
        Instant::ZERO + self.interval * (at.as_nanos() / self.interval.as_nanos().max(1) + 1)
    }

    /// The last multiple of the interval before a time, which is not zero.
    pub(crate) fn multiple_before(&self, at: Instant) -> Instant {
        let multiple = (at.as_nanos() - 1) / self.interval.as_nanos().max(1);
        Instant::ZERO + self.interval * multiple
    }
}

/// How closely a run is observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Observation {
    /// Nothing is recorded but what is counted over the whole run.
    #[default]
    Nothing,
    /// Points that a run that looks ahead can put in order afterwards: the actions of hosts, drops, and
    /// queues at multiples of an interval. They are ordered by time, then by series, then by flow or link.
    Samples,
    /// Queues at every change, too, and all points in the order of events.
    EveryChange,
}

impl Network {
    /// Refuses what cannot be simulated, apart from links and routes, which are checked when they
    /// are built.
    pub(crate) fn check(&self) -> Result<(), SimError> {
        if self.warmup >= self.duration {
            return Err(SimError::WarmupTooLong);
        }
        let exists = |node: NodeId| node < self.nodes.len();
        for link in &self.links {
            if !exists(link.from) || !exists(link.to) {
                return Err(SimError::NoSuchNode { of: link.name.to_string() });
            }
        }
        self.agents.iter().try_for_each(|agent| agent.check(self))?;
        for flow in &self.flows {
            if !exists(flow.from) || !exists(flow.to) {
                return Err(SimError::NoSuchNode { of: flow.name.to_string() });
            }
            if let Some(what) = flow.traffic.fault() {
                return Err(SimError::Flow { flow: flow.name.to_string(), what });
            }
        }
        self.check_proxies()
    }

    /// Refuses proxies that nothing feeds, that nothing reads, or that two flows read.
    fn check_proxies(&self) -> Result<(), SimError> {
        let mut read = vec![false; self.flows.len()];
        for (place, flow) in self.flows.iter().enumerate() {
            let Some(feeder) = self.relayed_from(place) else { continue };
            let fault = match self.flows.get(feeder).filter(|_| feeder < place) {
                Some(before) if before.to != flow.from => {
                    "the flow that feeds it ends at another node"
                }
                Some(before) if !before.is_relayed() => {
                    "the flow that feeds it has a reader of its own"
                }
                Some(_) if read[feeder] => "the flow that feeds it feeds another one too",
                Some(_) => {
                    read[feeder] = true;
                    continue;
                }
                None => "no flow before it feeds it",
            };
            return Err(SimError::Flow { flow: flow.name.to_string(), what: fault });
        }
        let unread = self.flows.iter().zip(&read).find(|(flow, read)| flow.is_relayed() && !**read);
        match unread {
            Some((flow, _)) => {
                let what = "no flow takes what its proxy reads";
                Err(SimError::Flow { flow: flow.name.to_string(), what })
            }
            None => Ok(()),
        }
    }

    /// The flow whose data another one takes over at a proxy, if it does.
    pub fn relayed_from(&self, flow: usize) -> Option<usize> {
        match self.flows.get(flow)?.traffic {
            Traffic::Tcp(_, Workload::RelayedFrom { flow, .. }) => Some(flow),
            _ => None,
        }
    }

    /// The flow that the data of this one comes from: itself, or the first one before its proxies. A valid
    /// network lists a flow after the one that feeds it.
    pub fn origin(&self, flow: usize) -> usize {
        let mut origin = flow;
        while let Some(before) = self.relayed_from(origin).filter(|&before| before < origin) {
            origin = before;
        }
        origin
    }
}

impl FlowSpec {
    /// True if a proxy reads what its receiver gets.
    fn is_relayed(&self) -> bool {
        let reading = self.traffic.tcp().map(|tcp| tcp.config.buffers.reading);
        matches!(reading, Some(ReadMode::Relayed { .. }))
    }
}

impl Traffic {
    /// The transport of its connections; none of datagrams.
    pub fn tcp(&self) -> Option<&TcpSpec> {
        match self {
            Self::Tcp(tcp, _) | Self::ShortFlows { tcp, .. } => Some(tcp),
            Self::Udp { .. } | Self::Media(_) => None,
        }
    }

    /// The largest packet that its sender sends, headers included.
    pub fn largest_packet(&self) -> Bytes {
        match self {
            Self::Tcp(tcp, _) | Self::ShortFlows { tcp, .. } => {
                tcp.config.sizes.payload + tcp.config.sizes.header
            }
            Self::Udp { size, .. } => *size,
            Self::Media(media) => media.packet,
        }
    }

    /// The first field out of range, if any is.
    fn fault(&self) -> Option<&'static str> {
        let faulty = |s: &ValueDistribution| !s.is_positive();
        let phases = |p: &Phases| match p {
            Phases::Always => false,
            Phases::Alternating { on, off } => faulty(on) || faulty(off),
        };
        match self {
            Self::Tcp(tcp, workload) => tcp.fault().or(match workload {
                Workload::OnOff(p) if phases(p) => Some("on and off times must be positive"),
                Workload::Limited(rate) if rate.is_zero() => Some("the rate must be positive"),
                Workload::Transfer(Bytes::ZERO) => Some("a transfer carries at least one byte"),
                _ => None,
            }),
            Self::ShortFlows { tcp, gap, size, limit } => tcp.fault().or({
                if faulty(gap) || faulty(size) {
                    Some("gaps and sizes must be positive")
                } else if *limit == 0 {
                    Some("at least one short flow must be allowed at a time")
                } else {
                    None
                }
            }),
            Self::Udp { rate, size, phases: p, .. } => {
                if rate.is_zero() || *size == Bytes::ZERO {
                    Some("rate and datagram size must be positive")
                } else if *size > LARGEST_PACKET {
                    Some(TOO_LARGE)
                } else if phases(p) {
                    Some("on and off times must be positive")
                } else {
                    None
                }
            }
            Self::Media(media) if media.packet > LARGEST_PACKET => Some(TOO_LARGE),
            Self::Media(media) => media.fault(),
        }
    }
}

impl ValueDistribution {
    /// True if only positive, finite numbers can come of it.
    fn is_positive(&self) -> bool {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match *self {
            Self::Constant(x) | Self::Exponential(x) => positive(x),
            Self::Uniform(low, high) => positive(low) && high.is_finite() && low <= high,
            Self::Pareto { mean, shape } => positive(mean) && shape.is_finite() && shape > 1.0,
        }
    }
}
