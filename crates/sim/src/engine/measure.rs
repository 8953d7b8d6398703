//! Counting, from the end of the warm-up on, and the probes.

use westwood_cc::{Bytes, Duration, Instant, Window};
use westwood_net::{Histogram, Limit, PacketCount};
use westwood_tcp::Note;

use super::connection::{Connection, Totals};
use super::progress::FlowProgress;
use super::records::Records;
use crate::media::{FrameOutcome, MediaFlow};
use crate::network::{LinkSpec, Network, Observation, Probes};
use crate::outcome::{Completion, FlowOutcome, Notes, Outcome, Point};
use crate::routes::Routes;

/// One flow's account.
#[derive(Debug, Default)]
struct Account {
    /// The totals of closed connections and of datagrams.
    closed: Totals,
    /// These totals just before the first datagram after the warm-up, if that arrived ahead of the present.
    arrived_before: Option<Box<Totals>>,
    /// The flow's totals at the end of the warm-up; none if they were zero.
    before: Option<Box<Totals>>,
    rtts: Histogram,
    base_rtt: Duration,
    completions: Vec<Completion>,
    frames: Option<Box<FrameOutcome>>,
    begun: u64,
    refused: u64,
}

/// The series recorded of a flow, and from when on another point of each may be.
#[derive(Clone, Copy, Debug, Default)]
struct Recorded {
    /// Payload delivered since the start.
    delivered: u64,
    delivered_due: Instant,
    /// The last window recorded.
    window: Option<Window>,
    window_due: Instant,
    estimates_due: Instant,
}

/// The last point of a link's queue: when, and how many waited.
#[derive(Clone, Copy, Debug, Default)]
struct LastQueue(Option<(Instant, u64)>);

/// The smallest and the largest of a flow's round-trip times up to the next multiple of the interval.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    until: Instant,
    least: (Instant, Duration),
    most: (Instant, Duration),
    /// The smallest came after the largest.
    falling: bool,
}

/// All accounts.
#[derive(Debug)]
pub(super) struct Measurements {
    accounts: Vec<Account>,
    /// Of each flow. Empty without probes.
    recorded: Vec<Recorded>,
    /// The last recorded point of each link's queue; none for a link that is not recorded. Empty without
    /// probes.
    queues: Vec<Option<LastQueue>>,
    /// The extremes of the current interval, for flows whose round-trip times are recorded as extremes alone.
    extremes: Vec<Option<Extremes>>,
    probes: Probes,
    warm: bool,
    warmup: Instant,
    duration: Duration,
    /// Round-trip times are counted from this time on; never, if they are not.
    rtts_from: Instant,
    /// Payload that arrives from the middle of the measuring interval on, of each flow.
    later_from: Instant,
    later_bytes: Vec<u64>,
    /// One-way delays are measured for data that arrives from this time on; never, if no flow's are.
    one_way_from: Instant,
    one_way: Histogram,
    progress: Option<FlowProgress>,
    pub(super) records: Records,
    /// Packets that entered the network and have neither reached a host nor been lost.
    pub(super) moving: PacketCount,
}

impl Measurements {
    pub(super) fn new(network: &Network, routes: &Routes) -> Self {
        let account =
            |flow| Account { base_rtt: routes.flow_base_rtt(flow, network), ..Account::default() };
        let queue = |link: &LinkSpec| {
            (link.config.queue.limit() != Limit::Unlimited).then(LastQueue::default)
        };
        let observation = network.probes.observation();
        Self {
            accounts: (0..network.flows.len()).map(account).collect(),
            recorded: if observation == Observation::Nothing {
                Vec::new()
            } else {
                vec![Recorded::default(); network.flows.len()]
            },
            queues: if network.probes.queues {
                network.links.iter().map(queue).collect()
            } else {
                Vec::new()
            },
            extremes: if network.probes.records_extremes() {
                vec![None; network.flows.len()]
            } else {
                Vec::new()
            },
            probes: network.probes,
            warm: false,
            warmup: Instant::ZERO + network.warmup,
            duration: network.duration - network.warmup,
            rtts_from: if network.probes.without_rtts {
                Instant::FAR_FUTURE
            } else {
                Instant::ZERO + network.warmup
            },
            later_from: Instant::ZERO + network.warmup + (network.duration - network.warmup) / 2,
            later_bytes: vec![0; network.flows.len()],
            one_way_from: if network.probes.one_way.is_empty() {
                Instant::FAR_FUTURE
            } else {
                Instant::ZERO + network.warmup
            },
            one_way: Histogram::default(),
            progress: FlowProgress::of(network, routes),
            records: Records::new(observation),
            moving: PacketCount::default(),
        }
    }

