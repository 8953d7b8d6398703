//! Carries packets between devices over a path, by a clock: the emulator's loop.
//!
//! ```text
//! device --read--> enter | Path | arrive --write--> device
//! ```
//!
//! The loop is the same for real devices and for simulated ones; [`Devices`] is all that it knows of
//! either.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use westwood_cc::{Duration, Instant};
use westwood_net::{Histogram, LinkStats};
use westwood_sim::LinkId;

use crate::addresses::{FlowEnd, sender_of};
use crate::lateness::Lateness;
use crate::path::{DeliveredPacket, EmulatedPath, FlowDirection, Observer};

/// Packets are read from one device at a time, at most so many before the others have their turn.
const BATCH: usize = 16;
/// Counters that others read are written anew after so long.
const COUNTERS_EVERY: Duration = Duration::from_millis(50);

/// The devices of all hosts, and their clock.
pub trait Devices {
    /// The time since the path came to be.
    fn now(&mut self) -> Instant;
    /// Waits until a packet can be read, or `until`, or a little less than either.
    fn wait(&mut self, until: Instant);
    /// The number of devices.
    fn count(&self) -> usize;
    /// Reads a packet if one is there: its length.
    fn read(&mut self, device: usize, packet: &mut [u8]) -> io::Result<Option<usize>>;
    /// Hands a host a packet.
    fn write(&mut self, device: usize, packet: &[u8]) -> io::Result<()>;
}

/// The totals so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The time, since the path came to be.
    pub at: Instant,
    /// Packets read from hosts that have a way.
    pub entered: u64,
    /// Their bytes.
    pub entered_bytes: u64,
    /// Packets handed to hosts.
    pub arrived: u64,
    /// Their bytes.
    pub arrived_bytes: u64,
    /// Packets inside links.
    pub inside: u64,
    /// Packets to where no way leads, such as IPv6's router solicitations.
    pub astray: u64,
    /// Packets that a host's device refused.
    pub refused: u64,
}

impl Counters {
    /// Packets that the path has dropped or lost.
    pub fn dropped(&self) -> u64 {
        self.entered.saturating_sub(self.arrived + self.refused + self.inside)
    }
}

/// The handle by which other threads read a loop's counters and end it.
#[derive(Debug, Default)]
pub struct CarrierHandle {
    /// Set it to end the loop.
    pub stop: AtomicBool,
    counters: Mutex<Counters>,
}

impl CarrierHandle {
    /// The totals of a moment ago.
    pub fn counters(&self) -> Counters {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The records of a loop beside its counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarrierProbes {
    /// The statistics of all links are taken at these times, in order.
    pub marks: Vec<Instant>,
    /// The backlog of these links is noted at every change.
    pub queues: Vec<LinkId>,
    /// Least time between two points of a queue.
    pub queue_interval: Duration,
}

/// The totals of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarriedTotals {
    /// All that was carried.
    pub counters: Counters,
    /// The lateness of packets.
    pub lateness: Lateness,
    /// The statistics of all links at each mark that was reached, and at the end.
    pub marks: Vec<Vec<LinkStats>>,
    /// Packets that waited: when, at which link, how many.
    pub queues: Vec<(Instant, LinkId, u64)>,
    /// Bytes that each flow's client put on its way, at each mark that was reached and at the end.
    pub sent_bytes: Vec<Vec<u64>>,
    /// The waits of packets at the link that the network's probes name, since the end of the
    /// warm-up, up to each mark that was reached and up to the end; empty if the probes name none.
    pub queue_delays: Vec<Histogram>,
}

/// A path between devices.
#[derive(Debug)]
pub struct PathCarrier<D, O> {
    path: EmulatedPath,
    devices: D,
    observer: O,
    /// Each flow's devices: its client's, its server's.
    ends: Vec<(usize, usize)>,
    notes: CarrierProbes,
    carried: CarriedTotals,
    sent_bytes: Vec<u64>,
    last_queues: Vec<(Instant, u64)>,
}

impl<D: Devices, O: Observer> PathCarrier<D, O> {
    /// Of each flow `ends` says which device leads to its client and which to its server.
    pub fn new(
        path: EmulatedPath,
        devices: D,
        ends: Vec<(usize, usize)>,
        notes: CarrierProbes,
        observer: O,
    ) -> Self {
        let sent_bytes = vec![0; ends.len()];
        let last_queues = vec![(Instant::ZERO, 0); notes.queues.len()];
        let carried = CarriedTotals::default();
        Self { path, devices, observer, ends, notes, carried, sent_bytes, last_queues }
    }

