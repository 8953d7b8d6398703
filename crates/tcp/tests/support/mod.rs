//! Scripts for a sender and a receiver, one line an event.
//!
//! A [`Script`] plays the network and the far end to a [`Sender`]: `ack(5)` is an ACK of everything
//! below 5, and answers the sequence numbers that the sender sends upon it. Times are milliseconds.

use std::collections::BTreeMap;

use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Ecn, Instant, Rate, Segments};
use westwood_tcp::{
    AccEcn, AckOptions, AckPolicy, AckSegment, Config, DataSegment, Receiver, Recovery, Sender,
    SeqRange,
};

/// Milliseconds.
pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// An ACK for each segment, an initial window of `window` segments, and congestion avoidance from
/// there on.
pub(crate) fn config(recovery: Recovery, window: u64) -> Config {
    Config {
        recovery,
        initial_window: Segments::new(window),
        initial_ssthresh: Segments::new(window),
        acks: AckPolicy::Each,
        ..Config::default()
    }
}

/// A sender with an endless supply of data, Reno as its controller, and a clock.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    now: Instant,
    timestamps: bool,
    /// When each segment was last sent.
    sent_at: BTreeMap<u64, Instant>,
    /// Everything sent, in order.
    pub(crate) log: Vec<DataSegment>,
}

impl Script {
    /// A sender that has not sent yet.
    pub(crate) fn idle(config: &Config) -> Self {
        Self::idle_of("reno", config)
    }

