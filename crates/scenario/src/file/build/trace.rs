//! Recorded capacities, read once each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use westwood_net::Trace;

use super::super::section::Located;
use super::super::tables::Top;
use crate::dumbbell::NamedTrace;
use crate::error::BadInput;
use crate::limits;
use crate::units::rate_text;

/// The reader of a file: from its path as the scenario has it, to its text, or why not.
pub type TraceReader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// The recorded capacities that a scenario names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    files: BTreeMap<String, Result<NamedTrace, BadInput>>,
}

impl Traces {
    /// Reads the files that these tables name and that have not been read yet.
    pub(in super::super) fn load(&mut self, top: &Top, read: TraceReader<'_>) {
        let dumbbell = top.dumbbell.iter().flat_map(|d| [&d.value.trace, &d.value.return_trace]);
        let links = top.link.iter().flat_map(|links| &links.value);
        let names = dumbbell.chain(links.flat_map(|l| [&l.trace, &l.return_trace]));
        for given in names.flatten() {
            self.files.entry(given.value.clone()).or_insert_with(|| open(&given.value, read));
        }
    }

    /// A recorded capacity.
    pub(in super::super) fn get(&self, given: &Located<String>) -> Result<NamedTrace, BadInput> {
        let missing = || BadInput::new(format!("'{}' has not been read", given.value));
        self.files.get(&given.value).cloned().unwrap_or_else(|| Err(missing()))
    }
}

fn open(file: &str, read: TraceReader<'_>) -> Result<NamedTrace, BadInput> {
    let refused = |why: String| BadInput::new(format!("'{file}': {why}"));
    let text = read(Path::new(file)).map_err(refused)?;
    let trace = Trace::parse(&text).map_err(|e| refused(e.to_string()))?;
    let named = NamedTrace { file: file.to_owned(), trace: Arc::new(trace) };
    let mean = named.mean_rate();
    if mean < limits::MIN_RATE || mean > limits::MAX_BOTTLENECK {
        return Err(refused(format!(
            "its mean rate of {mean} is outside {} to {}",
            rate_text(limits::MIN_RATE),
            rate_text(limits::MAX_BOTTLENECK)
        )));
    }
    Ok(named)
}
