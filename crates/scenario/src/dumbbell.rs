//! The path of `westwood compare`: a dumbbell.
//!
//! ```text
//!  sender 1 ---\                              /--- receiver 1
//!               left ==== bottleneck ==== right
//!  sender 2 ---/                              \--- receiver 2
//! ```
//!
//! * The round-trip time of a flow is propagation only. The bottleneck takes 10 ms one way, or half
//!   of the least one-way delay if that is less; a flow's two access links share the rest equally.
//! * Access links never drop. The buffer and its management hold in both directions of the
//!   bottleneck. Losses fall after the bottleneck's transmission.
//! * Under a spread, the round-trip times of n flows are evenly spaced from the smallest to the
//!   largest, both included; competing and reverse flows likewise. A single flow has the largest.
//! * A bandwidth-delay product is the rate times the largest round-trip time, truncated to whole
//!   packets; a buffer in BDPs or in time lets at least one packet wait.
//! * A single flow starts at once. Several flows start at times drawn from the first second, or
//!   from the first tenth of the run if that is shorter.
//! * Links and flows have the same names whatever the controller, and randomness derives from names
//!   and seed: a seed gives every controller the same random network.

mod backlog;
mod describe;
mod network;
mod transport;

use std::sync::Arc;

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::{Capacity, Limit, LossConfig, Trace};

use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits;
use crate::spec::{
    AckFilterSpec, Aqm, ArqSpec, BurstSpec, ControllerSpec, EcnPathSpec, FecSpec, PolicerSpec,
    ReorderSpec,
};
use crate::units::Buffer;

pub(crate) use backlog::Backlog;
pub use transport::Transport;

/// The bottleneck's place among the links of the network.
pub const BOTTLENECK: usize = 0;
const RETURN: usize = 1;
const LEFT: usize = 0;
const RIGHT: usize = 1;

/// A recorded capacity and the file that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTrace {
    /// The file, as it was given.
    pub file: String,
    /// The trace.
    pub trace: Arc<Trace>,
}

impl NamedTrace {
    /// The mean rate over a round of the trace.
    pub fn mean_rate(&self) -> Rate {
        self.trace.mean_rate()
    }
}

/// The capacity of a direction of the bottleneck.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkCapacity {
    /// A fixed rate.
    Fixed(Rate),
    /// Recorded.
    Recorded(NamedTrace),
}

impl LinkCapacity {
    /// The rate, or its mean.
    pub fn rate(&self) -> Rate {
        match self {
            Self::Fixed(rate) => *rate,
            Self::Recorded(trace) => trace.mean_rate(),
        }
    }

    pub(crate) fn capacity(&self) -> Capacity {
        match self {
            Self::Fixed(rate) => Capacity::Fixed(*rate),
            Self::Recorded(named) => Capacity::Recorded(Arc::clone(&named.trace)),
        }
    }

    fn file(&self) -> Option<String> {
        match self {
            Self::Fixed(_) => None,
            Self::Recorded(named) => Some(named.file.clone()),
        }
    }
}

/// Competing flows of another controller over the same bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompetingFlows {
    /// Their controller.
    pub controller: ControllerSpec,
    /// Their number.
    pub flows: u64,
}

