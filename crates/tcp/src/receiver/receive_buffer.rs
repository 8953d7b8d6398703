//! The receive buffer and the window that a receiver offers, by the rules of Linux 6.1.
//!
//! Three quantities in bytes bound the window: the free half of the buffer, `rcv_ssthresh`, which grows by
//! two segments for each that arrives, and `window_clamp`, half of the buffer. The buffer itself grows with
//! what the application reads in a round-trip time: dynamic right-sizing (M. Fisk, W. Feng, "Dynamic
//! Right-Sizing in TCP", LACSI 2001).
//!
//! | function | rule | kernel |
//! |---|---|---|
//! | [`take`](ReceiveBuffer::take) | `rcv_ssthresh += 2 mss`, up to the free half and to `window_clamp` | `tcp_grow_window` |
//! | [`adjust`](ReceiveBuffer::adjust) | once a round-trip time: room for twice what was read, and for its growth | `tcp_rcv_space_adjust` |
//! | [`offer`](ReceiveBuffer::offer) | the window; nothing below a sixteenth; the right edge never moves back | `__tcp_select_window`, `tcp_select_window` |
//! | [`advances`](ReceiveBuffer::advances) | the window would not be smaller than the last one | `__tcp_ack_snd_check` |
//! | [`opens`](ReceiveBuffer::opens) | an ACK tells of a window that has doubled | `__tcp_cleanup_rbuf` |
//! | [`Rtt`] | the receiver's own round-trip time, in us times 8 | `tcp_rcv_rtt_update` |
//!
//! Simplifications:
//! * A window is counted in whole segments, and a short segment counts as a full one.
//! * The application reads before the ACK of the segment leaves; a kernel's reader wakes just after it.
//! * Data segments here echo no timestamp. The round-trip time of the receiver is that of the handshake plus
//!   the wait on the way there, taken from the segments' own times: on a path whose ACKs do not queue this is
//!   what the echo says. Without a handshake or timestamps only the time of a window counts, as in Linux.
//! * Data is never dropped or joined for want of memory.

use std::num::NonZeroU16;

use westwood_cc::product::saturating;
use westwood_cc::{Duration, Instant};

use crate::buffers::{
    BufferSizes, ReadMode, initial_window, memory_of, space_memory, window_of, window_scale,
};
use crate::config::Config;
use crate::segment::DataSegment;

/// `TCP_INIT_CWND`: what the application is taken to have read before anything arrived.
const INITIAL_SEGMENTS: u64 = 10;

/// The state of a receive buffer. Sizes are bytes, sequence numbers segments.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    mss: u64,
    /// `tcp_rmem[2]`.
    max: u64,
    /// `sk_rcvbuf`.
    size: u64,
    window_clamp: u64,
    rcv_ssthresh: u64,
    /// The right edge offered: the first segment beyond the window.
    edge: u64,
    /// The window as the header says it, and the segment at which it begins (`rcv_wnd`, `rcv_wup`): bytes, in
    /// units of the scale.
    last_advertised_window: (u64, u64),
    /// The scale: a unit is two to the power of it (RFC 7323 section 2.2).
    scale: u32,
    /// Segments that the last arrival put in order. The kernel's reader takes them behind their ACK.
    fresh: u64,
    /// All in order below this has arrived, and `unread` of it waits for the application, which has read all
    /// below `read`.
    queued: u64,
    unread: u64,
    read: u64,
    /// Bytes read in a round-trip time when the buffer was last adjusted (`rcvq_space.space`).
    space: u64,
    /// The first segment not read when the present measurement began, and its time.
    from: u64,
    since: Option<Instant>,
    rtt: Rtt,
    reading: ReadMode,
    /// The window does not open while data is missing: a proxy reads then too, and a sender without SACK
    /// would take duplicate ACKs for window updates.
    steady: bool,
}

