//! Links from outside: times, limits, statistics, changes, and that a foreseen link is no other.

use crate::common;
use crate::common::PacketFate::{Delivered, Lost};
use crate::common::{
    Log, arrivals, at, at_ms, build, drive, link_12_mbit, ms, next_out, pkt, settle,
};
use proptest::prelude::*;
use westwood_cc::{Bytes, Duration, Ecn, Instant, Rate};
use westwood_net::queue::RedDraw;
use westwood_net::{
    AckFilterConfig, AckRule, ArqConfig, BurstConfig, CakeConfig, Capacity, CeThreshold, Change,
    CoDelConfig, CobaltConfig, DropCause, DualPi2Config, EcnPath, FecConfig, FqCoDelConfig,
    FqPieConfig, Interval, Jitter, JitterDistribution, Limit, Link, LinkChange, LinkConfig,
    LossConfig, MarkAbove, Offer, PacketCount, PacketFate, PieConfig, PolicerConfig, PredictedLink,
    PureAck, QueueConfig, RedConfig, ReorderConfig, Sojourns, ThresholdConfig,
};

#[test]
fn a_packet_takes_its_size_over_the_rate_and_then_the_delay() {
    let mut link = build(&link_12_mbit(Limit::Unlimited));
    let log = drive(&mut link, &[(at_ms(5), pkt(0, 1500)), (at_ms(5), pkt(1, 750))], at_ms(99));
    assert_eq!(arrivals(&log), [16_000_000, 16_500_000]);
}

#[test]
fn a_million_packets_at_awkward_rates_take_the_true_time() {
    // Rate in bit/s, packet sizes taken in turn, in bytes.
    let cases: [(u64, &[u64]); 4] =
        [(400_000_000_000, &[40]), (1_234_567, &[1_500, 52]), (999_999_937, &[1_337]), (7, &[1])];
    for (rate, sizes) in cases {
        let rate = Rate::from_bits_per_s(rate);
        let mut link = build(&LinkConfig::new(rate, Duration::ZERO, Limit::Unlimited));
        let (mut bytes, mut last) = (0_u128, Instant::ZERO);
        for id in 0..1_000_000_u64 {
            let size = sizes[usize::try_from(id).unwrap() % sizes.len()];
            bytes += u128::from(size);
            // Offered just in time, so that the link neither rests nor fills.
            link.offer(last, pkt(id, size));
            last = next_out(&mut link) - Duration::from_nanos(1);
        }
        let truth = bytes * 8_000_000_000 / u128::from(rate.bits_per_s());
        assert!(truth.abs_diff(u128::from(last.as_nanos())) <= 1, "{rate:?}: {last:?} for {truth}");
    }
}

#[test]
fn n_packets_wait_beside_the_one_in_the_transmitter() {
    let mut link = build(&link_12_mbit(Limit::Packets(3)));
    let fates: Vec<_> = (0..5).map(|id| link.offer(at(0), pkt(id, 1500))).collect();
    assert_eq!(fates[..4], [Offer::Queued; 4]);
    assert_eq!(fates[4], Offer::Dropped(pkt(4, 1500), DropCause::Overflow));
    // Departures of an instant make room for its arrivals.
    assert_eq!(
        link.offer(at(999_999), pkt(5, 1500)),
        Offer::Dropped(pkt(5, 1500), DropCause::Overflow)
    );
    assert_eq!(link.offer(at_ms(1), pkt(6, 1500)), Offer::Queued);
}

#[test]
fn without_a_queue_an_idle_link_still_takes_a_packet() {
    for limit in [Limit::Packets(0), Limit::Bytes(Bytes::ZERO)] {
        let mut link = build(&link_12_mbit(limit));
        assert_eq!(link.offer(at(0), pkt(0, 1500)), Offer::Queued);
        assert!(matches!(link.offer(at(1), pkt(1, 1500)), Offer::Dropped(..)));
        assert_eq!(link.offer(at_ms(1), pkt(2, 1500)), Offer::Queued);
    }
}

#[test]
fn a_limit_in_bytes_counts_bytes() {
    let mut link = build(&link_12_mbit(Limit::Bytes(Bytes::new(2_000))));
    link.offer(at(0), pkt(0, 1500));
    assert_eq!(link.offer(at(0), pkt(1, 1500)), Offer::Queued);
    assert!(matches!(link.offer(at(0), pkt(2, 501)), Offer::Dropped(..)));
    assert_eq!(link.offer(at(0), pkt(3, 500)), Offer::Queued);
    assert_eq!(link.waiting(at(0)).bytes, Bytes::new(2_000));
}

#[test]
fn a_link_without_delay_delays_by_a_nanosecond() {
    let mut link = build(&LinkConfig::new(Rate::MAX_SAMPLE, Duration::ZERO, Limit::Unlimited));
    let log = drive(&mut link, &[(at(7), pkt(0, 0))], at(99));
    assert_eq!(arrivals(&log), [8]);
}

