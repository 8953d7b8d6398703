//! Short runs, line by line, against what the RFCs and the papers say.
//!
//! Each file in `golden/` begins with a derivation by hand: why each time, window and cause is what
//! it is. Below it stands the run as it is drawn here: what is traced, and a line for each event at
//! the sender. `docs/evidence/testing.md` says how to read one and how to add one.
//!
//! `UPDATE_GOLDEN=1 cargo test -p westwood-sim --test all golden` replaces the lower part of the
//! files, never the derivation. A line that changes needs a derivation that says why.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use westwood_cc::params::Value;
use westwood_cc::{Bytes, Duration, Instant, Segments};
use westwood_net::{Change, Jitter, JitterDistribution, Limit, LinkChange, LinkConfig, LossConfig};
use westwood_sim::{Phases, ValueDistribution, Workload};
use westwood_tcp::{AckPolicy, Config, Recovery, RtoConfig, Sizes};

use crate::tracer::{Run, hundredths, kbit, play};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

const fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

const DELAYED: AckPolicy = AckPolicy::Delayed { timer: ms(100) };

/// Segments of 1000 bytes, of which each is acknowledged; nothing that RFC 5681 leaves open.
fn config(recovery: Recovery, window: Segments, ssthresh: Segments) -> Config {
    Config {
        recovery,
        sizes: Sizes { payload: Bytes::new(1_000), ..Sizes::default() },
        initial_window: window,
        initial_ssthresh: ssthresh,
        acks: AckPolicy::Each,
        limited_transmit: false,
        ..Config::default()
    }
}

/// Congestion avoidance from `window` segments on.
fn avoiding(recovery: Recovery, window: u64) -> Config {
    let w = Segments::new(window);
    config(recovery, w, w)
}

/// Slow start from `window` segments on.
fn starting(recovery: Recovery, window: u64) -> Config {
    config(recovery, Segments::new(window), Segments::MAX)
}

/// With Linux's least timeout.
fn linux(config: Config) -> Config {
    Config { rto: RtoConfig { min: ms(200), ..config.rto }, ..config }
}

fn link(rate_kbit: u64, delay: Duration) -> LinkConfig {
    LinkConfig::new(kbit(rate_kbit), delay, Limit::Unlimited)
}

/// Loses these packets, counted from 1 as they enter the link.
fn losing(packets: &[u64], link: LinkConfig) -> LinkConfig {
    LinkConfig { losses: vec![LossConfig::List(packets.to_vec())], ..link }
}

/// Reno over 8 Mbit/s with a round trip of 50 ms: 1 ms a segment, 24 ms, 0.04 ms an ACK, 24.96 ms.
fn run(name: &'static str, config: Config, until: Duration) -> Run {
    Run {
        name,
        controller: "reno",
        params: &[],
        config,
        there: link(8_000, ms(24)),
        back: link(8_000, us(24_960)),
        workload: Workload::Greedy,
        crossing: None,
        until,
    }
}

/// The same with these packets lost on the way there.
fn lossy(name: &'static str, config: Config, packets: &[u64], until: Duration) -> Run {
    let run = run(name, config, until);
    Run { there: losing(packets, run.there), ..run }
}

fn transfer(run: Run, segments: u64) -> Run {
    Run { workload: Workload::Transfer(run.config.sizes.payload * segments), ..run }
}

fn slow_starts() -> Vec<Run> {
    let newreno = |window| starting(Recovery::NewReno, window);
    let delayed = |window| Config { acks: DELAYED, ..newreno(window) };
    let idle = Phases::Alternating {
        on: ValueDistribution::Constant(0.06),
        off: ValueDistribution::Constant(2.0),
    };
    let overflow = run("slow-start-overflow", newreno(2), us(202_500));
    vec![
        run("slow-start", newreno(2), ms(160)),
        Run { there: LinkConfig::new(kbit(8_000), ms(24), Limit::Packets(2)), ..overflow },
        run("slow-start-delayed-acks", delayed(2), ms(210)),
        transfer(run("delayed-ack-timer", delayed(1), ms(400)), 6),
        Run { workload: Workload::OnOff(idle), ..run("idle-restart", newreno(2), ms(2_115)) },
    ]
}

fn losses() -> Vec<Run> {
    use Recovery::{Linux, NewReno, Reno, Sack, Tahoe};
    let careful = Config { limited_transmit: true, ..avoiding(NewReno, 3) };
    let timed = Config { timestamps: false, ..starting(NewReno, 4) };
    let tail = [4, 5, 6, 7, 9, 10];
    vec![
        lossy("one-loss-tahoe", avoiding(Tahoe, 8), &[3], ms(210)),
        lossy("one-loss-reno", avoiding(Reno, 8), &[3], ms(110)),
        lossy("one-loss-newreno", avoiding(NewReno, 8), &[3], ms(110)),
        lossy("three-losses-reno", avoiding(Reno, 10), &[3, 5, 7], ms(1_260)),
        lossy("three-losses-newreno", avoiding(NewReno, 10), &[3, 5, 7], ms(210)),
        lossy("three-losses-sack", avoiding(Sack, 10), &[3, 5, 7], ms(152)),
        lossy("limited-transmit", careful, &[2], ms(203)),
        transfer(lossy("tail-loss-timeouts", timed, &tail, ms(8_000)), 6),
        transfer(lossy("tail-loss-linux", linux(starting(Linux, 4)), &[5, 6], ms(400)), 6),
        transfer(
            lossy("lost-retransmission-newreno", avoiding(NewReno, 8), &[3, 11], ms(1_200)),
            12,
        ),
        transfer(lossy("lost-retransmission-sack", avoiding(Sack, 8), &[3, 11], ms(1_200)), 12),
        lossy("lost-retransmission-linux", linux(avoiding(Linux, 8)), &[3, 13], ms(160)),
    ]
}

