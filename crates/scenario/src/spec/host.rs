//! Hosts: sizes of buffers, applications that pause, and receivers that misbehave.

use std::fmt;

use westwood_cc::{Duration, Instant};
use westwood_tcp::{BufferSizes, ReadMode, ReceiverBehaviour};

use super::call::Call;
use crate::error::{BadInput, quoted};
use crate::limits;
use crate::units::{count, duration, duration_text};

/// The largest buffer, as the kernel's `int`.
const LARGEST: u32 = (1 << 31) - 1;

/// Reads three sizes as the kernel's `tcp_wmem` has them, or `none`.
///
/// ```
/// use westwood_scenario::spec::buffer_sizes;
/// let stock = buffer_sizes("4 KiB 128 KiB 6 MiB").unwrap().unwrap();
/// assert_eq!(stock.max, 6_291_456);
/// assert_eq!(buffer_sizes("4096 131072 6291456"), Ok(Some(stock)));
/// assert_eq!(buffer_sizes("4KiB,128KiB,6MiB"), Ok(Some(stock)));
/// assert_eq!(buffer_sizes("none"), Ok(None));
/// assert!(buffer_sizes("128 KiB").is_err());
/// ```
pub fn buffer_sizes(text: &str) -> Result<Option<BufferSizes>, BadInput> {
    if text.trim() == "none" {
        return Ok(None);
    }
    let sizes = sizes_of(text)?;
    let &[min, initial, max] = sizes.as_slice() else {
        let what = format!("{} is not three sizes", quoted(text));
        return Err(BadInput::new(what).hint("write \"4 KiB 128 KiB 6 MiB\", or \"none\""));
    };
    if min > initial || initial > max {
        let what = format!("{} does not rise from the first size to the last", quoted(text));
        return Err(BadInput::new(what).hint("write the least size, the first, the largest"));
    }
    Ok(Some(BufferSizes { min, initial, max }))
}

/// A size that the kernel's `int` holds.
fn bytes(text: &str) -> Result<u32, BadInput> {
    let bytes = limits::bytes_within(text, 1, LARGEST.into())?;
    Ok(u32::try_from(bytes.get()).unwrap_or(LARGEST))
}

/// Sizes after one another, with spaces or commas between them, and a space before the unit or none.
fn sizes_of(text: &str) -> Result<Vec<u32>, BadInput> {
    let separates = |c: char| c.is_whitespace() || c == ',';
    let mut words = text.split(separates).filter(|word| !word.is_empty()).peekable();
    let mut sizes = Vec::new();
    while let Some(number) = words.next() {
        let is_unit = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        let unit = words.next_if(is_unit).unwrap_or_default();
        let example = "write \"4 KiB 128 KiB 6 MiB\", or \"none\"";
        sizes.push(bytes(&format!("{number}{unit}")).map_err(|e| e.proposing(example))?);
    }
    Ok(sizes)
}

/// Reads a size, or `none`.
pub fn size_or_none(text: &str) -> Result<Option<u32>, BadInput> {
    match text.trim() {
        "none" => Ok(None),
        text => bytes(text).map(Some),
    }
}

/// Reads `at-once` or `pause(from=5s,for=3s)`.
///
/// ```
/// use westwood_scenario::spec::reading;
/// assert!(reading("pause(from=5s,for=3s)").is_ok());
/// assert!(reading("pause(from=5s)").unwrap_err().to_string().contains("for"));
/// ```
pub fn reading(text: &str) -> Result<ReadMode, BadInput> {
    let mut call = Call::parse(text)?;
    let reading = match call.name.to_ascii_lowercase().as_str() {
        "at-once" => ReadMode::AtOnce,
        "pause" => {
            let example = "pause(from=5s,for=3s)";
            let from = Instant::ZERO + call.need("from", example, time)?;
            let until = from + call.need("for", example, time)?;
            ReadMode::Paused { from, until }
        }
        name => return Err(BadInput::unknown("reader", name, ["at-once", "pause"])),
    };
    call.finish()?;
    Ok(reading)
}

