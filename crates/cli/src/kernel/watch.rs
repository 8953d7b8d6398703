//! `westwood kernel watch`.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use westwood_kernel::CONTROLLERS;
use westwood_kernel::watch::{WatchedConnection, Watcher};
use westwood_scenario::dumbbell::millis;

use super::listen::{interrupted, over};
use crate::args::KernelWatchArgs;
use crate::exit::{CommandExit, Stop};
use crate::output::print;
use crate::terminal::style;

/// Puts the cursor at the top of an empty screen.
const CLEAR: &str = "\x1b[2J\x1b[H";

pub(super) fn run(args: &KernelWatchArgs) -> Result<(), Stop> {
    let watcher = Watcher::new()?;
    let mut csv = args.csv.as_deref().map(Csv::create).transpose()?;
    let asked = interrupted()?;
    let began = Instant::now();
    let clear = if std::io::stdout().is_terminal() { CLEAR } else { "" };
    while !asked.load(Ordering::Relaxed) {
        let mut connections = watcher.connections()?;
        connections
            .retain(|c| args.every || CONTROLLERS.iter().any(|ours| ours.name == c.controller));
        connections.sort_by_key(|c| (c.controller.clone(), c.remote, c.local));
        print(&format!("{clear}{}", table(&connections, style().width)))?;
        if let Some(csv) = &mut csv {
            csv.write(began.elapsed(), &connections)?;
        }
        if over(began, args.time) {
            break;
        }
        wait(Duration::from_nanos(args.interval.as_nanos()), || asked.load(Ordering::Relaxed));
    }
    Ok(())
}

/// Waits, and notices soon that it need not.
fn wait(interval: Duration, stop: impl Fn() -> bool) {
    const STEP: Duration = Duration::from_millis(50);
    let until = Instant::now() + interval;
    while !stop() && Instant::now() < until {
        std::thread::sleep(STEP.min(until.saturating_duration_since(Instant::now())));
    }
}

/// The columns, from left to right.
const COLUMNS: [&str; 9] =
    ["controller", "local", "remote", "cwnd", "ssthresh", "bwe", "min_rtt", "srtt", "retrans"];
/// Those that a narrow terminal does without, the first of them first.
const LEFT_OUT: [&str; 3] = ["local", "min_rtt", "ssthresh"];

/// The connections in columns, in lines of at most this width if that can be.
fn table(connections: &[WatchedConnection], width: usize) -> String {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let cells = connections.iter().map(|c| {
        [
            c.controller.clone(),
            c.local.to_string(),
            c.remote.to_string(),
            c.cwnd.to_string(),
            or_dash(c.ssthresh.map(|s| s.to_string())),
            or_dash(c.bwe.map(|b| b.to_string())),
            or_dash(c.min_rtt.map(|d| d.to_string())),
            c.srtt.to_string(),
            c.retransmitted.to_string(),
        ]
    });
    let rows: Vec<_> = std::iter::once(COLUMNS.map(str::to_owned)).chain(cells).collect();
    let widest = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let mut shown: Vec<(usize, usize)> = (0..COLUMNS.len()).map(|i| (i, widest(i))).collect();
    for name in LEFT_OUT {
        if shown.iter().map(|(_, wide)| wide + 1).sum::<usize>() <= width + 1 {
            break;
        }
        shown.retain(|(column, _)| COLUMNS[*column] != name);
    }
    let line = |row: &[String; 9]| {
        let cell = |&(column, wide): &(usize, usize)| match column {
            0 => format!("{:<wide$}", row[column]),
            _ => format!("{:>wide$}", row[column]),
        };
        shown.iter().map(cell).collect::<Vec<_>>().join(" ") + "\n"
    };
    rows.iter().map(line).collect()
}

struct Csv {
    file: BufWriter<File>,
    path: String,
}

impl Csv {
    fn create(path: &Path) -> Result<Self, Stop> {
        let name = path.display().to_string();
        let file = File::create(path)
            .map_err(|e| Stop::bad_input(format!("--csv: '{name}' cannot be written: {e}")))?;
        let mut csv = Self { file: BufWriter::new(file), path: name };
        csv.line(
            "time_s,cc,local,remote,cwnd_packets,ssthresh_packets,unacked_packets,bwe_bps,\
             rtt_min_ms,srtt_ms,acked_bytes,retransmitted_packets",
        )?;
        Ok(csv)
    }

    fn write(&mut self, time: Duration, connections: &[WatchedConnection]) -> Result<(), Stop> {
        let or_empty = |value: Option<u64>| value.map_or_else(String::new, |v| v.to_string());
        for c in connections {
            self.line(&format!(
                "{:.3},{},{},{},{},{},{},{},{},{},{},{}",
                time.as_secs_f64(),
                c.controller,
                c.local,
                c.remote,
                c.cwnd,
                or_empty(c.ssthresh.map(u64::from)),
                c.packets_out,
                or_empty(c.bwe.map(westwood_cc::Rate::bits_per_s)),
                c.min_rtt.map_or_else(String::new, |rtt| millis(rtt).to_string()),
                millis(c.srtt),
                c.bytes_acked,
                c.retransmitted
            ))?;
        }
        self.file.flush().map_err(|e| self.failed(&e))
    }

    fn line(&mut self, text: &str) -> Result<(), Stop> {
        writeln!(self.file, "{text}").map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &std::io::Error) -> Stop {
        Stop::new(CommandExit::Environment, format!("'{}' cannot be written: {error}", self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_shows_retransmissions_and_leaves_the_local_address_out_first() {
        let connection = WatchedConnection {
            controller: "westwood_plus".to_owned(),
            local: ([192, 0, 2, 10], 40_001).into(),
            remote: ([203, 0, 113, 77], 50_000).into(),
            cwnd: 1_234,
            ssthresh: Some(1_000),
            packets_out: 1,
            srtt: westwood_cc::Duration::from_micros(612_345),
            min_rtt: Some(westwood_cc::Duration::from_micros(600_123)),
            bwe: Some(westwood_cc::Rate::from_bits_per_s(18_765_000)),
            bytes_acked: 1,
            retransmitted: 4_321,
        };
        let head = |width| {
            let text = table(std::slice::from_ref(&connection), width);
            let widest = text.lines().map(str::len).max();
            assert!(widest.is_some_and(|wide| wide <= width), "{text}");
            assert!(text.lines().nth(1).is_some_and(|row| row.ends_with("4321")), "{text}");
            let names = text.lines().next().unwrap_or_default().split_whitespace();
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(head(200), COLUMNS);
        assert!(!head(100).contains(&"local".to_owned()));
        assert!(head(100).contains(&"min_rtt".to_owned()));
        assert!(!head(80).contains(&"min_rtt".to_owned()));
    }
}
