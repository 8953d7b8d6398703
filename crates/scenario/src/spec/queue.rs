//! Queues: `droptail`, `threshold(mark=20)`, `red(max_p=5%)`, `codel(target=5ms)`, `fq_codel`, `cobalt`,
//! `cake`, `pie`, `fq_pie`, `dualpi2`.

mod integral;
mod parts;

use std::fmt;

use westwood_cc::{Bytes, Duration};
use westwood_net::queue::{InverseRoot, RedDraw, RedUnit};
use westwood_net::{
    CakeConfig, CeThreshold, CoDelConfig, CobaltConfig, DualPi2Config, FqCoDelConfig, FqPieConfig,
    Limit, MarkAbove, PieConfig, QueueConfig, RedConfig, ThresholdConfig,
};

use super::SpecForm;
use super::call::Call;
use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text, share, share_text, switch, switch_text};
use parts::{
    ECN_IF_NEGOTIATED, ce_threshold, differ, ecn, ecn_if_negotiated, flow_queues, root, wait,
    write_ce_threshold, write_flow_queues, write_root,
};

pub use parts::QueueEcn;

/// The queues.
pub const QUEUES: &[SpecForm] = &[
    SpecForm {
        name: "droptail",
        aliases: &["drop-tail", "fifo"],
        example: "droptail",
        summary: "first in, first out; a packet that finds it full is dropped",
        parameters: &[],
    },
    SpecForm {
        name: "threshold",
        aliases: &["mark"],
        example: "threshold(mark=20)",
        summary: "drop-tail that marks ECN packets beyond a threshold (DCTCP section 3.1)",
        parameters: &[(
            "mark",
            "",
            "packets waiting, above which an arrival is marked, or a time: what waited longer is marked",
        )],
    },
    SpecForm {
        name: "red",
        aliases: &[],
        example: "red(min=20,max=60,max_p=10%)",
        summary: "random early detection",
        parameters: &[
            ("min", "a sixth of the buffer", "average below which nothing is dropped early"),
            ("max", "half of the buffer", "average at which the drop share reaches max_p"),
            ("max_p", "10%", "drop share at max"),
            ("weight", "0.002", "weight of a sample in the average"),
            ("gentle", "off", "climb to 100 % at twice max instead of jumping"),
            ("unit", "packets", "what min and max count: packets or bytes"),
            (
                "draw",
                "packet",
                "a random number for each packet, as in its paper, or for each gap, as in Linux; ns-2 draws \
                 beyond a mean gap and takes what finds at most one waiting",
            ),
            (
                "ecn",
                "off",
                "mark instead of dropping early; with draw=gap also where all are dropped, with draw=ns-2 up to \
                 a share of 10%",
            ),
        ],
    },
    SpecForm {
        name: "codel",
        aliases: &[],
        example: "codel(target=5ms,interval=100ms)",
        summary: "controlled delay (RFC 8289)",
        parameters: &[
            ("target", "5ms", "the wait that is acceptable"),
            ("interval", "100ms", "how long it may be exceeded"),
            ("ecn", "off", "mark instead of dropping"),
            ("ce_threshold", "none", "what waited longer is marked too"),
            ("ce_selector", "any", "of which packets: any, or ect1 for scalable ones"),
            ("root", "exact", "the control law's root: exact as in the RFC, or newton as in Linux"),
        ],
    },
    SpecForm {
        name: "fq_codel",
        aliases: &["fq-codel", "fqcodel"],
        example: "fq_codel(quantum=1514)",
        summary: "controlled delay with a queue for each flow (RFC 8290)",
        parameters: &[
            ("target", "5ms", "the wait that is acceptable"),
            ("interval", "100ms", "how long it may be exceeded"),
            ("flows", "1024", "how many queues"),
            ("quantum", "1514", "bytes that a queue may send in its turn"),
            ECN_IF_NEGOTIATED,
            ("ce_threshold", "none", "what waited longer is marked too"),
            ("ce_selector", "any", "of which packets: any, or ect1 for scalable ones"),
            ("root", "exact", "the control law's root: exact as in the RFC, or newton as in Linux"),
        ],
    },
    SpecForm {
        name: "cobalt",
        aliases: &[],
        example: "cobalt(target=5ms,interval=100ms)",
        summary: "CoDel and BLUE, as in one queue of CAKE",
        parameters: &[
            ("target", "5ms", "the wait that is acceptable"),
            ("interval", "100ms", "how long it may be exceeded"),
            ("ecn", "off", "mark instead of dropping"),
        ],
    },
    SpecForm {
        name: "cake",
        aliases: &[],
        example: "cake(rtt=100ms)",
        summary: "CAKE: CoDel and BLUE with a queue for each flow",
        parameters: &[
            (
                "target",
                "5ms",
                "the wait that is acceptable; with rtt alone a twentieth of it, as tc sets it",
            ),
            ("rtt", "100ms", "how long it may be exceeded: the usual round-trip time"),
            ECN_IF_NEGOTIATED,
        ],
    },
    SpecForm {
        name: "pie",
        aliases: &[],
        example: "pie(target=15ms)",
        summary: "proportional integral controller, enhanced (RFC 8033)",
        parameters: integral::PIE,
    },
    SpecForm {
        name: "fq_pie",
        aliases: &["fq-pie", "fqpie"],
        example: "fq_pie(target=15ms)",
        summary: "PIE with a queue for each flow, as in Linux",
        parameters: integral::FQ_PIE,
    },
    SpecForm {
        name: "dualpi2",
        aliases: &[],
        example: "dualpi2(step=1ms)",
        summary: "coupled queues for scalable (L4S) and classic senders (RFC 9332)",
        parameters: integral::DUALPI2,
    },
];

