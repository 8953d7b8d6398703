//! Settings of a connection's buffers, and what a segment costs there: Linux's `tcp_wmem` and `tcp_rmem`.
//!
//! A buffer counts memory, not payload: each segment is a packet of its own with its descriptor. The
//! numbers are those of a 64-bit Linux 6.1 (cache lines of 64 bytes, headers of at most 256 bytes, one
//! segment a packet, payload in page fragments), as `SO_MEMINFO` shows them there:
//!
//! | quantity | bytes | from |
//! |---|---|---|
//! | a segment in a buffer | payload + 1280 | `tcp_stream_alloc_skb`: 704 + 256 + 320, and the fragment |
//! | the same for the growth of the send buffer | 2048 + 256 at 1460 | `tcp_sndbuf_expand`: a power of two |
//! | the same for the growth of the receive buffer | 2920 at 1448 | `tcp_rcv_space_adjust`: twice the payload, in steps of 128 |
//!
//! Simplified: the smallest sizes, the first numbers of `tcp_wmem` and `tcp_rmem`, are for hosts that lack
//! memory, and so without effect; segments that the kernel joins behind a gap take a little less there.

use westwood_cc::Instant;

/// `MAX_TCP_HEADER`, without wireless and tunnelling devices.
const HEADERS: u64 = 256;
/// `SKB_DATA_ALIGN(sizeof(struct sk_buff))`.
const DESCRIPTOR: u64 = 256;
/// `SKB_DATA_ALIGN(sizeof(struct skb_shared_info))`.
const SHARED_INFO: u64 = 320;
/// A packet without its payload: `SKB_TRUESIZE` of a head of 1024 bytes.
const EMPTY_PACKET: u64 = 704 + DESCRIPTOR + SHARED_INFO;
/// The largest window of a header without a scale.
const LARGEST_UNSCALED: u64 = 0xffff;
/// The timestamp option, by which `mss_clamp` exceeds the payload.
const TIMESTAMP: u64 = 12;

/// Sizes of a buffer in bytes as `tcp_wmem` and `tcp_rmem` name them: the kernel's `int`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSizes {
    /// The smallest, for hosts that lack memory. Of no effect here.
    pub min: u32,
    /// The size at the start of a connection.
    pub initial: u32,
    /// The size up to which it grows by itself.
    pub max: u32,
}

impl BufferSizes {
    /// `tcp_wmem` of a stock Linux with 4 GB of memory and more.
    pub const LINUX_SEND: Self = Self::of(4 << 10, 16 << 10, 4 << 20);
    /// `tcp_rmem` of the same.
    pub const LINUX_RECEIVE: Self = Self::of(4 << 10, 128 << 10, 6 << 20);

    /// Sizes in bytes.
    pub const fn of(min: u32, initial: u32, max: u32) -> Self {
        Self { min, initial, max }
    }
}

/// The buffers of a connection's hosts. Without a size a buffer never limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    /// The sender's, `tcp_wmem`.
    pub send: Option<BufferSizes>,
    /// The application writes while fewer bytes than this wait to be sent for the first time, and again once
    /// half of it is left: `tcp_notsent_lowat`. Of effect with a send buffer.
    pub notsent_lowat: Option<u32>,
    /// The application writes so many bytes at a time and asks again whether there is room (`poll`), else it
    /// writes until the buffer is full. Of effect with a send buffer.
    pub write_size: Option<u32>,
    /// The receiver's, `tcp_rmem`.
    pub receive: Option<BufferSizes>,
    /// When the receiving application reads. A pause is of effect with a receive buffer.
    pub reading: ReadMode,
}

impl Buffers {
    /// True if a buffer may limit the connection.
    pub(crate) fn limit(&self) -> bool {
        self.send.is_some() || self.receive.is_some() || self.is_relayed()
    }

    /// True if a proxy reads.
    pub(crate) fn is_relayed(&self) -> bool {
        matches!(self.reading, ReadMode::Relayed { .. })
    }

    /// The memory of a proxy, if that bounds the receiver's window.
    pub(crate) fn relay_memory(&self) -> Option<u64> {
        match self.reading {
            ReadMode::Relayed { memory } => memory,
            ReadMode::AtOnce | ReadMode::Paused { .. } => None,
        }
    }

    /// The sizes of the receive buffer, if they bound the receiver's window.
    pub(crate) fn receive_sizes(&self) -> Option<BufferSizes> {
        self.receive.filter(|_| self.relay_memory().is_none())
    }

