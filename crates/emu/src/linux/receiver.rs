//! The receiving end of a connection: a socket that is read as fast as data comes.

use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration as Span;

use westwood_cc::Instant;
use westwood_sim::{Completion, Point, Probes, Record};

use super::run_clock::RunClock;
use super::tcp_info::ConnectionInfo;
use crate::privileges::{SchedulingRank, be_punctual};

/// The time for which a thread waits before it looks whether the run is over.
pub(super) const PIECE: Span = Span::from_millis(50);

/// The totals of a receiver.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverTotals {
    /// Data segments or datagrams that arrived, copies included.
    pub(super) segments: u64,
    /// The bytes that came after the warm-up, if only the receiver knows that.
    pub(super) measured_bytes: Option<u64>,
    /// Transfers whose last byte has come.
    pub(super) completions: Vec<Completion>,
    pub(super) records: Vec<Record>,
}

/// Counts the bytes of a flow that arrive, and records them.
#[derive(Debug)]
pub(super) struct ReceiverMeter {
    flow: usize,
    probes: Probes,
    recorded: Option<Instant>,
}

impl ReceiverMeter {
    pub(super) fn new(flow: usize, probes: Probes) -> Self {
        Self { flow, probes, recorded: None }
    }

    /// So many bytes have just come, `sum` in all.
    pub(super) fn add(&mut self, ending: &RunClock, bytes: u64, sum: u64, to: &mut ReceiverTotals) {
        let now = ending.now();
        if now >= ending.warmup() {
            to.measured_bytes = to.measured_bytes.map(|measured| measured + bytes);
        }
        let due = self.recorded.is_none_or(|last| now.since(last) >= self.probes.interval);
        if self.probes.delivered && due {
            self.recorded = Some(now);
            let what = Point::Delivered { flow: self.flow, bytes: sum };
            to.records.push(Record { at: now, what });
        }
    }
}

/// Reads one connection until the run is over; `delivered` follows the bytes read. If it is a transfer, it
/// takes its time from when its sender had `opened` it.
pub(super) fn receive(
    listener: &TcpListener,
    (opened, bytes): (&OnceLock<Instant>, Option<u64>),
    delivered: &AtomicU64,
    ending: &RunClock,
    awaited: bool,
) -> io::Result<ReceiverTotals> {
    be_punctual(SchedulingRank::Second);
    let Some(mut stream) = accept(listener, ending)? else { return Ok(ReceiverTotals::default()) };
    stream.set_read_timeout(Some(PIECE))?;
    let mut completions = Vec::new();
    let mut buffer = vec![0; 1 << 18];
    while !ending.is_over() {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                let sum = delivered.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
                if let Some(bytes) = bytes.filter(|n| completions.is_empty() && sum >= *n) {
                    let now = ending.now();
                    let start = opened.get().copied().unwrap_or(now);
                    completions.push(Completion { start, took: now.since(start), bytes });
                    if awaited {
                        ending.transfer_done();
                    }
                }
            }
            Err(error) if is_timeout(&error) => {}
            // The sender, whose run is over as well, has reset the connection.
            Err(_) if ending.is_over() => break,
            Err(error) => return Err(error),
        }
    }
    let segments = ConnectionInfo::of(&stream)?.data_in();
    Ok(ReceiverTotals { segments, completions, ..ReceiverTotals::default() })
}

/// The one connection that comes, unless the run is over before.
fn accept(listener: &TcpListener, ending: &RunClock) -> io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    while !ending.is_over() {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(Some(stream));
            }
            Err(error) if is_timeout(&error) => std::thread::sleep(Span::from_micros(200)),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Nothing has come or gone within the time for it.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

#[cfg(test)]
mod tests {
    use std::time::Instant as Clock;

    use westwood_cc::Duration;

    use super::super::sender::reset_when_closed;
    use super::*;

    #[test]
    fn a_connection_that_is_reset_after_the_end_of_the_run_has_not_failed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        // Shorter than a piece: the reset comes to a receiver that waits.
        let length = Duration::from_millis(20);
        let ending = RunClock::new(Clock::now(), Duration::ZERO, length, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let stream = TcpStream::connect(to).unwrap();
                ending.sleep_until(ending.end());
                reset_when_closed(&stream).unwrap();
            });
            let received =
                receive(&listener, (&OnceLock::new(), None), &AtomicU64::new(0), &ending, false);
            assert!(received.is_ok(), "{received:?}");
        });
    }
}
