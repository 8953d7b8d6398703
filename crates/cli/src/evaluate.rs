//! `westwood evaluate`: controllers examined by the criteria of a document.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use westwood_experiment::plan::read;
use westwood_experiment::run::{QueueStopped, RunQueue, failed};
use westwood_experiment::store::RunStore;
use westwood_scenario::counted;
use westwood_scenario::file::Built;
use westwood_scenario::spec::ControllerSpec;
use westwood_scorecard::card::AckCost;
use westwood_scorecard::criterion::{self, is_within};
use westwood_scorecard::curves::CardCurves;
use westwood_scorecard::playground::CardLinks;
use westwood_scorecard::run::CardRuns;
use westwood_scorecard::{CardPlan, Examination, Scorecard, examine, page, text};

use crate::args::{EvaluateArgs, JsonTarget};
use crate::cache;
use crate::capture::slug;
use crate::draft::write_whole;
use crate::exit::{CommandExit, Stop};
use crate::linux::{self, Prepared};
use crate::machine::processors;
use crate::output::{MadeFolder, Output, cannot_write, print, tell};
use crate::playground;
use crate::progress::{Bar, Progress, stop_on_interrupt};
use crate::worlds::{self, WorldName};

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Stop> {
    worlds::check_bound(args.bound.bound, args.on == WorldName::Linux)?;
    if let Some(folder) = &args.write {
        return write_criteria(folder, args.quiet);
    }
    let examination = examination(args)?;
    if args.cost && args.on == WorldName::Linux {
        let what = "--cost measures Westwood's controllers, and not those of the kernel: leave out --on linux";
        return Err(Stop::bad_input(what));
    }
    if args.play.is_some() && args.on == WorldName::Linux {
        let what =
            "--play: the playground simulates, and does not run the kernel: leave out --on linux";
        return Err(Stop::bad_input(what));
    }
    let controllers = args.cc.as_ref().map_or(&[][..], |cc| &cc.0);
    let mut plans = Vec::new();
    for controller in controllers {
        let linux = args.on == WorldName::Linux;
        let plan = CardPlan::new(examination.clone(), *controller, linux);
        let mut plan = plan.map_err(Stop::bad_input)?;
        if linux {
            linux::check_controllers(&examination.beside(*controller).map_err(Stop::bad_input)?)?;
            let refused = |built: &Built| linux::unsupported(&built.network);
            plan.leave_out(refused).map_err(Stop::bad_input)?;
        }
        plans.push(plan);
    }
    let outputs = CardOutputs::prepare(args, controllers)?;
    let store = if args.fresh {
        None
    } else {
        let bound = worlds::bound_text(args.bound.bound).unwrap_or_default();
        let world =
            (args.on == WorldName::Linux).then(|| format!("{}{bound}", worlds::kernel_and_day()));
        Some(cache::open(args.cache.as_deref(), "evaluate", world.as_deref(), true)?)
    };
    if args.on == WorldName::Linux {
        linux::enter()?;
    }
    let cancel = Arc::<AtomicBool>::default();
    stop_on_interrupt(vec![Arc::new(CancelSwitch(Arc::clone(&cancel)))])?;
    let mut cards = Vec::new();
    let mut pages = Vec::new();
    let mut opens_playground = args.play.is_some();
    let mut failures = Vec::new();
    for (controller, mut plan) in controllers.iter().zip(plans) {
        let (mut card, runs) = examined(args, &mut plan, store.as_ref(), &cancel)?;
        failures.extend(runs.failures(&plan));
        if args.cost {
            let beside = examination.beside(*controller).map_err(Stop::bad_input)?;
            card.cost = AckCost::measured(&beside);
        }
        if !args.quiet && args.json != Some(JsonTarget::Stdout) {
            print(&text::terminal(&card))?;
        }
        if let Some(output) = outputs.pages.get(cards.len()) {
            let curves = curves(args, &plan, &runs, &cancel)?;
            let playground = output.playground.as_ref();
            let links = playground.map(|address| CardLinks::of(&plan, &card, address));
            let links = links.unwrap_or_default();
            opens_playground |= !links.is_empty();
            pages.push(page::page(&card, &curves, &links, &examination));
        }
        cards.push(card);
    }
    if args.json == Some(JsonTarget::Stdout) {
        print(&json(&cards)?)?;
    }
    outputs.write(&cards, &pages, opens_playground, !args.quiet)?;
    if let Some(what) = failed(&failures) {
        return Err(Stop::new(CommandExit::RunFailed, what));
    }
    check_verdicts(args, &cards)
}