    /// Carries packets until the loop is ended, or `until`.
    pub fn run(mut self, until: Instant, shared: &CarrierHandle) -> (CarriedTotals, O) {
        let mut packet = vec![0; usize::from(u16::MAX)];
        let mut told = Instant::ZERO;
        while !shared.stop.load(Ordering::Relaxed) {
            let now = self.read_all(&mut packet);
            if now >= until {
                break;
            }
            self.note_queues(now);
            if now.since(told) >= COUNTERS_EVERY {
                told = now;
                self.tell(now, shared);
            }
            let next = self.path.next_event().min(until).min(self.next_mark());
            self.devices.wait(next);
        }
        let end = self.devices.now().min(until);
        self.advance(end);
        self.mark(end);
        self.tell(end, shared);
        (self.carried, self.observer)
    }

    /// Reads the packets of hosts, and hands out those that are due meanwhile. The time when it is
    /// done.
    fn read_all(&mut self, packet: &mut [u8]) -> Instant {
        for device in 0..self.devices.count() {
            for _ in 0..BATCH {
                // A packet that cannot be read is as good as none: the next look tells.
                let Ok(Some(len)) = self.devices.read(device, packet) else { break };
                let now = self.devices.now();
                self.advance(now);
                self.take(now, &packet[..len.min(packet.len())]);
            }
        }
        let now = self.devices.now();
        self.advance(now);
        now
    }

    /// A host has sent a packet.
    fn take(&mut self, now: Instant, packet: &[u8]) {
        let way = sender_of(packet).map(|(flow, from)| FlowDirection { flow, from });
        let Some(way) = way.filter(|way| way.flow < self.ends.len() && self.path.has(*way)) else {
            self.carried.counters.astray += 1;
            return;
        };
        self.carried.counters.entered += 1;
        self.carried.counters.entered_bytes += packet.len() as u64;
        if way.from == FlowEnd::Client {
            self.sent_bytes[way.flow] += packet.len() as u64;
        }
        self.path.enter(now, way, packet.to_vec(), &mut self.observer);
    }

    /// Everything that is due by now, the marks in their places.
    fn advance(&mut self, now: Instant) {
        while self.next_mark() <= now {
            let mark = self.notes.marks.remove(0);
            self.advance_path(mark);
            self.mark(mark);
        }
        self.advance_path(now);
    }

    fn advance_path(&mut self, now: Instant) {
        let Self { path, devices, observer, ends, carried, .. } = self;
        path.advance(now, observer, |arrival| hand_over(&arrival, devices, ends, carried));
    }

    fn next_mark(&self) -> Instant {
        self.notes.marks.first().copied().unwrap_or(Instant::FAR_FUTURE)
    }

    fn mark(&mut self, at: Instant) {
        self.carried.marks.push(self.path.stats(at));
        self.carried.sent_bytes.push(self.sent_bytes.clone());
        self.carried.queue_delays.extend(self.path.queue_delays(at));
    }

    fn note_queues(&mut self, now: Instant) {
        for (&link, last) in self.notes.queues.iter().zip(&mut self.last_queues) {
            if now.since(last.0) < self.notes.queue_interval {
                continue;
            }
            let backlog = self.path.backlog(link, now);
            if backlog != last.1 {
                *last = (now, backlog);
                self.carried.queues.push((now, link, backlog));
            }
        }
    }

    fn tell(&mut self, now: Instant, shared: &CarrierHandle) {
        self.carried.counters.at = now;
        self.carried.counters.inside = self.path.inside();
        let mut counters = shared.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters.clone_from(&self.carried.counters);
    }
}

/// Hands a packet to its host, and notes by how much it is late.
fn hand_over(
    arrival: &DeliveredPacket,
    devices: &mut impl Devices,
    ends: &[(usize, usize)],
    carried: &mut CarriedTotals,
) {
    let Some(&(client, server)) = ends.get(arrival.way.flow) else { return };
    let device = if arrival.way.from == FlowEnd::Client { server } else { client };
    carried.lateness.add(devices.now().since(arrival.at));
    match devices.write(device, &arrival.packet) {
        Ok(()) => {
            carried.counters.arrived += 1;
            carried.counters.arrived_bytes += arrival.packet.len() as u64;
        }
        Err(_) => carried.counters.refused += 1,
    }
}
