//! Curves over time: of one run of each variant, and over the seeds of several.

mod distributions;
mod over_seeds;
mod rates;

use westwood_cc::{Instant, Segments};
use westwood_experiment::run::Scene;
use westwood_experiment::run::Series;
use westwood_scenario::dumbbell::{bps, millis};
use westwood_tcp::Note;

use crate::document::{Band, Event, Line, Panel, Role, Timeline};
use crate::experiment::quantity;
use crate::number::rate_scale;
use crate::reduce::{Envelope, Spans};
use rates::{goodput, shares};

/// More flows than this are drawn as the least, the middle and the most of them.
const FLOWS_DRAWN: usize = 8;
/// Changes of one window with their causes; beyond that a reader is lost anyway.
const MOST_EVENTS: usize = 4_000;

/// Spans of time, over each of which a median is drawn.
const SPANS: usize = 150;

/// What was recorded of one run.
#[derive(Clone, Copy)]
pub(crate) struct Take<'a> {
    pub(crate) series: &'a Series,
    pub(crate) scene: &'a Scene,
    /// The end of the run, in seconds.
    pub(crate) until_s: f64,
}

/// What all panels need.
struct Sheet<'a> {
    /// For each variant its run.
    runs: Vec<Option<Take<'a>>>,
    rate_bps: f64,
    end_s: f64,
    columns: usize,
    /// It is to be joined with those of other seeds.
    joined: bool,
}

/// The runs of one setting, a run of each variant for each seed.
pub(crate) type BySeed<'a> = Vec<(u64, Vec<Option<Take<'a>>>)>;

/// The curves over time of one of so many `settings`: a timeline for each seed, and if there are several
/// one over all of them; none if nothing was recorded. `whose` names a variant in a word.
pub(crate) fn timelines(seeds: BySeed<'_>, settings: usize, whose: &str) -> Vec<Timeline> {
    let runs = || seeds.iter().flat_map(|(_, runs)| runs.iter().flatten());
    if runs().next().is_none() {
        return Vec::new();
    }
    let most = |of: &dyn Fn(&Take<'_>) -> f64| runs().map(of).fold(0.0, f64::max);
    // What is chosen one after the other has one axis of time.
    let (end_s, warmup_s) = (most(&|run| run.until_s), most(&|run| run.scene.warmup_s));
    let rate_bps = most(&|run| run.scene.rate_bps);
    let flows = runs().map(Take::flows).max().unwrap_or(1);
    let variants = seeds.iter().map(|(_, runs)| runs.len()).max().unwrap_or(1);
    let room = Room { variants, flows, settings, seeds: seeds.len() };
    let several = seeds.len() > 1;
    let numbers: Vec<u64> = seeds.iter().map(|(seed, _)| *seed).collect();
    let mut timelines = Vec::new();
    let mut joined = Vec::new();
    for (number, (seed, runs)) in seeds.into_iter().enumerate() {
        let columns = if number == 0 { room.first() } else { room.further() };
        let sheet = Sheet { runs, rate_bps, end_s, columns, joined: false };
        let mut timeline = sheet.timeline(warmup_s);
        timeline.note = sheet.note(&format!("Seed {seed}"), whose, warmup_s);
        timeline.seeds = vec![seed];
        if number > 0 {
            let thinned = format!(
                " Followed less closely than the first seed: {columns} columns of time, 2,000 points of \
                 windows and queue."
            );
            timeline.note.push_str(&thinned);
        }
        timelines.push(timeline);
        if several {
            joined.push(Sheet { columns: room.joined(), joined: true, ..sheet });
        }
    }
    if several {
        timelines.push(over_seeds::timeline(&joined, numbers, whose, warmup_s));
    }
    timelines
}

/// What a page has to hold: it is to stay below three megabytes.
#[derive(Clone, Copy)]
struct Room {
    variants: usize,
    flows: usize,
    settings: usize,
    seeds: usize,
}

impl Room {
    /// Columns of so many values in all for so many sheets: no more than `most`, which a large screen
    /// shows.
    fn columns(self, values: usize, sheets: usize, (least, most): (usize, usize)) -> usize {
        let each = 6 + if self.flows > 1 { self.flows.min(FLOWS_DRAWN) } else { 0 };
        let lines = self.variants * each * self.settings * sheets;
        (values / (2 * lines.max(1))).clamp(least, most)
    }

    /// The first seed's, which is seen first and enlarged most.
    fn first(self) -> usize {
        let values = if self.seeds > 1 { 140_000 } else { 320_000 };
        self.columns(values, 1, (150, 2_000))
    }

    /// Those of each further seed.
    fn further(self) -> usize {
        self.columns(90_000, self.seeds.saturating_sub(1), (100, 600))
    }

    /// Those of all seeds, of which a curve has three values for one.
    fn joined(self) -> usize {
        self.columns(60_000, 3, (100, 200))
    }
}

impl Sheet<'_> {
    fn panels(&self) -> Vec<Panel> {
        let all =
            [windows(self), estimates(self), rtts(self), queue(self), goodput(self), shares(self)];
        all.into_iter().flatten().collect()
    }

    /// The curves of its runs.
    fn timeline(&self, warmup_s: f64) -> Timeline {
        let changes = |run: &Option<Take<'_>>| run.map_or_else(Vec::new, |run| events(run.series));
        Timeline {
            end_s: self.end_s,
            warmup_s,
            columns: self.columns,
            panels: self.panels(),
            distributions: distributions::all(std::slice::from_ref(self)),
            events: self.runs.iter().map(changes).collect(),
            ..Timeline::default()
        }
    }
}

