//! Instructions a packet, which no neighbour disturbs.
#![expect(clippy::cast_precision_loss, reason = "numbers for people")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use westwood_bench::networks::BenchNetwork;
use westwood_bench::parts;

use crate::callgrind::{self, Counts};
use crate::error::BenchError;
use crate::meter::MeterSample;
use crate::{name, say};

/// A network and two durations, in seconds: the shorter run is taken away, and with it set-up and the
/// beginning.
const RUNS: [(BenchNetwork, [&str; 2]); 4] = [
    (BenchNetwork::P1, ["20", "40"]),
    (BenchNetwork::P2, ["20", "60"]),
    (BenchNetwork::P3, ["10", "12"]),
    (BenchNetwork::P4, ["3.0", "3.2"]),
];

/// Prints a table: by component for each network, or the parts whose names begin so.
pub(crate) fn print(networks: &[String], parts: Option<&str>) -> Result<(), BenchError> {
    if let Some(begin) = parts {
        return print_parts(begin);
    }
    let chosen: Result<Vec<BenchNetwork>, _> = networks.iter().map(|n| name(n)).collect();
    let mut chosen = chosen?;
    if chosen.is_empty() {
        chosen = vec![BenchNetwork::P1, BenchNetwork::P2, BenchNetwork::P4];
    }
    let mut columns = Vec::new();
    for (network, seconds) in RUNS.into_iter().filter(|(n, _)| chosen.contains(n)) {
        eprintln!("{}", network.as_str());
        columns.push((network, column(network, seconds)?));
    }
    say(&table(&columns))
}

/// Instructions a packet by component.
type Column = Vec<(&'static str, f64)>;

fn column(network: BenchNetwork, seconds: [&str; 2]) -> Result<Column, BenchError> {
    let [short, long] = seconds.map(|s| profile(&["once", network.as_str(), s]));
    let ((short_counts, short), (long_counts, long)) = (short?, long?);
    let delivered =
        |s: &MeterSample| Ok::<_, BenchError>(s.number("delivered")? + s.number("delivered_back")?);
    let packets = (delivered(&long)? - delivered(&short)?) as f64;
    let less = |(component, n): (&&'static str, &u64)| {
        let before = short_counts.get(component).copied().unwrap_or(0);
        (*component, n.saturating_sub(before) as f64 / packets)
    };
    Ok(long_counts.iter().map(less).collect())
}

fn table(columns: &[(BenchNetwork, Column)]) -> String {
    let of = |column: &Column, component: &str| {
        column.iter().find(|(c, _)| *c == component).map_or(0.0, |(_, n)| *n)
    };
    let names: Vec<_> = columns.iter().map(|(n, _)| n.as_str()).collect();
    let rule = "---|".repeat(columns.len());
    let mut page = format!("| instructions a packet | {} |\n|---|{rule}\n", names.join(" | "));
    let components: BTreeSet<_> = columns.iter().flat_map(|(_, c)| c).map(|(c, _)| *c).collect();
    let mut rows: Vec<_> = components.into_iter().collect();
    rows.sort_by(|a, b| {
        let first = |c: &str| columns.first().map_or(0.0, |(_, column)| of(column, c));
        first(b).total_cmp(&first(a))
    });
    for component in rows {
        let cells: Vec<_> =
            columns.iter().map(|(_, c)| format!("{:.0}", of(c, component))).collect();
        let _ = writeln!(page, "| {component} | {} |", cells.join(" | "));
    }
    let sums = columns.iter().map(|(_, c)| c.iter().map(|(_, n)| n).sum::<f64>());
    let sums: Vec<_> = sums.map(|n| format!("{n:.0}")).collect();
    let _ = writeln!(page, "| all | {} |", sums.join(" | "));
    page
}

fn print_parts(begin: &str) -> Result<(), BenchError> {
    let chosen: Vec<parts::Part> =
        parts::all().into_iter().filter(|part| part.name.starts_with(begin)).collect();
    if chosen.is_empty() {
        let known = parts::all().into_iter().map(|part| part.name).collect::<Vec<_>>();
        return Err(BenchError::Unknown {
            kind: "part",
            name: begin.into(),
            known: known.join(", "),
        });
    }
    say("| part | instructions |\n|---|---|\n")?;
    for part in chosen {
        // Enough batches that the first ones, which fill windows and queues, do not count.
        let [few, many] = if part.items > 10_000 { ["1", "2"] } else { ["300", "400"] };
        let total = |batches| {
            let (counts, _) = profile(&["part", &part.name, batches])?;
            Ok::<_, BenchError>(counts.values().sum::<u64>())
        };
        let difference = total(many)?.saturating_sub(total(few)?);
        let batches = if part.items > 10_000 { 1 } else { 100 };
        let each = difference as f64 / (part.items * batches) as f64;
        say(&format!("| {part} | {each:.1} |\n"))?;
    }
    Ok(())
}

/// Runs a part's batches.
pub(crate) fn run_part(wanted: &str, batches: u32) -> Result<(), BenchError> {
    let all = parts::all();
    let part = all.iter().find(|p| p.name == wanted).ok_or_else(|| BenchError::Unknown {
        kind: "part",
        name: wanted.into(),
        known: all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    let mut batch = part.build();
    (0..batches).for_each(|_| batch());
    Ok(())
}

/// Runs this program under valgrind, and counts.
fn profile(arguments: &[&str]) -> Result<(Counts, MeterSample), BenchError> {
    let path: PathBuf =
        std::env::temp_dir().join(format!("westwood-bench-{}.callgrind", std::process::id()));
    let me = std::env::current_exe().unwrap_or_else(|_| "westwood-bench".into());
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", path.display()));
    let sample = MeterSample::of(valgrind.arg(me).args(arguments))?;
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|why| BenchError::File { path: path.clone(), why })?;
    std::fs::remove_file(&path).map_err(|why| BenchError::File { path, why })?;
    Ok((callgrind::count(&text), sample))
}
