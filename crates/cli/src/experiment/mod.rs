//! An experiment, said in flags or in files: `westwood compare` and `westwood run`.
//!
//! Both become the same: scenarios, whose points are run under every seed in every world that is asked
//! for. Nothing runs before everything is checked.

mod job;
mod outputs;

use std::sync::Arc;

use westwood_experiment::ack_cost::counts_cycles;
use westwood_experiment::judgement::{Preference, SavedResult, diff};
use westwood_experiment::metric::Metric;
use westwood_experiment::plan::{ExperimentPlan, paths, read};
use westwood_experiment::run::{GridReport, RunRecord};
use westwood_experiment::{Condition, ConditionResult};
use westwood_report::grid::{self, ReportContext};
use westwood_scenario::file::{Assignment, Built, Scenario, SeriesKind, TraceReader};
use westwood_scenario::{BadInput, counted};
use westwood_sim::Traffic;

use crate::args::{CaptureArgs, CompareArgs, ExperimentOptions, RunArgs};
use crate::capture::CapturePlan;
use crate::dry_run::{self, PlannedRuns};
use crate::exit::{CommandExit, Stop};
use crate::linux::{self, Prepared};
use crate::output::{Output, print, tell};
use crate::progress::{Progress, stop_on_interrupt};
use crate::terminal;
use crate::worlds::{self, WorldName, WorldNames};
use job::{ExperimentJob, JobOutcome};
use outputs::AllOutputs;

/// The time series that a comparison records for its tables.
const TABLES: [SeriesKind; 3] = [SeriesKind::Windows, SeriesKind::Queues, SeriesKind::Rtts];

/// The names that the playground gives the two experiments of a link.
const LETTERS: [char; 2] = ['A', 'B'];

/// `westwood compare`.
pub(crate) fn compare(args: &CompareArgs, command: &str) -> Result<(), Stop> {
    let job = ExperimentJob::new(comparison(args, &read)?, None, &args.options);
    let scenario = args.write_scenario.as_ref();
    let scenario = scenario.map(|path| Output::prepare("--write-scenario", path)).transpose()?;
    let text = job.plan.text.clone();
    perform(&[job], &args.options, command, || {
        let say = !args.options.quiet;
        scenario.map_or(Ok(()), |output| output.write(&text, say))
    })
}

/// The scenario that the flags of a comparison mean.
pub(crate) fn comparison(
    args: &CompareArgs,
    read: TraceReader<'_>,
) -> Result<ExperimentPlan, Stop> {
    let record = if args.options.csv.is_some() { &TABLES[..] } else { &[] };
    ExperimentPlan::of_flags(&args.words.0, record, read).map_err(Stop::bad_input)
}

/// `westwood run`.
pub(crate) fn run(args: &RunArgs, command: &str) -> Result<(), Stop> {
    let set = settings(args).map_err(Stop::bad_input)?;
    let (mut jobs, mut wrong) = (Vec::new(), Vec::new());
    // The faults of all files are reported at once.
    for file in &args.files {
        let paths = paths(file);
        let is_pair = paths.len() > 1;
        for (path, letter) in paths.iter().zip(LETTERS) {
            let letter = is_pair.then_some(letter);
            match ExperimentPlan::of_file(path, &set) {
                Ok(plan) => jobs.push(ExperimentJob::new(plan, letter, &args.options)),
                Err(error) => wrong.push(letter.map_or_else(
                    || error.to_string(),
                    |letter| format!("experiment {letter} of the link: {error}"),
                )),
            }
        }
    }
    if !wrong.is_empty() {
        return Err(Stop::bad_input(wrong.join("\nerror: ")));
    }
    perform(&jobs, &args.options, command, || Ok(()))
}

/// The settings of the command line; those of `--seed` and `--seeds` like any other.
fn settings(args: &RunArgs) -> Result<Vec<Assignment>, String> {
    let flags = [("seed", args.seed), ("seeds", args.seeds)];
    let given = flags.iter().filter_map(|(path, n)| n.map(|n| format!("{path}={n}")));
    let flags = given.map(|text| Assignment::parse(&text).map_err(|e| e.to_string()));
    let all = args.set.iter().cloned().map(Ok).chain(flags).collect::<Result<Vec<_>, String>>()?;
    let is_again = |i: usize| all[..i].iter().any(|before| before.path() == all[i].path());
    match (0..all.len()).find(|&i| is_again(i)) {
        Some(i) if i >= args.set.len() => {
            let (flag, path) = (format!("--{}", all[i].path()), all[i].path());
            Err(BadInput::new(format!("cannot be used together with --set {path}"))
                .at(flag)
                .to_string())
        }
        Some(i) => {
            let what = BadInput::new(format!("'{}' is set twice", all[i].path())).at("--set");
            let hint = "leave one of them out; several values of a field have commas between";
            Err(what.hint(hint).to_string())
        }
        None => Ok(all),
    }
}

