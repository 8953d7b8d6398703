//! A connection for each of many transfers.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use westwood_cc::{Duration, Instant};
use westwood_sim::{Action, Application, Completion, Probes};

use super::receiver::{PIECE, ReceiverMeter, ReceiverTotals, is_timeout};
use super::run_clock::RunClock;
use super::sender::{SenderTotals, connect, reset_when_closed};
use super::tcp_info::{ConnectionInfo, HostCounters};
use crate::namespace::Namespace;
use crate::privileges::{SchedulingRank, be_punctual};

/// A transfer's threads need little of a stack.
const STACK: usize = 1 << 18;
/// The bytes written or read at once.
const BLOCK: usize = 1 << 16;

/// The transfers under way, by the sender's port, and those that are done.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    open: Mutex<BTreeMap<u16, (Instant, u64)>>,
    done: Mutex<Vec<Completion>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    fn begin(&self, port: u16, at: Instant, bytes: u64) {
        locked(&self.open).insert(port, (at, bytes));
    }

    /// The last of so many bytes has come.
    fn end(&self, port: u16, at: Instant, came: u64) {
        let begun = locked(&self.open).remove(&port);
        if let Some((start, bytes)) = begun.filter(|(_, bytes)| *bytes == came) {
            locked(&self.done).push(Completion { start, took: at.since(start), bytes });
        }
    }

    /// Those that are done, in the order of their ends.
    pub(super) fn completions(&self) -> Vec<Completion> {
        locked(&self.done).clone()
    }
}

/// The end that opens the connections.
pub(super) struct ConnectionOpener<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) to: SocketAddr,
    /// The controller that each must have.
    pub(super) controller: &'a str,
    /// No more than this many at the same time.
    pub(super) limit: usize,
    pub(super) application: Application<'a>,
    pub(super) ledger: &'a Ledger,
}

impl ConnectionOpener<'_> {
    /// Begins transfers until the run is over, in the calling thread, which moves to the client's host.
    pub(super) fn send(mut self, ending: &RunClock) -> io::Result<SenderTotals> {
        self.namespace.join()?;
        // The threads of transfers inherit it.
        be_punctual(SchedulingRank::Second);
        let all = Mutex::new(SenderTotals::default());
        let open = AtomicUsize::new(0);
        let (to, controller, ledger) = (self.to, self.controller, self.ledger);
        let mut before = None;
        let (mut begun, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            while !ending.is_over() {
                if before.is_none() && ending.now() >= ending.warmup() {
                    before = Some(HostCounters::read()?);
                }
                let mark = if before.is_none() { ending.warmup() } else { Instant::FAR_FUTURE };
                let due = self.application.next();
                ending.sleep_until(due.min(mark));
                if due > ending.now() || ending.is_over() {
                    continue;
                }
                let Some(Action::Spawn(bytes)) = self.application.on_wake(due) else { continue };
                if open.fetch_add(1, Ordering::Relaxed) >= self.limit {
                    open.fetch_sub(1, Ordering::Relaxed);
                    refused += 1;
                    continue;
                }
                begun += 1;
                let (all, open) = (&all, &open);
                let work = move || {
                    let done = transfer((to, controller), bytes.get(), ledger, ending);
                    open.fetch_sub(1, Ordering::Relaxed);
                    done.map(|of_one| locked(all).add(&of_one))
                };
                // A broken one is unfinished, as it would be for its user.
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
            }
            Ok::<(), io::Error>(())
        })?;
        let mut sent = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        sent.counters = before.map_or(Ok(sent.counters), |before| {
            HostCounters::read().map(|after| after.since(before))
        })?;
        (sent.begun, sent.refused) = (begun, refused);
        Ok(sent)
    }
}

/// One transfer, until the other end has closed, or the run is over.
fn transfer(
    (to, controller): (SocketAddr, &str),
    bytes: u64,
    ledger: &Ledger,
    ending: &RunClock,
) -> io::Result<SenderTotals> {
    let Some(mut stream) = connect(to, controller, ending)? else {
        return Ok(SenderTotals::default());
    };
    ledger.begin(stream.local_addr()?.port(), ending.now(), bytes);
    stream.set_write_timeout(Some(PIECE))?;
    stream.set_read_timeout(Some(PIECE))?;
    let block = vec![0; BLOCK];
    let mut left = bytes;
    while left > 0 && !ending.is_over() {
        let len = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
        match stream.write(&block[..len]) {
            Ok(n) => left -= n as u64,
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    stream.shutdown(Shutdown::Write)?;
    while !ending.is_over() {
        match stream.read(&mut [0]) {
            Ok(_) => break,
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    if ending.is_over() {
        reset_when_closed(&stream)?;
    }
    let mut sent = SenderTotals::default();
    if ending.now() >= ending.warmup() {
        let info = ConnectionInfo::of(&stream)?;
        (sent.segments, sent.retransmitted) = (info.data_out(), info.retransmitted());
        sent.host_limited = info.host_limited();
        if info.srtt() > Duration::ZERO {
            sent.rtts.add(info.srtt());
        }
    }
    Ok(sent)
}

/// Reads all connections that come until the run is over.
pub(super) fn receive(
    listener: &TcpListener,
    (flow, probes): (usize, Probes),
    delivered: &AtomicU64,
    (ledger, ending): (&Ledger, &RunClock),
) -> io::Result<ReceiverTotals> {
    be_punctual(SchedulingRank::Second);
    listener.set_nonblocking(true)?;
    let all = Mutex::new((
        ReceiverMeter::new(flow, probes),
        ReceiverTotals { measured_bytes: Some(0), ..ReceiverTotals::default() },
    ));
    std::thread::scope(|scope| {
        while !ending.is_over() {
            match listener.accept() {
                Ok((stream, from)) => {
                    let all = &all;
                    let work = move || read(stream, from.port(), delivered, all, (ledger, ending));
                    std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
                }
                Err(error) if is_timeout(&error) => {
                    let mut asked = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
                    poll(&mut asked, PollTimeout::try_from(PIECE).unwrap_or(PollTimeout::ZERO))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    })?;
    let (_, mut received) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    received.completions = ledger.completions();
    Ok(received)
}

/// Reads one connection to its end, or until the run is over. One that breaks is not completed.
fn read(
    mut stream: TcpStream,
    port: u16,
    delivered: &AtomicU64,
    all: &Mutex<(ReceiverMeter, ReceiverTotals)>,
    (ledger, ending): (&Ledger, &RunClock),
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PIECE))?;
    let mut block = vec![0; BLOCK];
    let (mut came, mut last) = (0, ending.now());
    while !ending.is_over() {
        match stream.read(&mut block) {
            Ok(0) => {
                ledger.end(port, last, came);
                break;
            }
            Ok(n) => {
                let bytes = n as u64;
                (came, last) = (came + bytes, ending.now());
                let sum = delivered.fetch_add(bytes, Ordering::Relaxed) + bytes;
                let (account, received) = &mut *locked(all);
                account.add(ending, bytes, sum, received);
            }
            Err(error) if is_timeout(&error) => {}
            // The sender, whose run is over as well, has reset the connection.
            Err(_) if ending.is_over() => break,
            Err(error) => return Err(error),
        }
    }
    locked(all).1.segments += ConnectionInfo::of(&stream)?.data_in();
    Ok(())
}
