//! The lateness of the emulated path beside that of the machine's own sleep, and its throughput.
//!
//! `cargo run --release -p westwood-emu --example speed`, as root; it takes a minute.

use std::process::ExitCode;
use std::time::{Duration as Span, Instant as Clock};

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Rate};
use westwood_emu::{EmuError, LinuxRun, linux, privileges};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{
    Control, FlowSpec, Histogram, LinkSpec, Network, Probes, TcpSpec, Traffic, Workload,
};
use westwood_tcp::{Config, Sizes};

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(4)
        }
    }
}

fn measure() -> Result<(), EmuError> {
    privileges::obtain()?;
    let floor = std::thread::spawn(sleeps).join();
    println!("clock_nanosleep of 1 ms: late by {}", quantiles(&floor.unwrap_or_default()));
    for (mbit, ms) in [(10, 50), (100, 20), (1_000, 4), (4_000, 2)] {
        let run = carried(mbit, ms)?;
        println!("{mbit} Mbit/s, {ms} ms: {}", in_words(&run));
    }
    Ok(())
}

/// The lateness of a thread that sleeps for a millisecond, two thousand times.
fn sleeps() -> Histogram {
    privileges::be_punctual(privileges::SchedulingRank::First);
    let mut late = Histogram::default();
    for _ in 0..2_000 {
        let span = Span::from_millis(1);
        let begun = Clock::now();
        std::thread::sleep(span);
        let over = begun.elapsed().saturating_sub(span);
        late.add(Duration::from_nanos(u64::try_from(over.as_nanos()).unwrap_or(u64::MAX)));
    }
    late
}

/// A CUBIC connection over a link of this rate, for eight seconds.
fn carried(mbit: u64, ms: u64) -> Result<LinuxRun, EmuError> {
    let rate = Rate::from_bits_per_s(mbit * 1_000_000);
    let bdp = mbit * ms * 1_000 / 8 / 1_500;
    let link = |name: &str, from, to| LinkSpec {
        name: name.into(),
        from,
        to,
        config: LinkConfig::new(rate, Duration::from_micros(ms * 500), Limit::Packets(bdp)).into(),
    };
    let sizes = Sizes { payload: Bytes::new(1448), header: Bytes::new(52), ..Sizes::default() };
    let cubic = Choice::named("cubic").ok_or(EmuError::Cancelled)?;
    let tcp = TcpSpec { controller: cubic, config: Config { sizes, ..Config::default() } };
    let network = Network {
        nodes: vec!["client".into(), "server".into()],
        links: vec![link("there", 0, 1), link("back", 1, 0)],
        flows: vec![FlowSpec {
            path: Some(vec![0]),
            return_path: Some(vec![1]),
            ..FlowSpec::between("flow", 0, 1, Traffic::Tcp(tcp.into(), Workload::Greedy))
        }],
        agents: Vec::new(),
        seed: 1,
        duration: Duration::from_secs(8),
        warmup: Duration::from_secs(2),
        probes: Probes::default(),
    };
    linux::run(&network, None, Control::default())
}

fn in_words(run: &LinuxRun) -> String {
    let (flow, link) = (&run.outcome.flows[0], &run.outcome.links[0]);
    // Bits a millisecond are kilobits a second.
    let kbit = flow.delivered_bytes * 8 / (run.outcome.measured.as_nanos() / 1_000_000).max(1);
    let mut lost = run.emulation.unread.to_string();
    if run.emulation.carried.counters.refused > 0 {
        lost += " and some refused";
    }
    let counters = &run.emulation.carried.counters;
    let each = run.emulation.cpu.as_nanos() / u128::from(counters.arrived.max(1));
    format!(
        "{} Mbit/s of payload, {} packets, {} dropped by the queue, {lost} beside the path; late by {}; \
         {each} ns of a processor for each of {} packets both ways",
        kbit / 1_000,
        link.delivered,
        link.dropped_overflow,
        run.emulation.carried.lateness,
        counters.arrived
    )
}

fn quantiles(late: &Histogram) -> String {
    let Some(summary) = late.summary() else { return "nothing measured".to_owned() };
    let us = |d: Duration| d.as_nanos() / 1_000;
    format!("{} us at the median, {} us at the 99th percentile", us(summary.p50), us(summary.p99))
}
