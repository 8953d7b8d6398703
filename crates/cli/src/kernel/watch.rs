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
        print(&format!("{clear}{}", table(&connections)))?;
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

fn table(connections: &[WatchedConnection]) -> String {
    let row = |cells: [String; 9]| {
        let [name, local, remote, cwnd, ssthresh, bwe, min_rtt, srtt, retrans] = cells;
        format!(
            "{name:<15} {local:>22} {remote:>22} {cwnd:>6} {ssthresh:>8} {bwe:>14} {min_rtt:>10} \
             {srtt:>10} {retrans:>8}\n"
        )
    };
    let head =
        ["controller", "local", "remote", "cwnd", "ssthresh", "bwe", "min_rtt", "srtt", "retrans"];
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let rows = connections.iter().map(|c| {
        row([
            c.controller.clone(),
            c.local.to_string(),
            c.remote.to_string(),
            c.cwnd.to_string(),
            or_dash(c.ssthresh.map(|s| s.to_string())),
            or_dash(c.bwe.map(|b| b.to_string())),
            or_dash(c.min_rtt.map(|d| d.to_string())),
            c.srtt.to_string(),
            c.retransmitted.to_string(),
        ])
    });
    std::iter::once(row(head.map(str::to_owned))).chain(rows).collect()
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
