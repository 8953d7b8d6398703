//! The events of a connection that a controller's verbs answer, and the arguments of each by name. A verb is
//! given those that it names.

use westwood_cc::controller::{Ack, Cause, Grant, LostSegment, Phase, Setup};
use westwood_cc::{Duration, Instant, Window};

use crate::units::{count, relative_seconds, seconds, segments, time};

/// A controller's verbs by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerbName {
    /// A connection begins.
    Start,
    /// An ACK has come.
    Measure,
    /// A segment is judged lost.
    Lost,
    /// The window may grow.
    Grow,
    /// Congestion has been met.
    Reduce,
    /// A recovery ends.
    Recovered,
    /// A reduction was spurious.
    Undone,
    /// Sending begins again after idle time.
    Restarted,
    /// The transport asks for the pacing rate.
    PacingRate,
    /// A probe asks for the bandwidth estimate.
    Bwe,
}

impl VerbName {
    /// All verbs, in the order of a connection's life.
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::Measure,
        Self::Lost,
        Self::Grow,
        Self::Reduce,
        Self::Recovered,
        Self::Undone,
        Self::Restarted,
        Self::PacingRate,
        Self::Bwe,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Measure => "measure",
            Self::Lost => "lost",
            Self::Grow => "grow",
            Self::Reduce => "reduce",
            Self::Recovered => "recovered",
            Self::Undone => "undone",
            Self::Restarted => "restarted",
            Self::PacingRate => "pacing_rate",
            Self::Bwe => "bwe",
        }
    }
}

/// An argument's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A quantity in segments, seconds or segments a second, or a count.
    Float(f64),
    /// A seed.
    Seed(u64),
    /// Yes or no.
    Switch(bool),
    /// One of these words, by its place.
    Word(&'static [&'static str], usize),
    /// Nothing this time.
    Absent,
}

impl ArgumentValue {
    /// The value as a number: a switch is 1 or 0, a word its place, a seed the nearest float, and what is
    /// absent is no number.
    pub fn number(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Seed(seed) => count(seed),
            Self::Switch(on) => f64::from(u8::from(on)),
            Self::Word(_, place) => count(place as u64),
            Self::Absent => f64::NAN,
        }
    }
}

/// How an event tells the value of an argument.
pub type ArgumentReader<E> = fn(&E) -> ArgumentValue;

/// A named argument.
pub type Named<E> = (&'static str, ArgumentReader<E>);

/// The kind of a verb's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbAnswer {
    /// It answers nothing.
    Nothing,
    /// A window in segments, or cwnd and ssthresh.
    Windows,
    /// A rate in segments a second.
    Rate,
}

/// An event of a connection, which one verb answers.
pub trait VerbEvent: Sized + 'static {
    /// The verb.
    const VERB: VerbName;
    /// Its arguments.
    const ARGUMENTS: &'static [Named<Self>];
    /// The words that an argument of it may be.
    const WORDS: &'static [&'static str];
    /// Its answer.
    const ANSWER: VerbAnswer;
}

/// A connection begins.
pub type Start = Setup;

/// The window may grow.
pub struct GrowthRequested(pub Window, pub Grant);

/// Congestion has been met: a loss, a timeout or a mark.
pub struct CongestionDetected(pub Window, pub Cause, pub Instant);

/// A recovery ends.
pub struct RecoveryEnded(pub Window, pub Instant);

/// A reduction was spurious: the window, and the one before the reduction.
pub struct ReductionUndone(pub Window, pub Window, pub Instant);

/// Sending begins again after idle time.
pub struct SendingRestarted(pub Window, pub Duration, pub Instant);

/// The transport asks for the pacing rate.
pub struct PacingRequested;

/// A probe asks for the bandwidth estimate.
pub struct EstimateRequested;

use ArgumentValue::{Absent, Float, Seed, Switch, Word};

impl VerbEvent for Start {
    const VERB: VerbName = VerbName::Start;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Nothing;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("smss", |setup| Float(count(setup.smss.get()))),
        ("initial_window", |setup| Float(segments(setup.initial_window))),
        ("seed", |setup| Seed(setup.seed)),
    ];
}

