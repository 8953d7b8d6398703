//! The applications that give connections something to send, and datagram sources.

use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::Random;

use crate::network::{FlowSpec, Phases, Traffic, ValueDistribution, Workload};
use crate::routes::transmission_nanos;

/// The action that an application wants when it is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Begin the handshake of the flow's connection, and [tell](Application::connected) of its end.
    Connect,
    /// Open the flow's connection, now that its handshake is over if it has one, and supply it.
    Open(Supply),
    /// Supply the open connection.
    Supply(Supply),
    /// Open a connection of a short flow with this much to send.
    Spawn(Bytes),
    /// Send a datagram of this size.
    Datagram(Bytes),
    /// The camera of a media flow yields a frame.
    Frame,
}

/// How much a connection is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// No end of data.
    Forever,
    /// This much in all.
    Bytes(Bytes),
    /// This many full segments in all.
    Segments(u64),
    /// Nothing beyond what has been sent.
    Nothing,
}

/// A flow's application: a clock of its own. It knows of no network, so real connections and
/// datagrams may follow it as well.
///
/// ```
/// # fn follow(flow: &westwood_sim::FlowSpec, end: westwood_cc::Instant) {
/// let mut application = westwood_sim::Application::new(flow, 1);
/// while application.next() < end {
///     let due = application.next();
///     let _what_to_do = application.on_wake(due);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Application<'a> {
    random: Random,
    traffic: &'a Traffic,
    /// When it has something to do next.
    next: Instant,
    stop: Instant,
    /// It has still to begin the handshake of its connection.
    connects: bool,
    opened: bool,
    /// For alternating phases: on at present, and until when.
    on: bool,
    phase_ends: Instant,
    /// Segments supplied so far by a limited writer.
    supplied: u64,
    /// The rest of the last interval beyond its whole nanoseconds: it keeps a rate in the long run.
    fraction: u64,
}

impl<'a> Application<'a> {
    /// That of a flow, in runs with this seed.
    pub fn new(spec: &'a FlowSpec, seed: u64) -> Self {
        let mut random = stream(spec, seed);
        let next = match spec.traffic {
            // The proxy wakes what it feeds.
            Traffic::Tcp(_, Workload::RelayedFrom { .. }) => Instant::FAR_FUTURE,
            _ => drawn_start(spec, &mut random),
        };
        Self {
            random,
            traffic: &spec.traffic,
            next,
            stop: spec.stop.unwrap_or(Instant::FAR_FUTURE),
            connects: spec.handshake && matches!(spec.traffic, Traffic::Tcp(..)),
            opened: false,
            on: false,
            phase_ends: Instant::FAR_FUTURE,
            supplied: 0,
            fraction: 0,
        }
    }

    /// When it wants to be woken.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// It is woken: what is to be done now? Afterwards [`next`](Self::next) lies in the future.
    pub fn on_wake(&mut self, now: Instant) -> Option<Action> {
        if now >= self.stop {
            self.next = Instant::FAR_FUTURE;
            return match self.traffic {
                Traffic::Tcp(..) if self.opened => Some(Action::Supply(Supply::Nothing)),
                _ => None,
            };
        }
        let action = match *self.traffic {
            Traffic::Tcp(..) if self.connects => {
                self.connects = false;
                self.next = Instant::FAR_FUTURE;
                Some(Action::Connect)
            }
            Traffic::Tcp(_, workload) => Some(self.supply(now, workload)),
            Traffic::ShortFlows { gap, size, .. } => {
                self.next = now + self.seconds(gap);
                Some(Action::Spawn(self.bytes(size)))
            }
            Traffic::Udp { rate, size, phases, poisson } => {
                self.send_datagram(now, rate, size, phases, poisson)
            }
            Traffic::Media(media) => {
                self.next = now + media.frame_interval();
                Some(Action::Frame)
            }
        };
        self.next = self.next.min(self.stop);
        action
    }

    /// The handshake of its connection is over: from now on it has something to do.
    pub fn connected(&mut self, now: Instant) {
        if now < self.stop {
            self.next = now;
        }
    }

