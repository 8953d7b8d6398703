//! L10 to L12: queues of the kernel's traffic control, each inside a token bucket of one frame, but for CAKE,
//! which has such a shaper itself. dctcp of L9: a threshold on the queue that an arriving packet finds, which
//! is a RED whose weight is 1 and whose two thresholds are one.
//!
//! A token bucket of one frame lets a packet go at the begin of its time on the link, and the next one,
//! for which tokens are awaited meanwhile, still counts in the queue: the kernel's queue is ours beside the
//! packet in service. Its limits are one more than `buffer`. FQ-CoDel counts its limit without the packet
//! that the bucket has looked at, and so has one less.
//! PIE updates every 20 ms: it asks for 15 ms, four ticks of 4 ms rounded up, and a timer that is armed from
//! its own call waits one tick more.
//! Sizes are those of IP, where the kernel counts frames with 14 bytes more, and its rate in proportion.

use westwood_cc::{Bytes, Duration};
use westwood_net::queue::{InverseRoot, RedDraw, RedUnit};
use westwood_net::{
    CakeConfig, CoDelConfig, FqCoDelConfig, FqPieConfig, Limit, MarkAbove, PieConfig, QueueConfig,
    RedConfig, ThresholdConfig,
};

use crate::params::{Params, Unreadable};

const PACKET: Bytes = Bytes::new(1_500);
/// RED's average takes a packet to be as long while the link is idle: `tc` makes its table of decays for
/// ticks of 64 ns, `sch_red` looks it up by microseconds, and so the average decays 15.625 times slower.
const IDLE_PACKET: Bytes = Bytes::new(23_438);

/// The queue that a row names, `aqm=codel`, or whose threshold it says, `mark=5`: at most so many packets
/// wait. With `ecn` it marks the packets that it would drop.
pub(super) fn queue(
    given: &mut Params,
    buffer: u64,
    ecn: bool,
) -> Result<Option<QueueConfig>, Unreadable> {
    let limit = Limit::Packets(buffer);
    if let Some(k) = given.count("mark")? {
        let mark_above = MarkAbove::Packets(k);
        return Ok(Some(QueueConfig::Threshold(ThresholdConfig { limit, mark_above })));
    }
    let Some(name) = given.text("aqm") else { return Ok(None) };
    let limit = Limit::Packets(buffer + 1);
    Ok(Some(match &*name {
        "tbf" => QueueConfig::DropTail(limit),
        "codel" => QueueConfig::CoDel(CoDelConfig {
            limit,
            mtu: PACKET,
            ecn,
            root: InverseRoot::Newton,
            ..CoDelConfig::default()
        }),
        "fq_codel" => QueueConfig::FqCoDel(FqCoDelConfig {
            limit: Limit::Packets(buffer),
            quantum: PACKET,
            mtu: PACKET,
            ecn,
            root: InverseRoot::Newton,
            ..FqCoDelConfig::default()
        }),
        // More memory than it ever takes.
        "cake" => QueueConfig::Cake(CakeConfig {
            limit: Limit::Unlimited,
            mtu: PACKET,
            ecn,
            ..CakeConfig::default()
        }),
        "pie" => QueueConfig::Pie(pie(limit, ecn)),
        "fq_pie" => QueueConfig::FqPie(FqPieConfig {
            pie: pie(limit, ecn),
            quantum: PACKET,
            ..FqPieConfig::default()
        }),
        "red" => QueueConfig::Red(red(given, buffer)?),
        other => return Err(Unreadable(format!("no queue '{other}'"))),
    }))
}

/// PIE, whose timer takes five ticks of 4 ms.
fn pie(limit: Limit, ecn: bool) -> PieConfig {
    PieConfig { limit, update: Duration::from_millis(20), mtu: PACKET, ecn, ..PieConfig::default() }
}

/// Thresholds at a sixth and a half of the buffer, the weight that `tc` chose, 2^-wlog, and gaps drawn at
/// once.
#[expect(clippy::cast_precision_loss, reason = "buffers are small")]
fn red(given: &mut Params, buffer: u64) -> Result<RedConfig, Unreadable> {
    let wlog = given.number("wlog")?;
    let wlog = wlog.ok_or_else(|| Unreadable("a row of RED does not say wlog".to_owned()))?;
    let part = |of: f64| (buffer as f64 / of).round_ties_even();
    Ok(RedConfig {
        limit: Limit::Packets(buffer + 1),
        unit: RedUnit::Packets,
        min_th: part(6.0),
        max_th: part(2.0),
        max_p: 0.1,
        weight: (-wlog).exp2(),
        gentle: false,
        ecn: false,
        draw: RedDraw::Gap,
        mean_packet: IDLE_PACKET,
    })
}

/// True if the queue draws random numbers whose effect a run shows.
pub(super) fn draws(queue: &QueueConfig) -> bool {
    matches!(queue, QueueConfig::Pie(_) | QueueConfig::FqPie(_) | QueueConfig::Red(_))
}
