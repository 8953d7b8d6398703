//! Curves of a few runs, which are simulated once more with everything recorded that a drawing shows.

use std::sync::atomic::Ordering;

use westwood_net::Limit;
use westwood_sim::{Control, FlowSpec, Probes, Traffic, Workload};

use super::parallel::each;
use super::progress::GridProgress;
use super::record::RunRecord;
use super::sequence::{TimeSequence, around_first_loss};
use super::series::{self, Detail, RunSeries, series_of};
use super::summary::summarize;
use super::task::RunTask;
use crate::world::{WorldError, WorldOutcome, measured};
use westwood_scenario::dumbbell::{bps, millis, seconds};
use westwood_scenario::file::{Built, GridPoint, Scenario, rate_of};
use westwood_scenario::sorting::SortedMap;

/// The most settings that are drawn closely: the first, the middle one and the last.
const CLOSE_SETTINGS: usize = 3;
/// The most points of a setting that are drawn: the first ones.
const MOST_POINTS: usize = 12;
/// The most seeds that are drawn: the first ones.
const MOST_SEEDS: usize = 5;
/// The most runs of all seeds together, since their records are kept together.
const MOST_RUNS: usize = 36;
/// The most thinned runs of all other settings, with the first seed.
const MOST_OTHER_RUNS: usize = 72;

/// A run that is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnRun {
    /// The run.
    pub task: RunTask,
    /// The detail of its curves.
    pub detail: Detail,
}

/// A run over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The run.
    pub task: RunTask,
    /// The detail in which it was recorded.
    pub detail: Detail,
    /// The recorded series. Flows are numbered as in `scene`: those under test, then the others.
    pub series: RunSeries,
    /// The network of the run.
    pub context: CurveContext,
    /// The first flow around its first loss, of a run that is drawn most closely.
    pub sequence: Option<TimeSequence>,
    /// Simulated time, in seconds.
    pub sim_s: f64,
}

/// The properties of a network that a drawing over time shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveContext {
    /// The beginning of measuring, in seconds.
    pub warmup_s: f64,
    /// The measured link's rate, in bits a second; with recorded capacity its mean.
    pub rate_bps: f64,
    /// The bytes of a full packet, if those of all flows are of the same size.
    pub packet_bytes: Option<u64>,
    /// The measured link's buffer, if it is counted in packets.
    pub buffer_packets: Option<u64>,
    /// The longest round trip of a flow under test over empty queues, in milliseconds.
    pub rtt_ms: f64,
    /// A name for that round trip, if all flows under test have it all the time.
    pub rtt_name: Option<&'static str>,
    /// The links have the same rate, delay and queue all the time.
    pub steady: bool,
    /// The names of the flows under test.
    pub tested: Vec<String>,
    /// The names of the other flows that pass the measured link.
    pub others: Vec<String>,
    /// All of these want as much as they can get, all the time, so that there is a fair share.
    pub greedy: bool,
}

/// The runs that are drawn.
///
/// * On a terminal ([`Detail::Windows`]): the first, the middle and the last setting of the sweep with the
///   first seed, at most twelve points of each.
/// * On a page: the same settings with up to five seeds, fewer if these would be more than 36 runs. The first
///   seed is followed most closely, the others are thinned. The other settings are thinned too and have the
///   first seed: all of them, or as many at even distances as have 72 runs.
pub fn drawn(scenario: &Scenario, detail: Detail) -> Vec<DrawnRun> {
    let settings = settings(scenario);
    let last = settings.len().saturating_sub(1);
    let (close, others): (Vec<_>, Vec<_>) = settings
        .into_iter()
        .enumerate()
        .partition(|(i, _)| last < CLOSE_SETTINGS || [0, last / 2, last].contains(i));
    let points = |of: Vec<(usize, Vec<usize>)>| -> Vec<usize> {
        of.into_iter().flat_map(|(_, points)| points).collect()
    };
    let (close, others) = (points(close), points(evenly(others)));
    let (seeds, others) = match detail {
        Detail::Windows => (1, Vec::new()),
        Detail::Curves | Detail::Thinned => {
            ((MOST_RUNS / close.len().max(1)).clamp(1, MOST_SEEDS), others)
        }
    };
    let numbers = scenario.seeds();
    let mut runs = Vec::new();
    for point in close {
        for (i, &seed) in numbers.iter().take(seeds).enumerate() {
            let detail = if i == 0 { detail } else { Detail::Thinned };
            runs.push(DrawnRun { task: RunTask { point, seed }, detail });
        }
    }
    if let Some(&seed) = numbers.first() {
        let thinned = |point| RunTask { point, seed };
        let detail = Detail::Thinned;
        runs.extend(others.into_iter().map(|point| DrawnRun { task: thinned(point), detail }));
    }
    runs
}

