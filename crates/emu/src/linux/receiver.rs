//! The receiving end of a flow: a socket that is read as fast as data comes.

use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration as Span;

use westwood_cc::Instant;

use super::ending::Ending;
use super::tcp_info::TcpInfo;
use crate::privileges::{Turn, be_punctual};

/// How long a thread waits before it looks whether the run is over.
const PIECE: Span = Span::from_millis(50);

/// What a receiver has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Received {
    /// Data segments that arrived, copies included.
    pub(super) segments: u64,
    /// When the last byte of a transfer came.
    pub(super) completed: Option<Instant>,
}

/// Reads one connection until the run is over; `delivered` follows what has come.
pub(super) fn receive(
    listener: &TcpListener,
    bytes: Option<u64>,
    delivered: &AtomicU64,
    ending: &Ending,
    awaited: bool,
) -> io::Result<Received> {
    be_punctual(Turn::Second);
    let Some(mut stream) = accept(listener, ending)? else { return Ok(Received::default()) };
    stream.set_read_timeout(Some(PIECE))?;
    let mut completed = None;
    let mut buffer = vec![0; 1 << 18];
    while !ending.is_over() {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                let sum = delivered.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
                if completed.is_none() && bytes.is_some_and(|bytes| sum >= bytes) {
                    completed = Some(ending.now());
                    if awaited {
                        ending.transfer_done();
                    }
                }
            }
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Received { segments: TcpInfo::of(&stream)?.data_in(), completed })
}

/// The one connection that comes, unless the run is over before.
fn accept(listener: &TcpListener, ending: &Ending) -> io::Result<Option<TcpStream>> {
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

fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}