    fn supply(&mut self, now: Instant, workload: Workload) -> Action {
        let supply = match workload {
            Workload::Greedy => {
                self.next = Instant::FAR_FUTURE;
                Supply::Forever
            }
            Workload::Transfer(bytes) => {
                self.next = Instant::FAR_FUTURE;
                Supply::Bytes(bytes)
            }
            Workload::OnOff(phases) => {
                self.next_phase(now, phases);
                self.next = self.phase_ends;
                if self.on { Supply::Forever } else { Supply::Nothing }
            }
            Workload::Limited(rate) => {
                self.supplied += 1;
                self.next = now + self.interval(rate, self.segment());
                Supply::Segments(self.supplied)
            }
            Workload::RelayedFrom { .. } => {
                self.next = Instant::FAR_FUTURE;
                Supply::Nothing
            }
        };
        let action = if self.opened { Action::Supply(supply) } else { Action::Open(supply) };
        self.opened = true;
        action
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        rate: Rate,
        size: Bytes,
        phases: Phases,
        poisson: bool,
    ) -> Option<Action> {
        if !self.opened || now >= self.phase_ends {
            self.opened = true;
            self.next_phase(now, phases);
        }
        if !self.on {
            self.next = self.phase_ends;
            return None;
        }
        let mean = self.interval(rate, size);
        let gap = if poisson { self.random.exponential_span(mean) } else { mean };
        let gap = gap.max(Duration::from_nanos(1));
        // A datagram that would fall into the pause is not sent: the next phase begins afresh.
        self.next = (now + gap).min(self.phase_ends);
        Some(Action::Datagram(size))
    }

    /// Turns from one phase to the next; the first is on.
    fn next_phase(&mut self, now: Instant, phases: Phases) {
        self.on = !self.on;
        self.phase_ends = match phases {
            Phases::Always => Instant::FAR_FUTURE,
            Phases::Alternating { on, off } => {
                let length = self.seconds(if self.on { on } else { off });
                now + length.max(Duration::from_nanos(1))
            }
        };
    }

    fn segment(&self) -> Bytes {
        match self.traffic {
            Traffic::Tcp(tcp, _) => tcp.config.sizes.payload,
            _ => Bytes::ZERO,
        }
    }

    /// How long `size` takes at `rate`, in whole nanoseconds, at least one: the rest counts the next time.
    fn interval(&mut self, rate: Rate, size: Bytes) -> Duration {
        let (ns, rest) = transmission_nanos(size, rate, self.fraction).unwrap_or((u64::MAX, 0));
        self.fraction = rest;
        Duration::from_nanos(ns.max(1))
    }

    fn seconds(&mut self, spread: ValueDistribution) -> Duration {
        let ns = draw(&mut self.random, spread) * 1e9;
        Duration::from_nanos(round_to_u64(ns).max(1))
    }

    fn bytes(&mut self, spread: ValueDistribution) -> Bytes {
        Bytes::new(round_to_u64(draw(&mut self.random, spread)).max(1))
    }
}

fn draw(random: &mut Random, spread: ValueDistribution) -> f64 {
    match spread {
        ValueDistribution::Constant(value) => value,
        ValueDistribution::Exponential(mean) => mean * random.exponential(),
        ValueDistribution::Uniform(low, high) => low + (high - low) * random.uniform(),
        // The smallest value that gives this mean: mean = least * shape / (shape - 1).
        ValueDistribution::Pareto { mean, shape } => {
            random.pareto(shape, mean * (shape - 1.0) / shape)
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion that saturates is what is wanted: negative becomes 0"
)]
fn round_to_u64(value: f64) -> u64 {
    value.round() as u64
}

impl FlowSpec {
    /// When the flow starts in runs with this seed, its jitter drawn.
    pub fn drawn_start(&self, seed: u64) -> Instant {
        drawn_start(self, &mut stream(self, seed))
    }
}

/// The random numbers of a flow's application.
fn stream(spec: &FlowSpec, seed: u64) -> Random {
    Random::new(seed, &format!("flow {}", spec.name))
}

/// The first that is drawn from them.
fn drawn_start(spec: &FlowSpec, random: &mut Random) -> Instant {
    spec.start + uniform_span(random, spec.start_jitter)
}

fn uniform_span(random: &mut Random, width: Duration) -> Duration {
    if width.is_zero() {
        return Duration::ZERO;
    }
    Duration::from_nanos(random.below(width.as_nanos()))
}
