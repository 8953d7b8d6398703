//! A comparison as a scenario file.

use std::fmt::Write as _;

use crate::compare::Plan;
use crate::dumbbell::{Dumbbell, Speed};
use crate::spec::losses_text;
use crate::units::{duration_text, rate_text};

/// The scenario that a comparison stands for, with every setting spelled out: run from a file it
/// gives the same bits. None if its seeds do not follow one another, which a file cannot say.
pub fn scenario_of(plan: &Plan) -> Option<String> {
    let first = plan.seeds.first().copied().unwrap_or(1);
    if plan.seeds.iter().zip(first..).any(|(seed, expected)| *seed != expected) {
        return None;
    }
    let path = &plan.path;
    let ccs: Vec<String> = plan.controllers.iter().map(|cc| quoted(&cc.to_string())).collect();
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("cc", format!("[{}]", ccs.join(", ")));
    line("time", quoted(&duration_text(path.time)));
    line("warmup", quoted(&duration_text(path.warmup)));
    line("seeds", plan.seeds.len().to_string());
    line("seed", first.to_string());
    text.push_str("\n[dumbbell]\n");
    for (key, value) in dumbbell(path) {
        let _ = writeln!(text, "{key} = {value}");
    }
    text.push_str("\n[tcp]\n");
    for (key, value) in transport(path) {
        let _ = writeln!(text, "{key} = {value}");
    }
    Some(text)
}

