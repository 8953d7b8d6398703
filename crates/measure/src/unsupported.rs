//! The substitute for `linux.rs` on other systems: nothing of it can be done there.

use std::io;
use std::net::TcpStream;

use socket2::Socket;

pub(crate) fn set_controller(_: &Socket, _: &str) -> io::Result<()> {
    Err(unsupported())
}

pub(crate) fn controller(_: &TcpStream) -> io::Result<Vec<u8>> {
    Err(unsupported())
}

pub(crate) fn tcp_info(_: &TcpStream, _: &mut [u8]) -> io::Result<usize> {
    Err(unsupported())
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "only Linux can do that")
}
