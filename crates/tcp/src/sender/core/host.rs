//! Limits of hosts beside the window: the receiver's window, the send buffer, and probes of a window that
//! has closed (RFC 9293 section 3.8.6.1).
//!
//! The receiver's right edge never moves back, and an older ACK tells nothing. A window of less than a
//! segment is closed: a sender of whole segments cannot use it (section 3.8.6.2.1). The probe has no data,
//! as Linux sends none, and the number of the last byte that was acknowledged, so that the receiver answers;
//! it is no retransmission (`tcp_xmit_probe_skb`). The first one leaves a retransmission timeout after the
//! window was found closed, and the time doubles with each up to the largest timeout, however long the
//! receiver keeps the window closed. With the recovery `linux` the time runs from the answer to the last
//! probe on (`tcp_ack_probe`) and ends with a tick of the kernel's timers.

use std::collections::VecDeque;
use std::num::NonZeroU16;

use westwood_cc::product::saturating;
use westwood_cc::{Bytes, Duration, Ecn, Instant};

use super::Core;
use crate::buffers::Buffers;
use crate::config::{Config, Credit, Recovery};
use crate::recovery::{AnyRecovery, wheel_fires};
use crate::segment::{AckSegment, DataSegment};
use crate::sender::write_queue::{SendState, WriteQueue};

/// The host's limits, behind the pointer of the extensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostLimits {
    peer: Option<PeerWindow>,
    queue: Option<WriteQueue>,
    /// The highest part of a segment that was acknowledged, and that segment.
    part: (u64, u32),
    /// A buffer keeps data back that the window allows, counted up to this time.
    limited_since: Option<Instant>,
    /// Whether the kernel's header prediction expects the ACK in work.
    predicted: Option<bool>,
    pushes: Pushes,
}

/// Where a Linux sender sets PSH: on the last segment of a write (`tcp_push`), and on the first segment that
/// lies more than half of the largest window beyond the last one with it (`forced_push`). Simplified: the
/// kernel does the latter when data is written, and the writes of an application that always has more are not
/// told apart.
#[derive(Clone, Debug, Default)]
struct Pushes {
    /// The largest window told, in segments; none if the sender sets no PSH.
    window: Option<u64>,
    /// The segment behind the last one with PSH.
    next: u64,
    /// Those that end a write and have not been sent.
    ends: VecDeque<u64>,
    /// Those with PSH that may have to be sent again.
    marked: VecDeque<u64>,
}

/// A receiver with a window of as many segments or more grants the most quick ACKs, and one PSH in more than
/// half a window is of little effect: it is left out.
const LARGE_WINDOW: u64 = 32;

/// The receiver's window, as far as its ACKs have told.
#[derive(Clone, Copy, Debug)]
struct PeerWindow {
    /// The first segment beyond it.
    edge: u64,
    /// The window is closed, and so many probes of it have been sent.
    probes: Option<u32>,
    /// A probe leaves next.
    due: bool,
    /// The window as the last header said it (`snd_wnd`).
    header: Option<NonZeroU16>,
}

impl PeerWindow {
    /// Takes in what an ACK says of the window. True if the kernel's header prediction expects the ACK: the
    /// window is that of the last one, and there are neither SACK blocks nor ECE (`pred_flags` in
    /// `tcp_rcv_established`).
    fn note_header(&mut self, ack: &AckSegment, snd_una: u64) -> Option<bool> {
        let told = ack.options.header_window()?;
        let predicted = Some(told) == self.header && ack.options.has_no_block() && !ack.ece;
        // A duplicate only makes it larger (`tcp_may_update_window`).
        if ack.ack > snd_una || Some(told) > self.header {
            self.header = Some(told);
        }
        Some(predicted)
    }
}

impl HostLimits {
    /// The limits of a new connection. `factor`: how many windows the send buffer grows to hold.
    pub(super) fn new(config: &Config, factor: u64) -> Self {
        let payload = config.sizes.payload;
        let Buffers { send, .. } = config.buffers;
        let edge = config.buffers.first_window(payload.get().max(1));
        let peer = edge.map(|edge| PeerWindow { edge, probes: None, due: false, header: None });
        let queue = send.map(|sizes| WriteQueue::new(sizes, &config.buffers, payload, factor));
        let window = edge.filter(|_| config.recovery == Recovery::Linux);
        let pushes = Pushes { window, ..Pushes::default() };
        Self { peer, queue, part: (0, 0), limited_since: None, predicted: None, pushes }
    }

    /// Whether the kernel's header prediction expects the ACK in work, if the receiver tells its window.
    pub(super) fn take_predicted(&mut self) -> Option<bool> {
        self.predicted.take()
    }
}