    /// So many packets of this size enter the network. Counted for the conservation check alone.
    #[inline]
    pub(super) fn enter(&mut self, packets: u64, size: Bytes) {
        if cfg!(debug_assertions) {
            self.moving.packets += packets;
            self.moving.bytes += size * packets;
        }
    }

    /// A packet reaches its host, or is lost.
    #[inline]
    pub(super) fn leaves(&mut self, size: Bytes) {
        if cfg!(debug_assertions) {
            self.moving.packets -= 1;
            self.moving.bytes -= size;
        }
    }

    /// True if the present has passed the warm-up.
    #[inline]
    pub(super) fn is_warm(&self) -> bool {
        self.warm
    }

    /// The warm-up is over.
    pub(super) fn begin(&mut self, live: impl Iterator<Item = (usize, Totals)>) {
        self.warm = true;
        for account in &mut self.accounts {
            let mut before = account.closed;
            if let Some(arrived) = &account.arrived_before {
                before.arrived = arrived.arrived;
                before.delivered_bytes = arrived.delivered_bytes;
            }
            account.set_before(before);
        }
        for (flow, totals) in live {
            let account = &mut self.accounts[flow];
            account.set_before(account.before() + totals);
        }
    }

    /// A connection is over, by itself or because the run is.
    pub(super) fn close(&mut self, c: &mut Connection, now: Instant) {
        self.count_rtts(c);
        let account = &mut self.accounts[c.flow];
        account.closed = account.closed + c.totals(now);
    }

    /// The run is over: what became of a media flow's frames.
    pub(super) fn close_media(&mut self, flow: usize, media: MediaFlow) {
        self.accounts[flow].frames = Some(Box::new(media.outcome()));
    }

    pub(super) fn on_begin(&mut self, flow: usize) {
        self.accounts[flow].begun += 1;
    }

    pub(super) fn on_complete(&mut self, flow: usize, completion: Completion) {
        self.accounts[flow].completions.push(completion);
    }

    pub(super) fn on_refused(&mut self, flow: usize) {
        self.accounts[flow].refused += 1;
    }

    #[expect(clippy::inline_always, reason = "mostly it only adds to a histogram")]
    #[inline(always)]
    pub(super) fn on_rtt(&mut self, at: Instant, c: &mut Connection, rtt: Duration) {
        let flow = c.flow;
        if at >= self.rtts_from {
            let room = c.rtts.push(rtt);
            if room <= 2 {
                self.count_or_fetch_rtts(c, room);
            }
        }
        if self.probes.rtts && !self.is_between_extremes(at, flow, rtt) {
            self.record_rtt(at, flow, rtt);
        }
    }

    /// Counts the samples that a connection has kept, if it has `room` for no other. A flow's histogram is
    /// far away: it is fetched before, first its head.
    #[inline(never)]
    fn count_or_fetch_rtts(&mut self, c: &mut Connection, room: usize) {
        let histogram = &self.accounts[c.flow].rtts;
        match room {
            0 => self.count_rtts(c),
            1 => c.rtts.kept().iter().for_each(|&rtt| histogram.prefetch_bucket(rtt)),
            _ => histogram.prefetch(),
        }
    }

    /// Counts the samples that a connection has kept.
    #[inline(never)]
    fn count_rtts(&mut self, c: &mut Connection) {
        let rtts = &mut self.accounts[c.flow].rtts;
        c.rtts.take().for_each(|rtt| rtts.add(rtt));
    }

    /// True if only extremes are recorded and this sample is not one.
    #[inline]
    fn is_between_extremes(&self, at: Instant, flow: usize, rtt: Duration) -> bool {
        let Some(Some(it)) = self.extremes.get(flow) else { return false };
        at < it.until && it.least.1 <= rtt && rtt <= it.most.1
    }

    #[inline(never)]
    fn record_rtt(&mut self, at: Instant, flow: usize, rtt: Duration) {
        let Some(extremes) = self.extremes.get_mut(flow) else {
            return self.records.push(at, Point::Rtt { flow, rtt });
        };
        match extremes {
            Some(it) if at < it.until => {
                if rtt < it.least.1 {
                    (it.least, it.falling) = ((at, rtt), true);
                } else if rtt > it.most.1 {
                    (it.most, it.falling) = ((at, rtt), false);
                }
            }
            _ => {
                let until = self.probes.multiple_after(at);
                let (least, most) = ((at, rtt), (at, rtt));
                let new = Extremes { until, least, most, falling: false };
                let over = extremes.replace(new);
                record_extremes(&mut self.records, flow, over);
            }
        }
    }

