//! The receiver: reassembly, acknowledgments, selective acknowledgments, ECN echo.
//!
//! Choices where the RFCs leave one:
//! * The ACK of the first marked segment is not delayed (RFC 3168 is silent; Linux does so).
//! * SACK blocks beyond those lately reported are filled up with the lowest ranges held (RFC 2018
//!   section 4 asks for as many as fit). Linux's receiver reports its list and no more.
//! * Duplicates are reported (RFC 2883) to the `linux` recovery only; RFC 6675 has no use for them.
//! * Of receivers with timestamps Linux's alone refuses segments older than the one that it echoes (RFC 7323
//!   section 5.3, R1). That needs a copy which overtakes new data.

use westwood_cc::{Bytes, Duration, EcnFeedback, Instant, Rate};

use crate::accurate_ecn::counting::MarkCounter;
use crate::config::{AckPolicy, Config, Recovery};
use crate::misbehaviour::{AckAnswer, Misbehaviour};
use crate::quick_ack::QuickAck;
use crate::ranges::{RangeSet, SeqRange};
use crate::receive_buffer::ReceiveBuffer;
use crate::receiver_clock::ReceiverClock;
use crate::relay_buffer::RelayBuffer;
use crate::sack_list::SackList;
use crate::segment::{AckOptions, AckSegment, DataSegment, MAX_SACK_BLOCKS};

/// How often Linux answers segments without data that lie outside the window (`tcp_invalid_ratelimit`).
const PROBE_ANSWERS: Duration = Duration::from_millis(500);

/// The unit of timestamps in Linux (`TCP_TS_HZ`).
const TICK: Duration = Duration::from_millis(1);

/// A TCP receiver as a state machine.
///
/// Feed it segments ([`on_data`](Self::on_data)) and the time ([`on_timer`](Self::on_timer)); each may
/// answer an ACK to send.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next segment in order.
    rcv_nxt: u64,
    /// The last cumulative acknowledgment: Last.ACK.sent (RFC 7323 section 4.3).
    acked: u64,
    /// When the delayed ACK is due.
    deadline: Instant,
    /// TS.Recent (RFC 7323 section 4.3).
    echo: Instant,
    /// Payload bytes that arrived for the first time.
    delivered_bytes: u64,
    mode: AckMode,
    timestamps: bool,
    /// Congestion is echoed until a segment with CWR arrives.
    ece: bool,
    sack: bool,
    /// A receiver of the `linux` recovery: it reports duplicates, and refuses segments that are too old.
    is_linux: bool,
    /// Segments held beyond a gap.
    out_of_order: RangeSet,
    /// The ranges that changed last.
    recent: SackList,
    /// A duplicate behind the gap that the next ACK reports.
    duplicate: Option<u64>,
    /// Memory for the next blocks: every ACK would ask the allocator for it while segments are missing.
    spare: AckOptions,
    /// Segments that arrived again.
    duplicates: u64,
    /// Segments that were refused as too old.
    refused: u64,
    /// How ACKs tell of marks.
    feedback: EcnFeedback,
    /// ACKs that go before the one that is answered: that of segments before the first one that is marked, or
    /// not marked, after others; those of receivers that misbehave.
    prior: Option<Box<PriorAck>>,
    /// State of the extensions that a connection negotiated.
    extensions: Option<Box<ReceiverExtensions>>,
}

/// An ACK that goes first, and those after it.
#[derive(Clone, Debug)]
struct PriorAck {
    ack: AckSegment,
    next: Option<Box<PriorAck>>,
}

/// Reports of links and routers and the clock, for connections that negotiated them; a receive buffer that
/// limits; misbehaviour.
#[derive(Clone, Debug, Default)]
struct ReceiverExtensions {
    /// Segments that arrived damaged, and not yet whole.
    damaged: RangeSet,
    /// Accurate ECN's counters.
    marks: Option<MarkCounter>,
    /// The latest share of a link's rate.
    share: Option<Rate>,
    /// The clock that ACKs tell, and the time.
    clock: Option<ReceiverClock>,
    now: Instant,
    /// The buffer, if it limits.
    buffer: Option<ReceiveBuffer>,
    /// A proxy's side, if one reads.
    relay: Option<RelayBuffer>,
    /// When a probe of the window was answered last.
    probe_answered: Option<Instant>,
    /// How it misbehaves.
    misbehaviour: Option<Misbehaviour>,
}

