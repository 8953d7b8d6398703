//! `--pcap`: packets written as Wireshark reads them. Simulated runs are simulated once more for it,
//! real ones are captured as they run.

mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use westwood_capture::write::{Capture, CaptureError, CapturePoint};
use westwood_experiment::run::{GridProgress, RunTask, TapFactory, tapped};
use westwood_scenario::file::{Built, GridPoint, Scenario};
use westwood_scenario::{BadInput, counted};

use crate::args::{CaptureArgs, CaptureSeeds};
use crate::draft::{draft, remove_abandoned};
use crate::exit::{CommandExit, Stop};
use crate::output::{self, check_folder, tell};
use crate::progress::Bar;
use crate::worlds::WorldName;
use files::Files;

pub(crate) use files::{Draft, slug};

/// The name of a file that is never written: its draft shows that a folder takes files.
const PROBE: &str = "westwood";
/// Files of one run; more open at once than a usual system allows, and more than a reader opens.
const MOST_PLACES: usize = 256;
/// Files in all.
const MOST_FILES: usize = 10_000;
/// Files open at once, of the 1024 that a usual system allows.
const MOST_OPEN: usize = 512;
/// The bytes that a pcapng file adds to a packet: the block, its flags and padding.
const BLOCK: u64 = 48;
/// Bytes of a packet that are written at most, whatever the snap length: a usual one with headers.
const USUAL_PACKET: u64 = 1_580;

/// Captures that are to be made.
pub(crate) struct CapturePlan<'a> {
    place: WorldName,
    pub(crate) args: &'a CaptureArgs,
    pub(crate) folder: &'a Path,
    pub(crate) scenario: &'a Scenario,
    pub(crate) tasks: Vec<RunTask>,
    /// Files of the run with the most.
    places: usize,
    files: usize,
    /// Bytes that they take at most, by estimate.
    estimate: u64,
    watch: Arc<GridProgress>,
    pub(crate) done: Mutex<CaptureTally>,
    /// The folder was made for them.
    made: bool,
}

impl<'a> CapturePlan<'a> {
    /// Checks what is asked for: that every place exists, and that there is room beside what others
    /// will have `taken`. None if nothing is.
    pub(crate) fn plan(
        args: &'a CaptureArgs,
        place: WorldName,
        scenario: &'a Scenario,
        tasks: &[RunTask],
        taken: u64,
    ) -> Result<Option<Self>, Stop> {
        let Some(folder) = &args.pcap else { return Ok(None) };
        let first = scenario.seeds().first().copied();
        let wanted =
            |task: &&RunTask| args.pcap_seeds == CaptureSeeds::All || Some(task.seed) == first;
        let tasks: Vec<RunTask> = tasks.iter().filter(wanted).copied().collect();
        let watch = Arc::new(GridProgress::new(scenario, tasks.len()));
        let mut plan = Self {
            place,
            args,
            folder,
            scenario,
            tasks,
            places: 0,
            files: 0,
            estimate: 0,
            watch,
            done: Mutex::default(),
            made: false,
        };
        plan.count().map_err(Stop::bad_input)?;
        plan.check_disk_space(taken)?;
        Ok(Some(plan))
    }

    /// Counts files and bytes of every run.
    fn count(&mut self) -> Result<(), BadInput> {
        let mut known: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
        for task in &self.tasks {
            let (places, bytes) = match known.get(&task.point) {
                Some(found) => *found,
                None => *known.entry(task.point).or_insert(self.cost(*task)?),
            };
            self.places = self.places.max(places);
            self.files += places;
            self.estimate = self.estimate.saturating_add(bytes);
            if places > MOST_PLACES || self.files > MOST_FILES {
                let what = format!(
                    "at most {MOST_PLACES} places of a run and {MOST_FILES} files in all can be captured"
                );
                let what = BadInput::new(what).hint("name those that you want to see");
                return Err(what.at("--pcap-points"));
            }
        }
        Ok(())
    }