/// Keeps settings at even distances, so that no more than [`MOST_OTHER_RUNS`] runs are drawn.
fn evenly(mut settings: Vec<(usize, Vec<usize>)>) -> Vec<(usize, Vec<usize>)> {
    let largest = settings.iter().map(|(_, points)| points.len()).max().unwrap_or(0);
    let (count, most) = (settings.len(), MOST_OTHER_RUNS / largest.max(1));
    if count > most {
        let mut i = 0;
        settings.retain(|_| {
            i += 1;
            // Of the first i settings i * most / count are kept.
            i * most / count > (i - 1) * most / count
        });
    }
    settings
}

/// The settings of the sweep, in the order of the grid, each with the points that are drawn of it.
fn settings(scenario: &Scenario) -> Vec<Vec<usize>> {
    let mut places: SortedMap<Vec<&str>, usize> = SortedMap::default();
    let mut settings: Vec<Vec<usize>> = Vec::new();
    for (i, point) in scenario.points().iter().enumerate() {
        let fields = point.settings.iter().filter(|setting| setting.path != "cc");
        let here: Vec<&str> = fields.map(|setting| setting.value.as_str()).collect();
        let place = *places.or_insert_with(here, || settings.len());
        match settings.get_mut(place) {
            Some(points) if points.len() < MOST_POINTS => points.push(i),
            Some(_) => {}
            None => settings.push(vec![i]),
        }
    }
    settings
}

/// Simulates these runs once more, `jobs` at a time, and records their curves in such detail: runs of an
/// earlier execution. Each must give the results of the run itself.
///
/// None if the work was cancelled.
///
/// # Errors
///
/// The reason why a run cannot be simulated again, or that it gave something else.
pub fn curves(
    scenario: &Scenario,
    runs: &[(RunRecord, Detail)],
    jobs: usize,
    watch: &GridProgress,
) -> Result<Option<Vec<Curves>>, String> {
    let found = std::sync::Mutex::new(Vec::new());
    let all = each(runs, jobs, |i, (run, detail)| {
        if watch.cancel.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let progress = watch.done.get(i);
        let control = Control { cancel: Some(&watch.cancel), progress, ..Control::default() };
        let drawn = DrawnRun { task: run.task(), detail: *detail };
        let Some(curves) = one(scenario, drawn, run, control)? else {
            return Ok(false);
        };
        if let Some(done) = progress {
            done.store(scenario.time().as_nanos(), Ordering::Relaxed);
        }
        found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(curves);
        Ok::<bool, String>(true)
    })?;
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by_key(|curves| curves.task);
    Ok(all.then_some(found))
}

/// The curves of one run; `None` if it was cancelled.
fn one(
    scenario: &Scenario,
    DrawnRun { task, detail }: DrawnRun,
    run: &RunRecord,
    control: Control<'_>,
) -> Result<Option<Curves>, String> {
    let point = scenario.points().get(task.point);
    let point = point.ok_or_else(|| format!("there is no point {}", task.point))?;
    let built = scenario.build(point, task.seed);
    let mut built = built.map_err(|error| error.lines().join("; "))?;
    let Probes { delays, one_way, progress, without_rtts, .. } = built.network.probes;
    let recorded = probes(detail, point, &built);
    built.network.probes = Probes { delays, one_way, progress, without_rtts, ..recorded };
    let simulated = match measured(&mut built, control) {
        Ok(simulated) => simulated,
        Err(WorldError::Cancelled) => return Ok(None),
        Err(error) => return Err(format!("{}, seed {}: {error}", point.name(), task.seed)),
    };
    let mut curves = curves_of(point, DrawnRun { task, detail }, &built, &simulated);
    if detail == Detail::Curves {
        curves.sequence = around_first_loss(&built, &curves.series);
    }
    let mut again = summarize(point, task.seed, &built, simulated).record;
    if let (Some(again), Some(run)) = (&mut again.summary, &run.summary) {
        // Harm is found beside other runs, whether anything is random beside other seeds, and the cost of an
        // ACK by a clock.
        (again.harm, again.exact) = (run.harm, run.exact);
        (again.ack_cost_ns, again.ack_cost_cycles) = (run.ack_cost_ns, run.ack_cost_cycles);
        again.conduct.solo_harm = run.conduct.solo_harm;
    }
    if again != *run {
        let (name, seed) = (point.name(), task.seed);
        return Err(format!("{name}, seed {seed}: the run drawn differs from the run itself"));
    }
    Ok(Some(curves))
}

