//! The arguments of each verb by name. A verb is given those that it names, in its order.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use westwood_cc::controller::{Ack, Cause, Grant, LostSegment, Phase, Setup};
use westwood_cc::{Duration, Instant, Window};

use crate::units::{count, seconds, segments, time};

/// An argument's value.
pub(super) enum ArgumentValue {
    Float(f64),
    Seed(u64),
    Switch(bool),
    Word(&'static str),
    Absent,
}

impl ArgumentValue {
    pub(super) fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match *self {
            Self::Float(value) => PyFloat::new(py, value).into_any(),
            Self::Seed(value) => PyInt::new(py, value).into_any(),
            Self::Switch(value) => PyBool::new(py, value).to_owned().into_any(),
            Self::Word(word) => PyString::intern(py, word).into_any(),
            Self::Absent => py.None().into_bound(py),
        }
    }
}

/// How an event tells the value of an argument.
pub(super) type Tell<E> = fn(&E) -> ArgumentValue;

/// A named argument.
pub(super) type Named<E> = (&'static str, Tell<E>);

/// An event of a connection, which one verb answers.
pub(super) trait VerbEvent: Sized + 'static {
    /// The verb.
    const VERB: &'static str;
    /// Its arguments.
    const ARGUMENTS: &'static [Named<Self>];
}

/// A connection begins.
pub(super) type Start = Setup;

/// The window may grow.
pub(super) struct GrowthAsked(pub(super) Window, pub(super) Grant);

/// Congestion has been met: a loss, a timeout or a mark.
pub(super) struct CongestionMet(pub(super) Window, pub(super) Cause, pub(super) Instant);

/// A recovery ends.
pub(super) struct RecoveryEnded(pub(super) Window, pub(super) Instant);

/// A reduction was spurious: the window, and the one before the reduction.
pub(super) struct ReductionUndone(pub(super) Window, pub(super) Window, pub(super) Instant);

/// Sending begins again after idle time.
pub(super) struct SendingRestarted(pub(super) Window, pub(super) Duration, pub(super) Instant);

/// The transport asks for the pacing rate.
pub(super) struct PacingAsked;

/// A probe asks for the bandwidth estimate.
pub(super) struct EstimateAsked;

use ArgumentValue::{Absent, Float, Seed, Switch, Word};

impl VerbEvent for Start {
    const VERB: &'static str = "start";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("smss", |setup| Float(count(setup.smss.get()))),
        ("initial_window", |setup| Float(segments(setup.initial_window))),
        ("seed", |setup| Seed(setup.seed)),
    ];
}

impl VerbEvent for Ack {
    const VERB: &'static str = "measure";
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
    ];
}

impl VerbEvent for LostSegment {
    const VERB: &'static str = "lost";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("now", |lost| Float(time(lost.now))),
        ("seq", |lost| Float(count(lost.seq))),
        ("in_flight", |lost| Float(count(lost.in_flight))),
        ("lost_since", |lost| Float(count(lost.lost_since))),
        ("app_limited", |lost| Switch(lost.app_limited)),
    ];
}

impl VerbEvent for GrowthAsked {
    const VERB: &'static str = "grow";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, _)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, _)| Float(segments(w.ssthresh))),
        ("credit", |Self(_, grant)| Float(segments(grant.credit))),
        ("now", |Self(_, grant)| Float(time(grant.now))),
        ("in_flight", |Self(_, grant)| Float(count(grant.in_flight))),
        ("newly_lost", |Self(_, grant)| Float(count(grant.newly_lost))),
        ("cwnd_limited", |Self(_, grant)| Switch(grant.cwnd_limited)),
        ("phase", |Self(_, grant)| {
            Word(match grant.phase {
                Phase::Open => "open",
                Phase::Recovery => "recovery",
                Phase::Loss => "loss",
            })
        }),
    ];
}

impl VerbEvent for CongestionMet {
    const VERB: &'static str = "reduce";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("cause", |Self(_, cause, _)| {
            Word(match cause {
                Cause::FastRetransmit => "loss",
                Cause::Timeout => "timeout",
                Cause::Ecn => "mark",
            })
        }),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for RecoveryEnded {
    const VERB: &'static str = "recovered";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, _)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, _)| Float(segments(w.ssthresh))),
        ("now", |Self(_, now)| Float(time(*now))),
    ];
}

impl VerbEvent for ReductionUndone {
    const VERB: &'static str = "undone";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("cwnd_before", |Self(_, before, _)| Float(segments(before.cwnd))),
        ("ssthresh_before", |Self(_, before, _)| Float(segments(before.ssthresh))),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for SendingRestarted {
    const VERB: &'static str = "restarted";
    const ARGUMENTS: &'static [Named<Self>] = &[
        ("cwnd", |Self(w, ..)| Float(segments(w.cwnd))),
        ("ssthresh", |Self(w, ..)| Float(segments(w.ssthresh))),
        ("idle", |Self(_, idle, _)| Float(seconds(*idle))),
        ("now", |Self(.., now)| Float(time(*now))),
    ];
}

impl VerbEvent for PacingAsked {
    const VERB: &'static str = "pacing_rate";
    const ARGUMENTS: &'static [Named<Self>] = &[];
}

impl VerbEvent for EstimateAsked {
    const VERB: &'static str = "bwe";
    const ARGUMENTS: &'static [Named<Self>] = &[];
}
