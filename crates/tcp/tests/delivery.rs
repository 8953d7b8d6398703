//! Every byte arrives once, whatever a network does: every recovery over a channel that loses, delays,
//! reorders and duplicates.

use std::collections::BTreeMap;

use proptest::prelude::*;
use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Segments};
use westwood_tcp::{
    AckPolicy, AckSegment, BufferSizes, Buffers, Config, Credit, DataSegment, Pacing, ReadMode,
    Receiver, Recovery, RtoConfig, Sender,
};

/// The channel's treatment of a packet.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    twice: bool,
    /// Extra delay: later packets may overtake.
    extra: Duration,
}

#[derive(Clone, Debug)]
enum TestPacket {
    Data(DataSegment),
    Ack(AckSegment),
}

/// Both ends and the packets between them.
struct World {
    now: Instant,
    sender: Sender,
    receiver: Receiver,
    /// In order of arrival, and of sending among equals.
    wire: BTreeMap<(Instant, u64), TestPacket>,
    sent: u64,
    fates: Vec<Fate>,
}

const DELAY: Duration = Duration::from_millis(20);

/// The settings that vary besides the channel.
#[derive(Clone, Copy, Debug)]
struct Setting {
    pacing: Pacing,
    receive_window: u64,
    timestamps: bool,
    buffers: Buffers,
}

const PLAIN: Setting = Setting {
    pacing: Pacing::Off,
    receive_window: 1 << 20,
    timestamps: true,
    buffers: Buffers {
        send: None,
        receive: None,
        notsent_lowat: None,
        write_size: None,
        reading: ReadMode::AtOnce,
    },
};

fn config(recovery: Recovery, setting: Setting) -> Config {
    let base = Config {
        recovery,
        pacing: setting.pacing,
        receive_window: setting.receive_window,
        timestamps: setting.timestamps,
        buffers: setting.buffers,
        rto: RtoConfig {
            min: Duration::from_millis(200),
            max: Duration::from_secs(2),
            ..RtoConfig::default()
        },
        ..Config::default()
    };
    if recovery == Recovery::Linux {
        Config { acks: AckPolicy::LINUX, credit: Credit::PerSegment, ..base }
    } else {
        base
    }
}

