//! The results as a page of Markdown.
#![expect(clippy::cast_precision_loss, reason = "numbers for people")]

use std::fmt::Write as _;
use std::process::Command;

use crate::measure::{Round, Series};
use crate::rows::BenchRow;

/// Several measurements of the same thing.
pub(crate) struct RoundSpread {
    pub(crate) median: f64,
    min: f64,
    max: f64,
}

impl RoundSpread {
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |i: usize| sorted.get(i).copied().unwrap_or(f64::NAN);
        let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
        let last = sorted.len().saturating_sub(1);
        Self { median: f64::midpoint(at(low), at(high)), min: at(0), max: at(last) }
    }

    /// "median (min to max)".
    fn shown(&self, digits: usize) -> String {
        let Self { median, min, max } = self;
        format!("{median:.digits$} ({min:.digits$} to {max:.digits$})")
    }
}

/// Where and how it was measured.
pub(crate) fn head(command: &str, missing: &[String]) -> String {
    let mut page = String::from("# The latest run of `make bench`\n\n");
    let changed = !said("git", &["status", "--porcelain", "-uno"]).is_empty();
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"]);
    let changed = if changed { ", with changes" } else { "" };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (what, value) in [
        ("date", said("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        ("commit", format!("{commit}{changed}")),
        ("command", format!("`{command}`")),
        ("machine", format!("{cores} cores, {}", processor())),
        ("load before the run", load()),
        ("compiler", said("rustc", &["--version"])),
    ] {
        let _ = writeln!(page, "* {what}: {value}");
    }
    for line in missing {
        let _ = writeln!(page, "* missing: {line}");
    }
    page.push_str(
        "\nCPU time (user and system) but where wall time is named. Each value is the median of the \
         rounds,\nwith the smallest and the largest. Set-up is left out: the cost of a shorter run is taken away.\n",
    );
    page
}

/// A row of the measurement.
pub(crate) fn section(row: BenchRow, all: &[Series]) -> String {
    let mut page = format!("\n## {}\n\n{}\n\n", row.name(), row.what());
    if all.is_empty() {
        page.push_str(
            "Not measured: the command is built by `cargo build --release -p westwood-cli`.\n",
        );
        return page;
    }
    match row {
        BenchRow::Compare => page.push_str(&compare(all)),
        _ => page.push_str(&table(all)),
    }
    match row {
        BenchRow::P4 => page.push_str(&memory_and_setup(all)),
        BenchRow::P5 => page.push_str(&speedup(all)),
        _ => {}
    }
    page
}

fn table(all: &[Series]) -> String {
    let mut page = String::from(
        "| program | simulated | ns a packet | M packets/s | times the first | delivered | goodput |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for series in all {
        let cost = RoundSpread::of(series.rounds.iter().map(Round::ns_a_packet));
        let speed = 1e3 / cost.median;
        let ratio = RoundSpread::of(ratios(series, all, Round::ns_a_packet));
        let simulated = (series.contender.long_ms - series.contender.short_ms) as f64 / 1e3;
        let (packets, there) = series.rounds.last().map_or((0, 0), |r| (r.packets, r.there));
        let _ = writeln!(
            page,
            "| {} | {simulated:.0} s | {} | {speed:.3} | {} | {packets} | {:.0} packets/s |",
            series.contender.name,
            cost.shown(1),
            ratio.shown(2),
            there as f64 / simulated,
        );
    }
    page
}

/// This series against the first, round by round.
fn ratios<'a>(
    series: &'a Series,
    all: &'a [Series],
    value: fn(&Round) -> f64,
) -> impl Iterator<Item = f64> + 'a {
    let first = all.iter().take(1).flat_map(|s| &s.rounds);
    series.rounds.iter().zip(first).map(move |(a, b)| value(a) / value(b))
}

fn compare(all: &[Series]) -> String {
    let mut page = String::new();
    for series in all {
        let cpu = RoundSpread::of(series.rounds.iter().map(|r| r.cpu));
        let wall = RoundSpread::of(series.rounds.iter().map(|r| r.wall));
        let (cpu, wall) = (cpu.shown(3), wall.shown(3));
        let _ = writeln!(page, "{cpu} s of CPU time; {wall} s of wall time.");
    }
    page
}

/// The memory of a flow and the cost of building the network.
///
/// Packets in flight differ between 10,000 flows and 100, so a flow's memory is counted before it
/// starts, and the peaks under traffic stand beside.
fn memory_and_setup(all: &[Series]) -> String {
    let [many, few] = all else { return String::new() };
    let peak = |s: &Series, which: usize| {
        let kilobytes = s.rounds.iter().filter_map(|r| r.peak_kb).map(|k| k[which] as f64);
        RoundSpread::of(kilobytes).median
    };
    let setup = RoundSpread::of(many.rounds.iter().map(|r| r.setup)).shown(2);
    format!(
        "\nA flow takes {:.1} kB before it starts, its four links and two hosts included: the difference of \
         10,000 and 100, over 9,900.\nMost memory resident under traffic: {:.0} MB with 10,000 flows, \
         {:.0} MB with 100.\nSet-up of 10,000 flows takes {setup} s.\n",
        (peak(many, 1) - peak(few, 1)) / 9_900.0,
        peak(many, 0) / 1e3,
        peak(few, 0) / 1e3,
    )
}

fn speedup(all: &[Series]) -> String {
    let [_, many] = all else { return String::new() };
    let faster = RoundSpread::of(ratios(many, all, |r| 1.0 / r.wall));
    format!("\nWall time falls by a factor of {}.\n", faster.shown(2))
}

/// The first line that a program prints.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().into()
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}

/// Programs that wanted a core in the last minute: with more than there are cores, times are noisy.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|l| !l.is_empty()).unwrap_or("unknown").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let spread = RoundSpread::of([4.0, 1.0, 3.0, 10.0].into_iter());
        assert_eq!(spread.shown(1), "3.5 (1.0 to 10.0)");
        assert_eq!(RoundSpread::of([2.0].into_iter()).shown(0), "2 (2 to 2)");
    }
}
