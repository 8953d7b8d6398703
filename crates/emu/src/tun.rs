//! TUN devices: where the kernel's IP packets become ours, and ours the kernel's.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;

/// A TUN device, which is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
}

impl Tun {
    /// Makes a device of this name in the network namespace of the calling thread.
    ///
    /// It takes and gives bare IP packets, and offers no offloads, so that the kernel cuts what it
    /// sends into packets that fit the MTU.
    pub(crate) fn open(name: &str) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")?;
        attach(&file, name)?;
        Ok(Self { file })
    }

    /// Reads a packet if one is there.
    pub(crate) fn read(&self, packet: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.file).read(packet) {
            Ok(len) => Ok(Some(len)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands the kernel a packet.
    pub(crate) fn write(&self, packet: &[u8]) -> io::Result<()> {
        (&self.file).write(packet).map(|_| ())
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Makes the file stand for a new device.
#[expect(unsafe_code, reason = "no safe wrapper of TUNSETIFF is at hand")]
fn attach(file: &File, name: &str) -> io::Result<()> {
    // SAFETY: `ifreq` is made of integers and arrays of them, for which zeros are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (place, byte) in request.ifr_name[..room].iter_mut().zip(name.bytes()) {
        *place = libc::c_char::from_ne_bytes([byte]);
    }
    request.ifr_ifru.ifru_flags =
        i16::try_from(libc::IFF_TUN | libc::IFF_NO_PI).map_err(io::Error::other)?;
    // SAFETY: the descriptor is open for the whole call, TUNSETIFF reads and writes one `ifreq`, and
    // `request` is one that lives until after the call.
    let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
