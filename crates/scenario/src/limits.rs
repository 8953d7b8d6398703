//! What stops a mistyped value before it costs hours or the machine's memory.

use westwood_cc::{Bytes, Duration, Rate};

use crate::compare::Plan;
use crate::dumbbell::Dumbbell;
use crate::error::BadInput;
use crate::units::{duration_text, rate_text};

/// Most flows of a comparison, competing and reverse ones included.
pub const MAX_FLOWS: u64 = 10_000;
/// Most seeds.
pub const MAX_SEEDS: u64 = 10_000;
/// Most runs at the same time.
pub const MAX_JOBS: u64 = 1_024;
/// Slowest link.
pub const MIN_RATE: Rate = Rate::from_bits_per_s(1_000);
/// Fastest link, access links included: the controllers' integers are exact up to 400 Gbit/s.
pub const MAX_RATE: Rate = Rate::from_bits_per_s(4_000_000_000_000);
/// Fastest bottleneck.
pub const MAX_BOTTLENECK: Rate = Rate::from_bits_per_s(400_000_000_000);
/// Shortest propagation round-trip time.
pub const MIN_RTT: Duration = Duration::from_micros(1);
/// Longest propagation round-trip time.
pub const MAX_RTT: Duration = Duration::from_secs(10);
/// Longest simulated time.
pub const MAX_TIME: Duration = Duration::from_secs(86_400);
/// Largest payload of a segment.
pub const MAX_PACKET: u64 = 65_535;
/// Largest header.
pub const MAX_HEADER: u64 = 1_000;
/// Largest buffer: a window is at most 2^24 segments.
pub const MAX_BUFFER_PACKETS: u64 = 1 << 24;
/// Largest initial window.
pub const MAX_INITIAL_WINDOW: u64 = 10_000;
/// Most segments by which a receiver's window grows: a window is at most 2^24 segments.
pub const MAX_GROWTH: u64 = 1 << 24;
/// Shortest minimum of the retransmission timeout.
pub const MIN_MIN_RTO: Duration = Duration::from_millis(1);
/// Longest minimum of the retransmission timeout: its maximum (RFC 6298 section 2.5).
pub const MAX_MIN_RTO: Duration = Duration::from_secs(60);
/// Coarsest clock: BSD's was 500 ms.
pub const MAX_RTO_TICK: Duration = Duration::from_secs(1);
/// Largest transfer.
pub const MAX_SIZE: Bytes = Bytes::new(1 << 50);
/// Most packets that a comparison may send, by estimate: hours of computing.
pub const MAX_WORK_PACKETS: u128 = 20_000_000_000;
/// Most memory that a comparison may need, by estimate.
pub const MAX_MEMORY_BYTES: u128 = 8 << 30;

/// Refuses a rate outside its limits.
pub fn rate_within(rate: Rate, text: &str, most: Rate) -> Result<Rate, BadInput> {
    if rate < MIN_RATE || rate > most {
        return Err(BadInput::out_of_range(text, rate_text(MIN_RATE), rate_text(most)));
    }
    Ok(rate)
}

/// Refuses a duration outside its limits.
pub fn duration_within(
    span: Duration,
    text: &str,
    low: Duration,
    high: Duration,
) -> Result<Duration, BadInput> {
    if span < low || span > high {
        return Err(BadInput::out_of_range(text, duration_text(low), duration_text(high)));
    }
    Ok(span)
}

/// Refuses a plan that would need too much memory or time.
pub fn check(plan: &Plan) -> Result<(), BadInput> {
    check_work(plan)?;
    check_memory(plan)
}

fn check_work(plan: &Plan) -> Result<(), BadInput> {
    let path = &plan.path;
    let runs = plan.controllers.len() as u128 * plan.seeds.len() as u128;
    let forward = packets_in(path.rate(), path.time, path.wire_packet());
    let back = match path.reverse_flows {
        0 => 0,
        _ => packets_in(path.return_rate(), path.time, path.wire_packet()),
    };
    let packets = (forward + back) * runs.max(1);
    if packets <= MAX_WORK_PACKETS {
        return Ok(());
    }
    let billions = |n: u128| n / 1_000_000_000;
    let what = format!(
        "{runs} runs of {} would send about {} billion packets; at most {} billion are allowed",
        path.time,
        billions(packets),
        billions(MAX_WORK_PACKETS)
    );
    Err(BadInput::new(what)
        .hint("lower --time, --rate, --seeds or the number of --cc")
        .at("--time"))
}

fn check_memory(plan: &Plan) -> Result<(), BadInput> {
    /// A packet in a queue, on a wire, in the sender's and the receiver's books.
    const PER_PACKET: u128 = 256;
    const PER_FLOW: u128 = 16 << 10;
    let path = &plan.path;
    let in_flight = packets_in(path.rate(), path.rtt_max, path.wire_packet());
    let queued = u128::from(path.buffer_packets()?).min(packets_in(
        path.rate(),
        path.time,
        path.wire_packet(),
    ));
    let flows = u128::from(path.flow_count());
    let one = (in_flight + queued) * PER_PACKET + flows * PER_FLOW;
    let runs = plan.controllers.len() * plan.seeds.len();
    let memory = one * plan.jobs.min(runs).max(1) as u128;
    if memory <= MAX_MEMORY_BYTES {
        return Ok(());
    }
    let flag = if queued > in_flight { "--buffer" } else { "--rate" };
    let what = format!(
        "{} runs at a time would need about {} GiB of memory; at most {} GiB are allowed",
        plan.jobs.min(runs),
        (memory >> 30) + 1,
        MAX_MEMORY_BYTES >> 30
    );
    Err(BadInput::new(what).hint("lower --buffer, --rate, --rtt or --jobs").at(flag))
}

/// Full packets that a rate carries within a span.
pub fn packets_in(rate: Rate, span: Duration, packet: Bytes) -> u128 {
    let bytes = u128::from(rate.raw() >> 16) * u128::from(span.as_nanos()) / 1_000_000_000;
    bytes / u128::from(packet.get().max(1))
}

/// Refuses more flows than there may be.
pub fn check_flows(path: &Dumbbell) -> Result<(), BadInput> {
    if path.flow_count() <= MAX_FLOWS {
        return Ok(());
    }
    let what = format!("{} flows in all; at most {MAX_FLOWS} are allowed", path.flow_count());
    Err(BadInput::new(what).hint("lower --flows, --against or --reverse-flows").at("--flows"))
}