impl ReceiverExtensions {
    /// The state of the extensions that a connection has, if any.
    fn of(config: &Config) -> Option<Box<Self>> {
        let counts_marks = config.ecn && config.ecn_feedback.counts_marks();
        let option = config.ecn_feedback == EcnFeedback::Accurate;
        let marks = counts_marks.then(|| MarkCounter::new(option));
        let clock = config.receiver_clock.filter(|_| config.timestamps);
        let sizes = config.buffers.receive_sizes();
        let buffer = sizes.map(|sizes| ReceiveBuffer::new(sizes, config));
        let relay = RelayBuffer::of(config);
        let misbehaviour = Misbehaviour::new(config.receiver);
        let any = config.eln
            || config.fair_share
            || marks.is_some()
            || clock.is_some()
            || buffer.is_some()
            || relay.is_some()
            || misbehaviour.is_some();
        let it = Self { marks, clock, buffer, relay, misbehaviour, ..Self::default() };
        any.then(|| Box::new(it))
    }

    /// Adds to the options of an ACK what links and routers have reported, and the clock.
    #[inline]
    fn tell(&mut self, options: &mut AckOptions, timestamps: bool, spare: &mut AckOptions) {
        if self.share.is_some() || self.marks.is_some() || self.clock.is_some() {
            self.tell_any(options, timestamps, spare);
        }
    }

    #[inline(never)]
    fn tell_any(&mut self, options: &mut AckOptions, timestamps: bool, spare: &mut AckOptions) {
        if let Some(share) = self.share {
            options.set_share(share);
        }
        if let Some(marks) = &mut self.marks {
            let told = marks.tell(options.block_count(), timestamps);
            options.set_accurate(told, spare);
        }
        if let Some(clock) = self.clock {
            options.set_clock(clock.reading(self.now));
        }
    }

    /// The window in whole segments of which the last ACK, of all below `acked`, told.
    #[cold]
    fn last_advertised_window(&self, acked: u64) -> u64 {
        match (&self.buffer, &self.relay) {
            (Some(buffer), _) => buffer.last_advertised_window(),
            (None, Some(relay)) => relay.last_advertised_window(acked),
            (None, None) => u64::MAX,
        }
    }
}

/// [`AckPolicy`] for ACKs that may be delayed, with the state that the policy needs.
#[derive(Clone, Debug)]
enum AckMode {
    Each,
    Delayed { timer: Duration },
    Linux(Box<QuickAck>),
}

/// Counters of a receiver, from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounts {
    /// Payload bytes that arrived for the first time.
    pub delivered_bytes: u64,
    /// Segments that arrived for the first time.
    pub delivered: u64,
    /// Segments that arrived, copies and refused ones included.
    pub arrived: u64,
}

impl Receiver {
    /// A receiver at the start of a connection.
    pub fn new(config: &Config) -> Self {
        let extensions = ReceiverExtensions::of(config);
        Self {
            rcv_nxt: 0,
            acked: 0,
            deadline: Instant::FAR_FUTURE,
            echo: Instant::ZERO,
            delivered_bytes: 0,
            mode: match config.acks {
                AckPolicy::Each => AckMode::Each,
                AckPolicy::Delayed { timer } => AckMode::Delayed { timer },
                AckPolicy::Linux { growth } => {
                    let grows = config.buffers.receive_sizes().is_some();
                    let growth = if grows { 0 } else { growth };
                    let window =
                        extensions.as_ref().map_or(u64::MAX, |e| e.last_advertised_window(0));
                    AckMode::Linux(Box::new(QuickAck::new(window, growth, config.handshake_rtt)))
                }
            },
            timestamps: config.timestamps,
            ece: false,
            sack: config.recovery.uses_sack(),
            is_linux: config.recovery == Recovery::Linux,
            out_of_order: RangeSet::default(),
            recent: SackList::new(config.recovery == Recovery::Linux),
            duplicate: None,
            spare: AckOptions::NONE,
            duplicates: 0,
            refused: 0,
            feedback: if config.ecn { config.ecn_feedback } else { EcnFeedback::UntilAnswered },
            prior: None,
            extensions,
        }
    }

    /// Takes blocks that have been read: their memory serves for the next ones.
    pub fn reuse(&mut self, read: AckOptions) {
        self.spare = read;
    }

    /// Hints that a segment will arrive soon, whose ACK may report ranges.
    #[inline]
    pub fn prefetch_blocks(&self) {
        self.spare.prefetch();
    }