    /// The window that the receiver offers at the start, in segments, if it limits.
    pub(crate) fn first_window(&self, mss: u64) -> Option<u64> {
        let bytes = match self.relay_memory() {
            Some(memory) => memory.min(LARGEST_UNSCALED),
            None => initial_window(self.receive_sizes()?, mss),
        };
        Some((bytes / mss).max(1))
    }
}

/// When an application reads what has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadMode {
    /// At once.
    #[default]
    AtOnce,
    /// At once, but for a pause in which it reads nothing.
    Paused {
        /// The pause begins.
        from: Instant,
        /// It ends, and everything that waits is read.
        until: Instant,
    },
    /// A proxy reads what its next connection takes: [`Receiver::relay`](crate::Receiver::relay) tells.
    Relayed {
        /// The payload in bytes that the two connections may hold at the proxy together, in place of the
        /// receive buffer. None: the receive buffer limits, if it does.
        memory: Option<u64>,
    },
}

/// `TCP_MAX_WSCALE` (RFC 7323 section 2.3).
const LARGEST_SCALE: u32 = 14;

/// The memory that a segment with this payload takes in a buffer.
pub(crate) const fn memory_of(payload: u64) -> u64 {
    payload + EMPTY_PACKET
}

/// The memory by which the send buffer grows for a segment of the window (`tcp_sndbuf_expand`).
pub(crate) const fn growth_memory(payload: u64) -> u64 {
    (payload + TIMESTAMP + HEADERS + SHARED_INFO).next_power_of_two() + DESCRIPTOR
}

/// The memory by which the receive buffer grows for a segment: so much that half of it is payload
/// (`tcp_rcv_space_adjust`).
pub(crate) const fn space_memory(payload: u64) -> u64 {
    let least = payload + HEADERS + DESCRIPTOR + SHARED_INFO;
    let lacking = (2 * payload).saturating_sub(least);
    least + lacking.div_ceil(128) * 128
}

/// The part of a receive buffer that is offered as a window: half (`tcp_adv_win_scale` 1), rounded up.
pub(crate) const fn window_of(memory: u64) -> u64 {
    memory - memory / 2
}

/// The window that a receiver offers at the start: what the buffer has room for in whole segments, and
/// what a header without a scale can say (`tcp_select_initial_window`). At least one segment.
pub(crate) fn initial_window(sizes: BufferSizes, payload: u64) -> u64 {
    let space = window_of(u64::from(sizes.initial));
    // The handshake's segments have room for the option.
    let mss = payload + TIMESTAMP;
    (space - space % mss).min(LARGEST_UNSCALED).max(payload)
}

/// The scale of a window in the header (RFC 7323 section 2.2): 16 bits tell of the largest buffer
/// (`tcp_select_initial_window`).
pub(crate) fn window_scale(sizes: BufferSizes) -> u32 {
    sizes.max.max(1).ilog2().saturating_sub(15).min(LARGEST_SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_lets_16_bits_tell_of_the_largest_buffer() {
        for (max, unit) in [(64 << 20, 2_048), (6 << 20, 128), (65_535, 1), (u32::MAX, 16_384)] {
            assert_eq!(1 << window_scale(BufferSizes::of(1, 1, max)), unit, "{max}");
        }
    }

    #[test]
    fn memory_is_counted_as_the_kernel_counts_it() {
        // SO_MEMINFO of 6.1: 131,072 bytes in 91 packets are 247,552.
        assert_eq!(131_072 + 91 * (memory_of(1_448) - 1_448), 247_552);
        // A window of 10 asks for a send buffer of 46,080, one of 497 for 2,290,176.
        assert_eq!(2 * 10 * growth_memory(1_448), 46_080);
        assert_eq!(2 * 497 * growth_memory(1_448), 2_290_176);
        // 131,400 are 45 segments.
        assert_eq!(45 * space_memory(1_448), 131_400);
    }

    #[test]
    fn the_first_window_is_whole_segments_and_fits_a_header() {
        assert_eq!(initial_window(BufferSizes::LINUX_RECEIVE, 1_448), 64_240);
        assert_eq!(initial_window(BufferSizes::of(4096, 16 << 20, 64 << 20), 1_448), 65_535);
        assert_eq!(initial_window(BufferSizes::of(1, 1_000, 1_000), 1_448), 1_448);
    }
}
