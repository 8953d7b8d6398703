//! The sender: [`Sender`] for users, [`Core`] for recoveries.
//!
//! | module | says | rules |
//! |---|---|---|
//! | `core` | window, flight, timer; the order of an ACK's steps | RFC 5681, 6298, 3168 |
//! | `burst` | several segments that leave at once | |
//! | `departures` | when segments left, delivery-rate samples | draft-cheng-iccrg-delivery-rate-estimation |
//! | `flight` | segments sent and not acknowledged | |
//! | `host_queue` | segments that wait in the host | Linux's fq |
//! | `note` | why the window changed | |
//! | `pacer` | when the next segment may leave | `tcp_update_pacing_rate` |
//! | `send_buffer` | the application's data in segments | |
//! | `write_queue` | what the application has written | `tcp_sndbuf_expand`, `tcp_check_space` |
//! | `window_usage` | whether the window limited the sender | Linux's rule; RFC 7661 |

mod burst;
mod core;
mod departures;
mod flight;
mod host_queue;
mod note;
mod pacer;
mod send_buffer;
mod window_usage;
mod write_queue;

pub use self::burst::Burst;
pub(crate) use self::burst::NextSend;
pub use self::core::SenderCounts;
pub(crate) use self::core::{Core, Growth, LossVerdict, ProcessedAck};
#[cfg(test)]
pub(crate) use self::flight::touched;
use host_queue::HostQueue;
pub use note::{Note, Signal};
pub(crate) use window_usage::is_cwnd_limited;

use std::sync::Arc;

use westwood_cc::controllers::AnyController;
use westwood_cc::estimate::{EstimatorKind, EstimatorKinds};
use westwood_cc::{Bytes, Duration, Instant, Rate, Window};

use crate::config::{Config, Pacing};
use crate::recovery::AnyRecovery;
use crate::segment::{AckSegment, DataSegment};

/// A TCP sender as a state machine.
///
/// Feed it data ([`supply`](Self::supply)), ACKs ([`on_ack`](Self::on_ack)) and the time
/// ([`on_timer`](Self::on_timer)); after each, take the segments to send with
/// [`transmit`](Self::transmit) until there are no more.
///
/// ```
/// use westwood_cc::controller::Setup;
/// use westwood_cc::controllers::Choice;
/// use westwood_cc::{Bytes, Instant, Segments};
/// use westwood_tcp::{Config, Sender};
///
/// let config = Config { initial_window: Segments::new(3), ..Config::default() };
/// let setup = Setup {
///     smss: Bytes::new(1500),
///     initial_window: Segments::new(3),
///     seed: 1,
///     handshake_rtt: None,
///     paced: false,
/// };
/// let reno = Choice::named("reno").expect("in the catalog").build(&setup);
/// let mut sender = Sender::new(&config, reno);
/// sender.supply_forever();
/// let mut sent = 0;
/// while let Some(burst) = sender.transmit(Instant::ZERO) {
///     sent += burst.count;
/// }
/// assert_eq!(sent, 3);
/// ```
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    recovery: AnyRecovery,
    /// Segments chosen ahead of their departure, if pacing does so. Before what serves losses alone: every
    /// ACK asks whether there is one.
    host: Option<Box<HostQueue>>,
    core: Core,
}

impl Sender {
    /// A sender without data to send.
    pub fn new(config: &Config, controller: AnyController) -> Self {
        Self::sharing(&Arc::new(*config), controller)
    }

    /// A sender without data to send, whose settings are in memory once for all connections that have the
    /// same.
    pub fn sharing(config: &Arc<Config>, controller: AnyController) -> Self {
        Self {
            core: Core::new(config, controller),
            recovery: AnyRecovery::new(config),
            host: (config.pacing == Pacing::Fq).then(Box::default),
        }
    }

    /// The application's data never ends.
    pub fn supply_forever(&mut self) {
        self.supply_segments(u64::MAX);
    }

    /// There are `bytes` to send in all, counted from the start. Never takes back what was sent.
    pub fn supply(&mut self, bytes: Bytes) {
        self.recovery.note_write(&mut self.core);
        self.core.supply(bytes);
    }

