//! The kernel's ACKs, and the segments that its sender sent upon them: ours sends the same.
//!
//! `reference/acks` has captures of connections of Linux 6.1, cut after some seconds. The paths let packets
//! overtake each other, so that the disorder state, RACK's window, undo and the estimates have work.

use std::fs;
use std::num::NonZeroU16;
use std::path::Path;

use westwood_cc::controller::Setup;
use westwood_cc::{Duration, Instant};
use westwood_fidelity::linux;
use westwood_sim::{TcpSpec, Traffic};
use westwood_tcp::{AckOptions, AckSegment, Sender, SeqRange};

/// The payload of a segment, in bytes, and the unit of the window in a header.
const SEGMENT: u64 = 1_448;
const WINDOW_UNIT: u64 = 2_048;

const fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// An ACK of the capture, and what was sent behind it and before the next one.
struct Line {
    at: Instant,
    ack: AckSegment,
    sent: String,
}

struct Capture {
    module: String,
    handshake: Duration,
    /// When the first segments left, and which.
    first: (Instant, String),
    lines: Vec<Line>,
}

impl Capture {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines();
        let module = lines.next()?.split(' ').nth(1)?.to_owned();
        let words: Vec<&str> = lines.next()?.split(' ').collect();
        let handshake = (words.get(2)?.parse::<f64>().ok()? * 1e3).round();
        let start = words.get(6)?.parse().ok()?;
        let sent = lines.next()?.strip_prefix("start > ")?.to_owned();
        let lines = lines.map(|line| Self::line(line, start)).collect::<Option<_>>()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
        let handshake = us(handshake as u64);
        Some(Self { module, handshake, first: (Instant::ZERO + us(start), sent), lines })
    }

    /// `us ack echo_ms window [start-end ...] > segments`; the echo counts from the first segment's tick.
    fn line(line: &str, start: u64) -> Option<Line> {
        let (ack, sent) = line.split_once(" > ").unwrap_or((line, ""));
        let mut words = ack.split(' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (at, ack, echo, window) = (number()?, number()?, number()?, number()?);
        let ranges: Vec<SeqRange> = words
            .map(|word| {
                let (start, end) = word.split_once('-')?;
                Some(SeqRange { start: start.parse().ok()?, end: end.parse().ok()? })
            })
            .collect::<Option<_>>()?;
        let mut options = AckOptions::NONE;
        for (place, &range) in ranges.iter().enumerate() {
            let within = |other: &SeqRange| other.start <= range.start && range.end <= other.end;
            if place == 0 && (range.end <= ack || ranges[1..].iter().any(within)) {
                options.push_duplicate(range);
            } else {
                options.push_block(range);
            }
        }
        options.set_window(window * WINDOW_UNIT / SEGMENT, &mut AckOptions::default());
        options.set_header_window(u16::try_from(window).ok().and_then(NonZeroU16::new));
        let echo = Instant::ZERO + us((start / 1_000 + echo) * 1_000);
        let at = Instant::ZERO + us(at);
        let ack = AckSegment { ack, options, echo: Some(echo.min(at)), ece: false, eln: false };
        Some(Line { at, ack, sent: sent.to_owned() })
    }
}

/// The kernel's sender with this module.
fn tcp(module: &str) -> TcpSpec {
    let cases = linux::cases().expect("readable tables");
    let on_path = |case: &&westwood_fidelity::Case| {
        case.who == module && case.params.starts_with("rate=") && !case.params.contains("back")
    };
    let case = cases.iter().find(on_path).expect("a case of this module");
    let network = (case.network)(1);
    match &network.flows[0].traffic {
        Traffic::Tcp(tcp, ..) => TcpSpec { config: tcp.config, controller: tcp.controller },
        other => panic!("{other:?}"),
    }
}

/// How many segments both sent, in the kernel's order, and by how many of them one was ahead of the other
/// when an ACK came at most; or the first that differs.
fn replay(capture: &Capture) -> Result<(usize, usize), String> {
    let TcpSpec { controller, mut config } = tcp(&capture.module);
    config.handshake_rtt = Some(capture.handshake);
    let setup = Setup {
        smss: config.sizes.payload,
        initial_window: config.initial_window,
        seed: 1,
        handshake_rtt: config.handshake_rtt,
        paced: false,
    };
    let mut sender = Sender::new(&config, controller.build(&setup));
    sender.supply_forever();
    let (mut ours, mut theirs, mut ahead, mut checked) = (Vec::new(), Vec::new(), 0, 0);
    let send = |sender: &mut Sender, now: Instant, ours: &mut Vec<u64>| {
        while let Some(burst) = sender.transmit(now) {
            ours.extend(burst.segments().map(|segment| segment.seq));
        }
    };
    send(&mut sender, capture.first.0, &mut ours);
    expand(&capture.first.1, &mut theirs);
    for line in &capture.lines {
        while sender.deadline() <= line.at {
            let due = sender.deadline();
            sender.on_timer(due);
            send(&mut sender, due, &mut ours);
            if sender.deadline() == due {
                break;
            }
        }
        while let (Some(our), Some(their)) = (ours.get(checked), theirs.get(checked)) {
            if our != their {
                return Err(format!("segment {checked} by {:?}: {our} for {their}", line.at));
            }
            checked += 1;
        }
        ahead = ahead.max(ours.len().abs_diff(theirs.len()));
        sender.on_ack(line.at, &line.ack);
        send(&mut sender, line.at, &mut ours);
        expand(&line.sent, &mut theirs);
    }
    Ok((checked, ahead))
}

/// Adds segments: `+n` are n new ones, numbers others.
fn expand(words: &str, to: &mut Vec<u64>) {
    for word in words.split_whitespace() {
        match word.strip_prefix('+').and_then(|n| n.parse().ok()) {
            Some(n) => {
                let next = to.iter().max().map_or(0, |last| last + 1);
                to.extend((next..).take(n));
            }
            None => to.extend(word.parse::<u64>()),
        }
    }
}

#[test]
fn given_the_kernels_acks_the_sender_sends_the_kernels_segments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference/acks");
    for module in ["bic", "cubic", "htcp", "vegas", "westwood"] {
        let capture = Capture::read(&folder.join(format!("{module}.txt"))).expect("readable");
        assert_eq!(capture.module, module);
        assert!(capture.lines.len() > 2_000, "{module}");
        let (segments, ahead) = replay(&capture).expect(module);
        assert!(segments > 3_000, "{module}: {segments}");
        // A burst takes the kernel some microseconds, in which another ACK may come.
        assert!(ahead < 8, "{module}: {ahead}");
    }
}
