//! Random early detection.
//!
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN
//! 1(4), 1993. A slowly moving average of the queue decides how likely an arriving packet is to be
//! dropped or marked, long before the queue is full.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | avg | `average` | packets or bytes |
//! | min_th, max_th | [`RedConfig::min_th`], [`RedConfig::max_th`] | packets or bytes |
//! | max_p | [`RedConfig::max_p`] | - |
//! | w_q | [`RedConfig::weight`] | - |
//! | count | `count` | packets |
//!
//! As in ns-2's `red.cc`, an arrival after idle time first lets the average decay for every mean
//! packet that could have been sent, and then takes its own sample, which the paper leaves out. The
//! gentle variant is S. Floyd's "Recommendation on using the gentle variant of RED", 2000: its early drops
//! reach up to twice the upper threshold. Marks stand in for early drops (RFC 3168 section 7). Where every
//! packet would be dropped, beyond the upper threshold or beyond twice that, ECN-capable packets are dropped
//! too. Linux's `sch_red` marks them there (without its option `harddrop`), and so does [`RedDraw::Gap`].

use westwood_cc::{Bytes, Instant, Rate};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::queue::{Arrival, Limit, Verdict, fits};
use crate::random::{Random, floor};

/// RED's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// How much may wait.
    pub limit: Limit,
    /// The unit of the average and the thresholds.
    pub unit: RedUnit,
    /// Below this average nothing is dropped early.
    pub min_th: f64,
    /// At this average the drop probability reaches `max_p`. Above `min_th`.
    pub max_th: f64,
    /// Drop probability at `max_th`; within 0 to 1.
    pub max_p: f64,
    /// Weight of a sample in the average; above 0, at most 1.
    pub weight: f64,
    /// True: from `max_th` to twice that the probability climbs to 1. False: it jumps.
    pub gentle: bool,
    /// Mark packets that understand ECN where others are dropped early.
    pub ecn: bool,
    /// How packets to drop early are drawn.
    pub draw: RedDraw,
    /// Mean packet size, for the decay over idle time and for [`RedUnit::Bytes`].
    pub mean_packet: Bytes,
}

/// How the packets that are dropped early are drawn. While the average rests, gaps between drops are uniform
/// in either way; while it climbs, as in a slow start, a gap drawn at once ends sooner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedDraw {
    /// A number for each packet, dropped with p_a = p_b / (1 - count p_b): the paper's section 7. Gaps are
    /// uniform from 1 to 1/p_b. ns-2 has this law with `wait_` off.
    #[default]
    Packet,
    /// A number R for each gap; the packet at which count p_b reaches R is dropped: Linux's `sch_red`. The
    /// first packet above `min_th` draws R and passes, and so does the first after a drop beyond `max_th`.
    /// A large packet is as likely to be dropped as a small one, whatever the unit.
    Gap,
    /// As ns-2.35 ships it (`red.cc`, with `wait_`, `use_mark_p_` and a `mark_p_` of 0.1). No packet is
    /// dropped before the gap is 1/p_b, and gaps are uniform from there to twice that. A packet that finds at
    /// most one waiting passes, and so does the first above `min_th` after it. Where p_b is above 0.1,
    /// ECN-capable packets are dropped.
    Ns2,
}

/// The unit of RED's queue length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedUnit {
    /// Packets, each as likely to be dropped as another.
    Packets,
    /// Bytes; [`RedDraw::Packet`] drops a packet in proportion to its size.
    Bytes,
}

impl RedConfig {
    /// A buffer of so many packets with thresholds at a sixth and a half of it, max_p = 0.1 and
    /// w_q = 0.002: ours where a paper says "RED" and no more.
    #[expect(clippy::cast_precision_loss, reason = "buffers are far below 2^53 packets")]
    pub fn for_buffer(packets: u64) -> Self {
        let buffer = packets as f64;
        Self {
            limit: Limit::Packets(packets),
            unit: RedUnit::Packets,
            min_th: buffer / 6.0,
            max_th: buffer / 2.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: false,
            ecn: false,
            draw: RedDraw::Packet,
            mean_packet: Bytes::new(1500),
        }
    }
}