    /// Puts records in order. None before `now` is still to come.
    pub(super) fn sort_records_until(&mut self, now: Instant) {
        if self.extremes.is_empty() {
            return self.records.sort_until(now);
        }
        // The extremes of the present interval are not known yet.
        let multiple = self.probes.multiple_after(now) - self.probes.interval;
        for (flow, extremes) in self.extremes.iter_mut().enumerate() {
            let over = extremes.take_if(|it| it.until <= multiple);
            record_extremes(&mut self.records, flow, over);
        }
        self.records.sort_until(multiple);
    }

    /// A segment has arrived that was sent at this time.
    #[inline]
    pub(super) fn on_segment(&mut self, at: Instant, flow: usize, sent_at: Instant) {
        if at >= self.one_way_from {
            self.add_one_way(flow, at.since(sent_at));
        }
    }

    #[inline(never)]
    fn add_one_way(&mut self, flow: usize, delay: Duration) {
        if self.probes.one_way.contains(flow) {
            self.one_way.add(delay);
        }
    }

    pub(super) fn on_datagram_sent(&mut self, flow: usize, size: Bytes) {
        let totals = &mut self.accounts[flow].closed;
        totals.sent += 1;
        totals.sent_bytes += size.get();
    }

    pub(super) fn on_datagram(&mut self, at: Instant, flow: usize, size: Bytes) {
        let account = &mut self.accounts[flow];
        if at >= self.warmup && account.arrived_before.is_none() {
            account.arrived_before = Some(Box::new(account.closed));
        }
        account.closed.arrived += 1;
        account.closed.delivered_bytes += size.get();
        self.on_delivered(at, flow, size.get());
    }

    #[inline]
    pub(super) fn on_delivered(&mut self, at: Instant, flow: usize, bytes: u64) {
        if bytes == 0 {
            return;
        }
        if at >= self.later_from {
            self.later_bytes[flow] += bytes;
        }
        if let Some(progress) = &mut self.progress {
            progress.add(at, flow, bytes);
        }
        if self.probes.delivered {
            let Some(recorded) = self.recorded.get_mut(flow) else { return };
            recorded.delivered += bytes;
            if at >= recorded.delivered_due {
                self.record_delivered(at, flow);
            }
        }
    }

    #[inline(never)]
    fn record_delivered(&mut self, at: Instant, flow: usize) {
        let recorded = &mut self.recorded[flow];
        recorded.delivered_due = at + self.probes.interval;
        self.records.push(at, Point::Delivered { flow, bytes: recorded.delivered });
    }

    /// Records what a sender's event has changed.
    #[expect(clippy::inline_always, reason = "mostly nothing is recorded")]
    #[inline(always)]
    pub(super) fn record_sender(&mut self, at: Instant, c: &mut Connection) {
        if self.probes.windows && (c.sender.has_notes() || self.is_window_due(at, c.flow))
            || !self.probes.estimates.is_empty()
        {
            self.record_any_change(at, c);
        }
    }

    #[inline]
    fn is_window_due(&self, now: Instant, flow: usize) -> bool {
        self.recorded.get(flow).is_some_and(|recorded| now >= recorded.window_due)
    }

    #[inline(never)]
    fn record_any_change(&mut self, at: Instant, c: &mut Connection) {
        let notes = c.sender.take_notes();
        if self.probes.windows {
            self.record_window(at, c, &notes);
        }
        if !self.probes.estimates.is_empty() {
            self.record_estimates(at, c, &notes);
        }
    }

    /// Records the estimates beside a connection; at a change of the window with a cause in any case.
    fn record_estimates(&mut self, at: Instant, c: &Connection, notes: &[Note]) {
        let due = &mut self.recorded[c.flow].estimates_due;
        if notes.is_empty() && at < *due {
            return;
        }
        *due = at + self.probes.interval;
        for (kind, bwe) in c.sender.estimates() {
            self.records.push(at, Point::Estimate { flow: c.flow, kind, bwe });
        }
    }

    /// Records a window that has changed; one with a cause in any case.
    fn record_window(&mut self, at: Instant, c: &Connection, notes: &[Note]) {
        let window = c.sender.window();
        let recorded = &mut self.recorded[c.flow];
        let changed = recorded.window != Some(window) && at >= recorded.window_due;
        if !changed && notes.is_empty() {
            return;
        }
        (recorded.window, recorded.window_due) = (Some(window), at + self.probes.interval);
        let cause = Notes::of(notes);
        let Window { cwnd, ssthresh } = window;
        let bwe = c.sender.bwe();
        self.records.push(at, Point::Window { flow: c.flow, cwnd, ssthresh, bwe, cause });
    }