/// A queueing discipline as the user says it; the buffer is said apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Aqm {
    /// First in, first out.
    #[default]
    DropTail,
    /// Drop-tail that marks ECN packets.
    Threshold {
        /// Beyond this a packet is marked.
        mark: MarkAbove,
    },
    /// Random early detection.
    Red(RedSpec),
    /// Controlled delay.
    CoDel {
        /// The wait that is acceptable.
        target: Duration,
        /// The time for which it may be exceeded.
        interval: Duration,
        /// Mark instead of dropping.
        ecn: bool,
        /// Mark what waited longer, too.
        ce_threshold: Option<CeThreshold>,
        /// How the control law computes its root.
        root: InverseRoot,
    },
    /// Controlled delay with a queue for each flow.
    FqCoDel {
        /// The wait that is acceptable.
        target: Duration,
        /// The time for which it may be exceeded.
        interval: Duration,
        /// The number of queues.
        flows: u32,
        /// Bytes that a queue may send in its turn.
        quantum: Bytes,
        /// Mark instead of dropping.
        ecn: QueueEcn,
        /// Mark what waited longer, too.
        ce_threshold: Option<CeThreshold>,
        /// How the control law computes its root.
        root: InverseRoot,
    },
    /// CoDel and BLUE.
    Cobalt {
        /// The wait that is acceptable.
        target: Duration,
        /// The time for which it may be exceeded.
        interval: Duration,
        /// Mark instead of dropping.
        ecn: bool,
    },
    /// CoDel and BLUE with a queue for each flow.
    Cake {
        /// The wait that is acceptable.
        target: Duration,
        /// The time for which it may be exceeded.
        rtt: Duration,
        /// Mark instead of dropping.
        ecn: QueueEcn,
    },
    /// Proportional integral controller; the limit and the packet's size are filled in later.
    Pie(PieConfig),
    /// A proportional integral controller for each flow; the limit and the packet's size are filled in later.
    FqPie(FqPieConfig),
    /// Two coupled queues; the limit and the packet's size are filled in later.
    DualPi2(DualPi2Config),
}

