//! The rows of the measurement: which programs take part, and how long each one simulates.

use std::process::Command;

use westwood_bench::networks::BenchNetwork;

use crate::error::BenchError;
use crate::other_simulators::OtherSimulators;

/// A row, named as on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BenchRow {
    P1,
    P1Reno,
    Hosts,
    P2,
    P3,
    P4,
    P5,
    Probes,
    Compare,
}

/// A program that takes part in a row.
pub(crate) struct Contender {
    pub(crate) name: String,
    /// The time that it simulates, in milliseconds.
    pub(crate) long_ms: u64,
    /// The time simulated in the run that is taken away: set-up, or set-up and the beginning.
    pub(crate) short_ms: u64,
    /// It works on several cores, so that wall time counts.
    pub(crate) parallel: bool,
    command: Box<dyn Fn(&str) -> Command>,
}

impl BenchRow {
    pub(crate) const ALL: [Self; 9] = [
        Self::P1,
        Self::P1Reno,
        Self::Hosts,
        Self::P2,
        Self::P3,
        Self::P4,
        Self::P5,
        Self::Probes,
        Self::Compare,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::P1 => "P1",
            Self::P1Reno => "P1-reno",
            Self::Hosts => "hosts",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
            Self::P5 => "P5",
            Self::Probes => "probes",
            Self::Compare => "compare",
        }
    }

    /// The network, in a line.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::P1 => {
                "one westwood+ flow with SACK, 100 Mbit/s, 180 ms, 300 packets of buffer, delayed ACKs"
            }
            Self::P1Reno => "P1 with reno, which all three have alike",
            Self::Hosts => {
                "P1 with the hosts of `westwood compare`: Linux's recovery, buffers and timers, delayed ACKs"
            }
            Self::P2 => {
                "100 newreno flows, 10 Mbit/s, 22 to 250 ms, 113 packets of buffer, 10 flows back"
            }
            Self::P3 => {
                "one westwood+ flow with SACK, 10 Gbit/s, 265 ms, 9000-byte packets, a quarter of the BDP of buffer"
            }
            Self::P4 => {
                "10,000 cubic flows with SACK, 10 Gbit/s, 20 to 200 ms, one BDP of buffer; the second line has 100 flows"
            }
            Self::P5 => "100 seeds of P1 with 0.01 % loss, on one core and on all",
            Self::Probes => {
                "P1 without probes, with the curves of `westwood compare --html`, and with every change of window and queue"
            }
            Self::Compare => {
                "the command `westwood compare` without flags, start to table, one core"
            }
        }
    }

    pub(crate) fn parse(name: &str) -> Result<Self, BenchError> {
        Self::ALL.into_iter().find(|r| r.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            BenchError::Unknown { kind: "row", name: name.into(), known }
        })
    }

    /// P4 simulates fifty million packets: three times are enough.
    pub(crate) fn rounds(self, asked: usize) -> usize {
        if self == Self::P4 { asked.min(3) } else { asked }
    }

    /// The programs, ourselves first.
    pub(crate) fn contenders(self, rivals: &OtherSimulators) -> Vec<Contender> {
        match self {
            Self::P1 => {
                let mut all = vec![ours("westwood", BenchNetwork::P1, 100_000)];
                all.extend(rivals.ns2("ns-2, linux-westwood", "P1", "westwood", 100_000, 1));
                all.extend(rivals.ns3("ns-3, WestwoodPlus", "P1", "westwood", 100_000, 1));
                all
            }
            Self::P1Reno => {
                let mut all = vec![ours("westwood", BenchNetwork::P1Reno, 100_000)];
                all.extend(rivals.ns2("ns-2, Sack1", "P1", "reno", 100_000, 1));
                all.extend(rivals.ns3("ns-3, NewReno with SACK", "P1", "reno", 100_000, 1));
                all
            }
            Self::Hosts => {
                vec![
                    ours("reno, RFC 6675", BenchNetwork::P1Reno, 100_000),
                    ours("cubic-linux, Linux", BenchNetwork::P1Linux, 100_000),
                    ours("bbr, Linux", BenchNetwork::P1LinuxBbr, 100_000),
                ]
            }
            Self::P2 => {
                let mut ours = ours("westwood", BenchNetwork::P2, 1_000_000);
                ours.short_ms = P2_BEGIN;
                let mut all = vec![ours];
                all.extend(rivals.ns2("ns-2, Newreno", "P2", "", 1_000_000, P2_BEGIN));
                // It takes minutes for what takes the others seconds.
                all.extend(rivals.ns3("ns-3, NewReno", "P2", "", 60_000, P2_BEGIN));
                all
            }
            Self::P3 => vec![ours("westwood", BenchNetwork::P3, 300_000)],
            Self::P4 => {
                vec![
                    ours("10,000 flows", BenchNetwork::P4, 60_000),
                    ours("100 flows", BenchNetwork::P4Few, 60_000),
                ]
            }
            Self::P5 => vec![seeds("one core", 1), seeds("all cores", 0)],
            Self::Probes => {
                vec![
                    ours("without", BenchNetwork::P1, 100_000),
                    ours("as compare --html", BenchNetwork::P1Curves, 100_000),
                    ours("every change", BenchNetwork::P1Probes, 100_000),
                ]
            }
            Self::Compare => compare().into_iter().collect(),
        }
    }
}

/// By then all flows of P2 have started and the queue is full: from there on goodputs compare, and so
/// do runs of unequal length.
const P2_BEGIN: u64 = 10_000;

impl Contender {
    pub(crate) fn new(
        name: &str,
        long_ms: u64,
        short_ms: u64,
        command: impl Fn(&str) -> Command + 'static,
    ) -> Self {
        let command = Box::new(command);
        Self { name: name.into(), long_ms, short_ms, parallel: false, command }
    }

    /// The command that simulates so much.
    #[expect(clippy::cast_precision_loss, reason = "seconds, for programs that read decimals")]
    pub(crate) fn command(&self, milliseconds: u64) -> Command {
        (self.command)(&format!("{}", milliseconds as f64 / 1000.0))
    }

    /// The same with hardly anything to simulate: does it run at all?
    pub(crate) fn tiny(mut self) -> Self {
        (self.long_ms, self.short_ms) = (self.short_ms.min(100) + 600, self.short_ms.min(100));
        self
    }
}

/// This program, once more.
fn me() -> Command {
    Command::new(std::env::current_exe().unwrap_or_else(|_| "westwood-bench".into()))
}

fn ours(label: &str, network: BenchNetwork, long_ms: u64) -> Contender {
    Contender::new(label, long_ms, 1, move |seconds| {
        let mut command = me();
        command.args(["once", network.as_str(), seconds]);
        command
    })
}

/// A hundred seeds; 0 threads means all cores.
fn seeds(label: &str, threads: u64) -> Contender {
    let mut contender = Contender::new(label, 100_000, 1, move |seconds| {
        let mut command = me();
        command.args(["once", BenchNetwork::P1Lossy.as_str(), seconds, "--seeds", "100"]);
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command
    });
    contender.parallel = true;
    contender
}

/// The command, if it has been built beside this program.
fn compare() -> Option<Contender> {
    let path = std::env::current_exe().ok()?.with_file_name("westwood");
    path.exists().then(|| {
        Contender::new("westwood compare", 0, 0, move |_| {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(&path).arg("compare");
            command
        })
    })
}