#[test]
fn statistics_are_exact_at_any_instant() {
    let mut link = build(&link_12_mbit(Limit::Packets(2)));
    for id in 0..4 {
        link.offer(at_ms(1), pkt(id, 1500));
    }
    let mid = link.stats(at(2_500_000));
    assert_eq!(mid.busy, Duration::from_micros(1_500));
    assert_eq!((mid.offered.packets, mid.overflow.packets), (4, 1));
    // None for the first millisecond, two for the next, one for half of one.
    assert_eq!(mid.waiting.times(), [ms(1), Duration::from_micros(500), ms(1)]);
    let mut log = Vec::new();
    settle(&mut link, at_ms(20), &mut log);
    let end = link.stats(at_ms(20));
    assert_eq!(end.busy, ms(3));
    assert_eq!(end.delivered.bytes, Bytes::new(4_500));
    assert_eq!(end.capacity, Bytes::new(30_000));
    assert_eq!(end.waiting.total(), ms(20));
    let part = end.since(&mid);
    assert_eq!(part.busy, Duration::from_micros(1_500));
    assert_eq!(part.waiting.total(), Duration::from_micros(17_500));
    assert_eq!(part.waiting.max(), 1);
}

#[test]
fn the_waiting_histogram_has_mean_and_quantiles() {
    let mut link = build(&link_12_mbit(Limit::Unlimited));
    for id in 0..5 {
        link.offer(at(0), pkt(id, 1500));
    }
    // Levels 4, 3, 2, 1 for a millisecond each, then 0 for six.
    let waiting = link.stats(at_ms(10)).waiting;
    assert!((waiting.mean() - 1.0).abs() < 1e-12);
    assert_eq!([0.0, 0.5, 0.6, 0.65, 0.95].map(|q| waiting.quantile(q)), [0, 0, 0, 1, 4]);
    assert_eq!(waiting.max(), 4);
}

#[test]
fn a_lost_packet_has_used_the_link_and_is_reported_when_it_would_have_arrived() {
    let config =
        LinkConfig { losses: vec![LossConfig::List(vec![1])], ..link_12_mbit(Limit::Unlimited) };
    let mut link = build(&config);
    let log = drive(&mut link, &[(at(0), pkt(0, 1500)), (at(0), pkt(1, 1500))], at_ms(50));
    assert_eq!(log, [(at_ms(11), 0, Lost(DropCause::Random)), (at_ms(12), 1, Delivered)]);
    assert_eq!(link.stats(at_ms(50)).random.packets, 1);
}

#[test]
fn a_new_rate_holds_for_the_bits_not_sent_yet() {
    let rate = |t, bits| Change { at: t, what: LinkChange::Rate(Rate::from_bits_per_s(bits)) };
    let mut config = link_12_mbit(Limit::Unlimited);
    // Half a packet at full rate, then half speed, then a standstill of 5 ms.
    config.schedule =
        vec![rate(at(500_000), 6_000_000), rate(at_ms(2), 0), rate(at_ms(7), 12_000_000)];
    let mut link = build(&config);
    let log = drive(&mut link, &[(at(0), pkt(0, 1500)), (at(0), pkt(1, 1500))], at_ms(50));
    // The second has sent a quarter (from 1.5 to 2 ms) when the link stops.
    assert_eq!(arrivals(&log), [11_500_000, 17_750_000]);
    let stats = link.stats(at_ms(10));
    assert_eq!(stats.capacity, Bytes::new(750 + 1_125 + 4_500));
}

#[test]
fn a_shorter_delay_lets_nobody_overtake() {
    let mut config = link_12_mbit(Limit::Unlimited);
    config.schedule = vec![
        Change { at: at_ms(2), what: LinkChange::Delay(ms(1)) },
        Change { at: at_ms(9), what: LinkChange::Delay(ms(20)) },
    ];
    let offers = [0, 2, 15, 20].map(|t| (at_ms(t), pkt(t, 1500)));
    let log = drive(&mut build(&config), &offers, at_ms(99));
    assert_eq!(arrivals(&log), [11_000_000, 11_000_000, 36_000_000, 41_000_000]);
}

#[test]
fn scheduled_losses_replace_the_others_and_count_afresh() {
    let mut config = link_12_mbit(Limit::Unlimited);
    config.losses = vec![LossConfig::Bernoulli { p: 1.0 }];
    let second = LossConfig::List(vec![2]);
    config.schedule = vec![Change { at: at_ms(5), what: LinkChange::Losses(vec![second]) }];
    let offers = [0, 10, 20, 30].map(|t| (at_ms(t), pkt(t, 1500)));
    let log = drive(&mut build(&config), &offers, at_ms(99));
    let lost: Vec<_> = log.iter().filter(|e| e.2 != Delivered).map(|e| e.1).collect();
    assert_eq!(lost, [0, 20]);
}

