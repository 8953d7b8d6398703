//! The links of a network with whole packets in them: a state machine without a clock.

use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Capacity, Histogram, InTransit, Limit, Link, LinkStats, Offer, Step};
use westwood_sim::{LinkId, LinkSpec, Network, SimError};

use crate::addresses::FlowEnd;
use crate::frame::IpFrame;

/// The observer of a path's packets. Times are those of the path, to the nanosecond, and not those
/// at which a late machine got to it.
pub trait Observer {
    /// A packet entered its way.
    fn entered(&mut self, at: Instant, way: FlowDirection, packet: &[u8]);
    /// A packet came off a link, at its far end.
    fn came_off(&mut self, at: Instant, link: LinkId, packet: &[u8]);
    /// A packet came to the end of its way.
    fn arrived(&mut self, at: Instant, way: FlowDirection, packet: &[u8]);
}

/// No observer.
impl Observer for () {
    fn entered(&mut self, _: Instant, _: FlowDirection, _: &[u8]) {}
    fn came_off(&mut self, _: Instant, _: LinkId, _: &[u8]) {}
    fn arrived(&mut self, _: Instant, _: FlowDirection, _: &[u8]) {}
}

/// An observer, if there is one.
impl Observer for Option<Box<dyn Observer + Send>> {
    fn entered(&mut self, at: Instant, way: FlowDirection, packet: &[u8]) {
        if let Some(observer) = self {
            observer.entered(at, way, packet);
        }
    }

    fn came_off(&mut self, at: Instant, link: LinkId, packet: &[u8]) {
        if let Some(observer) = self {
            observer.came_off(at, link, packet);
        }
    }

    fn arrived(&mut self, at: Instant, way: FlowDirection, packet: &[u8]) {
        if let Some(observer) = self {
            observer.arrived(at, way, packet);
        }
    }
}

/// A packet that has come to the end of its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredPacket {
    /// The time at which it is due there.
    pub at: Instant,
    /// The way it took.
    pub way: FlowDirection,
    /// The packet, with a congestion mark if a queue made one.
    pub packet: Vec<u8>,
}

/// The way of a flow's packets in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowDirection {
    /// The flow: its place in the network.
    pub flow: usize,
    /// The end at which packets enter.
    pub from: FlowEnd,
}

impl FlowDirection {
    fn number(self) -> usize {
        2 * self.flow + usize::from(self.from == FlowEnd::Server)
    }

    fn numbered(number: usize) -> Self {
        let from = if number.is_multiple_of(2) { FlowEnd::Client } else { FlowEnd::Server };
        Self { flow: number / 2, from }
    }
}

/// Links with the packets in them, and the ways over them.
///
/// It treats packets as the simulator does with the same links: they have the same random numbers,
/// and at one instant the links act in their order, before packets that arrive from outside at that
/// instant.
#[derive(Debug)]
pub struct EmulatedPath {
    links: Vec<Link<IpFrame>>,
    /// The time at which each link wants to be stepped.
    wakes: Vec<Instant>,
    ways: Vec<Vec<LinkId>>,
    /// The link whose queueing delays are recorded.
    delays: Option<LinkId>,
}

impl EmulatedPath {
    /// The links of a network, and the ways of its flows. The flows' traffic does not matter.
    pub fn new(network: &Network) -> Result<Self, SimError> {
        let link = |spec: &westwood_sim::LinkSpec| {
            let refused = |error| SimError::Link { link: spec.name.to_string(), error };
            Link::new(&spec.config, network.seed, &spec.name).map_err(refused)
        };
        let ways = network.ways()?.into_iter().flat_map(|ways| [ways.there, ways.back]).collect();
        let mut links: Vec<_> = network.links.iter().map(link).collect::<Result<_, _>>()?;
        if let Some(link) = network.probes.delays.and_then(|id| links.get_mut(id)) {
            link.record_delays(Instant::ZERO + network.warmup);
        }
        let delays = network.probes.delays;
        Ok(Self { wakes: links.iter().map(Link::next_event).collect(), links, ways, delays })
    }

    /// The wait of each packet at the link that the network's probes name, of those that it has
    /// sent since the end of the warm-up; none if they name none.
    pub fn queue_delays(&mut self, now: Instant) -> Option<Histogram> {
        self.links.get_mut(self.delays?)?.delays(now)
    }

    /// Whether the flow of a packet has a way here.
    pub fn has(&self, way: FlowDirection) -> bool {
        self.ways.get(way.number()).is_some_and(|links| !links.is_empty())
    }

