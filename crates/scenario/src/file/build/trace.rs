//! Recorded capacities, read once each.

use std::path::Path;
use std::sync::Arc;

use westwood_net::Trace;

use super::super::section::Located;
use super::super::tables::Top;
use crate::dumbbell::NamedTrace;
use crate::error::BadInput;
use crate::limits;
use crate::sorting::SortedMap;
use crate::units::rate_text;

/// The reader of a file: from its path as the scenario has it, to its text, or why not.
pub type TraceReader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// The recorded capacities that a scenario names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    files: SortedMap<String, Result<NamedTrace, BadInput>>,
    /// Numbers that tell the texts of those files apart.
    fingerprints: SortedMap<String, u64>,
}

impl Traces {
    /// Reads the files that these tables name and that have not been read yet.
    pub(in super::super) fn load(&mut self, top: &Top, read: TraceReader<'_>) {
        let dumbbell = top.dumbbell.iter().flat_map(|d| [&d.value.trace, &d.value.return_trace]);
        let links = top.link.iter().flat_map(|links| &links.value);
        let names = dumbbell.chain(links.flat_map(|l| [&l.trace, &l.return_trace]));
        for given in names.flatten() {
            let name = &given.value;
            if self.files.get(name).is_some() {
                continue;
            }
            let text = read(Path::new(name)).map_err(|why| refused(name, &why));
            if let Ok(text) = &text {
                self.fingerprints.insert(name.clone(), fingerprint(text));
            }
            self.files.insert(name.clone(), text.and_then(|text| open(name, &text)));
        }
    }

    /// A number that tells a file's contents from those of others; none of a file that was not read.
    pub(in super::super) fn fingerprint(&self, file: &str) -> Option<u64> {
        self.fingerprints.get(file).copied()
    }

    /// A recorded capacity.
    pub(in super::super) fn get(&self, given: &Located<String>) -> Result<NamedTrace, BadInput> {
        let missing = || BadInput::new(format!("'{}' has not been read", given.value));
        self.files.get(&given.value).cloned().unwrap_or_else(|| Err(missing()))
    }
}

fn refused(file: &str, why: &str) -> BadInput {
    BadInput::new(format!("'{file}': {why}"))
}

/// FNV-1a (G. Fowler, L. Noll, K.-P. Vo): the same on every machine and in every version.
fn fingerprint(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

fn open(file: &str, text: &str) -> Result<NamedTrace, BadInput> {
    let trace = Trace::parse(text).map_err(|e| refused(file, &e.to_string()))?;
    let named = NamedTrace { file: file.to_owned(), trace: Arc::new(trace) };
    let mean = named.mean_rate();
    if mean < limits::MIN_RATE || mean > limits::MAX_BOTTLENECK {
        let why = format!(
            "its mean rate of {mean} is outside {} to {}",
            rate_text(limits::MIN_RATE),
            rate_text(limits::MAX_BOTTLENECK)
        );
        return Err(refused(file, &why));
    }
    Ok(named)
}
