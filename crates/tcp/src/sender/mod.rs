//! The sender.

mod core;
mod flight;
mod host_queue;
mod note;
mod pacer;
mod stream;
mod usage;

pub(crate) use self::core::Core;
pub use self::core::SenderCounts;
pub(crate) use self::flight::Sent;
#[cfg(test)]
pub(crate) use self::flight::touched;
use host_queue::HostQueue;
pub use note::{Note, Sign};

use westwood_cc::controllers::AnyController;
use westwood_cc::{Bytes, Controller, Duration, Instant, Rate, Window};

use crate::config::{Config, Pacing};
use crate::recovery::{LossRecovery, Machine};
use crate::segment::{AckSegment, DataSegment};

/// A TCP sender as a state machine.
///
/// Feed it data ([`supply`](Self::supply)), ACKs ([`on_ack`](Self::on_ack)) and the time
/// ([`on_timer`](Self::on_timer)); after each, take what it wants to send with
/// [`transmit`](Self::transmit) until there is nothing more.
///
/// ```
/// use westwood_cc::controller::Setup;
/// use westwood_cc::controllers::Choice;
/// use westwood_cc::{Bytes, Instant, Segments};
/// use westwood_tcp::{Config, Sender};
///
/// let config = Config { initial_window: Segments::new(3), ..Config::default() };
/// let setup = Setup { smss: Bytes::new(1500), initial_window: Segments::new(3), seed: 1 };
/// let reno = Choice::named("reno").expect("in the catalog").build(&setup);
/// let mut sender = Sender::new(&config, reno);
/// sender.supply_forever();
/// let mut burst = 0;
/// while sender.transmit(Instant::ZERO).is_some() {
///     burst += 1;
/// }
/// assert_eq!(burst, 3);
/// ```
#[derive(Clone, Debug)]
pub struct Sender {
    core: Core,
    recovery: Machine,
    /// Segments chosen ahead of their departure, if pacing does so.
    host: Option<HostQueue>,
}

impl Sender {
    /// A sender that has sent nothing and has nothing to send.
    pub fn new(config: &Config, controller: AnyController) -> Self {
        Self {
            core: Core::new(config, controller),
            recovery: Machine::new(config),
            host: (config.pacing == Pacing::Fq).then(HostQueue::default),
        }
    }

    /// There is always something to send.
    pub fn supply_forever(&mut self) {
        self.supply_segments(u64::MAX);
    }

    /// There are `bytes` to send in all, counted from the start. Never takes back what was sent.
    pub fn supply(&mut self, bytes: Bytes) {
        self.core.stream.supply(bytes, self.core.snd_max);
    }

    /// There are `segments` segments to send in all, counted from the start, the new ones full.
    pub fn supply_segments(&mut self, segments: u64) {
        self.core.stream.supply_segments(segments, self.core.snd_max);
    }

    /// The application stops: nothing new will be sent until it supplies more.
    pub fn hold(&mut self) {
        self.supply_segments(self.core.snd_max);
    }

    /// An ACK arrives. One that acknowledges what was never sent is ignored (RFC 9293, 3.10.7.4).
    pub fn on_ack(&mut self, now: Instant, ack: &AckSegment) {
        if ack.ack > self.core.snd_max {
            return;
        }
        self.recovery.on_ack(&mut self.core, now, ack);
        self.core.update_pace();
    }

    /// The time has come that [`deadline`](Self::deadline) named.
    pub fn on_timer(&mut self, now: Instant) {
        if now >= self.recovery.deadline() {
            self.recovery.on_deadline(&mut self.core, now);
        }
        if now >= self.core.rto_deadline {
            self.recovery.on_rto(&mut self.core, now);
        }
    }

    /// The next segment to send now, if any. Ask until there is none.
    pub fn transmit(&mut self, now: Instant) -> Option<DataSegment> {
        if self.host.is_some() {
            return self.transmit_from_host(now);
        }
        if self.core.pacer.next() > now {
            return None;
        }
        self.choose(now)
    }

    /// Fills the host's queue and takes from it what is due.
    fn transmit_from_host(&mut self, now: Instant) -> Option<DataSegment> {
        while self.host.as_ref()?.has_room(self.core.pacing_rate()) {
            let Some(segment) = self.choose(now) else { break };
            self.host.as_mut()?.push(segment);
        }
        self.host.as_mut()?.pop(now)
    }

    /// Chooses a segment and takes it for sent.
    fn choose(&mut self, now: Instant) -> Option<DataSegment> {
        self.recovery.restart_after_idle(&mut self.core, now);
        let in_flight = self.recovery.in_flight(&self.core);
        let Some(seq) = self.recovery.next_segment(&mut self.core, now) else {
            self.note_app_limit(in_flight);
            return None;
        };
        let segment = self.core.send(now, seq, in_flight);
        self.recovery.sent(&mut self.core, seq, now);
        Some(segment)
    }

    /// When [`on_timer`](Self::on_timer) and [`transmit`](Self::transmit) are due next;
    /// [`Instant::FAR_FUTURE`] for never.
    pub fn deadline(&self) -> Instant {
        let timers = self.core.rto_deadline.min(self.recovery.deadline());
        if let Some(host) = &self.host {
            timers.min(host.next())
        } else if self.core.pacer.is_on() && self.recovery.has_segment(&self.core) {
            timers.min(self.core.pacer.next())
        } else {
            timers
        }
    }

    /// A silent end of data is a limit of the application's, not of the path's.
    fn note_app_limit(&mut self, in_flight: u64) {
        let all_sent = self.core.snd_max >= self.core.stream.available();
        if all_sent && in_flight < self.core.window.cwnd.whole() {
            self.core.flight.mark_app_limited(in_flight);
        }
    }

    /// True once all that was supplied has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.core.snd_una >= self.core.stream.available()
    }

    /// The window in force, without inflation.
    pub fn window(&self) -> Window {
        self.core.window
    }

    /// The bandwidth estimate, if the controller keeps one.
    pub fn bwe(&self) -> Option<Rate> {
        self.core.controller.bwe()
    }

    /// What was done since the start.
    pub fn counts(&self) -> SenderCounts {
        self.core.counts
    }

    /// The oldest segment not acknowledged.
    pub fn snd_una(&self) -> u64 {
        self.core.snd_una
    }

    /// One beyond the highest segment sent: what RFC 9293 calls SND.NXT. (Inside, `snd_nxt` goes back
    /// after a timeout and `snd_max` stays.)
    pub fn snd_max(&self) -> u64 {
        self.core.snd_max
    }

    /// Segments known to have been delivered, each counted once: acknowledged, selectively
    /// acknowledged, or told of by a duplicate ACK. The `linux` recovery counts needless copies too.
    pub fn delivered(&self) -> u64 {
        self.core.flight.delivered
    }

    /// Segments in flight, as the recovery counts them.
    pub fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.core)
    }

    /// True while losses are being repaired.
    pub fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub fn srtt(&self) -> Duration {
        self.core.rtt.srtt()
    }

    /// The retransmission timeout, back-off included.
    pub fn rto(&self) -> Duration {
        self.core.rtt.rto()
    }

    /// The round-trip time sample taken since this was last asked.
    pub fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.core.last_rtt()
    }

    /// Keep notes of why the window changes, for [`take_notes`](Self::take_notes).
    pub fn watch(&mut self) {
        self.core.watch();
    }

    /// The notes since this was last asked, the oldest first.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.core.take_notes()
    }
}
