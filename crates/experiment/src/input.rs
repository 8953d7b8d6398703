//! Text files that a user names: bounded however long they are, and text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The mark at the beginning of a text by which some editors say that it is UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The bytes that are read of a pipe or a device, which has no length and perhaps no end: more than the
/// longest trace has.
const MOST_OF_STREAM: u64 = 1 << 28;

/// A text of at most so many bytes, without a byte order mark.
pub(crate) fn text(path: &Path, most: u64) -> Result<String, String> {
    let mut file = File::open(path).map_err(|e| e.to_string())?;
    let about = file.metadata().map_err(|e| e.to_string())?;
    if about.is_dir() {
        return Err("it is a folder, and no file".to_owned());
    }
    if about.len() > most {
        return Err(format!("it has {} bytes; at most {most} are read", about.len()));
    }
    let most = if about.is_file() { most } else { most.min(MOST_OF_STREAM) };
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e.to_string()),
        };
        let new = &chunk[..count];
        let zero = new.iter().position(|byte| *byte == 0);
        // A device of zeros has no end; in a file the place is told by who reads the text.
        if let Some(at) = zero.filter(|_| !about.is_file()) {
            let line = line_at(&bytes) + newlines(&new[..at]);
            return Err(format!("line {line} has a zero byte, which no text has"));
        }
        bytes.extend_from_slice(new);
        if bytes.len() as u64 > most {
            return Err(format!("it has more than {most} bytes, and no more are read"));
        }
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        format!("line {} is not UTF-8", line_at(valid))
    })?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The line, from 1, in which a text goes on after these bytes.
fn line_at(before: &[u8]) -> usize {
    newlines(before) + 1
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}
