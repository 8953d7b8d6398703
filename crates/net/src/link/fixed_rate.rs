//! A link of fixed rate that serves first come, first served: each packet's fate is known when it comes.
//!
//! Such a link holds no packets. It computes when each one departs and arrives, and keeps the times at
//! which service begins, for the length of its queue.

mod changing;
mod leading;

use std::mem::offset_of;

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::link::DropCause;
use crate::link::backlog::PacketBacklog;
use crate::link::config::LinkConfig;
use crate::link::flight::FarEndCounts;
use crate::link::server::{Division, Serializer, capacity};
use crate::link::wire::{Wire, WireArrival};
use crate::queue::{Admission, Arrival, Limit, QueueConfig, Verdict};
use crate::random::Random;
use crate::stats::{LinkStats, PacketCount};
use changing::LossChanges;
use leading::Lead;

/// How losses and jitter, present or to come, meet packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImpairmentMode {
    /// There are none.
    Clean,
    /// The number of packets before the next possible loss is known: there is no jitter, and at most one loss
    /// process, which counts packets.
    Counted,
    /// Each packet is looked at.
    EachPacket,
}

impl ImpairmentMode {
    /// That of an impaired wire, if it knows how many packets it will [spare](Wire::spared).
    fn knowing(spared: Option<u64>) -> Self {
        if spared.is_some() { Self::Counted } else { Self::EachPacket }
    }
}

/// The fields in the order of use: a packet that crosses a link at rest touches no more than the first, up to
/// the last size. With ten thousand flows each packet finds its links cold.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct FixedRate {
    /// The delay from the transmitter to the far end, without losses and jitter. If this link leads others,
    /// the delay ends behind the last of them.
    delay: Duration,
    /// Packets left before the next that the loss process may hit. The count of packets
    /// [offered](Self::offered) follows from it.
    left: u64,
    busy_until: Instant,
    serializer: Serializer,
    work: OfferedWork,
    /// The waiting packets. The backlog exists once a packet has waited, and from the start if the queue has
    /// a limit.
    backlog: Option<Box<PacketBacklog>>,
    cold: Option<Box<Cold>>,
    /// True if the queue judges each packet: it is not drop-tail, or its limit is not in packets.
    is_judged: bool,
    impairment: ImpairmentMode,
    /// True if this link leads others. Packets of the last size cross those without waiting.
    leads: bool,
    /// True once an offer has passed the begin of the interval of a user who looks ahead; `exit_passed` once
    /// an arrival has.
    pub(super) entry_passed: bool,
    pub(super) exit_passed: bool,
}

/// Counts that do not follow from the number of packets: those before the size last changed, and those of
/// packets that met something unusual. Each of the others has the last size and its service time.
#[derive(Debug, Default)]
struct OfferedWork {
    /// Packets offered.
    packets: u64,
    /// Their bytes: 2^64 are more than any run carries.
    bytes: u64,
    /// Their service times in nanoseconds, and the nanoseconds that were carried to all other packets.
    time: u64,
}

/// The fields that most links never need.
#[derive(Debug, Default)]
pub(crate) struct Cold {
    admission: Option<Admission>,
    wire: Option<Wire>,
    /// The losses that replace those of the wire.
    changes: LossChanges,
    /// The number of packets offered when `left` reaches zero, on a link that counts its losses.
    known: u64,
    /// The size before the last: data and ACKs may share a link.
    other: Division,
    overflow: PacketCount,
    aqm: PacketCount,
    marks: u64,
    lead: Option<Lead>,
    /// For a user who looks ahead.
    pub(super) ahead: LookaheadCounts,
}

/// The counts that a user who looks ahead sets aside.
#[derive(Debug, Default)]
pub(crate) struct LookaheadCounts {
    /// The counts before the interval.
    pub(super) before: Option<LinkStats>,
    /// The far end's counts by then.
    pub(super) exit: FarEndCounts,
    /// Lost on the wire so far.
    pub(super) lost: PacketCount,
}

/// The fate of an offered packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfferOutcome {
    /// It leaves, perhaps with a mark, and lands.
    Lands { landing: WireArrival, marked: bool },
    /// It is dropped at once.
    Dropped(DropCause),
}

impl FixedRate {
    /// So many bytes are touched by a packet that crosses a link at rest.
    pub(crate) const AT_REST: usize = offset_of!(Self, serializer) + Serializer::AT_REST;