    /// A sender with this controller that has not sent yet.
    fn idle_of(controller: &str, config: &Config) -> Self {
        let setup = Setup {
            smss: config.sizes.payload,
            initial_window: config.initial_window,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        let controller = Choice::named(controller).expect("in the catalog").build(&setup);
        let mut sender = Sender::new(config, controller);
        sender.watch();
        Self {
            sender,
            now: Instant::ZERO + ms(1_000),
            timestamps: config.timestamps,
            sent_at: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    /// A sender that has sent its first window, 100 ms ago.
    pub(crate) fn new(config: &Config) -> Self {
        Self::of("reno", config)
    }

    /// A sender with this controller that has sent its first window, 100 ms ago.
    pub(crate) fn of(controller: &str, config: &Config) -> Self {
        let mut script = Self::idle_of(controller, config);
        script.sender.supply_forever();
        script.sends();
        script.now += ms(100);
        script
    }

    /// A sender in the middle of a connection: its first window of `window` segments is out, and it
    /// is in congestion avoidance.
    pub(crate) fn with_window(recovery: Recovery, window: u64) -> Self {
        Self::new(&config(recovery, window))
    }

    /// The sequence numbers that the sender sends now.
    pub(crate) fn sends(&mut self) -> Vec<u64> {
        let mut seqs = Vec::new();
        while let Some(burst) = self.sender.transmit(self.now) {
            for segment in burst.segments() {
                self.sent_at.insert(segment.seq, self.now);
                self.log.push(segment);
                seqs.push(segment.seq);
            }
        }
        seqs
    }

    /// An ACK as a receiver with these holdings sends it. The echo is of the segment that moved the
    /// left edge.
    fn segment(&self, ack: u64, held: &[(u64, u64)]) -> AckSegment {
        let mut options = AckOptions::NONE;
        for &(start, end) in held {
            options.push_block(SeqRange { start, end });
        }
        let echo = ack.checked_sub(1).and_then(|seq| self.sent_at.get(&seq));
        AckSegment {
            ack,
            options,
            echo: echo.copied().filter(|_| self.timestamps),
            ece: false,
            eln: false,
        }
    }

    /// An ACK of all below `ack`.
    pub(crate) fn ack(&mut self, ack: u64) -> Vec<u64> {
        self.sack(ack, &[])
    }

    /// An ACK of all below `ack`, with blocks of what is held beyond.
    pub(crate) fn sack(&mut self, ack: u64, held: &[(u64, u64)]) -> Vec<u64> {
        let segment = self.segment(ack, held);
        self.sender.on_ack(self.now, &segment);
        self.sends()
    }

    /// An ACK that echoes a congestion mark.
    pub(crate) fn echo(&mut self, ack: u64) -> Vec<u64> {
        self.sack_echo(ack, &[])
    }

    /// An ACK with blocks that echoes a congestion mark.
    pub(crate) fn sack_echo(&mut self, ack: u64, held: &[(u64, u64)]) -> Vec<u64> {
        let mut segment = self.segment(ack, held);
        segment.ece = true;
        self.sender.on_ack(self.now, &segment);
        self.sends()
    }

    /// An ACK that says that the segment it asks for arrived damaged.
    pub(crate) fn damaged(&mut self, ack: u64, held: &[(u64, u64)]) -> Vec<u64> {
        let mut segment = self.segment(ack, held);
        segment.eln = true;
        self.sender.on_ack(self.now, &segment);
        self.sends()
    }

    /// An ACK that counts the marks that have arrived.
    pub(crate) fn accurate(&mut self, ack: u64, told: AccEcn) -> Vec<u64> {
        let mut segment = self.segment(ack, &[]);
        segment.options.set_accurate(told, &mut AckOptions::default());
        self.sender.on_ack(self.now, &segment);
        self.sends()
    }

    /// An ACK that returns a router's share.
    pub(crate) fn shared(&mut self, ack: u64, share: Rate) -> Vec<u64> {
        let mut segment = self.segment(ack, &[]);
        segment.options.set_share(share);
        self.sender.on_ack(self.now, &segment);
        self.sends()
    }

    /// Time passes, and with it whatever the sender does of its own accord.
    pub(crate) fn wait(&mut self, time: Duration) -> Vec<u64> {
        let until = self.now + time;
        let mut seqs = Vec::new();
        while self.sender.deadline() <= until {
            self.now = self.now.max(self.sender.deadline());
            self.sender.on_timer(self.now);
            seqs.extend(self.sends());
        }
        self.now = until;
        seqs
    }

    /// Time passes until the retransmission timer fires; what is sent then.
    pub(crate) fn timeout(&mut self) -> Vec<u64> {
        let timeouts = self.sender.counts().timeouts;
        let mut seqs = Vec::new();
        while self.sender.counts().timeouts == timeouts {
            let left = self.sender.deadline().since(self.now);
            seqs = self.wait(left);
        }
        seqs
    }

    /// How long until the sender wants to be woken.
    pub(crate) fn due(&self) -> Duration {
        self.sender.deadline().since(self.now)
    }

    /// The time.
    pub(crate) fn present(&self) -> Instant {
        self.now
    }

    /// Whole segments in the window.
    pub(crate) fn cwnd(&self) -> u64 {
        self.sender.window().cwnd.whole()
    }

    /// Whole segments in the threshold.
    pub(crate) fn ssthresh(&self) -> u64 {
        self.sender.window().ssthresh.whole()
    }

    /// How often the window was reduced.
    pub(crate) fn reductions(&mut self) -> usize {
        let notes = self.sender.take_notes();
        let reduced = |n: &&westwood_tcp::Note| matches!(n, westwood_tcp::Note::Reduced { .. });
        notes.iter().filter(reduced).count()
    }
}

/// A receiver and a clock.
pub(crate) struct Host {
    pub(crate) receiver: Receiver,
    pub(crate) now: Instant,
}

impl Host {
    pub(crate) fn new(config: &Config) -> Self {
        Self { receiver: Receiver::new(config), now: Instant::ZERO + ms(1_000) }
    }

    /// With SACK and timestamps, an ACK for each segment.
    pub(crate) fn with_sack() -> Self {
        Self::new(&config(Recovery::Sack, 10))
    }

    /// Delayed ACKs of 100 ms.
    pub(crate) fn delaying() -> Self {
        Self::new(&Config {
            acks: AckPolicy::Delayed { timer: ms(100) },
            ..config(Recovery::NewReno, 10)
        })
    }

    /// A segment arrives that was sent just now.
    pub(crate) fn data(&mut self, seq: u64) -> Option<AckSegment> {
        self.segment(&segment(seq, self.now), false)
    }

    /// A segment arrives with a router's mark.
    pub(crate) fn marked(&mut self, seq: u64) -> Option<AckSegment> {
        self.segment(&segment(seq, self.now), true)
    }

    pub(crate) fn segment(&mut self, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        self.receiver.on_data(self.now, segment, ce)
    }

    /// A segment arrives; the blocks of its ACK.
    pub(crate) fn blocks(&mut self, seq: u64) -> Vec<(u64, u64)> {
        let ack = self.data(seq).expect("an ACK at once");
        ack.options.blocks().map(|r| (r.start, r.end)).collect()
    }
}

/// A full segment of new data.
pub(crate) fn segment(seq: u64, sent_at: Instant) -> DataSegment {
    DataSegment {
        seq,
        payload: Bytes::new(1500),
        sent_at,
        retransmission: false,
        ecn: Ecn::NotEct,
        cwr: false,
        push: false,
    }
}