fn time(text: &str) -> Result<Duration, BadInput> {
    limits::within(text, duration, "0s", "86400s")
}

/// A receiver's behaviour, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverSpec(ReceiverBehaviour);

impl ReceiverSpec {
    const NAMES: [&str; 5] = ["honest", "divide", "spoof", "optimistic", "withhold"];
    const MOST_ACKS: u64 = 100;
    const MOST_SEGMENTS: u64 = 1 << 20;
    /// A receiver may wait so long for a second segment (RFC 9293 section 3.8.6.3).
    const USUAL_TIME: Duration = Duration::from_millis(500);

    /// Reads `honest`, `divide(4)`, `spoof(3)`, `optimistic(lead=20)` or `withhold(8,time=500ms)`.
    ///
    /// ```
    /// use westwood_scenario::spec::ReceiverSpec;
    /// for text in ["honest", "divide(4)", "spoof(3)", "optimistic(lead=20)"] {
    ///     assert_eq!(ReceiverSpec::parse(text).unwrap().to_string(), text);
    /// }
    /// assert_eq!(ReceiverSpec::parse("withhold(8)").unwrap().to_string(), "withhold(8,time=500ms)");
    /// assert!(ReceiverSpec::parse("divide(1)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        let name = call.name.to_ascii_lowercase();
        let behaviour = match name.as_str() {
            "honest" => ReceiverBehaviour::Honest,
            "divide" => {
                ReceiverBehaviour::Divide { pieces: number(&mut call, 2, Self::MOST_ACKS)? }
            }
            "spoof" => ReceiverBehaviour::Spoof { extra: number(&mut call, 1, Self::MOST_ACKS)? },
            "optimistic" => ReceiverBehaviour::Optimistic {
                lead: call.need("lead", "optimistic(lead=20)", |text| {
                    count(text, 0, Self::MOST_SEGMENTS)
                })?,
            },
            "withhold" => ReceiverBehaviour::Withhold {
                segments: number(&mut call, 1, Self::MOST_SEGMENTS)?,
                time: call.take("time", time)?.unwrap_or(Self::USUAL_TIME),
            },
            name => return Err(BadInput::unknown("receiver", name, Self::NAMES)),
        };
        call.finish()?;
        Ok(Self(behaviour))
    }

    /// As a connection takes it.
    pub fn behaviour(self) -> ReceiverBehaviour {
        self.0
    }
}

/// The one number without a name.
fn number(call: &mut Call<'_>, low: u64, high: u64) -> Result<u32, BadInput> {
    let name = call.name;
    let &[text] = call.positional().as_slice() else {
        let what = BadInput::new("wants one number").hint(format!("write {name}({})", low.max(4)));
        return Err(what.at(name));
    };
    let n = count(text, low, high).map_err(|e| e.at(name))?;
    Ok(u32::try_from(n).unwrap_or(u32::MAX))
}

impl fmt::Display for ReceiverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ReceiverBehaviour::Honest => f.write_str("honest"),
            ReceiverBehaviour::Divide { pieces } => write!(f, "divide({pieces})"),
            ReceiverBehaviour::Spoof { extra } => write!(f, "spoof({extra})"),
            ReceiverBehaviour::Optimistic { lead } => write!(f, "optimistic(lead={lead})"),
            ReceiverBehaviour::Withhold { segments, time } => {
                write!(f, "withhold({segments},time={})", duration_text(time))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_buffer_is_refused_in_words() {
        for (text, says) in [
            ("4 KiB 2 KiB 6 MiB", "does not rise"),
            ("0 1 2", "from 1B to 2147483647B"),
            ("1 2", "three sizes"),
            ("1 2 4 GiB", "2147483647"),
            ("1 2 many", "many"),
        ] {
            let error = buffer_sizes(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_no_receiver_is_refused_in_words() {
        for (text, says) in [
            ("divide", "one number"),
            ("divide(101)", "100"),
            ("optimistic(20)", "lead"),
            ("withhold(8,delay=1s)", "delay"),
            ("lazy", "withhold"),
        ] {
            let error = ReceiverSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