    /// A packet enters its way at `now`, which the path has [come to](Self::advance).
    pub fn enter(
        &mut self,
        now: Instant,
        way: FlowDirection,
        packet: Vec<u8>,
        observer: &mut impl Observer,
    ) {
        observer.entered(now, way, &packet);
        let frame = IpFrame::new(packet, way.number());
        if let Some(&first) = self.ways.get(frame.way).and_then(|links| links.first()) {
            self.offer(now, first, frame);
        }
    }

    /// A link counts the packets that it drops, and that is all.
    fn offer(&mut self, now: Instant, link: LinkId, frame: IpFrame) {
        let (Offer::Queued | Offer::Dropped(..)) = self.links[link].offer(now, frame);
        self.wakes[link] = self.links[link].next_event();
    }

    /// The time of the next event; [`Instant::FAR_FUTURE`] for never.
    pub fn next_event(&self) -> Instant {
        self.wakes.iter().copied().min().unwrap_or(Instant::FAR_FUTURE)
    }

    /// Carries out everything that is due at `now`, each event at its own time.
    pub fn advance(
        &mut self,
        now: Instant,
        observer: &mut impl Observer,
        mut arrived: impl FnMut(DeliveredPacket),
    ) {
        while let Some((link, at)) = self.due(now) {
            if let Some(arrival) = self.step(link, at, observer) {
                arrived(arrival);
            }
        }
    }

    /// The link that acts next, if its time has come.
    fn due(&self, now: Instant) -> Option<(LinkId, Instant)> {
        let next = (0..).zip(self.wakes.iter().copied()).min_by_key(|&(_, at)| at);
        next.filter(|&(_, at)| at <= now)
    }

    /// Carries out one event of a link.
    fn step(
        &mut self,
        link: LinkId,
        at: Instant,
        observer: &mut impl Observer,
    ) -> Option<DeliveredPacket> {
        let step = self.links[link].step(at);
        self.wakes[link] = self.links[link].next_event();
        let Step::Delivered(mut frame) = step else { return None };
        observer.came_off(at, link, frame.bytes());
        frame.hop += 1;
        if let Some(&next) = self.ways[frame.way].get(frame.hop) {
            self.offer(at, next, frame);
            return None;
        }
        let way = FlowDirection::numbered(frame.way);
        observer.arrived(at, way, frame.bytes());
        Some(DeliveredPacket { at, way, packet: frame.into_bytes() })
    }

    /// The statistics of each link up to `now`, which the path has [come to](Self::advance).
    pub fn stats(&mut self, now: Instant) -> Vec<LinkStats> {
        self.links.iter_mut().map(|link| link.stats(now)).collect()
    }

    /// Packets that wait at a link, beside the one in its transmitter.
    pub fn backlog(&mut self, link: LinkId, now: Instant) -> u64 {
        self.links.get_mut(link).map_or(0, |link| link.waiting(now).packets)
    }

    /// Packets inside links.
    pub fn inside(&self) -> u64 {
        let packets = |it: InTransit| it.total().packets + it.unreported.packets;
        self.links.iter().map(Link::in_transit).map(packets).sum()
    }
}

/// The time in which the shortest of a network's queues empties when it is full; none if no queue has
/// a limit. Packets count as the largest of any flow.
pub fn shortest_buffer(network: &Network) -> Option<Duration> {
    let largest = network.flows.iter().map(|flow| flow.traffic.largest_packet()).max();
    let lasts = |link: &LinkSpec| {
        let bytes = match link.config.queue.limit() {
            Limit::Packets(n) => largest.unwrap_or(Bytes::ZERO) * n,
            Limit::Bytes(bytes) => bytes,
            Limit::Unlimited => return None,
        };
        let rate = match &link.config.capacity {
            Capacity::Fixed(rate) => *rate,
            Capacity::Recorded(trace) => trace.mean_rate(),
        };
        span_of(bytes, rate)
    };
    network.links.iter().filter_map(lasts).min()
}

/// The time that so many bytes take at a rate; none at a rate of zero.
fn span_of(bytes: Bytes, rate: Rate) -> Option<Duration> {
    // Rates have 16 fractional bits.
    let ns = (u128::from(bytes.get()) * 1_000_000_000) << 16;
    let ns = ns.checked_div(u128::from(rate.raw()))?;
    Some(Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX)))
}

/// The round-trip time of a flow's path by propagation alone; zero for a flow that has no way.
pub fn round_trip(network: &Network, flow: usize) -> Duration {
    let ways = network.ways().unwrap_or_default();
    let links = ways.get(flow).map(|ways| ways.there.iter().chain(&ways.back));
    let delay = |&link: &LinkId| network.links[link].config.delay;
    links.into_iter().flatten().map(delay).fold(Duration::ZERO, |sum, delay| sum + delay)
}
