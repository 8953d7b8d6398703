//! Over a channel that loses, delays, reorders, doubles and marks, every recovery with every
//! controller delivers every byte once, and the sender's account of itself holds after every event.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use proptest::prelude::*;
use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::slow_start::FirstSlowStart;
use westwood_cc::{Bytes, Duration, Ecn, EcnFeedback, Instant, Ratio, Segments};
use westwood_tcp::{
    AckPolicy, AckSegment, Config, Credit, DataSegment, Pacing, Receiver, ReceiverClock, Recovery,
    RtoConfig, Sender, Sizes,
};

const PAYLOAD: u64 = 1_000;

/// The channel's losses, copies and reordering, in events of a thousand, and its delay.
#[derive(Clone, Copy, Debug)]
struct Channel {
    lose_data: u64,
    lose_ack: u64,
    double: u64,
    mark: u64,
    delay: Duration,
    /// Up to this much on top, drawn for each packet: reordering.
    jitter: Duration,
}

#[derive(Clone, Debug)]
struct Trial {
    config: Config,
    controller: usize,
    channel: Channel,
    /// The application's supply: pauses and bytes.
    chunks: Vec<(Duration, u64)>,
    seed: u64,
}

#[derive(Clone, Debug)]
enum Event {
    Data(DataSegment, bool),
    Ack(AckSegment),
    Supply(Bytes),
    SenderTimer,
    ReceiverTimer,
}

/// Runs one transfer and checks it as it goes.
struct Run {
    now: Instant,
    sender: Sender,
    receiver: Receiver,
    channel: Channel,
    recovery: Recovery,
    receive_window: u64,
    /// In ns-2 a mark may leave less than a segment of window.
    marks_as_ns2: bool,
    random: u64,
    queue: BinaryHeap<Reverse<(Instant, u64)>>,
    events: BTreeMap<u64, Event>,
    next_event: u64,
    /// Payload of each segment sent.
    payloads: BTreeMap<u64, Bytes>,
    /// Payload of each segment that arrived.
    arrived: BTreeMap<u64, Bytes>,
    supplied: Bytes,
}

impl Run {
    fn new(trial: &Trial) -> Self {
        let all: Vec<Choice> = Choice::all().collect();
        let setup = Setup {
            smss: trial.config.sizes.payload,
            initial_window: trial.config.initial_window,
            seed: trial.seed,
            handshake_rtt: None,
            paced: false,
        };
        let controller = all[trial.controller % all.len()].build(&setup);
        let mut run = Self {
            now: Instant::ZERO,
            sender: Sender::new(&trial.config, controller),
            receiver: Receiver::new(&trial.config),
            channel: trial.channel,
            recovery: trial.config.recovery,
            receive_window: trial.config.receive_window,
            marks_as_ns2: trial.config.ecn && trial.config.has_ns2_habits(),
            random: trial.seed | 1,
            queue: BinaryHeap::new(),
            events: BTreeMap::new(),
            next_event: 0,
            payloads: BTreeMap::new(),
            arrived: BTreeMap::new(),
            supplied: Bytes::ZERO,
        };
        let (mut at, mut total) = (Instant::ZERO, 0);
        for &(pause, bytes) in &trial.chunks {
            at += pause;
            total += bytes;
            run.push(at, Event::Supply(Bytes::new(total)));
        }
        run
    }

    fn push(&mut self, at: Instant, event: Event) {
        self.queue.push(Reverse((at, self.next_event)));
        self.events.insert(self.next_event, event);
        self.next_event += 1;
    }