#[test]
fn threshold_marking_marks_whom_it_finds_behind_more_than_k() {
    let mut config = link_12_mbit(Limit::Unlimited);
    config.queue = QueueConfig::Threshold(ThresholdConfig {
        limit: Limit::Packets(10),
        mark_above: MarkAbove::Packets(2),
    });
    let mut link = build(&config);
    for id in 0..6 {
        let packet =
            common::Pkt { ecn: if id == 4 { Ecn::NotEct } else { Ecn::Ect0 }, ..pkt(id, 1500) };
        link.offer(at(0), packet);
    }
    let mut marked = Vec::new();
    while link.next_event() < Instant::FAR_FUTURE {
        let now = link.next_event();
        if let westwood_net::Step::Delivered(p) = link.step(now) {
            marked.push(p.ce);
        }
    }
    // The packet in the transmitter does not count, and packet 4 does not understand.
    assert_eq!(marked, [false, false, false, false, false, true]);
    assert_eq!(link.stats(at_ms(99)).marks, 1);
}

fn jittery(reorder: bool) -> LinkConfig {
    LinkConfig {
        jitter: Some(Jitter { spread: JitterDistribution::Exponential { mean: ms(5) }, reorder }),
        ..link_12_mbit(Limit::Unlimited)
    }
}

#[test]
fn jitter_keeps_order_unless_it_is_to_reorder() {
    let offers: Vec<_> = (0..1_000).map(|i| (at_ms(2 * i), pkt(i, 1500))).collect();
    for reorder in [false, true] {
        let log = drive(&mut build(&jittery(reorder)), &offers, at_ms(100_000));
        assert_eq!(log.len(), 1_000);
        assert!(log.is_sorted_by_key(|e| e.0));
        assert_eq!(log.is_sorted_by_key(|e| e.1), !reorder);
    }
}

#[test]
fn jitter_has_the_mean_it_was_given() {
    let spreads = [
        (JitterDistribution::Uniform { most: ms(10) }, 5e6),
        (JitterDistribution::Exponential { mean: ms(5) }, 5e6),
        (JitterDistribution::Normal { mean: ms(5), deviation: ms(1) }, 5e6),
    ];
    for (spread, mean) in spreads {
        let mut config = jittery(true);
        config.jitter = Some(Jitter { spread, reorder: true });
        let offers: Vec<_> = (0..20_000).map(|i| (at_ms(2 * i), pkt(i, 1500))).collect();
        let log = drive(&mut build(&config), &offers, at_ms(100_000));
        let sum: u64 = log.iter().map(|e| e.0.as_nanos() - 2_000_000 * e.1 - 11_000_000).sum();
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let measured = sum as f64 / 20_000.0;
        assert!((measured / mean - 1.0).abs() < 0.04, "{spread:?}: {measured}");
    }
}

#[test]
fn bunches_hold_packets_until_a_multiple_of_their_time() {
    let spread = JitterDistribution::Bunches { every: ms(8) };
    let config = LinkConfig { jitter: Some(Jitter { spread, reorder: false }), ..jittery(false) };
    let offers: Vec<_> = (0..6).map(|i| (at_ms(2 * i), pkt(i, 1500))).collect();
    // They would come at 11, 13, ... 21 ms.
    let times: Vec<u64> = drive(&mut build(&config), &offers, at_ms(100))
        .iter()
        .map(|event| event.0.as_nanos() / 1_000_000)
        .collect();
    assert_eq!(times, [16, 16, 16, 24, 24, 24]);
}

#[test]
fn a_link_repeats_from_its_seed_and_its_name() {
    let offers: Vec<_> = (0..1_000).map(|i| (at_ms(2 * i), pkt(i, 1500))).collect();
    let mut config = jittery(false);
    config.losses = vec![LossConfig::Bernoulli { p: 0.1 }];
    let run = |config: &LinkConfig, seed, name| {
        let mut link = Link::new(config, seed, name).unwrap();
        drive(&mut link, &offers, at_ms(100_000))
    };
    assert_eq!(run(&config, 1, "a"), run(&config, 1, "a"));
    assert_ne!(run(&config, 1, "a"), run(&config, 2, "a"));
    assert_ne!(run(&config, 1, "a"), run(&config, 1, "b"));
    // One loss process more moves neither the jitter nor the losses of the first.
    let before = run(&config, 1, "a");
    config.losses.push(LossConfig::Bernoulli { p: 0.1 });
    let after = run(&config, 1, "a");
    let times = |log: &common::Log| log.iter().map(|e| (e.0, e.1)).collect::<Vec<_>>();
    assert_eq!(times(&before), times(&after));
    let lost = |log: &common::Log| {
        log.iter().filter(|e| e.2 != Delivered).map(|e| e.1).collect::<Vec<_>>()
    };
    assert!(lost(&before).iter().all(|id| lost(&after).contains(id)));
}