/// A dumbbell and the traffic over it, but for the controller under test.
#[derive(Clone, Debug, PartialEq)]
pub struct Dumbbell {
    /// The bottleneck in the data direction.
    pub down: LinkCapacity,
    /// The bottleneck in the other direction.
    pub up: LinkCapacity,
    /// Every access link.
    pub access_rate: Rate,
    /// Smallest propagation round-trip time.
    pub rtt_min: Duration,
    /// Largest propagation round-trip time.
    pub rtt_max: Duration,
    /// The buffer of each direction.
    pub buffer: Buffer,
    /// The packet in service is one of those that the buffer holds.
    pub buffer_in_service: bool,
    /// How long an idle transmitter takes until it begins to send.
    pub wake_up: Duration,
    /// Queue management in each direction.
    pub aqm: Aqm,
    /// A policer before the queue of each direction.
    pub policer: Option<PolicerSpec>,
    /// Losses in the data direction.
    pub loss: Vec<LossConfig>,
    /// Losses in the other direction.
    pub return_loss: Vec<LossConfig>,
    /// The bottleneck's own repair of losses, in each direction.
    pub arq: Option<ArqSpec>,
    /// The code of the bottleneck, in each direction.
    pub fec: Option<FecSpec>,
    /// How the bottleneck puts packets together, in each direction.
    pub bursts: Option<BurstSpec>,
    /// Which packets of the bottleneck others overtake, in each direction.
    pub reorder: Option<ReorderSpec>,
    /// The bottleneck's change of the ECN field, in each direction.
    pub ecn_path: Option<EcnPathSpec>,
    /// Which ACKs the bottleneck leaves out, in each direction.
    pub ack_filter: Option<AckFilterSpec>,
    /// The settings of every sender and receiver.
    pub transport: Transport,
    /// Flows under test.
    pub flows: u64,
    /// Competing flows.
    pub against: Option<CompetingFlows>,
    /// Flows in the other direction.
    pub reverse_flows: u64,
    /// Their controller; the one under test if absent.
    pub reverse_cc: Option<ControllerSpec>,
    /// Payload of each transfer under test; greedy flows if absent.
    pub size: Option<Bytes>,
    /// Simulated time.
    pub time: Duration,
    /// The time at which measuring begins.
    pub warmup: Duration,
}

impl Default for Dumbbell {
    /// One flow over 10 Mbit/s and 100 ms with a BDP of buffer, without losses; 60 s, the first 15 s
    /// not measured.
    fn default() -> Self {
        let rate = Rate::from_bits_per_s(10_000_000);
        Self {
            down: LinkCapacity::Fixed(rate),
            up: LinkCapacity::Fixed(rate),
            access_rate: Rate::from_bits_per_s(100_000_000),
            rtt_min: Duration::from_millis(100),
            rtt_max: Duration::from_millis(100),
            buffer: Buffer::Bdp(Decimal::new(1, 0)),
            buffer_in_service: false,
            wake_up: Duration::ZERO,
            aqm: Aqm::DropTail,
            policer: None,
            loss: Vec::new(),
            return_loss: Vec::new(),
            arq: None,
            fec: None,
            bursts: None,
            reorder: None,
            ecn_path: None,
            ack_filter: None,
            transport: Transport::default(),
            flows: 1,
            against: None,
            reverse_flows: 0,
            reverse_cc: None,
            size: None,
            time: Duration::from_secs(60),
            warmup: Duration::from_secs(15),
        }
    }
}

impl Dumbbell {
    /// The bottleneck's rate in the data direction, or its mean.
    pub fn rate(&self) -> Rate {
        self.down.rate()
    }

    /// The bottleneck's rate in the other direction, or its mean.
    pub fn return_rate(&self) -> Rate {
        self.up.rate()
    }

    /// A full segment on the wire.
    pub fn wire_packet(&self) -> Bytes {
        let sizes = self.transport.config().sizes;
        sizes.payload + sizes.header
    }

    /// Competing flows.
    pub fn competing_flows(&self) -> u64 {
        self.against.map_or(0, |competing_flows| competing_flows.flows)
    }

    /// Flows of every kind.
    pub fn flow_count(&self) -> u64 {
        self.flows.saturating_add(self.competing_flows()).saturating_add(self.reverse_flows)
    }

    /// Propagation delay of the bottleneck, one way.
    pub fn bottleneck_delay(&self) -> Duration {
        let usual = Duration::from_millis(10);
        usual.min(self.rtt_min / 4)
    }

    /// The span from which the start times of several flows are drawn.
    pub fn start_jitter(&self) -> Duration {
        match self.flow_count() {
            0 | 1 => Duration::ZERO,
            _ => Duration::from_secs(1).min(self.time / 10),
        }
    }