impl ReceiveBuffer {
    /// A buffer of these sizes (`tcp_init_buffer_space`).
    pub(crate) fn new(sizes: BufferSizes, config: &Config) -> Self {
        let mss = config.sizes.payload.get().max(1);
        let size = u64::from(sizes.initial);
        let full = window_of(size);
        // A segment is kept in reserve.
        let window_clamp = full.saturating_sub(mss).max(2 * mss).min(full).max(mss);
        let rcv_wnd = initial_window(sizes, mss);
        let rcv_ssthresh = rcv_wnd.min(window_clamp);
        Self {
            mss,
            max: u64::from(sizes.max),
            size,
            window_clamp,
            rcv_ssthresh,
            edge: (rcv_wnd / mss).max(1),
            last_advertised_window: (rcv_wnd, 0),
            scale: window_scale(sizes),
            fresh: 0,
            queued: 0,
            unread: 0,
            read: 0,
            space: rcv_ssthresh.min(INITIAL_SEGMENTS * mss).max(1),
            from: 0,
            since: None,
            rtt: Rtt::new(config),
            reading: config.buffers.reading,
            steady: config.buffers.is_relayed() && !config.recovery.uses_sack(),
        }
    }

    /// A segment has been put where it belongs: all below `rcv_nxt` is in order, and `held` segments are
    /// beyond a gap. True if the window grows (`tcp_grow_window`); for senders without SACK it does not
    /// while data is missing, lest duplicate ACKs look like window updates.
    #[inline]
    pub(crate) fn take(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        (rcv_nxt, held): (u64, u64),
        sack: bool,
    ) -> bool {
        self.since.get_or_insert(now);
        self.rtt.take_segment(now, segment.sent_at);
        let in_order = rcv_nxt > self.queued;
        self.fresh = rcv_nxt.saturating_sub(self.queued);
        if in_order {
            self.unread += rcv_nxt - self.queued;
            self.queued = rcv_nxt;
            self.rtt.take_window(now, rcv_nxt, self.edge);
        }
        let grows = (in_order || sack) && self.grow(held);
        if !self.is_paused(now) {
            self.read(now);
        }
        grows
    }

    /// `tcp_grow_window`, for full segments.
    #[inline]
    fn grow(&mut self, held: u64) -> bool {
        let room = self.window_clamp.min(self.space(held)).saturating_sub(self.rcv_ssthresh);
        if room == 0 || !self.truesize_allows_growth() {
            return false;
        }
        self.rcv_ssthresh += room.min(2 * self.mss);
        true
    }

    /// True if segments of this size may still let the window grow: half of a segment's memory is payload,
    /// or the window is small beside the largest buffer (`__tcp_grow_window`).
    fn truesize_allows_growth(&self) -> bool {
        let memory = window_of(memory_of(self.mss));
        if memory <= self.mss {
            return true;
        }
        let (mut memory, mut window) = (memory / 2, window_of(self.max) / 2);
        while self.rcv_ssthresh <= window && window > 0 {
            if memory <= self.mss {
                return true;
            }
            memory /= 2;
            window /= 2;
        }
        false
    }

    /// The free half of the buffer (`tcp_space`).
    #[inline]
    fn space(&self, held: u64) -> u64 {
        window_of(self.size.saturating_sub((held + self.unread) * memory_of(self.mss)))
    }

    /// True if the application does not read by itself now.
    pub(crate) fn is_paused(&self, now: Instant) -> bool {
        match self.reading {
            ReadMode::AtOnce => false,
            ReadMode::Paused { from, until } => from <= now && now < until,
            ReadMode::Relayed { .. } => true,
        }
    }

    /// When the application reads what waits; [`Instant::FAR_FUTURE`] if nothing does.
    pub(crate) fn resumes_at(&self) -> Instant {
        match self.reading {
            ReadMode::Paused { until, .. } if self.unread > 0 => until,
            _ => Instant::FAR_FUTURE,
        }
    }

    /// Some time has gone by since the last arrival, and its segments have been read.
    pub(crate) fn settle(&mut self) {
        self.fresh = 0;
    }

    /// The application reads everything in order.
    #[inline]
    pub(crate) fn read(&mut self, now: Instant) {
        self.read_to(now, 0);
    }

    /// The application reads all in order but for `unread` segments.
    #[inline]
    pub(crate) fn read_to(&mut self, now: Instant, unread: u64) {
        self.unread = unread;
        self.adjust(now);
    }

