//! One TCP connection: a sender and a receiver, and what has been counted.

use std::mem::offset_of;
use std::ops::{Add, Sub};
use std::sync::Arc;

use westwood_cc::controller::Setup;
use westwood_cc::{Bytes, Duration, Instant};
use westwood_prefetch::{LINE, lines};
use westwood_tcp::{Config, Pacing, Receiver, ReceiverCounts, Sender, SenderCounts};

use crate::network::{FlowSpec, Network, TcpSpec};
use crate::outcome::Completion;
use crate::packet::Address;

/// The settings of the connections of each flow; none of a flow without TCP. Flows that follow each
/// other with equal settings share them, so that they stay in the cache while connections come and
/// go.
#[derive(Debug)]
pub(super) struct FlowConfigs(Vec<Option<Arc<Config>>>);

impl FlowConfigs {
    pub(super) fn of(network: &Network) -> Self {
        let mut last: Option<Arc<Config>> = None;
        let shared = |flow: &FlowSpec| {
            let config = &flow.traffic.tcp()?.config;
            let known = last.take().filter(|last| **last == *config);
            last = Some(known.unwrap_or_else(|| Arc::new(*config)));
            last.clone()
        };
        Self(network.flows.iter().map(shared).collect())
    }

    pub(super) fn of_flow(&self, flow: usize) -> Option<&Arc<Config>> {
        self.0.get(flow)?.as_ref()
    }
}

/// The sizes of the ACKs of a connection, in bytes. Networks with larger ones are refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckSizes {
    /// One without SACK blocks.
    plain: Bytes,
    /// The bytes that their option and each of them add.
    option: u32,
    block: u32,
}

impl AckSizes {
    fn of(config: &Config) -> Self {
        let sizes = &config.sizes;
        let bytes = |size: Bytes| u32::try_from(size.get()).unwrap_or(u32::MAX);
        Self {
            plain: sizes.ack,
            option: bytes(sizes.sack_option(config.recovery)),
            block: bytes(sizes.sack_block),
        }
    }

    /// An ACK with so many blocks.
    #[inline]
    pub(crate) fn with_blocks(self, blocks: u64) -> Bytes {
        let option = if blocks > 0 { u64::from(self.option) } else { 0 };
        self.plain + Bytes::new(option + u64::from(self.block) * blocks)
    }
}

/// A TCP connection in a slot.
///
/// The order is that of use: with thousands of connections each packet finds its own cold. A segment
/// touches the first four lines of the cache, an ACK the first, the fourth and the sender.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Connection {
    /// Where the sender's packets go, and the receiver's.
    pub(crate) forward: Address,
    pub(crate) reverse: Address,
    /// The flow it belongs to.
    pub(crate) flow: usize,
    pub(crate) header: Bytes,
    pub(crate) ack_sizes: AckSizes,
    /// When measuring begins, until the receiver has passed it.
    warmup: Instant,
    /// When the scheduler wakes the receiver at the latest.
    pub(crate) receiver_armed: Instant,
    pub(crate) receiver: Receiver,
    /// The bytes that it carries in all, if that is fixed.
    pub(crate) size: Option<Bytes>,
    /// The sender has acted up to here, if it has been run ahead.
    acted: Instant,
    /// When the scheduler wakes the sender at the latest. Most ACKs ask for a later time, and need not look
    /// into the scheduler.
    pub(crate) sender_armed: Instant,
    /// Samples that the flow's histogram does not count yet.
    pub(crate) rtts: RttSamples,
    /// The last byte has arrived.
    pub(crate) complete: bool,
    pub(crate) sender: Sender,
    /// When it began.
    pub(crate) start: Instant,
    /// When measuring begins.
    begin: Instant,
    /// The bytes that had arrived by then, if the receiver has passed it.
    arrived_before: Option<ReceiverCounts>,
    /// The sender's counts by then.
    sent_before: Option<Box<SenderCounts>>,
}

impl Connection {
    pub(crate) fn new(
        tcp: &TcpSpec,
        flow: usize,
        start: Instant,
        network: &Network,
        config: &Arc<Config>,
        (forward, reverse): (Address, Address),
    ) -> Self {
        // Each connection's controller draws its own numbers.
        let salt = u64::from(forward.slot) << 32 | u64::from(forward.generation.number());
        let seed = network.seed.wrapping_add(salt);
        let setup = Setup {
            smss: config.sizes.payload,
            initial_window: config.initial_window,
            seed,
            handshake_rtt: config.handshake_rtt,
            paced: config.pacing != Pacing::Off,
        };
        Self {
            sender: Sender::sharing(config, tcp.controller.build(&setup)),
            receiver: Receiver::new(config),
            flow,
            start,
            size: None,
            complete: false,
            acted: Instant::ZERO,
            sender_armed: Instant::FAR_FUTURE,
            receiver_armed: Instant::FAR_FUTURE,
            rtts: RttSamples::default(),
            begin: Instant::ZERO + network.warmup,
            warmup: Instant::ZERO + network.warmup,
            arrived_before: None,
            sent_before: None,
            forward,
            reverse,
            ack_sizes: AckSizes::of(config),
            header: config.sizes.header,
        }
    }