type Lines = Vec<(&'static str, String)>;

fn dumbbell(path: &Dumbbell) -> Lines {
    let mut lines = vec![
        speed(&path.down, "rate", "trace"),
        speed(&path.up, "return_rate", "return_trace"),
        ("rtt", quoted(&rtt(path))),
        ("buffer", quoted(&path.buffer.to_string())),
        ("aqm", quoted(&path.aqm.to_string())),
        ("buffer_in_service", path.tuning.buffer_in_service.to_string()),
        ("loss", quoted(&losses_text(&path.loss))),
        ("access_rate", quoted(&rate_text(path.access_rate))),
        ("flows", path.flows.to_string()),
        ("reverse_flows", path.reverse_flows.to_string()),
    ];
    // Each process draws from the stream of its number, so that both directions are said as they
    // are where a file can say it: losses of the return are those of both ways.
    if !path.return_loss.is_empty() {
        let own = path.loss.len().saturating_sub(path.return_loss.len());
        lines[6].1 = quoted(&losses_text(&path.loss[..own]));
        lines.push(("loss_both", quoted(&losses_text(&path.return_loss))));
    }
    if let Some(rivals) = &path.against {
        lines.push(("against_cc", quoted(&rivals.controller.to_string())));
        lines.push(("against_flows", rivals.flows.to_string()));
    }
    lines.extend(path.reverse_cc.map(|cc| ("reverse_cc", quoted(&cc.to_string()))));
    lines.extend(path.size.map(|size| ("size", quoted(&format!("{} B", size.get())))));
    lines
}

fn transport(path: &Dumbbell) -> Lines {
    let bytes = |n: u64| quoted(&format!("{n} B"));
    let or_none = |n: Option<u64>| n.map_or_else(|| quoted("none"), |n| n.to_string());
    let tuning = &path.tuning;
    vec![
        ("recovery", quoted(path.recovery.name())),
        ("packet", bytes(path.packet.get())),
        ("header", bytes(path.header.get())),
        ("ack", bytes(path.ack.get())),
        ("delayed_ack", path.delayed_ack.to_string()),
        ("initial_window", path.initial_window.to_string()),
        ("min_rto", quoted(&duration_text(path.min_rto))),
        ("sack_block", bytes(tuning.sack_block.get())),
        ("initial_ssthresh", or_none(tuning.initial_ssthresh)),
        ("receive_window", or_none(tuning.receive_window)),
        ("receive_growth", tuning.receive_growth.to_string()),
        ("initial_rto", quoted(&duration_text(tuning.initial_rto))),
        ("rto_tick", quoted(&duration_text(tuning.rto_tick))),
        ("timestamps", tuning.timestamps.to_string()),
        ("limited_transmit", tuning.limited_transmit.to_string()),
        ("impatient", tuning.impatient.to_string()),
        ("last_ack_grows", tuning.last_ack_grows.to_string()),
        ("cwnd_validation", tuning.cwnd_validation.to_string()),
        ("handshake", tuning.handshake.to_string()),
    ]
}

fn speed(speed: &Speed, rate: &'static str, trace: &'static str) -> (&'static str, String) {
    match speed {
        Speed::Fixed(fixed) => (rate, quoted(&rate_text(*fixed))),
        Speed::Recorded(named) => (trace, quoted(&named.file)),
    }
}

fn rtt(path: &Dumbbell) -> String {
    let (min, max) = (duration_text(path.rtt_min), duration_text(path.rtt_max));
    if min == max { max } else { format!("{min} to {max}") }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Assignment, Scenario};
    use super::*;
    use crate::compare::Recording;
    use crate::dumbbell::{NamedTrace, Rivals, Tuning};
    use crate::spec::{Aqm, ControllerSpec, losses};
    use crate::units::buffer;
    use std::sync::Arc;
    use westwood_cc::{Bytes, Duration, Rate};
    use westwood_net::Trace;
    use westwood_sim::{Network, Probes};
    use westwood_tcp::Recovery;

    const TRACE: &str = "0\n1\n5\n";

    fn cc(text: &str) -> ControllerSpec {
        ControllerSpec::parse(text).unwrap()
    }

    /// Paths that differ from the default in everything that can be said.
    fn paths() -> Vec<Dumbbell> {
        let usual = Dumbbell::default();
        let trace = NamedTrace {
            file: "a \"b\"\\c.trace".to_owned(),
            trace: Arc::new(Trace::parse(TRACE).unwrap()),
        };
        vec![
            usual.clone(),
            Dumbbell {
                down: Speed::Fixed(Rate::from_raw(123_456_789_012)),
                up: Speed::Fixed(Rate::from_bits_per_s(2_000_000)),
                rtt_min: Duration::from_nanos(20_000_001),
                rtt_max: Duration::from_millis(250),
                buffer: buffer("1.5bdp").unwrap(),
                aqm: Aqm::parse("red(ecn=on,gentle=on)").unwrap(),
                loss: losses("0.1%,gilbert(good=1s,bad=10ms,p=10%)").unwrap(),
                return_loss: losses("gilbert(good=1s,bad=10ms,p=10%)").unwrap(),
                recovery: Recovery::Linux,
                flows: 3,
                against: Some(Rivals { controller: cc("reno(keep=0.7)"), flows: 2 }),
                reverse_flows: 2,
                reverse_cc: Some(cc("cubic")),
                packet: Bytes::new(1448),
                header: Bytes::new(52),
                ack: Bytes::new(52),
                delayed_ack: false,
                initial_window: 3,
                min_rto: Duration::from_millis(200),
                time: Duration::from_secs(11),
                warmup: Duration::from_nanos(1_500_000_001),
                tuning: Tuning {
                    sack_block: Bytes::new(8),
                    initial_ssthresh: Some(100),
                    receive_window: Some(20_000),
                    receive_growth: 1_449,
                    initial_rto: Duration::from_secs(3),
                    rto_tick: Duration::from_millis(10),
                    timestamps: false,
                    limited_transmit: false,
                    impatient: false,
                    last_ack_grows: true,
                    cwnd_validation: false,
                    handshake: true,
                    buffer_in_service: true,
                },
                ..usual.clone()
            },
            Dumbbell { down: Speed::Recorded(trace), size: Some(Bytes::new(1_234_567)), ..usual },
        ]
    }

    fn plan(path: Dumbbell, seeds: Vec<u64>) -> Plan {
        let controllers = vec![cc("westwood+(tau=0.3s,filter=b)"), cc("bbr(pacing=off)")];
        Plan { path, controllers, seeds, jobs: 1, recording: Recording::Nothing }
    }

    #[test]
    fn a_comparison_that_is_written_out_and_read_again_is_the_same_network() {
        let read = |_: &Path| Ok(TRACE.to_owned());
        for path in paths() {
            let plan = plan(path, vec![5, 6]);
            let text = scenario_of(&plan).unwrap();
            let scenario = Scenario::parse("f", &text, &[] as &[Assignment], &read)
                .unwrap_or_else(|e| panic!("{text}\n{e}"));
            assert_eq!(scenario.seeds(), plan.seeds);
            for (point, cc) in scenario.points().iter().zip(&plan.controllers) {
                for &seed in &plan.seeds {
                    let compared = plan.path.network(cc, seed, Probes::default()).unwrap();
                    let built = scenario.build(point, seed).unwrap();
                    // What is recorded of it is no part of it.
                    let again = Network { probes: Probes::default(), ..built.network };
                    let lines = |network: &Network| format!("{network:#?}");
                    let (ours, theirs) = (lines(&again), lines(&compared));
                    let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
                    assert_eq!((differ, ours.len()), (None, theirs.len()), "{text}");
                }
            }
        }
    }

    #[test]
    fn seeds_with_gaps_cannot_be_written() {
        assert_eq!(scenario_of(&plan(Dumbbell::default(), vec![1, 3])), None);
    }
}