    /// `tcp_rcv_space_adjust`: the buffer becomes large enough for a sender that doubles its window. Linux
    /// asks behind each segment that it copies to the reader, so that a measurement ends at the first
    /// segment of a read, and the others belong to the next one.
    #[inline]
    fn adjust(&mut self, now: Instant) {
        let read = self.queued.saturating_sub(self.unread);
        if read <= self.read {
            return;
        }
        let first = self.read + 1;
        self.read = read;
        let since = self.since.unwrap_or(now);
        if !self.rtt.has_passed(now.since(since)) {
            return;
        }
        let copied = first.saturating_sub(self.from) * self.mss;
        if copied > self.space {
            let window = 2 * copied + 16 * self.mss;
            let growth = u128::from(window) * u128::from(copied - self.space);
            let growth = u64::try_from(growth / u128::from(self.space)).unwrap_or(u64::MAX);
            let segments = window.saturating_add(saturating(growth, 2)) / self.mss;
            let size = saturating(segments, space_memory(self.mss)).min(self.max);
            if size > self.size {
                self.size = size;
                self.window_clamp = window_of(size);
            }
            self.space = copied;
        }
        self.from = first;
        self.since = Some(now);
    }

    /// The window to offer in an ACK of all below `rcv_nxt`, in segments; and true if less than half of the
    /// window's room is free, so that ACKs need not hurry (`__tcp_select_window`).
    #[inline]
    pub(crate) fn offer(&mut self, rcv_nxt: u64, held: u64) -> (u64, bool) {
        let (window, scarce) = self.window(held);
        // RFC 9293 section 3.8.6: the right edge does not move back.
        if !(self.steady && held > 0) {
            self.edge = self.edge.max(rcv_nxt + window);
        }
        let (last, from) = self.last_advertised_window;
        let left = last.saturating_sub((rcv_nxt - from) * self.mss);
        let window = self.advertisable_window(held).max(self.in_units(left));
        self.last_advertised_window = (window, rcv_nxt);
        (self.edge.saturating_sub(rcv_nxt), scarce)
    }

    /// The window that the room allows, in segments.
    #[inline]
    fn window(&self, held: u64) -> (u64, bool) {
        let (full, free) = (window_of(self.size), self.space(held));
        let scarce = free < self.window_clamp.min(full) / 2;
        // RFC 9293 section 3.8.6.2.2: rather none than a small one.
        if scarce && (free < full / 16 || free < self.mss.min(full)) {
            return (0, true);
        }
        // A buffer with room for less than a segment still takes one at a time.
        let window = (free.min(self.rcv_ssthresh) / self.mss).max(1);
        (window, scarce)
    }

    /// The window that the room allows while the last arrival is unread, as a header says it.
    #[inline]
    fn advertisable_window(&self, held: u64) -> u64 {
        let fresh = self.fresh.saturating_sub(self.unread);
        self.in_units(self.space(held + fresh).min(self.rcv_ssthresh))
    }

    /// So many bytes, rounded up to whole units of the scale.
    fn in_units(&self, bytes: u64) -> u64 {
        let rest = (1 << self.scale) - 1;
        (bytes + rest) & !rest
    }

    /// The window last offered in whole segments (`rcv_wnd / rcv_mss`).
    pub(crate) fn last_advertised_window(&self) -> u64 {
        self.last_advertised_window.0 / self.mss
    }

    /// The window last offered as the header says it, in units; none if it is closed.
    pub(crate) fn header_window(&self) -> Option<NonZeroU16> {
        NonZeroU16::new(
            u16::try_from(self.last_advertised_window.0 >> self.scale).unwrap_or(u16::MAX),
        )
    }

    /// True if an ACK would offer a window not smaller than the last one: else Linux leaves the second
    /// segment's ACK to the reader, or counts it like a report behind a gap.
    #[inline]
    pub(crate) fn advances(&self, held: u64) -> bool {
        self.advertisable_window(held) >= self.last_advertised_window.0
    }

    /// True if the last arrival put segments in order and the application has read them.
    #[inline]
    pub(crate) fn has_fresh_read(&self) -> bool {
        self.fresh > self.unread
    }

