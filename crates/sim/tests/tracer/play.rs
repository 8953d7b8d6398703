//! Plays a run and writes down what happens.

use std::collections::VecDeque;
use std::fmt::Write as _;

use westwood_cc::controller::Setup;
use westwood_cc::{Bytes, Ecn, Instant, Window};
use westwood_net::{Link, Offer, Packet, Step};
use westwood_sim::{Notes, Point, Record, Workload};
use westwood_tcp::{AckSegment, DataSegment, Note, Receiver, Recovery, Sender, Signal};

use super::run::Run;
use super::sheet::{Row, Sheet, Stand};

/// The packets on their way.
#[derive(Debug)]
enum Load {
    Data(DataSegment),
    /// An ACK, and the segment whose arrival made the receiver send it; none for its timer.
    Ack(AckSegment, Option<DataSegment>),
    /// A datagram of somebody else.
    Crossing,
}

#[derive(Debug)]
struct Parcel {
    size: Bytes,
    load: Load,
}

impl Packet for Parcel {
    fn size(&self) -> Bytes {
        self.size
    }
    fn flow(&self) -> u32 {
        0
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn mark_ce(&mut self) {}
    fn set_ecn(&mut self, _: Ecn) {}
    fn pure_ack(&self) -> Option<westwood_net::PureAck> {
        None
    }
}

/// The application's next action.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Start,
    Pause,
    Resume,
}

/// The sources that are woken. In the order of the engine's ranks, which decides between equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    There,
    Back,
    Sender,
    Receiver,
    Application,
    Crossing,
}

struct Player<'a> {
    run: &'a Run,
    now: Instant,
    there: Link<Parcel>,
    back: Link<Parcel>,
    sender: Sender,
    receiver: Receiver,
    turns: VecDeque<(Instant, Turn)>,
    next_crossing: Instant,
    sheet: Sheet,
    /// The points that the engine's probe would record.
    records: Vec<Record>,
    recorded: Option<Window>,
    /// Linux's recovery holds the window.
    reducing: bool,
}

/// Plays a run: its events, and its windows as the engine's probes record them.
pub(crate) fn play(run: &Run) -> (Sheet, Vec<Record>) {
    let mut player = Player::new(run);
    let end = Instant::ZERO + run.until;
    loop {
        let (at, source) = player.next();
        if at > end {
            return (player.sheet, player.records);
        }
        player.now = at;
        player.wake(source);
    }
}

impl<'a> Player<'a> {
    fn new(run: &'a Run) -> Self {
        let network = run.network();
        let [there, back] = [0, 1].map(|i| {
            let link = &network.links[i];
            Link::new(&link.config, network.seed, &link.name).expect("a valid link")
        });
        let config = &run.config;
        let setup = Setup {
            smss: config.sizes.payload,
            initial_window: config.initial_window,
            seed: network.seed,
            handshake_rtt: config.handshake_rtt,
            paced: false,
        };
        let mut sender = Sender::new(config, run.choice().build(&setup));
        sender.watch();
        Self {
            run,
            now: Instant::ZERO,
            there,
            back,
            sender,
            receiver: Receiver::new(config),
            turns: turns(run),
            next_crossing: run.crossing.map_or(Instant::FAR_FUTURE, |_| Instant::ZERO),
            sheet: Sheet::default(),
            records: Vec::new(),
            recorded: None,
            reducing: false,
        }
    }

    fn next(&self) -> (Instant, Source) {
        let turn = self.turns.front().map_or(Instant::FAR_FUTURE, |(at, _)| *at);
        [
            (self.there.next_event(), Source::There),
            (self.back.next_event(), Source::Back),
            (self.sender.deadline(), Source::Sender),
            (self.receiver.deadline(), Source::Receiver),
            (turn, Source::Application),
            (self.next_crossing, Source::Crossing),
        ]
        .into_iter()
        .map(|(at, source)| (at.max(self.now), source))
        .min()
        .expect("six sources")
    }

