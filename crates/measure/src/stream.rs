//! A data connection, with the controller that it was asked to have.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::error::MeasureError;
use crate::protocol::Cookie;
use crate::system;

/// The time that a connection may take to open.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time within which a writer that waits for room sees that it is to stop.
const WRITE_WAIT: Duration = Duration::from_millis(100);
/// The bytes written at a time: iperf3's usual block.
pub(crate) const BLOCK: usize = 128 * 1024;
/// The bytes that are written. A path that compresses would make zeros too fast.
static PATTERN: [u8; BLOCK] = pattern();

/// Bytes that do not repeat within any compressor's reach: an xorshift generator's (G. Marsaglia,
/// "Xorshift RNGs", 2003).
#[expect(clippy::large_stack_arrays, reason = "worked out by the compiler")]
const fn pattern() -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    let mut x: u32 = 2_463_534_242;
    let mut i = 0;
    while i < BLOCK {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        bytes[i] = (x >> 24) as u8;
        i += 1;
    }
    bytes
}

/// A connection that carries data.
#[derive(Debug)]
pub(crate) struct DataStream {
    pub(crate) socket: TcpStream,
    /// Bytes that the kernel has taken.
    written: AtomicU64,
    /// All that was to be written is, or writing has failed.
    ended: AtomicBool,
}

impl DataStream {
    /// Opens a connection whose every packet is sent under `controller`.
    pub(crate) fn open(
        to: SocketAddr,
        controller: &str,
        cookie: &Cookie,
    ) -> Result<Self, MeasureError> {
        let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
        let refused = |why| MeasureError::Refused { controller: controller.to_owned(), why };
        system::set_controller(&socket, controller).map_err(refused)?;
        socket.connect_timeout(&to.into(), PATIENCE)?;
        let mut socket = TcpStream::from(socket);
        socket.write_all(cookie.bytes())?;
        socket.set_write_timeout(Some(WRITE_WAIT))?;
        Ok(Self { socket, written: AtomicU64::new(0), ended: AtomicBool::new(false) })
    }

    /// The controller that the connection has now.
    pub(crate) fn controller(&self) -> io::Result<String> {
        let name = system::controller(&self.socket)?;
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// Writes until `most` bytes are written, or until told to stop.
    pub(crate) fn pour(&self, most: Option<u64>, stop: &AtomicBool) -> io::Result<()> {
        let poured = self.pour_all(most.unwrap_or(u64::MAX), stop);
        self.ended.store(true, Ordering::Release);
        poured
    }

    fn pour_all(&self, most: u64, stop: &AtomicBool) -> io::Result<()> {
        let mut left = most;
        while left > 0 && !stop.load(Ordering::Relaxed) {
            let block = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            match (&self.socket).write(&PATTERN[..block]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => {
                    left -= taken as u64;
                    self.written.fetch_add(taken as u64, Ordering::Relaxed);
                }
                Err(e) if is_only_late(e.kind()) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// True once nothing more will be written.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Closes at once, and throws away unsent data: the next run is not to meet it.
    pub(crate) fn discard(self) {
        // Without it the connection ends in its own time, which is no harm but to the next run.
        let _ = SockRef::from(&self.socket).set_linger(Some(Duration::ZERO));
    }
}

/// The kernel had no room in time, or a signal came.
fn is_only_late(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_connection_has_the_controller_that_it_was_opened_with_and_begins_with_the_cookie() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let cookie = Cookie::new();
        let stream = DataStream::open(listener.local_addr().unwrap(), "reno", &cookie).unwrap();
        assert_eq!(stream.controller().unwrap(), "reno");
        let (mut far, _) = listener.accept().unwrap();
        stream.pour(Some(300_000), &AtomicBool::new(true)).unwrap();
        assert_eq!(stream.written(), 0, "it was told to stop");
        let reader = std::thread::spawn(move || {
            let mut read = Vec::new();
            far.read_to_end(&mut read).map(|_| read)
        });
        stream.pour(Some(300_000), &AtomicBool::new(false)).unwrap();
        assert!(stream.has_ended() && stream.written() == 300_000);
        drop(stream);
        let read = reader.join().unwrap().unwrap();
        assert_eq!(read.len(), 37 + 300_000);
        assert_eq!(&read[..37], cookie.bytes());
    }

    #[test]
    fn a_controller_that_the_kernel_does_not_have_is_refused_by_name() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let error = DataStream::open(to, "no_such_thing", &Cookie::new()).unwrap_err();
        assert!(error.to_string().contains("refuses the controller 'no_such_thing'"), "{error}");
    }
}
