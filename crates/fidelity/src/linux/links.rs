//! Links and packets as the paths of Linux have them.

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::{Capacity, Limit, LinkConfig, QueueConfig};
use westwood_scenario::presets::LINUX_WAKE_UP;
use westwood_scenario::units::duration;
use westwood_tcp::Sizes;

use crate::params::rounded;
use crate::topology::link;

pub(super) const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

pub(super) fn mbit_and_fraction(n: f64) -> Rate {
    Rate::from_bits_per_s(rounded(n * 1e6))
}

pub(super) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Faster than anything here.
pub(super) const FAST: Rate = mbit(100_000);
pub(super) const NO_DELAY: Duration = Duration::from_nanos(1);

/// The latency with which a link wakes up, as the presets for Linux have it.
fn wake_up() -> Duration {
    duration(LINUX_WAKE_UP).expect("a time")
}

/// A link with this queue, or drop-tail.
pub(super) fn bottleneck(
    capacity: Capacity,
    buffer: u64,
    queue: Option<QueueConfig>,
) -> LinkConfig {
    let plain = LinkConfig { capacity, ..link(FAST, NO_DELAY, Limit::Packets(buffer)) };
    // Drop-tail, thresholds and RED decide on arrival, and CAKE has its own shaper.
    let peeks = queue.is_some();
    LinkConfig { queue: queue.unwrap_or(plain.queue), peeks, wake_up: wake_up(), ..plain }
}

/// The longest packet of most paths, in bytes.
pub(super) const PACKET: u64 = 1_500;

/// The sizes of segments in packets of `mtu` bytes: headers of IP and TCP, and the option of timestamps.
pub(super) fn sizes(mtu: u64, timestamps: bool) -> Sizes {
    let header = Bytes::new(if timestamps { 52 } else { 40 });
    let payload = Bytes::new(mtu) - header;
    Sizes { payload, header, ack: header, sack_block: Bytes::new(8) }
}
