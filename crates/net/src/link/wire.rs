//! What happens after the transmitter: losses, delay, jitter, arrival.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::jitter::JitterSource;
use crate::link::config::LinkConfig;
use crate::link::memory::Exit;
use crate::link::{DropCause, Step};
use crate::loss::{Loss, Passing};
use crate::packet::Packet;
use crate::random::Random;
use crate::stats::Traffic;

/// Packets between the transmitter and the far end.
#[derive(Debug)]
pub(crate) struct Wire<P> {
    flight: Flight<P>,
    /// When the next packet arrives, kept here because it is asked much oftener than it changes.
    next: Instant,
    delay: Duration,
    /// The latest arrival so far, which no packet may come before if order is kept.
    latest: Instant,
    losses: Vec<Loss>,
    jitter: Option<JitterSource>,
    delivered: Traffic,
    lost: Traffic,
}

#[derive(Debug)]
enum Flight<P> {
    /// Arrivals in order. A ring holds what a long path holds, so an entry is kept small.
    Ring {
        flying: VecDeque<(Instant, P)>,
        /// Those of them that are lost, by their place among all that were sent.
        lost: VecDeque<u64>,
    },
    /// Packets may overtake each other.
    Heap {
        flying: BinaryHeap<Numbered<P>>,
        sent: u64,
    },
}

#[derive(Debug)]
struct Flying<P> {
    arrival: Instant,
    lost: bool,
    packet: P,
}

/// A packet in flight and its place among those sent, which decides between equal arrivals.
#[derive(Debug)]
struct Numbered<P>(Flying<P>, u64);

impl<P> Numbered<P> {
    fn key(&self) -> (Instant, u64) {
        (self.0.arrival, self.1)
    }
}

impl<P> Ord for Numbered<P> {
    /// The earliest is the greatest: the standard heap gives the greatest first.
    fn cmp(&self, o: &Self) -> Ordering {
        o.key().cmp(&self.key())
    }
}

impl<P> PartialOrd for Numbered<P> {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl<P> PartialEq for Numbered<P> {
    fn eq(&self, o: &Self) -> bool {
        self.key() == o.key()
    }
}

impl<P> Eq for Numbered<P> {}

impl<P: Packet> Wire<P> {
    pub(crate) fn new(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        let jitter = match &config.jitter {
            Some(jitter) => {
                let random = Random::new(seed, &format!("{name}/jitter"));
                Some(JitterSource::new(jitter, random)?)
            }
            None => None,
        };
        let flight = if config.jitter.is_some_and(|j| j.reorder) {
            Flight::Heap {
                flying: BinaryHeap::new(),
                sent: 0,
            }
        } else {
            Flight::Ring {
                flying: VecDeque::new(),
                lost: VecDeque::new(),
            }
        };
        let mut wire = Self {
            flight,
            next: Instant::FAR_FUTURE,
            delay: Duration::ZERO,
            latest: Instant::ZERO,
            losses: Loss::all(&config.losses, seed, name, Instant::ZERO)?,
            jitter,
            delivered: Traffic::default(),
            lost: Traffic::default(),
        };
        wire.set_delay(config.delay);
        Ok(wire)
    }

    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.delay = delay.max(Duration::from_nanos(1));
    }

    pub(crate) fn set_losses(&mut self, losses: Vec<Loss>) {
        self.losses = losses;
    }

    /// Takes the packet that leaves the transmitter at `departure`. Calls come in that order.
    #[inline]
    pub(crate) fn send(&mut self, departure: Instant, number: u64, size: Bytes, packet: P) {
        let passing = Passing {
            at: departure,
            size,
            number,
        };
        let mut lost = false;
        for process in &mut self.losses {
            // Every process judges every packet, so that none moves another's draws.
            lost |= process.loses(&passing);
        }
        let mut arrival = departure + self.delay;
        if let Some(jitter) = &mut self.jitter {
            arrival += jitter.draw();
        }
        match &mut self.flight {
            Flight::Ring {
                flying,
                lost: lost_ones,
            } => {
                self.latest = self.latest.max(arrival);
                arrival = self.latest;
                flying.push_back((arrival, packet));
                if lost {
                    let sent = self.delivered.packets + self.lost.packets + flying.len() as u64;
                    lost_ones.push_back(sent);
                }
            }
            Flight::Heap { flying, sent } => {
                let flown = Flying {
                    arrival,
                    lost,
                    packet,
                };
                *sent += 1;
                flying.push(Numbered(flown, *sent));
            }
        }
        self.next = self.next.min(arrival);
    }

    /// When the next packet arrives.
    #[inline]
    pub(crate) fn next_event(&self) -> Instant {
        self.next
    }

    /// The packet that has arrived by `now`, if one has.
    #[inline]
    pub(crate) fn step(&mut self, now: Instant) -> Step<P> {
        if self.next > now {
            return Step::Nothing;
        }
        let Flight::Ring { flying, lost } = &mut self.flight else {
            return self.step_out_of_order();
        };
        let Some((_, packet)) = flying.pop_front() else {
            return Step::Nothing;
        };
        self.next = flying.front().map_or(Instant::FAR_FUTURE, |f| f.0);
        if !lost.is_empty() {
            let number = self.delivered.packets + self.lost.packets + 1;
            if lost.front() == Some(&number) {
                lost.pop_front();
                self.lost.add(packet.size());
                return Step::Lost(packet, DropCause::Random);
            }
        }
        self.delivered.add(packet.size());
        Step::Delivered(packet)
    }

    fn step_out_of_order(&mut self) -> Step<P> {
        let Flight::Heap { flying, .. } = &mut self.flight else {
            return Step::Nothing;
        };
        let Some(Numbered(Flying { lost, packet, .. }, _)) = flying.pop() else {
            return Step::Nothing;
        };
        self.next = flying.peek().map_or(Instant::FAR_FUTURE, |n| n.0.arrival);
        let size = packet.size();
        if lost {
            self.lost.add(size);
            Step::Lost(packet, DropCause::Random)
        } else {
            self.delivered.add(size);
            Step::Delivered(packet)
        }
    }

    /// What flies. Counted when it is asked for, which is seldom, and not packet by packet.
    pub(crate) fn on_wire(&self) -> Traffic {
        let mut flying = Traffic::default();
        match &self.flight {
            Flight::Ring { flying: ring, .. } => {
                ring.iter().for_each(|(_, p)| flying.add(p.size()));
            }
            Flight::Heap { flying: heap, .. } => {
                heap.iter().for_each(|n| flying.add(n.0.packet.size()));
            }
        }
        flying
    }

    pub(crate) fn keeps_order(&self) -> bool {
        matches!(self.flight, Flight::Ring { .. })
    }

    pub(crate) fn far_end(&self) -> Exit {
        Exit {
            delivered: self.delivered,
            lost: self.lost,
        }
    }
}