/// RED's parameters as the user says them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedSpec {
    /// Lower threshold; a sixth of the buffer if absent.
    pub min: Option<f64>,
    /// Upper threshold; half of the buffer if absent.
    pub max: Option<f64>,
    /// Drop share at the upper threshold.
    pub max_p: f64,
    /// Weight of a sample.
    pub weight: f64,
    /// Climb instead of jumping.
    pub gentle: bool,
    /// The unit of the thresholds.
    pub unit: RedUnit,
    /// How packets to drop early are drawn.
    pub draw: RedDraw,
    /// Mark instead of dropping early.
    pub ecn: bool,
}

impl Aqm {
    /// Reads `name` or `name(key=value,...)`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        let name = call.name.to_ascii_lowercase();
        let form = QUEUES.iter().find(|f| f.name == name || f.aliases.contains(&name.as_str()));
        let Some(form) = form else {
            return Err(BadInput::unknown("queue", &name, QUEUES.iter().map(|f| f.name)));
        };
        let aqm = match form.name {
            "droptail" => Self::DropTail,
            "threshold" => Self::Threshold { mark: call.need("mark", form.example, mark_above)? },
            "red" => Self::Red(red(&mut call)?),
            "codel" => {
                let (target, interval) = target_and(&mut call, "interval", None)?;
                let ce_threshold = ce_threshold(&mut call)?;
                let root = root(&mut call)?;
                Self::CoDel { target, interval, ecn: ecn(&mut call)?, ce_threshold, root }
            }
            "cobalt" => {
                let (target, interval) = target_and(&mut call, "interval", None)?;
                Self::Cobalt { target, interval, ecn: ecn(&mut call)? }
            }
            "cake" => {
                let (target, rtt) = target_and(&mut call, "rtt", Some(CAKE_TARGET))?;
                Self::Cake { target, rtt, ecn: ecn_if_negotiated(&mut call)? }
            }
            "pie" => Self::Pie(integral::pie(&mut call)?),
            "fq_pie" => Self::FqPie(integral::fq_pie(&mut call)?),
            "dualpi2" => Self::DualPi2(integral::dualpi2(&mut call)?),
            _ => fq_codel(&mut call)?,
        };
        call.finish()?;
        Ok(aqm)
    }

    /// True if it is told to mark packets, so that connections negotiate ECN.
    pub const fn negotiates_ecn(&self) -> bool {
        match self {
            Self::DropTail => false,
            Self::Threshold { .. } | Self::DualPi2(_) => true,
            Self::Pie(pie) | Self::FqPie(FqPieConfig { pie, .. }) => pie.ecn,
            Self::Red(red) => red.ecn,
            Self::CoDel { ecn, ce_threshold, .. } => *ecn || ce_threshold.is_some(),
            Self::FqCoDel { ecn, ce_threshold, .. } => {
                matches!(ecn, QueueEcn::On) || ce_threshold.is_some()
            }
            Self::Cobalt { ecn, .. } => *ecn,
            Self::Cake { ecn, .. } => matches!(ecn, QueueEcn::On),
        }
    }

    /// The queue of a link with this limit and packets of this size.
    pub fn config(&self, limit: Limit, packet: Bytes) -> Result<QueueConfig, BadInput> {
        Ok(match *self {
            Self::DropTail => QueueConfig::DropTail(limit),
            Self::Threshold { mark } => {
                QueueConfig::Threshold(ThresholdConfig { limit, mark_above: mark })
            }
            Self::Red(red) => QueueConfig::Red(red.config(limit, packet)?),
            Self::CoDel { target, interval, ecn, ce_threshold, root } => {
                QueueConfig::CoDel(CoDelConfig {
                    limit,
                    target,
                    interval,
                    mtu: packet,
                    ecn,
                    ce_threshold,
                    root,
                })
            }
            Self::FqCoDel { target, interval, flows, quantum, ecn, ce_threshold, root } => {
                QueueConfig::FqCoDel(FqCoDelConfig {
                    limit,
                    target,
                    interval,
                    flows,
                    quantum,
                    ecn: ecn.marks(),
                    ce_threshold,
                    root,
                    mtu: packet,
                })
            }
            Self::Cobalt { target, interval, ecn } => {
                QueueConfig::Cobalt(CobaltConfig { limit, target, interval, mtu: packet, ecn })
            }
            Self::Cake { target, rtt, ecn } => QueueConfig::Cake(CakeConfig {
                limit,
                target,
                interval: rtt,
                mtu: packet,
                ecn: ecn.marks(),
            }),
            Self::Pie(pie) => QueueConfig::Pie(PieConfig { limit, mtu: packet, ..pie }),
            Self::FqPie(fq) => {
                let pie = PieConfig { limit, mtu: packet, ..fq.pie };
                QueueConfig::FqPie(FqPieConfig { pie, ..fq })
            }
            Self::DualPi2(dual) => {
                QueueConfig::DualPi2(DualPi2Config { limit, mtu: packet, ..dual })
            }
        })
    }
}

