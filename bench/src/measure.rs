//! Runs the contenders of each row in turn, several rounds.

use std::time::Duration;

use crate::error::BenchError;
use crate::meter::MeterSample;
use crate::other_simulators::OtherSimulators;
use crate::rows::{BenchRow, Contender};

/// One contender's results, a round each.
pub(crate) struct Series {
    pub(crate) contender: Contender,
    pub(crate) rounds: Vec<Round>,
}

/// The cost of the long run beyond the short one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    /// CPU time, in seconds.
    pub(crate) cpu: f64,
    /// Wall time, in seconds.
    pub(crate) wall: f64,
    /// CPU time of the short run, in seconds.
    pub(crate) setup: f64,
    /// Packets delivered, both ways.
    pub(crate) packets: u64,
    /// Packets delivered from left to right.
    pub(crate) there: u64,
    /// Most memory resident in the long run and in the short one, in kB; none of another simulator's.
    pub(crate) peak_kb: Option<[u64; 2]>,
}

impl Round {
    /// Nanoseconds of CPU time for each packet delivered.
    #[expect(clippy::cast_precision_loss, reason = "packets are far below 2^53")]
    pub(crate) fn ns_a_packet(&self) -> f64 {
        self.cpu * 1e9 / self.packets as f64
    }
}

/// Measures a row: A B C A B C and so on.
pub(crate) fn measure(
    row: BenchRow,
    rounds: usize,
    tiny: bool,
    rivals: &OtherSimulators,
) -> Result<Vec<Series>, BenchError> {
    let contenders = row.contenders(rivals).into_iter();
    let contenders = contenders.map(|c| if tiny { c.tiny() } else { c });
    let mut all: Vec<_> =
        contenders.map(|contender| Series { contender, rounds: Vec::new() }).collect();
    for round in 1..=rounds {
        for series in &mut all {
            eprintln!("{} {round}/{rounds}: {}", row.name(), series.contender.name);
            let result = one(row, &series.contender)?;
            series.rounds.push(result);
        }
    }
    Ok(all)
}

fn one(row: BenchRow, contender: &Contender) -> Result<Round, BenchError> {
    let long = MeterSample::of(&mut contender.command(contender.long_ms))?;
    if row == BenchRow::Compare {
        let (cpu, wall) = (long.cpu.as_secs_f64(), long.wall.as_secs_f64());
        return Ok(Round { cpu, wall, setup: 0.0, packets: 0, there: 0, peak_kb: None });
    }
    let short = MeterSample::of(&mut contender.command(contender.short_ms))?;
    let there = difference(&long, &short, "delivered")?;
    let less = |a: Duration, b: Duration| a.saturating_sub(b).as_secs_f64();
    Ok(Round {
        cpu: less(long.cpu, short.cpu),
        wall: less(long.wall, short.wall),
        setup: short.cpu.as_secs_f64(),
        packets: there + difference(&long, &short, "delivered_back")?,
        there,
        peak_kb: long
            .number("peak_kb")
            .ok()
            .zip(short.number("peak_kb").ok())
            .map(<[u64; 2]>::from),
    })
}

fn difference(
    long: &MeterSample,
    short: &MeterSample,
    key: &'static str,
) -> Result<u64, BenchError> {
    Ok(long.number(key)?.saturating_sub(short.number(key)?))
}
