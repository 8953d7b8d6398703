//! A trace as text.

use std::fmt::Write as _;

use westwood_cc::{Instant, Rate, Segments, Window};

/// How the sender stands after an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub(crate) window: Window,
    pub(crate) flight: u64,
    pub(crate) bwe: Option<Rate>,
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) at: Instant,
    pub(crate) what: String,
    /// None for an event that is not the sender's.
    pub(crate) stand: Option<Stand>,
    /// Why the window changed.
    pub(crate) why: String,
}

/// All events of a run, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) rows: Vec<Row>,
}

impl Sheet {
    /// The table: a line for each event under the columns' names.
    pub(crate) fn table(&self) -> String {
        let estimates = self.rows.iter().filter_map(|r| r.stand).any(|s| s.bwe.is_some());
        let mut lines = vec![names(estimates)];
        lines.extend(self.rows.iter().map(|row| cells(row, estimates)));
        let columns = lines[0].len();
        let width = |i: usize| lines.iter().map(|l| l[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let mut out = String::new();
            for (i, (cell, width)) in line.iter().zip(&widths).enumerate() {
                // Words begin on the left, numbers end on the right.
                let _ = if i == 1 || i + 1 == columns {
                    write!(out, "{cell:<width$}  ")
                } else {
                    write!(out, "{cell:>width$}  ")
                };
            }
            let _ = writeln!(text, "{}", out.trim_end());
        }
        text
    }
}

fn names(estimates: bool) -> Vec<String> {
    let mut names = vec!["time/ms", "what happens", "cwnd", "ssthresh", "flight"];
    if estimates {
        names.push("bwe/kbit/s");
    }
    names.push("why");
    names.into_iter().map(String::from).collect()
}

fn cells(row: &Row, estimates: bool) -> Vec<String> {
    let mut cells = vec![time(row.at), row.what.clone()];
    if let Some(Stand { window, flight, bwe }) = row.stand {
        cells.extend([segments(window.cwnd), segments(window.ssthresh), flight.to_string()]);
        if estimates {
            cells.push(bwe.map_or(String::new(), kbit_per_s));
        }
    } else {
        cells.extend(std::iter::repeat_n(String::new(), 3 + usize::from(estimates)));
    }
    cells.push(row.why.clone());
    cells
}

/// Milliseconds to the microsecond, or to the nanosecond where that takes it.
fn time(at: Instant) -> String {
    let ns = at.as_nanos();
    let (ms, rest) = (ns / 1_000_000, ns % 1_000_000);
    if rest % 1_000 == 0 { format!("{ms}.{:03}", rest / 1_000) } else { format!("{ms}.{rest:06}") }
}

/// A window to the nearest thousandth of a segment; "none" for a threshold without bound.
pub(crate) fn segments(w: Segments) -> String {
    if w == Segments::MAX {
        return "none".into();
    }
    decimal(nearest(u128::from(w.raw()) * 1_000, 32))
}

/// A rate in kbit/s to the nearest bit/s.
fn kbit_per_s(rate: Rate) -> String {
    decimal(nearest(u128::from(rate.raw()) * 8, 16))
}

fn nearest(value: u128, fraction_bits: u32) -> u64 {
    let half = 1 << (fraction_bits - 1);
    u64::try_from((value + half) >> fraction_bits).expect("a window or a rate")
}

/// A number of thousandths, without trailing zeros.
pub(crate) fn decimal(thousandths: u64) -> String {
    let (whole, part) = (thousandths / 1_000, thousandths % 1_000);
    if part == 0 {
        return whole.to_string();
    }
    format!("{whole}.{part:03}").trim_end_matches('0').to_owned()
}