    /// True if what was read has opened the window so far that an ACK should tell: what is left of the last
    /// window is at most half of what it may become, and half of what it is now (`__tcp_cleanup_rbuf`).
    #[inline]
    pub(crate) fn opens(&self, rcv_nxt: u64, held: u64) -> bool {
        let (last, from) = self.last_advertised_window;
        let left = last.saturating_sub((rcv_nxt - from) * self.mss);
        if 2 * left > self.window_clamp || self.steady && held > 0 {
            return false;
        }
        let (window, _) = self.window(held);
        window > 0 && self.in_units(self.space(held).min(self.rcv_ssthresh)) >= 2 * left
    }
}

/// The receiver's round-trip time (`rcv_rtt_est`).
#[derive(Clone, Copy, Debug)]
struct Rtt {
    /// us times 8; 0 before the first sample.
    smoothed: u64,
    /// A window's worth of data ends here; it began then.
    window: Option<(u64, Instant)>,
    /// The handshake's, if segments have timestamps.
    handshake: Option<Duration>,
    /// The shortest time that a segment took.
    fastest: Duration,
    /// When the segment of the last sample left.
    last: Option<Instant>,
}

impl Rtt {
    fn new(config: &Config) -> Self {
        Self {
            smoothed: 0,
            window: None,
            handshake: config.handshake_rtt.filter(|_| config.timestamps),
            fastest: Duration::MAX,
            last: None,
        }
    }

    /// `tcp_rcv_rtt_measure_ts`: one sample for each time that is echoed, in whole milliseconds.
    #[inline]
    fn take_segment(&mut self, now: Instant, sent_at: Instant) {
        let Some(handshake) = self.handshake else { return };
        if self.last == Some(sent_at) {
            return;
        }
        self.last = Some(sent_at);
        let way = now.since(sent_at);
        self.fastest = self.fastest.min(way);
        let sample = handshake + (way - self.fastest);
        let sample = (sample.as_nanos() / 1_000_000).max(1) * 1_000;
        self.smoothed = if self.smoothed == 0 {
            sample * 8
        } else {
            self.smoothed - self.smoothed / 8 + sample
        };
    }

    /// `tcp_rcv_rtt_measure`: the time in which a whole window arrives is a round-trip time at least.
    #[inline]
    fn take_window(&mut self, now: Instant, rcv_nxt: u64, edge: u64) {
        if let Some((end, began)) = self.window {
            if rcv_nxt < end {
                return;
            }
            let sample = (now.since(began).as_nanos() / 1_000).max(1) * 8;
            if self.smoothed == 0 || sample < self.smoothed {
                self.smoothed = sample;
            }
        }
        self.window = Some((edge, now));
    }

    /// True if so much time is a round-trip time at least.
    fn has_passed(&self, time: Duration) -> bool {
        self.smoothed > 0 && time.as_nanos() / 1_000 >= self.smoothed / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest window at which segments with so many bytes of payload still let it grow, beside a buffer
    /// of 6 MiB.
    fn largest_window_that_grows(payload: u64) -> u64 {
        let mut config = Config::default();
        config.sizes.payload = westwood_cc::Bytes::new(payload);
        let mut buffer = ReceiveBuffer::new(BufferSizes::LINUX_RECEIVE, &config);
        let (mut grows, mut stays) = (0, 1 << 40);
        while stays - grows > 1 {
            let middle = u64::midpoint(grows, stays);
            buffer.rcv_ssthresh = middle;
            *(if buffer.truesize_allows_growth() { &mut grows } else { &mut stays }) = middle;
        }
        grows
    }

    #[test]
    fn tcp_grow_window_short_segments_grow_the_window_to_a_share_of_the_largest_buffer() {
        // Half of the memory of a segment is 1364, 890, 740 and 690 bytes. The first is within the payload,
        // the others are so once halved, twice and three times; the window of 3 MiB is halved as often.
        assert_eq!(largest_window_that_grows(1_448), (1 << 40) - 1);
        assert_eq!(largest_window_that_grows(500), 3 << 19);
        assert_eq!(largest_window_that_grows(200), 3 << 18);
        assert_eq!(largest_window_that_grows(100), 3 << 17);
    }
}
