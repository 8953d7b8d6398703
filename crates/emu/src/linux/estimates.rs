//! What controllers estimate, from somebody who can look into them.

use std::io;
use std::net::SocketAddr;

use westwood_cc::Rate;

/// Knows the bandwidth estimates of connections: `TCP_INFO` does not tell them.
pub trait Estimates: Sync {
    /// True if the kernel's controller of this name has an estimate that can be looked at.
    fn knows(&self, controller: &str) -> bool;

    /// The estimate of the connection from this address, in the network namespace of the calling
    /// thread; none if there is no such connection or its controller has none yet.
    ///
    /// # Errors
    /// If one cannot look: the run has failed then.
    fn of(&self, local: SocketAddr) -> io::Result<Option<Rate>>;
}