#[test]
fn a_refusal_names_the_field_and_what_it_must_be() {
    let good = link_12_mbit(Limit::Unlimited);
    let refusal = |config: LinkConfig| {
        Link::<common::Pkt>::new(&config, 1, "link").map(|_| ()).unwrap_err().to_string()
    };
    let losses = |l| refusal(LinkConfig { losses: vec![l], ..good.clone() });
    let queue = |q| refusal(LinkConfig { queue: q, ..good.clone() });
    assert_eq!(
        refusal(LinkConfig { capacity: Capacity::Fixed(Rate::ZERO), ..good.clone() }),
        "rate must be above zero and at most 2^46 byte/s"
    );
    assert_eq!(losses(LossConfig::Bernoulli { p: 1.5 }), "losses[0].p must be within 0 to 1");
    assert_eq!(
        losses(LossConfig::BitErrors { ber: f64::NAN }),
        "losses[0].ber must be within 0 to 1"
    );
    let gilbert =
        LossConfig::Gilbert { good: ms(1), bad: ms(0), p: 0.1, sojourns: Sojourns::Clock };
    assert_eq!(losses(gilbert), "losses[0].bad must be at least 1 us");
    let chain = |p, r, p_good, p_bad| LossConfig::GilbertElliott { p, r, p_good, p_bad };
    for (chain, name) in [
        (chain(1.5, 0.1, 0.0, 1.0), "p"),
        (chain(0.1, -0.1, 0.0, 1.0), "r"),
        (chain(0.1, 0.1, f64::NAN, 1.0), "p_good"),
        (chain(0.1, 0.1, 0.0, 2.0), "p_bad"),
    ] {
        assert_eq!(losses(chain), format!("losses[0].{name} must be within 0 to 1"));
    }
    let outage = LossConfig::Outage { every: ms(1), lasts: ms(1) };
    assert_eq!(losses(outage), "losses[0].lasts must be shorter than `every`");
    let red = RedConfig { max_th: 1.0, min_th: 2.0, ..RedConfig::for_buffer(60) };
    assert_eq!(queue(QueueConfig::Red(red)), "queue.max_th must be above min_th");
    let codel = CoDelConfig { interval: ms(0), ..CoDelConfig::default() };
    assert_eq!(
        queue(QueueConfig::CoDel(codel)),
        "queue.interval must be more than zero and at most 100 s"
    );
    let wait = Duration::from_secs(101);
    let ce_threshold = Some(CeThreshold { wait, ect1_only: false });
    let codel = CoDelConfig { ce_threshold, ..CoDelConfig::default() };
    assert_eq!(queue(QueueConfig::CoDel(codel)), "queue.ce_threshold must be at most 100 s");
    let cobalt = CobaltConfig { target: ms(101), ..CobaltConfig::default() };
    assert_eq!(
        queue(QueueConfig::Cobalt(cobalt)),
        "queue.target must be more than zero and at most the interval"
    );
    let red = RedConfig { weight: 0.0, ..RedConfig::for_buffer(60) };
    assert_eq!(queue(QueueConfig::Red(red)), "queue.weight must be above 0 and at most 1");
    let dual = DualPi2Config { shift: Some(wait), ..DualPi2Config::default() };
    assert_eq!(queue(QueueConfig::DualPi2(dual)), "queue.shift must be at most 100 s");
    let dual = DualPi2Config { ramp: wait, ..DualPi2Config::default() };
    assert_eq!(queue(QueueConfig::DualPi2(dual)), "queue.ramp must be at most 100 s");
    let pie = PieConfig { update: ms(0), ..PieConfig::default() };
    assert_eq!(queue(QueueConfig::Pie(pie)), "queue.update must be from 1 us to 100 s");
    let pie = PieConfig { alpha: f64::NAN, ..PieConfig::default() };
    assert_eq!(queue(QueueConfig::Pie(pie)), "queue.alpha must be from 0 to 1000 per second");
    let dual = DualPi2Config { coupling: 0.5, ..DualPi2Config::default() };
    assert_eq!(queue(QueueConfig::DualPi2(dual)), "queue.coupling must be from 1 to 255");
    let late = LossConfig::Markov { good: ms(0), bad: ms(1), p_good: 0.0, p_bad: 1.0 };
    let change = Change { at: at_ms(1), what: LinkChange::Losses(vec![late]) };
    assert_eq!(
        refusal(LinkConfig { schedule: vec![change], ..good.clone() }),
        "schedule[0].losses[0].good must be more than zero"
    );
}

#[test]
fn a_change_is_named_by_its_place_in_the_configuration_and_not_by_its_time() {
    let refusal = |late: LinkChange| {
        let early = Change { at: at_ms(1), what: LinkChange::Delay(ms(1)) };
        let schedule = vec![Change { at: at_ms(2), what: late }, early];
        let config = LinkConfig { schedule, ..link_12_mbit(Limit::Unlimited) };
        Link::<common::Pkt>::new(&config, 1, "link").map(|_| ()).unwrap_err().field
    };
    let loss = LossConfig::Bernoulli { p: 2.0 };
    assert_eq!(refusal(LinkChange::Losses(vec![loss])), "schedule[0].losses[0].p");
    assert_eq!(refusal(LinkChange::Rate(Rate::from_raw(u64::MAX))), "schedule[0].rate");
}

