//! From flags to a plan: defaults that depend on other flags, and what does not go together.

use std::path::Path;
use std::sync::Arc;

use westwood_cc::{Duration, Rate};
use westwood_net::{LossConfig, Trace};
use westwood_scenario::BadInput;
use westwood_scenario::compare::{Plan, Recording};
use westwood_scenario::dumbbell::{Dumbbell, NamedTrace, Rivals, Speed};
use westwood_scenario::limits;
use westwood_scenario::metric::Metric;
use westwood_scenario::units::rate_text;

use crate::args::{CompareArgs, JsonTarget, PathArgs};
use crate::exit::Stop;

/// How a file is read: a path to its text, or why not.
pub type Reader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// The plan that the flags mean. Everything is checked; nothing is run and nothing written.
pub fn plan(args: &CompareArgs, read: Reader<'_>) -> Result<Plan, Stop> {
    assemble(args, read).map_err(Stop::bad_input)
}

fn assemble(args: &CompareArgs, read: Reader<'_>) -> Result<Plan, BadInput> {
    let path = dumbbell(args, read)?;
    path.check()?;
    check_criteria(args)?;
    let plan = Plan {
        path,
        controllers: args.cc.0.clone(),
        seeds: seeds(args)?,
        jobs: args.jobs.unwrap_or_else(cores),
        recording: recording(args),
    };
    limits::check(&plan)?;
    Ok(plan)
}

fn dumbbell(args: &CompareArgs, read: Reader<'_>) -> Result<Dumbbell, BadInput> {
    let described = described(&args.path, read)?;
    if args.reverse_cc.is_some() && args.reverse_flows == 0 {
        let what = BadInput::new("there are no reverse flows");
        return Err(what.hint("write --reverse-flows N too").at("--reverse-cc"));
    }
    let (rtt_min, rtt_max) =
        args.rtt_spread.map_or((args.path.rtt, args.path.rtt), |s| (s.min, s.max));
    Ok(Dumbbell {
        rtt_min,
        rtt_max,
        recovery: args.recovery,
        flows: args.flows,
        against: args.against.map(|a| Rivals { controller: a.controller, flows: a.flows }),
        reverse_flows: args.reverse_flows,
        reverse_cc: args.reverse_cc,
        size: args.size,
        packet: args.packet,
        header: args.header,
        ack: args.ack,
        delayed_ack: args.delayed_ack,
        initial_window: args.initial_window,
        min_rto: args.min_rto,
        tuning: args.tuning.tuning(),
        time: args.time,
        warmup: args.warmup.unwrap_or_else(|| usual_warmup(args)),
        ..described
    })
}

/// The path that flags describe, with a single flow.
pub(crate) fn described(path: &PathArgs, read: Reader<'_>) -> Result<Dumbbell, BadInput> {
    let (down, up) = speeds(path, read)?;
    let fastest = down.rate().max(up.rate());
    let (loss, return_loss) = losses(path);
    Ok(Dumbbell {
        access_rate: path.access_rate.unwrap_or_else(|| ten_times(fastest)),
        down,
        up,
        rtt_min: path.rtt,
        rtt_max: path.rtt,
        buffer: path.buffer,
        aqm: path.aqm,
        loss,
        return_loss,
        ..Dumbbell::default()
    })
}

/// 5 s of a usual run, a sixth of a shorter one. Transfers are measured from their beginning.
fn usual_warmup(args: &CompareArgs) -> Duration {
    match args.size {
        Some(_) => Duration::ZERO,
        None => Duration::from_secs(5).min(args.time / 6),
    }
}

/// Losses of both directions come on top of those of the data direction, which has its usual loss
/// only if no other was asked for.
fn losses(path: &PathArgs) -> (Vec<LossConfig>, Vec<LossConfig>) {
    let both = path.loss_both.clone().map(|l| l.0).unwrap_or_default();
    let data = match (&path.loss, &path.loss_both) {
        (Some(loss), _) => loss.0.clone(),
        (None, Some(_)) => Vec::new(),
        (None, None) => Dumbbell::default().loss,
    };
    (data.into_iter().chain(both.clone()).collect(), both)
}

fn speeds(path: &PathArgs, read: Reader<'_>) -> Result<(Speed, Speed), BadInput> {
    let Some(files) = &path.trace else {
        let down = Speed::Fixed(path.rate);
        return Ok((down, Speed::Fixed(path.return_rate.unwrap_or(path.rate))));
    };
    let down = trace(&files.down, read)?;
    let up = match (&files.up, path.return_rate) {
        (Some(_), Some(_)) => {
            return Err(BadInput::new("cannot be used with a recorded return").at("--return-rate"));
        }
        (Some(file), None) => trace(file, read)?,
        (None, rate) => Speed::Fixed(rate.unwrap_or_else(|| down.rate())),
    };
    Ok((down, up))
}

fn trace(file: &str, read: Reader<'_>) -> Result<Speed, BadInput> {
    let refused = |why: &str| BadInput::new(format!("'{file}': {why}")).at("--trace");
    let text = read(Path::new(file)).map_err(|e| refused(&e))?;
    let trace = Trace::parse(&text).map_err(|e| refused(&e.to_string()))?;
    let named = NamedTrace { file: file.to_owned(), trace: Arc::new(trace) };
    let mean = named.mean_rate();
    if mean < limits::MIN_RATE || mean > limits::MAX_BOTTLENECK {
        return Err(refused(&format!(
            "its mean rate of {mean} is outside {} to {}",
            rate_text(limits::MIN_RATE),
            rate_text(limits::MAX_BOTTLENECK)
        )));
    }
    Ok(Speed::Recorded(named))
}

fn ten_times(rate: Rate) -> Rate {
    Rate::from_raw(rate.raw().saturating_mul(10))
}

fn seeds(args: &CompareArgs) -> Result<Vec<u64>, BadInput> {
    let Some(last) = args.seed.checked_add(args.seeds - 1) else {
        let what = format!("{} seeds from {} on exceed {}", args.seeds, args.seed, u64::MAX);
        return Err(BadInput::new(what).at("--seed"));
    };
    Ok((args.seed..=last).collect())
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Windows are recorded for the plot; the rest only for files.
fn recording(args: &CompareArgs) -> Recording {
    if args.html.is_some() || args.svg.is_some() {
        return Recording::Curves;
    }
    let plot = !args.quiet && args.json != Some(JsonTarget::Stdout);
    match (&args.csv, plot) {
        (Some(_), _) => Recording::Everything,
        (None, true) => Recording::Windows,
        (None, false) => Recording::Nothing,
    }
}

/// A criterion about something that no run will have can only mislead.
fn check_criteria(args: &CompareArgs) -> Result<(), BadInput> {
    for criterion in &args.fail_if {
        let missing = match criterion.metric {
            Metric::FctMean | Metric::FctMax if args.size.is_none() => "--size",
            Metric::AgainstGoodput if args.against.is_none() => "--against",
            Metric::ReverseGoodput if args.reverse_flows == 0 => "--reverse-flows",
            _ => continue,
        };
        let what = format!("'{}' needs {missing}", criterion.metric.name());
        return Err(BadInput::new(what).at("--fail-if"));
    }
    Ok(())
}
