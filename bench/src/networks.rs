//! The networks that are measured.
//!
//! P1 and P2 are written a second time for ns-2 and ns-3, in `ns-2/dumbbell.tcl` and
//! `ns-3/dumbbell.cc`. A change here is a change there. Hosts of Linux are those of the preset `linux`.

use std::fmt;
use std::path::Path;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_scenario::file::Scenario;
use westwood_sim::{FlowSpec, LinkSpec, Network, Probes, Shared, TcpSpec, Traffic, Workload};
use westwood_tcp::{AckPolicy, Config, Recovery, Sizes};

/// Why there is no such network.
#[derive(Debug)]
pub enum BadNetwork {
    /// The catalog lacks this controller.
    Controller(&'static str),
    /// A scenario has this fault, in words.
    Scenario(String),
}

impl From<&'static str> for BadNetwork {
    fn from(controller: &'static str) -> Self {
        Self::Controller(controller)
    }
}

impl fmt::Display for BadNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Controller(name) => write!(f, "there is no controller `{name}`"),
            Self::Scenario(fault) => f.write_str(fault),
        }
    }
}

impl std::error::Error for BadNetwork {}

/// A network, named as on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchNetwork {
    /// One westwood+ flow with SACK over 100 Mbit/s, 180 ms, 300 packets of buffer, delayed ACKs.
    P1,
    /// P1 with reno, which ns-2 and ns-3 have alike.
    P1Reno,
    /// P1 with every window and every queue length recorded.
    P1Probes,
    /// P1 with what `westwood compare --html` records of it.
    P1Curves,
    /// P1 with 0.01 % of the packets lost.
    P1Lossy,
    /// P1's path with cubic-linux between hosts of Linux, as `westwood compare` has them.
    P1Linux,
    /// The same with bbr, whose segments leave one by one.
    P1LinuxBbr,
    /// 100 newreno flows over 10 Mbit/s, 22 to 250 ms away, and ten the other way.
    P2,
    /// One westwood+ flow with SACK over 10 Gbit/s, 265 ms, 9000-byte packets, a quarter of the
    /// bandwidth-delay product of buffer.
    P3,
    /// 10,000 cubic flows with SACK over 10 Gbit/s, 20 to 200 ms away, one bandwidth-delay product
    /// of buffer.
    P4,
    /// P4 with 100 flows: what it takes less, the other 9,900 take.
    P4Few,
}

impl BenchNetwork {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::P1,
        Self::P1Reno,
        Self::P1Probes,
        Self::P1Curves,
        Self::P1Lossy,
        Self::P1Linux,
        Self::P1LinuxBbr,
        Self::P2,
        Self::P3,
        Self::P4,
        Self::P4Few,
    ];

    /// As on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::P1 => "P1",
            Self::P1Reno => "P1-reno",
            Self::P1Probes => "P1-probes",
            Self::P1Curves => "P1-curves",
            Self::P1Lossy => "P1-lossy",
            Self::P1Linux => "P1-linux",
            Self::P1LinuxBbr => "P1-linux-bbr",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
            Self::P4Few => "P4-few",
        }
    }

    /// The network of this name, to be simulated for `duration` with this seed.
    ///
    /// # Errors
    /// A controller that the catalog lacks, or a fault of the scenario.
    pub fn network(self, duration: Duration, seed: u64) -> Result<Network, BadNetwork> {
        let mut network = match self {
            Self::P1 => p1("westwood+")?,
            Self::P1Reno => p1("reno")?,
            Self::P1Probes => {
                let probes = Probes { windows: true, queues: true, ..Probes::default() };
                Network { probes, ..p1("westwood+")? }
            }
            Self::P1Curves => {
                // Of a single flow 10,000 points of each curve.
                let interval = duration / 10_000;
                let probes =
                    Probes { windows: true, rtts: true, queues: true, ..Probes::default() };
                let probes = Probes { delivered: true, interval, extremes: true, ..probes };
                Network { probes, ..p1("westwood+")? }
            }
            Self::P1Lossy => p1_lossy()?,
            Self::P1Linux => p1_linux("cubic-linux", seed)?,
            Self::P1LinuxBbr => p1_linux("bbr", seed)?,
            Self::P2 => p2()?,
            Self::P3 => p3()?,
            Self::P4 => p4(10_000)?,
            Self::P4Few => p4(100)?,
        };
        network.duration = duration;
        network.seed = seed;
        Ok(network)
    }
}

/// Routers 0 and 1 with the bottleneck between them, and two hosts for each flow.
struct DumbbellNetwork(Network);

impl DumbbellNetwork {
    /// The bottleneck, as links 0 and 1, and room for so many flows.
    fn new(rate: Rate, delay: Duration, waiting: u64, flows: u32) -> Self {
        let flows = flows as usize;
        let mut dumbbell = Self(Network {
            agents: Vec::new(),
            nodes: Vec::with_capacity(2 + 2 * flows),
            links: Vec::with_capacity(2 + 4 * flows),
            flows: Vec::with_capacity(flows),
            seed: 1,
            duration: Duration::from_secs(1),
            warmup: Duration::ZERO,
            probes: Probes::default(),
        });
        dumbbell.0.nodes.extend(["left".into(), "right".into()]);
        dumbbell.cable(0, 1, &LinkConfig::new(rate, delay, Limit::Packets(waiting)).into());
        dumbbell
    }