impl RedSpec {
    #[expect(clippy::cast_precision_loss, reason = "buffers are far below 2^53 bytes")]
    fn config(&self, limit: Limit, packet: Bytes) -> Result<RedConfig, BadInput> {
        let bytes_each = packet.get().max(1) as f64;
        let packets = match limit {
            Limit::Packets(n) => Some(n as f64),
            Limit::Bytes(n) => Some(n.get() as f64 / bytes_each),
            Limit::Unlimited => None,
        };
        let buffer = packets.map(|packets| match self.unit {
            RedUnit::Packets => packets,
            RedUnit::Bytes => packets * bytes_each,
        });
        let threshold = |given: Option<f64>, name: &str, part: f64| {
            given.or(buffer.map(|buffer| buffer / part)).ok_or_else(|| {
                let what = format!("'{name}' follows from the buffer, and this one is unlimited");
                let hint = "write min and max, as in red(min=20,max=60), or limit the buffer";
                BadInput::new(what).hint(hint).at("red")
            })
        };
        let min_th = threshold(self.min, "min", 6.0)?;
        let max_th = threshold(self.max, "max", 2.0)?;
        if max_th <= min_th {
            let what = format!("'max' ({max_th:.1}) must be above 'min' ({min_th:.1})");
            let hint = "the defaults are half and a sixth of the buffer";
            return Err(BadInput::new(what).hint(hint).at("red"));
        }
        Ok(RedConfig {
            limit,
            unit: self.unit,
            min_th,
            max_th,
            max_p: self.max_p,
            weight: self.weight,
            gentle: self.gentle,
            ecn: self.ecn,
            draw: self.draw,
            mean_packet: packet,
        })
    }
}

fn red(call: &mut Call<'_>) -> Result<RedSpec, BadInput> {
    let red = RedSpec {
        min: call.take("min", threshold)?,
        max: call.take("max", threshold)?,
        max_p: call.take("max_p", share)?.unwrap_or(0.1),
        weight: call.take("weight", weight)?.unwrap_or(0.002),
        gentle: call.take("gentle", switch)?.unwrap_or(false),
        unit: call.take("unit", red_unit)?.unwrap_or(RedUnit::Packets),
        draw: call.take("draw", red_draw)?.unwrap_or_default(),
        ecn: ecn(call)?,
    };
    match (red.min, red.max) {
        (Some(min), Some(max)) if max <= min => {
            Err(BadInput::new("'max' must be above 'min'").at(call.name))
        }
        _ => Ok(red),
    }
}

fn fq_codel(call: &mut Call<'_>) -> Result<Aqm, BadInput> {
    let (target, interval) = target_and(call, "interval", None)?;
    let (flows, quantum) = flow_queues(call)?;
    Ok(Aqm::FqCoDel {
        target,
        interval,
        flows,
        quantum,
        ecn: ecn_if_negotiated(call)?,
        ce_threshold: ce_threshold(call)?,
        root: root(call)?,
    })
}