#[test]
fn a_link_with_any_part_that_works_by_events_has_no_predictable_rate() {
    let good = link_12_mbit(Limit::Unlimited);
    let changing =
        |what| LinkConfig { schedule: vec![Change { at: at_ms(1), what }], ..good.clone() };
    assert!(good.predictable_rate().is_some());
    assert!(changing(LinkChange::Losses(Vec::new())).predictable_rate().is_some());
    let arq = ArqConfig { tries: 1, delay: ms(1), in_order: false };
    let fec = FecConfig { k: 1, n: 2, wait: ms(1), in_order: false };
    let bursts = BurstConfig { packets: 1, airtime: ms(1), overhead: ms(1) };
    let filter = AckFilterConfig { rule: AckRule::Replace, drop_sack: false, drop_ecn: false };
    let reorder = ReorderConfig { p: 0.0, by: 1, within: ms(1) };
    let policer = PolicerConfig { rate: Rate::from_bits_per_s(8), burst: Bytes::new(1) };
    for (part, config) in [
        ("delay", changing(LinkChange::Delay(ms(1)))),
        ("arq", LinkConfig { arq: Some(arq), ..good.clone() }),
        ("fec", LinkConfig { fec: Some(fec), ..good.clone() }),
        ("bursts", LinkConfig { bursts: Some(bursts), ..good.clone() }),
        ("ack_filter", LinkConfig { ack_filter: Some(filter), ..good.clone() }),
        ("reorder", LinkConfig { reorder: Some(reorder), ..good.clone() }),
        ("ecn_path", LinkConfig { ecn_path: Some(EcnPath::Bleach), ..good.clone() }),
        ("policer", LinkConfig { policer: Some(policer), ..good.clone() }),
    ] {
        assert_eq!(config.predictable_rate(), None, "{part}");
    }
}

#[test]
fn a_link_draws_if_any_part_leaves_something_to_chance() {
    let good = link_12_mbit(Limit::Unlimited);
    let queue = |queue| LinkConfig { queue, ..good.clone() };
    let losses = |losses| LinkConfig { losses: vec![losses], ..good.clone() };
    let jitter =
        |spread| LinkConfig { jitter: Some(Jitter { spread, reorder: false }), ..good.clone() };
    let changing =
        |what| LinkConfig { schedule: vec![Change { at: at_ms(1), what }], ..good.clone() };
    let outage = LossConfig::Outage { every: ms(2), lasts: ms(1) };
    let reorder = ReorderConfig { p: 0.1, by: 1, within: ms(1) };
    for (draws, config) in [
        (false, good.clone()),
        (false, queue(QueueConfig::CoDel(CoDelConfig::default()))),
        (true, queue(QueueConfig::Red(RedConfig::for_buffer(60)))),
        (false, losses(outage.clone())),
        (false, losses(LossConfig::Bernoulli { p: 0.0 })),
        (false, losses(LossConfig::Bernoulli { p: 1.0 })),
        (true, losses(LossConfig::Bernoulli { p: 0.1 })),
        (false, losses(LossConfig::BitErrors { ber: 0.0 })),
        (false, losses(LossConfig::BitErrors { ber: 1.0 })),
        (true, losses(LossConfig::BitErrors { ber: 1e-6 })),
        (
            true,
            LinkConfig { losses: vec![outage, LossConfig::Bernoulli { p: 0.1 }], ..good.clone() },
        ),
        (true, jitter(JitterDistribution::Uniform { most: ms(1) })),
        (false, jitter(JitterDistribution::Bunches { every: ms(1) })),
        (true, LinkConfig { reorder: Some(reorder), ..good.clone() }),
        (true, changing(LinkChange::Losses(vec![LossConfig::Bernoulli { p: 0.1 }]))),
        (false, changing(LinkChange::Delay(ms(1)))),
    ] {
        assert_eq!(config.draws(), draws, "{config:?}");
    }
}

fn queues() -> impl Strategy<Value = QueueConfig> {
    prop_oneof![
        (0..20_u64).prop_map(|n| QueueConfig::DropTail(Limit::Packets(n))),
        (0..20_000_u64).prop_map(|n| QueueConfig::DropTail(Limit::Bytes(Bytes::new(n)))),
        Just(QueueConfig::DropTail(Limit::Unlimited)),
        (0..9_u64).prop_map(|k| QueueConfig::Threshold(ThresholdConfig {
            limit: Limit::Packets(10),
            mark_above: MarkAbove::Packets(k),
        })),
        any::<(bool, bool)>().prop_map(|(gentle, ahead)| QueueConfig::Red(RedConfig {
            weight: 0.2,
            gentle,
            draw: if ahead { RedDraw::Gap } else { RedDraw::Packet },
            ecn: true,
            ..RedConfig::for_buffer(12)
        })),
        Just(QueueConfig::CoDel(CoDelConfig {
            limit: Limit::Packets(15),
            target: ms(1),
            interval: ms(4),
            ..CoDelConfig::default()
        })),
        (0..9_u64).prop_map(|k| QueueConfig::Threshold(ThresholdConfig {
            limit: Limit::Packets(10),
            mark_above: MarkAbove::Wait(ms(k)),
        })),
        any::<bool>().prop_map(|ecn| QueueConfig::Pie(PieConfig {
            limit: Limit::Packets(15),
            target: ms(1),
            update: ms(1),
            burst: ms(3),
            ecn,
            ..PieConfig::default()
        })),
        (1..15_u64).prop_map(|n| QueueConfig::FqPie(FqPieConfig {
            pie: PieConfig {
                limit: Limit::Packets(n),
                target: ms(1),
                update: ms(1),
                burst: ms(3),
                ecn: true,
                ..PieConfig::default()
            },
            flows: 4,
            ..FqPieConfig::default()
        })),
        (1..15_u64).prop_map(|n| QueueConfig::Cobalt(CobaltConfig {
            limit: Limit::Packets(n),
            target: ms(1),
            interval: ms(4),
            ecn: true,
            ..CobaltConfig::default()
        })),
        (1..15_u64).prop_map(|n| QueueConfig::Cake(CakeConfig {
            limit: Limit::Packets(n),
            target: ms(1),
            interval: ms(4),
            ..CakeConfig::default()
        })),
        (1..15_u64).prop_map(|n| QueueConfig::DualPi2(DualPi2Config {
            limit: Limit::Packets(n),
            target: ms(1),
            update: ms(2),
            ..DualPi2Config::default()
        })),
        (0..15_u64).prop_map(|n| QueueConfig::FqCoDel(FqCoDelConfig {
            limit: Limit::Packets(n),
            target: ms(1),
            interval: ms(4),
            flows: 4,
            ..FqCoDelConfig::default()
        })),
    ]
}