impl Take<'_> {
    /// Flows over the measured link.
    fn flows(&self) -> usize {
        self.scene.tested.len() + self.scene.others.len()
    }

    /// An equal part of the link for each flow, in bits a second, where that is a fair one.
    #[expect(clippy::cast_precision_loss, reason = "at most 10,000 flows")]
    fn share(&self) -> Option<f64> {
        let fair = self.scene.greedy && self.scene.steady;
        fair.then(|| self.scene.rate_bps / self.flows().max(1) as f64)
    }
}

fn seconds(at: Instant) -> f64 {
    millis(at.since(Instant::ZERO)) / 1e3
}

#[expect(clippy::cast_precision_loss, reason = "a window of at most 2^24 segments, for a drawing")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / (1_u64 << 32) as f64
}

impl Sheet<'_> {
    fn note(&self, seeds: &str, whose: &str, warmup_s: f64) -> String {
        let several = self.runs.iter().flatten().any(|run| run.scene.tested.len() > 1);
        let of = if several { " Windows and estimates are the first flow's." } else { "" };
        let shade = if warmup_s > 0.0 { " What is shaded was not measured." } else { "" };
        format!("{seeds} of each {whose}.{of}{shade}")
    }

    /// A horizontal line, if it stands at one place for all runs.
    fn reference(
        &self,
        of: impl Fn(&Take<'_>) -> Option<(&'static str, f64)>,
    ) -> Vec<(String, f64)> {
        let mut all = self.runs.iter().flatten().map(of);
        let Some(Some((name, value))) = all.next() else { return Vec::new() };
        #[expect(clippy::float_cmp, reason = "the same network gives the same bits")]
        let same = |other| matches!(other, Some((n, v)) if n == name && v == value);
        if all.all(same) { vec![(name.to_owned(), value)] } else { Vec::new() }
    }

    /// The link's rate, unless it changes.
    fn link_rate(&self, by: f64) -> Vec<(String, f64)> {
        self.reference(|run| run.scene.steady.then(|| ("the link's rate", run.scene.rate_bps / by)))
    }

    /// A line for each variant whose series `fill` puts something into.
    fn lines(
        &self,
        role: Role,
        label: &str,
        sampled: bool,
        fill: impl Fn(&Take<'_>, &mut Envelope),
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        for (variant, run) in self.runs.iter().enumerate() {
            let Some(run) = run else { continue };
            let mut envelope = Envelope::new(self.end_s, self.columns);
            fill(run, &mut envelope);
            let values = if sampled { envelope.samples() } else { envelope.held(run.until_s) };
            if values.iter().any(Option::is_some) {
                lines.push(Line { variant, label: label.to_owned(), role, values, band: None });
            }
        }
        lines
    }
}

fn windows(sheet: &Sheet<'_>) -> Option<Panel> {
    let first = |run: &Take<'_>, envelope: &mut Envelope, of: fn(Segments, Segments) -> f64| {
        for point in run.series.windows.iter().filter(|p| p.flow == 0) {
            envelope.add(seconds(point.at), of(point.cwnd, point.ssthresh));
        }
    };
    let cwnd = sheet.lines(Role::Main, "cwnd", false, |s, e| first(s, e, |cwnd, _| packets(cwnd)));
    // A threshold without bound is none yet.
    let bound = |_, ssthresh| if ssthresh < Segments::MAX { packets(ssthresh) } else { f64::NAN };
    let ssthresh = sheet.lines(Role::Companion, "ssthresh", false, |s, e| first(s, e, bound));
    let mut lines: Vec<Line> = cwnd.into_iter().chain(ssthresh).collect();
    lines.sort_by_key(|line| line.variant);
    let title = if sheet.joined {
        "Congestion window, and dotted its ssthresh"
    } else {
        "Congestion window, marked where reduced, and dotted its ssthresh"
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("cwnd", "cwnd", "packets"),
        title: title.to_owned(),
        lines,
        with_causes: !sheet.joined,
        ..Panel::default()
    })
}

