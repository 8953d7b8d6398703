//! Time series as typed columns, under the names of `westwood schema --results`. Windows have one column
//! more, `reduction`: 1 where the window went down for congestion, by the rule of the report, else 0.

use westwood_cc::{Instant, Segments};
use westwood_experiment::run::SeriesValue;
use westwood_scenario::dumbbell::{bps, millis};
use westwood_scenario::file::SeriesKind;
use westwood_sim::{LinkId, Notes, Probes, Record};

use crate::reply::{ColumnTable, TypedColumn, count, time_s};

/// The probes that record these kinds.
pub fn probes(kinds: &[SeriesKind]) -> Probes {
    let mut probes = Probes::default();
    for kind in kinds {
        match kind {
            SeriesKind::Windows => probes.windows = true,
            SeriesKind::Rtts => probes.rtts = true,
            SeriesKind::Queues => probes.queues = true,
            SeriesKind::Delivered => probes.delivered = true,
            SeriesKind::Drops => probes.drops = true,
        }
    }
    probes
}

/// Words, each once, and their places.
#[derive(Default)]
struct Words {
    words: Vec<String>,
    values: Vec<u32>,
}

/// Absent until the number of words is known.
const ABSENT: u32 = u32::MAX;

impl Words {
    /// Causes are few: a search from the front finds most at once.
    fn push(&mut self, cause: Option<&Notes>) {
        let Some(word) = cause.map(ToString::to_string) else {
            self.values.push(ABSENT);
            return;
        };
        let known = self.words.iter().position(|known| *known == word);
        let place = known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        });
        self.values.push(number(place));
    }

    fn into_column(self) -> TypedColumn {
        let absent = number(self.words.len());
        let value = |value| if value == ABSENT { absent } else { value };
        TypedColumn::Names(self.values.into_iter().map(value).collect(), self.words)
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn packets(window: Segments) -> f64 {
    count(window.raw()) / 2_f64.powi(32)
}

/// A table whose columns grow together.
struct Rows<const N: usize> {
    at: Vec<f64>,
    of: Vec<u32>,
    values: [Vec<f64>; N],
}

impl<const N: usize> Rows<N> {
    fn new() -> Self {
        Self { at: Vec::new(), of: Vec::new(), values: std::array::from_fn(|_| Vec::new()) }
    }

    fn push(&mut self, at: Instant, of: usize, values: [f64; N]) {
        self.at.push(time_s(at));
        self.of.push(number(of));
        for (column, value) in self.values.iter_mut().zip(values) {
            column.push(value);
        }
    }

    /// The table, if it has rows: the second column names flows or links.
    fn table(
        self,
        name: &'static str,
        (of, names): (&'static str, &[String]),
        values: [&'static str; N],
        last: Option<(&'static str, TypedColumn)>,
    ) -> Option<ColumnTable> {
        if self.at.is_empty() {
            return None;
        }
        let mut columns = vec![
            ("time_s", TypedColumn::Numbers(self.at)),
            (of, TypedColumn::Names(self.of, names.to_vec())),
        ];
        let numbers = self.values.into_iter().map(TypedColumn::Numbers);
        columns.extend(values.into_iter().zip(numbers));
        columns.extend(last);
        Some(ColumnTable { name, columns })
    }
}

/// Series of a network of these flows and links, those tables that have rows.
pub fn tables(series: &[Record], flows: &[String], links: &[String]) -> Vec<ColumnTable> {
    let (mut windows, mut causes) = (Rows::<4>::new(), Words::default());
    let (mut rtts, mut queues, mut delivered) =
        (Rows::<1>::new(), Rows::<1>::new(), Rows::<1>::new());
    let (mut drops, mut dropped) = (Rows::<0>::new(), Vec::new());
    for record in series {
        let at = record.at;
        match &record.what {
            SeriesValue::Window { flow, cwnd, ssthresh, bwe, cause } => {
                let ssthresh =
                    if *ssthresh < Segments::MAX { packets(*ssthresh) } else { f64::NAN };
                let reduction = cause.as_ref().is_some_and(Notes::is_reduction);
                let values =
                    [packets(*cwnd), ssthresh, bwe.map_or(f64::NAN, bps), count(reduction.into())];
                windows.push(at, *flow, values);
                causes.push(cause.as_ref());
            }
            SeriesValue::Rtt { flow, rtt } => rtts.push(at, *flow, [millis(*rtt)]),
            SeriesValue::Queue { link, packets } => queues.push(at, *link, [count(*packets)]),
            SeriesValue::Delivered { flow, bytes } => delivered.push(at, *flow, [count(*bytes)]),
            SeriesValue::Drop { link, flow } => {
                drops.push(at, *link as LinkId, []);
                dropped.push(number(*flow));
            }
            SeriesValue::Estimate { .. } => {}
        }
    }
    let dropped = ("flow", TypedColumn::Names(dropped, flows.to_vec()));
    let (flows, links) = (("flow", flows), ("link", links));
    let all = [
        windows.table(
            "windows",
            flows,
            ["cwnd_packets", "ssthresh_packets", "bwe_bps", "reduction"],
            Some(("cause", causes.into_column())),
        ),
        rtts.table("rtts", flows, ["rtt_ms"], None),
        queues.table("queues", links, ["queue_packets"], None),
        delivered.table("delivered", flows, ["delivered_bytes"], None),
        drops.table("drops", links, [], Some(dropped)),
    ];
    all.into_iter().flatten().collect()
}