impl Core {
    fn limits(&mut self) -> Option<&mut HostLimits> {
        self.extensions.as_mut().map(|extensions| &mut extensions.limits)
    }

    fn queue(&self) -> Option<&WriteQueue> {
        self.extensions.as_ref()?.limits.queue.as_ref()
    }

    fn send_state(&self, in_flight: u64) -> SendState {
        SendState {
            available: self.send_buffer.available(),
            snd_una: self.snd_una(),
            snd_max: self.snd_max(),
            in_flight,
            cwnd: self.cwnd(),
            merged: self.flight.merged(),
        }
    }

    /// The segments that may be outstanding once all below `snd_una` is acknowledged.
    fn limit_outstanding(&mut self, snd_una: u64) {
        let available = self.send_buffer.available();
        let mut most = self.config.receive_window.max(1);
        if let Some(limits) = self.limits() {
            if let Some(peer) = &limits.peer {
                most = most.min(peer.edge.saturating_sub(snd_una));
            }
            if let Some(queue) = &limits.queue {
                most = most.min(queue.segments(available).saturating_sub(snd_una));
            }
        }
        self.most_outstanding = most;
        self.push_from = self.next_push();
    }

    /// The first segment from now on that may carry PSH.
    fn next_push(&self) -> u64 {
        let pushes = self.extensions.as_ref().map(|extensions| &extensions.limits.pushes);
        let Some((pushes, window)) = pushes.and_then(|p| Some((p, p.window?))) else {
            return u64::MAX;
        };
        if window < LARGE_WINDOW { 0 } else { pushes.ends.front().copied().unwrap_or(u64::MAX) }
    }

    /// `seq` leaves for the first time, and may carry PSH. True if it does.
    #[cold]
    pub(super) fn push(&mut self, seq: u64) -> bool {
        let snd_una = self.snd_una();
        let Some(limits) = self.limits() else { return false };
        let pushes = &mut limits.pushes;
        let ends_write = pushes.ends.front() == Some(&seq);
        if ends_write {
            pushes.ends.pop_front();
        }
        let is_forced = |window| window < LARGE_WINDOW && seq + 1 - pushes.next > window / 2;
        let carries_it = ends_write || pushes.window.is_some_and(is_forced);
        if carries_it {
            pushes.next = seq + 1;
            while pushes.marked.front().is_some_and(|&marked| marked < snd_una) {
                pushes.marked.pop_front();
            }
            pushes.marked.push_back(seq);
        }
        self.push_from = self.next_push();
        carries_it
    }

    /// The application has written all that there is: its last segment ends a write.
    fn note_end_of_write(&mut self) {
        let (available, snd_max) = (self.send_buffer.available(), self.snd_max());
        if available == u64::MAX || available <= snd_max {
            return;
        }
        let Some(limits) = self.limits().filter(|limits| limits.pushes.window.is_some()) else {
            return;
        };
        let ends = &mut limits.pushes.ends;
        while ends.back().is_some_and(|&end| end >= available - 1) {
            ends.pop_back();
        }
        ends.push_back(available - 1);
    }

    /// True if `seq` carried PSH when it left for the first time.
    pub(super) fn has_pushed(&self, seq: u64) -> bool {
        let extensions = self.extensions.as_ref();
        extensions.is_some_and(|extensions| extensions.limits.pushes.marked.contains(&seq))
    }

    /// Reads the window of an ACK. True if the ACK tells of a larger one and of nothing else: such an ACK is
    /// no duplicate (RFC 5681 section 2).
    pub(super) fn read_window(&mut self, now: Instant, ack: &AckSegment) -> bool {
        let snd_una = self.snd_una();
        let Some(limits) = self.limits() else { return false };
        if let Some(queue) = &mut limits.queue {
            queue.note_ack();
        }
        let mut opened = false;
        let mut predicted = None;
        if let Some(peer) = limits.peer.as_mut().filter(|_| ack.ack >= snd_una) {
            predicted = peer.note_header(ack, snd_una);
        }
        limits.predicted = predicted;
        if let (Some(peer), Some(window)) = (&mut limits.peer, ack.options.window()) {
            opened = ack.ack + window > peer.edge;
            limits.pushes.window = limits.pushes.window.map(|largest| largest.max(window));
            peer.edge = peer.edge.max(ack.ack + window);
        }
        self.limit_outstanding(snd_una.max(ack.ack));
        if opened {
            self.end_probing();
        } else if ack.ack >= snd_una {
            self.restart_probing(now);
        }
        opened && ack.ack == snd_una && ack.options.has_no_block() && !ack.ece
    }