/// `tc` lets CAKE's target follow its `rtt` as this part of it.
const CAKE_TARGET: u64 = 20;

/// CoDel's two times, the second under this name. If only the second is given, it also sets the first, where
/// the ratio of the two is known.
fn target_and(
    call: &mut Call<'_>,
    second: &'static str,
    part: Option<u64>,
) -> Result<(Duration, Duration), BadInput> {
    let span = |text: &str| within(text, duration, "1ns", "100s");
    let target = call.take("target", span)?;
    let given = call.take(second, span)?;
    let interval = given.unwrap_or(Duration::from_millis(100));
    let following = given.zip(part).map(|(interval, part)| interval / part);
    let target = target.or(following).unwrap_or(Duration::from_millis(5));
    if target > interval {
        return Err(BadInput::new(format!("'target' must not exceed '{second}'")).at(call.name));
    }
    Ok((target, interval))
}

/// Packets, or a time.
fn mark_above(text: &str) -> Result<MarkAbove, BadInput> {
    if text.ends_with(|last: char| last.is_ascii_digit()) {
        return Ok(MarkAbove::Packets(count(text, 0, 1 << 24)?));
    }
    let time = wait(text).map_err(|e| {
        e.hint("write packets, as in mark=20, or a time up to 100s, as in mark=1ms")
    })?;
    Ok(MarkAbove::Wait(time))
}

fn threshold(text: &str) -> Result<f64, BadInput> {
    within(text, Decimal::parse_f64, "0", "1e12")
}

fn weight(text: &str) -> Result<f64, BadInput> {
    match share(text) {
        Ok(w) if w > 0.0 => Ok(w),
        Err(error) if !error.is_beyond() => Err(error),
        _ => Err(BadInput::new("must be above 0 and at most 100 %").hint("write 0.002")),
    }
}

fn red_unit(text: &str) -> Result<RedUnit, BadInput> {
    match text {
        "packets" => Ok(RedUnit::Packets),
        "bytes" => Ok(RedUnit::Bytes),
        _ => Err(BadInput::unknown("unit", text, ["packets", "bytes"])),
    }
}

fn red_draw(text: &str) -> Result<RedDraw, BadInput> {
    match text {
        "packet" => Ok(RedDraw::Packet),
        "gap" => Ok(RedDraw::Gap),
        "ns-2" => Ok(RedDraw::Ns2),
        _ => Err(BadInput::unknown("draw", text, ["packet", "gap", "ns-2"])),
    }
}

