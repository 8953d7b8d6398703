//! The kernel's account of a connection: `TCP_INFO` (tcp(7), include/uapi/linux/tcp.h).

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use crate::system;

/// Longer than the structure of any kernel so far (Linux 6.18: 248 bytes).
const ROOM: usize = 512;
/// The kernel's value where there is no slow-start threshold (`TCP_INFINITE_SSTHRESH`).
const NO_SSTHRESH: u32 = 0x7fff_ffff;

/// The kernel's account of a connection. Kernels before 5.5 leave out the last fields, which are zero
/// then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// The sender's segment size, in bytes.
    pub snd_mss: u32,
    /// The congestion window, in segments.
    pub cwnd: u32,
    /// The slow-start threshold, in segments; none while there is none.
    pub ssthresh: Option<u32>,
    /// Segments sent and not acknowledged.
    pub unacked: u32,
    /// The smoothed round-trip time.
    pub srtt: Duration,
    /// The least one.
    pub min_rtt: Duration,
    /// Segments retransmitted since the start.
    pub total_retrans: u32,
    /// Bytes acknowledged since the start.
    pub bytes_acked: u64,
    /// Bytes written and not yet sent.
    pub notsent_bytes: u32,
    /// The latest sample of the rate of delivery, in bytes per second.
    pub delivery_rate_bytes_per_s: u64,
    /// The time for which there was something to send or unacknowledged.
    pub busy: Duration,
    /// For how much of it the receiver's window stood in the way.
    pub limited_by_receiver: Duration,
    /// For how much of it the sender's buffer did.
    pub limited_by_buffer: Duration,
    /// Payload bytes sent since the start, those sent again included.
    pub bytes_sent: u64,
    /// Payload bytes sent again.
    pub bytes_retrans: u64,
}

impl TcpInfo {
    /// Asks the kernel about a TCP socket.
    pub fn of(socket: &TcpStream) -> io::Result<Self> {
        let mut bytes = [0_u8; ROOM];
        let len = system::tcp_info(socket, &mut bytes)?;
        Ok(Self::decode(bytes.get(..len).unwrap_or(&bytes)))
    }

    /// The fields by their places in `struct tcp_info`, which only ever grows at its end.
    fn decode(bytes: &[u8]) -> Self {
        let short = |at: usize| {
            bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_ne_bytes)
        };
        let long = |at: usize| {
            bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
        };
        let micros = |at: usize| Duration::from_micros(short(at).into());
        let long_micros = |at: usize| Duration::from_micros(long(at));
        Self {
            snd_mss: short(16),
            unacked: short(24),
            srtt: micros(68),
            ssthresh: Some(short(76)).filter(|segments| *segments < NO_SSTHRESH),
            cwnd: short(80),
            total_retrans: short(100),
            bytes_acked: long(120),
            notsent_bytes: short(144),
            min_rtt: micros(148),
            delivery_rate_bytes_per_s: long(160),
            busy: long_micros(168),
            limited_by_receiver: long_micros(176),
            limited_by_buffer: long_micros(184),
            bytes_sent: long(200),
            bytes_retrans: long(208),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_kernel_counts_what_a_connection_has_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        near.write_all(&[7; 5_000]).unwrap();
        let mut read = vec![0; 5_000];
        far.read_exact(&mut read).unwrap();
        let told = (0..100).map(|_| {
            std::thread::sleep(Duration::from_millis(5));
            TcpInfo::of(&near).unwrap()
        });
        let info = told.into_iter().find(|info| info.unacked == 0).unwrap();
        // The kernel counts the SYN as a byte that was acknowledged.
        assert_eq!((info.bytes_acked - 1, info.bytes_sent, info.bytes_retrans), (5_000, 5_000, 0));
        assert_eq!((info.notsent_bytes, info.total_retrans), (0, 0));
        assert!(info.cwnd >= 2 && info.srtt < Duration::from_secs(1) && info.snd_mss > 500);
        assert!(info.min_rtt < Duration::from_secs(1) && info.busy >= info.limited_by_buffer);
    }

    #[test]
    fn an_old_kernels_shorter_answer_leaves_the_rest_at_zero() {
        let mut bytes = [0_u8; 104];
        bytes[80] = 10;
        let info = TcpInfo::decode(&bytes);
        assert_eq!((info.cwnd, info.bytes_sent), (10, 0));
    }
}