/// The criteria, cut down to the sections that are asked for.
fn examination(args: &EvaluateArgs) -> Result<Examination, Stop> {
    let mut examination = match &args.criteria {
        None => westwood_scorecard::rfc9743(),
        Some(folder) => {
            let files = files_in(folder)?;
            let files: Vec<(&str, &str)> =
                files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            criterion::examination(&files)
        }
    }
    .map_err(Stop::bad_input)?;
    if !args.only.is_empty() {
        let at = |e: westwood_scenario::BadInput| Stop::bad_input(e.at("--only"));
        examination.only(&args.only).map_err(at)?;
    }
    for condition in &args.fail_if {
        let known = |section: &String| {
            examination.criteria.iter().any(|criterion| is_within(&criterion.section, section))
        };
        if let Some(section) = condition.section.as_ref().filter(|section| !known(section)) {
            let what = format!("--fail-if: section {section} is not examined");
            return Err(Stop::bad_input(what));
        }
    }
    Ok(examination)
}

/// The TOML files of a folder and its recorded capacity: name and text.
fn files_in(folder: &Path) -> Result<Vec<(String, String)>, Stop> {
    let refused = |e: std::io::Error| {
        Stop::bad_input(format!("--criteria: '{}' cannot be read: {e}", folder.display()))
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|ending| ending == "toml" || ending == "trace") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&path).map_err(|e| {
                Stop::bad_input(format!("--criteria: '{}' cannot be read: {e}", path.display()))
            })?;
            files.push((name, text));
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the files of the examination that comes with the program.
fn write_criteria(folder: &Path, quiet: bool) -> Result<(), Stop> {
    let _place = MadeFolder::prepare("--write", folder)?;
    let files = westwood_scorecard::files();
    // A file that is there and differs may have been edited.
    let differs = |(path, text): &(PathBuf, &str)| {
        path.exists() && !fs::read(path).is_ok_and(|there| there == text.as_bytes())
    };
    let mut written = files.iter().map(|(name, text)| (folder.join(name), *text));
    if let Some((path, _)) = written.find(differs) {
        return Err(Stop::bad_input(format!(
            "--write: '{}' is there and differs from the criteria of this version; name a new folder",
            path.display()
        )));
    }
    for (name, text) in files {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(|e| cannot_write("--write", &path, &e))?;
    }
    if !quiet {
        tell(format_args!("wrote {} files in {}", files.len(), folder.display()));
    }
    Ok(())
}

/// The curves of a card's page.
fn curves(
    args: &EvaluateArgs,
    plan: &CardPlan,
    runs: &CardRuns,
    cancel: &AtomicBool,
) -> Result<CardCurves, Stop> {
    let jobs = args.jobs.unwrap_or_else(processors);
    let failed = |what: String| {
        let mend = "runs of another build are kept: use --fresh, or another --cache";
        Stop::new(CommandExit::RunFailed, format!("{what}; {mend}"))
    };
    let drawn = CardCurves::draw(plan, runs, jobs, cancel).map_err(failed)?;
    drawn.ok_or_else(interrupted)
}

fn interrupted() -> Stop {
    Stop::new(CommandExit::Interrupted, "interrupted; finished runs are kept")
}

/// The card of a plan, and its runs.
fn examined(
    args: &EvaluateArgs,
    plan: &mut CardPlan,
    store: Option<&RunStore>,
    cancel: &Arc<AtomicBool>,
) -> Result<(Scorecard, CardRuns), Stop> {
    let mut runs = CardRuns::kept(plan, store);
    let simulate = |plan: &CardPlan, runs: &mut CardRuns| simulate(args, plan, runs, store, cancel);
    let told = |card: &Scorecard, open: usize, [had, next]: [usize; 2]| {
        if !args.quiet {
            let (name, all) = (&card.controller, card.settings());
            let (all, had) = (counted(all as u64, "setting"), counted(had as u64, "seed"));
            tell(format_args!(
                "{name}: {open} of {all} undecided after {had}; {next} seeds are next"
            ));
        }
    };
    let card = examine(plan, &mut runs, simulate, told)?;
    Ok((card, runs))
}

fn simulate(
    args: &EvaluateArgs,
    plan: &CardPlan,
    runs: &mut CardRuns,
    store: Option<&RunStore>,
    cancel: &Arc<AtomicBool>,
) -> Result<(), Stop> {
    let queue: Arc<RunQueue> = Arc::new(runs.remaining(plan, Arc::clone(cancel)));
    if plan.linux && !args.quiet {
        let minutes = queue.length().as_secs().div_ceil(60);
        let runs = counted(queue.runs().1 as u64, "run");
        tell(format_args!("{runs} in real time: {minutes} min"));
    }
    let _prepared = plan.linux.then(|| prepare_linux(plan)).transpose()?;
    let world = worlds::open(args.on, args.bound.bound, None);
    let bar = Bar::follow(&queue, args.quiet);
    let jobs = args.jobs.unwrap_or_else(processors);
    let result = runs.run(plan, &queue, &*world, store, jobs);
    drop(bar);
    result.map_err(|stopped| match stopped {
        QueueStopped::Cancelled => interrupted(),
        QueueStopped::Refused(e) => cache::cannot_keep(&e),
    })
}

