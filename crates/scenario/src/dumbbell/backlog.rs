//! The limit of a link's queue, from a buffer in packets, bytes, time or BDPs.

use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::Limit;

use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits;
use crate::units::Buffer;

/// The link and the traffic that a buffer is derived from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    /// The buffer as it was said.
    pub(crate) buffer: Buffer,
    /// The link's rate, or its mean, which turns a buffer in time into bytes.
    pub(crate) rate: Rate,
    /// The rate of the bandwidth-delay product: that of the data direction.
    pub(crate) bdp_rate: Rate,
    /// The largest round-trip time over the link.
    pub(crate) rtt: Duration,
    /// A full segment on the wire.
    pub(crate) packet: Bytes,
    /// The packet in service is one of those that the buffer holds.
    pub(crate) in_service: bool,
    /// The link's capacity is recorded, so that every packet waits.
    pub(crate) recorded: bool,
}

impl Backlog {
    /// The limit; why there can be none.
    pub(crate) fn limit(&self) -> Result<Limit, BadInput> {
        let limit =
            self.derived().filter(|limit| self.packets(*limit) <= limits::MAX_BUFFER_PACKETS);
        let limit = limit.ok_or_else(|| {
            let most = limits::MAX_BUFFER_PACKETS;
            let what = format!("{} is more than {most} packets", self.buffer);
            BadInput::new(what).hint("write a smaller buffer")
        })?;
        let nothing = limit == Limit::Packets(0) || limit == Limit::Bytes(Bytes::ZERO);
        if nothing && self.recorded {
            let what = BadInput::new("with a trace every packet waits, so none would pass");
            return Err(what.hint("write 1pkt or more"));
        }
        match limit {
            Limit::Bytes(n) if n < self.packet => {
                let what =
                    format!("{} B is less than a packet of {} B", n.get(), self.packet.get());
                Err(BadInput::new(what).hint("write a larger buffer"))
            }
            limit => Ok(limit),
        }
    }

    /// Full segments that a limit lets wait.
    pub(crate) fn packets(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Packets(n) => n,
            Limit::Bytes(n) => n.get() / self.packet.get().max(1),
            Limit::Unlimited => 0,
        }
    }

    /// The limit in the buffer's own unit; none beyond counting.
    fn derived(&self) -> Option<Limit> {
        let limit = match self.buffer {
            Buffer::Packets(n) => Limit::Packets(n),
            Buffer::Bytes(n) => Limit::Bytes(n),
            Buffer::Time(span) => {
                let bytes = u128::from(self.rate.raw()) * u128::from(span.as_nanos())
                    / (1_000_000_000 << 16);
                let least = self.packet.get().max(1);
                Limit::Bytes(Bytes::new(u64::try_from(bytes).ok()?.max(least)))
            }
            Buffer::Bdp(factor) => Limit::Packets(self.bdp_packets(factor)?.max(1)),
        };
        Some(match limit {
            Limit::Packets(n) if self.in_service => Limit::Packets(n.saturating_sub(1)),
            Limit::Bytes(n) if self.in_service => Limit::Bytes(n - self.packet),
            limit => limit,
        })
    }

    /// So many bandwidth-delay products in whole packets.
    fn bdp_packets(&self, factor: Decimal) -> Option<u64> {
        let raw_bytes_ns = u128::from(self.bdp_rate.raw()) * u128::from(self.rtt.as_nanos());
        let packet = u128::from(self.packet.get().max(1));
        let packets = factor.times_floor(raw_bytes_ns)? / ((1_000_000_000 << 16) * packet);
        u64::try_from(packets).ok()
    }
}