    /// A link of fixed rate, if the link's configuration makes one.
    pub(crate) fn of(
        config: &LinkConfig,
        seed: u64,
        name: &str,
    ) -> Result<Option<Self>, LinkError> {
        let Some(rate) = config.predictable_rate() else { return Ok(None) };
        let wire = Wire::new(config, seed, name)?;
        let changes = LossChanges::of(config, seed, name)?;
        let mut link = Self {
            busy_until: Instant::ZERO,
            serializer: Serializer::new(rate, config.wake_up),
            delay: wire.delay(),
            left: u64::MAX,
            work: OfferedWork::default(),
            backlog: None,
            cold: None,
            is_judged: false,
            impairment: ImpairmentMode::Clean,
            leads: false,
            entry_passed: false,
            exit_passed: false,
        };
        match config.queue {
            QueueConfig::DropTail(Limit::Unlimited) => {}
            QueueConfig::DropTail(Limit::Packets(n)) => {
                let limit = usize::try_from(n).unwrap_or(usize::MAX);
                link.backlog = Some(Box::new(PacketBacklog::new(limit)));
            }
            _ => {
                let random = Random::new(seed, &format!("{name}/queue"));
                let mut admission = Admission::new(&config.queue, random)?;
                admission.set_rate(rate);
                link.is_judged = true;
                link.cold().admission = Some(admission);
            }
        }
        if wire.is_impaired() || changes.next().is_some() {
            link.impairment = ImpairmentMode::knowing(wire.spared(0));
            *link.cold() = Cold { wire: Some(wire), changes, ..std::mem::take(link.cold()) };
            link.spare();
        }
        Ok(Some(link))
    }

    /// Sets `left` to the number of packets before the next possible loss. These packets need no check.
    #[inline]
    fn spare(&mut self) {
        if self.is_counted()
            && let Some(cold) = &mut self.cold
            && let Some(wire) = &cold.wire
        {
            let spared = wire.spared(cold.known).filter(|_| cold.changes.are_counted());
            self.left = spared.unwrap_or(0);
            cold.known = cold.known.wrapping_add(self.left);
        }
    }

    /// Ends the fast path: spared packets that have not come are judged like the packet that comes now.
    #[inline]
    fn spare_no_more(&mut self) {
        if self.is_counted()
            && let Some(cold) = &mut self.cold
            && let Some(wire) = &mut cold.wire
        {
            if cold.changes.are_counted() {
                wire.leave(self.left);
            }
            cold.known = cold.known.wrapping_sub(self.left);
            self.left = 0;
        }
    }

    /// Hints that a packet will pass soon, which may have to wait.
    #[inline]
    pub(super) fn prefetch_backlog(&self) {
        if let Some(backlog) = &self.backlog {
            westwood_prefetch::lines(&**backlog, 0..2);
        }
    }

    pub(super) fn cold(&mut self) -> &mut Cold {
        self.cold.get_or_insert_default()
    }

    pub(super) fn cold_if_any(&self) -> Option<&Cold> {
        self.cold.as_deref()
    }

