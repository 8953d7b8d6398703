//! The file of a recording: four lines of text, then events of [`Event::SIZE`] bytes.
//!
//! ```text
//! westwood.recording/1
//! controller westwood+(tau=0.3s)
//! kernel 6.18.44
//!
//! ```
//!
//! Numbers are in the byte order of the machine that recorded. The last event is of kind
//! [`End`](crate::CallKind::End); without it the recorder was killed.

use std::fmt;
use std::io::{self, BufRead, Read};

use westwood_scenario::spec::ControllerSpec;

use crate::event::Event;

const FIRST_LINE: &str = "westwood.recording/1";

/// The head of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The controller with its parameters.
    pub spec: ControllerSpec,
    /// The release of the kernel.
    pub kernel: String,
}

impl fmt::Display for Header {
    /// As it stands in the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}\ncontroller {}\nkernel {}\n", self.spec, self.kernel)
    }
}

/// Why a file is no recording.
#[derive(Debug)]
pub enum RecordingError {
    /// It cannot be read.
    Io(io::Error),
    /// It does not begin like one.
    NotARecording,
    /// A line of its head is wrong.
    Head(String),
    /// An event, counted from 0, is of no known kind.
    UnknownEvent(u64),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot be read: {error}"),
            Self::NotARecording => {
                write!(f, "is no recording; one is made by westwood kernel record -o FILE")
            }
            Self::Head(line) => write!(f, "has a wrong head: '{line}'"),
            Self::UnknownEvent(n) => write!(f, "event {n} is of no known kind"),
        }
    }
}

impl std::error::Error for RecordingError {}

impl From<io::Error> for RecordingError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a recording event by event.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    header: Header,
    read: u64,
}

impl<R: BufRead> Reader<R> {
    /// Reads the head.
    pub fn new(mut input: R) -> Result<Self, RecordingError> {
        if line(&mut input)? != FIRST_LINE {
            return Err(RecordingError::NotARecording);
        }
        let controller = value(&line(&mut input)?, "controller")?;
        let spec = ControllerSpec::parse(&controller)
            .map_err(|_| RecordingError::Head(controller.clone()))?;
        let kernel = value(&line(&mut input)?, "kernel")?;
        let empty = line(&mut input)?;
        if !empty.is_empty() {
            return Err(RecordingError::Head(empty));
        }
        Ok(Self { input, header: Header { spec, kernel }, read: 0 })
    }

    /// The head.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next event; none at the end, which may be in the middle of an event if the recorder was
    /// killed.
    pub fn next_event(&mut self) -> Result<Option<Event>, RecordingError> {
        let mut bytes = [0; Event::SIZE];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let event = Event::from_bytes(&bytes).ok_or(RecordingError::UnknownEvent(self.read))?;
        self.read += 1;
        Ok(Some(event))
    }
}

/// A line of the head, at most as long as any can be.
fn line(input: &mut impl BufRead) -> Result<String, RecordingError> {
    let mut bytes = Vec::new();
    input.by_ref().take(4_096).read_until(b'\n', &mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| RecordingError::NotARecording)?;
    text.strip_suffix('\n').map(str::to_owned).ok_or(RecordingError::NotARecording)
}

fn value(line: &str, key: &str) -> Result<String, RecordingError> {
    line.strip_prefix(key)
        .and_then(|rest| rest.strip_prefix(' '))
        .map(str::to_owned)
        .ok_or_else(|| RecordingError::Head(line.to_owned()))
}
