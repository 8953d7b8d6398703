//! A connection that is given something to send at its application's times.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use westwood_cc::Duration;
use westwood_sim::{Action, Application, Supply};

use super::run_clock::RunClock;

/// A writer that waits for room looks at its run so often.
const PIECE: Duration = Duration::from_millis(20);

/// Writes the application's data, a segment at a time, until the run is over. A writer that finds the
/// socket full waits, as one that blocks does, until the kernel calls it writable, or until its application
/// does something else. Data that the socket has taken counts as written.
pub(super) fn feed(
    mut stream: TcpStream,
    mut application: Application<'_>,
    segment: usize,
    ending: &RunClock,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let block = vec![0; segment];
    let (mut written, mut allowed) = (0_u64, 0_u64);
    while !ending.is_over() {
        while application.next() <= ending.now() {
            match application.on_wake(application.next()) {
                // The connection has opened before.
                Some(Action::Connect) => application.connected(ending.now()),
                Some(Action::Open(supply) | Action::Supply(supply)) => {
                    allowed = total(supply, segment, written);
                }
                _ => {}
            }
        }
        let left = usize::try_from(allowed.saturating_sub(written)).unwrap_or(segment);
        if left == 0 {
            ending.sleep_until(application.next());
            continue;
        }
        match stream.write(&block[..left.min(segment)]) {
            Ok(n) => written += n as u64,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait_for_room(&stream, application.next().since(ending.now()))?;
            }
            // The end of the run closes the connection under its writer.
            Err(_) if ending.is_over() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until the socket is writable (`sk_stream_write_space`), or until something else may be due.
fn wait_for_room(stream: &TcpStream, due: Duration) -> io::Result<()> {
    let most = due.min(PIECE).as_nanos().div_ceil(1_000_000);
    let most = u16::try_from(most).map_or(PollTimeout::MAX, PollTimeout::from);
    match poll(&mut [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)], most) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The bytes that may have been written in all.
fn total(supply: Supply, segment: usize, written: u64) -> u64 {
    match supply {
        Supply::Forever => u64::MAX,
        Supply::Bytes(bytes) => bytes.get(),
        Supply::Segments(n) => n.saturating_mul(segment as u64),
        Supply::Nothing => written,
    }
}