/// ns-2's `mark_p_`.
const MARK_P: f64 = 0.1;

/// RED at work.
#[derive(Clone, Debug)]
pub(crate) struct Red {
    config: RedConfig,
    random: Random,
    /// Time that a mean packet takes, in ns.
    packet_ns: f64,
    average: f64,
    /// Packets since the last drop, or mean packets' worth of bytes; `None` below `min_th`, where
    /// [`RedDraw::Gap`] is used, after a drop beyond the upper threshold, and where [`RedDraw::Ns2`] is,
    /// while at most one packet waits.
    count: Option<f64>,
    /// Where [`RedDraw::Gap`] is used: the R of the present gap, from 0 to 1.
    drawn: f64,
}

impl Red {
    pub(crate) fn new(config: &RedConfig, random: Random) -> Result<Self, LinkError> {
        let within = |holds, field, must| LinkError::unless(holds, field, must);
        within(config.min_th >= 0.0, "queue.min_th", "at least 0")?;
        within(config.max_th > config.min_th, "queue.max_th", "above min_th")?;
        within(config.max_th.is_finite(), "queue.max_th", "finite")?;
        LinkError::unless_probability(config.max_p, "queue.max_p")?;
        let weight = config.weight > 0.0 && config.weight <= 1.0;
        within(weight, "queue.weight", "above 0 and at most 1")?;
        within(config.mean_packet > Bytes::ZERO, "queue.mean_packet", "more than zero")?;
        Ok(Self {
            config: *config,
            random,
            packet_ns: f64::INFINITY,
            average: 0.0,
            count: None,
            drawn: 0.0,
        })
    }