    /// The number of files that a run makes, and their bytes at most.
    fn cost(&self, task: RunTask) -> Result<(usize, u64), BadInput> {
        let Some(point) = self.scenario.points().get(task.point) else { return Ok((0, 0)) };
        let built = self.scenario.build(point, task.seed);
        let built = built.map_err(|e| BadInput::new(e.lines().join("; ")))?;
        let simulated = built.network.flows.iter().filter(|_| self.place == WorldName::Sim);
        for flow in simulated {
            westwood_capture::write::check(flow)
                .map_err(|e| BadInput::new(e.to_string()).at("--pcap"))?;
        }
        let places = self.args.pcap_points.of(&built).map_err(|e| e.at("--pcap-points"))?;
        let core = |p: &&CapturePoint| matches!(p, CapturePoint::Link(l) if built.layout.links.contains(l));
        let of_core = places.iter().filter(core).count() as u64;
        let others = places.len() as u64 - of_core;
        // Each packet and its ACK pass a link once, and an end and an access link twice each.
        let packets = u64::try_from(point.estimate.packets).unwrap_or(u64::MAX).saturating_mul(2);
        let seen = of_core.min(1) + others.min(4);
        let each = u64::from(self.args.pcap_snaplen).min(USUAL_PACKET) + BLOCK;
        Ok((places.len(), packets.saturating_mul(seen).saturating_mul(each)))
    }

    fn check_disk_space(&self, taken: u64) -> Result<(), Stop> {
        let folder = self.folder.display();
        check_folder("--pcap", self.folder)?;
        let needed = self.estimate.saturating_add(taken);
        match self.free() {
            Some(free) if free < needed => Err(Stop::bad_input(format!(
                "--pcap: the captures may take {}, and '{folder}' has {} free; name fewer places with \
                 --pcap-points, or shorten --pcap-snaplen or the time",
                size_text(needed),
                size_text(free)
            ))),
            _ => Ok(()),
        }
    }

    /// Room on the disk where the folder is or will be; none where no disk is, as below /proc.
    fn free(&self) -> Option<u64> {
        let there = self.folder.ancestors().find(|p| p.exists()).unwrap_or(Path::new("."));
        fs4::statvfs(there).ok().filter(|disk| disk.total_space() > 0).map(|d| d.available_space())
    }

    /// Bytes that they take at most, by estimate.
    pub(crate) fn estimate(&self) -> u64 {
        self.estimate
    }

    /// The announcement of the captures to be made.
    pub(crate) fn announcement(&self) -> String {
        let free = self.free().map(|free| format!(" of {} free", size_text(free)));
        format!(
            "captures: {} in {}, at most about {}{}",
            counted(self.files as u64, "file"),
            self.folder.display(),
            size_text(self.estimate),
            free.unwrap_or_default()
        )
    }

    /// Makes the folder, sees that files can be written there, and announces the captures.
    pub(crate) fn begin(&mut self, quiet: bool) -> Result<(), Stop> {
        if !quiet {
            tell(format_args!("{}", self.announcement()));
        }
        self.made = !self.folder.exists();
        let probe = draft(self.folder, PROBE);
        remove_abandoned(self.folder, |name| name == PROBE);
        Draft::remove_abandoned(self.folder);
        fs::create_dir_all(self.folder)
            .and_then(|()| File::create(&probe))
            .and_then(|_| fs::remove_file(&probe))
            .map_err(|e| output::cannot_write("--pcap", self.folder, &e))
    }

    /// The world whose runs are captured.
    pub(crate) fn place(&self) -> WorldName {
        self.place
    }

    /// The progress of the captured runs, by which they can be ended.
    pub(crate) fn watch(&self) -> Arc<GridProgress> {
        Arc::clone(&self.watch)
    }

    /// Runs everything once more that can be, writes the files, and says what there is.
    pub(crate) fn write(&self, jobs: usize, quiet: bool) -> Result<(), Stop> {
        if self.place == WorldName::Sim {
            let jobs = jobs.min(MOST_OPEN / self.places.max(1)).max(1);
            let bar = Bar::follow(&self.watch, quiet);
            let done = tapped(self.scenario, &self.tasks, jobs, &self.watch, self);
            drop(bar);
            if !done? {
                return Err(Stop::new(CommandExit::Interrupted, "interrupted"));
            }
        }
        let tally = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if !quiet {
            let (files, bytes) = (counted(tally.files as u64, "file"), size_text(tally.bytes));
            tell(format_args!("captures in {}: {files}, {bytes}", self.folder.display()));
        }
        tally.failed.first().map_or(Ok(()), |why| Err(Stop::new(CommandExit::RunFailed, why)))
    }
}