    /// Hints that a segment will reach the receiver soon.
    #[inline]
    pub(crate) fn prefetch_receiver(&self) {
        lines(self, 0..offset_of!(Self, acted).div_ceil(LINE));
    }

    /// Hints that an ACK will reach the sender soon. The processor fetches the lines behind by itself.
    #[inline]
    pub(crate) fn prefetch_sender(&self) {
        let first = offset_of!(Self, acted) / LINE;
        lines(self, 0..1);
        lines(self, first..first + 6);
    }

    /// The receiver is about to act at `at`, perhaps ahead of its sender: keeps its counts from before
    /// measuring began.
    #[inline]
    pub(crate) fn note_warmup(&mut self, at: Instant) {
        if at >= self.warmup {
            self.warmup = Instant::FAR_FUTURE;
            self.arrived_before = Some(self.receiver.counts());
        }
    }

    /// The sender is about to act at `at`, ahead of the present: keeps its counts from before measuring
    /// began, unless the present `is_warm` already.
    #[inline]
    pub(crate) fn run_sender_ahead(&mut self, at: Instant, is_warm: bool) {
        self.acted = at;
        if !is_warm && at >= self.begin && self.sent_before.is_none() {
            self.sent_before = Some(Box::new(self.sender.counts_by(self.begin)));
        }
    }

    /// When the sender's next timer fires: no sooner than it has acted.
    #[inline]
    pub(crate) fn sender_due(&self) -> Instant {
        self.sender.deadline().max(self.acted)
    }

    /// The finished transfer. It began `begins` after the connection opened.
    pub(crate) fn completion(&self, now: Instant, begins: Duration) -> Completion {
        let start = self.start + begins;
        let bytes = self.size.map_or(0, Bytes::get);
        Completion { start, took: now.since(start).max(Duration::from_nanos(1)), bytes }
    }

    /// The counts by now.
    pub(crate) fn totals(&self, now: Instant) -> Totals {
        totals(self.receiver.counts(), &self.sender.counts_by(now))
    }

    /// The counts by the end of the warm-up, which the present has just reached.
    pub(crate) fn totals_before(&self) -> Totals {
        let sent = self.sent_before.as_deref().copied();
        totals(
            self.arrived_before.unwrap_or_else(|| self.receiver.counts()),
            &sent.unwrap_or_else(|| self.sender.counts_by(self.begin)),
        )
    }
}

/// A few round-trip time samples.
///
/// The histograms of many flows lie far apart, and a sample touches three lines of the cache there: it
/// costs less to count several at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RttSamples {
    samples: [Duration; 7],
    len: usize,
}

impl RttSamples {
    /// Keeps a sample. Answers how many more fit: at zero, the samples must be [taken](Self::take).
    #[inline]
    pub(crate) fn push(&mut self, rtt: Duration) -> usize {
        if let Some(place) = self.samples.get_mut(self.len) {
            *place = rtt;
            self.len += 1;
        }
        self.samples.len() - self.len
    }

    /// The samples.
    pub(crate) fn kept(&self) -> &[Duration] {
        self.samples.get(..self.len).unwrap_or_default()
    }

    /// The samples, of which none is kept any more.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Duration> + use<> {
        let Self { samples, len } = std::mem::take(self);
        samples.into_iter().take(len)
    }
}

fn totals(arrived: ReceiverCounts, sent: &SenderCounts) -> Totals {
    Totals {
        delivered_bytes: arrived.delivered_bytes,
        arrived: arrived.arrived,
        sent_bytes: sent.sent_bytes,
        sent: sent.sent,
        retransmitted: sent.retransmitted,
        fast_recoveries: sent.fast_recoveries,
        timeouts: sent.timeouts,
        undone: sent.undone,
        host_limited_ns: sent.host_limited.as_nanos(),
    }
}

/// The counts of a flow, over all its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) delivered_bytes: u64,
    pub(crate) arrived: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) sent: u64,
    pub(crate) retransmitted: u64,
    pub(crate) fast_recoveries: u64,
    pub(crate) timeouts: u64,
    pub(crate) undone: u64,
    pub(crate) host_limited_ns: u64,
}

impl Totals {
    fn each(self, o: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            delivered_bytes: f(self.delivered_bytes, o.delivered_bytes),
            arrived: f(self.arrived, o.arrived),
            sent_bytes: f(self.sent_bytes, o.sent_bytes),
            sent: f(self.sent, o.sent),
            retransmitted: f(self.retransmitted, o.retransmitted),
            fast_recoveries: f(self.fast_recoveries, o.fast_recoveries),
            timeouts: f(self.timeouts, o.timeouts),
            undone: f(self.undone, o.undone),
            host_limited_ns: f(self.host_limited_ns, o.host_limited_ns),
        }
    }
}

impl Add for Totals {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.each(o, u64::saturating_add)
    }
}

impl Sub for Totals {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self.each(o, u64::saturating_sub)
    }
}
