//! The cost of a sender and a receiver without an engine: a path of one rate and one delay, a queue
//! without end, and no losses, or that of every Nth segment.
//!
//! ```text
//! cargo run --release -p westwood-tcp --example ack_clock [CONTROLLER] [RECOVERY] [SEGMENTS] [N]
//! ```
//!
//! Every verb has a function of its own here, so that an instruction counter can tell them apart:
//!
//! ```text
//! CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release -p westwood-tcp --example ack_clock
//! valgrind --tool=callgrind target/release/examples/ack_clock westwood+ sack 200000
//! callgrind_annotate --inclusive=yes callgrind.out.* | head -60
//! ```

use std::collections::VecDeque;
use std::time::Instant as Clock;

use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Segments};
use westwood_tcp::{AckSegment, Burst, Config, DataSegment, Receiver, Recovery, Sender};

/// One way: 90 ms.
const DELAY: Duration = Duration::from_millis(90);
/// A full segment at 100 Mbit/s.
const GAP: Duration = Duration::from_micros(120);
/// A window that just fills the path, from which congestion avoidance goes on.
const WINDOW: u64 = 1_500;

/// Two hosts and what is on its way between them.
struct Path {
    sender: Sender,
    receiver: Receiver,
    data: VecDeque<(Instant, DataSegment)>,
    acks: VecDeque<(Instant, AckSegment)>,
    /// Every segment of this number is lost, and how many have left.
    lose: u64,
    sent: u64,
    /// When the last segment has left the bottleneck.
    busy_until: Instant,
    now: Instant,
}

impl Path {
    fn new(controller: Choice, recovery: Recovery, lose: u64) -> Self {
        let window = Segments::new(WINDOW);
        let config = Config {
            recovery,
            initial_window: window,
            initial_ssthresh: window,
            ..Config::default()
        };
        let setup = Setup {
            smss: Bytes::new(1500),
            initial_window: window,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        let mut sender = Sender::new(&config, controller.build(&setup));
        sender.supply_forever();
        Self {
            sender,
            receiver: Receiver::new(&config),
            data: VecDeque::new(),
            acks: VecDeque::new(),
            lose,
            sent: 0,
            busy_until: Instant::ZERO,
            now: Instant::ZERO,
        }
    }

    /// Runs until `segments` have arrived.
    #[inline(never)]
    fn run(&mut self, segments: u64) {
        self.send();
        while self.receiver.counts().arrived < segments {
            self.step();
        }
    }

    /// The next event: a segment arrives, an ACK does, or a timer fires.
    fn step(&mut self) {
        let data = self.data.front().map_or(Instant::FAR_FUTURE, |d| d.0);
        let acks = self.acks.front().map_or(Instant::FAR_FUTURE, |a| a.0);
        let timer = deadline(&self.sender).min(self.receiver.deadline());
        self.now = data.min(acks).min(timer);
        if data == self.now
            && let Some((now, segment)) = self.data.pop_front()
        {
            let ack = on_data(&mut self.receiver, now, &segment);
            self.acknowledge(ack);
        } else if acks == self.now
            && let Some((now, ack)) = self.acks.pop_front()
        {
            on_ack(&mut self.sender, now, &ack);
            self.send();
        } else {
            let ack = self.receiver.on_timer(self.now);
            self.acknowledge(ack);
            self.sender.on_timer(self.now);
            self.send();
        }
    }

    fn acknowledge(&mut self, ack: Option<AckSegment>) {
        self.acks.extend(ack.map(|ack| (self.now + DELAY, ack)));
    }

    fn send(&mut self) {
        while let Some(burst) = transmit(&mut self.sender, self.now) {
            for segment in burst.segments() {
                self.busy_until = self.busy_until.max(self.now) + GAP;
                self.sent += 1;
                if self.lose == 0 || !self.sent.is_multiple_of(self.lose) {
                    self.data.push_back((self.busy_until + DELAY, segment));
                }
            }
        }
    }
}

#[inline(never)]
fn on_data(receiver: &mut Receiver, now: Instant, segment: &DataSegment) -> Option<AckSegment> {
    receiver.on_data(now, segment, false)
}

#[inline(never)]
fn on_ack(sender: &mut Sender, now: Instant, ack: &AckSegment) {
    sender.on_ack(now, ack);
    sender.take_rtt_sample();
}

#[inline(never)]
fn transmit(sender: &mut Sender, now: Instant) -> Option<Burst> {
    sender.transmit(now)
}

#[inline(never)]
fn deadline(sender: &Sender) -> Instant {
    sender.deadline()
}

#[expect(clippy::disallowed_methods, reason = "the speed of the sender is what is measured")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let controller = arguments.next().unwrap_or_else(|| "westwood+".into());
    let recovery = arguments.next().unwrap_or_else(|| "sack".into());
    let segments = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let lose = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let choice = Choice::named(&controller);
    let recovery = Recovery::ALL.into_iter().find(|r| r.name() == recovery);
    let (Some(choice), Some(recovery)) = (choice, recovery) else {
        eprintln!("error: a controller and a recovery of the catalog, see `westwood list`");
        std::process::exit(2);
    };
    let mut path = Path::new(choice, recovery, lose);
    let begin = Clock::now();
    path.run(segments);
    let took = begin.elapsed();
    println!(
        "{controller}: {segments} segments, {} ns each",
        took.as_nanos() / u128::from(segments)
    );
    println!("cwnd {}, rto {}", path.sender.window().cwnd, path.sender.rto());
}