/// Checks everything, runs every job, and reports it; `then` writes further files.
fn perform(
    jobs: &[ExperimentJob],
    options: &ExperimentOptions,
    command: &str,
    then: impl FnOnce() -> Result<(), Stop>,
) -> Result<(), Stop> {
    worlds::check_bound(options.bound.bound, options.on.has_linux())?;
    check_whole(options)?;
    jobs.iter().try_for_each(|job| check_metrics(job.scenario(), &options.fail_if))?;
    jobs.iter().try_for_each(|job| check_preference(job.scenario(), options.prefer))?;
    jobs.iter().try_for_each(|job| check_ack_cost(job.scenario(), &options.on))?;
    let base = base_of(options)?;
    let _prepared = options.on.has_linux().then(|| prepare_linux(jobs)).transpose()?;
    let AllOutputs { each: outputs, places: _places } = AllOutputs::prepare(options, jobs)?;
    let asked: Vec<CaptureArgs> = outputs.iter().map(|of| of.captures.clone()).collect();
    let mut captures = planned(options, jobs, &asked)?;
    if options.dry_run {
        for job in jobs {
            print(&job.heading())?;
            let runs = |name| {
                let world = options.on.0.iter().position(|&on| on == name);
                world.map_or_else(Vec::new, |world| job.part(options, world))
            };
            let (simulated, real) = (runs(WorldName::Sim), runs(WorldName::Linux));
            let planned = PlannedRuns { shard: options.shard, simulated, real };
            dry_run::print(job.scenario(), job.jobs(options), &planned)?;
        }
        let mut announced = captures.iter().flatten().map(CapturePlan::announcement);
        return announced.try_for_each(|text| print(&format!("{text}\n")));
    }
    let works = jobs.iter().flat_map(ExperimentJob::works);
    let more = captures.iter().flatten().map(|c| c.watch() as Arc<dyn Progress>);
    stop_on_interrupt(works.chain(more).collect())?;
    captures.iter_mut().flatten().try_for_each(|captures| captures.begin(options.quiet))?;
    let mut failed = Ok(());
    for ((job, outputs), captures) in jobs.iter().zip(outputs).zip(&captures) {
        let outcome = job.run(options, captures, command)?;
        if options.prints() {
            let path = job.plan.words(&outcome.runs.report);
            let shown = ReportContext {
                words: path.as_ref(),
                curves: &outcome.runs.curves,
                rules: options.rules(),
                warnings: &outcome.runs.report.warnings,
                is_part: options.is_part(),
            };
            let text = grid::render(&outcome.runs.report, &shown, terminal::style());
            print(&(job.heading() + &text))?;
        }
        failed = failed
            .and(outcome.verdict())
            .and_then(|()| check_criteria(job.scenario(), &outcome.runs.report, &options.fail_if))
            .and_then(|()| check_base(&outcome, job, base.as_ref(), options));
        outputs.write(options, job, outcome, command)?;
        captures.iter().try_for_each(|c| c.write(job.jobs(options), options.quiet))?;
    }
    then()?;
    failed
}

/// A part of a grid lacks runs: nothing can be judged by it.
fn check_whole(options: &ExperimentOptions) -> Result<(), Stop> {
    let flag = match (&options.fail_if[..], &options.fail_if_worse_than) {
        _ if !options.is_part() => return Ok(()),
        ([], None) => return Ok(()),
        ([], Some(_)) => "--fail-if-worse-than",
        _ => "--fail-if",
    };
    let what =
        BadInput::new("cannot be used together with --shard: a part of the runs is not judged");
    let hint = format!(
        "join the parts with westwood merge --out DIR, then run with --out DIR --resume {flag}"
    );
    Err(Stop::bad_input(what.hint(hint).at(flag)))
}

/// Sees that the kernel can run every point, before anything runs.
fn prepare_linux(jobs: &[ExperimentJob]) -> Result<Prepared, Stop> {
    let mut networks = Vec::new();
    for scenario in jobs.iter().map(ExperimentJob::scenario) {
        for point in scenario.points().iter().chain(scenario.baselines()) {
            let built = scenario.build(point, scenario.seeds().first().copied().unwrap_or(1));
            networks.push(built.map_err(Stop::bad_input)?.network);
        }
    }
    linux::prepare(&networks)
}

