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
//! packets: a shortened code. If the transmitter is busy then, the packet in it is the block's last.
//! Packets that leave in one burst with the last packet of a block lengthen the block. Repair packets go
//! before all that waits, take the transmitter's time, may be lost, and count neither as offered nor as
//! waiting.
//!
//! A far end that keeps order holds what arrives behind a gap until the block is repaired or given up; one
//! that does not hands packets on as they come. Coding and decoding take no time.

use std::cell::Cell;

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

/// Repair packets to be sent. Both sides of the transmitter have it in hand.
#[derive(Debug, Default)]
pub(crate) struct RepairsDue {
    count: Cell<u32>,
    size: Cell<Bytes>,
}

impl RepairsDue {
    /// The next repair packet, at `now`.
    pub(crate) fn take<P>(&self, now: Instant) -> Option<Queued<FecPacket<P>>> {
        self.count.set(self.count.get().checked_sub(1)?);
        let size = self.size.get();
        let (packet, entered) = (FecPacket::Repair, Ecn::NotEct);
        Some(Queued { packet, size, number: 0, arrived: now, entered, is_repeat: true })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count.get() == 0
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
    deadline: Instant,
    /// It ends with the packet in the transmitter.
    closing: bool,
    /// Repair packets that have not left, once it has ended.
    left: Option<u32>,
}

impl<P> CodedBlock<P> {
    fn new() -> Self {
        Self {
            units: Vec::new(),
            received: 0,
            missing: 0,
            latest: Instant::ZERO,
            largest: Bytes::ZERO,
            deadline: Instant::FAR_FUTURE,
            closing: false,
            left: None,
        }
    }

    fn note(&mut self, landing: WireArrival) {
        self.latest = self.latest.max(landing.at);
        self.received += usize::from(!landing.lost);
    }
}

/// Forward error correction at work.
#[derive(Debug)]
pub(crate) struct Fec<P> {
    config: FecConfig,
    block: CodedBlock<P>,
    /// Repair packets that were sent.
    repairs: PacketCount,
    /// Packets that were lost and delivered.
    repaired: PacketCount,
}

impl<P: Packet> Fec<P> {
    pub(crate) fn new(config: FecConfig) -> Self {
        let (repairs, repaired) = (PacketCount::default(), PacketCount::default());
        Self { config, block: CodedBlock::new(), repairs, repaired }
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
        let Self { config, block, .. } = self;
        if block.units.is_empty() {
            block.deadline = at + config.wait;
        }
        block.note(landing);
        block.missing += u32::from(landing.lost);
        block.largest = block.largest.max(queued.size);
        let is_held = landing.lost || config.in_order && block.missing > 0;
        let packet = if is_held {
            Some(queued.packet)
        } else {
            flight.take(landing, queued.packet);
            None
        };
        block.units.push(CodedPacket { landing, packet });
        if block.closing || block.units.len() as u64 == u64::from(config.k) {
            self.close(due);
        }
    }

    /// The block ends, and its repair packets are next.
    fn close(&mut self, due: &RepairsDue) {
        let repairs = self.config.n - self.config.k;
        self.block.deadline = Instant::FAR_FUTURE;
        self.block.left = Some(repairs);
        due.count.set(repairs);
        due.size.set(self.block.largest);
    }

    /// When a block is closed that has not filled.
    pub(crate) fn next_event(&self) -> Instant {
        self.block.deadline
    }

    /// The block has waited long enough, and `is_free` says that the transmitter has nothing of it.
    pub(crate) fn time_out(&mut self, is_free: bool, due: &RepairsDue) {
        if is_free {
            self.close(due);
        } else {
            self.block.closing = true;
            self.block.deadline = Instant::FAR_FUTURE;
        }
    }

    /// A repair packet has left the transmitter.
    pub(crate) fn repair_sent(
        &mut self,
        size: Bytes,
        landing: WireArrival,
        flight: &mut LinkFlight<P>,
    ) {
        self.repairs.add(size);
        self.block.note(landing);
        let left = self.block.left.map_or(0, |left| left.saturating_sub(1));
        self.block.left = Some(left);
        if self.block.received >= self.block.units.len() {
            self.settle(true, flight);
        }
        if left == 0 {
            self.settle(false, flight);
            self.block = CodedBlock::new();
        }
    }

    /// The held packets arrive, or are lost for good.
    fn settle(&mut self, is_repaired: bool, flight: &mut LinkFlight<P>) {
        if self.block.missing == 0 {
            return;
        }
        self.block.missing = 0;
        for CodedPacket { landing, packet } in &mut self.block.units {
            let Some(packet) = packet.take() else { continue };
            if landing.lost && is_repaired {
                self.repaired.add(packet.size());
            }
            let (at, lost) = (self.block.latest.max(landing.at), landing.lost && !is_repaired);
            flight.take(WireArrival { at, lost }, packet);
        }
    }

    /// Packets that are held at the far end, or missed there.
    pub(crate) fn inside(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        let held = self.block.units.iter().filter_map(|unit| unit.packet.as_ref());
        held.for_each(|packet| sum.add(packet.size()));
        sum
    }

    /// Repair packets sent, and packets that they brought back.
    pub(crate) fn work(&self) -> [PacketCount; 2] {
        [self.repairs, self.repaired]
    }
}