    /// The fast path: the arrival time of a packet offered at `now`, if it departs before `edge` and the
    /// queue has room. None leaves the link unchanged: call [`pass`](Self::pass). The link must be
    /// [plain](Self::is_plain), and may cease to be plain by the call.
    #[expect(
        clippy::inline_always,
        reason = "a packet crosses links in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub(crate) fn try_pass(&mut self, now: Instant, size: Bytes, edge: Instant) -> Option<Instant> {
        if self.serializer.is_other(size) && !self.divide_alone(size) {
            return None;
        }
        let busy_until = self.busy_until;
        if now > busy_until {
            let (time, carry) = self.serializer.foresee_after_rest();
            let ends = now.checked_add(time).filter(|&ends| ends < edge)?;
            self.serializer.carry(carry);
            self.busy_until = ends;
            self.left = self.left.wrapping_sub(1);
            let wake_up = self.serializer.wake_up();
            if !wake_up.is_zero() {
                self.work.time = self.work.time.wrapping_add(wake_up.as_nanos());
            }
            return Some(self.landing(ends));
        }
        let (time, carry) = self.serializer.foresee();
        let ends = busy_until.checked_add(time).filter(|&ends| ends < edge)?;
        if now < busy_until && !self.backlog().enter(now, busy_until, size) {
            return None;
        }
        // A nanosecond more, if that has been carried to this packet.
        let more = time.as_nanos().wrapping_sub(self.serializer.least_time().as_nanos());
        self.work.time = self.work.time.wrapping_add(more);
        self.serializer.carry(carry);
        self.busy_until = ends;
        self.left = self.left.wrapping_sub(1);
        Some(self.landing(ends))
    }

    /// The arrival time of a packet that departs at `ends`, before the [edge](Self::edge_before).
    #[inline]
    fn landing(&self, ends: Instant) -> Instant {
        Instant::from_nanos(ends.as_nanos().wrapping_add(self.delay.as_nanos()))
    }

    /// Departures before this instant land before `change`, and come before other losses begin.
    pub(crate) fn edge_before(&self, change: Instant) -> Instant {
        let next = self.cold_if_any().and_then(|cold| cold.changes.next());
        (change - self.delay).min(next.unwrap_or(Instant::FAR_FUTURE))
    }

    /// Records how long each packet waits that leaves the queue at `from` or later. Before another packet
    /// takes the fast path at that time or later, the link must be told that delays
    /// [begin](Self::begin_delays).
    pub(crate) fn record_delays(&mut self, from: Instant) {
        self.backlog().record_delays(from);
    }

    /// Takes note of what was taken before delays are recorded, if that is from `now` or earlier.
    #[inline]
    pub(crate) fn begin_delays(&mut self, now: Instant) {
        if self.backlog.as_ref().is_some_and(|backlog| backlog.delays_begin(now)) {
            let taken = self.taken().packets;
            self.backlog().begin_delays(taken);
        }
    }

    /// How long packets waited that have left the queue by `now`, where that is recorded.
    pub(crate) fn delays(&mut self, now: Instant) -> Option<Histogram> {
        self.begin_delays(now);
        let taken = self.taken().packets;
        self.backlog.as_mut()?.delays(now, taken)
    }

    /// Decides what becomes of a packet that is offered at `now`. Calls come in order of time.
    pub(crate) fn pass(&mut self, now: Instant, size: Bytes, ect: bool) -> OfferOutcome {
        self.begin_delays(now);
        self.spare_no_more();
        self.change_before_offer(now);
        self.count(size);
        let begins = self.busy_until.max(now);
        let course = self.decide(now, size, ect);
        let took = self.busy_until.since(begins).as_nanos();
        self.work.time = self.work.time.wrapping_add(took);
        self.spare();
        course
    }

    #[inline]
    fn decide(&mut self, now: Instant, size: Bytes, ect: bool) -> OfferOutcome {
        self.settle(now);
        let free = now >= self.busy_until;
        let mut marked = false;
        if self.is_judged {
            match self.judge(now, size, ect) {
                Verdict::Take => {}
                Verdict::Mark => marked = true,
                Verdict::Drop(cause) => return self.drop(cause, size),
            }
        } else if !free && self.backlog.as_ref().is_some_and(|backlog| backlog.is_full()) {
            return self.drop(DropCause::Overflow, size);
        }
        if self.serializer.is_other(size) {
            self.divide(size);
        }
        if now > self.busy_until {
            self.busy_until = now + self.serializer.time_after_rest();
        } else {
            if !free {
                let begins = self.busy_until;
                // There is room: that was asked before.
                self.backlog().enter(now, begins, size);
            }
            self.busy_until += self.serializer.time();
        }
        let landing = if self.is_impaired() {
            self.send_impaired(size)
        } else {
            WireArrival { at: self.busy_until + self.delay, lost: false }
        };
        OfferOutcome::Lands { landing, marked }
    }

    #[inline]
    fn backlog(&mut self) -> &mut PacketBacklog {
        self.backlog.get_or_insert_with(|| Box::new(PacketBacklog::new(usize::MAX)))
    }

    /// Starts the service of the packets that are due.
    #[inline]
    fn settle(&mut self, now: Instant) {
        if let Some(backlog) = &mut self.backlog {
            backlog.settle(now);
        }
    }

    /// Divides a size; fails while the link leads others.
    #[cold]
    #[inline(never)]
    fn divide_alone(&mut self, size: Bytes) -> bool {
        if !self.leads {
            self.divide(size);
        }
        !self.leads
    }

    #[cold]
    #[inline(never)]
    fn divide(&mut self, size: Bytes) {
        self.work = self.counted();
        if self.serializer.is_new() {
            // Most links carry packets of one size.
            self.serializer.divide(size, &mut Division::default());
        } else {
            let cold = self.cold.get_or_insert_default();
            self.serializer.divide(size, &mut cold.other);
        }
    }

    #[inline(never)]
    fn send_impaired(&mut self, size: Bytes) -> WireArrival {
        let (departure, delay) = (self.busy_until, self.delay);
        self.change_before_departure(departure);
        let number = self.offered();
        match &mut self.cold().wire {
            Some(wire) => wire.send(departure, number, size),
            None => WireArrival { at: departure + delay, lost: false },
        }
    }

    /// The queue is asked what becomes of an arriving packet.
    #[inline(never)]
    fn judge(&mut self, now: Instant, size: Bytes, ect: bool) -> Verdict {
        let free = now >= self.busy_until;
        let arrival = Arrival {
            now,
            waiting: self.last_waiting(),
            free,
            idle_since: free.then_some(self.busy_until),
            size,
            ect,
        };
        let cold = self.cold();
        let verdict = cold.admission.as_mut().map_or(Verdict::Take, |a| a.judge(&arrival));
        cold.marks += u64::from(verdict == Verdict::Mark);
        verdict
    }

    #[cold]
    fn drop(&mut self, cause: DropCause, size: Bytes) -> OfferOutcome {
        let Cold { overflow, aqm, .. } = self.cold();
        let drops = if cause == DropCause::Overflow { overflow } else { aqm };
        drops.add(size);
        OfferOutcome::Dropped(cause)
    }

    /// The queue at `now`.
    #[inline]
    pub(crate) fn waiting(&mut self, now: Instant) -> PacketCount {
        self.settle(now);
        self.last_waiting()
    }

    /// The queue when the link was last called with a time.
    pub(crate) fn last_waiting(&self) -> PacketCount {
        self.backlog.as_ref().map_or(PacketCount::default(), |backlog| backlog.waiting())
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        let (overflow, aqm, marks) =
            self.cold_if_any().map_or_else(Default::default, |s| (s.overflow, s.aqm, s.marks));
        LinkStats {
            offered: self.all_offered(),
            overflow,
            aqm,
            marks,
            // The transmitter does not rest between now and the end of its work.
            busy: self.busy_until.min(now).since(Instant::ZERO) - self.idle(),
            capacity: capacity(self.serializer.rate(), now.since(Instant::ZERO)),
            waiting: match &mut self.backlog {
                Some(backlog) => backlog.times(now),
                None => PacketBacklog::new(0).times(now),
            },
            ..LinkStats::default()
        }
    }

    #[inline]
    fn is_impaired(&self) -> bool {
        self.impairment != ImpairmentMode::Clean
    }

    #[inline]
    fn is_counted(&self) -> bool {
        self.impairment == ImpairmentMode::Counted
    }

    /// True if the fate of the next packet depends only on the transmitter and on the room before it: the
    /// queue does not judge it, and it is not lost.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_judged && (!self.is_impaired() || self.is_counted() && self.left > 0)
    }

    /// True if a packet must be looked at before the next may take the fast path.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    #[inline]
    fn count(&mut self, size: Bytes) {
        match &mut self.cold {
            Some(cold) if self.impairment == ImpairmentMode::Counted => {
                cold.known = cold.known.wrapping_add(1);
            }
            _ => self.left -= 1,
        }
        self.work.packets = self.work.packets.wrapping_add(1);
        self.work.bytes = self.work.bytes.wrapping_add(size.get());
    }

    /// The counts of all packets.
    fn counted(&self) -> OfferedWork {
        let OfferedWork { packets, bytes, time } = self.work;
        let all = self.offered();
        let others = all.wrapping_sub(packets);
        let (size, each) = (self.serializer.size().get(), self.serializer.least_time().as_nanos());
        OfferedWork {
            packets: all,
            bytes: bytes.wrapping_add(others.wrapping_mul(size)),
            time: time.wrapping_add(others.wrapping_mul(each)),
        }
    }

    /// Time without work, up to the end of the work taken so far.
    fn idle(&self) -> Duration {
        Duration::from_nanos(self.busy_until.as_nanos().wrapping_sub(self.counted().time))
    }

    fn all_offered(&self) -> PacketCount {
        let OfferedWork { packets, bytes, .. } = self.counted();
        PacketCount { packets, bytes: Bytes::new(bytes) }
    }

    /// Packets offered so far.
    #[inline]
    pub(crate) fn offered(&self) -> u64 {
        let known = match &self.cold {
            Some(cold) if self.is_counted() => cold.known,
            _ => u64::MAX,
        };
        known.wrapping_sub(self.left)
    }

    /// Traffic offered and not dropped.
    pub(crate) fn taken(&self) -> PacketCount {
        let dropped = self.cold_if_any().map(|s| (s.overflow, s.aqm)).unwrap_or_default();
        self.all_offered() - dropped.0 - dropped.1
    }

    /// True if packets arrive in the order in which they left.
    pub(crate) fn keeps_order(&self) -> bool {
        let wire = self.cold_if_any().and_then(|s| s.wire.as_ref());
        wire.is_none_or(Wire::keeps_order)
    }
}