impl fmt::Display for Aqm {
    /// The name with the parameters that differ from their defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut changed: Vec<String> = Vec::new();
        let mut note = |differs: bool, text: String| {
            if differs {
                changed.push(text);
            }
        };
        let times = |target: Duration, second: &str, interval: Duration| {
            [
                (target != Duration::from_millis(5), format!("target={}", duration_text(target))),
                (
                    interval != Duration::from_millis(100),
                    format!("{second}={}", duration_text(interval)),
                ),
            ]
        };
        let name = match self {
            Self::DropTail => "droptail",
            Self::Threshold { mark } => {
                note(
                    true,
                    match mark {
                        MarkAbove::Packets(n) => format!("mark={n}"),
                        MarkAbove::Wait(time) => format!("mark={}", duration_text(*time)),
                    },
                );
                "threshold"
            }
            Self::Red(red) => {
                note(red.min.is_some(), format!("min={}", red.min.unwrap_or(0.0)));
                note(red.max.is_some(), format!("max={}", red.max.unwrap_or(0.0)));
                note(differ(red.max_p, 0.1), format!("max_p={}", share_text(red.max_p)));
                note(differ(red.weight, 0.002), format!("weight={}", red.weight));
                note(red.gentle, "gentle=on".to_owned());
                note(red.unit == RedUnit::Bytes, "unit=bytes".to_owned());
                note(red.draw == RedDraw::Gap, "draw=gap".to_owned());
                note(red.draw == RedDraw::Ns2, "draw=ns-2".to_owned());
                "red"
            }
            Self::CoDel { target, interval, .. } | Self::Cobalt { target, interval, .. } => {
                for (differs, text) in times(*target, "interval", *interval) {
                    note(differs, text);
                }
                if matches!(self, Self::CoDel { .. }) { "codel" } else { "cobalt" }
            }
            Self::FqCoDel { target, interval, flows, quantum, .. } => {
                for (differs, text) in times(*target, "interval", *interval) {
                    note(differs, text);
                }
                write_flow_queues(*flows, *quantum, &mut note);
                "fq_codel"
            }
            Self::Cake { target, rtt, .. } => {
                // Each alone says the other.
                let [(_, target_text), (differs, rtt_text)] = times(*target, "rtt", *rtt);
                note(*target != *rtt / CAKE_TARGET, target_text);
                note(differs, rtt_text);
                "cake"
            }
            Self::Pie(pie) => {
                integral::write_pie(pie, &mut note);
                "pie"
            }
            Self::FqPie(fq) => {
                integral::write_pie(&fq.pie, &mut note);
                write_flow_queues(fq.flows, fq.quantum, &mut note);
                "fq_pie"
            }
            Self::DualPi2(dual) => {
                integral::write_dualpi2(dual, &mut note);
                "dualpi2"
            }
        };
        if let Self::CoDel { ce_threshold, root, .. } | Self::FqCoDel { ce_threshold, root, .. } =
            self
        {
            write_ce_threshold(*ce_threshold, &mut note);
            write_root(*root, &mut note);
        }
        match self {
            Self::DropTail | Self::Threshold { .. } | Self::DualPi2(_) => {}
            Self::Red(RedSpec { ecn, .. })
            | Self::CoDel { ecn, .. }
            | Self::Cobalt { ecn, .. }
            | Self::Pie(PieConfig { ecn, .. })
            | Self::FqPie(FqPieConfig { pie: PieConfig { ecn, .. }, .. }) => {
                note(*ecn, "ecn=on".to_owned());
            }
            Self::FqCoDel { ecn, .. } | Self::Cake { ecn, .. } => {
                let text = format!("ecn={}", switch_text(ecn.marks()));
                note(*ecn != QueueEcn::IfNegotiated, text);
            }
        }
        if changed.is_empty() {
            f.write_str(name)
        } else {
            write!(f, "{name}({})", changed.join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_example_is_read_and_every_queue_prints_what_reads_the_same() {
        let more = [
            "red",
            "red(gentle=on,unit=bytes,draw=gap,ecn=on)",
            "red(gentle=on,draw=ns-2)",
            "codel(target=1ms)",
            "fq_codel(ecn=on)",
            "fq_codel(root=newton,ecn=off)",
            "cake(ecn=off)",
            "fq_codel(ce_threshold=1ms,ce_selector=ect1)",
            "codel(root=newton,ecn=on)",
            "codel(ce_threshold=0s,ecn=on)",
            "threshold(mark=1ms)",
            "threshold(mark=0s)",
            "cobalt(target=10ms,ecn=on)",
            "cake",
            "cake(target=10ms,rtt=300ms,ecn=on)",
            "cake(target=5ms,rtt=300ms)",
            "pie",
            "pie(target=20ms,update=30ms,alpha=0.25,beta=2.5,burst=0s,ecn=on,ecn_limit=20%)",
            "fq_pie",
            "fq_pie(burst=0s,ecn=on,flows=16,quantum=300)",
            "dualpi2(step=800us,ramp=400us,shift=50ms)",
            "dualpi2(target=5ms,update=8ms,alpha=0.1,beta=3,coupling=1.5,step=500us,classic=20%)",
        ];
        for text in QUEUES.iter().map(|f| f.example).chain(more) {
            let aqm = Aqm::parse(text).unwrap();
            assert_eq!(Aqm::parse(&aqm.to_string()), Ok(aqm), "{text}");
        }
        let all = more.last().map(|text| Aqm::parse(text).unwrap().to_string());
        assert_eq!(all.as_deref(), more.last().copied());
    }

    #[test]
    fn cake_accepts_a_twentieth_of_its_round_trip_time_unless_it_is_told_more() {
        for (text, target) in [("cake", 5), ("cake(rtt=1s)", 50), ("cake(rtt=1s,target=5ms)", 5)] {
            let Ok(Aqm::Cake { target: found, .. }) = Aqm::parse(text) else { panic!("{text}") };
            assert_eq!(found, Duration::from_millis(target), "{text}");
        }
    }

    #[test]
    fn what_linux_marks_unasked_is_marked_where_connections_negotiate_ecn() {
        for name in ["fq_codel", "cake"] {
            for (ecn, negotiates, marks) in
                [("", false, true), ("(ecn=on)", true, true), ("(ecn=off)", false, false)]
            {
                let aqm = Aqm::parse(&format!("{name}{ecn}")).unwrap();
                let queue = aqm.config(Limit::Packets(60), Bytes::new(1500)).unwrap();
                assert_eq!(
                    (aqm.negotiates_ecn(), queue.marks()),
                    (negotiates, marks),
                    "{name}{ecn}"
                );
            }
        }
        for name in ["red", "codel", "cobalt", "pie", "fq_pie"] {
            let aqm = Aqm::parse(name).unwrap();
            let queue = aqm.config(Limit::Packets(60), Bytes::new(1500)).unwrap();
            assert!(!aqm.negotiates_ecn() && !queue.marks(), "{name}");
        }
    }

    #[test]
    fn red_has_thresholds_at_a_sixth_and_a_half_of_the_buffer() {
        let red = Aqm::parse("red").unwrap();
        let QueueConfig::Red(c) = red.config(Limit::Packets(60), Bytes::new(1500)).unwrap() else {
            panic!("not RED");
        };
        assert_eq!((c.min_th, c.max_th), (10.0, 30.0));
    }

    #[test]
    fn red_needs_a_limited_buffer_only_where_a_threshold_follows_from_it() {
        let of = |text| Aqm::parse(text).unwrap().config(Limit::Unlimited, Bytes::new(1500));
        assert!(of("red(min=20,max=60)").is_ok());
        for (text, missing) in [("red", "min"), ("red(max=60)", "min"), ("red(min=20)", "max")] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(&format!("'{missing}' follows from the buffer")), "{error}");
            assert!(error.contains("red(min=20,max=60)"), "{error}");
        }
    }

