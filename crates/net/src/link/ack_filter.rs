//! ACK thinning: a link that carries fewer ACKs than it is given.
//!
//! Cable, satellite and wireless links are poor in transmissions upstream, and drop ACKs that a later
//! one makes needless: "ACK filtering" or "suppression" (H. Balakrishnan and others, "TCP Performance
//! Implications of Network Path Asymmetry", RFC 3449, 2002, section 5.2.1). Two rules:
//!
//! * [`AckRule::Replace`]: an ACK that waits in the queue is replaced, in its place, by the next one of
//!   its connection. So do cable modems (US patent application 2004/0213278, "In-Place, Lightweight ACK
//!   Promotion"); DOCSIS recommends that ACKs are treated specially and leaves the manner to the maker.
//! * [`AckRule::Decimate`]: an ACK is held until `n` have come, of which the last goes on, and for `wait`
//!   at most. So do drivers of wireless chips, with ten ACKs or 10 ms for instance (Spreadtrum's
//!   `sprdwl`, `tcp_ack.c`).
//!
//! An ACK gives way only to one that acknowledges more, so that duplicate ACKs pass. By default it
//! stays if it carries news that the later one may lack (SACK blocks or a loss notification), or if
//! the two differ in ECN's echo. Data, SYN, FIN and RST pass.
//!
//! # Deviations
//! CAKE (`ack-filter` of Linux's `sch_cake.c`) drops the waiting ACK nearest the head and appends the
//! new one; it keeps two redundant ACKs unless it is told to be aggressive, compares SACK blocks, and
//! keeps an ACK whose timestamp echo is the newer. Here the new ACK takes the waiting one's place, one
//! is kept, and blocks and timestamps are not compared. Connections are told apart by
//! [`Packet::flow`], in an emulation a hash of 32 bits.

use std::collections::{BTreeMap, VecDeque};

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::packet::{Packet, PureAck};
use crate::queue::Queued;
use crate::stats::PacketCount;

/// Which ACKs a link leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFilterConfig {
    /// Which ACKs give way to later ones.
    pub rule: AckRule,
    /// ACKs with SACK blocks or a loss notification give way as others do.
    pub drop_sack: bool,
    /// ACKs give way also to those whose echo of congestion marks differs.
    pub drop_ecn: bool,
}

/// Which ACKs give way to later ones of their connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckRule {
    /// Those that wait in the queue.
    Replace,
    /// All but one of `n`.
    Decimate {
        /// 2 to 256.
        n: u32,
        /// An ACK is held no longer than this, at most a day.
        wait: Duration,
    },
}

impl AckFilterConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        let AckRule::Decimate { n, wait } = self.rule else { return Ok(()) };
        LinkError::unless((2..=256).contains(&n), "ack_filter.n", "within 2 to 256")?;
        let bounded = wait <= Duration::from_secs(86_400);
        LinkError::unless(bounded, "ack_filter.wait", "at most a day")
    }

    /// True if `old` may give way to `new`.
    fn allows(&self, old: &PureAck, new: &PureAck) -> bool {
        let later = new.number.wrapping_sub(old.number).cast_signed() > 0;
        later && (self.drop_sack || !old.has_news) && (self.drop_ecn || old.ecn == new.ecn)
    }
}

/// An ACK that waits in the queue, or that waited and has given its place to another.
#[derive(Clone, Copy, Debug)]
struct QueuedAck {
    /// The number under which the queue has it.
    number: u64,
    /// Its size in the queue.
    size: Bytes,
    ack: PureAck,
}

/// An ACK that is held.
#[derive(Debug)]
struct HeldAck<P> {
    until: Instant,
    /// How many it stands for.
    count: u32,
    queued: Queued<P>,
}

/// The ACKs of a flow.
#[derive(Debug)]
struct FlowAcks<P> {
    /// The latest one in the queue.
    waiting: Option<QueuedAck>,
    /// The latest one that came.
    last: Option<PureAck>,
    held: Option<HeldAck<P>>,
}

impl<P> Default for FlowAcks<P> {
    fn default() -> Self {
        Self { waiting: None, last: None, held: None }
    }
}

/// An ACK filter at work.
#[derive(Debug)]
pub(crate) struct AckFilter<P> {
    config: AckFilterConfig,
    flows: BTreeMap<u32, FlowAcks<P>>,
    /// The ACKs that replace packets of the queue, by the number of the packet replaced.
    replacing: BTreeMap<u64, ReplacingAck<P>>,
    /// Deadlines of those that are held, in order, and of some that are not any more.
    due: VecDeque<(Instant, u32)>,
    filtered: PacketCount,
}

#[derive(Debug)]
struct ReplacingAck<P> {
    /// The size of the packet in the queue.
    size: Bytes,
    queued: Queued<P>,
}

