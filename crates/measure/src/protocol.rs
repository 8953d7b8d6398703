//! The control channel of iperf3, as its wiki describes it ("IperfProtocolStates"): a cookie, bytes
//! that name states, and JSON texts with their length before them.

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::error::MeasureError;

/// Letters of a cookie, and the zero that ends it.
const COOKIE: usize = 37;
/// The largest JSON text that is believed.
const LARGEST_TEXT: u32 = 1 << 24;

/// The states of iperf3's protocol, which server and client announce: one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtocolState {
    TestStart,
    TestRunning,
    TestEnd,
    ParamExchange,
    CreateStreams,
    ServerTerminate,
    ClientTerminate,
    ExchangeResults,
    DisplayResults,
    IperfDone,
    AccessDenied,
    ServerError,
}

impl ProtocolState {
    const ALL: [Self; 12] = [
        Self::TestStart,
        Self::TestRunning,
        Self::TestEnd,
        Self::ParamExchange,
        Self::CreateStreams,
        Self::ServerTerminate,
        Self::ClientTerminate,
        Self::ExchangeResults,
        Self::DisplayResults,
        Self::IperfDone,
        Self::AccessDenied,
        Self::ServerError,
    ];

    const fn byte(self) -> u8 {
        match self {
            Self::TestStart => 1,
            Self::TestRunning => 2,
            Self::TestEnd => 4,
            Self::ParamExchange => 9,
            Self::CreateStreams => 10,
            Self::ServerTerminate => 11,
            Self::ClientTerminate => 12,
            Self::ExchangeResults => 13,
            Self::DisplayResults => 14,
            Self::IperfDone => 16,
            // Minus one and minus two.
            Self::AccessDenied => 255,
            Self::ServerError => 254,
        }
    }

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.byte() == byte)
    }
}

/// The name of a test in each of its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie([u8; COOKIE]);

impl Cookie {
    /// A cookie of its own: drawn from the random keys that the standard library gives a hash map.
    pub(crate) fn new() -> Self {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut letters = [0; COOKIE];
        for (i, letter) in letters[..COOKIE - 1].iter_mut().enumerate() {
            let mut hasher = std::hash::RandomState::new().build_hasher();
            hasher.write_usize(i);
            *letter = LETTERS[(hasher.finish() % 32) as usize];
        }
        Self(letters)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The control channel.
#[derive(Debug)]
pub(crate) struct ControlChannel<S = TcpStream>(pub(crate) S);

impl<S: Read + Write> ControlChannel<S> {
    pub(crate) fn begin(&mut self, cookie: &Cookie) -> io::Result<()> {
        self.0.write_all(cookie.bytes())
    }

    pub(crate) fn say(&mut self, state: ProtocolState) -> io::Result<()> {
        self.0.write_all(&[state.byte()])
    }

    /// The server's next state; an error if it has ended the test.
    pub(crate) fn next(&mut self) -> Result<ProtocolState, MeasureError> {
        let mut byte = [0];
        self.0.read_exact(&mut byte).map_err(ended)?;
        match ProtocolState::of(byte[0]) {
            Some(ProtocolState::AccessDenied) => Err(MeasureError::Busy),
            Some(ProtocolState::ServerTerminate) => {
                Err(MeasureError::Server("ended the test: it was stopped".to_owned()))
            }
            Some(ProtocolState::ServerError) => Err(self.server_error()),
            Some(state) => Ok(state),
            None => {
                let what = format!("sends {}, which is no state: is it iperf3?", byte[0]);
                Err(MeasureError::Server(what))
            }
        }
    }

    /// Waits for this state.
    pub(crate) fn expect(&mut self, wanted: ProtocolState) -> Result<(), MeasureError> {
        match self.next()? {
            state if state == wanted => Ok(()),
            other => Err(MeasureError::Server(format!("is at {other:?} instead of {wanted:?}"))),
        }
    }

    pub(crate) fn send(&mut self, json: &Value) -> io::Result<()> {
        let text = json.to_string();
        let len = u32::try_from(text.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        self.0.write_all(&[&len.to_be_bytes()[..], text.as_bytes()].concat())
    }

    pub(crate) fn receive(&mut self) -> Result<Value, MeasureError> {
        let len = self.number().map_err(ended)?;
        if len > LARGEST_TEXT {
            return Err(MeasureError::Server(format!("announces results of {len} bytes")));
        }
        let mut text = vec![0; len as usize];
        self.0.read_exact(&mut text).map_err(ended)?;
        serde_json::from_slice(&text)
            .map_err(|e| MeasureError::Server(format!("sends results that are no JSON: {e}")))
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    /// The server's own number of its error, and the system's.
    fn server_error(&mut self) -> MeasureError {
        let (Ok(own), Ok(errno)) = (self.number(), self.number()) else {
            return MeasureError::Server("reports an error".to_owned());
        };
        let system = match i32::try_from(errno) {
            Ok(0) | Err(_) => String::new(),
            Ok(errno) => format!(": {}", io::Error::from_raw_os_error(errno)),
        };
        MeasureError::Server(format!("reports its error {own}{system}"))
    }
}

fn ended(why: io::Error) -> MeasureError {
    match why.kind() {
        io::ErrorKind::UnexpectedEof => MeasureError::Closed,
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            MeasureError::Server("does not answer any more".to_owned())
        }
        _ => MeasureError::Connection(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that the server sends, and those that it received.
    #[derive(Default)]
    struct Wire {
        to_read: io::Cursor<Vec<u8>>,
        written: Vec<u8>,
    }

    impl Read for Wire {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.to_read.read(buffer)
        }
    }

    impl Write for Wire {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.written.write(buffer)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn control(bytes: &[u8]) -> ControlChannel<Wire> {
        ControlChannel(Wire { to_read: io::Cursor::new(bytes.to_vec()), written: Vec::new() })
    }

    #[test]
    fn a_cookie_is_36_letters_and_a_zero_and_no_two_are_equal() {
        let (a, b) = (Cookie::new(), Cookie::new());
        assert_ne!(a, b);
        let (end, letters) = a.bytes().split_last().unwrap();
        assert_eq!((*end, letters.len()), (0, 36));
        assert!(letters.iter().all(u8::is_ascii_alphanumeric));
    }

    #[test]
    fn texts_have_their_length_before_them() {
        let mut wire = control(b"\0\0\0\x07{\"a\":1}");
        assert_eq!(wire.receive().unwrap()["a"], 1);
        wire.send(&serde_json::json!({"b": 2})).unwrap();
        assert_eq!(wire.0.written, b"\0\0\0\x07{\"b\":2}");
    }

    #[test]
    fn a_server_that_ends_the_test_is_told_from_one_that_is_busy_or_is_none() {
        assert!(matches!(control(&[255]).next(), Err(MeasureError::Busy)));
        for (bytes, said) in [
            (&[11][..], "it was stopped"),
            (&[254, 0, 0, 0, 9, 0, 0, 0, 13], "error 9: Permission denied"),
            (&[72], "no state: is it iperf3?"),
            (&[], "the iperf3 server closed the control connection"),
        ] {
            let error = control(bytes).next().unwrap_err().to_string();
            assert!(error.contains(said), "{bytes:?}: {error}");
        }
    }

    #[test]
    fn results_that_cannot_be_are_refused() {
        for bytes in [&b"\xff\xff\xff\xff"[..], b"\0\0\0\x02xx", b"\0\0\0\x09{}"] {
            let error = control(bytes).receive().unwrap_err();
            assert!(matches!(error, MeasureError::Server(_) | MeasureError::Closed), "{error}");
        }
    }
}
