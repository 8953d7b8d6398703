//! Estimates of a capture on a terminal.

use westwood_capture::read::Accuracy;
use westwood_cc::Rate;
use westwood_scenario::counted;
use westwood_scenario::dumbbell::{bps, millis, seconds};

use super::{EstimatedCapture, EstimatorResult};
use crate::style::Style;
use crate::table::{Cell, Column, render, wrapped};

/// A table for each transfer, and what there is to say of the file.
pub fn terminal(of: &EstimatedCapture, style: Style) -> String {
    let shown = of.transfers.len();
    let mut lines = vec![style.bold(&format!(
        "{}: {}; {}",
        of.file,
        of.packets_text(),
        counted((shown + of.hidden) as u64, "transfer")
    ))];
    lines.extend(of.damage.iter().map(|damage| note(damage, style)));
    for one in &of.transfers {
        lines.push(String::new());
        lines.extend(transfer(one, style));
    }
    if of.hidden > 0 {
        let text = match of.hidden {
            1 => "a smaller transfer is not shown: raise --transfers".to_owned(),
            hidden => format!("{hidden} smaller transfers are not shown: raise --transfers"),
        };
        lines.extend([String::new(), note(&text, style)]);
    }
    if of.transfers.iter().any(|one| one.replay.acks > 0) {
        let explained = format!(
            "off by: median distance from what was delivered within {} s around; reaches: what the \
             estimate exceeds 5 % of the time, over what was delivered.",
            seconds(of.window)
        );
        lines.extend([String::new(), style.dim(&wrapped(&explained, style.width))]);
    }
    lines.join("\n") + "\n"
}

fn note(text: &str, style: Style) -> String {
    wrapped(&format!("note: {text}"), style.width)
}

fn transfer(of: &EstimatorResult, style: Style) -> Vec<String> {
    let replay = &of.replay;
    let rtt = replay.min_rtt.map(|rtt| format!(", RTT at least {:.1} ms", millis(rtt)));
    let lasts = replay.delivered.span().map(|_| format!(" in {:.1} s", seconds(of.lasts())));
    let about = format!(
        "{}{}, {:.2} % resent{}, segments of {}, {}",
        data(of.transfer.bytes()),
        lasts.unwrap_or_default(),
        of.transfer.resent_share() * 100.0,
        rtt.unwrap_or_default(),
        counted(replay.smss.get(), "byte"),
        counted(replay.acks, "ACK"),
    );
    let mut lines = vec![style.bold(&of.name()), wrapped(&about, style.width)];
    lines.extend(of.doubts().iter().map(|doubt| note(doubt, style)));
    if replay.acks == 0 {
        return lines;
    }
    let names: Vec<String> = std::iter::once("delivered".to_owned())
        .chain(of.accuracy.iter().map(|one| one.kind.name().to_owned()))
        .collect();
    lines.extend(render("estimator", &names, &columns(of), style).0);
    lines
}

fn columns(of: &EstimatorResult) -> [Column; 3] {
    let head = |what: &str, unit: &str| [what.to_owned(), unit.to_owned()];
    let delivered = of.replay.delivered.mean().map(megabits).unwrap_or_default();
    let means = std::iter::once(delivered).chain(of.accuracy.iter().map(|one| megabits(one.mean)));
    let share = |value: Option<f64>, of: fn(f64) -> String| value.map(of).unwrap_or_default();
    let ratios = |pick: fn(&Accuracy) -> Option<f64>, text: fn(f64) -> String| {
        let cells = of.accuracy.iter().map(|one| cell(share(pick(one), text)));
        std::iter::once(cell(String::new())).chain(cells).collect()
    };
    [
        Column { head: head("mean", "Mbit/s"), cells: means.map(cell).collect(), rank: 0 },
        Column {
            head: head("off by", "%"),
            cells: ratios(|one| one.off_median, |share| format!("{:.0}", share * 100.0)),
            rank: 1,
        },
        Column {
            head: head("reaches", "x"),
            cells: ratios(|one| one.over_p95, |ratio| format!("{ratio:.2}")),
            rank: 2,
        },
    ]
}

fn cell(text: String) -> Cell {
    Cell { text, ..Cell::default() }
}

fn megabits(rate: Rate) -> String {
    let megabits = bps(rate) / 1e6;
    if megabits < 1.0 { format!("{megabits:.3}") } else { format!("{megabits:.2}") }
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
fn data(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
