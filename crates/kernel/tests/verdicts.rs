//! The verdicts on recordings.

use westwood_kernel::event::{CallKind, Event, KernelWindow};
use westwood_kernel::recording::{Header, Reader, RecordingError};
use westwood_kernel::replay::Replay;
use westwood_kernel::{ReplayVerdict, Verifier};
use westwood_scenario::spec::ControllerSpec;

fn spec() -> ControllerSpec {
    ControllerSpec::parse("westwood+").unwrap()
}

fn event(sequence: u32, kind: CallKind, input: [u32; 8]) -> Event {
    let window = KernelWindow { cwnd: 10, cwnd_cnt: 0, ssthresh: 0x7fff_ffff };
    Event {
        now_us: 1_000 * u64::from(sequence),
        bwe: 0,
        id: 1,
        sequence,
        kind,
        before: window,
        after: window,
        min_rtt_us: 0,
        input,
    }
}

/// A connection of an ACK and a growth every ms, as a true kernel would record it.
fn recorded(calls: u32) -> Vec<Event> {
    let mut events = vec![event(0, CallKind::Init, [1_448, 0, 0, 0, 0, 0, 0, 0])];
    let mut replay = Replay::new(&spec().choice, &events[0]);
    for n in 1..calls {
        let una = 1_448 * n;
        let mut next = if n % 2 == 1 {
            event(n, CallKind::Measure, [1, 5_000, 5_000, 1_448, una, una + 14_480, 0, 0])
        } else {
            event(n, CallKind::Grow, [1, u32::MAX, 0, 0, 0, 0, 0, 0])
        };
        let answer = replay.step(&next);
        (next.after, next.bwe) = (answer.window, answer.bwe);
        events.push(next);
    }
    events
}

fn end(lost: u32) -> Event {
    event(0, CallKind::End, [lost, 0, 0, 0, 0, 0, 0, 0])
}

fn verdict(events: &[Event]) -> ReplayVerdict {
    let mut verifier = Verifier::new(spec().choice);
    for event in events {
        verifier.take(event);
    }
    verifier.verdict()
}

#[test]
fn a_true_recording_that_ends_is_equal() {
    let mut events = recorded(100);
    assert_eq!(verdict(&events), ReplayVerdict::Incomplete);
    events.push(end(0));
    assert_eq!(verdict(&events), ReplayVerdict::Equal);
}

#[test]
fn the_last_bit_of_a_window_or_an_estimate_makes_a_difference() {
    let mut events = recorded(100);
    events.push(end(0));
    let mut other = events.clone();
    other[50].after.cwnd_cnt ^= 1;
    assert_eq!(verdict(&other), ReplayVerdict::Different);
    let mut other = events.clone();
    other[61].bwe ^= 1;
    assert_eq!(verdict(&other), ReplayVerdict::Different);
    let mut other = events;
    other[51].after.ssthresh -= 1;
    assert_eq!(verdict(&other), ReplayVerdict::Different);
}

#[test]
fn a_missing_event_proves_nothing() {
    let mut events = recorded(100);
    events.push(end(0));
    events.remove(40);
    assert_eq!(verdict(&events), ReplayVerdict::Incomplete);
    let mut counted = recorded(100);
    counted.push(end(3));
    assert_eq!(verdict(&counted), ReplayVerdict::Incomplete);
}

#[test]
fn connections_that_had_begun_before_say_nothing() {
    let mut events = recorded(100);
    events.push(end(0));
    assert_eq!(verdict(&events[1..]), ReplayVerdict::Nothing);
}

fn file(events: &[Event]) -> Vec<u8> {
    let header = Header { spec: spec(), kernel: "6.18.0".to_owned() };
    let mut bytes = header.to_string().into_bytes();
    bytes.extend(events.iter().flat_map(Event::to_bytes));
    bytes
}

#[test]
fn a_file_gives_back_what_was_written_and_may_end_anywhere() {
    let events = recorded(20);
    let bytes = file(&events);
    for length in 0..bytes.len() {
        let Ok(mut reader) = Reader::new(&bytes[..length]) else { continue };
        let mut read = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            read.push(event);
        }
        assert_eq!(read, events[..read.len()]);
    }
    let reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.header().kernel, "6.18.0");
    assert_eq!(reader.header().spec, spec());
}

#[test]
fn what_is_no_recording_is_refused() {
    assert!(matches!(Reader::new(&b"#!/bin/sh\n"[..]), Err(RecordingError::NotARecording)));
    assert!(matches!(Reader::new(&[0xff; 9_000][..]), Err(RecordingError::NotARecording)));
    let wrong = b"westwood.recording/1\ncontroller nobody\nkernel 6\n\n";
    assert!(matches!(Reader::new(&wrong[..]), Err(RecordingError::Head(_))));
    let mut bytes = file(&recorded(2));
    let kind = bytes.len() - Event::SIZE + 24;
    bytes[kind] = 99;
    let mut reader = Reader::new(&bytes[..]).unwrap();
    reader.next_event().unwrap();
    assert!(matches!(reader.next_event(), Err(RecordingError::UnknownEvent(1))));
}
