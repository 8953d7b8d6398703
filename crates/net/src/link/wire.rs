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
    /// When the next packet arrives, kept here because it is asked much oftener than it changes.
    next: Instant,
    delay: Duration,
    /// The latest arrival so far, which no packet may come before if order is kept.
    latest: Instant,
    /// Packets in the order of their arrivals. A long path holds thousands: an entry is kept small.
    flying: VecDeque<(Instant, P)>,
    delivered: Traffic,
    /// Most links have none. Apart, so that those are small and a step over one is short.
    trouble: Option<Box<Trouble<P>>>,
}

/// Losses and jitter.
#[derive(Debug)]
struct Trouble<P> {
    losses: Vec<Loss>,
    jitter: Option<JitterSource>,
    /// Of those that fly in order the ones that are lost, by their place among all that were sent.
    doomed: VecDeque<u64>,
    /// Packets that may overtake each other, instead of those in order.
    loose: Option<BinaryHeap<Numbered<P>>>,
    sent: u64,
    lost: Traffic,
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
        let mut wire = Self {
            next: Instant::FAR_FUTURE,
            delay: Duration::ZERO,
            latest: Instant::ZERO,
            flying: VecDeque::new(),
            delivered: Traffic::default(),
            trouble: None,
        };
        let losses = Loss::all(&config.losses, seed, name, Instant::ZERO)?;
        if jitter.is_some() || !losses.is_empty() {
            let loose = config.jitter.is_some_and(|j| j.reorder);
            wire.trouble = Some(Box::new(Trouble {
                jitter,
                loose: loose.then(BinaryHeap::new),
                ..Trouble::of(losses)
            }));
        }
        wire.set_delay(config.delay);
        Ok(wire)
    }

    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.delay = delay.max(Duration::from_nanos(1));
    }

    pub(crate) fn set_losses(&mut self, losses: Vec<Loss>) {
        match &mut self.trouble {
            Some(trouble) => trouble.losses = losses,
            None if losses.is_empty() => {}
            None => {
                let so_far = self.delivered.packets + self.flying.len() as u64;
                self.trouble = Some(Box::new(Trouble { sent: so_far, ..Trouble::of(losses) }));
            }
        }
    }

    /// Takes the packet that leaves the transmitter at `departure`. Calls come in that order.
    #[inline]
    pub(crate) fn send(&mut self, departure: Instant, number: u64, size: Bytes, packet: P) {
        let arrival = departure + self.delay;
        if self.trouble.is_some() {
            let passing = Passing { at: departure, size, number };
            return self.send_through_trouble(&passing, arrival, packet);
        }
        self.fly(arrival, packet);
    }

    #[inline]
    fn fly(&mut self, arrival: Instant, packet: P) {
        self.latest = self.latest.max(arrival);
        self.next = self.next.min(self.latest);
        self.flying.push_back((self.latest, packet));
    }

    fn send_through_trouble(&mut self, passing: &Passing, mut arrival: Instant, packet: P) {
        let Some(trouble) = &mut self.trouble else {
            return;
        };
        let lost = trouble.loses(passing);
        if let Some(jitter) = &mut trouble.jitter {
            arrival += jitter.draw();
        }
        trouble.sent += 1;
        if let Some(loose) = &mut trouble.loose {
            self.next = self.next.min(arrival);
            let flying = Flying { arrival, lost, packet };
            loose.push(Numbered(flying, trouble.sent));
            return;
        }
        if lost {
            trouble.doomed.push_back(trouble.sent);
        }
        self.fly(arrival, packet);
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
        if self.trouble.is_some() {
            return self.step_through_trouble();
        }
        match self.land() {
            Some(packet) => {
                self.delivered.add(packet.size());
                Step::Delivered(packet)
            }
            None => Step::Nothing,
        }
    }

    /// The next of those that fly in order.
    #[inline]
    fn land(&mut self) -> Option<P> {
        let (_, packet) = self.flying.pop_front()?;
        self.next = self.flying.front().map_or(Instant::FAR_FUTURE, |f| f.0);
        Some(packet)
    }

    fn step_through_trouble(&mut self) -> Step<P> {
        let landed = match self.trouble.as_mut().and_then(|t| t.loose.as_mut()) {
            Some(loose) => loose.pop().map(|Numbered(flown, _)| {
                self.next = loose.peek().map_or(Instant::FAR_FUTURE, |n| n.0.arrival);
                (flown.packet, flown.lost)
            }),
            None => self.land().map(|packet| (packet, self.is_doomed())),
        };
        let Some((packet, lost)) = landed else {
            return Step::Nothing;
        };
        match &mut self.trouble {
            Some(trouble) if lost => {
                trouble.lost.add(packet.size());
                Step::Lost(packet, DropCause::Random)
            }
            _ => {
                self.delivered.add(packet.size());
                Step::Delivered(packet)
            }
        }
    }

    /// True if the packet that has just landed was lost on the way.
    fn is_doomed(&mut self) -> bool {
        let Some(trouble) = &mut self.trouble else {
            return false;
        };
        let number = self.delivered.packets + trouble.lost.packets + 1;
        let doomed = trouble.doomed.front() == Some(&number);
        if doomed {
            trouble.doomed.pop_front();
        }
        doomed
    }

    /// What flies. Counted when it is asked for, which is seldom, and not packet by packet.
    pub(crate) fn on_wire(&self) -> Traffic {
        let loose = self.trouble.as_ref().and_then(|t| t.loose.as_ref());
        let loose = loose.into_iter().flatten().map(|n| &n.0.packet);
        let mut sum = Traffic::default();
        for packet in self.flying.iter().map(|(_, packet)| packet).chain(loose) {
            sum.add(packet.size());
        }
        sum
    }

    pub(crate) fn keeps_order(&self) -> bool {
        self.trouble.as_ref().is_none_or(|t| t.loose.is_none())
    }

    pub(crate) fn far_end(&self) -> Exit {
        Exit {
            delivered: self.delivered,
            lost: self.trouble.as_ref().map_or(Traffic::default(), |t| t.lost),
        }
    }
}

impl<P> Trouble<P> {
    fn of(losses: Vec<Loss>) -> Self {
        Self {
            losses,
            jitter: None,
            doomed: VecDeque::new(),
            loose: None,
            sent: 0,
            lost: Traffic::default(),
        }
    }

    fn loses(&mut self, passing: &Passing) -> bool {
        let mut lost = false;
        for process in &mut self.losses {
            // Every process judges every packet, so that none moves another's draws.
            lost |= process.loses(passing);
        }
        lost
    }
}