fn estimates(sheet: &Sheet<'_>) -> Option<Panel> {
    let scale = rate_scale(sheet.rate_bps);
    let lines = sheet.lines(Role::Main, "", false, |run, envelope| {
        for point in run.series.windows.iter().filter(|p| p.flow == 0) {
            if let Some(bwe) = point.bwe {
                envelope.add(seconds(point.at), bps(bwe) / scale.by);
            }
        }
    });
    let share = |run: &Take<'_>| match run.flows() {
        0 | 1 => run.scene.steady.then_some(("the link's rate", run.scene.rate_bps / scale.by)),
        _ => run.share().map(|bps| ("fair share", bps / scale.by)),
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("bwe", "bwe", scale.unit),
        title: "Bandwidth estimate of those that have one".to_owned(),
        lines,
        references: sheet.reference(share),
        ..Panel::default()
    })
}

/// The round-trip times: every one of a single run; of several, which would cover each other, what
/// they are mostly like.
fn rtts(sheet: &Sheet<'_>) -> Option<Panel> {
    let several = sheet.joined || sheet.runs.iter().flatten().count() > 1;
    let lines = if several { sheet.typical_rtts() } else { sheet.all_rtts() };
    let title = match (sheet.joined, several) {
        (true, _) => {
            "Round-trip time: medians, and pale the lowest 5th to the highest 95th percentile"
        }
        (_, true) => "Round-trip time: medians, and pale the 5th to 95th percentile",
        _ => "Round-trip time",
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("rtt", "RTT", "ms"),
        title: title.to_owned(),
        lines,
        references: sheet.reference(|run| Some((run.scene.rtt_name?, run.scene.rtt_ms))),
        ..Panel::default()
    })
}

impl Take<'_> {
    /// The round-trip times of the flows under test: seconds, milliseconds.
    fn rtts(&self) -> impl Iterator<Item = (f64, f64)> {
        let tested = self.scene.tested.len();
        let rtts = self.series.rtts.iter().filter(move |(_, flow, _)| *flow < tested);
        rtts.map(|(at, _, rtt)| (seconds(*at), millis(*rtt)))
    }
}

impl Sheet<'_> {
    fn all_rtts(&self) -> Vec<Line> {
        self.lines(Role::Main, "", true, |run, envelope| {
            run.rtts().for_each(|(time_s, rtt)| envelope.add(time_s, rtt));
        })
    }

    /// Medians within spans of time, with their spread.
    fn typical_rtts(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for (variant, run) in self.runs.iter().enumerate() {
            let Some(run) = run else { continue };
            let mut spans = Spans::new(self.end_s, SPANS);
            run.rtts().for_each(|(time_s, rtt)| spans.add(time_s, rtt));
            let mut quantile = |share| spans.quantile(share, self.columns);
            let [low, values, high] = [0.05, 0.5, 0.95].map(&mut quantile);
            if values.iter().any(Option::is_some) {
                let (label, band) = (String::new(), Some(Band { low, high }));
                lines.push(Line { variant, label, role: Role::Main, values, band });
            }
        }
        lines
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 2^24 packets wait")]
fn queue(sheet: &Sheet<'_>) -> Option<Panel> {
    let lines = sheet.lines(Role::Main, "", false, |run, envelope| {
        // Before its first packet the queue is empty.
        envelope.add(0.0, 0.0);
        for (at, waiting) in &run.series.queue {
            envelope.add(seconds(*at), *waiting as f64);
        }
    });
    let buffer = |run: &Take<'_>| {
        let packets = run.scene.buffer_packets.filter(|_| run.scene.steady)?;
        Some(("buffer", packets as f64))
    };
    (!lines.is_empty()).then(|| Panel {
        quantity: quantity("queue", "queue", "packets"),
        title: "Packets waiting at the bottleneck".to_owned(),
        lines,
        references: sheet.reference(buffer),
        ..Panel::default()
    })
}

/// The changes of the first flow's window that have a cause.
fn events(series: &Series) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut begun: Option<(f64, String)> = None;
    for point in series.windows.iter().filter(|p| p.flow == 0) {
        let (time_s, Some(cause)) = (seconds(point.at), &point.cause) else {
            continue;
        };
        let text = cause.to_string();
        // What ends says little without what began.
        let over = matches!(cause[..], [Note::Recovered]);
        let text = match &begun {
            Some((at, what)) if over => format!("{text}; it began at {at:.3} s: {what}"),
            _ => text,
        };
        if !over {
            begun = Some((time_s, text.clone()));
        }
        events.push(Event { time_s, text, reduction: cause.is_reduction() });
        if events.len() == MOST_EVENTS {
            break;
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_lines_the_fewer_columns() {
        let room = |variants, flows, seeds| Room { variants, flows, settings: 1, seeds };
        assert_eq!(room(6, 1, 1).first(), 2_000);
        assert!(room(20, 1, 1).first() < 2_000 && room(1_000, 8, 1).first() == 150);
        let (one, five) = (room(7, 1, 1), room(7, 1, 5));
        assert!(five.first() < one.first() && five.further() < five.first());
        assert!(five.further() >= 250 && five.joined() >= 150);
    }
}
