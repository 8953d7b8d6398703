//! The send buffer: how much the application has written, by the rules of Linux 6.1.
//!
//! The buffer holds what is not acknowledged and what is not sent. An application that finds it full waits,
//! and is woken once a third of the buffer is free (`sk_stream_write_space`). While it waits, each ACK and
//! each new segment that leaves lets the buffer grow to twice the window's memory, if the window is not full
//! then.
//!
//! | function | rule | kernel |
//! |---|---|---|
//! | [`write`](WriteQueue::write) | write while the buffer is not full and little waits to be sent | `tcp_sendmsg`, `sk_stream_memory_free` |
//! | [`is_writable`](WriteQueue::is_writable) | a third of the buffer is free, and less than half of `tcp_notsent_lowat` is unsent | `__sk_stream_is_writeable` |
//! | [`note_event`](WriteQueue::note_event) | the buffer grows while the application waits and the window is not full | `tcp_check_space`, `tcp_should_expand_sndbuf` |
//! | [`refill`](WriteQueue::refill) | the application is woken, when nothing more may leave | `sk_stream_write_space` |
//! | [`queued`](WriteQueue::queued) | neighbours that are selectively acknowledged become one packet | `tcp_shifted_skb` |
//! | [`expand`](WriteQueue::expand) | `sndbuf = 2 x max(cwnd, 10) x memory of a segment`; BBR: 3 | `tcp_sndbuf_expand` |
//!
//! Simplified: the degree of reordering seen, which also lets the buffer grow once it exceeds the window, is
//! left out. A last short piece waits until the application fills the segment, or ends (Nagle's rule).

use westwood_cc::Bytes;
use westwood_cc::product::saturating;

use crate::buffers::{BufferSizes, Buffers, growth_memory, memory_of};

/// `TCP_INIT_CWND`: the buffer has room for twice this window at least.
const LEAST_WINDOW: u64 = 10;

/// The state of a send buffer. Sizes are bytes.
#[derive(Clone, Debug)]
pub(crate) struct WriteQueue {
    mss: u64,
    /// The memory of a segment beside its payload.
    overhead: u64,
    /// `tcp_wmem[2]`.
    max: u64,
    /// `sk_sndbuf`.
    size: u64,
    /// The memory by which the buffer grows for each segment of the window.
    per_segment: u64,
    /// `tcp_notsent_lowat`.
    lowat: u64,
    /// Bytes of each call of `send`.
    write_size: u64,
    /// Full segments written since the start, and the bytes of the next one: asked for with every ACK, where
    /// a division would be dear.
    segments: u64,
    part: u64,
    /// The application waits for room (`SOCK_NOSPACE`).
    waits: bool,
    /// An ACK has arrived since the application was last looked at.
    acked: bool,
}

/// The sender's side of the question whether there is room. Sequence numbers are segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendState {
    pub(crate) available: u64,
    pub(crate) snd_una: u64,
    pub(crate) snd_max: u64,
    pub(crate) in_flight: u64,
    pub(crate) cwnd: u64,
    /// Selectively acknowledged segments that follow another one.
    pub(crate) merged: u64,
}

impl WriteQueue {
    /// The buffer of a new connection. `factor`: how many windows it grows to hold
    /// (`ca->sndbuf_expand`).
    pub(crate) fn new(sizes: BufferSizes, buffers: &Buffers, payload: Bytes, factor: u64) -> Self {
        let mss = payload.get().max(1);
        let bytes = |size: Option<u32>| size.map_or(u64::MAX, |size| u64::from(size.max(1)));
        let mut it = Self {
            mss,
            overhead: memory_of(mss) - mss,
            max: u64::from(sizes.max),
            size: u64::from(sizes.initial),
            per_segment: factor * growth_memory(mss),
            lowat: bytes(buffers.notsent_lowat),
            write_size: bytes(buffers.write_size),
            segments: 0,
            part: 0,
            waits: false,
            acked: false,
        };
        it.expand(LEAST_WINDOW);
        it
    }

    /// `tcp_sndbuf_expand`.
    fn expand(&mut self, cwnd: u64) {
        let wanted = saturating(self.per_segment, cwnd.max(LEAST_WINDOW));
        if self.size < wanted {
            self.size = wanted.min(self.max).max(self.size);
        }
    }

    /// How many segments may be sent in all: the full ones written, and the last one of a transfer.
    pub(crate) fn segments(&self, available: u64) -> u64 {
        self.segments.min(available)
    }

    /// True if everything that the application has is written.
    fn is_all(&self, available: u64) -> bool {
        self.segments >= available
    }

    /// The application waits for room in the buffer.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// An ACK has arrived.
    pub(crate) fn note_ack(&mut self) {
        self.acked = true;
    }

    /// Memory of all that is written and not acknowledged.
    #[inline]
    fn queued(&self, s: SendState) -> u64 {
        let bytes = self.beyond(s.snd_una);
        let packets = self.segments.saturating_sub(s.snd_una) + u64::from(self.part > 0);
        bytes + packets.saturating_sub(s.merged) * self.overhead
    }

    fn unsent(&self, s: SendState) -> u64 {
        self.beyond(s.snd_max)
    }

    /// Bytes written beyond the first `segments`.
    fn beyond(&self, segments: u64) -> u64 {
        (self.segments * self.mss + self.part).saturating_sub(segments * self.mss)
    }

    fn has_space(&self, s: SendState) -> bool {
        self.queued(s) < self.size && self.unsent(s) < self.lowat
    }

    #[inline]
    fn is_writable(&self, s: SendState) -> bool {
        let queued = self.queued(s);
        let space = self.size.saturating_sub(queued);
        space >= queued / 2 && queued < self.size && saturating(self.unsent(s), 2) < self.lowat
    }

    /// The application writes, if it has something to write: once, or until the buffer is full.
    #[inline]
    pub(crate) fn write(&mut self, s: SendState) {
        let mut left = self.write_size;
        while left > 0 && !self.is_all(s.available) && self.has_space(s) {
            let piece = (self.mss - self.part).min(left);
            self.part += piece;
            if self.part == self.mss {
                self.part = 0;
                self.segments += 1;
            }
            left -= piece;
        }
    }

    /// An ACK has arrived, or new data has left. A window that is full needs no more data.
    #[inline]
    pub(crate) fn note_event(&mut self, in_flight: u64, cwnd: u64) {
        if self.waits && in_flight < cwnd {
            self.expand(cwnd);
        }
    }

    /// Nothing more may leave: lets the buffer grow if an ACK was the cause, and the application write if
    /// there is room. True if it has written.
    #[inline]
    pub(crate) fn refill(&mut self, s: SendState) -> bool {
        let acked = core::mem::take(&mut self.acked);
        if self.is_all(s.available) {
            return false;
        }
        if acked {
            self.note_event(s.in_flight, s.cwnd);
        }
        self.waits = !self.is_writable(s);
        if !self.waits {
            self.write(s);
        }
        !self.waits
    }
}
