//! Forward error correction: a link that sends repair packets before it knows what is lost.
//!
//! An erasure code over packets (M. Watson, A. Begen, V. Roca, "Forward Error Correction (FEC) Framework",
//! RFC 6363, 2011): behind a block of `k` packets the transmitter sends `n - k` repair packets, each as
//! large as the largest packet of the block. Any `k` of the `n` give back the block, as a maximum distance
//! separable code such as Reed-Solomon's does (RFC 5510). A lost packet is delivered when the last
//! that it takes has arrived, which is the delay of the repair.
//!
//! ```text
//! k = 3, n = 5:   1 2 3 r r | 4 5 6 r r      2 is lost: it arrives with the first r
//! ```
//!
//! A block that does not fill is closed `wait` after its first packet has left, and has as many repair
//! packets: a shortened code. Packets in the transmitter then still belong to the block, up to `k` of them.
//! A burst may hold the ends of several blocks: their repair packets follow it, those of the first block
//! first. Repair packets go before all that waits, take the transmitter's time, may be lost, and count
//! neither as offered nor as waiting.
//!
//! A far end that keeps order holds what arrives behind a gap until the block is repaired or given up; one
//! that does not hands packets on as they come. Coding and decoding take no time.

use std::cell::RefCell;
use std::collections::VecDeque;

use westwood_cc::{Bytes, Duration, Ecn, Instant};

use crate::error::LinkError;
use crate::link::flight::LinkFlight;
use crate::link::wire::WireArrival;
use crate::packet::Packet;
use crate::queue::Queued;
use crate::stats::PacketCount;

/// How a link codes its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FecConfig {
    /// Packets of a block, 1 to 1000.
    pub k: u32,
    /// The same with repair packets, above `k` and at most 2000.
    pub n: u32,
    /// A block is closed so long after its first packet has left, at most a day.
    pub wait: Duration,
    /// The far end hands packets on in the order in which they were sent.
    pub in_order: bool,
}

impl FecConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        LinkError::unless((1..=1_000).contains(&self.k), "fec.k", "within 1 to 1000")?;
        let n = self.n > self.k && self.n <= 2_000;
        LinkError::unless(n, "fec.n", "above k and at most 2000")?;
        let bounded = self.wait <= Duration::from_secs(86_400);
        LinkError::unless(bounded, "fec.wait", "at most a day")
    }
}

/// A packet in the transmitter.
#[derive(Clone, Debug)]
pub(crate) enum FecPacket<P> {
    Packet(P),
    Repair,
}

/// Repair packets to be sent: of each block that has ended how many, and their size. Both sides of the
/// transmitter have them in hand.
#[derive(Debug, Default)]
pub(crate) struct RepairsDue(RefCell<VecDeque<(u32, Bytes)>>);

impl RepairsDue {
    /// The next repair packet, at `now`.
    pub(crate) fn take<P>(&self, now: Instant) -> Option<Queued<FecPacket<P>>> {
        let mut blocks = self.0.borrow_mut();
        let (count, size) = blocks.front_mut()?;
        let size = *size;
        *count -= 1;
        if *count == 0 {
            blocks.pop_front();
        }
        let (packet, entered) = (FecPacket::Repair, Ecn::NotEct);
        Some(Queued { packet, size, number: 0, arrived: now, entered, is_repeat: true })
    }

