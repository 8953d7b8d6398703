//! The command answers any text and does not panic.

use std::ffi::OsString;

use proptest::prelude::*;
use westwood_cli::scenario_of;

/// Pieces that command lines are made of, right and wrong.
const PIECES: &[&str] = &[
    "10",
    "0",
    "1e9",
    "-1",
    "1e-3",
    "18446744073709551616",
    ".5",
    "Mbit/s",
    "kbit/s",
    "MB/s",
    "ms",
    "us",
    "s",
    "min",
    "pkt",
    "bdp",
    "kB",
    "%",
    "reno",
    "westwood+",
    "cubic",
    "bbr",
    "red",
    "codel",
    "fq_codel",
    "markov",
    "gilbert",
    "outage",
    "ber",
    "list",
    "(",
    ")",
    ",",
    "=",
    ":",
    "-",
    "<",
    ">",
    "=on",
    "good=1s",
    "bad=1ms",
    "p=5%",
    "every=4s",
    "for=1s",
    "keep=0.5",
    "pacing=on",
    "min=",
    "jain",
    "goodput",
    " ",
    "µ",
    "\u{0}",
    "é",
];

const FLAGS: &[&str] = &[
    "--rate",
    "--return-rate",
    "--rtt",
    "--buffer",
    "--loss",
    "--loss-both",
    "--cc",
    "--recovery",
    "--flows",
    "--rtt-spread",
    "--against",
    "--reverse-flows",
    "--reverse-cc",
    "--size",
    "--aqm",
    "--packet",
    "--header",
    "--ack",
    "--delayed-ack",
    "--initial-window",
    "--min-rto",
    "--like",
    "--sack-block",
    "--initial-ssthresh",
    "--receive-window",
    "--receive-growth",
    "--initial-rto",
    "--rto-tick",
    "--timestamps",
    "--limited-transmit",
    "--careful",
    "--reduce-each-timeout",
    "--ns2-habits",
    "--impatient",
    "--last-ack-grows",
    "--idle-timeout",
    "--cwnd-validation",
    "--handshake",
    "--buffer-in-service",
    "--wake-up",
    "--access-rate",
    "--time",
    "--warmup",
    "--trace",
    "--seed",
    "--seeds",
    "--jobs",
    "--fail-if",
    "--json",
    "--csv",
    "--quiet",
];

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(prop::sample::select(PIECES), 0..6).prop_map(|p| p.concat()),
        any::<String>(),
    ]
}

fn line() -> impl Strategy<Value = Vec<String>> {
    let flag = (prop::sample::select(FLAGS), value()).prop_map(|(f, v)| [f.to_owned(), v]);
    prop::collection::vec(flag, 0..6).prop_map(|flags| flags.concat())
}

/// Plans a command line and, where it is valid, builds the first network.
fn answer(line: Vec<String>) -> Result<(), TestCaseError> {
    let whole = ["westwood".to_owned(), "compare".to_owned()].into_iter().chain(line);
    let read = |_: &std::path::Path| Ok("0\n1\n5\n".to_owned());
    match scenario_of(whole.map(OsString::from), &read) {
        Err(stop) => {
            let more = stop.text().lines().skip(1).all(|line| line.starts_with("error: "));
            prop_assert!(more, "{}", stop.text());
        }
        Ok(Some(scenario)) => {
            let (point, seed) = (&scenario.points()[0], scenario.seeds()[0]);
            prop_assert!(scenario.build(point, seed).is_ok());
        }
        Ok(None) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_command_line_panics(line in line()) {
        answer(line)?;
    }

    #[test]
    fn no_single_value_panics(flag in prop::sample::select(FLAGS), value in value()) {
        answer(vec![flag.to_owned(), value])?;
    }
}