    /// When another point of this link's queue may be recorded; never, if none is.
    #[inline]
    pub(super) fn queue_due(&self, link: usize) -> Instant {
        match self.queues.get(link) {
            Some(Some(LastQueue(Some((at, _))))) => *at + self.probes.interval,
            Some(Some(LastQueue(None))) => Instant::ZERO,
            Some(None) | None => Instant::FAR_FUTURE,
        }
    }

    /// Records the queue of a link that has a limit at the multiples of the interval before `until`, if
    /// it has changed. `packets` tells how many waited at a time; they are asked for in order. Nothing
    /// has happened at the link since the last multiple.
    pub(super) fn sample_queue(
        &mut self,
        link: usize,
        until: Instant,
        mut packets: impl FnMut(Instant) -> u64,
    ) {
        loop {
            let due = self.queue_due(link);
            let Some(Some(queue)) = self.queues.get_mut(link) else { return };
            if due >= until {
                return;
            }
            let packets = packets(due);
            if queue.0.is_none_or(|(_, n)| n != packets) {
                self.records.push(due, Point::Queue { link, packets });
            }
            // No packet comes before then.
            let at = if packets == 0 { self.probes.multiple_before(until) } else { due };
            queue.0 = Some((at, packets));
        }
    }

    /// Records the queue of a link that has a limit if it has changed.
    pub(super) fn record_queue(&mut self, at: Instant, link: usize, packets: impl FnOnce() -> u64) {
        let Some(Some(queue)) = self.queues.get_mut(link) else { return };
        let packets = packets();
        if queue.0.is_none_or(|(_, n)| n != packets) {
            queue.0 = Some((at, packets));
            self.records.push(at, Point::Queue { link, packets });
        }
    }

    pub(super) fn record_drop(&mut self, at: Instant, link: usize, flow: usize) {
        if self.probes.drops {
            self.records.push(at, Point::Drop { link, flow });
        }
    }

    /// The run is over. The links' results are still to be filled in.
    pub(super) fn outcome(mut self, events: u64) -> Outcome {
        for (flow, extremes) in self.extremes.into_iter().enumerate() {
            record_extremes(&mut self.records, flow, extremes);
        }
        let counted = self.accounts.into_iter().zip(self.later_bytes);
        let mut flows: Vec<FlowOutcome> = counted
            .map(|(account, later)| FlowOutcome { later_bytes: Some(later), ..account.outcome() })
            .collect();
        let progress_interval = self.progress.map_or(Duration::ZERO, |it| it.write_to(&mut flows));
        Outcome {
            flows,
            links: Vec::new(),
            events,
            measured: self.duration,
            records: self.records.in_order(),
            queue_delays: Histogram::default(),
            dual_delays: None,
            one_way_delays: self.one_way,
            progress_interval,
        }
    }
}

impl Account {
    fn before(&self) -> Totals {
        self.before.as_deref().copied().unwrap_or_default()
    }

    fn set_before(&mut self, before: Totals) {
        self.before = (before != Totals::default()).then(|| Box::new(before));
    }

    fn outcome(self) -> FlowOutcome {
        let measured = self.closed - self.before();
        FlowOutcome {
            delivered_bytes: measured.delivered_bytes,
            later_bytes: None,
            sent_bytes: measured.sent_bytes,
            sent: measured.sent,
            retransmitted: measured.retransmitted,
            fast_recoveries: measured.fast_recoveries,
            timeouts: measured.timeouts,
            undone: measured.undone,
            host_limited: Duration::from_nanos(measured.host_limited_ns),
            rtts: self.rtts,
            base_rtt: self.base_rtt,
            unfinished: self.begun - self.completions.len() as u64,
            completions: self.completions,
            refused: self.refused,
            frames: self.frames,
            data_packets: self.closed.arrived,
            proxy: None,
            progress: Vec::new(),
        }
    }
}

/// Records the extremes of an interval that is over.
fn record_extremes(records: &mut Records, flow: usize, extremes: Option<Extremes>) {
    let Some(Extremes { least, most, falling, .. }) = extremes else { return };
    let (first, second) = if falling { (most, least) } else { (least, most) };
    records.push(first.0, Point::Rtt { flow, rtt: first.1 });
    if second.1 != first.1 {
        records.push(second.0, Point::Rtt { flow, rtt: second.1 });
    }
}