    /// There are `segments` segments to send in all, counted from the start, the new ones full.
    pub fn supply_segments(&mut self, segments: u64) {
        self.recovery.note_write(&mut self.core);
        self.core.supply_segments(segments);
    }

    /// A proxy has read `bytes` in all, counted from the start, and there will be no more if it `ends`
    /// there. A last piece that does not fill a segment waits while data is outstanding. True if there is
    /// more to send than before.
    pub fn supply_relayed(&mut self, bytes: Bytes, ends: bool) -> bool {
        self.recovery.note_write(&mut self.core);
        self.core.supply_relayed(bytes, ends)
    }

    /// Payload that the application has written, which it can do as far as the send buffer has room.
    pub fn written_bytes(&self) -> Bytes {
        self.core.written_bytes()
    }

    /// Payload that has been acknowledged in order.
    pub fn acknowledged_bytes(&self) -> Bytes {
        self.core.acknowledged_bytes()
    }

    /// The application stops: no new data leaves until it supplies more.
    pub fn hold(&mut self) {
        self.core.supply_segments(self.core.written());
    }

    /// An ACK arrives. One beyond [`snd_max`](Self::snd_max) is ignored (RFC 9293, 3.10.7.4).
    pub fn on_ack(&mut self, now: Instant, ack: &AckSegment) {
        if ack.ack > self.core.snd_max() {
            return;
        }
        if self.core.has_extensions() {
            let is_update = self.core.read_options(now, ack);
            if is_update || self.core.on_partial_segment_ack(now, ack, &self.recovery) {
                return;
            }
        }
        self.core.take_ack(&mut self.recovery, now, ack);
        if self.core.has_spared_window() {
            self.core.reduce_if_not_damaged(now, ack, self.recovery.in_recovery());
        }
        self.core.update_pace();
    }

    /// Runs shadow estimators of these kinds on the controller's ACKs, from now on. Nothing depends on
    /// them.
    pub fn estimate(&mut self, kinds: EstimatorKinds) {
        self.core.estimate(kinds);
    }