impl VerbEvent for Ack {
    const VERB: VerbName = VerbName::Measure;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Nothing;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("now", |ack| Float(time(ack.now))),
        ("rtt", |ack| ack.rtt.map_or(Absent, |rtt| Float(seconds(rtt)))),
        ("srtt", |ack| Float(seconds(ack.srtt))),
        ("newly", |ack| Float(count(ack.newly))),
        ("in_flight", |ack| Float(count(ack.in_flight))),
        ("delivered", |ack| Float(count(ack.delivered))),
        ("delivered_ce", |ack| Float(count(ack.delivered_ce))),
        ("snd_una", |ack| Float(count(ack.snd_una))),
        ("snd_nxt", |ack| Float(count(ack.snd_nxt))),
        ("delivery_rate", |ack| {
            let sample = ack.sample.filter(|sample| !sample.interval.is_zero());
            sample.map_or(Absent, |s| Float(count(s.delivered) / seconds(s.interval)))
        }),
        ("app_limited", |ack| ack.sample.map_or(Absent, |s| Switch(s.app_limited))),
        ("one_way_delay", |ack| {
            ack.one_way_delay.map_or(Absent, |delay| Float(relative_seconds(delay)))
        }),
    ];
}

impl VerbEvent for LostSegment {
    const VERB: VerbName = VerbName::Lost;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Nothing;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("now", |lost| Float(time(lost.now))),
        ("seq", |lost| Float(count(lost.seq))),
        ("in_flight", |lost| Float(count(lost.in_flight))),
        ("lost_since", |lost| Float(count(lost.lost_since))),
        ("app_limited", |lost| Switch(lost.app_limited)),
    ];
}

impl VerbEvent for GrowthRequested {
    const VERB: VerbName = VerbName::Grow;
    const WORDS: &'static [&'static str] = &["open", "recovery", "loss"];
    const ANSWER: VerbAnswer = VerbAnswer::Windows;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, _)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, _)| Float(segments(w.ssthresh))),
        ("credit", |Self(_, grant)| Float(segments(grant.credit))),
        ("now", |Self(_, grant)| Float(time(grant.now))),
        ("in_flight", |Self(_, grant)| Float(count(grant.in_flight))),
        ("newly_lost", |Self(_, grant)| Float(count(grant.newly_lost))),
        ("cwnd_limited", |Self(_, grant)| Switch(grant.cwnd_limited)),
        ("phase", |Self(_, grant)| {
            let place = match grant.phase {
                Phase::Open => 0,
                Phase::Recovery => 1,
                Phase::Loss => 2,
            };
            Word(Self::WORDS, place)
        }),
    ];
}

impl VerbEvent for CongestionDetected {
    const VERB: VerbName = VerbName::Reduce;
    const WORDS: &'static [&'static str] = &["loss", "timeout", "mark"];
    const ANSWER: VerbAnswer = VerbAnswer::Windows;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("cause", |Self(_, cause, _)| {
            let place = match cause {
                Cause::FastRetransmit => 0,
                Cause::Timeout => 1,
                Cause::Ecn => 2,
            };
            Word(Self::WORDS, place)
        }),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for RecoveryEnded {
    const VERB: VerbName = VerbName::Recovered;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Windows;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, _)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, _)| Float(segments(w.ssthresh))),
        ("now", |Self(_, now)| Float(time(*now))),
    ];
}

impl VerbEvent for ReductionUndone {
    const VERB: VerbName = VerbName::Undone;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Windows;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("cwnd_before", |Self(_, before, _)| Float(segments(before.cwnd))),
        ("ssthresh_before", |Self(_, before, _)| Float(segments(before.ssthresh))),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for SendingRestarted {
    const VERB: VerbName = VerbName::Restarted;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Windows;
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("idle", |Self(_, idle, _)| Float(seconds(*idle))),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for PacingRequested {
    const VERB: VerbName = VerbName::PacingRate;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Rate;
    const ARGUMENTS: &'static [Named<Self>] = &[];
}

impl VerbEvent for EstimateRequested {
    const VERB: VerbName = VerbName::Bwe;
    const WORDS: &'static [&'static str] = &[];
    const ANSWER: VerbAnswer = VerbAnswer::Rate;
    const ARGUMENTS: &'static [Named<Self>] = &[];
}