fn thinned_or_reordered() -> impl Strategy<Value = (Option<AckFilterConfig>, Option<ReorderConfig>)>
{
    let reorder = prop_oneof![
        3 => Just(None),
        1 => (1..5_u32, 0..20_u64)
            .prop_map(|(by, within)| Some(ReorderConfig { p: 0.2, by, within: ms(within) })),
    ];
    let rule = prop_oneof![
        Just(AckRule::Replace),
        (2..5_u32, 0..20_u64).prop_map(|(n, wait)| AckRule::Decimate { n, wait: ms(wait) }),
    ];
    let filter = (rule, any::<(bool, bool)>()).prop_map(|(rule, (drop_sack, drop_ecn))| {
        Some(AckFilterConfig { rule, drop_sack, drop_ecn })
    });
    (prop_oneof![3 => Just(None), 1 => filter], reorder)
}

fn coded_or_bursty() -> impl Strategy<Value = (Option<FecConfig>, Option<BurstConfig>)> {
    let fec =
        (1..6_u32, 1..4_u32, 0..20_u64, any::<bool>()).prop_map(|(k, more, wait, in_order)| {
            Some(FecConfig { k, n: k + more, wait: ms(wait), in_order })
        });
    let bursts = (1..9_u32, 0..3_u64, 0..3_u64).prop_map(|(packets, airtime, overhead)| {
        Some(BurstConfig { packets, airtime: ms(airtime), overhead: ms(overhead) })
    });
    (prop_oneof![3 => Just(None), 1 => fec], prop_oneof![3 => Just(None), 1 => bursts])
}

fn configs() -> impl Strategy<Value = LinkConfig> {
    let jitter = prop_oneof![
        Just(None),
        any::<bool>().prop_map(|reorder| Some(Jitter {
            spread: JitterDistribution::Uniform { most: ms(2) },
            reorder
        })),
    ];
    let arq = prop_oneof![
        3 => Just(None),
        1 => (1..4_u32, 0..3_000_u64, any::<bool>()).prop_map(|(tries, us, in_order)| {
            Some(ArqConfig { tries, delay: Duration::from_micros(us), in_order })
        }),
    ];
    let policer = prop_oneof![
        4 => Just(None),
        1 => (100_000..50_000_000_u64, 1..20_000_u64).prop_map(|(rate, burst)| {
            let rate = Rate::from_bits_per_s(rate);
            Some(PolicerConfig { rate, burst: Bytes::new(burst) })
        }),
    ];
    (
        (queues(), any::<bool>(), prop_oneof![2 => Just(0), 1 => 0..1_000_000_u64]),
        100_000..50_000_000_u64,
        0..5_000_000_u64,
        (jitter, policer),
        arq,
        thinned_or_reordered(),
        coded_or_bursty(),
    )
        .prop_map(
            |(
                (queue, peeks, wake_up),
                rate,
                delay,
                (jitter, policer),
                arq,
                (ack_filter, reorder),
                (fec, bursts),
            )| {
                LinkConfig {
                    ack_filter,
                    capacity: Capacity::Fixed(Rate::from_bits_per_s(rate)),
                    delay: Duration::from_nanos(delay),
                    queue,
                    losses: vec![
                        LossConfig::Bernoulli { p: 0.05 },
                        LossConfig::Markov { good: ms(8), bad: ms(4), p_good: 0.0, p_bad: 0.5 },
                        LossConfig::List(vec![1, 5]),
                    ],
                    arq,
                    reorder: reorder.filter(|_| !jitter.is_some_and(|jitter| jitter.reorder)),
                    fec: fec.filter(|_| arq.is_none()),
                    bursts,
                    jitter,
                    ecn_path: None,
                    peeks,
                    wake_up: Duration::from_nanos(wake_up),
                    policer,
                    schedule: vec![],
                }
            },
        )
}