impl World {
    fn new(recovery: Recovery, setting: Setting, segments: u64, fates: Vec<Fate>) -> Self {
        let config = config(recovery, setting);
        let setup = Setup {
            smss: Bytes::new(1500),
            initial_window: Segments::new(10),
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        let reno = Choice::named("reno").expect("in the catalog");
        let mut sender = Sender::new(&config, reno.build(&setup));
        sender.supply_segments(segments);
        Self {
            now: Instant::ZERO,
            sender,
            receiver: Receiver::new(&config),
            wire: BTreeMap::new(),
            sent: 0,
            fates,
        }
    }

    /// The list of fates repeats with a shift, so that no segment is lost for ever; after a while the
    /// channel is perfect.
    fn fate(&self) -> Option<Fate> {
        let cycle = self.fates.len() as u64;
        if self.sent > 20 * cycle {
            return None;
        }
        let i = (self.sent + self.sent / cycle * 7) % cycle;
        self.fates.get(usize::try_from(i).ok()?).copied()
    }

    fn carry(&mut self, packet: &TestPacket) {
        let fate = self.fate();
        let copies = fate.map_or(1, |f| u64::from(!f.lost) + u64::from(f.twice));
        let extra = fate.map_or(Duration::ZERO, |f| f.extra);
        self.sent += 1;
        for copy in 0..copies {
            let at = self.now + DELAY + extra + Duration::from_millis(copy);
            self.wire.insert((at, 2 * self.sent + copy), packet.clone());
        }
    }

    fn transmit(&mut self) {
        while let Some(burst) = self.sender.transmit(self.now) {
            for segment in burst.segments() {
                self.carry(&TestPacket::Data(segment));
            }
        }
        let outstanding = self.sender.snd_max() - self.sender.snd_una();
        // A copy of what is not lost counts twice in Linux (`R` without `L`).
        assert!(self.sender.in_flight() <= 2 * outstanding);
        assert!(self.sender.window().cwnd >= Segments::ONE);
    }

    /// Runs until all is acknowledged. False if that takes too long.
    fn run(&mut self) -> bool {
        for _ in 0..200_000 {
            self.transmit();
            if self.sender.is_done() {
                return true;
            }
            let arrival = self.wire.keys().next().map_or(Instant::FAR_FUTURE, |&(at, _)| at);
            let timer = self.sender.deadline().min(self.receiver.deadline());
            if arrival.min(timer) == Instant::FAR_FUTURE {
                return false;
            }
            self.now = self.now.max(arrival.min(timer));
            if timer < arrival {
                self.fire();
            } else if let Some((_, packet)) = self.wire.pop_first() {
                self.arrive(packet);
            }
        }
        false
    }

    fn fire(&mut self) {
        if self.sender.deadline() <= self.now {
            self.sender.on_timer(self.now);
        }
        if self.receiver.deadline() <= self.now
            && let Some(ack) = self.receiver.on_timer(self.now)
        {
            self.carry(&TestPacket::Ack(ack));
        }
    }

    fn arrive(&mut self, packet: TestPacket) {
        match packet {
            TestPacket::Data(segment) => {
                if let Some(ack) = self.receiver.on_data(self.now, &segment, false) {
                    self.carry(&TestPacket::Ack(ack));
                }
            }
            TestPacket::Ack(ack) => self.sender.on_ack(self.now, &ack),
        }
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    let extra = prop_oneof![
        6 => Just(0_u64),
        2 => 0..15_000_u64,
        1 => 0..600_000_u64,
    ];
    let (lost, twice) = (prop::bool::weighted(0.12), prop::bool::weighted(0.05));
    (lost, twice, extra).prop_map(|(lost, twice, extra)| Fate {
        lost,
        twice,
        extra: Duration::from_micros(extra),
    })
}

fn setting() -> impl Strategy<Value = Setting> {
    let pacing = prop_oneof![Just(Pacing::Off), Just(Pacing::On), Just(Pacing::Fq)];
    let receive_window = prop_oneof![2 => Just(1_u64 << 20), 1 => 1..20_u64];
    (pacing, receive_window, any::<bool>(), buffers()).prop_map(
        |(pacing, receive_window, timestamps, buffers)| Setting {
            pacing,
            receive_window,
            timestamps,
            buffers,
        },
    )
}

/// Mostly none; else some that limit, and an application that pauses.
fn buffers() -> impl Strategy<Value = Buffers> {
    let sizes = (1_u32..40_000, 1_u32..400_000)
        .prop_map(|(initial, more)| BufferSizes::of(1, initial, initial + more));
    let at = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
    let reading = prop_oneof![
        Just(ReadMode::AtOnce),
        (0_u64..2_000, 0_u64..5_000).prop_map(move |(from, length)| ReadMode::Paused {
            from: at(from),
            until: at(from + length)
        }),
    ];
    let small = (prop::option::of(sizes.clone()), prop::option::of(sizes), any::<bool>(), reading);
    let small = small.prop_map(|(send, receive, lowat, reading)| Buffers {
        send,
        receive,
        notsent_lowat: lowat.then_some(10_000),
        write_size: lowat.then_some(4_000),
        reading,
    });
    prop_oneof![Just(Buffers::default()), small]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn everything_arrives_once_whatever_the_channel_does(
        fates in prop::collection::vec(fate(), 5..120),
        segments in 1..400_u64,
        setting in setting(),
    ) {
        for recovery in Recovery::ALL {
            let mut world = World::new(recovery, setting, segments, fates.clone());
            prop_assert!(world.run(), "{} never finishes", recovery);
            let received = world.receiver.counts();
            prop_assert_eq!(received.delivered, segments, "{}", recovery);
            prop_assert_eq!(world.receiver.rcv_nxt(), segments, "{}", recovery);
            prop_assert_eq!(world.receiver.held(), 0, "{}", recovery);
            let counts = world.sender.counts();
            let others = counts.retransmitted + counts.window_probes;
            prop_assert_eq!(counts.sent, segments + others, "{}", recovery);
        }
    }

    #[test]
    fn a_perfect_channel_needs_no_copies(segments in 1..3_000_u64) {
        for recovery in Recovery::ALL {
            let clear = Fate { lost: false, twice: false, extra: Duration::ZERO };
            let mut world = World::new(recovery, PLAIN, segments, vec![clear]);
            prop_assert!(world.run(), "{} never finishes", recovery);
            prop_assert_eq!(world.sender.counts().retransmitted, 0, "{}", recovery);
            prop_assert_eq!(world.sender.in_flight(), 0, "{}", recovery);
        }
    }
}

/// The window closes with an ACK that comes before pacing allows the next segment, and the ACK that opens it
/// again is lost. Only a probe finds out.
#[test]
fn a_paced_sender_probes_a_window_whose_opening_was_lost() {
    let fate = |micros| Fate { lost: false, twice: false, extra: Duration::from_micros(micros) };
    let lost = Fate { lost: true, ..fate(0) };
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    let setting = Setting {
        pacing: Pacing::On,
        timestamps: false,
        buffers: Buffers {
            receive: Some(BufferSizes::of(1, 28_239, 28_240)),
            reading: ReadMode::Paused { from: at(1_075), until: at(2_060) },
            ..Buffers::default()
        },
        ..PLAIN
    };
    let fates = vec![
        fate(264_430),
        fate(0),
        fate(7_556),
        fate(0),
        fate(244_429),
        fate(11_209),
        Fate { twice: true, ..fate(0) },
        lost,
        fate(324_429),
        fate(0),
        fate(543_193),
        fate(0),
        lost,
        fate(10_257),
        fate(0),
        fate(0),
        fate(0),
    ];
    let mut world = World::new(Recovery::Sack, setting, 29, fates);
    assert!(world.run(), "the transfer ends");
}
