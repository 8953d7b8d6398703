//! Curves over time: of one run of each variant, and over the seeds of several.

mod charts;
mod distributions;
mod over_seeds;
mod panels;
mod rates;
mod sheet;

use westwood_experiment::run::{Notes, RunSeries, SentSegment, TimeSequence};

use crate::document::{CurveEvent, SequenceDiagram, SequencePoint, Timeline};
pub use charts::charts;
pub(crate) use sheet::RecordedRun;
use sheet::{FLOWS_DRAWN, Sheet, seconds};

/// Changes of one window with their causes: a page is to stay below two megabytes.
const MOST_EVENTS: usize = 4_000;

/// The runs of one setting, a run of each variant for each seed.
pub(crate) type RunsBySeed<'a> = Vec<(u64, Vec<Option<RecordedRun<'a>>>)>;

/// The settings among which a reader chooses.
#[derive(Clone, Copy)]
pub(crate) struct SettingCount {
    /// Settings of the same kind.
    pub(crate) alike: usize,
    /// They were recorded thinned, beside others that were followed closely.
    pub(crate) brief: bool,
}

/// The curves over time of one of so many `settings`: a timeline for each seed, and if there are several
/// one over all of them; none if nothing was recorded. `whose` names a variant in a word.
pub(crate) fn timelines(
    seeds: RunsBySeed<'_>,
    settings: SettingCount,
    whose: &str,
) -> Vec<Timeline> {
    let runs = || seeds.iter().flat_map(|(_, runs)| runs.iter().flatten());
    if runs().next().is_none() {
        return Vec::new();
    }
    let most = |of: &dyn Fn(&RecordedRun<'_>) -> f64| runs().map(of).fold(0.0, f64::max);
    // Timelines that a reader chooses among share one axis of time.
    let (end_s, warmup_s) = (most(&|run| run.until_s), most(&|run| run.context.warmup_s));
    let rate_bps = most(&|run| run.context.rate_bps);
    let flows = runs().map(RecordedRun::flows).max().unwrap_or(1);
    let variants = seeds.iter().map(|(_, runs)| runs.len()).max().unwrap_or(1);
    let room = ColumnBudget { variants, flows, settings, seeds: seeds.len() };
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
        timeline.brief = settings.brief;
        if number > 0 || settings.brief {
            let than = if settings.brief { "other settings" } else { "the first seed" };
            let thinned = format!(
                " Followed less closely than {than}: {columns} columns of time, 2,000 points of windows \
                 and queue."
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

/// The number of curves on a page, which is to stay below two megabytes.
#[derive(Clone, Copy)]
struct ColumnBudget {
    variants: usize,
    flows: usize,
    settings: SettingCount,
    seeds: usize,
}

impl ColumnBudget {
    /// Columns of so many values in all for so many sheets: no more than `most`, which a large screen
    /// shows.
    fn columns(self, values: usize, sheets: usize, (least, most): (usize, usize)) -> usize {
        let each = 6 + if self.flows > 1 { self.flows.min(FLOWS_DRAWN) } else { 0 };
        let lines = self.variants * each * self.settings.alike * sheets;
        (values / (2 * lines.max(1))).clamp(least, most)
    }

    /// The first seed's, which is seen first and enlarged most.
    fn first(self) -> usize {
        if self.settings.brief {
            return self.columns(140_000, 1, (100, 600));
        }
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
    /// The curves of its runs.
    fn timeline(&self, warmup_s: f64) -> Timeline {
        let changes =
            |run: &Option<RecordedRun<'_>>| run.map_or_else(Vec::new, |run| events(run.series));
        Timeline {
            end_s: self.end_s,
            warmup_s,
            columns: self.columns,
            panels: self.panels(),
            distributions: distributions::all(std::slice::from_ref(self)),
            events: self.runs.iter().map(changes).collect(),
            losses: self
                .runs
                .iter()
                .map(|run| run.as_ref().map_or_else(Vec::new, losses))
                .collect(),
            sequences: self.runs.iter().map(|run| Some(diagram(run.as_ref()?.sequence?))).collect(),
            ..Timeline::default()
        }
    }
}

/// The losses of the flows under test.
fn losses(run: &RecordedRun<'_>) -> Vec<f64> {
    let tested = run.context.tested.len();
    let drops = run.series.drops.iter().filter(|(_, flow)| *flow < tested);
    drops.map(|(at, _)| seconds(*at)).collect()
}

fn diagram(of: &TimeSequence) -> SequenceDiagram {
    let sent = |segment: &SentSegment| SequencePoint {
        time_s: seconds(segment.at),
        number: segment.number,
        again: segment.again,
        lost: segment.lost,
    };
    SequenceDiagram {
        from_s: seconds(of.from),
        until_s: seconds(of.until),
        sent: of.sent.iter().map(sent).collect(),
        acks: of.acks.iter().map(|(at, next)| (seconds(*at), *next)).collect(),
    }
}

/// The changes of the first flow's window that have a cause. If there are too many, the last that is kept
/// says so.
fn events(series: &RunSeries) -> Vec<CurveEvent> {
    let of_first = series.windows.iter().filter(|point| point.flow == 0);
    let mut changes = of_first.filter_map(|point| Some((point.at, point.cause.as_ref()?)));
    let event = |(at, cause): (_, &Notes)| CurveEvent {
        time_s: seconds(at),
        text: cause.to_string(),
        reduction: cause.is_reduction(),
    };
    let mut events: Vec<CurveEvent> = changes.by_ref().take(MOST_EVENTS).map(event).collect();
    let more = changes.count();
    if let Some(last) = events.last_mut().filter(|_| more > 0) {
        last.text = format!("{}; {more} later changes are not in this page", last.text);
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::{Instant, Segments};
    use westwood_experiment::run::WindowPoint;
    use westwood_tcp::Note;

    #[test]
    fn the_last_of_too_many_changes_says_how_many_are_left_out() {
        let change = |ms: usize, note| WindowPoint {
            at: Instant::from_nanos(ms as u64 * 1_000_000),
            flow: 0,
            cwnd: Segments::new(10),
            ssthresh: Segments::new(10),
            bwe: None,
            cause: Notes::of(&[note]),
        };
        let series = |changes| RunSeries {
            windows: (0..changes).map(|i| change(i, Note::FastRecovery)).collect(),
            ..RunSeries::default()
        };
        let (all, cut) = (events(&series(MOST_EVENTS)), events(&series(MOST_EVENTS + 3)));
        assert_eq!((all.len(), cut.len()), (MOST_EVENTS, MOST_EVENTS));
        assert_eq!(all[MOST_EVENTS - 1].text, "fast recovery");
        let said = "fast recovery; 3 later changes are not in this page";
        assert_eq!(cut[MOST_EVENTS - 1].text, said);
        assert!(cut[..MOST_EVENTS - 1] == all[..MOST_EVENTS - 1] && cut[0].reduction);
    }

    #[test]
    fn the_more_lines_the_fewer_columns() {
        let settings = SettingCount { alike: 1, brief: false };
        let room = |variants, flows, seeds| ColumnBudget { variants, flows, settings, seeds };
        assert_eq!(room(6, 1, 1).first(), 2_000);
        assert!(room(20, 1, 1).first() < 2_000 && room(1_000, 8, 1).first() == 150);
        let (one, five) = (room(7, 1, 1), room(7, 1, 5));
        assert!(five.first() < one.first() && five.further() < five.first());
        assert!(five.further() >= 250 && five.joined() >= 150);
        // Beside closely followed settings others have fewer, the fewer the more there are.
        let brief = |alike| {
            let settings = SettingCount { alike, brief: true };
            ColumnBudget { variants: 2, flows: 1, settings, seeds: 1 }.first()
        };
        assert_eq!((brief(1), brief(15), brief(60)), (600, 388, 100));
    }
}
