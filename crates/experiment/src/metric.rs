//! The quantities of a run, by name.

use crate::results::RunSummary;
use crate::stats::mean;
use westwood_scenario::{BadInput, quoted};

/// A quantity of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Payload that arrived for the first time, all flows under test together.
    Goodput,
    /// Traffic that the senders put out, retransmissions and headers included.
    Throughput,
    /// Share of the time in which the bottleneck transmitted.
    Utilization,
    /// Segments retransmitted over segments sent.
    Retransmissions,
    /// Fast recoveries begun.
    FastRecoveries,
    /// Retransmission timeouts.
    Timeouts,
    /// Jain's index over the goodputs of the flows under test.
    Jain,
    /// Least round-trip time.
    RttMin,
    /// Mean round-trip time.
    RttMean,
    /// Median round-trip time.
    RttP50,
    /// 95th percentile of the round-trip time.
    RttP95,
    /// 99th percentile of the round-trip time.
    RttP99,
    /// Median of the time that a packet waits at the bottleneck.
    QueueDelayP50,
    /// 95th percentile of the time that a packet waits at the bottleneck.
    QueueDelayP95,
    /// Median of the one-way delay of data.
    OneWayDelayP50,
    /// 95th percentile of the one-way delay of data.
    OneWayDelayP95,
    /// Time-weighted mean of the packets waiting.
    QueueMean,
    /// Time-weighted 95th percentile of the packets waiting.
    QueueP95,
    /// Most packets waiting.
    QueueMax,
    /// Packets dropped by a full buffer.
    DropsOverflow,
    /// Packets dropped by active queue management.
    DropsAqm,
    /// Packets dropped by a policer.
    DropsPolicer,
    /// Packets lost on the link.
    DropsRandom,
    /// Goodput of the competing flows together.
    AgainstGoodput,
    /// Share of its goodput that competing traffic loses against its goodput among its own kind.
    Harm,
    /// Goodput of the reverse flows together.
    ReverseGoodput,
    /// Mean completion time of the transfers.
    FctMean,
    /// Longest completion time of the transfers.
    FctMax,
    /// Flows under test of which no transfer finished.
    Unfinished,
    /// Least goodput of a flow over the mean, flows under test and competing ones.
    LeastShare,
    /// Least goodput of a competing flow over the mean, flows under test and competing ones.
    LeastCompetingShare,
    /// Share of packets that the queue or the policer of the measured link dropped.
    SelfInflictedLoss,
    /// Data segments that a flow under test sends in its base round-trip time.
    SentPerRtt,
    /// Delta-fair convergence time of the flows under test.
    Convergence,
    /// Recovery time after a change of a link.
    Recovery,
    /// 95th percentile of the delay of media frames.
    FrameDelayP95,
    /// Share of the goodput that competing flows have alone and lose.
    SoloHarmRate,
    /// Share of the competing flows' mean round-trip time that they do not have alone.
    SoloHarmDelay,
    /// Share of the competing flows' resent segments that they do not resend alone.
    SoloHarmLoss,
    /// Share of the competing flows' completion time that they do not take alone.
    SoloHarmFct,
    /// Cost of an ACK to the controller under test, on this machine.
    AckCost,
    /// The same in reference cycles of its processor.
    AckCycles,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits a second.
    BitsPerS,
    /// From 0 to 1.
    Share,
    /// Milliseconds.
    Millis,
    /// Nanoseconds.
    Nanos,
    /// Reference cycles of the processor.
    Cycles,
    /// Packets.
    Packets,
    /// A number.
    Plain,
}

