//! A connection that is given something to send at its application's times.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::time::Duration as Span;

use westwood_sim::{Action, Application, Supply};

use super::receiver::is_timeout;
use super::run_clock::RunClock;

/// A writer that waits for room looks at its application's clock so often.
const PATIENCE: Span = Span::from_millis(4);

/// Writes the application's data, a segment at a time, until the run is over. Data that the socket
/// has taken counts as sent; so its host should let little wait there (`tcp_notsent_lowat`).
pub(super) fn feed(
    mut stream: TcpStream,
    mut application: Application<'_>,
    segment: usize,
    ending: &RunClock,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let block = vec![0; segment];
    let (mut written, mut allowed) = (0_u64, 0_u64);
    while !ending.is_over() {
        while application.next() <= ending.now() {
            if let Some(Action::Open(supply) | Action::Supply(supply)) =
                application.on_wake(application.next())
            {
                allowed = total(supply, segment, written);
            }
        }
        let left = usize::try_from(allowed.saturating_sub(written)).unwrap_or(segment);
        if left == 0 {
            ending.sleep_until(application.next());
            continue;
        }
        match stream.write(&block[..left.min(segment)]) {
            Ok(n) => written += n as u64,
            Err(error) if is_timeout(&error) => {}
            // The end of the run closes the connection under its writer.
            Err(_) if ending.is_over() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
