//! Traffic beside the transfers: datagrams at a constant rate, on and off.
//!
//! They go to the server's discard port (RFC 863). No listener is needed there: the datagrams load
//! the path up to the server.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

const DISCARD: u16 = 9;
/// Bytes in a datagram.
const PAYLOAD: usize = 1_000;
/// IPv4's and UDP's headers, in bytes: rates count them.
const HEADERS: u64 = 28;
/// The longest sleep, after which it looks whether to stop.
const NAP: Duration = Duration::from_millis(50);

/// Constant-rate traffic that is on and off in turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// Its rate while it is on, IP headers included, in bits a second.
    pub rate_bps: u64,
    /// The length of an on phase.
    pub on_ms: u64,
    /// The length of an off phase; 0 if there is none.
    pub off_ms: u64,
}

/// Background traffic that runs until it is dropped.
#[derive(Debug)]
pub struct RunningBackground {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Begins to send to a host.
    pub fn start(self, to: IpAddr) -> io::Result<RunningBackground> {
        let own: IpAddr = match to {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((own, 0))?;
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (told, counts) = (Arc::clone(&stop), Arc::clone(&sent));
        let to = SocketAddr::new(to, DISCARD);
        let thread =
            thread::Builder::new().spawn(move || self.send(&socket, to, &told, &counts))?;
        Ok(RunningBackground { stop, sent, thread: Some(thread) })
    }

    fn send(self, socket: &UdpSocket, to: SocketAddr, stop: &AtomicBool, sent: &AtomicU64) {
        let began = Instant::now();
        let datagram = [0_u8; PAYLOAD];
        for number in 0.. {
            let due = self.due(number);
            loop {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let left = due.saturating_sub(began.elapsed());
                if left.is_zero() {
                    break;
                }
                thread::sleep(left.min(NAP));
            }
            // A datagram that the host has no room for is lost like any other.
            if socket.send_to(&datagram, to).is_ok() {
                sent.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The time at which the datagram of this number is due.
    fn due(self, number: u64) -> Duration {
        let bits = (PAYLOAD as u64 + HEADERS) * 8;
        let nanos = u128::from(number) * u128::from(bits) * 1_000_000_000;
        let nanos = nanos / u128::from(self.rate_bps.max(1));
        let on = u128::from(self.on_ms.max(1)) * 1_000_000;
        let turns = nanos / on;
        let off = u128::from(self.off_ms) * 1_000_000;
        Duration::from_nanos(u64::try_from(nanos + turns * off).unwrap_or(u64::MAX))
    }
}

impl RunningBackground {
    /// Datagrams sent so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Drop for RunningBackground {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_are_due_at_the_rate_while_on_and_not_while_off() {
        // 8224 bits each: 100 a second.
        let background = Background { rate_bps: 822_400, on_ms: 1_000, off_ms: 4_000 };
        let due = [0, 1, 99, 100, 199, 200].map(|n| background.due(n).as_millis());
        assert_eq!(due, [0, 10, 990, 5_000, 5_990, 10_000]);
        let always = Background { off_ms: 0, ..background };
        assert_eq!(always.due(250).as_millis(), 2_500);
    }

    #[test]
    fn it_sends_to_who_does_not_listen_until_it_is_dropped() {
        let background = Background { rate_bps: 8_224_000, on_ms: 1_000, off_ms: 0 };
        let running = background.start(Ipv4Addr::LOCALHOST.into()).unwrap();
        let began = Instant::now();
        while running.sent() < 20 && began.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(running.sent() >= 20, "{} in {:?}", running.sent(), began.elapsed());
    }
}
