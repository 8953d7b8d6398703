//! Payload delivered, interval by interval, of some flows.

use westwood_cc::{Duration, Instant};

use crate::network::{FlowRange, Network};
use crate::outcome::FlowOutcome;
use crate::routes::Routes;

/// The most intervals of a flow.
const INTERVALS: u64 = 5_000;
/// The most intervals of all flows together: 8 MB.
const IN_ALL: u64 = 1_000_000;

/// Payload delivered in each interval.
#[derive(Debug)]
pub(super) struct FlowProgress {
    flows: FlowRange,
    interval: Duration,
    /// The intervals of a flow.
    intervals: usize,
    /// Bytes, flow by flow.
    bytes: Vec<u64>,
}

impl FlowProgress {
    /// The count of the flows that the probes name; none of no flow.
    pub(super) fn of(network: &Network, routes: &Routes) -> Option<Self> {
        let flows = network.probes.progress;
        let longest =
            (flows.first..flows.end).map(|flow| routes.flow_base_rtt(flow, network)).max()?;
        let most = INTERVALS.min(IN_ALL / (flows.len() as u64).max(1)).max(1);
        let time = network.duration.as_nanos();
        let interval = longest.as_nanos().max(time.div_ceil(most)).max(1);
        let intervals = usize::try_from(time.div_ceil(interval)).unwrap_or(0).max(1);
        Some(Self {
            flows,
            interval: Duration::from_nanos(interval),
            intervals,
            bytes: vec![0; intervals * flows.len()],
        })
    }

    /// Payload has arrived. Time beyond the end of the run belongs to no interval.
    #[inline(never)]
    pub(super) fn add(&mut self, at: Instant, flow: usize, bytes: u64) {
        if !self.flows.contains(flow) {
            return;
        }
        let interval = at.since(Instant::ZERO).as_nanos() / self.interval.as_nanos();
        let interval = usize::try_from(interval).unwrap_or(usize::MAX);
        if interval < self.intervals {
            let place = (flow - self.flows.first) * self.intervals + interval;
            self.bytes[place] += bytes;
        }
    }

    /// Gives each flow its own; answers the length of an interval.
    pub(super) fn write_to(self, flows: &mut [FlowOutcome]) -> Duration {
        let counted = flows.iter_mut().skip(self.flows.first);
        for (flow, own) in counted.zip(self.bytes.chunks(self.intervals)) {
            flow.progress = own.to_vec();
        }
        self.interval
    }
}
