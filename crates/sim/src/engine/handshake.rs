//! Handshakes: SYNs and their answers, before there is a connection.
//!
//! The connection of a flow with a handshake opens when its SYN has been answered. Both packets go the ways
//! of data and of ACKs and meet there whatever those meet. With the recovery `linux` each is as long as
//! Linux's ([`Config::syn_size`]). With the others they have no size: in a queue they take a place and on a
//! transmitter no time, so that over an empty path the handshake takes propagation alone.
//!
//! * A SYN without an answer is sent again after the first timeout, and then each time after twice as long
//!   (RFC 6298 sections 2.1 and 5.5; `tcp_retransmit_timer`). The sender does not give up.
//! * The receiver answers each SYN (`tcp_check_req`), and sends no answer again of its own accord.
//! * The time from the SYN to its answer is the first sample. If the SYN was sent again, timestamps alone
//!   tell which one was answered: the answer echoes the first that came (`req->ts_recent`), and Linux counts
//!   milliseconds. Without them there is no sample, and the first timeout is three seconds (RFC 6298 section
//!   5.7; `TCP_TIMEOUT_FALLBACK`).
//! * After a SYN that was sent again data begins with one segment (RFC 5681 section 3.1); in Linux after two
//!   of them, unless the first SYN was answered (`tcp_init_transfer`, `tcp_try_undo_spurious_syn`). In ns-2
//!   it is a timeout at a window of one that halves the window as any other, so that there is no slow start
//!   (`TcpAgent::timeout`).
//! * A SYN is ECN-capable if the controller needs marks (`tcp_ecn_send_syn`).
//!
//! Packets of a handshake bear the generation before the one of their connection: to an open connection they
//! are strays. A timer of the slot opens the connection, at the time at which the answer comes, in both
//! engines.

use std::sync::Arc;

use westwood_cc::{Bytes, Duration, Ecn, Instant, Segments};
use westwood_net::Packet as _;
use westwood_tcp::{Config, Recovery};

use super::application::Supply;
use super::carrier::Carrier;
use super::run::Run;
use crate::network::{Traffic, Workload};
use crate::packet::{Address, Generation, Packet};

/// RFC 6298 section 5.7.
const FIRST_TIMEOUT_WITHOUT_SAMPLE: Duration = Duration::from_secs(3);
/// The unit of Linux's timestamps.
const LINUX_TICK_NS: u64 = 1_000_000;

/// A sender whose SYN has not been answered, or whose connection has still to open.
#[derive(Debug)]
pub(super) struct SynSent {
    /// When the first SYN left.
    begun: Instant,
    /// How often the SYN was sent again.
    retries: u32,
    /// When it is sent again, unless an answer comes first, and how long after the last one that is.
    retry_at: Instant,
    timeout: Duration,
    /// When the SYN left that reached the receiver first.
    heard: Option<Instant>,
    /// When the first answer reaches the sender.
    answered: Option<Instant>,
    /// The bytes that a short flow's connection will carry.
    size: Option<Bytes>,
}

impl SynSent {
    /// The settings of the connection that opens now: those of its flow, and what the handshake has shown.
    pub(super) fn settings(&self, config: &Arc<Config>, now: Instant) -> Arc<Config> {
        let sample = self.sample(config, now);
        if self.retries == 0 && sample == config.handshake_rtt {
            return Arc::clone(config);
        }
        let mut own = Config { handshake_rtt: sample, ..**config };
        if sample.is_none() {
            own.rto.initial = own.rto.initial.max(FIRST_TIMEOUT_WITHOUT_SAMPLE);
        }
        if self.lost_window(config) {
            own.initial_window = Segments::ONE;
            if own.has_ns2_habits() {
                own.initial_ssthresh = Segments::TWO;
            }
        }
        Arc::new(own)
    }

    /// The round-trip time that the answer shows.
    fn sample(&self, config: &Config, now: Instant) -> Option<Duration> {
        if self.retries == 0 {
            return Some(now.since(self.begun));
        }
        let sent = self.heard.filter(|_| config.timestamps)?;
        if config.recovery != Recovery::Linux {
            return Some(now.since(sent));
        }
        let ticks = now.as_nanos() / LINUX_TICK_NS - sent.as_nanos() / LINUX_TICK_NS;
        Some(Duration::from_nanos(ticks.max(1) * LINUX_TICK_NS))
    }

    /// True if so much was lost that data begins with one segment.
    fn lost_window(&self, config: &Config) -> bool {
        if config.recovery == Recovery::Linux {
            self.retries > 1 && !(config.timestamps && self.heard == Some(self.begun))
        } else {
            self.retries > 0
        }
    }

    /// The SYN is sent again now, and the next time after twice as long, or after the `most`.
    fn back_off(&mut self, now: Instant, most: Duration) {
        self.retries += 1;
        self.timeout = (self.timeout * 2).min(most);
        self.retry_at = now + self.timeout;
    }

    /// When its timer is to fire.
    fn due(&self) -> Instant {
        self.answered.map_or(self.retry_at, |answered| answered.min(self.retry_at))
    }
}