    /// Tells the rate at which the average decays while the link is idle.
    #[expect(clippy::cast_precision_loss, reason = "an estimate of idle capacity")]
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        let bytes_per_ns = rate.raw() as f64 / 65_536.0 / 1e9;
        self.packet_ns = self.config.mean_packet.get() as f64 / bytes_per_ns;
    }

    pub(crate) fn judge(&mut self, arrival: &Arrival) -> Verdict {
        self.sample(arrival);
        let full = fits(self.config.limit, arrival);
        if self.config.draw == RedDraw::Ns2 {
            return self.judge_as_ns2(full, arrival);
        }
        if full != Verdict::Take {
            if self.config.draw == RedDraw::Packet {
                self.count = self.count.map(|_| 0.0);
            }
            return full;
        }
        let p = self.probability();
        if p <= 0.0 {
            self.count = None;
            return Verdict::Take;
        }
        if p < 1.0 {
            return self.early(p, arrival);
        }
        if self.config.draw == RedDraw::Packet {
            self.count = Some(0.0);
            return Verdict::Drop(DropCause::Aqm);
        }
        // `RED_HARD_MARK`.
        self.count = None;
        self.mark_or_drop(arrival)
    }

    /// `REDQueue::enque` and `REDQueue::drop_early`. The average has its sample, and a packet may find the
    /// queue `full`.
    fn judge_as_ns2(&mut self, full: Verdict, arrival: &Arrival) -> Verdict {
        let p = self.probability();
        let few = match self.config.unit {
            RedUnit::Packets => arrival.waiting.packets <= 1,
            RedUnit::Bytes => arrival.waiting.bytes <= Bytes::new(1),
        };
        let early = if p <= 0.0 || few {
            self.count = None;
            Verdict::Take
        } else {
            self.early_as_ns2(p, arrival)
        };
        if full == Verdict::Take {
            return early;
        }
        self.count = self.count.map(|_| 0.0);
        full
    }

    /// The gap grows from the last drop on, or from the first packet above `min_th`.
    fn early_as_ns2(&mut self, p: f64, arrival: &Arrival) -> Verdict {
        let size = self.relative_size(arrival);
        let Some(count) = self.count else {
            self.count = Some(size);
            return Verdict::Take;
        };
        self.count = Some(count + size);
        // `REDQueue::modify_p`: whole mean packets count.
        let gap = libm::floor(count + size) * p;
        let p_a = if gap < 1.0 {
            0.0
        } else if gap < 2.0 {
            p / (2.0 - gap)
        } else {
            1.0
        };
        if !self.random.chance(if p_a < 1.0 { p_a * size } else { p_a }) {
            return Verdict::Take;
        }
        self.count = Some(0.0);
        if p > MARK_P { Verdict::Drop(DropCause::Aqm) } else { self.mark_or_drop(arrival) }
    }

    /// Moves the average (section 4, "calculating the average queue length").
    #[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53")]
    fn sample(&mut self, arrival: &Arrival) {
        let w = self.config.weight;
        let queue = match self.config.unit {
            RedUnit::Packets => arrival.waiting.packets,
            RedUnit::Bytes => arrival.waiting.bytes.get(),
        };
        if let Some(since) = arrival.idle_since {
            self.average *= libm::pow(1.0 - w, self.missed(since, arrival.now));
        }
        self.average += w * (queue as f64 - self.average);
    }

    /// Mean packets that could have been sent while the link was idle, whole ones.
    #[expect(clippy::cast_precision_loss, reason = "a time needs no more than 53 bits")]
    fn missed(&self, since: Instant, now: Instant) -> f64 {
        floor(now.since(since).as_nanos() as f64 / self.packet_ns) as f64
    }

    /// The paper's p_b for the present average; 1 beyond the upper threshold.
    fn probability(&self) -> f64 {
        let RedConfig { min_th, max_th, max_p, gentle, .. } = self.config;
        let average = self.average;
        if average < min_th {
            0.0
        } else if average < max_th {
            max_p * (average - min_th) / (max_th - min_th)
        } else if gentle && average < 2.0 * max_th {
            max_p + (1.0 - max_p) * (average - max_th) / max_th
        } else {
            1.0
        }
    }

    /// Drops or marks so that the gaps between drops are uniform (section 7 of the paper).
    fn early(&mut self, p: f64, arrival: &Arrival) -> Verdict {
        let is_drawn = if self.config.draw == RedDraw::Packet {
            self.packet_is_drawn(p, self.relative_size(arrival))
        } else {
            self.gap_is_over(p)
        };
        if !is_drawn {
            return Verdict::Take;
        }
        self.count = Some(0.0);
        self.mark_or_drop(arrival)
    }

    fn mark_or_drop(&self, arrival: &Arrival) -> Verdict {
        if self.config.ecn && arrival.ect { Verdict::Mark } else { Verdict::Drop(DropCause::Aqm) }
    }

    /// The size of a packet in mean packets, where bytes count.
    #[expect(clippy::cast_precision_loss, reason = "packets are far below 2^53 bytes")]
    fn relative_size(&self, arrival: &Arrival) -> f64 {
        match self.config.unit {
            RedUnit::Packets => 1.0,
            RedUnit::Bytes => arrival.size.get() as f64 / self.config.mean_packet.get() as f64,
        }
    }

    /// p_a = p_b / (1 - count p_b).
    fn packet_is_drawn(&mut self, p: f64, relative_size: f64) -> bool {
        let count = self.count.unwrap_or(0.0);
        let room = 1.0 - count * p;
        let p_a = if room > 0.0 { p * relative_size / room } else { 1.0 };
        self.count = Some(count + relative_size);
        self.random.chance(p_a)
    }

    /// count p_b has reached R (`red_action`, `red_mark_probability`).
    fn gap_is_over(&mut self, p: f64) -> bool {
        let Some(count) = self.count else {
            self.count = Some(0.0);
            self.drawn = self.random.uniform();
            return false;
        };
        let count = count + 1.0;
        self.count = Some(count);
        let is_over = count * p >= self.drawn;
        if is_over {
            self.drawn = self.random.uniform();
        }
        is_over
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts of packets are small")]
mod tests {
    use super::*;
    use crate::queue::testing::finds;

    fn red(config: &RedConfig) -> Red {
        let mut red = Red::new(config, Random::new(1, "red")).expect("valid parameters");
        red.set_rate(Rate::from_bits_per_s(12_000_000));
        red
    }

    /// RED that sees the queue as it is, so that a test can choose the average.
    fn unfiltered() -> RedConfig {
        RedConfig { weight: 1.0, min_th: 10.0, max_th: 30.0, ..RedConfig::for_buffer(60) }
    }

    #[test]
    fn the_average_closes_in_geometrically() {
        let mut red = red(&RedConfig::for_buffer(600));
        for _ in 0..1_000 {
            red.judge(&finds(50));
        }
        // 50 (1 - 0.998^1000)
        assert!((red.average - 43.246).abs() < 1e-3, "{}", red.average);
    }

    #[test]
    fn idle_time_counts_as_packets_that_found_no_queue() {
        let mut red = red(&RedConfig::for_buffer(600));
        red.average = 50.0;
        // 100.9 ms at 1 ms a packet, and the arriving packet itself.
        let arrival = Arrival {
            now: Instant::from_nanos(150_900_000),
            idle_since: Some(Instant::from_nanos(50_000_000)),
            free: true,
            ..finds(0)
        };
        red.judge(&arrival);
        // 50 x 0.998^101
        assert!((red.average - 40.846).abs() < 1e-3, "{}", red.average);
    }

    #[test]
    fn gaps_between_early_drops_are_uniform_whichever_is_drawn() {
        for draw in [RedDraw::Packet, RedDraw::Gap] {
            let mut red = red(&RedConfig { draw, ..unfiltered() });
            // Half-way between the thresholds p_b is 0.05, so gaps are 1 to 20 packets.
            let mut gaps = [0_u32; 21];
            let mut gap = 0;
            red.judge(&finds(20));
            for _ in 0..420_000 {
                gap += 1;
                if red.judge(&finds(20)) != Verdict::Take {
                    gaps[gap.min(20)] += 1;
                    gap = 0;
                }
            }
            let total: u32 = gaps.iter().sum();
            assert!(f64::from(total.abs_diff(40_000)) < 1_000.0, "{draw:?}: {total}");
            // Five deviations of a count of 2000.
            assert!(gaps[1..].iter().all(|&n| n.abs_diff(total / 20) < 225), "{draw:?}: {gaps:?}");
        }
    }

    #[test]
    fn ns_2_waits_for_one_mean_gap_and_drops_within_the_next() {
        let mut red = red(&RedConfig { draw: RedDraw::Ns2, ..unfiltered() });
        // p_b is 0.05: gaps are 20 to 39 packets, each as likely as another.
        let mut gaps = [0_u32; 41];
        let mut gap = 1;
        assert_eq!(red.judge(&finds(20)), Verdict::Take);
        for _ in 0..590_000 {
            gap += 1;
            if red.judge(&finds(20)) != Verdict::Take {
                gaps[gap.min(40)] += 1;
                gap = 0;
            }
        }
        let total: u32 = gaps[20..40].iter().sum();
        assert!(f64::from(total.abs_diff(20_000)) < 500.0, "{total}");
        assert_eq!((gaps[..20].iter().sum::<u32>(), gaps[40]), (0, 0), "{gaps:?}");
        // Five deviations of a count of 1000.
        assert!(gaps[20..40].iter().all(|&n| n.abs_diff(total / 20) < 160), "{gaps:?}");
    }

    #[test]
    fn ns_2_takes_what_finds_at_most_one_waiting_whatever_the_average() {
        let mut red = red(&RedConfig { weight: 1e-9, draw: RedDraw::Ns2, ..unfiltered() });
        red.average = 29.9;
        let mut drops =
            |waiting| (0..1_000).filter(|_| red.judge(&finds(waiting)) != Verdict::Take).count();
        assert_eq!((drops(0), drops(1)), (0, 0));
        assert!(drops(2) > 50);
    }

    #[test]
    fn ns_2_marks_up_to_a_probability_of_a_tenth_and_drops_beyond() {
        let config = RedConfig { max_p: 0.2, ecn: true, draw: RedDraw::Ns2, ..unfiltered() };
        let mut red = red(&config);
        let mut fates = |waiting| {
            let ect = Arrival { ect: true, ..finds(waiting) };
            let all: Vec<_> = (0..1_000).map(|_| red.judge(&ect)).collect();
            let count = |of| all.iter().filter(|&&verdict| verdict == of).count();
            (count(Verdict::Mark) > 0, count(Verdict::Drop(DropCause::Aqm)) > 0)
        };
        assert_eq!(fates(19), (true, false));
        assert_eq!(fates(21), (false, true));
    }

    /// Packets until the first drop while the queue grows by one for each, on average.
    fn climb(draw: RedDraw) -> f64 {
        let runs = 10_000;
        let limit = Limit::Unlimited;
        let mut red =
            red(&RedConfig { draw, limit, min_th: 10.0, max_th: 1_010.0, ..unfiltered() });
        let mut packets = 0;
        for _ in 0..runs {
            red.judge(&finds(0));
            packets +=
                (11..=1_010).take_while(|&queue| red.judge(&finds(queue)) == Verdict::Take).count();
        }
        packets as f64 / f64::from(runs)
    }

    #[test]
    fn a_gap_drawn_at_once_ends_sooner_while_the_average_climbs() {
        // p_b is n/10000 at the n-th packet, and count n - 1: the gap ends at n (n - 1) = 10000 R, on average
        // at 2/3 of 100. A number for each packet has the hazard n / (10000 - n (n - 1)), so that n are
        // survived with (1 - (n/100)^2)^(1/2), and the average is pi/4 of 100.
        let (gap, packet) = (climb(RedDraw::Gap), climb(RedDraw::Packet));
        assert!((gap - 66.7).abs() < 1.5, "{gap}");
        assert!((packet - 78.5).abs() < 1.5, "{packet}");
    }

    fn share(config: &RedConfig, waiting: u64) -> f64 {
        let mut red = red(config);
        let n = 100_000;
        (0..n).filter(|_| red.judge(&finds(waiting)) != Verdict::Take).count() as f64 / f64::from(n)
    }

    #[test]
    fn the_thresholds_separate_never_sometimes_always() {
        let hard = unfiltered();
        let gentle = RedConfig { gentle: true, ..hard };
        assert!(share(&hard, 9).abs() < 1e-9);
        assert!((share(&hard, 30) - 1.0).abs() < 1e-9);
        // At 45, half-way up the gentle slope, p_b = 0.55: gaps are 1 with 0.55, else 2.
        assert!((share(&gentle, 45) - 1.0 / 1.45).abs() < 0.01);
    }

    #[test]
    fn a_full_queue_is_an_overflow_whatever_the_average() {
        let mut red = red(&RedConfig::for_buffer(60));
        assert_eq!(red.judge(&finds(60)), Verdict::Drop(DropCause::Overflow));
    }

    #[test]
    fn ecn_packets_are_marked_early_and_dropped_beyond_the_upper_threshold() {
        let mut red = red(&RedConfig { ecn: true, max_p: 1.0, ..unfiltered() });
        let ect = |waiting| Arrival { ect: true, ..finds(waiting) };
        let verdicts: Vec<_> = (0..100).map(|_| red.judge(&ect(20))).collect();
        assert!(verdicts.contains(&Verdict::Mark));
        assert!(!verdicts.contains(&Verdict::Drop(DropCause::Aqm)));
        assert_eq!(red.judge(&ect(31)), Verdict::Drop(DropCause::Aqm));
    }

    #[test]
    fn linux_marks_ecn_packets_beyond_the_upper_threshold_as_well() {
        let gap = RedConfig { ecn: true, draw: RedDraw::Gap, ..unfiltered() };
        for (gentle, beyond) in [(false, 31), (true, 59)] {
            let mut red = red(&RedConfig { gentle, max_th: 29.0, ..gap });
            assert_eq!(red.judge(&Arrival { ect: true, ..finds(beyond) }), Verdict::Mark);
            assert_eq!(red.judge(&finds(beyond)), Verdict::Drop(DropCause::Aqm));
            assert_eq!(red.judge(&finds(60)), Verdict::Drop(DropCause::Overflow));
        }
    }

    /// How many large packets are dropped for each small one, where thresholds count bytes.
    fn large_for_small(draw: RedDraw) -> f64 {
        let config = RedConfig {
            draw,
            unit: RedUnit::Bytes,
            min_th: 15_000.0,
            max_th: 45_000.0,
            ..unfiltered()
        };
        let mut red = red(&config);
        let mut drops = [0_u32; 2];
        for i in 0..400_000 {
            let small = i % 2;
            let size = Bytes::new(if small == 1 { 150 } else { 1500 });
            let arrival = Arrival { size, ..finds(20) };
            drops[small] += u32::from(red.judge(&arrival) != Verdict::Take);
        }
        f64::from(drops[0]) / f64::from(drops[1])
    }

    #[test]
    fn counting_bytes_spares_small_packets_but_not_in_linux() {
        let (packet, gap) = (large_for_small(RedDraw::Packet), large_for_small(RedDraw::Gap));
        assert!((8.0..12.0).contains(&packet), "{packet}");
        assert!((0.95..1.05).contains(&gap), "{gap}");
    }

    /// RED in a gap that ends with the next packet at half-way between the thresholds: p_b is 0.05.
    fn at_the_end_of_a_gap(draw: RedDraw) -> Red {
        Red { count: Some(19.0), drawn: 1.0, ..red(&RedConfig { draw, ..unfiltered() }) }
    }

    #[test]
    fn an_overflow_begins_a_new_gap_but_not_in_linux() {
        // ns-2's `red.cc` sets `edv_.count` to 0 at a forced drop. `sch_red` leaves `qcount` alone when the
        // queue below it is full.
        for (draw, count) in [(RedDraw::Packet, 0.0), (RedDraw::Gap, 19.0)] {
            let mut red = at_the_end_of_a_gap(draw);
            assert_eq!(red.judge(&finds(60)), Verdict::Drop(DropCause::Overflow));
            assert_eq!(red.count, Some(count), "{draw:?}");
        }
    }

    #[test]
    fn an_average_below_the_lower_threshold_ends_the_gap() {
        // The paper's figure 2: "else count <- -1"; `RED_BELOW_MIN_THRESH` of Linux.
        for draw in [RedDraw::Packet, RedDraw::Gap] {
            let mut red = at_the_end_of_a_gap(draw);
            assert_eq!(red.judge(&finds(9)), Verdict::Take);
            assert_eq!(red.count, None, "{draw:?}");
            let mut red = at_the_end_of_a_gap(draw);
            assert_eq!(red.judge(&finds(20)), Verdict::Drop(DropCause::Aqm), "{draw:?}");
        }
    }

    #[test]
    fn a_buffer_has_its_thresholds_at_a_sixth_and_a_half() {
        let RedConfig { min_th, max_th, .. } = RedConfig::for_buffer(600);
        assert!((min_th - 100.0).abs() < 1e-9 && (max_th - 300.0).abs() < 1e-9);
    }
}
