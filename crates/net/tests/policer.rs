//! A policer before a link's queue: what passes, and how the rest is counted.

use crate::common::{PacketFate, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{
    DropCause, Interval, Limit, LinkConfig, PolicerConfig, PredictedLink, QueueConfig, RedConfig,
};

/// Half of what the link can send.
fn policed(burst: u64) -> LinkConfig {
    let rate = Rate::from_bits_per_s(6_000_000);
    let policer = Some(PolicerConfig { rate, burst: Bytes::new(burst) });
    LinkConfig { policer, ..link_12_mbit(Limit::Packets(100)) }
}

#[test]
fn a_policer_passes_its_burst_and_then_its_rate_and_no_packet_waits_for_it() {
    // One packet a millisecond, which the link sends at once. A burst of five lasts for nine packets,
    // since tokens for four more come meanwhile; then every other passes.
    let offers: Vec<_> = (0..1_000).map(|i| (at_ms(i), pkt(i, 1500))).collect();
    let mut link = build(&policed(7_500));
    let log = drive(&mut link, &offers, at_ms(2_000));
    for &(at, id, fate) in &log {
        let passes = id < 9 || id.is_multiple_of(2);
        let expected =
            if passes { PacketFate::Delivered } else { PacketFate::Lost(DropCause::Policer) };
        assert_eq!(fate, expected, "{id}");
        let taken = at.since(at_ms(id));
        assert_eq!(taken, if passes { ms(11) } else { Duration::ZERO }, "{id}");
    }
    let stats = link.stats(at_ms(2_000));
    assert_eq!((stats.offered.packets, stats.policed.packets), (1_000, log.len() as u64 - 504));
    assert_eq!(stats.waiting.max(), 0);
}

#[test]
fn what_a_policer_drops_no_queue_sees() {
    let red = RedConfig { weight: 1.0, max_p: 1.0, ..RedConfig::for_buffer(6) };
    let config = LinkConfig { queue: QueueConfig::Red(red), ..policed(1_500) };
    // The bucket lets one of twenty pass, which finds the link free.
    let offers: Vec<_> = (0..20).map(|i| (at_ms(0), pkt(i, 1500))).collect();
    let log = drive(&mut build(&config), &offers, at_ms(1_000));
    assert_eq!(log.iter().filter(|e| e.2 == PacketFate::Delivered).count(), 1);
}

#[test]
fn fates_are_not_foretold_behind_a_policer_and_bad_values_are_refused() {
    let interval = Interval { begin: Instant::ZERO, end: at_ms(1_000) };
    assert!(PredictedLink::new(&policed(1), 1, "link", &interval).is_ok_and(|link| link.is_none()));
    let refusal = |policer| {
        let config = LinkConfig { policer: Some(policer), ..policed(1) };
        PredictedLink::new(&config, 1, "link", &interval).unwrap_err().to_string()
    };
    let (rate, burst) = (Rate::from_bits_per_s(8), Bytes::new(1));
    assert_eq!(
        refusal(PolicerConfig { rate, burst: Bytes::ZERO }),
        "policer.burst must be from 1 byte to 2^40 bytes"
    );
    assert_eq!(
        refusal(PolicerConfig { rate: Rate::default(), burst }),
        "policer.rate must be above zero and at most 2^46 byte/s"
    );
}