impl<C: Carrier> Run<'_, C> {
    /// True if the connections of this flow open with a handshake.
    pub(super) fn has_handshake(&self, flow: usize) -> bool {
        self.network.flows[flow].handshake
    }

    /// Asks for a connection in a slot, which will carry so much if its flow is short.
    pub(super) fn ask(&mut self, slot: usize, size: Option<Bytes>) {
        let flow = self.slot_flow[slot];
        let Some(tcp) = self.tcp(flow) else { return };
        let traffic = &self.network.flows[flow].traffic;
        if size.is_some() || matches!(traffic, Traffic::Tcp(_, Workload::Transfer(_))) {
            self.note_begin(slot);
        }
        let rto = tcp.config.rto;
        let timeout = rto.initial.max(rto.min);
        let (begun, retry_at) = (self.now, self.now + timeout);
        let (heard, answered) = (None, None);
        let handshake = SynSent { begun, retries: 0, retry_at, timeout, heard, answered, size };
        self.handshakes[slot] = Some(Box::new(handshake));
        self.send_syn(slot);
        self.wake(self.sender_rank(slot), retry_at);
    }

    fn send_syn(&mut self, slot: usize) {
        let size = self.size_of_syn(slot);
        let syn = Packet::syn(self.forward_address(slot), self.now, self.ecn_of_syn(slot), size);
        self.measure.enter(1, size);
        C::carry(self, self.now, syn);
    }

    /// The size of a SYN, and of its answer.
    fn size_of_syn(&self, slot: usize) -> Bytes {
        self.tcp(self.slot_flow[slot]).map_or(Bytes::ZERO, |tcp| tcp.config.syn_size())
    }

    fn ecn_of_syn(&self, slot: usize) -> Ecn {
        match self.tcp(self.slot_flow[slot]) {
            Some(tcp) if tcp.config.ecn && tcp.controller.ect_on_syn() => tcp.config.ect,
            _ => Ecn::NotEct,
        }
    }

    /// A SYN reaches its receiver, which may be ahead of the present.
    #[cold]
    #[inline(never)]
    pub(super) fn on_syn(&mut self, at: Instant, slot: usize, syn: &Packet) {
        let is_awaited = syn.generation() == self.generations[slot];
        let mut echo = syn.sent_at();
        if is_awaited && let Some(handshake) = &mut self.handshakes[slot] {
            echo = *handshake.heard.get_or_insert(echo);
        }
        let to = Address { generation: syn.generation(), ..self.reverse_address(slot) };
        let answer = Packet::syn_ack(to, syn, echo);
        self.measure.enter(1, answer.size());
        C::carry(self, at, answer);
        if C::RELAYS && is_awaited {
            self.ask_downstream(slot);
        }
    }

    /// The answer to a SYN reaches the sender, perhaps ahead of the present.
    pub(super) fn on_syn_ack(&mut self, at: Instant, slot: usize, generation: Generation) {
        if generation != self.generations[slot] {
            return;
        }
        if let Some(handshake) = &mut self.handshakes[slot]
            && handshake.answered.is_none()
        {
            handshake.answered = Some(at);
            self.wake(self.sender_rank(slot), at);
        }
    }

    /// A timer fires in a slot without a connection: of a handshake or of a media flow.
    #[inline(never)]
    pub(super) fn on_timer_without_connection(&mut self, slot: usize) {
        let now = self.now;
        let most = self.configs.of_flow(self.slot_flow[slot]).map(|config| config.rto.max);
        let Some(handshake) = &mut self.handshakes[slot] else { return self.send_media(slot) };
        if handshake.answered.is_some_and(|answered| answered <= now) {
            return self.on_answer(slot);
        }
        let is_due = handshake.retry_at <= now;
        if is_due {
            handshake.back_off(now, most.unwrap_or(Duration::MAX));
        }
        let next = handshake.due();
        if is_due {
            if self.is_abandoned(slot) {
                self.handshakes[slot] = None;
                return;
            }
            self.send_syn(slot);
        }
        self.wake(self.sender_rank(slot), next);
    }

    /// True if the application that asked for the connection has stopped.
    fn is_abandoned(&self, slot: usize) -> bool {
        let flow = &self.network.flows[self.slot_flow[slot]];
        match flow.traffic {
            Traffic::Tcp(_, Workload::RelayedFrom { .. }) => false,
            Traffic::Tcp(..) => flow.stop.is_some_and(|stop| stop <= self.now),
            _ => false,
        }
    }

    /// The answer has come: the connection opens, or its application is told to open it.
    fn on_answer(&mut self, slot: usize) {
        let flow = self.slot_flow[slot];
        let size = self.handshakes[slot].as_ref().and_then(|it| it.size);
        match (&self.network.flows[flow].traffic, size) {
            (Traffic::ShortFlows { .. }, Some(size)) => self.open(slot, Supply::Bytes(size)),
            (Traffic::Tcp(_, Workload::RelayedFrom { .. }), _) => self.connect_beyond(slot),
            _ => {
                self.applications[flow].connected(self.now);
                self.wake_application(flow);
            }
        }
    }
}
