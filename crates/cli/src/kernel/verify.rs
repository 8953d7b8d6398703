//! `westwood kernel verify`: the verdict on a recording.

use std::fs::File;
use std::io::BufReader;

use westwood_kernel::recording::Reader;
use westwood_kernel::{ReplayVerdict, Verifier};

use crate::args::KernelVerifyArgs;
use crate::exit::{CommandExit, Stop};
use crate::output::print;

/// Of a file.
pub(crate) fn file(args: &KernelVerifyArgs) -> Result<(), Stop> {
    let Some(path) = &args.file else { return Ok(()) };
    let wrong = |e: &dyn std::fmt::Display| Stop::bad_input(format!("'{}' {e}", path.display()));
    let file = File::open(path).map_err(|e| wrong(&format!("cannot be read: {e}")))?;
    let mut reader = Reader::new(BufReader::new(file)).map_err(|e| wrong(&e))?;
    let mut verifier = Verifier::new(reader.header().spec.choice);
    while let Some(event) = reader.next_event().map_err(|e| wrong(&e))? {
        verifier.take(&event);
    }
    print(&format!("{} on Linux {}\n", reader.header().spec, reader.header().kernel))?;
    conclude(&verifier)
}

/// Prints the verdict and answers with its exit code.
pub(crate) fn conclude(verifier: &Verifier) -> Result<(), Stop> {
    let verdict = verifier.verdict();
    print(&verifier.tally().to_string())?;
    if let Some(first) = &verifier.tally().first {
        print(&first.to_string())?;
    }
    match verdict {
        ReplayVerdict::Equal => print(&format!("verdict: {verdict}\n")),
        ReplayVerdict::Different => Err(Stop::new(CommandExit::RunFailed, verdict)),
        ReplayVerdict::Incomplete | ReplayVerdict::Nothing => {
            Err(Stop::new(CommandExit::InvalidMeasurement, verdict))
        }
    }
}
