//! `westwood trace`: recorded capacity from other formats, and made-up capacity.

use std::path::Path;
use std::sync::Arc;

use westwood_experiment::plan::read;
use westwood_net::Trace;
use westwood_scenario::BadInput;
use westwood_scenario::dumbbell::NamedTrace;
use westwood_scenario::traces::{CsvForm, ErrantProfile, TraceFault, mahimahi, opportunities};

use crate::args::{TraceArgs, TraceCommand, TraceFormat, TraceGenerateArgs, TraceImportArgs};
use crate::exit::Stop;
use crate::output::{Output, print, tell};

pub(crate) fn run(args: &TraceArgs) -> Result<(), Stop> {
    match &args.command {
        TraceCommand::Import(args) => import(args),
        TraceCommand::Generate(args) => generate(args),
    }
}

fn import(args: &TraceImportArgs) -> Result<(), Stop> {
    let file = args.recording.display().to_string();
    let text = read(&args.recording)
        .map_err(|e| Stop::bad_input(format!("'{file}' cannot be read: {e}")))?;
    let made = imported(args, &text, &file).map_err(Stop::bad_input)?;
    put(&made, args.out.as_deref(), args.format != TraceFormat::Errant)
}

fn imported(args: &TraceImportArgs, text: &str, file: &str) -> Result<String, BadInput> {
    let within = |fault: TraceFault| fault.within(file);
    if args.profile.is_some() && args.format != TraceFormat::Errant {
        let what = BadInput::new("a profile is one of a table of ERRANT's").at("--profile");
        return Err(what.hint("write --format errant, or leave out --profile"));
    }
    match args.format {
        TraceFormat::Mahimahi => mahimahi(text).map_err(within),
        TraceFormat::Errant => {
            let profile = args.profile.as_deref().unwrap_or_default();
            Ok(ErrantProfile::read(text, profile).map_err(within)?.scenario())
        }
        TraceFormat::Csv => {
            let form = CsvForm {
                time: args.time_column.clone(),
                rate: args.rate_column.clone(),
                time_unit: args.time_unit.clone(),
                rate_unit: args.rate_unit.clone(),
            };
            let trace = opportunities(form.read(text).map_err(within)?);
            let trace = trace.map_err(|what| what.at(file))?;
            // A trace that a link refuses is not written.
            mahimahi(&trace).map_err(|fault| fault.what.at(file))
        }
    }
}

fn generate(args: &TraceGenerateArgs) -> Result<(), Stop> {
    let most = args.most.unwrap_or_else(|| args.kind.usual_most());
    let trace = args.kind.trace(args.seed, args.time, most).map_err(Stop::bad_input)?;
    put(&trace, args.out.as_deref(), true)
}

/// Prints it, or writes it and says what it is.
fn put(text: &str, out: Option<&Path>, is_trace: bool) -> Result<(), Stop> {
    let Some(out) = out else { return print(text) };
    Output::prepare("--out", out)?.write(text, true)?;
    if let Some(trace) = Trace::parse(text).ok().filter(|_| is_trace) {
        let (period, count) = (trace.period(), trace.len());
        // The rate is the exact one, which experiments print: a trace's own loses low bits where it is long.
        let named = NamedTrace { file: out.display().to_string(), trace: Arc::new(trace) };
        let mean = named.mean_rate();
        tell(format_args!("{count} opportunities in {period}, {mean} on average"));
    }
    Ok(())
}
