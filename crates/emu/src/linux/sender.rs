//! The sending end of a connection: a socket that is filled, and looked at as it sends.

use std::io::{self, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::linger;
use nix::sys::socket::{getsockopt, setsockopt, sockopt};
use westwood_cc::{Duration, Instant};
use westwood_sim::{Application, FlowSpec, Histogram, Notes, Point, Probes, Record};
use westwood_tcp::Note;

use super::estimates::SocketEstimates;
use super::feeding::feed;
use super::run_clock::RunClock;
use super::tcp_info::{ConnectionInfo, HostCounters, TcpState};
use crate::namespace::Namespace;
use crate::privileges::{SchedulingRank, be_punctual};

/// The interval at which a connection is polled.
const SAMPLES_EVERY: Duration = Duration::from_millis(2);

/// The task of a sender.
pub(super) struct SenderTask<'a> {
    pub(super) flow: usize,
    pub(super) namespace: &'a Namespace,
    pub(super) to: SocketAddr,
    /// The controller that the connection must have.
    pub(super) controller: &'a str,
    /// When it is asked for.
    pub(super) begin: Instant,
    /// When the connection had opened.
    pub(super) opened: &'a OnceLock<Instant>,
    pub(super) filling: SendPattern<'a>,
    /// The bytes that the receiver has got so far.
    pub(super) delivered: &'a AtomicU64,
    pub(super) probes: Probes,
    pub(super) estimates: Option<SocketEstimates<'a>>,
}

/// The way in which a connection gets its data.
#[derive(Clone, Copy)]
pub(super) enum SendPattern<'a> {
    /// It always has something to send, so much in all if that is given.
    Full(Option<u64>),
    /// The writes of its application, in segments of this size: the flow, and the seed of the run.
    Fed(&'a FlowSpec, u64, usize),
}

/// The totals of a sender.
#[derive(Clone, Debug, Default)]
pub(super) struct SenderTotals {
    /// Transfers begun, over the whole run.
    pub(super) begun: u64,
    /// Transfers refused because too many were open.
    pub(super) refused: u64,
    /// Between warm-up and end.
    pub(super) segments: u64,
    pub(super) retransmitted: u64,
    pub(super) delivered_bytes: u64,
    pub(super) host_limited: Duration,
    pub(super) counters: HostCounters,
    /// Smoothed round-trip times, sampled at even intervals after the warm-up.
    pub(super) rtts: Histogram,
    pub(super) records: Vec<Record>,
}

impl SenderTotals {
    /// Adds the totals of one connection of many.
    pub(super) fn add(&mut self, one: &Self) {
        self.segments += one.segments;
        self.retransmitted += one.retransmitted;
        self.host_limited += one.host_limited;
        self.rtts.merge(&one.rtts);
    }
}

/// The counters of a flow at one time.
#[derive(Clone, Copy, Debug, Default)]
struct Snapshot {
    segments: u64,
    retransmitted: u64,
    delivered: u64,
    host_limited: Duration,
    host: HostCounters,
}

