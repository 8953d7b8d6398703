//! The kernel's account of a connection, and of a host's connections together.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd as _;

use westwood_cc::{Duration, Segments};

/// So much of `struct tcp_info` is read: up to `tcpi_total_rto`, of Linux 6.7. Older kernels fill less,
/// and what they leave out stays zero.
const LEN: usize = 248;
/// `snd_ssthresh` before there was any reduction (TCP_INFINITE_SSTHRESH).
const NO_SSTHRESH: u32 = 0x7fff_ffff;

/// A connection, as `TCP_INFO` shows it (include/uapi/linux/tcp.h).
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionInfo {
    bytes: [u8; LEN],
}

/// The state of a connection's loss recovery (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TcpState {
    /// Nothing, or it looks closer (open, disorder, CWR).
    Calm,
    /// Fast recovery.
    Recovery,
    /// Recovery from a timeout.
    Loss,
}

impl ConnectionInfo {
    /// Asks for a connection's.
    #[expect(unsafe_code, reason = "no safe wrapper of TCP_INFO is at hand")]
    pub(super) fn of(stream: &TcpStream) -> io::Result<Self> {
        let mut bytes = [0; LEN];
        let mut len = libc::socklen_t::try_from(LEN).map_err(io::Error::other)?;
        // SAFETY: the socket is open for the whole call; the kernel writes at most `len` bytes, which
        // is how many `bytes` has, and then the number that it wrote to `len`.
        let done = unsafe {
            libc::getsockopt(
                stream.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                bytes.as_mut_ptr().cast(),
                &raw mut len,
            )
        };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(Self { bytes }) }
    }

    fn word(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[at..at + 4]);
        u32::from_ne_bytes(word)
    }

    fn long(&self, at: usize) -> u64 {
        let mut long = [0; 8];
        long.copy_from_slice(&self.bytes[at..at + 8]);
        u64::from_ne_bytes(long)
    }

    pub(super) fn state(&self) -> TcpState {
        match self.bytes[1] {
            3 => TcpState::Recovery,
            4 => TcpState::Loss,
            _ => TcpState::Calm,
        }
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub(super) fn srtt(&self) -> Duration {
        Duration::from_micros(u64::from(self.word(68)))
    }

    pub(super) fn ssthresh(&self) -> Segments {
        match self.word(76) {
            NO_SSTHRESH => Segments::MAX,
            n => Segments::new(u64::from(n)),
        }
    }

    pub(super) fn cwnd(&self) -> Segments {
        Segments::new(u64::from(self.word(80)))
    }

    /// Payload of the segments that have arrived, as far as ACKs and their SACK blocks tell, in order
    /// or not; for a stream of full segments.
    pub(super) fn delivered_bytes(&self) -> u64 {
        u64::from(self.word(192)) * u64::from(self.word(16))
    }

    /// Segments that were sent again.
    pub(super) fn retransmitted(&self) -> u64 {
        u64::from(self.word(100))
    }

    /// The time in which the receiver's window or the send buffer kept data back.
    pub(super) fn host_limited(&self) -> Duration {
        Duration::from_micros(self.long(176)) + Duration::from_micros(self.long(184))
    }

    /// Data segments that came in.
    pub(super) fn data_in(&self) -> u64 {
        u64::from(self.word(152))
    }

    /// Data segments that went out, copies included.
    pub(super) fn data_out(&self) -> u64 {
        u64::from(self.word(156))
    }
}

/// Counters of all connections of a host (`TcpExt` of SNMP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HostCounters {
    pub(super) fast_recoveries: u64,
    /// Of data: a connection begins when its handshake is over.
    pub(super) timeouts: u64,
    pub(super) undone: u64,
}

impl HostCounters {
    /// Those of the calling thread's network namespace.
    pub(super) fn read() -> io::Result<Self> {
        Self::parse(&fs::read_to_string("/proc/thread-self/net/netstat")?)
            .ok_or_else(|| io::Error::other("/proc/net/netstat has no TcpExt"))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("TcpExt:"));
        let (names, values) = (lines.next()?, lines.next()?);
        let both = names.split_whitespace().zip(values.split_whitespace());
        let sum = |wanted: &[&str]| -> u64 {
            let some = both.clone().filter(|(name, _)| wanted.contains(name));
            some.filter_map(|(_, value)| value.parse::<u64>().ok()).sum()
        };
        Some(Self {
            fast_recoveries: sum(&["TCPSackRecovery", "TCPRenoRecovery"]),
            // The kernel counts those of SYNs as well, each of which it sends again (`tcp_retransmit_timer`).
            timeouts: sum(&["TCPTimeouts"]).saturating_sub(sum(&["TCPSynRetrans"])),
            undone: sum(&["TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"]),
        })
    }

    pub(super) fn since(self, before: Self) -> Self {
        Self {
            fast_recoveries: self.fast_recoveries.saturating_sub(before.fast_recoveries),
            timeouts: self.timeouts.saturating_sub(before.timeouts),
            undone: self.undone.saturating_sub(before.undone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_a_host_are_found_by_name() {
        let text = "TcpExt: SyncookiesSent TCPRenoRecovery TCPSackRecovery TCPTimeouts TCPFullUndo \
                    TCPLossUndo TCPSynRetrans\nTcpExt: 9 1 20 5 4 5 2\nIpExt: InNoRoutes\nIpExt: 7\n";
        let expected = HostCounters { fast_recoveries: 21, timeouts: 3, undone: 9 };
        assert_eq!(HostCounters::parse(text), Some(expected));
        assert_eq!(HostCounters::parse("IpExt: a\nIpExt: 1\n"), None);
    }

    #[test]
    fn a_fresh_connection_has_the_initial_window_and_no_threshold() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = ConnectionInfo::of(&stream).unwrap();
        assert_eq!((info.cwnd(), info.ssthresh()), (Segments::new(10), Segments::MAX));
        assert_eq!((info.state(), info.data_out(), info.retransmitted()), (TcpState::Calm, 0, 0));
        // A handshake over the loopback took some time, but less than a second.
        assert!(!info.srtt().is_zero() && info.srtt() < Duration::from_secs(1));
    }
}
