//! The path of most links: a [`Lane`] that decides on arrival, and the packets on their flight.

use westwood_cc::Instant;

use crate::histogram::Histogram;
use crate::link::flight::{Exit, Flight};
use crate::link::lane::{Course, Lane};
use crate::link::{InTransit, Offer, Step};
use crate::packet::Packet;
use crate::stats::{LinkStats, Traffic};

#[derive(Debug)]
pub(crate) struct Fifo<P> {
    lane: Lane,
    flight: Flight<P>,
}

impl<P: Packet> Fifo<P> {
    pub(crate) fn new(lane: Lane) -> Self {
        Self { flight: Flight::over(lane.keeps_order()), lane }
    }

    #[inline]
    pub(crate) fn offer(&mut self, now: Instant, mut packet: P) -> Offer<P> {
        match self.lane.pass(now, packet.size(), packet.ect()) {
            Course::Lands { landing, marked } => {
                if marked {
                    packet.mark_ce();
                }
                self.flight.take(landing, packet);
                Offer::Queued
            }
            Course::Dropped(cause) => Offer::Dropped(packet, cause),
        }
    }

    #[inline]
    pub(crate) fn next_event(&self) -> Instant {
        self.flight.next_event()
    }

    #[inline]
    pub(crate) fn step(&mut self, now: Instant) -> Step<P> {
        self.flight.step(now)
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        self.lane.stats(now)
    }

    pub(crate) fn record_delays(&mut self, from: Instant) {
        self.lane.record_delays(from);
    }

    pub(crate) fn delays(&mut self, now: Instant) -> Option<Histogram> {
        self.lane.delays(now)
    }

    pub(crate) fn far_end(&self) -> Exit {
        self.flight.far_end()
    }

    pub(crate) fn waiting(&mut self, now: Instant) -> Traffic {
        self.lane.waiting(now)
    }

    pub(crate) fn in_transit(&self) -> InTransit {
        InTransit::split(self.lane.last_waiting(), self.flight.on_wire())
    }
}
