//! The C of the programs, compiled for the host, beside `westwood-cc` over random calls: every
//! answer is the same to the bit.

mod common;

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::Words;
use westwood_cc::params::{ParamKind, Value};
use westwood_kernel::controller::CONTROLLERS;
use westwood_kernel::parameters::words;
use westwood_kernel::{CallKind, Event, KernelController, KernelWindow, Replay};
use westwood_scenario::spec::ControllerSpec;

/// Calls for each set of parameters.
const CALLS: usize = 40_000;
/// Sets of parameters for each controller, beside its own.
const SETS: u64 = 24;

/// `TCP_CA_CWR`, `TCP_CA_Recovery`, `TCP_CA_Loss`.
const CAUSES: [u32; 3] = [2, 3, 4];

fn compiled(controller: &KernelController) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(controller.name);
    let status = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-DWESTWOOD_HOST", "-x", "c"])
        .arg(source.join(format!("{}.bpf.c", controller.name)))
        .arg("-o")
        .arg(&program)
        .status()
        .expect("a C compiler, which Rust's linker comes with");
    assert!(status.success());
    program
}

/// The controller with random values for all of its parameters.
fn random_spec(name: &str, random: &mut Words) -> ControllerSpec {
    let mut spec = ControllerSpec::parse(name).unwrap();
    for param in spec.choice.list() {
        let value = match (param.kind, param.bounds) {
            (ParamKind::Flag, _) => Value::Flag(random.once_in(2)),
            (ParamKind::Choice(words), _) => {
                Value::Choice(words[usize::try_from(random.below(words.len() as u64)).unwrap()])
            }
            (ParamKind::Duration, Some((Value::Duration(low), Value::Duration(high)))) => {
                let ns = low.as_nanos() + random.any(40) % (high - low).as_nanos();
                Value::Duration(westwood_cc::Duration::from_nanos(ns))
            }
            (ParamKind::Count, Some((Value::Count(low), Value::Count(high)))) => {
                Value::Count(low + random.any(21) % (high - low))
            }
            (ParamKind::Ratio, _) => {
                let den = 1 + random.small(1_000);
                Value::Ratio(westwood_cc::Ratio::new(1 + random.small(den), den))
            }
            (ParamKind::Segments, _) => {
                Value::Segments(westwood_cc::Segments::new(1 + random.any(24)))
            }
            // Mostly none, so that the estimate is used.
            (ParamKind::Rate, _) => {
                let raw = if random.once_in(4) { random.any(44) } else { 0 };
                Value::Rate(westwood_cc::Rate::from_raw(raw))
            }
            other => panic!("a parameter of a new kind: {other:?}"),
        };
        spec.choice.set(param.name, value).unwrap();
    }
    spec
}

/// A connection as a kernel might drive it, and with windows up to 2^24 segments.
struct Driver {
    random: Words,
    now_us: u64,
    window: KernelWindow,
    prior: KernelWindow,
    smss: u32,
    rtt_us: u32,
    /// The largest gap between calls, in bits of a µs.
    pace: u64,
    snd_una: u32,
    snd_nxt: u32,
    reduced: bool,
}

impl Driver {
    fn new(seed: u64) -> Self {
        let mut random = Words(seed);
        let window = KernelWindow { cwnd: 10, cwnd_cnt: 0, ssthresh: 0x7fff_ffff };
        Self {
            now_us: random.any(44),
            window,
            prior: window,
            smss: 1 + random.any32(16),
            rtt_us: 1 + random.any32(24),
            pace: 4 + random.below(20),
            snd_una: random.any32(32),
            snd_nxt: 0,
            reduced: false,
            random,
        }
    }

    fn event(&self, kind: CallKind, input: [u32; 8]) -> Event {
        Event {
            now_us: self.now_us,
            bwe: 0,
            id: 0,
            sequence: 0,
            kind,
            before: self.window,
            after: self.window,
            min_rtt_us: 0,
            input,
        }
    }

    fn init(&mut self) -> Event {
        self.snd_nxt = self.snd_una;
        self.event(CallKind::Init, [self.smss, 0, 0, 0, 0, 0, 0, 0])
    }

    fn measure(&mut self) -> Event {
        let newly = if self.random.once_in(3) { 0 } else { self.random.any32(6) };
        let rtt = if self.random.once_in(4) {
            0
        } else {
            self.rtt_us / 2 + self.random.small(self.rtt_us)
        };
        if self.random.once_in(2_000) {
            self.smss = 1 + self.random.any32(16);
        }
        self.snd_una = self.snd_una.wrapping_add(newly.wrapping_mul(self.smss));
        let flight = self.random.any32(26);
        self.snd_nxt = self.snd_una.wrapping_add(flight);
        let srtt = if self.random.once_in(8) { 0 } else { self.rtt_us };
        self.event(
            CallKind::Measure,
            [newly, rtt, srtt, self.smss, self.snd_una, self.snd_nxt, 0, 0],
        )
    }

    fn grow(&mut self) -> Event {
        let clamp = if self.random.once_in(50) { 1 + self.random.any32(20) } else { u32::MAX };
        let acked = 1 + self.random.any32(5);
        self.event(CallKind::Grow, [acked, clamp, 0, 0, 0, 0, 0, 0])
    }

