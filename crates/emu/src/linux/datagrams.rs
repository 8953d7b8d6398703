//! Datagrams at their application's times, and their receiver, which counts them.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};

use westwood_sim::{Action, Application, Probes};

use super::receiver::{PIECE, ReceiverMeter, ReceiverTotals, is_timeout};
use super::run_clock::RunClock;
use super::sender::SenderTotals;
use crate::namespace::Namespace;
use crate::privileges::{SchedulingRank, be_punctual};

/// The bytes that IPv4 and UDP add to a datagram's payload (RFC 791 section 3.1, RFC 768).
pub(super) const HEADERS: u64 = 28;

/// A source of datagrams.
pub(super) struct DatagramSource<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) from: SocketAddr,
    pub(super) to: SocketAddr,
    /// Of each datagram.
    pub(super) payload: usize,
    pub(super) application: Application<'a>,
}

impl DatagramSource<'_> {
    /// Sends until the run is over, in the calling thread, which moves to the client's host.
    pub(super) fn send(mut self, ending: &RunClock) -> io::Result<SenderTotals> {
        self.namespace.join()?;
        be_punctual(SchedulingRank::Second);
        let socket = UdpSocket::bind(self.from)?;
        socket.connect(self.to)?;
        let block = vec![0; self.payload];
        let mut sent = SenderTotals::default();
        loop {
            ending.sleep_until(self.application.next());
            if ending.is_over() {
                return Ok(sent);
            }
            let due = self.application.next();
            let Some(Action::Datagram(_)) = self.application.on_wake(due) else { continue };
            match socket.send(&block) {
                Ok(_) if due >= ending.warmup() => sent.segments += 1,
                // Its receiver may be gone already when the run ends.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Counts what arrives until the run is over.
pub(super) fn receive(
    socket: &UdpSocket,
    (flow, probes): (usize, Probes),
    delivered: &AtomicU64,
    ending: &RunClock,
) -> io::Result<ReceiverTotals> {
    be_punctual(SchedulingRank::Second);
    socket.set_read_timeout(Some(PIECE))?;
    let mut block = vec![0; usize::from(u16::MAX)];
    let mut account = ReceiverMeter::new(flow, probes);
    let mut received = ReceiverTotals { measured_bytes: Some(0), ..ReceiverTotals::default() };
    while !ending.is_over() {
        match socket.recv(&mut block) {
            Ok(n) => {
                received.segments += 1;
                let bytes = n as u64 + HEADERS;
                let sum = delivered.fetch_add(bytes, Ordering::Relaxed) + bytes;
                account.add(ending, bytes, sum, &mut received);
            }
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(received)
}