    /// A block has ended. It has at least one repair packet.
    fn owe(&self, count: u32, size: Bytes) {
        self.0.borrow_mut().push_back((count, size));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

/// A packet of a block.
#[derive(Debug)]
struct CodedPacket<P> {
    landing: WireArrival,
    /// The packet, unless it has been handed on.
    packet: Option<P>,
}

/// A block, of which packets or repair packets are still to be sent.
#[derive(Debug)]
struct CodedBlock<P> {
    units: Vec<CodedPacket<P>>,
    /// Packets and repair packets that arrive.
    received: usize,
    /// Packets that do not, and are not repaired.
    missing: u32,
    /// The latest arrival.
    latest: Instant,
    largest: Bytes,
    /// Repair packets that have not left.
    left: u32,
}

impl<P> CodedBlock<P> {
    fn new(repairs: u32) -> Self {
        Self {
            units: Vec::new(),
            received: 0,
            missing: 0,
            latest: Instant::ZERO,
            largest: Bytes::ZERO,
            left: repairs,
        }
    }

    fn note(&mut self, landing: WireArrival) {
        self.latest = self.latest.max(landing.at);
        self.received += usize::from(!landing.lost);
    }
}

impl<P: Packet> CodedBlock<P> {
    /// The held packets arrive, or are lost for good. Tells those that were brought back.
    fn settle(&mut self, is_repaired: bool, flight: &mut LinkFlight<P>) -> PacketCount {
        let mut repaired = PacketCount::default();
        if self.missing == 0 {
            return repaired;
        }
        self.missing = 0;
        for CodedPacket { landing, packet } in &mut self.units {
            let Some(packet) = packet.take() else { continue };
            if landing.lost && is_repaired {
                repaired.add(packet.size());
            }
            let (at, lost) = (self.latest.max(landing.at), landing.lost && !is_repaired);
            flight.take(WireArrival { at, lost }, packet);
        }
        repaired
    }

    /// Nothing before this block is missing from `at` on: the packets before its own first gap arrive.
    fn release(&mut self, at: Instant, flight: &mut LinkFlight<P>) {
        let until_gap = self.units.iter_mut().take_while(|unit| !unit.landing.lost);
        for CodedPacket { landing, packet } in until_gap {
            if let Some(packet) = packet.take() {
                flight.take(WireArrival { at: at.max(landing.at), lost: false }, packet);
            }
        }
    }
}

/// Forward error correction at work.
#[derive(Debug)]
pub(crate) struct Fec<P> {
    config: FecConfig,
    /// Blocks that have ended and whose repair packets have not all left, in their order.
    ended: VecDeque<CodedBlock<P>>,
    /// The block that takes packets in.
    open: CodedBlock<P>,
    /// When it is closed if it has not filled.
    deadline: Instant,
    /// With so many packets it ends.
    size: usize,
    /// Repair packets that were sent.
    repairs: PacketCount,
    /// Packets that were lost and delivered.
    repaired: PacketCount,
}

impl<P: Packet> Fec<P> {
    pub(crate) fn new(config: FecConfig) -> Self {
        let (repairs, repaired) = (PacketCount::default(), PacketCount::default());
        Self {
            config,
            ended: VecDeque::new(),
            open: CodedBlock::new(config.n - config.k),
            deadline: Instant::FAR_FUTURE,
            size: usize::try_from(config.k).unwrap_or(usize::MAX),
            repairs,
            repaired,
        }
    }

    /// A packet has left the transmitter at `at`.
    pub(crate) fn sent(
        &mut self,
        at: Instant,
        queued: Queued<P>,
        landing: WireArrival,
        flight: &mut LinkFlight<P>,
        due: &RepairsDue,
    ) {
        let is_behind_gap = self.ended.iter().chain([&self.open]).any(|block| block.missing > 0);
        let Self { config, open, .. } = self;
        if open.units.is_empty() {
            self.deadline = at + config.wait;
        }
        open.note(landing);
        open.missing += u32::from(landing.lost);
        open.largest = open.largest.max(queued.size);
        let is_held = landing.lost || config.in_order && is_behind_gap;
        let packet = if is_held {
            Some(queued.packet)
        } else {
            flight.take(landing, queued.packet);
            None
        };
        open.units.push(CodedPacket { landing, packet });
        if open.units.len() == self.size {
            self.close(due);
        }
    }

    /// The open block ends, and its repair packets are next.
    fn close(&mut self, due: &RepairsDue) {
        let repairs = self.config.n - self.config.k;
        due.owe(repairs, self.open.largest);
        let ended = std::mem::replace(&mut self.open, CodedBlock::new(repairs));
        self.ended.push_back(ended);
        self.deadline = Instant::FAR_FUTURE;
        self.size = usize::try_from(self.config.k).unwrap_or(usize::MAX);
    }

    /// When a block is closed that has not filled.
    pub(crate) fn next_event(&self) -> Instant {
        self.deadline
    }

    /// The open block has waited long enough. So many of the packets in the transmitter are to join it.
    pub(crate) fn time_out(&mut self, sending: usize, due: &RepairsDue) {
        self.deadline = Instant::FAR_FUTURE;
        self.size = self.size.min(self.open.units.len() + sending);
        if sending == 0 {
            self.close(due);
        }
    }

    /// A repair packet has left the transmitter: one of the first block that has ended.
    pub(crate) fn repair_sent(
        &mut self,
        size: Bytes,
        landing: WireArrival,
        flight: &mut LinkFlight<P>,
    ) {
        self.repairs.add(size);
        let Some(block) = self.ended.front_mut() else { return };
        block.note(landing);
        block.left -= 1;
        let is_repaired = block.received >= block.units.len();
        if !is_repaired && block.left > 0 {
            return;
        }
        let has_gap = block.missing > 0;
        self.repaired += block.settle(is_repaired, flight);
        let (at, is_last) = (block.latest, block.left == 0);
        if has_gap && self.config.in_order {
            self.release_behind(at, flight);
        }
        if is_last {
            self.ended.pop_front();
        }
    }

    /// The first block has no gap from `at` on: the packets behind it arrive, up to the next gap.
    fn release_behind(&mut self, at: Instant, flight: &mut LinkFlight<P>) {
        for block in self.ended.iter_mut().skip(1).chain([&mut self.open]) {
            block.release(at, flight);
            if block.missing > 0 {
                return;
            }
        }
    }

    /// Packets that are held at the far end, or missed there.
    pub(crate) fn inside(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        let units = self.ended.iter().chain([&self.open]).flat_map(|block| &block.units);
        let held = units.filter_map(|unit| unit.packet.as_ref());
        held.for_each(|packet| sum.add(packet.size()));
        sum
    }

    /// Repair packets sent, and packets that they brought back.
    pub(crate) fn work(&self) -> [PacketCount; 2] {
        [self.repairs, self.repaired]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{TestPacket, at_ms};

    #[test]
    fn a_packet_between_the_repair_packets_of_a_block_that_is_repaired_is_not_held() {
        let config = FecConfig { k: 2, n: 4, wait: Duration::from_secs(1), in_order: true };
        let (mut fec, mut flight) = (Fec::new(config), LinkFlight::over(true, None));
        let due = RepairsDue::default();
        let landing = |ms, lost| WireArrival { at: at_ms(10 + ms), lost };
        let mut arrived = Vec::new();
        for (ms, lost) in [(1, true), (2, false), (3, false), (4, false)] {
            if ms == 3 {
                // One of two repair packets: the lost packet and the one that waits for it arrive.
                fec.repair_sent(Bytes::new(1500), landing(ms, lost), &mut flight);
            } else {
                let queued = TestPacket::of(0).queued(at_ms(ms));
                fec.sent(at_ms(ms), queued, landing(ms, lost), &mut flight, &due);
            }
            arrived.push(flight.on_wire().packets);
        }
        assert_eq!((arrived, fec.ended.len()), (vec![0, 0, 2, 3], 1));
    }
}
