//! Queues with a proportional integral controller: `pie(target=15ms)`, `fq_pie`, `dualpi2(step=1ms)`.

use westwood_cc::Duration;
use westwood_net::{DualPi2Config, FqPieConfig, PieConfig};

use super::parts::{at_least, differ, ecn, flow_queues, or_none, wait};
use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits::within;
use crate::spec::call::Call;
use crate::units::{duration_text, share, share_text};

/// A name, its default, and its meaning.
type Parameter = (&'static str, &'static str, &'static str);
type Parameters = &'static [Parameter];

pub(super) const PIE: Parameters = &[TARGET, UPDATE, ALPHA, BETA, BURST, ECN, ECN_LIMIT];

pub(super) const FQ_PIE: Parameters = &[
    TARGET,
    UPDATE,
    ALPHA,
    BETA,
    BURST,
    ("flows", "1024", "how many queues"),
    ("quantum", "1514", "bytes that a queue may send in its turn"),
    ECN,
    ECN_LIMIT,
];

const TARGET: Parameter = ("target", "15ms", "the queueing delay that is aimed at");
const UPDATE: Parameter = ("update", "15ms", "the time between updates of the probability");
const ALPHA: Parameter =
    ("alpha", "0.125", "what a delay of 1 s above the target adds in an update, per second");
const BETA: Parameter = ("beta", "1.25", "what a delay grown by 1 s adds in an update, per second");
const BURST: Parameter = ("burst", "150ms", "a burst of so long passes undropped");
const ECN: Parameter = ("ecn", "off", "mark instead of dropping");
const ECN_LIMIT: Parameter =
    ("ecn_limit", "10%", "with a higher probability ECN packets are dropped too");

pub(super) const DUALPI2: Parameters = &[
    TARGET,
    ("update", "16ms", "the time between updates of the probability"),
    ("alpha", "0.16", "what a delay of 1 s above the target adds in an update, per second"),
    ("beta", "3.2", "what a delay grown by 1 s adds in an update, per second"),
    ("coupling", "2", "how many times the base probability scalable packets are marked with"),
    ("step", "1ms", "a scalable packet that waited longer is marked"),
    ("ramp", "0s", "marks come by chance, which climbs to 1 over so long a wait beyond the step"),
    ("shift", "none", "the longest wait leaves first, scalable packets counting as so much older"),
    ("classic", "10%", "the part of the rate that classic packets are sure of"),
];

/// The limit and the packet's size are filled in later.
pub(super) fn pie(call: &mut Call<'_>) -> Result<PieConfig, BadInput> {
    let usual = PieConfig::default();
    Ok(PieConfig {
        target: call.take("target", target)?.unwrap_or(usual.target),
        update: call.take("update", update)?.unwrap_or(usual.update),
        alpha: call.take("alpha", gain)?.unwrap_or(usual.alpha),
        beta: call.take("beta", gain)?.unwrap_or(usual.beta),
        burst: call.take("burst", wait)?.unwrap_or(usual.burst),
        ecn: ecn(call)?,
        ecn_limit: call.take("ecn_limit", share)?.unwrap_or(usual.ecn_limit),
        ..usual
    })
}

/// The limit and the packet's size are filled in later.
pub(super) fn fq_pie(call: &mut Call<'_>) -> Result<FqPieConfig, BadInput> {
    let (flows, quantum) = flow_queues(call)?;
    Ok(FqPieConfig { pie: pie(call)?, flows, quantum })
}

/// The limit and the packet's size are filled in later.
pub(super) fn dualpi2(call: &mut Call<'_>) -> Result<DualPi2Config, BadInput> {
    let usual = DualPi2Config::default();
    let (shift, classic) = (call.take("shift", or_none)?.flatten(), call.take("classic", share)?);
    if shift.is_some() && classic.is_some() {
        let what = BadInput::new("'shift' and 'classic' are two schedulers");
        return Err(what.hint("leave one of them out").at(call.name));
    }
    Ok(DualPi2Config {
        target: call.take("target", target)?.unwrap_or(usual.target),
        update: call.take("update", update)?.unwrap_or(usual.update),
        alpha: call.take("alpha", gain)?.unwrap_or(usual.alpha),
        beta: call.take("beta", gain)?.unwrap_or(usual.beta),
        coupling: call.take("coupling", coupling)?.unwrap_or(usual.coupling),
        step: call.take("step", wait)?.unwrap_or(usual.step),
        ramp: call.take("ramp", wait)?.unwrap_or(usual.ramp),
        shift,
        classic_share: classic.unwrap_or(usual.classic_share),
        ..usual
    })
}

pub(super) fn write_pie(pie: &PieConfig, note: &mut impl FnMut(bool, String)) {
    let usual = PieConfig::default();
    write_times([("target", pie.target, usual.target), ("update", pie.update, usual.update)], note);
    write_numbers([("alpha", pie.alpha, usual.alpha), ("beta", pie.beta, usual.beta)], note);
    write_times([("burst", pie.burst, usual.burst)], note);
    let limit = format!("ecn_limit={}", share_text(pie.ecn_limit));
    note(differ(pie.ecn_limit, usual.ecn_limit), limit);
}

pub(super) fn write_dualpi2(dual: &DualPi2Config, note: &mut impl FnMut(bool, String)) {
    let usual = DualPi2Config::default();
    write_times(
        [("target", dual.target, usual.target), ("update", dual.update, usual.update)],
        note,
    );
    let gains = [("alpha", dual.alpha, usual.alpha), ("beta", dual.beta, usual.beta)];
    write_numbers(gains, note);
    write_numbers([("coupling", dual.coupling, usual.coupling)], note);
    write_times([("step", dual.step, usual.step), ("ramp", dual.ramp, usual.ramp)], note);
    if let Some(shift) = dual.shift {
        note(true, format!("shift={}", duration_text(shift)));
    }
    let classic = format!("classic={}", share_text(dual.classic_share));
    note(differ(dual.classic_share, usual.classic_share), classic);
}

fn write_times<const N: usize>(
    times: [(&str, Duration, Duration); N],
    note: &mut impl FnMut(bool, String),
) {
    for (name, value, usual) in times {
        note(value != usual, format!("{name}={}", duration_text(value)));
    }
}

fn write_numbers<const N: usize>(
    numbers: [(&str, f64, f64); N],
    note: &mut impl FnMut(bool, String),
) {
    for (name, value, usual) in numbers {
        note(differ(value, usual), format!("{name}={value}"));
    }
}

fn target(text: &str) -> Result<Duration, BadInput> {
    at_least(text, Duration::from_nanos(1))
}

fn update(text: &str) -> Result<Duration, BadInput> {
    at_least(text, Duration::from_micros(1))
}

fn gain(text: &str) -> Result<f64, BadInput> {
    within(text, Decimal::parse_f64, "0", "1000")
}

fn coupling(text: &str) -> Result<f64, BadInput> {
    within(text, Decimal::parse_f64, "1", "255")
}
