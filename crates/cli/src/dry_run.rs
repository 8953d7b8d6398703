//! `westwood run --dry-run`: the grid, and how long it would take.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use westwood_experiment::run::{GridProgress, RunBatch, RunTask, baseline_tasks, run, tasks};
use westwood_report::table::wrapped;
use westwood_scenario::counted;
use westwood_scenario::file::{CostEstimate, Scenario};

use crate::exit::Stop;
use crate::output;
use crate::shard::Shard;
use crate::terminal;

/// How many points, evenly spread over the grid, are simulated to measure this machine: controllers and
/// losses make packets cheap or dear.
const SAMPLES: usize = 8;

/// For how long each of them is.
const PATIENCE: Duration = Duration::from_millis(80);

/// More points are counted, not printed.
const MOST_POINTS: usize = 100;

/// The runs of a grid, or of the part of it that is asked for.
pub(crate) struct PlannedRuns {
    /// The part.
    pub(crate) shard: Option<Shard>,
    /// Those in the simulator.
    pub(crate) simulated: Vec<RunTask>,
    /// Those on the kernel.
    pub(crate) real: Vec<RunTask>,
}

/// Prints the points, and an estimate of the time that the runs take: of simulated ones from a moment of
/// some points, of the kernel's from their own length.
pub(crate) fn print(scenario: &Scenario, jobs: usize, planned: &PlannedRuns) -> Result<(), Stop> {
    let seeds = scenario.seeds();
    let mut text = String::new();
    for point in scenario.points().iter().take(MOST_POINTS) {
        let _ = writeln!(
            text,
            "{:>5}  {}  (about {} a run)",
            point.number() + 1,
            point.name(),
            about_packets(point.estimate.packets)
        );
    }
    if let Some(more @ 1..) = scenario.points().len().checked_sub(MOST_POINTS) {
        let _ = writeln!(text, "       and {more} more");
    }
    let runs = tasks(scenario).len();
    let PlannedRuns { shard, simulated, real } = planned;
    let of_which = shard.map_or_else(String::new, |shard| {
        format!(", of which part {shard} does {}", simulated.len() + real.len())
    });
    // Harm is measured beside the rival's own kind, and beside what it has alone.
    let beside = match baseline_tasks(scenario).len() {
        0 => String::new(),
        more => format!(" and {more} of competing flows beside their own kind or alone"),
    };
    let mut sum = format!(
        "{}: {} x {} = {}{beside}{of_which}",
        scenario.name(),
        counted(scenario.points().len() as u64, "point"),
        counted(seeds.len() as u64, "seed"),
        counted(runs as u64, "run"),
    );
    if !simulated.is_empty() || real.is_empty() {
        let points = simulated.iter().filter_map(|task| scenario.point(task.point));
        let packets: u128 = points.map(|point| point.estimate.packets).sum();
        let _ = write!(sum, ", {jobs} at a time, about {}", about_packets(packets));
        if let Some(cost) = seconds_per_packet(scenario) {
            let at_once = jobs.min(simulated.len()).max(1);
            let seconds = to_f64(packets) * cost / to_f64(at_once as u128);
            let _ = write!(sum, ", about {} on free processors", span_text(seconds));
        }
    }
    if !real.is_empty() {
        let nanos = u128::from(scenario.time().as_nanos()) * real.len() as u128;
        let both = if simulated.is_empty() { "" } else { "and as many on Linux, " };
        let span = span_text(to_f64(nanos) / 1e9);
        let _ = write!(sum, ", {both}one after the other in real time, about {span}");
    }
    let _ = writeln!(text, "{}", wrapped(&sum, terminal::style().width));
    output::print(&text)
}

/// The cost of a packet on this machine, as the estimates count packets: the mean over some points,
/// weighted by their packets. None where no flow of these points starts in the moment that is simulated.
fn seconds_per_packet(scenario: &Scenario) -> Option<f64> {
    let points = scenario.points();
    let samples = points.len().min(SAMPLES);
    let (mut seconds, mut packets) = (0.0, 0.0);
    for number in (0..samples).map(|i| i * points.len() / samples) {
        let Some(speed) = packets_per_s(scenario, number) else { continue };
        let sent = to_f64(points[number].estimate.packets);
        seconds += sent / speed;
        packets += sent;
    }
    (packets > 0.0).then(|| seconds / packets)
}

/// Packets a second that this machine simulates of the beginning of a point's run.
fn packets_per_s(scenario: &Scenario, point: usize) -> Option<f64> {
    let task = RunTask { point, seed: *scenario.seeds().first()? };
    let built = scenario.build(&scenario.points()[point], task.seed).ok()?;
    let watch = Arc::new(GridProgress::new(scenario, 1));
    let waiter = Arc::clone(&watch);
    let timer = std::thread::spawn(move || {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE && !waiter.cancel.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        waiter.cancel.store(true, Ordering::Relaxed);
    });
    let begin = Instant::now();
    let _ = run(RunBatch::simulated(scenario, &[task], 1), &watch, |_| Ok::<(), Stop>(()));
    let took = begin.elapsed().as_secs_f64();
    watch.cancel.store(true, Ordering::Relaxed);
    let _ = timer.join();
    // Of the part that was simulated alone: most flows may start later, or stop earlier.
    let speed = to_f64(CostEstimate::packets_until(&built, watch.simulated())) / took;
    (speed.is_finite() && speed > 0.0).then_some(speed)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no more than 53 bits")]
fn to_f64(n: u128) -> f64 {
    n as f64
}

/// Two or three digits of a large number.
fn about_packets(n: u128) -> String {
    match n {
        1 => "1 packet".to_owned(),
        _ => format!("{} packets", short(n)),
    }
}

fn short(n: u128) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{} thousand", n / 1_000),
        1_000_000..10_000_000 => format!("{:.1} million", to_f64(n) / 1e6),
        10_000_000..10_000_000_000 => format!("{} million", n / 1_000_000),
        _ => format!("{} billion", n / 1_000_000_000),
    }
}

fn span_text(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}