/// Packets that leave within half a millisecond of these instants take 6 ms more, and others overtake them.
fn detours(at: &[Duration], run: Run) -> Run {
    let change = |at, delay| Change { at: Instant::ZERO + at, what: LinkChange::Delay(delay) };
    let both = |&at: &Duration| [change(at - us(500), ms(30)), change(at + us(500), ms(24))];
    let schedule = at.iter().flat_map(both).collect();
    let overtaking =
        Jitter { spread: JitterDistribution::Uniform { most: Duration::ZERO }, reorder: true };
    Run { there: LinkConfig { jitter: Some(overtaking), schedule, ..run.there }, ..run }
}

fn reordering() -> Vec<Run> {
    let newreno = run("reordering-newreno", avoiding(Recovery::NewReno, 8), ms(153));
    let linux = run("reordering-linux", linux(avoiding(Recovery::Linux, 8)), us(156_500));
    vec![detours(&[ms(3)], newreno), detours(&[ms(3), ms(101)], linux)]
}

type Params = &'static [(&'static str, Value<'static>)];

/// Filters that warm up within a readable run.
const SHORT: Params = &[("tau", Value::Duration(ms(100)))];
const LONG: Params = &[("tau", Value::Duration(ms(1_000)))];

fn westwoods() -> Vec<Run> {
    let newreno = |window| avoiding(Recovery::NewReno, window);
    let narrow = |delay| link(800, delay);
    let just_below = hundredths(9_998);
    vec![
        Run {
            controller: "westwood",
            params: SHORT,
            there: losing(&[11], narrow(ms(15))),
            ..run("westwood-three-dupacks", newreno(8), ms(245))
        },
        transfer(
            Run {
                controller: "westwood",
                params: LONG,
                there: losing(&[12], narrow(ms(165))),
                ..run("westwood-timeout", newreno(12), ms(1_600))
            },
            12,
        ),
        Run {
            controller: "westwood+",
            params: &[("filter", Value::Choice("a"))],
            there: narrow(ms(265)),
            ..run("westwood-plus-resampling", starting(Recovery::NewReno, 2), ms(1_205))
        },
        Run {
            controller: "westwood+probing",
            ..run(
                "westwood-probing-threshold",
                config(Recovery::NewReno, just_below, just_below),
                ms(56),
            )
        },
        Run {
            controller: "log-westwood+",
            params: &[("a", Value::Count(1))],
            there: losing(&[8, 19, 38], narrow(ms(5))),
            back: link(8_000, us(4_960)),
            ..run("log-westwood-plus-a", newreno(6), ms(455))
        },
        Run {
            controller: "westwood",
            params: SHORT,
            ..compressed("ack-compression-westwood", newreno(16))
        },
        Run { controller: "westwood+", ..compressed("ack-compression-westwood-plus", newreno(16)) },
    ]
}

/// ACKs wait behind datagrams and leave in bursts.
fn compressed(name: &'static str, config: Config) -> Run {
    Run {
        there: link(800, ms(15)),
        back: link(800, us(24_600)),
        crossing: Some((Bytes::new(3_800), ms(40))),
        ..run(name, config, ms(225))
    }
}

fn runs() -> Vec<Run> {
    [slow_starts(), losses(), reordering(), westwoods()].into_iter().flatten().collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A file's derivation, and the run below it.
fn parts(text: &str) -> (&str, &str) {
    let run = text.find("\ncontroller ").map_or(text.len(), |at| at + 1);
    text.split_at(run)
}

/// The lines that differ, with those around them left out.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let mut text = String::new();
    for i in 0..expected.len().max(found.len()) {
        let (e, f) = (expected.get(i), found.get(i));
        if e != f {
            let show = |line: Option<&&str>| line.map_or("(nothing)", |l| *l).to_owned();
            let _ = writeln!(text, "    derived {}\n    drawn   {}", show(e), show(f));
        }
    }
    text
}

#[test]
fn every_run_goes_as_it_was_derived() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differences = String::new();
    for run in runs() {
        let path = folder().join(run.name).with_extension("txt");
        let text = fs::read_to_string(&path).unwrap_or_else(|e| {
            panic!("{}: {e}; write down first what the run should show", path.display())
        });
        let (derivation, expected) = parts(&text);
        let found = format!("{}\n{}", run.heading(), play(&run).0.table());
        if update {
            fs::write(&path, format!("{derivation}{found}")).expect("a file that can be written");
        } else if expected != found {
            let _ = writeln!(differences, "{}:\n{}", run.name, difference(expected, &found));
        }
    }
    assert!(differences.is_empty(), "find out who is right:\n{differences}");
}

#[test]
fn every_trace_has_the_windows_that_the_engine_records() {
    for run in runs() {
        let engine = westwood_sim::run(&run.network()).expect("a valid network");
        let (_, records) = play(&run);
        assert!(records.len() > 3, "{}", run.name);
        assert_eq!(records, engine.records, "{}", run.name);
    }
}

#[test]
fn every_file_has_its_run_and_says_why() {
    let names: BTreeSet<String> = runs().iter().map(|run| format!("{}.txt", run.name)).collect();
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder()).expect("the folder of the runs") {
        let entry = entry.expect("a file");
        let text = fs::read_to_string(entry.path()).expect("text");
        let (derivation, _) = parts(&text);
        // A heading and a few sentences; the shortest derivation has eight lines.
        assert!(derivation.lines().count() >= 8, "{:?} has no derivation", entry.path());
        files.insert(entry.file_name().into_string().expect("a plain name"));
    }
    assert_eq!(files, names);
}