    /// A number below `n`.
    fn draw(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20) % n.max(1)
    }

    /// When a packet sent now arrives.
    fn arrival(&mut self) -> Instant {
        let jitter = self.draw(self.channel.jitter.as_nanos() + 1);
        self.now + self.channel.delay + Duration::from_nanos(jitter)
    }

    /// How many of a packet arrive.
    fn fate(&mut self, lose: u64) -> u64 {
        if self.draw(1_000) < lose {
            0
        } else {
            1 + u64::from(self.draw(1_000) < self.channel.double)
        }
    }

    fn finish(mut self) -> Self {
        let mut left = 200_000_u32;
        while let Some(Reverse((at, id))) = self.queue.pop() {
            left = left.checked_sub(1).expect("the transfer ends");
            self.now = at;
            if let Some(event) = self.events.remove(&id) {
                self.handle(event);
            }
        }
        self
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Supply(total) => {
                self.supplied = total;
                self.sender.supply(total);
                self.after_sender();
            }
            Event::Data(segment, ce) => {
                let before = self.receiver.counts().delivered;
                let ack = self.receiver.on_data(self.now, &segment, ce);
                if self.receiver.counts().delivered > before {
                    let had = self.arrived.insert(segment.seq, segment.payload);
                    assert_eq!(had, None, "a segment is new once");
                } else {
                    // Linux refuses segments that a later copy has overtaken (RFC 7323, section 5.3).
                    let refuses = self.recovery == Recovery::Linux;
                    assert!(refuses || self.arrived.contains_key(&segment.seq));
                }
                while let Some(prior) = self.receiver.take_prior() {
                    assert!(ack.is_some(), "it goes before another one");
                    self.after_receiver(Some(prior));
                }
                self.after_receiver(ack);
            }
            Event::ReceiverTimer if self.receiver.deadline() <= self.now => {
                let ack = self.receiver.on_timer(self.now);
                assert!(ack.is_some(), "a delayed ACK leaves when its time has come");
                self.after_receiver(ack);
                assert!(self.receiver.deadline() > self.now, "a wake-up does all that is due");
            }
            Event::Ack(ack) => {
                self.sender.on_ack(self.now, &ack);
                self.after_sender();
            }
            Event::SenderTimer if self.sender.deadline() <= self.now => self.wake_sender(),
            Event::ReceiverTimer | Event::SenderTimer => {}
        }
    }

    fn wake_sender(&mut self) {
        let before = self.sender.counts();
        self.sender.on_timer(self.now);
        self.after_sender();
        let after = self.sender.counts();
        assert!(
            self.recovery == Recovery::Linux
                || after.sent > before.sent
                || after.timeouts > before.timeouts,
            "a sender wakes to send or to give up waiting"
        );
        let deadline = self.sender.deadline();
        assert!(deadline > self.now, "a wake-up does all that is due");
    }

    fn after_receiver(&mut self, ack: Option<AckSegment>) {
        if let Some(ack) = ack {
            for _ in 0..self.fate(self.channel.lose_ack) {
                let at = self.arrival();
                self.push(at, Event::Ack(ack.clone()));
            }
        }
        let deadline = self.receiver.deadline();
        if deadline < Instant::FAR_FUTURE {
            // A segment may arrive at the very instant at which the timer is due, before its event.
            assert!(deadline >= self.now, "no delayed ACK is overdue");
            self.push(deadline, Event::ReceiverTimer);
        }
        let next = self.receiver.rcv_nxt();
        assert!((0..next).all(|seq| self.arrived.contains_key(&seq)));
        assert!(!self.arrived.contains_key(&next));
        assert_eq!(self.receiver.rcv_nxt() + self.receiver.held(), self.arrived.len() as u64);
    }

    fn after_sender(&mut self) {
        let mut sent = 0;
        while let Some(burst) = self.sender.transmit(self.now) {
            for segment in burst.segments() {
                sent += 1;
                assert!(sent <= 2 * self.receive_window + 2, "a burst ends");
                let first = *self.payloads.entry(segment.seq).or_insert(segment.payload);
                assert_eq!(segment.payload, first, "a copy is as long as its original");
                let marked = segment.ecn.is_capable() && self.draw(1_000) < self.channel.mark;
                for _ in 0..self.fate(self.channel.lose_data) {
                    let at = self.arrival();
                    self.push(at, Event::Data(segment, marked));
                }
                self.check();
            }
        }
        self.check();
        let deadline = self.sender.deadline();
        assert!(deadline >= self.now, "nothing is overdue");
        if deadline < Instant::FAR_FUTURE {
            self.push(deadline, Event::SenderTimer);
        } else {
            assert!(self.sender.is_done(), "a sender that waits has a timer");
        }
    }

    fn check(&self) {
        let (s, counts) = (&self.sender, self.sender.counts());
        let outstanding = s.snd_max() - s.snd_una();
        assert!(outstanding <= self.receive_window);
        // Segments that SACK sends again on suspicion count twice.
        let most = match self.recovery {
            Recovery::Sack1996 | Recovery::Sack | Recovery::Linux => 2 * outstanding,
            _ => outstanding,
        };
        assert!(s.in_flight() <= most, "{} of {most}", s.in_flight());
        assert!(s.window().cwnd >= Segments::ONE || self.marks_as_ns2);
        assert_eq!(counts.sent, counts.retransmitted + s.snd_max());
        assert!(s.snd_una() <= self.receiver.rcv_nxt());
        let seen = self.receiver.counts();
        match self.recovery {
            // Linux counts needless copies as delivered, once for each report, and no report of an overtaken
            // ACK.
            Recovery::Linux => return,
            Recovery::Sack1996 | Recovery::Sack => assert!(s.delivered() <= seen.delivered),
            // A duplicate ACK does not say what it answers.
            _ => assert!(s.delivered() <= s.snd_max()),
        }
        assert!(s.delivered() >= s.snd_una());
    }
}