    /// A data segment arrives; `ce` if a router marked it. Answers the ACK to send now, if any.
    #[expect(clippy::inline_always, reason = "as a call it takes twice the instructions")]
    #[inline(always)]
    pub fn on_data(&mut self, now: Instant, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        // The next segment, without a gap and without a mark: it is new, no range is held that it could
        // join, and the only choice left is when to acknowledge.
        let next = segment.seq == self.rcv_nxt
            && segment.sent_at >= self.echo
            && self.out_of_order.is_empty()
            && !segment.cwr
            && !ce
            && self.feedback == EcnFeedback::UntilAnswered;
        let plain = next && self.extensions.is_none();
        match self.mode {
            AckMode::Linux(_) if next => self.take_next_by_linux(now, segment),
            AckMode::Each if plain => {
                self.take_next(segment);
                Some(self.cumulative_ack())
            }
            AckMode::Delayed { timer } if plain => {
                self.take_next(segment);
                if self.is_one_waiting() {
                    return self.delay(now, timer);
                }
                Some(self.cumulative_ack())
            }
            _ => self.reassemble(now, segment, ce),
        }
    }

    /// The next ACK that goes before the one that [`on_data`](Self::on_data) or
    /// [`on_timer`](Self::on_timer) has answered, if there is one. Ask until there is none.
    #[inline]
    pub fn take_prior(&mut self) -> Option<AckSegment> {
        let PriorAck { ack, next } = *self.prior.take()?;
        self.prior = next;
        Some(ack)
    }

    /// The next segment in order has arrived, and no range is held behind it.
    #[inline]
    fn take_next(&mut self, segment: &DataSegment) {
        // The last ACK asked for this segment: no segment in order lies below that.
        if self.rcv_nxt == self.acked {
            self.echo = self.echo.max(segment.sent_at);
        }
        self.delivered_bytes += segment.payload.get();
        self.rcv_nxt += 1;
    }

