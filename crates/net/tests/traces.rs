//! Recorded capacity: the format, and replay at exact times.

use crate::common;
use std::sync::Arc;

use crate::common::{PacketFate, arrivals, at, at_ms, build, drive, link_12_mbit, pkt};
use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::{Capacity, Limit, Link, LinkConfig, Trace, TraceError};

fn recorded(text: &str) -> LinkConfig {
    let trace = Trace::parse(text).expect("a trace");
    LinkConfig {
        capacity: Capacity::Recorded(Arc::new(trace)),
        delay: Duration::from_millis(1),
        ..link_12_mbit(Limit::Unlimited)
    }
}

#[test]
fn errors_name_the_line() {
    let error = |text| Trace::parse(text).unwrap_err();
    assert_eq!(error(""), TraceError::Empty);
    assert_eq!(error("0\n0\n"), TraceError::NoDuration);
    assert_eq!(error("1\n2\nx\n"), TraceError::NotATime { line: 3 });
    assert_eq!(error("1\n\n2\n"), TraceError::NotATime { line: 2 });
    assert_eq!(error("1\n-2\n"), TraceError::NotATime { line: 2 });
    assert_eq!(error("1\n99999999999999999999\n"), TraceError::NotATime { line: 2 });
    assert_eq!(error("5\n4\n"), TraceError::Backwards { line: 2 });
    assert_eq!(error("5\n4\n").to_string(), "line 2 is earlier than the line before it");
    assert!(Trace::parse("1\r\n2\r\n").is_ok());
}

#[test]
fn the_mean_rate_of_a_minute_is_exact() {
    // 857 opportunities in 59.920 s: 21453.604... bytes a second, of which 2^-16 are 39 millionths.
    let times: Vec<String> = (0..857).map(|n| (70 * n).to_string()).collect();
    let rate = Trace::parse(&times.join("\n")).expect("a trace").mean_rate();
    assert_eq!(rate.raw(), ((857 * 1_500_000) << 16) / 59_920);
}

#[test]
fn packets_leave_at_the_opportunities_and_the_trace_starts_again() {
    let offers: Vec<_> = (0..7).map(|i| (at(1), pkt(i, 1500))).collect();
    let log = drive(&mut build(&recorded("0\n5\n5\n12\n")), &offers, at_ms(99));
    // Those at 12 are this round's last and the next one's first.
    assert_eq!(arrivals(&log), [6, 6, 13, 13, 18, 18, 25].map(|t| t * 1_000_000));
}

#[test]
fn an_opportunity_carries_several_small_packets_or_a_part_of_a_large_one() {
    let sizes = [700, 700, 200, 1500, 3000];
    let offers: Vec<_> = (0..).zip(sizes).map(|(i, size)| (at(0), pkt(i, size))).collect();
    let log = drive(&mut build(&recorded("2\n4\n6\n8\n10\n")), &offers, at_ms(99));
    // 700 + 700 + 100 | 100 + 1400 | 100 + 1400 | 1500 | 100
    assert_eq!(arrivals(&log), [3, 3, 5, 7, 11].map(|t| t * 1_000_000));
}

#[test]
fn opportunities_without_a_packet_are_lost() {
    let mut link = build(&recorded("1\n2\n3\n10\n"));
    // The packet that arrives at an opportunity's instant misses it.
    let offers = [(at_ms(2), pkt(0, 1500)), (at(2_500_000), pkt(1, 1500))];
    let log = drive(&mut link, &offers, at_ms(30));
    assert_eq!(arrivals(&log), [4_000_000, 11_000_000]);
    let stats = link.stats(at_ms(30));
    assert_eq!(stats.capacity, Bytes::new(12 * 1500));
    assert_eq!(stats.busy, Duration::from_millis(8));
}

#[test]
fn a_silence_of_years_costs_nothing() {
    let mut link = build(&recorded("1\n2\n3\n10\n"));
    let later = Instant::ZERO + Duration::from_secs(100 * 365 * 86_400);
    let log = drive(&mut link, &[(later, pkt(0, 1500))], later + Duration::from_secs(1));
    assert_eq!(log, [(later + Duration::from_millis(2), 0, PacketFate::Delivered)]);
}

#[test]
fn recorded_capacity_needs_room_to_wait() {
    let mut config = recorded("1\n");
    config.queue = westwood_net::QueueConfig::DropTail(Limit::Packets(0));
    let error = Link::<common::Pkt>::new(&config, 1, "link").map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "queue.limit must be above zero with recorded capacity");
}

/// Recorded traces are not part of this project; where they lie beside it, they are replayed.
#[test]
fn a_saturated_link_replays_a_real_trace() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("SKIPPED: no recorded traces at {folder}");
        return;
    };
    for path in entries.map(|e| e.expect("an entry").path()) {
        if !path.extension().is_some_and(|e| e == "up" || e == "down") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable trace");
        let times: Vec<u64> = text.lines().map(|l| l.parse().expect("a number")).collect();
        let missed = times.iter().filter(|&&t| t == 0).count();
        let offers: Vec<_> = (0..times.len() as u64).map(|i| (at(0), pkt(i, 1500))).collect();
        let end = at_ms(times[times.len() - 1] + 1);
        let log = drive(&mut build(&recorded(&text)), &offers, end);
        let expected: Vec<u64> = times[missed..].iter().map(|t| (t + 1) * 1_000_000).collect();
        // The trace's start repeats at its end.
        assert_eq!(arrivals(&log)[..expected.len()], expected, "{}", path.display());
        assert_eq!(log.len(), times.len(), "{}", path.display());
    }
}