impl SenderTask<'_> {
    /// Sends, in the calling thread, which moves to the client's host.
    pub(super) fn send(&self, ending: &RunClock) -> io::Result<SenderTotals> {
        self.namespace.join()?;
        // The writer inherits it.
        be_punctual(SchedulingRank::Second);
        ending.sleep_until(self.begin);
        let begun = u64::from(matches!(self.filling, SendPattern::Full(Some(_))));
        let Some(stream) = connect(self.to, self.controller, ending)? else {
            return Ok(SenderTotals { begun, ..SenderTotals::default() });
        };
        self.opened.get_or_init(|| ending.now());
        let writer = stream.try_clone()?;
        let sent = std::thread::scope(|scope| {
            let writing = scope.spawn(|| match self.filling {
                SendPattern::Full(bytes) => fill(writer, bytes, ending),
                SendPattern::Fed(flow, seed, segment) => {
                    feed(writer, Application::new(flow, seed), segment, ending)
                }
            });
            let watched = self.watch(&stream, ending);
            // Wakes the writer, which may wait for room.
            let _ = stream.shutdown(Shutdown::Both);
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            reset_when_closed(&stream)?;
            written.and(watched)
        })?;
        Ok(SenderTotals { begun, ..sent })
    }

    fn snapshot(&self, stream: &TcpStream) -> io::Result<Snapshot> {
        let info = ConnectionInfo::of(stream)?;
        Ok(Snapshot {
            segments: info.data_out(),
            retransmitted: info.retransmitted(),
            // A receiver reads in order only, and much at once when a hole is filled; but only it
            // knows how much segments carried that were not full.
            delivered: match self.filling {
                SendPattern::Full(None) => info.delivered_bytes(),
                SendPattern::Full(Some(_)) | SendPattern::Fed(..) => {
                    self.delivered.load(Ordering::Relaxed)
                }
            },
            host_limited: info.host_limited(),
            host: HostCounters::read()?,
        })
    }

    fn watch(&self, stream: &TcpStream, ending: &RunClock) -> io::Result<SenderTotals> {
        let mut seen = LastRecorded::default();
        let mut sent = SenderTotals::default();
        let mut before = None;
        let mut next = ending.now();
        while !ending.is_over() {
            let now = ending.now();
            if before.is_none() && now >= ending.warmup() {
                before = Some(self.snapshot(stream)?);
            }
            let info = ConnectionInfo::of(stream)?;
            if before.is_some() && !info.srtt().is_zero() {
                sent.rtts.add(info.srtt());
            }
            self.record(now, stream, &info, &mut seen, &mut sent.records);
            next += SAMPLES_EVERY;
            let first_mark = if before.is_none() { ending.warmup() } else { Instant::FAR_FUTURE };
            ending.sleep_until(next.max(now).min(first_mark).min(ending.end()));
        }
        let after = self.snapshot(stream)?;
        let before = before.unwrap_or(after);
        sent.segments = after.segments - before.segments;
        sent.retransmitted = after.retransmitted - before.retransmitted;
        sent.delivered_bytes = after.delivered - before.delivered;
        sent.host_limited = after.host_limited - before.host_limited;
        sent.counters = after.host.since(before.host);
        Ok(sent)
    }

    /// Records the changed values that the probes ask for.
    fn record(
        &self,
        at: Instant,
        stream: &TcpStream,
        info: &ConnectionInfo,
        seen: &mut LastRecorded,
        records: &mut Vec<Record>,
    ) {
        let flow = self.flow;
        let cause = match (seen.state, info.state()) {
            (before, now) if before == Some(now) => None,
            (_, TcpState::Recovery) => Notes::of(&[Note::FastRecovery]),
            (_, TcpState::Loss) => Notes::of(&[Note::TimedOut]),
            (_, TcpState::Calm) => None,
        };
        seen.state = Some(info.state());
        let due = seen.at.is_none_or(|last| at.since(last) >= self.probes.interval);
        if !due && cause.is_none() {
            return;
        }
        seen.at = Some(at);
        let mut push = |what| records.push(Record { at, what });
        if self.probes.windows {
            let (cwnd, ssthresh) = (info.cwnd(), info.ssthresh());
            let bwe = self.estimates.and_then(|bwe_of| bwe_of(stream.as_fd()));
            push(Point::Window { flow, cwnd, ssthresh, bwe, cause });
        }
        if self.probes.rtts && !info.srtt().is_zero() {
            push(Point::Rtt { flow, rtt: info.srtt() });
        }
        if self.probes.delivered {
            push(Point::Delivered { flow, bytes: self.delivered.load(Ordering::Relaxed) });
        }
    }
}

/// The values recorded last.
#[derive(Clone, Copy, Debug, Default)]
struct LastRecorded {
    at: Option<Instant>,
    state: Option<TcpState>,
}

/// Opens a connection with this controller; none if the run was over before the handshake was.
pub(super) fn connect(
    to: SocketAddr,
    controller: &str,
    ending: &RunClock,
) -> io::Result<Option<TcpStream>> {
    let left = ending.left();
    if left.is_zero() || ending.is_over() {
        return Ok(None);
    }
    let stream = match TcpStream::connect_timeout(&to, left) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(None),
        connected => connected?,
    };
    let has = getsockopt(&stream, sockopt::TcpCongestion)?;
    if has != controller {
        let what = format!("its controller is {}, not {controller}", has.display());
        return Err(io::Error::other(what));
    }
    Ok(Some(stream))
}

/// Without that the kernel would try for minutes to end a connection over a path that is gone, and keep
/// its controller as long.
pub(super) fn reset_when_closed(stream: &TcpStream) -> io::Result<()> {
    Ok(setsockopt(stream, sockopt::Linger, &linger { l_onoff: 1, l_linger: 0 })?)
}

/// Writes until all is written or the run is over.
fn fill(mut stream: TcpStream, bytes: Option<u64>, ending: &RunClock) -> io::Result<()> {
    const BLOCK: usize = 1 << 17;
    let block = vec![0; BLOCK];
    let mut left = bytes.unwrap_or(u64::MAX);
    while left > 0 && !ending.is_over() {
        let len = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
        match stream.write(&block[..len]) {
            Ok(n) => left -= n as u64,
            // The end of the run closes the connection under its writer.
            Err(_) if ending.is_over() => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
