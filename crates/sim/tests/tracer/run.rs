//! The runs that are traced: one TCP flow over one link there and one back.

use std::fmt::Write as _;

use westwood_cc::controllers::Choice;
use westwood_cc::params::Value;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Capacity, Limit, LinkChange, LinkConfig, LossConfig, QueueConfig};
use westwood_sim::{
    FlowSpec, LinkSpec, Network, Phases, Probes, TcpSpec, Traffic, ValueDistribution, Workload,
};
use westwood_tcp::{AckPolicy, Config};

use super::sheet::{decimal, segments};

/// A run that is short enough to be read.
pub(crate) struct Run {
    /// The rule it shows; its file's name.
    pub(crate) name: &'static str,
    pub(crate) controller: &'static str,
    pub(crate) params: &'static [(&'static str, Value<'static>)],
    pub(crate) config: Config,
    pub(crate) there: LinkConfig,
    pub(crate) back: LinkConfig,
    pub(crate) workload: Workload,
    /// Size and spacing of datagrams on the way back, the first at 0.
    pub(crate) crossing: Option<(Bytes, Duration)>,
    pub(crate) until: Duration,
}

impl Run {
    /// The same run for the engine, with every change of the window recorded.
    pub(crate) fn network(&self) -> Network {
        let links = [(0, 1, &self.there), (1, 0, &self.back)].map(|(from, to, config)| LinkSpec {
            name: format!("{from}-{to}").into(),
            from,
            to,
            config: config.clone().into(),
        });
        let tcp = TcpSpec { controller: self.choice(), config: self.config };
        let mut flows = vec![flow("flow", 0, 1, Traffic::Tcp(tcp.into(), self.workload))];
        if let Some((size, gap)) = self.crossing {
            let rate = size.per(gap).expect("a gap");
            let datagrams = Traffic::Udp { rate, size, phases: Phases::Always, poisson: false };
            flows.push(flow("crossing", 1, 0, datagrams));
        }
        Network {
            agents: Vec::new(),
            nodes: vec!["a".into(), "b".into()],
            links: links.into(),
            flows,
            seed: 1,
            duration: self.until,
            warmup: Duration::ZERO,
            probes: Probes { windows: true, ..Probes::default() },
        }
    }

    pub(crate) fn choice(&self) -> Choice {
        let mut choice = Choice::named(self.controller).expect("in the catalog");
        for &(name, value) in self.params {
            choice.set(name, value).expect("a parameter of this controller");
        }
        choice
    }

    /// Controller, recovery and path in words: the lines above the table.
    pub(crate) fn heading(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key:<12}{value}");
        };
        line("controller", self.controller_in_words());
        line("recovery", self.config.recovery.to_string());
        line("there", link_in_words(&self.there));
        line("back", link_in_words(&self.back));
        line("sender", self.sender_in_words());
        line("receiver", self.receiver_in_words());
        line("application", self.workload_in_words());
        if let Some((size, gap)) = self.crossing {
            let bytes = size.get();
            line("crossing", format!("datagrams of {bytes} bytes every {gap} on the way back"));
        }
        line("until", in_ms(self.until));
        text
    }

    fn controller_in_words(&self) -> String {
        let value = |value: &Value<'_>| match value {
            Value::Duration(d) => in_ms(*d),
            Value::Choice(word) => (*word).to_owned(),
            Value::Count(n) => n.to_string(),
            other => panic!("{other:?} has no words yet"),
        };
        let set: Vec<String> =
            self.params.iter().map(|(name, v)| format!("{name}={}", value(v))).collect();
        let set = set.join(", ");
        if set.is_empty() { self.controller.into() } else { format!("{}({set})", self.controller) }
    }

    fn sender_in_words(&self) -> String {
        let c = &self.config;
        let ssthresh = segments(c.initial_ssthresh);
        let mut text = format!(
            "segments of {} bytes, initial window {}, ssthresh {ssthresh}, RTO at least {}",
            c.sizes.payload.get(),
            segments(c.initial_window),
            in_ms(c.rto.min)
        );
        if !c.timestamps {
            text.push_str(", no timestamps");
        }
        if c.limited_transmit {
            text.push_str(", limited transmit");
        }
        text
    }

    fn receiver_in_words(&self) -> String {
        let when = match self.config.acks {
            AckPolicy::Each => "for each segment".into(),
            AckPolicy::Delayed { timer } => format!("for every second segment, or after {timer}"),
            AckPolicy::Linux { .. } => "as Linux sends them".into(),
        };
        format!("ACKs of {} bytes {when}", self.config.sizes.ack.get())
    }

    fn workload_in_words(&self) -> String {
        match self.workload {
            Workload::Greedy => "greedy".into(),
            Workload::Transfer(bytes) => {
                format!("{} segments", bytes.get() / self.config.sizes.payload.get())
            }
            Workload::OnOff(_) => {
                let (on, off) = self.phases().expect("on and off");
                let (on, off) = (in_ms(on), in_ms(off));
                format!("on for {on}, off for {off}, on again")
            }
            Workload::Limited(rate) => format!("writes {rate}"),
            Workload::RelayedFrom { .. } => panic!("a trace has one connection"),
        }
    }

    /// How long the application is on and off, if it alternates.
    pub(crate) fn phases(&self) -> Option<(Duration, Duration)> {
        let Workload::OnOff(Phases::Alternating { on, off }) = self.workload else {
            return None;
        };
        Some((constant(on), constant(off)))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
fn constant(spread: ValueDistribution) -> Duration {
    let ValueDistribution::Constant(seconds) = spread else {
        panic!("traces leave nothing to chance")
    };
    Duration::from_nanos((seconds * 1e9).round() as u64)
}

fn flow(name: &str, from: usize, to: usize, traffic: Traffic) -> FlowSpec {
    FlowSpec::between(name, from, to, traffic)
}

/// A time as the tables have it, however long.
fn in_ms(time: Duration) -> String {
    format!("{} ms", decimal(time.as_nanos() / 1_000))
}

fn link_in_words(link: &LinkConfig) -> String {
    let Capacity::Fixed(rate) = link.capacity else { panic!("a fixed rate") };
    let mut text = format!("{rate}, {}", link.delay);
    if let QueueConfig::DropTail(Limit::Packets(n)) = link.queue {
        let _ = write!(text, "; {n} packets may wait");
    }
    for loss in &link.losses {
        let LossConfig::List(packets) = loss else { panic!("traces leave nothing to chance") };
        let list: Vec<String> = packets.iter().map(u64::to_string).collect();
        let _ = write!(text, "; loses packets {}", list.join(", "));
    }
    for pair in link.schedule.chunks(2) {
        let [from, to] = pair else { panic!("a detour begins and ends") };
        let LinkChange::Delay(delay) = from.what else { panic!("a detour") };
        let ms = |at: Instant| decimal(at.as_nanos() / 1_000);
        let _ = write!(text, "; {delay} for what leaves from {} to {} ms", ms(from.at), ms(to.at));
    }
    text
}

/// A rate.
pub(crate) const fn kbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000)
}

/// A window of `hundredths` of a segment, rounded to the nearest that can be written.
pub(crate) const fn hundredths(n: u64) -> Segments {
    Segments::from_raw(((n << 32) + 50) / 100)
}
