//! Socket options that Linux alone has.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd as _, AsRawFd as _};

use socket2::{SockRef, Socket};

/// Gives a socket a congestion controller.
pub(crate) fn set_controller(socket: &Socket, name: &str) -> io::Result<()> {
    socket.set_tcp_congestion(name.as_bytes())
}

/// The name of a connection's controller, and zeros after it.
pub(crate) fn controller(socket: &TcpStream) -> io::Result<Vec<u8>> {
    SockRef::from(socket).tcp_congestion()
}

/// Fills the buffer with `struct tcp_info`; how many bytes it has in this kernel.
#[expect(unsafe_code, reason = "no safe crate asks for TCP_INFO")]
pub(crate) fn tcp_info(socket: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = libc::socklen_t::try_from(bytes.len()).unwrap_or(0);
    // SAFETY: the descriptor is borrowed and so open during the call; the kernel writes at most `len`
    // bytes to the buffer, which has as many or more, and one socklen_t to `len`. Both outlive the
    // call, and any bytes are valid in a buffer of u8.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut len,
        )
    };
    if answer == 0 { Ok(len as usize) } else { Err(io::Error::last_os_error()) }
}