    fn cable(&mut self, a: usize, b: usize, config: &Shared<LinkConfig>) {
        for (from, to) in [(a, b), (b, a)] {
            let (name, config) = (format!("{from}-{to}"), config.clone());
            self.0.links.push(LinkSpec { name: name.into(), from, to, config });
        }
    }

    /// A flow between hosts of its own, from left to right or back.
    fn flow(
        &mut self,
        tcp: &Shared<TcpSpec>,
        access: Rate,
        delay: Duration,
        start: Duration,
        back: bool,
    ) {
        let first = self.0.nodes.len();
        let edge = LinkConfig::new(access, delay, Limit::Unlimited).into();
        for (host, router) in [(first, 0), (first + 1, 1)] {
            self.0.nodes.push(format!("host {host}").into());
            self.cable(host, router, &edge);
        }
        let (from, to) = if back { (first + 1, first) } else { (first, first + 1) };
        self.0.flows.push(FlowSpec {
            start: Instant::ZERO + start,
            ..FlowSpec::between(
                format!("flow {}", self.0.flows.len()),
                from,
                to,
                Traffic::Tcp(tcp.clone(), Workload::Greedy),
            )
        });
    }
}

fn tcp(controller: &'static str, recovery: Recovery) -> Result<Shared<TcpSpec>, &'static str> {
    let acks = AckPolicy::Delayed { timer: Duration::from_millis(100) };
    let controller = Choice::named(controller).ok_or(controller)?;
    Ok(TcpSpec { controller, config: Config { recovery, acks, ..Config::default() } }.into())
}

const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

fn p1(controller: &'static str) -> Result<Network, &'static str> {
    let mut d = DumbbellNetwork::new(mbit(100), Duration::from_millis(10), 300, 1);
    let (tcp, edge) = (tcp(controller, Recovery::Sack)?, Duration::from_millis(40));
    d.flow(&tcp, mbit(1000), edge, Duration::ZERO, false);
    Ok(d.0)
}

fn p1_lossy() -> Result<Network, &'static str> {
    let mut network = p1("westwood+")?;
    for link in network.links.iter_mut().take(1) {
        link.config.losses.push(LossConfig::Bernoulli { p: 1e-4 });
    }
    Ok(network)
}

/// P1's path in a scenario. It says how long the run is; whoever asks for the network says it anew.
fn p1_linux(controller: &str, seed: u64) -> Result<Network, BadNetwork> {
    let text = format!(
        "like = \"linux\"\ncc = \"{controller}\"\ntime = \"1 s\"\nwarmup = \"0 s\"\nseeds = 1\n\
         [dumbbell]\nrate = \"100 Mbit/s\"\nrtt = \"180 ms\"\nbuffer = \"300 packets\"\n\
         access_rate = \"1 Gbit/s\"\n"
    );
    let fault = |fault: &dyn fmt::Display| BadNetwork::Scenario(fault.to_string());
    let no_file = |_: &Path| Err("this scenario reads no file".to_owned());
    let scenario = Scenario::parse("P1-linux", &text, &[], &no_file).map_err(|e| fault(&e))?;
    let point = scenario.points().first().ok_or_else(|| fault(&"the scenario has no point"))?;
    Ok(scenario.build(point, seed).map_err(|e| fault(&e))?.network)
}

fn p2() -> Result<Network, &'static str> {
    // One bandwidth-delay product of the mean round-trip time, 136 ms.
    let mut d = DumbbellNetwork::new(mbit(10), Duration::from_millis(5), 113, 110);
    let newreno = tcp("reno", Recovery::NewReno)?;
    for i in 0..110 {
        // 22 to 250 ms there and back, of which the middle takes 10.
        let edge = Duration::from_micros(3_000 + 57_000 * (i % 100) / 99);
        d.flow(&newreno, mbit(100), edge, Duration::from_millis(37 * i), i >= 100);
    }
    Ok(d.0)
}

fn p3() -> Result<Network, &'static str> {
    let packet = Bytes::new(9000);
    let waiting = 10_000_000_000 / 8 * 265 / 1000 / packet.get() / 4;
    let mut d = DumbbellNetwork::new(mbit(10_000), Duration::from_millis(10), waiting, 1);
    let mut tcp = tcp("westwood+", Recovery::Sack)?;
    tcp.config.sizes = Sizes { payload: packet, ..Sizes::default() };
    let edge = Duration::from_micros(61_250);
    d.flow(&tcp, mbit(100_000), edge, Duration::ZERO, false);
    Ok(d.0)
}

fn p4(flows: u32) -> Result<Network, &'static str> {
    // The mean round-trip time is 110 ms.
    let waiting = 10_000_000_000 / 8 * 110 / 1000 / 1500;
    let mut d = DumbbellNetwork::new(mbit(10_000), Duration::from_millis(4), waiting, flows);
    let cubic = tcp("cubic", Recovery::Sack)?;
    let flows = u64::from(flows);
    for i in 0..flows {
        // 20 to 200 ms there and back, of which the middle takes 8. All start within a second.
        let edge = Duration::from_micros(3_000 + 45_000 * i / (flows - 1));
        let start = Duration::from_nanos(1_000_000_000 / flows * i);
        d.flow(&cubic, mbit(1000), edge, start, false);
    }
    Ok(d.0)
}