    fn wake(&mut self, source: Source) {
        match source {
            Source::There => {
                let step = self.there.step(self.now);
                self.stepped(step);
            }
            Source::Back => {
                let step = self.back.step(self.now);
                self.stepped(step);
            }
            Source::Sender => self.on_timer(),
            Source::Receiver => {
                let ack = self.receiver.on_timer(self.now);
                self.answer(ack, None);
            }
            Source::Application => self.on_turn(),
            Source::Crossing => self.on_crossing(),
        }
    }

    // --- Links.

    fn stepped(&mut self, step: Step<Parcel>) {
        match step {
            Step::Delivered(Parcel { load: Load::Data(segment), .. }) => {
                let ack = self.receiver.on_data(self.now, &segment, false);
                self.answer(ack, Some(segment));
            }
            Step::Delivered(Parcel { load: Load::Ack(ack, by), .. }) => self.on_ack(&ack, by),
            Step::Lost(parcel, _) => self.lost(&parcel, "lost"),
            Step::Delivered(_) | Step::Nothing => {}
        }
    }

    fn lost(&mut self, parcel: &Parcel, how: &str) {
        let what = match &parcel.load {
            Load::Data(segment) => name(segment),
            Load::Ack(ack, _) => format!("ACK {}", ack.ack),
            Load::Crossing => "a crossing datagram".into(),
        };
        self.write(format!("{what} {how}"), None, String::new());
    }

    fn answer(&mut self, ack: Option<AckSegment>, by: Option<DataSegment>) {
        if let Some(ack) = ack {
            let size = self.run.config.sizes.ack;
            self.send_back(Parcel { size, load: Load::Ack(ack, by) });
        }
    }

    fn send_back(&mut self, parcel: Parcel) {
        if let Offer::Dropped(parcel, _) = self.back.offer(self.now, parcel) {
            self.lost(&parcel, "dropped");
        }
    }

    fn on_crossing(&mut self) {
        if let Some((size, gap)) = self.run.crossing {
            self.next_crossing = self.now + gap;
            self.send_back(Parcel { size, load: Load::Crossing });
        }
    }

    // --- The sender.

    fn on_ack(&mut self, ack: &AckSegment, by: Option<DataSegment>) {
        let before = self.sender.window();
        self.sender.on_ack(self.now, ack);
        self.after(acknowledgment(ack, by), before);
    }

    fn on_timer(&mut self) {
        let (before, timeouts) = (self.sender.window(), self.sender.counts().timeouts);
        self.sender.on_timer(self.now);
        let is_timeout = self.sender.counts().timeouts > timeouts;
        self.after(if is_timeout { "timeout" } else { "timer" }.into(), before);
    }

    fn on_turn(&mut self) {
        let Some((_, turn)) = self.turns.pop_front() else { return };
        let before = self.sender.window();
        match (turn, self.run.workload) {
            (Turn::Pause, _) => self.sender.hold(),
            (_, Workload::Transfer(bytes)) => self.sender.supply(bytes),
            _ => self.sender.supply_forever(),
        }
        let what = match turn {
            Turn::Start => "start",
            Turn::Pause => "pause",
            Turn::Resume => "resume",
        };
        self.after(what.into(), before);
    }

    /// Lets the sender send, and writes down what has become of it.
    fn after(&mut self, mut what: String, before: Window) {
        let (mut sent, mut dropped) = (Vec::new(), Vec::new());
        while let Some(burst) = self.sender.transmit(self.now) {
            for segment in burst.segments() {
                sent.push(segment);
                let size = segment.payload + self.run.config.sizes.header;
                let parcel = Parcel { size, load: Load::Data(segment) };
                if let Offer::Dropped(parcel, _) = self.there.offer(self.now, parcel) {
                    dropped.push(parcel);
                }
            }
        }
        if !sent.is_empty() {
            what.push_str(": sends ");
            what.push_str(&list(&sent));
        }
        let notes = self.sender.take_notes();
        let window = self.sender.window();
        let stand = Stand { window, flight: self.sender.in_flight(), bwe: self.sender.bwe() };
        self.record(&notes, stand);
        let why = self.why(&notes, before, window);
        self.write(what, Some(stand), why);
        for parcel in &dropped {
            self.lost(parcel, "dropped");
        }
    }