fn channel() -> impl Strategy<Value = Channel> {
    let lossy = |most: u64| prop_oneof![2 => Just(0), 3 => 0..most];
    (
        lossy(300),
        lossy(300),
        lossy(100),
        lossy(200),
        1_u64..200,
        prop_oneof![Just(0), 0_u64..30_000],
    )
        .prop_map(|(lose_data, lose_ack, double, mark, delay, jitter)| Channel {
            lose_data,
            lose_ack,
            double,
            mark,
            delay: Duration::from_millis(delay),
            jitter: Duration::from_micros(jitter),
        })
}

const SLOW_STARTS: [FirstSlowStart; 4] = [
    FirstSlowStart::Standard,
    FirstSlowStart::HyStartPlusPlus,
    FirstSlowStart::Search,
    FirstSlowStart::FirstAcks,
];

fn config() -> impl Strategy<Value = Config> {
    let switches = prop::array::uniform8(any::<bool>());
    let acks =
        prop_oneof![Just(AckPolicy::Each), Just(AckPolicy::default()), Just(AckPolicy::LINUX)];
    let credit = prop_oneof![Just(Credit::PerAck), Just(Credit::PerSegment), Just(Credit::Limited)];
    let window = prop_oneof![1_u64..8, Just(40), Just(1_000)];
    let sizes = Sizes { payload: Bytes::new(PAYLOAD), ..Sizes::default() };
    (0..Recovery::ALL.len(), switches, acks, credit, 1_u64..20, window, 2_u64..50).prop_map(
        move |(recovery, on, acks, credit, initial, receive_window, ssthresh)| Config {
            recovery: Recovery::ALL[recovery],
            sizes,
            initial_window: Segments::new(initial),
            initial_ssthresh: Segments::new(ssthresh),
            receive_window,
            buffers: westwood_tcp::Buffers::default(),
            receiver: westwood_tcp::ReceiverBehaviour::Honest,
            acks,
            limited_transmit: on[0],
            rto: RtoConfig {
                min: Duration::from_millis(if on[1] { 200 } else { 1_000 }),
                granularity: Duration::from_millis(if on[2] { 10 } else { 0 }),
                ..RtoConfig::default()
            },
            timestamps: on[3],
            receiver_clock: (on[2] ^ on[5]).then(|| ReceiverClock {
                granularity: Duration::from_millis(1),
                ..ReceiverClock::default()
            }),
            credit,
            pacing: if on[4] { Pacing::On } else { Pacing::Off },
            ecn: on[5],
            ecn_feedback: EcnFeedback::ALL
                [2 * usize::from(on[1] ^ on[6]) + usize::from(on[0] ^ on[7])],
            ect: if on[3] ^ on[6] { Ecn::Ect1 } else { Ecn::Ect0 },
            careful: on[2] ^ on[4],
            reduce_each_timeout: on[1] ^ on[5],
            ns2_habits: on[2] ^ on[5],
            impatient: on[6],
            last_ack_grows: on[2] ^ on[6],
            handshake_rtt: None,
            idle_restart: on[7],
            idle_timeout: on[3] ^ on[7],
            cwnd_validation: on[1] ^ on[7],
            eln: on[0] ^ on[3],
            fair_share: false,
            modifiers: Modifiers {
                slow_start: SLOW_STARTS[(initial % 4) as usize],
                beta_ecn: Ratio::new(if on[7] { 4 } else { 0 }, 5),
            },
        },
    )
}

