//! Automatic repeat request: a link that repairs its own losses.
//!
//! Wireless links do not leave losses to TCP. The far end asks for what did not arrive, and the
//! transmitter sends it again, before all that waits: selective repeat, as in LTE's and 5G's RLC and in
//! 802.11. A repeat takes the transmitter's time as the first transmission does, may be lost as well,
//! and comes after `delay`, in which the far end's report travels.
//!
//! ```text
//! sent at t, lost --> failure known at t + delay --> sent again, first in line
//!                                                     (up to `tries` repeats, then lost for good)
//! ```
//!
//! A far end that keeps order holds what arrives behind a gap until the gap is repaired or given up:
//! TCP then sees delay where the link sees loss. One that does not keep it hands packets on as they
//! come: TCP then sees reordering.

use std::collections::{BTreeMap, VecDeque};

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::link::flight::LinkFlight;
use crate::link::wire::WireArrival;
use crate::packet::Packet;
use crate::queue::Queued;
use crate::stats::PacketCount;

/// How a link repeats what its losses took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArqConfig {
    /// Repeats of a packet at most, 1 to 64. A packet that they do not bring across is lost.
    pub tries: u32,
    /// From the end of a failed transmission until the transmitter knows of it, at most a day.
    pub delay: Duration,
    /// The far end hands packets on in the order in which they were first sent.
    pub in_order: bool,
}

impl ArqConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        LinkError::unless((1..=64).contains(&self.tries), "arq.tries", "within 1 to 64")?;
        let bounded = self.delay <= Duration::from_secs(86_400);
        LinkError::unless(bounded, "arq.delay", "at most a day")
    }
}

/// A packet in repair.
#[derive(Clone, Copy, Debug)]
struct Repair {
    /// Its place among the packets sent.
    place: u64,
    repeats: u32,
}

/// An automatic repeat request at work.
#[derive(Debug)]
pub(crate) struct Arq<P> {
    config: ArqConfig,
    /// Packets that failed, and when the transmitter learns of it: in order of time.
    failed: VecDeque<(Instant, Queued<P>)>,
    /// Packets in repair, by their numbers.
    repairs: BTreeMap<u64, Repair>,
    /// Packets that have been sent for the first time.
    sent: u64,
    /// The fates of the packets behind the first gap; the gaps are none.
    held: VecDeque<Option<(WireArrival, P)>>,
    /// The last time at which a packet is handed on.
    latest: Instant,
    /// Repeats that were sent.
    repeats: PacketCount,
    /// Packets that were lost and delivered.
    repaired: PacketCount,
}

impl<P: Packet> Arq<P> {
    pub(crate) fn new(config: ArqConfig) -> Self {
        Self {
            config,
            failed: VecDeque::new(),
            repairs: BTreeMap::new(),
            sent: 0,
            held: VecDeque::new(),
            latest: Instant::ZERO,
            repeats: PacketCount::default(),
            repaired: PacketCount::default(),
        }
    }

    /// A packet has left the transmitter at `at`: it is repaired later, or flies on.
    pub(crate) fn sent(
        &mut self,
        at: Instant,
        queued: Queued<P>,
        landing: WireArrival,
        flight: &mut LinkFlight<P>,
    ) {
        let repair = self.repairs.remove(&queued.number);
        if repair.is_some() {
            self.repeats.add(queued.size);
            if !landing.lost {
                self.repaired.add(queued.size);
            }
        }
        let Repair { place, repeats } = repair.unwrap_or_else(|| self.first());
        if landing.lost && repeats < self.config.tries {
            self.repairs.insert(queued.number, Repair { place, repeats: repeats + 1 });
            let queued = Queued { is_repeat: true, ..queued };
            self.failed.push_back((at + self.config.delay, queued));
        } else if self.config.in_order {
            self.hold(place, landing, queued.packet);
            self.release(flight);
        } else {
            flight.take(landing, queued.packet);
        }
    }

    fn first(&mut self) -> Repair {
        let place = self.sent;
        self.sent += 1;
        if self.config.in_order {
            self.held.push_back(None);
        }
        Repair { place, repeats: 0 }
    }

    fn hold(&mut self, place: u64, landing: WireArrival, packet: P) {
        let from_end = usize::try_from(self.sent - place).unwrap_or(usize::MAX);
        let index = self.held.len().checked_sub(from_end);
        if let Some(slot) = index.and_then(|index| self.held.get_mut(index)) {
            *slot = Some((landing, packet));
        }
    }

    /// Hands on what no gap is before any more.
    fn release(&mut self, flight: &mut LinkFlight<P>) {
        while self.held.front().is_some_and(Option::is_some)
            && let Some(Some((landing, packet))) = self.held.pop_front()
        {
            self.latest = self.latest.max(landing.at);
            flight.take(WireArrival { at: self.latest, ..landing }, packet);
        }
    }

    /// When the transmitter next learns of a failure.
    pub(crate) fn next_event(&self) -> Instant {
        self.failed.front().map_or(Instant::FAR_FUTURE, |failed| failed.0)
    }

    /// The packet to be sent again, of which the transmitter learns now.
    pub(crate) fn take_failed(&mut self) -> Option<Queued<P>> {
        self.failed.pop_front().map(|(_, queued)| queued)
    }

    /// Packets that are to be sent again, or are held at the far end.
    pub(crate) fn inside(&self) -> PacketCount {
        let failed = self.failed.iter().map(|(_, queued)| queued.size);
        let held = self.held.iter().flatten().map(|(_, packet)| packet.size());
        let mut sum = PacketCount::default();
        failed.chain(held).for_each(|size| sum.add(size));
        sum
    }

    /// Repeats sent, and packets that they brought across.
    pub(crate) fn work(&self) -> [PacketCount; 2] {
        [self.repeats, self.repaired]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{TestPacket, at_ms};

    #[test]
    fn a_far_end_that_does_not_keep_order_remembers_no_place_of_a_packet() {
        let config = ArqConfig { tries: 1, delay: Duration::from_millis(1), in_order: false };
        let (mut arq, mut flight) = (Arq::new(config), LinkFlight::over(true, None));
        for number in 1..=100 {
            let queued = Queued { number, ..TestPacket::of(0).queued(at_ms(number)) };
            let landing = WireArrival { at: at_ms(number), lost: number % 2 == 0 };
            arq.sent(at_ms(number), queued, landing, &mut flight);
        }
        assert_eq!((arq.held.len(), arq.failed.len()), (0, 50));
    }
}