    /// As the engine's probe does: a window that has changed, or has a cause.
    fn record(&mut self, notes: &[Note], Stand { window, bwe, .. }: Stand) {
        if self.recorded == Some(window) && notes.is_empty() {
            return;
        }
        self.recorded = Some(window);
        let cause = Notes::of(notes);
        let Window { cwnd, ssthresh } = window;
        let what = Point::Window { flow: 0, cwnd, ssthresh, bwe, cause };
        self.records.push(Record { at: self.now, what });
    }

    /// The cause that the sender notes, else what kind of change it was.
    fn why(&mut self, notes: &[Note], before: Window, after: Window) -> String {
        for note in notes {
            self.reducing = self.run.config.recovery == Recovery::Linux
                && matches!(note, Note::Reduced { signal, .. } if *signal != Signal::Timeout);
        }
        if !notes.is_empty() {
            return causes(notes);
        }
        let kind = if after.cwnd == before.cwnd {
            ""
        } else if self.reducing {
            "proportional rate reduction"
        } else if after.cwnd < before.cwnd {
            "no cause"
        } else if before.in_slow_start() {
            "slow start"
        } else {
            "avoidance"
        };
        kind.into()
    }

    fn write(&mut self, what: String, stand: Option<Stand>, why: String) {
        self.sheet.rows.push(Row { at: self.now, what, stand, why });
    }
}

/// When the application starts, pauses and resumes.
fn turns(run: &Run) -> VecDeque<(Instant, Turn)> {
    let mut turns = VecDeque::from([(Instant::ZERO, Turn::Start)]);
    if let Some((on, off)) = run.phases() {
        let mut at = Instant::ZERO;
        while at < Instant::ZERO + run.until {
            turns.push_back((at + on, Turn::Pause));
            at = at + on + off;
            turns.push_back((at, Turn::Resume));
        }
    }
    turns
}

fn causes(notes: &[Note]) -> String {
    notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Its number; a copy has a mark.
fn name(segment: &DataSegment) -> String {
    format!("{}{}", segment.seq, if segment.retransmission { "'" } else { "" })
}

/// Segments in the order of sending, neighbours together: `4'-5' 12-14`.
fn list(segments: &[DataSegment]) -> String {
    let next = |a: &DataSegment, b: &DataSegment| {
        a.seq + 1 == b.seq && a.retransmission == b.retransmission
    };
    let runs = segments.chunk_by(next).map(|run| match run {
        [first, .., last] => format!("{}-{}", name(first), name(last)),
        one => one.iter().map(name).collect(),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// `ACK 2 for 7, SACK 5-7 3`: acknowledged is what lies below 2; segment 7 made the receiver say so.
fn acknowledgment(ack: &AckSegment, by: Option<DataSegment>) -> String {
    let mut text = match by {
        Some(segment) => format!("ACK {} for {}", ack.ack, name(&segment)),
        None => format!("ACK {} by timer", ack.ack),
    };
    let range = |start: u64, end: u64| {
        if start + 1 == end { start.to_string() } else { format!("{start}-{}", end - 1) }
    };
    if let Some(r) = ack.options.duplicate() {
        let _ = write!(text, ", DSACK {}", range(r.start, r.end));
    }
    let blocks: Vec<String> = ack.options.blocks().map(|r| range(r.start, r.end)).collect();
    if !blocks.is_empty() {
        let _ = write!(text, ", SACK {}", blocks.join(" "));
    }
    text
}