    /// The stack's own writes: recovery, a timeout, an idle restart, other controllers.
    fn interfere(&mut self) {
        self.window.cwnd = 1 + self.random.any32(24);
        self.window.cwnd_cnt = self.random.any32(32);
        if self.random.once_in(4) {
            self.window.ssthresh = 2 + self.random.any32(31);
        }
    }

    /// The next call, in the order that the kernel keeps: a question is followed by its cause.
    fn next(&mut self, last: Option<CallKind>) -> Event {
        if self.random.once_in(500) {
            self.now_us += self.random.any(36);
        }
        self.now_us += self.random.any(self.pace);
        if last == Some(CallKind::Ssthresh) {
            let cause = CAUSES[usize::try_from(self.random.below(3)).unwrap()];
            if cause == 4 {
                self.window.cwnd = 1;
                self.window.cwnd_cnt = 0;
            }
            return self.event(CallKind::State, [cause, 0, 0, 0, 0, 0, 0, 0]);
        }
        match self.random.below(100) {
            0 if self.reduced => self.event(CallKind::Undo, [self.prior.cwnd, 0, 0, 0, 0, 0, 0, 0]),
            1 => {
                self.interfere();
                self.measure()
            }
            2 | 3 => {
                self.prior = self.window;
                self.reduced = true;
                self.event(CallKind::Ssthresh, [0; 8])
            }
            4 => {
                let state = self.random.small(2);
                self.event(CallKind::State, [state, 0, 0, 0, 0, 0, 0, 0])
            }
            5 => self.event(CallKind::Complete, [0; 8]),
            6..50 => self.grow(),
            _ => self.measure(),
        }
    }
}

/// Calls with the answers of `westwood-cc`.
fn expected(spec: &ControllerSpec, seed: u64) -> Vec<Event> {
    let mut driver = Driver::new(seed);
    let mut events = vec![driver.init()];
    let mut replay = Replay::new(&spec.choice, &events[0]);
    for _ in 1..CALLS {
        let mut event = driver.next(events.last().map(|e| e.kind));
        let answer = replay.step(&event);
        event.after = answer.window;
        event.bwe = answer.bwe;
        driver.window = answer.window;
        events.push(event);
    }
    events
}

/// The same calls with the answers of the C program.
fn answered(program: &Path, spec: &ControllerSpec, events: &[Event]) -> Vec<Event> {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input: Vec<u8> = words(spec).iter().flat_map(|word| word.to_ne_bytes()).collect();
    input.extend(events.iter().flat_map(|event| {
        let asked = Event { after: KernelWindow::default(), bwe: 0, ..*event };
        asked.to_bytes()
    }));
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    writer.join().unwrap().unwrap();
    assert!(child.wait().unwrap().success());
    let (events, rest) = output.as_chunks::<{ Event::SIZE }>();
    assert!(rest.is_empty());
    events.iter().map(|bytes| Event::from_bytes(bytes).unwrap()).collect()
}

fn describe(spec: &ControllerSpec, events: &[Event], at: usize) -> String {
    let mut text = format!("{spec}, call {at}:\n");
    for event in &events[at.saturating_sub(3)..=at] {
        writeln!(text, "  {event:?}").unwrap();
    }
    text
}

fn agree(program: &Path, spec: &ControllerSpec, seed: u64) {
    let expected = expected(spec, seed);
    let answered = answered(program, spec, &expected);
    assert_eq!(expected.len(), answered.len());
    for (at, (ours, theirs)) in expected.iter().zip(&answered).enumerate() {
        assert_eq!(
            (ours.after, ours.bwe),
            (theirs.after, theirs.bwe),
            "{}",
            describe(spec, &expected, at)
        );
    }
}

fn over_random_parameters(name: &str) {
    let controller = KernelController::named(name).unwrap();
    let program = compiled(&controller);
    let mut random = Words(7);
    agree(&program, &ControllerSpec::parse(controller.simulated).unwrap(), 1);
    for seed in 0..SETS {
        agree(&program, &random_spec(controller.simulated, &mut random), 100 + seed);
    }
}

#[test]
fn westwood_in_c_is_westwood_of_the_simulator() {
    over_random_parameters("westwood_2002");
}

#[test]
fn westwood_plus_in_c_is_that_of_the_simulator() {
    over_random_parameters("westwood_plus");
}

#[test]
fn probing_in_c_is_that_of_the_simulator() {
    over_random_parameters("westwood_probe");
}

#[test]
fn log_westwood_in_c_is_that_of_the_simulator() {
    over_random_parameters("log_westwood");
}

#[test]
fn the_streams_reach_every_kind_of_call_and_wide_windows() {
    let events = expected(&ControllerSpec::parse("log-westwood+").unwrap(), 1);
    let kinds = [
        CallKind::Measure,
        CallKind::Grow,
        CallKind::Ssthresh,
        CallKind::State,
        CallKind::Undo,
        CallKind::Complete,
    ];
    for kind in kinds {
        assert!(events.iter().filter(|e| e.kind == kind).count() > 100, "{kind:?}");
    }
    assert!(events.iter().any(|e| e.after.cwnd > 1 << 20));
    assert!(events.iter().any(|e| e.bwe > 0));
    assert_eq!(CONTROLLERS.len(), 4);
}
