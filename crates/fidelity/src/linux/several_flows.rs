//! Several flows over one bottleneck: L6, L8, L11 and L18.

use westwood_cc::Rate;
use westwood_net::{Capacity, Limit, QueueConfig};
use westwood_sim::{Network, TcpSpec};

use super::links::{FAST, NO_DELAY, bottleneck, mbit_and_fraction, ms};
use super::queues;
use crate::measure::at;
use crate::params::{Params, Unreadable};
use crate::table::LinuxRow;
use crate::topology::{SendingPeriod, Topology, link};

/// Several flows over one bottleneck.
#[derive(Clone, Debug)]
pub(super) struct SharedPath {
    pub(super) rate: Rate,
    /// Packets that wait beside the one in service.
    pub(super) buffer: u64,
    /// Not drop-tail.
    pub(super) queue: Option<QueueConfig>,
    /// Each one's round-trip time in ms, and when it starts. They run the given controllers in turn.
    pub(super) flows: Vec<(u64, f64)>,
    /// Seconds.
    pub(super) end: f64,
}

/// A row of L8, L11 or L18.
pub(super) struct SharedRow {
    pub(super) path: SharedPath,
    /// The seconds between the flows' starts in the first run.
    pub(super) gap: f64,
    /// The kernel's name of the second flow's controller, if it is another one.
    pub(super) beside: Option<String>,
}

/// The row that spells out `rate=2;rtts=50+200;buffer=25;gap=0.4`, and `beside=cubic` in L18.
pub(super) fn shared_row(row: &LinuxRow, end: f64) -> Result<SharedRow, Unreadable> {
    let mut given = Params::parse(&row.x)?;
    let missing = |name: &str| Unreadable(format!("'{}' does not say the {name}", row.x));
    let rtts = given.text("rtts").ok_or_else(|| missing("rtts"))?;
    let rtt =
        |text: &str| text.parse().map_err(|_| Unreadable(format!("'{text}' is no time in ms")));
    let rtts: Result<Vec<u64>, Unreadable> = rtts.split('+').map(rtt).collect();
    let buffer = given.count("buffer")?.ok_or_else(|| missing("buffer"))?;
    let path = SharedPath {
        rate: mbit_and_fraction(given.number("rate")?.ok_or_else(|| missing("rate"))?),
        buffer,
        queue: queues::queue(&mut given, buffer, false)?,
        flows: rtts?.into_iter().map(|rtt| (rtt, 0.0)).collect(),
        end,
    };
    let gap = given.number("gap")?.ok_or_else(|| missing("gap"))?;
    let beside = given.text("beside");
    given.nothing_left()?;
    Ok(SharedRow { path, gap, beside })
}

impl SharedPath {
    /// Run by run the flows start further apart.
    #[expect(clippy::cast_precision_loss, reason = "numbers of runs and flows are small")]
    pub(super) fn started(&self, gap: f64, run: u64) -> Self {
        let mut path = self.clone();
        for (i, (_, start)) in path.flows.iter_mut().enumerate() {
            *start = i as f64 * gap * run as f64;
        }
        path
    }

    pub(super) fn network(&self, tcps: &[TcpSpec], seed: u64) -> Network {
        let mut net = Topology::new(seed, at(self.end).since(at(0.0)));
        let (r1, r2) = (net.node(), net.node());
        net.simplex(r1, r2, bottleneck(Capacity::Fixed(self.rate), self.buffer, self.queue));
        net.simplex(r2, r1, link(FAST, NO_DELAY, Limit::Unlimited));
        for (&(rtt, start), tcp) in self.flows.iter().zip(tcps.iter().cycle()) {
            let (c, s) = (net.node(), net.node());
            net.simplex(c, r1, link(FAST, NO_DELAY, Limit::Unlimited));
            net.simplex(r1, c, link(FAST, ms(rtt), Limit::Unlimited));
            net.duplex(r2, s, FAST, NO_DELAY, Limit::Unlimited);
            net.flow((c, s), *tcp, SendingPeriod::opening(at(start)));
        }
        net.network()
    }
}