    /// True if an ACK covers no whole segment, but a part of one: a receiver that divides its ACKs sends it.
    /// A sender that counts ACKs lets its window grow for a part that is new, one that counts bytes does not
    /// before the segment is whole.
    #[inline]
    pub(crate) fn on_partial_segment_ack(
        &mut self,
        now: Instant,
        ack: &AckSegment,
        recovery: &AnyRecovery,
    ) -> bool {
        let Some(part) = ack.options.part() else { return false };
        let Some(limits) = self.limits() else { return false };
        let place = (ack.ack, part);
        let new = place > limits.part;
        limits.part = limits.part.max(place);
        if ack.ack > self.snd_una() {
            return false;
        }
        let counts = self.config.credit == Credit::PerAck && !recovery.in_recovery();
        if new && ack.ack == self.snd_una() && counts {
            self.grow(now, 0, self.outstanding());
        }
        true
    }

    /// The window is open again: its timer stops.
    fn end_probing(&mut self) {
        let Some(peer) = self.limits().and_then(|limits| limits.peer.as_mut()) else { return };
        let probing = peer.probes.take().is_some();
        peer.due = false;
        if probing && self.outstanding() == 0 {
            self.rto_deadline = Instant::FAR_FUTURE;
        }
    }

    /// The application has been given more to send.
    #[cold]
    pub(super) fn write_supplied(&mut self) {
        let state = self.send_state(0);
        self.note_end_of_write();
        let Some(limits) = self.limits() else { return };
        if let Some(queue) = limits.queue.as_mut().filter(|queue| !queue.waits()) {
            queue.write(state);
        }
        self.limit_outstanding(state.snd_una);
    }

    /// The segments that the application has written, at least those sent: it cannot take them back.
    pub(crate) fn written(&self) -> u64 {
        let available = self.send_buffer.available();
        let written = self.queue().map_or(0, |queue| queue.segments(available));
        written.max(self.snd_max())
    }

    /// The payload of what the application has [`written`](Self::written).
    pub(crate) fn written_bytes(&self) -> Bytes {
        self.send_buffer.payload_below(self.written(), self.snd_max())
    }

    /// The payload of all segments below `snd_una`.
    pub(crate) fn acknowledged_bytes(&self) -> Bytes {
        self.send_buffer.payload_below(self.snd_una(), self.snd_max())
    }

    /// A proxy has read `bytes` in all, which are its last ones if it `ends` there. A piece that does not
    /// fill a segment waits while data is outstanding (Nagle's rule, RFC 9293 section 3.7.4). True if
    /// there is more to send than before.
    pub(crate) fn supply_relayed(&mut self, bytes: Bytes, ends: bool) -> bool {
        let before = (self.send_buffer.available(), self.written_bytes());
        let rest = (bytes - self.send_buffer.sent(self.snd_max())).get();
        let partial = rest % self.send_buffer.full().get();
        let whole = ends || rest == partial && self.outstanding() == 0;
        self.supply(if whole { bytes } else { bytes - Bytes::new(partial) });
        before != (self.send_buffer.available(), self.written_bytes())
    }

    /// True if the application waits until the send buffer has room.
    pub(crate) fn writer_waits(&self) -> bool {
        self.queue().is_some_and(WriteQueue::waits)
    }

    /// True if all that was written has been sent, and the application has more.
    pub(super) fn is_write_limited(&self) -> bool {
        self.queue().is_some() && self.written() == self.snd_max()
    }

    /// New data has left, with which so many segments are in flight.
    pub(crate) fn note_new_data(&mut self, in_flight: u64) {
        let cwnd = self.cwnd();
        if let Some(queue) = self.limits().and_then(|limits| limits.queue.as_mut()) {
            queue.note_event(in_flight, cwnd);
        }
    }

    /// Nothing more may leave. True if the application has written upon that.
    pub(crate) fn refill(&mut self, in_flight: u64) -> bool {
        let state = self.send_state(in_flight);
        let queue = self.limits().and_then(|limits| limits.queue.as_mut());
        let written = queue.is_some_and(|queue| queue.refill(state));
        if written {
            self.limit_outstanding(state.snd_una);
        }
        written
    }

    /// Counts the time in which a buffer limits, up to `now`, where as much has left as may. Until `from`
    /// pacing would hold a segment, too: as in Linux, whose timer finds the closed window then, that is no
    /// limit of the buffer's.
    pub(crate) fn note_limit(&mut self, now: Instant, from: Instant, in_flight: u64) {
        let limited = self.outstanding() >= self.most_outstanding
            && in_flight < self.cwnd()
            && self.snd_max() < self.send_buffer.available();
        self.count_limit(now, limited.then_some(from));
    }

    /// Counts the time in which a buffer limited, up to `now`.
    pub(crate) fn note_no_limit(&mut self, now: Instant) {
        self.count_limit(now, None);
    }