    /// Full segments that may wait in the data direction.
    pub fn buffer_packets(&self) -> Result<u64, SettingConflict> {
        Ok(self.backlog(&self.down).packets(self.limit(&self.down)?))
    }

    /// The buffer of one direction in packets or bytes.
    pub(crate) fn limit(&self, speed: &LinkCapacity) -> Result<Limit, SettingConflict> {
        self.backlog(speed).limit().map_err(|error| SettingConflict { setting: "buffer", error })
    }

    fn backlog(&self, speed: &LinkCapacity) -> Backlog {
        Backlog {
            buffer: self.buffer,
            rate: speed.rate(),
            bdp_rate: self.rate(),
            rtt: self.rtt_max,
            packet: self.wire_packet(),
            in_service: self.buffer_in_service,
            recorded: matches!(speed, LinkCapacity::Recorded(_)),
        }
    }

    /// Refuses combinations that cannot be simulated. The values themselves are within their limits.
    pub fn check(&self) -> Result<(), SettingConflict> {
        if self.flow_count() > limits::MAX_FLOWS {
            let most = limits::MAX_FLOWS;
            let what = format!("{} flows in all; at most {most} are allowed", self.flow_count());
            let hint = "lower flows, against or reverse flows";
            return Err(SettingConflict {
                setting: "flows",
                error: BadInput::new(what).hint(hint),
            });
        }
        self.policer()?;
        [&self.down, &self.up].into_iter().try_for_each(|speed| self.queue(speed).map(|_| ()))
    }
}

/// Settings that do not go together: the one that is to be changed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingConflict {
    /// The setting, as `[dumbbell]` calls it.
    pub setting: &'static str,
    /// The fault.
    pub error: BadInput,
}

/// Bits a second, for people and JSON.
#[expect(clippy::cast_precision_loss, reason = "53 bits are enough to report a rate")]
pub fn bps(rate: Rate) -> f64 {
    rate.raw() as f64 / 8192.0
}