    /// The shadow estimates, in the order of their kinds.
    pub fn estimates(&self) -> impl Iterator<Item = (EstimatorKind, Rate)> + '_ {
        self.core.estimates()
    }

    /// The time of [`deadline`](Self::deadline) has come.
    pub fn on_timer(&mut self, now: Instant) {
        if now >= self.recovery.deadline() {
            self.recovery.on_deadline(&mut self.core, now);
        }
        if now >= self.core.rto_deadline() {
            if self.core.is_probing() {
                self.core.on_probe_timer(now);
            } else if self.core.outstanding() == 0 && self.core.is_closed_by_mark() {
                // `open_after_mark` opens the window for the next segment.
                self.core.set_rto(Instant::FAR_FUTURE);
            } else {
                self.recovery.on_rto(&mut self.core, now);
            }
        }
    }

    /// The next segments to send now, if any. Ask until there are none, or a burst is the
    /// [last](Burst::is_last).
    #[expect(clippy::inline_always, reason = "inlined, its answer stays in registers")]
    #[inline(always)]
    pub fn transmit(&mut self, now: Instant) -> Option<Burst> {
        if self.core.sends_by_window_alone() {
            self.recovery.transmit(&mut self.core, now)
        } else {
            self.transmit_one(now)
        }
    }

    /// The next segments, where more has to be asked: of pacing, of the host, of its buffers.
    #[inline(never)]
    fn transmit_one(&mut self, now: Instant) -> Option<Burst> {
        if self.host.is_some() {
            return self.transmit_from_host(now).map(Burst::of_one);
        }
        if self.core.next_departure() > now {
            self.defer(now);
            // A closed window's timer need not wait: no segment is to come that would start it.
            return self.core.probe_window(now).map(Burst::of_one);
        }
        let mut burst = self.choose(now)?;
        if self.core.next_departure() > now {
            self.defer(now);
            burst.is_last = true;
        }
        Some(burst)
    }

    /// Pacing holds the next segment back.
    #[inline]
    fn defer(&mut self, now: Instant) {
        self.core.open_after_mark(now);
        let next = self.core.next_departure();
        self.recovery.on_deferred(&self.core, next);
        if self.core.has_extensions() {
            // The application need not wait until the next segment may leave.
            let in_flight = self.recovery.in_flight(&self.core);
            self.core.refill(in_flight);
            self.core.note_limit(now, next, in_flight);
        }
    }

    /// The recovery's choice. If there is none, buffers may have room.
    #[inline]
    fn choose(&mut self, now: Instant) -> Option<Burst> {
        let burst = self.recovery.transmit_next(&mut self.core, now);
        if self.core.has_extensions() { self.refill(now, burst) } else { burst }
    }

    /// New data that leaves lets the send buffer grow. If nothing more may leave, the application writes as
    /// far as the buffer allows, and the recovery chooses from that; a closed window is probed.
    #[inline(never)]
    fn refill(&mut self, now: Instant, chosen: Option<Burst>) -> Option<Burst> {
        if let Some(burst) = chosen {
            if !burst.segment.retransmission {
                // The first of them finds the most room in the window. There may be fewer in flight than left
                // in this burst: duplicates may tell of more than is outstanding.
                let behind = burst.count - 1;
                let in_flight = self.recovery.in_flight(&self.core).saturating_sub(behind);
                self.core.note_new_data(in_flight);
            }
            self.core.note_no_limit(now);
            if burst.is_last {
                // The window is full: what the application writes waits for the next ACK.
                let in_flight = self.recovery.in_flight(&self.core);
                while self.core.refill(in_flight) {}
            }
            return Some(burst);
        }
        let mut in_flight = self.recovery.in_flight(&self.core);
        while self.core.refill(in_flight) {
            let burst = self.recovery.transmit_next(&mut self.core, now);
            if burst.is_some() {
                self.core.note_no_limit(now);
                return burst;
            }
            in_flight = self.recovery.in_flight(&self.core);
        }
        self.core.note_limit(now, now, in_flight);
        self.core.probe_window(now).map(Burst::of_one)
    }

    /// Fills the host's queue and takes from it the segment that is due.
    fn transmit_from_host(&mut self, now: Instant) -> Option<DataSegment> {
        loop {
            let (rate, payload) = (self.core.pacing_rate(), self.core.config().sizes.payload);
            let host = self.host.as_ref()?;
            if !host.has_space(rate, payload) {
                if self.recovery.has_next(&self.core) {
                    self.recovery.on_deferred(&self.core, host.next());
                }
                break;
            }
            let Some(burst) = self.choose(now) else { break };
            self.host.as_mut()?.push(burst.segment);
        }
        self.host.as_mut()?.pop(now)
    }

    /// When [`on_timer`](Self::on_timer) and [`transmit`](Self::transmit) are due next;
    /// [`Instant::FAR_FUTURE`] for never.
    #[inline]
    pub fn deadline(&self) -> Instant {
        let timers = self.core.rto_deadline().min(self.recovery.deadline());
        if self.core.in_bursts() {
            return timers;
        }
        if let Some(host) = &self.host {
            timers.min(host.next())
        } else if self.core.is_paced() && self.recovery.has_next(&self.core) {
            timers.min(self.core.next_departure())
        } else {
            timers
        }
    }

    /// True once all that was supplied has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.core.is_done()
    }

    /// The window in force, without inflation.
    pub fn window(&self) -> Window {
        self.core.window()
    }

    /// The bandwidth estimate, if the controller keeps one.
    pub fn bwe(&self) -> Option<Rate> {
        self.core.bwe()
    }

    /// The controller, for whoever steers it between two events.
    pub fn controller_mut(&mut self) -> &mut AnyController {
        self.core.controller_mut()
    }

    /// The counters since the start.
    pub fn counts(&self) -> SenderCounts {
        self.core.counts()
    }

    /// The counters since the start, with the time in which a buffer limits counted up to `now` and not
    /// up to the latest event.
    pub fn counts_by(&self, now: Instant) -> SenderCounts {
        let counts = self.counts();
        let host_limited = counts.host_limited + self.core.limited_meanwhile(now);
        SenderCounts { host_limited, ..counts }
    }

    /// The oldest segment not acknowledged.
    pub fn snd_una(&self) -> u64 {
        self.core.snd_una()
    }

    /// One beyond the highest segment sent: SND.NXT in RFC 9293. (A recovery that goes back after a
    /// timeout keeps a `snd_nxt` of its own.)
    pub fn snd_max(&self) -> u64 {
        self.core.snd_max()
    }

    /// Segments known to have been delivered, each counted once: acknowledged, selectively
    /// acknowledged, or reported by a duplicate ACK. The `linux` recovery counts needless copies too, and
    /// nothing that an overtaken ACK reports.
    pub fn delivered(&self) -> u64 {
        self.core.flight().delivered()
    }

    /// Those of them whose marks ACKs told of.
    pub fn delivered_ce(&self) -> u64 {
        self.core.delivered_ce()
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
        self.core.srtt()
    }

    /// The retransmission timeout, back-off included.
    pub fn rto(&self) -> Duration {
        self.core.rto()
    }

    /// The round-trip time sample taken since this was last asked.
    pub fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.core.take_rtt_sample()
    }

    /// Keeps notes of why the window changes, for [`take_notes`](Self::take_notes).
    pub fn watch(&mut self) {
        self.core.watch();
    }

    /// True if there are notes to be [taken](Self::take_notes).
    #[inline]
    pub fn has_notes(&self) -> bool {
        self.core.has_notes()
    }

    /// The notes since this was last asked, the oldest first.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.core.take_notes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;
    use westwood_cc::Segments;
    use westwood_cc::controller::Setup;
    use westwood_cc::controllers::Choice;

    use super::*;
    use crate::buffers::{BufferSizes, Buffers};
    use crate::config::Recovery;
    use crate::receiver::Receiver;

    fn idle(controller: &str, config: &Config) -> Sender {
        let setup = Setup {
            smss: Bytes::new(1500),
            initial_window: config.initial_window,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        Sender::new(config, Choice::named(controller).expect("in the catalog").build(&setup))
    }

    /// One that takes samples of the delivery rate.
    fn bbr(config: &Config) -> Sender {
        idle("bbr", config)
    }

    fn sender(config: &Config) -> Sender {
        let mut sender = idle("reno", config);
        // The last segment is short.
        sender.supply(Bytes::new(300 * 1500 - 700));
        sender
    }

    /// Send buffers that begin and end with so many KiB, and a receive buffer beside.
    fn buffers((initial, max): (u32, u32)) -> Buffers {
        let sizes = Some(BufferSizes { min: 4 << 10, initial: initial << 10, max: max << 10 });
        Buffers { send: sizes, receive: sizes, ..Buffers::default() }
    }

    /// Loses and marks the segments that `fates` name, and compares two senders at every ACK: one sends
    /// bursts, the other segments.
    /// After all else `pieces` follow: so many segments more, after a pause of so many milliseconds.
    fn drive(
        config: &Config,
        [mut plain, mut timed]: [Sender; 2],
        fates: &[bool],
        pieces: &[(u64, u64)],
    ) {
        let mut pieces = pieces.iter();
        let mut fates = fates.iter().copied().chain(std::iter::repeat(false));
        let (mut receiver, mut now) = (Receiver::new(config), Instant::ZERO);
        let mut data = VecDeque::new();
        for _ in 0..3_000 {
            while let Some(burst) = plain.transmit(now) {
                for segment in burst.segments() {
                    assert_eq!(timed.transmit(now), Some(Burst::of_one(segment)));
                    data.push_back(segment);
                }
                if burst.is_last {
                    break;
                }
            }
            assert_eq!((plain.transmit(now), timed.transmit(now)), (None, None));
            assert_eq!(format!("{:?}", plain.counts()), format!("{:?}", timed.counts()));
            assert_eq!(
                (plain.window(), plain.deadline(), plain.in_flight(), plain.delivered()),
                (timed.window(), timed.deadline(), timed.in_flight(), timed.delivered())
            );
            now += Duration::from_millis(1);
            let lost = fates.next() == Some(true);
            let ack = match data.pop_front().filter(|_| !lost) {
                Some(segment) => receiver.on_data(now, &segment, fates.next() == Some(true)),
                None => receiver.on_timer(now),
            };
            if let Some(ack) = ack.filter(|_| fates.next() != Some(true)) {
                plain.on_ack(now, &ack);
                timed.on_ack(now, &ack);
            } else if data.is_empty() {
                now = now.max(plain.deadline().min(receiver.deadline()));
                plain.on_timer(now);
                timed.on_timer(now);
            }
            if plain.is_done() {
                let Some(&(more, pause)) = pieces.next() else { return };
                now += Duration::from_millis(pause);
                plain.supply_segments(plain.snd_max() + more);
                timed.supply_segments(timed.snd_max() + more);
            }
        }
    }

    #[test]
    fn new_data_that_fills_the_window_of_a_linux_sender_is_its_last_burst() {
        let config = Config { recovery: Recovery::Linux, ..Config::default() };
        for buffers in [Buffers::default(), buffers((256, 1024))] {
            let mut sender = idle("reno", &Config { buffers, ..config });
            sender.supply_forever();
            let burst = sender.transmit(Instant::ZERO).expect("new data");
            assert_eq!((burst.count, burst.is_last), (config.initial_window.whole(), true));
            assert_eq!(sender.transmit(Instant::ZERO), None);
        }
    }

    #[test]
    fn a_segment_behind_which_pacing_leaves_a_gap_is_the_last_burst() {
        let initial_window = Segments::new(20);
        let config = Config { recovery: Recovery::Linux, initial_window, ..Config::default() };
        let mut sender = bbr(&config);
        sender.supply_forever();
        let bursts = std::iter::from_fn(|| sender.transmit(Instant::ZERO));
        let last: Vec<bool> = bursts.map(|burst| burst.is_last).collect();
        assert_eq!(last, (1..=10).map(|n| n == 10).collect::<Vec<_>>());
        assert!(sender.deadline() > Instant::ZERO);
    }

    #[test]
    fn a_linux_sender_looks_whether_the_application_limits_it_only_when_that_writes() {
        let mut sender = bbr(&Config { recovery: Recovery::Linux, ..Config::default() });
        let mut now = Instant::ZERO;
        let mut step = |sender: &mut Sender, ack: u64| {
            now += Duration::from_millis(1);
            if ack > 0 {
                let options = crate::segment::AckOptions::NONE;
                sender
                    .on_ack(now, &AckSegment { ack, options, echo: None, ece: false, eln: false });
            }
            while sender.transmit(now).is_some() {}
            sender.core.flight().is_app_limited()
        };
        // The first write finds nothing unsent. The first delivery ends that, though nothing is left to send.
        sender.supply_segments(4);
        assert!(step(&mut sender, 0));
        assert!(!step(&mut sender, 1));
        assert!(!step(&mut sender, 4));
        sender.hold();
        assert!(!step(&mut sender, 0));
        // A write after everything has left limits until more than that is delivered.
        sender.supply_segments(100);
        assert!(step(&mut sender, 0));
        assert!(!step(&mut sender, 5));
        // One while the window keeps data back does not.
        sender.supply_segments(200);
        assert!(!step(&mut sender, 6));
    }

    #[test]
    fn a_connection_with_any_controller_takes_less_than_two_kilobytes() {
        // Ten thousand of them shall not fill a cache with unused fields.
        assert!(size_of::<Sender>() + size_of::<Receiver>() < 2_000);
    }

    proptest! {
        #[test]
        fn neither_bursts_nor_departures_kept_of_segments_change_what_is_sent(
            recovery in prop::sample::select(&Recovery::ALL[..]),
            (window, receive_window) in (1_u64..40, 5_u64..40),
            (ecn, timestamps, limited_transmit) in any::<(bool, bool, bool)>(),
            (cwnd_validation, idle_restart) in any::<(bool, bool)>(),
            sizes in prop::option::of((8_u32..64, 64_u32..256)),
            fates in prop::collection::vec(prop::bool::weighted(0.05), 400),
            pieces in prop::collection::vec((1_u64..20, 0_u64..100), 0..40),
        ) {
            let initial_window = Segments::new(window);
            let config = Config {
                recovery,
                initial_window,
                receive_window,
                limited_transmit,
                timestamps,
                ecn,
                cwnd_validation,
                idle_restart,
                buffers: sizes.map_or_else(Buffers::default, buffers),
                ..Config::default()
            };
            let (plain, mut timed) = (sender(&config), sender(&config));
            timed.core.keep_departures();
            drive(&config, [plain, timed], &fates, &pieces);
        }
    }
}