/// The captures of each job in each world, if any are asked for.
fn planned<'a>(
    options: &ExperimentOptions,
    jobs: &'a [ExperimentJob],
    asked: &'a [CaptureArgs],
) -> Result<Vec<Vec<CapturePlan<'a>>>, Stop> {
    let mut taken = 0_u64;
    let mut all = Vec::new();
    for (job, asked) in jobs.iter().zip(asked) {
        let mut each = Vec::new();
        for (world, &place) in options.on.0.iter().enumerate() {
            let tasks = job.contestants(options, world);
            let planned = CapturePlan::plan(asked, place, job.scenario(), &tasks, taken)?;
            taken = taken.saturating_add(planned.as_ref().map_or(0, CapturePlan::estimate));
            each.extend(planned);
        }
        all.push(each);
    }
    Ok(all)
}

/// The kernel's controllers have no cost to be measured here.
fn check_ack_cost(scenario: &Scenario, on: &WorldNames) -> Result<(), Stop> {
    let asked = scenario.points().iter().any(|point| point.ack_cost.is_some());
    if asked && on.0.iter().all(|&world| world == WorldName::Linux) {
        let what = BadInput::new(
            "an ACK's cost is that of Westwood's controllers, and not of the kernel's",
        );
        return Err(Stop::bad_input(what.hint("leave out ack_cost, or --on linux").at("ack_cost")));
    }
    Ok(())
}

/// A criterion about something that no run will have can only mislead.
fn check_metrics(scenario: &Scenario, criteria: &[Condition]) -> Result<(), Stop> {
    if criteria.is_empty() {
        return Ok(());
    }
    let Some(&seed) = scenario.seeds().first() else { return Ok(()) };
    let costs = scenario.points().iter().any(|point| point.ack_cost.is_some());
    let built = scenario.points().iter().filter_map(|point| scenario.build(point, seed).ok());
    let built: Vec<Built> = built.collect();
    for criterion in criteria {
        let mut compared = scenario.points().iter().filter_map(|point| point.cc);
        let only = criterion.controller_of(scenario);
        let only = only.map_err(|error| Stop::bad_input(error.at("--fail-if")))?;
        if let Some(cc) = only.filter(|cc| compared.all(|other| other != *cc)) {
            let what = BadInput::new(format!("'{cc}' is not compared"));
            return Err(Stop::bad_input(what.hint("add it to cc").at("--fail-if")));
        }
        // One point of a sweep may have what another lacks.
        let missing = built.iter().map(|built| missing(criterion.metric, built, costs));
        let missing = missing.reduce(Option::and).flatten();
        if let Some(missing) = missing {
            let what = format!("--fail-if: '{}' needs {missing}", criterion.metric.name());
            return Err(Stop::bad_input(what));
        }
    }
    Ok(())
}

/// The thing without which no run of a network has a quantity, or only a meaningless one.
fn missing(metric: Metric, built: &Built, costs: bool) -> Option<&'static str> {
    let has = |name: &str| built.layout.groups.iter().any(|group| group.name == name);
    let network = &built.network;
    let has_media = network.flows.iter().any(|flow| matches!(flow.traffic, Traffic::Media(_)));
    let changes = network.links.iter().any(|link| !link.config.schedule.is_empty());
    let (tested, lasts) = (built.layout.tested_flows().len(), !network.probes.progress.is_empty());
    match metric {
        metric if network.probes.without_rtts && metric.is_of_delays() => Some("measure.delays"),
        Metric::FctMean | Metric::FctMax | Metric::Unfinished if !built.has_transfers() => {
            Some("a size to transfer")
        }
        Metric::AgainstGoodput
        | Metric::Harm
        | Metric::SoloHarmRate
        | Metric::SoloHarmDelay
        | Metric::SoloHarmLoss
        | Metric::SoloHarmFct
        | Metric::LeastCompetingShare
            if !has("rival") =>
        {
            Some("flows to compete against")
        }
        Metric::FrameDelayP95 if !has_media => Some("a media flow"),
        // The index of one flow is always 1.
        Metric::Jain if tested < 2 => Some("several flows under test; raise flows"),
        Metric::LeastShare if tested < 2 && !has("rival") => Some("several flows; raise flows"),
        Metric::Convergence if tested < 2 || !lasts => Some("several flows that last"),
        Metric::Recovery if !changes || !lasts => Some("flows that last, and a link that changes"),
        Metric::AckCost | Metric::AckCycles if !costs => Some("measure.ack_cost"),
        Metric::AckCycles if !counts_cycles() => {
            Some("a processor whose counter of cycles has a constant rate")
        }
        Metric::ReverseGoodput if !has("reverse") => Some("reverse flows"),
        _ => None,
    }
}

