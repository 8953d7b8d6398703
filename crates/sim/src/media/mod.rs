//! Interactive media: frames in datagrams, at a rate that adapts to the path.
//!
//! ```text
//! camera --frames--> sender --datagrams--> receiver --frames--> screen
//!                      ^                      |
//!                      +------ reports -------+
//! ```
//!
//! The source stands for a video call: a frame at regular times, of as many bytes as the encoder's rate
//! allows, which NADA (RFC 8698) sets from the delay and the losses that the receiver reports. It is the
//! victim that RFC 9743 section 5.2.2 asks about, and kept simple:
//!
//! * All frames of a rate have the same size: neither key frames nor a lively scene.
//! * The encoder follows its rate at once, from one frame to the next.
//! * A frame's datagrams are of equal size and leave 2.5 times as fast as the rate: WebRTC's pacing.
//! * Nothing is sent again. A frame counts as delivered when its last datagram arrives.
//!
//! | module | contents |
//! |---|---|
//! | `nada` | the controller: what the receiver makes of arrivals, and the sender of reports |
//! | `loss_interval` | the average loss interval (RFC 5348 section 5.4) |
//! | `frames` | which datagrams make which frame, and how long they took |

mod frames;
mod loss_interval;
mod nada;

use std::collections::VecDeque;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use frames::Frames;
use nada::{NadaReceiver, ReferenceRate, Report};

pub use frames::FrameOutcome;

/// The time between two reports: DELTA of RFC 8698.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The size of a report on the wire: an IP and a UDP header, and RTCP's with three numbers.
pub(crate) const REPORT_SIZE: Bytes = Bytes::new(56);

/// A media source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediaSpec {
    /// RMIN: the rate of the poorest picture, with which it begins; on the wire.
    pub min_rate: Rate,
    /// RMAX: the rate of the best picture, on the wire.
    pub max_rate: Rate,
    /// Frames a second, 1 to 1000.
    pub fps: u32,
    /// The largest datagram on the wire.
    pub packet: Bytes,
}

impl MediaSpec {
    /// The first field out of range, if any is.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        if self.min_rate.is_zero() || self.min_rate > self.max_rate {
            Some("the least rate must be positive and at most the largest")
        } else if !(1..=1000).contains(&self.fps) {
            Some("frames a second must be within 1 to 1000")
        } else if self.packet == Bytes::ZERO {
            Some("a datagram must have at least one byte")
        } else {
            None
        }
    }

    /// The time from one frame to the next.
    pub(crate) fn frame_interval(&self) -> Duration {
        Duration::from_secs(1) / u64::from(self.fps.max(1))
    }
}

/// A datagram of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MediaPacket {
    pub(crate) number: u64,
    pub(crate) size: Bytes,
}

/// A media flow at work: both its ends.
#[derive(Debug)]
pub(crate) struct MediaFlow {
    spec: MediaSpec,
    rate: ReferenceRate,
    /// The number of the next datagram.
    next_number: u64,
    /// Datagrams of the present frame that have not been sent: how many, of what size.
    waiting: u64,
    size: Bytes,
    /// When the next of them is due, and the time between two.
    send_at: Instant,
    gap: Duration,
    frames: Frames,
    observer: NadaReceiver,
    /// When the next report is due: never before the first arrival.
    report_at: Instant,
    /// Reports under way, by number.
    reports: VecDeque<(u64, Report)>,
    next_report: u64,
}

impl MediaFlow {
    /// Frames count that are captured at `warmup` or later.
    pub(crate) fn new(spec: &MediaSpec, warmup: Instant) -> Self {
        Self {
            spec: *spec,
            rate: ReferenceRate::new(spec.min_rate, spec.max_rate),
            next_number: 0,
            waiting: 0,
            size: Bytes::ZERO,
            send_at: Instant::FAR_FUTURE,
            gap: Duration::ZERO,
            frames: Frames::new(warmup),
            observer: NadaReceiver::default(),
            report_at: Instant::FAR_FUTURE,
            reports: VecDeque::new(),
            next_report: 0,
        }
    }

    // --- The sender.

    /// The camera yields a frame.
    pub(crate) fn capture(&mut self, now: Instant) {
        let interval = self.spec.frame_interval();
        let bytes = (self.rate.get() * interval).get().max(1);
        // The rest of the frame before leaves with this one.
        let count = bytes.div_ceil(self.spec.packet.get());
        self.frames.begin(now, self.next_number + self.waiting, count);
        self.size = Bytes::new(bytes.div_ceil(count));
        self.waiting += count;
        self.gap = interval * 2 / (5 * count);
        self.send_at = self.send_at.min(now);
    }