    /// Takes the next segment by Linux's policy, with a buffer that may grow.
    #[inline(never)]
    fn take_next_by_linux(&mut self, now: Instant, segment: &DataSegment) -> Option<AckSegment> {
        if let Some(extensions) = &mut self.extensions {
            if extensions.misbehaviour.is_some() {
                return self.reassemble(now, segment, false);
            }
            extensions.now = now;
        }
        self.take_next(segment);
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.note_codepoint(segment.ecn);
            let extensions = self.extensions.as_ref();
            quick.in_order(now, || {
                extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked))
            });
        }
        if self.extensions.is_some() {
            self.store(now, segment);
        }
        self.linux_ack(now, segment.push && self.reads(now))
    }

    /// True if the application reads what arrives at once (`__tcp_cleanup_rbuf` looks for PSH then).
    #[cold]
    fn reads(&self, now: Instant) -> bool {
        self.extensions.as_ref().is_none_or(|extensions| {
            extensions.relay.is_none()
                && extensions.buffer.as_ref().is_none_or(|buffer| !buffer.is_paused(now))
        })
    }

    /// Takes in any segment: duplicates, gaps and marks too.
    #[inline(never)]
    fn reassemble(&mut self, now: Instant, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        self.note_time(now);
        let ack = self.answer(now, segment, ce);
        let misbehaves = self.extensions.as_ref().is_some_and(|e| e.misbehaviour.is_some());
        if misbehaves { self.apply_misbehaviour(now, segment, ack) } else { ack }
    }

    /// A receiver that misbehaves answers otherwise.
    #[cold]
    fn apply_misbehaviour(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        ack: Option<AckSegment>,
    ) -> Option<AckSegment> {
        let Some(misbehaviour) = self.extensions.as_mut().and_then(|e| e.misbehaviour.as_mut())
        else {
            return ack;
        };
        match misbehaviour.answer(now, segment, ack) {
            AckAnswer::Acks(acks) => self.queue(acks),
            AckAnswer::Release => Some(self.acknowledge(None)),
            AckAnswer::Wait(until) => {
                self.deadline = until;
                None
            }
        }
    }

    /// The last of these ACKs; the others go before it, after those that are there already.
    fn queue(&mut self, mut acks: Vec<AckSegment>) -> Option<AckSegment> {
        let last = acks.pop()?;
        let chain =
            acks.into_iter().rev().fold(None, |next, ack| Some(Box::new(PriorAck { ack, next })));
        let mut end = &mut self.prior;
        while let Some(prior) = end {
            end = &mut prior.next;
        }
        *end = chain;
        Some(last)
    }

    /// The honest answer to a segment.
    #[inline]
    fn answer(&mut self, now: Instant, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        if self.is_too_old(segment) {
            return Some(self.reject_paws(segment));
        }
        if segment.payload == Bytes::ZERO {
            return self.answer_probe(now);
        }
        let seq = segment.seq;
        let in_order = seq == self.rcv_nxt;
        let at_once = self.note_mark(segment, ce) || self.acks_cwr_immediately(segment);
        self.note_echo(segment);
        if seq < self.rcv_nxt {
            return Some(self.on_duplicate(segment));
        }
        let had_gap = !self.out_of_order.is_empty();
        let mut gathered = None;
        if in_order {
            self.advance();
        } else if let Some(range) = self.out_of_order.insert_one(seq) {
            gathered = self.flush_gathered(seq);
            self.recent.report(seq, range, self.rcv_nxt);
        } else {
            return self.on_duplicate_behind_gap(now, segment);
        }
        self.delivered_bytes += segment.payload.get();
        if let AckMode::Linux(quick) = &mut self.mode {
            if in_order {
                let extensions = self.extensions.as_ref();
                quick.in_order(now, || {
                    extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked))
                });
            } else {
                quick.out_of_order();
            }
        }
        if self.extensions.is_some() {
            self.store(now, segment);
        }
        if matches!(self.mode, AckMode::Linux(_)) && !at_once {
            // The ACK of what was gathered is this segment's too (`inet_csk_ack_scheduled`).
            let pushed = segment.push && in_order && self.reads(now);
            let at_once = (had_gap || pushed) && self.out_of_order.is_empty();
            return gathered.or_else(|| self.linux_ack(now, at_once));
        }
        // RFC 5681 section 4.2: at once when out of order, or when a gap is filled.
        if !in_order || had_gap || at_once {
            return Some(self.acknowledge(None));
        }
        match self.mode {
            AckMode::Delayed { timer } if self.is_one_waiting() => self.delay(now, timer),
            _ => Some(self.acknowledge(None)),
        }
    }

    /// A receive buffer takes in the segment that has just been put where it belongs.
    fn store(&mut self, now: Instant, segment: &DataSegment) {
        let place = (self.rcv_nxt, self.out_of_order.count());
        let Some(extensions) = &mut self.extensions else { return };
        if let Some(relay) = &mut extensions.relay {
            relay.store(segment, self.rcv_nxt);
        }
        let buffer = extensions.buffer.as_mut();
        let grows = buffer.is_some_and(|b| b.take(now, segment, place, self.sack));
        if let (true, AckMode::Linux(quick)) = (grows, &mut self.mode) {
            quick.announce();
        }
    }

    /// The application reads again after a pause. True if an ACK should tell of it.
    #[cold]
    fn resume(&mut self, now: Instant) -> Option<bool> {
        let place = (self.rcv_nxt, self.out_of_order.count());
        let buffer = self.extensions.as_mut()?.buffer.as_mut()?;
        buffer.settle();
        if now < buffer.resumes_at() {
            return None;
        }
        buffer.read(now);
        Some(buffer.opens(place.0, place.1) || self.rcv_nxt > self.acked)
    }

    /// A duplicate arrives.
    fn on_duplicate(&mut self, segment: &DataSegment) -> AckSegment {
        let seq = segment.seq;
        self.duplicates += 1;
        if let AckMode::Linux(quick) = &mut self.mode {
            let extensions = self.extensions.as_ref();
            quick.duplicate(extensions.map_or(u64::MAX, |e| e.last_advertised_window(self.acked)));
        }
        self.acknowledge(Some(seq))
    }

    /// A segment arrives that is held. Linux gathers its report like that of a new one.
    fn on_duplicate_behind_gap(
        &mut self,
        now: Instant,
        segment: &DataSegment,
    ) -> Option<AckSegment> {
        let seq = segment.seq;
        let gathers = matches!(self.mode, AckMode::Linux(_));
        let mut gathered = None;
        if gathers {
            self.duplicates += 1;
            self.duplicate = Some(seq);
            gathered = self.flush_gathered(seq);
        }
        if let Some(range) = self.out_of_order.find(seq) {
            self.recent.report(seq, range, self.rcv_nxt);
        }
        if gathers {
            gathered.or_else(|| self.linux_ack(now, false))
        } else {
            Some(self.on_duplicate(segment))
        }
    }

    /// Protection against wrapped sequence numbers (`tcp_paws_discard`): Linux takes no segment whose time
    /// is more than one tick of a millisecond before the time that it echoes. Nothing wraps here; but a copy
    /// that overtakes new data makes it look old, and the sender has to send it again.
    fn is_too_old(&self, segment: &DataSegment) -> bool {
        let tick = |at: Instant| at.as_nanos() / TICK.as_nanos();
        self.is_linux
            && self.timestamps
            && segment.sent_at < self.echo
            && tick(segment.sent_at) + 1 < tick(self.echo)
    }

    /// Answers a segment that is too old at once (`tcp_send_dupack`).
    #[cold]
    fn reject_paws(&mut self, segment: &DataSegment) -> AckSegment {
        if segment.seq < self.rcv_nxt {
            return self.on_duplicate(segment);
        }
        self.refused += 1;
        self.acknowledge(None)
    }

    /// A sender asks with a segment that has no data whether the window is still closed. It tells nothing of
    /// the path; Linux answers one in half a second (`tcp_oow_rate_limited`).
    #[cold]
    fn answer_probe(&mut self, now: Instant) -> Option<AckSegment> {
        self.duplicates += 1;
        let extensions = self.extensions.as_mut()?;
        let answered = extensions.probe_answered.filter(|_| self.is_linux);
        if answered.is_some_and(|at| now.since(at) < PROBE_ANSWERS) {
            return None;
        }
        extensions.probe_answered = Some(now);
        Some(self.acknowledge(None))
    }

    /// A segment arrives damaged: its header can be read and its data cannot. The next ACK that asks
    /// for it reports the damage, if the connection negotiated that.
    pub fn on_damaged(&mut self, seq: u64) {
        let missing = seq >= self.rcv_nxt && !self.out_of_order.contains(seq);
        if let Some(extensions) = self.extensions.as_mut().filter(|_| missing) {
            extensions.damaged.insert(SeqRange { start: seq, end: seq + 1 }, |_| {});
        }
    }

    /// The next segment to arrive carries this share of a link's rate; ACKs return the latest.
    pub fn on_share(&mut self, share: Rate) {
        if let Some(extensions) = &mut self.extensions {
            extensions.share = Some(share);
        }
    }

    /// The time of [`deadline`](Self::deadline) has come. Answers the ACK to send.
    pub fn on_timer(&mut self, now: Instant) -> Option<AckSegment> {
        if now < self.deadline {
            return None;
        }
        self.note_time(now);
        match self.resume(now) {
            Some(true) => return Some(self.acknowledge(None)),
            Some(false) => {
                self.deadline = Instant::FAR_FUTURE;
                return None;
            }
            None => {}
        }
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.timer_fired();
        }
        let ack = self.acknowledge(None);
        match self.extensions.as_mut().and_then(|e| e.misbehaviour.as_mut()) {
            Some(misbehaviour) => {
                let acks = misbehaviour.on_timer(ack);
                self.queue(acks)
            }
            None => Some(ack),
        }
    }

    /// The next connection of a proxy that reads here has taken the first `taken` bytes of the payload in
    /// order, and its receiver has acknowledged the first `delivered`. Answers an ACK if the window has
    /// opened so far that the sender should know. Without [`ReadMode::Relayed`](crate::ReadMode::Relayed)
    /// of no effect.
    pub fn relay(&mut self, now: Instant, taken: u64, delivered: u64) -> Option<AckSegment> {
        let (rcv_nxt, held) = (self.rcv_nxt, self.out_of_order.count());
        let extensions = self.extensions.as_mut()?;
        let relay = extensions.relay.as_mut()?;
        relay.advance(taken, delivered);
        let opens = match &mut extensions.buffer {
            Some(buffer) => {
                buffer.read_to(now, relay.unread());
                buffer.opens(rcv_nxt, held)
            }
            None => relay.opens(held),
        };
        self.note_time(now);
        opens.then(|| self.acknowledge(None))
    }

    /// Payload bytes in order, counted where a proxy reads; else 0.
    pub fn relayed_bytes(&self) -> u64 {
        let relay = self.extensions.as_ref().and_then(|e| e.relay.as_ref());
        relay.map_or(0, RelayBuffer::in_order)
    }

    /// When the delayed ACK is due; [`Instant::FAR_FUTURE`] if none is waiting.
    #[inline]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Payload bytes that arrived for the first time since the start.
    #[inline]
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// The counters since the start.
    pub fn counts(&self) -> ReceiverCounts {
        // A segment that has arrived lies below rcv_nxt, or is held.
        let delivered = self.rcv_nxt + self.out_of_order.count();
        ReceiverCounts {
            delivered_bytes: self.delivered_bytes,
            delivered,
            arrived: delivered + self.duplicates + self.refused,
        }
    }

    /// The next segment in order.
    pub fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Segments held beyond a gap.
    pub fn held(&self) -> u64 {
        self.out_of_order.count()
    }

    /// The time that the clock shows in the next ACK.
    fn note_time(&mut self, now: Instant) {
        if let Some(extensions) = &mut self.extensions {
            extensions.now = now;
        }
    }

    /// Takes in a router's mark and the sender's answer. True for the first of a series of marks: its
    /// echo is not delayed.
    fn note_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        match self.feedback {
            EcnFeedback::UntilAnswered => {}
            EcnFeedback::EachSegment => return self.note_each_mark(segment, ce),
            EcnFeedback::Ace | EcnFeedback::Accurate => return self.count_mark(segment, ce),
        }
        if segment.cwr {
            self.ece = false;
        }
        if let AckMode::Linux(quick) = &mut self.mode
            && segment.seq >= self.rcv_nxt
        {
            quick.note_codepoint(segment.ecn);
        }
        // A segment below the window says nothing about the path now (RFC 3168 section 6.1.5).
        let ce = ce && segment.seq >= self.rcv_nxt;
        let is_new = ce && !self.ece;
        self.ece |= ce;
        if let (true, AckMode::Linux(quick)) = (is_new, &mut self.mode) {
            quick.marked();
        }
        is_new
    }

    /// True if Linux does not delay the ACK of this segment, since a sender that has reduced its window may
    /// have one of a single segment (`tcp_ecn_accept_cwr`).
    fn acks_cwr_immediately(&self, segment: &DataSegment) -> bool {
        segment.cwr && matches!(self.mode, AckMode::Linux(_))
    }

    /// RFC 8257 section 3.2: where marks begin or end, an ACK that waits tells of the segments before, and
    /// the next one goes at once. True if so.
    fn note_each_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        if segment.seq < self.rcv_nxt || ce == self.ece {
            return false;
        }
        if self.rcv_nxt > self.acked {
            let prior = self.acknowledge(None);
            self.prior = Some(Box::new(PriorAck { ack: prior, next: None }));
        }
        self.ece = ce;
        true
    }

    /// RFC 9768 section 3.2: packets in the window are counted. True if an ACK must leave at once.
    fn count_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        let marks = self.extensions.as_mut().and_then(|e| e.marks.as_mut());
        marks.filter(|_| segment.seq >= self.rcv_nxt).is_some_and(|marks| marks.count(segment, ce))
    }

    /// RFC 7323 section 4.3 (2): the segment that the last ACK asked for sets the echo, so that a
    /// delayed ACK measures from the first segment it covers. A segment wholly below the window does not
    /// count (section 5.3, R2).
    #[inline]
    fn note_echo(&mut self, segment: &DataSegment) {
        if segment.seq <= self.acked && segment.seq + 1 >= self.acked {
            self.echo = self.echo.max(segment.sent_at);
        }
    }

    /// True if a single segment in order waits for an ACK. One out of order never waits, unless Linux
    /// compresses SACKs.
    #[inline]
    fn is_one_waiting(&self) -> bool {
        self.rcv_nxt - self.acked < 2
    }

    /// The ACK by Linux's policy; `at_once` if the segment filled the last gap, or carries PSH and there is
    /// no gap.
    fn linux_ack(&mut self, now: Instant, at_once: bool) -> Option<AckSegment> {
        let waiting = self.rcv_nxt - self.acked;
        let gap = (!self.out_of_order.is_empty()).then_some(self.rcv_nxt);
        let buffer = self.extensions.as_ref().and_then(|e| e.buffer.as_ref());
        let advances = || buffer.is_none_or(|buffer| buffer.advances(self.out_of_order.count()));
        let wait = match &mut self.mode {
            AckMode::Linux(quick) if !at_once => quick.wait(waiting, gap, advances),
            _ => None,
        };
        match wait {
            Some(wait) if !self.reader_opens_window() => self.delay(now, wait),
            _ => Some(self.acknowledge(None)),
        }
    }

    /// True if the application has read what has just arrived, and an ACK should tell of the window.
    #[inline]
    fn reader_opens_window(&self) -> bool {
        let extensions = self.extensions.as_ref();
        let buffer = extensions.and_then(|extensions| extensions.buffer.as_ref());
        buffer.is_some_and(|buffer| {
            buffer.has_fresh_read() && buffer.opens(self.rcv_nxt, self.out_of_order.count())
        })
    }

    /// Reports the ranges gathered so far before a third one begins or grows (`tcp_sack_new_ofo_skb`).
    fn flush_gathered(&mut self, seq: u64) -> Option<AckSegment> {
        let AckMode::Linux(quick) = &self.mode else {
            return None;
        };
        if !quick.has_gathered() {
            return None;
        }
        (self.recent.extend(seq) >= 2).then(|| self.acknowledge(None))
    }

    /// True if a range that changed lately is still held.
    #[inline]
    fn is_held(&self, recent: &SeqRange) -> bool {
        // The cumulative acknowledgment covers whole ranges.
        recent.start >= self.rcv_nxt
    }

    #[inline]
    fn delay(&mut self, now: Instant, timer: Duration) -> Option<AckSegment> {
        self.deadline = self.deadline.min(now + timer);
        None
    }

    /// The next segment in order has arrived: the cumulative acknowledgment covers it and the range behind
    /// it.
    fn advance(&mut self) {
        self.rcv_nxt += 1;
        if self.out_of_order.is_empty() {
            return;
        }
        if let Some(r) = self.out_of_order.find(self.rcv_nxt) {
            self.rcv_nxt = r.end;
        }
        self.out_of_order.remove_below(self.rcv_nxt);
        self.recent.remove_below(self.rcv_nxt, !self.out_of_order.is_empty());
    }

    /// An ACK while nothing is held.
    #[inline]
    fn cumulative_ack(&mut self) -> AckSegment {
        self.acked = self.rcv_nxt;
        self.deadline = Instant::FAR_FUTURE;
        AckSegment {
            ack: self.rcv_nxt,
            options: AckOptions::NONE,
            echo: self.timestamps.then_some(self.echo),
            ece: self.ece,
            eln: false,
        }
    }

    fn acknowledge(&mut self, duplicate: Option<u64>) -> AckSegment {
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.acknowledged();
        }
        let mut ack = self.cumulative_ack();
        if self.sack {
            ack.options = self.blocks(duplicate);
        }
        if let Some(extensions) = &mut self.extensions {
            extensions.damaged.remove_below(self.rcv_nxt);
            ack.eln = extensions.damaged.contains(self.rcv_nxt);
            extensions.tell(&mut ack.options, self.timestamps, &mut self.spare);
            let held = self.out_of_order.count();
            let offered = match (&mut extensions.buffer, &mut extensions.relay) {
                (Some(buffer), _) => {
                    self.deadline = buffer.resumes_at();
                    Some(buffer.offer(self.rcv_nxt, held))
                }
                (None, Some(relay)) => relay.offer(held),
                (None, None) => None,
            };
            if let Some((window, scarce)) = offered {
                ack.options.set_window(window, &mut self.spare);
                if let (true, AckMode::Linux(quick)) = (scarce, &mut self.mode) {
                    quick.cancel_quickacks();
                }
                if let Some(buffer) = &extensions.buffer {
                    ack.options.set_header_window(buffer.header_window());
                }
            }
        }
        ack
    }

    #[inline]
    fn blocks(&mut self, duplicate: Option<u64>) -> AckOptions {
        let duplicate = duplicate.or(self.duplicate.take()).filter(|_| self.is_linux);
        if self.out_of_order.is_empty() && duplicate.is_none() {
            return AckOptions::NONE;
        }
        // RFC 2018 section 3: the timestamp option leaves room for three blocks.
        let room = if self.timestamps { MAX_SACK_BLOCKS - 1 } else { MAX_SACK_BLOCKS };
        let marks = self.extensions.as_ref().and_then(|e| e.marks.as_ref());
        let room = marks.map_or(room, |marks| marks.room_for_blocks(room, self.timestamps));
        let mut blocks = [SeqRange::default(); MAX_SACK_BLOCKS];
        let first = duplicate.map_or(0, |seq| {
            blocks[0] = SeqRange { start: seq, end: seq + 1 };
            1
        });
        let mut len = first;
        for range in self.recent.ranges().iter().filter(|r| self.is_held(r)) {
            if len < room {
                blocks[len] = *range;
                len += 1;
            }
        }
        // Usually these are all.
        let all = room.min(first + self.out_of_order.iter().len());
        if len < all && !self.recent.is_exhaustive() {
            len = self.fill_up(&mut blocks[..all], first, len);
        }
        AckOptions::of(blocks, len, duplicate.is_some(), &mut self.spare)
    }

    /// Adds the lowest ranges that are not among `blocks`, of which those from `first` to `len` are taken.
    /// Answers how many there are then.
    #[inline(never)]
    fn fill_up(&self, blocks: &mut [SeqRange], first: usize, mut len: usize) -> usize {
        for range in self.out_of_order.iter() {
            if len == blocks.len() {
                break;
            }
            if !blocks[first..len].contains(&range) {
                blocks[len] = range;
                len += 1;
            }
        }
        len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use westwood_cc::{Bytes, Ecn};

    use crate::buffers::{BufferSizes, Buffers};

    /// A segment of the connection's first moment.
    fn segment(seq: u64) -> DataSegment {
        DataSegment {
            seq,
            payload: Bytes::new(1500),
            sent_at: Instant::ZERO,
            retransmission: false,
            ecn: Ecn::NotEct,
            cwr: false,
            push: false,
        }
    }

    fn policies() -> impl Strategy<Value = AckPolicy> {
        prop_oneof![
            Just(AckPolicy::Each),
            Just(AckPolicy::Delayed { timer: Duration::from_millis(100) }),
            Just(AckPolicy::LINUX),
        ]
    }

    proptest! {
        #[test]
        fn the_short_way_of_a_segment_in_order_ends_where_the_long_one_does(
            acks in policies(),
            timestamps: bool,
            sizes in prop::option::of((4_u32..64, 64_u32..256)),
            // How far from the next in order, marks, and milliseconds until the next event.
            steps in prop::collection::vec(
                (
                    prop_oneof![6 => Just(0_i64), 1 => -3_i64..6],
                    prop::bool::weighted(0.05),
                    prop::bool::weighted(0.05),
                    0_u64..120,
                ),
                1..200,
            ),
        ) {
            let receive = sizes.map(|(initial, max)| BufferSizes::of(4 << 10, initial << 10, max << 10));
            let buffers = Buffers { receive, ..Buffers::default() };
            let config = Config { buffers, acks, timestamps, ..Config::default() };
            let (mut short, mut long) = (Receiver::new(&config), Receiver::new(&config));
            let mut now = Instant::ZERO;
            for (offset, cwr, ce, wait) in steps {
                let seq = short.rcv_nxt.saturating_add_signed(offset);
                let segment = DataSegment { sent_at: now, ecn: Ecn::Ect0, cwr, ..segment(seq) };
                now += Duration::from_millis(wait);
                prop_assert_eq!(short.on_timer(now), long.on_timer(now));
                prop_assert_eq!(
                    short.on_data(now, &segment, ce),
                    long.reassemble(now, &segment, ce)
                );
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            }
        }

        #[test]
        fn blocks_are_the_ranges_that_changed_last_and_then_the_lowest(
            steps in prop::collection::vec(0_u64..24, 1..120),
            timestamps in any::<bool>(),
        ) {
            let recovery = Recovery::Sack;
            let config = Config { recovery, timestamps, acks: AckPolicy::Each, ..Config::default() };
            let mut receiver = Receiver::new(&config);
            // The ranges that arrived; and of each that changed lately the number that changed it.
            let (mut here, mut recent) = (BTreeSet::new(), Vec::new());
            for offset in steps {
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                let seq = (next + offset).saturating_sub(4);
                here.insert(seq);
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                let range_of = |seq: u64| {
                    let start = (0..=seq).rev().find(|n| !here.contains(n)).map_or(0, |n| n + 1);
                    let end = (seq..1000).find(|n| !here.contains(n)).unwrap_or_default();
                    SeqRange { start, end }
                };
                if seq > next {
                    recent.retain(|&other| other > next && range_of(other) != range_of(seq));
                    recent.insert(0, seq);
                    recent.truncate(MAX_SACK_BLOCKS);
                }
                let held = here.iter().filter(|&&n| n > next);
                let mut blocks = Vec::new();
                for &seq in recent.iter().filter(|&&n| n > next).chain(held) {
                    if !blocks.contains(&range_of(seq)) {
                        blocks.push(range_of(seq));
                    }
                }
                blocks.truncate(if timestamps { 3 } else { 4 });
                let ack = receiver.on_data(Instant::ZERO, &segment(seq), false).expect("at once");
                prop_assert_eq!(ack.ack, next);
                prop_assert_eq!(ack.options.duplicate(), None);
                prop_assert_eq!(ack.options.blocks().collect::<Vec<_>>(), blocks);
            }
        }

        #[test]
        fn a_linux_receiver_reports_duplicates_and_parts_of_what_it_holds(
            steps in prop::collection::vec(0_u64..24, 1..120),
            timestamps in any::<bool>(),
        ) {
            let recovery = Recovery::Linux;
            let config = Config { recovery, timestamps, acks: AckPolicy::Each, ..Config::default() };
            let mut receiver = Receiver::new(&config);
            let mut here = BTreeSet::new();
            for offset in steps {
                let seq = (receiver.rcv_nxt + offset).saturating_sub(4);
                let twice = !here.insert(seq);
                let ack = receiver.on_data(Instant::ZERO, &segment(seq), false).expect("at once");
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                prop_assert_eq!(ack.ack, next);
                let duplicate = twice.then_some(SeqRange { start: seq, end: seq + 1 });
                prop_assert_eq!(ack.options.duplicate(), duplicate);
                let blocks: Vec<SeqRange> = ack.options.blocks().collect();
                for (place, block) in blocks.iter().enumerate() {
                    prop_assert!(block.start > next && !block.is_empty());
                    prop_assert!((block.start..block.end).all(|n| here.contains(&n)));
                    let apart = |other: &SeqRange| other.end < block.start || block.end < other.start;
                    prop_assert!(blocks[..place].iter().all(apart), "{:?}", blocks);
                }
                let first = blocks.first().copied().unwrap_or_default();
                prop_assert!(seq < next || first.start <= seq && seq < first.end);
            }
        }
    }
}