/// The better one of two values of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The higher one.
    Higher,
    /// The lower one.
    Lower,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 42] = [
        Self::Goodput,
        Self::Throughput,
        Self::Utilization,
        Self::Retransmissions,
        Self::FastRecoveries,
        Self::Timeouts,
        Self::Jain,
        Self::RttMin,
        Self::RttMean,
        Self::RttP50,
        Self::RttP95,
        Self::RttP99,
        Self::QueueDelayP50,
        Self::QueueDelayP95,
        Self::OneWayDelayP50,
        Self::OneWayDelayP95,
        Self::QueueMean,
        Self::QueueP95,
        Self::QueueMax,
        Self::DropsOverflow,
        Self::DropsAqm,
        Self::DropsPolicer,
        Self::DropsRandom,
        Self::AgainstGoodput,
        Self::Harm,
        Self::ReverseGoodput,
        Self::FctMean,
        Self::FctMax,
        Self::Unfinished,
        Self::LeastShare,
        Self::LeastCompetingShare,
        Self::SelfInflictedLoss,
        Self::SentPerRtt,
        Self::Convergence,
        Self::Recovery,
        Self::FrameDelayP95,
        Self::SoloHarmRate,
        Self::SoloHarmDelay,
        Self::SoloHarmLoss,
        Self::SoloHarmFct,
        Self::AckCost,
        Self::AckCycles,
    ];

    /// The name in `--fail-if`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Throughput => "throughput",
            Self::Utilization => "utilization",
            Self::Retransmissions => "retransmission_ratio",
            Self::FastRecoveries => "fast_recoveries",
            Self::Timeouts => "timeouts",
            Self::Jain => "jain",
            Self::RttMin => "rtt_min",
            Self::RttMean => "rtt_mean",
            Self::RttP50 => "rtt_p50",
            Self::RttP95 => "rtt_p95",
            Self::RttP99 => "rtt_p99",
            Self::QueueDelayP50 => "queue_delay_p50",
            Self::QueueDelayP95 => "queue_delay_p95",
            Self::OneWayDelayP50 => "one_way_delay_p50",
            Self::OneWayDelayP95 => "one_way_delay_p95",
            Self::QueueMean => "queue_mean",
            Self::QueueP95 => "queue_p95",
            Self::QueueMax => "queue_max",
            Self::DropsOverflow => "drops_overflow",
            Self::DropsAqm => "drops_aqm",
            Self::DropsPolicer => "drops_policer",
            Self::DropsRandom => "drops_random",
            Self::AgainstGoodput => "against_goodput",
            Self::Harm => "harm",
            Self::ReverseGoodput => "reverse_goodput",
            Self::FctMean => "fct_mean",
            Self::FctMax => "fct_max",
            Self::Unfinished => "unfinished",
            Self::LeastShare => "least_share",
            Self::LeastCompetingShare => "least_competing_share",
            Self::SelfInflictedLoss => "self_inflicted_loss",
            Self::SentPerRtt => "sent_per_rtt",
            Self::Convergence => "convergence",
            Self::Recovery => "recovery",
            Self::FrameDelayP95 => "frame_delay_p95",
            Self::SoloHarmRate => "solo_harm_rate",
            Self::SoloHarmDelay => "solo_harm_delay",
            Self::SoloHarmLoss => "solo_harm_loss",
            Self::SoloHarmFct => "solo_harm_fct",
            Self::AckCost => "ack_cost",
            Self::AckCycles => "ack_cycles",
        }
    }

    /// The head of its column in a table, if it has one.
    pub const fn head(self) -> Option<&'static str> {
        Some(match self {
            Self::FctMean => "transfer",
            Self::FctMax => "slowest",
            Self::Goodput => "goodput",
            Self::AgainstGoodput => "rivals",
            Self::Harm => "harm",
            Self::Jain => "jain",
            Self::ReverseGoodput => "reverse",
            Self::Utilization => "link busy",
            Self::Retransmissions => "resent",
            Self::Timeouts => "timeouts",
            Self::QueueDelayP50 => "wait p50",
            Self::QueueDelayP95 => "wait p95",
            Self::RttP50 => "RTT p50",
            Self::RttP95 => "RTT p95",
            Self::QueueMean => "queue",
            Self::FrameDelayP95 => "frame p95",
            Self::SoloHarmRate => "harm alone",
            Self::LeastShare => "least share",
            Self::SelfInflictedLoss => "own loss",
            Self::Recovery => "recovered",
            Self::Convergence => "converged",
            Self::AckCost => "ACK cost",
            Self::AckCycles => "ACK cycles",
            _ => return None,
        })
    }

    /// The metric called `name`. A refusal of a column's head tells the name.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        if let Some(found) = Self::ALL.into_iter().find(|m| m.name().eq_ignore_ascii_case(name)) {
            return Ok(found);
        }
        let words = name.replace('_', " ");
        let is_headed = |m: &Self| m.head().is_some_and(|head| head.eq_ignore_ascii_case(&words));
        if let Some(meant) = Self::ALL.into_iter().find(is_headed) {
            let what = BadInput::new(format!("unknown quantity {}", quoted(name)));
            return Err(what.hint(format!("the table's column '{words}' is {}", meant.name())));
        }
        let names = Self::ALL.map(Self::name);
        Err(BadInput::unknown_among("quantity", name, names, "westwood compare --help"))
    }

    /// True if runs that measure no delays lack it (`measure.delays`).
    pub const fn is_of_delays(self) -> bool {
        matches!(
            self,
            Self::RttMin
                | Self::RttMean
                | Self::RttP50
                | Self::RttP95
                | Self::RttP99
                | Self::QueueDelayP50
                | Self::QueueDelayP95
                | Self::OneWayDelayP50
                | Self::OneWayDelayP95
                | Self::Convergence
                | Self::Recovery
                | Self::SoloHarmDelay
        )
    }

    /// True of the time until something happens: where it has no value, that did not happen in the run.
    pub const fn is_awaited(self) -> bool {
        matches!(self, Self::Convergence | Self::Recovery)
    }

    /// Its unit.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Goodput | Self::Throughput | Self::AgainstGoodput | Self::ReverseGoodput => {
                Unit::BitsPerS
            }
            Self::Utilization
            | Self::Retransmissions
            | Self::Harm
            | Self::SelfInflictedLoss
            | Self::SoloHarmRate
            | Self::SoloHarmDelay
            | Self::SoloHarmLoss
            | Self::SoloHarmFct => Unit::Share,
            Self::RttMin | Self::RttMean | Self::RttP50 | Self::RttP95 | Self::RttP99 => {
                Unit::Millis
            }
            Self::QueueDelayP50
            | Self::QueueDelayP95
            | Self::OneWayDelayP50
            | Self::OneWayDelayP95
            | Self::FctMean
            | Self::FctMax
            | Self::Convergence
            | Self::Recovery
            | Self::FrameDelayP95 => Unit::Millis,
            Self::AckCost => Unit::Nanos,
            Self::AckCycles => Unit::Cycles,
            Self::QueueMean | Self::QueueP95 | Self::QueueMax => Unit::Packets,
            Self::FastRecoveries
            | Self::Timeouts
            | Self::Unfinished
            | Self::Jain
            | Self::LeastShare
            | Self::LeastCompetingShare
            | Self::SentPerRtt
            | Self::DropsOverflow
            | Self::DropsAqm
            | Self::DropsPolicer
            | Self::DropsRandom => Unit::Plain,
        }
    }

    /// A value of it in words, in the unit that people use: `9.412 Mbit/s`.
    pub fn text(self, value: f64) -> String {
        match self.unit() {
            Unit::BitsPerS => format!("{:.3} Mbit/s", value / 1e6),
            Unit::Share => format!("{:.2} %", value * 100.0),
            Unit::Millis => format!("{value:.1} ms"),
            Unit::Nanos => format!("{value:.1} ns"),
            Unit::Cycles => format!("{value:.1} cycles"),
            Unit::Packets => format!("{value:.1} packets"),
            Unit::Plain => format!("{value:.3}"),
        }
    }

    /// The better value.
    pub const fn better(self) -> Better {
        match self {
            Self::Goodput
            | Self::Throughput
            | Self::Utilization
            | Self::Jain
            | Self::AgainstGoodput
            | Self::LeastShare
            | Self::LeastCompetingShare
            | Self::ReverseGoodput => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// Its value in a run; none where it has no meaning, such as a completion time without
    /// transfers.
    #[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
    pub fn of(self, run: &RunSummary) -> Option<f64> {
        let rtt = |pick: fn(&crate::results::RttMs) -> f64| run.rtt_ms.as_ref().map(pick);
        Some(match self {
            Self::Goodput => run.goodput_bps,
            Self::Throughput => run.throughput_bps,
            Self::Utilization => run.utilization,
            Self::Retransmissions => run.retransmission_ratio,
            Self::FastRecoveries => run.fast_recoveries as f64,
            Self::Timeouts => run.timeouts as f64,
            Self::Jain => run.jain,
            Self::RttMin => return rtt(|r| r.min),
            Self::RttMean => return rtt(|r| r.mean),
            Self::RttP50 => return rtt(|r| r.p50),
            Self::RttP95 => return rtt(|r| r.p95),
            Self::RttP99 => return rtt(|r| r.p99),
            Self::QueueDelayP50 => run.queue_delay_ms?.p50,
            Self::QueueDelayP95 => run.queue_delay_ms?.p95,
            Self::OneWayDelayP50 => run.one_way_delay_ms?.p50,
            Self::OneWayDelayP95 => run.one_way_delay_ms?.p95,
            Self::QueueMean => run.queue_packets.mean,
            Self::QueueP95 => run.queue_packets.p95 as f64,
            Self::QueueMax => run.queue_packets.max as f64,
            Self::DropsOverflow => run.drops.overflow as f64,
            Self::DropsAqm => run.drops.aqm as f64,
            Self::DropsPolicer => run.drops.policer as f64,
            Self::DropsRandom => run.drops.random as f64,
            Self::AgainstGoodput => return run.against_goodput_bps,
            Self::Harm => return run.harm,
            Self::ReverseGoodput => return run.reverse_goodput_bps,
            Self::FctMean => match run.many_transfers {
                Some(times) => times.mean_ms,
                None => return mean(&run.completion_times_ms()?),
            },
            Self::Unfinished => run.unfinished? as f64,
            Self::LeastShare => return run.conduct.least_share,
            Self::LeastCompetingShare => return run.conduct.least_competing_share,
            Self::SelfInflictedLoss => run.conduct.self_inflicted_loss,
            Self::SentPerRtt => run.conduct.sent_per_rtt,
            Self::Convergence => return run.conduct.convergence_ms,
            Self::Recovery => return run.conduct.recovery_ms,
            Self::FrameDelayP95 => run.conduct.frame_delay_ms?.p95,
            Self::SoloHarmRate => return run.conduct.solo_harm?.rate,
            Self::SoloHarmDelay => return run.conduct.solo_harm?.delay,
            Self::SoloHarmLoss => return run.conduct.solo_harm?.loss,
            Self::SoloHarmFct => return run.conduct.solo_harm?.fct,
            Self::AckCost => return run.ack_cost_ns,
            Self::AckCycles => return run.ack_cost_cycles,
            Self::FctMax => match run.many_transfers {
                Some(times) => times.max_ms,
                None => return run.completion_times_ms()?.into_iter().reduce(f64::max),
            },
        })
    }
}