impl CapturePlan<'_> {
    /// The files of a run, in the order of its places.
    pub(crate) fn drafts(
        &self,
        task: RunTask,
        built: &Built,
    ) -> Result<Vec<(CapturePoint, Draft)>, BadInput> {
        let places = self.args.pcap_points.of(built).map_err(|e| e.at("--pcap-points"))?;
        let point = self.scenario.points().get(task.point).map(GridPoint::name).unwrap_or_default();
        let point = match self.place {
            WorldName::Sim => point,
            // As its runs are called.
            WorldName::Linux => point + "@linux",
        };
        let run = format!("{}-{}-seed{}", task.point + 1, slug(&point), task.seed);
        let mut names = BTreeSet::new();
        let mut draft = |place: CapturePoint| {
            let mut name = format!("{run}-{}", slug(place.name(&built.network)));
            // Different names may look alike without their signs.
            while !names.insert(name.clone()) {
                name.push('+');
            }
            (place, Draft::new(self.folder, &format!("{name}.pcapng")))
        };
        Ok(places.into_iter().map(&mut draft).collect())
    }
}

impl Drop for CapturePlan<'_> {
    fn drop(&mut self) {
        if self.made {
            // Fails, as it should, if a file has come to be in it.
            let _ = fs::remove_dir(self.folder);
        }
    }
}

impl TapFactory for CapturePlan<'_> {
    type Tap = Files;
    type Error = Stop;

    fn begin(&self, task: RunTask, built: &Built) -> Result<Files, Stop> {
        let network = &built.network;
        let mut files = Files { drafts: Vec::new(), capture: None };
        for (place, draft) in self.drafts(task, built).map_err(Stop::bad_input)? {
            let begun = File::create(&draft.path).map_err(CaptureError::Io).and_then(|file| {
                let to = BufWriter::new(file);
                match &mut files.capture {
                    Some(capture) => capture.also(to, network, place),
                    none => {
                        *none = Some(Capture::new(to, network, place, self.args.pcap_snaplen)?);
                        Ok(())
                    }
                }
            });
            begun.map_err(|e| cannot_write(self.folder, &e))?;
            files.drafts.push(draft);
        }
        Ok(files)
    }

    fn end(&self, task: RunTask, result: Result<Files, String>) -> Result<(), Stop> {
        let mut tally = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = match result {
            Ok(files) => files,
            Err(why) => {
                let point = self.scenario.points().get(task.point).map(GridPoint::name);
                let (point, seed) = (point.unwrap_or_default(), task.seed);
                tally.failed.push(format!("--pcap: {point} with seed {seed}: {why}"));
                return Ok(());
            }
        };
        let done = files.capture.take().map_or(Ok(0), Capture::finish);
        done.map_err(|e| cannot_write(self.folder, &e))?;
        for draft in files.drafts {
            let bytes =
                draft.keep().map_err(|e| cannot_write(self.folder, &CaptureError::Io(e)))?;
            tally.files += 1;
            tally.bytes += bytes;
        }
        Ok(())
    }
}

fn cannot_write(folder: &Path, error: &CaptureError) -> Stop {
    Stop::new(CommandExit::Environment, not_written(folder, error))
}

pub(crate) fn not_written(folder: &Path, error: &CaptureError) -> String {
    format!(
        "--pcap: captures in '{}' cannot be written: {error}; those that are whole are kept",
        folder.display()
    )
}

/// The count of captures made.
#[derive(Default)]
pub(crate) struct CaptureTally {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// The reasons why runs could not be captured.
    failed: Vec<String>,
}

/// Bytes with three digits.
fn size_text(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, "byte"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        10_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