/// A preference for what no run tells would name a leader by something else.
fn check_preference(scenario: &Scenario, preference: Preference) -> Result<(), Stop> {
    let Some(&seed) = scenario.seeds().first() else { return Ok(()) };
    let built = scenario.points().iter().filter_map(|point| scenario.build(point, seed).ok());
    let built: Vec<Built> = built.collect();
    let is_fair = |built: &Built| {
        let has_rivals = built.layout.groups.iter().any(|group| group.name == "rival");
        has_rivals || built.layout.tested_flows().len() > 1 && !built.has_transfers()
    };
    let missing = match preference {
        Preference::Fairness if !built.is_empty() && !built.iter().any(is_fair) => {
            "several flows that last, or flows to compete against"
        }
        Preference::Delay if built.iter().any(|built| built.network.probes.without_rtts) => {
            "measure.delays"
        }
        _ => return Ok(()),
    };
    Err(Stop::bad_input(format!("--prefer: '{}' needs {missing}", preference.name())))
}

/// Whether a criterion is met by a point of the grid.
fn check_criteria(
    scenario: &Scenario,
    report: &GridReport,
    criteria: &[Condition],
) -> Result<(), Stop> {
    for criterion in criteria {
        let only = criterion.controller_of(scenario).map_err(Stop::bad_input)?;
        let only = only.map(|controller| controller.to_string());
        // Of whatever world.
        let is_other = |cc: &String| {
            let name = cc.split_once('@').map_or(cc.as_str(), |(name, _)| name);
            only.as_ref().is_some_and(|only| only != name)
        };
        let (mut failed, mut known) = (Vec::new(), false);
        for (number, point) in report.points.iter().enumerate() {
            if point.cc.as_ref().is_some_and(is_other) {
                continue;
            }
            let metric = criterion.metric;
            let tells = |run: &&RunRecord| metric != Metric::Jain || tested(run) > 1;
            let runs = report.runs.iter().filter(|run| run.point == number).filter(tells);
            let judged = criterion.judged(runs.filter_map(|run| run.summary.as_ref()));
            known |= judged != ConditionResult::Unknown;
            failed.extend(match judged {
                ConditionResult::Met(mean) => {
                    Some(format!("{} has {} {}", point.name, metric.name(), metric.text(mean)))
                }
                ConditionResult::Never { never, of } => {
                    let of = counted(of as u64, "run");
                    Some(format!("{} has no {} in {never} of {of}", point.name, metric.name()))
                }
                ConditionResult::Unmet | ConditionResult::Unknown => None,
            });
        }
        if !failed.is_empty() {
            let what = format!("--fail-if '{criterion}' is met: {}", failed.join(", "));
            return Err(Stop::new(CommandExit::CriterionFailed, what));
        }
        if !known {
            let what = format!("--fail-if '{criterion}' cannot be judged: no run has such a value");
            return Err(Stop::new(CommandExit::InvalidMeasurement, what));
        }
    }
    Ok(())
}

/// The number of flows under test of a run.
fn tested(run: &RunRecord) -> usize {
    run.groups.iter().filter(|group| group.tested).map(|group| group.flows.len()).sum()
}

/// Whether a saved result was clearly better in anything.
fn check_base(
    outcome: &JobOutcome,
    job: &ExperimentJob,
    base: Option<&SavedResult>,
    options: &ExperimentOptions,
) -> Result<(), Stop> {
    let Some(base) = base else { return Ok(()) };
    let report = &outcome.runs.report;
    let own = SavedResult::of_report(report).over(job.plan.words(report));
    let found = diff(base, &own, options.practical);
    if found.paired == 0 && found.lost.is_empty() {
        let what = "--fail-if-worse-than: the two results have no run in common: a point of the same \
                    name and seed";
        return Err(Stop::bad_input(what));
    }
    if !found.settings.is_empty() {
        let what = format!(
            "--fail-if-worse-than: the result is of another experiment: {}",
            found.settings_text()
        );
        return Err(Stop::bad_input(BadInput::new(what).hint("make both with the same settings")));
    }
    if let Some(undecided) = found.undecided_text() {
        tell(format_args!("note: --fail-if-worse-than: {undecided}"));
    }
    let worse = found.worse();
    if worse.is_empty() {
        return Ok(());
    }
    let what = format!("--fail-if-worse-than is met: {}", worse.join(", "));
    Err(Stop::new(CommandExit::CriterionFailed, what))
}

/// The result of `--fail-if-worse-than`.
fn base_of(options: &ExperimentOptions) -> Result<Option<SavedResult>, Stop> {
    let Some(path) = &options.fail_if_worse_than else { return Ok(None) };
    saved("--fail-if-worse-than", path).map(Some)
}

/// A saved result.
pub(crate) fn saved(flag: &str, path: &std::path::Path) -> Result<SavedResult, Stop> {
    let place = format!("{flag}: '{}'", path.display());
    if path.is_dir() {
        return Err(Stop::bad_input(format!("{place} is a folder; name the results.json in it")));
    }
    let text = read(path).map_err(|e| Stop::bad_input(format!("{place} cannot be read: {e}")))?;
    SavedResult::parse(&text).map_err(|e| Stop::bad_input(format!("{place} {e}")))
}
