//! The time series of a run that is drawn.

use westwood_cc::{Duration, Instant, Rate, Segments};
use westwood_sim::{LinkId, Notes, Point, Probes, Record};

/// The detail of a run that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Windows, thinned for a plot on a terminal.
    #[default]
    Windows,
    /// Windows, queue, round-trip times and deliveries: for curves that can be enlarged.
    Curves,
    /// The same, but of windows, queue and deliveries no more than 2,000 points: for a run that is
    /// drawn beside others of its kind.
    Thinned,
}

/// The time series of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSeries {
    /// The controller's canonical name.
    pub cc: String,
    /// The seed.
    pub seed: u64,
    /// Windows of all flows, in order of time.
    pub windows: Vec<WindowPoint>,
    /// Packets waiting at the bottleneck.
    pub queue: Vec<(Instant, u64)>,
    /// Round-trip time samples: time, flow, sample.
    pub rtts: Vec<(Instant, usize, Duration)>,
    /// Payload delivered since the start of the run: time, flow, bytes.
    pub delivered: Vec<(Instant, usize, u64)>,
    /// Packets dropped: time, flow.
    pub drops: Vec<(Instant, usize)>,
}

/// A window after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowPoint {
    /// The time.
    pub at: Instant,
    /// The flow: those under test first, then competing ones, then reverse ones.
    pub flow: usize,
    /// The congestion window.
    pub cwnd: Segments,
    /// The slow-start threshold.
    pub ssthresh: Segments,
    /// The bandwidth estimate.
    pub bwe: Option<Rate>,
    /// The cause; absent for ordinary growth.
    pub cause: Option<Notes>,
}

/// The probes of a drawn run of so many packets.
pub(super) fn probes(detail: Detail, packets: u128, time: Duration, flows: u64) -> Probes {
    match detail {
        Detail::Windows => Probes { windows: true, interval: time / 1_000, ..Probes::default() },
        Detail::Curves => curve_probes(packets, time, flows),
        Detail::Thinned => {
            let close = curve_probes(packets, time, flows);
            let interval = if close.extremes { close.interval } else { time / 2_000 };
            Probes { interval, ..close }
        }
    }
}

/// The probes for curves that can be enlarged, of a run of so many packets.
fn curve_probes(packets: u128, time: Duration, flows: u64) -> Probes {
    /// Up to this many packets, every change is recorded.
    const FEW_PACKETS: u128 = 200_000;
    /// Beyond that, a curve has this many points, of all flows together: five for each column of a drawing.
    const POINTS: u64 = 10_000;
    Probes {
        windows: true,
        rtts: true,
        queues: true,
        delivered: true,
        drops: true,
        interval: if packets <= FEW_PACKETS {
            Duration::ZERO
        } else {
            time / (POINTS / flows.max(1)).max(500)
        },
        extremes: packets > FEW_PACKETS,
        ..Probes::default()
    }
}

/// The time series of the flows that have a `place`, and of one link.
pub(super) fn series_of(
    records: Vec<Record>,
    measured: LinkId,
    place: &dyn Fn(usize) -> Option<usize>,
) -> RunSeries {
    let mut series = RunSeries::default();
    for record in records {
        let at = record.at;
        match record.what {
            Point::Window { flow, cwnd, ssthresh, bwe, cause } => {
                let point = |flow| WindowPoint { at, flow, cwnd, ssthresh, bwe, cause };
                series.windows.extend(place(flow).map(point));
            }
            Point::Queue { link, packets } if link == measured => series.queue.push((at, packets)),
            Point::Rtt { flow, rtt } => series.rtts.extend(place(flow).map(|flow| (at, flow, rtt))),
            Point::Delivered { flow, bytes } => {
                series.delivered.extend(place(flow).map(|flow| (at, flow, bytes)));
            }
            Point::Drop { flow, .. } => series.drops.extend(place(flow).map(|flow| (at, flow))),
            Point::Queue { .. } | Point::Estimate { .. } => {}
        }
    }
    series
}