/// Loss processes, often one alone.
fn losses() -> impl Strategy<Value = Vec<LossConfig>> {
    let process = prop_oneof![
        2 => prop::sample::select(&[0.0, 0.05, 0.5][..]).prop_map(|p| LossConfig::Bernoulli { p }),
        3 => prop::collection::vec(1_u64..40, 0..6).prop_map(LossConfig::List),
        1 => Just(LossConfig::Markov { good: ms(8), bad: ms(4), p_good: 0.0, p_bad: 0.5 }),
        2 => prop::sample::select(&[0.0, 0.02][..]).prop_map(|p_good| LossConfig::GilbertElliott {
            p: 0.05,
            r: 0.4,
            p_good,
            p_bad: 0.9,
        }),
        1 => Just(LossConfig::Outage { every: ms(30), lasts: ms(5) }),
    ];
    prop_oneof![
        4 => process.clone().prop_map(|process| vec![process]),
        1 => prop::collection::vec(process, 0..3),
    ]
}

/// Links whose packets' fates are known on offer, but for their queues: losses may be replaced.
fn on_arrival() -> impl Strategy<Value = LinkConfig> {
    let change = (0..200_u64, losses())
        .prop_map(|(at, losses)| Change { at: at_ms(at), what: LinkChange::Losses(losses) });
    let schedule = prop::collection::vec(change, 0..4);
    let simple = (losses(), prop::bool::ANY);
    (configs(), simple, schedule).prop_map(|(config, (losses, calm), schedule)| LinkConfig {
        arq: None,
        ack_filter: None,
        reorder: None,
        fec: None,
        bursts: None,
        losses,
        jitter: config.jitter.filter(|_| !calm),
        schedule,
        ..config
    })
}

/// Gaps in us, sizes in byte, flows.
fn offers() -> impl Strategy<Value = Vec<(Instant, common::Pkt)>> {
    let kind = (0..4_u8, 0..4_u32, 0..5_u8);
    prop::collection::vec((0..2_000_u64, 40..1_600_u64, 0..3_u32, kind), 1..200).prop_map(|list| {
        let mut now = Instant::ZERO;
        (0_u64..)
            .zip(list)
            .map(|(id, (gap, size, flow, (ecn, ack, rare)))| {
                now += Duration::from_micros(gap);
                // Three of four are ACKs, a few of them duplicates, with news or with an echo.
                let number = id.saturating_sub(u64::from(rare == 1));
                let echo = u8::from(rare == 3);
                let news = PureAck { number, has_news: rare == 2, ecn: echo };
                let ack = (ack > 0 && id > 0).then_some(news);
                (now, common::Pkt { id, size, flow, ecn: Ecn::from_bits(ecn), ce: false, ack })
            })
            .collect()
    })
}

/// Sizes and gaps on a grid of halves of a millisecond, over a link that needs as long for each 750 bytes:
/// arrivals meet departures.
fn in_step() -> impl Strategy<Value = (LinkConfig, Vec<(Instant, common::Pkt)>)> {
    let offers = prop::collection::vec((0..4_u64, 1..3_u64), 1..200).prop_map(|list| {
        let mut now = Instant::ZERO;
        let mut offers = Vec::new();
        for (id, (gap, size)) in (0_u64..).zip(list) {
            now += Duration::from_micros(500 * gap);
            offers.push((now, pkt(id, 750 * size)));
        }
        offers
    });
    (on_arrival(), 0..6_u64, offers).prop_map(|(config, room, offers)| {
        let capacity = Capacity::Fixed(Rate::from_bits_per_s(12_000_000));
        let config = LinkConfig { capacity, policer: None, ..config };
        // Half of the queues decide as packets leave.
        let queue = match config.predictable_rate() {
            Some(_) => config.queue,
            None => QueueConfig::DropTail(Limit::Packets(room)),
        };
        (LinkConfig { queue, ..config }, offers)
    })
}

/// Holds the fates that a foreseen link tells on offer against what the link does.
fn foretells(
    config: &LinkConfig,
    offers: Vec<(Instant, common::Pkt)>,
    (begin, lasts): (u64, u64),
) -> Result<(), TestCaseError> {
    let (begin, end) = (at_ms(begin), at_ms(begin + lasts));
    let interval = Interval { begin, end };
    let foreseen = PredictedLink::new(config, 1, "link", &interval).expect("valid");
    prop_assume!(foreseen.is_some());
    let (mut link, mut foreseen) = (build(config), foreseen.expect("known on offer"));
    let (mut log, mut beyond) = (Log::new(), PacketCount::default());
    for &(time, packet) in offers.iter().filter(|o| o.0 <= end) {
        let size = Bytes::new(packet.size);
        log.extend(match foreseen.offer(&interval, time, size, packet.ecn.is_capable()) {
            PacketFate::Arrives { at, .. } => Some((at, packet.id, Delivered)),
            PacketFate::Lost { at } => Some((at, packet.id, Lost(DropCause::Random))),
            PacketFate::Dropped(cause) => Some((time, packet.id, Lost(cause))),
            PacketFate::Beyond => {
                beyond += PacketCount { packets: 1, bytes: size };
                None
            }
        });
    }
    // Events at the first instant of the interval belong to it.
    let (before, after): (Vec<_>, Vec<_>) =
        offers.into_iter().filter(|o| o.0 <= end).partition(|o| o.0 < begin);
    let mut seen = drive(&mut link, &before, begin - Duration::from_nanos(1));
    let at_begin = link.stats(begin);
    seen.extend(drive(&mut link, &after, end));
    prop_assert_eq!(foreseen.waiting(&interval, end), link.waiting(end));
    prop_assert_eq!(foreseen.measured(&interval, beyond), link.stats(end).since(&at_begin));
    log.sort();
    seen.sort();
    prop_assert_eq!(log, seen);
    Ok(())
}