/// The kernel, ready for every point that something is asked of.
fn prepare_linux(plan: &CardPlan) -> Result<Prepared, Stop> {
    let networks = plan.networks().map_err(Stop::bad_input)?;
    let networks: Vec<_> = networks.into_iter().map(|built| built.network).collect();
    linux::prepare(&networks)
}

/// Criteria with a verdict that counts as failure.
fn check_verdicts(args: &EvaluateArgs, cards: &[Scorecard]) -> Result<(), Stop> {
    for condition in &args.fail_if {
        let mut met = Vec::new();
        for card in cards {
            let about = |section: &str| {
                condition.section.as_ref().is_none_or(|whole| is_within(section, whole))
            };
            let own = card.criteria.iter();
            let own = own.filter(|c| about(&c.section) && c.verdict == condition.verdict);
            met.extend(
                own.map(|criterion| format!("{} in {}", card.controller, criterion.section)),
            );
        }
        // A section may have a criterion for each of its words.
        met.dedup();
        if !met.is_empty() {
            let verdict = condition.verdict.name();
            let what = format!("--fail-if '{verdict}' is met: {}", met.join(", "));
            return Err(Stop::new(CommandExit::CriterionFailed, what));
        }
    }
    Ok(())
}

/// The files of the cards.
struct CardOutputs {
    pages: Vec<CardPage>,
    playground: Option<Output>,
    json: Option<Output>,
    markdown: Option<Output>,
    // After the files in it, so that an empty one can be removed.
    _place: Option<MadeFolder>,
}

/// The page of a card.
struct CardPage {
    output: Output,
    /// The address of the playground as seen from it, if there is one.
    playground: Option<String>,
}

impl CardOutputs {
    /// Checks that everything can be written.
    fn prepare(args: &EvaluateArgs, controllers: &[ControllerSpec]) -> Result<Self, Stop> {
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let mut place = None;
        let mut files: Vec<PathBuf> = Vec::new();
        let mut play = args.play.clone();
        if let Some(path) = &args.html {
            if let [_] = controllers {
                files.push(path.clone());
            } else {
                place = Some(MadeFolder::prepare("--html", path)?);
                let file =
                    |cc: &ControllerSpec| path.join(format!("{}.html", slug(&cc.to_string())));
                files.extend(controllers.iter().map(file));
                let beside = (args.on == WorldName::Sim).then(|| path.join("playground.html"));
                play = play.or(beside);
            }
        }
        let page = |path: &PathBuf| -> Result<CardPage, Stop> {
            let playground = play.as_ref().and_then(|play| playground::address(path, play));
            Ok(CardPage { output: Output::prepare("--html", path)?, playground })
        };
        let flag = if args.play.is_some() { "--play" } else { "--html" };
        Ok(Self {
            pages: files.iter().map(page).collect::<Result<_, _>>()?,
            playground: play.as_ref().map(|path| Output::prepare(flag, path)).transpose()?,
            json,
            markdown: args
                .markdown
                .as_ref()
                .map(|p| Output::prepare("--markdown", p))
                .transpose()?,
            _place: place,
        })
    }

    /// Writes them; the playground only where it is wanted.
    fn write(
        self,
        cards: &[Scorecard],
        pages: &[String],
        with_playground: bool,
        say: bool,
    ) -> Result<(), Stop> {
        for (page, text) in self.pages.into_iter().zip(pages) {
            page.output.write(text, say)?;
        }
        if let Some(output) = self.playground.filter(|_| with_playground) {
            output.write(&playground::page(None), say)?;
        }
        if let Some(output) = self.json {
            output.write(&json(cards)?, say)?;
        }
        self.markdown.map_or(Ok(()), |output| output.write(&text::markdown(cards), say))
    }
}

fn json(cards: &[Scorecard]) -> Result<String, Stop> {
    westwood_scorecard::card::json(cards).map_err(|e| Stop::new(CommandExit::RunFailed, e))
}

/// The switch that ends all runs.
struct CancelSwitch(Arc<AtomicBool>);

impl Progress for CancelSwitch {
    fn position(&self) -> (u64, u64) {
        (0, 0)
    }

    fn message(&self) -> String {
        String::new()
    }

    fn cancel(&self) -> &AtomicBool {
        &self.0
    }
}
