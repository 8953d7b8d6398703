//! Extensions that a connection may have: reports of links and routers, accurate ECN, a clock, buffers that
//! limit; and misbehaviour.

use westwood_cc::{EcnFeedback, Instant, Rate};

use super::clock::ReceiverClock;
use super::misbehaviour::Misbehaviour;
use super::receive_buffer::ReceiveBuffer;
use super::relay_buffer::RelayBuffer;
use crate::accurate_ecn::counting::MarkCounter;
use crate::config::Config;
use crate::ranges::RangeSet;
use crate::segment::AckOptions;

/// Reports of links and routers and the clock, for connections that negotiated them; a receive buffer that
/// limits; misbehaviour.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverExtensions {
    /// Segments that arrived damaged, and not yet whole.
    pub(super) damaged: RangeSet,
    /// Accurate ECN's counters.
    pub(super) marks: Option<MarkCounter>,
    /// The latest share of a link's rate.
    pub(super) share: Option<Rate>,
    /// The clock that ACKs tell, and the time.
    pub(super) clock: Option<ReceiverClock>,
    pub(super) now: Instant,
    /// The buffer, if it limits.
    pub(super) buffer: Option<ReceiveBuffer>,
    /// A proxy's side, if one reads.
    pub(super) relay: Option<RelayBuffer>,
    /// When a probe of the window was answered last.
    pub(super) probe_answered: Option<Instant>,
    /// How it misbehaves.
    pub(super) misbehaviour: Option<Misbehaviour>,
}

impl ReceiverExtensions {
    /// The state of the extensions that a connection has, if any.
    pub(super) fn of(config: &Config) -> Option<Box<Self>> {
        let counts_marks = config.ecn && config.ecn_feedback.counts_marks();
        let option = config.ecn_feedback == EcnFeedback::Accurate;
        let marks = counts_marks.then(|| MarkCounter::new(option));
        let clock = config.receiver_clock.filter(|_| config.timestamps);
        let sizes = config.buffers.receive_sizes();
        let buffer = sizes.map(|sizes| ReceiveBuffer::new(sizes, config));
        let relay = RelayBuffer::of(config);
        let misbehaviour = Misbehaviour::new(config.receiver);
        let any = config.eln
            || config.fair_share
            || marks.is_some()
            || clock.is_some()
            || buffer.is_some()
            || relay.is_some()
            || misbehaviour.is_some();
        let it = Self { marks, clock, buffer, relay, misbehaviour, ..Self::default() };
        any.then(|| Box::new(it))
    }

    /// Adds to the options of an ACK what links and routers have reported, and the clock.
    #[inline]
    pub(super) fn tell(
        &mut self,
        options: &mut AckOptions,
        timestamps: bool,
        spare: &mut AckOptions,
    ) {
        if self.share.is_some() || self.marks.is_some() || self.clock.is_some() {
            self.tell_any(options, timestamps, spare);
        }
    }

    #[inline(never)]
    fn tell_any(&mut self, options: &mut AckOptions, timestamps: bool, spare: &mut AckOptions) {
        if let Some(share) = self.share {
            options.set_share(share);
        }
        if let Some(marks) = &mut self.marks {
            let told = marks.tell(options.block_count(), timestamps);
            options.set_accurate(told, spare);
        }
        if let Some(clock) = self.clock {
            options.set_clock(clock.reading(self.now));
        }
    }

    /// The window in whole segments of which the last ACK, of all below `acked`, told.
    #[cold]
    pub(super) fn last_advertised_window(&self, acked: u64) -> u64 {
        match (&self.buffer, &self.relay) {
            (Some(buffer), _) => buffer.last_advertised_window(),
            (None, Some(relay)) => relay.last_advertised_window(acked),
            (None, None) => u64::MAX,
        }
    }
}