    /// When the next datagram is due.
    pub(crate) fn send_at(&self) -> Instant {
        self.send_at
    }

    /// The datagram that is due at `now`, if one is.
    pub(crate) fn send(&mut self, now: Instant) -> Option<MediaPacket> {
        if self.send_at > now {
            return None;
        }
        let packet = MediaPacket { number: self.next_number, size: self.size };
        self.next_number += 1;
        self.waiting -= 1;
        self.send_at = if self.waiting == 0 { Instant::FAR_FUTURE } else { now + self.gap };
        Some(packet)
    }

    /// A report comes back.
    pub(crate) fn on_report(&mut self, now: Instant, number: u64) {
        while let Some((first, report)) = self.reports.pop_front() {
            if first > number {
                // It has been overtaken.
                return self.reports.push_front((first, report));
            }
            if first == number {
                return self.rate.on_report(now, &report);
            }
        }
    }

    // --- The receiver.

    /// A datagram arrives that was sent at `sent_at`.
    pub(crate) fn on_packet(&mut self, now: Instant, packet: MediaPacket, sent_at: Instant) {
        self.frames.on_packet(now, packet.number);
        self.observer.on_packet(now, packet, sent_at);
        if self.report_at == Instant::FAR_FUTURE {
            self.report_at = now + REPORT_INTERVAL;
        }
    }

    /// When the next report is due.
    pub(crate) fn report_at(&self) -> Instant {
        self.report_at
    }

    /// The number of the report that is due at `now`, if one is. Without an arrival for LOGWIN there is
    /// nothing to report, until the next.
    pub(crate) fn report(&mut self, now: Instant) -> Option<u64> {
        if self.report_at > now {
            return None;
        }
        self.report_at = Instant::FAR_FUTURE;
        let report = self.observer.report(now)?;
        self.report_at = now + REPORT_INTERVAL;
        let number = self.next_report;
        self.next_report += 1;
        self.reports.push_back((number, report));
        Some(number)
    }

    /// The frames so far.
    pub(crate) fn outcome(self) -> FrameOutcome {
        self.frames.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> MediaSpec {
        MediaSpec {
            min_rate: Rate::from_bits_per_s(600_000),
            max_rate: Rate::from_bits_per_s(2_400_000),
            fps: 25,
            packet: Bytes::new(1200),
        }
    }

    fn at_us(us: u64) -> Instant {
        Instant::from_nanos(1_000 * us)
    }

    #[test]
    fn a_frame_leaves_in_equal_datagrams_two_and_a_half_times_as_fast_as_its_rate() {
        let mut media = MediaFlow::new(&spec(), Instant::ZERO);
        media.capture(Instant::ZERO);
        // 600 kbit/s x 40 ms are 3000 bytes: three datagrams in 16 ms.
        let mut sent = Vec::new();
        for us in (0..40_000).step_by(100) {
            sent.extend(media.send(at_us(us)).map(|packet| (us, packet.size.get())));
        }
        assert_eq!(sent, [(0, 1000), (5_400, 1000), (10_800, 1000)]);
        assert_eq!(media.send_at(), Instant::FAR_FUTURE);
    }

    #[test]
    fn reports_come_every_100_ms_from_the_first_arrival_on() {
        let mut media = MediaFlow::new(&spec(), Instant::ZERO);
        assert_eq!(media.report_at(), Instant::FAR_FUTURE);
        let packet = |number| MediaPacket { number, size: Bytes::new(1000) };
        media.on_packet(at_us(50_000), packet(0), Instant::ZERO);
        assert_eq!(media.report_at(), at_us(150_000));
        media.on_packet(at_us(60_000), packet(1), at_us(10_000));
        assert_eq!(media.report(at_us(149_999)), None);
        assert_eq!(media.report(at_us(150_000)), Some(0));
        assert_eq!(media.report_at(), at_us(250_000));
    }

    #[test]
    fn a_report_that_was_overtaken_is_not_read() {
        let mut media = MediaFlow::new(&spec(), Instant::ZERO);
        let packet = |number| MediaPacket { number, size: Bytes::new(1000) };
        for n in 0..20 {
            media.on_packet(at_us(50_000 + 10_000 * n), packet(n), at_us(10_000 * n));
        }
        let reports = [media.report(at_us(240_000)), media.report(at_us(340_000))];
        assert_eq!(reports, [Some(0), Some(1)]);
        media.on_report(at_us(400_000), 1);
        let after = media.rate.get();
        media.on_report(at_us(410_000), 0);
        assert_eq!(media.rate.get(), after);
    }
}