/// Milliseconds, for people and JSON.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub fn millis(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// Seconds, for people and JSON.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub fn seconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::buffer;
    use westwood_net::QueueConfig;
    use westwood_sim::{Network, Probes};

    fn reno() -> ControllerSpec {
        ControllerSpec::parse("reno").unwrap()
    }

    fn network(path: &Dumbbell) -> Network {
        path.network(&reno(), 1, Probes::default()).unwrap()
    }

    /// Propagation over both ways of a flow.
    fn round_trip(network: &Network, flow: usize) -> Duration {
        let flow = &network.flows[flow];
        let ways = flow.path.iter().chain(&flow.return_path).flatten();
        ways.fold(Duration::ZERO, |sum, &l| sum + network.links[l].config.delay)
    }

    #[test]
    fn the_default_buffer_is_83_packets_in_both_directions() {
        let network = network(&Dumbbell::default());
        for link in &network.links[..2] {
            assert_eq!(link.config.queue, QueueConfig::DropTail(Limit::Packets(83)));
        }
    }

    #[test]
    fn a_round_trip_is_exactly_what_was_asked_for() {
        for ns in [1_000, 1_001, 39_999_999, 40_000_000, 100_000_003] {
            let rtt = Duration::from_nanos(ns);
            let path = Dumbbell { rtt_min: rtt, rtt_max: rtt, ..Dumbbell::default() };
            assert_eq!(round_trip(&network(&path), 0), rtt);
        }
    }

    #[test]
    fn the_bottleneck_takes_ten_milliseconds_or_half_of_a_short_way() {
        let delay = |ms| {
            let rtt = Duration::from_millis(ms);
            Dumbbell { rtt_min: rtt, rtt_max: rtt, ..Dumbbell::default() }.bottleneck_delay()
        };
        assert_eq!(delay(100), Duration::from_millis(10));
        assert_eq!(delay(40), Duration::from_millis(10));
        assert_eq!(delay(8), Duration::from_millis(2));
    }

    #[test]
    fn a_spread_reaches_from_the_smallest_to_the_largest() {
        let path = Dumbbell {
            flows: 3,
            rtt_min: Duration::from_millis(50),
            rtt_max: Duration::from_millis(200),
            ..Dumbbell::default()
        };
        let network = network(&path);
        let rtts: Vec<Duration> = (0..3).map(|i| round_trip(&network, i)).collect();
        assert_eq!(rtts, [50, 125, 200].map(Duration::from_millis));
        assert_eq!(path.buffer_packets(), Ok(166));
    }

    #[test]
    fn every_path_leads_from_its_sender_to_its_receiver_and_back() {
        let path = Dumbbell {
            flows: 2,
            against: Some(CompetingFlows { controller: reno(), flows: 2 }),
            reverse_flows: 2,
            ..Dumbbell::default()
        };
        let network = network(&path);
        assert_eq!(network.flows.len(), 6);
        for flow in &network.flows {
            for (way, from, to) in
                [(&flow.path, flow.from, flow.to), (&flow.return_path, flow.to, flow.from)]
            {
                let end = way.iter().flatten().fold(from, |at, &l| {
                    assert_eq!(network.links[l].from, at);
                    network.links[l].to
                });
                assert_eq!(end, to);
            }
        }
    }

    #[test]
    fn every_controller_meets_the_same_network() {
        let path = Dumbbell { flows: 3, reverse_flows: 1, ..Dumbbell::default() };
        let other = ControllerSpec::parse("reno(keep=0.7)").unwrap();
        let names = |cc: &ControllerSpec| {
            let network = path.network(cc, 1, Probes::default()).unwrap();
            let flows = network.flows.iter().map(|f| (f.name.clone(), f.start_jitter));
            (
                network.links.iter().map(|l| l.name.clone()).collect::<Vec<_>>(),
                flows.collect::<Vec<_>>(),
            )
        };
        assert_eq!(names(&reno()), names(&other));
    }

    #[test]
    fn buffers_mean_the_same_in_every_unit() {
        let packets = |text| {
            let path = Dumbbell { buffer: buffer(text).unwrap(), ..Dumbbell::default() };
            path.buffer_packets().unwrap()
        };
        for text in ["83pkt", "125kB", "100ms", "1bdp"] {
            assert_eq!(packets(text), 83, "{text}");
        }
        assert_eq!(packets("1.5bdp"), 125);
        assert_eq!(packets("0.001bdp"), 1);
    }

    #[test]
    fn a_slow_return_holds_the_buffers_time_but_the_same_packets() {
        let up = LinkCapacity::Fixed(Rate::from_bits_per_s(1_000_000));
        let limit = |text: &str| {
            let path =
                Dumbbell { buffer: buffer(text).unwrap(), up: up.clone(), ..Dumbbell::default() };
            path.limit(&up).unwrap()
        };
        assert_eq!(limit("100ms"), Limit::Bytes(Bytes::new(12_500)));
        assert_eq!(limit("1bdp"), Limit::Packets(83));
    }

    #[test]
    fn a_trace_has_a_mean_rate() {
        let trace = Arc::new(Trace::parse("0\n1\n2\n3\n4\n").unwrap());
        let named = NamedTrace { file: "t".to_owned(), trace };
        assert_eq!(named.mean_rate(), Rate::from_bits_per_s(15_000_000));
    }

    #[test]
    fn impossible_combinations_are_refused_by_the_setting_to_change() {
        let refused = |path: Dumbbell| path.check().unwrap_err().setting;
        let many = Dumbbell { flows: 9_999, reverse_flows: 2, ..Dumbbell::default() };
        assert_eq!(refused(many), "flows");
        let small = Dumbbell { buffer: buffer("100B").unwrap(), ..Dumbbell::default() };
        assert_eq!(refused(small), "buffer");
        let huge = Dumbbell { buffer: buffer("1e6bdp").unwrap(), ..Dumbbell::default() };
        assert_eq!(refused(huge), "buffer");
    }
}
