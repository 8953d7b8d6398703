//! Packets cross a link, with each queue and each loss process.

use std::hint::black_box;

use westwood_cc::{Bytes, Duration, Ecn, Instant, Rate};
use westwood_net::{
    CoDelConfig, DualPi2Config, FqCoDelConfig, FqPieConfig, Limit, Link, LinkConfig, LossConfig,
    MarkAbove, Packet, PieConfig, PureAck, QueueConfig, RedConfig, Sojourns, ThresholdConfig,
};

use super::{Batch, ITEMS, Part};

/// A packet, as large in memory as the engine's: 40 bytes.
#[derive(Clone, Copy, Debug)]
struct PlainPacket {
    flow: u32,
    marked: bool,
    _body: [u64; 4],
}

impl Packet for PlainPacket {
    fn size(&self) -> Bytes {
        Bytes::new(1500)
    }
    fn flow(&self) -> u32 {
        self.flow
    }
    fn ecn(&self) -> Ecn {
        Ecn::Ect0
    }
    fn mark_ce(&mut self) {
        self.marked = true;
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.marked = ecn == Ecn::Ce;
    }
    fn pure_ack(&self) -> Option<PureAck> {
        None
    }
}

const BUFFER: Limit = Limit::Packets(300);

/// 1500 bytes at this rate take 120 us.
const RATE: Rate = Rate::from_bits_per_s(100_000_000);

pub(super) fn all() -> Vec<Part> {
    let queues = [
        ("drop-tail", QueueConfig::DropTail(BUFFER)),
        (
            "threshold",
            QueueConfig::Threshold(ThresholdConfig {
                limit: BUFFER,
                mark_above: MarkAbove::Packets(65),
            }),
        ),
        ("red", QueueConfig::Red(RedConfig::for_buffer(300))),
        ("codel", QueueConfig::CoDel(CoDelConfig::default())),
        ("fq_codel", QueueConfig::FqCoDel(FqCoDelConfig::default())),
        ("pie", QueueConfig::Pie(PieConfig::default())),
        ("fq_pie", QueueConfig::FqPie(FqPieConfig::default())),
        ("dualpi2", QueueConfig::DualPi2(DualPi2Config::default())),
    ];
    let losses = [
        ("bernoulli", LossConfig::Bernoulli { p: 1e-3 }),
        ("bit-errors", LossConfig::BitErrors { ber: 1e-7 }),
        (
            "markov",
            LossConfig::Markov {
                good: Duration::from_secs(8),
                bad: Duration::from_secs(4),
                p_good: 0.0,
                p_bad: 0.05,
            },
        ),
        (
            "gilbert",
            LossConfig::Gilbert {
                good: Duration::from_secs(1),
                bad: Duration::from_millis(10),
                p: 0.1,
                sojourns: Sojourns::Clock,
            },
        ),
        (
            "outage",
            LossConfig::Outage { every: Duration::from_secs(4), lasts: Duration::from_millis(100) },
        ),
    ];
    let mut parts = vec![part("link/free".into(), 150, plain())];
    for (name, queue) in queues {
        // A tenth more arrives than the link can send, so that the discipline has work to do.
        parts.push(part(format!("link/{name}"), 109, LinkConfig { queue, ..plain() }));
    }
    for (name, loss) in losses {
        let config = LinkConfig { losses: vec![loss], ..plain() };
        parts.push(part(format!("link/{name}"), 150, config));
    }
    parts
}

fn plain() -> LinkConfig {
    LinkConfig::new(RATE, Duration::from_millis(40), BUFFER)
}

/// A packet is offered every `gap_us`, and each event of the link is carried out when it is due.
fn part(name: String, gap_us: u64, config: LinkConfig) -> Part {
    let gap = Duration::from_micros(gap_us);
    Part::new(name, ITEMS, move || -> Batch {
        let mut link = Link::new(&config, 1, "link").ok();
        let mut now = Instant::ZERO;
        let mut packet = PlainPacket { flow: 0, marked: false, _body: [0; 4] };
        Box::new(move || {
            let Some(link) = &mut link else { return };
            for _ in 0..ITEMS {
                now += gap;
                while link.next_event() <= now {
                    black_box(link.step(link.next_event()));
                }
                packet.flow = (packet.flow + 1) % 10;
                black_box(link.offer(now, packet));
            }
        })
    })
}