proptest! {
    #[test]
    fn a_foreseen_link_tells_on_offer_what_the_link_will_do(
        config in on_arrival(),
        offers in offers(),
        interval in (0..200_u64, 0..200_u64),
    ) {
        foretells(&config, offers, interval)?;
    }

    #[test]
    fn a_foreseen_link_and_the_link_agree_on_arrivals_in_the_instant_of_a_departure(
        (config, offers) in in_step(),
        interval in (0..100_u64, 0..200_u64),
    ) {
        foretells(&config, offers, interval)?;
    }

    #[test]
    fn packets_are_delivered_lost_dropped_or_still_inside(
        config in configs(),
        offers in offers(),
        cut in 0..300_u64,
    ) {
        let mut link = build(&config);
        let end = at_ms(cut);
        let before: Vec<_> = offers.iter().copied().filter(|o| o.0 <= end).collect();
        let log = drive(&mut link, &before, end);
        let inside = link.in_transit();
        let stats = link.stats(end);
        prop_assert_eq!(stats.offered.packets, before.len() as u64);
        prop_assert_eq!(inside.filtered, stats.filtered);
        let gone = stats.delivered.packets + stats.dropped().packets;
        let mut all = stats.delivered;
        all += stats.dropped();
        all += stats.filtered;
        all += inside.total();
        prop_assert_eq!(all, stats.offered);
        prop_assert_eq!(log.len() as u64, gone);
        prop_assert_eq!(stats.waiting.total(), end.since(Instant::ZERO));
        prop_assert!(stats.busy <= end.since(Instant::ZERO));
    }
}

#[test]
fn a_transmitter_takes_its_time_to_wake_up_and_none_between_packets() {
    let wake_up = Duration::from_micros(7);
    let config = LinkConfig { wake_up, ..link_12_mbit(Limit::Unlimited) };
    // A packet takes a millisecond, and ten on the way. The third comes while the second is sent, the last
    // after a rest.
    let offers = [1, 5, 6, 20].map(|ms| (at_ms(ms), pkt(ms, 1500)));
    let mut link = build(&config);
    let log = drive(&mut link, &offers, at_ms(99));
    assert_eq!(arrivals(&log), [12_007_000, 16_007_000, 17_007_000, 31_007_000]);
    assert_eq!(link.stats(at_ms(99)).busy, ms(4) + wake_up * 3);
}

#[test]
fn a_burst_after_a_pause_finds_one_place_less_where_the_transmitter_wakes_up_late() {
    let drops = |wake_up| {
        let config = LinkConfig { wake_up, ..link_12_mbit(Limit::Packets(1)) };
        // One is sent for a millisecond, one waits, and the third comes in step with the link.
        let offers = [(at_ms(5), 0), (at_ms(5), 1), (at_ms(6), 2)];
        let offers = offers.map(|(at, id)| (at, pkt(id, 1500)));
        let mut link = build(&config);
        drive(&mut link, &offers, at_ms(99));
        link.stats(at_ms(99)).overflow.packets
    };
    assert_eq!([Duration::ZERO, Duration::from_nanos(10)].map(drops), [0, 1]);
}

#[test]
fn what_is_offered_first_goes_before_all_that_wait_and_finds_no_queue_full() {
    let config = link_12_mbit(Limit::Packets(2));
    let mut link = Link::new(&config, 1, "link").expect("a valid link");
    // One in the transmitter and two that wait; there is no room for another.
    for id in 0..3 {
        assert_eq!(link.offer(at(0), pkt(id, 1500)), Offer::Queued);
    }
    assert!(matches!(link.offer(at(1), pkt(9, 1500)), Offer::Dropped(..)));
    link.offer_first(at(2), pkt(3, 1500));
    link.offer_first(at(3), pkt(4, 750));
    assert_eq!((link.waiting(at(3)).packets, link.waiting(at(3)).bytes), (4, Bytes::new(5_250)));
    let mut log = Vec::new();
    settle(&mut link, at_ms(99), &mut log);
    let order: Vec<_> = log.iter().map(|(at, id, _)| (at.as_nanos() / 1_000, *id)).collect();
    // A millisecond each, and ten on the way.
    assert_eq!(order, [(11_000, 0), (12_000, 3), (12_500, 4), (13_500, 1), (14_500, 2)]);
    let stats = link.stats(at_ms(99));
    assert_eq!((stats.offered.packets, stats.overflow.packets, stats.delivered.packets), (6, 1, 5));
}