/// The curves of a run that was recorded with these [`probes`].
pub(super) fn curves_of(
    point: &GridPoint,
    DrawnRun { task, detail }: DrawnRun,
    built: &Built,
    ran: &WorldOutcome,
) -> Curves {
    let records = ran.outcome.records.clone();
    let base_rtts = ran.outcome.flows.iter().map(|f| millis(f.base_rtt)).collect::<Vec<_>>();
    let drawn_flows = drawn_flows(built);
    let mut places = vec![None; built.network.flows.len()];
    for (place, &flow) in drawn_flows.iter().enumerate() {
        places[flow] = Some(place);
    }
    let place = |flow: usize| places.get(flow).copied().flatten();
    let mut series = series_of(records, built.layout.measured_link, &place);
    (series.cc, series.seed) = (point.name(), task.seed);
    // The windows of many connections one after another are no curve.
    let flows = &built.network.flows;
    series.windows.retain(|window| {
        let of = drawn_flows.get(window.flow).and_then(|&flow| flows.get(flow));
        of.is_some_and(|flow| matches!(flow.traffic, Traffic::Tcp(..)))
    });
    let context = context(built, &drawn_flows, &base_rtts);
    Curves { task, detail, series, context, sequence: None, sim_s: ran.sim_s }
}

/// The probes of a run that is drawn.
pub(super) fn probes(detail: Detail, point: &GridPoint, built: &Built) -> Probes {
    let flows = built.network.flows.len() as u64;
    series::probes(detail, point.estimate.packets, built.network.duration, flows)
}

/// The flows that are drawn: those under test, then the others that pass the measured link.
fn drawn_flows(built: &Built) -> Vec<usize> {
    let tested = built.layout.tested_flows();
    let passes = |flow: &FlowSpec| {
        flow.path.iter().flatten().any(|&link| link == built.layout.measured_link)
    };
    let others = built.network.flows.iter().enumerate();
    let others = others.filter(|(i, flow)| !tested.contains(i) && passes(flow)).map(|(i, _)| i);
    tested.clone().chain(others).collect()
}

fn context(built: &Built, drawn_flows: &[usize], base_rtts: &[f64]) -> CurveContext {
    let network = &built.network;
    let tested = built.layout.tested_flows();
    let link = network.links.get(built.layout.measured_link);
    let rtts = base_rtts.get(tested.clone()).unwrap_or(&[]);
    let longest = rtts.iter().copied().fold(0.0, f64::max);
    let steady = network.links.iter().all(|link| link.config.schedule.is_empty());
    let alike = rtts.iter().all(|rtt| (rtt - longest).abs() < 1e-6);
    let name = |&i: &usize| network.flows.get(i).map_or_else(String::new, |f| f.name.to_string());
    let greedy = |&i: &usize| {
        network.flows.get(i).is_some_and(|flow| {
            let always = flow.stop.is_none() && seconds_from_start(flow) <= seconds(network.warmup);
            always && matches!(flow.traffic, Traffic::Tcp(_, Workload::Greedy))
        })
    };
    CurveContext {
        warmup_s: seconds(network.warmup),
        rate_bps: link.map_or(0.0, |link| bps(rate_of(link))),
        packet_bytes: packet_bytes(network.flows.iter().map(|flow| &flow.traffic)),
        buffer_packets: link.and_then(|link| match link.config.queue.limit() {
            Limit::Packets(n) => Some(n),
            Limit::Bytes(_) | Limit::Unlimited => None,
        }),
        rtt_ms: longest,
        rtt_name: (steady && alike).then_some("over empty queues"),
        steady,
        tested: drawn_flows[..tested.len()].iter().map(name).collect(),
        others: drawn_flows[tested.len()..].iter().map(name).collect(),
        greedy: drawn_flows.iter().all(greedy),
    }
}

/// The bytes of a full packet, if they are the same for all of these.
fn packet_bytes<'a>(mut all: impl Iterator<Item = &'a Traffic>) -> Option<u64> {
    let size = |traffic: &Traffic| match traffic {
        Traffic::Tcp(spec, _) => {
            let sizes = spec.config.sizes;
            Some(sizes.payload.get() + sizes.header.get())
        }
        _ => None,
    };
    let first = size(all.next()?)?;
    all.all(|traffic| size(traffic) == Some(first)).then_some(first)
}

/// The latest start that a flow may draw.
fn seconds_from_start(flow: &FlowSpec) -> f64 {
    seconds(flow.start.since(westwood_cc::Instant::ZERO)) + seconds(flow.start_jitter)
}