    /// The time in which a buffer has limited since that was counted last, up to `now`.
    pub(crate) fn limited_meanwhile(&self, now: Instant) -> Duration {
        let limits = self.extensions.as_ref().map(|extensions| &extensions.limits);
        let since = limits.and_then(|limits| limits.limited_since);
        since.map_or(Duration::ZERO, |since| now.since(since))
    }

    fn count_limit(&mut self, now: Instant, from: Option<Instant>) {
        let Some(limits) = self.limits() else { return };
        let since = core::mem::replace(&mut limits.limited_since, from);
        if let Some(since) = since {
            self.counts.host_limited += now.since(since);
        }
    }

    // --- Probes of a closed window.

    /// The probe that is due, if one is; else makes sure that a closed window is probed in time.
    pub(crate) fn probe_window(&mut self, now: Instant) -> Option<DataSegment> {
        let peer = self.limits()?.peer.as_mut()?;
        if core::mem::take(&mut peer.due) {
            return Some(self.send_probe(now));
        }
        let edge = peer.edge;
        let runs = self.rto_deadline != Instant::FAR_FUTURE;
        if self.outstanding() == 0 && edge <= self.snd_max() && !runs {
            self.await_window(now);
        }
        None
    }

    /// The window is closed, and nothing is outstanding: starts the timer of its probe if there is more to
    /// send.
    #[cold]
    fn await_window(&mut self, now: Instant) {
        if self.written_or_available() <= self.snd_max() {
            return;
        }
        let (rto, max) = (self.rtt.rto(), self.config.rto.max);
        if let Some(peer) = self.limits().and_then(|limits| limits.peer.as_mut()) {
            let probes = *peer.probes.get_or_insert(0);
            self.rto_deadline = self.probe_time(now, backed_off(rto, probes, max));
        }
    }

    /// All segments that may leave as far as the application and its buffer are concerned.
    pub(super) fn written_or_available(&self) -> u64 {
        let available = self.send_buffer.available();
        self.queue().map_or(available, |queue| queue.segments(available))
    }

    /// True if the timer is that of a closed window.
    pub(crate) fn is_probing(&self) -> bool {
        let peer = self.extensions.as_ref().and_then(|extensions| extensions.limits.peer);
        self.outstanding() == 0 && peer.is_some_and(|peer| peer.probes.is_some())
    }

    /// The timer of a closed window has fired.
    pub(crate) fn on_probe_timer(&mut self, now: Instant) {
        let (rto, max) = (self.rtt.rto(), self.config.rto.max);
        let Some(peer) = self.limits().and_then(|limits| limits.peer.as_mut()) else { return };
        let probes = peer.probes.map_or(1, |probes| probes.saturating_add(1));
        peer.probes = Some(probes);
        peer.due = true;
        self.rto_deadline = self.probe_time(now, backed_off(rto, probes, max));
    }

    /// When the timer of a probe fires that is set now for this wait.
    fn probe_time(&self, now: Instant, wait: Duration) -> Instant {
        if self.config.recovery == Recovery::Linux { wheel_fires(now, wait) } else { now + wait }
    }

    /// An ACK has come while nothing was outstanding, and the window stays closed: Linux waits anew.
    fn restart_probing(&mut self, now: Instant) {
        if self.config.recovery == Recovery::Linux && self.is_probing() {
            self.await_window(now);
        }
    }

    fn send_probe(&mut self, now: Instant) -> DataSegment {
        self.counts.window_probes += 1;
        let seq = self.snd_una().saturating_sub(1);
        DataSegment { ecn: Ecn::NotEct, ..self.segment(seq, Bytes::ZERO, now) }
    }
}

/// `rto` doubled for each probe, at most `max`.
fn backed_off(rto: Duration, probes: u32, max: Duration) -> Duration {
    let factor = 1_u64.checked_shl(probes).unwrap_or(u64::MAX);
    Duration::from_nanos(saturating(rto.as_nanos(), factor)).min(max.max(rto))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::AckOptions;

    /// `TCP_HP_BITS` has ECE in it, `pred_flags` has not.
    #[test]
    fn tcp_rcv_established_an_ack_that_echoes_a_mark_is_not_predicted() {
        let header = NonZeroU16::new(7);
        let mut peer = PeerWindow { edge: 20, probes: None, due: false, header };
        let mut predicted = |ack: u64, ece: bool| {
            let mut options = AckOptions::NONE;
            options.set_window(10, &mut AckOptions::default());
            options.set_header_window(header);
            peer.note_header(&AckSegment { ack, options, echo: None, ece, eln: false }, ack - 1)
        };
        let told = [(1, false), (2, true), (3, false)].map(|(ack, ece)| predicted(ack, ece));
        assert_eq!(told, [Some(true), Some(false), Some(true)]);
    }
}