/// The packets that go on to the queue, in this order.
pub(crate) type Released<P> = [Option<Queued<P>>; 2];

impl<P: Packet> AckFilter<P> {
    pub(crate) fn new(config: AckFilterConfig) -> Self {
        Self {
            config,
            flows: BTreeMap::new(),
            replacing: BTreeMap::new(),
            due: VecDeque::new(),
            filtered: PacketCount::default(),
        }
    }

    /// Takes an arriving packet and gives what goes on to the queue.
    pub(crate) fn take(&mut self, now: Instant, queued: Queued<P>) -> Released<P> {
        let ack = queued.packet.pure_ack();
        match (self.config.rule, ack) {
            (AckRule::Replace, None) => [Some(queued), None],
            (AckRule::Replace, Some(ack)) => [self.replace(queued, ack), None],
            (AckRule::Decimate { .. }, None) => [self.release(queued.packet.flow()), Some(queued)],
            (AckRule::Decimate { n, wait }, Some(ack)) => self.decimate(queued, ack, n, now + wait),
        }
    }

    /// Puts an ACK into the place of the one that waits; gives it back if there is none.
    fn replace(&mut self, queued: Queued<P>, ack: PureAck) -> Option<Queued<P>> {
        let flow = queued.packet.flow();
        let waiting = &mut self.flows.entry(flow).or_default().waiting;
        let Some(place) = waiting.as_mut().filter(|p| self.config.allows(&p.ack, &ack)) else {
            *waiting = Some(QueuedAck { number: queued.number, size: queued.size, ack });
            return Some(queued);
        };
        place.ack = ack;
        let ack = ReplacingAck { size: place.size, queued };
        let before = self.replacing.insert(place.number, ack);
        self.filtered.add(before.map_or(place.size, |ack| ack.queued.size));
        None
    }

    fn decimate(&mut self, queued: Queued<P>, ack: PureAck, n: u32, until: Instant) -> Released<P> {
        let flow = queued.packet.flow();
        let acks = self.flows.entry(flow).or_default();
        let advances = match acks.last.replace(ack) {
            // News is not held back.
            Some(last) => self.config.allows(&PureAck { has_news: ack.has_news, ..last }, &ack),
            None => self.config.drop_sack || !ack.has_news,
        };
        if !advances {
            return [self.release(flow), Some(queued)];
        }
        let held = if let Some(held) = acks.held.take() {
            self.filtered.add(held.queued.size);
            HeldAck { count: held.count + 1, queued, ..held }
        } else {
            self.due.push_back((until, flow));
            HeldAck { until, count: 1, queued }
        };
        if held.count >= n {
            self.forget_released();
            return [Some(held.queued), None];
        }
        acks.held = Some(held);
        [None, None]
    }

    fn release(&mut self, flow: u32) -> Option<Queued<P>> {
        let held = self.flows.get_mut(&flow)?.held.take()?;
        self.forget_released();
        Some(held.queued)
    }

    /// Lets the first deadline be that of an ACK that is still held.
    fn forget_released(&mut self) {
        while let Some((until, flow)) = self.due.front()
            && self.held(*flow).is_none_or(|held| held.until != *until)
        {
            self.due.pop_front();
        }
    }

    fn held(&self, flow: u32) -> Option<&HeldAck<P>> {
        self.flows.get(&flow)?.held.as_ref()
    }

    /// When the next ACK has been held long enough.
    pub(crate) fn next_event(&self) -> Instant {
        self.due.front().map_or(Instant::FAR_FUTURE, |due| due.0)
    }

    /// The ACK that has been held longest.
    pub(crate) fn take_due(&mut self) -> Option<Queued<P>> {
        let flow = self.due.front()?.1;
        self.release(flow)
    }

    /// A packet leaves the queue: itself, or what has taken its place.
    pub(crate) fn leave(&mut self, queued: Queued<P>) -> Queued<P> {
        let flow = queued.packet.flow();
        if let Some(acks) = self.flows.get_mut(&flow) {
            acks.waiting.take_if(|place| place.number == queued.number);
        }
        match self.replacing.remove(&queued.number) {
            Some(ack) => ack.queued,
            None => queued,
        }
    }

    /// The ACKs left out.
    pub(crate) fn filtered(&self) -> PacketCount {
        self.filtered
    }

    /// The ACKs held before the queue.
    pub(crate) fn holds(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        let held = self.flows.values().filter_map(|acks| acks.held.as_ref());
        held.for_each(|held| sum.add(held.queued.size));
        sum
    }

    /// A queue's traffic with the sizes of those that have taken places in it.
    pub(crate) fn corrected(&self, mut waiting: PacketCount) -> PacketCount {
        for ack in self.replacing.values() {
            waiting.remove(ack.size);
            waiting.add(ack.queued.size);
        }
        waiting
    }
}