fn trial() -> impl Strategy<Value = Trial> {
    let chunk = (prop_oneof![Just(0), 0_u64..5_000], 1..80 * PAYLOAD)
        .prop_map(|(pause, bytes)| (Duration::from_millis(pause), bytes));
    let chunks = prop::collection::vec(chunk, 1..5);
    (config(), 0..100_usize, channel(), chunks, any::<u64>()).prop_map(
        |(config, controller, channel, chunks, seed)| Trial {
            config,
            controller,
            channel,
            chunks,
            seed,
        },
    )
}

/// A path that marks many segments, up to each one, for senders with the habits of ns-2.
fn marking_trial() -> impl Strategy<Value = Trial> {
    let recovery = prop::sample::select(vec![
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack1996,
    ]);
    (trial(), recovery, 200_u64..=1_000).prop_map(|(trial, recovery, mark)| {
        let ecn_feedback = EcnFeedback::default();
        let habits = Config { recovery, ecn: true, ns2_habits: true, ..trial.config };
        Trial {
            config: Config { ecn_feedback, ..habits },
            channel: Channel { mark, ..trial.channel },
            ..trial
        }
    })
}

fn delivers_every_byte_once(trial: &Trial) -> Result<(), TestCaseError> {
    let run = Run::new(trial).finish();
    let (sender, counts) = (&run.sender, run.receiver.counts());
    prop_assert!(sender.is_done());
    prop_assert_eq!(sender.in_flight(), 0);
    prop_assert_eq!(sender.deadline(), Instant::FAR_FUTURE);
    prop_assert_eq!(counts.delivered_bytes, run.supplied.get());
    prop_assert_eq!(counts.delivered, sender.snd_max());
    if trial.config.recovery != Recovery::Linux {
        prop_assert_eq!(counts.delivered, sender.delivered());
    }
    prop_assert_eq!(&run.arrived, &run.payloads);
    let Channel { lose_data, lose_ack, double, jitter, .. } = trial.channel;
    let undisturbed = lose_data + lose_ack + double == 0 && jitter.is_zero();
    // A delayed ACK may outlast the timer.
    if undisturbed && sender.counts().timeouts == 0 {
        prop_assert_eq!(sender.counts().retransmitted, 0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_byte_is_delivered_once_whatever_the_channel_does(trial in trial()) {
        delivers_every_byte_once(&trial)?;
    }

    /// A mark at a window of one segment closes it, and the timer opens it again.
    #[test]
    fn no_mark_stops_a_sender_with_the_habits_of_ns_2_for_ever(trial in marking_trial()) {
        delivers_every_byte_once(&trial)?;
    }
}
