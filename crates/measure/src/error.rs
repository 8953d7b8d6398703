//! The errors of a measurement.

use std::fmt;
use std::io;

/// The reason why a run has no result.
#[derive(Debug)]
pub enum MeasureError {
    /// There is no server to speak to.
    Unreachable {
        /// Its name and port.
        server: String,
        /// The system's message.
        why: io::Error,
    },
    /// The server's name leads to no address.
    NoAddress {
        /// Its name.
        host: String,
        /// The system's message.
        why: io::Error,
    },
    /// The server is in use by another client.
    Busy,
    /// The server ended the test, or does not speak the protocol.
    Server(String),
    /// The server closed the control connection.
    Closed,
    /// The kernel does not let this controller be used.
    Refused {
        /// The controller's name in the kernel.
        controller: String,
        /// The system's message.
        why: io::Error,
    },
    /// The connection had another controller at its end than at its beginning.
    Changed {
        /// The controller that was asked for.
        asked: String,
        /// The one that it had.
        had: String,
    },
    /// A connection failed.
    Connection(io::Error),
    /// Ctrl-C.
    Interrupted,
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { server, why } => write!(
                f,
                "no iperf3 server answers at {server}: {why}; run iperf3 -s there, and see that its \
                 port is open"
            ),
            Self::NoAddress { host, why } => write!(
                f,
                "the server '{host}' has no address: {why}; check its name, and that this machine can \
                 resolve names"
            ),
            Self::Busy => f.write_str(
                "the iperf3 server is busy with somebody else's test, and was for half a minute",
            ),
            Self::Closed => f.write_str(
                "the iperf3 server closed the control connection in the middle of a test",
            ),
            Self::Server(what) => write!(f, "the iperf3 server {what}"),
            Self::Refused { controller, why } => {
                write!(f, "the kernel refuses the controller '{controller}': {why}")?;
                if why.kind() == io::ErrorKind::PermissionDenied {
                    write!(
                        f,
                        "; run as root, or add it to the sysctl net.ipv4.tcp_allowed_congestion_control"
                    )?;
                }
                Ok(())
            }
            Self::Changed { asked, had } => write!(
                f,
                "a connection that asked for the controller '{asked}' had '{had}' at its end: somebody \
                 changed it"
            ),
            Self::Connection(why) => write!(f, "a connection to the server failed: {why}"),
            Self::Interrupted => f.write_str("interrupted; finished runs are kept"),
        }
    }
}

impl std::error::Error for MeasureError {}

impl From<io::Error> for MeasureError {
    fn from(why: io::Error) -> Self {
        Self::Connection(why)
    }
}