    #[test]
    fn a_wrong_queue_is_refused_with_what_is_right() {
        let text = |t| Aqm::parse(t).unwrap_err().to_string();
        assert!(text("codle").contains("did you mean 'codel'?"));
        assert!(text("red(min=20,max=10)").contains("above"));
        assert!(text("codel(target=1s)").contains("must not exceed"));
        assert!(text("fq_codel(flows=0)").contains("1 to 65536"));
        assert!(text("codel(ce_selector=ect1)").contains("ce_threshold=1ms"));
        assert!(Aqm::parse("codel(ce_threshold=none,ce_selector=any)").is_ok());
        assert!(text("codel(ce_threshold=1ms,ce_selector=ect0)").contains("ect1"));
        assert!(text("droptail(x=1)").contains("it has none"));
        assert!(text("threshold").contains("'mark' is missing"));
        assert!(text("threshold(mark=fast)").contains("mark=1ms"));
        assert!(text("pie(alpha=2000)").contains("0 to 1000"));
        assert!(text("fq_pie(flows=0)").contains("1 to 65536"));
        assert!(text("fq_pie(beta=2000)").contains("0 to 1000"));
        assert!(text("pie(update=0s)").contains("1us to 100s"));
        assert!(text("dualpi2(coupling=0)").contains("1 to 255"));
        assert!(text("dualpi2(ecn=on)").contains("classic"));
        assert!(text("dualpi2(shift=50ms,classic=5%)").contains("two schedulers"));
    }
}
